"""Where two plane curves cross: pairs of segments whose boxes overlap, and the crossings of each.

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
from .curves import MOST_CROSSINGS, MOST_NODES, MOST_PAIRS, PlaneCurves
from .planes import Pose, moved, place_of, turned

SKIN = 0.003  # of the radius of the smaller curve
THIN = 0.5  # of the skin: how thick two boxes of a front are together
FRONTS_APART = 7919  # so that pairs have fronts of their own
BEYOND = 1e-9  # of a segment, by which it counts as longer at both ends, so that no crossing is lost between two
SAME = 1e-7  # of a segment of A
MARGIN = 0.01  # of a chord, by which more of the other segment is looked at
LITTLE = 0.1  # of a height: what may not be missing from the extreme of it that decides on a crossing
MOST_REFINEMENTS = 5
MOST_NEWTON = 10
MOST_HALVINGS = 60
CLOSE = 1e-7  # a step of Newton's method after which the next one would be round-off


@kernel(inline=True)
def boxes_overlap(a: Record, b: Record, pose: Pose, skin: float) -> bool:
    """Whether a box of curve A and one of curve B may be nearer to each other than a skin, by the axes of both."""
    x, y = moved(pose, a.x, a.y)
    dx, dy = x - b.x, y - b.y
    ux, uy = turned(pose, a.along_x, a.along_y)
    cos, sin = abs(ux * b.along_x + uy * b.along_y), abs(ux * b.along_y - uy * b.along_x)
    if abs(dx * b.along_x + dy * b.along_y) > b.length + a.length * cos + a.height * sin + skin:
        return False
    if abs(dx * b.along_y - dy * b.along_x) > b.height + a.length * sin + a.height * cos + skin:
        return False
    if abs(dx * ux + dy * uy) > a.length + b.length * cos + b.height * sin + skin:
        return False
    return bool(abs(dx * uy - dy * ux) <= a.height + b.length * sin + b.height * cos + skin)


@kernel
def find_crossings(curves: PlaneCurves, a: int, b: int, pose: Pose) -> int:
    """Write the crossings of curves a and b into the scratch; their number, -1 beyond the capacity.

    pose : of a in the axes of b

    They are those of A in its order, entering and leaving B in turn.
    """
    front = curves.fronts[(FRONTS_APART * a + b) % len(curves.fronts)]
    if not is_valid(curves, front, a, b, pose):
        build_front(curves, front, a, b, pose)
    n = 0
    if front.count < 0:
        n = descend(curves, a, b, curves.curves[a].root, curves.curves[b].root, pose, n)
    for k in range(front.count):
        n = descend(curves, a, b, int(front.pairs[k, 0]), int(front.pairs[k, 1]), pose, n)
        if n < 0:
            return -1
    if n < 0:
        return -1
    return put_in_order(
        curves, n, curves.curves[a].segments, curves.curves[a].closed == 1, curves.curves[b].closed == 1
    )


@kernel
def descend(curves: PlaneCurves, a: int, b: int, p: int, q: int, pose: Pose, n: int) -> int:
    """Add the crossings of what is below node p of curve a with what is below q of b to the n there are; or -1."""
    nodes, stack = curves.nodes, curves.scratch.stack
    stack[0, 0], stack[0, 1] = p, q
    height = 1
    while height > 0:
        height -= 1
        p, q = stack[height, 0], stack[height, 1]
        one, other = nodes[p], nodes[q]
        if not boxes_overlap(one, other, pose, 0.0):
            continue
        if one.segment >= 0 and other.segment >= 0:
            n = cross_segments(curves, a, b, one.segment, other.segment, pose, n)
            if n < 0:
                return -1
            continue
        height = push_children(curves, p, q, height)
        if height < 0:
            return -1
    return n


@kernel(inline=True)
def push_children(curves: PlaneCurves, p: int, q: int, height: int) -> int:
    """Put the children of the larger of two nodes, each with the other one, on the stack; its new height, or -1."""
    one, other, stack = curves.nodes[p], curves.nodes[q], curves.scratch.stack
    if height + 2 > MOST_NODES:
        return -1
    larger = one.length + one.height > other.length + other.height
    if other.segment >= 0 or (one.segment < 0 and larger):
        stack[height, 0], stack[height, 1] = p + 1, q
        stack[height + 1, 0], stack[height + 1, 1] = one.right, q
    else:
        stack[height, 0], stack[height, 1] = p, q + 1
        stack[height + 1, 0], stack[height + 1, 1] = p, other.right
    return height + 2


# ---- the pairs of boxes to begin with: kept while nothing has moved far, without influence on what is found ---------


@kernel
def build_front(curves: PlaneCurves, front: Record, a: int, b: int, pose: Pose) -> None:
    """Note the pairs of nodes, not much thicker than the skin, below which there is all that is nearer than that."""
    nodes, stack = curves.nodes, curves.scratch.stack
    skin = skin_of(curves, a, b)
    front.a, front.b, front.count = a, b, 0
    front.cos, front.sin, front.x, front.y = pose.cos, pose.sin, pose.x, pose.y
    stack[0, 0], stack[0, 1] = curves.curves[a].root, curves.curves[b].root
    height = 1
    while height > 0:
        height -= 1
        p, q = stack[height, 0], stack[height, 1]
        one, other = nodes[p], nodes[q]
        if not boxes_overlap(one, other, pose, skin):
            continue
        if (one.segment >= 0 and other.segment >= 0) or one.height + other.height <= THIN * skin:
            if front.count >= MOST_PAIRS:
                front.count = -1
                return
            front.pairs[front.count, 0], front.pairs[front.count, 1] = p, q
            front.count += 1
            continue
        height = push_children(curves, p, q, height)
        if height < 0:
            front.count = -1
            return


@kernel(inline=True)
def skin_of(curves: PlaneCurves, a: int, b: int) -> float:
    return SKIN * min(curves.curves[a].radius, curves.curves[b].radius)


@kernel
def is_valid(curves: PlaneCurves, front: Record, a: int, b: int, pose: Pose) -> bool:
    """Whether a front is of these curves, and no part of A that may be in touch has moved further than the skin.

    What is in touch lies in the circles about both curves.
    """
    if front.a != a or front.b != b:
        return False
    radius_a, radius_b = curves.curves[a].radius, curves.curves[b].radius
    x, y, radius = 0.0, 0.0, radius_b
    if radius_a < radius_b:
        x, y, radius = pose.x, pose.y, radius_a
    square = pose.x * pose.x + pose.y * pose.y
    part = 0.5 * (square + radius_b * radius_b - radius_a * radius_a)
    if 0.0 < part < square:  # the chord in which the circles cross lies between their centres
        part /= square
        height = radius_b * radius_b - part * part * square
        if height < radius * radius:
            x, y, radius = part * pose.x, part * pose.y, math.sqrt(max(height, 0.0))
    cos = pose.cos * front.cos + pose.sin * front.sin
    sin = pose.cos * front.sin - pose.sin * front.cos
    dx, dy = x - pose.x, y - pose.y
    moved_x, moved_y = x - (cos * dx - sin * dy + front.x), y - (sin * dx + cos * dy + front.y)
    turn = math.sqrt((1.0 - cos) * (1.0 - cos) + sin * sin)
    return bool(math.sqrt(moved_x * moved_x + moved_y * moved_y) + turn * radius <= skin_of(curves, a, b))


class Graph(NamedTuple):
    """Two segments in the direction of the chord of the second one: powers of u and of v."""

    ax: tuple[float, float, float, float]
    ay: tuple[float, float, float, float]
    bx: tuple[float, float, float, float]
    by: tuple[float, float, float, float]
    chord: float


@kernel(inline=True)
def cubic(p: tuple[float, float, float, float], u: float) -> float:
    return ((p[3] * u + p[2]) * u + p[1]) * u + p[0]


@kernel(inline=True)
def slope(p: tuple[float, float, float, float], u: float) -> float:
    return (3.0 * p[3] * u + 2.0 * p[2]) * u + p[1]


@kernel(inline=True)
def graph_of(one: Record, other: Record, pose: Pose) -> Graph:
    """Two segments over the chord of the second."""
    x0, y0 = other.x[0], other.y[0]
    along_x, along_y = other.x[1] + other.x[2] + other.x[3], other.y[1] + other.y[2] + other.y[3]
    chord = math.sqrt(along_x * along_x + along_y * along_y)
    along_x, along_y = along_x / chord, along_y / chord
    # the chord in the axes of A
    cos, sin = pose.cos * along_x + pose.sin * along_y, pose.cos * along_y - pose.sin * along_x
    dx, dy = pose.x - x0, pose.y - y0
    shift_x, shift_y = dx * along_x + dy * along_y, dy * along_x - dx * along_y
    ax, ay, bx, by = one.x, one.y, other.x, other.y
    return Graph(
        (
            cos * ax[0] + sin * ay[0] + shift_x, cos * ax[1] + sin * ay[1], cos * ax[2] + sin * ay[2],
            cos * ax[3] + sin * ay[3],
        ),
        (
            cos * ay[0] - sin * ax[0] + shift_y, cos * ay[1] - sin * ax[1], cos * ay[2] - sin * ax[2],
            cos * ay[3] - sin * ax[3],
        ),
        (
            0.0, along_x * bx[1] + along_y * by[1], along_x * bx[2] + along_y * by[2],
            along_x * bx[3] + along_y * by[3],
        ),
        (
            0.0, along_x * by[1] - along_y * bx[1], along_x * by[2] - along_y * bx[2],
            along_x * by[3] - along_y * bx[3],
        ),
        chord,
    )  # fmt: skip


@kernel(inline=True)
def height_over(graph: Graph, u: float) -> tuple[float, float, float]:
    """Height of a over b at u, its derivative, and v below: to a part of 1e-8 or better, as b turns little."""
    x = cubic(graph.ax, u)
    v = x / graph.chord
    for _ in range(2):
        v -= (cubic(graph.bx, v) - x) / slope(graph.bx, v)
    tilt = slope(graph.by, v) / slope(graph.bx, v)
    return cubic(graph.ay, u) - cubic(graph.by, v), slope(graph.ay, u) - tilt * slope(graph.ax, u), v


@kernel(inline=True)
def range_of(graph: Graph) -> tuple[float, float]:
    """The part of a that may lie over b: u of its ends, the first not below the second if there is none."""
    ax, ay = graph.ax, graph.ay
    along_x, along_y = ax[1] + ax[2] + ax[3], ay[1] + ay[2] + ay[3]
    square = along_x * along_x + along_y * along_y
    # where the corners of the box about b lie along the chord of a, from 0 to 1
    low_y = min(0.0, graph.by[1] / 3.0, (2.0 * graph.by[1] + graph.by[2]) / 3.0)
    high_y = max(0.0, graph.by[1] / 3.0, (2.0 * graph.by[1] + graph.by[2]) / 3.0)
    margin = MARGIN * graph.chord
    x1, x2 = (-margin - ax[0]) * along_x / square, (graph.chord + margin - ax[0]) * along_x / square
    y1, y2 = (low_y - margin - ay[0]) * along_y / square, (high_y + margin - ay[0]) * along_y / square
    low, high = min(x1, x2) + min(y1, y2), max(x1, x2) + max(y1, y2)
    first, last = -BEYOND, 1.0 + BEYOND
    if low >= last or high <= first:
        return 1.0, 0.0
    if low > first:
        first = where_along(graph, low, along_x / square, along_y / square)
    if high < last:
        last = where_along(graph, high, along_x / square, along_y / square)
    return first, last


@kernel(inline=True)
def where_along(graph: Graph, part: float, along_x: float, along_y: float) -> float:
    """u at a part of the chord of a."""
    p1 = graph.ax[1] * along_x + graph.ay[1] * along_y
    p2 = graph.ax[2] * along_x + graph.ay[2] * along_y
    p3 = graph.ax[3] * along_x + graph.ay[3] * along_y
    u = part
    u -= (((p3 * u + p2) * u + p1) * u - part) / ((3.0 * p3 * u + 2.0 * p2) * u + p1)  # the margin is for what is left
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
def cross_segments(curves: PlaneCurves, a: int, b: int, i: int, j: int, pose: Pose, n: int) -> int:
    """Add the crossings of segment i of curve a with segment j of b to the n there are; their new number, or -1."""
    curve_a, curve_b = curves.curves[a], curves.curves[b]
    segment = curves.segments[curve_a.first + i]
    graph = graph_of(segment, curves.segments[curve_b.first + j], pose)
    first, last = range_of(graph)
    if first >= last:
        return n
    length = last - first
    begin, slope_begin, _ = height_over(graph, first)
    end, slope_end, _ = height_over(graph, last)
    one, other, bend = extremes_between(begin, slope_begin * length, end, slope_end * length)
    left, behind = Bound(first, begin, False), Bound(last, end, False)
    for part in (one, other, 1.0):
        if part > 1.0:
            continue
        right = behind
        if part < 1.0:
            u, height = extreme_height(graph, first + part * length, bend / (length * length), left, behind)
            right = Bound(u, height, True)
        if (left.height > 0.0) != (right.height > 0.0):
            if n >= MOST_CROSSINGS:
                return -1
            u, v = zero_between(graph, left, right)
            if -BEYOND <= v <= 1.0 + BEYOND and -BEYOND <= u <= 1.0 + BEYOND:
                crossing = curves.scratch.crossings[n]
                crossing.at_a, crossing.at_b = i + u, j + v
                crossing.enters = 1 if right.height > left.height else 0
                set_place(crossing, segment, pose, u)
                n += 1
        left = right
    return n


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
def zero_between(graph: Graph, left: Bound, right: Bound) -> tuple[float, float]:
    """u and v of the crossing between two places; by Newton's method, or by halves where that leaves them."""
    u = guess_between(left, right)
    v = cubic(graph.ax, u) / graph.chord
    for _ in range(MOST_NEWTON):
        off_x, off_y = cubic(graph.ax, u) - cubic(graph.bx, v), cubic(graph.ay, u) - cubic(graph.by, v)
        ax, ay, bx, by = slope(graph.ax, u), slope(graph.ay, u), slope(graph.bx, v), slope(graph.by, v)
        inverse = 1.0 / (ay * bx - ax * by)
        du, dv = (by * off_x - bx * off_y) * inverse, (ay * off_x - ax * off_y) * inverse
        u, v = u + du, v + dv
        if abs(du) <= CLOSE and left.u - BEYOND <= u <= right.u + BEYOND:
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


