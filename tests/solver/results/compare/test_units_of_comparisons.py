"""Units as texts, against their definitions."""

from __future__ import annotations

import math

import gsolve
import pytest
from gsolve.parser.model import Units
from gsolve.solver.core.unit_names import unit
from gsolve.solver.results.compare.units import factor, measure_of


@pytest.mark.parametrize(
    ("text", "size", "dimension"),
    [
        ("1", 1.0, (0, 0, 0)),
        ("kg m2/s2", 1.0, (1, 2, -2)),
        ("Mg mm/s2", 1.0, (1, 1, -2)),
        ("rad/s", 1.0, (0, 0, -1)),
        ("1/ms", 1e3, (0, 0, -1)),
        ("kg/(m s2)", 1.0, (1, -1, -2)),
        ("kN", 1e3, (1, 1, -2)),
        ("N m", 1.0, (1, 2, -2)),
        ("N mm", 1e-3, (1, 2, -2)),
        ("kJ", 1e3, (1, 2, -2)),
        ("W", 1.0, (1, 2, -3)),
        ("deg", math.pi / 180, (0, 0, 0)),
        ("m^2", 1.0, (0, 2, 0)),
        ("(0.0254 m)2/s", 0.0254**2, (0, 2, -1)),
        ("(0.4536 kg) (0.0254 m)/s2", 0.4536 * 0.0254, (1, 1, -2)),
    ],
)
def test_size_and_dimension(text: str, size: float, dimension: tuple[int, int, int]) -> None:
    found = measure_of(text)
    assert found is not None and found.dimension == dimension
    assert found.size == pytest.approx(size, rel=1e-14)


@pytest.mark.parametrize("units", [Units("kg", "m", "s", 1.0, 1.0, 1.0), Units("Mg", "mm", "ms", 1e3, 1e-3, 1e-3),
                                   Units("0.45", "0.0254", "s", 0.45, 0.0254, 1.0)])  # fmt: skip
def test_units_of_result_files_are_read_as_they_are_written(units: Units) -> None:
    for mass in (-1, 0, 1):
        for length in (-1, 0, 2):
            for time in (-2, 0, 1):
                found = measure_of(unit(units, mass=mass, length=length, time=time))
                size = units.mass_si**mass * units.length_si**length * units.time_si**time
                assert found is not None and found.dimension == (mass, length, time)
                assert found.size == pytest.approx(size, rel=1e-14)


@pytest.mark.parametrize("text", ["furlong", "m!", "xN", "kg m2 s2 ?"])
def test_what_is_no_unit(text: str) -> None:
    assert measure_of(text) is None


def test_factors() -> None:
    assert factor("mm", "m", "x") == 1e-3
    assert factor("kN", "Mg mm/s2", "x") == 1e3
    assert factor("deg", "rad", "x") == math.pi / 180
    assert factor("rad/s", "1/s", "x") == 1.0
    assert factor("furlong", "furlong", "x") == 1.0
    with pytest.raises(gsolve.OutputError, match=r"node/1/X: the units 'furlong' and 'm' cannot be converted"):
        factor("furlong", "m", "node/1/X")
