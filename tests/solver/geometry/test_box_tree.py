"""Trees of boxes, rays from triangles through the solid below, and how thick that is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.mesh.box_tree import tree_of
from gsolve.solver.geometry.mesh.records import NONE
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.mesh.thickness import FACING, find_thinnest, first_exit, thicknesses
from mesh_rig import box, evaluated, irregular_ellipsoid, irregular_torus, points_on, prism
from mesh_samples import sphere, together, torus
from naive import mesh as naive
from scipy.spatial.transform import Rotation

MESHES = {"torus": irregular_torus(16, 8), "prism": prism(12, layers=2), "box": box(1.0, 1.1, 0.2)}
MESHES["ellipsoid"] = irregular_ellipsoid(162, (1.0, 0.7, 0.5))


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_rays_leave_where_they_do_by_hand(mesh):
    tree = tree_of(mesh)
    by_reference = Reference(tree)
    starts, points = points_on(mesh, 30, np.random.default_rng(3))
    for start, x in zip(starts, points, strict=True):
        direction = -tree.normals[start]
        for facing in (0.0, FACING):
            expected = naive.first_exit(mesh, x, direction, start, facing)
            found = first_exit(by_reference, tuple(x), tuple(direction), start, facing)
            assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_the_thickness_is_that_below_the_middle_of_each_triangle(mesh):
    tree = tree_of(mesh)
    expected = [
        naive.first_exit(mesh, corners.mean(axis=0), -normal, k, FACING)
        for k, (corners, normal) in enumerate(zip(tree.corners, tree.normals, strict=True))
    ]
    np.testing.assert_allclose(thicknesses(tree, 1, FACING, math.inf), expected, rtol=1e-12)


def test_thickness_of_known_shapes():
    found = find_thinnest(box(0.5, 1.0, 1.5))
    assert found.thickness == pytest.approx(1.0, rel=1e-14)
    assert abs(box(0.5, 1.0, 1.5).corners()[found.triangle, :, 0]).tolist() == [0.5] * 3
    assert find_thinnest(sphere(4)).thickness == pytest.approx(2.0, rel=5e-3)
    shell = together(sphere(4), sphere(4, 0.9).turned())
    assert find_thinnest(shell).thickness == pytest.approx(0.1, rel=0.02)
    assert find_thinnest(sphere(2).turned()) is None
    assert math.isclose(find_thinnest(torus(3, 1, 48, 24)).thickness, 2.0, rel_tol=2e-2)


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
