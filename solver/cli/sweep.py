"""The command that runs a deck with many values of its parameters."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..run.console import Console, duration
from ..run.interrupt import EXIT_INTERRUPTED
from ..run.options import RunOptions, UsageError, refuse_user_code
from .batch import worker_options
from .guard import guard

if TYPE_CHECKING:
    from ..bulk.study_file import Study
    from ..bulk.study_run import Executor
    from ..bulk.sweep import SweepOutcome


@click.command()
@click.argument("study", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option(
    "--scheduler", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler, such as tcp://head:8786."
)
@click.option("--list", "list_only", is_flag=True, help="Show the cases and run nothing.")
@click.option(
    "--allow-user-code", is_flag=True, help="Run the routines of contacts that the deck names, Python or libraries."
)
@click.option("--untrusted", is_flag=True, help="Let the deck name files (includes, meshes) below its folder only.")
@worker_options
def sweep(
    study: Path,
    scheduler: str | None,
    list_only: bool,
    allow_user_code: bool,
    untrusted: bool,
    jobs: int | None,
    timeout: float | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run the cases of a study: a deck with many values of its parameters.

    What comes of them goes to a table beside the study, STUDY.h5 and STUDY.csv. Cases that are in it are not run again.
    """
    console = Console(quiet, verbose)

    def work() -> tuple[int, dict[str, Any]]:
        from ..bulk.workers import RUN_IMPORTS, WorkersError, server_ahead

        is_new = not (list_only or scheduler is not None or study.with_suffix(".h5").exists())
        try:
            # Before all that takes time to import: the server takes longest.  A table may have all that is asked for.
            with server_ahead(RUN_IMPORTS) if is_new else nullcontext():
                from ..bulk.study_file import read_study

                wanted = read_study(study)
                if list_only:
                    _say_cases(wanted, console)
                    return 0, {}
                options = RunOptions(allow_user_code=allow_user_code, untrusted=untrusted, frames=0, **wanted.options)
                outcome = _run(wanted, options, scheduler, jobs, timeout, console)
        except WorkersError as error:
            raise UsageError(str(error)) from error
        if outcome is None:
            return EXIT_INTERRUPTED, {}
        _conclude(wanted, outcome, console, study)
        return outcome.exit_code, {}

    guard(work, console)


def _run(
    study: Study, options: RunOptions, scheduler: str | None, jobs: int | None, timeout: float | None, console: Console
) -> SweepOutcome | None:
    """What became of a study; None where it was ended, which is said here, before its first case."""
    from ..bulk.display import display_for
    from ..bulk.search import mistakes_in_objective
    from ..bulk.study_run import EndedError, StudyRun, read_first, setting_of
    from ..bulk.study_table import kept_alone, open_table
    from ..bulk.sweep import run_sweep
    from ..run.interrupt import StopRequest

    path = study.path.with_suffix(".h5")
    with (
        kept_alone(path),
        StopRequest() as request,
        _executor(scheduler, jobs, timeout, options.threads, _count(study)) as executor,
    ):
        if not path.exists():
            executor.start()
        _say_repeated(study, console)
        model = read_first(study, options)
        refuse_user_code(model, allowed=options.allow_user_code)
        table, remarks = open_table(path, setting_of(study, model))
        for remark in remarks:
            console.error(f"gsolve: {remark}")
        with display_for(console, _count(study), "case") as display:
            run = StudyRun(study, options, model, table, executor, display, request, remote=scheduler is not None)
            try:
                run.check(mistakes_in_objective(study, model.parameters))
            except EndedError as error:
                console.error(f"gsolve: ended by {error} before the first case was run")
                return None
            return run_sweep(run)


def _executor(
    scheduler: str | None, jobs: int | None, timeout: float | None, threads: int, cases: int
) -> AbstractContextManager[Executor]:
    from ..bulk.one_case import run_case
    from ..bulk.workers import RUN_IMPORTS, Workers, usable_processors

    if scheduler is not None:
        from ..bulk.cluster import Cluster

        return Cluster(scheduler, run_case, limit=timeout)
    processes = jobs or max(1, usable_processors() // threads)
    return Workers(run_case, RUN_IMPORTS, min(processes, cases), limit=timeout)


def _count(study: Study) -> int:
    from ..bulk.designs import cases_of

    return study.optimisation.evaluations if study.optimisation is not None else len(cases_of(study))


def _say_repeated(study: Study, console: Console) -> None:
    """Say what the file asks for more than once."""
    from ..bulk.designs import repeated_cases

    if study.optimisation is None and (repeated := repeated_cases(study)):
        console.error(f"gsolve: {repeated}")


def _say_cases(study: Study, console: Console) -> None:
    from gsolve.parser.text.numbers import counted

    from ..bulk.designs import case_text, cases_of

    if study.optimisation is not None:
        console.say(f"at most {study.optimisation.evaluations} cases, chosen by {study.optimisation.method}")
        return
    _say_repeated(study, console)
    cases = cases_of(study)
    for case in cases:
        console.say(case_text(case))
    console.say(counted(len(cases), "case"))


def _conclude(study: Study, outcome: SweepOutcome, console: Console, path: Path) -> None:
    """Say how many cases ended how, what an optimum is, and where the table is."""
    from gsolve.parser.text.numbers import counted

    from ..bulk.designs import case_text
    from ..bulk.display import count_text
    from ..bulk.search import at_bounds

    statuses = [row.status if row is not None else "not run" for row in outcome.rows]
    for case, row in zip(outcome.cases, outcome.rows, strict=True):
        if row is not None and row.status != "completed":
            console.error(f"---- {case_text(case)}: {row.status}\n  {row.message}")
    if outcome.ended_by:
        console.error(f"gsolve: ended by {outcome.ended_by} before all cases were run; the next call goes on from here")
    for remark in outcome.remarks:
        console.error(f"gsolve: {remark}")
    completed = [row for row in outcome.rows if row is not None and row.status == "completed"]
    for name in study.responses:
        values = [row.responses[name] for row in completed]
        for is_found, what in ((math.isnan, "has no value"), (math.isinf, "is infinite")):
            if any(map(is_found, values)):
                console.error(f"gsolve: the response {name} {what} in {counted(sum(map(is_found, values)), 'case')}")
    if study.optimisation is not None and outcome.rows and outcome.rows[0] is not None:
        best = outcome.rows[0]
        console.say(f"least {study.optimisation.expression}: at {case_text(outcome.cases[0])}")
        console.say(f"responses there: {case_text(best.responses)}")
        for text in at_bounds(study, outcome.cases[0]):
            console.error(f"gsolve: the optimum is at a bound: {text}; beyond it there may be a better one")
    counts = ", ".join(count_text(statuses.count(status), status) for status in dict.fromkeys(statuses))
    known = f", {outcome.known} of them before" if outcome.known else ""
    console.say(f"{counted(len(statuses), 'case')} in {duration(outcome.seconds)}: {counts}{known}")
    console.say(f"table: {path.with_suffix('.h5')}, {path.with_suffix('.csv')}")
