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
def sag_of(triangle: Record) -> float:
    """How far the smooth surface may stand off a facet."""
    a = triangle.slopes
    steepest = max(max(abs(a[0]), abs(a[1]), abs(a[2])), max(abs(a[3]), abs(a[4]), abs(a[5])))
    return steepest / 3.0 + abs(triangle.bulge)


@kernel(inline=True)
def may_touch(
    surface: MeshSurface, m: int, facet: Vector, corners: tuple[Vector, Vector, Vector], size: float, near: float
) -> bool:
    """Whether a triangle of the slave may come through triangle m of the master.

    facet, corners, size : its normal, corners and longest edge, axes of the master.  near : margin and sag of it

    What is deep below hangs together with what is near.
    """
    normal = vector_of(surface.facet_normals[m])
    if dot(facet, normal) > OPPOSED:
        return False
    a, b, c = corners
    other = surface.triangles[m]
    vertices = surface.vertices
    base = vector_of(vertices[other.corners[0]].position)
    heights = dot(minus(a, base), normal), dot(minus(b, base), normal), dot(minus(c, base), normal)
    near += sag_of(other)
    if min(heights[0], heights[1], heights[2]) > near or max(heights[0], heights[1], heights[2]) < -near:
        return False
    p, q = vector_of(vertices[other.corners[1]].position), vector_of(vertices[other.corners[2]].position)
    middle = (
        (a[0] + b[0] + c[0] - base[0] - p[0] - q[0]) / 3.0,
        (a[1] + b[1] + c[1] - base[1] - p[1] - q[1]) / 3.0,
        (a[2] + b[2] + c[2] - base[2] - p[2] - q[2]) / 3.0,
    )
    e1, e2 = minus(p, base), minus(q, base)
    reach = size + max(dot(e1, e1), dot(e2, e2)) ** 0.5 + near
    return dot(middle, middle) <= reach * reach


@kernel
def sweep(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, stack: Ints
) -> int:
    """Triangles of the slave and charts of the master that may be near and are not on the list; -1 beyond capacity.

    stack : (n, 2), memory.  `marks` of the slave hold, for listed triangles, their chart
    """
    slave, master = surface.meshes[pair.slave], surface.meshes[pair.master]
    boxes, margin, top, n = surface.boxes, pair.margin, 1, 0
    stack[0, 0], stack[0, 1] = slave.first_box, master.first_box
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        one, other = boxes[a], boxes[b]
        if boxes_apart(one, other, rotation, offset, margin) or all_turned_away(one, other, rotation):
            continue
        if one.child == NONE and other.child == NONE:
            n = seeds_of_leaves(pairs, pair, surface, rotation, offset, a, b, n)
            if n < 0:
                return -1
            continue
        if top + 2 > len(stack):
            return -1
        split_slave = other.child == NONE or (
            one.child != NONE and one.half[0] + one.half[1] + one.half[2] >= other.half[0] + other.half[1] + other.half[2]
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


@kernel(inline=True)
def all_known(surface: MeshSurface, marks: Ints, shift: int, leaf: Record, chart: int) -> bool:
    """Whether all triangles of a leaf of the slave are on the list for a chart."""
    for i in range(leaf.first, leaf.last):
        if marks[shift + surface.box_triangles[i]] != chart:
            return False
    return True


@kernel
def seeds_of_leaves(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, a: int, b: int, n: int
) -> int:
    """Those of two leaves, behind the n there are."""
    leaf, other, seeds, marks = surface.boxes[a], surface.boxes[b], pairs.seeds, pairs.marks
    shift = pair.first_mark - surface.meshes[pair.slave].first_triangle
    only = pairs.leaf_charts[b]
    if only != NONE and all_known(surface, marks, shift, leaf, only):
        return n
    for i in range(leaf.first, leaf.last):
        s = surface.box_triangles[i]
        known, mine = marks[shift + s], pairs.facets[s]
        if known == only and only != NONE:
            continue
        corners = (
            into_master(rotation, offset, mine.corners[0]),
            into_master(rotation, offset, mine.corners[1]),
            into_master(rotation, offset, mine.corners[2]),
        )
        near = pair.margin + sag_of(surface.triangles[s])
        if apart_along(corners, other, near):
            continue
        facet = times(rotation, surface.facet_normals[s])
        for j in range(other.first, other.last):
            m = surface.box_triangles[j]
            chart = surface.triangles[m].chart
            if chart == known or not may_touch(surface, m, facet, corners, 2.0 * mine.radius, near):
                continue
            if n > 0 and seeds[n - 1].triangle == s and seeds[n - 1].chart == chart:
                continue
            if n >= len(seeds):
                return -1
            seeds[n].triangle, seeds[n].chart, seeds[n].foot = s, chart, m
            n += 1
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
