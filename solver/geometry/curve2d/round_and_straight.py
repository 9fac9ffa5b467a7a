"""Where a plane curve crosses a circle or a straight line."""

from __future__ import annotations

import math

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .crossings import put_in_order
from .curves import MOST_CROSSINGS, MOST_NODES, PlaneCurves
from .foot import ON_CIRCLE, Master
from .planes import AS_IT_IS, here
from .segment_crossings import (
    BEYOND,
    CLOSE,
    MOST_REFINEMENTS,
    Bound,
    extremes_between,
    guess_between,
    may_reach_zero,
    set_place,
)

TURN = 2.0 * math.pi
MOST_PASSES = 60
ROUND_OFF = 1e-15  # of a segment


@kernel(inline=True)
def may_cross(box: Record, other: Master) -> bool:
    """Whether the surface of a circle or line may pass through a box of the tree."""
    dx, dy = box.x - other.x, box.y - other.y
    if other.kind == ON_CIRCLE:
        x, y = abs(dx * box.along_x + dy * box.along_y), abs(dx * box.along_y - dy * box.along_x)
        near_x, near_y = max(x - box.length, 0.0), max(y - box.height, 0.0)
        far_x, far_y = x + box.length, y + box.height
        square = other.size * other.size
        return bool(near_x * near_x + near_y * near_y <= square <= far_x * far_x + far_y * far_y)
    cos = abs(box.along_x * other.normal_x + box.along_y * other.normal_y)
    sin = abs(box.along_x * other.normal_y - box.along_y * other.normal_x)
    return bool(abs(dx * other.normal_x + dy * other.normal_y) <= box.length * cos + box.height * sin)


@kernel
def find_crossings_with(curves: PlaneCurves, a: int, other: Master) -> int:
    """Write the crossings of curve a with a circle or line, in the axes of the curve, into the scratch.

    Returns their number, -1 beyond the capacity.
    """
    nodes, stack = curves.nodes, curves.scratch.stack
    stack[0, 0] = curves.curves[a].root
    height, n = 1, 0
    while height > 0:
        height -= 1
        p = stack[height, 0]
        box = nodes[p]
        if not may_cross(box, other):
            continue
        if box.segment >= 0:
            n = cross_segment(curves, a, box.segment, other, n)
            if n < 0:
                return -1
            continue
        if height + 2 > MOST_NODES:
            return -1
        stack[height, 0], stack[height + 1, 0] = p + 1, box.right
        height += 2
    return put_in_order(curves, n, curves.curves[a].segments, curves.curves[a].closed == 1, other.kind == ON_CIRCLE)


@kernel(inline=True)
def height_in(segment: Record, other: Master, u: float) -> tuple[float, float]:
    """What is 0 on a circle or line and rises into it, at a point of a segment, and its derivative by u.

    Of a circle r^2 - d^2 in place of the depth: of a straight segment that is a parabola, however long it is.
    """
    at = here(segment, AS_IT_IS, u)
    dx, dy = at.x - other.x, at.y - other.y
    if other.kind == ON_CIRCLE:
        return other.size * other.size - dx * dx - dy * dy, -2.0 * (dx * at.dx + dy * at.dy)
    return -(dx * other.normal_x + dy * other.normal_y), -(at.dx * other.normal_x + at.dy * other.normal_y)


@kernel(inline=True)
def extreme_height_in(
    segment: Record, other: Master, u: float, bend: float, left: Bound, right: Bound
) -> tuple[float, float]:
    """A place nearer to the extreme of the height near u, and the height there, where that may have another sign."""
    height, rate = height_in(segment, other, u)
    for _ in range(MOST_REFINEMENTS):
        if not may_reach_zero(height, rate, bend, left.height, right.height):
            break
        u = min(max(u - rate / math.copysign(bend, height), left.u), right.u)
        height, rate = height_in(segment, other, u)
    return u, height


@kernel
def cross_segment(curves: PlaneCurves, a: int, i: int, other: Master, n: int) -> int:
    """Add the crossings of segment i to the n there are; their new number, or -1."""
    segment = curves.segments[curves.curves[a].first + i]
    begin, slope_begin = height_in(segment, other, -BEYOND)
    end, slope_end = height_in(segment, other, 1.0 + BEYOND)
    one, two, bend = extremes_between(begin, slope_begin, end, slope_end)
    left, behind = Bound(-BEYOND, begin, False), Bound(1.0 + BEYOND, end, False)
    for part in (one, two, 1.0 + BEYOND):
        if part > 1.5:
            continue
        right = behind
        if part < 1.0:
            u, height = extreme_height_in(segment, other, part, bend, left, behind)
            right = Bound(u, height, True)
        if (left.height > 0.0) != (right.height > 0.0):
            if n >= MOST_CROSSINGS:
                return -1
            add_zero(curves, n, segment, other, left, right, i)
            n += 1
        left = right
    return n


@kernel(inline=True)
def add_zero(curves: PlaneCurves, n: int, segment: Record, other: Master, left: Bound, right: Bound, i: int) -> None:
    """Find the zero of the height between two places and write it as crossing n."""
    low, high, rises = left.u, right.u, right.height > left.height
    u = guess_between(left, right)
    for _ in range(MOST_PASSES):
        height, rate = height_in(segment, other, u)
        if (height > 0.0) == rises:
            high = u
        else:
            low = u
        before, close = u, CLOSE
        u -= height / rate
        if not low <= u <= high:
            u, close = 0.5 * (low + high), ROUND_OFF
        if abs(u - before) <= close:
            break
    crossing = curves.scratch.crossings[n]
    crossing.at_a, crossing.enters = i + u, 1 if rises else 0
    set_place(crossing, segment, AS_IT_IS, u)
    dx, dy = crossing.x - other.x, crossing.y - other.y
    if other.kind == ON_CIRCLE:
        crossing.at_b = math.atan2(dy, dx) / TURN
    else:  # its solid is on the left
        crossing.at_b = dy * other.normal_x - dx * other.normal_y
