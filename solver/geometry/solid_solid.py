"""Contact points of boxes, cylinders and frustums with each other.

Every direction in which the two may separate is a candidate: along the normal of a flat face (`faces`), or along the
common normal of two edges, of rims, of a side and an edge or a corner.  Where one candidate needs much less
translation p than all others, it alone carries; where others come within `BLEND` of the least the load is shared,

    share ~ 1 - (p/p_least - 1)/BLEND,

so that the force passes over continuously when the least of them changes, as when a box slides over an edge.  Of two
faces that lie on each other the one of shape j is preferred (the others' p count 1 + BLEND times in the comparison), so
that a box at rest has four points and not eight.  A candidate that is no face shares only as far as its p is less than
that of all faces, as the common normal of two edges comes and goes with the direction of the edges just where it
becomes that of a face.

`scratch.plain` says whether one direction alone carries, at points whose weights do not change with the pose: then the
force is the gradient of sum weight K z^(e+1)/(e+1).  Where directions share the load, or a border cuts corners off, it
is continuous but no gradient (`contact/touches.py` makes up for that).

All separating directions are found, those of two boxes here, those of round solids by `separating_directions`, and each
comes and goes gradually: the force is continuous however deep the solids are.  (`bench/continuity.py` finds one jump
more, of a cylinder and a box by 1e-4 of the force, deeper than 4/5 of the smallest half extent, on 1500 random paths.)
"""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .contact_points import NO_POINTS, OUT_OF_CAPACITY, put_gap, put_point, status_of, two_chords
from .faces import Load, face_of, faces_of, fading, solid_on_face
from .gjk_epa import clearance, least_overlap_direction, rounding_radius, separating_direction
from .half_space import middle_of_support
from .refine_normal import Candidate, refined
from .separating_directions import (
    BLEND,
    PARALLEL,
    Line,
    directions_at_rims,
    directions_between_lines,
    edge_of,
    generator_of,
    meet_midway,
)
from .shapes import BOX, CYLINDER, Solid, axis_of, is_round, normalised, reach
from .witness_points import Feature, nearest_of_lines, witnesses

LEAST_SHARE = 1e-12  # what is less comes from rounding
ROUNDING = 1e-12  # of the size of a solid: within it two points are one
UNHINDERED = 1e-9  # of the overlap: what a direction counts for more where other features are in its way


@kernel(inline=True)
def share_of(overlap: float, least: float) -> float:
    share = 1.0 - (overlap / least - 1.0) / BLEND
    return share if share > LEAST_SHARE else 0.0


@kernel
def overlaps_of_faces(i: Solid, j: Solid, scratch: Record) -> tuple[float, float, int]:
    """Overlap along the normals of the faces of j, then i, in scratch.depths; the least, and with j preferred."""
    depths, n = scratch.depths, 0
    least, least_preferred, preferred = math.inf, math.inf, 0
    between = minus(i.centre, j.centre)
    for of_i in range(2):
        solid, bias = (j, 1.0) if of_i == 0 else (i, 1.0 + BLEND)
        axes = 3 if solid.kind == BOX else 1
        for k in range(axes):
            axis = axis_of(solid, k if axes == 3 else 2)
            away = dot(axis, between)
            forth = clearance(i, j, axis)
            back = clearance(i, j, scaled(-1.0, axis)) if is_round(i.kind) else forth + 2 * away
            # i clears the upper face of j along +axis, and j that of i
            upper, lower = (forth, back) if of_i == 0 else (back, forth)
            depths[n], depths[n + 1] = lower, upper
            for m in range(2):
                least = min(least, depths[n + m])
                if bias * depths[n + m] < least_preferred:
                    least_preferred, preferred = bias * depths[n + m], n + m
            n += 2
            if least <= 0.0:
                return least, least, preferred
    return least, least_preferred, preferred


