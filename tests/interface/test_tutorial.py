"""The steps of docs/tutorial.md: what the page shows stands in the decks, and they give the numbers beside them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import gsolve
import pytest
from click.testing import CliRunner
from gsolve.solver.cli import gsolve as program

DOCS = Path(__file__).parents[2] / "docs"
DECKS = sorted((DOCS / "tutorial").glob("*.rad"))
PAGE = (DOCS / "tutorial.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## Step ", PAGE, flags=re.MULTILINE)[1:]


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_step_gives_its_numbers(deck: Path) -> None:
    judged = gsolve.judge(gsolve.run(deck), deck.with_suffix(".toml"))
    assert [str(number) for number in judged if not number.met] == []


def test_page_shows_what_stands_in_the_decks() -> None:
    assert len(DECKS) == len(SECTIONS) - 1
    for deck, section in zip(DECKS, SECTIONS, strict=False):
        assert f"(tutorial/{deck.name})" in section
        text = deck.read_text(encoding="utf-8")
        shown = blocks(section, "rad")
        assert shown and [block for block in shown if block not in text] == []
    (study,) = blocks(SECTIONS[-1], "toml")
    assert study == (DOCS / "tutorial" / "press.toml").read_text(encoding="utf-8")


def test_study_has_the_times_of_the_page(tmp_path: Path) -> None:
    """From 79.17 rad/s on by (5.25 N m + 0.2 mu F r)/J; half of the first millisecond does not count."""
    for name in ("5_contact.rad", "press.toml"):
        shutil.copy(DOCS / "tutorial" / name, tmp_path)
    done = CliRunner().invoke(program, ["sweep", str(tmp_path / "press.toml"), "-j", "1"])
    assert done.exit_code == 0, done.output
    found = gsolve.load_study(tmp_path / "press.h5").to_pandas()
    shown = {float(force): float(time) for force, time in re.findall(r"^\| (\d+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)}
    assert len(shown) == 3
    for force, stop in zip(found["press"], found["stop"], strict=True):
        exact = 1.0 + 4.75 / (5.25 + 0.2 * 0.4 * force * 0.1)
        assert stop == pytest.approx(exact + 5e-4, abs=1e-3)
        assert shown[force] == pytest.approx(stop, abs=1e-3)
