"""Conditions on single coordinates: Jacobians, imposed motions against their integrals, release, links of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from body_rig import NO_SKEWS, records_of
from gsolve.solver.constraints.motion_law import MotionLaw
from gsolve.solver.constraints.nodal_constraints import (
    ROTATION,
    TRANSLATION,
    ConditionBuilder,
    Term,
    condition_jacobians,
    condition_residuals,
)
from gsolve.solver.constraints.rows import RowBuilder
from gsolve.solver.core.bodies import GENERAL, GROUND, new_bodies
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine, unit
from naive import dense_jacobian, move_trial, place, rates
from naive.core import Points
from scipy.spatial.transform import Rotation

INERTIA = (0.1, 0.2, 0.25, 0.01, -0.02, 0.03)


def free_mass(t_end=1.0, every=0.1, mass=2.0):
    machine = Machine([(0.3, -0.2, 0.1)], t_end=t_end, every=every)
    machine.mass(1, mass)
    return machine


def tumbling_body(t_end=1.0, every=0.05):
    """Body 1 (main node 1, corner nodes 2 to 4 without mass), spinning about no principal axis."""
    machine = Machine([(0, 0, 0), (0.4, 0, 0), (0, 0.3, 0), (0, 0, 0.5)], t_end=t_end, every=every)
    machine.body(1, [2, 3, 4], mass=2.0, inertia=INERTIA)
    machine.velocity([1], (0.1, 0.2, 0.3), (3.0, 2.0, -1.0))
    return machine


# ---- rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotational", [False, True], ids=["translation", "rotation"])
@pytest.mark.parametrize("nodes", [(0, -1), (0, 1), (0, 2)], ids=["alone", "link", "link_to_ground"])
def test_jacobian_is_the_derivative_of_the_residual(rotational, nodes):
    random = np.random.default_rng(3)
    bodies = new_bodies(3)
    for body in bodies[1:]:
        body["turning"] = GENERAL
        body["displacement"] = random.normal(size=3)
        body["rotation"] = Rotation.random(rng=random).as_matrix()
    points = Points(np.array([1, 2, GROUND]), random.normal(size=(3, 3)) * [[1], [1], [0]], random.normal(size=(3, 3)))
    row_builder, builder = RowBuilder(), ConditionBuilder(records_of(points))
    on = [int(points.body[node]) for node in nodes if node >= 0]
    axis = unit(random.normal(size=3))
    kind = ROTATION if rotational else TRANSLATION
    terms = [Term(node, axis, kind, sign) for node, sign in zip(nodes, (1.0, -1.0), strict=True) if node >= 0]
    builder.add(*row_builder.add(on, 1.0), terms, MotionLaw())
    rows, entries = row_builder.build()
    conditions = Reference(builder.build())

    def residual(h):
        move_trial(bodies, velocities, spins, h)
        condition_residuals(conditions, 0, 1, rows, NO_SKEWS, bodies)
        return float(rows["residual"][0])

    velocities, spins = random.normal(size=(2, 3, 3))
    velocities[0] = spins[0] = 0.0
    condition_jacobians(conditions, 0, 1, entries, bodies)
    rate = rates(dense_jacobian(rows, entries, 3), velocities, spins)[0]
    assert (residual(1e-5) - residual(-1e-5)) / 2e-5 == pytest.approx(rate, abs=1e-9)
    if rotational:
        assert residual(0.3) == pytest.approx(0.3 * rate, abs=1e-15)
    else:
        assert residual(0.3) == pytest.approx(
            sum(sign * axis @ place(bodies, points, node, "trial_") for node, sign in zip(nodes, (1, -1), strict=True)
                if node >= 0), abs=1e-15
        )  # fmt: skip


# ---- imposed motions -------------------------------------------------------------------------------------------


def test_imposed_displacement_is_the_function_at_every_sample():
    machine = free_mass()
    machine.drive("DISP", 1, "Y", "sin(3*t)", scale=0.2)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DY", 1), 0.2 * np.sin(3 * run.times), atol=1e-15)
    np.testing.assert_allclose(run.node("VY", 1), 0.6 * np.cos(3 * run.times), atol=2e-6)
    np.testing.assert_array_equal(run.node("DX", 1), 0.0)


def test_imposed_displacement_of_an_off_centre_node_holds_that_node():
    machine = tumbling_body()
    machine.drive("DISP", 2, "X", "t*t", scale=0.1)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DX", 2), 0.1 * run.times**2, atol=1e-14)
    assert np.ptp(run.node("DX", 1)) > 0.05


@pytest.mark.parametrize("x_scale", [1.0, 2.5])
def test_imposed_velocity_gives_the_exact_integral(x_scale):
    machine = free_mass(t_end=4.0, every=0.5)
    machine.drive("VEL", 1, "X", "cos(t)", scale=0.5, x_scale=x_scale)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DX", 1), 0.5 * x_scale * np.sin(run.times / x_scale), atol=1e-13)
    np.testing.assert_allclose(run.node("VX", 1), 0.5 * np.cos(run.times / x_scale), atol=1e-7)


def test_imposed_velocity_by_points_does_not_drift():
    """A trapezium of velocity, its kinks inside steps: the node arrives exactly."""
    machine = free_mass(t_end=3.0, every=0.25)
    machine.drive("VEL", 1, "Z", [(0.0, 0.0), (0.50037, 2.0), (1.50037, 2.0), (2.00074, 0.0), (5.0, 0.0)])
    run = machine.run(1e-3)
    assert run.node("DZ", 1)[-1] == pytest.approx(2.0 * 1.50037, abs=1e-12)
    assert run.node("VZ", 1)[-1] == pytest.approx(0.0, abs=1e-11)


def test_imposed_velocity_of_an_off_centre_node_does_not_drift_from_its_integral():
    machine = tumbling_body()
    machine.drive("VEL", 3, "Z", "1+t", scale=0.3)
    machine.velocity([1], (0.1, 0.2, 0.0), (3.0, 2.0, -1.0))
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DZ", 3), 0.3 * (run.times + run.times**2 / 2), atol=1e-13)


def test_imposed_acceleration_from_rest_solves_the_leapfrog_sum():
    """a = t, kicked at t_n: x = t^3/6 - dt^2 t/6 exactly, a constant a gives a t^2/2."""
    dt = 1e-3
    machine = free_mass()
    machine.drive("ACC", 1, "X", "t")
    machine.drive("ACC", 1, "Y", scale=3.0)
    run = machine.run(dt)
    t = run.times
    np.testing.assert_allclose(run.node("DX", 1), t**3 / 6 - dt**2 * t / 6, atol=1e-14)
    np.testing.assert_allclose(run.node("DY", 1), 1.5 * t**2, atol=1e-13)
    np.testing.assert_allclose(run.node("VY", 1), 3.0 * t, atol=1e-12)
    np.testing.assert_allclose(run.node("AX", 1), t, atol=1e-9)


def test_imposed_acceleration_starts_from_the_velocity_of_the_node():
    machine = free_mass()
    machine.velocity([1], (2.0, 0.0, 0.0))
    machine.drive("ACC", 1, "X", scale=-4.0)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DX", 1), 2.0 * run.times - 2.0 * run.times**2, atol=1e-13)


@pytest.mark.parametrize("kind", ["DISP", "VEL", "ACC"])
def test_imposed_rotations_follow_the_same_integrals(kind):
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=20.0, every=1.0)
    machine.body(1, [2], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.hold([1], "111 110")
    given, expected = {
        "DISP": ("t+sin(t)", lambda t: t + np.sin(t)),
        "VEL": ("1+cos(t)", lambda t: t + np.sin(t)),
        "ACC": ([(0.0, 2.0), (1.0, 2.0)], lambda t: t**2),
    }[kind]
    machine.drive(kind, 1, "ZZ", given)
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.node("DRZ", 1), expected(run.times), atol=3e-12)
    np.testing.assert_allclose(run.node("X", 2), np.cos(expected(run.times)), atol=3e-12)
    np.testing.assert_allclose(run.node("Y", 2), np.sin(expected(run.times)), atol=3e-12)


def test_motion_acts_from_start_to_stop_and_leaves_the_node_its_velocity():
    machine = free_mass()
    machine.drive("ACC", 1, "X", scale=2.0, window=(0.25, 0.5))
    dt = 1.0 / 64
    run = machine.run(dt)
    t = run.times
    # half kicks where it starts and where it stops
    np.testing.assert_array_equal(run.node("DX", 1)[t <= 0.25], 0.0)
    assert run.node("VX", 1)[-1] == pytest.approx(2.0 * 0.25, abs=1e-14)
    np.testing.assert_array_equal(run.node("AX", 1)[t > 0.5 + dt], 0.0)


def test_sensor_starts_the_function_and_releases_the_node():
    machine = free_mass()
    machine.load(1, "X", 1.0, sensor=machine.sensor(5.0))
    machine.drive("VEL", 1, "X", "t", sensor=machine.sensor(0.25, 0.75))
    run = machine.run(1.0 / 64)
    t = run.times
    np.testing.assert_array_equal(run.node("DX", 1)[t <= 0.25], 0.0)
    during = (t > 0.25) & (t <= 0.75)
    np.testing.assert_allclose(run.node("DX", 1)[during], (t[during] - 0.25) ** 2 / 2, atol=1e-14)
    assert run.node("VX", 1)[-1] == pytest.approx(0.5, abs=0.5 / 64 + 1e-12)
    assert np.ptp(run.node("VX", 1)[t > 0.77]) < 1e-14


def test_a_displacement_counts_from_the_start_of_the_run_and_does_not_catch_a_node_that_moved():
    machine = free_mass()
    machine.velocity([1], (1.0, 0, 0))
    machine.drive("DISP", 1, "X", "t", sensor=machine.sensor(0.5))
    expected = r"/IMPDISP/\d+ on node 1 .* takes hold at step 50, t = 0.5 s .* a position cannot jump"
    with pytest.raises(SimulationError, match=expected):
        machine.run(1e-2)


@pytest.mark.parametrize("kind, given", [("DISP", "sin(t)^2"), ("VEL", "sin(2*t)"), ("ACC", "2*cos(2*t)")])
def test_drive_work_closes_the_energy_balance(kind, given):
    machine = Machine([(0, 0, 0), (0, 0, 0)], t_end=2.0, every=0.1)
    machine.mass(1, 2.0)
    machine.mass(2, 1.0)
    machine.link([1, 2], "100 000")
    machine.gravity([1, 2], "X", -3.0)
    machine.drive(kind, 1, "X", given)
    run = machine.run(1e-2)
    assert np.max(np.abs(run.energy("drive_work"))) > 1.0
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)


@pytest.mark.parametrize("kind, given", [("DISP", "t*t"), ("VEL", "t"), ("ACC", "t")])
def test_energy_balance_closes_over_a_release(kind, given):
    machine = free_mass()
    machine.drive(kind, 1, "X", given, window=(0.0, 0.5))
    run = machine.run(1e-2)
    assert run.energy("drive_work")[-1] > 0.01
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-13)


# ---- fixed directions and links --------------------------------------------------------------------------------


def test_a_single_fixed_rotation_digit_leaves_no_turn_about_that_axis():
    """omega . e = 0 in every step; the body still tumbles about the other two axes."""
    machine = tumbling_body()
    machine.hold([1], "000 010")
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.node("DRY", 1), 0.0, atol=1e-12)
    np.testing.assert_allclose(run.node("VRY", 1), 0.0, atol=2e-4)
    assert np.min(np.abs(run.node("VRX", 1))) > 0.1
    # not holonomic: the body's attitude leaves the set without a turn about y
    assert np.max(np.abs(run.node("Q2", 1))) > 1e-2


def test_fixed_directions_of_a_fixed_skew_hold_in_its_axes():
    axes = Rotation.from_rotvec([0.3, -0.5, 0.8]).as_matrix().T
    machine = free_mass()
    machine.velocity([1], (1.0, 2.0, -1.0))
    machine.hold([1], "010 000", skew=machine.skew(axes))
    run = machine.run(1e-2)
    displacement = run.vector("D", 1)
    np.testing.assert_allclose(displacement @ axes[1], 0.0, atol=1e-15)
    free = np.array([1.0, 2.0, -1.0]) - axes[1] * (axes[1] @ [1.0, 2.0, -1.0])
    np.testing.assert_allclose(displacement, run.times[:, None] * free, atol=1e-13)


def test_linked_nodes_share_the_force_in_the_linked_direction_only():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 2, 0)], t_end=1.0, every=0.25)
    for node, mass in zip((1, 2, 3), (1.0, 2.0, 5.0), strict=True):
        machine.mass(node, mass)
    machine.link([1, 2, 3], "100 000")
    machine.load(2, "X", 16.0)
    machine.load(2, "Y", 4.0)
    run = machine.run(1e-2)
    for node in (1, 2, 3):
        np.testing.assert_allclose(run.node("VX", node), 2.0 * run.times, atol=1e-13)
    np.testing.assert_allclose(run.node("VY", 2), 2.0 * run.times, atol=1e-13)
    np.testing.assert_array_equal(run.node("VY", 1), 0.0)
    np.testing.assert_allclose(run.diag("momentum_x"), 16.0 * run.times, atol=1e-12)


def test_a_link_to_a_held_node_holds_and_to_a_driven_node_drives():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 2, 0), (3, 0, 0)], t_end=1.0, every=0.25)
    for node in (2, 3, 4):
        machine.mass(node, 2.0)
    machine.hold([1], "111 111")
    machine.link([1, 2], "010 000")
    machine.link([3, 4], "100 000")
    machine.load(2, "Y", 4.0)
    machine.drive("VEL", 4, "X", "t")
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.node("DY", 2), 0.0, atol=1e-15)
    np.testing.assert_allclose(run.node("DX", 3), run.times**2 / 2, atol=1e-14)


def test_linked_rotations_turn_alike():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], t_end=1.0, every=0.25)
    machine.body(1, [3], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.body(2, [4], mass=1.0, inertia=(0.3, 0.3, 0.3, 0, 0, 0))
    machine.link([1, 2], "000 001")
    machine.load(1, "ZZ", 0.8)
    run = machine.run(1e-2)
    for node in (1, 2):
        np.testing.assert_allclose(run.node("VRZ", node), 2.0 * run.times, atol=1e-13)


def skate(dt):
    """A mass that must not move sideways to axes that turn at 2 rad/s: a skate, which keeps its speed on a circle."""
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 0, 0)], t_end=1.0, every=0.1)
    machine.body(1, [2, 3], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.velocity([1], (0, 0, 0), (0, 0, 2.0))
    machine.mass(4, 1.0)
    machine.velocity([4], (3.0, 0.0, 0.0))
    machine.hold([4], "010 000", skew=machine.skew(nodes=(1, 2, 3)))
    return machine.run(dt)


def test_a_direction_of_a_moving_skew_turns_with_its_nodes_to_second_order():
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = skate(dt)
        t = run.times
        circle = 1.5 * np.column_stack([np.sin(2 * t), 1 - np.cos(2 * t), 0 * t])
        errors.append(np.max(np.abs(run.vector("D", 4) - circle)))
        np.testing.assert_allclose(run.node("VX", 1), 0.0, atol=1e-12)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.01)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.01)
    assert errors[2] < 2e-6


def test_a_turning_direction_that_is_held_takes_no_energy():
    np.testing.assert_allclose(skate(1e-2).energy("error"), 0.0, atol=1e-13)
