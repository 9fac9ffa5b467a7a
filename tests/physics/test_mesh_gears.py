"""A spur pair that touches by its meshes: the ratio in the mean, and the line along which it pushes."""

import math

import numpy as np
import pytest
from contact_decks import ContactDeck
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from running import run

TEETH, MODULE, SPEED, TORQUE = (20, 40), 2e-3, 100.0, 20.0
DISTANCE = 0.06
FORM = ToothForm(thinning=25e-6)
BASE = [teeth * MODULE / 2 * math.cos(FORM.pressure_angle) for teeth in TEETH]


def spur_pair(t_end: float, dt: float, distance: float, shift: float) -> ContactDeck:
    """The pinion turns steadily, the wheel is held back; its ends stand off by the shift along the axis."""
    deck, surfaces = ContactDeck(t_end, dt, dt), []
    wheels = CylindricalGear(TEETH[0], MODULE, FORM), CylindricalGear(TEETH[1], MODULE, FORM)
    resolution = Resolution(flank=12, fillet=3, land=2, rows=3)
    gears = make_pair(wheels, (Body(10e-3, 8e-3), Body(10e-3, 10e-3)), resolution)
    inertias, speeds = (1.966e-5, 3.135e-4), (SPEED, -SPEED * TEETH[0] / TEETH[1])
    for k, (inertia, speed) in enumerate(zip(inertias, speeds, strict=True)):
        place = (k * distance, 0.0, k * shift)
        node = deck.free_body(place, 0.1, (inertia, inertia, inertia), (0.0, 0.0, 0.0), (0.0, 0.0, speed))
        deck.hold([node], "111 110")
        surfaces.append(deck.mesh(node, gears[k].mesh))
    deck.turn_steadily(1, "ZZ", SPEED)
    deck.load(2, "ZZ", TORQUE)
    deck.impact((surfaces[0], surfaces[1]), 1.4e8, 1.0, 3000.0, 1e-6)
    return deck


@pytest.mark.parametrize(("distance", "shift"), [(DISTANCE, 0.0), (DISTANCE + 4e-4, 3e-4)])
def test_spur_pair_turns_by_its_ratio_and_pushes_along_the_line_of_action(distance, shift):
    """With ends in one plane, and at a wrong distance, which involutes do not mind."""
    dt = 1e-5
    pitch = 2 * math.pi / TEETH[0] / SPEED  # time of a tooth
    results = run(spur_pair(4 * pitch, dt, distance, shift))
    times = results.times
    last, first = len(times) - 1, np.searchsorted(times, times[-1] - 2 * pitch)
    turns = np.unwrap(2 * np.arctan2(results.node("Q3", 2), results.node("Q0", 2)), period=2 * math.pi)
    ratio = (turns[last] - turns[first]) / (SPEED * (times[last] - times[first]))
    assert abs(ratio * TEETH[1] / TEETH[0] + 1.0) < 1e-5
    force = np.stack([results.of("th/inter", f"FN{axis}", 1) for axis in "XYZ"], axis=1)[first:]
    size = np.linalg.norm(force, axis=1)
    assert size.min() > 0.0
    assert abs(size.mean() * BASE[1] / TORQUE - 1.0) < 2e-3
    # where a tip enters the line of contact ends at one side first, by the error of the mesh
    assert np.abs(force[:, 2]).mean() < 5e-6 * size.mean()
    assert np.abs(force[:, 2]).max() < 2e-4 * size.mean()
    angle = np.degrees(np.arctan2(np.abs(force[:, 0]), np.abs(force[:, 1])))
    assert abs(np.median(angle) - math.degrees(math.acos(sum(BASE) / distance))) < 0.05
