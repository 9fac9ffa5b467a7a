"""Points of curves in a common plane."""

from __future__ import annotations

from typing import NamedTuple

from ...core.bodies import Floats, Record
from ...core.jit.kernels import kernel

Point = tuple[float, float]
Cubic = tuple[float, float, float, float]  # powers of u or v, lowest first


class Pose(NamedTuple):
    """How the axes of a curve lie in the common plane."""

    cos: float
    sin: float
    x: float
    y: float


AS_IT_IS = Pose(1.0, 0.0, 0.0, 0.0)


class Here(NamedTuple):
    """A point of a curve, and the first two derivatives there, by u of its segment."""

    x: float
    y: float
    dx: float
    dy: float
    ex: float
    ey: float


@kernel(inline=True)
def cubic(p: Floats | Cubic, u: float) -> float:
    """Value of a polynomial."""
    return ((p[3] * u + p[2]) * u + p[1]) * u + p[0]


@kernel(inline=True)
def slope(p: Floats | Cubic, u: float) -> float:
    """Its derivative."""
    return (3.0 * p[3] * u + 2.0 * p[2]) * u + p[1]


@kernel(inline=True)
def bend_at(p: Floats | Cubic, u: float) -> float:
    """Its second derivative."""
    return 6.0 * p[3] * u + 2.0 * p[2]


@kernel(inline=True)
def turned(pose: Pose, x: float, y: float) -> Point:
    """A direction in the common plane."""
    return pose.cos * x - pose.sin * y, pose.sin * x + pose.cos * y


@kernel(inline=True)
def moved(pose: Pose, x: float, y: float) -> Point:
    """A point in the common plane."""
    return pose.cos * x - pose.sin * y + pose.x, pose.sin * x + pose.cos * y + pose.y


@kernel(inline=True)
def moved_back(pose: Pose, x: float, y: float) -> Point:
    """A point of the common plane in the axes of the curve."""
    x, y = x - pose.x, y - pose.y
    return pose.cos * x + pose.sin * y, pose.cos * y - pose.sin * x


@kernel(inline=True)
def here(segment: Record, pose: Pose, u: float) -> Here:
    """Point and derivatives at u of a segment."""
    a, b = segment.x, segment.y
    x, y = moved(pose, cubic(a, u), cubic(b, u))
    dx, dy = turned(pose, slope(a, u), slope(b, u))
    ex, ey = turned(pose, bend_at(a, u), bend_at(b, u))
    return Here(x, y, dx, dy, ex, ey)


@kernel(inline=True)
def place_of(segment: Record, pose: Pose, u: float) -> Point:
    """Point at u of a segment."""
    return moved(pose, cubic(segment.x, u), cubic(segment.y, u))


@kernel(inline=True)
def curvature(at: Here) -> float:
    """Of a curve; > 0 where its solid is convex."""
    square = at.dx * at.dx + at.dy * at.dy
    return (at.dx * at.ey - at.dy * at.ex) / (square * square**0.5)
