"""One step of order 4 or 6: a symmetric composition of steps of order 2, on their rows at both of its ends.

A stage of length h_i is a step of `..step`: a kick with the forces where it begins, by (h_{i-1} + h_i)/2, a drift by
h_i, and multipliers that meet the rows where it ends.  The first kick is half of the first stage and the last half of
the last one, after which velocities are projected onto the rows: together they are the composition of steps of RATTLE
(H. C. Andersen, J. Comput. Phys. 52, 1983), as the impulses in between add up.  So the scheme is symmetric in time and
symplectic, and changes no momentum of a free machine.

Works are sums over the stages: (F + F')/2 . dx of forces; of drives their impulses at both ends of a stage, times the
rates there, for which each stage of a driven machine ends with its half kick and a projection.  With them as further
unknowns a stage is still a symmetric step of order 2, so works are of the order of the composition.
"""

from __future__ import annotations

import math

from ...constraints.rows import add_impulse, unmet_row, worst_residual, worst_row
from ...core.bodies import Record
from ...core.body_points import DISSIPATIVE, ELASTIC, clear, forces_on
from ...core.jit.kernels import kernel
from ...core.jit.pointers import call
from ...core.rotation import angular_velocity, set_rotation_matrix
from ...core.vectors import set_vector, vector_of
from ...forces.joint_forces import accumulate_joint_forces
from ..accuracy import LEAST_ERROR, kinetic_energy, work_of_size
from ..kick_drift import commit_bodies, drift, kick_bodies, moment_of_weight
from ..rows import correct_multipliers, has
from ..status import AGAIN, COMPLETED
from ..step import FAR_FROM_ROUND_OFF, MOST_OF_NEWTON, SLOW, add_forces, has_converged
from ..system import CONDITIONS, DRIVES, JOINT_FORCES, ON_SUBSYSTEM, ROWS, System
from .composition_coefficients import STAGE_BEGINS, STAGE_COUNTS, STAGE_LENGTHS
from .drives import aim, commit_aims
from .motion import begin_motion, free_motion, keep_rates, take_trial_velocities
from .projection import commit_coordinates, measure, project_velocities
from .rates import find_multipliers, renew_matrix
from .records import NO_ROW, PREDICTED
from .step import keep_begin

SAME_LENGTH = 1e-6  # by which steps of one length may differ, as rounding of times makes them

# ---- a step --------------------------------------------------------------------------------------------------


@kernel
def compose_step(system: System, s: int, h: float, end: float) -> int:
    """A step of length h to the time `end`: COMPLETED, or AGAIN, at its begin, where it is not good."""
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    table, before, status = clock.order // 2 - 2, 0.0, COMPLETED
    if abs(h - clock.length) > SAME_LENGTH * h:
        clock.known = min(clock.known, 1)
    begin_step(system, s)
    for stage in range(STAGE_COUNTS[table]):
        length, passed = h * STAGE_LENGTHS[table, stage], h * STAGE_BEGINS[table, stage + 1]
        is_last = stage + 1 == STAGE_COUNTS[table]
        if before != 0.0 and has(subsystem, ROWS):
            call(system.kernels.set_jacobians, ON_SUBSYSTEM, system, s)
        status = take_stage(system, s, stage, 0.5 * (before + length), length, passed)
        if status == COMPLETED:
            status = find_forces(system, s, end if is_last else clock.time + passed, passed, length)
        before = length
        if status == COMPLETED and (is_last or has(subsystem, DRIVES)):
            status = end_stage(system, s, 0.5 * length)
            before = 0.0
        if status != COMPLETED:
            break
    if status == COMPLETED:
        status = end_step(system, s, h, end)
    return return_to_begin(system, s) if status == AGAIN else status


