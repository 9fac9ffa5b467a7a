"""Machines in space that move by joint coordinates, against the general path and by what they must keep."""

from __future__ import annotations

from itertools import pairwise

import gsolve
import numpy as np
import pytest
from deck_text import DeckText
from gsolve.solver.run.machine import BY_COORDINATES
from gsolve.solver.run.simulation import Simulation
from interrupted import histories_of
from random_trees import (
    DRIVEN,
    DRIVES,
    RandomTree,
    driven_tree,
    geared_tree,
    loaded_tree,
    looped_tree,
    tree_that_a_drive_takes_hold_of,
    tree_with_forces,
)
from running import Results, read, run
from twins import check_columns, check_leaving, plan_on_the_general_path_alone

# Velocities of the general path have the round-off of positions over dt, where bodies are light that of all.
SAME = 1e-10
ROUNDED_LATER = 1e-8  # where forces depend on rates, which both paths refine until they have settled to 1e-10
SPRINGS = {"stiffness": 3.0, "free_value": 0.2, "preload": 0.1, "lower": -0.1, "upper": 0.15, "stop_stiffness": 50.0}


def tree_facts(results: Results) -> list[str]:
    return [text for label, text in results.simulation.facts if label == "tree"]


def check_same(tree: RandomTree, *, same: float = SAME) -> None:
    """All columns of a run by joint coordinates and of one on the general path agree."""
    deck = tree.text()
    found, general = run(deck), run(deck, general=True)
    assert any("joint coordinate" in fact for fact in tree_facts(found)) and not tree_facts(general)
    assert not found.simulation.messages
    check_columns(found, general, same=same)


@pytest.mark.parametrize(
    "seed, bodies, free", [(0, 4, False), (1, 7, False), (2, 9, False), (3, 6, True), (8, 10, True)]
)
def test_trees_of_all_kinds_of_joints_are_those_of_the_general_path(seed, bodies, free):
    check_same(loaded_tree(seed, bodies, free))


@pytest.mark.parametrize(
    "seed, bodies, free, kinds",
    [(5, 7, True, ["STRUT"]), (9, 4, False, ["SPHERICAL"]), (13, 6, False, ["DISTANCE", "STRUT"]),
     (19, 5, False, ["UNIVERSAL"]), (24, 8, True, ["SPHERICAL"] * 2), (25, 9, False, ["SPHERICAL", "DISTANCE"])],
)  # fmt: skip
def test_loops_that_joints_of_all_kinds_close_are_those_of_the_general_path(seed, bodies, free, kinds):
    check_same(looped_tree(seed, bodies, free, kinds))


@pytest.mark.parametrize(
    "forces, damping, same",
    [(SPRINGS, 0.0, SAME), ({"stiffness": 3.0, "damping": 0.2}, 0.5, ROUNDED_LATER),
     ({"friction_force": 0.3, "slip_velocity": 0.5}, 0.0, ROUNDED_LATER)],
    ids=["springs and stops", "dampers", "friction"],
)  # fmt: skip
def test_what_acts_on_bodies_and_along_joints_is_that_of_the_general_path(forces, damping, same):
    check_same(tree_with_forces(forces, damping), same=same)


@pytest.mark.parametrize("level, formula", DRIVES)
@pytest.mark.parametrize("kind", ["ROT", "TRA", "DIST"])
def test_drives_are_those_of_the_general_path(kind, level, formula):
    check_same(driven_tree(kind, level, formula))


def test_a_drive_that_takes_hold_and_lets_go_is_that_of_the_general_path():
    """The impact is resolved in parts; what it leaves in the energies has the round-off of the efforts."""
    deck = tree_that_a_drive_takes_hold_of().text()
    found, general = run(deck), run(deck, general=True)
    assert found.simulation.divided_steps == general.simulation.divided_steps
    check_columns(found, general, same=1e-5)


@pytest.mark.parametrize("seed", [2, 3])
def test_ratios_of_hinges_are_those_of_the_general_path(seed):
    check_same(geared_tree(seed), same=ROUNDED_LATER)


