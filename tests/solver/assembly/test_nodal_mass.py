"""Element masses and rotary inertias against hand values, and lumps of every other kind."""

import numpy as np
import pytest
from gsolve.parser.model import AddedMass, ElementBlock, GearJoint, Spring, SpringProperty
from gsolve.solver.assembly.nodal_mass import brick_volumes, check_elements, nodal_masses
from stub_models import StubWhere, model_of_nodes

SQUARE = [(0, 0, 0), (2, 0, 0), (2, 3, 0), (0, 3, 0)]
CUBE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)


def elements(keyword, nodes, *, thickness=0.0, density=1.0, ishell=1, void=False, title="wall"):
    nodes = np.array(nodes, dtype=np.int64)
    count = len(nodes)
    return ElementBlock(
        keyword,
        7,
        title,
        StubWhere(keyword, 7, title),
        np.arange(101, 101 + count),
        nodes,
        np.full(count, thickness),
        density,
        ishell,
        void,
    )


def masses_of(coordinates, *blocks):
    model = model_of_nodes(coordinates)
    model.elements.extend(blocks)
    return nodal_masses(model)


def assert_spherical(inertia, expected):
    np.testing.assert_allclose(inertia, np.multiply.outer(expected, np.eye(3)), rtol=1e-15)


@pytest.mark.parametrize(("ishell", "divisor"), [(1, 9), (4, 9), (12, 12), (24, 12)])
@pytest.mark.parametrize("void", [False, True])
def test_shell_gives_each_node_a_quarter_and_rotary_inertia(ishell, divisor, void):
    block = elements("SHELL", [[0, 1, 2, 3]], thickness=0.5, density=8.0, ishell=ishell, void=void)
    nodal = masses_of(SQUARE, block)
    # m = 8 * 6 * 0.5 = 24
    np.testing.assert_allclose(nodal.mass, [6, 6, 6, 6], rtol=1e-15)
    assert_spherical(nodal.inertia, [6 * (6 / divisor + 0.25 / 12)] * 4)


@pytest.mark.parametrize("block_nodes", [("SH3N", [[0, 1, 2]]), ("SHELL", [[0, 1, 2, -1]]), ("SHELL", [[0, 1, 2, 2]])])
def test_triangle_gives_each_node_a_third_whatever_its_keyword(block_nodes):
    keyword, nodes = block_nodes
    nodal = masses_of(SQUARE, elements(keyword, nodes, thickness=0.5, density=8.0, ishell=24))
    # A = 3, m = 12, inertia of the element m (A/4.5 + t^2/12)
    np.testing.assert_allclose(nodal.mass, [4, 4, 4, 0], rtol=1e-15)
    assert_spherical(nodal.inertia, [4 * (3 / 4.5 + 0.25 / 12)] * 3 + [0])


def test_quadrilaterals_and_triangles_of_one_block_do_not_mix():
    nodal = masses_of(SQUARE, elements("SHELL", [[0, 1, 2, 3], [0, 1, 2, -1]], thickness=1.0))
    np.testing.assert_allclose(nodal.mass, [1.5 + 1, 1.5 + 1, 1.5 + 1, 1.5], rtol=1e-15)


def test_brick_gives_each_corner_an_eighth_and_no_rotary_inertia():
    nodal = masses_of(CUBE * (2, 3, 4), elements("BRICK", [range(8)], density=5.0))
    np.testing.assert_allclose(nodal.mass, np.full(8, 15.0), rtol=1e-15)
    assert not nodal.inertia.any()


def test_inside_out_solids_have_positive_mass():
    brick = elements("BRICK", [[4, 5, 6, 7, 0, 1, 2, 3]])
    tetrahedron = elements("TETRA4", [[0, 4, 1, 3]])
    np.testing.assert_allclose(masses_of(CUBE, brick).mass.sum(), 1.0, rtol=1e-15)
    np.testing.assert_allclose(masses_of(CUBE, tetrahedron).mass.sum(), 1 / 6, rtol=1e-15)


def test_tetrahedron_gives_each_corner_a_quarter():
    nodal = masses_of(CUBE * (2, 3, 4), elements("TETRA4", [[0, 1, 3, 4]], density=2.0))
    np.testing.assert_allclose(nodal.mass, [2, 2, 0, 2, 2, 0, 0, 0], rtol=1e-15)


@pytest.mark.parametrize(
    ("nodes", "volume", "corners"),
    [
        ([0, 1, 2, 2, 4, 5, 6, 6], 1 / 2, [0, 1, 2, 4, 5, 6]),  # prism
        ([0, 1, 2, 3, 4, 4, 4, 4], 1 / 3, [0, 1, 2, 3, 4]),  # pyramid
        ([0, 1, 2, 2, 4, 4, 4, 4], 1 / 6, [0, 1, 2, 4]),  # tetrahedron
    ],
)
def test_brick_with_merged_corners_has_its_true_volume_shared_by_distinct_corners(nodes, volume, corners):
    expected = np.zeros(8)
    expected[corners] = volume / len(corners)
    np.testing.assert_allclose(masses_of(CUBE, elements("BRICK", [nodes])).mass, expected, rtol=1e-14)


