"""The machine at t = 0: positions that meet the rows, first matrices, and velocities that meet them too."""

from __future__ import annotations

import math

from ..constraints.drives import (
    drive_residuals,
    drive_work_of_start,
    finish_drive_rows,
    prepare_drives,
    subtract_drive_rates,
)
from ..constraints.joints import commit_joints, joint_jacobians, joint_residuals, set_rates
from ..constraints.kkt import Matrix, solve_corrections
from ..constraints.motion_law import DISPLACEMENT
from ..constraints.nodal_constraints import (
    Conditions,
    condition_jacobians,
    condition_residuals,
    prepare_conditions,
    subtract_target_rates,
    work_of_start,
)
from ..constraints.relations import relation_jacobians, relation_residuals
from ..constraints.rows import add_impulse, clear_row, unmet_row, worst_residual
from ..core.bodies import Floats, Motion, Points, Record, Records
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.skews import Skews
from ..integration.kick_drift import drift, start_forces
from ..integration.loop import clear_dependent_rows, rate_of_row, refresh_matrix
from ..integration.system import System

PROJECTIONS = 2  # of the initial velocities: the second one repairs the rounding of the first
NEAREST_PASSES, MOST_PASSES = 40, 100  # of closing gaps: to the nearest place, and in all


def has_rows(system: System, s: int) -> bool:
    return bool(system.parts["last_row"][s] > system.parts["first_row"][s])


def begin(system: System) -> None:
    """Jacobians and matrices of all subsystems at the positions of t = 0."""
    set_rates(system.joints, system.bodies)  # drives go on from them
    for s in range(len(system.parts)):
        system.parts["drive_work"][s] = 0.0
        if has_rows(system, s):
            begin_subsystem(
                s, system.parts, system.bodies, system.rows, system.entries, system.joints, system.relations,
                system.terms, system.matrix, system.points, system.motion, system.drives, system.conditions,
                system.tables, system.skews, system.axes,
            )  # fmt: skip


@kernel
def begin_subsystem(
    s: int, parts: Records, bodies: Records, rows: Records, entries: Records, joints: Records, relations: Records,
    terms: Records, matrix: Matrix, points: Points, motion: Motion, drives: Records | None,
    conditions: Conditions | None, tables: FunctionTables, skews: Skews, axes: Floats,
) -> None:  # fmt: skip
    """`begin` for one subsystem."""
    part = parts[s]
    for i in range(part.first_body, part.last_body):
        for c in range(3):
            bodies[i].trial_velocity[c] = bodies[i].velocity[c]
            bodies[i].trial_momentum[c] = bodies[i].momentum[c]
    start_forces(bodies, None, part.first_body, part.last_body, 0.0)
    if conditions is not None:
        prepare_conditions(conditions, part.first_condition, part.last_condition, rows, tables, skews, points, motion,
                           axes, 0.0, 0.0, 0.0)  # fmt: skip
    if drives is not None:
        prepare_drives(drives, part.first_drive, part.last_drive, rows, joints, tables, 0.0, 0.0, 0.0)
    set_jacobians(part, rows, entries, joints, relations, terms, drives, conditions, bodies, points, motion)
    refresh_matrix(matrix, s, rows, part.first_row, part.last_row, entries, bodies)


def renew_jacobians(system: System, s: int) -> None:
    """Jacobians of all rows of subsystem s at t_n."""
    renew_subsystem(
        s, system.parts, system.rows, system.entries, system.joints, system.relations, system.terms, system.drives,
        system.conditions, system.bodies, system.points, system.motion,
    )  # fmt: skip


@kernel
def renew_subsystem(
    s: int, parts: Records, rows: Records, entries: Records, joints: Records, relations: Records, terms: Records,
    drives: Records | None, conditions: Conditions | None, bodies: Records, points: Points, motion: Motion,
) -> None:  # fmt: skip
    """`renew_jacobians`, compiled."""
    set_jacobians(parts[s], rows, entries, joints, relations, terms, drives, conditions, bodies, points, motion)


@kernel
def set_jacobians(
    part: Record, rows: Records, entries: Records, joints: Records, relations: Records, terms: Records,
    drives: Records | None, conditions: Conditions | None, bodies: Records, points: Points, motion: Motion,
) -> None:  # fmt: skip
    """Jacobians of all rows of a subsystem, once its conditions and drives are prepared.

    The time loop has the same calls in line: handed on once more, the tuples would cost it a tenth of a step.
    """
    if conditions is not None and part.last_condition > part.first_condition:
        condition_jacobians(conditions, part.first_condition, part.last_condition, entries, points, motion)
    joint_jacobians(joints, part.first_joint, part.last_joint, rows, entries, bodies)
    relation_jacobians(relations, terms, part.first_relation, part.last_relation, joints, rows, entries, bodies)
    if drives is not None and part.last_drive > part.first_drive:
        finish_drive_rows(drives, part.first_drive, part.last_drive, rows, entries)