@kernel
def begin_step(system: System, s: int) -> None:
    """Keep what the step begins with; the matrix, and multipliers to begin with where no steps before predict any."""
    subsystem, step, clock, accurate = system.subsystems[s], system.steps[s], system.accurate.clocks[s], system.accurate
    for i in range(subsystem.first_body, subsystem.last_body):
        begin_motion(accurate.motions[i], system.bodies[i])
        keep_forces(accurate.motions[i], system.bodies[i])
    keep_begin(system, s)
    clock.kinetic, clock.work, clock.drive_work = kinetic_energy(system, subsystem), 0.0, 0.0
    clock.external_work, clock.passes, clock.unmet = subsystem.external_work, 0, NO_ROW
    step.t, step.previous_dt, step.dt = clock.time, 0.0, 0.0
    if not has(subsystem, ROWS):
        return
    if has(subsystem, CONDITIONS):  # their tolerances grow with the way
        call(system.kernels.prepare_conditions, ON_SUBSYSTEM, system, s)
    if subsystem.stale == 1:
        renew_matrix(system, s)
        subsystem.stale = 0
    if clock.known == 0:
        find_rates_at_hand(system, s)


@kernel
def end_step(system: System, s: int, h: float, end: float) -> int:
    """The end is the begin of the next step; AGAIN where rows gained or lost energy."""
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    if has(subsystem, ROWS) and rows_lose_energy(system, s):
        clock.unmet = subsystem.first_row
        return AGAIN
    subsystem.drive_work += clock.drive_work
    clock.time, clock.length, clock.taken = end, h, clock.taken + 1
    clock.known = min(clock.known + 1, PREDICTED)
    clock.longest = max(clock.longest, h)
    return commit_aims(system, s) if has(subsystem, DRIVES) else COMPLETED


@kernel
def return_to_begin(system: System, s: int) -> int:
    """The state is that at the begin of the step again, with all that follows from it."""
    subsystem, step, clock, accurate = system.subsystems[s], system.steps[s], system.accurate.clocks[s], system.accurate
    for i in range(subsystem.first_body, subsystem.last_body):
        return_body(accurate.motions[i], system.bodies[i])
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, begin = system.joints[i], accurate.coordinates[i]
        joint.turns, joint.angle, joint.slide = begin.turns, begin.angle, begin.slide
    if has(subsystem, ROWS):
        measure(system, s)
        for i in range(subsystem.first_row, subsystem.last_row):
            system.rows[i].committed_residual = system.rows[i].residual
    step.t, step.previous_dt, step.dt = clock.time, 0.0, clock.length
    if has(subsystem, DRIVES):
        aim(system, s)
    add_up_forces(system, s)
    subsystem.external_work, subsystem.stale, clock.known = clock.external_work, 1, 0
    return AGAIN


# ---- a stage -------------------------------------------------------------------------------------------------


@kernel
def take_stage(system: System, s: int, stage: int, kick: float, length: float, passed: float) -> int:
    """Kick, drift and multipliers; AGAIN where rows are not met or a body is lost.

    passed : time at the end of the stage, from the begin of the step
    """
    subsystem, step, clock = system.subsystems[s], system.steps[s], system.accurate.clocks[s]
    first, last = subsystem.first_body, subsystem.last_body
    kick_bodies(system.bodies, None, first, last, kick, 0.0, False)
    if not has(subsystem, ROWS):
        step.culprit = drift(system.bodies, None, first, last, length)
        if step.culprit >= 0:
            return AGAIN
        commit_bodies(subsystem, system.bodies, None, length, False)
        return COMPLETED
    if has(subsystem, DRIVES):
        for i in range(subsystem.first_drive, subsystem.last_drive):
            system.accurate.aims[i].rate_before = system.accurate.aims[i].rate
        step.t, step.previous_dt, step.dt = clock.time + passed, passed, 0.0
        aim(system, s)
    step.dt, step.kick = length, kick
    predict(system, s, stage, kick)
    if not meet_rows(system, s):
        return AGAIN
    keep_multipliers(system, s, stage)
    for i in range(subsystem.first_drive, subsystem.last_drive):
        clock.drive_work += kick * system.rows[system.drives[i].row].multiplier * system.accurate.aims[i].rate_before
    commit_bodies(subsystem, system.bodies, None, length, False)
    commit_coordinates(system, subsystem)
    return COMPLETED


