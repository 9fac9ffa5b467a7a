"""Rows that depend on others: found, attributed, and reactions of least norm."""

from __future__ import annotations

import re

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.parser.model import JointForce
from gsolve.solver.constraints.redundancy import count_independent, find_redundancy, order_by_pivots, reduce_multipliers
from gsolve.solver.constraints.rows import LEFT_OUT, ROW_WORK
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.integration.system import SUBSYSTEM
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, Z, collect
from row_rig import Rig

# Corners of two square cells side by side, in the plane z = 0; each bar has a node at its middle and at its ends.
BARS = [((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 1)), ((0, 1), (1, 1)), ((1, 1), (2, 1))]


def two_cells(t_end: float = 1e-3, every: float = 1e-4) -> Machine:
    """Three cranks on the ground and two couplers, all revolutes about z: 6 rows too many."""
    coordinates = []
    for start, end in BARS:
        middle = 0.5 * (np.array(start) + np.array(end))
        coordinates += [(*middle, 0.0), (*start, 0.0), (*end, 0.0)]
    machine = Machine(coordinates, t_end, every)
    for k in range(len(BARS)):
        main = 3 * k + 1
        for node in (main, main + 1, main + 2):
            machine.mass(node, 0.5 if node == main else 0.25)
        machine.body(main, [main + 1, main + 2], inertia=(0.01, 0.02, 0.03, 0, 0, 0))
    for crank in (2, 5, 8):
        machine.pair("REVOLUTE", 0, crank, axis=Z)
    for one, other in ((3, 11), (6, 12), (6, 14), (9, 15)):
        machine.pair("REVOLUTE", one, other, axis=Z)
    return machine


def dependent_rows(matrix):
    """Rows of a positive semidefinite matrix, of unit diagonal, that depend on the others."""
    order, pivots = order_by_pivots(np.asfortranarray(matrix))  # as SciPy makes it
    return order[count_independent(pivots) :]


@pytest.mark.parametrize(("size", "rank"), [(6, 6), (12, 7), (30, 1), (5, 0)])
def test_dependent_rows_leave_an_independent_set_of_full_rank(size, rank):
    factor = np.random.default_rng(rank).normal(size=(size, rank))
    matrix = factor @ factor.T
    scale = np.sqrt(np.maximum(matrix.diagonal(), 1e-300)) if rank else np.ones(size)
    matrix = matrix / np.outer(scale, scale)
    dependent = dependent_rows(matrix.copy())
    kept = np.setdiff1d(np.arange(size), dependent)
    assert len(kept) == rank
    assert np.linalg.matrix_rank(matrix[np.ix_(kept, kept)]) == rank if rank else len(dependent) == size


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_left_out_that_lie_in_the_span_of_those_before_them(seed):
    random = np.random.default_rng(seed)
    factor = random.normal(size=(14, 9))
    factor[5] = factor[2]
    factor[7] = factor[0] - 2.0 * factor[1] + 0.5 * factor[4]
    factor[3] *= -1e3
    factor /= np.linalg.norm(factor, axis=1)[:, None]
    found = dependent_rows(factor @ factor.T)
    assert sorted(found.tolist()) == twin.rows_in_the_span_of_earlier_ones(factor)
    assert {5, 7} <= set(found.tolist())


def dependent_rig(seed, size=1.0):
    """Two subsystems of three bodies; in each, 9 rows of rank 6, the dependent ones sums of two independent rows."""
    rig = Rig([[[1, 2, 3]] * 9, [[4, 5, 6]] * 9], [3, 3], seed=seed)
    blocks = rig.entries["jacobian"].reshape(2, 9, 18) * size
    for block in blocks:
        block[1] = 0.5 * block[0]  # one group of two rows
        block[6] = block[2] - 3.0 * block[4]  # and one of five
        block[8] = block[4] + 0.2 * block[7]
    rig.entries["jacobian"] = blocks.reshape(-1, 6)
    rig.apply_inverse_mass()
    subsystems = np.zeros(2, SUBSYSTEM)
    subsystems["first_row"], subsystems["last_row"] = rig.row_start[:-1], rig.row_start[1:]
    subsystems["first_body"], subsystems["last_body"] = rig.body_start[:-1], rig.body_start[1:]
    return rig, subsystems


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e5])
def test_redundant_rows_and_who_shares_them_are_those_of_the_null_space(size):
    rig, subsystems = dependent_rig(3, size)
    found = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([1, 13]))
    jacobian = rig.jacobian()
    kept = np.setdiff1d(np.arange(18), found.left_out)
    assert twin.rank(jacobian[kept]) == len(kept) == twin.rank(jacobian) == 12
    assert [group.tolist() for group in found.groups] == twin.groups_of_dependent_rows(jacobian)


