"""Plane curves of the model as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from gsolve.parser.model import PlaneCurve, Shape

from ..core.bodies import Floats
from ..geometry.curve2d.curves import PlaneCurves, build_plane_curves, control_points, enclosing_circle
from ..geometry.curve2d.spline import Outline, make_outline


class PlacedOutline:
    """A curve about its centre.

    row : among the plane curves
    centre : (2,) of a circle about it, from the node in the axes of the curve
    radius : of that circle; half_width : half of the least width of its hull, of an open curve the radius
    """

    def __init__(self, curve: PlaneCurve, row: int) -> None:
        outline = make_outline(curve.points, curve.closed, curve.other_side, curve.corner_angle)
        self.row, self.width = row, curve.width
        self.centre, self.radius = enclosing_circle(outline.coefficients)
        coefficients = outline.coefficients.copy()
        coefficients[:, :, 0] -= self.centre
        self.outline = Outline(coefficients, outline.corner, outline.closed)
        self.half_width = 0.5 * least_width(coefficients) if curve.closed else self.radius

    @property
    def dimensions(self) -> Floats:
        """As `geometry.shapes` has them."""
        return np.array([self.radius, self.half_width, self.radius])


def least_width(coefficients: Floats) -> float:
    """Least distance of two parallel lines with a curve between them."""
    from scipy.spatial import ConvexHull, QhullError

    points = control_points(coefficients).reshape(-1, 2)
    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0
    # One of the lines goes along a side of the hull; the other one touches the corner behind the last side that has not
    # turned by half a turn from there.
    corners = points[hull.vertices]  # counter-clockwise
    sides = np.roll(corners, -1, axis=0) - corners
    angles = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]))
    both = np.concatenate([angles, angles + 2.0 * math.pi])
    opposite = corners[np.searchsorted(both, angles + math.pi) % len(corners)] - corners
    widths = (sides[:, 0] * opposite[:, 1] - sides[:, 1] * opposite[:, 0]) / np.hypot(sides[:, 0], sides[:, 1])
    return float(np.min(widths))


def outlines_of(shapes: Sequence[Shape]) -> dict[int, PlacedOutline]:
    """The curves among shapes, by their rows there."""
    rows = [row for row, shape in enumerate(shapes) if isinstance(shape, PlaneCurve)]
    found: dict[int, PlacedOutline] = {}
    for number, row in enumerate(rows):
        curve = shapes[row]
        assert isinstance(curve, PlaneCurve)
        found[row] = PlacedOutline(curve, number)
    return found


def plane_curves_of(outlines: dict[int, PlacedOutline]) -> PlaneCurves:
    """As arrays."""
    placed = list(outlines.values())
    return build_plane_curves([each.outline for each in placed], [each.width for each in placed])
