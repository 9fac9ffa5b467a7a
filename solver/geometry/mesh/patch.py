"""The bent triangle between three corners and their normals: what it adds to the plane, and derivatives of that.

sigma = sum g_i c_i for numbers c_i, with the coordinates b and the slopes a_ij of `evaluate`.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.bodies import Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot


class Slopes(NamedTuple):
    """a_ij: height of corner j over the tangent plane at corner i; and the bulge."""

    a01: float
    a02: float
    a10: float
    a12: float
    a20: float
    a21: float
    bulge: float


class Parts(NamedTuple):
    """The three g_i, and their derivatives along the coordinates v = b_1 and w = b_2, with b_0 = 1 - v - w."""

    value: Vector
    v: Vector
    w: Vector


class Bend(NamedTuple):
    """sigma and its derivatives along v and w."""

    value: float
    v: float
    w: float


@kernel(inline=True)
def part_of_corner(
    bi: float, bj: float, bk: float, to_j: float, to_k: float, bulge: float
) -> tuple[float, float, float, float]:
    """g_i and its derivatives along b_i, b_j and b_k.  to_j, to_k : a_ij and a_ik.  bulge : 9 B"""
    half_j, half_k = 0.5 * bj, 0.5 * bk
    return (
        bi * (bulge * bj * bk - bj * (bi + half_k) * to_j - bk * (bi + half_j) * to_k),
        bulge * bj * bk - bj * (2.0 * bi + half_k) * to_j - bk * (2.0 * bi + half_j) * to_k,
        bi * (bulge * bk - (bi + half_k) * to_j - half_k * to_k),
        bi * (bulge * bj - (bi + half_j) * to_k - half_j * to_j),
    )


@kernel(inline=True)
def parts_of(slopes: Slopes, v: float, w: float) -> Parts:
    u, bulge = 1.0 - v - w, 9.0 * slopes.bulge
    g0, u0, v0, w0 = part_of_corner(u, v, w, slopes.a01, slopes.a02, bulge)
    g1, v1, w1, u1 = part_of_corner(v, w, u, slopes.a12, slopes.a10, bulge)
    g2, w2, u2, v2 = part_of_corner(w, u, v, slopes.a20, slopes.a21, bulge)
    return Parts((g0, g1, g2), (v0 - u0, v1 - u1, v2 - u2), (w0 - u0, w1 - u1, w2 - u2))


@kernel(inline=True)
def bend(parts: Parts, c: Vector) -> Bend:
    return Bend(dot(parts.value, c), dot(parts.v, c), dot(parts.w, c))


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
