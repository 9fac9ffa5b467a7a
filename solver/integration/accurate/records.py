"""Records of the subsystems whose steps are controlled by their error, or are compositions of order 4 or 6.

Such a subsystem has a clock of its own, which is never ahead of the grid of steps, and behind it by less than a step of
its own.  Its bodies are at the time of that clock, with velocities and angular momenta: not half a step before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Record, Records
from .composition_coefficients import MOST_STAGES

STAGES = 7  # of Dormand-Prince 5(4); the last is at the end of the step, and serves as the first of the next
DISSIPATIVE_POWER, EXTERNAL_POWER, DRIVE_POWER, POWERS = range(4)  # of all forces of a kind on a subsystem

PREDICTED = 3  # multipliers of a stage in the last steps, from which the next is extrapolated
NO_ROW = -1

# One a subsystem.
CLOCK = np.dtype(
    [
        ("active", "i8"),  # 1: its steps are controlled by their error, or compositions
        ("order", "i8"),  # of compositions, 0 where steps are controlled by their error
        ("in_plane", "i8"),  # 1: it moves in a plane, where its rows are solved for
        ("by_coordinates", "i8"),  # 1: it moves by joint coordinates, see `trees`
        ("flies", "i8"),  # 1: one of its trees is free
        ("stage", "i8"),  # at hand, of trees
        ("tried", "f8"),  # length of the step at hand, likewise
        ("error", "f8"),  # of the step at hand, likewise: the largest of its bodies
        ("least_speed", "f8"),  # by which errors of velocities are measured at least
        ("started", "i8"),  # 1: the rates of its time are known
        ("next_event", "i8"),  # of the events, the first after its time
        ("time", "f8"),
        ("length", "f8"),  # that the next step should have, 0 where nobody knows
        ("tolerance", "f8"),
        ("size", "f8"),  # of the machine, by which errors of places are measured
        ("fastest", "f8"),  # speed of its bodies, or spin times size, so far
        ("least", "f8"),  # length of a step below which it gives up
        ("passes", "i8"),  # corrections of positions in the last step
        ("unmet", "i8"),  # row that the last try of a step did not meet, NO_ROW where that was not the reason
        ("residual", "f8"),  # largest of its rows after them, by their sizes
        ("taken", "i8"),  # steps
        ("rejected", "i8"),
        ("error_before", "f8"),  # of the last step that had the length it was to have, over what it may be
        ("was_rejected", "i8"),  # 1: so was the last try
        ("shortest", "f8"),  # step that the error asked for, and that was taken; infinite before any
        ("longest", "f8"),  # step that was taken
        ("powers", "f8", (STAGES, POWERS)),
        # of compositions
        ("known", "i8"),  # steps of one length whose multipliers predict those to come
        ("part", "f8"),  # length that steps may have beside one that failed, infinite elsewhere
        ("kinetic", "f8"),  # energy at the begin of the step at hand
        ("work", "f8"),  # of forces since then
        ("drive_work", "f8"),  # of drives since then
        ("external_work", "f8"),  # of the subsystem at the begin of the step at hand
    ],
    align=True,
)
# One a body: where it was at the begin of the step at hand, and the rates of the stages.
MOTION = np.dtype(
    [
        ("displacement", "f8", 3),
        ("low_displacement", "f8", 3),
        ("quaternion", "f8", 4),
        ("velocity", "f8", 3),
        ("momentum", "f8", 3),
        ("turned", "f8", 3),
        ("turned_now", "f8", 3),  # at the stage at hand
        ("theta", "f8", 3),  # rotation from the begin of the step to the stage at hand, in the axes of its begin
        ("largest_speed", "f8"),  # so far
        ("largest_spin", "f8"),
        ("velocities", "f8", (STAGES, 3)),
        ("spins", "f8", (STAGES, 3)),
        ("turns", "f8", (STAGES, 3)),  # rates of theta
        ("accelerations", "f8", (STAGES, 3)),
        ("moments", "f8", (STAGES, 3)),  # rates of the angular momentum
        ("force", "f8", 6),  # of all kinds but the weight of the mass, at the begin of the stage of a composition
        ("external", "f8", 6),  # that of loads
    ],
    align=True,
)
# One a freedom of a tree.
FREEDOM_MOTION = np.dtype(
    [
        ("speed_before", "f8"),  # at the begin of the step at hand
        ("speed", "f8"),  # at the stage at hand
        ("growth", "f8"),  # its rate
        ("small", "f8"),  # working memory: a correction, or an error
        ("rates", "f8", STAGES),  # of the coordinate
        ("growths", "f8", STAGES),
    ],
    align=True,
)
# One a limb of a tree.
LIMB_MOTION = np.dtype(
    [
        ("root", "i8"),  # limb that it hangs on in the end
        ("last_freedom", "i8"),
        ("turning", "f8", 3),  # angular acceleration
        ("turn", "f8", 3),  # by small steps of freedoms, see `tree_motion.spread`
        ("shift", "f8", 3),
        ("turn_error", "f8", 3),
        ("place_error", "f8", 3),
        # of a free root: of all that hang on it, about the origin
        ("carried", "f8", 6),  # momentum and angular momentum, at the begin of the step at hand
        ("pushes", "f8", (STAGES, 6)),  # force and moment
    ],
    align=True,
)
# One a joint: its coordinates at the begin of the step at hand.
COORDINATES = np.dtype([("turns", "f8"), ("angle", "f8"), ("slide", "f8")], align=True)
# One a drive: what its coordinate should be.
AIM = np.dtype(
    [
        ("place", "f8"),  # at the begin of the step at hand
        ("speed", "f8"),
        ("bend", "f8"),  # its acceleration there
        ("gained", "f8"),  # speed that the accelerations of the stages so far make in the step
        ("target", "f8"),  # at the stage at hand
        ("rate", "f8"),
        ("acceleration", "f8"),
        ("rate_before", "f8"),  # at the begin of the stage of a composition
    ],
    align=True,
)


class Accurate(NamedTuple):
    """All of them; empty without any."""

    clocks: Records  # (ns,) CLOCK
    motions: Records  # (nb,) MOTION
    freedoms: Records  # of trees, FREEDOM_MOTION
    limbs: Records  # of trees, LIMB_MOTION
    coordinates: Records  # (nj,) COORDINATES
    aims: Records  # (nd,) AIM
    curvatures: Floats  # (nr,) of the rows, at the stage at hand
    multipliers: Floats  # (nr, MOST_STAGES, PREDICTED) of the stages of compositions in the last steps, the last first
    events: Floats  # times at which something may jump, sorted, and after them the end of the run


def no_accurate() -> Accurate:
    """No subsystem has its steps controlled by their error."""
    return Accurate(
        np.zeros(0, CLOCK), np.zeros(0, MOTION), np.zeros(0, FREEDOM_MOTION), np.zeros(0, LIMB_MOTION),
        np.zeros(0, COORDINATES), np.zeros(0, AIM), np.zeros(0),
        np.zeros((0, MOST_STAGES, PREDICTED)), np.zeros(0),
    )  # fmt: skip


def new_clock() -> Record:
    """Of a subsystem that stands at t = 0."""
    clock = np.zeros(1, CLOCK)[0]
    clock["shortest"], clock["part"], clock["error_before"] = np.inf, np.inf, 1.0
    return clock
