"""The kernels that a machine needs, and their addresses."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constraints.spins import ON_GROUND
from ..contact.dispatch import set_contact_addresses
from ..core.bodies import Records
from ..core.jit.pointers import Pointer
from ..geometry.pair_table import compile_pairs
from . import (
    families,
    gyrostat_samples,
    gyrostats,
    parts,
    plane_drives,
    plane_samples,
    rotor_bodies,
    rotor_families,
    rotor_lanes,
    rotor_samples,
    samples,
    sensors,
    tree_dampers,
    tree_samples,
)
from .accurate import tree_ends
from .accurate import trees as accurate_trees
from .accurate.composition_loop import advance_composed
from .accurate.loop import advance_accurate
from .crew import help_others
from .gyrostats import advance_gyrostats
from .loop import advance
from .planes import advance_planes
from .rotors import advance_rotors
from .rows import correct_rates, measure_rows, refresh_matrix, refresh_trial_matrix, set_jacobians
from .system import (
    ADVANCE,
    ADVANCE_TWINS,
    BY_ADDRESS,
    HELP,
    ON_PART,
    ON_SAMPLE,
    ON_SUBSYSTEM,
    ON_TWIN,
    ON_TWIN_SAMPLE,
    System,
)
from .trees import advance_trees

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
    "refresh_trial_matrix": (refresh_trial_matrix, ("row",)),
    "watch_sensors": (sensors.watch_sensors, ("sensor",)),
}
ON_SAMPLES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "take_sample": (samples.take_sample, ("body", "interface")),
    "record_springs": (samples.record_springs_of, ("spring",)),
    "record_joint_forces": (samples.record_joint_forces_of, ("joint_force",)),
    "record_contacts": (samples.record_contacts_of, ("interface",)),
    "record_walls": (samples.record_walls_of, ("wall",)),
}
# Of trains of rotors, by the family that a train must have.
OF_TRAINS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "place_rotors": (rotor_samples.place_rotors, ("spin",)),
    "load_spins": (rotor_families.load_spins, ("load",)),
    "force_spins": (rotor_families.force_spins, ("joint_force",)),
    "refine_spins": (rotor_families.refine_spins, ("joint_force",)),
    "start_on_bodies": (rotor_bodies.start_on_bodies, ()),
    "refine_on_bodies": (rotor_bodies.refine_on_bodies, ()),
    "move_lanes": (rotor_lanes.move_lanes, ()),
    "drive_spins": (rotor_families.drive_spins, ("drive",)),
    "accumulate_spins": (rotor_families.accumulate_spins, ("joint_force", "drive")),
    "commit_spin_drives": (rotor_families.commit_spin_drives, ("drive",)),
    "drift_carrier": (rotor_families.drift_carrier, ()),
    "commit_carrier": (rotor_families.commit_carrier_of, ()),
}
# Of planar subsystems that other forces than weight act on.
ON_PLANES = {
    "start_on_plane": plane_samples.start_on_plane,
    "refine_on_plane": plane_samples.refine_on_plane,
    "accumulate_on_plane": plane_samples.accumulate_on_plane,
}
# Of subsystems and interfaces in parts.
ON_PARTS = {
    "place_part": parts.place_part,
    "list_near": parts.list_near,
    "load_part": parts.load_part,
    "refine_part": parts.refine_part,
    "accumulate_part": parts.accumulate_part,
    "kick_part": parts.kick_part,
    "kick_part_by_change": parts.kick_part_by_change,
    "drift_part": parts.drift_part,
    "commit_part": parts.commit_part,
}
PLANE_DRIVES = {
    "start_plane_drives": plane_drives.start_plane_drives,
    "measure_plane_drives": plane_drives.measure_plane_drives,
    "accumulate_plane_drives": plane_drives.accumulate_plane_drives,
    "commit_plane_drives": plane_drives.commit_plane_drives,
}

OF_GYROSTATS = {
    "start_on_gyrostats": gyrostats.start_on_gyrostats,
    "refine_on_gyrostats": gyrostats.refine_on_gyrostats,
    "drift_gyrostats": gyrostats.drift_gyrostats,
    "commit_gyrostats": gyrostats.commit_gyrostats,
}
# Of subsystems that move by joint coordinates, by the family that one must have.
OF_TREES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "damp_tree_by_springs": (tree_dampers.damp_tree_by_springs, ("spring",)),
    "damp_tree_by_joints": (tree_dampers.damp_tree_by_joints, ("joint_force",)),
}
# Of subsystems that move by joint coordinates in steps that are controlled by their error.
OF_ACCURATE_TREES = {
    "place_on_tree": accurate_trees.place_on_tree,
    "find_tree_rates": accurate_trees.find_tree_rates,
    "meet_tree": tree_ends.meet_tree,
    "error_of_tree": tree_ends.error_of_tree,
    "commit_tree": tree_ends.commit_tree,
    "start_tree": tree_ends.start_tree,
    "hold_tree": tree_ends.hold_tree,
    "place_joints": tree_samples.place_joints,
}

POINTERS = {
    **{name: Pointer(kernel, ON_SUBSYSTEM) for name, (kernel, _) in ON_SUBSYSTEMS.items()},
    **{name: Pointer(kernel, ON_SAMPLE) for name, (kernel, _) in ON_SAMPLES.items()},
    **{name: Pointer(kernel, ON_SUBSYSTEM) for name, (kernel, _) in {**OF_TRAINS, **OF_TREES}.items()},
    **{
        name: Pointer(kernel, ON_SUBSYSTEM)
        for name, kernel in {**ON_PLANES, **PLANE_DRIVES, **OF_GYROSTATS, **OF_ACCURATE_TREES}.items()
    },
    **{name: Pointer(kernel, ON_PART) for name, kernel in ON_PARTS.items()},
    "place_gyrostats": Pointer(gyrostat_samples.place_gyrostats, ON_TWIN),
    "sample_gyrostats": Pointer(gyrostat_samples.sample_gyrostats, ON_TWIN_SAMPLE),
    "place_plane": Pointer(plane_samples.place_plane, ON_SUBSYSTEM),
    "sample_plane": Pointer(plane_samples.sample_plane, ON_SAMPLE),
    "sample_tree": Pointer(tree_samples.sample_tree, ON_SAMPLE),
    "sample_rotors": Pointer(rotor_samples.sample_rotors, ON_SAMPLE),
    "find_first_touch": Pointer(families.find_first_touch, ON_SUBSYSTEM),
    "reduce_reactions": Pointer(samples.reduce_reactions, ON_SAMPLE),
}
assert set(POINTERS) == set(BY_ADDRESS)
ADVANCE_POINTER = Pointer(advance, ADVANCE)
ADVANCE_ROTORS_POINTER = Pointer(advance_rotors, ADVANCE)
ADVANCE_PLANES_POINTER = Pointer(advance_planes, ADVANCE)
ADVANCE_TREES_POINTER = Pointer(advance_trees, ADVANCE)
ADVANCE_ACCURATE_POINTER = Pointer(advance_accurate, ADVANCE)
ADVANCE_COMPOSED_POINTER = Pointer(advance_composed, ADVANCE)
ADVANCE_GYROSTATS_POINTER = Pointer(advance_gyrostats, ADVANCE_TWINS)
HELP_POINTER = Pointer(help_others, HELP)
LOOPS = (
    ADVANCE_POINTER, ADVANCE_ROTORS_POINTER, ADVANCE_PLANES_POINTER, ADVANCE_TREES_POINTER, ADVANCE_ACCURATE_POINTER,
    ADVANCE_COMPOSED_POINTER,
    ADVANCE_GYROSTATS_POINTER,
)  # fmt: skip
# What trains do not need, what the general path alone needs, and of that what compositions need too; the rest serves
# samples and the start of all.
NOT_OF_TRAINS = ("start_joint_forces", "refine_joint_forces")
GENERAL_ONLY = ("deactivate_weak_rows", "correct_rates", "refresh_trial_matrix")
OF_COMPOSITIONS = ("refresh_trial_matrix",)


def needed(system: System) -> list[str]:
    """Names of the kernels that a machine calls by address."""
    trains, planar = trains_and_planes(system)
    accurate, composed, trees = accurate_of(system), composed_of(system), trees_of(system)

    @cache
    def owners(family: str) -> NDArray[np.bool_]:
        return having(family, system.subsystems)

    def has(family: str, among: NDArray[np.bool_]) -> bool:
        return bool((among & owners(family)).any())

    everywhere = np.ones(len(system.subsystems), dtype=bool)
    names = []
    for name, (_, families_of) in {**ON_SUBSYSTEMS, **ON_SAMPLES}.items():
        among = ~trains if name in NOT_OF_TRAINS else everywhere
        among = ~trains & ~planar & ~trees & ~accurate if name in GENERAL_ONLY else among
        among = among | composed if name in OF_COMPOSITIONS else among
        names += [name] if any(has(family, among) for family in families_of) else []
    if trains.any():
        names += [name for name, (_, families_of) in OF_TRAINS.items() if any(has(f, trains) for f in families_of)]
        names.append("sample_rotors")
        if np.any(system.trains.trains["carrier"] != ON_GROUND):
            names += ["drift_carrier", "commit_carrier"]
        if np.any(system.trains.trains["in_lanes"] == 1):
            names.append("move_lanes")
        if np.any(system.trains.trains["on_bodies"] == 1):
            names += ["start_on_bodies", "refine_on_bodies", "force_spins", "refine_spins"]
    if planar.any():
        names += ["place_plane", "sample_plane"]
        names += ON_PLANES if np.any(system.planes.planes["on_bodies"][planar] == 1) else []
        names += PLANE_DRIVES if has("drive", planar) else []
    if trees.any():
        names += ["place_joints", "sample_tree"]
        names += [name for name, (_, families_of) in OF_TREES.items() if any(has(f, trees) for f in families_of)]
    if np.any(accurate) and np.any(system.accurate.clocks["by_coordinates"]):
        names += OF_ACCURATE_TREES
    if len(system.parts):
        names += ON_PARTS
    if geared_of(system).any():
        names += [*OF_GYROSTATS, "place_gyrostats", "sample_gyrostats"]
    if np.any(system.subsystems["cut_at_touch"]):
        names.append("find_first_touch")
    if np.any(system.subsystems["left_out"]):
        names.append("reduce_reactions")
    return list(dict.fromkeys(names))


def having(family: str, subsystems: Records) -> NDArray[np.bool_]:
    """Which subsystems have any of a family, as SUBSYSTEM names it."""
    has: NDArray[np.bool_] = subsystems[f"last_{family}"] > subsystems[f"first_{family}"]
    return has


def trains_and_planes(system: System) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which subsystems are trains of rotors, and which take their steps in a plane."""
    subsystems, planar = system.subsystems, np.zeros(len(system.subsystems), dtype=bool)
    if len(system.planes.active):
        planar = having("link", subsystems) & (system.planes.active == 1)
    return having("spin", subsystems), planar


