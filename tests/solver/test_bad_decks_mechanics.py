"""Every deck in bad_decks/ gives exactly the messages in the .expected file beside it.

The .expected files are golden files: written by `accept_solver_messages.py`, read and judged by a person before they
are committed.
"""

from pathlib import Path

import pytest
from accept_solver_messages import FOLDER, messages_of
from gsolve.parser import DeckError, read_deck
from gsolve.solver.assemble import assemble

DECKS = sorted(path.name for path in FOLDER.glob("*.rad"))


@pytest.mark.parametrize("deck", DECKS)
def test_messages_of_bad_machine(deck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    expected = Path(deck).with_suffix(".expected").read_text(encoding="utf-8")
    assert messages_of(deck) == expected


def test_every_deck_is_complained_about() -> None:
    silent = [name for name in DECKS if not (FOLDER / name).with_suffix(".expected").read_text().strip()]
    assert not silent


def test_all_that_is_wrong_with_a_machine_comes_in_one_run() -> None:
    with pytest.raises(DeckError) as caught:
        assemble(read_deck(FOLDER / "all_errors_in_one_run.rad"), "documented")
    keywords = {diagnostic.keyword for diagnostic in caught.value.diagnostics}
    assert keywords == {"/GJOINT/GEAR", "/SPRING", "/IMPVEL", "/SHELL"}
    joint = [diagnostic.field for diagnostic in caught.value.diagnostics if diagnostic.keyword == "/GJOINT/GEAR"]
    assert joint == ["Mass", "Inertia", "Mass1", "Inertia1"]
