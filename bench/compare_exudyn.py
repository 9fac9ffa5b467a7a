"""The machines of the comparison in Exudyn (PyPI: exudyn), in the forms that run fastest there.

Gear chain: 1D rotors and coordinate constraints.  Free carriers: a kinematic tree each (three slides and three angles
for the carrier, one angle a rotor), so that the gear, a coordinate constraint, is the only constraint.  Linkages: 2D
rigid bodies and 2D revolute joints.  Implicit integrators only, since Exudyn's explicit ones take no such constraints:
generalized-alpha on the positions, spectral radius 0.95, and for Andrews' mechanism also the trapezoidal rule on the
velocities (which breaks down where four-bars are in line, and did no better than the former on the rest).  How Newton's
method is run was chosen by trial, NEWTON.  Dense matrices for small systems, sparse ones for large; the module without
range checks (EXUDYN_MODULE=fast, set in `compare.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import exudyn as exu
import numpy as np
from compare_references import Andrews, FourBars, FreeCarriers, GearChain, Machine
from exudyn import itemInterface as items
from scipy.spatial.transform import Rotation

NAME = "Exudyn"
ALPHA, TRAPEZOIDAL = "gen. alpha", "trapezoidal"
# Newton's method: a Jacobian for each step (or only once the iteration gets slow), relative tolerance.
NEWTON = {GearChain: (False, 1e-8), FreeCarriers: (True, 1e-5), FourBars: (True, 1e-5), Andrews: (False, 1e-7)}
DENSE_BODIES = 20
CARRIER_ANGLES = "ZYX"  # of a carrier; of the six orders the one that needs the fewest iterations

Observer = Callable[[np.ndarray], np.ndarray]


def version() -> str:
    return exu.__version__


def methods(machine: Machine) -> Sequence[str]:
    """Integrators to try."""
    return [ALPHA, TRAPEZOIDAL] if isinstance(machine, Andrews) else [ALPHA]


class Run:
    """A machine, ready to be advanced once, by all its steps."""

    def __init__(self, machine: Machine, method: str, dt: float) -> None:
        self._machine = machine
        container = exu.SystemContainer()
        self._system = container.AddSystem()
        if isinstance(machine, GearChain):
            bodies = machine.rotors
            self._observer = _gear_chain(self._system, machine)
        elif isinstance(machine, FreeCarriers):
            bodies = 3 * machine.carriers
            self._observer = _free_carriers(self._system, machine)
        else:
            bodies = len(machine.bodies)
            self._observer = _linkage(self._system, machine)
        self._system.Assemble()
        self._settings = _settings(machine, method, round(machine.t_end / dt), bodies > DENSE_BODIES)
        self._solver = exu.MainSolverImplicitSecondOrder()
        self._solver.InitializeSolver(self._system, self._settings)

    def advance(self, steps: int) -> None:
        """All steps; the number is in the settings."""
        assert steps == self._settings.timeIntegration.numberOfSteps
        if not self._solver.SolveSteps(self._system, self._settings):
            raise ArithmeticError("Newton's method does not converge")

    def observe(self) -> np.ndarray:
        """What the machine compares."""
        return self._observer(self._system.systemData.GetODE2Coordinates())

    def close(self) -> None:
        self._solver.FinalizeSolver(self._system, self._settings)
        self._system.Reset()


def _settings(machine: Machine, method: str, steps: int, large: bool) -> exu.SimulationSettings:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = steps, machine.t_end
    integration.adaptiveStep, integration.verboseMode = False, 0
    integration.generalizedAlpha.spectralRadius = 0.95
    if method == TRAPEZOIDAL:
        integration.generalizedAlpha.useNewmark = integration.generalizedAlpha.useIndex2Constraints = True
    each_step, tolerance = NEWTON[type(machine)]
    integration.newton.modifiedNewtonJacUpdatePerStep = each_step
    integration.newton.relativeTolerance = tolerance
    solvers = exu.LinearSolverType
    settings.linearSolver.solverType = solvers.EigenSparse if large else solvers.EXUdense
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = settings.solution.sensors.active = False
    return settings


def _coordinate(system: exu.MainSystem, node: int, coordinate: int) -> int:
    """Marker of one coordinate of a node."""
    return system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))


def _gear_chain(system: exu.MainSystem, machine: GearChain) -> Observer:
    ground = _coordinate(system, system.AddNode(items.NodePointGround()), 0)
    rotors = []
    for rate in machine.rates:
        node = system.AddNode(items.Node1D(referenceCoordinates=[0.0], initialVelocities=[rate]))
        system.AddObject(items.ObjectRotationalMass1D(nodeNumber=node, inertia=machine.inertia))
        rotors.append(_coordinate(system, node, 0))
    system.AddObject(
        items.ObjectConnectorCoordinateSpringDamper(markerNumbers=[ground, rotors[0]], stiffness=machine.stiffness)
    )
    for pair in pairwise(rotors):
        system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=list(pair), factor1=-1.0))
    return lambda coordinates: coordinates


def _free_carriers(system: exu.MainSystem, machine: FreeCarriers) -> Observer:
    joints, straight, none = exu.JointType, np.eye(3), np.zeros((3, 3))
    angles = [getattr(joints, f"Revolute{axis}") for axis in CARRIER_ANGLES]
    rates = [machine.tumble["XYZ".index(axis)] for axis in CARRIER_ANGLES]  # all angles are 0
    inertias = [none] * 5 + [np.diag(machine.inertia)] + [machine.rotor_inertia * straight] * 2
    for _ in range(machine.carriers):
        node = system.AddNode(
            items.NodeGenericODE2(
                referenceCoordinates=[0.0] * 8,
                initialCoordinates=[0.0] * 8,
                initialCoordinates_t=[0.0, 0.0, 0.0, *rates, *machine.spins],
                numberOfODE2Coordinates=8,
            )
        )
        system.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=node,
                jointTypes=[joints.PrismaticX, joints.PrismaticY, joints.PrismaticZ, *angles, *[joints.RevoluteZ] * 2],
                linkParents=[-1, 0, 1, 2, 3, 4, 5, 5],
                jointTransformations=exu.Matrix3DList([straight] * 6 + [_frame(axis) for axis in machine.axes]),
                jointOffsets=exu.Vector3DList([np.zeros(3)] * 6 + [np.array(place) for place in machine.places]),
                linkInertiasCOM=exu.Matrix3DList(inertias),
                linkCOMs=exu.Vector3DList([np.zeros(3)] * 8),
                linkMasses=[0.0] * 5 + [machine.mass] + [machine.rotor_mass] * 2,
            )
        )
        first, second = _coordinate(system, node, 6), _coordinate(system, node, 7)
        system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[second, first], factor1=-machine.alpha))
    return lambda coordinates: Rotation.from_euler(CARRIER_ANGLES, coordinates[-5:-2]).as_matrix()


def _frame(axis: Sequence[float]) -> np.ndarray:
    """(3, 3) rotation whose third column is the axis."""
    z = np.array(axis) / np.linalg.norm(axis)
    y = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


def _linkage(system: exu.MainSystem, machine: FourBars | Andrews) -> Observer:
    ground = system.AddObject(items.ObjectGround())
    nodes, bodies = [], []
    for bar in machine.bodies:
        motion = [*bar.velocity, bar.rate]
        node = system.AddNode(
            items.NodeRigidBody2D(referenceCoordinates=[*bar.centre, bar.angle], initialVelocities=motion)
        )
        body = system.AddObject(items.ObjectRigidBody2D(nodeNumber=node, mass=bar.mass, inertia=bar.inertia))
        nodes.append(node)
        bodies.append(body)
        if machine.gravity:
            whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
            system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0.0, -machine.gravity, 0.0]))

    def point(number: int, place: np.ndarray) -> int:
        """Marker of a body's point that is at `place` at t = 0; body -1 is the ground."""
        if number == -1:
            return system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[*place, 0.0]))
        bar = machine.bodies[number]
        x, y = place - bar.centre
        c, s = np.cos(bar.angle), np.sin(bar.angle)
        local = [c * x + s * y, c * y - s * x, 0.0]
        return system.AddMarker(items.MarkerBodyPosition(bodyNumber=bodies[number], localPosition=local))

    for hinge in machine.hinges:
        ends = [point(hinge.first, hinge.place), point(hinge.second, hinge.place)]
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=ends))
    if isinstance(machine, FourBars):
        return lambda coordinates: np.array([-np.sin(coordinates[2]), np.cos(coordinates[2])])
    ends = [point(-1, machine.spring_anchor), point(2, machine.points["D"])]
    system.AddObject(
        items.ObjectConnectorSpringDamper(
            markerNumbers=ends, referenceLength=machine.free_length, stiffness=machine.stiffness
        )
    )
    system.AddLoad(items.LoadCoordinate(markerNumber=_coordinate(system, nodes[0], 2), load=machine.torque))
    return lambda coordinates: coordinates[2]
