"""Two solids that meet, of every pair of shapes and by every law; piles that fall on a floor with friction and loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from joint_definitions import unit
from random_machines import GROUND, Body, random_inertia
from scipy.spatial.transform import Rotation

from .common import Floats, NewDeck, chosen
from .machine_deck import MachineDeck

SHAPES = ("SPHERE", "BOX", "CYLINDER", "FRUSTUM", "ELLIPSOID", "PLANE")
REACH = 0.075  # m: farthest that a solid gets from its centre
LAWS = ("POISSON", "IMPACT", "IMPACT", "HUNT_CROSSLEY", "VOLUME", "TYPE6")
STIFFNESS, SPEED, BOUNCE = 1e6, 2.0, 4e-3  # of 1 kg each: N/m^1.5, m/s of approach, s of the shortest touches
COULOMB = (0.3, 0.25, 0.2, 0.5)  # so flat near rest that the step resolves it
FLOOR = 0  # solids on node 0 stand still


def sizes(random: np.random.Generator, kind: str) -> tuple[float, ...]:
    """Dimensions of a solid within its reach."""
    r = random.uniform(0.7, 1.0, 3) * REACH
    return {
        "SPHERE": (r[0],),
        "BOX": tuple(r * random.uniform(0.9, 1.15, 3)),
        "CYLINDER": (0.55 * r[0], 1.4 * r[1]),
        "FRUSTUM": (0.6 * r[0], 0.6 * r[0] * random.uniform(0.0, 0.9), 1.2 * r[1]),
        "ELLIPSOID": tuple(r),
        "PLANE": (),
    }[kind]


def skewed_solid(deck: MachineDeck, random: np.random.Generator, kind: str, node: int, centre: Floats) -> int:
    """A solid in a random pose about a place (from its node); a plane, which has its own normal, has none."""
    if kind == "PLANE":
        return deck.solid(kind, node, centre=centre.tolist())
    axes, skew = Rotation.random(rng=random).as_matrix(), deck.new_id()
    lines = [", ".join(map(repr, axes[:, c].tolist())) for c in (1, 2)]
    deck.block(f"/SKEW/FIX/{skew}", "axes", "0, 0, 0", *lines)
    dimensions = [float(x) for x in sizes(random, kind)]
    return deck.solid(kind, node, *dimensions, skew=skew, centre=centre.tolist())


def add_law(deck: MachineDeck, random: np.random.Generator, sides: tuple[int, int], scale: float, rubs: bool) -> None:
    """An interface; scale : of all forces.  Tells the deck what elastic forces may be off by."""
    law = chosen(random, LAWS)
    friction, mode = (
        ((), 0) if not rubs else ((COULOMB, 1), (COULOMB, 2), ((*COULOMB, None, None), 4))[int(random.integers(3))]
    )
    if law in ("VOLUME", "TYPE6"):
        mode = 0
    stiffness, lossless = STIFFNESS * scale, random.random() < 0.6
    rub = {"friction": friction, "mode": mode} if mode else {}
    deck.elastic = 5e-4 if lossless and not mode else None
    if law == "POISSON":
        deck.poisson(sides, stiffness, 1.0 if lossless else float(random.uniform(0.5, 0.95)), 0.2, **rub)
    elif law == "IMPACT":
        exponent = float(random.choice([1.0, 1.5, 2.2]))
        size = {1.0: 0.1, 1.5: 1.0, 2.2: 30.0}[exponent]
        if exponent == 1.0 and lossless and not mode:
            deck.elastic = 1e-3
        deck.impact(sides, size * stiffness, exponent, 0.0 if lossless else 50.0 * scale, 1e-4, **rub)
    elif law == "HUNT_CROSSLEY":
        deck.hunt_crossley(sides, stiffness, 1.5, 0.0 if lossless else 0.2, **rub)
    elif law == "VOLUME":
        deck.elastic, deck.jumps = 0.02 if lossless and not mode else None, True  # with its area
        deck.volume(sides, 2e8 * scale, 0.05, 1.0, 0.0 if lossless else 20.0 * scale)
    else:
        points = [(0.0, 0.0), (1.0, float(0.05 * stiffness))]
        deck.elastic = None  # shared out, not a gradient
        deck.force_curve(sides, points, visc=0.0 if lossless else 10.0 * scale)


def contact_body(deck: MachineDeck, random: np.random.Generator, place: Floats, mass: float, velocity: Floats) -> int:
    """A body of the size of the solids."""
    return deck.add(Body(place, mass, random_inertia(random, 2 * REACH, mass), velocity, 3.0 * random.normal(size=3)))


def collision(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """Two solids in any pose that fly at each other, with masses of one size or 30 times apart, all forces to scale."""
    scale = float(10.0 ** random.uniform(-6.0, 6.0)) if random.random() < 0.4 else 1.0
    ratio = float(10.0 ** random.uniform(0.0, 1.5)) if random.random() < 0.3 else 1.0
    deck = new(0.06, BOUNCE / 100, 5e-4)
    deck.rough = "contact"
    kinds = [chosen(random, SHAPES[: 6 - k]) for k in range(2)]  # one plane at most
    way = unit(random.normal(size=3)) if "PLANE" not in kinds else np.array([0.0, 0.0, -1.0])
    apart = 2.1 * REACH if "PLANE" not in kinds else 1.05 * REACH
    solids = []
    for k, kind in enumerate(reversed(kinds)):
        if kind == "PLANE":
            solids.append(skewed_solid(deck, random, kind, FLOOR, np.zeros(3)))
            deck.grounded = True
            continue
        sign = 1.0 - 2.0 * k
        off = 0.015 * random.normal(size=3)
        place = -sign * 0.5 * apart * way + off if "PLANE" not in kinds else np.array([0.0, 0.0, 1.1 * REACH])
        speed = SPEED / 2 if "PLANE" not in kinds else SPEED
        body = contact_body(deck, random, place, scale * (ratio if k else 1.0), sign * speed * way)
        solids.append(skewed_solid(deck, random, kind, deck.mains[body], np.zeros(3)))
    add_law(deck, random, (solids[0], solids[1]), scale, rubs=bool(random.random() < 0.4))
    return deck


def knocking(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A chain of 1 to 3 bodies, hinged to the ground and each other, whose last one swings against a solid."""
    deck = new(0.08, BOUNCE / 100, 1e-3)
    deck.rough = "contact"
    pivot, before = np.array([0.0, 0.0, 0.6]), GROUND
    for k in range(int(random.integers(1, 4))):
        kind = chosen(random, ("REVOLUTE", "SPHERICAL", "CYLINDRICAL", "UNIVERSAL"))
        place = pivot + np.array([0.05 * random.normal(), 0.05 * random.normal(), -0.25 * k])
        axis = unit(np.array([0.0, 1.0, 0.2 * random.normal()]))
        centre = place + np.array([0.0, 0.0, -0.15])
        body = contact_body(deck, random, centre, 1.0, np.array([random.uniform(0.5, 2.0), 0.0, 0.0]))
        second = unit(np.cross(axis, random.normal(size=3))) if kind == "UNIVERSAL" else None
        deck.join(kind, before, body, place, axis, axis_second=second)
        before = body
    hammer = skewed_solid(deck, random, chosen(random, SHAPES[:5]), deck.mains[before], np.zeros(3))
    post = skewed_solid(deck, random, chosen(random, SHAPES[:5]), FLOOR, centre + np.array([2.05 * REACH, 0.0, 0.0]))
    add_law(deck, random, (hammer, post), 1.0, rubs=bool(random.random() < 0.4))
    deck.elastic = None  # what the joints keep is not in the solids
    if random.random() < 0.5:
        deck.gravitate(np.array([0.0, 0.0, -9.81]))
    return deck


