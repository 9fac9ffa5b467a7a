"""How thick a solid is below its triangles: rays from them straight inwards to the other side, by the tree of boxes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Record, Vector
from ...core.jit.kernels import kernel
from ...core.jit.references import Reference
from ...core.vectors import cross, dot, minus, plus, row, scaled
from .box_tree import BoxTree, next_box, tree_of
from .records import NONE
from .triangle_mesh import Floats, TriangleMesh

FACING = math.cos(math.radians(45.0))  # of the ray with the outward normal of the other side: beyond, it is an edge
BORDER = 1e-9  # in barycentric coordinates: a ray that meets an edge between two triangles must not slip through
SMALL = 10.0  # square of the thickness, in areas of a triangle, from which on its middle speaks for all of it
STARTS = ((1 / 3, 1 / 3), (1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))  # of rays in a triangle; the middle first


class ThinPlace(NamedTuple):
    """The least thickness that was found, and the triangle in whose middle it was."""

    thickness: float
    triangle: int


def find_thinnest(mesh: TriangleMesh) -> ThinPlace | None:
    """The least distance from the middle of a triangle, against its normal, to a triangle that faces the other way.

    None where there is no such place, as in a mesh that is inside out. Edges are thin everywhere and do not count: the
    other side must face away within 45 degrees.
    """
    found = thicknesses(tree_of(mesh), 1, FACING, math.inf)
    thinnest = int(np.argmin(found))
    if not math.isfinite(found[thinnest]):
        return None
    return ThinPlace(float(found[thinnest]), thinnest)


def depth_caps(tree: BoxTree, most: float) -> Floats:
    """(m,) half the least thickness below the middle or, of triangles that are not small beside it, below four points
    of each; half of `most` where there is more.

    A point behind the far side of a plate looks deep from the near one.  Up to half the thickness the near side is the
    nearer of the two.
    """
    return 0.5 * thicknesses(tree, len(STARTS), 0.0, most)


def thicknesses(tree: BoxTree, starts: int, facing: float, most: float) -> Floats:
    """(m,) the least thickness below each triangle; `most` where there is more or none, or the triangle has no normal.

    starts : how many of `STARTS` are looked at in a triangle that is not small beside its thickness
    facing : least cosine between the ray and the outward normal of the other side
    """
    found = np.full(len(tree.corners), most)
    by_reference: Any = Reference(tree)
    measure(by_reference, starts, facing, found)
    return found


@kernel
def measure(tree: BoxTree, starts: int, facing: float, found: Array) -> None:
    """Make `found` (m,) less where the solid is thinner: see `thicknesses`."""
    for t in range(len(found)):
        inwards = scaled(-1.0, row(tree.normals, t))
        if dot(inwards, inwards) == 0.0:
            continue
        corners = tree.corners[t]
        a, b = minus(row(corners, 1), row(corners, 0)), minus(row(corners, 2), row(corners, 0))
        up = cross(a, b)
        area = 0.5 * math.sqrt(dot(up, up))
        for k in range(starts):
            v, w = STARTS[k]
            origin = plus(row(corners, 0), plus(scaled(v, a), scaled(w, b)))
            found[t] = min(found[t], first_exit(tree, origin, inwards, t, facing))
            if found[t] * found[t] > SMALL * area:
                break


@kernel
def first_exit(tree: BoxTree, origin: Vector, direction: Vector, start: int, facing: float) -> float:
    """How far along a ray that starts in a triangle it leaves the solid; infinite if it does not.

    Of two boxes the nearer one is looked into first.
    """
    boxes, box, depth, trail, best = tree.boxes, 0, 0, 0, math.inf
    while True:
        here = boxes[box]
        if entry_of_box(here, origin, direction) < best:
            if here.child != NONE:
                box = here.child
                if entry_of_box(boxes[box + 1], origin, direction) < entry_of_box(boxes[box], origin, direction):
                    box += 1
                depth += 1
                trail &= ~(1 << depth)
                continue
            for k in range(here.first, here.last):
                t = tree.order[k]
                if t != start and dot(row(tree.normals, t), direction) > facing:
                    best = min(best, leaves_through(tree.corners[t], origin, direction))
        box, depth, trail = next_box(boxes, box, depth, trail)
        if depth == 0:
            return best


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
def leaves_through(triangle: Array, origin: Vector, direction: Vector) -> float:
    """How far along a ray of unit direction it leaves the solid through a triangle (3, 3), infinite if it does not.

    T. Moeller and B. Trumbore, Fast, minimum storage ray/triangle intersection, J. Graphics Tools 2 (1997).
    """
    p = row(triangle, 0)
    a, b = minus(row(triangle, 1), p), minus(row(triangle, 2), p)
    across = cross(direction, b)
    determinant = dot(a, across)
    if not determinant < 0.0:  # direction . (a x b) > 0
        return math.inf
    rest = minus(origin, p)
    turned = cross(rest, a)
    v, w = dot(rest, across) / determinant, dot(direction, turned) / determinant
    if v < -BORDER or w < -BORDER or v + w > 1.0 + BORDER:
        return math.inf
    way = dot(b, turned) / determinant
    return way if way >= 0.0 else math.inf
