"""One step of a subsystem: kick, drift, correct the multipliers.

Positions live at t_n, velocities v and spatial angular momenta L at t_{n-1/2}.  A step kicks by (dt_{n-1} + dt_n)/2
with the forces of t_n and drifts by dt_n.  The position rows g(x_{n+1}) = 0 are met by the multipliers of the kick at
t_n: predicted from the last two steps, corrected with (G M^-1 G^T) of t_n (or of an earlier step, while that
converges as fast) until |g| is at round-off, SHAKE with chord iterations:

    dlambda = -(G M^-1 G^T)^-1 g(x_{n+1}) / (dt_n kick),    v += kick M^-1 G^T dlambda,    L likewise.

Forces that depend on the rate see v_n, the mean of v_{n-1/2} and v_{n+1/2}: they are refined with each estimate of it.
"""

from __future__ import annotations

import math

from ..constraints.drives import accumulate_drives
from ..constraints.nodal_constraints import drive_work
from ..constraints.rows import LOOSE, TIGHT, unmet_row, worst_residual, worst_row
from ..contact.rigid_wall_records import WALL_PASSES, WALL_SLACK
from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..forces.joint_forces import accumulate_joint_forces
from .accuracy import ROUGH, rows_lose_energy
from .internal_forces import refine_internal_forces, start_internal_forces
from .kick_drift import drift, kick_bodies, kick_by_change, renew_mean_velocities
from .parts import bodies_in_parts, is_divided
from .rows import (
    add_corrections,
    correct_multipliers,
    has,
    keep_rates,
    measure_rows,
    predict_multipliers,
    prepare_rows,
    reactivate_rows,
    start_corrections_again,
)
from .status import AGAIN, COMPLETED, DIVERGED, INACCURATE, NOT_HELD, ROWS_NOT_MET
from .system import (
    CONDITIONS,
    DRIVES,
    FORCES,
    GYROSTATS,
    INTERFACES,
    JOINT_FORCES,
    LOADS,
    ON_BODIES,
    ON_SUBSYSTEM,
    ROWS,
    WALLS,
    System,
)  # fmt: skip

MAX_PASSES = 40
REFRESH_AFTER = 8  # corrections in one step after which Newton's method takes over at once
MOST_OF_NEWTON = 12  # corrections: what has not converged after these never does
# With the matrix of the trial positions two corrections do, but it is to be made in each step.  After a step of many
# corrections some take it, then one tries whether that of t_n does.
MANY_PASSES, NEWTON_STEPS = 5, 64  # the first beyond those of the refinements of forces
SLOW = 0.1  # a correction that leaves more than this of the residual
FAR_FROM_ROUND_OFF = 10  # residuals above this many tolerances show how fast the corrections converge
MOST_WALL_PASSES = 100  # refinements of the forces of walls
SETTLED = 1e-10  # of all forces, what a refinement may leave out
FIRST_PASSES = 16  # of the first step, which has no multipliers of earlier steps to start from
ACCEPTED = LOOSE / TIGHT
# Predicted multipliers are taken as they are below this fraction of the tolerance: a residual of the tolerance itself
# is harmless in the positions, but dt^2 is small, and it would show in the reactions.
UNCORRECTED = 1 / 16


@kernel(inline=True)
def one_step(system: System, s: int, t: float, dt: float, previous_dt: float) -> int:
    """Subsystem s from t_n to the converged trial state of t_{n+1}; returns a status."""
    subsystem, step = system.subsystems[s], system.steps[s]
    begin_step(subsystem, step, t, dt, previous_dt)
    status = add_forces(system, s)
    if status != COMPLETED:
        return status
    status = kick(system, s)
    if status != COMPLETED:
        return status
    status = meet_rows(system, s) if has(subsystem, ROWS) else move_freely(system, s)
    if status != COMPLETED:
        return status
    return accumulate_work(system, s)


