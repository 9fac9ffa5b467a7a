"""Machines made at random: their freedom against a dense calculation, their motion with and without what is redundant.

Hubs are bodies that carry many rows; masses of one body go from 1e-9 to 1e9 of the others.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation
from random_machines import MOUNTS, Machine, housing, planar_loop, rank_of
from running import Results, run

IN_METRES = ("kg", "m", "s")
IN_MILLIMETRES = ("Mg", "mm", "s")


def simulation_of(machine: Machine, units: tuple[str, str, str] = IN_METRES) -> Simulation:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.rad"
        path.write_text(machine.deck(0.1, units=units))
        return Simulation(read_deck(path))


def results_of(machine: Machine) -> Results:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.rad"
        path.write_text(machine.deck(0.1, dt=1e-3))
        return run(path)


def check_freedom(simulation: Simulation, machine: Machine) -> None:
    simulation.start()
    jacobian = machine.jacobian()
    rank, rows = rank_of(jacobian), len(jacobian)
    expected = 6 * len(machine.bodies) - rank, rows - rank
    assert (simulation.degrees_of_freedom, len(simulation.redundant_rows)) == expected


@pytest.mark.parametrize("seed", range(6))
def test_housings_have_the_freedom_of_the_dense_calculation(seed: int) -> None:
    random = np.random.default_rng(seed)
    shafts = (5, 6, 8, 13, 21, 34)[seed % 6]
    machine, _ = housing(random, shafts, MOUNTS[seed % len(MOUNTS)])
    check_freedom(simulation_of(machine), machine)


def test_two_hundred_shafts_have_the_freedom_of_the_dense_calculation() -> None:
    machine, _ = housing(np.random.default_rng(1), 200, "hinge")
    check_freedom(simulation_of(machine), machine)


@pytest.mark.parametrize("seed", range(100, 100 + len(MOUNTS)))
def test_housings_move_as_without_their_redundant_bearings(seed: int) -> None:
    machine, repeated = housing(np.random.default_rng(seed), 9, MOUNTS[seed % len(MOUNTS)])
    whole, bare = results_of(machine), results_of(machine.without(repeated))
    assert whole.simulation.degrees_of_freedom == bare.simulation.degrees_of_freedom == machine.freedom
    for node in range(1, len(machine.bodies) + 1):
        for quantity in ("V", "VR"):
            expected = bare.node_vector(quantity, node)
            largest = max(np.abs(bare.node_vector(quantity, k + 1)).max() for k in range(len(machine.bodies)))
            np.testing.assert_allclose(whole.node_vector(quantity, node), expected, atol=1e-9 * largest)


@pytest.mark.parametrize(
    ("power", "units"),
    [(power, IN_METRES) for power in (-9, -6, -3, 3, 6, 9)] + [(power, IN_MILLIMETRES) for power in (-9, 9)],
)
def test_freedom_does_not_depend_on_one_mass_or_on_units(power: int, units: tuple[str, str, str]) -> None:
    for seed in range(2):
        random = np.random.default_rng(seed)
        for machine in (planar_loop(random, slider=True), planar_loop(random, slider=False)):
            changed = machine.with_mass(int(random.integers(3)), 10.0**power)
            simulation = simulation_of(changed, units)
            check_freedom(simulation, changed)
            assert simulation.degrees_of_freedom == 1


def test_a_light_rod_leaves_a_slider_crank_its_freedom() -> None:
    machine = planar_loop(np.random.default_rng(3), slider=True)
    rod = machine.bodies[1]
    light = machine.with_mass(1, 1e-3 / rod.mass)
    bodies = list(light.bodies)
    bodies[1] = type(rod)(rod.centre, 1e-3, 1e-6 * np.eye(3))
    light = Machine(bodies, light.joints, light.gravity)
    simulation = simulation_of(light)
    check_freedom(simulation, light)
    assert simulation.degrees_of_freedom == 1


@pytest.mark.parametrize("slider", [True, False])
@pytest.mark.parametrize("seed", range(200, 203))
def test_planar_loops_move_as_without_their_redundant_rows(seed: int, slider: bool) -> None:
    machine = planar_loop(np.random.default_rng(seed), slider)
    kinds = ["REVOLUTE", "SPHERICAL", "CYLINDRICAL", "TRANSLATIONAL"]
    if not slider:
        kinds = ["REVOLUTE", "SPHERICAL", "CYLINDRICAL", "REVOLUTE"]
    whole, bare = results_of(machine), results_of(machine.with_joint_kinds(kinds))
    assert len(whole.simulation.redundant_rows) == 3
    assert len(bare.simulation.redundant_rows) == 0
    assert whole.simulation.degrees_of_freedom == bare.simulation.degrees_of_freedom == 1
    for node in (1, 2, 3):
        expected = bare.node_vector("V", node)
        np.testing.assert_allclose(whole.node_vector("V", node), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("slider", [True, False])
@pytest.mark.parametrize("power", [4, 6])
def test_a_heavy_last_body_asks_for_no_shorter_step(slider: bool, power: int) -> None:
    """A matrix of an earlier step, which would make residuals grow with such masses, is renewed in time."""
    for seed in range(300, 304):
        machine = planar_loop(np.random.default_rng(seed), slider).with_mass(2, 10.0**power)
        results = results_of(machine)
        assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10
        assert results.simulation.divided_steps == 0
