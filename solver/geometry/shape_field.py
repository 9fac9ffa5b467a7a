"""The faces of exact shapes as smooth surfaces: signed height, normal, curvature and edges, as of charts of meshes.

    SPHERE, ELLIPSOID, PLANE    one face, 0, without edges
    CYLINDER, FRUSTUM           0 the side, 1 the end at +z, 2 the end at -z
    BOX                         2 k and 2 k + 1: the faces at -k and +k of the axes k = 0, 1, 2

Heights are distances from the whole plane, cylinder or cone that a face is part of.  All shapes are convex, so that
the face in charge of a point is the one over which its height is largest, and `beyond` of a face A is

    max over its neighbours B of (phi_B - phi_A)/|N_B - N_A|,

the signed distance from the plane that halves the angle between A and B.
"""

from __future__ import annotations

import math

from ..core.bodies import Vector
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, scaled
from .shapes import BOX, ELLIPSOID, PLANE, SPHERE, Solid, axis_of, into_axes, is_round, normalised, out_of_axes
from .surface_point import NO_CURVATURE, NO_EDGE, NO_EDGE_AT, SurfacePoint, Tensor, added, symmetric

SIDE, TOP, BOTTOM = 0, 1, 2
MOST_STEPS = 60  # of Newton's method for an ellipsoid
SMALLEST_PART = 1e-9  # of a size: what is nearer to an axis or a centre has the curvature that it has there
EXPANSION = 4e-6  # of the square of the radius of curvature: for which a second-order expansion serves
ENDLESS = 1e300


@kernel(inline=True)
def number_of_faces(kind: int) -> int:
    return 6 if kind == BOX else 3 if is_round(kind) else 1


@kernel(inline=True)
def face_of_frustum(solid: Solid, face: int, x: Vector) -> tuple[float, Vector, Vector, float]:
    """Of a cylinder or frustum: height, normal, direction of curvature and curvature at a point x from its centre."""
    bottom, top, half = solid.size
    along = dot(solid.z, x)
    if face == TOP:
        return along - half, solid.z, solid.x, 0.0
    if face == BOTTOM:
        return -along - half, scaled(-1.0, solid.z), solid.x, 0.0
    a, b = dot(solid.x, x), dot(solid.y, x)
    across = math.sqrt(a * a + b * b)
    if across > 0.0:
        a, b = a / across, b / across
    else:
        a, b = 1.0, 0.0
    slant = math.sqrt(4.0 * half * half + (bottom - top) ** 2)
    cosine, sine = 2.0 * half / slant, (bottom - top) / slant
    phi = (across - 0.5 * (bottom + top)) * cosine + along * sine
    normal = out_of_axes(solid, (a * cosine, b * cosine, sine))
    curvature = cosine / max(across, SMALLEST_PART * max(bottom, top))
    return phi, normal, out_of_axes(solid, (-b, a, 0.0)), curvature


@kernel(inline=True)
def halfway(phi: float, normal: Vector, other_phi: float, other_normal: Vector) -> tuple[float, Vector]:
    """Signed distance beyond the plane between two faces, and its gradient."""
    apart = minus(other_normal, normal)
    length = math.sqrt(dot(apart, apart))
    return (other_phi - phi) / length, scaled(1.0 / length, apart)


@kernel
def evaluate_frustum(solid: Solid, face: int, x: Vector) -> SurfacePoint:
    phi, normal, turning, curvature = face_of_frustum(solid, face, x)
    beyond, gradient = NO_EDGE, normal
    for other in range(3):
        if other != face and (other == SIDE or face == SIDE):
            other_phi, other_normal, _, _ = face_of_frustum(solid, other, x)
            value, direction = halfway(phi, normal, other_phi, other_normal)
            if value > beyond:
                beyond, gradient = value, direction
    hessian = added(NO_CURVATURE, curvature, symmetric(turning, turning))
    reach = 0.25 * beyond * beyond if face != SIDE else EXPANSION / (curvature * curvature)
    return SurfacePoint(face, phi, normal, hessian, beyond, gradient, NO_EDGE_AT, reach)


@kernel
def evaluate_box(solid: Solid, face: int, x: Vector) -> SurfacePoint:
    axis, sign = face // 2, 1.0 if face % 2 else -1.0
    normal = scaled(sign, axis_of(solid, axis))
    phi = dot(normal, x) - solid.size[axis]
    beyond, gradient = NO_EDGE, normal
    for other in range(3):
        if other != axis:
            along = dot(axis_of(solid, other), x)
            direction = scaled(1.0 if along >= 0.0 else -1.0, axis_of(solid, other))
            value, towards = halfway(phi, normal, abs(along) - solid.size[other], direction)
            if value > beyond:
                beyond, gradient = value, towards
    return SurfacePoint(face, phi, normal, NO_CURVATURE, beyond, gradient, NO_EDGE_AT, 0.25 * beyond * beyond)


@kernel
def evaluate_sphere(solid: Solid, x: Vector) -> SurfacePoint:
    distance = math.sqrt(dot(x, x))
    normal = normalised(x)
    radius = max(distance, SMALLEST_PART * solid.size[0])
    hessian = (1.0 / radius, 1.0 / radius, 1.0 / radius, 0.0, 0.0, 0.0)
    hessian = added(hessian, -1.0 / radius, symmetric(normal, normal))
    return SurfacePoint(
        0, distance - solid.size[0], normal, hessian, NO_EDGE, (0.0, 0.0, 0.0), NO_EDGE_AT, EXPANSION * radius * radius
    )


