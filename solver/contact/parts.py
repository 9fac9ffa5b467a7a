"""A large interface in parts, which several threads can take on at the same time.

A part has a range of the members, and the pairs whose lower member is one of them.  It is an interface of its own, a
copy of the whole one: it finds its points and forces and their work as any interface does, and the sums of all parts
are added up in their order.  Bodies are dealt out as well: a part adds up the forces on its own ones, and leaves what
it does to others in slots, which are emptied when all parts are through.  What parts there are, and so every sum, is a
matter of the machine alone, whatever the number of threads.

Parts are of spheres and half spaces: how many points they will have is known before any is found, so that each part
knows where its points begin.
"""

from __future__ import annotations

from ..core.bodies import Ints, Record, Records
from ..core.jit.atomics import copy_record
from ..core.jit.kernels import kernel
from ..core.vectors import set_vector, vector_of
from ..geometry.broad_phase import place_members, still_within
from ..geometry.shapes import PLANE
from .detect import (
    by_sides,
    candidates_of,
    find_candidates,
    near_candidates,
    note_speed,
    points_before,
    points_now,
    sphere_over_plane,
    touches_before,
    touches_now,
)
from .evaluate import load_candidates, refine_points, step_of
from .frames import empty_slots
from .records import Contacts, Range
from .work import accumulate_work

# ---- members and candidates ------------------------------------------------------------------------------------


@kernel
def place_part(contacts: Contacts, p: int, bodies: Records) -> None:
    """Place the members of part p."""
    part = contacts.parts.records[p]
    members, shapes, first, last = contacts.members, contacts.shapes, part.first_member, part.last_member
    slow, fast = place_members(members, first, last, shapes, contacts.frames, bodies)
    set_vector(part.slow, slow)
    set_vector(part.fast, fast)
    skin = contacts.interfaces[part.interface].skin
    part.within = int(still_within(members, contacts.bounds, first, last, shapes, bodies, skin))


@kernel
def renew_candidates_of_parts(contacts: Contacts, interface: Record, bodies: Records, dt: float) -> bool:
    """Find candidates where that is due, of an interface whose parts are placed; False beyond the capacity."""
    within = True
    for p in range(interface.first_part, interface.last_part):
        part = contacts.parts.records[p]
        within = within and part.within == 1
    note_speed_of_parts(contacts, interface, dt)
    if interface.pairs >= 0 and within:
        return True
    return find_candidates(contacts, interface, bodies)


@kernel(inline=True)
def note_speed_of_parts(contacts: Contacts, interface: Record, dt: float) -> None:
    """`note_speed` of the members of all parts."""
    first = contacts.parts.records[interface.first_part]
    slow, fast = vector_of(first.slow), vector_of(first.fast)
    for p in range(interface.first_part + 1, interface.last_part):
        one, other = vector_of(contacts.parts.records[p].slow), vector_of(contacts.parts.records[p].fast)
        slow = min(slow[0], one[0]), min(slow[1], one[1]), min(slow[2], one[2])
        fast = max(fast[0], other[0]), max(fast[1], other[1]), max(fast[2], other[2])
    note_speed(interface, slow, fast, dt)


@kernel
def list_near(contacts: Contacts, p: int, bodies: Records) -> None:
    """List the candidates of part p that touch."""
    part, near = contacts.parts.records[p], contacts.near
    candidates = candidates_of(contacts.interfaces[part.interface])
    lower = contacts.pair[:, 0]
    first, last = first_from(lower, candidates, part.first_member), first_from(lower, candidates, part.last_member)
    part.first_near, part.end_near = first, first
    for q in range(first, near_candidates(contacts, (first, last))):
        if not apart_from_plane(contacts, near[q, 0], near[q, 1], bodies):
            near[part.end_near, 0], near[part.end_near, 1] = near[q, 0], near[q, 1]
            part.end_near += 1


@kernel
def first_from(lower: Ints, among: Range, member: int) -> int:
    """The first of some pairs, sorted, whose lower member is that or a later one; lower : of each pair."""
    first, end = among
    while first < end:
        middle = (first + end) // 2
        if lower[middle] < member:
            first = middle + 1
        else:
            end = middle
    return first


@kernel(inline=True)
def apart_from_plane(contacts: Contacts, a: int, b: int, bodies: Records) -> bool:
    """Whether two members are a sphere and a half space that do not touch."""
    members = contacts.members
    if members[a].kind == members[b].kind:
        return False
    side_i, side_j = by_sides(members, a, b)
    sphere, plane = members[side_i], members[side_j]
    if sphere.kind == PLANE:
        sphere, plane = members[side_j], members[side_i]
    gap, _ = sphere_over_plane(
        vector_of(sphere.centre), sphere.radius, vector_of(plane.centre), contacts.shapes[plane.shape],
        bodies[plane.body],
    )  # fmt: skip
    return bool(gap >= 0.0)


@kernel
def near_pairs(contacts: Contacts, first_part: int, last_part: int) -> int:
    """How many pairs some parts listed."""
    total = 0
    for p in range(first_part, last_part):
        part = contacts.parts.records[p]
        total += part.end_near - part.first_near
    return total


# ---- points and forces -----------------------------------------------------------------------------------------


