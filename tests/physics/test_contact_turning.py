"""Friction that turns: clutches of discs, rings and boxes, spinning about a point, rolling friction."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from running import Results, run

STILL = (0.0, 0.0, 0.0)
LOAD, MU, RADIUS, STIFFNESS = 1000.0, 0.3, 0.1, 1e7
SIDES = (0.2, 0.1)


def pressed(kind: str, on: str, mode: int, velocity=STILL, spin: float = 5.0) -> Results:
    """A disc or a box that turns about its axis, pressed with 1000 N on what stands still; friction 0.3."""
    deck = ContactDeck(0.02, 1e-5, 1e-3)
    node = deck.free_body((0.0, 0.0, 0.05 - LOAD / (4 * STIFFNESS)), 10.0, (1e4,) * 3, velocity, (0.0, 0.0, spin))
    sizes = (RADIUS, 0.1) if kind == "CYLINDER" else (*SIDES, 0.1)
    lower = {
        "PLANE": ("PLANE", ()), "CYLINDER": ("CYLINDER", (0.15, 0.1)), "BOX": ("BOX", (1.0, 1.0, 0.1)),
        "LIKE": (kind, sizes),
    }[on]  # fmt: skip
    other = deck.solid(lower[0], 0, *lower[1], centre=(0.0, 0.0, 0.0 if on == "PLANE" else -0.05))
    friction = (MU, MU, 1e-3, 1e-3)
    deck.impact((deck.solid(kind, node, *sizes), other), STIFFNESS, 1.0, 1000.0, 1e-9, friction=friction, mode=mode)
    deck.gravity([node], "Z", -LOAD / 10.0)
    return run(deck)


def check_balance(results: Results) -> None:
    """Energies close to 1e-12 of the largest."""
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-12 * np.max(
        np.abs(results.scalar("energy", "total"))
    )


def torque(results: Results) -> float:
    check_balance(results)
    assert results.of("th/inter", "FNZ", 1)[-1] == pytest.approx(LOAD, rel=1e-7)
    return float(-results.of("th/inter", "MN", 1)[-1])


@pytest.mark.parametrize("mode", [1, 4])
@pytest.mark.parametrize("on", ["PLANE", "CYLINDER", "BOX", "LIKE"])
def test_a_plate_clutch_has_the_torque_of_uniform_pressure(on, mode):
    """2/3 mu F R = 20 N m, whatever the other face; the moment is about the z axis alone, and nothing pushes aside.

    So it is of two equal discs, too, whose rims cross everywhere and nowhere.
    """
    results = pressed("CYLINDER", on, mode)
    assert torque(results) == pytest.approx(2 / 3 * MU * LOAD * RADIUS, rel=1e-6)
    assert results.of("th/inter", "MZ", 1)[-1] == pytest.approx(-20.0, rel=1e-6)
    assert np.hypot(results.of("th/inter", "FTX", 1), results.of("th/inter", "FTY", 1)).max() <= 1e-6 * MU * LOAD
    assert np.hypot(results.of("th/inter", "MX", 1), results.of("th/inter", "MY", 1))[-1] <= 1e-6


def mean_distance(a: float, b: float) -> float:
    """From the middle of a rectangle of half sides a, b, by numerical integration."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x, y = np.meshgrid(0.5 * a * (nodes + 1), 0.5 * b * (nodes + 1))
    return float(np.sum(np.outer(weights, weights) * np.hypot(x, y)) / 4)


