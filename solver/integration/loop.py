"""The compiled time loop: kick, drift, correct the multipliers, commit.

Positions live at t_n, velocities v and spatial angular momenta L at t_{n-1/2}.  A step kicks by (dt_{n-1} + dt_n)/2
with the forces of t_n and drifts by dt_n.  The position rows g(x_{n+1}) = 0 are met by the multipliers of the kick at
t_n: predicted from the last two steps, corrected with (G M^-1 G^T) of t_n (or of an earlier step, while that
converges as fast) until |g| is at round-off, SHAKE with chord iterations:

    dlambda = -(G M^-1 G^T)^-1 g(x_{n+1}) / (dt_n kick),    v += kick M^-1 G^T dlambda,    L likewise.

A subsystem is a set of bodies that nothing couples to the others; each runs through a whole block of steps on its
own, which keeps its arrays in the processor's cache, and needs nothing from any other thread.
"""

from __future__ import annotations

import math

from ..constraints.drives import (
    JUMPS,
    NOTHING,
    commit_drives,
    drive_residuals,
    finish_drive_rows,
    prepare_drives,
    subtract_mean_drive_rates,
    work_of_drives,
)
from ..constraints.joints import commit_joints, joint_jacobians, joint_residuals
from ..constraints.kkt import REDUNDANT, Matrix, assemble_matrix, factorise, multiply_inverse, solve_corrections
from ..constraints.nodal_constraints import (
    Conditions,
    commit_conditions,
    condition_jacobians,
    condition_residuals,
    drive_work,
    prepare_conditions,
    subtract_mean_rates,
)
from ..constraints.relations import relation_jacobians, relation_residuals
from ..constraints.rows import FROZEN, LOOSE, TIGHT, add_impulse, unmet_row, worst_residual, worst_row
from ..contact.records import ContactKernels, Contacts
from ..contact.rigid_wall_records import WallKernels, Walls
from ..core.bodies import Floats, Ints, Motion, Points, Record, Records
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.jit.references import reference_to
from ..core.jit.uncounted import uncounted
from ..core.rotation import (
    angular_velocity,
)
from ..core.skews import Skews
from ..forces.joint_forces import add_joint_dampers, add_joint_forces, book_friction
from ..forces.loads import add_loads
from ..forces.springs import Springs, add_spring_dampers, add_spring_forces, measure_springs
from .kick_drift import commit_bodies, drift, kick_bodies, kick_by_change, renew_mean_velocities, start_forces
from .samples import take_sample
from .system import Samples, System

COMPLETED, DIVERGED, ROWS_NOT_MET, JUMP, NO_DISTANCE, NO_ROOM, NOT_HELD = range(7)
MAX_PASSES = 40
REFRESH_AFTER = 8  # corrections in one step after which the matrix is factorised anew at once
WEAK = 1e-3  # a pivot, relative to its row's diagonal, that says that the row may be about to depend on others
SLOW = 0.1  # a correction that leaves more than this of the residual
FAR_FROM_ROUND_OFF = 10  # residuals above this many tolerances show how fast the corrections converge
# Refinements of the forces of walls: after the first number what still changes may be larger, the second are the most.
WALL_PASSES, MOST_WALL_PASSES, WALL_SLACK = 20, 100, 1e6
FIRST_PASSES = 16  # of the first step, which has no multipliers of earlier steps to start from
ACCEPTED = LOOSE / TIGHT
# Predicted multipliers are taken as they are below this fraction of the tolerance: a residual of the tolerance itself
# is harmless in the positions, but dt^2 is small, and it would show in the reactions.
UNCORRECTED = 1 / 16


