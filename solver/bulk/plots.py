"""Pictures of results and of studies: what `gsolve plot` and `gsolve.plot` draw."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gsolve.parser.text.numbers import counted

from ..results.compare.sides import load_result
from ..results.files import OutputError
from ..results.plot.cases import Cases, draw_cases
from ..results.plot.curves import WantedError, runs_of
from ..results.plot.pictures import Picture, draw_frequencies, draw_histories, draw_order_maps, draw_overview
from ..results.result import Result
from ..results.variables import listed, unknown
from ..run.options import UsageError
from .study_table import StudyTable, is_study, load_study

Source = str | os.PathLike[str] | Result | StudyTable


def plot(
    results: Source | Sequence[Source],
    variables: str | Sequence[str] = (),
    *,
    over: str | None = None,
    fft: bool = False,
    orders: str | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Any:
    """Draw histories of a run, of several over each other, or the cases of a study.

    Parameters
    ----------
    results
        A result, the path of a result file, several of them, or a study or its path.
    variables
        Names, patterns and expressions of histories, responses of a study; none: a page of all that matters.
    over
        What stands along the axis in place of the time.
    fft
        Draw amplitudes by frequency.
    orders
        The rate or the angle of a shaft: draw amplitudes by orders of its turns.
    start, end
        Times from which and up to which histories are drawn, in the unit of the first result.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    OutputError
        A file cannot be drawn, or matplotlib is not installed.
    UsageError
        What is asked for cannot be drawn: with all that is wrong.
    """
    sources = [results] if isinstance(results, str | os.PathLike | Result | StudyTable) else list(results)
    texts = [variables] if isinstance(variables, str) else list(variables)
    return draw(sources, texts, over=over, fft=fft, orders=orders, start=start, end=end).figure


def draw(
    sources: Sequence[Source],
    texts: Sequence[str],
    *,
    over: str | None = None,
    fft: bool = False,
    orders: str | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Picture:
    """The picture of `plot`, with what is said of it."""
    loaded = [_load(source) for source in sources]
    asked = {"over": over is not None, "fft": fft, "orders": orders is not None}
    given = [name for name, is_given in asked.items() if is_given]
    results = [item for item in loaded if isinstance(item, Result)]
    if not loaded:
        raise UsageError("there is nothing to draw: a result file is needed")
    if len(results) < len(loaded):
        if len(loaded) > 1:
            raise UsageError("a study is drawn alone")
        if given or start is not None or end is not None:
            raise UsageError("a study has cases and no times: what is for histories does not go with it")
        return _draw_study(loaded[0], texts)
    if len(given) > 1:
        raise UsageError(f"one of {' and '.join(given)} can be drawn at a time")
    if given and not texts:
        raise UsageError(f"{given[0]} takes variables, as gjoint/1/VEL1: there are {_some_names(results[0])}")
    runs = runs_of(results, start, end)
    try:
        if fft:
            return draw_frequencies(texts, runs)
        if orders is not None:
            return draw_order_maps(texts, runs, orders)
        return draw_histories(texts, runs, over) if texts else draw_overview(runs)
    except WantedError as error:
        raise UsageError(str(error)) from error


def _load(source: Source) -> Result | StudyTable:
    if isinstance(source, Result | StudyTable):
        return source
    path = Path(source)
    return load_study(path) if is_study(path) else load_result(path)


def _some_names(result: Result) -> str:
    names = [f"{family.group.removeprefix('th/')}/{'*/' if family.ids is not None else ''}{family.channels[0].name}"
             for family in result.families if family.channels]  # fmt: skip
    return listed(names)


def _draw_study(study: Any, texts: Sequence[str]) -> Picture:
    """All responses of a study, or some."""
    responses = study.responses
    complaints = [str(unknown(text, responses, f"{study.path.name} has no response {text!r}"))
                  for text in texts if text not in responses]  # fmt: skip
    if complaints:
        raise UsageError("\n".join(complaints))
    done = np.array([status == "completed" for status in study.status], dtype=bool)
    if not done.any():
        raise OutputError(f"{study.path.name} has no completed case: there is nothing to draw")
    others = Counter(status for status in study.status if status != "completed")
    notes = [f"not drawn: {', '.join(f'{count} {status}' for status, count in others.items())}"] if others else []
    wanted = {name: responses[name][done] for name in texts or responses}
    empty = [name for name, values in wanted.items() if not np.isfinite(values).any()]
    notes += [f"no case has a value of {', '.join(empty)}"] if empty else []
    wanted = {name: values for name, values in wanted.items() if name not in empty}
    if not wanted:
        raise OutputError(f"{study.path.name}: {notes[-1]}")
    missing = {name: int(np.count_nonzero(~np.isfinite(values))) for name, values in wanted.items()}
    notes += [f"{name} has no value in {counted(count, 'case')}" for name, count in missing.items() if count]
    title = f"{study.path.stem}: {counted(len(done), 'case')}, {np.count_nonzero(done)} completed"
    cases = Cases(title, {name: values[done] for name, values in study.parameters.items()}, wanted)
    figure, notes = draw_cases(cases, notes)
    curves = [{"name": name, "min": float(np.nanmin(values)), "max": float(np.nanmax(values))}
              for name, values in wanted.items()]  # fmt: skip
    return Picture(figure, notes, [], curves)
