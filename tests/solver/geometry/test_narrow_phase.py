"""The points where two shapes touch: how many, where, how heavy; what the force must not do."""

import numpy as np
import pytest
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, PLANE, SPHERE
from naive.geometry import outside_by, overlap_along
from scipy.spatial.transform import Rotation
from shape_rig import (
    NAMES_OF_PAIRS,
    PAIRS,
    Placed,
    contact,
    force,
    gap,
    largest_jump,
    placed,
    random_pair,
    smallest_half_extent,
    turning_path,
)

every_pair = pytest.mark.parametrize("kinds", PAIRS, ids=NAMES_OF_PAIRS)
LYING = Rotation.from_euler("x", 90, degrees=True)
DEPTH = 1e-3
FLOORS = {
    "plane": placed(PLANE, (), (0, 0, 0), body=0),
    "box": placed(BOX, (5, 4, 1), (0, 0, -1), body=0),
    "drum": placed(CYLINDER, (6, 6, 1), (0, 0, -1), body=0),
}
every_floor = pytest.mark.parametrize("floor", FLOORS.values(), ids=FLOORS)


@every_floor
def test_a_box_rests_on_its_four_corners(floor):
    points = contact(placed(BOX, (1, 2, 0.5), (0, 0, 0.5 - DEPTH)), floor)
    corners = {tuple(place) for place in points["point"].round(12)}
    assert corners == {(x, y, -DEPTH / 2) for x in (-1, 1) for y in (-2, 2)}
    assert len(points) == 4
    np.testing.assert_allclose(points["penetration"], DEPTH, atol=1e-15)
    np.testing.assert_allclose(points["weight"], 1.0, atol=1e-14)
    np.testing.assert_allclose(points["normal"], np.tile([0, 0, 1.0], (4, 1)), atol=1e-15)
    assert points["area"].sum() == pytest.approx(8.0)


@every_floor
def test_a_tilted_box_rests_on_an_edge_then_on_a_corner(floor):
    turn = Rotation.from_euler("x", 20, degrees=True)
    lowest = Rotation.from_euler("xy", [20, 15], degrees=True)
    for rotation, number in ((turn, 2), (lowest, 1)):
        box = placed(BOX, (1, 1, 1), (0, 0, 3), rotation)
        points = contact(box.moved(-np.array([0, 0, gap(box, floor).gap + DEPTH])), floor)
        assert points["weight"].sum() == pytest.approx(number, abs=1e-12)
        np.testing.assert_allclose(points["penetration"], DEPTH, atol=1e-14)
        assert len(np.unique(points["point"].round(9), axis=0)) == number


@every_floor
@pytest.mark.parametrize("size", [(1, 1, 2), (0.5, 1, 2)], ids=["cylinder", "frustum"])
def test_a_standing_cylinder_has_four_points_of_its_rim_that_stay_when_it_spins(floor, size):
    kind = CYLINDER if size[0] == size[1] else FRUSTUM
    start = contact(placed(kind, size, (0.5, 0, 2 - DEPTH)), floor)
    assert len(start) == 4
    np.testing.assert_allclose(start["weight"], 1.0, atol=1e-14)
    np.testing.assert_allclose(np.hypot(*(start["point"][:, :2] - [0.5, 0]).T), size[0], rtol=1e-14)
    for angle in np.linspace(0, 7, 23):
        points = contact(placed(kind, size, (0.5, 0, 2 - DEPTH), Rotation.from_euler("z", angle)), floor)
        np.testing.assert_allclose(points["point"], start["point"], atol=1e-14)
        np.testing.assert_allclose(points["penetration"], DEPTH, atol=1e-15)


