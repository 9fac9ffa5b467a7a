"""Which charts a point touches: edges, flush faces, thin parts, sharp edges on faces."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.chart_rules import TOUCH, counts, edge_penetration, faces, second_is_in_charge
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.surface_point import NO_CURVATURE, NO_EDGE_AT, SurfacePoint
from mesh_rig import box, evaluated
from naive import mesh as naive

HALF = (1.0, 1.1, 0.2)
PLATE = box(*HALF)
SURFACE = build_surface(PLATE)
STARTS = SURFACE.chart_triangles[SURFACE.charts["first"]]


def candidates(x):
    """The six faces of the plate as seen from x."""
    found = evaluated(SURFACE, STARTS, np.repeat([x], len(STARTS), axis=0))
    return [
        SurfacePoint(int(found.triangle[k]), found.phi[k], tuple(found.normal[k]), NO_CURVATURE, found.beyond[k],
                     tuple(found.beyond_gradient[k]), NO_EDGE_AT, found.reach[k])
        for k in range(len(STARTS))
    ]  # fmt: skip


def touched(x):
    caps = SURFACE.triangles["depth_cap"][STARTS]
    size = SURFACE.meshes["radius"][0]
    return [c for c, cap in zip(candidates(x), caps, strict=True) if counts(c, cap, TOUCH * size)]


def test_a_point_inside_touches_the_nearest_face_alone():
    for x in np.random.default_rng(0).uniform(-1, 1, (200, 3)) * HALF:
        (only,) = touched(x)
        assert -only.phi == pytest.approx(naive.nearest_point(PLATE, x), abs=1e-15)


def test_a_point_outside_touches_nothing():
    for x in np.random.default_rng(1).uniform(-1, 1, (200, 3)) * 3:
        assert (len(touched(x)) == 0) == np.any(np.abs(x) >= HALF)


@pytest.mark.parametrize("rounding", [-1e-16, 0.0, 1e-16])
def test_a_point_flush_with_a_face_does_not_touch_it(rounding):
    assert touched((1.0 + rounding, 0.3, 0.1)) == []


def test_the_chart_in_charge_is_found_pair_by_pair():
    for x in np.random.default_rng(2).uniform(-1, 1, (200, 3)) * HALF:
        best = candidates(x)[0]
        for other in candidates(x)[1:]:
            if second_is_in_charge(best, other):
                best = other
        assert -best.phi == pytest.approx(naive.nearest_point(PLATE, x), abs=1e-15)


@pytest.mark.parametrize("wedge", [40.0, 90.0, 140.0])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_an_edge_penetrates_a_face_by_its_distance_from_it(wedge, part):
    """Two planes through the z axis, their normals `wedge` apart, and a face across them whose normal lies between."""
    angles = np.radians(90 + np.array([-0.5, 0.5, part - 0.5]) * wedge)
    a, b, across = np.c_[np.cos(angles), np.sin(angles), np.zeros(3)]
    below = 0.01  # of the edge
    # on the face, on the plane between the two: x = -s u with u up
    s = below / across[1]
    depth = s * a[1]
    assert edge_penetration(depth, tuple(a), tuple(b), tuple(-across)) == pytest.approx(below, rel=1e-12)


def test_only_triangles_that_face_away_are_left_out():
    up = (0.0, 0.0, 1.0)
    for degrees, expected in ((0, True), (60, True), (79, True), (81, False), (100, False), (180, False)):
        slave = np.radians(degrees)
        assert faces(up, (np.sin(slave), 0.0, -np.cos(slave))) == expected
