"""The arrays that kernels share: where bodies and points are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

GROUND = 0  # body 0 never moves


class Motion(NamedTuple):
    """Motion of all bodies at one time, global components; body 0 is the ground.

    Body axes are the global axes at t = 0, so every rotation starts as the identity.
    """

    displacement: Floats  # (nb, 3) of the mass centre, from t = 0
    rotation: Floats  # (nb, 3, 3) body axes -> global axes
    velocity: Floats  # (nb, 3) of the mass centre
    angular_velocity: Floats  # (nb, 3)


class Points(NamedTuple):
    """Points that ride on bodies (nodes of joints, springs, loads)."""

    body: Ints  # (np,)
    arm: Floats  # (np, 3) from the mass centre, body axes
    origin: Floats  # (np, 3) position at t = 0, global
