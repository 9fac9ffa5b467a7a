"""Where a triangle that carries is deepest, with the cubics on its edges, beside a fine raster; depths at its cuts."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.geometry.mesh.carriers import look_below_supports, settle
from gsolve.solver.geometry.mesh.cubics import NO_CUBIC, Cubic, value_of_cubic, with_cubic
from gsolve.solver.geometry.mesh.cuts import bend_cuts, beyond_curves
from gsolve.solver.geometry.mesh.pair_records import CARRIER, FACET, LISTED, NODE
from gsolve.solver.geometry.mesh.quadratics import Quadratic, quadratic_of, value_at
from gsolve.solver.geometry.mesh.records import CHART
from gsolve.solver.geometry.mesh.supports import true_depth
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import SPHERE
from pair_of_meshes import PairOfMeshes

RASTER = 200
STEEP = 5.0  # of depths over a triangle: all slopes there are smaller


def places_of_raster() -> tuple[np.ndarray, np.ndarray]:
    v, w = np.meshgrid(*[np.linspace(0.0, 1.0, RASTER + 1)] * 2)
    inside = v + w < 1.0 + 1e-9
    return v[inside], w[inside]


def summit_near_an_edge(random: np.random.Generator) -> Quadratic:
    """A quadratic that is largest, with depth 3, about an edge: now within the triangle, now beyond."""
    at, (a, c) = (random.uniform(0.2, 0.8), random.uniform(-0.05, 0.05)), random.uniform(0.5, 2.0, 2)
    b = random.uniform(-0.5, 0.5) * 2.0 * np.sqrt(a * c)
    top = 3.0 - a * at[0] ** 2 + b * at[0] * at[1] - c * at[1] ** 2
    return Quadratic(top, 2 * a * at[0] - b * at[1], 2 * c * at[1] - b * at[0], -a, b, -c)


def with_corners_renamed(q: Quadratic, turns: int) -> Quadratic:
    """The same depths over the triangle whose corners b, c, a are named a, b, c, so many times."""
    for _ in range(turns):
        a, b, c = q.one, q.one + q.v + q.vv, q.one + q.w + q.ww
        ab, bc, ca = (value_at(q, *middle) for middle in ((0.5, 0.0), (0.5, 0.5), (0.0, 0.5)))
        q = quadratic_of((b, c, a), (bc, ca, ab))
    return q


@pytest.mark.parametrize("edge", ["ab", "ca", "bc"])
def test_deepest_place_is_that_of_the_cubic(edge):
    """About an edge, where the cubic may move the place from the inside on it and back: no place is deeper."""
    random, (v, w) = np.random.default_rng(5), places_of_raster()
    carrier, facet, chart = zeros_in_lines(1, CARRIER)[0], zeros_in_lines(1, FACET)[0], np.zeros(1, CHART)[0]
    turns, on_edge = ("ab", "ca", "bc").index(edge), 0
    for _ in range(300):
        q = with_corners_renamed(summit_near_an_edge(random), turns)
        c = Cubic(*(0.05 * random.normal(size=4)))
        found = settle(carrier, q, c, facet, chart, 0.0)
        depths = value_at(q, v, w) + value_of_cubic(c, v, w)
        there = value_at(q, found.v, found.w) + value_of_cubic(c, found.v, found.w)
        assert abs(found.depth - there) < 1e-6
        assert np.max(depths) - 1e-6 < there < np.max(depths) + (STEEP / RASTER) ** 2
        touching = Quadratic(*(float(value) for value in carrier["quadratic"]))
        assert abs(value_at(touching, found.v, found.w) - found.depth) < 1e-12
        on_edge += {"ab": found.w, "ca": found.v, "bc": 1.0 - found.v - found.w}[edge] == 0.0
    assert 50 < on_edge < 250


def slope_along_curve(carrier: np.void, q: Quadratic, c: Cubic, v: float, w: float) -> float:
    """Of the depth along the curve of the only cut, whose gradient is by central differences."""
    h = 1e-4  # exact, as `beyond` is a quadratic
    out_v = (beyond_curves(carrier, v + h, w) - beyond_curves(carrier, v - h, w)) / (2 * h)
    out_w = (beyond_curves(carrier, v, w + h) - beyond_curves(carrier, v, w - h)) / (2 * h)
    near = with_cubic(q, c, v, w)
    by_v, by_w = near.v + 2.0 * near.vv * v + near.vw * w, near.w + 2.0 * near.ww * w + near.vw * v
    return float((by_w * out_v - by_v * out_w) / np.hypot(out_v, out_w))


def test_deepest_place_on_a_curve_is_on_it_and_level_along_it():
    """It is looked for by lines that touch the curve at a place before, and put on the curve once more at the end."""
    random, off, slopes, on_edge = np.random.default_rng(6), [], [], 0
    carrier, facet, chart = zeros_in_lines(1, CARRIER)[0], zeros_in_lines(1, FACET)[0], np.zeros(1, CHART)[0]
    facet["sag"] = 0.01
    for _ in range(600):
        q, c = summit_near_an_edge(random), Cubic(*(0.02 * random.normal(size=4)))
        carrier["cuts"], carrier["bent"], carrier["beyond"][0] = 1, 0, random.normal(size=3)
        carrier["bends"][0] = 0.1 * random.normal(size=3)
        found = settle(carrier, q, c, facet, chart, 0.0)
        if not found.depth > 0.0 or beyond_curves(carrier, found.v, found.w) < -1e-3:
            continue
        off.append(abs(beyond_curves(carrier, found.v, found.w)))
        if min(found.v, found.w, 1.0 - found.v - found.w) > 1e-9:
            slopes.append(abs(slope_along_curve(carrier, q, c, found.v, found.w)))
        else:
            on_edge += 1
    assert min(on_edge, len(slopes)) > 30
    assert np.quantile(off, 0.9) < 1e-10
    assert np.max(off) < 1e-7
    assert np.max(slopes) < 2e-3  # by the square of this the depth may be larger elsewhere


def test_depth_beside_a_curve_is_that_on_it_to_second_order():
    """Cut where v + u v/10 > 1/2, and deepest there: places along v beyond that place."""
    carrier, facet, listed = (zeros_in_lines(1, kind)[0] for kind in (CARRIER, FACET, LISTED))
    nodes, w, bent = zeros_in_lines(3, NODE), 0.2, 0.1
    carrier["cuts"], carrier["beyond"][0], carrier["bends"][0] = 1, [-0.5, 0.5, -0.5], [bent, 0.0, 0.0]
    b = 1.0 + bent * (1.0 - w)
    v = 1.0 / (b + np.sqrt(b * b - 2.0 * bent))  # v + bent (1 - v - w) v = 1/2
    bend_cuts(carrier, v, w)
    slope = 2.0, -2.0 * bent * v / (1.0 + bent * (1.0 - w - 2.0 * v))  # along the normal of the curve
    nodes["depth"], listed["nodes"], facet["ruling"] = [1.0, 1.0 + slope[0], 1.0 + slope[1]], [0, 1, 2], NO_CUBIC
    on_curve = 1.0 + slope[0] * v + slope[1] * w
    for off in (0.0, 0.02, 0.04):
        found = true_depth(carrier, nodes, listed, facet, Quadratic(1.0, *slope, 0.0, 0.0, 0.0), v + off, w)
        assert abs(found - on_curve) < 2.5 * bent * off**2 + 1e-12


def test_what_is_not_below_the_master_is_left_out_and_all_others_stay_as_they_are():
    """A carrier that is taken to be much deeper than the master below it says, with others before and behind it."""
    pair = PairOfMeshes(*(tessellate(SPHERE, (radius, 0.0, 0.0), 0.004) for radius in (0.03, 0.05)))
    rotation, offset = np.eye(3), (0.012, -0.007, 0.0775)
    carriers = pair.scratch.carriers
    carriers["depth"] = 0.0
    pair.patches(rotation, np.array(offset))
    n = int((carriers["depth"] > 0.0).sum())
    assert n > 4
    carriers["looks"], carriers["shares"] = 0, 0
    arguments = pair.pairs, pair.pairs.pairs[0], pair.surface, rotation, offset, carriers
    before = carriers[:n].copy()
    assert look_below_supports(*arguments, n) == (n, True)
    assert (carriers[:n] == before).all()
    carriers["looks"][2], carriers["shares"][2], carriers["depth"][2] = 1, 1, 0.01
    assert look_below_supports(*arguments, n) == (n - 1, False)
    assert (carriers[: n - 1] == np.delete(before, 2)).all()
