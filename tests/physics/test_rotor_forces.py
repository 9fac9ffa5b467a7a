"""Forces on bodies of condensed trains: springs, loads beside axes, friction; the general path is the twin."""

from __future__ import annotations

import numpy as np
import pytest
from random_trains import PlanetarySet, RandomTrain, racks
from running import run
from test_rotors import both, check_converges, check_same, free_train


def torsion_spring(train: RandomTrain, node_1: int, node_2: int, stiffness: float, damping: float) -> None:
    """/SPRING with /PROP/TYPE8, about global z and along x."""
    number = 900 + node_1 + 10 * node_2
    cards = [f"{0:>20}{0:>20}{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}"]
    for k, d in ((5.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (stiffness, damping)):
        cards += [f"{k!r}, {d!r}, 0, 0, 0", f"{0:>10}", "0, 0, 0, 0"]
    train.deck.block(f"/PROP/TYPE8/{number}", "spring", *cards)
    train.deck.block(
        f"/PART/{number}", "spring", f"{number}, 0, 0", f"/SPRING/{number}", f"{number}, {node_1}, {node_2}"
    )


def hinged(seed: int, shafts: int = 4) -> RandomTrain:
    """Shafts on hinges on the ground with couplers, each with a node that stands off from it."""
    train = RandomTrain(seed, shafts, apart=0.3)
    train.hinges()
    return train


@pytest.mark.parametrize("damping", [0.0, 0.03], ids=["springs", "and dampers"])
def test_springs_about_shafts_are_those_of_the_general_path(damping):
    train = RandomTrain(3, shafts=5)
    train.gears()
    torsion_spring(train, 1001, 2, 2.0, damping)
    torsion_spring(train, 3, 1, 3.0, damping)
    train.moments()
    check_same(*both(train), same=1e-11 if damping == 0.0 else 1e-9)


@pytest.mark.parametrize("damping", [0.0, 0.5], ids=["springs", "and dampers"])
def test_springs_between_points_beside_axes_are_those_of_the_general_path(damping):
    train = hinged(4)
    train.deck.spring(2001, 2002, 40.0, damping)
    train.deck.spring(2003, 1001, 30.0, damping)
    train.spinning()
    condensed, general = both(train)
    check_same(condensed, general, same=1e-10 if damping == 0.0 else 1e-8)
    assert np.abs(condensed.scalar("energy", "spring")).max() > 0.1


def test_loads_beside_axes_and_along_axes_that_move_are_those_of_the_general_path():
    train = hinged(5)
    train.deck.load(2001, "X", 3.0, train.deck.expression("sin(20*t)"))
    train.deck.load(2002, "Y", 2.0)
    train.deck.load(1, "ZZ", 0.1)
    train.spinning()
    check_same(*both(train), same=1e-10)


def test_friction_of_bearings_is_that_of_the_general_path():
    """The bearings carry the weight of the shafts and a spring."""
    train = RandomTrain(6, 4, apart=0.3)
    train.hinges({"friction_coeff": 0.2, "radius": 0.05, "slip_velocity": 0.3})
    train.deck.spring(2001, 2002, 40.0)
    train.weight()
    train.moments()
    train.spinning()
    check_same(*both(train), same=1e-8)


def test_springs_on_a_free_carrier_converge_to_the_general_path():
    train = free_train(2)
    torsion_spring(train, 3, 1, 1.0, 0.02)
    train.deck.spring(1001, 2, 30.0, 0.1)
    train.deck.nodes({9001: (1.0, 2.0, 0.5)})
    train.deck.hold([9001])
    train.deck.spring(1001, 9001, 20.0, 0.3)
    check_converges(train.deck, "train of 4 gears: one unknown on a free carrier")


def test_springs_on_planets_converge_to_the_general_path():
    train = PlanetarySet(7, 3, held=True)
    train.deck.spring(4, 1001, 50.0, 0.2)
    train.moments()
    check_converges(train.deck, "train of 7 gears: 2 unknowns")


def test_energy_of_a_train_on_a_spring_keeps_its_band():
    """A gear train that swings on a spring, for a thousand periods."""
    train = RandomTrain(3, shafts=5)
    train.gears()
    torsion_spring(train, 1001, 2, 2.0, 0.0)
    train.spinning(3.0)
    results = run(train.deck, dt=2e-3, t_end=400.0, every=0.7)
    energy = results.scalar("energy", "total")
    assert np.ptp(energy) <= 1e-3 * energy[0]
    halves = energy[: len(energy) // 2], energy[len(energy) // 2 :]
    assert abs(np.mean(halves[0]) - np.mean(halves[1])) <= 0.05 * np.ptp(energy)
    assert np.abs(results.scalar("energy", "error")).max() <= 1e-9 * energy[0]


# ---- what slides on the ground -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["", "TRANSLATIONAL"], ids=["alone", "on two guides"])
def test_racks_are_those_of_the_general_path(kind):
    """Racks fall, and are pushed beside their centres."""
    train = racks(2, kind=kind)
    train.deck.gravity([3001, 3002, 3003], "Z", -9.81)
    train.deck.load(3002, "X", 4.0, train.deck.expression("sin(15*t)"))
    train.deck.spring(3001, 1001, 30.0, 0.2)
    train.moments()
    train.spinning()
    condensed, general = both(train)
    assert ("rotors", "train of 6 joints: one unknown") in condensed.simulation.facts
    check_same(condensed, general, same=1e-8)


def test_a_driven_rack_is_that_of_the_general_path():
    train = racks(5)
    train.deck.drive("TRA", 0, 3001, train.deck.expression("0.1*sin(5*t)"), tuple(train.axes[3001].tolist()))
    train.moments()
    check_same(*both(train))


def test_screws_and_splines_are_those_of_the_general_path():
    """A nut on a screw, a shaft that turns and slides on springs, both geared by couplers."""
    train = RandomTrain(8, shafts=3)
    for node in train.shafts:
        train.deck.rigid_body(node, [2000 + node], 1.5, (train.inertia[node],) * 3)
    axes = {node: tuple(train.axes[node].tolist()) for node in train.shafts}
    train.deck.pair("SCREW", 0, 1, axes[1], pitch=0.2)
    train.deck.pair("CYLINDRICAL", 0, 2, axes[2], forces=[{"stiffness": 0.3}, {"stiffness": 90.0, "damping": 0.5}])
    train.deck.pair("REVOLUTE", 0, 3, axes[3])
    train.deck.coupler("R2R", (1, 0, 2, 0), 0.7, axes[1], axes[2])
    train.deck.coupler("R2R", (2, 0, 3, 0), -1.3, axes[2], axes[3])
    train.weight()
    train.moments()
    train.spinning()
    condensed, general = both(train)
    assert ("rotors", "train of 3 joints: 2 unknowns") in condensed.simulation.facts
    check_same(condensed, general, same=1e-9)


def test_results_are_the_same_bytes_for_any_number_of_threads():
    """Twelve trains in one deck: free ones, some with a drive, and held ones on springs."""
    deck = RandomTrain(1, 1).deck
    for k in range(12):
        carrier, one, other = (5000 + 10 * k + place for place in range(3))
        deck.nodes({node: (0.1 * k, 0.2 * (node % 10), 0.0) for node in (carrier, one, other)})
        shafts = [(one, 1.0, 0.01, (0.0, 0.0, 1.0)), (other, 0.5, 0.02, (0.6, 0.0, 0.8))]
        deck.joint("GEAR", (carrier, 2.0, 0.3), shafts, alpha=0.3 + 0.1 * k)
        if k % 3 == 0:
            deck.hold([carrier])
            deck.spring(one, carrier, 10.0)
            deck.load(one, "ZZ", 0.2)
            continue
        deck.velocity(carrier, (0.0, 0.0, 1.0), (1.0, 2.0 + k, 3.0))
        if k % 3 == 1:
            deck.drive("ROT", carrier, one, deck.expression("sin(9*t)"), (0.0, 0.0, 1.0), level=1)
    runs = [run(deck, threads=threads) for threads in (1, 2, 5)]
    facts = [text for label, text in runs[0].simulation.facts if label == "rotors"]
    assert [text for text in facts if text.startswith("8 times a train of 1 gear: one unknown on a free carrier")]
    for group, channels in runs[0].values.items():
        for channel, values in channels.items():
            for other in runs[1:]:
                assert np.array_equal(values, other.values[group][channel], equal_nan=True), (group, channel)
