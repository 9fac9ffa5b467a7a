"""How a step or a part of it ended."""

from __future__ import annotations

from ..core.jit.pointers import DIED

COMPLETED, DIVERGED, ROWS_NOT_MET, JUMP, NO_DISTANCE, NO_CAPACITY, NOT_HELD, INACCURATE, AGAIN, TOO_SHORT = range(1, 11)

__all__ = [
    "AGAIN", "COMPLETED", "DIED", "DIVERGED", "INACCURATE", "JUMP", "NOT_HELD", "NO_CAPACITY", "NO_DISTANCE",
    "ROWS_NOT_MET", "TOO_SHORT",
]  # fmt: skip
