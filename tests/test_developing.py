"""docs/developing.md names places in the code that exist, and what it says of adding things is done here as it says."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs/developing.md").read_text(encoding="utf-8")
FEWEST_PLACES = 20


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


# ---- the worked examples -----------------------------------------------------------------------------------------

COPIED = ("parser", "solver", "tests", "docs", "decks", "editors", "pyproject.toml")
MOST_FILES = 6  # that an addition changes, tests, manual and the deck reference included; not what editors get
EXAMPLES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^###? |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def edit(root: Path, block: str) -> None:
    """Make the edits of a block: a file, and places in it, each told by the lines that stand there."""
    head, *places = re.split(r"^@@\n", block, flags=re.MULTILINE)
    path = root / head.removeprefix("+++ ").strip()
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for place in places:
        lines = [(line[:1] or " ", line[1:]) for line in place.splitlines()]
        assert {mark for mark, _ in lines} <= set(" +-"), place
        before = "".join(f"{line}\n" for mark, line in lines if mark != "+")
        after = "".join(f"{line}\n" for mark, line in lines if mark != "-")
        if before:
            assert f"\n{text}".count(f"\n{before}") == 1, f"{path.relative_to(root)} has not just one place:\n{before}"
            text = f"\n{text}".replace(f"\n{before}", f"\n{after}")[1:]
        else:
            text += after
    path.write_text(text, encoding="utf-8")


def contents(root: Path) -> dict[str, bytes]:
    """Every file that is copied, but what Python and pytest leave behind."""
    paths = [
        path for name in COPIED for path in ((root / name).rglob("*") if (root / name).is_dir() else [root / name])
    ]
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in paths
        if path.is_file() and not re.search(r"__pycache__|\.\w+_cache|\.h5$|\.out$", str(path))
    }


@pytest.fixture
def copy_of_repository(tmp_path: Path) -> Path:
    """A copy, and beside it the packages under the names by which they are imported."""
    root = tmp_path / "copy"
    for name, content in contents(REPOSITORY).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    packages = tmp_path / "import" / "gsolve"
    packages.mkdir(parents=True)
    for part in (root / "parser", root / "solver", *(root / "solver" / "interface").glob("*.py")):
        (packages / part.name).symlink_to(part, target_is_directory=part.is_dir())
    return root


def run(command: str, root: Path) -> None:
    """Run a command in the copy; machine code of what is not changed is read from where this process keeps its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(root.parent / "import")
    command = re.sub(r"\bpython(?= -m | tests/)", lambda found: f'"{sys.executable}"', command)
    done = subprocess.run(command, shell=True, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def test_there_is_an_example_of_each_kind():
    assert list(EXAMPLES) == ["A type of joint", "A contact law", "A pair of shapes", "A keyword", "A column of output"]


def blocks(example: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", EXAMPLES[example], re.MULTILINE | re.DOTALL)


def changes_of(root: Path) -> list[str]:
    """Files of the copy that are others than here."""
    original = contents(REPOSITORY)
    return [name for name, content in contents(root).items() if original.get(name) != content]


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_worked_examples(copy_of_repository: Path):
    """Their edits can be made, all of them together, and all their commands pass.

    What several commands run is run once, and what the edits have changed is compiled once.
    """
    for example in EXAMPLES:
        for block in blocks(example, "diff"):
            edit(copy_of_repository, block)
    for command in commands_together(
        [line for example in EXAMPLES for line in "".join(blocks(example, "sh")).splitlines()]
    ):
        run(command, copy_of_repository)
    modules = " ".join(name for name in changes_of(copy_of_repository) if name.endswith(".py"))
    run(f"python -m ruff format --check {modules} && python -m ruff check {modules}", copy_of_repository)


def commands_together(commands: list[str]) -> list[str]:
    """Each command once, tests after all others, and those that are not chosen by name in one process."""
    tests = [command for command in commands if "-m pytest" in command]
    chosen = [command for command in tests if " -k " in command]
    paths = dict.fromkeys(
        path for command in tests if command not in chosen for path in re.findall(r"tests/\S+", command)
    )
    whole = [path for path in paths if not any(path.startswith(f"{other}/") for other in paths)]
    others = dict.fromkeys(command for command in commands if command not in tests)
    return [*others, f"python -m pytest {' '.join(whole)}", *dict.fromkeys(chosen)]


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_worked_example_changes_few_files(example: str, copy_of_repository: Path):
    for block in blocks(example, "diff"):
        edit(copy_of_repository, block)
    for command in "".join(blocks(example, "sh")).splitlines():
        if "-m pytest" not in command:
            run(command, copy_of_repository)
    assert 0 < len([name for name in changes_of(copy_of_repository) if not name.startswith("editors/")]) <= MOST_FILES
