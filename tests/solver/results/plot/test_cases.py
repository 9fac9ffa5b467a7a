"""Pictures of studies: cases, sensitivities, what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gsolve
import numpy as np
import pytest
from gsolve.solver.bulk.plots import draw
from gsolve.solver.bulk.study_table import Row, StudyTable
from gsolve.solver.results.plot.cases import in_decades, sensitivity

RANDOM = np.random.default_rng(5)
A, B, C = RANDOM.uniform(0.0, 1.0, (3, 40))
MASS = 10.0 ** (3.0 * C)


def study(path: Path, rows: list[Row], responses: tuple[str, ...] = ("peak", "time")) -> Path:
    names = list(rows[0].parameters)
    StudyTable(path, {"parameters": names, "responses": dict.fromkeys(responses, "f"), "gsolve": "1"}, rows).save()
    return path


def row(k: int, status: str = "completed", **responses: float) -> Row:
    return Row({"a": A[k], "b": B[k], "mass": MASS[k]}, status, "" if status == "completed" else "why", 1.0, responses)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [row(k, peak=3.0 * A[k] - B[k], time=float("nan") if k == 7 else np.sin(7.0 * B[k])) for k in range(38)]
    return study(tmp_path / "study.h5", [*rows, row(38, "failed"), row(39, "lost")])


def test_effects_of_straight_lines_are_their_slopes_times_the_range() -> None:
    found = sensitivity({"a": A, "b": B, "mass": MASS}, 3.0 * A - 0.5 * B + np.log10(MASS))
    assert found is not None and found.explained == pytest.approx(1.0)
    expected = {"a": 3.0 * np.ptp(A), "b": -0.5 * np.ptp(B), "mass": np.ptp(np.log10(MASS))}
    assert found.effects == pytest.approx(expected)  # a mass over three decades counts by its logarithm


def test_small_values_among_others_are_no_decades() -> None:
    assert not in_decades(np.linspace(1e-6, 1.0, 20)) and not in_decades(np.linspace(-1.0, 1.0, 9))
    assert in_decades(np.geomspace(1.0, 100.0, 5))


def test_what_has_no_sensitivity() -> None:
    assert sensitivity({"a": A, "b": 2.0 * A + 1.0}, A) is None  # they go along with each other
    assert sensitivity({"a": A[:2], "b": B[:2]}, A[:2]) is None
    assert sensitivity({"a": A}, np.full(40, np.nan)) is None
    curved = sensitivity({"a": A - 0.5}, (A - 0.5) ** 2)
    assert curved is not None and curved.explained < 0.3


def test_a_study_over_its_parameters(table: Path) -> None:
    picture = draw([table], [])
    panels: dict[tuple[str, str], Any] = {}
    for axes in picture.figure.axes:
        panels[axes.get_subplotspec().rowspan.start, axes.get_subplotspec().colspan.start] = axes
    assert len(panels) == 2 * 4 + 1
    assert (panels[0, 0].get_xlabel(), panels[0, 0].get_ylabel(), panels[0, 2].get_xscale()) == ("a", "peak", "log")
    (points,) = panels[0, 1].lines
    np.testing.assert_array_equal(np.sort(points.get_xdata()), np.sort(B[:38]))
    tornado = panels[0, 3]
    widths = [bar.get_width() for bar in tornado.patches]
    assert [label.get_text() for label in tornado.get_yticklabels()] == ["mass", "b", "a"]
    assert widths[1:] == pytest.approx([-np.ptp(B[:38]), 3.0 * np.ptp(A[:38])]) and abs(widths[0]) < 1e-12
    parallel = panels[2, 0]
    assert [label.get_text() for label in parallel.get_xticklabels()] == ["a", "b", "mass", "peak", "time"]
    assert picture.figure.get_suptitle() == "study: 40 cases, 38 completed"
    assert picture.notes[:2] == ["not drawn: 1 failed, 1 lost", "time has no value in 1 case"]
    assert picture.notes[2].startswith("time: straight lines explain only ")


def test_one_parameter_is_a_line(tmp_path: Path) -> None:
    rows = [Row({"ratio": x, "same": 1.0}, "completed", "", 1.0, {"peak": x * x}) for x in (3.0, 1.0, 2.0)]
    path = study(tmp_path / "one.h5", rows, ("peak",))
    figure = gsolve.plot(path)
    (axes,) = figure.axes
    np.testing.assert_array_equal(axes.lines[0].get_data(), [[1.0, 2.0, 3.0], [1.0, 4.0, 9.0]])
    assert axes.lines[0].get_linestyle() == "-"
    assert figure.get_supxlabel() == "the same in all cases: same"
    assert [axes.get_ylabel() for axes in gsolve.plot(gsolve.load_study(path), "peak").axes] == ["peak"]


@pytest.mark.parametrize(
    ("variables", "options", "told"),
    [
        (["peek", "tim"], {}, "study.h5 has no response 'peek'; did you mean peak? There are peak, time\n"
                              "study.h5 has no response 'tim'; did you mean time? There are peak, time"),
        ([], {"fft": True}, "a study has cases and no times: what is for histories does not go with it"),
        ([], {"start": 1.0}, "a study has cases and no times: what is for histories does not go with it"),
    ],
)  # fmt: skip
def test_what_a_study_has_not(table: Path, variables: list[str], options: dict[str, Any], told: str) -> None:
    with pytest.raises(gsolve.UsageError) as error:
        gsolve.plot(table, variables, **options)
    assert str(error.value) == told


def test_studies_with_nothing_to_draw(table: Path, tmp_path: Path) -> None:
    with pytest.raises(gsolve.UsageError, match="a study is drawn alone"):
        gsolve.plot([table, table])
    with pytest.raises(gsolve.OutputError, match=r"bad.h5 has no completed case: there is nothing to draw"):
        gsolve.plot(study(tmp_path / "bad.h5", [row(1, "failed")]))
    with pytest.raises(gsolve.OutputError, match="no case has a value of peak, time"):
        gsolve.plot(study(tmp_path / "nan.h5", [row(1, peak=float("nan"), time=float("nan"))]))
