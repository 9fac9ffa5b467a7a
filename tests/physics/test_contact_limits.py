"""What limits a contact: windows of time, sensors, pen_max, sides, and solids off the mass centre."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import Results, run

G, STILL = 9.81, (0.0, 0.0, 0.0)


def resting(stiffness: float = 1e5, extra: str = ",", sensor: str = "", t_end: float = 0.4) -> tuple[Results, int]:
    """A ball of 1 kg that the floor bears, with a line of limits."""
    deck = ContactDeck(t_end, 1e-4, 1e-4)
    node, ball = deck.ball((0.0, 0.0, 0.1 - G / stiffness), 1.0, 0.1, STILL, STILL)
    floor = deck.solid("PLANE", 0)
    if sensor:
        deck.block("/SENSOR/TIME/7", "sensor", sensor)
    first = f"{ball}, {floor}, 0, 0, 0, 0, {7 if sensor else 0}"
    deck.block("/INTER/IMPACT/1", "contact", first, extra, f"{stiffness!r}, 1, 0, 1")
    deck.gravity([node], "Z", -G)
    return run(deck), node


def check_borne_until(results: Results, node: int, end: float) -> None:
    """It rests until then and falls freely from there on; at the end itself the force is between both."""
    t, z = results.times, results.node("Z", node)
    before, after = t < end - 1e-9, t > end + 1e-9
    assert np.max(np.abs(results.of("th/inter", "FNZ", 1)[before] - G)) <= 1e-9
    assert np.all(results.of("th/inter", "FNZ", 1)[after] == 0.0)
    assert results.of("th/inter", "FNZ", 1)[~before & ~after] == pytest.approx(0.5 * G)
    fall = t[after] - end
    np.testing.assert_allclose(z[after] - z[0], -G / 2 * fall**2, rtol=0, atol=1e-12)
    assert np.all(results.of("th/inter", "EELAS", 1)[after] == 0.0)
    assert results.of("th/inter", "EDISS", 1)[-1] == pytest.approx(0.5 * G**2 / 1e5, rel=1e-3)  # what was stored
    assert np.max(np.abs(results.scalar("energy", "error"))) < 1e-12


def test_an_interface_ends_at_its_stop_time():
    check_borne_until(*resting(extra=", , 0, 0.2"), 0.2)


@pytest.mark.parametrize("limits", [{"extra": ", , 0.01, 1e30"}, {"sensor": "0.01"}], ids=["start time", "sensor"])
def test_an_interface_begins_at_its_start_time_or_with_its_sensor(limits):
    """Free fall until then, and a bounce off what it finds itself in."""
    results, node = resting(**limits)
    t, v, force = results.times, results.node("VZ", node), results.of("th/inter", "FNZ", 1)
    before = t < 0.01 - 1e-9
    np.testing.assert_allclose(v[before][1:], -G * t[before][1:], rtol=1e-9)
    assert np.all(force[before] == 0.0) and force[~before][1] > G
    assert force[~before][0] == pytest.approx(0.5 * force[~before][1], rel=0.02)  # acts in half of the kick
    z = results.of("th/inter", "PEN", 1)[~before][0]
    assert z == pytest.approx(G / 1e5 + G / 2 * 0.01**2, rel=1e-6)


def test_what_is_deeper_than_pen_max_is_ignored():
    """A ball too fast for its floor goes through it, and nothing holds it when it is out on the other side."""
    nodes = []
    deck = ContactDeck(0.05, 2e-6, 1e-4)
    floor = deck.solid("BOX", 0, 4.0, 4.0, 0.02, centre=(0.0, 0.0, -0.01))
    for k, speed in enumerate((0.9, 1.1)):  # depth v sqrt(m/k)
        node, ball = deck.ball((1.0 * k, 0.0, 0.1 + 1e-6), 1.0, 0.1, (0.0, 0.0, -speed), STILL)
        deck.block(f"/INTER/IMPACT/{k + 1}", "contact", f"{ball}, {floor}, 0, 0, 0, 0", "1e-3,", "1e6, 1, 0, 1")
        nodes.append(node)
    results = run(deck)
    assert results.node("VZ", nodes[0])[-1] == pytest.approx(0.9, rel=1e-5)
    through = results.node("VZ", nodes[1])
    assert through[-1] < 0.0
    assert through[-1] ** 2 == pytest.approx(1.1**2 - 1.0, abs=5e-3)  # the spring took 1/2 k pen_max^2
    assert results.of("th/inter", "PEN", 2).max() <= 1e-3


def test_bodies_of_one_side_pass_through_each_other():
    deck = ContactDeck(0.5, 1e-3, 1e-2)
    motions = ((1.0, 0.0, 0.0), STILL), ((-1.0, 0.0, 0.0), STILL)
    balls = [deck.ball((x, 0.0, 0.0), 1.0, 0.1, *motion) for x, motion in zip((-0.2, 0.2), motions, strict=True)]
    deck.poisson((deck.together([surface for _, surface in balls]), deck.solid("PLANE", 0, centre=(0, 0, -9.0))),
                 1e6, 1.0)  # fmt: skip
    results = run(deck)
    assert results.node("X", balls[0][0])[-1] == pytest.approx(0.3, rel=1e-12)
    assert np.all(results.of("th/inter", "NPATCH", 1) == 0)


@pytest.mark.parametrize("swapped", [False, True])
def test_forces_are_those_on_side_i(swapped):
    """The recorded force is that on the first side, whichever holds the floor; the motion is the same."""
    stiffness = 1e5
    deck = ContactDeck(0.01, 1e-4, 1e-4)
    floor = deck.solid("PLANE", 0)
    node, ball = deck.ball((0.3, 0.2, 0.1 - G / stiffness), 1.0, 0.1, STILL, STILL)
    deck.impact((floor, ball) if swapped else (ball, floor), stiffness, 1.0)
    deck.gravity([node], "Z", -G)
    results = run(deck)
    assert results.of("th/inter", "FNZ", 1) == pytest.approx(-G if swapped else G, rel=1e-9)
    assert results.of("th/inter", "PX", 1) == pytest.approx(0.3, rel=1e-12)
    assert results.of("th/inter", "PY", 1) == pytest.approx(0.2, rel=1e-12)
    assert results.of("th/inter", "PZ", 1) == pytest.approx(-G / stiffness / 2, rel=1e-9)
    assert results.of("th/inter", "PEN", 1) == pytest.approx(G / stiffness, rel=1e-9)
    assert results.of("th/inter", "EELAS", 1) == pytest.approx(G**2 / stiffness / 2, rel=1e-9)


def test_a_rod_with_a_ball_at_its_end_is_struck_off_its_centre():
    """An elastic impact at a lever: by the effective mass 1/(1/m + a^2/J) along the line of impact."""
    mass, inertia, lever, speed = 2.0, 0.05, 0.4, 1.0
    deck = ContactDeck(0.2, 1e-5, 1e-2)
    rod = deck.free_body((0.0, 0.0, 0.0), mass, (inertia,) * 3)
    knob = deck.solid("SPHERE", rod, 0.05, centre=(0.0, lever, 0.0))
    node, ball = deck.ball((-0.2, lever, 0.0), 1.0, 0.05, (speed, 0.0, 0.0), STILL)
    deck.poisson((ball, knob), 1e9, 1.0)
    results = run(deck)
    effective = 1 / (1 / mass + lever**2 / inertia)
    after = speed * (1.0 - effective) / (1.0 + effective)
    impulse = speed - after
    assert results.node("VX", node)[-1] == pytest.approx(after, rel=1e-4)
    assert results.node("VX", rod)[-1] == pytest.approx(impulse / mass, rel=1e-4)
    assert results.node("VRZ", rod)[-1] == pytest.approx(-lever * impulse / inertia, rel=1e-4)
    total = results.scalar("energy", "total") - results.scalar("energy", "contact_error")
    assert math.isclose(total[-1], 0.5, rel_tol=1e-9)
