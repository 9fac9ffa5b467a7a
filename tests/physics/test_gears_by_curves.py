"""Gears by curves as machines: losses by friction, a wrong centre distance, planets that share a load."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from running import Results, run

TEETH, MODULE, PRESSURE = (20, 40), 2e-3, math.radians(20.0)
FORM = ToothForm(thinning=2.5e-5)
GEARS = CylindricalGear(TEETH[0], MODULE, FORM), CylindricalGear(TEETH[1], MODULE, FORM)
SPEED, TORQUE, STIFFNESS = 20.0, 2.0, 1.4e8
PITCH = 2.0 * math.pi / TEETH[0] / SPEED  # time of a tooth
SHORT = ToothForm(thinning=5e-5, addendum=0.8)
SUN, RING = CylindricalGear(21, 3e-3, ToothForm(thinning=5e-5)), CylindricalGear(63, 3e-3, SHORT, ring=True)
PIN_RADIUS = 0.063


def spur_pair(distance: float, friction: float = 0.0, flank: int = 12) -> Results:
    """The pinion turns steadily, the wheel is held back; seven teeth."""
    deck = ContactDeck(7 * PITCH, 1e-5, 1e-5)
    gears = make_pair(GEARS, (Body(0.01), Body(0.01)), Resolution(flank=flank, rows=1), distance)
    surfaces = []
    for k, (inertia, speed) in enumerate(((1.97e-5, SPEED), (3.135e-4, -SPEED / 2))):
        node = deck.free_body((k * distance, 0.0, 0.0), 0.1, (inertia,) * 3, (0.0, 0.0, 0.0), (0.0, 0.0, speed))
        deck.hold([node], "111 110")
        surfaces.append(deck.curve(node, gears[k].curve.tolist(), corner_angle=40.0))
    deck.turn_steadily(1, "ZZ", SPEED)
    deck.load(2, "ZZ", TORQUE)
    rubs = {"friction": (friction, friction, 1e-3, 1e-3), "mode": 2} if friction else {}
    deck.impact((surfaces[0], surfaces[1]), STIFFNESS, 1.0, 3000.0, 1e-7, **rubs)
    return run(deck)


def over_teeth(results: Results, teeth: int) -> slice:
    """The samples of the last teeth."""
    return slice(np.searchsorted(results.times, results.times[-1] - teeth * PITCH - 1e-9), None)


def loss_factor() -> float:
    """H_v of K. Ohlendorf (1958), as in G. Niemann and H. Winter, Maschinenelemente II: P_loss = mu H_v P.

    Constant friction, and a load that pairs of teeth share evenly: pi (u + 1)/(z_1 u) (1 - e + e_1^2 + e_2^2), where
    e_1 and e_2 are the paths of contact before and behind the pitch point by the base pitch, e their sum.
    """
    parts = []
    for gear in GEARS:
        tip = math.sqrt((gear.radius + MODULE) ** 2 - gear.base_radius**2)
        parts.append((tip - gear.radius * math.sin(PRESSURE)) / (math.pi * MODULE * math.cos(PRESSURE)))
    u = TEETH[1] / TEETH[0]
    return math.pi * (u + 1.0) / (TEETH[0] * u) * (1.0 - sum(parts) + parts[0] ** 2 + parts[1] ** 2)


def test_friction_losses_are_those_of_the_loss_factor():
    friction = 0.05
    results = spur_pair(0.06, friction, flank=24)
    whole = over_teeth(results, 5)
    lost = results.scalar("energy", "friction_dissipated")[whole]
    delivered = TORQUE * SPEED / 2.0 * 5 * PITCH
    assert (lost[-1] - lost[0]) / (delivered + lost[-1] - lost[0]) == pytest.approx(friction * loss_factor(), rel=0.03)


@pytest.mark.parametrize("more", [0.0, 4e-4])
def test_a_wrong_centre_distance_leaves_the_ratio(more):
    """Involutes: the pressure angle becomes cos a = (r_b1 + r_b2)/distance, and the pair touches for a shorter time."""
    results = spur_pair(0.06 + more)
    whole = over_teeth(results, 5)
    turned = [results.node("DRZ", node)[whole] for node in (1, 2)]
    assert (turned[1][-1] - turned[1][0]) / (turned[0][-1] - turned[0][0]) == pytest.approx(-0.5, rel=1e-6)
    force = np.stack([results.of("th/inter", f"FN{axis}", 1)[whole] for axis in "XY"]).mean(axis=1)
    angle = math.acos(sum(gear.base_radius for gear in GEARS) / (0.06 + more))
    assert math.atan2(abs(force[0]), abs(force[1])) == pytest.approx(angle, abs=1e-4)
    assert np.hypot(*force) == pytest.approx(TORQUE / GEARS[1].base_radius, rel=1e-3)
    path = sum(
        math.sqrt((gear.radius + MODULE) ** 2 - gear.base_radius**2) - gear.base_radius * math.tan(angle)
        for gear in GEARS
    )
    ratio = path / (math.pi * MODULE * math.cos(PRESSURE))
    assert results.of("th/inter", "NPATCH", 1)[whole].mean() == pytest.approx(
        ratio, abs=0.04
    )  # yielding teeth touch a little longer


def loads_of_planets(error: float, stiffness: float, torque: float) -> np.ndarray:
    """(3,) forces on the pins along their circle; the sun and the ring are held, the first pin is off by an error.

    Every planet touches sun and ring with two pairs of teeth.
    """
    deck = ContactDeck(0.01, 1e-5, 1e-3)
    plain = Body(0.01)
    sun, planet, _ = make_pair((SUN, SUN), (plain, plain), Resolution(flank=6, fillet=3, rows=1))
    _, ring, _ = make_pair((SUN, RING), (plain, Body(0.01, rim=6e-3)), Resolution(flank=6, fillet=3, rows=1))
    quarter = -math.pi / 2 / 21  # of a pitch of a planet

    def turned(points: np.ndarray, angle: float) -> list[list[float]]:
        c, s = math.cos(angle), math.sin(angle)
        return (points @ np.array([[c, s], [-s, c]])).tolist()

    sun_curve = deck.curve(0, turned(sun.curve, -quarter), corner_angle=40.0)
    ring_curve = deck.curve(0, turned(ring.curve, quarter / 3), corner_angle=40.0, side=1)
    places = []
    for k in range(3):
        angle = 2.0 * math.pi * k / 3
        shift = error if k == 0 else 0.0
        c, s = math.cos(angle), math.sin(angle)
        places.append((PIN_RADIUS * c - shift * s, PIN_RADIUS * s + shift * c, 0.0))
    deck.nodes({50: (0.0, 0.0, 0.0)} | {51 + k: place for k, place in enumerate(places)})
    deck.rigid_body(50, [51, 52, 53], 0.2, (1e-3, 1e-3, 2e-3))
    deck.pair("REVOLUTE", 0, 50)
    for k, place in enumerate(places):
        node = deck.free_body(place, 0.2, (5e-5, 5e-5, 1e-4))
        deck.pair("REVOLUTE", 51 + k, node)
        curve = deck.curve(node, turned(planet.curve, 2.0 * math.pi * k / 3 + quarter), corner_angle=40.0)
        for other in (sun_curve, ring_curve):
            deck.impact((other, curve), stiffness, 1.0, 2000.0, 1e-7)
    deck.load(50, "ZZ", torque)
    results = run(deck)
    assert all(results.of("th/inter", "NPATCH", k)[-1] == 2 for k in range(1, 7))
    loads = []
    for k in range(3):
        angle = 2.0 * math.pi * k / 3
        force = [sum(results.of("th/inter", f"FN{axis}", 2 * k + m)[-1] for m in (1, 2)) for axis in "XY"]
        loads.append(-math.sin(angle) * force[0] + math.cos(angle) * force[1])
    return np.array(loads)


def test_planets_share_a_load_equally_and_a_pin_error_shifts_it_as_statics_says():
    """A planet gives way by u along the circle of the pins, to a force 2 K cos^2 a u.

    Sun and ring push with the same force F on a planet that turns freely, and F (1/K + 1/K) = 2 u cos a.  A pin that is
    ahead by e takes 2/3 of 2 K cos^2 a e more, each of the others 1/3 less.
    """
    stiffness, torque, error = 1e7, -60.0, -5e-6
    mean = -torque / PIN_RADIUS / 3.0
    loads = loads_of_planets(0.0, stiffness, torque)
    np.testing.assert_allclose(np.abs(loads), mean, rtol=1e-3)
    shifted = np.abs(loads_of_planets(error, stiffness, torque))
    more = 4.0 * stiffness * math.cos(PRESSURE) ** 2 * abs(error)
    np.testing.assert_allclose(shifted - mean, [2.0 / 3.0 * more, -more / 3.0, -more / 3.0], rtol=0.01)
