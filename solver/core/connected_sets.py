"""What hangs together."""

from __future__ import annotations

import numpy as np

from .bodies import Ints


def connected_sets(count: int, one: Ints, other: Ints) -> Ints:
    """(count,) number of the set that each of 0 .. count - 1 belongs to, sets numbered by their lowest member.

    one, other : (n,), what is connected with what
    """
    lowest = np.arange(count)
    while True:
        low, high = np.minimum(lowest[one], lowest[other]), np.maximum(lowest[one], lowest[other])
        if np.array_equal(low, high):
            return np.unique(lowest, return_inverse=True)[1].astype(np.int64)
        np.minimum.at(lowest, high, low)
        while not np.array_equal(lowest[lowest], lowest):
            lowest = lowest[lowest]
