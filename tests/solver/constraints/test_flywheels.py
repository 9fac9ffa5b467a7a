"""A carrier and its rotors as one body and flywheels: the same motion as that of the gyrostat, and the same masses."""

from __future__ import annotations

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.solver.constraints.flywheels import (
    GYROSTAT,
    ON_FLYWHEEL,
    along_coupling,
    carry_axes,
    drift_gyrostat,
    exchange_momenta,
    largest_turn_of,
    rate_of_spin,
    set_entries_on_flywheels,
    stored_in,
    turn_momentum,
)
from gsolve.solver.constraints.rows import ENTRY
from gsolve.solver.constraints.spins import COEFFICIENT, ROTOR, SPIN
from gsolve.solver.core.bodies import BODY, GENERAL
from gsolve.solver.core.body_points import set_trial_mobility
from scipy.spatial.transform import Rotation


class Made:
    """A gyrostat of two spins at random: body 1, flywheels 2 and 3; momenta of t_{n-1/2} and of the step at hand.

    l, p : of all about the common centre, in body axes, and of the spins, for the step at hand
    """

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        axes = Rotation.random(random_state=seed).as_matrix()
        locked = axes @ np.diag(random.uniform(2.0, 3.0, 3)) @ axes.T
        self.masses, self.moments = np.diag(random.uniform(0.2, 0.4, 2)), 0.2 * random.normal(size=(3, 2))
        self.masses[0, 1] = self.masses[1, 0] = 0.05
        self.same = twin.Gyrostat(locked, self.moments, self.masses)
        self.rates = np.linalg.inv(np.linalg.cholesky(self.masses)).T
        self.coupling = self.moments @ np.linalg.inv(self.masses)
        self.numbers = np.concatenate([self.moments.ravel(), self.rates.ravel(), self.coupling.ravel()])
        gyrostat = np.zeros(1, GYROSTAT)
        gyrostat["body"], gyrostat["first_flywheel"], gyrostat["last_spin"] = 1, 2, 2
        gyrostat["rates"], gyrostat["coupling"] = 6, 10
        self.gyrostat, self.spins, self.bodies = gyrostat[0], np.zeros(2, SPIN), np.zeros(4, BODY)
        body, rotation = self.bodies[1], Rotation.random(random_state=seed + 1)
        body["turning"], body["inertia"] = GENERAL, locked - self.coupling @ self.moments.T
        body["inverse_inertia"] = np.linalg.inv(body["inertia"])
        body["quaternion"], body["rotation"] = rotation.as_quat(scalar_first=True), rotation.as_matrix()
        self.body, self.rotation = body, body["rotation"]
        self.l, self.p = random.normal(size=3), random.normal(size=2)
        body["trial_momentum"] = self.rotation @ (self.l - self.coupling @ self.p)
        self.bodies["trial_velocity"][2:, 0] = self.rates.T @ self.p
        self.bodies["velocity"][2:, 0] = random.normal(size=2)

    def drift(self, h: float) -> bool:
        return bool(drift_gyrostat(self.gyrostat, self.bodies, self.spins, self.numbers, h))


def test_what_a_moment_on_a_spin_does_is_what_the_masses_of_carrier_and_rotors_say():
    """(M, Q) on carrier and spins: the inverse of [[I_l, J], [J^T, D]], which the twin has, by body and flywheels."""
    made, random = Made(3), np.random.default_rng(1)
    moment, forces = random.normal(size=3), random.normal(size=2)
    omega = made.body["inverse_inertia"] @ (moment - made.coupling @ forces)
    made.bodies["velocity"][2:, 0] = made.rates.T @ forces
    w = [rate_of_spin(made.gyrostat, made.bodies, made.numbers, j, 0.0) for j in range(2)]
    rates = [w[j] - along_coupling(made.gyrostat, made.numbers, j, tuple(omega)) for j in range(2)]
    expected, expected_rates = made.same.rates(moment, forces)
    np.testing.assert_allclose(omega, expected, atol=1e-14)
    np.testing.assert_allclose(rates, expected_rates, atol=1e-14)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_what_rotors_store_is_their_momentum_apart_from_the_carrier(weight):
    made = Made(5)
    z = (1 - weight) * made.bodies["velocity"][2:, 0] + weight * made.bodies["trial_velocity"][2:, 0]
    found = stored_in(made.gyrostat, made.bodies, made.numbers, weight)
    np.testing.assert_allclose(found, made.moments @ made.rates @ z, atol=1e-15)


