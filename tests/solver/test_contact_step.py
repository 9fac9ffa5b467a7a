"""The time step that contacts ask for: automatic ones resolve every bounce, imposed ones are warned of."""

from __future__ import annotations

import math

import pytest
from gsolve.parser.model_contact import ImpactLaw
from gsolve.solver.contact_step import bounce_factor
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
    messages = [message for message in simulation.messages if "is too long for contacts" in message]
    assert len(messages) == (1 if told else 0)
