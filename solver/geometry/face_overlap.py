"""The overlap of two faces that lie (nearly) flat on each other, as points with weights.

A convex outline turns by 2 pi on its way round.  Each of its corners gets the weight (exterior angle)/(pi/2), so that
all weights together are 4 and a corner of a box has weight 1.  When an edge of the other face cuts a corner off, its
weight is shared between the two corners that take its place and nothing jumps.  An arc turns all along: it is cut into
four sectors about the direction in which the overlap is deepest, and the turning within each sector is the weight of
the point in its middle.  A whole circle therefore has four points of weight 1, the deepest point of the rim among them.
(The middle of a sector may lie beyond a part that is cut off; its depth is then limited to that of the region.)  Arcs
that bound the face below, not the rim that lies on it, have points along their own length.

A region is stored as rows x, y, weight; polygons run counter-clockwise.  Where an array is too short for all rows or
corners their number is OUT_OF_CAPACITY, and stays so whatever is added.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Floats
from ..core.jit.kernels import kernel
from .contact_points import OUT_OF_CAPACITY

MOST_ROWS = 40
MOST_CORNERS = 16
QUARTER = 0.5 * math.pi
TURN = 2 * math.pi
CONCENTRIC = 0.25  # of the smaller radius: nearer centres of two circles are near to each other
GAUSS_NODE, GAUSS_MIDDLE = math.sqrt(0.6), 4 / 9


class Measures(NamedTuple):
    """Of a region."""

    area: float
    length: float  # of its outline
    furthest: float  # how far it reaches along the direction (gx, gy)


NOTHING = Measures(0.0, 0.0, -math.inf)


@kernel
def cut(polygon: Floats, n: int, a: float, b: float, c: float, result: Floats) -> int:
    """Part of a polygon of n corners with a x + b y <= c (J. Sutherland and G. Hodgman, 1974); its corners' number."""
    m = 0 if n >= 0 else OUT_OF_CAPACITY
    for i in range(n):
        k = i + 1 if i + 1 < n else 0
        here = c - a * polygon[i, 0] - b * polygon[i, 1]
        there = c - a * polygon[k, 0] - b * polygon[k, 1]
        if here >= 0.0:
            m = put_corner(result, m, polygon[i, 0], polygon[i, 1])
        if (here > 0.0 and there < 0.0) or (here < 0.0 and there > 0.0):
            t = here / (here - there)
            x = polygon[i, 0] + t * (polygon[k, 0] - polygon[i, 0])
            y = polygon[i, 1] + t * (polygon[k, 1] - polygon[i, 1])
            m = put_corner(result, m, x, y)
    return m


@kernel(inline=True)
def put_corner(polygon: Floats, m: int, x: float, y: float) -> int:
    """Write a corner behind the m there are; returns their new number."""
    if m < 0 or m >= len(polygon):
        return OUT_OF_CAPACITY
    polygon[m, 0], polygon[m, 1] = x, y
    return m + 1


@kernel(inline=True)
def turning(ax: float, ay: float, bx: float, by: float) -> float:
    """Angle from one direction to the next of a convex outline, >= 0."""
    return max(0.0, math.atan2(ax * by - ay * bx, ax * bx + ay * by))


@kernel(inline=True)
def turning_seen(ax: float, ay: float, bx: float, by: float, slope_x: float, slope_y: float) -> float:
    """The same on a plane with this slope, seen along the normal of the coordinates: in [0, 2 pi)."""
    square = 1.0 + slope_x * slope_x + slope_y * slope_y
    along = ax * bx + ay * by + (slope_x * ax + slope_y * ay) * (slope_x * bx + slope_y * by)
    angle = math.atan2(math.sqrt(square) * (ax * by - ay * bx), along)
    return angle if angle >= 0.0 else angle + TURN


