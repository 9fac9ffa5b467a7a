"""The code is formatted, linted and typed; the settings stand in pyproject.toml."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = ["parser", "solver", "tests", "bench", "docs/site"]


def run(*command: str, cwd: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_code_is_linted():
    run(sys.executable, "-m", "ruff", "check", *CODE)


def test_code_is_formatted():
    run(sys.executable, "-m", "ruff", "format", "--check", *CODE)


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_installed_packages_are_typed(tmp_path):
    """zuban checks as mypy does, in a tenth of its time.

    It does not follow the folder mapping of an editable install: it gets the packages under their import name.
    """
    package = tmp_path / "gsolve"
    package.mkdir()
    for part in (ROOT / "parser", ROOT / "solver", *(ROOT / "solver" / "interface").glob("*.py")):
        (package / part.name).symlink_to(part)
    settings = ("--config-file", str(ROOT / "pyproject.toml"), "--python-executable", sys.executable)
    run(shutil.which("zuban", path=Path(sys.executable).parent) or "zuban", "mypy", *settings, "gsolve", cwd=tmp_path)
