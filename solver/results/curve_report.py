"""What `gsolve check` says about plane curves: corners, length, area, and how sharply they bend."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from gsolve.parser.model import Model, PlaneCurve, Units
from gsolve.parser.text.numbers import counted

from ..geometry.curve2d.spline import enclosed_area, make_outline
from .describe import SCREEN_JOINTS, fact, more_lines

SAMPLES = 64  # of a segment


@dataclass(frozen=True, slots=True)
class CurveReport:
    """Of a plane curve, in working units.

    points : of the deck, equal ones counted once
    corners : between smooth pieces, those of open ends left out
    other_side : the solid is outside of a closed curve, on the right of an open one
    area : within a closed curve, 0 of an open one
    least_radius : of curvature, between corners; None where all is straight
    """

    id: int
    title: str
    points: int
    closed: bool
    other_side: bool
    corners: int
    length: float
    area: float
    least_radius: float | None


def report_of(curve: PlaneCurve) -> CurveReport:
    """Figures of a curve."""
    outline = make_outline(curve.points, curve.closed, curve.other_side, curve.corner_angle)
    own = slice(None) if curve.closed else slice(1, -1)  # without the walls of an open one
    coefficients, corner = outline.coefficients[own], outline.corner[own]
    u = (np.arange(SAMPLES) + 0.5) / SAMPLES
    slopes = np.stack([0 * u, 1 + 0 * u, 2 * u, 3 * u * u])
    bends = np.stack([0 * u, 0 * u, 2 + 0 * u, 6 * u])
    (dx, dy), (ex, ey) = np.moveaxis(coefficients @ slopes, 1, 0), np.moveaxis(coefficients @ bends, 1, 0)
    speed = np.hypot(dx, dy)
    curvature = float(np.max(np.abs(dx * ey - dy * ex) / speed**3))
    length = float(speed.mean(axis=1).sum())
    repeated = np.all(curve.points == np.roll(curve.points, -1, axis=0), axis=1)
    return CurveReport(
        curve.id,
        curve.title,
        len(curve.points) - int(repeated[: None if curve.closed else -1].sum()),
        curve.closed,
        curve.other_side,
        int(np.count_nonzero(corner if curve.closed else corner[1:])),
        length,
        abs(enclosed_area(coefficients)) if curve.closed else 0.0,
        1.0 / curvature if curvature * length > 1e-9 else None,
    )


def curve_reports(model: Model) -> list[CurveReport]:
    """Of all plane curves of a deck."""
    return [report_of(shape) for shape in model.shapes if isinstance(shape, PlaneCurve)]


def curve_figures(report: CurveReport) -> dict[str, Any]:
    """For a machine to read."""
    return asdict(report)


def curve_lines(reports: list[CurveReport], units: Units) -> list[str]:
    """For a person: a line each."""
    lines = []
    for report in reports[:SCREEN_JOINTS]:
        title = f' "{report.title}"' if report.title else ""
        parts = [f"{report.points} points, {'closed' if report.closed else 'open'}"]
        parts.append(counted(report.corners, "corner") if report.corners else "no corners")
        if report.other_side:
            parts[0] += ", solid outside" if report.closed else ", solid on its right"
        parts.append(f"length {report.length:.6g} {units.length}")
        if report.closed:
            parts.append(f"area {report.area:.6g} {units.length}2")
        if report.least_radius is not None and math.isfinite(report.least_radius):
            parts.append(f"least radius {report.least_radius:.4g} {units.length}")
        lines.append(fact(f"curve {report.id}", f"{', '.join(parts)}{title}"))
    return lines + more_lines(len(reports), len(lines))
