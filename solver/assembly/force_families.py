"""What acts on the bodies without rows: springs, gravity and loads, forces in joints, contacts and rigid walls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..contact.mesh_bodies import BodyMesh
from ..contact.records import Contacts
from ..contact.rigid_wall_records import Walls
from ..contact.rigid_wall_setup import build_walls
from ..contact.setup import build_contacts
from ..core.bodies import NO_ROTATION, Ints, Records
from ..forces.joint_force_setup import build_joint_forces
from ..forces.loads import build_loads, constant_gravities, set_constant_gravity
from ..forces.spring_setup import build_springs
from .connections import nodes_of_contact
from .foundation import Foundation
from .row_families import RowFamilies
from .subsystems import Subsystems


class ForceFamilies(NamedTuple):
    """Arrays of all forces, sorted by subsystem.

    spring_order : place in the model of each spring
    first : of each family the first item of each subsystem and the number of items, (ns + 1,)
    """

    springs: Records
    spring_order: Ints
    joint_forces: Records
    loads: Records
    contacts: Contacts
    walls: Walls
    first: dict[str, list[int]]


def build_forces(foundation: Foundation, rows: RowFamilies, meshes: Sequence[BodyMesh]) -> ForceFamilies:
    """All forces of a machine; constant gravity is set in the bodies."""
    model, bodies, points = foundation.model, foundation.bodies, foundation.points
    subsystems, function_index = foundation.subsystems, foundation.function_index
    first: dict[str, list[int]] = {}
    springs, spring_order, first["spring"] = sorted_springs(foundation)
    constant = constant_gravities(model, foundation.tables, function_index)
    set_constant_gravity(model, constant, points, foundation.main_nodes, bodies)
    loads = build_loads(model, constant, points, foundation.main_nodes, bodies, function_index, foundation.skew_index)
    load_order, first["load"] = subsystems.sort(subsystems.of_body[loads["point"]["body"]].tolist())
    joint_forces = build_joint_forces(rows.places.joints, model.joints, rows.joints, bodies)
    first["joint_force"] = np.searchsorted(joint_forces["joint"], rows.first["joint"]).tolist()
    contact_order, first["interface"] = subsystems.sort(
        [last_if_none(subsystems, nodes_of_contact(model, contact)) for contact in model.interfaces]
    )
    contacts = build_contacts(model, contact_order, foundation.touching, bodies, foundation.tables, function_index,
                              meshes)  # fmt: skip
    starts = {"row": rows.first["row"], "body": subsystems.first_bodies()}
    walls, first["wall"] = build_walls(model, points, bodies, subsystems.of_body, starts)
    return ForceFamilies(springs, spring_order, joint_forces, loads[load_order], contacts, walls, first)


def last_if_none(subsystems: Subsystems, nodes: list[int]) -> int:
    """Subsystem of the first node that moves; if none does the last one, which has no bodies."""
    found = subsystems.of_nodes(nodes)
    return found if found >= 0 else subsystems.count - 1


def sorted_springs(foundation: Foundation) -> tuple[Records, Ints, list[int]]:
    """Springs, the place of each in the model, and the first of each subsystem."""
    model, subsystems = foundation.model, foundation.subsystems
    order, first = subsystems.sort([subsystems.of_nodes([spring.node_1, spring.node_2]) for spring in model.springs])
    springs = build_springs(
        model, order, foundation.points, foundation.function_index, foundation.skew_index,
        foundation.bodies["turning"] != NO_ROTATION,
    )  # fmt: skip
    return springs, order, first
