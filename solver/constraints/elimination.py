"""Which angles are independent: linear relations B phi = 0 solved by sparse elimination, phi = C u.

Numbers are decimal ones of forty digits: what the coefficients are off by shows nowhere, at any number of turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal

DIGITS = Context(prec=40)
LARGE = Decimal("0.1")  # a pivot is at least that fraction of the largest coefficient: of those the one of fewest users
NO_RELATION, CERTAIN = Decimal("1e-14"), Decimal("1e-4")  # what is left of a dependent relation; of an independent one

Expression = dict[int, Decimal]


class Ambiguous(Exception):
    """A relation that follows from others but for rounding, or nearly so."""


@dataclass(frozen=True, slots=True)
class Elimination:
    """Every angle as a combination of independent ones.

    independent : keys of those, in their order; angles : of each key its coefficients by place in `independent`
    """

    independent: list[int]
    angles: dict[int, dict[int, Decimal]]


def eliminate(keys: Iterable[int], relations: Iterable[Mapping[int, float]]) -> Elimination:
    """Solve relations between angles, sum of coefficient * angle = 0 each; dependent ones are met by the others.

    Raises
    ------
    Ambiguous
        it depends on rounding whether a relation follows from others
    """
    angles: dict[int, Expression] = {key: {key: Decimal(1)} for key in keys}
    users: dict[int, set[int]] = {key: {key} for key in angles}
    for relation in relations:
        rest, size = _substituted(relation, angles)
        largest = max((abs(c) for c in rest.values()), default=Decimal(0))
        if largest <= NO_RELATION * size:
            continue
        if largest < CERTAIN * size:
            raise Ambiguous
        large = [key for key, c in rest.items() if abs(c) >= LARGE * largest]
        pivot = min(large, key=lambda key: (len(users[key]), key))
        solution = {key: DIGITS.divide(-c, rest[pivot]) for key, c in rest.items() if key != pivot}
        for key in users.pop(pivot):
            factor = angles[key].pop(pivot)
            _add(angles[key], solution, factor)
            for other in solution:
                users[other].add(key)
    independent = sorted(users)
    scale = {key: max(abs(angles[user].get(key, Decimal(0))) for user in users[key]) for key in independent}
    place = {key: k for k, key in enumerate(independent)}
    scaled = {
        key: {place[u]: DIGITS.divide(c, scale[u]) for u, c in sorted(expression.items()) if c != 0}
        for key, expression in angles.items()
    }
    return Elimination(independent, scaled)


def _substituted(relation: Mapping[int, float], angles: Mapping[int, Expression]) -> tuple[Expression, Decimal]:
    """A relation in independent angles, and the size of its terms before they cancel."""
    rest: Expression = {}
    size = Decimal(0)
    for key, coefficient in relation.items():
        factor = Decimal(coefficient)
        _add(rest, angles[key], factor)
        size = max(size, *(abs(factor * c) for c in angles[key].values()), Decimal(0))
    return {key: c for key, c in rest.items() if c != 0}, size


def _add(to: Expression, expression: Mapping[int, Decimal], factor: Decimal) -> None:
    """to += factor * expression."""
    for key, c in expression.items():
        to[key] = DIGITS.add(to.get(key, Decimal(0)), DIGITS.multiply(factor, c))


def combined(angles: Iterable[tuple[Mapping[int, Decimal], float]]) -> dict[int, Decimal]:
    """A sum of expressions, each with its factor."""
    total: Expression = {}
    for expression, factor in angles:
        _add(total, expression, Decimal(factor))
    return {key: c for key, c in sorted(total.items()) if c != 0}


def in_parts(value: Decimal) -> tuple[float, float, float]:
    """A number as the sum of three: 26 leading bits, the rest of a double, and what is beyond."""
    whole = float(value)
    high = whole * 134217729.0  # 2^27 + 1: Veltkamp's splitting
    high -= high - whole
    return high, whole - high, float(DIGITS.subtract(value, Decimal(whole)))
