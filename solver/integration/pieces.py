"""What the loops over a piece of steps share: its samples, and how it failed."""

from __future__ import annotations

from ..core.bodies import Record
from ..core.jit.kernels import kernel
from .status import COMPLETED
from .system import Samples


@kernel(inline=True)
def sample_from(samples: Samples, step: int) -> int:
    """The first sample at a step or after it."""
    first, last = 0, len(samples.step)
    while first < last:
        middle = (first + last) // 2
        if samples.step[middle] < step:
            first = middle + 1
        else:
            last = middle
    return first


@kernel(inline=True)
def note_failure(outcome: Record, status: int, step: int, culprit: int) -> None:
    """A failure of a subsystem is the outcome of all if none failed at an earlier step."""
    if outcome.status == COMPLETED or step < outcome.step:
        outcome.status, outcome.step, outcome.culprit = status, step, culprit
