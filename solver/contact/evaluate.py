"""Contacts: the forces at the points where shapes touch at t_n.

Once a step `load_interface` finds the points, in the order of their pairs, and their forces, with what depends on the
rate as it was; with every estimate of v_n `refine_interface` adds what the forces change by.  Equal and opposite forces
act on both bodies at one common point, so that momentum and angular momentum are kept to round-off.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import dot, minus, plus, scaled, set_vector, vector_of
from ..core.windows import middle_of_kick, share_of_kick
from ..geometry.contact_points import BUFFER_FULL, KERNEL_DIED, counted_from
from ..geometry.shapes import NOWHERE
from .detect import (
    by_sides,
    candidates_of,
    from_pair_on,
    near_candidates,
    points_before,
    points_now,
    renew_candidates,
    touch,
    touches_before,
    touches_now,
)
from .frames import frame_of
from .friction import (
    carry_slide,
    change_friction,
    friction_force,
    point_before,
    set_spring,
    stiffness_of,
    tangential_ratio,
)
from .normal_laws import (
    NO_FRICTION,
    STICTION,
    USER,
    USER_FRICTION,
    VOLUME,
    damping_to_resolve,
    elastic_force,
    normal_force,
    slope_at_rest,
)
from .patches import carry_patch, clear_patch_springs, rub, set_patches, slip_of_patch
from .point_motion import add_pair_of_forces, approach, inverse_mass_of_turning, relative_velocity, slip_of_step
from .records import (
    DONE,
    MOST_OFFSET,
    MOST_TILT,
    OF_INTERFACE,
    OF_POINT,
    TRAVEL_OF_TEETH,
    Contacts,
    Range,
    Step,
)
from .touches import (
    begin_touches,
    ends_exactly,
    forget_pair,
    note_parted_curve,
    part_pairs,
    part_pairs_before,
    renew_touch,
    return_debt,
)

MOST_STEPS_TO_PART = 2.0  # at the speed at hand, where a point parts within one step; beyond, no step resolves it


@kernel
def begin_interface(interface: Record, t: float, previous_dt: float, dt: float, sampled: int) -> bool:
    """No points yet at t_n; whether an interface acts in the kick there.  sampled : 1 where t_n may be a sample."""
    if interface.keeps_points == 1:
        interface.turn = 1 - interface.turn
    interface.last_contacts, interface.contacts, interface.time = interface.contacts, 0, t
    interface.areas = max(interface.uses_areas, sampled)
    begin_touches(interface)
    start, stop = interface.window[0], interface.window[1]
    interface.share = share_of_kick(start, stop, t, dt, previous_dt)
    if interface.share == 0.0 and t >= stop:
        interface.recoverable = 0.0
    return bool(interface.share != 0.0)


@kernel(inline=True)
def step_of(interface: Record, t: float, previous_dt: float, dt: float) -> Step:
    """The steps before and after t_n, as far as an interface acts in them."""
    return Step(t, previous_dt, dt, middle_of_kick(interface.window[0], interface.window[1], t, dt, previous_dt))


@kernel(inline=True)
def load_interface(contacts: Contacts, k: int, bodies: Records, step: Step, damped: bool) -> bool:
    """Points of interface k at t_n, and their forces on the bodies at the mean velocities at hand.

    damped : some forces depend on the rate

    Returns False if there are more candidates or points than it has capacity for.
    """
    interface = contacts.interfaces[k]
    if not renew_candidates(contacts, interface, bodies, step.dt):
        return False
    near = interface.first_pair, near_candidates(contacts, candidates_of(interface))
    return load_candidates(
        contacts, k, interface, near, points_before(interface), touches_before(interface), bodies, step, damped
    )


@kernel(inline=True)
def finish_interface(contacts: Contacts, k: int, bodies: Records, step: Step, damped: bool) -> int:
    """Notes about the points that were found, and the forces that are found of all together; returns a status."""
    interface = contacts.interfaces[k]
    if interface.died == 1:
        return KERNEL_DIED
    if interface.most_tilt > MOST_TILT or interface.most_offset > MOST_OFFSET:
        note_tilt(interface, step.t)
    if interface.teeth > interface.fastest_teeth:
        note_teeth(interface, step.dt)
    if interface.opened == 0:
        note_opening(contacts, interface, step.t)
    if spread(contacts, k, bodies) != DONE:
        return KERNEL_DIED
    if interface.curve >= 0:
        note_parted_curve(interface)
    if damped and evaluates_together(interface) and damp_together(contacts, k, bodies, False) != DONE:
        return KERNEL_DIED
    if interface.contacts != interface.last_contacts and step.previous_dt > 0.0:
        interface.contact_changes += 1
    return DONE


@kernel(inline=True)
def spread(contacts: Contacts, k: int, bodies: Records) -> int:
    """Elastic force of interface k where that is a force curve's; returns a status."""
    if contacts.interfaces[k].curve < 0:
        return DONE
    return call(contacts.kernels.spread_force, OF_INTERFACE, contacts, k, bodies, 0)


