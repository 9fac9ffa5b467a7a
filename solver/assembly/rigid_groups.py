"""Nodes that move as one rigid body: which they are, their mass properties and their motion at t = 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
from gsolve.parser.model import Model, RigidBody, RigidTie
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import Floats, Ints
from ..core.unit_names import unit
from .body_plan import BodyPlan, NodePlan
from .initial_velocity import InitialField, set_rigid_velocity
from .rigid_mass import BodyMass, check_positive, rigid_body_mass, tied_mass

# A tie of nodes on one line has no inertia about that line (below this fraction of the largest).
THIN = 1e-12


def rigid_groups(model: Model) -> list[tuple[Ints, RigidBody | RigidTie]]:
    """Sets of nodes that move together, main node first.  A tie on a node of a body joins that body."""
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
        own = {source.main_node, *source.secondary_nodes.tolist()}
        tied = nodes[np.array([node not in own for node in nodes.tolist()], dtype=bool)]
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
    """Mass properties of two sets of nodes that move together (parallel-axis theorem)."""
    mass = first.mass + second.mass
    share = second.mass / mass if mass else 0.0
    arm = second.centre - first.centre
    reduced = first.mass * share
    inertia = first.inertia + second.inertia + reduced * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return BodyMass(mass, first.centre + share * arm, inertia, first.main_node_position)


def finish_rigid(model: Model, plan: NodePlan, body: BodyPlan, given: InitialField) -> None:
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
    plan.diagnostics += set_rigid_velocity(body, plan, model, given)


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
