"""Points where two shapes touch, number by number: place, normal, depth, weight and area against the twins."""

from __future__ import annotations

import naive.geometry as twin
import numpy as np
import pytest
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, NAMES_OF_KINDS, PLANE, SPHERE
from scipy.spatial.transform import Rotation
from shape_rig import BOUNDED, SCRATCH, contact, placed, random_pair


def found(i, j):
    return twin.table_of_points([tuple(point)[:5] for point in contact(i, j)])


def names(kinds):
    return [NAMES_OF_KINDS[kind].lower() for kind in kinds]


@pytest.mark.parametrize("kind", BOUNDED, ids=names(BOUNDED))
def test_points_on_a_half_space(kind):
    random = np.random.default_rng(50)
    for depth in (1e-3, 0.05, 0.3, None, None) * 5:
        i, j = random_pair(random, (kind, PLANE), depth)
        expected = twin.points_above_plane(i, j)
        assert_same(found(i, j), expected)
        turned = [(row[:3], -row[3:6], *row[6:]) for row in expected]
        assert_same(found(j, i), twin.table_of_points(turned))


def assert_same(points, expected):
    """Areas of what is shallow lose digits with the depth."""
    assert len(points) == len(expected)
    np.testing.assert_allclose(points[:, :8], expected[:, :8], rtol=0, atol=3e-9)
    np.testing.assert_allclose(points[:, 8], expected[:, 8], rtol=1e-8)


@pytest.mark.parametrize("kind", BOUNDED, ids=names(BOUNDED))
def test_the_point_of_a_sphere_is_below_its_centre_on_the_way_out(kind):
    """At half the depth, along the normal of the plane that supports the other solid furthest from the centre."""
    random = np.random.default_rng(51)
    for depth in (1e-3, 0.05):
        i, j = random_pair(random, (SPHERE, kind), depth)
        radius = i.shape["dimensions"][0]
        height, normal = twin.least_over_directions(
            lambda d, i=i, j=j: twin.heights(j, d) - d @ i.centre, 4 if kind == FRUSTUM else 2
        )
        area = twin.circle_on_plane(radius, radius + height)
        if kind == SPHERE:
            area = twin.circle_of_spheres(radius, j.shape["dimensions"][0], np.linalg.norm(i.centre - j.centre))
        ((point, force_along, penetration, weight, found_area, _, _),) = contact(i, j)
        assert penetration == pytest.approx(radius + height, abs=1e-8)
        np.testing.assert_allclose(force_along, normal, atol=1e-6)
        np.testing.assert_allclose(point, i.centre - (radius - penetration / 2) * force_along, atol=1e-14)
        assert (weight, found_area) == (1.0, pytest.approx(area, abs=1e-7))


@pytest.mark.parametrize("kind", [ELLIPSOID, CYLINDER, FRUSTUM, BOX], ids=names([ELLIPSOID, CYLINDER, FRUSTUM, BOX]))
def test_the_point_of_an_ellipsoid_lies_on_the_direction_of_least_overlap(kind):
    """With the area of a sphere of the radius of its curvature there, of two ellipsoids of both together."""
    random = np.random.default_rng(52)
    for depth in (1e-3, 0.03):
        i, j = random_pair(random, (ELLIPSOID, kind), depth)
        ((point, normal, penetration, weight, area, _, _),) = contact(i, j)
        expected, _ = twin.least_over_directions(lambda d, i=i, j=j: twin.overlap_along(i, j, d), 3)
        assert penetration == pytest.approx(expected, abs=1e-10)
        assert twin.overlap_along(i, j, normal) == pytest.approx(penetration, abs=1e-12)
        deepest = twin.support_by_search(i, -normal)
        np.testing.assert_allclose(point, deepest + 0.5 * penetration * normal, atol=1e-9)
        radius = twin.radius_of_curvature(i, -normal)
        if kind == ELLIPSOID:
            other = twin.radius_of_curvature(j, normal)
            radius = radius * other / (radius + other)
        assert (weight, area) == (1.0, pytest.approx(twin.circle_on_plane(radius, penetration), rel=1e-4))


