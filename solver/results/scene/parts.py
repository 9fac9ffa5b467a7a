"""The parts of a scene: shapes, where they sit on bodies, and links between two bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats, Ints

# Kinds of parts, and what they are.
KINDS = {
    "solid": "an exact solid of a contact",
    "curve": "a plane curve of a contact, as wide as it is",
    "mesh": "a mesh of a contact",
    "plane": "a finite patch of an endless plane of a contact",
    "wall": "a rigid wall; of an endless one a patch",
    "gear": "a gear, rack or wheel that a joint or coupler stands for",
    "body": "the inertia of a body without a shape as a block, and sticks to its nodes",
    "joint": "the axis of a joint as a pin",
}
LINK_KINDS = {"spring": "a spring as a coil", "drive": "a drive of a distance as a rod"}

UPRIGHT: Floats = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A surface in its own axes.

    points : (n, 3)
    triangles : (m, 3) rows of points, counter-clockwise as seen from outside
    tone : (m,) 0, or 1 for marks that are drawn darker, so that one sees round things turn
    two_sided : it has no inside, and is seen from both sides
    """

    points: Floats
    triangles: Ints
    tone: NDArray[np.uint8]
    two_sided: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A shape that sits on a body: a point p of the shape is at `position` + R(`quaternion`) (`scale` p) of the body.

    name : for people, as 'wheel' or 'gear joint 1'
    kind : one of KINDS
    body : row in the table of bodies, -1 the ground
    shape : place in the scene's shapes
    position, quaternion : (3,), and (4,) scalar first, in the axes of the body
    scale : (3,) along the axes of the shape
    turns : False of what moves with a point of its body, `position`, but keeps its directions in space
    """

    name: str
    kind: str
    body: int
    shape: int
    position: Floats
    quaternion: Floats
    scale: Floats
    turns: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What is drawn between points of two bodies: a shape along z from 0 to 1, of radius 1, that is stretched.

    kind : one of LINK_KINDS
    bodies : (2,) rows in the table of bodies
    points : (2, 3) in the axes of these
    radius : across
    """

    name: str
    kind: str
    shape: int
    bodies: Ints
    points: Floats
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All that is drawn.

    shapes : each once, however many parts have it
    size : of the machine as drawn, without its walls: the diagonal of its box
    bounds : (2, 3) corners of the box that it moves in, global axes, walls left out
    up : (3,) unit vector against gravity at t = 0; z where there is none
    """

    shapes: list[Shape]
    parts: list[Part]
    links: list[Link]
    size: float
    bounds: Floats
    up: Floats

    @property
    def items(self) -> list[Part | Link]:
        """Parts, and behind them links."""
        return [*self.parts, *self.links]
