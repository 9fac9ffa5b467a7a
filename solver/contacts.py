"""Contacts: points where shapes touch at t_n, the forces there, and the work they do.

Once a step `find_contacts` finds the points, in the order of their pairs, and adds the elastic forces; with every
estimate of v_n `add_contact_dampers` adds what depends on the rate.  Equal and opposite forces act on both bodies at
one common point, so that momentum and angular momentum are kept to round-off.

Work of a force over a step is (F_n + F_{n+1})/2 times the relative displacement, each half with the arms of its own
time: so the energies close to round-off.
"""

from __future__ import annotations

import math

from numba import njit

from .broad_phase import SIDE_I, SIDE_J, find_pairs, place_members, still_within
from .contact_laws import (
    NO_FRICTION,
    STICTION,
    USER,
    USER_FRICTION,
    elastic_force,
    friction_over_speed,
    normal_force,
)
from .contact_pairs import Families
from .contact_point import turn_normals
from .contact_records import Contacts, NarrowPhase
from .contact_sphere import single_point, two_spheres_points
from .contact_stiction import (
    arm_of,
    held_force,
    relative_step,
    relative_step_of_last,
    set_spring,
    stiffness_of,
)
from .point_motion import cross, dot, minus, plus, scaled, set_vector, vector_of
from .rotation import to_body, to_global
from .shapes import NOWHERE, PLANE, SPHERE, turned
from .state import Floats, Record, Records, Vector


@njit(cache=True)
def find_contacts(contacts: Contacts, part: Record, bodies: Records, t: float, previous_dt: float, dt: float) -> int:
    """Points of the interfaces of a subsystem at t_n, and their elastic forces on the bodies.

    Returns an interface that has no room for all its candidates or points, -1 if all have.
    """
    gather_places(contacts.frames, part, bodies, previous_dt)
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        interface.turn = 1 - interface.turn
        interface.last_contacts, interface.contacts = interface.contacts, 0
        if not interface.window[0] <= t < interface.window[1]:
            continue
        if not renew_candidates(contacts, interface, bodies):
            return k
        if not touch_candidates(contacts, interface, k, bodies, t, previous_dt, dt):
            return k
        if interface.curve >= 0:
            contacts.spread(interface, contacts.contacts, contacts.frames, bodies, contacts.curves, contacts.tables)
        if interface.contacts != interface.last_contacts and previous_dt > 0.0:
            interface.flicker += 1
    scatter_forces(contacts.frames, part, bodies["elastic"])
    return -1


@njit(cache=True, forceinline=True)
def gather_places(frames: Records, part: Record, bodies: Records, previous_dt: float) -> None:
    """What contacts need of the places of bodies, side by side, and no forces yet."""
    for i in range(part.first_body, part.last_body):
        frame, body = frames[i], bodies[i]
        for c in range(3):
            frame.place[c] = frame.offset[c] + (body.displacement[c] + body.low_displacement[c])
            frame.step[c], frame.turn[c] = previous_dt * body.velocity[c], body.step_rotation[c]
        clear_force(frame)


@njit(cache=True, forceinline=True)
def gather_velocities(frames: Records, part: Record, bodies: Records) -> None:
    """Mean velocities of the bodies, and no forces yet."""
    for i in range(part.first_body, part.last_body):
        frame, body = frames[i], bodies[i]
        for c in range(3):
            frame.velocity[c], frame.spin[c] = body.mean_velocity[c], body.mean_angular_velocity[c]
        clear_force(frame)


@njit(cache=True, forceinline=True)
def clear_force(frame: Record) -> None:
    for c in range(3):
        frame.force[c], frame.moment[c] = 0.0, 0.0


@njit(cache=True, forceinline=True)
def scatter_forces(frames: Records, part: Record, wrench: Floats) -> None:
    """Add the forces to those of the bodies, wrench (nb, 6)."""
    for i in range(part.first_body, part.last_body):
        frame = frames[i]
        for c in range(3):
            wrench[i, c] += frame.force[c]
            wrench[i, c + 3] += frame.moment[c]


@njit(cache=True)
def renew_candidates(contacts: Contacts, interface: Record, bodies: Records) -> bool:
    """Find candidates where that is due; False if there is no room for them."""
    members, first, last = contacts.members, interface.first_member, interface.last_member
    place_members(members, first, last, contacts.shapes, bodies)
    if interface.pairs >= 0 and still_within(members, first, last, contacts.shapes, bodies, interface.skin):
        return True
    cells, first_pair = contacts.cell_start[interface.first_cell :], interface.first_pair
    pair = contacts.pair[first_pair : first_pair + interface.pair_room]
    room = contacts.sorted_pair[first_pair : first_pair + interface.pair_room]
    found = find_pairs(members, first, last, contacts.shapes, bodies, interface.skin, cells, pair, room)
    interface.pairs = found if found <= interface.pair_room else -1
    return bool(found <= interface.pair_room)


