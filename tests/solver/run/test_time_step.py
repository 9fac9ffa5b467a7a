"""The choice of the time step and the reason given for it."""

from types import SimpleNamespace

import numpy as np
import pytest
from gsolve.parser.model import Engine
from gsolve.solver.forces.joint_forces import JOINT_FORCE
from gsolve.solver.forces.springs import SPRING
from gsolve.solver.run.time_step import choose_time_step
from spring_rig import Rig, bodies_of, dof, spring


def choose(engine=None, imposed=None, stiffness=0.0, damping=0.0, spin=0.0, t_end=1.0, interval=0.01):
    """A mass of 1 on the ground by one spring, beside a body of inertia 2 with angular momentum 2 * spin."""
    rig = Rig(spring("TYPE4", [dof(stiffness=stiffness, damping=damping)], nodes=(0, 3), number=12), arms=False)
    bodies = bodies_of([0, 1.0, 1.0, 1.0])
    bodies["inverse_inertia"][2] = 0.5 * np.eye(3)
    bodies["momentum"][2] = [0.0, 2.0 * spin, 0.0]
    model = SimpleNamespace(engine=engine or Engine(), springs=rig.model.springs)
    springs = rig.springs if stiffness or damping else np.zeros(0, SPRING)
    system = SimpleNamespace(springs=springs, joint_forces=np.zeros(0, JOINT_FORCE), bodies=bodies, tables=rig.tables)
    return choose_time_step(model, system, t_end, interval, imposed)


@pytest.mark.parametrize(
    ("given", "value", "reason"),
    [
        (dict(interval=1e-4), 1e-4, "the sampling interval"),
        (dict(), 1e-3, "a thousandth of the run"),
        (dict(spin=100.0), 2e-4, "0.02 rad a step of the fastest body"),
        (dict(engine=Engine(dt_initial=1e-6, dt_max=5e-4)), 5e-4, "Dt_max of /DTIX"),
        (dict(stiffness=4e8), 9e-5, "0.9 of the stable step 0.0001 of spring 12 ('coil', /PROP/TYPE4/3)"),
        (dict(damping=2e4), 9e-5, "0.9 of the stable step 0.0001 of damper 12 ('coil', /PROP/TYPE4/3)"),
        (
            dict(stiffness=4e8, engine=Engine(dt_scale=0.5)),
            5e-5,
            "0.5 of the stable step 0.0001 of spring 12 ('coil', /PROP/TYPE4/3)",
        ),
    ],
)
def test_the_tightest_limit_decides_and_is_named(given, value, reason):
    step = choose(**given)
    assert (step.reason, step.imposed, step.warning) == (reason, False, "")
    interval = given.get("interval", 0.01)
    assert step.value <= value * (1 + 1e-6)
    assert interval / step.value == pytest.approx(round(interval / step.value), abs=1e-9)
    assert step.value > interval / (interval / value + 1.001)


def test_a_limit_that_divides_the_interval_up_to_round_off_is_taken_whole():
    assert choose(t_end=0.3 * 1000, interval=0.9).value == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (dict(imposed=3e-4), "imposed on the command line"),
        (dict(engine=Engine(dt_initial=3e-4, dt_max=3e-4)), "imposed by /DTIX"),
        (dict(imposed=3e-4, engine=Engine(dt_initial=1e-4, dt_max=1e-4)), "imposed on the command line"),
    ],
)
def test_an_imposed_step_is_taken_as_it_is(given, reason):
    step = choose(**given)
    assert (step.value, step.reason, step.imposed, step.warning) == (3e-4, reason, True, "")


def test_an_imposed_step_beyond_stability_is_warned_about():
    step = choose(imposed=1e-3, stiffness=4e8)
    assert step.value == 1e-3
    assert step.warning == (
        "the imposed time step 0.001 is longer than the stable step 0.0001 of spring 12 ('coil', /PROP/TYPE4/3): "
        "the run may diverge"
    )
    assert choose(imposed=9e-5, stiffness=4e8).warning == ""
