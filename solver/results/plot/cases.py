"""Pictures of the cases of a study: responses over parameters, all of a case on one line, and what matters most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.bodies import Floats
from .figure import colour_map, colour_of, new_figure, plain, style, write_footer

MOST_RESPONSES, MOST_PARAMETERS = 6, 5
# Logarithms of a parameter are taken whose largest is so many times its smallest value, with the median so far below.
DECADES, MIDDLE = 50.0, 0.2
ENOUGH = 0.9  # of the scatter that straight lines have to explain, for sensitivities to be trusted
_CARD = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # under numbers that stand on a line


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases that are completed.

    title : of the study
    parameters, responses : (n,) of each, by name; NaN where a response has no value
    """

    title: str
    parameters: Mapping[str, Floats]
    responses: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What each parameter does to a response, by straight lines through all cases.

    effects : by parameter: what the response changes by where the parameter goes through its range
    explained : part of the scatter of the response that the lines have
    """

    effects: dict[str, float]
    explained: float


def in_decades(values: Floats) -> bool:
    """Whether values stand in steps of equal ratios rather than of equal differences, over a wide range."""
    low, high, middle = float(np.nanmin(values)), float(np.nanmax(values)), float(np.nanmedian(values))
    return low > 0.0 and high > DECADES * low and middle < MIDDLE * high


def _even(values: Floats) -> Floats:
    """Values, or their logarithms."""
    return np.asarray(np.log10(values) if in_decades(values) else values)


def sensitivity(parameters: Mapping[str, Floats], response: Floats) -> Sensitivity | None:
    """By least squares; None where there are too few cases, or parameters that go along with each other."""
    known = np.isfinite(response)
    moving = {name: _even(values)[known] for name, values in parameters.items()}
    moving = {name: values for name, values in moving.items() if len(values) and np.ptp(values) > 0.0}
    if not moving or np.count_nonzero(known) < len(moving) + 1:
        return None
    scaled = np.stack([(values - np.mean(values)) / np.ptp(values) for values in moving.values()], axis=1)
    if np.linalg.matrix_rank(scaled) < len(moving):
        return None
    centred = response[known] - np.mean(response[known])
    slopes = np.linalg.lstsq(scaled, centred, rcond=None)[0]
    scatter = float(centred @ centred)
    left = centred - scaled @ slopes
    explained = 1.0 - float(left @ left) / scatter if scatter > 0.0 else 1.0
    return Sensitivity(dict(zip(moving, map(float, slopes), strict=True)), explained)


def draw_cases(cases: Cases, notes: list[str]) -> tuple[Any, list[str]]:
    """A row a response: over each parameter, and the tornado; below all of them lines of the cases."""
    notes = list(notes)
    moving = {name: values for name, values in cases.parameters.items() if np.ptp(values) > 0.0}
    still = [name for name in cases.parameters if name not in moving]
    notes += [f"the same in all cases: {', '.join(still)}"] if still else []
    names, responses = list(moving), list(cases.responses)
    names, responses = (
        _first(names, MOST_PARAMETERS, "parameters", notes),
        _first(responses, MOST_RESPONSES, "responses", notes),
    )
    several = len(names) > 1
    columns = max(1, len(names)) + several
    with style():
        figure = new_figure(max(7.0, 3.4 * columns), 2.4 * len(responses) + 1.0 + 3.2 * several)
        grid = figure.add_gridspec(
            len(responses) + several, columns, height_ratios=[2.4] * len(responses) + [3.0] * several
        )
        for row, response in enumerate(responses):
            values = cases.responses[response]
            for column, name in enumerate(names):
                axes = figure.add_subplot(grid[row, column])
                _over_parameter(axes, moving[name], values, joined=not several)
                axes.set_xlabel(name)
                axes.set_ylabel(response if column == 0 else "")
            if several:
                _tornado(figure.add_subplot(grid[row, columns - 1]), moving, values, response, notes)
        if several:
            _lines_of_cases(figure, figure.add_subplot(grid[-1, :]), {name: moving[name] for name in names},
                            {name: cases.responses[name] for name in responses})  # fmt: skip
        figure.suptitle(plain(cases.title), x=0.01, ha="left", fontsize=9)
        write_footer(figure, notes)
    return figure, notes


def _first(names: list[str], most: int, what: str, notes: list[str]) -> list[str]:
    if len(names) > most:
        notes.append(f"of {len(names)} {what} the first {most} are drawn; left out: {', '.join(names[most:])}")
    return names[:most]


def _over_parameter(axes: Any, parameter: Floats, response: Floats, *, joined: bool) -> None:
    order = np.argsort(parameter, kind="stable")
    line = "-" if joined and len(np.unique(parameter)) == len(parameter) else ""
    axes.plot(parameter[order], response[order], marker="o", markersize=4, linestyle=line, color=colour_of(1))
    if in_decades(parameter):
        axes.set_xscale("log")


def _tornado(axes: Any, parameters: Mapping[str, Floats], response: Floats, name: str, notes: list[str]) -> None:
    """Bars of what the response changes by from the smallest to the largest value of each parameter, longest on top."""
    found = sensitivity(parameters, response)
    axes.set_xlabel(f"change of {name}")
    if found is None:
        axes.text(0.5, 0.5, "too few cases, or parameters\nthat go along with each other", ha="center", va="center",
                  transform=axes.transAxes, fontsize=8)  # fmt: skip
        axes.set_yticks([])
        return
    ranked = sorted(found.effects.items(), key=lambda item: abs(item[1]))
    colours = [colour_of(1 if effect >= 0.0 else 2) for _, effect in ranked]
    axes.barh([parameter for parameter, _ in ranked], [effect for _, effect in ranked], color=colours, height=0.6)
    axes.set_axisbelow(True)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_title(f"straight lines explain {100 * found.explained:.3g} %", loc="left")
    if found.explained < ENOUGH:
        notes.append(f"{name}: straight lines explain only {100 * found.explained:.3g} % of its scatter, its bars are "
                     "no more than a trend")  # fmt: skip


def _lines_of_cases(figure: Any, axes: Any, parameters: Mapping[str, Floats], responses: Mapping[str, Floats]) -> None:
    """Parallel coordinates: a line a case, each axis from its smallest to its largest value, coloured by a response."""
    columns = {**parameters, **responses}
    first, values = next(iter(responses.items()))
    known = np.isfinite(values)
    places = np.arange(len(columns))
    scaled = np.stack([_scaled(_even(column)) for column in columns.values()], axis=1)
    colours = _colours(values)
    for k in np.argsort(np.where(known, values, -np.inf), kind="stable"):
        axes.plot(places, scaled[k], color=colours[k], linewidth=0.9, alpha=0.8)
    for place, column in enumerate(columns.values()):
        axes.axvline(place, color="black", linewidth=0.8)
        for at, value, side in ((0.0, np.nanmin(column), "top"), (1.0, np.nanmax(column), "bottom")):
            axes.text(place, at + (0.03 if at else -0.03), f"{value:.4g}", ha="center", va=side, fontsize=7, bbox=_CARD)
    axes.set_xticks(places, list(columns))
    axes.tick_params(axis="x", pad=12)
    axes.set_yticks([])
    axes.set_ylim(-0.12, 1.12)
    axes.set_xlim(-0.3, len(columns) - 0.7)
    axes.grid(False)
    axes.set_title(f"each case a line, coloured by {first}: dark is low, bright is high", loc="left")


def _colours(values: Floats) -> Any:
    """A colour a case by its value, grey where there is none."""
    colours = colour_map()(0.9 * _scaled(values))
    colours[~np.isfinite(values)] = (0.7, 0.7, 0.7, 1.0)
    return colours


def _scaled(column: Floats) -> Floats:
    low, high = float(np.nanmin(column)), float(np.nanmax(column))
    return np.full(len(column), 0.5) if high == low else (column - low) / (high - low)
