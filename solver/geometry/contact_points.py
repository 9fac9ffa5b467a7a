"""What the contact of two shapes comes to: points, each with its own penetration, weight and area.

The force law is evaluated at each point: its force is weight * law(penetration), along the normal on shape i and
against it on shape j, both at `point`, which lies midway between the two surfaces.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.jit.pointers import DIED
from ..core.vectors import plus, scaled

# In place of a number of points: an array was too short for all that is to be kept; nothing is cut short.
OUT_OF_CAPACITY = -1
KERNEL_DIED = -2  # likewise: the kernel of the pair did
BUFFER_FULL = -3  # likewise: a buffer of pairs of meshes, which may be made longer

# What kernels that are called by address return; 0 is never among it.
GAP_FOUND = 1
NO_POINTS = 1  # and so on: see `status_of`

# Enough for every pair: two boxes have at most 12 faces with three others on each, every part of them with eight
# corners, and 18 edges.  A face at rest on a face has four; many share the load only of solids one inside the other.
MAX_POINTS = 320

CONTACT_POINT = np.dtype(
    [
        ("point", "f8", 3),  # where the force acts, global
        ("normal", "f8", 3),  # direction of the force on shape i
        ("penetration", "f8"),  # > 0
        ("weight", "f8"),
        ("area", "f8"),  # the point's part of the contact area
        ("growth", "f8"),  # z A'/A: the power of the penetration with which the area grows
        ("arm", "f8"),  # mean distance from it of the face that it alone stands for; 0: of a part of a face
    ],
    align=True,
)


def new_points() -> Records:
    """Memory for the points of one pair."""
    return np.zeros(MAX_POINTS, CONTACT_POINT)


@kernel(inline=True)
def put_point(
    points: Records, n: int, place: Vector, normal: Vector, penetration: float, weight: float, area: float,
    growth: float,
) -> int:  # fmt: skip
    """Write a point behind the n there are, unless it carries nothing; returns their new number or OUT_OF_CAPACITY."""
    if n < 0 or not (penetration > 0.0 and weight > 0.0):
        return n
    if n >= len(points):
        return OUT_OF_CAPACITY
    point = points[n]
    for k in range(3):
        point.point[k] = place[k]
        point.normal[k] = normal[k]
    point.penetration = penetration
    point.weight = weight
    point.area = area
    point.growth = growth
    point.arm = 0.0
    return n + 1


@kernel(inline=True)
def status_of(n: int) -> int:
    """What the kernel of a pair returns for a number of points: one more, so that it is never 0, or OUT_OF_CAPACITY."""
    return n + NO_POINTS if n >= 0 else n


@kernel(inline=True)
def number_of(status: int) -> int:
    """The number of points, or OUT_OF_CAPACITY, KERNEL_DIED or BUFFER_FULL, from what a kernel of a pair returned."""
    if status == DIED:
        return KERNEL_DIED
    return status - NO_POINTS if status > 0 else status


@kernel(inline=True)
def put_gap(scratch: Record, gap: float, normal: Vector, on_i: Vector, on_j: Vector) -> int:
    """Write the gap of two solids, the normal from j to i and the two points it is taken between; returns GAP_FOUND."""
    scratch.gap = gap
    for k in range(3):
        scratch.normal[k], scratch.on_i[k], scratch.on_j[k] = normal[k], on_i[k], on_j[k]
    return GAP_FOUND


@kernel(inline=True)
def turn_normals(points: Records, n: int) -> None:
    """Let the forces of the first n points act on the other shape."""
    for k in range(n):
        for m in range(3):
            points[k].normal[m] = -points[k].normal[m]


@kernel
def counted_from(points: Records, n: int, depth: float) -> int:
    """Let penetrations of the first n points count from a depth on; the number of those that are deeper."""
    kept = 0
    for k in range(n):
        if points[k].penetration > depth:
            points[kept] = points[k]
            points[kept].penetration -= depth
            kept += 1
    return kept


@kernel(inline=True)
def midway(deepest: Vector, normal: Vector, penetration: float) -> Vector:
    """Midway between the surfaces, from the point of shape i that lies deepest in shape j."""
    return plus(deepest, scaled(0.5 * penetration, normal))


@kernel(inline=True)
def spherical_area(radius: float, penetration: float) -> float:
    """Area of the circle in which a sphere cuts a plane; beyond its centre that of its great circle."""
    if penetration >= radius:
        return math.pi * radius * radius
    return math.pi * penetration * (2 * radius - penetration)


@kernel(inline=True)
def chord(radius: float, depth: float) -> float:
    """Width of the strip in which a cylinder cuts a plane along its axis; beyond its axis its diameter."""
    return 2.0 * radius if depth >= radius else 2.0 * math.sqrt(depth * (2.0 * radius - depth))


@kernel(inline=True)
def chord_growth(radius: float, depth: float) -> float:
    """`growth` of the chord: 1/2 where it is shallow."""
    return 0.0 if depth >= radius else (radius - depth) / (2.0 * radius - depth)


@kernel(inline=True)
def spherical_growth(radius: float, depth: float) -> float:
    """`growth` of the circle of a sphere, which grows with the square of the chord."""
    return 2.0 * chord_growth(radius, depth)


@kernel(inline=True)
def two_chords(radius_i: float, radius_j: float, depth: float) -> float:
    """Width of the strip in which two parallel cylinders cut each other."""
    return 2.0 * math.sqrt(two_spheres_area(radius_i, radius_j, depth) / math.pi)


@kernel(inline=True)
def two_spheres_area(radius_i: float, radius_j: float, penetration: float) -> float:
    """Area of the circle in which two spheres cut each other; never less than beyond the smaller one's centre."""
    apart = radius_i + radius_j - penetration
    smaller = min(radius_i, radius_j)
    square = apart * apart
    # distance of the circle's plane from the centre of the smaller sphere
    to_plane = 0.5 * (square + smaller * smaller - max(radius_i, radius_j) ** 2)
    if to_plane <= 0.0:
        return math.pi * smaller * smaller
    return math.pi * (smaller * smaller - to_plane * to_plane / square)
