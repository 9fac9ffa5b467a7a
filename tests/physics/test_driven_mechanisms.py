"""Mechanisms that drives move: where they go is kinematics, what it takes is Lagrange's equation or statics."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from closed_form import constrained_accelerations, rotation_about, willis_row
from linkages import EccentricCam, SliderCrank, UniversalJoint, steered_angle
from running import DECKS, Floats, Results, run

GRAVITY = 9.81
X, Y, Z = np.eye(3)


@cache
def example(name: str) -> Results:
    return run(DECKS / name / f"{name}.rad")


def both(results: Results, of_slide: str, of_turn: str) -> Floats:
    """(nt, n) what drives of ways and drives of rotations have in common."""
    values = results.values["th/drive"]
    return np.where(np.isnan(values[of_slide]), values[of_turn], values[of_slide])


def effort(results: Results, number: int = 1) -> Floats:
    """(nt,) force or torque of a drive."""
    return both(results, "F", "T")[:, results.ids["th/drive"].index(number)]


def smooth(u: Floats) -> Floats:
    """What /FUNCT_SMOOTH does between two points."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10 - 15 * u + 6 * u**2)


def turned(results: Results, node: int, axis: Floats) -> Floats:
    """Rotation about a fixed axis since t = 0, within half a turn."""
    vector = np.stack([results.node(f"Q{k}", node) for k in (1, 2, 3)], axis=1) @ axis
    return 2 * np.arctan2(vector, results.node("Q0", node))


DRIVEN = ["slider_crank", "universal_shaft", "scissor_lift", "hexapod", "cam_drive", "robot_arm", "rack_steering",
       "vehicle_differential"]  # fmt: skip


@pytest.mark.parametrize("name", DRIVEN)
def test_work_of_the_drives_is_the_energy_of_the_machine(name):
    results = example(name)
    work = results.scalar("energy", "drive_work")
    assert np.max(np.abs(work)) > 0.1
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-5 * np.max(np.abs(work))
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
    assert np.max(results.values["th/drive"]["RES"]) <= 1e-10


@pytest.mark.parametrize("name", DRIVEN)
def test_power_of_the_drives_is_effort_times_rate(name):
    """Its integral over the samples is the work, but for the quadrature."""
    results = example(name)
    power = np.sum(results.values["th/drive"]["POWER"], axis=1)
    of_rates = np.sum(both(results, "F", "T") * both(results, "V", "RATE"), axis=1)
    scale = float(np.max(np.abs(power)))
    np.testing.assert_allclose(power, of_rates, atol=1e-9 * scale)
    work = np.concatenate(([0.0], np.cumsum(np.diff(results.times) * (power[1:] + power[:-1]) / 2)))
    np.testing.assert_allclose(work, results.scalar("energy", "drive_work"), atol=3e-3 * scale * results.times[-1])


def test_slider_crank_needs_the_torque_of_its_reduced_inertia():
    results = example("slider_crank")
    linkage = SliderCrank(0.1, 0.3, 0.001 + 1.0 * 0.05**2, 0.5, 0.004, 2.0)
    phase = 2 * np.pi * results.times
    angle = 20 * np.pi * (results.times - np.sin(phase) / (2 * np.pi))
    speed, acceleration = 20 * np.pi * (1 - np.cos(phase)), 40 * np.pi**2 * np.sin(phase)
    np.testing.assert_allclose(results.of("th/joint", "ANG", 1), angle, atol=1e-10)
    np.testing.assert_allclose(results.node("X", 30), linkage.slider(angle), atol=1e-10)
    torque = linkage.torque(angle, speed, acceleration)
    np.testing.assert_allclose(effort(results), torque, atol=1e-5 * np.max(np.abs(torque)))
    assert len(results.simulation.redundant_rows) == 0


