"""Parts of a curve: their area and moments over a point, by Gauss's rule, which is exact for cubics."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Records
from ...core.jit.kernels import kernel
from .planes import AS_IT_IS, Point, Pose, cubic, moved_back, place_of, slope, turned

# Nodes (of -1 to 1) and weights of four points: exact up to the 7th power, that of a first moment of a cubic.
NODE_IN, NODE_OUT = math.sqrt(3 / 7 - 2 / 7 * math.sqrt(6 / 5)), math.sqrt(3 / 7 + 2 / 7 * math.sqrt(6 / 5))
WEIGHT_IN, WEIGHT_OUT = (18 + math.sqrt(30)) / 36, (18 - math.sqrt(30)) / 36
GAUSS = ((-NODE_OUT, WEIGHT_OUT), (-NODE_IN, WEIGHT_IN), (NODE_IN, WEIGHT_IN), (NODE_OUT, WEIGHT_OUT))


class Arc(NamedTuple):
    """Part of a curve, between two crossings.

    A place on it counts segments from `segment` on: its whole part says which, the rest is u.
    """

    first: int  # first segment of the curve, among all
    number: int  # of segments of the curve
    segment: int  # that in which it begins
    begin: float  # place, < 1
    end: float


class Side(NamedTuple):
    """The arc of one curve, and how the curve lies."""

    arc: Arc
    pose: Pose


@kernel(inline=True)
def arc_of(curve: Record, begin: float, end: float) -> Arc:
    """The arc between two crossings, given by segments and u of the curve."""
    segment = min(max(math.floor(begin), 0), curve.segments - 1)
    begin, end = begin - segment, end - segment
    if end < begin:
        end += curve.segments
    return Arc(curve.first, curve.segments, segment, begin, end)


@kernel(inline=True)
def part_of(arc: Arc, begin: float, end: float) -> Arc:
    """The part of an arc between two places."""
    k = math.floor(begin)
    segment = arc.segment + k
    if segment >= arc.number:
        segment -= arc.number
    return Arc(arc.first, arc.number, segment, begin - k, end - k)


@kernel(inline=True)
def row_of(arc: Arc, k: int) -> int:
    """Row of the k-th segment from the beginning of an arc on; k may be beyond its ends."""
    number = arc.segment + k
    if number >= arc.number:
        number -= arc.number
    elif number < 0:
        number += arc.number
    return arc.first + number


@kernel(inline=True)
def last_of(arc: Arc) -> int:
    """Number of the last segment of an arc, from 0."""
    return max(0, math.ceil(arc.end) - 1)


@kernel(inline=True)
def along(arc: Arc, at: float) -> tuple[int, float]:
    """Number of the segment of a place, and its u."""
    k = min(max(math.floor(at), 0), last_of(arc))
    return k, at - k


@kernel(inline=True)
def sums_of(segments: Records, arc: Arc, pose: Pose, origin: Point) -> tuple[float, float, float]:
    """Area between an arc and a point, seen from the point to the left of it > 0, and its first moments about it."""
    about_x, about_y = moved_back(pose, origin[0], origin[1])
    area, moment_x, moment_y = 0.0, 0.0, 0.0
    for k in range(last_of(arc) + 1):
        segment = segments[row_of(arc, k)]
        p, q = segment.x, segment.y
        a, b = (p[0] - about_x, p[1], p[2], p[3]), (q[0] - about_y, q[1], q[2], q[3])
        low, high = max(arc.begin, float(k)) - k, min(arc.end, k + 1.0) - k
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        for node, weight in GAUSS:
            u = middle + half * node
            x, y = cubic(a, u), cubic(b, u)
            part = half * weight * (x * slope(b, u) - y * slope(a, u))
            area, moment_x, moment_y = area + part, moment_x + x * part, moment_y + y * part
    x, y = turned(pose, moment_x, moment_y)
    return 0.5 * area, x / 3.0, y / 3.0


@kernel(inline=True)
def length_of(segments: Records, arc: Arc) -> float:
    """Length of an arc, from place to place along it."""
    k, u = along(arc, arc.begin)
    x, y = place_of(segments[row_of(arc, k)], AS_IT_IS, u)
    total = 0.0
    for number in range(k, last_of(arc) + 1):
        to_x, to_y = place_of(segments[row_of(arc, number)], AS_IT_IS, min(arc.end, number + 1.0) - number)
        total += math.hypot(to_x - x, to_y - y)
        x, y = to_x, to_y
    return total
