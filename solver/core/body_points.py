"""Body points: the one way in which rows, springs, loads, contacts and outputs touch a body.

A point rides on a body.  Here stands all that others ask of it: where it is and how fast it moves, which generalised
force Q = (f, arm x f) a force there is, and what an impulse Q does to the body:  v += m^-1 f,  L += arm x f,
omega = I^-1 L.  Joints, springs and contacts know nothing of how a body keeps its motion and its inertia.

An arm leads from the reference point of a body to a point, in global components: `arm_of` finds it, and all that is
asked about that point takes it.  It need not end at a point of the body itself: a joint's force on body a acts at node
j.  Vectors are tuples of three numbers, which compiled code keeps in registers.

trial : the trial positions and velocities of the step at hand, else those of t_n and of the step that led there.  It
    stands in the call as True or False, and costs nothing.
"""

from __future__ import annotations

import math

import numpy as np

from .bodies import NO_ROTATION, Floats, Record, Vector
from .jit.kernels import kernel
from .rotation import angular_velocity, to_body, to_global
from .vectors import cross, dot, minus, plus, point_velocity, scaled, vector_of

# Records of whoever holds on to a body have one of these for each place where they do.
POINT = np.dtype([("body", "i8"), ("arm", "f8", 3)], align=True)  # arm: from the reference point, body axes
# A node of the deck; numba would take a record that begins like POINT for one, and warn.
NODE_POINT = np.dtype([("origin", "f8", 3), *POINT.descr], align=True)  # origin: position at t = 0, global

ELASTIC, DISSIPATIVE, EXTERNAL = range(3)  # the forces of t_n that a body adds up, see `forces_on`

# ---- where it is ---------------------------------------------------------------------------------------------


@kernel(inline=True)
def arm_of(point: Record, body: Record, trial: bool) -> Vector:
    """From the reference point of its body to a point, global."""
    return direction_of(point.arm, body, trial)


@kernel(inline=True)
def direction_of(axis: Floats | Vector, body: Record, trial: bool) -> Vector:
    """A vector that is fixed in a body, in global components; given in body axes."""
    if trial:
        return to_global(body.trial_rotation, axis[0], axis[1], axis[2])
    return to_global(body.rotation, axis[0], axis[1], axis[2])


@kernel(inline=True)
def rotation_of(body: Record) -> Floats:
    """R (3, 3) of a body at t_n, for the geometry of shapes, which are rigid."""
    return body.rotation  # type: ignore[no-any-return]


@kernel(inline=True)
def in_body_axes(vector: Vector, body: Record, trial: bool) -> Vector:
    """The components of a vector in body axes."""
    if trial:
        return to_body(body.trial_rotation, vector[0], vector[1], vector[2])
    return to_body(body.rotation, vector[0], vector[1], vector[2])


@kernel(inline=True)
def orientation_between(a: Record, b: Record, trial: bool) -> tuple[float, Vector]:
    """q_a^-1 q_b = (w, v): the orientation of body b relative to body a, v in the axes of body a."""
    if trial:
        qa, qb = a.trial_quaternion, b.trial_quaternion
    else:
        qa, qb = a.quaternion, b.quaternion
    w0, x0, y0, z0 = qa[0], qa[1], qa[2], qa[3]
    w1, x1, y1, z1 = qb[0], qb[1], qb[2], qb[3]
    x = w0 * x1 - x0 * w1 - y0 * z1 + z0 * y1
    y = w0 * y1 + x0 * z1 - y0 * w1 - z0 * x1
    z = w0 * z1 - x0 * y1 + y0 * x1 - z0 * w1
    return w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1, (x, y, z)


@kernel(inline=True)
def displacement_of_reference(body: Record, trial: bool) -> Vector:
    """Displacement of the reference point from t = 0."""
    if trial:
        return vector_of(body.trial_displacement)
    return vector_of(body.displacement)


@kernel(inline=True)
def displacement_of(point: Record, arm: Vector, body: Record, trial: bool) -> Vector:
    """Displacement of a point from t = 0; arm : that of the point."""
    return plus(displacement_of_reference(body, trial), minus(arm, vector_of(point.arm)))


@kernel(inline=True)
def separation(first: Record, body_1: Record, second: Record, body_2: Record, trial: bool) -> Vector:
    """From the first of two NODE_POINTs to the second.

    Displacements are subtracted first: far from the origin nothing is lost.
    """
    start = minus(vector_of(second.origin), vector_of(first.origin))
    moved = displacement_of(first, arm_of(first, body_1, trial), body_1, trial)
    return plus(start, minus(displacement_of(second, arm_of(second, body_2, trial), body_2, trial), moved))


