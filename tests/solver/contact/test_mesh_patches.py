"""Pairs of meshes of interfaces: which there are, where their patches are put, and what buffers do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.contact.mesh_contacts import (
    arm_of_region,
    enlarge_lists,
    find_mesh_pair,
    put_patch_point,
    set_rotation,
)
from gsolve.solver.contact.mesh_first_touch import turned
from gsolve.solver.contact.mesh_records import LIST_POOL, MeshContacts, no_mesh_contacts, with_longer_pool
from gsolve.solver.contact.mesh_setup import mesh_pairs
from gsolve.solver.contact.normal_laws import IMPACT, VOLUME
from gsolve.solver.contact.records import INTERFACE
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.contact_points import new_points
from gsolve.solver.geometry.mesh.pair_records import LISTED, NODE, PAIR
from gsolve.solver.geometry.mesh.pair_records import PATCH as MESH_PATCH
from gsolve.solver.geometry.shapes import new_shapes
from naive import mesh_contacts as twin
from scipy.spatial.transform import Rotation


def test_pairs_are_found_by_the_rows_of_their_shapes():
    random = np.random.default_rng(2)
    rows = sorted({tuple(sorted(random.choice(12, 2, replace=False).tolist())) for _ in range(25)})
    table = mesh_pairs([(a, b, k, 1, a) for k, (a, b) in enumerate(rows)])
    first, last = 3, len(rows) - 2  # of another interface are those beside
    for a in range(12):
        for b in range(a + 1, 12):
            assert find_mesh_pair(table, first, last, a, b) == twin.pair_of(table, first, last, a, b)


def test_axes_of_shapes_turn_with_their_bodies():
    body, own = (Rotation.from_rotvec(v).as_matrix() for v in ([0.3, 0.1, -0.4], [1.0, -0.2, 0.5]))
    shapes, found = new_shapes(1), np.zeros((3, 3))
    shapes["axes"][0] = own
    set_rotation(found, shapes[0], np.ascontiguousarray(body))
    np.testing.assert_allclose(found, body @ own.T, atol=1e-15)


def test_poses_ahead_are_turned_by_rotation_vectors():
    random = np.random.default_rng(7)
    for angle in (0.0, 1e-9, 0.3, 2.0):
        vector, axis = random.normal(size=3), random.normal(size=3)
        turn = angle * axis / np.linalg.norm(axis)
        expected = Rotation.from_rotvec(turn).apply(vector)
        np.testing.assert_allclose(turned(tuple(vector), tuple(turn)), expected, atol=1e-15)


def region(points: np.ndarray) -> np.ndarray:
    """A patch that has the second moments of points around its middle, in the x-y plane."""
    patch = np.zeros(1, MESH_PATCH)[0]
    patch["spread"][0, 0], patch["spread"][1, 1] = points.std(axis=0)
    return patch


@pytest.mark.parametrize("a, b", [(1.0, 1.0), (1.0, 0.3), (1.0, 0.01)])
def test_arm_of_a_rectangle_is_its_mean_distance_from_the_middle(a, b):
    x, y = np.meshgrid(a * np.linspace(-1.0, 1.0, 801), b * np.linspace(-1.0, 1.0, 801))
    points = np.c_[x.ravel(), y.ravel()]
    assert arm_of_region(region(points)) == pytest.approx(twin.mean_distance(points), rel=5e-3)


def test_arm_of_a_disc_is_nearly_two_thirds_of_its_radius():
    radius, angle = np.meshgrid(np.sqrt((np.arange(400) + 0.5) / 400), 2 * math.pi * np.arange(400) / 400)
    points = np.c_[(radius * np.cos(angle)).ravel(), (radius * np.sin(angle)).ravel()]
    assert arm_of_region(region(points)) == pytest.approx(2 / 3, rel=7e-3)


@pytest.mark.parametrize("law", [IMPACT, VOLUME])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_patches_are_put_where_their_body_is(law, sign):
    random = np.random.default_rng(4)
    rotation = Rotation.from_rotvec(random.uniform(-2.0, 2.0, 3)).as_matrix()
    patch, interface, centre = np.zeros(1, MESH_PATCH)[0], np.zeros(1, INTERFACE)[0], random.uniform(-1.0, 1.0, 3)
    interface["law"], interface["exponent"] = law, 1.5
    for name in ("normal", "pressure_normal"):
        normal = random.uniform(-1.0, 1.0, 3)
        patch[name] = normal / np.linalg.norm(normal)
    for name in ("point", "pressure_point"):
        patch[name] = random.uniform(-1.0, 1.0, 3)
    patch["depth"], patch["deepest"], patch["weight"], patch["share"] = 1.1e-3, 1e-3, 0.9, 0.8
    patch["area"], patch["pressure"], patch["stored"] = 2e-5, 3e-10, 2.5e-13
    points = new_points()
    n = put_patch_point(points, 2, patch, interface, 0.5, sign, np.ascontiguousarray(rotation), tuple(centre))
    found, which = points[2], "pressure_" if law == VOLUME else ""
    depth = patch["deepest"] if law == VOLUME else patch["depth"]
    normal = rotation @ patch[f"{which}normal"]
    assert n == 3 and found["penetration"] == depth and found["arm"] > 0.0
    np.testing.assert_allclose(found["normal"], sign * normal, atol=1e-15)
    middle = twin.placed(patch[f"{which}point"], patch[f"{which}normal"], depth, rotation, centre)
    np.testing.assert_allclose(found["point"], middle, atol=1e-15)
    force = found["weight"] * depth**1.5 * (found["area"] if law == VOLUME else 1.0)
    expected = 0.8 * 3e-10 if law == VOLUME else 0.9 * depth**1.5
    assert force == pytest.approx(0.5 * expected, rel=1e-12)
    stored = force * depth / (1.5 + 1.0 + found["growth"])
    energy = 0.8 * 2.5e-13 / 2.5 if law == VOLUME else 0.8 * depth**2.5 / 2.5
    assert stored == pytest.approx(0.5 * energy, rel=1e-12)


def test_lists_move_to_where_there_is_room_as_long_as_there_is():
    meshes: MeshContacts = no_mesh_contacts()
    nodes, listed, rests = zeros_in_lines(1200, NODE), np.zeros(1200, LISTED), np.zeros((4, 1200))
    meshes = meshes._replace(pairs=meshes.pairs._replace(nodes=nodes, listed=listed, rests=rests))
    of_meshes = Reference(meshes)
    pair, pool = zeros_in_lines(1, PAIR)[0], np.zeros(1, LIST_POOL)[0]
    pool["first"] = pool["free"] = 100
    pool["end"] = 100 + 2 * 128 + 2 * 256 + 2 * 200
    assert enlarge_lists(of_meshes, pair, pool) and (pair["first"], pair["capacity"]) == (100, 128)
    pair["turn"], pair["nodes"], pair["listed"] = 1, 100, 70
    nodes["vertex"][228:328], listed["triangle"][228:298] = np.arange(100), np.arange(70)
    rests[:, 228:298] = np.arange(280).reshape(4, 70)
    assert enlarge_lists(of_meshes, pair, pool) and (pair["first"], pair["capacity"], pair["turn"]) == (356, 256, 0)
    assert nodes["vertex"][356:456].tolist() == list(range(100))
    assert listed["triangle"][356:426].tolist() == list(range(70))
    assert rests[:, 356:426].ravel().tolist() == list(range(280))
    assert not enlarge_lists(of_meshes, pair, pool)
    assert pool["free"] == 356 + 512


def test_lists_of_one_interface_stay_as_those_of_another_get_more_room():
    meshes = no_mesh_contacts()
    nodes, listed, rests = zeros_in_lines(700, NODE), zeros_in_lines(700, LISTED), np.arange(2800.0).reshape(4, 700)
    nodes["vertex"] = listed["triangle"] = np.arange(700)
    pairs, pools = zeros_in_lines(2, PAIR), np.zeros(2, LIST_POOL)
    pools["first"], pools["free"], pools["end"] = (0, 256), (256, 512), (256, 700)
    pools["first_pair"], pools["last_pair"] = (0, 1), (1, 2)
    pairs["first"], pairs["capacity"], pairs["nodes"], pairs["listed"] = (0, 256), 128, (60, 100), (50, 90)
    of_pairs = meshes.pairs._replace(pairs=pairs, nodes=nodes, listed=listed, rests=rests)
    found = with_longer_pool(meshes._replace(pairs=of_pairs, pools=pools), 0)
    assert found.pools["first"].tolist() == [0, 512] and found.pools["end"].tolist() == [512, 956]
    assert found.pools["free"].tolist() == [0, 768]
    one, other = found.pairs.pairs
    assert (one["nodes"], one["listed"], one["capacity"]) == (0, 0, 0)
    assert (other["first"], other["nodes"], other["listed"], other["capacity"]) == (512, 100, 90, 128)
    held, before = slice(512, 768), np.arange(256, 512)
    assert (found.pairs.nodes["vertex"][held] == before).all()
    assert (found.pairs.listed["triangle"][held] == before).all()
    assert (found.pairs.rests[:, held] == before + 700.0 * np.arange(4)[:, None]).all()
