"""What acts along the coordinates of joints: springs, dampers, stops and Coulomb friction.

q is the angle about, or the slide along, the axis of a joint, which is fixed in body a.  On node j along (about) that
axis, and on body a the opposite, acts the sum of

    elastic    preload - stiffness (q - free_value)       and beyond a stop, z deep,   stop_stiffness z   inwards
    damping    - damping q'                               and beyond a stop   max(-stop_stiffness z, stop_damping z')
    friction   - (friction_force + friction |N|) s(q'/slip_velocity)

so that a stop pushes with max(0, stop_stiffness z + stop_damping z') and never pulls.  s is -1 and 1 beyond -1 and 1,
and the cubic that joins them without a kink (STEP) in between: s(u) = u (3 - u^2)/2, steepest at rest with 3/2.

N is the force of the bearing on node j: the multipliers of the joint's rows that hold node j in place and, for a screw,
of its pitch.  `friction` is the coefficient of friction, for a rotation times the radius at which the bearing rubs.

Damping and friction see the velocity and the multipliers of t_n, which the passes of the time loop find together with
the step; so the scheme stays of second order.  At a stop with damping the force starts with a jump: first order there.
"""

from __future__ import annotations

import math

import numpy as np

from ..constraints.joints import ACROSS_T, TWO_PI, angle_direction, arms_of, slide_direction
from ..core.bodies import GROUND, Floats, Record, Records
from ..core.body_points import DISSIPATIVE, ELASTIC, add_force, add_moment, forces_on, spin_of, velocity_at
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, opposite, scaled, set_vector, vector_of

STEEPEST = 1.5  # slope of s at rest

JOINT_FORCE = np.dtype(
    [
        ("number", "i8"),  # row in Model.joints
        ("joint", "i8"),
        ("rotational", "i8"),  # 1: along the angle, 0: along the slide
        ("thrust_row", "i8"),  # of a screw's pitch, else -1
        ("dissipates", "i8"),  # 1: the force depends on the rate
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("free_value", "f8"),
        ("preload", "f8"),
        ("lower", "f8"),
        ("upper", "f8"),
        ("stop_stiffness", "f8"),
        ("stop_damping", "f8"),
        ("friction_force", "f8"),
        ("friction", "f8"),  # coefficient, times the radius of a rotation
        ("slip_velocity", "f8"),
        ("coordinate", "f8"),  # q at t_n
        ("growth", "f8"),  # of q in the step that led there
        ("direction", "f8", 3),  # of the axis at t_n, global
        ("at_node", "f8", 3),  # from the reference points of bodies b and a to node j, global
        ("at_carrier", "f8", 3),
        ("elastic_force", "f8"),  # at t_n, on node j
        ("damping_force", "f8"),
        ("friction_limit", "f8"),  # friction_force + friction |N|
        ("friction_at_n", "f8"),
        ("previous_friction", "f8"),  # at t_{n-1}
        ("largest_friction", "f8"),  # friction_limit so far
        ("covered_friction", "f8"),  # friction_limit that the time step was found for
    ],
    align=True,
)
RECORD = ("elastic", "damping", "friction")  # columns of a sample


def set_coordinates(forces: Records, joints: Records) -> None:
    """Coordinates at t = 0, from which the first step counts."""
    of = joints[forces["joint"]]
    forces["coordinate"] = np.where(forces["rotational"] == 1, TWO_PI * of["turns"] + of["angle"], of["slide"])


@kernel(inline=True)
def add_joint_forces(forces: Records, first: int, last: int, joints: Records, bodies: Records) -> None:
    """Measure the coordinates of the joint forces [first, last) at t_n and add the elastic ones to the bodies.

    Once a step, before the rest.
    """
    for i in range(first, last):
        force = forces[i]
        joint = joints[force.joint]
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        before = force.coordinate
        if force.rotational == 1:
            force.coordinate = TWO_PI * joint.turns + joint.angle
            set_vector(force.direction, angle_direction(joint, a, b))
        else:
            at_node, at_carrier = arms_of(joint, a, b, False)
            force.coordinate = joint.slide
            set_vector(force.direction, slide_direction(joint, a, at_carrier))
            set_vector(force.at_node, at_node)
            set_vector(force.at_carrier, at_carrier)
        force.growth = force.coordinate - before
        force.elastic_force = elastic_force(force)
        add_along(force, force.elastic_force, joint, a, b, ELASTIC)


@kernel(inline=True)
def add_joint_dampers(forces: Records, first: int, last: int, joints: Records, rows: Records, bodies: Records) -> None:
    """Add damping and friction at the mean velocities and multipliers at hand, as often as those change."""
    for i in range(first, last):
        force = forces[i]
        if force.dissipates == 0:
            continue
        joint = joints[force.joint]
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        rate = rate_of(force, a, b)
        force.damping_force = damping_force(force, rate)
        force.friction_limit = force.friction_force
        if force.friction > 0.0:
            force.friction_limit += force.friction * bearing_force(force, joint, rows)
        force.friction_at_n = -force.friction_limit * step_between(rate, force.slip_velocity)
        add_along(force, force.damping_force + force.friction_at_n, joint, a, b, DISSIPATIVE)


