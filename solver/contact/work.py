"""The work that contacts do on bodies.

Work of a force over a step is (F_n + F_{n+1})/2 times the relative displacement, each half with the arms of its own
time: so the energies close to round-off.
"""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, set_vector, vector_of
from .detect import points_now
from .friction import keep_what_holds
from .normal_laws import STICTION
from .patches import keep_what_holds_of_patch
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
        total += accumulate_work_of_points(contacts.contacts, contacts.patches, interface, contacts.moves)
        if interface.friction == STICTION:
            settle_springs(contacts.contacts, contacts.springs, contacts.patches, interface)
    return total


@kernel
def accumulate_work_of_points(contacts: Records, patches: Records, interface: Record, moves: Records) -> float:
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
    if interface.has_patches == 1:
        done, coming = work_of_couples(contacts, patches, interface, moves)
        friction, coming_friction = friction + done, coming_friction + coming
    interface.elastic_work += elastic
    interface.damping_work += damping
    interface.friction_work += friction
    set_vector(interface.coming_work, (coming_elastic, coming_damping, coming_friction))
    return elastic + damping + friction


@kernel
def work_of_couples(contacts: Records, patches: Records, interface: Record, moves: Records) -> tuple[float, float]:
    """Half the work of the couples of friction in the steps before and after."""
    done, coming = 0.0, 0.0
    first, end = points_now(interface)
    for m in range(first, end):
        if patches[m].acts == 0:
            continue
        move_i, move_j, couple = moves[contacts[m].i], moves[contacts[m].j], vector_of(patches[m].couple)
        done += dot(minus(vector_of(move_i.turn), vector_of(move_j.turn)), couple)
        coming += dot(minus(vector_of(move_i.next_turn), vector_of(move_j.next_turn)), couple)
    return 0.5 * done, 0.5 * coming


@kernel
def settle_springs(contacts: Records, springs: Records, patches: Records, interface: Record) -> None:
    """Reduce the springs of points that slip to what friction holds, and note which pairs slide."""
    first, end = points_now(interface)
    start, slides = first, 1
    for m in range(first, end):
        keep_what_holds(contacts[m], springs[m])
        if interface.has_couples == 1:
            keep_what_holds_of_patch(contacts[m], patches[m], springs[m], interface)
        slides = min(slides, springs[m].slips)
        if m + 1 < end and is_same_pair(contacts[m], contacts[m + 1]):
            continue
        for k in range(start, m + 1):
            springs[k].slides = slides
        start, slides = m + 1, 1


@kernel(inline=True)
def is_same_pair(contact: Record, other: Record) -> bool:
    """Whether two points belong to the same two members."""
    return bool(contact.member_a == other.member_a and contact.member_b == other.member_b)
