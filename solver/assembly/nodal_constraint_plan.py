"""Which directions of which nodes are held, prescribed or tied to others: the constraints that a model asks for.

Partial /BCS, imposed motions, /RLINK, /RBE2 with some digits, /MPC.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from gsolve.parser.model import (
    DirectionalTie,
    ImposedMotion,
    Model,
    VelocityLink,
)
from gsolve.parser.text.diagnostics import Diagnostic

from ..constraints.nodal_constraint_setup import Source, WantedCondition, WantedTerm
from ..constraints.nodal_constraints import RIDING, ROTATION, TRANSLATION
from ..core.bodies import Floats
from .node_plan import NodePlan, held_digits

BALANCED = 1e-12  # relative, forces and moments that add up to zero


def wanted_conditions(model: Model, plan: NodePlan) -> list[WantedCondition]:
    """Everything that needs a row; each fixed direction of a node once."""
    wanted = fixed_directions(model, plan)
    for motion in model.imposed_motions:
        for node in map(int, motion.nodes):
            if plan.body_of_node[node] >= 0:
                name = f"{motion.where.keyword}/{motion.id} on node {model.nodes.ids[node]}"
                kind = ROTATION if motion.rotational else TRANSLATION
                wanted.append(WantedCondition(name, motion, [WantedTerm(node, motion.skew_id, motion.direction, kind)]))
    for link in model.velocity_links:
        wanted += link_conditions(model, plan, link)
    for tie in model.directional_ties:
        wanted += tie_conditions(model, plan, tie)
    for constraint in model.multi_point_constraints:
        terms = [
            WantedTerm(int(node), int(skew_id), int(direction) % 3, kind_of(int(direction) >= 3), float(coefficient))
            for node, direction, skew_id, coefficient in zip(
                constraint.nodes, constraint.directions, constraint.skew_ids, constraint.coefficients, strict=True
            )
        ]
        if any(plan.body_of_node[term.node] >= 0 for term in terms):
            wanted.append(WantedCondition(f"/MPC/{constraint.id}", constraint, terms))
    return wanted


def kind_of(rotational: bool) -> int:
    return ROTATION if rotational else TRANSLATION


def fixed_directions(model: Model, plan: NodePlan) -> list[WantedCondition]:
    """/BCS, as far as it does not hold all translations, or all rotations, of a body."""
    wanted: list[WantedCondition] = []
    seen: set[tuple[int, int, int, bool]] = set()
    secondary = secondary_nodes(plan)
    for condition in model.boundary_conditions:
        for node in map(int, condition.nodes):
            if plan.body_of_node[node] < 0 or node in secondary:
                continue
            body = plan.bodies[plan.body_of_node[node]]
            for rotational, marks, done in (
                (False, condition.translations, body.holds_translation),
                (True, condition.rotations, body.holds_rotation or not body.turns),
            ):
                for component in range(3):
                    key = (node, condition.skew_id, component, rotational)
                    if marks[component] and not done and key not in seen:
                        seen.add(key)
                        name = f"{condition.where.keyword}/{condition.id} on node {model.nodes.ids[node]}"
                        term = WantedTerm(node, condition.skew_id, component, kind_of(rotational))
                        wanted.append(WantedCondition(name, condition, [term]))
    return wanted


def secondary_nodes(plan: NodePlan) -> set[int]:
    """Nodes that ride on a rigid group without being its main node: conditions on them are ignored."""
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
    """Whether two nodes do not ride on one body, or both stand still."""
    return bool(plan.body_of_node[first] != plan.body_of_node[second])


def can_pass_moment(plan: NodePlan, node: int) -> bool:
    """A node without inertia just follows; one that is held, or does not move, counts as held."""
    if plan.body_of_node[node] < 0:
        return True
    body = plan.bodies[plan.body_of_node[node]]
    return body.turns or body.holds_rotation


def check_motions(model: Model) -> list[Diagnostic]:
    """A direction is either held or moved, and moved by one motion at a time."""
    errors = []
    digits = held_digits(model)
    moved: dict[tuple[int, int, int], ImposedMotion] = {}
    for motion in model.imposed_motions:
        direction = motion.direction + 3 * motion.rotational
        for node in map(int, motion.nodes):
            key = (node, motion.skew_id, direction)
            other = moved.setdefault(key, motion)
            overlap = other.t_start <= motion.t_stop and motion.t_start <= other.t_stop
            name = f"node {int(model.nodes.ids[node])} is already"
            if digits.get((node, motion.skew_id), [False] * 6)[direction]:
                problem = f"{name} fixed in this direction by /BCS"
            elif other is not motion and overlap and not (other.sensor_id or motion.sensor_id):
                problem = f"{name} moved in this direction by {other.where.keyword}/{other.id} at the same time"
            else:
                continue
            errors.append(
                motion.where.diagnose(
                    "error",
                    problem,
                    field="grnod_ID",
                    found=("X", "Y", "Z", "XX", "YY", "ZZ")[direction],
                    allowed="a direction that nothing else holds or moves",
                    hint="take the direction out of the other block, or the node out of the group",
                )
            )
    return errors


def check_ties(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Nodes of an /MPC and the main node of a partial /RBE2 need the mass and inertia their directions ask for."""
    errors: list[Diagnostic] = []

    def check(source: Source, node: int, rotational: bool, field: str, why: str) -> None:
        body = plan.bodies[plan.body_of_node[node]] if plan.body_of_node[node] >= 0 else None
        if body is None or body.led or (can_pass_moment(plan, node) if rotational else body.mass > 0.0):
            return
        if body.holds_translation and not rotational:
            return
        quantity = "rotary inertia" if rotational else "mass"
        remedy = "make it part of an /RBODY" if rotational else "give it mass with /ADMAS, make it part of an /RBODY"
        errors.append(
            source.where.diagnose(
                "error",
                f"node {model.nodes.ids[node]} has no {quantity}, so {why}",
                field=field,
                found="0",
                allowed=f"a positive {quantity}",
                hint=f"{remedy}, or fix it with /BCS",
            )
        )

    for constraint in model.multi_point_constraints:
        for node, direction in zip(constraint.nodes.tolist(), constraint.directions.tolist(), strict=True):
            check(constraint, node, direction >= 3, "node_ID", "the sum cannot move it")
    for tie in model.directional_ties:
        if any(moves_apart(plan, tie.main_node, int(node)) for node in tie.dependent_nodes):
            if any(tie.translations):
                check(tie, tie.main_node, False, "node_ID", "it cannot lead the dependent nodes")
            if any(tie.rotations) or (tie.offset and any(tie.translations)):
                check(tie, tie.main_node, True, "node_ID", "the dependent nodes cannot turn with it")
    return errors


