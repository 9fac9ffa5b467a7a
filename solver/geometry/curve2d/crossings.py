"""Where two plane curves cross: pairs of segments whose boxes overlap, and the crossings of each."""

from __future__ import annotations

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .boxes import boxes_apart, push_children
from .curves import PlaneCurves
from .fronts import fall_asleep, front_of, is_in_lens, rest, wake_pairs
from .lenses import cross_lenses, note_lenses
from .planes import Pose
from .segment_crossings import cross_segments

SAME = 1e-7  # of a segment of A


@kernel(inline=True)
def find_crossings(curves: PlaneCurves, a: int, b: int, pose: Pose) -> int:
    """Write the crossings of curves a and b into the scratch; their number, -1 beyond the capacity.

    pose : of a in the axes of b

    They are those of A in its order, entering and leaving B in turn.
    """
    front = front_of(curves, a, b, pose)
    n = search_front(curves, front, a, b, pose) if front.count >= 0 else -1
    if front.count < 0:
        n = descend(curves, a, b, pose)
    if n < 0:
        return -1
    return put_in_order(
        curves, n, curves.curves[a].segments, curves.curves[a].closed == 1, curves.curves[b].closed == 1
    )


@kernel(inline=True)
def search_front(curves: PlaneCurves, front: Record, a: int, b: int, pose: Pose) -> int:
    """Write all crossings, which lie below the pairs of a front; their number, or -1.

    Where the front is full, its count is -1 from now on.
    """
    n = known = cross_lenses(curves, front, a, b, pose)
    if front.clock >= front.least:
        wake_pairs(curves, front, pose)
        if front.count < 0:
            return -1
    nodes, first_a, first_b = curves.nodes, curves.curves[a].first, curves.curves[b].first
    k = 0
    while k < front.awake:
        one, other = nodes[front.pairs[k, 0]], nodes[front.pairs[k, 1]]
        if is_in_lens(front, one, other):
            rest(front, k)
            continue
        apart = boxes_apart(one, other, pose)
        if apart > 0.0:
            fall_asleep(front, k, apart)
            continue
        i, j = one.segment, other.segment
        n = cross_segments(curves.scratch, curves.segments[first_a + i], curves.segments[first_b + j], i, j, pose, n)
        if n < 0:
            return -1
        k += 1
    if n > known:
        note_lenses(curves, front, a, b, known, n)
    return n


@kernel
def descend(curves: PlaneCurves, a: int, b: int, pose: Pose) -> int:
    """Write all crossings, from the roots of both trees on; their number, or -1."""
    nodes, stack = curves.nodes, curves.scratch.stack
    first_a, first_b = curves.curves[a].first, curves.curves[b].first
    stack[0, 0], stack[0, 1] = curves.curves[a].root, curves.curves[b].root
    height, n = 1, 0
    while height > 0:
        height -= 1
        p, q = stack[height, 0], stack[height, 1]
        one, other = nodes[p], nodes[q]
        if boxes_apart(one, other, pose) > 0.0:
            continue
        if one.segment >= 0 and other.segment >= 0:
            i, j = one.segment, other.segment
            segment, opposite = curves.segments[first_a + i], curves.segments[first_b + j]
            n = cross_segments(curves.scratch, segment, opposite, i, j, pose, n)
            if n < 0:
                return -1
            continue
        height = push_children(nodes, stack, p, q, height)
        if height < 0:
            return -1
    return n


@kernel(inline=True)
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
        while m > 0 and comes_before(crossings[m], crossings[m - 1]):
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
def comes_before(one: Record, other: Record) -> bool:
    """Along A; of equal ones, that also the order is the same whenever they are found, along B."""
    if one.at_a != other.at_a:
        return bool(one.at_a < other.at_a)
    return bool(one.at_b < other.at_b)


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
