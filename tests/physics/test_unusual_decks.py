"""Legal decks that nobody writes on purpose: redundant, locked, extreme, empty; and every way to drive a machine."""

from __future__ import annotations

import dataclasses
import math
import sys

import numpy as np
import pytest
from deck_text import DeckText
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.run.simulation import Simulation, SimulationError
from running import Results, read, run

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
CARRIER, PINION, WHEEL = 1, 2, 3
PINION_INERTIA, WHEEL_INERTIA, ALPHA = 0.02, 0.08, 0.5
AT_PINION = PINION_INERTIA + ALPHA**2 * WHEEL_INERTIA  # what a torque on the pinion accelerates


def deck(t_end: float = 0.1, dt: float | None = 1e-3, every: float = 0.01) -> DeckText:
    return DeckText(t_end, dt, every)


def gear_pair(alpha: float = ALPHA, carrier: tuple[float, float] = (10, 0.5), **run_control: float) -> DeckText:
    """A pinion and a wheel about z on a carrier; joint 1."""
    text = deck(**run_control)
    text.nodes({CARRIER: (0, 0, 0), PINION: (0.1, 0, 0), WHEEL: (0.3, 0, 0)})
    shafts = [(PINION, 1, PINION_INERTIA, Z), (WHEEL, 2, WHEEL_INERTIA, Z)]
    text.joint("GEAR", (CARRIER, *carrier), shafts, alpha)
    return text


def expression(text: DeckText, formula: str) -> int:
    """/FUNCT_EXPR; returns its id, which is made from that of a group."""
    number = text.group([CARRIER])
    text.block(f"/FUNCT_EXPR/{number}", "formula", formula)
    return number


def constant(text: DeckText) -> int:
    return text.function([(0, 1), (1, 1)])


def drive(
    text: DeckText, kind: str, node: int, direction: str, function: int, scale: float = 1.0, *,
    window: tuple[float, float] = (0.0, 1e30), skew: int = 0, sensor: int = 0,
) -> None:  # fmt: skip
    """/IMPVEL, /IMPDISP or /IMPACC."""
    group = text.group([node])
    card = f"{function:>10}{direction:>10}{skew:>10}{sensor:>10}{group:>10}{0:>10}{0:>10}"
    text.block(f"/{kind}/{group}", "drive", card, f"{1:>20}{scale:>20.13g}{window[0]:>20.13g}{window[1]:>20.13g}")


def link(text: DeckText, nodes: list[int], digits: str) -> None:
    """/RLINK in global axes."""
    group = text.group(nodes)
    text.block(f"/RLINK/{group}", "link", f"   {digits}{0:>10}{group:>10}{0:>10}")


def energy(results: Results, name: str) -> np.ndarray:
    return results.scalar("energy", name)


def relative_drift(values: np.ndarray) -> float:
    return float(np.abs(values - values[0]).max() / np.abs(values).max())


# ---- redundant and contradicting conditions --------------------------------------------------------------------


def test_joint_inside_one_rigid_body_changes_nothing() -> None:
    def machine(joined: bool) -> DeckText:
        text = deck()
        text.nodes({CARRIER: (0, 0, 0), PINION: (0.1, 0, 0), WHEEL: (0.3, 0, 0), 10: (0, 0.2, 0)})
        if joined:
            text.joint("GEAR", (CARRIER, 0, 0), [(PINION, 0, 0, Z), (WHEEL, 0, 0, Z)], ALPHA)
        text.rigid_body(10, [CARRIER, PINION, WHEEL], 5, (1, 2, 2.5))
        text.velocity(10, (1, 2, 3), (1, 2, 3))
        text.load(PINION, "ZZ", 5)
        return text

    plain, joined = run(machine(False)), run(machine(True))
    assert joined.simulation.degrees_of_freedom == 6
    for quantity in ("", "V", "VR"):
        np.testing.assert_array_equal(joined.node_vector(quantity, WHEEL), plain.node_vector(quantity, WHEEL))
    assert not joined.joint("ANG1").any()


@pytest.mark.parametrize("carrier", ["held", "on a held body", "heavy"])
def test_pair_turns_the_same_however_its_carrier_stands_still(carrier: str) -> None:
    text = gear_pair(carrier=(1e12, 1e12) if carrier == "heavy" else (10, 0.5))
    if carrier == "held":
        text.hold([CARRIER])
    if carrier == "on a held body":
        text.nodes({10: (1, 0, 0)})
        text.rigid_body(10, [CARRIER], 5, (1, 2, 2.5))
        text.hold([10])
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), results.times / AT_PINION, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(results.joint("T1"), -(ALPHA**2) * WHEEL_INERTIA / AT_PINION, rtol=1e-11)


@pytest.mark.parametrize(("digits", "redundant"), [("111 110", 10), ("001 100", 4)])
def test_shafts_held_once_more_turn_the_same_and_it_is_said(digits: str, redundant: int) -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.hold([PINION, WHEEL], digits)
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    assert results.simulation.degrees_of_freedom == 1
    assert len(results.simulation.redundant_rows) == redundant
    np.testing.assert_allclose(results.node("VRZ", WHEEL), -ALPHA * results.times / AT_PINION, rtol=1e-12, atol=1e-14)


