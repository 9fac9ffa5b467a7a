"""The kernels that a machine needs, and their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.dispatch import set_contact_addresses
from ..core.jit.pointers import Pointer
from ..geometry.pair_table import compile_pairs
from . import families, samples
from .loop import advance
from .rows import correct_rates, measure_rows, refresh_matrix, set_jacobians
from .system import ADVANCE, BY_ADDRESS, ON_SAMPLE, ON_SUBSYSTEM, System

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
    "set_jacobians": (set_jacobians, ("row",)),
    "measure_rows": (measure_rows, ("row",)),
    "refresh_matrix": (refresh_matrix, ("row",)),
}
ON_SAMPLES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "take_sample": (samples.take_sample, ("body", "interface")),
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
    subsystems = system.subsystems

    def has(family: str) -> bool:
        return bool(np.any(subsystems[f"last_{family}"] > subsystems[f"first_{family}"]))

    kernels = {**ON_SUBSYSTEMS, **ON_SAMPLES}
    names = [name for name, (_, families_of) in kernels.items() if any(has(family) for family in families_of)]
    if np.any(subsystems["cut_at_touch"]):
        names.append("find_first_touch")
    if np.any(subsystems["left_out"]):
        names.append("reduce_reactions")
    return names


# What finds the state at t = 0.
AT_START = (
    "prepare_drives", "prepare_conditions", "set_condition_jacobians", "measure_conditions", "subtract_start_rates",
    "add_start_work", "set_jacobians", "measure_rows", "refresh_matrix",
)  # fmt: skip


def set_start_addresses(system: System) -> None:
    """Compile what finds the state at t = 0, or read it from disk, and let the system know where it is."""
    for name in set(needed(system)).intersection(AT_START):
        system.kernels[name] = POINTERS[name].address


def set_addresses(system: System) -> None:
    """The same for all that a machine needs to run."""
    for name in needed(system):
        system.kernels[name] = POINTERS[name].address
    compile_pairs(system.contacts.pair_kernels)
    set_contact_addresses(system.contacts)
