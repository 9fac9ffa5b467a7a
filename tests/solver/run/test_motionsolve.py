"""Functions of MotionSolve that routines may call, as they are compiled and as they stand in Python."""

from __future__ import annotations

import naive.run as twin
import numpy as np
import pytest
from gsolve.solver.run import motionsolve
from naive.contact import step

FUNCTIONS = {"compiled": motionsolve.COMPILED, "plain": motionsolve.PLAIN}


@pytest.mark.parametrize("functions", FUNCTIONS.values(), ids=FUNCTIONS)
def test_step_and_impact_are_those_of_the_manual(functions):
    random = np.random.default_rng(1)
    forces = []
    for _ in range(200):
        x, xdot, x0, h0, h1 = random.normal(size=5)
        x1 = x0 + 10 ** random.uniform(-2, 1)
        value, wrong = functions["py_step"](x, x0, h0, x1, h1, 0)
        assert value == pytest.approx(step(x, x0, h0, x1, h1), rel=1e-13, abs=1e-14) and not wrong
        k, e, cmax, d = 10 ** random.uniform(-1, 3), random.uniform(0.5, 3.0), *10 ** random.uniform(-1, 1, 2)
        (force,), wrong = functions["py_impact"](x, xdot, x0, k, e, cmax, d, 0)
        assert force == pytest.approx(twin.impact(x, xdot, x0, k, e, cmax, d), rel=1e-12, abs=1e-12) and not wrong
        forces.append(force)
    assert 20 < np.count_nonzero(forces) < 180
