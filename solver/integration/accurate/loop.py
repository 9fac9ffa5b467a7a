"""The compiled time loop of subsystems whose steps are controlled by their error.

A subsystem has its own clock.  Its steps end at samples, and at the times at which something may jump, where it starts
anew; the grid of steps only says where samples are.  As what comes after the piece of the grid at hand is not known, a
step that might have to end there is put off until it is: so steps are the same whatever the pieces are.
"""

from __future__ import annotations

import math

from ...constraints.joints import set_rates
from ...constraints.rows import rate_of_row
from ...core.bodies import Record
from ...core.jit.kernels import kernel
from ...core.jit.pointers import call
from ..pieces import note_failure, sample_from
from ..rows import has
from ..status import AGAIN, COMPLETED, TOO_SHORT
from ..system import (
    KINETIC_ROTATIONAL,
    KINETIC_TRANSLATIONAL,
    ON_SAMPLE,
    ON_SUBSYSTEM,
    ROTATIONAL_OF_HALF_STEPS,
    ROWS,
    TRANSLATIONAL_OF_HALF_STEPS,
    Samples,
    System,
)
from .motion import free_motion, go_on, speeds_of
from .rates import find_multipliers
from .records import NO_ROW
from .step import start_anew, try_step

TURN = 1.4  # rad that a body turns in a step at most
DEPENDENT = 1e-6  # of the largest acceleration of a row: what a row that follows from others may lack
STRETCH = 1.01  # of a step that may end where it should, rather than leave a very short one


@kernel
def advance_accurate(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) whose steps are controlled by their error."""
    begin, end = time_0 + (step - step_0) * dt, time_0 + (step + n_steps - step_0) * dt
    for s in range(first, last):
        clock = system.accurate.clocks[s]
        if clock.active == 0 or clock.order > 0:
            continue  # `composition_loop.advance_composed`
        next_sample, status = sample_from(samples, step), COMPLETED
        while status == COMPLETED:
            due = math.inf
            if next_sample < len(samples.step) and samples.step[next_sample] < step + n_steps:
                due = time_0 + (samples.step[next_sample] - step_0) * dt
            if starts_anew(system, s):
                status = start_anew(system, s)
            elif due - clock.time <= clock.least:
                status = take_sample(system, samples, next_sample, chunk, s)
                next_sample += 1
            elif goes_on(system, s, due, end):
                status = next_step(system, s, due)
            else:
                break
        if status != COMPLETED:
            failed = step + int(max(0.0, min((clock.time - begin) / dt, n_steps - 1.0)))
            note_failure(outcome, status, failed, system.steps[s].culprit)
    return COMPLETED


@kernel(inline=True)
def starts_anew(system: System, s: int) -> bool:
    """Whether something may jump at the time of the clock, or nothing has been done yet."""
    clock, events = system.accurate.clocks[s], system.accurate.events
    if clock.next_event + 1 < len(events) and events[clock.next_event] - clock.time <= clock.least:
        clock.next_event += 1
        clock.started = 0
    return bool(clock.started == 0)


@kernel(inline=True)
def length_at_hand(system: System, s: int) -> float:
    """Of the next step: as the error asks, and no body turns too far."""
    subsystem, clock, fastest = system.subsystems[s], system.accurate.clocks[s], 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        _, spin = speeds_of(system.bodies[i])
        fastest = max(fastest, spin)
    return min(clock.length, TURN / fastest) if fastest > 0.0 else clock.length  # type: ignore[no-any-return]


@kernel
def goes_on(system: System, s: int, due: float, end: float) -> bool:
    """Whether all that the next step may have to end at is known; due : of the next sample before `end`."""
    clock, accurate = system.accurate.clocks[s], system.accurate
    stop, h = min(due, accurate.events[clock.next_event]), length_at_hand(system, s)
    if stop - clock.time <= clock.least:  # the run has ended
        return False
    if stop - clock.time <= STRETCH * h:
        return bool(stop <= end)
    return bool(clock.time + STRETCH * h <= end)


@kernel
def next_step(system: System, s: int, due: float) -> int:
    """A step, as short as it has to be."""
    clock, status = system.accurate.clocks[s], AGAIN
    while status == AGAIN:
        stop, h = min(due, system.accurate.events[clock.next_event]), length_at_hand(system, s)
        lands = stop - clock.time <= STRETCH * h
        if lands:
            h = stop - clock.time
        if h < clock.least:
            system.steps[s].culprit = clock.unmet
            return TOO_SHORT
        status = try_step(system, s, h, stop if lands else clock.time + h, lands)
    return status


@kernel
def find_all_multipliers(system: System, s: int) -> int:
    """Those of all rows of a subsystem that is solved for otherwise; Jacobians and forces are of the time of its clock.

    TOO_SHORT, with the row, where one that is left out does not follow from the others any more: the plane needs none
    to be left out, but reactions would be wrong.
    """
    subsystem, status = system.subsystems[s], call(system.kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    rows, curvatures, size, worst, culprit = system.rows, system.accurate.curvatures, 0.0, 0.0, NO_ROW
    for i in range(subsystem.first_body, subsystem.last_body):
        free_motion(system.bodies[i])
    find_multipliers(system, s, 0)
    system.steps[s].of_sample = 1
    for i in range(subsystem.first_row, subsystem.last_row):
        size = max(size, abs(curvatures[i]) / rows[i].scale, abs(rows[i].residual) / rows[i].scale)
        if rows[i].left_out != 0:
            left = rate_of_row(rows[i], system.entries, system.bodies, True) + curvatures[i]
            if abs(left) / rows[i].scale > worst:
                worst, culprit = abs(left) / rows[i].scale, i
    if status == COMPLETED and worst > DEPENDENT * size:
        system.steps[s].culprit = culprit
        return TOO_SHORT
    return status  # type: ignore[no-any-return]


@kernel
def take_sample(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of subsystem s at the time of its clock; the kinetic energy of half steps is that of this time."""
    subsystem, step, clock, kernels = system.subsystems[s], system.steps[s], system.accurate.clocks[s], system.kernels
    sums, status, duration = samples.sums[chunk, k], COMPLETED, clock.length
    step.of_sample = 0
    if has(subsystem, ROWS):
        status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if clock.by_coordinates == 1 and status == COMPLETED:
        call(kernels.place_joints, ON_SUBSYSTEM, system, s)
    if clock.in_plane + clock.by_coordinates > 0 and status == COMPLETED:
        status = find_all_multipliers(system, s)
    set_rates(system.joints, subsystem.first_joint, subsystem.last_joint, system.bodies)
    step.t, step.previous_dt, step.dt, step.kick, step.weight = clock.time, 0.0, 2.0 * duration, duration, 0.0
    step.passes = clock.passes
    for i in range(subsystem.first_body, subsystem.last_body):
        go_on(system.accurate.motions[i], system.bodies[i], duration)
    moves, turns = sums[KINETIC_TRANSLATIONAL], sums[KINETIC_ROTATIONAL]
    half_moves, half_turns = sums[TRANSLATIONAL_OF_HALF_STEPS], sums[ROTATIONAL_OF_HALF_STEPS]
    if status == COMPLETED:
        status = call(kernels.take_sample, ON_SAMPLE, system, samples, k, chunk, s)
    sums[TRANSLATIONAL_OF_HALF_STEPS] = half_moves + (sums[KINETIC_TRANSLATIONAL] - moves)
    sums[ROTATIONAL_OF_HALF_STEPS] = half_turns + (sums[KINETIC_ROTATIONAL] - turns)
    return status  # type: ignore[no-any-return]
