"""Nodes that have to move need mass and inertia, and must not be held: the errors where that is not so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from gsolve.parser.checks.whole_deck import pairs_of_nodes
from gsolve.parser.model import ForceCurveInterface, MeshFile, Model, meshes_of, shapes_of
from gsolve.parser.model.joint_types import JOINT_TYPES
from gsolve.parser.text.diagnostics import Diagnostic, Where

from ..constraints.joint_setup import COUPLER_NODES, turns_matter
from .body_plan import NodePlan
from .held_nodes import held_digits, held_triples
from .rigid_groups import rigid_groups


@dataclass(frozen=True, slots=True)
class _Need:
    """What a node of a joint needs: mass, and perhaps rotary inertia; with the fields that could give them."""

    where: Where
    node: int
    field: str
    inertia: bool
    mass: bool = True
    card: tuple[str, str] = ("", "")


def check_joint_nodes(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Nodes of joints need mass and inertia, unless they are held or belong to a body, which has errors of its own."""
    errors = []
    wrong = {(d.keyword, d.id) for d in plan.diagnostics if d.severity == "error"}
    wrong_groups = [(g.where.keyword, g.where.id) in wrong for _, g in rigid_groups(model)] if wrong else []
    for need in needs(model):
        if need.node < 0 or plan.held[need.node]:
            continue
        group = int(plan.group_of_node[need.node])
        if wrong and group >= 0 and wrong_groups[group]:
            continue
        body = plan.bodies[plan.body_of_node[need.node]]
        if need.mass and body.mass <= 0.0 and not body.holds_translation and not body.prescribed:
            errors.append(_lacks(need, model, "mass", need.card[0]))
        if need.inertia and not body.turns and not body.holds_rotation and not body.prescribed:
            errors.append(_lacks(need, model, "rotary inertia", need.card[1]))
    return errors


