"""What each node becomes: held, dependent on a body, a body of its own, or left out."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.assembly.initial_velocity import best_rigid_field
from gsolve.solver.assembly.node_plan import plan_nodes
from hand_models import Machine
from scipy.spatial.transform import Rotation

CORNERS = [(0.0, 0.0, 0.0), (0.4, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.5)]
INERTIA = (0.1, 0.2, 0.25, 0.0, 0.0, 0.0)


def body_of(machine, node):
    plan = plan_nodes(machine.model)
    return plan.bodies[plan.body_of_node[node - 1]]


def cornered(icog=1):
    """A body with a heavy corner, so that its mass centre is off node 1."""
    machine = Machine(CORNERS)
    machine.mass(2, 1.0)
    machine.body(1, [2, 3, 4], mass=3.0, inertia=INERTIA, icog=icog)
    return machine


# ---- groups ----------------------------------------------------------------------------------------------------


def test_free_masses_are_bodies_of_their_own_where_something_moves_them():
    machine = Machine(CORNERS)
    for node in (1, 2, 3):
        machine.mass(node, 2.0)
    machine.load(1, "X", 1.0)
    machine.gravity([2], "Z", -1.0)
    plan = plan_nodes(machine.model)
    assert plan.body_of_node.tolist() == [0, 1, -1, -1]
    assert [body.main_node for body in plan.bodies] == [0, 1]
    assert not plan.held.any()


def test_a_massless_node_in_a_gravity_group_or_with_a_velocity_is_left_out():
    machine = Machine(CORNERS)
    machine.gravity([1, 2], "Z", -1.0)
    machine.velocity([1, 3], (1.0, 0.0, 0.0))
    machine.mass(2, 1.0)
    assert plan_nodes(machine.model).body_of_node.tolist() == [-1, 0, -1, -1]


def test_a_body_moves_as_soon_as_something_acts_on_any_of_its_nodes():
    machine = cornered()
    assert plan_nodes(machine.model).body_of_node.tolist() == [-1] * 4
    machine.load(4, "X", 1.0)
    assert plan_nodes(machine.model).body_of_node.tolist() == [0] * 4


def test_a_tie_on_a_node_of_a_body_joins_that_body():
    """Also in a chain, in whatever order; masses and inertia of the whole by the parallel-axis theorem."""
    places = np.array([*CORNERS, (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 2.0)])
    masses = np.array([0.0, 1.0, 0.5, 0.0, 2.0, 1.5, 0.75])
    machine = Machine(places)
    for node, mass in enumerate(masses, start=1):
        if mass:
            machine.mass(node, mass)
    machine.tie(5, [6])
    machine.tie(4, [5])
    machine.tie(2, [7])
    machine.body(1, [2, 3, 4], mass=3.0, inertia=INERTIA)
    machine.load(6, "X", 1.0)
    plan = plan_nodes(machine.model)
    assert plan.body_of_node.tolist() == [0] * 7
    assert len(set(plan.group_of_node.tolist())) == 1
    masses[0] = 3.0
    # the main node stands at the mass centre of the /RBODY, and brings its mass and inertia there
    centre_of_body = (masses[:4] @ places[:4]) / masses[:4].sum()
    np.testing.assert_allclose(plan.coordinates[0], centre_of_body, atol=1e-15)
    body = plan.bodies[0]
    centre = (masses @ places) / masses.sum()
    assert body.mass == pytest.approx(masses.sum(), rel=1e-15)
    np.testing.assert_allclose(body.reference, centre, atol=1e-15)
    inertia = np.diag(INERTIA[:3])
    for mass, place in zip(masses, places, strict=True):
        arm = place - centre
        inertia += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(body.inertia, inertia, atol=1e-14)


def test_two_ties_with_one_main_node_are_one_body():
    machine = Machine(CORNERS)
    for node in (1, 2, 3, 4):
        machine.mass(node, 1.0)
    machine.tie(1, [2])
    machine.tie(1, [3, 4])
    machine.load(2, "X", 1.0)
    plan = plan_nodes(machine.model)
    assert (plan.body_of_node.tolist(), plan.bodies[0].mass) == ([0, 0, 0, 0], 4.0)


# ---- held triples ----------------------------------------------------------------------------------------------


def test_translations_and_rotations_held_in_pieces_hold_the_node():
    machine = Machine(CORNERS)
    machine.mass(1, 1.0)
    machine.joint("GEAR", [1, 2, 3], [(0, 0, 1)] * 2, masses=[0, 1, 1], inertias=[1, 1, 1])
    machine.hold([1], "110 001")
    machine.hold([1], "001 110")
    plan = plan_nodes(machine.model)
    assert plan.held.tolist() == [True, False, False, False]
    assert plan.body_of_node[0] == -1


def test_directions_in_the_axes_of_different_skews_do_not_add_up_to_a_triple():
    machine = Machine(CORNERS)
    machine.mass(1, 1.0)
    machine.load(1, "X", 1.0)
    skew = machine.skew(Rotation.from_rotvec([0, 0, 0.3]).as_matrix().T)
    machine.hold([1], "110 000")
    machine.hold([1], "001 000", skew=skew)
    assert not body_of(machine, 1).holds_translation


def test_a_point_mass_with_three_translations_held_is_held_and_one_with_inertia_may_turn():
    machine = Machine(CORNERS)
    machine.mass(1, 1.0)
    machine.joint("GEAR", [4, 2, 3], [(0, 0, 1)] * 2, masses=[1, 1, 1], inertias=[1, 1, 1])
    machine.load(1, "X", 1.0)
    machine.hold([1, 2], "111 000")
    plan = plan_nodes(machine.model)
    assert plan.held.tolist() == [True, False, False, False]
    assert plan.bodies[plan.body_of_node[1]].holds_translation


def test_a_tied_body_held_at_its_main_node_turns_about_it():
    machine = Machine(CORNERS)
    for node, mass in ((2, 1.0), (3, 2.0), (4, 3.0)):
        machine.mass(node, mass)
    machine.tie(1, [2, 3, 4])
    machine.hold([1], "111 000")
    machine.gravity([1], "Z", -9.81)
    body = body_of(machine, 1)
    np.testing.assert_array_equal(body.reference, CORNERS[0])
    np.testing.assert_allclose(body.mass_arm, np.array([0.4, 0.6, 1.5]) / 6, atol=1e-16)
    xx, yy, zz = 2 * 0.09 + 3 * 0.25, 0.16 + 3 * 0.25, 0.16 + 2 * 0.09
    np.testing.assert_allclose(body.inertia, np.diag([xx, yy, zz]), atol=1e-15)


def test_a_triple_on_a_secondary_node_is_ignored():
    machine = cornered()
    machine.hold([2], "111 111")
    machine.load(3, "X", 1.0)
    plan = plan_nodes(machine.model)
    assert plan.body_of_node.tolist() == [0] * 4
    assert not plan.bodies[0].holds_translation


# ---- initial velocities ----------------------------------------------------------------------------------------


def test_main_node_sets_the_motion_of_the_body_at_its_moved_place():
    machine = cornered(icog=1)
    machine.velocity([1, 2, 3, 4], (1.0, 2.0, 3.0), (0.5, -1.0, 2.0))
    plan = plan_nodes(machine.model)
    body = plan.bodies[0]
    np.testing.assert_allclose(plan.coordinates[0], [0.1, 0.0, 0.0], atol=1e-16)
    np.testing.assert_array_equal(body.velocity, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(body.angular_velocity, [0.5, -1.0, 2.0])


def test_velocity_about_an_axis_is_that_of_the_place_before_icog_moved_the_node():
    """/INIVEL/AXIS gives the field v + omega x r at the node's place in the deck."""
    spin = np.array([0.0, 0.0, 2.0])
    machine = cornered(icog=1)
    machine.velocity([1], (0.0, 5.0, 0.0), spin, kind="AXIS")
    body = body_of(machine, 1)
    np.testing.assert_allclose(body.velocity, np.array([0.0, 5.0, 0.0]) + np.cross(spin, [0.1, 0, 0]), atol=1e-15)


