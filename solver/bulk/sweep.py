"""A study from its first case to its last, or to its optimum."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..run.endings import EXIT_RUN_FAILED
from ..run.interrupt import EXIT_INTERRUPTED, SIGNALS
from .designs import Case, cases_of
from .search import search
from .study_run import EndedError, StudyRun
from .study_table import Row, key_of


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What became of a study.

    cases : in their order
    ended_by : what ended it before its time, empty if nothing did
    known : cases that were run before
    remarks : what was found and belongs to no case, each once
    """

    cases: list[Case]
    rows: list[Row | None]
    ended_by: str
    known: int
    seconds: float
    remarks: list[str]

    @property
    def exit_code(self) -> int:
        """Exit code of the process."""
        if self.ended_by in SIGNALS.values():
            return EXIT_INTERRUPTED
        return 0 if all(row is not None and row.status == "completed" for row in self.rows) else EXIT_RUN_FAILED


def run_sweep(run: StudyRun) -> SweepOutcome:
    """Run the cases of a study, or look for its optimum."""
    started, ended_by = time.monotonic(), ""
    cases = cases_of(run.study) if run.study.optimisation is None else []
    before = set(run.table.rows)
    try:
        if run.study.optimisation is None:
            run.run(cases)
        else:
            search(run, cases)
    except EndedError as error:
        ended_by = str(error)
    run.table.sort(cases)
    run.table.save()
    rows = [run.table.find(case) for case in cases]
    known = sum(row is not None and key_of(row.parameters) in before for row in rows)
    return SweepOutcome(cases, rows, ended_by, known, time.monotonic() - started, list(run.remarks))