@kernel
def end_stage(system: System, s: int, kick: float) -> int:
    """The second half of the kick of a stage, and velocities that the rows admit; AGAIN where rows are not met.

    That of the last stage of a step, and of each where drives do work: their impulses are known here alone.
    """
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    kick_bodies(system.bodies, None, subsystem.first_body, subsystem.last_body, kick, 0.0, False)
    for i in range(subsystem.first_body, subsystem.last_body):
        take_trial_velocities(system.bodies[i])
    if has(subsystem, ROWS):
        clock.unmet = unmet_row(system.rows, subsystem.first_row, subsystem.last_row)
        if clock.unmet >= 0:
            return AGAIN
        renew_matrix(system, s)
        done, _ = project_velocities(system, s)
        clock.drive_work += done
    for i in range(subsystem.first_body, subsystem.last_body):
        see_velocities(system.bodies[i])
    return COMPLETED


@kernel
def predict(system: System, s: int, stage: int, kick: float) -> None:
    """Multipliers of a stage by those that it had in the last steps, and the kick they give."""
    subsystem, rows, known = system.subsystems[s], system.rows, system.accurate.clocks[s].known
    for i in range(subsystem.first_row, subsystem.last_row):
        row, before = rows[i], system.accurate.multipliers[i, stage]
        if known == 1:
            row.multiplier = before[0]
        elif known == 2:
            row.multiplier = 2.0 * before[0] - before[1]
        elif known == PREDICTED:
            row.multiplier = 3.0 * (before[0] - before[1]) + before[2]
        add_impulse(row, system.entries, system.bodies, kick * row.multiplier)


@kernel
def meet_rows(system: System, s: int) -> bool:
    """Drift, and correct the multipliers until the rows are met where the stage ends; whether that is so.

    With the matrix at the begin of the step, and by Newton's method where that does badly.
    """
    subsystem, step, rows, clock = system.subsystems[s], system.steps[s], system.rows, system.accurate.clocks[s]
    first_row, last_row = subsystem.first_row, subsystem.last_row
    step.passes, step.damping_passes, step.last_worst = 0, 0, math.inf
    while True:
        step.culprit = drift(system.bodies, None, subsystem.first_body, subsystem.last_body, step.dt)
        if step.culprit >= 0:
            return False
        measure(system, s)
        step.worst = worst_residual(rows, first_row, last_row)
        if has_converged(step):
            break
        if step.passes == MOST_OF_NEWTON or not step.worst < math.inf:
            clock.unmet = worst_row(rows, first_row, last_row)
            return False
        if step.last_worst > FAR_FROM_ROUND_OFF and step.worst > SLOW * step.last_worst and step.passes > 0:
            call(system.kernels.refresh_trial_matrix, ON_SUBSYSTEM, system, s)
        correct_multipliers(system, s, step.kick, step.dt)
        step.last_worst = step.worst
        step.passes += 1
    clock.passes = max(clock.passes, step.passes)
    for i in range(first_row, last_row):
        rows[i].committed_residual = rows[i].residual
    return True


@kernel
def keep_multipliers(system: System, s: int, stage: int) -> None:
    """The multipliers of a stage, for its next ones."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_row, subsystem.last_row):
        before = system.accurate.multipliers[i, stage]
        before[2], before[1], before[0] = before[1], before[0], system.rows[i].multiplier


# ---- forces and energy ---------------------------------------------------------------------------------------


@kernel
def find_forces(system: System, s: int, t: float, passed: float, length: float) -> int:
    """Forces at time t, where a stage of some length has ended, and their work over that."""
    subsystem, step, clock, accurate = system.subsystems[s], system.steps[s], system.accurate.clocks[s], system.accurate
    step.t, step.previous_dt, step.dt = t, passed, 0.0
    status = add_up_forces(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        work, external = work_of_stage(accurate.motions[i], system.bodies[i], length)
        clock.work += work
        subsystem.external_work += external
    if has(subsystem, JOINT_FORCES):
        accumulate_joint_forces(subsystem, system.joint_forces, subsystem.first_joint_force, subsystem.last_joint_force)
    return status  # type: ignore[no-any-return]


@kernel
def add_up_forces(system: System, s: int) -> int:
    """Forces on bodies where they are, at step.t."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_body, subsystem.last_body):
        for kind in (ELASTIC, DISSIPATIVE):
            clear(forces_on(system.bodies[i], kind))
    return add_forces(system, s)  # type: ignore[no-any-return]


