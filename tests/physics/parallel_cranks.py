"""Bars on parallel cranks of one length, which pass flat positions: with coordinates as exact or as rounded as wanted.

A bar on n such cranks turns steadily where no force acts.  It has 1 degree of freedom and n - 2 rows too many in its
plane (and those across it), which agree only as far as the coordinates are rounded; with all pivots in one line they
are flat twice a turn, where a parallelogram could go on as an anti-parallelogram.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from deck_text import DeckText
from linkages import box_inertia
from numpy.typing import NDArray

Floats = NDArray[np.float64]
WIDTH = 0.05


@dataclass(frozen=True)
class ParallelCranks:
    """pivots (n,) along the line, all cranks at `angle` from it at t = 0, turning at `rate`.

    frame (3, 3) : columns are the line, what is across it in the plane, and the axes of the cranks
    digits : after the point that coordinates have, None all
    """

    pivots: Floats
    length: float
    angle: float
    rate: float
    frame: Floats
    digits: int | None = None

    def deck(self, t_end: float, dt: float | None) -> DeckText:
        """With cranks 10, 20 ... (joints to the ground first, then those to the bar) and the bar 1000."""
        deck = DeckText(t_end, dt, t_end / 50)
        self.add_to(deck)
        return deck

    def add_to(self, deck: DeckText, first: int = 0) -> None:
        """Add the machine to a deck; first : what its nodes are numbered from."""
        arm = self.length * np.array([np.cos(self.angle), np.sin(self.angle), 0.0])
        across = self.rate * self.length * np.array([-np.sin(self.angle), np.cos(self.angle), 0.0])
        axis = self.frame[:, 2]
        middle = np.array([self.pivots.mean(), 0.0, 0.0]) + arm
        pins, grounded, hinged = {}, [], []
        for k, pivot in enumerate(self.pivots):
            crank, pin = first + 10 * (k + 1), first + 1001 + k
            foot, tip = crank + 1, crank + 2
            place = np.array([pivot, 0.0, 0.0])
            deck.nodes({crank: self._at(place + arm / 2), foot: self._at(place), tip: self._at(place + arm)})
            self._body(deck, crank, [foot, tip], 1.0, self.angle)
            deck.velocity(crank, self.frame @ across / 2, self.rate * axis)
            pins[pin] = self._at(place + arm)
            grounded.append(foot)
            hinged.append((tip, pin))
        bar = first + 1000
        deck.nodes({bar: self._at(middle), **pins})
        self._body(deck, bar, list(pins), 2.0, 0.0)
        deck.velocity(bar, self.frame @ across, np.zeros(3))
        for foot in grounded:
            deck.pair("REVOLUTE", 0, foot, axis)
        for tip, pin in hinged:
            deck.pair("REVOLUTE", tip, pin, axis)

    def _at(self, place: Floats) -> Floats:
        place = self.frame @ place
        return place if self.digits is None else np.round(place, self.digits)

    def _body(self, deck: DeckText, main: int, nodes: list[int], mass: float, angle: float) -> None:
        along = self.length if main % 1000 else float(np.ptp(self.pivots))
        turned = self.frame @ np.array(
            [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
        )
        inertia = turned @ np.diag(box_inertia(mass, along, WIDTH, WIDTH)) @ turned.T
        ixx, iyy, izz, ixy, iyz, izx = (
            inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[1, 2], inertia[2, 0]
        )  # fmt: skip
        deck.rigid_body(main, nodes, mass, (ixx, iyy, izz), (ixy, iyz, izx))


def random_frame(random: np.random.Generator, spatial: bool) -> Floats:
    """Turned about z, or anyhow."""
    turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
    turned *= np.sign(np.linalg.det(turned))
    if spatial:
        return turned
    angle = random.uniform(0.0, 2 * np.pi)
    return np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])


def random_cranks(
    random: np.random.Generator, n: int, *, spatial: bool, digits: int | None, flat: bool = False
) -> ParallelCranks:
    """Cranks of random places, length, angle and rate."""
    pivots = np.cumsum(random.uniform(0.5, 1.0, n))
    return ParallelCranks(
        pivots=pivots,
        length=float(random.uniform(0.3, 1.0)),
        angle=0.0 if flat else float(random.uniform(0.3, 2.8)),
        rate=float(random.choice([-1.0, 1.0]) * random.uniform(3.0, 6.0)),
        frame=random_frame(random, spatial),
        digits=digits,
    )
