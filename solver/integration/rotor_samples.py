"""Bodies, joints and rows of a train of rotors brought up to date from its spins, and its samples.  Called by address.

All that results say is made from bodies and rows as on the general path.  The multipliers are those that change the
momenta of the bodies as the spins say, beyond what the forces do:

    (G M^-1 G^T) lambda kick = G M^-1 (P_{n+1/2} - P_{n-1/2} - kick F).
"""

from __future__ import annotations

import math

from ..constraints.joints import TWO_PI
from ..constraints.kkt import solve_corrections
from ..constraints.rows import rate_of_row
from ..constraints.spins import angle_of, growth_of, rate_at, rate_by
from ..core.bodies import Record
from ..core.body_points import DISSIPATIVE, ELASTIC, clear, forces_on
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import set_rotation_matrix
from ..core.vectors import scaled, set_vector, vector_of
from .kick_drift import kick_body
from .rows import has
from .status import COMPLETED
from .system import JOINT_FORCES, LOADS, ON_SAMPLE, ON_SUBSYSTEM, Samples, System


@kernel
def place_rotors(system: System, s: int) -> int:
    """Bodies and joints of a train at t_n; trial positions are the same."""
    subsystem = system.subsystems[s]
    set_rates(system, s, False)
    for i in range(subsystem.first_body, subsystem.last_body):
        place_rotor(system, i)
    place_joints(system, subsystem)
    return COMPLETED


@kernel(inline=True)
def set_rates(system: System, s: int, trial: bool) -> None:
    """Rates of the spins by the momenta of t_{n-1/2}, or by those of the step at hand."""
    subsystem, trains = system.subsystems[s], system.trains
    first, inverse = subsystem.first_spin, trains.trains[s].inverse
    n = subsystem.last_spin - first
    for j in range(n):
        trains.spins[first + j].rate = rate_by(trains.numbers, inverse, n, j, trains.spins, first, trial)


@kernel(inline=True)
def place_rotor(system: System, i: int) -> None:
    """Orientation of body i at t_n, and its angular momentum by the rates at hand."""
    body, rotor, trains = system.bodies[i], system.trains.rotors[i], system.trains
    coefficients, spins, axis = trains.coefficients, trains.spins, vector_of(rotor.axis)
    turns, angle = angle_of(coefficients, rotor.start, rotor.end, spins, False)
    half = math.floor(0.5 * turns)
    sign = 1.0 if turns == 2.0 * half else -1.0  # a quaternion changes its sign with each turn
    w, v = sign * math.cos(0.5 * angle), scaled(sign * math.sin(0.5 * angle), axis)
    w0, x0, y0, z0 = rotor.quaternion[0], rotor.quaternion[1], rotor.quaternion[2], rotor.quaternion[3]
    q = body.quaternion
    q[0] = w * w0 - v[0] * x0 - v[1] * y0 - v[2] * z0
    q[1] = w * x0 + v[0] * w0 + v[1] * z0 - v[2] * y0
    q[2] = w * y0 - v[0] * z0 + v[1] * w0 + v[2] * x0
    q[3] = w * z0 + v[0] * y0 - v[1] * x0 + v[2] * w0
    set_rotation_matrix(q, body.rotation)
    for c in range(4):
        body.trial_quaternion[c] = q[c]
    for c in range(3):
        for d in range(3):
            body.trial_rotation[c, d] = body.rotation[c, d]
        body.trial_displacement[c] = body.displacement[c]
        body.trial_low_displacement[c] = body.low_displacement[c]
        body.velocity[c], body.trial_velocity[c], body.mean_velocity[c] = 0.0, 0.0, 0.0
    set_vector(body.turned, scaled(TWO_PI * turns + angle, axis))
    set_vector(body.step_rotation, scaled(growth_of(coefficients, rotor.start, rotor.end, spins, False), axis))
    set_vector(body.momentum, momentum_of(system, i))
    set_vector(body.trial_momentum, vector_of(body.momentum))


@kernel(inline=True)
def momentum_of(system: System, i: int) -> tuple[float, float, float]:
    """Angular momentum of a rotor by the rates at hand."""
    rotor, trains = system.trains.rotors[i], system.trains
    rate = rate_at(trains.coefficients, rotor.start, rotor.end, trains.spins)
    return scaled(rotor.inertia * rate, vector_of(rotor.axis))


