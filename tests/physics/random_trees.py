"""Machines in space made at random: trees of joints of all kinds, on the ground or free, loops closed by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from deck_text import DeckText
from numpy.typing import NDArray
from random_machines import random_inertia
from random_trains import unit

Floats = NDArray[np.float64]
GROUND = 0
KINDS = ("REVOLUTE", "REVOLUTE", "UNIVERSAL", "SPHERICAL", "TRANSLATIONAL", "CYLINDRICAL", "FIXED")
FREEDOMS = {"REVOLUTE": 1, "UNIVERSAL": 2, "SPHERICAL": 3, "TRANSLATIONAL": 1, "CYLINDRICAL": 2, "FIXED": 0}
ROWS = {kind: 6 - count for kind, count in FREEDOMS.items()}
CLOSE = {"SPHERICAL": 3, "UNIVERSAL": 4, "STRUT": 2, "DISTANCE": 1}  # rows of what closes a loop


class RandomTree:
    """A deck of bodies with the main nodes 1 ..., each on an earlier one or on the ground, built step by step.

    freedoms : of the tree; closing : rows that close loops; joints : of the tree, by body
    """

    def __init__(
        self, seed: int, bodies: int, *, free: bool = False, kinds: Sequence[str] = KINDS, t_end: float = 0.2,
        dt: float = 1e-3, branching: bool = True,
    ) -> None:  # fmt: skip
        """free : the first body hangs on nothing; branching : else each body hangs on the one before it"""
        self.random = random = np.random.default_rng(seed)
        self.deck = DeckText(t_end=t_end, dt=dt, every=t_end / 8)
        self.bodies = list(range(1, bodies + 1))
        self.places = {body: random.normal(size=3) for body in self.bodies}
        self.masses = {body: float(10 ** random.uniform(-0.5, 0.5)) for body in self.bodies}
        self._points: dict[int, list[int]] = {body: [] for body in self.bodies}
        self._nodes: dict[int, Floats] = dict(self.places)
        self.free, self.freedoms, self.closing, self.rows = free, 6 if free else 0, 0, 0
        self._kinds, self._branching = kinds, branching
        self._ends: dict[str, list[tuple[list[int], Floats]]] = {}  # nodes and axes of joints, by kind

    def point(self, body: int, place: Floats) -> int:
        """A node of a body, or one that is fixed in space."""
        node = 1000 + len(self._nodes)
        self._nodes[node] = place
        if body == GROUND:
            self.deck.hold([node])
        else:
            self._points[body].append(node)
        return node

    def tree(self, forces: Mapping[str, float] | None = None) -> None:
        """Each body on an earlier one by a joint, written from either end; forces : along hinges and slides."""
        for body in self.bodies[1 if self.free else 0 :]:
            before = int(self.random.integers(1 if self.free else 0, body)) if self._branching else body - 1
            kind = str(self.random.choice(self._kinds))
            self._join(kind, before, body, forces if kind in ("REVOLUTE", "TRANSLATIONAL") else None)
            self.freedoms += FREEDOMS[kind]
            self.rows += ROWS[kind]

    def _join(self, kind: str, first: int, second: int, forces: Mapping[str, float] | None = None) -> None:
        place = 0.5 * (self.places[second] + self.random.normal(size=3))
        axis = unit(self.random)
        second_axis = np.cross(axis, unit(self.random))
        ends = [self.point(first, place), self.point(second, place)]
        if kind == "DISTANCE":
            ends[0] = self.point(first, place + 0.5 * unit(self.random))
        if kind in ("CYLINDRICAL", "TRANSLATIONAL"):
            ends[1] = self.point(second, place + 0.3 * axis)
        if self.random.random() < 0.5:
            ends.reverse()
        other = second_axis / np.linalg.norm(second_axis) if kind == "UNIVERSAL" else None
        self._ends.setdefault(kind, []).append((ends, axis))
        self.deck.pair(kind, *ends, axis, second=other, forces=[forces] if forces else ())

    def loops(self, *kinds: str) -> None:
        """Joints more, as long as there is a freedom left."""
        for kind in kinds:
            first, second = sorted(int(body) for body in self.random.choice(self.bodies, 2, replace=False))
            if self.freedoms - self.closing - CLOSE[kind] >= 1:
                self._join(kind, first, second)
                self.closing += CLOSE[kind]
                self.rows += CLOSE[kind]

    def drive(self, kind: str, formula: str, *, level: int, window: tuple[float, float] = (0.0, 1e30)) -> None:
        """The angle of the first hinge (ROT), the slide of the first slider (TRA), or the distance of two bodies."""
        if kind == "DIST":
            ends, axis = [self.point(body, self.places[body]) for body in (self.bodies[0], self.bodies[-1])], np.ones(3)
        else:
            ends, axis = self._ends["REVOLUTE" if kind == "ROT" else "TRANSLATIONAL"][0]
        self.deck.drive(kind, *ends, self.deck.expression(formula), axis, level=level, window=window)

    def gears(self) -> None:
        """A ratio between the first two hinges."""
        (one, axis), (other, second) = self._ends["REVOLUTE"][:2]
        self.deck.coupler("R2R", [*one, *other], 1.5, axis, second)

    def spring(self, stiffness: float = 50.0, damping: float = 0.0) -> None:
        """Between two bodies."""
        first, second = (int(body) for body in self.random.choice(self.bodies, 2, replace=False))
        ends = [self.point(body, self.places[body] + 0.2 * self.random.normal(size=3)) for body in (first, second)]
        self.deck.spring(*ends, stiffness, damping)

    def loads(self, count: int = 2) -> None:
        """Forces and moments that change with time."""
        for body in self.random.choice(self.bodies, count):
            formula = f"{self.random.uniform(-3, 3):.3f}*sin({self.random.uniform(5, 20):.3f}*t)+1"
            direction = str(self.random.choice(["XX", "YY", "ZZ", "X", "Y", "Z"]))
            self.deck.load(int(body), direction, 1.0, self.deck.expression(formula))

    def weight(self) -> None:
        for direction, size in zip("XYZ", self.random.uniform(-8.0, 8.0, 3), strict=True):
            self.deck.gravity(self.bodies, direction, float(size))

    def motion(self, rate: float = 2.0) -> None:
        """Bodies move at the start; the projection of the velocities makes them fit."""
        for body in self.bodies:
            self.deck.velocity(body, self.random.normal(size=3), rate * self.random.normal(size=3))

    def text(self) -> DeckText:
        """The deck; nodes and bodies are written once."""
        self.deck.nodes({node: tuple(place.tolist()) for node, place in self._nodes.items()})
        for body in self.bodies:
            mass = self.masses[body]
            i = random_inertia(self.random, 1.0, mass)
            self.deck.rigid_body(body, self._points[body], mass, np.diag(i), (i[0, 1], i[1, 2], i[0, 2]))
        return self.deck


# ---- machines that several tests run -------------------------------------------------------------------------

LOOPED = ("REVOLUTE", "UNIVERSAL", "SPHERICAL", "CYLINDRICAL")
DRIVEN = ("REVOLUTE", "REVOLUTE", "TRANSLATIONAL", "UNIVERSAL")
DRIVES = ((0, "sin(3*t)^2"), (1, "2*sin(3*t)+1"), (2, "2*sin(3*t)"))  # level, and what a hinge or a slider follows


def loaded_tree(seed: int, bodies: int, free: bool) -> RandomTree:
    """Joints of all kinds, weight and loads."""
    tree = RandomTree(seed, bodies, free=free)
    tree.tree()
    tree.weight()
    tree.loads()
    tree.motion()
    return tree


def looped_tree(seed: int, bodies: int, free: bool, loops: Sequence[str]) -> RandomTree:
    """Loops that joints of some kinds close."""
    tree = RandomTree(seed, bodies, free=free, kinds=LOOPED)
    tree.tree()
    tree.loops(*loops)
    tree.weight()
    tree.motion()
    return tree


def tree_with_forces(forces: Mapping[str, float], damping: float) -> RandomTree:
    """Forces along joints, a spring between bodies with a damper, loads, and a loop."""
    tree = RandomTree(1, 7)
    tree.tree(forces)
    tree.loops("DISTANCE")
    tree.spring(50.0, damping)
    tree.loads()
    tree.motion()
    return tree


def driven_tree(kind: str, level: int, formula: str) -> RandomTree:
    """A drive of a hinge, a slider or a distance; this one always grows at the rate 0.3 t."""
    tree = RandomTree(3 + level, 6, free=level == 1, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.drive(kind, "0.3*t" if kind == "DIST" else formula, level=1 if kind == "DIST" else level)
    tree.weight()
    tree.motion()
    return tree


def tree_that_a_drive_takes_hold_of() -> RandomTree:
    """At 0.0503 s, and lets go of at 0.1277 s."""
    tree = RandomTree(3, 6, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.drive("ROT", "2*sin(3*t)+1", level=1, window=(0.0503, 0.1277))
    tree.weight()
    tree.motion()
    return tree


def geared_tree(seed: int) -> RandomTree:
    """A ratio between two hinges."""
    tree = RandomTree(seed, 6, kinds=DRIVEN, branching=False)
    tree.tree()
    tree.gears()
    tree.weight()
    tree.motion()
    return tree
