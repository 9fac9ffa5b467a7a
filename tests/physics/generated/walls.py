"""Masses and crates that fall on rigid walls of all kinds."""

from __future__ import annotations

import numpy as np
from random_machines import Body, random_inertia

from .common import NewDeck, chosen
from .machine_deck import MachineDeck

TIED = 1
WALLS = ("PLANE", "SPHER", "CYL", "PARAL")


def walls(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """1 to 4 bodies of corners above a wall, which slides, sticks or rubs, kinematic or by penalty."""
    deck = new(0.08, 1e-3 if random.random() < 0.7 else 2e-4, 2e-3)
    deck.rough = "walls"
    deck.grounded = True
    corners, most = [], 0
    for k in range(int(random.integers(1, 5))):
        place = np.array([0.6 * k - 0.6, 0.1 * random.normal(), random.uniform(0.2, 0.3)])
        mass = float(random.uniform(0.5, 2.0))
        velocity, spin = np.array([*random.normal(size=2), random.uniform(-3.0, 0.0)]), 2.0 * random.normal(size=3)
        body = deck.add(Body(place, mass, random_inertia(random, 0.2, mass), velocity, spin), walled=True)
        count = int(random.integers(1, 5))
        most = max(most, count)
        corners += [deck.at(body, place + random.uniform(-0.08, 0.08, 3)) for _ in range(count)]
    kind = chosen(random, WALLS)
    points = {
        "PLANE": [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)],
        "SPHER": [(0.0, 0.0, -2.0)],
        "CYL": [(0.0, 0.0, -2.0), (1.0, 0.0, -2.0)],
        "PARAL": [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 0.0)],
    }[kind]
    diameter = 4.0 if kind in ("SPHER", "CYL") else 0.0
    mode = int(random.integers(3))
    deck.indeterminate = mode == TIED and most > 2
    deck.wall(
        kind, corners, *points, mode=mode, friction=0.3 if mode == 2 else 0.0, diameter=diameter,
        penalty=bool(random.random() < 0.3),
    )  # fmt: skip
    deck.gravitate(np.array([0.0, 0.0, -9.81]))
    return deck
