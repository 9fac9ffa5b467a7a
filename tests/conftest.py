"""What holds for the whole suite."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

# Where byte code is not kept, each of the some hundred processes that tests start compiles all modules of gsolve anew,
# half a second each.  Set before the workers of pytest-xdist start, which inherit it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# colorama is there with what the tests need: numba paints its errors then, also those that it drops while it compiles.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

# The matrices of machines are small: threads of BLAS wait for each other at them, which takes five times the processor
# time of one alone, and more where other workers have the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# What takes long, to be begun at once by workers that take a file each: one makes most of the machine code meanwhile,
# and the others need none of it, so that they need not wait for each other.
FIRST = (
    "physics/test_example_decks.py", "test_developing.py", "test_static_checks.py", "solver/run/test_first_runs.py",
    "physics/test_generated_machines.py",
)  # fmt: skip


# Python looks for circles of garbage each 700 new objects: a tenth of all where there are millions, most of them syntax
# and machine code.
gc.set_threshold(100_000, 50, 100)


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist take files as they come here; by itself it begins with those that have most tests."""
    config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each worker import modules from another one on: pytest compiles those that it has not kept, and keeps them.

    Workers that import them in the same order all compile all of them.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    modules = sorted(Path(__file__).parent.rglob("test_*.py"))
    first = int(worker["workerid"].removeprefix("gw")) * len(modules) // int(worker["workercount"])
    for path in modules[first:] if first else []:
        sys.path.insert(0, str(path.parent))
        with suppress(Exception, pytest.skip.Exception):  # pytest comes to it and says what is wrong
            importlib.import_module(path.stem)
        sys.path.remove(str(path.parent))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long is begun first, then what has many tests; those of a file stay together and in their order."""
    ranks = {Path(__file__).parent / name: rank for rank, name in enumerate(FIRST)}
    counts = Counter(item.path for item in items)
    items.sort(key=lambda item: (ranks.get(item.path, len(FIRST)), -counts[item.path], str(item.path)))
