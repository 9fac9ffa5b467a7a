"""Whole steps of small machines against a twin of dense algebra, step by step, of equal and of unequal length."""

from __future__ import annotations

from dataclasses import asdict

import naive.constraints as rows_twin
import naive.core as core_twin
import naive.forces as forces_twin
import naive.integration as twin
import numpy as np
import pytest
from gsolve.parser.model import JointForce
from gsolve.solver.core.bodies import motion_of
from gsolve.solver.integration import families, loop, rows, step  # noqa: F401  what is compared
from gsolve.solver.integration import system as columns
from gsolve.solver.integration.status import COMPLETED
from gsolve.solver.integration.threads import TimeLoop
from hand_models import Machine, Z, unit
from joint_rig import Built
from naive import dense_jacobian, joint_rows

DT = 1e-2
EQUAL = [DT] * 12
UNEQUAL = [DT, DT, 0.5 * DT, 0.5 * DT, 1.5 * DT, 0.7 * DT, DT, 0.25 * DT, DT]
A, B = unit((1.0, 2.0, -0.5)), unit((2.0, -1.0, 0.3))
INERTIA = (0.3, 0.5, 0.4, 0.02, -0.03, 0.05)


class Kernels:
    """A machine that the compiled loop takes step by step."""

    def __init__(self, machine):
        self.simulation = machine.simulation(DT)
        self.simulation.compile()
        self.system = self.simulation._system
        self.loop = TimeLoop(self.system, 1)
        self.steps, self.t = 0, 0.0

    def step(self, dt):
        """Take a step; what a sample says of its start."""
        samples = columns.new_samples(self.system, np.array([self.steps]), len(self.loop.chunks))
        outcomes = self.loop.run(self.system, samples, self.steps, 1, self.steps, self.t, dt)
        assert [outcome["status"] for outcome in outcomes] == [COMPLETED] * len(outcomes)
        self.steps, self.t = self.steps + 1, self.t + dt
        return samples

    def body_of(self, node):
        return int(self.system.points.body[node - 1]) if node else 0


def place_of(machine, node):
    return machine.model.nodes.coordinates[node - 1]


class Twin:
    """The twin of a machine, built from the same calls: what acts is added one by one."""

    def __init__(self, machine, kernels):
        self.model, self.kernels, self.rows = machine, kernels, []
        self.bodies = kernels.system.bodies
        self.elastic, self.external, self.dissipative = [], [], []
        self.energies = []  # of springs
        self.friction = []

    def add(self, measure, law=None):
        self.rows.append(twin.Rows(measure, law))
        return len(self.rows) - 1

    def joint(self, kind, node_i, node_j, axis, axis_j=None):
        """Rows of a /JOINT; a node 0 is a point of the ground where the other one stands."""
        places = [place_of(self.model, node or node_i + node_j) for node in (node_i, node_j)]
        return self.pair(kind, *map(self.kernels.body_of, (node_i, node_j)), *places, axis, axis_j)

    def shaft(self, kind, carrier, node, axis):
        """The same of a node of a gear joint, which stays at a point of the carrier."""
        place = place_of(self.model, node)
        return self.pair(kind, *map(self.kernels.body_of, (carrier, node)), place, place, axis)

    def pair(self, kind, a, b, place_i, place_j, axis, axis_j=None):
        across = unit(np.cross(axis, (0.3, 0.5, -0.8)))
        triad = unit(axis), across, np.cross(axis, across)
        built = Built(kind, (a, b), np.array(place_i), np.array(place_j), unit(axis), unit(axis_j or axis))

        def measure(bodies, prefix):
            if prefix:
                return joint_rows(built, triad, bodies)
            here = bodies.copy()
            for name in ("displacement", "rotation"):
                here["trial_" + name] = bodies[name]
            return joint_rows(built, triad, here)

        return self.add(measure)

    def angle(self, carrier, node, axis):
        a, b = self.kernels.body_of(carrier), self.kernels.body_of(node)
        return lambda bodies, prefix: rows_twin.angle_about(bodies, a, b, unit(axis), prefix)

    def slide(self, carrier, node, axis):
        a, b = self.kernels.body_of(carrier), self.kernels.body_of(node)
        place = place_of(self.model, node)
        return lambda bodies, prefix: rows_twin.slide_along(bodies, a, b, place, unit(axis), prefix)

    def relation(self, *terms):
        """Sum of coefficient times coordinate."""
        self.add(lambda bodies, prefix: np.array([sum(factor * q(bodies, prefix) for factor, q in terms)]))

    def drive(self, coordinate, kind, function):
        law = rows_twin.Law(kind, function, (1.0, 1.0), (0.0, np.inf), 0.0, False)
        self.add(lambda bodies, prefix: np.array([coordinate(bodies, prefix)]), law)

    def springs(self):
        """All springs of the model."""
        points = self.kernels.system.points
        for given in self.model.model.springs:
            spring = forces_twin.Spring("TYPE4", given.property.dofs, points, (given.node_1, given.node_2), {})

            def elastic(machine, spring=spring):
                spring.measure(motion_of(machine.bodies), machine.step_before[:, 3:], machine.t)
                return spring.wrench(motion_of(machine.bodies), spring.elastic_forces())

            def dissipative(machine, spring=spring):
                motion = motion_of(machine.bodies)
                return spring.wrench(motion, spring.dissipative_forces(motion))

            self.elastic.append(elastic)
            self.dissipative.append(dissipative)
            self.energies.append(spring.energy)

    def load(self, node, force, function):
        """A force on a node, times a function of t."""
        points = self.kernels.system.points
        self.external.append(
            lambda machine: core_twin.wrench_of_force(
                motion_of(machine.bodies), points, node - 1, function(machine.t) * np.array(force)
            )
        )

    def torque(self, node, moment, function):
        wrench = np.zeros((len(self.bodies), 6))
        wrench[self.kernels.body_of(node), 3:] = moment
        self.external.append(lambda machine: function(machine.t) * wrench)

    def joint_force(self, given, place, node_i, node_j, axis):
        """What acts about the axis of a revolute joint, the one of those Rows."""
        law = {**asdict(given), "friction": given.friction_coefficient * given.radius}
        coordinate, (a, b) = self.angle(node_i, node_j, axis), map(self.kernels.body_of, (node_i, node_j))
        forces = JointForceTwin(law, coordinate, place, a, b, unit(axis))
        self.elastic.append(forces.elastic)
        self.dissipative.append(forces.dissipative)
        self.energies.append(forces.energy)
        self.friction.append(forces)

    def machine(self):
        def sum_of(forces):
            return (lambda machine: sum(force(machine) for force in forces)) if forces else None

        return twin.Machine(
            self.bodies, self.rows, sum_of(self.elastic), sum_of(self.external), sum_of(self.dissipative)
        )


