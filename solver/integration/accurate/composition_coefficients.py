"""Lengths of the stages of symmetric compositions of a symmetric step of order 2, in fractions of the whole step.

Order 4: five stages (M. Suzuki, Phys. Lett. A 146, 1990, 319-323).  Order 6: nine stages (W. Kahan, R.-C. Li, Math.
Comput. 66, 1997, 1089-1099).  Both stand in E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed.,
2006, V.3.2.  Where a stage begins never leaves the step, though some go backwards.
"""

from __future__ import annotations

import numpy as np

ORDERS = (4, 6)
MOST_STAGES = 9

_CUBE_ROOT = 4.0 ** (1.0 / 3.0)
_SUZUKI = [1.0 / (4.0 - _CUBE_ROOT)] * 2 + [-_CUBE_ROOT / (4.0 - _CUBE_ROOT)]
_KAHAN_LI = [
    0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230,
    0.79854399093482996340,
]  # fmt: skip


def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of stages (2,), lengths (2, MOST_STAGES) and begins (2, MOST_STAGES + 1), whose last is 1."""
    counts, lengths = np.zeros(len(ORDERS), dtype=np.int64), np.zeros((len(ORDERS), MOST_STAGES))
    begins = np.zeros((len(ORDERS), MOST_STAGES + 1))
    for i, half in enumerate((_SUZUKI, _KAHAN_LI)):
        stages = half + half[-2::-1]
        counts[i], lengths[i, : len(stages)] = len(stages), stages
        begins[i, 1 : len(stages) + 1] = np.cumsum(stages)
        begins[i, len(stages)] = 1.0
    return counts, lengths, begins


STAGE_COUNTS, STAGE_LENGTHS, STAGE_BEGINS = _table()
