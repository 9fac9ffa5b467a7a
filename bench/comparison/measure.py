"""Alternating runs of all programs on one machine.

1. Search: each method of each program runs the machine at its settings (steps, from long to short), the programs taking
   turns, until it reaches the least of TARGETS, or until the next run would take longer than is allowed.  Each run
   gives the error and the violation of the constraints at the end, and a first time.
2. Rounds: what the tables need is timed again, the programs taking turns in every round: each method at the step that
   all are compared at, and of each program the best method at the two settings around each target.  The median counts.

A time is the processor time of the time loop, set-up and compilation not counted.  A run of less
than LEAST_SECONDS is timed over a longer stretch of the same motion, so that what a call costs once does not count, a
long one over its first part; where the motion cannot go on for so long, over the run as it is.
"""

from __future__ import annotations

import gc
import math
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from programs import installed_programs

PROGRAMS = ("gsolve", "MuJoCo", "Exudyn")
TARGETS = (1e-2, 1e-4, 1e-6)
LEAST_SECONDS, MOST_SECONDS = 0.02, 0.5  # of a run that is timed again
FEWEST_ROUNDS, ENOUGH_SECONDS = 2, 60.0  # of repetition, setting up included


class Measured(Protocol):
    """A machine ready to be run once by a program."""

    steps: int

    def advance(self) -> None:
        """To the end."""

    def observe(self) -> Any:
        """What the machine compares."""

    def violation(self) -> float:
        """Largest residual of a constraint at the end."""

    def close(self) -> None:
        """Free what the program holds."""


class Subject(Protocol):
    """What is measured of a machine; `machines.py` has them."""

    name: str
    t_end: float
    goes_on: float
    same_step: float

    def error(self, observed: Any) -> float:
        """How far what is observed is off."""


class Program(Protocol):
    """A module that builds machines for a program."""

    def version(self) -> str: ...
    def methods(self, machine: Any) -> Sequence[str]: ...
    def settings(self, machine: Any, method: str) -> Sequence[float]: ...
    def Run(self, machine: Any, method: str, setting: float, t_end: float) -> Measured: ...


class Effort(NamedTuple):
    """What may be spent: rounds of repetition, and seconds of the longest run of the search."""

    rounds: int
    longest: float


WHOLE, QUICK = Effort(5, 1.2), Effort(2, 0.1)


@dataclass
class Point:
    """A program at a setting, by one of its methods.

    error, violation : at the end; nan: the run failed, and `failure` says why
    seconds : of each time that it was timed, for a whole run from 0 to t_end
    timed : how many times as long the runs that were timed are
    by_step : whether the setting is a step in s, or else a tolerance
    """

    program: str
    method: str
    setting: float
    steps: int = 0
    error: float = math.nan
    violation: float = math.nan
    seconds: list[float] = field(default_factory=list)
    timed: float = 0.0
    by_step: bool = True
    failure: str = ""

    @property
    def time(self) -> float:
        """Median of the seconds of a run; nan if there is none."""
        return statistics.median(self.seconds) if self.seconds else math.nan

    def at(self, step: float) -> bool:
        """Whether this is the point of a step."""
        return self.by_step and math.isclose(self.setting, step)

    def stored(self) -> dict[str, Any]:
        """As JSON has it: without nan."""
        return {name: None if value != value else value for name, value in asdict(self).items()}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Point:
        """From `stored`."""
        return cls(**{name: math.nan if value is None else value for name, value in stored.items()})


def programs() -> dict[str, Program]:
    """Those that are installed."""
    os.environ["EXUDYN_MODULE"] = "fast"  # read when exudyn is imported
    return installed_programs("comparison.in_", PROGRAMS)  # type: ignore[return-value]


def timed(run: Measured) -> float:
    """Seconds of the time loop."""
    gc.disable()
    try:
        start = time.thread_time()
        run.advance()
        return time.thread_time() - start
    finally:
        gc.enable()


def first_run(program: Program, machine: Subject, point: Point) -> None:
    """Run once from the start to the time of comparison."""
    try:
        run = program.Run(machine, point.method, point.setting, machine.t_end)
        seconds = timed(run)
        point.steps = run.steps
        point.error = machine.error(run.observe())
        point.violation = run.violation()
        run.close()
        if not point.error < math.inf:
            raise ArithmeticError("the run diverged")
        point.seconds = [seconds]
    except Exception as failure:  # a program that breaks down at a long step may do well at a shorter one
        point.error = math.nan
        point.failure = (str(failure).splitlines() or [type(failure).__name__])[0][:200]


