"""The overlap of two flat faces as weighted points: the weights are those of one turn, and nothing jumps."""

import numpy as np
import pytest
from gsolve.solver.geometry.face_overlap import (
    MOST_CORNERS,
    MOST_ROWS,
    cut,
    polygon_circle_region,
    polygon_region,
    two_circles_region,
)
from naive.geometry import area_of, clipped, exterior_angles

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
GRID = np.stack(np.meshgrid(*2 * [np.arange(-2.995, 3, 0.01)]), axis=-1).reshape(-1, 2)


def corners_of(*polygon):
    buffer = np.zeros((MOST_CORNERS, 2))
    buffer[: len(polygon)] = polygon
    return buffer, len(polygon)


def turned_square(angle, shift, scale=(1.0, 1.0)):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (SQUARE * scale) @ turn.T + shift


def inside(polygon):
    """Which points of the grid lie in a counter-clockwise polygon."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    arms = GRID[:, None] - polygon
    return (edges[:, 0] * arms[..., 1] - edges[:, 1] * arms[..., 0] >= 0).all(axis=1)


def checked(result, rows, area):
    n, measures = result
    if area == 0:
        assert n == 0
        return
    assert rows[:n, 2].sum() == pytest.approx(4.0, abs=1e-9)
    assert measures.area == pytest.approx(area, abs=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_weights_are_four_and_the_area_that_of_the_overlap(seed):
    """Against counting the points of a grid: square and square, square and disc, disc and disc."""
    random = np.random.default_rng(seed)
    rows, other = np.zeros((MOST_ROWS, 3)), np.zeros((MOST_CORNERS, 2))
    polygon = turned_square(random.uniform(0, 6), random.uniform(-1, 1, 2), random.uniform(0.4, 1.5, 2))
    own = inside(polygon)
    buffer, n = corners_of(*polygon)
    for a, b, c in ((1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)):
        n = cut(buffer, n, a, b, c, other)
        buffer, other = other, buffer
    dot_area = (GRID[1, 0] - GRID[0, 0]) ** 2
    checked(polygon_region(buffer, n, 1.0, 0.0, rows), rows, (own & inside(SQUARE)).sum() * dot_area)
    radius = random.uniform(0.5, 1.5)
    disc = (GRID**2).sum(axis=1) <= radius**2
    for own_rim in (True, False):
        buffer, n = corners_of(*polygon)
        result = polygon_circle_region(buffer, n, radius, own_rim, 0.6, 0.8, 0.0, 0.0, rows)
        checked(result, rows, (own & disc).sum() * dot_area)
    x, y = random.uniform(-1, 1, 2)
    second = ((GRID - [x, y]) ** 2).sum(axis=1) <= 1.0
    checked(two_circles_region(x, y, radius, 1.0, 0.6, 0.8, rows), rows, (disc & second).sum() * dot_area)


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.7, 0.3), (-2.0, 1.0)])
def test_a_rectangle_seen_at_a_slope_keeps_its_right_angles(slope):
    """On its own plane: each corner has the weight 1 although it is seen as a parallelogram."""
    rows = np.zeros((MOST_ROWS, 3))
    normal = np.array([slope[0], slope[1], 1.0]) / np.sqrt(1 + np.dot(slope, slope))
    first = np.cross(normal, [0.3, 0.9, 0.1])
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    # z = -slope . (x, y) on the plane; only the square of the slope matters
    polygon = SQUARE @ np.array([first[:2], second[:2]])
    n, _ = polygon_circle_region(*corners_of(*polygon), 5.0, False, 1.0, 0.0, *slope, rows)
    assert n == 4
    np.testing.assert_allclose(rows[:4, 2], 1.0, atol=1e-12)


def test_the_rim_of_a_disc_on_a_face_has_its_deepest_point_and_three_more():
    rows = np.zeros((MOST_ROWS, 3))
    n, measures = polygon_circle_region(*corners_of(*3 * SQUARE), 2.0, True, 0.6, 0.8, 0.0, 0.0, rows)
    assert n == 4
    assert measures.furthest == pytest.approx(2.0)
    np.testing.assert_allclose(rows[0], [1.2, 1.6, 1.0], atol=1e-15)


def test_no_area_no_points():
    rows = np.zeros((MOST_ROWS, 3))
    assert polygon_circle_region(*corners_of(*(SQUARE + 5)), 1.0, True, 1.0, 0.0, 0.0, 0.0, rows)[0] == 0
    assert two_circles_region(3.0, 0.0, 1.0, 1.5, 1.0, 0.0, rows)[0] == 0
    assert polygon_region(np.zeros((MOST_CORNERS, 2)), 4, 1.0, 0.0, rows)[0] == 0


@pytest.mark.parametrize("seed", range(20))
def test_two_rectangles_against_a_plain_clipping(seed):
    """Corners, area and exterior angles of what they have in common."""
    random = np.random.default_rng(100 + seed)
    first = turned_square(random.uniform(0, 6), random.uniform(-1, 1, 2), random.uniform(0.4, 1.5, 2))
    second = turned_square(random.uniform(0, 6), random.uniform(-1, 1, 2), random.uniform(0.4, 1.5, 2))
    expected = clipped(first, second)
    polygon, n = corners_of(*first)
    other, rows = np.zeros((MOST_CORNERS, 2)), np.zeros((MOST_ROWS, 3))
    for start, end in zip(second, np.roll(second, -1, axis=0), strict=True):
        a, b = end[1] - start[1], start[0] - end[0]
        n = cut(polygon, n, a, b, a * start[0] + b * start[1], other)
        polygon, other = other, polygon
    assert n == len(expected)
    np.testing.assert_allclose(polygon[:n], expected, atol=1e-12)
    count, measures = polygon_region(polygon, n, 1.0, 0.0, rows)
    assert count == n
    if n:
        assert measures.area == pytest.approx(area_of(expected), abs=1e-12)
        assert measures.furthest == pytest.approx(expected[:, 0].max(), abs=1e-12)
        np.testing.assert_allclose(rows[:n, 2], exterior_angles(expected) / (np.pi / 2), atol=1e-9)


@pytest.mark.parametrize("apart", [1e-12, 1e-6, 1e-3])
@pytest.mark.parametrize("towards", [0.0, 0.7, 2.5])
def test_the_points_of_two_equal_discs_have_their_middle_between_the_centres(towards, apart):
    """And the second moments of a circle: so what turns on its like is not pushed aside by friction."""
    rows = np.zeros((MOST_ROWS, 3))
    n, _ = two_circles_region(apart * np.cos(towards), apart * np.sin(towards), 1.0, 1.0, 0.6, 0.8, rows)
    places, weights = rows[:n, :2], rows[:n, 2]
    assert weights.sum() == pytest.approx(4.0, rel=1e-12)
    np.testing.assert_allclose(weights @ places / 4.0, 0.0, atol=2 * apart)
    np.testing.assert_allclose(places.T @ (weights[:, None] * places), 2.0 * np.eye(2), atol=20 * apart)