def check_held_pairs(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Of two nodes that are joined, driven or coupled one has to move."""
    errors: dict[tuple[str, int | None, str], Diagnostic] = {}
    for entity, first, second, field in pairs_of_nodes(model):
        if all(node < 0 or plan.held[node] for node in (first, second)):
            key = entity.where.keyword, entity.id, field
            errors.setdefault(key, _both_held(entity.where, model, (first, second), field))
    return list(errors.values())


def needs(model: Model) -> list[_Need]:
    """What the nodes of all joints, couplers and drives need."""
    found = []
    for gear_joint in model.gear_joints:
        for k, node in enumerate(map(int, gear_joint.nodes)):
            suffix = str(k) if k else ""
            inertia = not (gear_joint.kind == "RACK" and k == 2)  # a rack may slide without
            card = f"Mass{suffix}", f"Inertia{suffix}"
            found.append(_Need(gear_joint.where, node, f"node_ID{k}", inertia, card=card))
    for joint in model.joints:
        turns = turns_matter(JOINT_TYPES[joint.kind])
        found.append(_Need(joint.where, joint.node_i, "node_i", turns[0]))
        found.append(_Need(joint.where, joint.node_j, "node_j", turns[1]))
    for drive in model.drives:
        moves = drive.kind != "ROT"
        found.append(_Need(drive.where, drive.node_i, "node_i", drive.kind != "DIST", moves))
        found.append(_Need(drive.where, drive.node_j, "node_j", not moves, moves))
    found += _needs_of_shapes(model)
    found += [_Need(wall.where, wall.node, "node_ID", False, card=("Mass", "")) for wall in model.rigid_walls]
    for coupler in model.couplers:
        names = COUPLER_NODES[coupler.kind]
        slides = coupler.kind == "R2T"
        for k, node in enumerate((coupler.node_a, coupler.support_a, coupler.node_b, coupler.support_b)):
            found.append(_Need(coupler.where, node, names[k], k != 2 or not slides, slides and k >= 2))
    return found


def _needs_of_shapes(model: Model) -> list[_Need]:
    """Solids that take part in contacts need mass, and inertia unless all forces pass through the node."""
    rubbing: dict[int, bool] = {}
    for interface in model.interfaces:
        if isinstance(interface, ForceCurveInterface):
            rubs = interface.friction > 0.0 or interface.friction_force > 0.0
        else:
            rubs = interface.friction is not None
        for row in shapes_of(interface).tolist():
            rubbing[row] = rubbing.get(row, False) or rubs
    found = [
        _Need(mesh.where, mesh.node, "node", True)
        for mesh in (
            model.meshes[row] for row in sorted({row for i in model.interfaces for row in meshes_of(i).tolist()})
        )
        if isinstance(mesh.source, MeshFile)
    ]
    for row, rubs in sorted(rubbing.items()):
        shape = model.shapes[row]
        central = shape.kind == "SPHERE" and not shape.offset.any() and not rubs
        found.append(_Need(shape.where, shape.node, "node", not central))
    return found


def _lacks(need: _Need, model: Model, quantity: Literal["mass", "rotary inertia"], card: str) -> Diagnostic:
    node_id = int(model.nodes.ids[need.node])
    short = "mass" if quantity == "mass" else "inertia"
    here = "here" + (", " if short == "mass" else " ") if card else ""
    way = "with /ADMAS or as part of an /RBODY" if short == "mass" else "or make it part of an /RBODY"
    hint = f"give it {short} {here}{way}" if card or short == "mass" else "make it part of an /RBODY"
    return need.where.diagnose(
        "error",
        f"node {node_id} ({need.field}) has no {quantity}",
        field=card or need.field,
        found="0",
        allowed=f"a positive {short}",
        hint=f"{hint}, or fix node {node_id} with /BCS",
    )


def _both_held(where: Where, model: Model, nodes: tuple[int, int], field: str) -> Diagnostic:
    first, second = (f"node {int(model.nodes.ids[node])}" if node >= 0 else "the ground" for node in nodes)
    return where.diagnose(
        "error",
        f"{first} and {second} are both held: nothing can move between them",
        field=field,
        found=str(int(model.nodes.ids[nodes[1]])) if nodes[1] >= 0 else "0",
        allowed="two nodes one of which can move",
        hint=f"release one of them from /BCS, or leave {where.keyword}/{where.id} out",
    )


def check_loaded_nodes(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Free nodes that springs, loads, imposed motions or an initial spin move need mass or inertia, unless held."""
    errors: list[Diagnostic] = []
    digits, triples = held_digits(model), held_triples(model)
    reported: set[tuple[int, bool]] = set()

    def check(node: int, direction: int, skew_id: int, where: Where, what: str, field: str = "") -> None:
        rotational = direction >= 3
        lacks = not plan.masses.inertia[node].any() if rotational else plan.masses.mass[node] <= 0.0
        held = triples.get(node, (False, False))[rotational] or digits.get((node, skew_id), [False] * 6)[direction]
        body = plan.bodies[plan.body_of_node[node]] if plan.body_of_node[node] >= 0 else None
        held |= body is not None and body.prescribed and not rotational
        if plan.group_of_node[node] >= 0 or not lacks or held or (node, rotational) in reported:
            return
        reported.add((node, rotational))
        quantity = "rotary inertia" if rotational else "mass"
        source = "as Jxx Jyy Jzz of an /RBODY, on a /GJOINT card or by shells" if rotational else "with /ADMAS"
        errors.append(
            where.diagnose(
                "error",
                f"node {int(model.nodes.ids[node])} has no {quantity}, so {what}",
                field=field,
                found="0",
                allowed=f"a positive {quantity}",
                hint=f"give it {quantity} ({source}), make it part of an /RBODY, or fix it with /BCS",
            )
        )

    for spring in model.springs:
        for node in (spring.node_1, spring.node_2):
            check(node, 0, spring.skew_id, spring.where, "the spring cannot move it")
            for i, dof in enumerate(spring.property.dofs[3:], start=3):
                if dof.stiffness or dof.damping or dof.fct_1 or dof.fct_4:
                    check(node, i, spring.skew_id, spring.where, "the spring cannot turn it")
    for load in model.loads:
        what = "the moment cannot turn it" if load.rotational else "the force cannot move it"
        for node in map(int, load.nodes):
            check(node, load.direction + 3 * load.rotational, load.skew_id, load.where, what, "grnod_ID")
    for motion in model.imposed_motions:
        what = "the imposed rotation cannot turn it" if motion.rotational else "the imposed motion cannot move it"
        for node in map(int, motion.nodes):
            check(node, motion.direction + 3 * motion.rotational, motion.skew_id, motion.where, what, "grnod_ID")
    for block in model.initial_velocities:
        if block.kind == "ROT" and block.rotational is not None:
            for node, spin in zip(block.nodes.tolist(), block.rotational, strict=True):
                if spin.any():
                    check(node, 3 + int(np.argmax(np.abs(spin))), 0, block.where, "it cannot spin", "grnod_ID")
    return errors
