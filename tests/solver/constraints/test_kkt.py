"""The matrix of the multipliers: every path of the factorisation against a dense solve with NumPy."""

from __future__ import annotations

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.solver.constraints import block_elimination, kkt_pattern
from gsolve.solver.constraints.kkt import (
    REDUNDANT,
    assemble_trial_matrix,
    factorise,
    factorise_trial,
)
from gsolve.solver.core.bodies import NO_ROTATION
from gsolve.solver.core.jit.references import Reference
from hand_models import Machine, Z
from naive import dense_inverse_mass
from row_rig import Rig, star_and_chain

# (HUB_ROWS, SMALL): no hub and as numbered, no hub and minimum degree, one hub, every body a hub
PATHS = {"as_numbered": (10_000, 10_000), "minimum_degree": (10_000, 0), "hub": (8, 0), "all_hubs": (0, 10_000)}


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    hub_rows, small = PATHS[request.param]
    monkeypatch.setattr(kkt_pattern, "HUB_ROWS", hub_rows)
    monkeypatch.setattr(kkt_pattern, "SMALL", small)
    return request.param


@pytest.mark.parametrize("seed", range(4))
def test_every_path_agrees_with_a_dense_solve(path, seed):
    rig = Rig(*star_and_chain(), seed=seed)
    matrix = rig.factorised()
    if path == "hub":
        assert matrix.hub_body.tolist() == [1]
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), -2.5 * right_hand_side)
    np.testing.assert_allclose(
        rig.solve(matrix, right_hand_side, -2.5), expected, atol=1e-11 * np.linalg.norm(expected)
    )
    assert np.all(matrix.pivot_inverse[matrix.place_of_row] != 0.0)
    np.testing.assert_allclose(matrix.magnitude[matrix.place_of_row], np.diag(rig.dense()), rtol=1e-13)


def test_a_second_factorisation_forgets_the_first(path):
    rig = Rig(*star_and_chain(), seed=3)
    matrix = rig.factorised()
    rig.entries["jacobian"] = rig.random.normal(size=(len(rig.entries), 6))
    for s in range(2):
        rig.assemble(matrix, s)
        factorise(Reference(matrix), s, REDUNDANT)
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), right_hand_side)
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


def test_subsystems_do_not_touch_each_other(path):
    rig = Rig(*star_and_chain(), seed=5)
    matrix = rig.factorised()
    before = matrix.pivot_inverse.copy(), matrix.diagonal.copy()
    rig.entries["jacobian"][rig.rows["start"][rig.row_start[1]] :] *= 3.0
    rig.assemble(matrix, 1)
    factorise(Reference(matrix), 1, REDUNDANT)
    mine = slice(6 * matrix.blocks[0], 6 * matrix.blocks[1])
    np.testing.assert_array_equal(matrix.pivot_inverse[mine], before[0][mine])
    mine = slice(matrix.blocks[0], matrix.blocks[1])
    np.testing.assert_array_equal(matrix.diagonal[mine], before[1][mine])


@pytest.mark.parametrize("seed", range(4))
def test_dependent_rows_get_zero_pivots_and_all_rows_are_met(path, seed):
    rig = Rig(*star_and_chain(), seed=seed)
    # row 1 repeats row 0, row 5 is the sum of rows 3 and 4
    at = rig.rows["start"]
    jacobian = rig.entries["jacobian"]
    jacobian[at[1] : at[1] + 2] = jacobian[at[0] : at[0] + 2]
    jacobian[at[5] : at[5] + 2] = jacobian[at[3] : at[3] + 2] + jacobian[at[4] : at[4] + 2]
    matrix = rig.factorised()
    dense = rig.dense()
    assert np.linalg.matrix_rank(dense, tol=1e-9) == len(rig.rows) - 2
    redundant = np.flatnonzero(matrix.pivot_inverse[matrix.place_of_row] == 0.0)
    assert len(redundant) == 2
    assert set(redundant) <= {0, 1, 3, 4, 5}
    right_hand_side = dense @ rig.random.normal(size=len(rig.rows))
    solution = rig.solve(matrix, right_hand_side)
    np.testing.assert_allclose(dense @ solution, right_hand_side, atol=1e-11 * np.linalg.norm(right_hand_side))
    np.testing.assert_array_equal(solution[redundant], 0.0)


