"""The course that lists of meshes are made for: nothing is missed on it nor off it, and it spares work."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.geometry.mesh.course import LONGEST, plan_course
from gsolve.solver.geometry.mesh.motion import turn_between
from gsolve.solver.geometry.mesh.pair_records import LISTED, PAIR
from gsolve.solver.geometry.mesh.sleep import forget_turns, gap_after
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, CYLINDER, SPHERE
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from pair_of_meshes import PairOfMeshes, Pose, turned
from scipy.spatial.transform import Rotation

DISTANCE, TEETH = 0.06, (20, 40)
MIDDLE = np.array([DISTANCE, 0.0, 3e-4])
SAME = 1e-12  # of the force
CHARTS = 2e-2  # the same where a chart is known from before that lies too far beyond an edge to be found anew


@cache
def gears() -> list[PairOfMeshes]:
    """Twice the same pair of gears."""
    wheels = [CylindricalGear(teeth, 2e-3, ToothForm(thinning=25e-6)) for teeth in TEETH]
    resolution = Resolution(flank=6, fillet=2, land=2, rows=2)
    one, other, _ = make_pair((wheels[0], wheels[1]), (Body(10e-3, 8e-3), Body(10e-3, 10e-3)), resolution)
    return [PairOfMeshes(one.mesh, other.mesh) for _ in range(2)]


def in_mesh(angle: float, lag: float, tilt: float = 0.0) -> Pose:
    """The pinion against the wheel, which lags by an angle and is tilted."""
    wheel = turned(0.0, 0.0, lag - 0.5 * angle) @ turned(tilt, 0.5 * tilt, 0.0)
    return wheel.T @ turned(0.0, 0.0, angle), -wheel.T @ MIDDLE


def same_as_anew(carried: PairOfMeshes, anew: PairOfMeshes, pose: Pose, tolerance: float = SAME) -> int:
    """Compare the patches and forces of lists carried on with those of new ones; how many patches they are."""
    here = carried.patches(*pose)
    anew.forget_lists()
    there = anew.patches(*pose)
    assert len(here) == len(there)
    one, other = ((of["depth"] * of["weight"])[:, None] * of["normal"] for of in (here, there))
    assert np.abs(one - other).max(initial=0.0) <= tolerance * np.abs(other).max(initial=0.0)
    return len(here)


@pytest.mark.parametrize("step", [1e-4, 1e-3, 4e-3])
def test_gears_that_turn_steadily_miss_no_tooth(step):
    carried, anew = gears()
    carried.forget_lists()
    before = int(carried.pairs.pairs["renewals"][0])
    found = [same_as_anew(carried, anew, in_mesh(0.1 + step * k, 9.8e-4)) for k in range(160)]
    assert min(found) > 0
    assert max(found) > 1 or step < 1e-3  # more teeth have come into contact
    # some steps to find out how they move, and then as far as facets may turn before others face each other
    turns = 1.5 * step * 160
    assert carried.pairs.pairs["renewals"][0] - before < 8 + turns / 0.045 * 1.2


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 15, 103, 104, 105])
def test_gears_that_rattle_turn_back_and_tilt_miss_no_tooth(seed):
    random = np.random.default_rng(seed)
    carried, anew = gears()
    angle, lag, tilt, found = 0.3 * seed, 0.0, 0.0, 0
    for _ in range(12):
        rate, swing, tip = random.normal(0.0, 3e-3), random.uniform(0.0, 1.3e-3), random.normal(0.0, 1e-4)
        for k in range(12):
            angle, tilt = angle + rate, tilt + 0.1 * tip
            found += same_as_anew(carried, anew, in_mesh(angle, lag + swing * np.sin(0.7 * k), tilt)) > 0
    assert found > 20


@pytest.mark.parametrize("seed", range(6))
def test_parts_on_screws_that_change_miss_nothing(seed):
    """A part goes round and along axes through the place of contact, and changes them now and then."""
    random = np.random.default_rng(100 + seed)
    slave = tessellate(*((BOX, (0.02, 0.03, 0.025), 0.01), (CYLINDER, (0.02, 0.02, 0.03), 0.006))[seed % 2])
    master = tessellate(*((SPHERE, (0.05, 0.0, 0.0), 0.006), (BOX, (0.05, 0.04, 0.03), 0.02))[seed // 2 % 2])
    carried, anew = PairOfMeshes(slave, master), PairOfMeshes(slave, master)
    rotation, place = turned(*random.normal(size=3)), random.normal(size=3)
    place *= 0.2 / np.linalg.norm(place)
    while not carried.deepest(rotation, place) > 1e-4:
        place *= 1.0 - 1e-3
    found = 0
    for _ in range(20):
        centre, axis = 0.7 * place + random.normal(0.0, 0.01, 3), random.normal(0.0, 6e-3, 3)
        along = random.normal(0.0, 5e-5, 3)
        for _ in range(10):
            turn = turned(*axis)
            rotation, place = turn @ rotation, centre + turn @ (place - centre) + along
            found += same_as_anew(carried, anew, (rotation, place), CHARTS) > 0
            # neither far away nor deep
            place *= 1.0 - np.clip(2e-4 - carried.deepest(rotation, place), -1e-3, 1e-3) / np.linalg.norm(place)
    assert found > 50


def test_ways_that_change_evenly_are_foretold():
    """As that of gears, which roll on each other about a point that moves on."""
    random = np.random.default_rng(3)
    speed, change = random.normal(0.0, 1e-3, 3), random.normal(0.0, 2e-5, 3)

    def way(time: float) -> np.ndarray:
        return speed * time + 0.5 * change * time**2

    (pair,) = pairs = zeros_in_lines(1, PAIR)
    pair["nodes"], pair["trust"], pair["reach"], pair["margin"] = 1, 1.0, 0.02, 3e-4
    pair["course"] = pair["gone"] = way(1.0)
    pair["halfway"], pair["halfway_done"] = way(0.53), 0.53
    plan_course(pairs[0], np.eye(3), (0.0, 0.0, 0.0))
    part = LONGEST * 3e-4 / np.linalg.norm(way(1.0))
    assert pair["course"] == pytest.approx(way(1.0 + part) - way(1.0), abs=1e-16)


def test_turns_about_an_axis_that_is_no_more_count_as_turns_about_any():
    """Corners near the one axis may be far from the next."""
    (pair,), (listed,) = pairs, lists = zeros_in_lines(1, PAIR), zeros_in_lines(1, LISTED)
    listed["gap"], listed["lever"], listed["about"], listed["across"] = 1.0, 2.0, 0.3, 0.4
    pair["all_about"], pair["all_across"] = 0.35, 0.41
    nowhere, width = (0.0, 0.0, 0.0), 0.5
    assert gap_after(lists[0], pairs[0], nowhere, width) == pytest.approx(1.0 - 0.5 * 0.05 - 2.0 * 0.01)
    forget_turns(pairs[0], lists)
    assert gap_after(lists[0], pairs[0], nowhere, width) == pytest.approx(1.0 - 2.0 * 0.06)
    pair["all_about"] += 0.02
    assert gap_after(lists[0], pairs[0], nowhere, width) == pytest.approx(1.0 - 2.0 * 0.06 - 0.5 * 0.02)


def triangles_that_carry(pair: PairOfMeshes, pose: Pose) -> list[int]:
    pair.scratch.carriers["depth"] = 0.0
    pair.patches(*pose)
    carriers = pair.scratch.carriers
    return sorted(carriers["triangle"][carriers["depth"] > 0.0].tolist())


@pytest.mark.parametrize("seed", [4, 40, 50, 52])
def test_facets_that_come_to_face_a_ball_carry(seed):
    """A box slides over a ball, past its edges: faces that the ball does not push against come to be pushed."""
    random = np.random.default_rng(seed)
    box, ball = tessellate(BOX, (0.02, 0.03, 0.025), 0.004), tessellate(SPHERE, (0.02, 0.0, 0.0), 0.003)
    carried, anew = PairOfMeshes(box, ball), PairOfMeshes(box, ball)
    rotation, out = turned(*random.normal(size=3)), random.normal(size=3)
    out /= np.linalg.norm(out)
    along = np.cross(out, random.normal(size=3))
    along /= np.linalg.norm(along)
    place = 0.08 * out
    while not carried.deepest(rotation, place) > 3e-4:
        place = place - 2e-4 * out
    for _ in range(300):
        place = place + 5e-5 * along
        anew.forget_lists()
        assert triangles_that_carry(carried, (rotation, place)) == triangles_that_carry(anew, (rotation, place))
        deep = carried.deepest(rotation, place)
        place = place - (0.5 * (3e-4 - deep) if deep > 0.0 else 1e-4) * out


def test_turns_between_rotations_are_rotation_vectors():
    random = np.random.default_rng(5)
    for size in (1e-9, 1e-4, 0.1, 1.0, 2.0):
        before, axis = Rotation.random(random_state=random), random.normal(size=3)
        axis /= np.linalg.norm(axis)
        after = before * Rotation.from_rotvec(size * axis)
        turn, found = turn_between(before.as_matrix(), after.as_matrix())
        assert found == pytest.approx(2.0 * np.sin(0.5 * size), rel=1e-6)
        assert np.allclose(turn, found * axis, rtol=0.0, atol=1e-6 * size + 1e-15)
    turn, found = turn_between(np.eye(3), turned(0.0, 0.0, 2.5))
    assert turn == (0.0, 0.0, 0.0)  # of so large a turn the axis is not told
    assert found == pytest.approx(2.0 * np.sin(1.25))


def test_curvatures_of_surfaces_are_those_of_their_shapes():
    ball = build_surface(tessellate(SPHERE, (0.05, 0.0, 0.0), 0.004)).triangles["curvature"]
    assert ball == pytest.approx(np.sqrt(2.0) / 0.05, rel=0.02)  # two principal ones
    roller = build_surface(tessellate(CYLINDER, (0.02, 0.02, 0.03), 0.003)).triangles["curvature"]
    ends = roller < 1e-6  # planes
    assert 0 < ends.sum() < len(roller)
    assert roller[~ends] == pytest.approx(1.0 / 0.02, rel=0.05)
    assert np.isinf(build_surface(tessellate(BOX, (0.1, 0.1, 0.1), 0.05), is_smooth=False).triangles["curvature"]).all()
