"""The rows of a subsystem: Jacobians at t_n, residuals at the trial positions, multipliers, and the matrix.

A subsystem with rows passes through here in each step; what only some decks have (drives, constraints of nodes) is
called by address, see `families`.
"""

from __future__ import annotations

import math

from ..constraints.drives import drive_residuals, finish_drive_rows, subtract_mean_drive_rates
from ..constraints.flywheels import exchange_momenta, set_entries_on_flywheels
from ..constraints.joints import joint_jacobians, joint_residuals
from ..constraints.kkt import (
    REDUNDANT,
    assemble_matrix,
    assemble_trial_matrix,
    factorise,
    factorise_trial,
    solve_corrections,
)
from ..constraints.nodal_constraints import subtract_mean_rates
from ..constraints.relations import relation_jacobians, relation_residuals
from ..constraints.rows import DEACTIVATED, add_impulse, rate_of_kick, rate_of_row
from ..core.bodies import GROUND, Record, Records
from ..core.body_points import exchange_places
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .kick_drift import find_kicked_spins
from .status import COMPLETED
from .system import CONDITIONS, DRIVES, GYROSTATS, ON_SUBSYSTEM, System


@kernel(inline=True)
def has(subsystem: Record, families: int) -> bool:
    """Whether a subsystem has any of some families."""
    return subsystem.families & families != 0


