"""Steps that are controlled by their error by joint coordinates: against all rows, and by what they must keep."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import RandomTree
from running import Results, run

TOLERANCE = 1e-8
SAME = 100 * TOLERANCE  # of two runs by the size of a quantity: errors of a run, and accelerations that magnify them
ANY_JOINTS = ("REVOLUTE", "UNIVERSAL", "SPHERICAL", "CYLINDRICAL")
DRIVEN = ("REVOLUTE", "REVOLUTE", "TRANSLATIONAL", "UNIVERSAL")
SPRINGS = {"stiffness": 3.0, "free_value": 0.2, "preload": 0.1}
OF_STEPS = ("iterations", "constraint_violation", "dt")


def accuracy_facts(results: Results) -> list[str]:
    return [text for label, text in results.simulation.facts if label == "accuracy"]


def check_same(tree: RandomTree) -> Results:
    """All columns of a run by joint coordinates and of one with all rows agree."""
    deck = tree.text()
    found, general = run(deck, accuracy=TOLERANCE), run(deck, accuracy=TOLERANCE, general=True)
    assert accuracy_facts(found) and all("by joint coordinates" in fact for fact in accuracy_facts(found))
    assert not any("by joint coordinates" in fact for fact in accuracy_facts(general))
    assert not found.simulation.messages
    for group, channels in general.values.items():
        for channel, values in channels.items():
            if channel in OF_STEPS:
                continue
            stem = channel.rstrip("XYZxyz0123456789")
            alike = [of for name, of in channels.items() if name.rstrip("XYZxyz0123456789") == stem]
            size = max(1.0, *(float(np.nanmax(np.abs(of), initial=0.0)) for of in alike))
            np.testing.assert_allclose(found.values[group][channel], values, rtol=0, atol=SAME * size,
                                       err_msg=f"{group}/{channel}")  # fmt: skip
    assert np.max(found.scalar("diag", "constraint_violation")) <= 1e-12
    return found


@pytest.mark.parametrize("seed, bodies, free", [(1, 7, False), (2, 9, False), (3, 6, True), (8, 10, True)])
def test_trees_of_all_kinds_of_joints_are_those_of_all_rows(seed, bodies, free):
    tree = RandomTree(seed, bodies, free=free)
    tree.tree()
    tree.weight()
    tree.loads()
    tree.motion()
    check_same(tree)


@pytest.mark.parametrize(
    "seed, bodies, free, kinds",
    [(5, 7, True, ["STRUT"]), (13, 6, False, ["DISTANCE", "STRUT"]), (19, 5, False, ["UNIVERSAL"]),
     (24, 8, True, ["SPHERICAL"] * 2), (25, 9, False, ["SPHERICAL", "DISTANCE"])],
)  # fmt: skip
def test_loops_that_joints_of_all_kinds_close_are_those_of_all_rows(seed, bodies, free, kinds):
    tree = RandomTree(seed, bodies, free=free, kinds=ANY_JOINTS)
    tree.tree()
    tree.loops(*kinds)
    tree.weight()
    tree.motion()
    check_same(tree)


@pytest.mark.parametrize(
    "forces, damping", [(SPRINGS, 0.0), ({"stiffness": 3.0, "damping": 0.2}, 0.5)], ids=["springs", "dampers"]
)
def test_what_acts_on_bodies_and_along_joints_is_that_of_all_rows(forces, damping):
    tree = RandomTree(1, 7)
    tree.tree(forces)
    tree.loops("DISTANCE")
    tree.spring(50.0, damping)
    tree.loads()
    tree.motion()
    check_same(tree)


@pytest.mark.parametrize("level, formula", [(0, "sin(3*t)^2"), (1, "2*sin(3*t)+1"), (2, "2*sin(3*t)")])
@pytest.mark.parametrize("kind", ["ROT", "TRA", "DIST"])
def test_drives_are_those_of_all_rows(kind, level, formula):
    tree = RandomTree(3 + level, 6, free=level == 1, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.drive(kind, "0.3*t" if kind == "DIST" else formula, level=1 if kind == "DIST" else level)
    tree.weight()
    tree.motion()
    check_same(tree)


def test_a_drive_that_takes_hold_and_lets_go_pays_the_impact_of_all_rows():
    tree = RandomTree(3, 6, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.drive("ROT", "2*sin(3*t)+1", level=1, window=(0.0503, 0.1277))
    tree.weight()
    tree.motion()
    found = check_same(tree)
    assert found.scalar("energy", "impact_loss")[-1] > 1e-3


@pytest.mark.parametrize("seed", [2, 3])
def test_ratios_of_hinges_are_those_of_all_rows(seed):
    tree = RandomTree(seed, 6, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.gears()
    tree.weight()
    tree.motion()
    check_same(tree)


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
