"""A machine that the compiled loop takes step by step, and its twin beside it."""

from __future__ import annotations

from dataclasses import asdict

import naive.constraints as rows_twin
import naive.core as core_twin
import naive.forces as forces_twin
import naive.integration as twin
import naive.interfaces as interfaces_twin
import numpy as np
from body_rig import motion_of, points_of
from gsolve.solver.contact.records import DAMPING_ENERGY, ELASTIC_ENERGY, FRICTION_ENERGY, LARGEST_DEBT, PARTED_WORK
from gsolve.solver.geometry.shapes import NAMES_OF_KINDS
from gsolve.solver.integration import system as columns
from gsolve.solver.integration.segments import Segment
from gsolve.solver.integration.status import COMPLETED
from gsolve.solver.integration.threads import TimeLoop
from gsolve.solver.run.simulation import Simulation
from hand_models import unit
from joint_rig import Built
from naive import dense_jacobian, joint_rows


class Kernels:
    """A machine that the compiled loop takes step by step, on the general path.

    passes : for the velocities of t_n in place of as many as a run takes: those of the twin end with nothing to change
    """

    def __init__(self, machine, dt, passes=None, close_gaps=False):
        self.simulation = Simulation(machine.model, dt=dt, allow_user_code=True, close_gaps=close_gaps, general=True)
        self.as_assembled = self.simulation._system.bodies.copy()
        self.simulation.compile()
        self.system = self.simulation._system
        if passes:
            self.system.subsystems["damping_passes"][self.system.subsystems["damping_passes"] > 0] = passes
        self.loop = TimeLoop(self.system, 1)
        self.steps, self.t = 0, 0.0

    def step(self, dt):
        """Take a step; what a sample says of its start."""
        samples = columns.new_samples(self.system, np.array([self.steps]), len(self.loop.chunks))
        outcomes = self.loop.run(self.system, samples, Segment(self.steps, 1, self.steps, self.t, dt))
        assert [outcome["status"] for outcome in outcomes] == [COMPLETED] * len(outcomes)
        self.steps, self.t = self.steps + 1, self.t + dt
        return samples

    def body_of(self, node):
        return int(self.system.points["body"][node - 1]) if node else 0


def place_of(machine, node):
    return machine.model.nodes.coordinates[node - 1]


class Twin:
    """The twin of a machine, built from the same calls: what acts is added one by one."""

    def __init__(self, machine, kernels):
        self.model, self.kernels, self.rows = machine, kernels, []
        self.bodies = kernels.system.bodies
        self.at_start = float(kernels.system.subsystems["drive_work"].sum())  # of what starts with a jump
        self.elastic, self.external, self.dissipative = [], [], []
        self.energies = []  # of springs
        self.friction = []
        self.interfaces = []

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
        points = points_of(self.kernels.system.points)
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
        points = points_of(self.kernels.system.points)
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

    def interface(self, kind, *given, **more):
        """The next interface of the model, by a class of naive.interfaces, with the solids as the kernels have them."""
        solids = [
            interfaces_twin.Solid(NAMES_OF_KINDS[shape["kind"]], int(shape["body"]), shape["centre"].copy(),
                               shape["axes"].copy(), shape["dimensions"].copy())
            for shape in self.kernels.system.contacts.shapes
        ]  # fmt: skip
        of_model = self.model.model.interfaces[len(self.interfaces)]
        sides = [list(of_model.side_i.shapes), list((of_model.side_j or of_model.side_i).shapes)]
        interface = kind(solids, sides, *given, **more)
        self.interfaces.append(interface)
        self.elastic.append(interface.begin)
        self.dissipative.append(interface.forces)
        return interface

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
        self.q_at_start = getattr(self, "q_at_start", self.q)
        return self.wrench(machine, along, force)

    def dissipative(self, machine):
        along, (_, damping, self.friction, _, _) = self.forces(machine)
        return self.wrench(machine, along, damping + self.friction)

    def energy(self):
        return self.stored

    def add_work(self):
        self.work += 0.5 * (self.friction_before + self.friction) * (self.q - self.q_before)
        return self.work

    def work_of_preload(self):
        """A constant load along the coordinate, whose work is that since t = 0."""
        return self.law["preload"] * (self.q - self.q_at_start)


def compare_step(kernels, built, machine, dt, sharp=1.0):
    """One step of both; `sharp` times 1e-12 in positions, 1e-11 in velocities, 1e-8 in reactions, 1e-10 in energies."""
    system, bodies = kernels.system, kernels.system.bodies
    turning = bodies["turning"] > 0
    samples = kernels.step(dt)
    machine.step(dt)
    tolerances = {"displacement": 1e-12, "rotation": 1e-12, "velocity": 1e-11, "momentum": 1e-11}
    for name, tolerance in tolerances.items():
        chosen = slice(None) if name in ("displacement", "velocity") else turning
        wanted = machine.bodies["trial_" + name][chosen]
        np.testing.assert_allclose(bodies[name][chosen], wanted, rtol=0, atol=sharp * tolerance, err_msg=name)
    found = dense_jacobian(system.rows, system.entries, len(bodies))
    found = (found.T @ samples.multiplier[0]).reshape(-1, 6)
    np.testing.assert_allclose(found[:, :3], machine.reactions()[:, :3], rtol=0, atol=sharp * 1e-8)
    np.testing.assert_allclose(found[turning, 3:], machine.reactions()[turning, 3:], rtol=0, atol=sharp * 1e-8)
    compare_energies(built, machine, samples, sharp)
    machine.commit()


def compare_energies(built, machine, samples, sharp):
    """Sums of a sample; what contacts do is taken out of what dampers did."""
    friction = sum(force.add_work() for force in built.friction)
    for interface in built.interfaces:
        interface.add_work(machine)
    of_contacts = sum(interface.works.sum() - interface.at_start for interface in built.interfaces)
    records = np.array([interface.record() for interface in built.interfaces]).reshape(-1, LARGEST_DEBT)
    found = samples.interface[0, : len(records)].copy()
    kept = found[:, PARTED_WORK].sum()  # of pairs that have parted, which the twin has among what is stored
    found[:, ELASTIC_ENERGY] -= found[:, PARTED_WORK]
    np.testing.assert_allclose(found[:, :LARGEST_DEBT], records, rtol=sharp * 1e-9, atol=sharp * 1e-10)
    kinetic = machine.energies()
    expected = {
        columns.TRANSLATIONAL_OF_HALF_STEPS: kinetic[0],
        columns.ROTATIONAL_OF_HALF_STEPS: kinetic[1],
        columns.GRAVITY: kinetic[2],
        columns.SPRING: sum(energy() for energy in built.energies),
        columns.DAMPING: -machine.work["dissipative"] + friction + of_contacts,
        columns.FRICTION: -friction + records[:, FRICTION_ENERGY].sum(),
        columns.EXTERNAL_WORK: machine.work["external"] + sum(force.work_of_preload() for force in built.friction),
        columns.DRIVE_WORK: built.at_start + machine.work["drives"],
        columns.CONTACT_ELASTIC: records[:, ELASTIC_ENERGY].sum() + kept,
        columns.CONTACT_DISSIPATED: records[:, DAMPING_ENERGY].sum(),
    }
    sums = samples.sums.sum(axis=0)[0]
    np.testing.assert_allclose(sums[list(expected)], list(expected.values()), rtol=0, atol=sharp * 1e-10)
