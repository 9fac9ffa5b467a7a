"""Meshes of exact shapes: closed, with their vertices on the surface, and as near to it as flat facets can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, PLANE, SPHERE
from naive.mesh_checks import MeshFaults, find_faults

SPHERE_SIZE, ELLIPSOID_SIZE, BOX_SIZE = (0.7, 0.0, 0.0), (0.5, 0.8, 0.3), (0.5, 0.35, 0.2)
CYLINDER_SIZE, FRUSTUM_SIZE, CONE_SIZE = (0.4, 0.4, 0.6), (0.5, 0.2, 0.4), (0.0, 0.5, 0.3)


def frustum_volume(size):
    bottom, top, half = size
    return 2 * half * math.pi / 3 * (bottom**2 + bottom * top + top**2)


ROUND = [
    (SPHERE, SPHERE_SIZE, 4 / 3 * math.pi * 0.7**3),
    (ELLIPSOID, ELLIPSOID_SIZE, 4 / 3 * math.pi * 0.5 * 0.8 * 0.3),
    (CYLINDER, CYLINDER_SIZE, frustum_volume(CYLINDER_SIZE)),
    (FRUSTUM, FRUSTUM_SIZE, frustum_volume(FRUSTUM_SIZE)),
    (FRUSTUM, CONE_SIZE, frustum_volume(CONE_SIZE)),
]


def off_surface(kind, size, points):
    """How far points are off the surface, over its size; nothing for a point on it."""
    x, y, z = points.T
    if kind in (SPHERE, ELLIPSOID):
        axes = np.array(size) if kind == ELLIPSOID else np.full(3, size[0])
        return np.abs(np.linalg.norm(points / axes, axis=1) - 1)
    if kind == BOX:
        return np.abs(np.max(np.abs(points) / np.array(size), axis=1) - 1)
    bottom, top, half = size
    radius = np.hypot(x, y)
    at_side = np.abs(radius - (bottom + (top - bottom) * (z + half) / (2 * half)))
    at_ends = np.where(radius <= np.where(z < 0, bottom, top) + 1e-12, np.abs(np.abs(z) - half), 1.0)
    return np.minimum(at_side, at_ends) / half


@pytest.mark.parametrize(("kind", "size"), [*((kind, size) for kind, size, _ in ROUND), (BOX, BOX_SIZE)])
@pytest.mark.parametrize("edge", [5.0, 0.31, 0.07])
def test_a_mesh_is_closed_and_its_vertices_lie_on_the_surface(kind, size, edge):
    mesh = tessellate(kind, size, edge)
    assert find_faults(mesh) == MeshFaults(0, 0, 0, 0)
    assert mass_properties(mesh, 1.0).volume > 0.0
    assert off_surface(kind, size, mesh.vertices).max() < 1e-14


@pytest.mark.parametrize(("kind", "size", "volume"), ROUND)
def test_volume_converges_with_the_square_of_the_edge(kind, size, volume):
    lost = [1 - mass_properties(tessellate(kind, size, edge), 1.0).volume / volume for edge in (0.08, 0.04, 0.02)]
    assert all(part > 0.0 for part in lost)
    assert lost[0] / lost[1] == pytest.approx(4.0, rel=0.2)
    assert lost[1] / lost[2] == pytest.approx(4.0, rel=0.1)


def test_a_box_is_exact_whatever_its_edges():
    for edge in (1.0, 0.11):
        found = mass_properties(tessellate(BOX, BOX_SIZE, edge), 1.0)
        assert found.volume == pytest.approx(8 * 0.5 * 0.35 * 0.2, rel=1e-14)
        assert np.abs(found.centre).max() < 1e-15


@pytest.mark.parametrize(("kind", "size"), [*((kind, size) for kind, size, _ in ROUND), (BOX, BOX_SIZE)])
def test_edges_are_about_as_long_as_asked_for(kind, size):
    edge = 0.05
    corners = tessellate(kind, size, edge).corners()
    lengths = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    assert lengths.max() < 1.7 * edge
    assert 0.4 * edge < np.median(lengths) < 1.3 * edge


def test_what_has_no_mesh_is_refused():
    for kind, edge in ((PLANE, 0.1), (SPHERE, 0.0), (SPHERE, -1.0), (SPHERE, math.nan)):
        with pytest.raises(ValueError, match="only bounded shapes have a mesh, with edges of a positive length"):
            tessellate(kind, (1.0, 1.0, 1.0), edge)
