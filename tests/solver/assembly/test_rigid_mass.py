"""Mass properties of rigid bodies: parallel-axis theorem, ICoG, Ispher, and what is wrong with a body."""

import numpy as np
import pytest
from gsolve.parser.model import RigidBody, RigidTie, Skew, Units
from gsolve.solver.assembly.nodal_mass import NodalMasses
from gsolve.solver.assembly.rigid_mass import BodyMass, check_positive, rigid_body_mass, tied_mass
from stub_models import SI, StubWhere, model_of_nodes

TONNE_MM = Units("Mg", "mm", "s", 1e3, 1e-3, 1.0)


def rigid_body(secondary, *, main=0, ispher=3, mass=0.0, icog=1, j=(0, 0, 0, 0, 0, 0), skew_id=0):
    where = StubWhere("RBODY", 3, "arm")
    secondary = np.array(secondary, dtype=np.int64)
    return RigidBody(3, "arm", where, main, secondary, skew_id, ispher, mass, icog, np.array(j, dtype=float))


def random_rotation(random):
    rotation, _ = np.linalg.qr(random.standard_normal((3, 3)))
    return rotation * np.sign(np.linalg.det(rotation))


def random_spd(random, count):
    factors = random.standard_normal((count, 3, 3))
    return factors @ factors.transpose(0, 2, 1)


def cloud(seed, count=40, offset=0.0):
    """A model with nodes at random places and their random masses and inertias."""
    random = np.random.default_rng(seed)
    model = model_of_nodes(random.standard_normal((count, 3)) + offset)
    return model, NodalMasses(random.random(count), random_spd(random, count))


def tensor(xx, yy, zz, xy, yz, xz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def centre_and_inertia(points, masses, inertias, centre=None):
    """Parallel-axis theorem written with cross-product matrices: S(d) = [d]x^T [d]x."""
    if centre is None:
        centre = sum(m * x for m, x in zip(masses, points, strict=True)) / sum(masses)
    total = np.zeros((3, 3))
    for mass, point, inertia in zip(masses, points, inertias, strict=True):
        x, y, z = point - centre
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        total += inertia + mass * cross.T @ cross
    return centre, total


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(10))
def test_random_cloud_obeys_the_parallel_axis_theorem(seed):
    model, nodal = cloud(seed)
    j = (3.0, 4.0, 5.0, 0.3, -0.2, 0.1)
    body = rigid_body(range(1, 40), mass=2.5, j=j)
    result, remarks = rigid_body_mass(body, model, nodal)
    masses, inertias = nodal.mass.copy(), nodal.inertia.copy()
    masses[0] += 2.5
    inertias[0] += tensor(*j)
    centre, inertia = centre_and_inertia(model.nodes.coordinates, masses, inertias)
    assert remarks == []
    assert result.mass == pytest.approx(masses.sum(), rel=1e-14)
    assert_same(result.centre, centre)
    assert_same(result.inertia, inertia)
    np.testing.assert_array_equal(result.main_node_position, result.centre)


def test_product_of_inertia_takes_minus_m_x_y():
    """Two unit masses at (1, 2, 0) and (-1, -2, 0): I_xy = -4, as the theorem says."""
    model = model_of_nodes([(1, 2, 0), (-1, -2, 0)])
    result = tied_mass(np.array([0, 1]), model, NodalMasses(np.ones(2), np.zeros((2, 3, 3))))
    np.testing.assert_array_equal(result.inertia, [[8, -4, 0], [-4, 2, 0], [0, 0, 10]])


def test_inertia_does_not_depend_on_the_distance_from_the_origin():
    near_model, nodal = cloud(3)
    far_model, _ = cloud(3, offset=1e4)
    near, _ = rigid_body_mass(rigid_body(range(1, 40)), near_model, nodal)
    far, _ = rigid_body_mass(rigid_body(range(1, 40)), far_model, nodal)
    np.testing.assert_allclose(far.inertia, near.inertia, rtol=0, atol=1e-11)  # coordinates round at 2e-12


def test_small_inertia_of_a_long_thin_body_keeps_its_digits():
    model = model_of_nodes([(-1e4, 1e-3, 0), (1e4, 1e-3, 0), (0, -2e-3, 0)])
    result = tied_mass(np.arange(3), model, NodalMasses(np.ones(3), np.zeros((3, 3, 3))))
    assert result.inertia[0, 0] == pytest.approx(6e-6, rel=1e-13)


