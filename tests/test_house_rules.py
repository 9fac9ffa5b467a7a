"""Rules of the house that a reader of one file cannot see broken."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
SOURCES = {name: sorted((REPOSITORY / name).rglob("*.py")) for name in ("parser", "solver")}
FEWEST_SOURCES = {"parser": 40, "solver": 110}
ALL_SOURCES = [path for paths in SOURCES.values() for path in paths]
MOST_LINES = 600


def test_all_sources_are_looked_at():
    """A rule that finds no files would pass on nothing."""
    assert {name: len(paths) for name, paths in SOURCES.items() if len(paths) < FEWEST_SOURCES[name]} == {}


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def place(path: Path, line: int) -> str:
    return f"{name_of(path)}:{line}"


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """The syntax of a file, without what it does only when it is run itself."""
    parts = ast.parse(path.read_text(encoding="utf-8")).body
    own = [part for part in parts if not (isinstance(part, ast.If) and "__name__" in ast.dump(part.test))]
    return tuple(node for part in own for node in ast.walk(part))


@pytest.fixture(scope="module", autouse=True)
def syntax_read_once() -> Iterator[None]:
    """For all rules, and forgotten behind the last."""
    yield
    nodes_of.cache_clear()


def foreign_imports(path: Path) -> set[str]:
    """What a file imports beyond the standard library and its own package, also inside functions."""
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return {module.split(".")[0] for module in found} - set(sys.stdlib_module_names)


def test_arithmetic_is_compiled_as_written():
    """fastmath and parallel loops reorder sums, so that results would not be the same bit for bit."""
    keywords = [(path, node) for path in ALL_SOURCES for node in nodes_of(path) if isinstance(node, ast.keyword)]
    assert [place(path, node.lineno) for path, node in keywords if node.arg in ("fastmath", "parallel")] == []


JIT = "solver/core/jit/"
COMPILES_BY_ITSELF = {"solver/run/routine_compiler.py"}  # routines of users, as they wrote them


def test_kernels_are_made_by_one_decorator():
    """Division by zero follows IEEE in all of them, and their machine code is kept: `core.jit.kernels` sees to it."""
    makers = {"njit", "jit", "cfunc", "vectorize", "guvectorize", "intrinsic"}
    found = {
        name_of(path)
        for path in ALL_SOURCES
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("numba")
        and makers & {alias.name for alias in node.names}
    }
    allowed = {"solver/contact/user_forces.py"}  # calls routines of users by their addresses
    assert {name for name in found if not name.startswith(JIT)} - COMPILES_BY_ITSELF - allowed == set()


def test_numba_is_known_in_one_room():
    """What is no documented means of numba stands in core/jit alone."""
    inner = ("numba.core", "numba.experimental", "numba.np")
    found = {
        name_of(path)
        for path in ALL_SOURCES
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(inner)
    }
    assert {name for name in found if not name.startswith(JIT)} - COMPILES_BY_ITSELF == set()


def is_negative(index: ast.expr) -> bool:
    """Whether an index counts from the end of an array."""
    return isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub)


def test_kernels_count_from_the_start_of_an_array():
    """Indices of kernels are taken for unsigned ones (`core.jit.compilers`): a negative one would lead anywhere."""
    found = []
    for path in SOURCES["solver"]:
        for function in nodes_of(path):
            if isinstance(function, ast.FunctionDef) and "kernel" in " ".join(
                map(ast.unparse, function.decorator_list)
            ):
                for node in ast.walk(function):
                    if isinstance(node, ast.Subscript):
                        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                        found += [place(path, node.lineno) for index in indices if is_negative(index)]
    assert found == []


def test_kernels_raise_nothing():
    """A kernel called by address cannot hand an exception on."""
    raising = []
    for path in ALL_SOURCES:
        for function in nodes_of(path):
            if isinstance(function, ast.FunctionDef) and any("kernel" in ast.dump(d) for d in function.decorator_list):
                inside = [node for node in ast.walk(function) if isinstance(node, ast.Raise | ast.Assert)]
                raising += [place(path, node.lineno) for node in inside]
    for_users = "solver/run/motionsolve.py"  # called by routines of users, which may raise
    assert [line for line in raising if not line.startswith(for_users)] == []


def test_nothing_is_printed_to_standard_output_unasked():
    """A library that prints spoils `--json`: every print names its stream."""
    calls = [(path, node) for path in ALL_SOURCES for node in nodes_of(path) if isinstance(node, ast.Call)]
    prints = [(path, call) for path, call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
    assert [place(path, call.lineno) for path, call in prints if "file" not in {k.arg for k in call.keywords}] == []


def test_what_is_imported_is_installed_with_gsolve():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = {requirement.split(">")[0].strip() for requirement in project["dependencies"]} | {"gsolve"}
    missing = {name_of(path): foreign_imports(path) - installed for path in ALL_SOURCES}
    frames = (
        "solver/results/frames.py",
        "solver/results/result.py",
        "solver/results/compare/pair.py",
        "solver/bulk/study_table.py",
    )
    for name in frames:  # the first imports them, the others their types
        missing[name] -= {
            requirement.split(">")[0].strip() for requirement in project["optional-dependencies"]["frames"]
        }
    assert {name: modules for name, modules in missing.items() if modules} == {}


def test_the_parser_needs_no_solver():
    found = {name_of(path): foreign_imports(path) - {"numpy", "lark", "gsolve"} for path in SOURCES["parser"]}
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_modules_stay_short():
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in ALL_SOURCES}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}