@pytest.mark.parametrize(
    ("pivots", "independent"),
    [
        ([1.0, 0.5, 1e-3], 3),
        ([1.0, 0.5, 1e-3, 3e-11, 1e-12], 3),  # what the rounding of a deck leaves
        ([1.0, 0.5, 1e-3, 3e-16, -1e-17], 3),
        ([1.0, 1e-9, 1e-16], 2),  # weak, but farther than rounding
        ([1.0, 1e-6, 5e-11, 1e-16], 3),  # the largest gap comes after it
        ([1.0, 2e-11], 1),
        ([0.0, 0.0], 0),
        ([], 0),
    ],
)
def test_rank_is_where_the_pivots_have_their_gap(pivots, independent):
    assert count_independent(np.array(pivots)) == independent


@pytest.mark.parametrize("power", [-9, -4, 4, 9])
def test_rank_and_groups_do_not_depend_on_masses(power):
    rig, subsystems = dependent_rig(3)
    suspects = np.array([1, 13])
    before = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, suspects)
    for name, factor in (("inverse_mass", -power), ("inverse_inertia", -power), ("mass", power), ("inertia", power)):
        rig.bodies[name][2] *= 10.0**factor
    rig.apply_inverse_mass()
    after = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, suspects)
    np.testing.assert_array_equal(after.left_out, before.left_out)
    assert [group.tolist() for group in after.groups] == [group.tolist() for group in before.groups]


@pytest.mark.parametrize("off", [1e-13, 1e-9, 1e-6])
def test_rows_that_nearly_depend_on_others_are_left_out_and_say_by_how_much(off):
    rig, subsystems = dependent_rig(3)
    blocks = rig.entries["jacobian"].reshape(2, 9, 18)
    basis = blocks[0, [0, 2, 3, 4, 5, 7]]
    across = np.linalg.svd(basis)[2][-1]  # of unit size, and across all others
    blocks[0, 1] = 0.5 * blocks[0, 0] + off * 0.5 * np.linalg.norm(blocks[0, 0]) * across
    rig.entries["jacobian"] = blocks.reshape(-1, 6)
    found = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([1]))
    (near,) = [item for item in found.found if item.row == 1]
    assert near.distance == pytest.approx(off, rel=1e-2)
    assert near.partners.tolist() == [0]
    assert not found.weak


def test_rows_farther_from_others_than_rounding_are_kept_and_told_of():
    rig, subsystems = dependent_rig(3)
    blocks = rig.entries["jacobian"].reshape(2, 9, 18)
    across = np.linalg.svd(blocks[0, [0, 2, 3, 4, 5, 7]])[2][-1]
    blocks[0, 1] = blocks[0, 0] + 1e-4 * np.linalg.norm(blocks[0, 0]) * across
    rig.entries["jacobian"] = blocks.reshape(-1, 6)
    found = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([1]))
    assert 1 not in found.left_out
    assert [item.row for item in found.weak] in ([0], [1])


@pytest.mark.parametrize("error", [1e-10, 1e-6, 1e-4])
def test_closing_error_is_the_rate_that_is_left_over_the_largest_term(error):
    """Three shafts in a loop of ratios 2, -2 and 1 + error: after a turn of the first the last ratio wants another."""
    rig = Rig([[[1, 2], [2, 3], [3, 1]]], [3])
    jacobian = np.zeros((6, 6))
    jacobian[:, 5] = [0.5, 1.0, -2.0, 1.0, 1.0 + error, 1.0]
    rig.entries["jacobian"] = jacobian
    rig.apply_inverse_mass()
    subsystems = np.zeros(1, SUBSYSTEM)
    subsystems["last_row"], subsystems["first_body"], subsystems["last_body"] = 3, 1, 4
    found = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([2]))
    (loop,) = [*found.found, *found.weak]
    assert (loop.row, loop.partners.tolist(), len(found.found)) == (2, [0, 1], int(error < 1e-5))
    assert loop.closing == pytest.approx(error, rel=1e-3)


