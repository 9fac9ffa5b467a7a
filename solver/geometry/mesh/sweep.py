"""What of the slave is near the master, by the trees of boxes of both."""

from __future__ import annotations

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, times, vector_of
from .nodes import into_master
from .pair_records import MeshPairs
from .records import NONE, MeshSurface

# Cosine of the angle between outward normals above which facets do not face each other.  A point that lies deepest has
# a facet round it below this, unless it is the tip of a needle of less than six degrees.
OPPOSED = -0.05


@kernel(inline=True)
def boxes_apart(slave: Record, master: Record, rotation: Floats, offset: Vector, margin: float) -> bool:
    """Whether two boxes are further apart than the margin, along one of the axes of either."""
    between = minus(into_master(rotation, offset, slave.centre), vector_of(master.centre))
    half, other = slave.half, master.half
    for i in range(3):
        reach = other[i] + margin
        for k in range(3):
            reach += abs(rotation[i, k]) * half[k]
        if abs(between[i]) > reach:
            return True
    for k in range(3):
        reach, along = half[k] + margin, 0.0
        for i in range(3):
            reach += abs(rotation[i, k]) * other[i]
            along += rotation[i, k] * between[i]
        if abs(along) > reach:
            return True
    return False


@kernel(inline=True)
def all_turned_away(slave: Record, master: Record, rotation: Floats) -> bool:
    """Whether no two normals of two cones make more than a right angle.

    A point of the slave that lies deepest has a facet round it that faces the master, whatever its edges.
    """
    if slave.cosine <= 0.0 or master.cosine <= 0.0:
        return False
    between = dot(times(rotation, slave.axis), vector_of(master.axis))
    if between <= 0.0:
        return False
    # angle + both half angles < 90 degrees: sin of the angle's complement > sin of the sum of half angles
    sine = (1.0 - slave.cosine * slave.cosine) ** 0.5
    other = (1.0 - master.cosine * master.cosine) ** 0.5
    both = slave.cosine * master.cosine - sine * other
    return both > 0.0 and between > sine * master.cosine + slave.cosine * other


@kernel(inline=True)
def may_touch(
    other: Record, normal: Vector, corners: tuple[Vector, Vector, Vector], middle: Vector, reach: float, near: float
) -> bool:
    """Whether a triangle of the slave may come through one of the master.

    other : of the master, a record FACET
    normal, corners, middle, reach : of the slave's, axes of the master; its radius about the middle
    near : margin and sag of the slave

    What is deep below hangs together with what is near.
    """
    up = vector_of(other.normal)
    if dot(normal, up) > OPPOSED:
        return False
    near += other.sag
    between = minus(middle, vector_of(other.middle))
    reach += other.radius + near
    if dot(between, between) > reach * reach:
        return False
    a, b, c = corners
    base = vector_of(other.corners[0])
    heights = dot(minus(a, base), up), dot(minus(b, base), up), dot(minus(c, base), up)
    return min(heights[0], heights[1], heights[2]) <= near and max(heights[0], heights[1], heights[2]) >= -near


@kernel
def sweep(pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, stack: Ints) -> int:
    """Triangles of the slave and charts of the master that may be near and are not on the list; -1 beyond capacity.

    stack : (n, 2), memory.  `marks` hold, for listed triangles of the slave, their chart
    """
    slave, master = surface.meshes[pair.slave], surface.meshes[pair.master]
    boxes, margin, top, n = surface.boxes, pair.margin, 1, 0
    facets, order, marks, seeds = pairs.facets, surface.box_triangles, pairs.marks, pairs.seeds
    stack[0, 0], stack[0, 1] = slave.first_box, master.first_box
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        one, other = boxes[a], boxes[b]
        if boxes_apart(one, other, rotation, offset, margin) or all_turned_away(one, other, rotation):
            continue
        if one.child == NONE and other.child == NONE:
            only = pairs.leaf_charts[b]
            n = seeds_of_leaves(facets, order, marks, one, other, only, rotation, offset, margin, seeds, n)
            if n < 0:
                return -1
            continue
        if top + 2 > len(stack):
            return -1
        split_slave = other.child == NONE or (
            one.child != NONE
            and one.half[0] + one.half[1] + one.half[2] >= other.half[0] + other.half[1] + other.half[2]
        )
        for c in range(2):
            stack[top, 0] = one.child + c if split_slave else a
            stack[top, 1] = b if split_slave else other.child + c
            top += 1
    return n


@kernel(inline=True)
def apart_along(corners: tuple[Vector, Vector, Vector], box: Record, margin: float) -> bool:
    """Whether a triangle is further than the margin from a box, along one of the axes of the box."""
    a, b, c = corners
    for i in range(3):
        reach = box.half[i] + margin
        if min(a[i], b[i], c[i]) > box.centre[i] + reach or max(a[i], b[i], c[i]) < box.centre[i] - reach:
            return True
    return False


@kernel
def seeds_of_leaves(
    facets: Records, order: Ints, marks: Ints, leaf: Record, other: Record, only: int, rotation: Floats, offset: Vector,
    margin: float, seeds: Records, n: int,
) -> int:  # fmt: skip
    """Those of two leaves, behind the n there are.

    order : `box_triangles`.  marks : of all triangles, those of the slave on the list have their chart
    only : chart of all triangles of the master's leaf, NONE if there are several
    """
    for i in range(leaf.first, leaf.last):
        s = order[i]
        known = marks[s]
        if known == only and only != NONE:
            continue
        mine = facets[s]
        near = margin + mine.sag
        corners = (
            into_master(rotation, offset, mine.corners[0]),
            into_master(rotation, offset, mine.corners[1]),
            into_master(rotation, offset, mine.corners[2]),
        )
        if apart_along(corners, other, near):
            continue
        normal, middle = times(rotation, mine.normal), into_master(rotation, offset, mine.middle)
        last = NONE
        for j in range(other.first, other.last):
            m = order[j]
            theirs = facets[m]
            chart = theirs.chart
            if chart in (known, last):
                continue
            if may_touch(theirs, normal, corners, middle, mine.radius, near):
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
