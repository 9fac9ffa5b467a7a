"""The time step that contacts ask for.

A point of stiffness k = e K z^(e - 1) between bodies of effective mass m bounces in the time

    T = c sqrt(m/k),   c = sqrt(pi e (e + 1)/2) * 2 Gamma(1 + 1/(e + 1))/Gamma(1/2 + 1/(e + 1)),

k being that at the deepest point (e = 1: pi; e = 1.5, Hertz: 4.03), from m z'' = -K z^e.
"""

from __future__ import annotations

import math

from gsolve.parser.model import Model

from .state import Record
from .system import System

STEPS_PER_BOUNCE = 20
FEWEST_STEPS_PER_BOUNCE = 10  # of an imposed step, below which it is warned of
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


def contact_limit(system: System, model: Model) -> tuple[float, str]:
    """Longest automatic step that resolves all contacts so far, and what it is."""
    limit, what = math.inf, ""
    for interface in system.contacts.interfaces if system.contacts is not None else ():
        name = model.interfaces[interface["number"]].name
        bounce = bounce_time(interface) / STEPS_PER_BOUNCE
        if bounce < limit:
            limit, what = bounce, f"1/{STEPS_PER_BOUNCE} of the time of a bounce in {name}"
        most_damped = float(interface["most_damped"])
        if most_damped > 0.0 and 2.0 * DAMPING_PER_STEP / most_damped < limit:
            limit, what = 2.0 * DAMPING_PER_STEP / most_damped, f"the stable step of damping in {name}"
    return limit, what


def contact_warning(system: System, model: Model, dt: float) -> str:
    """What to say of an imposed step that does not resolve a contact, or ""."""
    limit, what = contact_limit(system, model)
    if dt * FEWEST_STEPS_PER_BOUNCE <= limit * STEPS_PER_BOUNCE:
        return ""
    return f"the imposed time step {dt:.4g} is too long for contacts: {what} would be {limit:.4g}"