@pytest.mark.parametrize("on", ["PLANE", "BOX"])
def test_a_box_that_turns_has_the_torque_of_uniform_pressure(on):
    expected = MU * LOAD * mean_distance(SIDES[0] / 2, SIDES[1] / 2)
    assert torque(pressed("BOX", on, 1)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("mode", [1, 4])
def test_a_cylinder_that_lies_turns_against_the_torque_of_a_line(mode):
    """mu F L/4."""
    length, deck = 0.2, ContactDeck(0.02, 1e-5, 1e-3)
    deck.block("/SKEW/FIX/1", "z' along y", "0, 0, 0", "0, 0, 1", "0, 1, 0")
    node = deck.free_body((0.0, 0.0, 0.05 - LOAD / (2 * STIFFNESS)), 10.0, (1e4,) * 3, STILL, (0.0, 0.0, 5.0))
    cylinder = deck.solid("CYLINDER", node, 0.05, length, skew=1)
    deck.impact((cylinder, deck.solid("PLANE", 0)), STIFFNESS, 1.0, 1000.0, 1e-9, friction=(MU, MU, 1e-3, 1e-3),
                mode=mode)  # fmt: skip
    deck.gravity([node], "Z", -LOAD / 10.0)
    assert torque(run(deck)) == pytest.approx(MU * LOAD * length / 4, rel=1e-3)


def test_a_ring_of_pads_has_the_torque_of_a_ring():
    """2/3 mu F (R^3 - r^3)/(R^2 - r^2) to 3 %: twelve pads from 0.06 to 0.1 m on a disc."""
    inner, outer, count = 0.06, 0.1, 12
    deck = ContactDeck(0.01, 1e-5, 1e-3)
    node = deck.free_body((0.0, 0.0, 0.01 - LOAD / (4 * count * STIFFNESS)), 10.0, (1e4,) * 3, STILL, (0.0, 0.0, 5.0))
    pads = []
    for k in range(count):
        c, s = math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)
        deck.block(f"/SKEW/FIX/{k + 1}", "pad", "0, 0, 0", f"{-s!r}, {c!r}, 0", "0, 0, 1")
        middle = 0.5 * (inner + outer)
        centre = (middle * c, middle * s, 0.0)
        pads.append(deck.solid("BOX", node, outer - inner, 0.02, 0.02, centre=centre, skew=k + 1))
    disc = deck.solid("CYLINDER", 0, 0.12, 0.1, centre=(0.0, 0.0, -0.05))
    friction = (MU, MU, 1e-3, 1e-3)
    deck.impact((deck.together(pads), disc), STIFFNESS, 1.0, 1000.0, 1e-9, friction=friction, mode=1)
    deck.gravity([node], "Z", -LOAD / 10.0)
    ring = 2 / 3 * MU * LOAD * (outer**3 - inner**3) / (outer**2 - inner**2)
    assert torque(run(deck)) == pytest.approx(ring, rel=0.03)


def test_a_disc_that_slides_fast_has_hardly_any_torque():
    """Friction is along the slip: with R omega/v = 0.01 that of uniform pressure is mu F R (R omega/v)/4."""
    results = pressed("CYLINDER", "PLANE", 1, velocity=(5.0, 0.0, 0.0), spin=0.5)
    assert results.of("th/inter", "FTX", 1)[0] == pytest.approx(-MU * LOAD, rel=1e-4)
    assert abs(torque(results)) <= MU * LOAD * RADIUS * 0.01 / 3


# ---- a point alone ---------------------------------------------------------------------------------------------

G = 9.81


def ball_on_plane(
    patch: float, arm: float, mode: int, velocity=STILL, spin=STILL, angle: float = 0.0, t_end: float = 0.5
) -> tuple[Results, int]:
    """A ball of 1 kg and 0.1 m on an incline that falls along x."""
    deck, stiffness = ContactDeck(t_end, 5e-5, 1e-2), 1e6
    node, ball = deck.ball((0.0, 0.0, 0.1 - G * math.cos(angle) / stiffness), 1.0, 0.1, velocity, spin)
    plane = deck.solid("PLANE", 0)
    stiffness_card = [","] if mode == 4 else []
    deck.block("/INTER/IMPACT/1", "contact", f"{ball}, {plane}, 0, 0, 0, {mode}", ",", f"{stiffness!r}, 1, 100, 1e-9",
               f"{MU}, {MU}, 1e-3, 1e-3", *stiffness_card, f"{patch!r}, {arm!r}")  # fmt: skip
    if angle:
        deck.gravity([node], "X", G * math.sin(angle))
    deck.gravity([node], "Z", -G * math.cos(angle))
    return run(deck), node