@kernel
def foot_on_ellipsoid(size: Vector, x: Vector) -> Vector:
    """The point y of an ellipsoid nearest to x, in its axes: y_i = a_i^2 x_i/(a_i^2 + t).

    sum (a_i x_i/(a_i^2 + t))^2 = 1 is solved by Newton's method from below, where it converges from one side.
    """
    least = SMALLEST_PART * min(size[0], min(size[1], size[2]))
    x = (
        math.copysign(max(abs(x[0]), least), x[0]),
        math.copysign(max(abs(x[1]), least), x[1]),
        math.copysign(max(abs(x[2]), least), x[2]),
    )
    t = -ENDLESS
    for i in range(3):
        t = max(t, size[i] * (abs(x[i]) - size[i]))
    for _ in range(MOST_STEPS):
        value, slope = -1.0, 0.0
        for i in range(3):
            part = size[i] * x[i] / (size[i] * size[i] + t)
            value += part * part
            slope += part * part / (size[i] * size[i] + t)
        step = 0.5 * value / slope
        t += step
        if not step > 1e-15 * abs(t):
            break
    return (
        x[0] / (1.0 + t / (size[0] * size[0])),
        x[1] / (1.0 + t / (size[1] * size[1])),
        x[2] / (1.0 + t / (size[2] * size[2])),
    )


@kernel
def evaluate_ellipsoid(solid: Solid, x: Vector) -> SurfacePoint:
    """With the shape operator W at the nearest point, its trace T and Gauss's curvature K, and P = I - n n^T:

    Hessian = (W + phi K P)/(1 + phi T + phi^2 K).
    """
    a, b, c = solid.size
    own = into_axes(solid, x)
    foot = foot_on_ellipsoid(solid.size, own)
    sharp = (1.0 / (a * a), 1.0 / (b * b), 1.0 / (c * c))
    gradient = (foot[0] * sharp[0], foot[1] * sharp[1], foot[2] * sharp[2])
    length = math.sqrt(dot(gradient, gradient))
    n = scaled(1.0 / length, gradient)
    phi = dot(minus(own, foot), n)
    # W = P D P/|grad| = (D - n (D n)^T - (D n) n^T + (n.D n) n n^T)/|grad|
    bent = (sharp[0] * n[0], sharp[1] * n[1], sharp[2] * n[2])
    w = added((sharp[0], sharp[1], sharp[2], 0.0, 0.0, 0.0), -2.0, symmetric(n, bent))
    w = added(w, dot(n, bent), symmetric(n, n))
    w = added(NO_CURVATURE, 1.0 / length, w)
    trace = w[0] + w[1] + w[2]
    gauss = w[0] * w[1] + w[0] * w[2] + w[1] * w[2] - w[3] * w[3] - w[4] * w[4] - w[5] * w[5]
    tangent = added((1.0, 1.0, 1.0, 0.0, 0.0, 0.0), -1.0, symmetric(n, n))
    divisor = max(1.0 + phi * trace + phi * phi * gauss, SMALLEST_PART)
    h = added(NO_CURVATURE, 1.0 / divisor, added(w, phi * gauss, tangent))
    reach = EXPANSION / (trace * trace)
    return SurfacePoint(0, phi, out_of_axes(solid, n), turned(solid, h), NO_EDGE, (0.0, 0.0, 0.0), NO_EDGE_AT, reach)


@kernel(inline=True)
def turned(solid: Solid, h: Tensor) -> Tensor:
    """A tensor with these components along the axes of a solid."""
    x, y, z = solid.x, solid.y, solid.z
    whole = added(NO_CURVATURE, h[0], symmetric(x, x))
    whole = added(added(whole, h[1], symmetric(y, y)), h[2], symmetric(z, z))
    whole = added(added(whole, 2.0 * h[3], symmetric(x, y)), 2.0 * h[4], symmetric(x, z))
    return added(whole, 2.0 * h[5], symmetric(y, z))


@kernel
def evaluate_shape(solid: Solid, face: int, x: Vector) -> SurfacePoint:
    """A face of a solid at x, in the axes in which the solid is given."""
    x = minus(x, solid.centre)
    if solid.kind == SPHERE:
        return evaluate_sphere(solid, x)
    if solid.kind == BOX:
        return evaluate_box(solid, face, x)
    if solid.kind == ELLIPSOID:
        return evaluate_ellipsoid(solid, x)
    if solid.kind == PLANE:
        return SurfacePoint(0, dot(solid.z, x), solid.z, NO_CURVATURE, NO_EDGE, (0.0, 0.0, 0.0), NO_EDGE_AT, ENDLESS)
    return evaluate_frustum(solid, face, x)


@kernel
def depth_cap(solid: Solid, face: int) -> float:
    """How deep below a face a point may be and still belong to it: half the thickness there."""
    a, b, c = solid.size
    if solid.kind == PLANE:
        return ENDLESS
    if solid.kind == BOX:
        return a if face < 2 else b if face < 4 else c
    if solid.kind == ELLIPSOID:
        return min(a, min(b, c))
    return a if solid.kind == SPHERE else max(a, b) if face == SIDE else c


@kernel
def face_in_charge(solid: Solid, x: Vector) -> int:
    """The face over which the height of x is largest."""
    largest, best = -ENDLESS, 0
    for face in range(number_of_faces(solid.kind)):
        phi = evaluate_shape(solid, face, x).phi
        if phi > largest:
            largest, best = phi, face
    return best
