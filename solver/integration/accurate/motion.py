"""Bodies at the stages of a step: places and velocities from the rates, corrections, and what the errors are.

A body turns in a step from its begin by the rotation vector theta (axes of the begin), R = R_0 exp([theta]x), with

    theta' = Omega + theta x Omega / 2 + c theta x (theta x Omega),   c = (1 - (a/2) / tan(a/2)) / a^2,   a = |theta|,

Omega = R^T omega (H. Munthe-Kaas, BIT 38, 1998, 92-111): so rotations of any size are as accurate as displacements, and
do not depend on the axes.  The other unknowns are the displacement, the velocity and the spatial angular momentum L,
whose sum over a free machine keeps its value, as all stages weigh the same forces on both sides of each row.
"""

from __future__ import annotations

import math

from ...core.bodies import FARTHEST, NO_ROTATION, Floats, Record, Vector
from ...core.body_points import take_trial_rotation
from ...core.jit.kernels import kernel
from ...core.rotation import angular_velocity, set_rotation_matrix, tangent_factor, to_body, turn_quaternion
from ...core.sums import grown
from ...core.vectors import cross, dot, plus, row, scaled, set_vector, vector_of
from ..kick_drift import moment_of_weight
from .coefficients import ERROR_SHARES, LAST, SHARES

MOST_TURN = 0.5 * math.pi  # of a body in a step


@kernel(inline=True)
def begin_motion(motion: Record, b: Record) -> None:
    """The place and the velocities at hand are those at the begin of a step."""
    for c in range(3):
        motion.displacement[c], motion.low_displacement[c] = b.displacement[c], b.low_displacement[c]
        motion.velocity[c], motion.momentum[c] = b.velocity[c], b.momentum[c]
        motion.turned[c], motion.turned_now[c], motion.theta[c] = b.turned[c], b.turned[c], 0.0
    for c in range(4):
        motion.quaternion[c] = b.quaternion[c]


@kernel
def place_at_stage(motion: Record, b: Record, stage: int, h: float) -> bool:
    """A body where the rates of the stages before one put it, trial places as well; False if it is lost."""
    place, velocity, momentum, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(stage):
        share = h * SHARES[stage, j]
        place = plus(place, scaled(share, row(motion.velocities, j)))
        velocity = plus(velocity, scaled(share, row(motion.accelerations, j)))
        momentum = plus(momentum, scaled(share, row(motion.moments, j)))
        turn = plus(turn, scaled(share, row(motion.turns, j)))
    turn_up_to(motion, stage, h)
    set_vector(b.velocity, plus(vector_of(motion.velocity), velocity))
    set_vector(b.momentum, plus(vector_of(motion.momentum), momentum))
    set_vector(motion.theta, turn)
    for c in range(3):
        b.displacement[c], b.low_displacement[c] = motion.displacement[c], motion.low_displacement[c]
    return shift(b, place) and turn_from_begin(motion, b)


@kernel(inline=True)
def turn_up_to(motion: Record, stage: int, h: float) -> None:
    """By how much a body has turned at a stage, for springs that twist."""
    turned = vector_of(motion.turned)
    for j in range(stage):
        turned = plus(turned, scaled(h * SHARES[stage, j], row(motion.spins, j)))
    set_vector(motion.turned_now, turned)


@kernel(inline=True)
def shift(b: Record, step: Vector) -> bool:
    """Move a body, with the rounding error kept apart as in `kick_drift.drift_body`; False if it is lost."""
    for c in range(3):
        b.displacement[c], b.low_displacement[c] = grown(b.displacement[c], b.low_displacement[c], step[c])
        b.trial_displacement[c], b.trial_low_displacement[c] = b.displacement[c], b.low_displacement[c]
        if not abs(b.displacement[c]) < FARTHEST:
            return False
    return True


@kernel(inline=True)
def turn_from_begin(motion: Record, b: Record) -> bool:
    """Turn a body to where theta says; False if that is more than a step may turn it.

    Two bodies may turn by half a turn against each other: whole turns of joints are counted at the ends of steps.
    """
    if b.turning == NO_ROTATION:
        return True
    squared_angle = turn_quaternion(motion.quaternion, motion.theta, b.trial_quaternion)
    take_trial_quaternion(b)
    return bool(squared_angle < MOST_TURN * MOST_TURN)


@kernel(inline=True)
def take_trial_quaternion(b: Record) -> None:
    """The trial quaternion is that of the place at hand."""
    set_rotation_matrix(b.trial_quaternion, b.trial_rotation)
    take_trial_rotation(b)


