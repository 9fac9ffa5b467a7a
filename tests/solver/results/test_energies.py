"""Energies of a run: kinetic energy in words of physics, and a balance that is exact for the scheme."""

from __future__ import annotations

import numpy as np
import pytest
from hand_models import Machine, Run

MASS, STIFFNESS, SPIN = 2.0, 80.0, (1.0, -2.0, 3.0)
INERTIA = np.array([0.4, 0.5, 0.7])


def swinging(speed: float, dt: float) -> Run:
    """A mass on a spring under gravity, and a body that tumbles while a moment acts on it."""
    machine = Machine([(0, 0, 0), (-5, 0, 0), (9, 9, 0), (9, 8, 0)], t_end=2.0, every=dt)
    machine.mass(1, MASS)
    machine.hold([2], "111 111")
    machine.spring(2, 1, STIFFNESS)
    machine.gravity([1], "X", 9.81)
    machine.body(3, [4], MASS, (*INERTIA, 0, 0, 0))
    machine.load(3, "ZZ", 1.5, "cos(3*t)")
    if speed:
        machine.velocity([1], (speed, 0.0, 0.0))
        machine.velocity([3], (0.0, 0.0, speed), tuple(speed * w for w in SPIN))
    return machine.run(dt)


def kinetic(run: Run) -> np.ndarray:
    return run.energy("kinetic_translational") + run.energy("kinetic_rotational")


@pytest.mark.parametrize("dt", [0.05, 0.01])
@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_kinetic_energy_is_that_of_the_velocities_and_never_negative(speed, dt):
    """At t = 0 that of the initial velocities, also of what forces accelerate: 0 of a machine at rest."""
    run = swinging(speed, dt)
    moves = 0.5 * MASS * (run.node("VX", 1) ** 2 + run.node("VZ", 3) ** 2)
    np.testing.assert_allclose(run.energy("kinetic_translational"), moves, rtol=1e-12, atol=1e-15)
    for name in ("kinetic_translational", "kinetic_rotational"):
        assert run.energy(name).min() >= 0.0
    turns = 0.5 * np.sum(INERTIA * np.square(SPIN)) * speed**2
    assert run.energy("kinetic_translational")[0] == pytest.approx(MASS * speed**2, rel=1e-14)
    assert run.energy("kinetic_rotational")[0] == pytest.approx(turns, rel=1e-14)
    assert (kinetic(run)[0] + run.energy("kinetic_correction")[0] < 0.0) == (speed == 0.0)


def test_the_balance_is_exact_with_the_kinetic_energy_of_half_steps():
    """A mass on a spring closes to round-off; without the correction it would not."""
    run = swinging(0.3, 0.01)
    terms = run.energy("total") + run.energy("kinetic_correction")
    terms -= run.energy("external_work") + run.energy("drive_work")
    np.testing.assert_allclose(run.energy("error"), terms - terms[0], atol=1e-13)
    machine = Machine([(0, 0, 0), (-5, 0, 0)], t_end=2.0, every=0.01)
    machine.mass(1, MASS)
    machine.hold([2], "111 111")
    machine.spring(2, 1, STIFFNESS)
    machine.velocity([1], (0.3, 0.0, 0.0))
    alone = machine.run(0.01)
    assert np.abs(alone.energy("error")).max() < 1e-14
    assert np.ptp(alone.energy("total")) > 1e-6


def test_the_correction_is_of_second_order():
    """-m (dt a)^2/8 of translation, as v(n-1/2) and v(n+1/2) are v(n) -+ a dt/2."""
    for dt in (0.02, 0.01):
        machine = Machine([(0, 0, 0)], t_end=1.0, every=dt)
        machine.mass(1, MASS)
        machine.gravity([1], "X", 9.81)
        run = machine.run(dt)
        np.testing.assert_allclose(run.energy("kinetic_correction"), -MASS * (9.81 * dt) ** 2 / 8, rtol=1e-9)