def test_universal_joint_has_the_ripple_of_hooke():
    results = example("universal_shaft")
    joint, speed, inertia = UniversalJoint(np.pi / 6), 10 * np.pi, 0.05
    angle = speed * results.times
    np.testing.assert_allclose(results.of("th/joint", "ANG", 1), angle, atol=1e-10)
    np.testing.assert_allclose(results.of("th/joint", "ANG", 2), joint.output(angle), atol=1e-10)
    output = results.node_vector("VR", 20) @ [np.cos(np.pi / 6), 0.5, 0.0]
    np.testing.assert_allclose(output, speed * joint.ratio(angle), rtol=1e-5)
    torque = inertia * speed**2 * joint.ratio(angle) * joint.ratio_rate(angle)
    np.testing.assert_allclose(effort(results)[1:], torque[1:], atol=1e-4 * np.max(torque))


def test_scissor_lift_rises_as_its_arms_close_and_is_held_by_the_weight():
    results = example("scissor_lift")
    width = 2.4 - 0.4 * smooth(results.times / 3.0)
    np.testing.assert_allclose(results.node("Z", 50), 2 * np.sqrt(2.5**2 - width**2), atol=1e-10)
    pull, weight = effort(results), (200 + 2 * 30) * GRAVITY
    # the function's jerk at its start counts in the first step
    np.testing.assert_allclose(pull[0], -2 * weight * 2.4 / 0.7, rtol=1e-4)
    np.testing.assert_allclose(pull[results.times > 3.01], -2 * weight * 2.0 / 1.5, rtol=1e-8)


def test_hexapod_goes_where_its_legs_put_it_and_stands_on_them():
    results = example("hexapod")
    u = np.clip(results.times / 1.5, 0.0, 1.0)
    way = u * u * (3 - 2 * u)
    np.testing.assert_allclose(results.node("Z", 10), 1 + 0.2 * way, atol=1e-10)
    np.testing.assert_allclose(turned(results, 10, Z), np.pi / 9 * way, atol=1e-10)
    np.testing.assert_allclose(results.node_vector("D", 10)[:, :2], 0.0, atol=1e-10)
    # two kinds of legs: what three of each carry is the weight, and their moments about z balance
    lean = np.radians([50.0, -10.0])
    length = np.sqrt(1.36 - 1.2 * np.cos(lean) + 1.2**2)
    push = np.linalg.solve([3 * 1.2 / length, np.sin(lean) / length], [100 * GRAVITY, 0.0])
    # rows are met to some ulp of the machine's size, which is m ulp / dt^2 of force
    floor = 100 * 10 * np.finfo(float).eps / results.simulation.dt**2
    for leg in range(1, 7):
        np.testing.assert_allclose(effort(results, leg)[-1], push[(leg - 1) % 2], atol=floor)


def test_cam_follower_has_the_lift_of_the_cam_to_round_off():
    results = example("cam_drive")
    cam, speed = EccentricCam(), 1000 * np.pi / 60
    angle = speed * results.times
    np.testing.assert_allclose(results.node("Y", 2), cam.lift(angle), atol=1e-14)
    np.testing.assert_allclose(cam.lift(np.pi / 2), 0.05656854249492, rtol=1e-12)
    slope, curvature = cam.lift_rates(angle)
    np.testing.assert_allclose(results.node("VY", 2)[1:], speed * slope[1:], atol=1e-6)
    push = 0.4 * speed**2 * curvature
    np.testing.assert_allclose(effort(results)[1:], push[1:], atol=1e-5 * np.max(np.abs(push)))


