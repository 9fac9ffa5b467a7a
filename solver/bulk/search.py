"""The optimum of a study: scipy's methods, whose evaluations are cases in the table like all others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gsolve.parser.text.expressions import ExpressionError
from numpy.typing import NDArray

from ..results.expressions import pointed_out
from ..results.responses import Response
from .study_file import Distribution, Study, Values

if TYPE_CHECKING:
    from .designs import Case
    from .study_run import StudyRun

AT_BOUND = 0.01  # part of the range of a parameter within which an optimum is told to be at its bound


class _EnoughError(Exception):
    """As many cases were evaluated as there may be."""


class Objective:
    """What is to become small, at places in the unit cube of the parameters that are free.

    cases : that were asked for so far, each once
    """

    def __init__(self, run: StudyRun, cases: list[Case]) -> None:
        assert run.study.optimisation is not None
        self._run, self._wanted = run, run.study.optimisation
        self._text = self._wanted.expression
        self._cases = cases
        self._seen: set[str] = set()
        self._free = [(n, c) for n, c in run.study.parameters.items() if isinstance(c, Distribution)]
        self.bounds = [(0.0, 1.0)] * len(self._free)

    def case_at(self, place: NDArray[np.float64]) -> Case:
        """The case at a place of the unit cube."""
        case: Case = {}
        places = dict(zip((name for name, _ in self._free), np.clip(place, 0.0, 1.0), strict=True))
        for name, choice in self._run.study.parameters.items():
            if isinstance(choice, Values):
                case[name] = choice.values[0]
            else:
                low, high = choice.numbers
                part = float(places[name])
                case[name] = low * (high / low) ** part if choice.name == "loguniform" else low + (high - low) * part
        return case

    def __call__(self, places: NDArray[np.float64]) -> Any:
        """Values at places (n, m), or the value at one place (n,); what has none is infinitely bad.

        Raises
        ------
        _EnoughError
            there are more cases than may be evaluated; as many as may be were
        """
        columns = places.reshape(len(self._free), -1)
        cases = [self.case_at(column) for column in columns.T]
        new = {key: case for case in cases if (key := repr(sorted(case.items()))) not in self._seen}
        left = self._wanted.evaluations - len(self._cases)
        asked = dict(itertools.islice(new.items(), left))
        self._seen.update(asked)
        self._cases += asked.values()
        self._run.run(asked.values())
        if len(new) > left:
            raise _EnoughError
        values = np.array([self.value_of(case) for case in cases])
        return values if places.ndim == 2 else float(values[0])

    def value_of(self, case: Case) -> float:
        """Of a case that was run."""
        row = self._run.table.find(case)
        if row is None or row.status != "completed":
            return math.inf
        parameters = {**self._run.model.parameters, **row.parameters, **row.responses}
        value = Response(self._text, (), parameters).value(np.zeros(1), {}, parameters)
        return value if math.isfinite(value) else math.inf  # -inf, of 1/0, is no optimum


def mistakes_in_objective(study: Study, parameters: Mapping[str, float]) -> list[str]:
    """What is wrong with the expression that is to become small, if a study has one; parameters : of the deck."""
    if study.optimisation is None:
        return []
    text = study.optimisation.expression
    try:
        Response(text, (), {**parameters, **dict.fromkeys(study.responses, 1.0)})
    except ExpressionError as error:
        return [f"minimise.expression: {pointed_out(text, error)}"]
    return []


def at_bounds(study: Study, case: Case) -> list[str]:
    """What parameters of an optimum are at a bound of theirs, a text each."""
    found = []
    for name, choice in study.parameters.items():
        if isinstance(choice, Distribution):
            (low, high), value = choice.numbers, case[name]
            if choice.name == "loguniform":
                part = math.log(value / low) / math.log(high / low)
            else:
                part = (value - low) / (high - low)
            if not AT_BOUND < part < 1.0 - AT_BOUND:
                found.append(f"{name} = {value:.6g} of {low:g} to {high:g}")
    return found


def search(run: StudyRun, cases: list[Case]) -> None:
    """Look for the optimum; `cases` gets each case that was asked for, the best one first at the end."""
    from scipy import optimize

    wanted = run.study.optimisation
    assert wanted is not None
    objective = Objective(run, cases)
    try:
        if wanted.method == "differential evolution":
            optimize.differential_evolution(
                objective, objective.bounds, vectorized=True, updating="deferred", polish=False,
                rng=np.random.default_rng(run.study.seed), tol=wanted.tolerance, atol=wanted.tolerance,
                maxiter=wanted.evaluations,
            )  # fmt: skip
        else:
            names = {"Nelder-Mead": ("xatol", "fatol"), "Powell": ("xtol", "ftol")}[wanted.method]
            limits = {**dict.fromkeys(names, wanted.tolerance), "maxfev": wanted.evaluations}
            start = np.full(len(objective.bounds), 0.5)
            optimize.minimize(objective, start, method=wanted.method, bounds=objective.bounds, options=limits)
    except _EnoughError:
        pass
    finally:
        cases.sort(key=objective.value_of)
