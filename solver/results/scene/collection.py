"""Parts of a scene as they are collected: everything is placed as the deck draws it, and handed to its body."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np
from numpy.typing import ArrayLike

from ...core.bodies import Floats
from ..machine_tables import GROUND, MachineTables
from .gear_layout import Shaft
from .parts import Link, Part, Shape
from .poses import turn_to, turned
from .surfaces import CORNERS, cylinder

ONE = np.ones(3)
AROUND_STICK = 12


class Collection:
    """Shapes and parts of a machine.

    machine : its tables
    size : of the machine as drawn
    """

    def __init__(self, machine: MachineTables, size: float) -> None:
        self.machine, self.size = machine, size
        self.shapes: list[Shape] = []
        self.parts: list[Part] = []
        self.links: list[Link] = []
        self._numbers: dict[Hashable, int] = {}
        self._boxes: dict[int, Floats] = {}

    def shape(self, key: Hashable, make: Callable[[], Shape]) -> int:
        """The number of a shape, made when it is first asked for."""
        if key not in self._numbers:
            self._numbers[key] = len(self.shapes)
            self.shapes.append(make())
        return self._numbers[key]

    def add(
        self,
        name: str,
        kind: str,
        node: int,
        key: Hashable,
        make: Callable[[], Shape],
        place: Floats,
        quaternion: Floats,
        scale: ArrayLike = ONE,
    ) -> None:
        """A part on the body of a node, at a place of the drawing."""
        body = self.body_of(node)
        self.add_to_body(name, kind, body, key, make, self.into_body(body, place), quaternion, scale)

    def add_to_body(
        self,
        name: str,
        kind: str,
        body: int,
        key: Hashable,
        make: Callable[[], Shape],
        position: Floats,
        quaternion: Floats,
        scale: ArrayLike = ONE,
        *,
        turns: bool = True,
    ) -> None:
        """A part at a place in the axes of its body."""
        scales = np.broadcast_to(np.asarray(scale, dtype=np.float64), (3,))
        number = self.shape(key, make)
        self.parts.append(Part(str(name), kind, body, number, position, quaternion, scales, turns))

    def add_stick(self, name: str, kind: str, node: int, start: Floats, end: Floats, radius: float) -> None:
        """A round bar between two places of the drawing, nothing where they are one."""
        length = float(np.linalg.norm(end - start))
        if length > 1e-9 * self.size:
            middle, turn = 0.5 * (start + end), turn_to(end - start)
            self.add(name, kind, node, "stick", lambda: cylinder(AROUND_STICK), middle, turn, [radius, radius, length])

    def corners(self, part: Part) -> Floats:
        """(8, 3) of a box about a part, in the axes of its body."""
        if part.shape not in self._boxes:
            points = self.shapes[part.shape].points
            middle, edges = 0.5 * (points.min(axis=0) + points.max(axis=0)), np.ptp(points, axis=0)
            self._boxes[part.shape] = middle + CORNERS * edges
        return part.position + turned(part.quaternion, part.scale * self._boxes[part.shape])

    def body_of(self, node: int) -> int:
        """Row of the body that a node is on; no node is on the ground."""
        return int(self.machine.node.body[node]) if node >= 0 else GROUND

    def place_of(self, node: int) -> Floats:
        """(3,) where a node is drawn."""
        body = self.body_of(node)
        position: Floats = self.machine.node.position[node]
        return position if body == GROUND else position + self.machine.body.centre[body]

    def into_body(self, body: int, place: Floats) -> Floats:
        """A place of the drawing in the axes of a body."""
        return place if body == GROUND else place - self.machine.body.centre[body]

    def shaft(self, node: int, axis: Floats) -> Shaft:
        """A node that turns about an axis of the drawing, with which the axes of all bodies agree."""
        return Shaft(int(node), self.place_of(int(node)), unit(axis))


def unit(axis: Floats) -> Floats:
    """Of length 1; one of no length stays."""
    return axis / (float(np.linalg.norm(axis)) or 1.0)
