"""How a command ends: in a clear text, a summary if asked for, and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..results.files import OutputError
from ..run.console import Console, show
from ..run.options import UsageError

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import DeckError

EXIT_RUN_FAILED = 1
EXIT_USAGE = 2
EXIT_DECK = 3
EXIT_INTERRUPTED = 130


def guard(work: Callable[[], tuple[int, dict[str, Any]]], console: Console) -> None:
    """Do the work of a command; whatever happens ends in a clear text, a summary if asked for, and an exit code."""
    try:
        code, summary = work()
    except (KeyboardInterrupt, Exception) as error:
        if isinstance(error, (click.ClickException, click.exceptions.Exit)):
            raise
        code, summary = _explain(error, console)
    if console.json:
        from ..results.summary import summary_text

        show(summary_text({**summary, "exit_code": code}) + "\n", sys.stdout)
    click.get_current_context().exit(code)


def _explain(error: BaseException, console: Console) -> tuple[int, dict[str, Any]]:
    from gsolve.parser.text.diagnostics import DeckError

    from ..results.variables import UnknownNameError

    if isinstance(error, DeckError):
        return EXIT_DECK, _explain_deck(error, console)
    if isinstance(error, (OutputError, UsageError, UnknownNameError)):
        console.error(f"gsolve: {error}")
        return EXIT_USAGE, {"status": "refused", "message": str(error)}
    if isinstance(error, KeyboardInterrupt):
        console.error("gsolve: stopped by Ctrl-C before the run began")
        return EXIT_INTERRUPTED, {"status": "stopped", "message": "stopped before the run began"}
    if isinstance(error, MemoryError):
        console.error("gsolve: not enough memory for this deck")
        return EXIT_RUN_FAILED, {"status": "failed", "message": "not enough memory"}
    if console.verbose:
        console.error("".join(traceback.format_exception(error)).rstrip())
    message = f"internal error, {type(error).__name__}: {error}".replace("\n", " ")
    hint = "" if console.verbose else "; --verbose shows where"
    console.error(f"gsolve: {message} (a fault of gsolve: please report it with the deck{hint})")
    return EXIT_RUN_FAILED, {"status": "failed", "message": message}


def _explain_deck(error: DeckError, console: Console) -> dict[str, Any]:
    from ..results.describe import diagnostic_lines

    diagnostics = sorted(error.diagnostics, key=lambda diagnostic: diagnostic.severity == "error")
    for text in diagnostic_lines(diagnostics):
        console.error(text)
    count = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    message = f"{count} error{'s' if count != 1 else ''} in the deck, nothing was run"
    console.error(f"gsolve: {message}")
    return {"status": "deck errors", "message": message, "diagnostics": diagnostics}
