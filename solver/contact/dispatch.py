"""Kernels of contacts that only some decks need, called by address: force curves, routines of the user, curves, meshes.

All of them take the contacts by reference and an interface, and return a status.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.jit.pointers import Pointer
from ..geometry.shapes import CURVE, MESH
from .force_curves import damp_curve, spread_force
from .normal_laws import USER, USER_FRICTION
from .records import (
    CONTACT_KERNELS,
    DONE,
    GAP_OF_SHAPES,
    OF_INTERFACE,
    OF_PAIR_OF_MESHES,
    OF_POINT,
    OF_SHAPES,
    TIME_OF_SHAPES,
    Contacts,
)
from .user_forces import damp_by_routines, evaluate_routines


@kernel
def spread_forces(contacts: Contacts, k: int, bodies: Records, refine: int) -> int:
    """Elastic force of a force curve at t_n, shared among the points of interface k."""
    spread_force(contacts.interfaces[k], contacts.contacts, contacts.springs, contacts.patches, contacts.frames,
                 contacts.moves, bodies, contacts.curves, contacts.tables)  # fmt: skip
    return DONE


@kernel
def damp_curves(contacts: Contacts, k: int, bodies: Records, refine: int) -> int:
    """Damping and friction of a force curve at the rates at hand."""
    damp_curve(contacts.interfaces[k], contacts.contacts, contacts.springs, contacts.patches, contacts.frames,
               contacts.curves, contacts.tables)  # fmt: skip
    return DONE


@kernel
def evaluate_routines_at(
    contacts: Contacts, k: int, m: int, bodies: Records, t: float, first_before: int, end_before: int
) -> int:
    """Elastic force of the m-th point by routines; its slope goes to the routine of interface k."""
    contacts.routines.normal[k].slope = evaluate_routines(
        contacts.routines, k, contacts.interfaces[k], m, t, contacts.shapes, contacts.members, bodies, contacts.moves,
        contacts.contacts, contacts.springs, (first_before, end_before),
    )  # fmt: skip
    return DONE


@kernel
def damp_routines(contacts: Contacts, k: int, bodies: Records, refine: int) -> int:
    """Normal forces and friction by routines at the rates at hand."""
    damp_by_routines(contacts.routines, k, contacts.interfaces[k], contacts.contacts, contacts.springs,
                     contacts.patches, contacts.frames, contacts.shapes, contacts.members, bodies,
                     refine == 1)  # fmt: skip
    return DONE


@cache
def pointers() -> dict[str, Pointer]:
    """By the names of CONTACT_KERNELS."""
    return {
        "spread_force": Pointer(spread_forces, OF_INTERFACE),
        "damp_curve": Pointer(damp_curves, OF_INTERFACE),
        "evaluate_routines": Pointer(evaluate_routines_at, OF_POINT),
        "damp_by_routines": Pointer(damp_routines, OF_INTERFACE),
    }


@cache
def curve_pointers() -> dict[str, Pointer]:
    """Those of plane curves, by the same names; importing them takes a while."""
    from .plane_curves import find_curve_gap, touch_curves

    return {
        "touch_curves": Pointer(touch_curves, OF_SHAPES),
        "find_curve_gap": Pointer(find_curve_gap, GAP_OF_SHAPES),
    }


@cache
def mesh_pointers() -> dict[str, Pointer]:
    """Those of meshes, likewise."""
    from .mesh_contacts import find_mesh_patches, touch_meshes
    from .mesh_first_touch import find_mesh_touch

    return {
        "touch_meshes": Pointer(touch_meshes, OF_SHAPES),
        "find_mesh_touch": Pointer(find_mesh_touch, TIME_OF_SHAPES),
        "find_mesh_patches": Pointer(find_mesh_patches, OF_PAIR_OF_MESHES),
    }


def needed(interfaces: Records) -> list[str]:
    """Names of the kernels that interfaces need."""
    names: list[str] = []
    if np.any(interfaces["curve"] >= 0):
        names += ["spread_force", "damp_curve"]
    if np.any((interfaces["law"] == USER) | (interfaces["friction"] == USER_FRICTION)):
        names += ["evaluate_routines", "damp_by_routines"]
    return names


def set_contact_addresses(contacts: Contacts) -> None:
    """Compile what is needed, or read it from disk, and note the addresses."""
    for name in needed(contacts.interfaces):
        contacts.kernels[name] = pointers()[name].address
    set_addresses_at_start(contacts)


def set_addresses_at_start(contacts: Contacts) -> None:
    """The same for meshes and plane curves, of which some are needed before the first step."""
    if np.any(contacts.members["kind"] == MESH):
        for name in ("touch_meshes", "find_mesh_patches"):
            contacts.kernels[name] = mesh_pointers()[name].address
        if np.any(contacts.interfaces["zero_crossing"]):
            contacts.kernels["find_mesh_touch"] = mesh_pointers()["find_mesh_touch"].address
    if not np.any(contacts.members["kind"] == CURVE):
        return
    contacts.kernels["touch_curves"] = curve_pointers()["touch_curves"].address
    if np.any(contacts.interfaces["zero_crossing"]):
        contacts.kernels["find_curve_gap"] = curve_pointers()["find_curve_gap"].address


def no_contact_kernels() -> Record:
    """A record of addresses to fill in."""
    record: Any = np.zeros(1, CONTACT_KERNELS)[0]
    return record
