"""Points fixed to bodies: where they are, how fast they move, and what forces on them do to the bodies.

Vectors are tuples of three numbers in global components, which compiled code keeps in registers.
"""

from __future__ import annotations

from .bodies import Floats, Motion, Points, Record, Vector
from .jit.kernels import kernel
from .rotation import angular_velocity


@kernel(inline=True)
def dot(a: Floats | Vector, b: Floats | Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(inline=True)
def plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(inline=True)
def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(inline=True)
def scaled(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


@kernel(inline=True)
def row(matrix: Floats, i: int) -> Vector:
    return matrix[i, 0], matrix[i, 1], matrix[i, 2]


@kernel(inline=True)
def vector_of(array: Floats | Vector) -> Vector:
    return array[0], array[1], array[2]


@kernel(inline=True)
def times(matrix: Floats, v: Floats | Vector) -> Vector:
    """matrix v."""
    return dot(row(matrix, 0), v), dot(row(matrix, 1), v), dot(row(matrix, 2), v)


@kernel(inline=True)
def point_velocity(velocity: Floats | Vector, spin: Floats | Vector, arm: Vector) -> Vector:
    """v + omega x arm."""
    return plus(vector_of(velocity), cross(vector_of(spin), arm))


@kernel(inline=True)
def velocity_by_momentum(
    body: Record, velocity: Floats | Vector, momentum: Floats | Vector, arm: Floats | Vector
) -> Vector:
    """Velocity at an arm from the reference point, by the angular momentum."""
    return point_velocity(velocity, angular_velocity(body, momentum[0], momentum[1], momentum[2]), vector_of(arm))


@kernel(inline=True)
def set_vector(target: Floats, vector: Vector) -> None:
    target[0], target[1], target[2] = vector


@kernel(inline=True)
def arm_of(motion: Motion, points: Points, point: int) -> Vector:
    """From the body's mass centre to the point."""
    body, r = points.body[point], motion.rotation
    x, y, z = points.arm[point, 0], points.arm[point, 1], points.arm[point, 2]
    return (
        r[body, 0, 0] * x + r[body, 0, 1] * y + r[body, 0, 2] * z,
        r[body, 1, 0] * x + r[body, 1, 1] * y + r[body, 1, 2] * z,
        r[body, 2, 0] * x + r[body, 2, 1] * y + r[body, 2, 2] * z,
    )


@kernel(inline=True)
def displacement_of(motion: Motion, points: Points, point: int) -> Vector:
    """Displacement of the point from its place at t = 0."""
    turned = minus(arm_of(motion, points, point), row(points.arm, point))
    return plus(row(motion.displacement, points.body[point]), turned)


@kernel(inline=True)
def velocity_of(motion: Motion, points: Points, point: int) -> Vector:
    """Velocity of the point."""
    body = points.body[point]
    turning = cross(row(motion.angular_velocity, body), arm_of(motion, points, point))
    return plus(row(motion.velocity, body), turning)


@kernel(inline=True)
def separation(motion: Motion, points: Points, first: int, second: int) -> Vector:
    """From the first point to the second. Displacements are subtracted first: far from the origin nothing is lost."""
    start = minus(row(points.origin, second), row(points.origin, first))
    return plus(start, minus(displacement_of(motion, points, second), displacement_of(motion, points, first)))


@kernel(inline=True)
def add_force(wrench: Floats, motion: Motion, points: Points, point: int, force: Vector) -> None:
    """Add a force that acts at the point to the body's force and moment about its mass centre, wrench (nb, 6)."""
    body = points.body[point]
    moment = cross(arm_of(motion, points, point), force)
    for k in range(3):
        wrench[body, k] += force[k]
        wrench[body, k + 3] += moment[k]


@kernel(inline=True)
def add_moment(wrench: Floats, points: Points, point: int, moment: Vector) -> None:
    """Add a moment that acts on the point's body, wrench (nb, 6)."""
    body = points.body[point]
    for k in range(3):
        wrench[body, k + 3] += moment[k]
