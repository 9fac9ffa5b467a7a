"""All directions that separate a cylinder or frustum i from a box, cylinder or frustum j, but normals of flat faces.

p(d) of `gjk_epa` is least, near by, where features of the two touch as they come apart.  Besides flat faces
these are

    side and edge, two sides     the normal of both: a point where two circles of directions cross
    rim and edge, rim and side,
    side and corner              the least p on the circle of normals of the edge or side
    two rims                     the two nearest points of the circles, the direction across

for a circle of directions axis . d = sine, that of an edge or a side (`refine_normal.circle_of`), and p there is

    p = level + (K . d) + R |d across n|

with what lies across: a rim of radius R about n, K away.  All minima are found by scanning and each is written as
a separating direction: the direction, the overlap, the point of i that is deepest, and a factor.  Where other features
would stop the solids, or where the two features do not reach each other, the overlap counts for more by as much, so
that a direction is lost gradually; and the factor goes to 0 where it ceases to be a minimum or to be defined.
Where there are more than the array holds their number is OUT_OF_CAPACITY, and stays so.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Floats, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .contact_points import OUT_OF_CAPACITY
from .faces import STEEP
from .gjk_epa import clearance
from .refine_normal import (
    Piece,
    bend_of_piece,
    circle_of,
    circles_of,
    crossing_of_circles,
    piece_near,
    slope_of,
    support_of_piece,
)
from .shapes import BOX, CYLINDER, Solid, any_normal, axis_of, into_axes, normalised
from .sphere import distance_from_box, distance_from_frustum
from .witness_points import Feature, nearest_of_lines

TURN = 2 * math.pi
START = 0.1234  # of a turn, where nothing is by symmetry
STEP = TURN / 24
LEAST_STEP = STEP / 100
ROUGH = 0.5
NEWTON_STEPS = 50
BLEND = 0.25  # directions whose overlap is greater than the least by up to this fraction share the load
PARALLEL = 1e-14  # squared sine of the angle between two lines below which they have no common normal
FADING = 0.25  # a minimum whose bend is less than this fraction of p fades
LEAST_FACTOR = 1e-7
CROSSED = 0.1  # sine of the angle of two circles below which their crossings fade
SAME = 1e-20  # squared distance of two directions that are one


class Line(NamedTuple):
    """A generator of a round solid that faces the other, or an edge of a box."""

    middle: Vector
    along: Vector  # unit vector
    half: float
    radius: float  # of the round solid, 0 of an edge
    weight: float  # 0: it is turned away, the end of the round solid is what touches
    facing: float  # 1: it is at right angles to the normal; 0: it is turned away from it by 45 degrees, or an edge


@kernel(inline=True)
def generator_of(solid: Solid, d: Vector) -> Line:
    """The generator of a round solid that lies furthest along d."""
    bottom, top, half = solid.size
    along = dot(solid.z, d)
    across = minus(d, scaled(along, solid.z))
    square = dot(across, across)
    if square <= STEEP:
        return Line(solid.centre, solid.z, half, 0.0, 0.0, 0.0)
    across = scaled(1.0 / math.sqrt(square), across)
    line = plus(scaled(2 * half, solid.z), scaled(top - bottom, across))
    length = math.sqrt(dot(line, line))
    radius = 0.5 * (bottom + top)
    middle, line = plus(solid.centre, scaled(radius, across)), scaled(1.0 / length, line)
    facing = max(0.0, 1.0 - 2.0 * dot(line, d) ** 2)
    return Line(middle, line, 0.5 * length, radius, (square - STEEP) / (1.0 - STEEP), facing)


@kernel(inline=True)
def edge_of(box: Solid, k: int, d: Vector) -> Line:
    """The edge along axis k of a box that lies furthest along d, or nearest to a point on it (d: from the centre)."""
    a, b, c = box.size
    sa, sb, sc = math.copysign(a, dot(box.x, d)), math.copysign(b, dot(box.y, d)), math.copysign(c, dot(box.z, d))
    if k == 0:
        arm, half = plus(scaled(sb, box.y), scaled(sc, box.z)), a
    elif k == 1:
        arm, half = plus(scaled(sa, box.x), scaled(sc, box.z)), b
    else:
        arm, half = plus(scaled(sa, box.x), scaled(sb, box.y)), c
    return Line(plus(box.centre, arm), axis_of(box, k), half, 0.0, 1.0, 0.0)


class Course(NamedTuple):
    """along_u cos t + along_v sin t + factor sqrt(q + q_c cos t + q_s sin t + q_cc cos^2 t + q_ss sin^2 t)."""

    along_u: float
    along_v: float
    factor: float
    q: float
    q_c: float
    q_s: float
    q_cc: float
    q_ss: float


@kernel(inline=True)
def slope_and_bend(course: Course, c: float, s: float) -> tuple[float, float]:
    """First and second derivative by t, at cos t = c, sin t = s."""
    square = max(course.q + course.q_c * c + course.q_s * s + course.q_cc * c * c + course.q_ss * s * s, SAME)
    twice = 2 * (course.q_ss - course.q_cc)
    first = course.q_s * c - course.q_c * s + twice * c * s
    second = twice * (c * c - s * s) - course.q_c * c - course.q_s * s
    half = 0.5 * course.factor / math.sqrt(square)
    slope = course.along_v * c - course.along_u * s + half * first
    bend = half * (second - 0.5 * first * first / square) - course.along_u * c - course.along_v * s
    return slope, bend


@kernel
def flattest(course: Course, low: float, high: float) -> tuple[float, float]:
    """Where between two places with bends of opposite signs the slope is extreme, and the slope there."""
    _, bend = slope_and_bend(course, math.cos(low), math.sin(low))
    t, slope = low, 0.0
    for _ in range(NEWTON_STEPS):
        t = 0.5 * (low + high)
        slope, here = slope_and_bend(course, math.cos(t), math.sin(t))
        if here * bend > 0.0:
            low = t
        else:
            high = t
    return t, slope


@kernel
def next_minimum(course: Course, t: float) -> tuple[bool, float, float]:
    """Whether there is a minimum behind t, the first one, and where to go on from.

    Steps are halved until the slope changes in them about as the bends at their ends say, the more exactly the nearer
    to 0 it is: then it changes its sign no more than twice.
    """
    before, bent = slope_and_bend(course, math.cos(t), math.sin(t))
    step = STEP
    while t < START + TURN:
        end = min(t + step, START + TURN)
        after, bends = slope_and_bend(course, math.cos(end), math.sin(end))
        off = abs(after - before - 0.5 * (end - t) * (bent + bends))
        if off > ROUGH * max(abs(before), abs(after)) and step > LEAST_STEP:
            step *= 0.5
            continue
        if before < 0.0 and after >= 0.0:
            return True, minimum_between(course, t, end), end
        if before * after > 0.0 and before * bent < 0.0 and after * bends > 0.0:
            between, slope = flattest(course, t, end)
            if slope * before < 0.0:
                low, high = (t, between) if before < 0.0 else (between, end)
                return True, minimum_between(course, low, high), end
        t, before, bent = end, after, bends
        step = min(2 * step, STEP)
    return False, 0.0, t


@kernel
def minimum_between(course: Course, low: float, high: float) -> float:
    """The minimum between two places with falling and rising slope: Newton's steps, else halving."""
    t = 0.5 * (low + high)
    for _ in range(NEWTON_STEPS):
        slope, bend = slope_and_bend(course, math.cos(t), math.sin(t))
        if slope < 0.0:
            low = t
        else:
            high = t
        trial = t - slope / bend if bend > 0.0 else low
        if not low < trial < high:
            trial = 0.5 * (low + high)
        done = abs(trial - t) <= 1e-15
        t = trial
        if done:
            break
    return t


