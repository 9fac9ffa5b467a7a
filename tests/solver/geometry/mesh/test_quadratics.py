"""The deepest place of a quadratic over a triangle that planes cut, beside all places of a fine raster."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.quadratics import Quadratic, deepest_in, deepest_of, value_at
from naive import mesh_pairs as naive


@pytest.mark.parametrize("kind", ["any", "summit inside"])
@pytest.mark.parametrize("cuts", [0, 1, 2, 3])
def test_nothing_that_is_left_is_deeper(kind, cuts):
    random = np.random.default_rng(7 * cuts + len(kind))
    found_some = 0
    for _ in range(150):
        q = Quadratic(*random.normal(size=6))
        if kind == "summit inside":
            at, (a, c) = random.dirichlet(np.ones(3))[1:], random.uniform(0.1, 2.0, 2)
            b = random.uniform(-0.9, 0.9) * 2.0 * np.sqrt(a * c)
            q = Quadratic(0.0, 2 * a * at[0] - b * at[1], 2 * c * at[1] - b * at[0], -a, b, -c)
        beyond = random.normal(size=(cuts, 3))
        found = deepest_in(q, beyond, cuts)
        assert deepest_of(q, beyond, cuts) == found
        depths = naive.depths_of_raster(q, beyond)
        if not found.depth > -np.inf:
            assert len(depths) == 0
            continue
        found_some += 1
        assert found.depth == pytest.approx(value_at(q, found.v, found.w), abs=1e-12)
        assert min(found.v, found.w, 1.0 - found.v - found.w) > -1e-9
        assert (beyond @ [1.0 - found.v - found.w, found.v, found.w]).max(initial=0.0) < 1e-9
        assert depths.max(initial=-np.inf) <= found.depth + 1e-12
    assert found_some > 50


def test_a_summit_that_is_cut_off_leaves_the_cut_and_not_the_outline():
    """The largest value on the outline, 0.944 in the middle of an edge, is behind the plane as well."""
    summit = Quadratic(1.0 - 2.0 / 9.0, 2.0 / 3.0, 2.0 / 3.0, -1.0, 0.0, -1.0)  # of 1, in the middle of the triangle
    found = deepest_in(summit, np.array([[0.7, -0.3, -0.3]]), 1)  # 1 - v - w is not above 0.3
    assert found == pytest.approx((1.0 - 2.0 * (1.0 / 60.0) ** 2, 0.35, 0.35), rel=1e-12)