@kernel
def set_residuals(
    part: Record, rows: Records, joints: Records, relations: Records, terms: Records, drives: Records | None,
    conditions: Conditions | None, skews: Skews, points: Points, bodies: Records, trial: Motion, motion: Motion,
) -> None:  # fmt: skip
    """Residuals of all rows of a subsystem at the trial positions."""
    joint_residuals(joints, part.first_joint, part.last_joint, rows, bodies)
    relation_residuals(relations, terms, part.first_relation, part.last_relation, joints, rows)
    if drives is not None and part.last_drive > part.first_drive:
        drive_residuals(drives, part.first_drive, part.last_drive, rows, joints)
    if conditions is not None and part.last_condition > part.first_condition:
        condition_residuals(conditions, part.first_condition, part.last_condition, rows, skews, points, bodies,
                            trial, motion)  # fmt: skip


# ---- positions -----------------------------------------------------------------------------------------------


def measure_gaps(system: System) -> float:
    """Residuals of all rows as built; returns the largest, by the tolerance of its row."""
    worst = 0.0
    for s in range(len(system.parts)):
        gap = measure_subsystem(
            s, system.parts, system.bodies, system.rows, system.joints, system.relations, system.terms, system.drives,
            system.conditions, system.skews, system.points, system.trial, system.motion,
        )  # fmt: skip
        worst = max(worst, gap)
    return worst


@kernel
def measure_subsystem(
    s: int, parts: Records, bodies: Records, rows: Records, joints: Records, relations: Records, terms: Records,
    drives: Records | None, conditions: Conditions | None, skews: Skews, points: Points, trial: Motion, motion: Motion,
) -> float:  # fmt: skip
    """`measure_gaps` for one subsystem."""
    part = parts[s]
    set_residuals(part, rows, joints, relations, terms, drives, conditions, skews, points, bodies, trial, motion)
    met_anyhow = unmet_row(rows, part.first_row, part.last_row) < 0
    return worst_residual(rows, part.first_row, part.last_row) if met_anyhow else math.inf


def close_gaps(system: System) -> int:
    """Move the bodies from where they were built to the nearest positions that meet all rows.

    The motion from the places as built is M^-1 G^T mu, G that of the positions reached: of all motions it is the one of
    least sum of m u^2 (and of theta . I theta).  Corrections of mu may converge slowly; what little they leave is
    closed from the places reached, as Newton does.  Velocities are left as they are.  Returns a subsystem that finds
    no such positions, -1 if all do.
    """
    for s in range(len(system.parts)):
        if has_rows(system, s) and not close_subsystem(
            s, system.parts, system.bodies, system.rows, system.entries, system.joints, system.relations, system.terms,
            system.matrix, system.points, system.motion, system.trial, system.drives, system.conditions,
            system.skews,
        ):  # fmt: skip
            return s
    return -1


@kernel
def close_subsystem(
    s: int, parts: Records, bodies: Records, rows: Records, entries: Records, joints: Records, relations: Records,
    terms: Records, matrix: Matrix, points: Points, motion: Motion, trial: Motion, drives: Records | None,
    conditions: Conditions | None, skews: Skews,
) -> bool:  # fmt: skip
    """`close_gaps` for one subsystem; False if it does not converge."""
    part = parts[s]
    first_row, last_row, first_body, last_body = part.first_row, part.last_row, part.first_body, part.last_body
    for i in range(first_row, last_row):
        rows[i].multiplier = 0.0
    last, met, nearest = math.inf, False, True
    for k in range(MOST_PASSES):
        for i in range(first_body, last_body):
            clear_motion(bodies[i], nearest)
        for i in range(first_row, last_row):
            add_impulse(rows[i], entries, bodies, rows[i].multiplier)
        if drift(bodies, None, first_body, last_body, 1.0) >= 0:
            break
        set_residuals(part, rows, joints, relations, terms, drives, conditions, skews, points, bodies, trial, motion)
        if drives is not None:
            free_drives(drives, part.first_drive, part.last_drive, rows, entries)
        worst = worst_residual(rows, first_row, last_row)
        # it ends where round-off stops it
        if worst <= 1.0 or (worst <= 1e3 and worst > 0.5 * last):
            met = True
            break
        if not worst < math.inf:
            break
        nearest = nearest and k < NEAREST_PASSES and worst < 2 * last
        last = worst
        for i in range(first_body, last_body):
            take_trial_place(bodies[i])
        set_jacobians(part, rows, entries, joints, relations, terms, drives, conditions, bodies, points, motion)
        if drives is not None:
            free_drives(drives, part.first_drive, part.last_drive, rows, entries)
        refresh_matrix(matrix, s, rows, first_row, last_row, entries, bodies)
        clear_dependent_rows(matrix, rows, first_row, last_row)
        solve_corrections(matrix, s, rows, first_row, last_row, -1.0)
        for i in range(first_row, last_row):
            rows[i].multiplier = rows[i].correction + (rows[i].multiplier if nearest else 0.0)
    for i in range(first_row, last_row):
        rows[i].multiplier = 0.0
    met = met and unmet_row(rows, first_row, last_row) < 0
    if met:
        for i in range(first_body, last_body):
            take_trial_place(bodies[i])
        commit_joints(joints, part.first_joint, part.last_joint, 1.0)
    return met


