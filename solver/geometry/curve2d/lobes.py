"""Regions that are wide in several places: a contact point for each lobe, between necks.

Where the depth along an arc has several maxima, the region has necks between them, the minima.  Two lobes of depths
z_1 >= z_2 with a neck of depth s between them push as two regions do where s = 0, and as one where s = z_2: the weights
of the two are together 2 - (s/z_2)^1.5, that of the higher 1 and that of the lower the rest, but that equal lobes are
alike.  So the force is continuous where regions merge, and where a lobe vanishes in another one.

A lobe is held by a spring to the centroid of its own part of the region, and of as much of the others as it is one with
them.
"""

from __future__ import annotations

import math

from ...core.bodies import Records
from ...core.jit.kernels import kernel
from .arcs import Arc, along, last_of, length_of, part_of, row_of, sums_of
from .curves import MOST_LOBES, PlaneCurves
from .deepest import FREE, Pull, find_deepest, rise_of
from .foot import BEFORE_END, ON_CIRCLE, ON_CURVE, Foot, Master, foot_of
from .planes import Point, Pose, here, place_of

# Nodes (of -1 to 1) and weights of Gauss's rule of four points
NODE_IN, NODE_OUT = math.sqrt(3 / 7 - 2 / 7 * math.sqrt(6 / 5)), math.sqrt(3 / 7 + 2 / 7 * math.sqrt(6 / 5))
WEIGHT_IN, WEIGHT_OUT = (18 + math.sqrt(30)) / 36, (18 - math.sqrt(30)) / 36
GAUSS = ((-NODE_OUT, WEIGHT_OUT), (-NODE_IN, WEIGHT_IN), (NODE_IN, WEIGHT_IN), (NODE_OUT, WEIGHT_OUT))
LONGEST_PART = 0.5  # radians of a circle, to which Gauss's rule is exact but for round-off
MOST_TURN = math.radians(100.0)  # of corners, with which an arc does not come back
SAMPLES = 4  # parts of a segment, or of the arc by each segment, at whose ends the slope of the depth is looked at
HALVINGS = 48


@kernel(inline=True)
def has_one_lobe(segments: Records, arc: Arc, master: Master) -> bool:
    """Whether the depth along an arc has one maximum alone: the relative curvature is nowhere negative.

    Corners may turn it back to where it came from.
    """
    turn = 0.0
    for k in range(1, last_of(arc) + 1):
        turn += segments[row_of(arc, k)].corner
    return turn < MOST_TURN and least_bend(segments, arc) + least_bend_of(segments, master) >= 0.0


@kernel(inline=True)
def least_bend_of(segments: Records, master: Master) -> float:
    """Least curvature of a master."""
    if master.kind == ON_CURVE:
        return least_bend(segments, master.arc)
    return 1.0 / master.size if master.kind == ON_CIRCLE else 0.0


@kernel(inline=True)
def least_bend(segments: Records, arc: Arc) -> float:
    """Least curvature of an arc; that of a corner that goes in is none."""
    least = segments[row_of(arc, 0)].least_bend
    for k in range(1, last_of(arc) + 1):
        segment = segments[row_of(arc, k)]
        least = min(least, segment.least_bend if segment.corner >= 0.0 else -math.inf)
    return least


@kernel
def count_lobes(curves: PlaneCurves, arc: Arc, pose: Pose, master: Master) -> int:
    """Note between which places the lobes of an arc in a master have their maxima and necks; their number.

    -1 beyond the capacity
    """
    segments, lobes = curves.segments, curves.scratch.lobes
    first = first_foot(segments, arc, pose, master)
    last, on_master, hollow = last_of(arc), first.at, least_bend_of(segments, master)
    spacing = length_of(segments, arc) / (SAMPLES * (last + 2 + last_of(master.arc)))
    low, rising, n = arc.begin, True, 0
    lobes[0].neck_low = lobes[0].neck_high = arc.begin
    for k in range(last + 1):
        start, end, parts = max(arc.begin, float(k)), min(arc.end, k + 1.0), 1
        if segments[row_of(arc, k)].least_bend + hollow < 0.0:
            parts = SAMPLES + int(length_of(segments, part_of(arc, start, end)) / spacing)
        behind = 1 if k < last and segments[row_of(arc, k + 1)].corner != 0.0 else 0
        for sample in range(1, parts + 1 + behind):  # a corner once more, from its other side
            place = start + (end - start) * sample / parts if sample < parts else end
            number, u = (k, place - k) if sample <= parts else (k + 1, 0.0)
            if place >= arc.end:
                break
            at = here(segments[row_of(arc, number)], pose, u)
            foot = foot_of(segments, master, at.x, at.y, on_master)
            rise, on_master = rise_of(at, foot, FREE), foot.at
            if rising != (rise > 0.0):
                if rising:
                    lobes[n].low, lobes[n].high, lobes[n].on_master = low, place, on_master
                    n += 1
                    if n >= MOST_LOBES:
                        return -1
                else:
                    lobes[n].neck_low, lobes[n].neck_high, lobes[n].on_neck = low, place, on_master
                rising = not rising
            low = place
    if rising:
        lobes[n].low, lobes[n].high, lobes[n].on_master = low, arc.end, on_master
        n += 1
    return n