@kernel
def load_candidates(
    contacts: Contacts, k: int, interface: Record, pairs: Range, before: Range, last_touches: Range, bodies: Records,
    step: Step, damped: bool,
) -> bool:  # fmt: skip
    """Points of interface k, and their forces but those that are found together; False beyond the capacity.

    interface : the whole one, or a part of it.  pairs : those near each other.  before, last_touches : of a step ago
    """
    members, points = contacts.members, contacts.points
    near, records = contacts.near, contacts.contacts
    damps_here = damped and not evaluates_together(interface)
    prepares = needs_preparation(interface)
    first, place = points_now(interface)
    first_touch, touches = touches_now(interface)
    for p in range(pairs[0], pairs[1]):
        a, b = near[p, 0], near[p, 1]
        side_i, side_j = by_sides(members, a, b)
        member_i, member_j = members[side_i], members[side_j]
        n = touch(contacts, interface, member_i, member_j, bodies)
        if interface.curve >= 0:
            allowance = contacts.curves[interface.curve].allowance
            if n > 0 and allowance > 0.0:
                n = counted_from(contacts.points, n, allowance)
        if n == 0:
            continue
        if n == KERNEL_DIED:
            interface.died = 1
            return True
        if n == BUFFER_FULL:
            return False
        if n < 0:
            interface.beyond_capacity[0], interface.beyond_capacity[1] = a, b
            return False
        if place + n > first + interface.point_capacity:
            return False
        if prepares:
            spin = minus(vector_of(contacts.frames[member_i.body].spin), vector_of(contacts.frames[member_j.body].spin))
            if not prepare_points(contacts, interface, n, place, spin, step.t):
                last_touches = part_pairs_before(interface, contacts.touches, last_touches, a, b)
                last_touches = forget_pair(contacts.touches, last_touches, a, b)
                continue
        before = from_pair_on(records, before, a, b)
        first_of_pair, weights = place, 0.0
        for m in range(n):
            weights += points[m].weight
        for m in range(n):
            contact = records[place]
            contact.member_a, contact.member_b, contact.i, contact.j = a, b, member_i.body, member_j.body
            set_contact(contact, points[m], interface)
            if interface.curve < 0:
                load_point(contacts, k, interface, place, member_i, member_j, bodies, weights, before, step,
                           damps_here)  # fmt: skip
            place += 1
        if interface.curve < 0:
            last_touches = part_pairs_before(interface, contacts.touches, last_touches, a, b)
            q = renew_touch(contacts, interface, touches, a, b, (first_of_pair, place), last_touches)
            if interface.returns_debt == 1:
                return_debt(contacts, interface, touches, q, (first_of_pair, place), bodies, step)
            last_touches = forget_pair(contacts.touches, last_touches, a, b)
            touches += 1
    part_pairs(interface, contacts.touches, last_touches)
    interface.contacts, interface.touches = place - first, touches - first_touch
    return True


@kernel(inline=True)
def needs_preparation(interface: Record) -> bool:
    """Whether the points of a pair must be seen together before the force of each: asked once, not for every pair."""
    by_pairs = interface.greatest_penetration < math.inf or interface.law == VOLUME
    return bool(by_pairs or interface.has_patches == 1 or interface.friction == STICTION)


@kernel
def prepare_points(contacts: Contacts, interface: Record, n: int, place: int, spin: Vector, t: float) -> bool:
    """What must be known of the n points of a pair before the force of each; False where the contact is ignored.

    place : of the first among all points.  spin : angular velocity of one body against the other
    """
    points = contacts.points
    if interface.greatest_penetration < math.inf and is_ignored(interface, points, n, t):
        return False
    if interface.has_patches == 1:
        set_patches(points, n, contacts.patches, place, interface, spin)
    if interface.friction == STICTION:
        ratio = tangential_ratio(points, n)
        for m in range(n):
            contacts.springs[place + m].ratio = ratio
    if interface.law == VOLUME:
        share_by_force(interface, points, n)
    return True


