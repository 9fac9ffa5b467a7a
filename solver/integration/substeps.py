"""A step in which the rows of a subsystem cannot be met, run in several shorter ones, for that subsystem alone.

Where a machine passes near a position in which it could branch off, the corrections of a long step may lose their way:
the rows change by more in the step than they differ from each other.  Steps of changing length fit the grid, since a
kick lasts from the middle of one step to the middle of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..constraints.redundancy import subsystem_of_rows
from ..core.bodies import Ints
from . import loop
from .system import Samples, System, clear_samples, copies_of, restore

MOST_PARTS = 256


def run_divided(
    advance: Callable[..., None], system: System, samples: Samples, chunks: list[tuple[int, int]], step: int,
    time: float, dt: float,
) -> dict[int, int] | None:  # fmt: skip
    """Run one step from `time`, a subsystem that fails in 2, 4, 8 ... parts.

    advance : `loop.advance`, or its entry point for these arguments

    Returns the number of parts of each subsystem that was divided; None if the step fails all the same, with the system
    as it was before the step.
    """
    before, parts_of = copies_of(system), dict[int, int]()
    while True:
        outcome = np.zeros(3, dtype=np.int64)
        for chunk, (first, last) in enumerate(chunks):
            for begin, end in ranges_between(first, last, parts_of):
                run_parts(advance, system, samples, chunk, begin, end, step, time, dt, parts_of.get(begin, 1), outcome)
        status, _, culprit = outcome
        if status == loop.COMPLETED:
            return parts_of
        restore(system, before)
        clear_samples(samples, int(np.searchsorted(samples.step, step)))
        s = subsystem_at_fault(system, int(status), int(culprit))
        if s < 0:
            return None
        parts_of[s] = 2 * parts_of.get(s, 1)
        if parts_of[s] > MOST_PARTS:
            return None


def earliest(failures: list[Ints]) -> tuple[int, int, int]:
    """Status, step and culprit of the earliest failure, the same whatever the order of the chunks."""
    status, step, culprit = min(failures, key=lambda outcome: (outcome[1], outcome[0], outcome[2]))
    return int(status), int(step), int(culprit)


def subsystem_at_fault(system: System, status: int, culprit: int) -> int:
    """The subsystem whose rows could not be met, or whose corrections ran away with a body; -1 for other failures."""
    parts = system.parts
    if status == loop.ROWS_NOT_MET:
        return int(subsystem_of_rows(parts, culprit))
    s = int(np.searchsorted(parts["last_body"], culprit, side="right"))
    return s if status == loop.DIVERGED and parts["last_row"][s] > parts["first_row"][s] else -1


def ranges_between(first: int, last: int, divided: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Ranges of [first, last), those that are divided apart from the others."""
    begin = first
    for s in sorted(s for s in divided if first <= s < last):
        if begin < s:
            yield begin, s
        yield s, s + 1
        begin = s + 1
    if begin < last:
        yield begin, last


def run_parts(
    advance: Callable[..., None], system: System, samples: Samples, chunk: int, first: int, last: int, step: int,
    time: float, dt: float, parts: int, outcome: Ints,
) -> None:  # fmt: skip
    """Subsystems [first, last) through one step in equal parts; a sample of it belongs to the first."""
    part = dt / parts
    advance(system, samples, chunk, first, last, step, 1, step, time, part, outcome)
    if parts > 1 and outcome[0] == loop.COMPLETED:
        rest = samples._replace(step=samples.step[:0])
        advance(system, rest, chunk, first, last, step, parts - 1, step, time + part, part, outcome)
