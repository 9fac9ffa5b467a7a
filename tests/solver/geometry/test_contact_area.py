"""The area of contact of every pair of shapes, against sections calculated anew."""

import math

import numpy as np
import pytest
from gsolve.solver.geometry.narrow_phase import find_points
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, PLANE, SPHERE
from scipy.spatial.transform import Rotation
from shape_rig import IDENTITY, POINTS, SCRATCH, kernels, placed

Z = 1e-3
FLOOR = placed(PLANE, ())
LYING = Rotation.from_euler("x", 90, degrees=True).as_matrix()  # axis along y


def area(i, j):
    """Of all points; both orders give the same."""
    found = []
    for one, other in ((i, j), (j, i)):
        n = find_points(one.shape, one.position, one.rotation, other.shape, other.position, other.rotation, kernels(),
                        SCRATCH, POINTS)  # fmt: skip
        assert n > 0
        found.append(float(POINTS["area"][:n].sum()))
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    return found[0]


def lens(radius, other, depth):
    """Width of the lens in which two circles cut each other."""
    d = radius + other - depth
    x = (d * d + radius**2 - other**2) / (2 * d)
    return 2 * math.sqrt(radius**2 - x * x)


@pytest.mark.parametrize("depth", [1e-6, 1e-3, 0.05, 0.3])
def test_a_sphere_cuts_a_circle_out_of_a_plane(depth):
    ball = placed(SPHERE, (0.3,), (0, 0, 0.3 - depth))
    assert area(ball, FLOOR) == pytest.approx(math.pi * depth * (0.6 - depth), rel=1e-9)


def test_two_spheres_cut_each_other_in_a_circle():
    one, other = placed(SPHERE, (0.3,), (0, 0, 0.3)), placed(SPHERE, (0.2,), (0, 0, -0.2 + Z), body=2)
    assert area(one, other) == pytest.approx(math.pi / 4 * lens(0.3, 0.2, Z) ** 2, rel=1e-9)


@pytest.mark.parametrize("kind, size, top", [
    (ELLIPSOID, (1.0, 1.2, 0.5), 0.5), (CYLINDER, (1.0, 1.0, 0.5), 0.5), (FRUSTUM, (1.2, 1.0, 0.5), 0.5),
    (BOX, (1.0, 1.0, 0.5), 0.5),
])  # fmt: skip
def test_a_sphere_on_another_solid_has_the_circle_of_a_plane(kind, size, top):
    ball = placed(SPHERE, (0.3,), (0, 0, top + 0.3 - Z))
    assert area(ball, placed(kind, size, body=2)) == pytest.approx(math.pi * Z * (0.6 - Z), rel=1e-9)


@pytest.mark.parametrize("depth", [1e-5, 1e-3, 0.1, 0.2])
def test_an_ellipsoid_cuts_an_ellipse_out_of_a_plane(depth):
    """Semi-axes a sqrt(1 - (1 - z/c)^2), b sqrt(...)."""
    solid = placed(ELLIPSOID, (0.5, 0.3, 0.2), (0, 0, 0.2 - depth))
    assert area(solid, FLOOR) == pytest.approx(math.pi * 0.15 * (1 - (1 - depth / 0.2) ** 2), rel=1e-12)


def test_a_tilted_ellipsoid_cuts_the_section_that_its_points_show():
    rotation = Rotation.from_euler("xyz", [0.4, 0.7, 0.2]).as_matrix()
    matrix = rotation @ np.diag([0.5, 0.3, 0.2]) ** 2 @ rotation.T
    height, depth = math.sqrt(matrix[2, 2]), 0.05
    inverse = np.linalg.inv(matrix)
    # the section at z = -(h - depth): a quadratic form in x, y
    at = -(height - depth)
    middle = np.linalg.solve(inverse[:2, :2], -inverse[:2, 2] * at)
    rest = 1 - np.array([*middle, at]) @ inverse @ np.array([*middle, at])
    expected = math.pi * rest / math.sqrt(np.linalg.det(inverse[:2, :2]))
    solid = placed(ELLIPSOID, (0.5, 0.3, 0.2), (0, 0, height - depth), rotation)
    assert area(solid, FLOOR) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind, size", [(BOX, (1.0, 1.0, 0.5)), (CYLINDER, (1.0, 1.0, 0.5)),
                                        (FRUSTUM, (1.2, 1.0, 0.5))])  # fmt: skip
def test_an_ellipsoid_on_a_face_has_the_circle_of_its_mean_curvature(kind, size):
    """R = a b/c at the end of the axis c: pi z (2 R - z)."""
    solid = placed(ELLIPSOID, (0.3, 0.4, 0.2), (0, 0, 0.7 - Z))
    assert area(solid, placed(kind, size, body=2)) == pytest.approx(math.pi * Z * (2 * 0.6 - Z), rel=1e-9)


