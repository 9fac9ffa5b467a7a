"""How a command ends: in a clear text, a summary if asked for, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from ..run.console import Console, is_output_lost, show
from ..run.endings import EXIT_RUN_FAILED, explain


def guard(work: Callable[[], tuple[int, dict[str, Any]]], console: Console) -> None:
    """Do the work of a command; whatever happens ends in a clear text, a summary if asked for, and an exit code."""
    try:
        code, summary = work()
    except (KeyboardInterrupt, Exception) as error:
        if isinstance(error, (click.ClickException, click.exceptions.Exit)):
            raise
        code, summary = explain(error, console.error, verbose=console.verbose)
    if console.json:
        from ..results.summary import summary_text

        show(summary_text({**summary, "exit_code": code or _code_of_output()}) + "\n", sys.stdout)
    click.get_current_context().exit(code or _code_of_output())


def _code_of_output() -> int:
    """Exit code of work that went well, by whether what it said could be written."""
    return EXIT_RUN_FAILED if is_output_lost() else 0
