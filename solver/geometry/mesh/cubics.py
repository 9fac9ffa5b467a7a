"""What a quadratic over a triangle leaves out of the depth: the cubics on its edges, where the deepest place is.

Depths z and slopes m at both ends of an edge from a to b have the cubic term

    C_ab = 2 (z_a - z_b) + m_a + m_b,

and stand off the quadratic through ends and middle by C_ab s (s - 1/2)(s - 1).  Over the triangle, with u = 1 - v - w,

    -1/2 (C_ab u v (v - u) + C_bc v w (w - v) + C_ca w u (u - w)) + beta u v w.

Of beta the edges say nothing but where one of them is straight, as the rulings of cylinders and the traces of teeth
nearly are: the depth then changes across it alone, and beta is the mean of C along the two others, towards the corner
opposite.  Elsewhere it is zero.

As the depth counts near its largest value alone, the quadratic is made to touch the cubic there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, vector_of
from .quadratics import ON_BOUND, Deepest, Quadratic, middles_of, quadratic_of, summit_inside

NO_CUBIC, NO_RULING = -2, -1  # of facets: linear between their corners; all edges bent
UNSETTLED = 0.1  # of the depth: a quadratic that misses its cubic by more is not believed


class Cubic(NamedTuple):
    """C of the three edges, and beta; lengths."""

    ab: float
    bc: float
    ca: float
    beta: float


@kernel(inline=True)
def cubic_of(nodes: Records, listed: Record, facet: Record) -> Cubic:
    """Cubic terms of the depth over a listed triangle."""
    if facet.ruling == NO_CUBIC:
        return Cubic(0.0, 0.0, 0.0, 0.0)
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    ni, nj, nk, t = vector_of(i.normal), vector_of(j.normal), vector_of(k.normal), facet.tangents
    ab = 2.0 * (i.depth - j.depth) - dot(ni, t[0]) + dot(nj, t[3])
    bc = 2.0 * (j.depth - k.depth) - dot(nj, t[2]) + dot(nk, t[5])
    ca = 2.0 * (k.depth - i.depth) - dot(nk, t[4]) + dot(ni, t[1])
    beta = 0.0
    if facet.ruling == 0:
        beta = 0.5 * (bc - ca)
    elif facet.ruling == 1:
        beta = 0.5 * (ca - ab)
    elif facet.ruling == 2:
        beta = 0.5 * (ab - bc)
    return Cubic(ab, bc, ca, beta)


@kernel(inline=True)
def depth_over(nodes: Records, listed: Record, facet: Record) -> tuple[Quadratic, Cubic]:
    """Over a listed triangle: the quadratic through ends and middles of its edges, and what that leaves out."""
    corners, middles = middles_of(nodes, listed, facet)
    return quadratic_of(corners, middles), cubic_of(nodes, listed, facet)


@kernel(inline=True)
def most_of(c: Cubic) -> float:
    """A bound on what a cubic adds: s (s - 1/2)(s - 1) is at most 0.0482, u v w 1/27."""
    return 0.0482 * (abs(c.ab) + abs(c.bc) + abs(c.ca)) + abs(c.beta) / 27.0


@kernel(inline=True)
def weights_of_cubic(facet: Record, v: float, w: float) -> Vector:
    """What the cubic at v, w is of C_ab, C_bc and C_ca, times -2."""
    if facet.ruling == NO_CUBIC:
        return 0.0, 0.0, 0.0
    u = 1.0 - v - w
    ab, bc, ca, bubble = u * v * (v - u), v * w * (w - v), w * u * (u - w), u * v * w
    if facet.ruling == 0:
        bc, ca = bc - bubble, ca + bubble
    elif facet.ruling == 1:
        ca, ab = ca - bubble, ab + bubble
    elif facet.ruling == 2:
        ab, bc = ab - bubble, bc + bubble
    return ab, bc, ca


@kernel(inline=True)
def value_of_cubic(c: Cubic, v: float, w: float) -> float:
    u = 1.0 - v - w
    return -0.5 * (c.ab * u * v * (v - u) + c.bc * v * w * (w - v) + c.ca * w * u * (u - w)) + c.beta * u * v * w


@kernel(inline=True)
def with_cubic(q: Quadratic, c: Cubic, v: float, w: float) -> Quadratic:
    """The quadratic that touches, to second order at v, w, the sum of a quadratic and a cubic."""
    u, value = 1.0 - v - w, value_of_cubic(c, v, w)
    # derivatives by u, v and w
    du = -0.5 * (c.ab * (v * v - 2.0 * u * v) + c.ca * (2.0 * w * u - w * w)) + c.beta * v * w
    dv = -0.5 * (c.ab * (2.0 * u * v - u * u) + c.bc * (w * w - 2.0 * v * w)) + c.beta * w * u
    dw = -0.5 * (c.bc * (2.0 * v * w - v * v) + c.ca * (u * u - 2.0 * w * u)) + c.beta * u * v
    uu, vv, ww = c.ab * v - c.ca * w, c.bc * w - c.ab * u, c.ca * u - c.bc * v
    uv, vw, wu = c.ab * (u - v) + c.beta * w, c.bc * (v - w) + c.beta * u, c.ca * (w - u) + c.beta * v
    # by v and w alone
    slope_v, slope_w = dv - du, dw - du
    bent_vv, bent_ww, bent_vw = vv - 2.0 * uv + uu, ww - 2.0 * wu + uu, vw - uv - wu + uu
    one = value - slope_v * v - slope_w * w + 0.5 * (bent_vv * v * v + bent_ww * w * w) + bent_vw * v * w
    return Quadratic(
        q.one + one,
        q.v + slope_v - bent_vv * v - bent_vw * w,
        q.w + slope_w - bent_ww * w - bent_vw * v,
        q.vv + 0.5 * bent_vv,
        q.vw + bent_vw,
        q.ww + 0.5 * bent_ww,
    )


@kernel(inline=True)
def place_of_summit(slope: float, bent: float, cubic: float) -> float:
    """Where slope s + bent s^2 + cubic s (s - 1/2)(s - 1) has its summit between 0 and 1; 0 if none."""
    first, second, third = slope + 0.5 * cubic, 2.0 * bent - 3.0 * cubic, 3.0 * cubic  # of the derivative
    square = second * second - 4.0 * third * first
    s = 2.0 * first / (math.sqrt(max(square, 0.0)) - second)  # of the two roots that where the derivative falls
    # one decision, as any of these may be the one
    is_summit = (square > 0.0) & (s > 0.0) & (s < 1.0) & ((first > 0.0) | (first + second + third < 0.0))
    return s if is_summit else 0.0


@kernel(inline=True)
def summit_of_edge(start: float, slope: float, bent: float, cubic: float) -> tuple[float, float]:
    """Where start + slope s + bent s^2 + cubic s (s - 1/2)(s - 1) has its summit between 0 and 1, and its value there.

    0 and the start if it has none.
    """
    s = place_of_summit(slope, bent, cubic)
    return s, start + (slope + bent * s + cubic * (s - 0.5) * (s - 1.0)) * s


@kernel(inline=True)
def deepest_on_outline_with_cubic(q: Quadratic, c: Cubic) -> Deepest:
    """Where the sum of a quadratic and a cubic is largest on the three edges."""
    at_b, at_c = q.one + q.v + q.vv, q.one + q.w + q.ww
    best = Deepest(q.one, 0.0, 0.0)
    if at_b > best.depth:
        best = Deepest(at_b, 1.0, 0.0)
    if at_c > best.depth:
        best = Deepest(at_c, 0.0, 1.0)
    s, depth = summit_of_edge(q.one, q.v, q.vv, c.ab)
    if depth > best.depth:
        best = Deepest(depth, s, 0.0)
    s, depth = summit_of_edge(at_b, q.w + q.vw - q.v - 2.0 * q.vv, q.vv - q.vw + q.ww, c.bc)
    if depth > best.depth:
        best = Deepest(depth, 1.0 - s, s)
    s, depth = summit_of_edge(at_c, -q.w - 2.0 * q.ww, q.ww, c.ca)
    if depth > best.depth:
        best = Deepest(depth, 0.0, 1.0 - s)
    return best


@kernel(inline=True)
def leads_inside(q: Quadratic, v: float, w: float) -> bool:
    """Whether a quadratic rises towards the inside where it is largest on the outline: not from a corner."""
    along_v, along_w = q.v + 2.0 * q.vv * v + q.vw * w, q.w + 2.0 * q.ww * w + q.vw * v
    if v < ON_BOUND:
        return w > ON_BOUND and w < 1.0 - ON_BOUND and along_v > 0.0
    if w < ON_BOUND:
        return v < 1.0 - ON_BOUND and along_w > 0.0
    return along_v + along_w < 0.0


@kernel(inline=True)
def summit_on_outline(q: Quadratic, c: Cubic) -> tuple[bool, Deepest, Quadratic]:
    """Whether the sum of a quadratic and a cubic is largest on the outline, where, and what touches it there."""
    if summit_inside(q)[0]:
        return False, Deepest(-math.inf, 0.0, 0.0), q
    highest = deepest_on_outline_with_cubic(q, c)
    touching = with_cubic(q, c, highest.v, highest.w)
    return not leads_inside(touching, highest.v, highest.w), highest, touching
