"""What a person sees of many decks: a table that renews itself on a terminal, else a line each deck."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from gsolve.parser.text.diagnostics import LABELS
from gsolve.parser.text.numbers import counted

from ..run.console import Console, duration
from .batch import BatchOutcome, DeckResult, Display
from .reports import counts_of

if TYPE_CHECKING:
    from rich.progress import TaskID

STATUS_WIDTH = 11  # of "deck errors"


class Lines:
    """A line each deck that is over, and nothing else."""

    def __init__(self, console: Console, count: int) -> None:
        self._console, self._count, self._over = console, count, 0

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *of_error: object) -> None:
        pass

    def began(self, deck: str) -> None:
        pass

    def reached(self, deck: str, fraction: float) -> None:
        pass

    def ended(self, result: DeckResult) -> None:
        self._over += 1
        self._console.say(line_of(result, self._over, self._count))

    def tick(self) -> None:
        pass


class Table:
    """On a terminal: a line for each deck that runs and one for all of them, with the time left; failures above."""

    def __init__(self, console: Console, count: int, noun: str) -> None:
        from rich.console import Console as Screen
        from rich.markup import escape
        from rich.progress import BarColumn, Progress, TextColumn

        self._console, self._count, self._over, self._failed = console, count, 0, 0
        self._escape = escape
        self._progress = Progress(
            TextColumn("{task.fields[deck]}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TextColumn("{task.fields[text]}"),
            console=Screen(stderr=True),
            transient=True,
            refresh_per_second=4,
        )
        self._lines: dict[str, TaskID] = {}
        self._fractions: dict[str, float] = {}
        self._started = time.monotonic()
        self._all = self._progress.add_task("", total=count, deck=counted(count, noun), text="")

    def __enter__(self) -> Table:
        self._progress.__enter__()
        return self

    def __exit__(self, *of_error: object) -> None:
        self._progress.stop()

    def began(self, deck: str) -> None:
        self._lines[deck] = self._progress.add_task("", total=1.0, deck=self._escape(deck), text="")
        self._fractions[deck] = 0.0

    def reached(self, deck: str, fraction: float) -> None:
        self._fractions[deck] = fraction
        self._progress.update(self._lines[deck], completed=fraction)

    def ended(self, result: DeckResult) -> None:
        self._over += 1
        line = self._lines.pop(result.deck, None)
        self._fractions.pop(result.deck, None)
        if line is not None:
            self._progress.remove_task(line)
        if not result.is_well:
            self._failed += 1
            self._progress.console.print(line_of(result, self._over, self._count), markup=False, highlight=False)

    def tick(self) -> None:
        """How much is done, and how long the rest takes if it is like that."""
        done = self._over + sum(self._fractions.values())
        passed = time.monotonic() - self._started
        left = f"  {duration(passed * (self._count - done) / done)} left" if done else ""
        failed = f"  {self._failed} not completed" if self._failed else ""
        self._progress.update(self._all, completed=done, text=f"{self._over} done{failed}{left}")


def display_for(console: Console, count: int, noun: str = "deck") -> Lines | Table:
    """What suits where the lines go; noun : what there are `count` of."""
    return Table(console, count, noun) if sys.stderr.isatty() and not console.quiet else Lines(console, count)


def line_of(result: DeckResult, number: int, count: int) -> str:
    """A deck that is over, in a line."""
    width = len(str(count))
    message = f": {one_line(result.message)}" if result.message else ""
    return (
        f"{number:>{width}}/{count}  {result.status:<{STATUS_WIDTH}}  {duration(result.seconds):>8}  "
        f"{result.deck}{message}"
    )


def count_text(count: int, status: str) -> str:
    """How many ended so: `1 with deck errors`, `2 completed`."""
    return f"{count} with {status}" if status == "deck errors" else f"{count} {status}"


def one_line(text: str) -> str:
    """A text without its line ends."""
    return " ".join(text.split())


def conclude(console: Console, outcome: BatchOutcome) -> None:
    """Say all of what went wrong, and how many decks ended how."""
    for result in outcome.results:
        if not result.is_well and result.status != "not run":
            text = "\n".join(f"  {line}" for line in (result.text or result.message).splitlines())
            console.error(f"---- {result.deck}: {result.status}\n{text}")
    if console.verbose:
        for result in outcome.results:
            for warning in result.summary.get("warnings", []) if result.is_well else []:
                console.say(f"{result.deck}: {LABELS[warning['severity']]}: {warning['message']}")
    not_run = [result.deck for result in outcome.results if result.status == "not run"]
    if not_run:
        console.error(f"---- not run: {', '.join(not_run)}")
    if outcome.ended_by:
        console.error(f"gsolve: ended by {outcome.ended_by} before all decks were run")
    for remark in outcome.remarks:
        console.error(f"gsolve: {remark}")
    counts = ", ".join(count_text(count, status) for status, count in counts_of(outcome.results).items())
    console.say(
        f"{counted(len(outcome.results), 'deck')} in {duration(outcome.seconds)} on "
        f"{counted(outcome.processes, 'process', 'processes')}: {counts}"
    )


__all__ = ["Display", "Lines", "Table", "conclude", "display_for"]
