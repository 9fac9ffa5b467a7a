"""What a unit as text measures, and what a number in it is multiplied by to be one in another."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from gsolve.parser.text.units import PREFIXES, Dimension, UnitError, parse_unit

from ..files import OutputError

_PLACES = {"mass": 0, "length": 1, "time": 2}
_BY_LETTER = {"g": "mass", "m": "length", "s": "time"}
_DERIVED: dict[str, Dimension] = {"N": (1, 1, -2), "J": (1, 2, -2), "W": (1, 2, -3)}
_ANGLES = {"rad": 1.0, "deg": math.pi / 180}
# What `core.unit_names` writes: symbols with powers, sizes as (0.0254 m), and one slash.
_TOKEN = re.compile(r"\(\s*([\d.eE+-]+)\s+(kg|m|s)\s*\)(\d*)|([^\W\d_]+)\^?(\d*)|(/)|[\s()*·]|1(?!\d)")


class Measure(NamedTuple):
    """size : of the unit, in kg, m, s and rad; dimension : powers of mass, length and time."""

    size: float
    dimension: Dimension


def measure_of(unit: str) -> Measure | None:
    """What a unit as "kg m2/s2", "Mg mm/s2", "(0.0254 m)/s", "kN" or "1" is; None for anything else."""
    size, powers, sign, place = 1.0, [0.0, 0.0, 0.0], 1, 0
    while place < len(unit):
        token = _TOKEN.match(unit, place)
        if token is None:
            return None
        place = token.end()
        number, si_name, number_power, symbol, power, slash = token.groups()
        if slash:
            sign = -1
        elif symbol or number:
            part = _symbol(symbol) if symbol else _sized(number, si_name)
            if part is None:
                return None
            exponent = sign * int((power if symbol else number_power) or 1)
            size *= part.size**exponent
            powers = [sum(pair) for pair in zip(powers, (exponent * of for of in part.dimension), strict=True)]
    return Measure(size, (powers[0], powers[1], powers[2]))


def factor(source: str, target: str, what: str) -> float:
    """What a number in `source` is multiplied by to be one in `target`; exactly 1 where they are the same.

    Raises
    ------
    OutputError
        they measure different things; `what` says of which variable
    """
    if source == target:
        return 1.0
    one, other = measure_of(source), measure_of(target)
    if one is None or other is None:
        raise OutputError(f"{what}: the units '{source}' and '{target}' cannot be converted into each other")
    if one.dimension != other.dimension:
        raise OutputError(f"{what}: '{source}' and '{target}' are units of different quantities")
    ratio = one.size / other.size
    decimal = float(f"1e{round(math.log10(ratio))}")
    return decimal if abs(ratio / decimal - 1.0) < 1e-12 else ratio  # powers of ten without their rounding


def _sized(number: str, si_name: str) -> Measure:
    whole = _symbol(si_name)
    assert whole is not None
    return Measure(float(number) * whole.size, whole.dimension)


def _symbol(text: str) -> Measure | None:
    if text in _ANGLES:
        return Measure(_ANGLES[text], (0, 0, 0))
    if text[-1] in _DERIVED and text[:-1] in PREFIXES:
        return Measure(float(f"1e{PREFIXES[text[:-1]]}"), _DERIVED[text[-1]])
    quantity = _BY_LETTER.get(text[-1])
    if quantity is None:
        return None
    try:
        unit = parse_unit(text, quantity)
    except UnitError:
        return None
    assert unit is not None
    powers = [0.0, 0.0, 0.0]
    powers[_PLACES[quantity]] = 1
    return Measure(unit.size, (powers[0], powers[1], powers[2]))
