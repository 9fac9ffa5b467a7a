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

    def scaled(self, factor: float) -> TriangleMesh:
        """The mesh with all lengths times a factor greater than 0."""
        return TriangleMesh(factor * self.vertices, self.triangles)

    def turned(self) -> TriangleMesh:
        """The mesh with its inside where its outside was; each triangle keeps its first corner."""
        return TriangleMesh(self.vertices, np.ascontiguousarray(self.triangles[:, [0, 2, 1]]))

    def bounds(self) -> Floats:
        """Least and greatest coordinates of the vertices, (2, 3)."""
        return np.stack((self.vertices.min(axis=0), self.vertices.max(axis=0)))

    def size(self) -> float:
        """Length of the diagonal of the box of the vertices."""
        low, high = self.bounds()
        return float(np.linalg.norm(high - low))

    def doubled_area_vectors(self) -> Floats:
        """(m, 3) products of two sides of each triangle: normals, outwards, twice as long as its area."""
        a, b, c = np.moveaxis(self.corners(), 1, 0)
        normals: Floats = np.cross(b - a, c - a)
        return normals

    def sides(self) -> Floats:
        """(m, 3) lengths of the sides of each triangle, from its corners 0, 1 and 2 to the next."""
        return edge_lengths(self.corners())


def edge_lengths(corners: Floats) -> Floats:
    """(m, 3): length of the side of each triangle (m, 3, 3) from corner c to c + 1."""
    lengths: Floats = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    return lengths


class Edges(NamedTuple):
    """All sides of the triangles of a mesh, sorted so that those of one edge are neighbours.

    The s-th side in that order is side `corner[s]` of triangle `triangle[s]`, from that corner to the next.

    ends : (3 m, 2) vertices of the sides, the lower one first
    forward : (3 m,) whether the triangle runs from the lower vertex to the higher one
    triangle, corner : (3 m,)
    first, valence : (e,) of each edge its first side in that order and their number, 2 for an edge of a closed mesh
    """

    ends: Indices
    forward: NDArray[np.bool_]
    triangle: Indices
    corner: Indices
    first: Indices
    valence: Indices

    def pairs(self) -> tuple[Indices, Indices]:
        """Of each edge between two triangles its two sides, each (k,)."""
        first = self.first[self.valence == 2]
        return first, first + 1


def edges_of(mesh: TriangleMesh) -> Edges:
    """The edges of a mesh, in the order of their vertices."""
    start = mesh.triangles.ravel()
    end = np.roll(mesh.triangles, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.argsort(low * len(mesh.vertices) + high, kind="stable")
    low, high = low[order], high[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    first = np.flatnonzero(is_first)
    count = np.diff(np.append(first, len(order)))
    return Edges(np.stack((low, high), axis=1), (start < end)[order], order // 3, order % 3, first, count)