@kernel(inline=True)
def across_of(axis: Vector, n: Vector) -> tuple[Vector, Vector, float]:
    """Unit vectors u, v at right angles to an axis, u the nearest to n, and n . u."""
    u = minus(n, scaled(dot(axis, n), axis))
    square = dot(u, u)
    if square <= SAME:
        u = any_normal(axis)
        return u, cross(axis, u), 0.0
    along = math.sqrt(square)
    u = scaled(1.0 / along, u)
    return u, cross(axis, u), along


@kernel(inline=True)
def faded(part: float) -> float:
    """Factor of a direction: 1, and 0 with a level tangent where `part` goes to 0."""
    part = min(max(part, 0.0), 1.0)
    return max(part * part, LEAST_FACTOR)


@kernel(inline=True)
def distance_from(solid: Solid, at: Vector) -> float:
    arm = into_axes(solid, minus(at, solid.centre))
    distance, _ = distance_from_box(solid, arm) if solid.kind == BOX else distance_from_frustum(solid, arm)
    return distance


@kernel
def put_direction(
    i: Solid,
    j: Solid,
    d: Vector,
    of_these: float,
    at: Vector,
    of_i: bool,
    factor: float,
    limit: float,
    directions: Floats,
    n: int,
) -> int:
    """Write a separating direction behind the n there are, if its overlap is less than `limit`; their new number.

    of_these : p of the two features alone; at : where they touch, on i or on j
    """
    overlap = clearance(i, j, d)
    if n < 0 or not (overlap < limit and 2 * overlap - of_these < limit):
        return n
    on_i = at if of_i else minus(at, scaled(overlap, d))
    on_j = plus(at, scaled(overlap, d)) if of_i else at
    longer = max(0.0, overlap - of_these) + max(0.0, distance_from(i, on_i)) + max(0.0, distance_from(j, on_j))
    if not overlap + longer < limit:
        return n
    for k in range(n):
        off = minus((directions[k, 0], directions[k, 1], directions[k, 2]), d)
        if dot(off, off) < SAME and abs(directions[k, 8] - overlap - longer) < 1e-12 * overlap:
            directions[k, 7] += factor
            return n
    if n >= len(directions):
        return OUT_OF_CAPACITY
    for m in range(3):
        directions[n, m], directions[n, 4 + m] = d[m], on_i[m]
    directions[n, 3], directions[n, 7], directions[n, 8] = overlap, factor, overlap + longer
    return n + 1


