"""Moments of /CLOAD about an axis that a bearing on the ground lets nothing turn about: they load the bearing alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from gsolve.parser.model import ConcentratedLoad, Model
from gsolve.parser.model.joint_types import JOINT_TYPES, Row
from gsolve.parser.text.diagnostics import Diagnostic
from gsolve.parser.text.numbers import numbered_list

from ..core.bodies import Floats
from .body_plan import NodePlan
from .joint_gaps import point_text

ACROSS = 1e-9  # cosine of the angle between two axes that is round-off


def warn_of_idle_moments(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """One warning for each load; what turns with other bodies is not looked at, as its axes may move."""
    moments = [load for load in model.loads if load.rotational]
    spins = dict(_spins_on_ground(model, plan)) if moments else {}
    found = []
    for load in moments:
        axis = _fixed_axis(model, load)
        if axis is None:
            continue
        idle = [
            node
            for node in load.nodes.tolist()
            if (spin := spins.get(int(plan.body_of_node[node]))) is not None and abs(axis @ spin) <= ACROSS
        ]
        if idle:
            spin = spins[int(plan.body_of_node[idle[0]])]
            ids = [int(model.nodes.ids[node]) for node in idle]
            named = f"node {ids[0]}" if len(ids) == 1 else f"nodes {numbered_list(ids)}"
            allowed = f"turns about {point_text(spin)} alone" if spin.any() else "cannot turn"
            message = f"the moment on {named} does no work: its bearing lets it turn about no such axis"
            hint = f"node {ids[0]} {allowed}; such a moment only adds to the reactions of the bearing"
            found.append(load.where.diagnose("warning", message, field="Dir", hint=hint))
    return found


def _spins_on_ground(model: Model, plan: NodePlan) -> Iterator[tuple[int, Floats]]:
    """Bodies that a joint on the ground, or on what is held, keeps aligned, and the axis that is left (0: none)."""

    def stands(node: int) -> bool:
        return node < 0 or bool(plan.held[node])

    for joint in model.joints:
        rows = JOINT_TYPES[joint.kind].rows
        turns = Row.TILT_S in rows
        if not turns and Row.TURN_R not in rows:
            continue
        for node, other in ((joint.node_i, joint.node_j), (joint.node_j, joint.node_i)):
            if stands(other) and not stands(node):
                yield int(plan.body_of_node[node]), joint.axis_i if turns else np.zeros(3)
    for gears in model.gear_joints:
        if not stands(int(gears.nodes[0])):
            continue
        for k, node in enumerate(gears.nodes[1:].tolist()):
            if node >= 0 and not stands(node):
                slides = gears.kind == "RACK" and k == 1
                yield int(plan.body_of_node[node]), np.zeros(3) if slides else gears.axes[k]


def _fixed_axis(model: Model, load: ConcentratedLoad) -> Floats | None:
    """The axis of a moment, global; None if it moves."""
    if not load.skew_id:
        return np.eye(3)[load.direction]  # type: ignore[no-any-return]
    skew = model.skews[load.skew_id]
    return None if skew.moving else skew.axes[load.direction]
