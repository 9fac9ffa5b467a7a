"""Nodes tied in some directions (partial /RBE2) and sums of velocities (/MPC): closed forms, momentum, energy."""

from __future__ import annotations

import numpy as np
import pytest
from body_rig import NO_SKEWS, records_of
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.constraints.motion_law import MotionLaw
from gsolve.solver.constraints.nodal_constraints import (
    RIDING,
    ConditionBuilder,
    Term,
    condition_jacobians,
    condition_residuals,
)
from gsolve.solver.constraints.rows import RowBuilder
from gsolve.solver.core.bodies import GROUND, new_bodies
from hand_models import Machine, unit
from naive import dense_jacobian, move_trial, rates
from naive.core import Points
from scipy.spatial.transform import Rotation

MOMENTA = [f"{quantity}_{axis}" for quantity in ("momentum", "angular_momentum") for axis in "xyz"]


def riding_row(main: int):
    """One RIDING row of a point on body 1 against one on body `main`, in the middle of a tumbling motion."""
    random = np.random.default_rng(5)
    bodies = new_bodies(3)
    for body in bodies[1:]:
        body["displacement"] = random.normal(size=3)
        body["rotation"] = Rotation.random(rng=random).as_matrix()
    arms = random.normal(size=(2, 3)) * [[1.0], [float(main != GROUND)]]
    points = Points(np.array([1, main]), arms, random.normal(size=(2, 3)))
    rows_builder, builder = RowBuilder(), ConditionBuilder(records_of(points))
    terms = [Term(0, unit(random.normal(size=3)), RIDING, main=1)]
    builder.add(*rows_builder.add(terms[0].bodies(records_of(points)), 1.0), terms, MotionLaw())
    return bodies, points, rows_builder.build(), builder.build()


def residual_of(bodies, rows, conditions):
    condition_residuals(conditions, 0, 1, rows, NO_SKEWS, bodies)
    return float(rows["residual"][0])


@pytest.mark.parametrize("main", [2, GROUND], ids=["body", "ground"])
def test_jacobian_of_a_riding_node_is_the_derivative_of_the_residual(main):
    bodies, _, (rows, entries), conditions = riding_row(main)
    velocities, spins = np.random.default_rng(6).normal(size=(2, 3, 3))
    velocities[0] = spins[0] = 0.0
    condition_jacobians(conditions, 0, 1, entries, bodies)
    rate = rates(dense_jacobian(rows, entries, 3), velocities, spins)[0]
    values = []
    for h in (1e-5, -1e-5):
        move_trial(bodies, velocities, spins, h)
        values.append(residual_of(bodies, rows, conditions))
    assert (values[0] - values[1]) / 2e-5 == pytest.approx(rate, abs=1e-9)


def test_a_riding_node_does_not_see_a_rigid_motion_of_any_size():
    bodies, points, (rows, _), conditions = riding_row(2)
    turn, shift = Rotation.from_rotvec([1.0, -2.0, 0.5]), np.array([3.0, 1.0, -2.0])
    # positions are origin + displacement (+ arm turned): turn everything about the origin of coordinates
    centres = np.vstack([np.zeros(3), points.origin - points.arm])
    for k, body in enumerate(bodies):
        place = centres[k] + body["displacement"]
        body["trial_displacement"] = turn.apply(place) + shift - centres[k]
        body["trial_rotation"] = turn.as_matrix() @ body["rotation"]
    assert residual_of(bodies, rows, conditions) == pytest.approx(0.0, abs=1e-14)


# ---- partial /RBE2 ---------------------------------------------------------------------------------------------


def two_bodies_in_flight(digits, offset=True, skewed=False, t_end=1.0):
    """Bodies 1 (corners 3 to 5) and 2 (corner 6), of unequal inertia and apart from each other, tumbling freely."""
    places = [(0, 0, 0), (0.5, 0.3, -0.2), (0.4, 0, 0), (0, 0.3, 0), (0, 0, 0.5), (0.9, 0.3, -0.2)]
    machine = Machine(places, t_end=t_end, every=t_end / 20)
    machine.body(1, [3, 4, 5], mass=2.0, inertia=(0.1, 0.2, 0.25, 0.01, -0.02, 0.03))
    machine.body(2, [6], mass=1.0, inertia=(0.05, 0.02, 0.06, 0, 0, 0))
    machine.velocity([1], (0.1, 0.2, 0.3), (3.0, 2.0, -1.0))
    machine.velocity([2], (0.4, -0.2, 0.1), (3.0, -2.0, 1.0))
    machine.tie_some(1, [2], digits, skew=machine.skew(nodes=(1, 3, 4)) if skewed else 0, offset=offset)
    return machine


