"""Where plane curves overlap: depth, place and normal against closed forms and against very many points."""

from __future__ import annotations

import math

import naive.plane_curves as twin
import numpy as np
import pytest
from curve_rig import Curve, Two, blob, circle, overlapping, polygon
from gsolve.solver.geometry.curve2d.arcs import arc_of, sums_of
from gsolve.solver.geometry.curve2d.crossings import find_crossings
from gsolve.solver.geometry.curve2d.deepest import FREE, find_deepest
from gsolve.solver.geometry.curve2d.foot import ON_CURVE, Master, foot_of
from gsolve.solver.geometry.curve2d.planes import AS_IT_IS


def square(half):
    return half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def lens(one, other, distance):
    """Area of the lens of two circles, distance of its centroid from the first centre, and its chord."""
    x = (distance**2 + one**2 - other**2) / (2 * distance)
    half = math.sqrt(one**2 - x**2)
    areas = []
    for radius, to_chord in ((one, x), (other, distance - x)):
        angle = math.acos(to_chord / radius)
        areas.append(radius**2 * (angle - math.sin(angle) * math.cos(angle)))
    moment = 2 / 3 * half**3 + (distance * areas[1] - 2 / 3 * half**3)
    return sum(areas), moment / sum(areas), 2 * half


def errors_of_circles(n, stability, of_circle=False):
    """Largest errors of depth, place and normal of two circles of n points in many poses."""
    found = []
    two = Two(Curve(circle(0.05, n)), 0.03 if of_circle else Curve(circle(0.03, n)), stability)
    for k in range(25):
        direction, angle, depth = 0.37 * k, 0.11 * k, 1e-4
        distance = 0.08 - depth
        way = np.array([math.cos(direction), math.sin(direction)])
        (point,) = two.points(*(distance * way), angle)
        area, centroid, chord = lens(0.05, 0.03, distance)
        expected_depth, place = (depth, 0.05 - 0.5 * depth) if stability else (area / chord, centroid)
        found.append(
            [
                abs(point["penetration"] - expected_depth),
                np.linalg.norm(point["point"][:2] - place * way),
                np.linalg.norm(point["normal"][:2] + way),
            ]
        )
        assert point["area"] == pytest.approx(chord, rel=0.05 if n < 64 else 1e-3)
    return np.max(found, axis=0)


@pytest.mark.parametrize("stability", [0.1, 0.0])
def test_circles_by_points_are_of_order_4(stability):
    """The lens of two circles in closed form."""
    errors = [errors_of_circles(n, stability) for n in (16, 128)]
    assert errors[-1][0] < 2e-9
    orders = np.log2(errors[0][0] / errors[-1][0]) / 3
    assert orders > 3.8
    assert np.all(errors[-1] < [2e-9, 5e-8, 2e-6])


@pytest.mark.parametrize("stability", [0.1, 0.0])
def test_a_circle_is_exact(stability):
    """One of the two circles is that of a cylinder."""
    assert np.all(errors_of_circles(128, stability, of_circle=True) < [1e-9, 5e-8, 2e-6])


@pytest.mark.parametrize("stability", [0.1, 0.0])
def test_a_straight_line_is_exact(stability):
    """A circle of 30 mm that lies 0.1 mm below a line: the segment in closed form."""
    depth, radius = 1e-4, 0.03
    for direction in np.arange(0.0, 6.0, 0.5):
        way = np.array([math.cos(direction), math.sin(direction)])
        place = (radius - depth) * way + 0.01 * np.array([-way[1], way[0]])
        (point,) = Two(Curve(circle(radius, 128)), None, stability).points(*place, direction + math.pi)
        half = math.sqrt(radius**2 - (radius - depth) ** 2)
        angle = math.acos(1 - depth / radius)
        area = radius**2 * (angle - math.sin(angle) * math.cos(angle))
        assert point["penetration"] == pytest.approx(depth if stability else area / (2 * half), abs=1e-9)
        expected = (radius - 0.5 * depth if stability else 2 / 3 * half**3 / area) * way
        np.testing.assert_allclose(point["point"][:2], expected, atol=5e-8)
        np.testing.assert_allclose(point["normal"][:2], -way, atol=2e-6)