@kernel(inline=True)
def shift_between(a: Record, b: Record, trial: bool) -> Vector:
    """How much farther the reference point of body b has moved than that of body a, to the last bit of their sums."""
    if trial:
        ua, ub, la, lb = a.trial_displacement, b.trial_displacement, a.trial_low_displacement, b.trial_low_displacement
    else:
        ua, ub, la, lb = a.displacement, b.displacement, a.low_displacement, b.low_displacement
    return (
        (ub[0] - ua[0]) + (lb[0] - la[0]),
        (ub[1] - ua[1]) + (lb[1] - la[1]),
        (ub[2] - ua[2]) + (lb[2] - la[2]),
    )


# ---- how it moves --------------------------------------------------------------------------------------------


@kernel(inline=True)
def velocity_at(arm: Floats | Vector, body: Record) -> Vector:
    """Velocity of a point at the estimate of v_n at hand."""
    return point_velocity(body.mean_velocity, body.mean_angular_velocity, vector_of(arm))


@kernel(inline=True)
def spin_of(body: Record) -> Vector:
    """Angular velocity at the estimate of omega_n at hand."""
    return vector_of(body.mean_angular_velocity)


@kernel(inline=True)
def velocity_in_step(arm: Floats | Vector, body: Record, trial: bool) -> Vector:
    """Velocity of a point in the middle of a step, by the angular momentum and the rotation of t_n."""
    if trial:
        return point_velocity(body.trial_velocity, spin_in_step(body, True), vector_of(arm))
    return point_velocity(body.velocity, spin_in_step(body, False), vector_of(arm))


@kernel(inline=True)
def spin_in_step(body: Record, trial: bool) -> Vector:
    """Angular velocity in the middle of a step, likewise."""
    if trial:
        return angular_velocity(body, body.trial_momentum[0], body.trial_momentum[1], body.trial_momentum[2])
    return angular_velocity(body, body.momentum[0], body.momentum[1], body.momentum[2])


@kernel(inline=True)
def angle_of_step(body: Record) -> float:
    """Angle that a body turns in the step at hand."""
    theta = vector_of(body.theta)
    return math.sqrt(dot(theta, theta))


@kernel(inline=True)
def turn_of_last_step(body: Record) -> Vector:
    """Rotation vector of the step that led to t_n, global."""
    return vector_of(body.step_rotation)


@kernel(inline=True)
def free_fall(body: Record) -> Vector:
    """Acceleration by constant gravity; none of what is held."""
    return vector_of(body.gravity) if body.inverse_mass > 0.0 else (0.0, 0.0, 0.0)


# ---- generalised forces: any (6,) array, of a body, of a contact's frame, the Jacobian of a row's entry --------------


@kernel(inline=True)
def forces_on(body: Record, kind: int) -> Floats:
    """Q of the ELASTIC, DISSIPATIVE or EXTERNAL forces on a body, or on a train of rotors, at t_n, to add to."""
    if kind == ELASTIC:
        return body.elastic  # type: ignore[no-any-return]
    if kind == DISSIPATIVE:
        return body.dissipative  # type: ignore[no-any-return]
    return body.external  # type: ignore[no-any-return]


@kernel(inline=True)
def clear(q: Floats) -> None:
    """No force."""
    for c in range(6):
        q[c] = 0.0


@kernel(inline=True)
def set_force(q: Floats, arm: Floats | Vector, force: Vector) -> None:
    """Q of a force at an arm."""
    moment = cross(vector_of(arm), force)
    q[0], q[1], q[2] = force
    q[3], q[4], q[5] = moment


@kernel(inline=True)
def set_moment(q: Floats, moment: Vector) -> None:
    """Q of a moment."""
    q[0], q[1], q[2] = 0.0, 0.0, 0.0
    q[3], q[4], q[5] = moment


@kernel(inline=True)
def add_force(q: Floats, arm: Floats | Vector, force: Vector) -> None:
    """Add a force at an arm."""
    moment = cross(vector_of(arm), force)
    add_force_at_reference(q, force)
    add_moment(q, moment)


@kernel(inline=True)
def add_force_at_reference(q: Floats, force: Vector) -> None:
    """Add a force at the reference point."""
    q[0] += force[0]
    q[1] += force[1]
    q[2] += force[2]


