"""A model turned and shifted as a whole: the same machine standing elsewhere."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from gsolve.parser.model import MeshFile, Model, Skew
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
    blocks = [*model.gear_joints, *model.joints, *model.rigid_bodies, *model.rigid_ties, *model.contacts]
    model.skews[turned_global] = Skew(
        turned_global, "turned", blocks[0].where, False, rotation.T.copy(), np.zeros(0, dtype=np.int64)
    )
    model.nodes.coordinates = model.nodes.coordinates @ rotation.T + shift
    directed = [
        *model.rigid_bodies, *model.boundary_conditions, *model.imposed_motions, *model.gravities, *model.loads,
        *model.velocity_links, *model.springs, *model.directional_ties,
    ]  # fmt: skip
    for item in directed:
        item.skew_id = item.skew_id or turned_global
    for spring in model.springs:
        spring.property = replace(spring.property, skew_id=spring.property.skew_id or turned_global)
    for constraint in model.multi_point_constraints:
        constraint.skew_ids = np.where(constraint.skew_ids == 0, turned_global, constraint.skew_ids)
    for gear_joint in model.gear_joints:
        gear_joint.axes = gear_joint.axes @ rotation.T
    for joint in model.joints:
        joint.axis_i, joint.axis_j = rotation @ joint.axis_i, rotation @ joint.axis_j
    for drive in model.drives:
        drive.axis = rotation @ drive.axis
    for coupler in model.couplers:
        coupler.axis_a, coupler.axis_b = rotation @ coupler.axis_a, rotation @ coupler.axis_b
    for shape in model.shapes:
        shape.axes, shape.offset = shape.axes @ rotation.T, rotation @ shape.offset
        if shape.node < 0:
            shape.offset = shape.offset + shift
    for mesh in model.meshes:
        if isinstance(mesh.source, MeshFile):
            file = mesh.source
            file.axes, file.offset = file.axes @ rotation.T, rotation @ file.offset
            if mesh.node < 0:
                file.offset = file.offset + shift
    for wall in model.rigid_walls:
        wall.point, wall.normal = rotation @ wall.point + shift, rotation @ wall.normal
        wall.sides = wall.sides @ rotation.T
    for start in model.initial_velocities:
        if start.translational is not None:
            start.translational = start.translational @ rotation.T
        if start.rotational is not None:
            start.rotational = start.rotational @ rotation.T
    return model
