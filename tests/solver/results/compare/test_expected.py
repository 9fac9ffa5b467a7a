"""Runs judged by expected numbers: reductions in closed form, and messages for what is wrong in a file."""

from __future__ import annotations

from pathlib import Path

import gsolve
import numpy as np
import pytest
from made_results import make_result

TIMES = np.linspace(0.0, 2.0, 2001)


@pytest.fixture
def result(tmp_path: Path) -> gsolve.Result:
    """A sine of 3 m, a line, and a saw tooth at 1 s."""
    histories = {
        "node/7/DX": 3.0 * np.sin(np.pi * TIMES),
        "node/7/VX": 5.0 * TIMES - 2.0,
        "node/7/Y": np.where(TIMES < 1.0, TIMES, TIMES - 1.0),
    }
    return make_result(
        tmp_path / "a.h5", TIMES, histories, units={"DX": "m", "VX": "m/s", "Y": "m"}, names={7: "slider"},
        parameters={"speed": 4.0},
    )  # fmt: skip


def judged(result: gsolve.Result, text: str) -> list[gsolve.Judgement]:
    path = Path(str(result.path)).with_name("expected.toml")
    path.write_text(text)
    return gsolve.judge(result, path)


def entry(what: str, value: object, tolerance: str = "atol = 1e-9", more: str = "") -> str:
    return f'[[expected]]\nvariable = "node/7/{what}\nvalue = {value}\n{tolerance}\n{more}\n'


def response(text: str, value: object, tolerance: str = "atol = 1e-9", more: str = "") -> str:
    return f'[[expected]]\nresponse = "{text}"\nvalue = {value}\n{tolerance}\n{more}\n'


@pytest.mark.parametrize(
    ("what", "value", "tolerance"),
    [
        ('VX"\ntime = "end"', 8.0, "atol = 1e-14"),
        ('VX"\ntime = 0.5', 0.5, "atol = 1e-14"),
        ('VX"\ntime = 0.50025', 0.50125, "atol = 1e-14"),  # between two samples
        ('VX"\nreduction = "initial"', -2.0, "atol = 0"),
        ('VX"\nreduction = "final"', 8.0, "atol = 1e-14"),
        ('VX"\nreduction = "change"', 10.0, "atol = 1e-14"),
        ('VX"\nreduction = "min"', -2.0, "atol = 0"),
        ('VX"\nreduction = "largest"\nto = 0.2', 2.0, "atol = 0"),
        ('DX"\nreduction = "max"', 3.0, "atol = 1e-14"),
        ('DX"\nreduction = "min"\nto = 1.0', 0.0, "atol = 1e-14"),
        ('DX"\nreduction = "mean"\nto = 1.0', '"6/pi"', "rtol = 1e-6"),  # trapezoids: (pi h)^2/12
        ('DX"\nreduction = "rms"', '"3/sqrt(2)"', "rtol = 1e-12"),  # exact for a whole period
        ('VX"\nreduction = "mean"\nfrom = 1.0', 5.5, "atol = 1e-13"),
        ('Y"\nreduction = "max"\nfrom = 1.0', 1.0, "atol = 1e-12"),
    ],
)
def test_numbers_of_closed_forms(result: gsolve.Result, what: str, value: object, tolerance: str) -> None:
    status, number = judged(result, entry(what, value, tolerance))
    assert status.met and number.met, number.message


@pytest.mark.parametrize(
    ("text", "value", "window"),
    [
        ("final(node/7/VX)/initial(node/7/VX)", -4.0, ""),
        ("at(node/7/VX, 0.5) - speed*final(node/7/Y)", -3.5, ""),
        ("crossing(node/7/VX - speed)", 1.2, ""),
        ("max(node/7/VX - 2*node/7/Y)", 6.0, ""),
        ("max(node/7/VX - 2*node/7/Y)", 1.0, "to = 0.999999"),  # the last sample before the tooth breaks off: 0.999
        ("count(node/7/VX - speed)", 1.0, ""),
        ("mean(t)", 1.25, "from = 0.5"),
    ],
)
def test_expressions_of_histories(result: gsolve.Result, text: str, value: float, window: str) -> None:
    status, number = judged(
        result, response(text, value, "atol = 3.1e-3" if "to" in window else "atol = 1e-12", window)
    )
    assert status.met and number.met, number.message
    assert number.what == text + {"": "", "f": " from t = 0.5", "t": " to t = 0.999999"}[window[:1]]


def test_expressions_that_are_not_met_say_so(result: gsolve.Result) -> None:
    (_, number) = judged(result, response("final(node/7/VX) - 1", 8, "rtol = 0.01"))
    assert str(number) == "final(node/7/VX) - 1: 7, expected 8: off by 1, 0.125 of the value; allowed 0.08"
    (_, number) = judged(result, response("crossing(node/7/VX - 100)", 1))
    assert str(number) == "crossing(node/7/VX - 100): there is no such number in this run"
    (_, number) = judged(result, response("mean(t)", 1, more="to = 3"))
    assert str(number) == "mean(t) to t = 3: the run has samples from t = 0 to 2"