@kernel(inline=True)
def add_moment(q: Floats, moment: Vector) -> None:
    """Add a moment."""
    q[3] += moment[0]
    q[4] += moment[1]
    q[5] += moment[2]


@kernel(inline=True)
def add_power(total: float, q: Floats, body: Record, trial: bool) -> float:
    """A sum and Q . (v, omega) in the middle of a step."""
    v, w = body.trial_velocity if trial else body.velocity, spin_in_step(body, trial)
    for c in range(3):
        total += q[c] * v[c] + q[c + 3] * w[c]
    return total


@kernel(inline=True)
def add_power_of_kick(total: float, q: Floats, body: Record) -> float:
    """A sum and Q . what the last change of the forces gives of v and omega."""
    for c in range(6):
        total += q[c] * body.kicked[c]
    return total


# ---- what impulses do ----------------------------------------------------------------------------------------


@kernel(inline=True)
def apply_impulse(body: Record, q: Floats, impulse: float) -> None:
    """Change the trial velocity and angular momentum of a body by an impulse along Q."""
    velocity, momentum = body.trial_velocity, body.trial_momentum
    linear = impulse * body.inverse_mass
    velocity[0] += linear * q[0]
    velocity[1] += linear * q[1]
    velocity[2] += linear * q[2]
    momentum[0] += impulse * q[3]
    momentum[1] += impulse * q[4]
    momentum[2] += impulse * q[5]


@kernel(inline=True)
def set_mobility(body: Record) -> None:
    """R I^-1 R^T of a body."""
    if body.turning == NO_ROTATION:
        body.mobility[:] = 0.0
        return
    inverse, rotation = body.inverse_inertia, body.rotation
    for j in range(3):
        x, y, z = to_global(inverse, rotation[j, 0], rotation[j, 1], rotation[j, 2])
        body.mobility[0, j], body.mobility[1, j], body.mobility[2, j] = to_global(rotation, x, y, z)


@kernel(inline=True)
def set_trial_mobility(body: Record, h: float) -> None:
    """What an impulse moment changes of the rotation in the step at hand, of length h, over h; global, to theta^2.

    The equation of theta and R_{n+1} = R exp([theta]x) (`rotation`) give with l = R^T L

        P K^-1 P^T,    P = R (E + [theta]x / 2 + [theta]x^2 / 6),
        K = I - h/2 [l]x + h/6 ([theta x l]x + [theta]x [l]x).
    """
    if body.turning == NO_ROTATION:
        body.mobility[:] = 0.0
        return
    momentum, inertia, theta, sixth = body.trial_momentum, body.inertia, vector_of(body.theta), h / 6.0
    l = to_body(body.rotation, momentum[0], momentum[1], momentum[2])
    skew = plus(scaled(-0.5 * h, l), scaled(sixth, cross(theta, l)))
    along = scaled(sixth, l)
    less = dot(along, theta)
    # rows of K
    r0 = (inertia[0, 0] - less + along[0] * theta[0], inertia[0, 1] - skew[2] + along[0] * theta[1],
          inertia[0, 2] + skew[1] + along[0] * theta[2])  # fmt: skip
    r1 = (inertia[1, 0] + skew[2] + along[1] * theta[0], inertia[1, 1] - less + along[1] * theta[1],
          inertia[1, 2] - skew[0] + along[1] * theta[2])  # fmt: skip
    r2 = (inertia[2, 0] - skew[1] + along[2] * theta[0], inertia[2, 1] + skew[0] + along[2] * theta[1],
          inertia[2, 2] - less + along[2] * theta[2])  # fmt: skip
    # columns of its inverse, but for the determinant
    c0, c1, c2 = cross(r1, r2), cross(r2, r0), cross(r0, r1)
    inverse = 1.0 / dot(r0, c0)
    x, y, z = (
        turned_row(body.rotation[0], theta),
        turned_row(body.rotation[1], theta),
        turned_row(body.rotation[2], theta),
    )
    for j in range(3):
        p = x if j == 0 else (y if j == 1 else z)
        turn = scaled(inverse, plus(plus(scaled(p[0], c0), scaled(p[1], c1)), scaled(p[2], c2)))
        body.mobility[0, j], body.mobility[1, j], body.mobility[2, j] = dot(x, turn), dot(y, turn), dot(z, turn)