@kernel
def advance(
    system: System, samples: Samples, chunk: int, first: int, last: int, step: int, n_steps: int, step_0: int,
    time_0: float, dt: float, outcome: Ints,
) -> None:  # fmt: skip
    """Run the subsystems [first, last) through n_steps from `step` at time t, leaving samples at samples.step.

    outcome : (3,) int64, filled with the status, the step and the body or row of the earliest failure.
    """
    system, samples = uncounted(system), uncounted(samples)
    bodies, rows, entries, joints, relations, terms = (
        system.bodies, system.rows, system.entries, system.joints, system.relations, system.terms
    )  # fmt: skip
    matrix, points, motion, trial, axes = system.matrix, system.points, system.motion, system.trial, system.axes
    drives, conditions, springs = system.drives, system.conditions, system.springs
    joint_forces, loads, walls = system.joint_forces, system.loads, system.walls
    contacts = reference_to(system.contacts)
    contact_kernels, wall_kernels = system.contact_kernels, system.wall_kernels
    tables, skews, parts = system.tables, system.skews, system.parts
    row_work, body_work = system.row_work, system.body_work
    sample_step = samples.step
    for s in range(first, last):
        next_sample = 0
        while next_sample < len(sample_step) and sample_step[next_sample] < step:
            next_sample += 1
        part = parts[s]
        before = part.previous_dt
        has_forces = (
            springs is not None
            or joint_forces is not None
            or conditions is not None
            or contacts is not None
            or walls is not None
        )
        if has_forces:
            start_forces(bodies, contacts, part.first_body, part.last_body, before)
        for k in range(n_steps):
            t, left = time_0 + (step + k - step_0) * dt, dt
            while left > 0.0:
                length = length_of_step(contacts, contact_kernels, part, bodies, t, left)
                status, detail = one_step(
                    s, parts, bodies, rows, entries, joints, relations, terms, matrix, points, motion, trial, drives,
                    conditions, springs, joint_forces, loads, contacts, contact_kernels, walls, wall_kernels, tables,
                    skews, axes, t, length, before,
                )  # fmt: skip
                if status != COMPLETED:
                    break
                if left == dt and next_sample < len(sample_step) and sample_step[next_sample] == step + k:
                    if part.left_out > 0:
                        refresh_matrix(matrix, s, rows, part.first_row, part.last_row, entries, bodies)
                    take_sample(
                        samples, next_sample, chunk, s, part, bodies, rows, entries, joints, matrix, drives, springs,
                        joint_forces, contacts, walls, tables, row_work, body_work, length, before, detail,
                    )  # fmt: skip
                    next_sample += 1
                commit(part, bodies, rows, joints, drives, conditions, contacts, length, has_forces)
                part.stretch = length / before if before > 0.0 else 1.0
                part.previous_dt = before = length
                t, left = t + length, left - length
            if status != COMPLETED:
                if outcome[0] == COMPLETED or step + k < outcome[1]:
                    outcome[0], outcome[1], outcome[2] = status, step + k, detail
                break


@kernel(inline=True)
def length_of_step(
    contacts: Contacts | None, contact_kernels: ContactKernels, part: Record, bodies: Records, t: float, left: float
) -> float:
    """What is left of a step, or less where shapes touch before."""
    if contacts is not None and part.cut_at_touch == 1:
        return contact_kernels.first_touch(contacts, part, bodies, t, left)
    return left