def test_tolerances_add_up_and_are_kept(result: gsolve.Result) -> None:
    for value, met in ((8.0 + 0.0799, True), (8.0 + 0.082, False), (8.0 - 0.0799, False)):
        (_, number) = judged(result, entry('VX"\ntime = "end"', value, "rtol = 0.0099"))
        assert number.met == (abs(8.0 - value) <= 0.0099 * value) == met
    (_, number) = judged(result, entry('VX"\ntime = "end"', 8.3, "rtol = 0.02\natol = 0.2"))
    assert number.met and number.allowed == pytest.approx(0.366, rel=1e-14)


def test_values_in_other_units_and_with_parameters_of_the_run(result: gsolve.Result) -> None:
    (_, number) = judged(result, entry('VX"\ntime = "end"', '"2000*speed"', more='unit = "mm/s"'))
    assert number.met and (number.unit, number.found, number.expected) == ("mm/s", 8000.0, 8000.0)


def test_what_is_not_met_says_by_how_much(result: gsolve.Result) -> None:
    (_, number) = judged(result, entry('VX"\ntime = "end"', 10, "rtol = 1e-3", 'source = "g t"'))
    assert str(number) == "node/7/VX at the end: 8 m/s, expected 10: off by 2, 0.2 of the value; allowed 0.01"
    assert number.source == "g t"
    (_, number) = judged(result, entry('VX"\nreduction = "mean"\nfrom = 0.5\nto = 3', 1))
    assert str(number) == "node/7/VX mean from t = 0.5 to t = 3: the run has samples from t = 0 to 2"
    (_, number) = judged(result, entry('VX"\nreduction = "max"\nfrom = 0.50001\nto = 0.50002', 1))
    gap = "no sample lies there: the nearest are at t = 0.5 and 0.501, 0.001 apart"
    assert str(number) == f"node/7/VX max from t = 0.50001 to t = 0.50002: {gap}"
    (_, number) = judged(result, entry('VX"\nreduction = "max"\nfrom = 2.00001\nto = 2.00002', 1))
    assert number.message == "the run has samples from t = 0 to 2"
    (_, number) = judged(result, entry('VX"\ntime = 2.5', 1))
    assert str(number) == "node/7/VX at t = 2.5: the run has samples from t = 0 to 2"
    (_, number) = judged(result, entry('VY"\ntime = "end"', 1))
    assert str(number) == ("node/7/VY at the end: th/node has no variable 'VY'; did you mean Y? There are DX, VX, Y")


def test_a_nan_is_not_met(tmp_path: Path) -> None:
    result = make_result(tmp_path / "a.h5", [0.0, 1.0], {"node/7/VX": [1.0, np.nan]})
    (_, number) = judged(result, entry('VX"\ntime = "end"', 1.0, "atol = 1e9"))
    assert not number.met and number.message.startswith("nan 1, expected 1: off by nan")


