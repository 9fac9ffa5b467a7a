"""The Jacobian of rows as scipy's sparse matrices, for what is asked of it once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.bodies import Ints, Records


def sparse_jacobian(rows: Records, entries: Records, chosen: Ints, n_bodies: int) -> tuple[Any, Any]:
    """Jacobian G of the chosen rows, and G M^-1, as sparse matrices (rows, 6 nb)."""
    from scipy.sparse import csr_matrix

    counts = rows["end"][chosen] - rows["start"][chosen]
    places = np.repeat(rows["start"][chosen] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    columns = (6 * entries["body"][places][:, None] + np.arange(6)).ravel()
    pointer = 6 * np.concatenate([[0], np.cumsum(counts)])
    shape = len(chosen), 6 * n_bodies
    jacobian, weighted = (
        csr_matrix((entries[name][places].ravel(), columns, pointer), shape) for name in ("jacobian", "weighted")
    )
    return jacobian, weighted
