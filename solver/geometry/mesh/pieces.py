"""Closed meshes of several pieces: which hang together, which lie within others, and which face the wrong way."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .adjacency import facets_of, joined_triangles, topology_of, triangles_across
from .records import NONE
from .triangle_mesh import Floats, Indices, TriangleMesh


class Pieces(NamedTuple):
    """Parts of a closed mesh that share no edge.

    of_triangle : (m,) number of the piece of each triangle
    volumes : (p,) within each piece; negative where its triangles face inwards
    depths : (p,) how many other pieces each lies within
    """

    of_triangle: Indices
    volumes: Floats
    depths: Indices


def separate_fans(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh with a vertex of its own for each fan of triangles, where some only touch in a vertex.

    The surface stays what it is; each vertex then has one ring of neighbours.
    """
    across = triangles_across(mesh.triangles)
    fans = topology_of(mesh, across, facets_of(mesh, across), math.pi)
    if len(fans.sources) == len(mesh.vertices):
        return mesh
    return TriangleMesh(mesh.vertices[fans.sources], fans.wedges)


def count_charts(mesh: TriangleMesh, feature_angle: float) -> int:
    """Number of parts of a closed mesh between edges where normals turn by more than `feature_angle` (radians)."""
    across = triangles_across(mesh.triangles)
    return int(topology_of(mesh, across, facets_of(mesh, across), feature_angle).chart.max()) + 1


def pieces_of(mesh: TriangleMesh) -> Pieces:
    """The pieces of a closed mesh whose triangles agree on what is outside."""
    across = triangles_across(mesh.triangles)
    of_triangle = joined_triangles(across, across != NONE)
    corners = mesh.corners() - mesh.vertices.mean(axis=0)
    sixfold = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volumes = np.bincount(of_triangle, sixfold) / 6.0
    depths = _depths(mesh, of_triangle) if len(volumes) > 1 else np.zeros(1, dtype=np.int64)
    return Pieces(of_triangle, volumes, depths)


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