def test_two_ellipsoids_have_the_circle_of_both_mean_curvatures():
    one, other = placed(ELLIPSOID, (0.3, 0.4, 0.2), (0, 0, 0.5 - Z)), placed(ELLIPSOID, (0.6, 0.6, 0.3), body=2)
    radius = 0.6 * 1.2 / 1.8
    assert area(one, other) == pytest.approx(math.pi * Z * (2 * radius - Z), rel=1e-6)


@pytest.mark.parametrize("depth", [1e-6, 1e-3, 0.05, 0.2])
@pytest.mark.parametrize("on", ["plane", "box", "cylinder"])
def test_a_cylinder_that_lies_has_chord_times_length(on, depth):
    """2 sqrt(z (2 R - z)) L, whatever it lies on."""
    radius, half = 0.2, 0.3
    below = {
        "plane": FLOOR, "box": placed(BOX, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2),
        "cylinder": placed(CYLINDER, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2),
    }[on]  # fmt: skip
    solid = placed(CYLINDER, (radius, radius, half), (0, 0, radius - depth), LYING)
    assert area(solid, below) == pytest.approx(2 * math.sqrt(depth * (2 * radius - depth)) * 2 * half, rel=1e-9)


@pytest.mark.parametrize("on", ["plane", "box", "cylinder"])
def test_a_cylinder_that_stands_has_its_end(on):
    below = {
        "plane": FLOOR, "box": placed(BOX, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2),
        "cylinder": placed(CYLINDER, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2),
    }[on]  # fmt: skip
    for kind, size in ((CYLINDER, (0.2, 0.2, 0.3)), (FRUSTUM, (0.2, 0.1, 0.3))):
        assert area(placed(kind, size, (0, 0, 0.3 - Z)), below) == pytest.approx(math.pi * 0.04, rel=1e-9)


def test_the_tip_of_a_cone_has_pi_times_its_depth_squared():
    """On a face less by the part that counts as that of its side."""
    tip, face = placed(FRUSTUM, (0.0, 0.3, 0.3), (0, 0, 0.3 - Z)), placed(BOX, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2)
    assert area(tip, FLOOR) == pytest.approx(math.pi * Z * Z, rel=1e-6)
    assert 0.5 < area(tip, face) / (math.pi * Z * Z) <= 1.0


def test_two_parallel_cylinders_have_the_width_of_a_lens_times_their_common_length():
    one = placed(CYLINDER, (0.2, 0.2, 0.5), (0, 0.3, 0.2), LYING)
    other = placed(CYLINDER, (0.1, 0.1, 0.5), (0, 0, -0.1 + Z), LYING, body=2)
    assert area(one, other) == pytest.approx(lens(0.2, 0.1, Z) * 0.7, rel=1e-3)


def test_crossed_cylinders_have_the_ellipse_of_their_curvatures():
    """Semi-axes sqrt(2 R z)."""
    one = placed(CYLINDER, (0.2, 0.2, 0.5), (0, 0, 0.2), LYING)
    across = Rotation.from_euler("y", 90, degrees=True).as_matrix()
    other = placed(CYLINDER, (0.1, 0.1, 0.5), (0, 0, -0.1 + Z), across, body=2)
    assert area(one, other) == pytest.approx(2 * math.pi * Z * math.sqrt(0.2 * 0.1), rel=1e-9)


@pytest.mark.parametrize("on", ["plane", "box"])
def test_a_box_on_a_face_has_that_face(on):
    below = FLOOR if on == "plane" else placed(BOX, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2)
    assert area(placed(BOX, (0.3, 0.2, 0.1), (0, 0, 0.1 - Z)), below) == pytest.approx(0.24, rel=1e-9)


def test_faces_have_what_they_have_in_common():
    lower = placed(BOX, (1.0, 1.0, 0.5), (0, 0, -0.5), body=2)
    assert area(placed(BOX, (0.3, 0.2, 0.1), (1.1, 0, 0.1 - Z)), lower) == pytest.approx(0.2 * 0.4, rel=1e-9)
    disc, other = (
        placed(CYLINDER, (0.3, 0.3, 0.1), (0.2, 0, 0.1 - Z)),
        placed(CYLINDER, (0.3, 0.3, 0.5), (0, 0, -0.5), body=2),
    )
    angle = 2 * math.acos(0.1 / 0.3)
    assert area(disc, other) == pytest.approx(0.09 * (angle - math.sin(angle)), rel=1e-9)


def test_crossed_edges_have_pi_times_their_depth_squared():
    edge_up = Rotation.from_euler("x", 45, degrees=True).as_matrix()
    edge_down = Rotation.from_euler("y", 45, degrees=True).as_matrix()
    height = 0.2 * math.sqrt(2)
    one = placed(BOX, (0.2, 0.2, 0.2), (0, 0, 2 * height - Z), edge_down)
    other = placed(BOX, (0.2, 0.2, 0.2), IDENTITY[0] * 0, edge_up, body=2)
    assert area(one, other) == pytest.approx(math.pi * Z * Z, rel=1e-6)


