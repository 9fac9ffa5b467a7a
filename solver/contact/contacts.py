"""Contacts: points where shapes touch at t_n, the forces there, and the work they do.

Once a step `find_contacts` finds the points, in the order of their pairs, and their forces, with what depends on the
rate as it was; with every estimate of v_n `refine_contacts` adds what the forces change by.  Equal and opposite forces
act on both bodies at one common point, so that momentum and angular momentum are kept to round-off.

Work of a force over a step is (F_n + F_{n+1})/2 times the relative displacement, each half with the arms of its own
time: so the energies close to round-off.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import to_body, to_global
from ..core.vectors import cross, dot, minus, plus, point_velocity, scaled, set_vector, times, vector_of
from ..geometry.broad_phase import SIDE_I, SIDE_J, find_pairs, place_members, still_within
from ..geometry.contact_points import turn_normals
from ..geometry.narrow_phase import find_points
from ..geometry.shapes import NOWHERE, PLANE, SPHERE
from ..geometry.sphere import single_point, two_spheres_points
from .friction import (
    arm_of,
    held_force,
    point_before,
    relative_next_step,
    relative_step,
    set_spring,
    stiffness_of,
)
from .normal_laws import (
    NO_FRICTION,
    STICTION,
    USER,
    USER_FRICTION,
    elastic_force,
    friction_over_speed,
    normal_force,
)
from .records import TRAVEL, Contacts

SMOOTH_START = 1.5  # exponent from which on a force begins so gently that its first and last kick need no care


@kernel
def find_contacts(
    contacts: Contacts, part: Record, bodies: Records, t: float, previous_dt: float, dt: float, damped: bool
) -> int:
    """Points of the interfaces of a subsystem at t_n, and their forces on the bodies at the mean velocities at hand.

    damped : some forces depend on the rate

    Returns an interface that has no room for all its candidates or points, -1 if all have.
    """
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        if interface.keeps_points == 1:
            interface.turn = 1 - interface.turn
        interface.last_contacts, interface.contacts = interface.contacts, 0
        if not interface.window[0] <= t < interface.window[1]:
            continue
        if not renew_candidates(contacts, interface, bodies, dt):
            return k
        if not touch_candidates(contacts, interface, k, bodies, t, previous_dt, dt, damped):
            return k
        if interface.opened == 0:
            note_opening(interface, contacts.contacts, t)
        if interface.curve >= 0:
            contacts.spread(interface, contacts.contacts, contacts.springs, contacts.frames, contacts.moves, bodies,
                            contacts.curves, contacts.tables)  # fmt: skip
        if damped and answers_together(interface):
            damp_together(contacts, interface, k, bodies, False)
        if interface.contacts != interface.last_contacts and previous_dt > 0.0:
            interface.flicker += 1
    return -1


@kernel(inline=True)
def points_now(interface: Record) -> tuple[int, int]:
    """The points of t_n: the first one, and the end."""
    first = interface.first_contact + interface.turn * interface.contact_room
    return first, first + interface.contacts


@kernel(inline=True)
def points_before(interface: Record) -> tuple[int, int]:
    """The points of t_{n-1}, of an interface that keeps them; none of any other."""
    first = interface.first_contact + (1 - interface.turn) * interface.contact_room
    return first, first + (interface.last_contacts if interface.keeps_points == 1 else 0)


@kernel
def renew_candidates(contacts: Contacts, interface: Record, bodies: Records, dt: float) -> bool:
    """Find candidates where that is due; False if there is no room for them."""
    members, bounds, first, last = contacts.members, contacts.bounds, interface.first_member, interface.last_member
    speed = place_members(members, first, last, contacts.shapes, contacts.frames, bodies)
    if interface.swiftest * dt <= TRAVEL * interface.thinnest:  # beyond, contacts may make any speed
        interface.swiftest = max(interface.swiftest, speed)
    if interface.pairs >= 0 and still_within(members, bounds, first, last, contacts.shapes, bodies, interface.skin):
        return True
    cells, first_pair = contacts.cell_start[interface.first_cell :], interface.first_pair
    pair = contacts.pair[first_pair : first_pair + interface.pair_room]
    room = contacts.near[first_pair : first_pair + interface.pair_room]
    found = find_pairs(members, bounds, first, last, contacts.shapes, bodies, interface.skin, cells, pair, room)
    interface.pairs = found if found <= interface.pair_room else -1
    return bool(found <= interface.pair_room)


@kernel
def touch_candidates(
    contacts: Contacts, interface: Record, k: int, bodies: Records, t: float, previous_dt: float, dt: float,
    damped: bool,
) -> bool:  # fmt: skip
    """Points of one interface, the k-th, and their forces but those that are found together; False without room."""
    members, frames, points, records = contacts.members, contacts.frames, contacts.points, contacts.contacts
    near = contacts.near
    damps_here = damped and not answers_together(interface)
    old, old_end = points_before(interface)
    first, place = points_now(interface)
    for p in range(interface.first_pair, near_candidates(contacts, interface)):
        a, b = near[p, 0], near[p, 1]
        side_i, side_j = a, b
        if not members[a].side & SIDE_I or not members[b].side & SIDE_J:
            side_i, side_j = b, a
        member_i, member_j = members[side_i], members[side_j]
        i, j = member_i.body, member_j.body
        n = touch(contacts.shapes, member_i, member_j, frames[i], frames[j], bodies[i], bodies[j],
                  contacts.pair_kernels, contacts.scratch, points)  # fmt: skip
        if n == 0:
            continue
        if n < 0:
            interface.beyond_capacity[0], interface.beyond_capacity[1] = a, b
            return False
        if place + n > first + interface.contact_room:
            return False
        while old < old_end and is_before(records[old], a, b):
            old += 1
        weights = 0.0
        for m in range(n):
            weights += points[m].weight
        for m in range(n):
            if points[m].penetration > interface.greatest_penetration:
                note_ignored(interface, points[m].penetration, t)
                continue
            contact = records[place]
            contact.member_a, contact.member_b, contact.i, contact.j = a, b, i, j
            set_contact(contact, points[m], interface)
            if interface.curve < 0:
                load_point(contacts, interface, k, place, member_i, member_j, bodies, weights, old, old_end, t,
                           previous_dt, dt, damps_here)  # fmt: skip
            place += 1
    interface.contacts = place - first
    return True


@kernel
def near_candidates(contacts: Contacts, interface: Record) -> int:
    """List the candidates of an interface that are not spheres apart; where the list ends.

    Without a branch: which spheres touch cannot be foretold, and waiting for the answer costs more than writing.
    """
    members, pair, near = contacts.members, contacts.pair, contacts.near
    end = interface.first_pair
    for p in range(interface.first_pair, interface.first_pair + interface.pairs):
        a, b = pair[p, 0], pair[p, 1]
        near[end, 0], near[end, 1] = a, b
        end += 1 - int(apart(members[a], members[b]))
    return end


@kernel(inline=True)
def load_point(
    contacts: Contacts, interface: Record, k: int, m: int, member_i: Record, member_j: Record, bodies: Records,
    weights: float, old: int, old_end: int, t: float, previous_dt: float, dt: float, damps: bool,
) -> None:  # fmt: skip
    """Force of the m-th point of all, one of interface k, on its bodies.

    weights : of all points of the pair.  old, old_end : the points of a step ago, see `set_spring`.
    damps : what depends on the rate is found point by point
    """
    contact, records, springs = contacts.contacts[m], contacts.contacts, contacts.springs
    frame_i, frame_j = contacts.frames[contact.i], contacts.frames[contact.j]
    move_i, move_j = contacts.moves[contact.i], contacts.moves[contact.j]
    stiffness = stiffness_of(contact, interface)
    if interface.law == USER or interface.friction == USER_FRICTION:
        stiffness = contacts.ask_routines(contacts.routines, k, interface, contact, m, t, contacts.shapes,
                                          contacts.members, bodies, move_i, move_j, records, springs, old,
                                          old_end)  # fmt: skip
    inverse_mass = frame_i.inverse_mass + frame_j.inverse_mass
    inverse_mass += inverse_mass_of_turning(contact, member_i, frame_i, bodies[contact.i])
    inverse_mass += inverse_mass_of_turning(contact, member_j, frame_j, bodies[contact.j])
    # dv_n/da_n is half the last step; the points of a pair are taken to change alike
    contact.compliance = 0.5 * previous_dt * inverse_mass * weights / contact.weight
    at_edge = False
    if interface.zero_crossing == 1 and interface.exponent < SMOOTH_START and previous_dt > 0.0:
        contact.step_correction, at_edge = edge_correction(contact, springs[m], interface, inverse_mass, move_i, move_j,
                                                           records, springs, old, old_end, previous_dt, dt)  # fmt: skip
    if dt != previous_dt and previous_dt > 0.0 and not at_edge:
        contact.step_correction = step_correction(contact, stiffness, move_i, move_j, previous_dt, dt)
    note_stiffness(contact, interface, stiffness, inverse_mass)
    if interface.friction == STICTION:
        set_spring(springs[m], contact, interface, stiffness, inverse_mass, move_i, move_j, records, springs, old,
                   old_end)  # fmt: skip
    force = scaled(contact.elastic + contact.step_correction, vector_of(contact.normal))
    if damps:
        force = plus(force, renew_force(contact, m, interface, springs, frame_i, frame_j, False))
    add_pair_of_forces(contact, force, frame_i, frame_j, interface.turns == 1)


@kernel(inline=True)
def note_ignored(interface: Record, penetration: float, t: float) -> None:
    """Keep the time and depth at which a contact was first ignored."""
    if interface.ignored_depth == 0.0:
        interface.ignored_depth, interface.ignored_time = penetration, t


@kernel(inline=True)
def note_opening(interface: Record, contacts: Records, t: float) -> None:
    """Keep the time at which an interface first acts, and how deep its points are then."""
    interface.opened, interface.opening_time = 1, t
    first, end = points_now(interface)
    for m in range(first, end):
        interface.opening_depth = max(interface.opening_depth, contacts[m].penetration)


@kernel(inline=True)
def answers_together(interface: Record) -> bool:
    """Whether what depends on the rate is not found point by point, but for all points of an interface."""
    return bool(interface.curve >= 0 or interface.law == USER or interface.friction == USER_FRICTION)


@kernel(inline=True)
def apart(member: Record, other: Record) -> bool:
    """Whether two members are spheres that do not touch."""
    reach = member.radius + other.radius
    between = minus(vector_of(member.centre), vector_of(other.centre))
    return dot(between, between) >= reach * reach  # False where a radius is NaN


@kernel(inline=True)
def touch(
    shapes: Records, member_i: Record, member_j: Record, frame_i: Record, frame_j: Record, body_i: Record,
    body_j: Record, pairs: Records, scratch: Record, points: Records,
) -> int:  # fmt: skip
    """Points of two members, or OUT_OF_CAPACITY; spheres and half spaces without a call."""
    centre_i, centre_j = vector_of(member_i.centre), vector_of(member_j.centre)
    if member_i.kind == SPHERE and member_j.kind == SPHERE:
        return two_spheres_points(centre_i, member_i.radius, centre_j, member_j.radius, points)
    one, other = shapes[member_i.shape], shapes[member_j.shape]
    if member_i.kind == SPHERE and member_j.kind == PLANE:
        gap, outward = sphere_over_plane(centre_i, member_i.radius, centre_j, other, body_j)
        return single_point(centre_i, member_i.radius, gap, outward, points)
    if member_i.kind == PLANE and member_j.kind == SPHERE:
        gap, outward = sphere_over_plane(centre_j, member_j.radius, centre_i, one, body_i)
        n = single_point(centre_j, member_j.radius, gap, outward, points)
        turn_normals(points, n)
        return n
    origin = vector_of(frame_j.place)
    offset = minus(vector_of(frame_i.place), origin)
    n = find_points(one, offset, body_i.rotation, other, NOWHERE, body_j.rotation, pairs, scratch, points)
    for k in range(n):
        for c in range(3):
            points[k].point[c] += origin[c]
    return n


@kernel(inline=True)
def sphere_over_plane(
    centre: Vector, radius: float, on_plane: Vector, plane: Record, body: Record
) -> tuple[float, Vector]:
    """Gap of a sphere and a half space on a body, and the outward normal of the half space."""
    outward = times(body.rotation, plane.axes[2])
    return dot(minus(centre, on_plane), outward) - radius, outward


@kernel(inline=True)
def is_before(contact: Record, a: int, b: int) -> bool:
    """Whether a contact belongs to a pair before (a, b)."""
    return contact.member_a < a or (contact.member_a == a and contact.member_b < b)


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
def step_correction(
    contact: Record, stiffness: float, move_i: Record, move_j: Record, previous_dt: float, dt: float
) -> float:
    """What makes a kick with the force of t_n right to second order, which lasts longer on one side of t_n.

    From the middle of one step to the middle of the next, F changes by F' (dt - previous_dt)/4 in the mean.
    """
    closing = approach(contact, move_i, move_j, previous_dt)
    return max(-contact.elastic, 0.25 * (dt - previous_dt) * stiffness * closing)


@kernel(inline=True)
def edge_correction(
    contact: Record, spring: Record, interface: Record, inverse_mass: float, move_i: Record, move_j: Record,
    contacts: Records, springs: Records, old: int, old_end: int, previous_dt: float, dt: float,
) -> tuple[float, bool]:  # fmt: skip
    """What gives the kick of the first and of the last point of a contact all of its force, and whether it is one.

    That is F_n (z(s)/z)^e with z(s) = z + z' s, from where it rises from 0, or until it falls to it.
    """
    closing, z = approach(contact, move_i, move_j, previous_dt), contact.penetration
    before = point_before(contact, contacts, springs, old, old_end, False)
    kick = 0.5 * (previous_dt + dt)
    spring.ended = 1 if closing < 0.0 and z + (closing - kick * inverse_mass * contact.elastic) * dt < 0.0 else 0
    if before >= 0 and springs[before].ended == 1 and closing < 0.0:
        spring.ended = 1
        return -contact.elastic, True  # the last kick had it all
    if closing > 0.0 and before < 0:
        half_step = 0.5 * dt
    elif spring.ended == 1:
        half_step = 0.5 * previous_dt
    else:
        return 0.0, False
    exponent, speed = interface.exponent, abs(closing)
    impulse = contact.elastic * z / (speed * (exponent + 1.0)) * math.pow(1.0 + speed * half_step / z, exponent + 1.0)
    return impulse / kick - contact.elastic, True


@kernel(inline=True)
def approach(contact: Record, move_i: Record, move_j: Record, previous_dt: float) -> float:
    """Mean rate of the penetration in the last step."""
    return -dot(relative_step(contact, move_i, move_j), vector_of(contact.normal)) / previous_dt


@kernel(inline=True)
def note_stiffness(contact: Record, interface: Record, stiffness: float, inverse_mass: float) -> None:
    """What a point asks of the time step.

    Of dampers only those count whose force grows without bounds: that of POISSON and friction are bounded, so that a
    step longer than their slopes at rest allow makes them chatter there, by no more than a step's change of velocity.
    """
    interface.stiffest = max(interface.stiffest, stiffness * inverse_mass)
    interface.most_damped = max(interface.most_damped, contact.weight * interface.damping * inverse_mass)


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


# ---- what depends on the rate ----------------------------------------------------------------------------------


@kernel
def refine_contacts(contacts: Contacts, part: Record, bodies: Records) -> None:
    """Forces at the mean velocities at hand, which contain those forces of t_n that were found last."""
    frames, records, springs = contacts.frames, contacts.contacts, contacts.springs
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        if answers_together(interface):
            damp_together(contacts, interface, k, bodies, True)
            continue
        first, end = points_now(interface)
        for m in range(first, end):
            contact = records[m]
            frame_i, frame_j = frames[contact.i], frames[contact.j]
            change = renew_force(contact, m, interface, springs, frame_i, frame_j, True)
            add_pair_of_forces(contact, change, frame_i, frame_j, interface.turns == 1)


@kernel
def damp_together(contacts: Contacts, interface: Record, k: int, bodies: Records, refine: bool) -> None:
    """`renew_force` of all points of interface k, by a force curve or by routines."""
    if interface.curve >= 0:
        contacts.damp_curve(interface, contacts.contacts, contacts.springs, contacts.frames, contacts.curves,
                            contacts.tables)  # fmt: skip
    else:
        contacts.damp_by_routines(contacts.routines, k, interface, contacts.contacts, contacts.springs,
                                  contacts.frames, contacts.shapes, contacts.members, bodies, refine)  # fmt: skip


@kernel(inline=True)
def renew_force(
    contact: Record, m: int, interface: Record, springs: Records, frame_i: Record, frame_j: Record, refine: bool
) -> Vector:
    """Find normal force and friction of one point, the m-th, at the velocities at hand; how its force on i changes.

    refine : the velocities contain the force found last.  Then the new one is that of the rate which it leaves itself:
    laws that are steep in the rate need no short steps, and few passes
    """
    normal, before = vector_of(contact.normal), contact.total
    velocity = relative_velocity(contact, frame_i, frame_j, interface.turns == 1)
    opening = dot(velocity, normal)
    compliance = contact.compliance if refine else 0.0
    free_rate = compliance * before - opening
    contact.total = normal_force(interface, contact.elastic, contact.penetration, free_rate, compliance, contact.weight)
    change = scaled(contact.total - before, normal)
    if interface.friction != NO_FRICTION:
        tangential = friction_force(contact, m, interface, springs, minus(velocity, scaled(opening, normal)))
        change = plus(change, change_friction(contact, tangential))
    return change


@kernel(inline=True)
def change_friction(contact: Record, tangential: Vector) -> Vector:
    """Put another friction in place of that of a point; what it changes by."""
    change = minus(tangential, vector_of(contact.tangential))
    set_vector(contact.tangential, tangential)
    return change


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
def friction_force(contact: Record, m: int, interface: Record, springs: Records, slip: Vector) -> Vector:
    """Friction on body i at a slip velocity, of the m-th point."""
    if interface.friction == STICTION:
        return held_force(springs[m], interface, contact.total, slip)
    return scaled(-contact.total * friction_over_speed(interface, dot(slip, slip)), slip)


# ---- work ------------------------------------------------------------------------------------------------------


@kernel
def book_contacts(contacts: Contacts, part: Record) -> float:
    """Work of all forces over the step that led to t_n; returns it.

    The half that the forces of t_n do in the step that follows, by the trial motion at hand, is kept for its end.
    """
    total = 0.0
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        total += book_points(contacts.contacts, interface, contacts.moves)
        if interface.friction == STICTION:
            keep_what_holds(contacts.contacts, contacts.springs, interface)
    return total


@kernel
def book_points(contacts: Records, interface: Record, moves: Records) -> float:
    """Half the work of the forces of t_n in the steps before and after; returns that of the step that led to t_n."""
    elastic, damping, friction = interface.coming_work[0], interface.coming_work[1], interface.coming_work[2]
    coming_elastic, coming_damping, coming_friction = 0.0, 0.0, 0.0
    first, end = points_now(interface)
    turns = interface.turns == 1
    for m in range(first, end):
        contact = contacts[m]
        move_i, move_j = moves[contact.i], moves[contact.j]
        normal, tangential = vector_of(contact.normal), vector_of(contact.tangential)
        held, lost = 0.5 * (contact.elastic + contact.step_correction), 0.5 * (contact.total - contact.elastic)
        moved = relative_step(contact, move_i, move_j, turns)
        next_moved = relative_next_step(contact, move_i, move_j, turns)
        closed, closes = dot(moved, normal), dot(next_moved, normal)
        elastic, coming_elastic = elastic + closed * held, coming_elastic + closes * held
        damping, coming_damping = damping + closed * lost, coming_damping + closes * lost
        friction += 0.5 * dot(moved, tangential)
        coming_friction += 0.5 * dot(next_moved, tangential)
    interface.elastic_work += elastic
    interface.damping_work += damping
    interface.friction_work += friction
    set_vector(interface.coming_work, (coming_elastic, coming_damping, coming_friction))
    return elastic + damping + friction


@kernel
def keep_what_holds(contacts: Records, springs: Records, interface: Record) -> None:
    """Reduce the springs of points that slip to what friction holds."""
    first, end = points_now(interface)
    for m in range(first, end):
        if springs[m].slips == 1:
            set_vector(springs[m].force, vector_of(contacts[m].tangential))
