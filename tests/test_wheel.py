"""What is installed is complete: all modules, and the files that they read."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGES = ("parser", "solver")
READ_AT_RUN_TIME = {".css", ".html", ".js", ".LICENSE", ".py", ".lark", ".csv", ".rad", ".typed"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in a wheel built from a copy of the sources."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, source)
    for name in (*PACKAGES, "decks"):
        shutil.copytree(REPOSITORY / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "decks" / "gear_pair" / "gear_pair.h5").write_text("of a run in the sources")
    options = [
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
        "--wheel-dir",
        str(target),
    ]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return set(zipfile.ZipFile(built).namelist())


def test_wheel_holds_every_file_that_is_read_at_run_time(wheel: set[str]) -> None:
    wanted = {
        f"gsolve/{path.relative_to(REPOSITORY).as_posix()}".replace("gsolve/solver/interface/", "gsolve/")
        for name in PACKAGES
        for path in (REPOSITORY / name).rglob("*")
        if path.suffix in READ_AT_RUN_TIME
    }
    assert len(wanted) > 150
    assert wanted - wheel == set()


def test_wheel_holds_the_grammar_the_tables_and_the_marks_of_typed_packages(wheel: set[str]) -> None:
    suffixes = [Path(name).name if name.endswith("py.typed") else Path(name).suffix for name in wheel]
    assert suffixes.count("py.typed") == 1 + len(PACKAGES)
    assert ".lark" in suffixes and ".csv" in suffixes and "gsolve/parser/keywords/examples.rad" in wheel


def test_wheel_holds_the_example_decks_and_no_results_of_them(wheel: set[str]) -> None:
    decks = REPOSITORY / "decks"
    wanted = [
        path for path in decks.rglob("*") if path.is_file() and path.suffix not in (".h5", ".out", ".pyc", ".xdmf")
    ]
    assert len(wanted) > 150
    assert {f"gsolve/decks/{path.relative_to(decks).as_posix()}" for path in wanted} - wheel == set()
    assert [name for name in wheel if name.endswith((".h5", ".out"))] == []
