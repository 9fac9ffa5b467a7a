"""Routines of users from Python files and shared libraries; importing this module runs nothing of theirs."""

from __future__ import annotations

import ctypes
import os
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any

from gsolve.parser.model import UserRoutine

from ..core.garbage import end_with_collection
from .motionsolve import PLAIN
from .routine_compiler import compiled_force, compiled_namespace


class RoutineError(Exception):
    """A routine cannot be had or called, or gave what it must not; the text is one line for the user."""


class RoutineFiles:
    """The files that a deck names, each run or opened once.

    functions : what Python files find beside those of `motionsolve`, by name
    """

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        self._functions = {**PLAIN, **functions}
        self._namespaces: dict[str, dict[str, Any]] = {}
        self._compiled: dict[str, dict[str, Any]] = {}
        self._forces: dict[tuple[str, ...], Any] = {}

    def namespace(self, path: str) -> dict[str, Any]:
        """The names that a Python file defines, after it was run.

        Raises
        ------
        RoutineError
            the file cannot be run
        """
        if path not in self._namespaces:
            namespace = {**self._functions, "__name__": os.path.splitext(os.path.basename(path))[0], "__file__": path}
            self._offer_msolve()
            end_with_collection()
            folder = os.path.dirname(os.path.abspath(path))
            if folder not in sys.path:  # a file may import what stands beside it, also later
                sys.path.insert(0, folder)
            try:
                with open(path, "rb") as stream:
                    code = compile(stream.read(), path, "exec")
                exec(code, namespace)
            except (Exception, SystemExit) as error:
                raise RoutineError(text_of_error(error, path)) from error
            self._namespaces[path] = namespace
        return self._namespaces[path]

    def compiled_force(self, routine: UserRoutine, arguments: Sequence[str]) -> Any:
        """A function of a Python file as one of C, compiled once for all interfaces that name it.

        Raises
        ------
        NotCompiledError
            numba cannot compile it
        """
        path, name = routine.file, routine.function
        key = (path, name, *arguments)
        if key not in self._forces:
            if path not in self._compiled:
                self._compiled[path] = compiled_namespace(path, self.namespace(path))
            self._forces[key] = compiled_force(path, self._compiled[path][name], arguments)
        return self._forces[key]

    def _offer_msolve(self) -> None:
        """`from msolve import *` gives what is there anyway."""
        module = types.ModuleType("msolve")
        module.__dict__.update(self._functions)
        sys.modules["msolve"] = module

    def python_function(self, routine: UserRoutine) -> Callable[..., Any]:
        """A function of a Python file.

        Raises
        ------
        RoutineError
            the file cannot be run, or has no such function
        """
        function = self.namespace(routine.file).get(routine.function)
        if not callable(function):
            raise RoutineError(f"{os.path.basename(routine.file)} has no function {routine.function}")
        return function  # type: ignore[no-any-return]

    @staticmethod
    def library_function(routine: UserRoutine, n_arguments: int) -> Any:
        """A function of a shared library, called with pointers.

        Raises
        ------
        RoutineError
            the library cannot be opened, or has no such function
        """
        name = os.path.basename(routine.file)
        try:
            library = ctypes.CDLL(os.path.abspath(routine.file))
        except OSError as error:
            raise RoutineError(f"{name} cannot be opened: {error}") from error
        try:
            function = getattr(library, routine.function)
        except AttributeError:
            raise RoutineError(f"{name} has no function {routine.function} that can be seen from outside") from None
        function.argtypes, function.restype = [ctypes.c_void_p] * n_arguments, None
        return function


def text_of_error(error: BaseException, path: str) -> str:
    """An exception with the last line of the file at which it happened."""
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if os.path.abspath(f.filename) == os.path.abspath(path)
    ]
    place = os.path.basename(path)
    if frames:
        place += f", line {frames[-1].lineno}"
        if frames[-1].name != "<module>":
            place += f", in {frames[-1].name}"
    text = str(error).strip().splitlines()
    return f"{place}: {type(error).__name__}{f': {text[0]}' if text else ''}"


def three_numbers(values: Any) -> tuple[float, float, float]:
    """What a routine returned, as a force.

    Raises
    ------
    RoutineError
        it is no three numbers
    """
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 3:
        raise RoutineError(f"returned {short_text(values)} in place of three numbers")
    return numbers[0], numbers[1], numbers[2]


def short_text(value: Any) -> str:
    """A value on one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as Python, where its file has numba compile it."""
    return getattr(function, "py_func", function)


def place_of(routine: UserRoutine) -> str:
    """Function and file, for messages."""
    return f"{routine.function} in {os.path.basename(routine.file)}"


def pointer_function(function: Callable[..., None], n_arguments: int) -> Any:
    """A Python function as one of C that takes so many pointers; it must be kept as long as it may be called."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(function)


def address_of(function: Any) -> int:
    """Where a function of C starts."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
