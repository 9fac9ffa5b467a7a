"""What a contact point costs in a step by the built-in law, and by routines of users.

    python bench/routines.py

A hundred balls lie on a floor; the force is IMPACT's, built in and by routines: compiled from Python, in C (where there
is a compiler `cc`) and called as Python.  Compilation is left out.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation

BALLS = 100
HEAD = "(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):"
PYTHON = f"""
LAST = {{}}


def CNFSUB{HEAD}
    return [max(par[0] * (-gap) ** par[1] - par[2] * gapdot, 0.0), 0.0, 0.0]


def SLOW{HEAD}
    LAST["gap"] = gap
    return [max(par[0] * (-gap) ** par[1] - par[2] * gapdot, 0.0), 0.0, 0.0]
"""
C = """#include <math.h>
void CNFSUB(int *id, double *time, double *par, int *npar, double *loci, double *ni, double *locj, double *nj,
            double *gap, double *gapdot, double *gapdotdot, int *dflag, int *iflag, double *result)
{
    result[0] = *iflag ? 0 : fmax(par[0] * pow(-*gap, par[1]) - par[2] * *gapdot, 0);
}
"""
BUILT_IN = "/INTER/IMPACT/1", "1e6, 1.4, 10, 1e-9"


def by_routine(routine: str) -> tuple[str, str]:
    """Header and law of the interface."""
    return "/INTER/USERCNF/1", f"{routine}\n3\n1e6, 1.4, 10"


def deck(header: str, law: str) -> str:
    """The balls on the floor; surfaces are 1 to BALLS, their union, and the floor."""
    lines = ["#RADIOSS STARTER", "/BEGIN", "balls", f"{2022:>10}{0:>10}", "kg, m, s", "kg, m, s", "/NODE"]
    lines += [f"{k}, {k}, 0, 0.0999" for k in range(1, BALLS + 1)]
    groups = ["".join(f"{k:>10}" for k in range(first, first + 10)) for first in range(1, BALLS + 1, 10)]
    lines += ["/GRNOD/NODE/1", "balls", *groups, "/ADMAS/0/1", "mass", "1.0, 1"]
    lines += ["/GRAV/1", "weight", f"{0:>10}{'Z':>10}{0:>10}{0:>10}{1:>10}{'':10}{1:>20}{-9.81:>20}"]
    for k in range(1, BALLS + 1):
        lines += [f"/SURF/SPHERE_SOLID/{k}", "ball", f"{k}, 0", "0, 0, 0", "0.1"]
    lines += [f"/SURF/SURF/{BALLS + 1}", "balls", *groups]
    lines += [f"/SURF/PLANE_SOLID/{BALLS + 2}", "floor", "0, 0", "0, 0, 0", "0, 0, 1"]
    lines += [header, "contact", f"{BALLS + 1}, {BALLS + 2}", ",", law]
    return "\n".join([*lines, "/RUN/balls/1", "10.0", "/TFILE", "10.0", "/DTIX", "1e-4, 1e-4", "/END", ""])


def microseconds(path: Path, steps: int) -> float:
    """Per point and step."""
    simulation = Simulation(read_deck(path), allow_user_code=True)
    simulation.advance(steps)
    best = float("inf")
    for _ in range(3):
        done, start = simulation.step, time.perf_counter()
        simulation.advance(steps)
        best = min(best, (time.perf_counter() - start) / (simulation.step - done))
    return best / BALLS * 1e6


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "routines.py").write_text(PYTHON)
        (folder / "routines.c").write_text(C)
        cases = {
            "IMPACT, built in": (BUILT_IN, 4096),
            "Python, compiled": (by_routine("routines.py CNFSUB"), 4096),
            "Python, not compiled": (by_routine("routines.py SLOW"), 4096),
        }
        compiler = shutil.which("cc")
        if compiler is not None:
            command = [compiler, "-O2", "-shared", "-fPIC", "-o", "routines.so", "routines.c", "-lm"]
            subprocess.run(command, cwd=folder, check=True)
            cases["C"] = by_routine("routines.so CNFSUB"), 4096
        print(f"{'force':<24}{'us per point and step':>24}")
        for what, (law, steps) in cases.items():
            (folder / "balls.rad").write_text(deck(*law))
            print(f"{what:<24}{microseconds(folder / 'balls.rad', steps):>24.3f}", flush=True)


if __name__ == "__main__":
    main()
