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
from ..surface_point import SurfacePoint
from .evaluate import evaluate_surface
from .nodes import into_master, turned_back
from .records import NONE, PLANE_CHART, MeshSurface

COARSE = 15.0  # cells of the master, about twice its triangles: from here on triangles of the slave are large ones
SAME_SIDE = math.cos(math.radians(30.0))  # between the planes of edges that may be taken for one piece of an outline


@kernel(inline=True)
def behind_side(edge: Record, x: Vector) -> float:
    """How far x is beyond the plane of a cut edge."""
    return dot(minus(x, vector_of(edge.start)), vector_of(edge.bisector))


@kernel(inline=True)
def places_of(nodes: Records, listed: Record, rotation: Floats, offset: Vector) -> tuple[Vector, Vector, Vector]:
    """The corners of a listed triangle in axes of the master."""
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    return (
        into_master(rotation, offset, i.position),
        into_master(rotation, offset, j.position),
        into_master(rotation, offset, l.position),
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


@kernel(inline=True)
def distance_beyond(nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector) -> float:
    """How far a triangle is beyond the chart: at least so far are all its points from where the chart is in charge."""
    chart = surface.charts[listed.chart]
    if chart.first_side == chart.last_side:
        i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
        least = min(i.beyond, j.beyond, l.beyond)
        if least <= 0.0:
            return least
    return distance_beyond_pieces(nodes, listed, surface, rotation, offset)


@kernel
def distance_beyond_pieces(
    nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector
) -> float:
    """The same for a chart that is a convex polygon, and where all corners are beyond their nearest edges."""
    chart, edges = surface.charts[listed.chart], surface.edges
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    beyond = i.beyond, j.beyond, l.beyond
    furthest = -math.inf
    if chart.first_side < chart.last_side:
        a, b, c = places_of(nodes, listed, rotation, offset)
        for k in range(chart.first_side, chart.last_side):
            side = edges[surface.sides[k]]
            furthest = max(furthest, min(behind_side(side, a), behind_side(side, b), behind_side(side, c)))
        return furthest
    sides = sides_of(nodes, listed, edges)
    if sides.same[0] and sides.same[1]:
        return min(beyond[0], beyond[1], beyond[2])
    places = places_of(nodes, listed, rotation, offset)
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


@kernel(inline=True)
def set_cuts(
    carrier: Record, nodes: Records, listed: Record, facet: Record, surface: MeshSurface, rotation: Floats,
    offset: Vector,
) -> None:  # fmt: skip
    """Fill in the planes that cut a carrier."""
    carrier.cuts = carrier.bent = 0
    chart = surface.charts[listed.chart]
    if chart.first_side == chart.last_side:
        i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
        if max(i.beyond, j.beyond, l.beyond) < -facet.radius - facet.sag:
            return  # no edge comes near it
    set_cuts_of_pieces(carrier, nodes, listed, surface, rotation, offset, facet.sag)


@kernel
def set_cuts_of_pieces(
    carrier: Record, nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector, sag: float
) -> None:
    """The same where edges may be near.  sag : how far the carrier stands off its facet"""
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    chart, edges = surface.charts[listed.chart], surface.edges
    if chart.first_side < chart.last_side:
        a, b, c = places_of(nodes, listed, rotation, offset)
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
    places = places_of(nodes, listed, rotation, offset)
    for k in range(3):
        if (k > 0 and are_one(sides, k, 0)) or (k > 1 and are_one(sides, k, 1)):
            continue
        x, edge_x = beyond_piece(sides, k, 0, beyond, places, edges)
        y, edge_y = beyond_piece(sides, k, 1, beyond, places, edges)
        z, edge_z = beyond_piece(sides, k, 2, beyond, places, edges)
        put_cut(carrier, (x, y, z), (edge_x, edge_y, edge_z), sag)


# ---- places that nodes do not know enough of ----------------------------------------------------------------------


@kernel(inline=True)
def is_unsure(
    carrier: Record, nodes: Records, listed: Record, facet: Record, surface: MeshSurface, pair: Record
) -> bool:
    """Whether the deepest place of a carrier may be beyond an edge that is the nearest one of none of its nodes."""
    chart = surface.charts[listed.chart]
    if chart.first_side < chart.last_side:
        return False
    if carrier.cuts > 0 or facet.radius > COARSE * pair.cell:
        return True
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    return chart.kind == PLANE_CHART and max(i.beyond, j.beyond, l.beyond) > -facet.radius


@kernel
def master_below(
    pair: Record, facet: Record, surface: MeshSurface, foot: int, rotation: Floats, offset: Vector, v: float, w: float
) -> SurfacePoint:
    """The master below a place of the bent triangle of a facet."""
    t, u = facet.tangents, 1.0 - v - w
    a, b, c = vector_of(facet.corners[0]), vector_of(facet.corners[1]), vector_of(facet.corners[2])
    x = plus(scaled(u, a), plus(scaled(v, b), scaled(w, c)))
    for one, other, part in ((0, 3, u * v), (2, 5, v * w), (4, 1, w * u)):
        x = plus(x, scaled(0.5 * part, plus(vector_of(t[one]), vector_of(t[other]))))
    at = evaluate_surface(surface, foot, into_master(rotation, offset, x))
    if not at.found:
        pair.lost += 1
    return at


@kernel
def cut_with(
    carrier: Record, nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector, edge: int
) -> None:
    """Cut a carrier by the plane of one more edge."""
    a, b, c = places_of(nodes, listed, rotation, offset)
    side = surface.edges[edge]
    put_cut(carrier, (behind_side(side, a), behind_side(side, b), behind_side(side, c)), (edge, edge, edge), math.inf)


# ---- curved cuts ----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def slope_of_cut(node: Record, edge: int, edges: Records, rotation: Floats) -> Vector:
    """Gradient of what a node is beyond a cut edge, axes of the slave: if it is the nearest one, of the curved edge."""
    return turned_back(rotation, vector_of(node.beyond_slope) if edge == node.edge else vector_of(edges[edge].bisector))


@kernel(inline=True)
def tangent_of_bend(bends: Vector, v: float, w: float) -> Vector:
    """At the three corners, the linear function that touches u v ab + v w bc + w u ca at v, w."""
    (ab, bc, ca), u = bends, 1.0 - v - w
    value = u * v * ab + v * w * bc + w * u * ca
    along_v, along_w = (u - v) * ab + w * (bc - ca), (u - w) * ca + v * (bc - ab)
    at_first = value - along_v * v - along_w * w
    return at_first, at_first + along_v, at_first + along_w


@kernel
def set_bends(
    carrier: Record, first: int, nodes: Records, listed: Record, facet: Record, rotation: Floats, edges: Records
) -> None:
    """By how much the bent triangle is more beyond its cuts, from the first on, than its corners say.

    u v ab + v w bc + w u ca: `beyond` follows from its values and slopes at the corners as the depth does.
    """
    i, j, l, t = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]], facet.tangents
    for cut in range(first, carrier.cuts):
        at, bends = carrier.edges[cut], carrier.bends[cut]
        mi, mj = slope_of_cut(i, at[0], edges, rotation), slope_of_cut(j, at[1], edges, rotation)
        ml = slope_of_cut(l, at[2], edges, rotation)
        bends[0] = 0.5 * (dot(mi, t[0]) + dot(mj, t[3]))
        bends[1] = 0.5 * (dot(mj, t[2]) + dot(ml, t[5]))
        bends[2] = 0.5 * (dot(ml, t[4]) + dot(mi, t[1]))


