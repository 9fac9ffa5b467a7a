"""Every deck in bad_decks/ gives exactly the messages in the .expected file beside it.

The .expected files are golden files: written by `accept_messages.py`, read and judged by a person before they are
committed.
"""

from pathlib import Path

import pytest
from accept_messages import FOLDER, messages_of

DECKS = sorted(path.name for path in FOLDER.glob("*.rad"))


@pytest.mark.parametrize("deck", DECKS)
def test_messages_of_bad_deck(deck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    expected = Path(deck).with_suffix(".expected").read_text(encoding="utf-8")
    assert messages_of(deck) == expected


def test_every_deck_is_complained_about() -> None:
    silent = [name for name in DECKS if not (FOLDER / name).with_suffix(".expected").read_text().strip()]
    assert not silent
    assert len(DECKS) >= 60
