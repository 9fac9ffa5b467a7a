"""The matrix of the multipliers: every path of the factorisation against a dense solve with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.constraints import kkt as linear
from gsolve.solver.constraints.kkt import (
    NO_ROWS,
    REDUNDANT,
    assemble_matrix,
    build_matrix,
    factorise,
    solve_corrections,
)
from gsolve.solver.constraints.rows import RowBuilder
from gsolve.solver.core.bodies import GENERAL, NO_ROTATION, new_bodies
from hand_models import Machine, Z
from naive import dense_inverse_mass, dense_jacobian
from scipy.spatial.transform import Rotation

# (HUB_ROWS, DENSE_UNKNOWNS): no hub and explicit inverse, no hub and sparse, one hub, every body a hub
PATHS = {"inverse": (10_000, 10_000), "sparse": (10_000, 0), "hub": (8, 0), "all_hubs": (0, 10_000)}


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    hub_rows, dense_unknowns = PATHS[request.param]
    monkeypatch.setattr(linear, "HUB_ROWS", hub_rows)
    monkeypatch.setattr(linear, "DENSE_UNKNOWNS", dense_unknowns)
    return request.param


def random_bodies(random, count):
    """Bodies of unequal inertia in any attitude; body 0 is the ground."""
    bodies = new_bodies(count + 1)
    for body in bodies[1:]:
        mass, principal = random.uniform(0.5, 5.0), random.uniform(0.2, 3.0, 3)
        axes = Rotation.random(rng=random).as_matrix()
        body["turning"], body["mass"], body["inverse_mass"] = GENERAL, mass, 1 / mass
        body["inertia"] = axes @ np.diag(principal) @ axes.T
        body["inverse_inertia"] = axes @ np.diag(1 / principal) @ axes.T
        body["rotation"] = Rotation.random(rng=random).as_matrix()
    return bodies


class Rig:
    """Rows of given bodies with a random Jacobian; one subsystem for each list of rows.

    subsystems : lists of rows, each the bodies it acts on; bodies are numbered through
    """

    def __init__(self, subsystems, bodies_of, seed=1, deferred=NO_ROWS):
        random = np.random.default_rng(seed)
        self.bodies = random_bodies(random, sum(bodies_of))
        builder = RowBuilder()
        for rows in subsystems:
            for on in rows:
                builder.add(on, 1.0)
        self.rows, self.entries = builder.build()
        self.entries["jacobian"] = random.normal(size=(len(self.entries), 6))
        self.row_start = np.concatenate([[0], np.cumsum([len(rows) for rows in subsystems])]).astype(np.int64)
        self.body_start = np.concatenate([[1], 1 + np.cumsum(bodies_of)]).astype(np.int64)
        self.deferred = deferred
        self.random = random

    def factorised(self):
        matrix = build_matrix(self.rows, self.entries, self.row_start, self.body_start, self.deferred)
        for s in range(len(self.row_start) - 1):
            assemble_matrix(matrix, s, self.rows, self.row_start[s], self.row_start[s + 1], self.entries, self.bodies)
            factorise(matrix, s, REDUNDANT)
        return matrix

    def solve(self, matrix, right_hand_side, scale=1.0):
        self.rows["residual"] = right_hand_side
        matrix.uses[:] = np.diff(matrix.unknowns) - 1  # small subsystems: the next solution makes the inverse
        for s in range(len(self.row_start) - 1):
            solve_corrections(matrix, s, self.rows, self.row_start[s], self.row_start[s + 1], scale)
        return self.rows["correction"].copy()

    def dense(self):
        jacobian = dense_jacobian(self.rows, self.entries, len(self.bodies))
        return jacobian @ dense_inverse_mass(self.bodies) @ jacobian.T


def star_and_chain():
    """A body 1 with many rows to its neighbours 2 to 7 and to the ground, and a chain of three bodies apart from it."""
    star = [[1, k] for k in (2, 3, 4, 5, 6, 7) for _ in range(3)] + [[2, 3], [3, 4, 5], [6], [7]]
    chain = [[8, 9], [9, 10], [8], [10, 9], [8, 10]]
    return [star, chain], [7, 3]


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
    assert np.all(matrix.pivot_inverse != 0.0)
    np.testing.assert_allclose(matrix.magnitude[matrix.place_of_row], np.diag(rig.dense()), rtol=1e-13)


def test_a_second_factorisation_forgets_the_first(path):
    rig = Rig(*star_and_chain(), seed=3)
    matrix = rig.factorised()
    rig.entries["jacobian"] = rig.random.normal(size=(len(rig.entries), 6))
    for s in range(2):
        assemble_matrix(matrix, s, rig.rows, rig.row_start[s], rig.row_start[s + 1], rig.entries, rig.bodies)
        factorise(matrix, s, REDUNDANT)
    right_hand_side = rig.random.normal(size=len(rig.rows))
    expected = np.linalg.solve(rig.dense(), right_hand_side)
    np.testing.assert_allclose(rig.solve(matrix, right_hand_side), expected, atol=1e-11 * np.linalg.norm(expected))


def test_subsystems_do_not_touch_each_other(path):
    rig = Rig(*star_and_chain(), seed=5)
    matrix = rig.factorised()
    before = matrix.pivot_inverse.copy(), matrix.inverse.copy()
    rig.entries["jacobian"][rig.rows["start"][rig.row_start[1]] :] *= 3.0
    assemble_matrix(matrix, 1, rig.rows, rig.row_start[1], rig.row_start[2], rig.entries, rig.bodies)
    factorise(matrix, 1, REDUNDANT)
    mine = slice(matrix.unknowns[0], matrix.unknowns[1])
    np.testing.assert_array_equal(matrix.pivot_inverse[mine], before[0][mine])
    inverse = slice(matrix.inverse_start[0], matrix.inverse_start[1])
    np.testing.assert_array_equal(matrix.inverse[inverse], before[1][inverse])


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


def test_a_row_that_only_the_hub_carries_is_solved_once_it_is_deferred(monkeypatch):
    """Without the hub such a row has no diagonal: it must come after the hub."""
    monkeypatch.setattr(linear, "HUB_ROWS", 8)
    monkeypatch.setattr(linear, "DENSE_UNKNOWNS", 0)
    subsystems, bodies_of = star_and_chain()
    subsystems[0].insert(4, [1])
    rig = Rig(subsystems, bodies_of, seed=2)
    assert rig.factorised().pivot_inverse[rig.factorised().place_of_row[4]] == 0.0
    rig.deferred = np.array([4])
    matrix = rig.factorised()
    assert matrix.place_of_row[4] == matrix.unknowns[1] - 1
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
    monkeypatch.setattr(linear, "HUB_ROWS", 8)
    monkeypatch.setattr(linear, "DENSE_UNKNOWNS", 0)
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
    assert len(system.matrix.unknowns) == 2
    assert system.matrix.hub_body.tolist() == [1]


def test_nonzeros_grow_linearly_with_a_train_on_one_free_housing():
    def storage(stages):
        matrix = gear_train(stages).matrix
        return len(matrix.factor) + len(matrix.value)

    sizes = [storage(stages) for stages in (50, 100, 200)]
    a_joint = [(sizes[1] - sizes[0]) / 50, (sizes[2] - sizes[1]) / 100]
    assert a_joint[1] <= 1.1 * a_joint[0]
    assert sizes[2] / 200 < 400


def test_products_of_entries_are_linear_in_the_joints():
    pairs = [len(gear_train(stages).matrix.pair) for stages in (50, 100, 200)]
    assert (pairs[2] - pairs[1]) == 2 * (pairs[1] - pairs[0])
