"""The point of an arc that lies deepest in a master, or that which a spring to a given point leaves of it.

Along the arc the depth z(u) less the energy of the spring, z - k/2 |x - c|^2, rises to its maximum and falls from there
on.  A corner that sticks out may be the maximum: there it rises before and falls behind.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Records
from ...core.jit.kernels import kernel
from .arcs import Arc, along, last_of, row_of
from .foot import Foot, Master, foot_of, seen_from
from .planes import Here, Pose, here, place_of

MOST_PASSES = 80
MOST_NEWTON = 8
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


@kernel(inline=True)
def common_normal(
    segments: Records, arc: Arc, pose: Pose, master: Master, pull: Pull, start: float, start_on_master: float
) -> tuple[bool, float, float]:
    """Places of both arcs, smooth ones, where that is so, by Newton's method; False where it does not find them.

    With p on the arc and q on the master, p - q is at right angles to the master, and the tangents are parallel but for
    the spring.
    """
    other = master.arc
    place, on_master = start, start_on_master
    for _ in range(MOST_NEWTON):
        k, u = along(arc, place)
        m, v = along(other, on_master)
        p, q = here(segments[row_of(arc, k)], pose, u), here(segments[row_of(other, m)], master.pose, v)
        dx, dy = p.x - q.x, p.y - q.y
        square = q.dx * q.dx + q.dy * q.dy
        length = math.sqrt(square)
        off_x, off_y = pull.stiffness * length * (p.x - pull.x), pull.stiffness * length * (p.y - pull.y)
        aside = dx * q.dx + dy * q.dy
        twist = p.dx * q.dy - p.dy * q.dx + off_x * p.dx + off_y * p.dy
        aside_u, aside_v = p.dx * q.dx + p.dy * q.dy, dx * q.ex + dy * q.ey - square
        twist_u = p.ex * q.dy - p.ey * q.dx + off_x * p.ex + off_y * p.ey
        twist_u += pull.stiffness * length * (p.dx * p.dx + p.dy * p.dy)
        twist_v = p.dx * q.ey - p.dy * q.ex
        twist_v += (off_x * p.dx + off_y * p.dy) * (q.dx * q.ex + q.dy * q.ey) / square
        inverse = 1.0 / (aside_u * twist_v - aside_v * twist_u)
        du = (aside_v * twist - twist_v * aside) * inverse
        dv = (twist_u * aside - aside_u * twist) * inverse
        place, on_master = place + du, on_master + dv
        if not (arc.begin <= place <= arc.end and other.begin <= on_master <= other.end):
            return False, start, start_on_master
        if abs(du) + abs(dv) <= QUADRATIC:
            return True, place, on_master
    return False, start, start_on_master


@kernel
def find_smooth(
    segments: Records, arc: Arc, pose: Pose, master: Master, pull: Pull, start: float, start_on_master: float
) -> Deepest:
    """`find_deepest` of an arc without corners on a smooth curve."""
    found, place, on_master = common_normal(segments, arc, pose, master, pull, start, start_on_master)
    if not found:
        return find_deepest(segments, arc, pose, master, pull, start, start_on_master)
    k, u = along(arc, place)
    m, v = along(master.arc, on_master)
    x, y = place_of(segments[row_of(arc, k)], pose, u)
    foot = seen_from(here(segments[row_of(master.arc, m)], master.pose, v), x, y, False, on_master)
    return Deepest(x, y, place, foot)


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
