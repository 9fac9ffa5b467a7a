"""Reactions at a sample of subsystems whose steps know no multipliers of all rows: trains of rotors, planes.

How the momenta P of the bodies change at t_n is known there; the multipliers are those that do so with the forces F,

    (G M^-1 G^T) lambda = G M^-1 (P' - F).
"""

from __future__ import annotations

from ..constraints.joints import angle_direction, arms_of, slide_direction
from ..constraints.kkt import solve_corrections
from ..constraints.rows import rate_of_row
from ..core.bodies import GROUND, Record, Records, Vector
from ..core.body_points import ELASTIC, add_force, add_moment, forces_on
from ..core.jit.kernels import kernel
from ..core.vectors import minus, opposite, scaled, set_vector, vector_of
from .kick_drift import kick_body
from .system import System


@kernel
def leave_to_rows(body: Record, acceleration: Vector, turning: Vector) -> None:
    """Trial motion <- what of M^-1 P' of a body the forces of t_n do not do; turning : the angular part of P'."""
    set_vector(body.velocity, (0.0, 0.0, 0.0))
    set_vector(body.momentum, (0.0, 0.0, 0.0))
    kick_body(body, 1.0)
    set_vector(body.trial_velocity, minus(acceleration, vector_of(body.trial_velocity)))
    set_vector(body.trial_momentum, minus(turning, vector_of(body.trial_momentum)))


@kernel
def find_multipliers(system: System, s: int) -> None:
    """Multipliers of all rows at t_n by what `leave_to_rows` left; Jacobian and matrix are those of t_n."""
    subsystem, rows = system.subsystems[s], system.rows
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].residual = rate_of_row(rows[i], system.entries, system.bodies, True)
    solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, 1.0)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].multiplier = rows[i].correction
    system.steps[s].of_sample = 1


@kernel
def push_by_releases(system: System, subsystem: Record, sign: float) -> None:
    """Forces on bodies of drives at the time they let go, which no row says."""
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive = system.drives[i]
        if drive.release != 0.0:
            push_bodies(system.joints[drive.joint], system.bodies, sign * drive.release, drive.rotational == 1)


@kernel
def push_bodies(joint: Record, bodies: Records, size: float, rotational: bool) -> None:
    """A moment along the angle of a joint, or a force along its slide, on its bodies."""
    a, b = bodies[joint.carrier.body], bodies[joint.node.body]
    if not rotational:
        at_node, at_carrier = arms_of(joint, a, b, False)
        force = scaled(size, slide_direction(joint, a, at_carrier))
        if joint.node.body != GROUND:
            add_force(forces_on(b, ELASTIC), at_node, force)
        if joint.carrier.body != GROUND:
            add_force(forces_on(a, ELASTIC), at_carrier, opposite(force))
        return
    along = scaled(size, angle_direction(joint, a, b))
    if joint.node.body != GROUND:
        add_moment(forces_on(b, ELASTIC), along)
    if joint.carrier.body != GROUND:
        add_moment(forces_on(a, ELASTIC), opposite(along))