def test_a_run_has_to_end_as_expected(tmp_path: Path) -> None:
    result = make_result(tmp_path / "a.h5", [0.0, 1.0], {"node/7/VX": 1.0}, status="failed", message="it diverged")
    status, _ = judged(result, entry('VX"\ntime = "end"', 1.0))
    assert str(status) == "status: the run is failed (it diverged), expected completed"
    status, _ = judged(result, 'status = "failed"\n' + entry('VX"\ntime = "end"', 1.0))
    assert status.met
    (status,) = judged(result, 'status = "failed"\n')  # no number is needed
    assert status.met
    (status,) = judged(result, 'status = "deck errors"\n')
    assert status.message == "the run is failed (it diverged), expected deck errors"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('statu = "completed"\n' + entry('VX"\ntime = 1', 1), ": unknown key 'statu'; allowed: status, expected"),
        ('status = "done"\n' + entry('VX"\ntime = 1', 1), ": status = 'done'; allowed: completed, stopped, failed"),
        ("", " has no status and no [[expected]] with a number to expect"),
        ('status = "failed"\nexpected = 3', ": expected is no list of tables: [[expected]] begins each"),
        ('status = "deck errors"\n' + entry('VX"\ntime = 1', 1), ": status = 'deck errors' goes with no [[expected]]"),
        (entry('VX"\nreduction = "max"', 1, more="from = 1\nto = 0.5"), "node/7/VX: from = 1 is behind to = 0.5"),
        ("[[expected]\n", " is not TOML: "),
        (entry('VX"\ntme = 1', 1), ", line 1, [[expected]] node/7/VX: unknown key 'tme'; allowed: variable, time, "
                                   "reduction, response, from, to, value, unit, rtol, atol, source, note\n"),
        (entry('VX"\ntime = 1', 1, ""), "node/7/VX: rtol (a part of the value) or atol (in its unit) is missing"),
        (entry('VX"\ntime = 1', 1, "rtol = -1"), "node/7/VX: rtol = -1 is negative"),
        (entry('VX"\ntime = 1', 1, 'rtol = "1e-3"'), "node/7/VX: rtol = '1e-3'; a number is needed"),
        (entry('VX"\ntime = "start"', 1), "node/7/VX: time = 'start'; a number is needed, or \"end\""),
        (entry('VX"\ntime = 1\nfrom = 2', 1), "node/7/VX: from and to go with a reduction or a response"),
        (entry('VX"\nreduction = "average"', 1), "reduction = 'average'; allowed: initial, final, max, min, largest, "
                                                 "mean, rms, change"),
        (entry('VX"\ntime = 1\nreduction = "max"', 1), "time and reduction stand side by side"),
        (entry('VX"\ntime = 1', "1" + "0" * 400), "0; a number is needed, or an expression as text"),
        (entry('VX"\nunit = 3', 1), "node/7/VX: unit = 3 is no text"),
        (entry('VX"\ntime = 1', "[1]"), "node/7/VX: value = [1]; a number is needed, or an expression as text"),
        (entry('VX"\ntime = 1', '"3*sped"'), "node/7/VX: value = '3*sped': unknown name 'sped'; did you mean 'speed'?"),
        (entry('VX"\ntime = 1', 1, 'unit = "kg"\natol = 1'), "node/7/VX: 'm/s' and 'kg' are units of different"),
        ("[[expected]]\n", "line 1, [[expected]]: variable (a history) or response (an expression of several) is m"),
        (entry('VX"\ntime = 1', 1) + "\n[[expected]]\ntime = 1", "line 8, [[expected]]: value is missing"),
        ("expected = [{value = 1}]", "expected.toml, [[expected]]: variable (a history) or "),  # no line to tell
        (response("max(node/7/VX)", 1, more='time = 1'), "[[expected]] max(node/7/VX): time goes with variable, not "),
        (response("max(node/7/VX)", 1, more='unit = "m/s"'), "max(node/7/VX): unit goes with variable, not with respo"),
        (response("1", 1, more='variable = "node/7/VX"'), "VX: variable and response stand side by side, and one of"),
        (response("node/7/VX", 1), "VX: this is a history, where one number is needed, as in max(node/7/VX)\n"),
        (response("max(node/7/VX", 1), "this bracket is not closed\n  | max(node/7/VX\n  |    ^"),
        (response("max(node/7/VY)", 1), "has no variable 'VY'; did you mean Y? There are DX, VX, Y\n  | max(node"),
        (response("max(inter/1/FNX)", 1), "unknown name 'inter'"),
    ],
)  # fmt: skip
def test_mistakes_of_a_file_are_told(result: gsolve.Result, text: str, told: str) -> None:
    with pytest.raises(gsolve.OutputError) as error:
        judged(result, text)
    assert told in str(error.value) and "expected.toml" in str(error.value)


def test_a_note_may_look_like_a_table(result: gsolve.Result) -> None:
    note = 'note = """\n[[expected]]\n"""'
    status, number = judged(result, entry('VX"\ntime = "end"', 8.0, "atol = 1e-14", note))
    assert status.met and number.met, number.message


def test_all_mistakes_are_told_at_once(result: gsolve.Result) -> None:
    with pytest.raises(gsolve.OutputError) as error:
        judged(
            result, 'status = "x"\n' + entry('VX"\nat = 1', '"1"', "rtol = true") + entry('VY"\ntime = 1', 1, "tol = 1")
        )
    assert len(str(error.value).splitlines()) == 6


def test_mistakes_that_only_the_run_shows_are_told_at_once(result: gsolve.Result) -> None:
    text = (
        response("max(node/7/VY)", '"3*sped"')
        + entry('VX"\ntime = 1', 1, 'unit = "kg"\natol = 1')
        + entry('VX"\ntime = 1', '"1 +"')
    )
    with pytest.raises(gsolve.OutputError) as error:
        judged(result, text)
    told = [line.partition("expected.toml, ")[2] for line in str(error.value).splitlines() if "[[expected]]" in line]
    value, response_of_run, unit, formula = told
    assert value == "line 1, [[expected]] max(node/7/VY): value = '3*sped': unknown name 'sped'; did you mean 'speed'?"
    assert "[[expected]] max(node/7/VY): " in response_of_run and "has no variable 'VY'" in str(error.value)
    assert "'m/s' and 'kg'" in unit and "value = '1 +': " in formula
