"""Plane curves as polylines, for pictures."""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Floats
from .spline import control_legs

MOST_TURN = math.radians(10.0)  # of the curve along one straight line


def drawn_points(coefficients: Floats, closed: bool) -> Floats:
    """(m, 2) points of a curve of segments (n, 2, 4): straight lines from one to the next show it.

    An open curve has none of the walls at its ends.
    """
    if not closed:
        coefficients = coefficients[1:-1]
    legs = control_legs(coefficients)
    turns = np.abs(np.diff(np.unwrap(np.arctan2(legs[:, :, 1], legs[:, :, 0])), axis=1)).sum(axis=1)
    lines = np.maximum(1, np.ceil(turns / MOST_TURN)).astype(int)
    segment = np.repeat(np.arange(len(lines)), lines)
    u = (np.arange(len(segment)) - np.repeat(np.cumsum(lines) - lines, lines)) / lines[segment]
    points = np.einsum("sck,sk->sc", coefficients[segment], u[:, None] ** np.arange(4))
    return points if closed else np.vstack([points, coefficients[-1].sum(axis=1)])
