"""Two histories beside each other, against differences that are known in closed form."""

from __future__ import annotations

from pathlib import Path

import gsolve
import numpy as np
import pytest
from gsolve.solver.results.compare.pair import Comparison, Difference
from made_results import make_result

TIMES = np.linspace(0.0, 1.0, 101)


def row(found: Comparison, name: str) -> Difference:
    (only,) = [difference for difference in found.differences if difference.name == name]
    return only


@pytest.fixture
def both(tmp_path: Path):
    """Makes and compares two results: histories of A, then of B, and options of B after `b_`."""

    def compare(a, b, *, times=TIMES, b_times=None, rtol=1e-9, atol=0.0, at_end=False, **options):
        of_b = {name.removeprefix("b_"): value for name, value in options.items() if name.startswith("b_")}
        of_a = {name: value for name, value in options.items() if not name.startswith("b_")}
        one = make_result(tmp_path / "a.h5", times, a, **of_a)
        other = make_result(tmp_path / "b.h5", times if b_times is None else b_times, b, **{**of_a, **of_b})
        return gsolve.compare(one, other, rtol=rtol, atol=atol, at_end=at_end)

    return compare


def test_a_result_is_equal_to_itself(both) -> None:
    found = both({"node/1/VX": np.sin(TIMES)}, {"node/1/VX": np.sin(TIMES)}, rtol=0.0)
    assert found.equal and row(found, "node/1/VX").largest == 0.0
    assert (found.samples, found.span, found.notes) == (101, (0.0, 1.0), [])


@pytest.mark.parametrize("tolerance", [{"rtol": np.inf}, {"rtol": -1e-9}, {"atol": np.nan}])
def test_what_is_no_tolerance_is_refused(both, tolerance) -> None:
    with pytest.raises(ValueError, match=r"[ra]tol: .* is not a number from 0 on"):
        both({"node/1/VX": 1.0}, {"node/1/VX": 1.0}, **tolerance)


def test_norms_of_a_single_sample_that_is_off(both) -> None:
    other = np.ones(101)
    other[30] += 0.5
    found = row(both({"node/1/M": np.ones(101)}, {"node/1/M": other}), "node/1/M")
    assert (found.largest, found.at, found.a, found.b) == (0.5, 0.3, 1.0, 1.5)
    assert found.rms == pytest.approx(0.5 / np.sqrt(101), rel=1e-14)
    assert (found.relative, found.first_beyond, found.differs) == (0.5, 0.3, True)


def test_a_signal_that_comes_later_differs_by_twice_the_sine_of_half_the_delay(both) -> None:
    """sin t - sin(t - s) = 2 sin(s/2) cos(t - s/2): largest at t = s/2."""
    times, delay = np.linspace(0.0, 20.0, 20001), 0.25
    a, b = np.sin(times), np.sin(times - delay)
    found = row(both({"node/1/M": a}, {"node/1/M": b}, times=times), "node/1/M")
    assert found.largest == pytest.approx(2 * np.sin(delay / 2), rel=1e-6)


def test_first_time_beyond_the_tolerance(both) -> None:
    """B runs away as 1e-3 t: beyond 5e-4 after 0.5."""
    found = both({"node/1/M": 0.0}, {"node/1/M": 1e-3 * TIMES}, rtol=0.0, atol=5.0001e-4)
    assert row(found, "node/1/M").first_beyond == 0.51
    assert both({"node/1/M": 0.0}, {"node/1/M": 1e-3 * TIMES}, rtol=0.0, atol=1.0001e-3).equal


def test_what_is_beyond_comes_first_and_then_the_farthest(both) -> None:
    a = {f"node/1/{name}": 1.0 for name in "KLMN"}
    b = {"node/1/K": 1.0, "node/1/L": 1.1, "node/1/M": 1.3, "node/1/N": 1.2}
    found = both(a, b, rtol=0.15)
    assert [difference.name[-1] for difference in found.differences] == ["M", "N", "L", "K"]
    assert [difference.name[-1] for difference in found.differing] == ["M", "N"]


# ---- samples -------------------------------------------------------------------------------------------------------


def test_every_second_sample_is_the_same_sample(both) -> None:
    found = both({"node/1/M": np.exp(TIMES)}, {"node/1/M": np.exp(TIMES[::2])}, b_times=TIMES[::2], rtol=0.0)
    assert found.equal and found.samples == 51 and row(found, "node/1/M").interpolation == 0.0


