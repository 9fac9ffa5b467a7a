"""The exact direction of least overlap, or greatest distance, of two convex solids, from a rough one near by.

p(d) of `gjk_epa` is the greatest of smooth pieces: a corner W of a box gives W . d, a rim about c with axis a
and radius R gives c . d + R |d across a|, an ellipsoid is one piece.  At the best d either one piece of each solid
decides, or two pieces of a solid are equal there, which keeps d on a circle a . d = s:

    an edge of a box        a = its direction, s = 0
    the side of a frustum   a = its axis, s = sine of its half angle

So every case near by is solved on its own: a given direction (normal of a flat face), a point where two circles cross,
Newton steps along a circle, Newton steps on the sphere.  Any d gives an upper bound p(d) of the least p, so the least
of all that come out is the answer, and no tolerance has to tell which case it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .gjk_epa import clearance
from .shapes import (
    BOX,
    ELLIPSOID,
    Solid,
    any_normal,
    axis_of,
    into_axes,
    is_round,
    normalised,
    out_of_axes,
    reach,
)
from .witness_points import meeting

NEWTON_STEPS = 30
MOST_ROUNDS = 4
SETTLED = 1e-11
TIP = 0.05  # sine of the angle from the axis of a rim
LEAST_OFF_TIP = 1e-5
NEAR = 0.02  # a box has all corners in question with |d . axis| below this
NEARBY = 0.35  # circles and faces further than this (cosine) from the rough direction are left out


class Piece(NamedTuple):
    """A smooth piece of the support function of one solid, for its support along `sign` d."""

    sign: float  # 1: of j, -1: of i
    point: Vector  # corner, or centre of the rim or of the ellipsoid
    radius: float  # of the rim; 0: a corner; -1: the ellipsoid itself


class Candidate(NamedTuple):
    direction: Vector
    overlap: float  # p


@kernel(inline=True)
def pieces_of(solid: Solid) -> int:
    if solid.kind == BOX:
        return 8
    return 2 if is_round(solid.kind) else 1


@kernel(inline=True)
def piece_near(solid: Solid, sign: float, d: Vector, index: int) -> tuple[Piece, bool]:
    """A piece of the solid, and whether it may decide near d."""
    a, b, c = solid.size
    if solid.kind == BOX:
        x, y, z = into_axes(solid, scaled(sign, d))
        sx = 1.0 if index & 1 else -1.0
        sy = 1.0 if index & 2 else -1.0
        sz = 1.0 if index & 4 else -1.0
        corner = plus(solid.centre, out_of_axes(solid, (sx * a, sy * b, sz * c)))
        return Piece(sign, corner, 0.0), sx * x > -NEAR and sy * y > -NEAR and sz * z > -NEAR
    if is_round(solid.kind):
        axial, radius = (-c, a) if index == 0 else (c, b)
        return Piece(sign, plus(solid.centre, scaled(axial, solid.z)), radius), True
    return Piece(sign, solid.centre, -1.0), True


@kernel(inline=True)
def support_of_piece(piece: Piece, solid: Solid, d: Vector) -> Vector:
    """Its point furthest along sign d."""
    if piece.radius == 0.0:
        return piece.point
    if piece.radius > 0.0:
        x, y = dot(solid.x, d), dot(solid.y, d)
        length = math.sqrt(x * x + y * y)
        factor = piece.sign * piece.radius / length if length > 0.0 else 0.0
        return plus(piece.point, plus(scaled(factor * x, solid.x), scaled(factor * y, solid.y)))
    a, b, c = solid.size
    x, y, z = into_axes(solid, d)
    length = piece.sign / math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
    return plus(piece.point, out_of_axes(solid, (length * a * a * x, length * b * b * y, length * c * c * z)))


@kernel(inline=True)
def bend_of_piece(piece: Piece, solid: Solid, d: Vector, u: Vector, v: Vector) -> float:
    """u . H v with the second derivative H of its support function at d."""
    if piece.radius == 0.0:
        return 0.0
    if piece.radius > 0.0:
        around = cross(solid.z, d)
        square = dot(around, around)
        if square <= 0.0:
            return 0.0
        return piece.radius * dot(around, u) * dot(around, v) / (square * math.sqrt(square))
    a, b, c = solid.size
    dx, dy, dz = into_axes(solid, d)
    ux, uy, uz = into_axes(solid, u)
    vx, vy, vz = into_axes(solid, v)
    dx, dy, dz, ux, uy, uz = a * dx, b * dy, c * dz, a * ux, b * uy, c * uz
    vx, vy, vz = a * vx, b * vy, c * vz
    square = dx * dx + dy * dy + dz * dz
    length = math.sqrt(square)
    along_u, along_v = dx * ux + dy * uy + dz * uz, dx * vx + dy * vy + dz * vz
    return (ux * vx + uy * vy + uz * vz - along_u * along_v / square) / length


@kernel(inline=True)
def slope_of(i: Solid, j: Solid, of_i: Piece, of_j: Piece, d: Vector) -> Vector:
    """Gradient of the two pieces' p at d, whose product with d is p."""
    return minus(support_of_piece(of_j, j, d), support_of_piece(of_i, i, d))


