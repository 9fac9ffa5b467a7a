"""What of the slave is near the master, by the trees of boxes of both.

The tree of the slave is gone through from its root, bundle by bundle (see `bundles`).  Each box of one, placed among
those of the master, looks at the bundles of boxes that were near the box above it; a leaf looks at leaves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.bits import lowest_bit
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, times, vector_of
from .box_tree import LEAF
from .bundles import (
    HIGH,
    LOW,
    NORMAL,
    OFF,
    WAY,
    Bundles,
    bounds_of_all,
    corners_of,
    facing,
    near,
    place_boxes,
    place_triangles,
    straddles,
    three_of,
)
from .course import most_off_turn
from .pair_records import MeshPairs
from .records import NONE, MeshSurface

# Cosine of the angle between outward normals above which facets do not face each other.  A point that lies deepest has
# a facet round it below this, unless it is the tip of a needle of less than six degrees.
OPPOSED = -0.05


@kernel(inline=True)
def may_touch(other: Record, placed: Floats, i: int) -> bool:
    """Whether a triangle of the slave that faces one of the master and comes near its plane may come through it.

    other : of the master, a record FACET.  placed, i : see `bundles.place_triangles`

    What is deep below hangs together with what is near.
    """
    up, normal, way = vector_of(other.normal), three_of(placed, NORMAL, i), three_of(placed, WAY, i)
    off, back = placed[OFF * LEAF + i] + other.sag, scaled(-1.0, way)
    corners = corners_of(placed, i)
    theirs = vector_of(other.corners[0]), vector_of(other.corners[1]), vector_of(other.corners[2])
    (a, b, c), (first, second, third) = corners, theirs
    if not straddles(theirs, a, normal, off, back):
        return False
    if aside(corners, first, second, up, off, way) or aside(corners, second, third, up, off, way):
        return False
    if aside(corners, third, first, up, off, way):
        return False
    return not (
        aside(theirs, a, b, normal, off, back)
        or aside(theirs, b, c, normal, off, back)
        or aside(theirs, c, a, normal, off, back)
    )


@kernel(inline=True)
def aside(
    corners: tuple[Vector, Vector, Vector], start: Vector, end: Vector, up: Vector, off: float, way: Vector
) -> bool:
    """Whether a triangle stays further than `off` beyond an edge of another one, in the plane of that.

    up : unit normal of the other triangle.  way : of the triangle against the other
    """
    edge = minus(end, start)
    away = cross(edge, up)
    a, b, c = corners
    least = min(dot(minus(a, start), away), dot(minus(b, start), away), dot(minus(c, start), away))
    least += min(0.0, dot(way, away))
    return least > 0.0 and least * least > off * off * dot(edge, edge)


@kernel(inline=True)
def most_turned(box: Record, axis: Vector) -> float:
    """How much a normal of a cone turns at most with a small turn about an axis, over that."""
    off = cross(vector_of(box.axis), axis)
    return min(1.0, math.sqrt(dot(off, off)) + 1.5 * box.sine) if box.cosine > 0.0 else 1.0


class Look(NamedTuple):
    """At the master, from a box of the slave, axes of the master.

    low, high : bounds of what is near the box.  axis, cosine, sine : of its cone of normals
    opposed : cosine between normals above which they do not come to face each other
    """

    low: Vector
    high: Vector
    axis: Vector
    cosine: float
    sine: float
    opposed: float


@kernel(inline=True)
def look_from(pair: Record, box: Record, low: Vector, high: Vector, rotation: Floats, opposed: float) -> Look:
    """opposed : of a normal that does not turn with the slave"""
    turned = pair.course_turn * most_turned(box, vector_of(pair.axis))
    return Look(low, high, times(rotation, box.axis), box.cosine, box.sine, opposed + turned)


@kernel(inline=True)
def all_turned_away(look: Look, master: Record) -> bool:
    """Whether no normal in the cone of a box comes to face one in that of a box of the master.

    A point of the slave that lies deepest has a facet round it that faces the master, whatever its edges.
    """
    if look.cosine <= 0.0 or master.cosine <= 0.0:
        return False
    between = dot(look.axis, vector_of(master.axis))
    if between <= look.opposed:
        return False
    # of the sum of both half angles, and of that with the angle between the axes
    both = look.cosine * master.cosine - look.sine * master.sine
    across = look.sine * master.cosine + look.cosine * master.sine
    if not both > 0.0:
        return False
    return between * both - math.sqrt(max(0.0, 1.0 - between * between)) * across > look.opposed


@kernel(inline=True)
def bounds_of_box(box: Record) -> tuple[Vector, Vector]:
    """Least and largest coordinates."""
    at, reach = vector_of(box.centre), vector_of(box.half)
    return minus(at, reach), plus(at, reach)


@kernel
def put_near_boxes(bundles: Bundles, boxes: Records, look: Look, candidate: int, stack: Ints, end: int) -> int:
    """Put what is near of the bundle of a box on the stack, from `end` on; where that ends, -1 if the stack is full.

    candidate : the box, of the master; a leaf near the slave's is put there itself
    """
    if end + LEAF > len(stack):
        return -1
    if boxes[candidate].child == NONE:
        stack[end] = candidate
        return end + (not all_turned_away(look, boxes[candidate]))
    bundle = bundles.of_box[candidate]
    bits = near(bundles.rows[bundle], bundles.counts[bundle], look.low, look.high)
    while bits != 0:
        found = bundles.members[bundle, lowest_bit(bits)]
        stack[end] = found
        end += not all_turned_away(look, boxes[found])
        bits &= bits - 1
    return end


@kernel
def put_children(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, box: int, rotation: Floats, offset: Vector, opposed: float,
    stack: Ints, top: int, candidates: tuple[int, int], placed: Floats,
) -> int:  # fmt: skip
    """Put the bundle of a box of the slave on the stack, from `top` down; where that begins, -1 if the stack is full.

    Boxes with none of the master near them are left out.  candidates : first and last of the box.  placed : memory
    """
    boxes, bundles, (first, last) = surface.boxes, pairs.bundles, candidates
    bundle, free = bundles.of_box[box], stack[: max(0, top - 3 * LEAF)]
    count, end = bundles.counts[bundle], 2 * last - first
    if end > len(free):
        return -1
    place_boxes(pair, bundles.rows[bundle], rotation, offset, placed)
    for k in range(first, last):  # bits of the children near each candidate, behind these
        low, high = bounds_of_box(boxes[free[k]])
        free[k + last - first] = near(placed, count, low, high)
    for i in range(count):
        child, start = bundles.members[bundle, i], end
        low, high = three_of(placed, LOW, i), three_of(placed, HIGH, i)
        look = look_from(pair, boxes[child], low, high, rotation, opposed)
        for k in range(first, last):
            if free[k + last - first] >> i & 1:
                end = put_near_boxes(bundles, boxes, look, free[k], free, end)
                if end < 0:
                    return -1
        if end > start:
            top -= 3
            stack[top], stack[top + 1], stack[top + 2] = child, start, end
    return top


@kernel
def sweep(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, stack: Ints, placed: Floats
) -> int:
    """Triangles of the slave and charts of the master that may be near and are not on the list; -1 beyond capacity.

    stack, placed : memory.  `marks` hold, for listed triangles of the slave, their chart
    """
    slave, master = surface.meshes[pair.slave], surface.meshes[pair.master]
    boxes, bundles, top, n = surface.boxes, pairs.bundles, len(stack) - 3, 0
    opposed = OPPOSED + most_off_turn(pair) + 0.5 * pair.course_turn * pair.course_turn
    # from the end of the stack boxes of the slave, and where their candidates stand; from its beginning these
    stack[top], stack[top + 1], stack[top + 2] = slave.first_box, 0, 1
    stack[0] = master.first_box
    while top < len(stack):
        box, first, last = stack[top], stack[top + 1], stack[top + 2]
        top += 3
        if boxes[box].child != NONE:
            top = put_children(pairs, pair, surface, box, rotation, offset, opposed, stack, top, (first, last), placed)
            if top < 0:
                return -1
            continue
        bundle = bundles.of_box[box]
        place_triangles(pair, bundles.rows[bundle], rotation, offset, placed)
        low, high = bounds_of_all(placed, bundles.counts[bundle])
        look = look_from(pair, boxes[box], low, high, rotation, opposed)
        n = seeds_of(pairs, surface, bundle, look, placed, opposed, stack[:top], first, last, n)
        if n < 0:
            return -1
    return n


@kernel
def seeds_of(
    pairs: MeshPairs, surface: MeshSurface, mine: int, look: Look, placed: Floats, opposed: float, stack: Ints,
    first: int, last: int, n: int,
) -> int:  # fmt: skip
    """Write the seeds of a leaf of the slave behind the n there are; their new number, -1 beyond capacity.

    mine : its bundle.  first, last : of candidates on the stack.  opposed : see `bundles.facing`
    """
    bundles, boxes, k, end = pairs.bundles, surface.boxes, first, last
    while k < end:
        candidate = stack[k]
        if boxes[candidate].child != NONE:
            end = put_near_boxes(bundles, boxes, look, candidate, stack, end)
            if end < 0:
                return -1
        else:
            n = seeds_of_two(pairs, boxes[candidate], mine, bundles.of_box[candidate], look, placed, opposed, n)
            if n < 0:
                return -1
        k += 1
    return n


@kernel
def seeds_of_two(
    pairs: MeshPairs, leaf: Record, mine: int, other: int, look: Look, placed: Floats, opposed: float, n: int
) -> int:
    """The same of the leaf and one of the master.  mine, other : their bundles"""
    facets, seeds, bundles = pairs.facets, pairs.seeds, pairs.bundles
    rows, only = bundles.rows[other], bundles.charts[other]
    theirs = near(rows, bundles.counts[other], look.low, look.high)
    if theirs == 0:
        return n
    low, high = bounds_of_box(leaf)
    left = near(placed, bundles.counts[mine], low, high)
    while left != 0:
        i = lowest_bit(left)
        left &= left - 1
        triangle = bundles.members[mine, i]
        known, last = pairs.marks[triangle], NONE  # of those on the list their chart
        if known == only and only != NONE:
            continue
        bits = theirs & near(rows, LEAF, three_of(placed, LOW, i), three_of(placed, HIGH, i))
        if bits == 0:
            continue
        bits &= facing(rows, placed, i, opposed)
        while bits != 0:
            foot = bundles.members[other, lowest_bit(bits)]
            bits &= bits - 1
            chart = facets[foot].chart
            if chart in (known, last) or not may_touch(facets[foot], placed, i):
                continue
            if n >= len(seeds):
                return -1
            seeds[n].triangle, seeds[n].chart, seeds[n].foot = triangle, chart, foot
            n += 1
            last = chart
    return n


@kernel
def sort_seeds(seeds: Records, n: int) -> None:
    """By chart, then triangle of the slave: Shell's method."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            chart, triangle, foot = seeds[i].chart, seeds[i].triangle, seeds[i].foot
            j = i
            while j >= gap and (
                seeds[j - gap].chart > chart or (seeds[j - gap].chart == chart and seeds[j - gap].triangle > triangle)
            ):
                seeds[j].chart, seeds[j].triangle, seeds[j].foot = (
                    seeds[j - gap].chart,
                    seeds[j - gap].triangle,
                    seeds[j - gap].foot,
                )
                j -= gap
            seeds[j].chart, seeds[j].triangle, seeds[j].foot = chart, triangle, foot
        gap //= 2