@every_floor
def test_a_lying_cylinder_turning_about_its_axis_changes_nothing(floor):
    """Points and force are constant to rounding (1e-9 of the force at least), however it is turned."""
    depth = 1e-4
    results = []
    for angle in np.linspace(0, 7, 50):
        points = contact(
            placed(CYLINDER, (0.5, 0.5, 1), (0, 0, 0.5 - depth), LYING * Rotation.from_euler("z", angle)), floor
        )
        assert len(points) == 2
        np.testing.assert_allclose(points["weight"], 1.0, atol=1e-14)
        results.append((points["point"], points["penetration"]))
    for point, penetration in results:
        np.testing.assert_allclose(np.sort(point, axis=0), [[0, -1, -depth / 2], [0, 1, -depth / 2]], atol=1e-14)
        np.testing.assert_allclose(penetration**1.5, depth**1.5, rtol=1e-10)


@every_floor
def test_a_tilted_rim_that_rolls_has_the_force_of_its_lowest_point(floor):
    tilt = Rotation.from_euler("x", 30, degrees=True)
    forces = []
    for angle in np.linspace(0, 7, 30):
        coin = placed(CYLINDER, (1, 1, 0.1), (0, 0, 2), tilt * Rotation.from_euler("z", angle))
        coin = coin.moved(-np.array([0, 0, gap(coin, floor).gap + DEPTH]))
        assert contact(coin, floor)["weight"].sum() == pytest.approx(1.0, abs=1e-12)
        forces.append(force(coin, floor))
    np.testing.assert_allclose(forces, np.tile(forces[0], (30, 1)), rtol=1e-10, atol=1e-10 * DEPTH**1.5)
    assert forces[0][2] == pytest.approx(DEPTH**1.5, rel=1e-10)


def test_a_cylinder_that_lies_along_an_edge_of_a_box_touches_it_at_the_ends_of_the_common_line():
    """Beyond the edge: the normal leans over from the edge to the axis."""
    across, depth = 0.2, 1e-3
    height = np.sqrt((0.5 - depth) ** 2 - across**2)
    points = contact(placed(CYLINDER, (0.5, 0.5, 1), (5 + across, 0.1, height), LYING), FLOORS["box"])
    assert points["weight"].sum() == pytest.approx(2.0, abs=1e-9)
    assert {round(y, 9) for y in points["point"][:, 1]} == {-0.9, 1.1}
    np.testing.assert_allclose(points["penetration"], depth, rtol=1e-9)
    np.testing.assert_allclose(
        points["normal"], np.tile([across, 0, height], (len(points), 1)) / (0.5 - depth), atol=1e-12
    )


def test_parallel_cylinders_touch_at_the_ends_of_their_common_line():
    i, j = placed(CYLINDER, (1, 1, 3), (0, 1, 2 - DEPTH), LYING), placed(CYLINDER, (1, 1, 3), (0, 0, 0), LYING, body=2)
    points = contact(i, j)
    np.testing.assert_allclose(np.sort(points["point"][:, 1]), [-2, 3], atol=1e-12)
    np.testing.assert_allclose(points["penetration"], DEPTH, rtol=1e-9)
    np.testing.assert_allclose(points["weight"], 1.0, atol=1e-12)


def test_crossed_cylinders_and_crossed_edges_touch_in_one_point_of_weight_one():
    cylinders = (
        placed(CYLINDER, (1, 1, 3), (0, 0, 2 - DEPTH), LYING),
        placed(CYLINDER, (1, 1, 3), (0, 0, 0), Rotation.from_euler("y", 90, degrees=True), body=2),
    )
    upper, lower = Rotation.from_euler("x", 45, degrees=True), Rotation.from_euler("y", 45, degrees=True)
    edges = placed(BOX, (2, 1, 1), (0, 0, 2 * 2**0.5 - DEPTH), upper), placed(BOX, (1, 2, 1), (0, 0, 0), lower, body=2)
    for i, j in (cylinders, edges):
        points = contact(i, j)
        assert len(points) == 1
        assert points["weight"][0] == pytest.approx(1.0, abs=1e-9)
        assert points["penetration"][0] == pytest.approx(DEPTH, rel=1e-9)
        np.testing.assert_allclose(points["normal"][0], [0, 0, 1], atol=1e-9)


