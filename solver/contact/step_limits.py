"""The time step that contacts ask for.

A point of stiffness k = e K z^(e - 1) between bodies of effective mass m bounces in the time

    T = c sqrt(m/k),   c = sqrt(pi e (e + 1)/2) * 2 Gamma(1 + 1/(e + 1))/Gamma(1/2 + 1/(e + 1)),

k being that at the deepest point (e = 1: pi; e = 1.5, Hertz: 4.03), from m z'' = -K z^e.  And no solid may get past, or
out at the far side of, another one in a step: so that none is missed before it has touched anything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gsolve.parser.model import Model

from ..core.bodies import Record
from .records import TRAVEL, TRAVEL_OF_TEETH, Contacts

STEPS_PER_BOUNCE = 20
FEWEST_STEPS_PER_BOUNCE = 10  # of an imposed step, below which it is warned of
CONTACT_PASSES = 2  # refinements of the velocity where only contacts depend on it
DAMPING_PER_STEP = 0.9  # of h c/2m, beyond which the passes for v_n do not converge


def bounce_factor(exponent: float) -> float:
    """c above."""
    share = 1.0 / (exponent + 1.0)
    gammas = math.gamma(1.0 + share) / math.gamma(0.5 + share)
    return 2.0 * gammas * math.sqrt(math.pi * exponent * (exponent + 1.0) / 2.0)


def bounce_time(interface: Record) -> float:
    """Shortest T of the points that an interface has had; inf without any."""
    stiffest = float(interface["stiffest"])
    return bounce_factor(float(interface["exponent"])) / math.sqrt(stiffest) if stiffest > 0.0 else math.inf


class Limit(NamedTuple):
    """Longest step, what it is, and the row of the interface that sets it, -1 without any."""

    step: float
    what: str
    interface: int


def contact_limit(contacts: Contacts, model: Model) -> Limit:
    """Longest automatic step that resolves all contacts so far."""
    limit = Limit(math.inf, "", -1)
    for interface in contacts.interfaces:
        number = int(interface["number"])
        name = model.interfaces[number].name
        bounce = bounce_time(interface) / STEPS_PER_BOUNCE
        stable = 2.0 * DAMPING_PER_STEP * inverse(interface["most_damped"])
        if bounce < limit.step:
            limit = Limit(bounce, f"1/{STEPS_PER_BOUNCE} of the time of a bounce in {name}", number)
        if stable < limit.step:
            limit = Limit(stable, f"the stable step of damping in {name}", number)
    return limit


def travel_limit(contacts: Contacts, model: Model) -> Limit:
    """Longest automatic step in which no solid so far got past another one, or far into it."""
    limit = Limit(math.inf, "", -1)
    for interface in contacts.interfaces:
        number = int(interface["number"])
        step = TRAVEL * float(interface["smallest_half_extent"]) * inverse(interface["largest_relative_speed"])
        if step < limit.step:
            name = model.interfaces[number].name
            what = f"the time in which solids of {name} pass half the smallest half extent of them (or half of pen_max)"
            limit = Limit(step, what, number)
        step = TRAVEL_OF_TEETH * inverse(interface["fastest_teeth"])
        if step < limit.step:
            name = model.interfaces[number].name
            what = f"the time in which curves of {name} pass a quarter of the pitch of their finest teeth or slots"
            limit = Limit(step, what, number)
    return limit


def inverse(rate: float) -> float:
    """1/rate; inf for 0."""
    return 1.0 / float(rate) if rate > 0.0 else math.inf