def test_between_samples_of_a_line_nothing_is_lost(both) -> None:
    times = np.linspace(0.0, 1.0, 48)
    assert both({"node/1/M": 3 * TIMES}, {"node/1/M": 3 * times}, b_times=times, rtol=1e-14).equal


def test_between_samples_of_a_parabola_a_quarter_of_the_squared_distance_is_lost_and_told(both) -> None:
    """t^2 in the middle of two samples h apart: the chord is h^2/4 above it."""
    middles = TIMES[:-1] + 0.005
    found = both({"node/1/M": TIMES**2}, {"node/1/M": middles**2}, b_times=middles)
    difference = row(found, "node/1/M")
    assert difference.largest == pytest.approx(0.01**2 / 4, rel=1e-9)
    assert difference.interpolation == pytest.approx(0.01**2 / 4, rel=1e-9)
    told = "99 of 99 times lie between samples of B, which is taken on straight lines there; what that may cost"
    assert found.notes[-1].startswith(told)


def test_rounding_of_times_is_no_other_time(both) -> None:
    rounded = TIMES * (1 + 3e-16)
    assert both({"node/1/M": np.sign(TIMES - 0.5)}, {"node/1/M": np.sign(TIMES - 0.5)}, b_times=rounded).equal


def test_the_time_that_both_have_is_compared(both) -> None:
    long = np.linspace(0.0, 2.0, 201)
    found = both({"node/1/M": TIMES}, {"node/1/M": long}, b_times=long, rtol=1e-14)
    assert found.equal and found.span == (0.0, 1.0)
    assert found.notes == ["A ends at t = 1 s, B at 2 s: compared over the time that both have"]


def test_at_the_end_each_run_has_its_own(both) -> None:
    long = np.linspace(0.0, 2.0, 201)
    found = both({"node/1/M": TIMES}, {"node/1/M": long}, b_times=long, at_end=True)
    assert (row(found, "node/1/M").a, row(found, "node/1/M").b) == (1.0, 2.0)
    assert found.notes == ["A ends at t = 1 s, B at 2 s: each at its end"]


def test_no_common_time_is_an_error(both) -> None:
    with pytest.raises(gsolve.OutputError, match=r"\(t = 0 to 1\) and .* \(t = 5 to 6\) have no time in common"):
        both({"node/1/M": TIMES}, {"node/1/M": TIMES}, b_times=TIMES + 5.0)


# ---- numbers -------------------------------------------------------------------------------------------------------


def test_nan_is_equal_to_nan_only(both) -> None:
    hole = np.where(TIMES == 0.5, np.nan, TIMES)
    assert both({"node/1/M": hole}, {"node/1/M": hole}, rtol=0.0).equal
    found = row(both({"node/1/M": TIMES}, {"node/1/M": hole}), "node/1/M")
    assert found.differs and found.largest == np.inf and found.first_beyond == 0.5


def test_rounding_across_a_plane_is_no_difference(both) -> None:
    """Components share the largest of their vector; a vector that is all rounding has the largest of its kind."""
    force = {"FX": "kg m/s2", "FY": "kg m/s2", "FZ": "kg m/s2", "MX": "kg m2/s2", "DX": "m"}
    a = {"joint/1/FX": 100.0, "joint/1/FY": 0.0, "joint/1/FZ": 1e-13, "joint/1/MX": 1e-14, "node/1/DX": 2.0}
    b = {**a, "joint/1/FY": 1e-12, "joint/1/FZ": -1e-13, "joint/1/MX": -1e-14}
    found = both(a, b, units=force)
    assert found.equal and row(found, "joint/1/FY").scale == 100.0
    assert row(found, "joint/1/MX").scale == 200.0  # 100 N on the size of the machine, 2 m
    assert not both(a, {**a, "joint/1/FX": 100.0 + 1e-6}, units=force).equal


def test_energies_share_the_largest_and_pure_numbers_have_one(both) -> None:
    units = {"total": "kg m2/s2", "error": "kg m2/s2"}
    a = {"energy/total": 50.0, "energy/error": 1e-12, "diag/constraint_violation": 1e-14}
    found = both(a, {**a, "energy/error": 3e-12, "diag/constraint_violation": 5e-14}, units=units)
    assert found.equal
    assert (row(found, "energy/error").scale, row(found, "diag/constraint_violation").scale) == (50.0, 1.0)


