"""The work that contacts do on bodies.

Work of a force over a step is (F_n + F_{n+1})/2 times the relative displacement, each half with the arms of its own
time: so the energies close to round-off.
"""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, set_vector, vector_of
from .detect import points_now, touches_now
from .friction import keep_what_holds
from .normal_laws import STICTION
from .patches import keep_what_holds_of_patch
from .point_motion import relative_next_step, relative_step
from .records import Contacts


@kernel(inline=True)
def accumulate_work(contacts: Contacts, interface: Record) -> float:
    """Work of all forces of an interface, or of a part, over the step that led to t_n; returns it.

    The half that the forces of t_n do in the step that follows, by the trial motion at hand, is kept for its end.
    """
    total = accumulate_work_of_points(contacts, interface)
    if interface.friction == STICTION:
        settle_springs(contacts.contacts, contacts.springs, contacts.patches, interface)
    return total


@kernel(inline=True)
def accumulate_work_of_points(contacts: Contacts, interface: Record) -> float:
    """Half the work of the forces of t_n in the steps before and after; returns that of the step that led to t_n."""
    elastic, damping, friction = interface.coming_work[0], interface.coming_work[1], interface.coming_work[2]
    coming_elastic, coming_damping, coming_friction = 0.0, 0.0, 0.0
    first, end = points_now(interface)
    half = 0.5 * interface.share  # of the force: it acts on bodies with its share
    turns, records, moves, touches = interface.turns == 1, contacts.contacts, contacts.moves, contacts.touches
    p, last_touch = touches_now(interface)
    of_pair, end_of_pair = 0.0, touches[p].end if p < last_touch else -1
    for m in range(first, end):
        contact = records[m]
        move_i, move_j = moves[contact.i], moves[contact.j]
        normal, tangential = vector_of(contact.normal), vector_of(contact.tangential)
        held, lost = half * (contact.elastic + contact.step_correction), half * (contact.total - contact.elastic)
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
        friction += half * dot(moved, tangential)
        coming_friction += half * dot(next_moved, tangential)
    if interface.has_patches == 1:
        done, coming = work_of_couples(contacts, interface)
        friction, coming_friction = friction + done, coming_friction + coming
    if interface.returns_debt == 1:
        done, coming = work_of_debts(contacts, interface)
        elastic, coming_elastic = elastic + done, coming_elastic + coming
    interface.elastic_work += elastic
    interface.damping_work += damping
    interface.friction_work += friction
    set_vector(interface.coming_work, (coming_elastic, coming_damping, coming_friction))
    return elastic + damping + friction


@kernel
def work_of_couples(contacts: Contacts, interface: Record) -> tuple[float, float]:
    """Half the work of the couples of friction in the steps before and after."""
    records, patches, moves = contacts.contacts, contacts.patches, contacts.moves
    done, coming = 0.0, 0.0
    first, end = points_now(interface)
    for m in range(first, end):
        if patches[m].acts == 0:
            continue
        move_i, move_j, couple = moves[records[m].i], moves[records[m].j], vector_of(patches[m].couple)
        done += dot(minus(vector_of(move_i.turn), vector_of(move_j.turn)), couple)
        coming += dot(minus(vector_of(move_i.next_turn), vector_of(move_j.next_turn)), couple)
    half = 0.5 * interface.share
    return half * done, half * coming


@kernel(inline=True)
def work_of_debts(contacts: Contacts, interface: Record) -> tuple[float, float]:
    """The same of the forces that give debts back."""
    done, coming = 0.0, 0.0
    first, end = touches_now(interface)
    for p in range(first, end):
        touch, debt = contacts.touches[p], contacts.debts[p]
        force = vector_of(debt.force)
        if dot(force, force) == 0.0:
            continue
        contact = contacts.contacts[touch.end - 1]
        move_i, move_j = contacts.moves[contact.i], contacts.moves[contact.j]
        half = 0.5 * interface.share
        work = half * dot(force, relative_step(debt, move_i, move_j))
        work_to_come = half * dot(force, relative_next_step(debt, move_i, move_j, True))
        touch.work += work + work_to_come
        done += work
        coming += work_to_come
    return done, coming


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