def test_same_joint_twice_is_one_joint() -> None:
    text = gear_pair()
    text.joint("GEAR", (CARRIER, 0, 0), [(PINION, 0, 0, Z), (WHEEL, 0, 0, Z)], ALPHA)
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    assert len(results.simulation.redundant_rows) == 1
    np.testing.assert_allclose(results.node("VRZ", PINION), results.times / AT_PINION, rtol=1e-12, atol=1e-14)
    torque = sum(results.joint("T1", joint) for joint in results.ids["th/gjoint"])
    np.testing.assert_allclose(torque, -(ALPHA**2) * WHEEL_INERTIA / AT_PINION, rtol=1e-10)


def test_two_ratios_between_the_same_shafts_lock_them() -> None:
    text = gear_pair(0.5)
    text.joint("GEAR", (CARRIER, 0, 0), [(PINION, 0, 0, Z), (WHEEL, 0, 0, Z)], 0.7)
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    first, second = results.ids["th/gjoint"]
    assert results.simulation.degrees_of_freedom == 0
    assert np.abs(results.node("VRZ", PINION)).max() < 1e-9
    # balance of the pinion 1 + 0.5 a + 0.7 b = 0, and of the wheel a + b = 0
    np.testing.assert_allclose(results.joint("T1", first), 2.5, rtol=1e-6)
    np.testing.assert_allclose(results.joint("T1", second), -3.5, rtol=1e-6)


@pytest.mark.parametrize(("closing", "freedom"), [(1.0, 0), (-1.0, 1)])
def test_ring_of_three_gears_locks_unless_the_signs_agree(closing: float, freedom: int) -> None:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (0.1, 0, 0), 3: (0.3, 0, 0), 4: (0.2, 0.2, 0)})
    text.hold([1])
    text.joint("GEAR", (1, 1, 1), [(2, 1, 0.02, Z), (3, 1, 0.02, Z)], 1.0)
    text.joint("GEAR", (1, 0, 0), [(3, 0, 0, Z), (4, 1, 0.02, Z)], 1.0)
    text.joint("GEAR", (1, 0, 0), [(4, 0, 0, Z), (2, 0, 0, Z)], closing)
    text.load(2, "ZZ", 1.0)
    results = run(text)
    assert results.simulation.degrees_of_freedom == freedom
    rate = freedom * results.times / 0.06
    for node, sign in ((2, 1), (3, -1), (4, 1)):
        np.testing.assert_allclose(results.node("VRZ", node), sign * rate, rtol=1e-12, atol=1e-10)


def test_shaft_on_two_free_carriers_keeps_both_ratios_and_all_momentum() -> None:
    text = deck()
    text.nodes({k: (k, 0, 0) for k in (1, 2, 3, 4, 5)})
    text.joint("GEAR", (1, 5, 3), [(2, 1, 0.02, Z), (3, 1, 0.05, Z)], 2.0)
    text.joint("GEAR", (4, 5, 3), [(2, 0, 0, Z), (5, 1, 0.05, Z)], 2.0)
    text.load(2, "ZZ", 1.0)
    results = run(text)
    rate = {k: results.node("VRZ", k) for k in (1, 2, 3, 4, 5)}
    np.testing.assert_allclose(2 * (rate[2] - rate[1]) + rate[3] - rate[1], 0, atol=1e-10)
    np.testing.assert_allclose(2 * (rate[2] - rate[4]) + rate[5] - rate[4], 0, atol=1e-10)
    np.testing.assert_allclose(results.angular_momentum()[:, 2], results.times, rtol=1e-12, atol=1e-15)
    assert np.abs(results.momentum()).max() < 1e-13


def test_direction_held_in_two_ways_is_held() -> None:
    text = deck()
    text.nodes({7: (0, 0, 0)})
    text.masses([7], 2)
    cosine, sine = math.cos(0.5), math.sin(0.5)
    text.block("/SKEW/FIX/4", "incline", "0, 0, 0", f"{-sine!r}, {cosine!r}, 0", "0, 0, 1")
    group = text.group([7])
    text.block(f"/BCS/{group}", "in the skew", f"   110 000{4:>10}{group:>10}")
    text.hold([7], "101 000")
    text.gravity([7], "Y", -9.81)
    results = run(text)
    assert results.simulation.degrees_of_freedom == 0
    assert len(results.simulation.redundant_rows) == 1
    assert np.abs(results.node_vector("D", 7)).max() < 1e-12


