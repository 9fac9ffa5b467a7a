"""Which interfaces are divided into parts, and where these begin."""

from __future__ import annotations

import numpy as np

from ..core.bodies import GROUND, Ints, Record, Records, zeros_in_lines
from ..geometry.shapes import PLANE, SPHERE
from .normal_laws import USER, USER_FRICTION
from .records import FRAME, INTERFACE, PART, Contacts, Parts


def may_be_divided(contacts: Contacts, interface: Record) -> bool:
    """Whether the parts of an interface know beforehand how many points they will have, and find their forces alone."""
    members = contacts.members[interface["first_member"] : interface["last_member"]]
    by_points = interface["curve"] < 0 and interface["law"] != USER and interface["friction"] != USER_FRICTION
    return bool(by_points and not interface["returns_debt"] and np.isin(members["kind"], (SPHERE, PLANE)).all())


def with_parts(contacts: Contacts, divided: dict[int, Ints]) -> Contacts:
    """The contacts with some interfaces in parts.

    divided : by interface, the bodies at which the parts of its subsystem begin, and the end (parts + 1,)
    """
    interfaces, parts = contacts.interfaces, list[Record]()
    for k, bounds in sorted(divided.items()):
        interface = interfaces[k]
        members = first_members(contacts.members[interface["first_member"] : interface["last_member"]], bounds)
        interface["first_part"], interface["last_part"] = len(parts), len(parts) + len(bounds) - 1
        for place in range(len(bounds) - 1):
            part = np.zeros(1, PART)[0]
            part["interface"] = k
            part["first_body"], part["last_body"] = bounds[place : place + 2]
            part["first_member"], part["last_member"] = interface["first_member"] + members[place : place + 2]
            parts.append(part)
    records = zeros_in_lines(len(parts), PART)
    records[:] = np.array(parts, PART)
    parts_of = Parts(records, np.zeros(len(parts), INTERFACE), contacts.parts.slots, contacts.parts.slot_bodies)
    return contacts._replace(parts=with_slots(parts_of, interfaces))


def first_members(members: Records, bounds: Ints) -> Ints:
    """Where parts begin among the members of an interface: with their first body, or all alike where that is no order.

    members : those of the interface.  bounds : bodies at which parts begin, and the end
    """
    bodies = members["body"]
    moving = bodies[bodies != GROUND]
    if np.any(np.diff(moving) < 0):
        return np.linspace(0, len(members), len(bounds)).astype(np.int64)
    inner = np.searchsorted(np.maximum.accumulate(bodies), bounds[1:-1])
    return np.concatenate([[0], inner, [len(members)]])


def with_slots(parts: Parts, interfaces: Records) -> Parts:
    """The parts with two slots for each point of a divided interface."""
    slots = np.where(interfaces["last_part"] > interfaces["first_part"], 2 * interfaces["point_capacity"], 0)
    interfaces["first_slot"] = np.cumsum(slots) - slots
    number = int(slots.sum())
    return parts._replace(slots=zeros_in_lines(number, FRAME), slot_bodies=np.zeros(number, dtype=np.int64))
