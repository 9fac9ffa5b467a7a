"""Depths beside the signed distance of the master by brute force: none out of nothing, and no contact missed."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.division import divided
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surface
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX
from naive import mesh as naive
from naive.mesh_checks import MeshFaults, find_faults
from naive.mesh_pairs import windings
from pair_of_meshes import PairOfMeshes, turned

# outlines, counter-clockwise, and triangles that fill them
ANGLE = ((0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)), ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5))
TEE = (
    ((-0.5, 0), (0.5, 0), (0.5, 3), (2, 3), (2, 4), (-2, 4), (-2, 3), (-0.5, 3)),
    ((0, 1, 2), (0, 2, 7), (3, 4, 2), (2, 4, 7), (4, 5, 7), (5, 6, 7)),
)
CHANNEL = (
    ((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (4, 3), (4, 4), (0, 4)),
    ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 7), (4, 5, 6), (4, 6, 7)),
)


def prism(outline, triangles, height: float) -> TriangleMesh:
    plane, n = np.array(outline, float) - np.mean(outline, axis=0), len(outline)
    low, high = (np.c_[plane, np.full(n, z)] for z in (-height / 2, height / 2))
    ends = np.array(triangles)
    sides = [
        side for i in range(n) for side in ((i, (i + 1) % n, (i + 1) % n + n), (i, (i + 1) % n + n, i + n))
    ]  # fmt: skip
    return TriangleMesh(np.r_[low, high], np.r_[ends[:, ::-1], ends + n, sides].astype(np.int64))


def with_edges_below(longest: float, mesh: TriangleMesh) -> TriangleMesh:
    return divided(build_surface(mesh), mesh, FEATURE_ANGLE, True, longest)[1]


SHAPES = {
    "angle": lambda: prism(*ANGLE, 1.0),
    "tee": lambda: prism(*TEE, 1.3),
    "channel": lambda: prism(*CHANNEL, 0.8),
    "fine tee": lambda: with_edges_below(1.0, prism(*TEE, 1.3)),
    "plate": lambda: tessellate(BOX, (3.0, 2.5, 0.2), 9.0),
}


@cache
def shape(name: str) -> TriangleMesh:
    return SHAPES[name]()


def signed_distance(mesh: TriangleMesh, x: np.ndarray) -> float:
    """Negative inside."""
    return naive.nearest_point(mesh, x) * (1.0 if abs(windings(mesh, x)) < 0.5 else -1.0)


def samples_of(mesh: TriangleMesh) -> np.ndarray:
    """Corners, and points of edges."""
    corners = mesh.corners()
    part = np.linspace(0.0, 1.0, 12)[:-1, None, None, None]
    return np.unique(np.round((corners + part * (np.roll(corners, -1, axis=1) - corners)).reshape(-1, 3), 9), axis=0)


def touching(pair: PairOfMeshes, rotation: np.ndarray, away: np.ndarray, depth: float) -> np.ndarray | None:
    """Where the slave, brought near from afar, is found to be so deep; None if it passes by."""
    deepest = lambda way: max(pair.patches(rotation, way * away)["deepest"], default=0.0)  # noqa: E731
    outside, step = 6.5, 0.5 * depth
    for way in np.arange(6.5, -6.5, -0.02):
        if deepest(way) > depth:
            inside = way
            break
        outside = way
    else:
        return None
    while outside - inside > step:
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if deepest(middle) > depth else (inside, middle)
    return inside * away


@pytest.mark.parametrize("slave", SHAPES)
@pytest.mark.parametrize("master", SHAPES)
def test_no_depth_out_of_nothing_and_no_contact_missed(slave, master):
    pair, random = PairOfMeshes(shape(slave), shape(master)), np.random.default_rng(len(slave) + 9 * len(master))
    samples, judged = samples_of(shape(slave)), 0
    for target in (1e-4, 1e-2):
        rotation, away = turned(*random.normal(size=3)), random.normal(size=3)
        place = touching(pair, rotation, away / np.linalg.norm(away), target)
        if place is None:
            continue
        depths, points = pair.carriers(rotation, place)
        true = np.array([-signed_distance(shape(master), x) for x in points @ rotation.T + place])
        assert np.all(depths <= 1.02 * true + 1e-9)
        near = samples @ rotation.T + place
        low, high = shape(master).vertices.min(axis=0), shape(master).vertices.max(axis=0)
        within = near[((near > low) & (near < high)).all(axis=1)]
        # at a concave edge the distance is that of the edge, the depth that of one of the faces
        deepest = max((-signed_distance(shape(master), x) for x in within), default=0.0)
        assert depths.max() >= deepest / math.sqrt(2.0) - 1e-9
        judged += 1
    assert judged == 2


# ---- holes -----------------------------------------------------------------------------------------------------------


def rings(profile: list[tuple[float, float]], corners: int, closed: bool, square: int = 0) -> TriangleMesh:
    """About z: circles of (radius, z), the first ones squares; closed to a ring, or by fans at both ends."""
    angle = 2 * math.pi * np.arange(corners) / corners
    to_square = 1.0 / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle)))
    circles = [
        np.c_[r * s * np.cos(angle), r * s * np.sin(angle), np.full(corners, z)]
        for k, (r, z) in enumerate(profile)
        for s in [to_square if k < square else np.ones(corners)]
    ]
    count, k = len(profile), np.arange(corners)
    following = (k + 1) % corners
    faces = []
    for i in range(count if closed else count - 1):
        a, b = i * corners, (i + 1) % count * corners
        faces += [np.c_[a + k, a + following, b + following], np.c_[a + k, b + following, b + k]]
    vertices = np.concatenate(circles)
    if not closed:
        ends, last = len(vertices), (count - 1) * corners
        vertices = np.r_[vertices, [[0, 0, profile[0][1]], [0, 0, profile[-1][1]]]]
        faces += [np.c_[np.full(corners, ends), following, k]]
        faces += [np.c_[np.full(corners, ends + 1), last + k, last + following]]
    return TriangleMesh(vertices, np.concatenate(faces).astype(np.int64))


def pin(rows: int, half: float) -> TriangleMesh:
    return rings([(5.0, z) for z in np.linspace(-half, half, rows + 1)], 96, closed=False)


def plate_with_hole(rows: int) -> TriangleMesh:
    wall = [(5.2, z) for z in np.linspace(5.0, -5.0, rows + 1)]
    return rings([(15.0, -5.0), (15.0, 5.0), *wall], 96, closed=True, square=2)


@pytest.mark.parametrize("half", [5.2, 10.0])
@pytest.mark.parametrize(("rows_of_pin", "rows_of_hole"), [(1, 1), (8, 1), (1, 8)])
@pytest.mark.parametrize("slave", ["pin", "hole"])
def test_pin_in_a_hole_is_as_deep_as_it_is_off_the_middle(half, rows_of_pin, rows_of_hole, slave):
    """Ends of the pin outside and inside; a plane face round a hole does not stand into it with its chords."""
    parts = pin(rows_of_pin, half), plate_with_hole(rows_of_hole)
    pair = PairOfMeshes(*(parts if slave == "pin" else parts[::-1]))
    for depth in (1e-3, 2e-2):
        for angle in (0.0, 0.4, 1.31):
            offset = (0.2 + depth) * np.array([math.cos(angle), math.sin(angle), 0.0]) + [0.0, 0.0, 0.1]
            patches = pair.patches(np.eye(3), offset if slave == "pin" else -offset)
            assert len(patches) == 1
            assert patches["deepest"][0] == pytest.approx(depth, rel=1e-2, abs=4e-5)
            assert abs(patches["normal"][0, 2]) < 1e-3


def test_division_keeps_the_shape_and_makes_edges_short():
    whole = pin(1, 5.2)
    fine = with_edges_below(2.0, whole)
    assert np.linalg.norm(np.roll(fine.corners(), -1, axis=1) - fine.corners(), axis=2).max() <= 2.0
    assert find_faults(fine) == MeshFaults(0, 0, 0, 0)
    on_side = np.abs(fine.vertices[:, 2]) < 5.2 - 1e-9
    assert np.hypot(*fine.vertices[on_side, :2].T) == pytest.approx(5.0, abs=1e-5)
