"""True stiction: a tangential spring at each contact point, which slips where friction cannot hold it.

Its force T on body i grows by -k_t times the relative displacement, turns with the normal, is reduced with k_t where
the normal stiffness falls, so that no energy is made, and slips where it would exceed the friction.  A point takes over
the spring of the nearest point that its pair had a step ago.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, scaled, set_vector, vector_of
from ..geometry.shapes import NOWHERE
from .normal_laws import sliding_coefficient
from .point_motion import slip_of_step
from .records import Range

TANGENTIAL_RATIO = 14 / 17  # k_t over k_n for nu = 0.3: 2 (1 - nu)/(2 - nu) (R. D. Mindlin, J. Appl. Mech. 16, 1949)
TANGENTIAL_DAMPING = 0.3  # c_t of a spring without its own, over the critical value


@kernel(inline=True)
def stiffness_of(contact: Record, interface: Record) -> float:
    """dF/dz of the elastic force of a law; of VOLUME without the growth of the area."""
    return interface.exponent * contact.elastic / contact.penetration


@kernel
def set_spring(
    spring: Record, contact: Record, interface: Record, normal_stiffness: float, inverse_mass: float, move_i: Record,
    move_j: Record, contacts: Records, springs: Records, before: Range,
) -> None:  # fmt: skip
    """The tangential spring of a point: that of the nearest point of its pair a step ago, carried on, or a new one.

    contacts, springs : of all points.  before : those of a step ago, from the first one of the pair on, or after where
    it would be
    """
    spring.slips = spring.taken = 0
    spring.stiffness = interface.tangential_stiffness
    if math.isnan(spring.stiffness):
        spring.stiffness = TANGENTIAL_RATIO * normal_stiffness
    spring.damping = interface.tangential_damping
    if math.isnan(spring.damping):
        spring.damping = 0.0
        if inverse_mass > 0.0:
            spring.damping = 2.0 * TANGENTIAL_DAMPING * math.sqrt(spring.stiffness / inverse_mass)
    nearest, held = take_point_before(contact, contacts, springs, before), NOWHERE
    if nearest >= 0:
        last = springs[nearest]
        held = turned_with_normal(vector_of(last.force), contact)
        held = scaled(min(1.0, spring.stiffness / last.stiffness), held)
        held = minus(held, scaled(spring.stiffness, slip_of_step(contact, move_i, move_j)))
    set_vector(spring.force, held)


@kernel
def take_point_before(contact: Record, contacts: Records, springs: Records, before: Range) -> int:
    """The nearest point that the pair of a point had a step ago and no other has taken; -1 without any."""
    nearest = point_before(contact, contacts, springs, before, True)
    if nearest >= 0:
        springs[nearest].taken = 1
    return nearest


@kernel
def point_before(contact: Record, contacts: Records, springs: Records, before: Range, but_taken: bool) -> int:
    """The nearest point that the pair of a point had a step ago, of all or but those that are taken; -1 without any."""
    nearest, least = -1, math.inf
    for m in range(before[0], before[1]):
        if contacts[m].member_a != contact.member_a or contacts[m].member_b != contact.member_b:
            break
        away = minus(vector_of(contact.point), vector_of(contacts[m].point))
        if dot(away, away) < least and not (but_taken and springs[m].taken == 1):
            nearest, least = m, dot(away, away)
    return nearest


@kernel(inline=True)
def turned_with_normal(vector: Vector, contact: Record) -> Vector:
    """A vector in the plane of contact of a step ago, turned with the normal into that of now."""
    normal, size = vector_of(contact.normal), math.sqrt(dot(vector, vector))
    vector = minus(vector, scaled(dot(vector, normal), normal))
    left = math.sqrt(dot(vector, vector))
    return scaled(size / left, vector) if left > 0.0 else vector


@kernel(inline=True)
def held_force(spring: Record, interface: Record, normal_force: float, slip: Vector) -> Vector:
    """Friction of the tangential spring and its damper, as far as the normal force carries it."""
    speed = math.sqrt(dot(slip, slip))
    coefficient = interface.mu_static
    if speed > interface.static_velocity:
        coefficient = sliding_coefficient(interface, speed)
    return force_up_to(spring, slip, interface.mu_static * normal_force, coefficient * normal_force)


@kernel(inline=True)
def force_up_to(spring: Record, slip: Vector, most: float, sliding: float) -> Vector:
    """Force of the spring and its damper while that is at most `most`; beyond, the point slips with force `sliding`."""
    force = minus(vector_of(spring.force), scaled(spring.damping, slip))
    size = math.sqrt(dot(force, force))
    spring.slips = 0 if size <= most else 1
    return force if spring.slips == 0 else scaled(sliding / size, force)


@kernel(inline=True)
def spring_energy(spring: Record) -> float:
    """Stored in a tangential spring."""
    force = vector_of(spring.force)
    return 0.5 * dot(force, force) / spring.stiffness
