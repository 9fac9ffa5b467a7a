"""Responses: numbers that sum up a run, against closed forms of simple histories."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.parser.text.expressions import ExpressionError
from gsolve.solver.core.channels import Channel, Family
from gsolve.solver.results.responses import REDUCTIONS, Response

FAMILIES = (
    Family("energy", (Channel("total", "J", "energy"),)),
    Family("th/gjoint", (Channel("VEL1", "rad/s", "speed"),), np.array([1, 2]), ("sun (left), a", "ring")),
)
TIMES = np.linspace(0.0, 2.0, 4001)
PERIOD = 0.25
COLUMNS = {
    "gjoint/1/VEL1": np.sin(2 * np.pi * TIMES / PERIOD - 0.5),
    "gjoint/2/VEL1": 3.0 * TIMES,
    "energy/total": np.full_like(TIMES, 7.0),
}
STEP = float(TIMES[1])


def value(text: str, **parameters: float) -> float:
    return Response(text, FAMILIES, parameters).value(TIMES, COLUMNS, parameters)


@pytest.mark.parametrize(
    ("text", "expected", "tolerance"),
    [
        ("max(gjoint/2/VEL1)", 6.0, 0.0),
        ("min(gjoint/2/VEL1)", 0.0, 0.0),
        ("largest(gjoint/2/VEL1 - 5)", 5.0, 0.0),
        ("change(gjoint/2/VEL1 - 5)", 6.0, 0.0),
        ("initial(gjoint/2/VEL1 + 1)", 1.0, 0.0),
        ("final(gjoint/2/VEL1)", 6.0, 0.0),
        ("mean(gjoint/2/VEL1)", 3.0, 1e-14),
        ("integral(gjoint/2/VEL1)", 6.0, 1e-14),
        ("integral(gjoint/2/VEL1^2)", 24.0, 24 * STEP**2),  # the trapezoidal rule
        ("rms(gjoint/1/VEL1)", math.sqrt(0.5), 1e-12),  # whole periods
        ("period(gjoint/1/VEL1)", PERIOD, STEP**2),
        ("count(gjoint/1/VEL1)", 8.0, 0.0),
        ("crossing(gjoint/1/VEL1)", 0.5 / (2 * math.pi) * PERIOD, STEP**2),
        ("crossing(gjoint/2/VEL1 > 3)", 1.0, STEP),
        ("count(gjoint/1/VEL1 > 0.9)", 8.0, 0.0),
        ("mean(gjoint/1/VEL1 > 0)", 0.5, 2 * STEP),  # a part of the time
        ("at(gjoint/2/VEL1, 0.30001)", 0.90003, 1e-14),
        ("at(gjoint/2/VEL1, late/4)", 1.5, 1e-14),
        ("time_of_max(gjoint/2/VEL1)", 2.0, 0.0),
        ("final(t) * 2", 4.0, 0.0),
        ("MAX(gjoint/2/VEL1) - Min(gjoint/2/VEL1)", 6.0, 0.0),
        ("max(final(gjoint/2/VEL1), late * 5, 1)", 10.0, 0.0),
        ("max(max(gjoint/2/VEL1, 4))", 6.0, 0.0),
        ("min(max(gjoint/2/VEL1, 4))", 4.0, 0.0),
        ("rms(gjoint/2/VEL1 - mean(gjoint/2/VEL1))", math.sqrt(3.0), 1e-6),
        ("max('gjoint/sun (left), a/VEL1' * 0 + 2)", 2.0, 0.0),
        ("final(energy/total) / late", 3.5, 0.0),
        ("sqrt(final(energy/total) + 2)", 3.0, 0.0),
    ],
)
def test_values_are_those_of_closed_forms(text: str, expected: float, tolerance: float) -> None:
    assert value(text, late=2.0) == pytest.approx(expected, abs=tolerance, rel=0.0)


@pytest.mark.parametrize("text", ["at(gjoint/2/VEL1, 3)", "crossing(gjoint/2/VEL1)", "period(gjoint/2/VEL1)"])
def test_what_does_not_happen_has_no_value(text: str) -> None:
    assert math.isnan(value(text))


def test_every_reduction_is_tested() -> None:
    shown = test_values_are_those_of_closed_forms.pytestmark[0].args[1]
    assert {name for name in REDUCTIONS if any(f"{name}(" in row[0].lower() for row in shown)} == set(REDUCTIONS)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("gjoint/1/VEL1 * 2", "this is a history, where one number is needed, as in max(gjoint/1/VEL1 * 2)", 0),
        ("2 + t", "this is a history, where one number is needed, as in max(2 + t)", 4),
        ("max(gjoint/1/VELX)", "gjoint/1/VELX: th/gjoint has no variable 'VELX'; did you mean VEL1?", 4),
        ("1 + max(gjoint/1/VEL1 + limt)", "limt", 24),
        ("at(gjoint/1/VEL1)", "at takes 2 arguments, 1 given", 0),
        ("2 * max(gjoint/1/VEL1", "this bracket is not closed", 7),
        ("maxx(gjoint/1/VEL1)", "unknown function 'maxx'", 0),
        ("final(mean(gjoint/9/VEL1))", "th/gjoint has no object '9'", 11),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str, place: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        Response(text, FAMILIES, {"limit": 1.0})
    assert message in caught.value.message
    assert caught.value.position == place
