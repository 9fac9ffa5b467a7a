"""Smooth surfaces of meshes: orders, exactness, derivatives, continuity, and what bad meshes are given."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.geometry.mesh.height_fit import Ring, near_part
from gsolve.solver.geometry.mesh.patch import Slopes, bend, parts_of, second_bend
from gsolve.solver.geometry.mesh.pooling import pooled
from gsolve.solver.geometry.mesh.records import FACETS, NONE, PLANE_CHART, no_surface
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surface, build_surfaces
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.mesh.vertex_normals import ENOUGH, gather_ring, rings
from gsolve.solver.geometry.surface_point import NO_EDGE, added, applied, symmetric
from mesh_rig import (
    Flank,
    box,
    cone,
    cone_field,
    cylinder_field,
    ends_of_reach,
    evaluated,
    irregular_ellipsoid,
    irregular_torus,
    points_on,
    prism,
    renumbered,
    rounded_box,
    rounded_box_field,
    sphere_field,
    stadium,
    stadium_field,
    torus_field,
    with_needles,
)
from naive import mesh as naive
from scipy.spatial.transform import Rotation

ELLIPSOID = (1.0, 0.7, 0.5)
TURN = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()


def near(surface, mesh, number, depth, seed=0, among=None):
    """Starts, and points up to a depth below and above facets."""
    random = np.random.default_rng(seed)
    starts, points = points_on(mesh, number, random, among)
    return starts, points + random.uniform(-depth, depth, (number, 1)) * surface.facet_normals[starts]


def errors(mesh, field, depth=1e-3, number=1500, seed=0, among=None):
    """Root mean square errors of heights and of normals."""
    surface = build_surface(mesh)
    starts, points = near(surface, mesh, number, depth, seed, None if among is None else among(surface))
    found = evaluated(surface, starts, points)
    phi, normal = field(points)
    return np.sqrt(np.mean((found.phi - phi) ** 2)), np.sqrt(np.mean(np.sum((found.normal - normal) ** 2, axis=1)))


def side(surface):
    """Triangles of the side of a cylinder."""
    return np.flatnonzero(abs(surface.facet_normals[:, 2]) < 0.5)


# ---- accuracy -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coarse", "fine", "field"),
    [
        (irregular_ellipsoid(642), irregular_ellipsoid(2562), sphere_field),
        (irregular_torus(32, 16), irregular_torus(64, 32), torus_field),
    ],
    ids=["sphere", "torus"],
)
def test_heights_are_of_fourth_and_normals_of_third_order_on_irregular_meshes(coarse, fine, field):
    (phi, normal), (phi_fine, normal_fine) = errors(coarse, field), errors(fine, field)
    assert np.log2(phi / phi_fine) > 3.7
    assert np.log2(normal / normal_fine) > 2.7


def test_a_sphere_of_1280_triangles_is_met_to_some_millionths_of_its_radius():
    assert errors(irregular_ellipsoid(642), sphere_field)[0] < 5e-6


def test_flanks_of_helical_gears_are_met_to_a_hundredth_of_a_micrometre():
    """Module 2 mm, 16 segments a flank: flat facets are off by half a micrometre."""
    flank = Flank(np.radians(20.0))
    mesh = flank.mesh(16)
    phi, normal = errors(mesh, flank.field, among=lambda surface: flank.among(mesh))
    assert phi < 1e-5
    assert normal < 2e-4


@pytest.mark.parametrize(("sides", "layers"), [(16, 1), (32, 1), (64, 1), (512, 1), (64, 5)])
def test_a_prism_is_a_cylinder_with_errors_of_fourth_order_however_few_its_layers(sides, layers):
    """The sagitta of a chord is (pi/n)^2/2; of the arcs a Hermite cubic misses some thousandth of its square."""
    phi, normal = errors(prism(sides, layers=layers), cylinder_field, among=side)
    assert phi < 0.2 * (np.pi / sides) ** 4 / 2
    assert normal < 0.5 * (np.pi / sides) ** 3


def test_the_tip_of_a_cone_keeps_the_normals_of_its_facets():
    phi, normal = errors(cone(64, 4), cone_field, among=lambda surface: np.flatnonzero(surface.facet_normals[:, 2] > 0))
    assert phi < 1e-4
    assert normal < 5e-3


def test_normals_at_vertices_are_those_of_least_squares():
    mesh = irregular_ellipsoid(642, ELLIPSOID)
    surface = build_surface(mesh)
    positions, normals = surface.vertices["position"], surface.vertices["normal"]

    class Wedges:
        wedges, sources = surface.triangles["corners"], np.empty(len(positions), np.int64)

    Wedges.sources[Wedges.wedges] = mesh.triangles

    first, neighbours = rings(Wedges)
    seen, ring = np.full(len(positions), -1), np.zeros(len(positions), np.int64)
    for vertex in range(0, len(positions), 80):
        count = gather_ring(vertex, ENOUGH, first, neighbours, seen, ring)
        count = near_part(Ring(positions, vertex, ring, count), np.empty(len(positions)))
        expected = naive.fitted_normal(positions, ring[:count], vertex, normals[vertex])
        np.testing.assert_allclose(normals[vertex], expected, atol=2e-5)


# ---- planes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotation", [np.eye(3), TURN], ids=["upright", "turned"])
def test_a_box_has_exact_faces(rotation):
    mesh = box(1.0, 1.1, 0.2).moved(rotation, [0.0, 0.0, 0.0])
    surface = build_surface(mesh)
    assert len(surface.charts) == 6
    assert np.all(surface.charts["kind"] == PLANE_CHART)
    starts, points = near(surface, mesh, 500, 0.3)
    found = evaluated(surface, starts, points)
    outwards = np.round(surface.facet_normals[starts] @ rotation)
    expected = np.sum(outwards * (points @ rotation) - abs(outwards) * [1.0, 1.1, 0.2], axis=1)
    np.testing.assert_allclose(found.phi, expected, atol=0.0 if rotation is not TURN else 4e-16)
    assert len(np.unique(surface.vertices["normal"], axis=0)) == 6  # one normal a face, bit for bit
    assert np.all(found.hessian == 0.0)


def test_faces_of_a_box_in_single_precision_are_planes():
    mesh = box(1.0, 1.1, 0.2).moved(TURN, [0.3, 0.2, 5.0])
    rounded = TriangleMesh(mesh.vertices.astype(np.float32).astype(float), mesh.triangles)
    surface = build_surface(rounded)
    assert np.all(surface.charts["kind"] == PLANE_CHART)
    starts, points = near(surface, rounded, 200, 0.1)
    one_way = evaluated(surface, starts, points)
    other_way = evaluated(surface, (surface.triangles["neighbours"][starts]).max(axis=1), points)
    np.testing.assert_allclose(one_way.phi, other_way.phi, atol=1e-15)


@pytest.mark.parametrize("straight", [1, 4])
def test_large_faces_between_fillets_are_exact_planes_and_the_fillets_as_good_as_without_them(straight):
    mesh = stadium(64, straight)
    surface = build_surface(mesh)
    starts, points = points_on(mesh, 2000, np.random.default_rng(0), side(surface))
    found = evaluated(surface, starts, points)
    phi, normal = stadium_field(points)
    flat = abs(points[:, 0]) < 1
    np.testing.assert_allclose(found.phi[flat], phi[flat], atol=1e-15)
    np.testing.assert_allclose(found.normal[flat], normal[flat], atol=1e-15)
    assert np.sqrt(np.mean((found.phi - phi) ** 2)) < 5e-7  # facets: 8e-4


@pytest.mark.parametrize("segments", [8, 16])
def test_a_rounded_box_rests_on_planes(segments):
    mesh = rounded_box(segments)
    surface = build_surface(mesh)
    starts, points = points_on(mesh, 3000, np.random.default_rng(0))
    found = evaluated(surface, starts, points)
    phi, normal = rounded_box_field(points)
    flat = np.sum(abs(normal) > 1 - 1e-9, axis=1) == 1
    np.testing.assert_allclose(found.phi[flat & (abs(phi) < 1e-12)], 0.0, atol=1e-15)
    assert np.sqrt(np.mean((found.phi - phi) ** 2)) < 0.2 * 0.5 * (np.pi / 2 / segments) ** 4


# ---- against the twin -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mesh", [irregular_torus(24, 12), prism(24, layers=2)], ids=["torus", "prism"])
def test_points_are_evaluated_as_by_the_twin(mesh):
    surface = build_surface(mesh, 1.2)
    starts, points = near(surface, mesh, 12, 0.02)
    found = evaluated(surface, starts, points)
    for k, x in enumerate(points):
        chart = surface.triangles["chart"][starts[k]]
        assert found.beyond[k] == pytest.approx(naive.beyond_edges(surface, chart, x), abs=1e-12)
        if surface.charts["kind"][chart] == PLANE_CHART or found.beyond[k] > -0.02:
            continue
        triangle = naive.triangle_over(surface, chart, x)
        assert found.triangle[k] == triangle
        assert found.phi[k] == pytest.approx(naive.height_over(surface, triangle, x)[0], abs=1e-13)
        gradient, hessian = naive.derivatives(surface, triangle, x)
        np.testing.assert_allclose(found.normal[k], gradient / np.linalg.norm(gradient), atol=1e-8)
        np.testing.assert_allclose(found.hessian[k], hessian, atol=0.02 * abs(hessian).max())


def test_the_bend_of_a_triangle_has_the_derivatives_of_its_sum():
    random = np.random.default_rng(3)
    slopes, c = Slopes(*random.normal(size=7)), tuple(random.normal(size=3))
    v, w, step = 0.3, 0.25, 1e-4
    at = {(i, j): bend(parts_of(slopes, v + i * step, w + j * step), c) for i in (-1, 0, 1) for j in (-1, 0, 1)}
    assert at[0, 0].v == pytest.approx((at[1, 0].value - at[-1, 0].value) / (2 * step), rel=1e-6)
    assert at[0, 0].w == pytest.approx((at[0, 1].value - at[0, -1].value) / (2 * step), rel=1e-6)
    expected = [at[1, 0].v - at[-1, 0].v, at[0, 1].v - at[0, -1].v, at[0, 1].w - at[0, -1].w]
    np.testing.assert_allclose(second_bend(slopes, v, w, c), np.divide(expected, 2 * step), rtol=1e-6)


def test_tensors_are_symmetric_matrices():
    a, b, v = np.random.default_rng(4).normal(size=(3, 3))
    whole = (np.outer(a, b) + np.outer(b, a)) / 2
    tensor = added(symmetric(tuple(a), tuple(b)), 2.0, symmetric(tuple(v), tuple(v)))
    np.testing.assert_allclose(applied(tensor, tuple(v)), (whole + 2 * np.outer(v, v)) @ v, rtol=1e-14)


# ---- derivatives and continuity -------------------------------------------------------------------------------------


def test_an_expansion_within_its_reach_is_as_good_as_the_surface():
    mesh = irregular_ellipsoid(2562, ELLIPSOID)
    surface = build_surface(mesh)
    starts, points = near(surface, mesh, 2000, 1e-3)
    found = evaluated(surface, starts, points)
    step = ends_of_reach(surface, found, np.random.default_rng(1))
    there = evaluated(surface, found.triangle, points + step)
    bent = np.einsum("nij,nj->ni", found.hessian, step)
    phi = found.phi + np.einsum("ni,ni->n", found.normal + 0.5 * bent, step)
    assert np.sqrt(np.mean((phi - there.phi) ** 2)) < 2e-7  # heights themselves are off by 1.5e-6


@pytest.mark.parametrize("depth", [1e-4, 0.05])
def test_heights_are_continuous_from_triangle_to_triangle_and_normals_to_third_order(depth):
    jumps = []
    for mesh in (irregular_torus(32, 16), irregular_torus(64, 32)):
        surface = build_surface(mesh)
        random = np.random.default_rng(2)
        triangle, edge = random.integers(len(mesh.triangles), size=2000), random.integers(3, size=2000)
        neighbour = surface.triangles["neighbours"][triangle, edge]
        inside = neighbour != NONE
        triangle, edge, neighbour = triangle[inside], edge[inside], neighbour[inside]
        corners = surface.vertices[surface.triangles["corners"][triangle]]
        each, end = np.arange(len(triangle)), (edge + 1) % 3
        part = random.uniform(size=(len(triangle), 1))
        place, normal = (
            (1 - part) * corners[name][each, edge] + part * corners[name][each, end] for name in ("position", "normal")
        )
        points = place + random.uniform(-depth, depth, (len(triangle), 1)) * normal
        inwards = 1e-11 * (corners["position"][each, (edge + 2) % 3] - place)
        one, other = evaluated(surface, triangle, points + inwards), evaluated(surface, neighbour, points - inwards)
        assert np.mean(one.triangle != other.triangle) > 0.98
        np.testing.assert_allclose(one.phi, other.phi, atol=1e-10)
        jumps.append(np.sqrt(np.mean(np.sum((one.normal - other.normal) ** 2, axis=1))))
    assert np.log2(jumps[0] / jumps[1]) > 2.5


@pytest.mark.parametrize("is_smooth", [True, False])
def test_a_path_across_the_edge_of_a_chart_and_away_is_continuous(is_smooth):
    """Beyond the rim of a cylinder's side its height goes on, without a step and without running away."""
    surface = build_surface(prism(32, layers=3), is_smooth=is_smooth)
    start = side(surface)[0]
    at = np.linspace(0.0, 4.0, 4001)
    points = np.c_[0.97 * np.cos(0.3 * at), 0.97 * np.sin(0.3 * at), 0.3 * at]
    found = evaluated(surface, np.full(len(at), start), points)
    assert abs(np.diff(found.phi)).max() < 1.2e-4
    np.testing.assert_allclose(found.phi, -0.03, atol=1e-4 if is_smooth else 5e-3)  # the sagitta
    assert np.all(np.diff(found.beyond[at > 2.0]) > 0)


