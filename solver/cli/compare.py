"""Two results beside each other, or a result beside the numbers it should give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from ..run.endings import EXIT_USAGE
from ..run.options import UsageError
from .guard import guard

EXIT_DIFFERENT = 5
EXITS = {"equal": 0, "different": EXIT_DIFFERENT, "refused": EXIT_USAGE}  # refused: two folders with a damaged file

SOURCE = click.Path(exists=True, readable=True, path_type=Path)


@click.command()
@click.argument("a", type=SOURCE)
@click.argument("b", type=SOURCE)
@click.option("--rtol", type=float, metavar="R", help="Largest difference that is none, as a part of the scale of a "
              "history; 0: every number the same.  [default: 1e-9]")  # fmt: skip
@click.option("--atol", type=float, metavar="X", help="What is allowed beyond that, in the unit of each history.  "
              "[default: 0]")  # fmt: skip
@click.option("--at-end", is_flag=True, help="Compare the last samples alone, each at the end of its own run.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.png",
              help="Draw the histories that differ most, both over each other; also FILE.svg, FILE.pdf.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a picture that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
@click.option("--verbose", "-v", is_flag=True, help="All histories, not only those that differ.")
def compare(
    a: Path,
    b: Path,
    rtol: float | None,
    atol: float | None,
    at_end: bool,
    plot: Path | None,
    force: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Compare result B with result A, the reference: exit status 0 if equal, 5 if different.

    A and B are two result files, or two folders of them; one of the two may be a CSV file, or a file expected.toml of
    numbers that the run should give. Where a file cannot be read the exit status is 2.
    """
    console = Console(verbose=verbose, json=as_json)
    expected = [path for path in (a, b) if path.suffix.lower() == ".toml"]

    def work() -> tuple[int, dict[str, Any]]:
        from ..results.compare.pair import RTOL

        _refuse_wrong_options(a, b, rtol, atol)
        if expected and not (rtol is None and atol is None and not at_end and plot is None):
            raise UsageError(
                "a file of expected numbers has its own tolerances and times: "
                "--rtol, --atol, --at-end and --plot do not go with it"
            )

        tolerances: dict[str, Any] = {
            "rtol": RTOL if rtol is None else rtol, "atol": 0.0 if atol is None else atol, "at_end": at_end
        }  # fmt: skip
        if expected:
            lines, summary = _judge(b if expected[0] == a else a, expected, verbose)
        elif a.is_dir():
            if plot is not None:
                raise UsageError("--plot takes two results, and not two folders")
            lines, summary = _folders(a, b, tolerances, verbose)
        else:
            lines, summary = _pair(a, b, tolerances, plot, force, verbose)
        if not as_json:
            console.say("\n".join(lines))
        return EXITS[summary["status"]], summary

    guard(work, console)


def _refuse_wrong_options(a: Path, b: Path, rtol: float | None, atol: float | None) -> None:
    from ..results.compare.pair import is_tolerance

    for name, value in (("--rtol", rtol), ("--atol", atol)):
        if value is not None and not is_tolerance(value):
            raise UsageError(f"{name} {value:g}: a number from 0 on is needed")
    if a.is_dir() != b.is_dir():
        folder, file = (a, b) if a.is_dir() else (b, a)
        raise UsageError(f"{folder} is a folder and {file} a file: two files are compared, or two folders")


def _judge(run: Path, expected: list[Path], verbose: bool) -> tuple[list[str], dict[str, Any]]:
    from ..results.compare.expected import judge
    from ..results.compare.report import judgement_facts, judgement_lines
    from ..results.compare.sides import load_result

    if len(expected) > 1:
        raise UsageError(
            f"{expected[0]} and {expected[1]} are both expected numbers: one of the two has to be a result"
        )
    found = judge(load_result(run), expected[0])
    return judgement_lines(found, verbose=verbose), judgement_facts(found)


def _folders(a: Path, b: Path, tolerances: dict[str, Any], verbose: bool) -> tuple[list[str], dict[str, Any]]:
    from ..results.compare.folders import compare_folders
    from ..results.compare.report import folder_facts, folder_lines

    found = compare_folders(a, b, **tolerances)
    return folder_lines(found, verbose=verbose), folder_facts(found, verbose=verbose)


def _pair(
    a: Path, b: Path, tolerances: dict[str, Any], plot: Path | None, force: bool, verbose: bool
) -> tuple[list[str], dict[str, Any]]:
    from ..results.compare.pair import compare_sides, sides_of
    from ..results.compare.report import comparison_facts, comparison_lines

    if plot is not None:
        from ..results.plot.figure import refuse_output

        refuse_output(plot, force=force)
    sides = sides_of(a, b)
    found = compare_sides(*sides, **tolerances)
    lines, summary = comparison_lines(found, verbose=verbose), comparison_facts(found, verbose=verbose)
    if plot is not None:
        from gsolve.parser.text.numbers import counted

        from ..results.compare.plot import plot as draw

        count = draw(found, *sides, plot, force=force)
        lines.append(f"{counted(count, 'history', 'histories')} drawn in {plot}")
        summary["plot"] = str(plot)
    return lines, summary
