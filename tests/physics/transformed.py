"""A model turned and shifted as a whole: the same machine standing elsewhere."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from gsolve.parser.model import Model, Skew
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def transformed(model: Model, rotation: Floats, shift: Floats) -> Model:
    """Copy of a model with x -> rotation x + shift; every direction that meant a global axis means the turned one.

    rotation : (3, 3); shift : (3,)
    """
    model = copy.deepcopy(model)
    turned_global = 1 + max(model.skews, default=0)
    for skew in model.skews.values():
        skew.axes = skew.axes @ rotation.T
    some_where = next(iter([*model.gear_joints, *model.rigid_bodies, *model.rigid_ties])).where
    model.skews[turned_global] = Skew(
        turned_global, "turned", some_where, False, rotation.T.copy(), np.zeros(0, dtype=np.int64)
    )
    model.nodes.coordinates = model.nodes.coordinates @ rotation.T + shift
    directed = [
        *model.rigid_bodies, *model.boundary_conditions, *model.imposed_motions, *model.gravities, *model.loads,
        *model.velocity_links, *model.springs,
    ]  # fmt: skip
    for item in directed:
        item.skew_id = item.skew_id or turned_global
    for spring in model.springs:
        spring.property = replace(spring.property, skew_id=spring.property.skew_id or turned_global)
    for joint in model.gear_joints:
        joint.axes = joint.axes @ rotation.T
    for start in model.initial_velocities:
        if start.translational is not None:
            start.translational = start.translational @ rotation.T
        if start.rotational is not None:
            start.rotational = start.rotational @ rotation.T
    return model