def test_how_a_result_was_found_is_told_and_not_judged(both) -> None:
    a = {"diag/step": TIMES, "diag/iterations": 3.0, "diag/momentum_x": 1.0}
    found = both(a, {**a, "diag/step": 2 * TIMES})
    assert found.equal and found.notes == ["diag/step is not the same, which is not judged"]


# ---- units and names -----------------------------------------------------------------------------------------------


def test_other_units_are_converted_also_those_of_time(both) -> None:
    found = both(
        {"node/1/VX": 2.5 * TIMES, "spring/1/FX": 3.0}, {"node/1/VX": 2.5 * TIMES, "spring/1/FX": 3e-3},
        units={"VX": "m/s", "FX": "kg m/s2"}, b_units={"VX": "mm/ms", "FX": "kN"},
        b_times=1e3 * TIMES, b_time_unit="ms", rtol=1e-15,
    )  # fmt: skip
    assert found.equal and found.span == (0.0, 1.0)
    assert found.notes == ["units of B converted: kN to kg m/s2"]  # mm/ms is m/s


def test_units_of_other_quantities_are_an_error_for_all_of_them(both) -> None:
    with pytest.raises(gsolve.OutputError) as error:
        both({"node/1/VX": 1.0, "node/1/DX": 1.0}, {"node/1/VX": 1.0, "node/1/DX": 1.0},
             units={"VX": "m/s", "DX": "m"}, b_units={"VX": "m/s2", "DX": "kg"})  # fmt: skip
    assert str(error.value).endswith(
        "cannot be compared: node/1/DX: 'kg' and 'm' are units of different quantities; "
        "node/1/VX: 'm/s2' and 'm/s' are units of different quantities"
    )


def test_what_is_missing_is_a_difference_and_what_is_new_is_not(both) -> None:
    found = both({"node/1/M": 1.0, "node/1/N": 1.0}, {"node/1/M": 1.0})
    assert not found.equal and found.missing == ["node/1/N"]
    found = both({"node/1/M": 1.0}, {"node/1/M": 1.0, "node/1/N": 1.0})
    assert found.equal and found.new == ["node/1/N"]


def test_an_object_with_another_id_or_name_is_told(both) -> None:
    names = {1: "hub", 2: "wheel", 12: "wheel"}
    found = both({"node/1/M": 1.0, "node/2/M": 1.0}, {"node/1/M": 1.0, "node/12/M": 1.0}, names=names,
                 b_names={**names, 1: "nave"})  # fmt: skip
    assert found.missing == ["node/2/M"] and found.new == ["node/12/M"]
    assert found.notes == [
        "node/1 is named 'hub' in A and 'nave' in B",
        "node/2 is not in B, which has node/12 of the same name, 'wheel'",
    ]


def test_a_run_that_ended_otherwise_is_different(both) -> None:
    found = both({"node/1/M": 1.0}, {"node/1/M": 1.0}, b_status="failed", b_message="node 2 is not a number")
    assert not found.equal and found.refused == ["the run of A is completed, that of B is failed"]
    assert found.notes == ["B: its run failed: node 2 is not a number"]
    found = both({"node/1/M": 1.0}, {"node/1/M": 1.0}, status="running", b_status="running")
    assert found.equal and found.notes[0] == "A: its run goes on, or was killed; compared as far as it is written"


def test_what_the_runs_were_made_from_is_told(both) -> None:
    found = both({"node/1/M": 1.0}, {"node/1/M": 1.0}, parameters={"speed": 40, "ratio": 0.1},
                 b_parameters={"speed": 20.5, "ratio": 0.1})  # fmt: skip
    assert found.equal and found.notes == ["parameter speed: 40 of A, 20.5 of B"]


def test_pandas_has_a_row_for_each_history(both) -> None:
    frame = both({"node/1/M": 1.0, "node/1/N": 2.0}, {"node/1/M": 1.0, "node/1/N": 3.0}).to_pandas()
    assert frame.index.tolist() == ["node/1/N", "node/1/M"]
    assert frame.loc["node/1/N", "relative"] == 0.5 and frame["differs"].tolist() == [True, False]
