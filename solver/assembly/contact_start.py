"""Solids that overlap at t = 0: warnings where an interface ignores them, or where they would fly apart."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from gsolve.parser.model import ContactInterface, ForceCurveInterface, Model, PlaneCurve, Shape
from gsolve.parser.text.diagnostics import Diagnostic
from numba import types

from ..contact.detect import apart, by_sides, renew_candidates, touch
from ..contact.dispatch import set_addresses_at_start
from ..contact.frames import gather_motion
from ..contact.mesh_bodies import solid_of_member
from ..contact.normal_laws import VOLUME, elastic_force
from ..contact.records import Contacts
from ..contact.setup import MOST_CAPACITY, may_have_more_capacity, with_more_capacity
from ..core.bodies import Floats, Ints, Record, Records, Vector, empty_arrays
from ..core.jit.kernels import kernel
from ..core.jit.pointers import DIED, Pointer, function_type
from ..core.jit.references import Reference, reference_type
from ..core.unit_names import unit
from ..core.vectors import dot, plus, scaled, set_vector, vector_of
from ..geometry.contact_points import BUFFER_FULL
from ..geometry.face_overlap import GAUSS_MIDDLE, GAUSS_NODE
from ..geometry.pair_table import compile_pairs
from ..geometry.shapes import NOWHERE
from ..integration.status import COMPLETED
from ..integration.system import System, no_machine
from .assembly import Assembly

DEEP = 0.1  # of the radius of the smaller solid, from which on an overlap at t = 0 is most likely a mistake
MOST_NAMED = 5
PARTS = 32  # of the way on which two solids part, over which the work of their contact is summed up


def overlaps_at_start(assembly: Assembly) -> list[Diagnostic]:
    """Errors and warnings for solids that lie too deep in each other at t = 0, each with the pair and its depth.

    Gives the candidates more capacity where they need it.
    """
    contacts, found = assembly.system.contacts, list[Diagnostic]()
    compile_pairs(contacts.pair_kernels)
    set_addresses_at_start(contacts)
    for s, subsystem in enumerate(assembly.system.subsystems):
        for k in range(subsystem["first_interface"], subsystem["last_interface"]):
            start, stop = contacts.interfaces["window"][k]
            if not start <= 0.0 < stop:
                continue  # what acts later meets the solids elsewhere
            contact, count = assembly.model.interfaces[contacts.interfaces["number"][k]], -1
            while count < 0:
                overlaps = new_overlaps(assembly.system, contacts, int(contacts.interfaces["pair_capacity"][k]))
                count, depth, pairs = find_overlaps(overlaps, s, k), overlaps.depth, overlaps.pair
                if count < 0 and not may_have_more_capacity(contacts.interfaces[k]):
                    return [*found, too_many_pairs(contact)]
                if count < 0:
                    contacts = with_more_capacity(contacts, k)
            if contacts.interfaces["law"][k] == VOLUME:
                reference: Any = Reference(contacts)
                stored = overlap_energy(reference, k, assembly.system.bodies, pairs[:count])
                contacts.interfaces["elastic_work"][k] = -stored
            radius = contacts.shapes["bounding_radius"][contacts.members["shape"][pairs[:count]]].min(axis=1)
            if isinstance(contact, ForceCurveInterface):
                found += describe_curve_overlap(assembly.model, contact, depth[:count] - contact.gap, radius)
                continue
            found += describe_overlaps(assembly.model, contacts, contact, depth[:count], radius, pairs[:count])
    assembly.system = assembly.system._replace(contacts=contacts)
    return found


def too_many_pairs(contact: ContactInterface | ForceCurveInterface) -> Diagnostic:
    """The error for an interface of which more pairs are near each other than are kept."""
    hint = "are all of them in one place? several interfaces of fewer solids may do"
    message = f"more than {MOST_CAPACITY} pairs of its solids are near each other at t = 0"
    return contact.where.diagnose("error", message, hint=hint)


def describe_curve_overlap(
    model: Model, contact: ForceCurveInterface, depth: Floats, radius: Floats
) -> list[Diagnostic]:
    """The overlap of the bodies of a force curve, if it is deep and nothing on the card says what to do with it."""
    deep = depth > DEEP * radius
    if contact.reduce_gap or contact.adjust_force or not deep.any():
        return []
    what = f"the surfaces overlap by {depth[deep].max():.6g} {unit(model.units, length=1)} at t = 0"
    hint = "move them apart, or let Inacti 5 take it off the gap"
    return [contact.where.diagnose("warning", f"{what}, much of the size of a solid", hint=hint)]


def describe_overlaps(
    model: Model, contacts: Contacts, contact: ContactInterface, depth: Floats, radius: Floats, pairs: Ints
) -> list[Diagnostic]:
    """The deepest overlaps of an interface, if they are too deep; radius (n,) of the smaller solid of each pair."""
    ignored = depth > contact.greatest_penetration
    wrong = np.flatnonzero(ignored | (depth > DEEP * radius))
    length = unit(model.units, length=1)
    messages = []
    for place in wrong[np.argsort(-depth[wrong], kind="stable")][:MOST_NAMED]:
        one, other = (solid_of_member(model, contacts, member) for member in pairs[place])
        what = f"solids {one.id} and {other.id} overlap by {depth[place]:.6g} {length} at t = 0"
        if ignored[place]:
            messages.append(
                contact.where.diagnose(
                    "warning", f"{what}, more than pen_max: this contact is ignored until they lie less deep",
                    field="pen_max", hint=f"a pen_max of more than {depth[place]:.6g} counts it",
                )
            )  # fmt: skip
        else:
            hint = "move them apart, unless they are meant to fly apart"
            if any(isinstance(shape, PlaneCurve) and not shape.closed for shape in (one, other)):
                hint += "; an open curve has its solid on the left of its way, on the right with side 1"
            if any(isinstance(shape, Shape) and shape.kind == "PLANE" for shape in (one, other)):
                hint += "; a half space is solid behind its plane, and its normal points out of it"
            messages.append(contact.where.diagnose("warning", f"{what}, much of their size", hint=hint))
    return messages


# ---- the compiled side ---------------------------------------------------------------------------------------


class Overlaps(NamedTuple):
    """What a search for overlaps works on, and finds."""

    contacts: Contacts
    subsystems: Records
    bodies: Records
    depth: Floats  # (n,) deepest point of a pair
    pair: Ints  # (n, 2) its members
    found: Ints  # (1,) number of pairs, -1 beyond the capacity


def new_overlaps(system: System, contacts: Contacts, capacity: int) -> Overlaps:
    """Nothing found yet."""
    depth, pair = np.zeros(capacity), np.zeros((capacity, 2), dtype=np.int64)
    return Overlaps(contacts, system.subsystems, system.bodies, depth, pair, np.zeros(1, dtype=np.int64))


def find_overlaps(overlaps: Overlaps, s: int, k: int) -> int:
    """Note the pairs of interface k, of subsystem s, that touch; their number, -1 beyond the capacity."""
    reference = Reference(overlaps)  # must outlive the call
    if overlaps_pointer().entry()(reference.address, s, k) == DIED:
        raise RuntimeError("a compiled part of gsolve failed")
    return int(overlaps.found[0])


@cache
def overlaps_pointer() -> Pointer:
    """Where `note_overlaps` is to be found in this process."""
    nothing = no_machine()
    kind = reference_type(
        Overlaps(nothing.contacts, nothing.subsystems, nothing.bodies, *empty_arrays("fii", (), (2,), ()))
    )
    return Pointer(note_overlaps, function_type(kind, types.int64, types.int64))


@kernel
def note_overlaps(overlaps: Overlaps, s: int, k: int) -> int:
    """`find_overlaps` for compiled code."""
    contacts, bodies = overlaps.contacts, overlaps.bodies
    interface, members = contacts.interfaces[k], contacts.members
    gather_motion(contacts, overlaps.subsystems[s], bodies, 0.0)
    if not renew_candidates(contacts, interface, bodies, 0.0):
        overlaps.found[0] = -1
        return COMPLETED
    found = 0
    for p in range(interface.first_pair, interface.first_pair + interface.pairs):
        a, b = contacts.pair[p, 0], contacts.pair[p, 1]
        if apart(members[a], members[b]):
            continue
        n = touch(contacts, interface, members[a], members[b], bodies)
        if n == BUFFER_FULL:
            overlaps.found[0] = -1
            return COMPLETED
        deepest = 0.0
        for m in range(n):
            deepest = max(deepest, contacts.points[m].penetration)
        if deepest > 0.0:
            overlaps.depth[found], overlaps.pair[found, 0], overlaps.pair[found, 1] = deepest, a, b
            found += 1
    overlaps.found[0] = found
    return COMPLETED


@kernel
def overlap_energy(contacts: Contacts, k: int, bodies: Records, pairs: Ints) -> float:
    """Work that the contacts of some pairs of interface k, of VOLUME, would do while the solids part.

    The area changes on the way, so that only the points there know the force: by Gauss's rule of three points.
    """
    interface, members, frames, energy = contacts.interfaces[k], contacts.members, contacts.frames, 0.0
    for p in range(len(pairs)):
        side_i, side_j = by_sides(members, pairs[p, 0], pairs[p, 1])
        member_i, member_j = members[side_i], members[side_j]
        frame = frames[member_i.body]
        place, centre = vector_of(frame.place), vector_of(member_i.centre)
        deepest, force = force_of_pair(contacts, interface, touch(contacts, interface, member_i, member_j, bodies))
        size = math.sqrt(dot(force, force))
        if deepest > interface.greatest_penetration or not size > 0.0:
            continue
        away, part = scaled(1.0 / size, force), deepest / PARTS
        for node in range(3 * PARTS):
            off = node % 3 - 1
            to = scaled((node // 3 + 0.5 * (1.0 + off * GAUSS_NODE)) * part, away)
            set_vector(frame.place, plus(place, to))
            set_vector(member_i.centre, plus(centre, to))
            _, force = force_of_pair(contacts, interface, touch(contacts, interface, member_i, member_j, bodies))
            energy += part * (GAUSS_MIDDLE if off == 0 else 0.5 * (1.0 - GAUSS_MIDDLE)) * dot(force, away)
        set_vector(frame.place, place)
        set_vector(member_i.centre, centre)
    return energy


@kernel
def force_of_pair(contacts: Contacts, interface: Record, n: int) -> tuple[float, Vector]:
    """Depth of the deepest of the n points at hand, and the elastic force of all of them."""
    deepest, force, points = 0.0, NOWHERE, contacts.points
    for m in range(n):
        deepest = max(deepest, points[m].penetration)
        elastic = elastic_force(interface, points[m].penetration, points[m].weight, points[m].area)
        force = plus(force, scaled(elastic, vector_of(points[m].normal)))
    return deepest, force
