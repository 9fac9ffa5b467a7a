"""Places and velocities that the rows do not admit, moved to the nearest that they do.

With the matrix of one place, that at the end of a step before any correction:  dq = -M^-1 G^T A^-1 g  for places, again
and again, and the same for velocities with G v - v*; what comes of it changes no momentum of a free machine.
"""

from __future__ import annotations

import math

from ...constraints.kkt import solve_corrections
from ...constraints.rows import TIGHT, add_impulse, rate_of_row, unmet_row, worst_residual, worst_row
from ...core.bodies import Record
from ...core.jit.kernels import kernel
from ...core.jit.pointers import call
from ..rows import has
from ..status import COMPLETED, ROWS_NOT_MET
from ..step import ACCEPTED
from ..system import CONDITIONS, DRIVES, ON_SUBSYSTEM, ROWS, System
from .drives import measure_drives
from .motion import clear_trial_velocities, correct_place, take_trial_velocities, try_velocities
from .plane import change_places, change_velocities, measure_plane, renew_jacobians
from .rates import release_drives, renew_matrix

MOST_PASSES = 10
LARGEST_RESIDUAL = 1e-10  # of a row by its size, that a step may leave


@kernel
def meet_rows(system: System, s: int) -> int:
    """The places and velocities at hand brought onto the rows, with a matrix that is of the places before.

    ROWS_NOT_MET where that fails; Jacobians and coordinates of joints are those of the places found.
    """
    subsystem, kernels, clock = system.subsystems[s], system.kernels, system.accurate.clocks[s]
    clock.passes, clock.residual = 0, 0.0
    if not has(subsystem, ROWS):
        return COMPLETED
    if has(subsystem, CONDITIONS):  # their tolerances grow with the way
        call(kernels.prepare_conditions, ON_SUBSYSTEM, system, s)
    renew_matrix(system, s)
    if not project_places(system, s):
        return ROWS_NOT_MET
    commit_coordinates(system, subsystem)
    if clock.in_plane == 1:
        renew_jacobians(system, s)
    else:
        call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    project_velocities(system, s)
    return COMPLETED


@kernel
def project_places(system: System, s: int) -> bool:
    """Whether all rows are met after corrections."""
    subsystem, rows, clock, last = system.subsystems[s], system.rows, system.accurate.clocks[s], math.inf
    first_row, last_row = subsystem.first_row, subsystem.last_row
    for passes in range(MOST_PASSES):
        worst = worst_of_rows(system, s)
        stands = passes >= 2 and worst <= ACCEPTED and worst > 0.5 * last
        if worst <= 1.0 or stands or passes + 1 == MOST_PASSES or not worst < math.inf:
            break
        if clock.in_plane == 1:
            change_places(system, s)
        else:
            correct_places(system, s)
        for i in range(subsystem.first_body, subsystem.last_body):
            if not correct_place(system.bodies[i]):
                return False
        clock.passes, last = passes + 1, worst
    if clock.in_plane == 1:
        measure(system, s)
        worst = max(worst, worst_residual(rows, first_row, last_row))
    clock.residual = worst * TIGHT
    for i in range(first_row, last_row):
        rows[i].committed_residual = rows[i].residual
    system.steps[s].culprit = worst_row(rows, first_row, last_row)
    if not clock.residual <= LARGEST_RESIDUAL:
        return False
    unmet = unmet_row(rows, first_row, last_row)
    if unmet >= 0:
        system.steps[s].culprit = unmet
    return unmet < 0


@kernel(inline=True)
def worst_of_rows(system: System, s: int) -> float:
    """The largest residual where bodies are, by its tolerance."""
    subsystem, in_plane = system.subsystems[s], system.accurate.clocks[s].in_plane == 1
    if not in_plane or has(subsystem, DRIVES):
        measure(system, s)
    if in_plane:
        return measure_plane(system, s)
    return worst_residual(system.rows, subsystem.first_row, subsystem.last_row)


@kernel
def correct_places(system: System, s: int) -> None:
    """Trial velocities that take the residuals away in a time of 1."""
    subsystem, rows = system.subsystems[s], system.rows
    first_row, last_row = subsystem.first_row, subsystem.last_row
    solve_corrections(system.matrix, s, rows, first_row, last_row, -1.0)
    for i in range(subsystem.first_body, subsystem.last_body):
        clear_trial_velocities(system.bodies[i])
    for i in range(first_row, last_row):
        add_impulse(rows[i], system.entries, system.bodies, rows[i].correction)


@kernel(inline=True)
def measure(system: System, s: int) -> None:
    """Residuals, and coordinates of joints, at the trial positions."""
    call(system.kernels.measure_rows, ON_SUBSYSTEM, system, s)
    if has(system.subsystems[s], DRIVES):
        measure_drives(system, s)


@kernel(inline=True)
def commit_coordinates(system: System, subsystem: Record) -> None:
    """Trial coordinates of joints become their coordinates."""
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint = system.joints[i]
        joint.turns, joint.angle, joint.slide = joint.trial_turns, joint.trial_angle, joint.trial_slide


@kernel
def project_velocities(system: System, s: int) -> tuple[float, float]:
    """Velocities that the rows admit; returns the work of drives, and what an impact of theirs loses of it."""
    subsystem = system.subsystems[s]
    if system.accurate.clocks[s].in_plane == 1:
        done, lost = change_velocities(system, s)
    else:
        done, lost = correct_velocities(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        take_trial_velocities(system.bodies[i])
    return done, lost


@kernel
def correct_velocities(system: System, s: int) -> tuple[float, float]:
    """Trial velocities that the rows admit, and what `project_velocities` returns.

    The matrix is not quite of this place: what the first correction leaves is taken by a second.
    """
    subsystem, rows, done, lost = system.subsystems[s], system.rows, 0.0, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        try_velocities(system.bodies[i])
    for _ in range(2):
        for i in range(subsystem.first_row, subsystem.last_row):
            rows[i].residual = rate_of_row(rows[i], system.entries, system.bodies, True)
        for i in range(subsystem.first_drive, subsystem.last_drive):
            rows[system.drives[i].row].residual -= system.accurate.aims[i].rate
        release_drives(system, subsystem)
        solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0)
        for i in range(subsystem.first_row, subsystem.last_row):
            add_impulse(rows[i], system.entries, system.bodies, rows[i].correction)
        for i in range(subsystem.first_drive, subsystem.last_drive):
            row = rows[system.drives[i].row]
            done += row.correction * system.accurate.aims[i].rate
            lost -= 0.5 * row.correction * row.residual
    return done, lost
