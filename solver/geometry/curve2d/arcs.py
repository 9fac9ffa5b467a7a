"""Parts of a curve: their area and moments over a point, in closed form."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Records
from ...core.jit.kernels import kernel
from .planes import AS_IT_IS, Cubic, Point, Pose, bend_at, cubic, moved_back, place_of, slope, turned


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
        low, high = max(arc.begin, float(k)) - k, min(arc.end, k + 1.0) - k
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        part, part_x, part_y = sums_of_cubics(
            about_middle(segment.x, about_x, middle, half), about_middle(segment.y, about_y, middle, half)
        )
        area, moment_x, moment_y = area + part, moment_x + part_x, moment_y + part_y
    x, y = turned(pose, moment_x, moment_y)
    return area, (2 / 3) * x, (2 / 3) * y


@kernel(inline=True)
def about_middle(p: Floats, origin: float, middle: float, half: float) -> Cubic:
    """A cubic less its origin, by powers of s = (u - middle)/half."""
    square = half * half
    return cubic(p, middle) - origin, slope(p, middle) * half, 0.5 * bend_at(p, middle) * square, p[3] * square * half


@kernel(inline=True)
def sums_of_cubics(x: Cubic, y: Cubic) -> tuple[float, float, float]:
    """Integrals of f, x f and y f for s from -1 to 1, each by 2, f = x y' - y x' = even + odd powers of s."""
    odd_0, odd_1 = 2.0 * (x[0] * y[2] - x[2] * y[0]), 2.0 * (x[1] * y[3] - x[3] * y[1])
    even_0, even_2 = x[0] * y[1] - x[1] * y[0], x[2] * y[3] - x[3] * y[2]
    even_1 = 3.0 * (x[0] * y[3] - x[3] * y[0]) + (x[1] * y[2] - x[2] * y[1])
    of_0, of_2 = even_0 + 1 / 3 * even_1 + 1 / 5 * even_2, 1 / 3 * even_0 + 1 / 5 * even_1 + 1 / 7 * even_2
    of_1, of_3 = 1 / 3 * odd_0 + 1 / 5 * odd_1, 1 / 5 * odd_0 + 1 / 7 * odd_1
    moment_x = (x[0] * of_0 + x[2] * of_2) + (x[1] * of_1 + x[3] * of_3)
    return of_0, moment_x, (y[0] * of_0 + y[2] * of_2) + (y[1] * of_1 + y[3] * of_3)


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
