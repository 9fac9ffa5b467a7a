"""Plane curves: discs that meet in flight, and cams that push followers."""

from __future__ import annotations

import numpy as np
from curve_rig import blob, polygon
from random_machines import GROUND, Body

from .collisions import COULOMB
from .common import Floats, NewDeck
from .machine_deck import MachineDeck

SIZE, STIFFNESS = 0.05, 1e6
Z = (0.0, 0.0, 1.0)


def disc(deck: MachineDeck, place: Floats, velocity: Floats, spin: float, mass: float = 1.0) -> int:
    """A body that stays in the plane by itself; returns its index."""
    inertia = mass * SIZE**2 / 4 * np.diag([1.0, 1.0, 2.0])
    return deck.add(Body(place, mass, inertia, velocity, np.array([0.0, 0.0, spin])))


def outline(random: np.random.Generator) -> Floats:
    """Smooth, hollow in places, or with corners."""
    kind = int(random.integers(3))
    if kind == 2:
        return np.asarray(polygon(random, SIZE))
    return np.asarray(blob(random, 0.1 if kind == 0 else 0.25, SIZE))


def add_law(deck: MachineDeck, random: np.random.Generator, sides: tuple[int, int]) -> None:
    """An interface, with loss or friction in some cases."""
    lossless, rubs = bool(random.random() < 0.6), bool(random.random() < 0.4)
    rub = {"friction": COULOMB, "mode": 1} if rubs else {}
    deck.elastic = 2e-3 if lossless and not rubs else None
    if random.random() < 0.5:
        deck.impact(sides, STIFFNESS, 1.0, 0.0 if lossless else 50.0, 1e-4, **rub)
    else:
        deck.poisson(sides, 2e7, 1.0 if lossless else float(random.uniform(0.5, 0.95)), 0.2, **rub)


def discs(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """Two outlines that fly at each other in their plane."""
    deck = new(0.05, 2.5e-5, 5e-4)
    deck.rough = "contact"
    sides = []
    for sign in (-1.0, 1.0):
        place = np.array([sign * 1.3 * SIZE, 0.3 * SIZE * random.normal(), 0.0])
        velocity = np.array([-sign, 0.1 * random.normal(), 0.0])
        body = disc(deck, place, velocity, float(5.0 * random.normal()))
        sides.append(deck.curve(deck.mains[body], outline(random).tolist(), width=0.01))
    add_law(deck, random, (sides[0], sides[1]))
    return deck


def cam(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A cam on a hinge, turning, under a follower on a slide or a hinge: an outline, a roller or a flat."""
    deck = new(0.06, 2.5e-5, 5e-4)
    deck.rough = "contact"
    turning = disc(deck, np.zeros(3), np.zeros(3), float(random.uniform(-30.0, 30.0)))
    deck.join("REVOLUTE", GROUND, turning, np.zeros(3), Z)
    place = np.array([0.0, 2.4 * SIZE, 0.0])
    follower = disc(deck, place, np.array([0.0, -1.0, 0.0]), 0.0, 0.5)
    deck.join("TRANSLATIONAL", GROUND, follower, place, (0.0, 1.0, 0.0))
    points = blob(random, float(random.choice([0.1, 0.25])), SIZE).tolist()
    wheel = deck.curve(deck.mains[turning], points, width=0.01)
    kind = int(random.integers(3))
    if kind == 0:
        other = deck.curve(deck.mains[follower], outline(random).tolist(), width=0.01)
    elif kind == 1:
        other = deck.solid("CYLINDER", deck.mains[follower], SIZE / 2, 0.02)
    else:
        other = deck.solid("PLANE", deck.mains[follower], 0.0, -1.0, 0.0)
    add_law(deck, random, (wheel, other))
    deck.elastic = None  # what the joints keep is not in the bodies
    deck.gravitate(np.array([0.0, -9.81, 0.0]))
    return deck
