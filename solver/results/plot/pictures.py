"""Pictures of runs: the page, histories over time or over each other, spectra, orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from gsolve.parser.text.numbers import counted

from .curves import Curve, Run, WantedError, find_curves, one_curve
from .envelope import PARTS, POINTS
from .figure import new_figure, plain, style, write_footer
from .overview import header, overview
from .panels import Panel, draw_panel, legend_height, limited, panels_of, statistics

WIDTH, PANEL_HEIGHT, AROUND = 11.0, 2.5, 1.0  # in inches
PAGE_WIDTH, PAGE_PANEL_HEIGHT, PAGE_COLUMNS = 15.0, 2.1, 2
MOST_PANELS = 12
MOST_ORDERS = 6  # histories that are tracked by orders in one picture


@dataclass(slots=True)
class Picture:
    """A figure, and what is said of it.

    notes : what has to be known of what is drawn; they stand at its foot too
    lines : more that is worth reading
    curves : what is drawn, as data: name, unit, min, max, rms ...
    """

    figure: Any
    notes: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    curves: list[dict[str, Any]] = field(default_factory=list)


def draw_overview(runs: Sequence[Run]) -> Picture:
    """The page of one run, or of several over each other."""
    panels, notes = overview(runs)
    with style():
        columns = min(PAGE_COLUMNS, max(1, len(panels)))
        rows = max(1, ceil(len(panels) / columns))
        tall = [legend_height(panel, with_numbers=False) for panel in panels]
        heights = [max([PAGE_PANEL_HEIGHT, *tall[columns * k : columns * (k + 1)]]) for k in range(rows)]
        figure = new_figure(WIDTH if columns == 1 else PAGE_WIDTH, sum(heights) + _around(runs))
        grid = figure.subplots(rows, columns, squeeze=False, height_ratios=heights).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            draw_panel(axes, panel, with_numbers=False)
        for axes in grid[len(panels) :]:
            axes.remove()
        for axes in grid[columns * (rows - 1) : len(panels)]:
            axes.set_xlabel(_time_label(runs))
        return _finished(figure, runs, panels, notes)


def draw_histories(texts: Sequence[str], runs: Sequence[Run], over: str | None = None) -> Picture:
    """Histories over time, or over another one; a panel a unit.

    Raises
    ------
    WantedError
        there is something among them that no run has
    """
    curves, notes, along = _wanted(texts, runs, over)
    panels, left_out = _chosen(panels_of(curves))
    if over is not None:
        for panel in panels:
            panel.over = along
        notes.append("a dot is where a curve begins")
    with style():
        figure, grid = _column(panels, runs, PANEL_HEIGHT if over is None else 2 * PANEL_HEIGHT)
        for axes, panel in zip(grid, panels, strict=True):
            draw_panel(axes, panel, with_numbers=True)
        grid[-1].set_xlabel(_time_label(runs) if over is None else plain(_named(panels[0].over[0])))
        return _finished(figure, runs, panels, notes + left_out)


def draw_frequencies(texts: Sequence[str], runs: Sequence[Run]) -> Picture:
    """Amplitudes of histories by frequency; raises WantedError."""
    from .spectrum_panels import draw_spectra  # scipy takes a third of a second

    curves, notes, _ = _wanted(texts, runs)
    panels, left_out = _chosen(panels_of(curves))
    with style():
        figure, grid = _column(panels, runs, PANEL_HEIGHT)
        drawn = draw_spectra(grid, panels, runs[0].result.time.units)
        return _finished(figure, runs, panels, [*notes, *left_out, *drawn.notes], drawn.lines, drawn.peaks)


def draw_order_maps(texts: Sequence[str], runs: Sequence[Run], shaft: str) -> Picture:
    """Amplitudes of histories by orders of a shaft; raises WantedError."""
    from .spectrum_panels import draw_orders

    curves, notes, shafts = _wanted(texts, runs, shaft)
    if len(curves) > MOST_ORDERS:
        notes.append(f"of {len(curves)} histories the first {MOST_ORDERS} are drawn")
        curves = curves[:MOST_ORDERS]
    with style():
        figure = new_figure(PAGE_WIDTH, 1.3 * PANEL_HEIGHT * len(curves) + _around(runs))
        drawn = draw_orders(figure, curves, shafts, runs[0].result.time.units)
        return _finished(
            figure, runs, [Panel([curve]) for curve in curves], notes + drawn.notes, drawn.lines, drawn.peaks
        )


def _wanted(
    texts: Sequence[str], runs: Sequence[Run], other: str | None = None
) -> tuple[list[Curve], list[str], list[Curve]]:
    """The curves of all texts, notes, and one more curve for each run; what is wrong with any is told together."""
    complaints: list[str] = []
    curves, notes, others = list[Curve](), list[str](), list[Curve]()
    try:
        curves, notes = find_curves(texts, runs)
    except WantedError as error:
        complaints.append(str(error))
    try:
        others = [one_curve(other, run, place) for place, run in enumerate(runs) if other is not None]
    except WantedError as error:
        complaints.append(str(error))
    if complaints:
        raise WantedError("\n".join(complaints))
    return curves, notes, others


def _chosen(panels: list[Panel]) -> tuple[list[Panel], list[str]]:
    """As many panels, and as many curves of each, as a picture can show, and what was left out."""
    notes = [note for panel in panels[:MOST_PANELS] if (note := limited(panel))]
    if len(panels) > MOST_PANELS:
        left = ", ".join(panel.curves[0].name for panel in panels[MOST_PANELS : MOST_PANELS + 3])
        notes.append(f"of {len(panels)} panels the first {MOST_PANELS} are drawn; left out: {left} ...")
    return panels[:MOST_PANELS], notes


def _column(panels: Sequence[Panel], runs: Sequence[Run], least: float) -> tuple[Any, Any]:
    """A figure with panels one below the other, each high enough for its legend."""
    heights = [max(least, legend_height(panel, with_numbers=True)) for panel in panels]
    figure = new_figure(WIDTH, sum(heights) + _around(runs))
    return figure, figure.subplots(len(panels), squeeze=False, height_ratios=heights)[:, 0]


def _around(runs: Sequence[Run]) -> float:
    """What head and foot of a figure take, in inches."""
    return AROUND + 0.3 * (len(runs) - 1)


def _finished(
    figure: Any,
    runs: Sequence[Run],
    panels: Sequence[Panel],
    notes: Sequence[str],
    lines: Sequence[str] = (),
    facts: Sequence[dict[str, Any]] = (),
) -> Picture:
    """Give a figure its head and its foot."""
    names = [run.label or (run.result.path.stem if run.result.path else run.result.run_name) for run in runs]
    heads = [header(run.result, name) for run, name in zip(runs, names, strict=True)]
    figure.suptitle(plain("\n".join(heads)), x=0.01, ha="left", fontsize=9 if len(runs) == 1 else 8)
    running = [f"{name}: its run goes on, or was killed; drawn as far as it is written"
               for run, name in zip(runs, names, strict=True) if run.result.status == "running"]  # fmt: skip
    notes = [*running, *dict.fromkeys(notes)]
    curves = [curve for panel in panels for curve in panel.curves]
    thinned = [
        curve for panel in panels if not panel.over for curve in panel.curves if len(curve.times) > POINTS * PARTS
    ]
    if thinned and not facts:
        notes.append(
            f"{counted(len(thinned), 'long history', 'long histories')} drawn by the first, smallest, largest and last "
            f"sample of each of {PARTS} parts of the time"
        )
    write_footer(figure, notes)
    if not facts:
        facts = [_fact(curve) for curve in curves]
    return Picture(figure, notes, list(lines), list(facts))


def _fact(curve: Curve) -> dict[str, Any]:
    run = {"run": curve.run_label} if curve.run_label else {}
    return {"name": curve.name, **run, "unit": curve.unit, **statistics(curve)}


def _time_label(runs: Sequence[Run]) -> str:
    return f"time [{runs[0].result.time.units}]"


def _named(curve: Curve) -> str:
    return f"{curve.text} [{curve.unit}]" if curve.unit else curve.text
