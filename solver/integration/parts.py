"""The steps of a large subsystem in parts: of its bodies, and of the contacts between them.

Kernels of parts are called by address, by whichever thread takes a part, see `crew`.
"""

from __future__ import annotations

from ..contact import parts as of_contacts
from ..contact.parts import empty_slots_of_parts, join_parts, join_work, near_pairs, renew_candidates_of_parts
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from .crew import share_out
from .kick_drift import commit_bodies, drift, kick_bodies, kick_by_change
from .rows import has
from .status import COMPLETED, DIVERGED, NO_CAPACITY
from .system import ROWS, System


@kernel(inline=True)
def is_divided(record: Record) -> bool:
    """Whether a subsystem or an interface has parts."""
    return bool(record.last_part > record.first_part)


# ---- contacts --------------------------------------------------------------------------------------------------


@kernel
def find_in_parts(system: System, s: int, k: int) -> int:
    """Points of interface k at t_n, and their forces; returns a status."""
    contacts, step, kernels = system.contacts, system.steps[s], system.kernels
    interface = contacts.interfaces[k]
    first, last = interface.first_part, interface.last_part
    status = share_out(system, s, kernels.place_part, first, last)
    if status != COMPLETED:
        return status
    if not renew_candidates_of_parts(contacts, interface, system.bodies, step.dt):
        return NO_CAPACITY
    status = share_out(system, s, kernels.list_near, first, last)
    if status != COMPLETED:
        return status
    if near_pairs(contacts, first, last) > interface.point_capacity:
        return NO_CAPACITY
    status = share_out(system, s, kernels.load_part, first, last)
    if status == COMPLETED:
        join_parts(contacts, interface)
    return status


@kernel
def refine_in_parts(system: System, s: int, k: int) -> int:
    """Forces of interface k at a new estimate of v_n; returns a status."""
    interface = system.contacts.interfaces[k]
    status = share_out(system, s, system.kernels.refine_part, interface.first_part, interface.last_part)
    empty_slots_of_parts(system.contacts, interface)
    return status


@kernel
def accumulate_in_parts(system: System, s: int, k: int) -> int:
    """Work of interface k over the step that led to t_n; returns a status."""
    interface = system.contacts.interfaces[k]
    status = share_out(system, s, system.kernels.accumulate_part, interface.first_part, interface.last_part)
    system.steps[s].contact_work += join_work(system.contacts, interface)
    return status


@kernel
def place_part(system: System, s: int, p: int) -> int:
    """Members of a part where their bodies are."""
    of_contacts.place_part(system.contacts, p, system.bodies)
    return COMPLETED


@kernel
def list_near(system: System, s: int, p: int) -> int:
    """Pairs of members of a part that touch."""
    of_contacts.list_near(system.contacts, p, system.bodies)
    return COMPLETED


@kernel
def load_part(system: System, s: int, p: int) -> int:
    """Points of a part, and their forces."""
    step = system.steps[s]
    loaded = of_contacts.load_part(
        system.contacts, p, system.bodies, step.t, step.previous_dt, step.dt, step.damped == 1
    )
    return COMPLETED if loaded else NO_CAPACITY


@kernel
def refine_part(system: System, s: int, p: int) -> int:
    """Forces of a part at a new estimate of v_n."""
    of_contacts.refine_part(system.contacts, p)
    return COMPLETED


@kernel
def accumulate_part(system: System, s: int, p: int) -> int:
    """Work of a part."""
    of_contacts.accumulate_part(system.contacts, p)
    return COMPLETED


# ---- bodies ----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def bodies_in_parts(system: System, s: int, address: int) -> int:
    """Let a kernel do the parts of the bodies of a subsystem; returns a status."""
    subsystem = system.subsystems[s]
    return share_out(system, s, address, subsystem.first_part, subsystem.last_part)


@kernel
def kick_part(system: System, s: int, p: int) -> int:
    """Trial velocities of some bodies."""
    part, step, subsystem = system.parts[p], system.steps[s], system.subsystems[s]
    renews = step.damped == 1 and not has(subsystem, ROWS)
    kick_bodies(system.bodies, system.contacts, part.first_body, part.last_body, step.kick, step.weight, renews)
    return COMPLETED


@kernel
def kick_part_by_change(system: System, s: int, p: int) -> int:
    """The kick of some bodies by what has changed of the forces on them."""
    part, step, subsystem = system.parts[p], system.steps[s], system.subsystems[s]
    renews = step.damping_passes > 0 and not has(subsystem, ROWS)
    kick_by_change(system.bodies, system.contacts, part.first_body, part.last_body, step.kick, step.weight, renews)
    return COMPLETED


@kernel
def drift_part(system: System, s: int, p: int) -> int:
    """Trial positions of some bodies."""
    part = system.parts[p]
    body = drift(system.bodies, system.contacts, part.first_body, part.last_body, system.steps[s].dt)
    return COMPLETED if body < 0 else DIVERGED


@kernel
def commit_part(system: System, s: int, p: int) -> int:
    """The trial state of some bodies becomes their state."""
    part = system.parts[p]
    part.largest_turn = 0.0
    commit_bodies(part, system.bodies, system.contacts, system.steps[s].dt, True)
    return COMPLETED