@pytest.mark.parametrize("depth", [1e-4, 0.02, 0.15, None], ids=str)
def test_all_points_of_two_boxes(depth):
    """However deep: all faces and all pairs of edges, each with its share."""
    random = np.random.default_rng(53)
    numbers = []
    for k in range(40):
        i, j = random_pair(random, (BOX, BOX), depth)
        if k % 2:  # nearly flat on each other, in any place
            tilt = Rotation.from_rotvec(random.normal(size=3) * random.choice([0.0, 1e-3, 0.1]))
            i = placed(BOX, i.shape["dimensions"], i.centre, tilt, 1)
            j = placed(BOX, j.shape["dimensions"], j.centre, body=2)
        half_diagonals = [np.linalg.norm(solid.shape["dimensions"]) for solid in (i, j)]
        i, j = (i, j) if half_diagonals[0] < half_diagonals[1] else (j, i)  # the other order is turned round
        expected, points = twin.box_box_points(i, j), found(i, j)
        expected = expected[expected[:, 7] > 1e-12]  # round-off of weights that are 0
        assert len(points) == len(expected)
        np.testing.assert_allclose(points, expected, rtol=0, atol=1e-9)
        numbers.append(len(points))
    assert max(numbers) >= (8 if depth is None else 4)


@pytest.mark.parametrize("floor", [BOX, CYLINDER], ids=["box", "drum"])
@pytest.mark.parametrize("kind", [CYLINDER, FRUSTUM], ids=["cylinder", "frustum"])
@pytest.mark.parametrize("lies", [False, True], ids=["standing", "lying"])
def test_a_round_solid_well_inside_a_face_has_the_points_that_it_has_on_a_half_space(kind, floor, lies):
    """Standing and nearly so, or along a generator: the lower rim, or the lowest points of both."""
    random = np.random.default_rng(54)
    plane = placed(PLANE, (), body=0)
    size = (0.5, 0.5, 1.0) if kind == CYLINDER else (0.6, 0.4, 1.0)
    below = placed(floor, (5, 4, 1) if floor == BOX else (5, 5, 1), (0, 0, -1), body=0)
    for tilt in (1e-4, 2e-3, 5e-3):  # a level rim is lowest nowhere
        turn = Rotation.from_rotvec(tilt * twin.unit(random.normal(size=3)))
        if lies:
            turn = turn * Rotation.from_rotvec((np.pi / 2 + np.arctan2(size[0] - size[1], 2 * size[2]), 0, 0))
        turn = turn * Rotation.from_rotvec((0, 0, random.uniform(0, 6)))
        i = placed(kind, size, (random.uniform(-1, 1), random.uniform(-1, 1), 0), turn, 1)
        i = i.moved(np.array([0, 0, twin.heights(i, np.array([0, 0, -1.0])) - 0.02]))
        expected = twin.points_above_plane(i, plane)
        points = found(i, below)
        assert len(expected) == (2 if lies else 4)
        # above a disc a circle stands for the ellipse as which a tilted rim is seen
        tolerance = tilt**2 if floor == CYLINDER and not lies else 0.0
        np.testing.assert_allclose(points[:, :8], expected[:, :8], rtol=0, atol=1e-8 + tolerance)


ROUND = [(CYLINDER, CYLINDER), (CYLINDER, FRUSTUM), (FRUSTUM, FRUSTUM), (CYLINDER, BOX), (FRUSTUM, BOX)]


@pytest.mark.parametrize("kinds", ROUND, ids=["-".join(names(kinds)) for kinds in ROUND])
def test_rounding_does_not_make_two_points_of_one(kinds):
    """Where the end of a side is what lies deepest it is one point: friction would count a second one at its place."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        i, j = random_pair(random, kinds, float(10.0 ** random.uniform(-4.0, -2.0)))
        outcomes = set()
        for _ in range(8):
            points = contact(i.moved(1e-15 * random.normal(size=3)), j)
            outcomes.add((len(points), bool(SCRATCH["plain"])))
        assert len(outcomes) == 1, f"seed {seed}: {outcomes}"