@kernel(inline=True)
def corner_seen(ax: float, ay: float, bx: float, by: float, slope_x: float, slope_y: float) -> float:
    """Exterior angle of a corner, which is never more than pi; nothing rather than a whole turn within rounding."""
    angle = turning_seen(ax, ay, bx, by, slope_x, slope_y)
    return angle if angle <= math.pi else 0.0


@kernel(inline=True)
def arc_seen(start: float, length: float, slope_x: float, slope_y: float) -> float:
    """Turning of an arc on such a plane, as a multiple of its angle."""
    if (slope_x == 0.0 and slope_y == 0.0) or length < 1e-6 or length > TURN - 1e-6:
        return 1.0
    end = start + length
    turn = turning_seen(-math.sin(start), math.cos(start), -math.sin(end), math.cos(end), slope_x, slope_y)
    return turn / length


@kernel(inline=True)
def put_row(rows: Floats, n: int, x: float, y: float, weight: float) -> int:
    """Write a row behind the n there are, unless it has no weight; returns their new number."""
    if n < 0 or not weight > 0.0:
        return n
    if n >= len(rows):
        return OUT_OF_CAPACITY
    rows[n, 0], rows[n, 1], rows[n, 2] = x, y, weight
    return n + 1


@kernel
def put_arc(
    rows: Floats,
    n: int,
    x: float,
    y: float,
    radius: float,
    start: float,
    length: float,
    deepest: float,
    own: bool,
    turn: float,
) -> int:
    """Rows of an arc about (x, y) from the angle `start` on.

    own : the arc is of the rim that lies on the face: sectors about the angle `deepest`; else it bounds the face, and
    each sector's part has the three points of Gauss's rule
    turn : turning of the arc, as a multiple of its angle
    """
    first = start - deepest + 0.5 * QUARTER
    sector = math.floor(first / QUARTER)
    at, end = first, first + length
    while at < end:
        upto = min((sector + 1) * QUARTER, end)
        weight = turn * max(0.0, upto - at) / QUARTER
        if own:
            angle = deepest + sector * QUARTER
            n = put_row(rows, n, x + radius * math.cos(angle), y + radius * math.sin(angle), weight)
        else:
            for k in range(-1, 2):
                angle = deepest - 0.5 * QUARTER + 0.5 * (at + upto) + k * GAUSS_NODE * 0.5 * (upto - at)
                part = GAUSS_MIDDLE if k == 0 else 0.5 * (1.0 - GAUSS_MIDDLE)
                n = put_row(rows, n, x + radius * math.cos(angle), y + radius * math.sin(angle), part * weight)
        at = upto
        sector += 1
    return n


@kernel
def circle_region(x: float, y: float, radius: float, gx: float, gy: float, rows: Floats) -> tuple[int, Measures]:
    """Rows of a whole circle, its area and its outline's length; (gx, gy) unit vector to where it is deepest."""
    if len(rows) < 4:
        return OUT_OF_CAPACITY, NOTHING
    for k in range(4):
        rows[k, 0], rows[k, 1], rows[k, 2] = x + radius * gx, y + radius * gy, 1.0
        gx, gy = -gy, gx
    return 4, Measures(math.pi * radius * radius, TURN * radius, gx * x + gy * y + radius)


