"""Curves through points: how good they are, where they have corners, which way they run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from curve_rig import Curve, circle
from gsolve.solver.geometry.curve2d.curves import control_points, enclosing_circle
from gsolve.solver.geometry.curve2d.spline import enclosed_area
from gsolve.solver.geometry.curve2d.teeth import finest_pitch

SQUARE = 0.05 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def error_of_circle(n):
    points, _ = Curve(circle(0.05, n)).sampled()
    return np.max(np.abs(np.linalg.norm(points, axis=1) - 0.05))


def test_a_closed_curve_is_of_order_4():
    errors = [error_of_circle(n) for n in (16, 32, 64, 128)]
    assert errors[0] < 5e-6
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 3.9)


def test_an_open_curve_is_of_order_4_up_to_its_ends():
    """A quarter of an ellipse."""
    errors = []
    for n in (17, 33, 65):
        angle = np.linspace(0.1, 0.1 + math.pi / 2, n)
        curve = Curve(np.stack([0.05 * np.cos(angle), 0.03 * np.sin(angle)], axis=1), closed=False)
        points, _ = curve.sampled()
        points = points[400:-400]  # without the walls
        errors.append(np.max(np.abs(np.hypot(points[:, 0] / 0.05, points[:, 1] / 0.03) - 1)))
    assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 3.5)


def test_two_points_are_a_straight_line_and_three_a_parabola():
    line = Curve([[0.0, 0.0], [0.1, 0.05]], closed=False)
    points, _ = line.sampled()
    along = points[400:800]
    np.testing.assert_allclose(along[:, 1], 0.5 * along[:, 0], atol=1e-17)
    bow = Curve([[-0.1, 0.01], [0.0, 0.0], [0.1, 0.01]], closed=False)
    points, _ = bow.sampled()
    along = points[400:-400]
    np.testing.assert_allclose(along[:, 1], along[:, 0] ** 2, atol=1e-16)


def corners(curve):
    """Angles of corners in degrees, from the first segment on."""
    return np.degrees(curve.outline.corner[curve.outline.corner != 0.0])


def test_what_turns_by_more_than_the_angle_is_a_corner():
    np.testing.assert_allclose(corners(Curve(SQUARE)), 90.0, atol=1e-12)
    assert len(corners(Curve(SQUARE, corner_angle=91.0))) == 0
    octagon = circle(0.05, 8)
    assert len(corners(Curve(octagon))) == 8  # 45 degrees
    assert len(corners(Curve(octagon, corner_angle=50.0))) == 0
    assert len(corners(Curve(circle(0.05, 9)))) == 0  # 40: the circle through nine points is round


def test_two_equal_points_are_a_corner():
    points = np.array([[0.0, 0.0], [0.1, 0.0], [0.15, 0.03], [0.1, 0.06], [0.0, 0.06]])
    assert len(corners(Curve(points, corner_angle=170.0))) == 0
    marked = np.insert(points, 1, points[1], axis=0)
    curve = Curve(marked, corner_angle=170.0)
    assert len(corners(curve)) == 1


def test_the_last_point_may_repeat_the_first():
    np.testing.assert_array_equal(
        Curve(circle(0.05, 20)).outline.coefficients,
        Curve(np.vstack([circle(0.05, 20), circle(0.05, 20)[:1]])).outline.coefficients,
    )


@pytest.mark.parametrize("points", [circle(0.05, 24), SQUARE], ids=["circle", "square"])
def test_the_solid_is_on_the_left(points):
    """Inside, whichever way the points run; outside on request."""
    inside = [Curve(points), Curve(points[::-1])]
    outside = [Curve(points, other_side=True), Curve(points[::-1], other_side=True)]
    assert all(enclosed_area(curve.outline.coefficients) > 0 for curve in inside)
    assert all(enclosed_area(curve.outline.coefficients) < 0 for curve in outside)
    sticks_out = corners(Curve(SQUARE)) > 0, corners(Curve(SQUARE, other_side=True)) < 0
    assert np.all(sticks_out)


def test_an_open_curve_ends_with_walls_into_its_solid():
    """Behind the ends of a line that runs along x the solid, above it, ends at right angles."""
    outline = Curve([[0.0, 0.0], [0.1, 0.0]], closed=False).outline
    assert not outline.closed
    begin, end = outline.coefficients[0, :, 0], outline.coefficients[-1].sum(axis=1)
    np.testing.assert_allclose([begin, end], [[0.0, 0.005], [0.1, 0.005]], atol=1e-17)
    np.testing.assert_allclose(np.degrees(outline.corner), [180.0, 90.0, 90.0])
    outline = Curve([[0.0, 0.0], [0.1, 0.0]], closed=False, other_side=True).outline
    np.testing.assert_allclose(outline.coefficients[0, :, 0], [0.1, -0.005], atol=1e-17)


def test_segments_turn_little():
    """An arch of three points turns by 100 degrees: it is cut, and stays the same curve."""
    curve = Curve([[-0.02, 0.0], [0.0, 0.03], [0.02, 0.0]], closed=False, corner_angle=180.0)
    ends = curve.outline.coefficients[1:-1, :, 1], curve.outline.coefficients[1:-1, :, 1:] @ [1.0, 2.0, 3.0]
    cos = np.sum(ends[0] * ends[1], axis=1) / np.prod([np.linalg.norm(end, axis=1) for end in ends], axis=0)
    assert np.all(np.degrees(np.arccos(cos)) < 40.0)
    points, _ = curve.sampled()
    assert np.max(points[400:-400, 1]) == pytest.approx(0.03, rel=1e-6)


def test_the_finest_teeth_and_slots_of_a_curve():
    """Tips of a zigzag, of a wheel, and of a plate with a slot; what is round has none."""
    angle = math.pi * np.arange(24) / 12
    wheel = (0.05 + 0.005 * (np.arange(24) % 2))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    zigzag = [[float(k), 0.5 * (k % 2)] for k in range(10)]
    slotted = [[-1, -1], [1, -1], [1, 1], [0.1, 1], [0.1, 0.5], [-0.1, 0.5], [-0.1, 1], [-1, 1]]
    assert finest_pitch(Curve(circle(0.05, 24)).outline) == math.inf
    assert finest_pitch(Curve(zigzag, closed=False).outline) == pytest.approx(2.0)
    assert finest_pitch(Curve(wheel).outline) == pytest.approx(2 * 0.05 * math.sin(math.pi / 12), rel=0.01)
    assert finest_pitch(Curve(slotted).outline) < 1.2


def test_the_circle_about_a_curve_holds_it():
    random = np.random.default_rng(1)
    for _ in range(5):
        curve = Curve(random.normal(size=(9, 2)), corner_angle=180.0)
        centre, radius = enclosing_circle(curve.outline.coefficients)
        away = np.linalg.norm(curve.sampled()[0] - centre, axis=1)
        assert away.max() <= radius
        spread = control_points(curve.outline.coefficients).reshape(-1, 2)
        assert radius <= 0.5001 * 2 / math.sqrt(3) * max(np.linalg.norm(spread - p, axis=1).max() for p in spread)
