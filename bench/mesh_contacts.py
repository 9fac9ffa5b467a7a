"""A spur pair that touches by its meshes, as a whole run: microseconds a step, ratio, force along the line of action.

    python bench/mesh_contacts.py             7k, 25k and 88k triangles, a minute
    python bench/mesh_contacts.py 20          one of them, in thousands

Pinion of 20 teeth at 100 rad/s, wheel of 40 with 20 N m against it, both on their shafts, their ends not flush; 1e-4
and 1e-3 rad a step.  A time is processor time of all steps of a run after its first ten, the least of three runs; what
it is over that of fewer triangles hardly depends on the machine.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.run.simulation import Simulation
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body

RUNS = 3
CASES = ((1e-6, 20000), (1e-5, 5000))  # length of a step, and how many
SPEED, TORQUE, STIFFNESS = 100.0, 20.0, 1.4e8
# segments of a flank, of a fillet, rows across the width, for about so many thousand triangles of both gears together
SIZES = {5: (5, 2, 2), 20: (10, 4, 5), 80: (22, 8, 10)}

DECK = """#RADIOSS STARTER
/BEGIN
spur pair by meshes
      2022         0
                  kg                   m                   s
                  kg                   m                   s
/NODE
1, 0, 0, 0
2, 0.06, 0, 3e-4
/RBODY/1
pinion
1, 0, 0, 3, 0.093
1.06e-5, 1.06e-5, 1.966e-5
0, 0, 0
/RBODY/2
wheel
2, 0, 0, 3, 0.3855
1.6e-4, 1.6e-4, 3.135e-4
0, 0, 0
/SURF/MESH/1
pinion
1, 0, 0, 1
1, 40,
0, 0, 0
one.off
/SURF/MESH/2
wheel
2, 0, 0, 1
1, 40,
0, 0, 0
other.off
/JOINT/REVOLUTE/1
shaft of the pinion
0, 1, 0
0, 0, 1
/JOINT/REVOLUTE/2
shaft of the wheel
0, 2, 0
0, 0, 1
/INTER/IMPACT/1
teeth
1, 2, {master}, 0, 0, 0
,
{stiffness}, 1.0, 1000, 1e-6
/FUNCT_EXPR/1
angle
{speed}*t
/DRIVE/ROT/1
motor
0, 1, 1, 0, 0, 0
1, 1, 0, 1e30
0, 0, 1
/GRNOD/NODE/1
pinion
         1
/GRNOD/NODE/2
wheel
         2
/INIVEL/ROT/1
pinion
0, 0, {speed}, 1
/INIVEL/ROT/2
wheel
0, 0, {half}, 2
/FUNCT/2
constant
0, 1
/CLOAD/1
load
         2        ZZ         0         0         2                             1{torque:>20}