@kernel
def polygon_region(polygon: Floats, m: int, gx: float, gy: float, rows: Floats) -> tuple[int, Measures]:
    """Rows of a polygon of m corners, its area and its outline's length."""
    if m < 3:
        return min(m, 0), NOTHING
    n, area, length, furthest = 0, 0.0, 0.0, -math.inf
    # corners that coincide are one: take directions from edges that have a length
    last = m - 1
    for i in range(m):
        k = i + 1 if i + 1 < m else 0
        dx, dy = polygon[k, 0] - polygon[i, 0], polygon[k, 1] - polygon[i, 1]
        length += math.sqrt(dx * dx + dy * dy)
        area += 0.5 * (polygon[i, 0] * polygon[k, 1] - polygon[i, 1] * polygon[k, 0])
        furthest = max(furthest, gx * polygon[i, 0] + gy * polygon[i, 1])
    ex, ey, found = 0.0, 0.0, False
    for back in range(m):
        i = last - back
        k = i + 1 if i + 1 < m else 0
        ex, ey = polygon[k, 0] - polygon[i, 0], polygon[k, 1] - polygon[i, 1]
        if ex * ex + ey * ey > 0.0:
            found = True
            break
    if not found:
        return 0, NOTHING
    for i in range(m):
        k = i + 1 if i + 1 < m else 0
        dx, dy = polygon[k, 0] - polygon[i, 0], polygon[k, 1] - polygon[i, 1]
        if dx * dx + dy * dy > 0.0:
            n = put_row(rows, n, polygon[i, 0], polygon[i, 1], turning(ex, ey, dx, dy) / QUARTER)
            ex, ey = dx, dy
    return n, Measures(max(area, 0.0), length, furthest)


@kernel
def polygon_circle_region(
    polygon: Floats,
    m: int,
    radius: float,
    own: bool,
    gx: float,
    gy: float,
    slope_x: float,
    slope_y: float,
    rows: Floats,
) -> tuple[int, Measures]:
    """Rows of the overlap of a polygon of m corners and a disc about the origin, its area and its outline's length.

    own : as for `put_arc`; slope_x, slope_y : angles are those on a plane with this slope
    """
    deepest = math.atan2(gy, gx)
    n, area, length, turned, furthest = 0, 0.0, 0.0, 0.0, -math.inf
    first_in, last_out, crossed, around = 0.0, 0.0, False, True
    entered_first = False
    square = radius * radius
    for i in range(m):
        k = i + 1 if i + 1 < m else 0
        px, py = polygon[i, 0], polygon[i, 1]
        qx, qy = polygon[k, 0], polygon[k, 1]
        dx, dy = qx - px, qy - py
        if px * dy - py * dx < 0.0:
            around = False  # the centre of the disc lies outside this edge
        long = dx * dx + dy * dy
        inside_p, inside_q = px * px + py * py < square, qx * qx + qy * qy < square
        if long == 0.0:
            continue
        middle = -(px * dx + py * dy) / long
        nx, ny = px + middle * dx, py + middle * dy
        half = math.sqrt(max(0.0, square - nx * nx - ny * ny) / long)
        enter = 0.0 if inside_p else min(max(middle - half, 0.0), 1.0)
        leave = 1.0 if inside_q else min(max(middle + half, 0.0), 1.0)
        if not (inside_p or inside_q) and not (leave > enter and half > 0.0 and 0.0 < middle < 1.0):
            continue
        ax, ay, bx, by = px + enter * dx, py + enter * dy, px + leave * dx, py + leave * dy
        area += 0.5 * (ax * by - ay * bx)
        length += (leave - enter) * math.sqrt(long)
        furthest = max(furthest, gx * ax + gy * ay, gx * bx + gy * by)
        if not inside_p:
            angle = math.atan2(ay, ax)
            corner = corner_seen(-ay, ax, dx, dy, slope_x, slope_y)
            n = put_row(rows, n, ax, ay, corner / QUARTER)
            turned += corner
            if crossed:
                swept = arc_length(last_out, angle)
                seen = arc_seen(last_out, swept, slope_x, slope_y)
                n = put_arc(rows, n, 0.0, 0.0, radius, last_out, swept, deepest, own, seen)
                area, length, turned = area + 0.5 * square * swept, length + radius * swept, turned + swept
                if arc_length(last_out, deepest) < swept:
                    furthest = radius
                crossed = False
            else:
                first_in, entered_first = angle, True
        if inside_q:
            j = k + 1 if k + 1 < m else 0
            for _ in range(m):
                ex, ey = polygon[j, 0] - polygon[k, 0], polygon[j, 1] - polygon[k, 1]
                if ex * ex + ey * ey > 0.0:
                    break
                j = j + 1 if j + 1 < m else 0
            corner = corner_seen(dx, dy, ex, ey, slope_x, slope_y)
            n = put_row(rows, n, polygon[k, 0], polygon[k, 1], corner / QUARTER)
            turned += corner
        else:
            corner = corner_seen(dx, dy, -by, bx, slope_x, slope_y)
            n = put_row(rows, n, bx, by, corner / QUARTER)
            turned += corner
            last_out, crossed = math.atan2(by, bx), True
    if crossed and entered_first:
        swept = arc_length(last_out, first_in)
        if turned + swept > 1.5 * TURN:
            swept = 0.0  # the two ends of no arc at all, in the wrong order by rounding
        seen = arc_seen(last_out, swept, slope_x, slope_y)
        n = put_arc(rows, n, 0.0, 0.0, radius, last_out, swept, deepest, own, seen)
        area, length = area + 0.5 * square * swept, length + radius * swept
        if arc_length(last_out, deepest) < swept:
            furthest = radius
    if n == 0 and around and m >= 3:
        return circle_region(0.0, 0.0, radius, gx, gy, rows)
    return n, Measures(max(area, 0.0), length, furthest)