def test_inertia_turns_with_the_body():
    model, nodal = cloud(4)
    rotation = random_rotation(np.random.default_rng(8))
    still, _ = rigid_body_mass(rigid_body(range(1, 40)), model, nodal)
    model.nodes.coordinates = model.nodes.coordinates @ rotation.T
    turned_nodal = NodalMasses(nodal.mass, rotation @ nodal.inertia @ rotation.T)
    turned, _ = rigid_body_mass(rigid_body(range(1, 40)), model, turned_nodal)
    assert_same(turned.centre, rotation @ still.centre)
    assert_same(turned.inertia, rotation @ still.inertia @ rotation.T)


def test_added_inertia_is_given_in_the_axes_of_the_skew():
    random = np.random.default_rng(6)
    axes = random_rotation(random)
    model = model_of_nodes(np.zeros((2, 3)))
    model.skews[5] = Skew(5, "", StubWhere(), False, axes, np.empty(0, np.int64))
    j = (3.0, 4.0, 5.0, 0.3, -0.2, 0.1)
    result, _ = rigid_body_mass(
        rigid_body([1], mass=1.0, j=j, skew_id=5), model, NodalMasses(np.zeros(2), np.zeros((2, 3, 3)))
    )
    # e' . I e' of the skew axes are the values on the card.
    assert_same(axes @ result.inertia @ axes.T, tensor(*j))


@pytest.mark.parametrize("icog", [1, 2, 3, 4])
def test_icog_says_where_the_centre_is_and_what_counts(icog):
    model, nodal = cloud(2, count=12)
    j = (30.0, 40.0, 50.0, 0.3, -0.2, 0.1)
    result, remarks = rigid_body_mass(rigid_body(range(1, 12), mass=2.5, j=j, icog=icog), model, nodal)
    points, masses, inertias = model.nodes.coordinates.copy(), nodal.mass.copy(), nodal.inertia.copy()
    masses[0] += 2.5
    inertias[0] += tensor(*j)
    if icog == 1:
        centre, inertia = centre_and_inertia(points, masses, inertias)
    elif icog == 2:
        centre, _ = centre_and_inertia(points[1:], masses[1:], inertias[1:])
        points[0] = centre
        _, inertia = centre_and_inertia(points, masses, inertias, centre)
    elif icog == 3:
        centre, inertia = centre_and_inertia(points, masses, inertias, points[0])
    else:
        masses = masses[:1]
        centre, inertia = points[0], inertias[0]
    assert remarks == []
    assert result.mass == pytest.approx(masses.sum(), rel=1e-14)
    assert_same(result.centre, centre)
    assert_same(result.inertia, inertia)
    np.testing.assert_array_equal(result.main_node_position, result.centre)


def test_masses_of_the_model_are_left_as_they_are():
    model, nodal = cloud(1)
    mass, inertia, coordinates = nodal.mass.copy(), nodal.inertia.copy(), model.nodes.coordinates.copy()
    rigid_body_mass(rigid_body(range(1, 40), mass=1.0, icog=2, j=(1, 1, 1, 0, 0, 0)), model, nodal)
    np.testing.assert_array_equal(nodal.mass, mass)
    np.testing.assert_array_equal(nodal.inertia, inertia)
    np.testing.assert_array_equal(model.nodes.coordinates, coordinates)


def test_main_node_of_a_tie_stays_where_it_is():
    model, nodal = cloud(9, count=6)
    tie = RigidTie(1, "", StubWhere(), 2, np.array([0, 4]))
    result = tied_mass(np.concatenate(([tie.main_node], tie.dependent_nodes)), model, nodal)
    rows = [2, 0, 4]
    centre, inertia = centre_and_inertia(model.nodes.coordinates[rows], nodal.mass[rows], nodal.inertia[rows])
    assert_same(result.centre, centre)
    assert_same(result.inertia, inertia)
    np.testing.assert_array_equal(result.main_node_position, model.nodes.coordinates[2])


def body_with_principal_inertias(principal, ispher):
    """/RBODY at one point with J of these principal inertias about random axes, and the axes."""
    rotation = random_rotation(np.random.default_rng(11))
    j = rotation @ np.diag(principal) @ rotation.T
    body = rigid_body([1], mass=1.0, ispher=ispher, j=(j[0, 0], j[1, 1], j[2, 2], j[0, 1], j[1, 2], j[0, 2]))
    model = model_of_nodes(np.zeros((2, 3)), units=TONNE_MM)
    result, remarks = rigid_body_mass(body, model, NodalMasses(np.zeros(2), np.zeros((2, 3, 3))))
    return rotation.T @ result.inertia @ rotation, remarks


def test_ispher_1_sets_all_principal_inertias_to_their_mean():
    inertia, remarks = body_with_principal_inertias((1.0, 2.0, 6.0), ispher=1)
    np.testing.assert_allclose(inertia, 3.0 * np.eye(3), rtol=1e-14, atol=1e-14)
    assert remarks == []