def test_facets_as_they_are_have_continuous_heights_of_planes():
    mesh = irregular_torus(16, 8)
    surface = build_surface(mesh, np.pi, is_smooth=False)
    assert np.all(surface.triangles["kind"] == FACETS)
    starts, points = near(surface, mesh, 3000, 0.02)
    found = evaluated(surface, starts, points)
    planes = np.einsum("nk,nk->n", points - mesh.corners()[found.triangle, 0], surface.facet_normals[found.triangle])
    np.testing.assert_allclose(found.phi, planes, atol=1e-15)
    step = 1e-6 * np.random.default_rng(5).normal(size=points.shape)
    there = evaluated(surface, found.triangle, points + step)
    assert np.all(abs(there.phi - found.phi) <= np.linalg.norm(step, axis=1) * (1 + 1e-6))
    np.testing.assert_allclose(there.phi, evaluated(surface, starts, points + step).phi, atol=1e-15)


# ---- invariance -----------------------------------------------------------------------------------------------------


def test_the_surface_does_not_depend_on_the_order_of_triangles_or_the_axes():
    mesh = irregular_torus(24, 12)
    surface = build_surface(mesh)
    starts, points = near(surface, mesh, 500, 0.01)
    found = evaluated(surface, starts, points)
    other, old = renumbered(mesh)
    again = evaluated(build_surface(other), np.argsort(old)[starts], points)
    np.testing.assert_allclose(again.phi, found.phi, atol=1e-9)
    np.testing.assert_allclose(again.normal, found.normal, atol=1e-7)
    turned = evaluated(build_surface(mesh.moved(TURN, np.zeros(3))), starts, points @ TURN.T)
    np.testing.assert_allclose(turned.phi, found.phi, atol=1e-9)
    np.testing.assert_allclose(turned.normal, found.normal @ TURN.T, atol=1e-7)


