"""Where two segments of plane curves cross.

A segment turns little, so that it is the graph of a function over its chord.  With y the height of a point of A over
segment b of B, in the direction of the chord of b, the crossings are the zeros of y(u) along a segment of A.  The cubic
that has values and slopes of y at both ends says where y may be extreme, and between two such places there is one zero
at most.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .curves import MOST_CROSSINGS
from .planes import Cubic, Pose, bend_at, cubic, place_of, slope

BEYOND = 1e-9  # of a segment, by which it counts as longer at both ends, so that no crossing is lost between two
MARGIN = 0.01  # of a chord, by which more of the other segment is looked at
LITTLE = 0.1  # of a height: what may not be missing from the extreme of it that decides on a crossing
MOST_REFINEMENTS = 5
MOST_NEWTON = 10
MOST_HALVINGS = 60
CLOSE = 1e-7  # a step of Newton's method after which the next one would be round-off
FACING = 0.1  # cosine: chords that point against each other by more than that face each other
WITHIN = 1e-6  # of a segment: places that are not so near to an end are on no other segment


class Graph(NamedTuple):
    """Two segments in the direction of the chord of the second one; along_x, along_y : the chord of the first."""

    ax: Cubic
    ay: Cubic
    bx: Cubic
    by: Cubic
    chord: float
    inverse_chord: float
    is_even: bool
    along_x: float
    along_y: float


@kernel(inline=True)
def graph_of(one: Record, other: Record, pose: Pose) -> Graph:
    """Two segments over the chord of the second."""
    along_x, along_y = other.along_x, other.along_y
    # the chord in the axes of A
    cos, sin = pose.cos * along_x + pose.sin * along_y, pose.cos * along_y - pose.sin * along_x
    dx, dy = pose.x - other.x[0], pose.y - other.y[0]
    shift_x, shift_y = dx * along_x + dy * along_y, dy * along_x - dx * along_y
    ax, ay, bx, by = one.x, one.y, other.over_x, other.over_y
    return Graph(
        (
            cos * ax[0] + sin * ay[0] + shift_x, cos * ax[1] + sin * ay[1], cos * ax[2] + sin * ay[2],
            cos * ax[3] + sin * ay[3],
        ),
        (
            cos * ay[0] - sin * ax[0] + shift_y, cos * ay[1] - sin * ax[1], cos * ay[2] - sin * ax[2],
            cos * ay[3] - sin * ax[3],
        ),
        (0.0, bx[1], bx[2], bx[3]),
        (0.0, by[1], by[2], by[3]),
        other.chord,
        other.inverse_chord,
        other.is_even == 1,
        one.chord * (cos * one.along_x + sin * one.along_y),
        one.chord * (cos * one.along_y - sin * one.along_x),
    )  # fmt: skip


@kernel(inline=True)
def height_over(graph: Graph, u: float) -> tuple[float, float, float]:
    """Height of a over b at u, about its derivative, and v below: to 1e-8 of a or better, as b turns little."""
    x = cubic(graph.ax, u)
    v = x * graph.inverse_chord
    inverse = 1.0 / slope(graph.bx, v)
    v -= (cubic(graph.bx, v) - x) * inverse
    if not graph.is_even:
        inverse = 1.0 / slope(graph.bx, v)
        v -= (cubic(graph.bx, v) - x) * inverse
    tilt = slope(graph.by, v) * inverse
    return cubic(graph.ay, u) - cubic(graph.by, v), slope(graph.ay, u) - tilt * slope(graph.ax, u), v


@kernel(inline=True)
def range_of(graph: Graph, one: Record, other: Record) -> tuple[float, float]:
    """The part of a that may lie over b: u of its ends, the first not below the second if there is none."""
    inverse = one.inverse_chord * one.inverse_chord
    along_x, along_y = graph.along_x * inverse, graph.along_y * inverse
    # where the corners of the box about b lie along the chord of a, from 0 to 1
    x, y, margin = graph.ax[0], graph.ay[0], MARGIN * graph.chord
    x1, x2 = (-margin - x) * along_x, (graph.chord + margin - x) * along_x
    y1, y2 = (other.low - margin - y) * along_y, (other.high + margin - y) * along_y
    low, high = min(x1, x2) + min(y1, y2), max(x1, x2) + max(y1, y2)
    first, last = -BEYOND, 1.0 + BEYOND
    if low >= last or high <= first:
        return 1.0, 0.0
    if low > first:
        first = where_along(one, low)
    if high < last:
        last = where_along(one, high)
    return first, last


@kernel(inline=True)
def where_along(segment: Record, part: float) -> float:
    """u at a part of the chord of a segment, about."""
    p = segment.over_x
    u = part - (cubic((0.0, p[1], p[2], p[3]), part) - part * segment.chord) / slope(p, part)
    # the margin is for what is left
    return min(max(u, -BEYOND), 1.0 + BEYOND)


@kernel(inline=True)
def extremes_between(left: float, slope_left: float, right: float, slope_right: float) -> tuple[float, float, float]:
    """Where the cubic with these values and slopes at 0 and 1 is extreme within; 2 in place of what there is not.

    Also the size of its second derivative where it is extreme.
    """
    rise = right - left
    quadratic, half = 3.0 * (slope_left + slope_right - 2.0 * rise), 3.0 * rise - 2.0 * slope_left - slope_right
    square = half * half - quadratic * slope_left
    if not square > 0.0:
        return 2.0, 2.0, 0.0
    root = math.sqrt(square)
    q = -(half + math.copysign(root, half))
    one = q / quadratic if quadratic != 0.0 else 2.0
    other = slope_left / q if q != 0.0 else 2.0
    one, other = (one if 0.0 < one < 1.0 else 2.0), (other if 0.0 < other < 1.0 else 2.0)
    return min(one, other), max(one, other), 2.0 * root


class Bound(NamedTuple):
    """An end of a range in which a height has a zero."""

    u: float
    height: float
    extreme: bool  # the height is extreme there


@kernel(inline=True)
def may_reach_zero(height: float, rate: float, bend: float, left: float, right: float) -> bool:
    """Whether a height near an extreme of it may yet have another sign at that than it has on both sides.

    bend : size of its second derivative there
    """
    same = (height > 0.0) == (left > 0.0) and (height > 0.0) == (right > 0.0)
    return bool(same and bend > 0.0 and 0.5 * rate * rate / bend > LITTLE * abs(height))


@kernel(inline=True)
def extreme_height(graph: Graph, u: float, bend: float, left: Bound, right: Bound) -> tuple[float, float]:
    """A place nearer to the extreme of the height near u, and the height there, where that may have another sign."""
    height, rate, _ = height_over(graph, u)
    for _ in range(MOST_REFINEMENTS):
        if not may_reach_zero(height, rate, bend, left.height, right.height):
            break
        u = min(max(u - rate / math.copysign(bend, height), left.u), right.u)
        height, rate, _ = height_over(graph, u)
    return u, height


@kernel
def cross_segments(scratch: Record, segment: Record, opposite: Record, i: int, j: int, pose: Pose, n: int) -> int:
    """Add the crossings of a segment, i of curve a, with one of b, j, to the n there are; their new number, or -1."""
    graph = graph_of(segment, opposite, pose)
    first, last = range_of(graph, segment, opposite)
    if first >= last:
        return n
    length = last - first
    begin, slope_begin, _ = height_over(graph, first)
    end, slope_end, _ = height_over(graph, last)
    left, behind = Bound(first, begin, False), Bound(last, end, False)
    if graph.along_x < 0.0 and segment.least_bend >= 0.0 and opposite.least_bend >= 0.0:
        # two that bend away from each other cross twice at most: once between ends in and out, never between ends in
        if (begin > 0.0) != (end > 0.0):
            guess = first + length * zero_of_parabola(begin, slope_begin * length, end)
            return add_crossing(scratch, n, i, j, graph, segment, opposite, pose, left, behind, guess)
        if begin > 0.0:
            return n
    if keeps_half(begin, slope_begin * length, end, slope_end * length):
        return n
    one, other, bend = extremes_between(begin, slope_begin * length, end, slope_end * length)
    for part in (one, other, 1.0):
        if part > 1.0:
            continue
        right = behind
        if part < 1.0:
            u, height = extreme_height(graph, first + part * length, bend / (length * length), left, behind)
            right = Bound(u, height, True)
        if (left.height > 0.0) != (right.height > 0.0):
            n = add_crossing(scratch, n, i, j, graph, segment, opposite, pose, left, right, guess_between(left, right))
            if n < 0:
                return -1
        left = right
    return n


@kernel(inline=True)
def keeps_half(begin: float, slope_begin: float, end: float, slope_end: float) -> bool:
    """Whether the cubic with these values and slopes at 0 and 1 keeps half of the lower one of two of one sign.

    It lies between its control points.
    """
    sign = 1.0 if begin > 0.0 else -1.0
    least = 0.5 * min(sign * begin, sign * end)
    inner = min(sign * (begin + slope_begin / 3.0), sign * (end - slope_end / 3.0))
    return bool(least > 0.0 and inner >= least)


@kernel(inline=True)
def add_crossing(
    scratch: Record, n: int, i: int, j: int, graph: Graph, segment: Record, opposite: Record, pose: Pose, left: Bound,
    right: Bound, guess: float,
) -> int:  # fmt: skip
    """Find the crossing between two places and write it behind the n there are; their new number, or -1."""
    if n >= MOST_CROSSINGS:
        return -1
    rises, found = right.height > left.height, False
    if face_each_other(graph, segment, opposite):
        u, v, found = crossing_of_lens(graph, rises)
    if not found:
        u, v = zero_between(graph, left, right, guess)
    if not (-BEYOND <= v <= 1.0 + BEYOND and -BEYOND <= u <= 1.0 + BEYOND):
        return n
    put_crossing(scratch.crossings[n], i, j, segment, pose, u, v, rises, found)
    return n + 1


@kernel(inline=True)
def put_crossing(
    crossing: Record, i: int, j: int, segment: Record, pose: Pose, u: float, v: float, rises: bool, of_lens: bool
) -> None:
    """Note a crossing at u of segment i of curve a, given, and v of segment j of b."""
    crossing.at_a, crossing.at_b = i + u, j + v
    crossing.enters, crossing.of_lens = 1 if rises else 0, 1 if of_lens else 0
    set_place(crossing, segment, pose, u)


@kernel(inline=True)
def zero_of_parabola(begin: float, slope_begin: float, end: float) -> float:
    """Where the parabola with these values at 0 and 1, one on either side of 0, and this slope at 0 is 0."""
    square = slope_begin * slope_begin - 4.0 * (end - begin - slope_begin) * begin
    return -2.0 * begin / (slope_begin + math.copysign(math.sqrt(max(square, 0.0)), end - begin))


@kernel(inline=True)
def guess_between(left: Bound, right: Bound) -> float:
    """About where the height is 0: of a straight line, or of a parabola where one end is its extreme."""
    part = left.height / (left.height - right.height)
    if left.extreme and not right.extreme:
        part = math.sqrt(part)
    elif right.extreme and not left.extreme:
        part = 1.0 - math.sqrt(1.0 - part)
    return left.u + part * (right.u - left.u)


@kernel(inline=True)
def by_newton(graph: Graph, u: float, v: float) -> tuple[float, float, float, bool]:
    """u and v of a crossing near others, by Newton's method; whether the height rises there (> 0), and whether it is
    found.
    """
    turn = 0.0
    for _ in range(MOST_NEWTON):
        du, dv, turn = step_to_crossing(graph, u, v)
        u, v = u + du, v + dv
        if abs(du) <= CLOSE:
            return u, v, turn, True
    return u, v, turn, False


@kernel(inline=True)
def step_to_crossing(graph: Graph, u: float, v: float) -> tuple[float, float, float]:
    """A step of Newton's method, by u and v, and how the height rises."""
    off_x, off_y = cubic(graph.ax, u) - cubic(graph.bx, v), cubic(graph.ay, u) - cubic(graph.by, v)
    ax, ay, bx, by = slope(graph.ax, u), slope(graph.ay, u), slope(graph.bx, v), slope(graph.by, v)
    turn = ay * bx - ax * by
    inverse = 1.0 / turn
    return (by * off_x - bx * off_y) * inverse, (ay * off_x - ax * off_y) * inverse, turn


