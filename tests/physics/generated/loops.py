"""Closed loops: planar ones with rows too many, spatial ones, housings with shafts that have too many bearings."""

from __future__ import annotations

import numpy as np
from joint_definitions import DEFINITIONS, unit
from parallel_cranks import random_frame
from random_machines import GROUND, MOUNTS, Body, Joint, Machine, housing, planar_loop, random_inertia

from .common import NewDeck, add_loads, add_machine, chosen, direction, masses, moving_body, new_deck
from .machine_deck import MachineDeck
from .trees import KINDS, join_at_random

ROWS = {kind: 6 - definition.freedoms + (kind == "SCREW") for kind, definition in DEFINITIONS.items()}


def planar(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A slider-crank or a four-bar of hinges in any plane, in two of five with one mass far from the others."""
    deck = new_deck(new, random, rounded=0.4)
    machine = planar_loop(random, slider=bool(random.random() < 0.5))
    if random.random() < 0.4:
        machine = machine.with_mass(int(random.integers(3)), 10.0 ** random.uniform(-6.0, 6.0))
    add_machine(deck, machine)
    return deck


def cranks(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A bar on 2 to 5 parallel cranks that turn steadily, away from their flat position."""
    deck = new_deck(new, random, rounded=0.5)
    deck.branches = True
    count, length, angle = int(random.integers(2, 6)), random.uniform(0.3, 1.0), random.uniform(0.8, 2.3)
    frame = random_frame(random, spatial=bool(random.random() < 0.6))
    rate = random.choice([-1.0, 1.0]) * random.uniform(0.5, 3.0)
    arm = frame @ (length * np.array([np.cos(angle), np.sin(angle), 0.0]))
    axis = frame[:, 2]
    feet = [frame[:, 0] * x for x in np.cumsum(random.uniform(0.5, 1.0, count))]
    speed = np.cross(rate * axis, arm)
    bodies = [Body(foot + arm / 2, 1.0, random_inertia(random, length, 1.0), speed / 2, rate * axis) for foot in feet]
    bodies.append(Body(np.mean(feet, axis=0) + arm, 2.0, random_inertia(random, 1.0, 2.0), speed))
    joints = [Joint("REVOLUTE", GROUND, k, foot, axis) for k, foot in enumerate(feet)]
    joints += [Joint("REVOLUTE", k, count, foot + arm, axis) for k, foot in enumerate(feet)]
    add_machine(deck, Machine(bodies, joints, gravity=random.normal(size=3) * (random.random() < 0.5)))
    return deck


def spatial(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A ring of 2 to 6 bodies and joints of all types that leave it a freedom or more, free or through the ground."""
    deck = new_deck(new, random)
    count = int(random.integers(2, 7))
    grounded = random.random() < 0.5
    corners = [0.5 * unit(random.normal(size=3)) * random.uniform(0.7, 1.3) for _ in range(count)]
    for place, mass in zip(corners, masses(random, count), strict=True):
        deck.add(moving_body(random, place, mass, speed=0.5))
    ends = [(k, (k + 1) % count) for k in range(count)]
    if grounded:
        ends = [(GROUND, 0), *ends[:-1], (GROUND, count - 1)]
    most = 6 * count - 1 if grounded else 6 * count - 7
    kinds: list[str] = []
    while not kinds or sum(ROWS[kind] for kind in kinds) > most:
        kinds = [chosen(random, KINDS) for _ in ends]
    for kind, (first, second) in zip(kinds, ends, strict=True):
        place = corners[second] if first == GROUND else 0.5 * (corners[first] + corners[second])
        place = place + 0.1 * random.normal(size=3)
        axis = direction(random)
        join_at_random(deck, random, kind, first, second, place, axis)
        if kind == "REVOLUTE" and random.random() < 0.3:  # a second bearing on the same axis
            deck.join(kind, first, second, place + random.uniform(0.05, 0.2) * axis, axis)
    if grounded:
        add_loads(deck, random)
    return deck


def hub(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A housing with 3 to 8 shafts in one bearing or two, hinged, sliding or free."""
    deck = new_deck(new, random, rounded=0.3)
    machine, _ = housing(random, int(random.integers(3, 9)), chosen(random, MOUNTS))
    add_machine(deck, machine)
    return deck
