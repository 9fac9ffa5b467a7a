"""From points to a smooth curve: cubic splines between the corners, as segments that turn little.

Between two corners a curve is a cubic spline by chord length through its points, which is wrong by O(h^4); a closed
curve without corners is a periodic one.  At the ends of a piece the third derivative is continuous across the second
point (not-a-knot), so that ends are of the same order; three points make a parabola, two a straight line.

A corner is a point at which the polygon through the points turns by more than an angle that the deck gives, or one that
is there twice.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats, Ints

MOST_TURN = math.radians(40.0)  # of a segment: what turns more is halved
MOST_UNEVEN = 2.0  # likewise what is so much faster at one end than at the other
MOST_HALVINGS = 8
SMOOTH = 1e-7  # radians: what turns less is no corner
WALL = 0.1  # of the radius of an open curve: how deep the walls at its ends are


@dataclass(frozen=True, slots=True)
class Outline:
    """A curve as segments, one after the other, the solid on their left.

    coefficients : (n, 2, 4), of x and y as polynomials in u from 0 to 1, lowest power first
    corner : (n,) angle by which the curve turns where a segment begins: > 0 a corner that sticks out, < 0 one that
        goes in, 0 smooth; of an open curve that of the first segment is pi
    closed : the last segment ends where the first begins; else the first and the last are walls
    """

    coefficients: Floats
    corner: Floats
    closed: bool


def corners_of(points: Floats, closed: bool, corner_angle: float) -> tuple[Floats, NDArray[np.bool_]]:
    """The points without repetitions, and which of them are corners; corner_angle in radians."""
    following = np.roll(points, -1, axis=0)
    repeated = np.all(points == following, axis=1)
    if not closed:
        repeated[-1] = False
    marked = np.roll(repeated, 1)  # of the second of two equal points
    if closed and repeated[-1]:
        marked[0] = False  # the last point only says that the curve is closed
    kept = ~repeated
    points, marked = points[kept], marked[kept]
    turns = np.abs(turning(points, closed))
    return points, marked | (turns > corner_angle * (1.0 + 1e-9))


def turning(points: Floats, closed: bool) -> Floats:
    """(n,) angle by which a polygon turns at each of its points, to the left > 0; at open ends 0."""
    chords = np.roll(points, -1, axis=0) - points
    before = np.roll(chords, 1, axis=0)
    cross = before[:, 0] * chords[:, 1] - before[:, 1] * chords[:, 0]
    turns: Floats = np.arctan2(cross, np.sum(before * chords, axis=1))
    if not closed:
        turns[0] = turns[-1] = 0.0
    return turns


def smooth_segments(points: Floats, is_corner: NDArray[np.bool_], closed: bool) -> Floats:
    """(n, 2, 4) coefficients of the segments between points (n or n + 1, 2) without repetitions."""
    corners: Ints = np.flatnonzero(is_corner)
    if closed:
        if not len(corners):
            return spline(np.vstack([points, points[:1]]), periodic=True)
        points = np.roll(points, -corners[0], axis=0)
        corners = corners - corners[0]
        points, ends = np.vstack([points, points[:1]]), np.append(corners, len(points))
    else:
        inner = corners[(corners > 0) & (corners < len(points) - 1)]
        ends = np.concatenate([[0], inner, [len(points) - 1]])
    return np.concatenate([spline(points[a : b + 1]) for a, b in itertools.pairwise(ends)])


def spline(points: Floats, periodic: bool = False) -> Floats:
    """(n - 1, 2, 4) coefficients of the cubic spline through points (n, 2), by chord length."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    if len(points) == 2:
        powers = np.zeros((4, 1, 2))
        powers[2:, 0] = (points[1] - points[0]) / lengths[0], points[0]
    else:
        from scipy.interpolate import CubicSpline

        powers = CubicSpline(at, points, bc_type="periodic" if periodic else "not-a-knot").c
        powers = np.concatenate([np.zeros((4 - len(powers), *powers.shape[1:])), powers])
    scaled = powers[::-1] * (lengths[None, :, None] ** np.arange(4)[:, None, None])
    return np.ascontiguousarray(np.moveaxis(scaled, 0, 2))


def make_outline(points: Floats, closed: bool, outside: bool, corner_angle: float) -> Outline:
    """The curve through points (n, 2).

    outside : of a closed curve, that all around it is solid; of an open one, that its right side is
    corner_angle : radians
    """
    points, is_corner = corners_of(points, closed, corner_angle)
    coefficients = smooth_segments(points, is_corner, closed)
    reverse = (enclosed_area(coefficients) < 0.0) != outside if closed else outside
    if reverse:
        coefficients = reversed_segments(coefficients)
    coefficients = halved(coefficients)
    if not closed:
        coefficients = with_walls(coefficients)
    return Outline(coefficients, corner_angles(coefficients, closed), closed)


