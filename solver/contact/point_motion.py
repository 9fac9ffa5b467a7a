"""How two bodies move against each other at a contact point, and what a force there does to them."""

from __future__ import annotations

import math

from ..core.bodies import Record, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import to_body, to_global
from ..core.vectors import cross, dot, minus, point_velocity, scaled, vector_of


@kernel(inline=True)
def arm_of(contact: Record, body: Record) -> Vector:
    """From the reference point of a body at t_n, in its record of FRAME or MOVE, to a point."""
    return minus(vector_of(contact.point), vector_of(body.place))


@kernel(inline=True)
def relative_velocity(contact: Record, frame_i: Record, frame_j: Record, turns: bool) -> Vector:
    """Of body i against body j at a point.

    turns : False where neither of them does
    """
    if not turns:
        return minus(vector_of(frame_i.velocity), vector_of(frame_j.velocity))
    velocity_i = point_velocity(frame_i.velocity, frame_i.spin, arm_of(contact, frame_i))
    return minus(velocity_i, point_velocity(frame_j.velocity, frame_j.spin, arm_of(contact, frame_j)))


@kernel(inline=True)
def relative_step(contact: Record, move_i: Record, move_j: Record, turns: bool = True) -> Vector:
    """How body i moved against body j at a point of t_n, in the step that led there.

    turns : False where neither of them does
    """
    if not turns:
        return minus(vector_of(move_i.step), vector_of(move_j.step))
    moved_i = point_velocity(move_i.step, move_i.turn, arm_of(contact, move_i))
    return minus(moved_i, point_velocity(move_j.step, move_j.turn, arm_of(contact, move_j)))


@kernel(inline=True)
def relative_next_step(contact: Record, move_i: Record, move_j: Record, turns: bool) -> Vector:
    """How it will move in the next step, at the same point."""
    if not turns:
        return minus(vector_of(move_i.next_step), vector_of(move_j.next_step))
    moved_i = point_velocity(move_i.next_step, move_i.next_turn, arm_of(contact, move_i))
    return minus(moved_i, point_velocity(move_j.next_step, move_j.next_turn, arm_of(contact, move_j)))


@kernel(inline=True)
def slip_of_step(contact: Record, move_i: Record, move_j: Record) -> Vector:
    """How body i moved along body j at the point, in the step that led to t_n."""
    normal, moved = vector_of(contact.normal), relative_step(contact, move_i, move_j)
    return minus(moved, scaled(dot(moved, normal), normal))


@kernel(inline=True)
def approach(contact: Record, move_i: Record, move_j: Record, previous_dt: float) -> float:
    """Mean rate of the penetration in the last step."""
    return -dot(relative_step(contact, move_i, move_j), vector_of(contact.normal)) / previous_dt


@kernel(inline=True)
def inverse_mass_of_turning(contact: Record, member: Record, frame: Record, body: Record) -> float:
    """What turning adds to the inverse mass of a body along the normal; nothing to a sphere about its centre."""
    if member.centred == 1 and not math.isnan(member.radius):
        return 0.0
    return turning_share(body, cross(arm_of(contact, frame), vector_of(contact.normal)))


@kernel(inline=True)
def turning_share(body: Record, moment: Vector) -> float:
    """moment . I^-1 moment, the moment being that of a unit force."""
    x, y, z = to_body(body.rotation, moment[0], moment[1], moment[2])
    return dot((x, y, z), to_global(body.inverse_inertia, x, y, z))


@kernel(inline=True)
def add_pair_of_forces(contact: Record, force: Vector, frame_i: Record, frame_j: Record, turns: bool) -> None:
    """Add a force at the point to the forces and moments on body i, and the opposite to those on body j.

    turns : False where neither of them turns
    """
    wrench_i, wrench_j = frame_i.wrench, frame_j.wrench
    for c in range(3):
        wrench_i[c] += force[c]
        wrench_j[c] -= force[c]
    if not turns:
        return
    moment_i, moment_j = cross(arm_of(contact, frame_i), force), cross(arm_of(contact, frame_j), force)
    for c in range(3):
        wrench_i[c + 3] += moment_i[c]
        wrench_j[c + 3] -= moment_j[c]
