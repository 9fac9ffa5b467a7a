"""Joints on main and secondary nodes of rigid bodies: what counts is the body's own inertia."""

import numpy as np
import pytest
from deck_text import DeckText
from running import DECKS, observed_order, run

TWO_RIGID_BODIES = DECKS / "two_rigid_bodies" / "two_rigid_bodies.rad"


def test_joint_between_secondary_nodes_feels_inertias_about_its_bearings():
    results = run(TWO_RIGID_BODIES)
    expected = 0.9 / (0.02 + 0.25 * 0.10) * results.times[1:]
    np.testing.assert_allclose(results.node("VRZ", 10)[1:], expected, rtol=1e-6)
    np.testing.assert_allclose(results.node("VRZ", 20)[1:], -0.5 * expected, rtol=1e-6)
    np.testing.assert_allclose(results.node_vector("D", 25), 0.0, atol=1e-12)
    radial = np.hypot(results.joint("FX2"), results.joint("FY2"))
    centripetal = 2.0 * 0.2 * (10.0 * results.times) ** 2
    tangential = 2.0 * 0.2 * 10.0
    np.testing.assert_allclose(radial, np.hypot(centripetal, tangential), rtol=1e-4)


def test_arm_with_an_eccentric_bearing_converges_at_second_order():
    steps, errors = [4e-3, 2e-3, 1e-3], []
    for step in steps:
        results = run(TWO_RIGID_BODIES, dt=step, every=0.1)
        errors.append(float(np.max(np.abs(results.joint("ANG1") - 10.0 * results.times**2))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("axis", "direction", "inertia"), [("X", "XX", 0.10), ("Y", "YY", 0.20), ("Z", "ZZ", 0.26)])
def test_gear_on_a_main_node_feels_the_inertia_about_its_own_axis(axis, direction, inertia):
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes(
        {
            10: (0, 0, 0), 11: (0.3, 0, 0), 12: (-0.3, 0, 0), 13: (0, 0.2, 0), 14: (0, -0.2, 0), 15: (0, 0, 0.1),
            16: (0, 0, -0.1), 1: (0.5, 0, 0), 3: (1, 0, 0),
        }
    )  # fmt: skip
    deck.masses(range(11, 17), 1.0)
    deck.rigid_body(10, range(11, 17))
    r = tuple(float(axis == name) for name in "XYZ")
    deck.joint("GEAR", (1, 1.0, 1.0), [(10, 0.0, 0.0, r), (3, 1.0, 0.03, r)], alpha=1.0)
    deck.hold([1])
    deck.load(3, direction, 0.1)
    results = run(deck)
    expected = 0.1 / (0.03 + inertia) * results.times[1:]
    np.testing.assert_allclose(results.node(f"VR{axis}", 3)[1:], expected, rtol=1e-9)
    np.testing.assert_allclose(results.node(f"VR{axis}", 10)[1:], -expected, rtol=1e-9)


def test_rigid_body_as_carrier_feels_the_reaction_of_the_shafts():
    """Coaxial shafts on a free carrier with 0.26 kg m2 about z: two freedoms, both of constant acceleration."""
    deck = DeckText(t_end=0.5, dt=1e-4, every=0.05)
    deck.nodes(
        {
            1: (0, 0, 0), 11: (0.3, 0, 0), 12: (-0.3, 0, 0), 13: (0, 0.2, 0), 14: (0, -0.2, 0), 15: (0, 0, 0.1),
            16: (0, 0, -0.1), 2: (0, 0, 0.2), 3: (0, 0, -0.2),
        }
    )  # fmt: skip
    deck.masses(range(11, 17), 1.0)
    deck.rigid_body(1, range(11, 17))
    deck.joint("GEAR", (1, 0.0, 0.0), [(2, 1.0, 0.01, (0, 0, 1)), (3, 1.0, 0.1, (0, 0, 1))], alpha=0.4)
    deck.load(2, "ZZ", 1.0)
    results = run(deck)
    # unknowns: carrier W and first shaft's relative spin s; (0.37 W + (0.01 - 0.04) s) and ((0.01 - 0.04) W + 0.026 s)
    carrier, relative = np.linalg.solve([[0.37, -0.03], [-0.03, 0.026]], [1.0, 1.0])
    np.testing.assert_allclose(results.node("VRZ", 1)[1:], carrier * results.times[1:], rtol=1e-9)
    np.testing.assert_allclose(
        results.joint("VEL1", results.ids["th/gjoint"][0])[1:], relative * results.times[1:], rtol=1e-9
    )
