"""Couplers and gears that lock what they join are told of; those that let it move are not."""

from __future__ import annotations

import pytest
from hand_models import Machine, Z

DOWN = (0.0, 0.0, -1.0)
ONE_ROTATION = "both sides are the rotation of node 1 against the ground"
LOCKED = "it locks what it joins: its machine has no degree of freedom left at t = 0"


def shafts(count: int) -> Machine:
    """Nodes 1, 2, ... are shafts along z, each on its bearing in the ground."""
    machine = Machine([(float(k), 0.0, 0.0) for k in range(count)])
    for node in range(1, count + 1):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
        machine.pair("REVOLUTE", 0, node)
    return machine


def doubts(machine: Machine) -> list[str]:
    simulation = machine.simulation(1e-4)
    simulation.compile()
    return [found.message for found in simulation.warnings if found.severity == "doubt"]


@pytest.mark.parametrize(
    "side_b, axis_b, ratio, moves",
    [
        ((1, 0), Z, 2.0, False),
        ((1, 0), Z, -1.0, False),
        ((1, 0), Z, 1.0, True),
        ((1, 0), DOWN, -1.0, True),
        ((1, 0), DOWN, 1.0, False),
        ((0, 1), Z, -1.0, True),
        ((0, 1), DOWN, 1.0, True),
        ((0, 1), Z, 1.0, False),
    ],
)
def test_coupler_of_a_shaft_with_itself_locks_it_or_does_nothing(side_b, axis_b, ratio, moves):
    """The message says what a moment on the shaft shows."""
    machine = shafts(1)
    machine.couple("R2R", (1, 0), side_b, ratio, Z, axis_b)
    machine.load(1, "ZZ", 1.0)
    (message,) = doubts(machine)
    assert message.startswith(ONE_ROTATION)
    assert ("does nothing" if moves else "locks it") in message
    angle = machine.run(1e-2).pair("ANG")[-1]
    assert (angle > 1.0) == moves


def test_coupler_of_two_shafts_is_not_doubted():
    machine = shafts(2)
    machine.couple("R2R", (1, 0), (2, 0), 2.0)
    assert doubts(machine) == []


def test_coupler_of_one_shaft_on_two_supports_is_not_doubted():
    """A wheel on a rocker, coupled to its own rotation against the ground."""
    machine = Machine([(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    for node in (1, 2):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.pair("REVOLUTE", 0, 1)
    machine.pair("REVOLUTE", 1, 2)
    machine.couple("R2R", (2, 1), (2, 0), 2.0)
    assert doubts(machine) == []


def test_coupler_of_a_rotation_with_a_slide_that_a_bearing_holds_locks():
    machine = shafts(1)
    machine.couple("R2T", (1, 0), (1, 0), 5.0)
    assert doubts(machine) == [LOCKED]


def test_screw_made_of_a_coupler_is_not_doubted():
    machine = Machine([(0.0, 0.0, 0.0)])
    machine.body(1, [], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.pair("CYLINDRICAL", 0, 1)
    machine.couple("R2T", (1, 0), (1, 0), 5.0)
    assert doubts(machine) == []


@pytest.mark.parametrize("last, told", [(-1.0, [LOCKED]), (1.0, [])])
def test_ring_of_three_couplers_locks_unless_its_ratios_close(last, told):
    machine = shafts(3)
    for k, ratio in ((1, -1.0), (2, -1.0), (3, last)):
        machine.couple("R2R", (k, 0), (k % 3 + 1, 0), ratio)
    assert doubts(machine) == told


def test_ring_of_three_gears_locks():
    machine = Machine([(float(k), 0.0, 0.0) for k in range(4)])
    machine.hold([1], "111 111")
    for first, second in ((2, 3), (3, 4), (4, 2)):
        machine.joint("GEAR", [1, first, second], [Z, Z], masses=1.0, inertias=1.0)
    assert doubts(machine) == [LOCKED]


def test_machine_that_a_drive_moves_is_not_doubted():
    machine = shafts(2)
    machine.couple("R2R", (1, 0), (2, 0), 2.0)
    machine.coordinate_drive("ROT", 0, 1, "t", level=1)
    assert doubts(machine) == []
