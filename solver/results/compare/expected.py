"""Numbers that a run should give, as a file of TOML beside its deck: read, and judged.

status = "completed"

[[expected]]
variable = "node/2/VRZ"
time = "end"
value = 25.0
rtol = 1e-9
source = "M t/(J1 + J2/i^2)"

[[expected]]
response = "final(node/3/VRZ)/final(node/2/VRZ)"
value = -0.5
rtol = 1e-9
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from gsolve.parser.text.expressions import ExpressionError, evaluate_constant
from gsolve.parser.text.numbers import is_finite_number
from numpy.typing import NDArray

from ...core.bodies import Floats
from .. import responses
from ..expressions import pointed_out
from ..files import OutputError
from ..result import Result
from ..variables import UnknownNameError
from .grid import SAME_TIME, sampler
from .units import factor

NOT_RUN = "deck errors"  # the status of a deck that is to be rejected
STATUSES = ("completed", "stopped", "failed", NOT_RUN)
KEYS = ("variable", "time", "reduction", "response", "from", "to", "value", "unit", "rtol", "atol", "source", "note")

NO_SAMPLES = "the run has no samples"
REDUCTIONS: dict[str, Callable[[Floats, Floats], float]] = {
    name: responses.REDUCTIONS[name].of
    for name in ("initial", "final", "max", "min", "largest", "mean", "rms", "change")
}


@dataclass(frozen=True, slots=True)
class Expected:
    """One number that a run should give.

    variable : name of a history, "" where there is a response
    time : at which, None for the end or where there is a reduction
    reduction : what is made of the samples from `start` to `end` (None: the first, the last), "" for a time
    response : an expression of reductions of histories, of these samples
    value : a number, or an expression of numbers and of the deck's parameters
    unit : of the value, "" for that of the history, and for a response, whose unit is not known
    rtol, atol : tolerance, as a part of the value, and in the unit of the value; together they add up
    source, note : where the number comes from, and what else is worth knowing
    line : in the file, 0 where it is not known
    """

    value: float | str
    variable: str = ""
    time: float | None = None
    reduction: str = ""
    response: str = ""
    start: float | None = None
    end: float | None = None
    unit: str = ""
    rtol: float = 0.0
    atol: float = 0.0
    source: str = ""
    note: str = ""
    line: int = 0

    @property
    def what(self) -> str:
        """Which number it is, in words."""
        if not (self.reduction or self.response):
            return f"{self.variable} at the end" if self.time is None else f"{self.variable} at t = {self.time:g}"
        start = f" from t = {self.start:g}" if self.start is not None else ""
        end = f" to t = {self.end:g}" if self.end is not None else ""
        return (self.response or f"{self.variable} {self.reduction}") + start + end


@dataclass(frozen=True, slots=True)
class Judgement:
    """One expected number beside that of a run.

    what : which number, in words, or "status"
    expected, found : in the unit `unit`; NaN where there is none
    allowed : largest difference that is none
    message : why it is not met, "" where it is
    source : where the expected number comes from
    """

    what: str
    unit: str
    expected: float
    found: float
    allowed: float
    message: str
    source: str = ""

    @property
    def met(self) -> bool:
        """Whether the run gives what is expected."""
        return not self.message

    def __str__(self) -> str:
        return f"{self.what}: {self.message or 'met'}"


def judge(result: Result, path: str | PathLike[str]) -> list[Judgement]:
    """Judge a run by a file of expected numbers.

    Parameters
    ----------
    result
        Of the run.
    path
        The file (docs/compare.md).

    Returns
    -------
    list of Judgement
        The status of the run, then each number of the file. Those that are not met have a `message`.

    Raises
    ------
    OutputError
        The file cannot be read or has mistakes; all of them are told.
    """
    status, entries = read_expected(Path(path))
    same = result.status == status
    why = f" ({result.message})" if result.message else ""
    first = Judgement(
        "status", "", math.nan, math.nan, 0.0, "" if same else f"the run is {result.status}{why}, expected {status}"
    )
    problems: list[str] = []
    judgements = [_judged(result, entry, _place(Path(path), entry.line, entry.variable or entry.response), problems)
                  for entry in entries]  # fmt: skip
    if problems:
        raise OutputError("\n".join(problems))
    return [first, *judgements]


def read_expected(path: Path) -> tuple[str, list[Expected]]:
    """The status that a run should end with, and the numbers.

    Raises
    ------
    OutputError
        as `judge`
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    except tomllib.TOMLDecodeError as error:
        raise OutputError(f"{path} is not TOML: {error}") from error
    problems = [f"{path}: unknown key '{key}'; allowed: status, expected" for key in content if key not in
                ("status", "expected")]  # fmt: skip
    status, tables = content.get("status", "completed"), content.get("expected", [])
    if status not in STATUSES:
        problems.append(f"{path}: status = {status!r}; allowed: {', '.join(STATUSES)}")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise OutputError("\n".join([*problems, f"{path}: expected is no list of tables: [[expected]] begins each"]))
    if not tables and "status" not in content:
        raise OutputError("\n".join([*problems, f"{path} has no status and no [[expected]] with a number to expect"]))
    if status == NOT_RUN and tables:
        problems.append(f"{path}: status = {status!r} goes with no [[expected]]: such a deck is not run")
    entries = []
    for table, line in zip(tables, _lines_of_tables(text, len(tables)), strict=True):
        wrong = _mistakes(table)
        place = _place(path, line, table.get("variable", table.get("response", "")))
        problems += [f"{place}: {what}" for what in wrong]
        if not wrong:
            entries.append(_entry(table, line))
    if problems:
        raise OutputError("\n".join(problems))
    return str(status), entries


