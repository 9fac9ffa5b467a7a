"""The order of the packages: each imports only those before it, and no two modules import each other."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from import_statements import import_statements

REPOSITORY = Path(__file__).parents[1]

# Lowest first. A name without packages below it is a module on top.
ORDER = {
    "solver": ("core", "geometry", "constraints", "forces", "contact", "integration", "assembly", "results", "run",
               "bulk", "tools", "cli", "interface"),
    "parser": ("text", "model", "cards", "keywords", "checks", "deck", "reference", "explain", "editors"),
}  # fmt: skip
FEWEST_ARROWS = {"solver": 400, "parser": 150}


def module_of(path: Path) -> str:
    """`gsolve.solver.core.bodies` of solver/core/bodies.py; a package is the module of its __init__."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(("gsolve", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {module_of(path): path for name in ORDER for path in sorted((REPOSITORY / name).rglob("*.py"))}


def imports_of(module: str) -> Iterator[str]:
    """Modules of gsolve that a module names anywhere: at the top, in functions, under TYPE_CHECKING."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in import_statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("gsolve"))
        else:
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            if source.startswith("gsolve"):
                inner = [f"{source}.{alias.name}" for alias in node.names]
                yield from (name if name in MODULES else source for name in inner)


@cache
def arrows() -> dict[str, set[str]]:
    """What each module imports."""
    return {module: set(imports_of(module)) - {module} for module in MODULES}


def level_of(module: str) -> tuple[str, int]:
    """Side of the house and place in its order; a package itself (its __init__) belongs to its contents."""
    _, side, *rest = module.split(".")
    return side, ORDER[side].index(rest[0]) if rest else len(ORDER[side])


def test_imports_are_found() -> None:
    """A rule that reads no imports would pass on nothing."""
    for side, fewest in FEWEST_ARROWS.items():
        assert sum(len(to) for module, to in arrows().items() if module.split(".")[1] == side) >= fewest


def test_imports_are_found_wherever_they_stand() -> None:
    text = (
        '"""Says: import nothing."""\nimport os, sys\nfrom a.b import (\n    c,  # of (two)\n    d as e,\n)\n'
        "if True:\n    from .f import g  # (h)\n\ndef k():\n    from . import l\n"
    )
    found = [ast.unparse(node) for node in import_statements(text)]
    assert found == [
        ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]


def test_what_is_imported_exists() -> None:
    unknown = {module: names - set(MODULES) for module, names in arrows().items()}
    assert {module: names for module, names in unknown.items() if names} == {}


def test_every_package_has_its_place() -> None:
    for side, order in ORDER.items():
        inside = {path.stem for path in (REPOSITORY / side).iterdir() if path.suffix == ".py" or path.is_dir()}
        assert inside - {"__init__", "__pycache__", "py", "examples"} == set(order)


def test_no_arrow_points_up() -> None:
    up = []
    for module, names in arrows().items():
        side, level = level_of(module)
        for name in sorted(names):
            other_side, other_level = level_of(name)
            if side == other_side and len(module.split(".")) > 2 and other_level > level:
                up.append(f"{module} -> {name}")
            if (side, other_side) == ("parser", "solver"):
                up.append(f"{module} -> {name}")
    assert up == []


def test_the_model_is_imported_from_its_package() -> None:
    """One way: `from gsolve.parser.model import Joint`, whatever file of the package Joint is in.

    The table of the types of joints is no part of the model: it is imported under its own name.
    """
    model = "gsolve.parser.model"
    deep = {
        module: {name for name in names if name.startswith(f"{model}.") and name != f"{model}.joint_types"}
        for module, names in arrows().items()
    }
    assert {module: names for module, names in deep.items() if names and not module.startswith(model)} == {}


@pytest.mark.parametrize("side", ["solver", "parser"])
def test_modules_make_no_circle(side: str) -> None:
    mine = {module: {n for n in names if n.split(".")[1] == side} for module, names in arrows().items()
            if module.split(".")[1] == side}  # fmt: skip
    try:
        TopologicalSorter(mine).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_package_is_installed() -> None:
    """setuptools finds no packages below folders of other names, so that they are listed."""
    listed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "packages"
    ]
    packages = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    assert listed == sorted(
        {"gsolve", "gsolve.decks", *packages} - {"gsolve.solver.interface"}
    )  # that is `gsolve` itself