def test_mass_slides_down_an_incline_held_by_a_condition_in_a_skew() -> None:
    text = deck(1.0)
    text.nodes({7: (0, 0, 0)})
    text.masses([7], 2)
    cosine, sine = math.cos(0.5), math.sin(0.5)
    text.block("/SKEW/FIX/4", "incline", "0, 0, 0", f"{-sine!r}, {cosine!r}, 0", "0, 0, 1")
    group = text.group([7])
    text.block(f"/BCS/{group}", "on the incline", f"   010 000{4:>10}{group:>10}")
    text.gravity([7], "Y", -9.81)
    results = run(text)
    fallen = -0.5 * 9.81 * sine * results.times**2
    np.testing.assert_allclose(results.node("DX", 7), fallen * cosine, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(results.node("DY", 7), fallen * sine, rtol=1e-9, atol=1e-12)


def test_motion_imposed_on_a_held_node_is_refused() -> None:
    text = deck()
    text.nodes({7: (0, 0, 0)})
    text.masses([7], 1)
    text.hold([7])
    drive(text, "IMPVEL", 7, "X", constant(text))
    with pytest.raises(DeckError):
        run(text)


def test_contradicting_motions_of_one_direction_stop_the_run_by_name() -> None:
    text = deck()
    text.nodes({7: (0, 0, 0)})
    text.masses([7], 1)
    drive(text, "IMPVEL", 7, "X", constant(text), 1.0)
    drive(text, "IMPVEL", 7, "X", constant(text), 2.0)
    with pytest.raises(DeckError) as caught:
        run(text)
    assert "already moved in this direction by /IMPVEL" in caught.value.diagnostics[0].message


# ---- bodies, ties and links --------------------------------------------------------------------------------------


def cross_of_nodes() -> DeckText:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0), 3: (0, 1, 0), 4: (0, 0, 1), 5: (1, 1, 1)})
    text.masses([1, 2, 3, 4, 5], 1.0)
    text.load(5, "X", 10.0)
    return text


def test_tie_on_a_node_of_a_body_makes_one_body() -> None:
    tied, whole = cross_of_nodes(), cross_of_nodes()
    tied.rigid_body(1, [2], 1, (1, 1, 1))
    tied.rigid_tie(2, [3, 4, 5])
    whole.rigid_body(1, [2, 3, 4, 5], 1, (1, 1, 1))
    tied_results, whole_results = run(tied), run(whole)
    for node in (2, 3, 4, 5):
        difference = tied_results.node_vector("V", node) - whole_results.node_vector("V", node)
        assert np.abs(difference).max() < 1e-13


@pytest.mark.parametrize(
    "order",
    [
        (0, 1, 2),
        (1, 2, 0),
    ],
)
def test_chain_of_ties_is_rigid_in_any_order(order: tuple[int, ...]) -> None:
    text = cross_of_nodes()
    ties = [(1, [2]), (2, [3, 4]), (4, [5])]
    for k in order:
        text.rigid_tie(*ties[k])
    results = run(text)
    distance = np.linalg.norm(results.node_vector("", 5) - results.node_vector("", 1), axis=1)
    np.testing.assert_allclose(distance, np.sqrt(3), rtol=1e-13)


def test_link_of_two_rotors_makes_them_turn_as_one() -> None:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0), 3: (0, 2, 0), 4: (0, 3, 0), 10: (0, 1, 0)})
    text.hold([10])
    text.joint("GEAR", (10, 1, 1), [(1, 1, 0.02, Z), (3, 1, 0.03, Z)], 1.0)
    text.joint("GEAR", (10, 0, 0), [(2, 1, 0.05, Z), (4, 1, 0.03, Z)], -2.0)
    link(text, [1, 2], "000 001")
    text.load(1, "ZZ", 1.0)
    results = run(text)
    expected = results.times / (0.02 + 0.03 + 0.05 + 4 * 0.03)
    for node, ratio in ((1, 1), (2, 1), (3, -1), (4, 2)):
        np.testing.assert_allclose(results.node("VRZ", node), ratio * expected, rtol=1e-11, atol=1e-13)


def test_link_with_a_point_mass_does_not_stop_a_rotor() -> None:
    text = gear_pair()
    text.nodes({7: (0, 1, 0)})
    text.masses([7], 1)
    text.hold([CARRIER])
    link(text, [PINION, 7], "111 111")
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), results.times / AT_PINION, rtol=1e-9, atol=1e-12)


def test_initial_velocities_against_a_link_lose_the_energy_of_a_plastic_impact() -> None:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    text.masses([1], 1)
    text.masses([2], 3)
    link(text, [1, 2], "100 000")
    text.velocity(1, (4, 0, 0), (0, 0, 0))
    results = run(text)
    np.testing.assert_allclose(results.node("VX", 1), 1, rtol=1e-14)
    np.testing.assert_allclose(results.node("VX", 2), 1, rtol=1e-14)
    np.testing.assert_allclose(energy(results, "impact_loss"), 0.5 * 16 - 0.5 * 4, rtol=1e-14)
    assert any("initial velocities" in warning.message for warning in results.simulation.warnings)


