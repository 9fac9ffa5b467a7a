"""Where a mesh goes through itself: pairs of triangles of which an edge of one pierces the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Ints, Record, Vector
from ...core.jit.kernels import kernel
from ...core.jit.references import Reference
from ...core.vectors import cross, dot, minus, plus, row, scaled
from .adjacency import summed
from .box_tree import BoxTree, next_box, tree_of
from .defects import Spot
from .records import NONE
from .triangle_mesh import Floats, TriangleMesh
from .vertex_normals import unit_rows

ENOUGH = 1000  # pairs, after which the search ends
SHRUNK = 3.0  # tolerances by which the mesh is made smaller
DEEP = 10.0  # tolerances that an edge goes through a triangle at both ends: more than shrinking can do


def find_crossings(mesh: TriangleMesh, tolerance: float) -> Spot | None:
    """Pairs of triangles that cross, `ENOUGH` at most, and a place of the first.

    Looked for in the mesh shrunk by some tolerances (length): what only touches is apart then, and what goes through
    itself still does, also where an edge meets an edge, as in two parts that are each other's mirror image.
    """
    shrunk = TriangleMesh(mesh.vertices - SHRUNK * tolerance * _vertex_normals(mesh), mesh.triangles)
    tree: Any = Reference(tree_of(shrunk))
    place = np.zeros(3)
    count = count_crossings(tree, mesh.triangles, tolerance, place)
    return Spot(count, place) if count else None


def _vertex_normals(mesh: TriangleMesh) -> Floats:
    """(n, 3) unit vectors, means of the normals round each vertex by their areas; zero where they cancel."""
    normals = np.repeat(mesh.doubled_area_vectors(), 3, axis=0)
    return unit_rows(summed(mesh.triangles.ravel(), normals, len(mesh.vertices)))


@kernel
def count_crossings(tree: BoxTree, triangles: Ints, tolerance: float, place: Array) -> int:
    """Number of pairs; `place` (3,) becomes a point at which the first pierce each other."""
    boxes, corners, found = tree.boxes, tree.corners, 0
    for i in range(len(triangles)):
        box, depth, trail = 0, 0, 0
        while True:
            here = boxes[box]
            if meets_box(corners, i, here):
                if here.child != NONE:
                    box, depth = here.child, depth + 1
                    trail &= ~(1 << depth)
                    continue
                for k in range(here.first, here.last):
                    j = tree.order[k]
                    if j > i and boxes_meet(corners, i, j) and may_cross(triangles, i, j):
                        at = point_of_crossing(corners, i, j, tolerance)
                        if at[0] == at[0]:
                            if found == 0:
                                place[0], place[1], place[2] = at
                            found += 1
                            if found >= ENOUGH:
                                return found
            box, depth, trail = next_box(boxes, box, depth, trail)
            if depth == 0:
                break
    return found


@kernel(inline=True)
def meets_box(corners: Array, i: int, box: Record) -> bool:
    """Whether the box of triangle i and one of a tree have a point in common."""
    for axis in range(3):
        a, b, c = corners[i, 0, axis], corners[i, 1, axis], corners[i, 2, axis]
        centre, half = box.centre[axis], box.half[axis]
        if min(a, b, c) - centre > half or max(a, b, c) - centre < -half:
            return False
    return True


@kernel(inline=True)
def boxes_meet(corners: Array, i: int, j: int) -> bool:
    """Whether the boxes of two triangles have a point in common."""
    for axis in range(3):
        a, b, c = corners[i, 0, axis], corners[i, 1, axis], corners[i, 2, axis]
        d, e, f = corners[j, 0, axis], corners[j, 1, axis], corners[j, 2, axis]
        if min(a, b, c) > max(d, e, f) or max(a, b, c) < min(d, e, f):
            return False
    return True


@kernel(inline=True)
def may_cross(triangles: Ints, i: int, j: int) -> bool:
    """Not if they share an edge: two planes meet in one line."""
    shared = 0
    for a in range(3):
        for b in range(3):
            shared += triangles[i, a] == triangles[j, b]
    return shared < 2


@kernel
def point_of_crossing(corners: Array, i: int, j: int, tolerance: float) -> Vector:
    """Where an edge of one triangle pierces the other; NaN if none does."""
    for k in range(6):
        t, of = (i, j) if k < 3 else (j, i)
        at = piercing_point(row(corners[of], k % 3), row(corners[of], (k + 1) % 3), corners[t], tolerance)
        if at[0] == at[0]:
            return at
    return math.nan, math.nan, math.nan


@kernel
def piercing_point(p: Vector, q: Vector, triangle: Array, tolerance: float) -> Vector:
    """Where the segment from p to q pierces a triangle (3, 3); NaN if it does not.

    Both ends are further than some tolerances from the plane, on different sides: a shared vertex, or one that rounding
    or shrinking put beyond a face, is no crossing. The point may be a tolerance beyond an edge.
    """
    nowhere = math.nan, math.nan, math.nan
    a = row(triangle, 0)
    normal = cross(minus(row(triangle, 1), a), minus(row(triangle, 2), a))
    length = math.sqrt(dot(normal, normal))
    if not length > 0.0:
        return nowhere
    normal = scaled(1.0 / length, normal)
    above, below = dot(minus(p, a), normal), dot(minus(q, a), normal)
    deep = DEEP * tolerance
    if not ((above > deep and below < -deep) or (above < -deep and below > deep)):
        return nowhere
    at = plus(p, scaled(above / (above - below), minus(q, p)))
    for c in range(3):
        corner = row(triangle, c)
        along = minus(row(triangle, (c + 1) % 3), corner)
        inside = dot(cross(normal, along), minus(at, corner))
        if not inside > -tolerance * math.sqrt(dot(along, along)):
            return nowhere
    return at
