"""Lenses: regions between two convex runs of curves that face each other, whose crossings are kept from step to step.

A convex run is a part of a curve that nowhere bends away from its solid.  Where two runs cross with their solids on
opposite sides, the parts of both that turn by no more than REACH_OF_LENS on either side are graphs over one direction,
and the height of A over B is a concave function along it: it rises through 0 once at most, and falls once.  So when the
two crossings are found anew, each between segments at hand, these parts have no others, wherever they have moved, and
no other pair of their segments need be looked at.  Where one is lost the pairs are looked at again.

A crossing comes from its two segments and the pose alone (`segment_crossings.crossing_of_lens`), also where it is found
by looking at all pairs: what is found does not depend on the steps before.
"""

from __future__ import annotations

import math

from ...core.bodies import Record
from ...core.jit.kernels import kernel
from .curves import MOST_LENSES, REACH_OF_LENS, PlaneCurves
from .fronts import wake_rested
from .planes import Point, Pose, turned
from .segment_crossings import crossings_of_lens, face_each_other, graph_of, put_crossing

FACING_EACH_OTHER = 0.75  # cosine of the angle between the directions in the middles, less what these may be off


@kernel(inline=True)
def cross_lenses(curves: PlaneCurves, front: Record, a: int, b: int, pose: Pose) -> int:
    """Write the crossings of all lenses of a front, and forget those that have lost one; how many crossings."""
    k = 0
    while k < front.lenses:
        lens = front.lens[k]
        x, y = turned(pose, lens.along_ax, lens.along_ay)
        facing = x * lens.along_bx + y * lens.along_by < -FACING_EACH_OTHER
        if facing and cross_lens(curves, lens, a, b, pose, 2 * k):
            k += 1
            continue
        front.lenses -= 1
        copy_lens(front.lens[front.lenses], lens)
        wake_rested(front)
    return 2 * k


@kernel(inline=True)
def cross_lens(curves: PlaneCurves, lens: Record, a: int, b: int, pose: Pose, n: int) -> bool:
    """Write where A enters B in a lens as crossing n, and where it leaves it behind that; False where either is not.

    Both at once: each is a chain of operations that wait for each other.
    """
    segments, first_a, first_b = curves.segments, curves.curves[a].first, curves.curves[b].first
    one, other = segments[first_a + lens.enters_a], segments[first_b + lens.enters_b]
    last_one, last_other = segments[first_a + lens.leaves_a], segments[first_b + lens.leaves_b]
    entry, exit_ = graph_of(one, other, pose), graph_of(last_one, last_other, pose)
    if not (face_each_other(entry, one, other) and face_each_other(exit_, last_one, last_other)):
        return False
    enters, leaves = crossings_of_lens(entry, exit_)
    if not (enters[2] and leaves[2]):
        return False
    crossings = curves.scratch.crossings
    put_crossing(crossings[n], lens.enters_a, lens.enters_b, one, pose, enters[0], enters[1], True, True)
    put_crossing(crossings[n + 1], lens.leaves_a, lens.leaves_b, last_one, pose, leaves[0], leaves[1], False, True)
    return True


@kernel
def note_lenses(curves: PlaneCurves, front: Record, a: int, b: int, first: int, end: int) -> None:
    """Keep the lenses between the crossings [first, end), which belong to none that is kept."""
    crossings = curves.scratch.crossings
    for m in range(first, end):
        for k in range(first, end):
            certain = crossings[m].of_lens == 1 and crossings[k].of_lens == 1
            if certain and front.lenses < MOST_LENSES and crossings[m].enters > crossings[k].enters:
                note_lens(curves, front, a, b, crossings[m], crossings[k])


@kernel(inline=True)
def note_lens(curves: PlaneCurves, front: Record, a: int, b: int, enters: Record, leaves: Record) -> None:
    """Keep the lens between two crossings, if they are on the same runs and near each other along these."""
    lens, first_a, first_b = front.lens[front.lenses], curves.curves[a].first, curves.curves[b].first
    lens.enters_a, lens.enters_b = math.floor(enters.at_a), math.floor(enters.at_b)
    lens.leaves_a, lens.leaves_b = math.floor(leaves.at_a), math.floor(leaves.at_b)
    one_a, other_a = curves.segments[first_a + lens.enters_a], curves.segments[first_a + lens.leaves_a]
    one_b, other_b = curves.segments[first_b + lens.enters_b], curves.segments[first_b + lens.leaves_b]
    if one_a.run != other_a.run or one_b.run != other_b.run:
        return
    lens.run_a, lens.run_b = one_a.run, one_b.run
    lens.low_a, lens.high_a = about(one_a, other_a)
    lens.low_b, lens.high_b = about(one_b, other_b)
    lens.along_ax, lens.along_ay = direction_at(one_a, 0.5 * (lens.low_a + lens.high_a))
    lens.along_bx, lens.along_by = direction_at(one_b, 0.5 * (lens.low_b + lens.high_b))
    within_a = is_within(one_a, lens.low_a, lens.high_a) and is_within(other_a, lens.low_a, lens.high_a)
    within_b = is_within(one_b, lens.low_b, lens.high_b) and is_within(other_b, lens.low_b, lens.high_b)
    if within_a and within_b:
        front.lenses += 1


@kernel(inline=True)
def direction_at(segment: Record, angle: float) -> Point:
    """Direction of a run where it has turned by an angle, from a segment of it; wrong by less than that turns."""
    turn = angle - 0.5 * (segment.before + segment.behind)
    cos, sin = math.cos(turn), math.sin(turn)
    return cos * segment.along_x - sin * segment.along_y, sin * segment.along_x + cos * segment.along_y


@kernel(inline=True)
def about(one: Record, other: Record) -> tuple[float, float]:
    """How far the part of a run about two of its segments reaches of which a lens tells: angles that it has turned."""
    middle = 0.5 * (min(one.before, other.before) + max(one.behind, other.behind))
    return middle - REACH_OF_LENS, middle + REACH_OF_LENS


@kernel(inline=True)
def is_within(segment: Record, low: float, high: float) -> bool:
    """Whether a segment of a run lies between two angles."""
    return bool(segment.before >= low and segment.behind <= high)


@kernel(inline=True)
def copy_lens(one: Record, other: Record) -> None:
    other.run_a, other.run_b = one.run_a, one.run_b
    other.low_a, other.high_a, other.low_b, other.high_b = one.low_a, one.high_a, one.low_b, one.high_b
    other.enters_a, other.enters_b = one.enters_a, one.enters_b
    other.leaves_a, other.leaves_b = one.leaves_a, one.leaves_b
    other.along_ax, other.along_ay, other.along_bx, other.along_by = (
        one.along_ax, one.along_ay, one.along_bx, one.along_by,
    )  # fmt: skip
