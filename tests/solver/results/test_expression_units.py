"""Units of expressions, as one would work them out by hand."""

import numpy as np
import pytest
from gsolve.solver.core.channels import Channel, Family
from gsolve.solver.results.expression_units import unit_of
from gsolve.solver.results.expressions import InstantExpression
from stub_models import SI

UNITS = {
    "gjoint/1/VEL1": "rad/s",
    "gjoint/1/ANG1": "rad",
    "gjoint/1/T1": "N m",
    "gjoint/1/V2": "m/s",
    "gjoint/1/K": "(0.0254 m)2/(s kg)",
    "gjoint/1/F2": "N",
    "gjoint/1/U2": "m",
    "gjoint/1/ODD": "50 %",
}
FAMILY = Family("th/gjoint", tuple(Channel(name.split("/")[2], unit, "") for name, unit in UNITS.items()),
                np.array([1]), ("",))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("gjoint/1/VEL1 * 2 + 1", "rad/s"),
        ("gjoint/1/VEL1 / gjoint/1/VEL1", "1"),
        ("gjoint/1/T1 * gjoint/1/VEL1", "W"),
        ("gjoint/1/T1 * 2", "N m"),
        ("gjoint/1/F2 * gjoint/1/U2", "J"),
        ("gjoint/1/F2 * gjoint/1/U2 + gjoint/1/T1 * gjoint/1/ANG1", "N m"),
        ("gjoint/1/T1 / gjoint/1/U2", "N"),
        ("gjoint/1/F2 / gjoint/1/U2", "kg/s2"),
        ("gjoint/1/VEL1 / t", "rad/s2"),
        ("gjoint/1/V2 / gjoint/1/VEL1", "m"),
        ("1 / gjoint/1/VEL1", "s/rad"),
        ("gjoint/1/V2^2 * ratio", "m2/s2"),
        ("sqrt(gjoint/1/V2^2 + gjoint/1/V2^2)", "m/s"),
        ("sqrt(gjoint/1/V2)", "m^(1/2)/s^(1/2)"),
        ("gjoint/1/K * gjoint/1/T1", "(0.0254 m)2 m2/s3"),
        ("-max(gjoint/1/T1, 0)", "N m"),
        ("gjoint/1/T1 > 0", "1"),
        ("sin(gjoint/1/ANG1)", "1"),
        ("gjoint/1/V2 + gjoint/1/T1", ""),
        ("gjoint/1/T1 ^ t", ""),
        ("gjoint/1/ODD * 2", ""),
    ],
)
def test_units_of_expressions(text: str, unit: str) -> None:
    expression = InstantExpression(text, [FAMILY], {"ratio": 3.0})
    assert unit_of(expression.steps, UNITS, SI) == unit
