"""Where shapes touch at t_n: pairs of members that may, those that are near, and the points of two of them."""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Record, Records, Vector
from ..core.body_points import rotation_of
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import dot, minus, times, vector_of
from ..geometry.broad_phase import SIDE_I, SIDE_J, find_pairs, place_members, still_within
from ..geometry.contact_points import number_of, turn_normals
from ..geometry.narrow_phase import find_points
from ..geometry.shapes import CURVE, MESH, NOWHERE, PLANE, SPHERE
from ..geometry.sphere import single_point, two_spheres_points
from .records import OF_SHAPES, TRAVEL, Contacts, Range


@kernel(inline=True)
def candidates_of(interface: Record) -> Range:
    """The pairs of members that may touch."""
    return interface.first_pair, interface.first_pair + interface.pairs


@kernel(inline=True)
def points_now(interface: Record) -> Range:
    """The points of t_n."""
    first = interface.first_contact + interface.turn * interface.point_capacity
    return first, first + interface.contacts


@kernel(inline=True)
def points_before(interface: Record) -> Range:
    """The points of t_{n-1}, of an interface that keeps them; none of any other."""
    first = interface.first_contact + (1 - interface.turn) * interface.point_capacity
    return first, first + (interface.last_contacts if interface.keeps_points == 1 else 0)


@kernel(inline=True)
def touches_now(interface: Record) -> Range:
    """The pairs of members that touch at t_n."""
    first = interface.first_touch + interface.touch_turn * interface.point_capacity
    return first, first + interface.touches


@kernel(inline=True)
def touches_before(interface: Record) -> Range:
    """Those that touched at t_{n-1}."""
    first = interface.first_touch + (1 - interface.touch_turn) * interface.point_capacity
    return first, first + interface.last_touches


@kernel(inline=True)
def from_pair_on(contacts: Records, points: Range, a: int, b: int) -> Range:
    """Points sorted by their pairs, without those of pairs before (a, b)."""
    first, end = points
    while first < end and is_before(contacts[first], a, b):
        first += 1
    return first, end


@kernel(inline=True)
def is_before(contact: Record, a: int, b: int) -> bool:
    """Whether a contact belongs to a pair before (a, b)."""
    return contact.member_a < a or (contact.member_a == a and contact.member_b < b)


@kernel(inline=True)
def renew_candidates(contacts: Contacts, interface: Record, bodies: Records, dt: float) -> bool:
    """Find candidates where that is due; False if there are more than they have capacity for."""
    members, bounds, first, last = contacts.members, contacts.bounds, interface.first_member, interface.last_member
    slow, fast = place_members(members, first, last, contacts.shapes, contacts.frames, bodies)
    note_speed(interface, slow, fast, dt)
    if interface.pairs >= 0 and still_within(members, bounds, first, last, contacts.shapes, bodies, interface.skin):
        return True
    return find_candidates(contacts, interface, bodies)


@kernel(inline=True)
def note_speed(interface: Record, slow: Vector, fast: Vector, dt: float) -> None:
    """Keep the speed that no body exceeds against another, whose velocities have components between slow and fast."""
    if interface.largest_relative_speed * dt <= TRAVEL * interface.smallest_half_extent:
        # beyond, contacts may make any speed
        span = minus(fast, slow)
        interface.largest_relative_speed = max(interface.largest_relative_speed, math.sqrt(dot(span, span)))


@kernel
def find_candidates(contacts: Contacts, interface: Record, bodies: Records) -> bool:
    """Find candidates for the places of the members at hand; False if there are more than they have capacity for."""
    members, bounds, first, last = contacts.members, contacts.bounds, interface.first_member, interface.last_member
    cells, first_pair, capacity = (
        contacts.cell_start[interface.first_cell :],
        interface.first_pair,
        interface.pair_capacity,
    )
    pair, buffer = contacts.pair[first_pair : first_pair + capacity], contacts.near[first_pair : first_pair + capacity]
    found = find_pairs(members, bounds, first, last, contacts.shapes, bodies, interface.skin, cells, pair, buffer)
    interface.pairs = found if found <= capacity else -1
    return bool(found <= capacity)