def _lines_of_tables(text: str, count: int) -> list[int]:
    """Where the `count` tables begin; 0 for each where headers do not tell: inline tables, texts that look like one."""
    header = re.compile(r"\s*\[\[\s*expected\s*\]\]")
    lines = [k for k, line in enumerate(text.splitlines(), start=1) if header.match(line)]
    return lines if len(lines) == count else [0] * count


def _place(path: Path, line: int, subject: object) -> str:
    """Where an entry stands, for messages."""
    return f"{path}, {f'line {line}, ' if line else ''}[[expected]] {subject}".rstrip()


def _mistakes(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with an entry."""
    wrong = [f"unknown key '{key}'; allowed: {', '.join(KEYS)}" for key in table if key not in KEYS]
    wrong += [] if "value" in table else ["value is missing"]
    wrong += [f"{key} = {table[key]!r} is no text" for key in ("variable", "response", "unit", "source", "note")
              if not isinstance(table.get(key, ""), str)]  # fmt: skip
    wrong += [f"{key} = {table[key]!r}; a number is needed" for key in ("rtol", "atol", "from", "to")
              if key in table and not is_finite_number(table[key])]  # fmt: skip
    wrong += [f"{key} = {table[key]!r} is negative" for key in ("rtol", "atol")
              if is_finite_number(table.get(key)) and table[key] < 0]  # fmt: skip
    if is_finite_number(table.get("from")) and is_finite_number(table.get("to")) and table["from"] > table["to"]:
        wrong.append(f"from = {table['from']:g} is behind to = {table['to']:g}")
    if "value" in table and not is_finite_number(table["value"]) and not isinstance(table["value"], str):
        wrong.append(f"value = {table['value']!r}; a number is needed, or an expression as text")
    if "rtol" not in table and "atol" not in table:
        wrong.append("rtol (a part of the value) or atol (in its unit) is missing; 0 asks for the very number")
    return wrong + (_mistakes_of_response(table) if "response" in table else _mistakes_of_history(table))


def _mistakes_of_response(table: Mapping[str, Any]) -> list[str]:
    """What does not go with an expression of histories."""
    return [
        f"{key} and response stand side by side, and one of them is needed"
        if key == "variable"
        else f"{key} goes with variable, not with response"
        for key in ("variable", "time", "reduction", "unit")
        if key in table
    ]


def _mistakes_of_history(table: Mapping[str, Any]) -> list[str]:
    """What is wrong with how the number of one history is asked for."""
    wrong = [] if "variable" in table else ["variable (a history) or response (an expression of several) is missing"]
    if "time" in table and "reduction" in table:
        wrong.append("time and reduction stand side by side, and one of them is needed")
    elif "time" in table and table["time"] != "end" and not is_finite_number(table["time"]):
        wrong.append(f'time = {table["time"]!r}; a number is needed, or "end"')
    elif "reduction" in table and table["reduction"] not in list(REDUCTIONS):
        wrong.append(f"reduction = {table['reduction']!r}; allowed: {', '.join(REDUCTIONS)}")
    elif "time" not in table and "reduction" not in table:
        wrong.append('time (a number or "end") or reduction is missing')
    if "reduction" not in table and ("from" in table or "to" in table):
        wrong.append("from and to go with a reduction or a response")
    return wrong


def _entry(table: Mapping[str, Any], line: int) -> Expected:
    at = table.get("time", "end")
    return Expected(
        value=table["value"],
        variable=table.get("variable", ""),
        response=table.get("response", ""),
        time=None if at == "end" else float(at),
        reduction=table.get("reduction", ""),
        start=table.get("from"),
        end=table.get("to"),
        unit=table.get("unit", ""),
        rtol=float(table.get("rtol", 0.0)),
        atol=float(table.get("atol", 0.0)),
        source=table.get("source", ""),
        note=table.get("note", ""),
        line=line,
    )


def _judged(result: Result, entry: Expected, place: str, problems: list[str]) -> Judgement:
    """An entry beside a run; `problems` gets the mistakes of the file that only the run shows."""
    value, found, unit, message = math.nan, math.nan, entry.unit, ""
    with _noted(problems):
        value = _value(entry, result.parameters, place)
    try:
        with _noted(problems):
            found, unit, message = _found(result, entry, place)
    except UnknownNameError as error:
        message = str(error).removeprefix(f"{entry.variable}: ")
    allowed = entry.atol + entry.rtol * abs(value)
    if not message and not abs(found - value) <= allowed:
        apart = abs(found - value)
        relative = f", {apart / abs(value):.3g} of the value" if value else ""
        number = f"{found:.12g} {unit}".rstrip()
        message = f"{number}, expected {value:.12g}: off by {apart:.3g}{relative}; allowed {allowed:.3g}"
    return Judgement(entry.what, unit, value, found, allowed, message, entry.source)


@contextmanager
def _noted(problems: list[str]) -> Iterator[None]:
    """Go on behind a mistake of the file."""
    try:
        yield
    except OutputError as error:
        problems.append(str(error))


def _found(result: Result, entry: Expected, place: str) -> tuple[float, str, str]:
    """The number of a run that an entry is about, its unit, and why there is none."""
    times = np.asarray(result.time)
    if entry.response:
        return _of_response(result, entry, times, place)
    history = result[entry.variable]
    unit = entry.unit or history.units
    into_unit = factor(history.units, unit, place)
    number, message = _of_history(entry, times, np.asarray(history))
    return number * into_unit, unit, message


def _value(entry: Expected, parameters: Mapping[str, float], place: str) -> float:
    if not isinstance(entry.value, str):
        return float(entry.value)
    try:
        return evaluate_constant(entry.value, parameters)
    except ExpressionError as error:
        raise OutputError(f"{place}: value = {entry.value!r}: {error.message}") from None


def _of_response(result: Result, entry: Expected, times: Floats, place: str) -> tuple[float, str, str]:
    """As `_found`, of an expression."""
    try:
        response = responses.Response(entry.response, result.families, result.parameters)
    except ExpressionError as error:
        raise OutputError(f"{place}: {pointed_out(entry.response, error)}") from None
    inside, message = _window(entry, times)
    if message:
        return math.nan, "", message
    columns = {name: np.asarray(result[name])[inside] for name in response.variables.values()}
    found = response.value(times[inside], columns, result.parameters)
    return found, "", "there is no such number in this run" if math.isnan(found) else ""


def _of_history(entry: Expected, times: Floats, values: Floats) -> tuple[float, str]:
    """The number of a history that an entry is about, and why there is none."""
    if entry.reduction:
        inside, message = _window(entry, times)
        return (math.nan, message) if message else (REDUCTIONS[entry.reduction](times[inside], values[inside]), "")
    if not len(times):
        return math.nan, NO_SAMPLES
    at = float(times[-1]) if entry.time is None else entry.time
    if not times[0] - _slack(times) <= at <= times[-1] + _slack(times):
        return math.nan, _span(times)
    return float(sampler(times, np.array([at])).take(values)[0]), ""


def _window(entry: Expected, times: Floats) -> tuple[NDArray[np.bool_], str]:
    """The samples that an entry is about, and why there are none."""
    if not len(times):
        return np.zeros(0, dtype=bool), NO_SAMPLES
    slack = _slack(times)
    start = -math.inf if entry.start is None else entry.start - slack
    end = math.inf if entry.end is None else entry.end + slack
    inside = (times >= start) & (times <= end)
    ends_early = entry.end is not None and times[-1] + slack < entry.end
    if ends_early or not (times[0] <= end and start <= times[-1]):
        return inside, _span(times)
    return inside, "" if inside.any() else _gap(times, start)


def _slack(times: Floats) -> float:
    """By which times that are the same may differ."""
    return SAME_TIME * max(abs(float(times[-1])), 1e-300)


def _gap(times: Floats, start: float) -> str:
    """Why there is no sample in a window that lies between two, from `start` on."""
    after = int(np.searchsorted(times, start))
    before, behind = float(times[after - 1]), float(times[after])
    return f"no sample lies there: the nearest are at t = {before:.9g} and {behind:.9g}, {behind - before:.3g} apart"


def _span(times: Floats) -> str:
    return f"the run has samples from t = {times[0]:g} to {times[-1]:g}"
