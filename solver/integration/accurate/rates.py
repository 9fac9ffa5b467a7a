"""The rates of a stage: forces, accelerations that keep the rows met, and powers.

With the matrix A = G M^-1 G^T the multipliers are those of  A lambda = -(G (F's accelerations) + c - c*),  c the
curvatures of the rows, c* the accelerations that drives want.
"""

from __future__ import annotations

from ...constraints.curvatures import condition_curvatures, joint_curvatures, relation_curvatures
from ...constraints.kkt import assemble_matrix, factorise, solve_corrections
from ...constraints.rows import add_impulse, rate_of_row
from ...core.bodies import Record
from ...core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, clear, forces_on
from ...core.jit.kernels import kernel
from ...core.jit.pointers import call
from ...forces.joint_forces import rate_of
from ..rows import has
from ..status import COMPLETED
from ..step import add_forces
from ..system import CONDITIONS, ON_SUBSYSTEM, ROWS, System
from .motion import free_motion, keep_rates, power_of, see_motion
from .plane import WEAK, factorise_plane, find_plane_multipliers, turn_about_normal
from .records import DISSIPATIVE_POWER, DRIVE_POWER, EXTERNAL_POWER


@kernel
def find_rates(system: System, s: int, stage: int, refinements: int) -> int:
    """Rates of a stage, with the matrix at hand; step.t, dt and previous_dt say when, and on which side of jumps.

    refinements : of the multipliers, where the matrix is not quite of this place
    """
    subsystem, accurate = system.subsystems[s], system.accurate
    for i in range(subsystem.first_body, subsystem.last_body):
        see_motion(accurate.motions[i], system.bodies[i])
    if accurate.clocks[s].in_plane == 1:
        turn_about_normal(system, s)
    clear_forces(system, subsystem)
    status = add_forces(system, s)
    if status != COMPLETED:
        return status
    for i in range(subsystem.first_body, subsystem.last_body):
        free_motion(system.bodies[i])
    if accurate.clocks[s].in_plane == 1:
        find_plane_multipliers(system, s, refinements)
    elif has(subsystem, ROWS):
        find_multipliers(system, s, refinements)
    for i in range(subsystem.first_body, subsystem.last_body):
        keep_rates(accurate.motions[i], system.bodies[i], stage)
    find_powers(system, s, stage)
    return COMPLETED


@kernel(inline=True)
def clear_forces(system: System, subsystem: Record) -> None:
    """No internal forces on the bodies yet; loads begin anew by themselves."""
    for i in range(subsystem.first_body, subsystem.last_body):
        for kind in (ELASTIC, DISSIPATIVE):
            clear(forces_on(system.bodies[i], kind))


@kernel
def renew_matrix(system: System, s: int) -> None:
    """Jacobians and factors where bodies are."""
    subsystem = system.subsystems[s]
    if system.accurate.clocks[s].in_plane == 1:
        factorise_plane(system, s)
        return
    call(system.kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    assemble_matrix(system.matrix, s, subsystem, system.rows, system.entries, system.bodies)
    factorise(system.matrix, s, WEAK)


@kernel
def find_multipliers(system: System, s: int, refinements: int) -> None:
    """Multipliers; trial velocities, which are the accelerations by the forces, become those that keep rows met."""
    subsystem, rows, accurate = system.subsystems[s], system.rows, system.accurate
    first, last, curvatures = subsystem.first_row, subsystem.last_row, accurate.curvatures
    joint_curvatures(system.joints, subsystem.first_joint, subsystem.last_joint, rows, system.bodies, curvatures)
    relation_curvatures(system.relations, system.terms, subsystem.first_relation, subsystem.last_relation,
                        system.joints, system.bodies, curvatures)  # fmt: skip
    if has(subsystem, CONDITIONS):
        condition_curvatures(system.conditions, subsystem.first_condition, subsystem.last_condition, system.bodies,
                             curvatures)  # fmt: skip
    for i in range(subsystem.first_drive, subsystem.last_drive):
        curvatures[system.drives[i].row] -= accurate.aims[i].acceleration
    for i in range(first, last):
        rows[i].multiplier = 0.0
    for _ in range(1 + refinements):
        for i in range(first, last):
            rows[i].residual = rate_of_row(rows[i], system.entries, system.bodies, True) + curvatures[i]
        release_drives(system, subsystem)
        solve_corrections(system.matrix, s, rows, first, last, -1.0)
        for i in range(first, last):
            rows[i].multiplier += rows[i].correction
            add_impulse(rows[i], system.entries, system.bodies, rows[i].correction)


@kernel(inline=True)
def release_drives(system: System, subsystem: Record) -> None:
    """Drives that do not act ask for nothing."""
    for i in range(subsystem.first_drive, subsystem.last_drive):
        if system.drives[i].active == 0:
            system.rows[system.drives[i].row].residual = 0.0


@kernel
def find_powers(system: System, s: int, stage: int) -> None:
    """Powers of dampers, of loads and preloads, and of drives."""
    subsystem, powers = system.subsystems[s], system.accurate.clocks[s].powers[stage]
    dissipative, external, driving = 0.0, 0.0, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        body = system.bodies[i]
        dissipative += power_of(forces_on(body, DISSIPATIVE), body)
        external += power_of(forces_on(body, EXTERNAL), body)
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        force = system.joint_forces[i]
        joint = system.joints[force.joint]
        external += force.preload * rate_of(force, system.bodies[joint.carrier.body], system.bodies[joint.node.body])
    for i in range(subsystem.first_drive, subsystem.last_drive):
        driving += system.rows[system.drives[i].row].multiplier * system.accurate.aims[i].rate
    powers[DISSIPATIVE_POWER], powers[EXTERNAL_POWER], powers[DRIVE_POWER] = dissipative, external, driving