@kernel
def share_by_force(interface: Record, points: Records, n: int) -> None:
    """Let each point of a pair have the part of the damping that it has of the elastic force: all of it but once."""
    total = 0.0
    for m in range(n):
        total += elastic_force(interface, points[m].penetration, 1.0, points[m].area)
    if total > 0.0:
        for m in range(n):
            points[m].weight = elastic_force(interface, points[m].penetration, 1.0, points[m].area) / total


@kernel(inline=True)
def load_point(
    contacts: Contacts, k: int, interface: Record, m: int, member_i: Record, member_j: Record, bodies: Records,
    weights: float, before: Range, step: Step, damps: bool,
) -> None:  # fmt: skip
    """Force of the m-th point of all, one of interface k, on its bodies.

    interface : the whole one, or a part of it.  weights : of all points of the pair.
    before : the points of a step ago, see `set_spring`.
    damps : what depends on the rate is found point by point
    """
    records, springs = contacts.contacts, contacts.springs
    contact = records[m]
    frame_i, frame_j = frame_of(contacts, interface, contact.i), frame_of(contacts, interface, contact.j)
    move_i, move_j = contacts.moves[contact.i], contacts.moves[contact.j]
    stiffness = stiffness_of(contact, interface)
    if interface.law == USER or interface.friction == USER_FRICTION:
        done = call(contacts.kernels.evaluate_routines, OF_POINT, contacts, k, m, bodies, step.t, before[0], before[1])
        interface.died = max(interface.died, int(done != DONE))
        stiffness = contacts.routines.normal[k].slope
    inverse_mass = frame_i.inverse_mass + frame_j.inverse_mass
    inverse_mass += inverse_mass_of_turning(contact, member_i, frame_i, bodies[contact.i])
    inverse_mass += inverse_mass_of_turning(contact, member_j, frame_j, bodies[contact.j])
    # the points of a pair are taken to change alike; dv_n/da_n is half the last step
    response = inverse_mass * weights / contact.weight
    contact.compliance = interface.share * (0.5 * step.previous_dt * response)
    if ends_exactly(interface):
        # the velocities at hand are still those of the last step
        closing = -dot(relative_velocity(contact, frame_i, frame_j, interface.turns == 1), vector_of(contact.normal))
        contact.step_correction = edge_correction(contact, interface.exponent, response, closing, step)
    elif step.middle != 0.0 and step.previous_dt > 0.0:
        closing = approach(contact, move_i, move_j, step.previous_dt)
        contact.step_correction = step_correction(contact, stiffness, closing, step)
    note_stiffness(contact, interface, stiffness, inverse_mass)
    if interface.keeps_touch_speed == 1:
        speed = -dot(relative_velocity(contact, frame_i, frame_j, True), vector_of(contact.normal))
        if step.previous_dt > 0.0:
            speed = approach(contact, move_i, move_j, step.previous_dt)
        set_touch_speed(springs[m], speed, contact, records, springs, before)
    if interface.friction == STICTION:
        damping = slope_at_rest(interface, contact, touch_speed_of(interface, springs, m))
        of_normal = stiffness, damping, springs[m].ratio
        carry_springs(contacts, interface, m, of_normal, inverse_mass, before, step.previous_dt)
    force = scaled(contact.elastic + contact.step_correction, vector_of(contact.normal))
    if damps:
        force = plus(force, renew_force(contact, m, interface, springs, contacts.patches, frame_i, frame_j, False))
    add_pair_of_forces(contact, scaled(interface.share, force), frame_i, frame_j, interface.turns == 1)


@kernel
def carry_springs(
    contacts: Contacts, interface: Record, m: int, normal: Vector, inverse_mass: float, before: Range,
    previous_dt: float,
) -> None:  # fmt: skip
    """The springs of stiction of the m-th point, carried on from those of a step ago.

    normal : as for `set_spring`
    """
    records, springs, contact = contacts.contacts, contacts.springs, contacts.contacts[m]
    move_i, move_j = contacts.moves[contact.i], contacts.moves[contact.j]
    slip, turn = slip_of_step(contact, move_i, move_j), minus(vector_of(move_i.turn), vector_of(move_j.turn))
    if interface.has_patches == 1:
        slip = slip_of_patch(contact, contacts.patches[m], slip, turn)
    last = set_spring(springs[m], contact, interface, normal, inverse_mass, slip, records, springs, before)
    if last >= 0:
        carry_slide(springs[m], springs[last], slip, previous_dt)
    if interface.has_couples == 0:
        return
    patch = contacts.patches[m]
    clear_patch_springs(patch)
    if last >= 0:
        carry_patch(patch, contacts.patches[last], springs[m], springs[last], contact, turn, interface.rolling_length)