@kernel
def nothing_is_nearer(i: Solid, j: Solid, k: int, overlap: float) -> bool:
    """Whether it can be seen at once that no overlap is less than that through face k (faces of j, then i).

    M of `gjk_epa` holds the face, seen from the deepest point of the other solid, and the difference of the
    centres, hence the pyramid over the face.  If a ball of this radius fits into it, the answer is yes.
    """
    of_j = k < faces_of(j)
    owner, other = (j, i) if of_j else (i, j)
    face = face_of(owner, k if of_j else k - faces_of(j))
    deepest = minus(middle_of_support(other, scaled(-1.0, face.normal)), face.centre)
    apex = minus(owner.centre, other.centre)
    height = overlap - dot(face.normal, apex)
    if height <= overlap:
        return False
    x, y = dot(deepest, face.x), dot(deepest, face.y)
    over = plus(deepest, apex)
    at_x, at_y = dot(over, face.x), dot(over, face.y)
    if face.half_y > 0.0:
        for side in range(4):
            sign = 1.0 if side % 2 == 0 else -1.0
            half = face.half_x if side < 2 else face.half_y
            inside = half - sign * (x if side < 2 else y)
            lean = (half - sign * (at_x if side < 2 else at_y)) / height
            if inside - overlap * lean < overlap * math.sqrt(1.0 + lean * lean):
                return False
        return True
    lean = (face.half_x + math.sqrt(at_x * at_x + at_y * at_y)) / height
    return face.half_x - math.sqrt(x * x + y * y) - overlap * lean >= overlap * math.sqrt(1.0 + lean * lean)


@kernel
def faces_share(i: Solid, j: Solid, scratch: Record, least: float, total: float, points: Records) -> int:
    """Points of all candidates that are faces; their number."""
    of_j, n = faces_of(j), 0
    for k in range(of_j + faces_of(i)):
        share = share_of((1.0 if k < of_j else 1.0 + BLEND) * scratch.depths[k], least)
        if share > 0.0:
            owner, other, face, sense = (j, i, k, 1.0) if k < of_j else (i, j, k - of_j, -1.0)
            load = Load(sense, share / total)
            n = solid_on_face(other, face_of(owner, face), load, scratch, points, n)
    return n


@kernel(inline=True)
def faces_total(i: Solid, j: Solid, scratch: Record, least: float) -> float:
    total = 0.0
    of_j = faces_of(j)
    for k in range(of_j + faces_of(i)):
        total += share_of((1.0 if k < of_j else 1.0 + BLEND) * scratch.depths[k], least)
    return total


