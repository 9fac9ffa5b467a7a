"""Long histories with fewer points, and the same picture."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats

PARTS = 2000  # of the axis of time: more than a picture has pixels
POINTS = 4  # of a part: the first, the smallest, the largest, the last


def thinned(times: Floats, values: Floats, parts: int = PARTS) -> tuple[Floats, Floats]:
    """The first, smallest, largest and last sample of each part of the time, in their order.

    Lines between them cover the same pixels as lines between all samples. What is short enough stays as it is; parts
    in which there is no number stay gaps.

    times, values : (n,), the times growing
    """
    if len(times) <= POINTS * parts:
        return times, values
    edges = np.linspace(times[0], times[-1], parts + 1)[1:-1]
    starts = np.unique(np.concatenate([[0], np.searchsorted(times, edges)]))
    starts = starts[starts < len(times)]
    ends = np.append(starts[1:], len(times)) - 1
    part = np.repeat(np.arange(len(starts)), ends - starts + 1)
    lowest = _first_where(values == np.fmin.reduceat(values, starts)[part], part, starts)
    highest = _first_where(values == np.fmax.reduceat(values, starts)[part], part, starts)
    kept = np.unique(np.concatenate([starts, lowest, highest, ends]))
    return times[kept], values[kept]


def _first_where(holds: np.ndarray, part: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The first place of each part where something holds, the start of the part where it holds nowhere."""
    places = np.flatnonzero(holds)
    parts, first = np.unique(part[places], return_index=True)
    found = starts.copy()
    found[parts] = places[first]
    return found
