"""What everything in a model refers to: units, nodes, axes, functions of time, sensors; and what every block has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..text.diagnostics import Where

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Direction = Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Units:
    """Working units: names as the deck spells them, and their sizes in kg, m and s."""

    mass: str
    length: str
    time: str
    mass_si: float
    length_si: float
    time_si: float


@dataclass(slots=True)
class Nodes:
    """All nodes of the deck, in the order read.

    ids : (n,) int64, unique
    coordinates : (n, 3) float64, global, working length unit
    """

    ids: Ints
    coordinates: Floats

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class Entity:
    """What every block has: its id, its title, and the place in the deck it came from."""

    id: int
    title: str
    where: Where

    @property
    def name(self) -> str:
        """What messages call it: keyword, id and title."""
        title = f" '{self.title}'" if self.title else ""
        return f"{self.where.keyword}/{self.id}{title}"


@dataclass(slots=True)
class Skew(Entity):
    """/SKEW/FIX or /SKEW/MOV: axes (no origin is used by the solver).

    axes : (3, 3), rows X', Y', Z' at t = 0 (orthonormal, global components)
    nodes : for MOV the rows of N1, N2, N3; empty for FIX
    direction : for MOV, which axis lies along N1-N2 (0 = X', 1 = Y', 2 = Z')
    """

    moving: bool
    axes: Floats
    nodes: Ints
    direction: Direction = 0


@dataclass(slots=True)
class Function(Entity):
    """/FUNCT, /FUNCT_SMOOTH (points) or /FUNCT_EXPR (program).

    kind TABLE : piecewise linear through (x, y), end segments extrapolated linearly; one point is a constant
    kind SMOOTH : smooth interpolation through (x, y)
    kind EXPRESSION : `program` as made by `parser.text.expressions.compile_expression`
    """

    kind: Literal["TABLE", "SMOOTH", "EXPRESSION"]
    x: Floats
    y: Floats
    program: object | None = None
    expression: str = ""


@dataclass(slots=True)
class Sensor(Entity):
    """/SENSOR/TIME: active for t >= delay and t < stop."""

    delay: float
    stop: float
