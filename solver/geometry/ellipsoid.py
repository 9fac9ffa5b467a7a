"""Contact of an ellipsoid with an ellipsoid, cylinder, frustum or box: one point, in the direction of least overlap.

`gjk_epa` finds the direction roughly and `refine_normal` makes it exact.  Where the cores of the two solids, what is
left of them without their rounding, are apart, as in all contacts that are not deep, their nearest points give it.
"""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.vectors import minus, scaled
from .contact_points import NO_POINTS, midway, put_point, spherical_area, spherical_growth, status_of
from .gjk_epa import clearance, least_overlap_direction, rounding_radius, separating_direction
from .refine_normal import refined
from .shapes import ELLIPSOID, Solid, normalised, reach, support


@kernel
def ellipsoid_points(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    """The contact point of an ellipsoid i with a bounded solid j.

    The area is that of a sphere against a plane, with the mean curvature radius of the ellipsoid where they touch
    (of two ellipsoids, with that of the two together).
    """
    rough, apart = separating_direction(i, j, scratch, rounding_radius(i) + rounding_radius(j), True)
    if not apart:
        rough = least_overlap_direction(i, j, normalised(minus(i.centre, j.centre)), scratch)
    elif clearance(i, j, rough) <= 0.0:
        return NO_POINTS
    best = refined(i, j, rough)
    if best.overlap <= 0.0:
        return NO_POINTS
    normal = best.direction
    down = scaled(-1.0, normal)
    radius = i.size[0] * i.size[1] * i.size[2] / reach(i, down) ** 2
    if j.kind == ELLIPSOID:
        other = j.size[0] * j.size[1] * j.size[2] / reach(j, normal) ** 2
        radius = radius * other / (radius + other)
    area = spherical_area(radius, best.overlap)
    growth, place = spherical_growth(radius, best.overlap), midway(support(i, down), normal, best.overlap)
    return status_of(put_point(points, 0, place, normal, best.overlap, 1.0, area, growth))
