"""Trains of rotors that are condensed to their spins, against the general path and by what they must keep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from deck_text import DeckText
from gsolve.solver.run.simulation import Simulation, SimulationError
from random_trains import PlanetarySet, RandomTrain
from running import Results, observed_order, read, run

# Largest difference of the two paths, by the size of a quantity; accelerations and reactions have the round-off of
# positions over dt^2 on the general path.
SAME, SAME_FORCE = 1e-11, 1e-7
OF_FORCES = ("AX", "AY", "AZ", "AR", "T1", "T2", "T3", "F", "M")


def is_of_forces(channel: str) -> bool:
    return channel.startswith(OF_FORCES) or channel in ("T", "POWER")


def size_of(results: Results, group: str, channel: str) -> float:
    """Of all channels of its kind: components share one."""
    stem = channel.rstrip("XYZxyz0123456789")
    kinds = [values for name, values in results.values[group].items() if name.rstrip("XYZxyz0123456789") == stem]
    return max(float(np.nanmax(np.abs(values), initial=0.0)) for values in kinds)


def check_same(condensed: Results, general: Results, *, same: float = SAME, same_force: float = SAME_FORCE) -> None:
    """All columns of both runs agree."""
    assert any("unknown" in text for label, text in condensed.simulation.facts if label == "rotors")
    np.testing.assert_array_equal(condensed.times, general.times)
    energy = float(np.abs(general.scalar("energy", "kinetic_rotational")).max()) + 1e-3
    for group, channels in general.values.items():
        for channel, values in channels.items():
            if group == "diag" and channel in ("iterations", "constraint_violation"):
                continue
            size = energy if group == "energy" else size_of(general, group, channel)
            tolerance = (same_force if is_of_forces(channel) and group != "energy" else same) * max(size, 1.0)
            found = condensed.values[group][channel]
            np.testing.assert_allclose(found, values, rtol=0, atol=tolerance, err_msg=f"{group}/{channel}")
    assert np.max(condensed.scalar("diag", "constraint_violation")) <= 1e-13


def both(train: RandomTrain | PlanetarySet | DeckText) -> tuple[Results, Results]:
    deck = train if isinstance(train, DeckText) else train.deck
    return run(deck), run(deck, general=True)


@pytest.mark.parametrize("seed", range(4))
def test_gears_on_held_carriers_are_those_of_the_general_path(seed):
    train = RandomTrain(seed, shafts=8)
    train.gears()
    train.moments()
    train.weight()
    train.spinning()
    check_same(*both(train))


def test_redundant_gears_share_their_torques_as_on_the_general_path():
    train = RandomTrain(11, shafts=6, carriers=1)
    train.gears(loops=3)
    train.moments()
    condensed, general = both(train)
    assert len(condensed.simulation.redundant_rows) == 3
    assert condensed.simulation.redundant_rows == general.simulation.redundant_rows
    check_same(condensed, general, same=1e-10)


def test_differentials_leave_several_spins():
    train = RandomTrain(5, shafts=7)
    train.differentials()
    train.moments()
    train.spinning()
    condensed, general = both(train)
    assert ("rotors", "train of 5 joints: 2 unknowns") in condensed.simulation.facts
    check_same(condensed, general)


SPRINGS = {"stiffness": 3.0, "free_value": 0.2, "preload": 0.1, "lower": -0.1, "upper": 0.15, "stop_stiffness": 50.0}


@pytest.mark.parametrize(
    "forces, same",
    [(None, SAME), (SPRINGS, SAME), ({"stiffness": 3.0, "damping": 0.02}, 1e-9),
     ({"friction_force": 0.3, "slip_velocity": 0.5}, 1e-8)],
    ids=["none", "springs and stops", "dampers", "friction"],
)  # fmt: skip
def test_what_acts_about_shafts_is_that_of_the_general_path(forces, same):
    """Where forces depend on rates, the general path refines these four times, the spins until they settle."""
    train = RandomTrain(5, shafts=5)
    train.hinges(forces)
    train.moments()
    train.spinning()
    check_same(*both(train), same=same, same_force=1e-7)


@pytest.mark.parametrize("window", [(0.0, 1e30), (0.1033, 0.2771)], ids=["always", "for a while"])
@pytest.mark.parametrize("level, formula", [(0, "sin(3*t)^2"), (1, "2*sin(3*t)"), (2, "2*sin(3*t)")])
def test_driven_shafts_are_those_of_the_general_path(level, formula, window):
    if level == 0 and window[0] > 0.0:
        window = (0.0, window[1])  # a displacement would jump
    train = RandomTrain(6, shafts=4)
    train.gears()
    train.drive(3, formula, level=level, window=window)
    train.moments()
    check_same(*both(train))


def test_a_drive_and_a_brake_after_it_are_those_of_the_general_path():
    """On a train of one spin; samples are taken at the very times when one lets go and the other takes hold."""
    train = RandomTrain(6, shafts=4)
    train.gears()
    train.drive(3, "2*sin(3*t)", level=1, window=(0.0, 0.2))
    train.drive(2, "0", level=1, window=(0.25, 1e30))
    train.moments()
    check_same(*both(train))


def test_a_drive_against_another_is_named():
    train = RandomTrain(6, shafts=4)
    train.gears()
    train.drive(3, "2*sin(3*t)", level=1)
    train.drive(2, "0", level=1, window=(0.1, 1e30))
    for general in (False, True):
        with pytest.raises(SimulationError, match=r"/DRIVE/ROT/\d+ .* cannot be met at step 100, .* stays at -0.00"):
            run(train.deck, general=general)


def test_ratios_hold_to_round_off_after_a_million_turns():
    """Angles follow from whole turns and a remainder: what is off does not grow with the turns."""
    train = RandomTrain(8, shafts=4)
    train.gears()
    train.spinning(1000.0)
    results = run(train.deck, dt=0.02, t_end=40000.0, every=4000.0)
    assert np.nanmax(np.abs(results.values["th/gjoint"]["ANG1"])) > 1e6
    assert np.max(results.scalar("diag", "constraint_violation")) <= 2e-15


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda train: train.deck.turn_steadily(2, "XX", 1.0), "conditions on nodes"),
        (lambda train: train.deck.pair("DISTANCE", 2, 1001), "joints other than shafts"),
    ],
    ids=["condition", "other joint"],
)
def test_what_is_no_train_and_has_no_rotors_goes_the_general_path_and_says_so(spoil, reason):
    train = RandomTrain(9, shafts=2)
    train.gears()
    train.deck.pair("DISTANCE", 1, 1001)
    spoil(train)
    facts = start(train.deck).facts
    assert "rotors" not in dict(facts)
    (text,) = [text for label, text in facts if label == "path" and "as rotors" in text]
    assert text.startswith("general, not as rotors: ") and reason in text


def test_the_general_path_is_taken_where_that_is_asked():
    train = RandomTrain(9, shafts=3)
    train.gears()
    assert ("path", "general, as asked") in start(train.deck, general=True).facts
    assert ("rotors", "train of 2 gears: one unknown") in start(train.deck).facts


def start(deck: DeckText, *, general: bool = False) -> Simulation:
    simulation = Simulation(read(deck), general=general)
    simulation.start()
    return simulation


# ---- on a carrier that flies freely: the paths differ by the order of dt^2 ---------------------------------------


def free_train(seed: int, shafts: int = 5) -> RandomTrain:
    train = RandomTrain(seed, shafts, carriers=1, held=False)
    train.gears()
    train.tumbling()
    return train


@pytest.mark.parametrize("seed", range(3))
def test_trains_on_a_free_carrier_converge_to_the_general_path(seed):
    train = free_train(seed)
    train.deck.load(1001, "X", 3.0)
    train.deck.load(2, "ZZ", 0.05, train.deck.expression("sin(30*t)"))
    train.weight()
    check_converges(train.deck, "train of 4 gears: one unknown on a free carrier")


@pytest.mark.parametrize("level, formula", [(0, "0.1*sin(20*t)"), (1, "12+20*t"), (2, "5+20*t")])
def test_drives_on_a_free_carrier_converge_to_the_general_path(level, formula):
    train = RandomTrain(3, 5, carriers=1, held=False)
    train.differentials()
    train.deck.drive("ROT", 1001, 2, train.deck.expression(formula), tuple(train.axes[2].tolist()), level=level)
    if level:
        train.tumbling()
    else:
        train.deck.velocity(1001, (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
        train.deck.load(1001, "ZZ", 0.4)
    check_converges(train.deck, "train of 3 joints: 2 unknowns on a free carrier")


@pytest.mark.parametrize("held", [True, False], ids=["held", "free"])
def test_planetary_sets_converge_to_the_general_path(held):
    """On the ground planets may be anywhere, on a housing that flies they are in balance; moments act on all shafts."""
    train = PlanetarySet(7, 3, held=held)
    train.moments()
    if not held:
        train.tumbling()
    check_converges(train.deck, "train of 7 gears: 2 unknowns" + " on a free carrier" * (not held))


KINEMATIC = (("th/node", "D"), ("th/node", "VR"), ("th/node", "Q"), ("th/gjoint", "ANG"), ("th/node", "DR"))
DYNAMIC = (("th/gjoint", "F"), ("th/gjoint", "M"), ("th/gjoint", "T"), ("th/node", "AR"))


def check_converges(
    deck: DeckText, fact: str, kinematic: Sequence[tuple[str, str]] = KINEMATIC,
    dynamic: Sequence[tuple[str, str]] = DYNAMIC,
) -> None:  # fmt: skip
    """At second order, and no worse than the general path does; exact is what that would be at a step of zero."""
    fine, other = (run(deck, dt=step, t_end=0.2, every=0.05, general=True) for step in (5e-5, 1e-4))
    for group, channels in fine.values.items():
        for channel, values in channels.items():
            values += (values - other.values[group][channel]) / 3.0
    steps = [2e-3, 1e-3, 5e-4]
    runs = [run(deck, dt=step, t_end=0.2, every=0.05) for step in steps]
    assert any(text.startswith(fact) for label, text in runs[0].simulation.facts if label == "rotors")
    coarse = run(deck, dt=steps[0], t_end=0.2, every=0.05, general=True)
    for group, channel in kinematic:
        errors = [error_of(result, fine, group, channel) for result in runs]
        assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.15), (group, channel, errors)
        assert errors[0] <= 2.0 * error_of(coarse, fine, group, channel), (group, channel)
    for group, channel in dynamic:
        errors = [error_of(result, fine, group, channel, first=1) for result in runs]
        assert errors[2] <= 0.1 * errors[0] + 1e-4 * largest(fine, group, channel), (group, channel, errors)


@pytest.mark.parametrize("seed", range(3))
def test_trains_in_free_flight_keep_momentum_energy_and_ratios(seed):
    results = run(free_train(seed).deck, dt=1e-3, t_end=20.0, every=0.5)
    angular, linear = results.angular_momentum(), results.momentum()
    # far from the origin the orbital part is a difference of large numbers
    assert np.max(np.abs(linear - linear[0])) <= 1e-12 * np.abs(linear).max()
    assert np.max(np.abs(angular - angular[0])) <= 1e-11 * np.abs(angular).max()
    energy = results.scalar("energy", "total")
    halves = energy[: len(energy) // 2], energy[len(energy) // 2 :]
    assert np.ptp(energy) <= 1e-4 * energy[0]
    assert abs(np.mean(halves[0]) - np.mean(halves[1])) <= 0.3 * np.ptp(energy)
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-12


def test_work_and_energy_of_a_loaded_train_on_a_free_carrier_balance_at_second_order():
    train = free_train(4)
    train.deck.load(1001, "ZZ", 0.5)
    train.deck.load(2, "ZZ", 0.3, train.deck.expression("1+sin(10*t)"))
    train.weight()
    steps = [2e-3, 1e-3, 5e-4]
    errors = [
        float(np.abs(run(train.deck, dt=step, t_end=1.0, every=0.1).scalar("energy", "error")).max()) for step in steps
    ]
    assert observed_order(errors, steps) > 1.8


def error_of(results: Results, exact: Results, group: str, channel: str, first: int = 0) -> float:
    """Largest error of the channels of a kind, from a sample on."""
    return max(
        float(np.nanmax(np.abs(results.values[group][name] - values)[first:], initial=0.0))
        for name, values in exact.values[group].items()
        if name.rstrip("XYZ0123456789") == channel
    )


def largest(results: Results, group: str, channel: str) -> float:
    return size_of(results, group, channel)
