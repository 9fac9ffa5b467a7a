"""Routines of users are compiled once for all tests of a worker: a run makes them anew, which takes a second each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True, scope="session")
def routines_compiled_once() -> Iterator[None]:
    """What is compiled depends on the text of a file alone, wherever it stands."""
    from gsolve.solver.run import routine_files
    from gsolve.solver.run.routine_compiler import NotCompiledError

    compiled_force, known = routine_files.compiled_force, dict[tuple[str, ...], Any]()

    def compiled(path: str, function: Any, arguments: Sequence[str]) -> Any:
        key = (Path(path).read_text(), getattr(function, "__name__", ""), *arguments)
        if key not in known:
            try:
                known[key] = compiled_force(path, function, arguments)
            except NotCompiledError as error:
                known[key] = error
        if isinstance(known[key], NotCompiledError):
            raise known[key]
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine_files, "compiled_force", compiled)
        yield
