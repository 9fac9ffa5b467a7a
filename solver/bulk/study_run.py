"""A study while it goes on: its cases in worker processes, what came of each in a table, nothing twice."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import DeckError

from ..core.digests import digest_of_file, digest_of_gsolve
from ..core.version import version
from ..run.interrupt import StopRequest
from ..run.options import RunOptions, UsageError, input_files
from .batch import DeckResult, Display
from .designs import Case, case_names, cases_of
from .one_case import Bundle, CaseAnswer, CaseTask, bundle_of, read_case
from .study_file import Distribution, Number, Study
from .study_table import Row, StudyTable, key_of
from .workers import Event, WorkersError

LARGEST_WHOLE = 2**53  # beyond, numbers are not known to a unit
MOST_LOOKS = 8  # cases in whose place others are looked at first, as their values make the deck wrong


class Executor(Protocol):
    """Where cases are run: `Workers` or `Cluster`; count : tasks at a time."""

    @property
    def count(self) -> int: ...

    def start(self) -> None: ...

    def submit(self, payload: Any) -> int: ...

    def events(self, tick: Any) -> Iterable[Event]: ...

    def drop_waiting(self) -> list[int]: ...

    def stop(self, reason: str) -> None: ...


class EndedError(Exception):
    """The study was ended before its time; the text says by what."""


def first_cases(study: Study) -> list[Case]:
    """Cases to look at before all others, each if the one before makes the deck wrong."""
    if study.optimisation is None:
        return cases_of(study)[:MOST_LOOKS]
    return [
        {
            name: (choice.numbers[0] + choice.numbers[-1]) / 2 if isinstance(choice, Distribution) else choice.values[0]
            for name, choice in study.parameters.items()
        }
    ]


def defines_of(case: Mapping[str, Number]) -> dict[str, str]:
    """Values of parameters as -D has them, whole numbers without a point, as parameters that are whole need it."""
    return {
        name: repr(int(value)) if float(value).is_integer() and abs(value) < LARGEST_WHOLE else repr(value)
        for name, value in case.items()
    }


def read_first(study: Study, options: RunOptions) -> Model:
    """The deck with the values of the first case with which it can be read; raises the DeckError of the first one."""
    first: DeckError | None = None
    for case in first_cases(study):
        try:
            return read_case(study.deck, defines_of(case), options)
        except DeckError as error:
            first = first or error
    assert first is not None
    raise first


def setting_of(study: Study, model: Model) -> dict[str, Any]:
    """What decides on the results of the cases, beside their parameters."""
    folder = os.path.dirname(os.path.abspath(study.deck))
    files = {os.path.relpath(name, folder): digest_of_file(name) for name in input_files(model)}
    return {
        "gsolve": version(),
        "sources": digest_of_gsolve(),
        "study": study.path.name,
        "files": files,
        "options": study.options,
        "responses": study.responses,
        "parameters": list(study.parameters),
    }


@dataclass(slots=True)
class StudyRun:
    """A study while it goes on.

    remote : whether cases run on machines that do not have the deck
    remarks : what was found and belongs to no case, each once, in order
    """

    study: Study
    options: RunOptions
    model: Model
    table: StudyTable
    executor: Executor
    display: Display
    request: StopRequest
    remote: bool = False
    remarks: dict[str, None] = field(default_factory=dict)
    _deck: str | Bundle = field(init=False)

    def __post_init__(self) -> None:
        deck = self.study.deck
        self._deck = bundle_of(deck, input_files(self.model)) if self.remote else str(deck)

    def check(self, known: Iterable[str] = ()) -> None:
        """Look for mistakes before anything is run, unless all was run before.

        known : those that were found already

        Raises
        ------
        UsageError
            the machine cannot be assembled, or a response is wrong; with all that there is to say
        """
        if self.study.optimisation is None and all(self.table.find(case) for case in cases_of(self.study)):
            return
        self.executor.start()
        of_deck, of_study = "", ""
        for case in first_cases(self.study):
            answer = self._look_at(case)
            if answer.status != "deck errors":  # which another value may not make
                of_deck, of_study = "", "" if answer.status == "completed" else answer.text
                break
            of_deck = of_deck or answer.text
        mistakes = [*(text.removeprefix("gsolve: ") for text in (of_deck, of_study) if text), *known]
        if mistakes:
            raise UsageError("\n".join(mistakes))

    def _look_at(self, case: Case) -> CaseAnswer:
        """What would come of a case before its first step; raises UsageError where no worker can say it."""
        for _ in range(self.executor.count):  # each loads machine code for it, which all cases need
            self.executor.submit(self._task(case, check_only=True))
        answer = CaseAnswer("completed")
        for event in self.executor.events(self._tick_of_check):
            if event.kind == "lost":
                raise UsageError(f"the first look at the deck failed: {event.value}")
            if event.kind == "done":
                self._take_remarks(event.value)
                answer = event.value if event.value.status != "completed" else answer
        return answer

    def run(self, cases: Iterable[Case]) -> None:
        """Run all cases of which nothing is known yet.

        Raises
        ------
        EndedError
            before all were run; what is done is in the table
        """
        ended_by, numbers = "", dict[int, tuple[Case, str]]()
        new = [case for case in {key_of(case): case for case in cases}.values() if self.table.find(case) is None]
        for case, label in zip(new, case_names(new), strict=True):
            numbers[self.executor.submit(self._task(case))] = case, label

        def end(reason: str) -> None:
            nonlocal ended_by
            if not ended_by:
                ended_by = reason
                self.executor.drop_waiting()
                self.executor.stop(reason)

        def tick() -> None:
            if self.request.reason:
                end(self.request.reason)
            self.table.save_now_and_then()
            self.display.tick()

        try:
            for event in self.executor.events(tick):
                case, label = numbers[event.task]
                if event.kind == "began":
                    self.display.began(label)
                elif event.kind == "reached":
                    self.display.reached(label, event.value)
                else:
                    self._note(case, label, event)
        except WorkersError as error:
            ended_by = str(error)
        except KeyboardInterrupt:
            ended_by = self.request.reason
        finally:
            self.table.save()
        if ended_by:
            raise EndedError(ended_by)

    def _note(self, case: Case, label: str, event: Event) -> None:
        """Take what came of a case into the table and say it."""
        answer = answer_of(event)
        self._take_remarks(answer)
        where = {name: float(value) for name, value in case.items()}
        row = Row(where, answer.status, " ".join(answer.message.split()), event.seconds, answer.responses)
        if row.status != "stopped":
            self.table.put(row)
        status: Any = answer.status
        self.display.ended(DeckResult(label, status, answer.message, answer.text, event.seconds))

    def _take_remarks(self, answer: CaseAnswer) -> None:
        self.remarks.update(dict.fromkeys(answer.remarks))

    def _task(self, case: Case, *, check_only: bool = False) -> CaseTask:
        return CaseTask(self._deck, defines_of(case), self.options, self.study.responses, check_only)

    def _tick_of_check(self) -> None:
        if self.request.reason:
            raise EndedError(self.request.reason)


def answer_of(event: Event) -> CaseAnswer:
    """What came of a case, also where nobody could say so."""
    if event.kind == "lost":
        return CaseAnswer("timeout" if event.overdue else "lost", event.value.splitlines()[-1], event.value)
    answer: CaseAnswer = event.value
    if answer.status == "stopped" and event.overdue:
        return CaseAnswer("timeout", answer.message, answer.text)
    return answer
