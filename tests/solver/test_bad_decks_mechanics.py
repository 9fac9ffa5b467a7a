"""Every deck in the families of bad_decks/ gives exactly the messages that stand below it.

The messages are golden: written by `tests/accept_messages.py`, read and judged by a person before they are committed.
"""

from operator import attrgetter

import pytest
from accept_messages import solver_messages
from golden_cases import GoldenCase, golden_cases, working_folder_of
from gsolve.parser import DeckError, read_deck
from gsolve.solver.assembly.assemble import assemble

CASES = golden_cases("solver")


@pytest.mark.parametrize("case", CASES, ids=attrgetter("label"))
def test_messages_of_bad_machine(case: GoldenCase) -> None:
    assert solver_messages(case) == case.messages


def test_every_deck_is_complained_about() -> None:
    assert [case.label for case in CASES if not case.messages.strip()] == []
    assert len(CASES) >= 60


def test_all_that_is_wrong_with_a_machine_comes_in_one_run() -> None:
    case = next(case for case in CASES if case.name == "all_errors_in_one_run")
    with working_folder_of(case), pytest.raises(DeckError) as caught:
        assemble(read_deck(case.deck), "documented")
    keywords = {diagnostic.keyword for diagnostic in caught.value.diagnostics}
    assert keywords == {"/GJOINT/GEAR", "/SPRING", "/IMPVEL", "/SHELL"}
    joint = [diagnostic.field for diagnostic in caught.value.diagnostics if diagnostic.keyword == "/GJOINT/GEAR"]
    assert joint == ["Mass", "Inertia", "Mass1", "Inertia1"]
