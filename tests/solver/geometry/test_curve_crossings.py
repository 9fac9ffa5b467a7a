"""Where plane curves cross, against polygons of very many points."""

from __future__ import annotations

import naive.plane_curves as twin
import numpy as np
import pytest
from curve_rig import SIZE, Curve, Two, blob, circle, overlapping, polygon, star
from gsolve.solver.geometry.curve2d.crossings import find_crossings
from gsolve.solver.geometry.curve2d.round_and_straight import find_crossings_with
from gsolve.solver.geometry.curve2d.segment_crossings import keeps_half


def crossed(two, pose):
    """Places along A, and whether it enters there."""
    pair = two.pair(*pose)
    if pair.b >= 0:
        n = find_crossings(two.reference, pair.a, pair.b, pair.pose)
    else:
        n = find_crossings_with(two.reference, pair.a, pair.other)
    return two.curves.scratch["crossings"][:n].copy()


MADE = {
    "blobs": lambda random: (Curve(blob(random, 0.1)), Curve(blob(random, 0.1))),
    "hollow": lambda random: (Curve(blob(random, 0.3)), Curve(blob(random, 0.3, n=20))),
    "polygons": lambda random: (Curve(polygon(random)), Curve(polygon(random))),
    "stars": lambda random: (Curve(star(random)), Curve(star(random))),
    "small": lambda random: (Curve(blob(random, 0.1, 0.004, 14)), Curve(polygon(random))),
    "circle": lambda random: (Curve(blob(random, 0.3)), 0.02),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_all_crossings_are_found(made):
    random = np.random.default_rng(3)
    for depth in (3e-4, 2e-3, 6e-3, None, None):
        two = Two(*made(random))
        pose = np.array([0.5 * SIZE, 0.3 * SIZE, 1.0])
        if depth is not None:
            pose = overlapping(two, random, depth)
        points, at = two.curve.sampled(20)
        other = circle(two.other, 1000) if isinstance(two.other, float) else two.other.sampled(30)[0]
        expected = twin.crossings(points, twin.placed(other, *pose), at)
        found = crossed(two, pose)
        assert [bool(enters) for enters in found["enters"]] == [enters for _, enters in expected]
        np.testing.assert_allclose(found["at_a"], [place for place, _ in expected], atol=0.03)
        assert len(found) % 2 == 0


def test_what_was_found_before_leaves_no_trace():
    """Pairs of boxes are kept from pose to pose, and sleep until they may touch: the same bits come out without."""
    random = np.random.default_rng(4)
    two = Two(Curve(blob(random, 0.3)), Curve(blob(random, 0.3)))
    pose, drift = overlapping(two, random, 2e-3), random.normal(size=3) * [2e-5, 2e-5, 1e-3]
    for k in range(120):  # a walk, then a slow drift
        pose = pose + (random.normal(size=3) * [2e-5, 2e-5, 1e-3] if k < 40 else 0.2 * drift)
        kept = crossed(two, pose), two.points(*pose)
        two.forget()
        names = ["at_a", "at_b", "x", "y", "enters"]
        assert kept[0][names].tolist() == crossed(two, pose)[names].tolist()
        assert kept[1].tobytes() == two.points(*pose).tobytes()


def moved(pose, random, k):
    """The next pose of a walk: it slides and turns slowly, waits, jumps by up to a tooth, and now and then far away."""
    if k % 40 == 39:
        return pose + random.normal(size=3) * [2e-3, 2e-3, 0.5]
    size = (1e-6, 2e-5, 2e-4)[k // 40 % 3]
    return pose + random.normal(size=3) * [size, size, size / SIZE] + [0.0, 0.0, 2.0 * size / SIZE]


def wheel(random):
    """A wheel with ten round teeth, whose flanks have few points."""
    angle = 2 * np.pi * np.arange(80) / 80
    radius = SIZE * (1.0 + 0.06 * np.sin(10 * angle) + 0.003 * random.normal(size=80))
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


# The ring is hollow all around: none of its regions is a lens
MOVING = {
    **{name: MADE[name] for name in ("blobs", "hollow", "polygons", "small")},
    "circles": lambda random: (Curve(circle(0.05, 40)), Curve(circle(0.03, 30))),
    "wheels": lambda random: (Curve(wheel(random)), Curve(wheel(random))),
    "ring": lambda random: (Curve(circle(0.03, 30)), Curve(circle(0.031, 30), other_side=True)),
}


@pytest.mark.parametrize("made", MOVING.values(), ids=MOVING)
def test_lenses_kept_from_pose_to_pose_hide_no_crossing(made):
    """All crossings of a search that begins with nothing are there, bit for bit, and no others."""
    random = np.random.default_rng(5)
    names, kept, crossings = ["at_a", "at_b", "x", "y", "enters"], 0, 0
    for _ in range(4):
        two = Two(*made(random))
        fresh = Two(two.curve, two.other)
        begin = pose = overlapping(two, random, 10 ** random.uniform(-5, -2.5))
        for k in range(240):
            pose = moved(pose, random, k) if k % 80 else begin
            found = crossed(two, pose)[names].tolist()
            kept += int(two.curves.fronts["lenses"].sum())
            fresh.forget()
            assert found == crossed(fresh, pose)[names].tolist()
            crossings += len(found)
    assert crossings > 500
    assert kept == 0 if made is MOVING["ring"] else kept > 0.2 * crossings / 2


@pytest.mark.parametrize("depth", [1e-10, 1e-8, 1e-6])
def test_shallow_regions_on_long_straight_sides_are_found(depth):
    """A ball of 3 mm, as a circle and as a curve, on a side of 80 mm."""
    side = Curve(np.array([[-0.03, -0.01], [0.05, -0.01], [0.05, 0.0], [-0.03, 0.0]]))
    for other in (0.003, Curve(circle(0.003, 24))):
        two = Two(side, other)
        # where a curve has a point its radius is exact
        found = two.points(0.0123, 0.003 - depth, 0.5 * np.pi)
        assert len(found) == 1
        assert found["penetration"][0] == pytest.approx(depth, rel=1e-5)
        np.testing.assert_allclose(found["normal"][0], [0.0, -1.0, 0.0], atol=1e-5)


def test_crossings_at_joints_are_found_once():
    """A square whose side passes through points of a circle, and through corners of another square."""
    square = Curve(0.05 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))
    for x, y in ((0.05, 0.0), (0.05, 0.05), (0.1, 0.0), (0.1 - 1e-9, 0.0), (0.06, 0.1)):
        found = crossed(Two(Curve(circle(0.05, 16)), square), (x, y, 0.0))
        assert [int(enters) for enters in found["enters"]] in ([], [1, 0], [0, 1])
        found = crossed(Two(square, square), (x, y, 0.0))
        assert len(found) in (0, 2)


def test_cubics_that_keep_half_of_their_ends_stay_there():
    random, u = np.random.default_rng(7), np.linspace(0.0, 1.0, 101)
    kept = 0
    for begin, slope_begin, end, slope_end in random.normal(size=(400, 4)):
        rise = end - begin
        bend, twist = 3.0 * rise - 2.0 * slope_begin - slope_end, slope_begin + slope_end - 2.0 * rise
        cubic = begin + u * (slope_begin + u * (bend + u * twist))
        if keeps_half(begin, slope_begin, end, slope_end):
            kept += 1
            assert np.all(cubic / begin >= 0.5 * min(1.0, end / begin) - 1e-12)
    assert 20 < kept < 380
