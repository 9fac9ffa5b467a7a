"""Finite rotations and the momentum-keeping step of a rigid body."""

import math

import naive.core as twin
import numpy as np
import pytest
from gsolve.solver.core.bodies import GENERAL, NO_ROTATION, SPHERICAL, new_bodies
from gsolve.solver.core.rotation import (
    SMALL_SQUARED_ANGLE,
    angular_velocity,
    half_angle_factors,
    mean_rotation_factors,
    rotation_matrices,
    set_rotation_matrix,
    solve_incremental_rotation,
    to_body,
    to_global,
    turn_of_step,
    turn_quaternion,
)
from naive import cross_matrix, incremental_rotation, mean_rotation
from scipy.spatial.transform import Rotation


def random_inertia(random, spread=3.0):
    axes = Rotation.random(rng=random).as_matrix()
    a, b = random.uniform(1.0, spread, 2)
    principal = np.array([a, b, random.uniform(abs(a - b) + 0.1, a + b)])
    return axes @ np.diag(principal) @ axes.T


def solved(inertia, momentum, h, start=None):
    theta = np.zeros(3) if start is None else np.array(start, dtype=float)
    assert solve_incremental_rotation(inertia, tuple(momentum), (0.0, 0.0, 0.0), h, theta, 0.0)
    return theta


@pytest.mark.parametrize("angle", [1e-9, 1e-4, 0.05, 0.19999, 0.2, 0.20001, 0.5, 1.5, 3.0])
def test_factors_make_the_mean_rotation(angle):
    theta = angle * np.array([0.48, -0.6, 0.64])
    b_minus_half, c = mean_rotation_factors(angle**2)
    cross = cross_matrix(theta)
    matrix = np.eye(3) - (b_minus_half + 0.5) * cross + c * cross @ cross
    np.testing.assert_allclose(matrix, mean_rotation(theta), atol=4e-15)


def test_series_meet_the_closed_forms_where_they_hand_over():
    a = math.sqrt(SMALL_SQUARED_ANGLE)
    b_minus_half, c = mean_rotation_factors(SMALL_SQUARED_ANGLE * (1 - 1e-15))
    # sin(a/2)^2 has no cancellation, unlike 1 - cos a
    assert b_minus_half == pytest.approx(2 * math.sin(a / 2) ** 2 / a**2 - 0.5, abs=4e-16)
    assert c == pytest.approx((a - math.sin(a)) / a**3, rel=1e-14)
    cosine, sine = half_angle_factors(SMALL_SQUARED_ANGLE * (1 - 1e-15))
    assert cosine == pytest.approx(math.cos(a / 2), rel=3e-16)
    assert sine == pytest.approx(math.sin(a / 2) / a, rel=3e-16)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1e-3, 0.1, 1.0])
def test_step_rotation_solves_the_discrete_euler_equation(seed, size):
    random = np.random.default_rng(seed)
    inertia, momentum = random_inertia(random), random.normal(size=3)
    h = size / np.linalg.norm(np.linalg.solve(inertia, momentum))
    theta = solved(inertia, momentum, h)
    np.testing.assert_allclose(inertia @ theta, h * mean_rotation(theta) @ momentum, atol=1e-14 * h)
    np.testing.assert_allclose(theta, incremental_rotation(inertia, momentum, h), atol=1e-12 * size)


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, -1, 0), (-1, 0, 0), (0.6, 0, -0.8), (0.48, -0.6, 0.64)])
@pytest.mark.parametrize("angle", [0.0, 1e-200, 1e-9, 0.3, 1.5])
@pytest.mark.parametrize("h", [1e-12, -0.01, 1e6])
def test_step_rotation_of_momenta_along_axes_and_of_any_size(direction, angle, h):
    """A plate, the least round body there is (I_3 = I_1 + I_2); also backwards in time."""
    inertia = np.diag([1.0, 2.0, 3.0])
    momentum = angle / abs(h) * np.array(direction)
    theta = solved(inertia, momentum, h)
    np.testing.assert_allclose(inertia @ theta, h * mean_rotation(theta) @ momentum, rtol=0, atol=1e-14 * angle)
    if angle > 1e-100:
        expected = incremental_rotation(inertia, momentum, h)
        np.testing.assert_allclose(theta, expected, rtol=0, atol=1e-12 * angle)


@pytest.mark.parametrize("angle", [1e-200, 1e-9, 1e-3, 0.199, 0.201, 1.0, 3.0, 6.0])
def test_half_angle_factors_are_cosine_and_sine_over_the_angle(angle):
    np.testing.assert_allclose(half_angle_factors(angle**2), twin.half_angle_factors(angle), rtol=4e-16, atol=4e-16)


