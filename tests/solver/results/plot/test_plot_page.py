"""What docs/plot.md shows works as it stands there."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.plot import cases, envelope, panels, spectra

REPOSITORY = Path(__file__).parents[4]
PAGE = (REPOSITORY / "docs" / "plot.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder in which the commands of the page were called, and what the last one said."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "decks").symlink_to(REPOSITORY / "decks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in blocks("sh")[0].splitlines():
            done = CliRunner().invoke(program, shlex.split(line)[1:])
            assert done.exit_code == 0, done.output
    return folder, done.stdout


def test_the_commands_and_what_they_say(shown: tuple[Path, str]) -> None:
    folder, said = shown
    written = {path.name for path in folder.iterdir()}
    assert {"universal_shaft.png", "rates.svg", "ratio.pdf", "orders.png"} <= written
    (text,) = blocks("text")
    numbers = re.compile(r"(?<=: )[\d.e-]+\b")  # the last digits are those of a processor
    assert numbers.sub("#", said) == numbers.sub("#", text)
    pairs = zip(numbers.finditer(said), numbers.finditer(text), strict=True)
    assert all(float(one[0]) == pytest.approx(float(other[0]), rel=0.02) for one, other in pairs)


def test_the_orders_are_those_of_the_closed_form(shown: tuple[Path, str]) -> None:
    """The rate is omega (1 + 2 sum of tan^2k (beta/2) cos 2k theta)."""
    told = [float(amplitude) for amplitude in re.findall(r"order \d+: ([\d.e-]+)", shown[1].splitlines()[0])]
    exact = [20.0 * math.pi * math.tan(math.radians(15.0)) ** (2 * k) for k in (1, 2, 3, 4)]
    assert told == pytest.approx(exact, rel=5e-3)
    named = re.findall(r"of order 2k: ([\d.]+), ([\d.]+) and ([\d.]+) rad/s", PAGE)
    assert named == [tuple(f"{value:.4g}" for value in exact[:3])]


def test_the_python_that_it_shows(shown: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shown[0])
    (snippet,) = blocks("python")
    exec(compile(snippet, "docs/plot.md", "exec"), {})
    assert all(Path(name).exists() for name in ("output.png", "both.pdf", "orders.svg"))


def test_the_numbers_that_it_names() -> None:
    assert (panels.MOST_CURVES, envelope.PARTS, envelope.POINTS * envelope.PARTS) == (12, 2000, 8000)
    assert spectra.TURNS_OF_BLOCK == (4.0, 16.0) and spectra.FEWEST_TURNS == 4.0 and cases.ENOUGH == 0.9
