"""Lists of triangles of the slave near the master: carried on along its surface, and completed by the boxes of both.

A triangle is listed for a chart of the master if its depth may come to zero on the course of the slave, see `course`.
A list grows from its own triangles and from what the boxes find, over edges of the slave that are near or deep below.
What boxes find is all that is near, so that no contact is missed; growing finds what is deep.
"""

from __future__ import annotations

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, set_vector, times, vector_of
from .course import begin_course, expected_shift, farthest
from .cubics import cubic_of, most_of
from .cuts import distance_beyond
from .evaluate import foot_of
from .motion import motion_of, width_about_axis
from .nodes import evaluate_node, place_node, roughly_off
from .pair_records import DISTANCE, LONG_AGO, UNTIL, MeshPairs
from .push import may_be_pushed
from .quadratics import middles_of, upper_bound
from .records import NONE, MeshSurface
from .sleep import begin_rest, gap_left, least_gap, sleep_above, sleep_beside, stay_awake

FACING = -0.15  # cosine between normals: a facet faces the master there now and after its next turns
PLACE_BITS = 32  # of the numbers that lists are sorted by: for the place in the list


@kernel(inline=True)
def is_too_deep(nodes: Records, listed: Record, triangles: Records, margin: float) -> bool:
    """Whether a triangle, with nodes where the slave is, is so deep that it belongs to another side of the master."""
    i, j, k = nodes[listed.nodes[0]], nodes[listed.nodes[1]], nodes[listed.nodes[2]]
    cap = max(triangles[i.foot].depth_cap, triangles[j.foot].depth_cap, triangles[k.foot].depth_cap)
    return min(i.depth, j.depth, k.depth) > cap + margin


@kernel(inline=True)
def take_node(pairs: MeshPairs, new: int, n: int, vertex: int, position: Floats, foot: int) -> None:
    """Write a node behind the n there are, from the list before if it was there.

    position, foot : of one that was not
    """
    node = pairs.nodes[new + n]
    old = pairs.old_slots[vertex]
    if old != NONE:
        pairs.nodes[new + n] = pairs.nodes[old]
    else:
        node.vertex, node.foot, node.cell, node.clock = vertex, foot, 0.0, LONG_AGO
        node.chart = pairs.facets[foot].chart
        set_vector(node.position, vector_of(position))
    pairs.slots[vertex] = n


@kernel
def bring_up_to_date(node: Record, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector) -> None:
    """Let a node know its depth where the slave is now."""
    if node.clock == pair.clock:
        return
    if node.cell == 0.0 or not (
        evaluate_node(node, rotation, offset, pair.clock) or roughly_off(node, rotation, offset, pair.clock)
    ):
        place_node(node, surface, pair, rotation, offset)


@kernel(inline=True)
def keep_triangle(pairs: MeshPairs, pair: Record, new: int, counts: Ints, old: Record, first: int) -> bool:
    """Take a triangle that sleeps over from the list before, without a look at it; False if the list is full.

    first : of nodes of the list before
    """
    n, m = counts[0], counts[1]
    if n + 3 > pair.capacity or m + 1 > pair.capacity:
        return False
    listed = pairs.listed[new + m]
    pairs.listed[new + m] = old
    for c in range(3):
        node = pairs.nodes[first + old.nodes[c]]
        if pairs.slots[node.vertex] == NONE:
            take_node(pairs, new, n, node.vertex, node.position, node.foot)
            n += 1
        listed.nodes[c] = pairs.slots[node.vertex]
    pairs.marks[old.triangle] = m
    counts[0], counts[1] = n, m + 1
    return True


