"""Meshes that go through themselves, beside every triangle with every other."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.mesh.box_tree import tree_of
from gsolve.solver.geometry.mesh.crossings import DEEP, ENOUGH, count_crossings, find_crossings
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from mesh_samples import box, shifted, sphere, tetrahedron, together, torus, triangle_soup
from naive.mesh_checks import crossing_pairs

TOLERANCE = 1e-6


def count(mesh: TriangleMesh) -> tuple[int, np.ndarray]:
    place = np.zeros(3)
    return count_crossings(Reference(tree_of(mesh)), mesh.triangles, TOLERANCE, place), place


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
