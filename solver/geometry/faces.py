"""Contact of a solid with a flat face of another: box, cylinder and frustum against a face of a box or an end.

The face is a rectangle or a disc with the outward normal n; z is the depth of a point below its plane.  Of the other
solid those faces count that look towards it (a cylinder's side too), each with the weight cos^2 of its tilt, less
`STEEP` and brought to the sum 1 (for a box the three cos^2 have the sum 1 as they are).  Of each of them:

    a flat face     the corners and arcs of the part above the rectangle or disc (`face_overlap`), weight 4 in all
    a side          the two ends of its lowest line above the rectangle or disc, weight 1 each, and towards either
                    end the point that bulges most below the straight line through these, with half of the rest of
                    its depth

A part narrower than its depth fades with its width, so that nothing jumps as it is lost.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .contact_points import OUT_OF_CAPACITY, chord, chord_growth, midway, put_point
from .face_overlap import Measures, cut, polygon_circle_region, polygon_region, two_circles_region
from .half_space import LEAST_TILT, lowest_direction
from .shapes import BOX, Solid, axis_of, is_round

STEEP = 0.1  # a face with cos^2 of its tilt below this does not count
ROUNDING = 1e-12  # relative
RIDGE = 0.05  # fraction of the depth that a side may rise towards the end of its line


class Face(NamedTuple):
    """A flat face of a solid."""

    centre: Vector
    normal: Vector  # outward
    x: Vector  # in the face
    y: Vector
    half_x: float  # radius of a disc
    half_y: float  # 0: a disc


class Load(NamedTuple):
    """How the points of a face enter the contact."""

    sense: float  # 1: the normal of the face is the direction of the force on shape i; -1: against it
    share: float  # part of the weight


@kernel(inline=True)
def face_of(solid: Solid, k: int) -> Face:
    """Face k of a box (2 axis + 0 or 1: -, +) or end k (0, 1) of a round solid."""
    size = solid.size
    sign = 1.0 if k % 2 == 1 else -1.0
    if solid.kind == BOX:
        axis = k // 2
        if axis == 0:
            normal, x, y, half, half_x, half_y = solid.x, solid.y, solid.z, size[0], size[1], size[2]
        elif axis == 1:
            normal, x, y, half, half_x, half_y = solid.y, solid.z, solid.x, size[1], size[2], size[0]
        else:
            normal, x, y, half, half_x, half_y = solid.z, solid.x, solid.y, size[2], size[0], size[1]
    else:
        normal, x, y, half, half_y = solid.z, solid.x, solid.y, size[2], 0.0
        half_x = size[1] if k == 1 else size[0]
    normal = scaled(sign, normal)
    # counter-clockwise about the outward normal
    return Face(plus(solid.centre, scaled(half, normal)), normal, x, scaled(sign, y), half_x, half_y)


@kernel(inline=True)
def faces_of(solid: Solid) -> int:
    """How many flat faces a solid has; an end without a radius is one all the same."""
    return 6 if solid.kind == BOX else 2


@kernel(inline=True)
def fading(width: float, whole: float, depth: float) -> float:
    """1, or less where a part of this width (of a face that is `whole` wide) is narrower than its depth."""
    least = min(depth, whole)
    return 1.0 if width >= least else width / least


@kernel
def outline_on(face: Face, incident: Face, polygon: Floats) -> int:
    """Corners of a rectangular face, carried along its normal into the plane of another; their number."""
    facing = dot(face.normal, incident.normal)
    for k in range(4):
        # the two faces look at each other: what runs clockwise in one runs counter-clockwise in the other
        sx = 1.0 if k == 0 or k == 3 else -1.0
        sy = -1.0 if k < 2 else 1.0
        corner = plus(face.centre, plus(scaled(sx * face.half_x, face.x), scaled(sy * face.half_y, face.y)))
        arm = minus(corner, incident.centre)
        arm = minus(arm, scaled(dot(arm, incident.normal) / facing, face.normal))
        polygon[k, 0], polygon[k, 1] = dot(arm, incident.x), dot(arm, incident.y)
    return 4


class Plane(NamedTuple):
    """Coordinates x, y in which two faces overlap, and the depth level + slope_x x + slope_y y in them."""

    origin: Vector
    x: Vector
    y: Vector
    level: float
    slope_x: float
    slope_y: float
    deep_x: float  # unit vector to where it is deepest
    deep_y: float
    lift: float  # 0: the coordinates are in the incident face; 1: in the other, the incident face lies deeper by z


@kernel
def overlap_on_rectangle(face: Face, incident: Face, polygons: Floats, rows: Floats) -> tuple[Plane, int, Measures]:
    """Part of a face above a rectangle, in the plane of the incident face."""
    normal = face.normal
    deepest = lowest_direction(incident.normal, normal, face.x)
    gx, gy = dot(deepest, incident.x), dot(deepest, incident.y)
    level, slope_x = dot(normal, minus(face.centre, incident.centre)), -dot(normal, incident.x)
    plane = Plane(incident.centre, incident.x, incident.y, level, slope_x, -dot(normal, incident.y), gx, gy, 0.0)
    if incident.half_y == 0.0:
        m = outline_on(face, incident, polygons[0])
        n, region = polygon_circle_region(polygons[0], m, incident.half_x, True, gx, gy, 0.0, 0.0, rows)
        return plane, n, region
    put_rectangle(polygons[0], incident.half_x, incident.half_y)
    m = cut_by_rectangle(face, plane.origin, plane.x, plane.y, polygons)
    n, region = polygon_region(polygons[0], m, gx, gy, rows)
    return plane, n, region


@kernel
def overlap_on_disc(face: Face, incident: Face, polygons: Floats, rows: Floats) -> tuple[Plane, int, Measures]:
    """Part of a face above a disc, seen along the normal of the disc, in its plane.

    A tilted disc is seen as an ellipse; the circle of its own radius that touches it where it is deepest stands for it.
    """
    facing = dot(incident.normal, face.normal)
    arm = minus(face.centre, incident.centre)
    level = dot(incident.normal, arm) / facing
    slope_x, slope_y = dot(incident.normal, face.x) / facing, dot(incident.normal, face.y) / facing
    steep = math.sqrt(slope_x * slope_x + slope_y * slope_y)
    gx, gy = slope_x + 1e-2 * max(0.0, LEAST_TILT - steep), slope_y
    length = math.sqrt(gx * gx + gy * gy)
    gx, gy = gx / length, gy / length
    at_x, at_y = -dot(arm, face.x), -dot(arm, face.y)
    if incident.half_y == 0.0:
        shift = incident.half_x * (1.0 + facing)
        at_x, at_y = at_x - shift * gx, at_y - shift * gy
        origin = plus(face.centre, plus(scaled(at_x, face.x), scaled(at_y, face.y)))
        level += slope_x * at_x + slope_y * at_y
        plane = Plane(origin, face.x, face.y, level, slope_x, slope_y, gx, gy, 1.0)
        n, region = two_circles_region(-at_x, -at_y, incident.half_x, face.half_x, gx, gy, rows)
        return plane, n, region
    corners = polygons[0]
    for k in range(4):
        # the two faces look at each other: clockwise in one is counter-clockwise in the other
        sx = incident.half_x if k == 0 or k == 3 else -incident.half_x
        sy = -incident.half_y if k < 2 else incident.half_y
        corners[k, 0] = at_x + sx * dot(incident.x, face.x) + sy * dot(incident.y, face.x)
        corners[k, 1] = at_y + sx * dot(incident.x, face.y) + sy * dot(incident.y, face.y)
    plane = Plane(face.centre, face.x, face.y, level, slope_x, slope_y, gx, gy, 1.0)
    n, region = polygon_circle_region(polygons[0], 4, face.half_x, False, gx, gy, slope_x, slope_y, rows)
    return plane, n, region


@kernel(inline=True)
def put_rectangle(polygon: Floats, a: float, b: float) -> None:
    polygon[0, 0], polygon[0, 1], polygon[1, 0], polygon[1, 1] = -a, -b, a, -b
    polygon[2, 0], polygon[2, 1], polygon[3, 0], polygon[3, 1] = a, b, -a, b


@kernel
def cut_by_rectangle(face: Face, origin: Vector, x: Vector, y: Vector, polygons: Floats) -> int:
    """The part of the rectangle in polygons[0], in these coordinates, that lies above a rectangular face."""
    arm = minus(face.centre, origin)
    at_x, at_y = dot(face.x, arm), dot(face.y, arm)
    xx, xy, yx, yy = dot(face.x, x), dot(face.x, y), dot(face.y, x), dot(face.y, y)
    m = cut(polygons[0], 4, xx, xy, face.half_x + at_x, polygons[1])
    m = cut(polygons[1], m, -xx, -xy, face.half_x - at_x, polygons[0])
    m = cut(polygons[0], m, yx, yy, face.half_y + at_y, polygons[1])
    return cut(polygons[1], m, -yx, -yy, face.half_y - at_y, polygons[0])


@kernel(inline=True)
def inside_by(face: Face, place: Vector) -> float:
    """How far inside the outline of a face a point lies that is above (or below) it; negative: outside."""
    arm = minus(place, face.centre)
    x, y = dot(arm, face.x), dot(arm, face.y)
    if face.half_y > 0.0:
        return min(face.half_x - abs(x), face.half_y - abs(y))
    return face.half_x - math.sqrt(x * x + y * y)


@kernel(inline=True)
def least_width(face: Face) -> float:
    """2 area/length of the outline of a face."""
    if face.half_y > 0.0:
        return 2 * face.half_x * face.half_y / (face.half_x + face.half_y)
    return face.half_x


@kernel
def flat_on_face(face: Face, incident: Face, load: Load, scratch: Record, points: Records, n: int) -> int:
    """Points of a flat face on another."""
    polygons, rows = scratch.polygons, scratch.rows
    normal = face.normal
    level = dot(normal, minus(face.centre, incident.centre))
    extent_y = incident.half_y if incident.half_y > 0.0 else incident.half_x
    if level + abs(dot(normal, incident.x)) * incident.half_x + abs(dot(normal, incident.y)) * extent_y <= 0.0:
        return n
    outward = scaled(load.sense, normal)
    if incident.half_x == 0.0:  # the apex of a cone
        share = load.share * min(inside_by(face, incident.centre) / level, 1.0)
        if share == 1.0:
            scratch.plain = 1
        area = share * math.pi * level * level
        return put_point(points, n, midway(incident.centre, normal, level), outward, level, share, area, 2.0)
    if face.half_y > 0.0:
        plane, count, region = overlap_on_rectangle(face, incident, polygons, rows)
    else:
        plane, count, region = overlap_on_disc(face, incident, polygons, rows)
    if count < 0:
        return OUT_OF_CAPACITY
    if count == 0 or region.length == 0.0:
        return n
    depth = plane.level + (plane.slope_x * plane.deep_x + plane.slope_y * plane.deep_y) * region.furthest
    if depth <= 0.0:
        return n
    whole = min(least_width(face), least_width(incident))
    share = load.share * fading(2 * region.area / region.length, whole, depth)
    if share == 1.0 and is_uncut(face, incident, region.area):
        scratch.plain = 1
    for k in range(count):
        x, y = rows[k, 0], rows[k, 1]
        z = min(plane.level + plane.slope_x * x + plane.slope_y * y, depth)
        if z > 0.0:
            place = plus(plane.origin, plus(scaled(x, plane.x), scaled(y, plane.y)))
            place = plus(place, scaled((0.5 - plane.lift) * z, normal))
            weight = share * rows[k, 2]
            n = put_point(points, n, place, outward, z, weight, 0.25 * weight * region.area, 0.0)
    return n


@kernel(inline=True)
def is_uncut(face: Face, incident: Face, area: float) -> bool:
    """Whether all of a face lies above another, when this is the area of the part that does."""
    if face.half_y == 0.0 and incident.half_y == 0.0:
        return False  # of discs the circle that stands for a tilted one is not its rim
    whole = math.pi * incident.half_x * incident.half_x
    if incident.half_y > 0.0:
        whole = 4 * incident.half_x * incident.half_y
    if face.half_y == 0.0:
        whole *= abs(dot(incident.normal, face.normal))  # in the plane of a disc
    return area >= whole * (1.0 - ROUNDING)


class Side(NamedTuple):
    """The lowest line of a round solid's side: middle + s along + y across, its curvature across ignored."""

    middle: Vector
    along: Vector  # length 1 along the axis: s runs from -half to half
    across: Vector  # unit vector
    half: float
    radius: float
    level: float  # depth of the middle
    slope: float  # of the depth along s
    rise: float  # cosine that turns what the section rises into depth