@kernel
def near_candidates(contacts: Contacts, candidates: Range) -> int:
    """List those of some candidates that are not spheres apart, from where they begin on; where the list ends.

    Without a branch: which spheres touch cannot be foretold, and waiting for the answer costs more than writing.
    """
    members, pair, near = contacts.members, contacts.pair, contacts.near
    end = candidates[0]
    for p in range(candidates[0], candidates[1]):
        a, b = pair[p, 0], pair[p, 1]
        near[end, 0], near[end, 1] = a, b
        end += 1 - int(apart(members[a], members[b]))
    return end


@kernel(inline=True)
def apart(member: Record, other: Record) -> bool:
    """Whether two members are spheres that do not touch."""
    reach = member.radius + other.radius
    between = minus(vector_of(member.centre), vector_of(other.centre))
    return dot(between, between) >= reach * reach  # False where a radius is NaN


@kernel(inline=True)
def by_sides(members: Records, a: int, b: int) -> Range:
    """Two members, that on side i first."""
    if not members[a].side & SIDE_I or not members[b].side & SIDE_J:
        return b, a
    return a, b


@kernel(inline=True)
def touch(contacts: Contacts, interface: Record, member_i: Record, member_j: Record, bodies: Records) -> int:
    """Put the points of two members into `contacts.points`; their number, or OUT_OF_CAPACITY and the like.

    Spheres and half spaces without a call.
    """
    points = contacts.points
    centre_i, centre_j = vector_of(member_i.centre), vector_of(member_j.centre)
    if member_i.kind == SPHERE and member_j.kind == SPHERE:
        return two_spheres_points(centre_i, member_i.radius, centre_j, member_j.radius, points)
    if member_i.kind >= CURVE or member_j.kind >= CURVE:
        rows = np.int64(member_i.shape), np.int64(member_j.shape)
        if member_i.kind == MESH or member_j.kind == MESH:
            status = call(contacts.kernels.touch_meshes, OF_SHAPES, contacts, interface, rows[0], rows[1], bodies)
            return number_of(status)
        return number_of(call(contacts.kernels.touch_curves, OF_SHAPES, contacts, interface, rows[0], rows[1], bodies))
    one, other = contacts.shapes[member_i.shape], contacts.shapes[member_j.shape]
    body_i, body_j = bodies[member_i.body], bodies[member_j.body]
    if member_i.kind == SPHERE and member_j.kind == PLANE:
        gap, outward = sphere_over_plane(centre_i, member_i.radius, centre_j, other, body_j)
        return single_point(centre_i, member_i.radius, gap, outward, points)
    if member_i.kind == PLANE and member_j.kind == SPHERE:
        gap, outward = sphere_over_plane(centre_j, member_j.radius, centre_i, one, body_i)
        n = single_point(centre_j, member_j.radius, gap, outward, points)
        turn_normals(points, n)
        return n
    origin = vector_of(contacts.frames[member_j.body].place)
    offset = minus(vector_of(contacts.frames[member_i.body].place), origin)
    n = find_points(one, offset, rotation_of(body_i), other, NOWHERE, rotation_of(body_j), contacts.pair_kernels,
                    contacts.scratch, points)  # fmt: skip
    for k in range(n):
        for c in range(3):
            points[k].point[c] += origin[c]
    return n


@kernel(inline=True)
def sphere_over_plane(
    centre: Vector, radius: float, on_plane: Vector, plane: Record, body: Record
) -> tuple[float, Vector]:
    """Gap of a sphere and a half space on a body, and the outward normal of the half space."""
    outward = times(rotation_of(body), plane.axes[2])
    return dot(minus(centre, on_plane), outward) - radius, outward
