"""Histories of gear joints: reactions against closed forms, signs of torques, and no power in a joint."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.rotation import rotation_matrices
from hand_models import Machine, unit

Z = (0.0, 0.0, 1.0)
PLACES = [(0.0, 0.0, 0.0), (0.2, 0.03, -0.05), (-0.1, 0.15, 0.07), (-0.1, -0.15, 0.02)]
ANY_AXES = [unit((0.2, -0.4, 0.9)), unit((0.6, 0.1, 0.8)), unit((0.0, 0.6, 0.8))]


def assembly(kind, *, spin=(0.0, 0.0, 0.0), t_end=0.2):
    """A free joint on a carrier of three inertias, turning as one about the origin with `spin`."""
    machine = Machine(PLACES[: 4 if kind == "DIFF" else 3], t_end=t_end, every=0.02)
    shafts = len(machine.model.nodes) - 1
    masses, inertias = [1.0, 1.5, 2.0, 1.2][: shafts + 1], [0.0, 0.005, 0.01, 0.008][: shafts + 1]
    machine.joint(kind, range(1, shafts + 2), ANY_AXES[:shafts], 0.7, masses, inertias)
    machine.body(1, [], inertia=(0.02, 0.03, 0.045, 0.0, 0.0, 0.0))
    for node in range(1, shafts + 2):
        machine.velocity([node], np.cross(spin, PLACES[node - 1]), spin)
    return machine


def test_torques_of_a_held_gear_pair_have_the_signs_of_the_documentation():
    """Torque M on shaft 1: its bearing passes alpha lambda on, T2 = lambda turns shaft 2 (omega_2 = -alpha omega_1)."""
    alpha, torque, i1, i2 = 0.5, 1.0, 0.02, 0.08
    machine = Machine([(0, 0, 0), (0, 0, 0), (0.3, 0, 0)], t_end=0.2, every=0.02)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], alpha, 1.0, [1.0, i1, i2])
    machine.hold([1], "111 111")
    machine.load(2, "ZZ", torque)
    run = machine.run(1e-3)
    acceleration = torque / (i1 + alpha**2 * i2)
    np.testing.assert_allclose(run.joint("VEL1"), acceleration * run.times, atol=1e-12)
    np.testing.assert_allclose(run.joint("VEL2"), -alpha * acceleration * run.times, atol=1e-12)
    np.testing.assert_allclose(run.joint("ANG2"), -alpha * acceleration * run.times**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.joint("T1"), i1 * acceleration - torque, rtol=1e-9)
    np.testing.assert_allclose(run.joint("T2"), -i2 * alpha * acceleration, rtol=1e-9)
    for name in ("U2", "V2", "F2", "ANG3", "FX3"):
        assert np.all(np.isnan(run.joint(name)))


def test_force_on_a_rack_and_its_coordinate():
    alpha, torque, inertia, mass = 0.05, 0.1, 0.01, 2.0
    machine = Machine([(0, 0, 0), (0, 0.05, 0), (0.2, 0, 0)], t_end=0.2, every=0.02)
    machine.joint("RACK", [1, 2, 3], [Z, (1, 0, 0)], alpha, [1.0, 1.0, mass], [1.0, inertia, 0.0])
    machine.hold([1], "111 111")
    machine.load(2, "ZZ", torque)
    run = machine.run(1e-3)
    acceleration = torque / (inertia + alpha**2 * mass)
    np.testing.assert_allclose(run.joint("U2"), -alpha * acceleration * run.times**2 / 2, atol=1e-14)
    np.testing.assert_allclose(run.joint("V2"), -alpha * acceleration * run.times, atol=1e-13)
    np.testing.assert_allclose(run.joint("F2"), -mass * alpha * acceleration, rtol=1e-9)
    np.testing.assert_allclose(run.joint("T1"), inertia * acceleration - torque, rtol=1e-9)
    for name in ("ANG2", "VEL2", "T2"):
        assert np.all(np.isnan(run.joint(name)))


@pytest.mark.parametrize("node, force", [(2, (3.0, 4.0, 5.0)), (3, (-1.0, 2.0, 7.0))])
def test_bearings_of_a_held_carrier_carry_the_loads_of_their_own_node(node, force):
    """Through turned axes: the bearing force is minus the load on that node, and zero on the other."""
    machine = Machine([(0, 0, 0), (0.1, 0.2, 0), (0.3, 0, 0.2)], t_end=0.1, every=0.05)
    machine.joint("GEAR", [1, 2, 3], ANY_AXES[:2], 0.5, 1.0, 0.01)
    machine.hold([1], "111 111")
    moment = np.cross(ANY_AXES[node - 2], (1.0, -2.0, 0.5))  # at right angles to the axis
    for c, axis in enumerate("XYZ"):
        machine.load(node, axis, force[c])
        machine.load(node, axis * 2, float(moment[c]))
    run = machine.run(1e-2)
    other = 5 - node
    np.testing.assert_allclose(run.joint_vector("F", node - 1), np.tile(-np.array(force), (3, 1)), atol=1e-12)
    np.testing.assert_allclose(run.joint_vector("M", node - 1), np.tile(-moment, (3, 1)), atol=1e-12)
    np.testing.assert_allclose(run.joint_vector("F", other - 1), 0.0, atol=1e-12)
    np.testing.assert_allclose(run.joint_vector("M", other - 1), 0.0, atol=1e-12)


def test_bearings_of_a_turning_arm_pull_inwards_by_m_omega_squared_r():
    """A carrier driven steadily about z: F_k = m w x (w x r), which turns with the carrier; no torque, no moment."""
    spin = np.array([0.0, 0.0, 3.0])
    machine = assembly("GEAR", spin=spin)
    machine.hold([1], "111 110")
    machine.drive("VEL", 1, "ZZ", 0, scale=3.0)
    run = machine.run(1e-4)
    for k, mass, inertia in ((1, 1.5, 0.005), (2, 2.0, 0.01)):
        places = run.vector("", k + 1)
        expected = mass * np.cross(spin, np.cross(spin, places))
        np.testing.assert_allclose(run.joint_vector("F", k)[1:], expected[1:], atol=2e-7 * mass)
        # the half kick at t = 0 answers for a third of the jerk over the step: m Omega^3 r dt/3
        np.testing.assert_allclose(run.joint_vector("F", k)[0], expected[0], atol=mass * 27.0 * 0.25 * 1e-4 / 3)
        np.testing.assert_allclose(run.joint_vector("M", k)[1:], 0.0, atol=1e-7)
        np.testing.assert_allclose(run.joint_vector("M", k)[0], 0.0, atol=inertia * 27.0 * 1e-4)  # likewise
    np.testing.assert_allclose(run.joint("T1"), 0.0, atol=1e-6)
    assert run.simulation.warnings == []


@pytest.mark.parametrize("kind", ["GEAR", "DIFF", "RACK"])
def test_a_joint_does_no_work(kind):
    """Power of all reactions on the shafts and of their opposites on the carrier is zero at every sample."""
    spin = np.array([2.0, -1.0, 3.0])
    machine = assembly(kind, spin=spin)
    machine.load(2, "ZZ", 0.5)
    machine.load(3, "X", 2.0)
    run = machine.run(1e-4)
    carrier = run.node_ids[0]
    power, size = np.zeros(len(run.times)), np.zeros(len(run.times))
    for k in range(1, len(run.node_ids)):
        force, moment = run.joint_vector("F", k).copy(), run.joint_vector("M", k).copy()
        axis = axes_of(run, carrier) @ ANY_AXES[k - 1]
        if kind == "RACK" and k == 2:
            force += run.joint("F2")[:, None] * axis
            moment = np.nan_to_num(moment)
        else:
            moment += run.joint(f"T{k}")[:, None] * axis
        arm = run.vector("", k + 1) - run.vector("", carrier)
        slip = run.vector("V", k + 1) - run.vector("V", carrier) - np.cross(run.vector("VR", carrier), arm)
        turn = run.vector("VR", k + 1) - run.vector("VR", carrier)
        turn = 0.0 * turn if kind == "RACK" and k == 2 else turn
        power += np.sum(force * slip, axis=1) + np.sum(moment * turn, axis=1)
        size += np.linalg.norm(force, axis=1) * np.linalg.norm(run.vector("V", k + 1), axis=1)
    assert np.max(size) > 1.0
    np.testing.assert_allclose(power, 0.0, atol=2e-6 * np.max(size))


def axes_of(run, node):
    """(nt, 3, 3) rotation of a node, from its quaternion."""
    return rotation_matrices(np.stack([run.node(f"Q{c}", node) for c in range(4)], axis=1))


@pytest.mark.parametrize("kind", ["GEAR", "DIFF"])
def test_reactions_are_what_changes_the_momentum_of_each_shaft(kind):
    """m A = load + F and dL/dt = moment + M + T r for every shaft (spherical inertia: I alpha)."""
    machine = assembly(kind, spin=(2.0, -1.0, 3.0))
    machine.load(2, "Y", 2.0)
    run = machine.run(1e-4)
    masses, inertias = (1.5, 2.0, 1.2), (0.005, 0.01, 0.008)
    for k in range(1, len(run.node_ids)):
        load = np.array([0.0, 2.0 if k == 1 else 0.0, 0.0])
        np.testing.assert_allclose(masses[k - 1] * run.vector("A", k + 1), load + run.joint_vector("F", k), atol=1e-9)
        axis = axes_of(run, 1) @ ANY_AXES[k - 1]
        moment = run.joint_vector("M", k) + run.joint(f"T{k}")[:, None] * axis
        np.testing.assert_allclose(inertias[k - 1] * run.vector("AR", k + 1), moment, atol=1e-9)


def test_residual_of_a_joint_is_the_worst_of_its_own_rows():
    machine = assembly("DIFF", spin=(2.0, -1.0, 3.0))
    run = machine.run(1e-4)
    np.testing.assert_array_equal(run.joint("RES"), run.diag("constraint_violation"))
    assert 0.0 < np.max(run.joint("RES")) < 1e-13


def test_joints_of_a_deck_have_their_own_columns_and_held_ones_are_empty():
    machine = Machine([(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)] * 3, t_end=0.1, every=0.05)
    for first in (1, 4, 7):
        machine.joint("GEAR", [first, first + 1, first + 2], [Z, Z], 0.5 * first, 1.0, 0.01)
    machine.hold([1, 2, 3, 4, 7], "111 111")
    machine.load(5, "ZZ", 0.02)
    machine.load(8, "ZZ", 0.04)
    run = machine.run(1e-2)
    assert np.all(np.isnan(run.joint("VEL1", 0)))
    for place, alpha, torque in ((1, 2.0, 0.02), (2, 3.5, 0.04)):
        acceleration = torque / (0.01 * (1 + alpha**2))
        np.testing.assert_allclose(run.joint("VEL1", place), acceleration * run.times, atol=1e-13)
        np.testing.assert_allclose(run.joint("VEL2", place), -alpha * acceleration * run.times, atol=1e-13)


def test_two_joints_may_see_one_shaft_with_opposite_axes():
    """Shaft 2 on -z in the second joint: one link, and both relations hold about their own axes."""
    machine = Machine([(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0), (0.3, 0, 0)], t_end=0.1, every=0.05)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], 0.5, 1.0, 0.01)
    machine.joint("GEAR", [1, 3, 4], [(0, 0, -1.0), Z], 2.0, [0, 0, 1.0], [0, 0, 0.01])
    machine.hold([1], "111 111")
    machine.load(2, "ZZ", 0.03)
    run = machine.run(1e-2)
    acceleration = 0.03 / (0.01 * (1 + 0.25 + 1.0))
    t = run.times
    np.testing.assert_allclose(run.joint("VEL2", 0), -0.5 * acceleration * t, atol=1e-13)
    np.testing.assert_allclose(run.joint("VEL1", 1), 0.5 * acceleration * t, atol=1e-13)
    np.testing.assert_allclose(run.joint("VEL2", 1), -acceleration * t, atol=1e-13)
    # torque on shaft 3, which carries inertia 0.01 on its own: about +z from joint 1 and about -z from joint 2
    np.testing.assert_allclose(run.joint("T2", 0) - run.joint("T1", 1), 0.01 * -0.5 * acceleration, rtol=1e-9)
