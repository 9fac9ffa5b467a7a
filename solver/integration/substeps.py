"""Steps of a subsystem that are taken in parts, as short as they have to be, and longer again by and by.

A step fails where the rows of a subsystem cannot be met in it, or gain or lose energy: where a machine passes near a
position in which it could branch off, or in which light parts have to move very fast, the rows change by more in the
step than they differ from each other.  Steps of changing length fit the grid, since a kick lasts from the middle of one
step to the middle of the next, but the scheme is of second order only where lengths change little by little: a part is
at most twice as long as the one before it, and at least half.

Energy is judged where the multipliers at both ends of a part are known, at the begin of the next: a part that was too
long is taken back and halved, and with it those before it that are too long beside it now.  All that is tried on the
subsystem alone, without samples; what comes out is a plan of parts, which the run then follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..constraints.redundancy import subsystem_of_rows
from ..core.bodies import Floats, Record
from ..core.jit.references import Reference
from .accuracy import LARGEST_ERROR
from .copies import changing_arrays, copied, forget, put_back
from .segments import Segment
from .status import COMPLETED, DIVERGED, INACCURATE, ROWS_NOT_MET
from .system import Samples, System
from .threads import TimeLoop, new_outcome, no_samples_of

WHOLE = 2**20  # segment of a step: substeps begin at multiples of its units, and are as many of them long
MOST_KEPT = 64  # parts that can be taken back
# Parts that are tried: of a small subsystem, of a large one, and in between that much, divided by its bodies and rows.
MOST_TRIALS, FEWEST_TRIALS, TRIAL_WORK = 2**12, 2**10, 2**24
# Of the energy error that a step may have, for parts that are that short or shorter: no motion takes many of them.
SMALLEST_SHARE = 1 / 256
CALM = 2  # whole steps in a row after which nothing is divided any more
MAY_GROW = 0.25  # of the energy error that a part may have: below that the next may be twice as long


class Plan(NamedTuple):
    """How a subsystem takes some steps.

    parts : of each step
    inaccurate : steps in which rows gain or lose energy all the same
    """

    substeps: dict[int, list[Segment]]
    inaccurate: list[int]

    @property
    def most_substeps(self) -> int:
        """Parts of the step that has most of them."""
        return max(len(substeps) for substeps in self.substeps.values())


class Substep(NamedTuple):
    """A part that was taken: where it begins and how long it is, in units of WHOLE; the state before it."""

    begin: int
    size: int
    before: list[Floats] | None
    is_accurate: bool

    @property
    def end(self) -> int:
        return self.begin + self.size


class Limit(NamedTuple):
    """Parts between begin and end are no longer than `size`; before it each may be twice as long as the next."""

    begin: int
    end: int
    size: int
    is_graded: bool

    def at(self, place: int) -> int:
        """The longest part that may begin at a place."""
        if place >= self.end or (place < self.begin and not self.is_graded):
            return WHOLE
        return self.size + max(self.begin - place, 0) // 2


class Planner:
    """Tries how subsystem s gets through its steps, from the one at which its state stands.

    failed_step : the step that asks for it, which the plan has in any case
    segments_of : the segments of a step, none where the run has ended
    """

    def __init__(
        self, time_loop: TimeLoop, system: System, s: int, steps: tuple[int, int],
        segments_of: Callable[[int], list[Segment]],
    ) -> None:  # fmt: skip
        self._loop, self._system, self._s = time_loop, system, s
        self._chunk = next(k for k, (first, last) in enumerate(time_loop.chunks) if first <= s < last)
        self._first_step, self._failed_step = steps
        self._segments_of, self._segments = segments_of, list[Segment]()
        self._taken, self._limits = list[Substep](), list[Limit]()
        self._accepted = -1  # place at which the energy of the part before is taken as it is
        subsystem = system.subsystems[s]
        # An impact on a wall loses what the scheme gives it, exactly where the steps around it are equal.
        self._is_graded = bool(subsystem["last_wall"] == subsystem["first_wall"])
        work = int(subsystem["last_body"] - subsystem["first_body"] + subsystem["last_row"] - subsystem["first_row"])
        self._trials = min(max(TRIAL_WORK // work, FEWEST_TRIALS), MOST_TRIALS)

    def plan(self, samples: Samples) -> Plan | None:
        """The parts in which the subsystem gets through, None if it does not; its state is as before afterwards."""
        self._loop.prepare(self._system)
        self._target = Reference(no_samples_of(samples))
        # looked up once: no buffer grows before a plan is made
        self._changing = [array for array in changing_arrays(self._system, self._s) if len(array)]
        home = copied(self._changing)
        finds = self._try_substeps()
        self._take_back(home)
        return self._result() if finds else None

    def _try_substeps(self) -> bool:
        """Part after part, back and forth, until whole steps are calm again, or the run ends."""
        while self._has_segment() and not self._is_calm():
            place, size = self._place, self._next_size()
            before = copied(self._changing)
            status = self._take(place, size)
            if status == COMPLETED:
                self._note_energy()
                self._taken.append(Substep(place, size, before, True))
                if len(self._taken) > MOST_KEPT:
                    self._taken[-MOST_KEPT - 1] = self._taken[-MOST_KEPT - 1]._replace(before=None)
                continue
            self._take_back(before)
            if status == INACCURATE:
                if not self._shorten(self._taken[-1:]):
                    self._accepted = place
            elif status not in (ROWS_NOT_MET, DIVERGED) or not self._shorten([Substep(place, size, before, True)]):
                return False
        return True

    def _take_back(self, copies: list[Any]) -> None:
        put_back(self._changing, copies)
        forget(self._system, self._s)

    # ---- where it stands -------------------------------------------------------------------------------------

    @property
    def _place(self) -> int:
        return self._taken[-1].end if self._taken else 0

    @property
    def _previous_size(self) -> int:
        """Of the last part; of the last one before the plan."""
        if self._taken:
            return self._taken[-1].size
        previous = float(self._system.subsystems[self._s]["previous_dt"]) / self._segments[0].dt
        return min(max(1, round(WHOLE * previous)), WHOLE) if previous > 0.0 else WHOLE

    def _has_segment(self) -> bool:
        """Whether the run goes on."""
        while self._place // WHOLE >= len(self._segments):
            step = self._segments[-1].step + 1 if self._segments else self._first_step
            segments = self._segments_of(step)
            if not segments:
                return False
            self._segments += segments
        return True

    def _is_calm(self) -> bool:
        """Whether the last steps were whole ones, after that which failed."""
        last = self._taken[-CALM:]
        if len(last) < CALM or any(substep.size < WHOLE for substep in last):
            return False
        return self._step_of(last[0]) > self._failed_step

    def _step_of(self, substep: Substep) -> int:
        return self._segments[substep.begin // WHOLE].step

    # ---- lengths ---------------------------------------------------------------------------------------------

    def _next_size(self) -> int:
        """As long as the place in the step, the part before and what was found too long let it be."""
        place, previous = self._place, self._previous_size
        longest = min([limit.at(place) for limit in self._limits], default=WHOLE)
        if self._is_graded:
            longest = min(longest, 2 * previous if self._may_grow() else previous)
        within = place % WHOLE
        aligned = within & -within if within else WHOLE
        return min(aligned, 1 << (longest.bit_length() - 1))

    def _may_grow(self) -> bool:
        """Whether rows kept the energy well where that was last looked at."""
        return self._trials <= 0 or self._energy_error() <= MAY_GROW * self._tolerance()

    def _shorten(self, too_long: list[Substep]) -> bool:
        """Take back a part, and those before it that are too long beside its halves; whether that can be done."""
        if not too_long or too_long[0].size == 1 or self._trials <= 0:
            return False
        substep = too_long[0]
        begin, end = substep.begin, substep.end
        if not self._is_graded:
            begin -= begin % WHOLE
            end = begin + WHOLE
        limits = [*self._limits, Limit(begin, end, substep.size // 2, self._is_graded)]
        kept = len(self._taken)
        while kept > 0 and self._taken[kept - 1].size > min(limit.at(self._taken[kept - 1].begin) for limit in limits):
            kept -= 1
        if kept < len(self._taken):
            before = self._taken[kept].before
            if before is None:
                return False
            self._take_back(before)
        del self._taken[kept:]
        self._limits = limits
        return True

    # ---- taking a part ---------------------------------------------------------------------------------------

    def _take(self, place: int, size: int) -> int:
        """One part, from the state at hand; returns the status."""
        subsystem = self._system.subsystems[self._s]
        subsystem["rough"] = 1
        subsystem["energy_tolerance"] = self._tolerance() if self._accepted != place and self._trials > 0 else np.inf
        self._system.steps[self._s]["energy_error"] = 0.0
        self._trials -= 1
        outcome = new_outcome()
        take_substep(self._loop, self._system, self._target, self._chunk, self._s, self._segment(place, size), outcome)
        subsystem["energy_tolerance"], subsystem["rough"] = LARGEST_ERROR, 0
        return int(outcome["status"])

    def _tolerance(self) -> float:
        """What rows may gain or lose in the last part: less in shorter ones, so that those of a step add up no more."""
        return LARGEST_ERROR * max(self._previous_size / WHOLE, SMALLEST_SHARE)

    def _energy_error(self) -> float:
        """Of the last part whose energy was looked at, of the energy that it is compared with."""
        step = self._system.steps[self._s]
        scale = float(step["energy_scale"])
        return abs(float(step["energy_error"])) / scale if scale > 0.0 else 0.0

    def _note_energy(self) -> None:
        """Mark the last part where it gained or lost more than a step may."""
        if self._taken and self._energy_error() > LARGEST_ERROR:
            self._taken[-1] = self._taken[-1]._replace(is_accurate=False)

    def _segment(self, place: int, size: int) -> Segment:
        whole = self._segments[place // WHOLE]
        within = place % WHOLE
        time = whole.time + whole.dt * (within / WHOLE)
        is_first = whole.is_first_substep and within == 0
        return Segment(whole.step, 1, whole.step, time, whole.dt * (size / WHOLE), is_first)

    def _result(self) -> Plan:
        """The parts of all steps that are done, less the whole ones at the end."""
        taken = self._taken[:-CALM] if self._is_calm() else self._taken
        if taken:
            last = self._step_of(taken[-1])
            if any(self._step_of(substep) == last for substep in self._taken[len(taken) :]):
                last -= 1
        substeps = dict[int, list[Segment]]()
        for substep in taken:
            if self._step_of(substep) <= last:
                substeps.setdefault(self._step_of(substep), []).append(self._segment(substep.begin, substep.size))
        inaccurate = sorted({self._step_of(substep) for substep in taken if not substep.is_accurate})
        return Plan(substeps, inaccurate)


def take_substep(
    time_loop: TimeLoop, system: System, target: Reference, chunk: int, s: int, substep: Segment, outcome: Record
) -> None:
    """Subsystem s through a part; uses nothing made of earlier ones, so that it does the same whenever it is done.

    target : where samples go
    """
    forget(system, s)
    time_loop.advance(target, outcome, chunk, (s, s + 1), substep)


def run_planned(
    time_loop: TimeLoop,
    system: System,
    samples: Samples,
    segments: list[Segment],
    substeps_of: dict[int, list[Segment]],
) -> list[Record]:
    """One step, subsystems in the parts that are planned, the others whole; returns how each chunk ended (OUTCOME)."""
    time_loop.prepare(system)
    sampled, passed = Reference(samples), Reference(no_samples_of(samples))
    outcomes = []
    for chunk, (first, last) in enumerate(time_loop.chunks):
        outcome = new_outcome()
        for begin, end in ranges_between(first, last, substeps_of):
            if begin in substeps_of:
                system.subsystems["energy_tolerance"][begin] = np.inf
                for substep in substeps_of[begin]:
                    if outcome["status"] == COMPLETED:
                        target = sampled if substep.is_first_substep else passed
                        take_substep(time_loop, system, target, chunk, begin, substep, outcome)
                system.subsystems["energy_tolerance"][begin] = LARGEST_ERROR
                continue
            for segment in segments:
                if outcome["status"] == COMPLETED:
                    target = sampled if segment.is_first_substep else passed
                    time_loop.advance(target, outcome, chunk, (begin, end), segment)
        outcomes.append(outcome)
    return outcomes


def earliest(failures: list[Record]) -> tuple[int, int, int]:
    """Status, step and culprit of the earliest failure, the same whatever the order of the chunks."""
    status, step, culprit = min(failures, key=lambda o: (o[1], o[0], o[2]))
    return int(status), int(step), int(culprit)


def subsystem_at_fault(system: System, status: int, culprit: int) -> int:
    """The subsystem whose rows were not met or lost energy, or whose corrections ran away; -1 for other failures."""
    subsystems = system.subsystems
    if status in (ROWS_NOT_MET, INACCURATE):
        return int(subsystem_of_rows(subsystems, culprit))
    s = int(np.searchsorted(subsystems["last_body"], culprit, side="right"))
    return s if status == DIVERGED and subsystems["last_row"][s] > subsystems["first_row"][s] else -1


def ranges_between(first: int, last: int, divided: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    """Ranges of [first, last), those that are divided apart from the others."""
    begin = first
    for s in sorted(s for s in divided if first <= s < last):
        if begin < s:
            yield begin, s
        yield s, s + 1
        begin = s + 1
    if begin < last:
        yield begin, last
