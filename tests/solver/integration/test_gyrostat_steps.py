"""Shafts on bodies among joints of all kinds, step by step against a leapfrog of dense matrices."""

from __future__ import annotations

import naive.integration as twin
import numpy as np
import pytest
from gsolve.parser.model import JointForce
from gsolve.solver.integration.gyrostats import advance_gyrostats
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine

Z, DT, RATIO, STIFFNESS = (0.0, 0.0, 1.0), 2e-3, -0.4, 3.0
INERTIA = np.array(
    [0.3 + 0.2, 0.02, 0.05]
)  # of the carrier and what is fixed to it, of its shaft, of one on the ground


def geared_turret() -> Machine:
    """A carrier on a hinge (1), a body fixed to it (2), a shaft on it (3) in gear with one on the ground (4)."""
    made = Machine([(0, 0, 0.0)] * 4 + [(0, 0, 0.1)] * 4, t_end=0.4, every=0.04)
    for node, inertia in ((1, 0.3), (2, 0.2), (3, 0.02), (4, 0.05)):
        made.body(node, [node + 4], mass=1.0, inertia=(inertia,) * 3 + (0.0,) * 3, icog=3)
    made.pair("REVOLUTE", 0, 1, Z)
    made.pair("FIXED", 1, 2, Z)
    made.pair("REVOLUTE", 1, 3, Z)
    made.pair("REVOLUTE", 0, 4, Z)
    made.model.joints[2].rotation = JointForce(stiffness=STIFFNESS)
    made.couple("R2R", (3, 1), (4, 0), RATIO)
    made.load(3, "ZZ", 0.8, "1+sin(20*t)")
    made.load(2, "ZZ", 0.3)
    return made


def test_a_turret_with_a_geared_shaft_is_a_leapfrog_of_two_angles():
    """Spins: the carrier's angle and that of the shaft against it, which the ratio ties to the shaft on the ground."""
    assert advance_gyrostats.__doc__
    made = geared_turret()
    simulation = Simulation(made.model, dt=DT)
    simulation.start()
    assert [(found.rotors, found.carriers, found.spins) for found in simulation.condensation.gyrostats] == [(2, 2, 2)]
    results = made.run(DT)

    def moments(t, angles):
        spring = -STIFFNESS * (angles[1] - angles[0])
        return np.array([0.3 - spring, 0.8 * (1 + np.sin(20 * t)) + spring, 0.0])

    shares = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0 / RATIO]])
    times, angles, rates = twin.leapfrog(shares, INERTIA, DT, 200, elastic=moments, damping=np.zeros((3, 3)))
    np.testing.assert_allclose(results.times, times[::20])
    for column, node in enumerate((1, 3, 4)):
        np.testing.assert_allclose(results.node("DRZ", node), angles[::20, column], atol=1e-12)
        np.testing.assert_allclose(results.node("VRZ", node), rates[::20, column], atol=1e-11)
    np.testing.assert_allclose(results.coupler("PHI2"), angles[::20, 2], atol=1e-12)
    energy = results.energy("total")
    assert np.max(np.abs(results.energy("error"))) <= 1e-3 * np.abs(energy).max()


@pytest.mark.parametrize("every", [0.02, 0.08])
def test_motion_does_not_depend_on_when_samples_are_taken(every):
    made = geared_turret()
    made.model.engine.sampling_interval = every
    assert made.run(DT).node("DRZ", 3)[-1] == geared_turret().run(DT).node("DRZ", 3)[-1]
