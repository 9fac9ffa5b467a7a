"""Pairs of boxes of two curves in which they may cross, kept from step to step: a cut through both trees.

A front has a clock that tells how far any part of curve A that may be in touch has moved since the front was made.
Boxes that are apart by some distance sleep until the clock has gone on by as much; those that overlap are looked at in
each step, or give way to their children.  After a way of a skin the front is made anew, from the roots, so what is
further away than that is left out.  So what is found does not depend on the steps before.
"""

from __future__ import annotations

import math

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .boxes import boxes_apart, opens_first
from .curves import MOST_PAIRS, PlaneCurves
from .planes import Pose

SKIN = 0.02  # of the radius of the smaller curve
FRONTS_APART = 7919  # so that pairs have fronts of their own


@kernel(inline=True)
def front_of(curves: PlaneCurves, a: int, b: int, pose: Pose) -> Record:
    """The front of two curves, its clock at a pose of A in the axes of B."""
    front = curves.fronts[(FRONTS_APART * a + b) % len(curves.fronts)]
    if front.a != a or front.b != b or not go_on(front, pose):
        begin_front(curves, front, a, b, pose)
    return front


@kernel
def begin_front(curves: PlaneCurves, front: Record, a: int, b: int, pose: Pose) -> None:
    """The pair of the roots, and a circle about all that may be in touch until the clock has gone on by the skin.

    What is in touch lies in the circles about both curves.
    """
    radius_a, radius_b = curves.curves[a].radius, curves.curves[b].radius
    skin = SKIN * min(radius_a, radius_b)
    front.a, front.b, front.skin = a, b, skin
    front.way = front.turn = front.clock = 0.0
    front.cos, front.sin, front.x, front.y = pose.cos, pose.sin, pose.x, pose.y
    front.first_x, front.first_y = pose.x, pose.y
    front.count, front.wakes[0] = 1, 0.0
    front.pairs[0, 0], front.pairs[0, 1] = curves.curves[a].root, curves.curves[b].root
    radius_a += skin  # wherever its centre goes meanwhile
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
    front.middle_x, front.middle_y, front.radius = x, y, radius + skin


@kernel(inline=True)
def go_on(front: Record, pose: Pose) -> bool:
    """Move the clock of a front on to a pose; False where that is further than the front goes."""
    cos = pose.cos * front.cos + pose.sin * front.sin
    sin = pose.cos * front.sin - pose.sin * front.cos
    dx, dy = front.middle_x - pose.x, front.middle_y - pose.y
    moved_x = front.middle_x - (cos * dx - sin * dy + front.x)
    moved_y = front.middle_y - (sin * dx + cos * dy + front.y)
    turn = math.sqrt((1.0 - cos) * (1.0 - cos) + sin * sin)
    front.way += math.sqrt(moved_x * moved_x + moved_y * moved_y)
    front.turn += turn
    front.clock = front.way + front.turn * front.radius
    front.cos, front.sin, front.x, front.y = pose.cos, pose.sin, pose.x, pose.y
    away_x, away_y = pose.x - front.first_x, pose.y - front.first_y
    return bool(front.clock <= front.skin and away_x * away_x + away_y * away_y <= front.skin * front.skin)


@kernel(inline=True)
def wakes(curves: PlaneCurves, front: Record, k: int, pose: Pose) -> bool:
    """Whether the boxes of the k-th pair of a front overlap; else when to look again is noted."""
    if front.wakes[k] > front.way + front.turn * front.reaches[k]:
        return False
    box = curves.nodes[front.pairs[k, 1]]
    apart = boxes_apart(curves.nodes[front.pairs[k, 0]], box, pose)
    if apart <= 0.0:
        return True
    if apart > front.skin - front.clock:
        front.wakes[k] = math.inf
        return False
    dx, dy = box.x - front.middle_x, box.y - front.middle_y
    reach = min(math.sqrt(dx * dx + dy * dy) + box.length + box.height + front.skin, front.radius)
    front.reaches[k], front.wakes[k] = reach, front.way + front.turn * reach + apart
    return False


@kernel(inline=True)
def leave_out(front: Record, k: int) -> None:
    """Let the last pair of a front take the place of the k-th."""
    front.count -= 1
    last = front.count
    front.pairs[k, 0], front.pairs[k, 1] = front.pairs[last, 0], front.pairs[last, 1]
    front.wakes[k], front.reaches[k] = front.wakes[last], front.reaches[last]


@kernel(inline=True)
def open_pair(curves: PlaneCurves, front: Record, k: int) -> bool:
    """Put the children of a node, each with the other one of the k-th pair, in place of it and last; False if full."""
    n, p, q = front.count, front.pairs[k, 0], front.pairs[k, 1]
    if n >= MOST_PAIRS:
        return False
    one, other = curves.nodes[p], curves.nodes[q]
    if opens_first(one, other):
        front.pairs[k, 0], front.pairs[k, 1], front.pairs[n, 0], front.pairs[n, 1] = p + 1, q, one.right, q
    else:
        front.pairs[k, 0], front.pairs[k, 1], front.pairs[n, 0], front.pairs[n, 1] = p, q + 1, p, other.right
    front.wakes[k] = front.wakes[n] = 0.0
    front.count = n + 1
    return True
