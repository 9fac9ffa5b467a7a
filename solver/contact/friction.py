"""True stiction: a tangential spring at each contact point, which slips where friction cannot hold it.

Its force T on body i grows by -k_t times the relative displacement, turns with the normal, and slips where it would
exceed the friction.  Where k_t falls with the normal stiffness, T is reduced so that T^2/(2 k_t) is no more than the
energy that was put in: none is made; of a point alone T is reduced with k_t, which is nearer to balls as Mindlin has
them.  A point takes over the spring of the nearest point that its pair had a step ago.

What is put down on an incline below the limit must not slip while the normal force N settles, though that may fall
nearly to nothing again.  With the stiffness and the damping of the normal direction T/N keeps the ratio of the loads
all the time.  So these are the values of a blank k_t and c_t, but for single points, whose k_t is that of balls; and
what slips faster than mu_s times the rate at which the solids approach or part is damped more, so that a load that
comes on suddenly does not overshoot.

While one point of two solids slips and another one holds, the load passes to that one.  Where all of them slip, they
go on slipping until they come to rest, and friction falls from mu_s to mu_d by the speed, or over a short distance in
which they slip faster and faster, whichever is less: what is loaded a little beyond the limit breaks away at once, and
what friction is about to stop does not.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, scaled, set_vector, vector_of
from ..geometry.shapes import NOWHERE
from .normal_laws import STICTION, friction_over_speed, sliding_coefficient
from .records import Range

TANGENTIAL_RATIO = 14 / 17  # k_t over k_n for nu = 0.3: 2 (1 - nu)/(2 - nu) (R. D. Mindlin, J. Appl. Mech. 16, 1949)
EXCESS_DAMPING = 1.0  # of what slips too fast, over the critical value
# Points at one place are taken in their order, and not as rounding has them: parts of their squared distance from the
# point that asks and from the origin.
TIE, ONE_PLACE = 1e-9, 1e-24
BREAKAWAY = 4.0  # of the deflection at the limit, over which friction falls from mu_s to mu_d


@kernel(inline=True)
def stiffness_of(contact: Record, interface: Record) -> float:
    """dF/dz of the elastic force of a law; of VOLUME without the growth of the area."""
    return interface.exponent * contact.elastic / contact.penetration


@kernel(inline=True)
def tangential_ratio(points: Records, n: int) -> float:
    """Blank k_t over k_n of the n points of one pair: that of balls for a point alone, 1 for two or more alike."""
    load, squares = 0.0, 0.0
    for m in range(n):
        share = points[m].weight * points[m].penetration
        load, squares = load + share, squares + share * share
    several = min(1.0, load * load / squares - 1.0)
    return TANGENTIAL_RATIO + several * (1.0 - TANGENTIAL_RATIO)


@kernel
def set_spring(
    spring: Record, contact: Record, interface: Record, normal: Vector, inverse_mass: float, slip: Vector,
    contacts: Records, springs: Records, before: Range,
) -> int:  # fmt: skip
    """The tangential spring of a point: that of the nearest point of its pair a step ago, carried on, or a new one.

    normal : k_n, dF/dz', and k_t over k_n where k_t is blank.  slip : in the step that led to t_n.
    contacts, springs : of all points.  before : those of a step ago, from the first one of the pair on, or after where
    it would be

    Returns the point a step ago, -1 without any.
    """
    spring.slips = spring.taken = spring.slides = spring.slid_before = 0
    spring.slipped = spring.slip_speed = spring.energy = 0.0
    stiffness, damping, ratio = normal
    spring.stiffness, spring.damping = interface.tangential_stiffness, interface.tangential_damping
    if math.isnan(spring.stiffness):
        spring.stiffness = ratio * stiffness
    spring.excess_damping = 0.0
    if math.isnan(spring.damping):
        spring.damping = damping * spring.stiffness / stiffness if stiffness > 0.0 else 0.0
        if inverse_mass > 0.0:
            spring.excess_damping = 2.0 * EXCESS_DAMPING * math.sqrt(spring.stiffness / inverse_mass)
    nearest, held = take_point_before(contact, contacts, springs, before), NOWHERE
    if nearest >= 0:
        held = carried_force(spring, springs[nearest], contact, slip)
    set_vector(spring.force, held)
    return nearest


@kernel(inline=True)
def carry_slide(spring: Record, last: Record, slip: Vector, previous_dt: float) -> None:
    """How far a point has slipped faster and faster, carried on by a step of slip."""
    slipped = math.sqrt(dot(slip, slip))
    spring.slip_speed = slipped / previous_dt
    if last.slides == 1:
        faster = spring.slip_speed > last.slip_speed
        spring.slid_before, spring.slipped = 1, last.slipped + (slipped if faster else 0.0)


@kernel(inline=True)
def carried_force(spring: Record, last: Record, contact: Record, slip: Vector) -> Vector:
    """The force of a spring a step ago and a slip later; sets its energy, too."""
    alone = (1.0 - spring.ratio) / (1.0 - TANGENTIAL_RATIO)
    left = 1.0 - alone * (1.0 - min(1.0, spring.stiffness / last.stiffness))
    before = scaled(left, turned_with_normal(vector_of(last.force), contact))
    force = minus(before, scaled(spring.stiffness, slip))
    energy = max(0.0, last.energy - 0.5 * (dot(before, slip) + dot(force, slip)))
    square, most = dot(force, force), 2.0 * spring.stiffness * energy
    if square > most:
        force, square = scaled(math.sqrt(most / square), force), most
    if spring.stiffness > 0.0:
        energy += alone * (0.5 * square / spring.stiffness - energy)
    spring.energy = energy
    return force


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
    one_place = ONE_PLACE * dot(vector_of(contact.point), vector_of(contact.point))
    for m in range(before[0], before[1]):
        if contacts[m].member_a != contact.member_a or contacts[m].member_b != contact.member_b:
            break
        away = minus(vector_of(contact.point), vector_of(contacts[m].point))
        if dot(away, away) + one_place < (1.0 - TIE) * least and not (but_taken and springs[m].taken == 1):
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
def held_force(spring: Record, interface: Record, normal_force: float, opening: float, slip: Vector) -> Vector:
    """Friction of the tangential spring and its damper, as far as the normal force carries it.

    opening : rate at which the solids part
    """
    speed = math.sqrt(dot(slip, slip))
    most = interface.mu_static * normal_force
    sliding = slipping_coefficient(spring, interface, normal_force, speed) * normal_force
    return force_up_to(spring, slip, interface.mu_static * abs(opening), most, sliding)


@kernel(inline=True)
def slipping_coefficient(spring: Record, interface: Record, normal_force: float, speed: float) -> float:
    """mu of a point that slips at a speed: of what is left of mu_s by its speed and by its way the lesser."""
    by_speed = interface.mu_static
    if speed > interface.static_velocity:
        by_speed = sliding_coefficient(interface, speed)
    way = BREAKAWAY * interface.mu_static * normal_force / spring.stiffness if spring.stiffness > 0.0 else 0.0
    share = min(1.0, spring.slipped / way) if way > 0.0 else 1.0
    return min(by_speed, interface.mu_static + share * (interface.mu_dynamic - interface.mu_static))


@kernel(inline=True)
def force_up_to(spring: Record, slip: Vector, free_speed: float, most: float, sliding: float) -> Vector:
    """Force of the spring and its damper while that is at most `most`; beyond, the point slips with force `sliding`.

    free_speed : of slip, beyond which it is damped more
    """
    speed = math.sqrt(dot(slip, slip))
    force = minus(vector_of(spring.force), scaled(spring.damping, slip))
    limit = limit_of(spring, math.sqrt(dot(force, force)), most, sliding)
    force = minus(force, scaled(excess_damping_of(spring, speed, free_speed), slip))
    return scaled(share_within(spring, math.sqrt(dot(force, force)), limit), force)


@kernel(inline=True)
def excess_damping_of(spring: Record, speed: float, free_speed: float) -> float:
    """Coefficient of the damper of what slips too fast."""
    return spring.excess_damping * (1.0 - free_speed / speed) if speed > free_speed else 0.0


@kernel(inline=True)
def limit_of(spring: Record, size: float, most: float, sliding: float) -> float:
    """Notes whether friction holds a force of this size, without the damping of what slips too fast; what it bears."""
    spring.slips = 0 if size <= (sliding if spring.slid_before == 1 else most) else 1
    return sliding if spring.slips == 1 else most


@kernel(inline=True)
def share_within(spring: Record, size: float, limit: float) -> float:
    """What is left of a force of this size."""
    return limit / size if size > 0.0 and (size > limit or spring.slips == 1) else 1.0


@kernel(inline=True)
def change_friction(contact: Record, tangential: Vector) -> Vector:
    """Put another friction in place of that of a point; what it changes by."""
    change = minus(tangential, vector_of(contact.tangential))
    set_vector(contact.tangential, tangential)
    return change


@kernel(inline=True)
def keep_what_holds(contact: Record, spring: Record) -> None:
    """Reduce the spring of a point that slips to what friction holds, and its energy with it."""
    force, held = vector_of(spring.force), vector_of(contact.tangential)
    if spring.slips == 1:
        square = dot(force, force)
        spring.energy *= min(1.0, dot(held, held) / square) if square > 0.0 else 0.0
        set_vector(spring.force, held)


@kernel(inline=True)
def pressing_force(contact: Record) -> float:
    """Normal force of a point in the kick at hand: friction is in proportion to what presses, kick by kick."""
    return contact.total + contact.step_correction


@kernel(inline=True)
def friction_force(
    contact: Record, m: int, interface: Record, springs: Records, opening: float, slip: Vector
) -> Vector:
    """Friction on body i at a slip velocity, of the m-th point; opening : rate at which the solids part."""
    if interface.friction == STICTION:
        return held_force(springs[m], interface, pressing_force(contact), opening, slip)
    return scaled(-pressing_force(contact) * friction_over_speed(interface, dot(slip, slip)), slip)