@pytest.mark.parametrize("centre", [1, 2, 3, 4])
@pytest.mark.parametrize("spherical", [1, 2, 3])
def test_body_of_any_kind_takes_the_impulses_of_its_loads(centre: int, spherical: int) -> None:
    text = deck(every=1e-3)
    text.nodes({1: (0.5, 0.5, 0.5), 2: (1, 0, 0), 3: (0, 1, 0), 4: (0, 0, 1)})
    text.masses([2, 3], 1.0)
    text.masses([4], 3.0)
    group = text.group([2, 3, 4])
    card = f"{1:>10}{0:>10}{0:>10}{spherical:>10}{2.5:>20}{group:>10}{0:>10}{centre:>10}{0:>10}"
    products = f"{0.01:>20}{0.02:>20}{0.03:>20}"
    text.block(f"/RBODY/{group}", "body", card, f"{0.3:>20}{0.4:>20}{0.5:>20}", products)
    text.load(4, "Y", 3.0)
    text.load(1, "ZZ", 0.1)
    results = run(text)
    np.testing.assert_allclose(results.momentum()[:, 1], 3 * results.times, rtol=1e-12, atol=1e-14)
    # d/dt of the angular momentum about the origin is x_4 x F + M: the scheme keeps it as a trapezoidal sum
    moment = np.cross(results.node_vector("", 4), (0.0, 3.0, 0.0)) + np.array((0.0, 0.0, 0.1))
    impulse = np.cumsum(0.5e-3 * (moment[1:] + moment[:-1]), axis=0)
    np.testing.assert_allclose(results.angular_momentum()[1:], impulse, atol=1e-13)


def test_bodies_geared_at_secondary_nodes_keep_momentum_and_ratio() -> None:
    places = np.random.default_rng(1).normal(size=(8, 3))
    text = deck()
    text.nodes({k + 1: [float(x) for x in place] for k, place in enumerate(places)})
    text.nodes({9: (0, 0, 0)})
    text.masses([2, 3, 4, 6, 7, 8], 1.0)
    text.rigid_body(1, [2, 3, 4], 1, (1, 2, 2.5))
    text.rigid_body(5, [6, 7, 8], 2, (1, 1.5, 1))
    joint = text.joint("GEAR", (2, 0, 0), [(6, 0, 0, (0, 1, 1)), (9, 2, 0.3, X)], -2.0)
    for node in (1, 5, 9):
        text.velocity(node, (1, 2, 3), (3, 2, 1))
    results = run(text)
    assert relative_drift(results.momentum()) < 1e-13
    assert relative_drift(results.angular_momentum()) < 1e-12
    np.testing.assert_allclose(results.joint("ANG2", joint), 2 * results.joint("ANG1", joint), atol=1e-13)
    assert np.abs(results.joint("ANG1", joint)).max() > 1e-2


def test_shaft_that_carries_a_joint_of_its_own_keeps_momentum_and_ratios() -> None:
    text = deck(1.0, 1e-3, 0.1)
    text.nodes({1: (0, 0, 0), 2: (0.1, 0, 0), 3: (0.3, 0, 0), 4: (0.1, 0.1, 0), 5: (0.1, 0.2, 0)})
    outer = text.joint("GEAR", (1, 10, 0.5), [(2, 1, 0.02, Z), (3, 2, 0.08, Z)], 0.5)
    inner = text.joint("GEAR", (2, 0, 0), [(4, 0.1, 0.002, X), (5, 0.1, 0.003, X)], 2.0)
    text.velocity(1, (1, 0, 0), (0, 0, 0))
    text.velocity(2, (1, 0, 0), (0, 0, 2))
    text.velocity(3, (1, 0, 0), (0, 0, -1))
    text.velocity(4, (0.8, 0, 0), (3, 0, 2))
    text.velocity(5, (0.6, 0, 0), (-6, 0, 2))
    results = run(text)
    assert not results.simulation.warnings  # the initial velocities belong together
    assert relative_drift(results.momentum()) < 1e-13
    assert relative_drift(results.angular_momentum()) < 1e-12
    for joint, ratio in ((outer, 0.5), (inner, 2.0)):
        turned = results.joint("ANG1", joint)
        np.testing.assert_allclose(results.joint("ANG2", joint), -ratio * turned, atol=1e-13)
        assert turned[-1] > 1.0


@pytest.mark.parametrize("sign", [1, -1])
def test_length_and_sense_of_an_axis_count_as_they_should(sign: int) -> None:
    text = gear_pair()
    text.nodes({4: (0.5, 0, 0)})
    text.joint("GEAR", (CARRIER, 0, 0), [(WHEEL, 0, 0, (0, 0, 5 * sign)), (4, 1, 0.02, (0, 0, 1e-3))], 1.0)
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    results = run(text)
    expected = results.times / (AT_PINION + ALPHA**2 * 0.02)
    np.testing.assert_allclose(results.node("VRZ", PINION), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(results.node("VRZ", 4), sign * ALPHA * expected, rtol=1e-12, atol=1e-14)


def test_coincident_differential_free_in_space_keeps_momentum() -> None:
    text = deck(1.0)
    text.nodes({k: (0, 0, 0) for k in (1, 2, 3, 4)})
    shafts = [(2, 1, 0.02, Z), (3, 2, 0.08, X), (4, 3, 0.05, (0, 1, 1))]
    text.joint("DIFF", (1, 10, 0.5), shafts, 2.5)
    text.velocity(1, (1, 2, 3), (1, 2, 3))
    results = run(text)
    assert relative_drift(results.momentum()) < 1e-13
    assert relative_drift(results.angular_momentum()) < 1e-12
    assert results.scalar("diag", "constraint_violation").max() < 1e-13


# ---- driven machines -----------------------------------------------------------------------------------------------


def test_driven_pinion_follows_exactly_and_the_drive_pays_for_it() -> None:
    text = gear_pair()
    text.hold([CARRIER])
    drive(text, "IMPVEL", PINION, "ZZ", text.function([(0, 0), (1, 100)]))
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), 100 * results.times, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(results.node("VRZ", WHEEL), -50 * results.times, rtol=1e-12, atol=1e-13)
    gained = energy(results, "kinetic_rotational") - energy(results, "kinetic_rotational")[0]
    np.testing.assert_allclose(energy(results, "drive_work"), gained, atol=1e-13)