@kernel(inline=True)
def begin_step(subsystem: Record, step: Record, t: float, dt: float, previous_dt: float) -> None:
    step.t, step.dt, step.previous_dt = t, dt, previous_dt
    step.kick = 0.5 * (previous_dt + dt)
    step.weight = previous_dt / (previous_dt + dt)
    step.damping_passes = 0
    if subsystem.damping_passes > 0:
        step.damping_passes = subsystem.damping_passes if previous_dt > 0.0 else FIRST_PASSES
    step.damped = 1 if step.damping_passes > 0 else 0
    step.passes, step.passes_before, step.wall_passes, step.last_change = 0, 0, 0, 0.0
    step.worst, step.last_worst = 0.0, math.inf
    step.fresh, step.slow, step.rough, step.weakened, step.of_sample = 0, 0, subsystem.rough, 0, 0
    # damped forces see a motion that meets the rows
    step.corrected = 0 if has(subsystem, ROWS) else 1


# ---- forces --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def add_forces(system: System, s: int) -> int:
    """Forces of t_n on the bodies, those that depend on the rate at the estimate of v_n at hand."""
    subsystem, kernels = system.subsystems[s], system.kernels
    if not has(subsystem, FORCES):
        return COMPLETED
    if has(subsystem, GYROSTATS):
        return call(kernels.start_on_gyrostats, ON_SUBSYSTEM, system, s)  # type: ignore[no-any-return]
    status = start_internal_forces(system, s)
    if status == COMPLETED and has(subsystem, INTERFACES):
        status = call(kernels.find_contacts, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, WALLS):
        status = call(kernels.start_walls, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, LOADS):
        status = call(kernels.add_loads, ON_SUBSYSTEM, system, s)
    return status


