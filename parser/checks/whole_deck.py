"""Checks that need several blocks at once: what nodes depend on, and what is set on dependent nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..cards.context import Context
from ..keywords.walls import choose_wall_nodes
from ..model import Coupler, Drive, GearJoint, InitialVelocity, Ints, Joint, Model, RigidBody, RigidTie
from ..text.diagnostics import Where
from ..text.numbers import numbered_list
from .contact import Carriers, check_contacts
from .meshes import check_idle_bodies, check_meshes
from .sensors import check_sensors

_SAME_DIRECTION = 1e-9
_SAME_VELOCITY = 1e-9


@dataclass(frozen=True, slots=True)
class Dependence:
    """What a dependent node is fixed to: the body, and its name and place for messages."""

    body: RigidBody | RigidTie
    name: str


def check_model(context: Context) -> None:
    """All checks across blocks; findings go to the context."""
    dependent = _find_dependent(context)
    _check_conditions(context, dependent)
    _check_gravity(context, dependent)
    _check_initial_velocities(context, dependent)
    _check_shared_axes(context)
    _check_pairs(context, dependent)
    _check_cylinder_axes(context, dependent)
    model = context.model
    mains = {body.main_node for body in model.rigid_bodies} | {tie.main_node for tie in model.rigid_ties}
    if not context.has_errors:  # what a wrong card would have given them is missing
        check_idle_bodies(context)
    check_meshes(context, lambda node: _body_of(dependent, node), mains)
    carriers = ([_body_of(dependent, solid.node) for solid in solids] for solids in (model.shapes, model.meshes))
    check_contacts(context, Carriers(*carriers))
    choose_wall_nodes(context, _nodes_off_walls(dependent))
    check_sensors(context)


def _name(where: Where) -> str:
    return f"{where.keyword}/{where.id}"


def _place(where: Where) -> str:
    return f"{_name(where)} at {where.file}:{where.line}"


def _dependent_nodes_of(body: RigidBody | RigidTie) -> tuple[Ints, str]:
    """Secondary nodes of a body, and the field that names them."""
    if isinstance(body, RigidBody):
        return body.secondary_nodes, "grnd_ID"
    return body.dependent_nodes, "grnod_ID"


def _find_dependent(context: Context) -> dict[int, Dependence]:
    """Which node is fixed to which body; a node may be fixed to one only."""
    model = context.model
    dependent: dict[int, Dependence] = {}
    mains: dict[int, RigidBody] = {}
    bodies: list[RigidBody | RigidTie] = [*model.rigid_bodies, *model.rigid_ties]
    for body in bodies:
        nodes, field = _dependent_nodes_of(body)
        twice: dict[str, list[int]] = {}
        for node in nodes.tolist():
            first = dependent.setdefault(node, Dependence(body, _place(body.where)))
            if first.body is not body:
                twice.setdefault(first.name, []).append(node)
        for name, rows in twice.items():
            message = f"{_nodes(context, rows)} of two rigid bodies"
            context.report(body.where.diagnose("error", message, field=field, hint=f"also in {name}"))
    for body in model.rigid_bodies:
        earlier = mains.setdefault(body.main_node, body)
        node = model.nodes.ids[body.main_node]
        if earlier is not body:
            message = f"node {node} is the main node of two rigid bodies"
            context.report(
                body.where.diagnose("error", message, field="node_ID", hint=f"also of {_place(earlier.where)}")
            )
        if body.main_node in dependent:
            message = f"the main node {node} is a secondary node of another body"
            hint = f"it is in {dependent[body.main_node].name}"
            context.report(body.where.diagnose("error", message, field="node_ID", hint=hint))
    return dependent


def _nodes(context: Context, rows: list[int]) -> str:
    ids = context.model.nodes.ids[rows].tolist()
    return f"node {ids[0]} is a secondary node" if len(ids) == 1 else f"nodes {numbered_list(ids)} are secondary nodes"


def _by_body(dependent: dict[int, Dependence], nodes: Ints) -> dict[str, tuple[RigidBody | RigidTie, list[int]]]:
    """The dependent nodes, sorted by the body they are fixed to."""
    found: dict[str, tuple[RigidBody | RigidTie, list[int]]] = {}
    if not dependent:
        return found
    for node in nodes.tolist():
        entry = dependent.get(node)
        if entry is not None:
            found.setdefault(entry.name, (entry.body, []))[1].append(node)
    return found


def _check_conditions(context: Context, dependent: dict[int, Dependence]) -> None:
    """/BCS on secondary nodes has no effect."""
    for condition in context.model.boundary_conditions:
        for name, (body, rows) in _by_body(dependent, condition.nodes).items():
            message = f"{_nodes(context, rows)} of {name}: the boundary condition has no effect there"
            main = context.model.nodes.ids[body.main_node]
            hint = f"conditions on the main node {main} hold for the whole body"
            context.report(condition.where.diagnose("doubt", message, field="grnod_ID", hint=hint))


def _check_gravity(context: Context, dependent: dict[int, Dependence]) -> None:
    """/GRAV acts on a body by way of its main node."""
    for gravity in context.model.gravities:
        if len(gravity.nodes) == len(context.model.nodes):
            continue
        chosen = set(gravity.nodes.tolist())
        for name, (body, rows) in _by_body(dependent, gravity.nodes).items():
            if body.main_node in chosen:
                continue
            main = context.model.nodes.ids[body.main_node]
            who = f"{_nodes(context, rows)} of {name}"
            message = f"{who}, whose main node {main} is not in the group: no gravity on that body"
            hint = f"put node {main} into the group if gravity is to act on the body"
            context.report(gravity.where.diagnose("doubt", message, field="grnod_ID", hint=hint))


def _check_initial_velocities(context: Context, dependent: dict[int, Dependence]) -> None:
    """Initial velocities of secondary nodes count only if the main node has none; say so where they differ from it."""
    model = context.model
    if not dependent or not model.initial_velocities:
        return
    velocity: dict[int, np.ndarray] = {}
    spin: dict[int, np.ndarray] = {}
    for block in model.initial_velocities:
        for values, final in ((block.translational, velocity), (block.rotational, spin)):
            if values is not None:
                final.update(zip(block.nodes.tolist(), values, strict=True))
    zero = np.zeros(3)
    for block in model.initial_velocities:
        for name, (body, rows) in _by_body(dependent, block.nodes).items():
            main = body.main_node
            if main not in velocity and main not in spin:
                continue
            turning = spin.get(main, zero)
            moving = velocity.get(main, zero)
            arms = model.nodes.coordinates[rows] - model.nodes.coordinates[main]
            ignored = _differing(block, rows, moving + np.cross(turning, arms), turning)
            if ignored:
                message = f"{_nodes(context, ignored)} of {name}: their initial velocity is ignored"
                if len(ignored) == 1:
                    message = message.replace("their", "its")
                hint = f"the velocity of the main node {model.nodes.ids[main]} sets the motion of the body"
                field = "" if block.kind == "NODE" else "grnod_ID"
                context.report(block.where.diagnose("doubt", message, field=field, hint=hint))


def _differing(block: InitialVelocity, rows: list[int], velocities: np.ndarray, turning: np.ndarray) -> list[int]:
    """The rows whose values in the block are not those of the rigid motion."""
    place = {node: k for k, node in enumerate(block.nodes.tolist())}
    found = []
    for row, expected in zip(rows, velocities, strict=True):
        for values, wanted in ((block.translational, expected), (block.rotational, turning)):
            if values is None:
                continue
            given = values[place[row]]
            if np.abs(given - wanted).max() > _SAME_VELOCITY * max(np.abs(given).max(), np.abs(wanted).max()):
                found.append(row)
                break
    return found


def _check_shared_axes(context: Context) -> None:
    """A node has one axis on a carrier, and is either a shaft or a rack on it."""
    seen: dict[tuple[int, int], tuple[GearJoint, int, bool]] = {}
    for joint in context.model.gear_joints:
        for k in (1, 2, 3):
            node = int(joint.nodes[k])
            if node < 0:
                continue
            slides = joint.kind == "RACK" and k == 2
            first, j, first_slides = seen.setdefault((int(joint.nodes[0]), node), (joint, k, slides))
            if first is joint:
                continue
            id = context.model.nodes.ids[node]
            carrier = context.model.nodes.ids[joint.nodes[0]]
            other = f"see {_place(first.where)}"
            if slides != first_slides:
                message = (
                    f"node {id} is a shaft of one joint and the rack of another on the same carrier, node {carrier}"
                )
                context.report(joint.where.diagnose("error", message, field=f"node_ID{k}", hint=other))
            elif np.abs(np.cross(first.axes[j - 1], joint.axes[k - 1])).max() > _SAME_DIRECTION:
                message = f"node {id} has two different axes on the same carrier, node {carrier}"
                axis = " ".join(f"{value:.6g}" for value in first.axes[j - 1])
                context.report(
                    joint.where.diagnose("error", message, field=f"r{k}x", allowed=f"{axis} (or opposite)", hint=other)
                )


def _nodes_off_walls(dependent: dict[int, Dependence]) -> set[int]:
    """Secondary nodes of rigid bodies that pass through walls."""
    return {
        node for node, entry in dependent.items() if isinstance(entry.body, RigidBody) and not entry.body.stays_on_walls
    }


def _body_of(dependent: dict[int, Dependence], node: int) -> int:
    """The main node of the body that carries a node in the end; the node itself if it depends on none (or is -1)."""
    passed = {node}
    while node in dependent and dependent[node].body.main_node not in passed:
        node = dependent[node].body.main_node
        passed.add(node)
    return node


def pairs_of_nodes(model: Model) -> Iterator[tuple[Joint | Drive | Coupler, int, int, str]]:
    """What is meant to move against each other: two nodes, and the field that names the second."""
    for joint in model.joints:
        yield joint, joint.node_i, joint.node_j, "grnd_ID" if joint.where.keyword == "/CYL_JOINT" else "node_j"
    for drive in model.drives:
        yield drive, drive.node_i, drive.node_j, "node_j"
    for coupler in model.couplers:
        names = ("node_support_r", "node_support_t") if coupler.kind == "R2T" else ("node_support_a", "node_support_b")
        yield coupler, coupler.node_a, coupler.support_a, names[0]
        yield coupler, coupler.node_b, coupler.support_b, names[1]


def _check_pairs(context: Context, dependent: dict[int, Dependence]) -> None:
    """The nodes of a joint, a drive or one side of a coupler are of different bodies."""
    if not dependent:
        return
    reported: set[tuple[str, int | None, str]] = set()
    for entity, first, second, field in pairs_of_nodes(context.model):
        if first < 0 or second < 0 or _body_of(dependent, first) != _body_of(dependent, second):
            continue
        key = (entity.where.keyword, entity.id, field)
        if key in reported:
            continue
        reported.add(key)
        ids = context.model.nodes.ids
        name = dependent[first if first in dependent else second].name
        message = f"nodes {ids[first]} and {ids[second]} are of one rigid body: nothing can move between them"
        context.report(entity.where.diagnose("error", message, field=field, hint=f"the body is {name}"))


def _check_cylinder_axes(context: Context, dependent: dict[int, Dependence]) -> None:
    """The two nodes on the axis of a /CYL_JOINT move as one body, or not at all."""
    held = {
        node
        for condition in context.model.boundary_conditions
        if all(condition.translations + condition.rotations)
        for node in condition.nodes.tolist()
    }
    for block, first, second in context.unresolved.axis_nodes:
        bodies = {_body_of(dependent, first), _body_of(dependent, second)}
        if len(bodies) == 1 or bodies <= held:
            continue
        ids = context.model.nodes.ids
        message = f"nodes {ids[first]} and {ids[second]}, which give the axis, are not of one rigid body"
        hint = "put both into one /RBODY, or hold both by /BCS in all directions"
        context.report(block.diagnose("error", message, field="node_ID2", hint=hint))
