"""The comparison (bench/compare.py): machines run in gsolve, the store resumes, tables say what was measured."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import compare
import numpy as np
import pytest
from comparison import in_gsolve, measure, tables
from comparison.machines import FourBars, FreeCarriers, GearChain, Machine, Planetary, machines
from comparison.measure import Effort, Point, around, best, seconds_to
from comparison.reference_motion import STORED, Dynamics, digest, places_at
from comparison.spatial import Arm, Hexapod, Spatial, Vehicle
from comparison.tables import Store, result_table, step_table

FEW = [
    machine
    for machine in machines()
    if not (isinstance(machine, GearChain) and machine.rotors > 10)
    and not (isinstance(machine, FreeCarriers) and machine.carriers > 1)
    and not (isinstance(machine, FourBars) and machine.loops > 2)
]
SPATIAL = [Arm(), Hexapod(), Vehicle()]
FREEDOMS = {"robot arm, 7 joints": 7, "hexapod, 6 legs": 6, "vehicle, 4 double wishbones": 10}
ROUND_OFF = 1e-12


def named(machine: Any) -> str:
    return str(machine.name)


@pytest.mark.parametrize("machine", FEW, ids=named)
def test_machines_run_in_gsolve_and_meet_their_rows(machine: Machine) -> None:
    run = in_gsolve.Run(machine, in_gsolve.methods(machine)[0], machine.same_step, 20 * machine.same_step)
    run.advance()
    assert run.steps >= 20
    assert np.isfinite(run.observe()).all()
    assert run.violation() < ROUND_OFF


@pytest.mark.parametrize("machine", SPATIAL, ids=named)
def test_machines_in_space_start_on_their_reference_motion(machine: Spatial) -> None:
    """After four steps of 0.25 ms both have moved by a millimetre or so, the same way but for the order of a step."""
    time = 1e-3
    run = in_gsolve.Run(machine, in_gsolve.methods(machine)[0], time / 4, time)
    run.advance()
    start = np.array([place for _, place in machine.points])
    moved = run.observe() - start
    assert np.abs(moved).max() > 1e-7
    np.testing.assert_allclose(moved, places_at(machine, time) - start, rtol=0, atol=1e-3 * np.abs(moved).max())


@pytest.mark.parametrize("machine", SPATIAL, ids=named)
def test_loops_leave_the_degrees_of_freedom_that_the_machine_is_named_for(machine: Spatial) -> None:
    assert len(Dynamics(machine).links) - 3 * len(machine.balls) == FREEDOMS[machine.name]


@pytest.mark.parametrize("machine", SPATIAL, ids=named)
def test_stored_references_are_of_the_machines_as_they_are(machine: Spatial) -> None:
    assert json.loads(STORED.read_text())[machine.name]["machine"] == digest(machine)


def test_planetary_gearbox_turns_64_times_as_fast_as_its_output() -> None:
    machine = Planetary()
    assert machine.ratios.tolist() == [64.0, 16.0, 4.0, 1.0]
    run = in_gsolve.Run(machine, in_gsolve.methods(machine)[0], 1e-3, 0.05)
    run.advance()
    angles = run.observe()
    np.testing.assert_allclose(angles / angles[-1], machine.ratios, rtol=1e-9)


@pytest.mark.parametrize("machine", machines(), ids=named)
def test_the_common_step_is_among_the_steps_and_all_end_at_the_end(machine: Machine) -> None:
    assert any(math.isclose(step, machine.same_step) for step in machine.steps)
    counts = machine.t_end / np.array(machine.steps)
    np.testing.assert_allclose(counts, np.round(counts), rtol=1e-9)
    assert list(machine.steps) == sorted(machine.steps, reverse=True)


# ---- with programs that measure nothing -----------------------------------------------------------------------------


class Oscillator:
    """A machine that is observed to be as far off as it is."""

    name = "oscillator"
    t_end, goes_on, same_step = 1.0, 4.0, 1e-3
    steps = (0.1, 0.01, 0.001)

    def error(self, observed: float) -> float:
        return observed


class FakeRun:
    """A run whose error is a power of its step."""

    def __init__(self, order: int, step: float, t_end: float) -> None:
        self.steps, self._error = round(t_end / step), step**order

    def advance(self) -> None:
        """Takes no time."""

    def observe(self) -> float:
        return self._error

    def violation(self) -> float:
        return 0.0

    def close(self) -> None:
        """Holds nothing."""


class FakeProgram:
    """A program of methods of some orders; runs are counted."""

    def __init__(self, orders: dict[str, int], fails_above: float = math.inf) -> None:
        self._orders, self._fails_above, self.runs = orders, fails_above, 0

    def version(self) -> str:
        return "1.0"

    def methods(self, machine: Oscillator) -> list[str]:
        return list(self._orders)

    def settings(self, machine: Oscillator, method: str) -> tuple[float, ...]:
        return machine.steps

    def Run(self, machine: Oscillator, method: str, setting: float, t_end: float) -> FakeRun:
        self.runs += 1
        if setting > self._fails_above:
            raise ArithmeticError("the step is too long")
        return FakeRun(self._orders[method], setting, t_end)


def points_of(program: str, *values: tuple[float, float, float]) -> list[Point]:
    """Points of one method: step, error, seconds."""
    return [Point(program, "any", step, round(1 / step), error, 0.0, [seconds]) for step, error, seconds in values]


def test_time_to_an_error_is_interpolated_between_the_two_steps_around_it() -> None:
    points = points_of("gsolve", (0.1, 1e-1, 1.0), (0.01, 1e-3, 10.0))
    assert seconds_to(points, 1e-2) == pytest.approx(math.sqrt(10.0))
    assert seconds_to(points, 1e-3) == 10.0
    assert math.isnan(seconds_to(points, 1e-4))


def test_an_error_met_by_chance_at_a_long_step_does_not_count() -> None:
    points = points_of("gsolve", (0.1, 1e-9, 1.0), (0.01, 1e-1, 10.0), (0.001, 1e-3, 100.0))
    assert [point.setting for point in around(points, 1e-2)] == [0.01, 0.001]


def test_measuring_alternates_and_keeps_failures() -> None:
    installed = {"gsolve": FakeProgram({"order 2": 2}), "other": FakeProgram({"order 4": 4}, fails_above=0.05)}
    points = measure.measure(installed, Oscillator(), Effort(rounds=3, longest=1.0))  # type: ignore[arg-type]
    assert [point.program for point in points[:4]] == ["gsolve", "other", "gsolve", "other"]
    assert points[1].failure == "the step is too long"
    assert not points[1].seconds
    at_end = [point for point in points if point.setting == Oscillator.same_step]
    assert all(len(point.seconds) == 3 for point in at_end)


def test_a_tolerance_may_be_varied_in_place_of_the_step() -> None:
    """Settings that are no steps of the machine make a curve of their own, and no line at the common step."""
    points = [*points_of("gsolve", (0.1, 1e-1, 1.0), (0.001, 1e-5, 9.0))]
    points += [
        Point("gsolve", "accurate", tolerance, 50, tolerance, 0.0, [0.1], by_step=False) for tolerance in (1e-4, 1e-7)
    ]
    assert best(points, "gsolve", 1e-4) == ("accurate", 0.1)
    assert [point.method for point in points if point.at(1e-4)] == []


def test_tables_show_ratios_over_gsolve() -> None:
    points = points_of("gsolve", (0.001, 1e-4, 1e-3)) + points_of("MuJoCo", (0.001, 2e-3, 4e-3))
    measured = {Oscillator(): points}
    assert step_table(measured)[-1] == "|  | 0.001 | MuJoCo, any | 4 | 4 | 2e-03 | 0 |"
    lines = result_table(measured)
    assert lines[2] == "| oscillator | 0.01 | ≤ 1, any | ≤ 4 (4), any |"
    assert lines[3] == "|  | 0.0001 | ≤ 1, any | not reached (2e-03 at best) |"


def test_a_store_resumes_with_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "compare.json"
    failed = Point("MuJoCo", "Euler", 0.1, failure="the run diverged")
    store = Store(path, {"gsolve": "1", "MuJoCo": "2"}, "whole")
    assert not store.has("oscillator")
    store.put("oscillator", {"date": "today"}, [*points_of("gsolve", (0.1, 1e-2, 1.0)), failed])
    json.loads(path.read_text(), parse_constant=pytest.fail)  # no NaN, which is no JSON
    again = Store(path, {"gsolve": "1", "MuJoCo": "2"}, "whole")
    assert again.has("oscillator")
    assert not again.has("pendulum")
    first, second = again.points("oscillator")
    assert (first.error, first.time) == (1e-2, 1.0)
    assert math.isnan(second.error)


@pytest.mark.parametrize(
    ("versions", "effort", "kept"),
    [
        ({"gsolve": "1"}, "whole", True),
        ({"gsolve": "2"}, "whole", False),
        ({"gsolve": "1", "Exudyn": "1"}, "whole", False),
        ({"gsolve": "1"}, "quick", False),
    ],
)
def test_a_machine_is_measured_anew_with_other_programs_versions_or_effort(
    tmp_path: Path, versions: dict[str, str], effort: str, kept: bool
) -> None:
    path = tmp_path / "compare.json"
    Store(path, {"gsolve": "1", "MuJoCo": "2"}, "whole").put("oscillator", {}, [])
    assert Store(path, versions, effort).has("oscillator") is kept


def test_the_command_measures_once_and_again_only_if_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = FakeProgram({"order 2": 2})
    monkeypatch.setattr(compare, "programs", lambda: {"gsolve": program})
    monkeypatch.setattr(compare, "machines", lambda: [Oscillator()])
    command = ["compare.py", "--quick", "--json", str(tmp_path / "times.json")]
    runs = []
    for arguments in (command, command, [*command, "--again"]):
        monkeypatch.setattr("sys.argv", arguments)
        compare.main()
        runs.append(program.runs)
    assert runs[0] > 0
    assert runs[1:] == [runs[0], 2 * runs[0]]
    assert "already" in capsys.readouterr().out


def test_a_program_that_is_not_installed_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "PROGRAMS", ("gsolve", "Nobody"))
    assert list(measure.programs()) == ["gsolve"]
    assert "Nobody is left out" in capsys.readouterr().out


def test_numbers_of_tables_are_short() -> None:
    assert [tables.number(value) for value in (0.0123, 1.26, 433.0, 29_200.0, 1.5e6, 0.0, math.nan)] == [
        "0.012", "1.3", "430", "29000", "1.5e+06", "0", "-",
    ]  # fmt: skip