@kernel(inline=True)
def kick(system: System, s: int) -> int:
    """Trial velocities from the forces of t_n.  What meets no rows has its estimates of v_n at once."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if is_divided(subsystem):
        return bodies_in_parts(system, s, system.kernels.kick_part)
    renews = step.damped == 1 and not has(subsystem, ROWS)
    first, last = subsystem.first_body, subsystem.last_body
    if has(subsystem, INTERFACES):
        kick_bodies(system.bodies, system.contacts, first, last, step.kick, step.weight, renews)
    else:
        kick_bodies(system.bodies, None, first, last, step.kick, step.weight, renews)
    return COMPLETED


@kernel
def refine_forces(system: System, s: int) -> int:
    """Forces that depend on the rate at a new estimate of v_n, and the kick by what they change."""
    subsystem, step, kernels = system.subsystems[s], system.steps[s], system.kernels
    first, last = subsystem.first_body, subsystem.last_body
    step.damping_passes -= 1
    step.corrected = 0 if has(subsystem, ROWS) else 1
    if has(subsystem, ROWS):
        if has(subsystem, INTERFACES):
            renew_mean_velocities(system.bodies, system.contacts, first, last, step.weight)
        else:
            renew_mean_velocities(system.bodies, None, first, last, step.weight)
    if has(subsystem, GYROSTATS):
        status = call(kernels.refine_on_gyrostats, ON_SUBSYSTEM, system, s)
    else:
        status = refine_internal_forces(system, s)
    if status == COMPLETED and has(subsystem, INTERFACES):
        status = call(kernels.refine_contacts, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, WALLS):
        status = call(kernels.hold_walls, ON_SUBSYSTEM, system, s)
        if status == COMPLETED and not walls_have_settled(step):
            if step.wall_passes == MOST_WALL_PASSES:
                step.culprit = subsystem.first_wall
                return NOT_HELD
            step.damping_passes = max(step.damping_passes, 1)
    renews = step.damping_passes > 0 and not has(subsystem, ROWS)
    if is_divided(subsystem):
        status = bodies_in_parts(system, s, kernels.kick_part_by_change) if status == COMPLETED else status
    elif has(subsystem, INTERFACES):
        kick_by_change(system.bodies, system.contacts, first, last, step.kick, step.weight, renews)
    else:
        change, whole = kick_by_change(system.bodies, None, first, last, step.kick, step.weight, renews)
        if has(subsystem, ROWS) and not has(subsystem, WALLS) and has_settled(step, change, whole):
            step.damping_passes = 0
    step.last_worst, step.passes_before = math.inf, step.passes
    return status


@kernel
def refine_forces_and_rates(system: System, s: int) -> int:
    """Refine the forces that depend on the rate, to the end where that needs no trial positions in between.

    There each change of the kick goes with that of the multipliers which keeps the rates of the rows: what it leaves of
    their residuals is of the second order, and the corrections to come see to it.
    """
    subsystem, step = system.subsystems[s], system.steps[s]
    by_rates = (
        step.rough == 0 and step.weakened == 0 and subsystem.newton == 0 and not has(subsystem, WALLS | GYROSTATS)
    )
    status = refine_forces(system, s)
    while by_rates and status == COMPLETED:
        keep_rates(system, s)
        if step.damping_passes == 0:
            break
        status = refine_forces(system, s)
    return status


@kernel(inline=True)
def has_settled(step: Record, change: float, whole: float) -> bool:
    """Whether the next refinement would change what is negligible, if it changes less as this did.

    change, whole : as of `kick_by_change`
    """
    before, step.last_change = step.last_change, change
    return change * change <= SETTLED * SETTLED * whole * before


@kernel(inline=True)
def walls_have_settled(step: Record) -> bool:
    step.wall_passes += 1
    return not step.change > (1.0 if step.wall_passes < WALL_PASSES else WALL_SLACK)


# ---- motion --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def move_freely(system: System, s: int) -> int:
    """Refine the forces that depend on the rate, and drift: a subsystem without rows."""
    subsystem, step = system.subsystems[s], system.steps[s]
    while True:
        # only walls ask where a body would move before its velocity is final
        if step.damping_passes == 0 or has(subsystem, WALLS):
            status = drift_all(system, s)
            if status != COMPLETED:
                return status
        if step.damping_passes == 0:
            return COMPLETED
        status = refine_forces(system, s)
        if status != COMPLETED:
            return status


@kernel(inline=True)
def meet_rows(system: System, s: int) -> int:
    """Drift, and correct the multipliers and the forces that depend on the rate until both fit the motion."""
    subsystem, step = system.subsystems[s], system.steps[s]
    status = prepare_rows(system, s)
    if status != COMPLETED:
        return status
    predict_multipliers(
        system.rows,
        subsystem.first_row,
        subsystem.last_row,
        system.entries,
        system.bodies,
        step.kick,
        subsystem.stretch,
    )
    step.fresh = subsystem.stale
    while True:
        status = drift_all(system, s)
        if status == DIVERGED:
            status = return_to_bounds(system, s, step.culprit)
        elif status == COMPLETED:
            status = measure_rows(system, s)
            step.worst = worst_residual(system.rows, subsystem.first_row, subsystem.last_row)
            if status == COMPLETED:
                if has_converged(step):
                    return accept_rows(system, s)
                status = improve(system, s)
        if status != COMPLETED:
            return status


@kernel(inline=True)
def improve(system: System, s: int) -> int:
    """Change the multipliers, or the forces that depend on the rate, for the trial motion to come."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if step.damping_passes > 0 and (step.corrected == 1 or step.worst <= UNCORRECTED):
        return refine_forces_and_rates(system, s)
    most, status = MAX_PASSES if subsystem.newton == 0 else MOST_OF_NEWTON, COMPLETED
    if step.passes < step.passes_before + most and step.worst < math.inf:
        if subsystem.newton == 0 and step.weakened == 0 and leads_nowhere(step):
            if not has(subsystem, WALLS):
                return start_with_newton(system, s)
            if step.fresh == 0:  # nodes on walls are held with the matrix of t_n
                status = call(system.kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
                step.fresh = 1
        if status == COMPLETED:
            status = correct_again(system, s)
        # only walls ask where a body would move before its velocity is final
        if status == COMPLETED and step.damping_passes > 0 and not has(subsystem, WALLS):
            status = refine_forces_and_rates(system, s)
        return status
    status = deactivate_weak_rows(system, s)
    if status == AGAIN:
        return COMPLETED
    if status == COMPLETED:
        step.culprit = worst_row(system.rows, subsystem.first_row, subsystem.last_row)
        return ROWS_NOT_MET
    return status


@kernel(inline=True)
def has_converged(step: Record) -> bool:
    """Whether the residuals are at round-off, or as near as that lets them."""
    if step.damping_passes > 0:
        return False
    if step.worst <= (1.0 if step.passes > 0 else UNCORRECTED):
        return True
    return step.passes >= 2 and step.worst <= ACCEPTED and step.worst > 0.5 * step.last_worst


@kernel(inline=True)
def drift_all(system: System, s: int) -> int:
    """Trial positions of all bodies; DIVERGED where one, the culprit, moves beyond all bounds."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if has(subsystem, GYROSTATS):
        return call(system.kernels.drift_gyrostats, ON_SUBSYSTEM, system, s)  # type: ignore[no-any-return]
    if is_divided(subsystem):
        status = bodies_in_parts(system, s, system.kernels.drift_part)
        if status != DIVERGED:
            return status
    if has(subsystem, INTERFACES):
        step.culprit = drift(system.bodies, system.contacts, subsystem.first_body, subsystem.last_body, step.dt)
    else:
        step.culprit = drift(system.bodies, None, subsystem.first_body, subsystem.last_body, step.dt)
    return COMPLETED if step.culprit < 0 else DIVERGED


@kernel
def return_to_bounds(system: System, s: int, body: int) -> int:
    """Multipliers for another trial where a body of a subsystem with rows moves beyond all bounds, if there are any."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if step.passes == 0:
        # A force that jumped without the reaction that goes with it: find that from the velocities first.
        step.passes = 1
        return call(system.kernels.correct_rates, ON_SUBSYSTEM, system, s)
    status = deactivate_weak_rows(system, s)
    if status != COMPLETED:
        return COMPLETED if status == AGAIN else status
    if step.passes > 1:  # it is the corrections that run away
        step.culprit = worst_row(system.rows, subsystem.first_row, subsystem.last_row)
        return ROWS_NOT_MET
    step.culprit = body
    return DIVERGED


@kernel
def deactivate_weak_rows(system: System, s: int) -> int:
    """AGAIN where rows that nearly depend on others were deactivated for this step, COMPLETED where there are none."""
    step = system.steps[s]
    if step.weakened == 1:
        return COMPLETED
    status = call(system.kernels.deactivate_weak_rows, ON_SUBSYSTEM, system, s)
    if status == AGAIN:
        start_corrections_again(step)
    return status


@kernel(inline=True)
def leads_nowhere(step: Record) -> bool:
    """Whether the matrix at hand leads away, or takes too long."""
    far = step.last_worst > FAR_FROM_ROUND_OFF
    diverges = step.passes > step.passes_before and far and step.worst > step.last_worst
    return diverges or step.passes >= step.passes_before + REFRESH_AFTER


@kernel
def start_with_newton(system: System, s: int) -> int:
    """Back to the predicted multipliers; from here on corrections take the matrix of the trial positions."""
    subsystem, step, rows = system.subsystems[s], system.steps[s], system.rows
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].correction = rows[i].predicted - rows[i].multiplier
    add_corrections(rows, subsystem.first_row, subsystem.last_row, system.entries, system.bodies, step.kick)
    subsystem.newton = NEWTON_STEPS
    step.fresh, step.passes, step.passes_before, step.last_worst = 0, 0, 0, math.inf
    return COMPLETED


