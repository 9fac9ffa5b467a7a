"""The scenes of `contacts.py` as decks of gsolve.

Spheres without friction are nodes with a mass, those with friction rigid bodies; the planes stand on the ground, and
all solids are one surface within which every body may touch every other.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import numpy as np
from contact_scenes import GRAVITY, Heap, Scene, State
from gsolve.parser import read_deck
from gsolve.parser.model import Model
from gsolve.solver.run.simulation import Simulation
from machines import Deck, commas, read

NAME = "gsolve"
SHARE = 1.0  # of the steps to be timed
ROLLER = Path(__file__).parents[1] / "decks" / "cylinder_on_box" / "cylinder_on_box.rad"


def version() -> str:
    return metadata.version("gsolve")


def runs(scene: Scene) -> bool:
    """Whether the program can run a scene."""
    return True


def settled(heap: Heap) -> State:
    """The heap after it has settled for a while."""
    run = Run(heap, heap.stack(), round(heap.settling / heap.dt))
    run.advance()
    return run.state()


class Run:
    """A scene, ready to be advanced by some steps; what needs compilation has been compiled."""

    def __init__(self, scene: Scene, state: State | None, steps: int) -> None:
        model = model_of(scene, state)
        t_end = steps * scene.dt
        model.engine.sampling_interval = t_end
        self._simulation = Simulation(model, dt=scene.dt, t_end=t_end)
        self._simulation.compile()
        self._nodes: Mapping[str, np.ndarray] = {}

    def advance(self) -> None:
        """All steps."""
        while not self._simulation.finished:
            self._nodes = self._simulation.advance(self._simulation.n_steps_estimate + 1).values["th/node"]

    def state(self) -> State:
        """Of the spheres at the end."""
        vectors = (np.stack([self._nodes[f"{name}{axis}"][-1] for axis in "XYZ"], axis=1) for name in ("", "V", "VR"))
        return State(*vectors)

    def close(self) -> None:
        """Nothing is left to be freed."""


def model_of(scene: Scene, state: State | None) -> Model:
    """The deck of a scene, read."""
    if not isinstance(scene, Heap):
        return read_deck(ROLLER)
    assert state is not None
    return read(heap_deck(scene, state))


def heap_deck(heap: Heap, state: State) -> str:
    """A heap in a given state."""
    deck, nodes = Deck(), range(1, heap.count + 1)
    deck.places = dict(zip(nodes, state.places, strict=True))
    if heap.rough:
        for node in nodes:
            deck.rigid_body(node, [], heap.mass, (heap.inertia,) * 3)
    else:
        deck.masses(nodes, heap.mass)
    solids = [deck.block("SURF/SPHERE_SOLID", f"{node}", "0, 0, 0", repr(heap.radius)) for node in nodes]
    solids += [deck.block("SURF/PLANE_SOLID", "0", commas(point), commas(normal)) for point, normal in heap.walls]
    lines = ("".join(f"{solid:>10}" for solid in solids[k : k + 10]) for k in range(0, len(solids), 10))
    sides = f"{deck.block('SURF/SURF', *lines)}, 0, 0, 0, 0, {int(heap.rough)}"
    law = [f"{heap.stiffness}, 1, {heap.damping}, 1e-6"]
    if heap.rough:
        law.append(commas((heap.friction, heap.friction, heap.slip, heap.slip)))
    deck.block("INTER/IMPACT", sides, ",", *law)
    deck.gravity("Z", -GRAVITY)
    deck.velocities(dict(zip(nodes, zip(state.velocities, state.spins, strict=True), strict=True)))
    deck.block("TH/NODE", "XYZ V VR", *(f"{node:>10}" for node in nodes))
    return deck.text()
