"""Every deck in bad_decks/ gives exactly the messages in the .expected file beside it.

The .expected files are golden files: written by `tests/accept_messages.py`, read and judged by a person before they
are committed.
"""

import pytest
from accept_messages import bad_decks, expected_messages, folder_of, messages_of

DECKS = bad_decks("parser")


@pytest.mark.parametrize("deck", DECKS)
def test_messages_of_bad_deck(deck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder_of("parser"))
    assert messages_of("parser", deck) == expected_messages("parser", deck)


def test_every_deck_is_complained_about() -> None:
    assert [deck for deck in DECKS if not expected_messages("parser", deck).strip()] == []
    assert len(DECKS) >= 150