@kernel
def bend_cuts(carrier: Record, v: float, w: float) -> None:
    """Let curves cut a carrier in place of straight lines: the lines that touch them at v, w."""
    for cut in range(carrier.cuts):
        bends = vector_of(carrier.bends[cut])
        new, old = tangent_of_bend(bends, v, w), (0.0, 0.0, 0.0)
        if cut < carrier.bent:
            old = tangent_of_bend(bends, carrier.bent_at[0], carrier.bent_at[1])
        for corner in range(3):
            carrier.beyond[cut, corner] += new[corner] - old[corner]
    carrier.bent, carrier.bent_at[0], carrier.bent_at[1] = carrier.cuts, v, w


@kernel(inline=True)
def beyond_curve(carrier: Record, cut: int, v: float, w: float) -> float:
    """How far a place is beyond one of the curves that cut a carrier, whether or not it has been bent."""
    beyond, (ab, bc, ca), u = carrier.beyond[cut], vector_of(carrier.bends[cut]), 1.0 - v - w
    x = y = z = 0.0
    if cut < carrier.bent:
        x, y, z = tangent_of_bend((ab, bc, ca), carrier.bent_at[0], carrier.bent_at[1])
    flat = u * (beyond[0] - x) + v * (beyond[1] - y) + w * (beyond[2] - z)
    return flat + u * v * ab + v * w * bc + w * u * ca


@kernel
def beyond_curves(carrier: Record, v: float, w: float) -> float:
    """How far a place is beyond the curves that cut a carrier."""
    furthest = -math.inf
    for cut in range(carrier.cuts):
        furthest = max(furthest, beyond_curve(carrier, cut, v, w))
    return furthest


# ---- triangles of which nothing is left -----------------------------------------------------------------------------


@kernel(inline=True)
def least_ratio(z: float, b: float, ratios: tuple[float, float]) -> tuple[float, float]:
    """Narrow a range of ratios r to those where z - r b is not positive."""
    least, most = ratios
    if b > 0.0:
        return max(least, z / b), most
    if b < 0.0:
        return least, min(most, z / b)
    return (least, most) if z <= 0.0 else (math.inf, -math.inf)


@kernel
def motion_to_touch(carrier: Record, cut: int, corners: Vector, middles: Vector, extra: float) -> float:
    """How far the slave has to move until a triangle may touch in spite of one cut; zero if it may do so now.

    Where beyond <= 0 the depth is at most that of depth - r beyond, with any r >= 0: of its Bernstein coefficients, as
    of all it is known that they change by no more than 1 + r times the motion.

    corners, middles : depths.  extra : what the depth may be more than its quadratic
    """
    a, b, c = corners
    beyond, bends = carrier.beyond[cut], carrier.bends[cut]
    x, y, z = beyond[0], beyond[1], beyond[2]
    ab, bc, ca = 2.0 * middles[0] - 0.5 * (a + b), 2.0 * middles[1] - 0.5 * (b + c), 2.0 * middles[2] - 0.5 * (c + a)
    xy, yz, zx = 0.5 * (x + y + bends[0]), 0.5 * (y + z + bends[1]), 0.5 * (z + x + bends[2])
    ratios = least_ratio(a + extra, x, (0.0, math.inf))
    ratios = least_ratio(b + extra, y, ratios)
    ratios = least_ratio(c + extra, z, ratios)
    ratios = least_ratio(ab + extra, xy, ratios)
    ratios = least_ratio(bc + extra, yz, ratios)
    ratios = least_ratio(ca + extra, zx, ratios)
    least, most = ratios
    if not least < most:
        return 0.0
    r = 0.5 * (least + min(most, 2.0 * least + 1.0))
    top = max(max(a - r * x, b - r * y, c - r * z), max(ab - r * xy, bc - r * yz, ca - r * zx)) + extra
    return max(-top, 0.0) / (1.0 + r)