@kernel(inline=True)
def correct_again(system: System, s: int) -> int:
    """One correction of the multipliers; Newton's method with a new matrix where the old one does badly."""
    subsystem, step, status = system.subsystems[s], system.steps[s], COMPLETED
    if step.passes == 0 and step.worst > ROUGH / TIGHT:
        step.rough = 1
    is_slow = step.last_worst > FAR_FROM_ROUND_OFF and step.worst > SLOW * step.last_worst
    if is_slow:
        step.slow = 1
    if subsystem.newton > 0 and step.weakened == 0 and (is_slow or step.fresh == 0):
        status = call(system.kernels.refresh_trial_matrix, ON_SUBSYSTEM, system, s)
        step.fresh = 1
    correct_multipliers(system, s, step.kick, step.dt)
    step.last_worst = step.worst
    step.passes += 1
    step.corrected = 1
    return status


@kernel(inline=True)
def accept_rows(system: System, s: int) -> int:
    """The residuals of this step are final: rows that were not solved for must be met too, and the energy be kept."""
    subsystem, step, rows = system.subsystems[s], system.steps[s], system.rows
    if step.rough == 1 and not has(subsystem, WALLS) and rows_lose_energy(system, s):
        step.culprit = subsystem.first_row
        return INACCURATE
    if subsystem.left_out > 0 or step.weakened == 1:
        row = unmet_row(rows, subsystem.first_row, subsystem.last_row)
        if row >= 0:
            step.culprit = row
            return ROWS_NOT_MET
    by_newton = subsystem.newton > 0
    if by_newton:
        subsystem.newton -= 1
    elif step.passes >= MANY_PASSES + subsystem.damping_passes and not has(subsystem, WALLS):
        subsystem.newton = NEWTON_STEPS
    # Where corrections converge slowly, an old matrix would make them slower still; and Newton's method leaves one in
    # which rows may depend on others that do so nowhere else.
    subsystem.stale = 1 if step.weakened == 1 or (subsystem.newton == 0 and (step.slow == 1 or by_newton)) else 0
    if step.weakened == 1:
        reactivate_rows(rows, subsystem.first_row, subsystem.last_row)
    return COMPLETED


