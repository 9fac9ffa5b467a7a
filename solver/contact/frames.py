"""What bodies tell contacts of their motion, and take from them of forces, as the time loop passes over the bodies.

Contacts keep it in small records of their own: thousands of bodies do not fit into the cache, and points ask for
them in any order.
"""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.rotation import turn_of_step
from ..core.vectors import scaled, set_vector, vector_of
from .records import Contacts


@kernel(inline=True)
def give_motion(contacts: Contacts, i: int, body: Record, previous_dt: float) -> None:
    """Tell where body i is at t_n, how it came there, and how it moves; no forces yet."""
    offset, frame, move = contacts.offsets[i], contacts.frames[i], contacts.moves[i]
    for c in range(3):
        place = offset[c] + (body.displacement[c] + body.low_displacement[c])
        frame.place[c], move.place[c] = place, place
        move.step[c], move.turn[c] = previous_dt * body.velocity[c], body.step_rotation[c]
    for c in range(6):
        frame.wrench[c] = 0.0
    give_velocity(contacts, i, body)


@kernel(inline=True)
def give_velocity(contacts: Contacts, i: int, body: Record) -> None:
    """Tell the estimate of v_n at hand."""
    frame = contacts.frames[i]
    for c in range(3):
        frame.velocity[c], frame.spin[c] = body.mean_velocity[c], body.mean_angular_velocity[c]


@kernel(inline=True)
def frame_of(contacts: Contacts, interface: Record, i: int) -> Record:
    """The frame that takes up what an interface, or a part of one, does to body i: a slot where others add that up."""
    frame = contacts.frames[i]
    if interface.first_own <= i and i < interface.last_own:
        return frame
    place = interface.first_slot + interface.slots
    slot = contacts.parts.slots[place]
    contacts.parts.slot_bodies[place] = i
    interface.slots += 1
    slot.inverse_mass = frame.inverse_mass
    for c in range(3):
        slot.place[c], slot.velocity[c], slot.spin[c] = frame.place[c], frame.velocity[c], frame.spin[c]
    for c in range(6):
        slot.wrench[c] = 0.0
    return slot


@kernel(inline=True)
def empty_slots(contacts: Contacts, interface: Record) -> None:
    """Add the forces in the slots of a part to those on the bodies."""
    slots, bodies = contacts.parts.slots, contacts.parts.slot_bodies
    for k in range(interface.first_slot, interface.first_slot + interface.slots):
        wrench, own = slots[k].wrench, contacts.frames[bodies[k]].wrench
        for c in range(6):
            own[c] += wrench[c]
    interface.slots = 0


@kernel(inline=True)
def take_wrench(contacts: Contacts, i: int, body: Record) -> None:
    """Add force and moment of all contacts to what is found anew with every estimate of v_n."""
    wrench = contacts.frames[i].wrench
    for c in range(6):
        body.dissipative[c] += wrench[c]


@kernel(inline=True)
def give_next_step(contacts: Contacts, i: int, body: Record, dt: float) -> None:
    """Tell the step at hand."""
    move = contacts.moves[i]
    set_vector(move.next_step, scaled(dt, vector_of(body.trial_velocity)))
    set_vector(move.next_turn, turn_of_step(body))


@kernel
def gather_motion(contacts: Contacts, subsystem: Record, bodies: Records, previous_dt: float) -> None:
    """`give_motion` of all bodies of a subsystem."""
    for i in range(subsystem.first_body, subsystem.last_body):
        give_motion(contacts, i, bodies[i], previous_dt)