def repeat(program: Program, machine: Subject, point: Point) -> None:
    """Time a run that went well once more: over some runs' length of the motion, a run, or its first part."""
    lengths, most = point.timed or min(1.0, MOST_SECONDS / max(point.time, 1e-9)), machine.goes_on
    while True:
        end = machine.t_end * lengths
        if lengths < 1.0:
            end = point.setting * math.ceil(end / point.setting)
        try:
            run = program.Run(machine, point.method, point.setting, end)
            lasted = max(timed(run), 1e-9)
            run.close()
        except Exception:  # the motion cannot go on for so long
            if lengths <= 1.0:
                return
            most = lengths = 1.0
            continue
        if lasted >= LEAST_SECONDS / 2 or lengths >= most:
            break
        lengths = min(most, math.ceil(lengths * min(max(2.0, LEAST_SECONDS / lasted), 64.0)))
    point.seconds.append(lasted * machine.t_end / end)
    point.timed = lengths


def search(installed: Mapping[str, Program], machine: Subject, effort: Effort) -> list[Point]:
    """All points that the effort allows for, the programs taking turns from long steps to short ones."""
    left = {
        (name, method): list(program.settings(machine, method))
        for name, program in installed.items()
        for method in program.methods(machine)
    }
    found: list[Point] = []
    while left:
        for (name, method), settings in list(left.items()):
            is_step = method not in getattr(installed[name], "TOLERANCES", ())
            point = Point(name, method, settings.pop(0), by_step=is_step)
            first_run(installed[name], machine, point)
            found.append(point)
            reached = point.error <= min(TARGETS) and point.setting <= machine.same_step * (1 + 1e-9)
            if not settings or reached or not affordable(point, settings[0], machine, effort):
                del left[name, method]
    return found


def affordable(point: Point, setting: float, machine: Subject, effort: Effort) -> bool:
    """Whether the run at the next setting may be made: the step at which all are compared always is."""
    predicted = point.time * point.setting / setting
    return not predicted > effort.longest or setting >= machine.same_step * (1 - 1e-9)


def around(points: Sequence[Point], target: float) -> list[Point]:
    """The longest step from which on a target is reached, after the one before it; nothing if it never is.

    points : of one method, from long steps to short ones
    """
    good = len(points)
    while good > 0 and points[good - 1].error <= target:
        good -= 1
    return list(points[max(good - 1, 0) : good + 1]) if good < len(points) else []


def seconds_to(points: Sequence[Point], target: float) -> float:
    """Seconds to reach a target, nan if that is not reached.

    Between the two settings around it logarithms are interpolated; the time is at most that of any run that reaches it.
    """
    pair = around(points, target)
    if not pair:
        return math.nan
    least = min(point.time for point in points[points.index(pair[-1]) :])
    coarse, here = pair[0], pair[-1]
    if coarse is here or not coarse.error < math.inf or coarse.time >= least or here.error <= 0.0:
        return least
    share = math.log(coarse.error / target) / math.log(coarse.error / here.error)
    return min(least, math.exp((1 - share) * math.log(coarse.time) + share * math.log(here.time)))


def by_method(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    """Points of each program and method, from long steps to short ones."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.program, point.method), []).append(point)
    return {which: sorted(group, key=lambda point: -point.setting) for which, group in found.items()}


def best(points: Sequence[Point], program: str, target: float) -> tuple[str, float]:
    """The method of a program that reaches a target soonest, and its seconds; an empty name if none does."""
    times = {
        method: seconds_to(group, target) for (name, method), group in by_method(points).items() if name == program
    }
    reached = {method: seconds for method, seconds in times.items() if seconds == seconds}
    method = min(reached, key=reached.__getitem__, default="")
    return method, reached.get(method, math.nan)


def needed(points: Sequence[Point], machine: Subject) -> list[Point]:
    """Points that the tables are made of, from long steps to short ones, so that the programs alternate."""
    groups = by_method(points)
    wanted = [point for point in points if point.at(machine.same_step)]
    for target in TARGETS:
        for program in dict.fromkeys(point.program for point in points):
            method, _ = best(points, program, target)
            wanted += around(groups.get((program, method), []), target)
    unique = {id(point): point for point in wanted if point.seconds}
    return sorted(unique.values(), key=lambda point: -point.setting)


def measure(installed: Mapping[str, Program], machine: Subject, effort: Effort) -> list[Point]:
    """All of a machine.  The first times, of cold caches and one round apart from the others, are not kept."""
    found = search(installed, machine, effort)
    chosen = needed(found, machine)
    firsts = [point.seconds[0] for point in chosen]
    begun = time.process_time()
    for k in range(effort.rounds):
        if k >= FEWEST_ROUNDS and time.process_time() - begun > ENOUGH_SECONDS:
            break  # large machines take long to be set up, for each run
        for point in chosen:
            repeat(installed[point.program], machine, point)
    for point, first in zip(chosen, firsts, strict=True):
        if len(point.seconds) > 1:
            point.seconds.remove(first)
    return found