def enclosed_area(coefficients: Floats) -> float:
    """Area on the left of closed segments: > 0 if they run counter-clockwise about it."""
    x, y = coefficients[:, 0], coefficients[:, 1]
    powers = np.arange(4)
    weights = powers[None, :] / np.maximum(powers[:, None] + powers[None, :], 1)
    return float(0.5 * np.einsum("ij,jk,ik->", x, weights, y) - 0.5 * np.einsum("ij,jk,ik->", y, weights, x))


def reversed_segments(coefficients: Floats) -> Floats:
    """The same curve, run through the other way: p(1 - u) of each segment."""
    a, b, c, d = np.moveaxis(coefficients[::-1], 2, 0)
    return np.stack([a + b + c + d, -(b + 2 * c + 3 * d), c + 3 * d, -d], axis=2)


def halved(coefficients: Floats) -> Floats:
    """Segments that turn by no more than MOST_TURN, and run about evenly; what does not is halved."""
    for _ in range(MOST_HALVINGS):
        speeds = np.linalg.norm(control_legs(coefficients), axis=2)
        uneven = speeds.max(axis=1) > MOST_UNEVEN * speeds.min(axis=1)
        long = (turns_of(coefficients) > MOST_TURN) | uneven
        if not long.any():
            break
        a, b, c, d = np.moveaxis(coefficients, 2, 0)
        first = np.stack([a, b / 2, c / 4, d / 8], axis=2)
        middle = a + b / 2 + c / 4 + d / 8
        second = np.stack([middle, b / 2 + c / 2 + 3 * d / 8, c / 4 + 3 * d / 8, d / 8], axis=2)
        both = np.stack([np.where(long[:, None, None], first, coefficients), second], axis=1)
        coefficients = both.reshape(-1, 2, 4)[np.stack([np.ones_like(long), long], axis=1).ravel()]
    return coefficients


def turns_of(coefficients: Floats) -> Floats:
    """(n,) angles by which the control polygons of segments turn, radians: no segment turns by more."""
    legs = control_legs(coefficients)
    angles = np.arctan2(legs[:, :, 1], legs[:, :, 0])
    turns: Floats = np.abs((np.diff(angles, axis=1) + math.pi) % (2 * math.pi) - math.pi).sum(axis=1)
    return turns


def control_legs(coefficients: Floats) -> Floats:
    """(n, 3, 2) legs of the control polygons of segments as Bezier curves."""
    _, b, c, d = np.moveaxis(coefficients, 2, 0)
    return np.stack([b / 3, b / 3 + c / 3, b / 3 + 2 * c / 3 + d], axis=1)


def with_walls(coefficients: Floats) -> Floats:
    """An open curve with a straight segment at either end, at right angles into the solid: where the solid ends."""
    start, end = coefficients[0, :, 0], coefficients[-1].sum(axis=1)
    first, last = coefficients[0, :, 1], coefficients[-1, :, 1:] @ np.array([1.0, 2.0, 3.0])
    knots = np.vstack([coefficients[:, :, 0], end])
    depth = WALL * 0.5 * float(np.linalg.norm(np.ptp(knots, axis=0)))
    walls = np.zeros((2, 2, 4))
    for wall, at, along, sign in ((walls[0], start, first, -1.0), (walls[1], end, last, 1.0)):
        inward = depth * np.array([-along[1], along[0]]) / np.linalg.norm(along)
        wall[:, 0], wall[:, 1] = (at + inward, -inward) if sign < 0 else (at, inward)
    return np.concatenate([walls[:1], coefficients, walls[1:]])


def corner_angles(coefficients: Floats, closed: bool) -> Floats:
    """(n,) angle by which the curve turns where each segment begins; 0 where it is smooth, pi at a free end."""
    begins = coefficients[:, :, 1]
    ends = np.roll(coefficients[:, :, 1:] @ np.array([1.0, 2.0, 3.0]), 1, axis=0)
    cross = ends[:, 0] * begins[:, 1] - ends[:, 1] * begins[:, 0]
    angles: Floats = np.arctan2(cross, np.sum(ends * begins, axis=1))
    angles[np.abs(angles) < SMOOTH] = 0.0
    if not closed:
        angles[0] = math.pi
    return angles
