"""Machine number n of a seed, judged: by all that one run shows, and by two or three comparisons of many."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.run.simulation import SimulationError
from running import run

from .comparisons import COMPARISONS
from .families import Case
from .invariants import ALWAYS, SOMETIMES, Measure, Subject

COMPARED = 2


@dataclass
class Verdict:
    """What was measured; `crash` is the text of what ended a run before its time."""

    case: Case
    measures: list[Measure] = field(default_factory=list)
    crash: str = ""
    seconds: float = 0.0

    @property
    def broken(self) -> list[Measure]:
        return [measure for measure in self.measures if measure.broken]

    @property
    def sound(self) -> bool:
        return not self.crash and not self.broken

    def __str__(self) -> str:
        finer = f", with 1/{self.case.finer} of its step" if self.case.finer > 1 else ""
        lines = [f"machine {self.case.number} of seed {self.case.seed}, {self.case.family}{finer}"]
        lines += [f"  {m.invariant}: {m.value:.3g} > {m.bound:.3g} {m.remark}" for m in self.broken]
        lines += [f"  {self.crash}"] if self.crash else []
        return "\n".join(lines)


FINER, FINEST = 4, 64


def judge(case: Case, every_comparison: bool = False) -> Verdict:
    """Run and judge one machine; where its step is too long for it, and the run says so, with a quarter of that."""
    verdict, begin = Verdict(case), time.process_time()
    choices = case.choices()
    compared = choices.permutation(len(COMPARISONS))[: len(COMPARISONS) if every_comparison else COMPARED]
    also = [check for check in SOMETIMES if every_comparison or choices.random() < 0.4]
    checks = [*ALWAYS, *also, *(COMPARISONS[k] for k in sorted(compared))]
    check = None
    try:
        deck = case.deck()
        subject = Subject(case, deck, run(deck))
        for check in checks:
            verdict.measures += check(subject)
    except SimulationError as error:
        if "a shorter time step may help" in error.message and case.finer < FINEST:
            verdict = judge(replace(case, finer=FINER * case.finer), every_comparison)
        else:
            verdict.crash = f"a run failed{_where(check)}: {error.message}"
    except DeckError as error:
        verdict.crash = "; ".join(f"{one.message} ({one.hint})" for one in error.diagnostics)
    except Exception as error:
        lines = traceback.format_exc(limit=-4)
        verdict.crash = f"{type(error).__name__}{_where(check)}: {error}\n{lines}"
    verdict.seconds = time.process_time() - begin
    return verdict


def _where(check: Callable[[Subject], Iterator[Measure]] | None) -> str:
    return f" ({check.__name__})" if check else ""
