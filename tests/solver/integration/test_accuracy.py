"""Energy that rows gain or lose in a step, by dense matrices."""

from __future__ import annotations

import naive.core as core_twin
import numpy as np
import pytest
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.integration import accuracy
from hand_models import Machine
from naive import dense_jacobian

Z = (0.0, 0.0, 1.0)


@pytest.fixture
def system():
    """Two gears on a held carrier, driven, some steps on, with multipliers of two steps at random."""
    machine = Machine([(0, 0, 0), (1, 0, 0), (2, 0, 0)], t_end=0.1, every=0.1)
    machine.hold([1], "111 111")
    machine.joint("GEAR", [1, 2, 3], [Z, (0.6, 0.0, 0.8)], 0.3, 1.0, [1.0, 0.01, 0.02])
    machine.coordinate_drive("ROT", 1, 2, "t", level=1)
    simulation = machine.simulation(1e-3)
    simulation.advance(20)
    random, system = np.random.default_rng(4), simulation._system
    for name in ("multiplier", "previous_multiplier"):
        system.rows[name] = random.normal(size=len(system.rows))
    system.drives["last_target_step"] = 0.02
    return system


def spins(bodies):
    return np.array([core_twin.angular_velocity(body, body["momentum"]) for body in bodies])


def test_kinetic_energy_is_that_of_all_bodies(system):
    bodies = system.bodies
    expected = 0.5 * np.sum(bodies["mass"] * np.sum(bodies["velocity"] ** 2, axis=1))
    expected += 0.5 * np.sum(bodies["momentum"] * spins(bodies))
    (subsystem,) = system.subsystems
    assert accuracy.kinetic_energy(Reference(system), subsystem) == pytest.approx(expected, rel=1e-12)


def test_the_error_is_half_the_change_of_the_multipliers_times_what_rows_saw_of_the_step(system):
    rows, bodies, dt = system.rows, system.bodies, 0.01
    system.steps["previous_dt"] = dt
    moved = dt * np.concatenate([bodies["velocity"], spins(bodies)], axis=1).ravel()
    change = rows["multiplier"] - rows["previous_multiplier"]
    seen = dense_jacobian(rows, system.entries, len(bodies)) @ moved
    seen[system.drives["row"]] -= 0.02  # what a drive asked for is its work
    assert accuracy.energy_error(Reference(system), 0) == pytest.approx(0.5 * change @ seen, rel=1e-10)


def test_work_of_size_takes_each_multiplier_over_the_size_of_its_row(system):
    expected = np.abs(system.rows["multiplier"]) @ system.rows["scale"]
    (subsystem,) = system.subsystems
    assert accuracy.work_of_size(Reference(system), subsystem) == pytest.approx(expected, rel=1e-13)


def test_work_of_forces_takes_the_size_of_each_body_and_leaves_weight_out(system):
    random, bodies, dt = np.random.default_rng(5), system.bodies, 0.01
    system.steps["previous_dt"] = dt
    for name in ("elastic", "dissipative", "external"):
        bodies[name] = random.normal(size=(len(bodies), 6))
    bodies["gravity"] = random.normal(size=(len(bodies), 3))
    moved = np.concatenate([dt * bodies["velocity"], bodies["step_rotation"]], axis=1)
    force = bodies["elastic"] + bodies["dissipative"] + bodies["external"]
    expected = np.abs(np.sum(force * moved, axis=1)).sum()
    assert accuracy.work_of_forces(Reference(system), 0) == pytest.approx(expected, rel=1e-12)


def test_an_error_is_compared_with_the_work_of_forces_where_that_is_more_but_not_in_parts(system):
    (subsystem,), (step,) = system.subsystems, system.steps
    subsystem["largest_kinetic"], subsystem["energy_tolerance"] = 2.0, 1e-3
    share = accuracy.PART_OF_WORK / accuracy.LARGEST_ERROR
    for rough, work, scale in ((0, 0.5 * 2.0 / share, 2.0), (0, 3.0 * 2.0 / share, 6.0), (1, 3.0, 2.0)):
        subsystem["rough"] = rough
        for error in (-1e-3 * scale * 0.999, 1e-3 * scale * 1.001):
            is_large = abs(error) > 1e-3 * scale
            assert accuracy.is_large_beside_motion(subsystem, step, error, 1.9) == (abs(error) > 2e-3)
            assert (step["energy_error"], step["energy_scale"]) == (error, 2.0)
            assert accuracy.is_large_beside_work(subsystem, step, work, 1.0) == is_large
            assert step["energy_scale"] == pytest.approx(scale, rel=1e-15)


def test_an_error_counts_only_above_round_off_of_what_multipliers_do(system):
    (subsystem,), (step,) = system.subsystems, system.steps
    subsystem["largest_kinetic"] = 0.0
    assert accuracy.is_large_beside_motion(subsystem, step, 1e-9, 0.0)
    assert accuracy.is_large_beside_work(subsystem, step, 0.0, 0.5e-9 / accuracy.LEAST_ERROR)
    assert not accuracy.is_large_beside_work(subsystem, step, 0.0, 2e-9 / accuracy.LEAST_ERROR)


def test_the_largest_kinetic_energy_is_kept(system):
    (subsystem,), (step,) = system.subsystems, system.steps
    subsystem["largest_kinetic"] = 0.0
    for kinetic in (1.0, 3.0, 2.0):
        accuracy.is_large_beside_motion(subsystem, step, 0.0, kinetic)
    assert subsystem["largest_kinetic"] == step["energy_scale"] == 3.0