@kernel
def settle_on_sphere(i: Solid, j: Solid, of_i: Piece, of_j: Piece, d: Vector) -> Vector:
    """Direction near d in which the p of two pieces is least.

    The support function of a rim has a tip on its axis, near which Newton's steps may go astray: from there they also
    start at several distances off the tip, on the side where the slope of all the rest leads to.
    """
    best = settle_from(i, j, of_i, of_j, d)
    least = dot(slope_of(i, j, of_i, of_j, best), best)
    for of_rim in range(2):
        piece, solid = (of_i, i) if of_rim == 0 else (of_j, j)
        x, y, z = into_axes(solid, d)
        if not piece.radius > 0.0 or x * x + y * y >= TIP * TIP:
            continue
        rest = minus(piece.point, support_of_piece(piece, solid, d))
        rest = plus(slope_of(i, j, of_i, of_j, d), scaled(piece.sign, rest))
        rest = minus(rest, scaled(dot(rest, solid.z), solid.z))
        tip, aside = scaled(math.copysign(1.0, z), solid.z), normalised(rest)
        off = TIP
        while off > LEAST_OFF_TIP:
            start = normalised(minus(tip, scaled(off, aside)))
            trial = settle_from(i, j, of_i, of_j, start)
            p = dot(slope_of(i, j, of_i, of_j, trial), trial)
            if p < least:
                best, least = trial, p
            off *= 0.05
    return best


@kernel
def settle_from(i: Solid, j: Solid, of_i: Piece, of_j: Piece, d: Vector) -> Vector:
    """Direction to which Newton's steps lead from d."""
    slope = slope_of(i, j, of_i, of_j, d)
    if of_i.radius == 0.0 and of_j.radius == 0.0:
        return normalised(scaled(-1.0, slope))
    p = dot(slope, d)
    for _ in range(NEWTON_STEPS):
        u = any_normal(d)
        v = cross(d, u)
        gu, gv = dot(slope, u), dot(slope, v)
        huu = bend_of_piece(of_i, i, d, u, u) + bend_of_piece(of_j, j, d, u, u) - p
        huv = bend_of_piece(of_i, i, d, u, v) + bend_of_piece(of_j, j, d, u, v)
        hvv = bend_of_piece(of_i, i, d, v, v) + bend_of_piece(of_j, j, d, v, v) - p
        determinant = huu * hvv - huv * huv
        if huu > 0.0 and determinant > 0.0:
            du, dv = (huv * gv - hvv * gu) / determinant, (huv * gu - huu * gv) / determinant
        else:
            steep = math.sqrt(gu * gu + gv * gv)
            if steep == 0.0:
                break
            du, dv = -0.1 * gu / steep, -0.1 * gv / steep
        step = math.sqrt(du * du + dv * dv)
        if step > 0.5:
            du, dv, step = 0.5 * du / step, 0.5 * dv / step, 0.5
        factor, moved = 1.0, False
        for _ in range(12):
            trial = normalised(plus(d, plus(scaled(factor * du, u), scaled(factor * dv, v))))
            trial_slope = slope_of(i, j, of_i, of_j, trial)
            trial_p = dot(trial_slope, trial)
            if trial_p < p or step < 1e-6:
                moved = True
                break
            factor *= 0.4
        if not moved:
            break
        d, slope, p = trial, trial_slope, trial_p
        if step < 1e-12:
            break
    return d


