"""Nearest points of meshes, rays, trees of boxes and half the thickness of parts."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.mesh.closest import first_exit
from gsolve.solver.geometry.mesh.records import NONE
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surface, build_surfaces
from mesh_rig import box, evaluated, irregular_ellipsoid, irregular_torus, nearest, points_on, prism
from naive import mesh as naive
from scipy.spatial.transform import Rotation

MESHES = {"torus": irregular_torus(16, 8), "prism": prism(12, layers=2), "box": box(1.0, 1.1, 0.2)}
MESHES["ellipsoid"] = irregular_ellipsoid(162, (1.0, 0.7, 0.5))


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_the_nearest_point_is_that_of_all_triangles_and_its_sign_that_of_the_winding_number(mesh):
    surface = build_surface(mesh)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    points = np.random.default_rng(0).uniform(1.3 * low, 1.3 * high, (300, 3))
    triangles, distances, feet = nearest(surface, 0, points)
    for x, triangle, distance, foot in zip(points, triangles, distances, feet, strict=True):
        expected = naive.nearest_point(mesh, x)
        assert abs(distance) == pytest.approx(expected, abs=1e-14)
        assert (distance < 0) == (naive.windings(mesh, x) > 0.5)
        assert np.linalg.norm(x - foot) == pytest.approx(expected, abs=1e-14)
        corners = mesh.corners()[triangle]
        normal = surface.facet_normals[triangle]
        assert (foot - corners[0]) @ normal == pytest.approx(0.0, abs=1e-14)


def test_a_mesh_that_is_too_far_is_not_found():
    surface = build_surface(box(1.0, 1.0, 1.0))
    triangles, distances, _ = nearest(surface, 0, [[1.5, 0.0, 0.0], [1.05, 0.0, 0.0]], 0.1)
    assert triangles[0] == NONE
    assert triangles[1] != NONE and distances[1] == pytest.approx(0.05)


def test_the_second_of_two_meshes_is_searched_by_itself():
    meshes = [box(1.0, 1.0, 1.0), irregular_torus(16, 8)]
    pool = build_surfaces(meshes, [FEATURE_ANGLE] * 2, [True] * 2)
    points = np.random.default_rng(1).normal(size=(50, 3))
    for k, mesh in enumerate(meshes):
        alone = nearest(build_surface(mesh), 0, points)
        found = nearest(pool, k, points)
        np.testing.assert_array_equal(found[0] - pool.meshes["first_triangle"][k], alone[0])
        np.testing.assert_array_equal(found[1], alone[1])


def test_the_nearest_triangle_is_where_the_smooth_surface_is_found():
    mesh = irregular_torus(32, 16)
    surface = build_surface(mesh)
    starts, points = points_on(mesh, 300, np.random.default_rng(2))
    points += 0.01 * surface.facet_normals[starts]
    found = evaluated(surface, nearest(surface, 0, points)[0], points)
    np.testing.assert_allclose(found.phi, evaluated(surface, starts, points).phi, atol=1e-15)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_rays_leave_where_they_do_by_hand(mesh):
    surface = build_surface(mesh)
    by_reference = Reference(surface)
    starts, points = points_on(mesh, 30, np.random.default_rng(3))
    for start, x in zip(starts, points, strict=True):
        direction = -surface.facet_normals[start]
        expected = naive.first_exit(mesh, x, direction, start)
        assert first_exit(by_reference, 0, tuple(x), tuple(direction), start) == pytest.approx(expected, rel=1e-9)


def test_depth_caps_are_half_the_thickness():
    plate = build_surface(box(1.0, 1.1, 0.2).moved(Rotation.from_rotvec([0.3, 0.5, 1.0]).as_matrix(), np.zeros(3)))
    thickness = np.sort(np.unique(np.round(plate.triangles["depth_cap"], 12)))
    np.testing.assert_allclose(thickness, [0.2, 1.0, 1.1])
    assert plate.meshes["least_depth_cap"][0] == pytest.approx(0.2)
    ball = build_surface(irregular_ellipsoid(642))
    np.testing.assert_allclose(ball.triangles["depth_cap"], 1.0, atol=0.02)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_boxes_hold_what_is_below_them(mesh):
    """Children within their parents, the smooth surface and all normals within boxes and cones."""
    surface = build_surface(mesh)
    boxes = surface.boxes
    leaves = np.flatnonzero(boxes["child"] == NONE)
    held = np.concatenate([np.arange(boxes["first"][k], boxes["last"][k]) for k in leaves])
    np.testing.assert_array_equal(np.sort(held), np.arange(len(mesh.triangles)))
    np.testing.assert_array_equal(np.sort(surface.box_triangles), np.arange(len(mesh.triangles)))
    random = np.random.default_rng(4)
    starts, points = points_on(mesh, 2000, random)
    found = evaluated(surface, starts, points)
    points = points - found.phi[:, None] * found.normal  # on the smooth surface, to higher order
    for k in range(len(boxes)):
        inside = np.isin(starts, surface.box_triangles[boxes["first"][k] : boxes["last"][k]])
        assert np.all(abs(points[inside] - boxes["centre"][k]) <= boxes["half"][k] + 1e-3 * abs(found.phi).max())
        normals = surface.facet_normals[starts[inside]]
        assert np.all(normals @ boxes["axis"][k] >= boxes["cosine"][k] - 1e-12)
        if boxes["parent"][k] != NONE:
            assert k - boxes["child"][boxes["parent"][k]] in (0, 1)
