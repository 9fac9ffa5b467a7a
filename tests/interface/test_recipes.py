"""The decks of docs/cookbook.md give the numbers that stand below them."""

from __future__ import annotations

import re
from pathlib import Path

import gsolve
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cookbook.md"


def recipes() -> list[tuple[str, str, str]]:
    """Heading, deck and expected numbers of each section that has them."""
    found = []
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading = section.splitlines()[0]
        decks = [deck for deck in re.findall(r"^```rad\n(.*?)^```$", section, re.M | re.S) if "/RUN/" in deck]
        expected = re.findall(r"^```toml\n(.*?)^```$", section, re.M | re.S)
        assert len(decks) == len(expected) <= 1, f"{heading}: a deck and its numbers belong together"
        found += [(heading, decks[0], expected[0])] if decks else []
    return found


RECIPES = recipes()


def test_there_are_recipes() -> None:
    assert len(RECIPES) > 8


@pytest.mark.parametrize(("deck", "expected"), [recipe[1:] for recipe in RECIPES], ids=[r[0] for r in RECIPES])
def test_recipe_gives_its_numbers(deck: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "part.rad").write_text(deck, encoding="utf-8")
    (tmp_path / "expected.toml").write_text(expected, encoding="utf-8")
    result = gsolve.run(tmp_path / "part.rad")
    judged = gsolve.judge(result, tmp_path / "expected.toml")
    assert [str(number) for number in judged if not number.met] == []
