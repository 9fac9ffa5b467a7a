"""VOLUME: elastic layers between solids, damping once a contact."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import run

STILL = (0.0, 0.0, 0.0)


def rebound_of_a_damped_spring(mass: float, stiffness: float, damping: float) -> float:
    """Speed after over speed before, of k z + c z' while that pushes.

    T. Schwager and T. Poeschel, Coefficient of restitution and linear-dashpot model revisited, Granul. Matter 9, 2007.
    """
    ratio = damping / (2 * math.sqrt(stiffness * mass))
    assert ratio < math.sqrt(0.5)
    root = math.sqrt(1 - ratio**2)
    return math.exp(-ratio / root * (math.pi - math.atan(2 * ratio * root / (1 - 2 * ratio**2))))


def rebound(kind: str, size, mass: float, modulus: float, damping: float, on: str = "PLANE", skew: bool = False):
    """Speed after over speed before, of a solid that falls flat at 0.1 m/s, with a layer of 0.1 m on both sides."""
    deck = ContactDeck(0.1, 1e-5, 1e-3)
    half = size[2] / 2 if kind == "BOX" else size[1] / 2
    node = deck.free_body((0.0, 0.0, half + 1e-9), mass, (1.0, 1.0, 1.0), (0.0, 0.0, -0.1), STILL)
    floor = deck.solid("PLANE", 0) if on == "PLANE" else deck.solid("BOX", 0, 1.0, 1.0, 0.1, centre=(0.0, 0.0, -0.05))
    deck.volume((deck.solid(kind, node, *size), floor), modulus, 0.1, 1.0, damping)
    results = run(deck)
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    assert np.max(np.abs(results.imbalance())) <= 1e-12
    return results.node("VZ", node)[-1] / 0.1


@pytest.mark.parametrize("on", ["PLANE", "BOX"])
@pytest.mark.parametrize("kind, size, area", [
    ("BOX", (0.2, 0.15, 0.1), 0.03), ("CYLINDER", (0.1, 0.1), math.pi * 0.01),
])  # fmt: skip
def test_damping_acts_once_a_contact(kind, size, area, on):
    """c = 200 in all, not at each of four points: the rebound of one spring and one damper, to 1e-3."""
    mass, damping = 2.0, 200.0
    modulus = 4e6  # K = M/(2 d) = 2e7, so that the ratio of damping is about 0.1
    expected = rebound_of_a_damped_spring(mass, modulus / 0.2 * area, damping)
    assert 0.5 < expected < 0.9
    assert rebound(kind, size, mass, modulus, damping, on) == pytest.approx(expected, abs=1e-3)


def test_the_box_of_0_2_by_0_15_rebounds_with_0_636():
    """Where one damper of 200 leaves 0.636 of the speed, four would leave 0.235."""
    mass, damping = 2.0, 200.0
    low, high = 1e3, 1e9
    for _ in range(200):
        stiffness = math.sqrt(low * high)
        low, high = (
            (stiffness, high) if rebound_of_a_damped_spring(mass, stiffness, damping) < 0.636 else (low, stiffness)
        )
    found = rebound("BOX", (0.2, 0.15, 0.1), mass, stiffness / 0.03 * 0.2, damping)
    assert found == pytest.approx(0.636, abs=1e-3)


def test_a_cylinder_that_lies_sinks_in_as_the_chord_grows():
    """K L 2 sqrt(z (2 R - z)) z bears the weight."""
    radius, length, mass, modulus, gravity = 0.05, 0.2, 2.0, 1e8, 9.81
    deck = ContactDeck(1.0, 1e-4, 1e-2)
    deck.block("/SKEW/FIX/1", "z' along y", "0, 0, 0", "0, 0, 1", "0, 1, 0")
    node = deck.free_body((0.0, 0.0, radius), mass, (0.01, 0.0025, 0.01), STILL, STILL)
    cylinder = deck.solid("CYLINDER", node, radius, length, skew=1)
    deck.volume((cylinder, deck.solid("PLANE", 0)), modulus, 0.01, 1.0, 400.0)
    deck.gravity([node], "Z", -gravity)
    results = run(deck)
    z, area = results.of("th/inter", "PEN", 1)[-1], results.of("th/inter", "AREA", 1)[-1]
    assert area == pytest.approx(2 * math.sqrt(z * (2 * radius - z)) * length, rel=1e-9)
    assert modulus / 0.02 * area * z == pytest.approx(mass * gravity, rel=1e-9)
