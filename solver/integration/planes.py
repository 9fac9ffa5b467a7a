"""The compiled time loop of subsystems that move in a plane: three unknowns a body, two rows a link.

The scheme is that of `step`, in the plane: kicks, drifts and multipliers that meet the rows at t_{n+1}.  They are
found by Newton's method with the matrix of `plane_matrix`, made anew at the predicted positions of each step, which
passes places in which a machine could branch off.  A step whose rows gain or lose energy, or are not met, ends as on
the general path, and is taken in parts.  Bodies, joints and rows are brought up to date at samples and at the end of a
piece of steps (`plane_samples`).
"""

from __future__ import annotations

import math

from ..constraints.plane_links import (
    NO_DRIVE,
    commit_in_plane,
    commit_links,
    drift_in_plane,
    factor_of,
    kick_in_plane,
    measure_links,
    predict_links,
    rate_of_kick,
    rate_of_link,
    set_jacobian,
    stay_in_plane,
)
from ..constraints.plane_matrix import (
    DEPENDENT,
    assemble_links,
    assemble_pins,
    clear_blocks,
    correct_links,
    factorise_blocks,
    release_rows,
)
from ..constraints.rows import LITTLE, TIGHT
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .accuracy import ROUGH, is_large_beside_motion, is_large_beside_work
from .pieces import note_failure, sample_from
from .rows import has
from .status import COMPLETED, INACCURATE, ROWS_NOT_MET
from .step import UNCORRECTED, begin_step, has_converged
from .system import DRIVES, LINKS, ON_SAMPLE, ON_SUBSYSTEM, Samples, System

MOST_PASSES = 12  # Newton's method that has not converged after these never does
SLOW = 0.05  # a correction that leaves more than this of the residual asks for a new matrix
FAR_FROM_ROUND_OFF = 100  # tolerances: below these all corrections with a new matrix are slow
EVEN = 3  # multipliers at equal steps that a prediction can use


@kernel
def advance_planes(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) that move in a plane."""
    for s in range(first, last):
        if not has(system.subsystems[s], LINKS) or system.planes.active[s] == 0:
            continue
        next_sample, status = sample_from(samples, step), COMPLETED
        for k in range(n_steps):
            is_sample = next_sample < len(samples.step) and samples.step[next_sample] == step + k
            system.subsystems[s].sampled = 1 if is_sample else 0
            status = plane_step(system, s, time_0 + (step + k - step_0) * dt, dt)
            if is_sample:
                if status == COMPLETED:
                    status = call(system.kernels.sample_plane, ON_SAMPLE, system, samples, next_sample, chunk, s)
                next_sample += 1
            if status != COMPLETED:
                note_failure(outcome, status, step + k, system.steps[s].culprit)
                break
            commit(system, s, dt)
        call(system.kernels.place_plane, ON_SUBSYSTEM, system, s)
        if status == ROWS_NOT_MET:  # for the message
            row = system.rows[system.steps[s].culprit]
            row.residual = system.steps[s].worst / row.inverse_tolerance
    return COMPLETED


@kernel(inline=True)
def plane_step(system: System, s: int, t: float, dt: float) -> int:
    """Subsystem s from t_n to the trial state of t_{n+1}; returns a status."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    plane = planes.planes[s]
    begin_step(subsystem, step, t, dt, subsystem.previous_dt)
    if subsystem.previous_dt == 0.0:
        start_links(system, subsystem)
    if plane.on_bodies == 1:
        status = call(system.kernels.start_on_plane, ON_SUBSYSTEM, system, s)
        if status != COMPLETED:
            return status  # type: ignore[no-any-return]
    kick_in_plane(planes.bodies, subsystem.first_body, subsystem.last_body, step.kick, plane.on_bodies)
    if has(subsystem, DRIVES):
        status = call(system.kernels.start_plane_drives, ON_SUBSYSTEM, system, s)
        if status != COMPLETED:
            return status  # type: ignore[no-any-return]
    predict_links(planes.links, subsystem.first_link, subsystem.last_link, planes.bodies, step.kick,
                  subsystem.stretch, plane.even)  # fmt: skip
    status = meet_links(system, s)
    if status == COMPLETED and plane.on_bodies == 1:
        status = call(system.kernels.accumulate_on_plane, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, DRIVES):
        status = call(system.kernels.accumulate_plane_drives, ON_SUBSYSTEM, system, s)
    return status


