"""Expressions of histories: values against Python's own arithmetic, and where each mistake is."""

import math

import numpy as np
import pytest
from gsolve.parser.text.expressions import ExpressionError
from gsolve.solver.core.channels import Channel, Family
from gsolve.solver.results.expressions import InstantExpression, pointed_out

IDS = np.array([1, 12], dtype=np.int64)
FAMILIES = (
    Family("energy", (Channel("total", "J", ""),)),
    Family("th/gjoint", (Channel("VEL1", "rad/s", ""),), IDS, ("left pair", "")),
    Family("th/node", (Channel("DX", "m", ""),), IDS, ("", "")),
)
PARAMETERS = {"limit": 3.0, "node": 2.0, "gap": 8.0}
TIMES = np.array([0.0, 0.5, 1.0, 1.5])
COLUMNS = {
    "gjoint/1/VEL1": np.array([1.0, 4.0, -9.0, 16.0]),
    "node/12/DX": np.array([2.0, -2.0, math.nan, 0.0]),
    "energy/total": np.array([5.0, 6.0, 7.0, 8.0]),
}


def values(text):
    return InstantExpression(text, FAMILIES, PARAMETERS).values(TIMES, COLUMNS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gjoint/1/VEL1", [1, 4, -9, 16]),
        ("max(gjoint/1/VEL1, 2) / 2", [1, 2, 1, 8]),
        ("gjoint/1/VEL1/gjoint/1/VEL1-energy/total/2", [-1.5, -2, -2.5, -3]),
        ("t * limit^2 - 1", [-1, 3.5, 8, 12.5]),
        ("node / gap", [0.25] * 4),
        ("gjoint/1/VEL1 > limit", [0, 1, 0, 1]),
        ("sqrt(gjoint/1/VEL1) < 3", [1, 1, 0, 0]),
        ("not gjoint/1/VEL1 > limit and t < 1 or energy/total >= 8", [1, 0, 0, 1]),
        ("NOT (t == 0.5 OR t != 1)", [0, 0, 1, 0]),
        ("(t >= 0.5) + (t <= 1)", [1, 2, 2, 1]),
        ("node/12/DX <= 0", [0, 1, 0, 1]),
        ("node/12/DX != node/12/DX", [0, 0, 1, 0]),
        ("step(t, 0, 1, 1, 2)", [1, 1.5, 2, 2]),
        ("pi", [math.pi] * 4),
    ],
)
def test_values_follow_the_usual_rules(text, expected):
    np.testing.assert_allclose(values(text), expected, rtol=1e-15)


@pytest.mark.parametrize("text", ["1 / (t - t)", "log(-1 - t)", "(limit - limit - 8)^(1/3) * t"])
def test_what_does_not_exist_is_no_number_and_no_warning(text):
    assert not np.isfinite(values(text)).any()


def test_variables_are_named_once_each_as_written():
    expression = InstantExpression("th/gjoint/1/VEL1 + 'gjoint/left pair/VEL1' + NODE/12/dx + NODE/12/dx",
                                   FAMILIES, PARAMETERS)  # fmt: skip
    assert expression.variables == {"th/gjoint/1/VEL1": 0, "gjoint/left pair/VEL1": 19, "NODE/12/dx": 45}
    assert not expression.is_condition
    assert InstantExpression("not t > 1", FAMILIES, PARAMETERS).is_condition


def test_a_block_of_no_samples_has_no_values():
    assert InstantExpression("3 > 2", FAMILIES, PARAMETERS).values(np.zeros(0), {}).shape == (0,)


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("", "the expression is empty", 0),
        ("gjoint/1/VEL1 >", "the expression ends too early", 15),
        ("gjoint/1/VEL1 2", "an operator is missing before '2' after 'gjoint/1/VEL1'", 14),
        ("2 gjoint/1/VEL1", "an operator is missing before 'gjoint/1/VEL1' after '2'", 2),
        ("* node/1/DX", "a number, a name or '(' is missing before '*'", 0),
        ("0 < t < 1", "a second comparison; join two with 'and'", 6),
        ("0 < < 1", "a number, a name or '(' is missing before '<'", 4),
        ("t = 1", "'=' is no comparison; equality is written with '=='", 2),
        ("t > 1 and 5", "'and' needs a comparison here, such as 'x > 0', not a number", 10),
        ("not t", "'not' needs a comparison here, such as 'x > 0', not a number", 4),
        ("t > limti", "unknown name 'limti'; did you mean 'limit'?", 4),
        ("gjiont/1/VEL1 > 2", "unknown name 'gjiont'; did you mean 'gjoint'?", 0),
        ("energy/total(3)", "unknown function 'total'", 7),
        ("(t > 1", "'(' is not closed", 0),
        ("1/0 > 0", "1 / 0 has no finite value", 2),
        ("t > 2 or t < t*log(0)", "log(0) has no finite value", 15),
    ],
)
def test_a_mistake_is_named_with_its_place(text, message, position):
    with pytest.raises(ExpressionError) as caught:
        InstantExpression(text, FAMILIES, PARAMETERS)
    assert (caught.value.message, caught.value.position) == (message, position)


def test_a_caret_stands_below_the_place():
    with pytest.raises(ExpressionError) as caught:
        InstantExpression("t > 1 + limti", FAMILIES, PARAMETERS)
    assert pointed_out("t > 1 + limti", caught.value).splitlines() == [
        "unknown name 'limti'; did you mean 'limit'?",
        "  | t > 1 + limti",
        "  |         ^",
    ]
