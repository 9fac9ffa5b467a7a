"""Trains of rotors made at random: any axes, ratios, inertias, sizes, loads, loops of gears, several carriers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from deck_text import DeckText
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STRENGTH = 2.0  # of moments


def unit(random: np.random.Generator) -> Floats:
    vector = random.normal(size=3)
    return vector / np.linalg.norm(vector)


class RandomTrain:
    """A deck of shafts on held carriers, built step by step; nodes 1 ... are shafts, 1001 ... carriers.

    ratio : of each shaft, its angle over that of the first shaft it hangs on, for loops that close
    """

    def __init__(
        self, seed: int, shafts: int, *, t_end: float = 0.4, dt: float = 1e-3, carriers: int = 2, held: bool = True,
        apart: float = 0.0,
    ) -> None:  # fmt: skip
        """apart : of the secondary nodes of rigid bodies from their main nodes, across the axes"""
        self.random = random = np.random.default_rng(seed)
        self.deck = DeckText(t_end=t_end, dt=dt, every=t_end / 8)
        self.shafts = list(range(1, shafts + 1))
        self.carriers = [1001 + k for k in range(carriers)]
        self.size = float(10 ** random.uniform(-1, 1))
        self.axes = {node: unit(random) for node in self.shafts}
        self.inertia = {node: float(10 ** random.uniform(-3, -1)) for node in self.shafts}
        self.ratio: dict[int, float] = {}
        self._weighed: set[int] = set()
        places = {node: self.size * random.normal(size=3) for node in (*self.shafts, *self.carriers)}
        sides = {node: np.cross(self.axes[node], unit(random)) if apart else np.zeros(3) for node in self.shafts}
        places |= {2000 + node: places[node] + apart * sides[node] for node in self.shafts}  # secondary nodes
        self.deck.nodes({node: tuple(place.tolist()) for node, place in places.items()})
        self.places = places
        if held:
            self.deck.hold(self.carriers)

    def carrier(self) -> int:
        return int(self.random.choice(self.carriers))

    def _shaft(self, node: int) -> tuple[int, float, float, tuple[float, ...]]:
        first = node not in self._weighed
        self._weighed.add(node)
        mass, inertia = (float(self.random.uniform(0.5, 2.0)), self.inertia[node]) if first else (0.0, 0.0)
        return node, mass, inertia, tuple(self.axes[node].tolist())

    def _carrier_card(self) -> tuple[int, float, float]:
        node = self.carrier()
        first = node not in self._weighed
        self._weighed.add(node)
        return node, *((2.0, 0.5) if first else (0.0, 0.0))

    def gears(self, *, loops: int = 0) -> None:
        """Each shaft in gear with an earlier one, and some more gears whose ratios close."""
        self.ratio[1] = 1.0
        for node in self.shafts[1:]:
            other, alpha = (
                int(self.random.integers(1, node)),
                float(self.random.choice([-1, 1]) * 2 ** self.random.uniform(-1, 1)),
            )
            self.deck.joint("GEAR", self._carrier_card(), [self._shaft(other), self._shaft(node)], alpha=alpha)
            self.ratio[node] = -alpha * self.ratio[other]
        for _ in range(loops):
            one, other = (int(node) for node in self.random.choice(self.shafts, 2, replace=False))
            alpha = -self.ratio[other] / self.ratio[one]
            self.deck.joint("GEAR", self._carrier_card(), [self._shaft(one), self._shaft(other)], alpha=alpha)

    def differentials(self) -> None:
        """Each shaft but the first two in a differential with two earlier ones."""
        for node in self.shafts[2:]:
            chosen = [int(k) for k in self.random.choice(np.arange(1, node), 2, replace=False)]
            self.deck.joint("DIFF", self._carrier_card(), [self._shaft(k) for k in (*chosen, node)], alpha=0.7)

    def hinges(self, forces: Mapping[str, float] | None = None) -> None:
        """All shafts on hinges of their own on the ground, and couplers between some of them.

        forces : what acts about each hinge, by the names of the fields
        """
        for node in self.shafts:
            self.deck.rigid_body(node, [2000 + node], 1.5, (self.inertia[node],) * 3)
            axis = tuple(self.axes[node].tolist())
            self.deck.pair("REVOLUTE", 0, node, axis, forces=[forces] if forces else ())
        for node in self.shafts[1::2]:
            nodes = (node - 1, 0, node, 0)
            axes = (tuple(self.axes[k].tolist()) for k in (node - 1, node))
            self.deck.coupler("R2R", nodes, float(self.random.uniform(0.3, 2.0)), *axes)

    def drive(self, node: int, formula: str, *, level: int, window: tuple[float, float] = (0.0, 1e30)) -> None:
        """The angle of a shaft follows a function in a window of time."""
        axis = tuple(self.axes[node].tolist())
        self.deck.drive("ROT", 0, node, self.deck.expression(formula), axis, level=level, window=window)

    def moments(self, count: int = 3) -> None:
        """Moments that change with time, along global axes."""
        for node in self.random.choice(self.shafts, min(count, len(self.shafts)), replace=False):
            function = self.deck.expression(
                f"{self.random.uniform(-1, 1):.3f}*sin({self.random.uniform(5, 20):.3f}*t)+0.3"
            )
            self.deck.load(int(node), str(self.random.choice(["XX", "YY", "ZZ"])), STRENGTH, function)
            self.deck.load(int(node), str(self.random.choice(["X", "Y", "Z"])), 5.0)

    def weight(self) -> None:
        """Gravity on everything."""
        self.deck.gravity([*self.shafts, *self.carriers], "Y", -9.81)

    def tumbling(self, rate: float = 4.0) -> None:
        """All turn together, and the first shaft on top of that; the rest is made to fit."""
        omega, drift = rate * unit(self.random), self.random.normal(size=3)
        for node in (*self.shafts, *self.carriers):
            velocity = drift + np.cross(omega, self.places[node])
            spin = omega + (3 * rate * self.axes[1] if node == 1 else 0.0)
            self.deck.velocity(node, tuple(velocity.tolist()), tuple(np.asarray(spin).tolist()))

    def spinning(self, rate: float = 5.0) -> None:
        """The first shaft turns at the start; the rest is made to fit by the projection of the velocities."""
        self.deck.velocity(1, (0.0, 0.0, 0.0), tuple((rate * self.axes[1]).tolist()))


class PlanetarySet:
    """A deck of a planetary set: node 1 the arm, 2 sun, 3 ring, 4 ... planets, 100 a shaft, 1001 the housing.

    The arm has its bearing on the housing, in gear with the shaft; sun, ring and planets have theirs on the arm.
    """

    def __init__(self, seed: int, planets: int, *, held: bool, t_end: float = 0.4, dt: float = 1e-3) -> None:
        self.random = random = np.random.default_rng(seed)
        self.deck = DeckText(t_end=t_end, dt=dt, every=t_end / 8)
        self.axis = unit(random)
        self.places = {1: np.zeros(3), 2: -0.1 * self.axis, 3: 0.2 * self.axis, 100: random.normal(size=3)}
        first = np.cross(self.axis, unit(random))
        first /= np.linalg.norm(first)
        second = np.cross(self.axis, first)
        angles = 2 * np.pi * np.arange(planets) / planets if not held else random.uniform(0, 2 * np.pi, planets)
        for k, angle in enumerate(angles):
            radius = 0.5 if not held else float(random.uniform(0.2, 0.7))
            self.places[4 + k] = radius * (np.cos(angle) * first + np.sin(angle) * second) + 0.05 * self.axis
        self.places[1001] = random.normal(size=3)
        self.deck.nodes({node: tuple(place.tolist()) for node, place in self.places.items()})
        sun, ring = float(random.uniform(1.0, 2.0)), float(random.uniform(2.0, 3.0))
        self._weighed: set[int] = set()
        self._gear(1001, 1, 100, 0.8, unit(random))
        for planet in range(4, 4 + planets):
            self._gear(1, 2, planet, sun)
            self._gear(1, planet, 3, -1.0 / ring)
        if held:
            self.deck.hold([1001])

    def _gear(self, carrier: int, one: int, other: int, alpha: float, axis: Floats | None = None) -> None:
        shafts = [(one, self.axis), (other, self.axis if axis is None else axis)]
        cards = [(node, *self._mass(node), tuple(along.tolist())) for node, along in shafts]
        self.deck.joint("GEAR", (carrier, *self._mass(carrier)), cards, alpha=alpha)

    def _mass(self, node: int) -> tuple[float, float]:
        if node in self._weighed:
            return 0.0, 0.0
        self._weighed.add(node)
        return {1: (2.0, 0.05), 2: (1.0, 0.01), 3: (3.0, 0.2), 100: (1.0, 0.03), 1001: (5.0, 2.0)}.get(
            node, (0.4, 0.004)
        )

    def tumbling(self, rate: float = 4.0) -> None:
        """All turn together, and the sun and the arm on top of that; the rest is made to fit."""
        omega, drift = rate * unit(self.random), self.random.normal(size=3)
        for node, place in self.places.items():
            velocity, spin = drift + np.cross(omega, place), omega.copy()
            if node in (1, 2):
                spin = spin + 3 * rate * self.axis
            self.deck.velocity(node, tuple(velocity.tolist()), tuple(spin.tolist()))

    def moments(self) -> None:
        """On sun, arm and ring, along global axes."""
        for node, direction in ((2, "XX"), (1, "YY"), (3, "ZZ")):
            self.deck.load(node, direction, 0.2, self.deck.expression(f"sin({self.random.uniform(5, 20):.3f}*t)+0.3"))


def racks(seed: int, *, kind: str = "TRANSLATIONAL") -> RandomTrain:
    """Shafts in gear on held carriers, and racks on three of them; nodes 3001 ... slide.

    kind : of another guide of the racks on the ground, or "" for none
    """
    train = RandomTrain(seed, shafts=4)
    train.gears()
    random, slides = train.random, [3001, 3002, 3003]
    train.deck.nodes({node: tuple(random.normal(size=3).tolist()) for node in slides})
    for node, shaft in zip(slides, (1, 2, 4), strict=True):
        axis = tuple(unit(random).tolist())
        card = (shaft, 0.0, 0.0, tuple(train.axes[shaft].tolist()))
        rack = (node, float(random.uniform(0.5, 3.0)), 0.01, axis)
        train.deck.joint(
            "RACK",
            (train.carrier(), 0.0, 0.0),
            [card, rack],
            alpha=float(random.choice([-1, 1]) * random.uniform(0.1, 0.3)),
        )
        if kind:
            train.deck.pair(kind, 0, node, axis)
        train.axes[node] = np.array(axis)
    return train
