"""Which nodes the joints, drives, couplers and contacts of a model connect."""

from __future__ import annotations

from collections.abc import Iterator

from gsolve.parser.model import (
    ContactInterface,
    Coupler,
    Drive,
    ForceCurveInterface,
    GearJoint,
    Joint,
    Model,
    meshes_of,
    shapes_of,
)


def nodes_of_gear_joint(gear_joint: GearJoint) -> list[int]:
    return [int(node) for node in gear_joint.nodes]


def nodes_of_joint(joint: Joint | Drive) -> list[int]:
    return [joint.node_i, joint.node_j]


def nodes_of_contact(model: Model, contact: ContactInterface | ForceCurveInterface) -> list[int]:
    """Nodes that carry the shapes and meshes of a contact interface, -1 for the ground."""
    shapes, meshes = shapes_of(contact), meshes_of(contact)
    return [model.shapes[row].node for row in shapes] + [model.meshes[row].node for row in meshes]


def nodes_of_coupler(coupler: Coupler) -> list[int]:
    return [coupler.node_a, coupler.support_a, coupler.node_b, coupler.support_b]


def joint_nodes(model: Model) -> Iterator[list[int]]:
    """Node rows of every joint, coupler and drive, -1 where there is none or the ground."""
    yield from map(nodes_of_gear_joint, model.gear_joints)
    yield from map(nodes_of_joint, model.joints)
    yield from map(nodes_of_joint, model.drives)
    yield from map(nodes_of_coupler, model.couplers)


def contact_nodes(model: Model) -> list[int]:
    """Node rows of solids, and those that carry walls."""
    found = {node for interface in model.interfaces for node in nodes_of_contact(model, interface)}
    found.update(wall.node for wall in model.rigid_walls)
    return sorted(found - {-1})