@kernel(inline=True)
def keep_forces(motion: Record, b: Record) -> None:
    """Forces at the begin of a stage."""
    weight = moment_of_weight(b)
    for c in range(3):
        motion.force[c] = b.elastic[c] + b.external[c] + b.dissipative[c]
        motion.force[c + 3] = b.elastic[c + 3] + b.external[c + 3] + b.dissipative[c + 3] + weight[c]
    for c in range(6):
        motion.external[c] = b.external[c]


@kernel
def work_of_stage(motion: Record, b: Record, length: float) -> tuple[float, float]:
    """Work of all forces on a body over a stage, and that of loads; forces are kept anew.

    length : of the stage
    """
    work, external = 0.0, 0.0
    for c in range(6):
        moved = length * b.velocity[c] if c < 3 else b.step_rotation[c - 3]
        external += 0.5 * moved * (motion.external[c] + b.external[c])
        work += 0.5 * moved * motion.force[c]
        if c < 3:
            work += b.mass * b.gravity[c] * moved
    keep_forces(motion, b)
    for c in range(6):
        moved = length * b.velocity[c] if c < 3 else b.step_rotation[c - 3]
        work += 0.5 * moved * motion.force[c]
    for c in range(3):
        motion.turned_now[c] = b.turned[c]
    return work, external


@kernel
def rows_lose_energy(system: System, s: int) -> bool:
    """Whether the rows of subsystem s gained or lost too much of its energy in the step.

    As `..accuracy` judges steps of order 2, by what exact rows would leave of the energy.
    """
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    kinetic = kinetic_energy(system, subsystem)
    subsystem.largest_kinetic = max(subsystem.largest_kinetic, clock.kinetic, kinetic)
    size = abs(kinetic - clock.kinetic - clock.work - clock.drive_work)
    too_large = size > subsystem.energy_tolerance * subsystem.largest_kinetic
    return too_large and size > LEAST_ERROR * work_of_size(system, subsystem)


# ---- between steps -------------------------------------------------------------------------------------------


@kernel
def find_rates_at_hand(system: System, s: int) -> None:
    """Multipliers and accelerations between steps, with the matrix, the forces and the aims of drives at hand."""
    subsystem, accurate = system.subsystems[s], system.accurate
    for i in range(subsystem.first_body, subsystem.last_body):
        free_motion(system.bodies[i])
    if has(subsystem, ROWS):
        find_multipliers(system, s, 1)
    for i in range(subsystem.first_body, subsystem.last_body):
        accurate.motions[i].theta[:] = 0.0
        keep_rates(accurate.motions[i], system.bodies[i], 0)


@kernel(inline=True)
def see_velocities(b: Record) -> None:
    """Estimates of v and omega are those at hand."""
    set_vector(b.mean_velocity, vector_of(b.velocity))
    set_vector(b.mean_angular_velocity, angular_velocity(b, b.momentum[0], b.momentum[1], b.momentum[2]))


@kernel(inline=True)
def return_body(motion: Record, b: Record) -> None:
    """A body where it was at the begin of the step; springs that twist count how it turned back."""
    for c in range(3):
        b.displacement[c], b.low_displacement[c] = motion.displacement[c], motion.low_displacement[c]
        b.trial_displacement[c], b.trial_low_displacement[c] = b.displacement[c], b.low_displacement[c]
        b.velocity[c], b.momentum[c] = motion.velocity[c], motion.momentum[c]
        b.step_rotation[c] = motion.turned[c] - motion.turned_now[c]
        b.turned[c], motion.turned_now[c] = motion.turned[c], motion.turned[c]
    for c in range(4):
        b.quaternion[c], b.trial_quaternion[c] = motion.quaternion[c], motion.quaternion[c]
    set_rotation_matrix(b.quaternion, b.rotation)
    set_rotation_matrix(b.quaternion, b.trial_rotation)
    see_velocities(b)
