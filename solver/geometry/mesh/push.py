"""The force of a point of support: the exact gradient of its depth by the pose of the slave.

With coordinates b_i of a point of a triangle, depths z_i = -phi_i and normals n_i at its nodes, and the tangents t_ij
of its edges (see `facets`), the quadratic over the triangle is

    z = sum_i (b_i z_i - n_i.T_i),    T_i = b_i/2 sum_j b_j t_ij.

The slave moving by u and turning by a, the normals change by H_i (u + a x x_i) - a x n_i, with the Hessian H_i of the
height at the node, so that -dz by u and a are

    p = sum_i p_i,    m = sum_i (x_i x p_i - n_i x T_i),    p_i = b_i n_i + H_i T_i.

The cubic on the edges (see `cubics`) adds to the factors of n_i and of the tangents.

That z is the largest over the triangle adds nothing.  Where it is held by planes that cut the triangle, these push as
well, by Lagrange's multipliers: so an edge of the master under a face of the slave pushes along the normal of that
face, and two edges that cross along the common normal of both."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, times, vector_of
from .cubics import weights_of_cubic
from .cuts import slope_of_cut
from .nodes import hessian_times, turned_back
from .quadratics import ON_BOUND, Quadratic, plane_of
from .records import NONE
from .shell import along
from .sweep import OPPOSED

ALONG = -1e-3  # cosine of the angle between normals of surfaces that run along each other
PARALLEL = 1e-12  # square of the sine between two cuts below which they are one
LARGEST_MULTIPLIER = 4.0  # of slopes: a plane that cuts the slave at less than a quarter of a right angle


@kernel(inline=True)
def push_of_node(
    node: Record, corner: Floats, rotation: Floats, share: float, tangent: Vector
) -> tuple[Vector, Vector]:
    """p_i, and x_i x p_i - n_i x T_i; tangent is T_i."""
    normal, at = vector_of(node.normal), vector_of(corner)
    bent = turned_back(rotation, hessian_times(node.hessian, times(rotation, tangent)))
    push = plus(scaled(share, normal), bent)
    return push, minus(cross(at, push), cross(normal, tangent))


@kernel(inline=True)
def half_sum(a: float, first: Floats, b: float, second: Floats) -> Vector:
    return scaled(0.5, plus(scaled(a, vector_of(first)), scaled(b, vector_of(second))))


@kernel(inline=True)
def half_tangent(bi: float, bj: float, to_j: Floats, bk: float, to_k: Floats) -> Vector:
    """T_i, of the coordinates and the two tangents at node i."""
    return half_sum(bi * bj, to_j, bi * bk, to_k)


class Multipliers(NamedTuple):
    """What a unit of `beyond` would add to the depth of a point that is held by one or two cuts; NONE: not held."""

    cut: int
    value: float
    other: int
    other_value: float


@kernel(inline=True)
def part_of_slope(v: float, w: float, gradient: tuple[float, float], slope: tuple[float, float]) -> float:
    """How many times a slope has to be taken off a gradient until nothing leads on from v, w within the triangle."""
    on_u, on_v, on_w = abs(1.0 - v - w) < ON_BOUND, abs(v) < ON_BOUND, abs(w) < ON_BOUND
    if not (on_u or on_v or on_w):
        square = slope[0] * slope[0] + slope[1] * slope[1]
        return (gradient[0] * slope[0] + gradient[1] * slope[1]) / square if square > 0.0 else 0.0
    largest = 0.0
    for edge in range(3):
        # away from a corner along both its edges, from elsewhere along the only one both ways
        if not (on_w if edge == 0 else on_v if edge == 1 else on_u):
            continue
        dv, dw = (1.0, 0.0) if edge == 0 else (0.0, 1.0) if edge == 1 else (-1.0, 1.0)
        # at the end of the edge only back
        at_start = (v < ON_BOUND) if edge == 0 else (w < ON_BOUND)
        at_end = (v > 1.0 - ON_BOUND) if edge == 0 else (w > 1.0 - ON_BOUND)
        rise, steep = gradient[0] * dv + gradient[1] * dw, slope[0] * dv + slope[1] * dw
        if at_end or (not at_start and steep < 0.0):
            rise, steep = -rise, -steep
        if rise > 0.0 and steep > 0.0:
            largest = max(largest, rise / steep)
    return largest


@kernel(inline=True)
def limited(value: float) -> float:
    return min(max(value, 0.0), LARGEST_MULTIPLIER)


@kernel
def multipliers_of(carrier: Record, q: Quadratic, v: float, w: float) -> Multipliers:
    """Multipliers of Lagrange at v, w; q with the pull outwards."""
    one, other = NONE, NONE
    for k in range(carrier.cuts):
        b, along_v, along_w = plane_of(carrier.beyond, k)
        scale = max(abs(b), abs(b + along_v), abs(b + along_w))
        if b + along_v * v + along_w * w < -ON_BOUND * scale:
            continue
        if one == NONE:
            one = k
        elif other == NONE:
            other = k
    if one == NONE:
        return Multipliers(NONE, 0.0, NONE, 0.0)
    gradient = (q.v + 2.0 * q.vv * v + q.vw * w, q.w + 2.0 * q.ww * w + q.vw * v)
    _, av, aw = plane_of(carrier.beyond, one)
    if other != NONE:
        _, bv, bw = plane_of(carrier.beyond, other)
        determinant = av * bw - aw * bv
        if determinant * determinant > PARALLEL * (av * av + aw * aw) * (bv * bv + bw * bw):
            first = (gradient[0] * bw - gradient[1] * bv) / determinant
            second = (gradient[1] * av - gradient[0] * aw) / determinant
            if first > 0.0 and second > 0.0:
                return Multipliers(one, limited(first), other, limited(second))
            if second > 0.0:
                one, av, aw = other, bv, bw
    return Multipliers(one, limited(part_of_slope(v, w, gradient, (av, aw))), NONE, 0.0)


@kernel(inline=True)
def may_be_pushed(node: Record, normal: Vector, turned: Vector) -> bool:
    """Whether the master or its nearest cut edge pushes against a facet at a node.

    normal, turned : outward normal of the facet, in axes of the slave and of the master
    """
    if dot(vector_of(node.normal), normal) < ALONG:
        return True
    return node.edge != NONE and dot(vector_of(node.beyond_slope), turned) < ALONG


@kernel
def pulls(
    carrier: Record, q: Quadratic, v: float, w: float, nodes: Records, listed: Record, normal: Vector, rotation: Floats,
    edges: Records,
) -> bool:  # fmt: skip
    """Whether the push at v, w would pull at the slave or run along its facet, whose outward normal is given.

    There is a deeper place within the slave or on another facet then: v, w is not where it touches.  So it is where a
    face of the slave lies a little below a face of the master that looks the same way.
    """
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    u = 1.0 - v - w
    push = along(scaled(u, vector_of(i.normal)), v, vector_of(j.normal), w, vector_of(k.normal))
    if carrier.cuts == 0:
        return dot(push, normal) > OPPOSED * math.sqrt(dot(push, push))
    held = multipliers_of(carrier, q, v, w)
    for cut, multiplier in ((held.cut, held.value), (held.other, held.other_value)):
        if cut == NONE:
            continue
        for corner, node, share in ((0, i, u), (1, j, v), (2, k, w)):
            slope = slope_of_cut(node, carrier.edges[cut, corner], edges, rotation)
            push = plus(push, scaled(multiplier * share, slope))
    return dot(push, normal) > OPPOSED * math.sqrt(dot(push, push))


@kernel
def depth_of_facet(support: Record, nodes: Records, listed: Record, facet: Record, rotation: Floats) -> float:
    """Depth of the point of the facet itself, which the surface of the slave stands off by the rest of the depth."""
    v, w = support.place[0], support.place[1]
    at, depth = vector_of(support.point), 0.0
    for k, share in ((0, 1.0 - v - w), (1, v), (2, w)):
        node = nodes[listed.nodes[k]]
        d = minus(at, vector_of(facet.corners[k]))
        turned = times(rotation, d)
        bent = dot(turned, hessian_times(node.hessian, turned))
        depth += share * (node.depth - dot(vector_of(node.normal), d) - 0.5 * bent)
    return depth


@kernel
def set_push(
    support: Record, carrier: Record, nodes: Records, listed: Record, facet: Record, rotation: Floats,
    held: Multipliers, edges: Records,
) -> None:  # fmt: skip
    """Fill in `push` and `couple` of a support.  edges : cut edges of the master"""
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    v, w = support.place[0], support.place[1]
    u = 1.0 - v - w
    at, t = facet.corners, facet.tangents
    ab, bc, ca = weights_of_cubic(facet, v, w)
    tangent = half_sum(u * v - ab, t[0], u * w + ca, t[1])
    push, couple = push_of_node(i, at[0], rotation, u - ab + ca, tangent)
    tangent = half_sum(v * w - bc, t[2], u * v + ab, t[3])
    more, turn = push_of_node(j, at[1], rotation, v - bc + ab, tangent)
    push, couple = plus(push, more), plus(couple, turn)
    tangent = half_sum(u * w - ca, t[4], v * w + bc, t[5])
    more, turn = push_of_node(k, at[2], rotation, w - ca + bc, tangent)
    push, couple = plus(push, more), plus(couple, turn)
    for cut, multiplier in ((held.cut, held.value), (held.other, held.other_value)):
        if cut == NONE:
            continue
        of_cut = carrier.edges[cut]
        for node, edge, corner, share, tangent in (
            (i, of_cut[0], at[0], u, half_sum(u * v, t[0], u * w, t[1])),
            (j, of_cut[1], at[1], v, half_sum(v * w, t[2], u * v, t[3])),
            (k, of_cut[2], at[2], w, half_sum(u * w, t[4], v * w, t[5])),
        ):
            out = scaled(multiplier, slope_of_cut(node, edge, edges, rotation))
            push = plus(push, scaled(share, out))
            couple = plus(couple, cross(plus(scaled(share, vector_of(corner)), tangent), out))
    set_vector(support.push, push)
    set_vector(support.couple, couple)
