"""What a sample holds of contacts: of every interface, and of pairs of bodies where they are asked for."""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, vector_of
from .detect import points_now, touches_now
from .normal_laws import STICTION
from .patches import patch_energy
from .records import (
    CHANGES,
    DAMPING_ENERGY,
    ELASTIC_ENERGY,
    FRICTION_ENERGY,
    LARGEST_DEBT,
    PARTED_WORK,
    RECORD,
    Contacts,
)

LOAD = ELASTIC_ENERGY  # column that holds the sum of the normal forces while points are added up
MOMENT, DEPTH = RECORD.index("MX"), RECORD.index("PEN")


@kernel
def record_interface(contacts: Contacts, k: int, out: Floats) -> None:
    """Fill out (INTERFACE_WIDTH,): forces on side i, their point, the deepest penetration, energies so far."""
    interface, stored = contacts.interfaces[k], 0.0
    out[:] = 0.0
    first, end = points_now(interface)
    for m in range(first, end):
        add_point(out, contacts.contacts[m], interface.share)
        if interface.has_patches == 1:
            add_couple(out, contacts.patches[m], interface.share)
        if interface.friction == STICTION:
            stored += contacts.springs[m].energy
            if interface.has_couples == 1:
                stored += patch_energy(contacts.patches[m], contacts.springs[m])
    if interface.returns_debt == 1:
        first_touch, end_touch = touches_now(interface)
        for p in range(first_touch, end_touch):
            add_debt(out, contacts.debts[p], interface.share)
    finish(out, contacts.origin)
    work = interface.elastic_work - interface.parted_work
    elastic = -work if math.isnan(interface.recoverable) else interface.recoverable
    out[ELASTIC_ENERGY] = stored + elastic
    out[DAMPING_ENERGY] = -interface.damping_work - (work + elastic)
    out[FRICTION_ENERGY] = -interface.friction_work - stored
    out[CHANGES] = interface.contact_changes
    out[LARGEST_DEBT], out[PARTED_WORK] = interface.largest_debt, interface.parted_work


@kernel
def record_body_pairs(contacts: Contacts, k: int, out: Floats) -> None:
    """Fill the rows of out (pairs, BODY_PAIR_WIDTH) that belong to interface k: forces on the first body of a pair."""
    interface, records, pairs = contacts.interfaces[k], contacts.contacts, contacts.body_pairs
    if interface.first_body_pair == interface.last_body_pair:
        return
    for p in range(interface.first_body_pair, interface.last_body_pair):
        out[p, :] = 0.0
    first, end = points_now(interface)
    for m in range(first, end):
        contact = records[m]
        p = place_of_pair(pairs, interface.first_body_pair, interface.last_body_pair, contact.i, contact.j)
        sign = interface.share if contact.i == pairs[p].i else -interface.share
        add_point(out[p], contact, sign)
        if interface.has_patches == 1:
            add_couple(out[p], contacts.patches[m], sign)
    if interface.returns_debt == 1:
        first_touch, end_touch = touches_now(interface)
        for q in range(first_touch, end_touch):
            contact = records[contacts.touches[q].end - 1]
            p = place_of_pair(pairs, interface.first_body_pair, interface.last_body_pair, contact.i, contact.j)
            add_debt(out[p], contacts.debts[q], interface.share if contact.i == pairs[p].i else -interface.share)
    for p in range(interface.first_body_pair, interface.last_body_pair):
        finish(out[p], contacts.origin)


@kernel
def place_of_pair(pairs: Records, first: int, last: int, i: int, j: int) -> int:
    """Where in [first, last) the pair of two bodies stands."""
    low, high = min(i, j), max(i, j)
    while last - first > 1:
        middle = (first + last) // 2
        pair = pairs[middle]
        if pair.low < low or (pair.low == low and pair.high <= high):
            first = middle
        else:
            last = middle
    return first


@kernel(inline=True)
def add_point(out: Floats, contact: Record, sign: float) -> None:
    """Add a point; the sign is that of its force in the sum, times the share of the kick in which it acts."""
    for c in range(3):
        out[c] += sign * contact.total * contact.normal[c]
        out[3 + c] += sign * contact.tangential[c]
        out[6 + c] += contact.total * contact.point[c]
    force = plus(scaled(contact.total, vector_of(contact.normal)), vector_of(contact.tangential))
    moment = cross(vector_of(contact.point), force)
    for c in range(3):
        out[MOMENT + c] += sign * moment[c]
    out[DEPTH] = max(out[DEPTH], contact.penetration)
    out[DEPTH + 1] += contact.area
    out[DEPTH + 2] += 1.0
    out[LOAD] += contact.total


@kernel(inline=True)
def add_couple(out: Floats, patch: Record, sign: float) -> None:
    """Add the couple of the friction of a point."""
    for c in range(3):
        out[MOMENT + c] += sign * patch.couple[c]


@kernel(inline=True)
def add_debt(out: Floats, debt: Record, sign: float) -> None:
    """Add the force that returns a debt, which is an elastic force too."""
    moment = cross(vector_of(debt.point), vector_of(debt.force))
    for c in range(3):
        out[c] += sign * debt.force[c]
        out[MOMENT + c] += sign * moment[c]


@kernel(inline=True)
def finish(out: Floats, origin: Floats) -> None:
    """The point of the resultant, the moment about it and about the normal through it, of the sums over all points."""
    load = out[LOAD]
    if not load > 0.0:
        for c in range(3):
            out[6 + c], out[MOMENT + c] = math.nan, 0.0
        return
    at = out[6] / load, out[7] / load, out[8] / load
    force = out[0] + out[3], out[1] + out[4], out[2] + out[5]
    moment = minus((out[MOMENT], out[MOMENT + 1], out[MOMENT + 2]), cross(at, force))
    normal = out[0], out[1], out[2]
    size = math.sqrt(dot(normal, normal))
    out[MOMENT + 3] = dot(moment, normal) / size if size > 0.0 else 0.0
    for c in range(3):
        out[6 + c], out[MOMENT + c] = origin[c] + at[c], moment[c]
