"""Machines of links with geared motors, made at random: trees of joints, held or free, shafts on each link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from deck_text import DeckText
from numpy.typing import NDArray
from random_trains import unit

Floats = NDArray[np.float64]
GROUND = 0


class RandomArm:
    """A deck of links 1, 2 ..., each on an earlier one by a hinge, the first on the ground or free.

    A motor is a shaft on the link that carries a hinge, and turns it by a coupler; nodes 100 + link.
    """

    def __init__(
        self, seed: int, links: int, *, free: bool = False, t_end: float = 0.2, dt: float = 1e-3, branching: bool = True
    ) -> None:
        self.random = random = np.random.default_rng(seed)
        self.deck = DeckText(t_end=t_end, dt=dt, every=t_end / 8)
        self.links, self.free = list(range(1, links + 1)), free
        self.axes = {link: unit(random) for link in self.links}
        self.base = {link: (int(random.integers(1, link)) if branching else link - 1) if link > 1 else GROUND
                     for link in self.links}  # fmt: skip
        self.places: dict[int, Floats] = {}
        self._secondary: dict[int, list[int]] = {link: [] for link in self.links}
        for link in self.links:
            self.places[link] = random.normal(size=3) + (self.places[self.base[link]] if link > 1 else 0.0)
            self._point(link, self.places[link] + 0.2 * random.normal(size=3))
        self._hinges: list[tuple[str, int, int, Floats, Mapping[str, float] | None]] = []
        self._shafts: dict[int, tuple[Floats, float]] = {}
        self.ends: dict[int, tuple[int, int]] = {}  # of the hinge of each link and shaft

    def _point(self, link: int, place: Floats) -> int:
        """A node of a link; one that is fixed in space where the link is the ground."""
        node = 1000 + len(self.places)
        self.places[node] = place
        if link:
            self._secondary[link].append(node)
        return node

    def hinges(self, forces: Mapping[str, float] | None = None, *, but: Sequence[int] = ()) -> None:
        """Each link on the one before it; but : links that shafts hold, see `pin`, or that begin another machine."""
        for link in self.links:
            if (self.base[link] or not self.free) and link not in but:
                self._hinge(link, forces)

    def _hinge(self, link: int, forces: Mapping[str, float] | None) -> None:
        place = self.places[link] + 0.3 * self.random.normal(size=3)
        base = self._point(self.base[link], place) if self.base[link] else 0
        self._hinges.append(("REVOLUTE", base, self._point(link, place), self.axes[link], forces))
        self.ends[link] = base, self._hinges[-1][2]

    def shaft(self, carrier: int, number: int, forces: Mapping[str, float] | None = None) -> int:
        """A shaft on a link, in balance; its node."""
        axis, inertia = unit(self.random), float(10 ** self.random.uniform(-2.5, -1.0))
        self.places[number] = self.places[carrier] + 0.4 * self.random.normal(size=3)
        self._shafts[number] = axis, inertia
        base = self._point(carrier, self.places[number])
        self.ends[number] = base, number
        self.axes[number] = axis
        self._hinges.append(("REVOLUTE", base, number, axis, forces))
        return number

    def couple(self, one: int, other: int, ratio: float | None = None) -> None:
        """The angles of two shafts or links in a ratio."""
        ratio = float(self.random.choice([-1, 1]) * 2 ** self.random.uniform(-1, 2)) if ratio is None else ratio
        (base, node), (second, end) = self.ends[one], self.ends[other]
        nodes = (node, base, end, second)
        self.deck.coupler("R2R", nodes, ratio, tuple(self.axes[one].tolist()), tuple(self.axes[other].tolist()))

    def motors(self, forces: Mapping[str, float] | None = None) -> None:
        """A motor and a shaft between it and the link, on the base of each hinge between links."""
        for link in self.links:
            base = self.base[link]
            if base and link in self.ends:
                self.shaft(base, 100 + link, forces)
                self.shaft(base, 200 + link)
                self.couple(100 + link, 200 + link)
                self.couple(200 + link, link)

    def pin(self, link: int, number: int) -> None:
        """A shaft that holds a link on its base, with a bearing on either, in gear with a shaft on each."""
        base, axis = self.base[link], self.axes[link]
        place = self.places[link] + 0.3 * self.random.normal(size=3)
        self.places[number], self.axes[number] = place, axis
        self._shafts[number] = axis, float(10 ** self.random.uniform(-2.5, -1.0))
        for carrier, other in ((base, number + 100), (link, number + 200)):
            self.shaft(carrier, other)
            self.ends[number] = self._point(carrier, place), number
            self._hinges.append(("REVOLUTE", *self.ends[number], axis, None))
            self.couple(number, other)

    def drive(self, number: int, formula: str, *, level: int = 1, window: tuple[float, float] = (0.0, 1e30)) -> None:
        """The angle of a shaft or link follows a function."""
        base, node = self.ends[number]
        axis = tuple(self.axes[number].tolist())
        self.deck.drive("ROT", base, node, self.deck.expression(formula), axis, level=level, window=window)

    def moments(self) -> None:
        """On shafts along global axes, and forces on links."""
        for node in self._shafts:
            function = self.deck.expression(f"{self.random.uniform(-1, 1):.3f}*sin({self.random.uniform(5, 20):.3f}*t)")
            self.deck.load(node, str(self.random.choice(["XX", "YY", "ZZ"])), 2.0, function)
        for link in self.links:
            self.deck.load(link, str(self.random.choice(["X", "Y", "Z"])), float(self.random.normal()))

    def weight(self) -> None:
        """Gravity on everything."""
        nodes = [*self.links, *self._shafts, *(node for own in self._secondary.values() for node in own)]
        self.deck.gravity(nodes, "Y", -9.81)

    def tumbling(self, rate: float = 3.0) -> None:
        """All turn together, shafts on top of that; what does not fit is projected away."""
        omega, drift = rate * unit(self.random), self.random.normal(size=3)
        for node in [*self.links, *self._shafts]:
            velocity, spin = drift + np.cross(omega, self.places[node]), omega.copy()
            if node in self._shafts:
                spin = spin + rate * self.random.normal() * self.axes[node]
            self.deck.velocity(node, tuple(velocity.tolist()), tuple(spin.tolist()))

    def finish(self) -> DeckText:
        """The deck, with its nodes and bodies."""
        deck = self.deck
        deck.nodes({node: tuple(place.tolist()) for node, place in self.places.items()})
        for link in self.links:
            deck.rigid_body(link, self._secondary[link], float(self.random.uniform(1, 3)),
                            tuple(self.random.uniform(0.3, 0.5, 3).tolist()))  # fmt: skip
        for number, (axis, inertia) in self._shafts.items():
            point = 5000 + number
            deck.nodes({point: tuple((self.places[number] + 0.1 * axis).tolist())})
            deck.rigid_body(number, [point], float(self.random.uniform(0.2, 1.0)), (inertia,) * 3)
        for kind, one, other, axis, forces in self._hinges:
            deck.pair(kind, one, other, tuple(axis.tolist()), forces=[forces] if forces else ())
        return deck
