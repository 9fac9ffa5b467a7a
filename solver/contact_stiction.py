"""True stiction: a tangential spring at each contact point, which slips where friction cannot hold it.

Its force T on body i grows by -k_t times the relative displacement, turns with the normal, is reduced with k_t where
the normal stiffness falls, so that no energy is made, and slips where it would exceed the friction.  A point takes over
the spring of the nearest point that its pair had a step ago.
"""

from __future__ import annotations

import math

from numba import njit

from .contact_laws import USER, sliding_coefficient
from .point_motion import cross, dot, minus, plus, scaled, set_vector, vector_of
from .state import Record, Records, Vector

TANGENTIAL_RATIO = 14 / 17  # k_t over k_n for nu = 0.3: 2 (1 - nu)/(2 - nu) (R. D. Mindlin, J. Appl. Mech. 16, 1949)
TANGENTIAL_DAMPING = 0.3  # c_t of a spring without its own, over the critical value


@njit(cache=True, forceinline=True)
def stiffness_of(contact: Record, interface: Record) -> float:
    """dF/dz of the elastic force; of VOLUME without the growth of the area."""
    if interface.law == USER:
        return contact.routine_stiffness
    return interface.exponent * contact.elastic / contact.penetration


@njit(cache=True, forceinline=True)
def arm_of(contact: Record, frame: Record) -> Vector:
    """From the reference point of a body at t_n to a point."""
    return minus(vector_of(contact.point), vector_of(frame.place))


@njit(cache=True, forceinline=True)
def relative_step(contact: Record, frame_i: Record, frame_j: Record) -> Vector:
    """How body i moved against body j at a point of t_n, in the step that led there."""
    return step_between(frame_i, frame_j, arm_of(contact, frame_i), arm_of(contact, frame_j))


@njit(cache=True, forceinline=True)
def relative_step_of_last(contact: Record, frame_i: Record, frame_j: Record) -> Vector:
    """The same at a point of t_{n-1}."""
    arm_i = plus(arm_of(contact, frame_i), vector_of(frame_i.step))
    return step_between(frame_i, frame_j, arm_i, plus(arm_of(contact, frame_j), vector_of(frame_j.step)))


@njit(cache=True, forceinline=True)
def step_between(frame_i: Record, frame_j: Record, arm_i: Vector, arm_j: Vector) -> Vector:
    """How body i moved against body j in the step that led to t_n, at arms from their reference points."""
    moved_i = plus(vector_of(frame_i.step), cross(vector_of(frame_i.turn), arm_i))
    return minus(moved_i, plus(vector_of(frame_j.step), cross(vector_of(frame_j.turn), arm_j)))


@njit(cache=True)
def set_spring(
    contact: Record, interface: Record, normal_stiffness: float, inverse_mass: float, frame_i: Record, frame_j: Record,
    contacts: Records, old: int, old_end: int,
) -> None:  # fmt: skip
    """The tangential spring of a point: that of the nearest point of its pair a step ago, carried on, or a new one."""
    contact.spring_stiffness = interface.tangential_stiffness
    if math.isnan(contact.spring_stiffness):
        contact.spring_stiffness = TANGENTIAL_RATIO * normal_stiffness
    contact.spring_damping = interface.tangential_damping
    if math.isnan(contact.spring_damping):
        contact.spring_damping = 0.0
        if inverse_mass > 0.0:
            contact.spring_damping = 2.0 * TANGENTIAL_DAMPING * math.sqrt(contact.spring_stiffness / inverse_mass)
    before = take_point_before(contact, contacts, old, old_end)
    held = (0.0, 0.0, 0.0)
    if before >= 0:
        last = contacts[before]
        held = turned_with_normal(vector_of(last.spring), contact)
        held = scaled(min(1.0, contact.spring_stiffness / last.spring_stiffness), held)
        held = minus(held, scaled(contact.spring_stiffness, slip_of_step(contact, frame_i, frame_j)))
    set_vector(contact.spring, held)


@njit(cache=True)
def take_point_before(contact: Record, contacts: Records, old: int, old_end: int) -> int:
    """The nearest point that the pair of a point had a step ago and no other has taken; -1 without any."""
    nearest, least = -1, math.inf
    for m in range(old, old_end):
        if contacts[m].member_a != contact.member_a or contacts[m].member_b != contact.member_b:
            break
        away = minus(vector_of(contact.point), vector_of(contacts[m].point))
        if contacts[m].taken == 0 and dot(away, away) < least:
            nearest, least = m, dot(away, away)
    if nearest >= 0:
        contacts[nearest].taken = 1
    return nearest


@njit(cache=True, forceinline=True)
def turned_with_normal(vector: Vector, contact: Record) -> Vector:
    """A vector in the plane of contact of a step ago, turned with the normal into that of now."""
    normal, size = vector_of(contact.normal), math.sqrt(dot(vector, vector))
    vector = minus(vector, scaled(dot(vector, normal), normal))
    left = math.sqrt(dot(vector, vector))
    return scaled(size / left, vector) if left > 0.0 else vector


@njit(cache=True, forceinline=True)
def slip_of_step(contact: Record, frame_i: Record, frame_j: Record) -> Vector:
    """How body i moved along body j at the point, in the step that led to t_n."""
    normal, moved = vector_of(contact.normal), relative_step(contact, frame_i, frame_j)
    return minus(moved, scaled(dot(moved, normal), normal))


@njit(cache=True, forceinline=True)
def held_force(contact: Record, interface: Record, slip: Vector) -> Vector:
    """Friction of the tangential spring and its damper, as far as the normal force carries it."""
    speed = math.sqrt(dot(slip, slip))
    coefficient = interface.mu_static
    if speed > interface.static_velocity:
        coefficient = sliding_coefficient(interface, speed)
    return force_up_to(contact, slip, interface.mu_static * contact.total, coefficient * contact.total)


@njit(cache=True, forceinline=True)
def force_up_to(contact: Record, slip: Vector, most: float, sliding: float) -> Vector:
    """Force of the spring and its damper while that is at most `most`; beyond, the point slips with force `sliding`."""
    force = minus(vector_of(contact.spring), scaled(contact.spring_damping, slip))
    size = math.sqrt(dot(force, force))
    contact.slips = 0 if size <= most else 1
    return force if contact.slips == 0 else scaled(sliding / size, force)


@njit(cache=True, forceinline=True)
def spring_energy(contact: Record) -> float:
    """Stored in the tangential spring of a point."""
    force = vector_of(contact.spring)
    return 0.5 * dot(force, force) / contact.spring_stiffness
