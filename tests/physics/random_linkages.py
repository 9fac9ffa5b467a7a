"""Planar linkages made at random: a plane of any attitude, trees and loops of hinges, sliders, slots and rods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from deck_text import DeckText
from numpy.typing import NDArray
from parallel_cranks import random_frame
from random_machines import random_inertia

Floats = NDArray[np.float64]
GROUND = 0
TURN = ("REVOLUTE", "REVOLUTE", "REVOLUTE", "TRANSLATIONAL")
# What closes a loop, and the freedoms that it takes
CLOSE = {"REVOLUTE": 2, "STRUT": 2, "CYLINDRICAL": 2, "SPHERICAL": 2, "DISTANCE": 1, "slot": 1}


class RandomLinkage:
    """A deck of a linkage, built step by step; bodies have the main nodes 1 ..., the frame's last column is the normal.

    joints : (kind, first body, second body); free : freedoms that are left
    """

    def __init__(
        self, seed: int, bodies: int, *, spatial: bool = True, t_end: float = 0.2, dt: float = 1e-3,
        kinds: Sequence[str] = TURN,
    ) -> None:  # fmt: skip
        """spatial : the plane is any, else that of x and y; kinds : of the joints of the tree"""
        self.random = random = np.random.default_rng(seed)
        self.deck = DeckText(t_end=t_end, dt=dt, every=t_end / 8)
        self.frame = random_frame(random, True) if spatial else np.eye(3)
        self.bodies = list(range(1, bodies + 1))
        self.places = {body: self._anywhere() for body in self.bodies}
        self.masses = {body: float(10 ** random.uniform(-1, 1)) for body in self.bodies}
        self.gravity = np.zeros(3)
        self.points: dict[int, list[int]] = {body: [] for body in self.bodies}
        self.nodes: dict[int, Floats] = dict(self.places)
        self._joints: list[tuple[str, int, int, Floats, float | None, Sequence[Mapping[str, float]]]] = []
        self._springs: list[tuple[int, int, float, float]] = []
        self._closed: list[str] = []
        self.kinds = kinds
        self.free = bodies

    @property
    def normal(self) -> Floats:
        return self.frame[:, 2]

    def _anywhere(self) -> Floats:
        """A place near the plane."""
        return self.frame @ (self.random.normal(size=3) * (1.0, 1.0, 0.1))

    def in_plane(self) -> Floats:
        """A direction in the plane."""
        angle = self.random.uniform(0.0, 2 * np.pi)
        return self.frame @ np.array([np.cos(angle), np.sin(angle), 0.0])

    def _point(self, body: int, place: Floats) -> int:
        """A node of a body."""
        if body == GROUND:
            return 0
        node = 1000 + len(self.nodes)
        self.nodes[node] = place
        self.points[body].append(node)
        return node

    def tree(self, forces: Mapping[str, float] | None = None) -> None:
        """Each body on an earlier one, or on the ground; forces : along each joint."""
        for body in self.bodies:
            before = int(self.random.integers(0, body))
            self.join(str(self.random.choice(self.kinds)), before, body, forces)

    def loops(self, count: int, kinds: Sequence[str] = tuple(CLOSE)) -> None:
        """Joints more, as long as there is a freedom left."""
        for _ in range(count):
            kind = str(self.random.choice(kinds))
            if self.free - CLOSE[kind] >= 1:
                first, second = (int(body) for body in self.random.choice([GROUND, *self.bodies], 2, replace=False))
                self.join(kind, *sorted((first, second)))
                self.free -= CLOSE[kind]

    def join(self, kind: str, first: int, second: int, forces: Mapping[str, float] | None = None) -> None:
        place = 0.5 * (self._anywhere() + self.places[second])
        if kind == "DISTANCE":
            end = place + self.frame @ np.append(self.random.normal(size=2), 0.0)
            # a rod between two bodies, or one that a fixed point holds: the ground has no nodes of its own
            self._add(kind, self._fixed(place) if first == GROUND else self._point(first, place), second, end, None, ())
            return
        axis = self.in_plane() if kind in ("TRANSLATIONAL", "slot") else self.normal * self.random.choice([-1, 1])
        self._add("STRUT" if kind == "slot" else kind, self._point(first, place), second, place, axis,
                  [forces] if forces else ())  # fmt: skip

    def _add(
        self, kind: str, node: int, body: int, place: Floats, axis: Floats | None, forces: Sequence[Mapping[str, float]]
    ) -> None:
        self._joints.append((kind, node, self._point(body, place), axis, None, forces))  # type: ignore[arg-type]

    def _fixed(self, place: Floats) -> int:
        """A node that is held."""
        node = 5000 + len(self.nodes)
        self.nodes[node] = place
        self.deck.hold([node])
        return node

    def spring(self, stiffness: float = 50.0, damping: float = 0.0) -> None:
        """Between two bodies, or a body and the ground."""
        first, second = (int(body) for body in self.random.choice([GROUND, *self.bodies], 2, replace=False))
        one = self._fixed(self._anywhere()) if first == GROUND else self._point(first, self._anywhere())
        other = self._fixed(self._anywhere()) if second == GROUND else self._point(second, self._anywhere())
        self._springs.append((one, other, stiffness, damping))

    def drive(self, kind: str, formula: str, *, level: int, window: tuple[float, float] = (0.0, 1e30)) -> None:
        """The angle of the first hinge (ROT) or the slide of the first slider (TRA) follows a function."""
        wanted = "REVOLUTE" if kind == "ROT" else "TRANSLATIONAL"
        _, one, other, axis, *_ = next(joint for joint in self._joints if joint[0] == wanted)
        self.deck.drive(kind, one, other, self.deck.expression(formula), axis, level=level, window=window)

    def loads(self, count: int = 2) -> None:
        """Forces and moments that change with time, along global axes."""
        for body in self.random.choice(self.bodies, count):
            formula = f"{self.random.uniform(-3, 3):.3f}*sin({self.random.uniform(5, 20):.3f}*t)+1"
            function = self.deck.expression(formula)
            self.deck.load(int(body), str(self.random.choice(["XX", "YY", "ZZ", "X", "Y", "Z"])), 1.0, function)

    def weight(self) -> None:
        """Gravity, not along the plane."""
        self.gravity = self.random.uniform(-8.0, 8.0, 3)
        for direction, size in zip("XYZ", self.gravity, strict=True):
            self.deck.gravity(self.bodies, direction, float(size))

    def turning(self, rate: float = 2.0) -> None:
        """Bodies turn at the start; the projection of the velocities makes them fit."""
        for body in self.bodies:
            self.deck.velocity(body, np.zeros(3), rate * self.random.uniform(-1.0, 1.0) * self.normal)

    def text(self) -> DeckText:
        """The deck; bodies, joints and springs are written once."""
        deck = self.deck
        deck.nodes({node: tuple(place.tolist()) for node, place in self.nodes.items()})
        for body in self.bodies:
            mass = self.masses[body]
            i = random_inertia(self.random, 1.0, mass)
            deck.rigid_body(body, self.points[body], mass, np.diag(i), (i[0, 1], i[1, 2], i[0, 2]))
        for kind, node, other, axis, _, forces in self._joints:
            deck.pair(kind, node, other, (0.0, 0.0, 1.0) if axis is None else axis, forces=forces)
        for one, other, stiffness, damping in self._springs:
            deck.spring(one, other, stiffness, damping)
        return deck
