"""Processor seconds that a mesh file takes from the disk to a mesh that can touch, and to the report of `gsolve check`.

python bench/mesh_input.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gsolve.solver.geometry.mesh.crossings import find_crossings
from gsolve.solver.geometry.mesh.defects import find_defects, without_collapsed
from gsolve.solver.geometry.mesh.file_reader import read_mesh_file
from gsolve.solver.geometry.mesh.pieces import count_charts, pieces_of, separate_fans
from gsolve.solver.geometry.mesh.thickness import find_thinnest
from gsolve.solver.geometry.mesh.weld import WELD_TOLERANCE, weld
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_gear
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import SUFFIXES, write_mesh

RESOLUTIONS = (Resolution(flank=12, fillet=6, rows=12), Resolution(flank=24, fillet=12, rows=25))
REPEATS = 3


def best(call: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The least processor time of some calls, and what the last gave."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        found = call(*arguments)
        times.append(time.process_time() - started)
    return min(times), found


def main() -> None:
    """A spur gear of 20 teeth at two resolutions."""
    head = ("triangles", "stl", "ascii-stl", "obj", "weld", "defects", "pieces", "crossings", "charts", "thickness")
    print(" ".join(f"{word:>10}" for word in head))
    for resolution in RESOLUTIONS:
        mesh = make_gear(CylindricalGear(20, 2.0, ToothForm()), Body(10.0, bore=8.0), resolution).mesh
        times = []
        with tempfile.TemporaryDirectory() as folder:
            for kind, suffix in SUFFIXES.items():
                path = Path(folder) / f"{kind}{suffix}"
                write_mesh(path, mesh, "gear", kind)
                seconds, _ = best(read_mesh_file, str(path))
                times.append(seconds)
            raw = read_mesh_file(str(Path(folder) / "stl.stl"))
        tolerance = WELD_TOLERANCE * float(np.abs(raw.vertices).max())
        for step in (
            lambda found, tolerance=tolerance: weld(found, tolerance),
            lambda found: (without_collapsed(found)[0], find_defects(found))[0],
            lambda found: (separate_fans(found), pieces_of(found))[0],
            lambda found, tolerance=tolerance: (found, find_crossings(found, tolerance))[0],
            lambda found: (found, count_charts(found, 0.7))[0],
            lambda found: (found, find_thinnest(found))[0],
        ):
            seconds, raw = best(step, raw)
            times.append(seconds)
        print(f"{len(mesh.triangles):>10} " + " ".join(f"{seconds:10.3f}" for seconds in times))


if __name__ == "__main__":
    main()
