"""`gsolve resume`: go on with a run from its result file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from .deck import T_END, THREADS, console_options, run_options
from .guard import guard


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option("-o", "--output", metavar="NAME", help="Results go to NAME.h5 and NAME.out, and FILE stays as it is.")
@click.option("--deck", type=click.Path(dir_okay=False), metavar="FILE", help="The deck, where it is not where it was.")
@T_END
@THREADS
@run_options
@console_options
def resume(file: Path, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> None:
    """Go on with a run from the newest checkpoint in its result file, bit for bit as if it had not been interrupted.

    The run has the parameters and options that it began with; those below can be chosen anew.
    """
    console = Console(quiet, verbose, as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..run.observer import Shell
        from ..run.resume import ResumeOptions, resume

        outcome = resume(file, ResumeOptions(**options), Shell(console))
        return outcome.exit_code, outcome.summary

    guard(work, console)
