"""Flanks of spur gears: normals of their sections, and depths beside those of exact involutes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.section_curves import tangents
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from mesh_rig import stadium
from pair_of_meshes import PairOfMeshes, gradient, turned

FORM = ToothForm(thinning=25e-6)
WHEELS = CylindricalGear(20, 2e-3, FORM), CylindricalGear(40, 2e-3, FORM)
DISTANCE, PLAY = 0.06, 50e-6 / 0.08 + 1e-4  # angle of the wheel until the flanks touch, and further
RESOLUTION = Resolution(flank=10, fillet=4, land=2, rows=5)


@pytest.fixture(scope="module")
def meshes():
    one, other, _ = make_pair(WHEELS, (Body(10e-3, 8e-3), Body(10e-3, 10e-3)), RESOLUTION)
    return one.mesh, other.mesh


@pytest.fixture(scope="module")
def gears(meshes) -> PairOfMeshes:
    return PairOfMeshes(*meshes)


def pose(angle: float, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Of the pinion in axes of the wheel."""
    wheel = turned(0.0, 0.0, -angle / 2 + PLAY)
    return wheel.T @ turned(0.0, 0.0, angle), -wheel.T @ np.array([DISTANCE, 0.0, shift])


# ---- sections ----------------------------------------------------------------------------------------------------


def test_tangents_of_circles_are_exact_beside_straight_lines_and_whatever_the_spacing():
    random = np.random.default_rng(0)
    turns = np.sort(random.uniform(-math.pi / 2, math.pi / 2, 20))
    arc = np.r_[-math.pi / 2, turns[np.append(True, np.diff(turns) > 0.05)], math.pi / 2]
    half = np.c_[1.0 + np.cos(arc), np.sin(arc)]
    found = tangents(np.concatenate([half, -half]), True)
    expected = np.r_[arc + math.pi / 2, arc + 3 * math.pi / 2]
    assert np.abs((found - expected + math.pi) % (2 * math.pi) - math.pi).max() < 1e-10


def test_tangents_of_an_involute_are_of_fourth_order():
    errors = []
    for count in (16, 32):
        roll = np.linspace(0.3, 0.8, count + 1)
        points = np.c_[np.cos(roll) + roll * np.sin(roll), np.sin(roll) - roll * np.cos(roll)]
        errors.append(np.abs(tangents(points, False) - roll).max())
    assert errors[0] < 2e-5
    assert math.log2(errors[0] / errors[1]) > 3.5


def test_rows_of_an_extruded_chart_have_equal_normals(meshes):
    surface = build_surface(meshes[0])
    at, normal = surface.vertices["position"], surface.vertices["normal"]
    upright = np.abs(normal[:, 2]) < 0.5
    assert np.abs(normal[upright, 2]).max() < 1e-12
    rows = [np.flatnonzero(upright & (np.abs(at[:, 2] - z) < 1e-9)) for z in np.unique(np.round(at[upright, 2], 9))]
    sections = [normal[row[np.lexsort(np.round(np.c_[normal[row], at[row]].T, 6))]] for row in rows]
    for section in sections[1:]:
        assert section == pytest.approx(sections[0], abs=1e-9)
    assert np.abs(build_surface(stadium(64, 1)).vertices["normal"][:, :2]).max() <= 1.0


# ---- depths ------------------------------------------------------------------------------------------------------


def exact_depths(way: float, lag: float) -> list[float]:
    """Depths of all tooth pairs of exact involutes, their tips touching beyond the line of action.

    way : of a flank of the pinion along the line of action, from the base circle; lag : of the wheel's behind it
    """
    bases = [wheel.base_radius for wheel in WHEELS]
    ends = [math.sqrt(wheel.tip_radius**2 - base**2) for wheel, base in zip(WHEELS, bases, strict=True)]
    whole = DISTANCE * math.sin(FORM.pressure_angle)
    pitch = 2 * math.pi * bases[0] / WHEELS[0].teeth
    depths = []
    for tooth in range(-3, 4):
        s = way + tooth * pitch
        strings = s, whole - s + lag  # of both flanks, where they meet the line
        if max(strings[0] - ends[0], strings[1] - ends[1]) <= 0.0:
            depths.append(lag)
            continue
        k = 0 if strings[0] > ends[0] else 1  # whose tip it is
        if strings[k] - ends[k] > 2e-3:
            continue
        turn = (strings[k] - ends[k]) / bases[k]
        tip = np.array([math.cos(turn), math.sin(turn)]) * bases[k]
        tip += ends[k] * np.array([-math.sin(turn), math.cos(turn)])
        # from the middle of the other gear, whose string leads the other way
        x, y = bases[0] + bases[1] - tip[0], whole - tip[1]
        radius = math.hypot(x, y)
        string = math.sqrt(radius**2 - bases[1 - k] ** 2)
        turn = math.atan2(y, x) - math.atan(string / bases[1 - k])
        depths.append(strings[1 - k] - bases[1 - k] * turn - string)
    return [depth for depth in depths if depth > 0.0]


def test_depths_are_those_of_exact_involutes(gears):
    """Over a pitch: flanks, and tips that enter and leave."""
    lag = 1e-4 * WHEELS[1].base_radius
    factor = 1.0 / (1.0 - 0.125 * 25e-6 / gears.surface.meshes["radius"].min() ** 2)  # of the line of contact
    (patch,) = gears.patches(*pose(0.23))
    start = math.sqrt(float(patch["point"][0] ** 2 + patch["point"][1] ** 2) - WHEELS[0].base_radius ** 2)
    errors = []
    for angle in np.linspace(0.0, 2 * math.pi / 20, 80):
        found = sum(float(p["depth"]) for p in gears.patches(*pose(angle))) / factor
        errors.append(found / lag - sum(exact_depths(start + WHEELS[0].base_radius * (angle - 0.23), lag)) / lag)
    assert np.sqrt(np.mean(np.square(errors))) < 0.01
    assert np.abs(errors).max() < 0.04


@pytest.mark.parametrize("shift", [0.0, 1e-9, 1e-6, 3e-4])
def test_gears_of_equal_width_do_not_push_along_their_axis(gears, shift):
    forces = []
    for angle in np.linspace(0.0, 2 * math.pi / 20, 60):
        forces.append(gears.wrench(*pose(angle, shift)).force)
    force = np.array(forces)
    size = np.linalg.norm(force, axis=1).mean()
    assert np.abs(force[:, 2]).max() < 3e-5 * size
    assert abs(force[:, 2].mean()) < 1e-5 * size


@pytest.mark.parametrize("seed", [4, 5])
def test_ends_of_a_line_share_the_load_as_their_depths_say(meshes, seed):
    """Of upright gears the shares move the force along the teeth: by a hundredth where one end is 1e-4 off in depth.

    Where cut triangles are as deep there to 1e-6, their quadratics tell which of them supports: of other poses one in
    fifty is off by up to a hundredth.
    """
    pair, random, errors = PairOfMeshes(*meshes), np.random.default_rng(seed), []
    for _ in range(24):
        rotation, place = pose(random.uniform(0.0, 0.6), random.choice([0.0, 3e-4, 2e-3]))
        while pair.deepest(rotation, place) < 3e-6:
            rotation = rotation @ turned(0.0, 0.0, 2.5e-5)
        wrench, found = pair.wrench(rotation, place), gradient(pair, rotation, place, 1e-9, 0.02)
        errors.append(np.abs(np.r_[wrench.force, wrench.moment / 0.02] - found).max() / np.linalg.norm(wrench.force))
    assert max(errors) < 1e-5
