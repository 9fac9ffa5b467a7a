"""The deepest place of a quadratic over a triangle that planes cut, and of cubics on its edges, beside fine rasters."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.cubics import (
    Cubic,
    deepest_on_outline_with_cubic,
    leads_inside,
    value_of_cubic,
    with_cubic,
)
from gsolve.solver.geometry.mesh.quadratics import Deepest, Quadratic, deepest_in, deepest_of, deepest_on_cut, value_at
from naive import mesh_pairs as naive


def with_summit(random: np.random.Generator) -> Quadratic:
    """A quadratic that is largest within the triangle."""
    at, (a, c) = random.dirichlet(np.ones(3))[1:], random.uniform(0.1, 2.0, 2)
    b = random.uniform(-0.9, 0.9) * 2.0 * np.sqrt(a * c)
    return Quadratic(0.0, 2 * a * at[0] - b * at[1], 2 * c * at[1] - b * at[0], -a, b, -c)


@pytest.mark.parametrize("kind", ["any", "summit inside"])
@pytest.mark.parametrize("cuts", [0, 1, 2, 3])
def test_nothing_that_is_left_is_deeper(kind, cuts):
    random = np.random.default_rng(7 * cuts + len(kind))
    found_some = 0
    for _ in range(150):
        q = with_summit(random) if kind == "summit inside" else Quadratic(*random.normal(size=6))
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


@pytest.mark.parametrize("cuts", [1, 2, 3])
def test_a_place_on_a_cut_follows_it_as_it_moves_a_little(cuts):
    """Within the triangle and along its edges, as a search from the beginning finds it; or it is not found."""
    random, places = np.random.default_rng(cuts), {"inside": 0, "on an edge": 0, "elsewhere": 0, "not found": 0}
    for _ in range(4000):
        q, beyond = Quadratic(*random.normal(size=6)), random.normal(size=(cuts, 3))
        before = deepest_in(q, beyond, cuts)
        place = np.array([1.0 - before.v - before.w, before.v, before.w])
        held = np.flatnonzero(np.abs(beyond @ place) < 1e-12) if before.depth > -np.inf else []
        if len(held) != 1:
            continue
        beyond, q = beyond + 1e-3 * random.normal(size=(cuts, 3)), Quadratic(*np.add(q, 1e-3 * random.normal(size=6)))
        whole = deepest_in(q, beyond, cuts)
        found, deepest = deepest_on_cut(q, beyond, cuts, int(held[0]), before)
        if not found:
            places["not found"] += 1
            continue
        assert deepest.depth == pytest.approx(value_at(q, deepest.v, deepest.w), abs=1e-12)
        assert whole.depth >= deepest.depth - 1e-12
        is_same = abs(whole.v - deepest.v) + abs(whole.w - deepest.w) < 1e-9  # or else another is deeper by now
        places["elsewhere" if not is_same else "on an edge" if place.min() < 1e-9 else "inside"] += 1
    assert min(places["inside"], places["on an edge"]) > 100
    assert max(places["not found"], places["elsewhere"]) < 0.1 * sum(places.values())


def test_a_place_that_a_cut_no_longer_holds_on_its_edge_is_not_found():
    """The depth rises along the cut v = 0.3 from the edge w = 0, or falls."""
    beyond, on_edge = np.array([[0.3, -0.7, 0.3]]), Deepest(0.0, 0.3, 0.0)
    assert deepest_on_cut(Quadratic(0.0, -1.0, 1.0, 0.0, 0.0, -1.0), beyond, 1, 0, on_edge)[0] is False
    found, deepest = deepest_on_cut(Quadratic(0.0, -1.0, -1.0, 0.0, 0.0, -1.0), beyond, 1, 0, on_edge)
    assert found
    assert deepest == pytest.approx((-0.3, 0.3, 0.0), abs=1e-15)


def test_a_summit_that_is_cut_off_leaves_the_cut_and_not_the_outline():
    """The largest value on the outline, 0.944 in the middle of an edge, is behind the plane as well."""
    summit = Quadratic(1.0 - 2.0 / 9.0, 2.0 / 3.0, 2.0 / 3.0, -1.0, 0.0, -1.0)  # of 1, in the middle of the triangle
    found = deepest_in(summit, np.array([[0.7, -0.3, -0.3]]), 1)  # 1 - v - w is not above 0.3
    assert found == pytest.approx((1.0 - 2.0 * (1.0 / 60.0) ** 2, 0.35, 0.35), rel=1e-12)


@pytest.mark.parametrize("size", [0.0, 0.1, 3.0])
def test_nothing_on_the_edges_is_deeper(size):
    """Of a quadratic and a cubic, that is much smaller or larger; corners and places between are both found."""
    random, kinds = np.random.default_rng(3), {True: 0, False: 0}
    s = np.linspace(0.0, 1.0, 2001)
    for _ in range(300):
        q, c = Quadratic(*random.normal(size=6)), Cubic(*(size * random.normal(size=4)))
        found = deepest_on_outline_with_cubic(q, c)
        there = value_at(q, found.v, found.w) + value_of_cubic(c, found.v, found.w)
        assert found.depth == pytest.approx(there, abs=1e-12)
        u = 1.0 - found.v - found.w
        assert min(abs(u), abs(found.v), abs(found.w)) < 1e-15
        depths = [value_at(q, v, w) + value_of_cubic(c, v, w) for v, w in ((s, 0.0 * s), (1.0 - s, s), (0.0 * s, s))]
        assert np.max(depths) <= found.depth + 1e-12
        assert np.max(depths) > found.depth - 1e-5 * (1.0 + size)  # curvature over half a step of the raster
        kinds[max(u, found.v, found.w) == 1.0] += 1
    assert min(kinds.values()) > 30


def test_it_is_known_where_the_inside_is_deeper():
    """From the largest place on an edge: a small step towards the opposite corner goes deeper, or does not."""
    random, found = np.random.default_rng(4), {True: 0, False: 0}
    for k in range(300):
        q = with_summit(random) if k % 2 else Quadratic(*random.normal(size=6))
        c = Cubic(*(0.3 * random.normal(size=4)))
        _, v, w = deepest_on_outline_with_cubic(q, c)
        step = 1e-5 * (np.array([1.0, 1.0]) / 3.0 - [v, w])
        before, after = (value_at(q, a, b) + value_of_cubic(c, a, b) for a, b in ((v, w), (v + step[0], w + step[1])))
        leads = leads_inside(with_cubic(q, c, v, w), v, w)
        assert leads == (after > before)
        found[leads] += 1
    assert min(found.values()) > 30