@kernel
def put_in_order(curves: PlaneCurves, n: int, segments: int, closed_a: bool, closed_b: bool) -> int:
    """Sort n crossings along A, let entering and leaving take turns, and link them along B; their number.

    segments : of A

    A crossing near a joint may be found on both sides of it, and beside a corner of B there may be two that are none,
    within SAME of each other: of equal ones one is kept, of one that enters and one that leaves none.
    """
    crossings = curves.scratch.crossings
    for k in range(n):
        if closed_a and crossings[k].at_a < 0.0:
            crossings[k].at_a += segments
        elif closed_a and crossings[k].at_a >= segments:
            crossings[k].at_a -= segments
    for k in range(1, n):
        m = k
        while m > 0 and crossings[m].at_a < crossings[m - 1].at_a:
            swap(crossings[m], crossings[m - 1])
            m -= 1
    kept = 0
    for k in range(n):
        if kept > 0 and is_same(crossings[k], crossings[kept - 1], 0.0):
            if crossings[k].enters != crossings[kept - 1].enters:
                kept -= 1
            continue
        if (kept > 0 and crossings[k].enters == crossings[kept - 1].enters) or (
            not closed_a and kept == 0 and crossings[k].enters == 0
        ):
            continue  # lost in round-off, or an end of an open curve within B
        if k != kept:
            copy(crossings[k], crossings[kept])
        kept += 1
    if closed_a and kept > 1 and is_same(crossings[0], crossings[kept - 1], float(segments)):
        if crossings[0].enters != crossings[kept - 1].enters:
            for k in range(1, kept - 1):
                copy(crossings[k], crossings[k - 1])
            kept -= 1
        kept -= 1
    if kept % 2 == 1:
        kept -= 1
    for k in range(kept):
        link(curves, k, kept, closed_b)
    return kept