def test_a_row_that_only_the_hub_carries_comes_after_the_hub(monkeypatch):
    """Without the hub such a row has no diagonal."""
    monkeypatch.setattr(kkt_pattern, "HUB_ROWS", 8)
    monkeypatch.setattr(kkt_pattern, "SMALL", 0)
    subsystems, bodies_of = star_and_chain()
    subsystems[0].insert(4, [1])
    rig = Rig(subsystems, bodies_of, seed=2)
    matrix = rig.factorised()
    assert matrix.place_of_row[4] == 6 * (matrix.blocks[1] - 1)
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), right_hand_side)
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


def test_deferred_rows_of_a_small_subsystem_keep_their_corrections():
    rig = Rig(*star_and_chain(), seed=2, deferred=np.array([22, 23]))
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), right_hand_side)
    matrix = rig.factorised()
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


@pytest.mark.parametrize("held", ["translation", "rotation"])
def test_a_hub_held_in_translation_or_rotation_agrees_with_a_dense_solve(monkeypatch, held):
    monkeypatch.setattr(kkt_pattern, "HUB_ROWS", 8)
    monkeypatch.setattr(kkt_pattern, "SMALL", 0)
    rig = Rig(*star_and_chain(), seed=2)
    hub = rig.bodies[1]
    if held == "translation":
        hub["inverse_mass"] = 0.0
    else:
        hub["turning"], hub["inertia"], hub["inverse_inertia"] = NO_ROTATION, 0.0, 0.0
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), right_hand_side)
    matrix = rig.factorised()
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


@pytest.mark.parametrize("n", range(1, 7))
def test_blocks_are_eliminated_and_solved_as_numpy_does(n):
    """A block of n unknowns, one of six after it, and what is between them."""
    random = np.random.default_rng(n)
    block, lower, upper, last = (np.zeros((6, 6)) for _ in range(4))
    block[:n, :n], lower[:n], upper[:n], last[:] = (
        random.normal(size=(k, m)) for k, m in ((n, n), (n, 6), (n, 6), (6, 6))
    )
    block[:n, :n] += 4 * np.eye(n)
    last += 8 * np.eye(6)
    whole = np.block([[block[:n, :n], upper[:n]], [lower[:n].T, last]])
    flat, inverses = [part.ravel() for part in (block, lower, upper, last)], np.zeros(12)
    for c in range(n):
        inverses[c] = block_elimination.eliminate_diagonal(flat[0], c, n, 1e-9, 1)
    block_elimination.eliminate_beside(flat[0], flat[1], flat[2], inverses, 0, n)
    block_elimination.subtract_product(flat[3], flat[1], flat[2], 6, n)
    for c in range(6):
        inverses[6 + c] = block_elimination.eliminate_diagonal(flat[3], c, 6, 1e-9, 1)
    right_hand_side = random.normal(size=n + 6)
    x, y = np.zeros(6), right_hand_side[n:].copy()
    x[:n] = right_hand_side[:n]
    block_elimination.solve_lower(flat[0], x, n)
    block_elimination.subtract_rows(y, x, flat[1], n)
    block_elimination.solve_lower(flat[3], y, 6)
    block_elimination.solve_upper(flat[3], y, inverses, 6, 6)
    block_elimination.subtract_columns(x, y, flat[2], n)
    block_elimination.solve_upper(flat[0], x, inverses, 0, n)
    np.testing.assert_allclose(np.concatenate([x[:n], y]), np.linalg.solve(whole, right_hand_side), atol=1e-13)