@kernel(inline=True)
def prepare_rows(system: System, s: int) -> int:
    """Targets of the step and the Jacobians of t_n; the matrix where an old one will not do.

    A drive or a prescribed motion that would jump ends the step (JUMP, NO_DISTANCE).
    """
    subsystem, kernels = system.subsystems[s], system.kernels
    status = COMPLETED
    if has(subsystem, CONDITIONS):
        status = call(kernels.prepare_conditions, ON_SUBSYSTEM, system, s)
    if has(subsystem, DRIVES) and status == COMPLETED:
        status = call(kernels.prepare_drives, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status
    status = set_jacobians(system, s)
    if status == COMPLETED and subsystem.stale == 1:
        status = call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    if subsystem.stale == 1 or subsystem.newton > 0:
        clear_dependent_rows(system, subsystem)
    return status


# ---- called by address, so that what finds the state at t = 0 and the loop share them ------------------------


@kernel(inline=True)
def set_jacobians(system: System, s: int) -> int:
    """Jacobians of all rows at t_n, once drives and constraints of nodes are prepared."""
    subsystem, joints = system.subsystems[s], system.joints
    rows, entries, bodies = system.rows, system.entries, system.bodies
    status = COMPLETED
    if has(subsystem, CONDITIONS):
        status = call(system.kernels.set_condition_jacobians, ON_SUBSYSTEM, system, s)
    joint_jacobians(joints, subsystem.first_joint, subsystem.last_joint, rows, entries, bodies)
    set_relations(system, s)
    if has(subsystem, DRIVES):
        finish_drive_rows(system.drives, subsystem.first_drive, subsystem.last_drive, rows, entries)
    return status


@kernel(inline=True)
def set_relations(system: System, s: int) -> None:
    """Jacobians of relations at t_n, of drives as if all acted.

    Of angles of gyrostats' rotors those of an earlier step would not do: what a rotor stores turns with its carrier.
    """
    subsystem, entries = system.subsystems[s], system.entries
    relation_jacobians(system.relations, system.terms, subsystem.first_relation, subsystem.last_relation, system.joints,
                       system.rows, entries, system.bodies)  # fmt: skip
    if has(subsystem, GYROSTATS):
        geared, on_flywheels = system.gyrostats.geared[s], system.gyrostats.on_flywheels
        set_entries_on_flywheels(on_flywheels, geared.first_on_flywheel, geared.last_on_flywheel, entries)


@kernel(inline=True)
def measure_rows(system: System, s: int) -> int:
    """row.residual <- g at the trial positions."""
    subsystem, joints, rows = system.subsystems[s], system.joints, system.rows
    joint_residuals(joints, subsystem.first_joint, subsystem.last_joint, rows, system.bodies)
    relation_residuals(system.relations, system.terms, subsystem.first_relation, subsystem.last_relation, joints, rows)
    if has(subsystem, DRIVES):
        drive_residuals(system.drives, subsystem.first_drive, subsystem.last_drive, rows, joints)
    status = COMPLETED
    if has(subsystem, CONDITIONS):
        status = call(system.kernels.measure_conditions, ON_SUBSYSTEM, system, s)
    return status


@kernel
def refresh_matrix(system: System, s: int) -> int:
    """Factorise with the Jacobian of t_n."""
    assemble_matrix(system.matrix, s, system.subsystems[s], system.rows, system.entries, system.bodies)
    factorise(system.matrix, s, REDUNDANT)
    return COMPLETED


@kernel
def refresh_trial_matrix(system: System, s: int) -> int:
    """Factorise the matrix of Newton's method at the trial positions."""
    subsystem, bodies, entries = system.subsystems[s], system.bodies, system.entries
    first, last = system.rows[subsystem.first_row].start, system.rows[subsystem.last_row - 1].end
    exchange_all(system, subsystem)
    for k in range(first, last):
        entries[k].trial[:] = entries[k].jacobian
    status = call(system.kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    for k in range(first, last):
        for c in range(6):
            entries[k].trial[c], entries[k].jacobian[c] = entries[k].jacobian[c], entries[k].trial[c]
    exchange_all(system, subsystem)
    if has(subsystem, GYROSTATS):
        exchange_momenta_of_carriers(system, s)
    assemble_trial_matrix(system.matrix, s, subsystem, system.rows, entries, bodies, system.steps[s].dt)
    if has(subsystem, GYROSTATS):
        exchange_momenta_of_carriers(system, s)
    factorise_trial(system.matrix, s, REDUNDANT)
    return status


@kernel(inline=True)
def exchange_all(system: System, subsystem: Record) -> None:
    """The trial places of all bodies for those of t_n, and the other way round."""
    for i in range(subsystem.first_body, subsystem.last_body):
        exchange_places(system.bodies[i])


@kernel(inline=True)
def exchange_momenta_of_carriers(system: System, s: int) -> None:
    """See `exchange_momenta`."""
    geared = system.gyrostats.geared[s]
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        if gyrostat.body != GROUND and gyrostat.last_spin > gyrostat.first_spin:
            exchange_momenta(gyrostat, system.bodies[gyrostat.body])


@kernel
def clear_dependent_rows(system: System, subsystem: Record) -> None:
    """Before a step: a row that now depends on others passes its multiplier on to them."""
    rows, place_of_row, pivot_inverse = system.rows, system.matrix.place_of_row, system.matrix.pivot_inverse
    for i in range(subsystem.first_row, subsystem.last_row):
        place = place_of_row[i]
        if place < 0 or pivot_inverse[place] == 0.0:
            rows[i].multiplier = 0.0
            rows[i].previous_multiplier = 0.0


# ---- multipliers ---------------------------------------------------------------------------------------------


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


@kernel(inline=True)
def correct_multipliers(system: System, s: int, kick: float, dt: float) -> None:
    """Change the multipliers by what takes the residuals away, with the Jacobian of the matrix, and kick by that."""
    subsystem, rows = system.subsystems[s], system.rows
    solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0 / (dt * kick))
    add_corrections(rows, subsystem.first_row, subsystem.last_row, system.entries, system.bodies, kick)


@kernel(inline=True)
def add_corrections(rows: Records, first: int, last: int, entries: Records, bodies: Records, kick: float) -> None:
    for i in range(first, last):
        rows[i].multiplier += rows[i].correction
        add_impulse(rows[i], entries, bodies, kick * rows[i].correction)


@kernel
def correct_rates(system: System, s: int) -> int:
    """Multipliers that give the trial velocities the rates the rows want."""
    subsystem, step = system.subsystems[s], system.steps[s]
    rows, entries, bodies = system.rows, system.entries, system.bodies
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].residual = rate_of_row(rows[i], entries, bodies, True)
    subtract_mean_drive_rates(system.drives, subsystem.first_drive, subsystem.last_drive, rows, step.dt)
    subtract_mean_rates(system.conditions, subsystem.first_condition, subsystem.last_condition, rows, step.dt)
    solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0 / step.kick)
    add_corrections(rows, subsystem.first_row, subsystem.last_row, entries, bodies, step.kick)
    return COMPLETED


@kernel
def keep_rates(system: System, s: int) -> None:
    """Multipliers that take from the rates of rows what the last change of the forces has added to them."""
    subsystem, step = system.subsystems[s], system.steps[s]
    rows, entries, bodies = system.rows, system.entries, system.bodies
    find_kicked_spins(bodies, subsystem.first_body, subsystem.last_body, step.kick)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].residual = rate_of_kick(rows[i], entries, bodies)
    solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0 / step.kick)
    add_corrections(rows, subsystem.first_row, subsystem.last_row, entries, bodies, step.kick)


@kernel
def reactivate_rows(rows: Records, first: int, last: int) -> None:
    """Solve for rows again that were deactivated in the last step."""
    for i in range(first, last):
        if rows[i].left_out == DEACTIVATED:
            rows[i].left_out = 0


@kernel
def start_corrections_again(step: Record) -> None:
    """Weak rows are deactivated: count the corrections anew."""
    step.weakened, step.passes, step.passes_before, step.last_worst = 1, 0, 0, math.inf
