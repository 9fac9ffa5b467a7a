"""What a step costs: microseconds per step of the compiled time loop, warmed up, and with a sample every 100 steps.

    python bench/speed.py              everything, about four minutes
    python bench/speed.py train        only the machines whose name contains "train"

Each machine is read from a deck (`machines.py`), compiled and warmed up; then blocks of steps are timed through
`Simulation.advance` and the fastest of several is kept, which is the one that other work on the machine disturbed
least.  With one thread the clock is that of the processor time used, with two it is the wall.  All figures of a table
come from one process; ratios within it mean more than the figures themselves.

Columns: seconds to read the deck; seconds from the model to the first step (assembly, ordering, first matrix;
compilation not counted); us per step without samples; the same for each joint; us per step with a sample every 100
steps (all joints, springs and rigid bodies, no nodes); us per step without samples on the general path (--general),
where some of the machine is condensed to spins or moves in a plane; corrections of the multipliers in the last step.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import machines
from comparison.in_gsolve import deck_of
from comparison.machines import FourBars
from gsolve.solver.run.simulation import Simulation

DT = 1e-4
REPEATS = 12
BLOCK_SECONDS = 0.05
NEVER = 1e6
TRAINS = (10, 100, 1000, 10_000)


class Case(NamedTuple):
    """A machine to time.

    joints : what the cost is divided by; limit : us per joint-step that it is expected to stay under, if any
    """

    name: str
    text: Callable[[], str]
    joints: int = 1
    threads: int = 1
    limit: float | None = None


def cases() -> list[Case]:
    """All machines, cheapest first."""
    found = [
        Case("rigid body, free, unequal inertias", machines.tumbling_body),
        Case("two masses, spring and damper", machines.sprung_pair),
    ]
    for kind in machines.JOINT_AXES:
        held, free = partial(machines.joint_on_held_carrier, kind), partial(machines.joint_in_free_flight, kind)
        limit = 2.5 if kind == "GEAR" else None
        found.append(Case(f"one {kind}, held carrier", held, limit=limit))
        found.append(
            Case(f"one {kind}, free carrier", partial(free, 0.2 if kind == "RACK" else machines.SPIN), limit=limit)
        )
    for held in (True, False):
        for threads in (1, 2):
            name = f"1000 independent GEARs, {'held' if held else 'free'}, {threads} thread{'s' * (threads - 1)}"
            found.append(Case(name, partial(machines.independent_gears, 1000, held=held), 1000, threads, 1.4))
    for loops, limit in ((2, 0.16), (40, 0.12)):
        machine = FourBars(loops, NEVER)
        found.append(Case(machine.name, partial(deck_of, machine), 3 * loops + 1, limit=limit))
    for links in (3, 7, 20):
        arm = partial(machines.geared_arm, links)
        found.append(Case(f"arm of {links} links with geared motors", arm, links))
    for housing in ("grounded", "free", "separate"):
        for count in TRAINS:
            name = f"train of {count}, {housing} housing{'s' if housing == 'separate' else ''}"
            found.append(Case(name, partial(machines.train, count, housing), count, limit=2.0))
    return found


def fastest_step(simulation: Simulation, clock: Callable[[], float]) -> float:
    """Seconds per step, the least of several blocks of about BLOCK_SECONDS."""

    def block_of(steps: int) -> tuple[float, int]:
        """Seconds, and the steps taken: those asked for, filled up to a whole interval."""
        start, first = clock(), simulation.step
        simulation.advance(steps)
        return clock() - start, simulation.step - first

    wanted, seconds = 1, block_of(1)[0]
    while seconds < BLOCK_SECONDS:
        wanted *= 2
        seconds = block_of(wanted)[0]
    return min(seconds / taken for seconds, taken in (block_of(wanted) for _ in range(REPEATS)))


def corrections(text: str) -> int:
    """Corrections of the multipliers after 200 steps."""
    model = machines.read(text)
    model.engine.sampling_interval = 200 * DT
    block = Simulation(model, dt=DT, t_end=NEVER).advance(201)
    return int(block.values["diag"]["iterations"][-1])


def measure(case: Case) -> str:
    """One line of the table."""
    text = case.text()
    start = time.perf_counter()
    model = machines.read(text)
    reading = time.perf_counter() - start
    model.engine.sampling_interval = NEVER
    Simulation(model, dt=DT, t_end=NEVER, threads=case.threads).compile()  # compiles what this machine needs
    start = time.perf_counter()
    simulation = Simulation(model, dt=DT, t_end=NEVER, threads=case.threads)
    simulation.compile()
    setting_up = time.perf_counter() - start
    clock = time.process_time if case.threads == 1 else time.perf_counter
    plain = 1e6 * fastest_step(simulation, clock)
    sampled = machines.read(text)
    sampled.engine.sampling_interval = 100 * DT
    with_samples = 1e6 * fastest_step(Simulation(sampled, dt=DT, t_end=NEVER, threads=case.threads), clock)
    general, condensation = "", simulation.condensation
    if condensation is not None and (condensation.trains or condensation.planes or condensation.gyrostats):
        other = Simulation(model, dt=DT, t_end=NEVER, threads=case.threads, general=True)
        general = f"{1e6 * fastest_step(other, clock):.2f}"
    each = plain / case.joints
    verdict = "" if case.limit is None else f"{each / case.limit:8.2f} of {case.limit:g}"
    return (
        f"{case.name:<40}{reading:8.3f}{setting_up:9.3f}{plain:12.2f}{each:10.3f}{with_samples:12.2f}"
        f"{general:>12}{corrections(text):6d}{verdict}"
    )


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    print(
        f"{'machine':<40}{'read s':>8}{'set up s':>9}{'us/step':>12}{'per joint':>10}{'sampled':>12}{'general':>12}"
        f"{'corr':>6}{'of its limit':>15}"
    )
    for case in cases():
        if wanted in case.name:
            print(measure(case), flush=True)


if __name__ == "__main__":
    main()
