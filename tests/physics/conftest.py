"""Routines of users are compiled once for these tests in a worker: a run makes them anew, which takes a second each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

_known: dict[tuple[str, ...], Any] = {}


@pytest.fixture(autouse=True, scope="module")
def routines_compiled_once() -> Iterator[None]:
    """What is compiled depends on the text of a file alone, wherever it stands."""
    from gsolve.solver.run import routine_files
    from gsolve.solver.run.routine_compiler import NotCompiledError

    compiled_force = routine_files.compiled_force

    def compiled(path: str, function: Any, arguments: Sequence[str]) -> Any:
        key = (Path(path).read_text(), getattr(function, "__name__", ""), *arguments)
        if key not in _known:
            try:
                _known[key] = compiled_force(path, function, arguments)
            except NotCompiledError as error:
                _known[key] = error
        if isinstance(_known[key], NotCompiledError):
            raise _known[key]
        return _known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine_files, "compiled_force", compiled)
        yield