def test_both_orders_have_the_same_points():
    random = np.random.default_rng(5)
    for made in (lambda: Curve(blob(random, 0.1)), lambda: Curve(polygon(random))):
        one, other = made(), made()
        two = Two(one, other)
        x, y, angle = overlapping(two, random, 1e-3)
        c, s = math.cos(angle), math.sin(angle)
        back = Two(other, one).points(-(c * x + s * y), s * x - c * y, -angle)
        here = two.points(x, y, angle)
        turn = np.array([[c, s], [-s, c]])
        np.testing.assert_allclose(np.sort(back["penetration"]), np.sort(here["penetration"]), rtol=1e-6)
        total = (here["weight"] * here["penetration"]) @ here["normal"][:, :2]
        np.testing.assert_allclose((back["weight"] * back["penetration"]) @ back["normal"][:, :2], -turn @ total,
                                   atol=1e-6 * 1e-3)  # fmt: skip


def test_depth_area_and_centroid_are_those_of_very_many_points():
    random = np.random.default_rng(6)
    for _ in range(4):
        two = Two(Curve(blob(random, 0.06)), Curve(blob(random, 0.06, n=30)))
        pose = overlapping(two, random, 1e-3)
        pair = two.pair(*pose)
        assert find_crossings(two.reference, 0, 1, pair.pose) == 2
        crossings, segments = two.curves.scratch["crossings"], two.curves.segments
        enters = int(np.flatnonzero(crossings["enters"][:2])[0])
        begin, end = crossings[enters].copy(), crossings[1 - enters].copy()
        arcs = (
            arc_of(two.curves.curves[0], begin["at_a"], end["at_a"]),
            arc_of(two.curves.curves[1], end["at_b"], begin["at_b"]),
        )
        one = twin.part(*two.curve.sampled(), begin["at_a"], end["at_a"])
        other = twin.part(*two.other.sampled(), end["at_b"], begin["at_b"])
        placed = twin.placed(other, *pose)
        # area and centroid, in the axes of B
        origin = (float(begin["x"]), float(begin["y"]))
        sums = np.add(sums_of(segments, arcs[0], pair.pose, origin), sums_of(segments, arcs[1], AS_IT_IS, origin))
        area, centroid = twin.overlap_of_arcs(one, placed)
        assert sums[0] == pytest.approx(area, rel=1e-3)
        c, s = math.cos(pose[2]), math.sin(pose[2])
        found = np.array([[c, -s], [s, c]]) @ (sums[1:] / sums[0] + origin) + pose[:2]
        np.testing.assert_allclose(found, centroid, atol=2e-5)
        # the deepest point and its foot
        master = Master(ON_CURVE, arcs[1], AS_IT_IS, 0.0, 0.0, 0.0, 0.0, 0.0)
        start = 0.5 * (arcs[0].begin + arcs[0].end), 0.5 * (arcs[1].begin + arcs[1].end)
        deepest = find_deepest(segments, arcs[0], pair.pose, master, FREE, *start)
        depths = twin.depths(one, placed)
        assert deepest.foot.depth == pytest.approx(depths.max(), rel=1e-4)
        foot = foot_of(segments, master, deepest.x, deepest.y, arcs[1].end)
        assert foot.depth == pytest.approx(deepest.foot.depth, abs=1e-14)
        (point,) = two.points(*pose)
        assert point["penetration"] == pytest.approx(depths.max(), rel=1e-3)


def test_a_corner_in_a_flat_side_is_as_deep_as_it_reaches():
    """A square on its corner, turned by a little: the normal is that of the side."""
    for turned in (0.0, 0.1, -0.3):
        two = Two(Curve(square(0.05)), Curve(square(0.03)))
        reach = 0.03 * math.sqrt(2) * math.cos(turned)
        (point,) = two.points(0.004, 0.05 + reach - 1e-3, math.pi / 4 + turned)
        assert point["penetration"] == pytest.approx(1e-3, abs=1e-14)
        np.testing.assert_allclose(point["normal"][:2], [0.0, -1.0], atol=1e-12)
        assert point["point"][0] == pytest.approx(0.004 + 0.03 * math.sqrt(2) * math.sin(turned), abs=1e-4)


def test_flat_on_flat_the_point_is_in_the_middle_and_moves_with_the_tilt():
    """Where z = d + t x along a side of length L, its centroid is at t L^2/(12 d), and the point at 1 + 1/s times that.

    (Of small tilts: until it comes to a corner.)
    """
    depth, stability, half = 1e-3, 0.1, 0.03
    two = Two(Curve([[-0.1, -0.05], [0.1, -0.05], [0.1, 0.0], [-0.1, 0.0]]), Curve(square(half)), stability)
    for tilt in (0.0, 1e-4, -1e-3):
        found = two.points(0.0, half - depth, tilt)
        place = np.sum(found["weight"] * found["penetration"] * found["point"][:, 0]) / np.sum(
            found["weight"] * found["penetration"]
        )
        expected = half * tilt - tilt * (2 * half) ** 2 / (12 * depth) * (1 + 1 / stability)
        assert place == pytest.approx(expected, abs=1e-6)
        assert found["weight"].sum() == pytest.approx(1.0)


