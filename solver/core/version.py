"""The version of gsolve."""

from functools import cache
from importlib import metadata


@cache
def version() -> str:
    """Of gsolve; looked up once, as it is read from files."""
    return metadata.version("gsolve")
