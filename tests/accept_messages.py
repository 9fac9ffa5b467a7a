"""Write the messages of all bad decks into their files in the folders bad_decks/, after a change of wording.

Read what changed (git diff) before committing it: the files are what the tests expect. With `parser` or `solver` as
an argument, only the decks of that folder.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from golden_cases import GoldenCase, family_files, read_family, working_folder_of, write_family
from gsolve.parser import DeckError, Diagnostic, format_diagnostic, read_deck


def parser_messages(case: GoldenCase) -> str:
    """All that reading a deck says, as the command line prints it."""
    return _messages(case, lambda deck: read_deck(deck).warnings)


def solver_messages(case: GoldenCase) -> str:
    """All that reading, assembling and starting a deck says, as the command line prints it."""
    return _messages(case, _start)


def accept(path: Path, messages: Callable[[GoldenCase], str]) -> None:
    """Write what each deck of a file now says in the place of what it said before."""
    family = read_family(path)
    cases = tuple(replace(case, messages=messages(case)) for case in family.cases)
    write_family(replace(family, cases=cases))


def _start(deck: str) -> Iterable[Diagnostic]:
    from gsolve.solver.run.simulation import Simulation

    model = read_deck(deck)
    simulation = Simulation(model)
    simulation.start()
    return [*model.warnings, *simulation.warnings]


def _messages(case: GoldenCase, run: Callable[[str], Iterable[Diagnostic]]) -> str:
    with working_folder_of(case):
        try:
            diagnostics = run(case.deck)
        except DeckError as error:
            diagnostics = error.diagnostics
    return "\n\n".join(format_diagnostic(diagnostic) for diagnostic in diagnostics)


MESSAGES = {"parser": parser_messages, "solver": solver_messages}

if __name__ == "__main__":
    for package in sys.argv[1:] or MESSAGES:
        for family_file in family_files(package):
            accept(family_file, MESSAGES[package])
