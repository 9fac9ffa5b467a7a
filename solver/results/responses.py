"""Numbers that sum up a run, such as `max(gjoint/1/T1) - mean(gjoint/1/T1)`.

A response is an expression of reductions: functions that make one number of a history.  What stands in their brackets
is an expression at one instant (`expressions`), and may have reductions in it.  `max` and `min` of one argument are
reductions, of more the largest and the smallest of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from gsolve.parser.text.expressions import ExpressionError

from ..core.bodies import Floats
from ..core.channels import Family
from .expressions import InstantExpression, variable_pattern
from .variables import UnknownNameError, find_variable

Columns = Mapping[str, Floats]


def _integral(times: Floats, values: Floats) -> float:
    return float(np.trapezoid(values, times))


def _mean(times: Floats, values: Floats) -> float:
    span = times[-1] - times[0]
    return _integral(times, values) / float(span) if span > 0 else float(values[0])


def _rises(times: Floats, values: Floats) -> Floats:
    """Times at which a history passes 0 from below, on straight lines between samples."""
    before, after = values[:-1], values[1:]
    at = np.flatnonzero((before < 0.0) & (after >= 0.0))
    part = -before[at] / (after[at] - before[at])
    return np.asarray(times[at] + part * (times[at + 1] - times[at]))


def _first_rise(times: Floats, values: Floats) -> float:
    found = _rises(times, values)
    return float(found[0]) if len(found) else np.nan


def _period(times: Floats, values: Floats) -> float:
    found = _rises(times, values)
    return float((found[-1] - found[0]) / (len(found) - 1)) if len(found) > 1 else np.nan


def _at(times: Floats, values: Floats, time: float) -> float:
    return float(np.interp(time, times, values, left=np.nan, right=np.nan))


class _Reduction(NamedTuple):
    """What a reduction does with times (k,) and values (k,), and what it is."""

    of: Callable[..., float]
    meaning: str
    arguments: int = 1


REDUCTIONS = {
    "max": _Reduction(lambda t, v: float(np.max(v)), "largest value"),
    "min": _Reduction(lambda t, v: float(np.min(v)), "smallest value"),
    "largest": _Reduction(lambda t, v: float(np.max(np.abs(v))), "largest value without its sign"),
    "initial": _Reduction(lambda t, v: float(v[0]), "value at the first sample"),
    "final": _Reduction(lambda t, v: float(v[-1]), "value at the last sample"),
    "change": _Reduction(lambda t, v: float(v[-1] - v[0]), "last less first sample"),
    "mean": _Reduction(_mean, "mean over time"),
    "rms": _Reduction(lambda t, v: float(np.sqrt(_mean(t, v * v))), "square root of the mean square over time"),
    "integral": _Reduction(_integral, "integral over time"),
    "at": _Reduction(_at, "value at a time, between samples on a straight line: at(e, time)", 2),
    "time_of_max": _Reduction(lambda t, v: float(t[np.argmax(v)]), "time of the first sample with the largest value"),
    "crossing": _Reduction(_first_rise, "first time at which it passes 0 from below"),
    "period": _Reduction(_period, "mean time between passing 0 from below and doing so again"),
    "count": _Reduction(lambda t, v: float(len(_rises(t, v))), "how often it passes 0 from below"),
}
OF_PASSAGES = ("crossing", "period", "count")  # of a condition they are those of its beginning to hold
ALSO_FUNCTIONS = ("max", "min")  # of the grammar, with two arguments or more
_CALL = re.compile(rf"\b({'|'.join(REDUCTIONS)})\s*\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """A reduction in a text: its name, the name that stands for it, its arguments."""

    name: str
    stand_in: str
    arguments: tuple[_Term, ...]


@dataclass(frozen=True, slots=True)
class _Term:
    """An expression whose reductions are replaced by names, each as long as the text that it stands for."""

    text: str
    place: int
    parts: tuple[_Part, ...]


class Response:
    """A number of a run.

    text : as written
    variables : histories that it needs, in full
    """

    def __init__(self, text: str, families: Sequence[Family], parameters: Mapping[str, float]) -> None:
        """Read a response.

        families : what a run has histories of
        parameters : of the deck

        Raises
        ------
        ExpressionError
            with the place of the mistake
        """
        self.text = text
        self._families = families
        self._pattern = variable_pattern(families)
        self.variables: dict[str, str] = {}
        self._term = self._parse(text, 0)
        self._check_reduced(self._term, parameters)
        self._value(self._term, parameters, np.zeros(2), None)

    def value(self, times: Floats, columns: Columns, parameters: Mapping[str, float]) -> float:
        """Of a run; NaN where there is none.

        times : (k,) of the samples, at least one
        columns : (k,) of each of `variables`, by its name in full
        parameters : of the deck
        """
        return float(self._value(self._term, parameters, times, columns)[0])

    def _parse(self, text: str, place: int) -> _Term:
        parts, last, replaced = [], 0, ""
        for name, start, arguments, end in self._calls(text):
            if name in ALSO_FUNCTIONS and len(arguments) != 1:
                continue
            wanted = REDUCTIONS[name].arguments
            if len(arguments) != wanted:
                raise ExpressionError(f"{name} takes {wanted} argument{'s' if wanted > 1 else ''}, "
                                      f"{len(arguments)} given", place + start)  # fmt: skip
            stand_in = f"R{place + start}_".ljust(end - start, "_")
            inner = tuple(self._parse(argument, place + at) for at, argument in arguments)
            parts.append(_Part(name, stand_in, inner))
            replaced += text[last:start] + stand_in
            last = end
        return _Term(replaced + text[last:], place, tuple(parts))

    def _calls(self, text: str) -> Iterator[tuple[str, int, list[tuple[int, str]], int]]:
        """Outermost calls of reductions: name, start, arguments with their places, end."""
        hidden = self._pattern.sub(lambda match: "_" * len(match.group()), text)
        position = 0
        while match := _CALL.search(hidden, position):
            arguments, end = _arguments(hidden, match.end())
            name = match[1].lower()
            found = [(at, text[at:to]) for at, to in arguments]
            yield name, match.start(), found, end
            stays = name in ALSO_FUNCTIONS and len(found) != 1
            position = match.end() if stays else end  # in the brackets of a function there may be reductions

    def _check_reduced(self, term: _Term, parameters: Mapping[str, float]) -> None:
        """Refuse a response that is a history."""
        expression = self._expression(term, parameters, dict.fromkeys(_stand_ins(term), 0.0))
        times = [match.start() for match in re.finditer(r"\bt\b", term.text)] if "t" not in parameters else []
        for place in [*expression.variables.values(), *times][:1]:
            example = f"max({term.text.strip()})"
            raise ExpressionError(f"this is a history, where one number is needed, as in {example}", place)

    def _expression(
        self, term: _Term, parameters: Mapping[str, float], values: Mapping[str, float]
    ) -> InstantExpression:
        try:
            found = InstantExpression(term.text, self._families, {**parameters, **values})
            for name, place in found.variables.items():
                try:
                    self.variables[name] = find_variable(self._families, name).name
                except UnknownNameError as error:
                    raise ExpressionError(str(error), place) from error
        except ExpressionError as error:
            raise ExpressionError(error.message, error.position + term.place) from error
        return found

    def _value(self, term: _Term, parameters: Mapping[str, float], times: Floats, columns: Columns | None) -> Floats:
        """Of a term at all times; columns : None where only mistakes are looked for."""
        values = {}
        for part in term.parts:
            history, *others = [self._value(argument, parameters, times, columns) for argument in part.arguments]
            if part.name in OF_PASSAGES and self._is_condition(part.arguments[0], parameters):
                history = history - 0.5
            reduced = REDUCTIONS[part.name].of(times, history, *(float(other[0]) for other in others))
            values[part.stand_in] = float(reduced)
        expression = self._expression(term, parameters, values)
        known = {name: columns[self.variables[name]] if columns is not None else times
                 for name in expression.variables}  # fmt: skip
        return expression.values(times, known)

    def _is_condition(self, term: _Term, parameters: Mapping[str, float]) -> bool:
        return self._expression(term, parameters, dict.fromkeys(_stand_ins(term), 0.0)).is_condition


def _stand_ins(term: _Term) -> list[str]:
    return [part.stand_in for part in term.parts]


def _arguments(text: str, start: int) -> tuple[list[tuple[int, int]], int]:
    """Places of the arguments of a call whose bracket opened before `start`, and the end of the call."""
    depth, begin, found = 0, start, []
    for position in range(start, len(text)):
        sign = text[position]
        if sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif depth == 0 and sign in ",)":
            found.append((begin, position))
            begin = position + 1
            if sign == ")":
                return found, position + 1
    raise ExpressionError("this bracket is not closed", start - 1)
