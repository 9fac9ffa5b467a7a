"""Patches that merge and split: how the force goes over from two laws to one.

Where carriers that hang together have several summits, the saddle between two of them tells how far they are one: with
the depth s of the saddle over that of the lower summit, a smooth share sigma goes from 0, when they begin to touch, to
1 at `ONE`, from where on they are one basin.  With the tree of the highest saddles between basins, each part of the
tree that hangs together makes a patch with the weight

    product of sigma over its own saddles times product of (1 - sigma) over those that lead out of it,

for two basins sigma [AB] + (1 - sigma) ([A] + [B]).  Forces are continuous so; what the change of sigma does is not
among them.
"""

from __future__ import annotations

import math

from ...core.bodies import Ints, Record, Records
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, vector_of
from .quadratics import deepest_between
from .records import NONE
from .supports import quadratic_in

MOST_SADDLES = 5  # between 0 and `ONE` at once, the deepest ones; lower ones part patches
SAME = 1e-9  # depths that are equal to rounding
ONE = 0.8  # of the depth of the lower summit: a saddle from which on there is one patch


@kernel(inline=True)
def depth_of_link(carrier: Record, c: int) -> float:
    """The largest depth on edge c of a carrier."""
    q = quadratic_in(carrier)
    if c == 0:
        return deepest_between(q, 0.0, 0.0, 1.0, 0.0).depth
    if c == 1:
        return deepest_between(q, 1.0, 0.0, 0.0, 1.0).depth
    return deepest_between(q, 0.0, 1.0, 0.0, 0.0).depth


@kernel(inline=True)
def depth_from(carriers: Records, k: int, other: int) -> float:
    """The largest depth on the edge to another carrier, as the k-th has it.

    Quadratics of two neighbours touch the depth at their own deepest places: where one of these is on the common edge
    the other one does not know how deep that is.
    """
    for c in range(3):
        if carriers[k].across[c] == other:
            return depth_of_link(carriers[k], c)
    return 0.0


@kernel(inline=True)
def is_concave(facet: Record, other: Record) -> bool:
    """Whether the edge between two facets is a concave one."""
    rise = dot(minus(vector_of(other.middle), vector_of(facet.middle)), vector_of(facet.normal))
    return rise > SAME * facet.radius


@kernel(inline=True)
def joined(carriers: Records, k: int, other: int) -> bool:
    """Whether another carrier of the same triangle or across an edge is of another chart, but of the same patch."""
    return carriers[other].chart != carriers[k].chart and carriers[other].parent == carriers[k].parent


@kernel(inline=True)
def basin_of(carriers: Records, k: int) -> int:
    while carriers[k].basin != k:
        carriers[k].basin = carriers[carriers[k].basin].basin
        k = carriers[k].basin
    return k


@kernel(inline=True)
def first_beside(carriers: Records, k: int, c: int, marks: Ints, facets: Records) -> int:
    """The first carrier of the triangle beyond edge c that is not concave, or of the same triangle for c = 3.

    Of patches of one chart none is asked for: see `joined`.
    """
    if carriers[carriers[k].parent].mixed == 0:
        return NONE
    if c == 3:
        return marks[carriers[k].triangle]
    other = facets[carriers[k].triangle].across[c]
    if other == NONE or marks[other] == NONE or is_concave(facets[carriers[k].triangle], facets[other]):
        return NONE
    return marks[other]


@kernel
def has_one_summit(carriers: Records, members: Ints, marks: Ints, facets: Records) -> bool:
    """Whether no summit is apart from the highest one: the usual case, found out without sorting anything."""
    top = members[0]
    for k in members:
        carriers[k].basin = k
        if carriers[k].depth > carriers[top].depth:
            top = k
    level = ONE * carriers[top].depth
    for k in members:
        if carriers[k].depth < level:
            continue
        for c in range(3):
            other = carriers[k].across[c]
            if other > k and depth_of_link(carriers[k], c) >= level:
                a, b = basin_of(carriers, k), basin_of(carriers, other)
                carriers[max(a, b)].basin = min(a, b)
        for c in range(4):
            # other charts of the same triangle and those next to it
            other = first_beside(carriers, k, c, marks, facets)
            while other != NONE:
                if joined(carriers, k, other) and carriers[other].depth >= level:
                    a, b = basin_of(carriers, k), basin_of(carriers, other)
                    carriers[max(a, b)].basin = min(a, b)
                other = carriers[other].next
    highest = basin_of(carriers, top)
    others = 0
    for k in members:
        if basin_of(carriers, k) != highest and is_summit(carriers, k, marks, facets, SAME * carriers[top].depth):
            others += 1
    return others == 0


@kernel
def is_summit(carriers: Records, k: int, marks: Ints, facets: Records, unit: float) -> bool:
    """Whether no neighbour of a carrier goes deeper, nor leads deeper where it is as deep, to a unit."""
    depth = carriers[k].depth + unit
    if has_deeper_neighbour(carriers, k, depth, marks, facets):
        return False
    for c in range(3):
        other = carriers[k].across[c]
        if other != NONE and goes_before(carriers, other, k, depth, unit, marks, facets):
            return False
    for c in range(4):
        other = first_beside(carriers, k, c, marks, facets)
        while other != NONE:
            if joined(carriers, k, other) and goes_before(carriers, other, k, depth, unit, marks, facets):
                return False
            other = carriers[other].next
    return True


@kernel
def has_deeper_neighbour(carriers: Records, k: int, depth: float, marks: Ints, facets: Records) -> bool:
    for c in range(3):
        other = carriers[k].across[c]
        if other != NONE and carriers[other].depth > depth:
            return True
    for c in range(4):
        other = first_beside(carriers, k, c, marks, facets)
        while other != NONE:
            if joined(carriers, k, other) and carriers[other].depth > depth:
                return True
            other = carriers[other].next
    return False


