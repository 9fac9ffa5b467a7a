"""A million steps of free flight: does anything drift?

    python bench/long_run.py                    1e6 steps of 1e-4 s of each machine, a minute or two
    python bench/long_run.py 100000             fewer steps
    python bench/long_run.py 1e7 free_gearbox   more steps, of one machine
    python bench/long_run.py --order 4 --step 1e-3    steps of order 4 and of 1 ms, three minutes

Runs the free gearbox of decks/ and three joint assemblies: carriers with three different principal inertias that
tumble about an axis of no symmetry, shafts off that axis with a relative spin of 20 rad/s, a rack off the axis held by
a spring (relative spin 0.2 rad/s).  No force acts from outside, so momentum, angular momentum and energy must stay.

Columns, each the worst of 50 000 samples:
    angular     change of angular momentum, relative
    linear      change of linear momentum, relative to its largest part (sum of m |v|)
    band        largest less smallest total energy, relative
    drift/band  mean of the last tenth of the run less mean of the first, relative to the band.  The energy moves
                within its band with the period P of the tumbling, and a tenth T of the run cuts its last period off
                somewhere: without any drift that alone is up to P/(pi T), which falls as runs get longer
    slope/1e6   slope of a straight line through the energy, relative, per 1e6 steps
    rows        residual of the joints' rows, relative to the size of the machine
Exit status 1 if steps of order 2 exceed a limit.  The band of higher orders is near to round-off, and so is its trend.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import machines
import numpy as np
from gsolve.parser import read_deck
from gsolve.parser.model import Model
from gsolve.solver.run.simulation import Simulation

STEP = 1e-4
SAMPLES = 50_000
LIMITS = {
    "angular": 1e-11,
    "linear": 1e-11,
    "band": 1e-6,
    "drift/band": 0.01,
    "slope/1e6": 1e-9,
    "rows": 1e-10,
}
FREE_GEARBOX = Path(__file__).resolve().parents[1] / "decks" / "free_gearbox" / "free_gearbox.rad"


def models() -> dict[str, Model]:
    """The machines, without /TH blocks."""
    found = {"free_gearbox": read_deck(FREE_GEARBOX)}
    found["free_gearbox"].history_requests = []
    for kind in machines.JOINT_AXES:
        spin = 0.2 if kind == "RACK" else machines.SPIN
        found[kind] = machines.read(machines.joint_in_free_flight(kind, spin))
    return found


def histories(model: Model, steps: int, step: float, order: int) -> dict[str, np.ndarray]:
    """Energy (nt,), momentum (nt, 3), angular momentum (nt, 3) and largest row residual (nt,)."""
    model.engine.sampling_interval = steps * step / SAMPLES
    simulation = Simulation(model, t_end=steps * step, dt=step, order=order)
    blocks = []
    while not simulation.finished:
        block = simulation.advance(100_000)
        if len(block):
            blocks.append(block.values)

    def joined(group: str, name: str) -> np.ndarray:
        return np.concatenate([block[group][name] for block in blocks])

    kinetic = joined("energy", "kinetic_translational")
    return {
        "energy": joined("energy", "total"),
        "kinetic": kinetic,
        "momentum": np.stack([joined("diag", f"momentum_{axis}") for axis in "xyz"], axis=1),
        "angular_momentum": np.stack([joined("diag", f"angular_momentum_{axis}") for axis in "xyz"], axis=1),
        "rows": joined("diag", "constraint_violation"),
    }


def figures(history: dict[str, np.ndarray], steps: int, mass: float) -> dict[str, float]:
    """How well the run kept what it should, in the names of LIMITS."""
    angular, linear, energy = history["angular_momentum"], history["momentum"], history["energy"]
    # The sum of m |v| is at most sqrt(2 m T) and of that size here.
    impulse = float(np.sqrt(2 * mass * history["kinetic"].max()))
    tenth, band = len(energy) // 10, float(np.ptp(energy))
    first, last = energy[:tenth] - energy[0], energy[-tenth:] - energy[0]
    slope = float(np.polyfit(np.linspace(0.0, 1.0, len(energy)), energy - energy[0], 1)[0])
    return {
        "angular": float(np.abs(angular - angular[0]).max() / np.linalg.norm(angular[0])),
        "linear": float(np.abs(linear - linear[0]).max() / impulse),
        "band": band / energy[0],
        "drift/band": float(abs(last.mean() - first.mean())) / band,
        "slope/1e6": abs(slope) / energy[0] * 1e6 / steps,
        "rows": float(history["rows"].max()),
    }


def main() -> int:
    """Run the machines and print one line each."""
    machines_at_hand = models()
    parser = argparse.ArgumentParser()
    parser.add_argument("steps", nargs="?", type=float, default=1e6)
    parser.add_argument("machine", nargs="?", choices=list(machines_at_hand))
    parser.add_argument("--order", type=int, choices=(2, 4, 6), default=2, help="of the steps")
    parser.add_argument("--step", type=float, default=STEP, help=f"in s, {STEP:g} if nothing is said")
    given = parser.parse_args()
    steps, failed = int(given.steps), False
    print(f"{'machine':<14}" + "".join(f"{name:>13}" for name in LIMITS) + f"{'us/step':>10}")
    print(f"{'limit':<14}" + "".join(f"{limit:>13.1e}" for limit in LIMITS.values()), flush=True)
    for name in [given.machine] if given.machine else machines_at_hand:
        model = machines_at_hand[name]
        mass = sum(joint.masses.sum() for joint in model.gear_joints) + sum(b.added_mass for b in model.rigid_bodies)
        mass += sum(float(np.sum(added.masses)) for added in model.added_masses)
        start = time.perf_counter()
        history = histories(model, steps, given.step, given.order)
        cost = (time.perf_counter() - start) / steps * 1e6
        found = figures(history, steps, mass)
        failed |= given.order == 2 and any(found[key] > limit for key, limit in LIMITS.items())
        print(f"{name:<14}" + "".join(f"{value:>13.1e}" for value in found.values()) + f"{cost:>10.2f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
