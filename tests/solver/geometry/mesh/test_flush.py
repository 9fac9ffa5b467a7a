"""Faces that lie in one plane, corners of a master, and meshes of few large triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.surface import build_surface
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX
from mesh_rig import box
from pair_of_meshes import PairOfMeshes, Wrench, turned
from scipy.optimize import linprog

DEPTH = 1e-4
HALF = np.array([0.05, 0.04, 0.03])
OFFSETS = (0.0, 1e-15, -1e-12, 1e-9, -1e-7, 1e-6, -1e-5, 4.95e-5, 9.9e-5, 1e-4, 1.01e-4, 2e-4, 1e-3)
AXES = turned(0.3, 0.8, -0.4), turned(-1.1, 0.2, 0.7)  # of slave and master in their meshes


def along_axes(slave: TriangleMesh, master: TriangleMesh, offset: np.ndarray) -> Wrench:
    """Of bodies with the same attitude, each with its mesh turned, so that rounding is everywhere."""
    meshes = (mesh.moved(axes, np.zeros(3)) for mesh, axes in zip((slave, master), AXES, strict=True))
    wrench = PairOfMeshes(*meshes).wrench(AXES[1] @ AXES[0].T, AXES[1] @ offset)
    return Wrench(AXES[0].T @ wrench.force, AXES[0].T @ wrench.moment, wrench.energy)


def channel(width: float, height: float, half: float, wall: float = 0.05) -> TriangleMesh:
    """A slot along y, its floor at z = 0, open at both ends and on top."""
    w, o = width / 2, width / 2 + wall
    section = np.array([[-o, -wall], [-w, -wall], [w, -wall], [o, -wall], [o, 0], [o, height], [w, height], [w, 0],
                        [-w, 0], [-w, height], [-o, height], [-o, 0]])  # fmt: skip
    ends = np.array([[0, 1, 8], [0, 8, 11], [1, 2, 7], [1, 7, 8], [2, 3, 4], [2, 4, 7], [7, 4, 5], [7, 5, 6],
                     [11, 8, 9], [11, 9, 10]])  # fmt: skip
    n = len(section)
    vertices = np.concatenate([np.c_[section[:, 0], np.full(n, y), section[:, 1]] for y in (-half, half)])
    here, there = np.arange(n), np.roll(np.arange(n), -1)
    sides = np.concatenate([np.c_[here, there + n, there], np.c_[here, here + n, there + n]])
    mesh = TriangleMesh(vertices, np.concatenate([ends, ends[:, ::-1] + n, sides]).astype(np.int64))
    a, b, c = np.moveaxis(mesh.corners(), 1, 0)
    inside_out = np.einsum("tk,tk->", a, np.cross(b, c)) < 0.0
    return mesh._replace(triangles=mesh.triangles[:, ::-1].copy()) if inside_out else mesh


@pytest.mark.parametrize("edges", [(1.0, 1.0), (0.013, 0.017)])
def test_stacked_boxes_push_straight_whatever_their_offset(edges):
    """Equal boxes on each other, their sides in one plane or a little off, in 12 triangles or many.

    A support at the end of the overlap moves with the offset, so that the energy changes by z/rho of it at most.
    """
    slave, master = (box(*HALF) if edge == 1.0 else tessellate(BOX, HALF, edge) for edge in edges)
    last = None
    for offset in OFFSETS:
        wrench = along_axes(slave, master, np.array([offset, offset / 2, 0.06 - DEPTH]))
        sideways = 1e-12 if abs(offset) < 1e-15 else 2e-3
        assert np.abs(wrench.force[:2]).max() <= sideways * wrench.force[2]
        assert np.abs(wrench.moment).max() <= (1e-12 + 3.0 * abs(offset)) * wrench.force[2]
        if last is not None:
            assert wrench.force[2] == pytest.approx(last, rel=1e-9 + 1e-3 * (abs(offset) > 1e-5) + 5.0 * abs(offset))
        last = wrench.force[2]


@pytest.mark.parametrize("pressed", [0, 2])
def test_block_in_a_slot_of_its_height_is_pushed_off_one_side_alone(pressed):
    """Against a wall or the floor; what it does not press on lies in the plane of its sides, or of its ends."""
    slot, block = channel(0.1, 0.06, 0.1), box(0.05, 0.1, 0.03)
    for along in OFFSETS:
        offset = np.array([0.0, along, 0.03])
        offset[pressed] += DEPTH if pressed == 0 else -DEPTH
        force = along_axes(block, slot, offset).force
        assert abs(force[pressed]) > 1.2 * DEPTH
        assert np.abs(np.delete(force, pressed)).max() < 1e-3 * abs(force[pressed])
        if abs(along) <= 1e-12:
            assert abs(force[1]) < 1e-12 * abs(force[pressed])


def test_slab_of_two_triangles_lies_on_a_small_box():
    """None of its vertices is near the box."""
    pair = PairOfMeshes(box(0.5, 0.6, 0.1), box(0.1, 0.1, 0.2))
    for x, y in ((0.0, 0.0), (0.1, 0.03), (-0.3, 0.2)):
        (patch,) = pair.patches(np.eye(3), np.array([x, y, 0.3 - DEPTH]))
        assert patch["deepest"] == pytest.approx(DEPTH, rel=1e-9)
        assert patch["normal"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
        assert patch["point"][:2] == pytest.approx([-x, -y], abs=1e-9)


@pytest.mark.parametrize("place", [(0.0, 0.0), (1e-9, 0.0), (0.04, 0.012), (-0.03, 0.05)])
def test_corner_of_the_master_in_a_large_face(place):
    """Its depth is the largest over the face of the least over three faces of the corner, a linear programme.

    At 0, 0 it is below an edge between two triangles.
    """
    corner = turned(0.1, 0.2, 0.7) @ turned(0.0, math.atan(math.sqrt(2.0)), 0.0) @ turned(0.0, 0.0, math.pi / 4)
    master, slab = box(0.1, 0.1, 0.1), box(0.25, 0.25, 0.05)
    top = max(master.vertices @ corner.T, key=lambda vertex: vertex[2])
    offset = np.array([top[0] + place[0], top[1] + place[1], top[2] - DEPTH + 0.05])
    (patch,) = PairOfMeshes(slab, master).patches(corner.T, corner.T @ offset)
    outward = corner * np.sign(corner.T @ top)  # normals of the three faces, columns
    below = np.array([0.0, 0.0, -DEPTH])  # the face, from the corner
    found = linprog([0.0, 0.0, -1.0], A_ub=np.c_[outward[:2].T, np.ones(3)], b_ub=-outward.T @ below,
                    bounds=[(None, None)] * 3)  # fmt: skip
    assert patch["depth"] == pytest.approx(-found.fun, rel=1e-6)
    assert patch["normal"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)


def test_sides_of_a_convex_face_are_found_and_of_others_not():
    surface = build_surface(channel(0.1, 0.06, 0.1))
    count = surface.charts["last_side"] - surface.charts["first_side"]
    normals = surface.facet_normals[surface.chart_triangles[surface.charts["first"]]]
    assert np.all(count[np.abs(normals[:, 1]) < 0.5] == 4)
    assert np.all(count[np.abs(normals[:, 1]) > 0.5] == 0)  # the ends are not convex
