"""Trains side by side: against a gyrostat by its equations, and against themselves alone, to the last bit."""

from __future__ import annotations

import naive.constraints as twin
import numpy as np
import pytest
from gsolve.solver.constraints.lanes import LANE_BLOCK, LANES, empty_lane, fill_lane, step_lanes
from gsolve.solver.constraints.spins import SPIN, TRAIN
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, unit
from scipy.spatial.transform import Rotation


def random_trains(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[twin.Gyrostat]]:
    """Records of free trains of one spin each, the numbers of trains, and the same for the twin."""
    random = np.random.default_rng(seed)
    trains, spins, numbers, twins = np.zeros(LANES, TRAIN), np.zeros(LANES, SPIN), [], []
    for k, (train, spin) in enumerate(zip(trains, spins, strict=True)):
        axes = Rotation.random(random_state=seed + k).as_matrix()
        locked, mass = axes @ np.diag(random.uniform(2.0, 3.0, 3)) @ axes.T, random.uniform(0.2, 0.4)
        coupling = 0.2 * random.normal(size=(3, 1))
        train["inverse"], train["coupling"] = 4 * k, 4 * k + 1
        train["inertia"] = locked - coupling @ coupling.T / mass
        train["inverse_inertia"] = np.linalg.inv(train["inertia"])
        rotation = Rotation.random(random_state=seed + 100 + k)
        train["quaternion"], train["rotation"] = rotation.as_quat(scalar_first=True), rotation.as_matrix()
        train["momentum"], spin["momentum"] = random.normal(size=3), random.normal()
        train["velocity"], train["gravity"] = random.normal(size=3), random.normal(size=3)
        numbers += [1 / mass, *(coupling.ravel() / mass)]
        twins.append(twin.Gyrostat(locked, coupling, np.array([[mass]])))
    return trains, spins, np.array(numbers), twins


@pytest.mark.parametrize("h", [1e-4, 0.05])
def test_a_step_of_a_lane_is_that_of_its_gyrostat(h):
    trains, spins, numbers, twins = random_trains(3)
    lanes, before = np.zeros(1, LANE_BLOCK), trains.copy()
    lanes["count"], lanes["steps"], lanes["dt"] = LANES, 1, h
    for i in range(LANES):
        fill_lane(lanes[0], i, trains[i], spins[i], numbers)
    assert step_lanes(lanes[0])
    for i, same in enumerate(twins):
        empty_lane(lanes[0], i, trains[i], spins[i])
        theta, growth = same.step(before["rotation"][i].T @ before["momentum"][i], spins["momentum"][i : i + 1], h)
        np.testing.assert_allclose(trains["theta"][i], theta, atol=1e-14)
        np.testing.assert_allclose(spins["angle"][i], growth[0], atol=1e-14)
        np.testing.assert_allclose(trains["step_rotation"][i], before["rotation"][i] @ theta, atol=1e-14)
        turned = before["rotation"][i] @ Rotation.from_rotvec(theta).as_matrix()
        np.testing.assert_allclose(trains["rotation"][i], turned, atol=1e-14)
        velocity = before["velocity"][i] + h * before["gravity"][i]
        np.testing.assert_allclose(trains["velocity"][i], velocity, atol=1e-14)
        np.testing.assert_allclose(trains["displacement"][i], h * velocity, atol=1e-14)


def test_a_turn_too_large_for_the_series_is_refused():
    trains, spins, numbers, _ = random_trains(5)
    trains["momentum"][7] *= 100.0
    lanes = np.zeros(1, LANE_BLOCK)
    lanes["count"], lanes["steps"], lanes["dt"] = LANES, 1, 0.05
    for i in range(LANES):
        fill_lane(lanes[0], i, trains[i], spins[i], numbers)
    assert not step_lanes(lanes[0])


def gearboxes(count: int) -> Machine:
    """Gear pairs that tumble freely, each its own way."""
    random = np.random.default_rng(1)
    made = Machine(random.normal(size=(3 * count, 3)), t_end=1e3, every=0.047)
    for k in range(count):
        nodes = [3 * k + 1, 3 * k + 2, 3 * k + 3]
        axes = [unit(random.normal(size=3)) for _ in range(2)]
        made.joint("GEAR", nodes, axes, random.uniform(0.3, 2.0), [2, 1, 0.5], [0.5, *random.uniform(0.01, 0.03, 2)])
        omega, places = 4.0 * random.normal(size=3), made.model.nodes.coordinates[3 * k : 3 * k + 3]
        spins = np.tile(omega, (3, 1)) + np.array([[0, 0, 0], 20.0 * axes[0], [0, 0, 0]])
        made.velocity(nodes, np.cross(omega, places), spins)
    return made


@pytest.mark.parametrize("dt", [1e-3, 3e-2], ids=["small steps", "some turn too much for lanes"])
def test_trains_side_by_side_come_to_the_same_bits_as_alone(dt):
    together = Simulation(gearboxes(21).model, dt=dt)
    alone = Simulation(gearboxes(21).model, dt=dt)
    for simulation in (together, alone):
        simulation.start()
    assert np.all(together._system.trains.trains["in_lanes"] == 1)
    alone._system.trains.trains["in_lanes"] = 0
    blocks = [simulation.advance(400) for simulation in (together, alone)]
    for group, channels in blocks[0].values.items():
        for channel, values in channels.items():
            assert np.array_equal(values, blocks[1].values[group][channel], equal_nan=True), (group, channel)