@njit(cache=True)
def touch_candidates(
    contacts: Contacts, interface: Record, k: int, bodies: Records, t: float, previous_dt: float, dt: float
) -> bool:
    """Points of one interface, the k-th; False if there is no room for them."""
    shapes, members, points, frames = contacts.shapes, contacts.members, contacts.points, contacts.frames
    pair, records, narrow, scratch = contacts.pair, contacts.contacts, contacts.narrow, contacts.scratch
    families = contacts.families
    asks_routines = interface.law == USER or interface.friction == USER_FRICTION
    old = interface.first_contact + (1 - interface.turn) * interface.contact_room
    old_end = old + interface.last_contacts
    place = interface.first_contact + interface.turn * interface.contact_room
    end = place + interface.contact_room
    for p in range(interface.first_pair, interface.first_pair + interface.pairs):
        a, b = pair[p, 0], pair[p, 1]
        if apart(members[a], members[b]):
            continue
        side_i, side_j = a, b
        if not members[a].side & SIDE_I or not members[b].side & SIDE_J:
            side_i, side_j = b, a
        one, other = shapes[members[side_i].shape], shapes[members[side_j].shape]
        frame_i, frame_j = frames[one.body], frames[other.body]
        member_i, member_j, body_i, body_j = members[side_i], members[side_j], bodies[one.body], bodies[other.body]
        n = touch(one, other, member_i, member_j, frame_i, frame_j, body_i, body_j, narrow, families, scratch,
                  points)  # fmt: skip
        if n == 0:
            continue
        if place + n > end:
            return False
        if interface.friction == STICTION or interface.friction == USER_FRICTION:
            while old < old_end and is_before(records[old], a, b):
                old += 1
        first_point, weights = place, 0.0
        for m in range(n):
            weights += points[m].weight
        for m in range(n):
            point = points[m]
            if point.penetration > interface.greatest_penetration:
                continue
            contact = records[place]
            contact.member_a, contact.member_b, contact.i, contact.j = a, b, one.body, other.body
            place += 1
            set_contact(contact, point, interface)
            if interface.curve >= 0:
                continue  # its points get their forces together
            if asks_routines:
                contacts.ask_routines(contacts.routines, k, interface, contact, t, shapes, members, bodies, frame_i,
                                      frame_j, records, old, old_end)  # fmt: skip
            normal = vector_of(contact.normal)
            inverse_mass = frame_i.inverse_mass + frame_j.inverse_mass
            inverse_mass += turning_share(member_i, body_i, cross(arm_of(contact, frame_i), normal))
            inverse_mass += turning_share(member_j, body_j, cross(arm_of(contact, frame_j), normal))
            # dv_n/da_n is half the last step; the points of a pair are taken to change alike
            contact.compliance = 0.5 * previous_dt * inverse_mass * weights / contact.weight
            contact.step_correction = 0.0
            if dt != previous_dt and previous_dt > 0.0:
                contact.step_correction = step_correction(contact, interface, frame_i, frame_j, previous_dt, dt)
            note_stiffness(contact, interface, inverse_mass)
            if interface.friction == STICTION:
                set_spring(contact, interface, stiffness_of(contact, interface), inverse_mass, frame_i, frame_j,
                           records, old, old_end)  # fmt: skip
            force = scaled(contact.elastic + contact.step_correction, normal)
            add_pair_of_forces(contact, force, frame_i, frame_j)
        interface.contacts += place - first_point
    return True


@njit(cache=True, forceinline=True)
def apart(member: Record, other: Record) -> bool:
    """Whether two members are spheres that do not touch."""
    reach = member.radius + other.radius
    between = minus(vector_of(member.centre), vector_of(other.centre))
    return dot(between, between) >= reach * reach  # False where a radius is NaN


