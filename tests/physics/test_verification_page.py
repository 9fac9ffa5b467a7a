"""docs/verification.md has all problems, with errors that are allowed; its script runs them."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest
from test_example_decks import EXPECTED
from verification import EXAMPLES, HEAD, PAGE, PROBLEMS, deck_link, off_by, shown

TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("| ")]
CELLS = [tuple(cell.strip() for cell in row) for row in ROWS]


def reached(error: str) -> float:
    return 0.0 if error == "round-off" else float(error)


def test_page_is_that_of_its_script() -> None:
    assert TEXT.startswith(HEAD) and EXAMPLES in TEXT


def test_page_has_every_published_problem() -> None:
    found = {(name, quantity, known, source): error for name, quantity, known, error, source in CELLS}
    for problem in PROBLEMS:
        known = f"{shown(problem.known)} {problem.unit}".removesuffix(" 1")
        assert reached(found[problem.name, problem.quantity, known, problem.source]) <= 1e-2


def test_page_has_every_number_of_the_examples_and_none_is_missed() -> None:
    numbers = Counter(
        {path.parent.name: len(tomllib.loads(path.read_text(encoding="utf-8"))["expected"]) for path in EXPECTED}
    )
    rows = [cells for cells in CELLS if "../decks/" in cells[0]]
    assert Counter(link for link, *_ in rows) == {deck_link(name): count for name, count in numbers.items()}
    assert [row for row in rows if reached(row[4]) > 2 * float(row[3])] == []


@pytest.mark.parametrize(
    ("found", "known", "words"),
    [
        (1.0 + 3e-7, 1.0, "5e-07"),
        (2.0 + 2.2e-4, 2.0, "2e-04"),
        (-1.0 - 6e-3, -1.0, "1e-02"),
        (1.0 + 1e-12, 1.0, "round-off"),
        (4e-3, 0.0, "5e-03"),
    ],
)
def test_errors_are_rounded_up(found: float, known: float, words: str) -> None:
    assert off_by(found, known) == words
