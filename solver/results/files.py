"""Where results go: the files of a run, and what keeps two runs from writing the same ones."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: two runs are not kept apart there
    fcntl = None  # type: ignore[assignment]


class OutputError(Exception):
    """Results cannot go where they were asked to go; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class ResultPaths:
    """The two files of a run: NAME.h5 and NAME.out."""

    history: Path
    listing: Path


def result_paths(run_name: str, output: str | None) -> ResultPaths:
    """Files of a run: beside where the user stands, or at `output`, a directory or a name with or without .h5.

    A directory is one that exists or a text that ends with a slash.
    """
    if output is None:
        base = Path(run_name)
    elif output.endswith("/") or Path(output).is_dir():
        base = Path(output) / run_name
    else:
        base = Path(output.removesuffix(".h5").removesuffix(".out"))
    return ResultPaths(history=base.with_name(base.name + ".h5"), listing=base.with_name(base.name + ".out"))


def lock(descriptor: int) -> bool:
    """Mark an open listing as being written, until its process ends; False where another process has done so."""
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks
    return True


def refuse_running(paths: ResultPaths) -> None:
    """Refuse to run where another run is writing its results.

    Raises
    ------
    OutputError
        with the name of what is being written
    """
    with suppress(OSError):
        descriptor = os.open(paths.listing, os.O_RDONLY)
        try:
            free = lock(descriptor)
        finally:
            os.close(descriptor)
        if not free:
            raise OutputError(f"{paths.history} is being written by another run; -o NAME writes elsewhere")


def refuse_existing(paths: ResultPaths, *, force: bool) -> None:
    """Refuse to run where there are results already, unless `force` allows to overwrite those of runs that ended.

    Raises
    ------
    OutputError
        with the names of what is there
    """
    refuse_running(paths)
    if force:
        return
    existing = [str(path) for path in (paths.history, paths.listing) if path.exists()]
    if existing:
        raise OutputError(f"{' and '.join(existing)} already there; --force overwrites, -o NAME writes elsewhere")


def make_room(paths: ResultPaths, *, force: bool) -> None:
    """Make the directory of the results; with `force` remove older results, else refuse to touch them.

    Older files are unlinked, not emptied, so that a run or a reader that still has them open is not disturbed.

    Raises
    ------
    OutputError
        results exist already, or the place cannot be made
    """
    refuse_existing(paths, force=force)
    try:
        paths.history.parent.mkdir(parents=True, exist_ok=True)
        paths.history.unlink(missing_ok=True)
        paths.listing.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write to {paths.history.parent}: {error.strerror}") from error