@kernel
def directions_on_circle(
    i: Solid,
    j: Solid,
    of_i: Piece,
    of_j: Piece,
    rim_of_i: bool,
    axis: Vector,
    sine: float,
    limit: float,
    directions: Floats,
    n: int,
) -> int:
    """Directions of two features, of which the one that is not the rim (or corner) has this circle of normals."""
    rim, normal = (of_i, i.z) if rim_of_i else (of_j, j.z)
    # p = level + K . d + R |d across n| at d = sine axis + cosine (u cos t + v sin t)
    u, v, swing = across_of(axis, normal)
    between, cosine = minus(of_j.point, of_i.point), math.sqrt(1.0 - sine * sine)
    offset, swing = sine * dot(axis, normal), cosine * swing
    along_u, along_v = cosine * dot(between, u), cosine * dot(between, v)
    rest = 1.0 - offset * offset
    course = Course(along_u, along_v, rim.radius, rest, -2 * offset * swing, 0.0, -swing * swing, 0.0)
    found, t, upto = next_minimum(course, START)
    while found:
        c, s = math.cos(t), math.sin(t)
        d = plus(scaled(sine, axis), plus(scaled(cosine * c, u), scaled(cosine * s, v)))
        of_these = dot(slope_of(i, j, of_i, of_j, d), d)
        if of_these > 0.0:
            _, bend = slope_and_bend(course, c, s)
            factor = faded(bend / (cosine * cosine * FADING * of_these))
            at = support_of_piece(of_i, i, d) if rim_of_i else support_of_piece(of_j, j, d)
            n = put_direction(i, j, d, of_these, at, rim_of_i, factor, limit, directions, n)
        found, t, upto = next_minimum(course, upto)
    return n


