"""Moments that a bearing on the ground takes up whole are told of; those that turn something are not."""

from __future__ import annotations

import numpy as np
import pytest
from hand_models import Machine, Z

TOLD = "the moment on node 1 does no work: its bearing lets it turn about no such axis"
X = (1.0, 0.0, 0.0)


def shaft(kind: str, axis: tuple[float, float, float] = Z) -> Machine:
    """Node 1, a body on the ground."""
    machine = Machine([(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)], t_end=0.1)
    machine.body(1, [], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.pair(kind, 0, 1, axis, X if kind == "UNIVERSAL" else None)
    return machine


def warnings(machine: Machine) -> list[str]:
    return [found.message for found in machine.simulation(1e-3).warnings]


@pytest.mark.parametrize(
    ("kind", "axis", "direction", "works"),
    [
        ("REVOLUTE", Z, "ZZ", True),
        ("REVOLUTE", Z, "XX", False),
        ("REVOLUTE", X, "XX", True),
        ("REVOLUTE", (1.0, 0.0, 1.0), "XX", True),
        ("CYLINDRICAL", Z, "YY", False),
        ("TRANSLATIONAL", Z, "ZZ", False),
        ("SPHERICAL", Z, "XX", True),
        ("UNIVERSAL", Z, "XX", True),
    ],
)
def test_warning_goes_with_the_work(kind, axis, direction, works):
    machine = shaft(kind, axis)
    machine.load(1, direction, 1.0)
    assert warnings(machine) == ([] if works else [TOLD])
    work = machine.run(1e-3).energy("external_work")[-1]
    assert (work > 1e-4) == works


def test_axes_of_a_skew_count():
    machine = shaft("REVOLUTE", X)
    skew = machine.skew(axes=np.roll(np.eye(3), 1, axis=0))  # X' is Z
    machine.load(1, "XX", 1.0, skew=skew)
    assert warnings(machine) == [TOLD]


def test_shaft_on_a_carrier_that_moves_is_not_told_of():
    machine = Machine([(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    for node in (1, 2):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.pair("SPHERICAL", 0, 1)
    machine.pair("REVOLUTE", 1, 2)
    machine.load(2, "XX", 1.0)
    assert warnings(machine) == []


@pytest.mark.parametrize(("direction", "told"), [("XX", ["node 2"]), ("ZZ", [])])
def test_shafts_of_gears_on_a_held_carrier(direction, told):
    machine = Machine([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    machine.hold([1], "111 111")
    machine.joint("GEAR", [1, 2, 3], [Z, Z], masses=1.0, inertias=1.0)
    machine.load(2, direction, 1.0)
    assert [message[14:20] for message in warnings(machine)] == told