def test_ispher_2_leaves_an_inertia_within_a_factor_of_1000():
    inertia, remarks = body_with_principal_inertias((1.001, 1000.0, 1000.0), ispher=2)
    assert_same(inertia, np.diag((1.001, 1000.0, 1000.0)))
    assert remarks == []


def test_ispher_2_adds_a_tenth_of_the_largest_to_the_small_ones_and_warns():
    inertia, [warning] = body_with_principal_inertias((0.5, 1000.0, 1000.0), ispher=2)
    assert_same(inertia, np.diag((100.5, 1000.0, 1000.0)))
    assert (warning.severity, warning.field, warning.found) == ("warning", "Ispher", "2")
    assert warning.message == (
        "principal inertias 0.5, 1000, 1000 Mg mm2 differ by a factor of more than 1000: "
        "10% of the largest is added to the small ones"
    )
    assert warning.hint == "Ispher 3 keeps the inertia as computed"


def test_ispher_3_leaves_any_inertia():
    inertia, remarks = body_with_principal_inertias((0.5, 1000.0, 1000.0), ispher=3)
    assert_same(inertia, np.diag((0.5, 1000.0, 1000.0)))
    assert remarks == []


def test_ispher_2_makes_masses_on_a_line_a_body():
    model = model_of_nodes([(0, 0, 0), (1, 2, 2), (-1, -2, -2)])
    nodal = NodalMasses(np.ones(3), np.zeros((3, 3, 3)))
    result, remarks = rigid_body_mass(rigid_body([1, 2], ispher=2), model, nodal)
    assert len(remarks) == 1
    np.testing.assert_allclose(np.linalg.eigvalsh(result.inertia), [1.8, 18, 18], rtol=1e-13)


def test_impossible_inertia_is_a_warning():
    inertia, [warning] = body_with_principal_inertias((1.0, 2.0, 3.1), ispher=3)
    assert_same(inertia, np.diag((1.0, 2.0, 3.1)))
    assert warning.severity == "warning"
    assert warning.message == (
        "principal inertias 1, 2, 3.1 Mg mm2 belong to no real body: the largest exceeds the sum of the other two"
    )
    assert warning.hint == "check the added inertia of the rigid body"


def test_flat_body_with_rounded_inertia_is_no_warning():
    _, remarks = body_with_principal_inertias((1.0, 2.0, 3.0001), ispher=3)
    assert remarks == []


def test_icog_2_without_secondary_mass_is_an_error():
    model = model_of_nodes([(0, 0, 0), (1, 0, 0)])
    body = rigid_body([1], mass=1.0, icog=2, j=(1, 1, 1, 0, 0, 0))
    _, [error] = rigid_body_mass(body, model, NodalMasses(np.zeros(2), np.zeros((2, 3, 3))))
    assert (error.severity, error.keyword, error.id, error.field, error.found) == ("error", "RBODY", 3, "ICoG", "2")
    assert error.message == "the secondary nodes have no mass, so their centre cannot be found"
    assert error.allowed == "1, 3 or 4, or mass on the secondary nodes"


def test_massless_body_stays_at_its_main_node():
    model = model_of_nodes([(1, 2, 3), (4, 5, 6)])
    result, remarks = rigid_body_mass(rigid_body([1]), model, NodalMasses(np.zeros(2), np.zeros((2, 3, 3))))
    assert remarks == []
    np.testing.assert_array_equal(result.centre, [1, 2, 3])


def messages(mass, inertia, units=SI):
    body = BodyMass(mass, np.zeros(3), np.array(inertia, dtype=float), np.zeros(3))
    errors = check_positive(body, StubWhere("RBODY", 3, "arm"), units)
    assert all(error.severity == "error" and error.id == 3 for error in errors)
    return [error.message for error in errors]


def test_body_with_mass_and_inertia_is_no_error():
    assert messages(1.0, np.diag((1e-9, 1.0, 1.0))) == []


def test_missing_mass_and_missing_inertia_are_two_errors():
    assert messages(0.0, np.zeros((3, 3)), TONNE_MM) == [
        "the mass of the body is 0 Mg",
        "the principal inertias of the body are 0, 0, 0 Mg mm2",
    ]


def test_negative_mass_is_an_error():
    assert messages(-2.0, np.eye(3)) == ["the mass of the body is -2 kg"]


def test_masses_on_a_line_in_any_direction_are_an_error():
    random = np.random.default_rng(0)
    for _ in range(50):
        direction = random.standard_normal(3)
        model = model_of_nodes(np.outer(random.standard_normal(9), direction) + random.standard_normal(3))
        body = tied_mass(np.arange(9), model, NodalMasses(random.random(9), np.zeros((9, 3, 3))))
        [error] = check_positive(body, StubWhere(), SI)
        assert error.allowed == "three positive principal inertias"
