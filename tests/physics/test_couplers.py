"""Ideal gears between a rotation and a way (R2T) or two rotations (R2R), with supports that move and turn."""

from __future__ import annotations

import numpy as np
import pytest
from closed_form import constrained_accelerations
from deck_text import DeckText
from running import DECKS, Results, check_kept, run

X, Y, Z = np.eye(3)
WINCH = DECKS / "winch" / "winch.rad"


def rotor(text: DeckText, node: int, place: np.ndarray, inertia: float, axis: np.ndarray, on: int = 0) -> None:
    """A body hinged at its centre on the ground or on a node at the same place."""
    add_body(text, node, place, 1.0, (inertia,) * 3)
    text.pair("REVOLUTE", on, node, axis)


def slider(text: DeckText, node: int, place: np.ndarray, mass: float, axis: np.ndarray, on: int = 0) -> None:
    """A body that slides on a straight line."""
    add_body(text, node, place, mass, (0.01,) * 3)
    text.pair("TRANSLATIONAL", on, node, axis)


def add_body(
    text: DeckText, node: int, place: np.ndarray, mass: float, inertia: tuple[float, float, float], *more: int
) -> None:
    """A rigid body with a node beside it, which a rigid body needs."""
    text.nodes({node: tuple(map(float, place)), node + 500: tuple(map(float, place + 0.1))})
    text.rigid_body(node, [node + 500, *more], mass, inertia)


def coupler_power(results: Results) -> np.ndarray:
    """What the coupler gives to the machine; the supports move with it or do not."""
    coupler = results.ids["th/coupler"][0]
    second = "F2", "V2"
    if np.all(np.isnan(results.of("th/coupler", "F2", coupler))):
        second = "T2", "RATE2"
    power = results.of("th/coupler", "T1", coupler) * results.of("th/coupler", "RATE1", coupler)
    return power + results.of("th/coupler", second[0], coupler) * results.of("th/coupler", second[1], coupler)


