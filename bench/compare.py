"""gsolve beside MuJoCo and Exudyn: what a step costs, and what a result of a given accuracy costs.

    python bench/compare.py                   everything, in at most a quarter of an hour
    python bench/compare.py --quick           two rounds, short runs, no machine of a thousand: at most three minutes
    python bench/compare.py four-bars         only the machines whose name contains "four-bars"
    pip install gsolve[compare]               brings the other two programs; one that is not there is left out

Measurements are kept in a JSON file, machine by machine, and what is in there is not measured again: an interrupted
comparison goes on where it was.  A machine is measured anew, all programs together, with --again, with another effort
(--quick or not), or where a program is installed that the file does not have, or has in another version.

Each program runs each machine of `comparison/machines.py` and `comparison/spatial.py` in the form that suits it best
(`comparison/in_gsolve.py`, `in_mujoco.py`, `in_exudyn.py`), by each of its methods, on one thread and without output.
`comparison/measure.py` says how it is timed.  Two tables:

- a step: microseconds per step, the error at the end and the largest residual of a constraint there, all at one step;
- a result: milliseconds to reach an error, by the program's best method.  "≤": the longest step that is run reaches it.

Ratios are to gsolve: above 1, gsolve is faster.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from pathlib import Path

from comparison.machines import machines
from comparison.measure import QUICK, WHOLE, measure, programs
from comparison.tables import Store, result_table, step_table


def processor() -> str:
    """Name of the processor."""
    facts = Path("/proc/cpuinfo")
    for line in facts.read_text().splitlines() if facts.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def conditions() -> dict[str, object]:
    """When, on what, and beside how much else a machine is measured."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"date": now, "processor": processor(), "cores": os.cpu_count(), "load": load}


def main() -> None:
    """Measure what is not there yet, and print both tables."""
    parser = argparse.ArgumentParser(description="gsolve beside MuJoCo and Exudyn")
    parser.add_argument("machine", nargs="?", default="", help="part of a machine's name")
    parser.add_argument("--quick", action="store_true", help="two rounds, short runs, no machine of a thousand")
    parser.add_argument("--again", action="store_true", help="measure again what the file has")
    parser.add_argument("--json", type=Path, help="file of measurements (compare.json, or compare_quick.json)")
    arguments = parser.parse_args()
    installed = programs()
    versions = {name: program.version() for name, program in installed.items()}
    print(", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)
    effort = "quick" if arguments.quick else "whole"
    path = arguments.json or Path("compare_quick.json" if arguments.quick else "compare.json")
    store = Store(path, versions, effort)
    chosen = [
        machine
        for machine in machines()
        if arguments.machine in machine.name and not (arguments.quick and "1000" in machine.name)
    ]
    for machine in chosen:
        if store.has(machine.name) and not arguments.again:
            print(f"{machine.name}: in {path} already", flush=True)
            continue
        start, before = time.process_time(), conditions()
        points = measure(installed, machine, QUICK if arguments.quick else WHOLE)
        store.put(machine.name, before, points)
        print(f"{machine.name}: {time.process_time() - start:.0f} s of the processor", flush=True)
    measured = {machine: store.points(machine.name) for machine in chosen}
    for table in (step_table(measured), result_table(measured)):
        print("\n".join(["", *table]), flush=True)


if __name__ == "__main__":
    main()
