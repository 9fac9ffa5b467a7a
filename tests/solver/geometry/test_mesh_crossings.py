"""Meshes that go through themselves, and how thick they are, beside every triangle with every other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.crossings import DEEP, ENOUGH, count_crossings, find_crossings
from gsolve.solver.geometry.mesh.plain_tree import STACK, build_tree
from gsolve.solver.geometry.mesh.thickness import FACING, find_thinnest, measure
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from mesh_samples import box, shifted, sphere, tetrahedron, together, torus, triangle_soup
from naive.mesh_checks import crossing_pairs, thicknesses

TOLERANCE = 1e-6


def count(mesh: TriangleMesh) -> tuple[int, np.ndarray]:
    corners, place = mesh.corners(), np.zeros(3)
    tree = build_tree(corners)
    stack = np.zeros(STACK, dtype=np.int64)
    return count_crossings(corners, mesh.triangles, tree.boxes, tree.order, TOLERANCE, stack, place), place


@pytest.mark.parametrize("number", [3, 9, 40])
def test_crossings_are_those_of_every_triangle_with_every_other(number):
    for seed in range(120 // number):
        mesh = triangle_soup(number, seed)
        pairs = crossing_pairs(mesh.corners(), mesh.triangles, DEEP * TOLERANCE, TOLERANCE)
        found, place = count(mesh)
        assert found == len(pairs)
        if pairs:  # the place lies in the planes of both
            for triangle in pairs[0]:
                a, b, c = mesh.corners()[triangle]
                normal = np.cross(b - a, c - a)
                assert abs((place - a) @ normal) < 1e-12


def test_a_tree_holds_every_triangle_once_within_its_boxes():
    for number in (1, 7, 8, 9, 500):
        mesh = triangle_soup(number, number)
        tree = build_tree(mesh.corners())
        leaves = tree.boxes[tree.boxes["child"] < 0]
        assert sorted(tree.order.tolist()) == list(range(number))
        assert (leaves["last"] - leaves["first"]).sum() == number and (leaves["last"] - leaves["first"]).min() >= 1
        for k, of in enumerate(tree.boxes):
            if of["child"] < 0:
                inside = mesh.corners()[tree.order[of["first"] : of["last"]]]
                assert np.all(inside >= of["low"]) and np.all(inside <= of["high"])
            else:
                pair = tree.boxes[of["child"] : of["child"] + 2]
                assert of["child"] > k
                assert np.all(pair["low"].min(axis=0) == of["low"]) and np.all(pair["high"].max(axis=0) == of["high"])


@pytest.mark.parametrize("mesh", [tetrahedron(), box(1, 2, 3), sphere(4), torus(3, 1, 48, 24), torus(1.02, 1, 32, 32)])
def test_sound_meshes_do_not_cross(mesh):
    assert find_crossings(mesh, TOLERANCE) is None


def test_parts_that_only_touch_do_not_cross():
    cube = box(2, 2, 2)
    for by in ((2, 0, 0), (2, 1, 0.5), (2, 2, 0), (2, 2, 2)):
        assert find_crossings(together(cube, shifted(cube, *by)), TOLERANCE) is None
    on_it = shifted(box(1, 4, 2), 0, 0, 2)  # crosswise, so that edges meet
    assert find_crossings(together(cube, on_it), TOLERANCE) is None


def test_parts_that_were_not_united_cross_also_where_edges_meet_edges():
    for mesh in (sphere(3), box(2, 2, 2)):
        for by in ((0.5, 0, 0), (0.5, 0.25, 0.125)):
            found = find_crossings(together(mesh, shifted(mesh, *by)), TOLERANCE)
            if mesh.vertices.shape[0] > 8 or 0 not in by:
                assert found.number >= 8
    ring = torus(3, 1, 32, 16)
    linked = TriangleMesh(ring.vertices[:, [0, 2, 1]] * [1, 1, -1], ring.triangles)
    assert find_crossings(together(ring, shifted(linked, 3, 0, 0)), TOLERANCE) is None
    assert find_crossings(together(ring, shifted(linked, 4.5, 0, 0)), TOLERANCE) is not None


def test_the_search_ends_when_there_is_enough():
    assert find_crossings(together(sphere(6), shifted(sphere(6), 0.5, 0, 0)), TOLERANCE).number == ENOUGH


@pytest.mark.parametrize("mesh", [tetrahedron(), box(1, 2, 3), sphere(2), torus(3, 1, 12, 8)])
def test_thickness_is_that_of_every_triangle_with_every_other(mesh):
    corners = mesh.corners()
    normals = mesh.doubled_area_vectors()
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    tree, found = build_tree(corners), np.zeros(len(corners))
    measure(corners, normals, tree.boxes, tree.order, np.zeros(STACK, dtype=np.int64), found)
    np.testing.assert_allclose(found, thicknesses(corners, FACING), rtol=1e-12)


def test_thickness_of_known_shapes():
    found = find_thinnest(box(1.0, 2.0, 3.0))
    assert found.thickness == pytest.approx(1.0, rel=1e-14)
    assert abs(box(1.0, 2.0, 3.0).corners()[found.triangle, :, 0]).tolist() == [0.5] * 3
    assert find_thinnest(sphere(4)).thickness == pytest.approx(2.0, rel=5e-3)
    shell = together(sphere(4), sphere(4, 0.9).turned())
    assert find_thinnest(shell).thickness == pytest.approx(0.1, rel=0.02)
    assert find_thinnest(sphere(2).turned()) is None
    assert math.isclose(find_thinnest(torus(3, 1, 48, 24)).thickness, 2.0, rel_tol=2e-2)
