"""Differentials and planetary sets whose axes stand still."""

import numpy as np
import pytest
from closed_form import constrained_accelerations, willis_row
from deck_text import DeckText
from running import DECKS, run


def test_open_differential_is_exact_and_splits_the_torque_evenly():
    results = run(DECKS / "open_differential" / "open_differential.rad")
    expected, multiplier = constrained_accelerations([0.05, 0.4, 0.4], [-0.5, 1, 1], [20, -20, -5])
    for node, channel, acceleration in zip((2, 3, 4), ("VRX", "VRY", "VRY"), expected, strict=True):
        np.testing.assert_allclose(results.node(channel, node)[1:], acceleration * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.joint("T2"), multiplier[0], rtol=1e-6)
    np.testing.assert_allclose(results.joint("T3"), multiplier[0], rtol=1e-6)
    np.testing.assert_allclose(results.joint("T1"), -0.5 * multiplier[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("deck", "sun", "ring", "carrier"),
    [("planetary_gear/planetary_gear.rad", 2, 3, 1), ("planetary_diff/planetary_diff.rad", 5, 3, 2)],
)
def test_both_forms_of_a_planetary_set_follow_willis(deck, sun, ring, carrier):
    results = run(DECKS / deck)
    expected, _ = constrained_accelerations([0.01, 0.1, 0.05], willis_row(24, 60), [1.0, 0.0, 0.0])
    for node, acceleration in zip((sun, ring, carrier), expected, strict=True):
        np.testing.assert_allclose(results.node("VRZ", node)[1:], acceleration * results.times[1:], rtol=1e-9)


def test_planetary_set_with_held_ring():
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0, 0, -0.05), 3: (0, 0, 0.05)})
    deck.joint("GEAR", (1, 4.0, 0.05), [(2, 1.0, 0.01, (0, 0, 1)), (3, 3.0, 0.1, (0, 0, 1))], alpha=0.4)
    deck.hold([1], "111 110")
    deck.hold([3])
    deck.load(2, "ZZ", 1.0)
    results = run(deck)
    sun = 1.0 / (0.01 + 0.05 * (2 / 7) ** 2)
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], sun * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 1)[1:], 2 / 7 * sun * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node_vector("VR", 3), 0.0, atol=1e-12)


def test_planetary_set_that_flies_freely_follows_willis_on_its_axis():
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0, 0, -0.05), 3: (0, 0, 0.05)})
    deck.joint("GEAR", (1, 4.0, 0.05), [(2, 1.0, 0.01, (0, 0, 1)), (3, 3.0, 0.1, (0, 0, 1))], alpha=0.4)
    deck.load(2, "ZZ", 1.0)
    results = run(deck)
    expected, _ = constrained_accelerations([0.01, 0.1, 0.05], willis_row(24, 60), [1.0, 0.0, 0.0])
    for node, acceleration in zip((2, 3, 1), expected, strict=True):
        np.testing.assert_allclose(results.node("VRZ", node)[1:], acceleration * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.angular_momentum()[:, 2], results.times, atol=1e-12)


def test_differential_shafts_turn_against_each_other_when_the_third_is_held():
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0.2, 0, 0), 3: (-0.1, 0.15, 0), 4: (-0.1, -0.15, 0.02)})
    shafts = [(2, 1.5, 0.005, (1, 0, 0)), (3, 2.0, 0.01, (0, 0, 1)), (4, 1.2, 0.008, (0, 0, 1))]
    deck.joint("DIFF", (1, 1.0, 1.0), shafts, alpha=2.0)
    deck.hold([1, 2])
    deck.load(3, "ZZ", 0.05)
    results = run(deck)
    expected = 0.05 / 0.018 * results.times[1:]
    np.testing.assert_allclose(results.node("VRZ", 3)[1:], expected, rtol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 4)[1:], -expected, rtol=1e-9)