def test_rotation_to_translation_on_the_ground_has_the_published_accelerations():
    """2 kg, 0.03 kg m2, 5 rad/m, 0.4 N m: s'' = ratio T/(J ratio^2 + m) = 2/2.75."""
    text = DeckText(1.0, 1e-3, 0.05)
    rotor(text, 1, np.zeros(3), 0.03, Z)
    slider(text, 2, X, 2.0, X)
    text.coupler("R2T", (1, 0, 2, 0), 5.0, Z, X)
    text.load(1, "ZZ", 0.4)
    results = run(text)
    np.testing.assert_allclose(results.node("VX", 2), 2 / 2.75 * results.times, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(results.node("VRZ", 1), 10 / 2.75 * results.times, rtol=1e-10, atol=1e-13)
    coupler = results.ids["th/coupler"][0]
    np.testing.assert_allclose(results.of("th/coupler", "F2", coupler), 4 / 2.75, rtol=1e-8)
    np.testing.assert_allclose(results.of("th/coupler", "T1", coupler), -0.8 / 2.75, rtol=1e-8)


@pytest.mark.parametrize("ratio", [4.0, -0.5])
def test_rotation_to_translation_reacts_on_supports_that_move(ratio):
    """Spline, its support, flange and its support all move; the reaction acts on all four."""
    inertias = {1: 0.03, 2: 0.4}
    masses = {3: 2.0, 4: 15.0}
    text = DeckText(1.0, 1e-3, 0.05)
    for node, inertia in inertias.items():
        rotor(text, node, node * Y, inertia, Z)
    for node, mass in masses.items():
        slider(text, node, node * Y, mass, X)
    text.coupler("R2T", (1, 2, 3, 4), ratio, Z, X)
    text.load(1, "ZZ", 0.4)
    text.load(4, "X", 3.0)
    start = {2: 1.5, 3: 0.7, 4: 0.3}
    start[1] = start[2] + ratio * (start[3] - start[4])
    for node in (1, 2):
        text.velocity(node, (0, 0, 0), start[node] * Z)
    for node in (3, 4):
        text.velocity(node, start[node] * X, (0, 0, 0))
    results = run(text)
    row = [1.0, -1.0, -ratio, ratio]
    accelerations, multiplier = constrained_accelerations([0.03, 0.4, 2.0, 15.0], row, [0.4, 0.0, 0.0, 3.0])
    for k, (node, channel) in enumerate(((1, "VRZ"), (2, "VRZ"), (3, "VX"), (4, "VX"))):
        expected = start[node] + accelerations[k] * results.times
        np.testing.assert_allclose(results.node(channel, node), expected, rtol=1e-10, atol=1e-12)
    coupler = results.ids["th/coupler"][0]
    np.testing.assert_allclose(results.of("th/coupler", "T1", coupler), multiplier[0], rtol=1e-7)
    np.testing.assert_allclose(results.of("th/coupler", "F2", coupler), -ratio * multiplier[0], rtol=1e-7)
    np.testing.assert_allclose(coupler_power(results), 0.0, atol=1e-9)


@pytest.mark.parametrize("ratio", [2.5, -0.4])
def test_rotation_to_rotation_reacts_on_supports_that_turn(ratio):
    inertias = (0.03, 0.4, 0.02, 0.5)
    text = DeckText(1.0, 1e-3, 0.05)
    for node, inertia in enumerate(inertias, start=1):
        rotor(text, node, node * Y, inertia, Z if node < 3 else X)
    text.coupler("R2R", (1, 2, 3, 4), ratio, Z, X)
    text.load(1, "ZZ", 0.4)
    text.load(4, "XX", 3.0)
    start = {2: 1.5, 3: 0.7, 4: 0.3}
    start[1] = start[2] + ratio * (start[3] - start[4])
    for node in range(1, 5):
        text.velocity(node, (0, 0, 0), start[node] * (Z if node < 3 else X))
    results = run(text)
    row = [1.0, -1.0, -ratio, ratio]
    accelerations, multiplier = constrained_accelerations(inertias, row, [0.4, 0.0, 0.0, 3.0])
    for node in range(1, 5):
        expected = start[node] + accelerations[node - 1] * results.times
        np.testing.assert_allclose(results.node("VRZ" if node < 3 else "VRX", node), expected, rtol=1e-10, atol=1e-12)
    coupler = results.ids["th/coupler"][0]
    np.testing.assert_allclose(results.of("th/coupler", "T1", coupler), multiplier[0], rtol=1e-7)
    np.testing.assert_allclose(coupler_power(results), 0.0, atol=1e-9)


# ---- couplers and gear joints are the same thing ---------------------------------------------------------------------

CARRIER, FIRST, SECOND = 1, 2, 3
PLACES = {CARRIER: np.zeros(3), FIRST: np.array([0.2, 0.03, -0.05]), SECOND: np.array([-0.1, 0.15, 0.07])}
ALPHA = 0.7


def in_flight(kind: str, coupled: bool) -> DeckText:
    """A free carrier with two geared parts: GEAR or RACK, or joints and a coupler in their place."""
    axes = {"GEAR": (Z, np.array([0.6, 0.0, 0.8])), "RACK": (Z, np.array([0.8, 0.6, 0.0]))}[kind]
    text = DeckText(1.0, 1e-4, 0.02)
    bearings = {FIRST: 12, SECOND: 13}
    text.nodes({bearings[node]: tuple(map(float, PLACES[node])) for node in bearings})
    add_body(text, CARRIER, PLACES[CARRIER], 1.0, (0.02, 0.03, 0.045), *bearings.values())
    for node, mass, inertia in ((FIRST, 1.5, 0.005), (SECOND, 2.0, 0.01)):
        add_body(text, node, PLACES[node], mass, (inertia,) * 3)
    if coupled:
        text.pair("REVOLUTE", bearings[FIRST], FIRST, axes[0])
        text.pair("REVOLUTE" if kind == "GEAR" else "TRANSLATIONAL", bearings[SECOND], SECOND, axes[1])
        nodes = (FIRST, CARRIER, SECOND, CARRIER)
        text.coupler("R2R" if kind == "GEAR" else "R2T", nodes, -1 / ALPHA, *axes)
    else:
        text.joint(kind, (CARRIER, 0.0, 0.0), [(FIRST, 0, 0, axes[0]), (SECOND, 0, 0, axes[1])], ALPHA)
    spin, relative = np.array([3.0, 4.0, 5.0]), 20.0 if kind == "GEAR" else 0.5
    own_spin = {FIRST: relative * axes[0], SECOND: np.zeros(3), CARRIER: np.zeros(3)}
    slide = -ALPHA * relative * axes[1]
    if kind == "GEAR":
        own_spin[SECOND] = slide
    for node, place in PLACES.items():
        velocity = np.cross(spin, place) + (slide if kind == "RACK" and node == SECOND else 0.0)
        text.velocity(node, velocity, spin + own_spin[node])
    return text


@pytest.mark.parametrize("kind", ["GEAR", "RACK"])
def test_coupler_on_joints_does_what_a_gear_joint_does(kind):
    gear, coupled = run(in_flight(kind, coupled=False)), run(in_flight(kind, coupled=True))
    check_kept(coupled, linear_scale=5.0)
    for node in PLACES:
        for quantity, scale in (("D", 1.0), ("V", 5.0), ("VR", 20.0)):
            ours, theirs = gear.node_vector(quantity, node), coupled.node_vector(quantity, node)
            np.testing.assert_allclose(theirs, ours, atol=1e-9 * scale, err_msg=f"{quantity} of node {node}")


def test_winch_on_a_free_cart_keeps_the_momentum_along_the_track():
    results = run(WINCH)
    (cart, sled, drum), force = constrained_accelerations([240.0, 60.0, 1.2], [-4.0, 4.0, -1.0], [0.0, 0.0, -150.0])
    for channel, node, acceleration in (("VX", 1, cart), ("VX", 3, sled), ("VRY", 2, drum)):
        np.testing.assert_allclose(results.node(channel, node), acceleration * results.times, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(results.momentum()[:, 0], 0.0, atol=1e-10)
    np.testing.assert_allclose(results.of("th/coupler", "F2", 1), 4.0 * force[0], rtol=1e-7)
    np.testing.assert_allclose(coupler_power(results), 0.0, atol=1e-8)
