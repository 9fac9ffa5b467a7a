"""What files hold, as one number: whether one is what it was."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("gsolve.parser", "gsolve.solver")


def digest_of_file(name: str | Path) -> str:
    """SHA-256; empty where the file cannot be read."""
    try:
        with open(name, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


@cache
def digest_of_gsolve() -> str:
    """SHA-256 of all sources of gsolve; importing none of them."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        found = find_spec(package)
        assert found is not None and found.submodule_search_locations
        folder = Path(found.submodule_search_locations[0])
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{package}/{path.relative_to(folder).as_posix()} {digest_of_file(path)}\n".encode())
    return digest.hexdigest()
