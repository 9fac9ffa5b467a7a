"""gsolve beside MuJoCo, Bullet and coal where meshes touch: a spur pair, and a roller of many facets on a box.

    python bench/mesh_compare.py                      both scenes, all sizes, both steps: some minutes
    python bench/mesh_compare.py roller               one of: gears, roller
    python bench/mesh_compare.py --json table.json    writes all numbers as well
    pip install gsolve[compare]                       brings the other programs; one that is not there is left out

The scenes are those of `mesh_scenes.py`.  gsolve touches by the meshes as they are, MuJoCo and Bullet by convex pieces
made by hand, one a tooth; SDF is MuJoCo by signed distances from the meshes of the gears; of coal it is the query
alone, with the meshes as they are.  Exudyn's triangles touch spheres only.  Each run is a process of its own on one
thread; its clock is processor time, without set-up and compilation.

Columns: triangles; us a step with everything that a step needs; by how much the mean ratio of the gears is off; ripple,
root mean square over the mean, of the speed of the wheel or of the force on the roller; for the roller the largest
jump of the force from one step to the next, over the weight (these of the second half of the run); seconds of set-up;
MB that the process grew by.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
from pathlib import Path
from typing import Any

PROGRAMS = ("gsolve", "MuJoCo", "SDF", "pybullet", "coal")
SIZES, FACETS = (5, 20, 80), (64, 200, 512)
# step in s and number of steps: 1e-4 and 1e-3 rad of the pinion; 1/2000 and 1/20 of a bounce of the roller
GEAR_STEPS, ROLLER_STEPS = ((1e-6, 20_000), (1e-5, 4000)), ((1e-5, 40_000), (1e-4, 10_000))

ONCE = (GEAR_STEPS[0][0], ROLLER_STEPS[0][0])  # a query has no step: one of them will do


def memory() -> float:
    """MB of this process."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) / 1024


def measured(program: str, scene: str, size: int, dt: float, steps: int) -> dict[str, Any]:
    """All numbers of one run; nothing but a reason if the program is not there."""
    try:
        module = importlib.import_module(f"mesh_{program.lower()}")
    except ImportError as error:
        return {"program": program, "left out": str(error)}
    scenes = importlib.import_module("mesh_scenes")
    meshes = scenes.gears(size) if scene == "gears" else (scenes.roller(size),)
    before = memory()
    found = getattr(module, scene)(size, dt, steps)
    triangles = sum(len(mesh.triangles) for mesh in meshes)
    return {"program": program, "version": module.version(), "scene": scene, "triangles": triangles, "dt": dt,
            "memory": memory() - before, **found}  # fmt: skip


def line(row: dict[str, Any]) -> str:
    cells = [f"{row['triangles']:>10}", f"{row['dt']:>10.0e}", f"{row['program']:>10}", f"{row['us']:>10.1f}"]
    cells += [f"{row[name]:>10.1e}" if name in row else f"{'':>10}" for name in ("ratio", "ripple", "jump")]
    return "".join([*cells, f"{row['build']:>10.2f}", f"{row['memory']:>10.0f}"])


def main() -> None:
    """Print the table, a line as soon as it is there."""
    parser = argparse.ArgumentParser(description="gsolve beside other programs where meshes touch")
    parser.add_argument("scene", nargs="?", default="", help="gears or roller")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, help="only these")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    cases = [("roller", size, *step) for step in ROLLER_STEPS for size in FACETS]
    cases += [("gears", size, *step) for step in GEAR_STEPS for size in SIZES]
    missing: set[str] = set()
    names = ("triangles", "step, s", "program", "us/step", "ratio", "ripple", "jump", "set-up", "MB")
    head = "".join(f"{name:>10}" for name in names)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for number, case in enumerate(cases):
            if arguments.scene not in case[0]:
                continue
            if number == 0 or case[0] != cases[number - 1][0]:
                print(f"{case[0]}\n{head}", flush=True)
            for program in arguments.programs:
                if program in missing or (program == "SDF" and case[0] != "gears"):
                    continue
                if program == "coal" and case[2] not in ONCE:
                    continue  # a query has no step
                row = pool.apply(measured, (program, *case))
                if "left out" in row:
                    print(f"{program} is left out ({row['left out']}): pip install gsolve[compare]")
                    missing.add(program)
                    continue
                rows.append(row)
                print(line(row), flush=True)
    print(", ".join(sorted({f"{row['program']} {row['version']}" for row in rows})))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
