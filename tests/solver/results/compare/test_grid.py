"""Which samples are taken at which times."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.results.compare.grid import common_grid, sampler

TIMES = np.array([0.0, 1.0, 3.0, 4.0])
VALUES = np.array([10.0, 20.0, np.nan, 50.0])


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0.0, 10.0),
        (-1e-6, 10.0),  # before the first sample, by rounding that was judged by another history
        (1.0, 20.0),
        (1.0 + 1e-10, 20.0),  # the NaN beside it is of another time
        (1.0 - 1e-10, 20.0),
        (4.0, 50.0),
        (4.0 + 1e-6, 50.0),
        (4.0 - 1e-10, 50.0),
    ],
)
def test_a_time_of_a_sample_takes_that_sample(at: float, value: float) -> None:
    taken = sampler(TIMES, np.array([at]))
    assert taken.interpolated == 0 and taken.take(VALUES).tolist() == [value]


def test_between_samples_values_lie_on_lines() -> None:
    taken = sampler(TIMES, np.array([0.25, 1.5, 3.25]))
    assert taken.interpolated == 3
    assert taken.take(np.array([0.0, 4.0, 8.0, 4.0])).tolist() == [1.0, 5.0, 7.0]
    assert np.isnan(taken.take(VALUES)).tolist() == [False, True, True]


def test_the_cost_is_an_eighth_of_the_bend_around() -> None:
    """A corner from slope 0 to slope 1: only the intervals beside it bend."""
    times, values = np.arange(8.0), np.maximum(np.arange(8.0) - 4.0, 0.0)
    costs = [sampler(times, np.array([at])).cost(values) for at in (0.5, 3.5, 4.5, 6.5)]
    assert costs == [0.0, 0.125, 0.125, 0.0]
    assert sampler(times, np.array([4.0])).cost(values) == 0.0


def test_a_single_sample_has_a_time_in_common() -> None:
    grid = common_grid(np.array([0.5]), np.linspace(0.0, 1.0, 5))
    assert grid is not None and grid.times.tolist() == [0.5] and grid.of_b.first.tolist() == [2]
    assert common_grid(np.array([]), TIMES) is None
    assert common_grid(np.array([5.0, 6.0]), TIMES) is None


def test_the_history_with_fewer_samples_gives_the_times() -> None:
    grid = common_grid(np.linspace(0.0, 2.0, 21), np.linspace(1.0, 3.0, 5))
    assert grid is not None and grid.times.tolist() == [1.0, 1.5, 2.0]
    assert grid.of_a.interpolated == grid.of_b.interpolated == 0
