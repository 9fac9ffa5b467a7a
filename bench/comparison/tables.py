"""The store of measurements, and the tables made from it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from comparison.measure import TARGETS, Point, best, by_method


class Store:
    """Measurements in a JSON file, machine by machine, written as soon as they are there.

    A machine of the file counts as measured if that was done with the same effort, and with the same versions of at
    least the programs that are installed now: its programs were run in turns, so that it is measured as a whole or not.
    """

    def __init__(self, path: Path, versions: Mapping[str, str], effort: str) -> None:
        self._path, self._versions, self._effort = path, dict(versions), effort
        self._machines: dict[str, dict[str, Any]] = json.loads(path.read_text())["machines"] if path.exists() else {}

    def has(self, machine: str) -> bool:
        """Whether nothing of a machine needs to be measured."""
        entry = self._machines.get(machine)
        return (
            entry is not None
            and entry["effort"] == self._effort
            and all(entry["versions"].get(name) == version for name, version in self._versions.items())
        )

    def points(self, machine: str) -> list[Point]:
        """What was measured of a machine."""
        return [Point.read(stored) for stored in self._machines[machine]["points"]]

    def put(self, machine: str, conditions: Mapping[str, Any], points: Iterable[Point]) -> None:
        """Keep the measurements of a machine, in the file as well."""
        self._machines[machine] = {
            "effort": self._effort,
            "versions": self._versions,
            **conditions,
            "points": [point.stored() for point in points],
        }
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps({"machines": self._machines}, indent=1) + "\n")
        fresh.replace(self._path)  # an interrupted run leaves the file whole


def number(value: float, digits: int = 2) -> str:
    """With so many significant digits, and no exponent from 0.001 to 99 999."""
    if not value < math.inf:
        return "-"
    if value and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits - 1}e}"
    return f"{float(f'{value:.{digits}g}'):.10g}"


def bracketed(error: float) -> str:
    """An error or a violation."""
    return "0" if error == 0.0 else f"{error:.0e}" if error < math.inf else "-"


def row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def heading(*cells: str) -> list[str]:
    return [row(cells), row("---" for _ in cells)]


def own_time(points: Iterable[Point], step: float) -> float:
    """The least time of gsolve at a step."""
    times = [point.time for point in points if point.program == "gsolve" and point.at(step)]
    return min(times, default=math.nan)


def step_table(measured: Mapping[Any, list[Point]]) -> list[str]:
    """Microseconds per step, error and violation at one step; the ratio is over gsolve."""
    lines = heading("machine", "step, s", "program, method", "µs per step", "over gsolve", "error", "violation")
    for machine, points in measured.items():
        own = own_time(points, machine.same_step)
        name = machine.name
        for point in points:
            if not point.at(machine.same_step):
                continue
            title = f"{point.program}, {point.method}"
            if point.failure:
                lines.append(row((name, f"{point.setting:g}", title, "failed", "", "", "")))
            else:
                cost, ratio = number(1e6 * point.time / point.steps), number(point.time / own)
                off = bracketed(point.error), bracketed(point.violation)
                lines.append(row((name, f"{point.setting:g}", title, cost, ratio, *off)))
            name = ""
    return lines


def result_table(measured: Mapping[Any, list[Point]]) -> list[str]:
    """Milliseconds to reach an error by the best method of each program, and its ratio over gsolve."""
    names = list(dict.fromkeys(point.program for points in measured.values() for point in points))
    lines = heading("machine", "error", *names)
    for machine, points in measured.items():
        title = machine.name
        for target in TARGETS:
            own = best(points, "gsolve", target)[1]
            cells = []
            for name in names:
                method, seconds = best(points, name, target)
                if not method:
                    cells.append(shortfall(points, name))
                    continue
                ratio = f" ({number(seconds / own)})" if name != "gsolve" and own == own else ""
                longest = by_method(points)[name, method][0]
                bound = "≤ " if longest.error <= target and seconds >= longest.time else ""
                cells.append(f"{bound}{number(1e3 * seconds)}{ratio}, {method}")
            lines.append(row((title, f"{target:g}", *cells)))
            title = ""
    return lines


def shortfall(points: Iterable[Point], program: str) -> str:
    """How close a program came that does not reach a target."""
    errors = [point.error for point in points if point.program == program and point.error < math.inf]
    return f"not reached ({bracketed(min(errors))} at best)" if errors else "-"