@kernel(inline=True)
def depth_on(side: Side, slope: float, s: float, y: float) -> float:
    """Depth at (s, y), if it had this slope along s."""
    square = side.radius * side.radius - y * y
    sagged = side.radius - math.sqrt(max(square, 0.0))
    return side.level + slope * s - side.rise * sagged


@kernel
def furthest_on(side: Side, slope: float, polygon: Floats, m: int) -> tuple[float, float]:
    """The point (s, y) on the outline of a polygon where `depth_on` is greatest."""
    best, best_s, best_y = -math.inf, 0.0, 0.0
    for i in range(m):
        k = i + 1 if i + 1 < m else 0
        s, y = polygon[i, 0], polygon[i, 1]
        ds, dy = polygon[k, 0] - s, polygon[k, 1] - y
        depth = depth_on(side, slope, s, y)
        if depth > best:
            best, best_s, best_y = depth, s, y
        if dy != 0.0:
            ratio = slope * ds / (side.rise * dy)
            t = (side.radius * ratio / math.sqrt(1.0 + ratio * ratio) - y) / dy
            if 0.0 < t < 1.0:
                s, y = s + t * ds, y + t * dy
                depth = depth_on(side, slope, s, y)
                if depth > best:
                    best, best_s, best_y = depth, s, y
    return best_s, best_y