@kernel(inline=True)
def first_foot(segments: Records, arc: Arc, pose: Pose, master: Master) -> Foot:
    """Foot of the beginning of an arc: it is the end of the master's, also where that is a corner."""
    k, u = along(arc, arc.begin)
    x, y = place_of(segments[row_of(arc, k)], pose, u)
    return foot_of(segments, master, x, y, min(master.arc.end, last_of(master.arc) + BEFORE_END))


@kernel
def find_lobes(curves: PlaneCurves, n: int, arc: Arc, pose: Pose, master: Master) -> None:
    """Find the maxima of the n lobes noted, and the necks between which they lie."""
    segments, lobes = curves.segments, curves.scratch.lobes
    for k in range(n):
        lobe, shift = lobes[k], math.floor(lobes[k].low)
        deepest = find_deepest(
            segments, part_of(arc, lobe.low, lobe.high), pose, master, FREE, 0.5 * (lobe.low + lobe.high) - shift,
            lobe.on_master,
        )  # fmt: skip
        lobe.place, lobe.depth, lobe.on_master = deepest.at + shift, deepest.foot.depth, deepest.foot.at
        lobe.normal_x, lobe.normal_y = deepest.foot.normal_x, deepest.foot.normal_y
        lobe.weight, lobe.neck, lobe.begin, lobe.end = 1.0, 0.0, arc.begin, arc.end
        if k > 0:
            lobe.begin = lowest_between(segments, arc, pose, master, lobe.neck_low, lobe.neck_high, lobe.on_neck)
            lobes[k - 1].end = lobe.begin


