"""Pictures of the histories that differ most, both runs over each other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..files import OutputError
from ..frames import package
from .pair import Comparison, Difference
from .sides import Side
from .units import factor

MOST_PICTURES = 6
WIDTH, HEIGHT = 9.0, 2.4  # of one, in inches


def plot(found: Comparison, a: Side, b: Side, path: Path) -> int:
    """Draw the histories that differ most, or that are farthest apart where none does; returns how many.

    Raises
    ------
    OutputError
        matplotlib is not installed, or the file cannot be written
    """
    try:
        package("matplotlib")
    except ImportError as error:
        raise OutputError("--plot needs matplotlib, which is not installed: pip install 'gsolve[plot]'") from error
    rows = (found.differing or found.differences)[:MOST_PICTURES]
    if not rows:
        raise OutputError("there is nothing to plot: the two have no history in common")
    figure = import_module("matplotlib.figure").Figure(figsize=(WIDTH, HEIGHT * len(rows)), layout="constrained")
    for axes, row in zip(figure.subplots(len(rows), squeeze=False)[:, 0], rows, strict=True):
        _draw(axes, row, a, b)
        axes.set_xlim(*found.span) if found.samples > 1 else None
    axes.set_xlabel(f"time [{found.time_unit}]")
    figure.axes[0].legend(loc="best")
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise OutputError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    return len(rows)


def _draw(axes: Any, row: Difference, a: Side, b: Side) -> None:
    times_of_b = b.times * factor(b.time_unit, a.time_unit, "time")
    values_of_b = b.values(row.name) * factor(b.units[row.name], row.unit, row.name)
    axes.plot(a.times, np.asarray(a.values(row.name)), label=f"A: {a.label}")
    axes.plot(times_of_b, values_of_b, "--", label=f"B: {b.label}")
    if row.first_beyond is not None:
        axes.axvline(row.first_beyond, color="grey", linewidth=0.8)
    axes.set_ylabel(f"{row.name}\n[{row.unit}]", fontsize="small")
    axes.set_title(f"largest difference {row.largest:.3g} at t = {row.at:.6g}", fontsize="small", loc="left")
    axes.grid(alpha=0.3)
