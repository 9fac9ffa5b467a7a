"""What acts along the coordinates of the model's joints, as the records of `joint_forces`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from gsolve.parser.model import Joint, JointForce

from ..constraints.joint_setup import JointPlace
from ..core.bodies import Records
from .joint_forces import JOINT_FORCE, STEEPEST
from .stability import Directions

SAME_NAME = (
    "stiffness", "damping", "free_value", "preload", "lower", "upper", "stop_stiffness", "stop_damping",
    "friction_force", "slip_velocity",
)  # fmt: skip


def build_joint_forces(
    places: Iterable[JointPlace], model_joints: list[Joint], joints: Records, bodies: Records
) -> Records:
    """Records of all that acts along the coordinates of joints between two bodies, in the order of `joints`."""
    number = {id(joint): k for k, joint in enumerate(model_joints)}
    items = [
        _record(given, number[id(place.joint)], place, rotational)
        for place in sorted(places, key=lambda place: place.index)
        for given, rotational in ((place.joint.rotation, 1), (place.joint.translation, 0))
        if given is not None and joints["carrier"]["body"][place.index] != joints["node"]["body"][place.index]
    ]
    return np.array(items, dtype=JOINT_FORCE)


def _record(given: JointForce, number: int, place: JointPlace, rotational: int) -> np.void:
    record = np.zeros(1, JOINT_FORCE)
    record["number"], record["joint"], record["rotational"] = number, place.index, rotational
    record["thrust_row"] = place.relation_row
    for name in SAME_NAME:
        record[name] = getattr(given, name)
    if not (np.isfinite(given.lower) or np.isfinite(given.upper)):
        record["stop_stiffness"], record["stop_damping"] = 0.0, 0.0
    record["friction"] = given.friction_coefficient * given.radius
    record["covered_friction"] = given.friction_force
    rates = ("damping", "stop_damping", "friction_force", "friction")
    record["dissipates"] = any(record[name][0] != 0.0 for name in rates)
    return record[0]


def joint_force_directions(forces: Records, joints: Records) -> Directions:
    """Axes of the joints with the largest stiffness and damping along them, with the slope of their covered friction.

    The axis of most joints keeps its place in both bodies.  That of a strut does not in body b, so all directions count
    there.  Owners are rows of `forces`.
    """
    body, wrench, owner = [], [], []
    for k, force in enumerate(forces):
        joint = joints[force["joint"]]
        axes = joint["triad"][:1] if force["rotational"] or joint["oriented"] else np.eye(3)
        for axis in axes:
            moments = [axis, axis]
            if not force["rotational"]:
                at_node = joint["node"]["arm"]
                moments = [np.cross(arm, axis) for arm in (at_node, joint["centre_offset"] + at_node)]
            push = np.zeros(3) if force["rotational"] else axis
            body.append((joint["node"]["body"], joint["carrier"]["body"]))
            wrench.append([np.r_[push, moments[0]], -np.r_[push, moments[1]]])
            owner.append(k)
    chosen = forces[owner]
    steepest = np.divide(
        STEEPEST * chosen["covered_friction"], chosen["slip_velocity"], out=np.zeros(len(owner)),
        where=chosen["slip_velocity"] > 0.0,
    )  # fmt: skip
    return Directions(
        body=np.array(body, dtype=np.int64).reshape(-1, 2),
        wrench=np.array(wrench, dtype=float).reshape(-1, 2, 6),
        stiffness=chosen["stiffness"] + chosen["stop_stiffness"],
        damping=chosen["damping"] + chosen["stop_damping"] + steepest,
        owner=np.array(owner, dtype=np.int64),
    )
