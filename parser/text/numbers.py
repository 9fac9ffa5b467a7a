"""Numbers as decks write them."""

from __future__ import annotations

import re
import sys

_REAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eEdD]([+-]?[0-9]+)|([+-][0-9]+))?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
MAXIMUM_DIGITS = 10
MOST_DIGITS_READ = 1000  # Python refuses 4300


def parse_integer(text: str) -> int | None:
    """The integer a cell holds; None if it holds something else. Of many digits, which no field takes, the first."""
    return int(text[:MOST_DIGITS_READ]) if _INTEGER.fullmatch(text) else None


def parse_real(text: str) -> float | None:
    """The real a cell holds: 1.5, 1.5E-3, 1.5D-3, 1.5-3 (sign-only exponent), 15; None if it is none of them."""
    match = _REAL.fullmatch(text)
    if match is None:
        return None
    exponent = match[2] or match[3]
    return float(f"{match[1]}e{exponent}") if exponent else float(match[1])


def is_number(text: str) -> bool:
    """Whether the text is one number and nothing else."""
    return _REAL.fullmatch(text) is not None


def is_finite_number(value: object) -> bool:
    """Whether a value that was read is a number that fits into a float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_zero(text: str) -> bool:
    """Whether the text is a zero, which may stand in unused columns."""
    return parse_real(text) == 0.0


def nearest(value: int, ids: list[int], count: int = 3) -> list[int]:
    """The ids nearest to `value`, in ascending order."""
    return sorted(sorted(ids, key=lambda other: (abs(other - value), other))[:count])


def nearest_ids(value: int, ids: list[int], what: str, block: str) -> str:
    """A hint with the ids nearest to one that is not there; what : they are of, block : what the deck lacks else."""
    return f"nearest {what} ids: {numbered_list(nearest(value, ids))}" if ids else f"the deck has no {block}"


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun: 1 step, 2 steps; many : of a noun that does more than take an s."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def numbered_list(values: list[int], limit: int = 5) -> str:
    """`1, 2, 3 and 7 more`."""
    shown = ", ".join(str(value) for value in values[:limit])
    rest = len(values) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown
