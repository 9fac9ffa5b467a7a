"""A spur pair by curves against the geometry of involutes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from curve_rig import Curve, Two
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body

MODULE, THINNING, PRESSURE = 2e-3, 2.5e-5, math.radians(20)
GEARS = (
    CylindricalGear(20, MODULE, ToothForm(thinning=THINNING)),
    CylindricalGear(40, MODULE, ToothForm(thinning=THINNING)),
)


@pytest.fixture(scope="module")
def pair():
    """The curves of 20 and 40 teeth, the distance of their axes, the contact ratio."""
    pinion, wheel, data = make_pair(GEARS, (Body(0.01), Body(0.01)), Resolution(flank=24, rows=1))
    return Two(Curve(pinion.curve), Curve(wheel.curve)), data.distance, data.transverse_ratio


def contacts(pair, turn, depth):
    """Points of contact with the pinion turned by an angle, in space, and the flanks pressed into each other."""
    two, distance, _ = pair
    base = GEARS[1].base_radius
    pressed = (THINNING * math.cos(PRESSURE) + depth) / base  # half of the play, and the depth
    c, s = math.cos(turn), math.sin(turn)
    found = two.points(c * distance, -s * distance, -1.5 * turn + pressed)
    rotate = np.array([[c, -s], [s, c]])
    return found["penetration"], found["point"][:, :2] @ rotate.T, found["normal"][:, :2] @ rotate.T


LINE_OF_ACTION = np.array([-math.sin(PRESSURE), -math.cos(PRESSURE)])  # direction of the force on the pinion


def test_teeth_are_pressed_along_the_line_of_action(pair):
    """Depth = angle times base radius, normals at the pressure angle, all points on one line, in any position."""
    depth, along = 5e-6, []
    for turn in np.arange(0.0, math.pi / 10, 2e-3):
        depths, places, normals = contacts(pair, turn, depth)
        arms = places - [GEARS[0].radius, 0.0]  # from the pitch point
        at = arms @ LINE_OF_ACTION
        off = arms[:, 0] * LINE_OF_ACTION[1] - arms[:, 1] * LINE_OF_ACTION[0]
        across = np.linalg.norm(normals - LINE_OF_ACTION, axis=1)
        # further out the involute of the pinion ends, tips come and go
        for within, of_depth, of_normal, of_place in ((4.2e-3, 5e-9, 5e-5, 2e-6), (3.5e-3, 5e-10, 5e-6, 1e-6)):
            inner = np.abs(at) < within
            np.testing.assert_allclose(depths[inner], depth, atol=of_depth)
            assert np.all(across[inner] < of_normal)
            assert np.all(np.abs(off[inner]) < of_place)
        along += at[across < 1e-3].tolist()
    base_pitch = math.pi * MODULE * math.cos(PRESSURE)
    assert np.ptp(along) / base_pitch == pytest.approx(pair[2], abs=0.02)


def test_the_contact_ratio_is_the_mean_number_of_teeth(pair):
    """With what little the depth, 0.1 um, lets tips touch before and after the path of contact."""
    turns = np.arange(0.0, math.pi / 10, 2.5e-4)
    numbers = [len(contacts(pair, turn, 1e-7)[0]) for turn in turns]
    assert set(numbers) == {1, 2}
    assert np.mean(numbers) == pytest.approx(pair[2], abs=0.02)
