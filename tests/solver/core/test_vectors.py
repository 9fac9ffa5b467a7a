"""Vectors against NumPy, also where something is zero, tiny or huge."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core import vectors
from naive import cross_matrix

RANDOM = np.random.default_rng(12)
PAIRS = [
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ((0.0, 0.0, 0.0), (1.0, -2.0, 3.0)),
    ((0.0, 0.0, 1.0), (0.0, -4.0, 0.0)),
    ((1e-160, -1e-160, 2e-160), (3e-160, 1e-160, 1e-160)),
    ((1e150, -2e150, 1e150), (1e150, 3e150, -1e150)),
    ((1e150, 1e-150, 1.0), (-1e-150, 1e150, -1.0)),
    *((tuple(RANDOM.normal(size=3)), tuple(RANDOM.normal(size=3))) for _ in range(5)),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_products_and_sums_are_those_of_numpy(a, b):
    size = np.linalg.norm(a) * np.linalg.norm(b)
    assert vectors.dot(a, b) == pytest.approx(np.dot(a, b), rel=1e-15, abs=4e-16 * size)
    np.testing.assert_allclose(vectors.cross(a, b), cross_matrix(a) @ b, rtol=1e-15, atol=4e-16 * size)
    np.testing.assert_array_equal(vectors.plus(a, b), np.add(a, b))
    np.testing.assert_array_equal(vectors.minus(a, b), np.subtract(a, b))
    np.testing.assert_array_equal(vectors.scaled(-2.5, a), -2.5 * np.array(a))
    np.testing.assert_array_equal(vectors.opposite(a), -np.array(a))
    matrix = np.array([a, b, a[::-1]])
    np.testing.assert_array_equal(vectors.row(matrix, 1), b)
    np.testing.assert_allclose(
        vectors.times(matrix, b), matrix @ b, rtol=1e-15, atol=4e-16 * np.dot(b, b) + 4e-16 * size
    )
    target = np.full(3, np.nan)
    vectors.set_vector(target, a)
    assert vectors.vector_of(target) == a
    velocity = vectors.point_velocity(np.array(b), np.array(a), b)
    np.testing.assert_allclose(velocity, b + cross_matrix(a) @ b, rtol=1e-15, atol=4e-16 * (size + np.linalg.norm(b)))


def test_products_of_arrays_are_those_of_numpy_to_the_bit():
    random = np.random.default_rng(0)
    for one, other in (((5, 3), (5, 3)), ((4, 5, 3), (5, 3)), ((3,), (5, 3)), ((0, 3), (3,)), ((2000, 3), (3,))):
        a, b = random.normal(size=one), random.normal(size=other)
        assert vectors.cross_products(a, b).tobytes() == np.cross(a, b).tobytes()
