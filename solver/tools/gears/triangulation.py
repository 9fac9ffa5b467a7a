"""Triangles of grids, polygons and rings between two loops; of indices, so that neighbours share their points."""

from __future__ import annotations

import math

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, Indices
from .data import GearError


def grid_triangles(points: Floats, indices: Indices) -> Indices:
    """Two triangles for each cell of rows of closed loops, cut along the shorter diagonal.

    Parameters
    ----------
    points : (n, 3)
    indices : (rows, columns), the loops counter-clockwise as seen from the last row, for triangles that face outwards
    """
    right = np.roll(indices, -1, axis=1)
    a, b, c, d = (part.ravel() for part in (indices[:-1], right[:-1], right[1:], indices[1:]))
    first = np.linalg.norm(points[c] - points[a], axis=1)
    second = np.linalg.norm(points[d] - points[b], axis=1)
    straight = (first <= second * (1.0 + 1e-9))[:, None]  # of equal ones always the same
    lower = np.where(straight, np.c_[a, b, c], np.c_[a, b, d])
    upper = np.where(straight, np.c_[a, c, d], np.c_[b, c, d])
    return np.concatenate([lower, upper]).astype(np.int64)


def clip_ears(points: Floats) -> Indices:
    """Triangles of a simple polygon, (n - 2, 3): always the ear with the largest smallest angle is cut off.

    What that leaves to the last are slivers: see `without_slivers`.

    Parameters
    ----------
    points : (n, 2), counter-clockwise

    Raises
    ------
    GearError
        if the polygon crosses itself
    """
    count = len(points)
    before, after = np.roll(np.arange(count), 1), np.roll(np.arange(count), -1)
    alive = np.ones(count, bool)
    quality = np.array([_ear_quality(points, alive, before[i], i, after[i]) for i in range(count)])
    triangles = []
    for _ in range(count - 2):
        ear = int(np.argmax(quality))
        if quality[ear] <= 0.0:  # a point that stood in the way may be gone
            for i in np.flatnonzero(alive).tolist():
                quality[i] = _ear_quality(points, alive, before[i], i, after[i])
            ear = int(np.argmax(quality))
            if quality[ear] <= 0.0:
                raise GearError("the outline of an end crosses itself; more segments may help, or less helix or shift")
        left, right = before[ear], after[ear]
        triangles.append((left, ear, right))
        alive[ear], quality[ear] = False, -1.0
        after[left], before[right] = right, left
        for i in (left, right):
            quality[i] = _ear_quality(points, alive, before[i], i, after[i])
    return np.array(triangles, np.int64)


def _ear_quality(points: Floats, alive: np.ndarray, left: int, ear: int, right: int) -> float:
    """Doubled area by the square of the longest side; not above 0 if a triangle cannot be cut off."""
    a, b, c = points[left], points[ear], points[right]
    area = _cross(b - a, c - a)
    longest = max(_square(b - a), _square(c - b), _square(a - c))
    if area <= 1e-12 * longest:
        return -1.0
    others = alive.copy()
    others[[left, ear, right]] = False
    p = points[others]
    slack = -1e-12 * longest
    inside = (_cross(b - a, p - a) >= slack) & (_cross(c - b, p - b) >= slack) & (_cross(a - c, p - c) >= slack)
    return -1.0 if inside.any() else float(area / longest)


def _cross(a: Floats, b: Floats) -> Floats:
    product: Floats = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def _square(a: Floats) -> float:
    return float(a @ a)


def without_slivers(points: Floats, triangles: Indices) -> Indices:
    """The triangles after Lawson's flips: no point within the circle through the corners of a neighbour of its own.

    A sliver across an end that is not plane would lie at another angle than all around it.

    Parameters
    ----------
    points : (n, 2); triangles : (m, 3), counter-clockwise
    """
    found = [tuple(int(i) for i in triangle) for triangle in triangles]
    sides = {side: k for k, triangle in enumerate(found) for side in _sides(triangle)}
    waiting = list(sides)
    while waiting:
        a, b = waiting.pop()
        if (a, b) not in sides or (b, a) not in sides:
            continue
        one, other = sides[a, b], sides[b, a]
        (c,), (d,) = set(found[one]) - {a, b}, set(found[other]) - {a, b}
        if not _is_in_circle(*points[[a, b, c, d]]):
            continue
        del sides[a, b], sides[b, a]
        for k, triangle in ((one, (a, d, c)), (other, (d, b, c))):
            found[k] = triangle
            sides.update(dict.fromkeys(_sides(triangle), k))
            waiting.extend(_sides(triangle))
    return np.array(found, np.int64)


def _sides(triangle: tuple[int, ...]) -> list[tuple[int, int]]:
    a, b, c = triangle
    return [(a, b), (b, c), (c, a)]


def _is_in_circle(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    """Whether d is within the circle through a, b, c, counter-clockwise, by more than rounding."""
    rows = np.array([np.append(p - d, (p - d) @ (p - d)) for p in (a, b, c)])
    return bool(np.linalg.det(rows) > 1e-9 * np.abs(rows[:, 2]).max() ** 2)


def repeated_polygon(points: Floats, polygons: Indices) -> Indices:
    """Triangles of polygons that are alike: the first is cut up, the others in the same way.

    Parameters
    ----------
    points : (n, 2); polygons : (k, m), indices, counter-clockwise
    """
    first = points[polygons[0]]
    triangles: Indices = polygons[:, without_slivers(first, clip_ears(first))].reshape(-1, 3)
    return triangles


def ring_triangles(points: Floats, outer: Indices, inner: Indices) -> Indices:
    """Triangles between two loops: of all ways around, the one whose worst triangle is best.

    Every triangle goes on by one point of either loop, so that a way is a path in a grid.

    Parameters
    ----------
    points : (n, 2); outer, inner : indices, counter-clockwise, the first points of both opposite each other

    Raises
    ------
    GearError
        if every way has a triangle that is turned over
    """
    outside, inside = points[np.append(outer, outer[0])], points[np.append(inner, inner[0])]
    along_outer = _shapes(outside[:-1, None], outside[1:, None], inside[None]).tolist()
    along_inner = _shapes(outside[:, None], inside[None, 1:], inside[None, :-1]).tolist()
    rows, columns = len(outer) + 1, len(inner) + 1
    worst = [[-math.inf] * columns for _ in range(rows)]
    worst[0][0] = math.inf
    for i in range(rows):
        for j in range(columns):
            if i:
                worst[i][j] = max(worst[i][j], min(worst[i - 1][j], along_outer[i - 1][j]))
            if j:
                worst[i][j] = max(worst[i][j], min(worst[i][j - 1], along_inner[i][j - 1]))
    if worst[-1][-1] <= 1e-12:
        raise GearError("the threads are too steep for the ends of the worm; less starts, or a greater diameter factor")
    triangles = []
    i, j = rows - 1, columns - 1
    while i or j:
        a, b = outer[i % len(outer)], inner[j % len(inner)]
        if i and (not j or min(worst[i - 1][j], along_outer[i - 1][j]) >= min(worst[i][j - 1], along_inner[i][j - 1])):
            i -= 1
            triangles.append((outer[i], a, b))
        else:
            j -= 1
            triangles.append((a, b, inner[j]))
    return np.array(triangles, np.int64)


def _shapes(a: Floats, b: Floats, c: Floats) -> Floats:
    """Doubled area by the square of the longest side, of many triangles."""
    sides = [np.sum(side**2, axis=-1) for side in (b - a, c - b, a - c)]
    shape: Floats = _cross(b - a, c - a) / np.maximum.reduce(np.broadcast_arrays(*sides))
    return shape
