"""Imposed motions and ties that contradict others, lack mass, or do not keep momentum."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import ImposedMotion, Model
from gsolve.parser.text.diagnostics import Diagnostic

from ..constraints.nodal_constraint_setup import Source, WantedCondition, WantedTerm
from ..constraints.nodal_constraints import ROTATION
from ..core.bodies import Floats
from .body_plan import NodePlan
from .held_nodes import held_digits
from .nodal_constraint_plan import can_pass_moment, moves_apart

BALANCED = 1e-12  # relative, forces and moments that add up to zero


def check_motions(model: Model) -> list[Diagnostic]:
    """A direction is either held or moved, and moved by one motion at a time."""
    errors = []
    digits = held_digits(model)
    moved: dict[tuple[int, int, int], ImposedMotion] = {}
    for motion in model.imposed_motions:
        direction = motion.direction + 3 * motion.rotational
        for node in map(int, motion.nodes):
            key = (node, motion.skew_id, direction)
            other: ImposedMotion = moved.setdefault(key, motion)
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
        if body is None or body.prescribed or (can_pass_moment(plan, node) if rotational else body.mass > 0.0):
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
        if len(condition.terms) < 2 or any(plan.body_of_node[term.node] < 0 for term in condition.terms):
            continue
        linear, angular = keeps_momentum(condition.terms, model, plan)
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


def keeps_momentum(terms: list[WantedTerm], model: Model, plan: NodePlan) -> tuple[bool, bool]:
    """Whether the reactions of a sum of velocities balance: their forces, and their moments."""
    forces, moments = np.zeros((2, len(terms), 3))
    for k, term in enumerate(terms):
        axis = term.coefficient * (model.skews[term.skew_id].axes if term.skew_id else np.eye(3))[term.component]
        if term.kind == ROTATION:
            moments[k] = axis
        else:
            forces[k] = axis
            moments[k] = np.cross(plan.coordinates[term.node] - plan.coordinates[terms[0].node], axis)
    return adds_up_to_zero(forces), adds_up_to_zero(moments)


def adds_up_to_zero(vectors: Floats) -> bool:
    """Whether (k, 3) vectors cancel, but for rounding."""
    return bool(np.abs(vectors.sum(axis=0)).max() <= BALANCED * np.abs(vectors).max())