@kernel
def settle_on_circle(i: Solid, j: Solid, of_i: Piece, of_j: Piece, d: Vector, axis: Vector, sine: float) -> Vector:
    """Direction near d on the circle axis . d = sine in which the p of two pieces is least."""
    cosine = math.sqrt(max(0.0, 1.0 - sine * sine))
    offset = scaled(sine, axis)
    across = normalised(minus(d, scaled(dot(axis, d), axis)))
    d = plus(offset, scaled(cosine, across))
    slope = slope_of(i, j, of_i, of_j, d)
    p = dot(slope, d)
    for _ in range(NEWTON_STEPS):
        around = cross(axis, across)
        first = dot(slope, around)
        second = (bend_of_piece(of_i, i, d, around, around) + bend_of_piece(of_j, j, d, around, around)) * cosine - dot(
            slope, across
        )
        step = -first / second if second > 0.0 else -math.copysign(0.1, first)
        step = min(max(step, -0.5), 0.5)
        moved = False
        for _ in range(12):
            trial = normalised(plus(scaled(math.cos(step), across), scaled(math.sin(step), around)))
            trial_d = plus(offset, scaled(cosine, trial))
            trial_slope = slope_of(i, j, of_i, of_j, trial_d)
            trial_p = dot(trial_slope, trial_d)
            if trial_p < p or abs(step) < 1e-6:
                moved = True
                break
            step *= 0.4
        if not moved:
            break
        across, d, slope, p = trial, trial_d, trial_slope, trial_p
        if abs(step) < 1e-12:
            break
    return d


@kernel(inline=True)
def crossing_of_circles(a: Vector, sine_a: float, b: Vector, sine_b: float, d: Vector) -> tuple[Vector, bool]:
    """The direction nearer to d with a . x = sine_a and b . x = sine_b."""
    normal = cross(a, b)
    square = dot(normal, normal)
    if square < 1e-20:
        return d, False
    cosine = dot(a, b)
    in_plane = scaled(
        1.0 / square,
        plus(scaled(sine_a - cosine * sine_b, a), scaled(sine_b - cosine * sine_a, b)),
    )
    rest = 1.0 - dot(in_plane, in_plane)
    if rest < 0.0:
        return d, False
    height = math.copysign(math.sqrt(rest / square), dot(normal, d))
    return normalised(plus(in_plane, scaled(height, normal))), True


@kernel(inline=True)
def circles_of(solid: Solid) -> int:
    if solid.kind == BOX:
        return 3
    return 1 if is_round(solid.kind) else 0


@kernel(inline=True)
def circle_of(solid: Solid, sign: float, k: int) -> tuple[Vector, float]:
    """Axis and sine of the k-th circle of a solid, for its support along sign d."""
    if solid.kind == BOX:
        return axis_of(solid, k), 0.0
    bottom, top, half = solid.size
    return solid.z, sign * (bottom - top) / math.sqrt(4 * half * half + (bottom - top) ** 2)


@kernel
def better(i: Solid, j: Solid, d: Vector, best: Candidate, scale: float) -> Candidate:
    """The better of a new direction and the best so far, which stays when they are equal within rounding."""
    p = clearance(i, j, d)
    return Candidate(d, p) if p < best.overlap - 4e-16 * scale else best


