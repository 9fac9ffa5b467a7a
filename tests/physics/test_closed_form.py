"""The closed forms themselves, against published figures and against the equations they solve."""

import numpy as np
import pytest
from closed_form import (
    AsymmetricTop,
    FreeHousingTrain,
    HeavyTop,
    Pendulum,
    RackOnRotor,
    SpringOscillator,
    SymmetricTop,
    constrained_accelerations,
    gear_pair,
    impulse,
    rotation_about,
    steady_precession,
    willis_row,
)
from scipy.integrate import solve_ivp


def test_gear_pair_by_reflected_inertia_agrees_with_multipliers():
    first, second = gear_pair(torque=1.0, inertia_1=0.02, inertia_2=0.08, alpha=0.5)
    accelerations, multipliers = constrained_accelerations([0.02, 0.08], [0.5, 1.0], [1.0, 0.0])
    assert (first, second) == (25.0, -12.5)
    np.testing.assert_allclose(accelerations, [25.0, -12.5], rtol=1e-14)
    np.testing.assert_allclose(0.5 * multipliers, [-0.5], rtol=1e-14)


def test_open_differential_figures():
    accelerations, multipliers = constrained_accelerations([0.02, 0.05, 0.2], [-2.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(accelerations, np.array([50, 80, 20]) / 9, rtol=1e-14)
    np.testing.assert_allclose(multipliers, [4 / 9], rtol=1e-14)


def test_free_planetary_figures():
    accelerations, multipliers = constrained_accelerations([0.01, 0.1, 0.05], willis_row(24, 60) / 24, [1.0, 0.0, 0.0])
    np.testing.assert_allclose(accelerations, [75.460122699387, -6.134969325153, 17.177914110429], rtol=1e-13)
    np.testing.assert_allclose(multipliers, [-0.245398773006], rtol=1e-11)


def test_planetary_with_held_ring_turns_the_carrier_at_two_sevenths():
    sun, ring, carrier = willis_row(24, 60)
    assert -sun * 10.0 / carrier == pytest.approx(2.857142857143, rel=1e-12)
    assert sun * 10.0 + ring * 0.0 + carrier * (20.0 / 7.0) == pytest.approx(0.0, abs=1e-12)


def test_impulse_of_a_torque_that_fades_out():
    t = np.array([0.0, 0.25, 0.5, 0.55, 0.6, 1.0])
    np.testing.assert_allclose(
        impulse([0, 0.5, 0.6, 1], [1, 1, 0, 0], t), [0, 0.25, 0.5, 0.5375, 0.55, 0.55], rtol=1e-15
    )


def test_train_on_a_free_housing_keeps_the_torque_balance():
    train = FreeHousingTrain(
        positions=np.array([[0.3, 0.1], [-0.2, 0.4]]), masses=np.array([1.0, 2.0]), inertias=np.array([0.1, 0.2]),
        ratios=np.array([0.5]), housing_mass=3.0, housing_inertia=0.7,
    )  # fmt: skip
    housing, relative = train.accelerations(torque=2.0)
    bodies = [([0.0, 0.0], 3.0, 0.7, 0.0), ([0.3, 0.1], 1.0, 0.1, 1.0), ([-0.2, 0.4], 2.0, 0.2, -0.5)]
    centre = sum(m * np.array(x) for x, m, _, _ in bodies) / 6.0
    momentum_rate = sum(
        m * np.sum((np.array(x) - centre) ** 2) * housing + i * (housing + rho * relative) for x, m, i, rho in bodies
    )
    assert momentum_rate == pytest.approx(2.0, rel=1e-14)
    power_of_teeth = sum(i * (housing + rho * relative) * rho for _, _, i, rho in bodies)
    assert power_of_teeth == pytest.approx(2.0, rel=1e-14)


def test_rack_on_rotor_solves_its_equation():
    rack = RackOnRotor(rack_mass=2.0, pinion_inertia=0.01, alpha=0.05, spin=3.0, offset=0.2, across=0.64)
    t, h = np.linspace(0.1, 1.0, 7), 1e-4
    acceleration = (rack.slide(t + h) - 2 * rack.slide(t) + rack.slide(t - h)) / h**2
    np.testing.assert_allclose(
        (2.0 + 0.01 / 0.05**2) * acceleration, 2.0 * 9.0 * (0.2 + 0.64 * rack.slide(t)), rtol=1e-6
    )
    np.testing.assert_allclose((rack.slide(t + h) - rack.slide(t - h)) / (2 * h), rack.slide_rate(t), rtol=1e-7)


def test_stepped_oscillator_solves_the_difference_equation():
    oscillator, step = SpringOscillator(mass=4.0, stiffness=400.0, velocity=-0.5), 0.01
    x = oscillator.stepped_position(step * np.arange(200), step)
    np.testing.assert_allclose(x[2:] - 2 * x[1:-1] + x[:-2], -((10.0 * step) ** 2) * x[1:-1], atol=1e-15)
    assert x[1] == pytest.approx(-0.5 * step, rel=1e-14)


def test_pendulum_figures_of_benchmark_a01():
    pendulum = Pendulum()
    assert pendulum.period == pytest.approx(2.36784194757624, rel=1e-14)
    t = np.array([0.5, 1, 2, 5, 9.99, 10])
    x, y = pendulum.position(t)
    expected_x = [
        0.39104879155055,
        -0.98629175113188,
        0.79356619534332,
        0.94230543504376,
        0.31643646991303,
        0.27508746257612,
    ]
    expected_y = [
        -0.92036994878519,
        -0.16501085312554,
        -0.60848393044379,
        -0.334754338414,
        -0.94861370457578,
        -0.96141920509913,
    ]
    np.testing.assert_allclose(x, expected_x, atol=2e-14)
    np.testing.assert_allclose(y, expected_y, atol=2e-14)


def test_asymmetric_top_figures():
    top = AsymmetricTop((1.0, 2.0, 3.0), (0.05, 2.0, 0.05))
    assert top.period == pytest.approx(16.3722868904764, rel=1e-13)
    expected = [[-0.03656741962, 2.00029068483, 0.04596076652], [-1.85806148175, -0.7416923419, 1.07352883364]]
    np.testing.assert_allclose(top.angular_velocity([1.0, 5.0]), expected, atol=2e-11)
    quaternions = [
        [0.53990691845, 0.00223035809, 0.84136709277, 0.02443276753],
        [0.15209533294, 0.19051441755, -0.52347411130, -0.81642275887],
    ]
    for matrix, (w, x, y, z) in zip(top.rotation([1.0, 5.0]), quaternions, strict=True):
        n = np.linalg.norm([x, y, z])
        np.testing.assert_allclose(matrix, rotation_about([x / n, y / n, z / n], 2 * np.arctan2(n, w)), atol=1e-10)


@pytest.mark.parametrize("inertias", [(1.0, 2.0, 3.0), (0.1, 0.2, 0.26), (2.0, 2.5, 4.0)])
@pytest.mark.parametrize(
    "start",
    [(0.3, 1.0, 1.2), (-0.3, 1.0, 1.2), (0.3, -1.0, -1.2), (1.9, 0.4, 0.2), (-1.9, 0.4, 0.2), (1.9, -0.4, -0.2)],
)
def test_asymmetric_top_solves_eulers_equations_on_both_sides_of_the_separatrix(inertias, start):
    top, (a, b, c) = AsymmetricTop(inertias, start), inertias
    gyroscopic = (b, c, a, 1, 2), (c, a, b, 2, 0), (a, b, c, 0, 1)

    def rates(_t, state):
        r, w = state[:9].reshape(3, 3), state[9:].tolist()
        across = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        euler = [(a - b) / c * w[j] * w[k] for a, b, c, j, k in gyroscopic]
        return np.concatenate(((r @ across).ravel(), euler))

    t = np.linspace(0.0, 2.3 * top.period, 12)
    tight = solve_ivp(
        rates, (0, t[-1]), np.concatenate((np.eye(3).ravel(), start)), "DOP853", t, rtol=1e-13, atol=1e-13
    )
    np.testing.assert_allclose(top.angular_velocity(t), tight.y[9:].T, atol=3e-10)
    np.testing.assert_allclose(top.rotation(t), tight.y[:9].T.reshape(-1, 3, 3), atol=3e-10)
    np.testing.assert_allclose(top.angular_acceleration(0.0), rates(0, tight.y[:, 0])[9:], rtol=1e-12)


def test_symmetric_top_figures():
    top = SymmetricTop(transverse=0.04, axial=0.02, angular_velocity_0=(2.0, 4.0, 6.0))
    expected = [[-1.415504960961, -4.242210002522, 6.0], [1.081775534911, -4.339327331750, 6.0]]
    np.testing.assert_allclose(top.angular_velocity([1.0, 5.0]), expected, atol=1e-12)


def test_symmetric_top_keeps_its_momentum_fixed_in_space():
    top = SymmetricTop(transverse=0.04, axial=0.02, angular_velocity_0=(2.0, 4.0, 6.0))
    t = np.linspace(0.0, 3.0, 9)
    momentum = np.einsum("nij,nj->ni", top.rotation(t), np.array([0.04, 0.04, 0.02]) * top.angular_velocity(t))
    np.testing.assert_allclose(momentum, np.tile([0.08, 0.16, 0.12], (9, 1)), rtol=1e-13)


def test_heavy_top_figures():
    expected = [[0.4212966589, 0.8945719743, -0.1491647006], [0.6055505614, 0.5989576818, -0.5239830274]]
    np.testing.assert_allclose(HeavyTop().centre([0.1, 0.2]), expected, atol=2e-10)


def test_steady_precession_of_a_disc_on_a_horizontal_axle():
    rate = steady_precession(transverse=0.025, axial=0.005, spin=200.0, moment=1.0 * 9.81 * 0.15, inclination=np.pi / 2)
    assert rate == pytest.approx(1.4715, rel=1e-12)
