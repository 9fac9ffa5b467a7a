"""The state at t = 0: gaps that are refused or closed, velocities that fit."""

from __future__ import annotations

from typing import Any

import naive.assembly as twin
import naive.integration as integration_twin
import numpy as np
import pytest
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.run.simulation import Simulation
from hand_models import Machine, Z, collect, unit
from joint_definitions import DEFINITIONS
from scipy.optimize import minimize
from step_rig import Kernels, Twin


def two_point_masses(gap: float) -> Machine:
    """A bar of length 1 that was typed `gap` too long, between masses 1 and 3."""
    machine = Machine([(0, 0, 0), (1 + gap, 0, 0)], 1e-3, 1e-3)
    machine.mass(1, 1.0)
    machine.mass(2, 3.0)
    machine.pair("DISTANCE", 1, 2, length=1.0)
    return machine


def test_a_gap_is_refused_with_the_joint_the_distance_and_a_way_out():
    with pytest.raises(DeckError) as raised:
        two_point_masses(0.02).simulation(1e-4).compile()
    (error,) = raised.value.diagnostics
    assert error.message == "the joint does not fit at t = 0: nodes 1 and 2 are 1.02 m apart, and the length is 1 m"
    assert "--assemble" in error.hint


def test_a_gap_of_rounding_is_closed_without_a_word():
    simulation = two_point_masses(1e-8).simulation(1e-4)
    run = collect(simulation)
    assert simulation.warnings == []
    assert "assembly" not in dict(simulation.facts)
    assert simulation.new_deck_lines == []
    assert run.pair("U")[0] == pytest.approx(1.0, abs=4e-16)
    assert np.abs(run.energy("total")).max() < 1e-25  # nothing is thrown by the correction


def test_masses_move_in_inverse_proportion_to_close_a_gap():
    machine = two_point_masses(0.02)
    simulation = Simulation(machine.model, dt=1e-4, close_gaps=True)
    run = collect(simulation)
    assert run.node("DX", 1)[0] == pytest.approx(0.015, abs=1e-15)
    assert run.node("DX", 2)[0] == pytest.approx(-0.005, abs=1e-15)
    assert "the body of node 1 by (0.015, 0, 0) m, turned by (0, 0, 0) rad" in dict(simulation.facts)["assembly"]


def test_closing_a_gap_is_the_least_mass_weighted_motion():
    """A chain of point masses and bars, far from its lengths, against a minimiser."""
    places = np.array([(0.0, 0, 0), (1.1, 0.3, 0), (1.9, -0.4, 0.2), (3.2, 0.1, -0.3)])
    masses, lengths = np.array([2.0, 0.5, 1.0]), np.array([1.0, 1.2, 1.1])
    machine = Machine(places, 1e-3, 1e-3)
    machine.hold([1], "111 111")
    for k, mass in enumerate(masses):
        machine.mass(k + 2, mass)
        machine.pair("DISTANCE", k + 1, k + 2, length=lengths[k])
    run = collect(Simulation(machine.model, dt=1e-4, close_gaps=True))
    found = np.array([run.vector("D", node)[0] for node in (2, 3, 4)])

    def bars(moves: np.ndarray) -> np.ndarray:
        points = places + np.vstack([np.zeros(3), moves.reshape(3, 3)])
        return np.linalg.norm(np.diff(points, axis=0), axis=1) - lengths

    best = minimize(
        lambda moves: 0.5 * np.sum(masses[:, None] * moves.reshape(3, 3) ** 2), found.ravel() + 0.01,
        constraints={"type": "eq", "fun": bars}, tol=1e-14,
    )  # fmt: skip
    np.testing.assert_allclose(found.ravel(), best.x, atol=1e-6)
    np.testing.assert_allclose(bars(found.ravel()), 0.0, atol=1e-14)