def test_a_free_tree_keeps_its_momenta_and_its_energy_in_a_band():
    """A hundred thousand steps without forces: momenta to round-off, energy without a slope."""
    tree = RandomTree(3, 4, free=True, kinds=("REVOLUTE", "UNIVERSAL"), t_end=100.0)
    tree.tree()
    tree.motion()
    results = run(tree.text(), every=1.0)
    assert "4 bodies" in tree_facts(results)[0]
    for quantity in ("momentum", "angular_momentum"):
        values = np.stack([results.scalar("diag", f"{quantity}_{axis}") for axis in "xyz"], axis=1)
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), rtol=0,
                                   atol=1e-12 * np.linalg.norm(values[0]))  # fmt: skip
    total = results.scalar("energy", "total")
    error = (total - total[0]) / total[0]
    # the band is as wide as (omega dt)^2 of the fastest rotation; what drifts would show in the means of long parts
    assert np.abs(error).max() <= 1e-5
    means = [float(part.mean()) for part in np.array_split(error, 4)]
    assert max(abs(mean - means[0]) for mean in means) <= 0.2 * np.abs(error).max()


def test_halving_the_step_makes_the_error_a_quarter():
    def ends(dt: float) -> np.ndarray:
        tree = RandomTree(8, 5, kinds=("REVOLUTE", "UNIVERSAL", "SPHERICAL"))
        tree.tree()
        tree.loops("DISTANCE")
        tree.weight()
        tree.motion()
        results = run(tree.text(), dt=dt)
        assert "where loops are closed" in tree_facts(results)[0]
        return np.concatenate([results.node_vector("", body)[-1] for body in tree.bodies])

    places = [ends(dt) for dt in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    changes = [np.linalg.norm(after - before) for before, after in pairwise(places)]
    for before, after in pairwise(changes):
        assert before / after == pytest.approx(4.0, rel=0.1)


def light_cart(mass: float) -> DeckText:
    """A rod on a ball on a cart of little mass: when it falls past the cart that is thrown aside."""
    deck = DeckText(t_end=2.0, dt=4e-3, every=2e-2)
    deck.nodes({1: (0.0, 0.0, 0.0), 2: (0.1, 0.0, 0.5), 11: (0.0, 0.0, 0.0), 21: (0.0, 0.0, 0.0)})
    deck.rigid_body(1, [11], mass, (1e-3 * mass, 1e-3 * mass, 1e-3 * mass))
    deck.rigid_body(2, [21], 1.0, (0.1, 0.1, 0.01))
    deck.pair("TRANSLATIONAL", 0, 1, (1.0, 0.0, 0.0))
    deck.pair("UNIVERSAL", 11, 21, (0.0, 1.0, 0.0), second=(1.0, 0.0, 0.0))
    deck.velocity(2, (0.0, 1e-3, 0.0), (0.0, 0.0, 0.0))
    deck.gravity([1, 2], "Z", -9.81)
    return deck


def test_steps_in_which_light_parts_are_thrown_about_are_taken_in_parts():
    results = run(light_cart(1e-4))
    assert tree_facts(results) == ["2 bodies by 3 joint coordinates"]
    assert results.simulation.divided_steps > 0 and results.simulation.inaccurate_steps == 0
    error = results.scalar("energy", "error")
    assert np.abs(error).max() <= 2e-3 * np.abs(results.scalar("energy", "gravity")).max()


def test_length_of_the_blocks_and_threads_do_not_change_a_run():
    def history(steps: int, threads: int) -> bytes:
        model = read(light_cart(1e-4))
        simulation = Simulation(model, threads=threads)
        blocks = []
        while not simulation.finished:
            blocks.append(simulation.advance(steps))
        return b"".join(block.values["th/joint"]["FX"].tobytes() for block in blocks if len(block))

    assert history(7, 1) == history(10_000, 2)


def test_a_tree_that_is_left_goes_on_as_it_was():
    """The general path takes over from the step at hand, in the middle of a run."""
    tree = RandomTree(1, 7)
    tree.tree({"stiffness": 3.0})
    tree.loops("DISTANCE")
    tree.spring()
    tree.loads()
    tree.motion()
    check_leaving(read(tree.text()), BY_COORDINATES)


def test_a_tree_that_is_left_keeps_the_efforts_of_its_drives():
    """The first step on the general path counts half a step of their work by the multipliers of the tree."""
    tree = RandomTree(3, 6, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.drive("ROT", "2*sin(3*t)+1", level=1)
    tree.weight()
    tree.motion()
    check_leaving(read(tree.text()), BY_COORDINATES)


def test_a_run_goes_the_general_path_from_the_step_that_fails_by_joint_coordinates_in_parts_too(monkeypatch):
    """Here no parts are looked for in a tree, so that the first step that would gain energy there is such a step."""
    plan_on_the_general_path_alone(monkeypatch)
    results = run(light_cart(1e-4))
    told = [message for message in results.simulation.messages if "goes on by the general path" in message]
    assert len(told) == 1 and "a step by joint coordinates failed, in parts too" in told[0]
    assert not results.simulation._system.trees.active.any()


def test_a_run_that_has_left_its_tree_is_resumed_with_the_same_bytes(monkeypatch, tmp_path):
    """It stands on the general path then, which needs kernels that a tree does without; frames are those of its end."""
    plan_on_the_general_path_alone(monkeypatch)
    deck, whole, part = (tmp_path / name for name in ("cart.rad", "whole.h5", "part.h5"))
    deck.write_text(str(light_cart(1e-4)))
    result = gsolve.run(deck, output=whole)
    assert any("goes on by the general path from t = 0.668 on" in message.message for message in result.messages)
    gsolve.run(deck, output=part, t_end=1.2)
    gsolve.resume(part, t_end=2.0)
    found, expected = histories_of(part), histories_of(whole)
    assert [name for name in expected if found[name] != expected[name] and not name.startswith("th/body/")] == []


def rubbing(deck: DeckText) -> None:
    """A disk on the rod, whose bearing has friction."""
    deck.nodes({3: (0.2, 0.0, 1.0), 22: (0.2, 0.0, 1.0), 31: (0.2, 0.0, 1.0)})
    deck.rigid_tie(2, [22])
    deck.rigid_body(3, [31], 1.0, (0.1, 0.1, 0.1))
    rubs = {"friction_coeff": 0.1, "radius": 0.1, "slip_velocity": 1.0}
    deck.pair("REVOLUTE", 22, 31, (1.0, 0.0, 0.0), forces=[rubs])


@pytest.mark.parametrize(
    "spoil, reason",
    [
        (lambda deck: deck.turn_steadily(2, "XX", 1.0), "conditions on nodes"),
        (lambda deck: deck.pair("STRUT", 0, 11, (1.0, 0.0, 0.0)), "redundant rows"),
        (rubbing, "friction that follows the force of a bearing"),
    ],
    ids=["condition", "redundant", "friction"],
)  # fmt: skip
def test_what_is_not_known_in_a_tree_goes_the_general_path_and_says_so(spoil, reason):
    deck = light_cart(1.0)
    spoil(deck)
    simulation = Simulation(read(deck))
    simulation.start()
    assert ("path", f"general, not as a tree: {reason}") in simulation.facts


def test_long_chains_go_the_general_path_where_that_is_cheaper():
    def fact(links: int) -> str:
        tree = RandomTree(1, links, kinds=("REVOLUTE",), branching=False)
        tree.tree()
        simulation = Simulation(read(tree.text()))
        simulation.start()
        facts = dict(simulation.facts)
        return facts.get("tree") or facts["path"]

    assert fact(20) == "20 bodies by 20 joint coordinates"
    assert fact(60) == "general, not as a tree: long chains"


def suspension(axis: tuple[float, float, float]) -> DeckText:
    """A heavy body on a hinge, with an arm whose end is thrown against a damped spring of 6 Hz."""
    deck = DeckText(t_end=0.5, dt=1e-2, every=0.5)
    deck.nodes(
        {
            1: (0.0, 0.0, 0.0),
            2: (0.3, 0.0, 0.0),
            11: (0.0, 0.0, 0.0),
            21: (0.0, 0.0, 0.0),
            12: (0.3, 0.0, 0.3),
            22: (0.3, 0.0, 0.0),
        }
    )
    deck.rigid_body(1, [11, 12], 10.0, (0.1, 0.1, 0.1))
    deck.rigid_body(2, [21, 22], 1.0, (0.01, 0.02, 0.02))
    deck.pair("REVOLUTE", 0, 1, (0.0, 1.0, 0.0))
    deck.pair("REVOLUTE", 11, 21, axis)
    deck.spring(12, 22, 2000.0, 40.0)
    deck.velocity(2, (0.0, 0.0, -3.0), (0.0, 10.0, 0.0))
    return deck


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize(("axis", "label"), [((0.0, 1.0, 0.0), "plane"), ((0.2, 1.0, 0.0), "tree")])
def test_long_steps_in_which_forces_do_much_work_are_taken_whole(axis, label, general):
    """Multipliers change by much there, and are as right as these forces: of second order."""

    def end(dt: float) -> np.ndarray:
        results = run(suspension(axis), dt=dt, general=general)
        assert results.simulation.divided_steps == 0
        assert label in dict(results.simulation.facts) or general
        return np.concatenate([results.node_vector("", body)[-1] for body in (1, 2)])

    exact = end(2.5e-4)
    coarse, fine = (np.linalg.norm(end(dt) - exact) for dt in (1e-2, 5e-3))
    assert coarse / fine == pytest.approx(4.0, rel=0.15)
