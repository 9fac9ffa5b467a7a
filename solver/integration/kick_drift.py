"""The passes of a step over bodies: kick, estimate v_n, drift, commit.

Bodies do not fit into the cache by the thousand: a pass does all that is due on a body at once, with what contacts ask
of its motion or bring it of forces (`frames`).
"""

from __future__ import annotations

from ..contact.frames import give_motion, give_next_step, give_velocity, take_wrench
from ..contact.records import Contacts
from ..core.bodies import FARTHEST, MAX_STEP_ANGLE_SQUARED, NO_ROTATION, SPHERICAL, Record, Records, Vector
from ..core.body_points import take_trial_displacement, take_trial_rotation
from ..core.jit.kernels import kernel
from ..core.rotation import (
    angular_velocity,
    set_rotation_matrix,
    solve_incremental_rotation,
    to_body,
    to_global,
    turn_of_step,
    turn_quaternion,
)
from ..core.sums import grown
from ..core.vectors import set_vector, vector_of

NOTHING = (0.0, 0.0, 0.0)


@kernel(inline=True)
def start_forces(bodies: Records, contacts: Contacts | None, first: int, last: int, previous_dt: float) -> None:
    """No elastic and no dissipative forces on bodies yet."""
    for i in range(first, last):
        start_forces_on(bodies[i], contacts, i, previous_dt)


@kernel(inline=True)
def start_forces_on(b: Record, contacts: Contacts | None, i: int, previous_dt: float) -> None:
    """The same for body i; its mean velocities are those of t_{n-1/2}."""
    for c in range(6):
        b.elastic[c], b.dissipative[c] = 0.0, 0.0
    set_vector(b.mean_velocity, vector_of(b.velocity))
    set_vector(b.mean_angular_velocity, angular_velocity(b, b.momentum[0], b.momentum[1], b.momentum[2]))
    if contacts is not None:
        give_motion(contacts, i, b, previous_dt)


@kernel(inline=True)
def renew_mean_velocities(bodies: Records, contacts: Contacts | None, first: int, last: int, weight: float) -> None:
    """Renew the estimates of v_n and omega_n by the trial velocities; dissipative forces are put aside."""
    for i in range(first, last):
        renew_mean_velocity(bodies[i], contacts, i, weight)


@kernel(inline=True)
def renew_mean_velocity(b: Record, contacts: Contacts | None, i: int, weight: float) -> None:
    """The same for body i: (1 - weight) of t_{n-1/2} and weight of the trial velocities."""
    for c in range(6):
        b.last_dissipative[c], b.dissipative[c] = b.dissipative[c], 0.0
    for c in range(3):
        b.mean_velocity[c] = b.velocity[c] + weight * (b.trial_velocity[c] - b.velocity[c])
    if b.turning != NO_ROTATION:
        old, new = b.momentum, b.trial_momentum
        lx = old[0] + weight * (new[0] - old[0])
        ly = old[1] + weight * (new[1] - old[1])
        lz = old[2] + weight * (new[2] - old[2])
        set_vector(b.mean_angular_velocity, angular_velocity(b, lx, ly, lz))
    if contacts is not None:
        give_velocity(contacts, i, b)


@kernel(inline=True)
def kick_bodies(
    bodies: Records, contacts: Contacts | None, first: int, last: int, kick: float, weight: float, renews: bool
) -> None:
    """Trial velocities and angular momenta from the forces of t_n, before any multiplier.

    renews : renew the estimates of v_n at once
    """
    for i in range(first, last):
        b = bodies[i]
        if contacts is not None:
            take_wrench(contacts, i, b)
        kick_body(b, kick)
        if renews:
            renew_mean_velocity(b, contacts, i, weight)


@kernel(inline=True)
def kick_body(b: Record, kick: float) -> None:
    """The same for one body."""
    for c in range(3):
        force = b.elastic[c] + b.external[c] + b.dissipative[c]
        fall = b.gravity[c] if b.inverse_mass > 0.0 else 0.0
        b.trial_velocity[c] = b.velocity[c] + kick * (b.inverse_mass * force + fall)
    set_vector(b.trial_momentum, vector_of(b.momentum))
    if b.turning != NO_ROTATION:
        weight_moment = moment_of_weight(b)
        for c in range(3):
            moment = b.elastic[c + 3] + b.external[c + 3] + b.dissipative[c + 3] + weight_moment[c]
            b.trial_momentum[c] += kick * moment


@kernel(inline=True)
def moment_of_weight(body: Record) -> Vector:
    """(R arm) x m g about the pivot of a body held at one; zero where the reference point is the mass centre."""
    arm, gravity = body.mass_arm, body.gravity
    if arm[0] == 0.0 and arm[1] == 0.0 and arm[2] == 0.0:
        return 0.0, 0.0, 0.0
    x, y, z = to_global(body.rotation, arm[0], arm[1], arm[2])
    gx, gy, gz = body.mass * gravity[0], body.mass * gravity[1], body.mass * gravity[2]
    return y * gz - z * gy, z * gx - x * gz, x * gy - y * gx


