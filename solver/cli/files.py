"""Commands that take result files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from .guard import guard


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
@click.option("--verbose", "-v", is_flag=True, help="All messages and objects, descriptions of all variables.")
def info(file: Path, as_json: bool, verbose: bool) -> None:
    """Say what is in a result file: status, times, messages, families, variables, units."""
    console = Console(verbose=verbose, json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..results.info import info_lines, read_info

        facts = read_info(file)
        if not as_json:
            for line in info_lines(facts, verbose=verbose):
                console.say(line)
        return 0, facts

    guard(work, console)
