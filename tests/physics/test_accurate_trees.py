"""Steps that are controlled by their error by joint coordinates: against all rows, and by what they must keep."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import (
    DRIVES,
    RandomTree,
    driven_tree,
    geared_tree,
    loaded_tree,
    looped_tree,
    tree_that_a_drive_takes_hold_of,
    tree_with_forces,
)
from running import Results, run
from twins import check_columns

TOLERANCE = 1e-8
SAME = 100 * TOLERANCE  # of two runs by the size of a quantity: errors of a run, and accelerations that magnify them
SPRINGS = {"stiffness": 3.0, "free_value": 0.2, "preload": 0.1}


def accuracy_facts(results: Results) -> list[str]:
    return [text for label, text in results.simulation.facts if label == "accuracy"]


def check_same(tree: RandomTree) -> Results:
    """All columns of a run by joint coordinates and of one with all rows agree."""
    deck = tree.text()
    found, general = run(deck, accuracy=TOLERANCE), run(deck, accuracy=TOLERANCE, general=True)
    assert accuracy_facts(found) and all("by joint coordinates" in fact for fact in accuracy_facts(found))
    assert not any("by joint coordinates" in fact for fact in accuracy_facts(general))
    assert not found.simulation.messages
    check_columns(found, general, same=SAME, same_force=SAME)
    return found


@pytest.mark.parametrize("seed, bodies, free", [(1, 7, False), (2, 9, False), (3, 6, True), (8, 10, True)])
def test_trees_of_all_kinds_of_joints_are_those_of_all_rows(seed, bodies, free):
    check_same(loaded_tree(seed, bodies, free))


@pytest.mark.parametrize(
    "seed, bodies, free, kinds",
    [(5, 7, True, ["STRUT"]), (13, 6, False, ["DISTANCE", "STRUT"]), (19, 5, False, ["UNIVERSAL"]),
     (24, 8, True, ["SPHERICAL"] * 2), (25, 9, False, ["SPHERICAL", "DISTANCE"])],
)  # fmt: skip
def test_loops_that_joints_of_all_kinds_close_are_those_of_all_rows(seed, bodies, free, kinds):
    check_same(looped_tree(seed, bodies, free, kinds))


@pytest.mark.parametrize(
    "forces, damping", [(SPRINGS, 0.0), ({"stiffness": 3.0, "damping": 0.2}, 0.5)], ids=["springs", "dampers"]
)
def test_what_acts_on_bodies_and_along_joints_is_that_of_all_rows(forces, damping):
    check_same(tree_with_forces(forces, damping))


@pytest.mark.parametrize("level, formula", DRIVES)
@pytest.mark.parametrize("kind", ["ROT", "TRA", "DIST"])
def test_drives_are_those_of_all_rows(kind, level, formula):
    check_same(driven_tree(kind, level, formula))


def test_a_drive_that_takes_hold_and_lets_go_pays_the_impact_of_all_rows():
    found = check_same(tree_that_a_drive_takes_hold_of())
    assert found.scalar("energy", "impact_loss")[-1] > 1e-3


@pytest.mark.parametrize("seed", [2, 3])
def test_ratios_of_hinges_are_those_of_all_rows(seed):
    check_same(geared_tree(seed))


def turning_tree(**more: float) -> RandomTree:
    tree = RandomTree(3, 4, free=True, kinds=("REVOLUTE", "UNIVERSAL"), **more)
    tree.tree()
    tree.motion()
    return tree


@pytest.mark.parametrize("loop", [(), ("DISTANCE",)], ids=["a tree", "a loop"])
def test_a_free_tree_keeps_its_momenta_to_round_off(loop):
    """Also at a coarse tolerance, and far from where it began."""
    tree = turning_tree(t_end=20.0)
    tree.loops(*loop)
    results = run(tree.text(), every=1.0, accuracy=1e-4)
    assert "by joint coordinates" in accuracy_facts(results)[0]
    for quantity in ("momentum", "angular_momentum"):
        values = np.stack([results.scalar("diag", f"{quantity}_{axis}") for axis in "xyz"], axis=1)
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), rtol=0,
                                   atol=1e-12 * np.linalg.norm(values[0]))  # fmt: skip


def test_a_hundred_times_less_error_takes_the_fifth_root_of_a_hundred_as_many_steps():
    runs = {tolerance: run(turning_tree(t_end=2.0).text(), every=1.0, accuracy=tolerance) for tolerance in (1e-4, 1e-8)}
    steps = [results.simulation.controlled_steps.taken for results in runs.values()]
    assert steps[1] / steps[0] == pytest.approx(1e4 ** (1 / 5), rel=0.3)
    for tolerance, results in runs.items():
        energy = results.scalar("energy", "total")
        assert np.abs(energy - energy[0]).max() <= 100 * tolerance * energy[0]


def test_length_of_the_blocks_and_threads_do_not_change_a_run():
    def values(threads: int, every: float) -> np.ndarray:
        results = run(turning_tree(t_end=1.0).text(), accuracy=1e-6, threads=threads, every=every)
        return np.stack([results.scalar("energy", "total"), results.node("X", 4)])

    assert values(1, 0.125).tobytes() == values(2, 0.125).tobytes()


@pytest.mark.parametrize(
    "tree", [loaded_tree(2, 9, False), loaded_tree(8, 10, True), looped_tree(25, 9, False, ["SPHERICAL", "DISTANCE"])],
    ids=["held", "free", "loops"],
)  # fmt: skip
def test_errors_are_those_of_the_bodies(tree):
    """So steps are as many as with all rows; a tenth of the error would be 0.63 times as many."""
    deck = tree.text()
    runs = [run(deck, every=0.2, accuracy=TOLERANCE, general=general) for general in (False, True)]
    found, general = (results.simulation.controlled_steps.taken for results in runs)
    assert found == pytest.approx(general, rel=0.2)
