"""Where the machine code of kernels is kept, one file a kernel and signature.

A file is named after all that decides what is in it: the sources of the kernel's module and of all modules of gsolve
that this one imports, the signature, numba's version and settings, and the processor.  So nothing kept is ever wrong:
other versions of Python, numba or gsolve and other checkouts share the folder and do not touch each other's files, of
two runs that need the same at once one compiles it, and a folder that cannot be written is used as it is.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config

from .announcement import compiling
from .compilers import (
    declare_runtime,
    rebuilt,
    rebuilt_callback,
    rebuilt_entry,
    reduced,
    reduced_callback,
    reduced_entry,
)

try:
    import fcntl
except ImportError:  # Windows: processes that compile the same at once all do
    fcntl = None  # type: ignore[assignment]

PACKAGE = "gsolve"
UNUSED = 90 * 86400  # seconds after which a file that nobody reads is removed
LONGEST_TURN = 120.0  # seconds that a process waits for another one: no kernel takes longer
TURN_SECONDS = 0.05  # between two looks
DIGEST = hashlib.sha256().digest_size
SETTINGS = "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT"

# What is kept of what was compiled, and how it is made again of that, by variant
KEPT: dict[str, Callable[..., Any]] = {
    "nested": reduced,
    "c": reduced_callback,
    "python": reduced_entry,
}
MADE_AGAIN: dict[str, Callable[..., Any]] = {
    "nested": rebuilt,
    "c": rebuilt_callback,
    "python": rebuilt_entry,
}

# Names of files of machine code, whole or begun, and of their locks
_OURS = re.compile(r"(?:\.lock-)?[\w.]+-[0-9a-f]{32}|\.new-\w+")
# A statement of import after the end of a line, which is found three times as quickly as the start of one
_IMPORT = re.compile(r"\n[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\((?:[^)#]|#[^\n]*)*\)|[^\n#]+)")
_NAME = re.compile(r"#[^\n]*|\bas\s+\w+|(\w+)")  # a name that is imported, and what is none

# What is worth a line to the user: a damaged file, a folder that cannot be used.  The run prints and empties it.
messages: list[str] = []


def taken_messages() -> list[str]:
    """What is to be said, each time once."""
    taken, messages[:] = messages[:], []
    return taken


def folder() -> Path:
    """$GSOLVE_CACHE_DIR, else gsolve/ in $XDG_CACHE_HOME, else in ~/.cache."""
    chosen = os.environ.get("GSOLVE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / PACKAGE


# ---- what machine code depends on ----------------------------------------------------------------------------


@cache
def digest_of_sources(module: str) -> bytes:
    """Of a module's source and of those of all modules of gsolve that it imports, directly or not."""
    seen, waiting = dict[str, bytes](), [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        found = _source_and_imports(name)
        if found is not None:
            seen[name], imports = found
            waiting += imports
    return hashlib.sha256(b"".join(name.encode() + b"\0" + seen[name] for name in sorted(seen))).digest()


@cache
def _source_and_imports(module: str) -> tuple[bytes, list[str]] | None:
    """Digest and imports, found once, as kernels of many modules depend on it; None for what is no module of gsolve."""
    path = _path_of(module)
    if path is None:
        return None
    source = Path(path).read_bytes()
    return hashlib.sha256(source).digest(), _imports(module, path, source.decode())


def _imports(module: str, path: str, source: str) -> list[str]:
    """Names that may be modules of gsolve among what a module imports."""
    package = module if os.path.basename(path) == "__init__.py" else module.rpartition(".")[0]
    found = []
    for base, names in _IMPORT.findall("\n" + source):
        level = len(base) - len(base.lstrip("."))
        parts = package.split(".")[: len(package.split(".")) - level + 1] if level else []
        origin = ".".join([*parts, *([base.lstrip(".")] if base.lstrip(".") else [])])
        if origin.split(".")[0] == PACKAGE:
            found.append(origin)
            if os.path.basename(_path_of(origin) or "__init__.py") == "__init__.py":  # no module is in one that is none
                found += [f"{origin}.{name}" for name in _NAME.findall(names) if name]
    return found


def _path_of(module: str) -> str | None:
    """Source of a module, None for what is none; no module is imported to find out."""
    side = ".".join(module.split(".")[:2]) if module.split(".")[0] == PACKAGE else module
    package = sys.modules.get(side)
    if package is None or package.__file__ is None:
        return None
    if side == module and os.path.basename(package.__file__) != "__init__.py":
        return package.__file__  # a kernel of somebody else
    return _modules_below(side, os.path.dirname(package.__file__)).get(module)


@cache
def _modules_below(package: str, folder: str) -> dict[str, str]:
    """Sources of a package and of all that is in it, by names of modules."""
    found, waiting = {}, [(package, folder)]
    while waiting:
        name, at = waiting.pop()
        with os.scandir(at) as entries:
            for entry in entries:
                stem, extension = os.path.splitext(entry.name)
                if entry.name == "__init__.py":
                    found[name] = entry.path
                elif extension == ".py":
                    found[f"{name}.{stem}"] = entry.path
                elif entry.name.isidentifier() and entry.is_dir():
                    waiting.append((f"{name}.{entry.name}", entry.path))
    return found


def settings() -> tuple[Any, ...]:
    """What the user may set numba to, by NUMBA_OPT or a file, that changes machine code."""
    return tuple(getattr(config, name) for name in SETTINGS)


# ---- files ---------------------------------------------------------------------------------------------------


class MachineCode:
    """What numba asks for the machine code of one function, in place of its own cache.

    variant : "nested" if only other functions contain it, "python" or "c" by what is compiled to call it
    """

    def __init__(self, function: Callable[..., Any], variant: str) -> None:
        self._function, self._variant = function, variant

    def path(self, signature: Any, codegen: Any) -> Path:
        """The file for a signature."""
        function = self._function
        parts = (
            numba.__version__, sys.version, codegen.magic_tuple(), settings(), self._variant, function.__qualname__,
            function.__code__.co_firstlineno, str(signature), digest_of_sources(function.__module__),
        )  # fmt: skip
        key = hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
        return folder() / f"{function.__module__.removeprefix(PACKAGE + '.')}.{function.__name__}-{key}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function, or None where there is none, or none that can be read."""
        path = self.path(signature, target_context.codegen())
        content = _content_of(path)
        if content is None:
            compiling()
            _turns.take(path)
            content = _content_of(path)  # of another process, which has made it meanwhile
            if content is None:
                return None
            _turns.give_back(path)
        declare_runtime()
        if hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
            messages.append(f"machine code in {path} is damaged: it is made anew")
            compiling()
            return None
        _note_use(path)
        return MADE_AGAIN[self._variant](target_context, *pickle.loads(content[DIGEST:]))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled function; where that is not possible, say so once."""
        if compiled.library.has_dynamic_globals:
            raise AssertionError(f"{self._function.__qualname__} holds an address of this process: it cannot be kept")
        path = self.path(signature, compiled.codegen)
        payload = pickle.dumps(KEPT[self._variant](compiled))  # numba's own pickles take three times as long
        try:
            _remove_unused(path.parent)
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(payload).digest() + payload)
                os.chmod(name, 0o644)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            _say_once(f"machine code cannot be kept in {path.parent} ({error.strerror}): runs compile it anew; "
                      f"GSOLVE_CACHE_DIR names another folder")  # fmt: skip
        finally:
            _turns.give_back(path)


def _content_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


class _Turns:
    """Of processes that would compile the same at once one does; the others wait for what it makes.

    A process holds the turn of a kernel from the time it misses it until it has kept it, and meanwhile takes those of
    the kernels that it calls.  No kernel calls itself, so that two processes never wait for each other.  A turn ends
    with its process, however that ends; where there are no locks all processes compile.
    """

    def __init__(self) -> None:
        self._held: dict[Path, int] = {}

    def take(self, path: Path) -> None:
        """Wait until no other process compiles what belongs into a file."""
        if fcntl is None or path in self._held:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return  # a folder that cannot be written
        end = time.monotonic() + LONGEST_TURN
        while time.monotonic() < end:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._held[path] = handle
                return
            except BlockingIOError:
                time.sleep(TURN_SECONDS)
            except OSError:
                break  # a file system without locks
        os.close(handle)

    def give_back(self, path: Path) -> None:
        """Let others go on; who waits for the file of the lock that is removed finds the machine code."""
        handle = self._held.pop(path, None)
        if handle is not None:
            with suppress(OSError):
                os.unlink(_lock_of(path))
            os.close(handle)


_turns = _Turns()


def _lock_of(path: Path) -> Path:
    return path.with_name(f".lock-{path.name}")


@cache
def _say_once(message: str) -> None:
    messages.append(message)


def _note_use(path: Path) -> None:
    """Let a file be known as used, where that is allowed."""
    try:
        if time.time() - path.stat().st_mtime > UNUSED / 90:
            os.utime(path)
    except OSError:
        pass  # the folder cannot be written


@cache
def _remove_unused(place: Path) -> None:
    """Once a process that compiles: remove machine code that nobody has read for long, and no file of anybody else."""
    if not place.is_dir():
        return
    for path in place.iterdir():
        if not _OURS.fullmatch(path.name):
            continue
        try:
            if time.time() - path.stat().st_mtime > UNUSED:
                path.unlink()
        except OSError:
            continue  # removed by another run, or not ours to remove
