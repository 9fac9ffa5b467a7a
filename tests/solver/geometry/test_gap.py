"""Signed distance of every pair of shapes against a search over all directions, and what must hold of any distance."""

import numpy as np
import pytest
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, PLANE, SPHERE
from naive.geometry import heights, least_overlap, outside_by, overlap_along
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from shape_rig import (
    BOUNDED,
    NAMES_OF_PAIRS,
    PAIRS,
    Placed,
    gap,
    placed,
    random_dimensions,
    random_pair,
    random_placed,
)

every_pair = pytest.mark.parametrize("kinds", PAIRS, ids=NAMES_OF_PAIRS)
every_bounded_pair = pytest.mark.parametrize(
    "kinds", [p for p in PAIRS if p[1] != PLANE], ids=[n for n in NAMES_OF_PAIRS if "plane" not in n]
)
DEPTHS = (None, None, 1e-6, 1e-3, -1e-3, 0.05)  # None: wherever chance puts them, apart or deep inside each other


def assert_is_the_gap(i, j, tolerance=1e-12):
    """No direction separates them by less (or further), and the witness points are where it says."""
    found = gap(i, j)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-14)
    if j.shape["kind"] == PLANE:
        normal = j.axes[2]
        np.testing.assert_allclose(found.normal, normal, atol=1e-15)
        assert found.gap == pytest.approx(-heights(i, -normal) - normal @ j.centre, abs=tolerance)
    else:
        assert found.gap == pytest.approx(-overlap_along(i, j, found.normal), abs=tolerance)
        assert -found.gap <= least_overlap(i, j) + tolerance
    np.testing.assert_allclose(found.on_i - found.on_j, found.gap * found.normal, atol=1e-13)
    assert outside_by(i, found.on_i) == pytest.approx(0.0, abs=1e-11)
    assert outside_by(j, found.on_j) == pytest.approx(0.0, abs=1e-11)
    return found


@every_pair
def test_gap_is_the_distance_or_the_least_translation_that_separates(kinds):
    random = np.random.default_rng(100)
    for k in range(12):
        assert_is_the_gap(*random_pair(random, kinds, DEPTHS[k % len(DEPTHS)]))


def aligned_pair(random, kinds):
    """Axes parallel or at right angles, centres in line or in the same place, dimensions that agree."""
    dimensions = [tuple(np.round(random_dimensions(random, kind), 1) + 0.1) for kind in kinds]
    rotations = []
    for _ in range(2):
        signed = np.eye(3)[random.permutation(3)] * random.choice([-1, 1], size=(3, 1))
        rotations.append(signed * np.linalg.det(signed))
    offset = random.choice([0.0, 0.0, 0.5, 1.0], size=3)
    return placed(kinds[0], dimensions[0], offset, rotations[0], 1), placed(
        kinds[1], dimensions[1], (0, 0, 0), rotations[1], 2
    )


@every_pair
def test_gap_of_shapes_in_line_with_each_other(kinds):
    random = np.random.default_rng(7)
    for _ in range(12):
        assert_is_the_gap(*aligned_pair(random, kinds))


@every_bounded_pair
def test_gap_of_concentric_shapes(kinds):
    random = np.random.default_rng(8)
    for _ in range(10):
        i, j = (random_placed(random, kind, body) for body, kind in enumerate(kinds, 1))
        assert_is_the_gap(i, j)


@every_pair
def test_gap_does_not_depend_on_the_order(kinds):
    random = np.random.default_rng(9)
    for k in range(6):
        i, j = random_pair(random, kinds, DEPTHS[k % len(DEPTHS)])
        there, back = gap(i, j), gap(j, i)
        assert back.gap == pytest.approx(there.gap, abs=1e-14)
        np.testing.assert_allclose(back.normal, -there.normal, atol=1e-12)
        np.testing.assert_allclose(back.on_i, there.on_j, atol=1e-14)


@every_pair
def test_a_common_motion_of_both_bodies_carries_everything_along(kinds):
    random = np.random.default_rng(10)
    for k in range(6):
        i, j = random_pair(random, kinds, DEPTHS[k % len(DEPTHS)])
        turn, shift = Rotation.random(rng=random).as_matrix(), random.normal(size=3) * 10
        moved = [Placed(p.shape, turn @ p.position + shift, turn @ p.rotation) for p in (i, j)]
        before, after = gap(i, j), gap(*moved)
        assert after.gap == pytest.approx(before.gap, abs=1e-12)
        np.testing.assert_allclose(after.normal, turn @ before.normal, atol=1e-10)


@every_pair
def test_the_normal_is_the_gradient_of_the_gap(kinds):
    random = np.random.default_rng(12)
    step = 1e-5
    for k in range(6):
        i, j = random_pair(random, kinds, (-0.2, 1e-3, 0.02)[k % 3])
        gradient = [(gap(i.moved(step * e), j).gap - gap(i.moved(-step * e), j).gap) / (2 * step) for e in np.eye(3)]
        np.testing.assert_allclose(gradient, gap(i, j).normal, atol=2e-5)


