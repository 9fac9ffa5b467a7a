"""Bundles of boxes and triangles: each box and each triangle is in one, and what is found in it is found one by one."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.jit.bits import lowest_bit
from gsolve.solver.core.jit.kernels import kernel
from gsolve.solver.geometry.mesh.box_tree import LEAF
from gsolve.solver.geometry.mesh.bundles import (
    CHANGE,
    CORNERS,
    HIGH,
    LOW,
    NORMAL,
    OFF,
    PLACED_ROWS,
    ROWS,
    WAY,
    Bundles,
    facing,
    near,
    place_boxes,
    place_triangles,
)
from gsolve.solver.geometry.mesh.pairs import made_ready, pairs_of
from gsolve.solver.geometry.mesh.pooling import pooled
from gsolve.solver.geometry.mesh.records import NONE, MeshSurface
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surfaces
from gsolve.solver.geometry.mesh.sweep import OPPOSED, sweep
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX, CYLINDER, SPHERE
from mesh_samples import box, torus, triangle_soup
from naive import mesh_search as naive
from pair_of_meshes import PairOfMeshes, turned

MESHES = {
    "box": [box(1.0, 0.8, 0.5)],
    "ball": [tessellate(SPHERE, (0.05, 0.0, 0.0), 0.003)],
    "both, and a large one": [
        box(1.0, 0.8, 0.5),
        tessellate(SPHERE, (0.05, 0.0, 0.0), 0.003),
        tessellate(CYLINDER, (0.05, 0.1, 0.0), 0.0015),
    ],
}


def bundled(meshes: list[TriangleMesh]) -> tuple[MeshSurface, Bundles]:
    surface = pooled(build_surfaces(meshes, [FEATURE_ANGLE] * len(meshes), [True] * len(meshes)))
    return surface, made_ready(surface).bundles


@pytest.mark.parametrize("meshes", MESHES.values(), ids=MESHES)
def test_bundles_hold_each_triangle_once_and_each_box_that_has_one_below_a_root(meshes):
    surface, (rows, members, counts, charts, of_box) = bundled(meshes)
    boxes = surface.boxes
    is_leaf = boxes["child"] == NONE
    leaves = is_leaf.sum()
    own = [members[k, : counts[k]] for k in range(len(counts))]
    assert counts.min() > 0 and counts.max() <= LEAF
    np.testing.assert_array_equal(np.sort(np.concatenate(own[:leaves])), np.arange(len(surface.triangles)))
    assert sorted(of_box[of_box != NONE]) == list(range(len(counts)))
    roots = surface.meshes["first_box"]
    assert (of_box[roots] != NONE).all() and (of_box[is_leaf] < leaves).all()
    held = np.concatenate([*own[leaves:], roots])
    np.testing.assert_array_equal(np.sort(held), np.flatnonzero(of_box != NONE))
    for k in np.flatnonzero((of_box != NONE) & ~is_leaf):
        inside = own[of_box[k]]
        assert (boxes["first"][inside].min(), boxes["last"][inside].max()) == (boxes["first"][k], boxes["last"][k])
    if len(boxes) > 200:
        assert counts[leaves:].mean() > 6.0
    of_triangle = surface.triangles["chart"]
    for k in range(leaves):
        several = len(set(of_triangle[own[k]])) > 1
        assert charts[k] == (NONE if several else of_triangle[own[k][0]])
    assert rows.shape == (len(counts), ROWS * LEAF)
    assert all(array.dtype == np.int64 for array in (members, counts, charts, of_box))  # as kernels are compiled for


def three(rows: np.ndarray, row: int) -> np.ndarray:
    """(LEAF, 3)"""
    return rows.reshape(-1, LEAF)[row : row + 3].T


def bits_of(found: np.ndarray) -> int:
    return sum(1 << int(k) for k in np.flatnonzero(found))


def test_what_is_near_a_box_has_no_gap_to_it():
    random, numbers = np.random.default_rng(1), set()
    _, bundles = bundled(MESHES["ball"])
    for bundle in random.integers(len(bundles.counts), size=300):
        rows, count = bundles.rows[bundle], int(bundles.counts[bundle])
        at, half = random.uniform(-0.05, 0.05, 3), random.uniform(0.0, 0.03, 3)
        bits = near(rows, count, tuple(at - half), tuple(at + half))
        assert bits == bits_of(naive.are_near(three(rows, LOW), three(rows, HIGH), at, half)[:count])
        numbers.add(bits.bit_count())
    assert {0, 1, 5} <= numbers and max(numbers) > 10


def test_faced_triangles_are_opposed_and_their_planes_reached():
    random, found = np.random.default_rng(2), 0
    for seed in range(20):
        rows = bundled([triangle_soup(LEAF, seed)])[1].rows[0]
        placed = random.normal(size=PLACED_ROWS * LEAF)
        placed[OFF * LEAF :][:LEAF] = random.uniform(0.0, 0.3, LEAF)
        up, base = three(rows, NORMAL), three(rows, CORNERS)
        sag = rows.reshape(-1, LEAF)[OFF]
        for i in range(LEAF):
            corners = np.stack([three(placed, CORNERS + 3 * k)[i] for k in range(3)])
            normal, way, change = (three(placed, row)[i] for row in (NORMAL, WAY, CHANGE))
            off = placed.reshape(-1, LEAF)[OFF, i] + sag
            opposed = up @ normal + np.minimum(0.0, up @ change) <= OPPOSED
            wanted = opposed & naive.reach_planes(corners, way, base, up, off)
            assert facing(rows, placed, i, OPPOSED) == bits_of(wanted)
            found += wanted.sum()
    assert 300 < found < 0.9 * 20 * LEAF * LEAF


@kernel
def places_of_bits(bits):  # type: ignore[no-untyped-def]
    """How many bits there are, and the sum of their places."""
    number = total = 0
    while bits != 0:
        total += lowest_bit(bits)
        bits &= bits - 1
        number += 1
    return number, total


def test_bits_are_found_from_the_lowest_one():
    assert places_of_bits(0) == (0, 0)
    assert places_of_bits(1) == (1, 0)
    assert places_of_bits(1 << 62 | 1 << 15 | 1 << 3) == (3, 80)


# ---- the slave on its course --------------------------------------------------------------------------------------


def with_course(pair: np.void, random: np.random.Generator) -> None:
    axis = random.normal(size=3)
    pair["axis"], pair["course_turn"] = axis / np.linalg.norm(axis), random.uniform(0.0, 0.045)
    pair["course"], pair["slack"] = random.normal(size=3) * pair["margin"], pair["margin"]


def test_bounds_hold_all_of_the_course():
    """Boxes and triangles, their corners and normals; bounds are no wider than twice what is needed.

    But for the slack, and what boxes may turn off their course: by their size and a bound on all angles.
    """
    random = np.random.default_rng(3)
    surface, bundles = bundled(MESHES["ball"])
    pair = pairs_of(made_ready(surface), [(0, 0)]).pairs[0]
    leaves = (surface.boxes["child"] == NONE).sum()
    placed = np.zeros(PLACED_ROWS * LEAF)
    for bundle in random.integers(len(bundles.counts), size=60):
        with_course(pair, random)
        rotation, offset = turned(*random.normal(size=3)), random.normal(size=3) * 0.1
        rows, many = bundles.rows[bundle], np.linspace(0.0, 1.0, 9)
        (place_triangles if bundle < leaves else place_boxes)(pair, rows, rotation, tuple(offset), placed)
        low, high = three(placed, LOW), three(placed, HIGH)
        if bundle < leaves:
            corners = [three(rows, CORNERS + 3 * k) for k in range(3)]
            for k in range(3):
                np.testing.assert_allclose(three(placed, CORNERS + 3 * k), corners[k] @ rotation.T + offset, atol=1e-15)
            change = pair["course_turn"] * np.cross(pair["axis"], three(rows, NORMAL)) @ rotation.T
            np.testing.assert_allclose(three(placed, CHANGE), change, atol=1e-15)
            np.testing.assert_allclose(three(placed, NORMAL), three(rows, NORMAL) @ rotation.T, atol=1e-15)
        else:
            ends = three(rows, LOW), three(rows, HIGH)
            corners = [np.stack([ends[c >> k & 1][:, k] for k in range(3)], axis=1) for c in range(8)]
        places = np.array([[naive.on_course(pair, c, rotation, offset, part) for c in corners] for part in many])
        least, most = places.min(axis=(0, 1)), places.max(axis=(0, 1))
        off = 0.999 * pair["slack"] + (rows.reshape(-1, LEAF)[OFF, :, None] if bundle < leaves else 0.0)
        assert (low <= least - off).all() and (high >= most + off).all()
        off = off + (
            0.0 if bundle < leaves else 0.06 * np.linalg.norm(three(rows, HIGH) - three(rows, LOW), axis=1)[:, None]
        )
        assert (high - low <= 2.0 * (most - least) + 4.0 * off).all()


SHAPES = {
    "balls": (tessellate(SPHERE, (0.03, 0.0, 0.0), 0.004), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.005)),
    "box on a torus": (tessellate(BOX, (0.03, 0.02, 0.025), 0.006), torus(0.05, 0.02, 60, 24)),
    "two triangles a face": (box(0.03, 0.02, 0.025), tessellate(SPHERE, (0.05, 0.0, 0.0), 0.004)),
    "on two triangles a face": (tessellate(SPHERE, (0.03, 0.0, 0.0), 0.003), box(0.05, 0.04, 0.03)),
}


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_sweep_finds_all_that_comes_near_on_the_course_and_faces_it(shapes):
    """Beside all pairs of points of the two meshes; what is on the list already is left out, and it only."""
    random, expected, number = np.random.default_rng(4), 0, 0
    pair = PairOfMeshes(*shapes)
    pairs, record = pair.pairs, pair.pairs.pairs[0]
    first = int(pair.surface.meshes["first_triangle"][1])
    pair.patches(np.eye(3), np.array([1.0, 0.0, 0.0]))  # has room for seeds
    seeds = pairs.seeds
    for _ in range(12):
        with_course(record, random)
        rotation, direction = turned(*random.normal(size=3)), random.normal(size=3)
        direction /= np.linalg.norm(direction)
        reach = (shapes[0].vertices @ rotation.T @ direction).min()
        offset = direction * ((shapes[1].vertices @ direction).max() - reach - 0.5 * record["margin"])
        wanted = naive.facing_pairs(record, pairs.facets, first, rotation, offset, OPPOSED)
        listed = dict(item for item in sorted(wanted) if random.random() < 0.3)
        pairs.marks[list(listed)] = list(listed.values())
        n = sweep(pairs, record, pair.surface, rotation, tuple(offset), pair.scratch.stack, pair.scratch.placed)
        pairs.marks[:] = NONE
        assert n >= 0
        found = set(zip(seeds["triangle"][:n].tolist(), seeds["chart"][:n].tolist(), strict=True))
        assert wanted - set(listed.items()) <= found
        assert not found & set(listed.items())
        expected, number = expected + len(wanted) - len(listed), number + n
    assert 30 < expected <= number < 8 * expected
