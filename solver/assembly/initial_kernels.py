"""The machine at t = 0: positions that meet the rows, first matrices, and velocities that meet them too."""

from __future__ import annotations

import math
from typing import Any

from ..constraints.drives import DISPLACEMENT
from ..constraints.joints import commit_joints, set_rates
from ..constraints.kkt import assemble_matrix, factorise, solve_corrections
from ..constraints.redundancy import NEARLY_DEPENDENT
from ..constraints.rows import add_impulse, clear_row, rate_of_row, unmet_row, worst_residual
from ..core.bodies import Record, Records
from ..core.body_points import take_trial_place
from ..core.jit.kernels import kernel
from ..core.jit.pointers import DIED, Pointer, call
from ..core.jit.references import reference_to
from ..integration.kernels import set_start_addresses
from ..integration.kick_drift import drift, start_forces
from ..integration.rows import (
    clear_dependent_rows,
    has,
    set_jacobians,
)
from ..integration.status import COMPLETED, ROWS_NOT_MET
from ..integration.system import CONDITIONS, DRIVES, ON_SUBSYSTEM, System

PROJECTIONS = 2  # of the initial velocities: the second one repairs the rounding of the first
NEAREST_PASSES, MOST_PASSES = 40, 100  # of closing gaps: to the nearest place, and in all
MOST_RISES = 4  # of the residual on the way to the nearest place, which may rise before it falls


def on_all_subsystems(system: System, pointer: Pointer) -> int:
    """Call a kernel for each subsystem with rows; the first that gives back anything but COMPLETED, or -1.

    Raises
    ------
    RuntimeError
        a kernel raised an exception: a fault of gsolve
    """
    set_start_addresses(system)
    reference = reference_to(system)
    entry: Any = None
    for s, subsystem in enumerate(system.subsystems):
        if subsystem["last_row"] > subsystem["first_row"]:
            entry = entry or pointer.entry()
            status = entry(reference.address, s)
            if status == DIED:
                raise RuntimeError("a compiled part of gsolve failed")
            if status != COMPLETED:
                return s
    return -1


def set_joint_rates(system: System) -> None:
    """Rates of the coordinates of all joints, from the velocities of the bodies."""
    reference = reference_to(system)
    JOINT_RATES.entry()(reference.address, 0)


@kernel
def set_joint_rates_of(system: System, _s: int) -> int:
    """`set_joint_rates`, for all subsystems at once."""
    set_rates(system.joints, 0, len(system.joints), system.bodies)
    return COMPLETED


def begin(system: System) -> None:
    """Jacobians and matrices of all subsystems at the positions of t = 0."""
    set_joint_rates(system)  # drives go on from them
    system.subsystems["drive_work"] = 0.0
    on_all_subsystems(system, BEGIN)


