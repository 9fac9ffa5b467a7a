"""How far the middle of a triangle stands off the surface that its corners and normals give.

Positions and normals at the corners leave one term of a cubic open, which vanishes on the edges.  The fits at the
corners know it: each says how high the surface is over the middle.
"""

from __future__ import annotations

import numpy as np

from .triangle_mesh import Floats, Indices
from .vertex_normals import TERMS

LARGEST = 0.5  # of what the edges stand off


def edge_slopes(positions: Floats, normals: Floats, wedges: Indices) -> Floats:
    """(m, 3, 3): a[i, j] = (P_j - P_i) . N_i, how far corner j lies above the tangent plane at corner i."""
    corners, at = positions[wedges], normals[wedges]
    slopes: Floats = np.einsum("tijk,tik->tij", corners[:, None, :, :] - corners[:, :, None, :], at)
    return slopes


def find_bulges(
    positions: Floats, normals: Floats, wedges: Indices, frames: Floats, terms: Floats, fitted: Indices
) -> Floats:
    """(m,), lengths along the mean of the three normals; 0 where a corner has no fit."""
    corners, at = positions[wedges], normals[wedges]
    slopes = edge_slopes(positions, normals, wedges)
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
            columns = np.stack([x, y, x * x / 2, x * y, y * y / 2, x**3, x * x * y, x * y * y, y**3], axis=1)
            rise = np.einsum("tk,tk->t", columns, fit[:, :TERMS]) - z
            steep = np.einsum("tk,tk->t", frame[:, 2], up)
            heights[:, i] += rise * unit / np.where(steep > 0.1, steep, 1.0)
    known = fitted[wedges].all(axis=1)
    limit = LARGEST * np.abs(slopes).max(axis=(1, 2))
    return np.where(known, np.clip(heights.mean(axis=1), -limit, limit), 0.0)


