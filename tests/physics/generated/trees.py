"""Open trees of all types of joints, free or on the ground, with springs, dampers, stops and friction in them."""

from __future__ import annotations

import numpy as np
from joint_definitions import APART, DEFINITIONS, unit
from random_machines import GROUND

from .common import (
    Floats,
    NewDeck,
    add_loads,
    add_springs,
    chosen,
    direction,
    masses,
    moving_body,
    new_deck,
    perpendicular,
)
from .machine_deck import MachineDeck

KINDS = sorted(DEFINITIONS)
EXACT_DIGITS = 7
COORDINATES = {"REVOLUTE": 1, "SCREW": 1, "CYLINDRICAL": 2, "TRANSLATIONAL": 1, "STRUT": 1}


def second_axis(random: np.random.Generator, kind: str, axis: Floats) -> Floats | None:
    """The axis b that a type of joint asks for."""
    stands = DEFINITIONS[kind].second
    if stands == "none":
        return None
    across = perpendicular(random, axis)
    return across if stands == "perpendicular" else unit(across + random.uniform(-0.7, 0.7) * axis)


def join_at_random(
    deck: MachineDeck, random: np.random.Generator, kind: str, first: int, second: int, place: Floats, axis: Floats,
    forces: bool = False,
) -> None:  # fmt: skip
    """A joint whose second node stands as its type allows; `forces` act along its coordinates."""
    across = random.uniform(0.1, 0.3) * perpendicular(random, axis)
    along = random.choice([-1.0, 1.0]) * random.uniform(0.1, 0.3) * axis
    end = place + DEFINITIONS[kind].stand(along, across)
    if deck.digits is not None and deck.digits < EXACT_DIGITS and DEFINITIONS[kind].stands != APART:
        end = place  # the axis would not go through what is rounded so far
    given = joint_forces(deck, random, kind, first, second) if forces and kind in COORDINATES else []
    pitch = float(random.choice([-1.0, 1.0]) * random.uniform(0.05, 1.0)) if kind == "SCREW" else None
    deck.join(
        kind, first, second, place, axis,
        place_second=end, axis_second=second_axis(random, kind, axis), pitch=pitch, forces=given,
    )  # fmt: skip


def joint_forces(
    deck: MachineDeck, random: np.random.Generator, kind: str, first: int, second: int
) -> list[dict[str, float]]:
    """Spring, damper, stops and friction for each coordinate, soft enough for the step."""
    mass = min(deck.bodies[k].mass for k in (first, second) if k != GROUND)
    given = []
    for k in range(COORDINATES[kind]):
        turns = kind in ("REVOLUTE", "SCREW") or (kind == "CYLINDRICAL" and k == 0)
        size = mass * (0.01 if turns else 1.0)
        one = {
            "stiffness": size * random.uniform(1.0, 20.0),
            "damping": size * random.uniform(0.0, 0.3),
            "free_value": float(random.uniform(-0.2, 0.2)),
            "preload": size * random.normal(),
        }
        if random.random() < 0.2:
            one |= {"lower": -0.1, "upper": 0.1, "stop_stiffness": 100 * size, "stop_damping": 0.3 * size}
        if random.random() < 0.2:
            one |= {"friction_force": 0.3 * size, "slip_velocity": 0.1}
        given.append({name: float(value) for name, value in one.items()})
    return given


def tree(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """1 to 12 bodies, each on an earlier one or on the ground; in half of all nothing holds the whole."""
    deck = new_deck(new, random, least=4)
    count = int(random.integers(1, 13))
    free, forces = random.random() < 0.5, random.random() < 0.5
    places: list[Floats] = []
    for k, mass in enumerate(masses(random, count)):
        parent = GROUND if k == 0 else int(random.integers(0 if free else -1, k))
        place = 0.3 * random.normal(size=3) if parent == GROUND else places[parent] + 0.4 * unit(random.normal(size=3))
        places.append(place + 0.2 * unit(random.normal(size=3)))
        deck.add(moving_body(random, places[-1], mass))
        if k or not free:
            join_at_random(deck, random, chosen(random, KINDS), parent, k, place, direction(random), forces)
    if random.random() < 0.3:
        add_springs(deck, random, 2)
    if not free or random.random() < 0.3:
        add_loads(deck, random)
    return deck
