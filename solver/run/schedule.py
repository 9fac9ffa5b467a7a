"""The grid of steps of a run: their times, which of them are samples, and its step halved on the way.

Times at which the deck changes something (a load starts, a function has a kink) are known beforehand.  A step in which
such times lie is taken in parts that end there: the scheme is of second order where forces are smooth within its steps.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import Floats, Ints
from ..core.resumable import Resumable, State
from ..core.windows import AT_ONCE
from ..integration.segments import Segment
from .time_step import TimeStep

SHORTEST = 1e-6  # of the first automatic step, below which it is not halved
NO_TIMES = np.zeros(0)


class Schedule(Resumable):
    """Steps of equal length up to t_end, counted anew where the step is halved.

    dt : the step at hand; dt_min_used, dt_max_used : of the whole run
    reason, imposed : why the first step is that long, and whether it must not be changed
    dt_min : the shortest step that the deck allows, None where it says nothing
    known_times : sorted; steps are taken in parts that end there
    first_step : where the step at hand began
    last_step : the first that reaches t_end
    """

    KEPT = ("dt", "dt_min_used", "dt_max_used", "first_step", "first_time")

    def __init__(
        self, step: TimeStep, t_end: float, sampling_interval: float, dt_min: float | None,
        known_times: Floats = NO_TIMES,
    ) -> None:  # fmt: skip
        self.t_end, self.sampling_interval = t_end, sampling_interval
        self.dt = self.dt_min_used = self.dt_max_used = step.value
        self.reason, self.imposed, self.dt_min = step.reason, step.imposed, dt_min
        self._known_times = known_times
        self._shortest = max(2 * (dt_min or 0.0), SHORTEST * step.value)
        self._begin(0, 0.0)

    def _begin(self, step: int, time: float) -> None:
        """Steps counted from `step` at `time`, of length dt, up to t_end."""
        self.first_step, self.first_time = step, time
        self.last_step = step + steps_until(self.t_end - time, self.dt)

    def restore(self, state: State) -> None:
        """Go on with the steps of another schedule of the same run."""
        super().restore(state)
        self._begin(self.first_step, self.first_time)

    def extend(self, t_end: float, known_times: Floats) -> None:
        """Another end of the run, with the times known up to then; nothing else changes."""
        self.t_end, self._known_times = t_end, known_times
        self._begin(self.first_step, self.first_time)

    def time_of(self, step: int) -> float:
        return self.first_time + (step - self.first_step) * self.dt

    def segments(self, step: int, n_steps: int) -> Iterator[Segment]:
        """The n_steps from `step` on, in as few pieces as known times allow."""
        end = step + n_steps
        for cut, times in self._cut_steps(step, end).items():
            if cut > step:
                yield Segment(step, cut - step, self.first_step, self.first_time, self.dt)
            begin = self.time_of(cut)
            for substep, time in enumerate([*times, self.time_of(cut + 1)]):
                yield Segment(cut, 1, cut, begin, time - begin, substep == 0)
                begin = time
            step = cut + 1
        if step < end:
            yield Segment(step, end - step, self.first_step, self.first_time, self.dt)

    def _cut_steps(self, first: int, end: int) -> dict[int, list[float]]:
        """Known times within the steps [first, end), by step."""
        begin, after = (bisect_left(self._known_times, self.time_of(step)) for step in (first, end))
        cuts: dict[int, list[float]] = {}
        for time in self._known_times[begin:after].tolist():
            steps = (time - self.first_time) / self.dt
            whole = math.floor(steps)
            if AT_ONCE < steps - whole < 1.0 - AT_ONCE:
                cuts.setdefault(self.first_step + whole, []).append(time)
        return cuts

    def step_at(self, time: float) -> int:
        """The step that begins at a time or last before it, a rounding error forgiven."""
        return self.first_step + math.floor((time - self.first_time) / self.dt + 1e-6)

    def end_of_interval(self, step: int, interval: int) -> int:
        """The step at or after `step` that ends a whole interval of steps."""
        return self.first_step + interval * -((self.first_step - step) // interval)

    def sample_steps(self, first: int, end: int) -> Ints:
        """Steps in [first, end) that are samples: the first at or after each multiple of the interval, and the last."""
        return self.steps_at(self.sampling_interval, 1, first, end)

    def steps_at(self, interval: float, every: int, first: int, end: int) -> Ints:
        """Steps in [first, end): the first at or after each multiple of `every` intervals, and the last of the run."""
        if self._lie_closer_than_steps(interval * every):
            steps = list(range(first, min(end, self.last_step)))
        else:
            steps = self._steps_at_multiples(interval, every, first, min(end, self.last_step))
        if first <= self.last_step < end:
            steps.append(self.last_step)
        return np.array(steps, dtype=np.int64)

    def _steps_at_multiples(self, interval: float, every: int, first: int, end: int) -> list[int]:
        k = every * math.floor(self.time_of(first - 1) / (every * interval))
        steps: list[int] = []
        while True:
            step = self.first_step + math.ceil((k * interval - self.first_time) / self.dt - 1e-9)
            if step >= end:
                return steps
            if step >= first and (not steps or step > steps[-1]):
                steps.append(step)
            k += every

    @property
    def samples_every_step(self) -> bool:
        """Whether multiples of the sampling interval are closer than steps; there may be any number in a step."""
        return self._lie_closer_than_steps(self.sampling_interval)

    def _lie_closer_than_steps(self, interval: float) -> bool:
        return interval < (1.0 - 1e-9) * self.dt

    @property
    def may_halve(self) -> bool:
        """Whether the step is automatic, and not yet as short as it may become."""
        return not self.imposed and self.dt > self._shortest

    def halve(self, step: int, excess: float) -> None:
        """Half the steps from `step` on, as often as they are `excess` times too long; once if that is infinite."""
        time = self.time_of(step)
        self.dt *= 0.5
        while 2.0 < excess < math.inf and self.dt > self._shortest:
            self.dt, excess = 0.5 * self.dt, 0.5 * excess
        self._begin(step, time)
        self.dt_min_used = min(self.dt_min_used, self.dt)


def steps_until(duration: float, dt: float) -> int:
    """Steps of dt after which `duration` is reached, a rounding error forgiven."""
    return max(0, math.ceil(duration / dt - 1e-9))


def every_step_is_a_sample(schedule: Schedule, unit: str) -> Diagnostic:
    """What to say where the sampling interval is shorter than the step; unit : of time."""
    message = (
        f"the sampling interval {schedule.sampling_interval:.6g} {unit} is shorter than the time step "
        f"{schedule.dt:.6g} {unit}: every step is a sample"
    )
    return Diagnostic("warning", message, hint="give /TFILE a longer interval, or the run a shorter step")
