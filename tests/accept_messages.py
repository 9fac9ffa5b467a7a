"""Write the messages of all decks in the folders bad_decks/ into the files beside them, after a change of wording.

Read what changed (git diff) before committing it: the files are what the tests expect. With `parser` or `solver` as
an argument, only the decks of that folder.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from gsolve.parser import DeckError, format_diagnostic, read_deck
from gsolve.parser.text.diagnostics import Diagnostic

TESTS = Path(__file__).parent


def parser_messages(deck: str) -> Iterable[Diagnostic]:
    """All that reading a deck says."""
    return read_deck(deck).warnings


def solver_messages(deck: str) -> Iterable[Diagnostic]:
    """All that reading, assembling and starting a deck says."""
    from gsolve.solver.run.simulation import Simulation

    model = read_deck(deck)
    simulation = Simulation(model)
    simulation.compile()
    return [*model.warnings, *simulation.warnings]


_MESSAGES = {"parser": parser_messages, "solver": solver_messages}


def folder_of(package: str) -> Path:
    """The bad decks of the parser or the solver."""
    return TESTS / package / "bad_decks"


def bad_decks(package: str) -> list[str]:
    """Their names."""
    return sorted(path.name for path in folder_of(package).glob("*.rad"))


def messages_of(package: str, deck: str) -> str:
    """All messages of one deck, as the command line prints them; run in the folder of the deck."""
    try:
        diagnostics = _MESSAGES[package](deck)
    except DeckError as error:
        diagnostics = error.diagnostics
    return "\n\n".join(format_diagnostic(diagnostic) for diagnostic in diagnostics) + "\n"


def expected_messages(package: str, deck: str) -> str:
    """What the golden file says."""
    return (folder_of(package) / deck).with_suffix(".expected").read_text(encoding="utf-8")


if __name__ == "__main__":
    for package in sys.argv[1:] or _MESSAGES:
        os.chdir(folder_of(package))
        for name in bad_decks(package):
            Path(name).with_suffix(".expected").write_text(messages_of(package, name), encoding="utf-8")
