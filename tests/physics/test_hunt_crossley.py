"""/INTER/HUNT_CROSSLEY against the first integral of its equation of motion, and what it does at rest.

m z'' = -K z^e (1 + a z') separates, z'/(1 + a z') dz' = -(K/m) z^e dz: between first touch at speed v, the deepest
point and the rebound at speed u

    v/a - ln(1 + a v)/a^2 = K z_max^(e + 1)/((e + 1) m) = -u/a - ln(1 - a u)/a^2

(K. H. Hunt and F. R. E. Crossley, Journal of Applied Mechanics 42 (1975) 440-445.)
"""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import observed_order, run
from scipy.optimize import brentq

MASS, RADIUS, SPEED = 2.0, 0.1, 1.5


def loss_of_energy(x):
    """x - ln(1 + x): the left side, times a^2, at a v = x; the right side at -a u = x."""
    return x - math.log1p(x)


def rebound(x):
    """u/v by x = a v; 1 - 2x/3 + ... for small x."""
    return brentq(lambda y: loss_of_energy(-y) - loss_of_energy(x), 1e-12, 1.0 - 1e-15, xtol=1e-15) / x


def deepest(stiffness, exponent, x):
    """z_max by x = a v."""
    energy = MASS * SPEED**2 * loss_of_energy(x) / x**2
    return ((exponent + 1) * energy / stiffness) ** (1 / (exponent + 1))


def impacts(laws, steps, phases=1, speed=SPEED):
    """Balls that fly against a floor, one for each law (stiffness, exponent, c, CR, variant) and phase of first touch.

    Each bounce has `steps` steps or more; returns (n, phases) ratios of the speeds, and deepest points.
    """
    duration = min(2.9 * ((e + 1) * MASS * speed**2 / (2 * k)) ** (1 / (e + 1)) / speed for k, e, *_ in laws)
    dt = duration / steps
    deck = ContactDeck(max(12 * duration, 3 * steps * dt), dt, dt)
    floor = deck.solid("PLANE", 0)
    nodes = []
    for k, (stiffness, exponent, *damping) in enumerate(laws):
        for phase in range(phases):
            place = (4 * RADIUS * len(nodes), 0.4 * k, RADIUS + dt * speed * (1 + phase / phases))
            node, ball = deck.ball(place, MASS, RADIUS, (0.0, 0.0, -speed), (0.0, 0.0, 0.0))
            touch(deck, len(nodes) + 1, (ball, floor), stiffness, exponent, *damping)
            nodes.append(node)
    results = run(deck)
    ratios = np.array([results.node("VZ", node)[-1] / speed for node in nodes])
    depths = results.values["th/inter"]["PEN"].max(axis=0)
    return ratios.reshape(-1, phases), depths.reshape(-1, phases)


def touch(deck, number, sides, stiffness, exponent, c="", restitution="", variant=0):
    """An interface of the law."""
    law = f"{stiffness!r}, {exponent!r}, {c}, {restitution}, {variant}"
    deck.block(f"/INTER/HUNT_CROSSLEY/{number}", "contact", f"{sides[0]}, {sides[1]}", ",", law)


def test_the_rebound_depends_on_c_and_the_speed_alone():
    """By the first integral, for any stiffness and exponent; so does the deepest point."""
    laws = [(k, e, c) for k, e in ((1e7, 1.5), (4e7, 1.5), (2e6, 1.2), (1e8, 2.0)) for c in (0.02, 0.1, 0.3, 1.0)]
    ratios, depths = impacts(laws, 1000)
    for (stiffness, exponent, c), ratio, depth in zip(laws, ratios[:, 0], depths[:, 0], strict=True):
        x = 1.5 * c * SPEED
        assert ratio == pytest.approx(rebound(x), abs=2e-5)
        assert depth == pytest.approx(deepest(stiffness, exponent, x), rel=1e-5)


def test_published_rebounds():
    """The balls of decks/hunt_crossley, which has the law as a routine: 1 kg at 1 m/s, K = 1e7 N/m^1.5."""
    published = {0.05: 0.952370, 0.1: 0.909016, 0.2: 0.832870, 0.3: 0.768000}
    for c, speed in published.items():
        assert rebound(1.5 * c) == pytest.approx(speed, abs=1e-6)
    ratios, _ = impacts([(1e7, 1.5, c) for c in published], 2000, speed=1.0)
    assert ratios[:, 0] == pytest.approx(list(published.values()), abs=5e-6)


