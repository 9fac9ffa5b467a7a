"""Which directions of which nodes are held, led or linked: partial /BCS, imposed motions, /RLINK; and their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gsolve.parser.diagnostics import Diagnostic
from gsolve.parser.model import ImposedMotion, Model, VelocityLink

from .conditions import ACCELERATION, DISPLACEMENT, FIXED, VELOCITY, ConditionBuilder
from .nodes import NodePlan, held_digits
from .rows import RowBuilder
from .skews import Skews
from .state import Points, Records

KIND_OF_MOTION = {"DISP": DISPLACEMENT, "VEL": VELOCITY, "ACC": ACCELERATION}


@dataclass(slots=True)
class WantedCondition:
    """One direction of one node, before it has a row."""

    node: int
    other: int
    skew_id: int
    component: int
    rotational: bool
    name: str
    motion: ImposedMotion | None = None


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


def wanted_conditions(model: Model, plan: NodePlan) -> list[WantedCondition]:
    """Every direction that needs a row: partial /BCS, imposed motions, /RLINK; each direction of a node once."""
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
                        wanted.append(WantedCondition(node, -1, condition.skew_id, component, rotational, name))
    for motion in model.imposed_motions:
        for node in map(int, motion.nodes):
            if plan.body_of_node[node] >= 0:
                name = f"{motion.where.keyword}/{motion.id} on node {model.nodes.ids[node]}"
                wanted.append(
                    WantedCondition(node, -1, motion.skew_id, motion.direction, motion.rotational, name, motion=motion)
                )
    for link in model.velocity_links:
        wanted += link_conditions(model, plan, link)
    return wanted


def link_conditions(model: Model, plan: NodePlan, link: VelocityLink) -> list[WantedCondition]:
    """/RLINK: each node of the group against the first."""
    nodes = [int(node) for node in link.nodes]
    turning = [node for node in nodes if can_pass_moment(plan, node)]
    result = _links_to_first(model, plan, link, nodes, rotational=False)
    return result + _links_to_first(model, plan, link, turning, rotational=True)


def can_pass_moment(plan: NodePlan, node: int) -> bool:
    """A node without inertia just follows; one that is held, or does not move, counts as held."""
    if plan.body_of_node[node] < 0:
        return True
    body = plan.bodies[plan.body_of_node[node]]
    return body.turns or body.holds_rotation


def _links_to_first(
    model: Model, plan: NodePlan, link: VelocityLink, nodes: list[int], *, rotational: bool
) -> list[WantedCondition]:
    result: list[WantedCondition] = []
    if not nodes:
        return result
    marks = link.rotations if rotational else link.translations
    first = nodes[0]
    for other in nodes[1:]:
        if plan.body_of_node[other] == plan.body_of_node[first]:
            continue
        # the row sits on a node that can move
        node, against = (other, first) if plan.body_of_node[other] >= 0 else (first, other)
        name = f"/RLINK/{link.id} between nodes {model.nodes.ids[first]} and {model.nodes.ids[other]}"
        result += [
            WantedCondition(node, against, link.skew_id, component, rotational, name)
            for component in range(3)
            if marks[component]
        ]
    return result


def secondary_nodes(plan: NodePlan) -> set[int]:
    """Nodes that ride on a rigid group without being its main node: conditions on them are ignored."""
    return {int(node) for body in plan.bodies for node in body.nodes if node != body.main_node}


class ConditionRows:
    """Adds the rows of conditions to the rows of a machine."""

    def __init__(
        self, model: Model, rows: RowBuilder, points: Points, skews: Skews, skew_index: dict[int, int],
        function_index: dict[int, int],
    ) -> None:  # fmt: skip
        self._model, self._rows, self._points = model, rows, points
        self._skews, self._skew_index, self._function_index = skews, skew_index, function_index
        self._conditions = ConditionBuilder()

    def __len__(self) -> int:
        return len(self._conditions)

    def add(self, condition: WantedCondition, scale: float) -> None:
        """One row; scale is the size of the subsystem."""
        points, motion = self._points, condition.motion
        bodies = [int(points.body[condition.node])]
        if condition.other >= 0:
            bodies.append(int(points.body[condition.other]))
        row, entry = self._rows.add(bodies, 1.0 if condition.rotational else scale)
        skew = self._skew_index[condition.skew_id]
        moving = skew >= 0 and self._skews.moving[skew] == 1
        axes = self._skews.axes[skew] if skew >= 0 else np.eye(3)
        self._conditions.add(
            row,
            entry,
            condition.node,
            axis=axes[condition.component],
            rotational=condition.rotational,
            other=condition.other,
            skew=skew if moving else -1,
            component=condition.component,
            kind=FIXED if motion is None else KIND_OF_MOTION[motion.kind],
            function=-1 if motion is None else self._function_index[motion.function_id],
            scales=(1.0, 1.0) if motion is None else (motion.x_scale, motion.y_scale),
            window=(-np.inf, np.inf, 0.0) if motion is None else self.window_of(motion),
        )

    def window_of(self, motion: ImposedMotion) -> tuple[float, float, float]:
        """Start, stop and origin of the function's time; a sensor shifts all three."""
        if motion.sensor_id == 0:
            return motion.t_start, motion.t_stop, 0.0
        sensor = self._model.sensors[motion.sensor_id]
        return sensor.delay + motion.t_start, min(sensor.delay + motion.t_stop, sensor.stop), sensor.delay

    def build(self) -> Records:
        return self._conditions.build()
