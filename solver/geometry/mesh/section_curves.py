"""Tangents of a plane curve at points of it.

With the directions of the chords between the points, and arcs over them of circles, a chord is the mean of the
tangent's direction over its arc, to fourth order in the length of chords and exactly on circles.  The integral of the
direction is thus known at the points; its derivative is that of polynomials through four to seven of them.  Of all such
points those are taken of which one more or less changes least: where the curvature jumps, as between a fillet and a
flank, they lie on one side (A. Harten and others, Uniformly high order accurate essentially non-oscillatory schemes
III, J. Comp. Phys. 71 (1987) 231-303).
"""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Floats
from ...core.jit.kernels import kernel

FEWEST, MOST = 4, 7  # points of a polynomial
BEFORE = 0.2  # weight of what the last but one changes, which may be nothing by symmetry
SWEEPS = 4  # in which arcs and tangents find each other
LARGEST_HALF = 1.0  # radians, of an arc
TOUCH = 1e-12  # radians: a tangent that is further off the chords than these turn is not believed


@kernel(inline=True)
def derivative_at(places: Floats, values: Floats, start: int, count: int, i: int) -> float:
    """Of the polynomial through points [start, start + count), at the i-th."""
    slope = 0.0
    for k in range(start, start + count):
        if k == i:
            continue
        part, below = 1.0, 1.0
        for l in range(start, start + count):
            if l != k:
                below *= places[k] - places[l]
                if l != i:
                    part *= places[i] - places[l]
        slope += (values[k] - values[i]) * part / below
    return slope


@kernel
def best_derivative(places: Floats, values: Floats, i: int, slopes: Floats, changes: Floats) -> float:
    """The derivative at the i-th point by those points that agree best.

    slopes, changes : (MOST + 1, MOST) memory: by the number of points, and the place of the i-th among them
    """
    n = len(places)
    least, best = math.inf, 0.0
    for count in range(2, min(MOST, n) + 1):
        for start in range(max(0, i - count + 1), min(i, n - count) + 1):
            at = i - start
            slope, change, before = derivative_at(places, values, start, count, i), 0.0, 0.0
            slopes[count, at] = slope
            if count > 2:
                for drop_first in range(2):
                    # the same points without the first or the last one
                    if (at == 0 and drop_first) or (at == count - 1 and not drop_first):
                        continue
                    change = max(change, abs(slope - slopes[count - 1, at - drop_first]))
                    before = max(before, changes[count - 1, at - drop_first])
            changes[count, at] = change
            if count >= min(FEWEST, n) and change + BEFORE * before < least:
                least, best = change + BEFORE * before, slope
    return best


@kernel
def directions_of(lengths: Floats, chords: Floats, directions: Floats) -> None:
    """Directions of the tangents (n,), radians, counted on from chord to chord.

    lengths, chords : (n - 1,), lengths and directions of the chords
    """
    n = len(lengths) + 1
    places, integral = np.zeros(n), np.zeros(n)
    slopes, changes = np.zeros((MOST + 1, MOST)), np.zeros((MOST + 1, MOST))
    arcs = lengths.copy()
    for _ in range(SWEEPS):
        for k in range(n - 1):
            places[k + 1] = places[k] + arcs[k]
            integral[k + 1] = integral[k] + arcs[k] * chords[k]
        for i in range(n):
            found = best_derivative(places, integral, i, slopes, changes)
            directions[i] = believed(lengths, chords, i, found)
        for k in range(n - 1):
            half = 0.5 * (directions[k + 1] - directions[k])
            if abs(half) < LARGEST_HALF and half != 0.0:
                arcs[k] = lengths[k] * half / math.sin(half)


@kernel(inline=True)
def believed(lengths: Floats, chords: Floats, i: int, found: float) -> float:
    """A direction at a point, if it is no wilder than the chords there."""
    last = len(chords)
    if last < 2:
        return chords[0]
    if i == 0 or i == last:
        here, next_one = (chords[0], chords[1]) if i == 0 else (chords[last - 1], chords[last - 2])
        share = lengths[0] / (lengths[0] + lengths[1])
        if i == last:
            share = lengths[last - 1] / (lengths[last - 1] + lengths[last - 2])
        plain, turn = here - share * (next_one - here), abs(next_one - here)
    else:
        share = lengths[i - 1] / (lengths[i - 1] + lengths[i])
        plain = chords[i - 1] + share * (chords[i] - chords[i - 1])
        turn = abs(chords[i] - chords[i - 1])
    return found if abs(found - plain) <= turn + TOUCH else plain


def tangents(points: Floats, closed: bool) -> Floats:
    """Directions (n,), radians, of a curve through points (n, 2), n >= `MOST` if it is closed, else n > 1."""
    extra = MOST - 1 if closed else 0
    if closed:
        points = np.concatenate([points[-extra:], points, points[:extra]])
    chord = np.diff(points, axis=0)
    lengths = np.hypot(chord[:, 0], chord[:, 1])
    turn = np.arctan2(
        chord[:-1, 0] * chord[1:, 1] - chord[:-1, 1] * chord[1:, 0],
        chord[:-1, 0] * chord[1:, 0] + chord[:-1, 1] * chord[1:, 1],
    )
    first = math.atan2(chord[0, 1], chord[0, 0])
    directions = np.zeros(len(points))
    directions_of(lengths, first + np.append(0.0, np.cumsum(turn)), directions)
    return directions[extra : len(points) - extra]
