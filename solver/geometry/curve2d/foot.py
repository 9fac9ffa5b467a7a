"""How deep a point lies in a curve, a circle or below a straight line, and where the surface is nearest."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Records
from ...core.jit.kernels import kernel
from .arcs import Arc, row_of
from .planes import Here, Pose, here

ON_CURVE, ON_CIRCLE, ON_LINE = range(3)
MOST_PASSES = 30
QUADRATIC = 1e-7  # of a segment: a step of Newton's method after which the next one would be round-off
SMOOTH, BEYOND_FACE, IN_CORNER = range(3)
SHARP = 1e15  # curvature of a corner
BEFORE_END = 1.0 - 1e-12  # a place at a corner is on the face that it ends


class Master(NamedTuple):
    """What a point lies in: an arc of a curve, a circle, or a straight line.

    x, y : centre of the circle, or a point of the line
    size : radius; normal_x, normal_y : of the line, away from its solid
    """

    kind: int
    arc: Arc
    pose: Pose
    x: float
    y: float
    size: float
    normal_x: float
    normal_y: float


class Foot(NamedTuple):
    """The point of a master nearest to one that lies in it.

    depth : of the point in the master; normal : away from the master's solid; curvature : > 0 where that is convex
    at : place on the arc, to begin with at the next point
    """

    depth: float
    normal_x: float
    normal_y: float
    curvature: float
    at: float


@kernel(inline=True)
def foot_of(segments: Records, master: Master, x: float, y: float, start: float) -> Foot:
    """Foot of a point; start : place on the arc near to it."""
    if master.kind == ON_CURVE:
        return foot_on_curve(segments, master, x, y, start)
    dx, dy = x - master.x, y - master.y
    if master.kind == ON_LINE:
        depth = -(dx * master.normal_x + dy * master.normal_y)
        return Foot(depth, master.normal_x, master.normal_y, 0.0, 0.0)
    distance = math.sqrt(dx * dx + dy * dy)
    if not distance > 0.0:
        return Foot(master.size, 0.0, 1.0, 1.0 / master.size, 0.0)
    return Foot(master.size - distance, dx / distance, dy / distance, 1.0 / master.size, 0.0)


@kernel
def foot_on_curve(segments: Records, master: Master, x: float, y: float, start: float) -> Foot:
    """Foot on the face about the place of the start.

    Beyond a corner that sticks out the face goes on straight.  A corner that goes in is the foot of all points from
    which neither of its sides is seen at a right angle.
    """
    arc, pose = master.arc, master.pose
    k = math.floor(start)
    u = start - k
    at = here(segments[row_of(arc, k)], pose, u)
    kind = SMOOTH
    for _ in range(MOST_PASSES):
        across_x, across_y = at.x - x, at.y - y
        square = at.dx * at.dx + at.dy * at.dy
        rise = across_x * at.dx + across_y * at.dy
        bend = max(square + across_x * at.ex + across_y * at.ey, 0.2 * square)
        step = min(max(-rise / bend, -1.0), 1.0)
        before = u
        u += step
        if u < 0.0:
            corner = segments[row_of(arc, k)].corner
            side = here(segments[row_of(arc, k - 1)], pose, 1.0)
            if corner == 0.0 or (corner < 0.0 and (side.x - x) * side.dx + (side.y - y) * side.dy > 0.0):
                k, u, step = k - 1, max(u + 1.0, 0.0) if corner == 0.0 else 1.0, 1.0
            else:
                u = 0.0
                kind = (IN_CORNER if corner < 0.0 else BEYOND_FACE) if before == 0.0 else SMOOTH
        elif u > 1.0:
            corner = segments[row_of(arc, k + 1)].corner
            side = here(segments[row_of(arc, k + 1)], pose, 0.0)
            if corner == 0.0 or (corner < 0.0 and (side.x - x) * side.dx + (side.y - y) * side.dy < 0.0):
                k, u, step = k + 1, min(u - 1.0, 1.0) if corner == 0.0 else 0.0, 1.0
            else:
                u = 1.0
                kind = (IN_CORNER if corner < 0.0 else BEYOND_FACE) if before == 1.0 else SMOOTH
        at = here(segments[row_of(arc, k)], pose, u)
        if kind != SMOOTH or (abs(step) <= QUADRATIC and bend > 0.5 * square):
            break
    if kind == IN_CORNER:
        return seen_in_corner(at, x, y, k + min(u, BEFORE_END))
    return seen_from(at, x, y, kind == BEYOND_FACE, k + min(u, BEFORE_END))


@kernel(inline=True)
def seen_in_corner(at: Here, x: float, y: float, place: float) -> Foot:
    """The foot in a corner that goes in."""
    dx, dy = at.x - x, at.y - y
    distance = math.sqrt(dx * dx + dy * dy)
    if not distance > 0.0:
        return seen_from(at, x, y, True, place)
    return Foot(distance, dx / distance, dy / distance, -SHARP, place)


@kernel(inline=True)
def seen_from(at: Here, x: float, y: float, ended: bool, place: float) -> Foot:
    """The foot, of a point seen from its place; `ended`: on the straight line that goes on from there."""
    square = at.dx * at.dx + at.dy * at.dy
    length = math.sqrt(square)
    normal_x, normal_y = at.dy / length, -at.dx / length
    depth = (at.x - x) * normal_x + (at.y - y) * normal_y
    bend = 0.0 if ended else (at.dx * at.ey - at.dy * at.ex) / (square * length)
    return Foot(depth, normal_x, normal_y, bend, place)
