"""The machines of the comparison in Exudyn (PyPI: exudyn), in the forms that run fastest there.

Gears on ground: 1D rotors and coordinate constraints.  Free carriers: a kinematic tree each (three slides and three
angles for the carrier, one angle a rotor), so that the gear, a coordinate constraint, is the only constraint.
Linkages: 2D rigid bodies and 2D revolute joints.  Machines in space: a kinematic tree, or where loops close rigid
bodies of three angles with joints between them (a tree with such joints took five to eight times as long).  Explicit
integration (RK4) where nothing is constrained, as the arm, since Exudyn's explicit integrators take no such
constraints.  Else implicit: generalized-alpha on the positions, spectral radius 0.95, and for Andrews' mechanism also
the trapezoidal rule on the velocities (which breaks down where four-bars are in line, and did no better than the former
on the rest).  How Newton's method is run was chosen by trial, NEWTON.  Dense matrices for small systems, sparse ones
for large; the module without range checks (EXUDYN_MODULE=fast, set in `measure.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import exudyn as exu
import numpy as np
from exudyn import itemInterface as items
from scipy.spatial.transform import Rotation

from comparison.machines import Andrews, FourBars, FreeCarriers, GearChain, Machine, Planetary
from comparison.reference_motion import links_of, velocities_at_start
from comparison.spatial import Hexapod, Spatial, Vehicle, frame

NAME = "Exudyn"
ALPHA, TRAPEZOIDAL, EXPLICIT = "gen. alpha", "trapezoidal", "RK4"
# Newton's method: a Jacobian for each step (or only once the iteration gets slow), relative tolerance.
NEWTON = {
    FreeCarriers: (True, 1e-5),
    FourBars: (True, 1e-5),
    Andrews: (False, 1e-7),
    Hexapod: (False, 1e-6),
    Vehicle: (False, 1e-6),
}
NEWTON_OF_OTHERS = (False, 1e-8)
DENSE_BODIES = 10
CARRIER_ANGLES = "ZYX"  # of a carrier; of the six orders the one that needs the fewest iterations

Function = Callable[[np.ndarray], np.ndarray]  # of the coordinates
Functions = tuple[Function, Function]  # what the machine compares, and by how much its constraints are violated


def version() -> str:
    return exu.__version__


def methods(machine: Machine) -> Sequence[str]:
    """Integrators to try."""
    if isinstance(machine, Spatial) and not machine.balls:
        return [ALPHA, EXPLICIT]
    return [ALPHA, TRAPEZOIDAL] if isinstance(machine, Andrews) else [ALPHA]


def settings(machine: Machine, method: str) -> Sequence[float]:
    """Steps to try, from long to short."""
    return machine.steps


class Run:
    """A machine, ready to be advanced to its end."""

    def __init__(self, machine: Machine, method: str, dt: float, t_end: float) -> None:
        container = exu.SystemContainer()
        self._system = container.AddSystem()
        self.steps = round(t_end / dt)
        self._observer, self._residuals = _built(self._system, machine)
        self._system.Assemble()
        self._settings = _settings(machine, method, self.steps, t_end)
        if method == EXPLICIT:
            self._solver = exu.MainSolverExplicit()
        else:
            self._solver = exu.MainSolverImplicitSecondOrder()
        self._solver.InitializeSolver(self._system, self._settings)

    def advance(self) -> None:
        if not self._solver.SolveSteps(self._system, self._settings):
            raise ArithmeticError("Newton's method does not converge")

    def observe(self) -> np.ndarray:
        """What the machine compares."""
        return self._observer(self._system.systemData.GetODE2Coordinates())

    def violation(self) -> float:
        """Largest residual of a constraint at the end, in m or rad; 0 where there is none."""
        return float(np.abs(self._residuals(self._system.systemData.GetODE2Coordinates())).max(initial=0.0))

    def close(self) -> None:
        self._solver.FinalizeSolver(self._system, self._settings)
        self._system.Reset()


def _built(system: exu.MainSystem, machine: Machine) -> Functions:
    """Add the machine to an empty system."""
    if isinstance(machine, GearChain):
        return _gear_chain(system, machine)
    if isinstance(machine, Planetary):
        return _planetary(system, machine)
    if isinstance(machine, FreeCarriers):
        return _free_carriers(system, machine)
    if isinstance(machine, Spatial):
        return _loops(system, machine) if machine.balls else _tree(system, machine)
    return _linkage(system, machine)


def _size(machine: Machine) -> int:
    """Bodies of the matrix."""
    if isinstance(machine, GearChain):
        return machine.rotors
    if isinstance(machine, FreeCarriers):
        return 3 * machine.carriers
    return 0 if isinstance(machine, Planetary) else len(machine.bodies)


def _settings(machine: Machine, method: str, steps: int, t_end: float) -> exu.SimulationSettings:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = steps, t_end
    integration.adaptiveStep, integration.verboseMode = False, 0
    integration.generalizedAlpha.spectralRadius = 0.95
    if method == TRAPEZOIDAL:
        integration.generalizedAlpha.useNewmark = integration.generalizedAlpha.useIndex2Constraints = True
    if method == EXPLICIT:
        integration.explicitIntegration.dynamicSolverType = exu.DynamicSolverType.RK44
    each_step, tolerance = NEWTON.get(type(machine), NEWTON_OF_OTHERS)
    integration.newton.modifiedNewtonJacUpdatePerStep = each_step
    integration.newton.relativeTolerance = tolerance
    solvers = exu.LinearSolverType
    settings.linearSolver.solverType = solvers.EigenSparse if _size(machine) > DENSE_BODIES else solvers.EXUdense
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = settings.solution.sensors.active = False
    return settings


def _coordinate(system: exu.MainSystem, node: int, coordinate: int) -> int:
    """Marker of one coordinate of a node."""
    return system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))


def _gear_chain(system: exu.MainSystem, machine: GearChain) -> Functions:
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
    return lambda coordinates: coordinates, lambda coordinates: coordinates[1:] + coordinates[:-1]


def _planetary(system: exu.MainSystem, machine: Planetary) -> Functions:
    """Absolute angles; the mass of the planets goes round with their carrier."""
    mass, inertia = machine.planet
    rows: list[tuple[int, int, float]] = []  # angle of the first = factor * angle of the second
    markers: list[int] = []

    def rotor(inertia: float, rate: float) -> int:
        node = system.AddNode(items.Node1D(referenceCoordinates=[0.0], initialVelocities=[rate]))
        system.AddObject(items.ObjectRotationalMass1D(nodeNumber=node, inertia=inertia))
        markers.append(_coordinate(system, node, 0))
        return len(markers) - 1

    shafts = []
    for k, ((_, own), rate) in enumerate(zip(machine.shafts, machine.rates, strict=True)):
        shafts.append(rotor(own + (machine.planets * mass * machine.radius**2 if k > 0 else 0.0), rate))
        if k > 0:
            rows.append((shafts[k - 1], shafts[k], 1.0 + machine.ring_ratio))
            for _ in range(machine.planets):
                speed = 1.0 - machine.ring_ratio
                rows.append((rotor(inertia, speed * rate), shafts[k], speed))
    for first, second, factor in rows:
        ends = [markers[first], markers[second]]
        system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=ends, factor1=factor))
    ground = _coordinate(system, system.AddNode(items.NodePointGround()), 0)
    ends = [ground, markers[shafts[-1]]]
    system.AddObject(items.ObjectConnectorCoordinateSpringDamper(markerNumbers=ends, stiffness=machine.stiffness))
    driven, driving, factors = (np.array(column) for column in zip(*rows, strict=True))
    return lambda angles: angles[shafts], lambda angles: angles[driven] - factors * angles[driving]


def _free_carriers(system: exu.MainSystem, machine: FreeCarriers) -> Functions:
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
                jointTransformations=exu.Matrix3DList([straight] * 6 + [frame(axis) for axis in machine.axes]),
                jointOffsets=exu.Vector3DList([np.zeros(3)] * 6 + [np.array(place) for place in machine.places]),
                linkInertiasCOM=exu.Matrix3DList(inertias),
                linkCOMs=exu.Vector3DList([np.zeros(3)] * 8),
                linkMasses=[0.0] * 5 + [machine.mass] + [machine.rotor_mass] * 2,
            )
        )
        first, second = _coordinate(system, node, 6), _coordinate(system, node, 7)
        system.AddObject(items.ObjectConnectorCoordinate(markerNumbers=[second, first], factor1=-machine.alpha))
    return (
        lambda coordinates: Rotation.from_euler(CARRIER_ANGLES, coordinates[-5:-2]).as_matrix(),
        lambda coordinates: coordinates[7::8] + machine.alpha * coordinates[6::8],
    )


def _linkage(system: exu.MainSystem, machine: FourBars | Andrews) -> Functions:
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

    pairs = [(point(hinge.first, hinge.place), point(hinge.second, hinge.place)) for hinge in machine.hinges]
    for ends in pairs:
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=list(ends)))
    gaps = _gaps(system, pairs)
    if isinstance(machine, FourBars):
        return lambda coordinates: np.array([-np.sin(coordinates[2]), np.cos(coordinates[2])]), gaps
    held = [point(-1, machine.spring_anchor), point(2, machine.points["D"])]
    system.AddObject(
        items.ObjectConnectorSpringDamper(
            markerNumbers=held, referenceLength=machine.free_length, stiffness=machine.stiffness
        )
    )
    system.AddLoad(items.LoadCoordinate(markerNumber=_coordinate(system, nodes[0], 2), load=machine.torque))
    return lambda coordinates: coordinates[2], gaps


def _gaps(system: exu.MainSystem, pairs: Sequence[Sequence[int]]) -> Function:
    """Distances of the markers that joints hold together."""
    return lambda _: np.array([np.linalg.norm(np.subtract(*_places(system, pair))) for pair in pairs])


def _places(system: exu.MainSystem, markers: Sequence[int]) -> np.ndarray:
    """(n, 3) where markers are."""
    place = exu.OutputVariableType.Position
    return np.array([system.GetMarkerOutput(marker, place) for marker in markers])


def _tree(system: exu.MainSystem, machine: Spatial) -> Functions:
    """One tree of hinges and slides about and along the z axes of their links."""
    links, last = links_of(machine)
    ground = system.AddObject(items.ObjectGround())
    frames = [frame(link.axis) for link in links]
    parents = [link.parent for link in links]
    outer = [frames[k] if k >= 0 else np.eye(3) for k in parents]
    origins = [links[k].place if k >= 0 else np.zeros(3) for k in parents]
    joints = [exu.JointType.RevoluteZ if link.hinge else exu.JointType.PrismaticZ for link in links]
    masses, centres = np.zeros(len(links)), np.zeros((len(links), 3))
    inertias = [np.zeros((3, 3)) for _ in links]
    for body, k in zip(machine.bodies, last, strict=True):
        turned = frames[k].T @ body.turned
        masses[k] = body.mass
        centres[k] = frames[k].T @ (body.centre - links[k].place)
        inertias[k] = turned @ np.diag(body.inertia) @ turned.T
    count = len(links)
    node = system.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * count,
            initialCoordinates=[0.0] * count,
            initialCoordinates_t=[float(link.rate) for link in links],
            numberOfODE2Coordinates=count,
        )
    )
    tree = system.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=joints,
            linkParents=parents,
            jointTransformations=exu.Matrix3DList([a.T @ b for a, b in zip(outer, frames, strict=True)]),
            jointOffsets=exu.Vector3DList([
                a.T @ (link.place - origin) for a, link, origin in zip(outer, links, origins, strict=True)
            ]),
            linkInertiasCOM=exu.Matrix3DList(inertias),
            linkCOMs=exu.Vector3DList(list(centres)),
            linkMasses=list(masses),
            gravity=[0.0, 0.0, -machine.gravity],
        )
    )  # fmt: skip

    def point(number: int, place: Sequence[float]) -> int:
        """Marker of a body's point; body -1 is the ground."""
        if number == -1:
            return system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=list(place)))
        k = last[number]
        local = frames[k].T @ (place - links[k].place)
        return system.AddMarker(
            items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=k, localPosition=list(local))
        )

    _springs(system, machine, point)
    observed = [point(number, place) for number, place in machine.points]
    return lambda _: _places(system, observed), lambda _: np.zeros(0)