@kernel(inline=True)
def add_along(force: Record, size: float, joint: Record, a: Record, b: Record, kind: int) -> None:
    """Add a force or moment of a size along the direction to those of a kind on body b, and the opposite on body a."""
    along = scaled(size, vector_of(force.direction))
    if joint.node.body != GROUND:
        if force.rotational == 1:
            add_moment(forces_on(b, kind), along)
        else:
            add_force(forces_on(b, kind), force.at_node, along)
    if joint.carrier.body != GROUND:
        if force.rotational == 1:
            add_moment(forces_on(a, kind), opposite(along))
        else:
            add_force(forces_on(a, kind), force.at_carrier, opposite(along))


@kernel(inline=True)
def rate_of(force: Record, a: Record, b: Record) -> float:
    """q' at the mean velocities of the bodies."""
    if force.rotational == 1:
        return dot(vector_of(force.direction), minus(spin_of(b), spin_of(a)))
    return dot(vector_of(force.direction), minus(velocity_at(force.at_node, b), velocity_at(force.at_carrier, a)))


@kernel(inline=True)
def depth(force: Record) -> float:
    """How far q is beyond a stop: > 0 below the lower one, < 0 above the upper one."""
    return max(0.0, force.lower - force.coordinate) + min(0.0, force.upper - force.coordinate)


@kernel(inline=True)
def elastic_force(force: Record) -> float:
    spring = force.preload - force.stiffness * (force.coordinate - force.free_value)
    return spring + force.stop_stiffness * depth(force)


@kernel(inline=True)
def damping_force(force: Record, rate: float) -> float:
    beyond = depth(force)
    total = -force.damping * rate
    if beyond > 0.0:
        total += max(-force.stop_stiffness * beyond, -force.stop_damping * rate)
    elif beyond < 0.0:
        total += min(-force.stop_stiffness * beyond, -force.stop_damping * rate)
    return total


@kernel(inline=True)
def joint_damping(force: Record, rate: float) -> float:
    """How damping and friction grow against the rate q'; the multipliers stay."""
    beyond = depth(force)
    damping = force.damping
    if beyond != 0.0 and force.stop_damping * rate * math.copysign(1.0, beyond) < force.stop_stiffness * abs(beyond):
        damping += force.stop_damping
    if force.slip_velocity > 0.0:
        u = rate / force.slip_velocity
        damping += force.friction_limit / force.slip_velocity * max(0.0, STEEPEST * (1.0 - u * u))
    return damping  # type: ignore[no-any-return]


@kernel(inline=True)
def step_between(rate: float, slip_velocity: float) -> float:
    """s(rate/slip_velocity); 0 where there is no friction, which has no slip velocity."""
    if slip_velocity == 0.0:
        return 0.0
    u = min(1.0, max(-1.0, rate / slip_velocity))
    return 0.5 * u * (3.0 - u * u)


@kernel(inline=True)
def bearing_force(force: Record, joint: Record, rows: Records) -> float:
    """|N| of the multipliers at hand."""
    total = 0.0
    for row in range(joint.row, joint.row + joint.n_rows):
        if rows[row].kind <= ACROSS_T:
            total += rows[row].multiplier * rows[row].multiplier
    if force.thrust_row >= 0:
        total += rows[force.thrust_row].multiplier * rows[force.thrust_row].multiplier
    return math.sqrt(total)


@kernel(inline=True)
def stored_energy(force: Record) -> float:
    """Potential of spring and stops, zero at free_value between the stops; the preload is a load, and does work."""
    stretch, beyond = force.coordinate - force.free_value, depth(force)
    return 0.5 * force.stiffness * stretch * stretch + 0.5 * force.stop_stiffness * beyond * beyond


@kernel
def accumulate_joint_forces(subsystem: Record, forces: Records, first: int, last: int) -> None:
    """Work of preloads; and that of friction, out of that of the dampers, in which all that is dissipative was."""
    for i in range(first, last):
        force = forces[i]
        subsystem.external_work += force.preload * force.growth
        work = 0.5 * (force.previous_friction + force.friction_at_n) * force.growth
        subsystem.friction_work -= work
        subsystem.damping_work += work
        force.previous_friction = force.friction_at_n
        force.largest_friction = max(force.largest_friction, force.friction_limit)


@kernel
def record_joint_forces(forces: Records, first: int, last: int, out: Floats) -> float:
    """Fill out (nf, len(RECORD)) with the forces at t_n; returns the energy stored."""
    stored = 0.0
    for i in range(first, last):
        force = forces[i]
        out[i, 0], out[i, 1], out[i, 2] = force.elastic_force, force.damping_force, force.friction_at_n
        stored += stored_energy(force)
    return stored
