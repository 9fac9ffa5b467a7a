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
from .subsystems import Subsystems, find_subsystems

# An inertia counts as spherical when its parts differ by less than this fraction.
ROUND_OFF = 1e-15
PRESCRIBED_MASS = 1e-9  # of the machine's mass, for nodes without mass that are prescribed in all directions


@dataclass(frozen=True, slots=True)
class Foundation:
    """Bodies, points, tables and skews of a machine, and which subsystem each body belongs to.

    plans : by body index, None for the ground
    points : NODE_POINT of each node
    main_nodes : rows of the main nodes of all bodies
    function_index, skew_index : places of functions and skews in the arrays, by their ids
    """

    model: Model
    plans: list[BodyPlan | None]
    main_nodes: set[int]
    bodies: Records
    points: Records
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
    plans: list[BodyPlan | None] = [None, *(plan.bodies[i] for i in order)]
    bodies = body_records(plans)
    points = np.zeros(len(body_of_node), NODE_POINT)
    points["body"], points["origin"] = body_of_node, plan.coordinates
    points["arm"] = np.where(body_of_node[:, None] == GROUND, 0.0, plan.coordinates - bodies["centre"][body_of_node])
    count = int(subsystem_of_plan.max(initial=-1)) + 1
    of_body = np.concatenate([[-1], subsystem_of_plan[order]]).astype(np.int64)
    tables, function_index = build_function_tables(model)
    skews, skew_index = build_skews(model, points)
    return Foundation(
        model=model,
        plans=plans,
        main_nodes={body.main_node for body in plan.bodies},
        bodies=bodies,
        points=points,
        subsystems=Subsystems(count, of_body, body_of_node),
        tables=tables,
        function_index=function_index,
        skews=skews,
        skew_index=skew_index,
    )


def body_records(plans: list[BodyPlan | None]) -> Records:
    """Bodies at t = 0 with their initial velocities; the ground and what is held have no inverse mass or inertia."""
    bodies = new_bodies(len(plans))
    total = sum(plan.mass for plan in plans if plan is not None) or 1.0
    for b, plan in zip(bodies, plans, strict=True):
        if plan is None:
            continue
        b["mass"], b["centre"], b["mass_arm"] = plan.mass, plan.reference, plan.mass_arm
        b["velocity"] = plan.velocity
        if not plan.holds_translation:
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
