"""The time loop: its grid, damped forces, energies that close, chord iterations, start of a run."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gsolve.solver.constraints import kkt_pattern
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine, Z


def oscillator(t_end=2.0, every=0.1, damping=0.0, gravity=0.0):
    """Two masses of 2 and 3 kg on a spring of 480 N/m."""
    machine = Machine([(0, 0, 0), (1, 0, 0)], t_end=t_end, every=every)
    machine.mass(1, 2.0)
    machine.mass(2, 3.0)
    machine.spring(1, 2, 480.0, damping)
    machine.velocity([2], (0.5, 0.0, 0.0))
    if gravity:
        machine.gravity([1, 2], "Z", gravity)
    return machine


def test_undamped_oscillator_is_the_leapfrog_solution_to_round_off():
    """Relative motion of reduced mass 1.2: sin(n phi) with 2 sin(phi/2) = omega dt."""
    dt = 1e-2
    run = oscillator().run(dt)
    phi = 2 * np.arcsin(0.5 * np.sqrt(480.0 / 1.2) * dt)
    n = np.round(run.times / dt)
    expected = 0.5 * dt * np.sin(n * phi) / np.sin(phi)
    np.testing.assert_allclose(run.node("DX", 2) - run.node("DX", 1), expected, atol=1e-14)


def test_energy_of_a_spring_and_masses_closes_exactly_on_this_grid():
    run = oscillator(gravity=-9.81).run(1e-2)
    assert np.ptp(run.energy("spring")) > 0.1
    assert np.ptp(run.energy("gravity")) > 90.0
    np.testing.assert_allclose(run.energy("error"), 0.0, atol=3e-13 * np.max(np.abs(run.energy("gravity"))))


def test_damped_forces_see_the_velocity_of_their_own_time():
    """Second order: the error of a damped oscillation falls by four with half the step; the damper's work is booked."""
    errors = []
    for dt in (4e-3, 2e-3):
        run = oscillator(damping=4.0).run(dt)
        decay, omega = 4.0 / 2.4, np.sqrt(480.0 / 1.2 - (4.0 / 2.4) ** 2)
        expected = 0.5 / omega * np.exp(-decay * run.times) * np.sin(omega * run.times)
        errors.append(np.max(np.abs(run.node("DX", 2) - run.node("DX", 1) - expected)))
        np.testing.assert_allclose(run.energy("error"), 0.0, atol=2e-4 * dt / 4e-3)
        assert run.energy("damping_dissipated")[-1] > 0.1
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_free_flight_of_a_spinning_spring_pair_keeps_all_momenta():
    machine = oscillator()
    machine.velocity([1, 2], [(0.3, 0.1, -0.2), (0.5, 1.0, 0.4)])
    run = machine.run(1e-3)
    for axis in "xyz":
        for name in ("momentum_", "angular_momentum_"):
            kept = run.diag(name + axis)
            np.testing.assert_allclose(kept, kept[0], atol=1e-12)


def test_initial_velocities_are_projected_to_the_nearest_consistent_ones_by_kinetic_energy():
    """A gear pair with only shaft 1 spinning: I1 w1 + I2 w2 with weights of least energy."""
    alpha, i1, i2, start = 0.5, 0.02, 0.08, 10.0
    machine = Machine([(0, 0, 0), (0, 0, 0), (0.3, 0, 0)], t_end=0.1, every=0.05)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], alpha, 1.0, [1.0, i1, i2])
    machine.hold([1], "111 111")
    machine.velocity([2], None, (0.0, 0.0, start))
    run = machine.run(1e-3)
    w1 = i1 * start / (i1 + alpha**2 * i2)
    np.testing.assert_allclose(run.joint("VEL1"), w1, rtol=1e-13)
    np.testing.assert_allclose(run.joint("VEL2"), -alpha * w1, rtol=1e-13)
    loss = 0.5 * i1 * start**2 - 0.5 * (i1 + alpha**2 * i2) * w1**2
    np.testing.assert_allclose(run.energy("impact_loss"), loss, rtol=1e-12)
    (warning,) = run.simulation.warnings
    assert warning.severity == "warning"
    assert warning.message == (
        "the initial velocities violate /GJOINT/GEAR/1, ratio and were changed to the nearest consistent ones, "
        f"most at node 2, by {start - w1:.6g} rad/s; kinetic energy lost: "
        f"{loss:.6g} J"
    )


def test_speeds_that_are_rounding_are_projected_in_silence():
    """A body that spins about its reference point, whose speed is what is left of a sum that is zero."""
    machine = Machine([(0, 0, 0), (0, 0, 0), (0.3, 0, 0)], t_end=0.1, every=0.05)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], 1 / 3, 1.0, 0.01)
    machine.hold([1], "111 111")
    machine.velocity([2, 3], [(1e-16, 0, 0), (0, -1e-16, 0)], [(0, 0, 10.0), (0, 0, -10 / 3)])
    assert machine.run(1e-3).simulation.warnings == []


def test_initial_velocities_rounded_like_a_deck_are_projected_in_silence():
    machine = Machine([(0, 0, 0), (0, 0, 0), (0.3, 0, 0)], t_end=0.1, every=0.05)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], 1 / 3, 1.0, 0.01)
    machine.hold([1], "111 111")
    machine.velocity([2, 3], None, [(0, 0, 10.0), (0, 0, -3.3333333)])
    run = machine.run(1e-3)
    assert run.simulation.warnings == []
    np.testing.assert_allclose(run.joint("VEL2"), -run.joint("VEL1") / 3, rtol=1e-13)


