"""Orientations of what is only written down, many at once; what steps need is in `rotation`."""

from __future__ import annotations

import numpy as np

from .bodies import Floats


def quaternions_of(rotations: Floats) -> Floats:
    """Unit quaternions (..., 4), w first and not negative, of rotation matrices (..., 3, 3)."""
    r = np.moveaxis(rotations, (-2, -1), (0, 1))
    products = np.empty((*rotations.shape[:-2], 4, 4))  # 4 q q^T: its longest row is along q
    products[..., 0, 0] = 1 + r[0, 0] + r[1, 1] + r[2, 2]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[..., i + 1, i + 1] = 1 + r[i, i] - r[j, j] - r[k, k]
        products[..., 0, i + 1] = products[..., i + 1, 0] = r[k, j] - r[j, k]
        products[..., i + 1, j + 1] = products[..., j + 1, i + 1] = r[i, j] + r[j, i]
    longest = np.argmax(np.einsum("...ii->...i", products), axis=-1)
    found = np.take_along_axis(products, longest[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(found[..., :1] < 0.0, -found, found) + 0.0