@kernel(inline=True)
def edges_direction(i: Solid, j: Solid, k: int) -> tuple[Vector, bool]:
    """Common normal of the edges of two boxes, k = 3 (edge of i) + (edge of j), + 9: the opposite direction."""
    normal = cross(axis_of(i, (k % 9) // 3), axis_of(j, k % 3))
    square = dot(normal, normal)
    if square < PARALLEL:
        return normal, False
    return scaled((1.0 if k < 9 else -1.0) / math.sqrt(square), normal), True


@kernel
def overlaps_of_edges(i: Solid, j: Solid, scratch: Record) -> float:
    """Overlap along the common normals of the edges of two boxes, in scratch.edge_depths; the least."""
    depths, least = scratch.edge_depths, math.inf
    between = minus(i.centre, j.centre)
    for k in range(9):
        normal, crossed = edges_direction(i, j, k)
        if crossed:
            reaches, away = reach(i, normal) + reach(j, normal), dot(normal, between)
            depths[k], depths[k + 9] = reaches - away, reaches + away
            least = min(least, reaches - abs(away))
            if least <= 0.0:
                return least
        else:
            depths[k] = depths[k + 9] = math.inf
    return least


@kernel
def put_crossed_edges(
    i: Solid, j: Solid, k: int, d: Vector, overlap: float, weight: float, scratch: Record, points: Records, n: int
) -> int:
    """The point of two edges that cross."""
    of_i, of_j = edge_of(i, (k % 9) // 3, scaled(-1.0, d)), edge_of(j, k % 3, d)
    between = minus(of_j.middle, of_i.middle)
    cosine = dot(of_i.along, of_j.along)
    to_i, to_j = dot(of_i.along, between), dot(of_j.along, between)
    s = (to_i - cosine * to_j) / (1.0 - cosine * cosine)
    t = cosine * s - to_j
    if weight == 1.0 and abs(s) <= of_i.half and abs(t) <= of_j.half:
        scratch.plain = 1
    # where the lines cross beyond an end, the points of the edges that are nearest to each other
    s = min(max(s, -of_i.half), of_i.half)
    t = min(max(cosine * s - to_j, -of_j.half), of_j.half)
    s = min(max(to_i + cosine * t, -of_i.half), of_i.half)
    on_i, on_j = plus(of_i.middle, scaled(s, of_i.along)), plus(of_j.middle, scaled(t, of_j.along))
    place = scaled(0.5, plus(on_i, on_j))
    return put_point(points, n, place, d, overlap, weight, weight * math.pi * overlap * overlap, 2.0)


@kernel
def box_box_points(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    scratch.plain = 0
    least_face, least, _ = overlaps_of_faces(i, j, scratch)
    if least_face <= 0.0:
        return NO_POINTS
    least_edge = overlaps_of_edges(i, j, scratch)
    if least_edge <= 0.0:
        return NO_POINTS
    least = min(least, (1.0 + BLEND) * least_edge)
    total = faces_total(i, j, scratch, least)
    crossed = least_edge < least_face
    if crossed:
        for k in range(18):
            total += edges_share(scratch.edge_depths[k], least_face, least)
    n = faces_share(i, j, scratch, least, total, points)
    if crossed:
        for k in range(18):
            overlap = scratch.edge_depths[k]
            share = edges_share(overlap, least_face, least)
            if share > 0.0:
                d, _ = edges_direction(i, j, k)
                n = put_crossed_edges(i, j, k, d, overlap, share / total, scratch, points, n)
    return status_of(n)


@kernel(inline=True)
def edges_share(overlap: float, least_face: float, least: float) -> float:
    """Share of a candidate that is no face."""
    less = min(max((least_face / overlap - 1.0) / BLEND, 0.0), 1.0)
    return less * share_of((1.0 + BLEND) * overlap, least)


@kernel(inline=True)
def line_of(solid: Solid, d: Vector, on_solid: Vector, other: Vector) -> Line:
    """What of a solid, near a point on it, may touch a line with the direction `other` all along."""
    if is_round(solid.kind):
        return generator_of(solid, d)
    best, most = 0, -1.0
    for k in range(3):
        cosine = abs(dot(axis_of(solid, k), other))
        if cosine > most:
            best, most = k, cosine
    return edge_of(solid, best, minus(on_solid, solid.centre))


@kernel(inline=True)
def area_of_crossing(of_i: Line, of_j: Line, depth: float) -> tuple[float, float]:
    """2 pi z sqrt(R_i R_j) and its growth; an edge, and what is turned away, has a radius of z/2 at least."""
    least = 0.5 * depth
    radius_i, radius_j = max(of_i.facing * of_i.radius, least), max(of_j.facing * of_j.radius, least)
    # what is smaller than z/2 has been so from z = 2 R on: very nearly the mean growth since
    small_i, small_j = of_i.facing * of_i.radius / radius_i, of_j.facing * of_j.radius / radius_j
    growth = 2.0 - 0.5 * (small_i * small_i * small_i + small_j * small_j * small_j)
    return 2.0 * math.pi * depth * math.sqrt(radius_i * radius_j), growth


@kernel(inline=True)
def width_along(of_i: Line, of_j: Line, depth: float) -> tuple[float, float]:
    """Width of the strip in which two lines that run along each other touch, and its growth; of an edge 2 z."""
    facing = of_i.facing * of_j.facing
    of_sides = facing * two_chords(of_i.radius, of_j.radius, depth) if facing > 0.0 else 0.0
    width = of_sides + (1.0 - facing) * 2.0 * depth
    return width, 1.0 - 0.5 * of_sides / width if width > 0.0 else 1.0


@kernel
def put_lines(
    i: Solid, j: Solid, d: Vector, overlap: float, on_i: Vector, weight: float, scratch: Record, points: Records, n: int
) -> int:
    """Points of a round solid i and a solid j that touch neither with a flat face, i deepest at the point on_i.

    One point where they are deepest, and as far as the generator of i runs along a generator or edge of j, its two
    ends: the deepest point keeps what it bulges above the straight line through their depths.
    """
    on_j = plus(on_i, scaled(overlap, d))
    of_i = generator_of(i, scaled(-1.0, d))
    of_j = line_of(j, d, on_j, of_i.along)
    deepest_area, deepest_growth = area_of_crossing(of_i, of_j, overlap)
    middle = plus(on_i, scaled(0.5 * overlap, d))
    s, t = dot(of_i.along, minus(on_i, of_i.middle)), dot(of_j.along, minus(on_j, of_j.middle))
    cosine = dot(of_i.along, of_j.along)
    low, high = min(-of_i.half - s, 0.0), max(of_i.half - s, 0.0)
    if cosine != 0.0:
        one, two = (-of_j.half - t) / cosine, (of_j.half - t) / cosine
        low, high = max(low, min(one, two, 0.0)), min(high, max(one, two, 0.0))
    parallel = min(max(4 * cosine * cosine - 2, 0.0), 1.0)  # from 45 to 30 degrees
    by_line = weight * of_i.weight * of_j.weight * parallel
    by_line *= fading(high - low, 2 * min(of_i.half, of_j.half), overlap)
    if high - low <= ROUNDING * (of_i.half + of_j.half):
        by_line = 0.0
    rest = weight
    if by_line <= 0.0 and weight == 1.0:
        scratch.plain = 1
    if by_line > 0.0:
        # depth at the two ends: what the lines drift apart, and what the sections round off between them
        rise = dot(of_i.along, d) - cosine * dot(of_j.along, d)
        aside = dot(of_i.along, normalised(cross(d, of_j.along)))
        radius = of_i.radius + of_j.radius
        z_low = depth_off(overlap, low, rise, aside, radius)
        z_high = depth_off(overlap, high, rise, aside, radius)
        part = -low / (high - low)
        rest -= by_line * min((z_low + part * (z_high - z_low)) / overlap, 1.0)
        area = 0.5 * by_line * (high - low)
        for end in range(2):
            by, z = (low, z_low) if end == 0 else (high, z_high)
            width, growth = width_along(of_i, of_j, z)
            carried, carries = by_line, area * width
            if abs(by) <= ROUNDING * of_i.half:  # the deepest point is this end
                carried, carries = by_line + rest, carries + rest * deepest_area
                growth, rest = growth + (deepest_growth - growth) * rest * deepest_area / carries, 0.0
            place = plus(plus(on_i, scaled(by, of_i.along)), scaled(0.5 * z, d))
            n = put_point(points, n, place, d, z, carried, carries, growth)
    if rest > LEAST_SHARE:
        n = put_point(points, n, middle, d, overlap, rest, rest * deepest_area, deepest_growth)
    return n


@kernel(inline=True)
def depth_off(overlap: float, by: float, rise: float, aside: float, radius: float) -> float:
    """Depth at a distance from the deepest point along a line, not negative."""
    square = max(0.0, radius * radius - (by * aside) ** 2)
    return min(max(overlap - by * rise - (radius - math.sqrt(square)), 0.0), overlap)


@kernel(inline=True)
def place_of(depths: Floats, least: float) -> int:
    """Where among some depths the least of them is."""
    k = 0
    while k < len(depths) - 1 and depths[k] != least:
        k += 1
    return k


@kernel
def sides_meet(i: Solid, j: Solid) -> tuple[Candidate, bool]:
    """Least overlap of two cylinders that meet side to side, and whether it is that for certain.

    Each holds a round-ended cylinder of its own radius, and the overlap of these is no greater; where it is the same
    along their common normal, no direction has less.
    """
    radius_i, radius_j = i.size[0], j.size[0]
    none = Candidate(i.z, math.inf)
    if i.kind != CYLINDER or j.kind != CYLINDER or i.size[2] <= radius_i or j.size[2] <= radius_j:
        return none, False
    of_i = Feature(i.centre, i.z, i.x, i.size[2] - radius_i, 0.0)
    of_j = Feature(j.centre, j.z, j.x, j.size[2] - radius_j, 0.0)
    on_i, on_j = nearest_of_lines(of_i, of_j)
    between = minus(on_i, on_j)
    distance = math.sqrt(dot(between, between))
    least = radius_i + radius_j - distance
    if distance <= 1e-3 * (radius_i + radius_j) or least <= 0.0:
        return none, False
    best = Candidate(scaled(1.0 / distance, between), least)
    return best, clearance(i, j, best.direction) <= least + 1e-14 * (radius_i + radius_j)


@kernel
def normal_of_face(i: Solid, j: Solid, k: int) -> Vector:
    """Outward normal of face k of j, or against that of face k of i (counted after those of j)."""
    of_j = faces_of(j)
    return face_of(j, k).normal if k < of_j else scaled(-1.0, face_of(i, k - of_j).normal)


@kernel
def round_points(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    """Contact points of a cylinder or frustum i with a box, cylinder or frustum j."""
    scratch.plain = 0
    least_face, least, preferred = overlaps_of_faces(i, j, scratch)
    if least_face <= 0.0:
        return NO_POINTS
    if nothing_is_nearer(i, j, preferred, scratch.depths[preferred]):
        return status_of(faces_share(i, j, scratch, least, faces_total(i, j, scratch, least), points))
    directions = scratch.directions
    count = directions_between_lines(i, j, least_face, directions)
    if count < 0:
        return OUT_OF_CAPACITY
    if count == 0 or not meet_midway(i, j, directions[count - 1]):
        _, apart = separating_direction(i, j, scratch, 0.0, True)
        if apart:
            return NO_POINTS
    count = directions_at_rims(i, j, least_face, directions, count)
    if count < 0:
        return OUT_OF_CAPACITY
    for k in range(count):
        least = min(least, (1.0 + BLEND) * directions[k, 8])
    total = faces_total(i, j, scratch, least)
    for k in range(count):
        total += directions[k, 7] * edges_share(directions[k, 8], least_face, least)
    n = faces_share(i, j, scratch, least, total, points)
    rounding = ROUNDING * (i.size[0] + i.size[1] + i.size[2])
    for k in range(count):
        share = directions[k, 7] * edges_share(directions[k, 8], least_face, least)
        if share > 0.0:
            d = directions[k, 0], directions[k, 1], directions[k, 2]
            on_i = directions[k, 4], directions[k, 5], directions[k, 6]
            n = put_lines(i, j, d, directions[k, 3], on_i, share / total, scratch, points, n)
            if directions[k, 8] > directions[k, 3] * (1.0 + UNHINDERED) + rounding:
                scratch.plain = 0
    return status_of(n)


@kernel
def gap_between(i: Solid, j: Solid, scratch: Record) -> tuple[float, Vector]:
    """Gap of two bounded solids, and the normal from j to i."""
    known = normalised(minus(i.centre, j.centre))
    if (is_round(i.kind) or i.kind == BOX) and (is_round(j.kind) or j.kind == BOX):
        least, _, _ = overlaps_of_faces(i, j, scratch)
        if least > 0.0:
            k = place_of(scratch.depths, least)
            known = normal_of_face(i, j, k)
            if nothing_is_nearer(i, j, k, least):
                return -least, known
            if i.kind == BOX and j.kind == BOX:
                least_edge = overlaps_of_edges(i, j, scratch)
                if least_edge > 0.0:
                    if least_edge < least:
                        least = least_edge
                        known, _ = edges_direction(i, j, place_of(scratch.edge_depths, least))
                    return -least, known
            best, certain = sides_meet(i, j)
            if certain:
                return -best.overlap, best.direction
    rough, apart = separating_direction(i, j, scratch, rounding_radius(i) + rounding_radius(j), False)
    if not apart:
        rough = least_overlap_direction(i, j, known, scratch)
    best = refined(i, j, rough)
    return -best.overlap, best.direction


@kernel
def solids_gap(i: Solid, j: Solid, scratch: Record) -> int:
    """Gap of two bounded solids of any kinds."""
    gap, normal = gap_between(i, j, scratch)
    on_i, on_j = witnesses(i, j, gap, normal)
    return put_gap(scratch, gap, normal, on_i, on_j)
