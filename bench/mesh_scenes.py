"""The scenes of `mesh_compare.py`, as all programs get them: a spur pair, and a roller on a box; kg, m, s."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from mesh_contacts import SPEED, STIFFNESS, TORQUE, pair_of_gears
from mesh_pairs import prism
from scipy.spatial import ConvexHull

__all__ = ["SPEED", "STIFFNESS", "TORQUE"]
DAMPING = 1000.0  # of the teeth, N s/m
DISTANCE, OFFSET = 0.06, 3e-4  # of the axes; by how much the wheel stands higher
TEETH, TIPS, BASES = (20, 40), (0.022, 0.042), (0.02 * math.cos(math.pi / 9), 0.04 * math.cos(math.pi / 9))
INERTIA = (1.966e-5, 3.135e-4)
WHEEL_MASS = INERTIA[1] / BASES[1] ** 2  # along the line of action
BELOW = 3e-5  # of the radius where contact begins, that pieces of teeth reach down to

ROLLER_MASS, ROLLER_RADIUS, ROLLER_LENGTH, ROLLER_SPEED = 2.0, 0.05, 0.1, 6.0  # rad/s
ROLLER_INERTIA = (0.00791666666667, 0.0025, 0.00791666666667)  # its axis along y
ROLLER_STIFFNESS, ROLLER_DAMPING, ROLLER_FRICTION, GRAVITY = 1e6, 500.0, 0.2, 9.81
ROLLER_START = ROLLER_RADIUS - ROLLER_MASS * GRAVITY / ROLLER_STIFFNESS


class Pieces(NamedTuple):
    """Convex pieces of both gears: corner points (n, 3), one for each tooth."""

    pinion: list[np.ndarray]
    wheel: list[np.ndarray]


@cache
def gears(size: int) -> tuple[TriangleMesh, TriangleMesh]:
    """Pinion and wheel, of about so many thousand triangles together; the wheel's file is turned into mesh."""
    return pair_of_gears(size)


def convex_teeth(size: int) -> Pieces:
    """Each tooth from where contact begins up: by hand, as the root is hollow and never touched."""
    pieces = []
    for k, mesh in enumerate(gears(size)):
        line = math.sqrt(TIPS[1 - k] ** 2 - BASES[1 - k] ** 2)
        start = math.hypot(BASES[k], DISTANCE * math.sin(math.pi / 9) - line) - BELOW
        angle, pitch = np.arctan2(mesh.vertices[:, 1], mesh.vertices[:, 0]), 2 * math.pi / TEETH[k]
        radius = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1])
        turn = tooth_phase(angle[radius > TIPS[k] - 1e-6], pitch)
        tooth = np.floor((angle - turn) / pitch + 0.5).astype(int) % TEETH[k]
        chosen = (mesh.vertices[(tooth == n) & (radius > start)] for n in range(TEETH[k]))
        pieces.append([points[ConvexHull(points).vertices] for points in chosen])
    return Pieces(*pieces)


def tooth_phase(angles: np.ndarray, pitch: float) -> float:
    """The angle of the middle of a tooth, from those of its tips."""
    return float(np.angle(np.mean(np.exp(2j * math.pi * angles / pitch))) * pitch / (2 * math.pi))


@cache
def roller(facets: int) -> TriangleMesh:
    """Lying along y."""
    return prism(facets).moved(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), np.zeros(3))


def ripple(values: list[float]) -> float:
    """Root mean square of what the second half of values differs from its mean by, over that."""
    half = np.array(values[len(values) // 2 :])
    return float(half.std() / abs(half.mean()))


def ratio(speeds: list[float]) -> float:
    """By how much the mean speed of the wheel is off, relative, over the second half."""
    return float(np.mean(speeds[len(speeds) // 2 :]) / (-SPEED / 2) - 1.0)


def jump(forces: list[float]) -> float:
    """Largest change of the force on the roller from one step to the next, in the second half, over its weight."""
    return float(np.abs(np.diff(forces[len(forces) // 2 :])).max() / (ROLLER_MASS * GRAVITY))
