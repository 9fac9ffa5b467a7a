"""Regions in which both curves have corners: which faces push, and how much each.

A face is a smooth piece of one curve within the region, and goes on straight beyond its ends.  Its depth D is that of
the deepest point of the other curve below it.  The face of least depth pushes; those whose depth is not larger by SPARE
or more push along, so that the force turns gradually where another face becomes that of least depth.  A face counts
the less, the shorter it is beside the others of its curve, and the less the other curve has of a corner, beside what
its own has: so it comes and goes gradually with the corners, and a block that lies on another one, each with a corner
beyond the other, is held by the long faces alone.
"""

from __future__ import annotations

import math

from ...core.bodies import Records
from ...core.jit.kernels import kernel
from .arcs import Arc, Side, last_of, length_of, part_of, row_of
from .curves import MOST_FACES, PlaneCurves
from .deepest import FREE, Pull, find_deepest
from .foot import ON_CURVE, Master

SPARE = 0.25
SHORT = 0.2  # of the arc: what is longer is there in full


@kernel(inline=True)
def smooth_step(x: float) -> float:
    """0 below 0, 1 above 1, and smooth between."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel(inline=True)
def end_of_face(segments: Records, arc: Arc, begin: float) -> float:
    """Place of the first corner that sticks out behind a place, or the end of the arc."""
    for k in range(math.floor(begin) + 1, last_of(arc) + 1):
        if segments[row_of(arc, k)].corner > 0.0:
            return float(k)
    return arc.end


@kernel
def find_faces(curves: PlaneCurves, one: Side, other: Side, pull: Pull, sign: float, n: int) -> int:
    """Write the faces of an arc that the other one may lie below behind the n there are; their number, or -1.

    sign : that of the normal as a force on curve A.  `exists` is the part of its arc that a face is.
    """
    segments, faces = curves.segments, curves.scratch.faces
    total = length_of(segments, one.arc)
    begin = one.arc.begin
    while begin < one.arc.end:
        if n >= MOST_FACES:
            return -1
        end = end_of_face(segments, one.arc, begin)
        face = faces[n]
        master = Master(ON_CURVE, part_of(one.arc, begin, end), one.pose, 0.0, 0.0, 0.0, 0.0, 0.0)
        start, on_master = 0.5 * (other.arc.begin + other.arc.end), 0.5 * (master.arc.begin + master.arc.end)
        deepest = find_deepest(segments, other.arc, other.pose, master, FREE, start, on_master)
        held = find_deepest(segments, other.arc, other.pose, master, pull, deepest.at, deepest.foot.at)
        face.least, face.depth = deepest.foot.depth, held.foot.depth
        face.normal_x, face.normal_y = sign * deepest.foot.normal_x, sign * deepest.foot.normal_y
        face.x = held.x + 0.5 * held.foot.depth * deepest.foot.normal_x
        face.y = held.y + 0.5 * held.foot.depth * deepest.foot.normal_y
        face.exists = length_of(segments, master.arc) / total
        begin, n = end, n + 1
    return n


@kernel
def weigh_faces(curves: PlaneCurves, of_a: int, n: int) -> None:
    """Set the weights of n faces, the first `of_a` of which are those of curve A; their sum is 1."""
    faces = curves.scratch.faces
    longest_a, longest_b = 0.0, 0.0
    for k in range(n):
        if k < of_a:
            longest_a = max(longest_a, faces[k].exists)
        else:
            longest_b = max(longest_b, faces[k].exists)
    corner_a, corner_b = smooth_step((1.0 - longest_a) / SHORT), smooth_step((1.0 - longest_b) / SHORT)
    more = max(corner_a, corner_b)
    of_faces_a, of_faces_b = (corner_b / more, corner_a / more) if more > 0.0 else (1.0, 1.0)
    for k in range(n):
        faces[k].exists = smooth_step(faces[k].exists / SHORT) * (of_faces_a if k < of_a else of_faces_b)
    total = 0.0
    for k in range(n):
        weight = faces[k].exists
        for m in range(n):
            if m != k:
                weight *= 1.0 - faces[m].exists * (1.0 - share_beside(faces[k].least, faces[m].least))
        faces[k].weight = weight
        total += weight
    for k in range(n):
        faces[k].weight = faces[k].weight / total if total > 0.0 else 0.0


@kernel(inline=True)
def share_beside(depth: float, least: float) -> float:
    """What a face of some depth has beside one of another depth: all if that is larger, nothing beyond SPARE."""
    if depth <= least:
        return 1.0
    if not least > 0.0:
        return 0.0
    return 1.0 - smooth_step((depth / least - 1.0) / SPARE)