@kernel
def is_settled(i: Solid, j: Solid, best: Candidate, rough: float, scale: float) -> bool:
    """Whether a candidate that is no worse than the rough direction is stationary: the solids meet where it says."""
    if not best.overlap <= rough + 1e-14 * scale:
        return False
    on_i, on_j = meeting(i, j, -best.overlap, best.direction)
    miss = minus(on_i, on_j)
    return dot(miss, miss) <= (SETTLED * scale) ** 2


@kernel
def best_normal(i: Solid, j: Solid, rough: Vector, best: Candidate, scale: float) -> Candidate:
    """The best of the normals of flat faces near by."""
    for of_i in range(2):
        solid = i if of_i == 1 else j
        if solid.kind == ELLIPSOID:
            continue
        for k in range(0 if solid.kind == BOX else 2, 3):
            along = dot(axis_of(solid, k), rough)
            if abs(along) > NEARBY:
                best = better(i, j, scaled(math.copysign(1.0, along), axis_of(solid, k)), best, scale)
    return best


@kernel
def best_crossing(i: Solid, j: Solid, rough: Vector, best: Candidate, scale: float) -> Candidate:
    """The best of the points near by where a circle of i crosses one of j."""
    for k in range(circles_of(i)):
        axis_i, sine_i = circle_of(i, -1.0, k)
        if abs(dot(axis_i, rough) - sine_i) > NEARBY:
            continue
        for m in range(circles_of(j)):
            axis_j, sine_j = circle_of(j, 1.0, m)
            if abs(dot(axis_j, rough) - sine_j) > NEARBY:
                continue
            d, crossed = crossing_of_circles(axis_i, sine_i, axis_j, sine_j, rough)
            if crossed:
                best = better(i, j, d, best, scale)
    return best


@kernel
def best_of_pieces(i: Solid, j: Solid, rough: Vector, best: Candidate, scale: float, on_circles: bool) -> Candidate:
    """The best direction that pairs of pieces settle to: on the circles near by, or free."""
    n_i, n_j = circles_of(i), circles_of(j)
    for k in range(pieces_of(i)):
        of_i, near_i = piece_near(i, -1.0, rough, k)
        if not near_i:
            continue
        for m in range(pieces_of(j)):
            of_j, near_j = piece_near(j, 1.0, rough, m)
            if not near_j:
                continue
            if not on_circles:
                best = better(i, j, settle_on_sphere(i, j, of_i, of_j, rough), best, scale)
                continue
            for c in range(n_i + n_j):
                solid, circle, piece, sign = (i, c, k, -1.0) if c < n_i else (j, c - n_i, m, 1.0)
                axis, sine = circle_of(solid, sign, circle)
                off = abs(dot(axis, rough) - sine)
                same = piece & (1 << circle) > 0 and off < NEAR if solid.kind == BOX else piece > 0
                # on its circle one piece may be the same as one before
                if off <= NEARBY and not same:
                    best = better(i, j, settle_on_circle(i, j, of_i, of_j, rough, axis, sine), best, scale)
    return best


@kernel
def refined(i: Solid, j: Solid, rough: Vector) -> Candidate:
    """The direction near `rough` in which p is least, and p there."""
    p = clearance(i, j, rough)
    scale = reach(i, rough) + reach(j, rough)
    best = Candidate(rough, math.inf)
    for _ in range(MOST_ROUNDS):
        before = best.overlap
        for stage in range(4):
            if stage == 0:
                best = best_normal(i, j, rough, best, scale)
            elif stage == 1:
                best = best_crossing(i, j, rough, best, scale)
            else:
                best = best_of_pieces(i, j, rough, best, scale, stage == 2)
            if is_settled(i, j, best, p, scale):
                return best
        if best.overlap >= before - 1e-14 * scale:
            break
        rough, p = best.direction, min(p, best.overlap)
    return best
