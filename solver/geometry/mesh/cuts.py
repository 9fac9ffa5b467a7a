"""Where another chart of the master is in charge, over a triangle of the slave: the planes that cut it.

`beyond` of a node is measured from the nearest cut edge.  Along a smooth piece of an outline that is linear over a
triangle but for its curvature.  Where the nearest edges of the three nodes lie on two sides of a corner each side cuts
by a plane of its own: mixed they would leave parts that belong to another chart, deep below this one.  Charts that are
convex polygons cut with all their sides, so that triangles of the slave may be larger than they are.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, plus, scaled, vector_of
from .nodes import into_master, turned_back
from .records import NONE, MeshSurface

NOT_BENT = -1.0
SAME_SIDE = math.cos(math.radians(30.0))  # between the planes of edges that may be taken for one piece of an outline


@kernel(inline=True)
def behind_side(edge: Record, x: Vector) -> float:
    """How far x is beyond the plane of a cut edge."""
    return dot(minus(x, vector_of(edge.start)), vector_of(edge.bisector))


@kernel(inline=True)
def places_of(
    nodes: Records, listed: Record, vertices: Records, rotation: Floats, offset: Vector
) -> tuple[Vector, Vector, Vector]:
    """The corners of a listed triangle in axes of the master."""
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    return (
        into_master(rotation, offset, vertices[i.vertex].position),
        into_master(rotation, offset, vertices[j.vertex].position),
        into_master(rotation, offset, vertices[l.vertex].position),
    )


@kernel(inline=True)
def one_piece(a: int, b: int, edges: Records) -> bool:
    """Whether two cut edges belong to one piece of an outline along which `beyond` may be taken to be linear.

    Edges of one outline that turns inwards between them, as on both sides of a disc, each cut by themselves.
    """
    if a == b:
        return True
    if a == NONE or b == NONE:
        return False
    one, other = edges[a], edges[b]
    if one.outline != other.outline:
        return False
    if dot(vector_of(one.bisector), vector_of(other.bisector)) > SAME_SIDE:
        return True
    return behind_side(one, vector_of(other.start)) > 0.0 or behind_side(other, vector_of(one.start)) > 0.0


class Sides(NamedTuple):
    """Nearest cut edges of three nodes, and which of these are of one piece."""

    edges: tuple[int, int, int]
    same: tuple[bool, bool, bool]  # 0 and 1, 1 and 2, 2 and 0


@kernel(inline=True)
def sides_of(nodes: Records, listed: Record, edges: Records) -> Sides:
    i, j, l = nodes[listed.nodes[0]].edge, nodes[listed.nodes[1]].edge, nodes[listed.nodes[2]].edge
    return Sides((i, j, l), (one_piece(i, j, edges), one_piece(j, l, edges), one_piece(l, i, edges)))


@kernel(inline=True)
def are_one(sides: Sides, k: int, m: int) -> bool:
    if k == m:
        return True
    # 0 and 1, 1 and 2, 2 and 0 have the sums 1, 3, 2
    return sides.same[0 if k + m == 1 else 1 if k + m == 3 else 2]


@kernel(inline=True)
def beyond_piece(
    sides: Sides, k: int, m: int, beyond: Vector, places: tuple[Vector, Vector, Vector], edges: Records
) -> tuple[float, int]:
    """How far node m is beyond the piece that is nearest to node k, and the edge from which that is measured.

    beyond, places : of the three nodes
    """
    if are_one(sides, k, m):
        return beyond[m], sides.edges[m]
    furthest, edge = -math.inf, NONE
    for other in range(3):
        if sides.edges[other] != NONE and are_one(sides, k, other):
            value = behind_side(edges[sides.edges[other]], places[m])
            if value > furthest:
                furthest, edge = value, sides.edges[other]
    return furthest, edge


@kernel
def distance_beyond(nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector) -> float:
    """How far a triangle is beyond the chart: at least so far are all its points from where the chart is in charge."""
    chart, edges = surface.charts[listed.chart], surface.edges
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    beyond = i.beyond, j.beyond, l.beyond
    furthest = -math.inf
    if chart.first_side < chart.last_side:
        a, b, c = places_of(nodes, listed, surface.vertices, rotation, offset)
        for k in range(chart.first_side, chart.last_side):
            side = edges[surface.sides[k]]
            furthest = max(furthest, min(behind_side(side, a), behind_side(side, b), behind_side(side, c)))
        return furthest
    least = min(beyond[0], beyond[1], beyond[2])
    if least <= 0.0:
        return least
    sides = sides_of(nodes, listed, edges)
    if sides.same[0] and sides.same[1]:
        return least
    places = places_of(nodes, listed, surface.vertices, rotation, offset)
    for k in range(3):
        nearest = math.inf
        for m in range(3):
            nearest = min(nearest, beyond_piece(sides, k, m, beyond, places, edges)[0])
        furthest = max(furthest, nearest)
    return furthest


@kernel(inline=True)
def put_cut(carrier: Record, beyond: Vector, edges: tuple[int, int, int], sag: float) -> None:
    """Add a plane to those that cut a carrier, if it does.  sag : how far the carrier stands off its facet"""
    if not max(beyond[0], beyond[1], beyond[2]) > -sag:
        return
    for c in range(3):
        carrier.beyond[carrier.cuts, c] = beyond[c]
        carrier.edges[carrier.cuts, c] = edges[c]
    carrier.cuts += 1


@kernel
def set_cuts(
    carrier: Record, nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector, sag: float
) -> None:
    """Fill in the planes that cut a carrier.  sag : how far it stands off its facet"""
    carrier.cuts, carrier.bent_at[0] = 0, NOT_BENT
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    chart, edges = surface.charts[listed.chart], surface.edges
    if chart.first_side < chart.last_side:
        a, b, c = places_of(nodes, listed, surface.vertices, rotation, offset)
        for k in range(chart.first_side, chart.last_side):
            at = surface.sides[k]
            side = edges[at]
            put_cut(carrier, (behind_side(side, a), behind_side(side, b), behind_side(side, c)), (at, at, at), sag)
        return
    beyond = i.beyond, j.beyond, l.beyond
    sides = sides_of(nodes, listed, edges)
    if sides.same[0] and sides.same[1]:
        put_cut(carrier, beyond, sides.edges, sag)
        return
    places = places_of(nodes, listed, surface.vertices, rotation, offset)
    for k in range(3):
        if (k > 0 and are_one(sides, k, 0)) or (k > 1 and are_one(sides, k, 1)):
            continue
        x, edge_x = beyond_piece(sides, k, 0, beyond, places, edges)
        y, edge_y = beyond_piece(sides, k, 1, beyond, places, edges)
        z, edge_z = beyond_piece(sides, k, 2, beyond, places, edges)
        put_cut(carrier, (x, y, z), (edge_x, edge_y, edge_z), sag)


# ---- bent triangles --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def slope_of_cut(node: Record, edge: int, edges: Records) -> Vector:
    """Gradient of what a node is beyond a cut edge, axes of the master: if it is the nearest one, of the curved edge."""
    return vector_of(node.beyond_slope) if edge == node.edge else vector_of(edges[edge].bisector)


@kernel
def mean_slope(carrier: Record, nodes: Records, listed: Record, edges: Records, rotation: Floats, cut: int) -> Vector:
    """Mean of the gradients at the three nodes, axes of the slave."""
    mean = (0.0, 0.0, 0.0)
    for c in range(3):
        mean = plus(mean, slope_of_cut(nodes[listed.nodes[c]], carrier.edges[cut, c], edges))
    return turned_back(rotation, scaled(1.0 / 3.0, mean))


@kernel(inline=True)
def doubled_bows(facet: Record) -> tuple[Vector, Vector, Vector]:
    """Of each edge of a facet eight times the way from its middle to that of the curved edge."""
    t = facet.tangents
    return (
        plus(vector_of(t[0]), vector_of(t[3])),
        plus(vector_of(t[2]), vector_of(t[5])),
        plus(vector_of(t[4]), vector_of(t[1])),
    )


@kernel(inline=True)
def raised_by(facet: Record, v: float, w: float) -> Vector:
    """From a point of a facet to that of the bent triangle, axes of the slave."""
    ab, bc, ca = doubled_bows(facet)
    u = 1.0 - v - w
    return plus(scaled(0.5 * u * v, ab), plus(scaled(0.5 * v * w, bc), scaled(0.5 * w * u, ca)))


@kernel(inline=True)
def tangent_of_bend(ab: float, bc: float, ca: float, v: float, w: float) -> Vector:
    """At the three corners, the linear function that touches u v ab + v w bc + w u ca at v, w."""
    u = 1.0 - v - w
    value = u * v * ab + v * w * bc + w * u * ca
    along_v, along_w = (u - v) * ab + w * (bc - ca), (u - w) * ca + v * (bc - ab)
    at_first = value - along_v * v - along_w * w
    return at_first, at_first + along_v, at_first + along_w


@kernel
def bend_cuts(
    carrier: Record, nodes: Records, listed: Record, facet: Record, rotation: Floats, edges: Records, v: float, w: float
) -> None:
    """Let the planes cut the bent triangle in place of the facet: the lines that touch these curves at v, w."""
    ab, bc, ca = doubled_bows(facet)
    for cut in range(carrier.cuts):
        slope = scaled(0.5, mean_slope(carrier, nodes, listed, edges, rotation, cut))
        a, b, c = dot(slope, ab), dot(slope, bc), dot(slope, ca)
        new, old = tangent_of_bend(a, b, c, v, w), (0.0, 0.0, 0.0)
        if carrier.bent_at[0] != NOT_BENT:
            old = tangent_of_bend(a, b, c, carrier.bent_at[0], carrier.bent_at[1])
        for corner in range(3):
            carrier.beyond[cut, corner] += new[corner] - old[corner]
    carrier.bent_at[0], carrier.bent_at[1] = v, w
