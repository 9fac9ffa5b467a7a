"""Faces of exact shapes as smooth surfaces: distances, derivatives, and which face is in charge."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.shape_field import depth_cap, face_in_charge, number_of_faces
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, NAMES_OF_KINDS, PLANE, SPHERE, Solid
from gsolve.solver.geometry.surface_point import NO_EDGE
from mesh_rig import evaluated_shape
from naive.geometry import outside_by
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from shape_rig import placed

CENTRE, AXES = (0.1, -0.2, 0.3), Rotation.from_rotvec([0.5, 0.2, -0.9]).as_matrix()
SHAPES = [
    (SPHERE, (0.8, 0.0, 0.0)),
    (ELLIPSOID, (1.0, 0.7, 0.4)),
    (CYLINDER, (0.5, 0.5, 0.8)),
    (FRUSTUM, (0.5, 0.2, 0.8)),
    (FRUSTUM, (0.0, 0.5, 0.3)),
    (BOX, (0.4, 0.5, 0.6)),
    (PLANE, (0.0, 0.0, 0.0)),
]
NAMES = [f"{NAMES_OF_KINDS[kind].lower()}-{k}" for k, (kind, _) in enumerate(SHAPES)]


def solid_of(kind, size):
    return Solid(kind, CENTRE, *(tuple(axis) for axis in AXES), size)


def points_about(number, seed=0, size=0.5):
    return np.random.default_rng(seed).normal(size=(number, 3)) * size + CENTRE


def all_faces(kind, size, points):
    return [evaluated_shape(solid_of(kind, size), face, points) for face in range(number_of_faces(kind))]


@pytest.mark.parametrize(("kind", "size"), SHAPES, ids=NAMES)
def test_the_largest_height_tells_inside_from_outside_and_vanishes_on_the_surface(kind, size):
    pose = placed(kind, size, CENTRE, AXES.T)
    points = points_about(300)
    phi = np.max([face.phi for face in all_faces(kind, size, points)], axis=0)
    expected = np.array([outside_by(pose, x) for x in points])
    np.testing.assert_array_equal(phi > 0, expected > 0)


@pytest.mark.parametrize(("kind", "size"), SHAPES, ids=NAMES)
def test_normals_curvatures_and_edges_are_derivatives(kind, size):
    points = points_about(300, 1)
    for face in range(number_of_faces(kind)):
        solid = solid_of(kind, size)
        found = evaluated_shape(solid, face, points)
        calm = np.max(abs(found.hessian), axis=(1, 2)) < 10
        step = 1e-6
        for k, d in enumerate(step * np.eye(3)):
            more, less = evaluated_shape(solid, face, points + d), evaluated_shape(solid, face, points - d)
            slope = (more.phi - less.phi) / (2 * step)
            np.testing.assert_allclose(found.normal[calm, k], slope[calm], atol=1e-8)
            bend = (more.normal - less.normal) / (2 * step)
            np.testing.assert_allclose(found.hessian[calm, k], bend[calm], atol=1e-7)
            same = np.all(more.beyond_gradient == less.beyond_gradient, axis=1) & (found.beyond != NO_EDGE)
            if kind not in (CYLINDER, FRUSTUM):
                slope = (more.beyond - less.beyond) / (2 * step)
                np.testing.assert_allclose(found.beyond_gradient[same, k], slope[same], atol=1e-8)


def test_heights_over_an_ellipsoid_are_distances():
    size = (1.0, 0.7, 0.4)
    points = points_about(6, 2, 0.4)
    found = all_faces(ELLIPSOID, size, points)[0]
    for x, phi in zip(points, found.phi, strict=True):
        own = AXES @ (x - CENTRE)

        def square(at, own=own):
            a, b = at
            return np.sum((own - size * np.array([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)])) ** 2)

        starts = [(a, b) for a in (-2.4, -0.8, 0.8, 2.4) for b in (-0.7, 0.7)]
        best = min(minimize(square, start, tol=1e-14).fun for start in starts)
        assert abs(phi) == pytest.approx(np.sqrt(best), abs=1e-6)


@pytest.mark.parametrize("x", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.0, 0.2), (1.0, 0.0, 0.0), (5.0, 0.0, 0.0)])
def test_points_on_the_axes_of_an_ellipsoid_and_at_its_centre_are_found(x):
    axes = tuple(tuple(axis) for axis in np.eye(3))
    found = evaluated_shape(Solid(ELLIPSOID, (0.0, 0.0, 0.0), *axes, (1.0, 0.7, 0.4)), 0, [x])
    best = {(0.3, 0.0, 0.0): -0.4 * np.sqrt(1 - 0.09 / (1 - 0.16)), (1.0, 0.0, 0.0): 0.0, (5.0, 0.0, 0.0): 4.0}
    assert found.phi[0] == pytest.approx(best.get(x, -0.4 + x[2]), abs=1e-7)
    assert not any(np.isnan(part).any() for part in found)


@pytest.mark.parametrize(("kind", "size"), SHAPES, ids=NAMES)
def test_one_face_is_in_charge_of_a_point_inside_that_with_the_largest_height(kind, size):
    points = points_about(300, 3)
    faces = all_faces(kind, size, points)
    phi, beyond = np.array([face.phi for face in faces]), np.array([face.beyond for face in faces])
    largest = np.argmax(phi, axis=0)
    assert [face_in_charge(solid_of(kind, size), tuple(x)) for x in points] == largest.tolist()
    assert np.all(beyond[largest, np.arange(len(points))] <= 0)
    if kind in (CYLINDER, FRUSTUM):  # side and end are never both in charge
        assert not np.any((beyond[0] < 0) & (beyond[1:] < 0).any(axis=0))


@pytest.mark.parametrize(("kind", "size"), SHAPES[:-1], ids=NAMES[:-1])
def test_a_point_in_charge_is_no_deeper_than_the_cap(kind, size):
    solid, points = solid_of(kind, size), points_about(300, 4)
    faces = all_faces(kind, size, points)
    for k, x in enumerate(points):
        face = face_in_charge(solid, tuple(x))
        assert -faces[face].phi[k] <= depth_cap(solid, face) * (1 + 1e-12)
    assert depth_cap(solid_of(BOX, (0.4, 0.5, 0.6)), 3) == 0.5


def test_on_the_axis_of_a_cylinder_nothing_is_undefined():
    found = evaluated_shape(solid_of(CYLINDER, (0.5, 0.5, 0.8)), 0, [CENTRE])
    assert found.phi[0] == pytest.approx(-0.5)
    assert not any(np.isnan(part).any() for part in found)