@pytest.mark.parametrize("turning", [NO_ROTATION, SPHERICAL, GENERAL])
@pytest.mark.parametrize("momentum", [(0.0, 0.0, 0.0), (0.0, 0.0, -3.0), (1e-150, 0.0, 1e-150), (0.3, -1e9, 2.0)])
def test_angular_velocity_solves_for_the_inertia_in_body_axes(turning, momentum):
    random = np.random.default_rng(6)
    body = new_bodies(2)[1]
    body["turning"], body["rotation"] = turning, Rotation.random(rng=random).as_matrix()
    if turning != NO_ROTATION:
        body["inertia"] = random_inertia(random) if turning == GENERAL else 0.7 * np.eye(3)
        body["inverse_inertia"] = np.linalg.inv(body["inertia"])
    body["theta"] = (0.2, -0.1, 0.4)
    expected = twin.angular_velocity(body, np.array(momentum))
    found = angular_velocity(body, *momentum)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-15 * np.linalg.norm(momentum))
    turn = body["rotation"] @ body["theta"] if turning != NO_ROTATION else np.zeros(3)
    np.testing.assert_allclose(turn_of_step(body), turn, atol=1e-16)
    np.testing.assert_allclose(to_body(body["rotation"], *found), body["rotation"].T @ np.array(found), rtol=1e-14)
    np.testing.assert_allclose(to_global(body["rotation"], *momentum), body["rotation"] @ momentum, rtol=1e-14,
                               atol=1e-15 * np.linalg.norm(momentum))  # fmt: skip


def test_start_value_does_not_change_the_step_rotation():
    random = np.random.default_rng(3)
    inertia, momentum = random_inertia(random), random.normal(size=3)
    theta = solved(inertia, momentum, 0.3)
    np.testing.assert_allclose(solved(inertia, momentum, 0.3, start=(0.2, -0.3, 0.1)), theta, rtol=0, atol=2e-16)


def test_steady_rotation_about_a_principal_axis_is_exact():
    theta = solved(np.diag([1.0, 2.0, 2.5]), np.array([0.0, 5.0, 0.0]), 0.1)
    np.testing.assert_allclose(theta, [0.0, 0.25, 0.0], atol=1e-16)


def test_the_step_back_undoes_the_step():
    """V(-theta) exp(-[theta]x) = V(theta): the map is symmetric in time."""
    random = np.random.default_rng(8)
    inertia, momentum = random_inertia(random), random.normal(size=3)
    theta = solved(inertia, momentum, 0.4)
    after = Rotation.from_rotvec(theta).as_matrix().T @ momentum
    np.testing.assert_allclose(solved(inertia, after, -0.4), -theta, atol=1e-15)


def test_a_step_too_long_to_solve_says_so():
    theta = np.zeros(3)
    assert not solve_incremental_rotation(
        np.diag([1.0, 2.0, 2.9]), (30.0, 40.0, 50.0), (0.0, 0.0, 0.0), 10.0, theta, 0.0
    )


def test_rotation_matrix_of_a_quaternion_is_that_of_scipy():
    random = np.random.default_rng(1)
    rotations = Rotation.random(20, rng=random)
    quaternions = rotations.as_quat(scalar_first=True)
    matrix = np.zeros((3, 3))
    for q, expected in zip(quaternions, rotations.as_matrix(), strict=True):
        set_rotation_matrix(q, matrix)
        np.testing.assert_allclose(matrix, expected, atol=1e-15)
    np.testing.assert_allclose(rotation_matrices(quaternions.reshape(4, 5, 4)).reshape(20, 3, 3), rotations.as_matrix(),
                               atol=1e-15)  # fmt: skip


@pytest.mark.parametrize("angle", [1e-8, 0.1, 0.2, 0.21, 1.9])
def test_turned_quaternion_follows_the_rotation_vector_in_body_axes(angle):
    random = np.random.default_rng(2)
    start, theta = Rotation.random(rng=random), angle * np.array([0.48, -0.6, 0.64])
    q_new = np.zeros(4)
    squared = turn_quaternion(start.as_quat(scalar_first=True), theta, q_new)
    assert squared == pytest.approx(angle**2, rel=1e-15)
    expected = (start * Rotation.from_rotvec(theta)).as_quat(scalar_first=True)
    np.testing.assert_allclose(q_new, expected * np.sign(expected @ q_new), atol=4e-16)


def test_quaternion_keeps_unit_length_over_many_turns():
    q, theta = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.3, -0.2, 0.4])
    for _ in range(20_000):
        turn_quaternion(q.copy(), theta, q)
    assert abs(np.linalg.norm(q) - 1.0) < 4e-16
    expected = Rotation.from_rotvec(20_000 * theta).as_quat(scalar_first=True)
    np.testing.assert_allclose(q, expected * np.sign(expected @ q), atol=1e-11)


def test_free_body_keeps_its_momentum_and_its_energy_has_no_slope():
    """The kernels as the loop uses them: l = R^T L, R <- R exp(theta)."""
    inertia = np.diag([1.0, 2.0, 2.5])
    momentum = np.array([0.3, 2.0, -0.5])
    q, rotation, theta = np.array([1.0, 0.0, 0.0, 0.0]), np.eye(3), np.zeros(3)
    energies = []
    for _ in range(20_000):
        body = rotation.T @ momentum
        assert solve_incremental_rotation(inertia, tuple(body), (0.0, 0.0, 0.0), 0.02, theta, 0.0)
        # energy of the step: 1/2 theta . I theta / h^2
        energies.append(0.5 * theta @ inertia @ theta / 0.02**2)
        turn_quaternion(q.copy(), theta, q)
        set_rotation_matrix(q, rotation)
        body_after = rotation.T @ momentum
        assert abs(body_after @ body_after - momentum @ momentum) < 2e-14
    energies = np.array(energies)
    first, second = energies[:10_000], energies[10_000:]
    assert np.ptp(energies) < 2e-4 * energies[0]
    assert abs(first.mean() - second.mean()) < 2e-6 * energies[0]
