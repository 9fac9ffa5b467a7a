"""Steps that are cut where shapes touch first, against a twin that cuts its own."""

from __future__ import annotations

import naive.contact as twin
import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.solver.contact.first_touch import first_root
from hand_models import Machine
from naive.interfaces import Interface
from step_rig import Kernels, Twin

DT = 1e-3
STIFFNESS = {1.0: 2e4, 1.5: 3e5}  # by exponent


@pytest.mark.parametrize("seed", range(40))
def test_the_first_root_of_a_parabola_is_that_of_a_root_finder(seed):
    random = np.random.default_rng(seed)
    gap, rate, acceleration = random.uniform(0.0, 2.0), *random.normal(size=2) * random.choice([0.01, 1.0, 3.0], 2)
    roots = np.roots([0.5 * acceleration, rate, gap])
    positive = roots[(roots.imag == 0.0) & (roots.real > 0.0)].real
    assert first_root(gap, rate, acceleration, 5.0) == pytest.approx(min([5.0, *positive]), rel=1e-12)


def test_a_gap_that_closes_steadily_and_one_that_stays():
    assert first_root(2.0, -4.0, 0.0, 5.0) == 0.5
    assert first_root(2.0, 0.0, 0.0, 5.0) == first_root(2.0, 1.0, 0.0, 5.0) == 5.0


def balls():
    """One ball above another above a floor, one of them off the centre of its body."""
    made = Machine([(0, 0, 0.103), (0.02, 0.01, 0.31)])
    made.velocity([1, 2], [(0.1, 0, -1.1), (0, 0, -1.6)], [(0, 2, 0), (1, 0, 0)])
    return made, [made.solid("SPHERE", 1, 0.1), made.solid("SPHERE", 2, 0.1, offset=(0.002, 0, 0))]


def box():
    """A box that falls on a corner of its own."""
    made = Machine([(0.5, 0, 0.114)])
    made.velocity([1], [(0.2, 0, -0.9)], [(0.5, 0.3, 0)])
    return made, [made.solid("BOX", 1, 0.1, 0.12, 0.2, offset=(0.002, 0, 0))]


def falling(machine, exponent):
    made, solids = machine()
    nodes = range(1, 1 + len(solids))
    for node in nodes:
        made.body(node, [], mass=0.7 + 0.3 * node, inertia=(0.02, 0.03, 0.025, 0.002, -0.001, 0.001))
    made.gravity(nodes, "Z", -9.81)
    law = ImpactLaw(STIFFNESS[exponent], exponent, 0.0, np.inf), twin.impact(STIFFNESS[exponent], exponent, 0.0, np.inf)
    made.contact([*solids, made.solid("PLANE", 0)], None, law[0], zero_crossing=True)
    kernels = Kernels(made, DT)
    of_twin = Twin(made, kernels)
    of_twin.interface(Interface, law[1], cuts=True)
    return kernels, of_twin


@pytest.mark.parametrize("machine", [balls, box])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_steps_are_cut_at_the_first_touch_and_go_on_as_those_of_the_twin(exponent, machine):
    """With all of its force in the first and the last kick of a contact where that is linear."""
    kernels, of_twin = falling(machine, exponent)
    moving = of_twin.machine()
    bodies, interfaces = kernels.system.bodies, of_twin.interfaces
    cuts, numbers = 0, []
    for _ in range(60):
        kernels.step(DT)
        left = DT
        while left > 0.0:
            length = min(interface.time_to_touch(moving, left) for interface in interfaces)
            length = left if not 1e-3 * left <= length <= (1 - 1e-3) * left else length * (1 + 1e-9)
            cuts += length < left
            moving.step(length)
            for interface in interfaces:
                interface.add_work(moving)
            moving.commit()
            left -= length
            numbers.append(sum(len(interface.touches) for interface in interfaces))
        np.testing.assert_allclose(bodies["displacement"], moving.bodies["displacement"], rtol=0, atol=1e-11)
        np.testing.assert_allclose(bodies["velocity"], moving.bodies["velocity"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(bodies["momentum"], moving.bodies["momentum"], rtol=0, atol=1e-9)
        works = [interface.works[0] for interface in interfaces]
        np.testing.assert_allclose(kernels.system.contacts.interfaces["elastic_work"], works, rtol=0, atol=1e-9)
    assert cuts >= (2 if machine is balls else 1) and min(np.diff(numbers)) < 0
