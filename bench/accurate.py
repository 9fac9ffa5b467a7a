"""Steps controlled by their error, and of order 4 and 6: reached errors, steps and time, and what is lost in time.

    python bench/accurate.py            both tables, some minutes
    python bench/accurate.py four-bars  machines with that in their names
    python bench/accurate.py --drift    the second table alone

First table: the machines of `comparison/machines.py` with `--accuracy` from 1e-3 to 1e-8, and beside them with steps of
one length of order 2, trains and planes as they are chosen, and of order 4 and 6 (`--order`), down to an error of 1e-9.
The error is that of `compare.py`, at the end, at which the only sample is; the time that of the loop (processor time,
best of some runs that take turns); with a tolerance, by that of all rows (`--general`) as well.

Second table: machines without loss for the time that a million steps of 0.1 ms take.  Columns: steps, the largest
change of the energy by its kinetic part at t = 0, of the angular momentum of what flies freely (relative), and the
largest residual of a row.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import machines
import numpy as np
from comparison import in_gsolve
from comparison.machines import Machine
from comparison.machines import machines as compared_machines
from gsolve.parser.model import Model
from gsolve.solver.run.simulation import Simulation
from long_run import FREE_GEARBOX, read_deck

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
ORDERS = ("order 2", "order 4", "order 6")
DRIFT_TOLERANCES = (1e-4, 1e-6, 1e-8)
TARGETS = (1e-4, 1e-6)
SMALL = 1e-9  # an error with which steps of one length are short enough
REPEATS, LONGEST_TIME, SAMPLES = 3, 100.0, 1000


class Point(NamedTuple):
    """One run; steps with those rejected."""

    error: float
    seconds: float
    steps: int
    rejected: int


def run(machine: Machine, variant: str, setting: float) -> Point:
    """From the start to the time of comparison; the setting is a step or a tolerance."""
    prepared = in_gsolve.Run(machine, variant, setting, machine.t_end)
    started = time.process_time()
    prepared.advance()
    seconds = time.process_time() - started
    error = machine.error(prepared.observe())
    controlled = prepared.simulation.controlled_steps
    taken, rejected = (controlled.taken, controlled.rejected) if controlled else (prepared.steps, 0)
    return Point(error, seconds, taken, rejected)


def best(machine: Machine, variant: str, setting: float) -> Point:
    """The fastest of some equal runs."""
    return min((run(machine, variant, setting) for _ in range(REPEATS)), key=lambda point: point.seconds)


def best_in_turns(machine: Machine, variants: Sequence[str], setting: float) -> list[Point]:
    """The same of several variants, which take turns."""
    rounds = [[run(machine, variant, setting) for variant in variants] for _ in range(REPEATS)]
    return [min(points, key=lambda point: point.seconds) for points in zip(*rounds, strict=True)]


def print_machine(machine: Machine) -> None:
    """Lines of the first table."""
    controlled = {}
    for tolerance in TOLERANCES:
        point, twin = best_in_turns(machine, ("accurate", "accurate, all rows"), tolerance)
        controlled[tolerance] = point
        over = f"{point.seconds / twin.seconds:>8.2f} of all rows"
        print(f"{machine.name:<36}{tolerance:>14g}{row(point)}{over}", flush=True)
    found: dict[str, list[Point]] = {"with a tolerance": list(controlled.values())}
    for order in ORDERS:
        found[order] = []
        for step in machine.steps:
            name = f"{machine.name:<36}{order[-1] + ', dt ' + format(step, 'g'):>14}"
            try:
                point = best(machine, order, step)
            except Exception as failure:  # the step is too long
                print(f"{name}  {str(failure)[:70]}", flush=True)
                continue
            found[order].append(point)
            print(f"{name}{row(point)}", flush=True)
            if point.error <= SMALL:
                break
    for target in TARGETS:
        times = ", ".join(f"{name} {1e3 * least(points, target):.3f} ms" for name, points in found.items())
        print(f"{machine.name:<36}to {target:g}: {times}", flush=True)


def row(point: Point) -> str:
    per_step = 1e6 * point.seconds / max(1, point.steps + point.rejected)
    return f"{point.error:>10.1e}{point.steps:>9}{point.rejected:>9}{1e3 * point.seconds:>10.3f}{per_step:>9.2f}"


def least(points: list[Point], target: float) -> float:
    """Seconds of the fastest run that reaches an error."""
    return min((point.seconds for point in points if point.error <= target), default=math.nan)


# ---- what is lost --------------------------------------------------------------------------------------------


def lossless() -> dict[str, tuple[Model, bool]]:
    """Models of machines that lose no energy, and whether they fly freely."""
    four_bars = next(m for m in compared_machines() if m.name.startswith("four-bars"))
    gear = machines.read(machines.joint_in_free_flight("GEAR", machines.SPIN))
    found = {"the free gearbox of decks/": (read_deck(FREE_GEARBOX), True), "GEAR": (gear, True)}
    found[four_bars.name] = machines.read(in_gsolve.deck_of(four_bars)), False
    for model, _ in found.values():
        model.history_requests = []
    return found


def print_drift(name: str, model: Model, free: bool, accuracy: float) -> None:
    """A line of the second table."""
    model.engine.sampling_interval = LONGEST_TIME / SAMPLES
    simulation = Simulation(model, accuracy=accuracy, t_end=LONGEST_TIME)
    simulation.compile()
    started, blocks = time.process_time(), []
    while not simulation.finished:
        blocks.append(simulation.advance(10**6))
    seconds = time.process_time() - started

    def values(group: str, channel: str) -> np.ndarray:
        return np.concatenate([block.values[group][channel] for block in blocks])

    energy = values("energy", "total")
    kinetic = values("energy", "kinetic_translational") + values("energy", "kinetic_rotational")
    angular = np.stack([values("diag", f"angular_momentum_{axis}") for axis in "xyz"], axis=1)
    lost = np.linalg.norm(angular - angular[0], axis=1).max() / np.linalg.norm(angular[0]) if free else math.nan
    controlled = simulation.controlled_steps
    assert controlled is not None
    print(
        f"{name:<36}{accuracy:>10g}{controlled.taken:>9}{seconds:>9.2f}"
        f"{np.abs(energy - energy[0]).max() / kinetic[0]:>10.1e}{lost:>10.1e}"
        f"{values('diag', 'constraint_violation').max():>10.1e}",
        flush=True,
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="steps that are controlled by their error")
    parser.add_argument("machine", nargs="?", default="", help="part of a machine's name")
    parser.add_argument("--drift", action="store_true", help="the second table alone")
    arguments = parser.parse_args()
    if not arguments.drift:
        print(f"{'machine':<36}{'TOL, step':>14}{'error':>10}{'steps':>9}{'rejected':>9}{'ms':>10}{'us/step':>9}")
        for machine in compared_machines():
            if arguments.machine in machine.name:
                print_machine(machine)
    print(f"\n{'machine':<36}{'tolerance':>10}{'steps':>9}{'s':>9}{'energy':>10}{'angular':>10}{'rows':>10}")
    for name, (model, free) in lossless().items():
        if arguments.machine in name:
            for accuracy in DRIFT_TOLERANCES:
                print_drift(name, model, free, accuracy)


if __name__ == "__main__":
    main()
