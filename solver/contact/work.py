"""The work that contacts do on bodies.

Work of a force over a step is (F_n + F_{n+1})/2 times the relative displacement, each half with the arms of its own
time: so the energies close to round-off.
"""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.vectors import dot, set_vector, vector_of
from .detect import points_now, touches_now
from .normal_laws import STICTION
from .point_motion import relative_next_step, relative_step
from .records import Contacts


@kernel
def accumulate_work(contacts: Contacts, subsystem: Record) -> float:
    """Work of all forces over the step that led to t_n; returns it.

    The half that the forces of t_n do in the step that follows, by the trial motion at hand, is kept for its end.
    """
    total = 0.0
    for k in range(subsystem.first_interface, subsystem.last_interface):
        interface = contacts.interfaces[k]
        total += accumulate_work_of_points(contacts, interface)
        if interface.friction == STICTION:
            keep_what_holds(contacts.contacts, contacts.springs, interface)
    return total


@kernel
def accumulate_work_of_points(contacts: Contacts, interface: Record) -> float:
    """Half the work of the forces of t_n in the steps before and after; returns that of the step that led to t_n."""
    elastic, damping, friction = interface.coming_work[0], interface.coming_work[1], interface.coming_work[2]
    coming_elastic, coming_damping, coming_friction = 0.0, 0.0, 0.0
    first, end = points_now(interface)
    turns, records, moves, touches = interface.turns == 1, contacts.contacts, contacts.moves, contacts.touches
    p, last_touch = touches_now(interface)
    of_pair, end_of_pair = 0.0, touches[p].end if p < last_touch else -1
    for m in range(first, end):
        contact = records[m]
        move_i, move_j = moves[contact.i], moves[contact.j]
        normal, tangential = vector_of(contact.normal), vector_of(contact.tangential)
        held, lost = 0.5 * (contact.elastic + contact.step_correction), 0.5 * (contact.total - contact.elastic)
        moved = relative_step(contact, move_i, move_j, turns)
        next_moved = relative_next_step(contact, move_i, move_j, turns)
        closed, closes = dot(moved, normal), dot(next_moved, normal)
        elastic, coming_elastic = elastic + closed * held, coming_elastic + closes * held
        of_pair += (closed + closes) * held
        if m + 1 == end_of_pair:
            touches[p].work += of_pair
            of_pair, p = 0.0, p + 1
            end_of_pair = touches[p].end if p < last_touch else -1
        damping, coming_damping = damping + closed * lost, coming_damping + closes * lost
        friction += 0.5 * dot(moved, tangential)
        coming_friction += 0.5 * dot(next_moved, tangential)
    if interface.returns_debt == 1:
        returned, coming = accumulate_work_of_debts(contacts, interface)
        elastic, coming_elastic = elastic + returned, coming_elastic + coming
    interface.elastic_work += elastic
    interface.damping_work += damping
    interface.friction_work += friction
    set_vector(interface.coming_work, (coming_elastic, coming_damping, coming_friction))
    return elastic + damping + friction


@kernel
def accumulate_work_of_debts(contacts: Contacts, interface: Record) -> tuple[float, float]:
    """The same of the forces that give debts back; their work in the steps before and after t_n."""
    returned, coming = 0.0, 0.0
    first, end = touches_now(interface)
    for p in range(first, end):
        touch, debt = contacts.touches[p], contacts.debts[p]
        force = vector_of(debt.force)
        if dot(force, force) == 0.0:
            continue
        contact = contacts.contacts[touch.end - 1]
        move_i, move_j = contacts.moves[contact.i], contacts.moves[contact.j]
        work = 0.5 * dot(force, relative_step(debt, move_i, move_j))
        work_to_come = 0.5 * dot(force, relative_next_step(debt, move_i, move_j, True))
        touch.work += work + work_to_come
        returned += work
        coming += work_to_come
    return returned, coming


@kernel
def keep_what_holds(contacts: Records, springs: Records, interface: Record) -> None:
    """Reduce the springs of points that slip to what friction holds."""
    first, end = points_now(interface)
    for m in range(first, end):
        if springs[m].slips == 1:
            set_vector(springs[m].force, vector_of(contacts[m].tangential))
