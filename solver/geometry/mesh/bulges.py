"""How far the middle of a triangle stands off the surface that its corners and normals give.

Positions and normals at the corners leave one term of a cubic open, which vanishes on the edges.  The fits at the
corners know it: each says how high the surface is over the middle.
"""

from __future__ import annotations

import numpy as np

from .height_fit import MOST_ROUND, TERMS
from .triangle_mesh import Floats, Indices

LEAST_COSINE = 0.5
STEEPEST = 0.6  # largest a_ij / |P_j - P_i|
AGREED = 0.25  # of what corners stand off: difference between the fits from which on they say nothing


def edge_slopes(positions: Floats, normals: Floats, wedges: Indices) -> Floats:
    """(m, 3, 3): a[i, j] = (P_j - P_i).N_i f, how far corner j lies above the tangent plane at corner i.

    With f = 2/((1 + c) c), c the cosine of half the angle between N_i and N_j, edges become arcs on spheres and
    cylinders, where f = 1 leaves an error of fourth order.  No edge bends more than an arc of twice 30 degrees does.
    """
    corners, at = positions[wedges], normals[wedges]
    slopes = np.einsum("tijk,tik->tij", corners[:, None, :, :] - corners[:, :, None, :], at)
    cosine = 0.5 * np.linalg.norm(at[:, None, :, :] + at[:, :, None, :], axis=3)
    cosine = np.maximum(cosine, LEAST_COSINE)
    slopes *= 2.0 / ((1.0 + cosine) * cosine)
    limit = STEEPEST * np.linalg.norm(corners[:, None, :, :] - corners[:, :, None, :], axis=3)
    return np.asarray(np.clip(slopes, -limit, limit))


def height_of_fit(x: Floats, y: Floats, terms: Floats) -> Floats:
    """Height of a fit at (x, y)."""
    c, d, e = terms[:, 2], terms[:, 3], terms[:, 4]
    steep = np.minimum((c * x + d * y) ** 2 + (d * x + e * y) ** 2, MOST_ROUND)
    factor = 2.0 / (1.0 + np.sqrt(1.0 - steep))
    low = np.stack([x, y, factor * x * x / 2, factor * x * y, factor * y * y / 2], axis=1)
    cubic = np.stack([x**3, x * x * y, x * y * y, y**3], axis=1)
    columns = np.concatenate([low, cubic], axis=1)
    return np.asarray(np.einsum("tk,tk->t", columns, terms[:, :TERMS]))


def find_bulges(
    positions: Floats, normals: Floats, wedges: Indices, slopes: Floats, frames: Floats, terms: Floats, fitted: Indices
) -> Floats:
    """(m,), lengths along the mean of the three normals; 0 where a corner has no fit."""
    corners, at = positions[wedges], normals[wedges]
    weight = -(slopes[:, [0, 1, 2], [1, 2, 0]] + slopes[:, [0, 1, 2], [2, 0, 1]]) / 18.0
    up = at.mean(axis=1)
    middle = corners.mean(axis=1) + np.einsum("ti,tik->tk", weight, at)
    heights = np.zeros((len(wedges), 3))
    for i in range(3):
        frame, fit = frames[wedges[:, i]], terms[wedges[:, i]]
        unit = np.where(fit[:, TERMS] > 0.0, fit[:, TERMS], 1.0)
        for _ in range(3):
            point = middle + heights[:, i, None] * up - corners[:, i]
            x, y, z = np.moveaxis(np.einsum("tak,tk->ta", frame, point) / unit[:, None], 1, 0)
            rise = height_of_fit(x, y, fit) - z
            steep = np.einsum("tk,tk->t", frame[:, 2], up)
            heights[:, i] += rise * unit / np.where(steep > 0.1, steep, 1.0)
    known = fitted[wedges].all(axis=1)
    limit = AGREED * np.abs(slopes).max(axis=(1, 2))
    part = 1.0 - np.ptp(heights, axis=1) / np.where(limit > 0.0, limit, 1.0)
    return np.where(known, np.maximum(part, 0.0) * heights.mean(axis=1), 0.0)
