"""Files that are written: none is replaced unasked, and each gets its name when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..files import OutputError


def refuse_existing(paths: Sequence[Path], *, force: bool) -> None:
    """Refuse what is there already, all of it at once.

    Raises
    ------
    OutputError
        with the names
    """
    existing = [str(path) for path in paths if os.path.lexists(path)]
    if existing and not force:
        names = ", ".join(existing[:5]) + (f" and {len(existing) - 5} more" if len(existing) > 5 else "")
        raise OutputError(f"{names} already there; --force overwrites, -o NAME writes elsewhere")
    folders = [str(path) for path in paths if path.is_dir()]
    if folders:
        raise OutputError(f"{folders[0]} is a folder and cannot be replaced by a file; -o NAME writes elsewhere")


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A name to write to, beside the file; what was written gets the name of the file at the end, or vanishes.

    Raises
    ------
    OutputError
        it cannot be written
    """
    part = path.with_name(f".{path.stem}.part-{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        os.replace(part, path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()
