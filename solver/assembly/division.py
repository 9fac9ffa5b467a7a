"""Large subsystems are divided into parts that several threads can take on at the same time.

What parts there are does not depend on the number of threads, so that results do not either.
"""

from __future__ import annotations

import numpy as np

from ..contact.part_setup import may_be_divided, with_parts
from ..contact.records import Contacts
from ..core.bodies import Ints, Records, zeros_in_lines
from ..integration.system import BODY_PART

# Bodies below which a step is too short for several threads, and layers of a heap in a part: what parts do to bodies of
# others costs more than what they do to their own.
FEWEST_BODIES, LAYERS_PER_PART = 500, 2.5


def number_of_parts(bodies: int) -> int:
    """Into how many parts a subsystem of so many bodies is divided: an even number, as most often two threads share."""
    return 2 * round(0.5 * bodies ** (1 / 3) / LAYERS_PER_PART) if bodies >= FEWEST_BODIES else 1


def divided(subsystems: Records, contacts: Contacts) -> tuple[Contacts, Records]:
    """The contacts of large subsystems in parts, and the parts of their bodies; lets subsystems know theirs."""
    bounds_of_parts, of_interfaces = list[Ints](), dict[int, Ints]()
    for subsystem in subsystems:
        interfaces = range(subsystem["first_interface"], subsystem["last_interface"])
        in_parts = [k for k in interfaces if may_be_divided(contacts, contacts.interfaces[k])]
        bodies = int(subsystem["last_body"] - subsystem["first_body"])
        number = number_of_parts(bodies)
        if not in_parts or number < 2:
            continue
        bounds = subsystem["first_body"] + np.linspace(0, bodies, number + 1).astype(np.int64)
        subsystem["first_part"] = sum(len(before) - 1 for before in bounds_of_parts)
        subsystem["last_part"] = subsystem["first_part"] + number
        bounds_of_parts.append(bounds)
        of_interfaces |= dict.fromkeys(in_parts, bounds)
    if not of_interfaces:
        return contacts, zeros_in_lines(0, BODY_PART)
    parts = zeros_in_lines(sum(len(bounds) - 1 for bounds in bounds_of_parts), BODY_PART)
    parts["first_body"] = np.concatenate([bounds[:-1] for bounds in bounds_of_parts])
    parts["last_body"] = np.concatenate([bounds[1:] for bounds in bounds_of_parts])
    return with_parts(contacts, of_interfaces), parts
