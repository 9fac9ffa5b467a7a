"""Welding, defects, pieces and charts of meshes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.defects import Defects, Spot, find_defects, without_collapsed
from gsolve.solver.geometry.mesh.pieces import count_charts, pieces_of, separate_fans, winding_number
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh, edges_of
from gsolve.solver.geometry.mesh.weld import weld
from mesh_samples import CUBE_FACES, as_set, box, mesh_of, shifted, sphere, tetrahedron, together, torus, triangle_soup
from naive.mesh_checks import MeshFaults, find_faults

SOUND = [
    tetrahedron(),
    box(1.0, 2.0, 3.0),
    sphere(3),
    torus(3.0, 1.0, 24, 12),
    together(sphere(1), shifted(sphere(1), 3, 0, 0)),
]
CUBE = box(2.0, 2.0, 2.0)


def apart(mesh: TriangleMesh, shake: float = 0.0, seed: int = 0) -> TriangleMesh:
    """Each triangle with three vertices of its own, moved by at most `shake` in each coordinate."""
    corners = mesh.corners() + np.random.default_rng(seed).uniform(-shake, shake, (len(mesh.triangles), 3, 3))
    return TriangleMesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


# Welding


@pytest.mark.parametrize("mesh", SOUND)
def test_triangles_with_corners_of_their_own_hang_together_again(mesh):
    for shake in (0.0, 2e-7):
        found = weld(apart(mesh, shake), 1e-6)
        assert len(found.vertices) == len(mesh.vertices) and find_faults(found) == MeshFaults(0, 0, 0, 0)
        np.testing.assert_allclose(found.corners(), mesh.corners(), atol=1e-6)


def test_what_is_further_apart_than_the_tolerance_stays_apart():
    assert len(weld(apart(box(1, 1, 1), 1e-4), 1e-6).vertices) == 36
    pair = together(tetrahedron(), shifted(tetrahedron(), 1.1e-6, 0, 0))
    assert len(weld(pair, 1e-6).vertices) == 8
    assert len(weld(pair, 1.2e-6).vertices) == 4


def test_vertices_of_no_triangle_are_left_out_and_zeros_have_no_sign():
    mesh = tetrahedron()
    stray = TriangleMesh(np.vstack([[[9.0, 9.0, 9.0]], mesh.vertices]), mesh.triangles + 1)
    assert as_set(weld(stray, 0.0)) == as_set(mesh) and len(weld(stray, 0.0).vertices) == 4
    signs = apart(mesh)
    signs.vertices[::2][signs.vertices[::2] == 0.0] = -0.0
    assert len(weld(signs, 0.0).vertices) == 4


def test_triangles_that_lose_a_corner_leave_the_surface_closed():
    """An edge of a box is cut by a vertex next to its end: two needles go."""
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (8, 4, 5, 1, 0), (2, 3, 7, 6), (8, 0, 2, 6, 4), (1, 5, 7, 3)]
    cut = mesh_of([*CUBE.vertices, CUBE.vertices[0] + [1e-9, 0, 0]], faces)
    found, spot = without_collapsed(weld(cut, 1e-6))
    assert spot == Spot(2, pytest.approx(CUBE.vertices[0]))
    assert find_faults(found) == MeshFaults(0, 0, 0, 0) and len(found.triangles) == 12
    same, nothing = without_collapsed(CUBE)
    assert same is CUBE and nothing is None


# Defects


@pytest.mark.parametrize("mesh", SOUND)
def test_sound_meshes_have_no_defects(mesh):
    assert find_defects(mesh) == Defects()


def test_a_hole_is_told_with_its_rim():
    ball = sphere(3)
    middles = ball.corners().mean(axis=1)
    cap = middles[:, 2] > 0.9
    holes = find_defects(TriangleMesh(ball.vertices, ball.triangles[~cap])).holes
    rim = edges_of(TriangleMesh(ball.vertices, ball.triangles[cap]))
    ends = ball.vertices[rim.ends[rim.first[rim.valence == 1]]]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum()
    assert (holes.edges, holes.loops, holes.loop_edges, holes.on_edges) == (len(ends), 1, len(ends), None)
    assert holes.loop_length == pytest.approx(length) and holes.place[2] > 0.8
    both = find_defects(TriangleMesh(ball.vertices, ball.triangles[~cap & (middles[:, 2] > -0.9)])).holes
    assert (both.edges, both.loops) == (2 * len(ends), 2)


def test_vertices_on_edges_make_a_hole_a_crack():
    halved = mesh_of([*CUBE.vertices, (0, -1, 1)], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 8, 1), *CUBE_FACES[3:]])
    holes = find_defects(halved).holes
    assert (holes.edges, holes.on_edges.number) == (3, 1)
    assert holes.on_edges.place.tolist() == [0, -1, 1]
    beside = mesh_of([*CUBE.vertices, (-1, -1, 1.001)], [*CUBE_FACES[:5], (8, 5, 7, 3)])
    assert find_defects(beside).holes.on_edges.number == 2
    torn = weld(apart(sphere(2), 1e-5), 1e-6)
    assert find_defects(torn).holes.on_edges.number > 100


def test_edges_of_three_triangles_and_double_triangles_are_told():
    wall = mesh_of(CUBE.vertices, [*CUBE_FACES, (0, 1, 7, 6)])
    assert find_defects(wall).crowded.number == 4 and find_defects(wall).holes is None
    double = TriangleMesh(CUBE.vertices, np.vstack([CUBE.triangles, CUBE.triangles[3, [2, 1, 0]]]))
    found = find_defects(double)
    assert found == Defects(repeated=Spot(1, pytest.approx(CUBE.corners()[3].mean(axis=0))))


@pytest.mark.parametrize("turned", [1, 5, 60])
def test_the_fewest_triangles_that_face_the_wrong_way_are_counted(turned):
    mesh = torus(3.0, 1.0, 16, 8)
    triangles = mesh.triangles.copy()
    chosen = np.random.default_rng(2).choice(len(triangles), turned, replace=False)
    triangles[chosen] = triangles[chosen][:, ::-1]
    found = find_defects(TriangleMesh(mesh.vertices, triangles))
    assert found.turned.number == turned and not found.turned.one_sided
    assert found.holes is None and found.crowded is None


def test_a_surface_with_one_side_cannot_be_turned():
    """A Klein bottle: a torus whose ends are joined mirror-inverted."""
    n, m, faces = 12, 8, []
    for i in range(n):
        for j in range(m):
            a, b = (i, j), (i, (j + 1) % m)
            c, d = ((i + 1, j), (i + 1, (j + 1) % m)) if i + 1 < n else ((0, -j % m), (0, (-j - 1) % m))
            faces.append([k * m + l for k, l in (a, c, d, b)])
    points = np.random.default_rng(0).normal(size=(n * m, 3))
    assert find_defects(mesh_of(points, faces)).turned.one_sided


def test_flat_triangles_are_told_and_the_mesh_stays_usable():
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 8, 4), (0, 4, 5, 1), (2, 3, 7, 6), (8, 0, 2, 6, 4), (1, 5, 7, 3)]
    found = find_defects(mesh_of([*CUBE.vertices, (0, -1, -1)], faces))
    assert found == Defects(flat=Spot(1, pytest.approx([0, -1, -1]))) and not found.unsound


# Pieces


def test_a_cavity_faces_into_itself_and_a_nested_solid_does_not():
    outer, inner = box(4, 4, 4), box(2, 2, 2)
    hollow = pieces_of(together(outer, inner.turned()))
    assert hollow.volumes == pytest.approx([64, -8]) and hollow.depths.tolist() == [0, 1]
    ball_in_it = pieces_of(together(outer, inner.turned(), sphere(2, 0.5), shifted(inner, 9, 0, 0)))
    assert ball_in_it.depths.tolist() == [0, 1, 2, 0]
    ring = pieces_of(together(torus(3, 1, 24, 12), sphere(1)))
    assert ring.depths.tolist() == [0, 0]


@pytest.mark.parametrize("mesh", SOUND[:4])
def test_winding_numbers(mesh):
    inside = mass_properties(mesh, 1.0).centre + ([3.0, 0, 0] if mesh is SOUND[3] else [0, 0, 0])
    assert winding_number(mesh.corners(), inside) == pytest.approx(1.0, abs=1e-12)
    assert winding_number(mesh.turned().corners(), inside) == pytest.approx(-1.0, abs=1e-12)
    assert winding_number(mesh.corners(), np.array([9.0, 8.0, 7.0])) == pytest.approx(0.0, abs=1e-12)


def test_solids_that_touch_in_a_vertex_get_a_vertex_each():
    touching = weld(together(CUBE, shifted(CUBE, 2, 2, 2)), 0.0)
    assert len(touching.vertices) == 15
    found = separate_fans(touching)
    assert len(found.vertices) == 16 and as_set(found) == as_set(touching)
    assert pieces_of(found).depths.tolist() == [0, 0]
    assert separate_fans(CUBE) is CUBE


@pytest.mark.parametrize(("angle", "charts"), [(91.0, 1), (90.0, 1), (89.0, 6)])
def test_charts_of_a_box_end_at_its_edges(angle, charts):
    assert count_charts(box(1, 2, 3), math.radians(angle)) == charts
    prism = 12
    turn = 2 * np.pi / prism * np.arange(prism)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = np.vstack([np.column_stack([ring, np.full(prism, z)]) for z in (0, 1)])
    sides = [(k, (k + 1) % prism, prism + (k + 1) % prism, prism + k) for k in range(prism)]
    cylinder = mesh_of(points, [*sides, range(prism, 2 * prism), range(prism - 1, -1, -1)])
    assert find_defects(cylinder) == Defects()
    assert count_charts(cylinder, math.radians(40.0)) == 3 and count_charts(cylinder, math.radians(29.0)) == 14


def test_a_soup_of_triangles_has_as_many_holes():
    holes = find_defects(triangle_soup(40, 1)).holes
    assert (holes.edges, holes.loops, holes.loop_edges) == (120, 40, 3)


def test_turning_scaling_and_moving():
    mesh = sphere(1)
    assert mass_properties(mesh.turned(), 1.0).volume == -mass_properties(mesh, 1.0).volume
    assert mass_properties(mesh.scaled(2.0), 1.0).volume == pytest.approx(8 * mass_properties(mesh, 1.0).volume)
    assert mesh.turned().triangles[:, 0].tolist() == mesh.triangles[:, 0].tolist()
    assert box(3, 4, 12).size() == pytest.approx(13) and box(3, 4, 12).bounds().tolist() == [
        [-1.5, -2, -6],
        [1.5, 2, 6],
    ]
    assert sorted(set(np.round(box(3, 4, 12).sides().ravel(), 6)))[:2] == [3, 4]