def test_the_start_of_a_drive_at_speed_is_no_loss():
    machine = Machine([(0, 0, 0)], t_end=0.1, every=0.05)
    machine.mass(1, 2.0)
    machine.drive("VEL", 1, "X", 0, scale=3.0)
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.node("VX", 1), 3.0, rtol=1e-12)
    assert np.all(run.energy("impact_loss") >= 0.0)


# ---- matrices --------------------------------------------------------------------------------------------------


def train(held="000 000", shafts=8, t_end=0.05):
    machine = Machine([(0, 0, 0), *((0.1 * k, 0.05 * (-1) ** k, 0.02 * k) for k in range(shafts))], t_end, every=0.01)
    machine.mass(1, 5.0)
    for k in range(shafts - 1):
        masses, inertias = [0, 1.0 if k == 0 else 0, 1.0], [0.5 if k == 0 else 0, 0.01 if k == 0 else 0, 0.01]
        machine.joint("GEAR", [1, k + 2, k + 3], [Z, Z], 0.8, masses, inertias)
    machine.hold([1], held)
    machine.load(2, "ZZ", 1.0)
    machine.load(1, "Y", 1.0)
    return machine


@pytest.mark.parametrize("held", ["000 000", "100 001", "111 000", "000 111"])
def test_a_housing_is_the_same_machine_with_and_without_a_block_of_its_own(monkeypatch, held):
    """HUB_ROWS only decides how the matrix is factorised; corrections stay few."""
    with_hub = train(held).run(1e-3)
    monkeypatch.setattr(kkt_pattern, "HUB_ROWS", 10_000)
    without = train(held).run(1e-3)
    for shaft in (2, 5, 9):
        np.testing.assert_allclose(with_hub.node("DRZ", shaft), without.node("DRZ", shaft), atol=1e-12)
    np.testing.assert_allclose(with_hub.vector("D", 1), without.vector("D", 1), atol=1e-12)
    assert max(with_hub.diag("iterations")) <= max(without.diag("iterations")) + 1


def test_redundant_rows_of_a_small_machine_beside_a_hub_do_no_harm():
    """Two held housings that carry the same shafts, next to a train on a free housing."""
    machine = train()
    first = len(machine.model.nodes.ids) + 1
    more = [(10.0, 0, 0), (11.0, 0, 0), (10.5, 0, 0), (10.7, 0, 0)]
    nodes = machine.model.nodes
    nodes.ids = np.concatenate([nodes.ids, np.arange(first, first + 4)])
    nodes.coordinates = np.concatenate([nodes.coordinates, np.array(more)])
    machine.hold([first, first + 1], "111 111")
    machine.joint("GEAR", [first, first + 2, first + 3], [Z, Z], 0.5, [0, 1, 1], [0, 0.01, 0.01])
    machine.joint("GEAR", [first + 1, first + 2, first + 3], [Z, Z], 0.5)
    machine.load(first + 2, "ZZ", 1.0)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.joint("VEL1", 7), run.times / (0.01 * 1.25), rtol=1e-9)


def test_redundant_rows_are_met_counted_and_named():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0.5, 0, 0), (0.7, 0, 0)], t_end=0.1, every=0.02)
    machine.hold([1, 2], "111 111")
    machine.joint("GEAR", [1, 3, 4], [Z, Z], 0.5, [0, 1, 1], [0, 0.01, 0.01])
    machine.joint("GEAR", [2, 3, 4], [Z, Z], 0.5)
    machine.load(3, "ZZ", 1.0)
    machine.load(3, "X", 7.0)
    run = machine.run(1e-3)
    np.testing.assert_allclose(run.joint("VEL1"), run.times / (0.01 * 1.25), rtol=1e-9)
    assert run.simulation.degrees_of_freedom == 1
    assert len(run.simulation.redundant_rows) == 11
    assert np.max(run.diag("constraint_violation")) < 1e-14
    total = run.joint_vector("F", 1, 0) + run.joint_vector("F", 1, 1)
    np.testing.assert_allclose(total, np.tile([-7.0, 0.0, 0.0], (len(run.times), 1)), atol=1e-9)


def test_a_row_that_nothing_can_meet_is_named():
    """Both shafts of a gear are driven the same way, which its ratio does not allow."""
    machine = Machine([(0, 0, 0), (0.5, 0, 0), (0.7, 0, 0)], t_end=0.1, every=0.02)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], 0.5, [1, 1, 1], [1, 0.01, 0.01])
    machine.hold([1], "111 111")
    machine.drive("VEL", 2, "ZZ", "t")
    machine.drive("VEL", 3, "ZZ", "t")
    with pytest.raises(SimulationError) as caught:
        machine.run(1e-2)
    assert re.fullmatch(
        r"/IMPVEL/6 on node 3 \(stub\.rad:1\) asks for a motion that contradicts /GJOINT/GEAR/1, ratio \(stub\.rad:1\) "
        r"and /IMPVEL/4 on node 2 \(stub\.rad:1\): at step 0, t = 0 s it is off by 7\.5e-05; take one of them away, or "
        r"let them agree",
        caught.value.message,
    ), caught.value.message
