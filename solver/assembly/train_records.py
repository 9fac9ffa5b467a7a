"""The records of trains of rotors, made from their plans."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..constraints.elimination import combined, in_parts
from ..constraints.lanes import FASTEST, LANE_BLOCK
from ..constraints.spins import COEFFICIENT, HINGE, ROTOR, SPIN, TRAIN
from ..core.bodies import GROUND, Floats, Record, Records
from ..integration.system import System, Trains, note_families
from .train_checks import is_even
from .trains import FreeCarrier, Shares, TrainPlan, slide_key


class CoefficientList:
    """Coefficients of angles, one after the other."""

    def __init__(self) -> None:
        self._items: list[tuple[int, float, float, float]] = []

    def add(self, shares: Shares, first_spin: int) -> tuple[int, int]:
        """The coefficients of one angle; returns where they begin and end."""
        start = len(self._items)
        self._items += [(first_spin + place, *in_parts(c)) for place, c in shares.items()]
        return start, len(self._items)

    def build(self) -> np.ndarray:
        return np.array(self._items, dtype=COEFFICIENT)


class TrainArrays:
    """Collects the records of all trains."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.trains: Records = np.zeros(len(system.subsystems), TRAIN)
        self.rotors: Records = np.zeros(len(system.bodies), ROTOR)
        self.hinges, self.coefficients = np.zeros(len(system.joints), HINGE), CoefficientList()
        self.spins, self.fastest, self.touched = list[np.ndarray](), list[int](), list[int]()
        self._carriers = list[np.ndarray]()  # TRAIN records beyond those of the subsystems
        self.number_of_spins = self._size = 0
        self._numbers = list[Floats]()
        self.trains["quaternion"], self.trains["rotation"] = [1.0, 0.0, 0.0, 0.0], np.eye(3)
        self.rotors["quaternion"][:, 0] = 1.0

    def add(self, s: int, plan: TrainPlan) -> None:
        """The train of subsystem s."""
        train, subsystem = self.trains[s], self._system.subsystems[s]
        bodies = range(subsystem["last_body"])
        self.add_rotors(plan, bodies, range(subsystem["first_joint"], subsystem["last_joint"]))
        self.rotors["train"][plan.bodies] = s
        train["first_fastest"] = len(self.fastest)
        self.fastest += plan.fastest()
        train["last_fastest"] = len(self.fastest)
        train["first_touched"] = len(self.touched)
        self.touched += plan.touched
        train["last_touched"] = len(self.touched)
        train["on_bodies"] = self.rotors["touched"][plan.touched] = int(bool(plan.touched))
        train["carrier"], train["steady"] = plan.carrier, int(is_steady(self._system, plan))
        inverse = np.linalg.inv(plan.masses)
        inverse = 0.5 * (inverse + inverse.T)
        of_drives = plan.driven @ inverse @ plan.driven.T
        if plan.free is not None:
            turning = plan.free.stored @ plan.driven.T
            of_drives += turning.T @ np.linalg.solve(plan.free.inertia, turning)
        train["inverse"] = self.add_numbers(inverse)
        train["work"] = self.add_numbers(of_drives)
        self.add_numbers(np.zeros(of_drives.size + len(of_drives)))
        train["in_lanes"] = int(is_alone(subsystem, plan) and len(plan.fastest()) <= FASTEST)
        if plan.free is not None:
            self._set_carrier(train, plan.free)

    def add_rotors(self, plan: TrainPlan, bodies: Sequence[int], joints: Sequence[int]) -> None:
        """Rotors, angles of joints and spins of a plan; bodies, joints : of the machine, by those of the plan."""
        rotors, first, angles = self.rotors, self.number_of_spins, plan.elimination.angles
        spins = np.zeros(len(plan.masses), SPIN)
        spins["momentum"], spins["weight"] = plan.momenta, plan.weights()
        for i, rotor in plan.rotors.items():
            shares, slide, body = angles.get(i, {}), angles.get(slide_key(i), {}), bodies[i]
            rotors["start"][body], rotors["end"][body] = self.coefficients.add(shares, first)
            rotors["slide_start"][body], rotors["slide_end"][body] = self.coefficients.add(slide, first)
            rotors["axis"][body], rotors["inertia"][body] = rotor.axis, rotor.inertia
            rotors["arm_of"][body], rotors["arm"][body] = bodies[rotor.arm_of], rotor.arm
            rotors["quaternion"][body] = self._system.bodies["quaternion"][body]
        if plan.free is not None:
            for i in plan.bodies:
                body = bodies[i]
                rotors["locked"][body] = self._system.bodies["inertia"][body]
                rotors["centre"][body] = plan.free.centres[i]
        for k, joint in enumerate(joints):
            hinge = self.hinges[joint]
            hinge["start"], hinge["end"] = self.coefficients.add(plan.shares_of_joint(k, turning=True), first)
            slide = plan.shares_of_joint(k, turning=False)
            hinge["slide_start"], hinge["slide_end"] = self.coefficients.add(slide, first)
            hinge["body"] = bodies[plan.shaft_of_joint(k)]
        self.spins.append(spins)
        self.number_of_spins += len(spins)

    def turn_joint(self, joint: int, parts: Sequence[tuple[Shares, float, int]]) -> None:
        """What spins add to the angle of a joint: coefficients, their sign, and the first spin that they are of."""
        hinge = self.hinges[joint]
        hinge["start"] = hinge["end"] = self.coefficients.add({}, 0)[0]
        for shares, sign, first in parts:
            _, hinge["end"] = self.coefficients.add(combined([(shares, sign)]), first)

    @property
    def number_of_trains(self) -> int:
        """Place of the next TRAIN record beyond those of the subsystems."""
        return len(self.trains) + len(self._carriers)

    def add_carrier(self, train: np.ndarray) -> None:
        """A TRAIN record beyond those of the subsystems."""
        self._carriers.append(train)

    def _set_carrier(self, train: Record, free: FreeCarrier) -> None:
        train["coupling"] = self.add_numbers(free.stored)
        train["inverse_mass"], train["gravity"] = 1.0 / free.mass, self._system.bodies["gravity"][train["carrier"]]
        train["inertia"] = free.inertia
        inverse = np.linalg.inv(free.inertia)
        train["inverse_inertia"] = 0.5 * (inverse + inverse.T)
        train["velocity"], train["momentum"] = free.velocity, free.momentum

    def add_numbers(self, numbers: Floats) -> int:
        """Numbers of a train; returns where they begin."""
        start = self._size
        self._numbers.append(numbers.ravel())
        self._size += numbers.size
        return start

    def build(self) -> Trains:
        if np.sum(self.trains["in_lanes"]) == 1:
            self.trains["in_lanes"] = 0
        return Trains(
            trains=np.concatenate([self.trains, *self._carriers]), spins=np.concatenate(self.spins),
            rotors=self.rotors, hinges=self.hinges, coefficients=self.coefficients.build(),
            fastest=np.array(self.fastest, dtype=np.int64),
            touched=np.array(self.touched, dtype=np.int64),
            numbers=np.concatenate(self._numbers), lanes=np.zeros(1, LANE_BLOCK),
        )  # fmt: skip


