"""Write the messages of all decks in bad_decks/ into the files beside them, after a change of wording.

Read what changed (git diff) before committing it: the files are what the tests expect.
"""

import os
import sys
from pathlib import Path

from gsolve.parser import DeckError, format_diagnostic, read_deck
from gsolve.solver.simulation import Simulation

FOLDER = Path(__file__).parent / "bad_decks"


def messages_of(deck: str) -> str:
    """All that reading, assembling and starting a deck says; run in the folder of the decks."""
    try:
        model = read_deck(deck)
        simulation = Simulation(model)
        simulation.compile()
        diagnostics = [*model.warnings, *simulation.warnings]
    except DeckError as error:
        diagnostics = error.diagnostics
    return "\n\n".join(format_diagnostic(diagnostic) for diagnostic in diagnostics) + "\n"


if __name__ == "__main__":
    os.chdir(FOLDER)
    for path in sorted(Path(".").glob("*.rad")):
        path.with_suffix(".expected").write_text(messages_of(path.name), encoding="utf-8")
    sys.exit(0)
