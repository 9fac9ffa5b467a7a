"""docs/developing.md names places in the code that exist, and what it says of adding things is how it is done."""

from __future__ import annotations

import ast
import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs/developing.md").read_text(encoding="utf-8")
FEWEST_PLACES = 30


def names_in(path: Path) -> set[str]:
    """What a module defines at its top: functions, classes, constants."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def test_places_exist():
    places = re.findall(r"`([\w/]+\.py): (\w+)`", PAGE)
    assert len(places) >= FEWEST_PLACES
    missing = [f"{path}: {name}" for path, name in places if name not in names_in(REPOSITORY / path)]
    assert missing == []


def test_files_and_folders_exist():
    paths = set(re.findall(r"`((?:parser|solver|tests|docs|bench)/[\w/.]*)`", PAGE))
    assert [path for path in sorted(paths) if not (REPOSITORY / path).exists()] == []


def test_every_package_is_described():
    for side in ("parser", "solver"):
        packages = {path.parent.name for path in (REPOSITORY / side).glob("*/__init__.py")}
        told = re.search(rf"\| {side}/ \| holds \|\n(.*?)\n\n", PAGE, re.DOTALL)
        assert told is not None
        rows = {name.strip() for row in told[1].splitlines()[1:] for name in row.split("|")[1].split(",")}
        assert packages <= rows


def test_the_worked_examples_are_in_their_tables():
    """What the page says the two additions are: an entry of a table each."""
    from gsolve.parser.keywords.contact_laws import LAWS
    from gsolve.parser.model.joint_types import JOINT_TYPES
    from gsolve.solver.geometry.pair_table import PAIRS

    assert "POINT_PLANE" in JOINT_TYPES
    assert "HUNT_CROSSLEY" in LAWS
    assert len(PAIRS) > 20
