"""A million steps of free flight: does anything drift?

    python bench/long_run.py            1e6 steps of 1e-4 s of each machine
    python bench/long_run.py 100000     fewer steps

Runs the free gearbox of decks/ and the GEAR, DIFF and RACK assemblies of tests/physics/test_free_flight.py, and prints
how well momentum, energy and the rows of the joints are kept. Exit status 1 if a limit is exceeded.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "physics"))

from running import DECKS, Results, run
from test_free_flight import KINDS, PLACES, assembly, rigid_motion

STEP = 1e-4
SAMPLES = 50_000
LIMITS = {"angular": 1e-11, "linear": 1e-11, "band": 1e-6, "drift/band": 0.01, "slope/1e6": 1e-9, "rows": 1e-10}


def machine(kind: str, t_end: float):
    """An assembly that tumbles, with a relative spin of 20 rad/s (0.2 rad/s where a rack swings on a spring)."""
    deck = assembly(kind, t_end=t_end, dt=STEP, every=t_end / SAMPLES, rack_spring=True)
    rigid_motion(deck, kind, PLACES, (0.3, -0.2, 0.1), (3.0, 4.0, 5.0), relative=0.2 if kind == "RACK" else 20.0)
    return deck


def figures(results: Results, steps: int, impulse: float) -> dict[str, float]:
    """How well the run kept what it should, in the names of LIMITS."""
    angular, linear, energy = results.angular_momentum(), results.momentum(), results.scalar("energy", "total")
    tenth, band = len(energy) // 10, float(np.ptp(energy))
    # a smooth window, so that a part of a period at its ends does not count as drift
    window = np.hanning(tenth) / np.hanning(tenth).sum()
    slope = float(np.polyfit(results.times / results.times[-1], energy, 1)[0])
    return {
        "angular": float(np.max(np.abs(angular - angular[0])) / np.linalg.norm(angular[0])),
        "linear": float(np.max(np.abs(linear - linear[0])) / impulse),
        "band": band / energy[0],
        "drift/band": float(abs(window @ energy[-tenth:] - window @ energy[:tenth])) / band,
        "slope/1e6": abs(slope) / energy[0] * 1e6 / steps,
        "rows": float(np.max(results.scalar("diag", "constraint_violation"))),
    }


def main() -> int:
    """Run all machines and print one line each."""
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    t_end = steps * STEP
    failed = False
    print(f"{'machine':<14}" + "".join(f"{name:>13}" for name in LIMITS) + f"{'us/step':>10}")
    print(f"{'limit':<14}" + "".join(f"{limit:>13.1e}" for limit in LIMITS.values()))
    for name in ["free_gearbox", *KINDS]:
        start = time.perf_counter()
        if name == "free_gearbox":
            results = run(DECKS / name / f"{name}.rad", t_end=t_end, dt=STEP, every=t_end / SAMPLES)
        else:
            results = run(machine(name, t_end))
        cost = (time.perf_counter() - start) / steps * 1e6
        found = figures(results, steps, impulse=3.0)
        failed |= any(found[key] > limit for key, limit in LIMITS.items())
        print(f"{name:<14}" + "".join(f"{value:>13.1e}" for value in found.values()) + f"{cost:>10.2f}")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
