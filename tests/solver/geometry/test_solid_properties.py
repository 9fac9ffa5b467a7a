"""Closed forms of the exact solids, against textbooks and against meshes of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.solid_properties import solid_properties
from mesh_samples import box, mesh_of, sphere


def test_textbook_forms():
    ball = solid_properties("SPHERE", np.array([2.0, 0.0, 0.0]))
    assert ball.volume == pytest.approx(32 / 3 * math.pi)
    np.testing.assert_allclose(ball.inertia, 0.4 * ball.volume * 4 * np.eye(3), rtol=1e-14)
    rod = solid_properties("CYLINDER", np.array([1.0, 3.0, 0.0]))
    assert rod.volume == pytest.approx(3 * math.pi)
    np.testing.assert_allclose(np.diag(rod.inertia) / rod.volume, [(3 + 9) / 12, (3 + 9) / 12, 0.5], rtol=1e-13)
    cone = solid_properties("FRUSTUM", np.array([2.0, 0.0, 5.0]))
    assert cone.volume == pytest.approx(20 / 3 * math.pi)
    np.testing.assert_allclose(cone.centre, [0, 0, 5 / 4 - 5 / 2], atol=1e-15)
    across = 3 / 80 * (4 * 4 + 25)
    np.testing.assert_allclose(np.diag(cone.inertia) / cone.volume, [across, across, 0.3 * 4], rtol=1e-13)
    egg = solid_properties("ELLIPSOID", np.array([1.0, 2.0, 3.0]))
    assert egg.volume == pytest.approx(8 * math.pi)
    np.testing.assert_allclose(np.diag(egg.inertia) / egg.volume, np.array([13, 10, 5]) / 5, rtol=1e-14)


def test_a_box_is_its_mesh():
    solid, mesh = solid_properties("BOX", np.array([1.0, 2.0, 3.0])), mass_properties(box(1, 2, 3), 1.0)
    assert solid.volume == pytest.approx(mesh.volume, rel=1e-14)
    np.testing.assert_allclose(solid.inertia, mesh.inertia, atol=1e-14)


@pytest.mark.parametrize("radii", [(1.0, 1.0), (1.5, 0.5), (0.0, 2.0), (0.7, 0.6999)])
def test_frustums_and_cylinders_are_the_limit_of_their_meshes(radii):
    """The section of n corners has the area of a circle times 1 - 2/3 (pi/n)^2: second order."""
    solid = solid_properties("FRUSTUM", np.array([*radii, 2.5]))
    errors = []
    for n in (64, 128):
        turn = 2 * np.pi / n * np.arange(n)
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        points = np.vstack(
            [np.column_stack([r * ring, np.full(n, z)]) for r, z in zip(radii, (-1.25, 1.25), strict=True)]
        )
        sides = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
        mesh = mass_properties(mesh_of(points, [*sides, range(n, 2 * n), range(n - 1, -1, -1)]), 1.0)
        np.testing.assert_allclose(mesh.centre, solid.centre, atol=1e-12)
        errors.append([mesh.volume / solid.volume - 1, *(np.diag(mesh.inertia) / np.diag(solid.inertia) - 1)])
        assert mesh.volume / solid.volume == pytest.approx(n / (2 * np.pi) * math.sin(2 * np.pi / n), rel=1e-12)
    np.testing.assert_allclose(np.array(errors[0]) / errors[1], 4.0, rtol=1e-2)


def test_balls_and_ellipsoids_are_the_limit_of_their_meshes():
    for kind, lengths in (("SPHERE", (1.0, 1.0, 1.0)), ("ELLIPSOID", (1.0, 2.0, 3.0))):
        solid = solid_properties(kind, np.array(lengths if kind == "ELLIPSOID" else (1.0, 0, 0)))
        errors = []
        for sweeps in (3, 4):
            mesh = sphere(sweeps)
            mesh.vertices[:] *= lengths
            found = mass_properties(mesh, 1.0)
            errors.append([found.volume / solid.volume - 1, *(np.diag(found.inertia) / np.diag(solid.inertia) - 1)])
        np.testing.assert_allclose(np.array(errors[0]) / errors[1], 4.0, rtol=0.05)
