"""Constraint rows: their layout, impulses and worst residuals."""

import math

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.solver.constraints.rows import (
    DEACTIVATED,
    LEAST_SLACK,
    LEFT_OUT,
    TIGHT,
    RowBuilder,
    add_impulse,
    clear_row,
    unmet_row,
    widen_tolerance,
    worst_residual,
    worst_row,
)
from gsolve.solver.core.bodies import GROUND, new_bodies
from naive import dense_inverse_mass, dense_jacobian
from scipy.spatial.transform import Rotation


def rows_with(residuals, scales):
    builder = RowBuilder()
    for scale in scales:
        builder.add([1], scale)
    rows, _ = builder.build()
    rows["residual"] = residuals
    return rows


def test_rows_are_numbered_in_order_and_the_ground_has_no_entries():
    builder = RowBuilder()
    assert builder.add([3, GROUND], 2.0) == (0, 0)
    assert builder.add([GROUND, 4, 5], 1.0) == (1, 1)
    assert builder.add([GROUND], 1.0) == (2, 3)
    assert len(builder) == 3
    rows, entries = builder.build()
    assert rows["start"].tolist() == [0, 1, 3]
    assert rows["end"].tolist() == [1, 3, 3]
    assert entries["body"].tolist() == [3, 4, 5]
    np.testing.assert_array_equal(rows["scale"], [2.0, 1.0, 1.0])


def test_impulse_changes_velocities_by_inverse_mass_and_momenta_whole():
    random = np.random.default_rng(4)
    bodies = new_bodies(4)
    bodies["inverse_mass"][1:] = [0.5, 2.0, 0.0]
    bodies["rotation"][1:] = Rotation.random(3, rng=random).as_matrix()
    builder = RowBuilder()
    builder.add([1, 2, 3], 1.0)
    rows, entries = builder.build()
    entries["jacobian"] = random.normal(size=(3, 6))
    add_impulse(rows[0], entries, bodies, 1.5)
    jacobian = dense_jacobian(rows, entries, 4).reshape(4, 6)
    change = (dense_inverse_mass(bodies) @ jacobian.ravel()).reshape(4, 6)
    np.testing.assert_allclose(bodies["trial_velocity"], 1.5 * change[:, :3], atol=1e-15)
    np.testing.assert_allclose(bodies["trial_momentum"], 1.5 * jacobian[:, 3:], atol=1e-15)


def test_worst_residual_is_measured_in_tolerances_of_each_row():
    rows = rows_with([1e-3, -4.0, 2.0], [1e-3, 8.0, 1.0])
    assert worst_residual(rows, 0, 3) * TIGHT == 2.0
    assert worst_residual(rows, 0, 2) * TIGHT == 1.0
    assert (worst_row(rows, 0, 3), worst_row(rows, 0, 2)) == (2, 0)


def test_a_residual_that_is_no_number_is_never_taken_for_met():
    for bad in (math.nan, math.inf, 1e300):
        for place in range(3):
            residuals = np.zeros(3)
            residuals[place] = bad
            assert not worst_residual(rows_with(residuals, [1.0, 1.0, 1.0]), 0, 3) <= 1.0


def test_tolerance_grows_with_the_distance_travelled():
    rows = rows_with([1.0], [2.0])
    assert worst_residual(rows, 0, 1) * TIGHT == 0.5
    widen_tolerance(rows[0], 6.0)
    assert worst_residual(rows, 0, 1) * TIGHT == 0.125


def random_rows(seed, count):
    """Rows of any scale, some of them left out, some met."""
    random = np.random.default_rng(seed)
    rows = rows_with(
        random.normal(size=count) * 10.0 ** random.uniform(-18, 2, count), 10.0 ** random.uniform(-6, 6, count)
    )
    rows["left_out"] = random.integers(0, 3, count)
    rows["slack"] = 10.0 ** random.uniform(-10, -6, count)
    rows["residual"][random.random(count) < 0.2] = 0.0
    return rows


@pytest.mark.parametrize("count", [0, 1, 5, 60])
@pytest.mark.parametrize("seed", range(3))
def test_worst_and_unmet_rows_are_those_of_the_twin(seed, count):
    rows = random_rows(seed, count)
    for first, last in ((0, count), (count // 3, count), (0, count // 2), (count, count)):
        chosen = rows[first:last]
        sizes = twin.relative_residuals(chosen)
        solved = sizes[chosen["left_out"] == 0]
        assert worst_residual(rows, first, last) == solved.max(initial=0.0)
        assert worst_row(rows, first, last) == first + (int(np.argmax(sizes)) if len(sizes) else 0)
        unmet = twin.unmet_rows(chosen, LEAST_SLACK)
        assert unmet_row(rows, first, last) == (first + unmet[0] if len(unmet) else -1)


@pytest.mark.parametrize(("left_out", "slack"), [(LEFT_OUT, 1e-7), (DEACTIVATED, 1e-7)])
def test_a_row_that_is_not_solved_for_counts_as_met_up_to_its_slack(left_out, slack):
    rows = rows_with([0.999 * slack * 3.0], [3.0])
    rows["left_out"], rows["slack"] = left_out, 1e-7
    assert unmet_row(rows, 0, 1) == -1
    rows["residual"] = -1.001 * slack * 3.0
    assert unmet_row(rows, 0, 1) == 0
    rows["residual"] = math.nan
    assert unmet_row(rows, 0, 1) == 0


def test_entries_are_cleared_row_by_row():
    builder = RowBuilder()
    builder.add([1, 2], 1.0)
    builder.add([2, 3, 1], 1.0)
    rows, entries = builder.build()
    values = np.random.default_rng(5).normal(size=(5, 6))
    entries["jacobian"] = values
    clear_row(rows[0], entries)
    np.testing.assert_array_equal(entries["jacobian"], np.vstack([np.zeros((2, 6)), values[2:]]))
