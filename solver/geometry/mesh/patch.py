"""The bent triangle between three corners and their normals: what it adds to the plane, and derivatives of that.

sigma = sum g_i c_i for numbers c_i, with the coordinates b and the slopes a_ij of `evaluate`.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.bodies import Vector
from ...core.jit.kernels import kernel


class Slopes(NamedTuple):
    """a_ij: height of corner j over the tangent plane at corner i; and the bulge."""

    a01: float
    a02: float
    a10: float
    a12: float
    a20: float
    a21: float
    bulge: float


class Bend(NamedTuple):
    """sigma and its derivatives along the coordinates v = b_1 and w = b_2, with b_0 = 1 - v - w."""

    value: float
    v: float
    w: float


@kernel(inline=True)
def pair_terms(bi: float, bj: float, bk: float, qij: float, qji: float) -> tuple[float, float, float, float]:
    """b_i b_j (b_i q_ij + b_j q_ji + b_k (q_ij + q_ji)/2) and its derivatives along b_i, b_j and b_k."""
    mean = 0.5 * (qij + qji)
    core = bi * qij + bj * qji + bk * mean
    return bi * bj * core, bj * (core + bi * qij), bi * (core + bj * qji), bi * bj * mean


@kernel(inline=True)
def bend(slopes: Slopes, v: float, w: float, c: Vector) -> Bend:
    u = 1.0 - v - w
    t01, u01, v01, w01 = pair_terms(u, v, w, slopes.a01 * c[0], slopes.a10 * c[1])
    t02, u02, w02, v02 = pair_terms(u, w, v, slopes.a02 * c[0], slopes.a20 * c[2])
    t12, v12, w12, u12 = pair_terms(v, w, u, slopes.a12 * c[1], slopes.a21 * c[2])
    bulge = 9.0 * slopes.bulge * (c[0] + c[1] + c[2])
    along_u = bulge * v * w - (u01 + u02 + u12)
    along_v = bulge * u * w - (v01 + v02 + v12)
    along_w = bulge * u * v - (w01 + w02 + w12)
    return Bend(bulge * u * v * w - (t01 + t02 + t12), along_v - along_u, along_w - along_u)


@kernel(inline=True)
def second_bend(slopes: Slopes, v: float, w: float, c: Vector) -> Vector:
    """Second derivatives of sigma: vv, vw, ww."""
    u = 1.0 - v - w
    q01, q10 = slopes.a01 * c[0], slopes.a10 * c[1]
    q02, q20 = slopes.a02 * c[0], slopes.a20 * c[2]
    q12, q21 = slopes.a12 * c[1], slopes.a21 * c[2]
    m01, m02, m12 = 0.5 * (q01 + q10), 0.5 * (q02 + q20), 0.5 * (q12 + q21)
    bulge = 9.0 * slopes.bulge * (c[0] + c[1] + c[2])
    uu = -2.0 * (v * q01 + w * q02)
    vv = -2.0 * (u * q10 + w * q12)
    ww = -2.0 * (u * q20 + v * q21)
    uv = bulge * w - (2.0 * (u * q01 + v * q10) + w * (m01 + m02 + m12))
    uw = bulge * v - (2.0 * (u * q02 + w * q20) + v * (m01 + m02 + m12))
    vw = bulge * u - (2.0 * (v * q12 + w * q21) + u * (m01 + m02 + m12))
    return vv - 2.0 * uv + uu, vw - uv - uw + uu, ww - 2.0 * uw + uu
