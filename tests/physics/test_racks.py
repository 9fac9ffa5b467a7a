"""Racks: against a spring, under a load, and sliding by the centrifugal acceleration of a turning carrier."""

import numpy as np
import pytest
from closed_form import RackOnRotor, SpringOscillator, constrained_accelerations
from deck_text import DeckText
from running import DECKS, observed_order, run

RACK_AND_PINION = DECKS / "rack_and_pinion" / "rack_and_pinion.rad"
OSCILLATOR = SpringOscillator(mass=2.0 + 0.005 / 0.05**2, stiffness=400.0, velocity=-0.5)


def test_rack_on_a_spring_is_the_leapfrog_oscillator_to_round_off():
    results = run(RACK_AND_PINION)
    expected = OSCILLATOR.stepped_position(results.times, 1e-4)
    np.testing.assert_allclose(results.node("DX", 3), expected, atol=0.05 * 1e-9)
    np.testing.assert_allclose(results.joint("U2"), -0.05 * results.joint("ANG1"), atol=1e-14)


def test_rack_on_a_spring_converges_to_the_sine_at_second_order():
    steps = [4e-3, 2e-3, 1e-3]
    errors = []
    for step in steps:
        results = run(RACK_AND_PINION, dt=step, every=0.1)
        errors.append(float(np.max(np.abs(results.node("DX", 3) - OSCILLATOR.position(results.times)))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.02)


def test_energy_of_a_conservative_spring_mass_gear_model_closes_over_1e5_steps():
    results = run(RACK_AND_PINION, t_end=10.0, every=0.05)
    total, error = results.scalar("energy", "total"), results.scalar("energy", "error")
    assert total[0] == pytest.approx(0.5, rel=1e-5)
    assert np.max(np.abs(error)) <= 1e-10 * abs(total[0])
    assert np.ptp(results.scalar("energy", "spring")) > 0.45


def test_rack_lift_in_mg_mm_s_with_a_joint_given_in_si():
    results = run(DECKS / "split_deck" / "rack_lift_0000.rad")
    accelerations, _ = constrained_accelerations([5.0, 8e-3], [-50.0, 1.0], [5000.0, -8e-3 * 9810.0])
    assert accelerations[1] == pytest.approx(2152.0, rel=1e-12)
    np.testing.assert_allclose(results.node("VZ", 3)[1:], 2152.0 * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node("DZ", 3)[1:], 1076.0 * results.times[1:] ** 2, rtol=1e-9)
    np.testing.assert_allclose(results.joint("F2")[1:], 8e-3 * (2152.0 + 9810.0), rtol=1e-6)


@pytest.mark.parametrize("inertia", [0.0, 0.02])
def test_rack_under_a_torque_is_exact_with_and_without_inertia_of_its_own(inertia):
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (0, 0.05, 0), 3: (0.2, 0, 0)})
    deck.joint("RACK", (1, 1.0, 1.0), [(2, 1.0, 0.01, (0, 0, 1)), (3, 2.0, inertia, (1, 0, 0))], alpha=0.05)
    deck.hold([1])
    deck.load(2, "ZZ", 0.1)
    results = run(deck)
    (pinion, rack), _ = constrained_accelerations([0.01, 2.0], [0.05, 1.0], [0.1, 0.0])
    np.testing.assert_allclose(results.node("VRZ", 2)[1:], pinion * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(results.node("VX", 3)[1:], rack * results.times[1:], rtol=1e-9)


def turning_rack(track: tuple[float, float, float], dt: float) -> DeckText:
    """A carrier driven at 10 rad/s about z; the rack starts at rest on it, off the axis."""
    deck = DeckText(t_end=0.2, dt=dt, every=0.02)
    pinion, rack, spin = (0.0, 0.05, 0.0), (0.2, 0.13, 0.07), 10.0
    deck.nodes({1: (0, 0, 0), 2: pinion, 3: rack})
    deck.joint("RACK", (1, 1.0, 1.0), [(2, 1.0, 0.01, (0, 0, 1)), (3, 2.0, 0.02, track)], alpha=0.3)
    deck.hold([1], "111 110")
    deck.turn_steadily(1, "ZZ", spin)
    for node, place in ((1, (0.0, 0.0, 0.0)), (2, pinion), (3, rack)):
        deck.velocity(node, (-spin * place[1], spin * place[0], 0.0), (0.0, 0.0, spin))
    return deck


@pytest.mark.parametrize("track", [(1.0, 0.0, 0.0), (0.6, 0.0, 0.8), (0.48, -0.64, 0.6)])
def test_rack_slides_by_its_centrifugal_acceleration_at_second_order(track):
    along = np.array(track)
    motion = RackOnRotor(2.0, 0.01, 0.3, 10.0, offset=along[:2] @ [0.2, 0.13], across=along[:2] @ along[:2])
    steps, errors = [2e-3, 1e-3, 5e-4], []
    for step in steps:
        results = run(turning_rack(track, step))
        slide = motion.slide(results.times)
        errors.append(float(np.max(np.abs(results.joint("U2") - slide)) / np.max(np.abs(slide))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)
    assert errors[-1] < 1e-4


def test_rack_at_right_angles_to_its_offset_stays_where_it_is():
    results = run(turning_rack((0.0, 0.0, 1.0), 1e-3))
    np.testing.assert_allclose(results.joint("U2"), 0.0, atol=1e-12)
    np.testing.assert_allclose(results.joint("T1"), 0.0, atol=1e-10)
    np.testing.assert_allclose(results.node("VRZ", 2), 10.0, rtol=1e-12)
