"""What each node is: fixed, riding rigidly on a body, or a body of its own.  Decided here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from gsolve.parser.model import (
    ContactInterface,
    Coupler,
    Drive,
    ForceCurveInterface,
    GearJoint,
    Joint,
    Model,
    RigidBody,
    RigidTie,
    shapes_of,
)
from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints
from ..core.unit_names import unit
from .nodal_mass import NodalMasses, nodal_masses
from .rigid_mass import BodyMass, check_positive, rigid_body_mass, tied_mass

# A tie of nodes on one line has no inertia about that line (below this fraction of the largest).
THIN = 1e-12
# Initial velocities of secondary nodes are a rigid field when they differ from the best one by less than this.
RIGID_FIELD = 1e-6


@dataclass(slots=True)
class BodyPlan:
    """One body before it has a place in the arrays.

    reference : (3,) the point whose motion is integrated: the mass centre, or the pivot of a body held at one
    mass_arm : (3,) from the reference point to the mass centre
    inertia : (3, 3) about the reference point, global axes at t = 0
    led : all translations and rotations are held or imposed, so that no mass is needed
    """

    nodes: Ints
    main_node: int
    mass: float
    reference: Floats
    mass_arm: Floats
    inertia: Floats
    holds_translation: bool = False
    holds_rotation: bool = False
    led: bool = False
    source: RigidBody | RigidTie | None = None
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def turns(self) -> bool:
        return not self.holds_rotation and bool(np.any(self.inertia != 0.0))


@dataclass(slots=True)
class NodePlan:
    """What became of the nodes.

    body_of_node : (n,) index into `bodies`, -1 = does not move (held, or nothing acts on it)
    group_of_node : (n,) rigid group that the node belongs to, -1 = none
    coordinates : (n, 3) at t = 0, main nodes moved as ICoG says
    held : (n,) held in all directions
    """

    bodies: list[BodyPlan]
    body_of_node: Ints
    group_of_node: Ints
    coordinates: Floats
    held: NDArray[np.bool_]
    masses: NodalMasses
    diagnostics: list[Diagnostic]


@dataclass(slots=True)
class InitialField:
    """Initial velocities of all nodes; NaN where the deck gives none.

    on_axis : set by /INIVEL/AXIS, which gives the velocity of the place where the node was before ICoG moved it
    """

    velocity: Floats
    angular_velocity: Floats
    on_axis: NDArray[np.bool_]


def plan_nodes(model: Model, t_end: float | None = None) -> NodePlan:
    """Decide what each node is in a run to t_end (default: that of the deck).

    Bodies that nothing acts on are left out: they stay where they are.
    """
    masses = nodal_masses(model)
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
    holds, leads = held_triples(model), led_nodes(model, masses, model.engine.t_end or 0.0 if t_end is None else t_end)
    field_ = initial_field(model)
    acted_on = nodes_acted_on(model, masses, field_)
    for index, (nodes, source) in enumerate(rigid_groups(model)):
        plan.group_of_node[nodes] = index
        body = rigid_plan(model, plan, nodes, source)
        body.holds_translation, body.holds_rotation = holds.get(source.main_node, (False, False))
        body.led = leads.get(source.main_node, False)
        if body.holds_translation:
            move_to_pivot(body, plan.coordinates[source.main_node])
        add_body(plan, body, acted_on)
        if plan.body_of_node[source.main_node] >= 0:
            finish_rigid(model, plan, body, field_)
    for node in np.flatnonzero(acted_on & (plan.group_of_node < 0)):
        body = BodyPlan(
            nodes=np.array([node]),
            main_node=int(node),
            mass=float(masses.mass[node]),
            reference=plan.coordinates[node].copy(),
            mass_arm=np.zeros(3),
            inertia=masses.inertia[node].copy(),
            velocity=np.nan_to_num(field_.velocity[node]),
            angular_velocity=np.nan_to_num(field_.angular_velocity[node]),
        )
        body.holds_translation, body.holds_rotation = holds.get(int(node), (False, False))
        body.led = leads.get(int(node), False)
        if body.holds_translation:
            body.velocity = np.zeros(3)
        add_body(plan, body, acted_on)
    return plan


def add_body(plan: NodePlan, body: BodyPlan, acted_on: NDArray[np.bool_]) -> None:
    """Give the body a place, unless it is held in all directions or nothing acts on it."""
    if body.holds_translation and not body.turns:
        plan.held[body.nodes] = True
    elif acted_on[body.nodes].any():
        plan.body_of_node[body.nodes] = len(plan.bodies)
        plan.bodies.append(body)


def rigid_groups(model: Model) -> list[tuple[Ints, RigidBody | RigidTie]]:
    """Sets of nodes that ride together, main node first.  A tie on a node of a body joins that body."""
    groups: list[tuple[dict[int, None], RigidBody | RigidTie]] = []
    group_of: dict[int, int] = {}
    for source in in_order_of_joining([*model.rigid_bodies, *model.rigid_ties]):
        others = source.secondary_nodes if isinstance(source, RigidBody) else source.dependent_nodes
        index = group_of.get(source.main_node, len(groups))
        if index == len(groups):
            groups.append(({}, source))
        for node in (source.main_node, *map(int, others)):
            group_of[node] = index
            groups[index][0][node] = None
    return [(np.array(list(nodes), dtype=np.int64), source) for nodes, source in groups]


def in_order_of_joining(sources: list[RigidBody | RigidTie]) -> Iterator[RigidBody | RigidTie]:
    """A tie on a group that is there joins it; a group of its own starts one whose main node depends on no other.

    Of several the first is taken, and the first that is left where there is none of either.
    """
    on_node: dict[int, list[int]] = {}
    dependent = Counter(int(n) for source in sources if isinstance(source, RigidTie) for n in source.dependent_nodes)
    for k, source in enumerate(sources):
        on_node.setdefault(int(source.main_node), []).append(k)
    joining: list[int] = []
    starting = [k for k, source in enumerate(sources) if not dependent[source.main_node]]
    left = list(range(len(sources)))
    waiting = set(left)
    while waiting:
        k = next(heappop(heap) for heap in (joining, starting, left) if drop_taken(heap, waiting))
        waiting.remove(k)
        source = sources[k]
        yield source
        others = source.secondary_nodes if isinstance(source, RigidBody) else source.dependent_nodes
        for node in (int(source.main_node), *map(int, others)):
            for other in on_node.get(node, ()):
                if isinstance(sources[other], RigidTie):
                    heappush(joining, other)
        for node in map(int, others) if isinstance(source, RigidTie) else ():
            dependent[node] -= 1
            if not dependent[node]:
                for other in on_node.get(node, ()):
                    heappush(starting, other)


def drop_taken(heap: list[int], waiting: set[int]) -> bool:
    """Take from the front of a heap what does not wait any more; whether something is left."""
    while heap and heap[0] not in waiting:
        heappop(heap)
    return bool(heap)


def rigid_plan(model: Model, plan: NodePlan, nodes: Ints, source: RigidBody | RigidTie) -> BodyPlan:
    """Mass properties of a rigid group; moves the main node of an /RBODY as ICoG says."""
    if isinstance(source, RigidBody):
        properties, found = rigid_body_mass(source, model, plan.masses)
        plan.diagnostics += found
        plan.coordinates[source.main_node] = properties.main_node_position
        tied = nodes[~np.isin(nodes, [source.main_node, *source.secondary_nodes])]
        if len(tied):
            properties = joined(properties, tied_mass(tied, model, plan.masses))
    else:
        properties = tied_mass(nodes, model, plan.masses)
    return BodyPlan(
        nodes=nodes,
        main_node=source.main_node,
        mass=properties.mass,
        reference=properties.centre.copy(),
        mass_arm=np.zeros(3),
        inertia=properties.inertia.copy(),
        source=source,
    )


def joined(first: BodyMass, second: BodyMass) -> BodyMass:
    """Mass properties of two rigid parts that ride together (parallel-axis theorem)."""
    mass = first.mass + second.mass
    share = second.mass / mass if mass else 0.0
    arm = second.centre - first.centre
    reduced = first.mass * share
    inertia = first.inertia + second.inertia + reduced * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return BodyMass(mass, first.centre + share * arm, inertia, first.main_node_position)


def finish_rigid(model: Model, plan: NodePlan, body: BodyPlan, field_: InitialField) -> None:
    """Checks and initial velocity of a rigid group that moves."""
    if isinstance(body.source, RigidTie) and body.mass <= 0.0 and not body.holds_translation:
        plan.diagnostics.append(
            body.source.where.diagnose(
                "error",
                "the tied nodes have no mass",
                found="0",
                allowed="a positive mass",
                hint="give one of the nodes mass with /ADMAS, or fix the main node with /BCS",
            )
        )
    if not body.holds_rotation:
        if isinstance(body.source, RigidTie):
            plan.diagnostics += thicken(body, model)
        elif body.source is not None:
            properties = BodyMass(body.mass, body.reference, body.inertia, body.reference)
            plan.diagnostics += check_positive(properties, body.source.where, model.units)
    plan.diagnostics += set_rigid_velocity(body, plan, model, field_)


def move_to_pivot(body: BodyPlan, pivot: Floats) -> None:
    """Take the pivot as reference point: I_pivot = I + m (d.d E - d d^T)."""
    arm = body.reference - pivot
    body.inertia = body.inertia + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    body.mass_arm = arm
    body.reference = pivot.copy()


def thicken(body: BodyPlan, model: Model) -> list[Diagnostic]:
    """Nodes tied on one line: give the line the largest principal inertia, since no force can turn it there."""
    principal, axes = np.linalg.eigh(body.inertia)
    thin = principal <= THIN * principal[2]
    if principal[2] <= 0.0 or not thin.any():
        return []
    body.inertia = (axes * np.where(thin, principal[2], principal)) @ axes.T
    assert body.source is not None
    return [
        body.source.where.diagnose(
            "warning",
            "the tied nodes lie on one line, about which they have no inertia; there the largest principal inertia is "
            f"used, {principal[2]:.6g} {unit(model.units, mass=1, length=2)}",
            hint="no force of this body can turn it about that line; add inertia if something else does",
        )
    ]


Digits = dict[tuple[int, int], list[bool]]  # six directions of (node, skew)


def held_digits(model: Model) -> Digits:
    """Directions that /BCS fixes."""
    digits: Digits = {}
    for condition in model.boundary_conditions:
        marks = [*condition.translations, *condition.rotations]
        for node in condition.nodes:
            before = digits.get((int(node), condition.skew_id), [False] * 6)
            digits[int(node), condition.skew_id] = [a or b for a, b in zip(before, marks, strict=True)]
    return digits


def full_triples(digits: Digits) -> dict[int, tuple[bool, bool]]:
    """Nodes whose three translations, or three rotations, are all marked in the axes of one skew."""
    triples: dict[int, tuple[bool, bool]] = {}
    for (node, _), marks in digits.items():
        translation, rotation = triples.get(node, (False, False))
        triples[node] = translation or all(marks[:3]), rotation or all(marks[3:])
    return triples


def held_triples(model: Model) -> dict[int, tuple[bool, bool]]:
    """Nodes whose three translations, or three rotations, are fixed by /BCS."""
    return full_triples(held_digits(model))


def led_nodes(model: Model, masses: NodalMasses, t_end: float) -> dict[int, bool]:
    """Nodes without mass whose directions are all held, or imposed during the whole run."""
    digits = held_digits(model)
    for motion in model.imposed_motions:
        if motion.sensor_id or motion.t_start > 0.0 or t_end > motion.t_stop:
            continue
        for node in map(int, motion.nodes):
            marks = digits.setdefault((node, motion.skew_id), [False] * 6)
            digits[node, motion.skew_id] = [
                mark or c == motion.direction + 3 * motion.rotational for c, mark in enumerate(marks)
            ]
    return {
        node: translation and (rotation or not masses.inertia[node].any())
        for node, (translation, rotation) in full_triples(digits).items()
        if masses.mass[node] <= 0.0
    }


def initial_field(model: Model) -> InitialField:
    """Initial velocities in deck order; the last one read stays."""
    n = len(model.nodes)
    result = InitialField(np.full((n, 3), np.nan), np.full((n, 3), np.nan), np.zeros(n, dtype=bool))
    for block in model.initial_velocities:
        if block.translational is not None:
            result.velocity[block.nodes] = block.translational
            result.on_axis[block.nodes] = block.kind == "AXIS"
        if block.rotational is not None:
            result.angular_velocity[block.nodes] = block.rotational
    return result


def nodes_acted_on(model: Model, masses: NodalMasses, field_: InitialField) -> NDArray[np.bool_]:
    """Nodes that something moves: joints, springs, loads, imposed motions, links; gravity and velocity if massive."""
    acted_on = np.zeros(len(model.nodes), dtype=bool)
    given = np.nan_to_num(np.hstack([field_.velocity, field_.angular_velocity]))
    moving = np.asarray(np.any(given, axis=1))
    for gravity in model.gravities:
        moving[gravity.nodes] = True
    for body in model.rigid_bodies:
        acted_on[body.main_node] |= moving[body.main_node]
    for tie in model.rigid_ties:
        acted_on[tie.main_node] |= moving[tie.main_node]
    acted_on |= moving & ((masses.mass > 0.0) | masses.inertia.any(axis=(1, 2)))
    for joined_nodes in joint_nodes(model):
        acted_on[[node for node in joined_nodes if node >= 0]] = True
    acted_on[contact_nodes(model)] = True
    for wall in model.rigid_walls:
        acted_on[wall.nodes[masses.mass[wall.nodes] > 0.0]] = True
    for spring in model.springs:
        acted_on[[spring.node_1, spring.node_2]] = True
    for nodes in (
        item.nodes
        for family in (model.loads, model.imposed_motions, model.velocity_links, model.multi_point_constraints)
        for item in family
    ):
        acted_on[nodes] = True
    for directional in model.directional_ties:
        acted_on[[directional.main_node, *directional.dependent_nodes]] = True
    return acted_on


def nodes_of_gear_joint(gear_joint: GearJoint) -> list[int]:
    return [int(node) for node in gear_joint.nodes]


def nodes_of_joint(joint: Joint | Drive) -> list[int]:
    return [joint.node_i, joint.node_j]


def nodes_of_contact(model: Model, contact: ContactInterface | ForceCurveInterface) -> list[int]:
    """Nodes that the shapes of a contact interface ride on, -1 for the ground."""
    return [model.shapes[row].node for row in shapes_of(contact)]


def nodes_of_coupler(coupler: Coupler) -> list[int]:
    return [coupler.node_a, coupler.support_a, coupler.node_b, coupler.support_b]


def joint_nodes(model: Model) -> Iterator[list[int]]:
    """Node rows of every joint, coupler and drive, -1 where there is none or the ground."""
    yield from map(nodes_of_gear_joint, model.gear_joints)
    yield from map(nodes_of_joint, model.joints)
    yield from map(nodes_of_joint, model.drives)
    yield from map(nodes_of_coupler, model.couplers)


def contact_nodes(model: Model) -> list[int]:
    """Node rows of solids, and those that carry walls."""
    found = {node for interface in model.interfaces for node in nodes_of_contact(model, interface)}
    found.update(wall.node for wall in model.rigid_walls)
    return sorted(found - {-1})


def set_rigid_velocity(body: BodyPlan, plan: NodePlan, model: Model, field_: InitialField) -> list[Diagnostic]:
    """Initial motion of a rigid group: the main node's, or else the rigid field of its other nodes."""
    main = body.main_node
    velocity, angular_velocity = field_.velocity[main], field_.angular_velocity[main]
    arm = body.reference - plan.coordinates[main]
    diagnostics: list[Diagnostic] = []
    if np.isnan(velocity).all() and np.isnan(angular_velocity).all():
        given = body.nodes[~np.isnan(field_.velocity[body.nodes, 0])]
        if len(given) == 0:
            return []
        at_reference, angular_velocity, misfit = best_rigid_field(
            model.nodes.coordinates[given] - body.reference, field_.velocity[given]
        )
        if misfit > RIGID_FIELD and body.source is not None:
            diagnostics.append(
                body.source.where.diagnose(
                    "error",
                    "only secondary nodes have an initial velocity, and theirs is not the motion of a rigid body "
                    f"(largest deviation {misfit:.2g} of the largest velocity)",
                    hint="give the initial velocity to the main node, which sets the motion of the body",
                )
            )
        body.velocity, body.angular_velocity = at_reference, angular_velocity
    else:
        body.angular_velocity = np.nan_to_num(angular_velocity)
        if field_.on_axis[main]:
            arm = body.reference - model.nodes.coordinates[main]
        body.velocity = np.nan_to_num(velocity) + np.cross(body.angular_velocity, arm)
    if body.holds_translation:
        body.velocity = np.zeros(3)
    if body.holds_rotation:
        body.angular_velocity = np.zeros(3)
    return diagnostics


def best_rigid_field(arms: Floats, velocities: Floats) -> tuple[Floats, Floats, float]:
    """v and omega that fit v + omega x arm best (least squares), and the largest misfit relative to the velocities."""
    middle = arms.mean(axis=0)  # about which a few nodes in translation do not spin
    arms = arms - middle
    matrix = np.zeros((len(arms), 3, 6))
    matrix[:, range(3), range(3)] = 1.0
    x, y, z = arms.T
    # omega x arm as a matrix on omega
    matrix[:, 0, 4], matrix[:, 0, 5] = z, -y
    matrix[:, 1, 3], matrix[:, 1, 5] = -z, x
    matrix[:, 2, 3], matrix[:, 2, 4] = y, -x
    solution = np.linalg.lstsq(matrix.reshape(-1, 6), velocities.ravel(), rcond=None)[0]
    misfit = np.abs(matrix @ solution - velocities).max() / max(np.abs(velocities).max(), np.finfo(float).tiny)
    velocity, spin = solution[:3].astype(float), solution[3:].astype(float)
    return velocity - np.cross(spin, middle), spin, float(misfit)
