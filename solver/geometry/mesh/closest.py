"""The point of a mesh that is nearest to a point, and what a ray meets first, by the tree of boxes.

Both walk down the tree, the nearer of two boxes first, without a stack: a bit for each depth says whether the other box
there has been seen too.  Facets are taken as they are; the result is where a search on the smooth surface begins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, vector_of
from .records import NONE, MeshSurface

FACE, VERTEX_FEATURE = 0, 4  # of a triangle; 1, 2, 3: edges from corners 0, 1, 2; 4, 5, 6: corners
SLACK = 1e-9  # by which a ray may pass a triangle and still meet it: none slips through between two
SMALL = 10.0  # square of the thickness, in areas of a triangle, from which on its middle speaks for all of it
RAYS = ((1 / 3, 1 / 3), (1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))  # where rays start in a triangle


class NearestPoint(NamedTuple):
    """triangle : NONE if the mesh is too far

    distance : negative inside
    point : of the mesh
    """

    triangle: int
    distance: float
    point: Vector


@kernel(inline=True)
def combined(origin: Vector, a: float, u: Vector, b: float, v: Vector) -> Vector:
    """origin + a u + b v."""
    return plus(origin, plus(scaled(a, u), scaled(b, v)))


@kernel(inline=True)
def on_segment(x: Vector, start: Vector, side: Vector) -> tuple[float, float]:
    """Part of the way along a side at which it is nearest to x, and the square of the distance."""
    rest = minus(x, start)
    square = dot(side, side)
    s = min(max(dot(rest, side) / square, 0.0), 1.0) if square > 0.0 else 0.0
    apart = minus(rest, scaled(s, side))
    return s, dot(apart, apart)


@kernel
def nearest_in_triangle(x: Vector, p: Vector, q: Vector, r: Vector) -> tuple[float, Vector, int]:
    """Square of the distance, the nearest point of the triangle p, q, r, and the feature that it lies on."""
    a, b = minus(q, p), minus(r, p)
    up, rest = cross(a, b), minus(x, p)
    square = dot(up, up)
    v, w = dot(rest, cross(b, up)), dot(rest, cross(up, a))
    if square > 0.0 and v >= 0.0 and w >= 0.0 and v + w <= square:
        height = dot(rest, up)
        return height * height / square, combined(p, v / square, a, w / square, b), FACE
    best, point, feature = math.inf, p, FACE
    for corner in range(3):
        start, end = (p, q) if corner == 0 else (q, r) if corner == 1 else (r, p)
        side = minus(end, start)
        s, apart = on_segment(x, start, side)
        if apart < best:
            best, point = apart, plus(start, scaled(s, side))
            feature = 1 + corner
            if s == 0.0:
                feature = VERTEX_FEATURE + corner
            elif s == 1.0:
                point, feature = end, VERTEX_FEATURE + (corner + 1) % 3
    return best, point, feature


@kernel(inline=True)
def corner_of(surface: MeshSurface, triangle: Record, corner: int) -> Vector:
    return vector_of(surface.vertices[triangle.corners[corner]].position)


@kernel(inline=True)
def square_to_box(box: Record, x: Vector) -> float:
    square = 0.0
    for i in range(3):
        off = abs(x[i] - box.centre[i]) - box.half[i]
        if off > 0.0:
            square += off * off
    return square


@kernel
def pseudo_normal(surface: MeshSurface, triangle: int, feature: int) -> Vector:
    """A direction outwards at a feature of a triangle, not of unit length."""
    if feature >= VERTEX_FEATURE:
        return vector_of(surface.pseudo_normals[surface.triangles[triangle].corners[feature - VERTEX_FEATURE]])
    normal = vector_of(surface.facet_normals[triangle])
    if feature == FACE or surface.across[triangle, feature - 1] == NONE:
        return normal
    return plus(normal, vector_of(surface.facet_normals[surface.across[triangle, feature - 1]]))


@kernel(inline=True)
def next_box(surface: MeshSurface, box: int, depth: int, trail: int) -> tuple[int, int, int]:
    """After all below a box has been seen: the box beside the nearest one whose sibling is still to come."""
    while depth > 0 and (trail >> depth) & 1:
        box = surface.boxes[box].parent
        depth -= 1
    if depth > 0:
        child = surface.boxes[surface.boxes[box].parent].child
        box = 2 * child + 1 - box
        trail |= 1 << depth
    return box, depth, trail


@kernel
def nearest_triangle(surface: MeshSurface, mesh: int, x: Vector, within: float) -> NearestPoint:
    """The point of a mesh nearest to x, in body axes, if it is nearer than `within`.

    The distance is negative inside; the side is told by the sum of the normals round the feature hit, see
    `surface.pseudo_normals`.
    """
    box = surface.meshes[mesh].first_box
    depth, trail = 0, 0
    best, triangle, feature, point = within * within, NONE, FACE, x
    while True:
        here = surface.boxes[box]
        if square_to_box(here, x) < best:
            if here.child != NONE:
                box = here.child
                if square_to_box(surface.boxes[box + 1], x) < square_to_box(surface.boxes[box], x):
                    box += 1
                depth += 1
                trail &= ~(1 << depth)
                continue
            for k in range(here.first, here.last):
                t = surface.box_triangles[k]
                record = surface.triangles[t]
                p, q, r = corner_of(surface, record, 0), corner_of(surface, record, 1), corner_of(surface, record, 2)
                square, at, on = nearest_in_triangle(x, p, q, r)
                if square < best:
                    best, triangle, feature, point = square, t, on, at
        box, depth, trail = next_box(surface, box, depth, trail)
        if depth == 0:
            break
    if triangle == NONE:
        return NearestPoint(NONE, within, x)
    outside = dot(minus(x, point), pseudo_normal(surface, triangle, feature)) >= 0.0
    return NearestPoint(triangle, math.sqrt(best) if outside else -math.sqrt(best), point)


@kernel(inline=True)
def entry_of_box(box: Record, origin: Vector, direction: Vector) -> float:
    """How far along a ray it enters a box, 0 within, infinite if it passes by."""
    enter, leave = 0.0, math.inf
    for i in range(3):
        off = box.centre[i] - origin[i]
        if direction[i] == 0.0:
            if abs(off) > box.half[i]:
                return math.inf
            continue
        near, far = (off - box.half[i]) / direction[i], (off + box.half[i]) / direction[i]
        enter, leave = max(enter, min(near, far)), min(leave, max(near, far))
    return enter if enter <= leave else math.inf


@kernel
def leaves_through(surface: MeshSurface, triangle: int, origin: Vector, direction: Vector) -> float:
    """How far along a ray it leaves the solid through a triangle, infinite if it does not."""
    record = surface.triangles[triangle]
    p = corner_of(surface, record, 0)
    a, b = minus(corner_of(surface, record, 1), p), minus(corner_of(surface, record, 2), p)
    across = cross(direction, b)
    determinant = dot(a, across)
    if not determinant < 0.0:  # direction . (a x b) > 0
        return math.inf
    rest = minus(origin, p)
    v = dot(rest, across) / determinant
    turned = cross(rest, a)
    w = dot(direction, turned) / determinant
    if v < -SLACK or w < -SLACK or v + w > 1.0 + SLACK:
        return math.inf
    return dot(b, turned) / determinant


@kernel
def first_exit(surface: MeshSurface, mesh: int, origin: Vector, direction: Vector, start: int) -> float:
    """How far along a ray that starts in a triangle it leaves the solid of a mesh; infinite if it does not."""
    box = surface.meshes[mesh].first_box
    depth, trail = 0, 0
    best = math.inf
    while True:
        here = surface.boxes[box]
        if entry_of_box(here, origin, direction) < best:
            if here.child != NONE:
                box = here.child
                near = entry_of_box(surface.boxes[box], origin, direction)
                if entry_of_box(surface.boxes[box + 1], origin, direction) < near:
                    box += 1
                depth += 1
                trail &= ~(1 << depth)
                continue
            for k in range(here.first, here.last):
                t = surface.box_triangles[k]
                if t != start:
                    length = leaves_through(surface, t, origin, direction)
                    if 0.0 <= length < best:
                        best = length
        box, depth, trail = next_box(surface, box, depth, trail)
        if depth == 0:
            break
    return best


@kernel
def ray_thickness(surface: MeshSurface, mesh: int) -> None:
    """Set the depth caps of the triangles of a mesh: half the least thickness below the middle or, of triangles that
    are not small beside it, below four points of each.

    A point behind the far side of a plate looks deep from the near one.  Up to half the thickness the near side is the
    nearer of the two.
    """
    record = surface.meshes[mesh]
    for t in range(record.first_triangle, record.last_triangle):
        triangle = surface.triangles[t]
        p = corner_of(surface, triangle, 0)
        a, b = minus(corner_of(surface, triangle, 1), p), minus(corner_of(surface, triangle, 2), p)
        inwards = scaled(-1.0, vector_of(surface.facet_normals[t]))
        least = 2.0 * record.radius
        for k in range(len(RAYS)):
            v, w = RAYS[k]
            least = min(least, first_exit(surface, mesh, combined(p, v, a, w, b), inwards, t))
            if least * least > SMALL * triangle.area:
                break
        triangle.depth_cap = 0.5 * least