def test_subsystems_without_a_suspect_are_not_looked_at():
    rig, subsystems = dependent_rig(3)
    found = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([1]))
    assert found.left_out.max() < 9


@pytest.mark.parametrize("path", ["as they are", "sparse"])
@pytest.mark.parametrize("seed", range(4))
def test_reduced_multipliers_give_the_same_forces_with_the_least_weighted_norm(monkeypatch, path, seed):
    if path == "sparse":
        monkeypatch.setattr("gsolve.solver.constraints.kkt_pattern.SMALL", 0)
    rig, subsystems = dependent_rig(seed)
    left_out = find_redundancy(subsystems, rig.rows, rig.entries, rig.bodies, np.array([1, 10])).left_out
    rig.rows["left_out"][left_out] = LEFT_OUT
    multiplier = rig.random.normal(size=18) * 10.0 ** rig.random.uniform(-2, 2, 18)
    multiplier[left_out] = 0.0
    jacobian, weights = rig.jacobian(), np.diag(rig.dense())
    expected = twin.least_norm_multipliers(jacobian, weights, multiplier)
    matrix, work, velocity = rig.factorised(left_out), np.full((18, ROW_WORK), np.nan), np.full((7, 6), np.nan)
    found = multiplier.copy()
    for s in range(2):
        subsystem = subsystems[s]
        reduce_multipliers(Reference(matrix), s, rig.rows, subsystem["first_row"], subsystem["last_row"], rig.entries,
                           rig.bodies, subsystem, work, velocity, found)  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
    np.testing.assert_allclose(jacobian.T @ found, jacobian.T @ multiplier, atol=1e-11 * np.abs(expected).max())
    assert weights @ found**2 < weights @ multiplier**2


