"""Pairs of solids that touch: what their elastic forces did since they first did, and what they owe.

The work of an elastic force over a touch, from the first contact until the solids part, is nothing.  What is left of it
all the same counts as an error of the balance, not as energy stored.

Boxes, cylinders and frustums share the load among directions and corners so that the force F is continuous
(`geometry/solid_solid.py`); it is then not the gradient of

    U = sum F_m z_m/(e + 1),    F_m the elastic forces of the points, z_m their penetrations, e the exponent,

and more work may come back than was put in, whatever the step.  So such a pair keeps the debt

    D = (work done since the first touch) + U,

which is 0 for a gradient, and gives it back by a force g at the mean point of the contact, opposite on both solids:

    g = -(D/U) F_sum v |v|/(v^2 + v_0^2),    v_0 = SOFT sqrt(2 E/m),    -F_sum <= g.v/|v| <= PUSH F_sum,

v the relative velocity there, E = U - D what is stored (U at most) and m the mass that the two have along v.  The work
of g is part of D, so that D goes to 0 while the solids move, like U at the end of a touch: g ends there like F, without
a jump.  Near rest g vanishes with the square of v: what is at rest stays at rest, and vibrates as it would without g.
While one direction carries a pair with constant weights (`scratch.plain`) there is no debt.

Of VOLUME the area follows the pose as well, so that no pair has a gradient but that of a sphere; and the force of a
point goes with z^(e + q), q the power with which its area grows (`growth` of CONTACT_POINT): e + q stands for e.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records
from ..core.body_points import inverse_mass_of_turning
from ..core.jit.kernels import kernel
from ..core.vectors import dot, plus, scaled, set_vector, vector_of
from ..geometry.shapes import BOX, CURVE, CYLINDER, FRUSTUM, MESH, NOWHERE, SPHERE
from .detect import is_before
from .normal_laws import USER, VOLUME
from .point_motion import add_pair_of_forces, arm_of, relative_step
from .records import TRAVEL, Contacts, Range, Step

WITH_EDGES = (BOX, CYLINDER, FRUSTUM)
SOFT = 0.3  # v_0 over the speed that would store U
PUSH = 1000.0  # most of F_sum that pushes on where work is missing: U may become so small; brakes have F_sum at most
LEAST_STORED = 0.02  # part of U that v_0 counts at least


@kernel(inline=True)
def begin_touches(interface: Record) -> None:
    """The pairs that touched become those of a step ago."""
    interface.touch_turn = 1 - interface.touch_turn
    interface.last_touches, interface.touches = interface.touches, 0


@kernel(inline=True)
def part_pairs_before(interface: Record, touches: Records, last: Range, a: int, b: int) -> Range:
    """The pairs that touched a step ago, from (a, b) on; those before it have parted."""
    first, end = last
    while first < end and is_before(touches[first], a, b):
        note_parted(interface, touches[first])
        first += 1
    return first, end


@kernel(inline=True)
def forget_pair(touches: Records, last: Range, a: int, b: int) -> Range:
    """The pairs that touched a step ago, without (a, b) if that stands first: it still touches, or is ignored."""
    first, end = last
    if first < end and touches[first].member_a == a and touches[first].member_b == b:
        first += 1
    return first, end


@kernel(inline=True)
def part_pairs(interface: Record, touches: Records, last: Range) -> None:
    """All these pairs, which touched a step ago, have parted."""
    for q in range(last[0], last[1]):
        note_parted(interface, touches[q])


@kernel(inline=True)
def note_parted(interface: Record, touch: Record) -> None:
    """What the elastic forces of a pair did in all: nothing, but for errors.  A routine may do what it likes."""
    if touch.abrupt == 0 and interface.law != USER:
        interface.parted_work += touch.work


@kernel(inline=True)
def note_parted_curve(interface: Record) -> None:
    """The same of two bodies with a force curve, which is of all their points together."""
    ended = interface.contacts == 0 and interface.last_contacts > 0
    began_abruptly = interface.opening_depth > 0.0 and interface.opening_time > 0.0
    if ended and not began_abruptly and math.isnan(interface.recoverable):
        interface.parted_work = interface.elastic_work + interface.coming_work[0]


@kernel(inline=True)
def renew_touch(contacts: Contacts, interface: Record, p: int, a: int, b: int, points: Range, last: Range) -> int:
    """Carry on the touch of members a and b as number p, or begin one.

    points : of the pair.  last : the pairs that touched a step ago, from (a, b) on

    Returns which of those it was, -1 if it has begun.
    """
    touches, q = contacts.touches, last[0]
    touch = touches[p]
    touch.member_a, touch.member_b, touch.end = a, b, points[1]
    if q < last[1] and touches[q].member_a == a and touches[q].member_b == b:
        touch.work, touch.abrupt = touches[q].work, touches[q].abrupt
        return q
    touch.work, touch.abrupt = 0.0, 1 - interface.opened
    if interface.greatest_penetration < math.inf:
        for m in range(points[0], points[1]):
            # no step leads so deep from the surface: the pair has been ignored
            if contacts.contacts[m].penetration > TRAVEL * interface.greatest_penetration:
                touch.abrupt = 1
    return -1


@kernel(inline=True)
def ends_exactly(interface: Record) -> bool:
    """Whether points that come or go do so with all of their work in this kick: not where an interface begins or ends.

    What it finds then has not just come to touch.
    """
    return bool(interface.exact_ends == 1 and interface.share == 1.0 and interface.opened == 1)


@kernel(inline=True)
def return_debt(
    contacts: Contacts, interface: Record, p: int, q: int, points: Range, bodies: Records, step: Step
) -> None:
    """Add what gives the debt of touch p, that of touch q of a step ago (or -1), back to the forces on the bodies.

    points : of the pair, with their elastic forces
    """
    renew_debt(contacts, interface, p, q, points, step)
    if contacts.debts[p].plain == 0:
        give_back(contacts, interface, p, points, bodies, step.previous_dt)


@kernel(inline=True)
def may_owe(law: int, kind_a: int, kind_b: int) -> bool:
    """Whether solids of these kinds may touch in a way whose force is no gradient.

    An area follows the pose of the solids, but that of a sphere.
    """
    if kind_a == MESH or kind_b == MESH:
        return True
    if law == VOLUME:
        return kind_a != SPHERE and kind_b != SPHERE
    if kind_a == CURVE or kind_b == CURVE:
        return True
    return kind_a in WITH_EDGES and kind_b in WITH_EDGES


@kernel(inline=True)
def renew_debt(contacts: Contacts, interface: Record, p: int, q: int, points: Range, step: Step) -> None:
    """U of touch p, that of touch q of a step ago (-1: it has begun), and D without the force that is to return it."""
    touch, debt, records, moves = contacts.touches[p], contacts.debts[p], contacts.contacts, contacts.moves
    debt.energy, debt.debt, debt.plain = 0.0, 0.0, 1
    set_vector(debt.force, NOWHERE)
    if not may_owe(interface.law, contacts.members[touch.member_a].kind, contacts.members[touch.member_b].kind):
        return
    # of meshes the growth says how much less than F z/(e + 1) a patch stores
    by_area = 1 if interface.law == VOLUME or contacts.points[0].arm > 0.0 else 0
    for m in range(points[0], points[1]):
        exponent = interface.exponent + by_area * contacts.points[m - points[0]].growth
        debt.energy += records[m].elastic * records[m].penetration / (exponent + 1.0)
    if q < 0 and touch.abrupt == 1:
        touch.work = -debt.energy
    debt.plain = contacts.scratch.plain if q < 0 else min(contacts.debts[q].plain, contacts.scratch.plain)
    if by_area == 1:
        debt.plain = 0
    if debt.plain == 1 or (q < 0 and touch.abrupt == 1):
        return
    work = touch.work
    for m in range(points[0], points[1]):
        contact = records[m]
        opened = dot(relative_step(contact, moves[contact.i], moves[contact.j]), vector_of(contact.normal))
        part = 0.5
        if ends_exactly(interface):  # the correction is for the step in which the point comes or goes
            part = 0.5 * (1.0 + step.dt / step.previous_dt) if opened < 0.0 else 0.0
        work += interface.share * (0.5 * contact.elastic + part * contact.step_correction) * opened
    debt.debt = work + debt.energy


@kernel(inline=True)
def give_back(
    contacts: Contacts, interface: Record, p: int, points: Range, bodies: Records, previous_dt: float
) -> None:
    """Add the force that returns the debt of touch p, of which half its work in the step that led to t_n is a part."""
    debt, records = contacts.debts[p], contacts.contacts
    if debt.debt == 0.0:
        return
    load, place = 0.0, NOWHERE
    for m in range(points[0], points[1]):
        load += records[m].elastic
        place = plus(place, scaled(records[m].elastic, vector_of(records[m].point)))
    set_vector(debt.point, scaled(1.0 / load, place))
    i, j = records[points[0]].i, records[points[0]].j
    moved = relative_step(debt, contacts.moves[i], contacts.moves[j])
    distance = math.sqrt(dot(moved, moved))
    if distance > 0.0:
        frame_i, frame_j, along = contacts.frames[i], contacts.frames[j], scaled(1.0 / distance, moved)
        inverse_mass = frame_i.inverse_mass + inverse_mass_of_turning(arm_of(debt, frame_i), bodies[i], along)
        inverse_mass += frame_j.inverse_mass + inverse_mass_of_turning(arm_of(debt, frame_j), bodies[j], along)
        stored = min(debt.energy, max(debt.energy - debt.debt, LEAST_STORED * debt.energy))
        soft = SOFT * previous_dt * math.sqrt(2.0 * stored * inverse_mass)
        rate = load / debt.energy * distance * distance / (distance * distance + soft * soft)
        half_step = 0.5 * interface.share * distance
        size = rate * debt.debt / (1.0 + rate * half_step)
        size = min(max(size, -PUSH * load), load)
        debt.debt -= size * half_step
        force = scaled(-size, along)
        set_vector(debt.force, force)
        add_pair_of_forces(debt, scaled(interface.share, force), frame_i, frame_j, True)
    interface.largest_debt = max(interface.largest_debt, abs(debt.debt))