def test_sensor_starts_a_drive_and_its_function_at_its_delay() -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.block("/SENSOR/TIME/5", "start", f"{0.035:>20}")
    drive(text, "IMPVEL", PINION, "ZZ", text.function([(0, 0), (1, 100)]), sensor=5)
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), 100 * np.maximum(results.times - 0.035, 0), atol=1e-11)
    assert np.abs(energy(results, "error")).max() < 1e-11


@pytest.mark.parametrize("kind", ["IMPVEL", "IMPACC"])
def test_work_of_a_drive_with_start_and_stop_is_booked_in_full(kind: str) -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.velocity(PINION, (0, 0, 0), (0, 0, 4))
    text.velocity(WHEEL, (0, 0, 0), (0, 0, -2))
    function = text.function([(0, 4 - 3), (1, 101)]) if kind == "IMPVEL" else text.function([(0, 100), (1, 100)])
    drive(text, kind, PINION, "ZZ", function, window=(0.03, 0.06))
    results = run(text)
    assert np.abs(energy(results, "error")).max() < 1e-10


def test_rack_moved_as_a_sine_turns_its_pinion() -> None:
    radius, amplitude, rate = 0.05, 0.02, 20.0
    text = deck(0.5)
    text.nodes({CARRIER: (0, 0, 0), PINION: (0, 0.1, 0), WHEEL: (0.3, 0, 0)})
    text.joint("RACK", (CARRIER, 10, 0.5), [(PINION, 1, 0.02, Z), (WHEEL, 2, 0.0, X)], radius)
    text.hold([CARRIER])
    drive(text, "IMPDISP", WHEEL, "X", expression(text, f"{amplitude}*sin({rate}*t)"))
    results = run(text)
    displacement = amplitude * np.sin(rate * results.times)
    np.testing.assert_allclose(results.node("DX", WHEEL), displacement, atol=1e-15)
    np.testing.assert_allclose(results.joint("ANG1"), -displacement / radius, atol=1e-13)
    torque = 0.02 * rate**2 * displacement / radius  # I_1 times the angular acceleration, at the difference quotient
    quotient = (2 * np.sin(rate * 1e-3 / 2) / (rate * 1e-3)) ** 2
    np.testing.assert_allclose(results.joint("T1")[1:], quotient * torque[1:], atol=1e-8)
    kept = energy(results, "total") + energy(results, "kinetic_correction")
    gained = kept - kept[0]
    # the sine starts at speed: that work is done at once
    work = energy(results, "drive_work") - energy(results, "drive_work")[0]
    np.testing.assert_allclose(work, gained, atol=1e-11)


def test_imposed_acceleration_integrates_to_its_velocity_in_second_order() -> None:
    errors = []
    for dt in (1e-3, 5e-4):
        text = gear_pair(dt=dt)
        text.hold([CARRIER])
        text.velocity(WHEEL, (0, 0, 0), (0, 0, 2))
        text.velocity(PINION, (0, 0, 0), (0, 0, -4))
        drive(text, "IMPACC", WHEEL, "ZZ", expression(text, "5*cos(30*t)"))
        results = run(text)
        exact = 2 + 5 / 30 * np.sin(30 * results.times)
        errors.append(np.abs(results.node("VRZ", WHEEL) - exact).max())
    assert errors[0] < 1e-4
    assert 3.8 < errors[0] / errors[1] < 4.2


def led_node(stop: float, dt: float | None) -> DeckText:
    """Node 7 without mass moves at 1 m/s until `stop` and pulls node 8 (1 kg) with a spring of 100 N/m."""
    text = deck(dt=dt)
    text.nodes({7: (0, 0, 0), 8: (1, 0, 0)})
    text.masses([8], 1)
    drive(text, "IMPVEL", 7, "X", constant(text), window=(0.0, stop))
    text.hold([7], "011 000")
    number = text.group([8])
    cards = ("0", "100, 0, 0, 0, 0", f"{0:>10}", "0, 0, 0, 0")
    text.block(f"/PROP/TYPE4/{number}", "spring", *cards)
    text.block(f"/PART/{number}", "spring", f"{number}, 0, 0", f"/SPRING/{number}", f"{number}, 7, 8")
    return text


