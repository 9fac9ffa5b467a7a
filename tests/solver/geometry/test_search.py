"""The search for a direction and its refinement, against general optimisers."""

import numpy as np
import pytest
from gsolve.solver.geometry.gjk_epa import CLOSE, least_overlap_direction, separating_direction
from gsolve.solver.geometry.refine_normal import refined
from gsolve.solver.geometry.separating_directions import directions_at_rims, directions_between_lines
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, PLANE, SPHERE, solid_of
from gsolve.solver.geometry.sphere import distance_from
from gsolve.solver.geometry.witness_points import Feature, nearest_of_lines
from naive.geometry import (
    distance_from_surface,
    distance_of_boxes,
    distance_of_lines,
    least_overlap_by_search,
    overlap_along,
    unit,
)
from shape_rig import BOUNDED, NAMES_OF_PAIRS, PAIRS, SCRATCH, gap, random_pair, random_placed

LISTS = [p for p in PAIRS if not {SPHERE, PLANE} & set(p)]
every_pair_that_is_searched = pytest.mark.parametrize(
    "kinds", LISTS, ids=[name for name, p in zip(NAMES_OF_PAIRS, PAIRS, strict=True) if p in LISTS]
)


def solid(pose):
    return solid_of(pose.shape, tuple(pose.position), pose.rotation)


def test_distance_of_boxes_is_that_of_a_bounded_least_squares_problem():
    random = np.random.default_rng(40)
    apart = 0
    for k in range(40):
        i, j = random_pair(random, (BOX, BOX), -0.3 if k % 2 else None)
        expected = distance_of_boxes(i, j)
        d, separated = separating_direction(solid(i), solid(j), SCRATCH, 0.0, False)
        if expected > 1e-9:
            apart += 1
            assert separated
            assert -overlap_along(i, j, np.array(d)) == pytest.approx(expected, rel=1e-4)
            assert gap(i, j).gap == pytest.approx(expected, rel=1e-9)
        else:
            assert not separated
    assert 20 <= apart <= 35


@every_pair_that_is_searched
def test_the_polytope_finds_the_direction_of_least_overlap(kinds):
    """Against the best of the seeds, each followed to the least overlap near by."""
    random = np.random.default_rng(41)
    for _ in range(4):
        i, j = (random_placed(random, kind, body) for body, kind in enumerate(kinds, 1))
        i = i.moved(0.2 * random.normal(size=3))
        known = tuple(unit(random.normal(size=3)))
        d = np.array(least_overlap_direction(solid(i), solid(j), known, SCRATCH))
        least = -gap(i, j).gap
        assert overlap_along(i, j, d) <= least * (1 + 10 * CLOSE) + 1e-12


@every_pair_that_is_searched
def test_refinement_gives_the_least_overlap_near_by(kinds):
    random = np.random.default_rng(42)
    for depth in (-0.2, 0.01, 0.1):
        i, j = random_pair(random, kinds, depth)
        rough = unit(gap(i, j).normal + 1e-3 * random.normal(size=3))
        best = refined(solid(i), solid(j), tuple(rough))
        expected, _ = least_overlap_by_search(i, j, rough)
        assert best.overlap <= expected + 1e-12
        assert best.overlap == pytest.approx(expected, abs=1e-6)
        assert overlap_along(i, j, np.array(best.direction)) == pytest.approx(best.overlap, abs=1e-13)


@pytest.mark.parametrize("kinds", [(CYLINDER, BOX), (FRUSTUM, BOX), (CYLINDER, CYLINDER), (CYLINDER, FRUSTUM)])
def test_listed_directions_are_minima_of_the_overlap(kinds):
    """Those that no other feature of the solids stops: what lies deepest, the overlap there, and no less near by."""
    random = np.random.default_rng(43)
    minima = 0
    for _ in range(25):
        i, j = random_pair(random, kinds, random.choice([0.02, 0.2]))
        found, limit = np.zeros((40, 9)), 10.0
        n = directions_between_lines(solid(i), solid(j), limit, found)
        n = directions_at_rims(solid(i), solid(j), limit, found, n)
        for row in found[:n]:
            d, overlap, counted, factor = row[:3], row[3], row[8], row[7]
            assert np.linalg.norm(d) == pytest.approx(1.0, abs=1e-12)
            assert overlap_along(i, j, d) == pytest.approx(overlap, abs=1e-12)
            assert counted >= overlap
            if counted <= overlap + 1e-12 and factor > 0.5:
                minima += 1
                around = unit(d + 1e-4 * random.normal(size=(60, 3)))
                assert overlap_along(i, j, around).min() >= overlap - 1e-11
    assert minima >= 10


@pytest.mark.parametrize("kind", BOUNDED)
def test_distance_of_a_point_from_a_solid(kind):
    """The nearest supporting plane outside, the nearest face inside; the normal is the gradient."""
    random = np.random.default_rng(44)
    for k in range(6):
        pose = random_placed(random, kind, 1)
        point = random.normal(size=3) * (0.3 if k % 2 else 1.5)
        distance, normal = distance_from(solid(pose), tuple(point))
        assert distance == pytest.approx(distance_from_surface(pose, point), abs=1e-8)
        step = 1e-6 * np.array(normal)
        rise = distance_from(solid(pose), tuple(point + step))[0] - distance_from(solid(pose), tuple(point - step))[0]
        assert rise == pytest.approx(2e-6, rel=1e-4)


def test_nearest_points_of_two_lines_lie_on_them_and_as_near_as_can_be():
    random = np.random.default_rng(45)
    for _ in range(60):
        lines = [(random.normal(size=3), unit(random.normal(size=3)), random.uniform(0.1, 2)) for _ in range(2)]
        none = (0.0, 0.0, 0.0)
        features = [Feature(tuple(middle), tuple(along), none, half, 0.0) for middle, along, half in lines]
        points = [np.array(point) for point in nearest_of_lines(*features)]
        assert np.linalg.norm(points[0] - points[1]) == pytest.approx(distance_of_lines(*lines), abs=1e-9)
        for point, (middle, along, half) in zip(points, lines, strict=True):
            s = (point - middle) @ along
            assert abs(s) <= half * (1 + 1e-14)
            np.testing.assert_allclose(point, middle + s * along, atol=1e-14)


def test_an_ellipsoid_so_long_that_the_search_runs_out_of_vertices_still_has_its_least_overlap():
    random = np.random.default_rng(46)
    for _ in range(4):
        i, j = (random_placed(random, kind, body) for body, kind in enumerate((ELLIPSOID, CYLINDER), 1))
        i.shape["dimensions"], j.shape["dimensions"] = (1.0, 0.02, 0.01), (0.01, 0.01, 1.0)
        found = gap(i, j)
        assert overlap_along(i, j, found.normal) == pytest.approx(-found.gap, abs=1e-12)
        assert -found.gap <= least_overlap_by_search(i, j, found.normal)[0] + 1e-12
