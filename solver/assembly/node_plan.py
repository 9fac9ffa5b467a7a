"""What each node is: held, carried rigidly by a body, or a body of its own.  Decided here and nowhere else."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Model
from numpy.typing import NDArray

from .body_plan import BodyPlan, NodePlan
from .connections import contact_nodes, joint_nodes
from .held_nodes import held_triples, prescribed_nodes
from .initial_velocity import InitialField, initial_field
from .nodal_mass import NodalMasses, nodal_masses
from .rigid_groups import finish_rigid, move_to_pivot, rigid_groups, rigid_plan
from .solid_mass import NO_SOLIDS, SolidMasses

# Variables of /TH/NODE: what /BCS and imposed motions exert on a node.
REACTIONS = frozenset(("REACX", "REACY", "REACZ", "REACXX", "REACYY", "REACZZ"))
Marks = NDArray[np.bool_]  # (n,) nodes


def plan_nodes(model: Model, t_end: float | None = None, solids: SolidMasses = NO_SOLIDS) -> NodePlan:
    """Decide what each node is in a run to t_end (default: that of the deck).

    Bodies that nothing acts on are left out: they stay where they are.
    """
    masses, given = nodal_masses(model, solids), initial_field(model)
    n = len(model.nodes)
    plan = NodePlan(
        bodies=[],
        body_of_node=np.full(n, -1, dtype=np.int64),
        group_of_node=np.full(n, -1, dtype=np.int64),
        coordinates=model.nodes.coordinates.copy(),
        held=np.zeros(n, dtype=bool),
        masses=masses,
        diagnostics=[],
    )
    holds, size = held_triples(model), float(np.ptp(model.nodes.coordinates, axis=0).max(initial=0.0)) or 1.0
    prescribed = prescribed_nodes(model, masses, model.engine.t_end or 0.0 if t_end is None else t_end)
    acted_on = nodes_acted_on(model, masses, given)
    measured = nodes_with_reactions(model)

    def hold(body: BodyPlan) -> None:
        body.holds_translation, body.holds_rotation = holds.get(body.main_node, (False, False))
        body.prescribed = prescribed.get(body.main_node, False)
        body.measured = bool(measured[body.main_node]) and can_be_measured(body)
        if body.measured:
            support(body, masses, size)

    for index, (nodes, source) in enumerate(rigid_groups(model)):
        plan.group_of_node[nodes] = index
        body = rigid_plan(model, plan, nodes, source)
        plan.groups.append(body)
        plan.centres_of_groups.append(body.reference.copy())
        hold(body)
        if body.holds_translation and not body.measured:
            move_to_pivot(body, plan.coordinates[body.main_node])
        add_body(plan, body, acted_on)
        if plan.body_of_node[body.main_node] >= 0:
            finish_rigid(model, plan, body, given)
    for node in np.flatnonzero(acted_on & (plan.group_of_node < 0)):
        body = single_plan(plan, int(node), given)
        hold(body)
        if body.holds_translation:
            body.velocity = np.zeros(3)
        add_body(plan, body, acted_on)
    return plan


def nodes_with_reactions(model: Model) -> Marks:
    """Nodes for which a /TH/NODE asks for reactions."""
    marks = np.zeros(len(model.nodes), dtype=bool)
    for request in model.history_requests:
        if request.family == "NODE" and REACTIONS.intersection(request.variables):
            marks[request.items if len(request.items) else slice(None)] = True
    return marks


def can_be_measured(body: BodyPlan) -> bool:
    """Whether rows can hold a body: not one without inertia about its mass centre that is to turn about a pivot."""
    if not (body.holds_translation or body.holds_rotation):
        return False
    return body.holds_rotation or len(body.nodes) == 1 or bool(body.inertia.any())


def support(body: BodyPlan, masses: NodalMasses, size: float) -> None:
    """Give what is held by rows an inertia where it has none: it does not move, so any will do."""
    if body.holds_rotation and np.linalg.eigvalsh(body.inertia)[0] <= 0.0:
        body.inertia = (float(masses.mass.sum()) or 1.0) * size**2 * np.eye(3)


def single_plan(plan: NodePlan, node: int, given: InitialField) -> BodyPlan:
    """A node that is a body of its own."""
    return BodyPlan(
        nodes=np.array([node]),
        main_node=node,
        mass=float(plan.masses.mass[node]),
        reference=plan.coordinates[node].copy(),
        mass_arm=np.zeros(3),
        inertia=plan.masses.inertia[node].copy(),
        velocity=np.nan_to_num(given.velocity[node]),
        angular_velocity=np.nan_to_num(given.angular_velocity[node]),
    )


def add_body(plan: NodePlan, body: BodyPlan, acted_on: Marks) -> None:
    """Give the body a place, unless it is held in all directions (and not measured) or nothing acts on it."""
    held = body.holds_translation and (body.holds_rotation or not body.turns)
    plan.held[body.nodes] |= held
    if (body.measured or not held) and acted_on[body.nodes].any():
        plan.body_of_node[body.nodes] = len(plan.bodies)
        plan.bodies.append(body)


def nodes_acted_on(model: Model, masses: NodalMasses, given: InitialField) -> Marks:
    """Nodes that something moves: joints, springs, loads, imposed motions, links, velocity; gravity if massive."""
    acted_on = nodes_set_in_motion(model, masses, given)
    for joined_nodes in joint_nodes(model):
        acted_on[[node for node in joined_nodes if node >= 0]] = True
    acted_on[contact_nodes(model)] = True
    for wall in model.rigid_walls:
        acted_on[wall.nodes[masses.mass[wall.nodes] > 0.0]] = True
    for spring in model.springs:
        acted_on[[spring.node_1, spring.node_2]] = True
    for family in (model.loads, model.imposed_motions, model.velocity_links, model.multi_point_constraints):
        for item in family:
            acted_on[item.nodes] = True
    for directional in model.directional_ties:
        acted_on[[directional.main_node, *directional.dependent_nodes]] = True
    return acted_on


def nodes_set_in_motion(model: Model, masses: NodalMasses, given: InitialField) -> Marks:
    """Nodes that an initial velocity moves; nodes with mass or inertia, and main nodes, that gravity or a spin does."""
    moving = np.asarray(np.any(np.nan_to_num(given.angular_velocity), axis=1))
    for gravity in model.gravities:
        moving[gravity.nodes] = True
    main_nodes = [body.main_node for body in model.rigid_bodies] + [tie.main_node for tie in model.rigid_ties]
    massive = (masses.mass > 0.0) | masses.inertia.any(axis=(1, 2))
    massive[main_nodes] = True
    return np.asarray(moving & massive | np.any(np.nan_to_num(given.velocity), axis=1))