def in_main_axes(run):
    """Node 2 as seen from body 1 (nt, 3)."""
    turn = Rotation.from_quat(np.stack([run.node(f"Q{k}", 1) for k in range(4)], axis=1), scalar_first=True)
    return turn.inv().apply(run.vector("", 2) - run.vector("", 1))


@pytest.mark.parametrize("digits", ["100 000", "110 001", "111 000", "000 110"])
@pytest.mark.parametrize("skewed", [False, True], ids=["global", "moving_skew"])
def test_a_tie_of_some_directions_keeps_all_momenta(digits, skewed):
    run = two_bodies_in_flight(digits, skewed=skewed).run(1e-3)
    for name in MOMENTA:
        np.testing.assert_allclose(run.diag(name), run.diag(name)[0], atol=2e-14, err_msg=name)


def test_three_tied_translations_hold_the_node_in_the_main_body_for_good():
    run = two_bodies_in_flight("111 000", t_end=20.0).run(2e-3)
    np.testing.assert_allclose(in_main_axes(run), [(0.5, 0.3, -0.2)] * len(run.times), atol=1e-13)
    assert np.ptp(run.node("Q1", 2)) > 0.5


def test_tied_directions_of_a_skew_on_the_main_body_are_those_of_the_body():
    """Two translations tied along axes that the main body carries: the node slides along the third."""
    run = two_bodies_in_flight("011 000", skewed=True, t_end=5.0).run(1e-3)
    np.testing.assert_allclose(in_main_axes(run)[:, 1:], [(0.3, -0.2)] * len(run.times), atol=1e-13)
    assert np.ptp(in_main_axes(run)[:, 0]) > 0.1


def test_three_tied_rotations_turn_both_bodies_alike():
    run = two_bodies_in_flight("000 111", t_end=5.0).run(1e-3)
    for k in range(4):
        np.testing.assert_allclose(run.node(f"Q{k}", 2), run.node(f"Q{k}", 1), atol=1e-13)


@pytest.mark.parametrize("digits", ["100 000", "110 001"])
def test_energy_of_a_tie_in_flight_has_a_band_of_second_order(digits):
    bands = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = two_bodies_in_flight(digits).run(dt)
        bands.append(np.max(np.abs(run.energy("error"))) / run.energy("total")[0])
    assert bands[0] / bands[1] == pytest.approx(4.0, rel=0.15)
    assert bands[1] / bands[2] == pytest.approx(4.0, rel=0.15)
    assert bands[2] < 1e-5


def test_a_tie_without_offset_is_a_link_of_velocities():
    """Iflag 1: the node has the velocity of the main node although that turns; linear momentum alone is kept."""
    machine = two_bodies_in_flight("110 000", offset=False)
    machine.velocity([2], (0.1, 0.2, 0.3), (0, 0, 0))
    run = machine.run(1e-3)
    for axis in "XY":
        np.testing.assert_allclose(run.node("V" + axis, 2), run.node("V" + axis, 1), atol=1e-13)
        np.testing.assert_allclose(run.diag("momentum_" + axis.lower()), run.diag("momentum_" + axis.lower())[0])
    assert np.ptp(in_main_axes(run)[:, 0]) > 0.1
    assert ["angular momentum is not kept" in w.message for w in run.simulation.warnings] == [True]


def test_a_tie_with_offset_is_not_warned_about():
    assert two_bodies_in_flight("111 000").simulation(1e-3).warnings == []


def test_a_node_without_mass_follows_the_main_node():
    machine = Machine([(0, 0, 0), (0, 1, 0), (1, 0, 0)], t_end=1.0, every=0.1)
    machine.body(1, [2], mass=2.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.velocity([1], (0, 0, 0), (0, 0, 2.0))
    machine.tie_some(1, [3], "111 000")
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("X", 3), np.cos(2 * run.times), atol=1e-6)
    np.testing.assert_allclose(run.node("Y", 3), np.sin(2 * run.times), atol=1e-6)


# ---- /MPC ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skewed", [False, True], ids=["global", "fixed_skew"])
def test_a_sum_of_velocities_shares_constant_forces_as_gauss_says(skewed):
    """a_i = (F_i + lambda alpha_i)/m_i with sum of alpha_i a_i = 0: least constraint."""
    masses, forces, alpha = np.array([1.0, 2.0, 5.0]), np.array([3.0, -2.0, 7.0]), np.array([1.0, -2.5, 0.5])
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 2, 0)], t_end=1.0, every=0.25)
    axes = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix().T if skewed else np.eye(3)
    skew = machine.skew(axes) if skewed else 0
    for node in (1, 2, 3):
        machine.mass(node, masses[node - 1])
        machine.load(node, "Y", forces[node - 1], skew=skew)
    machine.sum_of_velocities(*zip(alpha, (1, 2, 3), "YYY", strict=True), skew=skew)
    run = machine.run(1e-2)
    multiplier = -np.sum(alpha * forces / masses) / np.sum(alpha**2 / masses)
    expected = (forces + multiplier * alpha) / masses
    for node in (1, 2, 3):
        along = run.vector("D", node) @ axes[1]
        np.testing.assert_allclose(along, 0.5 * expected[node - 1] * run.times**2, atol=1e-13)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)


