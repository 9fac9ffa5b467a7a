"""Long histories as a page shows them: the smallest and the largest value of every few samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats


class Reduction:
    """Brings (nt,) histories to at most `points` values, whose times are `times`.

    Of each bundle of samples the smallest and the largest stay, in the order in which they came; the first and the last
    sample of a run stay as they are.  No peak is lost, and its time is right to a bundle.

    Parameters
    ----------
    times : (nt,) of the samples
    points : most values, at least 4
    """

    def __init__(self, times: Floats, points: int) -> None:
        count = len(times)
        self.bundle = 1 if count <= points else -(-2 * (count - 2) // (points - 2))  # samples
        if self.bundle == 1:
            self.times = np.asarray(times)
            return
        self._starts = np.arange(1, count - 1, self.bundle)
        ends = np.minimum(self._starts + self.bundle, count - 1) - 1
        pairs = np.stack([times[self._starts], times[ends]], axis=1).ravel()
        self.times = np.concatenate([times[:1], pairs, times[-1:]])

    def __call__(self, values: Floats) -> Floats:
        """(len(times),) of a history."""
        if self.bundle == 1:
            return np.asarray(values)
        inner = values[1:-1]
        filled = np.full(len(self._starts) * self.bundle, np.nan)
        filled[: len(inner)] = inner
        rows = filled.reshape(-1, self.bundle)
        smallest, largest = _place(rows, np.inf), _place(-rows, np.inf)
        first, second = np.minimum(smallest, largest), np.maximum(smallest, largest)
        each = np.arange(len(rows))
        pairs = np.stack([rows[each, first], rows[each, second]], axis=1).ravel()
        return np.concatenate([values[:1], pairs, values[-1:]])


def _place(rows: Floats, instead: float) -> NDArray[np.int64]:
    """Of the smallest number of each row, NaN left aside."""
    place: NDArray[np.int64] = np.argmin(np.where(np.isnan(rows), instead, rows), axis=1)
    return place