@kernel(inline=True)
def one_step(
    s: int, parts: Records, bodies: Records, rows: Records, entries: Records, joints: Records, relations: Records,
    terms: Records, matrix: Matrix, points: Points, motion: Motion, trial: Motion, drives: Records | None,
    conditions: Conditions | None, springs: Springs | None, joint_forces: Records | None, loads: Records | None,
    contacts: Contacts | None, contact_kernels: ContactKernels, walls: Walls | None, wall_kernels: WallKernels,
    tables: FunctionTables, skews: Skews, axes: Floats, t: float, dt: float, previous_dt: float,
) -> tuple[int, int]:  # fmt: skip
    """One step of subsystem s up to the converged trial state; returns the status, and the corrections or culprit."""
    part = parts[s]
    kick = 0.5 * (previous_dt + dt)
    weight = previous_dt / (previous_dt + dt)  # of v_{n+1/2} in v_n
    first_body, last_body = part.first_body, part.last_body
    first_row, last_row = part.first_row, part.last_row
    has_rows, has_walls = last_row > first_row, part.last_wall > part.first_wall
    damping_passes, wall_passes = 0, 0
    if part.damping_passes > 0:
        damping_passes = part.damping_passes if previous_dt > 0.0 else FIRST_PASSES
    if springs is not None and part.last_spring > part.first_spring:
        measure_springs(springs, part.first_spring, part.last_spring, points, motion, bodies["step_rotation"], tables,
                        skews, t)  # fmt: skip
        add_spring_forces(springs, part.first_spring, part.last_spring, points, motion, skews, bodies["elastic"])
        add_spring_dampers(springs, part.first_spring, part.last_spring, points, motion, tables, skews,
                           bodies["dissipative"])  # fmt: skip
    if joint_forces is not None and part.last_joint_force > part.first_joint_force:
        add_joint_forces(joint_forces, part.first_joint_force, part.last_joint_force, joints, bodies)
        add_joint_dampers(joint_forces, part.first_joint_force, part.last_joint_force, joints, rows, bodies)
    if contacts is not None and part.last_interface > part.first_interface:
        full = contact_kernels.find(contacts, part, bodies, t, previous_dt, dt, damping_passes > 0)
        if full >= 0:
            return NO_ROOM, full
    if walls is not None and has_walls:
        wall_kernels.start(walls, part, bodies)
    if loads is not None and part.last_load > part.first_load:
        clear(bodies["external"], first_body, last_body)
        add_loads(loads, part.first_load, part.last_load, points, motion, tables, skews, axes, t, bodies["external"])
    # what meets no rows has its estimates of v_n as soon as it is kicked
    kick_bodies(bodies, contacts, first_body, last_body, kick, weight, damping_passes > 0 and not has_rows)
    if has_rows:
        if conditions is not None and part.last_condition > part.first_condition:
            changed, jump = prepare_conditions(conditions, part.first_condition, part.last_condition, rows, tables,
                                               skews, points, motion, axes, t, dt, previous_dt)  # fmt: skip
            if jump >= 0:
                return JUMP, jump
            if changed:
                part.stale = 1
            condition_jacobians(conditions, part.first_condition, part.last_condition, entries, points, motion)
        joint_jacobians(joints, part.first_joint, part.last_joint, rows, entries, bodies)
        relation_jacobians(relations, terms, part.first_relation, part.last_relation, joints, rows, entries, bodies)
        if drives is not None and part.last_drive > part.first_drive:
            changed, wrong, row = prepare_drives(drives, part.first_drive, part.last_drive, rows, joints, tables, t, dt,
                                                 previous_dt)  # fmt: skip
            if wrong != NOTHING:
                return JUMP if wrong == JUMPS else NO_DISTANCE, row
            if changed:
                part.stale = 1
            finish_drive_rows(drives, part.first_drive, part.last_drive, rows, entries)
        if part.stale == 1:
            refresh_matrix(matrix, s, rows, first_row, last_row, entries, bodies)
            clear_dependent_rows(matrix, rows, first_row, last_row)
        predict_multipliers(rows, first_row, last_row, entries, bodies, kick, part.stretch)

    passes, passes_before = 0, 0  # in all, and before the damped forces were last refined
    worst, last_worst = 0.0, math.inf
    fresh, slow, frozen = has_rows and part.stale == 1, False, False
    corrected = not has_rows  # since the damped forces were last refined: they see a motion that meets the rows
    while True:
        body = -1
        if has_rows or has_walls or damping_passes == 0:  # others need not move before their velocity is final
            body = drift(bodies, contacts, first_body, last_body, dt)
        if body >= 0 and has_rows and passes == 0:
            # A force that jumped without the reaction that goes with it: find that from the velocities first.
            passes = 1
            correct_rates(part, s, bodies, rows, entries, matrix, drives, conditions, dt, kick)
            body = drift(bodies, contacts, first_body, last_body, dt)
        if body >= 0:
            if has_rows and not frozen and freeze_weak_rows(part, s, rows, entries, bodies, matrix, kick):
                frozen, passes, passes_before, last_worst = True, 0, 0, math.inf
                continue
            if passes > 1:  # it is the corrections that run away
                return ROWS_NOT_MET, worst_row(rows, first_row, last_row)
            return DIVERGED, body
        if has_rows:
            joint_residuals(joints, part.first_joint, part.last_joint, rows, bodies)
            relation_residuals(relations, terms, part.first_relation, part.last_relation, joints, rows)
            if drives is not None and part.last_drive > part.first_drive:
                drive_residuals(drives, part.first_drive, part.last_drive, rows, joints)
            if conditions is not None and part.last_condition > part.first_condition:
                condition_residuals(conditions, part.first_condition, part.last_condition, rows, skews, points,
                                    bodies, trial, motion)  # fmt: skip
            worst = worst_residual(rows, first_row, last_row)
        if damping_passes > 0 and (corrected or worst <= UNCORRECTED):
            damping_passes -= 1
            corrected = not has_rows
            if has_rows:
                renew_mean_velocities(bodies, contacts, first_body, last_body, weight)
            if springs is not None:
                add_spring_dampers(springs, part.first_spring, part.last_spring, points, motion, tables, skews,
                                   bodies["dissipative"])  # fmt: skip
            if joint_forces is not None:
                add_joint_dampers(joint_forces, part.first_joint_force, part.last_joint_force, joints, rows, bodies)
            if contacts is not None and part.last_interface > part.first_interface:
                contact_kernels.damp(contacts, part, bodies)
            if walls is not None and has_walls:
                wall_passes += 1
                change = wall_kernels.hold(walls, part, s, bodies, rows, entries, matrix, kick, dt)
                if change > (1.0 if wall_passes < WALL_PASSES else WALL_SLACK):
                    if wall_passes == MOST_WALL_PASSES:
                        return NOT_HELD, part.first_wall
                    damping_passes = max(damping_passes, 1)
            renews = damping_passes > 0 and not has_rows
            kick_by_change(bodies, contacts, first_body, last_body, kick, weight, renews)
            last_worst, passes_before = math.inf, passes
            continue
        if damping_passes == 0 and worst <= (1.0 if passes > 0 else UNCORRECTED):
            break
        if damping_passes == 0 and passes >= 2 and worst <= ACCEPTED and worst > 0.5 * last_worst:
            break  # round-off stops the iteration
        if passes >= passes_before + MAX_PASSES or not worst < math.inf:
            if not frozen and freeze_weak_rows(part, s, rows, entries, bodies, matrix, kick):
                frozen, passes, passes_before, last_worst = True, 0, 0, math.inf
                continue
            return ROWS_NOT_MET, worst_row(rows, first_row, last_row)
        if has_rows and worst > UNCORRECTED:
            slow = slow or (last_worst > FAR_FROM_ROUND_OFF and worst > SLOW * last_worst)
            if passes >= passes_before + REFRESH_AFTER and not fresh and not frozen:
                refresh_matrix(matrix, s, rows, first_row, last_row, entries, bodies)
                fresh = True
            scale = -1.0 / (dt * kick)
            if part.inverse_size > 0 and matrix.uses[s] >= part.inverse_size:
                multiply_inverse(
                    matrix.inverse, part.first_inverse, part.inverse_size, matrix.work, part.first_unknown, rows,
                    matrix.row_at, scale,
                )  # fmt: skip
            else:
                solve_corrections(matrix, s, rows, first_row, last_row, scale)
            for i in range(first_row, last_row):
                rows[i].multiplier += rows[i].correction
                add_impulse(rows[i], entries, bodies, kick * rows[i].correction)
            last_worst = worst
            passes += 1
            corrected = True
    if has_rows:
        if part.left_out > 0 or frozen:
            row = unmet_row(rows, first_row, last_row)
            if row >= 0:
                return ROWS_NOT_MET, row
        # Where corrections converge slowly, an old matrix would make them slower still.
        part.stale = 1 if frozen or slow else 0
        if frozen:
            thaw(rows, first_row, last_row)
    if walls is not None and has_walls:
        wall_kernels.book(walls, part, bodies, previous_dt, dt)
    all_at_once = springs is not None or joint_forces is not None or loads is not None or walls is not None
    if all_at_once:
        book_work(part, bodies, previous_dt)
    if joint_forces is not None:
        book_friction(part, joint_forces, part.first_joint_force, part.last_joint_force)
    if contacts is not None and part.last_interface > part.first_interface:
        by_contacts = contact_kernels.book(contacts, part)
        if all_at_once:
            part.damping_work += by_contacts  # taken out again of what dampers did
    if drives is not None:
        done, lost = work_of_drives(drives, part.first_drive, part.last_drive, rows, dt)
        part.drive_work += done
        part.impact_loss += lost
    if conditions is not None:
        part.drive_work += drive_work(conditions, part.first_condition, part.last_condition, rows)
    return COMPLETED, passes


