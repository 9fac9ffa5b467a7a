"""Units of expressions of histories: that of `gjoint/1/T1 * gjoint/1/VEL1`, N m times rad/s, is W."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from gsolve.parser.model import Units
from gsolve.parser.text import expressions as code
from gsolve.parser.text.expressions import Step

from ..core import unit_names

_Powers = dict[str, Fraction]  # of the symbols of a unit
_FACTOR = re.compile(r"(\([\d.eE+-]+ \w+\)|[^\W\d]+)(\d*)")  # as `core.unit_names` writes them: m2, (0.0254 m)2
_BELOW = re.compile(r"/\((?![\d.])(.*)\)$")  # the brackets of a denominator, which are not those of a size
_KEEP = (code.NEGATE, code.ABS)
_NEED_THE_SAME = (code.ADD, code.SUBTRACT, code.MIN, code.MAX)


class _Operand(NamedTuple):
    """powers : None where the unit is not known; number : value of what is written as a number, which fits any unit."""

    powers: _Powers | None
    number: float | None = None


def unit_of(steps: Iterable[Step], units: Mapping[str, str], system: Units) -> str:
    """Unit of an expression, "1" of a pure number, "" where none is known, as of what adds unlike things.

    An angle in a product with a mass or a length is none: rad/s times m is m/s.  The word is
    that of a variable in the expression that is the same product, so that twice a moment is a moment; else of what
    could be a moment or an energy that of an energy.

    steps : its postfix code
    units : of its variables, by name
    system : of the run
    """
    words, time_unit = _words(system), unit_names.unit(system, time=1)
    used = dict.fromkeys(units[step.name] for step in steps if step.name in units)
    stack: list[_Operand] = []
    for step in steps:
        if step.opcode == code.CONSTANT:
            unit = time_unit if step.name == "t" else units.get(step.name, "1")
            stack.append(_Operand(_powers(words.get(unit, unit)), None if step.name else step.value))
            continue
        last = stack.pop()
        powers = _of_two(step, stack.pop(), last) if step.opcode in code.BINARY else _of_one(step, last)
        if powers and any(power and symbol not in ("rad", time_unit) for symbol, power in powers.items()):
            powers.pop("rad", None)
        stack.append(_Operand(powers))
    powers = stack[0].powers
    if powers is None:
        return ""
    for word in (*used, *words):
        if _same(_powers(words.get(word, word)), powers):
            return word
    return _text(powers)


def _words(system: Units) -> dict[str, str]:
    """Units with a word of their own, as products; an energy before a moment, which is the same product."""
    return {
        unit_names.energy_unit(system): unit_names.unit(system, mass=1, length=2, time=-2),
        unit_names.moment_unit(system): unit_names.unit(system, mass=1, length=2, time=-2),
        unit_names.force_unit(system): unit_names.unit(system, mass=1, length=1, time=-2),
        unit_names.power_unit(system): unit_names.unit(system, mass=1, length=2, time=-3),
        unit_names.momentum_unit(system): unit_names.unit(system, mass=1, length=1, time=-1),
        unit_names.angular_momentum_unit(system): unit_names.unit(system, mass=1, length=2, time=-1),
    }


def _same(one: _Powers | None, other: _Powers) -> bool:
    return one is not None and all(one.get(symbol, 0) == other.get(symbol, 0) for symbol in {**one, **other})


def _powers(unit: str) -> _Powers | None:
    """Of a unit as "kg m2/(s3 rad)"."""
    found: _Powers = {}
    above, _, below = _BELOW.sub(r"/\1", unit).partition("/")
    for text, sign in ((above, 1), (below, -1)):
        if _FACTOR.sub("", text).strip() not in ("", "1"):
            return None
        for symbol, power in _FACTOR.findall(text):
            found[symbol] = found.get(symbol, Fraction(0)) + sign * int(power or 1)
    return found


def _of_one(step: Step, operand: _Operand) -> _Powers | None:
    if step.opcode in _KEEP or operand.powers is None:
        return operand.powers
    return _times(operand.powers, Fraction(1, 2)) if step.opcode == code.SQRT else {}


def _of_two(step: Step, left: _Operand, right: _Operand) -> _Powers | None:
    if step.opcode in code.CONDITIONS:
        return {}
    if step.opcode in _NEED_THE_SAME:
        if left.number is not None or left.powers == right.powers:
            return right.powers
        return left.powers if right.number is not None else None
    if left.powers is None or right.powers is None:
        return None
    if step.opcode == code.POWER:
        if right.number is None:
            return None if left.powers else {}
        return _times(left.powers, Fraction(right.number).limit_denominator(12))
    other = right.powers if step.opcode == code.MULTIPLY else _times(right.powers, Fraction(-1))
    symbols = dict.fromkeys([*left.powers, *other])
    return {symbol: left.powers.get(symbol, Fraction(0)) + other.get(symbol, Fraction(0)) for symbol in symbols}


def _times(powers: _Powers, factor: Fraction) -> _Powers:
    return {symbol: power * factor for symbol, power in powers.items()}


def _text(powers: _Powers) -> str:
    above = [_power(symbol, power) for symbol, power in powers.items() if power > 0]
    below = [_power(symbol, -power) for symbol, power in powers.items() if power < 0]
    under = f"/({' '.join(below)})" if len(below) > 1 else f"/{below[0]}" if below else ""
    return (" ".join(above) or "1") + under


def _power(symbol: str, power: Fraction) -> str:
    return symbol if power == 1 else f"{symbol}{power}" if power.denominator == 1 else f"{symbol}^({power})"
