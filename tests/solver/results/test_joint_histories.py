"""Histories of /JOINT and /COUPLER: coordinates, which channels are empty, reactions and powers."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.rotation import rotation_matrices
from hand_models import Machine, unit
from joint_definitions import DEFINITIONS

Z = (0.0, 0.0, 1.0)
AXIS = unit((0.2, -0.4, 0.9))
CROSS_AXIS = unit(np.cross(AXIS, (1.0, 0.3, 0.2)))
SKEW_AXIS = unit((0.9, 0.1, 0.5))
PITCH = 0.3
ALONG, ACROSS = 0.15 * AXIS, 0.33 * unit(np.cross(AXIS, (-0.4, 1.0, 0.2)))
MASS_A, MASS_B, INERTIA_A, INERTIA_B = 1.3, 2.0, (0.3, 0.4, 0.65, 0, 0, 0), 0.2


def pair_in_flight(kind, *, flipped=False, t_end=0.2):
    """Body a of three inertias (nodes 1 and 2, its joint point) and a ball b (node 3, its own centre), both thrown."""
    centre_a, node_i = np.array([0.1, 0.2, -0.1]), np.array([0.3, 0.1, 0.2])
    definition = DEFINITIONS[kind]
    node_j = node_i + definition.stand(ALONG, ACROSS)
    machine = Machine([centre_a, node_i, node_j], t_end=t_end, every=0.02)
    machine.body(1, [2], mass=MASS_A, inertia=INERTIA_A)
    machine.body(3, [], mass=MASS_B, inertia=(INERTIA_B, INERTIA_B, INERTIA_B, 0, 0, 0))
    axis_j = {"none": None, "perpendicular": CROSS_AXIS, "any": SKEW_AXIS}[definition.second]
    machine.pair(kind, 2, 3, AXIS, axis_j, PITCH if kind == "SCREW" else 0.0)
    machine.velocity([1], (1.0, 0.5, -0.3), (2.0, -1.0, 3.0))
    machine.velocity([3], (0.2, -1.0, 0.6), (-1.0, 2.5, 1.0))
    return machine


@pytest.fixture(scope="module", params=DEFINITIONS)
def flight(request):
    return request.param, pair_in_flight(request.param).run(1e-4)


def rotations_of(run, node):
    return rotation_matrices(np.stack([run.node(f"Q{c}", node) for c in range(4)], axis=1))


def test_channels_without_meaning_for_a_kind_are_empty_and_the_others_are_not(flight):
    kind, run = flight
    rates = {"ANG": "RATE", "ANG2": "RATE2", "U": "V"}
    measures = DEFINITIONS[kind].measures
    meaning = {name: channel in measures for channel, rate in rates.items() for name in (channel, rate)}
    for channel, values in run.values["th/joint"].items():
        assert np.all(np.isnan(values)) == (not meaning.get(channel, True)), channel
        assert np.all(np.isnan(values)) or np.all(np.isfinite(values)), channel


def test_coordinates_start_at_zero_or_at_the_distance_and_follow_their_rates(flight):
    kind, run = flight
    is_rod = DEFINITIONS[kind].is_rod
    start = {"ANG": 0.0, "ANG2": 0.0, "U": np.linalg.norm(ALONG + ACROSS) if is_rod else 0.0}
    for channel, rate in (("ANG", "RATE"), ("ANG2", "RATE2"), ("U", "V")):
        if np.isnan(run.pair(channel)[0]):
            continue
        assert run.pair(channel)[0] == pytest.approx(start[channel], abs=1e-15)
        # Simpson over the samples, 0.02 s apart
        steps = run.times[2::2] - run.times[:-2:2]
        rates = run.pair(rate)
        grown = steps * (rates[:-2:2] + 4 * rates[1:-1:2] + rates[2::2]) / 6
        np.testing.assert_allclose(np.diff(run.pair(channel)[::2]), grown, atol=2e-5)
        if not is_rod:
            assert np.ptp(run.pair(channel)) > 1e-2


def test_reactions_are_what_changes_the_momenta_of_both_bodies(flight):
    """Body b: m A = F, I alpha = M at its centre; body a: the opposite force at node j, which is where they act."""
    _, run = flight
    force, moment = run.pair_vector("F"), run.pair_vector("M")
    np.testing.assert_allclose(MASS_B * run.vector("A", 3), force, atol=1e-9)
    np.testing.assert_allclose(INERTIA_B * run.vector("AR", 3), moment, atol=1e-9)
    np.testing.assert_allclose(MASS_A * run.vector("A", 1), -force, atol=1e-9)
    turn, spin = rotations_of(run, 1), run.vector("VR", 1)
    inertia = turn @ np.diag(INERTIA_A[:3]) @ turn.transpose(0, 2, 1)
    arm = run.vector("", 3) - run.vector("", 1)
    gyroscopic = np.cross(spin, np.einsum("kij,kj->ki", inertia, spin))
    growth = np.einsum("kij,kj->ki", inertia, run.vector("AR", 1)) + gyroscopic
    np.testing.assert_allclose(growth, -moment - np.cross(arm, force), atol=1e-8)
    # DISTANCE and REV_SPH hold a point mass, PARALLEL only turns: none leaves both at zero
    assert np.max(np.abs(force)) + np.max(np.abs(moment)) > 0.1


def test_components_in_the_joint_axes_turn_with_node_i(flight):
    kind, run = flight
    first = rotations_of(run, 1) @ AXIS
    for quantity in "FM":
        whole, parts = run.pair_vector(quantity), run.pair_vector(quantity, "RST")
        np.testing.assert_allclose(parts[:, 0], np.sum(whole * first, axis=1), atol=1e-11)
        np.testing.assert_allclose(np.linalg.norm(parts, axis=1), np.linalg.norm(whole, axis=1), atol=1e-11)
    for component in DEFINITIONS[kind].no_reaction:
        np.testing.assert_allclose(run.pair(component), 0.0, atol=1e-11, err_msg=component)


def test_an_ideal_joint_does_no_work(flight):
    _, run = flight
    arm = run.vector("", 3) - run.vector("", 1)
    slip = run.vector("V", 3) - run.vector("V", 1) - np.cross(run.vector("VR", 1), arm)
    turn = run.vector("VR", 3) - run.vector("VR", 1)
    power = np.sum(run.pair_vector("F") * slip + run.pair_vector("M") * turn, axis=1)
    np.testing.assert_allclose(power, 0.0, atol=1e-5)


def test_residual_is_the_worst_of_the_joints_own_rows(flight):
    _, run = flight
    np.testing.assert_array_equal(run.pair("RES"), run.diag("constraint_violation"))
    assert np.max(run.pair("RES")) < 1e-13


def test_a_screw_pushes_with_its_pitch():
    """A nut on the ground, load P along the axis: u'' = P/(m + I (2 pi/p)^2); the thread carries the rest."""
    mass, inertia, load, pitch = 2.0, 0.05, 7.0, -0.4
    machine = Machine([(0, 0, 0), (0.1, 0, 0)], t_end=0.2, every=0.02)
    machine.body(1, [], mass=mass, inertia=(inertia, inertia, inertia, 0, 0, 0))
    machine.pair("SCREW", 0, 1, Z, pitch=pitch)
    machine.load(1, "Z", load)
    run = machine.run(1e-3)
    per_length = 2 * np.pi / pitch
    acceleration = load / (mass + inertia * per_length**2)
    np.testing.assert_allclose(run.pair("U"), acceleration * run.times**2 / 2, atol=1e-13)
    np.testing.assert_allclose(run.pair("ANG"), per_length * run.pair("U"), atol=1e-12)
    np.testing.assert_allclose(run.pair("V"), acceleration * run.times, atol=1e-12)
    np.testing.assert_allclose(run.pair("FR"), mass * acceleration - load, rtol=1e-9)
    np.testing.assert_allclose(run.pair("MR"), inertia * per_length * acceleration, rtol=1e-9)
    np.testing.assert_allclose(run.pair_vector("F", "ST"), 0.0, atol=1e-11)


@pytest.mark.parametrize("flipped", [False, True], ids=["ground_is_i", "ground_is_j"])
def test_a_bracket_on_the_ground_carries_the_weight_where_node_j_stands(flipped):
    """FIXED, at rest: force and moment on node j balance the load of its own body, or oppose it on the ground."""
    machine = Machine([(0.2, 0.1, 0.0), (0.5, -0.2, 0.3)], t_end=0.1, every=0.05)
    machine.body(1, [2], mass=3.0, inertia=(0.1, 0.2, 0.25, 0, 0, 0))
    machine.pair("FIXED", *((2, 0) if flipped else (0, 2)))
    machine.gravity([1], "Z", -10.0)
    run = machine.run(1e-2)
    weight = np.array([0.0, 0.0, -30.0])
    moment = np.cross(np.array([0.2, 0.1, 0.0]) - (0.5, -0.2, 0.3), weight)
    sign = 1.0 if flipped else -1.0
    np.testing.assert_allclose(run.pair_vector("F"), np.tile(sign * weight, (3, 1)), atol=1e-11)
    np.testing.assert_allclose(run.pair_vector("M"), np.tile(sign * moment, (3, 1)), atol=1e-11)


def test_joints_have_their_own_columns_in_deck_order():
    """Three swinging plates in separate subsystems, joints of two kinds mixed."""
    machine = Machine([(0.5, 0, 0), (5.5, 0, 0), (10.5, 0, 0)], t_end=0.1, every=0.05)
    spins = (1.0, 2.0, 3.0)
    for node, spin in zip((1, 2, 3), spins, strict=True):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
        machine.velocity([node], None, (0.0, 0.0, spin))
    machine.pair("REVOLUTE", 0, 3)
    machine.pair("REVOLUTE", 0, 2)
    machine.pair("CYLINDRICAL", 1, 0)
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.pair("ANG", 0), 3.0 * run.times, atol=1e-13)
    np.testing.assert_allclose(run.pair("ANG", 1), 2.0 * run.times, atol=1e-13)
    np.testing.assert_allclose(run.pair("ANG", 2), -1.0 * run.times, atol=1e-13)  # the ground relative to node 1


def test_each_joint_has_the_residual_of_its_own_rows():
    machine = Machine([(0.1, 0.3, 0.2), (1.1, 0.7, 0.3), (2.3, 0.1, 0.9)], t_end=0.5, every=0.05)
    for node in (1, 2, 3):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.2, 0.15, 0, 0, 0))
        machine.velocity([node], (0.7, node, -0.4), (3.0, -2.0, 5.0))
    machine.pair("DISTANCE", 1, 2)
    machine.pair("DISTANCE", 2, 3)
    run = machine.run(1e-3)
    worst = np.fmax(run.pair("RES", 0), run.pair("RES", 1))
    np.testing.assert_array_equal(worst, run.diag("constraint_violation"))
    assert np.any(run.pair("RES", 0) != run.pair("RES", 1))


# ---- couplers --------------------------------------------------------------------------------------------------


def test_force_and_torque_of_a_winch_follow_its_ratio():
    """Drum on the ground, load on the ground: phi = ratio s, s'' = T/(ratio I + m/ratio), no power lost."""
    ratio, torque, inertia, mass = 4.0, 3.0, 0.05, 2.0
    machine = Machine([(0, 0, 0), (1, 2, 3)], t_end=0.2, every=0.02)
    machine.body(1, [], mass=1.0, inertia=(inertia, inertia, inertia, 0, 0, 0))
    machine.mass(2, mass)
    direction = unit((1.0, 2.0, -2.0))
    machine.couple("R2T", (1, 0), (2, 0), ratio, Z, direction)
    machine.load(1, "ZZ", torque)
    run = machine.run(1e-3)
    acceleration = torque / (ratio * inertia + mass / ratio)
    t = run.times
    np.testing.assert_allclose(run.coupler("S2"), acceleration * t**2 / 2, atol=1e-13)
    np.testing.assert_allclose(run.coupler("PHI1"), ratio * acceleration * t**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.coupler("V2"), acceleration * t, atol=1e-12)
    np.testing.assert_allclose(run.coupler("RATE1"), ratio * acceleration * t, atol=1e-12)
    np.testing.assert_allclose(run.coupler("F2"), mass * acceleration, rtol=1e-9)
    np.testing.assert_allclose(run.coupler("T1"), inertia * ratio * acceleration - torque, rtol=1e-9)
    power = run.coupler("T1") * run.coupler("RATE1") + run.coupler("F2") * run.coupler("V2")
    np.testing.assert_allclose(power, 0.0, atol=1e-9)
    np.testing.assert_allclose(run.vector("D", 2), np.outer(run.coupler("S2"), direction), atol=1e-13)
    for channel in ("PHI2", "RATE2", "T2"):
        assert np.all(np.isnan(run.coupler(channel)))
    np.testing.assert_array_equal(run.coupler("RES"), run.diag("constraint_violation"))


def test_torques_of_two_coupled_shafts_follow_their_ratio():
    """phi_a = ratio phi_b on axes of their own: phi_b'' = ratio T/(I_b + ratio^2 I_a)."""
    ratio, torque, inertia_a, inertia_b = -0.5, 3.0, 0.05, 0.2
    machine = Machine([(0, 0, 0), (1, 2, 3)], t_end=0.2, every=0.02)
    for node, inertia in ((1, inertia_a), (2, inertia_b)):
        machine.body(node, [], mass=1.0, inertia=(inertia, inertia, inertia, 0, 0, 0))
    machine.couple("R2R", (1, 0), (2, 0), ratio, Z, (1.0, 0.0, 0.0))
    machine.load(1, "ZZ", torque)
    run = machine.run(1e-3)
    acceleration = ratio * torque / (inertia_b + ratio**2 * inertia_a)
    t = run.times
    np.testing.assert_allclose(run.coupler("PHI2"), acceleration * t**2 / 2, atol=1e-12)
    np.testing.assert_allclose(run.coupler("RATE2"), acceleration * t, atol=1e-12)
    np.testing.assert_allclose(run.coupler("PHI1"), ratio * run.coupler("PHI2"), atol=1e-13)
    np.testing.assert_allclose(run.coupler("T2"), inertia_b * acceleration, rtol=1e-9)
    np.testing.assert_allclose(run.coupler("T1"), inertia_a * ratio * acceleration - torque, rtol=1e-9)
    for channel in ("S2", "V2", "F2"):
        assert np.all(np.isnan(run.coupler(channel)))


@pytest.mark.parametrize("kind", ["R2T", "R2R"])
def test_reactions_on_free_supports_keep_momentum_and_energy(kind):
    """Four bodies of unequal inertia tumble, coupled by nothing else: the supports take what the coupler gives."""
    random = np.random.default_rng(5)
    machine = Machine(random.normal(size=(4, 3)), t_end=0.3, every=0.03)
    for node in (1, 2, 3, 4):
        machine.body(node, [], mass=1.0 + 0.3 * node, inertia=(0.3, 0.45, 0.6, 0, 0, 0))
        machine.velocity([node], random.normal(size=3), 2.0 * random.normal(size=3))
    machine.couple(kind, (1, 2), (3, 4), 0.7, AXIS, SKEW_AXIS)
    run = machine.run(1e-4)
    assert np.max(np.abs(run.coupler("T1"))) > 0.02
    for axis in "xyz":
        for name in ("momentum_", "angular_momentum_"):
            np.testing.assert_allclose(np.ptp(run.diag(name + axis)), 0.0, atol=2e-13)
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=1e-7 * run.energy("total")[0])
    first, second = run.coupler("PHI1"), run.coupler("S2" if kind == "R2T" else "PHI2")
    np.testing.assert_allclose(first, 0.7 * second, atol=1e-12)
    assert np.ptp(first) > 0.05


def test_couplers_have_their_own_columns_in_deck_order():
    machine = Machine([(0, 0, 0), (1, 0, 0), (5, 0, 0), (6, 0, 0)], t_end=0.1, every=0.05)
    for node in (1, 2, 3, 4):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.couple("R2R", (3, 0), (4, 0), 2.0)
    machine.couple("R2T", (1, 0), (2, 0), 3.0)
    machine.velocity([3, 4], None, [(0, 0, 2.0), (0, 0, 1.0)])
    machine.velocity([1], None, (0, 0, 3.0))
    machine.velocity([2], (0, 0, 1.0))
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.coupler("PHI2", 0), run.times, atol=1e-13)
    np.testing.assert_allclose(run.coupler("S2", 1), run.times, atol=1e-13)
    assert np.all(np.isnan(run.coupler("S2", 0)))
    assert np.all(np.isnan(run.coupler("PHI2", 1)))
