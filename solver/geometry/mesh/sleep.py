"""Sleep of listed triangles: how far the slave may move before one has to be looked at.

A triangle that was looked at and does not carry is off by a gap: from the master, from where its chart is in charge, or
from being pushed against.  It sleeps until points as far from the axis as it is may have moved by that, see `motion`,
and then it is not looked at yet: gears roll on each other.  How far it has moved itself, and which way, leaves

    gap + up.d - (spread + curvature |d|) |d| - width (turned about the axis) - lever (turned otherwise),

d the displacement of its middle, of the gap, and for so much longer it sleeps.  The width is how much further from the
axis than its middle its corners are: little of the rows along the width of a gear.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.bits import lowest_bit
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, plus, scaled, set_vector, times, vector_of
from .course import Shift
from .motion import distance_from_axis, motion_of, width_about_axis
from .nodes import into_master
from .pair_records import DISTANCE, EXTENT, UNTIL, WIDTH, MeshPairs

SLEEP = 0.8  # of a gap at least: of that for which no better bound is known
BITS = 64  # of a number: triangles that are asked at once whether they wake
MOST_RATE = 1.05  # of a depth over the motion: gradients are unit vectors but for what expansions leave out


@kernel(inline=True)
def note_place(listed: Record, pair: Record, rotation: Floats, offset: Vector) -> None:
    set_vector(listed.at, into_master(rotation, offset, listed.middle))
    listed.about, listed.across = pair.all_about, pair.all_across


@kernel(inline=True)
def sleep_above(
    listed: Record, nodes: Records, facet: Record, pair: Record, rotation: Floats, offset: Vector, gap: float
) -> None:
    """Let a triangle sleep that is off the surface of its chart."""
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    ni, nj, nk = vector_of(i.normal), vector_of(j.normal), vector_of(k.normal)
    mean = scaled(1.0 / 3.0, plus(ni, plus(nj, nk)))
    di, dj, dk = minus(ni, mean), minus(nj, mean), minus(nk, mean)
    note_place(listed, pair, rotation, offset)
    set_vector(listed.up, times(rotation, mean))
    # normals of nodes that are far from where they were expanded are only known to what curvatures may change by
    unsure = 2.0 * max(i.curvature * i.apart, j.curvature * j.apart, k.curvature * k.apart)
    spread = math.sqrt(max(dot(di, di), dot(dj, dj), dot(dk, dk)))
    # where all are known, depths change by the motion, and what bends it over the triangle by how normals differ
    part = SLEEP if unsure > 0.0 else max(SLEEP, 1.0 / (MOST_RATE + spread))
    listed.gap, listed.spread = part * gap, spread + unsure
    listed.curvature = max(i.curvature, j.curvature, k.curvature)
    listed.lever, listed.deep = facet.radius, 0


@kernel(inline=True)
def sleep_beside(listed: Record, facet: Record, pair: Record, rotation: Floats, offset: Vector, gap: float) -> None:
    """Let a triangle sleep of which no part is where its chart is in charge, whatever way it moves."""
    note_place(listed, pair, rotation, offset)
    set_vector(listed.up, (0.0, 0.0, 0.0))
    listed.gap, listed.spread, listed.curvature, listed.lever = gap / MOST_RATE, 1.0, 0.0, facet.radius
    listed.deep = 0


@kernel(inline=True)
def sleep_turned_away(
    listed: Record, facet: Record, pair: Record, rotation: Floats, offset: Vector, spread: float, turn: float
) -> None:
    """Let a triangle sleep that nothing pushes against before it has moved or turned.

    spread, turn : parts of what may pass, of a unit of displacement and of angle
    """
    note_place(listed, pair, rotation, offset)
    set_vector(listed.up, (0.0, 0.0, 0.0))
    # as a displacement at the distance `reach`
    lever = max(facet.radius * spread, turn)
    gap = 1.0 / (spread + lever / pair.reach)
    listed.gap, listed.spread, listed.curvature, listed.lever = gap, gap * spread, 0.0, gap * lever
    listed.deep = 1


@kernel(inline=True)
def stay_awake(listed: Record) -> None:
    listed.gap, listed.deep = -math.inf, 0


@kernel(inline=True)
def gap_after(listed: Record, pair: Record, moved: Vector, width: float) -> float:
    """What is left of the gap of a triangle whose middle has moved since it was looked at."""
    way = math.sqrt(dot(moved, moved))
    gap = listed.gap + dot(vector_of(listed.up), moved) - (listed.spread + listed.curvature * way) * way
    about, across = pair.all_about - listed.about, pair.all_across - listed.across
    return gap - (listed.lever if listed.deep == 1 else width) * about - listed.lever * across


@kernel(inline=True)
def gap_left(listed: Record, pair: Record, rotation: Floats, offset: Vector, width: float) -> float:
    """How far the slave may yet move, from where it is, before a triangle has to be looked at; negative if it has.

    width : of the triangle, see `width_about_axis`
    """
    return gap_after(listed, pair, minus(into_master(rotation, offset, listed.middle), vector_of(listed.at)), width)


@kernel(inline=True)
def least_gap(listed: Record, pair: Record, rotation: Floats, offset: Vector, width: float, shift: Shift) -> float:
    """What is left of the gap of a triangle at least, from where it is to the end of its course.

    As a function of the way along the course the gap is a concave one: it is least at an end.

    shift : its slack holds what the corners move by more than the middle
    """
    moved = minus(into_master(rotation, offset, listed.middle), vector_of(listed.at))
    now, then = gap_after(listed, pair, moved, width), gap_after(listed, pair, plus(moved, shift.way), width)
    return min(now, then) - shift.slack


@kernel(inline=True)
def rest(rests: Floats, k: int, listed: Record, pair: Record, gap: float) -> None:
    """Let the k-th triangle rest, which may move by a gap: see `MeshPairs`."""
    rests[DISTANCE, k] = max(rests[EXTENT, k], pair.reach) if listed.deep == 1 else rests[EXTENT, k]
    rests[UNTIL, k] = motion_of(pair, rests[DISTANCE, k]) + gap


@kernel(inline=True)
def begin_rest(rests: Floats, k: int, listed: Record, facet: Record, pair: Record) -> None:
    """The same when lists have been made: what of it does not change until the next ones is found as well."""
    rests[WIDTH, k] = width_about_axis(pair, facet)
    rests[EXTENT, k] = distance_from_axis(pair, facet.middle) + rests[WIDTH, k]
    rest(rests, k, listed, pair, listed.left)


@kernel
def forget_turns(pair: Record, listed: Records) -> None:
    """Count turns of triangles about the axis there was as turns about others, as there is a new axis."""
    for k in range(len(listed)):
        listed[k].across -= pair.all_about - listed[k].about
        listed[k].about = pair.all_about


# ---- those that wake ----------------------------------------------------------------------------------------------


@kernel
def due_of(rests: Floats, first: int, count: int, way: float, about: float) -> tuple[int, int]:
    """Bits of those of some resting triangles that are to be looked at or stay awake, and of these alone.

    first, count : of them.  way, about : see `motion_of`
    """
    until, distances = rests[UNTIL, first : first + count], rests[DISTANCE, first : first + count]
    due = awake = 0
    for i in range(count):
        due |= int(not way + about * distances[i] < until[i]) << i
        awake |= int(until[i] == -math.inf) << i
    return due, awake


@kernel
def find_awake(pairs: MeshPairs, pair: Record, rotation: Floats, offset: Vector) -> int:
    """Write the listed triangles that do not sleep to `awake`: how many they are."""
    begin, found = pair.first + pair.turn * pair.capacity, 0
    for start in range(0, pair.listed, BITS):
        first = begin + start
        due, known = due_of(pairs.rests, first, min(BITS, pair.listed - start), pair.way, pair.about)
        looked_at = due & ~known
        while looked_at != 0:
            i = lowest_bit(looked_at)
            looked_at &= looked_at - 1
            left = gap_left(pairs.listed[first + i], pair, rotation, offset, pairs.rests[WIDTH, first + i])
            pairs.rests[UNTIL, first + i] = motion_of(pair, pairs.rests[DISTANCE, first + i]) + left
            due &= ~(int(left > 0.0) << i)
        while due != 0:
            pairs.awake[found] = start + lowest_bit(due)
            found += 1
            due &= due - 1
    return found
