"""Trains of rotors: elimination of relations, angles to the last bit, the step of a gyrostat."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from fractions import Fraction

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.solver.constraints.elimination import Ambiguous, eliminate, in_parts
from gsolve.solver.constraints.gyrostat import set_rates, turn_carrier
from gsolve.solver.constraints.spins import COEFFICIENT, SPIN, TRAIN, angle_of, turn_spin
from scipy.spatial.transform import Rotation

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def test_all_relations_are_met_and_each_spin_is_that_of_its_fastest_angle():
    random = np.random.default_rng(3)
    relations = [
        dict(zip(random.choice(12, 3, replace=False).tolist(), random.normal(size=3), strict=True)) for _ in range(8)
    ]
    found = eliminate(range(12), relations)
    angles = np.zeros((12, len(found.independent)))
    for key, shares in found.angles.items():
        angles[key, list(shares)] = [float(c) for c in shares.values()]
    matrix = np.array([[relation.get(key, 0.0) for key in range(12)] for relation in relations])
    assert len(found.independent) == 12 - np.linalg.matrix_rank(matrix)
    np.testing.assert_allclose(matrix @ angles, 0.0, atol=1e-15 * np.abs(angles).max())
    np.testing.assert_allclose(np.abs(angles).max(axis=0), 1.0, rtol=1e-15)


def test_a_relation_that_follows_from_others_is_passed_by():
    relations = [{0: 0.3, 1: 1.0}, {1: 0.7, 2: 1.0}, {0: -0.3 * 0.7, 2: 1.0}]
    assert len(eliminate(range(3), relations).independent) == 1


def test_ratios_that_close_a_loop_but_for_rounding_are_not_decided():
    with pytest.raises(Ambiguous):
        eliminate(range(3), [{0: 0.3, 1: 1.0}, {1: 0.7, 2: 1.0}, {0: -0.21 * (1 + 1e-8), 2: 1.0}])


def test_ratios_that_do_not_close_lock_the_train():
    assert eliminate(range(3), [{0: 0.3, 1: 1.0}, {1: 0.7, 2: 1.0}, {0: 0.5, 2: 1.0}]).independent == []


def test_a_long_train_is_eliminated_in_its_length():
    found = eliminate(range(2001), [{k: 1.0, k + 1: 1.0} for k in range(2000)])
    assert [float(c) for c in found.angles[1000].values()] in ([1.0], [-1.0])
    assert len(found.independent) == 1


def spin_of(turns: float, angle: float, low: float) -> np.ndarray:
    spins = np.zeros(1, SPIN)
    spins["turns"], spins["angle"], spins["low"] = turns, angle, low
    return spins


@pytest.mark.parametrize("turns", [0, 1, -7, 12345, 10**7 + 1])
@pytest.mark.parametrize("ratio", [1.0, -1 / 3, 0.123456789, 1e-5])
def test_an_angle_is_right_to_round_off_at_any_number_of_turns(turns, ratio):
    getcontext().prec = 50
    c = Decimal(ratio) + Decimal("1e-18")
    coefficients = np.array([(0, *in_parts(c))], COEFFICIENT)
    found = angle_of(coefficients, 0, 1, spin_of(turns, 2.5, 1e-17), False)
    exact = c * (2 * PI * turns + Decimal("2.5") + Decimal("1e-17"))
    assert abs(found[1]) <= math.pi * (1 + 1e-15)
    off = exact - (2 * PI * Decimal(found[0]) + Decimal(found[1]))
    assert abs(off) < Decimal("2e-15")


def test_a_spin_adds_up_steps_without_rounding():
    spins, step = np.zeros(1, SPIN), 0.1234567
    for _ in range(1000):
        turn_spin(spins[0], step)
        for name in ("turns", "angle", "low"):
            spins[name] = spins["trial_" + name]
    value = 2 * PI * Decimal(spins["turns"][0]) + Decimal(spins["angle"][0]) + Decimal(spins["low"][0])
    exact = 1000 * Fraction(step)
    assert abs(value - Decimal(exact.numerator) / Decimal(exact.denominator)) < Decimal("1e-15")


def random_gyrostat(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, twin.Gyrostat]:
    """Records of a train of two spins on a free carrier, the numbers of trains, and the same for the twin."""
    random = np.random.default_rng(seed)
    axes = Rotation.random(random_state=seed).as_matrix()
    locked = axes @ np.diag(random.uniform(2.0, 3.0, 3)) @ axes.T
    masses, coupling = np.diag(random.uniform(0.2, 0.4, 2)), 0.2 * random.normal(size=(3, 2))
    masses[0, 1] = masses[1, 0] = 0.05
    stored = coupling @ np.linalg.inv(masses)
    train, spins = np.zeros(1, TRAIN), np.zeros(2, SPIN)
    train["carrier"], train["coupling"] = 1, 4
    train["inertia"] = locked - stored @ coupling.T
    train["inverse_inertia"] = np.linalg.inv(train["inertia"][0])
    rotation = Rotation.random(random_state=seed + 1)
    train["quaternion"], train["rotation"] = rotation.as_quat(scalar_first=True), rotation.as_matrix()
    train["momentum"], train["trial_momentum"] = random.normal(size=(2, 3))
    spins["momentum"], spins["trial_momentum"] = random.normal(size=(2, 2))
    numbers = np.concatenate([np.linalg.inv(masses).ravel(), stored.ravel()])
    return train, spins, numbers, twin.Gyrostat(locked, coupling, masses)


@pytest.mark.parametrize("weight", [0.0, 1.0, 0.3])
def test_rates_of_a_gyrostat_have_its_momenta(weight):
    train, spins, numbers, same = random_gyrostat(2)
    set_rates(train[0], spins, 0, 2, numbers, weight)
    momentum = (1 - weight) * train["momentum"][0] + weight * train["trial_momentum"][0]
    momenta = (1 - weight) * spins["momentum"] + weight * spins["trial_momentum"]
    rate, rates = same.rates(train["rotation"][0].T @ momentum, momenta)
    np.testing.assert_allclose(train["rate"][0], rate, atol=1e-14)
    np.testing.assert_allclose(spins["rate"], rates, atol=1e-14)


@pytest.mark.parametrize("h", [1e-4, 0.05, 0.3])
def test_a_step_of_a_gyrostat_is_that_of_its_discrete_lagrangian(h):
    """The twin solves the equations of the momenta at once, by their definition."""
    train, spins, numbers, same = random_gyrostat(4)
    momenta = spins["trial_momentum"].copy()
    stored = numbers[4:].reshape(3, 2) @ momenta
    assert turn_carrier(train[0], tuple(stored), h)
    theta, growth = same.step(train["rotation"][0].T @ train["trial_momentum"][0], momenta, h)
    np.testing.assert_allclose(train["theta"][0], theta, atol=1e-14)
    grown = h * numbers[:4].reshape(2, 2) @ momenta - numbers[4:].reshape(3, 2).T @ train["theta"][0]
    np.testing.assert_allclose(grown, growth, atol=1e-14)
    turned = train["rotation"][0] @ Rotation.from_rotvec(theta).as_matrix()
    np.testing.assert_allclose(train["trial_rotation"][0], turned, atol=1e-14)
