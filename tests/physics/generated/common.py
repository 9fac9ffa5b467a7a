"""What families have in common: random bodies, directions and masses; machines of elsewhere in a deck."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from joint_definitions import unit
from numpy.typing import NDArray
from random_machines import Body, Machine, random_inertia

from .machine_deck import MachineDeck

Floats = NDArray[np.float64]
# t_end, dt, sampling interval -> an empty deck
NewDeck = Callable[[float, float, float], MachineDeck]
STEP = 1e-3  # s


def new_deck(new: NewDeck, random: np.random.Generator, rounded: float = 0.2, least: int = 7) -> MachineDeck:
    """A short run; a part of all is rounded, to `least` to 12 digits.

    Rows that follow from others ask for 7 digits: places may be off by 1e-6 of the size of the machine.
    """
    steps = int(random.choice([20, 40, 80, 160]))
    deck = new(steps * STEP, STEP, 2 * STEP)
    if random.random() < rounded:
        deck.digits = int(random.integers(least, 13))
    return deck


def direction(random: np.random.Generator) -> Floats:
    """A random unit vector, one along an axis in a third of all cases."""
    if random.random() < 1 / 3:
        return np.eye(3)[int(random.integers(3))] * random.choice([-1.0, 1.0])
    return unit(random.normal(size=3))


def masses(random: np.random.Generator, count: int) -> Floats:
    """Of a few kilograms; in two of five machines one is 1e-6 to 1e6 times that."""
    values = random.uniform(0.5, 3.0, count)
    if random.random() < 0.4:
        values[int(random.integers(count))] *= 10.0 ** random.uniform(-6.0, 6.0)
    return values


def moving_body(
    random: np.random.Generator, centre: Floats, mass: float, size: float = 0.4, speed: float = 1.0
) -> Body:
    """A body of about that size; speed 0: at rest."""
    velocity, spin = 0.5 * speed * random.normal(size=3), 2.0 * speed * random.normal(size=3)
    return Body(centre, float(mass), random_inertia(random, size, mass), velocity, spin)


def add_loads(deck: MachineDeck, random: np.random.Generator, likely: float = 0.5) -> None:
    """Gravity, and forces and moments in proportion to the masses that they act on."""
    if random.random() < likely:
        deck.gravitate(9.81 * direction(random))
    for k, body in enumerate(deck.bodies):
        if random.random() < 0.5 * likely:
            moment = 5.0 * np.trace(body.inertia) * random.normal(size=3)
            deck.push(k, 2.0 * body.mass * random.normal(size=3) * (random.random() < 0.5), moment)


def add_springs(deck: MachineDeck, random: np.random.Generator, count: int) -> None:
    """Springs between bodies, soft enough for the step by the lighter of both."""
    for _ in range(count if len(deck.bodies) > 1 else 0):
        first, second = (int(k) for k in random.choice(len(deck.bodies), 2, replace=False))
        bodies = deck.bodies[first], deck.bodies[second]
        mass = min(body.mass for body in bodies)
        places = [body.centre + 0.1 * random.normal(size=3) for body in bodies]
        if np.linalg.norm(places[1] - places[0]) > 0.1:
            deck.stretch(first, second, *places, mass * random.uniform(1.0, 20.0), mass * random.uniform(0.0, 0.5))


def add_machine(deck: MachineDeck, machine: Machine) -> None:
    """A machine of hinges and slides, with its gravity and its loads."""
    for body in machine.bodies:
        deck.add(body)
    for joint in machine.joints:
        deck.join(joint.kind, joint.first, joint.second, joint.point, joint.axis)
    if machine.gravity.any():
        deck.gravitate(machine.gravity)
    for body, moment in machine.loads:
        deck.push(body, np.zeros(3), moment)


def perpendicular(random: np.random.Generator, axis: Floats) -> Floats:
    """A random direction across an axis."""
    return unit(np.cross(axis, unit(random.normal(size=3))))


def chosen(random: np.random.Generator, options: Sequence[str]) -> str:
    return str(options[int(random.integers(len(options)))])
