"""Whole steps of small machines against a twin of dense algebra, step by step, of equal and of unequal length."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model import JointForce
from hand_models import Machine, Z, unit
from step_rig import Kernels, Twin, compare_step

DT = 1e-2
STEPS = [DT, DT, DT, 0.5 * DT, 0.5 * DT, 1.5 * DT, 0.25 * DT]
A, B = unit((1.0, 2.0, -0.5)), unit((2.0, -1.0, 0.3))
INERTIA = (0.3, 0.5, 0.4, 0.02, -0.03, 0.05)

# ---- machines --------------------------------------------------------------------------------------------------


def free_gear():
    """A housing of unequal inertia with two shafts and a torque between them, tumbling."""
    made = Machine([(0, 0, 0), (0.2, 0.1, 0), (-0.1, 0.3, 0.2)])
    made.body(1, [], mass=4.0, inertia=INERTIA)
    made.body(3, [], mass=1.0, inertia=(0.02, 0.05, 0.04, 0, 0.01, 0))
    made.joint("GEAR", [1, 2, 3], [A, B], 0.7, [0, 1.5, 0], [0, 0.03, 0])
    made.velocity([1], (0.3, -0.2, 0.1), (1.0, 2.0, -1.5))
    made.load(2, "ZZ", 0.4, "sin(20*t)")
    made.load(3, "X", -2.0, "1+t")

    def twin_of(kernels):
        built = Twin(made, kernels)
        for node, axis in ((2, A), (3, B)):
            built.shaft("REVOLUTE", 1, node, axis)
        built.relation((0.7, built.angle(1, 2, A)), (1.0, built.angle(1, 3, B)))
        built.torque(2, (0, 0, 0.4), lambda t: np.sin(20 * t))
        built.load(3, (-2.0, 0, 0), lambda t: 1 + t)
        return built

    return made, twin_of


def rack_and_differential():
    """A rack and a differential on one housing that flies with many rows; the rack and a shaft on a spring."""
    made = Machine([(0, 0, 0), (0.2, 0, 0), (0.3, 0.1, 0), (0, 0.2, 0.1), (-0.1, 0, 0.3), (0, -0.2, 0)])
    made.body(1, [], mass=3.0, inertia=INERTIA)
    made.joint("RACK", [1, 2, 3], [A, B], 0.15, [0, 1.0, 0.5], [0, 0.02, 0.01])
    made.joint("DIFF", [1, 4, 5, 6], [A, B, Z], 0.8, [0, 1, 1, 1], [0, 0.02, 0.03, 0.04])
    made.spring(3, 4, 300.0, 0.5)
    made.velocity([1], (0, 0, 0.5), (0.5, -1.0, 2.0))
    made.velocity([4], None, (3.0, 1.0, 0.5))

    def twin_of(kernels):
        built = Twin(made, kernels)
        built.shaft("REVOLUTE", 1, 2, A)
        built.shaft("TRANSLATIONAL", 1, 3, B)
        for node, axis in ((4, A), (5, B), (6, Z)):
            built.shaft("REVOLUTE", 1, node, axis)
        built.relation((0.15, built.angle(1, 2, A)), (1.0, built.slide(1, 3, B)))
        built.relation(*((factor, built.angle(1, node, axis)) for factor, node, axis in
                         ((0.8, 4, A), (1.0, 5, B), (1.0, 6, Z))))  # fmt: skip
        built.springs()
        return built

    return made, twin_of


HINGE = JointForce(stiffness=2.0, damping=0.05, free_value=0.1, preload=0.3, friction_force=0.02,
                   friction_coefficient=0.1, radius=0.05, slip_velocity=6.0)  # fmt: skip


def pendulum():
    """Two bodies hanging from a hinge with a spring, a damper and friction, and from a universal joint."""
    made = Machine([(0.3, 0, -0.1), (0, 0, 0), (0.6, 0.1, -0.1), (0.9, 0.2, 0), (1.2, 0.5, 0.3), (0.6, 0.1, -0.1)])
    made.body(1, [2, 3], mass=2.0, inertia=INERTIA, icog=3)
    made.body(4, [6], mass=1.0, inertia=(0.1, 0.2, 0.25, 0.01, 0, 0), icog=3)
    made.pair("REVOLUTE", 0, 2, A).rotation = HINGE
    made.pair("UNIVERSAL", 3, 6, A, unit(np.cross(A, B)))
    made.mass(5, 0.8)
    made.spring(4, 5, 150.0, 0.4)
    made.gravity([1, 4, 5], "Z", -9.81)

    def twin_of(kernels):
        built = Twin(made, kernels)
        hinge = built.joint("REVOLUTE", 0, 2, A)
        built.joint("UNIVERSAL", 3, 6, A, tuple(np.cross(A, B)))
        built.joint_force(HINGE, hinge, 0, 2, A)
        built.springs()
        return built

    return made, twin_of


def driven():
    """A carriage that is moved, an arm on it that is turned, and what is linked to the arm."""
    made = Machine([(0, 0, 0), (0, 0.1, 0.2), (1.0, 0, 0), (0.4, 0.4, 0.4), (0, 0.1, 0.1), (0, 0.1, 0.1)])
    made.body(1, [5], mass=2.0, inertia=INERTIA, icog=3)
    made.body(2, [6], mass=1.0, inertia=(0.05, 0.06, 0.07, 0.01, 0, 0), icog=3)
    made.mass(3, 0.5)
    made.mass(4, 0.7)
    made.drive("VEL", 1, "X", "0.4+3*t-20*t^2")
    made.drive("ACC", 4, "Z", "1.5*cos(9*t)")
    made.pair("REVOLUTE", 5, 6, A)
    made.coordinate_drive("ROT", 5, 6, "0.5*sin(6*t)", axis=A)
    made.sum_of_velocities((1.0, 1, "Y"), (2.0, 3, "X"), (-1.0, 2, "Z"))
    made.velocity([1, 2], (0.4, 0.2, 0.0), (0.2, 0.1, 0.4))

    def twin_of(kernels):
        built = Twin(made, kernels)
        body_of = kernels.body_of
        built.joint("REVOLUTE", 5, 6, A)

        def moved(node, axis):
            return lambda bodies, prefix: bodies[body_of(node)][prefix + "displacement"]["XYZ".index(axis)]

        built.drive(moved(1, "X"), "VELOCITY", lambda t: 0.4 + 3 * t - 20 * t * t)
        built.drive(moved(4, "Z"), "ACCELERATION", lambda t: 1.5 * np.cos(9 * t))
        built.drive(built.angle(1, 2, A), "DISPLACEMENT", lambda t: 0.5 * np.sin(6 * t))
        built.relation((1.0, moved(1, "Y")), (2.0, moved(3, "X")), (-1.0, moved(2, "Z")))
        return built

    return made, twin_of


def loose():
    """Bodies and a point mass on springs that damp, without rows."""
    made = Machine([(0, 0, 0), (0.3, 0, 0.1), (1, 0, 0), (0.8, 0.2, 0), (0.5, 0.9, 0)])
    made.body(1, [2], mass=2.0, inertia=INERTIA, icog=3)
    made.body(3, [4], mass=1.0, inertia=(0.1, 0.2, 0.25, 0.01, 0, 0), icog=3)
    made.mass(5, 0.5)
    made.spring(2, 4, 400.0, 0.5)
    made.spring(4, 5, 200.0, 0.2)
    made.spring(5, 1, 100.0)
    made.velocity([1, 3], [(0, 0.5, 0), (0.2, 0, 1.0)], [(1, 2, 3), (-2, 0, 1)])
    made.gravity([1, 5], "Y", -9.81)
    made.load(2, "Z", 3.0, "cos(5*t)")

    def twin_of(kernels):
        built = Twin(made, kernels)
        built.springs()
        built.load(2, (0, 0, 3.0), lambda t: np.cos(5 * t))
        return built

    return made, twin_of


def four_bar():
    """Three links between four hinges with parallel axes: three of the twenty rows depend on the others."""
    places = [(0, 0, 0), (0.3, 1.0, 0), (0.3, 1.0, 0), (1.7, 1.3, 0), (1.7, 1.3, 0), (2.0, 0, 0)]
    centres = [(0.2, 0.5, 0.1), (1.0, 1.2, -0.1), (1.8, 0.6, 0.1)]
    made = Machine(places + centres)
    for main, dependent in ((7, [1, 2]), (8, [3, 4]), (9, [5, 6])):
        made.body(main, dependent, mass=0.3 * main, inertia=INERTIA, icog=3)
    joints = [(0, 1), (2, 3), (4, 5), (0, 6)]
    for pair in joints:
        made.pair("REVOLUTE", *pair, Z)
    made.velocity([7], None, (0, 0, 2.0))
    made.gravity([7, 8, 9], "Y", -9.81)
    made.gravity([7, 8, 9], "Z", -3.0)

    def twin_of(kernels):
        built = Twin(made, kernels)
        for pair in joints:
            built.joint("REVOLUTE", *pair, Z)
        return built

    return made, twin_of


MACHINES = {
    "gear": free_gear, "rack and differential": rack_and_differential, "pendulum": pendulum, "driven": driven,
    "four bars": four_bar,
    "loose": loose,
}  # fmt: skip


@pytest.mark.parametrize("given", MACHINES.values(), ids=MACHINES)
def test_a_machine_goes_step_by_step_as_its_twin(given):
    """Residuals of 1e-15 are 1e-13 in velocities and 1e-11 in reactions."""
    made, twin_of = given()
    kernels = Kernels(made, DT)
    built = twin_of(kernels)
    machine = built.machine()
    for dt in STEPS:
        compare_step(kernels, built, machine, dt)


@pytest.mark.parametrize("given", [rack_and_differential, pendulum])
def test_refined_forces_ask_for_no_corrections_of_their_own(given):
    """Dampers are refined up to four times a step, and rows are corrected once, for their prediction."""
    kernels = Kernels(given()[0], 1e-4)
    passes = []
    for _ in range(6):
        kernels.step(1e-4)
        passes.append(int(kernels.system.steps["passes"].max()))
    assert kernels.system.subsystems["damping_passes"].max() == 4
    assert max(passes[3:]) == 1
