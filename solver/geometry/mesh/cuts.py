"""Where another chart of the master is in charge, over a triangle of the slave: the planes that cut it.

`beyond` of a node is measured from the nearest cut edge.  Along a smooth piece of an outline that is linear over a
triangle but for its curvature.  Where the nearest edges of the three nodes lie on two sides of a corner each side cuts
by a plane of its own: mixed they would leave parts that belong to another chart, deep below this one.  Charts that are
convex polygons cut with all their sides, so that triangles of the slave may be larger than they are.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, vector_of
from .nodes import into_master
from .records import NONE, MeshSurface


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


@kernel
def distance_beyond(nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector) -> float:
    """How far a triangle is beyond the chart: at least so far are all its points from where the chart is in charge."""
    chart = surface.charts[listed.chart]
    if chart.first_side == chart.last_side:
        return min(nodes[listed.nodes[0]].beyond, nodes[listed.nodes[1]].beyond, nodes[listed.nodes[2]].beyond)
    a, b, c = places_of(nodes, listed, surface.vertices, rotation, offset)
    furthest = -math.inf
    for k in range(chart.first_side, chart.last_side):
        side = surface.edges[surface.sides[k]]
        furthest = max(furthest, min(behind_side(side, a), behind_side(side, b), behind_side(side, c)))
    return furthest


@kernel(inline=True)
def put_cut(carrier: Record, beyond: Vector, edges: tuple[int, int, int]) -> None:
    """Add a plane to those that cut a carrier, if it does."""
    if not max(beyond[0], beyond[1], beyond[2]) > 0.0:
        return
    for c in range(3):
        carrier.beyond[carrier.cuts, c] = beyond[c]
        carrier.edges[carrier.cuts, c] = edges[c]
    carrier.cuts += 1


@kernel(inline=True)
def outline_of(node: Record, edges: Records) -> int:
    return edges[node.edge].outline if node.edge != NONE else NONE


@kernel(inline=True)
def beyond_outline(
    outline: int, own: int, node: Record, x: Vector, one: tuple[int, int], other: tuple[int, int], edges: Records
) -> tuple[float, int]:
    """How far a node at x is beyond a piece of an outline, and the edge from which that is measured.

    own : the piece that is nearest to the node.  one, other : piece and edge that are nearest to two more nodes
    """
    if own == outline:
        return node.beyond, node.edge
    furthest, edge = -math.inf, NONE
    if one[0] == outline:
        furthest, edge = behind_side(edges[one[1]], x), one[1]
    if other[0] == outline:
        value = behind_side(edges[other[1]], x)
        if value > furthest:
            furthest, edge = value, other[1]
    return furthest, edge


@kernel
def set_cuts(
    carrier: Record, nodes: Records, listed: Record, surface: MeshSurface, rotation: Floats, offset: Vector
) -> None:
    """Fill in the planes that cut a carrier."""
    carrier.cuts = 0
    i, j, l = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    chart, edges = surface.charts[listed.chart], surface.edges
    if chart.first_side < chart.last_side:
        a, b, c = places_of(nodes, listed, surface.vertices, rotation, offset)
        for k in range(chart.first_side, chart.last_side):
            at = surface.sides[k]
            side = edges[at]
            put_cut(carrier, (behind_side(side, a), behind_side(side, b), behind_side(side, c)), (at, at, at))
        return
    of_i, of_j, of_l = outline_of(i, edges), outline_of(j, edges), outline_of(l, edges)
    if of_i == of_j and of_j == of_l:
        put_cut(carrier, (i.beyond, j.beyond, l.beyond), (i.edge, j.edge, l.edge))
        return
    a, b, c = places_of(nodes, listed, surface.vertices, rotation, offset)
    pieces = (of_i, i.edge), (of_j, j.edge), (of_l, l.edge)
    for k in range(3):
        outline = of_i if k == 0 else of_j if k == 1 else of_l
        if (k > 0 and outline == of_i) or (k > 1 and outline == of_j):
            continue
        x, edge_x = beyond_outline(outline, of_i, i, a, pieces[1], pieces[2], edges)
        y, edge_y = beyond_outline(outline, of_j, j, b, pieces[0], pieces[2], edges)
        z, edge_z = beyond_outline(outline, of_l, l, c, pieces[0], pieces[1], edges)
        put_cut(carrier, (x, y, z), (edge_x, edge_y, edge_z))