# ---- work ----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def accumulate_work(system: System, s: int) -> int:
    """Work of all forces over the step that led to t_n, and of drives over the one at hand."""
    subsystem, step, kernels, status = system.subsystems[s], system.steps[s], system.kernels, COMPLETED
    if not has(subsystem, FORCES | DRIVES | CONDITIONS):
        return COMPLETED
    if has(subsystem, WALLS):
        status = call(kernels.accumulate_walls, ON_SUBSYSTEM, system, s)
    acts_on_bodies = has(subsystem, ON_BODIES)
    if acts_on_bodies:
        accumulate_forces(subsystem, system.bodies, step.previous_dt)
        if has(subsystem, JOINT_FORCES):
            accumulate_joint_forces(
                subsystem, system.joint_forces, subsystem.first_joint_force, subsystem.last_joint_force
            )
    if status == COMPLETED and has(subsystem, INTERFACES):
        status = call(kernels.accumulate_contacts, ON_SUBSYSTEM, system, s)
        if acts_on_bodies:
            subsystem.damping_work += step.contact_work  # taken out again of what dampers did
    if has(subsystem, DRIVES):
        accumulate_drives(subsystem, system.drives, system.rows, system.joints, step.dt, step.kick)
    if has(subsystem, CONDITIONS):
        first, last = subsystem.first_condition, subsystem.last_condition
        subsystem.drive_work += drive_work(
            system.conditions, first, last, system.rows, system.skews, system.bodies, step.dt, step.kick
        )
    return status


@kernel
def accumulate_forces(subsystem: Record, bodies: Records, previous_dt: float) -> None:
    """Work of dampers and loads over the step that led to t_n: (F_{n-1} + F_n)/2 . (x_n - x_{n-1}), moments too."""
    dissipative, external = 0.0, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        b = bodies[i]
        for c in range(6):
            step = previous_dt * b.velocity[c] if c < 3 else b.step_rotation[c - 3]
            dissipative += step * (b.previous_dissipative[c] + b.dissipative[c])
            external += step * (b.previous_external[c] + b.external[c])
            b.previous_dissipative[c] = b.dissipative[c]
            b.previous_external[c] = b.external[c]
    subsystem.damping_work -= 0.5 * dissipative
    subsystem.external_work += 0.5 * external