def test_bodies_turn_where_that_closes_a_gap():
    """A hinged bar whose free end must meet a rod of given length: one degree of freedom, known angle."""
    machine = Machine([(0.5, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0)], 1e-3, 1e-3)
    machine.mass(1, 1.0)
    machine.body(1, [2, 3], inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.hold([4], "111 111")
    machine.pair("REVOLUTE", 0, 2, axis=Z)
    machine.pair("DISTANCE", 3, 4, length=0.9)
    simulation = Simulation(machine.model, dt=1e-4, close_gaps=True)
    run = collect(simulation)
    # |(cos a - 1, sin a - 1)|^2 = 0.81
    angle = np.arcsin((3 - 0.81) / (2 * np.sqrt(2))) - np.pi / 4
    assert run.pair("ANG")[0] == pytest.approx(angle, abs=1e-14)
    assert run.diag("constraint_violation").max() < 1e-14


def bar_with_a_wheel(places: Any = None, axle: Any = (1, 0, 0)) -> Machine:
    """The bar above, with a wheel of node 5 at its middle, whose axle lies along the bar."""
    machine = Machine([(0.5, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0), (0.5, 0, 0)] if places is None else places, 1e-3)
    for node in (1, 5):
        machine.mass(node, 1.0)
    machine.body(1, [2, 3], inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.body(5, [], inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.hold([4], "111 111")
    machine.pair("REVOLUTE", 0, 2, axis=Z)
    machine.pair("DISTANCE", 3, 4, length=0.9)
    machine.pair("REVOLUTE", 1, 5, axis=axle)
    return machine


def test_new_coordinates_and_axes_make_a_deck_that_fits():
    moved = Simulation(bar_with_a_wheel().model, dt=1e-4, close_gaps=True)
    moved.compile()
    lines = moved.new_deck_lines
    places = bar_with_a_wheel().model.nodes.coordinates.copy()
    for line in lines[lines.index("/NODE") + 1 :]:
        words = line.split()
        if len(words) == 4 and words[0].isdigit():
            places[int(words[0]) - 1] = [float(word) for word in words[1:]]
    (axis,) = [line.split(": ")[1] for line in lines if "ax ay az" in line]
    axle = [float(x) for x in axis.split(", ")]
    angle = np.arcsin((3 - 0.81) / (2 * np.sqrt(2))) - np.pi / 4
    np.testing.assert_allclose(axle, (np.cos(angle), np.sin(angle), 0), atol=1e-11)
    fitting = bar_with_a_wheel(places, axle).simulation(1e-4)
    fitting.compile()
    assert fitting.new_deck_lines == []
    np.testing.assert_allclose(places[4], places[0], atol=1e-11)


def test_places_and_axes_that_do_not_fit_are_told_together_with_where_the_nodes_are():
    machine = Machine([(0, 0, 0), (0, 0, 0.02)], 1e-3, 1e-3)
    for node in (1, 2):
        machine.mass(node, 1.0)
        machine.body(node, [], inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.pair("UNIVERSAL", 1, 2, axis=(1, 0, 0), axis_j=(np.cos(np.radians(80)), np.sin(np.radians(80)), 0))
    with pytest.raises(DeckError) as raised:
        machine.simulation(1e-4).compile()
    (error,) = raised.value.diagnostics
    assert error.message == (
        "the joint does not fit at t = 0: nodes 1 and 2 are 0.02 m apart and the axes are at 80 degrees"
    )
    assert error.found == "node 1 at (0, 0, 0), node 2 at (0, 0, 0.02)"


@pytest.mark.parametrize("kind", [kind for kind, joint in DEFINITIONS.items() if joint.stands.gap])
def test_a_joint_that_does_not_fit_says_by_how_much_and_where(kind):
    """Node j is where it may be, and 0.03 along the axis and 0.04 across it off that; what is free is no gap."""
    axis, across = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    definition = DEFINITIONS[kind]
    off = definition.stand(0.2 * axis, 0.3 * across) + 0.03 * axis + 0.04 * across
    machine = Machine([(0, 0, 0), off], 1e-3, 1e-3)
    for node in (1, 2):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.pair(kind, 1, 2, axis, across if definition.second != "none" else None, 0.1)
    with pytest.raises(DeckError) as raised:
        machine.simulation(1e-4).compile()
    (error,) = raised.value.diagnostics
    gap = np.hypot(0.0 if definition.stands.along else 0.03, 0.0 if definition.stands.across else 0.04)
    assert error.message == f"the joint does not fit at t = 0: nodes 1 and 2 are {gap:.6g} m {definition.stands.gap}"
    assert error.keyword == f"/JOINT/{kind}"


def test_lengths_that_contradict_each_other_are_named():
    machine = two_point_masses(0.0)
    machine.pair("DISTANCE", 1, 2, length=2.0)
    with pytest.raises(DeckError) as raised:
        Simulation(machine.model, dt=1e-4, close_gaps=True).compile()
    (error,) = raised.value.diagnostics
    assert error.message == (
        "no positions were found where all joints fit; of the last ones tried /JOINT/DISTANCE/4 is off by 1 m"
    )


# ---- against the twin ------------------------------------------------------------------------------------------

A, B = unit((1.0, 2.0, -0.5)), unit((2.0, -1.0, 0.3))
INERTIA = (0.3, 0.5, 0.4, 0.02, -0.03, 0.05)


def linkage(gap: float) -> tuple[Machine, list[tuple[Any, ...]]]:
    """Three bodies on the ground and on each other, their nodes off by about `gap`; the joints, as calls of both."""
    random = np.random.default_rng(5)
    places = [(0.3, 0, -0.1), (0, 0, 0), (0.6, 0.1, -0.1), (0.9, 0.2, 0), (0.6, 0.1, -0.1), (1.2, 0.5, 0.3),
              (1.2, 0.5, 0.3), (1.5, 0.6, 0.0), (1.6, 0.9, 0.2)]  # fmt: skip
    off = gap * random.normal(size=(9, 3))
    off[[0, 1, 3, 7]] = 0.0
    machine = Machine(np.array(places) + off, 1e-3, 1e-3)
    for main, dependent in ((1, [2, 3]), (4, [5, 6]), (8, [7, 9])):
        machine.body(main, dependent, mass=1.0 + 0.1 * main, inertia=INERTIA, icog=3)
    joints = [("REVOLUTE", 0, 2, A), ("SPHERICAL", 3, 5, Z), ("REVOLUTE", 6, 7, B)]
    for joint in joints:
        machine.pair(*joint)
    return machine, joints


def linked(machine: Machine, joints: list[tuple[Any, ...]], kernels: Kernels) -> Any:
    """The twin of that machine, as it was assembled."""
    built = Twin(machine, kernels)
    for joint in joints:
        built.joint(*joint)
    return integration_twin.Machine(kernels.as_assembled, built.rows)


@pytest.mark.parametrize("gap", [1e-4, 3e-2])
def test_gaps_are_closed_by_the_motion_that_the_twin_finds(gap: float):
    """Bodies shift and turn, to the nearest places that fit, though the residual may rise on the way there."""
    machine, joints = linkage(gap)
    kernels = Kernels(machine, 1e-3, close_gaps=True)
    expected = linked(machine, joints, kernels)
    twin.close_gaps(expected)
    bodies = kernels.system.bodies
    for name in ("displacement", "rotation"):
        wanted = expected.bodies["trial_" + name]
        np.testing.assert_allclose(bodies[name], wanted, rtol=0, atol=1e-10)
    assert np.abs(expected.residuals()).max() < 1e-14
    assert np.abs(bodies["displacement"]).max() > 0.1 * gap


def test_velocities_are_projected_to_those_of_the_twin():
    """Any velocities of the nodes of a linkage whose hinges are driven, one of them by a rate."""
    machine, joints = linkage(0.0)
    random = np.random.default_rng(6)
    machine.velocity([1, 4, 8], random.normal(size=(3, 3)), random.normal(size=(3, 3)))
    machine.coordinate_drive("ROT", 6, 7, "0.5+2*t", level=1, axis=B)
    machine.coordinate_drive("ROT", 0, 2, "0.3*sin(4*t)", axis=A)
    kernels = Kernels(machine, 1e-3)
    built = Twin(machine, kernels)
    for joint in joints:
        built.joint(*joint)
    built.relation((1.0, built.angle(6, 7, B)))
    built.relation((1.0, built.angle(0, 2, A)))
    start = integration_twin.Machine(kernels.as_assembled, built.rows)
    wanted = np.zeros(15)
    wanted[13:] = 0.5, 1.2
    velocities, momenta, work = twin.projected_velocities(start.bodies, start.slopes_of_rows(), wanted)
    assert np.abs(velocities - start.bodies["velocity"]).max() > 0.1
    np.testing.assert_allclose(kernels.system.bodies["velocity"], velocities, rtol=0, atol=1e-12)
    np.testing.assert_allclose(kernels.system.bodies["momentum"], momenta, rtol=0, atol=1e-12)
    assert kernels.system.subsystems["drive_work"].sum() == pytest.approx(work, abs=1e-12)
