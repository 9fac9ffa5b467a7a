"""Contact of a sphere with every other shape: the signed distance of its centre from the shape, less its radius.

The distance of a point from the surface of a solid is positive outside and negative inside, where it is that of the
nearest face.  Closed forms, except for the ellipsoid: its nearest point solves

    sum_k (s_k y_k/(t + s_k^2))^2 = 1,    x_k = s_k^2 y_k/(t + s_k^2)

for the largest root t, found by Newton steps within a bracket (D. Eberly, Distance from a point to an ellipse, an
ellipsoid, or a hyperellipsoid, Geometric Tools, 2013).
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, scaled
from .contact_points import midway, put_gap, put_point, spherical_area, status_of, two_spheres_area
from .shapes import (
    BOX,
    PLANE,
    SPHERE,
    Solid,
    into_axes,
    is_round,
    normalised,
    out_of_axes,
)

MOST_PASSES = 100


@kernel(inline=True)
def distance_from_box(box: Solid, at: Vector) -> tuple[float, Vector]:
    """Signed distance of a point (from the centre, axes of the box) and the normal of the surface there."""
    a, b, c = box.size
    sx, sy, sz = math.copysign(1.0, at[0]), math.copysign(1.0, at[1]), math.copysign(1.0, at[2])
    x, y, z = abs(at[0]) - a, abs(at[1]) - b, abs(at[2]) - c
    if x <= 0 and y <= 0 and z <= 0:
        if x >= y and x >= z:
            return x, (sx, 0.0, 0.0)
        if y >= z:
            return y, (0.0, sy, 0.0)
        return z, (0.0, 0.0, sz)
    x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    distance = math.sqrt(x * x + y * y + z * z)
    return distance, (sx * x / distance, sy * y / distance, sz * z / distance)


@kernel(inline=True)
def distance_from_frustum(frustum: Solid, at: Vector) -> tuple[float, Vector]:
    """As for the box.  In the half plane through the axis: coordinates rho, z and the outline of the frustum."""
    bottom, top, half = frustum.size
    rho, z = math.sqrt(at[0] * at[0] + at[1] * at[1]), at[2]
    slant = math.sqrt(4 * half * half + (bottom - top) ** 2)
    side_rho, side_z = 2 * half / slant, (bottom - top) / slant  # normal of the side
    off_side = (rho - bottom) * side_rho + (z + half) * side_z
    off_end = abs(z) - half
    end = math.copysign(1.0, z)
    if off_side <= 0 and off_end <= 0:
        distance = max(off_side, off_end)
        normal_rho, normal_z = (side_rho, side_z) if off_side >= off_end else (0.0, end)
    else:
        # the nearest point of the side, then that of the end the point is nearer to
        along = (z + half) * side_rho - (rho - bottom) * side_z
        along = min(max(along, 0.0), slant)
        near_rho, near_z = rho - (bottom - along * side_z), z - (along * side_rho - half)
        radius = top if z > 0 else bottom
        end_rho, end_z = max(rho - radius, 0.0), z - end * half
        square = near_rho * near_rho + near_z * near_z
        if end_rho * end_rho + end_z * end_z < square:
            near_rho, near_z = end_rho, end_z
            square = near_rho * near_rho + near_z * near_z
        distance = math.sqrt(square)
        if 0.0 < along < slant and distance == off_side:
            near_rho, near_z = side_rho, side_z
        if distance > 0.0:
            normal = normalised((near_rho, near_z, 0.0))
            normal_rho, normal_z = normal[0], normal[1]
        else:
            normal_rho, normal_z = (side_rho, side_z) if off_side >= off_end else (0.0, end)
    if rho > 0.0:
        return distance, (normal_rho * at[0] / rho, normal_rho * at[1] / rho, normal_z)
    return distance, (normal_rho, 0.0, normal_z)


@kernel
def distance_from_ellipsoid(ellipsoid: Solid, at: Vector) -> tuple[float, Vector]:
    """As for the box."""
    a, b, c = ellipsoid.size
    x, y, z = abs(at[0]), abs(at[1]), abs(at[2])
    least = min(a, b, c)
    # relative to the least semi-axis, its square taken off: sum (m/(t + s))^2 - 1 falls from t = 0 on
    p, q, r = (a / least) ** 2 - 1.0, (b / least) ** 2 - 1.0, (c / least) ** 2 - 1.0
    u, v, w = a * x / least**2, b * y / least**2, c * z / least**2
    low = max(u - p, v - q, w - r, 1e-300)
    high = math.sqrt(u * u + v * v + w * w)
    t = low
    for _ in range(MOST_PASSES):
        du, dv, dw = u / (t + p), v / (t + q), w / (t + r)
        excess = du * du + dv * dv + dw * dw - 1.0
        if excess > 0.0:
            low = t
        else:
            high = t
        before = t
        t += 0.5 * excess / (du * du / (t + p) + dv * dv / (t + q) + dw * dw / (t + r))
        if not (low < t < high):
            t = 0.5 * (low + high)
        if not low < high or abs(t - before) <= 2e-16 * t:
            break
    near_x, near_y, near_z = nearest_component(p, t, x), nearest_component(q, t, y), nearest_component(r, t, z)
    rest = 1.0 - (near_x / a) ** 2 - (near_y / b) ** 2 - (near_z / c) ** 2
    # on the middle plane of the least axis, deep inside: the nearest point lies off that plane
    if t <= 1e-12 and rest > 0.0:
        if least == a:
            near_x = a * math.sqrt(rest + (near_x / a) ** 2)
        elif least == b:
            near_y = b * math.sqrt(rest + (near_y / b) ** 2)
        else:
            near_z = c * math.sqrt(rest + (near_z / c) ** 2)
    near = math.copysign(near_x, at[0]), math.copysign(near_y, at[1]), math.copysign(near_z, at[2])
    normal = normalised((near[0] / (a * a), near[1] / (b * b), near[2] / (c * c)))
    return dot(normal, minus(at, near)), normal


@kernel(inline=True)
def nearest_component(excess: float, t: float, y: float) -> float:
    return (excess + 1.0) * y / (t + excess) if t + excess > 0.0 else 0.0


@kernel(inline=True)
def distance_from(solid: Solid, point: Vector) -> tuple[float, Vector]:
    """Signed distance of a point from the surface of a solid, and the outward normal where it is nearest."""
    at = minus(point, solid.centre)
    if solid.kind == PLANE:
        return dot(solid.z, at), solid.z
    if solid.kind == SPHERE:
        length = math.sqrt(dot(at, at))
        return length - solid.size[0], normalised(at)
    local = into_axes(solid, at)
    if solid.kind == BOX:
        distance, normal = distance_from_box(solid, local)
    elif is_round(solid.kind):
        distance, normal = distance_from_frustum(solid, local)
    else:
        distance, normal = distance_from_ellipsoid(solid, local)
    return distance, out_of_axes(solid, normal)


@kernel(inline=True)
def gap_from(i: Solid, j: Solid) -> tuple[float, Vector]:
    """Gap of a sphere i and any solid j, and the normal from j to i."""
    distance, normal = distance_from(j, i.centre)
    return distance - i.size[0], normal


@kernel
def sphere_gap(i: Solid, j: Solid, scratch: Record) -> int:
    """Gap of a sphere i and any solid j."""
    gap, normal = gap_from(i, j)
    on_i, on_j = sphere_witnesses(i.centre, i.size[0], gap, normal)
    return put_gap(scratch, gap, normal, on_i, on_j)


@kernel(inline=True)
def two_spheres_gap(centre_i: Vector, radius_i: float, centre_j: Vector, radius_j: float) -> tuple[float, Vector]:
    """Gap of two spheres, and the normal from j to i."""
    between = minus(centre_i, centre_j)
    return math.sqrt(dot(between, between)) - (radius_i + radius_j), normalised(between)


@kernel(inline=True)
def two_spheres_points(centre_i: Vector, radius_i: float, centre_j: Vector, radius_j: float, points: Records) -> int:
    """Contact point of two spheres, with the exact area of the circle in which they cut each other."""
    gap, normal = two_spheres_gap(centre_i, radius_i, centre_j, radius_j)
    if gap >= 0.0:
        return 0
    place = midway(minus(centre_i, scaled(radius_i, normal)), normal, -gap)
    return put_point(points, 0, place, normal, -gap, 1.0, two_spheres_area(radius_i, radius_j, -gap), 1.0)


@kernel(inline=True)
def single_point(centre: Vector, radius: float, gap: float, normal: Vector, points: Records) -> int:
    """Contact point of a sphere with what touches it at a gap and a normal that points to its centre.

    The area is that in which a sphere cuts a plane: exact for a half space, an approximation for others.
    """
    if gap >= 0.0:
        return 0
    place = midway(minus(centre, scaled(radius, normal)), normal, -gap)
    return put_point(points, 0, place, normal, -gap, 1.0, spherical_area(radius, -gap), 1.0)


@kernel
def sphere_sphere_points(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    """Contact point of two spheres."""
    return status_of(two_spheres_points(i.centre, i.size[0], j.centre, j.size[0], points))


@kernel
def sphere_points(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    """Contact point of a sphere i with any solid j but a sphere."""
    gap, normal = gap_from(i, j)
    return status_of(single_point(i.centre, i.size[0], gap, normal, points))


@kernel(inline=True)
def sphere_witnesses(centre: Vector, radius: float, gap: float, normal: Vector) -> tuple[Vector, Vector]:
    """The points of the surfaces of a sphere and another solid that are nearest to each other."""
    on_i = minus(centre, scaled(radius, normal))
    return on_i, minus(on_i, scaled(gap, normal))
