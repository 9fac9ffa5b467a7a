"""Arithmetic of vectors: tuples of three numbers, which compiled code keeps in registers, and arrays of them."""

from __future__ import annotations

import numpy as np

from .bodies import Floats, Vector
from .jit.kernels import kernel

FEW = 3000  # numbers
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # components after each one


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
def opposite(a: Vector) -> Vector:
    return -a[0], -a[1], -a[2]


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
def set_vector(target: Floats, vector: Vector) -> None:
    target[0], target[1], target[2] = vector


def cross_products(a: Floats, b: Floats) -> Floats:
    """(..., 3) of arrays of vectors (..., 3); np.cross, which takes them along any axis, takes four times as long.

    Of few vectors it is the calls of numpy that take time, of many the elements, which lie far apart when taken.
    """
    if max(a.size, b.size) <= FEW:
        return np.asarray(a.take(NEXT, -1) * b.take(LAST, -1) - a.take(LAST, -1) * b.take(NEXT, -1))
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for c in range(3):
        result[..., c] = a[..., c - 2] * b[..., c - 1] - a[..., c - 1] * b[..., c - 2]
    return result
