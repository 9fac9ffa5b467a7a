"""The region of a patch: its area and extent, and the integral of a power of the depth over it.

Over each carrier the part is integrated where the depth is positive and no other chart of the master is in charge, seen
along the normal of the master.  Along lines of constant v the ends of this part are known in closed form, as is the
range of v where there are such lines; within, Gauss's rule.

The depth is that of the quadratic through the ends and middles of edges: what the cubics there add (see `cubics`) goes
up and down along an edge.

The integral of depth^e is that of a law for each unit of area: its wrench is the gradient of the integral of
depth^(e+1)/(e+1), by the same nodes and tangents as that of a point (see `push`).
"""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Floats, Ints, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, vector_of
from .pair_records import SUMS, MeshPairs, PairScratch
from .push import half_tangent, push_of_node
from .quadratics import Quadratic, line_of_cut, middles_of, part_behind, quadratic_of, value_at
from .records import NONE

OUTER, INNER = np.polynomial.legendre.leggauss(8), np.polynomial.legendre.leggauss(5)
OUTER_PLACES, OUTER_WEIGHTS = tuple(0.5 + 0.5 * OUTER[0]), tuple(0.5 * OUTER[1])
INNER_PLACES, INNER_WEIGHTS = tuple(0.5 + 0.5 * INNER[0]), tuple(0.5 * INNER[1])


@kernel(inline=True)
def roots_of(c: float, b: float, a: float, low: float, high: float) -> tuple[float, float]:
    """The part of [low, high] where c + b t + a t^2 is positive, for a < 0; empty if the second is not larger."""
    square = b * b - 4.0 * a * c
    if square <= 0.0:
        return low, low
    root = math.sqrt(square)
    # without cancellation
    q = -0.5 * (b + math.copysign(root, b))
    one = q / a
    other = c / q if q != 0.0 else one
    return max(low, min(one, other)), min(high, max(one, other))


@kernel(inline=True)
def range_of_lines(q: Quadratic) -> tuple[float, float]:
    """Range of v beyond which the depth is negative for all w, where that is easily told."""
    if not q.ww < 0.0:
        return 0.0, 1.0
    c, b, a = q.one - q.w * q.w / (4.0 * q.ww), q.v - q.vw * q.w / (2.0 * q.ww), q.vv - q.vw * q.vw / (4.0 * q.ww)
    if not a < 0.0:
        return 0.0, 1.0
    return roots_of(c, b, a, 0.0, 1.0)


@kernel(inline=True)
def range_on_line(q: Quadratic, beyond: Floats, cuts: int, v: float) -> tuple[float, float]:
    """Range of w on the line v where the depth counts."""
    low, high = part_behind(beyond, cuts, NONE, v, 0.0, 0.0, 1.0, 0.0, 1.0 - v)
    if not low < high:
        return low, high
    if q.ww < 0.0:
        return roots_of(q.one + (q.v + q.vv * v) * v, q.w + q.vw * v, q.ww, low, high)
    # bent the other way, by rounding as a rule: as if it were straight
    one, other = value_at(q, v, low), value_at(q, v, high)
    if one <= 0.0 and other <= 0.0:
        return low, low
    if one < 0.0:
        return low + (high - low) * one / (one - other), high
    if other < 0.0:
        return low, high - (high - low) * other / (other - one)
    return low, high


@kernel(inline=True)
def least_coefficient(q: Quadratic) -> float:
    """The least Bernstein coefficient: the depth is nowhere less."""
    v, w = q.one + 0.5 * q.v, q.one + 0.5 * q.w
    corners = min(q.one, q.one + q.v + q.vv, q.one + q.w + q.ww)
    return min(corners, v, w, v + w - q.one + 0.5 * q.vw)


@kernel
def range_behind(beyond: Floats, cuts: int) -> tuple[float, float]:
    """Range of v of the part of a triangle that is behind all planes; empty if the second is smaller."""
    first, last = 1.0, 0.0
    for s in range(3):
        v, w = 1.0 if s == 1 else 0.0, 1.0 if s == 2 else 0.0
        dv, dw = (1.0 if s == 0 else 0.0) - v, (1.0 if s == 1 else 0.0) - w
        low, high = part_behind(beyond, cuts, NONE, v, w, dv, dw, 0.0, 1.0)
        if low <= high:
            first, last = min(first, min(v + low * dv, v + high * dv)), max(last, max(v + low * dv, v + high * dv))
    for k in range(cuts):
        v, _, dv, _, low, high = line_of_cut(beyond, cuts, k)
        if low <= high:
            first, last = min(first, min(v + low * dv, v + high * dv)), max(last, max(v + low * dv, v + high * dv))
    return first, last