/TH/INTER/1
all
/RUN/machine/1
{t_end}
/TFILE
{every}
/DTIX
{dt} {dt}
/END
"""


def pair_of_gears(size: int) -> tuple[TriangleMesh, TriangleMesh]:
    """Meshes of both gears, the wheel turned into mesh."""
    form = ToothForm(thinning=25e-6)
    wheels = CylindricalGear(20, 2e-3, form), CylindricalGear(40, 2e-3, form)
    flank, fillet, rows = SIZES[size]
    resolution = Resolution(flank=flank, fillet=fillet, land=2, rows=rows)
    one, other, _ = make_pair(wheels, (Body(10e-3, 8e-3), Body(10e-3, 10e-3)), resolution)
    return one.mesh, other.mesh


def write_mesh(path: Path, mesh: TriangleMesh) -> None:
    """An OFF file."""
    vertices = [" ".join(map(repr, vertex)) for vertex in mesh.vertices.tolist()]
    faces = [f"3 {a} {b} {c}" for a, b, c in mesh.triangles.tolist()]
    path.write_text("\n".join(["OFF", f"{len(vertices)} {len(faces)} 0", *vertices, *faces, ""]))


def write_gears(folder: Path, size: int) -> int:
    """Meshes of both gears as files; how many triangles they have."""
    one, other = pair_of_gears(size)
    write_mesh(folder / "one.off", one)
    write_mesh(folder / "other.off", other)
    return len(one.triangles) + len(other.triangles)


def simulation(folder: Path, dt: float, steps: int, every: float, master: int = 0) -> Simulation:
    deck = DECK.format(stiffness=STIFFNESS, speed=SPEED, half=-SPEED / 2, torque=TORQUE, t_end=steps * dt, every=every,
                       dt=dt, master=master)  # fmt: skip
    (folder / "machine.rad").write_text(deck)
    return Simulation(read_deck(folder / "machine.rad"), dt=dt)


def microseconds(folder: Path, dt: float, steps: int) -> float:
    """Per step."""
    least = math.inf
    for _ in range(RUNS):
        run = simulation(folder, dt, steps, steps * dt)
        run.advance(10)
        done = run.step
        start = time.process_time()
        while not run.finished:
            run.advance(steps)
        least = min(least, (time.process_time() - start) / (run.step - done))
    return 1e6 * least


def figures(folder: Path, dt: float, steps: int, master: int = 0) -> tuple[float, float, float]:
    """Error of the mean ratio, ripple of the speed, and force over that along the line of action less 1, each mean."""
    run, blocks = simulation(folder, dt, steps, dt, master), []
    while not run.finished:
        blocks.append(run.advance(steps))
    blocks = [block for block in blocks if len(block)]

    def of(group: str, name: str, column: int) -> np.ndarray:
        return np.concatenate([block.values[group][name][:, column] for block in blocks])

    half = steps // 2
    speed = of("th/node", "VRZ", 1)[half:]
    force = np.hypot(of("th/inter", "FNX", 0), of("th/inter", "FNY", 0))[half:]
    base = 0.04 * math.cos(math.radians(20.0))
    pitch = round(2 * math.pi / 20 / SPEED / dt)  # steps
    whole = len(speed) // pitch * pitch
    ratio = speed[-whole:].mean() / (-SPEED / 2)
    return ratio - 1.0, float(speed[-whole:].std() / (SPEED / 2)), float(force[-whole:].mean() / (TORQUE / base) - 1.0)


def print_growth(found: dict[int, dict[float, float]]) -> None:
    """Times over those of the fewest triangles, and of long steps over short ones; found : us by triangles and step."""
    fewest, *others = sorted(found)
    for triangles in others:
        ratios = (f"{found[triangles][dt] / found[fewest][dt]:.1f}" for dt, _ in CASES)
        print(f"{triangles / fewest:.1f} times as many triangles: {' and '.join(ratios)} times as long a step")
    for triangles, spent in sorted(found.items()):
        (short, _), (long, _) = CASES
        print(f"{triangles} triangles: a step {long / short:.0f} times as long takes {spent[long] / spent[short]:.1f} "
              "times as long")  # fmt: skip


def main() -> None:
    found: dict[int, dict[float, float]] = {}
    for size in map(int, sys.argv[1:] or SIZES):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            triangles = write_gears(folder, size)
            start = time.process_time()
            simulation(folder, 1e-6, 1, 1e-6)
            print(f"{triangles} triangles, read, checked and prepared in {time.process_time() - start:.1f} s")
            found[triangles] = {}
            for dt, steps in CASES:
                ratio, ripple, force = figures(folder, dt, steps)
                spent = found[triangles][dt] = microseconds(folder, dt, steps)
                print(f"    {SPEED * dt:.0e} rad a step: {spent:.1f} us; ratio off by {ratio:.0e}, ", end="")
                print(f"ripple {ripple:.1e}, force off by {force:.0e}", flush=True)
    print_growth(found)


if __name__ == "__main__":
    main()