@kernel
def side_on_rectangle(side: Side, face: Face, polygons: Floats) -> int:
    """The part of the side (its curvature ignored) above a rectangle, as a polygon in s, y in polygons[0]."""
    put_rectangle(polygons[0], side.half, side.radius * (1.0 - 1e-9))
    return cut_by_rectangle(face, side.middle, side.along, side.across, polygons)


@kernel(inline=True)
def put_on_side(
    points: Records, n: int, side: Side, face: Face, sense: float, s: float, y: float, weight: float, length: float
) -> int:
    """A point of the side, with this length of it."""
    z = depth_on(side, side.slope, s, y)
    sagged = (depth_on(side, side.slope, s, 0.0) - z) / side.rise
    place = plus(side.middle, plus(scaled(s, side.along), scaled(y, side.across)))
    place = plus(place, scaled(side.rise * sagged, face.normal))
    area = weight * length * chord(side.radius, max(z, 0.0))
    growth, outward = chord_growth(side.radius, z), scaled(sense, face.normal)
    return put_point(points, n, midway(place, face.normal, z), outward, z, weight, area, growth)


@kernel
def side_on_face(side: Side, face: Face, load: Load, scratch: Record, points: Records, n: int) -> int:
    """Points of the side of a round solid on a face."""
    if side.level + abs(side.slope) * side.half <= 0.0:
        return n
    polygons = scratch.polygons
    m, slope, left_y, right_y = 0, 0.0, 0.0, 0.0
    if face.half_y > 0.0:
        m = side_on_rectangle(side, face, polygons)
        if m < 3:
            return n if m >= 0 else OUT_OF_CAPACITY
        deep_s, deep_y = furthest_on(side, side.slope, polygons[0], m)
        depth = depth_on(side, side.slope, deep_s, deep_y)
        if depth <= 0.0:
            return n
        slope = side.rise * math.sqrt(2 * RIDGE * min(depth, side.radius) / side.radius)
        right, right_y = furthest_on(side, slope, polygons[0], m)
        left, left_y = furthest_on(side, -slope, polygons[0], m)
    else:
        # the chord of the disc that lies under the line
        arm = minus(face.centre, side.middle)
        long = dot(side.along, side.along) - dot(side.along, face.normal) ** 2
        middle, off = dot(arm, side.along) - dot(arm, face.normal) * dot(side.along, face.normal), dot(arm, side.across)
        square = face.half_x * face.half_x - off * off
        if square <= 0.0:
            return n
        reach, middle = math.sqrt(square / long), middle / long
        left, right = max(middle - reach, -side.half), min(middle + reach, side.half)
        if right <= left:
            return n
        deep_s = right if side.slope > 0.0 else left
        depth = side.level + side.slope * deep_s
        if depth <= 0.0:
            return n
    share = load.share * fading(right - left, 2 * side.half, depth)
    straight = abs(left_y) <= ROUNDING * side.radius and abs(right_y) <= ROUNDING * side.radius
    if share == 1.0 and straight and right - left >= 2 * side.half * (1.0 - ROUNDING):
        scratch.plain = 1
    part = 0.5 * (right - left)
    n = put_on_side(points, n, side, face, load.sense, left, left_y, share, part)
    n = put_on_side(points, n, side, face, load.sense, right, right_y, share, part)
    z_left = max(0.0, depth_on(side, side.slope, left, left_y))
    z_right = max(0.0, depth_on(side, side.slope, right, right_y))
    length = right - left
    if length > 0.0 and (left_y != 0.0 or right_y != 0.0):
        # towards either end, where the side bulges most below the straight line
        rise = (z_right - z_left) / length
        for end in range(2):
            s, y = furthest_on(side, side.slope - rise + (slope if end == 1 else -slope), polygons[0], m)
            bulge = 0.5 * (depth_on(side, side.slope, s, y) - z_left - (s - left) * rise)
            if bulge > 1e-12 * depth:
                n = put_on_side(points, n, side, face, load.sense, s, y, share * bulge / depth, part)
    return n