@kernel(inline=True)
def face_each_other(graph: Graph, one: Record, other: Record) -> bool:
    """Whether two segments belong to convex runs with their solids on opposite sides, see `lenses`."""
    return bool(graph.along_x < -FACING * one.chord and one.run >= 0 and other.run >= 0)


@kernel(inline=True)
def crossing_of_lens(graph: Graph, rises: bool) -> tuple[float, float, bool]:
    """u and v where two segments that face each other cross, the height rising or falling there; and whether they do.

    False as well where that is near an end of either, or hard to find.
    """
    u, v = guess_of_lens(graph, rises)
    u, v, turn, converged = by_newton(graph, u, v)
    return u, v, bool(converged and is_certain(u, v, turn, rises))


@kernel(inline=True)
def is_certain(u: float, v: float, turn: float, rises: bool) -> bool:
    """Whether a crossing is on no other segments, and the height rises there (turn > 0) or falls as it should."""
    return bool(WITHIN < u < 1.0 - WITHIN and WITHIN < v < 1.0 - WITHIN and (turn > 0.0) == rises)


@kernel(inline=True)
def crossings_of_lens(entry: Graph, exit_: Graph) -> tuple[tuple[float, float, bool], tuple[float, float, bool]]:
    """`crossing_of_lens` of two graphs, the first rising and the second falling, in turns; not the one without the
    other.
    """
    u, v = guess_of_lens(entry, True)
    s, t = guess_of_lens(exit_, False)
    turn_in = turn_out = 0.0
    in_found = out_found = False
    for _ in range(MOST_NEWTON):
        if not in_found:
            du, dv, turn_in = step_to_crossing(entry, u, v)
            u, v, in_found = u + du, v + dv, abs(du) <= CLOSE
        if not out_found:
            ds, dt, turn_out = step_to_crossing(exit_, s, t)
            s, t, out_found = s + ds, t + dt, abs(ds) <= CLOSE
        if in_found and out_found:
            break
    in_found = in_found and is_certain(u, v, turn_in, True)
    return (u, v, in_found), (s, t, out_found and is_certain(s, t, turn_out, False))