def test_faces_that_overlap_in_part_share_four_weights_on_the_corners_of_the_overlap():
    i, j = placed(BOX, (1, 1, 1), (1.5, 0, 2 - DEPTH)), placed(BOX, (1, 2, 1), body=2)
    points = contact(i, j)
    expected = {(x, y) for x in (0.5, 1) for y in (-1, 1)}
    assert {tuple(np.round(p[:2], 9)) for p in points["point"]} == expected
    assert points["weight"].sum() == pytest.approx(4.0)
    assert points["area"].sum() == pytest.approx(1.0)


def test_a_corner_that_is_cut_off_shares_its_weight():
    """A square turned by 45 degrees loses a corner: two corners of weight 1/2 in its place."""
    i = placed(BOX, (1, 1, 1), (0, 0, 2 - DEPTH), Rotation.from_euler("z", 45, degrees=True))
    points = contact(i, placed(BOX, (2, 5, 1), (-0.8, 0, 0), body=2))
    np.testing.assert_allclose(np.sort(points["weight"]), [0.5, 0.5, 1, 1, 1], atol=1e-12)


def test_areas_of_spheres_are_exact():
    """The circle in which two spheres, or a sphere and a plane, cut each other."""
    big, small, apart = 2.0, 1.0, 2.7
    area = contact(placed(SPHERE, (small,), (0, 0, apart)), placed(SPHERE, (big,), body=2))["area"][0]
    # Heron: the circle's radius is the height of the triangle of the two radii and the distance
    s = 0.5 * (big + small + apart)
    height = 2 * np.sqrt(s * (s - big) * (s - small) * (s - apart)) / apart
    assert area == pytest.approx(np.pi * height**2, rel=1e-13)
    area = contact(placed(SPHERE, (small,), (0, 0, 0.7)), FLOORS["plane"])["area"][0]
    assert area == pytest.approx(np.pi * (1 - 0.7**2), rel=1e-13)


def test_ellipsoid_with_equal_axes_is_a_sphere():
    for other in (FLOORS["plane"], FLOORS["box"], placed(CYLINDER, (1, 1, 2), (0.3, 0.2, -0.4), LYING, 3)):
        one, two = (
            contact(placed(kind, (0.7, 0.7, 0.7)[:n], (0.1, 0.2, 0.65)), other)
            for kind, n in ((SPHERE, 1), (ELLIPSOID, 3))
        )
        for field in ("point", "normal", "penetration", "weight"):
            np.testing.assert_allclose(one[field], two[field], atol=1e-12)


@every_pair
def test_the_deepest_point_is_as_deep_as_the_gap_and_midway_between_the_surfaces(kinds):
    """One direction of contact, as it is with small penetrations: depths, normals and places agree with the gap."""
    random = np.random.default_rng(20)
    depth = 1e-7
    for _ in range(10):
        i, j = random_pair(random, kinds, depth)
        points, found = contact(i, j), gap(i, j)
        assert len(points) >= 1
        deepest = points[points["penetration"].argmax()]
        # where directions share the load, the greatest overlap is at most (1 + 1/4)^2 times the least
        assert -found.gap - 1e-13 <= deepest["penetration"] <= -1.5625 * found.gap
        for point in points:
            assert outside_by(i, point["point"]) == pytest.approx(0.0, abs=1.5625 * depth)
            assert outside_by(j, point["point"]) == pytest.approx(0.0, abs=1.5625 * depth)
            if point["penetration"] == -found.gap:
                np.testing.assert_allclose(point["normal"], found.normal, atol=1e-9)


@every_pair
def test_no_points_when_apart_and_points_when_not(kinds):
    random = np.random.default_rng(21)
    for k in range(20):
        i, j = random_pair(random, kinds, (1e-9, -1e-9, 0.1, None)[k % 4])
        assert (len(contact(i, j)) > 0) == (gap(i, j).gap < 0)


