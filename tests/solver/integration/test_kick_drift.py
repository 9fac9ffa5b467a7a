"""The passes of a step over bodies, one body at a time: kick, estimate of v_n, drift, commit."""

from __future__ import annotations

from fractions import Fraction

import naive.core as core_twin
import naive.integration as twin
import numpy as np
import pytest
from gsolve.solver.core import body_points
from gsolve.solver.core.bodies import GENERAL, NO_ROTATION, SPHERICAL, new_bodies
from gsolve.solver.integration import kick_drift
from gsolve.solver.integration.system import SUBSYSTEM
from naive import quaternion
from scipy.spatial.transform import Rotation

KINDS = {"point": NO_ROTATION, "ball": SPHERICAL, "any": GENERAL, "pivoted": GENERAL, "held": NO_ROTATION}
SIZES = {"zero": 0.0, "tiny": 1e-9, "plain": 1.0}


def body_in_motion(kind, size, seed):
    """A body under forces of all sorts; `size` scales all of its motion."""
    random = np.random.default_rng(seed)
    body = new_bodies(2)[1]
    body["turning"] = KINDS[kind]
    if kind in ("point", "held"):
        body["mass"], body["inverse_mass"] = 2.5, 0.4 if kind == "point" else 0.0
    elif kind == "ball":
        body["mass"], body["inverse_mass"] = 2.5, 0.4
        body["inertia"], body["inverse_inertia"] = 0.3 * np.eye(3), np.eye(3) / 0.3
    else:
        places = random.normal(size=(5, 3))
        twin.set_cloud(body, random.uniform(0.5, 2.0, 5), places, places[0] if kind == "pivoted" else None)
    turn = Rotation.from_rotvec(random.normal(size=3)) if body["turning"] else Rotation.identity()
    body["rotation"], body["quaternion"] = turn.as_matrix(), quaternion(turn)
    for name in ("velocity", "trial_velocity", "momentum", "trial_momentum", "displacement"):
        body[name] = size * random.normal(size=3) * (0.0 if "velocity" in name and kind == "held" else 1.0)
    for name in ("elastic", "external", "dissipative", "last_dissipative"):
        body[name] = size * random.normal(size=6)
    body["gravity"] = random.normal(size=3)
    body["turned"] = random.normal(size=3)
    return body


def kick(body, time):
    kick_drift.kick_body(body, time)


def kick_by_change(body, time):
    bodies = new_bodies(1)
    bodies[0] = body
    kick_drift.kick_by_change(bodies, None, 0, 1, time, 0.5, False)
    body["trial_velocity"], body["trial_momentum"] = bodies[0]["trial_velocity"], bodies[0]["trial_momentum"]


def drift(body, dt):
    return kick_drift.drift_body(body, dt)


def commit_rotation(subsystem, body):
    kick_drift.commit_rotation(subsystem, body)


def start_forces(body):
    kick_drift.start_forces_on(body, None, 1, 0.1)