def test_faces_of_corners_that_overlap_share_the_load():
    """Two squares overlap in a rectangle: the shorter side is the way out; of a square both are, half each."""
    two = Two(Curve(square(0.05)), Curve(square(0.03)))
    for across, up in ((4e-3, 1e-3), (1e-3, 4e-3)):
        found = two.points(0.08 - across, 0.08 - up, 0.0)
        np.testing.assert_allclose(found["penetration"], min(across, up))
        expected = [0.0, -1.0] if up < across else [-1.0, 0.0]
        np.testing.assert_allclose(found["normal"][:, :2], np.tile(expected, (len(found), 1)), atol=1e-12)
        assert found["weight"].sum() == pytest.approx(1.0)
    found = two.points(0.079, 0.079, 0.0)
    np.testing.assert_allclose(found["weight"] @ found["normal"][:, :2], [-0.5, -0.5], atol=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 1e-5])
def test_blocks_that_lie_on_each_other_push_along_their_normal_alone(depth):
    """Flush, or each with a corner beyond the other; and a small one flush with the edge of a large one."""
    for size, beside in (
        (0.05, 0.0),
        (0.05, 1e-9),
        (0.05, 1e-4),
        (0.05, 0.03),
        (0.05, 0.09),
        (0.02, 0.03),
        (0.02, 0.04),
    ):
        for side in (-beside, beside):
            force = Two(Curve(square(0.05)), Curve(square(size))).force(0.05 + size - depth, side, 0.0)
            np.testing.assert_allclose(force[:2] / depth**1.5, [1.0, 0.0], atol=1e-6)


def in_groove(below):
    """A ball of 20 mm in a groove of 90 degrees, its centre so much nearer than where it touches both sides."""
    groove = Curve([[0.1, 0.1], [0.0, 0.0], [-0.1, 0.1], [-0.1, -0.1], [0.1, -0.1]])
    return Two(groove, 0.02), (0.0, 0.02 * math.sqrt(2) - below, 0.0)


def test_a_ball_in_a_groove_lies_on_both_sides_also_where_it_covers_the_bottom():
    """Each side has its own point, with the depth and the normal of that side, before and behind."""
    for below in (1e-3, 8.2e-3, 8.3e-3, 8.5e-3):  # the bottom is covered from 0.02 (sqrt 2 - 1) on
        two, pose = in_groove(below)
        found = two.points(*pose)
        assert len(found) == 2
        np.testing.assert_allclose(found["penetration"], below / math.sqrt(2), rtol=0.02)
        np.testing.assert_allclose(np.abs(found["normal"][:, :2]), math.sqrt(0.5), atol=1e-9)
        assert found["weight"].sum() == pytest.approx(2.0, abs=0.12)
    (before, behind) = (in_groove(0.02 * (math.sqrt(2) - 1) + d) for d in (-1e-9, 1e-9))
    forces = [two.force(*pose) for two, pose in (before, behind)]
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-5, atol=1e-12)


def test_a_ball_on_two_bumps_that_grow_together_goes_over_to_one_point():
    """Two points until the valley is covered; from there on their weights, 1 each, fall together by (s/z)^1.5."""
    x = np.linspace(0.016, -0.016, 33)
    bumps = np.stack([x, -1e-3 * ((x / 0.01) ** 2 - 1) ** 2], axis=1)  # at -10 and 10 mm; solid below
    two = Two(Curve(bumps, closed=False), 0.4)
    sag = 0.01**2 / (2 * 0.4)
    totals = []
    for depth in np.linspace(1.5e-4, 3e-3, 58):
        found = two.points(0.0, 0.4 - depth, 0.0)
        totals.append(found["weight"].sum())
        assert len(found) == 2
        at_peaks, in_valley = depth - sag, max(depth - 1e-3, 0.0)
        assert totals[-1] == pytest.approx(2 - (in_valley / at_peaks) ** 1.5, abs=0.01)
        np.testing.assert_allclose(found["weight"], 0.5 * totals[-1], rtol=1e-6)
    assert totals[0] == 2.0
    assert totals[-1] < 1.45
