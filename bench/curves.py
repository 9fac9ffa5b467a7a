"""What contact of plane curves costs in a step, and how exact curves are.

    python bench/curves.py

The spur pair of decks/spur_pair_by_curves, 1.68 pairs of teeth in contact, and the example decks of a cam with two
followers and of a Geneva drive: processor time a step of the compiled loop, the least of five, with all that a step
needs (joints, motor, search for new contacts, friction, work), in the plane of the machine and by the general path, by
turns.  Then circles by 16 to 128 points against the lens of two circles in closed form.
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

DECKS = REPOSITORY / "decks"
STEPS, REPETITIONS = 30_000, 5


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


MACHINES: tuple[tuple[str, str, float, Callable[[Model], None]], ...] = (
    ("teeth", "spur_pair_by_curves", 2e-6, as_it_is),
    ("teeth, friction", "spur_pair_by_curves", 2e-6, with_friction),
    ("teeth, stiction", "spur_pair_by_curves", 2e-6, with_stiction),
    ("teeth, stab2d 0", "spur_pair_by_curves", 2e-6, by_centroid),
    ("cam and two followers", "cam_and_followers", 1e-5, as_it_is),
    ("Geneva drive", "geneva_drive", 2e-5, as_it_is),
)


def microseconds(deck: str, step: float, edit: Callable[[Model], None], general: bool) -> float:
    """Processor time of a step."""
    model = read_deck(DECKS / deck / f"{deck}.rad")
    edit(model)
    model.engine.sampling_interval = step * STEPS / 10
    simulation = Simulation(model, t_end=step * STEPS, dt=step, threads=1, general=general)
    simulation.compile()
    begun = time.process_time()
    while not simulation.finished:
        simulation.advance(STEPS)
    return (time.process_time() - begun) / STEPS * 1e6


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
    print(f"{'us a step':<30}{'in its plane':>14}{'general path':>14}")
    for name, *machine in MACHINES:
        found = [[microseconds(*machine, general) for general in (False, True)] for _ in range(REPETITIONS)]
        print(f"{name:<30}" + "".join(f"{least:>14.2f}" for least in map(min, zip(*found, strict=True))), flush=True)
    errors = [error_of_depth(n) for n in (16, 32, 64, 128)]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    for n, error, order in zip((16, 32, 64, 128), errors, ("", *(f"order {each:.2f}" for each in orders)), strict=True):
        print(f"circles by {n:>3} points: depth off by {error:.1e} m  {order}")


if __name__ == "__main__":
    main()
