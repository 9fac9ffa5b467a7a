"""How fine the teeth and slots of a curve are: so far it may move in a step at most."""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Floats
from .spline import Outline

SAMPLES = 8  # of a segment
RIPPLE = 0.01  # of the radius: what goes in and out by less is no tooth


def finest_pitch(outline: Outline) -> float:
    """Least distance of two tips of a curve in a row, or of the bottoms of two slots; inf where there are no two.

    Tips are where a closed curve is far from its origin, or an open one far above the line through its ends.
    """
    coefficients = outline.coefficients if outline.closed else outline.coefficients[1:-1]
    u = np.arange(SAMPLES) / SAMPLES
    points = (coefficients @ np.stack([u**0, u, u * u, u**3])).transpose(0, 2, 1).reshape(-1, 2)
    if outline.closed:
        heights = np.hypot(points[:, 0], points[:, 1])
        size = float(heights.max())
        first = int(np.argmax(heights))
        points, heights = np.roll(points, -first, axis=0), np.roll(heights, -first)
        points, heights = np.vstack([points, points[:1]]), np.append(heights, heights[0])
    else:
        points = np.vstack([points, coefficients[-1].sum(axis=1)])
        along = points[-1] - points[0]
        size = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0)))
        across = np.array([-along[1], along[0]]) if along.any() else np.array([0.0, 1.0])
        heights = points @ across / np.linalg.norm(across)
    tips, bottoms = (turning_points(sign * heights, RIPPLE * size) for sign in (1.0, -1.0))
    if outline.closed:  # it was begun at a tip, and ends there
        tips = tips[:-1]
    return min(least_distance(points[rows], outline.closed) for rows in (tips, bottoms))


def turning_points(heights: Floats, ripple: float) -> list[int]:
    """Rows of the highest between lower ones, or between those and an end; by more than a ripple."""
    found: list[int] = []
    highest, lowest, rises = 0, 0, True
    for row, height in enumerate(heights.tolist()):
        if rises and height > heights[highest]:
            highest = row
        elif rises and height < heights[highest] - ripple:
            found.append(highest)
            lowest, rises = row, False
        elif not rises and height < heights[lowest]:
            lowest = row
        elif not rises and height > heights[lowest] + ripple:
            highest, rises = row, True
    if rises and heights[highest] > heights[lowest] + ripple:
        found.append(highest)
    return found


def least_distance(points: Floats, closed: bool) -> float:
    """Of two points in a row; inf of less than two."""
    if len(points) < 2:
        return math.inf
    following = np.roll(points, -1, axis=0) if closed else points[1:]
    return float(np.linalg.norm(following - points[: len(following)], axis=1).min())