def test_massless_node_led_in_all_directions_pulls_a_mass() -> None:
    results = run(led_node(1e30, 1e-3))
    t, rate = results.times, 10.0
    np.testing.assert_allclose(results.node("DX", 7), t, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(results.node("DX", 8), t - np.sin(rate * t) / rate, atol=1e-5)
    kept = energy(results, "total") + energy(results, "kinetic_correction")
    gained = kept - kept[0]
    # the drive starts at speed: that work is done at once
    work = energy(results, "drive_work") - energy(results, "drive_work")[0]
    np.testing.assert_allclose(work, gained, atol=1e-10)


def test_massless_node_led_in_all_directions_does_not_limit_the_step() -> None:
    assert Simulation(read(led_node(1e30, None))).dt > 1e-5


def test_massless_node_must_be_led_to_the_end_that_is_asked_for() -> None:
    with pytest.raises(DeckError, match="1 error"):
        run(led_node(0.2, 1e-3), t_end=0.5)


@pytest.mark.parametrize("start", ["Tstart", "sensor"])
def test_displacement_imposed_late_does_not_jump(start: str) -> None:
    text = deck()
    text.nodes({7: (0, 0, 0)})
    text.masses([7], 1)
    if start == "sensor":
        text.block("/SENSOR/TIME/5", "start", f"{0.05:>20}")
        drive(text, "IMPDISP", 7, "X", text.function([(0, 0.5), (1, 0.5)]), sensor=5)
    else:
        drive(text, "IMPDISP", 7, "X", text.function([(0, 0), (1, 10)]), window=(0.05, 1.0))
    with pytest.raises((DeckError, SimulationError)):
        run(text)


# ---- loads ---------------------------------------------------------------------------------------------------------


def test_gravity_that_grows_with_time() -> None:
    text = deck(1.0)
    text.nodes({CARRIER: (0, 0, 0)})
    text.masses([CARRIER], 2.0)
    function, group = expression(text, "3*t"), text.group([CARRIER])
    card = f"{function:>10}{'X':>10}{0:>10}{0:>10}{group:>10}{'':10}{1:>20}{1:>20}"
    text.block(f"/GRAV/{group}", "gravity", card)
    results = run(text)
    np.testing.assert_allclose(results.node("VX", CARRIER), 1.5 * results.times**2, rtol=1e-12, atol=1e-13)
    kept = energy(results, "total") + energy(results, "kinetic_correction")
    np.testing.assert_allclose(energy(results, "external_work"), kept - kept[0], atol=1e-12)


def test_load_in_a_moving_skew_follows_the_turning_body() -> None:
    spin, acceleration = 5.0, 2.0
    text = deck(1.0)
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0), 3: (0, 1, 0)})
    text.rigid_body(1, [2, 3], 3, (1, 1, 1))
    text.block("/SKEW/MOV/4", "body", f"{1:>10}{2:>10}{3:>10}")
    group, function = text.group([1]), constant(text)
    card = f"{function:>10}{'X':>10}{4:>10}{0:>10}{group:>10}{'':10}{1:>20}{3 * acceleration:>20}"
    text.block(f"/CLOAD/{group}", "follower", card)
    text.velocity(1, (0, 0, 0), (0, 0, spin))
    results = run(text)
    angle = spin * results.times
    np.testing.assert_allclose(results.node("VX", 1), acceleration / spin * np.sin(angle), atol=5e-6)
    np.testing.assert_allclose(results.node("VY", 1), acceleration / spin * (1 - np.cos(angle)), atol=5e-6)


# ---- extremes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1e-6, -1e-6, 1.0, -3.0])
def test_any_ratio_gives_the_closed_form(alpha: float) -> None:
    text = gear_pair(alpha)
    text.hold([CARRIER])
    inertia = PINION_INERTIA + alpha**2 * WHEEL_INERTIA
    text.load(PINION, "ZZ", 40 * inertia)
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), 40 * results.times, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(results.node("VRZ", WHEEL), -40 * alpha * results.times, rtol=1e-9, atol=1e-12)


