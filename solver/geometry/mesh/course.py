"""The course that the slave is expected to take while lists serve: what they hold is what may come near on it.

It turns about an axis through the centre, see `motion`, by `course_turn`, while the centre goes along `course`, as on
the way from the lists before these, and with what that way changed by in the meantime; points may be off that by
`slack`.  Where it is not, lists are made anew, with more slack and less of a course; where it has kept to the course to
its end, with less slack and a longer course.  So bodies that roll on each other are looked at on their own course only,
and what rattles in all directions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, times, vector_of
from .motion import MOST_TURN
from .nodes import into_master

LEAST_SLACK, MOST_SLACK = 0.03, 1.0  # margins
LONGEST = 3.0  # margins: of the course, at the distance `reach` from the axis
BETTER, WORSE = 0.25, 0.5  # by how much the trust in a course, from 0 to 1, rises and falls
STRAIGHT = 0.8  # of all ways: what their sum is at least where it gives the next course
NEARLY = 0.9  # of a course
CHANGING = 0.1  # of a course: by how much more the next one is not expected to differ
DEEP = 2.0  # times the largest depth: the slack at least


class Shift(NamedTuple):
    """How a part of the slave is expected to move while lists serve, axes of the master: points are off that by less
    than `slack`.
    """  # fmt: skip

    way: Vector
    slack: float


@kernel(inline=True)
def expected_shift(pair: Record, point: Floats | Vector, width: float, rotation: Floats) -> Shift:
    """Of what is about a point of the slave.  width : how much further from the axis that may be"""
    turn, axis = pair.course_turn, vector_of(pair.axis)
    along = cross(axis, minus(vector_of(point), vector_of(pair.centre)))
    off = turn * (width + 0.125 * turn * (math.sqrt(dot(along, along)) + width))  # other points; an arc for its chord
    chord = plus(scaled(turn, along), scaled(0.5 * turn * turn, cross(axis, along)))
    return Shift(plus(vector_of(pair.course), times(rotation, chord)), pair.slack + off)


@kernel(inline=True)
def most_off_turn(pair: Record) -> float:
    """By how much the slave turns at most other than on its course while lists serve, radians."""
    return min(pair.slack / pair.reach, MOST_TURN)


@kernel(inline=True)
def farthest(shift: Shift) -> float:
    return math.sqrt(dot(shift.way, shift.way)) + shift.slack


@kernel(inline=True)
def progress(pair: Record) -> float:
    """The part of the course that is done."""
    course, gone = vector_of(pair.course), vector_of(pair.gone)
    square = dot(course, course)
    if square > (pair.course_turn * pair.reach) ** 2:
        return dot(gone, course) / square
    return pair.ahead / pair.course_turn if pair.course_turn > 0.0 else 0.0


@kernel
def follow_course(pair: Record, rotation: Floats, offset: Vector) -> None:
    """Note how far the centre has gone, and where it was about halfway."""
    set_vector(pair.gone, minus(into_master(rotation, offset, pair.centre), vector_of(pair.start)))
    if pair.halfway_done == 0.0:
        done = progress(pair)
        if done > 0.5:
            pair.halfway_done = done
            set_vector(pair.halfway, vector_of(pair.gone))


@kernel
def has_left_course(pair: Record) -> bool:
    """Whether lists are to be made anew: the course has come to its end, or the slave is off it."""
    done = progress(pair)
    if done > 1.0 or pair.angle - pair.listed_angle >= MOST_TURN:
        return True
    held = max(done, 0.0)
    off = minus(vector_of(pair.gone), scaled(held, vector_of(pair.course)))
    turned_off = pair.across + abs(pair.ahead - held * pair.course_turn)
    return math.sqrt(dot(off, off)) + pair.reach * turned_off > pair.slack


@kernel(inline=True)
def has_kept_course(pair: Record) -> bool:
    """Whether the way since lists were made was that which was expected, or straight where none was."""
    if pair.trust > 0.0:
        return progress(pair) > NEARLY
    gone, turns = vector_of(pair.gone), vector_of(pair.turns)
    way = math.sqrt(dot(gone, gone)) + pair.reach * math.sqrt(dot(turns, turns))
    return way > STRAIGHT * (pair.way + pair.reach * pair.about)


@kernel(inline=True)
def change_of_way(pair: Record, most: float) -> Vector:
    """By how much the next way of the centre will differ from the last, if it changes evenly; zero beyond `most`.

    So it does where the point about which bodies roll on each other moves on.  Of a way g(t) = v t + a t^2/2 the values
    at the part p and at 1 give a = 2 (p g(1) - g(p))/(p - p^2), and on the next s of a course it goes on by

        s g(1) + s (1 + s)/2 a.
    """
    done = progress(pair)
    part = pair.halfway_done / done if done > 0.0 else 0.0
    if not 0.25 < part < 0.75:
        return 0.0, 0.0, 0.0
    change = scaled(2.0 / (part - part * part), minus(scaled(part, vector_of(pair.gone)), vector_of(pair.halfway)))
    return change if dot(change, change) <= most * most else (0.0, 0.0, 0.0)


@kernel
def plan_course(pair: Record, rotation: Floats, before: Vector) -> None:
    """Choose a course for new lists, about a new centre.  before : the centre of the lists before"""
    turns, centre, gone = vector_of(pair.turns), vector_of(pair.centre), vector_of(pair.gone)
    turned = math.sqrt(dot(turns, turns))
    trust = 0.0
    if pair.nodes > 0:
        trust = min(1.0, pair.trust + BETTER) if has_kept_course(pair) else max(0.0, pair.trust - WORSE)
    if turned > STRAIGHT * (pair.angle - pair.listed_angle):
        set_vector(pair.axis, scaled(1.0 / turned, turns))
    else:
        turned = 0.0
    change = change_of_way(pair, CHANGING * (math.sqrt(dot(gone, gone)) + pair.reach * turned))
    # of the new centre
    turning, apart = times(rotation, turns), times(rotation, minus(centre, before))
    gone, change = plus(gone, cross(turning, apart)), plus(change, cross(turning, cross(turning, apart)))
    length = math.sqrt(dot(gone, gone)) + pair.reach * turned
    scale = LONGEST * pair.margin * trust / length if length > 0.0 else 0.0
    if scale * turned > MOST_TURN:
        scale = MOST_TURN / turned
    pair.trust, pair.course_turn = trust, scale * turned
    set_vector(pair.course, scaled(scale, plus(gone, scaled(0.5 * (1.0 + scale), change))))
    # below an edge of the master what is deep is to be near for the chart beyond as well
    slack = max(MOST_SLACK + (LEAST_SLACK - MOST_SLACK) * trust, DEEP * pair.deepest / pair.margin)
    pair.slack = min(slack, MOST_SLACK) * pair.margin


@kernel
def begin_course(pair: Record, rotation: Floats, offset: Vector) -> None:
    """Let the course begin where the slave is."""
    pair.listed_at, pair.listed_angle = pair.clock, pair.angle
    pair.way = pair.about = pair.ahead = pair.across = pair.deepest = pair.halfway_done = 0.0
    set_vector(pair.turns, (0.0, 0.0, 0.0))
    set_vector(pair.start, into_master(rotation, offset, pair.centre))