def test_a_sum_of_a_velocity_and_a_spin_winds_a_rope():
    """v - r omega = 0 between a falling weight and a drum: a = g m/(m + J/r^2), for many turns."""
    machine = Machine([(0, 0, 0), (1, 0, 0), (2, 0, 0)], t_end=10.0, every=0.5)
    machine.body(1, [2], mass=1.0, inertia=(0.3, 0.3, 0.3, 0, 0, 0))
    machine.hold([1], "111 110")
    machine.mass(3, 4.0)
    machine.gravity([3], "Y", 9.81)
    machine.sum_of_velocities((1.0, 3, "Y"), (-0.25, 1, "ZZ"))
    run = machine.run(1e-2)
    acceleration = 9.81 * 4.0 / (4.0 + 0.3 / 0.25**2)
    np.testing.assert_allclose(run.node("DY", 3), 0.5 * acceleration * run.times**2, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(0.25 * run.node("DRZ", 1), run.node("DY", 3), atol=1e-12)


def test_two_nodes_of_one_body_may_stand_in_one_sum():
    """v_y of one end = - v_y of the other: the rod turns about its middle only."""
    machine = Machine([(0, 0, 0), (1, 0, 0), (-1, 0, 0)], t_end=1.0, every=0.25)
    machine.body(1, [2, 3], mass=2.0, inertia=(0.1, 0.4, 0.4, 0, 0, 0))
    machine.load(2, "Y", 0.3)
    machine.sum_of_velocities((1.0, 2, "Y"), (1.0, 3, "Y"))
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DY", 2) + run.node("DY", 3), 0.0, atol=1e-14)
    np.testing.assert_allclose(run.node("ARZ", 1)[0], 0.3 / 0.4, rtol=1e-6)


def test_a_sum_with_a_held_node_holds_the_others():
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=1.0, every=0.25)
    machine.hold([1], "111 111")
    machine.mass(2, 3.0)
    machine.load(2, "X", 1.0)
    machine.sum_of_velocities((2.0, 1, "X"), (1.0, 2, "X"))
    np.testing.assert_allclose(machine.run(1e-2).node("DX", 2), 0.0, atol=1e-15)


def test_a_direction_of_a_moving_skew_in_a_sum_is_a_skate():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 0, 0)], t_end=1.0, every=0.1)
    machine.body(1, [2, 3], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.velocity([1], (0, 0, 0), (0, 0, 2.0))
    machine.mass(4, 1.0)
    machine.velocity([4], (3.0, 0.0, 0.0))
    machine.sum_of_velocities((0.7, 4, "Y"), skew=machine.skew(nodes=(1, 2, 3)))
    run = machine.run(1e-3)
    circle = 1.5 * np.column_stack([np.sin(2 * run.times), 1 - np.cos(2 * run.times), 0 * run.times])
    np.testing.assert_allclose(run.vector("D", 4), circle, atol=2e-6)


@pytest.mark.parametrize(
    "alpha, expected",
    [((1.0, -1.0), "so angular momentum is not kept"), ((1.0, 2.0), "neither linear nor angular momentum is kept")],
)
def test_sums_that_do_not_keep_momentum_say_so(alpha, expected):
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=1.0)
    machine.mass(1, 1.0)
    machine.mass(2, 1.0)
    machine.sum_of_velocities((alpha[0], 1, "Y"), (alpha[1], 2, "Y"))
    (warning,) = machine.simulation(1e-2).warnings
    assert expected in warning.message


def test_nodes_of_sums_and_main_nodes_need_mass_and_inertia():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0)], t_end=1.0)
    machine.mass(2, 1.0)
    machine.sum_of_velocities((1.0, 3, "Y"), (1.0, 2, "ZZ"))
    machine.tie_some(1, [2], "100 000")
    with pytest.raises(DeckError) as caught:
        machine.assemble()
    assert sorted(d.message for d in caught.value.diagnostics) == [
        "node 1 has no mass, so it cannot lead the dependent nodes",
        "node 1 has no rotary inertia, so the dependent nodes cannot turn with it",
        "node 2 has no rotary inertia, so the sum cannot move it",
        "node 3 has no mass, so the sum cannot move it",
    ]
