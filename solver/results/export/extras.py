"""Packages that only some exports need."""

from __future__ import annotations

from typing import Any

from ..files import OutputError
from ..frames import package


def extra(name: str, what: str) -> Any:
    """A module of the extra `export`.

    Raises
    ------
    OutputError
        it is not installed; with the command that installs it
    """
    try:
        return package(name)
    except ImportError as error:
        missing = name.partition(".")[0]
        raise OutputError(f"{what} needs {missing}, which is not installed: pip install 'gsolve[export]'") from error
