"""Commands that take a deck: run it, check it; and compile what runs need."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from ..run.endings import EXIT_RUN_FAILED
from ..run.options import RunOptions
from .deck import DECK, FRAMES, deck_options, read_deck, run_options
from .guard import guard


class DeckContext(click.Context):
    """Context of a run, whose usage is that of the program: the word `run` may be left out."""

    @property
    def command_path(self) -> str:
        """What a user types before the options."""
        return self.parent.command_path if self.parent is not None else super().command_path


class RunCommand(click.Command):
    """The command that is meant where none is named."""

    context_class = DeckContext


@click.command(cls=RunCommand)
@DECK
@click.option("-o", "--output", metavar="NAME", help="Results are NAME.h5 and NAME.out, or go into the directory NAME.")
@FRAMES
@run_options
@deck_options
def run(deck: Path, output: str | None, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> None:
    """Run a deck and write NAME.h5 and NAME.out."""
    console = Console(quiet, verbose, as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..run.driver import run_to_files
        from ..run.observer import Shell

        model = read_deck(deck, options)
        command_line = shlex.join(["gsolve", *sys.argv[1:]])
        asked = RunOptions(output=output, command_line=command_line, **options)
        outcome = run_to_files(model, asked, Shell(console))
        return outcome.exit_code, outcome.summary

    guard(work, console)


@click.command()
@DECK
@deck_options
def check(deck: Path, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> None:
    """Read and assemble a deck and say all about it, without running it."""
    console = Console(quiet, verbose, as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..run.check import check_model
        from ..run.observer import Shell

        found = check_model(read_deck(deck, options), RunOptions(**options), Shell(console))
        for line in found.lines:
            console.say(line)
        return 0, found.figures

    guard(work, console)


@click.command("warm-up")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def warm_up(as_json: bool) -> None:
    """Compile all of the solver, so that no run after it has to: for container images and shared machines.

    The machine code goes to $GSOLVE_CACHE_DIR, else to gsolve/ in $XDG_CACHE_HOME, else to ~/.cache/gsolve. A folder
    that can be read but not written serves runs as it is.
    """
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..run.warm_up import warm_up

        summary = warm_up(console)
        return EXIT_RUN_FAILED if summary["status"] == "failed" else 0, summary

    guard(work, console)