@kernel(inline=True)
def set_contact(contact: Record, point: Record, interface: Record) -> None:
    """Geometry and elastic force."""
    contact.penetration, contact.weight, contact.area = point.penetration, point.weight, point.area
    set_vector(contact.point, vector_of(point.point))
    set_vector(contact.normal, vector_of(point.normal))
    contact.elastic = elastic_force(interface, point.penetration, point.weight, point.area)
    contact.total, contact.step_correction = contact.elastic, 0.0
    set_vector(contact.tangential, NOWHERE)


@kernel(inline=True)
def step_correction(contact: Record, stiffness: float, closing: float, step: Step) -> float:
    """What makes a kick with the force of t_n right to second order, which lasts longer on one side of t_n.

    F changes by F' in the mean of the kick times the middle of it, (dt - previous_dt)/4 where it lasts from the middle
    of one step to the middle of the next.
    closing : mean rate of the penetration in the last step
    """
    return max(-contact.elastic, step.middle * stiffness * closing)


@kernel(inline=True)
def edge_correction(contact: Record, exponent: float, response: float, closing: float, step: Step) -> float:
    """What lets the first and the last kick of a point change the energy by as much as it stores.

    Half of a kick is for either step beside t_n.  In that in which the force rises from 0, or falls to it, the work is
    U = F z/(e + 1) in place of F |z'| dt/2.  The kick has all of the work at the mean of the speeds before and after.

    response : change of z' by a unit kick, of all points of the pair alike.  closing : z', mean of the last step
    """
    force, z, speed = contact.elastic, contact.penetration, abs(closing)
    stored, kick = force * z / (exponent + 1.0), 0.5 * (step.previous_dt + step.dt)
    if closing > 0.0:
        if z > closing * step.previous_dt:
            return 0.0  # it was there a step ago
        after = speed - response * (stored / speed + 0.5 * force * step.dt)
        if not after > 0.0:
            return 0.0
        work = stored + 0.5 * force * after * step.dt
    else:
        leaves = z + (closing - response * kick * force) * step.dt < 0.0
        if not leaves or z > MOST_STEPS_TO_PART * speed * step.dt:
            return 0.0
        after = speed + response * (stored / speed + 0.5 * force * step.previous_dt)
        work = stored + 0.5 * force * speed * step.previous_dt
    return 2.0 * work / ((speed + after) * kick) - force


@kernel(inline=True)
def set_touch_speed(
    spring: Record, speed: float, contact: Record, contacts: Records, springs: Records, before: Range
) -> None:
    """Keep the speed at which a point was first touched, in a step of mean approach `speed`.

    What is pressed together faster later on counts with that speed: so what rests on something and is hit there.
    """
    last = point_before(contact, contacts, springs, before, False)
    spring.touch_speed = max(springs[last].touch_speed if last >= 0 else 0.0, speed)


@kernel(inline=True)
def touch_speed_of(interface: Record, springs: Records, m: int) -> float:
    """That of the m-th point, where its law depends on it."""
    return springs[m].touch_speed if interface.keeps_touch_speed == 1 else 0.0


# ---- what is noted of an interface -----------------------------------------------------------------------------


@kernel(inline=True)
def has_power_law(interface: Record) -> bool:
    """Whether the elastic force of a point goes with a power of its penetration alone."""
    return bool(interface.curve < 0 and interface.law != USER and interface.law != VOLUME)


@kernel
def is_ignored(interface: Record, points: Records, n: int, t: float) -> bool:
    """Whether the points of a pair are too deep; keeps the time and depth at which that was first so."""
    deepest = 0.0
    for m in range(n):
        deepest = max(deepest, points[m].penetration)
    if not deepest > interface.greatest_penetration:
        return False
    if interface.ignored_depth == 0.0:
        interface.ignored_depth, interface.ignored_time = deepest, t
    return True


@kernel
def note_opening(contacts: Contacts, interface: Record, t: float) -> None:
    """Keep the time at which an interface first acts, and how deep its points are then.

    What overlaps at t = 0 stores energy to begin with: that of the law, z the penetration, F z/(e + 1).  So a pair of
    solids that begins like that is to give back as much as one that has come to touch.
    """
    interface.opened, interface.opening_time = 1, t
    records, touches = contacts.contacts, contacts.touches
    first, end = points_now(interface)
    for m in range(first, end):
        interface.opening_depth = max(interface.opening_depth, records[m].penetration)
    if t > 0.0 or not has_power_law(interface):
        return
    first_touch, end_touch = touches_now(interface)
    for p in range(first_touch, end_touch):
        stored = 0.0
        for m in range(first, touches[p].end):
            stored += records[m].elastic * records[m].penetration / (interface.exponent + 1.0)
        if interface.returns_debt == 1 and contacts.debts[p].energy > 0.0:
            stored = contacts.debts[p].energy
        touches[p].work, touches[p].abrupt, first = -stored, 0, touches[p].end
        interface.elastic_work -= stored


