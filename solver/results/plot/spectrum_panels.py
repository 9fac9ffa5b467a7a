"""Spectra as pictures: amplitudes over frequencies, and over orders and the speed of a shaft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compare.units import measure_of
from .curves import Curve, WantedError
from .figure import COLOUR_MAP, colour_of, line_style_of, plain, scale_in_decades
from .panels import Panel, axis_label, legend_text
from .spectra import OrderMap, Peak, SpectrumError, amplitude_spectrum, evenly, order_map, strongest, turns_of

PEAKS = 5  # told of each history
PEAKS_IN_LEGEND = 3
DEPTH = 1e-6  # lowest amplitude that is drawn, as a part of the largest
TRACKS = 4  # orders that are followed over the speed
SHOWN = 0.005  # of the largest amplitude: orders beyond the last with so much are not drawn


@dataclass(slots=True)
class Drawn:
    """What is said of spectra: notes at the foot, lines to read, and the peaks as data."""

    notes: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    peaks: list[dict[str, Any]] = field(default_factory=list)


def draw_spectra(grid: Any, panels: Sequence[Panel], time_unit: str) -> Drawn:
    """A panel a unit, amplitudes on an axis of powers of ten."""
    per_second, unit = _frequency_unit(time_unit)
    drawn, complaints = Drawn(), []
    for axes, panel in zip(grid, panels, strict=True):
        spectra = []
        for curve in panel.curves:
            try:
                even = evenly(curve.times, curve.values)
            except SpectrumError as error:
                complaints.append(f"{_told(curve)}: {error}")
                continue
            places, amplitudes = amplitude_spectrum(even.values, even.step)
            spectra.append((curve, places * per_second, amplitudes))
            drawn.notes += [f"{_told(curve)}: {even.note}"] if even.note else []
        largest = max((float(np.max(amplitudes[1:])) for _, _, amplitudes in spectra), default=0.0)
        for k, (curve, places, amplitudes) in enumerate(spectra):
            peaks = strongest(places, amplitudes, PEAKS)
            label = legend_text(curve, with_numbers=False)
            if peaks:
                shown = peaks[:PEAKS_IN_LEGEND]
                label += "\n" + ", ".join(f"{peak.at:.4g} {unit}: {peak.amplitude:.3g}" for peak in shown)
            if np.max(amplitudes[1:]) < DEPTH * largest:
                label += " (below the axis)"
            axes.plot(places[1:], amplitudes[1:], color=colour_of(k), linestyle=line_style_of(k), label=plain(label))
            drawn.notes.append(
                f"amplitudes with a Hann window, the mean taken off; lines are {places[1]:.4g} {unit} apart: what is "
                f"closer than {2 * places[1]:.4g} {unit} is one peak"
            )
            _tell(drawn, curve, peaks, unit, {"resolution": float(places[1]), "highest": float(places[-1])})
        if largest > 0.0:
            scale_in_decades(axes, DEPTH * largest, largest)
        axes.margins(x=0.0)
        axes.set_ylabel(plain(f"amplitude of {axis_label(panel.curves)}"))
        if spectra:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.3, handlelength=2.6)
    grid[-1].set_xlabel(f"frequency [{unit}]")
    if complaints:
        raise WantedError("\n".join(complaints))
    return drawn


def draw_orders(figure: Any, curves: Sequence[Curve], shafts: Sequence[Curve], time_unit: str) -> Drawn:
    """A row a history: its order spectrum, a map of order and speed, and the strongest orders over the speed."""
    per_second, unit = _frequency_unit(time_unit)
    drawn, complaints = Drawn(), []
    grid = figure.subplots(len(curves), 3, squeeze=False)
    for row, curve in zip(grid, curves, strict=True):
        shaft = shafts[curve.run]
        try:
            found = order_map(curve.times, _turns(shaft), curve.values)
        except SpectrumError as error:
            complaints.append(f"{_told(curve)} over {shaft.name}: {error}")
            continue
        peaks = strongest(found.orders, found.mean, PEAKS)
        _draw_order_spectrum(row[0], curve, found, peaks)
        along = _along(found, per_second, unit, time_unit)
        _draw_map(figure, row[1], curve, found, along)
        _draw_tracks(row[2], curve, found, peaks, along)
        row[1].set_title(plain(f"over {shaft.text}"), loc="left")
        drawn.notes += [found.note] if found.note else []
        drawn.notes.append(
            f"orders of {shaft.name}: {found.turns:.4g} turns, in blocks of {found.turns_of_block:.3g} turns with a "
            f"Hann window, lines {found.orders[1]:.3g} apart; at the highest speed there are samples up to order "
            f"{found.highest:.4g}"
        )
        _tell(drawn, curve, peaks, "order", {"resolution": float(found.orders[1]), "highest": found.highest})
    if complaints:
        raise WantedError("\n".join(complaints))
    return drawn


def _turns(shaft: Curve) -> np.ndarray:
    is_rate = shaft.unit.startswith("rad/")
    if shaft.unit != "rad" and not is_rate:
        raise SpectrumError(f"orders need the rate or the angle of a shaft, in rad/s or rad; this is in {shaft.unit!r}")
    return turns_of(shaft.times, shaft.values, is_rate=is_rate)


@dataclass(frozen=True, slots=True)
class _Along:
    """What orders stand over: the speed where it only grows or only falls, else the time."""

    values: np.ndarray
    label: str


def _along(found: OrderMap, per_second: float, unit: str, time_unit: str) -> _Along:
    changes = np.diff(found.speeds)
    if len(changes) and (np.all(changes > 0) or np.all(changes < 0)) and np.ptp(found.speeds) > 0.01 * found.speeds[0]:
        return _Along(
            found.speeds * per_second, f"speed [turns/{unit.removeprefix('1/')}]" if unit != "Hz" else "speed [turns/s]"
        )
    return _Along(found.times, f"time [{time_unit}]")


def _last_shown(found: OrderMap) -> float:
    """The order beyond which there is next to nothing."""
    loud = np.flatnonzero(np.max(found.amplitudes, axis=0) > SHOWN * np.max(found.amplitudes))
    last = found.orders[loud[-1]] if len(loud) else found.orders[-1]
    return float(min(1.15 * last + 6 * found.orders[1], found.orders[-1]))


def _draw_order_spectrum(axes: Any, curve: Curve, found: OrderMap, peaks: Sequence[Peak]) -> None:
    axes.plot(found.orders[1:], found.mean[1:], color=colour_of(0))
    largest = float(np.max(found.mean[1:], initial=0.0))
    if largest > 0.0:
        scale_in_decades(axes, 1e-4 * largest, 1.5 * largest)  # room for the orders above the peaks
    for peak in peaks:
        axes.annotate(f"{peak.at:.4g}", (peak.at, peak.amplitude), textcoords="offset points", xytext=(0, 4),
                      ha="center", fontsize=7)  # fmt: skip
    axes.set_xlim(0.0, _last_shown(found))
    axes.set_xlabel("order [1/turn]")
    axes.set_ylabel(plain(f"amplitude of {axis_label([curve])}"))
    axes.set_title(plain(legend_text(curve, with_numbers=False)), loc="left")


def _draw_map(figure: Any, axes: Any, curve: Curve, found: OrderMap, along: _Along) -> None:
    order = np.argsort(along.values)
    table, x = found.amplitudes[order].T, along.values[order]
    if len(x) == 1:
        x, table = np.array([x[0] * 0.99, x[0] * 1.01]), np.repeat(table, 2, axis=1)
    mesh = axes.pcolormesh(x, found.orders, table, cmap=COLOUR_MAP, shading="nearest", rasterized=True, vmin=0.0)
    figure.colorbar(mesh, ax=axes, label=f"amplitude [{curve.unit}]")
    axes.set_ylim(0.0, _last_shown(found))
    axes.set_xlabel(along.label)
    axes.set_ylabel("order [1/turn]")
    axes.grid(False)


def _draw_tracks(axes: Any, curve: Curve, found: OrderMap, peaks: Sequence[Peak], along: _Along) -> None:
    """The largest amplitude within two lines of each of the strongest orders."""
    for k, peak in enumerate(peaks[:TRACKS]):
        near = np.abs(found.orders - peak.at) <= 2.0 * found.orders[1]
        track = np.max(found.amplitudes[:, near], axis=1)
        axes.plot(along.values, track, color=colour_of(k), linestyle=line_style_of(k), label=f"order {peak.at:.4g}",
                  marker="." if len(track) < 40 else None)  # fmt: skip
    axes.set_xlabel(along.label)
    axes.set_ylabel(f"amplitude [{curve.unit}]")
    axes.set_ylim(bottom=0.0)
    if peaks:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.3)


def _tell(drawn: Drawn, curve: Curve, peaks: Sequence[Peak], unit: str, also: dict[str, float]) -> None:
    at = (lambda peak: f"order {peak.at:.4g}") if unit == "order" else (lambda peak: f"{peak.at:.4g} {unit}")
    told = ", ".join(f"{at(peak)}: {peak.amplitude:.3g}" for peak in peaks) or "none stands out"
    drawn.lines.append(f"{_told(curve)} [{curve.unit}]: {told}")
    run = {"run": curve.run_label} if curve.run_label else {}
    found = [{"at": peak.at, "amplitude": peak.amplitude} for peak in peaks]
    drawn.peaks.append({"name": curve.name, **run, "unit": curve.unit, "of": unit, "peaks": found, **also})


def _told(curve: Curve) -> str:
    return f"{curve.run_label}: {curve.name}" if curve.run_label else curve.name


def _frequency_unit(time_unit: str) -> tuple[float, str]:
    """What frequencies in 1 by the unit of time are multiplied by, and what they are then in."""
    measure = measure_of(time_unit)
    return (1.0, f"1/{time_unit}") if measure is None else (1.0 / measure.size, "Hz")
