"""How far a plane curve is from another one, a circle or a straight line.

Pairs of boxes are left out whose distance, by the axes of both, is more than the least found so far.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .boxes import boxes_apart, push_children
from .crossings import find_crossings
from .curves import MOST_NODES, PlaneCurves
from .foot import ON_CIRCLE, Master, foot_of
from .pair import Pair
from .planes import AS_IT_IS, Point, Pose, here
from .round_and_straight import find_crossings_with

MOST_PASSES = 60
CLOSE = 1e-13  # of a segment


class Gap(NamedTuple):
    """Distance of two, and the points between which it is; -1 where they cross, or may not be searched."""

    distance: float
    on_a: Point
    on_b: Point


NONE = Gap(math.inf, (0.0, 0.0), (0.0, 0.0))
CROSSED = Gap(-1.0, (0.0, 0.0), (0.0, 0.0))


@kernel
def gap_of_pair(curves: PlaneCurves, pair: Pair) -> Gap:
    """The gap of two that may touch, in the common plane."""
    if pair.b < 0:
        if find_crossings_with(curves, pair.a, pair.other) != 0:
            return CROSSED
        return gap_from_master(curves, pair.a, pair.other)
    if find_crossings(curves, pair.a, pair.b, pair.pose) != 0:
        return CROSSED
    return gap_of_curves(curves, pair.a, pair.b, pair.pose)


@kernel
def gap_of_curves(curves: PlaneCurves, a: int, b: int, pose: Pose) -> Gap:
    """The gap of two curves that do not cross."""
    nodes, stack, found = curves.nodes, curves.scratch.stack, NONE
    stack[0, 0], stack[0, 1] = curves.curves[a].root, curves.curves[b].root
    height = 1
    while height > 0:
        height -= 1
        p, q = stack[height, 0], stack[height, 1]
        one, other = nodes[p], nodes[q]
        if boxes_apart(one, other, pose) >= found.distance:
            continue
        if one.segment >= 0 and other.segment >= 0:
            i, j = curves.curves[a].first + one.segment, curves.curves[b].first + other.segment
            here_found = gap_of_segments(curves, i, j, pose)
            if here_found.distance < found.distance:
                found = here_found
            continue
        height = push_children(nodes, stack, p, q, height)
        if height < 0:
            return CROSSED
    return found


@kernel
def gap_of_segments(curves: PlaneCurves, i: int, j: int, pose: Pose) -> Gap:
    """The gap of two segments, from their middles and from their ends."""
    found = NONE
    for start_u, start_v in ((0.5, 0.5), (0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
        u, v = start_u, start_v
        for _ in range(MOST_PASSES):
            p, q = here(curves.segments[i], pose, u), here(curves.segments[j], AS_IT_IS, v)
            dx, dy = p.x - q.x, p.y - q.y
            rise_u, rise_v = dx * p.dx + dy * p.dy, -(dx * q.dx + dy * q.dy)
            uu, vv = (
                p.dx * p.dx + p.dy * p.dy + dx * p.ex + dy * p.ey,
                q.dx * q.dx + q.dy * q.dy - dx * q.ex - dy * q.ey,
            )
            uv = -(p.dx * q.dx + p.dy * q.dy)
            held_u, held_v = (
                (u == 0.0 and rise_u > 0.0) or (u == 1.0 and rise_u < 0.0),
                (v == 0.0 and rise_v > 0.0) or (v == 1.0 and rise_v < 0.0),
            )
            if held_u and held_v:
                break
            if held_u or held_v or not uu * vv - uv * uv > 1e-12 * uu * vv or uu <= 0.0:
                du = 0.0 if held_u else -rise_u / max(uu, 0.2 * (p.dx * p.dx + p.dy * p.dy))
                dv = 0.0 if held_v or not held_u else -rise_v / max(vv, 0.2 * (q.dx * q.dx + q.dy * q.dy))
                if not held_u and not held_v:
                    dv = -rise_v / (2.0 * max(vv, 0.2 * (q.dx * q.dx + q.dy * q.dy)))
                    du *= 0.5
            else:
                inverse = 1.0 / (uu * vv - uv * uv)
                du, dv = (uv * rise_v - vv * rise_u) * inverse, (uv * rise_u - uu * rise_v) * inverse
            before_u, before_v = u, v
            u, v = min(max(u + du, 0.0), 1.0), min(max(v + dv, 0.0), 1.0)
            if abs(u - before_u) + abs(v - before_v) <= CLOSE:
                break
        p, q = here(curves.segments[i], pose, u), here(curves.segments[j], AS_IT_IS, v)
        distance = math.hypot(p.x - q.x, p.y - q.y)
        if distance < found.distance:
            found = Gap(distance, (p.x, p.y), (q.x, q.y))
    return found


@kernel
def gap_from_master(curves: PlaneCurves, a: int, other: Master) -> Gap:
    """The gap of a curve and a circle or line that it does not cross, in the axes of the curve."""
    nodes, stack, found = curves.nodes, curves.scratch.stack, NONE
    stack[0, 0] = curves.curves[a].root
    height = 1
    while height > 0:
        height -= 1
        p = stack[height, 0]
        box = nodes[p]
        if box_apart(box, other) >= found.distance:
            continue
        if box.segment >= 0:
            here_found = gap_of_segment(curves, curves.curves[a].first + box.segment, other)
            if here_found.distance < found.distance:
                found = here_found
            continue
        if height + 2 > MOST_NODES:
            return CROSSED
        stack[height, 0], stack[height + 1, 0] = p + 1, box.right
        height += 2
    return found


@kernel(inline=True)
def box_apart(box: Record, other: Master) -> float:
    """At least so far is a box from a circle or line."""
    dx, dy = box.x - other.x, box.y - other.y
    if other.kind == ON_CIRCLE:
        x = max(abs(dx * box.along_x + dy * box.along_y) - box.length, 0.0)
        y = max(abs(dx * box.along_y - dy * box.along_x) - box.height, 0.0)
        return math.sqrt(x * x + y * y) - other.size
    cos = abs(box.along_x * other.normal_x + box.along_y * other.normal_y)
    sin = abs(box.along_x * other.normal_y - box.along_y * other.normal_x)
    return dx * other.normal_x + dy * other.normal_y - (box.length * cos + box.height * sin)


@kernel
def gap_of_segment(curves: PlaneCurves, i: int, other: Master) -> Gap:
    """The gap of a segment and a circle or line: the depth of its points, which is negative, is extreme."""
    found = NONE
    for start in (0.5, 0.0, 1.0):
        u = start
        for _ in range(MOST_PASSES):
            at = here(curves.segments[i], AS_IT_IS, u)
            foot = foot_of(curves.segments, other, at.x, at.y, 0.0)
            side = at.dy * foot.normal_x - at.dx * foot.normal_y
            rise = -(at.dx * foot.normal_x + at.dy * foot.normal_y)
            bend = -(at.ex * foot.normal_x + at.ey * foot.normal_y)
            bend -= side * side * foot.curvature / (1.0 - foot.curvature * foot.depth)
            before = u
            step = -rise / bend if bend < 0.0 else math.copysign(0.25, rise)
            u = min(max(u + step, 0.0), 1.0)
            if abs(u - before) <= CLOSE:
                break
        at = here(curves.segments[i], AS_IT_IS, u)
        foot = foot_of(curves.segments, other, at.x, at.y, 0.0)
        if -foot.depth < found.distance:
            on_b = at.x + foot.depth * foot.normal_x, at.y + foot.depth * foot.normal_y
            found = Gap(-foot.depth, (at.x, at.y), on_b)
    return found