@kernel
def clear(wrenches: Floats, first: int, last: int) -> None:
    for i in range(first, last):
        for c in range(6):
            wrenches[i, c] = 0.0


@kernel(inline=True)
def predict_multipliers(
    rows: Records, first: int, last: int, entries: Records, bodies: Records, kick: float, stretch: float
) -> None:
    """Multipliers of t_n extrapolated from the last two steps, and the kick they give.

    stretch : length of the last step, over that of the one before
    """
    for i in range(first, last):
        row = rows[i]
        # no extrapolation where there is no history
        predicted = row.multiplier
        if row.previous_multiplier != 0.0:
            predicted += stretch * (row.multiplier - row.previous_multiplier)
        row.previous_multiplier = row.multiplier
        row.multiplier, row.predicted = predicted, predicted
        add_impulse(row, entries, bodies, kick * predicted)


@kernel
def refresh_matrix(
    matrix: Matrix, s: int, rows: Records, first_row: int, last_row: int, entries: Records, bodies: Records
) -> None:
    """Factorise with the Jacobian of t_n."""
    assemble_matrix(matrix, s, rows, first_row, last_row, entries, bodies)
    factorise(matrix, s, REDUNDANT)


@kernel
def clear_dependent_rows(matrix: Matrix, rows: Records, first_row: int, last_row: int) -> None:
    """Before a step: a row that now depends on others passes its multiplier on to them."""
    for i in range(first_row, last_row):
        place = matrix.place_of_row[i]
        if place < 0 or matrix.pivot_inverse[place] == 0.0:
            rows[i].multiplier = 0.0
            rows[i].previous_multiplier = 0.0


