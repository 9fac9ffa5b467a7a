"""The machines of the comparison as decks of gsolve.

Gear chain: GEAR joints on one held housing.  Free carriers: a rigid body each, with one GEAR.  Linkages: rigid bodies
with /JOINT at secondary nodes, in three forms, of which the fastest counts:

- REVOLUTE: every hinge is a REVOLUTE, as anybody would write it at first.  A plane machine is then over-constrained in
  space; gsolve finds the redundant rows and leaves them out.
- with STRUTs: the hinges that close loops are STRUTs (a point on the line of the axis, two rows), which leaves nothing
  redundant.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata

import machines
import numpy as np
from compare_references import Andrews, FourBars, FreeCarriers, GearChain, Machine
from gsolve.solver.core.channels import SampleBlock
from gsolve.solver.run.simulation import Simulation
from machines import Deck, Z
from scipy.spatial.transform import Rotation

NAME = "gsolve"
REVOLUTE, STRUT = "REVOLUTE", "with STRUTs"
SLENDER = 0.02  # inertia of a rod about its own axis, over that about its centre


def version() -> str:
    return metadata.version("gsolve")


def methods(machine: Machine) -> Sequence[str]:
    """Forms of the deck to try."""
    return [REVOLUTE, STRUT] if isinstance(machine, FourBars | Andrews) else ["GEAR"]


class Run:
    """A machine, ready to be advanced by all its steps; what needs compilation has been compiled."""

    def __init__(self, machine: Machine, method: str, dt: float | None, accuracy: float | None = None) -> None:
        """accuracy : tolerance of steps that are controlled by their error, in place of dt"""
        self._machine = machine
        model = machines.read(deck_of(machine, method))
        model.engine.sampling_interval = machine.t_end
        self._simulation = Simulation(model, dt=dt, t_end=machine.t_end, accuracy=accuracy)
        self._simulation.compile()
        self._block = SampleBlock(np.zeros(0))

    @property
    def simulation(self) -> Simulation:
        """What runs it."""
        return self._simulation

    def advance(self, steps: int) -> None:
        """At least so many steps: they come in whole pieces."""
        block = self._simulation.advance(steps)
        self._block = block if len(block) else self._block

    def observe(self) -> np.ndarray:
        """What the machine compares."""
        while not self._simulation.finished:
            self.advance(1)
        nodes = self._block.values["th/node"]
        rotations = Rotation.from_quat(np.stack([nodes[f"Q{k}"][-1] for k in (1, 2, 3, 0)], axis=1))
        if isinstance(self._machine, FreeCarriers):
            return rotations.as_matrix()[-1]
        angles = rotations.as_rotvec()[:, 2]
        if isinstance(self._machine, GearChain):
            return angles
        if isinstance(self._machine, FourBars):
            return np.array([-np.sin(angles[0]), np.cos(angles[0])])
        return angles[0]

    def close(self) -> None:
        """Nothing is left to be freed."""


def deck_of(machine: Machine, method: str = REVOLUTE) -> str:
    """The machine as text, in one of its forms."""
    if isinstance(machine, GearChain):
        return _gear_chain(machine)
    if isinstance(machine, FreeCarriers):
        return _free_carriers(machine)
    return _linkage(machine, method)


def _gear_chain(machine: GearChain) -> str:
    deck, housing = Deck(), machine.rotors + 1
    rotors = range(1, machine.rotors + 1)
    deck.places = dict(zip([*rotors, housing], machines.grid(machine.rotors + 1), strict=True))
    for rotor in rotors[:-1]:
        deck.joint("GEAR", housing, (rotor, rotor + 1), (Z, Z), alpha=1.0)
    deck.hold([housing])
    deck.velocities({rotor: ((0, 0, 0), (0, 0, rate)) for rotor, rate in zip(rotors, machine.rates, strict=True)})
    deck.torsion_spring(housing, 1, machine.stiffness)
    deck.histories(rotors)
    return deck.text()


def _free_carriers(machine: FreeCarriers) -> str:
    deck = Deck()
    motion: dict[int, tuple[Sequence[float], Sequence[float]]] = {}
    for k, place in enumerate(machines.grid(machine.carriers)):
        carrier, first, second, point = range(4 * k + 1, 4 * k + 5)
        deck.places |= {carrier: place, point: place}
        motion[carrier] = np.zeros(3), machine.tumble
        deck.rigid_body(carrier, [point], machine.mass, machine.inertia)
        for rotor, offset, axis, spin in zip((first, second), machine.places, machine.axes, machine.spins, strict=True):
            deck.places[rotor] = place + offset
            motion[rotor] = np.cross(machine.tumble, offset), machine.tumble + spin * np.array(axis)
        deck.joint("GEAR", carrier, (first, second), machine.axes, alpha=machine.alpha)
    deck.velocities(motion)
    deck.histories([carrier])
    return deck.text()


def _linkage(machine: FourBars | Andrews, method: str) -> str:
    """Body k has main node k + 1; its secondary nodes, one a hinge, count on from there."""
    deck = Deck()
    count = len(machine.bodies)
    points: dict[int, list[int]] = {k: [] for k in range(count)}
    next_node = count + 1

    def point(number: int, place: np.ndarray) -> int:
        """A new secondary node of a body; body -1 is the ground."""
        nonlocal next_node
        if number == -1:
            return 0
        next_node += 1
        deck.places[next_node - 1] = (*place, 0.0)
        points[number].append(next_node - 1)
        return next_node - 1

    hinges = [(hinge, point(hinge.first, hinge.place), point(hinge.second, hinge.place)) for hinge in machine.hinges]
    if isinstance(machine, Andrews):
        anchor, next_node = next_node, next_node + 1
        deck.places[anchor] = (*machine.spring_anchor, 0.0)
        deck.hold([anchor])
        held = point(2, machine.points["D"])
        stretched = float(np.linalg.norm(machine.points["D"] - machine.spring_anchor)) - machine.free_length
        deck.spring(anchor, held, machine.stiffness, preload=machine.stiffness * stretched)
    motion = {}
    for k, bar in enumerate(machine.bodies):
        deck.places[k + 1] = (*bar.centre, 0.0)
        motion[k + 1] = (*bar.velocity, 0.0), (0.0, 0.0, bar.rate)
        inertia = np.full(3, bar.inertia)
        if isinstance(machine, FourBars):  # rods, upright or level; only the last value matters
            inertia[int(bar.angle > 0)] *= SLENDER
        deck.rigid_body(k + 1, points[k], bar.mass, inertia)
    for hinge, first, second in hinges:
        deck.hinge("STRUT" if hinge.closes and method == STRUT else "REVOLUTE", first, second, Z)
    deck.velocities(motion)
    if machine.gravity:
        deck.gravity("Y", -machine.gravity)
    if isinstance(machine, Andrews):
        deck.torque([1], machine.torque)
    deck.histories([1])
    return deck.text()
