"""Where a triangle that carries is deepest, with the cubics on its edges; and what is looked for with little memory."""

from __future__ import annotations

import numpy as np
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.geometry.mesh.carriers import settle
from gsolve.solver.geometry.mesh.cubics import Cubic, value_of_cubic
from gsolve.solver.geometry.mesh.pair_records import CARRIER, FACET
from gsolve.solver.geometry.mesh.quadratics import Quadratic, value_at
from gsolve.solver.geometry.mesh.records import CHART
from gsolve.solver.geometry.mesh.sweep import FIRST_CANDIDATE, sweep
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import SPHERE
from pair_of_meshes import PairOfMeshes, turned

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
    """About an edge, where the cubic may move the place from the inside on it and back, beside a fine raster.

    Nothing is deeper than is found, but for steps towards places within that are left out: these are of third order.
    """
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


def test_search_says_where_its_memory_is_too_short_and_leaves_what_is_behind():
    ball, larger = (tessellate(SPHERE, (r, 0.0, 0.0), 0.12 * r) for r in (0.03, 0.05))
    pair, rotation, offset = PairOfMeshes(ball, larger), turned(0.1, 0.2, 0.3), (0.0, 0.0, 0.0799)
    pair.patches(rotation, np.array(offset))
    found = []
    for size in range(FIRST_CANDIDATE + 4, FIRST_CANDIDATE + 200):
        memory = np.full(size + 64, -7)
        found.append(
            sweep(pair.pairs, pair.pairs.pairs[0], pair.surface, rotation, offset, memory[:size], pair.scratch.placed)
        )
        assert (memory[size:] == -7).all()
    assert found == sorted(found)
    assert found[0] == -1 < found[-1]
    assert set(found) == {-1, found[-1]}