@kernel
def lowest_between(
    segments: Records, arc: Arc, pose: Pose, master: Master, low: float, high: float, on_master: float
) -> float:
    """Place of the neck between two places, behind the first of which the depth falls, and before the second rises."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        k, u = along(arc, middle)
        at = here(segments[row_of(arc, k)], pose, u)
        foot = foot_of(segments, master, at.x, at.y, on_master)
        if rise_of(at, foot, FREE) > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


# ---- weights -----------------------------------------------------------------------------------------------------


@kernel
def weigh_lobes(curves: PlaneCurves, n: int) -> None:
    """Set the weights of n lobes, whose necks are known: those of the highest necks first, each ends a lobe.

    `neck` of a lobe becomes how much it is one with that before it, from 0 to 1.
    """
    lobes = curves.scratch.lobes
    for k in range(n):
        lobes[k].highest = k
        lobes[k].merged = 0
    for _ in range(n - 1):
        chosen = 0
        for k in range(1, n):
            if lobes[k].merged == 0 and (chosen == 0 or lobes[k].neck > lobes[chosen].neck):
                chosen = k
        before, behind = lobes[chosen - 1].highest, lobes[chosen].highest
        high, low = (before, behind) if lobes[before].depth >= lobes[behind].depth else (behind, before)
        neck = lobes[chosen].neck
        one = joined_by(neck, lobes[low].depth)
        above_high, above_low = max(lobes[high].depth - neck, 0.0), max(lobes[low].depth - neck, 0.0)
        share = above_high / (above_high + above_low) if above_high + above_low > 0.0 else 0.5
        lobes[low].weight -= share * one
        lobes[high].weight -= (1.0 - share) * one
        first, last = chosen - 1, chosen
        while first > 0 and lobes[first].merged == 1:
            first -= 1
        while last + 1 < n and lobes[last + 1].merged == 1:
            last += 1
        for k in range(first, last + 1):
            lobes[k].highest = high
        lobes[chosen].merged, lobes[chosen].neck = 1, one
    for k in range(n):
        lobes[k].weight = max(lobes[k].weight, 0.0)


@kernel(inline=True)
def joined_by(neck: float, depth: float) -> float:
    """How much a lobe is one with another one: (s/z)^1.5."""
    part = min(max(neck / depth, 0.0), 1.0) if depth > 0.0 else 1.0
    return part * math.sqrt(part)


# ---- the spring of each --------------------------------------------------------------------------------------------


@kernel
def measure_lobes(curves: PlaneCurves, n: int, arc: Arc, pose: Pose, master: Master, origin: Point) -> None:
    """Area, moments about a point and chord of each lobe, and the depths of necks."""
    segments, lobes = curves.segments, curves.scratch.lobes
    number, u = along(arc, arc.begin)
    begin = foot_begin = place_of(segments[row_of(arc, number)], pose, u)
    on_master = master.arc.end
    for k in range(n):
        lobe = lobes[k]
        number, u = along(arc, lobe.end)
        end = place_of(segments[row_of(arc, number)], pose, u)
        foot = foot_of(segments, master, end[0], end[1], lobe.on_master)
        foot_end = end[0] + foot.depth * foot.normal_x, end[1] + foot.depth * foot.normal_y
        part = part_of(arc, lobe.begin, lobe.end)
        area, moment_x, moment_y = sums_of(segments, part, pose, origin)
        last = k + 1 == n
        back = sums_on_master(segments, master, master.arc.begin if last else foot.at, on_master, foot_end, foot_begin,
                              origin)  # fmt: skip
        across, aback = sums_of_line(end, foot_end, origin), sums_of_line(foot_begin, begin, origin)
        lobe.area = area + back[0] + across[0] + aback[0]
        lobe.moment_x = moment_x + back[1] + across[1] + aback[1]
        lobe.moment_y = moment_y + back[2] + across[2] + aback[2]
        lobe.chord = math.hypot(end[0] - begin[0], end[1] - begin[1])
        if not last:
            lobes[k + 1].neck = max(foot.depth, 0.0)
        begin, foot_begin, on_master = end, foot_end, foot.at


@kernel(inline=True)
def sums_of_line(one: Point, other: Point, origin: Point) -> tuple[float, float, float]:
    """As `arcs.sums_of`, of a straight line."""
    x, y, to_x, to_y = one[0] - origin[0], one[1] - origin[1], other[0] - origin[0], other[1] - origin[1]
    twice = x * to_y - y * to_x
    return 0.5 * twice, twice * (x + to_x) / 6.0, twice * (y + to_y) / 6.0


@kernel
def sums_on_master(
    segments: Records, master: Master, begin: float, end: float, one: Point, other: Point, origin: Point
) -> tuple[float, float, float]:
    """As `arcs.sums_of`, of a master from one point to another one; begin, end : their places on an arc."""
    if master.kind == ON_CURVE:
        return sums_of(segments, part_of(master.arc, begin, max(begin, end)), master.pose, origin)
    if master.kind == ON_CIRCLE:
        return sums_of_circle(master, one, other, origin)
    return sums_of_line(one, other, origin)


@kernel
def sums_of_circle(circle: Master, one: Point, other: Point, origin: Point) -> tuple[float, float, float]:
    """As `arcs.sums_of`, of the part of a circle between two points of it."""
    first = math.atan2(one[1] - circle.y, one[0] - circle.x)
    turn = math.atan2(other[1] - circle.y, other[0] - circle.x) - first
    if turn < 0.0:
        turn += 2.0 * math.pi
    x, y, radius = circle.x - origin[0], circle.y - origin[1], circle.size
    area, moment_x, moment_y = 0.0, 0.0, 0.0
    parts = 1 + int(turn / LONGEST_PART)
    half = 0.5 * turn / parts
    for k in range(parts):
        for node, weight in GAUSS:
            angle = first + (2 * k + 1 + node) * half
            out_x, out_y = radius * math.cos(angle), radius * math.sin(angle)
            part = half * weight * ((x + out_x) * out_x + (y + out_y) * out_y)
            area, moment_x, moment_y = area + part, moment_x + (x + out_x) * part, moment_y + (y + out_y) * part
    return 0.5 * area, moment_x / 3.0, moment_y / 3.0


@kernel
def pull_on(curves: PlaneCurves, n: int, k: int, origin: Point, chord: float, stability: float) -> Pull:
    """The spring that holds the k-th of n lobes; chord : of the whole region."""
    lobes = curves.scratch.lobes
    area, moment_x, moment_y, nearest = lobes[k].area, lobes[k].moment_x, lobes[k].moment_y, 0.0
    for way in (-1, 1):
        one, m = 1.0, k
        while 0 <= m + way < n:
            one *= lobes[m if way < 0 else m + 1].neck
            m += way
            area, nearest = area + one * lobes[m].area, max(nearest, one)
            moment_x, moment_y = moment_x + one * lobes[m].moment_x, moment_y + one * lobes[m].moment_y
    length = lobes[k].chord + nearest * (chord - lobes[k].chord)
    if not (area > 0.0 and length > 0.0):
        return FREE
    return Pull(
        origin[0] + moment_x / area, origin[1] + moment_y / area, stability * 12.0 * area / (length * length * length)
    )
