"""Requests of a deck that come to nothing, each with a line: forces on what is held, velocities that nothing takes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from gsolve.parser.model import (
    DirectionalTie,
    InitialVelocity,
    Model,
    RigidTie,
    VelocityLink,
    meshes_of,
    shapes_of,
)
from gsolve.parser.text.diagnostics import Diagnostic, Where
from gsolve.parser.text.numbers import numbered_list

from ..core.bodies import Ints
from ..core.windows import NEVER, window_of_contact, window_of_load, window_of_motion, window_of_spring
from .body_plan import NodePlan
from .held_nodes import Digits, held_digits, held_triples
from .known_times import loads_of, motions_of
from .node_plan import REACTIONS, nodes_with_reactions


def requests_without_effect(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """A doubt for each block, as far as nodes are concerned on which it does nothing."""
    return [
        *_loads(model, plan),
        *_gravities(model, plan),
        *_initial_velocities(model, plan),
        *_ties(model, plan),
        *_springs(model, plan),
        *_gear_joints(model, plan),
        *_reactions(model, plan),
        *_contacts(model, plan),
    ]


def _loads(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    digits, triples, asked = held_digits(model), held_triples(model), nodes_with_reactions(model)
    for load in model.loads:
        direction = load.direction + 3 * load.rotational
        held = [
            node
            for node in load.nodes.tolist()
            if not asked[node] and _is_held(node, direction, load.skew_id, plan, digits, triples)
        ]
        if held:
            what = "moment" if load.rotational else "force"
            yield load.where.diagnose(
                "doubt",
                f"{_nodes(model, held)} held by /BCS: the {what} moves nothing there",
                field="grnod_ID",
                hint="/TH/NODE writes what the /BCS takes as REACX ... REACZZ",
            )


def _is_held(
    node: int, direction: int, skew_id: int, plan: NodePlan, digits: Digits, triples: dict[int, tuple[bool, bool]]
) -> bool:
    """Whether a force on a node in a direction (0 to 2, moments 3 to 5) does no work, as /BCS holds it there."""
    if plan.held[node]:
        return True
    body = plan.bodies[plan.body_of_node[node]] if plan.body_of_node[node] >= 0 else None
    if body is not None and body.main_node != node:
        return False  # conditions on secondary nodes are not used
    return triples.get(node, (False, False))[direction >= 3] or digits.get((node, skew_id), [False] * 6)[direction]


def _gravities(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    """/GRAV acts on bodies with mass by way of their main nodes."""
    pulled = [body.main_node for body in plan.bodies if body.mass > 0.0]
    for gravity in model.gravities:
        if not np.isin(pulled, gravity.nodes).any():
            yield gravity.where.diagnose(
                "doubt",
                "no node of the group has mass and may move: gravity moves nothing",
                field="grnod_ID",
                hint="give mass with /ADMAS or /RBODY to what is to fall, and put its main node into the group",
            )


def _initial_velocities(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    triples = held_triples(model)
    for block in model.initial_velocities:
        field = "" if block.kind == "NODE" else "grnod_ID"
        held = [node for node in _given(block, False).tolist() if _takes_none(node, 0, plan, triples)]
        held += [node for node in _given(block, True).tolist() if _takes_none(node, 1, plan, triples)]
        if held:
            message = f"{_nodes(model, sorted(set(held)))} held by /BCS: the initial velocity is not used there"
            yield block.where.diagnose("doubt", message, field=field, hint="take the node out of one of the two")
        if block.kind == "NODE":
            points = [node for node in _given(block, True).tolist() if _is_point(node, plan)]
            if points:
                message = f"{_nodes(model, points)} without rotary inertia and cannot spin: the spin is not used"
                yield block.where.diagnose("doubt", message, hint="make the node part of an /RBODY with inertia")


def _given(block: InitialVelocity, rotational: bool) -> Ints:
    """Nodes to which a block gives a velocity, or a spin, that is not zero."""
    values = block.rotational if rotational else block.translational
    return block.nodes[:0] if values is None else block.nodes[values.any(axis=1)]


def _takes_none(node: int, kind: int, plan: NodePlan, triples: dict[int, tuple[bool, bool]]) -> bool:
    """Whether a node cannot take a velocity (kind 0) or spin (1); those of secondary nodes are looked at elsewhere."""
    body = plan.bodies[plan.body_of_node[node]] if plan.body_of_node[node] >= 0 else None
    if body is not None and body.main_node != node:
        return False
    return bool(plan.held[node]) or triples.get(node, (False, False))[kind]


def _is_point(node: int, plan: NodePlan) -> bool:
    return plan.group_of_node[node] < 0 and not plan.held[node] and not plan.masses.inertia[node].any()


def _ties(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    for link in model.velocity_links:
        if len(link.nodes) < 2:
            yield link.where.diagnose("doubt", "the group holds one node only, so nothing is linked", field="grnod_ID")
        elif plan.held[link.nodes].all():
            yield link.where.diagnose("doubt", "all nodes of the link are held, so it does nothing", field="grnod_ID")
        elif any(link.translations):
            yield from _within_one_body(model, plan, link, int(link.nodes[0]), link.nodes[1:])
    for constraint in model.multi_point_constraints:
        if plan.held[constraint.nodes].all():
            yield constraint.where.diagnose("doubt", "all nodes of the sum are held, so it does nothing")
    ties: list[RigidTie | DirectionalTie] = [*model.rigid_ties, *model.directional_ties]
    for tie in ties:
        if len(tie.dependent_nodes) == 0:
            message = "the group holds no node besides the main node, so nothing is tied"
            yield tie.where.diagnose("doubt", message, field="grnod_ID")
        elif isinstance(tie, DirectionalTie):
            yield from _within_one_body(model, plan, tie, tie.main_node, tie.dependent_nodes)


def _within_one_body(
    model: Model, plan: NodePlan, source: VelocityLink | DirectionalTie, first: int, others: Ints
) -> Iterator[Diagnostic]:
    """A doubt where nodes are to follow another one of their own body, elsewhere on it: that makes no rows."""
    carried = [
        node
        for node in others.tolist()
        if plan.body_of_node[node] == plan.body_of_node[first] >= 0
        and (plan.coordinates[node] != plan.coordinates[first]).any()
    ]
    if carried:
        yield source.where.diagnose(
            "doubt",
            f"{_nodes(model, [first, *carried])} of one rigid body: nothing is tied between them",
            field="grnod_ID",
            hint="/MPC ties velocities on one body; /BCS on its main node keeps it from turning",
        )


def _springs(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    """Springs whose ends cannot move against each other: a doubt for each part, at the first of its springs."""
    ends = np.array([(spring.node_1, spring.node_2) for spring in model.springs], dtype=np.int64).reshape(-1, 2)
    bodies = plan.body_of_node[ends]
    rigid = (bodies[:, 0] == bodies[:, 1]) & (bodies[:, 0] >= 0)
    for still, why in ((rigid, "of one rigid body"), (plan.held[ends].all(axis=1), "held by /BCS")):
        of_part: dict[int, list[int]] = {}
        for row in np.flatnonzero(still).tolist():
            of_part.setdefault(model.springs[row].part_id, []).append(row)
        for rows in of_part.values():
            ids = [model.springs[row].id for row in rows]
            ends_of = _nodes(model, ends[rows[0]].tolist())
            message = f"{ends_of} {why}: the spring has no effect, besides its mass"
            if len(rows) > 1:
                message = f"springs {numbered_list(ids)} have no effect, besides their mass: {ends_of} {why}, for one"
            hint = "tie one of the two nodes to what is to move against the other"
            yield model.springs[rows[0]].where.diagnose("doubt", message, hint=hint)


def _gear_joints(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    """Gear joints of which nodes are of one body, as _within_one_body has it for ties."""
    for gears in model.gear_joints:
        nodes = gears.nodes[gears.nodes >= 0]
        bodies = plan.body_of_node[nodes]
        for body in np.unique(bodies[bodies >= 0]).tolist():
            together = nodes[bodies == body].tolist()
            if len(together) > 1:
                what = "the joint has no effect" if len(together) == len(nodes) else "nothing can turn between them"
                message = f"{_nodes(model, together)} of one rigid body: {what}"
                hint = "make the carrier and each shaft a body of its own"
                field = f"node_ID{np.flatnonzero(bodies == body)[-1]}"
                yield gears.where.diagnose("doubt", message, field=field, hint=hint)


def _reactions(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    asked = nodes_with_reactions(model)
    unknown = [
        body.main_node
        for body in plan.bodies
        if asked[body.main_node] and (body.holds_translation or body.holds_rotation) and not body.measured
    ]
    for request in model.history_requests:
        if request.family == "NODE" and REACTIONS.intersection(request.variables):
            nodes = [node for node in unknown if not len(request.items) or node in request.items]
            if nodes:
                message = f"{_nodes(model, nodes)} the pivot of a body without inertia about its mass centre: "
                hint = "give the body inertia, or hold it by a /JOINT/SPHERICAL to a held node and ask for that one's"
                yield request.where.diagnose("doubt", message + "its reactions are not known (NaN)", hint=hint)


def _nodes(model: Model, rows: list[int]) -> str:
    ids = [int(model.nodes.ids[row]) for row in rows]
    return f"node {ids[0]} is" if len(ids) == 1 else f"nodes {numbered_list(ids)} are"


def requests_after_the_end(model: Model, t_end: float) -> list[Diagnostic]:
    """A warning for each block that acts on nothing before the run is over."""
    found, time = [], model.units.time
    for where, start in _starts(model):
        if NEVER > start >= t_end > 0.0:  # inf: a sensor on values decides; NEVER: the clock stands at t = 0
            message = f"it begins at t = {start:.6g} {time}, and the run ends at t = {t_end:.6g} {time}"
            found.append(where.diagnose("warning", message, hint="run longer (/RUN, --t-end), or begin earlier"))
    return found


def _starts(model: Model) -> Iterator[tuple[Where, float]]:
    """All blocks that have a window of time, and when they begin to act."""
    for load in loads_of(model):
        yield load.where, window_of_load(load, model)[0]
    for motion in motions_of(model):
        yield motion.where, window_of_motion(motion, model)[0]
    for interface in model.interfaces:
        yield interface.where, window_of_contact(interface, model)[0]
    for spring_property in {spring.property.id: spring.property for spring in model.springs}.values():
        yield spring_property.where, window_of_spring(spring_property, model)[0]


def _contacts(model: Model, plan: NodePlan) -> Iterator[Diagnostic]:
    """Interfaces all of whose solids are held; those that are all on node 0 are errors of the parser."""
    for interface in model.interfaces:
        carriers = [model.shapes[row].node for row in shapes_of(interface).tolist()]
        carriers += [model.meshes[row].node for row in meshes_of(interface).tolist()]
        nodes = sorted({node for node in carriers if node >= 0})
        if nodes and all(plan.held[node] for node in nodes):
            others = ", the other solids are on the ground" if -1 in carriers else ""
            yield interface.where.diagnose(
                "doubt",
                f"{_nodes(model, nodes)} held by /BCS{others}: nothing can touch",
                hint="put one of the solids onto a node that moves, or leave the interface out",
            )
