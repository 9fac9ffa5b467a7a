"""Initial velocities of nodes, and the motion of rigid groups that follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..core.bodies import Floats
from ..core.vectors import cross_products
from .body_plan import BodyPlan, NodePlan

# Initial velocities of secondary nodes are a rigid field when they differ from the best one by less than this.
RIGID_FIELD = 1e-6


@dataclass(slots=True)
class InitialField:
    """Initial velocities of all nodes; NaN where the deck gives none.

    on_axis : set by /INIVEL/AXIS, which gives the velocity of the place where the node was before ICoG moved it
    """

    velocity: Floats
    angular_velocity: Floats
    on_axis: NDArray[np.bool_]


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


def set_rigid_velocity(body: BodyPlan, plan: NodePlan, model: Model, given: InitialField) -> list[Diagnostic]:
    """Initial motion of a rigid group: the main node's, or else the rigid field of its other nodes."""
    main, errors = body.main_node, list[Diagnostic]()
    if np.isnan(given.velocity[main]).all() and np.isnan(given.angular_velocity[main]).all():
        errors = set_velocity_of_nodes(body, model, given)
    else:
        drawn = given.on_axis[main]  # the velocity belongs to where the node was before ICoG moved it
        arm = body.reference - (model.nodes.coordinates if drawn else plan.coordinates)[main]
        body.angular_velocity = given_or_none(given.angular_velocity[main])
        body.velocity = given_or_none(given.velocity[main]) + cross_products(body.angular_velocity, arm)
    if body.holds_rotation:
        body.angular_velocity = np.zeros(3)
    if body.holds_translation:  # the main node stands still, which is the reference point unless rows hold it
        body.velocity = cross_products(body.angular_velocity, body.reference - plan.coordinates[main])
    return errors


def given_or_none(velocity: Floats) -> Floats:
    """A velocity with 0 where the deck gives none."""
    return np.where(np.isnan(velocity), 0.0, velocity)


def set_velocity_of_nodes(body: BodyPlan, model: Model, given: InitialField) -> list[Diagnostic]:
    """The rigid motion of the nodes that have a velocity; an error where theirs is none."""
    nodes = body.nodes[~np.isnan(given.velocity[body.nodes, 0])]
    if len(nodes) == 0:
        return []
    body.velocity, body.angular_velocity, misfit = best_rigid_field(
        model.nodes.coordinates[nodes] - body.reference, given.velocity[nodes]
    )
    if misfit <= RIGID_FIELD or body.source is None:
        return []
    return [
        body.source.where.diagnose(
            "error",
            "only secondary nodes have an initial velocity, and theirs is not the motion of a rigid body "
            f"(largest deviation {misfit:.2g} of the largest velocity)",
            hint="give the initial velocity to the main node, which sets the motion of the body",
        )
    ]


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