@kernel
def directions_of_lines(
    i: Solid, j: Solid, axis_j: Vector, sine_j: float, edge: int, limit: float, directions: Floats, n: int
) -> int:
    """Directions of the side of i with the side of j, or with its edges along axis `edge`."""
    axis_i, sine_i = circle_of(i, -1.0, 0)
    normal = cross(axis_i, axis_j)
    for side in range(2):
        d, crossed = crossing_of_circles(axis_i, sine_i, axis_j, sine_j, scaled(1.0 if side == 0 else -1.0, normal))
        limit = within(limit, directions, n)
        if crossed and clearance(i, j, d) < limit:
            n = direction_of_lines(i, j, d, edge, faded(abs(dot(d, normal)) / CROSSED), limit, directions, n)
    return n


@kernel
def direction_of_lines(
    i: Solid, j: Solid, d: Vector, edge: int, factor: float, limit: float, directions: Floats, n: int
) -> int:
    """The direction of a generator of i and one of j, or an edge along axis `edge`: their normal d."""
    of_i = generator_of(i, scaled(-1.0, d))
    of_j = edge_of(j, edge, d) if j.kind == BOX else generator_of(j, d)
    on_i, _ = nearest_of_lines(
        Feature(of_i.middle, of_i.along, d, of_i.half, 0.0), Feature(of_j.middle, of_j.along, d, of_j.half, 0.0)
    )
    return put_direction(i, j, d, dot(d, minus(of_j.middle, of_i.middle)), on_i, True, factor, limit, directions, n)


@kernel(inline=True)
def may_touch(i: Solid, rim: Piece, edge: Line, limit: float) -> bool:
    """Whether a rim of i and an edge can come within this distance of each other."""
    between = minus(edge.middle, rim.point)
    level, rise = dot(between, i.z), dot(edge.along, i.z)
    low, high = -edge.half, edge.half
    if abs(level) - abs(rise) * edge.half > limit:
        return False
    if abs(rise) * edge.half > 1e-3 * limit:
        one, two = (-limit - level) / rise, (limit - level) / rise
        low, high = max(low, min(one, two)), min(high, max(one, two))
    # distance from the axis along the edge: its square is a parabola
    between = minus(between, scaled(level, i.z))
    along = minus(edge.along, scaled(rise, i.z))
    square, half_slope, bend = dot(between, between), dot(between, along), dot(along, along)
    nearest = min(max(-half_slope / bend if bend > 0.0 else low, low), high)
    inner = max(rim.radius - limit, 0.0)
    if square + nearest * (2 * half_slope + nearest * bend) > (rim.radius + limit) ** 2:
        return False
    most = max(low * (2 * half_slope + low * bend), high * (2 * half_slope + high * bend))
    return square + most >= inner * inner


@kernel(inline=True)
def within(limit: float, directions: Floats, n: int) -> float:
    """How small an overlap must be to share the load with the last one found."""
    return min(limit, (1.0 + BLEND) * directions[n - 1, 8]) if n > 0 else limit


@kernel(inline=True)
def are_parallel(i: Solid, j: Solid) -> bool:
    """Whether two solids are parallel cylinders, which one direction separates besides the faces."""
    normal, between = cross(i.z, j.z), minus(i.centre, j.centre)
    off = minus(between, scaled(dot(between, j.z), j.z))
    apart = dot(off, off) > (1e-3 * (i.size[0] + j.size[0])) ** 2
    return i.kind == CYLINDER and j.kind == CYLINDER and dot(normal, normal) < PARALLEL and apart


