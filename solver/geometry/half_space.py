"""Contact of every shape with a half space.

Each corner of the shape below the plane is a point of weight 1, with its own depth:

    sphere, ellipsoid    its lowest point
    box                  its corners: four when it stands, two on an edge, one on a corner
    cylinder, frustum    of each rim the lowest point, the highest and the two half way between: four when it stands,
                         one at each end when it lies; a radius of zero makes one point, the apex

So a standing box or cylinder is carried by four times the law at its depth.  The depths of the points of a rim are
those of stationary points of the whole rim: turning the body about its own axis changes nothing at all, the force is
the gradient of an energy, and the points of a tilted rim are found from the direction it tilts to.  Where that
direction has no meaning (tilt below 1e-8) it is eased over to the x axis of the plane, so that a spinning cylinder
stands on points that do not move.
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .contact_points import (
    NO_POINTS,
    chord,
    chord_growth,
    midway,
    put_gap,
    put_point,
    spherical_area,
    spherical_growth,
    status_of,
)
from .shapes import BOX, SPHERE, Solid, is_round, normalised, out_of_axes, reach, support

LEAST_TILT = 1e-8  # a tilt (sine) below this takes its direction from elsewhere


@kernel(inline=True)
def gap_above(i: Solid, plane: Solid) -> tuple[float, Vector]:
    """Gap of a bounded solid i and a half space, and the normal from the half space to i."""
    normal = plane.z
    height = dot(normal, minus(i.centre, plane.centre))
    return height - reach(i, scaled(-1.0, normal)), normal


@kernel
def plane_gap(i: Solid, plane: Solid, scratch: Record) -> int:
    """Gap of a bounded solid i and a half space.

    It is taken between the lowest point of the solid (the middle of them where there are several) and its foot.
    """
    gap, normal = gap_above(i, plane)
    on_i = middle_of_support(i, scaled(-1.0, normal))
    return put_gap(scratch, gap, normal, on_i, minus(on_i, scaled(gap, normal)))


@kernel
def middle_of_support(solid: Solid, d: Vector) -> Vector:
    """Middle of the points of a solid that lie furthest along d: of a face, an edge, a generator, or the point."""
    if solid.kind == BOX:
        a, b, c = solid.size
        x, y, z = dot(solid.x, d), dot(solid.y, d), dot(solid.z, d)
        arm = (
            math.copysign(a, x) if abs(x) > 1e-12 else 0.0,
            math.copysign(b, y) if abs(y) > 1e-12 else 0.0,
            math.copysign(c, z) if abs(z) > 1e-12 else 0.0,
        )
        return plus(solid.centre, out_of_axes(solid, arm))
    if is_round(solid.kind):
        bottom, top, half = solid.size
        along = dot(solid.z, d)
        across = minus(d, scaled(along, solid.z))
        length = math.sqrt(dot(across, across))
        if length < 1e-12:
            return plus(solid.centre, scaled(math.copysign(half, along), solid.z))
        if abs(2 * half * along + (top - bottom) * length) < 1e-12 * half:
            return plus(solid.centre, scaled(0.5 * (bottom + top) / length, across))
    return support(solid, d)


@kernel(inline=True)
def lowest_direction(axis: Vector, normal: Vector, elsewhere: Vector) -> Vector:
    """Unit vector across the axis of a rim to its lowest point.

    axis, normal, elsewhere : unit vectors, the last at right angles to the normal: where the rim lies level
    """
    along = dot(axis, normal)
    down = minus(scaled(along, axis), normal)
    tilt = math.sqrt(dot(down, down))
    if tilt < LEAST_TILT:
        level = minus(elsewhere, scaled(dot(axis, elsewhere), axis))
        down = plus(down, scaled(1e-2 * (LEAST_TILT - tilt), level))
    down = normalised(down)
    # what rounding left along the axis is no longer small
    return normalised(minus(down, scaled(dot(axis, down), axis)))


@kernel
def box_on_plane(box: Solid, plane: Solid, points: Records) -> int:
    normal = plane.z
    a, b, c = box.size
    # what a step along an axis of the box changes in depth
    da, db, dc = -a * dot(box.x, normal), -b * dot(box.y, normal), -c * dot(box.z, normal)
    depth = -dot(normal, minus(box.centre, plane.centre))
    if depth + abs(da) + abs(db) + abs(dc) <= 0.0:
        return 0
    # the face that lies flattest lends its area
    area = 0.25 * face_area(box, normal)
    n = 0
    for corner in range(8):
        sx = 1.0 if corner & 1 else -1.0
        sy = 1.0 if corner & 2 else -1.0
        sz = 1.0 if corner & 4 else -1.0
        z = depth + (sx * da + sy * db + sz * dc)
        if z > 0.0:
            place = plus(box.centre, out_of_axes(box, (sx * a, sy * b, sz * c)))
            n = put_point(points, n, midway(place, normal, z), normal, z, 1.0, area, 0.0)
    return n


@kernel(inline=True)
def face_area(solid: Solid, normal: Vector) -> float:
    """Areas of the faces of a box seen along a normal, weighted with cosine^2."""
    a, b, c = solid.size
    x, y, z = dot(solid.x, normal), dot(solid.y, normal), dot(solid.z, normal)
    return 4 * (b * c * x * x + a * c * y * y + a * b * z * z)


@kernel
def round_on_plane(i: Solid, plane: Solid, points: Records) -> int:
    normal = plane.z
    bottom, top, half = i.size
    above = dot(normal, minus(i.centre, plane.centre))
    along = dot(i.z, normal)
    if above >= abs(along) * half + max(bottom, top):
        return 0
    first = lowest_direction(i.z, normal, plane.x)
    second = cross(i.z, first)
    flat, leaning = 0.25 * math.pi * along * along, half * max(0.0, 1.0 - along * along)
    n = 0
    for end in range(2):
        radius, axial = (bottom, -half) if end == 0 else (top, half)
        level = -above - axial * along
        middle = plus(i.centre, scaled(axial, i.z))
        if radius == 0.0:
            tip = math.pi * level * level
            n = put_point(points, n, midway(middle, normal, level), normal, level, 1.0, tip, 2.0)
            continue
        for quarter in range(4):
            across = first if quarter % 2 == 0 else second
            sign = radius if quarter < 2 else -radius
            z = level - sign * dot(across, normal)
            if z > 0.0:
                place = plus(middle, scaled(sign, across))
                of_side = leaning * chord(radius, z) if quarter == 0 else 0.0
                area = flat * radius * radius + of_side
                growth = of_side / area * chord_growth(radius, z) if of_side > 0.0 else 0.0
                n = put_point(points, n, midway(place, normal, z), normal, z, 1.0, area, growth)
    return n


@kernel
def plane_points(i: Solid, plane: Solid, scratch: Record, points: Records) -> int:
    """Contact points of a bounded solid i with a half space.

    The area is that of the section for a sphere and an ellipsoid.  Of a box each point has a quarter of the face that
    lies flat (a mean of the faces, weighted with their cosine^2); of a round solid a quarter of its end by cosine^2,
    and the lowest point of each rim by sine^2 half of what the side has, chord times length; an apex has pi depth^2.
    """
    if i.kind == BOX:
        return status_of(box_on_plane(i, plane, points))
    if is_round(i.kind):
        return status_of(round_on_plane(i, plane, points))
    gap, normal = gap_above(i, plane)
    if gap >= 0.0:
        return NO_POINTS
    down = scaled(-1.0, normal)
    a, b, c = i.size
    area, growth = spherical_area(a, -gap), spherical_growth(a, -gap)
    if i.kind != SPHERE:
        # the section at a depth of an ellipsoid that reaches by h: that of a sphere of radius h, by a b c/h^3
        height = reach(i, down)
        area = a * b * c / (height * height * height) * spherical_area(height, -gap)
        growth = spherical_growth(height, -gap)
    place = midway(support(i, down), normal, -gap)
    return status_of(put_point(points, 0, place, normal, -gap, 1.0, area, growth))
