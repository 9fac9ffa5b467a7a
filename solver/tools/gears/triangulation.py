"""Triangles of grids, polygons and rings between two loops; of indices, so that neighbours share their points."""

from __future__ import annotations

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, Indices


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

    Parameters
    ----------
    points : (n, 2), counter-clockwise
    """
    count = len(points)
    before, after = np.roll(np.arange(count), 1), np.roll(np.arange(count), -1)
    alive = np.ones(count, bool)
    quality = np.array([_ear_quality(points, alive, before[i], i, after[i]) for i in range(count)])
    triangles = []
    for _ in range(count - 3):
        ear = int(np.argmax(quality))
        if quality[ear] <= 0.0:  # a point that stood in the way may be gone
            for i in np.flatnonzero(alive).tolist():
                quality[i] = _ear_quality(points, alive, before[i], i, after[i])
            ear = int(np.argmax(quality))
            if quality[ear] <= 0.0:
                raise ValueError("the outline crosses itself")
        left, right = before[ear], after[ear]
        triangles.append((left, ear, right))
        alive[ear], quality[ear] = False, -1.0
        after[left], before[right] = right, left
        for i in (left, right):
            quality[i] = _ear_quality(points, alive, before[i], i, after[i])
    last = int(np.argmax(alive))
    triangles.append((before[last], last, after[last]))
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


def repeated_polygon(points: Floats, polygons: Indices) -> Indices:
    """Triangles of polygons that are alike: the first is cut up, the others in the same way.

    Parameters
    ----------
    points : (n, 2); polygons : (k, m), indices, counter-clockwise
    """
    triangles: Indices = polygons[:, clip_ears(points[polygons[0]])].reshape(-1, 3)
    return triangles


def ring_triangles(points: Floats, outer: Indices, inner: Indices) -> Indices:
    """Triangles between two loops, each seen whole from the other: the better one of the two next ones, all around.

    Parameters
    ----------
    points : (n, 2); outer, inner : indices, counter-clockwise, the first points of both opposite each other
    """
    loops = np.append(outer, outer[0]), np.append(inner, inner[0])
    i = j = 0
    triangles = []
    while i < len(outer) or j < len(inner):
        here = loops[0][i], loops[1][j]
        along_outer = (here[0], loops[0][i + 1], here[1]) if i < len(outer) else None
        along_inner = (here[0], loops[1][j + 1], here[1]) if j < len(inner) else None
        if along_inner is None or (along_outer and _shape(points, along_outer) >= _shape(points, along_inner)):
            assert along_outer is not None
            triangles.append(along_outer)
            i += 1
        else:
            triangles.append(along_inner)
            j += 1
    return np.array(triangles, np.int64)


def _shape(points: Floats, triangle: tuple[int, int, int]) -> float:
    a, b, c = points[list(triangle)]
    return float(_cross(b - a, c - a)) / max(_square(b - a), _square(c - b), _square(a - c))