@kernel
def directions_between_lines(i: Solid, j: Solid, limit: float, directions: Floats) -> int:
    """Directions of the side of a round solid i and the edges of a box or the side of a round solid j; their number."""
    n, parallel = 0, are_parallel(i, j)
    for k in range(circles_of(j)):  # of a box the three directions of its edges
        if parallel:
            between = minus(i.centre, j.centre)
            d = normalised(minus(between, scaled(dot(between, j.z), j.z)))
            n = direction_of_lines(i, j, d, k, 1.0, limit, directions, n)
        else:
            axis, sine = circle_of(j, 1.0, k)
            n = directions_of_lines(i, j, axis, sine, k, within(limit, directions, n), directions, n)
    return n


@kernel
def meet_midway(i: Solid, j: Solid, found: Floats) -> bool:
    """Whether the middle between the two surfaces, of a separating direction, lies in both solids."""
    half = 0.5 * found[3]
    at = found[4] + half * found[0], found[5] + half * found[1], found[6] + half * found[2]
    return distance_from(i, at) < 0.0 and distance_from(j, at) < 0.0


@kernel
def directions_at_rims(i: Solid, j: Solid, limit: float, directions: Floats, n: int) -> int:
    """All other directions of a round solid i and a box or round solid j, behind the n between lines."""
    if j.kind == BOX:
        return directions_at_box(i, j, limit, directions, n)
    return n if are_parallel(i, j) else directions_at_round(i, j, limit, directions, n)


@kernel
def directions_at_box(i: Solid, j: Solid, limit: float, directions: Floats, n: int) -> int:
    """Directions of rims and edges, side and corners."""
    side, sine = circle_of(i, -1.0, 0)
    for index in range(8):
        corner, _ = piece_near(j, 1.0, side, index)
        limit = within(limit, directions, n)
        if distance_from(i, corner.point) < limit:
            of_i, _ = piece_near(i, -1.0, side, 0)
            n = directions_on_circle(i, j, of_i, corner, False, side, sine, limit, directions, n)
        for edge in range(3):
            if index & (1 << edge) > 0:
                continue  # its other corner
            line = edge_of(j, edge, minus(corner.point, j.centre))
            for end in range(2):
                of_i, _ = piece_near(i, -1.0, side, end)
                limit = within(limit, directions, n)
                if of_i.radius > 0.0 and may_touch(i, of_i, line, limit):
                    n = directions_on_circle(i, j, of_i, corner, True, axis_of(j, edge), 0.0, limit, directions, n)
    return n


