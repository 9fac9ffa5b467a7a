"""The heaps of `contacts.py` in Exudyn (PyPI: exudyn): its GeneralContact, spheres against spheres and triangles.

Spheres without friction are mass points, those with friction rigid bodies in Lie-group coordinates; explicit Euler, the
mass matrix inverted body by body and sparse.  Walls are two triangles each, on the ground.  Springs of the two sides
count in series, dampers in parallel.  It has no cylinders.
"""

from __future__ import annotations

import exudyn as exu
import numpy as np
from contact_scenes import GRAVITY, Heap, Scene, State
from exudyn import itemInterface as items

NAME = "Exudyn"
SHARE = 1.0  # of the steps to be timed


def version() -> str:
    return exu.__version__


def runs(scene: Scene) -> bool:
    """Whether the program can run a scene."""
    return isinstance(scene, Heap)


class Run:
    """A heap, ready to be advanced by some steps."""

    def __init__(self, heap: Heap, state: State, steps: int) -> None:
        self._heap = heap
        self._container = exu.SystemContainer()
        self._system = self._container.AddSystem()
        contact = self._system.AddGeneralContact()
        contact.SetFrictionPairings(heap.friction * heap.rough * np.eye(1))
        contact.frictionProportionalZone = heap.slip
        law = {"contactStiffness": 2 * heap.stiffness, "contactDamping": heap.damping / 2, "frictionMaterialIndex": 0}
        ground = self._system.AddObject(items.ObjectGround())
        wall = self._system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
        self._nodes = [self._sphere(*motion) for motion in zip(*state, strict=True)]
        for points in _walls(heap, float(state.places[:, 2].max())):
            contact.AddTrianglesRigidBodyBased(
                rigidBodyMarkerIndex=wall, pointList=points, triangleList=[[0, 1, 2], [0, 2, 3]], staticTriangles=True,
                **law,
            )  # fmt: skip
        for node in self._nodes:
            kind = items.MarkerNodeRigid if heap.rough else items.MarkerNodePosition
            marker = self._system.AddMarker(kind(nodeNumber=node))
            contact.AddSphereWithMarker(markerIndex=marker, radius=heap.radius, **law)
        cells = max(2, round(heap.count ** (1 / 3)))
        contact.SetSearchTreeCellSize(numberOfCells=[cells] * 3)
        self._system.Assemble()
        self._settings = _settings(heap.dt, steps)
        self._solver = exu.MainSolverExplicit()
        self._solver.InitializeSolver(self._system, self._settings)

    def _sphere(self, place: np.ndarray, velocity: np.ndarray, spin: np.ndarray) -> int:
        """A sphere and its weight; returns its node."""
        heap, system = self._heap, self._system
        if heap.rough:
            node = system.AddNode(
                items.NodeRigidBodyRotVecLG(
                    referenceCoordinates=[*place, 0.0, 0.0, 0.0], initialVelocities=[*velocity, *spin]
                )
            )
            inertia = [*[heap.inertia] * 3, 0.0, 0.0, 0.0]
            body = items.ObjectRigidBody(physicsMass=heap.mass, physicsInertia=inertia, nodeNumber=node)
        else:
            node = system.AddNode(items.NodePoint(referenceCoordinates=list(place), initialVelocities=list(velocity)))
            body = items.ObjectMassPoint(physicsMass=heap.mass, nodeNumber=node)
        whole = system.AddMarker(items.MarkerBodyMass(bodyNumber=system.AddObject(body)))
        system.AddLoad(items.LoadMassProportional(markerNumber=whole, loadVector=[0.0, 0.0, -GRAVITY]))
        return int(node)

    def advance(self) -> None:
        """All steps."""
        if not self._solver.SolveSteps(self._system, self._settings):
            raise ArithmeticError("the solver failed")

    def state(self) -> State:
        """Of the spheres at the end, as far as they are needed: their places."""
        output = exu.OutputVariableType.Position
        places = np.array([self._system.GetNodeOutput(node, output) for node in self._nodes])
        return State(places, np.zeros_like(places), np.zeros_like(places))

    def close(self) -> None:
        self._solver.FinalizeSolver(self._system, self._settings)
        self._system.Reset()


def _settings(dt: float, steps: int) -> exu.SimulationSettings:
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, steps * dt, 0
    explicit = integration.explicitIntegration
    explicit.dynamicSolverType = exu.DynamicSolverType.ExplicitEuler
    explicit.computeEndOfStepAccelerations, explicit.computeMassMatrixInversePerBody = False, True
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = settings.solution.sensors.active = False
    return settings


def _walls(heap: Heap, top: float) -> list[np.ndarray]:
    """Corners (4, 3) of each wall, counter-clockwise as seen from within."""
    w, h = heap.width, top + 2 * heap.radius
    low, high = np.array([[0, 0, 0], [w, 0, 0], [w, w, 0], [0, w, 0]]), np.array([[0, 0, h]])
    corners = [low]
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        corners.append(np.array([low[b], low[a], low[a] + high[0], low[b] + high[0]]))
    return corners
