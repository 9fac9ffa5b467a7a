"""Volume, centre and inertia of the exact solids, in closed form."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats


class SolidProperties(NamedTuple):
    """Of a solid of density 1, in its own axes, from its own centre.

    centre : (3,), mass centre
    inertia : (3, 3), about the mass centre
    """

    volume: float
    centre: Floats
    inertia: Floats


def solid_properties(kind: str, dimensions: Floats) -> SolidProperties:
    """Of SPHERE, BOX, CYLINDER, FRUSTUM or ELLIPSOID with the dimensions (3,) that `Shape` of the model has."""
    a, b, c = (float(length) for length in dimensions)
    if kind == "FRUSTUM":
        return _frustum(a, b, c)
    if kind == "CYLINDER":
        return _frustum(a, a, b)
    if kind == "BOX":
        return _ellipsoidal(a * b * c, 1.0 / 12.0, (a, b, c))
    axes = (a, a, a) if kind == "SPHERE" else (a, b, c)
    return _ellipsoidal(4.0 / 3.0 * math.pi * math.prod(axes), 1.0 / 5.0, axes)


def _ellipsoidal(volume: float, factor: float, lengths: tuple[float, float, float]) -> SolidProperties:
    """The second moments are the volume times a factor times the squares of three lengths."""
    xx, yy, zz = (factor * volume * length**2 for length in lengths)
    return SolidProperties(volume, np.zeros(3), np.diag([yy + zz, zz + xx, xx + yy]))


def _frustum(bottom: float, top: float, length: float) -> SolidProperties:
    """A truncated cone along z, its ends at -length/2 and length/2.

    With r = r_b + (r_t - r_b) s at z = length s from the bottom: V = pi int r^2 dz, I_zz = pi/2 int r^4 dz, I_xx about
    a diameter of the bottom = I_zz/2 + pi int r^2 z^2 dz.
    """
    squares = bottom**2 + bottom * top + top**2
    volume = math.pi * length * squares / 3.0
    height = length * (bottom**2 + 2.0 * bottom * top + 3.0 * top**2) / (4.0 * squares)
    fourth = sum(bottom**k * top ** (4 - k) for k in range(5))
    along = math.pi * length * fourth / 10.0
    slope = top - bottom
    across = 0.5 * along + math.pi * length**3 * (bottom**2 / 3.0 + bottom * slope / 2.0 + slope**2 / 5.0)
    across -= volume * height**2
    return SolidProperties(volume, np.array([0.0, 0.0, height - length / 2.0]), np.diag([across, across, along]))