@every_pair
def test_both_orders_of_a_pair_have_opposite_forces(kinds):
    random = np.random.default_rng(22)
    for k in range(12):
        i, j = random_pair(random, kinds, (1e-3, 0.05, None)[k % 3])
        there, back = force(i, j), force(j, i)
        np.testing.assert_allclose(back, -there, atol=1e-12 * (1 + abs(there).max()))


@every_pair
def test_a_common_motion_of_both_bodies_turns_the_force(kinds):
    random = np.random.default_rng(23)
    for k in range(12):
        i, j = random_pair(random, kinds, (1e-3, 0.05, None)[k % 3])
        turn = Rotation.random(rng=random).as_matrix()
        moved = [Placed(p.shape, turn @ p.position, turn @ p.rotation) for p in (i, j)]
        before, after = force(i, j).reshape(2, 3), force(*moved).reshape(2, 3)
        np.testing.assert_allclose(after, before @ turn.T, atol=1e-9 * max(abs(before).max(), 1e-3))


@every_pair
@pytest.mark.parametrize("depth", [1e-4, 0.02])
def test_the_force_is_continuous_along_random_paths(kinds, depth):
    """With an ellipsoid as far as a third of the smallest half extent, deeper the direction may change at once."""
    random = np.random.default_rng(24)
    followed = 0
    for _ in range(5):
        i, j = random_pair(random, kinds, depth)
        path = turning_path(i, j, random.normal(size=3) * 0.15, random.normal(size=3) * 0.3)
        if ELLIPSOID in kinds:
            deepest = max(-gap(*path(s)).gap for s in np.linspace(0, 1, 20))
            if deepest > min(smallest_half_extent(i), smallest_half_extent(j)) / 3:
                continue
        followed += 1
        assert largest_jump(path, 40)[0] < 1e-5
    assert followed >= 3


@pytest.mark.parametrize("kinds", [p for p in PAIRS if not {SPHERE, ELLIPSOID, PLANE} & set(p)])
def test_the_force_is_continuous_along_random_paths_through_each_other(kinds):
    """However deep: many separating directions share the load, come and go."""
    random = np.random.default_rng(25)
    for _ in range(15):
        i, j = random_pair(random, kinds)
        path = turning_path(i, j, random.normal(size=3) * 0.15, random.normal(size=3) * 0.3)
        assert largest_jump(path, 40)[0] < 1e-5


@pytest.mark.parametrize("kinds", [p for p in PAIRS if not {SPHERE, ELLIPSOID, PLANE} & set(p)])
def test_the_direction_of_least_overlap_is_among_those_that_share_the_load(kinds):
    """Unless it is a face that is preferred, some point is pushed along the normal of the gap, found independently."""
    random = np.random.default_rng(26)
    for k in range(50):
        i, j = random_pair(random, kinds, (None, 1e-6, 1e-3, 0.05, 0.15)[k % 5])
        found, points = gap(i, j), contact(i, j)
        if found.gap < 0:
            shortest = min(overlap_along(i, j, points["normal"]))
            assert shortest == pytest.approx(-found.gap, rel=1e-9, abs=1e-14)


