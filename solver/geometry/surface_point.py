"""A smooth surface as seen from a point near it: what contact needs of a mesh."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Floats, Vector
from ..core.jit.kernels import kernel

Tensor = tuple[float, float, float, float, float, float]  # symmetric: xx, yy, zz, xy, xz, yz

NO_EDGE = -1e30  # signed distance beyond the edges of a chart that has none
NO_CURVATURE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class SurfacePoint(NamedTuple):
    """One chart (a smooth face) as seen from a point x.

    triangle : where it was found, the start of the next search
    phi : signed height of x, positive outside, length
    normal : unit, gradient of phi
    hessian : second derivatives of phi, 1/length
    beyond : how far x is beyond the edges of the chart, negative within, length
    beyond_gradient : of `beyond`
    edge : the nearest cut edge, from which `beyond` is measured; below zero without
    found : whether the search came to its end; it may be another triangle that is nearest otherwise
    """

    triangle: int
    phi: float
    normal: Vector
    hessian: Tensor
    beyond: float
    beyond_gradient: Vector
    edge: int
    found: bool


@kernel(inline=True)
def symmetric(a: Vector, b: Vector) -> Tensor:
    """(a b^T + b a^T)/2."""
    return (
        a[0] * b[0],
        a[1] * b[1],
        a[2] * b[2],
        0.5 * (a[0] * b[1] + a[1] * b[0]),
        0.5 * (a[0] * b[2] + a[2] * b[0]),
        0.5 * (a[1] * b[2] + a[2] * b[1]),
    )


@kernel(inline=True)
def size_of(h: Tensor | Floats) -> float:
    """Root of the sum of squares of all nine components: no principal value is larger."""
    return math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + 2.0 * (h[3] * h[3] + h[4] * h[4] + h[5] * h[5]))


@kernel(inline=True)
def added(h: Tensor, factor: float, k: Tensor) -> Tensor:
    """h + factor k."""
    return (
        h[0] + factor * k[0],
        h[1] + factor * k[1],
        h[2] + factor * k[2],
        h[3] + factor * k[3],
        h[4] + factor * k[4],
        h[5] + factor * k[5],
    )


@kernel(inline=True)
def applied(h: Tensor, v: Vector) -> Vector:
    """h v."""
    return (
        h[0] * v[0] + h[3] * v[1] + h[4] * v[2],
        h[3] * v[0] + h[1] * v[1] + h[5] * v[2],
        h[4] * v[0] + h[5] * v[1] + h[2] * v[2],
    )