def test_meshes_in_one_set_of_arrays_are_as_they_are_alone():
    meshes = [box(1.0, 2.0, 3.0), irregular_torus(16, 8), prism(20)]
    pool = pooled(build_surfaces(meshes, [FEATURE_ANGLE] * 3, [True, True, False]))
    for k, mesh in enumerate(meshes):
        record = pool.meshes[k]
        alone = build_surface(mesh, FEATURE_ANGLE, k < 2)
        starts, points = near(alone, mesh, 200, 0.05)
        expected = evaluated(alone, starts, points)
        found = evaluated(pool, starts + record["first_triangle"], points)
        np.testing.assert_array_equal(found.triangle - record["first_triangle"], expected.triangle)
        for name in ("phi", "normal", "hessian", "beyond"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        own = pool.triangles[record["first_triangle"] : record["last_triangle"]]
        assert np.all((own["chart"] >= record["first_chart"]) & (own["chart"] < record["last_chart"]))


def test_a_deck_without_meshes_has_empty_arrays_of_the_same_types():
    some, none = build_surface(box(1, 1, 1)), no_surface()
    for name in some._fields:
        assert getattr(some, name).dtype == getattr(none, name).dtype
        assert getattr(some, name).ndim == getattr(none, name).ndim
    assert pooled(build_surfaces([], [], [])).meshes.size == 0


# ---- edges of charts ------------------------------------------------------------------------------------------------


def test_a_chart_without_edges_ends_nowhere():
    surface = build_surface(irregular_ellipsoid(162))
    found = evaluated(surface, [0], [[0.0, 0.0, 1.1]])
    assert found.beyond[0] == NO_EDGE


@pytest.mark.parametrize("is_smooth", [True, False])
def test_beyond_a_convex_edge_is_where_the_other_face_is_nearer(is_smooth):
    mesh = box(1.0, 1.1, 0.7)
    surface = build_surface(mesh, is_smooth=is_smooth)
    points = np.random.default_rng(6).uniform(-1, 1, (400, 3)) * [1.0, 1.1, 0.7]
    # deeper than half the thickness a point belongs to the other side of a plate
    starts = [surface.chart_triangles[surface.charts["first"][c]] for c in range(6)]
    faces = [evaluated(surface, np.full(len(points), start), points) for start in starts]
    phi, beyond = np.array([face.phi for face in faces]), np.array([face.beyond for face in faces])
    caps = surface.triangles["depth_cap"][starts][:, None]
    np.testing.assert_array_equal((beyond < 0) & (-phi <= caps), np.arange(6)[:, None] == np.argmax(phi, axis=0))


def test_below_a_concave_edge_the_deeper_face_is_in_charge():
    """A bar with an L for its section: the corner inside is at the origin."""
    outline = np.array([[0, 0], [0, 1], [-1, 1], [-1, -1], [1, -1], [1, 0]], float)
    n = len(outline)
    points = np.concatenate([np.c_[outline, np.full(n, z)] for z in (-1.0, 1.0)])
    i, j = np.arange(n), (np.arange(n) + 1) % n
    ends = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    mesh = TriangleMesh(points, np.concatenate([np.c_[i, j, j + n], np.c_[i, j + n, i + n], ends[:, ::-1], ends + n]))
    surface = build_surface(mesh)
    wall, floor = 0, 5  # x = 0, y > 0, and y = 0, x > 0
    below = np.c_[np.random.default_rng(7).uniform(-0.3, 0.0, (100, 2)), np.zeros(100)]
    on_wall, on_floor = (evaluated(surface, np.full(100, start), below) for start in (wall, floor))
    np.testing.assert_allclose(on_wall.phi, below[:, 0], atol=1e-15)
    np.testing.assert_allclose(on_floor.phi, below[:, 1], atol=1e-15)
    np.testing.assert_allclose(on_wall.beyond, (below[:, 0] - below[:, 1]) / np.sqrt(2), atol=1e-15)
    np.testing.assert_allclose(on_floor.beyond, (below[:, 1] - below[:, 0]) / np.sqrt(2), atol=1e-15)


def test_rims_of_a_cylinder_are_circles():
    """A fan of 32 chords is 5e-3 off; the end of the chart keeps to the circle."""
    surface = build_surface(prism(32))
    top = np.flatnonzero(surface.facet_normals[:, 2] > 0.9)[0]
    angle = np.linspace(0, 2 * np.pi, 101)
    points = np.c_[np.cos(angle), np.sin(angle), np.ones(101)]
    assert abs(evaluated(surface, np.full(101, top), points).beyond).max() < 5e-5


# ---- meshes that are no smooth surface -------------------------------------------------------------------------------


def steepest(mesh, feature_angle=FEATURE_ANGLE):
    """Largest angle in degrees between normals and the facets that points lie on, and the largest height there."""
    surface = build_surface(mesh, feature_angle)
    starts, points = points_on(mesh, 2000, np.random.default_rng(0), np.flatnonzero(surface.triangles["area"] > 0))
    found = evaluated(surface, starts, points)
    assert not any(np.isnan(part).any() for part in found)
    cosine = np.einsum("nk,nk->n", found.normal, surface.facet_normals[found.triangle])
    return np.degrees(np.arccos(np.clip(cosine.min(), -1, 1))), abs(found.phi).max()


@pytest.mark.parametrize("height", [1e-2, 0.0])
def test_needles_leave_a_sphere_a_sphere(height):
    """Their vertices lie on chords, up to 2.6e-3 inside the sphere; of the facets some turn by any angle."""
    mesh = with_needles(irregular_ellipsoid(2562), 300, height)
    assert len(build_surface(mesh).charts) == 1
    angle, phi = steepest(mesh)
    assert angle < 10.0
    assert phi < 3e-3


@pytest.mark.parametrize("height", [1e-4, 1e-7])
def test_needles_on_a_prism_have_no_wild_normals(height):
    angle, phi = steepest(with_needles(prism(64, layers=3), 60, height))
    assert angle < 25.0
    assert phi < 0.02  # vertices on chords are 1.2e-3 inside, a slope of some hundredths beside a needle


@pytest.mark.parametrize("feature_angle", [1.2, 2.0, np.pi])
def test_solids_of_few_facets_asked_to_be_smooth_stay_near_their_facets(feature_angle):
    tetrahedron = TriangleMesh(
        np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    )
    for mesh in (
        tetrahedron,
        box(1.0, 1.1, 0.2),
        irregular_ellipsoid(12),
        irregular_ellipsoid(42, ELLIPSOID),
        prism(5),
    ):
        angle, phi = steepest(mesh, feature_angle)
        assert angle < 76.0
        assert phi < 0.5


def test_a_tetrahedron_at_the_usual_feature_angle_has_four_planes():
    mesh = TriangleMesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]))
    angle, phi = steepest(mesh)
    assert angle < 1e-5
    assert phi < 1e-15


def test_an_open_mesh_ends_at_its_edge():
    mesh = box(1.0, 1.1, 0.7)
    open_mesh = TriangleMesh(mesh.vertices, mesh.triangles[2:])
    surface = build_surface(open_mesh)
    assert np.count_nonzero(surface.across == NONE) == 4
    found = evaluated(surface, [2], [[0.0, -1.1, 0.2]])
    assert abs(found.phi[0]) < 1.5
