"""What of a machine may be part of a train of rotors: small questions about bodies and subsystems."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ..core.bodies import GROUND, Floats, Record, Records
from ..core.skews import GLOBAL_AXES
from ..core.vectors import cross_products
from ..integration.system import System

ROUND_OFF = 1e-12  # by which a centre may be off an axis, or an axis off another, by size
WELL_CONDITIONED = 1e-10  # least eigenvalue of a matrix of masses, over the largest
SAME_RATE = 1e-9  # relative difference of rates that is rounding


class NotCondensed(Exception):
    """Why a subsystem takes the general path, in a few words."""


def refuse_families(subsystem: Record, refused: Mapping[str, str]) -> None:
    """Families, with their names, of which a subsystem may have none.

    Raises
    ------
    NotCondensed
        the subsystem has one
    """
    for family, name in refused.items():
        if subsystem[f"last_{family}"] > subsystem[f"first_{family}"]:
            raise NotCondensed(name)


def records_of(system: System, subsystem: Record, family: str) -> Records:
    """Records of a family that a subsystem has."""
    all_of = {"joint": system.joints, "joint_force": system.joint_forces, "drive": system.drives,
              "load": system.loads, "spring": system.springs}[family]  # fmt: skip
    return all_of[subsystem[f"first_{family}"] : subsystem[f"last_{family}"]]  # type: ignore[no-any-return]


def touched_by_forces(system: System, subsystem: Record, allowed: Collection[int]) -> set[int]:
    """Bodies on which springs and loads act, and those that carry the axes of these.

    Raises
    ------
    NotCondensed
        there are others than those allowed and the ground
    """
    springs, loads = records_of(system, subsystem, "spring"), records_of(system, subsystem, "load")
    found = {*springs["end_1"]["body"].tolist(), *springs["end_2"]["body"].tolist(), *loads["point"]["body"].tolist()}
    for index in {*springs["skew"].tolist(), *loads["skew"].tolist()} - {GLOBAL_AXES}:
        skew = system.skews[index]
        if skew["moving"]:
            found.update(int(skew[node]["body"]) for node in ("node_1", "node_2", "node_3"))
    if not found <= {GROUND, *allowed}:
        raise NotCondensed("axes that others carry")
    return found - {GROUND}


def couples_joints(system: System, subsystem: Record) -> bool:
    """Whether a relation ties joints to each other, as gears do: of such a subsystem one may expect that it is a train.

    Drives and screws are relations of one joint.
    """
    for relation in system.relations[subsystem["first_relation"] : subsystem["last_relation"]]:
        joints = system.terms["joint"][relation["start"] : relation["end"]]
        if np.any(joints != joints[0]):
            return True
    return False


def is_on_axis(arm: Floats, axis: Floats, body: Record) -> bool:
    """Whether an arm from the reference point of a body ends on an axis through that."""
    across = np.abs(cross_products(arm, axis)).max()
    return bool(across <= ROUND_OFF * max(float(np.abs(arm).max()), radius_of(body)))


def are_parallel(axis: Floats, other: Floats) -> bool:
    """Whether two unit vectors are along one line."""
    return bool(np.abs(cross_products(axis, other)).max() <= ROUND_OFF)


def radius_of(body: Record) -> float:
    """Largest radius of gyration of a body."""
    return float(np.sqrt(np.abs(body["inertia"]).max() / body["mass"])) if body["mass"] > 0.0 else 0.0


def is_even(inertia: Floats, axis: Floats, along: float, tolerance: float) -> bool:
    """Whether an inertia is the same about all axes across one."""
    across = 0.5 * (np.trace(inertia) - along)
    even = along * np.outer(axis, axis) + across * (np.eye(3) - np.outer(axis, axis))
    return bool(np.abs(inertia - even).max() <= tolerance * np.abs(inertia).max())
