"""Many decks, one after another in each of several worker processes; what becomes of one is nothing to the others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from gsolve.parser.text.numbers import counted

from ..run.endings import EXIT_RUN_FAILED
from ..run.interrupt import EXIT_INTERRUPTED, SIGNALS, StopRequest
from ..run.options import RunOptions
from .one_deck import DeckAnswer, DeckTask, run_deck
from .selection import ChosenDeck
from .workers import RUN_IMPORTS, Event, Workers, WorkersError

Status = Literal[
    "completed", "as expected", "unexpected", "failed", "deck errors", "refused", "timeout", "too large", "lost",
    "stopped", "not run",
]  # fmt: skip
WELL = ("completed", "as expected")
EXPECTABLE = ("completed", "failed", "deck errors")  # what fails may be expected to
FAIL_FAST = "--fail-fast"


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """How the decks are run.

    processes : at a time
    seconds : that each may take, None: as long as it takes
    most_bytes : that each result file may have, None: any number
    fail_fast : whether the first failure ends all
    expects : whether decks are judged by the numbers that stand beside them
    """

    processes: int
    seconds: float | None = None
    most_bytes: int | None = None
    fail_fast: bool = False
    expects: bool = False


@dataclass(frozen=True, slots=True)
class DeckResult:
    """What became of a deck.

    message : one line, empty where all is well; text : all that there is to say of it
    seconds : wall time
    summary : as `gsolve DECK --json` has it; empty where no run could tell
    """

    deck: str
    status: Status
    message: str = ""
    text: str = ""
    seconds: float = 0.0
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def is_well(self) -> bool:
        return self.status in WELL


class Display(Protocol):
    """Who is told how a batch goes on."""

    def began(self, deck: str) -> None: ...

    def reached(self, deck: str, fraction: float) -> None: ...

    def ended(self, result: DeckResult) -> None: ...

    def tick(self) -> None:
        """Called a few times a second."""
        ...


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What became of a batch.

    results : one a deck, in their order, also for those that were not run
    ended_by : what ended it before its time, empty if nothing did
    remarks : what was found and belongs to no deck, each once
    """

    results: list[DeckResult]
    ended_by: str = ""
    seconds: float = 0.0
    processes: int = 1
    remarks: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """Exit code of the process."""
        if self.ended_by in SIGNALS.values():
            return EXIT_INTERRUPTED
        return 0 if all(result.is_well for result in self.results) else EXIT_RUN_FAILED


def run_batch(chosen: Sequence[ChosenDeck], options: RunOptions, plan: BatchPlan, display: Display) -> BatchOutcome:
    """Run decks; nothing that happens to one of them raises anything."""
    started = time.monotonic()
    results: dict[str, DeckResult] = {}
    decks: dict[int, str] = {}
    remarks: dict[str, None] = {}  # of several processes, in order
    ended_by, count = "", min(plan.processes, len(chosen))
    with StopRequest() as request, Workers(run_deck, RUN_IMPORTS, count, limit=plan.seconds) as workers:
        for deck in chosen:
            task = DeckTask(deck.path, replace(options, output=deck.output), plan.most_bytes, plan.expects)
            decks[workers.submit(task)] = deck.path

        def end_all(why: str) -> None:
            nonlocal ended_by
            if not ended_by:
                ended_by = why
                workers.drop_waiting()
                workers.stop(why)

        def tick() -> None:
            if request.reason:
                end_all(request.reason)
            display.tick()

        try:
            for event in workers.events(tick):
                path = decks[event.task]
                if event.kind == "began":
                    display.began(path)
                elif event.kind == "reached":
                    display.reached(path, event.value)
                else:
                    if event.kind == "done":
                        remarks.update(dict.fromkeys(event.value.remarks))
                    results[path] = result = judged(path, event, plan)
                    display.ended(result)
                    if plan.fail_fast and not result.is_well:
                        end_all(FAIL_FAST)
        except WorkersError as error:
            ended_by = str(error)
        except KeyboardInterrupt:  # a second Ctrl-C: nothing is waited for
            ended_by = request.reason
    for path in decks.values():
        results.setdefault(path, DeckResult(path, "not run", f"not run, or not to its end: {ended_by}"))
    seconds = time.monotonic() - started
    return BatchOutcome([results[path] for path in decks.values()], ended_by, seconds, count, list(remarks))


def judged(deck: str, event: Event, plan: BatchPlan) -> DeckResult:
    """What became of a deck whose task is over."""
    if event.kind == "lost":
        return DeckResult(
            deck, "timeout" if event.overdue else "lost", event.value.splitlines()[-1], event.value, event.seconds
        )
    answer: DeckAnswer = event.value
    status: Status = "completed"
    if answer.exit_code:
        status = answer.summary["status"]
    has_doubts = status == "completed" and answer.exit_code != 0  # and --strict was given
    if has_doubts:
        status = "failed"
    elif status == "stopped" and event.overdue:
        status = "timeout"
    message, text = answer.summary.get("message", ""), answer.text
    if answer.too_large and status in ("completed", "stopped"):
        status = "too large"
        message = text = message or f"its results are larger than the {plan.most_bytes} bytes of --max-size"
    elif answer.unmet is not None and status in EXPECTABLE and (answer.unmet or not has_doubts):
        status, text = ("unexpected", "\n".join(answer.unmet)) if answer.unmet else ("as expected", "")
        message = unmet_text(answer.unmet)
    return DeckResult(deck, status, message, text, event.seconds, answer.summary)


def unmet_text(unmet: list[str]) -> str:
    """One line for what is not as expected; that of the status, which is the first, says it all."""
    if unmet and unmet[0].startswith("status: "):
        return unmet[0].removeprefix("status: ")
    return counted(len(unmet), "number") + " not as expected" if unmet else ""
