"""A triangle mesh, and whether it bounds a solid."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class TriangleMesh(NamedTuple):
    """Corner points and triangles.

    vertices : (n, 3), length
    triangles : (m, 3), indices of vertices, counter-clockwise as seen from outside
    """

    vertices: Floats
    triangles: Indices

    def corners(self) -> Floats:
        """Corner points of every triangle, (m, 3, 3)."""
        corners: Floats = self.vertices[self.triangles]
        return corners

    def moved(self, rotation: Any, translation: Any) -> TriangleMesh:
        """The mesh at R x + t; R (3, 3) is a rotation, so that triangles keep facing outwards."""
        vertices = self.vertices @ np.asarray(rotation, float).T + np.asarray(translation, float)
        return TriangleMesh(vertices, self.triangles)


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


def find_faults(mesh: TriangleMesh) -> MeshFaults:
    """Compare every directed edge with its reverse.

    A closed manifold has each directed edge once and its reverse once.
    """
    count = len(mesh.vertices)
    start = mesh.triangles.ravel()
    end = np.roll(mesh.triangles, -1, axis=1).ravel()
    edges = np.unique(start * count + end)
    reverse = np.unique(end * count + start)
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    doubled_area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.max([np.linalg.norm(side, axis=1) for side in (b - a, c - b, a - c)], axis=0)
    return MeshFaults(
        repeated_edges=len(start) - len(edges),
        open_edges=len(np.setdiff1d(edges, reverse)),
        flat_triangles=int(np.count_nonzero(doubled_area <= 1e-12 * longest**2)),
        unused_vertices=count - len(np.unique(mesh.triangles)),
    )
