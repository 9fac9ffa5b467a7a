"""Contacts at t = 0 and of what does not move: energy of an overlap, held bodies, pen_max."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import Results, read, run

G, STILL = 9.81, (0.0, 0.0, 0.0)
DEPTH, RADIUS = 1e-3, 0.1


def overlapping(law, *, t_end: float = 1e-3, dt: float = 1e-6) -> Results:
    """A ball of 1 kg that begins 1 mm deep in a floor; `law` gives the deck its interface."""
    deck = ContactDeck(t_end, dt, t_end / 20)
    _, ball = deck.ball((0.0, 0.0, RADIUS - DEPTH), 1.0, RADIUS, STILL, STILL)
    law(deck, (ball, deck.solid("PLANE", 0)))
    return run(deck)


LAWS = {
    "IMPACT": (lambda deck, sides: deck.impact(sides, 1e6, 1.0), 1e6 * DEPTH**2 / 2),
    "IMPACT 2.2": (lambda deck, sides: deck.impact(sides, 1e9, 2.2), 1e9 * DEPTH**3.2 / 3.2),
    "POISSON": (lambda deck, sides: deck.poisson(sides, 1e8, 1.0), 1e8 * DEPTH**2.5 / 2.5),
    # A = pi z (2 R - z), K = M/(2 d)
    "VOLUME": (lambda deck, sides: deck.volume(sides, 1e9, 0.1, 1.0, 0.0),
               5e9 * math.pi * (2 * RADIUS * DEPTH**3 / 3 - DEPTH**4 / 4)),
    # F = 1e5 z up to 0.5 mm, from there 3e5 (z - 0.5 mm) more
    "TYPE6": (lambda deck, sides: deck.force_curve(sides, [(0.0, 0.0), (5e-4, 50.0), (1e-2, 2900.0)]),
              0.5 * 50.0 * 5e-4 + 5e-4 * (50.0 + 0.5 * 150.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_the_energy_of_an_overlap_is_there_from_the_start(name):
    """Of the law to 1e-6; half a bounce later it is kinetic energy, to 1e-3."""
    law, energy = LAWS[name]
    results = overlapping(law, t_end=0.05, dt=2e-6)
    assert results.of("th/inter", "EELAS", 1)[0] == pytest.approx(energy, rel=1e-6)
    assert results.scalar("energy", "contact_elastic")[0] == pytest.approx(energy, rel=1e-6)
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    assert results.scalar("energy", "kinetic_translational")[-1] == pytest.approx(energy, rel=1e-3)
    made = results.scalar("energy", "contact_error")
    left = results.of("th/inter", "EELAS", 1)[-1]
    assert abs(made[-1]) + abs(left) <= 1e-3 * energy
    assert left == pytest.approx(0.0, abs=1e-12 * energy) or name == "VOLUME"  # VOLUME keeps there what the step made
    assert np.max(np.abs(results.imbalance())) <= 1e-12 * energy


@pytest.mark.parametrize(("kind", "sizes"), [("BOX", (0.2, 0.2, 0.2)), ("CYLINDER", (0.1, 0.2)), ("SPHERE", (0.1,))])
def test_what_begins_in_a_box_flies_off_with_the_energy_of_the_overlap(kind, sizes):
    """4 mm deep askew: nothing is stored in the end, and what the step made or lost is small."""
    deck = ContactDeck(0.05, 2e-6, 1e-3)
    node = deck.free_body((0.0, 0.0, 0.196), 1.0, (0.01, 0.01, 0.01), STILL, STILL)
    deck.block("/SKEW/FIX/7", "axes", "0, 0, 0", "0, 1, 0.02", "-0.03, 0, 1")
    solid = deck.solid(kind, node, *sizes, skew=7) if kind != "SPHERE" else deck.solid(kind, node, *sizes)
    deck.impact((solid, deck.solid("BOX", 0, 0.2, 0.2, 0.2)), 1e6, 1.5)
    results = run(deck)
    kinetic = results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")
    stored, made = results.of("th/inter", "EELAS", 1), results.scalar("energy", "contact_error")
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    assert kinetic[-1] == pytest.approx(stored[0], rel=1e-3)
    assert stored[-1] == pytest.approx(0.0, abs=1e-12 * stored[0])
    assert abs(made[-1]) <= 1e-3 * stored[0]
    assert np.max(np.abs(results.imbalance())) <= 1e-12 * stored[0]


# ---- held bodies -----------------------------------------------------------------------------------------------


def held(deck: ContactDeck, *nodes: int) -> None:
    """/BCS 111 111."""
    deck.block("/GRNOD/NODE/77", "held", ", ".join(map(str, nodes)))
    deck.block("/BCS/1", "held", "   111 111         0        77")


def test_a_held_ball_presses_on_a_floor():
    """1 mm deep, 1e6 N/m: 1000 N, from the start to the end, and nothing moves."""
    deck = ContactDeck(0.01, 1e-4, 1e-3)
    deck.nodes({1: (0.3, 0.2, RADIUS - DEPTH)})
    ball = deck.solid("SPHERE", 1, RADIUS)
    held(deck, 1)
    deck.impact((ball, deck.solid("PLANE", 0)), 1e6, 1.0, friction=(0.3, 0.3, 1e-3, 1e-3), mode=1)
    deck.block("/TH/INTER/9", "pairs", "DEF       PAIRS")
    model = read(deck)
    asked = model.history_requests
    results = run(model, edit=lambda model: model.history_requests.extend(asked))
    for channel, value in {
        "FNX": 0.0, "FNZ": 1000.0, "FTX": 0.0, "PEN": DEPTH, "PX": 0.3, "PY": 0.2, "PZ": -DEPTH / 2, "NPATCH": 1.0,
        "EELAS": 0.5,
    }.items():  # fmt: skip
        np.testing.assert_allclose(results.of("th/inter", channel, 1), value, rtol=1e-9, atol=1e-12, err_msg=channel)
    assert results.of("th/inter_pairs", "FNZ", 1) == pytest.approx(1000.0, rel=1e-9)
    assert results.scalar("energy", "error") == pytest.approx(0.0, abs=1e-15)
    assert results.simulation.facts[0][1].startswith("0 moving bodies in 0 independent subsystems")


def test_a_held_body_touches_among_bodies_that_move():
    """Two held balls press on each other while a third one rests on them; the window of time counts."""
    deck = ContactDeck(0.02, 1e-4, 1e-3)
    deck.nodes({51: (0.0, 0.0, 0.0), 52: (0.199, 0.0, 0.0)})
    balls = [deck.solid("SPHERE", node, RADIUS) for node in (51, 52)]
    held(deck, 51, 52)
    _, far = deck.ball((5.0, 0.0, 0.0), 1.0, RADIUS, STILL, STILL)
    side = deck.together([*balls, far])
    deck.block("/INTER/IMPACT/1", "contact", f"{side}, 0", ", , 0, 0.01", "1e6, 1, 0, 1")
    results = run(deck)
    before, after = results.times < 0.01 - 1e-9, results.times > 0.01 + 1e-9
    assert results.of("th/inter", "FNX", 1)[before] == pytest.approx(-1000.0, rel=1e-9)
    assert results.of("th/inter", "FNX", 1)[~before & ~after] == pytest.approx(-500.0, rel=1e-9)
    assert np.all(results.of("th/inter", "FNX", 1)[after] == 0.0)
    assert results.of("th/inter", "PEN", 1)[before] == pytest.approx(DEPTH, rel=1e-9)


def test_solids_of_one_held_body_do_not_touch_each_other():
    deck = ContactDeck(0.01, 1e-4, 1e-3)
    deck.nodes({1: (0.0, 0.0, 0.0), 2: (0.1, 0.0, 0.0)})
    deck.rigid_body(1, [2], 1.0, (1.0, 1.0, 1.0))
    one, other = deck.solid("SPHERE", 1, RADIUS), deck.solid("SPHERE", 2, RADIUS)
    held(deck, 1)
    deck.impact((deck.together([one, other]), deck.solid("PLANE", 0, centre=(0.0, 0.0, -0.099))), 1e6, 1.0)
    results = run(deck)
    assert results.of("th/inter", "FNZ", 1) == pytest.approx(2000.0, rel=1e-9)
    assert np.all(results.of("th/inter", "NPATCH", 1) == 2)


# ---- pen_max ---------------------------------------------------------------------------------------------------


def test_boxes_that_begin_inside_each_other_do_not_explode():
    """Deeper than pen_max in every direction: none of their points acts, and one falls out of the other."""
    deck = ContactDeck(0.1, 1e-4, 1e-2)
    node, box = deck.box((0.02, 0.01, 0.0), 1.0, (0.1, 0.1, 0.1), STILL, (0.1, 0.2, 0.3))
    block = deck.solid("BOX", 0, 0.2, 0.2, 0.2)
    deck.block("/INTER/IMPACT/1", "contact", f"{box}, {block}", "0.01,", "1e6, 1, 0, 1")
    deck.gravity([node], "Z", -G)
    results = run(deck)
    np.testing.assert_allclose(results.node("VZ", node), -G * results.times, rtol=1e-9)
    assert np.all(results.of("th/inter", "NPATCH", 1) == 0)
    told = [w.message for w in results.simulation.warnings if "pen_max" in w.message]
    assert len(told) == 1 and told[0].endswith("this contact is ignored until they lie less deep")
    assert not any("is ignored from" in w.message for w in results.simulation.new_warnings)


def test_what_sinks_deeper_than_pen_max_keeps_its_energy_stored():
    """It would turn 10 mm deep, and counts no more from 5 mm on: 0.125 J of the 0.5 J stay behind, and are no error."""
    deck = ContactDeck(0.02, 1e-5, 1e-3)
    _, ball = deck.ball((0.0, 0.0, RADIUS + 1e-3), 1.0, RADIUS, (0.0, 0.0, -1.0), STILL)
    floor = deck.solid("PLANE", 0)
    deck.block("/INTER/IMPACT/1", "contact", f"{ball}, {floor}", "0.005,", "1e4, 1, 0, 1")
    results = run(deck)
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    assert results.of("th/inter", "EELAS", 1)[-1] == pytest.approx(0.125, rel=5e-3)  # to a step of its way
    assert not results.scalar("energy", "contact_error").any()
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-12
