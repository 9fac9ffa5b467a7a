"""The scenes of `contacts.py`: heaps of spheres in a box, and a cylinder that turns on a box.

All in kg, m, s.  Every program gets the same places and velocities, law, friction and step; what touches is counted
from the places alone, so that it means the same for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

GRAVITY = 9.81


class State(NamedTuple):
    """Where the spheres are, and how they move: (n, 3) each."""

    places: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray


@dataclass(frozen=True)
class Heap:
    """Equal spheres in a box without a lid, made of five planes.

    Normal force: a linear spring and a damper.  rough : Coulomb friction, regularised below v_s, and spheres that turn
    """

    count: int
    rough: bool
    dt: ClassVar[float] = 1e-4
    radius: ClassVar[float] = 0.05
    mass: ClassVar[float] = 2.0
    stiffness: ClassVar[float] = 1e6  # a bounce of two spheres takes 31 steps
    damping: ClassVar[float] = 400.0  # a fifth of the critical value
    friction: ClassVar[float] = 0.3
    slip: ClassVar[float] = 0.01  # m/s, v_s

    @property
    def name(self) -> str:
        return f"{self.count} spheres, {'friction' if self.rough else 'no friction'}"

    @property
    def inertia(self) -> float:
        return 0.4 * self.mass * self.radius**2

    @property
    def _edge(self) -> int:
        """Spheres along an edge of the floor."""
        return round((0.6 * self.count) ** (1 / 3))

    @property
    def settling(self) -> float:
        """Seconds from a loose stack, in proportion to a fall from its height; some spheres still move then."""
        return 0.075 * math.sqrt(self.count / self._edge**2)

    @property
    def width(self) -> float:
        """Inner width of the box."""
        return 2.15 * self.radius * (self._edge + 0.5)

    @property
    def walls(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """A point and the inward normal of each plane."""
        far, x, y, z = np.array([self.width, self.width, 0.0]), *np.eye(3)
        return [(np.zeros(3), x), (np.zeros(3), y), (np.zeros(3), z), (far, -x), (far, -y)]

    def stack(self) -> State:
        """Layers, each in the hollows of the one below, with gaps and a little out of order."""
        k = np.arange(self.count)
        layer, spacing = k // self._edge**2, 2.15 * self.radius
        shift = 0.5 * (layer % 2)
        x, y = (k % self._edge + shift) * spacing, (k // self._edge % self._edge + shift) * spacing
        places = np.stack([x, y, 1.34 * self.radius * layer], axis=1) + 1.05 * self.radius
        places += np.random.default_rng(1).uniform(-0.03, 0.03, places.shape) * self.radius
        return State(places, np.zeros_like(places), np.zeros_like(places))

    def contacts(self, places: np.ndarray) -> int:
        """How many contacts there are: spheres with spheres and planes."""
        pairs = len(cKDTree(places).query_pairs(2 * self.radius, output_type="ndarray"))
        on_walls = sum(int(np.sum((places - point) @ normal < self.radius)) for point, normal in self.walls)
        return pairs + on_walls


@dataclass(frozen=True)
class Roller:
    """The cylinder of decks/cylinder_on_box, spinning at first, then rolling."""

    name: ClassVar[str] = "cylinder on a box"
    dt: ClassVar[float] = 2e-5
    radius: ClassVar[float] = 0.05
    length: ClassVar[float] = 0.2
    mass: ClassVar[float] = 2.0
    place: ClassVar[float] = 0.04999019  # height over the box
    inertia: ClassVar[tuple[float, float, float]] = (0.00791666666667, 0.0025, 0.00791666666667)  # y is its axis
    spin: ClassVar[float] = 20.0  # about y
    stiffness: ClassVar[float] = 2e6  # of the line of contact
    damping: ClassVar[float] = 1000.0
    friction: ClassVar[float] = 0.2
    box: ClassVar[tuple[float, float, float]] = (2.0, 1.0, 0.1)  # its top at z = 0


Scene = Heap | Roller
