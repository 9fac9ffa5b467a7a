"""Contact of a plane curve with another one, a circle or a straight line: the regions in which they overlap.

A region is bounded by a part of either, between two crossings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Records
from ...core.jit.kernels import kernel
from ..contact_points import OUT_OF_CAPACITY
from .arcs import Arc, Side, arc_of, sums_of
from .crossings import find_crossings
from .curves import PlaneCurves
from .foot import ON_CIRCLE, ON_CURVE, Master
from .lobes import sums_of_circle
from .planes import AS_IT_IS, Pose
from .region import Plane, Region, first_corner, put_faces, put_in_space, put_side
from .round_and_straight import find_crossings_with

NO_ARC = Arc(0, 1, 0, 0.0, 0.0)


class Pair(NamedTuple):
    """Two that may touch: curve a, and another curve, a circle or a line.

    pose : of curve a in the common plane, which is that of the other curve, or of a circle's or line's partner
    other : arc of the other curve without limits, or the circle or line
    b : the other curve, -1 without
    """

    a: int
    b: int
    pose: Pose
    other: Master
    width: float
    stability: float


@kernel(inline=True)
def find_regions(curves: PlaneCurves, pair: Pair, plane: Plane, points: Records) -> int:
    """Write a contact point for each region of overlap; their number, or OUT_OF_CAPACITY."""
    if pair.b >= 0:
        crossed = find_crossings(curves, pair.a, pair.b, pair.pose)
    else:
        crossed = find_crossings_with(curves, pair.a, pair.other)
    if crossed < 0:
        return OUT_OF_CAPACITY
    crossings, n = curves.scratch.crossings, 0
    for k in range(crossed):
        crossings[k].used = 0
    for k in range(crossed):
        if crossings[k].enters == 1 and crossings[k].used == 0:
            enters, leaves, pierced = loop_about(curves, k, crossed)
            if enters >= 0:
                n = put_region(curves, pair, plane, crossings[enters], crossings[leaves], pierced, points, n)
                if n < 0:
                    return OUT_OF_CAPACITY
    return n


@kernel(inline=True)
def loop_about(curves: PlaneCurves, k: int, crossed: int) -> tuple[int, int, bool]:
    """The two crossings that bound the region in which A is behind crossing k; -1 where an open curve ends in it.

    Where more than two are around it, parts of the curves come out on the far side: then the shortest are left out, and
    the third value is True.
    """
    crossings, loop = curves.scratch.crossings, curves.scratch.loop
    at, n = k, 0
    while n < crossed:
        leaving = at + 1 if at + 1 < crossed else 0
        crossings[at].used = 1
        loop[n], loop[n + 1] = at, leaving
        n, at = n + 2, crossings[leaving].next_b
        if at == k or at < 0 or crossings[at].enters == 0:
            break
    if at != k:
        return -1, -1, False
    pierced = n > 2
    while n > 2:
        shortest, least = 0, math.inf
        for m in range(n):
            one, other = crossings[loop[m]], crossings[loop[m + 1 if m + 1 < n else 0]]
            distance = math.hypot(other.x - one.x, other.y - one.y)
            if distance < least:
                shortest, least = m, distance
        if shortest + 1 < n:
            for m in range(shortest, n - 2):
                loop[m] = loop[m + 2]
        else:
            for m in range(n - 2):
                loop[m] = loop[m + 1]
        n -= 2
    if crossings[loop[0]].enters == 1:
        return loop[0], loop[1], pierced
    return loop[1], loop[0], pierced


@kernel(inline=True)
def put_region(
    curves: PlaneCurves, pair: Pair, plane: Plane, enters: Record, leaves: Record, pierced: bool, points: Records,
    n: int,
) -> int:  # fmt: skip
    """Write the points of the region between two crossings of A behind the n there are; their new number."""
    segments, other, origin = curves.segments, pair.other, (enters.x, enters.y)
    arc_a, arc_b = arc_of(curves.curves[pair.a], enters.at_a, leaves.at_a), NO_ARC
    area, moment_x, moment_y = sums_of(segments, arc_a, pair.pose, origin)
    more, more_x, more_y = 0.0, 0.0, 0.0
    if pair.b >= 0:
        arc_b = arc_of(curves.curves[pair.b], leaves.at_b, enters.at_b)
        more, more_x, more_y = sums_of(segments, arc_b, AS_IT_IS, origin)
    elif other.kind == ON_CIRCLE:
        more, more_x, more_y = sums_of_circle(other, (leaves.x, leaves.y), origin, origin)
    area += more
    dx, dy = leaves.x - enters.x, leaves.y - enters.y
    chord = math.sqrt(dx * dx + dy * dy)
    if not (area > 0.0 and chord > 0.0):
        return n
    x, y = enters.x + (moment_x + more_x) / area, enters.y + (moment_y + more_y) / area
    region = Region(area, x, y, chord, origin, pierced, pair.width, pair.stability)
    if pair.stability == 0.0:
        return put_in_space(plane, (x, y), (-dy / chord, dx / chord), area / chord, 1.0, chord * pair.width, points, n)
    side_a, side_b = Side(arc_a, pair.pose), Side(arc_b, AS_IT_IS)
    if pair.b >= 0 and first_corner(segments, arc_b) >= 0:
        if first_corner(segments, arc_a) >= 0:
            return put_faces(curves, side_a, side_b, region, plane, points, n)
        master = Master(ON_CURVE, arc_a, pair.pose, 0.0, 0.0, 0.0, 0.0, 0.0)
        return put_side(curves, side_b, master, region, plane, -1.0, points, n)
    master = Master(other.kind, arc_b, other.pose, other.x, other.y, other.size, other.normal_x, other.normal_y)
    return put_side(curves, side_a, master, region, plane, 1.0, points, n)
