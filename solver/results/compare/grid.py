"""Two histories at the same times: where their samples meet, and between samples where they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats

SAME_TIME = 1e-9  # of the distance of two samples: rounding of times is far below
EIGHTH = 1 / 8  # of a parabola's second difference lies between it and its chord


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes values at given times out of a history: a sample, or a point on the line between two.

    first, second : (k,) samples before and after; weight : (k,) of the second
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: Floats

    @property
    def interpolated(self) -> int:
        """Number of times at which there is no sample."""
        return int(np.count_nonzero(self.weight))

    def take(self, values: Floats) -> Floats:
        """(k,) values of a history (nt,)."""
        taken = values[self.first]
        between = self.weight != 0.0
        if between.any():
            rise = values[self.second[between]] - taken[between]
            taken[between] += self.weight[between] * rise
        return taken

    def cost(self, values: Floats) -> float:
        """By how much the lines may be off, from the second differences of the samples around; 0 where nothing is."""
        between = np.flatnonzero(self.weight)
        if not len(between) or len(values) < 3:
            return 0.0
        bend = np.abs(np.diff(values, 2))
        first = self.first[between]
        around = (bend[np.clip(first - 1, 0, len(bend) - 1)], bend[np.clip(first, 0, len(bend) - 1)])
        largest = np.maximum(*around)
        return EIGHTH * float(np.max(largest[np.isfinite(largest)], initial=0.0))


@dataclass(frozen=True, slots=True)
class Grid:
    """Times at which two histories are compared, and how each of them is taken there."""

    times: Floats
    of_a: Sampler
    of_b: Sampler


def common_grid(a: Floats, b: Floats) -> Grid | None:
    """The times of the history with fewer samples in the span that both have; None where they have no span.

    a, b : (n,) and (m,) times of the samples, in one unit
    """
    if not len(a) or not len(b):
        return None
    slack = SAME_TIME * max(_spacing(a), _spacing(b))
    start, end = max(a[0], b[0]) - slack, min(a[-1], b[-1]) + slack
    of_a, of_b = (np.flatnonzero((times >= start) & (times <= end)) for times in (a, b))
    if not len(of_a) or not len(of_b):
        return None
    times = a[of_a] if len(of_a) <= len(of_b) else b[of_b]
    return Grid(times, sampler(a, times), sampler(b, times))


def sampler(times: Floats, at: Floats) -> Sampler:
    """Takes values of samples at `times` for the times `at`, which lie between the first and the last of them."""
    second = np.clip(np.searchsorted(times, at), 0, len(times) - 1)
    first = np.maximum(second - 1, 0)
    apart = times[second] - times[first]
    weight = np.divide(at - times[first], apart, out=np.zeros(len(at)), where=apart > 0.0)
    on_second = (weight >= 1.0 - SAME_TIME) | (first == second)  # beyond the last sample by rounding: the last
    first = np.where(on_second, second, first)
    weight[on_second | (weight <= SAME_TIME)] = 0.0
    return Sampler(first, second, weight)


def _spacing(times: Floats) -> float:
    return float(times[-1] - times[0]) / max(len(times) - 1, 1)
