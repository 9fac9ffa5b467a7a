"""Every deck in bad_decks/ gives exactly the messages in the .expected file beside it.

The .expected files are golden files: written by `tests/accept_messages.py`, read and judged by a person before they
are committed.
"""

import pytest
from accept_messages import bad_decks, expected_messages, folder_of, messages_of
from gsolve.parser import DeckError, read_deck
from gsolve.solver.assembly.assemble import assemble

DECKS = bad_decks("solver")


@pytest.mark.parametrize("deck", DECKS)
def test_messages_of_bad_machine(deck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder_of("solver"))
    assert messages_of("solver", deck) == expected_messages("solver", deck)


def test_every_deck_is_complained_about() -> None:
    assert [deck for deck in DECKS if not expected_messages("solver", deck).strip()] == []


def test_all_that_is_wrong_with_a_machine_comes_in_one_run() -> None:
    with pytest.raises(DeckError) as caught:
        assemble(read_deck(folder_of("solver") / "all_errors_in_one_run.rad"), "documented")
    keywords = {diagnostic.keyword for diagnostic in caught.value.diagnostics}
    assert keywords == {"/GJOINT/GEAR", "/SPRING", "/IMPVEL", "/SHELL"}
    joint = [diagnostic.field for diagnostic in caught.value.diagnostics if diagnostic.keyword == "/GJOINT/GEAR"]
    assert joint == ["Mass", "Inertia", "Mass1", "Inertia1"]