@kernel
def start_links(system: System, subsystem: Record) -> None:
    """Jacobians at t = 0."""
    planes = system.planes
    for i in range(subsystem.first_body, subsystem.last_body):
        stay_in_plane(planes.bodies[i])
    measure_links(planes.links, subsystem.first_link, subsystem.last_link, planes.bodies)
    for k in range(subsystem.first_link, subsystem.last_link):
        set_jacobian(planes.links[k])


@kernel(inline=True)
def meet_links(system: System, s: int) -> int:
    """Drift, and correct the multipliers and the forces that depend on the rate until both fit the motion."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    while True:
        lost = drift_all(system, subsystem, step.dt)
        step.worst = math.nan
        if lost < 0:
            step.worst = measure_links(planes.links, subsystem.first_link, subsystem.last_link, planes.bodies)
            if has(subsystem, DRIVES):
                call(system.kernels.measure_plane_drives, ON_SUBSYSTEM, system, s)
            if has_converged(step):
                return accept(system, s)
        elif step.passes == 0:
            # A force that jumped without the reaction that goes with it: find that from the velocities first.
            correct_rates(system, s)
            continue
        if lost < 0 and step.damping_passes > 0 and (step.corrected == 1 or step.worst <= UNCORRECTED):
            status = refine(system, s)
            if status != COMPLETED:
                return status
        elif lost < 0 and step.passes < step.passes_before + MOST_PASSES and step.worst < math.inf:
            correct(system, s)
            if step.damping_passes > 0:
                status = refine(system, s)
                if status != COMPLETED:
                    return status
        else:
            step.weakened = 1  # it is the step that is too long
            step.culprit = first_row_of(system, subsystem)
            return ROWS_NOT_MET


@kernel
def refine(system: System, s: int) -> int:
    """Refine the forces that depend on the rate, to the end where the matrix at hand is of this step.

    There each change of the kick goes with that of the multipliers which keeps the rates of the rows, as in
    `step.refine_forces_and_rates`.
    """
    step, planes, subsystem = system.steps[s], system.planes, system.subsystems[s]
    status = call(system.kernels.refine_on_plane, ON_SUBSYSTEM, system, s)
    while status == COMPLETED and step.fresh == 1 and step.rough == 0:
        for k in range(subsystem.first_link, subsystem.last_link):
            link = planes.links[k]
            link.residual[0], link.residual[1] = (
                rate_of_kick(link, planes.bodies, 0),
                rate_of_kick(link, planes.bodies, 1),
            )
        correct_by_blocks(system, s, -1.0 / step.kick)
        if step.damping_passes == 0:
            break
        status = call(system.kernels.refine_on_plane, ON_SUBSYSTEM, system, s)
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def drift_all(system: System, subsystem: Record, dt: float) -> int:
    """Trial positions of all bodies; the first that moves beyond all bounds, or -1."""
    for i in range(subsystem.first_body, subsystem.last_body):
        if not drift_in_plane(system.planes.bodies[i], dt):
            return i
    return -1


@kernel(inline=True)
def correct(system: System, s: int) -> None:
    """One correction of the multipliers, with a matrix of the trial positions, or an older one if that will do."""
    step, plane = system.steps[s], system.planes.planes[s]
    if step.passes == 0 and step.worst > ROUGH / TIGHT:
        step.rough = 1
    is_slow = step.worst > SLOW * step.last_worst and (step.last_worst > FAR_FROM_ROUND_OFF or plane.kept == 1)
    if is_slow or (step.fresh == 0 and (plane.kept == 0 or step.worst > LITTLE)):
        refresh_blocks(system, s, DEPENDENT)
        plane.kept = 0
    step.fresh = 1
    correct_by_blocks(system, s, -1.0 / (step.dt * step.kick))
    step.last_worst = step.worst
    step.passes += 1
    step.corrected = 1


@kernel(inline=True)
def correct_by_blocks(system: System, s: int, scale: float) -> None:
    """Multipliers that take scale times the residuals away."""
    subsystem, planes = system.subsystems[s], system.planes
    correct_links(planes.columns, subsystem.first_link, subsystem.last_link, planes.below, planes.blocks, planes.links,
                  planes.bodies, scale, system.steps[s].kick)  # fmt: skip


@kernel
def correct_rates(system: System, s: int) -> None:
    """Multipliers that give the trial velocities the rates the rows want."""
    subsystem, planes, step = system.subsystems[s], system.planes, system.steps[s]
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        for c in range(2):
            link.residual[c] = rate_of_link(link, planes.bodies, c, True)
            if c == 0 and link.drive != NO_DRIVE:
                wanted = factor_of(link) * system.drives[link.drive].target_step / step.dt
                link.residual[0] = 0.0 if link.released == 1 else link.residual[0] - wanted
            for d in range(2):
                link.trial_force[c, d], link.trial_moment[c, d] = link.force[c, d], link.moment[c, d]
    refresh_blocks(system, s, DEPENDENT)
    planes.planes[s].kept = 0
    correct_by_blocks(system, s, -1.0 / step.kick)
    step.passes = 1


@kernel
def refresh_blocks(system: System, s: int, least: float) -> None:
    """Factorise with the Jacobians of the trial positions and of t_n; least : pivot, see `factorise_blocks`."""
    subsystem, planes = system.subsystems[s], system.planes
    plane, first, last = planes.planes[s], subsystem.first_link, subsystem.last_link
    clear_blocks(planes.columns, first, last, plane.first_block, plane.last_block, planes.blocks)
    if plane.pins == 1:
        assemble_pins(planes.pairs, plane.first_pair, plane.last_pair, planes.links, planes.bodies, planes.blocks)
    else:
        assemble_links(planes.pairs, plane.first_pair, plane.last_pair, planes.links, planes.bodies, planes.blocks)
    if has(subsystem, DRIVES):
        release_rows(planes.columns, first, last, planes.links, planes.blocks)
    factorise_blocks(planes.columns, first, last, planes.below, planes.updates, planes.blocks, least)


@kernel(inline=True)
def accept(system: System, s: int) -> int:
    """The residuals of this step are final: the energy must be kept."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if step.rough == 1 and links_lose_energy(system, s):
        step.culprit = first_row_of(system, subsystem)
        return INACCURATE
    return COMPLETED