@kernel(inline=True)
def arc_length(start: float, end: float) -> float:
    """From one angle counter-clockwise to the next; nothing rather than a whole turn within rounding."""
    length = end - start
    if length < 0.0:
        length += TURN
    return length


@kernel
def two_circles_region(
    x: float, y: float, radius: float, other: float, gx: float, gy: float, rows: Floats
) -> tuple[int, Measures]:
    """As above for a disc about the origin and one of radius `other` about (x, y).

    While their centres are near to each other both arcs are cut into the same sectors: so the points of two equal
    discs go over into the four of a whole circle, and have their middle in its centre.
    """
    distance = math.sqrt(x * x + y * y)
    if distance >= radius + other:
        return 0, NOTHING
    if distance <= abs(radius - other):
        if radius <= other:
            return circle_region(0.0, 0.0, radius, gx, gy, rows)
        return circle_region(x, y, other, gx, gy, rows)
    if len(rows) < 4:
        return OUT_OF_CAPACITY, NOTHING
    deepest = math.atan2(gy, gx)
    cx, cy = x / distance, y / distance
    foot = 0.5 * (distance * distance + radius * radius - other * other) / distance
    rise = math.sqrt(max(0.0, radius * radius - foot * foot))
    towards, half_own = math.atan2(cy, cx), math.atan2(rise, foot)
    half_other = math.atan2(rise, distance - foot)
    corner = math.pi - half_own - half_other
    rows[0, 0], rows[0, 1] = foot * cx - rise * cy, foot * cy + rise * cx
    rows[1, 0], rows[1, 1] = foot * cx + rise * cy, foot * cy - rise * cx
    rows[0, 2] = rows[1, 2] = corner / QUARTER
    furthest = max(gx * rows[0, 0] + gy * rows[0, 1], gx * rows[1, 0] + gy * rows[1, 1])
    # the deepest point of an arc, if its direction lies within it
    if gx * cx + gy * cy > math.cos(half_own):
        furthest = radius
    if -gx * cx - gy * cy > math.cos(half_other):
        furthest = gx * x + gy * y + other
    n = put_arc(rows, 2, 0.0, 0.0, radius, towards - half_own, 2 * half_own, deepest, True, 1.0)
    start, nearly = towards + math.pi - half_other, max(0.0, 1.0 - distance / (CONCENTRIC * min(radius, other)))
    n = put_arc(rows, n, x, y, other, start, 2 * half_other, deepest, True, nearly)
    n = put_arc(rows, n, x, y, other, start, 2 * half_other, deepest, False, 1.0 - nearly)
    area = radius * radius * half_own + other * other * half_other - distance * rise
    return n, Measures(max(area, 0.0), 2 * (radius * half_own + other * half_other), furthest)
