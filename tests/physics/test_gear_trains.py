"""Trains of many stages on one housing."""

import numpy as np
import pytest
from closed_form import FreeHousingTrain
from deck_text import DeckText
from gsolve.solver.assembly.assemble import assemble
from running import DECKS, observed_order, read, run

GEAR_TRAIN = DECKS / "gear_train_20" / "gear_train_20.rad"
SHAFTS = 21


def closed_form() -> FreeHousingTrain:
    places = np.array([[0.1 * (k - 10), 0.02 * (-1) ** k] for k in range(SHAFTS)])
    return FreeHousingTrain(places, np.ones(SHAFTS), np.full(SHAFTS, 0.01), np.full(20, 0.8), 200.0, 20.0)


def test_ratios_of_twenty_stages_are_exact_at_every_sample():
    results = run(GEAR_TRAIN)
    for stage in range(1, SHAFTS):
        residual = 0.8 * results.joint("ANG1", stage) + results.joint("ANG2", stage)
        np.testing.assert_allclose(residual, 0.0, atol=1e-13)
    housing = results.node("VRZ", 100)
    first, last = results.node("VRZ", 1) - housing, results.node("VRZ", SHAFTS) - housing
    np.testing.assert_allclose(last[1:] / first[1:], 0.8**20, rtol=1e-10)


def test_train_on_a_free_housing_accelerates_by_its_closed_form():
    results = run(GEAR_TRAIN)
    housing, relative = closed_form().accelerations(torque=1.0)
    t = results.times[1:]
    np.testing.assert_allclose(results.node("VRZ", 100)[1:], housing * t, rtol=1e-7)
    np.testing.assert_allclose(results.joint("VEL1", 1)[1:], relative * t, rtol=1e-7)
    np.testing.assert_allclose(results.angular_momentum()[:, 2], results.times, atol=1e-12)
    np.testing.assert_allclose(results.momentum(), 0.0, atol=1e-12)


def test_a_light_free_housing_turns_by_its_closed_form():
    """To round-off as one body with spins, at second order with all rows."""
    places = np.array([[-0.2, 0.1], [0.1, 0.0], [0.3, -0.2]])
    train = FreeHousingTrain(places, np.array([1.0, 2.0, 1.5]), np.full(3, 0.01), np.array([0.5, 0.8]), 1.0, 0.02)
    housing, _ = train.accelerations(torque=2.0)
    steps, errors, errors_of_spins = [4e-3, 2e-3, 1e-3], [], []
    for step in steps:
        deck = DeckText(t_end=0.8, dt=step, every=0.08)
        deck.nodes({9: (0, 0, 0), **{k + 1: (*place, 0.05 * k) for k, place in enumerate(places)}})
        shafts = [(k + 1, mass, 0.01, (0, 0, 1)) for k, mass in enumerate((1.0, 2.0, 1.5))]
        deck.joint("GEAR", (9, 1.0, 0.02), shafts[:2], alpha=0.5)
        deck.joint("GEAR", (9, 0.0, 0.0), [(2, 0.0, 0.0, (0, 0, 1)), shafts[2]], alpha=0.8)
        deck.hold([9], "001 110")
        deck.load(1, "ZZ", 2.0)
        for found, general in ((errors, True), (errors_of_spins, False)):
            results = run(deck, general=general)
            found.append(float(np.max(np.abs(results.node("DRZ", 9) - housing * results.times**2 / 2))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)
    assert max(errors_of_spins) < 1e-12


def test_rows_of_a_train_are_made_once_for_each_shaft_on_the_housing():
    system = assemble(read(GEAR_TRAIN), "documented").system
    assert system.joints["n_rows"].tolist() == [5] * SHAFTS
    assert len(system.rows) == 5 * SHAFTS + 20
    assert len(system.relations) == 20


def test_train_on_a_fixed_housing_is_exact():
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes({100: (0, 0, 0), **{k + 1: (0.1 * k, 0.02 * (-1) ** k, 0.03 * k) for k in range(SHAFTS)}})
    for k in range(1, SHAFTS):
        first = (k, 1.0, 0.01, (0, 0, 1)) if k == 1 else (k, 0.0, 0.0, (0, 0, 1))
        deck.joint("GEAR", (100, 1.0, 1.0), [first, (k + 1, 1.0, 0.01, (0, 0, 1))], alpha=0.8)
    deck.hold([100])
    deck.load(1, "ZZ", 1.0)
    results = run(deck)
    speed = 1.0 / (0.01 * np.sum(0.64 ** np.arange(SHAFTS))) * results.times[1:]
    for k in (0, 1, 10, 20):
        np.testing.assert_allclose(results.node("VRZ", k + 1)[1:], (-0.8) ** k * speed, rtol=1e-9)
