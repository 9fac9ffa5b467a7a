"""What rows and forces are built on: bodies and points in the order of subsystems, function tables, skews."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model

from ..constraints.nodal_constraint_setup import WantedCondition
from ..core.bodies import GENERAL, GROUND, SPHERICAL, Records, new_bodies
from ..core.body_points import NODE_POINT
from ..core.functions import FunctionTables, build_function_tables
from ..core.skews import build_skews
from .body_plan import BodyPlan, NodePlan
from .connections import nodes_of_contact
from .subsystems import Subsystems, find_subsystems

# An inertia counts as spherical when its parts differ by less than this fraction.
ROUND_OFF = 1e-15
PRESCRIBED_MASS = 1e-9  # of the machine's mass, for nodes without mass that are prescribed in all directions


@dataclass(frozen=True, slots=True)
class Foundation:
    """Bodies, points, tables and skews of a machine, and which subsystem each body belongs to.

    plans : by body index, None for the ground
    points : NODE_POINT of each node
    main_nodes : rows of the main nodes of all bodies that move
    touching : the same points for contacts, where a body that is held is not the ground
    function_index, skew_index : places of functions and skews in the arrays, by their ids
    """

    model: Model
    plans: list[BodyPlan | None]
    main_nodes: set[int]
    bodies: Records
    points: Records
    touching: Records
    subsystems: Subsystems
    tables: FunctionTables
    function_index: dict[int, int]
    skews: Records
    skew_index: dict[int, int]


def lay_foundation(model: Model, plan: NodePlan, conditions: list[WantedCondition]) -> Foundation:
    """Number the planned bodies by subsystem, the ground first, and make their records and points."""
    subsystem_of_plan = find_subsystems(model, plan, conditions)
    order = np.argsort(subsystem_of_plan, kind="stable")
    index_of_plan = np.empty(len(order), dtype=np.int64)
    index_of_plan[order] = np.arange(1, len(order) + 1)
    body_of_node = np.where(plan.body_of_node >= 0, np.append(index_of_plan, 0)[plan.body_of_node], GROUND)
    still = held_bodies(model, plan)
    plans: list[BodyPlan | None] = [None, *(plan.bodies[i] for i in order), *still]
    bodies = body_records(plans)
    points = np.zeros(len(body_of_node), NODE_POINT)
    points["body"], points["origin"] = body_of_node, plan.coordinates
    points["arm"] = np.where(body_of_node[:, None] == GROUND, 0.0, plan.coordinates - bodies["centre"][body_of_node])
    count = int(subsystem_of_plan.max(initial=-1)) + 1
    if any(not any(body_of_node[n] for n in nodes_of_contact(model, c) if n >= 0) for c in model.interfaces):
        count += 1  # of no bodies, for contacts of which nothing moves
    of_body = np.concatenate([[-1], subsystem_of_plan[order], np.full(len(still), count)]).astype(np.int64)
    tables, function_index = build_function_tables(model)
    skews, skew_index = build_skews(model, points)
    return Foundation(
        model=model,
        plans=plans,
        main_nodes={body.main_node for body in plan.bodies if body.mass > 0.0},
        bodies=bodies,
        points=points,
        touching=with_held_bodies(points, len(order) + 1, still),
        subsystems=Subsystems(count, of_body, body_of_node),
        tables=tables,
        function_index=function_index,
        skews=skews,
        skew_index=skew_index,
    )


def held_bodies(model: Model, plan: NodePlan) -> list[BodyPlan]:
    """Bodies with solids of interfaces that do not move: to rows and forces they are the ground, not to contacts."""
    found: dict[tuple[str, int], BodyPlan] = {}
    for node in sorted({node for contact in model.interfaces for node in nodes_of_contact(model, contact)} - {-1}):
        if plan.body_of_node[node] >= 0:
            continue
        group = int(plan.group_of_node[node])
        nodes = np.flatnonzero(plan.group_of_node == group) if group >= 0 else np.array([node])
        body = BodyPlan(
            nodes=nodes, main_node=node, mass=0.0, reference=plan.coordinates[node].copy(), mass_arm=np.zeros(3),
            inertia=np.zeros((3, 3)), holds_translation=True, holds_rotation=True,
        )  # fmt: skip
        found.setdefault(("group", group) if group >= 0 else ("node", node), body)
    mains = {row for rigid in model.rigid_bodies for row in [rigid.main_node]}
    for body in found.values():
        body.main_node = next((int(node) for node in body.nodes if int(node) in mains), body.main_node)
    return list(found.values())


def with_held_bodies(points: Records, first: int, still: list[BodyPlan]) -> Records:
    """The points with the bodies of `held_bodies`, numbered from `first` on, in place of the ground."""
    touching = points.copy()
    for k, held in enumerate(still):
        touching["body"][held.nodes] = first + k
        touching["arm"][held.nodes] = points["origin"][held.nodes] - held.reference
    return touching


def body_records(plans: list[BodyPlan | None]) -> Records:
    """Bodies at t = 0 with their initial velocities; the ground and what is held have no inverse mass or inertia."""
    bodies = new_bodies(len(plans))
    total = sum(plan.mass for plan in plans if plan is not None) or 1.0
    for b, plan in zip(bodies, plans, strict=True):
        if plan is None:
            continue
        b["mass"], b["centre"], b["mass_arm"] = plan.mass, plan.reference, plan.mass_arm
        b["velocity"] = plan.velocity
        if plan.measured and plan.mass <= 0.0:
            b["inverse_mass"] = 1.0 / total  # any will do, as rows hold it
        elif not plan.holds_translation or plan.measured:
            # A prescribed node needs no mass of its own; the one it gets is too small to be felt.
            b["inverse_mass"] = 1.0 / (plan.mass if plan.mass > 0.0 else PRESCRIBED_MASS * total)
        if plan.turns:
            diagonal = plan.inertia[0, 0]
            spherical = np.abs(plan.inertia - diagonal * np.eye(3)).max() <= ROUND_OFF * diagonal
            inertia = diagonal * np.eye(3) if spherical else plan.inertia
            inverse = np.linalg.inv(inertia)
            b["turning"] = SPHERICAL if spherical else GENERAL
            b["inertia"], b["inverse_inertia"] = inertia, 0.5 * (inverse + inverse.T)
            b["momentum"] = inertia @ plan.angular_velocity
    return bodies
