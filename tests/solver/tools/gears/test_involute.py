"""Closed forms of involute gears against each other, against published numbers and against plain geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gsolve.solver.tools.gears.data import CylindricalGear, ToothForm
from gsolve.solver.tools.gears.involute import (
    between_pins,
    inverse_involute,
    involute,
    over_pins,
    polar_involute,
    span,
    teeth_to_span,
)
from scipy.optimize import brentq, minimize, minimize_scalar

DEGREE = math.pi / 180.0


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 0.1, 20 * DEGREE, 1.0, 1.5])
def test_inverse_involute_returns_the_angle(angle: float):
    """As far as inv a, which is a^3/3 for small angles, still holds the digits of a."""
    value = involute(angle)
    found = inverse_involute(value)
    assert involute(found) == pytest.approx(value, rel=1e-14, abs=1e-20)
    assert found == pytest.approx(angle, rel=1e-3 if 0 < angle < 1e-4 else 1e-9)


def test_involute_of_20_degrees_is_that_of_the_tables():
    assert involute(20 * DEGREE) == pytest.approx(0.014904384, abs=5e-10)


def test_span_over_three_of_twenty_teeth_is_that_of_the_tables():
    """Module 1, 20 degrees, 20 teeth: 7.6604."""
    gear = CylindricalGear(20, 1.0)
    assert teeth_to_span(20, gear.transverse_pressure_angle) == 3
    assert span(20, gear.base_radius, gear.solid_half_angle, 3) == pytest.approx(7.6604, abs=5e-5)


def flank(gear: CylindricalGear, roll: float, sign: float = 1.0) -> np.ndarray:
    """Point of an involute of the solid (tooth or space) whose middle is on +x."""
    radius = gear.base_radius * math.hypot(1.0, roll)
    angle = sign * (gear.solid_half_angle - float(polar_involute(np.array(roll))))
    return radius * np.array([math.cos(angle), math.sin(angle)])


def nearest(gear: CylindricalGear, point: np.ndarray, sign: float = 1.0) -> float:
    """Distance of a point from an involute, by plain search."""
    rolls = np.linspace(0.0, 1.2, 2001)
    best = rolls[int(np.argmin([np.hypot(*(flank(gear, roll, sign) - point)) for roll in rolls]))]
    found = minimize_scalar(
        lambda roll: float(np.hypot(*(flank(gear, roll, sign) - point))),
        bounds=(max(best - 1e-3, 0.0), best + 1e-3),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(found.fun)


@pytest.mark.parametrize(("teeth", "shift", "thinning"), [(20, 0.0, 0.0), (17, 0.4, 0.05), (35, -0.2, 0.0)])
def test_pins_touch_both_flanks_of_a_space(teeth: int, shift: float, thinning: float):
    gear = CylindricalGear(teeth, 2.0, ToothForm(thinning=thinning), shift=shift)
    pin = 3.456

    def centre(radius: float) -> np.ndarray:
        return radius * np.array([math.cos(math.pi / teeth), math.sin(math.pi / teeth)])

    touching = brentq(
        lambda radius: nearest(gear, centre(radius)) - pin / 2, gear.radius - 1.0, gear.radius + 3.0, xtol=1e-11
    )
    across = 2 * touching * (math.cos(math.pi / (2 * teeth)) if teeth % 2 else 1.0) + pin
    assert over_pins(teeth, gear.base_radius, gear.solid_half_angle, pin) == pytest.approx(across, abs=1e-8)


def test_pins_touch_both_flanks_of_a_space_of_a_ring():
    gear = CylindricalGear(60, 2.0, shift=0.1, ring=True)
    pin = 3.2
    touching = brentq(
        lambda radius: nearest(gear, np.array([radius, 0.0])) - pin / 2,
        gear.radius - 1.5,
        gear.radius + 1.5,
        xtol=1e-11,
    )
    found = between_pins(60, gear.base_radius, gear.solid_half_angle, pin)
    assert found == pytest.approx(2 * touching - pin, abs=1e-8)


def test_balls_of_a_helical_gear_touch_its_flank():
    """A ball touches the helicoid where the distance along its normal is half a ball, all in space."""
    gear = CylindricalGear(18, 2.0, helix=25 * DEGREE)
    ball = 3.6
    middle = math.pi / 18
    radius = (over_pins(18, gear.base_radius, gear.solid_half_angle, ball, gear.base_helix) - ball) / 2
    centre = radius * np.array([math.cos(middle), math.sin(middle)])

    def distance(parameters: np.ndarray) -> float:
        roll, z = parameters
        x, y = flank(gear, roll)
        turn = gear.twist * z
        point = [x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)]
        return math.hypot(point[0] - centre[0], point[1] - centre[1], z)

    grid = [(roll, z) for roll in np.linspace(0.2, 0.7, 201) for z in np.linspace(-1.5, 1.5, 201)]
    start = min(grid, key=lambda parameters: distance(np.array(parameters)))
    found = minimize(distance, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    assert found.fun == pytest.approx(ball / 2, abs=1e-9)


def test_span_is_the_distance_of_two_flanks_along_a_base_tangent():
    """Jaws are tangent to the base circle's tangent line: both rolled lengths add up, whatever the shift."""
    gear = CylindricalGear(23, 3.0, ToothForm(thinning=0.1), shift=0.3)
    over = 4
    # The foot of a common base tangent lies midway between the two flanks' begins.
    angle_between_begins = 2 * gear.solid_half_angle + 2 * math.pi * (over - 1) / 23
    rolled = gear.base_radius * angle_between_begins
    assert span(23, gear.base_radius, gear.solid_half_angle, over) == pytest.approx(rolled, rel=1e-14)