# Of a generic joint: three translations along and three rotations about its axes that it holds, and the axis that those
# of the machine's joint are.  A universal joint holds the x axis of one side and the y axis of the other square.
HELD = {"revolute": [1, 1, 1, 1, 1, 0], "prismatic": [1, 1, 0, 1, 1, 1], "universal": [1, 1, 1, 0, 0, 1]}


def _loops(system: exu.MainSystem, machine: Spatial) -> Functions:
    """Rigid bodies with three angles each, parallel to the global axes at t = 0, and joints between them."""
    ground = system.AddObject(items.ObjectGround())
    bodies = []
    for body, (velocity, spin) in zip(machine.bodies, velocities_at_start(machine), strict=True):
        node = system.AddNode(
            items.NodeRigidBodyRxyz(
                referenceCoordinates=[*body.centre, 0.0, 0.0, 0.0], initialVelocities=[*velocity, *spin]
            )
        )
        j = body.turned @ np.diag(body.inertia) @ body.turned.T
        inertia = [j[0, 0], j[1, 1], j[2, 2], j[1, 2], j[0, 2], j[0, 1]]
        number = system.AddObject(items.ObjectRigidBody(nodeNumber=node, physicsMass=body.mass, physicsInertia=inertia))
        whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=number))
        weight = items.LoadMassProportional(markerNumber=whole, loadVector=[0.0, 0.0, -machine.gravity])
        system.AddLoad(weight)
        bodies.append(number)

    def point(number: int, place: Sequence[float]) -> int:
        """Marker of a body's point; body -1 is the ground."""
        if number == -1:
            return system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=list(place)))
        local = list(np.subtract(place, machine.bodies[number].centre))
        return system.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[number], localPosition=local))

    pairs = []
    for number, body in enumerate(machine.bodies):
        if body.joint == "free":
            continue
        ends = [point(body.parent, body.place), point(number, body.place)]
        pairs += [ends] if body.joint != "prismatic" else []
        if body.joint == "spherical":
            system.AddObject(items.ObjectJointSpherical(markerNumbers=ends))
            continue
        if body.joint == "universal":
            axes = np.stack([*body.axes, np.cross(*body.axes)], axis=1)
        else:
            axes = frame(body.axes[0])
        system.AddObject(
            items.ObjectJointGeneric(
                markerNumbers=ends, constrainedAxes=HELD[body.joint], rotationMarker0=axes, rotationMarker1=axes
            )
        )
    for ball in machine.balls:
        pairs.append([point(ball.first, ball.place), point(ball.second, ball.place)])
        system.AddObject(items.ObjectJointSpherical(markerNumbers=pairs[-1]))
    _springs(system, machine, point)
    observed = [point(number, place) for number, place in machine.points]
    return lambda _: _places(system, observed), _gaps(system, pairs)


def _springs(system: exu.MainSystem, machine: Spatial, point: Callable[[int, Sequence[float]], int]) -> None:
    """Springs and dampers along lines."""
    for spring in machine.springs:
        system.AddObject(
            items.ObjectConnectorSpringDamper(
                markerNumbers=[point(spring.first, spring.ends[0]), point(spring.second, spring.ends[1])],
                referenceLength=spring.free_length,
                stiffness=spring.stiffness,
                damping=spring.damping,
            )
        )
