"""The programs that benchmarks run side by side."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType


def installed_programs(prefix: str, names: Sequence[str]) -> dict[str, ModuleType]:
    """The modules `prefix`gsolve, `prefix`mujoco ... of the programs that are installed, by name."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(f"{prefix}{name.lower()}")
        except ImportError as error:
            print(f"{name} is left out ({error}): pip install gsolve[compare]")
    return found