def trees_of(system: System) -> NDArray[np.bool_]:
    """Which subsystems move by joint coordinates."""
    if not len(system.trees.active):
        return np.zeros(len(system.subsystems), dtype=bool)
    return having("freedom", system.subsystems) & (system.trees.active == 1)


def accurate_of(system: System) -> NDArray[np.bool_]:
    """Which subsystems have steps of their own: controlled by their error, or compositions."""
    clocks = system.accurate.clocks
    return clocks["active"] == 1 if len(clocks) else np.zeros(len(system.subsystems), dtype=bool)


def composed_of(system: System) -> NDArray[np.bool_]:
    """Which of those have compositions."""
    clocks = system.accurate.clocks
    return accurate_of(system) & (clocks["order"] > 0) if len(clocks) else accurate_of(system)


def geared_of(system: System) -> NDArray[np.bool_]:
    """Which subsystems move as gyrostats."""
    geared = system.gyrostats.geared
    return geared["active"] == 1 if len(geared) else np.zeros(len(system.subsystems), dtype=bool)


def loops_of(system: System) -> list[Pointer]:
    """The loops that take the subsystems of a machine on: general, of trains, planes, trees, with steps of their own.

    That of gyrostats, which takes the system in which these move as well, is not among them.
    """
    trains, planar = trains_and_planes(system)
    accurate, trees = accurate_of(system), trees_of(system)
    general = not (trains | planar | trees | accurate | geared_of(system)).all() or not len(trains)
    loops = [ADVANCE_POINTER] if general else []
    loops += [ADVANCE_ROTORS_POINTER] if trains.any() else []
    loops += [ADVANCE_PLANES_POINTER] if planar.any() else []
    loops += [ADVANCE_TREES_POINTER] if trees.any() else []
    composed = composed_of(system)
    loops += [ADVANCE_ACCURATE_POINTER] if (accurate & ~composed).any() else []
    return loops + ([ADVANCE_COMPOSED_POINTER] if composed.any() else [])


# What finds the state at t = 0, by the families of which a machine must have one for it.
AT_START = {
    name: ON_SUBSYSTEMS[name][1]
    for name in (
        "prepare_drives", "prepare_conditions", "set_condition_jacobians", "measure_conditions",
        "subtract_start_rates", "add_start_work", "set_jacobians", "measure_rows", "refresh_matrix",
    )
}  # fmt: skip
FAMILIES_AT_START = sorted({family for families_of in AT_START.values() for family in families_of})


def set_start_addresses(system: System) -> None:
    """Compile what finds the state at t = 0, or read it from disk, and let the system know where it is."""
    present = {family for family in FAMILIES_AT_START if having(family, system.subsystems).any()}
    for name, families_of in AT_START.items():
        if not present.isdisjoint(families_of):
            system.kernels[name] = POINTERS[name].address


def set_addresses(system: System) -> None:
    """The same for all that a machine needs to run."""
    for name in needed(system):
        system.kernels[name] = POINTERS[name].address
    compile_pairs(system.contacts.pair_kernels)
    set_contact_addresses(system.contacts)
