"""The kernels that a machine needs, and their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.dispatch import set_contact_addresses
from ..core.jit.pointers import Pointer
from ..geometry.pair_table import compile_pairs
from . import families, samples
from .loop import advance
from .rows import correct_rates
from .system import ADVANCE, BY_ADDRESS, KERNELS, ON_SAMPLE, ON_SUBSYSTEM, System

# By name: the kernel, and the family (as SUBSYSTEM has it) without which no machine needs it.
ON_SUBSYSTEMS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "start_springs": (families.start_springs, ("spring",)),
    "refine_springs": (families.refine_springs, ("spring",)),
    "start_joint_forces": (families.start_joint_forces, ("joint_force",)),
    "refine_joint_forces": (families.refine_joint_forces, ("joint_force",)),
    "add_loads": (families.apply_loads, ("load",)),
    "find_contacts": (families.find_contacts, ("interface",)),
    "refine_contacts": (families.refine_contacts, ("interface",)),
    "accumulate_contacts": (families.accumulate_contacts, ("interface",)),
    "start_walls": (families.begin_walls, ("wall",)),
    "hold_walls": (families.hold_walls, ("wall",)),
    "accumulate_walls": (families.accumulate_walls, ("wall",)),
    "prepare_drives": (families.aim_drives, ("drive",)),
    "prepare_conditions": (families.aim_conditions, ("condition",)),
    "set_condition_jacobians": (families.set_condition_jacobians, ("condition",)),
    "measure_conditions": (families.measure_conditions, ("condition",)),
    "subtract_start_rates": (families.subtract_start_rates, ("drive", "condition")),
    "add_start_work": (families.add_start_work, ("drive", "condition")),
    "deactivate_weak_rows": (families.deactivate_weak_rows, ("row",)),
    "correct_rates": (correct_rates, ("row",)),
}
ON_SAMPLES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "record_springs": (samples.record_springs_of, ("spring",)),
    "record_joint_forces": (samples.record_joint_forces_of, ("joint_force",)),
    "record_contacts": (samples.record_contacts_of, ("interface",)),
    "record_walls": (samples.record_walls_of, ("wall",)),
}

POINTERS = {
    **{name: Pointer(kernel, ON_SUBSYSTEM) for name, (kernel, _) in ON_SUBSYSTEMS.items()},
    **{name: Pointer(kernel, ON_SAMPLE) for name, (kernel, _) in ON_SAMPLES.items()},
    "find_first_touch": Pointer(families.find_first_touch, ON_SUBSYSTEM),
    "reduce_reactions": Pointer(samples.reduce_reactions, ON_SAMPLE),
}
assert set(POINTERS) == set(BY_ADDRESS)
ADVANCE_POINTER = Pointer(advance, ADVANCE)


def needed(system: System) -> list[str]:
    """Names of the kernels that a machine calls by address."""
    parts = system.parts
    has = {name.removeprefix("first_") for name in parts.dtype.names or () if name.startswith("first_")
           and f"last_{name.removeprefix('first_')}" in parts.dtype.names
           and np.any(parts[f"last_{name.removeprefix('first_')}"] > parts[name])}  # fmt: skip
    names = [name for name, (_, families) in {**ON_SUBSYSTEMS, **ON_SAMPLES}.items() if has.intersection(families)]
    if np.any(parts["cut_at_touch"]):
        names.append("find_first_touch")
    if np.any(parts["left_out"]):
        names.append("reduce_reactions")
    return names


def pointers_of(system: System) -> list[Pointer]:
    """All that a machine runs by, for the loop and below it."""
    return [ADVANCE_POINTER, *(POINTERS[name] for name in needed(system))]


def set_addresses(system: System) -> None:
    """Compile what a machine needs, or read it from disk, and let the system know where it is."""
    for name in needed(system):
        system.kernels[name] = POINTERS[name].address
    compile_pairs(system.contacts.pair_kernels)
    set_contact_addresses(system.contacts)


def no_kernels() -> Any:
    """A record of addresses to fill in."""
    return np.zeros(1, KERNELS)[0]
