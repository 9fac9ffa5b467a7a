"""Where results go: the files of a run, and what keeps two runs from writing the same ones."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType

from ..core.known import Known

try:
    import fcntl
except ImportError:  # Windows: two runs are not kept apart there
    fcntl = None  # type: ignore[assignment]

MOST_BYTES = 100  # of the name of a result in those of files that stand beside it for a while


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

    Raises
    ------
    OutputError
        `output` is a suffix without a name
    """
    if output is None:
        base = Path(run_name)
    elif output.endswith("/") or os.path.isdir(output):
        base = Path(output) / run_name
    else:
        if Path(output).name in ("", ".h5", ".out"):
            raise OutputError(f"-o {output}: a name is missing; give a directory, or a name as in run.h5")
        base = Path(output.removesuffix(".h5").removesuffix(".out"))
    return ResultPaths(history=base.with_name(base.name + ".h5"), listing=base.with_name(base.name + ".out"))


def identity_of(found: os.stat_result) -> tuple[int, int]:
    """Device and number of a file: another one that takes its name has others."""
    return found.st_dev, found.st_ino


def is_open_at(descriptor: int, path: Path) -> bool:
    """Whether a path names the very file that is open: not where it was removed, moved away or replaced."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False


_MADE_BY_GSOLVE = Known[None](64)  # stamps of results that this process has seen, or made


class Lock:
    """A file that one process at a time holds, until it lets go or dies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    def take(self) -> bool:
        """Whether the file is held now; raises OSError where it cannot be made."""
        self._descriptor = _lock(self.path)
        return self._descriptor >= 0

    def release(self) -> None:
        """Let go; the file goes while it is still held, so that nobody else loses it."""
        with suppress(OSError):
            if os.fstat(self._descriptor).st_size == 0 and is_open_at(self._descriptor, self.path):
                self.path.unlink()
        with suppress(OSError):
            os.close(self._descriptor)


class ResultPlace:
    """The place of a run's results, kept for this run alone from `with` on until its end or the death of its process.

    Nothing is written over that the run reads, whatever name leads to it, nor what gsolve did not make.

    Parameters
    ----------
    paths : the files to write
    inputs : names of the files that the run reads
    force : whether results of earlier runs may be replaced
    """

    def __init__(self, paths: ResultPaths, inputs: Iterable[str], *, force: bool) -> None:
        self.paths = paths
        self._inputs, self._force = list(inputs), force
        self._lock = Lock(lock_path(paths.history))
        self.lost: list[Path] = []  # files of the run whose places others have taken, or nobody

    def __enter__(self) -> ResultPlace:
        """Keep the place.

        Raises
        ------
        OutputError
            there is something that must not be replaced, another run writes here, or nobody can
        """
        self._refuse_inputs()
        try:
            self.paths.history.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot write to {self.paths.history.parent}: {error.strerror}; -o NAME writes elsewhere"
            ) from error
        try:
            for path in (self.paths.listing, self.paths.history):
                with suppress(FileNotFoundError):
                    os.lstat(path)  # some names no file can have, as those that are too long
            is_free = self._lock.take()
        except OSError as error:
            raise OutputError(f"cannot create {path}: {error.strerror}; -o NAME writes elsewhere") from error
        if not is_free:
            raise OutputError(f"{self.paths.history} is being written by another run; -o NAME writes elsewhere")
        try:
            self.refuse_existing()
            remove_parts([self.paths.history, self.paths.listing], self._inputs)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:  # what is there now was made by this run
            for path in self._existing():
                if path not in self.lost:
                    _MADE_BY_GSOLVE.get(_stamp(path), lambda: None)
        self._lock.release()

    def _existing(self) -> list[Path]:
        return [path for path in (self.paths.history, self.paths.listing) if os.path.lexists(path)]

    def refuse_existing(self) -> None:
        """Refuse to go on where files are in the way that must not be replaced.

        Raises
        ------
        OutputError
            with the names of what is there
        """
        self._refuse_inputs()
        existing = self._existing()
        if existing and not self._force:
            names = " and ".join(map(str, existing))
            raise OutputError(f"{names} already there; --force overwrites, -o NAME writes elsewhere")
        for path in existing:
            _MADE_BY_GSOLVE.get(_stamp(path), partial(_refuse_others, path))

    def _refuse_inputs(self) -> None:
        for path in (self.paths.history, self.paths.listing, self._lock.path):
            for name in self._inputs:
                if _is_same(path, name):
                    raise OutputError(
                        f"{path} is a file that this run reads ({name}), and its results would go there: "
                        f"-o NAME writes elsewhere"
                    )


def lock_path(history: Path) -> Path:
    """The file that keeps two runs, or two studies, from writing one file of results."""
    return history.with_name(f".{_shortened(history.stem)}.gsolve-lock")


def part_of(path: Path) -> Path:
    """Where a result file is made, before `os.replace` puts it in its place as a whole."""
    return path.with_name(f"{_part_prefix(path)}{os.getpid()}")


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """Where to make a file that takes the place of `path` as a whole at the end; nothing is left where it fails."""
    part = part_of(path)
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def remove_parts(paths: Iterable[Path], inputs: Iterable[str] = ()) -> None:
    """Remove the beginnings of files that were left where gsolve was killed while it made them; never an input."""
    kept = list(inputs)
    for path in paths:
        for part in path.parent.glob(f"{glob.escape(_part_prefix(path))}*"):
            if not any(_is_same(part, name) for name in kept):
                with suppress(OSError):
                    part.unlink()


def made_by_gsolve(path: Path) -> bool:
    """Whether a file is a history, a listing or a page of gsolve by what is in it; an empty one has nothing to lose."""
    if not path.is_file():
        return False
    try:
        if path.suffix == ".h5":
            import h5py

            with h5py.File(path, locking=False) as file:
                return "gsolve_version" in file.attrs
        with open(path, "rb") as listing:
            beginning = listing.read(64)
    except (OSError, RuntimeError):
        return False
    return not beginning or re.match(rb"(<!doctype html>\n<!-- )?gsolve \d+\.\d", beginning) is not None


def _refuse_others(path: Path) -> None:
    """Raises OutputError where a file is no result of gsolve."""
    if not made_by_gsolve(path):
        raise OutputError(
            f"{path} was not made by gsolve, or is damaged, and --force replaces results of gsolve only: "
            f"move it away, or write elsewhere with -o NAME"
        )


def _stamp(path: Path) -> tuple[int, ...]:
    """What changes when a file is written or replaced; nothing where there is none any more."""
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return *identity_of(found), found.st_size, found.st_mtime_ns


def _part_prefix(path: Path) -> str:
    return f".{_shortened(path.name)}.gsolve-part-"


def _shortened(name: str) -> str:
    """A name that leaves room for more in that of a file; a long one keeps its beginning, and what tells it apart."""
    content = os.fsencode(name)
    if len(content) <= MOST_BYTES:
        return name
    from hashlib import sha256

    return f"{content[:MOST_BYTES].decode(errors='ignore')}-{sha256(content).hexdigest()[:16]}"


def _lock(path: Path) -> int:
    """A descriptor that holds the lock of a file, made if need be; -1 where another process holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        if fcntl is None:
            return descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return -1
        except OSError:
            return descriptor  # a file system without locks
        if is_open_at(descriptor, path):
            return descriptor
        os.close(descriptor)  # it was removed by a run that ended meanwhile


def _is_same(path: Path, name: str) -> bool:
    """Whether two names lead to one file: by links, in other words or in other case."""
    try:
        return os.path.samefile(path, name)
    except OSError:
        return False  # one of them does not exist