@kernel(inline=True)
def is_same(crossing: Record, before: Record, turn: float) -> bool:
    """Whether two crossings are at one place; turn : how many segments lie between that are none."""
    return bool(abs(crossing.at_a + turn - before.at_a) < SAME)


@kernel(inline=True)
def link(curves: PlaneCurves, k: int, n: int, closed_b: bool) -> None:
    """Note the crossing that follows the k-th along B; -1 where an open B ends before the next."""
    crossings = curves.scratch.crossings
    at, nearest, lowest = crossings[k].at_b, -1, -1
    for m in range(n):
        if crossings[m].at_b > at and (nearest < 0 or crossings[m].at_b < crossings[nearest].at_b):
            nearest = m
        if lowest < 0 or crossings[m].at_b < crossings[lowest].at_b:
            lowest = m
    crossings[k].next_b = nearest if nearest >= 0 else (lowest if closed_b else -1)


@kernel(inline=True)
def copy(one: Record, other: Record) -> None:
    other.at_a, other.at_b, other.enters, other.x, other.y = one.at_a, one.at_b, one.enters, one.x, one.y


@kernel(inline=True)
def swap(one: Record, other: Record) -> None:
    at_a, at_b, enters, x, y = one.at_a, one.at_b, one.enters, one.x, one.y
    copy(other, one)
    other.at_a, other.at_b, other.enters, other.x, other.y = at_a, at_b, enters, x, y
