"""What a sample holds of contacts: of every interface, and of pairs of bodies where they are asked for."""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records
from ..core.jit.kernels import kernel
from .detect import points_now, touches_now
from .friction import spring_energy
from .normal_laws import STICTION
from .records import (
    CHANGES,
    DAMPING_ENERGY,
    ELASTIC_ENERGY,
    FRICTION_ENERGY,
    LARGEST_DEBT,
    PARTED_WORK,
    Contacts,
)

LOAD = ELASTIC_ENERGY  # column that holds the sum of the normal forces while points are added up


@kernel
def record_interface(contacts: Contacts, k: int, out: Floats) -> None:
    """Fill out (INTERFACE_WIDTH,): forces on side i, their point, the deepest penetration, energies so far."""
    interface, stored = contacts.interfaces[k], 0.0
    out[:] = 0.0
    first, end = points_now(interface)
    for m in range(first, end):
        add_point(out, contacts.contacts[m], 1.0)
        if interface.friction == STICTION:
            stored += spring_energy(contacts.springs[m])
    if interface.returns_debt == 1:
        first_touch, end_touch = touches_now(interface)
        for p in range(first_touch, end_touch):
            for c in range(3):
                out[c] += contacts.debts[p].force[c]
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
        add_point(out[p], contact, 1.0 if contact.i == pairs[p].i else -1.0)
    if interface.returns_debt == 1:
        first_touch, end_touch = touches_now(interface)
        for q in range(first_touch, end_touch):
            contact = records[contacts.touches[q].end - 1]
            p = place_of_pair(pairs, interface.first_body_pair, interface.last_body_pair, contact.i, contact.j)
            for c in range(3):
                out[p, c] += contacts.debts[q].force[c] if contact.i == pairs[p].i else -contacts.debts[q].force[c]
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
    """Add a point; the sign is that of its force in the sum."""
    for c in range(3):
        out[c] += sign * contact.total * contact.normal[c]
        out[3 + c] += sign * contact.tangential[c]
        out[6 + c] += contact.total * contact.point[c]
    out[9] = max(out[9], contact.penetration)
    out[10] += contact.area
    out[11] += 1.0
    out[LOAD] += contact.total


@kernel(inline=True)
def finish(out: Floats, origin: Floats) -> None:
    """The point of the resultant, of the sums over all points."""
    for c in range(3):
        out[6 + c] = origin[c] + out[6 + c] / out[LOAD] if out[LOAD] > 0.0 else math.nan
