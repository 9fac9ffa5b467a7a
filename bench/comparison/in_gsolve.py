"""The machines of the comparison as decks of gsolve.

Gear chain: GEAR joints on one held housing.  Planetary gearbox: of each stage a GEAR between sun and ring on the planet
carrier, and one between the sun and each planet.  Free carriers: a rigid body each, with one GEAR.  Linkages and
machines in space: rigid bodies with /JOINT at secondary nodes, as anybody would write them; every hinge of a linkage is
a REVOLUTE, so that a plane one is over-constrained in space.  gsolve itself finds what it can condense.

VARIANTS are the ways to integrate: what `Simulation` is given besides the deck, from the number that is varied: a step
in s, or for the variants in TOLERANCES one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import metadata
from itertools import pairwise
from typing import Any

import machines
import numpy as np
from gsolve.parser.model import Model
from gsolve.solver.core.channels import SampleBlock
from gsolve.solver.run.simulation import Simulation
from machines import Deck, Z
from scipy.spatial.transform import Rotation

from comparison.machines import Andrews, FourBars, FreeCarriers, GearChain, Machine, Planetary
from comparison.reference_motion import velocities_at_start
from comparison.spatial import Spatial

NAME = "gsolve"
VARIANTS: dict[str, Callable[[float], dict[str, Any]]] = {
    "order 2": lambda step: {"dt": step},
    "order 4": lambda step: {"dt": step, "order": 4},
    "order 6": lambda step: {"dt": step, "order": 6},
    "accurate": lambda tolerance: {"accuracy": tolerance},
    "accurate, all rows": lambda tolerance: {"accuracy": tolerance, "general": True},
}
AS_A_TWIN = ("accurate, all rows",)  # for what it gains to do otherwise
TOLERANCES = {"accurate": tuple(10.0**-exponent for exponent in range(1, 9))}
SLENDER = 0.02  # inertia of a rod about its own axis, over that about its centre


def version() -> str:
    return metadata.version("gsolve")


def methods(machine: Machine) -> Sequence[str]:
    """Variants to try."""
    return [name for name in VARIANTS if name not in AS_A_TWIN]


def settings(machine: Machine, method: str) -> Sequence[float]:
    """What is varied, from coarse to fine: the steps of the machine, or tolerances."""
    return TOLERANCES.get(method, machine.steps)


class Run:
    """A machine, ready to be advanced to its end; what needs compilation has been compiled."""

    def __init__(self, machine: Machine, method: str, setting: float, t_end: float) -> None:
        self._machine = machine
        model = _model(machine)
        model.engine.sampling_interval = t_end
        self._simulation = Simulation(model, t_end=t_end, frames=0, **VARIANTS[method](setting))
        self._simulation.compile()
        self._block = SampleBlock(np.zeros(0))

    def advance(self) -> None:
        """To the end."""
        while not self._simulation.finished:
            block = self._simulation.advance(self._simulation.n_steps_estimate)
            self._block = block if len(block) else self._block

    @property
    def simulation(self) -> Simulation:
        """What runs it."""
        return self._simulation

    @property
    def steps(self) -> int:
        """Steps taken, those that were rejected included."""
        controlled = self._simulation.controlled_steps
        is_controlled = controlled is not None and controlled.order == 0
        return controlled.taken + controlled.rejected if is_controlled else self._simulation.step

    def observe(self) -> np.ndarray:
        """What the machine compares."""
        nodes, machine = self._block.values["th/node"], self._machine
        if isinstance(machine, Spatial):
            moved = np.stack([nodes[name][-1] for name in ("DX", "DY", "DZ")], axis=1)
            return np.array([place for _, place in machine.points]) + moved
        rotations = Rotation.from_quat(np.stack([nodes[f"Q{k}"][-1] for k in (1, 2, 3, 0)], axis=1))
        if isinstance(machine, FreeCarriers):
            return rotations.as_matrix()[-1]
        angles = rotations.as_rotvec()[:, 2]
        if isinstance(machine, GearChain | Planetary):
            return angles
        if isinstance(machine, FourBars):
            return np.array([-np.sin(angles[0]), np.cos(angles[0])])
        return angles[0]

    def violation(self) -> float:
        """Largest residual of a row at the end, relative to its size."""
        return float(self._block.values["diag"]["constraint_violation"][-1])

    def close(self) -> None:
        """Nothing is left to be freed."""


@lru_cache(maxsize=1)
def _model(machine: Machine) -> Model:
    """Read once for all runs of a machine."""
    return machines.read(deck_of(machine))


def deck_of(machine: Machine) -> str:
    """The machine as text."""
    if isinstance(machine, GearChain):
        return _gear_chain(machine)
    if isinstance(machine, Planetary):
        return _planetary(machine)
    if isinstance(machine, FreeCarriers):
        return _free_carriers(machine)
    if isinstance(machine, Spatial):
        return _spatial(machine)
    return _linkage(machine)


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


def _planetary(machine: Planetary) -> str:
    """Shaft k is node k + 1; then the housing, and the planets stage by stage."""
    deck, housing = Deck(), machine.stages + 2
    shafts, planet = range(1, housing), housing + 1
    deck.places = {shaft: (0.0, 0.0, 0.2 * shaft) for shaft in shafts} | {housing: (0.0, 0.0, 0.0)}
    deck.weights = dict(zip(shafts, machine.shafts, strict=True))
    motion = {shaft: ((0.0, 0.0, 0.0), (0.0, 0.0, rate)) for shaft, rate in zip(shafts, machine.rates, strict=True)}
    for sun, carrier in pairwise(shafts):
        deck.joint("GEAR", carrier, (sun, housing), (Z, Z), alpha=1.0 / machine.ring_ratio)
        for place in machine.planet_places():
            deck.weights[planet] = machine.planet
            deck.places[planet] = place + np.array(deck.places[carrier])
            spin = np.array([0.0, 0.0, motion[carrier][1][2]])
            motion[planet] = np.cross(spin, place), (1.0 - machine.ring_ratio) * spin
            deck.joint("GEAR", carrier, (sun, planet), (Z, Z), alpha=1.0)
            planet += 1
    deck.hold([housing])
    deck.velocities(motion)
    deck.torsion_spring(housing, shafts[-1], machine.stiffness)
    deck.histories(shafts)
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


def _linkage(machine: FourBars | Andrews) -> str:
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
    for _, first, second in hinges:
        deck.hinge("REVOLUTE", first, second, Z)
    deck.velocities(motion)
    if machine.gravity:
        deck.gravity("Y", -machine.gravity)
    if isinstance(machine, Andrews):
        deck.torque([1], machine.torque)
    deck.histories([1])
    return deck.text()


KINDS = {"revolute": "REVOLUTE", "prismatic": "TRANSLATIONAL", "universal": "UNIVERSAL", "spherical": "SPHERICAL"}


def _spatial(machine: Spatial) -> str:
    """Body k has main node k + 1, at its centre; its secondary nodes count on from there."""
    deck = Deck()
    count = len(machine.bodies)
    points: dict[int, list[int]] = {k: [] for k in range(-1, count)}
    next_node = count + 1

    def point(number: int, place: Sequence[float]) -> int:
        """A new node of a body, or one on the ground."""
        nonlocal next_node
        deck.places[next_node] = place
        points[number].append(next_node)
        next_node += 1
        return next_node - 1

    joints = []
    for k, body in enumerate(machine.bodies):
        deck.places[k + 1] = body.centre
        if body.joint != "free":
            parent = 0 if body.parent == -1 else point(body.parent, body.place)
            joints.append((KINDS[body.joint], parent, point(k, body.place), body.axes or (Z,)))
    for ball in machine.balls:
        joints.append(("SPHERICAL", point(ball.first, ball.place), point(ball.second, ball.place), (Z,)))
    springs = [
        (spring, point(spring.first, spring.ends[0]), point(spring.second, spring.ends[1]))
        for spring in machine.springs
    ]
    observed = [point(number, place) for number, place in machine.points]
    for k, body in enumerate(machine.bodies):
        inertia = body.turned @ np.diag(body.inertia) @ body.turned.T
        products = inertia[0, 1], inertia[1, 2], inertia[0, 2]
        deck.rigid_body(k + 1, points[k], body.mass, np.diag(inertia), products)
    for kind, first, second, axes in joints:
        deck.hinge(kind, first, second, *axes)
    for spring, first, second in springs:
        stretched = float(np.linalg.norm(np.subtract(*spring.ends))) - spring.free_length
        deck.spring(first, second, spring.stiffness, spring.damping, preload=spring.stiffness * stretched)
    if points[-1]:
        deck.hold(points[-1])
    deck.velocities(dict(enumerate(velocities_at_start(machine), start=1)))
    deck.gravity("Z", -machine.gravity)
    deck.histories(observed)
    return deck.text()
