"""What acts between bodies: springs, gear joints, joints, drives and couplers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .common import Entity, Floats, Ints


@dataclass(slots=True)
class SpringDof:
    """One degree of freedom of a spring property, in the names of the cards (radioss TYPE4, TYPE8).

    Force without fct_1: stiffness * d + damping * v. With it:
    f1(d / abscissa_scale) * (A + B ln|v / D| + E f2(v / F)) + C v + Hscale f4(v / F).
    """

    stiffness: float
    damping: float
    a: float
    b: float
    d: float
    fct_1: int
    fct_2: int
    fct_4: int
    e: float
    f: float
    abscissa_scale: float
    damping_scale: float
    min_elongation: float
    max_elongation: float


@dataclass(slots=True)
class SpringProperty(Entity):
    """/PROP/TYPE4 (one axial dof) or /PROP/TYPE8 (six independent dofs: X Y Z XX YY ZZ of the skew).

    moment_equilibrium : TYPE8 with Iequil = 1
    """

    kind: Literal["TYPE4", "TYPE8"]
    mass: float
    inertia: float
    skew_id: int
    sensor_id: int
    sensor_flag: int
    per_length: bool
    dofs: list[SpringDof]
    moment_equilibrium: bool = False


@dataclass(slots=True)
class Spring(Entity):
    """One /SPRING element (`id`), of a part."""

    part_id: int
    node_1: int
    node_2: int
    skew_id: int
    property: SpringProperty


@dataclass(slots=True)
class GearJoint(Entity):
    """/GJOINT/GEAR, DIFF, RACK.

    nodes : (4,) node rows 0 to 3; nodes[3] = -1 except for DIFF
    fscale_v : FscaleV as the card has it (blank and 0 already replaced by 1), working units
    masses, inertias : (4,) added to nodes 0 to 3 (spherical inertia)
    axes : (3, 3) unit vectors r_1, r_2, r_3 in the local frame of node 0
    """

    kind: Literal["GEAR", "DIFF", "RACK"]
    nodes: Ints
    fscale_v: float
    masses: Floats
    inertias: Floats
    axes: Floats


JointKind = Literal[
    "SPHERICAL", "REVOLUTE", "UNIVERSAL", "CYLINDRICAL", "TRANSLATIONAL", "SCREW", "FIXED", "PLANAR", "DISTANCE",
    "STRUT", "REV_SPH", "REV_CYL", "PARALLEL", "PERPENDICULAR",
]  # fmt: skip


@dataclass(slots=True)
class JointForce:
    """Spring, damper, stops and Coulomb friction along one coordinate q of a joint (rotation or translation).

    On node j along (about) the axis, the opposite on node i:
    preload - stiffness (q - free_value) - damping q', a stop_stiffness and stop_damping spring beyond `lower` and
    `upper` that only pushes, and friction against q' of size friction_force + friction_coefficient * radius * (bearing
    force), reached at slip_velocity.  radius is 1 for a translation.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    free_value: float = 0.0
    preload: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    friction_force: float = 0.0
    friction_coefficient: float = 0.0
    radius: float = 1.0
    slip_velocity: float = 0.0


@dataclass(slots=True)
class Joint(Entity):
    """/JOINT, and each pair of a /CYL_JOINT.

    node_i, node_j : node rows, -1 = ground (at most one of them)
    axis_i : (3,) unit vector on node i at t = 0, global components
    axis_j : (3,) unit vector on node j at t = 0; that of node i for the types that have no axis of their own there
    pitch : advance per turn of a SCREW
    length : of DISTANCE and REV_SPH; None = as built
    rotation, translation : what acts along the coordinates, where the deck gives it
    """

    kind: JointKind
    node_i: int
    node_j: int
    axis_i: Floats
    axis_j: Floats
    pitch: float = 0.0
    length: float | None = None
    rotation: JointForce | None = None
    translation: JointForce | None = None


@dataclass(slots=True)
class Drive(Entity):
    """/DRIVE/DIST, TRA, ROT: y_scale * f((t - t_0) / x_scale) is the coordinate, its rate or its acceleration.

    node_i, node_j : node rows, -1 = ground
    level : 0 position, 1 velocity, 2 acceleration
    absolute : the function is the coordinate itself; otherwise what is added to its initial value (level 0 only)
    axis : (3,) unit vector fixed to node i, at t = 0 in global components (TRA, ROT)
    t_0 is 0, or with a sensor the time when the sensor switches on
    """

    kind: Literal["DIST", "TRA", "ROT"]
    node_i: int
    node_j: int
    function_id: int
    sensor_id: int
    level: Literal[0, 1, 2]
    absolute: bool
    x_scale: float
    y_scale: float
    t_start: float
    t_stop: float
    axis: Floats


@dataclass(slots=True)
class Coupler(Entity):
    """/COUPLER/R2T: phi_a = ratio * s_b, and /COUPLER/R2R: phi_a = ratio * phi_b; all relative to the supports.

    node_a, node_b : node rows (R2T: spline and flange), -1 = ground
    support_a, support_b : node rows, -1 = ground
    axis_a, axis_b : (3,) unit vectors fixed in the supports, at t = 0 in global components
    """

    kind: Literal["R2T", "R2R"]
    node_a: int
    support_a: int
    node_b: int
    support_b: int
    ratio: float
    axis_a: Floats
    axis_b: Floats