def renew_mean_velocity(body, weight):
    kick_drift.renew_mean_velocity(body, None, 1, weight)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kick_adds_forces_over_mass_and_moments_to_the_momentum(kind, size):
    for seed in range(3):
        body = body_in_motion(kind, size, seed)
        velocity, momentum = twin.kicked(body, 0.3)
        kick(body, 0.3)
        np.testing.assert_allclose(body["trial_velocity"], velocity, atol=2e-15)
        np.testing.assert_allclose(body["trial_momentum"], momentum, atol=2e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_estimate_of_damped_forces_kicks_by_what_it_changes(kind):
    """Kicked first with the old forces and then by the change, a body is where the new forces bring it at once."""
    body = body_in_motion(kind, 1.0, 4)
    old, new = body["last_dissipative"].copy(), body["dissipative"].copy()
    velocity, momentum = twin.kicked(body, 0.3)
    body["dissipative"] = old
    kick(body, 0.3)
    body["dissipative"] = new
    kick_by_change(body, 0.3)
    np.testing.assert_allclose(body["trial_velocity"], velocity, atol=2e-15)
    np.testing.assert_allclose(body["trial_momentum"], momentum, atol=2e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_change_of_forces_kicks_is_known_for_the_rates_of_rows(kind):
    body = body_in_motion(kind, 1.0, 6)
    bodies = new_bodies(1)
    bodies[0] = body
    kick_drift.kick_by_change(bodies, None, 0, 1, 0.3, 0.5, False)
    kick_drift.find_kicked_spins(bodies, 0, 1, 0.3)
    rotation = body["rotation"]
    spin = rotation @ body["inverse_inertia"] @ rotation.T @ (bodies[0]["trial_momentum"] - body["trial_momentum"])
    np.testing.assert_allclose(
        bodies[0]["kicked"][:3], bodies[0]["trial_velocity"] - body["trial_velocity"], atol=1e-15
    )
    np.testing.assert_allclose(bodies[0]["kicked"][3:], spin, atol=1e-13)


@pytest.mark.parametrize("angle", [1e-4, 0.03, 0.3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_trial_mobility_tells_how_an_impulse_turns_a_body_in_a_step(kind, angle):
    """Against differences of drifts, to the third order of the angle of the step."""
    body, dt, impulse = body_in_motion(kind, 1.0, 5), 0.1, 1e-5
    body["trial_momentum"] *= angle / (dt * np.linalg.norm(body["inverse_inertia"] @ body["trial_momentum"]) + 1e-30)
    assert drift(body, dt)
    body_points.set_trial_mobility(body, dt)
    found = np.zeros((3, 3))
    for k, moment in enumerate(impulse * np.eye(3)):
        ends = []
        for sign in (1.0, -1.0):
            other = new_bodies(1)
            other[0] = body
            other[0]["trial_momentum"] += sign * moment
            assert drift(other[0], dt)
            ends.append(Rotation.from_matrix(other[0]["trial_rotation"]))
        found[:, k] = (ends[0] * ends[1].inv()).as_rotvec() / (2 * impulse * dt)
    size = np.abs(body["inverse_inertia"]).max()
    np.testing.assert_allclose(body["mobility"], found, atol=(1e-9 + angle**3) * size)


@pytest.mark.parametrize("dt", [1e-6, 0.05, 0.2])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_drift_moves_and_turns_a_body_as_the_twin_does(kind, size, dt):
    for seed in range(3):
        body = body_in_motion(kind, size, seed)
        body["trial_rotation"] = body["rotation"]
        displacement, rotation, theta = twin.drifted(body, dt)
        assert drift(body, dt)
        np.testing.assert_allclose(body["trial_displacement"], displacement, rtol=0, atol=4e-16)
        np.testing.assert_allclose(body["trial_rotation"], rotation, rtol=0, atol=4e-15)
        if body["turning"]:
            np.testing.assert_allclose(body["theta"], theta, rtol=0, atol=1e-12 * np.linalg.norm(theta))
            np.testing.assert_allclose(twin.rotation_of(body["trial_quaternion"]), rotation, rtol=0, atol=4e-15)


@pytest.mark.parametrize("kind", ["any", "ball"])
def test_a_free_body_goes_through_a_hundred_steps_as_the_twin_does(kind):
    body, subsystem = body_in_motion(kind, 1.0, 5), np.zeros(1, SUBSYSTEM)
    reference = body.copy()
    turned, largest = body["turned"].copy(), 0.0
    for _ in range(100):
        for name in ("elastic", "external", "dissipative"):
            body[name] = reference[name] = 0.0
        kick(body, 0.02)
        assert drift(body, 0.02)
        commit_rotation(subsystem[0], body)
        body["displacement"], body["low_displacement"] = body["trial_displacement"], body["trial_low_displacement"]
        body["velocity"] = body["trial_velocity"]

        reference["trial_velocity"], reference["trial_momentum"] = twin.kicked(reference, 0.02)
        place, rotation, theta = twin.drifted(reference, 0.02)
        turn = reference["rotation"] @ theta
        reference["displacement"], reference["rotation"] = place, rotation
        reference["velocity"], reference["momentum"] = reference["trial_velocity"], reference["trial_momentum"]
        turned, largest = turned + turn, max(largest, turn @ turn)
    np.testing.assert_allclose(body["displacement"], reference["displacement"], atol=1e-13)
    np.testing.assert_allclose(body["rotation"], reference["rotation"], atol=1e-12)
    np.testing.assert_allclose(body["turned"], turned, atol=1e-12)
    assert subsystem["largest_turn"][0] == pytest.approx(largest, rel=1e-11)


def test_a_sum_of_many_small_steps_loses_nothing_to_rounding():
    """Against exact fractions: the two parts of the displacement together are good to the square of round-off."""
    body, exact = body_in_motion("point", 1.0, 7), [Fraction(0)] * 3
    random = np.random.default_rng(7)
    body["displacement"] = 0.0
    for _ in range(3000):
        body["trial_velocity"] = random.normal(size=3) * 10.0 ** random.uniform(-6, 3)
        assert drift(body, 1e-3)
        body["displacement"], body["low_displacement"] = body["trial_displacement"], body["trial_low_displacement"]
        exact = [total + Fraction(float(1e-3 * v)) for total, v in zip(exact, body["trial_velocity"], strict=True)]
    for c in range(3):
        found = Fraction(float(body["displacement"][c])) + Fraction(float(body["low_displacement"][c]))
        assert abs(float(found - exact[c])) < 1e-26 * 3000
        assert body["displacement"][c] == float(exact[c])


@pytest.mark.parametrize(
    ("name", "value"), [("trial_velocity", 1e27), ("trial_momentum", 1e4), ("trial_velocity", np.nan)]
)
def test_a_body_that_moves_beyond_all_bounds_is_told(name, value):
    body = body_in_motion("any", 1.0, 2)
    body[name] = value
    assert not drift(body, 0.1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [0.0, 0.5, 0.75, 1.0])
def test_estimates_of_velocities_lie_between_those_of_the_half_steps(kind, weight):
    body = body_in_motion(kind, 1.0, 3)
    start_forces(body)
    np.testing.assert_array_equal(body["mean_velocity"], body["velocity"])
    spin = core_twin.angular_velocity(body, body["momentum"])
    np.testing.assert_allclose(body["mean_angular_velocity"], spin, atol=1e-14)
    assert not body["elastic"].any() and not body["dissipative"].any()
    body["dissipative"] = (1, 2, 3, 4, 5, 6)
    renew_mean_velocity(body, weight)
    mean = (1 - weight) * body["velocity"] + weight * body["trial_velocity"]
    np.testing.assert_allclose(body["mean_velocity"], mean, atol=1e-15)
    momentum = (1 - weight) * body["momentum"] + weight * body["trial_momentum"]
    spin = core_twin.angular_velocity(body, momentum)
    np.testing.assert_allclose(body["mean_angular_velocity"], spin, atol=1e-14)
    assert body["last_dissipative"].tolist() == [1, 2, 3, 4, 5, 6] and not body["dissipative"].any()
