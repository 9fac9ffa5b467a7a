"""Typed model to results.

Importing this package decides where numba keeps the machine code of the kernels: one folder for each state of the
sources, so that an edited or upgraded kernel is never mixed with old ones (numba looks at the file of a function, not
at those of the functions it calls).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from pathlib import Path


def _sources_digest(folder: Path) -> str:
    """Of all files at any depth; a folder without any is a mistake, which would keep stale machine code."""
    digest, paths = hashlib.sha256(sys.version.encode()), sorted(folder.rglob("*.py"))
    assert paths, f"no sources in {folder}"
    for path in paths:
        digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _prepare_machine_code_folder() -> Path | None:
    """Folder of this state of the sources, made if need be; None where there is no place to keep it."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return None
    here = Path(__file__).resolve().parent
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    of_installation = home / "gsolve" / hashlib.sha256(str(here).encode()).hexdigest()[:8]
    folder = of_installation / _sources_digest(here)
    try:
        if not folder.is_dir():
            shutil.rmtree(of_installation, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


MACHINE_CODE_FOLDER = _prepare_machine_code_folder()


def has_machine_code(variant: str) -> bool:
    """Whether the kernels for this kind of deck have been compiled and kept; True where nothing can be kept."""
    return MACHINE_CODE_FOLDER is None or (MACHINE_CODE_FOLDER / variant).exists()


def note_machine_code(variant: str) -> None:
    """Remember that the kernels for this kind of deck are compiled."""
    if MACHINE_CODE_FOLDER is not None:
        # a courtesy: without the note the next run announces a compilation that does not come
        with contextlib.suppress(OSError):
            (MACHINE_CODE_FOLDER / variant).touch()
