"""A spur pair by plane curves against the geometry of involutes: what its friction costs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from curve_rig import Curve, Two
from gsolve.parser import read_deck

DECK = Path(__file__).parents[2] / "decks" / "spur_pair_by_curves" / "spur_pair_by_curves.rad"
MODULE, TEETH, MATE, PRESSURE = 0.002, 20, 40, math.radians(20.0)


def path_of_contact(teeth: int) -> float:
    """From the pitch point to where the tip of a gear leaves, in base pitches."""
    radius = 0.5 * MODULE * teeth
    at_tip = math.acos(radius * math.cos(PRESSURE) / (radius + MODULE))
    return teeth / (2 * math.pi) * (math.tan(at_tip) - math.tan(PRESSURE))


def test_the_loss_of_friction_is_that_of_niemann():
    """Mean over a pitch, over the coefficient of friction: pi (1 + u)/(z u) (1 - e + e1^2 + e2^2).

    (G. Niemann and H. Winter, Maschinenelemente II: pairs of teeth in contact share the load equally.)
    """
    one, other = (path_of_contact(teeth) for teeth in (TEETH, MATE))
    ratio = MATE / TEETH
    expected = math.pi * (1 + ratio) / (TEETH * ratio) * (1 - (one + other) + one**2 + other**2)
    two = Two(*(Curve(shape.points) for shape in read_deck(DECK).shapes))
    distance, base_radius = 0.5 * MODULE * (TEETH + MATE), 0.5 * MODULE * TEETH * math.cos(PRESSURE)

    def points(turned, ahead):
        to_mate = np.array([math.cos(turned), -math.sin(turned)])  # in the axes of the pinion
        return to_mate, two.points(*(distance * to_mate), -turned / ratio + ahead - turned)

    low, high = 0.0, -0.02  # of the wheel against the pinion: until the flanks are 1 um in each other
    for _ in range(40):
        middle = 0.5 * (low + high)
        found = points(0.0, middle)[1]["penetration"]
        low, high = (low, middle) if found.max(initial=0.0) > 1e-6 else (middle, high)
    losses = []
    for turned in np.linspace(0.0, 2 * math.pi / TEETH, 100, endpoint=False):
        to_mate, found = points(turned, low)
        from_pitch_point = found["point"][:, :2] - 0.5 * MODULE * TEETH * to_mate
        force = found["weight"] * found["penetration"]
        sliding = (1 + 1 / ratio) * np.linalg.norm(from_pitch_point, axis=1)
        losses.append(float(force @ sliding) / (force.sum() * base_radius))
    assert np.mean(losses) == pytest.approx(expected, rel=0.03)
