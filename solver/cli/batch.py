"""The command that runs many decks."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from ..run.endings import EXIT_RUN_FAILED, EXIT_USAGE
from ..run.options import RunOptions, UsageError, positive
from .deck import FRAMES, checked_by, machine_options, run_options
from .guard import guard

STANDARD_OUTPUT = Path("-")
SIZES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class Size(click.ParamType[int]):
    """Bytes, as 2000000, 500M or 2G."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)B?", value)
        if match is None or not float(match[1]):
            self.fail(f"'{value}' is not a size, such as 500M or 2G (k, M, G, T: powers of 1000)", param, ctx)
        return int(float(match[1]) * SIZES[match[2].replace("K", "k")])


def worker_options(command: Any) -> Any:
    """Options of all that runs in worker processes."""
    for option in (
        click.option(
            "--verbose",
            "-v",
            is_flag=True,
            help="Warnings of completed decks, too, and tracebacks after internal errors.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors."),
        click.option(
            "--timeout",
            type=float,
            callback=checked_by(positive),
            metavar="SECONDS",
            help="Wall time that each run may take; one that takes longer is stopped, or killed if it does not stop.",
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Processes at a time.  [default: one a core, fewer with --threads]",
        ),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("decks", nargs=-1, required=True, metavar="DECK...")
@click.option("-o", "--output", metavar="DIR", help="Results go below DIR, as the decks stand.  [default: beside them]")
@click.option(
    "--junit",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="Write JUnit's XML, which CI shows.",
)
@click.option(
    "--json",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="Write a summary of all runs as JSON; - is standard output, and all else goes to stderr then.",
)
@click.option(
    "--expect",
    is_flag=True,
    help="Judge each deck by expected.toml beside it, if there is one: the numbers that its run should give.",
)
@click.option(
    "--fail-fast/--keep-going",
    default=False,
    help="Whether the first deck that is not completed ends all.  [default: keep going]",
)
@click.option(
    "--max-size", type=Size(), help="Bytes that each result file may have, such as 500M; a run beyond it is stopped."
)
@FRAMES
@worker_options
@run_options
@machine_options
def batch(
    decks: tuple[str, ...],
    output: str | None,
    junit: Path | None,
    json: Path | None,
    expect: bool,
    fail_fast: bool,
    max_size: int | None,
    jobs: int | None,
    timeout: float | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Run many decks in several processes.

    DECK is a deck, a pattern in quotes ('decks/**/*.rad') or a folder, which means all decks in it and below. All
    options of a run apply to each deck. Ends with 0 if all decks completed, else with 1.
    """
    to_screen = json == STANDARD_OUTPUT
    is_doubled = to_screen and junit is not None and _is_standard_output(junit)  # before `guard` puts it elsewhere
    console, json = Console(quiet, verbose, to_screen), None if to_screen else json

    def work() -> tuple[int, dict[str, Any]]:
        from ..bulk.workers import RUN_IMPORTS, WorkersError, server_ahead, usable_processors

        try:
            if is_doubled:
                raise UsageError("--json - and --junit would both go to standard output: one of them needs a file")
            with server_ahead(RUN_IMPORTS):  # at once, unless decks are missing they are run
                from ..bulk.batch import BatchPlan, run_batch
                from ..bulk.display import conclude, display_for
                from ..bulk.reports import json_summary, prepare_places, write_reports
                from ..bulk.selection import choose_decks

                chosen = choose_decks(decks, output)
                for folder in prepare_places([path for path in (junit, json) if path is not None], chosen):
                    console.say(f"made the folder {folder} for a report")
                processes = jobs or max(1, usable_processors() // options["threads"])
                plan = BatchPlan(processes, timeout, max_size, fail_fast, expect)
                asked = RunOptions(command_line=shlex.join(["gsolve", *sys.argv[1:]]), **options)
                with display_for(console, len(chosen)) as display:
                    outcome = run_batch(chosen, asked, plan, display)
        except (UsageError, WorkersError) as error:
            for line in str(error).splitlines():
                console.error(f"gsolve: {line}")
            return EXIT_USAGE, {}
        conclude(console, outcome)
        complaints = write_reports(outcome, junit, json)
        for line in complaints:
            console.error(f"gsolve: {line}")
        code = outcome.exit_code or (EXIT_RUN_FAILED if complaints else 0)
        return code, json_summary(outcome) if to_screen else {}

    guard(work, console)


def _is_standard_output(path: Path) -> bool:
    """Whether a file is where standard output goes, as /dev/stdout is, or the file that the shell sends it to."""
    try:
        return sys.stdout is not None and os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except OSError:  # there is no such file, or no stream of the system
        return False
