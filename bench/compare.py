"""gsolve beside MuJoCo and Exudyn: what a step costs, and what a result of a given accuracy costs.

    python bench/compare.py                   everything, best of three: about a quarter of an hour
    python bench/compare.py --quick           best of one, and no run of more than two seconds: about three minutes
    python bench/compare.py four-bars         only the machines whose name contains "four-bars"
    pip install gsolve[compare]               brings the other two programs; without one its rows say so

Each program runs each machine of `compare_references.py` in the form that suits it best (`compare_gsolve.py`,
`compare_mujoco.py`, `compare_exudyn.py`), by each of its methods, at each of the machine's steps.  One thread, no
output; the clock is the processor time of the time loop alone, set-up and compilation not counted, and the programs
take turns, so that what disturbs one disturbs the others.  Two tables:

- a step: microseconds per step and the error at the end, all programs at one and the same step;
- a result: seconds to reach an error, interpolated between the two steps around it (logarithms), by the program's best
  method.  An error counts as reached at a step if all shorter steps reach it too.  "not reached": not at any step run.

Ratios are to gsolve: above 1, gsolve is faster.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import time
from types import ModuleType
from typing import NamedTuple

from compare_references import Machine, machines
from programs import installed_programs

PROGRAMS = ("gsolve", "MuJoCo", "Exudyn")
LONGEST_RUN = 150.0  # seconds
LONGEST_QUICK_RUN = 2.0


class Point(NamedTuple):
    """One run: step, error at the end (nan: it failed), seconds of the time loop."""

    step: float
    error: float
    seconds: float


Curve = dict[float, Point]  # by step


def run(program: ModuleType, machine: Machine, method: str, step: float) -> Point:
    """Run once, from the start to the time of comparison."""
    steps = round(machine.t_end / step)
    try:
        prepared = program.Run(machine, method, step)
        gc.disable()
        start = time.process_time()
        prepared.advance(steps)
        seconds = time.process_time() - start
        error = machine.error(prepared.observe())
        prepared.close()
    except Exception as failure:  # a program that breaks down at a long step may do well at a shorter one
        print(f"    {program.NAME}, {method}, step {step:g}: {str(failure).splitlines()[0][:120]}", flush=True)
        return Point(step, math.nan, math.nan)
    finally:
        gc.enable()
    return Point(step, error, seconds)


def curves(
    installed: dict[str, ModuleType], machine: Machine, repeats: int, longest: float
) -> dict[str, dict[str, Curve]]:
    """Runs of all programs by method, the programs taking turns; of repeated runs the fastest."""
    found: dict[str, dict[str, Curve]] = {
        name: {method: {} for method in program.methods(machine)} for name, program in installed.items()
    }
    for _ in range(repeats):
        for before, step in zip((None, *machine.steps), machine.steps, strict=False):
            for name, by_method in found.items():
                for method, curve in by_method.items():
                    if before is not None and (before not in curve or curve[before].seconds * before / step > longest):
                        continue
                    if step in curve and math.isnan(curve[step].seconds):
                        continue  # failed before
                    point = run(installed[name], machine, method, step)
                    if step not in curve or point.seconds < curve[step].seconds:
                        curve[step] = point
    return found


def seconds_to(target: float, curve: Curve) -> float:
    """Seconds to reach an error, nan if no step does; at most those of any step that does."""
    points = sorted(curve.values(), reverse=True)  # from long steps to short ones
    good = len(points)
    while good > 0 and points[good - 1].error <= target:
        good -= 1
    if good == len(points):
        return math.nan
    least = min(point.seconds for point in points[good:])
    if good == 0 or math.isnan(points[good - 1].error):
        return least
    here, coarse = points[good], points[good - 1]
    share = math.log(coarse.error / target) / math.log(coarse.error / here.error)
    return min(least, math.exp((1 - share) * math.log(coarse.seconds) + share * math.log(here.seconds)))


def ratio(seconds: float, own: float) -> str:
    """Column of the ratio to gsolve."""
    return f"{'-' if math.isnan(seconds / own) else format(seconds / own, '.2f'):>8}"


def print_step(machine: Machine, found: dict[str, dict[str, Curve]]) -> None:
    """Lines of the first table."""
    step = machine.same_step
    steps = machine.t_end / step
    costs = {
        (name, method): curve[step]
        for name, by_method in found.items()
        for method, curve in by_method.items()
        if step in curve
    }
    own = min((point.seconds for (name, _), point in costs.items() if name == "gsolve"), default=math.nan)
    for (name, method), point in costs.items():
        print(
            f"{machine.name:<36}{name:<8}{method:<13}{step:>8g}{1e6 * point.seconds / steps:>11.2f}"
            f"{point.error:>10.1e}{ratio(point.seconds, own)}",
            flush=True,
        )


def print_result(machine: Machine, found: dict[str, dict[str, Curve]]) -> None:
    """Lines of the second table."""
    for target in machine.targets:
        own = math.nan
        for name, by_method in found.items():
            times = {method: seconds_to(target, curve) for method, curve in by_method.items()}
            reached = {method: seconds for method, seconds in times.items() if seconds == seconds}
            best = min(reached, key=reached.__getitem__, default="")
            line = f"{machine.name:<36}{name:<8}{best:<13}{target:>8g}"
            if not best:
                print(f"{line}   not reached", flush=True)
                continue
            own = reached[best] if name == "gsolve" else own
            print(f"{line}{1e3 * reached[best]:>11.3f}{'':10}{ratio(reached[best], own)}", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="gsolve beside MuJoCo and Exudyn")
    parser.add_argument("machine", nargs="?", default="", help="part of a machine's name")
    parser.add_argument("--quick", action="store_true", help="best of one, short runs only")
    arguments = parser.parse_args()
    os.environ["EXUDYN_MODULE"] = "fast"  # read when exudyn is imported
    installed = installed_programs("compare", PROGRAMS)
    print(", ".join(f"{name} {program.version()}" for name, program in installed.items()), flush=True)
    repeats, longest = (1, LONGEST_QUICK_RUN) if arguments.quick else (3, LONGEST_RUN)
    found = {}
    heading = f"\n{'machine':<36}{'program':<8}{'method':<13}"
    print(f"{heading}{'step s':>8}{'us/step':>11}{'error':>10}{'ratio':>8}", flush=True)
    for machine in machines():
        if arguments.machine in machine.name:
            found[machine] = curves(installed, machine, repeats, longest)
            print_step(machine, found[machine])
    print(f"{heading}{'error':>8}{'ms':>11}{'':10}{'ratio':>8}")
    for machine, results in found.items():
        print_result(machine, results)


if __name__ == "__main__":
    main()
