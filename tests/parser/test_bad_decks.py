"""Every deck in the families of bad_decks/ gives exactly the messages that stand below it.

The messages are golden: written by `tests/accept_messages.py`, read and judged by a person before they are committed.
"""

from operator import attrgetter

import pytest
from accept_messages import parser_messages
from golden_cases import GoldenCase, golden_cases

CASES = golden_cases("parser")


@pytest.mark.parametrize("case", CASES, ids=attrgetter("label"))
def test_messages_of_bad_deck(case: GoldenCase) -> None:
    assert parser_messages(case) == case.messages


def test_every_deck_is_complained_about() -> None:
    assert [case.label for case in CASES if not case.messages.strip()] == []
    assert len(CASES) >= 240
