"""Lists of triangles of the slave near the master: carried on along its surface, and renewed by the boxes of both.

A triangle is listed for a chart of the master if its depth may come to zero while the slave moves by the margin.  A
list grows from its own triangles and from what the boxes find, over edges of the slave, as far as triangles are near.
What boxes find is all that is near, so that no contact is missed; growing spares most of the looking.
"""

from __future__ import annotations

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from .cuts import distance_beyond
from .nodes import evaluate_node, place_node, roughly_off
from .pair_records import LONG_AGO, MeshPairs
from .quadratics import middles_of, upper_bound
from .records import NONE, MeshSurface


@kernel(inline=True)
def is_near(
    nodes: Records, listed: Record, facet: Record, surface: MeshSurface, pair: Record, rotation: Floats, offset: Vector
) -> bool:
    """Whether a triangle, with nodes where the slave is, may touch the chart within the margin."""
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    if distance_beyond(nodes, listed, surface, rotation, offset) > pair.margin + facet.sag:
        return False
    triangles = surface.triangles
    cap = max(triangles[i.foot].depth_cap, triangles[j.foot].depth_cap, triangles[k.foot].depth_cap)
    if min(i.depth, j.depth, k.depth) > cap + pair.margin:
        return False
    corners, middles = middles_of(nodes, listed, facet)
    return upper_bound(corners, middles) > -pair.margin


@kernel
def take_node(
    pairs: MeshPairs, pair: Record, new: int, n: int, vertex: int, foot: int, surface: MeshSurface, rotation: Floats,
    offset: Vector,
) -> None:  # fmt: skip
    """Write a node behind the n there are, from the list before if it was there."""
    node = pairs.nodes[new + n]
    old = pairs.old_slots[vertex]
    if old != NONE:
        pairs.nodes[new + n] = pairs.nodes[old]
    else:
        node.vertex, node.foot, node.cell, node.clock = vertex, foot, 0.0, LONG_AGO
        node.chart = pairs.facets[foot].chart
    pairs.slots[vertex] = n
    if node.clock == pair.clock:
        return
    position = surface.vertices[vertex].position
    if node.cell == 0.0 or not (
        evaluate_node(node, rotation, offset, position, pair.clock)
        or roughly_off(node, rotation, offset, position, pair.clock)
    ):
        place_node(node, surface, pair.cell, rotation, offset, position, pair.clock)
        pair.expansions += 1


@kernel(inline=True)
def list_triangle(
    pairs: MeshPairs, pair: Record, new: int, counts: Ints, seed: Record, surface: MeshSurface, rotation: Floats,
    offset: Vector,
) -> bool:  # fmt: skip
    """Put a triangle on the list, if it is near and not there yet; False if the list is full.

    counts : nodes and listed triangles so far
    """
    if pairs.marks[seed.triangle] != NONE:
        return True
    n, m = counts[0], counts[1]
    if n + 3 > pair.capacity or m + 1 > pair.capacity:
        return False
    listed, facet = pairs.listed[new + m], pairs.facets[seed.triangle]
    listed.triangle, listed.chart, listed.wakes = seed.triangle, seed.chart, LONG_AGO
    for c in range(3):
        vertex = facet.vertices[c]
        if pairs.slots[vertex] == NONE:
            take_node(pairs, pair, new, n, vertex, seed.foot, surface, rotation, offset)
            n += 1
        node = pairs.nodes[new + pairs.slots[vertex]]
        if node.depth < -pair.margin and node.foot != seed.foot:
            # a vertex in a bay of the chart has two feet, and may have been seen from the further one
            foot, depth, position = node.foot, node.depth, surface.vertices[vertex].position
            node.foot = seed.foot
            place_node(node, surface, pair.cell, rotation, offset, position, pair.clock)
            if node.depth < depth:
                node.foot = foot
                place_node(node, surface, pair.cell, rotation, offset, position, pair.clock)
        listed.nodes[c] = pairs.slots[vertex]
    counts[0] = n  # nodes stay, for the next triangle that has them
    if is_near(pairs.nodes[new:], listed, facet, surface, pair, rotation, offset):
        pairs.marks[seed.triangle] = m
        counts[1] = m + 1
    return True