@kernel
def freeze_weak_rows(
    part: Record, s: int, rows: Records, entries: Records, bodies: Records, matrix: Matrix, kick: float
) -> bool:
    """Take the multipliers of rows that nearly depend on others as zero for this step, and predict it anew.

    False if there are no such rows.

    Where a machine passes a position in which it could branch off, the weak combination of rows changes its sign within
    a step, and no correction with the Jacobian of t_n finds its way across: the motion at hand carries it over.
    """
    assemble_matrix(matrix, s, rows, part.first_row, part.last_row, entries, bodies)
    factorise(matrix, s, WEAK)
    found = False
    for i in range(part.first_row, part.last_row):
        place = matrix.place_of_row[i]
        if place >= 0 and matrix.pivot_inverse[place] == 0.0 and matrix.magnitude[place] > 0.0:
            rows[i].left_out = FROZEN
            rows[i].predicted = 0.0
            rows[i].previous_multiplier = 0.0
            found = True
    if found:
        repeat_prediction(part, rows, entries, bodies, kick)
    return found


@kernel
def thaw(rows: Records, first: int, last: int) -> None:
    """Solve for frozen rows again."""
    for i in range(first, last):
        if rows[i].left_out == FROZEN:
            rows[i].left_out = 0


@kernel
def repeat_prediction(part: Record, rows: Records, entries: Records, bodies: Records, kick: float) -> None:
    """Trial velocities from the forces of t_n and the predicted multipliers."""
    kick_bodies(bodies, None, part.first_body, part.last_body, kick, 0.0, False)
    for i in range(part.first_row, part.last_row):
        rows[i].multiplier = rows[i].predicted
        add_impulse(rows[i], entries, bodies, kick * rows[i].multiplier)


