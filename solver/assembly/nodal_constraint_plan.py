"""Which directions of which nodes are held, prescribed or tied to others: the constraints that a model asks for.

Partial /BCS, imposed motions, /RLINK, /RBE2 with some digits, /MPC.
"""

from __future__ import annotations

from collections.abc import Iterable

from gsolve.parser.model import (
    DirectionalTie,
    ImposedMotion,
    Model,
    MultiPointConstraint,
    VelocityLink,
)

from ..constraints.nodal_constraint_setup import WantedCondition, WantedTerm
from ..constraints.nodal_constraints import RIDING, ROTATION, TRANSLATION
from .body_plan import NodePlan


def wanted_conditions(model: Model, plan: NodePlan) -> list[WantedCondition]:
    """Everything that needs a row; each fixed direction of a node once."""
    return [
        *fixed_directions(model, plan),
        *(wanted for motion in model.imposed_motions for wanted in motion_conditions(model, plan, motion)),
        *(wanted for link in model.velocity_links for wanted in link_conditions(model, plan, link)),
        *(wanted for tie in model.directional_ties for wanted in tie_conditions(model, plan, tie)),
        *(wanted for sum_ in model.multi_point_constraints for wanted in sum_conditions(plan, sum_)),
    ]


def motion_conditions(model: Model, plan: NodePlan, motion: ImposedMotion) -> list[WantedCondition]:
    """An imposed motion: a row for each of its nodes that moves."""
    kind = kind_of(motion.rotational)
    return [
        WantedCondition(
            f"{motion.where.keyword}/{motion.id} on node {model.nodes.ids[node]}",
            motion,
            [WantedTerm(node, motion.skew_id, motion.direction, kind)],
        )
        for node in map(int, motion.nodes)
        if plan.body_of_node[node] >= 0
    ]


def sum_conditions(plan: NodePlan, constraint: MultiPointConstraint) -> list[WantedCondition]:
    """/MPC: a weighted sum of velocities is zero; nothing where none of its nodes moves."""
    terms = [
        WantedTerm(int(node), int(skew_id), int(direction) % 3, kind_of(int(direction) >= 3), float(coefficient))
        for node, direction, skew_id, coefficient in zip(
            constraint.nodes, constraint.directions, constraint.skew_ids, constraint.coefficients, strict=True
        )
    ]
    moves = any(plan.body_of_node[term.node] >= 0 for term in terms)
    return [WantedCondition(f"/MPC/{constraint.id}", constraint, terms)] if moves else []


def kind_of(rotational: bool) -> int:
    return ROTATION if rotational else TRANSLATION


def fixed_directions(model: Model, plan: NodePlan) -> list[WantedCondition]:
    """/BCS, as far as it does not hold all translations, or all rotations, of a body."""
    wanted: dict[tuple[int, int, int, int], WantedCondition] = {}
    dependent = dependent_nodes(plan)
    for condition in model.boundary_conditions:
        marks = (*condition.translations, *condition.rotations)
        for node in map(int, condition.nodes):
            if plan.body_of_node[node] < 0 or node in dependent:
                continue
            body = plan.bodies[plan.body_of_node[node]]
            done = body.holds_translation, body.holds_rotation or not body.turns
            if body.measured:
                done = False, not body.turns
            name = f"{condition.where.keyword}/{condition.id} on node {model.nodes.ids[node]}"
            for direction, marked in enumerate(marks):
                if marked and not done[direction // 3]:
                    term = WantedTerm(node, condition.skew_id, direction % 3, kind_of(direction >= 3))
                    key = node, term.skew_id, term.component, term.kind
                    wanted.setdefault(key, WantedCondition(name, condition, [term]))
    return list(wanted.values())


def dependent_nodes(plan: NodePlan) -> set[int]:
    """Nodes of rigid groups that are not their main node: conditions on them are ignored."""
    return {int(node) for body in plan.bodies for node in body.nodes if node != body.main_node}


def link_conditions(model: Model, plan: NodePlan, link: VelocityLink) -> list[WantedCondition]:
    """/RLINK: each node of the group has the velocity of the first."""
    nodes = [int(node) for node in link.nodes]
    turning = [node for node in nodes if can_pass_moment(plan, node)]
    result: list[WantedCondition] = []
    for rotational, marks, group in ((False, link.translations, nodes), (True, link.rotations, turning)):
        for other in group[1:]:
            if moves_apart(plan, group[0], other):
                name = f"/RLINK/{link.id} between nodes {model.nodes.ids[group[0]]} and {model.nodes.ids[other]}"
                result += same_motion(name, link, other, group[0], marks, rotational)
    return result


def tie_conditions(model: Model, plan: NodePlan, tie: DirectionalTie) -> list[WantedCondition]:
    """/RBE2 with some digits: each dependent node follows the main node."""
    result: list[WantedCondition] = []
    main = tie.main_node
    for node in map(int, tie.dependent_nodes):
        if not moves_apart(plan, main, node):
            continue
        name = f"/RBE2/{tie.id} on node {model.nodes.ids[node]}"
        if tie.offset:
            result += [
                WantedCondition(name, tie, [WantedTerm(node, tie.skew_id, component, RIDING, main=main)])
                for component in range(3)
                if tie.translations[component]
            ]
        else:
            result += same_motion(name, tie, node, main, tie.translations, rotational=False)
        if can_pass_moment(plan, node) and can_pass_moment(plan, main):
            result += same_motion(name, tie, node, main, tie.rotations, rotational=True)
    return result


def same_motion(
    name: str, source: VelocityLink | DirectionalTie, node: int, other: int, marks: Iterable[bool], rotational: bool
) -> list[WantedCondition]:
    """Rows for the same velocity, or angular velocity, of two nodes in the marked directions."""
    kind, skew_id = kind_of(rotational), source.skew_id
    return [
        WantedCondition(
            name,
            source,
            [WantedTerm(node, skew_id, component, kind), WantedTerm(other, skew_id, component, kind, -1.0)],
        )
        for component, marked in enumerate(marks)
        if marked
    ]


def moves_apart(plan: NodePlan, first: int, second: int) -> bool:
    """Whether two nodes are not carried by one body, and do not both stand still."""
    return bool(plan.body_of_node[first] != plan.body_of_node[second])


def can_pass_moment(plan: NodePlan, node: int) -> bool:
    """A node without inertia just follows; one that is held, or does not move, counts as held."""
    if plan.body_of_node[node] < 0:
        return True
    body = plan.bodies[plan.body_of_node[node]]
    return body.turns or body.holds_rotation
