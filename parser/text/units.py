"""Units: dimensions, unit systems as decks name them, and the factors between them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from .numbers import parse_real

Dimension = tuple[float, float, float]

# Exponents of mass, length and time.
NUMBER: Dimension = (0, 0, 0)
MASS: Dimension = (1, 0, 0)
LENGTH: Dimension = (0, 1, 0)
TIME: Dimension = (0, 0, 1)
INERTIA: Dimension = (1, 2, 0)
VELOCITY: Dimension = (0, 1, -1)
RATE: Dimension = (0, 0, -1)
ACCELERATION: Dimension = (0, 1, -2)
ANGULAR_ACCELERATION: Dimension = (0, 0, -2)
FORCE: Dimension = (1, 1, -2)
MOMENT: Dimension = (1, 2, -2)
DENSITY: Dimension = (1, -3, 0)
PRESSURE: Dimension = (1, -1, -2)
STIFFNESS: Dimension = (1, 0, -2)
DAMPING: Dimension = (1, 0, -1)
ROTATIONAL_DAMPING: Dimension = (1, 2, -1)

PREFIXES = {
    "y": -24, "z": -21, "a": -18, "f": -15, "p": -12, "n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1,
    "": 0, "da": 1, "h": 2, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24,
}  # fmt: skip
_QUANTITIES = {"mass": ("g", -3, "kg"), "length": ("m", 0, "m"), "time": ("s", 0, "s")}
_OTHER_NAMES = {
    "ton": "Mg", "tonne": "Mg", "t": "Mg", "tons": "Mg", "gram": "g", "kilogram": "kg", "meter": "m", "metre": "m",
    "millimeter": "mm", "sec": "s", "second": "s", "msec": "ms", "micron": "um",
}  # fmt: skip


class UnitError(ValueError):
    """A unit that is no unit; `allowed` and `hint` complete the message."""

    def __init__(self, message: str, allowed: str, hint: str = "") -> None:
        super().__init__(message)
        self.allowed = allowed
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its name and its size in kg, m or s; `exponent` if the size is a power of ten."""

    name: str
    size: float
    exponent: int | None


@dataclass(frozen=True, slots=True)
class UnitSystem:
    """Units of mass, length and time; None where a /UNIT block leaves a quantity unconverted."""

    mass: Unit | None
    length: Unit | None
    time: Unit | None


SI = UnitSystem(Unit("kg", 1.0, 0), Unit("m", 1.0, 0), Unit("s", 1.0, 0))


def parse_unit(text: str, quantity: str) -> Unit | None:
    """A unit code (SI prefix and g, m or s) or a size in kg, m or s; None for a size of 0.

    Raises `UnitError` for anything else.
    """
    base, base_exponent, base_name = _QUANTITIES[quantity]
    size = parse_real(text)
    if size is not None:
        if size < 0.0:
            raise UnitError(f"the unit of {quantity} cannot be negative", _allowed(quantity))
        return _unit_of_size(size, base, base_exponent, base_name) if size else None
    exponent = PREFIXES.get(text[:-1]) if text.endswith(base) else None
    if exponent is None:
        raise UnitError(f"{text} is not a unit of {quantity}", _allowed(quantity), _suggestion(text, base))
    exponent += base_exponent
    return Unit(text, float(f"1e{exponent}"), exponent)


def _unit_of_size(size: float, base: str, base_exponent: int, base_name: str) -> Unit:
    for prefix, exponent in PREFIXES.items():
        if prefix.isascii() and prefix != "K" and float(f"1e{exponent + base_exponent}") == size:
            return Unit(prefix + base, size, exponent + base_exponent)
    return Unit(f"{size:g}{base_name}", size, None)


def _allowed(quantity: str) -> str:
    base, _, base_name = _QUANTITIES[quantity]
    examples = {"mass": "kg, g, Mg (tonne)", "length": "m, mm, cm", "time": "s, ms, us"}[quantity]
    return f"an SI prefix and {base} ({examples}), or the size of the unit in {base_name}"


def _suggestion(text: str, base: str) -> str:
    other = _OTHER_NAMES.get(text.lower())
    if other is not None and other.endswith(base):
        return f"did you mean {other}?"
    names = [prefix + base for prefix in PREFIXES]
    close = [name for name in names if name.lower() == text.lower()] or difflib.get_close_matches(text, names, 1)
    return f"did you mean {close[0]}?" if close else ""


def per_power_of_length(dimension: Dimension, exponent: float) -> Dimension:
    """The dimension of something divided by a power of a length."""
    mass, length, time = dimension
    return mass, length - exponent, time


def conversion_factor(source: UnitSystem, target: UnitSystem, dimension: Dimension) -> float:
    """What a number of the given dimension is multiplied by to get from one system to another."""
    power = 0.0
    exact = True
    factor = 1.0
    for old, new, exponent in zip(
        (source.mass, source.length, source.time), (target.mass, target.length, target.time), dimension, strict=True
    ):
        if not exponent or old is None or new is None or old.size == new.size:
            continue
        factor *= (old.size / new.size) ** exponent
        if old.exponent is None or new.exponent is None:
            exact = False
        else:
            power += (old.exponent - new.exponent) * exponent
    return float(f"1e{power:.0f}") if exact and power == int(power) else factor