@kernel
def integrate_carrier(q: Quadratic, beyond: Floats, cuts: int, exponent: float, sums: Floats) -> None:
    """Integrals over v and w: of 1, v, w, vv, vw, ww, and with depth^exponent of u = 1 - v - w, v, w, uv, vw, wu;
    and of depth^(exponent + 1).

    These are left zero where the exponent is negative.
    """
    for k in range(SUMS):
        sums[k] = 0.0
    if exponent < 0.0 and cuts == 0 and least_coefficient(q) >= 0.0:
        sums[0], sums[1], sums[2] = 0.5, 1.0 / 6.0, 1.0 / 6.0
        sums[3], sums[4], sums[5] = 1.0 / 12.0, 1.0 / 24.0, 1.0 / 12.0
        return
    first, last = range_of_lines(q)
    if cuts > 0:
        low, high = range_behind(beyond, cuts)
        first, last = max(first, low), min(last, high)
    if not first < last:
        return
    for i in range(len(OUTER_PLACES)):
        v = first + (last - first) * OUTER_PLACES[i]
        low, high = range_on_line(q, beyond, cuts, v)
        if not low < high:
            continue
        across = OUTER_WEIGHTS[i] * (last - first) * (high - low)
        middle = 0.5 * (low + high)
        sums[0] += across
        sums[1] += across * v
        sums[2] += across * middle
        sums[3] += across * v * v
        sums[4] += across * v * middle
        sums[5] += across * (middle * middle + (high - low) * (high - low) / 12.0)
        if exponent < 0.0:
            continue
        for j in range(len(INNER_PLACES)):
            w = low + (high - low) * INNER_PLACES[j]
            depth = value_at(q, v, w)
            if depth <= 0.0:
                continue
            part, u = across * INNER_WEIGHTS[j], 1.0 - v - w
            press = part * depth**exponent
            sums[6] += press * u
            sums[7] += press * v
            sums[8] += press * w
            sums[9] += press * u * v
            sums[10] += press * v * w
            sums[11] += press * w * u
            sums[12] += press * depth


@kernel(inline=True)
def product(
    d: Vector, e1: Vector, e2: Vector, along: Vector, moments: tuple[float, float, float, float], i: int, k: int
) -> float:
    """Integral of x_i x_k over a part of a triangle, x = d + v e1 + w e2.

    along : integral of v e1 + w e2.  moments : of 1, vv, vw, ww
    """
    one, vv, vw, ww = moments
    mixed = vw * (e1[i] * e2[k] + e1[k] * e2[i])
    return one * d[i] * d[k] + d[i] * along[k] + d[k] * along[i] + vv * e1[i] * e1[k] + mixed + ww * e2[i] * e2[k]


@kernel(inline=True)
def forget_region(patch: Record) -> None:
    """Let nothing be known of the region of a patch."""
    patch.area = patch.pressure = patch.stored = 0.0
    set_vector(patch.spread[0], (0.0, 0.0, 0.0))
    set_vector(patch.spread[1], (0.0, 0.0, 0.0))


