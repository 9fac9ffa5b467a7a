"""Slow and obvious twins of the kernels of geometry: all directions tried, all corners listed, general optimisers."""

from __future__ import annotations

import itertools

import numpy as np
from gsolve.solver.geometry.shapes import BOX, ELLIPSOID, PLANE, SPHERE
from scipy.optimize import lsq_linear, minimize

BLEND = 0.25  # overlaps that are larger than the least by up to this part of it share the load
STEEP = 0.1  # cos^2 below which a face does not count

# ---- shapes in their poses (shape_rig.Placed) -------------------------------------------------------------------


def heights(pose, d):
    """Support function of a bounded shape: how far it reaches along directions d (..., 3), from the global origin."""
    a, b, c = pose.shape["dimensions"]
    x, y, z = np.moveaxis(d @ pose.axes.T, -1, 0)
    across = np.hypot(x, y)
    kind = pose.shape["kind"]
    if kind == SPHERE:
        own = a * np.linalg.norm(d, axis=-1)
    elif kind == BOX:
        own = a * abs(x) + b * abs(y) + c * abs(z)
    elif kind == ELLIPSOID:
        own = np.sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2)
    else:
        own = np.maximum(b * across + c * z, a * across - c * z)
    return own + d @ pose.centre


def outside_by(pose, at):
    """A number that is positive outside a shape, zero on its surface and negative inside; near it a length."""
    x, y, z = pose.axes @ (at - pose.centre)
    a, b, c = pose.shape["dimensions"]
    kind = pose.shape["kind"]
    if kind == SPHERE:
        return np.linalg.norm([x, y, z]) - a
    if kind == PLANE:
        return z
    if kind == BOX:
        return max(abs(x) - a, abs(y) - b, abs(z) - c)
    if kind == ELLIPSOID:
        return (np.linalg.norm([x / a, y / b, z / c]) - 1) * min(a, b, c)
    return max(abs(z) - c, np.hypot(x, y) - (a + (b - a) * (z + c) / (2 * c)))


def overlap_along(i, j, d):
    """p(d): how far i must move along directions d (..., 3) to clear j."""
    return heights(j, d) + heights(i, -d)


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


SEEDS = unit(np.random.default_rng(0).normal(size=(1000, 3)))
CAP = np.random.default_rng(1).normal(size=(40, 3))


def least_overlap(i, j):
    """The least p over all directions, by sampling: from all over the sphere, then ever closer to the best few."""
    values = overlap_along(i, j, SEEDS)
    d = SEEDS[np.argsort(values)[:4]]
    for radius in 0.15 * 0.7 ** np.arange(25):
        trial = unit(np.concatenate([d[:, None], d[:, None] + radius * CAP], axis=1))
        best = overlap_along(i, j, trial).argmin(axis=1)
        d = trial[np.arange(len(d)), best]
    return overlap_along(i, j, d).min()


# ---- distances -------------------------------------------------------------------------------------------------


def distance_from_surface(pose, point):
    """Signed distance of a point from a convex solid: the greatest of d . x - h(d) over all unit vectors d."""
    value, _ = least_over_directions(lambda d: heights(pose, d) - d @ point)
    return -value


def least_over_directions(function, starts=6):
    """Least value of a function of a unit vector (n, 3) -> (n,), and where: the best of many seeds, each improved."""
    order = np.argsort(function(SEEDS))[:starts]
    found = [least_near(function, SEEDS[k]) for k in order]
    return min(found, key=lambda pair: pair[0])


def least_near(function, d):
    """Least value of a function of a unit vector near d, and where, by a search that needs no derivatives."""
    for size in (0.2, 1e-2, 1e-4, 1e-6):
        u = unit(np.cross(d, np.eye(3)[np.argmin(abs(d))]))
        v = np.cross(d, u)

        def at(x, d=d, u=u, v=v):
            return unit(d + x[0] * u + x[1] * v)

        simplex = size * np.array([[0, 0], [1, 0], [0, 1.0]])
        options = {"initial_simplex": simplex, "xatol": 1e-11, "fatol": 1e-16, "maxfev": 400}
        best = minimize(lambda x, at=at: function(at(x)[None])[0], np.zeros(2), method="Nelder-Mead", options=options)
        d = at(best.x)
    return function(d[None])[0], d


def least_overlap_by_search(i, j, d):
    """The least p near d, and where."""
    return least_near(lambda directions: overlap_along(i, j, directions), d)


def corners(pose):
    """(8, 3) corners of a box."""
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return pose.centre + (signs * pose.shape["dimensions"]) @ pose.axes


def distance_of_boxes(i, j):
    """Distance of two boxes, 0 where they overlap: bounded least squares in the coordinates of both."""
    matrix = np.concatenate([i.axes.T, -j.axes.T], axis=1)
    half = np.concatenate([i.shape["dimensions"], j.shape["dimensions"]])
    found = lsq_linear(matrix, j.centre - i.centre, bounds=(-half, half), tol=1e-15, method="bvls")
    return np.linalg.norm(found.fun)


def distance_of_lines(a, b):
    """Distance of two segments (middle, unit vector, half length), likewise."""
    matrix, half = np.stack([a[1], -b[1]], axis=1), np.array([a[2], b[2]])
    return np.linalg.norm(lsq_linear(matrix, b[0] - a[0], bounds=(-half, half), tol=1e-15, method="bvls").fun)


def clipped(polygon, other):
    """Corners of what two convex polygons, both counter-clockwise, have in common: cut by one edge after the other."""
    result = [np.array(corner) for corner in polygon]
    for start, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        outward = np.array([end[1] - start[1], start[0] - end[0]])
        before, result = result, []
        for here, there in zip(before, before[1:] + before[:1], strict=True):
            inside, next_inside = outward @ (here - start) <= 0, outward @ (there - start) <= 0
            if inside:
                result.append(here)
            if inside != next_inside:
                t = outward @ (start - here) / (outward @ (there - here))
                result.append(here + t * (there - here))
    return np.array(result).reshape(-1, 2)


def area_of(polygon):
    """By triangles from its first corner."""
    total = 0.0
    for k in range(1, len(polygon) - 1):
        (ax, ay), (bx, by) = polygon[k] - polygon[0], polygon[k + 1] - polygon[0]
        total += 0.5 * (ax * by - ay * bx)
    return total


def exterior_angles(polygon):
    """Angle by which the outline turns at each corner."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    before = np.roll(edges, 1, axis=0)
    cosines = np.sum(edges * before, axis=1) / np.linalg.norm(edges, axis=1) / np.linalg.norm(before, axis=1)
    return np.arccos(np.clip(cosines, -1, 1))
