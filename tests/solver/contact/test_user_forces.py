"""Routines of the user in a small machine against a twin that calls the same functions from Python, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import PoissonLaw
from gsolve.parser.model import UserRoutine
from hand_models import Machine
from naive.interfaces import RoutineInterface
from step_rig import Kernels, Twin, compare_step
from stub_models import StubWhere

DT = 4e-5
PARAMETERS = (3e6, 2.0, 15.0, 0.3)  # of a whole exponent the energy of the overlap at t = 0 is found exactly
ROUTINES = """
import math


def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    place = 1.0 + loci[0] - 0.5 * loci[2] + 0.25 * ni[1] + 0.5 * locj[1] - 0.1 * nj[2] + 3.0 * time + 0.01 * id
    return [place * par[0] * max(-gap, 0.0) ** par[1] - par[2] * gapdot, 0.0, 0.0]


def CFFSUB(id, time, par, npar, loci, locj, x, xdot, nforce, dflag, iflag):
    most = par[npar - 1] * nforce * (1.0 + 0.5 * loci[1] + 0.5 * locj[0] + 5.0 * time)
    return [-most * math.tanh(xdot[0]) - 200.0 * x[0], 0.1 * most - 300.0 * x[1], 0.0]
"""


def rubbing_box():
    """A box on a floor of another body that turns, and a ball on the box's side of the same floor."""
    made = Machine([(0, 0, 0.048), (0, 0, -1), (0.4, 0.1, 0.095)])
    for node, mass in ((1, 1.0), (2, 6.0), (3, 0.8)):
        made.body(node, [], mass=mass, inertia=(0.05, 0.06, 0.07, 0.002, -0.003, 0.001))
    made.velocity([1, 2, 3], [(0.6, 0.1, -0.4), (0, 0, 0.1), (0, -0.5, -0.3)], [(0.4, 0.9, 1), (0, 0, 0.5), (2, 1, 0)])
    solids = [made.solid("BOX", 1, 0.2, 0.16, 0.1), made.solid("SPHERE", 3, 0.1, offset=(0.005, 0, 0))]
    return made, [made.solid("PLANE", 2, offset=(0, 0, 1.0))], solids


@pytest.mark.parametrize(
    "which, window",
    [("both", (0.0, np.inf)), ("normal force", (3 * DT, 9 * DT)), ("friction", (3 * DT, 9 * DT))],
    ids=["both, always", "normal force, for some time", "friction, for some time"],
)
def test_routines_move_bodies_step_by_step_as_in_the_twin(tmp_path, which, window):
    file = tmp_path / "routines.py"
    file.write_text(ROUTINES)
    names: dict = {}
    exec(ROUTINES, names)
    made, floor, solids = rubbing_box()
    normal, friction = (
        UserRoutine("PYTHON", str(file), name, np.array(PARAMETERS), StubWhere("/INTER/USERCNF", 1), "routine")
        for name in ("CNFSUB", "CFFSUB")
    )
    law = PoissonLaw(4e5, 1.0, 1.0) if which == "friction" else normal
    rubbing = None if which == "normal force" else friction
    interface = made.contact(floor, solids, law, rubbing, t_start=window[0], t_stop=window[1])
    kernels = Kernels(made, DT, passes=20)
    of_twin = Twin(made, kernels)

    def hertz(*arguments):
        return [4e5 * (-arguments[8]) ** 1.5, 0.0, 0.0]

    of_twin.interface(
        RoutineInterface, interface.id, hertz if which == "friction" else names["CNFSUB"],
        None if which == "normal force" else names["CFFSUB"], PARAMETERS, window,
    )  # fmt: skip
    machine, touches = of_twin.machine(), []
    for _ in range(12):
        compare_step(kernels, of_twin, machine, DT)
        touches = of_twin.interfaces[0].touches or touches
    assert len(touches) >= 5
    assert which == "normal force" or max(np.linalg.norm(touch.slipped) for touch in touches) > 1e-4
