"""Studies: nothing is lost, nothing is run twice; their cases, their tables, and files with mistakes."""

from __future__ import annotations

import csv
import math
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bulk_tasks
import h5py
import numpy as np
import pytest
from gsolve.solver.bulk.designs import case_names, cases_of
from gsolve.solver.bulk.display import Lines
from gsolve.solver.bulk.study_file import Study, read_study
from gsolve.solver.bulk.study_run import StudyRun
from gsolve.solver.bulk.study_table import Row, StudyTable, kept_alone, load_study, open_table
from gsolve.solver.bulk.sweep import SweepOutcome, run_sweep
from gsolve.solver.bulk.workers import Workers
from gsolve.solver.results.files import OutputError
from gsolve.solver.run.console import Console
from gsolve.solver.run.interrupt import SIGNALS, StopRequest
from gsolve.solver.run.options import RunOptions, UsageError
from scipy import stats

HEAD = 'deck = "deck.rad"\n'
RESPONSES = '[responses]\ny = "final(energy/total)"\n'


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Everything happens in a directory with one file, the deck."""
    monkeypatch.chdir(tmp_path)
    Path("deck.rad").write_text("no study looks into it\n")
    return tmp_path


def study_of(text: str) -> Study:
    Path("study.toml").write_text(HEAD + text + RESPONSES)
    return read_study(Path("study.toml"))


def setting(**changes: Any) -> dict[str, Any]:
    files = {"deck.rad": "abc"}
    return {"gsolve": "1", "files": files, "options": {}, "responses": {"y": "f"}, "parameters": ["x"], **changes}


def swept(text: str, request: StopRequest | None = None) -> tuple[SweepOutcome, StudyTable, list[str]]:
    """A study of `bulk_tasks.case`: how it ended, its table, and the cases that were run, in their order."""
    study, log = study_of(text), Path("log")
    log.write_text("")
    table, _ = open_table(Path("study.h5"), setting())
    options: Any = RunOptions(command_line=str(log.absolute()))
    model: Any = SimpleNamespace(parameters={"x": 0.0})
    display = Lines(Console(quiet=True), 0)
    with Workers(bulk_tasks.case, "bulk_tasks", 2) as workers:
        run = StudyRun(study, options, model, table, workers, display, request or StopRequest())
        outcome = run_sweep(run)
    return outcome, load_study("study.h5"), log.read_text().split()


def values_of(text: str, name: str = "x") -> list[Any]:
    return [case[name] for case in cases_of(study_of(text))]


# ---- running -----------------------------------------------------------------------------------------------------


def test_a_killed_worker_loses_nothing_and_nothing_finished_is_run_twice() -> None:
    text = "[parameters]\nx = [1, 2, 3, 4, 5, 6]\n"
    outcome, table, ran = swept(text)
    assert sorted(ran) == ["1", "2", "3", "4", "5", "6"]
    assert table.status == ["completed", "completed", "lost", "completed", "failed", "completed"]
    assert outcome.exit_code == 1 and outcome.known == 0
    np.testing.assert_array_equal(table.responses["y"], [1.0, 0.0, math.nan, 4.0, math.nan, 16.0])
    assert table.messages[2].startswith("its process was killed (SIGKILL")
    assert table.messages[4] == "the run diverged"

    outcome, table, ran = swept(text)  # again: what nobody knows the end of
    assert ran == ["3"]
    assert table.status == ["completed"] * 4 + ["failed", "completed"]
    assert table.responses["y"][2] == 1.0
    assert (outcome.known, outcome.exit_code) == (5, 1)

    outcome, table, ran = swept("[parameters]\nx = [6, 2, 8]\n")  # other cases: what is known stays
    assert ran == ["8"]
    assert list(table.parameters["x"]) == [6.0, 2.0, 8.0, 1.0, 3.0, 4.0, 5.0]
    assert outcome.exit_code == 0


def test_interruption_keeps_what_is_done() -> None:
    request = StopRequest()

    class AfterTwo(Lines):
        def ended(self, result: Any) -> None:
            self._over += 1
            if self._over == 2:
                request._note(signal.SIGINT, None)

    study = study_of("[parameters]\nx = [1, 2, 7, 9]\n")
    Path("log").write_text("")
    table, _ = open_table(Path("study.h5"), setting())
    options, model = RunOptions(command_line="log"), SimpleNamespace(parameters={})
    with Workers(bulk_tasks.case, "bulk_tasks", 1) as workers:
        run = StudyRun(study, options, model, table, workers, AfterTwo(Console(True), 4), request)  # type: ignore[arg-type]
        outcome = run_sweep(run)
    assert outcome.ended_by == SIGNALS[signal.SIGINT] and outcome.exit_code == 130
    assert load_study("study.h5").status == ["completed", "completed"]


@pytest.mark.parametrize(
    ("method", "tolerance", "evaluations", "error"),
    [("Nelder-Mead", 1e-6, 100, 2e-5), ("Powell", 1e-6, 100, 2e-5), ("differential evolution", 1e-3, 300, 0.1)],
)
def test_an_optimum_is_found(method: str, tolerance: float, evaluations: int, error: float) -> None:
    """(x - 2)^2 is least at 2; no case is run twice, also not by a study that is called again."""
    text = (
        f"[parameters]\nx = {{ low = -1.3, high = 4.1 }}\n[minimise]\nexpression = 'y'\nmethod = '{method}'\n"
        f"tolerance = {tolerance}\nevaluations = {evaluations}\n"
    )
    outcome, table, ran = swept(text)
    assert outcome.cases[0]["x"] == pytest.approx(2.0, abs=error)
    assert len(ran) == len(set(table.rows)) == len(outcome.cases) <= evaluations
    again, _, ran = swept(text)
    assert ran == [] and again.cases == outcome.cases


def test_an_optimum_takes_no_more_runs_than_it_may() -> None:
    text = "[parameters]\nx = { low = 0, high = 4 }\n[minimise]\nexpression = 'y'\nevaluations = 17\n"
    outcome, _, ran = swept(text)
    assert len(ran) <= 17 and outcome.ended_by == ""


@pytest.mark.parametrize("evaluations", [7, 17])
def test_an_optimum_takes_all_runs_that_it_may_from_generations_that_have_more(evaluations: int) -> None:
    """A generation of one parameter has 15: the last one that is begun is run as far as it may."""
    text = f"[parameters]\nx = {{ low = 0, high = 4 }}\n[minimise]\nexpression = 'y'\nevaluations = {evaluations}\n"
    outcome, table, ran = swept(text)
    assert len(ran) == len(outcome.cases) == evaluations and outcome.exit_code == 0
    assert outcome.cases[0]["x"] == min(table.parameters["x"], key=lambda x: abs(x - 2.0))


# ---- cases -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("3", [3]),
        ("[1, 2.5]", [1, 2.5]),
        ("{ start = 0, stop = 1, count = 5 }", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("{ start = 0, stop = 1, step = 0.25 }", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("{ start = 5, stop = 1, step = -2 }", [5, 3, 1]),
        ("{ start = 0.0, stop = 0.3, step = 0.1 }", [0.0, 0.1, 0.2, 3 * 0.1]),
        ("{ start = 1, stop = 100, count = 3, log = true }", [1.0, 10.0, 100.0]),
    ],
)
def test_ranges_have_both_ends(values: str, expected: Sequence[float]) -> None:
    assert values_of(f"[parameters]\nx = {values}\n") == pytest.approx(expected, rel=1e-15)


def test_a_grid_has_each_pair_and_a_list_one_of_each() -> None:
    text = "[parameters]\nx = [1, 2]\nz = [3, 4]\nw = 5\n"
    assert [(c["x"], c["z"], c["w"]) for c in cases_of(study_of(text))] == [(1, 3, 5), (1, 4, 5), (2, 3, 5), (2, 4, 5)]
    cases = cases_of(study_of(text + "[design]\nkind = 'list'\n"))
    assert [(case["x"], case["z"], case["w"]) for case in cases] == [(1, 3, 5), (2, 4, 5)]


def test_a_latin_hypercube_has_one_case_in_each_row_and_column() -> None:
    text = "[parameters]\nx = { low = 0, high = 50 }\nz = { low = 1, high = 2 }\n[design]\nkind = 'latin hypercube'\n"
    x, z = (np.array(values_of(text + "samples = 50\nseed = 3\n", name)) for name in "xz")
    assert sorted(x.astype(int)) == list(range(50))
    assert sorted(((z - 1) * 50).astype(int)) == list(range(50))
    assert values_of(text + "samples = 50\nseed = 3\n") == list(x)
    assert values_of(text + "samples = 50\nseed = 4\n") != list(x)


@pytest.mark.parametrize(
    ("choice", "distribution"),
    [
        ("{ distribution = 'normal', mean = 3, deviation = 0.5 }", stats.norm(3, 0.5)),
        ("{ distribution = 'uniform', low = -1, high = 2 }", stats.uniform(-1, 3)),
        ("{ distribution = 'loguniform', low = 0.1, high = 10 }", stats.loguniform(0.1, 10)),
        ("{ distribution = 'lognormal', median = 2, sigma = 0.3 }", stats.lognorm(0.3, scale=2)),
        ("{ distribution = 'triangular', low = 0, mode = 1, high = 3 }", stats.triang(1 / 3, 0, 3)),
    ],
)
@pytest.mark.parametrize("kind", ["latin hypercube", "sobol"])
def test_parameters_are_drawn_from_their_distribution(choice: str, distribution: Any, kind: str) -> None:
    """256 cases of equal probability: the sample lies within 1/256 of the distribution everywhere."""
    text = f"[parameters]\nx = {choice}\n[design]\nkind = '{kind}'\nsamples = 256\n"
    part = np.sort(distribution.cdf(values_of(text)))
    assert np.all(np.abs(part - (np.arange(256) + 0.5) / 256) <= 0.5 / 256 + 1e-12)


# ---- files with mistakes -----------------------------------------------------------------------------------------


def complaints_of(text: str) -> list[str]:
    Path("wrong.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_study(Path("wrong.toml"))
    return str(caught.value).splitlines()


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    found = complaints_of(
        "deck = 'deck.rda'\nparamters = 1\n[parameters]\na = []\nb = { start = 1, stop = 0, step = 0.1 }\n"
        "c = { distribution = 'gauss' }\nd = { start = 1, stop = 2, counts = 3 }\ne = 'x'\nf = { low = 2, high = 1 }\n"
        "[responses]\n'1 a' = 'max(t)'\n[options]\nt_end = -1\n[design]\nkind = 'lhs'\n"
    )
    assert [line.removeprefix("wrong.toml: ") for line in found] == [
        "paramters: there is no such key; did you mean parameters?",
        "deck: there is no file deck.rda",
        "parameters.a: a list of numbers is needed, at least one (found: [])",
        "parameters.b.step: it does not lead from 1 to 0 (found: 0.1)",
        "parameters.c.distribution: it is one of uniform, loguniform, normal, lognormal, triangular (found: 'gauss')",
        "parameters.d.counts: there is no such key; did you mean count?",
        "parameters.d: either count or step is needed (found: ['counts', 'start', 'stop'])",
        "parameters.e: a list of numbers, a range {start, stop, count} or a distribution is needed (found: 'x')",
        "parameters.f: low, high must rise (found: (2, 1))",
        "responses.1 a: a name has letters, digits and _ and is not that of a parameter",
        "design.kind: it is one of grid, list, latin hypercube, random, sobol (found: 'lhs')",
        "design.kind: parameters that are drawn need latin hypercube, random, sobol (found: 'lhs')",
        "options: t_end: -1 is not a positive number",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[parameters]\nx = [1]\n", "responses: a table is needed, with an entry at least"),
        ("[parameters]\nx = { low = 0, high = 1 }\n" + RESPONSES, "design.kind: parameters that are drawn need latin"),
        ("[parameters]\nx = [1, 2]\nz = [1, 2, 3]\n[design]\nkind = 'list'\n" + RESPONSES, "must be equally long"),
        ("[parameters]\nx = [1]\n[design]\nkind = 'random'\n" + RESPONSES, "random needs the number of samples"),
        ("[parameters]\nx = [1, 2]\n[minimise]\nexpression = 'y'\n" + RESPONSES, "what is optimised has bounds"),
        ("[parameters]\nx = { start = 0, stop = 1e9, step = 1 }\n" + RESPONSES, "at most 1000000 are allowed"),
        ("[parameters]\nx = { start = 0, stop = 1e300, step = 1e-300 }\n" + RESPONSES, "these are inf values, and at"),
        (
            "[parameters]\nx = { start = 0, stop = 1, count = 1000000000000 }\n" + RESPONSES,
            "at most 1000000 are allowed",
        ),
        ("[parameters]\nx = { start = 1, stop = 2, count = 1 }\n" + RESPONSES, "one value does not lead from 1 to 2"),
        ("[parameters]\nx = { low = 1, high = 2, log = 'no' }\n" + RESPONSES, "x.log: true or false is needed"),
        ("[parameters]\nx = { distribution = ['normal'] }\n" + RESPONSES, "x.distribution: it is one of uniform"),
        (f"[parameters]\nx = [1{'0' * 400}]\n" + RESPONSES, "parameters.x: a list of numbers is needed"),
        ("[parameters]\nx = true\n" + RESPONSES, "is needed (found: True)"),
        ("[parameters]\nseconds = [1]\n" + RESPONSES, "parameters.seconds: the table has a column of this name"),
        ("[parameters]\nx = [1]\n[responses]\nstatus = 'max(t)'\n", "responses.status: the table has a column of this"),
        ("[parameters\n", "line 2, column 12"),
    ],
)
def test_each_mistake_is_told(text: str, complaint: str) -> None:
    assert any(complaint in line for line in complaints_of(HEAD + text))


def test_cases_that_are_nearly_the_same_have_names_of_their_own() -> None:
    cases = [{"x": 1.0, "z": 2}, {"x": 1.0 + 1e-12, "z": 2}, {"x": 3.0, "z": 2}]
    names = case_names(cases)
    assert len(set(names)) == 3 and names[2] == "x = 3, z = 2"


# ---- tables ------------------------------------------------------------------------------------------------------


def made_table(**changes: Any) -> StudyTable:
    rows = [Row({"x": 0.1}, "completed", "", 0.5, {"y": 1 / 3}), Row({"x": 2.0}, "failed", 'it said "no", twice', 0.25)]
    table = StudyTable(Path("study.h5"), setting(**changes), rows)
    table.save()
    return table


def test_a_table_is_the_same_in_each_of_its_forms() -> None:
    table, loaded = made_table(), load_study("study.h5")
    assert loaded.rows == table.rows and loaded.setting == table.setting
    with open("study.csv", newline="") as file:
        assert list(csv.reader(file)) == [
            ["x", "y", "status", "message", "seconds"],
            ["0.1", repr(1 / 3), "completed", "", "0.500"],
            ["2.0", "", "failed", 'it said "no", twice', "0.250"],
        ]
    frame = loaded.to_pandas()
    assert list(frame.columns) == ["x", "y", "status", "message", "seconds"]
    assert frame["y"][0] == 1 / 3 and math.isnan(frame["y"][1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"files": {"deck.rad": "abd"}}, "deck.rad has changed"),
        ({"files": {"deck.rad": "abc", "gear.inc": "1"}}, "gear.inc is new"),
        ({"options": {"t_end": 2.0}}, "the option t_end is new"),
        ({"responses": {"z": "f"}}, "the response y is gone; the response z is new"),
        ({"gsolve": "2"}, "gsolve was 1 and is 2"),
        ({"sources": "f"}, "gsolve 1 has other sources"),
    ],
)
def test_what_has_changed_is_said_by_name_and_the_table_before_is_kept(changes: dict[str, Any], words: str) -> None:
    made_table()
    table, remarks = open_table(Path("study.h5"), setting(**changes))
    assert len(table) == 0
    assert remarks == [
        f"since the 2 cases in study.h5: {words}. All cases are run again; the table before is study.1.h5"
    ]
    assert len(load_study("study.1.h5")) == 2 and Path("study.1.csv").exists()


@pytest.mark.parametrize("renames", [0, 1])
def test_a_kill_while_a_table_is_put_aside_loses_nothing(renames: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made_table()
    replace, left = os.replace, iter(range(renames))

    def replace_or_die(source: Any, target: Any) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        replace(source, target)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "replace", replace_or_die)
        open_table(Path("study.h5"), setting(gsolve="2"))
    table, _ = open_table(Path("study.h5"), setting(gsolve="2"))
    assert len(table) == 0 and len(load_study("study.1.h5")) == 2 and Path("study.1.csv").exists()
    assert not Path("study.csv").exists()


def test_what_a_killed_study_began_to_write_is_removed() -> None:
    made_table()
    for name in (".study.h5.gsolve-part-1", ".study.csv.gsolve-part-1", ".other.h5.gsolve-part-1"):
        Path(name).write_text("of a study that was killed")
    with kept_alone(Path("study.h5")):
        assert [path.name for path in Path().glob(".*part*")] == [".other.h5.gsolve-part-1"]


def test_a_file_of_the_user_is_not_replaced() -> None:
    Path("study.csv").write_text("measured\n")
    with pytest.raises(OutputError, match=r"study\.csv is there without study\.h5, and would be replaced"):
        open_table(Path("study.h5"), setting())


def test_other_files_are_no_tables() -> None:
    with h5py.File("study.h5", "w") as file:
        file["x"] = 1.0
    for call in (lambda: load_study("study.h5"), lambda: open_table(Path("study.h5"), setting())):
        with pytest.raises(OutputError, match=r"study\.h5 is no table of a study"):
            call()
    with pytest.raises(OutputError, match=r"cannot read absent\.h5"):
        load_study("absent.h5")


def cut_setting(file: h5py.File) -> None:
    file.attrs["setting"] = file.attrs["setting"][:-1]


def shorten_column(file: h5py.File) -> None:
    seconds = file["seconds"][:-1]
    del file["seconds"]
    file["seconds"] = seconds


def number_status(file: h5py.File) -> None:
    del file["status"]
    file["status"] = 1.0


def single_number(file: h5py.File) -> None:
    del file["seconds"]
    file["seconds"] = 1.0


def write_responses(file: h5py.File) -> None:
    del file["responses/y"]
    file["responses/y"] = ["one", "two"]


@pytest.mark.parametrize("damage", [cut_setting, shorten_column, number_status, single_number, write_responses])
def test_a_damaged_table_cannot_be_read(damage: Callable[[h5py.File], None]) -> None:
    made_table()
    with h5py.File("study.h5", "r+") as file:
        damage(file)
    with pytest.raises(OutputError, match=r"cannot read study\.h5: "):
        load_study("study.h5")


def test_saving_takes_a_small_part_of_the_time_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which each look takes 2 s a save takes 2 s, and the next one comes 40 s later."""
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    table, saves = made_table(), list[bool]()
    monkeypatch.setattr(StudyTable, "save", lambda self: saves.append(True))
    looks = next(k for k in range(1, 100) if table.save_now_and_then() or saves)
    assert looks == 20
