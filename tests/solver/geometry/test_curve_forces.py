"""The force of plane curves as they move: continuous, and nearly the gradient of an energy; their gap."""

from __future__ import annotations

import math

import naive.plane_curves as twin
import numpy as np
import pytest
from curve_rig import PAIRS, SIZE, Curve, Two, blob, circle, largest_jump, overlapping, polygon, work_around
from gsolve.solver.geometry.curve2d import gap

PATHS = 3


@pytest.mark.parametrize("depth", [1e-4, 2e-3])
@pytest.mark.parametrize("made", PAIRS.values(), ids=PAIRS)
def test_the_force_is_continuous(made, depth):
    """Along ways of some millimetres, over corners, where regions appear, merge and part."""
    for k in range(PATHS):
        random = np.random.default_rng(100 + k)
        two = made(random)
        start = overlapping(two, random, depth)
        way = random.normal(size=3) * [0.004, 0.004, 0.05]
        assert largest_jump(two, lambda s, start=start, way=way: start + s * way, 40) < 1e-5


OPEN = np.array([[0.03, 0.0], [-0.03, 0.0]])  # solid below
HOLE = 0.05 * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


@pytest.mark.parametrize(
    ("curve", "start", "way"),
    [
        (Curve(OPEN, closed=False), (0.02, 0.0195), (0.03, 0.0)),
        (Curve(circle(SIZE, 64), other_side=True), (0.0305, 0.0), (-0.01, 0.02)),
        (Curve(HOLE, other_side=True), (0.031, 0.028), (0.0, 0.006)),
    ],
    ids=["off the end of a line", "in a round hole", "into the corner of a square hole"],
)
def test_the_force_is_continuous_at_ends_and_in_holes(curve, start, way):
    for k in range(PATHS):
        random = np.random.default_rng(k)
        for other in (Curve(blob(random, 0.05, 0.02)), Curve(polygon(random, 0.021)), 0.02):
            two = Two(curve, other)
            begin, turn = np.array([*start, random.uniform(0, 6)]), np.array([*way, 0.05])
            assert largest_jump(two, lambda s, begin=begin, turn=turn: begin + s * turn, 60) < 1e-5


def test_without_a_spring_the_force_is_a_gradient():
    """Of curves without hollows that touch in one region: the work around closed paths is nothing."""
    for k in range(3):
        random = np.random.default_rng(k)
        two = Two(Curve(blob(random, 0.03)), Curve(blob(random, 0.03)), stability=1e-9)
        assert work_around(two, overlapping(two, random, 1e-3), random, 5e-4) < 1e-7


@pytest.mark.parametrize(("depth", "most"), [(1e-4, 2e-5), (1e-3, 2e-4)])
def test_the_spring_of_the_document_costs_little(depth, most):
    for k in range(3):
        random = np.random.default_rng(k)
        two = Two(Curve(blob(random, 0.03)), Curve(blob(random, 0.03)))
        assert work_around(two, overlapping(two, random, depth), random, 0.5 * depth) < most


def test_polygons_on_their_corners_have_a_gradient():
    for k in range(3):
        random = np.random.default_rng(k)
        two = Two(Curve(polygon(random)), Curve(blob(random, 0.02)), stability=1e-9)
        assert work_around(two, overlapping(two, random, 3e-4), random, 1e-4) < 1e-6


@pytest.mark.parametrize("made", PAIRS.values(), ids=PAIRS)
def test_the_gap_is_that_of_very_many_points(made):
    assert gap.MOST_PASSES > 0
    for k in range(3):
        random = np.random.default_rng(k)
        two = made(random)
        direction = random.uniform(0, 2 * math.pi)
        pose = np.array([0.125 * math.cos(direction), 0.125 * math.sin(direction), direction + math.pi])
        if two.other is None:
            points = two.curve.sampled()[0] @ [math.cos(pose[2]), math.sin(pose[2])]
            expected = points.min() - pose[:2] @ [math.cos(pose[2]), math.sin(pose[2])]
        elif isinstance(two.other, float):
            expected = np.linalg.norm(two.curve.sampled()[0] - pose[:2], axis=1).min() - two.other
        else:
            expected = twin.gap(two.curve.sampled(150)[0], twin.placed(two.other.sampled(150)[0], *pose))
        assert expected - 2e-6 < two.gap(*pose) <= expected + 1e-15


def test_what_crosses_has_no_gap():
    two = Two(Curve(circle(0.05, 24)), Curve(circle(0.03, 24)))
    assert two.gap(0.079, 0.0, 0.0) == -1.0
    assert two.gap(0.0801, 0.0, 0.0) == pytest.approx(1e-4, abs=1e-6)
