"""Vertices that stand at one place become one: STL files have three of their own for each triangle."""

from __future__ import annotations

import numpy as np

from ...core.connected_sets import connected_sets
from .triangle_mesh import Floats, Indices, TriangleMesh

# Of the largest coordinate. Binary STL files keep 6e-8 of it; what a designer means to be apart is much further apart.
WELD_TOLERANCE = 1e-6


def weld(mesh: TriangleMesh, tolerance: float) -> TriangleMesh:
    """The mesh with one vertex for all that are no further apart than `tolerance`, without vertices of no triangle.

    Of vertices that become one, one stays where it is; chains of them become one as well. All triangles stay, also
    those that lose a corner.
    """
    from scipy.spatial import cKDTree

    used, triangles = np.unique(mesh.triangles, return_inverse=True)
    place, vertex = _distinct(mesh.vertices[used])
    triangles = vertex[triangles.reshape(-1, 3)]
    near = cKDTree(place).query_pairs(tolerance, output_type="ndarray")
    if len(near):
        group = connected_sets(len(place), *near.T)
        _, first = np.unique(group, return_index=True)
        place, triangles = place[first], group[triangles]
    return TriangleMesh(place, np.ascontiguousarray(triangles, dtype=np.int64))


def _distinct(points: Floats) -> tuple[Floats, Indices]:
    """Points (n, 3), each different one once, and (n,) the place of each among them; equal means all digits.

    In their order here, which does not depend on the axes.
    """
    points = points + 0.0  # -0.0 is 0.0
    order = np.lexsort(points.T)
    is_new = np.ones(len(points), dtype=bool)
    is_new[1:] = np.any(points[order][1:] != points[order][:-1], axis=1)
    first, group = np.unique(order[is_new][np.cumsum(is_new) - 1], return_inverse=True)
    number = np.empty(len(points), dtype=np.int64)
    number[order] = group
    return points[first], number