@pytest.mark.parametrize("h", [1e-4, 0.05, 0.3])
def test_a_step_is_that_of_the_discrete_lagrangian_of_the_gyrostat(h):
    made = Made(4)
    assert made.drift(h)
    theta, growth = made.same.step(made.l, made.p, h)
    np.testing.assert_allclose(made.body["theta"], theta, atol=1e-14)
    np.testing.assert_allclose(made.spins["trial_growth"], growth, atol=1e-14)
    turned = made.rotation @ Rotation.from_rotvec(theta).as_matrix()
    np.testing.assert_allclose(made.body["trial_rotation"], turned, atol=1e-14)


def test_the_momentum_of_all_stays_as_the_carrier_turns():
    made = Made(6)
    assert made.drift(0.2)
    before = made.rotation @ made.l
    turn_momentum(made.gyrostat, made.body)
    stored = made.body["trial_rotation"] @ made.coupling @ made.p
    np.testing.assert_allclose(made.body["trial_momentum"] + stored, before, atol=1e-15)


@pytest.mark.parametrize("h", [1e-3, 0.03, 0.1])
def test_the_trial_mobility_of_the_whole_momentum_tells_how_an_impulse_turns_a_carrier(h):
    """Against differences of drifts, to the third order of the angle of the step; rotors at their rates."""
    made, impulse, found = Made(11), 1e-3, np.zeros((3, 3))
    made.bodies["trial_velocity"][2:, 0] *= 5.0
    for k, moment in enumerate(impulse * np.eye(3)):
        ends = []
        for sign in (1.0, -1.0):
            made.body["trial_momentum"] += sign * moment
            assert made.drift(h)
            ends.append(Rotation.from_matrix(made.body["trial_rotation"]))
            made.body["trial_momentum"] -= sign * moment
        found[:, k] = (ends[0] * ends[1].inv()).as_rotvec() / (2 * impulse * h)
    assert made.drift(h)
    momentum = made.body["trial_momentum"].copy()
    exchange_momenta(made.gyrostat, made.body)
    set_trial_mobility(made.body, h)
    exchange_momenta(made.gyrostat, made.body)
    np.testing.assert_array_equal(made.body["trial_momentum"], momentum)
    angle, size = np.linalg.norm(made.body["theta"]), np.abs(made.body["inverse_inertia"]).max()
    np.testing.assert_allclose(made.body["mobility"], found, atol=(1e-9 + angle**3) * size)


def test_axes_are_carried_by_the_mean_of_both_ends_of_a_step():
    made = Made(7)
    assert made.drift(0.1)
    carry_axes(made.gyrostat, made.body, made.spins)
    mean = 0.5 * (made.rotation + made.body["trial_rotation"])
    np.testing.assert_allclose(made.spins["carried"], made.spins["trial_growth"][:, None, None] * mean, atol=1e-16)


def test_a_step_that_turns_too_far_is_refused():
    assert not Made(8).drift(30.0)


def test_the_fastest_rotor_turns_with_its_carrier_and_about_its_axis():
    made = Made(9)
    assert made.drift(0.1)
    rotors, coefficients = np.zeros(2, ROTOR), np.array([(0, 0.5, 0.0, 0.0), (1, -2.0, 0.0, 0.0)], COEFFICIENT)
    rotors["start"], rotors["end"], rotors["axis"] = [0, 1], [1, 2], [[0.0, 0.0, 1.0], [0.6, 0.0, 0.8]]
    fastest = np.arange(2)
    made.gyrostat["last_fastest"] = 2
    found = largest_turn_of(made.gyrostat, made.bodies, made.spins, rotors, coefficients, fastest)
    growth = np.array([0.5, -2.0]) * made.spins["trial_growth"]
    turns = made.body["theta"] + growth[:, None] * rotors["axis"]
    assert found == pytest.approx(np.max(np.sum(turns**2, axis=1)), rel=1e-14)


def test_entries_on_flywheels_are_what_they_are_made_with():
    entries = np.zeros(3, ENTRY)
    set_entries_on_flywheels(np.array([(0, 0.5), (2, -1.5)], ON_FLYWHEEL), 0, 2, entries)
    np.testing.assert_array_equal(entries["jacobian"][:, 0], [0.5, 0.0, -1.5])