@kernel(inline=True)
def flatness(cosine: float) -> float:
    """How much a face counts whose normal has this cosine with that of the other."""
    return max(0.0, cosine * cosine - STEEP) if cosine < 0.0 else 0.0


@kernel
def side_of(solid: Solid, face: Face) -> tuple[Side, float]:
    """The lowest line of the side of a round solid above a face, and the cosine of its normal with the face's."""
    bottom, top, half = solid.size
    along = dot(solid.z, face.normal)
    down = minus(scaled(along, solid.z), face.normal)
    tilt = math.sqrt(dot(down, down))
    down = scaled(1.0 / tilt if tilt > 0.0 else 0.0, down)
    radius = 0.5 * (bottom + top)
    middle = plus(solid.centre, scaled(radius, down))
    line = plus(solid.z, scaled((top - bottom) / (2 * half), down))
    level = dot(face.normal, minus(face.centre, middle))
    slant = math.sqrt(4 * half * half + (top - bottom) ** 2)
    cosine = ((bottom - top) * along - 2 * half * tilt) / slant
    return Side(middle, line, cross(solid.z, down), half, radius, level, -dot(face.normal, line), tilt), cosine


@kernel
def solid_on_face(solid: Solid, face: Face, load: Load, scratch: Record, points: Records, n: int) -> int:
    """Points of a box, cylinder or frustum on a flat face of another solid, behind the n there are."""
    first = 0 if solid.kind == BOX else 2
    total = 0.0
    for axis in range(first, 3):
        total += flatness(-abs(dot(axis_of(solid, axis), face.normal)))
    of_side = 0.0
    if is_round(solid.kind):
        side, cosine = side_of(solid, face)
        of_side = flatness(cosine)
        if of_side > 0.0:
            part = Load(load.sense, load.share * of_side / (of_side + total))
            n = side_on_face(side, face, part, scratch, points, n)
        elif total == 0.0:
            total = -1.0  # a flat cone on its rim: its end counts all the same
    for axis in range(first, 3):
        cosine = dot(axis_of(solid, axis), face.normal)
        of_face = flatness(-abs(cosine)) if total >= 0.0 else -1.0
        if of_face != 0.0:
            part = Load(load.sense, load.share * of_face / (of_side + total))
            upper = 1 if cosine < 0.0 else 0
            incident = face_of(solid, 2 * axis + upper if first == 0 else upper)
            n = flat_on_face(face, incident, part, scratch, points, n)
    return n
