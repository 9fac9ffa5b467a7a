"""Names of units, in the working units of the deck: "mm/s", "N mm", "mJ"; "Mg mm2" where no short word is in use.

A moment and an energy are the same product of mass, length and time, so what has a word of its own is asked for by what
it is: `force_unit` ... `angular_momentum_unit`.  Where the units of the deck make no such word, as kg, cm, s make none
for a force, that is the plain product too.
"""

from __future__ import annotations

import math

from gsolve.parser.model import Units
from gsolve.parser.text.units import parse_unit

# By power of ten.  Every thousand only: nobody says dN.
_PREFIXES = {-12: "p", -9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}


def units_named(mass: str, length: str, time: str) -> Units:
    """Units by their names as a deck spells them, which a result file keeps."""
    found = [parse_unit(name, quantity) for name, quantity in ((mass, "mass"), (length, "length"), (time, "time"))]
    sizes = [math.nan if one is None else one.size for one in found]
    return Units(mass, length, time, *sizes)


def unit(units: Units, *, mass: int = 0, length: int = 0, time: int = 0, angle: int = 0) -> str:
    """Name of the unit mass^a length^b time^c rad^d.

    Kept as a plain product that UDUNITS reads: positive powers first, then the negative ones below one slash;
    "1" for a pure number.
    """
    factors = ((_mass(units), mass), (_length(units), length), (_time(units), time), ("rad", angle))
    above = [_power(symbol, power) for symbol, power in factors if power > 0]
    below = [_power(symbol, -power) for symbol, power in factors if power < 0]
    numerator = " ".join(above) or "1"
    if not below:
        return numerator
    denominator = " ".join(below)
    return f"{numerator}/({denominator})" if len(below) > 1 else f"{numerator}/{denominator}"


def force_unit(units: Units) -> str:
    """N, kN ..."""
    return _newton(units) or unit(units, mass=1, length=1, time=-2)


def moment_unit(units: Units) -> str:
    """N m, N mm ..."""
    return _joined(_newton(units), _length(units)) or unit(units, mass=1, length=2, time=-2)


def momentum_unit(units: Units) -> str:
    """N s, kN ms ..."""
    return _joined(_newton(units), _time(units)) or unit(units, mass=1, length=1, time=-1)


def angular_momentum_unit(units: Units) -> str:
    """N m s, N mm s ..."""
    return _joined(_newton(units), _length(units), _time(units)) or unit(units, mass=1, length=2, time=-1)


def energy_unit(units: Units) -> str:
    """J, mJ ..."""
    size = units.mass_si * (units.length_si / units.time_si) ** 2
    return _prefixed("J", size) or unit(units, mass=1, length=2, time=-2)


def power_unit(units: Units) -> str:
    """W, mW ..."""
    size = units.mass_si * (units.length_si / units.time_si) ** 2 / units.time_si
    return _prefixed("W", size) or unit(units, mass=1, length=2, time=-3)


def _newton(units: Units) -> str:
    return _prefixed("N", units.mass_si * units.length_si / units.time_si**2)


def _prefixed(word: str, size: float) -> str:
    """The word for so many N, J or W; "" where there is none, as where the sizes are not known (NaN)."""
    if not (math.isfinite(size) and size > 0.0):
        return ""
    exponent = round(math.log10(size))
    exact = abs(size / float(f"1e{exponent}") - 1.0) < 1e-12
    return f"{_PREFIXES[exponent]}{word}" if exact and exponent in _PREFIXES else ""


def _joined(newton: str, *symbols: str) -> str:
    return " ".join((newton, *symbols)) if newton else ""


def _mass(units: Units) -> str:
    return _symbol(units.mass, units.mass_si, "kg")


def _length(units: Units) -> str:
    return _symbol(units.length, units.length_si, "m")


def _time(units: Units) -> str:
    return _symbol(units.time, units.time_si, "s")


def _symbol(name: str, size: float, si_name: str) -> str:
    """The deck's name of a base unit; a deck may also give a number, its size in the SI unit."""
    if name.isalpha():
        return name
    return si_name if size == 1.0 else f"({size:g} {si_name})"


def _power(symbol: str, power: int) -> str:
    return symbol if power == 1 else f"{symbol}{power}"