def test_robot_arm_moves_its_hand_by_its_angles_and_holds_its_weight():
    results = example("robot_arm")
    t = results.times
    column, elbow = np.pi / 2 * smooth(t), np.pi / 2 * smooth(t)
    up, down = -5 * np.pi / 12, np.pi / 12
    shoulder = np.where(t < 0.6, up * smooth(t / 0.6), up + down * smooth((t - 0.6) / 0.4))
    about_z, upper, fore = (rotation_about(axis, angle) for axis, angle in ((Z, column), (Y, shoulder), (Y, elbow)))
    arm = upper @ (0.5 * X) + (upper @ fore) @ (0.4 * X)
    hand = 0.4 * Z + np.einsum("nij,nj->ni", about_z, arm)
    np.testing.assert_allclose(results.node_vector("", 32), hand, atol=1e-10)
    reach = 0.5 * np.cos(np.pi / 3) + np.array([0.2, 0.4]) * np.cos(np.pi / 6)
    shoulder_torque = -GRAVITY * (4 * 0.25 * np.cos(np.pi / 3) + 1 * reach[0] + 2 * reach[1])
    np.testing.assert_allclose(effort(results, 2)[-1], shoulder_torque, rtol=1e-7)
    np.testing.assert_allclose(effort(results, 1)[-1], 0.0, atol=1e-6)


def test_steered_wheels_follow_rack_and_track_rods():
    results = example("rack_steering")
    travel = -8 * 1.5 * np.pi * smooth(results.times / 0.5)
    np.testing.assert_allclose(results.node("DY", 10), travel, atol=1e-9)
    rod = np.hypot(50.0, 300.0)
    for wheel, side in ((20, 1.0), (30, -1.0)):
        arm = np.array([-130.0, -50.0 * side])
        expected = [steered_angle(arm, np.array([-180.0, -350.0 * side + u]), rod) for u in travel]
        np.testing.assert_allclose(turned(results, wheel, Z), expected, atol=1e-10)


def test_brake_on_the_ring_stops_it_and_its_impact_loses_what_it_must():
    results = example("planetary_brake")
    inertias, row, ring_held = np.array([0.01, 0.1, 0.05]), willis_row(24, 60), [0, 1, 0]
    free, _ = constrained_accelerations(inertias, row, [1.0, 0.0, 0.0])
    held, _ = constrained_accelerations(inertias, [row, ring_held], [1.0, 0.0, 0.0])
    before, after = results.times < 0.999, results.times > 1.001
    # impact: the nearest velocities, by kinetic energy, that keep the ring at rest
    rows = np.array([row, ring_held])
    inverse = np.diag(1 / inertias)
    impulse = np.linalg.solve(rows @ inverse @ rows.T, -rows @ free)
    jumped = free + inverse @ rows.T @ impulse
    for node, k in ((2, 0), (3, 1), (1, 2)):
        rate = results.node("VRZ", node)
        np.testing.assert_allclose(rate[before], free[k] * results.times[before], rtol=1e-9, atol=1e-10)
        # the brake grips within the step after 1 s
        np.testing.assert_allclose(rate[after], jumped[k] + held[k] * (results.times[after] - 1), rtol=1e-4, atol=1e-9)
    lost = (inertias @ free**2 - inertias @ jumped**2) / 2
    assert results.scalar("energy", "impact_loss")[-1] == pytest.approx(lost, rel=1e-3)


def test_differential_in_a_bend_drives_its_wheels_as_their_circles_ask():
    results = example("vehicle_differential")
    speed = 50.0 * results.times
    yaw = 0.3 / 30.0
    inner, outer = yaw * 9.25 / 0.3, yaw * 10.75 / 0.3
    for channel, ratio in (("VEL1", 1.0), ("VEL2", inner), ("VEL3", outer)):
        np.testing.assert_allclose(results.joint(channel, 1), ratio * speed, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", 1), yaw * speed, rtol=1e-9, atol=1e-10)
    wheels = sum(0.9 * (spin**2 + yaw**2) + 20 * (yaw * r) ** 2 for spin, r in ((inner, 9.25), (outer, 10.75)))
    car = yaw**2 * (1800 + 1200 * 10.0**2 + 10 * (10.0**2 + 0.5**2))
    np.testing.assert_allclose(effort(results), 50 * (0.05 * (1 + yaw**2) + car + wheels), rtol=1e-6)