@kernel
def free_drives(drives: Records, first: int, last: int, rows: Records, entries: Records) -> None:
    """Drives that start from whatever coordinate the machine has do not hold it while gaps are closed."""
    for i in range(first, last):
        if drives[i].kind == DISPLACEMENT and drives[i].absolute == 1:
            continue
        row = rows[drives[i].row]
        row.residual = 0.0
        clear_row(row, entries)


@kernel
def clear_motion(body: Record, put_back: bool) -> None:
    """Stop a body, and put it back where it was built."""
    for c in range(3):
        body.trial_velocity[c], body.trial_momentum[c] = 0.0, 0.0
    if not put_back:
        return
    for c in range(3):
        body.displacement[c], body.low_displacement[c] = 0.0, 0.0
        for d in range(3):
            body.rotation[c, d] = 1.0 if c == d else 0.0
    for c in range(4):
        body.quaternion[c] = 1.0 if c == 0 else 0.0


@kernel
def take_trial_place(body: Record) -> None:
    """The trial place becomes the place of t = 0."""
    for c in range(3):
        body.displacement[c] = body.trial_displacement[c]
        body.low_displacement[c] = body.trial_low_displacement[c]
        for d in range(3):
            body.rotation[c, d] = body.trial_rotation[c, d]
    for c in range(4):
        body.quaternion[c] = body.trial_quaternion[c]


# ---- velocities ----------------------------------------------------------------------------------------------


def project_velocities(system: System) -> None:
    """Change the velocities to the nearest ones that meet the rows: by M^-1 G^T mu, the least kinetic energy.

    row.residual is the rate that is left of each row.
    """
    for s in range(len(system.parts)):
        if has_rows(system, s):
            project_subsystem(
                s, system.parts, system.bodies, system.rows, system.entries, system.matrix, system.drives,
                system.conditions, system.tables,
            )  # fmt: skip


@kernel
def project_subsystem(
    s: int, parts: Records, bodies: Records, rows: Records, entries: Records, matrix: Matrix, drives: Records | None,
    conditions: Conditions | None, tables: FunctionTables,
) -> None:  # fmt: skip
    """`project_velocities` for one subsystem."""
    part = parts[s]
    for _ in range(PROJECTIONS):
        set_rates_left(part, rows, entries, bodies, drives, conditions, tables)
        solve_corrections(matrix, s, rows, part.first_row, part.last_row, -1.0)
        if drives is not None:
            part.drive_work += drive_work_of_start(drives, part.first_drive, part.last_drive, rows, tables)
        if conditions is not None:
            part.drive_work += work_of_start(conditions, part.first_condition, part.last_condition, rows, tables)
        for i in range(part.first_row, part.last_row):
            add_impulse(rows[i], entries, bodies, rows[i].correction)
            rows[i].residual = 0.0
    # what is left: nothing, but for rows that depend on others and ask for something else than they do
    set_rates_left(part, rows, entries, bodies, drives, conditions, tables)
    for i in range(part.first_body, part.last_body):
        for c in range(3):
            bodies[i].velocity[c] = bodies[i].trial_velocity[c]
            bodies[i].momentum[c] = bodies[i].trial_momentum[c]


@kernel
def set_rates_left(
    part: Record, rows: Records, entries: Records, bodies: Records, drives: Records | None,
    conditions: Conditions | None, tables: FunctionTables,
) -> None:  # fmt: skip
    """row.residual <- G v at the trial velocities, less the rate that the row wants at t = 0."""
    for i in range(part.first_row, part.last_row):
        rows[i].residual = rate_of_row(rows[i], entries, bodies)
    if drives is not None:
        subtract_drive_rates(drives, part.first_drive, part.last_drive, rows, tables)
    if conditions is not None:
        subtract_target_rates(conditions, part.first_condition, part.last_condition, rows, tables, 0.0)