@kernel(inline=True)
def turned_row(row: Floats, theta: Vector) -> Vector:
    """Row of P, see `set_trial_mobility`, by that of R."""
    once = cross(vector_of(row), theta)
    return plus(plus(vector_of(row), scaled(0.5, once)), scaled(1 / 6, cross(once, theta)))


@kernel(inline=True)
def apply_mobility(body: Record, q: Floats, out: Floats) -> None:
    """out (6,) <- how an impulse Q moves a body, with the mobility that was set."""
    out[0], out[1], out[2] = body.inverse_mass * q[0], body.inverse_mass * q[1], body.inverse_mass * q[2]
    out[3], out[4], out[5] = to_global(body.mobility, q[3], q[4], q[5])


@kernel(inline=True)
def exchange_places(body: Record) -> None:
    """The trial place and orientation for those of t_n, and the other way round."""
    for c in range(3):
        body.displacement[c], body.trial_displacement[c] = body.trial_displacement[c], body.displacement[c]
        body.low_displacement[c], body.trial_low_displacement[c] = (
            body.trial_low_displacement[c],
            body.low_displacement[c],
        )
        for d in range(3):
            body.rotation[c, d], body.trial_rotation[c, d] = body.trial_rotation[c, d], body.rotation[c, d]
    for c in range(4):
        body.quaternion[c], body.trial_quaternion[c] = body.trial_quaternion[c], body.quaternion[c]


@kernel(inline=True)
def place_trial(body: Record) -> None:
    """The trial place and orientation are those of t_n."""
    for c in range(3):
        body.trial_displacement[c], body.trial_low_displacement[c] = body.displacement[c], body.low_displacement[c]
        for d in range(3):
            body.trial_rotation[c, d] = body.rotation[c, d]
    for c in range(4):
        body.trial_quaternion[c] = body.quaternion[c]


@kernel(inline=True)
def take_trial_place(body: Record) -> None:
    """The trial place and orientation become those of t_n; for a train too, its motion does not change."""
    take_trial_displacement(body)
    take_trial_rotation(body)


@kernel(inline=True)
def take_trial_displacement(body: Record) -> None:
    for c in range(3):
        body.displacement[c], body.low_displacement[c] = body.trial_displacement[c], body.trial_low_displacement[c]


@kernel(inline=True)
def take_trial_rotation(body: Record) -> None:
    for c in range(4):
        body.quaternion[c] = body.trial_quaternion[c]
    for c in range(3):
        for d in range(3):
            body.rotation[c, d] = body.trial_rotation[c, d]


@kernel(inline=True)
def velocities_by(body: Record, force: Vector, moment: Vector) -> tuple[Vector, Vector]:
    """M^-1 (force, moment)."""
    x, y, z = to_body(body.rotation, moment[0], moment[1], moment[2])
    x, y, z = to_global(body.inverse_inertia, x, y, z)
    return scaled(body.inverse_mass, force), to_global(body.rotation, x, y, z)


@kernel(inline=True)
def response_at(arm: Floats | Vector, body: Record, force: Vector) -> Vector:
    """Velocity of a point by an impulse there."""
    velocity, spin = velocities_by(body, force, cross(vector_of(arm), force))
    return plus(velocity, cross(spin, vector_of(arm)))


@kernel(inline=True)
def inverse_mass_of_turning(arm: Vector, body: Record, direction: Vector) -> float:
    """What turning adds to the inverse mass of a body at a point along a direction."""
    x, y, z = in_body_axes(cross(arm, direction), body, False)
    return dot((x, y, z), to_global(body.inverse_inertia, x, y, z))


@kernel(inline=True)
def can_move(body: Record, component: int) -> bool:
    """Whether a body moves along an axis (components 0 to 2) or turns about it (3 to 5), or /BCS holds it."""
    return body.inverse_mass > 0.0 if component < 3 else body.turning != NO_ROTATION


@kernel(inline=True)
def mass_entry(body: Record, i: int, j: int) -> float:
    """M_ij of a body, global; 1 on the diagonal where it cannot move."""
    if i == j and not can_move(body, i):
        return 1.0
    if i >= 3 and j >= 3:
        return rotated_tensor(body.inertia, body.rotation, i - 3, j - 3)
    return 1.0 / body.inverse_mass if i == j else 0.0


@kernel
def rotated_tensor(tensor: Floats, rotation: Floats, i: int, j: int) -> float:
    """(R T R^T)_ij of a tensor in body axes."""
    total = 0.0
    for k in range(3):
        for l in range(3):
            total += rotation[i, k] * tensor[k, l] * rotation[j, l]
    return total
