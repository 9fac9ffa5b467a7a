"""How a command ends: in a clear text, a summary if asked for, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from ..run.console import Console, show
from ..run.endings import explain


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

        show(summary_text({**summary, "exit_code": code}) + "\n", sys.stdout)
    click.get_current_context().exit(code)
