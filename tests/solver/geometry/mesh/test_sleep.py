"""Which of the listed triangles wake, and what tells that a deepest place is astray."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.bodies import zeros_in_lines
from gsolve.solver.geometry.mesh.carriers import is_astray
from gsolve.solver.geometry.mesh.nodes import distance_aside
from gsolve.solver.geometry.mesh.pair_records import (
    CARRIER,
    DISTANCE,
    EXTENT,
    FACET,
    LISTED,
    NODE,
    PAIR,
    REST_ROWS,
    UNTIL,
    WIDTH,
)
from gsolve.solver.geometry.mesh.records import PLANE_CHART, SMOOTH
from gsolve.solver.geometry.mesh.sleep import BITS, begin_rest, due_of
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import SPHERE
from mesh_rig import irregular_torus
from pair_of_meshes import PairOfMeshes


def numbers_of_bits(bits: int) -> list[int]:
    return [i for i in range(BITS) if bits >> i & 1]


@pytest.mark.parametrize("count", [1, 2, 7, 31, 32, 63, 64])
def test_those_that_are_due_and_those_that_stay_awake(count):
    """Also where nothing is known of the way: what cannot be compared does not sleep."""
    random = np.random.default_rng(count)
    for way, about in ((0.5, 0.25), (0.0, 0.0), (np.nan, 0.0)):
        rests = random.uniform(0.0, 1.5, (3, 200))
        rests[0, random.random(200) < 0.3] = -np.inf
        rests[0, random.random(200) < 0.1] = 0.0
        rests[0, random.random(200) < 0.1] = np.nan
        due, awake = due_of(rests, 71, count, way, about)
        own = rests[:, 71 : 71 + count]
        assert numbers_of_bits(due) == np.flatnonzero(~(way + about * own[1] < own[0])).tolist()
        assert numbers_of_bits(awake) == np.flatnonzero(np.isneginf(own[0])).tolist()


@pytest.mark.parametrize("deep", [0, 1])
def test_a_rest_begins_with_how_far_a_triangle_reaches_from_the_axis(deep):
    """No corner is further from it; what nothing pushes against may also turn as far as the pair reaches."""
    random, rests = np.random.default_rng(5), np.zeros((REST_ROWS, 3))
    pair, facet, listed = (zeros_in_lines(1, record)[0] for record in (PAIR, FACET, LISTED))
    for _ in range(20):
        axis, centre = random.normal(size=(2, 3))
        axis /= np.linalg.norm(axis)
        corners, sag, left = random.normal(size=(3, 3)), random.uniform(0.0, 0.1), random.uniform(0.0, 1.0)
        pair["axis"], pair["centre"], pair["reach"], pair["way"], pair["about"] = axis, centre, 2.0, 0.3, 0.2
        facet["corners"], facet["middle"], facet["sag"] = corners, corners.mean(axis=0), sag
        listed["deep"], listed["left"] = deep, left
        begin_rest(rests, 1, listed, facet, pair)
        width = np.linalg.norm(np.cross(corners - facet["middle"], axis), axis=1).max() + sag
        extent = np.linalg.norm(np.cross(facet["middle"] - centre, axis)) + width
        distance = max(extent, 2.0) if deep else extent
        found = rests[[WIDTH, EXTENT, DISTANCE, UNTIL], 1]
        np.testing.assert_allclose(found, [width, extent, distance, 0.3 + 0.2 * distance + left], rtol=1e-14)
        assert np.linalg.norm(np.cross(corners - centre, axis), axis=1).max() + sag <= extent * (1.0 + 1e-14)
    assert not rests[:, [0, 2]].any()


def test_how_far_a_place_is_aside_of_its_triangle():
    surface, random = build_surface(irregular_torus(24, 12)), np.random.default_rng(4)
    for triangle in random.integers(0, len(surface.triangles), 20):
        record, x = surface.triangles[triangle], random.normal(size=3)
        a, b, c = surface.vertices["position"][record["corners"]]
        longest = max(np.linalg.norm(b - a), np.linalg.norm(c - a))
        assert record["kind"] == SMOOTH
        found = distance_aside(surface, record, tuple(x))
        assert found == pytest.approx(np.linalg.norm(x - (a + b + c) / 3.0) - longest, abs=1e-14)
    plane = record.copy()
    plane["kind"] = PLANE_CHART
    assert distance_aside(surface, plane, tuple(x)) == -np.inf


@pytest.mark.parametrize(("place", "corner"), [((0.1, 0.1), 0), ((0.8, 0.1), 1), ((0.1, 0.8), 2)])
def test_a_deepest_place_is_astray_by_the_node_it_is_nearest_to(place, corner):
    nodes, listed, facet = zeros_in_lines(3, NODE), zeros_in_lines(1, LISTED)[0], zeros_in_lines(1, FACET)[0]
    carrier = zeros_in_lines(1, CARRIER)[0]
    listed["nodes"], carrier["place"], carrier["depth"], facet["radius"] = (2, 0, 1), place, 0.1, 1.0
    nodes["aside"], nodes["cell"] = -np.inf, 0.5
    node = nodes[listed["nodes"][corner]]
    for aside, astray in ((3.59, False), (3.61, True)):  # depth, three radii and a cell
        node["aside"] = aside
        assert is_astray(carrier, listed, nodes, facet) == astray
    node["aside"] = -np.inf
    nodes["aside"][listed["nodes"][corner - 1]] = np.inf
    assert not is_astray(carrier, listed, nodes, facet)


def test_nodes_know_how_far_their_points_are_aside_of_their_feet():
    radii = 0.03, 0.05
    pair = PairOfMeshes(*(tessellate(SPHERE, (radius, 0.0, 0.0), 0.15 * radius) for radius in radii))
    assert len(pair.patches(np.eye(3), np.array([0.011, 0.002, 0.0789]))) == 1
    held = pair.pairs.pairs[0]
    first = held["first"] + held["turn"] * held["capacity"]
    nodes = pair.pairs.nodes[first : first + held["nodes"]]
    assert len(nodes) > 20
    for node in nodes:
        foot = pair.surface.triangles[node["foot"]]
        assert node["aside"] == distance_aside(pair.surface, foot, tuple(node["at"])) < 0.0
