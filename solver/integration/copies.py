"""Copies of all that a step changes, of the whole machine or of one subsystem, to take steps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contact.mesh_records import forget_lists
from ..core.bodies import Floats, Ints
from .system import System

BY_SUBSYSTEM = (
    "body",
    "row",
    "joint",
    "drive",
    "condition",
    "spring",
    "load",
    "joint_force",
    "interface",
    "wall",
    "spin",
    "link",
    "limb",
    "freedom",
    "loop",
    "sensor",
)


def copied(arrays: list[Any]) -> list[Any]:
    """Copies of arrays of records, to be read; as bytes: numpy would copy them field by field.

    Most machines lack most of them.
    """
    return [np.ndarray(array.shape, array.dtype, array.tobytes()) if array.size else array for array in arrays]


def bytes_of(array: Any) -> Any:
    """The bytes of an array that lies in one piece."""
    return np.ndarray(array.nbytes, np.uint8, array)


def changing_arrays(system: System, s: int | None = None) -> list[Any]:
    """The arrays that a step changes, of subsystem s or of all; what it makes anew from them is left out."""
    contacts, walls, accurate = system.contacts, system.walls, system.accurate
    by_slice: dict[str, list[Any]] = {
        "body": [system.bodies, system.planes.bodies, accurate.motions], "row": [system.rows, accurate.multipliers],
        "joint": [system.joints, accurate.coordinates], "drive": [system.drives, accurate.aims],
        "condition": [system.conditions.records], "spring": [system.springs], "joint_force": [system.joint_forces],
        "load": [system.loads], "sensor": [system.sensors.sensors],
        "spin": [system.trains.spins], "link": [system.planes.links], "limb": [system.trees.limbs, accurate.limbs],
        "freedom": [system.trees.freedoms, accurate.freedoms], "loop": [system.trees.loops],
        "interface": [contacts.interfaces, *contacts.routines], "curve": [contacts.curves],
        "point": [contacts.contacts, contacts.springs, contacts.patches], "touch": [contacts.touches, contacts.debts],
        "wall": [walls.walls], "wall node": [walls.nodes],
        "subsystem": [system.subsystems, walls.fastest, system.trains.trains, system.planes.planes,
                      system.trees.trees, accurate.clocks],
    }  # fmt: skip
    if s is None:
        return [array for arrays in by_slice.values() for array in arrays]
    own = slices_of(system, s)
    return [array[own[name]] for name, arrays in by_slice.items() for array in arrays]


def slices_of(system: System, s: int) -> Mapping[str, slice]:
    """Where the items of subsystem s stand in the arrays of each family."""
    subsystem, contacts = system.subsystems[s], system.contacts
    own = {name: slice(int(subsystem[f"first_{name}"]), int(subsystem[f"last_{name}"])) for name in BY_SUBSYSTEM}
    interfaces, walls = contacts.interfaces, system.walls.walls[own["wall"]]
    of_subsystem = own["interface"]
    own["point"] = blocks_of(interfaces["first_contact"], of_subsystem, len(contacts.contacts))
    own["touch"] = blocks_of(interfaces["first_touch"], of_subsystem, len(contacts.touches))
    curves = interfaces["curve"][of_subsystem]
    own["curve"] = between(curves[curves >= 0], curves[curves >= 0] + 1)
    own["wall node"] = between(walls["first_node"], walls["last_node"])
    own["subsystem"] = slice(s, s + 1)
    return own


def blocks_of(starts: Ints, items: slice, end: int) -> slice:
    """The blocks of some items in an array that has one for each item, one after the other up to its end."""
    begin, stop = (int(starts[i]) if i < len(starts) else end for i in (items.start, items.stop))
    return slice(begin, stop)


def between(first: Ints, last: Ints) -> slice:
    """From the lowest to the highest place; nothing of none."""
    return slice(int(first.min()), int(last.max())) if len(first) else slice(0, 0)


def restore(system: System, copies: list[Floats], s: int | None = None) -> None:
    """Put copies back, of subsystem s or of all."""
    put_back(changing_arrays(system, s), copies)
    forget(system, s)


def put_back(arrays: list[Any], copies: list[Any]) -> None:
    """Into the arrays what `copied` has made of them."""
    for array, copy in zip(arrays, copies, strict=True):
        if array.size:
            bytes_of(array)[...] = bytes_of(copy)


def forget(system: System, s: int | None = None) -> None:
    """Let the matrix and the candidates of contacts be made anew, of subsystem s or of all."""
    subsystem = system.subsystems[s] if s is not None else None
    of_matrices = slice(None) if s is None else slice(s, s + 1)
    system.subsystems["stale"][of_matrices] = 1
    system.planes.planes["kept"][of_matrices] = 0
    interfaces, meshes = system.contacts.interfaces, system.contacts.meshes
    own = slice(None) if subsystem is None else slice(subsystem["first_interface"], subsystem["last_interface"])
    interfaces["pairs"][own] = -1
    for interface in interfaces[own]:
        if interface["last_mesh_pair"] > interface["first_mesh_pair"]:
            forget_lists(meshes, int(interface["list_pool"]))