@kernel
def book_work(part: Record, bodies: Records, previous_dt: float) -> None:
    """Work of dampers and loads over the step that led to t_n: (F_{n-1} + F_n)/2 . (x_n - x_{n-1}), moments too."""
    dissipative, external = 0.0, 0.0
    for i in range(part.first_body, part.last_body):
        b = bodies[i]
        for c in range(6):
            step = previous_dt * b.velocity[c] if c < 3 else b.step_rotation[c - 3]
            dissipative += step * (b.previous_dissipative[c] + b.dissipative[c])
            external += step * (b.previous_external[c] + b.external[c])
            b.previous_dissipative[c] = b.dissipative[c]
            b.previous_external[c] = b.external[c]
    part.damping_work -= 0.5 * dissipative
    part.external_work += 0.5 * external


@kernel(inline=True)
def commit(
    part: Record, bodies: Records, rows: Records, joints: Records, drives: Records | None,
    conditions: Conditions | None, contacts: Contacts | None, dt: float, has_forces: bool,
) -> None:  # fmt: skip
    """The trial state of t_{n+1} becomes the state, ready for new forces where there may be some."""
    commit_bodies(part, bodies, contacts, dt, has_forces)
    for i in range(part.first_row, part.last_row):
        rows[i].committed_residual = rows[i].residual
    commit_joints(joints, part.first_joint, part.last_joint, dt)
    if drives is not None:
        commit_drives(drives, part.first_drive, part.last_drive)
    if conditions is not None:
        commit_conditions(conditions, part.first_condition, part.last_condition)


@kernel
def correct_rates(
    part: Record, s: int, bodies: Records, rows: Records, entries: Records, matrix: Matrix,
    drives: Records | None, conditions: Conditions | None, dt: float, kick: float,
) -> None:  # fmt: skip
    """Multipliers that give the trial velocities the rates the rows want."""
    for i in range(part.first_row, part.last_row):
        rows[i].residual = rate_of_row(rows[i], entries, bodies)
    if drives is not None:
        subtract_mean_drive_rates(drives, part.first_drive, part.last_drive, rows, dt)
    if conditions is not None:
        subtract_mean_rates(conditions, part.first_condition, part.last_condition, rows, dt)
    solve_corrections(matrix, s, rows, part.first_row, part.last_row, -1.0 / kick)
    for i in range(part.first_row, part.last_row):
        rows[i].multiplier += rows[i].correction
        add_impulse(rows[i], entries, bodies, kick * rows[i].correction)


@kernel
def rate_of_row(row: Record, entries: Records, bodies: Records) -> float:
    """G v of one row at the trial velocities."""
    total = 0.0
    for k in range(row.start, row.end):
        b, jacobian = bodies[entries[k].body], entries[k].jacobian
        w = angular_velocity(b, b.trial_momentum[0], b.trial_momentum[1], b.trial_momentum[2])
        for c in range(3):
            total += jacobian[c] * b.trial_velocity[c] + jacobian[c + 3] * w[c]
    return total
