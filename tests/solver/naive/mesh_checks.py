"""Twins of what looks at meshes before a run: every triangle with every other, every edge with its reverse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from naive import cross


class MeshFaults(NamedTuple):
    """What keeps a mesh from being the boundary of a solid; all 0 for a closed, oriented manifold.

    repeated_edges : edges that two triangles run through in the same sense: turned over, or more than two at one edge
    open_edges : edges without a triangle on the other side
    flat_triangles : triangles without area, to round-off
    unused_vertices : vertices of no triangle
    """

    repeated_edges: int
    open_edges: int
    flat_triangles: int
    unused_vertices: int


def find_faults(mesh):
    """Compare every directed edge with its reverse.

    A closed manifold has each directed edge once and its reverse once.
    """
    count = len(mesh.vertices)
    start = mesh.triangles.ravel()
    end = np.roll(mesh.triangles, -1, axis=1).ravel()
    edges = np.unique(start * count + end)
    reverse = np.unique(end * count + start)
    doubled_area = np.linalg.norm(mesh.doubled_area_vectors(), axis=1)
    longest = mesh.sides().max(axis=1)
    return MeshFaults(
        repeated_edges=len(start) - len(edges),
        open_edges=len(np.setdiff1d(edges, reverse)),
        flat_triangles=int(np.count_nonzero(doubled_area <= 1e-12 * longest**2)),
        unused_vertices=count - len(np.unique(mesh.triangles)),
    )


def pierces(p, q, triangle, deep, border):
    """Where the segment from p to q pierces a triangle, None if it does not, as `crossings.piercing_point`."""
    a, b, c = triangle
    normal = cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal)
    above, below = (p - a) @ normal, (q - a) @ normal
    if abs(above) <= deep or abs(below) <= deep or above * below > 0:
        return None
    at = p + above / (above - below) * (q - p)
    inside = [(cross(normal, to - start) @ (at - start)) / np.linalg.norm(to - start)
              for start, to in ((a, b), (b, c), (c, a))]  # fmt: skip
    return at if min(inside) > -border else None


def crossing_pairs(corners, triangles, deep, border):
    """Pairs i < j of triangles that share less than two vertices and of which an edge of one pierces the other."""
    found = []
    for i in range(len(corners)):
        for j in range(i + 1, len(corners)):
            if len(set(triangles[i]) & set(triangles[j])) > 1:
                continue
            hits = [pierces(of[k], of[(k + 1) % 3], t, deep, border) for t, of in
                    ((corners[i], corners[j]), (corners[j], corners[i])) for k in range(3)]  # fmt: skip
            if any(hit is not None for hit in hits):
                found.append((i, j))
    return found