@kernel(inline=True)
def goes_before(carriers: Records, other: int, k: int, depth: float, unit: float, marks: Ints, facets: Records) -> bool:
    """Of two that meet in their deepest points, to a unit, the one that leads to a deeper one, or the first."""
    if carriers[other].depth < depth - 2.0 * unit:
        return False
    return other < k or has_deeper_neighbour(carriers, other, depth, marks, facets)


@kernel(inline=True)
def share_of_one(ratio: float) -> float:
    """sigma, of the depth of a saddle over that of the lower summit."""
    u = min(max(ratio / ONE, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


@kernel(inline=True)
def is_later(link: Record, one: int, other: int, depth: float, unit: float) -> bool:
    """Whether a link stands after that of two carriers at a depth, which is known to a unit."""
    theirs, ours = math.floor(link.depth / unit + 0.5), math.floor(depth / unit + 0.5)
    if theirs != ours:
        return theirs < ours
    return link.one > one or (link.one == one and link.other > other)


@kernel
def sorted_links(carriers: Records, members: Ints, marks: Ints, facets: Records, links: Records) -> int:
    """Edges between members, the deepest first; their number, -1 if there are more than capacity.

    Several edges meet in a saddle at a vertex, equally deep to rounding: these stand in the order of their carriers, so
    that rounding does not tell which basin gets what is round about it.
    """
    n, top = 0, 0.0
    for k in members:
        top = max(top, carriers[k].depth)
        for c in range(3):
            other = carriers[k].across[c]
            if other > k:
                if n >= len(links):
                    return -1
                links[n].one, links[n].other = k, other
                links[n].depth = max(depth_of_link(carriers[k], c), depth_from(carriers, other, k))
                n += 1
        for c in range(4):
            other = first_beside(carriers, k, c, marks, facets)
            while other != NONE:
                if other > k and joined(carriers, k, other):
                    if n >= len(links):
                        return -1
                    links[n].one, links[n].other = k, other
                    links[n].depth = min(carriers[k].depth, carriers[other].depth)
                    n += 1
                other = carriers[other].next
    gap, unit = n // 2, SAME * top
    while gap > 0:
        for i in range(gap, n):
            one, other, depth = links[i].one, links[i].other, links[i].depth
            j = i
            while j >= gap and is_later(links[j - gap], one, other, depth, unit):
                links[j] = links[j - gap]
                j -= gap
            links[j].one, links[j].other, links[j].depth = one, other, depth
        gap //= 2
    return n


@kernel(inline=True)
def set_of(carriers: Records, k: int) -> int:
    """The basin that stands for all that are connected with one so far."""
    while carriers[k].above != k:
        k = carriers[k].above
    return k


@kernel
def merge(carriers: Records, members: Ints, marks: Ints, facets: Records, links: Records, mergings: Records) -> int:
    """Basins of carriers that hang together, and the saddles between them; the number of these, -1 beyond capacity.

    `basin` of a carrier becomes that of its summit; `mergings` get the two basins and sigma.  `above` of basins becomes
    their number among those that merge, NONE of others.
    """
    n = sorted_links(carriers, members, marks, facets, links)
    if n < 0:
        return -1
    for k in members:
        carriers[k].basin, carriers[k].above, carriers[k].height = k, k, carriers[k].depth
    found = 0
    for i in range(n):
        if not links[i].depth > 0.0:
            break
        a, b = basin_of(carriers, links[i].one), basin_of(carriers, links[i].other)
        one, other = set_of(carriers, a), set_of(carriers, b)
        if one == other:
            continue
        ratio = links[i].depth / min(carriers[one].height, carriers[other].height)
        carriers[one].height = max(carriers[one].height, carriers[other].height)
        carriers[other].above = one
        if ratio >= ONE:
            carriers[b].basin = a
            continue
        if found == min(MOST_SADDLES, len(mergings)):
            continue  # patches of their own
        mergings[found].one, mergings[found].other, mergings[found].share = a, b, share_of_one(ratio)
        found += 1
    for i in range(found):
        mergings[i].one = basin_of(carriers, mergings[i].one)
        mergings[i].other = basin_of(carriers, mergings[i].other)
    for k in members:
        carriers[k].above = NONE
    count = 0
    for i in range(found):
        for k in (mergings[i].one, mergings[i].other):
            if carriers[k].above == NONE:
                carriers[k].above = count
                count += 1
    return found


@kernel
def weigh_parts(carriers: Records, basins: int, mergings: Records, n: int, parts: Records) -> int:
    """All parts of the tree that hang together, and their weights; their number, -1 beyond capacity.

    basins : how many there are, which `above` of their carriers counts.  parts : get bits of their basins
    """
    found = 0
    for mask in range(1 << n):
        weight = 1.0
        for k in range(n):
            weight *= mergings[k].share if mask >> k & 1 else 1.0 - mergings[k].share
        if weight == 0.0:
            continue
        done = 0
        for i in range(basins):
            if done >> i & 1:
                continue
            bits, before = 1 << i, 0
            while bits != before:
                before = bits
                for k in range(n):
                    one, other = carriers[mergings[k].one].above, carriers[mergings[k].other].above
                    if mask >> k & 1 and (bits >> one & 1 or bits >> other & 1):
                        bits |= 1 << one | 1 << other
            done |= bits
            at = 0
            while at < found and parts[at].bits != bits:
                at += 1
            if at == found:
                if found >= len(parts):
                    return -1
                parts[at].bits, parts[at].weight = bits, 0.0
                found += 1
            parts[at].weight += weight
    return found