@kernel(inline=True)
def guess_of_lens(graph: Graph, rises: bool) -> tuple[float, float]:
    """u and v about there: by the parabola that the height is near the middle of a."""
    x = cubic(graph.ax, 0.5)
    v = x * graph.inverse_chord
    inverse = 1.0 / slope(graph.bx, v)
    v -= (cubic(graph.bx, v) - x) * inverse
    tilt, along = slope(graph.by, v) * inverse, slope(graph.ax, 0.5)
    height, rate, speed = (
        cubic(graph.ay, 0.5) - cubic(graph.by, v),
        slope(graph.ay, 0.5) - tilt * along,
        along * inverse,
    )
    square = speed * speed
    bend = bend_at(graph.ay, 0.5) - square * bend_at(graph.by, v)
    bend -= tilt * (bend_at(graph.ax, 0.5) - square * bend_at(graph.bx, v))
    root = math.sqrt(max(rate * rate - 2.0 * bend * height, 0.0))
    root = root if rises else -root
    du = -2.0 * height / (rate + root) if (rate > 0.0) == rises and root != 0.0 else (root - rate) / bend
    u = min(max(0.5 + du, 0.0), 1.0)
    return u, v + speed * (u - 0.5)


@kernel(inline=True)
def zero_between(graph: Graph, left: Bound, right: Bound, guess: float) -> tuple[float, float]:
    """u and v of the crossing between two places; by Newton's method, or by halves where that leaves them."""
    u, v, _, converged = by_newton(graph, guess, cubic(graph.ax, guess) * graph.inverse_chord)
    if converged and left.u - BEYOND <= u <= right.u + BEYOND:
        return u, v
    low, high, rises = left.u, right.u, right.height > left.height
    for _ in range(MOST_HALVINGS):
        u = 0.5 * (low + high)
        height, _, v = height_over(graph, u)
        if (height > 0.0) == rises:
            high = u
        else:
            low = u
    return u, v


@kernel(inline=True)
def set_place(crossing: Record, segment: Record, pose: Pose, u: float) -> None:
    """Note where a crossing lies in the common plane."""
    x, y = place_of(segment, pose, u)
    crossing.x, crossing.y = x, y
