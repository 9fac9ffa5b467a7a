"""What is drawn: histories and expressions of them, by the names that users write, of one run or of several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from gsolve.parser.text.expressions import ExpressionError
from gsolve.parser.text.numbers import counted

from ...core.bodies import Floats
from ...core.unit_names import units_named
from ..compare.units import factor
from ..expression_units import unit_of
from ..expressions import InstantExpression, pointed_out, variable_pattern
from ..files import OutputError
from ..result import Result
from ..variables import UnknownNameError, Variable, find_variable, find_variables, listed

LARGEST_TABLE = 50_000_000  # numbers of a family that are read to choose what is drawn
_LONGEST_NAME = 24  # of an object, in a legend


class WantedError(ValueError):
    """What is asked to be drawn is no history and no expression of histories; all that is wrong, lines of text."""


@dataclass(frozen=True, slots=True)
class Run:
    """One of the runs that are drawn over each other.

    label : that tells it from the others, "" where it is alone
    first, stop : its samples that are drawn
    time_factor : what its times are multiplied by to be in the unit of those of the first run
    """

    result: Result
    label: str
    first: int
    stop: int
    time_factor: float

    def times(self) -> Floats:
        """(k,) of the samples that are drawn."""
        return np.asarray(self.result.time)[self.first : self.stop] * self.time_factor

    def column(self, variable: Variable) -> Floats:
        """(k,) of a history."""
        return np.asarray(self.result.history(variable))[self.first : self.stop]


@dataclass(frozen=True, slots=True)
class Curve:
    """A history of a run, or an expression of histories.

    name : in full, with the id of the object, or the expression as written
    text : for a legend
    quantity : for an axis: the name of the variable
    run : its place among the runs, and its label
    asked : what was written that it stands for
    energy : whether it is one, which has the unit of moments
    times, values : (k,)
    """

    name: str
    text: str
    quantity: str
    unit: str
    description: str
    run: int
    run_label: str
    asked: str
    energy: bool
    times: Floats
    values: Floats

    @property
    def numbers(self) -> Floats:
        """Those of the values that are numbers."""
        return self.values[np.isfinite(self.values)]

    @property
    def range(self) -> float:
        """The largest less the smallest value, -1 where there is none."""
        numbers = self.numbers
        return float(np.max(numbers) - np.min(numbers)) if len(numbers) else -1.0


def runs_of(results: Sequence[Result], start: float | None, end: float | None) -> list[Run]:
    """Runs to draw over each other, each from one time to another.

    start, end : in the unit of the first; None: as far as there are samples

    Raises
    ------
    OutputError
        one has no samples, or none in that time
    """
    names = _labels(results)
    unit = results[0].time.units
    runs = []
    for result, label in zip(results, names, strict=True):
        times = np.asarray(result.time)
        own = factor(result.time.units, unit, "time")
        name = label or str(result.path or result.run_name)
        if not len(times):
            raise OutputError(f"{name} holds no samples yet")
        first = 0 if start is None else int(np.searchsorted(times * own, start, side="left"))
        stop = len(times) if end is None else int(np.searchsorted(times * own, end, side="right"))
        if stop <= first:
            asked = " ".join(f"{word} {value:g}" for word, value in (("from", start), ("to", end)) if value is not None)
            raise OutputError(
                f"{name} has no sample {asked} {unit}: its samples are from {times[0] * own:g} to {times[-1] * own:g}"
            )
        runs.append(Run(result, label if len(results) > 1 else "", first, stop, own))
    return runs


def _labels(results: Sequence[Result]) -> list[str]:
    """What tells results from each other: the names of their files, with as many folders as it takes."""
    parts = [result.path.with_suffix("").parts if result.path else (result.run_name,) for result in results]
    for count in range(1, max(map(len, parts)) + 1):
        names = [str(Path(*part[-count:])) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({k})" for k, name in enumerate(names, start=1)]


def find_curves(texts: Iterable[str], runs: Sequence[Run]) -> tuple[list[Curve], list[str]]:
    """All that names, patterns and expressions stand for, in their order, and what has to be known of it.

    Raises
    ------
    WantedError
        with all that no run has
    """
    found: dict[tuple[str, int], Curve] = {}
    notes, complaints = [], []
    for text in texts:
        missing = {}
        for place, run in enumerate(runs):
            try:
                curves, said = _curves_of(text, run, place)
            except WantedError as error:
                missing[run.label] = str(error)
                continue
            notes += said
            found |= {(curve.name, place): curve for curve in curves if (curve.name, place) not in found}
        if len(missing) == len(runs):
            complaints.append(next(iter(missing.values())))
        else:
            notes += [f"{label} has no {text}" for label in missing]
    if complaints:
        raise WantedError("\n".join(complaints))
    empty = [key for key, curve in found.items() if "*" in curve.asked and not len(curve.numbers)]
    if empty and len(empty) < len(found):
        notes.append(f"without values: {listed(dict.fromkeys(name for name, _ in empty))}")
        found = {key: curve for key, curve in found.items() if key not in empty}
    names = list(dict.fromkeys(name for name, _ in found))
    return [
        _in_one_unit(found, name, place) for name in names for place in range(len(runs)) if (name, place) in found
    ], notes


def one_curve(text: str, run: Run, place: int) -> Curve:
    """What a name or an expression stands for in a run, one history alone; raises WantedError."""
    curves, _ = _curves_of(text, run, place)
    if len(curves) > 1:
        raise WantedError(f"{text}: stands for {counted(len(curves), 'history', 'histories')}, where one is needed")
    return curves[0]


def _in_one_unit(found: dict[tuple[str, int], Curve], name: str, place: int) -> Curve:
    """A curve in the unit that the first run has for it."""
    curve = found[name, place]
    first = next(found[name, k] for k in range(place + 1) if (name, k) in found)
    if curve.unit == first.unit:
        return curve
    return replace(curve, unit=first.unit, values=curve.values * factor(curve.unit, first.unit, name))


def _curves_of(text: str, run: Run, place: int) -> tuple[list[Curve], list[str]]:
    families = run.result.families
    try:
        variables = find_variables(families, text)
    except UnknownNameError as error:
        if _is_expression(text, run.result):
            return [_of_expression(text, run, place)], []
        raise WantedError(str(error)) from error
    variables, notes = _readable(variables, run, text)
    return [_of_variable(variable, run, place, text) for variable in variables], notes


def _readable(variables: list[Variable], run: Run, text: str) -> tuple[list[Variable], list[str]]:
    """Of histories that are too many to be read, the first; whole tables of those that are many are read at once."""
    samples = len(run.result.time)
    if len(variables) * samples > LARGEST_TABLE:
        count = max(1, LARGEST_TABLE // samples)
        note = f"{text} stands for {len(variables)} histories, too many to be read: the first {count} are taken"
        return variables[:count], [note]
    many = [variable for variable in variables if variable.place is not None]
    if len(many) > 8:
        for group, channel in dict.fromkeys(
            (v.group, name) for v in many for name in v.components or (v.channel.name,)
        ):
            run.result.th[group.removeprefix("th/")][channel]  # keeps it
    return variables, []


def _of_variable(variable: Variable, run: Run, place: int, asked: str) -> Curve:
    name, title = variable.name, variable.object_name
    own_id = name.split("/")[1]
    told = title and not title.endswith(f" {own_id}") and title != own_id  # "joint 1" of gjoint/1 says nothing
    title = title if len(title) <= _LONGEST_NAME else f"{title[: _LONGEST_NAME - 1]}…"
    channel = variable.channel
    energy = variable.group == "energy" or re.fullmatch("I?E|E[A-Z]+", channel.name) is not None
    return Curve(
        name, f"{name} {title}" if told else name, channel.name, channel.unit, channel.description, place, run.label,
        asked, energy, run.times(), run.column(variable),
    )  # fmt: skip


def _is_expression(text: str, result: Result) -> bool:
    """Whether histories are part of a text, rather than that it is a wrong name of one."""
    found = variable_pattern(result.families).search(text)
    return found is not None and found.group() != text.strip()


def _of_expression(text: str, run: Run, place: int) -> Curve:
    result = run.result
    columns, units = {}, {}
    try:
        expression = InstantExpression(text, result.families, result.parameters)
        for name, at in expression.variables.items():
            try:
                variable = find_variable(result.families, name)
            except UnknownNameError as error:
                raise ExpressionError(str(error), at) from error
            columns[name], units[name] = run.column(variable), variable.unit
    except ExpressionError as error:
        raise WantedError(pointed_out(text, error)) from error
    own_times = np.asarray(result.time)[run.first : run.stop]
    unit = unit_of(expression.steps, units, units_named(*result.units))
    values = expression.values(own_times, columns)
    return Curve(text, text, text, unit, "", place, run.label, text, False, run.times(), values)