@kernel(inline=True)
def kick_by_change(
    bodies: Records, contacts: Contacts | None, first: int, last: int, kick: float, weight: float, renews: bool
) -> tuple[float, float]:
    """Damped forces see v_n: kick by what the latest estimate of it changes.

    renews : as for `kick_bodies`

    Returns the sum over the bodies of the square of that change of forces, over mass, and that of all forces.
    """
    change, whole = 0.0, 0.0
    for i in range(first, last):
        b = bodies[i]
        if contacts is not None:
            take_wrench(contacts, i, b)
        for c in range(3):
            difference, force = (
                b.dissipative[c] - b.last_dissipative[c],
                b.elastic[c] + b.external[c] + b.dissipative[c],
            )
            b.kicked[c] = kick * b.inverse_mass * difference
            b.trial_velocity[c] += b.kicked[c]
            change += b.inverse_mass * difference * difference
            whole += b.inverse_mass * force * force
        if b.turning != NO_ROTATION:
            inverse = b.inverse_inertia[0, 0] + b.inverse_inertia[1, 1] + b.inverse_inertia[2, 2]
            for c in range(3, 6):
                difference = b.dissipative[c] - b.last_dissipative[c]
                force = b.elastic[c] + b.external[c] + b.dissipative[c]
                b.trial_momentum[c - 3] += kick * difference
                change += inverse * difference * difference
                whole += inverse * force * force
        if renews:
            renew_mean_velocity(b, contacts, i, weight)
    return change, whole


@kernel(inline=True)
def find_kicked_spins(bodies: Records, first: int, last: int, kick: float) -> None:
    """The angular velocities that the last change of the forces gives, as `kick_by_change` leaves the velocities."""
    for i in range(first, last):
        b = bodies[i]
        force, before = b.dissipative, b.last_dissipative
        x, y, z = angular_velocity(b, force[3] - before[3], force[4] - before[4], force[5] - before[5])
        b.kicked[3], b.kicked[4], b.kicked[5] = kick * x, kick * y, kick * z


@kernel(inline=True)
def drift(bodies: Records, contacts: Contacts | None, first: int, last: int, dt: float) -> int:
    """Trial positions from the trial velocities; returns a body that moves beyond all bounds in one step, or -1."""
    for i in range(first, last):
        if not drift_body(bodies[i], dt):
            return i
        if contacts is not None:
            give_next_step(contacts, i, bodies[i], dt)
    return -1


@kernel(inline=True)
def drift_body(b: Record, dt: float) -> bool:
    """The same for one body; False if it moves beyond all bounds."""
    for c in range(3):
        step = dt * b.trial_velocity[c]
        b.trial_displacement[c], b.trial_low_displacement[c] = grown(b.displacement[c], b.low_displacement[c], step)
        if not abs(b.trial_displacement[c]) < FARTHEST:
            return False
    if b.turning == NO_ROTATION:
        return True
    l, theta = b.trial_momentum, b.theta
    x, y, z = to_body(b.rotation, l[0], l[1], l[2])
    if b.turning == SPHERICAL:
        factor = dt * b.inverse_inertia[0, 0]
        theta[0], theta[1], theta[2] = factor * x, factor * y, factor * z
    elif not solve_incremental_rotation(b.inertia, (x, y, z), NOTHING, dt, theta, 0.0):
        return False
    squared_angle = turn_quaternion(b.quaternion, theta, b.trial_quaternion)
    if not squared_angle < MAX_STEP_ANGLE_SQUARED:
        return False
    set_rotation_matrix(b.trial_quaternion, b.trial_rotation)
    return True


@kernel(inline=True)
def commit_bodies(subsystem: Record, bodies: Records, contacts: Contacts | None, dt: float, has_forces: bool) -> None:
    """The trial state of t_{n+1} becomes the state, ready for new forces where there may be some."""
    for i in range(subsystem.first_body, subsystem.last_body):
        b = bodies[i]
        take_trial_displacement(b)
        set_vector(b.velocity, vector_of(b.trial_velocity))
        if b.turning != NO_ROTATION:
            commit_rotation(subsystem, b)
        if has_forces:
            start_forces_on(b, contacts, i, dt)


@kernel(inline=True)
def commit_rotation(subsystem: Record, b: Record) -> None:
    """The same for the rotation of a body."""
    turn, total = b.step_rotation, b.turned
    turn[0], turn[1], turn[2] = turn_of_step(b)
    for c in range(3):
        total[c] += turn[c]
        b.momentum[c] = b.trial_momentum[c]
    subsystem.largest_turn = max(subsystem.largest_turn, turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    take_trial_rotation(b)
