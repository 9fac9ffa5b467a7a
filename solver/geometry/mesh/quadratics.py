"""The depth over a triangle as a quadratic of its coordinates: where it is largest.

Depths and slopes along the edges at the corners give Hermite's cubic on each edge, and its value in the middle; corners
and middles give the quadratic, which leaves out what is in `cubics`.  With the coordinates v of the second and w of
the third corner,

    z = q_0 + q_1 v + q_2 w + q_3 v^2 + q_4 v w + q_5 w^2.

Of the triangle that part counts where no other chart of the master is in charge: behind the planes that cut it, where
all `beyond`, linear between their values at the corners, are not positive.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, vector_of
from .records import NONE

ON_BOUND = 1e-9  # coordinates that are zero


class Quadratic(NamedTuple):
    one: float
    v: float
    w: float
    vv: float
    vw: float
    ww: float


class Deepest(NamedTuple):
    """depth, and the place v, w."""

    depth: float
    v: float
    w: float


@kernel(inline=True)
def middles_of(nodes: Records, listed: Record, facet: Record) -> tuple[Vector, Vector]:
    """Depths at the corners of a listed triangle, and in the middles of its edges."""
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    ni, nj, nk, t = vector_of(i.normal), vector_of(j.normal), vector_of(k.normal), facet.tangents
    ab = 0.5 * (i.depth + j.depth) - 0.125 * (dot(ni, t[0]) + dot(nj, t[3]))
    bc = 0.5 * (j.depth + k.depth) - 0.125 * (dot(nj, t[2]) + dot(nk, t[5]))
    ca = 0.5 * (k.depth + i.depth) - 0.125 * (dot(nk, t[4]) + dot(ni, t[1]))
    return (i.depth, j.depth, k.depth), (ab, bc, ca)


@kernel(inline=True)
def upper_bound(corners: Vector, middles: Vector) -> float:
    """The largest Bernstein coefficient."""
    a, b, c = corners
    ab, bc, ca = middles
    return max(
        a, b, c, max(2.0 * ab - 0.5 * (a + b), 2.0 * bc - 0.5 * (b + c), 2.0 * ca - 0.5 * (c + a))
    )  # fmt: skip


@kernel(inline=True)
def quadratic_of(corners: Vector, middles: Vector) -> Quadratic:
    a, b, c = corners
    ab, bc, ca = middles
    vv, ww = 2.0 * (a + b) - 4.0 * ab, 2.0 * (a + c) - 4.0 * ca
    return Quadratic(a, b - a - vv, c - a - ww, vv, 4.0 * (bc + a - ab - ca), ww)


@kernel(inline=True)
def value_at(q: Quadratic, v: float, w: float) -> float:
    return q.one + (q.v + q.vv * v + q.vw * w) * v + (q.w + q.ww * w) * w


@kernel(inline=True)
def place_on_line(slope: float, bent: float) -> float:
    """Where slope s + bent s^2 is largest between 0 and 1."""
    if bent < 0.0:
        return min(1.0, max(0.0, -0.5 * slope / bent))
    return 1.0 if bent + slope > 0.0 else 0.0


@kernel(inline=True)
def deepest_between(q: Quadratic, v: float, w: float, end_v: float, end_w: float) -> Deepest:
    """On the line between two places."""
    dv, dw = end_v - v, end_w - w
    bent = q.vv * dv * dv + q.vw * dv * dw + q.ww * dw * dw
    slope = (q.v + 2.0 * q.vv * v + q.vw * w) * dv + (q.w + 2.0 * q.ww * w + q.vw * v) * dw
    s = place_on_line(slope, bent)
    v, w = v + s * dv, w + s * dw
    return Deepest(value_at(q, v, w), v, w)


@kernel(inline=True)
def deepest_on_outline(q: Quadratic) -> Deepest:
    """On the three edges."""
    v = place_on_line(q.v, q.vv)
    best = Deepest(q.one + (q.v + q.vv * v) * v, v, 0.0)
    s = place_on_line(q.w + q.vw - (q.v + 2.0 * q.vv), q.vv - q.vw + q.ww)
    depth = value_at(q, 1.0 - s, s)
    if depth > best.depth:
        best = Deepest(depth, 1.0 - s, s)
    w = 1.0 - place_on_line(-(q.w + 2.0 * q.ww), q.ww)
    depth = q.one + (q.w + q.ww * w) * w
    if depth > best.depth:
        best = Deepest(depth, 0.0, w)
    return best


@kernel(inline=True)
def plane_of(beyond: Floats, k: int) -> Vector:
    """The k-th plane that cuts a triangle as a function of coordinates: its value at 0, 0 and its slopes."""
    return beyond[k, 0], beyond[k, 1] - beyond[k, 0], beyond[k, 2] - beyond[k, 0]


@kernel(inline=True)
def is_behind(beyond: Floats, cuts: int, v: float, w: float) -> bool:
    """Whether v, w is behind all planes."""
    for k in range(cuts):
        one, along_v, along_w = plane_of(beyond, k)
        if one + along_v * v + along_w * w > 0.0:
            return False
    return True


@kernel
def part_behind(
    beyond: Floats, cuts: int, leave_out: int, v: float, w: float, dv: float, dw: float, low: float, high: float
) -> tuple[float, float]:
    """The part of [low, high] where v + s dv, w + s dw is behind all planes but one; empty if the second is smaller."""
    for k in range(cuts):
        if k == leave_out:
            continue
        one, along_v, along_w = plane_of(beyond, k)
        value, slope = one + along_v * v + along_w * w, along_v * dv + along_w * dw
        if slope > 0.0:
            high = min(high, -value / slope)
        elif slope < 0.0:
            low = max(low, -value / slope)
        elif value > 0.0:
            return 1.0, 0.0
    return low, high


@kernel
def line_of_cut(beyond: Floats, cuts: int, k: int) -> tuple[float, float, float, float, float, float]:
    """Where the k-th plane meets the triangle, behind the others: a place v, w, a direction, and a range along it."""
    one, along_v, along_w = plane_of(beyond, k)
    square = along_v * along_v + along_w * along_w
    if not square > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 1.0, 0.0
    v, w = -one * along_v / square, -one * along_w / square
    size = math.sqrt(square)
    dv, dw = -along_w / size, along_v / size
    low, high = -math.inf, math.inf
    for edge in range(3):
        # u, v and w are not negative
        value = v if edge == 0 else w if edge == 1 else 1.0 - v - w
        slope = dv if edge == 0 else dw if edge == 1 else -dv - dw
        if slope > 0.0:
            low = max(low, -value / slope)
        elif slope < 0.0:
            high = min(high, -value / slope)
        elif value < 0.0:
            return v, w, dv, dw, 1.0, 0.0
    low, high = part_behind(beyond, cuts, k, v, w, dv, dw, low, high)
    return v, w, dv, dw, low, high


@kernel(inline=True)
def summit_inside(q: Quadratic) -> tuple[bool, float, float]:
    """Whether the quadratic has its largest value within the triangle, and where."""
    determinant = 4.0 * q.vv * q.ww - q.vw * q.vw
    if not (q.vv < 0.0 and determinant > 0.0):
        return False, 0.0, 0.0
    v = (q.vw * q.w - 2.0 * q.ww * q.v) / determinant
    w = (q.vw * q.v - 2.0 * q.vv * q.w) / determinant
    return v >= 0.0 and w >= 0.0 and v + w <= 1.0, v, w


@kernel(inline=True)
def deepest_of(q: Quadratic, beyond: Floats, cuts: int) -> Deepest:
    """What `deepest_in` finds, at once where there are no cuts."""
    if cuts > 0:
        return deepest_in(q, beyond, cuts)
    inside, v, w = summit_inside(q)
    return Deepest(value_at(q, v, w), v, w) if inside else deepest_on_outline(q)


@kernel
def deepest_in(q: Quadratic, beyond: Floats, cuts: int) -> Deepest:
    """Where the quadratic is largest, in the part that is behind all planes; depth -inf without such a part."""
    inside, v, w = summit_inside(q)
    # where planes cut off a summit within the triangle, the deepest place may lie on them, whatever the outline has
    best = Deepest(value_at(q, v, w), v, w) if inside else deepest_on_outline(q)
    if is_behind(beyond, cuts, best.v, best.w):
        return best
    best = Deepest(-math.inf, 0.0, 0.0)
    for s in range(3):
        v, w = 1.0 if s == 1 else 0.0, 1.0 if s == 2 else 0.0
        dv, dw = (1.0 if s == 0 else 0.0) - v, (1.0 if s == 1 else 0.0) - w
        low, high = part_behind(beyond, cuts, NONE, v, w, dv, dw, 0.0, 1.0)
        if low > high:
            continue
        found = deepest_between(q, v + low * dv, w + low * dw, v + high * dv, w + high * dw)
        if found.depth > best.depth:
            best = found
    for k in range(cuts):
        v, w, dv, dw, low, high = line_of_cut(beyond, cuts, k)
        if low > high:
            continue
        found = deepest_between(q, v + low * dv, w + low * dw, v + high * dv, w + high * dw)
        if found.depth > best.depth:
            best = found
    return best


@kernel
def deepest_on_cut(q: Quadratic, beyond: Floats, cuts: int, k: int, near: Deepest) -> tuple[bool, Deepest]:
    """Whether the quadratic is largest on the k-th plane near a place that is on it or close by, and where.

    That is where the plane meets the edge that the place is on, or else the largest value along the plane; not found if
    it is none, or not within the triangle and behind the other planes.
    """
    one, along_v, along_w = plane_of(beyond, k)
    nowhere, v, w, dv, dw = Deepest(-math.inf, 0.0, 0.0), near.v, near.w, along_v, along_w
    on_edge = min(v, w, 1.0 - v - w) < ON_BOUND
    if on_edge:
        v, w = max(v, 0.0), max(w, 0.0)
        dv, dw = (0.0, 1.0) if v < ON_BOUND else (1.0, 0.0) if w < ON_BOUND else (-1.0, 1.0)
    steep = along_v * dv + along_w * dw
    if steep == 0.0:
        return False, nowhere
    s = -(one + along_v * v + along_w * w) / steep
    v, w = v + s * dv, w + s * dw
    # along the plane, by -along_w and along_v
    slope_v, slope_w = q.v + 2.0 * q.vv * v + q.vw * w, q.w + 2.0 * q.ww * w + q.vw * v
    slope = slope_w * along_v - slope_v * along_w
    if on_edge:
        inwards = -along_w if dv == 0.0 else along_v if dw == 0.0 else along_w - along_v
        if slope * inwards > 0.0:
            return False, nowhere
    else:
        bent = q.vv * along_w * along_w - q.vw * along_v * along_w + q.ww * along_v * along_v
        if not bent < 0.0:
            return False, nowhere
        s = -0.5 * slope / bent
        v, w = v - s * along_w, w + s * along_v
    if min(v, w, 1.0 - v - w) < -ON_BOUND:
        return False, nowhere
    for other in range(cuts):
        value, slope_v, slope_w = plane_of(beyond, other)
        if other != k and value + slope_v * v + slope_w * w > 0.0:
            return False, nowhere
    return True, Deepest(value_at(q, v, w), v, w)