BIG = placed(BOX, (2, 2, 1), body=9)
SLANT = Rotation.from_euler("z", 25, degrees=True)
ROLLER = (CYLINDER, (0.5, 0.5, 1))
TRANSITIONS = {
    # shape i, shift along the path, rotation vector along the path; all touch the top of a box
    "box slides over an edge": (placed(BOX, (1, 0.8, 0.5), (0.5, 0, 1.495)), (3, 0, 0), (0, 0, 0)),
    "box slides over a corner": (placed(BOX, (1, 0.8, 0.5), (0.5, 0.5, 1.495), SLANT), (3, 2.6, 0), (0, 0, 0)),
    "box turns on a face": (placed(BOX, (1, 0.8, 0.5), (1.6, 1.5, 1.495)), (0, 0, 0), (0, 0, 6)),
    "box tilts from face to edge to corner": (placed(BOX, (1, 0.8, 0.5), (0.2, 0, 1.45)), (0, 0, 0.4), (0.7, 0.5, 0)),
    "box tilts over an edge": (placed(BOX, (1, 0.8, 0.5), (1.7, 0, 1.45)), (0, 0, 0.3), (0.2, 0.6, 0.1)),
    "cylinder rolls over an edge": (placed(CYLINDER, (0.5, 0.5, 1), (1.5, 0, 1.49), LYING), (0.6, 0, 0), (0, 1, 0)),
    "cylinder slides over an edge": (placed(CYLINDER, (0.5, 0.5, 1), (0, 0.5, 1.49), LYING), (0, 2.3, 0), (0, 0, 0)),
    "cylinder slides over a corner": (
        placed(*ROLLER, (1, 1, 1.49), SLANT * LYING),
        (1.1, 0.9, 0),
        (0, 0, 0),
    ),
    "standing cylinder slides over an edge": (placed(CYLINDER, (0.5, 0.5, 1), (1, 0.2, 1.99)), (1.6, 0, 0), (0, 0, 0)),
    "standing cylinder slides over a corner": (placed(CYLINDER, (0.5, 0.5, 1), (1, 1, 1.99)), (1.2, 1.1, 0), (0, 0, 0)),
    "cylinder tilts from end to rim to side": (
        placed(CYLINDER, (0.5, 0.5, 1), (0, 0, 1.95)),
        (0, 0, -0.4),
        (np.pi / 2, 0.0, 0.0),
    ),
    "frustum tilts from end to side": (placed(FRUSTUM, (0.5, 0.2, 1), (0, 0, 1.95)), (0, 0, -0.4), (1.9, 0.0, 0.0)),
}


@pytest.mark.parametrize("transition", TRANSITIONS.values(), ids=TRANSITIONS)
def test_the_force_is_continuous_through_transitions(transition):
    i, shift, vector = transition
    assert largest_jump(turning_path(i, BIG, shift, vector), 150)[0] < 1e-5


def test_cylinder_turning_from_crossed_to_parallel_on_a_cylinder_keeps_a_continuous_force():
    i, j = placed(CYLINDER, (0.5, 0.5, 1), (0, 0, 0.98), LYING), placed(CYLINDER, (0.5, 0.5, 2), body=2, rotation=LYING)
    path = turning_path(i, j, (0, 0, 0), (0, 0, np.pi / 2))
    assert largest_jump(path, 150)[0] < 1e-5
    # one point becomes the two ends of a line
    assert contact(*path(1.0))["weight"].sum() == pytest.approx(1.0, abs=1e-9)
    assert contact(*path(0.0))["weight"].sum() == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize("kinds", [p for p in PAIRS if PLANE in p])
def test_the_force_on_a_half_space_is_the_gradient_of_an_energy(kinds):
    """Work around a closed path is zero: sum of 2/5 z^2.5 changes by just what the force does."""
    random = np.random.default_rng(30)
    for _ in range(4):
        i, j = random_pair(random, kinds, 0.05)
        points = contact(i, j)
        assert len(points) > 0
        shift, turn, step = random.normal(size=3), random.normal(size=3), 1e-5

        def energy(s, i=i, j=j, shift=shift, turn=turn):
            points = contact(*turning_path(i, j, shift, turn)(s))
            return 0.4 * np.sum(points["weight"] * points["penetration"] ** 2.5)

        wrench = force(i, j)
        moment = wrench[3:] - np.cross(i.centre, wrench[:3])
        power = wrench[:3] @ shift + moment @ turn
        assert power == pytest.approx(-(energy(step) - energy(-step)) / (2 * step), rel=1e-5, abs=1e-9)