@pytest.mark.parametrize("mode", [1, 2, 4])
def test_a_patch_brakes_what_spins_about_a_point(mode):
    """2/3 mu F r about the normal: omega falls by that over 2/5 m R^2, to 1e-6 while it spins."""
    patch = 0.005
    results, node = ball_on_plane(patch, 0.0, mode, spin=(0.0, 0.0, 3.0), t_end=0.1)
    braking = 2 / 3 * MU * G * patch / 0.004
    t, rate = results.times, results.node("VRZ", node)
    spins = 2 / 3 * patch * rate > 2e-3
    assert spins.sum() > 5
    np.testing.assert_allclose(np.diff(rate[spins]) / np.diff(t[spins]), -braking, rtol=1e-6)
    assert results.of("th/inter", "MN", 1)[0] == pytest.approx(-2 / 3 * MU * G * patch, rel=1e-6)
    check_balance(results)


def test_sliding_and_spinning_share_the_friction():
    """With the speeds v of sliding and w = 2/3 r omega of spinning: mu F v/sqrt(v^2 + w^2), 2/3 r mu F w/sqrt(...)."""
    patch, speed, spin = 0.05, 1.0, 20.0
    results, _ = ball_on_plane(patch, 0.0, 1, velocity=(speed, 0.0, 0.0), spin=(0.0, 0.0, spin), t_end=0.01)
    w = 2 / 3 * patch * spin
    size = math.hypot(speed, w)
    assert results.of("th/inter", "FTX", 1)[0] == pytest.approx(-MU * G * speed / size, rel=1e-4)
    assert results.of("th/inter", "MN", 1)[0] == pytest.approx(-2 / 3 * patch * MU * G * w / size, rel=1e-4)


@pytest.mark.parametrize("mode", [1, 4])
def test_rolling_friction_brakes_a_ball(mode):
    """Its moment f F takes 5/7 f g/R off the speed, to 1e-3; EFRIC is what the ball loses, to 1e-3."""
    arm, speed = 2e-3, 1.0
    results, node = ball_on_plane(0.0, arm, mode, velocity=(speed, 0.0, 0.0), spin=(0.0, speed / 0.1, 0.0))
    late = results.times > 0.05
    rate = np.polyfit(results.times[late], results.node("VX", node)[late], 1)[0]
    assert rate == pytest.approx(-5 / 7 * arm * G / 0.1, rel=1e-3)
    lost = 0.7 * (speed**2 - results.node("VX", node)[-1] ** 2)
    assert results.of("th/inter", "EFRIC", 1)[-1] == pytest.approx(lost, rel=1e-3)
    check_balance(results)


def test_rolling_friction_holds_a_ball_on_a_slope_with_stiction_and_lets_it_roll_beyond():
    """It stays for tan a < f/R; beyond, 5/7 g (sin a - f/R cos a)."""
    arm = 5e-3
    results, node = ball_on_plane(0.0, arm, 4, angle=math.atan(0.8 * arm / 0.1), t_end=1.0)
    assert abs(results.node("X", node)[-1]) <= 1e-4
    assert abs(results.node("VX", node)[-1]) <= 1e-6
    angle = math.atan(2 * arm / 0.1)
    results, node = ball_on_plane(0.0, arm, 4, angle=angle, t_end=0.5)
    late = results.times > 0.2
    expected = 5 / 7 * G * (math.sin(angle) - arm / 0.1 * math.cos(angle))
    assert np.polyfit(results.times[late], results.node("VX", node)[late], 1)[0] == pytest.approx(expected, rel=2e-3)


def test_a_patch_adds_nothing_to_a_face_that_is_larger():
    """The radius of the patch is what a contact has at least: on a disc of 0.1 m one of 0.05 m has no effect."""
    deck = ContactDeck(0.005, 1e-5, 1e-3)
    node = deck.free_body((0.0, 0.0, 0.05 - LOAD / (4 * STIFFNESS)), 10.0, (1e4,) * 3, STILL, (0.0, 0.0, 5.0))
    disc, plane = deck.solid("CYLINDER", node, RADIUS, 0.1), deck.solid("PLANE", 0)
    deck.block("/INTER/IMPACT/1", "contact", f"{disc}, {plane}, 0, 0, 0, 1", ",", f"{STIFFNESS!r}, 1, 1000, 1e-9",
               "0.3, 0.3, 1e-3, 1e-3", "0.05")  # fmt: skip
    deck.gravity([node], "Z", -LOAD / 10.0)
    assert torque(run(deck)) == pytest.approx(20.0, rel=1e-6)
