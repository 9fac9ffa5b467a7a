"""Where a triangle that carries is deepest, with the cubics on its edges, beside a fine raster."""

from __future__ import annotations

import numpy as np
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.geometry.mesh.carriers import settle
from gsolve.solver.geometry.mesh.cubics import Cubic, value_of_cubic
from gsolve.solver.geometry.mesh.pair_records import CARRIER, FACET
from gsolve.solver.geometry.mesh.quadratics import Quadratic, value_at
from gsolve.solver.geometry.mesh.records import CHART

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


def test_deepest_place_is_that_of_the_cubic():
    """About an edge, where the cubic may move the place from the inside on it and back: no place is deeper."""
    random, (v, w) = np.random.default_rng(5), places_of_raster()
    carrier, facet, chart = zeros_in_lines(1, CARRIER)[0], zeros_in_lines(1, FACET)[0], np.zeros(1, CHART)[0]
    on_edge = 0
    for _ in range(300):
        q, c = summit_near_an_edge(random), Cubic(*(0.05 * random.normal(size=4)))
        found = settle(carrier, q, c, facet, chart, 0.0)
        depths = value_at(q, v, w) + value_of_cubic(c, v, w)
        there = value_at(q, found.v, found.w) + value_of_cubic(c, found.v, found.w)
        assert abs(found.depth - there) < 1e-6
        assert np.max(depths) - 1e-6 < there < np.max(depths) + (STEEP / RASTER) ** 2
        touching = Quadratic(*(float(value) for value in carrier["quadratic"]))
        assert abs(value_at(touching, found.v, found.w) - found.depth) < 1e-12
        on_edge += found.w == 0.0
    assert 50 < on_edge < 250