@kernel
def begin_subsystem(system: System, s: int) -> int:
    """`begin` for one subsystem."""
    subsystem, step, bodies = system.subsystems[s], system.steps[s], system.bodies
    for i in range(subsystem.first_body, subsystem.last_body):
        for c in range(3):
            bodies[i].trial_velocity[c] = bodies[i].velocity[c]
            bodies[i].trial_momentum[c] = bodies[i].momentum[c]
    start_forces(bodies, None, subsystem.first_body, subsystem.last_body, 0.0)
    step.t, step.dt, step.previous_dt = 0.0, 0.0, 0.0
    if has(subsystem, CONDITIONS):
        call(system.kernels.prepare_conditions, ON_SUBSYSTEM, system, s)
    if has(subsystem, DRIVES):
        call(system.kernels.prepare_drives, ON_SUBSYSTEM, system, s)
    status = call(system.kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    call(system.kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    return status


def renew_jacobians(system: System, s: int) -> None:
    """Jacobians of all rows of subsystem s at t_n."""
    set_start_addresses(system)
    reference = reference_to(system)
    RENEW.entry()(reference.address, s)


def factorise_loosely(system: System) -> None:
    """The matrices of all subsystems from the Jacobians at hand; a zero pivot where a row nearly depends on others."""
    on_all_subsystems(system, FACTORISE_LOOSELY)


@kernel
def factorise_subsystem_loosely(system: System, s: int) -> int:
    """`factorise_loosely` for one subsystem."""
    assemble_matrix(system.matrix, s, system.subsystems[s], system.rows, system.entries, system.bodies)
    factorise(system.matrix, s, NEARLY_DEPENDENT)
    return COMPLETED


# ---- positions -----------------------------------------------------------------------------------------------


def measure_gaps(system: System) -> float:
    """Residuals of all rows as built; returns the largest, by the tolerance of its row."""
    system.steps["worst"] = 0.0
    on_all_subsystems(system, MEASURE)
    return float(system.steps["worst"].max(initial=0.0))


@kernel
def measure_subsystem(system: System, s: int) -> int:
    """`measure_gaps` for one subsystem."""
    subsystem, rows = system.subsystems[s], system.rows
    status = call(system.kernels.measure_rows, ON_SUBSYSTEM, system, s)
    met_anyhow = unmet_row(rows, subsystem.first_row, subsystem.last_row) < 0
    system.steps[s].worst = worst_residual(rows, subsystem.first_row, subsystem.last_row) if met_anyhow else math.inf
    return status


def close_gaps(system: System) -> int:
    """Move the bodies from where they were built to the nearest positions that meet all rows.

    The motion from the places as built is M^-1 G^T mu, G that of the positions reached: of all motions it is the one of
    least sum of m u^2 (and of theta . I theta).  Corrections of mu may converge slowly; what little they leave is
    closed from the places reached, as Newton does.  Velocities are left as they are.  Returns a subsystem that finds
    no such positions, -1 if all do.
    """
    return on_all_subsystems(system, CLOSE)


@kernel
def close_subsystem(system: System, s: int) -> int:
    """`close_gaps` for one subsystem; ROWS_NOT_MET if it does not converge."""
    subsystem, rows, entries, bodies = system.subsystems[s], system.rows, system.entries, system.bodies
    first_row, last_row, first_body, last_body = (
        subsystem.first_row,
        subsystem.last_row,
        subsystem.first_body,
        subsystem.last_body,
    )
    for i in range(first_row, last_row):
        rows[i].multiplier = 0.0
    last, met, nearest, rises = math.inf, False, True, 0
    for k in range(MOST_PASSES):
        for i in range(first_body, last_body):
            clear_motion(bodies[i], nearest)
        for i in range(first_row, last_row):
            add_impulse(rows[i], entries, bodies, rows[i].multiplier)
        if drift(bodies, None, first_body, last_body, 1.0) >= 0:
            break
        call(system.kernels.measure_rows, ON_SUBSYSTEM, system, s)
        free_drives(system.drives, subsystem.first_drive, subsystem.last_drive, rows, entries)
        worst = worst_residual(rows, first_row, last_row)
        # it ends where round-off stops it
        if worst <= 1.0 or (worst <= 1e3 and worst > 0.5 * last):
            met = True
            break
        if not worst < math.inf:
            break
        rises += 1 if worst > last else 0
        nearest = nearest and k < NEAREST_PASSES and rises <= MOST_RISES
        last = worst
        for i in range(first_body, last_body):
            take_trial_place(bodies[i])
        call(system.kernels.set_jacobians, ON_SUBSYSTEM, system, s)
        free_drives(system.drives, subsystem.first_drive, subsystem.last_drive, rows, entries)
        call(system.kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
        clear_dependent_rows(system, subsystem)
        solve_corrections(system.matrix, s, rows, first_row, last_row, -1.0)
        for i in range(first_row, last_row):
            rows[i].multiplier = rows[i].correction + (rows[i].multiplier if nearest else 0.0)
    for i in range(first_row, last_row):
        rows[i].multiplier = 0.0
    met = met and unmet_row(rows, first_row, last_row) < 0
    if met:
        for i in range(first_body, last_body):
            take_trial_place(bodies[i])
        commit_joints(system.joints, subsystem.first_joint, subsystem.last_joint, 1.0)
    return COMPLETED if met else ROWS_NOT_MET


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


# ---- velocities ----------------------------------------------------------------------------------------------


def measure_rates(system: System) -> None:
    """row.residual <- what is left of the rate of each row, of those that the row wants at t = 0."""
    on_all_subsystems(system, RATES)


def project_velocities(system: System) -> None:
    """Change the velocities to the nearest ones that meet the rows: by M^-1 G^T mu, the least kinetic energy.

    row.residual is the rate that is left of each row.
    """
    on_all_subsystems(system, PROJECT)


@kernel
def project_subsystem(system: System, s: int) -> int:
    """`project_velocities` for one subsystem."""
    subsystem, rows, bodies = system.subsystems[s], system.rows, system.bodies
    prescribed = is_prescribed(subsystem)
    for _ in range(PROJECTIONS):
        set_rates_left(system, s)
        solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0)
        if prescribed:
            call(system.kernels.add_start_work, ON_SUBSYSTEM, system, s)
        for i in range(subsystem.first_row, subsystem.last_row):
            add_impulse(rows[i], system.entries, bodies, rows[i].correction)
            rows[i].residual = 0.0
    # what is left: nothing, but for rows that depend on others and ask for something else than they do
    set_rates_left(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        for c in range(3):
            bodies[i].velocity[c] = bodies[i].trial_velocity[c]
            bodies[i].momentum[c] = bodies[i].trial_momentum[c]
    return COMPLETED


@kernel
def set_rates_left(system: System, s: int) -> int:
    """row.residual <- G v at the trial velocities, less the rate that the row wants at t = 0."""
    subsystem, rows = system.subsystems[s], system.rows
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].residual = rate_of_row(rows[i], system.entries, system.bodies, True)
    if is_prescribed(subsystem):
        return call(system.kernels.subtract_start_rates, ON_SUBSYSTEM, system, s)
    return COMPLETED


@kernel(inline=True)
def is_prescribed(subsystem: Record) -> bool:
    """Whether drives or prescribed motions act in a subsystem."""
    return has(subsystem, DRIVES | CONDITIONS)


POINTERS = JOINT_RATES, BEGIN, RENEW, FACTORISE_LOOSELY, MEASURE, CLOSE, PROJECT, RATES = tuple(
    Pointer(kernel_, ON_SUBSYSTEM)
    for kernel_ in (
        set_joint_rates_of,
        begin_subsystem,
        set_jacobians,
        factorise_subsystem_loosely,
        measure_subsystem,
        close_subsystem,
        project_subsystem,
        set_rates_left,
    )
)
