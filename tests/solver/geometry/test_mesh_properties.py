"""Mass properties of closed meshes, and the faults that keep a mesh from being one."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from naive.mesh_checks import MeshFaults, find_faults
from scipy.spatial.transform import Rotation


def box(a: float, b: float, c: float) -> TriangleMesh:
    """A box about the origin."""
    corners = np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)]) / 2
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return TriangleMesh(corners, np.array([t for q in quads for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]))


def test_box_has_its_textbook_properties():
    a, b, c, density = 2.0, 3.0, 5.0, 7.0
    found = mass_properties(box(a, b, c), density)
    mass = density * a * b * c
    assert found.volume == pytest.approx(a * b * c, rel=1e-14)
    assert found.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-14)
    assert found.mass == pytest.approx(mass, rel=1e-14)
    assert np.abs(found.centre).max() < 1e-15
    expected = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(found.inertia, expected, atol=1e-12)


def test_moved_and_turned_body_keeps_its_inertia_about_its_centre():
    plain = mass_properties(box(2.0, 3.0, 5.0), 1.5)
    turn = Rotation.from_rotvec([0.3, -0.7, 0.4]).as_matrix()
    away = np.array([100.0, -30.0, 7.0])
    moved = mass_properties(box(2.0, 3.0, 5.0).moved(turn, away), 1.5)
    assert moved.volume == pytest.approx(plain.volume, rel=1e-13)
    np.testing.assert_allclose(moved.centre, away, rtol=1e-14)
    np.testing.assert_allclose(moved.inertia, turn @ plain.inertia @ turn.T, atol=1e-11)


def test_skew_tetrahedron_has_products_of_inertia_with_tensor_signs():
    """The corner tetrahedron x, y, z >= 0, x + y + z <= 1: integral of x y is 1/120, of x^2 is 1/60."""
    mesh = TriangleMesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]))
    found = mass_properties(mesh, 1.0)
    assert found.volume == pytest.approx(1 / 6, rel=1e-14)
    np.testing.assert_allclose(found.centre, [0.25] * 3, rtol=1e-14)
    assert found.inertia[0, 1] == pytest.approx(-(1 / 120 - 0.25**2 / 6), rel=1e-12)
    assert found.inertia[0, 0] == pytest.approx(2 * (1 / 60 - 0.25**2 / 6), rel=1e-12)


def test_a_mesh_that_is_inside_out_has_a_negative_volume():
    mesh = box(1.0, 1.0, 1.0)
    assert mass_properties(TriangleMesh(mesh.vertices, mesh.triangles[:, ::-1]), 1.0).volume == pytest.approx(-1.0)


def test_faults_are_counted():
    mesh = box(1.0, 2.0, 3.0)
    assert find_faults(mesh) == MeshFaults(0, 0, 0, 0)
    hole = find_faults(TriangleMesh(mesh.vertices, mesh.triangles[1:]))
    assert hole.open_edges == 3 and hole.repeated_edges == 0
    turned = mesh.triangles.copy()
    turned[0] = turned[0, ::-1]
    assert find_faults(TriangleMesh(mesh.vertices, turned)).repeated_edges == 3
    stray = np.vstack([mesh.vertices, [[9.0, 9.0, 9.0]]])
    assert find_faults(TriangleMesh(stray, mesh.triangles)).unused_vertices == 1
    flat = mesh.vertices.copy()
    flat[1] = flat[0]
    assert find_faults(TriangleMesh(flat, mesh.triangles)).flat_triangles > 0
