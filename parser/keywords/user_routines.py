"""Routines that a deck names: the file and the function are looked for, and nothing of them is run."""

from __future__ import annotations

import ast
import difflib
import os
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Values, blank_or_real, card, integer, text
from ..model import UserRoutine
from ..text.files import similar_file
from ..text.source import OUT_OF_REACH

_LIBRARIES = (".so", ".dll", ".dylib")
_ALLOWED = "a Python file (.py) or a shared library (.so, .dll, .dylib)"
_PARAMETERS_A_LINE = 5


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a routine is for.

    function : its name where the deck gives none, as in MotionSolve
    arguments : what a Python function is called with
    functions : of MotionSolve, that a Python function may call
    suffix : end of the names of the fields on the cards
    """

    what: str
    function: str
    arguments: tuple[str, ...]
    functions: tuple[str, ...]
    suffix: str = ""

    @property
    def field(self) -> str:
        """The field that names file and function."""
        return f"routine{self.suffix}"


NORMAL_FORCE = Purpose(
    "normal force",
    "CNFSUB",
    ("id", "time", "par", "npar", "loci", "ni", "locj", "nj", "gap", "gapdot", "gapdotdot", "dflag", "iflag"),
    ("py_impact", "py_step"),
)
FRICTION_FORCE = Purpose(
    "friction force",
    "CFFSUB",
    ("id", "time", "par", "npar", "loci", "locj", "x", "xdot", "nforce", "dflag", "iflag"),
    ("py_impact", "py_step"),
    "_f",
)
CONTACT_RESULTS = Purpose(
    "results of a contact",
    "CONTACTPOST",
    ("id", "i_gra_id", "j_gra_id", "time", "par", "npar", "iflag", "endflg"),
    ("py_get_contact_post", "py_get_ncontacts", "py_impact", "py_step"),
)


def routine_cards(purpose: Purpose, *, only_if: str = "", only_for: tuple[int, ...] = ()) -> tuple[Card, ...]:
    """The cards that name a routine and give it parameters."""
    suffix = purpose.suffix
    there = {"only_if": only_if, "only_for": only_for}
    meaning = f"file, relative to the deck, and function (default {purpose.function}), separated by a blank or a comma"
    names = [f"par{k + 1}{suffix}" for k in range(_PARAMETERS_A_LINE)]
    values = [blank_or_real(name, 1 + 20 * k, "parameter, handed over as written") for k, name in enumerate(names)]
    return (
        card(text(purpose.field, 1, 100, meaning, required=True), **there),
        card(integer(f"n_par{suffix}", 1, "number of parameters", minimum=0), optional=True, **there),
        card(*values, count=f"n_par{suffix}", **there),
    )


def read_routine(block: Block, values: Values, context: Context, purpose: Purpose) -> UserRoutine | None:
    """The routine that the cards of a purpose name; None after an error."""
    file, function = _split(values[purpose.field], purpose)
    path = os.path.join(os.path.dirname(block.file), file)
    kind = _kind_of(block, context, purpose, file)
    if kind is None or not _exists(block, context, purpose, file, path):
        return None
    if kind == "PYTHON" and not _has_function(block, context, purpose, path, function):
        return None
    listed = values[f"par1{purpose.suffix}"]
    parameters = np.array(listed if isinstance(listed, list) else [], dtype=np.float64)
    return UserRoutine(kind, path, function, parameters, block, purpose.field)


def _split(line: str, purpose: Purpose) -> tuple[str, str]:
    """File and function of a card; the name of a file may hold blanks."""
    if "," in line:
        file, _, function = (part.strip() for part in line.rpartition(","))
        return file, function or purpose.function
    file, _, function = line.rpartition(" ")
    if not file or os.path.splitext(function)[1]:
        return line, purpose.function
    return file.strip(), function


def _kind_of(block: Block, context: Context, purpose: Purpose, file: str) -> Literal["PYTHON", "LIBRARY"] | None:
    suffix = os.path.splitext(file)[1].lower()
    if suffix == ".py":
        return "PYTHON"
    if suffix in _LIBRARIES:
        return "LIBRARY"
    message, hint = f"{file} is neither Python nor a shared library", ""
    if suffix in (".m", ".mlx", ".p"):
        message = f"{file} is for the MATLAB interpreter, which is not available"
        hint = f"a Python function takes the same arguments: {', '.join(purpose.arguments)}"
    context.report(block.diagnose("error", message, field=purpose.field, allowed=_ALLOWED, hint=hint))
    return None


def _exists(block: Block, context: Context, purpose: Purpose, file: str, path: str) -> bool:
    if not context.source.may_name(path):
        message = f"the file {file} is out of reach"
        context.report(block.diagnose("error", message, field=purpose.field, hint=OUT_OF_REACH))
        return False
    if os.path.isfile(path):
        return True
    close = similar_file(path)
    hint = f"did you mean {close}?" if close else "the path is relative to the deck"
    context.report(block.diagnose("error", f"the file {file} does not exist", field=purpose.field, hint=hint))
    return False


def _has_function(block: Block, context: Context, purpose: Purpose, path: str, function: str) -> bool:
    """Whether a Python file defines the function, with the arguments it will be called with."""
    try:
        with open(path, "rb") as stream:
            module = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        message = f"{os.path.basename(path)}{line} is not Python: {what}"
        context.report(block.diagnose("error", message, field=purpose.field))
        return False
    definitions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    names = [*definitions, *_other_names(module)]
    if function not in names:
        message = f"{os.path.basename(path)} has no function {function}"
        close = difflib.get_close_matches(function, names, 1)
        hint = f"did you mean {close[0]}?" if close else ""
        allowed = ", ".join(definitions) or "a function defined in the file"
        context.report(block.diagnose("error", message, field=purpose.field, allowed=allowed, hint=hint))
        return False
    if function not in definitions:
        return True
    good = _takes_arguments(block, context, purpose, definitions[function])
    return _calls_what_is_there(block, context, purpose, path, module, definitions[function]) and good


def _other_names(module: ast.Module) -> list[str]:
    """Names that a file gets by assignment or import, but for those of MotionSolve."""
    names = []
    for node in module.body:
        if isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "msolve"):
            names += [alias.asname or alias.name for alias in node.names]
    return names


def _calls_what_is_there(
    block: Block, context: Context, purpose: Purpose, path: str, module: ast.Module, function: ast.FunctionDef
) -> bool:
    """Whether a function and those of its file that it calls use no function of MotionSolve that is not available."""
    definitions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    there = {*definitions, *_other_names(module), *purpose.functions}
    looked_at, missing = [function], dict[str, int]()
    for definition in looked_at:
        for node in ast.walk(definition):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            name = node.func.id
            if name.startswith("py_") and name not in there:
                missing.setdefault(name, node.lineno)
            elif name in definitions and definitions[name] not in looked_at:
                looked_at.append(definitions[name])
    for name, line in missing.items():
        message = f"{os.path.basename(path)}, line {line} calls {name} of MotionSolve, which is not available"
        context.report(block.diagnose("error", message, field=purpose.field, allowed=", ".join(purpose.functions)))
    return not missing


def _takes_arguments(block: Block, context: Context, purpose: Purpose, function: ast.FunctionDef) -> bool:
    """Whether a function can be called with the arguments of its purpose."""
    arguments = function.args
    most = len(arguments.posonlyargs) + len(arguments.args)
    least = most - len(arguments.defaults)
    count = len(purpose.arguments)
    if least <= count and (count <= most or arguments.vararg is not None):
        return True
    message = f"{function.name} takes {most} arguments, and a routine for the {purpose.what} is called with {count}"
    allowed = f"{function.name}({', '.join(purpose.arguments)})"
    context.report(block.diagnose("error", message, field=purpose.field, allowed=allowed))
    return False
