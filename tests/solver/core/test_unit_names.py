import pytest
from gsolve.parser.model import Units
from gsolve.solver.core.unit_names import unit
from stub_models import SI

TONNE_MM = Units("Mg", "mm", "s", 1e3, 1e-3, 1.0)


@pytest.mark.parametrize(
    ("powers", "name"),
    [
        ({}, "1"),
        ({"mass": 1}, "kg"),
        ({"mass": 1, "length": 2, "time": -2}, "kg m2/s2"),
        ({"length": 1, "time": -1}, "m/s"),
        ({"time": -1}, "1/s"),
        ({"time": -1, "angle": 1}, "rad/s"),
        ({"mass": 1, "length": -1, "time": -2}, "kg/(m s2)"),
    ],
)
def test_units_are_plain_products(powers, name):
    assert unit(SI, **powers) == name


def test_units_are_spelled_as_in_the_deck():
    assert unit(TONNE_MM, mass=1, length=2) == "Mg mm2"


def test_base_units_given_as_numbers_are_named_by_their_si_size():
    numbers = Units("1", "0.001", "1", 1.0, 1e-3, 1.0)
    assert unit(numbers, mass=1, length=2, time=-2) == "kg (0.001 m)2/s2"