def pile(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """1 to 4 solids that fall on a floor, with friction of all kinds and loss."""
    deck = new(0.05, 1e-4, 1e-3)
    deck.rough = "contact"
    deck.grounded = True
    floor = (
        deck.solid("PLANE", FLOOR)
        if random.random() < 0.7
        else deck.solid("BOX", FLOOR, 2.0, 2.0, 0.2, centre=(0, 0, -0.1))
    )
    solids = []
    for k in range(int(random.integers(1, 5))):
        place = np.array([*(0.02 * random.normal(size=2)), 1.02 * REACH + 2.1 * REACH * k])
        body = contact_body(
            deck, random, place, float(random.uniform(0.5, 2.0)), np.array([*random.normal(size=2), -1.0])
        )
        solids.append(skewed_solid(deck, random, chosen(random, SHAPES[:5]), deck.mains[body], np.zeros(3)))
    let_fall(deck, random, [*solids, floor])
    return deck


def let_fall(deck: MachineDeck, random: np.random.Generator, solids: Sequence[int]) -> None:
    """Gravity, and a law with loss and friction of any kind among all solids."""
    together = deck.together(solids)
    modes = ((COULOMB, 1), (COULOMB, 2), ((*COULOMB, None, None), 4))
    friction, mode = modes[int(random.integers(3))]
    if random.random() < 0.5:
        deck.impact((together, 0), 2e5, 1.5, 50.0, 1e-4, friction, mode)
    else:
        deck.poisson((together, 0), 2e5, float(random.uniform(0.3, 0.9)), 0.05, friction, mode)
    deck.gravitate(np.array([0.0, 0.0, -9.81]))
