"""Twins of plane curves: polygons of very many points, looked at one by one."""

from __future__ import annotations

import math

import numpy as np


def placed(points, x, y, angle):
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + [x, y]


def is_left(points, polygon):
    """Whether points have a closed polygon, which runs with its solid on the left, around them: by winding."""
    inside = np.zeros(len(points))
    ends = np.roll(polygon, -1, axis=0)
    for k, point in enumerate(points):
        a, b = polygon - point, ends - point
        inside[k] = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.sum(a * b, axis=1)).sum() / (2 * math.pi)
    return np.round(inside) != 0


def crossings(one, other, at_one):
    """Where the sides of two closed polygons cross: places along the first, and whether it goes inwards there."""
    ends, other_ends = np.roll(one, -1, axis=0), np.roll(other, -1, axis=0)
    found = []
    low, high = np.minimum(other, other_ends), np.maximum(other, other_ends)
    for k, (a, b) in enumerate(zip(one, ends, strict=True)):
        near = np.all((low <= np.maximum(a, b)) & (high >= np.minimum(a, b)), axis=1)
        for c, d in zip(other[near], other_ends[near], strict=True):
            along, across, between = b - a, d - c, c - a
            cross = along[0] * across[1] - along[1] * across[0]
            if cross == 0.0:
                continue
            s = (between[0] * across[1] - between[1] * across[0]) / cross
            t = (between[0] * along[1] - between[1] * along[0]) / cross
            if 0 <= s < 1 and 0 <= t < 1:
                step = at_one[1] - at_one[0]
                found.append((at_one[k] + s * step, cross < 0.0))  # it goes to the left of the other one
    return sorted(found)


def gap(one, other):
    """Least distance of two sets of points."""
    from scipy.spatial import cKDTree

    return float(cKDTree(other).query(one)[0].min())


def overlap_of_arcs(first, second):
    """Area and centroid between two lines of points that meet at their ends, the solid on their left."""
    polygon = np.vstack([first, second])
    x, y = (polygon - polygon[0]).T
    x2, y2 = np.roll(x, -1), np.roll(y, -1)
    twice = x * y2 - x2 * y
    area = 0.5 * twice.sum()
    return area, polygon[0] + np.array([((x + x2) * twice).sum(), ((y + y2) * twice).sum()]) / (6.0 * area)


def part(points, at, begin, end):
    """The points of a closed curve between two places, around its end if the second is lower."""
    if begin <= end:
        return points[(at >= begin) & (at <= end)]
    return np.vstack([points[at >= begin], points[at <= end]])


def depths(points, surface):
    """Distance of each point from the nearest of a surface."""
    from scipy.spatial import cKDTree

    return cKDTree(surface).query(points)[0]