@njit(cache=True, error_model="numpy", forceinline=True)
def touch(
    one: Record, other: Record, member_i: Record, member_j: Record, frame_i: Record, frame_j: Record, body_i: Record,
    body_j: Record, narrow: NarrowPhase, families: Families, scratch: Record, points: Records,
) -> int:  # fmt: skip
    """Points of two members; spheres and half spaces without a call."""
    centre_i, centre_j = vector_of(member_i.centre), vector_of(member_j.centre)
    if one.kind == SPHERE and other.kind == SPHERE:
        return two_spheres_points(centre_i, member_i.radius, centre_j, member_j.radius, points)
    if one.kind == SPHERE and other.kind == PLANE:
        gap, outward = sphere_over_plane(centre_i, one, centre_j, other, body_j)
        return single_point(centre_i, one.bounding_radius, gap, outward, points)
    if one.kind == PLANE and other.kind == SPHERE:
        gap, outward = sphere_over_plane(centre_j, other, centre_i, one, body_i)
        n = single_point(centre_j, other.bounding_radius, gap, outward, points)
        turn_normals(points, n)
        return n
    origin = vector_of(frame_j.place)
    offset = minus(vector_of(frame_i.place), origin)
    n = narrow(one, offset, body_i.rotation, other, NOWHERE, body_j.rotation, families, scratch, points)
    for k in range(n):
        for c in range(3):
            points[k].point[c] += origin[c]
    return n


@njit(cache=True, error_model="numpy", forceinline=True)
def sphere_over_plane(
    centre: Vector, sphere: Record, on_plane: Vector, plane: Record, body: Record
) -> tuple[float, Vector]:
    """Gap of a sphere and a half space on a body, and the outward normal of the half space."""
    outward = turned(body.rotation, plane.axes[2])
    return dot(minus(centre, on_plane), outward) - sphere.bounding_radius, outward


@njit(cache=True, forceinline=True)
def is_before(contact: Record, a: int, b: int) -> bool:
    """Whether a contact belongs to a pair before (a, b)."""
    return contact.member_a < a or (contact.member_a == a and contact.member_b < b)


@njit(cache=True, forceinline=True)
def set_contact(contact: Record, point: Record, interface: Record) -> None:
    """Geometry and elastic force."""
    contact.slips = contact.taken = 0
    contact.penetration, contact.weight, contact.area = point.penetration, point.weight, point.area
    set_vector(contact.point, vector_of(point.point))
    set_vector(contact.normal, vector_of(point.normal))
    contact.elastic = elastic_force(interface, point.penetration, point.weight, point.area)
    contact.total = contact.elastic


@njit(cache=True, forceinline=True)
def step_correction(
    contact: Record, interface: Record, frame_i: Record, frame_j: Record, previous_dt: float, dt: float
) -> float:
    """What makes a kick with the force of t_n right to second order, which lasts longer on one side of t_n.

    From the middle of one step to the middle of the next, F changes by F' (dt - previous_dt)/4 in the mean.
    """
    closing = -dot(relative_step(contact, frame_i, frame_j), vector_of(contact.normal)) / previous_dt
    return max(-contact.elastic, 0.25 * (dt - previous_dt) * stiffness_of(contact, interface) * closing)


@njit(cache=True, forceinline=True)
def note_stiffness(contact: Record, interface: Record, inverse_mass: float) -> None:
    """What a point asks of the time step.

    Of dampers only those count whose force grows without bounds: that of POISSON and friction are bounded, so that a
    step longer than their slopes at rest allow makes them chatter there, by no more than a step's change of velocity.
    """
    interface.stiffest = max(interface.stiffest, stiffness_of(contact, interface) * inverse_mass)
    interface.most_damped = max(interface.most_damped, contact.weight * interface.damping * inverse_mass)


@njit(cache=True, forceinline=True)
def turning_share(member: Record, body: Record, moment: Vector) -> float:
    """moment . I^-1 moment, the moment being that of a unit force; none of a sphere about its centre."""
    if member.centred == 1 and not math.isnan(member.radius):
        return 0.0
    x, y, z = to_body(body.rotation, moment[0], moment[1], moment[2])
    u = to_global(body.inverse_inertia, x, y, z)
    return x * u[0] + y * u[1] + z * u[2]


@njit(cache=True, forceinline=True)
def add_pair_of_forces(contact: Record, force: Vector, frame_i: Record, frame_j: Record) -> None:
    """A force at the point on body i, and the opposite on body j."""
    moment_i, moment_j = cross(arm_of(contact, frame_i), force), cross(arm_of(contact, frame_j), force)
    for c in range(3):
        frame_i.force[c] += force[c]
        frame_j.force[c] -= force[c]
        frame_i.moment[c] += moment_i[c]
        frame_j.moment[c] -= moment_j[c]


# ---- what depends on the rate ----------------------------------------------------------------------------------


