"""Something to say before the first kernel is compiled, as that takes a while; imports nothing."""

from __future__ import annotations

from collections.abc import Callable

_waiting: list[Callable[[], None]] = []


def before_compiling(say: Callable[[], None] | None) -> None:
    """Call that once, before the next kernel that is not on disk is compiled; None: nothing any more."""
    _waiting[:] = [] if say is None else [say]


def compiling() -> None:
    """A kernel is about to be compiled."""
    if _waiting:
        _waiting.pop()()