@kernel(inline=True)
def place_joints(system: System, subsystem: Record) -> None:
    """Angles of joints at t_n, and their rates in the step that led there."""
    trains, spins = system.trains, system.trains.spins
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, hinge = system.joints[i], trains.hinges[i]
        turns, angle = angle_of(trains.coefficients, hinge.start, hinge.end, spins, False)
        joint.turns, joint.angle, joint.trial_turns, joint.trial_angle = turns, angle, turns, angle
        if subsystem.previous_dt > 0.0:
            growth = growth_of(trains.coefficients, hinge.start, hinge.end, spins, False)
            joint.angle_rate = growth / subsystem.previous_dt


# ---- samples -------------------------------------------------------------------------------------------------


@kernel
def sample_rotors(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of train s, before the trial state is committed; returns a status."""
    subsystem, step, kernels = system.subsystems[s], system.steps[s], system.kernels
    call(kernels.place_rotors, ON_SUBSYSTEM, system, s)
    status = measure_rows_at_once(system, s)
    if status == COMPLETED:
        status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and (subsystem.stale == 1 or system.trains.trains[s].steady == 0):
        status = call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
        subsystem.stale = 0
    if status == COMPLETED:
        status = apply_forces(system, s)
    if status != COMPLETED:
        return status
    find_multipliers(system, s)
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, hinge = system.joints[i], system.trains.hinges[i]
        joint.trial_turns, joint.trial_angle = angle_of(
            system.trains.coefficients, hinge.start, hinge.end, system.trains.spins, True
        )
        joint.slide = joint.trial_slide
    return call(kernels.take_sample, ON_SAMPLE, system, samples, k, chunk, s)  # type: ignore[no-any-return]


@kernel(inline=True)
def measure_rows_at_once(system: System, s: int) -> int:
    """row.committed_residual <- g at t_n; those of drives, whose targets are of t_{n+1}, are there already."""
    subsystem, rows, drives = system.subsystems[s], system.rows, system.drives
    for i in range(subsystem.first_drive, subsystem.last_drive):
        rows[drives[i].row].correction = rows[drives[i].row].committed_residual
    status = call(system.kernels.measure_rows, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].committed_residual = rows[i].residual
    for i in range(subsystem.first_drive, subsystem.last_drive):
        rows[drives[i].row].committed_residual = rows[drives[i].row].correction
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def apply_forces(system: System, s: int) -> int:
    """Forces of t_n on the bodies, at the velocities of t_n."""
    subsystem, step, bodies, status = system.subsystems[s], system.steps[s], system.bodies, COMPLETED
    set_mean_rates(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        rotor, trains = system.trains.rotors[i], system.trains
        rate = rate_at(trains.coefficients, rotor.start, rotor.end, trains.spins)
        set_vector(bodies[i].mean_angular_velocity, scaled(rate, vector_of(rotor.axis)))
        clear(forces_on(bodies[i], ELASTIC))
        clear(forces_on(bodies[i], DISSIPATIVE))
    if has(subsystem, LOADS):
        status = call(system.kernels.add_loads, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, JOINT_FORCES):
        status = call(system.kernels.start_joint_forces, ON_SUBSYSTEM, system, s)
    return status


@kernel(inline=True)
def set_mean_rates(system: System, s: int) -> None:
    """Rates of the spins at t_n."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    first, inverse = subsystem.first_spin, trains.trains[s].inverse
    n = subsystem.last_spin - first
    for j in range(n):
        old = rate_by(trains.numbers, inverse, n, j, trains.spins, first, False)
        new = rate_by(trains.numbers, inverse, n, j, trains.spins, first, True)
        trains.spins[first + j].rate = old + step.weight * (new - old)


@kernel(inline=True)
def find_multipliers(system: System, s: int) -> None:
    """Multipliers of all rows at t_n, and the momenta of the step at hand; the Jacobian is that of t_n."""
    subsystem, step, rows, bodies = system.subsystems[s], system.steps[s], system.rows, system.bodies
    set_rates(system, s, True)
    for i in range(subsystem.first_body, subsystem.last_body):
        body = bodies[i]
        kick_body(body, step.kick)
        momentum = momentum_of(system, i)
        for c in range(3):
            body.trial_velocity[c] = -body.trial_velocity[c]
            body.trial_momentum[c] = momentum[c] - body.trial_momentum[c]
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].residual = rate_of_row(rows[i], system.entries, bodies, True)
    system.matrix.uses[s] = 0
    solve_corrections(system.matrix, s, rows, subsystem.first_row, subsystem.last_row, 1.0 / step.kick)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].multiplier = rows[i].correction
    for i in range(subsystem.first_body, subsystem.last_body):
        body = bodies[i]
        for c in range(3):
            body.trial_velocity[c] = 0.0
        set_vector(body.trial_momentum, momentum_of(system, i))
