"""The force of a point of support: the exact gradient of its depth by the pose of the slave.

With coordinates b_i of a point of a triangle, depths z_i = -phi_i and normals n_i at its nodes, and the tangents t_ij
of its edges (see `facets`), the quadratic over the triangle is

    z = sum_i (b_i z_i - n_i.T_i),    T_i = b_i/2 sum_j b_j t_ij.

The slave moving by u and turning by a, the normals change by H_i (u + a x x_i) - a x n_i, with the Hessian H_i of the
height at the node, so that -dz by u and a are

    p = sum_i p_i,    m = sum_i (x_i x p_i - n_i x T_i),    p_i = b_i n_i + H_i T_i.

That z is the largest over the triangle adds nothing.  Where it is held by planes that cut the triangle, these push as
well, by Lagrange's multipliers: so an edge of the master under a face of the slave pushes along the normal of that
face, and two edges that cross along the common normal of both."""

from __future__ import annotations

from typing import NamedTuple

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, times, vector_of
from .nodes import hessian_times, turned_back
from .quadratics import ON_BOUND, Quadratic, plane_of
from .records import NONE

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
def half_tangent(bi: float, bj: float, to_j: Floats, bk: float, to_k: Floats) -> Vector:
    """T_i, of the coordinates and the two tangents at node i."""
    return scaled(0.5 * bi, plus(scaled(bj, vector_of(to_j)), scaled(bk, vector_of(to_k))))


class Multipliers(NamedTuple):
    """What a unit of `beyond` would add to the depth of a point that is held by one or two cuts; NONE: not held."""

    cut: int
    value: float
    other: int
    other_value: float


@kernel(inline=True)
def along_edge(v: float, w: float, gradient: tuple[float, float]) -> tuple[float, float]:
    """The part of a gradient by v and w that leads along the edge of the triangle on which the point is, if any."""
    if abs(w) < ON_BOUND:
        return gradient[0], 0.0
    if abs(v) < ON_BOUND:
        return 0.0, gradient[1]
    if abs(1.0 - v - w) < ON_BOUND:
        along = 0.5 * (gradient[1] - gradient[0])
        return -along, along
    return gradient


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
    above, slope = along_edge(v, w, gradient), along_edge(v, w, (av, aw))
    below = slope[0] * slope[0] + slope[1] * slope[1]
    if below == 0.0:
        return Multipliers(NONE, 0.0, NONE, 0.0)
    return Multipliers(one, limited((above[0] * slope[0] + above[1] * slope[1]) / below), NONE, 0.0)


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
    push, couple = push_of_node(i, at[0], rotation, u, half_tangent(u, v, t[0], w, t[1]))
    more, turn = push_of_node(j, at[1], rotation, v, half_tangent(v, w, t[2], u, t[3]))
    push, couple = plus(push, more), plus(couple, turn)
    more, turn = push_of_node(k, at[2], rotation, w, half_tangent(w, u, t[4], v, t[5]))
    push, couple = plus(push, more), plus(couple, turn)
    for cut, multiplier in ((held.cut, held.value), (held.other, held.other_value)):
        if cut == NONE:
            continue
        for corner, share in ((0, u), (1, v), (2, w)):
            bisector = vector_of(edges[carrier.edges[cut, corner]].bisector)
            out = scaled(multiplier * share, turned_back(rotation, bisector))
            push = plus(push, out)
            couple = plus(couple, cross(vector_of(at[corner]), out))
    set_vector(support.push, push)
    set_vector(support.couple, couple)