def add_trains(system: System, plans: dict[int, TrainPlan], arrays: TrainArrays) -> None:
    """The trains of all subsystems that are such; these know their spins."""
    subsystems = system.subsystems
    for s in range(len(subsystems)):
        subsystems["first_spin"][s] = arrays.number_of_spins
        if s in plans:
            arrays.add(s, plans[s])
        subsystems["last_spin"][s] = arrays.number_of_spins
    note_families(subsystems)


def full_shares(shares: Shares, n: int) -> Floats:
    """Coefficients (n,) of an angle."""
    found = np.zeros(n)
    for k, c in shares.items():
        found[k] = float(c)
    return found


def is_alone(subsystem: Record, plan: TrainPlan) -> bool:
    """Whether a train flies freely with one spin and nothing acts on it."""
    families = ("load", "spring", "joint_force", "drive", "condition")
    acts = any(subsystem[f"last_{family}"] > subsystem[f"first_{family}"] for family in families)
    return plan.free is not None and len(plan.masses) == 1 and not acts


def is_steady(system: System, plan: TrainPlan) -> bool:
    """Whether the matrix of the rows stays what it is while all moves: the ground carries even shafts, no planets."""
    rotation, inertia = system.bodies["rotation"], system.bodies["inertia"]
    if plan.carrier != GROUND or plan.has_planets:
        return False
    return all(
        is_even(rotation[i] @ inertia[i] @ rotation[i].T, rotor.axis, rotor.inertia, 1e-15)
        for i, rotor in plan.rotors.items()
        if rotor.turns
    )
