"""The steps of a block that are kept: samples, and frames, which may be steps of their own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from ..core.bodies import Floats, Ints
from ..integration.system import Samples


class Block:
    """Room for the samples and frames of a block of steps.

    The loop leaves both in the same way: a frame is a sample of which no more than the bodies is kept.

    samples : of all of these steps
    """

    def __init__(self, room: Callable[[Ints], Samples], samples: Ints, frames: Ints) -> None:
        """room : makes it for some steps; samples, frames : steps"""
        self.samples = room(united(samples, frames))
        self._sample_steps, self._frame_steps = samples, frames

    def of_samples(self, end: int) -> Samples:
        """The samples before step `end`."""
        steps = self._sample_steps[: bisect_left(self._sample_steps, end)]
        all_of = self.samples
        if len(steps) == len(all_of.step):
            return all_of
        kept = np.searchsorted(all_of.step, steps)
        by_chunk = {name: getattr(all_of, name)[:, kept] for name in ("sums", "worst", "passes")}
        return Samples(
            **{name: array[kept] for name, array in all_of._asdict().items() if name not in by_chunk}, **by_chunk
        )

    def of_frames(self, end: int, *, with_last: bool) -> tuple[Ints, Floats]:
        """Steps (k,) and bodies (k, nb, 22) of the frames before step `end`; with_last : and of the last sample."""
        steps = self._frame_steps[: bisect_left(self._frame_steps, end)]
        if with_last:
            steps = np.union1d(steps, self._sample_steps[: bisect_left(self._sample_steps, end)][-1:])
        return steps, self.samples.body[np.searchsorted(self.samples.step, steps)]


def united(samples: Ints, frames: Ints) -> Ints:
    """Steps that are samples or frames, both sorted, each once."""
    return np.union1d(samples, frames) if len(frames) else samples
