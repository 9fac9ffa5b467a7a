"""A step in which the rows of a subsystem cannot be met, run in several shorter ones, for that subsystem alone.

Where a machine passes near a position in which it could branch off, the corrections of a long step may lose their way:
the rows change by more in the step than they differ from each other.  Steps of changing length fit the grid, since a
kick lasts from the middle of one step to the middle of the next.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..constraints.redundancy import subsystem_of_rows
from ..core.bodies import Record
from .segments import Segment
from .status import COMPLETED, DIVERGED, ROWS_NOT_MET
from .system import Samples, System, clear_samples, copies_of, restore
from .threads import TimeLoop, new_outcome, samples_of

MOST_PARTS = 256


def run_divided(
    time_loop: TimeLoop, system: System, samples: Samples, segments: list[Segment]
) -> dict[int, int] | None:
    """Run one step, which known times may cut into segments, a subsystem that fails in 2, 4, 8 ... parts of each.

    Returns the number of parts of each subsystem that was divided; None if the step fails all the same, with the system
    as it was before the step.
    """
    before, parts_of = copies_of(system), dict[int, int]()
    time_loop.prepare(system)
    while True:
        outcome = new_outcome()
        for chunk, (first, last) in enumerate(time_loop.chunks):
            for begin, end in ranges_between(first, last, parts_of):
                run_parts(time_loop, samples, chunk, (begin, end), segments, parts_of.get(begin, 1), outcome)
        if outcome["status"] == COMPLETED:
            return parts_of
        restore(system, before)
        clear_samples(samples, int(np.searchsorted(samples.step, segments[0].step)))
        s = subsystem_at_fault(system, int(outcome["status"]), int(outcome["culprit"]))
        if s < 0:
            return None
        parts_of[s] = 2 * parts_of.get(s, 1)
        if parts_of[s] > MOST_PARTS:
            return None


def earliest(failures: list[Record]) -> tuple[int, int, int]:
    """Status, step and culprit of the earliest failure, the same whatever the order of the chunks."""
    status, step, culprit = min(failures, key=lambda o: (o[1], o[0], o[2]))
    return int(status), int(step), int(culprit)


def subsystem_at_fault(system: System, status: int, culprit: int) -> int:
    """The subsystem whose rows could not be met, or whose corrections ran away with a body; -1 for other failures."""
    parts = system.parts
    if status == ROWS_NOT_MET:
        return int(subsystem_of_rows(parts, culprit))
    s = int(np.searchsorted(parts["last_body"], culprit, side="right"))
    return s if status == DIVERGED and parts["last_row"][s] > parts["first_row"][s] else -1


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
    time_loop: TimeLoop, samples: Samples, chunk: int, subsystems: tuple[int, int], segments: list[Segment], parts: int,
    outcome: Record,
) -> None:  # fmt: skip
    """Subsystems [first, last) through the segments of one step, each in equal parts."""
    for segment in segments:
        for piece in segment.divided(parts):
            if piece.n_steps > 0 and outcome["status"] == COMPLETED:
                time_loop.advance(samples_of(piece, samples), outcome, chunk, subsystems, piece)