def test_without_c_nothing_is_lost():
    """The rebound of Hertz, as IMPACT without damping has it."""
    ratios, _ = impacts([(1e7, 1.5, 0.0), (1e7, 1.5, "", 1.0)], 400)
    assert ratios[:, 0] == pytest.approx([1.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("variant", [0, 1])
def test_c_follows_from_the_coefficient_and_the_speed_of_first_touch(variant):
    """a v = 3/2 (1 - CR), or 8/5 (1 - CR)/CR: what comes back is the first integral of that, whatever the speed."""
    coefficients = [0.2, 0.5, 0.8, 0.95]
    expected = [rebound(1.6 * (1 - cr) / cr if variant else 1.5 * (1 - cr)) for cr in coefficients]
    for speed in (0.1, SPEED):
        ratios, _ = impacts([(1e7, 1.5, "", cr, variant) for cr in coefficients], 500, speed=speed)
        assert ratios[:, 0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("variant", [0, 1])
def test_rebounds_at_the_automatic_step_and_in_the_table_are_as_the_manual_says(variant):
    """Within 5e-4 at 20 steps a bounce, whenever within a step the ball arrives."""
    table = {0.1: (0.516, 0.069), 0.3: (0.581, 0.256), 0.5: (0.663, 0.470), 0.7: (0.768, 0.683), 0.9: (0.909, 0.894),
             0.95: (0.952, 0.947)}  # fmt: skip
    expected = np.array([rebound(1.6 * (1 - cr) / cr if variant else 1.5 * (1 - cr)) for cr in table])
    assert expected == pytest.approx([row[variant] for row in table.values()], abs=5e-4)
    assert rebound(1.5) == pytest.approx(0.488, abs=5e-4)
    ratios, _ = impacts([(1e7, 1.5, "", cr, variant) for cr in table], 20, 8)
    assert np.abs(ratios - expected[:, None]).max() <= 5e-4


def test_impacts_are_of_second_order():
    """The worst of eight phases of first touch shrinks with the square of the step, for c and for CR."""
    laws, counts = [(1e7, 1.5, 0.2), (1e7, 1.5, "", 0.7), (1e7, 1.5, "", 0.7, 1)], (40, 80, 160)
    expected = np.array([[rebound(x)] for x in (0.3 * SPEED, 0.45, 1.6 * 0.3 / 0.7)])
    errors = np.array([np.abs(impacts(laws, count, 8)[0] - expected).max(axis=1) for count in counts])
    for k in range(len(laws)):
        assert observed_order(errors[:, k].tolist(), [1 / count for count in counts]) > 1.7, errors


def test_every_touch_has_its_own_speed():
    """A ball between two floors loses the same share of its speed at each, slower as it gets."""
    deck, cr = ContactDeck(0.16, 2e-6, 1e-4), 0.7
    node, ball = deck.ball((0.0, 0.0, 0.0), MASS, RADIUS, (0.0, 0.0, -SPEED), (0.0, 0.0, 0.0))
    low = deck.solid("PLANE", 0, centre=(0.0, 0.0, -RADIUS - 0.01))
    high = deck.solid("PLANE", 0, 0.0, 0.0, -1.0, centre=(0.0, 0.0, RADIUS + 0.01))
    union = "/SURF/SURF/9"
    deck.block(union, "floors", f"{low:10}{high:10}")
    touch(deck, 1, (ball, 9), 1e8, 1.5, "", cr)
    speed = np.abs(run(deck).node("VZ", node))
    free = [float(np.median(run_of)) for run_of in np.split(speed, np.flatnonzero(np.abs(np.diff(speed)) > 1e-9) + 1)
            if len(run_of) > 5]  # fmt: skip
    assert len(free) >= 4
    assert np.array(free[1:]) / np.array(free[:-1]) == pytest.approx(rebound(1.5 * (1 - cr)), abs=1e-4)


def test_two_balls_keep_their_momentum():
    deck = ContactDeck(0.01, 2e-6, 1e-4)
    heavy, one = deck.ball((0.0, 0.0, 0.0), 3.0, RADIUS, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    light, other = deck.ball((2 * RADIUS + 1e-4, 0.0, 0.0), 1.0, RADIUS, (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    touch(deck, 1, (one, other), 1e7, 1.5, "", 0.6)
    results = run(deck)
    assert np.abs(results.momentum() - [2.0, 0.0, 0.0]).max() <= 1e-13
    apart = results.node("VX", light)[-1] - results.node("VX", heavy)[-1]
    assert apart == pytest.approx(2.0 * rebound(0.6), abs=1e-4)
    assert np.abs(results.imbalance()).max() <= 1e-12


def test_what_overlaps_at_rest_flies_apart_with_all_of_its_energy():
    """It has no speed of first touch, and none while it goes apart: nothing is lost."""
    deck, depth, stiffness = ContactDeck(0.02, 2e-6, 1e-4), 1e-3, 1e7
    floor = deck.solid("PLANE", 0)
    node, ball = deck.ball((0.0, 0.0, RADIUS - depth), MASS, RADIUS, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    touch(deck, 1, (ball, floor), stiffness, 1.5, "", 0.3)
    energy = stiffness * depth**2.5 / 2.5
    assert run(deck).node("VZ", node)[-1] == pytest.approx(math.sqrt(2 * energy / MASS), rel=1e-5)


@pytest.mark.parametrize("damping", [("", 0.0), ("", 0.5), ("", 0.3, 1), (0.5,)])
def test_a_ball_that_falls_comes_to_rest(damping):
    """On its floor, as deep as its weight presses it, at an automatic step."""
    deck, stiffness = ContactDeck(2.0, None, 0.01), 1e6
    floor = deck.solid("PLANE", 0)
    node, ball = deck.ball((0.0, 0.0, RADIUS + 0.01), MASS, RADIUS, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    deck.gravity([node], "Z", -9.81)
    touch(deck, 1, (ball, floor), stiffness, 1.5, *damping)
    results = run(deck)
    at_rest = (MASS * 9.81 / stiffness) ** (1 / 1.5)
    assert RADIUS - results.node("Z", node)[-1] == pytest.approx(at_rest, rel=0.02)
    assert np.abs(results.node("VZ", node)[-20:]).max() <= 1e-2
