"""Units and conversion factors, against their definition."""

import math

import pytest
from gsolve.parser.text.units import SI, UnitError, UnitSystem, conversion_factor, parse_unit


@pytest.mark.parametrize(
    ("text", "quantity", "size"),
    [
        ("kg", "mass", 1.0),
        ("Mg", "mass", 1000.0),
        ("g", "mass", 1e-3),
        ("mg", "mass", 1e-6),
        ("Kg", "mass", 1.0),
        ("mm", "length", 1e-3),
        ("m", "length", 1.0),
        ("dam", "length", 10.0),
        ("µm", "length", 1e-6),
        ("um", "length", 1e-6),
        ("ms", "time", 1e-3),
        ("1", "mass", 1.0),
        ("0.0254", "length", 0.0254),
        ("1.E-3", "time", 1e-3),
    ],
)
def test_sizes_of_units(text: str, quantity: str, size: float) -> None:
    unit = parse_unit(text, quantity)
    assert unit is not None
    assert unit.size == size


def test_numbers_get_the_name_of_the_unit_they_are() -> None:
    names = [parse_unit("1000", "mass"), parse_unit("0.001", "length"), parse_unit("1", "time")]
    assert [unit.name for unit in names if unit] == ["Mg", "mm", "s"]


def test_zero_means_unconverted() -> None:
    assert parse_unit("0", "mass") is None


@pytest.mark.parametrize(
    ("text", "quantity", "hint"),
    [("ton", "mass", "did you mean Mg?"), ("MM", "length", "did you mean mm?"), ("sec", "time", "did you mean s?")],
)
def test_wrong_units_come_with_a_suggestion(text: str, quantity: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_unit(text, quantity)
    assert str(caught.value) == f"{text} is not a unit of {quantity}"
    assert caught.value.hint == hint


def test_conversion_between_powers_of_ten_is_exact() -> None:
    system = UnitSystem(parse_unit("Mg", "mass"), parse_unit("mm", "length"), parse_unit("ms", "time"))
    assert conversion_factor(system, SI, (1, 2, 0)) == 1e-3
    assert conversion_factor(system, SI, (1, 1, -2)) == 1e6
    assert conversion_factor(SI, system, (0, 1, 0)) == 1e3
    assert conversion_factor(SI, SI, (1, 2, -3)) == 1.0


def test_conversion_of_odd_units() -> None:
    inches = UnitSystem(parse_unit("kg", "mass"), parse_unit("0.0254", "length"), parse_unit("s", "time"))
    assert math.isclose(conversion_factor(inches, SI, (0, 3, 0)), 0.0254**3, rel_tol=1e-15)


def test_a_missing_unit_leaves_its_dimension_alone() -> None:
    partial = UnitSystem(None, parse_unit("mm", "length"), None)
    assert conversion_factor(partial, SI, (1, 2, -2)) == 1e-6
