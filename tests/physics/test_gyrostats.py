"""Shafts on bodies that move among joints of all kinds: links with geared motors, against the general path."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.run.simulation import Simulation
from parallel_cranks import random_cranks
from random_arms import RandomArm
from random_trains import PlanetarySet, RandomTrain
from running import read, run
from scipy.spatial.transform import Rotation
from test_rotors import check_converges
from transformed import transformed

KINEMATIC = (("th/node", "D"), ("th/node", "VR"), ("th/node", "Q"), ("th/node", "DR"), ("th/coupler", "PHI"))
DYNAMIC = (("th/joint", "F"), ("th/joint", "M"), ("th/coupler", "T"), ("th/node", "AR"), ("th/rbody", "F"))
SPRINGS = {"stiffness": 3.0, "damping": 0.05, "free_value": 0.1}
RUBBING = {"friction_force": 0.2, "slip_velocity": 0.5}


def arm(seed: int, links: int = 3, *, free: bool = False) -> RandomArm:
    """An arm with motors, which turns."""
    made = RandomArm(seed, links, free=free)
    made.hinges()
    made.motors()
    made.tumbling()
    return made


def loaded(made: RandomArm) -> None:
    made.moments()
    made.weight()


@pytest.mark.parametrize(
    "free, add",
    [
        (False, loaded),
        (True, loaded),
        (False, lambda made: made.drive(103, "2*sin(9*t)")),
        (True, lambda made: made.drive(102, "sin(9*t)^2", level=0)),
    ],
    ids=["held", "free", "driven", "free and driven"],
)
def test_arms_with_motors_converge_to_the_general_path(free, add):
    made = arm(1, free=free)
    add(made)
    check_converges(made.finish(), "4 shafts on ", KINEMATIC, DYNAMIC)


def test_a_run_says_how_many_shafts_are_spins():
    simulation = Simulation(read(arm(1).finish()))
    simulation.start()
    assert ("rotors", "4 shafts on 1 carrier: 2 spins among 17 rows") in simulation.facts


def test_few_shafts_on_a_machine_with_forces_everywhere_are_bodies_as_others():
    """They are a tree, which is faster where forces act on more than three bodies for each shaft."""
    facts = []
    for shafts in (1, 2):
        made = RandomArm(2, 4, branching=False)
        made.hinges()
        for link in range(1, shafts + 1):
            made.couple(made.shaft(link, 900 + link), link)
        made.moments()
        simulation = Simulation(read(made.finish()))
        simulation.start()
        facts.append(dict(simulation.facts))
    assert "rotors" not in facts[0] and facts[0]["tree"].startswith("5 bodies by 5 joint coordinates")
    assert facts[1]["rotors"].startswith("2 shafts on 2 carriers")


@pytest.mark.parametrize("forces", [SPRINGS, RUBBING], ids=["springs and dampers", "friction"])
def test_what_acts_about_shafts_and_hinges_converges_to_the_general_path(forces):
    made = RandomArm(3, 3)
    made.hinges(SPRINGS)
    made.motors(forces)
    made.tumbling()
    made.deck.spring(2, 103, 40.0, 0.3)
    check_converges(made.finish(), "4 shafts on ", KINEMATIC, DYNAMIC)


def test_shafts_that_hold_one_link_on_another_converge_to_the_general_path():
    """Each has bearings on two bodies, and is in gear with shafts on both."""
    made = RandomArm(2, 3, free=True, branching=False)
    made.hinges(but=(2, 3))
    made.pin(2, 300)
    made.pin(3, 600)
    made.tumbling()
    check_converges(made.finish(), "6 shafts on 3 carriers", KINEMATIC, DYNAMIC)


@pytest.mark.parametrize("digits", ["111 000", "111 110", "100 001"], ids=["at a point", "about an axis", "in part"])
def test_arms_on_a_node_that_is_held_converge_to_the_general_path(digits):
    made = arm(3, free=True)
    loaded(made)
    deck = made.finish()
    deck.hold([1], digits)
    if digits == "111 110":
        deck.turn_steadily(1, "ZZ", 3.0)
    check_converges(deck, "4 shafts on ", KINEMATIC, DYNAMIC)


def test_a_planetary_set_on_a_link_turns_with_the_shafts_of_its_housing():
    """The housing hangs on a hinge; all of its rotors, arm and planets too, are one train."""
    made = PlanetarySet(7, 3, held=False)
    made.deck.nodes({5000: tuple((made.places[1001] + np.array([0.3, 0.2, -0.1])).tolist())})
    made.deck.rigid_body(1001, [5000])
    made.deck.pair("REVOLUTE", 0, 5000, (0.6, 0.0, 0.8))
    made.moments()
    made.tumbling()
    check_converges(made.deck, "7 shafts on 1 carrier: 2 spins among 5 rows",
                    (("th/node", "D"), ("th/node", "VR"), ("th/gjoint", "ANG")), (("th/gjoint", "T"),))  # fmt: skip


def test_a_train_that_an_imposed_motion_turns_is_that_of_the_general_path():
    train = RandomTrain(5, 6)
    train.axes[1] = np.array([0.0, 0.0, 1.0])
    train.gears()
    train.moments()
    train.deck.turn_steadily(1, "ZZ", 2.0)
    own, general = run(train.deck), run(train.deck, general=True)
    assert ("rotors", "5 shafts on 1 carrier: 1 spin among 7 rows") in own.simulation.facts
    for channel in ("VRX", "DRZ", "Q1"):
        expected = general.values["th/node"][channel]
        np.testing.assert_allclose(own.values["th/node"][channel], expected, atol=1e-11)
    np.testing.assert_allclose(own.values["th/gjoint"]["T1"], general.values["th/gjoint"]["T1"], atol=1e-7)


def flywheels(made: RandomArm, rate: float) -> None:
    """A shaft that nothing drives on each link, which turns."""
    for link in made.links:
        made.shaft(link, 900 + link)
        made.deck.velocity(900 + link, (0.0, 0.0, 0.0), tuple((rate * made.axes[900 + link]).tolist()))


def test_fast_shafts_need_no_more_corrections_than_slow_ones():
    """What they store is in the matrix of the trial positions; 4 corrections and more without."""
    made = RandomArm(0, 4, free=True)
    made.hinges()
    made.motors()
    made.tumbling()
    flywheels(made, 1000.0)
    corrections = run(made.finish(), dt=1e-3, every=1e-3).scalar("diag", "iterations")
    assert np.mean(corrections[50:]) <= 2.5


def test_shafts_that_turn_on_a_machine_at_rest_are_spins():
    """Velocities that are zero but for rounding are none that do not meet the rows."""
    made = RandomArm(0, 2, free=True)
    made.hinges()
    made.motors()
    flywheels(made, 3.0)
    simulation = Simulation(read(made.finish()))
    simulation.start()
    assert ("rotors", "4 shafts on 2 carriers: 3 spins among 6 rows") in simulation.facts


@pytest.mark.parametrize("seed", range(3))
def test_arms_in_free_flight_keep_momentum_energy_and_ratios(seed):
    made = arm(seed, 4, free=True)
    made.drive(102, "2*sin(9*t)", window=(0.0, 0.1033))
    results = run(made.finish(), dt=1e-3, t_end=10.0, every=0.25)
    angular, linear = results.angular_momentum(), results.momentum()
    assert np.max(np.abs(linear - linear[0])) <= 1e-12 * np.abs(linear).max()
    assert np.max(np.abs(angular - angular[0])) <= 1e-11 * np.abs(angular).max()
    energy = results.scalar("energy", "total")[1:]
    halves = energy[: len(energy) // 2], energy[len(energy) // 2 :]
    assert np.ptp(energy) <= 1e-3 * energy[0]
    assert abs(np.mean(halves[0]) - np.mean(halves[1])) <= 0.5 * np.ptp(energy)
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-12


def test_rows_are_met_as_well_far_from_where_the_machine_began():
    """Displacements have two parts at samples too: with one, rows are off by round-off of the way."""
    results = run(arm(0, free=True).finish(), dt=2e-2, t_end=1000.0, every=100.0)
    assert np.linalg.norm(results.node_vector("D", 1)[-1]) > 1000.0
    assert np.max(results.scalar("diag", "constraint_violation")) <= 3e-14


def test_an_arm_that_stands_elsewhere_moves_the_same_way():
    made = arm(5)
    loaded(made)
    model = read(made.finish())
    rotation, shift = Rotation.random(random_state=1).as_matrix(), np.array([2.0, -1.0, 0.5])
    here, there = run(model, t_end=0.2), run(transformed(model, rotation, shift), t_end=0.2)
    assert any("carrier" in text for label, text in there.simulation.facts if label == "rotors")
    for node in (*made.links, 102, 203):
        np.testing.assert_allclose(there.node_vector("VR", node), here.node_vector("VR", node) @ rotation.T, atol=1e-9)
        np.testing.assert_allclose(there.node_vector("D", node), here.node_vector("D", node) @ rotation.T, atol=1e-9)


@pytest.mark.parametrize("block, threads, every", [(10**6, 2, 0.01), (7, 1, 0.01), (10**6, 1, 0.1)])
def test_blocks_threads_and_samples_do_not_change_the_motion(block, threads, every):
    """Of two machines, one with a drive that takes hold and lets go."""
    made = RandomArm(4, 6, free=True, branching=False)
    made.hinges(but=(4,))
    made.motors()
    made.drive(106, "2*sin(9*t)", window=(0.05, 0.12))
    made.tumbling()
    model, ends = read(made.finish()), []
    for steps, own_threads, interval in ((10**6, 1, 0.01), (block, threads, every)):
        model.engine.sampling_interval = interval
        simulation = Simulation(model, dt=1e-3, t_end=0.2, threads=own_threads)
        while not simulation.finished:
            values = simulation.advance(steps).values
        assert len([text for label, text in simulation.facts if label == "rotors" and "spin" in text]) == 2
        ends.append(values)
    for group, channel in (("th/node", "VRX"), ("th/joint", "FX"), ("energy", "total"), ("energy", "error")):
        if every == 0.01 or group == "th/node":
            np.testing.assert_array_equal(ends[1][group][channel][-1], ends[0][group][channel][-1])


def test_a_machine_that_leaves_its_gyrostats_goes_on_as_it_was():
    """The general path takes over in the middle of a run."""
    made = arm(6)
    loaded(made)
    model = read(made.finish())
    ends = []
    for leaves in (False, True):
        simulation = Simulation(model, dt=2e-5, t_end=0.2)
        simulation.advance(1)
        machine = simulation._machine
        assert machine.has_gyrostats(0) and not simulation.finished
        if leaves:
            machine.leave_gyrostats(0)
            assert not machine.has_gyrostats(0)
        while not simulation.finished:
            block = simulation.advance(10**6)
        ends.append(block.values)
    for group, channel in (("th/node", "VRX"), ("th/node", "DY"), ("energy", "error")):
        np.testing.assert_allclose(ends[1][group][channel][-1], ends[0][group][channel][-1], atol=1e-6)


def energy_is_kept(results):
    error = np.abs(results.scalar("energy", "error"))
    assert error.max() <= 1e-7 * results.scalar("energy", "total")[0]


def cranks_with_a_shaft(seed, count):
    """Parallel cranks whose bar passes flat places, with a geared shaft on it, and their deck."""
    made = random_cranks(np.random.default_rng(seed), count, spatial=True, digits=None)
    deck, axis = made.deck(10.0, 1e-2), made.frame[:, 2]
    along, across = (np.array([np.cos(made.angle), np.sin(made.angle), 0.0]),
                     np.array([-np.sin(made.angle), np.cos(made.angle), 0.0]))  # fmt: skip
    place = made.frame @ (made.length * along + np.array([made.pivots[0], 0.0, 0.0]))
    deck.nodes({2000: place, 2001: place + 0.1 * axis})
    deck.rigid_body(2000, [2001], 0.5, (0.01, 0.01, 0.01))
    deck.velocity(2000, made.frame @ (made.rate * made.length * across), made.rate / 3 * axis)
    deck.pair("REVOLUTE", 1001, 2000, axis)
    deck.coupler("R2R", (12, 1001, 2000, 1001), 3.0, axis, axis)  # 1001 on the bar, 12 on the first crank
    return made, deck


@pytest.mark.parametrize("seed, count", [(7, 2), (22, 3)])
def test_a_machine_goes_on_by_the_general_path_where_a_step_fails(seed, count):
    """A bar on parallel cranks that passes flat places, with a geared shaft on it: all of it turns steadily."""
    made, deck = cranks_with_a_shaft(seed, count)
    axis = made.frame[:, 2]
    results = run(deck)
    assert any("goes on by the general path" in message for message in results.simulation.messages)
    rates = {node: results.node_vector("VR", node)[1:] @ axis for node in (10, 2000)}
    np.testing.assert_allclose(rates[10][-1], rates[10][0], rtol=1e-8)
    np.testing.assert_allclose(rates[10], made.rate, rtol=1e-3)  # (rate dt)^2 / 6
    np.testing.assert_allclose(rates[2000], rates[10] / 3, rtol=1e-10)
    np.testing.assert_allclose(results.node_vector("DR", 2000), results.node_vector("DR", 10) / 3, atol=1e-10)
    energy_is_kept(results)


def test_samples_of_steps_that_are_taken_back_and_fail_earlier_are_counted_once():
    _, deck = cranks_with_a_shaft(22, 3)
    results = run(deck, general=True)
    assert any("was taken in" in message for message in results.simulation.messages)
    # Which step is taken in parts, and whether it begins with a sample, is up to rounding. Such a sample stands where
    # the machine could branch off, and its half steps differ in length; energies counted twice would be off by all.
    error = np.abs(results.scalar("energy", "error")) / results.scalar("energy", "total")[0]
    assert np.count_nonzero(error > 1e-7) <= results.simulation.divided_steps
    assert error.max() <= 1e-3
