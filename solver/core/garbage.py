"""How often Python looks for circles of garbage, which gsolve makes few of.

Python looks each 700 new objects: a tenth of a start and of a compilation, which leave none.  When a program ends it
looks through all objects again, several times.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS_BETWEEN_COLLECTIONS = 200_000  # a start makes some 120 000


def collect_rarely() -> None:
    """Let Python look seldom from now on; where it looks more seldom or never, that stays."""
    usual, *of_older = gc.get_threshold()
    if usual > 0:  # 0: never
        gc.set_threshold(max(usual, OBJECTS_BETWEEN_COLLECTIONS), *of_older)


def end_without_collection() -> None:
    """Let this program end without a look through all of its objects: a sixth of the time of a small run.

    Whatever else is done at the end, such as closing files and stopping processes, is registered later than this, hence
    done before.
    """
    atexit.register(gc.freeze)


def end_with_collection() -> None:
    """Take that back, for code of users: it may rely on Python to close files that are part of circles."""
    atexit.unregister(gc.freeze)


@contextmanager
def rare_collections() -> Iterator[None]:
    """`collect_rarely` within this, and as before after it."""
    before = gc.get_threshold()
    collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
