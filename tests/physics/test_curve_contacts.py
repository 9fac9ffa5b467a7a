"""Plane curves in interfaces: impacts, laws, friction, warnings; all of them move in the x-y plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from curve_rig import blob, circle, polygon
from gsolve.solver.assembly import curve_checks
from gsolve.solver.run.simulation import Simulation
from running import Results, read, run

PLATE = (2e-4, 2e-4, 4e-4)  # inertia of the bodies
UP = (0.0, 1.0, 0.0)  # normal of the line y = 0
SQUARE = 0.05 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def two_that_meet(points, other, stiffness: float, exponent: float, steps: int) -> Results:
    """Two free bodies of 1 kg that fly at each other with 2 m/s and some spin, with about so many steps a bounce."""
    bounce = 4.0 * math.sqrt(0.5 / (exponent * stiffness * 0.004 ** (exponent - 1)))
    deck = ContactDeck(0.03, bounce / steps, 1e-4)
    nodes = [
        deck.free_body((0.0, 0.0, 0.0), 1.0, PLATE, (1.0, 0.1, 0.0), (0.0, 0.0, 3.0)),
        deck.free_body((0.115, 0.013, 0.0), 1.0, PLATE, (-1.0, 0.0, 0.0), (0.0, 0.0, -2.0)),
    ]
    deck.impact((deck.curve(nodes[0], points), deck.curve(nodes[1], other)), stiffness, exponent)
    return run(deck)


def kept(results: Results) -> float:
    """Relative error of the kinetic energy after."""
    kinetic = results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")
    assert results.of("th/inter", "PEN", 1).max() > 1e-4
    assert results.of("th/inter", "NPATCH", 1)[-1] == 0
    return abs(kinetic[-1] / kinetic[0] - 1)


def check_momentum(results: Results) -> None:
    linear, angular = results.momentum(), results.angular_momentum()
    assert np.max(np.abs(linear - linear[0])) < 1e-12
    assert np.max(np.abs(angular - angular[0])) < 1e-13


@pytest.mark.parametrize("seed", range(3))
def test_smooth_curves_keep_their_energy_and_momentum(seed):
    random = np.random.default_rng(seed)
    results = two_that_meet(blob(random, 0.1, n=36), blob(random, 0.1, n=36), 2e7, 1.5, 100)
    check_momentum(results)
    assert kept(results) < 3e-5


@pytest.mark.parametrize("seed", range(3))
def test_polygons_keep_their_energy_and_momentum(seed):
    """Corners on sides, sides on sides, corners on corners."""
    random = np.random.default_rng(seed)
    results = two_that_meet(polygon(random), polygon(random), 1e6, 1.0, 100)
    check_momentum(results)
    assert kept(results) < 3e-4


def ball_on_line(end: float, dt: float, every: float, *, speed: float, zero_crossing: bool = False):
    """A disc of 30 mm, 0.5 kg, a curve that comes down on the line y = 0; the deck, both surfaces and its node."""
    deck = ContactDeck(end, dt, every)
    deck.zero_crossing = zero_crossing
    line = deck.solid("PLANE", 0, *UP)
    node = deck.free_body((0.0, 0.03 + 0.3 * dt * speed, 0.0), 0.5, PLATE, (0.0, -speed, 0.0))
    return deck, (deck.curve(node, circle(0.03, 96)), line), node


@pytest.mark.parametrize("zero_crossing", [False, True])
def test_an_elastic_rebound(zero_crossing):
    deck, sides, node = ball_on_line(0.02, 2e-5, 1e-3, speed=1.0, zero_crossing=zero_crossing)
    deck.impact(sides, 1e7, 1.5)
    assert run(deck).node("VY", node)[-1] == pytest.approx(1.0, abs=2e-5)


def test_hunt_and_crossley_rebound():
    """v/a - ln(1 + a v)/a^2 = -u/a - ln(1 - a u)/a^2, a = 3/2 c."""
    deck, sides, node = ball_on_line(0.02, 5e-6, 1e-3, speed=1.0)
    deck.hunt_crossley(sides, 1e7, 1.5, 0.2)
    back, a = run(deck).node("VY", node)[-1], 0.3
    left = 1 / a - math.log(1 + a) / a**2
    assert -back / a - math.log(1 - a * back) / a**2 == pytest.approx(left, rel=1e-4)


def pressed(law, stability: float = 0.1, width: float | None = None) -> Results:
    """A disc of 30 mm that stands still 0.1 mm deep in a line, at t = 0."""
    deck = ContactDeck(1e-7, 1e-7, 1e-7)
    line = deck.solid("PLANE", 0, *UP)
    node = deck.free_body((0.0, 0.03 - 1e-4, 0.0), 0.5, PLATE)
    law(deck, (deck.curve(node, circle(0.03, 128), width=width), line))

    def edit(model):
        for contact in model.contacts:
            contact.curve_stability = stability

    return run(deck, edit=edit)


CHORD = 2 * math.sqrt(0.03**2 - (0.03 - 1e-4) ** 2)
SEGMENT = 0.03**2 * (math.acos(1 - 1e-4 / 0.03) - math.sin(math.acos(1 - 1e-4 / 0.03)) * (1 - 1e-4 / 0.03))


def test_volume_takes_chord_by_width():
    results = pressed(lambda deck, sides: deck.volume(sides, 1e9, 0.01, 1.0, 0.0), width=0.02)
    assert results.of("th/inter", "AREA", 1)[0] == pytest.approx(CHORD * 0.02, rel=1e-5)
    assert results.of("th/inter", "FNY", 1)[0] == pytest.approx(1e9 / 0.01 / 2 * CHORD * 0.02 * 1e-4, rel=3e-5)


def test_without_a_spring_the_depth_is_area_by_chord():
    results = pressed(lambda deck, sides: deck.impact(sides, 1e7, 1.0), stability=0.0)
    assert results.of("th/inter", "PEN", 1)[0] == pytest.approx(SEGMENT / CHORD, rel=1e-5)
    assert results.of("th/inter", "AREA", 1)[0] == pytest.approx(CHORD, rel=1e-5)


def test_a_force_curve():
    """/INTER/TYPE6: F by a function of the penetration."""
    results = pressed(lambda deck, sides: deck.force_curve(sides, [(0.0, 0.0), (1e-4, 700.0), (2e-4, 800.0)]))
    assert results.of("th/inter", "FNY", 1)[0] == pytest.approx(700.0, rel=1e-4)


def test_what_is_deeper_than_pen_max_does_not_touch():
    results = pressed(lambda deck, sides: deck.poisson(sides, 1e7, 1.0))
    assert results.of("th/inter", "PEN", 1)[0] > 0.0
    deck = ContactDeck(1e-4, 1e-5, 1e-5)
    line, node = deck.solid("PLANE", 0, *UP), deck.free_body((0.0, 0.0299, 0.0), 0.5, PLATE)
    deck.poisson((deck.curve(node, circle(0.03, 128)), line), 1e7, 1.0)
    model = read(deck)
    model.contacts[0].greatest_penetration = 5e-5
    results = run(model)
    assert results.of("th/inter", "PEN", 1).max() == 0.0
    assert any("more than pen_max" in warning.message for warning in results.simulation.warnings)


def on_slope(mode: int, friction, slope: float, end: float):
    """A square block on a line, both turned by the slope against gravity; how far it slides, along the line."""
    deck = ContactDeck(end, 2e-5, end / 50)
    line = deck.solid("PLANE", 0, *UP)
    depth = 0.5 * 9.81 * math.cos(slope) / 1e6
    node = deck.free_body((0.0, 0.05 - depth, 0.0), 0.5, (4e-4, 4e-4, 8e-4))
    deck.gravity([node], "X", 9.81 * math.sin(slope))
    deck.gravity([node], "Y", -9.81 * math.cos(slope))
    deck.impact((deck.curve(node, SQUARE), line), 1e6, 1.0, 100.0, 1e-6, friction, mode)
    return run(deck), node


def test_a_block_slides_down_a_slope():
    """a = g (sin a - mu cos a); it stays flat on the line, by one point."""
    results, node = on_slope(1, (0.2, 0.2, 1e-4, 1e-3), 0.5, 0.3)
    expected = 9.81 * (math.sin(0.5) - 0.2 * math.cos(0.5)) * 0.3
    assert results.node("VX", node)[-1] == pytest.approx(expected, rel=2e-3)
    assert np.abs(results.node("DRZ", node)).max() < 1e-3


def test_a_block_stays_on_a_slope_by_stiction():
    results, node = on_slope(4, (0.4, 0.3, 1e-3, 1e-2), 0.2, 0.5)
    assert abs(results.node("DX", node)[-1]) < 2e-5
    assert abs(results.node("VX", node)[-1]) < 1e-5


def test_a_body_that_leaves_the_plane_is_told_of():
    deck = ContactDeck(0.05, 1e-5, 1e-3)
    line = deck.curve(0, [(0.1, 0.0), (-0.1, 0.0), (-0.1, -0.05), (0.1, -0.05)])
    node = deck.free_body((0.0, 0.0505, 0.0), 0.5, PLATE, (0.0, -0.1, 0.02), (0.5, 0.0, 0.0))
    deck.impact((deck.curve(node, SQUARE), line), 1e6, 1.0, 50.0, 1e-6)
    warnings = [warning.message for warning in run(deck).simulation.new_warnings]
    (message,) = [text for text in warnings if "leave their common plane" in text]
    assert "degrees" in message
    assert "of the radius of a curve apart" in message


def wheel_beside_block(teeth: int, dt: float | None) -> ContactDeck:
    """A toothed wheel of 50 mm that turns by 500 rad/s 0.1 mm beside a block at rest, and a soft law."""
    deck = ContactDeck(0.03, dt, 1e-3)
    angle, out = math.pi * np.arange(2 * teeth) / teeth, 0.0485 + 0.0015 * (np.arange(2 * teeth) % 2)
    points = out[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    wheel = deck.free_body((0.0, 0.0, 0.0), 1.0, (1e-3, 1e-3, 2e-3), (0.0, 0.0, 0.0), (0.0, 0.0, 500.0))
    block = deck.free_body((0.1001, 0.0, 0.0), 1.0, PLATE)
    deck.impact((deck.curve(wheel, points), deck.curve(block, SQUARE)), 100.0, 1.0)
    return deck


def test_teeth_that_pass_each_other_in_a_step_are_told_of():
    """Eight teeth at 25 m/s, which pass a quarter of their distance in 0.38 ms."""
    quarter = 0.25 * 2 * 0.05 * math.sin(math.pi / 8) / (500.0 * 0.05)
    warnings = [warning.message for warning in run(wheel_beside_block(8, 1e-3)).simulation.new_warnings]
    (message,) = [text for text in warnings if "teeth or slots" in text]
    assert float(message.split()[-1]) == pytest.approx(quarter, rel=0.05)
    warnings = [warning.message for warning in run(wheel_beside_block(8, 2e-4)).simulation.new_warnings]
    assert not [text for text in warnings if "teeth or slots" in text]


def test_the_automatic_step_lets_no_tooth_pass_a_tooth():
    """200 teeth: a quarter of their distance is less than any other limit of what turns."""
    (message,) = run(wheel_beside_block(200, None)).simulation.messages
    quarter = 0.25 * 2 * 0.0485 * math.sin(math.pi / 200) / (500.0 * 0.05)
    assert message.startswith("time step halved to ")
    assert "teeth or slots" in message
    assert 0.5 * quarter < float(message.split()[4]) <= quarter * (1 + 1e-9)


def test_a_curve_within_another_one_is_told_of():
    deck = ContactDeck(1e-4, 1e-5, 1e-4)
    node = deck.free_body((0.0, 0.0, 0.0), 0.5, PLATE)
    deck.impact((deck.curve(node, circle(0.01, 24)), deck.curve(0, circle(0.03, 24))), 1e6, 1.0)
    (warning,) = [w.message for w in run(deck).simulation.warnings if "lies wholly inside" in w.message]
    assert warning.startswith("/CURVE/2D/1")


@pytest.mark.parametrize(
    ("normal", "height", "told"),
    [(UP, -0.02, True), (UP, -0.01, True), (UP, 0.02, False), (UP, -0.009, False), ((0.0, -1.0, 0.0), 0.02, True)],
)
def test_a_curve_behind_a_plane_is_told_of(normal, height, told):
    """A circle of 10 mm: deep in the half space y < 0, just in it, above it, across its border; above is solid."""
    deck = ContactDeck(1e-4, 1e-5, 1e-4)
    node = deck.free_body((0.0, height, 0.0), 0.5, PLATE)
    deck.impact((deck.curve(node, circle(0.01, 24)), deck.solid("PLANE", 0, *normal)), 1e6, 1.0)
    warnings = [w.message for w in run(deck).simulation.warnings if "lies wholly inside" in w.message]
    assert len(warnings) == told
    assert all("inside /SURF/PLANE_SOLID/" in text for text in warnings)


def test_pairs_of_curves_that_are_not_looked_at_are_told_of(monkeypatch):
    """Two pairs with curves among three of shapes on different bodies: the balls alone are none."""
    deck = ContactDeck(1e-4, 1e-5, 1e-4)
    curve = deck.curve(0, circle(0.01, 24))
    rings = [deck.solid("CYLINDER", deck.free_body((x, 0.0, 0.0), 0.5, PLATE), 0.01, 0.01) for x in (0.2, 0.4)]
    deck.impact((deck.together([curve, *rings]), 0), 1e6, 1.0)
    for most, told in ((1, True), (2, False)):
        monkeypatch.setattr(curve_checks, "MOST_PAIRS", most)
        warnings = [w.message for w in run(deck).simulation.warnings]
        text = f"only the first {most} pairs of curves were looked at for one that lies wholly inside another"
        assert (text in warnings) == told


def test_a_pin_in_a_hole_swings_like_a_pendulum():
    """A disc of radius r, without friction, in a hole of radius R: a mass point on a circle of radius R - r."""
    radius, hole, depth = 0.02, 0.05, 1e-5
    deck = ContactDeck(1.0, 5e-5, 1e-3)
    start, length = 0.1, hole - radius
    place = (length * math.sin(start), -length * math.cos(start) - depth, 0.0)
    node = deck.free_body(place, 0.5, PLATE)
    deck.gravity([node], "Y", -9.81)
    deck.impact((deck.curve(node, circle(radius, 64)), deck.curve(0, circle(hole, 96), side=1)),
                0.5 * 9.81 / depth, 1.0, 50.0, 1e-7)  # fmt: skip
    x, times = run(deck).node("X", node), run(deck).times
    k = np.flatnonzero(x[:-1] * x[1:] < 0)
    zeros = times[k] + (times[k + 1] - times[k]) * x[k] / (x[k] - x[k + 1])
    period = 2 * math.pi * math.sqrt((length + depth) / 9.81) * (1 + start**2 / 16)
    assert 2 * (zeros[-1] - zeros[0]) / (len(zeros) - 1) == pytest.approx(period, rel=2e-3)


def test_many_pairs_are_the_same_on_two_threads():
    def deck():
        made = ContactDeck(2e-3, 1e-5, 2e-4)
        for k in range(6):
            random = np.random.default_rng(k)
            nodes = [
                made.free_body((0.2 * k, 0.0, 0.0), 1.0, PLATE, (0.0, 1.0, 0.0)),
                made.free_body((0.2 * k, 0.105, 0.0), 1.0, PLATE, (0.0, -1.0, 0.0)),
            ]
            made.impact(tuple(made.curve(node, blob(random, 0.1, n=24)) for node in nodes), 1e7, 1.5)
        return made

    one, two = (run(deck(), threads=threads).values["th/node"]["VY"] for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_steps_before_one_that_fails_are_short_enough_too():
    """A pawl hops over a ratchet wheel.  The automatic step is far too long for it, and at last one fails."""
    deck = ContactDeck(0.5, None, 5e-4)
    corners = [(r * math.cos(a), r * math.sin(a)) for a in np.arange(12) * math.pi / 6 for r in (0.05, 0.04)]
    pawl = (0.004, 0.0), (-0.004, 0.0), (-0.0085, -0.0485), (-0.003, -0.0485)
    nodes = [deck.free_body((0.0, 0.0, 0.0), 0.4, (4e-4,) * 3), deck.free_body((0.05, 0.05, 0.0), 0.02, (5e-6,) * 3)]
    sides = [deck.curve(node, points, corner_angle=20.0) for node, points in zip(nodes, (corners, pawl), strict=True)]
    deck.hold(nodes, "111 110")
    deck.poisson((sides[0], sides[1]), 1e8, 0.3, 0.01, (0.1, 0.1, 0.001, 0.01), 1)
    deck.load(nodes[0], "ZZ", -0.05)
    deck.load(nodes[1], "ZZ", -0.05)
    simulation, errors = Simulation(read(deck)), []
    assert simulation.dt == pytest.approx(5e-4)
    while simulation.time < 0.01:
        block = simulation.advance(1)
        errors += block.values["energy"]["contact_error"].tolist() if len(block) else []
    assert simulation.dt < 1e-5
    assert np.abs(errors).max() < 1e-9