def warn_of_momentum(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> list[Diagnostic]:
    """Ties between nodes at different places, and sums of velocities, have reactions that do not balance."""
    warned: dict[int, tuple[Source, bool]] = {}
    for condition in conditions:
        terms = condition.terms
        if len(terms) < 2 or any(plan.body_of_node[term.node] < 0 for term in terms):
            continue
        forces, moments = np.zeros((2, len(terms), 3))
        for k, term in enumerate(terms):
            axis = term.coefficient * (model.skews[term.skew_id].axes if term.skew_id else np.eye(3))[term.component]
            if term.kind == ROTATION:
                moments[k] = axis
            else:
                forces[k] = axis
                moments[k] = np.cross(plan.coordinates[term.node] - plan.coordinates[terms[0].node], axis)
        linear, angular = adds_up_to_zero(forces), adds_up_to_zero(moments)
        if not (linear and angular):
            source = condition.source
            warned[id(source)] = source, linear and warned.get(id(source), (source, True))[1]
    return [
        source.where.diagnose(
            "warning",
            "the velocities tied here belong to different places, so angular momentum is not kept"
            if linear
            else "the forces of this sum of velocities do not balance, so neither linear nor angular momentum is kept",
            hint="for a connection that keeps it use /RBE2 (Iflag 0), /RBODY or a joint"
            if linear
            else "coefficients of a direction that add up to 0 keep linear momentum; couplers and gears keep both",
        )
        for source, linear in warned.values()
    ]


def adds_up_to_zero(vectors: Floats) -> bool:
    """Whether (k, 3) vectors cancel, but for rounding."""
    return bool(np.abs(vectors.sum(axis=0)).max() <= BALANCED * np.abs(vectors).max())
