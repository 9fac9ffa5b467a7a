"""The points of two convex solids that are nearest to each other (or deepest in each other) along a given normal.

What a solid shows along a direction is a point, a line (edge, generator) or a flat face (rectangle, disc).  Where one
shows a point the other's is beneath it; two lines cross; where they run together or faces are involved any common
point will do, and one in the middle is taken.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..core.bodies import Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, plus, scaled
from .shapes import BOX, Solid, is_round, normalised, support

LEVEL = 1e-9  # sine of the angle at which a line or face still counts as at right angles to the normal
MOST_PASSES = 60


class Feature(NamedTuple):
    """What a solid shows: middle + s x + t y with |s| <= half_x and |t| <= half_y, or a disc."""

    middle: Vector
    x: Vector
    y: Vector
    half_x: float  # 0: a point
    half_y: float  # 0: a line; -1: a disc of radius half_x


@kernel
def feature_of(solid: Solid, d: Vector) -> Feature:
    """What a solid shows along d."""
    a, b, c = solid.size
    if solid.kind == BOX:
        x, y, z = dot(solid.x, d), dot(solid.y, d), dot(solid.z, d)
        flat_x, flat_y, flat_z = abs(x) < LEVEL, abs(y) < LEVEL, abs(z) < LEVEL
        middle = solid.centre
        if not flat_x:
            middle = plus(middle, scaled(math.copysign(a, x), solid.x))
        if not flat_y:
            middle = plus(middle, scaled(math.copysign(b, y), solid.y))
        if not flat_z:
            middle = plus(middle, scaled(math.copysign(c, z), solid.z))
        if flat_x:
            if flat_y:
                return Feature(middle, solid.x, solid.y, a, b)
            return Feature(middle, solid.x, solid.z, a, c if flat_z else 0.0)
        if flat_y:
            return Feature(middle, solid.y, solid.z, b, c if flat_z else 0.0)
        return Feature(middle, solid.z, solid.x, c if flat_z else 0.0, 0.0)
    if is_round(solid.kind):
        along = dot(solid.z, d)
        across = minus(d, scaled(along, solid.z))
        length = math.sqrt(dot(across, across))
        if length < LEVEL:
            radius = b if along > 0.0 else a
            middle = plus(solid.centre, scaled(math.copysign(c, along), solid.z))
            return Feature(middle, solid.x, solid.y, radius, -1.0 if radius > 0.0 else 0.0)
        if abs(2 * c * along + (b - a) * length) < LEVEL * c:
            across = scaled(1.0 / length, across)
            line = plus(scaled(2 * c, solid.z), scaled(b - a, across))
            half = 0.5 * math.sqrt(dot(line, line))
            middle = plus(solid.centre, scaled(0.5 * (a + b), across))
            return Feature(middle, normalised(line), across, half, 0.0)
    return Feature(support(solid, d), solid.x, solid.y, 0.0, 0.0)


@kernel(inline=True)
def nearest_on(feature: Feature, at: Vector) -> Vector:
    """Point of a feature nearest to a point."""
    arm = minus(at, feature.middle)
    s, t = dot(feature.x, arm), dot(feature.y, arm)
    if feature.half_y < 0.0:
        length = math.sqrt(s * s + t * t)
        if length > feature.half_x:
            s, t = s * feature.half_x / length, t * feature.half_x / length
    else:
        s = min(max(s, -feature.half_x), feature.half_x)
        t = min(max(t, -feature.half_y), feature.half_y)
    return plus(feature.middle, plus(scaled(s, feature.x), scaled(t, feature.y)))


@kernel
def nearest_of_lines(a: Feature, b: Feature) -> tuple[Vector, Vector]:
    """Nearest points of two lines; of parallel ones the middle of what they have in common."""
    between = minus(b.middle, a.middle)
    cosine = dot(a.x, b.x)
    to_a, to_b = dot(a.x, between), dot(b.x, between)
    determinant = 1.0 - cosine * cosine
    if determinant > 1e-14:
        s = (to_a - cosine * to_b) / determinant
    else:
        low, high = max(-a.half_x, to_a - b.half_x), min(a.half_x, to_a + b.half_x)
        s = 0.5 * (low + high)
    s = min(max(s, -a.half_x), a.half_x)
    on_a = plus(a.middle, scaled(s, a.x))
    on_b = nearest_on(b, on_a)
    return nearest_on(a, on_b), on_b


@kernel
def meeting(i: Solid, j: Solid, gap: float, normal: Vector) -> tuple[Vector, Vector]:
    """Where what i shows against the normal and what j shows along it, carried by the gap, come nearest to each other.

    The point of each; they are the same when the gap is stationary for this normal.
    """
    of_i, of_j = feature_of(i, scaled(-1.0, normal)), feature_of(j, normal)
    of_j = Feature(plus(of_j.middle, scaled(gap, normal)), of_j.x, of_j.y, of_j.half_x, of_j.half_y)
    if of_i.half_y == 0.0 and of_j.half_y == 0.0 and of_i.half_x > 0.0 and of_j.half_x > 0.0:
        return nearest_of_lines(of_i, of_j)
    on_i = of_i.middle
    on_j = nearest_on(of_j, on_i)
    for _ in range(MOST_PASSES):
        before = on_i
        on_i = nearest_on(of_i, on_j)
        on_j = nearest_on(of_j, on_i)
        change = minus(on_i, before)
        if dot(change, change) == 0.0:
            break
    return on_i, on_j


@kernel
def witnesses(i: Solid, j: Solid, gap: float, normal: Vector) -> tuple[Vector, Vector]:
    """A point on each surface; the one on i lies gap * normal from that on j."""
    on_i, on_j = meeting(i, j, gap, normal)
    common = scaled(0.5, plus(on_i, on_j))
    return common, minus(common, scaled(gap, normal))
