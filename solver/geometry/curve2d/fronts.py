"""Pairs of boxes of two curves in which they may cross, kept from step to step: a cut through both trees.

A front has a clock that tells how far any part of curve A that may be in touch has moved since the front was made.
Boxes that are apart by some distance sleep until the clock has gone on by as much; those that overlap are looked at in
each step, or give way to their children, or rest while their crossings are known (`lenses`).  Those that may wake soon
stand before the rest, which is looked through now and then only.  After a way of a skin the front is made anew, from
the roots, so what is further away than that is left out.  So what is found does not depend on the steps before.
"""

from __future__ import annotations

import math

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .boxes import boxes_apart, opens_first
from .curves import MOST_PAIRS, PlaneCurves
from .planes import Pose

SKIN = 0.04  # of the radius of the smaller curve
SOON = 1 / 64  # of the skin
RESTS = math.inf  # in place of a time of waking
FRONTS_APART = 7919  # so that pairs have fronts of their own


@kernel(inline=True)
def front_of(curves: PlaneCurves, a: int, b: int, pose: Pose) -> Record:
    """The front of two curves, its clock at a pose of A in the axes of B."""
    front = curves.fronts[(FRONTS_APART * a + b) % len(curves.fronts)]
    if front.a != a or front.b != b:
        front.lenses = 0
        begin_front(curves, front, a, b, pose)
    elif not go_on(front, pose):
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
    front.count, front.soon, front.awake, front.least, front.far = 1, 1, 0, -1.0, -1.0
    put_pair(curves, front, 0, curves.curves[a].root, curves.curves[b].root)


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


@kernel
def wake_pairs(curves: PlaneCurves, front: Record, pose: Pose) -> None:
    """Let pairs of leaves whose boxes have come to overlap join those that are awake; other nodes are opened.

    Where the front is full, its count is -1 from now on.
    """
    if front.clock >= front.far:
        divide(front)
    now, least = front.clock, front.far
    k = front.awake
    while k < front.soon:
        left = time_left(front, k)
        if left > 0.0:
            least = min(least, now + left)
            k += 1
            continue
        one, other = curves.nodes[front.pairs[k, 0]], curves.nodes[front.pairs[k, 1]]
        if is_in_lens(front, one, other):
            front.wakes[k] = RESTS
            k += 1
            continue
        apart = boxes_apart(one, other, pose)
        if apart > front.skin - now:
            leave_out(front, k)
        elif apart > 0.0:
            sleep(front, k, apart)
            least = min(least, now + apart)
            k += 1
        elif one.segment >= 0 and other.segment >= 0:
            swap_pairs(front, k, front.awake)
            front.awake += 1
            k += 1
        elif not open_pair(curves, front, k):
            front.count = -1
            return
    front.least = least


@kernel(inline=True)
def time_left(front: Record, k: int) -> float:
    """How far the clock may go on before the k-th pair of a front wakes."""
    return front.wakes[k] - (front.way + front.turn * front.reaches[k])  # type: ignore[no-any-return]


@kernel(inline=True)
def divide(front: Record) -> None:
    """Put the pairs of a front that sleep but may wake soon before those that do not."""
    horizon = SOON * front.skin
    front.soon = front.awake
    for k in range(front.awake, front.count):
        if time_left(front, k) <= horizon:
            swap_pairs(front, k, front.soon)
            front.soon += 1
    front.far = front.clock + horizon


@kernel(inline=True)
def sleep(front: Record, k: int, apart: float) -> None:
    """Let the k-th pair of a front sleep until the clock has gone on by the distance that it is apart."""
    front.wakes[k] = front.way + front.turn * front.reaches[k] + apart


@kernel(inline=True)
def fall_asleep(front: Record, k: int, apart: float) -> None:
    """The same of one that is awake: the last of these takes its place."""
    sleep(front, k, apart)
    front.least = min(front.least, front.clock + apart)
    front.awake -= 1
    swap_pairs(front, k, front.awake)


@kernel(inline=True)
def is_in_lens(front: Record, one: Record, other: Record) -> bool:
    """Whether two boxes, of A and of B, hold parts of the runs of a lens: where these cross is known."""
    for k in range(front.lenses):
        lens = front.lens[k]
        if one.run == lens.run_a and other.run == lens.run_b:
            within_a = one.before >= lens.low_a and one.behind <= lens.high_a
            if within_a and other.before >= lens.low_b and other.behind <= lens.high_b:
                return True
    return False


@kernel(inline=True)
def rest(front: Record, k: int) -> None:
    """Let the k-th pair of a front, which is awake, rest: it is in a lens."""
    front.wakes[k] = RESTS
    front.awake -= 1
    swap_pairs(front, k, front.awake)


@kernel
def wake_rested(front: Record) -> None:
    """Let the pairs that rest be looked at again."""
    front.least = front.far = -1.0
    for k in range(front.awake, front.count):
        if front.wakes[k] == RESTS:
            front.wakes[k] = 0.0


@kernel(inline=True)
def leave_out(front: Record, k: int) -> None:
    """Leave out the k-th pair of a front, one of those that may wake soon: the last of these takes its place."""
    front.soon -= 1
    front.count -= 1
    copy_pair(front, front.soon, k)
    copy_pair(front, front.count, front.soon)


@kernel(inline=True)
def copy_pair(front: Record, k: int, m: int) -> None:
    """Let the k-th pair of a front stand as the m-th, too."""
    front.pairs[m, 0], front.pairs[m, 1] = front.pairs[k, 0], front.pairs[k, 1]
    front.wakes[m], front.reaches[m] = front.wakes[k], front.reaches[k]


@kernel(inline=True)
def swap_pairs(front: Record, k: int, m: int) -> None:
    """Let two pairs of a front change places."""
    p, q, wakes, reach = front.pairs[k, 0], front.pairs[k, 1], front.wakes[k], front.reaches[k]
    copy_pair(front, m, k)
    front.pairs[m, 0], front.pairs[m, 1], front.wakes[m], front.reaches[m] = p, q, wakes, reach


@kernel(inline=True)
def open_pair(curves: PlaneCurves, front: Record, k: int) -> bool:
    """Put the children of a node, each with the other one of the k-th pair, in place of it and behind those that may
    wake soon; False if the front is full.
    """
    n, p, q = front.soon, front.pairs[k, 0], front.pairs[k, 1]
    if front.count >= MOST_PAIRS:
        return False
    copy_pair(front, n, front.count)
    one, other = curves.nodes[p], curves.nodes[q]
    if opens_first(one, other):
        put_pair(curves, front, k, p + 1, q)
        put_pair(curves, front, n, one.right, q)
    else:
        put_pair(curves, front, k, p, q + 1)
        put_pair(curves, front, n, p, other.right)
    front.soon += 1
    front.count += 1
    return True


@kernel(inline=True)
def put_pair(curves: PlaneCurves, front: Record, k: int, p: int, q: int) -> None:
    """Make two nodes the k-th pair of a front, to be looked at; no part of it that may be in touch is out of reach."""
    box = curves.nodes[q]
    dx, dy = box.x - front.middle_x, box.y - front.middle_y
    reach = math.sqrt(dx * dx + dy * dy) + box.length + box.height + front.skin
    front.pairs[k, 0], front.pairs[k, 1], front.wakes[k], front.reaches[k] = p, q, 0.0, min(reach, front.radius)
