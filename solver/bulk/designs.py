"""The cases of a study: which values its parameters take together."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .study_file import SAMPLED, Distribution, Number, Study, Values
from .study_table import key_of

Case = dict[str, Number]


def cases_of(study: Study) -> list[Case]:
    """All cases of a study that is no optimisation, each once, in the order of the file, the last parameter fastest."""
    return list({key_of(case): case for case in _all_cases(study)}.values())


def repeated_cases(study: Study) -> str:
    """What to say of cases that the file asks for more than once, or nothing."""
    count, once = len(_all_cases(study)), len(cases_of(study))
    return f"{count - once} of {count} cases are equal to others: each is run once" if once < count else ""


def _all_cases(study: Study) -> list[Case]:
    names = list(study.parameters)
    if study.kind in SAMPLED:
        return sampled_cases(study)
    choices = [choice.values for choice in study.parameters.values() if isinstance(choice, Values)]
    if study.kind == "list":
        count = max(map(len, choices))
        rows = zip(*(values if len(values) == count else values * count for values in choices), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*choices)]


def sampled_cases(study: Study) -> list[Case]:
    """Cases that are drawn: the same for the same seed."""
    points = unit_points(study.kind, study.samples, len(study.parameters), study.seed)
    columns = [drawn(choice, points[:, k]) for k, choice in enumerate(study.parameters.values())]
    return [dict(zip(study.parameters, row, strict=True)) for row in zip(*columns, strict=True)]


def unit_points(kind: str, count: int, dimensions: int, seed: int) -> NDArray[np.float64]:
    """Points (count, dimensions) between 0 and 1, neither included."""
    generator = np.random.default_rng(seed)
    if kind == "random":
        points = generator.random((count, dimensions))
    else:
        from scipy.stats import qmc

        sampler: Any = qmc.LatinHypercube if kind == "latin hypercube" else qmc.Sobol
        points = sampler(dimensions, rng=generator).random(count)
    tiny = np.finfo(float).eps
    return np.clip(points, tiny, 1.0 - tiny)


def drawn(choice: Values | Distribution, unit: NDArray[np.float64]) -> list[Number]:
    """Values of a parameter at points between 0 and 1, by its distribution; of a list each equally often."""
    if isinstance(choice, Values):
        return [choice.values[int(u * len(choice.values))] for u in unit]
    from scipy import stats

    a, b = choice.numbers[0], choice.numbers[-1]
    if choice.name == "triangular":
        distribution = stats.triang((choice.numbers[1] - a) / (b - a), loc=a, scale=b - a)
    else:
        distribution = {
            "uniform": lambda: stats.uniform(a, b - a),
            "loguniform": lambda: stats.loguniform(a, b),
            "normal": lambda: stats.norm(a, b),
            "lognormal": lambda: stats.lognorm(b, scale=a),
        }[choice.name]()
    return list(map(float, distribution.ppf(unit)))


def case_text(case: Mapping[str, Number], digits: int = 6) -> str:
    """A case in a line."""
    return ", ".join(f"{name} = {value:.{digits}g}" for name, value in case.items())


def case_names(cases: Sequence[Mapping[str, Number]]) -> list[str]:
    """Each in a line, those that six digits do not tell from others with all of theirs."""
    short = list(map(case_text, cases))
    count = Counter(short)
    return [text if count[text] == 1 else case_text(case, 17) for text, case in zip(short, cases, strict=True)]