def gauss_volume(corners):
    """Integral of the Jacobian of the trilinear map; two points a direction are exact."""
    signs = 2 * CUBE - 1
    volume = 0.0
    for point in signs / np.sqrt(3):
        factors = 1 + signs * point
        slopes = np.stack([signs[:, i] * factors[:, i - 1] * factors[:, i - 2] / 8 for i in range(3)], axis=1)
        volume += np.linalg.det(slopes.T @ corners)
    return volume


def test_volume_of_warped_bricks_is_the_integral_of_the_jacobian():
    random = np.random.default_rng(5)
    bricks = CUBE + 0.2 * random.standard_normal((20, 8, 3))
    volumes = brick_volumes(bricks.reshape(-1, 3), np.arange(160).reshape(20, 8))
    np.testing.assert_allclose(volumes, [gauss_volume(corners) for corners in bricks], rtol=1e-12)


def test_added_masses_add_up_also_on_repeated_nodes():
    model = model_of_nodes(SQUARE)
    for mass in (1.0, -0.25):
        nodes = np.array([0, 2, 2])
        model.added_masses.append(AddedMass(1, "", StubWhere(), nodes, np.full(3, mass)))
    nodal = nodal_masses(model)
    np.testing.assert_array_equal(nodal.mass, [0.75, 0, 1.5, 0])
    assert not nodal.inertia.any()


@pytest.mark.parametrize(("per_length", "mass"), [(False, 6.0), (True, 18.0)])
def test_springs_give_half_of_mass_and_inertia_to_each_end(per_length, mass):
    model = model_of_nodes(SQUARE)
    properties = SpringProperty(1, "", StubWhere(), "TYPE8", 6.0, 0.5, 0, 0, 0, per_length, [])
    model.springs.append(Spring(1, "", StubWhere(), 1, 1, 2, 0, properties))
    nodal = nodal_masses(model)
    np.testing.assert_array_equal(nodal.mass, [0, mass / 2, mass / 2, 0])
    assert_spherical(nodal.inertia, [0, 0.25, 0.25, 0])


def test_gear_joints_add_mass_and_spherical_inertia_to_the_nodes_they_have():
    model = model_of_nodes(SQUARE)
    for kind, last in (("DIFF", 3), ("GEAR", -1)):
        joint = GearJoint(
            1, "", StubWhere(), kind, np.array([0, 1, 2, last]), 1.0, np.arange(1.0, 5), np.arange(5.0, 9), np.eye(3)
        )
        model.gear_joints.append(joint)
    nodal = nodal_masses(model)
    np.testing.assert_array_equal(nodal.mass, [2, 4, 6, 4])
    assert_spherical(nodal.inertia, [10, 12, 14, 8])


def test_bricks_of_a_cube_share_its_mass():
    """A node inside gets an eighth of eight bricks of mass 1, one in a face of four, a corner of one."""
    side = 10
    grid = np.stack(np.meshgrid(*[np.arange(side, dtype=float)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    base = np.arange(side**3).reshape(side, side, side)[:-1, :-1, :-1].ravel()
    i, j = side * side, side
    bricks = base[:, None] + np.array([0, i, i + j, j, 1, i + 1, i + j + 1, j + 1])
    nodal = masses_of(grid, elements("BRICK", bricks))
    faces = ((grid == 0) | (grid == side - 1)).sum(axis=1)
    np.testing.assert_allclose(nodal.mass, 0.5**faces, rtol=1e-14)
    np.testing.assert_allclose(nodal.mass.sum(), (side - 1) ** 3, rtol=1e-12)


def test_elements_of_one_body_of_the_ground_and_void_ones_are_welcome():
    model = model_of_nodes(CUBE)
    model.elements.append(elements("SHELL", [[0, 1, 2, 3], [0, 1, 2, -1], [4, 5, 6, 7]]))
    model.elements.append(elements("BRICK", [range(8)], void=True))
    assert check_elements(model, np.array([2, 2, 2, 2, 0, 0, 0, 0])) == []


def test_elements_that_would_deform_are_named_with_their_part():
    model = model_of_nodes(CUBE)
    model.elements.append(elements("SHELL", [[0, 1, 2, 3]] * 7 + [[0, 1, 2, -1]]))
    [error] = check_elements(model, np.array([2, 2, 2, 3, -1, -1, -1, -1]))
    assert error.severity == "error"
    assert error.message == '7 elements of part 7 "wall" would have to deform, and gsolve does not deform elements'
    assert error.found == "elements 101, 102, 103, 104, 105, ..."
    assert error.allowed == "elements whose nodes all belong to one rigid body, or void elements"
    assert error.hint == ("add the nodes to the group of one /RBODY, or use /MAT/VOID if the part brings mass only")


def test_each_block_with_deforming_elements_has_its_error():
    model = model_of_nodes(CUBE)
    model.elements.append(elements("BRICK", [range(8)], title=""))
    model.elements.append(elements("TETRA4", [[0, 1, 3, 4]]))
    errors = check_elements(model, np.full(8, -1))
    assert [error.message for error in errors] == [
        "1 element of part 7 would have to deform, and gsolve does not deform elements",
        '1 element of part 7 "wall" would have to deform, and gsolve does not deform elements',
    ]
    assert errors[0].found == "element 101"