@pytest.mark.parametrize("kinds", [p for p in PAIRS if p[1] != PLANE and ELLIPSOID in p])
def test_distance_agrees_with_a_general_optimiser_over_the_two_surfaces(kinds):
    """min |a - b| over points a, b inside the shapes, for shapes a smooth optimiser can take."""
    random = np.random.default_rng(13)
    for _ in range(4):
        i, j = random_pair(random, kinds, -0.3)
        inside = [
            {"type": "ineq", "fun": lambda x, p=p, k=k: limits(p, x[3 * k : 3 * k + 3])} for k, p in enumerate((i, j))
        ]
        best = minimize(
            lambda x: np.sum((x[:3] - x[3:]) ** 2),
            np.concatenate([i.centre, j.centre]),
            constraints=inside,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 300},
        )
        assert gap(i, j).gap == pytest.approx(np.sqrt(best.fun), abs=1e-6)


def limits(pose, at):
    """Numbers that are not negative inside a shape."""
    x, y, z = pose.axes @ (at - pose.centre)
    a, b, c = pose.shape["dimensions"]
    kind = pose.shape["kind"]
    if kind == SPHERE:
        return [a * a - x * x - y * y - z * z]
    if kind == ELLIPSOID:
        return [1 - (x / a) ** 2 - (y / b) ** 2 - (z / c) ** 2]
    if kind == BOX:
        return [a - x, a + x, b - y, b + y, c - z, c + z]
    radius = a + (b - a) * (z + c) / (2 * c)
    return [c - z, c + z, radius, radius * radius - x * x - y * y]


CLOSED_FORMS = [
    # shape i, place, rotation vector; shape j; gap
    ((BOX, (1, 2, 3)), (0, 0, 5), (0, 0, 0), (BOX, (1, 1, 1)), 1.0),
    ((BOX, (1, 1, 1)), (0, 0, 1 + 2**0.5), (np.pi / 4, 0, 0), (BOX, (3, 3, 1)), 0.0),
    # two edges that cross at right angles, each box on its edge
    ((CYLINDER, (1, 1, 2)), (0, 0, 1.9), (np.pi / 2, 0, 0), (CYLINDER, (1, 1, 2)), -1.1),
    # lying across a standing cylinder's end
    ((CYLINDER, (1, 1, 2)), (0, 0, 2.9), (np.pi / 2, 0, 0), (BOX, (9, 9, 2)), -0.1),
    ((FRUSTUM, (0, 1, 1)), (0, 0, 1.5), (0, 0, 0), (BOX, (1, 1, 1)), -0.5),
    # rim against rim: axes 3 apart, ends level
    ((CYLINDER, (1, 1, 1)), (3, 0, 0), (0, 0, 0), (CYLINDER, (0.5, 0.5, 1)), 1.5),
    ((ELLIPSOID, (1, 2, 3)), (0, 0, 4.5), (0, 0, 0), (BOX, (1, 1, 1)), 0.5),
    ((ELLIPSOID, (1, 2, 3)), (2.5, 0, 0), (0, 0, 0), (ELLIPSOID, (1, 2, 3)), 0.5),
    ((SPHERE, (1,)), (3, 4, 0), (0, 0, 0), (BOX, (1, 1, 1)), np.hypot(2, 3) - 1),
]


@pytest.mark.parametrize("form", CLOSED_FORMS)
def test_gaps_known_in_closed_form(form):
    (kind_i, size_i), place, turn, (kind_j, size_j), expected = form
    i = placed(kind_i, size_i, place, Rotation.from_rotvec(turn), 1)
    assert gap(i, placed(kind_j, size_j, body=2)).gap == pytest.approx(expected, abs=1e-14)


def test_far_from_the_origin_only_the_difference_of_the_places_counts():
    far = np.array([1e6, -1e6, 1e6])
    i, j = (
        placed(CYLINDER, (1, 1, 2), far + np.array([0, 0, 2.9]), Rotation.from_rotvec((np.pi / 2, 0, 0)), 1),
        placed(BOX, (9, 9, 2), far),
    )
    assert gap(i, j).gap == pytest.approx(-0.1, abs=1e-9)


@pytest.mark.parametrize("kind_i", BOUNDED)
@pytest.mark.parametrize("kind_j", [*BOUNDED, PLANE])
def test_nothing_is_ever_undefined(kind_i, kind_j):
    """Same place, same size, tiny offsets, flat and needle-like shapes: finite numbers and unit normals."""
    thin = {SPHERE: (1,), BOX: (1, 1, 1e-4), CYLINDER: (1e-3, 1e-3, 1), FRUSTUM: (0, 1, 1e-3), ELLIPSOID: (1, 1, 1e-3)}
    plain = {SPHERE: (1,), BOX: (1, 1, 1), CYLINDER: (1, 1, 1), FRUSTUM: (1, 0, 1), ELLIPSOID: (1, 1, 1), PLANE: ()}
    for sizes in (plain, thin):
        for offset in ((0, 0, 0), (1e-300, 0, 0), (1e-16, 0, 0), (0, 0, 2), (2, 0, 0), (1, 1, 1)):
            found = gap(placed(kind_i, sizes[kind_i], offset, body=1), placed(kind_j, plain[kind_j], body=2))
            assert np.isfinite(found.gap)
            assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
            assert np.isfinite(found.on_i).all()
            assert np.isfinite(found.on_j).all()
