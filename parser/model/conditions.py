"""What nodes are told: boundary conditions, imposed and initial velocities, gravity and loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .common import Direction, Entity, Floats, Ints


@dataclass(slots=True)
class BoundaryCondition(Entity):
    """/BCS and /BCS/LAGMUL: directions of the skew that are fixed."""

    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    nodes: Ints


@dataclass(slots=True)
class ImposedMotion(Entity):
    """/IMPDISP, /IMPVEL, /IMPACC: value = y_scale * f(t / x_scale) for t_start <= t <= t_stop.

    With a sensor t counts from its activation.
    """

    kind: Literal["DISP", "VEL", "ACC"]
    function_id: int
    direction: Direction
    rotational: bool
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float
    t_start: float
    t_stop: float


@dataclass(slots=True)
class InitialVelocity(Entity):
    """/INIVEL of any kind, spread to nodes, in deck order (the last one read stays).

    translational, rotational : (k, 3) global components; None where the block does not set that part
    """

    kind: Literal["TRA", "ROT", "T+G", "AXIS", "NODE"]
    nodes: Ints
    translational: Floats | None
    rotational: Floats | None


@dataclass(slots=True)
class Gravity(Entity):
    """/GRAV: acceleration y_scale * f(t / x_scale) along one direction; function_id 0 = constant 1."""

    function_id: int
    direction: Direction
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float


@dataclass(slots=True)
class ConcentratedLoad(Entity):
    """/CLOAD: force or moment y_scale * f(t / x_scale) on each node, along one direction of the skew."""

    function_id: int
    direction: Direction
    rotational: bool
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float
