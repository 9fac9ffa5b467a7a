"""Contact of any two shapes: signed distance, and the points where the force law acts.

Each pair belongs to a family, the kernel of which is called through a pointer, so that a deck compiles those alone that
it needs: spheres (`sphere`), half spaces (`half_space`), boxes, and round solids with each other and with
boxes (`solid_solid`), ellipsoids with all but spheres and half spaces (here).

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

from ..core.bodies import Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, plus, scaled
from .contact_points import Families, midway, put_point, spherical_area, turn_normals
from .gjk_epa import (
    clearance,
    least_overlap_direction,
    rounding_radius,
    separating_direction,
)
from .half_space import plane_gap, plane_points, plane_witnesses
from .refine_normal import refined
from .shapes import (
    BOX,
    ELLIPSOID,
    NOWHERE,
    PLANE,
    SPHERE,
    Solid,
    centre_of,
    is_round,
    normalised,
    reach,
    solid_of,
    support,
)
from .solid_solid import box_box_points, round_points, solids_gap
from .sphere import sphere_gap, sphere_points, sphere_witnesses, two_spheres_points
from .witness_points import witnesses


def family_of(first: int, second: int) -> str:
    """Name of the family of two kinds."""
    first, second = min(first, second), max(first, second)
    if first == SPHERE:
        return "spheres"
    if second == PLANE:
        return "planes"
    if first == ELLIPSOID:
        return "ellipsoids"
    return "boxes" if first == BOX else "rounds"


@kernel(inline=True)
def in_order(shape_i: Record, shape_j: Record) -> bool:
    """Whether shape i is the first of the pair as the modules take it: lower kind, or of one kind the higher body.

    Cylinders and frustums are of one kind here: where two of them stand on each other the lower body, the ground if it
    is one of them, says where on the rim the points are.
    """
    if shape_i.kind != shape_j.kind and not (is_round(shape_i.kind) and is_round(shape_j.kind)):
        return shape_i.kind < shape_j.kind
    return shape_i.body >= shape_j.body


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
        return 0
    best = refined(i, j, rough)
    if best.overlap <= 0.0:
        return 0
    normal = best.direction
    down = scaled(-1.0, normal)
    radius = i.size[0] * i.size[1] * i.size[2] / reach(i, down) ** 2
    if j.kind == ELLIPSOID:
        other = j.size[0] * j.size[1] * j.size[2] / reach(j, normal) ** 2
        radius = radius * other / (radius + other)
    area = spherical_area(radius, best.overlap)
    return put_point(points, 0, midway(support(i, down), normal, best.overlap), normal, best.overlap, 1.0, area)


@kernel(inline=True)
def spheres_apart(shape_i: Record, centre_i: Vector, shape_j: Record, centre_j: Vector) -> bool:
    """Whether the bounding spheres are apart; those of two spheres are the spheres."""
    between = minus(centre_i, centre_j)
    radii = shape_i.bounding_radius + shape_j.bounding_radius
    return dot(between, between) >= radii * radii


@kernel
def spheres_family(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    return sphere_points(i, j, points)


@kernel
def planes_family(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    return plane_points(i, j, points)


KERNELS = Families(spheres_family, planes_family, ellipsoid_points, box_box_points, round_points)


@kernel(inline=True)
def solid_points(
    shape_i: Record,
    offset: Vector,
    rotation_i: Floats,
    shape_j: Record,
    rotation_j: Floats,
    families: Families,
    scratch: Record,
    points: Records,
) -> int:
    """Contact points of two shapes, relative to the reference point of body j; that of body i is at `offset`."""
    i, j = solid_of(shape_i, offset, rotation_i), solid_of(shape_j, NOWHERE, rotation_j)
    swapped = not in_order(shape_i, shape_j)
    first, second = (j, i) if swapped else (i, j)
    if first.kind == SPHERE:
        n = families.spheres(first, second, scratch, points)
    elif second.kind == PLANE:
        n = families.planes(first, second, scratch, points)
    elif first.kind == ELLIPSOID:
        n = families.ellipsoids(first, second, scratch, points)
    elif first.kind == BOX:
        n = families.boxes(first, second, scratch, points)
    else:
        n = families.rounds(first, second, scratch, points)
    if swapped:
        turn_normals(points, n)
    return n


@kernel(inline=True)
def find_points(
    shape_i: Record,
    position_i: Floats | Vector,
    rotation_i: Floats,
    shape_j: Record,
    position_j: Floats | Vector,
    rotation_j: Floats,
    families: Families,
    scratch: Record,
    points: Records,
) -> int:
    """Write the contact points of two shapes into `points` and return their number, 0 when they are apart.

    shape_i, shape_j : records of SHAPE, not both half spaces
    position_i, position_j : (3,) reference points of their bodies, global
    rotation_i, rotation_j : (3, 3) body axes -> global
    families : from `dispatch.families_for`, for this pair among others
    scratch : from `new_scratch`, one a thread
    points : records of CONTACT_POINT, from `new_points`; normals point from j to i
    """
    # relative to the reference point of body j
    origin = (position_j[0], position_j[1], position_j[2])
    offset = (position_i[0] - origin[0], position_i[1] - origin[1], position_i[2] - origin[2])
    centre_i, centre_j = centre_of(shape_i, offset, rotation_i), centre_of(shape_j, NOWHERE, rotation_j)
    if spheres_apart(shape_i, centre_i, shape_j, centre_j):
        return 0
    if shape_i.kind == SPHERE and shape_j.kind == SPHERE:
        n = two_spheres_points(centre_i, shape_i.dimensions[0], centre_j, shape_j.dimensions[0], points)
    else:
        n = solid_points(shape_i, offset, rotation_i, shape_j, rotation_j, families, scratch, points)
    for k in range(n):
        for m in range(3):
            points[k].point[m] += origin[m]
    return n


@kernel
def gap_in_order(i: Solid, j: Solid, scratch: Record) -> tuple[float, Vector, Vector, Vector]:
    if i.kind == SPHERE:
        gap, normal = sphere_gap(i, j)
        on_i, on_j = sphere_witnesses(i.centre, i.size[0], gap, normal)
    elif j.kind == PLANE:
        gap, normal = plane_gap(i, j)
        on_i, on_j = plane_witnesses(i, gap, normal)
    else:
        gap, normal = solids_gap(i, j, scratch)
        on_i, on_j = witnesses(i, j, gap, normal)
    return gap, normal, on_i, on_j


@kernel
def gap_of(
    shape_i: Record,
    position_i: Floats | Vector,
    rotation_i: Floats,
    shape_j: Record,
    position_j: Floats | Vector,
    rotation_j: Floats,
    scratch: Record,
) -> tuple[float, Vector, Vector, Vector]:
    """Signed distance of two shapes, unit normal from j to i, and the two points of the surfaces it is taken between.

    Apart: the distance of the nearest points.  Overlapping: minus the least translation of i that separates them,
    which is along the normal.  Arguments as for `find_points`.
    """
    origin = (position_j[0], position_j[1], position_j[2])
    offset = (position_i[0] - origin[0], position_i[1] - origin[1], position_i[2] - origin[2])
    i, j = solid_of(shape_i, offset, rotation_i), solid_of(shape_j, NOWHERE, rotation_j)
    swapped = not in_order(shape_i, shape_j)
    first, second = (j, i) if swapped else (i, j)
    gap, normal, on_first, on_second = gap_in_order(first, second, scratch)
    on_first, on_second = plus(on_first, origin), plus(on_second, origin)
    if swapped:
        return gap, scaled(-1.0, normal), on_second, on_first
    return gap, normal, on_first, on_second
