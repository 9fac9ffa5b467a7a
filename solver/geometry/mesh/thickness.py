"""How thick a solid is: from the middle of each triangle straight inwards to the other side."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Ints, Record, Records
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, row, scaled
from .plain_tree import STACK, build_tree
from .triangle_mesh import TriangleMesh

FACING = math.cos(math.radians(45.0))  # of the ray with the outward normal of the other side: beyond, it is an edge
BORDER = 1e-9  # in barycentric coordinates: a ray that meets an edge between two triangles must not slip through
Vector = tuple[float, float, float]


class ThinPlace(NamedTuple):
    """The least thickness that was found, and the triangle in whose middle it was."""

    thickness: float
    triangle: int


def find_thinnest(mesh: TriangleMesh) -> ThinPlace | None:
    """The least distance from the middle of a triangle, against its normal, to a triangle that faces the other way.

    None where there is no such place, as in a mesh that is inside out. Edges are thin everywhere and do not count: the
    other side must face away within 45 degrees.
    """
    normals = mesh.doubled_area_vectors()
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(length > 0.0, length, 1.0)
    found = np.empty(len(normals))
    stack = np.zeros(STACK, dtype=np.int64)
    corners = mesh.corners()
    tree = build_tree(corners)
    measure(corners, normals, tree.boxes, tree.order, stack, found)
    thinnest = int(np.argmin(found))
    if not math.isfinite(found[thinnest]):
        return None
    return ThinPlace(float(found[thinnest]), thinnest)


@kernel
def measure(corners: Array, normals: Array, boxes: Records, order: Ints, stack: Ints, found: Array) -> None:
    """Thickness at each triangle (m,), inf where there is none; normals (m, 3) are of unit length or zero."""
    for i in range(len(corners)):
        found[i] = math.inf
        direction = scaled(-1.0, row(normals, i))
        if dot(direction, direction) == 0.0:
            continue
        origin = middle_of(corners[i])
        depth, stack[0] = 1, 0
        while depth > 0:
            depth -= 1
            box = boxes[stack[depth]]
            if not ray_meets_box(origin, direction, box, found[i]):
                continue
            if box.child >= 0:
                stack[depth], stack[depth + 1] = box.child, box.child + 1
                depth += 2
                continue
            for k in range(box.first, box.last):
                j = order[k]
                if j != i and dot(row(normals, j), direction) > FACING:
                    found[i] = min(found[i], distance_along(origin, direction, corners[j]))


@kernel(inline=True)
def middle_of(triangle: Array) -> Vector:
    """Centroid of a triangle (3, 3)."""
    a, b, c = row(triangle, 0), row(triangle, 1), row(triangle, 2)
    return (a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0, (a[2] + b[2] + c[2]) / 3.0


@kernel(inline=True)
def ray_meets_box(origin: Vector, direction: Vector, box: Record, limit: float) -> bool:
    """Whether a ray is in a box somewhere before `limit`."""
    enters, leaves = 0.0, limit
    for axis in range(3):
        low, high = box.low[axis] - origin[axis], box.high[axis] - origin[axis]
        d = direction[axis]
        if d == 0.0:
            if low > 0.0 or high < 0.0:
                return False
        else:
            a, b = low / d, high / d
            enters, leaves = max(enters, min(a, b)), min(leaves, max(a, b))
    return enters <= leaves


@kernel
def distance_along(origin: Vector, direction: Vector, triangle: Array) -> float:
    """Distance to a triangle (3, 3) along a ray of unit direction; inf if it is missed.

    T. Moeller and B. Trumbore, Fast, minimum storage ray/triangle intersection, J. Graphics Tools 2 (1997).
    """
    a = row(triangle, 0)
    u, v = minus(row(triangle, 1), a), minus(row(triangle, 2), a)
    p = cross(direction, v)
    determinant = dot(u, p)
    if determinant == 0.0:
        return math.inf
    arm = minus(origin, a)
    q = cross(arm, u)
    first, second = dot(arm, p) / determinant, dot(direction, q) / determinant
    if first < -BORDER or second < -BORDER or first + second > 1.0 + BORDER:
        return math.inf
    distance = dot(v, q) / determinant
    return distance if distance > 0.0 else math.inf
