"""The laws of contact: normal force by penetration and its rate, friction by normal force and slip velocity.

z > 0 is the penetration, z' > 0 while the bodies approach; the normal force F never pulls.

    POISSON   F = K z^1.5 (1 + kappa STEP(z'; -v_t, -1; v_t, 1)),    kappa = (1 - CR^2)/(1 + CR^2)
    IMPACT    F = K z^e + STEP(z; 0, 0; dmax, c) z'
    VOLUME    F = A K z^e + c z',                                   A the contact area
    HUNT_CROSSLEY   F = K z^e (1 + a z'),                           a = 3/2 c or a = loss/v, v the speed of first touch

    STEP(x; x0, h0; x1, h1) = h0 + (h1 - h0) u^2 (3 - 2u),  u = (x - x0)/(x1 - x0) between x0 and x1, h0 and h1 beyond

The part without z' is elastic.  At a contact point of weight w all of F is multiplied with w (of VOLUME, which has the
area of the point, c z' alone, w being its part of the elastic force of the two solids).  Friction at the slip velocity
v is mu(|v|) F against v:

    COULOMB_ON            mu = STEP(|v|; -v_s, -mu_s; v_s, mu_s) up to v_s, then STEP(|v|; v_s, mu_s; v_d, mu_d)
    COULOMB_DYNAMICONLY   mu = STEP(|v|; -v_d, -mu_d; v_d, mu_d)

(Altair MotionSolve reference, Force_Contact, comments 2 and 7, with the rate of the penetration in place of that of the
gap, which has the opposite sign.)

A law is a record of `LAWS`, what its force depends on besides z, and a branch of the functions below it where it is
unlike the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gsolve.parser.keywords.contact_laws import HuntCrossleyLaw, ImpactLaw, PoissonLaw, VolumeLaw
from gsolve.parser.model import UserRoutine

from ..core.bodies import Record
from ..core.jit.kernels import kernel

POISSON, IMPACT, VOLUME, USER, HUNT_CROSSLEY = 0, 1, 2, 3, 4
NO_FRICTION, COULOMB, DYNAMIC_ONLY, STICTION, USER_FRICTION = 0, 1, 2, 3, 4
MOST_RATE_CORRECTIONS = 50
RATE_TOLERANCE = 1e-13  # of u, from 0 to 1


@dataclass(frozen=True)
class Law:
    """A law of the normal force.

    code : `law` of INTERFACE
    columns : those of INTERFACE that the law fills, of the law that a deck gives; among them `exponent`, that of the
        elastic force, from which its slope and the time of a bounce follow
    depends_on_rate : whether its force does
    keeps_touch_speed : whether it depends on the speed at which a point was first touched
    """

    code: int
    columns: Callable[[Any], dict[str, float]]
    depends_on_rate: Callable[[Any], bool]
    keeps_touch_speed: Callable[[Any], bool] = lambda law: False


def poisson_columns(law: PoissonLaw) -> dict[str, float]:
    """Of POISSON."""
    return {
        "stiffness": law.stiffness,
        "exponent": 1.5,
        "restitution_loss": (1 - law.restitution**2) / (1 + law.restitution**2),
        "transition_velocity": law.transition_velocity,
    }


def impact_columns(law: ImpactLaw) -> dict[str, float]:
    """Of IMPACT."""
    return {
        "stiffness": law.stiffness,
        "exponent": law.exponent,
        "damping": law.damping,
        "full_damping_depth": law.full_damping_depth,
    }


def volume_columns(law: VolumeLaw) -> dict[str, float]:
    """Of VOLUME."""
    return {"stiffness": law.stiffness, "exponent": law.exponent, "damping": law.damping}


def hunt_crossley_columns(law: HuntCrossleyLaw) -> dict[str, float]:
    """Of HUNT_CROSSLEY: `damping` is a, or a v."""
    damping = law.loss if law.damping is None else law.damping
    return {"stiffness": law.stiffness, "exponent": law.exponent, "damping": damping}


def routine_columns(law: UserRoutine) -> dict[str, float]:
    """Of a routine: the shortest bounce for the greatest slope."""
    return {"exponent": 1.0}


LAWS: dict[type, Law] = {
    PoissonLaw: Law(POISSON, poisson_columns, lambda law: law.restitution != 1.0),
    ImpactLaw: Law(IMPACT, impact_columns, lambda law: law.damping != 0.0),
    VolumeLaw: Law(VOLUME, volume_columns, lambda law: law.damping != 0.0),
    HuntCrossleyLaw: Law(
        HUNT_CROSSLEY,
        hunt_crossley_columns,
        lambda law: law.damping != 0.0 if law.damping is not None else law.loss != 0.0,
        lambda law: law.damping is None,
    ),
    UserRoutine: Law(USER, routine_columns, lambda law: True),
}


def fill_law(interface: Record, given: Any) -> None:
    """Fill the columns of an interface that belong to its law."""
    law = LAWS[type(given)]
    interface["law"], interface["depends_on_rate"] = law.code, law.depends_on_rate(given)
    interface["keeps_touch_speed"] = law.keeps_touch_speed(given)
    interface["transition_velocity"] = interface["full_damping_depth"] = math.inf
    for column, value in law.columns(given).items():
        interface[column] = value


@kernel(inline=True)
def smooth_step(u: float) -> float:
    """u^2 (3 - 2u) from 0 to 1, held beyond."""
    u = min(1.0, max(0.0, u))
    return u * u * (3.0 - 2.0 * u)


@kernel(inline=True)
def power(z: float, exponent: float) -> float:
    """z^exponent, fast for the exponents of Hertz and Hooke."""
    if exponent == 1.5:
        return z * math.sqrt(z)
    if exponent == 1.0:
        return z
    return math.pow(z, exponent)


@kernel(inline=True)
def elastic_force(interface: Record, penetration: float, weight: float, area: float) -> float:
    """The part of the normal force that does not depend on the rate."""
    size = area if interface.law == VOLUME else weight
    return size * interface.stiffness * power(penetration, interface.exponent)


@kernel(inline=True)
def normal_force(interface: Record, contact: Record, free_rate: float, compliance: float, touch_speed: float) -> float:
    """F of a point, of its elastic part and the rate z' = free_rate - compliance F that it leaves.

    F never falls while z' grows, so that there is exactly one such rate; without compliance z' = free_rate.
    touch_speed : at which the point was first touched, of laws that depend on it
    """
    if interface.law == POISSON:
        return poisson_force(interface, contact.elastic, free_rate, compliance)
    damping = damping_coefficient(interface, contact, touch_speed)
    return max(0.0, (contact.elastic + damping * free_rate) / (1.0 + compliance * damping))


@kernel(inline=True)
def damping_coefficient(interface: Record, contact: Record, touch_speed: float) -> float:
    """dF/dz' of a law that is linear in z'."""
    if interface.law == HUNT_CROSSLEY:
        if interface.keeps_touch_speed == 0:
            return float(contact.elastic * interface.damping)
        return contact.elastic * interface.damping / touch_speed if touch_speed > 0.0 else 0.0
    damping = contact.weight * interface.damping
    if interface.law == IMPACT and contact.penetration < interface.full_damping_depth:
        damping *= smooth_step(contact.penetration / interface.full_damping_depth)
    return damping


@kernel(inline=True)
def slope_at_rest(interface: Record, contact: Record, touch_speed: float) -> float:
    """dF/dz' of a law at z' = 0; 0 of routines."""
    if interface.law == POISSON:
        return float(1.5 * interface.restitution_loss * contact.elastic / interface.transition_velocity)
    return damping_coefficient(interface, contact, touch_speed)


@kernel(inline=True)
def damping_to_resolve(interface: Record, contact: Record) -> float:
    """The greatest dF/dz' that the time step must be short enough for.

    Of dampers only those count whose force grows without bounds: that of POISSON and friction are bounded, so that a
    step longer than their slopes at rest allow makes them chatter there, by no more than a step's change of velocity.
    That of a speed of first touch is no damper of that kind either: the slower the touch, the steeper it is, and at
    rest no step would be short enough.
    """
    if interface.law == HUNT_CROSSLEY:
        return float(contact.elastic * interface.damping) if interface.keeps_touch_speed == 0 else 0.0
    return float(contact.weight * interface.damping)


@kernel(inline=True)
def poisson_force(interface: Record, elastic: float, free_rate: float, compliance: float) -> float:
    """F of POISSON: as below -v_t, as above v_t, or by u = (z'/v_t + 1)/2 between.

    Between, v_t (2u - 1) + compliance F(u) = free_rate. From u = 1/2, where the slope of F is largest, Newton's
    method goes to the solution without passing it.
    """
    loss, v_t = interface.restitution_loss, interface.transition_velocity
    force = elastic * (1.0 + loss)
    if free_rate - compliance * force >= v_t:
        return force
    force = elastic * (1.0 - loss)
    if free_rate - compliance * force <= -v_t:
        return force
    u = 0.5
    for _ in range(MOST_RATE_CORRECTIONS):
        force = elastic * (1.0 + loss * (2.0 * smooth_step(u) - 1.0))
        slope = 2.0 * v_t + 12.0 * compliance * elastic * loss * u * (1.0 - u)
        change = (free_rate - compliance * force - v_t * (2.0 * u - 1.0)) / slope
        u += change
        if abs(change) < RATE_TOLERANCE:
            break
    return elastic * (1.0 + loss * (2.0 * smooth_step(u) - 1.0))


@kernel(inline=True)
def friction_over_speed(interface: Record, square: float) -> float:
    """mu(|v|)/|v| of the regularised laws, of the square of |v|; finite at rest."""
    peak, at = interface.mu_static, interface.static_velocity
    if interface.friction == DYNAMIC_ONLY:
        peak, at = interface.mu_dynamic, interface.dynamic_velocity
    if square <= at * at:
        return 0.5 * peak / at * (3.0 - square / (at * at))
    speed = math.sqrt(square)
    return sliding_coefficient(interface, speed) / speed


@kernel(inline=True)
def sliding_coefficient(interface: Record, speed: float) -> float:
    """mu beyond the speed of its peak: from mu_s at v_s to mu_d at v_d."""
    if interface.friction == DYNAMIC_ONLY or speed >= interface.dynamic_velocity:
        return interface.mu_dynamic
    low, high = interface.static_velocity, interface.dynamic_velocity
    u = smooth_step((speed - low) / (high - low))
    return interface.mu_static + (interface.mu_dynamic - interface.mu_static) * u
