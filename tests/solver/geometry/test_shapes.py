"""Shapes in their places: how far they reach along a direction, and the point that does."""

import math

import numpy as np
import pytest
from gsolve.solver.geometry.gjk_epa import difference_support, inner_radius
from gsolve.solver.geometry.shapes import (
    BOX,
    CYLINDER,
    ELLIPSOID,
    FRUSTUM,
    PLANE,
    SPHERE,
    bounding_radius,
    reach,
    solid_of,
    support,
)
from naive.geometry import heights, outside_by, unit
from shape_rig import BOUNDED, placed, random_placed


def solid(pose):
    return solid_of(pose.shape, tuple(pose.position), pose.rotation)


@pytest.mark.parametrize("kind", BOUNDED)
def test_the_support_point_lies_on_the_surface_where_the_support_function_says(kind):
    random = np.random.default_rng(kind)
    for _ in range(30):
        pose = random_placed(random, kind, 1).moved(random.normal(size=3))
        for d in [*unit(random.normal(size=(5, 3))), *pose.axes, *-pose.axes]:
            point = np.array(support(solid(pose), tuple(d)))
            assert d @ point == pytest.approx(heights(pose, d), abs=1e-14)
            assert reach(solid(pose), tuple(d)) + d @ pose.centre == pytest.approx(heights(pose, d), abs=1e-14)
            assert outside_by(pose, point) == pytest.approx(0.0, abs=1e-14)


def test_rounding_across_the_axis_of_a_frustum_does_not_carry_its_support_off_its_end():
    pose = placed(FRUSTUM, (0.5, 1.0, 2.0))
    for tiny in (1e-16, 1e-18, 1e-30):
        point = support(solid(pose), (tiny, -tiny, 1.0 + 2e-16))
        assert point[2] == 2.0
        assert math.hypot(point[0], point[1]) <= 1.0 + 1e-15


@pytest.mark.parametrize("kind", BOUNDED)
def test_bounding_sphere_and_inner_ball_hold_and_are_held(kind):
    random = np.random.default_rng(kind)
    directions = unit(random.normal(size=(2000, 3)))
    for _ in range(10):
        pose = random_placed(random, kind, 1)
        reaches = heights(pose, directions) - directions @ pose.centre
        assert reaches.max() <= pose.shape["bounding_radius"] * (1 + 1e-14)
        assert reaches.min() >= inner_radius(solid(pose)) * (1 - 1e-14)


def test_bounding_radii_reach_the_furthest_corner():
    assert bounding_radius(SPHERE, (2, 0, 0)) == 2
    assert bounding_radius(BOX, (2, 3, 6)) == 7
    assert bounding_radius(CYLINDER, (3, 3, 4)) == 5
    assert bounding_radius(FRUSTUM, (1, 3, 4)) == 5
    assert bounding_radius(ELLIPSOID, (1, 3, 2)) == 3
    assert bounding_radius(PLANE, (0, 0, 0)) == math.inf


def test_a_shape_rides_on_its_body():
    """Its centre is an arm in body axes, its axes turn with the body."""
    random = np.random.default_rng(4)
    pose = random_placed(random, BOX, 1).moved(np.array([5.0, -3.0, 2.0]))
    here = solid(pose)
    np.testing.assert_allclose(here.centre, pose.centre, atol=1e-15)
    np.testing.assert_allclose([here.x, here.y, here.z], pose.axes, atol=1e-15)


def test_the_difference_of_two_solids_reaches_as_far_as_both_together():
    random = np.random.default_rng(6)
    i, j = random_placed(random, FRUSTUM, 1), random_placed(random, ELLIPSOID, 2)
    for d in unit(random.normal(size=(20, 3))):
        tip = np.array(difference_support(solid(i), solid(j), tuple(d)))
        assert tip @ d == pytest.approx(heights(j, d) + heights(i, -d), abs=1e-14)
