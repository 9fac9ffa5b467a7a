"""The point of an arc that lies deepest in a master, or that which a spring to a given point leaves of it.

Along the arc the depth z(u) less the energy of the spring, z - k/2 |x - c|^2, rises to its maximum and falls from there
on.  A corner that sticks out may be the maximum: there it rises before and falls behind.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Records
from ...core.jit.kernels import kernel
from .arcs import Arc, Side, along, last_of, row_of
from .foot import Foot, Master, foot_of
from .planes import Here, Point, Pose, here

MOST_PASSES = 80
MOST_NEWTON = 8  # of each of two searches
QUADRATIC = 1e-7  # of a segment: a step of Newton's method after which the next one would be round-off
CLOSE = 1e-13  # of a segment


class Pull(NamedTuple):
    """A spring to a point; its stiffness is that of the depth's own curvature."""

    x: float
    y: float
    stiffness: float


FREE = Pull(0.0, 0.0, 0.0)  # no spring


class Deepest(NamedTuple):
    """A point of an arc, its place there, and its foot on the master."""

    x: float
    y: float
    at: float
    foot: Foot


@kernel(inline=True)
def rise_of(at: Here, foot: Foot, pull: Pull) -> float:
    """Derivative by u of the depth less the energy of the spring."""
    spring = (at.x - pull.x) * at.dx + (at.y - pull.y) * at.dy
    return -(at.dx * foot.normal_x + at.dy * foot.normal_y) - pull.stiffness * spring


@kernel(inline=True)
def bend_of(at: Here, foot: Foot, pull: Pull) -> float:
    """Its second derivative."""
    side = at.dy * foot.normal_x - at.dx * foot.normal_y
    bend = -(at.ex * foot.normal_x + at.ey * foot.normal_y)
    bend -= side * side * foot.curvature / (1.0 - foot.curvature * foot.depth)
    spring = at.dx * at.dx + at.dy * at.dy + (at.x - pull.x) * at.ex + (at.y - pull.y) * at.ey
    return bend - pull.stiffness * spring


class Touch(NamedTuple):
    """Where two smooth arcs touch; found : by Newton's method, else nothing is known.

    x, y, depth : of the point of the arc that a spring leaves of the deepest one; normal : of the master at that
    """

    found: bool
    x: float
    y: float
    depth: float
    normal_x: float
    normal_y: float


