"""Drives of all kinds and levels, on joints that leave them their coordinate, and between bodies that float."""

from __future__ import annotations

import numpy as np
from joint_definitions import unit
from random_machines import GROUND

from .common import NewDeck, add_loads, chosen, direction, masses, moving_body, new_deck, perpendicular
from .machine_deck import MachineDeck
from .trees import tree

GUIDES = {"ROT": ("REVOLUTE", "CYLINDRICAL"), "TRA": ("TRANSLATIONAL", "CYLINDRICAL", "STRUT"), "DIST": ("SPHERICAL",)}
STOPS = (1e30, 1e30, 0.0375)  # s: never, or between two steps


def drive_formulas(random: np.random.Generator, size: float = 0.2, from_rest: bool = False) -> tuple[str, str, str]:
    """Position, rate and acceleration: a steady part and a swing, both 0 in position at t = 0."""
    swing, w = float(size * random.uniform(0.2, 1.0)), float(random.uniform(1.0, 6.0))
    steady = -swing * w if from_rest else float(size * random.normal())
    return (
        f"({steady!r}) * t + {swing!r} * sin({w!r} * t)",
        f"({steady!r}) + {swing * w!r} * cos({w!r} * t)",
        f"-({swing * w * w!r}) * sin({w!r} * t)",
    )


def driven(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A chain of 1 to 4 bodies, free or on the ground, each driven against the one before or left to itself."""
    deck = new_deck(new, random, least=4)
    from_rest = random.random() < 0.5
    first = GROUND
    place = 0.3 * random.normal(size=3)
    if random.random() < 0.5:
        first = deck.add(moving_body(random, place, 3.0, speed=0.0 if from_rest else 1.0))
    for mass in masses(random, int(random.integers(1, 5))):
        place = place + 0.5 * unit(random.normal(size=3))
        body = deck.add(moving_body(random, place + 0.1 * random.normal(size=3), mass, speed=0.0 if from_rest else 0.5))
        kind, axis = chosen(random, ("ROT", "TRA", "DIST")), direction(random)
        begin = end = place
        if kind == "DIST":  # in the middle of its reach
            arm = unit(random.normal(size=3))
            begin, end = place - 0.5 * arm, place + 0.4 * perpendicular(random, arm)
        guided, moved = kind != "DIST" or random.random() < 0.5, random.random() < 0.8
        if guided or not moved:  # nothing is left alone
            deck.join(chosen(random, GUIDES[kind]), first, body, place, axis)
        if moved:
            deck.drive_by(
                kind, first, body, begin, end, axis, level=int(random.integers(3 if from_rest else 2)),
                formulas=drive_formulas(random, 0.1, from_rest), window=(0.0, float(random.choice(STOPS))),
            )  # fmt: skip
        first = body
    add_loads(deck, random)
    return deck


def timed(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A tree with loads that follow functions of time: formulas, and points that bend on the way."""
    deck = tree(new, random)
    deck.known_forces = False
    for k, body in enumerate(deck.bodies):
        if random.random() < 0.6:
            times = np.cumsum(random.uniform(0.005, 0.04, 5))
            if random.random() < 0.5:
                deck.bends += times.tolist()
                function = deck.function(
                    [(0.0, 0.0), *zip(times.tolist(), random.normal(size=5).tolist(), strict=True)]
                )
            else:
                function = deck.expression(f"sin({random.uniform(5.0, 40.0)!r} * t) + 0.3 * exp(-10 * t)")
            name = chosen(random, ("X", "Y", "Z", "XX", "YY", "ZZ"))
            size = body.mass if len(name) == 1 else float(np.trace(body.inertia))
            deck.load(deck.mains[k], name, float(5.0 * size * random.normal()), function)
            deck.loaded = True
    return deck