@kernel
def look_from(
    nodes: Records, k: int, foot: int, other: int, surface: MeshSurface, pair: Record, rotation: Floats, offset: Vector
) -> None:
    """Let the k-th node have the foot that a search from another triangle finds, where it is deeper below that.

    A vertex in a bay of the chart has two feet, and may have been seen from the further one.

    other : node to be used as memory
    """
    if foot_of(surface, foot, vector_of(nodes[k].at)).triangle == nodes[k].foot:
        return
    nodes[other] = nodes[k]
    nodes[other].foot = foot
    place_node(nodes[other], surface, pair, rotation, offset)
    if nodes[other].depth > nodes[k].depth:
        nodes[k] = nodes[other]


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
    if n + 4 > pair.capacity or m + 1 > pair.capacity:
        return False
    listed, facet = pairs.listed[new + m], pairs.facets[seed.triangle]
    width = width_about_axis(pair, facet)
    shift = expected_shift(pair, facet.middle, width, rotation)
    listed.triangle, listed.chart = seed.triangle, seed.chart
    set_vector(listed.middle, vector_of(facet.middle))
    for c in range(3):
        vertex = facet.vertices[c]
        if pairs.slots[vertex] == NONE:
            take_node(pairs, new, n, vertex, facet.corners[c], seed.foot)
            n += 1
        node = pairs.nodes[new + pairs.slots[vertex]]
        bring_up_to_date(node, pair, surface, rotation, offset)
        if node.depth < -farthest(shift) and node.foot != seed.foot:
            look_from(pairs.nodes, new + pairs.slots[vertex], seed.foot, new + n, surface, pair, rotation, offset)
        listed.nodes[c] = pairs.slots[vertex]
    counts[0] = n  # nodes stay, for the next triangle that has them
    nodes = pairs.nodes[new:]
    corners, middles = middles_of(nodes, listed, facet)
    top = upper_bound(corners, middles) + most_of(cubic_of(nodes, listed, facet))
    outside = distance_beyond(nodes, listed, surface, rotation, offset) - facet.sag
    gap = max(-top, outside)
    if not gap > 0.0:
        stay_awake(listed)
    elif gap > outside:
        sleep_above(listed, nodes, facet, pair, rotation, offset, gap)
    else:
        sleep_beside(listed, facet, pair, rotation, offset, gap)
    if least_gap(listed, pair, rotation, offset, width, shift) > 0.0:
        return True
    if not is_too_deep(nodes, listed, surface.triangles, pair.margin):
        listed.left = max(listed.gap, 0.0)
        pairs.marks[seed.triangle] = m
        counts[1] = m + 1
    return True


@kernel(inline=True)
def most_depth(node: Record, clock: float) -> float:
    """A bound of the depth of a node, of which is known how deep it was at some time."""
    return node.depth + clock - node.clock


@kernel(inline=True)
def is_found_or_turned_away(one: Record, other: Record, normal: Vector, rotation: Floats) -> bool:
    """Whether a facet needs no growing at an edge, by both nodes of this: where it faces the master boxes find it.

    Or neither the master nor its nearest cut edges push against it, see `is_turned_away`.

    normal : outward, of the facet
    """
    if max(dot(vector_of(one.normal), normal), dot(vector_of(other.normal), normal)) < FACING:
        return True
    turned = times(rotation, normal)
    return not (may_be_pushed(one, normal, turned) or may_be_pushed(other, normal, turned))


