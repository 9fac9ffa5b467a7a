"""The time step that contacts ask for: automatic ones resolve every bounce, imposed ones are warned of."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from gsolve.parser.model import ImpactLaw, PoissonLaw
from gsolve.solver.contact.step_limits import bounce_factor
from hand_models import Machine, collect

# Duration of a Hertz impact over depth/velocity: (4/5) Gamma(2/5) Gamma(1/2)/Gamma(9/10).
HERTZ = 0.8 * math.gamma(0.4) * math.gamma(0.5) / math.gamma(0.9)


def test_a_bounce_lasts_as_long_as_half_an_oscillation_or_a_hertz_impact():
    assert bounce_factor(1.0) == pytest.approx(math.pi, rel=1e-14)
    # T = HERTZ z/v, with k = 1.5 K z^0.5 and v^2 = 0.8 K z^2.5/m
    assert bounce_factor(1.5) == pytest.approx(HERTZ * math.sqrt(1.5 / 0.8), rel=1e-14)


def falling_ball(stiffness, exponent, damping=0.0):
    """A ball of 1 kg that falls 50 mm to a floor, which it leaves as fast as it came."""
    machine = Machine([(0, 0, 0.15)], t_end=0.2, every=0.01)
    machine.mass(1, 1.0)
    machine.gravity([1], "Z", -9.81)
    law = ImpactLaw(stiffness, exponent, damping, 1e-4)
    machine.contact([machine.solid("SPHERE", 1, 0.1)], [machine.solid("PLANE", 0)], law)
    return machine


@pytest.mark.parametrize(("stiffness", "exponent"), [(1e7, 1.0), (1e9, 1.5)])
def test_an_automatic_step_resolves_the_bounce_with_twenty_steps(stiffness, exponent):
    simulation = falling_ball(stiffness, exponent).simulation()
    run = collect(simulation)
    speed = math.sqrt(2 * 9.81 * 0.05)
    depth = ((exponent + 1) * speed**2 / (2 * stiffness)) ** (1 / (exponent + 1))
    duration = (math.pi if exponent == 1.0 else HERTZ) * depth / speed
    # halved from a thousandth of the run, so that it is within a factor of two of what is asked for; a step that meets
    # the deepest point from the side finds a stiffness that is a little too small
    assert duration / 41 < simulation.dt < 1.02 * duration / 20
    (message,) = simulation.messages
    assert message.startswith("time step halved to ")
    assert message.endswith(" of the time of a bounce in /INTER/7")
    assert run.energy("total")[-1] == pytest.approx(run.energy("total")[0], abs=2e-3 * 9.81 * 0.05)


def test_damping_limits_the_automatic_step_as_well():
    simulation = falling_ball(1e5, 1.0, damping=2e4).simulation()
    collect(simulation)
    assert simulation.dt <= 2 * 0.9 / 2e4
    assert "it is longer than the stable step of damping in /INTER/7" in simulation.messages[-1]


@pytest.mark.parametrize(("steps", "told"), [(12, False), (8, True)])
def test_an_imposed_step_with_fewer_than_ten_steps_a_bounce_is_warned_of_once(steps, told):
    simulation = falling_ball(1e7, 1.0).simulation(math.pi / math.sqrt(1e7) / steps)
    collect(simulation)
    told_of = [warning for warning in simulation.new_warnings if "is too long for contacts" in warning.message]
    assert len(told_of) == (1 if told else 0)


def shot_at_a_plate(speed):
    """A ball of radius 10 mm, flying at a plate as thick that stands on the ground; a run of 1 s."""
    machine = Machine([(-1.0, 0, 0)], t_end=1.0, every=0.1)
    machine.mass(1, 0.1)
    machine.velocity([1], (speed, 0, 0))
    plate = machine.solid("BOX", 0, 0.01, 1.0, 1.0)
    machine.contact([machine.solid("SPHERE", 1, 0.01)], [plate], PoissonLaw(1e10, 1.0, 0.1))
    return machine


def test_an_automatic_step_is_too_short_to_fly_through_a_solid():
    simulation = shot_at_a_plate(50.0).simulation()
    run = collect(simulation)
    assert run.node("VX", 1)[-1] == pytest.approx(-50.0, rel=2e-3)
    assert "pass half the smallest half extent of them" in simulation.messages[0]


def test_an_imposed_step_that_may_fly_through_a_solid_is_warned_of():
    simulation = shot_at_a_plate(50.0).simulation(1e-3)
    collect(simulation)
    (warning,) = simulation.new_warnings
    assert warning.message.startswith("the imposed time step 0.001 is too long for contacts: ")


def test_solids_that_fly_together_do_not_limit_the_step():
    machine = Machine([(0, 0, 0), (0, 0, 0.0199)], t_end=1.0, every=0.1)
    for node in (1, 2):
        machine.mass(node, 0.1)
    machine.velocity([1, 2], (1e3, 0, 0))
    balls = [machine.solid("SPHERE", node, 0.01) for node in (1, 2)]
    machine.contact([balls[0]], [balls[1]], PoissonLaw(1.0, 1.0, 0.1))
    simulation = machine.simulation()
    collect(simulation)
    assert not any("half extent" in message for message in simulation.messages)


def test_a_contact_that_becomes_deeper_than_pen_max_is_warned_of():
    machine = falling_ball(1e5, 1.0)
    depth = np.sqrt(2 * 9.81 * 0.05 / 1e5)
    machine.model.contacts[0].greatest_penetration = 0.5 * depth
    simulation = machine.simulation(1e-5)
    run = collect(simulation)
    (warning,) = simulation.new_warnings
    told = re.fullmatch(
        r"a contact is ignored from t = (\S+) s on: its penetration (\S+) m is more than pen_max", warning.message
    )
    at, found = float(told[1]), float(told[2])
    assert at == pytest.approx(math.sqrt(2 * 0.05 / 9.81), abs=1e-2)
    assert found == pytest.approx(0.5 * depth, rel=0.05)
    assert run.node("VZ", 1)[-1] < 0.0


def test_solids_deep_in_each_other_when_an_interface_begins_to_act_are_warned_of():
    machine = falling_ball(1e5, 1.0)
    machine.model.contacts[0].t_start = 0.15
    simulation = machine.simulation(1e-5)
    collect(simulation)
    (warning,) = simulation.new_warnings
    depth = 0.5 * 9.81 * 0.15**2 - 0.05
    assert warning.message.startswith(f"solids overlap by {depth:.5g}")
    assert warning.message.endswith("when it begins to act at t = 0.15 s, much of their size")
