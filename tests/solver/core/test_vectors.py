"""Vectors and points on bodies against NumPy, in random motions and where something is zero, tiny or huge."""

from __future__ import annotations

import naive.core as twin
import numpy as np
import pytest
from gsolve.solver.core import vectors
from gsolve.solver.core.bodies import GENERAL, GROUND, NO_ROTATION, SPHERICAL, Motion, Points, new_bodies
from scipy.spatial.transform import Rotation

RANDOM = np.random.default_rng(12)
PAIRS = [
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ((0.0, 0.0, 0.0), (1.0, -2.0, 3.0)),
    ((0.0, 0.0, 1.0), (0.0, -4.0, 0.0)),
    ((1e-160, -1e-160, 2e-160), (3e-160, 1e-160, 1e-160)),
    ((1e150, -2e150, 1e150), (1e150, 3e150, -1e150)),
    ((1e150, 1e-150, 1.0), (-1e-150, 1e150, -1.0)),
    *((tuple(RANDOM.normal(size=3)), tuple(RANDOM.normal(size=3))) for _ in range(5)),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_products_and_sums_are_those_of_numpy(a, b):
    size = np.linalg.norm(a) * np.linalg.norm(b)
    assert vectors.dot(a, b) == pytest.approx(np.dot(a, b), rel=1e-15, abs=4e-16 * size)
    np.testing.assert_allclose(vectors.cross(a, b), np.cross(a, b), rtol=1e-15, atol=4e-16 * size)
    np.testing.assert_array_equal(vectors.plus(a, b), np.add(a, b))
    np.testing.assert_array_equal(vectors.minus(a, b), np.subtract(a, b))
    np.testing.assert_array_equal(vectors.scaled(-2.5, a), -2.5 * np.array(a))
    matrix = np.array([a, b, a[::-1]])
    np.testing.assert_array_equal(vectors.row(matrix, 1), b)
    np.testing.assert_allclose(
        vectors.times(matrix, b), matrix @ b, rtol=1e-15, atol=4e-16 * np.dot(b, b) + 4e-16 * size
    )
    target = np.full(3, np.nan)
    vectors.set_vector(target, a)
    assert vectors.vector_of(target) == a


def motion_of_four(seed, turn=1.0, far=0.0, speed=1.0):
    """The ground and three bodies with six points, two of them on the ground."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(4, 4, 3)) * np.array([1.0, turn, speed, speed])[:, None, None]
    values[:, GROUND] = 0.0
    values[0, 1:] += far
    points = Points(np.array([1, 2, 3, 2, GROUND, GROUND]), random.normal(size=(6, 3)), random.normal(size=(6, 3)))
    points.arm[1] = 0.0
    return Motion(values[0], Rotation.from_rotvec(values[1]).as_matrix(), values[2], values[3]), points


MOTIONS = {"any": {}, "not turned": {"turn": 0.0}, "at rest": {"speed": 0.0}, "hardly turned": {"turn": 1e-9}}


@pytest.mark.parametrize("given", MOTIONS.values(), ids=MOTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_points_move_with_their_bodies(seed, given):
    motion, points = motion_of_four(seed, **given)
    places = [twin.position(motion, points, point) for point in range(6)]
    for point in range(6):
        np.testing.assert_allclose(vectors.arm_of(motion, points, point), twin.arm(motion, points, point), atol=4e-15)
        moved = places[point] - points.origin[point]
        np.testing.assert_allclose(vectors.displacement_of(motion, points, point), moved, atol=4e-15)
        velocity = twin.velocity(motion, points, point)
        np.testing.assert_allclose(vectors.velocity_of(motion, points, point), velocity, atol=8e-15)
        for other in range(6):
            found = vectors.separation(motion, points, point, other)
            np.testing.assert_allclose(found, places[other] - places[point], atol=8e-15)


def test_forces_and_moments_add_up_on_the_bodies_they_act_on():
    motion, points = motion_of_four(8)
    wrench = RANDOM.normal(size=(4, 6))
    expected = wrench.copy()
    for point in (0, 1, 2, 3, 4, 0):
        force, moment = RANDOM.normal(size=(2, 3))
        vectors.add_force(wrench, motion, points, point, tuple(force))
        vectors.add_moment(wrench, points, point, tuple(moment))
        expected += twin.wrench_of_force(motion, points, point, force)
        expected[points.body[point], 3:] += moment
    np.testing.assert_allclose(wrench, expected, atol=2e-14)


@pytest.mark.parametrize("turning", [NO_ROTATION, SPHERICAL, GENERAL])
@pytest.mark.parametrize("momentum", [(0.0, 0.0, 0.0), (0.0, -2.0, 0.0), (1e-9, 1e9, -1.0), (0.3, -0.2, 0.7)])
def test_a_point_moves_by_the_velocity_and_the_momentum_of_its_body(turning, momentum):
    body = new_bodies(2)[1]
    axes = Rotation.from_rotvec([0.2, 0.5, -0.3]).as_matrix()
    body["turning"], body["rotation"] = turning, Rotation.from_rotvec([1.2, -0.5, 0.3]).as_matrix()
    if turning != NO_ROTATION:
        body["inertia"] = axes @ np.diag([2.0, 3.0, 4.0] if turning == GENERAL else [2.5] * 3) @ axes.T
        body["inverse_inertia"] = np.linalg.inv(body["inertia"])
    velocity, arm = RANDOM.normal(size=(2, 3))
    expected = velocity + np.cross(twin.angular_velocity(body, np.array(momentum)), arm)
    found = vectors.velocity_by_momentum(body, velocity, np.array(momentum), arm)
    np.testing.assert_allclose(found, expected, atol=4e-15 * (1.0 + np.linalg.norm(momentum)))
    spin = np.array(momentum)
    found = vectors.point_velocity(velocity, spin, tuple(arm))
    np.testing.assert_allclose(found, velocity + np.cross(spin, arm), atol=4e-15 * (1.0 + np.linalg.norm(momentum)))
