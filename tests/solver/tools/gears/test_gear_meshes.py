"""Meshes of gears: closed, oriented, of the right size; files that hold them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.tools.gears.bevel import BevelGear, bevel_profile, foot_angle, pitch_cones, spherical_involute
from gsolve.solver.tools.gears.data import CylindricalGear, GearError, Rack, Resolution, ToothForm
from gsolve.solver.tools.gears.make import Gear, make_gear
from gsolve.solver.tools.gears.profile import gear_profile
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.triangulation import clip_ears
from gsolve.solver.tools.gears.worm import Worm, WormWheel, wheel_width
from gsolve.solver.tools.gears.writers import Format, write_mesh
from naive.mesh_checks import MeshFaults, find_faults

DEGREE = math.pi / 180.0
SOUND = MeshFaults(0, 0, 0, 0)


def volume(gear: Gear, body: Body, resolution: Resolution) -> float:
    return mass_properties(make_gear(gear, body, resolution).mesh, 1.0).volume


def polygon_area(points: np.ndarray) -> float:
    x, y = points.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def random_gear(generator: np.random.Generator, kind: str) -> tuple[Gear, Body]:
    """A gear with random numbers, most of which make sense."""
    form = ToothForm(
        pressure_angle=generator.uniform(14.5, 25) * DEGREE,
        addendum=generator.uniform(0.7, 1.1),
        dedendum=generator.uniform(1.1, 1.4),
        fillet=generator.choice([None, generator.uniform(0.05, 0.4)]),
        thinning=generator.choice([0.0, 0.02]),
        tip_relief=generator.choice([0.0, 0.01]),
        crowning=generator.choice([0.0, 0.02]),
    )
    plain = replace(form, tip_relief=0.0, crowning=0.0)
    width = generator.uniform(3.0, 30.0)
    helix = generator.uniform(-35, 35) * DEGREE
    double = bool(generator.integers(2))
    shift = generator.uniform(-0.3, 0.5)
    starts = int(generator.integers(1, 5))
    worm = Worm(starts, 2.0, generator.uniform(7, 14), plain, double)
    cone = generator.uniform(15, 70) * DEGREE
    bevel = BevelGear(int(generator.integers(9, 40)), 2.0, cone, form, shift)
    wheel = WormWheel(worm, int(generator.integers(20, 60)), shift)
    gears: dict[str, tuple[Gear, Body]] = {
        "spur": (CylindricalGear(int(generator.integers(5, 80)), 2.0, form, shift=shift), Body(width, 4.0 * double)),
        "helical": (
            CylindricalGear(int(generator.integers(8, 60)), 2.0, form, helix, double, shift),
            Body(width, generator.choice([0.0, 5.0])),
        ),
        "ring": (
            CylindricalGear(int(generator.integers(45, 100)), 2.0, form, helix, double, shift, ring=True),
            Body(width, rim=generator.uniform(0.5, 8.0)),
        ),
        "rack": (Rack(int(generator.integers(1, 12)), 2.0, form, helix, double), Body(width)),
        "bevel": (bevel, Body(bevel.distance / generator.uniform(2.5, 6.0), 3.0 * double)),
        "worm": (worm, Body(width, generator.choice([0.0, 2.0]))),
        "wheel": (wheel, Body(wheel_width(wheel) * generator.uniform(0.4, 0.8), generator.choice([0.0, 10.0]))),
    }
    return gears[kind]


@pytest.mark.parametrize("kind", ["spur", "helical", "ring", "rack", "bevel", "worm", "wheel"])
def test_meshes_of_random_gears_are_closed_and_face_outwards(kind: str):
    generator = np.random.default_rng(len(kind) * 1000 + ord(kind[0]))
    made = 0
    for _ in range(8):
        gear, body = random_gear(generator, kind)
        segments = generator.integers(1, 9, 3)
        resolution = Resolution(int(segments[0]), int(segments[1]), rows=int(segments[2]))
        try:
            part = make_gear(gear, body, resolution)
        except GearError:
            continue
        made += 1
        assert find_faults(part.mesh) == SOUND, gear
        assert mass_properties(part.mesh, 1.0).volume > 0.0
    assert made >= 5


@pytest.mark.parametrize(
    ("gear", "body"),
    [
        (CylindricalGear(17, 2.0, shift=0.2), Body(12.0, 9.0)),
        (CylindricalGear(9, 2.0), Body(12.0)),
        (CylindricalGear(60, 2.0, ring=True), Body(12.0, rim=4.0)),
        (Rack(6, 2.0), Body(12.0)),
    ],
)
def test_straight_gear_has_the_volume_of_its_section(gear: Gear, body: Body):
    part = make_gear(gear, body)
    assert part.curve is not None
    area = polygon_area(part.curve)
    found = mass_properties(part.mesh, 1.0)
    if isinstance(gear, CylindricalGear):
        around = gear.teeth * max(1, math.ceil(48 / gear.teeth))

        def ring(radius: float) -> float:
            return 0.5 * around * radius**2 * math.sin(2 * math.pi / around)

        if gear.ring:
            area = ring((gear.root_radius + body.rim) / math.cos(math.pi / around)) - area
        else:
            area -= ring(body.bore / 2)
        assert np.abs(found.centre).max() < 1e-10
        assert found.inertia[0, 0] == pytest.approx(found.inertia[1, 1], rel=1e-10)
    assert found.volume == pytest.approx(area * body.width, rel=1e-12)


def test_section_tends_to_the_closed_form_with_the_square_of_the_resolution():
    """Area of a gear in polar coordinates: half of the sum of r^2 times the change of the angle, by fine quadrature."""
    gear = CylindricalGear(24, 2.0, shift=0.1)
    errors = []
    reference = volume(gear, Body(1.0, 10.0), Resolution(96, 48, 48, 1))
    for count in (3, 6, 12):
        errors.append(reference - volume(gear, Body(1.0, 10.0), Resolution(2 * count, count, 2 * (count // 2), 1)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize("double", [False, True])
def test_helical_gear_has_the_volume_of_a_spur_gear_of_its_transverse_section(double: bool):
    gear = CylindricalGear(20, 2.0, helix=25 * DEGREE, double=double)
    part = make_gear(gear, Body(10.0))
    assert part.curve is not None
    around = 60
    bore = 0.5 * around * 16.0 * math.sin(2 * math.pi / around)
    expected = (polygon_area(part.curve) - bore) * 10.0
    errors = [abs(volume(gear, Body(10.0, 8.0), Resolution(rows=rows)) / expected - 1.0) for rows in (64, 128, 256)]
    # Of each twisted cell one of two diagonals is an edge; what that adds falls with the number of rows.
    assert errors[2] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1) == errors[1] / errors[2]


def test_rows_of_a_helical_gear_turn_by_its_lead():
    gear = CylindricalGear(20, 2.0, helix=25 * DEGREE)
    mesh = make_gear(gear, Body(10.0, 8.0), Resolution(rows=5)).mesh
    heights = np.unique(mesh.vertices[:, 2].round(12))
    teeth = mesh.vertices[np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1]) > gear.root_radius - 1e-9]
    first, last = (np.sort_complex(teeth[np.isclose(teeth[:, 2], z)] @ [1, 1j, 0]) for z in heights[[0, -1]])
    turn = 2 * math.pi * 10.0 / (math.pi * 2 * gear.radius / math.tan(25 * DEGREE))  # width by lead
    np.testing.assert_allclose(np.sort_complex((first * np.exp(1j * turn)).round(9)), last.round(9), atol=2e-9)


def test_crowning_takes_off_the_ends_and_leaves_the_middle():
    form = ToothForm(crowning=0.05)
    gear = CylindricalGear(20, 2.0, form)
    crowned = make_gear(gear, Body(10.0), Resolution(rows=8)).mesh.vertices
    plain = make_gear(replace(gear, form=ToothForm()), Body(10.0), Resolution(rows=8)).mesh.vertices
    moved = np.linalg.norm(crowned - plain, axis=1)
    radius = np.hypot(plain[:, 0], plain[:, 1])
    flank = (radius > gear.base_radius + 0.2) & (radius < gear.tip_radius - 1e-9)
    for z, part in ((0.0, 0.0), (2.5, 0.25), (5.0, 1.0)):
        row = flank & np.isclose(np.abs(plain[:, 2]), z)
        # Turned by C/r_b, which is C along the base tangent.
        expected = 2 * radius[row] * math.sin(0.5 * 0.05 * part / gear.base_radius)
        np.testing.assert_allclose(moved[row], expected, atol=1e-12)


def test_worm_is_a_screw_of_its_lead_with_a_straight_axial_profile():
    worm = Worm(3, 2.0, left=True)
    mesh = make_gear(worm, Body(40.0), Resolution(flank=7, fillet=3, rows=8)).mesh
    assert worm.lead == pytest.approx(3 * math.pi * 2.0)
    points = mesh.vertices
    radius = np.hypot(points[:, 0], points[:, 1])
    # Unscrewed, every point of a flank lies on the straight axial profile of one of the threads.
    axial = points[:, 2] + worm.lead * np.arctan2(points[:, 1], points[:, 0]) / (2 * math.pi)
    axial = (axial + math.pi) % (2 * math.pi) - math.pi  # threads are pi m apart
    flank = (radius > worm.radius - 1.9) & (radius < worm.radius + 2.0 - 1e-9)
    expected = math.pi / 2 - (radius - worm.radius) * math.tan(20 * DEGREE)
    assert flank.sum() > 1000
    np.testing.assert_allclose(np.abs(axial[flank]), expected[flank], atol=1e-9)


@pytest.mark.parametrize("teeth", [12, 30])
def test_bevel_flanks_are_spherical_involutes(teeth: int):
    """The great circle through a point, tangent to the base cone, has unrolled as far as it touches."""
    gear = BevelGear(teeth, 3.0, 40 * DEGREE)
    profile = bevel_profile(gear, Resolution(30, 10))
    level, half = profile.level[profile.first :], profile.half[profile.first :]
    rolled = np.arccos(np.cos(level) / math.cos(gear.base_cone))
    begin = -half + foot_angle(rolled, gear.base_cone) - rolled / math.sin(gear.base_cone)
    assert np.ptp(begin) < 1e-12
    np.testing.assert_allclose(np.diff(spherical_involute(rolled, gear.base_cone)), -np.diff(half), atol=1e-13)
    # Its normal is that great circle: neighbouring points leave it at a right angle.
    roll = 0.2
    step = 1e-6
    points = []
    for at in (roll - step, roll, roll + step):
        angle = float(spherical_involute(at, gear.base_cone))
        g = math.acos(math.cos(gear.base_cone) * math.cos(at))
        points.append([math.sin(g) * math.cos(angle), math.sin(g) * math.sin(angle), math.cos(g)])
    foot = float(spherical_involute(roll, gear.base_cone) + foot_angle(roll, gear.base_cone))
    base = math.sin(gear.base_cone)
    touched = np.array([base * math.cos(foot), base * math.sin(foot), math.cos(gear.base_cone)])
    tangent = np.array(points[2]) - points[0]
    assert abs(tangent / np.linalg.norm(tangent) @ touched) < 1e-9
    assert np.array(points[1]) @ touched == pytest.approx(math.cos(roll), rel=1e-12)


def test_bevel_teeth_run_to_the_apex():
    cones = pitch_cones((16, 24), 90 * DEGREE)
    gear = BevelGear(16, 3.0, cones[0])
    mesh = make_gear(gear, Body(10.0, 8.0), Resolution(rows=4)).mesh
    distance = np.linalg.norm(mesh.vertices, axis=1)
    rows = [mesh.vertices[np.isclose(distance, gear.distance - 10.0 + 2.5 * row)] for row in range(5)]
    teeth = [row[np.arccos(row[:, 2] / np.linalg.norm(row, axis=1)) > gear.root_cone - 1e-9] for row in rows]
    for row in teeth[1:]:
        np.testing.assert_allclose(
            row / np.linalg.norm(row, axis=1)[:, None], teeth[0] / np.linalg.norm(teeth[0], axis=1)[:, None], atol=1e-12
        )


def test_ends_of_bevel_gears_follow_their_spheres():
    """No sliver lies across a tooth, at an angle to all around it."""
    cones = pitch_cones((16, 24), 90 * DEGREE)
    corners = make_gear(BevelGear(24, 3.0, cones[1]), Body(14.0, 12.0), Resolution(10, 5, rows=2)).mesh.corners()
    end = np.ptp(np.linalg.norm(corners, axis=2), axis=1) < 1e-9
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[end]
    middle = corners.mean(axis=1)[end]
    cosine = np.sum(normal * middle, axis=1) / np.linalg.norm(normal, axis=1) / np.linalg.norm(middle, axis=1)
    assert np.abs(cosine).min() > math.cos(5 * DEGREE)


def test_fillets_of_bevel_gears_tend_to_those_of_spur_gears():
    """A very large cone distance: heights and half widths, as arcs, are those of the spur gear of z/cos d teeth."""
    gear = BevelGear(4000, 1.0, math.atan(1.0))
    virtual = CylindricalGear(round(4000 / math.cos(gear.cone)), 1.0)
    bevel = bevel_profile(gear, Resolution(8, 8))
    spur = gear_profile(virtual, Resolution(8, 8))
    np.testing.assert_allclose((bevel.level - gear.cone) * gear.distance, spur.level - virtual.radius, atol=1e-3)
    arcs = bevel.half * np.sin(bevel.level) * gear.distance
    np.testing.assert_allclose(arcs, spur.half * spur.level, atol=1e-3)


def test_ears_are_clipped_from_any_simple_polygon():
    generator = np.random.default_rng(5)
    for _ in range(30):
        count = int(generator.integers(3, 40))
        angle = np.sort(generator.uniform(0, 2 * math.pi, count))
        if np.diff(np.append(angle, angle[0] + 2 * math.pi)).max() > 3.0:
            continue
        points = generator.uniform(0.2, 1.0, count)[:, None] * np.c_[np.cos(angle), np.sin(angle)]
        triangles = clip_ears(points)
        a, b, c = np.moveaxis(points[triangles], 1, 0)
        areas = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        assert len(triangles) == count - 2 and areas.min() > 0.0
        assert areas.sum() == pytest.approx(polygon_area(points), rel=1e-12)
    with pytest.raises(GearError, match="crosses itself"):
        clip_ears(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))


@pytest.mark.parametrize(
    ("gear", "body", "said"),
    [
        (CylindricalGear(20, 2.0), Body(10.0, 40.0), r"bore 40 is not from 0 to 33.8\d*, 0.98 of what the roots leave"),
        (CylindricalGear(20, 2.0), Body(0.0), "width 0 is not a positive length"),
        (CylindricalGear(60, 2.0, ring=True), Body(5.0), "rim 0 is not a positive length"),
        (CylindricalGear(20, 2.0, ToothForm(crowning=2.0)), Body(5.0), "crowning 2 leaves no tooth at the ends"),
        (Rack(0, 2.0), Body(5.0), "0 teeth are too few for a rack"),
        (
            Rack(3, 2.0, ToothForm(addendum=2.5)),
            Body(5.0),
            "pointed below their tips: .* less than 2.158",
        ),
        (BevelGear(20, 2.0, 45 * DEGREE), Body(25.0), "width 25 is not above 0 and at most 16.97"),
        (BevelGear(4, 2.0, 45 * DEGREE), Body(1.0), "4 teeth are too few for a bevel gear: at least 5"),
        (BevelGear(20, 2.0, 85 * DEGREE), Body(5.0), "the tip cone of 90.7. degrees is not less than 88"),
        (BevelGear(20, 2.0, 45 * DEGREE), Body(9.0, 25.0), "bore 25 is not from 0 to"),
        (Worm(0, 2.0), Body(5.0), "0 threads are too few for a worm"),
        (Worm(1, 2.0, 3.0), Body(5.0), "diameter factor 3 is not more than 3.5: no core would be left"),
        (Worm(9, 2.0, 7.0), Body(5.0), "the lead angle of 52.1 degrees is more than 45"),
        (Worm(1, 2.0), Body(5.0, 15.0), "bore 15 is not from 0 to"),
        (WormWheel(Worm(1, 2.0), 5), Body(5.0), "5 teeth are too few for a worm wheel"),
        (WormWheel(Worm(1, 2.0), 30), Body(20.0), "width 20 is not above 0 and less than 15.2"),
        (WormWheel(Worm(1, 2.0, form=ToothForm(tip_relief=0.1)), 30), Body(5.0), "no tip relief and no crowning"),
    ],
)
def test_bodies_that_cannot_be_are_refused(gear: Gear, body: Body, said: str):
    with pytest.raises(GearError, match=said):
        make_gear(gear, body)


# Files


def read_back(path: Path, kind: Format) -> np.ndarray:
    """Corner points of the triangles of a file, (m, 3, 3), read by its definition."""
    if kind == "stl":
        data = path.read_bytes()
        (count,) = np.frombuffer(data, "<u4", 1, 80)
        assert len(data) == 84 + 50 * count and not data.startswith(b"solid")
        return np.frombuffer(data[84:], np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")]))["c"]
    lines = [line.split() for line in path.read_text().splitlines()]
    if kind == "obj":
        vertices = np.array([line[1:] for line in lines if line[0] == "v"], float)
        return vertices[np.array([line[1:] for line in lines if line[0] == "f"], int) - 1]
    assert lines[0][0] == "solid" and lines[-1][0] == "endsolid"
    return np.array([line[1:] for line in lines if line[0] == "vertex"], float).reshape(-1, 3, 3)


@pytest.mark.parametrize(("kind", "digits"), [("stl", 1e-6), ("ascii-stl", 0.0), ("obj", 0.0)])
def test_files_hold_the_mesh_and_stay_closed(tmp_path: Path, kind: Format, digits: float):
    mesh = make_gear(CylindricalGear(12, 2.0, helix=20 * DEGREE), Body(8.0, 5.0), Resolution(4, 2, rows=3)).mesh
    path = tmp_path / "gear"
    write_mesh(path, mesh, "helical gear", kind)
    corners = read_back(path, kind)
    np.testing.assert_allclose(corners, mesh.corners(), rtol=0, atol=20 * digits)
    vertices, triangles = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    welded = TriangleMesh(vertices.astype(float), triangles.reshape(-1, 3))
    assert find_faults(welded) == SOUND and len(vertices) == len(mesh.vertices)