def test_ratio_of_a_million_holds_for_the_wheel() -> None:
    text = gear_pair(1e6)
    text.hold([CARRIER])
    text.load(WHEEL, "ZZ", 1e3)
    results = run(text)
    expected = 1e3 / (WHEEL_INERTIA + PINION_INERTIA * 1e-12) * results.times
    np.testing.assert_allclose(results.node("VRZ", WHEEL), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(results.node("VRZ", PINION), -1e-6 * expected, atol=1e-12)


def test_a_hundred_thousand_radians_keep_the_ratio() -> None:
    text = gear_pair(1 / 3, t_end=1.0, dt=2e-5, every=0.1)
    text.hold([CARRIER])
    text.velocity(PINION, (0, 0, 0), (0, 0, 9e4))
    text.velocity(WHEEL, (0, 0, 0), (0, 0, -3e4))
    results = run(text)
    angle = results.joint("ANG1")
    np.testing.assert_allclose(angle, 9e4 * results.times, rtol=1e-12)
    assert np.abs(angle / 3 + results.joint("ANG2")).max() < 1e-12 * angle[-1]


def test_light_gears_on_a_heavy_shaft() -> None:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (0.1, 0, 0), 3: (0.3, 0, 0)})
    text.joint("GEAR", (1, 1e-6, 1e-8), [(2, 1e12, 1e12, Z), (3, 1e-6, 1e-8, Z)], 0.5)
    text.load(3, "ZZ", 1e-8)
    results = run(text)
    # the heavy shaft stands still: the wheel and the carrier turn about it, 0.5 (0 - w_c) + w - w_c = 0
    wheel, carrier = results.node("VRZ", 3), results.node("VRZ", 1)
    np.testing.assert_allclose(wheel, 1.5 * carrier, rtol=1e-9, atol=1e-12)
    assert np.abs(results.node("VRZ", 2)).max() < 1e-18
    # axis at node 2: carrier mass at 0.1, wheel mass at 0.2 from it
    inertia = 1e-8 + 1e-6 * 0.1**2 + 1e-6 * 0.2**2 + 1.5**2 * 1e-8
    np.testing.assert_allclose(carrier, 1.5 * 1e-8 * results.times / inertia, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("begin", [0.0, 0.05])
def test_torque_on_a_tiny_pinion_moves_the_heavy_wheel(begin: float) -> None:
    text = deck()
    text.nodes({CARRIER: (0, 0, 0), PINION: (0.1, 0, 0), WHEEL: (0.3, 0, 0)})
    text.joint("GEAR", (CARRIER, 10, 0.5), [(PINION, 0.1, 1e-5, Z), (WHEEL, 2, 0.08, Z)], 0.5)
    text.hold([CARRIER])
    step = text.function([(0, 1), (1, 1)] if begin == 0.0 else [(0, 0), (begin, 0), (begin * 1.000001, 1), (1, 1)])
    text.load(PINION, "ZZ", 100.0, step)
    results = run(text)
    rate = 100.0 / (1e-5 + 0.25 * 0.08)
    np.testing.assert_allclose(results.node("VRZ", PINION)[-1], rate * (0.1 - begin), rtol=2e-2)  # half a step of 50


def test_automatic_step_follows_a_shaft_that_spins_up() -> None:
    text = gear_pair(t_end=5.0, dt=None, every=0.5)
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 500 * AT_PINION)
    results = run(text)
    np.testing.assert_allclose(results.node("VRZ", PINION), 500 * results.times, rtol=1e-9)


def test_automatic_step_does_not_depend_on_the_blocks_of_a_run() -> None:
    steps = []
    for block in (7, 50):
        text = gear_pair(t_end=2.0, dt=None)
        text.hold([CARRIER])
        text.load(PINION, "ZZ", 100 * AT_PINION)
        simulation = Simulation(read(text))
        while not simulation.finished:
            simulation.advance(block)
        steps.append((simulation.step, simulation.messages))
    assert steps[0] == steps[1]


def test_step_below_the_minimum_of_dt_stops_the_run_at_once() -> None:
    text = gear_pair(dt=None)
    text.hold([CARRIER])
    text.block("/DT", "0.9 1e-3")
    with pytest.raises(SimulationError, match=r"below the minimum of /DT, 0\.001"):
        run(text)


def test_ids_of_ten_digits() -> None:
    first, second, third = 1234567890, 9999999999, 5000000000
    text = deck()
    text.nodes({first: (0, 0, 0), second: (0.1, 0, 0), third: (0.3, 0, 0)})
    text.joint("GEAR", (first, 10, 0.5), [(second, 1, PINION_INERTIA, Z), (third, 2, WHEEL_INERTIA, Z)], ALPHA)
    text.hold([first])
    text.load(second, "ZZ", 1.0)
    results = run(text)
    assert results.ids["th/node"] == [first, second, third]
    np.testing.assert_allclose(results.node("VRZ", second), results.times / AT_PINION, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("t_end", "every", "dt", "expected"),
    [
        (0.088, 0.02, 1e-3, [0, 0.02, 0.04, 0.06, 0.08, 0.088]),
        (0.009, 0.0015, 1e-3, [0, 0.002, 0.003, 0.005, 0.006, 0.008, 0.009]),
        (0.012, 0.001, 3e-3, [0, 0.003, 0.006, 0.009, 0.012]),
        (0.012, 1.0, 3e-3, [0, 0.012]),
    ],
)
def test_samples_come_at_the_first_step_after_each_interval(
    t_end: float, every: float, dt: float, expected: list[float]
) -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    results = run(text, t_end=t_end, every=every, dt=dt)
    np.testing.assert_allclose(results.times, expected, atol=1e-12)
    np.testing.assert_allclose(results.node("VRZ", PINION), results.times / AT_PINION, rtol=1e-12, atol=1e-14)


def test_deck_in_which_nothing_can_move() -> None:
    text = deck()
    text.nodes({1: (0, 0, 0), 2: (1, 2, 3)})
    text.masses([2], 1.0)
    results = run(text)
    assert results.simulation.degrees_of_freedom == 0
    np.testing.assert_array_equal(results.node_vector("", 2), np.tile((1.0, 2.0, 3.0), (11, 1)))
    assert not energy(results, "error").any()


