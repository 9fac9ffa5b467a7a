"""Stiction of what is put down: it stays below the limit, and breaks away at once beyond it."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import Results, run

G, STILL = 9.81, (0.0, 0.0, 0.0)
MU_STATIC, MU_DYNAMIC = 0.5, 0.4
FLAT, HIGH = (0.3, 0.2, 0.04), (0.1, 0.1, 0.1)


def put_down(
    ratio: float,
    law: str,
    *,
    size=FLAT,
    stiffness: float = 1e5,
    damping: float = 100.0,
    loaded: bool = False,
    t_end: float = 1.0,
) -> tuple[Results, int]:
    """A box of 1 kg on an incline of slope ratio mu_s that falls along x.

    loaded : it lies as deep as its weight presses it; else it just touches.  damping : CR of POISSON
    """
    angle = math.atan(ratio * MU_STATIC)
    deck = ContactDeck(t_end, 1e-4, 1e-3)
    sink = G * math.cos(angle) / (4 * stiffness) if loaded else 0.0
    node, box = deck.box((0.0, 0.0, size[2] / 2 - sink), 1.0, size, STILL, STILL)
    friction, sides = (MU_STATIC, MU_DYNAMIC, 1e-3, 1e-2), (box, deck.solid("PLANE", 0))
    if law == "IMPACT":
        deck.impact(sides, stiffness, 1.0, damping, 1e-9, friction=friction, mode=4)
    else:
        deck.poisson(sides, 100 * stiffness, damping, 1.0, friction, 4)
    deck.gravity([node], "X", G * math.sin(angle))
    deck.gravity([node], "Z", -G * math.cos(angle))
    return run(deck), node


# The figures of docs/contact.md
@pytest.mark.parametrize("law, ratio, options", [
    ("IMPACT", 0.95, {}), ("IMPACT", 0.95, {"damping": 20.0}), ("IMPACT", 0.95, {"stiffness": 1e6}),
    ("IMPACT", 0.95, {"stiffness": 1e6, "damping": 20.0}), ("IMPACT", 0.95, {"loaded": True, "damping": 20.0}),
    ("IMPACT", 0.95, {"loaded": True}), ("IMPACT", 0.9, {"loaded": True, "damping": 20.0}),
    ("IMPACT", 0.95, {"damping": 2 * math.sqrt(1e5 / 4) / 50}), ("IMPACT", 0.8, {"size": HIGH}),
    ("POISSON", 0.9, {"damping": 0.5}), ("POISSON", 0.9, {"damping": 0.2}),
])  # fmt: skip
def test_a_box_that_is_put_down_below_the_limit_stays(law, ratio, options):
    """In a second it moves by less than 60 um, and at the end not at all, or as slowly as it still bounces."""
    results, node = put_down(ratio, law, **options)
    assert abs(results.node("X", node)[-1]) <= 6e-5
    late = results.times > 0.8
    assert np.ptp(results.node("X", node)[late]) <= 5e-6


@pytest.mark.parametrize("restitution", [0.2, 0.5])
def test_a_cube_that_is_hardly_damped_comes_to_rest_at_half_of_the_limit(restitution):
    results, node = put_down(0.5, "POISSON", size=HIGH, damping=restitution)
    assert results.node("X", node)[-1] <= 1.2e-3
    assert np.ptp(results.node("X", node)[results.times > 0.8]) <= 1e-6


@pytest.mark.parametrize("damping", [0.0, 20.0])
@pytest.mark.parametrize("ratio", [0.5, 0.8])
def test_it_stays_where_nothing_damps_the_normal_force(ratio, damping):
    results, node = put_down(ratio, "IMPACT", damping=damping)
    assert np.max(np.abs(results.node("X", node))) <= 2e-4


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("stiffness", [1e4, 1e5, 1e6])
def test_it_breaks_away_at_once_just_above_the_limit(stiffness, loaded):
    """0.1 % above: v_d is reached within 0.05 s, and from there on the slope less mu_d accelerates it."""
    results, node = put_down(1.001, "IMPACT", stiffness=stiffness, loaded=loaded, t_end=0.2)
    t, v = results.times, results.node("VX", node)
    assert t[np.argmax(v > 1e-2)] <= 0.05 and v[-1] > 1e-2
    angle, late = math.atan(1.001 * MU_STATIC), t > 0.1
    expected = G * (math.sin(angle) - MU_DYNAMIC * math.cos(angle))
    assert np.polyfit(t[late], v[late], 1)[0] == pytest.approx(expected, rel=1e-6)
