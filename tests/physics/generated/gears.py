"""Gear trains, planetary sets, racks and couplers, on carriers that are held, driven, hinged or free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_machines import GROUND

from .common import Floats, NewDeck, add_loads, chosen, direction, masses, moving_body, new_deck
from .driven import drive_formulas
from .machine_deck import MachineDeck

MOUNTS = ("held", "driven", "hinged", "sliding", "free")


def mount(deck: MachineDeck, random: np.random.Generator, body: int, how: str) -> None:
    """Hold, drive, guide or leave a carrier."""
    place = deck.bodies[body].centre + 0.2 * random.normal(size=3)
    axis = direction(random)
    if how == "held":
        deck.hold_body(body)
    elif how == "sliding":
        deck.join("TRANSLATIONAL", GROUND, body, place, axis)
    elif how != "free":
        deck.join("REVOLUTE", GROUND, body, place, axis)
        if how == "driven":
            formulas = drive_formulas(random)
            deck.drive_by("ROT", GROUND, body, place, place, axis, level=int(random.integers(2)), formulas=formulas)


def carrier(deck: MachineDeck, random: np.random.Generator) -> int:
    """A housing at the origin."""
    how = chosen(random, MOUNTS)
    mass = float(masses(random, 1)[0]) * 5.0
    body = moving_body(random, np.zeros(3), mass, size=0.8, speed=0.3)
    if how == "held":
        body = replace(body, velocity=np.zeros(3), spin=np.zeros(3))
    index = deck.add(body)
    mount(deck, random, index, how)
    return index


def shafts_of(deck: MachineDeck, random: np.random.Generator, count: int) -> list[tuple[int, Floats, Floats]]:
    """Bodies with places and axes of bearings, some out of balance."""
    shared = direction(random)
    shafts = []
    for mass in masses(random, count):
        place = 0.4 * random.normal(size=3)
        centre = place + 0.05 * random.normal(size=3) * (random.random() < 0.3)
        axis = shared * random.choice([-1.0, 1.0]) if random.random() < 0.6 else direction(random)
        shafts.append((deck.add(moving_body(random, centre, mass, size=0.2)), place, axis))
    return shafts


def ratio(random: np.random.Generator) -> float:
    return float(random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-1.0, 1.0))


def train(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """2 to 6 shafts on one carrier, each in mesh with an earlier one; now and then a loop whose ratios fit."""
    deck = new_deck(new, random, least=4)
    house = carrier(deck, random)
    shafts = shafts_of(deck, random, int(random.integers(2, 7)))
    rates = [1.0]
    for k in range(1, len(shafts)):
        mesh, alpha = int(random.integers(k)), ratio(random)
        deck.gear("GEAR", house, [shafts[mesh], shafts[k]], alpha)
        rates.append(-alpha * rates[mesh])
    if len(shafts) > 2 and random.random() < 0.3:
        deck.gear("GEAR", house, [shafts[0], shafts[-1]], -rates[-1])
    add_loads(deck, random, likely=0.4)
    return deck


def planetary(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """Sun and ring on a planet carrier, which turns in a housing; or a differential and two gears that say the same."""
    deck = new_deck(new, random)
    house = carrier(deck, random)
    axis = direction(random)
    bodies = [deck.add(moving_body(random, np.zeros(3), mass, size=0.3)) for mass in masses(random, 3)]
    arm, sun, ring = ((body, 0.1 * k * axis, axis) for k, body in enumerate(bodies))
    teeth = random.uniform(0.2, 0.8)
    if random.random() < 0.5:
        for body, place, _ in (arm, sun, ring):
            deck.join("REVOLUTE", house, body, place, axis)
        deck.gear("GEAR", arm[0], [(sun[0], sun[1], axis), (ring[0], ring[1], axis)], teeth)
    else:
        extra = (deck.add(moving_body(random, 0.3 * random.normal(size=3), 1.0, size=0.2)), 0.3 * axis, axis)
        deck.gear("GEAR", house, [sun, extra], -teeth)
        deck.gear("DIFF", house, [arm, extra, ring], -(1.0 + teeth))
    add_loads(deck, random, likely=0.4)
    return deck


def differential(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """One or two differentials in a row, on one carrier or on two that hang together."""
    deck = new_deck(new, random, least=4)
    house = carrier(deck, random)
    shafts = shafts_of(deck, random, 3)
    deck.gear("DIFF", house, shafts, ratio(random))
    if random.random() < 0.5:
        more = shafts_of(deck, random, 2)
        deck.gear("DIFF", house, [shafts[1], *more], ratio(random))
    add_loads(deck, random, likely=0.4)
    return deck


def rack(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A pinion and its rack; in half of all with a gear before the pinion, or a second rack on it."""
    deck = new_deck(new, random, least=4)
    house = carrier(deck, random)
    pinion, bar, other = shafts_of(deck, random, 3)
    deck.gear("RACK", house, [pinion, bar], 0.3 * ratio(random))
    if random.random() < 0.3:
        deck.join("REVOLUTE", house, *other)
    elif random.random() < 0.5:
        deck.gear("GEAR", house, [other, pinion], ratio(random))
    else:
        deck.gear("RACK", house, [pinion, other], 0.3 * ratio(random))
    add_loads(deck, random, likely=0.4)
    return deck


def coupled(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """Shafts and slides on one or two supports that stand or move, coupled in pairs."""
    deck = new_deck(new, random, least=4)
    supports = [GROUND if random.random() < 0.3 else carrier(deck, random) for _ in range(2)]
    shafts = shafts_of(deck, random, int(random.integers(2, 5)))
    sides = []
    for k, (body, place, axis) in enumerate(shafts):
        support = supports[k % 2]
        slides = k > 0 and random.random() < 0.4
        deck.join("TRANSLATIONAL" if slides else "REVOLUTE", support, body, place, axis)
        sides.append((slides, (body, support, place, axis)))
    first = sides[0][1]
    for slides, side in sides[1:]:
        deck.couple("R2T" if slides else "R2R", first, side, ratio(random))
    add_loads(deck, random, likely=0.4)
    return deck