def test_nodes_that_nothing_uses_cost_nothing_in_the_run() -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    text.nodes({k: (k, 0, 0) for k in range(100, 20100)})
    simulation = Simulation(read(text))
    assert len(simulation._system.bodies) == 3
    while not simulation.finished:
        simulation.advance(1000)


def test_more_joints_than_calls_can_be_nested() -> None:
    count = sys.getrecursionlimit() + 200
    text = deck(0.02)
    text.nodes({1: (0, 0, 0)} | {10 + k: (0.1 * k, 0, 0) for k in range(2 * count)})
    text.hold([1])
    stages = []
    for k in range(count):
        node = 10 + 2 * k
        stages.append(text.joint("GEAR", (1, 1, 1), [(node, 1, 0.02, Z), (node + 1, 1, 0.02, Z)], 1.0))
        if k:
            text.joint("GEAR", (1, 0, 0), [(node - 1, 0, 0, Z), (node, 0, 0, Z)], 1.0)
    text.load(10, "ZZ", 1.0)
    results = run(text)
    assert results.simulation.degrees_of_freedom == 1
    inertia = 0.02 * 2 * count
    rate = results.joint("VEL2", stages[-1])
    np.testing.assert_allclose(rate, -results.times / inertia, rtol=1e-8, atol=1e-12)


def test_break_of_a_spring_frees_the_mass() -> None:
    results = run(breaking_spring(1e-3))
    # 1/2 m v^2 = 1/2 m v_0^2 - 1/2 k d_max^2, the break being found a step late
    assert abs(results.node("VX", 2)[-1] - np.sqrt(3.0)) < 5e-3
    assert np.ptp(results.node("VX", 2)[-20:]) == 0.0
    assert energy(results, "spring")[-1] == 0.0


def test_break_of_a_spring_keeps_the_books() -> None:
    assert np.abs(energy(run(breaking_spring(1e-3)), "error")).max() < 1e-10


def breaking_spring(dt: float) -> DeckText:
    text = deck(1.0, dt, 0.02)
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    text.masses([2], 1.0)
    text.hold([1])
    number = text.group([2])
    limits = f"{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}{'':10}{-1:>20}{0.1:>20}"
    text.block(f"/PROP/TYPE4/{number}", "spring", "0", "100, 0, 0, 0, 0", limits, "0, 0, 0, 0")
    text.block(f"/PART/{number}", "spring", f"{number}, 0, 0", f"/SPRING/{number}", f"{number}, 1, 2")
    text.velocity(2, (2, 0, 0), (0, 0, 0))
    return text


def test_torsion_spring_in_a_moving_skew_swings_two_shafts() -> None:
    stiffness = 40.0
    text = deck(1.0, 1e-3, 0.05)
    places = {
        1: (0, 0, 0),
        2: (0.1, 0, 0),
        3: (0.3, 0, 0),
        4: (0.1, 0, 0.2),
        5: (1, 0, 0),
        6: (0, 1, 0),
        7: (0.5, 0, 0),
    }
    text.nodes(places)
    text.joint("GEAR", (1, 10, 0.5), [(2, 1, 0.02, Z), (3, 2, 0.08, Z)], 0.5)
    text.joint("GEAR", (1, 0, 0), [(4, 1, 0.05, Z), (7, 1, 0.03, Z)], 1.0)
    text.rigid_tie(1, [5, 6])
    text.block("/SKEW/MOV/900", "housing", f"{1:>10}{5:>10}{6:>10}")
    text.hold([1])
    cards = [f"{0:>20}{0:>20}{900:>10}{0:>10}{0:>10}{0:>10}{0:>10}{0:>10}"]
    for k in (0, 0, 0, 0, 0, stiffness):
        cards += [f"{k}, 0, 0, 0, 0", f"{0:>10}", "0, 0, 0, 0"]
    text.block("/PROP/TYPE8/900", "coupling", *cards)
    text.block("/PART/900", "coupling", "900, 0, 0", "/SPRING/900", "900, 2, 4")
    text.velocity(2, (0, 0, 0), (0, 0, 3))
    text.velocity(3, (0, 0, 0), (0, 0, -1.5))
    results = run(text)
    first, second = 0.02 + 0.25 * 0.08, 0.05 + 0.03
    rate = np.sqrt(stiffness * (1 / first + 1 / second))
    mean = 3 * first / (first + second)
    expected = mean + second / (first + second) * 3 * np.cos(rate * results.times)
    phase_error = (rate * 1e-3) ** 2 / 24 * rate * 1.0  # of the central differences at the end
    np.testing.assert_allclose(results.node("VRZ", 2), expected, atol=3 * phase_error + 1e-5)
    assert np.abs(energy(results, "error")).max() < 1e-12


def test_model_is_not_changed_by_a_run() -> None:
    text = gear_pair()
    text.hold([CARRIER])
    text.load(PINION, "ZZ", 1.0)
    model = read(text)
    before = {f.name: repr(getattr(model, f.name)) for f in dataclasses.fields(model)}
    simulation = Simulation(model)
    simulation.advance(1000)
    assert {f.name: repr(getattr(model, f.name)) for f in dataclasses.fields(model)} == before
