"""What of the slave is near the master, by the trees of boxes of both.

The tree of the slave is gone through from its root.  Each of its boxes, placed among those of the master, looks only at
the boxes that were near its parent, or at their children where these are larger than itself; a leaf looks at leaves.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, times, vector_of
from .box_tree import LEAF
from .course import expected_shift, most_off_turn
from .motion import width_about_axis
from .nodes import into_master
from .pair_records import MeshPairs
from .records import NONE, MeshSurface

# Cosine of the angle between outward normals above which facets do not face each other.  A point that lies deepest has
# a facet round it below this, unless it is the tip of a needle of less than six degrees.
OPPOSED = -0.05
FIRST_CANDIDATE = 1024  # index of the stack; below are boxes of the slave to be looked at, three numbers each


@kernel(inline=True)
def may_touch(other: Record, placed: Floats, opposed: float) -> bool:
    """Whether a triangle of the slave may come through one of the master on its course.

    other : of the master, a record FACET.  placed : row of the slave's, see `place_leaf`
    opposed : cosine between normals above which they do not come to face each other on its course

    What is deep below hangs together with what is near.
    """
    up, normal = vector_of(other.normal), (placed[19], placed[20], placed[21])
    if dot(normal, up) + min(0.0, dot((placed[22], placed[23], placed[24]), up)) > opposed:
        return False
    near, way = placed[15] + other.sag, (placed[16], placed[17], placed[18])
    corners = (placed[0], placed[1], placed[2]), (placed[3], placed[4], placed[5]), (placed[6], placed[7], placed[8])
    theirs = vector_of(other.corners[0]), vector_of(other.corners[1]), vector_of(other.corners[2])
    (a, b, c), (first, second, third), back = corners, theirs, scaled(-1.0, way)
    if not straddles(corners, first, up, near, way) or not straddles(theirs, a, normal, near, back):
        return False
    if aside(corners, first, second, up, near, way) or aside(corners, second, third, up, near, way):
        return False
    if aside(corners, third, first, up, near, way):
        return False
    return not (
        aside(theirs, a, b, normal, near, back)
        or aside(theirs, b, c, normal, near, back)
        or aside(theirs, c, a, normal, near, back)
    )


@kernel(inline=True)
def aside(
    corners: tuple[Vector, Vector, Vector], start: Vector, end: Vector, up: Vector, near: float, way: Vector
) -> bool:
    """Whether a triangle stays further than `near` beyond an edge of another one, in the plane of that.

    up : unit normal of the other triangle.  way : of the triangle against the other
    """
    edge = minus(end, start)
    away = cross(edge, up)
    a, b, c = corners
    least = min(dot(minus(a, start), away), dot(minus(b, start), away), dot(minus(c, start), away))
    least += min(0.0, dot(way, away))
    return least > 0.0 and least * least > near * near * dot(edge, edge)


@kernel(inline=True)
def straddles(corners: tuple[Vector, Vector, Vector], base: Vector, up: Vector, near: float, way: Vector) -> bool:
    """Whether a triangle comes within `near` of a plane on a way against it."""
    a, b, c = corners
    heights, rise = (dot(minus(a, base), up), dot(minus(b, base), up), dot(minus(c, base), up)), dot(way, up)
    low, high = min(heights[0], heights[1], heights[2]), max(heights[0], heights[1], heights[2])
    return low + min(rise, 0.0) <= near and high + max(rise, 0.0) >= -near


@kernel(inline=True)
def all_turned_away(slave: Record, axis: Vector, master: Record, opposed: float) -> bool:
    """Whether no two normals of two cones come to face each other.

    axis : of the slave's cone, axes of the master.  opposed : the cosine above which they do not

    A point of the slave that lies deepest has a facet round it that faces the master, whatever its edges.
    """
    if slave.cosine <= 0.0 or master.cosine <= 0.0:
        return False
    between = dot(axis, vector_of(master.axis))
    if between <= opposed:
        return False
    sine, other = slave.sine, master.sine
    # of the sum of both half angles, and of that with the angle between the axes
    both, across = slave.cosine * master.cosine - sine * other, sine * master.cosine + slave.cosine * other
    if not both > 0.0:
        return False
    return between * both - math.sqrt(max(0.0, 1.0 - between * between)) * across > opposed


@kernel(inline=True)
def most_turned(box: Record, axis: Vector) -> float:
    """How much a normal of a cone turns at most with a small turn about an axis, over that."""
    off = cross(vector_of(box.axis), axis)
    return min(1.0, math.sqrt(dot(off, off)) + 1.5 * box.sine) if box.cosine > 0.0 else 1.0


@kernel(inline=True)
def three_of(rows: Floats, row: int, first: int) -> Vector:
    return rows[row, first], rows[row, first + 1], rows[row, first + 2]


@kernel(inline=True)
def are_apart(low: Vector, high: Vector, other_low: Vector, other_high: Vector) -> bool:
    """Whether there is a gap between two boxes; one branch for all directions, as any of them may be the one."""
    below = max(low[0] - other_high[0], low[1] - other_high[1], low[2] - other_high[2])
    return max(below, other_low[0] - high[0], other_low[1] - high[1], other_low[2] - high[2]) > 0.0


@kernel
def near_boxes(
    boxes: Records, one: Record, axis: Vector, opposed: float, bounds: Floats, stack: Ints, first: int, last: int
) -> int:  # fmt: skip
    """Boxes of the master near one of the slave, among those at [first, last) of the stack and their children.

    They are put on the stack from `last` on; where they end, -1 beyond capacity.

    axis, bounds : of the slave's box, axes of the master; least and largest coordinates of what is near it
    opposed : see `all_turned_away`
    """
    low, high = (bounds[0], bounds[1], bounds[2]), (bounds[3], bounds[4], bounds[5])
    size = one.half[0] + one.half[1] + one.half[2] if one.child != NONE else 0.0
    end, top = last, len(stack)
    for k in range(first, last):
        if end + 1 >= top:
            return -1
        top -= 1
        stack[top] = stack[k]
        while top < len(stack):
            box = stack[top]
            top += 1
            other = boxes[box]
            at, reach = vector_of(other.centre), vector_of(other.half)
            if are_apart(low, high, minus(at, reach), plus(at, reach)) or all_turned_away(one, axis, other, opposed):
                continue
            if end + 2 >= top:
                return -1
            if other.child == NONE or reach[0] + reach[1] + reach[2] <= size:
                stack[end] = box
                end += 1
            else:
                top -= 2
                stack[top], stack[top + 1] = other.child, other.child + 1
    return end


@kernel
def sweep(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, stack: Ints, placed: Floats
) -> int:
    """Triangles of the slave and charts of the master that may be near and are not on the list; -1 beyond capacity.

    stack, placed : memory.  `marks` hold, for listed triangles of the slave, their chart
    """
    slave, master = surface.meshes[pair.slave], surface.meshes[pair.master]
    boxes, top, n = surface.boxes, 1, 0
    opposed = OPPOSED + most_off_turn(pair) + 0.5 * pair.course_turn * pair.course_turn
    stack[0], stack[1], stack[2] = slave.first_box, FIRST_CANDIDATE, FIRST_CANDIDATE + 1
    stack[FIRST_CANDIDATE] = master.first_box
    while top > 0:
        top -= 1
        one, first, last = boxes[stack[3 * top]], stack[3 * top + 1], stack[3 * top + 2]
        place_box(pair, one, rotation, offset, placed[LEAF])
        cone = opposed + pair.course_turn * most_turned(one, vector_of(pair.axis))
        end = near_boxes(boxes, one, times(rotation, one.axis), cone, placed[LEAF, 9:], stack, first, last)
        if end < 0 or end + LEAF > len(stack):
            return -1
        if end == last:
            continue
        if one.child == NONE:
            place_leaf(pairs, pair, surface.box_triangles, one, rotation, offset, placed)
            for k in range(last, end):
                n = seeds_of_leaves(pairs, surface, one, stack[k], placed, opposed, stack[end : end + LEAF], n)
                if n < 0:
                    return -1
            continue
        for c in range(2):
            stack[3 * top], stack[3 * top + 1], stack[3 * top + 2] = one.child + c, last, end
            top += 1
    return n


@kernel(inline=True)
def place_leaf(
    pairs: MeshPairs, pair: Record, order: Ints, leaf: Record, rotation: Floats, offset: Vector, placed: Floats
) -> None:
    """Corners of the slave's triangles in axes of the master, and boxes that hold what is near them.

    placed : (LEAF + 1, 25), the last row for the box of all; behind the boxes slack and way of triangles, see `Shift`,
        their normals and by what these change on the course
    """
    whole = placed[LEAF]
    for k in range(3):
        whole[9 + k], whole[12 + k] = math.inf, -math.inf
    for i in range(leaf.first, leaf.last):
        mine, row = pairs.facets[order[i]], placed[i - leaf.first]
        shift = expected_shift(pair, mine.middle, width_about_axis(pair, mine), rotation)
        near = shift.slack + mine.sag
        row[15] = near
        a = into_master(rotation, offset, mine.corners[0])
        b = into_master(rotation, offset, mine.corners[1])
        c = into_master(rotation, offset, mine.corners[2])
        for k in range(3):
            way = shift.way[k]
            row[k], row[3 + k], row[6 + k], row[16 + k] = a[k], b[k], c[k], way
            row[9 + k] = min(a[k], b[k], c[k]) + min(way, 0.0) - near
            row[12 + k] = max(a[k], b[k], c[k]) + max(way, 0.0) + near
            whole[9 + k], whole[12 + k] = min(whole[9 + k], row[9 + k]), max(whole[12 + k], row[12 + k])
        normal = vector_of(mine.normal)
        set_vector(row[19:22], times(rotation, normal))
        set_vector(row[22:25], scaled(pair.course_turn, times(rotation, cross(vector_of(pair.axis), normal))))


@kernel(inline=True)
def place_box(pair: Record, box: Record, rotation: Floats, offset: Vector, whole: Floats) -> None:
    """A box that holds what is near one of the slave."""
    centre, half = into_master(rotation, offset, box.centre), vector_of(box.half)
    a, b, c = abs(pair.axis[0]), abs(pair.axis[1]), abs(pair.axis[2])
    off = (b * half[2] + c * half[1], c * half[0] + a * half[2], a * half[1] + b * half[0])
    shift = expected_shift(pair, box.centre, math.sqrt(dot(off, off)), rotation)
    for i in range(3):
        reach = shift.slack
        for k in range(3):
            reach += abs(rotation[i, k]) * half[k]
        whole[9 + i], whole[12 + i] = (
            centre[i] + min(shift.way[i], 0.0) - reach,
            centre[i] + max(shift.way[i], 0.0) + reach,
        )


@kernel
def seeds_of_leaves(
    pairs: MeshPairs,
    surface: MeshSurface,
    leaf: Record,
    b: int,
    placed: Floats,
    opposed: float,
    nearby: Ints,
    n: int,
) -> int:
    """Write the seeds of two leaves behind the n there are; their new number, -1 beyond capacity.

    leaf : box of the slave.  b : box of the master.  opposed : see `may_touch`.  nearby : (LEAF,), memory
    """
    other, only, order = surface.boxes[b], pairs.leaf_charts[b], surface.box_triangles
    facets, bounds, seeds = pairs.facets, pairs.bounds, pairs.seeds
    around = three_of(placed, LEAF, 9), three_of(placed, LEAF, 12)
    low, high = (
        minus(vector_of(other.centre), vector_of(other.half)),
        plus(vector_of(other.centre), vector_of(other.half)),
    )
    if are_apart(low, high, around[0], around[1]):
        return n
    count = 0
    for j in range(other.first, other.last):
        nearby[count] = j
        count += not are_apart(around[0], around[1], three_of(bounds, j, 0), three_of(bounds, j, 3))
    if count == 0:
        return n
    for i in range(leaf.last - leaf.first):
        s = order[leaf.first + i]
        known = pairs.marks[s]  # of those on the list their chart
        if known == only and only != NONE:
            continue
        # the box of what is near it
        least, most = three_of(placed, i, 9), three_of(placed, i, 12)
        if are_apart(low, high, least, most):
            continue
        last = NONE
        for at in range(count):
            j = nearby[at]
            if are_apart(least, most, three_of(bounds, j, 0), three_of(bounds, j, 3)):
                continue
            m = order[j]
            chart = facets[m].chart
            if chart in (known, last):
                continue
            if may_touch(facets[m], placed[i], opposed):
                if n >= len(seeds):
                    return -1
                seeds[n].triangle, seeds[n].chart, seeds[n].foot = s, chart, m
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
