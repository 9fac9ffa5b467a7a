"""gsolve beside MuJoCo and Exudyn where much touches: what a contact costs a step.

    python bench/contacts.py                  everything, best of three: about eight minutes
    python bench/contacts.py --quick          best of one, without the largest heaps: about one minute
    python bench/contacts.py friction         only the scenes whose name contains "friction"
    pip install gsolve[compare]               brings the other two programs; without one its rows say so

gsolve lets each heap of `contact_scenes.py` settle for a while.  From there on every program runs the same places and
velocities with the same step (`contact_gsolve.py`, `contact_mujoco.py`, `contact_exudyn.py`), one thread, no output.
The clock is the processor time of the time loop alone, set-up and compilation not counted; the programs take turns, and
the fastest run of each counts.

Columns: us a step; contacts, the mean of the first and the last step timed; us for each contact and step, and its ratio
to that of gsolve: above 1, gsolve is faster.  Last, for gsolve: seconds to read a deck of the largest heap and to set
it up, and the memory that takes.
"""

from __future__ import annotations

import argparse
import gc
import math
import multiprocessing
import os
import time
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import contact_gsolve
import machines
from contact_scenes import Heap, Roller, Scene, State
from gsolve.solver.run.simulation import Simulation
from programs import installed_programs

PROGRAMS = ("gsolve", "Exudyn", "MuJoCo")
COUNTS, QUICK_COUNTS = (1000, 5000, 10_000), (1000,)
STEPS, ROLLER_STEPS = 400, 50_000


class Cost(NamedTuple):
    """Of one run: us a step, and contacts."""

    step: float
    contacts: float


def cost(program: ModuleType, scene: Scene, state: State | None) -> Cost:
    """Run once."""
    steps = round(program.SHARE * (ROLLER_STEPS if isinstance(scene, Roller) else STEPS))
    run = program.Run(scene, state, steps)
    gc.disable()
    start = time.process_time()
    run.advance()
    seconds = time.process_time() - start
    gc.enable()
    contacts = 1.0
    if isinstance(scene, Heap):
        assert state is not None
        contacts = (scene.contacts(state.places) + scene.contacts(run.state().places)) / 2
    run.close()
    return Cost(1e6 * seconds / steps, contacts)


def print_scene(installed: dict[str, ModuleType], scene: Scene, repeats: int) -> None:
    """Lines of one scene."""
    state = contact_gsolve.settled(scene) if isinstance(scene, Heap) else None
    able = {name: program for name, program in installed.items() if program.runs(scene)}
    costs = [{name: cost(program, scene, state) for name, program in able.items()} for _ in range(repeats)]
    own = math.nan
    for name in able:
        best = min(found[name] for found in costs)
        each = best.step / best.contacts
        own = each if name == "gsolve" else own
        print(
            f"{scene.name:<28}{name:<8}{best.step:>12.1f}{best.contacts:>10.0f}{each:>12.3f}{each / own:>8.2f}",
            flush=True,
        )


def print_footprint(heap: Heap) -> None:
    """Seconds to read and set up a heap, and the memory of the process after its first step."""
    text = contact_gsolve.heap_deck(heap, heap.stack())
    start = time.perf_counter()
    model = machines.read(text)
    reading = time.perf_counter() - start
    start = time.perf_counter()
    simulation = Simulation(model, dt=heap.dt, t_end=heap.dt)
    simulation.compile()
    setting_up = time.perf_counter() - start
    simulation.advance(1)
    print(f"{heap.name}: read in {reading:.1f} s, set up in {setting_up:.1f} s, {most_memory():.0f} MB")


def most_memory() -> float:
    """MB of this process at most; `resource` would count what the process that started it took."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="gsolve beside MuJoCo and Exudyn where much touches")
    parser.add_argument("scene", nargs="?", default="", help="part of a scene's name")
    parser.add_argument("--quick", action="store_true", help="best of one, without the largest heaps")
    arguments = parser.parse_args()
    os.environ["EXUDYN_MODULE"] = "fast"  # read when exudyn is imported
    installed = installed_programs("contact_", PROGRAMS)
    print(", ".join(f"{name} {program.version()}" for name, program in installed.items()), flush=True)
    counts, repeats = (QUICK_COUNTS, 1) if arguments.quick else (COUNTS, 3)
    scenes: list[Scene] = [Heap(count, rough) for rough in (False, True) for count in counts]
    print(f"\n{'scene':<28}{'program':<8}{'us/step':>12}{'contacts':>10}{'us/contact':>12}{'ratio':>8}", flush=True)
    for scene in (*scenes, Roller()):
        if arguments.scene in scene.name:
            print_scene(installed, scene, repeats)
    if not arguments.quick:
        process = multiprocessing.get_context("spawn").Process(target=print_footprint, args=(scenes[-1],))
        process.start()
        process.join()


if __name__ == "__main__":
    main()
