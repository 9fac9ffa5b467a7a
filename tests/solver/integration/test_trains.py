"""Trains of rotors step by step against a leapfrog of dense matrices, and what the recovery of a run asks of them."""

from __future__ import annotations

import naive.integration as twin
import numpy as np
import pytest
from gsolve.parser.model import JointForce
from gsolve.solver.assembly.condense import Train, condense
from gsolve.solver.integration.copies import changing_arrays, copied, restore
from gsolve.solver.integration.rotors import advance_rotors
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, unit

AXES = [unit((1.0, 2.0, -0.5)), unit((2.0, -1.0, 0.3)), unit((0.0, 1.0, 1.0))]
INERTIA, DT = np.array([0.02, 0.03, 0.05]), 2e-3


def differential() -> Machine:
    """A differential on the ground: a spring and a damper about its first shaft, a torque on its second."""
    made = Machine([(0, 0, 0), (0.2, 0.1, 0), (-0.1, 0.3, 0.2), (0.3, 0.3, 0.3)], t_end=0.2, every=0.02)
    made.joint("DIFF", [1, 2, 3, 4], AXES, 0.7, [1, 1, 1, 1], [0.1, *INERTIA])
    made.hold([1], "111 111")
    made.pair("REVOLUTE", 0, 2, AXES[0])
    made.model.joints[0].rotation = JointForce(stiffness=4.0, damping=0.05, free_value=0.1)
    made.load(3, "ZZ", 0.8, "1+sin(20*t)")
    return made


def test_a_differential_on_the_ground_is_a_leapfrog_of_two_spins():
    results = differential().run(DT)
    moment = 0.8 * AXES[1][2]
    times, angles, rates = twin.leapfrog(
        np.array([[1.0, 0.0], [0.0, 1.0], [-0.7, -1.0]]), INERTIA, DT, 100,
        elastic=lambda t, phi: np.array([-4.0 * (phi[0] - 0.1), moment * (1 + np.sin(20 * t)), 0.0]),
        damping=np.diag([0.05, 0.0, 0.0]),
    )  # fmt: skip
    for shaft in (1, 2, 3):
        np.testing.assert_allclose(results.joint(f"ANG{shaft}"), angles[::10, shaft - 1], atol=1e-13)
        np.testing.assert_allclose(results.joint(f"VEL{shaft}"), rates[::10, shaft - 1], atol=1e-12)
    np.testing.assert_allclose(results.times, times[::10])


def test_the_loop_goes_on_from_copies_with_the_same_bits():
    simulation = Simulation(differential().model, dt=DT, t_end=100.0)
    simulation.advance(50)
    system, step = simulation._system, simulation.step
    copies = copied(changing_arrays(system))
    simulation.advance(50)
    after = system.trains.spins.copy()
    restore(system, copies)
    simulation._machine.step = step
    simulation.advance(50)
    names = ("turns", "angle", "low", "momentum")
    assert all(np.array_equal(after[name], system.trains.spins[name]) for name in names)


@pytest.mark.parametrize("every", [0.02, 0.05])
def test_motion_does_not_depend_on_when_samples_are_taken(every):
    made = differential()
    made.model.engine.sampling_interval = every
    fine = differential().run(DT).joint("ANG1")[-1]
    assert made.run(DT).joint("ANG1")[-1] == fine


def test_subsystems_are_condensed_once_and_the_rest_is_left_alone():
    made = differential()
    simulation = Simulation(made.model, dt=DT, t_end=1.0, general=True)
    simulation.start()
    system = simulation._system
    condensed, found = condense(system)
    assert found.trains == [Train(joints=1, gears=False, rotors=3, spins=2, free=False)] and found.reasons == []
    assert condensed.bodies is system.bodies and condensed.rows is system.rows
    assert len(condensed.trains.spins) == 2 and advance_rotors.__doc__
