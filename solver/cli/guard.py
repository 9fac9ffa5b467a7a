"""How a command ends: in a clear text, a summary if asked for, and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

import click

from ..run.console import Console, is_output_lost, show
from ..run.endings import EXIT_RUN_FAILED, explain

STDOUT = 1  # its number for the system


def guard(work: Callable[[], tuple[int, dict[str, Any]]], console: Console) -> None:
    """Do the work of a command; whatever happens ends in a clear text, a summary if asked for, and an exit code."""
    output = _kept_for_summary() if console.json else sys.stdout
    try:
        code, summary = work()
    except (KeyboardInterrupt, Exception) as error:
        if isinstance(error, (click.ClickException, click.exceptions.Exit)):
            raise
        code, summary = explain(error, console.error, verbose=console.verbose)
    if console.json:
        from ..results.summary import summary_text

        show(summary_text({**summary, "exit_code": code or _code_of_output()}) + "\n", output)
    click.get_current_context().exit(code or _code_of_output())


def _kept_for_summary() -> TextIO:
    """Standard output for the summary alone: what else goes there, as what routines of users print, goes to stderr.

    That is so until the process ends, as libraries in C write at its end what they have kept.
    """
    if sys.stdout is None or not _is_of_system(sys.stdout):
        return sys.stdout
    kept = os.fdopen(os.dup(STDOUT), "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors)
    elsewhere = os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else os.dup(sys.stderr.fileno())
    os.dup2(elsewhere, STDOUT)
    os.close(elsewhere)
    return kept


def _is_of_system(stream: TextIO) -> bool:
    """Whether a stream is the standard output of the process, and not one that a program has put in its place."""
    try:
        return stream.fileno() == STDOUT
    except OSError:
        return False


def _code_of_output() -> int:
    """Exit code of work that went well, by whether what it said could be written."""
    return EXIT_RUN_FAILED if is_output_lost() else 0