@kernel
def correct_place(b: Record) -> bool:
    """Move a body by what its trial velocities would do in a time of 1; False if it is lost."""
    if b.turning != NO_ROTATION:
        turn = angular_velocity(b, b.trial_momentum[0], b.trial_momentum[1], b.trial_momentum[2])
        set_vector(b.theta, to_body(b.rotation, turn[0], turn[1], turn[2]))
        turn_quaternion(b.quaternion, b.theta, b.trial_quaternion)
        take_trial_quaternion(b)
    return shift(b, vector_of(b.trial_velocity))


@kernel(inline=True)
def clear_trial_velocities(b: Record) -> None:
    for c in range(3):
        b.trial_velocity[c], b.trial_momentum[c] = 0.0, 0.0


@kernel(inline=True)
def try_velocities(b: Record) -> None:
    """Trial velocities are the velocities."""
    for c in range(3):
        b.trial_velocity[c], b.trial_momentum[c] = b.velocity[c], b.momentum[c]


@kernel(inline=True)
def take_trial_velocities(b: Record) -> None:
    """Velocities are the trial velocities."""
    for c in range(3):
        b.velocity[c] = b.trial_velocity[c]
        if b.turning != NO_ROTATION:
            b.momentum[c] = b.trial_momentum[c]


@kernel(inline=True)
def turn_in_plane(body: Record, b: Record, normal: Vector) -> None:
    """A body turns about the normal of its plane alone, whatever its angular momentum lacks to that."""
    set_vector(body.mean_angular_velocity, scaled(b.inverse_inertia * dot(body.momentum, normal), normal))


@kernel(inline=True)
def place_in_plane(body: Record, b: Record, axes: Floats) -> None:
    """A body in its plane, `constraints.plane_links.PLANE_BODY`; trial positions are the same."""
    normal, q = row(axes, 2), body.quaternion
    for c in range(2):
        axis = row(axes, c)
        b.place[c], b.low[c] = dot(body.displacement, axis), dot(body.low_displacement, axis)
        b.trial_place[c], b.trial_low[c] = b.place[c], b.low[c]
        b.velocity[c] = dot(body.velocity, axis)
    across = q[1] * normal[0] + q[2] * normal[1] + q[3] * normal[2]
    b.cosine, b.sine = q[0] * q[0] - across * across, 2.0 * q[0] * across
    b.trial_cosine, b.trial_sine = b.cosine, b.sine
    b.rate = b.inverse_inertia * dot(body.momentum, normal)


@kernel(inline=True)
def take_from_plane(body: Record, x: float, y: float, first: Vector, second: Vector, momentum: Vector) -> None:
    """Trial velocities along the axes of the plane, and trial angular momentum."""
    set_vector(body.trial_velocity, plus(scaled(x, first), scaled(y, second)))
    set_vector(body.trial_momentum, momentum)


@kernel
def go_on(motion: Record, b: Record, duration: float) -> None:
    """Trial velocities are what the accelerations at the begin of the step would make of the velocities."""
    set_vector(b.trial_velocity, plus(vector_of(b.velocity), scaled(duration, row(motion.accelerations, 0))))
    set_vector(b.trial_momentum, plus(vector_of(b.momentum), scaled(duration, row(motion.moments, 0))))


@kernel(inline=True)
def see_motion(motion: Record, b: Record) -> None:
    """Forces, and the curvatures of rows, see the velocities at hand, and how a body has turned."""
    set_vector(b.mean_velocity, vector_of(b.velocity))
    set_vector(b.mean_angular_velocity, angular_velocity(b, b.momentum[0], b.momentum[1], b.momentum[2]))
    see_turn(motion, b)


@kernel(inline=True)
def see_turn(motion: Record, b: Record) -> None:
    """Forces see by how much a body has turned since they saw it last: springs that twist add that up."""
    for c in range(3):
        b.step_rotation[c] = motion.turned_now[c] - b.turned[c]
        b.turned[c] = motion.turned_now[c]