NOT_FOUND = Touch(False, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel(inline=True)
def step_to_normal(p: Here, q: Here, pull: Pull, is_held: bool) -> Point:
    """A step of Newton's method, by u and v, to a normal of the master at q through p.

    There the tangents are parallel, but for the spring; without `is_held` there is none.
    """
    dx, dy = p.x - q.x, p.y - q.y
    square = q.dx * q.dx + q.dy * q.dy
    aside = dx * q.dx + dy * q.dy
    aside_u, aside_v = p.dx * q.dx + p.dy * q.dy, dx * q.ex + dy * q.ey - square
    twist = p.dx * q.dy - p.dy * q.dx
    twist_u, twist_v = p.ex * q.dy - p.ey * q.dx, p.dx * q.ey - p.dy * q.ex
    if is_held:
        length = math.sqrt(square)
        stiffness = pull.stiffness * length
        off_x, off_y = p.x - pull.x, p.y - pull.y
        rise = stiffness * (off_x * p.dx + off_y * p.dy)
        twist += rise
        twist_u += stiffness * (off_x * p.ex + off_y * p.ey + p.dx * p.dx + p.dy * p.dy)
        twist_v += rise * (q.dx * q.ex + q.dy * q.ey) / square
    inverse = 1.0 / (aside_u * twist_v - aside_v * twist_u)
    return (aside_v * twist - twist_v * aside) * inverse, (twist_u * aside - aside_u * twist) * inverse


@kernel(inline=True)
def find_smooth(segments: Records, side: Side, opposite: Side, pull: Pull) -> Touch:
    """Where a smooth arc lies deepest in a smooth master, and what a spring leaves of that."""
    arc, other = side.arc, opposite.arc
    place, on_master = 0.5 * (arc.begin + arc.end), 0.5 * (other.begin + other.end)
    normal_x = normal_y = 0.0
    is_held = False
    k, u = along(arc, place)
    m, v = along(other, on_master)
    for _ in range(2 * MOST_NEWTON):
        # which segments these are seldom changes, and to find that out takes longer than to see that it has not
        u, v = place - k, on_master - m
        if not 0.0 <= u < 1.0:
            k, u = along(arc, place)
        if not 0.0 <= v < 1.0:
            m, v = along(other, on_master)
        p, q = here(segments[row_of(arc, k)], side.pose, u), here(segments[row_of(other, m)], opposite.pose, v)
        du, dv = step_to_normal(p, q, pull, True) if is_held else step_to_normal(p, q, pull, False)
        if abs(du) + abs(dv) <= QUADRATIC:  # the rest by the first terms
            along_x, along_y = q.dx + q.ex * dv, q.dy + q.ey * dv
            inverse = 1.0 / math.sqrt(along_x * along_x + along_y * along_y)
            if is_held:
                x, y = p.x + du * p.dx, p.y + du * p.dy
                off_x, off_y = q.x + dv * q.dx - x, q.y + dv * q.dy - y
                return Touch(True, x, y, (off_x * along_y - off_y * along_x) * inverse, normal_x, normal_y)
            normal_x, normal_y = along_y * inverse, -along_x * inverse
            is_held = True
            du, dv = step_to_normal(p, q, pull, True)
        place, on_master = place + du, on_master + dv
        if not (arc.begin <= place <= arc.end and other.begin <= on_master <= other.end):
            return NOT_FOUND
    return NOT_FOUND


@kernel
def find_deepest(
    segments: Records, arc: Arc, pose: Pose, master: Master, pull: Pull, start: float, start_on_master: float
) -> Deepest:
    """Where the depth of an arc in a master, less the energy of a spring, is largest.

    start, start_on_master : places on both to begin with
    """
    low, high, place = arc.begin, arc.end, start
    k, u = along(arc, place)
    on_master = start_on_master
    at = here(segments[row_of(arc, k)], pose, u)
    foot = foot_of(segments, master, at.x, at.y, on_master)
    for _ in range(MOST_PASSES):
        rise, bend = rise_of(at, foot, pull), bend_of(at, foot, pull)
        if u == 0.0 and k > 0 and segments[row_of(arc, k)].corner != 0.0:
            before = here(segments[row_of(arc, k - 1)], pose, 1.0)
            rise_before = rise_of(before, foot, pull)
            if rise_before >= 0.0 >= rise:
                return Deepest(at.x, at.y, place, foot)
            if rise_before < 0.0:
                rise, bend = rise_before, bend_of(before, foot, pull)
        if rise > 0.0:
            low = place
        else:
            high = place
        target, close = place - rise / bend if bend < 0.0 else math.inf, QUADRATIC
        if not low < target < high:
            target, close = 0.5 * (low + high), CLOSE
        target = nearest_corner(segments, arc, place, target)
        change = abs(target - place)
        place = target
        k, u = along(arc, place)
        at = here(segments[row_of(arc, k)], pose, u)
        foot = foot_of(segments, master, at.x, at.y, foot.at)
        if change <= close or not high - low > CLOSE:
            break
    return Deepest(at.x, at.y, place, foot)


@kernel(inline=True)
def nearest_corner(segments: Records, arc: Arc, place: float, target: float) -> float:
    """The target, or the first corner on the way to it."""
    step = 1 if target > place else -1
    k = math.floor(place) + 1 if target > place else math.ceil(place) - 1
    while (k - target) * step < 0.0 and 0 < k <= last_of(arc):
        if segments[row_of(arc, k)].corner != 0.0:
            return float(k)
        k += step
    return target
