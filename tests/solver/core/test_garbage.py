"""How often Python looks for garbage."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest
from gsolve.solver.core.garbage import OBJECTS_BETWEEN_COLLECTIONS, collect_rarely, rare_collections


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_python_looks_seldom_and_as_before_afterwards() -> None:
    gc.set_threshold(700, 11, 12)
    with pytest.raises(ZeroDivisionError), rare_collections():
        assert gc.get_threshold()[0] == OBJECTS_BETWEEN_COLLECTIONS
        raise ZeroDivisionError
    assert gc.get_threshold()[0] == 700
    collect_rarely()
    assert gc.get_threshold()[:2] == (OBJECTS_BETWEEN_COLLECTIONS, 11)


@pytest.mark.parametrize("usual", [0, 10 * OBJECTS_BETWEEN_COLLECTIONS])
def test_who_looks_more_seldom_or_never_is_left_alone(usual: int) -> None:
    gc.set_threshold(usual)
    with rare_collections():
        assert gc.get_threshold()[0] == usual
    collect_rarely()
    assert gc.get_threshold()[0] == usual


# Tells before the end, and at it before and after all that was registered
AT_THE_END = """
import atexit, gc
from gsolve.solver.core.garbage import end_with_collection, end_without_collection
def tell():
    print(gc.get_freeze_count() > 1000)
atexit.register(tell)
end_without_collection()
atexit.register(tell)
tell()
"""


@pytest.mark.parametrize(("more", "at_last"), [("", "True"), ("end_with_collection()", "False")])
def test_a_program_ends_without_a_look_after_all_else_is_done_unless_it_ran_code_of_users(
    more: str, at_last: str
) -> None:
    done = subprocess.run([sys.executable, "-c", AT_THE_END + more], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", at_last]
