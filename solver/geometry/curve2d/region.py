"""The contact points of one region of overlap.

With the area A of the region, its centroid c and its chord L, the distance of the two crossings that bound it:

    stability s > 0   where the depth z less the energy of a spring to c, s k/2 |x - c|^2, is largest, k = 12 A/L^3:
                      the relative curvature of two parabolas that have this area and this chord.  z is the depth there;
                      the normal is that of the greatest depth
    s = 0             c, with z = A/L and the normal of the chord

(Altair MotionSolve reference, Force_Contact, comment 9.)  The depth is that of a point of one curve in the other, from
the nearest point of that; of the curve with corners, if one has any within the region.  Where both have, `corners` says
which faces push; where the region is wide in several places, `lobes` has a point for each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import plus, scaled
from ..contact_points import OUT_OF_CAPACITY, put_point
from .arcs import Arc, Side, last_of, part_of, row_of
from .corners import find_faces, weigh_faces
from .curves import PlaneCurves
from .deepest import FREE, NOT_FOUND, Pull, Touch, find_deepest, find_smooth
from .foot import ON_CURVE, Master
from .lobes import count_lobes, find_lobes, has_one_lobe, measure_lobes, pull_on, weigh_lobes
from .planes import Point

GROWTH = 0.5  # of the chord with the depth: the power of z


class Plane(NamedTuple):
    """The common plane: where its axes are in space."""

    origin: Vector
    x: Vector
    y: Vector


class Region(NamedTuple):
    """A region of overlap.

    x, y : centroid; origin : the crossing at which A enters B; pierced : parts of the curves come out on the far side
    width : of the curves, along z
    """

    area: float
    x: float
    y: float
    chord: float
    origin: Point
    pierced: bool
    width: float
    stability: float


@kernel(inline=True)
def spring_of(region: Region) -> Pull:
    """The spring to the centroid."""
    cube = region.chord * region.chord * region.chord
    return Pull(region.x, region.y, region.stability * 12.0 * region.area / cube)


@kernel(inline=True)
def put_side(
    curves: PlaneCurves, side: Side, master: Master, region: Region, plane: Plane, sign: float, points: Records, n: int
) -> int:
    """Write where one curve lies in the other behind the n points there are; their new number, or OUT_OF_CAPACITY.

    master : without corners that stick out.  sign : 1 where `side` is that of curve A, -1 where it is the master
    """
    segments, arc, pose = curves.segments, side.arc, side.pose
    if region.pierced or not has_one_lobe(segments, arc, master):
        count = count_lobes(curves, arc, pose, master)
        if count != 1:
            return put_lobes(curves, side, master, region, plane, sign, count, points, n)
    pull, corner = spring_of(region), first_corner(segments, arc)
    touch = NOT_FOUND
    if master.kind == ON_CURVE and corner < 0:
        touch = find_smooth(segments, side, Side(master.arc, master.pose), pull)
    if not touch.found:
        start = float(corner) if corner >= 0 else 0.5 * (arc.begin + arc.end)
        opposite = 0.5 * (master.arc.begin + master.arc.end)
        deepest = find_deepest(segments, arc, pose, master, FREE, start, opposite)
        held = find_deepest(segments, arc, pose, master, pull, deepest.at, deepest.foot.at)
        touch = Touch(True, held.x, held.y, held.foot.depth, deepest.foot.normal_x, deepest.foot.normal_y)
    place = touch.x + 0.5 * touch.depth * touch.normal_x, touch.y + 0.5 * touch.depth * touch.normal_y
    normal, size = (sign * touch.normal_x, sign * touch.normal_y), region.chord * region.width
    return put_in_space(plane, place, normal, touch.depth, 1.0, size, points, n)


@kernel
def put_lobes(
    curves: PlaneCurves, side: Side, master: Master, region: Region, plane: Plane, sign: float, count: int,
    points: Records, n: int,
) -> int:  # fmt: skip
    """The same of a region that is wide in several places; count : of them, as noted, -1 beyond the capacity."""
    arc, lobes = side.arc, curves.scratch.lobes
    if count < 0:
        return OUT_OF_CAPACITY
    find_lobes(curves, count, arc, side.pose, master)
    measure_lobes(curves, count, arc, side.pose, master, region.origin)
    weigh_lobes(curves, count)
    for k in range(count):
        lobe = lobes[k]
        pull = pull_on(curves, count, k, region.origin, region.chord, region.stability)
        shift = math.floor(lobe.begin)
        part = part_of(arc, lobe.begin, lobe.end)
        held = find_deepest(curves.segments, part, side.pose, master, pull, lobe.place - shift, lobe.on_master)
        depth = held.foot.depth
        place = held.x + 0.5 * depth * lobe.normal_x, held.y + 0.5 * depth * lobe.normal_y
        normal = sign * lobe.normal_x, sign * lobe.normal_y
        size = lobe.weight * lobe.chord * region.width
        n = put_in_space(plane, place, normal, depth, lobe.weight, size, points, n)
    return n


@kernel
def put_faces(
    curves: PlaneCurves, one: Side, other: Side, region: Region, plane: Plane, points: Records, n: int
) -> int:
    """Write a point for each face that pushes behind the n there are; their new number, or OUT_OF_CAPACITY."""
    pull, size = spring_of(region), region.chord * region.width
    of_a = find_faces(curves, one, other, pull, -1.0, 0)
    count = find_faces(curves, other, one, pull, 1.0, of_a) if of_a >= 0 else -1
    if count < 0:
        return OUT_OF_CAPACITY
    weigh_faces(curves, of_a, count)
    for k in range(count):
        face = curves.scratch.faces[k]
        n = put_in_space(plane, (face.x, face.y), (face.normal_x, face.normal_y), face.depth, face.weight,
                         face.weight * size, points, n)  # fmt: skip
    return n


@kernel(inline=True)
def put_in_space(
    plane: Plane, place: Point, normal: Point, depth: float, weight: float, size: float, points: Records, n: int
) -> int:
    """Write a point of the plane; the normal is that of the force on curve A."""
    at = plus(plane.origin, plus(scaled(place[0], plane.x), scaled(place[1], plane.y)))
    push = plus(scaled(normal[0], plane.x), scaled(normal[1], plane.y))
    return put_point(points, n, at, push, depth, weight, size, GROWTH)


@kernel(inline=True)
def first_corner(segments: Records, arc: Arc) -> int:
    """Place of the first corner that sticks out on an arc, -1 without any."""
    for k in range(1, last_of(arc) + 1):
        if segments[row_of(arc, k)].corner > 0.0:
            return k
    return -1
