"""The deck reference is written from the declarations."""

from itertools import takewhile
from pathlib import Path
from shutil import copyfile

import pytest
from gsolve.parser import read_deck
from gsolve.parser.cards.layout import LAST_COLUMN, Keyword
from gsolve.parser.keywords.engine import ENGINE_KEYWORDS
from gsolve.parser.keywords.registry import KEYWORDS
from gsolve.parser.reference import EXAMPLES, deck_reference, example_deck, examples, joint_table, unit_text

PAGE = Path(__file__).parents[2] / "docs" / "deck_reference.md"


def test_the_page_in_docs_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == deck_reference(), (
        "run python -m gsolve.parser.reference > docs/deck_reference.md"
    )


def test_the_table_of_joints_in_docs_is_up_to_date() -> None:
    lines = PAGE.with_name("joints.md").read_text(encoding="utf-8").splitlines(keepends=True)
    expected = joint_table()
    first = lines.index(expected.splitlines(keepends=True)[0])
    shown = list(takewhile(lambda line: line.startswith("|"), lines[first:]))
    assert "".join(shown) == expected, "put the table of python -m gsolve.parser.reference joints into docs/joints.md"


def test_every_keyword_has_its_section() -> None:
    page = deck_reference()
    for name in [keyword.name for keyword in KEYWORDS] + list(ENGINE_KEYWORDS):
        assert f"### /{name}" in page


def test_every_keyword_has_an_example() -> None:
    assert [
        name for name in [*(keyword.name for keyword in KEYWORDS), *ENGINE_KEYWORDS] if name not in examples()
    ] == []


def test_the_examples_are_a_deck_without_faults(tmp_path: Path) -> None:
    """Beside the files that it names."""
    for name in ("example_routines.py", "example_mesh.off"):
        copyfile(EXAMPLES.with_name(name), tmp_path / name)
    deck = tmp_path / "examples.rad"
    deck.write_text(example_deck(), encoding="utf-8")
    assert read_deck(deck).warnings == []


@pytest.mark.parametrize("keyword", KEYWORDS, ids=lambda keyword: keyword.name)
def test_fields_do_not_overlap(keyword: Keyword) -> None:
    for card in (*keyword.cards, *keyword.records):
        fields = sorted(card.fields, key=lambda field: field.first)
        names = [field.name for field in fields]
        assert len(names) == len(set(names))
        for version in (100, 120, 2022, 2026):
            last = 0
            for field in fields:
                if field.since <= version < field.before:
                    assert field.first > last
                    last = field.last
            assert last <= LAST_COLUMN


@pytest.mark.parametrize(
    ("dimension", "text"),
    [((1, 1, -2), "M L/T2"), ((0, 0, 0), "-"), ((0, 0, -1), "1/T"), ((1, -3, 0), "M/L3"), ((1, 2, 0), "M L2")],
)
def test_units_in_words(dimension: tuple[int, int, int], text: str) -> None:
    assert unit_text(dimension) == text
