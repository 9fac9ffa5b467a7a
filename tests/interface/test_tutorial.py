"""The steps of docs/tutorial.md: what the page shows stands in the decks, and they give the numbers beside them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import gsolve
import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program

DOCS = Path(__file__).parents[2] / "docs"
DECKS = sorted((DOCS / "tutorial").glob("*.rad"))
PAGE = (DOCS / "tutorial.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## Step ", PAGE, flags=re.MULTILINE)[1:]


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def test_page_shows_what_stands_in_the_decks() -> None:
    assert len(DECKS) == len(SECTIONS) - 1
    for deck, section in zip(DECKS, SECTIONS, strict=False):
        assert f"(tutorial/{deck.name})" in section
        text = deck.read_text(encoding="utf-8")
        shown = blocks(section, "rad")
        assert shown and [block for block in shown if block not in text] == []
    (study,) = blocks(SECTIONS[-1], "toml")
    assert study == (DOCS / "tutorial" / "press.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all commands of the page were run, in their order; results of decks as they are, by name."""
    folder = tmp_path_factory.mktemp("tutorial")
    shutil.copytree(DOCS / "tutorial", folder / "docs" / "tutorial")
    (folder / "results").mkdir()
    commands = re.findall(r"^ {4}gsolve (.+)$|`gsolve ([^`\n]+)`", PAGE, re.MULTILINE)
    assert len(commands) == 12
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in ("".join(parts).split() for parts in commands):
            done = CliRunner().invoke(program, [*command, "-j", "1"] if command[0] == "sweep" else command)
            assert done.exit_code == 0, f"gsolve {' '.join(command)}\n{done.output}"
            if command[0].endswith(".rad") and "-D" not in command:
                shutil.copy(f"{Path(command[0]).stem}.h5", folder / "results")
    return folder


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_step_gives_its_numbers(deck: Path, folder: Path) -> None:
    made = folder / "results" / f"{deck.stem}.h5"
    judged = gsolve.judge(gsolve.load(made) if made.exists() else gsolve.run(deck), deck.with_suffix(".toml"))
    assert [str(number) for number in judged if not number.met] == []


def test_study_has_the_times_of_the_page(folder: Path) -> None:
    """From 79.17 rad/s on by (5.25 N m + 0.2 mu F r)/J; half of the first millisecond does not count."""
    found = gsolve.load_study(folder / "docs" / "tutorial" / "press.h5").to_pandas()
    shown = {float(force): float(time) for force, time in re.findall(r"^\| (\d+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)}
    assert len(shown) == 3
    for force, stop in zip(found["press"], found["stop"], strict=True):
        exact = 1.0 + 4.75 / (5.25 + 0.2 * 0.4 * force * 0.1)
        assert stop == pytest.approx(exact + 5e-4, abs=1e-3)
        assert shown[force] == pytest.approx(stop, abs=1e-3)


def test_brake_without_a_memory_creeps_as_the_page_says(folder: Path) -> None:
    creep = gsolve.load(folder / "4_brake.h5").th.node[4].VRZ[-1]
    (shown,) = re.findall(r"goes back with ([\d.]+) rad/s", PAGE)
    assert -creep == pytest.approx(float(shown), abs=5e-4)
