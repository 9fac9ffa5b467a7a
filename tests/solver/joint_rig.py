"""Joints between two bodies without a deck: any kind, either side on the ground, in poses that its freedoms allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from gsolve.parser.model.joint_types import JOINT_TYPES, Angle, Slide
from gsolve.solver.constraints.joint_builder import JointBuilder
from gsolve.solver.constraints.joints import commit_joints, joint_jacobians, joint_residuals
from gsolve.solver.constraints.relations import RelationBuilder, relation_jacobians, relation_residuals
from gsolve.solver.constraints.rows import RowBuilder
from gsolve.solver.core.bodies import GROUND, new_bodies
from joint_definitions import DEFINITIONS, Motion, unit
from naive import dense_jacobian, move_trial, quaternion
from scipy.spatial.transform import Rotation

SIDES = {"both": (1, 2), "carrier_on_ground": (GROUND, 2), "node_on_ground": (1, GROUND)}
MEASURES = "MEASURES"  # kind of a joint without rows, which only measures its coordinates


@dataclass
class Built:
    """A joint as built, global components: bodies a and b, points of nodes i and j, axes of both."""

    kind: str
    bodies: tuple[int, int]
    node_i: np.ndarray
    node_j: np.ndarray
    r: np.ndarray
    axis_j: np.ndarray
    coordinates: tuple[Angle, Slide] = (Angle.NO_ANGLE, Slide.NO_SLIDE)  # of one that only measures


class Rig(NamedTuple):
    """Bodies 0 (ground) to 3 and what is built on them."""

    bodies: np.ndarray
    rows: np.ndarray
    entries: np.ndarray
    joints: np.ndarray
    relations: np.ndarray
    terms: np.ndarray
    built: list[Built]

    def residuals(self):
        joint_residuals(self.joints, 0, len(self.joints), self.rows, self.bodies)
        relation_residuals(self.relations, self.terms, 0, len(self.relations), self.joints, self.rows)
        return self.rows["residual"].copy()

    def jacobian(self):
        joint_jacobians(self.joints, 0, len(self.joints), self.rows, self.entries, self.bodies)
        relation_jacobians(
            self.relations, self.terms, 0, len(self.relations), self.joints, self.rows, self.entries, self.bodies
        )
        return dense_jacobian(self.rows, self.entries, len(self.bodies))

    def commit(self):
        """Where the bodies are is where they are at t_n, for the coordinates too."""
        for name in ("displacement", "rotation", "quaternion"):
            self.bodies["trial_" + name] = self.bodies[name]
        residuals = self.residuals()
        commit_joints(self.joints, 0, len(self.joints), 1.0)
        return residuals

    def coordinates(self):
        """(2, joints): angles and slides of the trial positions."""
        joints = self.joints
        return np.array([2 * np.pi * joints["trial_turns"] + joints["trial_angle"], joints["trial_slide"]])

    def derivatives(self, velocities, spins, h=1e-5):
        """Rates of the residuals and of the coordinates by central differences, bodies moving at constant speed."""
        sides = []
        for step in (h, -h):
            move_trial(self.bodies, velocities, spins, step)
            sides.append((self.residuals(), self.coordinates()))
        return [(after - before) / (2 * h) for after, before in zip(*sides, strict=True)]


def random_joint(kind, bodies, random, coordinates=(Angle.NO_ANGLE, Slide.NO_SLIDE)) -> Built:
    """A joint as a deck may have it: nodes at one point, on the axis ... where the kind wants that, apart elsewhere."""
    r, node_i, second = unit(random.normal(size=3)), random.normal(size=3), unit(random.normal(size=3))
    along, across = 0.2 * r, np.cross(r, random.normal(size=3))
    if kind == MEASURES:
        return Built(kind, bodies, node_i, node_i + along + across, r, second, coordinates)
    if DEFINITIONS[kind].second == "perpendicular":
        second = unit(np.cross(r, second))
    return Built(kind, bodies, node_i, node_i + DEFINITIONS[kind].stand(along, across), r, second)


def rig(built, relations=(), seed=1, scale=1.0) -> Rig:
    """relations : terms (joint, rotational, coefficient) of each; the mass centre of each body is anywhere."""
    random = np.random.default_rng([seed, 1])
    bodies = new_bodies(4)
    bodies["centre"][1:] = random.normal(size=(3, 3))
    rows = RowBuilder()
    joints = JointBuilder(rows, bodies["centre"])
    for joint in built:
        a, b = joint.bodies
        arm, place = joint.node_j - bodies["centre"][b], joint.node_i - bodies["centre"][a]
        if joint.kind == MEASURES:
            joints.measure(joint.coordinates, joint.bodies, arm, joint.r, place=place)
            continue
        joint_type = JOINT_TYPES[joint.kind]
        if joint_type.start.origin == "node j":
            place = joint.node_j - bodies["centre"][a]
        joints.add(joint_type, joint.bodies, arm, joint.r, scale, place=place, axis_j=joint.axis_j)
    relation_builder = RelationBuilder(rows, joints.bodies_of)
    for terms in relations:
        relation_builder.add(terms, scale)
    return Rig(bodies, *rows.build(), joints.build(), *relation_builder.build(), built)


def one_joint(kind, bodies, seed, coordinates=(Angle.NO_ANGLE, Slide.NO_SLIDE), scale=1.0) -> Rig:
    return rig([random_joint(kind, bodies, np.random.default_rng([seed, 2]), coordinates)], seed=seed, scale=scale)


def scatter(bodies, random, angle=0.7):
    """Any positions, far from those as built, for all bodies but the ground."""
    for body in bodies[1:]:
        set_pose(body, Rotation.from_rotvec(angle * random.normal(size=3)), random.normal(size=3))


def set_pose(body, rotation, displacement):
    for prefix in ("", "trial_"):
        body[prefix + "rotation"], body[prefix + "quaternion"] = rotation.as_matrix(), quaternion(rotation)
        body[prefix + "displacement"] = displacement


def allowed_motion(joint: Built, random):
    """What the freedoms of a joint allow: rotation of b relative to a, x_j - x_i in the axes of a, (angle, slide)."""
    motion = Motion(joint.r, joint.axis_j, joint.node_j - joint.node_i, random)
    return DEFINITIONS[joint.kind].motion(motion)


def move_as_allowed(made: Rig, random, carried=True):
    """Bring the only joint of a rig into an allowed pose, body a anywhere; returns the coordinates it must have."""
    (joint,) = made.built
    a, b = (made.bodies[body] for body in joint.bodies)
    relative, apart, coordinates = allowed_motion(joint, random)
    rotation_a, x_i = Rotation.identity(), joint.node_i
    if joint.bodies[1] == GROUND:
        rotation_a = relative.inv()
        x_i = joint.node_j - rotation_a.apply(apart)
    elif joint.bodies[0] != GROUND and carried:
        rotation_a, x_i = Rotation.from_rotvec(random.normal(size=3)), random.normal(size=3)
    rotation_b, x_j = rotation_a * relative, x_i + rotation_a.apply(apart)
    for body, node, rotation, position in ((a, joint.node_i, rotation_a, x_i), (b, joint.node_j, rotation_b, x_j)):
        set_pose(body, rotation, position - body["centre"] - rotation.apply(node - body["centre"]))
    set_pose(made.bodies[GROUND], Rotation.identity(), np.zeros(3))
    return coordinates


def random_motion(random):
    """Velocities and spins (4, 3) of the bodies of a rig; the ground rests."""
    velocities, spins = random.normal(size=(2, 4, 3))
    velocities[0] = spins[0] = 0.0
    return velocities, spins
