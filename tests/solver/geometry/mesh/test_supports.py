"""Points that share the load of a patch: in balance, and none is left that rises above them."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.bodies import Floats, Records, zeros_in_lines
from gsolve.solver.geometry.mesh.cubics import NO_CUBIC
from gsolve.solver.geometry.mesh.pair_records import CARRIER, FACET, LISTED, MOST_SUPPORTS, NODE, SUPPORT
from gsolve.solver.geometry.mesh.supports import balance, balance_scale_free, find_supports, most_wanted


def points(random: np.random.Generator, n: int, lie: str) -> Records:
    """n points of nearly equal depths, some of which support: in space, in a plane or on a line."""
    supports = np.zeros(MOST_SUPPORTS + 2, SUPPORT)
    at = random.normal(size=(n, 3))
    at[:, {"in space": 3, "in a plane": 2, "on a line": 1}[lie] :] = 0.0
    supports["point"][:n], supports["depth"][:n] = at, random.uniform(0.9, 1.0, n)
    return supports


def heights_about(supports: Records, n: int, centre: Floats, rate: float) -> Floats:
    return supports["depth"][:n] + 0.5 * rate * ((supports["point"][:n] - centre) ** 2).sum(axis=1)


@pytest.mark.parametrize("lie", ["in space", "in a plane", "on a line"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_no_point_is_above_those_that_balance_each_other(n, lie):
    """What makes the least of largest values: shares, of points that all have it, about a centre among them."""
    random, chosen = np.random.default_rng(10 * n + len(lie)), np.zeros(MOST_SUPPORTS + 1, np.int64)
    several = 0
    for _ in range(100):
        supports, rate = points(random, n, lie), random.uniform(0.01, 1.0)
        value, centre, bits = balance(supports, n, rate, chosen, (1 << n) - 1)
        share, heights = supports["share"][:n], heights_about(supports, n, np.array(centre), rate)
        assert share.min() >= 0.0 and share.sum() == pytest.approx(1.0, abs=1e-14)
        np.testing.assert_allclose(share @ supports["point"][:n], centre, atol=1e-13)
        np.testing.assert_allclose(heights[share > 0.0], value, rtol=1e-12)
        assert heights.max() <= value * (1.0 + 1e-12)
        assert all(share[i] == 0.0 or bits >> i & 1 for i in range(n))
        several += bits.bit_count() > 1
    assert several > 50 or n == 1


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_whatever_choice_is_tried_first(n):
    random, chosen = np.random.default_rng(n), np.zeros(MOST_SUPPORTS + 1, np.int64)
    for _ in range(40):
        supports, rate, found = points(random, n, "in space"), random.uniform(0.01, 1.0), []
        for likely in range(1, 1 << n):
            value, centre, _ = balance(supports, n, rate, chosen, likely)
            found.append([value, *centre, *supports["share"][:n]])
        np.testing.assert_allclose(found, found[:1] * len(found), rtol=1e-11, atol=1e-11)


def test_the_rate_follows_from_the_depth_found():
    random, chosen = np.random.default_rng(3), np.zeros(MOST_SUPPORTS + 1, np.int64)
    for _ in range(50):
        supports = points(random, 4, "in space")
        depth, centre = balance_scale_free(supports, 4, 0.05, 1.0, chosen)
        heights = heights_about(supports, 4, np.array(centre), 0.05 * depth)
        # z = max (depth + s/2 |x - c|^2), with s = stiffening z
        assert heights.max() == pytest.approx(depth, rel=1e-12)


class Strip:
    """A strip of flat triangles as carriers whose depths are linear between corners."""

    def __init__(self, random: np.random.Generator, n: int) -> None:
        places = np.column_stack([0.5 * np.arange(n + 2), np.arange(n + 2) % 2, np.zeros(n + 2)])
        places += 0.1 * random.normal(size=places.shape)
        self.nodes, self.lists = zeros_in_lines(n + 2, NODE), zeros_in_lines(n, LISTED)
        self.carriers, self.facets = zeros_in_lines(n, CARRIER), zeros_in_lines(n, FACET)
        self.depths = random.uniform(0.97, 1.0, n + 2)
        self.nodes["depth"] = self.depths
        for k in range(n):
            own = self.depths[k : k + 3]
            deepest = int(np.argmax(own))
            self.lists[k]["nodes"] = k, k + 1, k + 2
            facet, carrier = self.facets[k], self.carriers[k]
            facet["corners"], facet["middle"] = places[k : k + 3], places[k : k + 3].mean(axis=0)
            facet["radius"] = np.linalg.norm(facet["corners"] - facet["middle"], axis=1).max()
            facet["ruling"] = NO_CUBIC
            carrier["listed"] = carrier["triangle"] = k
            carrier["quadratic"][:3] = own[0], own[1] - own[0], own[2] - own[0]
            carrier["depth"], carrier["place"] = own[deepest], [(0, 0), (1, 0), (0, 1)][deepest]
        self.places = places


@pytest.mark.parametrize("about", ["a corner", "anything"])
def test_the_point_that_rises_most_is_found(about):
    """Depths that are linear between corners rise most at one of them: compared with all."""
    random, found_none = np.random.default_rng(len(about)), 0
    for _ in range(60):
        strip = Strip(random, 20)
        members = random.permutation(20)[:15]
        centre = strip.places[10] if about == "a corner" else random.uniform(0.0, 10.0, 3)
        rate, level = random.uniform(0.0, 0.01), random.uniform(0.98, 1.1)
        rises = strip.depths + 0.5 * rate * ((strip.places - centre) ** 2).sum(axis=1)
        highest = max(rises[k : k + 3].max() for k in members)
        k, best = most_wanted(
            strip.carriers, members, strip.facets, strip.nodes, strip.lists, rate, tuple(centre), level
        )
        if highest <= level:
            assert k == -1
            found_none += 1
            continue
        assert k in members and best.depth == pytest.approx(highest, rel=1e-14)
        corner = strip.facets[k]["corners"]
        at = corner[0] + best.v * (corner[1] - corner[0]) + best.w * (corner[2] - corner[0])
        np.testing.assert_allclose(at, strip.places[np.argmin(abs(rises - highest))], atol=1e-12)
    assert 5 < found_none < 55


def test_no_corner_of_a_strip_is_above_the_points_that_share_its_load():
    random, chosen = np.random.default_rng(8), np.zeros(MOST_SUPPORTS + 1, np.int64)
    supports = np.zeros(MOST_SUPPORTS + 2, SUPPORT)
    several = 0
    for _ in range(60):
        strip, members = Strip(random, 20), np.arange(20)
        depth, centre, n = find_supports(
            strip.carriers, members, strip.facets, strip.nodes, strip.lists, 0.002, supports, chosen
        )
        rises = strip.depths + 0.5 * 0.002 * depth * ((strip.places - centre) ** 2).sum(axis=1)
        assert rises.max() == pytest.approx(depth, rel=1e-8)  # TOLERANCE
        np.testing.assert_allclose(supports["share"][:n] @ supports["point"][:n], centre, atol=1e-12)
        several += n > 1
    assert several > 30