# ---- how the area grows ----------------------------------------------------------------------------------------


def growth_of(i, j, by):
    """(n,) z A'/A of the points of two solids by differences, i shifted by `by` along the normal of the plane below."""
    rows = []
    for step in (-1e-4, 0.0, 1e-4):
        lower = (0.0, 0.0, -by * step)
        n = find_points(i.shape, i.position + np.array(lower), i.rotation, j.shape, j.position, j.rotation, kernels(),
                        SCRATCH, POINTS)  # fmt: skip
        rows.append(POINTS[:n].copy())
    before, now, after = rows
    slope = (after["area"] - before["area"]) / (after["penetration"] - before["penetration"])
    return slope * now["penetration"] / now["area"], now["growth"]


EDGE_DOWN, EDGE_UP = (Rotation.from_euler(axis, 45, degrees=True).as_matrix() for axis in "yx")
CROSSED = (
    placed(BOX, (0.2, 0.2, 0.2), (0, 0, 0.4 * math.sqrt(2) - Z), EDGE_DOWN),
    placed(BOX, (0.2, 0.2, 0.2), (0, 0, 0), EDGE_UP, body=2),
)
ACROSS = placed(CYLINDER, (0.1, 0.1, 0.5), (0, 0, -0.1 + Z), Rotation.from_euler("y", 90, degrees=True).as_matrix(),
                body=2)  # fmt: skip
WIDE = placed(BOX, (2.0, 2.0, 1.0), (0, 0, -1.0), body=2)


@pytest.mark.parametrize("i, j, tolerance", [
    (placed(ELLIPSOID, (0.5, 0.3, 0.2), (0, 0, 0.15)), FLOOR, 1e-6),
    (placed(ELLIPSOID, (0.5, 0.3, 0.2), (0, 0, 0.15)), WIDE, 1e-6),
    (placed(BOX, (0.3, 0.2, 0.1), (0, 0, 0.1 - Z)), FLOOR, 1e-9),
    (placed(BOX, (0.3, 0.2, 0.1), (0, 0, 0.1 - Z)), WIDE, 1e-9),
    (placed(CYLINDER, (0.2, 0.2, 0.3), (0, 0, 0.15), LYING), FLOOR, 1e-6),
    (placed(CYLINDER, (0.2, 0.2, 0.3), (0, 0, 0.15), LYING), WIDE, 1e-6),
    (placed(FRUSTUM, (0.0, 0.3, 0.3), (0, 0, 0.3 - Z)), FLOOR, 1e-6),
    (placed(CYLINDER, (0.2, 0.2, 0.5), (0, 0, 0.2), LYING), ACROSS, 1e-6),
    (*CROSSED, 1e-5),
], ids=["ellipsoid", "ellipsoid on a box", "box", "box on a box", "lying", "lying on a box", "tip", "crossed sides",
        "crossed edges"])  # fmt: skip
def test_how_an_area_grows_is_known_with_it(i, j, tolerance):
    """As a power of the penetration: so what a contact stores follows from its force."""
    found, growth = growth_of(i, j, 0.01)
    np.testing.assert_allclose(growth, found, atol=max(tolerance, 1e-4))


# ---- from one feature to the next ------------------------------------------------------------------------------


def lowest_of_rim(rotation, radius, half):
    """From the centre of a cylinder to the lowest point of its lower end."""
    along = rotation[:, 2]
    down = along[2] * along - np.array([0.0, 0.0, 1.0])
    return radius * down / np.linalg.norm(down) - half * along


@pytest.mark.parametrize("kind, top", [(CYLINDER, 0.1), (FRUSTUM, 0.07)], ids=["cylinder", "frustum"])
@pytest.mark.parametrize("about", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)], ids=["along", "aslant"])
def test_area_times_depth_does_not_jump_where_a_side_takes_over_from_a_rim(kind, top, about):
    """A cylinder stands with its rim on the side of another one and leans over until it nearly lies there."""
    below, loads = placed(CYLINDER, (0.1, 0.1, 0.5), (0, 0, -0.1), LYING, body=2), []
    for angle in np.linspace(0.2, 1.45, 2001):
        rotation = Rotation.from_rotvec(np.array(about) * angle).as_matrix()
        above = placed(kind, (0.1, top, 0.2), -lowest_of_rim(rotation, 0.1, 0.2) - [0, 0, 5 * Z], rotation)
        n = find_points(above.shape, above.position, above.rotation, below.shape, below.position, below.rotation,
                        kernels(), SCRATCH, POINTS)  # fmt: skip
        loads.append(float(POINTS["area"][:n] @ POINTS["penetration"][:n]))
    loads = np.array(loads)
    assert loads.max() > 3 * loads.min() > 0.0
    assert np.abs(np.diff(loads)).max() <= 0.02 * loads.max()
