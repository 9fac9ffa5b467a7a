"""Names of derived units, in the working units of the deck: "kg m2/s2", "Mg mm2", "rad/s"."""

from __future__ import annotations

from gsolve.parser.model import Units


def unit(units: Units, *, mass: int = 0, length: int = 0, time: int = 0, angle: int = 0) -> str:
    """Name of the unit mass^a length^b time^c rad^d.

    Kept as a plain product that UDUNITS reads: positive powers first, then the negative ones below one slash;
    "1" for a pure number.  No derived names such as N: they would be wrong in most unit systems of decks.
    """
    factors = (
        (_symbol(units.mass, units.mass_si, "kg"), mass),
        (_symbol(units.length, units.length_si, "m"), length),
        (_symbol(units.time, units.time_si, "s"), time),
        ("rad", angle),
    )
    above = [_power(symbol, power) for symbol, power in factors if power > 0]
    below = [_power(symbol, -power) for symbol, power in factors if power < 0]
    numerator = " ".join(above) or "1"
    if not below:
        return numerator
    denominator = " ".join(below)
    return f"{numerator}/({denominator})" if len(below) > 1 else f"{numerator}/{denominator}"


def _symbol(name: str, size: float, si_name: str) -> str:
    """The deck's name of a base unit; a deck may also give a number, its size in the SI unit."""
    if name.isalpha():
        return name
    return si_name if size == 1.0 else f"({size:g} {si_name})"


def _power(symbol: str, power: int) -> str:
    return symbol if power == 1 else f"{symbol}{power}"