def test_the_last_velocity_read_stays_for_each_part():
    machine = cornered()
    machine.velocity([1], (1.0, 0.0, 0.0), (0.0, 0.0, 4.0))
    machine.velocity([1], (0.0, 7.0, 0.0))
    body = body_of(machine, 1)
    np.testing.assert_array_equal(body.velocity, [0.0, 7.0, 0.0])
    np.testing.assert_array_equal(body.angular_velocity, [0.0, 0.0, 4.0])


def test_secondary_nodes_alone_set_the_motion_when_they_are_a_rigid_field():
    spin, velocity = np.array([0.5, -1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    machine = cornered()
    machine.velocity([2, 3, 4], velocity + np.cross(spin, np.array(CORNERS[1:]) - [0.1, 0.0, 0.0]))
    plan = plan_nodes(machine.model)
    assert plan.diagnostics == []
    np.testing.assert_allclose(plan.bodies[0].velocity, velocity, atol=1e-14)
    np.testing.assert_allclose(plan.bodies[0].angular_velocity, spin, atol=1e-14)


def test_secondary_nodes_alone_that_are_no_rigid_field_are_an_error():
    machine = cornered()
    machine.velocity([2, 3, 4], [(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.5)])
    (found,) = plan_nodes(machine.model).diagnostics
    assert (found.severity, found.keyword, found.id) == ("error", "/RBODY", 2)
    assert found.message == (
        "only secondary nodes have an initial velocity, and theirs is not the motion of a rigid body "
        f"(largest deviation {best_rigid_misfit():.2g} of the largest velocity)"
    )
    assert found.hint == "give the initial velocity to the main node, which sets the motion of the body"


def best_rigid_misfit():
    """Least squares by normal equations with a cross-product matrix."""
    arms = np.array(CORNERS[1:]) - [0.1, 0.0, 0.0]
    given = np.array([(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.5)])
    columns = [np.tile(axis, (3, 1)) for axis in np.eye(3)] + [np.cross(axis, arms) for axis in np.eye(3)]
    matrix = np.stack([column.ravel() for column in columns], axis=1)
    solution = np.linalg.solve(matrix.T @ matrix, matrix.T @ given.ravel())
    return np.abs(matrix @ solution - given.ravel()).max()


def test_best_rigid_field_recovers_a_motion_and_measures_the_misfit():
    random = np.random.default_rng(4)
    arms, spin, velocity = random.normal(size=(10, 3)), random.normal(size=3), random.normal(size=3)
    field = velocity + np.cross(spin, arms)
    found = best_rigid_field(arms, field)
    np.testing.assert_allclose(found[0], velocity, atol=1e-14)
    np.testing.assert_allclose(found[1], spin, atol=1e-14)
    assert found[2] < 1e-14
    field[3] += 0.1
    assert best_rigid_field(arms, field)[2] > 0.01


@pytest.mark.parametrize("nodes", [[2], [2, 3]], ids=["one_node", "two_nodes"])
def test_equal_velocities_of_a_few_secondary_nodes_are_a_translation(nodes):
    machine = Machine([(0, 0, 0), (1, 1, 0), (1, -1, 0)])
    machine.body(1, [2, 3], mass=5.0, inertia=(1, 1, 1, 0, 0, 0))
    machine.velocity(nodes, (0.0, 0.0, 1.0))
    machine.load(1, "X", 1.0)
    body = body_of(machine, 1)
    np.testing.assert_allclose(body.velocity, [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(body.angular_velocity, 0.0, atol=1e-12)


@pytest.mark.parametrize("tied", [True, False])
def test_a_held_node_has_no_initial_velocity(tied):
    machine = Machine(CORNERS)
    machine.joint("GEAR", [1, 2, 3], [(0, 0, 1)] * 2, masses=[1, 1, 1], inertias=[1, 1, 1])
    if tied:
        machine.tie(1, [4])
        machine.mass(4, 1.0)
    machine.hold([1], "111 000")
    machine.velocity([1], (0.0, 1.0, 0.0), (0.0, 0.0, 2.0))
    body = body_of(machine, 1)
    np.testing.assert_array_equal(body.velocity, 0.0)
    np.testing.assert_array_equal(body.angular_velocity, [0.0, 0.0, 2.0])


# ---- checks ----------------------------------------------------------------------------------------------------


def test_tied_nodes_on_one_line_get_an_inertia_about_it_and_a_warning():
    machine = Machine([(0, 0, 0), (0.6, 0.8, 0.0), (1.2, 1.6, 0.0)])
    machine.mass(2, 2.0)
    machine.mass(3, 1.0)
    machine.tie(1, [2, 3])
    machine.load(2, "Z", 1.0)
    plan = plan_nodes(machine.model)
    (found,) = plan.diagnostics
    about_centre = 2.0 * (1 / 3) ** 2 + 1.0 * (2 / 3) ** 2
    assert (found.severity, found.keyword) == ("warning", "/RBE2")
    assert found.message == (
        "the tied nodes lie on one line, about which they have no inertia; there the largest principal inertia is "
        f"used, {about_centre:.6g} kg m2"
    )
    np.testing.assert_allclose(plan.bodies[0].inertia, about_centre * np.eye(3), atol=1e-15)


def test_a_body_without_mass_or_inertia_is_named_with_both_errors():
    machine = Machine(CORNERS)
    machine.body(1, [2, 3])
    machine.load(1, "X", 1.0)
    found = plan_nodes(machine.model).diagnostics
    assert [(d.severity, d.keyword, d.message) for d in found] == [
        ("error", "/RBODY", "the mass of the body is 0 kg"),
        ("error", "/RBODY", "the principal inertias of the body are 0, 0, 0 kg m2"),
    ]