@kernel(inline=True)
def note_tilt(interface: Record, t: float) -> None:
    """Keep the time at which plane curves first were not in one plane."""
    if math.isnan(interface.tilt_time):
        interface.tilt_time = t


@kernel(inline=True)
def note_teeth(interface: Record, dt: float) -> None:
    """Keep how fast the teeth of plane curves pass each other, until a step is too long: beyond, it may be anything."""
    if interface.fastest_teeth * dt <= TRAVEL_OF_TEETH:
        interface.fastest_teeth = interface.teeth


@kernel(inline=True)
def note_stiffness(contact: Record, interface: Record, stiffness: float, inverse_mass: float) -> None:
    """What a point asks of the time step."""
    interface.stiffest = max(interface.stiffest, stiffness * inverse_mass)
    interface.most_damped = max(interface.most_damped, damping_to_resolve(interface, contact) * inverse_mass)


# ---- what depends on the rate ----------------------------------------------------------------------------------


@kernel(inline=True)
def evaluates_together(interface: Record) -> bool:
    """Whether what depends on the rate is not found point by point, but for all points of an interface."""
    return bool(interface.curve >= 0 or interface.law == USER or interface.friction == USER_FRICTION)


@kernel(inline=True)
def refine_interface(contacts: Contacts, k: int, bodies: Records) -> int:
    """Forces at the mean velocities at hand, which contain those forces of t_n that were found last.

    Returns a status, DONE but where a kernel called by address died.
    """
    interface = contacts.interfaces[k]
    if evaluates_together(interface):
        return damp_together(contacts, k, bodies, True)
    refine_points(contacts, interface)
    return DONE


@kernel(inline=True)
def refine_points(contacts: Contacts, interface: Record) -> None:
    """The same of an interface or a part of one, point by point."""
    records, springs = contacts.contacts, contacts.springs
    first, end = points_now(interface)
    for m in range(first, end):
        contact = records[m]
        frame_i, frame_j = frame_of(contacts, interface, contact.i), frame_of(contacts, interface, contact.j)
        change = renew_force(contact, m, interface, springs, contacts.patches, frame_i, frame_j, True)
        add_pair_of_forces(contact, scaled(interface.share, change), frame_i, frame_j, interface.turns == 1)


@kernel
def damp_together(contacts: Contacts, k: int, bodies: Records, refine: bool) -> int:
    """`renew_force` of all points of interface k, by a force curve or by routines; returns a status."""
    again = 1 if refine else 0
    if contacts.interfaces[k].curve >= 0:
        return call(contacts.kernels.damp_curve, OF_INTERFACE, contacts, k, bodies, again)
    return call(contacts.kernels.damp_by_routines, OF_INTERFACE, contacts, k, bodies, again)


@kernel(inline=True)
def renew_force(
    contact: Record, m: int, interface: Record, springs: Records, patches: Records, frame_i: Record, frame_j: Record,
    refine: bool,
) -> Vector:  # fmt: skip
    """Find normal force and friction of one point, the m-th, at the velocities at hand; how its force on i changes.

    What the couple of its friction changes is added at once, see `rub`.

    refine : the velocities contain the force found last.  Then the new one is that of the rate which it leaves itself:
    laws that are steep in the rate need no short steps, and few passes
    """
    normal, before = vector_of(contact.normal), contact.total
    velocity = relative_velocity(contact, frame_i, frame_j, interface.turns == 1)
    opening = dot(velocity, normal)
    compliance = contact.compliance if refine else 0.0
    free_rate = compliance * before - opening
    contact.total = normal_force(interface, contact, free_rate, compliance, touch_speed_of(interface, springs, m))
    change = scaled(contact.total - before, normal)
    if interface.friction != NO_FRICTION:
        slip = minus(velocity, scaled(opening, normal))
        if interface.has_patches == 1 and patches[m].acts == 1:
            tangential = rub(contact, patches[m], springs, m, interface, opening, slip, frame_i, frame_j)
        else:
            tangential = friction_force(contact, m, interface, springs, opening, slip)
        change = plus(change, change_friction(contact, tangential))
    return change
