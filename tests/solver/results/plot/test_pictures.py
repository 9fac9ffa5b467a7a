"""What stands in pictures: curves, axes, legends, notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gsolve
import numpy as np
import pytest
from gsolve.solver.bulk.plots import draw
from gsolve.solver.results.plot.overview import DOUBTFUL
from gsolve.solver.results.plot.panels import MOST_CURVES
from gsolve.solver.results.plot.pictures import Picture
from gsolve.solver.run.promise import LARGEST_ENERGY_ERROR
from made_results import make_result

TIMES = np.linspace(0.0, 2.0, 401)
RATE = 2 * np.pi * (5.0 + 4.0 * TIMES)
TURNS = 5.0 * TIMES + 2.0 * TIMES**2
UNITS = {"VEL1": "rad/s", "VEL2": "rad/s", "T1": "kg m2/s2", "total": "kg m2/s2", "error": "kg m2/s2", "RATE": "rad/s",
         "FNX": "kg m/s2", "FNY": "kg m/s2", "FNZ": "kg m/s2", "VX": "m/s"}  # fmt: skip


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> gsolve.Result:
    histories = {
        "energy/total": 4.0 + 0.0 * TIMES,
        "energy/error": -1e-9 * TIMES,
        "diag/constraint_violation": np.where(TIMES < 1.0, 0.0, 1e-12),
        "gjoint/1/VEL1": RATE,
        "gjoint/1/VEL2": -RATE / 2.0,
        "gjoint/1/VEL3": np.nan,
        "gjoint/1/T1": 2.0 * np.cos(2 * np.pi * 3.0 * TURNS),
        "inter/2/FNX": 3.0 * TIMES,
        "inter/2/FNY": 4.0 * TIMES,
        "inter/2/FNZ": 0.0,
        **{f"joint/{k}/RATE": k * np.sin(TIMES) for k in range(1, 31)},
        "spring/7/FX": 0.0,
        "spring/7/FY": 0.0,
        "spring/7/FZ": 0.0,
    }
    folder = tmp_path_factory.mktemp("machine")
    return make_result(folder / "machine.h5", TIMES, histories, units=UNITS, names={1: "sun and ring", 2: "tyre"},
                       parameters={"limit": 20.0})  # fmt: skip


def lines(axes: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """x and y of the curves of an axis, by the first line of what the legend calls them."""
    return {line.get_label().split("\n")[0]: line.get_data() for line in axes.lines if line.get_label()[0] != "_"}


def foot(picture: Picture) -> str:
    return picture.figure.get_supxlabel().replace("\n", " ")


def test_histories_of_one_unit_share_a_panel(machine: gsolve.Result) -> None:
    figure = gsolve.plot(machine, ["gjoint/1/VEL1", "gjoint/1/VEL2", "gjoint/1/T1", "energy/total"])
    rates, torque, energy = figure.axes  # moments and energies have one unit, and are not the same
    drawn = lines(rates)
    assert list(drawn) == ["gjoint/1/VEL1 sun and ring", "gjoint/1/VEL2 sun and ring"]
    np.testing.assert_array_equal(drawn["gjoint/1/VEL2 sun and ring"], [TIMES, -RATE / 2.0])
    assert [axes.get_ylabel() for axes in figure.axes] == ["VEL1, VEL2 [rad/s]", "T1 [kg m2/s2]", "total [kg m2/s2]"]
    assert energy.get_xlabel() == "time [s]" and rates.get_xlim() == (0.0, 2.0)
    (label,) = [text.get_text() for text in torque.get_legend().get_texts()]
    assert label == "gjoint/1/T1 sun and ring\nmin -2, max 2, rms 1.414"
    low, high = energy.get_ylim()
    assert (low, high) == pytest.approx((3.6, 4.4))  # what is flat is not blown up
    assert "completed; 401 samples to t = 2 s" in figure.get_suptitle()


def test_magnitudes_expressions_and_spans(machine: gsolve.Result) -> None:
    texts = ["inter/2/FN", "gjoint/1/VEL1 / gjoint/1/VEL2", "gjoint/1/T1 * gjoint/1/VEL1 / limit"]
    picture = draw([machine], texts, start=0.5, end=1.0)
    force, ratio, power = picture.figure.axes
    x, y = lines(force)["inter/2/FN tyre"]
    assert (x[0], x[-1]) == (0.5, 1.0)
    np.testing.assert_allclose(y, 5.0 * x)
    assert [axes.get_ylabel() for axes in (force, ratio)] == ["FN [kg m/s2]", "gjoint/1/VEL1 / gjoint/1/VEL2 [1]"]
    assert power.get_ylabel().endswith("[W]")
    np.testing.assert_allclose(lines(ratio)[texts[1]][1], -2.0)
    assert picture.curves[0] == {"name": "inter/2/FN", "unit": "kg m/s2", "min": 2.5, "max": 5.0,
                                 "rms": pytest.approx(5.0 * np.sqrt(0.875 / 1.5), rel=1e-4)}  # fmt: skip


def test_of_many_objects_those_that_move_most_are_drawn_and_the_rest_is_told(machine: gsolve.Result) -> None:
    picture = draw([machine], ["joint/*/RATE"])
    (axes,) = picture.figure.axes
    assert [name.split()[0] for name in lines(axes) if "joint" in name] == [
        f"joint/{k}/RATE" for k in range(31 - MOST_CURVES, 31)
    ]
    told = "of 30 histories of joint/*/RATE the 12 are drawn that range the farthest; the grey band holds all"
    assert picture.notes == [told] and foot(picture) == told
    (band,) = axes.collections
    top = band.get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(30.0)


def test_what_has_no_values_is_left_out_of_patterns_and_told(machine: gsolve.Result) -> None:
    picture = draw([machine], ["gjoint/*/VEL*"])
    assert len(picture.figure.axes[0].lines) == 2 and picture.notes == ["without values: gjoint/1/VEL3"]
    (axes,) = draw([machine], ["gjoint/1/VEL3"]).figure.axes
    assert axes.get_legend().get_texts()[0].get_text().endswith("\nno values")


def test_over_another_history(machine: gsolve.Result) -> None:
    picture = draw([machine], ["gjoint/1/T1"], over="gjoint/1/VEL1")
    (axes,) = picture.figure.axes
    assert axes.get_xlabel() == "gjoint/1/VEL1 sun and ring [rad/s]"
    np.testing.assert_array_equal(lines(axes)["gjoint/1/T1 sun and ring"][0], RATE)
    assert picture.notes == ["a dot is where a curve begins"]


def test_runs_over_each_other_in_the_units_of_the_first(machine: gsolve.Result, tmp_path: Path) -> None:
    millis = {"gjoint/1/VEL1": 0.02 + 0.0 * TIMES, "node/5/VX": 1.0}
    other = make_result(tmp_path / "other.h5", 1000.0 * TIMES, millis, units={"VEL1": "rad/ms", "VX": "mm/ms"},
                        time_unit="ms")  # fmt: skip
    picture = draw([machine, other], ["gjoint/1/VEL1", "node/5/VX"])
    rates, speeds = picture.figure.axes
    drawn = lines(rates)
    np.testing.assert_allclose(drawn["other: gjoint/1/VEL1"], [TIMES, np.full_like(TIMES, 20.0)])
    assert next(iter(drawn)) == "machine: gjoint/1/VEL1 sun and ring"
    assert list(lines(speeds)) == ["other: node/5/VX"] and picture.notes == ["machine has no node/5/VX"]
    first, second = rates.lines
    assert first.get_linestyle() != second.get_linestyle() and first.get_color() != second.get_color()


def test_the_page_says_how_good_the_run_was_and_what_moved(machine: gsolve.Result) -> None:
    picture = draw([machine], [])
    panels = {axes.get_title(loc="left").split(" (")[0]: axes for axes in picture.figure.axes}
    assert list(panels) == ["energies", "energy error", "constraint violation", "rates of gear joints",
                            "torques of gear joints", "rates of joints", "normal forces of contacts"]  # fmt: skip
    error, violation = panels["energy error"], panels["constraint violation"]
    assert error.get_yscale() == violation.get_yscale() == "log"
    np.testing.assert_allclose(error.lines[0].get_ydata()[1:], 1e-9 * TIMES[1:])
    assert np.isnan(violation.lines[0].get_ydata()[TIMES < 1.0]).all()  # 0 has no place on such an axis
    assert len(lines(panels["rates of gear joints"])) == 2
    assert picture.notes == [
        "of 30 histories of joint/*/RATE the 6 are drawn that range the farthest; the grey band holds all",
        "0 throughout: forces of springs",
    ]


def test_the_error_that_is_a_doubt_is_that_of_a_run() -> None:
    assert DOUBTFUL == LARGEST_ENERGY_ERROR


def test_frequencies(machine: gsolve.Result, tmp_path: Path) -> None:
    """In Hz also where the deck counts in ms; the peak of a sine is its amplitude."""
    times = np.linspace(0.0, 4000.0, 4001)
    histories = {"node/1/VX": 3.0 + 0.7 * np.sin(2 * np.pi * 0.0125 * times)}
    run = make_result(tmp_path / "sine.h5", times, histories, units={"VX": "mm/ms"}, time_unit="ms")
    picture = draw([run], ["node/1/VX"], fft=True)
    (axes,) = picture.figure.axes
    assert axes.get_xlabel() == "frequency [Hz]" and axes.get_ylabel() == "amplitude of VX [mm/ms]"
    x, y = axes.lines[0].get_data()
    assert x[np.argmax(y)] == pytest.approx(12.5, abs=0.25)
    assert picture.lines == ["node/1/VX [mm/ms]: 12.5 Hz: 0.7"]
    assert "what is closer than 0.4999 Hz is one peak" in foot(picture)
    (found,) = picture.curves
    assert found["peaks"] == [{"at": pytest.approx(12.5, rel=1e-4), "amplitude": pytest.approx(0.7, rel=1e-3)}]


def test_orders(machine: gsolve.Result) -> None:
    picture = draw([machine], ["gjoint/1/T1"], orders="gjoint/1/VEL1")
    spectrum, table, tracks, _ = picture.figure.axes
    assert (spectrum.get_xlabel(), table.get_xlabel(), table.get_ylabel()) == (
        "order [1/turn]", "speed [turns/s]", "order [1/turn]")  # fmt: skip
    assert picture.lines[0].startswith("gjoint/1/T1 [kg m2/s2]: order 3: 2")
    (track,) = tracks.lines[:1]
    np.testing.assert_allclose(track.get_ydata(), 2.0, rtol=0.03)
    assert tracks.get_legend().get_texts()[0].get_text() == "order 3"
    assert "18 turns, in blocks of 4 turns with a Hann window" in picture.notes[0]
    with pytest.raises(gsolve.UsageError, match="orders need the rate or the angle of a shaft"):
        gsolve.plot(machine, "gjoint/1/VEL1", orders="gjoint/1/T1")


def test_a_run_that_goes_on_is_drawn_as_far_as_it_is_written(tmp_path: Path) -> None:
    run = make_result(tmp_path / "r.h5", TIMES, {"joint/1/RATE": TIMES}, status="running")
    for texts in ([], ["joint/1/RATE"]):
        picture = draw([run], texts)
        assert picture.notes == ["r: its run goes on, or was killed; drawn as far as it is written"]
        assert "running (or killed)" in picture.figure.get_suptitle()
    failed = make_result(tmp_path / "f.h5", TIMES, {"joint/1/RATE": TIMES}, status="failed", message="it diverged")
    assert "failed: it diverged" in draw([failed], []).figure.get_suptitle()


def test_all_that_is_wrong_is_told_at_once(machine: gsolve.Result) -> None:
    texts = ["gjoint/1/VEL", "joint/2/RATE / joint/3/RATES", "gjont/1/T1", "gjoint/1/T1 +"]
    with pytest.raises(gsolve.UsageError) as error:
        gsolve.plot(machine, texts, over="joint/*/RATE")
    assert [line for line in str(error.value).splitlines() if not line.startswith("  |")] == [
        "gjoint/1/VEL: th/gjoint has no variable 'VEL'; did you mean VEL3 or VEL2 or VEL1? There are T1, VEL1, VEL2, "
        "VEL3",
        "joint/3/RATES: th/joint has no variable 'RATES'; did you mean RATE? There are RATE",
        "gjont/1/T1: this run has no histories of 'gjont'; did you mean gjoint or joint? There are energy, diag, "
        "gjoint, inter, joint, spring",
        "the expression ends too early",
        "joint/*/RATE: stands for 30 histories, where one is needed",
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"fft": True}, "fft takes variables, as gjoint/1/VEL1: there are energy/error"),
        ({"variables": "energy/total", "fft": True, "over": "t"}, "one of over and fft can be drawn at a time"),
        ({"variables": "energy/total", "fft": True, "end": 0.01}, "energy/total: 3 samples are too few: 16 are needed"),
    ],
)
def test_what_does_not_go_together(machine: gsolve.Result, options: dict[str, Any], told: str) -> None:
    with pytest.raises(gsolve.UsageError) as error:
        gsolve.plot(machine, **options)
    assert str(error.value).startswith(told)


def test_times_without_samples(machine: gsolve.Result, tmp_path: Path) -> None:
    with pytest.raises(gsolve.OutputError, match="has no sample from 3 s: its samples are from 0 to 2"):
        gsolve.plot(machine, start=3.0)
    empty = make_result(tmp_path / "e.h5", [], {"joint/1/RATE": []})
    with pytest.raises(gsolve.OutputError, match="holds no samples yet"):
        gsolve.plot(empty)


def test_names_of_users_are_shown_as_they_are(tmp_path: Path) -> None:
    """They may look like formulas, or like what a legend leaves out."""
    histories = {"node/1/VX": TIMES, "node/2/VX": -TIMES}
    names = {1: r"$\frac$ 5 $", 2: "__"}
    runs = [make_result(tmp_path / name, TIMES, histories, names=names) for name in ("_a$.h5", "_b$x$.h5")]
    picture = draw(runs, ["node/*/VX"])
    picture.figure.canvas.draw()
    labels = [text.get_text() for text in picture.figure.axes[0].get_legend().get_texts()]
    assert [label.split("\n")[0].strip() for label in labels] == [
        r"_a\$: node/1/VX \$\frac\$ 5 \$",
        r"_b\$x\$: node/1/VX \$\frac\$ 5 \$",
        r"_a\$: node/2/VX __",
        r"_b\$x\$: node/2/VX __",
    ]