@kernel(inline=True)
def first_row_of(system: System, subsystem: Record) -> int:
    """The row that stands for the subsystem in messages."""
    worst, row = -1.0, subsystem.first_row
    for k in range(subsystem.first_link, subsystem.last_link):
        link = system.planes.links[k]
        size = max(abs(link.residual[0]), abs(link.residual[1])) * link.inverse_tolerance
        if size > worst:
            worst, row = size, link.row
    return row  # type: ignore[no-any-return]


@kernel
def links_lose_energy(system: System, s: int) -> bool:
    """`accuracy.rows_lose_energy` in the plane."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    kinetic, error, work = 0.0, 0.0, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        b = planes.bodies[i]
        squared = b.velocity[0] * b.velocity[0] + b.velocity[1] * b.velocity[1]
        kinetic += b.mass * squared + b.inertia * b.rate * b.rate
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        for c in range(2):
            moved = step.previous_dt * rate_of_link(link, planes.bodies, c, False)
            if c == 0 and link.drive != NO_DRIVE:
                moved -= factor_of(link) * system.drives[link.drive].last_target_step
            error += (link.multiplier[c] - link.before[0, c]) * moved
            work += abs(link.multiplier[c]) * link.size
    if not is_large_beside_motion(subsystem, step, 0.5 * error, 0.5 * kinetic):
        return False
    return is_large_beside_work(subsystem, step, work_in_plane(system, s), work)


@kernel
def work_in_plane(system: System, s: int) -> float:
    """`accuracy.work_of_forces` in the plane."""
    subsystem, dt, total = system.subsystems[s], system.steps[s].previous_dt, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        b = system.planes.bodies[i]
        total += abs(dt * (b.force[0] * b.velocity[0] + b.force[1] * b.velocity[1] + b.force[2] * b.rate))
    return total


@kernel(inline=True)
def commit(system: System, s: int, dt: float) -> None:
    """The trial state of t_{n+1} becomes the state."""
    subsystem, planes = system.subsystems[s], system.planes
    plane, largest = planes.planes[s], 0.0
    if has(subsystem, DRIVES):
        call(system.kernels.commit_plane_drives, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        commit_in_plane(planes.bodies[i])
        largest = max(largest, planes.bodies[i].turn * planes.bodies[i].turn)
    commit_links(planes.links, subsystem.first_link, subsystem.last_link)
    subsystem.largest_turn = max(subsystem.largest_turn, largest)
    # the multiplier of a kick that is not as long as the step after it is none of those of equal steps
    plane.even = min(plane.even + 1, EVEN) if dt == subsystem.previous_dt else 0
    if system.steps[s].fresh == 1:
        plane.kept = 1
    subsystem.stretch = dt / subsystem.previous_dt if subsystem.previous_dt > 0.0 else 1.0
    subsystem.previous_dt = dt
