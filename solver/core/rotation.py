"""Finite rotations: quaternions (w first), and the momentum-keeping rotation of a rigid body over one step.

The spatial angular momentum L is the state, not the angular velocity.  Over a step of length h the incremental
rotation theta (body axes) solves

    I theta = h V(theta) l,    l = R^T L,
    V(theta) = int_0^1 exp(-s [theta]x) ds = E - b [theta]x + c [theta]x^2,
    b = (1 - cos a)/a^2,  c = (a - sin a)/a^3,  a = |theta|,

and R <- R exp([theta]x).  This is the discrete Lagrangian map of the free body: |L| is kept to round-off and the
energy stays in a bounded band, also when constraint forces act.
"""

from __future__ import annotations

import math

import numpy as np

from .bodies import NO_ROTATION, SPHERICAL, Floats, Record, Vector
from .jit.kernels import kernel

# Below this squared angle the series are exact to round-off (next term < 1e-18 relative).
SMALL_SQUARED_ANGLE = 0.04
MAX_ITERATIONS = 50
CONVERGED = 4e-16  # relative change of a pass

Quaternion = tuple[float, float, float, float]
Upper = tuple[float, float, float, float, float, float]
Cofactors = tuple[float, float, float, float, float, float, float, float, float]


@kernel(inline=True)
def half_angle_factors(squared_angle: float) -> tuple[float, float]:
    """cos(a/2) and sin(a/2)/a of the angle a."""
    if squared_angle < SMALL_SQUARED_ANGLE:
        return half_angle_series(squared_angle)
    angle = math.sqrt(squared_angle)
    return math.cos(0.5 * angle), math.sin(0.5 * angle) / angle


@kernel(inline=True)
def half_angle_series(squared_angle: float) -> tuple[float, float]:
    """The same of a small angle."""
    x = 0.25 * squared_angle
    cosine = 1.0 + x * (-1 / 2 + x * (1 / 24 + x * (-1 / 720 + x * (1 / 40320 - x * (1 / 3628800)))))
    sine = 0.5 + x * (-1 / 12 + x * (1 / 240 + x * (-1 / 10080 + x * (1 / 725760 - x * (1 / 79833600)))))
    return cosine, sine


@kernel(inline=True)
def mean_rotation_factors(squared_angle: float) -> tuple[float, float]:
    """b - 1/2 and c of V(theta), b = (1 - cos a)/a^2 and c = (a - sin a)/a^3."""
    if squared_angle < SMALL_SQUARED_ANGLE:
        return mean_rotation_series(squared_angle)
    angle = math.sqrt(squared_angle)
    return (1 - math.cos(angle)) / squared_angle - 0.5, (angle - math.sin(angle)) / (squared_angle * angle)


@kernel(inline=True)
def mean_rotation_series(squared_angle: float) -> tuple[float, float]:
    """The same of a small angle."""
    x = squared_angle
    b_minus_half = x * (-1 / 24 + x * (1 / 720 + x * (-1 / 40320 + x * (1 / 3628800 - x * (1 / 479001600)))))
    c = 1 / 6 + x * (-1 / 120 + x * (1 / 5040 + x * (-1 / 362880 + x * (1 / 39916800))))
    return b_minus_half, c


@kernel(inline=True)
def tangent_factor(squared_angle: float) -> float:
    """(1 - (a/2) / tan(a/2)) / a^2 of the angle a, as V(theta)^-1 has it."""
    x = squared_angle
    if x < SMALL_SQUARED_ANGLE:
        return 1 / 12 + x * (1 / 720 + x * (1 / 30240 + x * (1 / 1209600 + x * (1 / 47900160))))
    half = 0.5 * math.sqrt(x)
    return (1.0 - half / math.tan(half)) / x


@kernel(inline=True)
def set_rotation_matrix(q: Floats, rotation: Floats) -> None:
    """rotation (3, 3) <- matrix of the unit quaternion q (4,)."""
    set_rows(rotation, rotation_matrix(q[0], q[1], q[2], q[3]))


@kernel(inline=True)
def set_rows(rotation: Floats, rows: tuple[Vector, Vector, Vector]) -> None:
    """rotation (3, 3) <- its rows."""
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = rows[0]
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = rows[1]
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = rows[2]


@kernel(inline=True)
def rotation_matrix(w: float, x: float, y: float, z: float) -> tuple[Vector, Vector, Vector]:
    """Rows of the matrix of a unit quaternion."""
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


@kernel(inline=True)
def turn_quaternion(q_old: Floats, theta: Floats, q_new: Floats) -> float:
    """q_new <- q_old exp(theta), kept at unit length; returns the squared angle."""
    x, y, z = theta[0], theta[1], theta[2]
    squared_angle = x * x + y * y + z * z
    factors = half_angle_factors(squared_angle)
    old = q_old[0], q_old[1], q_old[2], q_old[3]
    q_new[0], q_new[1], q_new[2], q_new[3] = turned_quaternion(old, (x, y, z), factors)
    return squared_angle


