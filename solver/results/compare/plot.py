"""Pictures of the histories that differ most, both runs over each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..files import OutputError
from ..plot.envelope import thinned
from ..plot.figure import colour_of, line_style_of, new_figure, plain, style, write_figure
from .pair import Comparison, Difference
from .sides import Side
from .units import factor

MOST_PICTURES = 6
WIDTH, HEIGHT, FOOT = 9.0, 2.4, 0.4  # of one, and below all, in inches


def plot(found: Comparison, a: Side, b: Side, path: Path, *, force: bool) -> int:
    """Draw the histories that differ most, or that are farthest apart where none does; returns how many.

    force : whether a file that is there is replaced

    Raises
    ------
    OutputError
        matplotlib is not installed, or the file cannot be written
    """
    rows = [row for row in found.differing or found.differences if row.name in a.units][:MOST_PICTURES]
    if not rows:
        raise OutputError("there is nothing to plot: the two have no history in common")
    with style():
        figure = new_figure(WIDTH, HEIGHT * len(rows) + FOOT)
        for axes, row in zip(figure.subplots(len(rows), squeeze=False)[:, 0], rows, strict=True):
            _draw(axes, row, a, b)
            axes.set_xlim(*found.span) if found.samples > 1 else None
        axes.set_xlabel(f"time [{found.time_unit}]")
        figure.axes[0].legend(loc="best")
    write_figure(figure, path, force=force)
    return len(rows)


def _draw(axes: Any, row: Difference, a: Side, b: Side) -> None:
    times_of_b = b.times * factor(b.time_unit, a.time_unit, "time")
    values_of_b = b.values(row.name) * factor(b.units[row.name], row.unit, row.name)
    of_both = ((a.times, np.asarray(a.values(row.name)), a), (times_of_b, values_of_b, b))
    for k, (times, values, side) in enumerate(of_both):
        label = f"{'AB'[k]}: {side.label}"
        axes.plot(*thinned(times, values), color=colour_of(k), linestyle=line_style_of(k), label=plain(label))
    if row.first_beyond is not None:
        axes.axvline(row.first_beyond, color="grey", linewidth=0.8)
    axes.set_ylabel(f"{row.name}\n[{row.unit}]")
    axes.set_title(f"largest difference {row.largest:.3g} at t = {row.at:.6g}", loc="left")
