"""Two threads beside one, where a machine is one large subsystem: what a step takes, alternately.

    python bench/threads.py            a heap of 10 000 spheres, with and without friction, and 1000 gears on a housing
    python bench/threads.py friction   only the machines whose name contains "friction"

Each machine runs twice, with one thread and with two, some steps in turns; the clock is the wall, which needs two
processors that have nothing else to do.  Columns: us a step, the least of all turns and their median; the same with two
threads; the ratio of the least ones, and of the medians; whether both runs ended in the same state, to the bit.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import contact_gsolve
import machines
from contact_scenes import Heap
from gsolve.parser.model import Model
from gsolve.solver.run.simulation import Simulation

TURNS, NEVER = 30, 1e6


def heap_of(count: int, rough: bool) -> Model:
    """A heap that has settled for a while."""
    heap = Heap(count, rough)
    return contact_gsolve.model_of(heap, contact_gsolve.settled(heap))


def train_of(count: int) -> Model:
    """Gears on one free housing."""
    return machines.read(machines.train(count, "free"))


def cases() -> Iterator[tuple[str, Callable[[], Model], float, int]]:
    """Name, model, time step, steps of a turn."""
    for count, steps in ((1000, 512), (10_000, 64)):
        for rough in (False, True):
            heap = Heap(count, rough)
            yield heap.name, partial(heap_of, count, rough), heap.dt, steps
    yield "1000 gears on a free housing", partial(train_of, 1000), 1e-4, 4096


def turn(simulation: Simulation, steps: int) -> float:
    """Microseconds a step, of about so many."""
    first, start = simulation.step, time.perf_counter()
    simulation.advance(steps)
    return 1e6 * (time.perf_counter() - start) / (simulation.step - first)


def measure(name: str, model: Model, dt: float, steps: int) -> str:
    """A line of the table."""
    model.engine.sampling_interval = NEVER
    runs = [Simulation(model, dt=dt, t_end=NEVER, threads=threads) for threads in (1, 2)]
    for run in runs:
        run.compile()
    turns = [[turn(run, steps) for run in runs] for _ in range(TURNS)]
    one, two = zip(*turns, strict=True)
    medians = statistics.median(one), statistics.median(two)
    same = runs[0]._system.bodies.copy().tobytes() == runs[1]._system.bodies.copy().tobytes()
    return (
        f"{name:<32}{min(one):10.1f}{medians[0]:10.1f}{min(two):10.1f}{medians[1]:10.1f}"
        f"{min(one) / min(two):8.2f}{medians[0] / medians[1]:8.2f}{'yes' if same else 'NO':>6}"
    )


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    print(f"{'':<32}{'one thread':>20}{'two threads':>20}{'ratio':>16}{'same':>6}")
    print(f"{'machine':<32}" + 2 * f"{'least':>10}{'median':>10}" + f"{'least':>8}{'median':>8}")
    for name, model, dt, steps in cases():
        if wanted in name:
            print(measure(name, model(), dt, steps), flush=True)


if __name__ == "__main__":
    main()