def test_joints_that_share_several_rows_are_named_once():
    machine = Machine([(0, 0, 0), (0, 0, 1), (0, 0, -1)], 1e-3, 1e-4)
    machine.mass(1, 1.0)
    machine.body(1, [2, 3], inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    for node in (2, 3):
        machine.pair("REVOLUTE", 0, node, axis=Z)
    simulation = machine.simulation(1e-4)
    simulation.compile()
    assert len(simulation.initial.redundancy.groups) > 1
    lines = dict(simulation.facts)["redundant"].splitlines()[1:]
    assert len(lines) == 1
    assert re.match("5 among /JOINT/REVOLUTE", lines[0])


def test_planar_loops_have_three_redundant_rows_each_and_one_degree_of_freedom():
    simulation = two_cells().simulation(1e-4)
    simulation.compile()
    assert len(simulation.redundant_rows) == 6
    assert simulation.degrees_of_freedom == 1
    (group,) = simulation.initial.redundancy.groups
    rows = simulation._assembly.system.rows
    # what a plane mechanism does not fix: forces out of the plane and moments about the axes in it
    in_plane = np.isin(rows["kind"][group], (0, 3, 4))
    assert in_plane.all()
    assert "6 among /JOINT/REVOLUTE" in dict(simulation.facts)["redundant"]


def test_reactions_are_those_of_least_norm():
    """G^T lambda is the force that moves the bodies; of all lambda that give it, sum of D lambda^2 is least."""
    machine = two_cells()
    for body in (1, 4, 7, 10, 13):
        machine.load(body, "Z", 3.0 + body)  # out of the plane, where reactions are not unique
        machine.load(body, "Y", -2.0)
    machine.load(1, "XX", 1.7)
    simulation: Simulation = machine.simulation(1e-4)
    simulation.compile()
    system = simulation._assembly.system
    rows, entries = system.rows, system.entries
    jacobian = np.zeros((len(rows), 6 * len(system.bodies)))
    weighted = np.zeros_like(jacobian)
    for i, row in enumerate(rows):
        for entry in entries[row["start"] : row["end"]]:
            columns = 6 * entry["body"] + np.arange(6)
            jacobian[i, columns], weighted[i, columns] = entry["jacobian"], entry["weighted"]
    size = np.sqrt(np.einsum("ij,ij->i", jacobian, weighted))
    run = collect(simulation)
    found = np.array([run.pair(name, j)[0] for j in range(7) for name in ("FR", "FS", "FT", "MR", "MS", "MT")])
    in_triad = found.reshape(7, 6)
    multiplier = np.column_stack([in_triad[:, 0], in_triad[:, 1], in_triad[:, 2], in_triad[:, 5], -in_triad[:, 4]])
    assert np.abs(in_triad[:, 3]).max() < 1e-9  # no moment about a revolute
    multiplier = multiplier.ravel()
    force = jacobian.T @ multiplier
    least = np.linalg.lstsq((jacobian / size[:, None]).T, force, rcond=1e-10)[0] / size
    np.testing.assert_allclose(multiplier, least, atol=1e-9 * np.abs(least).max())


def test_rows_left_out_stay_met_over_a_long_swing():
    machine = two_cells(t_end=1.0, every=1e-2)
    machine.gravity([1, 4, 7, 10, 13], "X", 9.81)
    run = machine.run(1e-3)
    worst = max(run.pair("RES", j).max() for j in range(7))
    assert worst < 1e-13
    assert np.ptp(run.pair("ANG", 0)) > 1.0


def flat_parallelogram() -> Machine:
    """Two cranks and a coupler in one line, where their rods depend on each other, set in motion across it.

    The load on one crank alone would turn it against the other.
    """
    machine = Machine([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], t_end=0.05, every=1e-3)
    machine.hold([1, 3], "111 111")
    for node in (2, 4):
        machine.mass(node, 1.0)
        machine.hold([node], "001 000")
    for one, other in ((1, 2), (3, 4), (2, 4)):
        machine.pair("DISTANCE", one, other)
    machine.velocity([2, 4], (0.0, 1.0, 0.0))
    machine.load(2, "Y", 1.0)
    return machine


def test_a_row_left_out_comes_back_when_it_is_no_longer_met():
    simulation = flat_parallelogram().simulation(1e-4)
    simulation.compile()
    assert len(simulation.redundant_rows) == 1
    run = collect(simulation)
    (message,) = simulation.messages
    back = float(re.search(r"from t = ([\d.]+) on: /JOINT/DISTANCE", message)[1])
    assert 5e-4 < back < 2e-3  # the rod is off by v t . F t^2 / 2m, and 1e-10 of the machine is allowed
    assert simulation.redundant_rows == []
    # Closing 1e-10 of the machine's size (3 m) within a step takes 3e-6 m/s.
    assert np.abs(run.energy("error")).max() < 1e-5
    # samples that were taken twice are not counted twice
    speeds = np.stack([run.vector("V", node) for node in (2, 4)])
    kinetic = 0.5 * (speeds**2).sum(axis=(0, 2))
    np.testing.assert_allclose(run.energy("kinetic_translational"), kinetic, rtol=1e-5)
    # The second mass is held on its circle; once the rod acts, at a small angle, it brings half of the load of 1 N too.
    pull = (speeds[1] ** 2).sum(axis=1)
    pull[2:] -= 0.5 / run.node("DY", 4)[2:]
    np.testing.assert_allclose(-run.pair("FX", 1)[[0, 2, 3, 4]], pull[[0, 2, 3, 4]], rtol=1e-2)


def test_length_of_the_blocks_does_not_change_when_rows_are_chosen():
    whole, pieces = (flat_parallelogram().run(1e-4, block=block) for block in (100_000, 7))
    np.testing.assert_array_equal(whole.times, pieces.times)
    for group, values in whole.values.items():
        for name, channel in values.items():
            np.testing.assert_array_equal(channel, pieces.values[group][name], err_msg=f"{group} {name}")


def test_friction_that_follows_a_bearing_force_which_is_not_unique_is_told():
    machine = two_cells()
    joints = machine.model.joints
    joints[3].rotation = JointForce(friction_coefficient=0.1, radius=0.01, slip_velocity=0.01)
    joints[4].rotation = JointForce(friction_force=0.1, slip_velocity=0.01)
    simulation = machine.simulation(1e-4)
    simulation.compile()
    (warning,) = simulation.warnings
    assert warning.severity == "warning"
    assert warning.message.startswith("friction of this joint follows its bearing force, which is not unique")
