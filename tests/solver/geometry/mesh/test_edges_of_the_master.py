"""A ball that comes from one face of a box round its edge to the next one, the box being the master."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, SPHERE
from pair_of_meshes import PairOfMeshes, on_the_way, overlapping, turned
from scipy.optimize import brentq

HALF, RADIUS = np.array([0.06, 0.05, 0.04]), 0.06
ATTITUDE = turned(0.3, 0.5, 0.2)


@pytest.fixture(scope="module")
def ball_on_box():
    return PairOfMeshes(tessellate(SPHERE, (RADIUS,) * 3, 0.006), tessellate(BOX, tuple(HALF), 0.006))


def deepest_below_both(centre: np.ndarray) -> tuple[float, float]:
    """The largest depth of a point of the ball below the faces x and z, and the slope there of the force, as an angle.

    The point is where the normal of the ball has turned from one face to the other so far that both are as near.
    """
    x, z = HALF[0] - centre[0], HALF[2] - centre[2]
    below = lambda angle: (x + RADIUS * math.cos(angle), z + RADIUS * math.sin(angle))  # noqa: E731
    if below(0.0)[0] <= below(0.0)[1]:
        return below(0.0)[0], 0.0
    angle = brentq(lambda a: below(a)[0] - below(a)[1], 0.0, math.pi / 2, xtol=1e-14)
    return below(angle)[0], angle


@pytest.mark.parametrize("depth", [5e-4, 2e-3])
def test_ball_round_an_edge(ball_on_box, depth):
    """What cuts its triangles are curves there; 1e-3 of the depth is what triangles of a tenth of the radius leave."""
    for along in np.linspace(0.03, 1.45, 60):
        way = np.array([0.8 * math.cos(along), 0.15, math.sin(along)])
        centre = HALF * (1.0, 0.3, 1.0) + way / np.linalg.norm(way) * (RADIUS - depth)
        (patch,) = ball_on_box.patches(ATTITUDE, centre)
        exact, angle = deepest_below_both(centre)
        assert patch["deepest"] == pytest.approx(exact, rel=1e-3)
        force = ATTITUDE @ patch["normal"]
        assert math.atan2(force[2], force[0]) == pytest.approx(-math.pi + angle if force[0] < 0 else angle, abs=5e-3)


def test_work_of_a_ball_on_edges_and_corners_is_what_its_energy_loses(ball_on_box):
    lost = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        start = overlapping(ball_on_box, random, 1e-3, 0.25)
        shift, turn = random.normal(size=3) * 1e-3, random.normal(size=3) * 2e-3
        steps, energies, powers = np.linspace(0.0, 1.0, 201), [], []
        for s in steps:
            pose = on_the_way(start, shift, turn, s)
            wrench = ball_on_box.wrench(*pose, 1.5)
            energies.append(wrench.energy)
            powers.append(shift @ pose[0] @ wrench.force + turn @ pose[0] @ wrench.moment)
        lost.append(abs(np.trapezoid(powers, steps) + energies[-1] - energies[0]) / max(energies))
    assert np.median(lost) < 1e-5
    assert max(lost) < 1e-4