@kernel
def directions_at_round(i: Solid, j: Solid, limit: float, directions: Floats, n: int) -> int:
    """Directions of rims and sides, then of rims with each other."""
    side_i, sine_i = circle_of(i, -1.0, 0)
    side_j, sine_j = circle_of(j, 1.0, 0)
    any_i, _ = piece_near(i, -1.0, side_i, 0)
    any_j, _ = piece_near(j, 1.0, side_j, 0)
    for end in range(2):
        of_i, _ = piece_near(i, -1.0, side_i, end)
        limit = within(limit, directions, n)
        if rim_reaches(i, of_i, j, limit):
            n = directions_on_circle(i, j, of_i, any_j, True, side_j, sine_j, limit, directions, n)
        of_j, _ = piece_near(j, 1.0, side_j, end)
        limit = within(limit, directions, n)
        if rim_reaches(j, of_j, i, limit):
            n = directions_on_circle(i, j, any_i, of_j, False, side_i, sine_i, limit, directions, n)
    for pair in range(4):
        of_i, _ = piece_near(i, -1.0, side_i, pair // 2)
        of_j, _ = piece_near(j, 1.0, side_j, pair % 2)
        if of_i.radius > 0.0 and of_j.radius > 0.0:
            n = directions_of_rims(i, j, of_i, of_j, within(limit, directions, n), directions, n)
    return n


@kernel(inline=True)
def rim_reaches(solid: Solid, rim: Piece, other: Solid, limit: float) -> bool:
    """Whether a rim may have a point in the other solid, or no further from it than `limit`."""
    arm = minus(rim.point, other.centre)
    level = dot(arm, other.z)
    cosine = dot(solid.z, other.z)
    along = rim.radius * math.sqrt(max(0.0, 1.0 - cosine * cosine))
    off = math.sqrt(max(0.0, dot(arm, arm) - level * level))
    bottom, top, half = other.size
    return abs(level) - along <= half + limit and off - rim.radius <= max(bottom, top) + limit


@kernel
def directions_of_rims(i: Solid, j: Solid, of_i: Piece, of_j: Piece, limit: float, directions: Floats, n: int) -> int:
    """Directions of two rims."""
    between = minus(of_i.point, of_j.point)
    cosine = dot(i.z, j.z)
    tilted = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    if abs(dot(between, j.z)) > of_i.radius * tilted + limit or abs(dot(between, i.z)) > of_j.radius * tilted + limit:
        return n
    if dot(between, between) > (of_i.radius + of_j.radius + limit) ** 2:
        return n
    # half the square of the distance of a point of the rim of i from the rim of j, less what is constant
    u, v, _ = across_of(i.z, j.z)
    x = cross(v, j.z)
    radius, along_x, along_y = of_i.radius, dot(between, x), dot(between, v)
    shrunk = radius * dot(u, x)
    course = Course(
        radius * dot(between, u),
        radius * along_y,
        -of_j.radius,
        along_x * along_x + along_y * along_y,
        2 * along_x * shrunk,
        2 * along_y * radius,
        shrunk * shrunk,
        radius * radius,
    )
    found, t, upto = next_minimum(course, START)
    while found:
        arm = plus(scaled(radius * math.cos(t), u), scaled(radius * math.sin(t), v))
        n = direction_of_rims(i, j, of_i, of_j, arm, limit, directions, n)
        found, t, upto = next_minimum(course, upto)
    return n


@kernel
def direction_of_rims(
    i: Solid, j: Solid, of_i: Piece, of_j: Piece, arm_i: Vector, limit: float, directions: Floats, n: int
) -> int:
    """The direction of two rims that are nearest to each other at this arm of the rim of i."""
    at = plus(minus(of_i.point, of_j.point), arm_i)
    arm_j = scaled(of_j.radius, normalised(minus(at, scaled(dot(at, j.z), j.z))))
    across = minus(arm_j, at)
    distance = math.sqrt(dot(across, across))
    if distance >= limit or dot(across, arm_i) > 0.0 or dot(across, arm_j) < 0.0:
        return n
    # where they nearly touch, the tangents say better which direction is across
    normal = cross(cross(i.z, arm_i), cross(j.z, arm_j))
    if math.sqrt(dot(normal, normal)) > of_j.radius * distance:
        across = scaled(math.copysign(1.0, dot(normal, across)), normal)
    d = normalised(across)
    p = dot(slope_of(i, j, of_i, of_j, d), d)
    if not 0.0 < p < limit:
        return n
    u = any_normal(d)
    v = cross(d, u)
    huu = bend_of_piece(of_i, i, d, u, u) + bend_of_piece(of_j, j, d, u, u) - p
    huv = bend_of_piece(of_i, i, d, u, v) + bend_of_piece(of_j, j, d, u, v)
    hvv = bend_of_piece(of_i, i, d, v, v) + bend_of_piece(of_j, j, d, v, v) - p
    least_bend = 0.5 * (huu + hvv) - math.sqrt(0.25 * (huu - hvv) ** 2 + huv * huv)
    factor = faded(least_bend / (FADING * p))
    return put_direction(i, j, d, p, support_of_piece(of_i, i, d), True, factor, limit, directions, n)