@kernel
def load_part(
    contacts: Contacts, p: int, bodies: Records, t: float, previous_dt: float, dt: float, damped: bool
) -> bool:  # fmt: skip
    """Points of part p at t_n, and their forces; False if there are more than pairs."""
    part, interface = contacts.parts.records[p], contacts.parts.interfaces[p]
    whole = contacts.interfaces[part.interface]
    copy_record(interface, whole)
    place_before = near_pairs(contacts, whole.first_part, p)
    interface.first_contact, interface.turn = points_now(whole)[0] + place_before, 0
    interface.first_touch, interface.touch_turn = touches_now(whole)[0] + place_before, 0
    interface.point_capacity = part.end_near - part.first_near
    interface.first_own, interface.last_own = part.first_body, part.last_body
    interface.first_slot, interface.slots = whole.first_slot + 2 * place_before, 0
    interface.parted_work = 0.0
    first, last = part.first_member, part.last_member
    before = between_members(contacts.contacts, points_before(whole), first, last)
    last_touches = between_members(contacts.touches, touches_before(whole), first, last)
    near, step = (part.first_near, part.end_near), step_of(whole, t, previous_dt, dt)
    return load_candidates(contacts, part.interface, interface, near, before, last_touches, bodies, step, damped)


@kernel
def between_members(records: Records, among: Range, first: int, last: int) -> Range:
    """Those of some points or touches, sorted by their pairs, whose lower member is one of [first, last)."""
    lower = records["member_a"]
    return first_from(lower, among, first), first_from(lower, among, last)


@kernel
def join_parts(contacts: Contacts, interface: Record) -> None:
    """Put together what the parts of an interface found."""
    for p in range(interface.first_part, interface.last_part):
        part = contacts.parts.interfaces[p]
        close_gap(contacts, interface, part)
        interface.contacts += part.contacts
        interface.touches += part.touches
        interface.stiffest = max(interface.stiffest, part.stiffest)
        interface.most_damped = max(interface.most_damped, part.most_damped)
        interface.parted_work += part.parted_work
        if interface.ignored_depth == 0.0:
            interface.ignored_depth, interface.ignored_time = part.ignored_depth, part.ignored_time
    empty_slots_of_parts(contacts, interface)


@kernel
def close_gap(contacts: Contacts, interface: Record, part: Record) -> None:
    """Let the points and touches of a part follow those of the parts before it.

    Parts before it have fewer where pairs were ignored, or touch so little that rounding says they do not.
    """
    place = points_now(interface)[1]
    gap = points_now(part)[0] - place
    if gap == 0:
        return
    records, springs, patches, touches = contacts.contacts, contacts.springs, contacts.patches, contacts.touches
    for m in range(place, place + part.contacts):
        copy_record(records[m], records[m + gap])
        if len(springs) > 0:
            copy_record(springs[m], springs[m + gap])
        if len(patches) > 0:
            copy_record(patches[m], patches[m + gap])
    first = touches_now(interface)[1]
    for q in range(first, first + part.touches):
        copy_record(touches[q], touches[q + gap])
        touches[q].end -= gap
    part.first_contact, part.first_touch = place, first


@kernel
def forget_points_of_parts(contacts: Contacts, interface: Record) -> None:
    """No points of an interface that does not act at t_n: its parts would go on with those of when it last did."""
    for p in range(interface.first_part, interface.last_part):
        contacts.parts.interfaces[p].contacts, contacts.parts.interfaces[p].touches = 0, 0


@kernel
def refine_part(contacts: Contacts, p: int) -> None:
    """`refine_points` of part p."""
    refine_points(contacts, contacts.parts.interfaces[p])


@kernel
def empty_slots_of_parts(contacts: Contacts, interface: Record) -> None:
    """Add what parts did to bodies of others to the forces on these."""
    for p in range(interface.first_part, interface.last_part):
        empty_slots(contacts, contacts.parts.interfaces[p])


# ---- work ------------------------------------------------------------------------------------------------------


@kernel
def accumulate_part(contacts: Contacts, p: int) -> None:
    """`accumulate_work` of part p."""
    interface = contacts.parts.interfaces[p]
    interface.elastic_work, interface.damping_work, interface.friction_work = 0.0, 0.0, 0.0
    set_vector(interface.coming_work, (0.0, 0.0, 0.0))
    accumulate_work(contacts, interface)


@kernel
def join_work(contacts: Contacts, interface: Record) -> float:
    """Work of an interface over the step that led to t_n, of which its parts know half; returns it."""
    elastic, damping, friction = vector_of(interface.coming_work)
    coming_elastic, coming_damping, coming_friction = 0.0, 0.0, 0.0
    for p in range(interface.first_part, interface.last_part):
        part = contacts.parts.interfaces[p]
        elastic, coming_elastic = elastic + part.elastic_work, coming_elastic + part.coming_work[0]
        damping, coming_damping = damping + part.damping_work, coming_damping + part.coming_work[1]
        friction, coming_friction = friction + part.friction_work, coming_friction + part.coming_work[2]
    interface.elastic_work += elastic
    interface.damping_work += damping
    interface.friction_work += friction
    set_vector(interface.coming_work, (coming_elastic, coming_damping, coming_friction))
    return elastic + damping + friction
