"""Contact of a plane curve with another one, a circle or a straight line: one point for each region of overlap.

A region is bounded by a part of either curve, between two crossings.  With its area A, its centroid c and its chord L,
the distance of the crossings, the point of contact is

    stability s > 0   where the depth z less the energy of a spring to c, s k/2 |x - c|^2, is largest, k = 12 A/L^3:
                      the relative curvature of two parabolas that have this area and this chord.  z is the depth there;
                      the normal is that of the greatest depth
    s = 0             c, with z = A/L and the normal of the chord

(Altair MotionSolve reference, Force_Contact, comment 9.)  The depth is that of a point of one curve in the other, from
the nearest point of that; of the curve with corners in the other one, where one of them has corners there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import plus, scaled
from ..contact_points import OUT_OF_CAPACITY, put_point
from .arcs import GAUSS, Arc, arc_of, last_of, row_of, sums_of
from .crossings import find_crossings
from .curves import PlaneCurves
from .deepest import Pull, find_deepest
from .foot import ON_CIRCLE, ON_CURVE, Master
from .planes import AS_IT_IS, Point, Pose
from .round_and_straight import TURN, find_crossings_with

GROWTH = 0.5  # of the chord with the depth: the power of z


class Plane(NamedTuple):
    """The common plane: where its axes are in space."""

    origin: Vector
    x: Vector
    y: Vector


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


LONGEST_PART = 0.5  # radians of a circle, to which Gauss's rule is exact but for round-off
NO_ARC = Arc(0, 1, 0, 0.0, 0.0)


@kernel
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
        if crossings[k].enters == 0:
            continue
        leaving = k + 1 if k + 1 < crossed else 0
        if crossings[leaving].next_b == k:
            n = put_region(curves, pair, plane, crossings[k], crossings[leaving], points, n)
    return n


@kernel
def put_region(
    curves: PlaneCurves, pair: Pair, plane: Plane, enters: Record, leaves: Record, points: Records, n: int
) -> int:
    """Write the contact point of the region between two crossings of A behind the n there are; their new number."""
    segments = curves.segments
    arc_a, arc_b = arc_of(curves.curves[pair.a], enters.at_a, leaves.at_a), NO_ARC
    if pair.b >= 0:
        arc_b = arc_of(curves.curves[pair.b], leaves.at_b, enters.at_b)
    area, moment_x, moment_y = sums_of(segments, arc_a, pair.pose, (enters.x, enters.y))
    more, more_x, more_y = 0.0, 0.0, 0.0
    if pair.b >= 0:
        more, more_x, more_y = sums_of(segments, arc_b, AS_IT_IS, (enters.x, enters.y))
    elif pair.other.kind == ON_CIRCLE:
        more, more_x, more_y = sums_of_circle(pair.other, leaves, enters)
    area += more
    dx, dy = leaves.x - enters.x, leaves.y - enters.y
    chord = math.sqrt(dx * dx + dy * dy)
    if not (area > 0.0 and chord > 0.0):
        return n
    middle_x, middle_y = enters.x + (moment_x + more_x) / area, enters.y + (moment_y + more_y) / area
    if pair.stability == 0.0:
        return put_in_space(plane, (middle_x, middle_y), (-dy / chord, dx / chord), area / chord, chord * pair.width,
                            points, n)  # fmt: skip
    pull = Pull(middle_x, middle_y, pair.stability * 12.0 * area / (chord * chord * chord))
    if pair.b >= 0 and has_corner(segments, arc_b) and not has_corner(segments, arc_a):
        master = Master(ON_CURVE, arc_a, pair.pose, 0.0, 0.0, 0.0, 0.0, 0.0)
        return put_deepest(segments, arc_b, AS_IT_IS, master, pull, plane, chord * pair.width, -1.0, points, n)
    other = pair.other
    master = Master(other.kind, arc_b, other.pose, other.x, other.y, other.size, other.normal_x, other.normal_y)
    return put_deepest(segments, arc_a, pair.pose, master, pull, plane, chord * pair.width, 1.0, points, n)


@kernel
def put_deepest(
    segments: Records, arc: Arc, pose: Pose, master: Master, pull: Pull, plane: Plane, size: float, sign: float,
    points: Records, n: int,
) -> int:  # fmt: skip
    """Write the point of an arc that lies deepest in a master behind the n there are; their new number.

    size : area of contact.  sign : 1 where the arc is that of curve A, -1 where it is the master
    """
    free = Pull(0.0, 0.0, 0.0)
    middle, opposite = 0.5 * (arc.begin + arc.end), 0.5 * (master.arc.begin + master.arc.end)
    deepest = find_deepest(segments, arc, pose, master, free, middle, opposite)
    normal_x, normal_y = deepest.foot.normal_x, deepest.foot.normal_y
    held = find_deepest(segments, arc, pose, master, pull, deepest.at, deepest.foot.at)
    depth = held.foot.depth
    place = held.x + 0.5 * depth * normal_x, held.y + 0.5 * depth * normal_y
    return put_in_space(plane, place, (sign * normal_x, sign * normal_y), depth, size, points, n)


@kernel(inline=True)
def put_in_space(
    plane: Plane, place: Point, normal: Point, depth: float, size: float, points: Records, n: int
) -> int:
    """Write a point of the plane; the normal is that of the force on curve A."""
    at = plus(plane.origin, plus(scaled(place[0], plane.x), scaled(place[1], plane.y)))
    push = plus(scaled(normal[0], plane.x), scaled(normal[1], plane.y))
    return put_point(points, n, at, push, depth, 1.0, size, GROWTH)


@kernel(inline=True)
def has_corner(segments: Records, arc: Arc) -> bool:
    """Whether a corner that sticks out lies on an arc."""
    for k in range(1, last_of(arc) + 1):
        if segments[row_of(arc, k)].corner > 0.0:
            return True
    return False


@kernel
def sums_of_circle(other: Master, begin: Record, end: Record) -> tuple[float, float, float]:
    """As `arcs.sums_of`, of the part of a circle from one crossing to another one, about the latter."""
    first, turn = TURN * begin.at_b, TURN * (end.at_b - begin.at_b)
    if turn < 0.0:
        turn += TURN
    x, y, radius = other.x - end.x, other.y - end.y, other.size
    area, moment_x, moment_y = 0.0, 0.0, 0.0
    parts = 1 + int(turn / LONGEST_PART)
    half = 0.5 * turn / parts
    for k in range(parts):
        for node, weight in GAUSS:
            angle = first + (2 * k + 1 + node) * half
            out_x, out_y = radius * math.cos(angle), radius * math.sin(angle)
            part = half * weight * ((x + out_x) * out_x + (y + out_y) * out_y)
            area, moment_x, moment_y = area + part, moment_x + (x + out_x) * part, moment_y + (y + out_y) * part
    return 0.5 * area, moment_x / 3.0, moment_y / 3.0
