"""Closed meshes of several pieces: which hang together, which lie within others, and which face the wrong way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .triangle_mesh import Edges, Floats, Indices, TriangleMesh, edges_of

ROUND_OFF = 1e-12


class Pieces(NamedTuple):
    """Parts of a closed mesh that share no edge.

    of_triangle : (m,) number of the piece of each triangle
    volumes : (p,) within each piece; negative where its triangles face inwards
    depths : (p,) how many other pieces each lies within
    """

    of_triangle: Indices
    volumes: Floats
    depths: Indices


def separate_fans(mesh: TriangleMesh, edges: Edges) -> TriangleMesh:
    """The mesh with a vertex of its own for each fan of triangles, where some only touch in a vertex.

    The surface stays what it is; each vertex then has one ring of neighbours.
    """
    m = len(mesh.triangles)
    one, other = edges.pairs()
    ends: list[tuple[Indices, Indices]] = []
    for at_low in (True, False):
        corners = []
        for side in (one, other):
            starts_there = edges.forward[side] == at_low
            corner = np.where(starts_there, edges.corner[side], (edges.corner[side] + 1) % 3)
            corners.append(3 * edges.triangle[side] + corner)
        ends.append((corners[0], corners[1]))
    rows, columns = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(3 * m, 3 * m))
    fans, label = connected_components(graph, directed=False)
    if fans == len(mesh.vertices):
        return mesh
    _, first, triangles = np.unique(label, return_index=True, return_inverse=True)
    return TriangleMesh(mesh.vertices[mesh.triangles.ravel()[first]], triangles.reshape(-1, 3))


def count_charts(mesh: TriangleMesh, feature_angle: float) -> int:
    """Number of parts of a closed mesh between edges where normals turn by more than `feature_angle` (radians)."""
    return len(np.unique(_joined(mesh, edges_of(mesh), feature_angle)))


def pieces_of(mesh: TriangleMesh) -> Pieces:
    """The pieces of a closed mesh whose triangles agree on what is outside."""
    of_triangle = _joined(mesh, edges_of(mesh), None)
    corners = mesh.corners() - mesh.vertices.mean(axis=0)
    sixfold = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volumes = np.bincount(of_triangle, sixfold) / 6.0
    depths = _depths(mesh, of_triangle) if len(volumes) > 1 else np.zeros(1, dtype=np.int64)
    return Pieces(of_triangle, volumes, depths)


def _joined(mesh: TriangleMesh, edges: Edges, feature_angle: float | None) -> Indices:
    """(m,) group of each triangle: triangles that share an edge are of one, unless it is steeper than the angle."""
    one, other = edges.pairs()
    i, j = edges.triangle[one], edges.triangle[other]
    if feature_angle is not None:
        normals = mesh.doubled_area_vectors()
        across = np.linalg.norm(np.cross(normals[i], normals[j]), axis=1)
        smooth = np.arctan2(across, np.einsum("ij,ij->i", normals[i], normals[j])) <= feature_angle + ROUND_OFF
        i, j = i[smooth], j[smooth]
    m = len(mesh.triangles)
    _, label = connected_components(coo_array((np.ones(len(i), dtype=bool), (i, j)), shape=(m, m)), directed=False)
    return label.astype(np.int64)


def _depths(mesh: TriangleMesh, of_triangle: Indices) -> Indices:
    """How many other pieces each piece lies within: those that one of its vertices lies within."""
    order = np.argsort(of_triangle, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(of_triangle))[:-1])
    corners = mesh.corners()
    low = np.array([corners[part].min(axis=(0, 1)) for part in parts])
    high = np.array([corners[part].max(axis=(0, 1)) for part in parts])
    depths = np.zeros(len(parts), dtype=np.int64)
    for k, part in enumerate(parts):
        around = np.all(low <= low[k], axis=1) & np.all(high >= high[k], axis=1)
        around[k] = False
        for other in np.flatnonzero(around):
            depths[k] += abs(winding_number(corners[parts[other]], corners[part[0], 0])) > 0.5
    return depths


def winding_number(corners: Floats, point: Floats) -> float:
    """How often triangles (m, 3, 3) of a closed mesh wind about a point: 1 within one that faces outwards, 0 outside.

    The sum of their solid angles by 4 pi (A. van Oosterom and J. Strackee, IEEE Trans. Biomed. Eng. 30, 1983).
    """
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = la * lb * lc + np.einsum("ij,ij->i", a, b) * lc
    below += np.einsum("ij,ij->i", b, c) * la + np.einsum("ij,ij->i", c, a) * lb
    return float(np.arctan2(triple, below).sum() / (2.0 * np.pi))
