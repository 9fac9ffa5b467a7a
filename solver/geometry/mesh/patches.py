"""Regions where the slave is below the master, and the depth of each.

Carriers hang together across the edges of the slave, its sharp ones as well, for one chart of the master; and on one
triangle of the slave, or across an edge of it that is not concave, also those of two charts that meet in a convex edge.
So a corner or an edge of the slave is in one patch with all its faces, an edge of the master in one with both its
faces; a floor and a wall make two.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Floats, Ints, Record, Records
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, vector_of
from .merging import basin_of, has_one_summit, is_concave, merge, weigh_parts
from .pair_records import MeshPairs, PairScratch
from .push import depth_of_facet, multipliers_of, set_push
from .records import NONE, MeshSurface
from .regions import forget_region, set_region
from .supports import factor_of, find_supports, quadratic_in, raised


def convex_chart_pairs(surface: MeshSurface) -> Ints:
    """(n, 2), sorted: charts that meet in a convex edge, both ways round."""
    edges = surface.edges
    convex = edges[(edges["angle"] > 0.0) & (edges["across_chart"] != NONE)]
    chart = surface.triangles["chart"][convex["triangle"]].astype(np.int64)
    return np.unique(np.stack([chart, convex["across_chart"]], axis=1).astype(np.int64), axis=0).reshape(-1, 2)


@kernel(inline=True)
def meet(chart_pairs: Ints, a: int, b: int) -> bool:
    """Whether (a, b) is among sorted pairs."""
    low, high = 0, len(chart_pairs)
    while low < high:
        middle = (low + high) // 2
        if chart_pairs[middle, 0] < a or (chart_pairs[middle, 0] == a and chart_pairs[middle, 1] < b):
            low = middle + 1
        else:
            high = middle
    return low < len(chart_pairs) and chart_pairs[low, 0] == a and chart_pairs[low, 1] == b


@kernel(inline=True)
def root_of(carriers: Records, k: int) -> int:
    while carriers[k].parent != k:
        carriers[k].parent = carriers[carriers[k].parent].parent
        k = carriers[k].parent
    return k


@kernel(inline=True)
def join(carriers: Records, a: int, b: int) -> None:
    """The root that comes first stays one."""
    a, b = root_of(carriers, a), root_of(carriers, b)
    carriers[max(a, b)].parent = min(a, b)


@kernel
def connect(carriers: Records, n: int, marks: Ints, facets: Records, chart_pairs: Ints) -> None:
    """Trees of carriers that hang together, and their neighbours of the same chart.

    marks : of triangles, NONE; afterwards the first of the carriers of each
    """
    for k in range(n):
        carrier = carriers[k]
        carrier.parent, carrier.count, carrier.shares, carrier.mixed = k, 0, 0, 0
        head = marks[carrier.triangle]
        carrier.next = head
        while head != NONE:
            if meet(chart_pairs, carrier.chart, carriers[head].chart):
                join(carriers, k, head)
            head = carriers[head].next
        marks[carrier.triangle] = k
    for k in range(n):
        carrier = carriers[k]
        for c in range(3):
            other = facets[carrier.triangle].across[c]
            head = marks[other] if other != NONE else NONE
            carrier.across[c] = NONE
            while head != NONE:
                if carriers[head].chart == carrier.chart:
                    carrier.across[c] = head
                    join(carriers, k, head)
                elif not is_concave(facets[carrier.triangle], facets[other]) and meet(
                    chart_pairs, carrier.chart, carriers[head].chart
                ):
                    join(carriers, k, head)
                head = carriers[head].next


@kernel
def sort_by_tree(carriers: Records, n: int, members: Ints) -> None:
    """Carriers by tree, in the order of their roots; a root knows where its own begin, how many, and of what kind."""
    for k in range(n):
        root = carriers[root_of(carriers, k)]
        root.count += 1
        if carriers[k].chart != root.chart:
            root.mixed = 1
    start = 0
    for k in range(n):
        if carriers[k].parent == k:
            carriers[k].start = start
            start += carriers[k].count
            carriers[k].count = 0
    for k in range(n):
        root = carriers[root_of(carriers, k)]
        members[root.start + root.count] = k
        root.count += 1


@kernel
def set_patch(
    patch: Record, nodes: Records, lists: Records, facets: Records, scratch: PairScratch, members: Ints,
    rotation: Floats, stiffening: float, edges: Records,
) -> None:  # fmt: skip
    """Depth of a patch, and the wrench that one unit of force on it makes: at a point, along a normal.

    nodes, lists : of the pair.  edges : cut edges of the master
    """
    carriers, supports = scratch.carriers, scratch.supports
    depth, centre, n = find_supports(carriers, members, facets, nodes, lists, stiffening, supports, scratch.chosen)
    push, couple, patch.deepest, bend = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0
    for i in range(n):
        support = supports[i]
        carrier = carriers[support.carrier]
        carrier.shares = 1
        facet = facets[carrier.triangle]
        pulled = raised(quadratic_in(carrier), facet, stiffening * depth, centre)
        held = multipliers_of(carrier, pulled, support.place[0], support.place[1])
        set_push(support, carrier, nodes, lists[carrier.listed], facet, rotation, held, edges)
        push = plus(push, scaled(support.share, vector_of(support.push)))
        couple = plus(couple, scaled(support.share, vector_of(support.couple)))
        patch.deepest = max(patch.deepest, support.depth)
        bend += support.share * (support.depth - depth_of_facet(support, nodes, lists[carrier.listed], facet, rotation))
    square = dot(push, push)
    size = math.sqrt(square)
    patch.depth, patch.weight = depth, factor_of(supports, n, centre, stiffening) * size
    set_vector(patch.normal, scaled(1.0 / size, push))
    # what is left of the moment is about the normal, and none of surfaces that touch
    about_centre = minus(couple, cross(centre, push))
    # along its line, from the facet to the surface that the slave has
    point = plus(centre, scaled(1.0 / square, cross(push, about_centre)))
    set_vector(patch.point, plus(point, scaled(-bend, vector_of(patch.normal))))


@kernel
def put_patch(
    pairs: MeshPairs, pair: Record, nodes: Records, lists: Records, edges: Records, scratch: PairScratch,
    members: Ints, rotation: Floats, weight: float, found: int,
) -> int:  # fmt: skip
    """Write a patch of some carriers behind those found; their new number, -1 beyond capacity."""
    if found >= len(scratch.patches):
        return -1
    patch = scratch.patches[found]
    set_patch(patch, nodes, lists, pairs.facets, scratch, members, rotation, pair.stiffening, edges)
    patch.weight *= weight
    patch.share = weight
    forget_region(patch)
    if pair.regions == 1:
        set_region(patch, pair, pairs, scratch, members, rotation, pair.exponent, scratch.sums)
    return found + 1


@kernel
def put_merging_patches(
    pairs: MeshPairs, pair: Record, nodes: Records, lists: Records, edges: Records, scratch: PairScratch,
    members: Ints, rotation: Floats, found: int,
) -> int:  # fmt: skip
    """The patches of carriers that have several summits."""
    carriers, mergings, chosen = scratch.carriers, scratch.mergings, scratch.part_members
    saddles = merge(carriers, members, pairs.marks, pairs.facets, scratch.links, mergings)
    if saddles < 0:
        return -1
    count = 0
    for root in members:
        if carriers[root].basin != root:
            continue
        if carriers[root].above != NONE:
            count += 1
            continue
        n = 0
        for k in members:
            if basin_of(carriers, k) == root:
                chosen[n] = k
                n += 1
        found = put_patch(pairs, pair, nodes, lists, edges, scratch, chosen[:n], rotation, 1.0, found)
        if found < 0:
            return -1
    parts = weigh_parts(carriers, count, mergings, saddles, scratch.parts)
    if parts < 0:
        return -1
    for i in range(parts):
        n = 0
        for k in members:
            above = carriers[basin_of(carriers, k)].above
            if above != NONE and scratch.parts[i].bits >> above & 1:
                chosen[n] = k
                n += 1
        weight = scratch.parts[i].weight
        found = put_patch(pairs, pair, nodes, lists, edges, scratch, chosen[:n], rotation, weight, found)
        if found < 0:
            return -1
    return found


@kernel
def find_patches(pairs: MeshPairs, pair: Record, n: int, edges: Records, rotation: Floats, scratch: PairScratch) -> int:
    """Patches of the n carriers, in the order of their first ones; -1 if there are more than capacity.

    edges : cut edges of the masters
    """
    carriers = scratch.carriers
    connect(carriers, n, pairs.marks, pairs.facets, pairs.chart_pairs)
    sort_by_tree(carriers, n, scratch.members)
    first = pair.first + pair.turn * pair.capacity
    nodes, lists = pairs.nodes[first : first + pair.nodes], pairs.listed[first : first + pair.listed]
    found = 0
    for k in range(n):
        if carriers[k].parent != k or found < 0:
            continue
        members = scratch.members[carriers[k].start : carriers[k].start + carriers[k].count]
        if has_one_summit(carriers, members, pairs.marks, pairs.facets):
            found = put_patch(pairs, pair, nodes, lists, edges, scratch, members, rotation, 1.0, found)
        else:
            found = put_merging_patches(pairs, pair, nodes, lists, edges, scratch, members, rotation, found)
    for k in range(n):
        pairs.marks[carriers[k].triangle] = NONE
    return found