@njit(cache=True)
def add_contact_dampers(contacts: Contacts, part: Record, bodies: Records, refine: bool) -> None:
    """Add damping and friction at the mean velocities at hand, as often as those change.

    refine : the velocities contain the forces of t_n that were found last; False = they are those of t_{n-1/2}
    """
    frames, records = contacts.frames, contacts.contacts
    gather_velocities(frames, part, bodies)
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        if interface.curve >= 0:
            contacts.damp_curve(interface, records, frames, contacts.curves, contacts.tables)
            continue
        if interface.law == USER or interface.friction == USER_FRICTION:
            contacts.damp_by_routines(contacts.routines, k, interface, records, frames, contacts.shapes,
                                      contacts.members, bodies, refine)  # fmt: skip
            continue
        place = interface.first_contact + interface.turn * interface.contact_room
        for m in range(place, place + interface.contacts):
            contact = records[m]
            damp(contact, interface, frames[contact.i], frames[contact.j], refine)
    scatter_forces(frames, part, bodies["dissipative"])


@njit(cache=True, forceinline=True)
def damp(contact: Record, interface: Record, frame_i: Record, frame_j: Record, refine: bool) -> None:
    """Normal force and friction of one point at the velocities at hand, added to its bodies.

    Where they contain the force found last, the new one is that of the rate which it leaves itself: laws that are steep
    in the rate need no short steps, and few passes.
    """
    normal = vector_of(contact.normal)
    velocity_i = point_velocity(frame_i.velocity, frame_i.spin, arm_of(contact, frame_i))
    velocity_j = point_velocity(frame_j.velocity, frame_j.spin, arm_of(contact, frame_j))
    velocity = minus(velocity_i, velocity_j)
    opening = dot(velocity, normal)
    compliance = contact.compliance if refine else 0.0
    free_rate = compliance * contact.total - opening
    contact.total = normal_force(interface, contact.elastic, contact.penetration, free_rate, compliance, contact.weight)
    force = scaled(contact.total - contact.elastic, normal)
    if interface.friction != NO_FRICTION:
        tangential = friction_force(contact, interface, minus(velocity, scaled(opening, normal)))
        set_vector(contact.tangential, tangential)
        force = plus(force, tangential)
    add_pair_of_forces(contact, force, frame_i, frame_j)


@njit(cache=True, forceinline=True)
def friction_force(contact: Record, interface: Record, slip: Vector) -> Vector:
    """Friction on body i at a slip velocity."""
    if interface.friction == STICTION:
        return held_force(contact, interface, slip)
    return scaled(-contact.total * friction_over_speed(interface, dot(slip, slip)), slip)


@njit(cache=True, forceinline=True)
def point_velocity(velocity: Floats, spin: Floats, arm: Vector) -> Vector:
    """v + omega x arm."""
    return plus(vector_of(velocity), cross(vector_of(spin), arm))


# ---- work ------------------------------------------------------------------------------------------------------


@njit(cache=True)
def book_contacts(contacts: Contacts, part: Record) -> float:
    """Work over the step that led to t_n; returns what damping and friction did of it."""
    frames, records, total = contacts.frames, contacts.contacts, 0.0
    for k in range(part.first_interface, part.last_interface):
        interface = contacts.interfaces[k]
        before = interface.damping_work + interface.friction_work
        old = interface.first_contact + (1 - interface.turn) * interface.contact_room
        book_block(records, old, old + interface.last_contacts, True, interface, frames)
        new = interface.first_contact + interface.turn * interface.contact_room
        book_block(records, new, new + interface.contacts, False, interface, frames)
        total += interface.damping_work + interface.friction_work - before
        if interface.friction == STICTION:
            keep_what_holds(records, new, new + interface.contacts)
    return total


@njit(cache=True, forceinline=True)
def book_block(contacts: Records, first: int, last: int, of_last: bool, interface: Record, frames: Records) -> None:
    """Half the work of the forces of t_{n-1} (of_last), or of those of t_n, over the step between."""
    elastic, damping, friction = 0.0, 0.0, 0.0
    for m in range(first, last):
        contact = contacts[m]
        frame_i, frame_j = frames[contact.i], frames[contact.j]
        if of_last:
            moved = relative_step_of_last(contact, frame_i, frame_j)
        else:
            moved = relative_step(contact, frame_i, frame_j)
        closed = dot(moved, vector_of(contact.normal))
        elastic += closed * (contact.elastic + contact.step_correction)
        damping += closed * (contact.total - contact.elastic)
        friction += dot(moved, vector_of(contact.tangential))
    interface.elastic_work += 0.5 * elastic
    interface.damping_work += 0.5 * damping
    interface.friction_work += 0.5 * friction


@njit(cache=True)
def keep_what_holds(contacts: Records, first: int, last: int) -> None:
    """Reduce the springs of points that slip to what friction holds."""
    for m in range(first, last):
        contact = contacts[m]
        if contact.slips == 1:
            set_vector(contact.spring, vector_of(contact.tangential))
