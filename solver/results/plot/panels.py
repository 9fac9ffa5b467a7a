"""Panels: curves of one unit over time or over another history, with what has to be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats
from ..responses import REDUCTIONS
from .curves import Curve
from .envelope import thinned
from .figure import GREY, LINE_STYLES, colour_of, line_style_of, plain, scale_in_decades

MOST_CURVES = 12  # of a panel
FLAT = 1e-6  # a history that varies less, as a part of its size, is drawn as a straight line
_DECADES = 1e10  # between the largest and the lowest magnitude that is drawn
_ROOM = 0.1  # above and below a straight line, as a part of its size


@dataclass(slots=True)
class Panel:
    """Curves that share an axis.

    curves : those without a text need no legend
    title : "" where the axis says it all
    logarithmic : whether magnitudes are drawn, by their powers of ten
    band : times, smallest and largest values of all that was to be drawn, where that is too much
    over : for each run what stands along the axis, in place of the time
    """

    curves: list[Curve]
    title: str = ""
    logarithmic: bool = False
    band: tuple[Floats, Floats, Floats] | None = None
    over: list[Curve] = field(default_factory=list)


def panels_of(curves: Iterable[Curve]) -> list[Panel]:
    """A panel a unit; energies and moments, and pure numbers of different names, stand apart."""
    groups: dict[tuple[str, ...], list[Curve]] = {}
    for curve in curves:
        key = (curve.quantity,) if curve.unit in ("", "1") else (curve.unit, "energy" if curve.energy else "")
        groups.setdefault(key, []).append(curve)
    return [Panel(group) for group in groups.values()]


def limited(panel: Panel, most: int = MOST_CURVES) -> str:
    """Leave those curves of a panel that range the farthest, and a band of all; returns what was left out, or ""."""
    names = list(dict.fromkeys(curve.name for curve in panel.curves))
    if len(names) <= most:
        return ""
    ranges = {name: max(curve.range for curve in panel.curves if curve.name == name) for name in names}
    kept = sorted(names, key=lambda name: -ranges[name])[:most]
    whole = panel.curves
    panel.curves = [curve for curve in whole if curve.name in kept]
    of_first = [curve for curve in whole if curve.run == whole[0].run]
    if not panel.over and all(len(curve.times) == len(of_first[0].times) for curve in of_first):
        values = np.stack([curve.values for curve in of_first])
        panel.band = (of_first[0].times, np.fmin.reduce(values), np.fmax.reduce(values))
    return f"of {len(names)} histories of {_asked(whole)} the {most} are drawn that range the farthest" + (
        "; the grey band holds all" if panel.band else ""
    )


def _asked(curves: Sequence[Curve]) -> str:
    return ", ".join(dict.fromkeys(curve.asked for curve in curves))


def legend_height(panel: Panel, *, with_numbers: bool) -> float:
    """What the legend of a panel takes, in inches."""
    entries = sum(bool(curve.text) for curve in panel.curves) + (panel.band is not None)
    return (0.28 if with_numbers else 0.165) * entries + 0.2


def axis_label(curves: Sequence[Curve]) -> str:
    """Names of the variables and their unit."""
    names = list(dict.fromkeys(curve.quantity for curve in curves))
    named = ", ".join(names) if len(names) <= 4 and sum(map(len, names)) <= 40 else ""
    unit = curves[0].unit
    return f"{named} [{unit}]".strip() if unit else named


def statistics(curve: Curve) -> dict[str, float]:
    """min, max and rms (over time) of a curve, of its numbers alone."""
    known = np.isfinite(curve.values)
    if not known.any():
        return {}
    times, values = curve.times[known], curve.values[known]
    return {name: REDUCTIONS[name].of(times, values) for name in ("min", "max", "rms")}


def legend_text(curve: Curve, *, with_numbers: bool) -> str:
    """Name, run, and on a second line min, max and rms."""
    text = f"{curve.run_label}: {curve.text}".removesuffix(": ") if curve.run_label else curve.text
    if not with_numbers:
        return text
    found = statistics(curve)
    if not found:
        return f"{text}\nno values"
    size, spread = max(abs(found["min"]), abs(found["max"])), found["max"] - found["min"]
    digits = 4 if spread <= FLAT * size else max(4, ceil(log10(size / spread)) + 3)  # so many that the two differ
    return f"{text}\n" + ", ".join(f"{name} {value + 0.0:.{digits}g}" for name, value in found.items())


def draw_panel(axes: Any, panel: Panel, *, with_numbers: bool) -> None:
    """Draw the curves of a panel, their legend and the names of the axis."""
    many_runs = bool(panel.curves[0].run_label)
    names = list(dict.fromkeys(curve.name for curve in panel.curves))
    if panel.band is not None:
        times, low, high = panel.band
        (low_times, low), (high_times, high) = thinned(times, low), thinned(times, high)
        grid = np.union1d(low_times, high_times)
        bounds = np.interp(grid, low_times, low), np.interp(grid, high_times, high)
        axes.fill_between(grid, *bounds, color=GREY, linewidth=0, label="smallest to largest of all")
    for curve in panel.curves:
        place = names.index(curve.name)
        colour, dashes = (place, curve.run) if many_runs and len(names) > 1 else (place + curve.run, place + curve.run)
        x, y = _points(curve, panel)
        label = legend_text(curve, with_numbers=with_numbers)
        # what stands on the same line is seen through the gaps of what is drawn later
        zorder = 2.0 + 0.1 * (dashes % len(LINE_STYLES))
        drawn = {
            "zorder": zorder,
            "color": colour_of(colour),
            "linestyle": line_style_of(dashes),
            "label": plain(label),
        }
        axes.plot(x, y, **drawn)
        lonely = _lonely(y)
        if lonely.any():
            axes.plot(x[lonely], y[lonely], ".", color=colour_of(colour), zorder=zorder, markersize=3)
        if panel.over:
            axes.plot(x[:1], y[:1], "o", color=colour_of(colour), markersize=4)
    _scale(axes, panel)
    axes.set_ylabel(plain(axis_label(panel.curves)))
    if panel.title:
        axes.set_title(panel.title, loc="left")
    if many_runs or any(curve.text for curve in panel.curves):
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.3, handlelength=2.6)


def _points(curve: Curve, panel: Panel) -> tuple[Floats, Floats]:
    if panel.over:
        return next(x.values for x in panel.over if x.run == curve.run), curve.values
    values = curve.values
    if panel.logarithmic:
        values = np.where(values == 0.0, np.nan, np.abs(values))
    return thinned(curve.times, values)


def _lonely(values: Floats) -> NDArray[np.bool_]:
    """Which are numbers between gaps, of which a line would show nothing."""
    gaps = np.concatenate([[True], ~np.isfinite(values), [True]])
    return np.asarray(gaps[:-2] & ~gaps[1:-1] & gaps[2:])


def _scale(axes: Any, panel: Panel) -> None:
    """Limits of the axes; what is flat but for rounding is not blown up to fill the picture."""
    if panel.over:
        _spread(axes.set_xlim, [x.numbers for x in panel.over])
    else:
        spans = [curve.times[[0, -1]] for curve in panel.curves]
        low, high = min(span[0] for span in spans), max(span[1] for span in spans)
        if high > low:
            axes.set_xlim(low, high)
    numbers = [curve.numbers for curve in panel.curves]
    if not panel.logarithmic:
        _spread(axes.set_ylim, numbers)
    elif any(np.any(part != 0.0) for part in numbers):
        magnitudes = np.abs(np.concatenate(numbers))
        largest, least = np.max(magnitudes), np.min(magnitudes[magnitudes > 0.0])
        scale_in_decades(axes, max(least, largest / _DECADES), largest)


def _spread(set_limits: Any, values: Sequence[Floats]) -> None:
    numbers = np.concatenate(values)
    if not len(numbers):
        return
    low, high = float(np.min(numbers)), float(np.max(numbers))
    size = max(abs(low), abs(high))
    if high - low <= FLAT * size or size == 0.0:
        room = _ROOM * size or 1.0
        set_limits(low - room, high + room)
