"""Shafts of couplers that nothing keeps aligned with their supports."""

from __future__ import annotations

import pytest
from gsolve.solver.assembly import shaft_alignment
from hand_models import Machine, Z


def two_shafts() -> Machine:
    """Nodes 1 and 2 are a shaft along z between two bearings, 3 and 4 another; 5 to 8 stand where the bearings are."""
    machine = Machine([(0, 0, 0), (0, 0, 1), (3, 0, 0), (3, 0, 1), (0, 0, 0), (0, 0, 1), (3, 0, 0), (3, 0, 1)])
    for main, end in ((1, 2), (3, 4)):
        machine.body(main, [end], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.hold([5, 6, 7, 8], "111 111")
    machine.couple("R2R", (1, 0), (3, 0), 2.0)
    return machine


def warned(machine: Machine) -> list[str]:
    simulation = machine.simulation(1e-4)
    simulation.compile()
    return [warning.message for warning in simulation.warnings]


def test_shafts_that_float_are_warned_about():
    messages = warned(two_shafts())
    assert len(messages) == 2
    assert "axis of node 1 aligned with its support, the ground" in messages[0]
    assert "axis of node 3 aligned" in messages[1]


@pytest.mark.parametrize("kind", ["REVOLUTE", "CYLINDRICAL", "PARALLEL"])
def test_a_joint_about_the_same_axis_keeps_a_shaft_aligned(kind):
    machine = two_shafts()
    machine.pair(kind, 0, 1)
    (message,) = warned(machine)
    assert "node 3" in message


def test_a_joint_about_another_axis_does_not():
    machine = two_shafts()
    machine.pair("REVOLUTE", 0, 1, axis=(1.0, 0.0, 1.0))
    machine.pair("REVOLUTE", 0, 3, axis=Z)
    (message,) = warned(machine)
    assert "node 1" in message


def test_two_ball_bearings_keep_a_shaft_aligned():
    machine = two_shafts()
    machine.pair("SPHERICAL", 5, 1)
    machine.pair("STRUT", 6, 2)
    machine.pair("SPHERICAL", 7, 3)
    machine.pair("SPHERICAL", 8, 4)  # along the axis one row too many
    assert warned(machine) == []


@pytest.mark.parametrize("kind, count", [("REVOLUTE", 0), ("SPHERICAL", 1)])
def test_all_rows_are_asked_once_and_only_for_shafts_without_a_bearing_of_their_own(kind, count, monkeypatch):
    """Of many shafts on one body the matrix is full: once for each took minutes of a thousand."""
    made, asked, rows_of_subsystem = two_shafts(), [], shaft_alignment.rows_of_subsystem
    monkeypatch.setattr(
        shaft_alignment, "rows_of_subsystem", lambda *given: asked.append(given) or rows_of_subsystem(*given)
    )
    made.pair(kind, 0, 1)
    made.pair(kind, 0, 3)
    assert len(warned(made)) == 2 * count
    assert len(asked) == count


def driven_shaft() -> Machine:
    """Node 1 leads a body that is turned about z, against the ground."""
    machine = Machine([(0, 0, 0), (0, 0, 1)])
    machine.body(1, [2], mass=1.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.coordinate_drive("ROT", 0, 1, "t^2")
    return machine


def test_driven_rotation_of_a_body_without_bearing_is_warned_about():
    simulation = driven_shaft().simulation(1e-4)
    simulation.compile()
    (warning,) = simulation.warnings
    assert "no joint keeps the axis of node 1 aligned with its support, the ground" in warning.message
    assert (warning.keyword, warning.field) == ("/DRIVE/ROT", "node_j")


def test_driven_rotation_on_a_bearing_is_not():
    machine = driven_shaft()
    machine.pair("REVOLUTE", 0, 1)
    assert warned(machine) == []
