"""What a pair of gears by curves costs in a step, and how exact curves are.

    python bench/curves.py

The spur pair of decks/spur_pair_by_curves, 1.68 pairs of teeth in contact, steps of 2 us: processor time a step of the
compiled loop, the least of five, with all that a step needs (shafts, motor, search for new contacts).  Then circles by
16 to 128 points against the lens of two circles in closed form.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from gsolve.parser.model import CoulombFriction, Model
from gsolve.solver.run.simulation import Simulation

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "tests" / "solver"))
import curve_rig  # noqa: E402

DECK = REPOSITORY / "decks" / "spur_pair_by_curves" / "spur_pair_by_curves.rad"
STEP, STEPS, REPETITIONS = 2e-6, 30_000, 5


def as_it_is(model: Model) -> None:
    """The deck."""


def with_friction(model: Model) -> None:
    """Coulomb friction of 0.1."""
    model.contacts[0].friction = CoulombFriction("STATIC_AND_DYNAMIC", 0.1, 0.1, 0.01, 0.1)


def with_stiction(model: Model) -> None:
    """True stiction."""
    model.contacts[0].friction = CoulombFriction("STICTION", 0.1, 0.1, 0.01, 0.1)


def by_centroid(model: Model) -> None:
    """stab2d 0."""
    model.contacts[0].curve_stability = 0.0


def without_teeth(model: Model) -> None:
    """Shafts and motor alone."""
    model.contacts.clear()
    model.shapes.clear()


def microseconds(edit: Callable[[Model], None], general: bool = False) -> float:
    """Processor time of a step; general : shafts that nothing touches take the steps of those with teeth."""
    found = []
    for _ in range(REPETITIONS):
        model = read_deck(DECK)
        edit(model)
        model.engine.sampling_interval = STEP * STEPS / 10
        simulation = Simulation(model, t_end=STEP * STEPS, dt=STEP, threads=1, general=general)
        simulation.compile()
        begun = time.process_time()
        while not simulation.finished:
            simulation.advance(STEPS)
        found.append((time.process_time() - begun) / STEPS * 1e6)
    return min(found)


def error_of_depth(points: int) -> float:
    """Largest error of the depth of two circles, 0.1 mm in each other, in 50 poses."""
    two = curve_rig.Two(
        curve_rig.Curve(curve_rig.circle(0.05, points)), curve_rig.Curve(curve_rig.circle(0.03, points))
    )
    errors = []
    for k in range(50):
        x, y = 0.0799 * math.cos(0.37 * k), 0.0799 * math.sin(0.37 * k)
        errors.append(abs(two.deepest(x, y, 0.11 * k) - 1e-4))
    return max(errors)


def main() -> None:
    """Print both."""
    alone = microseconds(without_teeth, general=True)
    print(f"{'shafts and motor alone':<30}{alone:>8.2f} us a step")
    for edit in (as_it_is, with_friction, with_stiction, by_centroid):
        name = {"as_it_is": "teeth", "by_centroid": "teeth, stab2d 0"}.get(
            edit.__name__, f"teeth, {edit.__name__[5:].replace('_', ' ')}"
        )
        total = microseconds(edit)
        print(f"{name:<30}{total:>8.2f} us a step, {total - alone:.2f} of contact", flush=True)
    errors = [error_of_depth(n) for n in (16, 32, 64, 128)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    for n, error, order in zip((16, 32, 64, 128), errors, ("", *(f"order {each:.2f}" for each in orders)), strict=True):
        print(f"circles by {n:>3} points: depth off by {error:.1e} m  {order}")


if __name__ == "__main__":
    main()