class JointForceTwin:
    """Spring, damper, stops and friction about the axis of a joint, and the work of the friction."""

    def __init__(self, law, coordinate, place, a, b, axis):
        self.law, self.coordinate, self.place, self.sides, self.axis = law, coordinate, place, (a, b), axis
        self.work = self.friction = self.friction_before = 0.0

    def forces(self, machine):
        a, b = (machine.bodies[body] for body in self.sides)
        along = a["rotation"] @ self.axis
        rate = along @ (b["mean_angular_velocity"] - a["mean_angular_velocity"])
        bearing = machine.reactions_of(self.place)
        force = bearing[self.sides[1]] if self.sides[1] else -bearing[self.sides[0]]
        found = forces_twin.joint_force(self.law, self.coordinate(machine.bodies, ""), rate, force[:3])
        return along, found

    def wrench(self, machine, along, moment):
        wrench = np.zeros((len(machine.bodies), 6))
        for body, sign in zip(self.sides, (-1.0, 1.0), strict=True):
            wrench[body, 3:] += sign * moment * along
        return wrench

    def elastic(self, machine):
        along, (force, _, _, _, self.stored) = self.forces(machine)
        self.friction_before, self.q_before = self.friction, getattr(self, "q", 0.0)
        self.q = self.coordinate(machine.bodies, "")
        return self.wrench(machine, along, force)

    def dissipative(self, machine):
        along, (_, damping, self.friction, _, _) = self.forces(machine)
        return self.wrench(machine, along, damping + self.friction)

    def energy(self):
        return self.stored

    def add_work(self):
        self.work += 0.5 * (self.friction_before + self.friction) * (self.q - self.q_before)
        return self.work


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
    """A rack and a differential on one housing that flies with more rows than HUB_ROWS; the rack and a shaft of the differential on a spring."""
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


MACHINES = {
    "gear": free_gear, "rack and differential": rack_and_differential, "pendulum": pendulum, "driven": driven,
    "loose": loose,
}  # fmt: skip


@pytest.mark.parametrize("steps", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("given", MACHINES.values(), ids=MACHINES)
def test_a_machine_goes_step_by_step_as_its_twin(given, steps):
    """Positions, velocities, reactions and works; residuals of 1e-15 are 1e-13 in velocities, 1e-11 in reactions."""
    made, twin_of = given()
    kernels = Kernels(made)
    built = twin_of(kernels)
    machine = built.machine()
    at_start = float(kernels.system.parts["drive_work"].sum())  # of what starts with a jump
    bodies, turning = kernels.system.bodies, kernels.system.bodies["turning"] > 0
    for dt in steps:
        samples = kernels.step(dt)
        machine.step(dt)
        friction = sum(force.add_work() for force in built.friction)
        for name, tolerance in (("displacement", 1e-12), ("velocity", 1e-11)):
            np.testing.assert_allclose(bodies[name], machine.bodies["trial_" + name], rtol=0, atol=tolerance)
        np.testing.assert_allclose(bodies["rotation"], machine.bodies["trial_rotation"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            bodies["momentum"][turning], machine.bodies["trial_momentum"][turning], rtol=0, atol=1e-11
        )
        found = dense_jacobian(kernels.system.rows, kernels.system.entries, len(bodies))
        found = (found.T @ samples.multiplier[0]).reshape(-1, 6)
        np.testing.assert_allclose(found[:, :3], machine.reactions()[:, :3], rtol=0, atol=1e-8)
        np.testing.assert_allclose(found[turning, 3:], machine.reactions()[turning, 3:], rtol=0, atol=1e-8)
        sums = samples.sums.sum(axis=0)[0]
        kinetic = machine.energies()
        expected = {
            columns.KINETIC_TRANSLATIONAL: kinetic[0],
            columns.KINETIC_ROTATIONAL: kinetic[1],
            columns.GRAVITY: kinetic[2],
            columns.SPRING: sum(energy() for energy in built.energies),
            columns.DAMPING: -machine.work["dissipative"] + friction,
            columns.FRICTION: -friction,
            columns.EXTERNAL_WORK: machine.work["external"],
            columns.DRIVE_WORK: at_start + machine.work["drives"],
        }
        np.testing.assert_allclose(sums[list(expected)], list(expected.values()), rtol=0, atol=1e-10)
        machine.commit()