def whole_matrix(matrix):
    """The matrix as assembled, and the rows (-1: of hubs) of its unknowns, in the order of elimination."""
    blocks = len(matrix.size)
    dense = np.zeros((blocks, 6, blocks, 6))
    for k in range(blocks):
        dense[k, :, k, :] = matrix.diagonal[k].reshape(6, 6)
        for t in range(matrix.column_start[k], matrix.column_start[k + 1]):
            dense[k, :, matrix.below[t], :] = matrix.upper[t].reshape(6, 6)
            dense[matrix.below[t], :, k, :] = matrix.lower[t].reshape(6, 6).T
    used = np.concatenate([6 * k + np.arange(size) for k, size in enumerate(matrix.size)])
    return dense.reshape(6 * blocks, 6 * blocks)[np.ix_(used, used)], matrix.row_at[used]


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_assembled_matrix_gives_that_of_the_twin_once_hubs_are_eliminated(path, size):
    rig = Rig(*star_and_chain(), seed=11)
    rig.entries["jacobian"] *= size
    matrix = rig.assembled()
    whole, row_at = whole_matrix(matrix)
    hubs = np.flatnonzero(row_at < 0)
    rows = np.setdiff1d(np.arange(len(whole)), hubs)
    left = whole[np.ix_(rows, rows)]
    if len(hubs):
        across = whole[np.ix_(rows, hubs)]
        left = left - across @ np.linalg.solve(whole[np.ix_(hubs, hubs)], across.T)
    wanted = rig.dense()[np.ix_(row_at[rows], row_at[rows])]
    np.testing.assert_allclose(left, wanted, atol=1e-13 * np.abs(wanted).max())


