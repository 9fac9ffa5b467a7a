"""Long histories lose no peak when they are drawn with fewer points."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from gsolve.solver.results.plot.envelope import POINTS, thinned

TIMES = np.linspace(0.0, 3.0, 50_001)


def random_walk() -> np.ndarray:
    return np.cumsum(np.random.default_rng(3).normal(size=len(TIMES)))


@pytest.mark.parametrize("parts", [7, 500])
def test_each_part_keeps_its_first_smallest_largest_and_last_sample(parts: int) -> None:
    values = random_walk()
    values[12_345], values[40_000] = 1e6, -1e6
    times, kept = thinned(TIMES, values, parts)
    assert len(times) <= POINTS * parts and np.all(np.diff(times) > 0.0)
    assert set(zip(times, kept, strict=True)) <= set(zip(TIMES, values, strict=True))
    edges = np.linspace(0.0, 3.0, parts + 1)
    for low, high in pairwise(edges):
        last = high == edges[-1]
        whole = values[(low <= TIMES) & ((high > TIMES) | last)]
        part = kept[(low <= times) & ((times < high) | last)]
        assert (part[0], part[-1], min(part), max(part)) == (whole[0], whole[-1], min(whole), max(whole))


def test_short_histories_stay_as_they_are() -> None:
    times, values = thinned(TIMES[:2000], random_walk()[:2000], 500)
    assert len(times) == len(values) == 2000


def test_what_is_no_number_stays_a_gap_and_hides_nothing() -> None:
    values = random_walk()
    values[10_000:20_000] = np.nan
    values[30_000::2] = np.nan
    times, kept = thinned(TIMES, values, 500)
    inside = (times > TIMES[10_200]) & (times < TIMES[19_800])
    assert inside.sum() > 100 and not np.isfinite(kept[inside]).any()
    assert np.nanmax(kept) == np.nanmax(values) and np.nanmin(kept) == np.nanmin(values)


def test_uneven_samples() -> None:
    times = np.concatenate([np.linspace(0.0, 0.001, 30_000), np.linspace(0.5, 1.0, 20)])
    values = np.sin(1e4 * times)
    some, kept = thinned(times, values, 1000)
    assert np.array_equal(some[-20:], times[-20:]) and np.max(kept) == np.max(values)
