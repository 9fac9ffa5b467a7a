"""Python routines of users to machine code, where numba can do that.

A file needs no decorators.  Imports within functions are done beforehand, annotations are left out, and whole numbers
in lists, as in [0, 0, 0], become reals: numba would cut off what is put into such a list later.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numba import carray, cfunc, njit
from numba import types as nb
from numba.core.dispatcher import Dispatcher

from ..core.jit.kernels import CONTAINED
from .motionsolve import COMPILED, PLAIN

REAL_POINTER, WHOLE_POINTER, REALS = nb.CPointer(nb.float64), nb.CPointer(nb.int32), nb.Array(nb.float64, 1, "C")
# How an argument is handed over as a pointer, what a Python function gets, and how that is made of the pointer.
WHOLE = WHOLE_POINTER, nb.int64, "int64({0}[0])"
FLAG = WHOLE_POINTER, nb.boolean, "{0}[0] != 0"
REAL = REAL_POINTER, nb.float64, "{0}[0]"
VECTOR = REAL_POINTER, REALS, "carray({0}, 3)"
KINDS = {
    "id": WHOLE, "npar": WHOLE, "dflag": FLAG, "iflag": FLAG, "par": (REAL_POINTER, REALS, "carray(par, npar[0])"),
    "loci": VECTOR, "ni": VECTOR, "locj": VECTOR, "nj": VECTOR, "x": VECTOR, "xdot": VECTOR,
}  # fmt: skip


class NotCompiledError(Exception):
    """numba cannot compile a routine; the text says why."""


class _ForNumba(ast.NodeTransformer):
    """Takes imports and annotations out of functions, and makes whole numbers in lists real."""

    def __init__(self) -> None:
        self.imports: list[ast.stmt] = []

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        self.imports.append(node)
        return ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        self.imports.append(node)
        return ast.Pass()

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value is not None else ast.Pass()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        node.returns = None
        returns = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
        if all(isinstance(part.value, ast.List) for part in returns):
            for part in returns:  # a tuple needs no memory of its own
                assert isinstance(part.value, ast.List)
                part.value = ast.Tuple(part.value.elts, ast.Load())
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        for item in node.elts:
            if isinstance(item, ast.Constant) and type(item.value) is int:
                item.value = float(item.value)
        return node


def compiled_namespace(path: str, namespace: dict[str, Any]) -> dict[str, Any]:
    """The names of a file that was run, its functions such that numba will compile them when they are first called.

    Raises
    ------
    NotCompiledError
        an import within a function cannot be done beforehand
    """
    result = dict(namespace)
    result |= {name: function for name, function in COMPILED.items() if namespace.get(name) is PLAIN[name]}
    with open(path, "rb") as stream:
        module = ast.parse(stream.read())
    transformer = _ForNumba()
    functions = [
        transformer.visit(node) for node in module.body if isinstance(node, ast.FunctionDef) and not node.decorator_list
    ]
    code = ast.fix_missing_locations(ast.Module([*transformer.imports, *functions], []))
    try:
        exec(compile(code, path, "exec"), result)
    except Exception as error:
        raise NotCompiledError(f"{type(error).__name__}: {error}") from error
    for function in functions:
        result[function.name] = njit(boundscheck=True, **CONTAINED)(result[function.name])
    for alias, value in namespace.items():
        name = value.__name__ if isinstance(value, FunctionType) else ""
        if name and namespace.get(name) is value:
            result[alias] = result[name]
    return result


def compiled_force(path: str, function: Any, arguments: Sequence[str]) -> Any:
    """A routine for forces as a function of C, which is called with pointers and leaves NaN where it fails.

    Raises
    ------
    NotCompiledError
        numba cannot compile it
    """
    if not isinstance(function, Dispatcher):
        raise NotCompiledError("it is not a plain function")
    pointers, values, terms = zip(*(KINDS.get(name, REAL) for name in arguments), strict=True)
    try:
        function.compile(values)
        compiled: Any = function.overloads[values]
        refuse_whole_numbers(compiled.signature.return_type)
        names = {"attempt": attempt_of(function), "carray": carray, "int64": nb.int64}
        handed = ", ".join(term.format(name) for term, name in zip(terms, arguments, strict=True))
        exec(f"def routine({', '.join(arguments)}, result):\n    attempt(carray(result, 3), {handed})", names)
        return cfunc(nb.void(*pointers, REAL_POINTER))(names["routine"])
    except NotCompiledError:
        raise
    except Exception as error:  # numba's errors have many classes, some of them Python's
        raise NotCompiledError(reason_of(error, path)) from error


def attempt_of(function: Any) -> Any:
    """Calls a compiled function and keeps its three numbers, or NaN."""

    @njit(**CONTAINED)
    def attempt(result, *arguments):  # type: ignore[no-untyped-def]
        try:  # numba looks for an exception behind each statement in here
            force = function(*arguments)
        except Exception:
            result[0] = np.nan
            return
        if len(force) == 3:
            result[0], result[1], result[2] = force[0], force[1], force[2]
        else:
            result[0] = np.nan

    return attempt


def refuse_whole_numbers(returned: Any) -> None:
    """What is put into a list or array of whole numbers was cut off."""
    if isinstance(returned, (nb.List, nb.Array)) and isinstance(returned.dtype, nb.Integer):
        raise NotCompiledError("it returns whole numbers: write [0.0, 0.0, 0.0] for [0, 0, 0]")


def reason_of(error: Exception, path: str) -> str:
    """The line of the file that numba objects to, and why."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not re.match(r"Failed in |During:|File |- |<source|\^|def |raised from", line)]
    place = re.search(rf'{re.escape(os.path.basename(path))}(?:", line | \()(\d+)', text)
    reason = re.sub(r" Raised from .*", "", (said or lines or [type(error).__name__])[0])
    return f"line {place.group(1)}: {reason}" if place else reason