@kernel
def set_region(
    patch: Record, pair: Record, pairs: MeshPairs, scratch: PairScratch, members: Ints, rotation: Floats,
    exponent: float, sums: Floats,
) -> None:  # fmt: skip
    """Fill in `area`, `spread`, `pressure` and where that acts, of a patch with these carriers, so far unknown.

    sums : (SUMS,) memory
    """
    first = pair.first + pair.turn * pair.capacity
    area, stored, middle, push, couple = 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    xx = yy = zz = xy = xz = yz = 0.0
    about, nodes = vector_of(patch.point), pairs.nodes[first : first + pair.nodes]
    for k in members:
        carrier = scratch.carriers[k]
        facet, listed = pairs.facets[carrier.triangle], pairs.listed[first + carrier.listed]
        i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
        at, t = facet.corners, facet.tangents
        e1, e2 = minus(vector_of(at[1]), vector_of(at[0])), minus(vector_of(at[2]), vector_of(at[0]))
        up = cross(e1, e2)
        of_master = plus(vector_of(i.normal), plus(vector_of(j.normal), vector_of(l.normal)))
        seen = -dot(up, of_master) / math.sqrt(dot(of_master, of_master))
        if not seen > 0.0:
            continue
        plain = quadratic_of(*middles_of(nodes, listed, facet))
        integrate_carrier(plain, carrier.beyond, carrier.cuts, exponent, sums)
        for m in range(SUMS):
            sums[m] *= seen
        s = sums
        d = minus(vector_of(at[0]), about)
        area, stored = area + s[0], stored + s[12]
        along = plus(scaled(s[1], e1), scaled(s[2], e2))
        middle = plus(middle, plus(scaled(s[0], d), along))
        moments = (s[0], s[3], s[4], s[5])
        xx += product(d, e1, e2, along, moments, 0, 0)
        yy += product(d, e1, e2, along, moments, 1, 1)
        zz += product(d, e1, e2, along, moments, 2, 2)
        xy += product(d, e1, e2, along, moments, 0, 1)
        xz += product(d, e1, e2, along, moments, 0, 2)
        yz += product(d, e1, e2, along, moments, 1, 2)
        if exponent < 0.0:
            continue
        more, turn = push_of_node(i, at[0], rotation, s[6], half_tangent(1.0, s[9], t[0], s[11], t[1]))
        push, couple = plus(push, more), plus(couple, turn)
        more, turn = push_of_node(j, at[1], rotation, s[7], half_tangent(1.0, s[10], t[2], s[9], t[3]))
        push, couple = plus(push, more), plus(couple, turn)
        more, turn = push_of_node(l, at[2], rotation, s[8], half_tangent(1.0, s[11], t[4], s[10], t[5]))
        push, couple = plus(push, more), plus(couple, turn)
    patch.area, patch.stored = area, stored
    set_axes(patch, area, middle, (xx, yy, zz, xy, xz, yz))
    square = dot(push, push)
    if square > 0.0:
        patch.pressure = math.sqrt(square)
        set_vector(patch.pressure_normal, scaled(1.0 / patch.pressure, push))
        about_patch = minus(couple, cross(about, push))
        set_vector(patch.pressure_point, plus(about, scaled(1.0 / square, cross(push, about_patch))))


@kernel
def set_axes(
    patch: Record, area: float, middle: Vector, second: tuple[float, float, float, float, float, float]
) -> None:
    """`spread` from the moments of the region about `point`: root mean squares along its principal axes."""
    if not area > 0.0:
        return
    c = scaled(1.0 / area, middle)
    xx, yy, zz = second[0] / area - c[0] * c[0], second[1] / area - c[1] * c[1], second[2] / area - c[2] * c[2]
    xy, xz, yz = second[3] / area - c[0] * c[1], second[4] / area - c[0] * c[2], second[5] / area - c[1] * c[2]
    # in the plane across the normal
    n = vector_of(patch.normal)
    one = cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0))
    one = scaled(1.0 / math.sqrt(dot(one, one)), one)
    two = cross(n, one)
    by_one = (
        xx * one[0] + xy * one[1] + xz * one[2],
        xy * one[0] + yy * one[1] + yz * one[2],
        xz * one[0] + yz * one[1] + zz * one[2],
    )
    by_two = (
        xx * two[0] + xy * two[1] + xz * two[2],
        xy * two[0] + yy * two[1] + yz * two[2],
        xz * two[0] + yz * two[1] + zz * two[2],
    )
    a, b, d = dot(one, by_one), dot(one, by_two), dot(two, by_two)
    half, root = 0.5 * (a + d), math.sqrt(0.25 * (a - d) * (a - d) + b * b)
    angle = 0.5 * math.atan2(2.0 * b, a - d)
    long, short = math.sqrt(max(0.0, half + root)), math.sqrt(max(0.0, half - root))
    cosine, sine = math.cos(angle), math.sin(angle)
    set_vector(patch.spread[0], scaled(long, plus(scaled(cosine, one), scaled(sine, two))))
    set_vector(patch.spread[1], scaled(short, minus(scaled(cosine, two), scaled(sine, one))))