@kernel
def grow(
    pairs: MeshPairs, pair: Record, new: int, counts: Ints, start: int, seed: Record, surface: MeshSurface,
    rotation: Floats, offset: Vector,
) -> bool:  # fmt: skip
    """Put the near neighbours of listed triangles on the list, from `start` on; False if it is full.

    Across edges with both ends far away nothing is near that boxes do not find.

    seed : memory
    """
    k, nodes = start, pairs.nodes[new : new + pair.capacity]
    while k < counts[1]:
        listed = pairs.listed[new + k]
        k += 1
        facet = pairs.facets[listed.triangle]
        margin = farthest(expected_shift(pair, facet.middle, width_about_axis(pair, facet), rotation))
        is_above = listed.deep == 0 and listed.left > 0.0
        if is_above and listed.left > margin:
            continue
        across = facet.across
        seed.chart = listed.chart
        for c in range(3):
            seed.triangle = across[c]
            if across[c] == NONE or pairs.marks[across[c]] != NONE:
                continue
            one, other = nodes[listed.nodes[c]], nodes[listed.nodes[(c + 1) % 3]]
            if most_depth(one, pair.clock) < -margin and most_depth(other, pair.clock) < -margin:
                continue
            if is_above and is_found_or_turned_away(one, other, vector_of(pairs.facets[across[c]].normal), rotation):
                continue
            seed.foot = pairs.nodes[new + listed.nodes[c]].foot
            if not list_triangle(pairs, pair, new, counts, seed, surface, rotation, offset):
                return False
    return True


@kernel
def sort_listed(listed: Records, keys: Ints) -> None:
    """By triangle: of points that are equally deep the same one is found from whatever list.

    keys : memory
    """
    n = len(listed)
    for k in range(n):
        keys[k] = listed[k].triangle << PLACE_BITS | k
    gap = n // 2
    while gap > 0:  # Shell's method
        for i in range(gap, n):
            key, j = keys[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 2
    for k in range(n):
        # what is to stand here has been moved where it stood before one of those here before
        place = keys[k] & (1 << PLACE_BITS) - 1
        while place < k:
            place = keys[place] & (1 << PLACE_BITS) - 1
        if place > k:
            swap(listed[k], listed[place])


@kernel(inline=True)
def swap(a: Record, b: Record) -> None:
    """All but the charts, which are equal."""
    a.triangle, b.triangle = b.triangle, a.triangle
    a.left, b.left = b.left, a.left
    a.deep, b.deep = b.deep, a.deep
    a.about, b.about = b.about, a.about
    a.across, b.across = b.across, a.across
    a.gap, b.gap = b.gap, a.gap
    a.spread, b.spread = b.spread, a.spread
    a.curvature, b.curvature = b.curvature, a.curvature
    a.lever, b.lever = b.lever, a.lever
    for c in range(3):
        a.nodes[c], b.nodes[c] = b.nodes[c], a.nodes[c]
        a.at[c], b.at[c] = b.at[c], a.at[c]
        a.up[c], b.up[c] = b.up[c], a.up[c]
        a.middle[c], b.middle[c] = b.middle[c], a.middle[c]


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
            before = pairs.listed[at_listed]
            facet = pairs.facets[before.triangle]
            until, distance = pairs.rests[UNTIL, at_listed], pairs.rests[DISTANCE, at_listed]
            width = width_about_axis(pair, facet)
            left = max(until - motion_of(pair, distance), gap_left(before, pair, rotation, offset, width))
            at_listed += 1
            shift = expected_shift(pair, facet.middle, width, rotation)
            if before.deep == 0 and least_gap(before, pair, rotation, offset, width, shift) > 0.0:
                continue
            if left > 0.0:
                before.left = left
                fits = keep_triangle(pairs, pair, new, counts, before, old)
                continue
            seed.triangle = before.triangle
            seed.foot = pairs.nodes[old + before.nodes[0]].foot
            fits = list_triangle(pairs, pair, new, counts, seed, surface, rotation, offset)
        while fits and at_seed < n and seeds[at_seed].chart == chart:
            fits = list_triangle(pairs, pair, new, counts, seeds[at_seed], surface, rotation, offset)
            at_seed += 1
        fits = fits and grow(pairs, pair, new, counts, first_listed, seed, surface, rotation, offset)
        sort_listed(pairs.listed[new + first_listed : new + counts[1]], pairs.awake)
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
    begin_course(pair, rotation, offset)
    for k in range(new, new + pair.listed):
        listed = pairs.listed[k]
        begin_rest(pairs.rests, k, listed, pairs.facets[listed.triangle], pair)
    pair.renewals += 1
    return True
