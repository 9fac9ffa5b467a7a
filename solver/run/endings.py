"""How a run or another command ends: an exit code, a summary for machines, and words for whatever went wrong."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..results.files import OutputError
from .interrupt import EXIT_INTERRUPTED, STOPPED_EARLY
from .options import UsageError

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import DeckError

EXIT_RUN_FAILED = 1
EXIT_USAGE = 2
EXIT_DECK = 3


class StoppedError(Exception):
    """Somebody stopped the work before the run began; the text is one line for the user."""


def explain(error: BaseException, say: Callable[[str], None], *, verbose: bool) -> tuple[int, dict[str, Any]]:
    """Exit code and summary of work that an exception ended; what there is to say of it is said.

    verbose : whether an internal error is shown with the place where it was
    """
    # before anything is imported: what Ctrl-C broke off may have been an import that cannot be made twice
    if isinstance(error, KeyboardInterrupt):
        say(STOPPED_EARLY)
        return EXIT_INTERRUPTED, {"status": "stopped", "message": "stopped before the run began"}
    from gsolve.parser.text.diagnostics import DeckError

    from ..results.variables import UnknownNameError

    if isinstance(error, DeckError):
        return EXIT_DECK, _explain_deck(error, say)
    if isinstance(error, (OutputError, UsageError, UnknownNameError)):
        say(f"gsolve: {error}")
        return EXIT_USAGE, {"status": "refused", "message": str(error)}
    if isinstance(error, StoppedError):
        say(f"gsolve: {error}")
        return EXIT_INTERRUPTED, {"status": "stopped", "message": str(error)}
    if isinstance(error, MemoryError):
        say("gsolve: not enough memory for this deck")
        return EXIT_RUN_FAILED, {"status": "failed", "message": "not enough memory"}
    if verbose:
        say("".join(traceback.format_exception(error)).rstrip())
    message = f"internal error, {type(error).__name__}: {error}".replace("\n", " ")
    hint = "" if verbose else "; --verbose shows where"
    say(f"gsolve: {message} (a fault of gsolve: please report it with the deck{hint})")
    return EXIT_RUN_FAILED, {"status": "failed", "message": message}


def _explain_deck(error: DeckError, say: Callable[[str], None]) -> dict[str, Any]:
    from gsolve.parser.text.numbers import counted

    from ..results.describe import diagnostic_lines

    diagnostics = sorted(error.diagnostics, key=lambda diagnostic: diagnostic.severity == "error")
    for text in diagnostic_lines(diagnostics):
        say(text)
    count = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    message = f"{counted(count, 'error')} in the deck, nothing was run"
    say(f"gsolve: {message}")
    return {"status": "deck errors", "message": message, "diagnostics": diagnostics}
