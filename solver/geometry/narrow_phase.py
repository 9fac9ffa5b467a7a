"""Contact of any two shapes: signed distance, and the points where the force law acts.

`pair_table` says which kernels find them for which pair of kinds.  They are called through their addresses, in the
records PAIR_KERNELS, so that a deck compiles those alone that it needs.

The signed distance is the distance when the shapes are apart, and minus the least translation that separates them when
they overlap.  The points and weights are chosen so that the force, the sum of weight * law(penetration) along the
normals, is a continuous function of the position of the two bodies; how many points carry which load:

    sphere, ellipsoid                    one point of weight 1
    box or cylinder standing on a face   weight 4: corners of the common part, or four points of a rim
    box on an edge, cylinder lying       weight 2: the two ends of the line
    corner, crossed edges or lines       one point of weight 1

Of an ellipsoid the direction of least overlap is taken alone.  The force is continuous as long as the overlap is less
than the radius of the largest ball that rolls inside the ellipsoid over all of its surface (`rounding_radius`, the sum
of both for two ellipsoids); deeper the force turns at once where another direction becomes that of least overlap.

Both orders of a pair give the same points with opposite normals.
"""

from __future__ import annotations

import math

import numpy as np
from numba import from_dtype, typeof

from ..core.bodies import Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call, function_type
from ..core.vectors import dot, minus, plus, scaled, vector_of
from .contact_points import GAP_FOUND, new_points, number_of, turn_normals
from .gjk_epa import SCRATCH
from .shapes import NOWHERE, SPHERE, Solid, centre_of, solid_of

AS_GIVEN, REVERSED, BY_SIZE = range(3)  # order in which the kernels of a pair take its shapes

# The kernels of a pair of kinds, in an array (kind of i, kind of j).
PAIR_KERNELS = np.dtype(
    [
        ("points", "i8"),  # address of a POINTS_KERNEL, 0: not compiled
        ("gap", "i8"),  # address of a GAP_KERNEL, likewise
        ("order", "i8"),
        ("needs_points", "i8"),  # 1: such shapes may touch in this deck
        ("needs_gap", "i8"),  # 1: and their gap is of interest
    ],
    align=True,
)

_SOLID = typeof(Solid(SPHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE))
# (i, j, scratch, points) -> `contact_points.status_of` the number of points
POINTS_KERNEL = function_type(_SOLID, _SOLID, from_dtype(SCRATCH), typeof(new_points()))
# (i, j, scratch) -> GAP_FOUND, with the gap in the scratch (`contact_points.put_gap`)
GAP_KERNEL = function_type(_SOLID, _SOLID, from_dtype(SCRATCH))


@kernel(inline=True)
def is_reversed(pair: Record, shape_i: Record, shape_j: Record) -> bool:
    """Whether the kernels of a pair take shape j first.

    Where they take both orders, the smaller shape is the first, so that it does not matter in which order a deck has
    them: where two cylinders stand on each other the larger one says where on the rim the points are.  Of shapes of one
    size that of the higher body is the first.
    """
    if pair.order != BY_SIZE:
        return pair.order == REVERSED
    if shape_i.bounding_radius != shape_j.bounding_radius:
        return shape_i.bounding_radius > shape_j.bounding_radius
    return shape_i.body < shape_j.body


@kernel(inline=True)
def spheres_apart(shape_i: Record, centre_i: Vector, shape_j: Record, centre_j: Vector) -> bool:
    """Whether the bounding spheres are apart; those of two spheres are the spheres."""
    between = minus(centre_i, centre_j)
    radii = shape_i.bounding_radius + shape_j.bounding_radius
    return dot(between, between) >= radii * radii


@kernel
def find_points(
    shape_i: Record,
    position_i: Floats | Vector,
    rotation_i: Floats,
    shape_j: Record,
    position_j: Floats | Vector,
    rotation_j: Floats,
    pairs: Records,
    scratch: Record,
    points: Records,
) -> int:
    """Write the contact points of two shapes into `points` and return their number, 0 when they are apart.

    shape_i, shape_j : records of SHAPE, not both half spaces
    position_i, position_j : (3,) reference points of their bodies, global
    rotation_i, rotation_j : (3, 3) body axes -> global
    pairs : (kinds, kinds) of PAIR_KERNELS, compiled for this pair among others
    scratch : from `new_scratch`, one a thread
    points : records of CONTACT_POINT, from `new_points`; normals point from j to i

    OUT_OF_CAPACITY where there are more points, or more to consider for them, than the arrays hold; KERNEL_DIED where
    the kernel of the pair did.
    """
    # relative to the reference point of body j
    origin = (position_j[0], position_j[1], position_j[2])
    offset = (position_i[0] - origin[0], position_i[1] - origin[1], position_i[2] - origin[2])
    centre_i, centre_j = centre_of(shape_i, offset, rotation_i), centre_of(shape_j, NOWHERE, rotation_j)
    if spheres_apart(shape_i, centre_i, shape_j, centre_j):
        return 0
    i, j = solid_of(shape_i, offset, rotation_i), solid_of(shape_j, NOWHERE, rotation_j)
    pair = pairs[shape_i.kind, shape_j.kind]
    swapped = is_reversed(pair, shape_i, shape_j)
    first, second = (j, i) if swapped else (i, j)
    n = number_of(call(pair.points, POINTS_KERNEL, first, second, scratch, points))
    if swapped:
        turn_normals(points, n)
    for k in range(n):
        for m in range(3):
            points[k].point[m] += origin[m]
    return n


@kernel
def gap_of(
    shape_i: Record,
    position_i: Floats | Vector,
    rotation_i: Floats,
    shape_j: Record,
    position_j: Floats | Vector,
    rotation_j: Floats,
    pairs: Records,
    scratch: Record,
) -> tuple[float, Vector, Vector, Vector]:
    """Signed distance of two shapes, unit normal from j to i, and the two points of the surfaces it is taken between.

    Apart: the distance of the nearest points.  Overlapping: minus the least translation of i that separates them,
    which is along the normal.  NaN where the kernel of the pair died.  Arguments as for `find_points`.
    """
    origin = (position_j[0], position_j[1], position_j[2])
    offset = (position_i[0] - origin[0], position_i[1] - origin[1], position_i[2] - origin[2])
    i, j = solid_of(shape_i, offset, rotation_i), solid_of(shape_j, NOWHERE, rotation_j)
    pair = pairs[shape_i.kind, shape_j.kind]
    swapped = is_reversed(pair, shape_i, shape_j)
    first, second = (j, i) if swapped else (i, j)
    if call(pair.gap, GAP_KERNEL, first, second, scratch) != GAP_FOUND:
        return math.nan, NOWHERE, NOWHERE, NOWHERE
    normal = vector_of(scratch.normal)
    on_first, on_second = plus(vector_of(scratch.on_i), origin), plus(vector_of(scratch.on_j), origin)
    if swapped:
        return scratch.gap, scaled(-1.0, normal), on_second, on_first
    return scratch.gap, normal, on_first, on_second