@kernel(inline=True)
def turned_quaternion(old: Quaternion, theta: Vector, factors: tuple[float, float]) -> Quaternion:
    """old exp(theta), kept at unit length; factors : those of `half_angle_factors`."""
    c, s = factors
    x, y, z = s * theta[0], s * theta[1], s * theta[2]
    w0, x0, y0, z0 = old
    w1 = w0 * c - x0 * x - y0 * y - z0 * z
    x1 = w0 * x + x0 * c + y0 * z - z0 * y
    y1 = w0 * y - x0 * z + y0 * c + z0 * x
    z1 = w0 * z + x0 * y - y0 * x + z0 * c
    # One Newton step towards unit length: the length error of a product is a few ulp.
    unit = 1.5 - 0.5 * (w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    return w1 * unit, x1 * unit, y1 * unit, z1 * unit


@kernel(inline=True)
def solve_incremental_rotation(
    inertia: Floats, momentum: Vector, stored: Vector, h: float, theta: Floats, rounding: float
) -> bool:
    """Solve I theta = h (V(theta) l - g) for theta (3,) (body axes), starting from the value it holds.

    The part of V linear in theta goes to the left-hand side, (I - h/2 [l]x) theta = h (l - g - (b - 1/2) theta x l +
    c theta x (theta x l)), so that each pass shrinks the error by about a^2/6.

    inertia : (3, 3) body axes; momentum : l, in body axes; stored : g, the part of it that does not turn the body, as
    in a gyrostat; rounding : of theta, where g and l cancel.  Returns False if it does not converge.
    """
    upper = inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 1], inertia[1, 2], inertia[2, 2]
    cofactors, scale = inverse_of_left_side(upper, momentum, h)
    rest = momentum[0] - stored[0], momentum[1] - stored[1], momentum[2] - stored[2]
    x, y, z = theta[0], theta[1], theta[2]
    for _ in range(MAX_ITERATIONS):
        factors = mean_rotation_factors(x * x + y * y + z * z)
        x1, y1, z1 = next_theta((x, y, z), momentum, rest, factors, cofactors, scale)
        change = abs(x1 - x) + abs(y1 - y) + abs(z1 - z)
        x, y, z = x1, y1, z1
        if change <= CONVERGED * (abs(x) + abs(y) + abs(z)) + rounding:
            theta[0], theta[1], theta[2] = x, y, z
            return True
    return False


@kernel(inline=True)
def inverse_of_left_side(upper: Upper, momentum: Vector, h: float) -> tuple[Cofactors, float]:
    """(I - h/2 [l]x)^-1 h as cofactors, row by row, and their factor; upper : I_00, I_01, I_02, I_11, I_12, I_22."""
    k00, k01, k02, k11, k12, k22 = upper
    lx, ly, lz = momentum
    hx, hy, hz = 0.5 * h * lx, 0.5 * h * ly, 0.5 * h * lz
    a01, a02, a10 = k01 + hz, k02 - hy, k01 - hz
    a12, a20, a21 = k12 + hx, k02 + hy, k12 - hx
    c00, c01, c02 = k11 * k22 - a12 * a21, a02 * a21 - a01 * k22, a01 * a12 - a02 * k11
    c10, c11, c12 = a12 * a20 - a10 * k22, k00 * k22 - a02 * a20, a02 * a10 - k00 * a12
    c20, c21, c22 = a10 * a21 - k11 * a20, a01 * a20 - k00 * a21, k00 * k11 - a01 * a10
    scale = h / (k00 * c00 + a01 * c10 + a02 * c20)
    return (c00, c01, c02, c10, c11, c12, c20, c21, c22), scale


@kernel(inline=True)
def next_theta(
    theta: Vector, momentum: Vector, rest: Vector, factors: tuple[float, float], cofactors: Cofactors, scale: float
) -> Vector:
    """One pass of `solve_incremental_rotation`; rest : l - g; factors : those of `mean_rotation_factors`."""
    x, y, z = theta
    lx, ly, lz = momentum
    b, c = factors
    c00, c01, c02, c10, c11, c12, c20, c21, c22 = cofactors
    ux, uy, uz = y * lz - z * ly, z * lx - x * lz, x * ly - y * lx
    rx = rest[0] - b * ux + c * (y * uz - z * uy)
    ry = rest[1] - b * uy + c * (z * ux - x * uz)
    rz = rest[2] - b * uz + c * (x * uy - y * ux)
    return (
        scale * (c00 * rx + c01 * ry + c02 * rz),
        scale * (c10 * rx + c11 * ry + c12 * rz),
        scale * (c20 * rx + c21 * ry + c22 * rz),
    )


@kernel(inline=True)
def to_body(r: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """R^T (x, y, z)."""
    return (
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * z,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * z,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * z,
    )


@kernel(inline=True)
def to_global(r: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """R (x, y, z); with any other (3, 3) matrix, its product."""
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@kernel(inline=True)
def angular_velocity(body: Record, lx: float, ly: float, lz: float) -> tuple[float, float, float]:
    """omega = R I^-1 R^T L of a body record, global components."""
    if body.turning == NO_ROTATION:
        return 0.0, 0.0, 0.0
    if body.turning == SPHERICAL:
        factor = body.inverse_inertia[0, 0]
        return factor * lx, factor * ly, factor * lz
    x, y, z = to_body(body.rotation, lx, ly, lz)
    x, y, z = to_global(body.inverse_inertia, x, y, z)
    return to_global(body.rotation, x, y, z)


@kernel(inline=True)
def turn_of_step(body: Record) -> tuple[float, float, float]:
    """Rotation vector of the step at hand, global components."""
    if body.turning == NO_ROTATION:
        return 0.0, 0.0, 0.0
    return to_global(body.rotation, body.theta[0], body.theta[1], body.theta[2])


def rotation_matrices(quaternions: Floats) -> Floats:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4), w first."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
