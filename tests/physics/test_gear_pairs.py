"""Gear and bevel pairs on a fixed housing: reflected inertia, teeth, steps of the load."""

import numpy as np
import pytest
from closed_form import gear_pair, impulse
from deck_text import DeckText
from running import DECKS, run

GEAR_PAIR = DECKS / "gear_pair" / "gear_pair.rad"
BEVEL_PAIR = DECKS / "bevel_pair" / "bevel_pair.rad"


def test_gear_pair_speeds_are_exact_at_every_sample():
    results = run(GEAR_PAIR)
    first, second = gear_pair(torque=1.0, inertia_1=0.02, inertia_2=0.08, alpha=0.5)
    t = results.times[1:]
    assert results.times[0] == 0.0 and results.times[-1] == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], first * t, rtol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 3)[1:], second * t, rtol=1e-9)
    np.testing.assert_allclose(results.joint("ANG1")[1:], first * t**2 / 2, rtol=1e-9)
    np.testing.assert_allclose(results.joint("VEL2")[1:], second * t, rtol=1e-9)
    np.testing.assert_allclose(results.node("DRZ", 2)[1:], first * t**2 / 2, rtol=1e-9)


def test_gear_pair_teeth_pass_half_of_the_torque():
    results = run(GEAR_PAIR)
    np.testing.assert_allclose(results.joint("T1"), -0.5, rtol=1e-6)
    np.testing.assert_allclose(results.joint("T2"), -1.0, rtol=1e-6)


def test_gear_pair_under_the_inverse_convention_turns_by_one_over_alpha():
    results = run(GEAR_PAIR, gjoint_alpha="inverse")
    first, second = gear_pair(torque=1.0, inertia_1=0.02, inertia_2=0.08, alpha=2.0)
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], first * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 3)[1:], second * results.times[1:], rtol=1e-9)


@pytest.mark.parametrize("alpha", [-3.0, 1e-3, 250.0])
def test_any_ratio_and_internal_gears_are_exact(alpha):
    deck = DeckText(t_end=0.2, dt=1e-4, every=0.01)
    deck.nodes({1: (0, 0, 0), 2: (0.1, 0, 0), 3: (-0.3, 0.2, 0.1)})
    deck.joint("GEAR", (1, 1.0, 1.0), [(2, 1.0, 0.02, (0, 0, 1)), (3, 1.0, 0.08, (0, 0, 1))], alpha=alpha)
    deck.hold([1])
    torque = (0.02 + 0.08 * alpha**2) * 1000.0 / max(1.0, abs(alpha))
    deck.load(2, "ZZ", torque)
    results = run(deck)
    first, second = gear_pair(torque, 0.02, 0.08, alpha)
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], first * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 3)[1:], second * results.times[1:], rtol=1e-9)


def test_bevel_pair_coasts_with_the_impulse_of_the_torque():
    results = run(BEVEL_PAIR)
    first, second = gear_pair(torque=0.4, inertia_1=0.01, inertia_2=0.04, alpha=0.5)
    effective_time = impulse([0, 0.5, 0.6, 1.0], [1, 1, 0, 0], results.times)[1:]
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], first * effective_time, rtol=1e-9)
    np.testing.assert_allclose(results.node("VRX", 3)[1:], second * effective_time, rtol=1e-9)
    assert results.node("VRZ", 2)[-1] == pytest.approx(11.0, rel=1e-9)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0.6, 0.8, 0), (-0.48, 0.6, 0.64), (0, 0, -1)])
def test_bevel_pairs_of_any_angle_are_exact(axis):
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0, 0, 0.2), 3: (0.1, 0.3, 0)})
    deck.joint("GEAR", (1, 1.0, 1.0), [(2, 1.0, 0.01, (0, 0, 1)), (3, 1.0, 0.04, axis)], alpha=0.5)
    deck.hold([1])
    deck.load(2, "ZZ", 0.4)
    results = run(deck)
    along = results.node_vector("VR", 3) @ np.array(axis)
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], 20.0 * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(along[1:], -10.0 * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node_vector("VR", 3), along[:, None] * np.array(axis), atol=1e-9)