@kernel
def free_motion(b: Record) -> None:
    """trial_velocity, trial_momentum <- accelerations by the forces alone: v', and I omega' = M - omega x L."""
    if b.turning != NO_ROTATION:
        weight, spin = moment_of_weight(b), vector_of(b.mean_angular_velocity)
        whirl = cross(spin, vector_of(b.momentum))
        for c in range(3):
            moment = b.elastic[c + 3] + b.external[c + 3] + b.dissipative[c + 3] + weight[c]
            b.trial_momentum[c] = moment - whirl[c]
    for c in range(3):
        force = b.elastic[c] + b.external[c] + b.dissipative[c]
        fall = b.gravity[c] if b.inverse_mass > 0.0 else 0.0
        b.trial_velocity[c] = b.inverse_mass * force + fall


@kernel
def keep_rates(motion: Record, b: Record, stage: int) -> None:
    """The rates of a stage, once the trial velocities are the accelerations."""
    set_vector(motion.velocities[stage], vector_of(b.velocity))
    set_vector(motion.accelerations[stage], vector_of(b.trial_velocity))
    if b.turning == NO_ROTATION:
        return
    spin = vector_of(b.mean_angular_velocity)
    whirl = cross(spin, vector_of(b.momentum))
    set_vector(motion.spins[stage], spin)
    set_vector(motion.moments[stage], plus(vector_of(b.trial_momentum), whirl))
    set_vector(motion.turns[stage], rate_of_turn(vector_of(motion.theta), to_body(b.rotation, *spin)))


@kernel(inline=True)
def rate_of_turn(theta: Vector, spin: Vector) -> Vector:
    """theta' at the angular velocity `spin`, both in the axes of the body."""
    across = cross(theta, spin)
    return plus(spin, plus(scaled(0.5, across), scaled(tangent_factor(dot(theta, theta)), cross(theta, across))))


@kernel
def begin_with_last(motion: Record, b: Record) -> None:
    """The step is good: its end is the begin of the next one, whose first rates are the last of this one."""
    begin_motion(motion, b)
    spin = row(motion.spins, LAST)
    set_vector(motion.velocities[0], row(motion.velocities, LAST))
    set_vector(motion.accelerations[0], row(motion.accelerations, LAST))
    set_vector(motion.moments[0], row(motion.moments, LAST))
    set_vector(motion.spins[0], spin)
    set_vector(motion.turns[0], to_body(b.rotation, *spin))


@kernel(inline=True)
def speeds_of(b: Record) -> tuple[float, float]:
    """Speed and angular speed of a body."""
    return length(vector_of(b.velocity)), length(vector_of(b.mean_angular_velocity))


@kernel
def note_speeds(motion: Record, b: Record) -> None:
    """The largest speeds of a body so far."""
    speed, spin = speeds_of(b)
    motion.largest_speed, motion.largest_spin = max(motion.largest_speed, speed), max(motion.largest_spin, spin)


@kernel
def error_of(motion: Record, b: Record, h: float, size: float, least_speed: float) -> float:
    """Largest error of a body in a step: of its place by the size of the machine, of velocities by the largest so far.

    least_speed : by which errors of velocities are measured at least
    """
    place, turn, velocity, momentum = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(LAST + 1):
        share = h * ERROR_SHARES[j]
        place = plus(place, scaled(share, row(motion.velocities, j)))
        turn = plus(turn, scaled(share, row(motion.turns, j)))
        velocity = plus(velocity, scaled(share, row(motion.accelerations, j)))
        momentum = plus(momentum, scaled(share, row(motion.moments, j)))
    spin = angular_velocity(b, momentum[0], momentum[1], momentum[2])
    return relative_error(place, turn, velocity, spin, motion, b, size, least_speed)


@kernel(inline=True)
def relative_error(
    place: Vector, turn: Vector, velocity: Vector, spin: Vector, motion: Record, b: Record, size: float,
    least_speed: float,
) -> float:  # fmt: skip
    """The larger of the errors of place and velocity, see `error_of`."""
    speed, fastest_spin = speeds_of(b)
    speed, fastest_spin = max(speed, motion.largest_speed), max(fastest_spin, motion.largest_spin)
    of_places = length(place) / size + length(turn)
    of_velocities = length(velocity) / max(speed, least_speed) + length(spin) / max(fastest_spin, least_speed / size)
    return max(of_places, of_velocities) if of_places + of_velocities < math.inf else math.inf


@kernel(inline=True)
def length(a: Vector) -> float:
    return math.sqrt(dot(a, a))


@kernel(inline=True)
def power_of(q: Record, b: Record) -> float:
    """Power of a force and a moment (6,) on a body."""
    power = 0.0
    for c in range(3):
        power += q[c] * b.velocity[c] + q[c + 3] * b.mean_angular_velocity[c]
    return power