@pytest.mark.parametrize("seed", range(3))
def test_multipliers_are_those_of_the_whole_system_of_velocities_and_multipliers(path, seed):
    """Bodies of unlike mass, rows of unlike size, a body held in translation, one in rotation."""
    rig = Rig(*star_and_chain(), seed=20 + seed)
    sizes = 10.0 ** rig.random.uniform(-3, 3, len(rig.rows))
    rig.entries["jacobian"] *= np.repeat(sizes, rig.rows["end"] - rig.rows["start"])[:, None]
    for body, factor in ((2, 1e-3), (5, 1e3)):
        for name, power in (("inverse_mass", -1), ("mass", 1), ("inertia", 1), ("inverse_inertia", -1)):
            rig.bodies[name][body] *= factor**power
    rig.bodies["inverse_mass"][3] = 0.0
    for name in ("turning", "inertia", "inverse_inertia"):
        rig.bodies[name][4] = 0
    matrix = rig.factorised()
    right_hand_side = sizes * rig.random.normal(size=len(rig.rows))
    expected = twin.saddle_point_solution(rig.jacobian(), dense_inverse_mass(rig.bodies), right_hand_side)
    found = rig.solve(matrix, right_hand_side)
    np.testing.assert_allclose(sizes * found, sizes * expected, atol=1e-9 * np.abs(sizes * expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_of_newtons_method_has_the_jacobian_of_both_ends_of_a_step(path, seed):
    rig = Rig(*star_and_chain(), seed=60 + seed)
    matrix = rig.assembled_at_trial_places()
    moves = dense_inverse_mass(rig.bodies)
    for k, body in enumerate(rig.bodies):
        if k not in matrix.hub_body:
            moves[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = body["mobility"]
    wanted = rig.jacobian("trial") @ moves @ rig.jacobian().T
    right_hand_side = rig.random.normal(size=len(rig.rows))
    for s in range(2):
        factorise_trial(Reference(matrix), s, REDUNDANT)
    expected = np.linalg.solve(wanted, right_hand_side)
    found = rig.solve(matrix, right_hand_side)
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.linalg.norm(expected))
    assert np.abs(wanted - wanted.T).max() > 0.05 * np.abs(wanted).max()  # it is another matrix


def test_a_row_that_turns_round_within_a_step_is_judged_by_its_size():
    """Diagonals of the matrix of Newton's method may be negative: a row that repeats another still depends on it."""
    rig = Rig([[[1], [1]]], [1], seed=5)
    rig.entries["jacobian"][1] = 3.7 * rig.entries["jacobian"][0]
    matrix = rig.assembled_at_trial_places()
    rig.entries["trial"] = -rig.entries["jacobian"]
    assemble_trial_matrix(Reference(matrix), 0, rig.subsystems[0], rig.rows, rig.entries, rig.bodies, 0.05)
    assert np.all(matrix.magnitude[:2] < 0.0)
    factorise_trial(Reference(matrix), 0, REDUNDANT)
    assert matrix.pivot_inverse[0] < 0.0 == matrix.pivot_inverse[1]


@pytest.mark.parametrize("seed", range(3))
def test_with_dependent_rows_bodies_move_as_least_squares_say(path, seed):
    rig = Rig(*star_and_chain(), seed=30 + seed)
    at, jacobian = rig.rows["start"], rig.entries["jacobian"]
    jacobian[at[1] : at[1] + 2] = -0.3 * jacobian[at[0] : at[0] + 2]
    jacobian[at[5] : at[5] + 2] = 2.0 * jacobian[at[3] : at[3] + 2] - jacobian[at[4] : at[4] + 2]
    jacobian[at[20] : at[20] + 1] = 0.0  # a row that holds nothing
    matrix, dense, inverse_mass = rig.factorised(), rig.dense(), dense_inverse_mass(rig.bodies)
    assert np.sum(matrix.pivot_inverse[matrix.place_of_row] == 0.0) == len(rig.rows) - twin.rank(dense) == 3
    right_hand_side = dense @ rig.random.normal(size=len(rig.rows))
    expected = twin.velocity_change(rig.jacobian(), inverse_mass, right_hand_side)
    found = inverse_mass @ rig.jacobian().T @ rig.solve(matrix, right_hand_side)
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("rows", [[], [[1]], [[2, 1]], [[1, 1]]], ids=["none", "one", "two bodies", "one body twice"])
def test_a_machine_of_no_row_or_one(path, rows):
    rig = Rig([rows], [2], seed=3)
    right_hand_side = np.full(len(rows), 3.0)
    found = rig.solve(rig.factorised(), right_hand_side)
    np.testing.assert_allclose(found, right_hand_side / np.diag(rig.dense()), rtol=1e-14)


def test_rows_left_out_get_no_multiplier_and_the_others_what_they_get_without_them(path):
    rig = Rig(*star_and_chain(), seed=47)
    out = np.array([1, 7, 22])
    kept = np.setdiff1d(np.arange(len(rig.rows)), out)
    matrix = rig.factorised(left_out=out)
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.zeros(len(rig.rows))
    expected[kept] = np.linalg.solve(rig.dense()[np.ix_(kept, kept)], right_hand_side[kept])
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


def test_weighted_entries_are_rows_of_the_jacobian_times_the_inverse_mass():
    rig = Rig(*star_and_chain(), seed=53)
    rig.bodies["inverse_mass"][1] = 0.0
    rig.bodies["inverse_inertia"][2] = 0.0
    rig.factorised()
    inverse_mass = dense_inverse_mass(rig.bodies)
    for entry in rig.entries:
        block = slice(6 * entry["body"], 6 * entry["body"] + 6)
        np.testing.assert_allclose(entry["weighted"], inverse_mass[block, block] @ entry["jacobian"], atol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 12, 40])
def test_pattern_of_the_factor_is_that_of_a_dense_cholesky_factor(n):
    random = np.random.default_rng(n)
    lower = np.tril(random.random((n, n)) < 2.5 / max(n, 1), -1) | np.eye(n, dtype=bool)
    row_start = np.concatenate([[0], np.cumsum(lower.sum(axis=1))]).astype(np.int64)
    column = np.concatenate([np.zeros(0, np.int64), *(np.flatnonzero(row) for row in lower)])
    filled = twin.filled_columns(lower) if n else lower
    found = kkt_pattern.pattern_of_factor(row_start, column)
    np.testing.assert_array_equal(np.diff(found.start), filled.sum(axis=0))
    first_below = [int(np.flatnonzero(filled[:, k])[0]) if filled[:, k].any() else -1 for k in range(n)]
    assert found.parent.tolist() == first_below
    for k in range(n):
        assert found.row[found.start[k] : found.start[k + 1]].tolist() == np.flatnonzero(filled[:, k]).tolist()


def gear_train(stages):
    """A train of gears on one free housing."""
    places = [(0.0, 0.0, 0.0), *((0.1 * k, 0.02 * (-1) ** k, 0.0) for k in range(stages + 1))]
    machine = Machine(places)
    machine.mass(1, 100.0)
    for k in range(stages):
        masses, inertias = [0.0, 0.0, 1.0], [20.0 if k == 0 else 0.0, 0.0, 0.01]
        if k == 0:
            masses[1], inertias[1] = 1.0, 0.01
        machine.joint("GEAR", [1, k + 2, k + 3], [Z, Z], 0.8, masses, inertias)
    return machine.assemble().system


def test_a_train_of_20_stages_has_its_link_rows_once_a_shaft_and_one_hub():
    system = gear_train(20)
    assert len(system.rows) == 21 * 5 + 20
    assert len(system.matrix.blocks) == 2
    assert system.matrix.hub_body.tolist() == [1]


def test_nonzeros_grow_linearly_with_a_train_on_one_free_housing():
    def storage(stages):
        matrix = gear_train(stages).matrix
        return 36 * (len(matrix.diagonal) + len(matrix.lower) + len(matrix.upper))

    sizes = [storage(stages) for stages in (50, 100, 200)]
    a_joint = [(sizes[1] - sizes[0]) / 50, (sizes[2] - sizes[1]) / 100]
    assert a_joint[1] <= 1.1 * a_joint[0]
    assert sizes[2] / 200 < 600


def test_products_of_entries_are_linear_in_the_joints():
    pairs = [len(gear_train(stages).matrix.parts) for stages in (50, 100, 200)]
    assert (pairs[2] - pairs[1]) == 2 * (pairs[1] - pairs[0])


@pytest.mark.parametrize("heavy", [1e6, 1e12])
def test_pivots_that_are_small_because_of_masses_alone_count_where_the_matrix_knows(heavy):
    """A light body between the ground and a heavy one: of its two rows the second has a pivot of light to heavy."""
    rig = Rig([[[1], [1, 2]]], [2])
    rig.entries["jacobian"] = 0.0
    rig.entries["jacobian"][:, 0] = [1.0, 1.0, -1.0]
    rig.bodies["mass"][1:], rig.bodies["inverse_mass"][1:] = [1.0, heavy], [1.0, 1 / heavy]
    matrix = rig.factorised()
    assert np.count_nonzero(matrix.pivot_inverse) == (2 if heavy < 1e11 else 1)
    matrix.mass_share[matrix.place_of_row] = [1.0, 1 / heavy]
    rig.assemble(matrix, 0)
    factorise(Reference(matrix), 0, REDUNDANT)
    pivots = matrix.pivot_inverse[matrix.place_of_row]
    assert np.all(pivots != 0.0)
    np.testing.assert_allclose(1 / pivots, [1.0, 1 / heavy], rtol=1e-3)


def test_a_pattern_is_found_once_and_values_are_of_each_machine_alone(monkeypatch):
    """Runs of one machine have the same pattern; what one of them factorises, the next one does not find."""
    found = []
    find = kkt_pattern.find_pattern
    monkeypatch.setattr(kkt_pattern, "find_pattern", lambda *of: found.append(True) or find(*of))
    kkt_pattern._known.clear()
    subsystems, bodies_of = star_and_chain()
    matrices = [Rig(subsystems, bodies_of, seed=seed).factorised() for seed in (5, 6, 5)]
    assert len(found) == 1
    (known,) = kkt_pattern._known._results.values()
    assert not any(np.any(values) for values in (known.magnitude, known.diagonal, known.lower, known.pivot_inverse))
    assert [array.tobytes() for array in matrices[0]] == [array.tobytes() for array in matrices[2]]
    assert np.any(matrices[0].diagonal != matrices[1].diagonal)
    subsystems[0].insert(4, [1])
    Rig(subsystems, bodies_of, seed=5).factorised()
    assert len(found) == 2