@kernel
def grow(
    pairs: MeshPairs, pair: Record, new: int, counts: Ints, start: int, seed: Record, surface: MeshSurface,
    rotation: Floats, offset: Vector,
) -> bool:  # fmt: skip
    """Put the near neighbours of listed triangles on the list, from `start` on; False if it is full.

    seed : memory
    """
    k = start
    while k < counts[1]:
        listed = pairs.listed[new + k]
        across = pairs.facets[listed.triangle].across
        seed.chart = listed.chart
        for c in range(3):
            seed.triangle = across[c]
            if across[c] == NONE or pairs.marks[across[c]] != NONE:
                continue
            seed.foot = pairs.nodes[new + listed.nodes[c]].foot
            if not list_triangle(pairs, pair, new, counts, seed, surface, rotation, offset):
                return False
        k += 1
    return True


@kernel
def sort_listed(listed: Records) -> None:
    """By triangle, Shell's method: of points that are equally deep the same one is found from whatever list."""
    gap = len(listed) // 2
    while gap > 0:
        for i in range(gap, len(listed)):
            j = i
            while j >= gap and listed[j - gap].triangle > listed[j].triangle:
                swap(listed[j - gap], listed[j])
                j -= gap
        gap //= 2


@kernel(inline=True)
def swap(a: Record, b: Record) -> None:
    """All but the charts, which are equal, and the clocks, as new lists are awake."""
    a.triangle, b.triangle = b.triangle, a.triangle
    for c in range(3):
        a.nodes[c], b.nodes[c] = b.nodes[c], a.nodes[c]


@kernel
def renew_lists(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, n: int, seed: Record
) -> bool:
    """Build the lists anew at a pose, chart by chart of the master; False if they have not the capacity.

    The first n of `seeds`, sorted by chart, are what the boxes found.  seed : memory
    """
    old = pair.first + pair.turn * pair.capacity
    new = pair.first + (1 - pair.turn) * pair.capacity
    seeds, counts = pairs.seeds, pairs.counts
    counts[0] = counts[1] = 0
    at_node, at_listed, at_seed, fits = old, old, 0, True
    end_node, end_listed = old + pair.nodes, old + pair.listed
    while fits and (at_listed < end_listed or at_seed < n):
        chart = pairs.listed[at_listed].chart if at_listed < end_listed else seeds[at_seed].chart
        if at_seed < n:
            chart = min(chart, seeds[at_seed].chart)
        first_node, first_listed, first_old = counts[0], counts[1], at_node
        while at_node < end_node and pairs.nodes[at_node].chart <= chart:
            pairs.old_slots[pairs.nodes[at_node].vertex] = at_node
            at_node += 1
        seed.chart = chart
        while fits and at_listed < end_listed and pairs.listed[at_listed].chart == chart:
            seed.triangle = pairs.listed[at_listed].triangle
            seed.foot = pairs.nodes[old + pairs.listed[at_listed].nodes[0]].foot
            fits = list_triangle(pairs, pair, new, counts, seed, surface, rotation, offset)
            at_listed += 1
        while fits and at_seed < n and seeds[at_seed].chart == chart:
            fits = list_triangle(pairs, pair, new, counts, seeds[at_seed], surface, rotation, offset)
            at_seed += 1
        fits = fits and grow(pairs, pair, new, counts, first_listed, seed, surface, rotation, offset)
        sort_listed(pairs.listed[new + first_listed : new + counts[1]])
        for k in range(new + first_node, new + counts[0]):
            pairs.slots[pairs.nodes[k].vertex] = NONE
        for k in range(new + first_listed, new + counts[1]):
            pairs.marks[pairs.listed[k].triangle] = NONE
        for k in range(first_old, at_node):
            pairs.old_slots[pairs.nodes[k].vertex] = NONE
        if counts[1] == first_listed:
            counts[0] = first_node
    if not fits:
        return False
    pair.turn, pair.nodes, pair.listed = 1 - pair.turn, counts[0], counts[1]
    pair.listed_at = pair.clock
    pair.floods += 1
    return True
