"""Pairs of meshes: depth, force and its potential, lists and what they may not miss."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.pairs import slave_of
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surfaces
from gsolve.solver.geometry.mesh.sweep import sweep
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, SPHERE
from naive import mesh_pairs as naive
from pair_of_meshes import PairOfMeshes, gradient, overlapping, turned

RADIUS, DEPTH = 0.05, 1e-4
SLAB = tessellate(BOX, (1.0, 1.1, 0.2), 4.0)  # top at 0.2
STANDS_UP = turned(math.pi / 2, 0.0, 0.0)  # the axis z of the slave lies


def over_slab(z: float) -> np.ndarray:
    return np.array([0.0123, 0.0077, 0.2 + z])


@pytest.fixture(scope="module")
def lying_cylinder() -> PairOfMeshes:
    return PairOfMeshes(tessellate(CYLINDER, (RADIUS, RADIUS, RADIUS), 2 * math.pi * RADIUS / 256), SLAB)


@pytest.fixture(scope="module")
def box() -> PairOfMeshes:
    return PairOfMeshes(tessellate(BOX, (0.05, 0.04, 0.03), 0.02), SLAB)


def test_depth_of_a_sphere_is_of_order_four():
    errors = []
    random = np.random.default_rng(1)
    for edge in (0.009, 0.0045):
        pair = PairOfMeshes(tessellate(SPHERE, (RADIUS, 0.0, 0.0), edge), SLAB)
        depths = [pair.patches(turned(*random.normal(size=3)), over_slab(RADIUS - DEPTH))["depth"] for _ in range(12)]
        assert all(len(depth) == 1 for depth in depths)
        errors.append(np.sqrt(np.mean((np.array(depths) - DEPTH) ** 2)))
    assert errors[1] < 3e-3 * DEPTH
    assert math.log2(errors[0] / errors[1]) > 3.5


def test_depth_of_two_spheres_follows_from_their_centres():
    slave, master = (tessellate(SPHERE, (r, 0.0, 0.0), 0.04 * r) for r in (0.03, 0.05))
    pair, random = PairOfMeshes(slave, master), np.random.default_rng(2)
    for _ in range(10):
        way = random.normal(size=3)
        way /= np.linalg.norm(way)
        (patch,) = pair.patches(turned(*random.normal(size=3)), way * (0.08 - DEPTH))
        assert patch["depth"] == pytest.approx(DEPTH, rel=0.01)
        assert patch["weight"] == pytest.approx(1.0, abs=1e-3)


def test_rolling_cylinder_has_no_ripple(lying_cylinder):
    depths, places = [], []
    for angle in np.linspace(0.0, 4 * math.pi / 256, 17):
        (patch,) = lying_cylinder.patches(STANDS_UP @ turned(0.0, 0.0, angle), over_slab(RADIUS - 1e-5))
        depths.append(patch["depth"])
        places.append(patch["point"][2])
    assert np.ptp(depths) / np.mean(depths) < 2e-5
    assert np.abs(places).max() < 1e-9  # the force stays in the middle of the line


def test_line_and_face_are_stiffer_by_the_factor_documented(lying_cylinder, box):
    """G = 1/(1 - B r^2/(2 rho^2)), r to the ends, rho to the furthest point of the body, B = 1/4."""
    (line,) = lying_cylinder.patches(STANDS_UP, over_slab(RADIUS - 1e-5))
    factor = 1.0 / (1.0 - 0.125 * 0.5)
    assert line["depth"] == pytest.approx(factor * 1e-5, rel=1e-3)
    assert line["weight"] == pytest.approx(factor, rel=1e-6)
    (face,) = box.patches(np.eye(3), over_slab(0.03 - DEPTH))
    factor = 1.0 / (1.0 - 0.125 * 0.41 / 0.5)
    assert face["depth"] == pytest.approx(factor * DEPTH, rel=1e-9)
    assert face["weight"] == pytest.approx(factor, rel=1e-9)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (3e-4, 1e-4), (2e-3, -3e-4), (0.3, 0.2), (0.6155, math.pi / 4)])
def test_force_is_the_gradient_of_the_energy(box, tilt):
    rotation = turned(tilt[0], 0.0, 0.0) @ turned(0.0, tilt[1], 0.0)
    corners = np.array([[x, y, z] for x in (-0.05, 0.05) for y in (-0.04, 0.04) for z in (-0.03, 0.03)])
    lowest = (corners @ rotation.T)[:, 2].min()
    place = over_slab(-lowest - DEPTH)
    wrench = box.wrench(rotation, place)
    found = gradient(box, rotation, place, 1e-8, 0.05)
    size = np.linalg.norm(wrench.force)
    assert wrench.force == pytest.approx(found[:3], abs=1e-6 * size)
    assert wrench.moment / 0.05 == pytest.approx(found[3:], abs=1e-6 * size)


@pytest.mark.parametrize("seed", range(6))
def test_depth_is_the_one_that_the_definition_has(box, seed):
    """Some corners of the box are below, none, some or all of them supporting."""
    random = np.random.default_rng(seed)
    rotation = turned(*(2e-3 * random.normal(size=3)))
    corners = np.array([[x, y, z] for x in (-0.05, 0.05) for y in (-0.04, 0.04) for z in (-0.03, 0.03)])
    heights = (corners @ rotation.T)[:, 2]
    (patch,) = box.patches(rotation, over_slab(-heights.min() - DEPTH))
    depths = DEPTH - (heights - heights.min())
    expected = naive.depth_for_law(corners, depths, box.pairs.pairs["stiffening"][0])
    assert patch["deepest"] <= DEPTH * (1.0 + 1e-9)
    assert patch["depth"] == pytest.approx(expected * DEPTH, rel=1e-6)


def test_gradient_holds_against_a_curved_master():
    pair = PairOfMeshes(tessellate(SPHERE, (0.03, 0.0, 0.0), 0.004), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005))
    rotation, place = turned(0.4, 0.3, -0.2), np.array([0.03, 0.05, 0.04])
    place *= (0.08 - DEPTH) / np.linalg.norm(place)
    wrench, found = pair.wrench(rotation, place), gradient(pair, rotation, place, 1e-9, 0.03)
    size = np.linalg.norm(wrench.force)
    assert np.r_[wrench.force, wrench.moment / 0.03] == pytest.approx(found, abs=2e-5 * size)


def test_closed_path_gives_no_work(box):
    """Heave and rock, both ends of the box lifting in turn."""
    work, largest, last = 0.0, 0.0, None
    for phase in np.linspace(0.0, 2 * math.pi, 721):
        angle, z = 2e-3 * math.sin(phase), DEPTH + 3e-5 * math.cos(phase)
        rotation, place = turned(0.0, angle, 0.0), over_slab(0.03 - z)
        wrench = box.wrench(rotation, place)
        now = (rotation @ wrench.force, (rotation @ wrench.moment)[1], place, angle)
        if last is not None:
            work += 0.5 * (now[0] + last[0]) @ (place - last[2]) + 0.5 * (now[1] + last[1]) * (angle - last[3])
        largest, last = max(largest, wrench.energy), now
    assert abs(work) < 1e-4 * largest


def test_force_is_continuous_where_patches_merge():
    """Two spheres in one mesh would need a Boolean: a dumb-bell of revolution stands in, its waist going down."""
    t = np.linspace(0.0, 1.0, 61)
    radius = 0.02 + 0.0015 * np.cos(4 * math.pi * t)
    around = np.linspace(0.0, 2 * math.pi, 97)[:-1]
    rings = [
        np.c_[r * np.cos(around), r * np.sin(around), np.full(96, z)]
        for r, z in zip(radius, 0.08 * t - 0.04, strict=True)
    ]
    vertices = np.concatenate([*rings, [[0, 0, -0.04]], [[0, 0, 0.04]]])
    here, there = np.arange(96), np.roll(np.arange(96), -1)
    quads = [(96 * k + here, 96 * k + there, 96 * k + 96 + there, 96 * k + 96 + here) for k in range(60)]
    triangles = [np.c_[a, b, c] for a, b, c, d in quads] + [np.c_[a, c, d] for a, b, c, d in quads]
    triangles += [np.c_[np.full(96, len(vertices) - 2), there, here]]
    triangles += [np.c_[np.full(96, len(vertices) - 1), 60 * 96 + here, 60 * 96 + there]]
    pair = PairOfMeshes(TriangleMesh(vertices, np.concatenate(triangles).astype(np.int64)), SLAB)
    depths = np.linspace(1e-4, 0.012, 150)
    forces = [np.linalg.norm(pair.wrench(STANDS_UP, over_slab(0.0215 - z)).force) for z in depths]
    counts = len(pair.patches(STANDS_UP, over_slab(0.0215 - depths[0])))
    assert counts >= 2
    assert np.abs(np.diff(forces)).max() < 0.05 * max(forces)


SMALL_BOX, BOX_BELOW = tessellate(BOX, (0.02, 0.03, 0.025), 0.01), tessellate(BOX, (0.05, 0.04, 0.03), 0.02)
BALL, BALL_BELOW = tessellate(SPHERE, (0.03, 0.0, 0.0), 0.005), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.006)
ROLLER, ROLLER_BELOW = (tessellate(CYLINDER, size, 0.006) for size in ((0.02, 0.02, 0.03), (0.03, 0.03, 0.02)))
# slave, master, how far apart they touch, and by how much the slave swings and turns
WANDERING = {
    "boxes": (SMALL_BOX, BOX_BELOW, 0.0555, 7e-4, 0.02),
    "balls": (BALL, BALL_BELOW, 0.0805, 3e-3, 0.5),
    "rollers": (ROLLER, ROLLER_BELOW, 0.0505, 2e-3, 0.05),
    "ellipsoid": (tessellate(ELLIPSOID, (0.03, 0.02, 0.01), 0.004), BOX_BELOW, 0.0405, 1.5e-3, 0.1),
}


@pytest.mark.parametrize("bodies", WANDERING)
def test_lists_carried_on_miss_nothing(bodies):
    """Along a random path each pose gives what lists made anew give."""
    slave, master, apart, way, turn = WANDERING[bodies]
    carried, anew, random = PairOfMeshes(slave, master), PairOfMeshes(slave, master), np.random.default_rng(3)
    size, rate, phase = random.normal(size=(6, 3)), random.uniform(0.5, 3.0, (6, 3)), random.uniform(0, 6, (6, 3))
    touching = 0
    for t in np.linspace(0.0, 6.0, 400):
        wave = size * np.sin(rate * t + phase)
        pose = turned(*(turn * wave[:3].sum(axis=0))), np.array([0.0, 0.0, apart]) + way * wave[3:].sum(axis=0)
        here = carried.patches(*pose)
        if round(t * 400 / 6) % 5 == 0:
            anew.forget_lists()
            there = anew.patches(*pose)
            touching += len(there) > 0
            assert len(here) == len(there)
            for name in ("depth", "weight", "normal", "point"):
                assert np.array_equal(here[name], there[name])
    assert 5 < touching < 80
    assert carried.pairs.pairs["renewals"][0] < 350


def test_pressure_over_a_face_and_a_sphere():
    """A K z^e, and 2 pi R K z^(e+1)/(e+1) less what the sphere curves."""
    e = 1.5
    flat = PairOfMeshes(tessellate(BOX, (0.05, 0.04, 0.03), 0.02), SLAB, e)
    (patch,) = flat.patches(np.eye(3), over_slab(0.03 - DEPTH))
    assert patch["pressure"] == pytest.approx(0.1 * 0.08 * DEPTH**e, rel=1e-9)
    assert patch["area"] == pytest.approx(0.1 * 0.08, rel=1e-9)
    assert math.sqrt(3.0) * np.linalg.norm(patch["spread"], axis=1) == pytest.approx([0.05, 0.04], rel=1e-9)
    sphere = PairOfMeshes(tessellate(SPHERE, (RADIUS, 0.0, 0.0), 0.0035), SLAB, e)
    (patch,) = sphere.patches(turned(0.3, 0.2, 0.1), over_slab(RADIUS - DEPTH))
    assert patch["pressure"] == pytest.approx(2 * math.pi * RADIUS * DEPTH ** (e + 1) / (e + 1), rel=0.01)
    assert patch["pressure_normal"] == pytest.approx(patch["normal"], abs=1e-3)


def test_the_area_does_not_depend_on_which_end_of_a_line_is_deeper():
    """The place where a triangle is deepest may be at either end of it, by rounding."""
    pair = PairOfMeshes(tessellate(CYLINDER, (RADIUS, RADIUS, RADIUS), 2 * math.pi * RADIUS / 32), SLAB)
    for angle in np.linspace(0.0, 2 * math.pi / 32, 33):
        areas = [
            pair.patches(turned(0.0, tilt, 0.0) @ STANDS_UP @ turned(0.0, 0.0, angle), over_slab(RADIUS - DEPTH))[
                "area"
            ]
            for tilt in (-1e-9, 1e-9)
        ]
        assert areas[0] == pytest.approx(areas[1], rel=1e-7)


def test_what_presses_is_the_gradient_of_what_is_stored():
    """Of bodies without edges, beside central differences: to what cubics on the edges of triangles add."""
    slave, master = (tessellate(ELLIPSOID, radii, 0.006) for radii in ((0.05, 0.035, 0.025), (0.03, 0.05, 0.04)))
    pair, random, off = PairOfMeshes(slave, master, 1.0), np.random.default_rng(3), []
    step, arm = 1e-7, 0.04

    def energy(rotation: np.ndarray, offset: np.ndarray) -> float:
        return float(np.sum(0.5 * pair.patches(rotation, offset)["stored"]))

    for _ in range(20):
        rotation, offset = overlapping(pair, random, 5e-4, 0.2)
        (patch,) = pair.patches(rotation, offset)
        push = patch["pressure"] * patch["pressure_normal"]
        found = np.concatenate([push, np.cross(patch["pressure_point"], push) / arm])
        expected = []
        for d in step * np.eye(3):
            expected.append(energy(rotation, offset - rotation @ d) - energy(rotation, offset + rotation @ d))
        for d in step / arm * np.eye(3):
            expected.append(energy(rotation @ turned(*-d), offset) - energy(rotation @ turned(*d), offset))
        off.append(np.linalg.norm(np.divide(expected, 2.0 * step) - found) / np.linalg.norm(found))
    assert np.median(off) < 3e-4


def test_floor_and_wall_make_two_patches():
    """Of one box in a corner of two slabs in one mesh: an L-shaped prism."""
    outline = np.array([[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0, 0.3]])
    ends = np.array([[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]])
    vertices = np.concatenate([np.c_[outline[:, 0], np.full(6, y), outline[:, 1]] for y in (-0.1, 0.1)])
    here, there = np.arange(6), np.roll(np.arange(6), -1)
    sides = np.concatenate([np.c_[here, there + 6, there], np.c_[here, here + 6, there + 6]])
    corner = TriangleMesh(vertices, np.concatenate([ends, ends[:, ::-1] + 6, sides]).astype(np.int64))
    if corner_volume(corner) < 0.0:
        corner = corner._replace(triangles=corner.triangles[:, ::-1].copy())
    pair = PairOfMeshes(tessellate(BOX, (0.03, 0.03, 0.03), 0.02), corner)
    patches = pair.patches(np.eye(3), np.array([0.13 - 2e-4, 0.0, 0.13 - 1e-4]))
    normals = sorted(np.round(patch["normal"], 2).tolist() for patch in patches)
    assert normals == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert sorted(patch["depth"] for patch in patches) == pytest.approx([1.1e-4, 2.2e-4], rel=0.1)


def corner_volume(mesh) -> float:
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    return float(np.einsum("tk,tk->", a, np.cross(b, c)))


def test_nodes_alone_touch_with_the_lowest_vertex():
    sphere, rotation = tessellate(SPHERE, (RADIUS, 0.0, 0.0), 0.006), turned(0.3, -0.2, 0.9)
    pair = PairOfMeshes(sphere, SLAB, nodes=True)
    place = over_slab(RADIUS - 1e-3)
    (patch,) = pair.patches(rotation, place)
    assert patch["depth"] == pytest.approx(0.2 - (sphere.vertices @ rotation.T + place)[:, 2].min(), rel=1e-9)


def test_the_coarser_mesh_is_slave_unless_it_is_too_coarse():
    fine, coarse = tessellate(SPHERE, (0.05, 0.0, 0.0), 0.004), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.008)
    surfaces = build_surfaces([fine, coarse, SLAB], [FEATURE_ANGLE] * 3, [True] * 3)
    assert slave_of(surfaces, 0, 1) == 1
    assert slave_of(surfaces, 1, 0) == 1
    assert slave_of(surfaces, 0, 2) == 0


def test_of_a_round_and_a_sharp_mesh_the_sharp_one_is_slave_unless_it_is_too_coarse():
    ball, box = tessellate(SPHERE, (0.05, 0.0, 0.0), 0.008), tessellate(BOX, (0.05, 0.05, 0.05), 0.006)
    surfaces = build_surfaces([ball, box, SLAB], [FEATURE_ANGLE] * 3, [True] * 3)
    assert slave_of(surfaces, 0, 1) == slave_of(surfaces, 1, 0) == 1  # though it has more triangles
    assert slave_of(surfaces, 0, 2) == slave_of(surfaces, 2, 0) == 0


def test_a_pair_does_not_depend_on_its_history():
    """A pose found on the way back, from other lists, gives the same.

    But for the foot of a vertex over an edge of the master, which may be on either side of it.
    """
    pair = PairOfMeshes(tessellate(SPHERE, (0.03, 0.0, 0.0), 0.004), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005))
    way = [(turned(0.2, 0.01 * k, 0.3), np.array([3.1e-3, 2e-3 + 1e-3 * math.sin(k), 0.0799])) for k in range(40)]
    there = [pair.patches(*pose)["depth"] for pose in way]
    back = [pair.patches(*pose)["depth"] for pose in reversed(way)][::-1]
    assert [len(depth) for depth in there] == [len(depth) for depth in back]
    changes = [np.abs(one - other).max(initial=0.0) for one, other in zip(there, back, strict=True)]
    assert max(changes) < 1e-3 * DEPTH
    assert np.count_nonzero(changes) < 8


def test_search_says_where_its_memory_is_too_short_and_leaves_what_is_behind():
    ball, larger = (tessellate(SPHERE, (r, 0.0, 0.0), 0.04 * r) for r in (0.03, 0.05))
    pair, rotation, offset = PairOfMeshes(ball, larger), turned(0.1, 0.2, 0.3), (0.0, 0.0, 0.0799)
    pair.patches(rotation, np.array(offset))
    found = []
    for size in range(4, 700):
        memory = np.full(size + 64, -7)
        found.append(
            sweep(pair.pairs, pair.pairs.pairs[0], pair.surface, rotation, offset, memory[:size], pair.scratch.placed)
        )
        assert (memory[size:] == -7).all()
    assert found == sorted(found)
    assert found[0] == -1 < found[-1]
    assert set(found) == {-1, found[-1]}
