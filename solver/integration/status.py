"""How a step or a part of it ended."""

from __future__ import annotations

from ..core.jit.pointers import DIED

COMPLETED, DIVERGED, ROWS_NOT_MET, JUMP, NO_DISTANCE, NO_CAPACITY, NOT_HELD, AGAIN = range(1, 9)

__all__ = [
    "AGAIN", "COMPLETED", "DIED", "DIVERGED", "JUMP", "NOT_HELD", "NO_CAPACITY", "NO_DISTANCE", "ROWS_NOT_MET",
]  # fmt: skip
