"""Which charts of a plate a point lies below: edges, flush faces, thin parts."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.carriers import TOUCH
from gsolve.solver.geometry.mesh.surface import build_surface
from mesh_rig import box, evaluated
from naive import mesh as naive

HALF = (1.0, 1.1, 0.2)
PLATE = box(*HALF)
SURFACE = build_surface(PLATE)
STARTS = SURFACE.chart_triangles[SURFACE.charts["first"]]


def depths_below(x):
    """Depths below the faces that are in charge of x: deeper than rounding, no deeper than half the thickness."""
    found = evaluated(SURFACE, STARTS, np.repeat([x], len(STARTS), axis=0))
    touch, caps = TOUCH * SURFACE.meshes["radius"][0], SURFACE.triangles["depth_cap"][STARTS]
    return -found.phi[(-found.phi > touch) & (-found.phi <= caps) & (found.beyond <= 0.0)]


def test_a_point_inside_is_below_the_nearest_face_alone():
    for x in np.random.default_rng(0).uniform(-1, 1, (200, 3)) * HALF:
        (only,) = depths_below(x)
        assert only == pytest.approx(naive.nearest_point(PLATE, x), abs=1e-15)


def test_a_point_outside_is_below_no_face():
    for x in np.random.default_rng(1).uniform(-1, 1, (200, 3)) * 3:
        assert (len(depths_below(x)) == 0) == np.any(np.abs(x) >= HALF)


@pytest.mark.parametrize("rounding", [-1e-16, 0.0, 1e-16])
def test_a_point_flush_with_a_face_is_not_below_it(rounding):
    assert len(depths_below((1.0 + rounding, 0.3, 0.1))) == 0
