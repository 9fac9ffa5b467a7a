"""The laws of contact: normal force by penetration and its rate, friction by normal force and slip velocity.

z > 0 is the penetration, z' > 0 while the bodies approach; the normal force F never pulls.

    POISSON   F = K z^1.5 (1 + kappa STEP(z'; -v_t, -1; v_t, 1)),    kappa = (1 - CR^2)/(1 + CR^2)
    IMPACT    F = K z^e + STEP(z; 0, 0; dmax, c) z'
    VOLUME    F = A K z^e + c z',                                   A the contact area

    STEP(x; x0, h0; x1, h1) = h0 + (h1 - h0) u^2 (3 - 2u),  u = (x - x0)/(x1 - x0) between x0 and x1, h0 and h1 beyond

The part without z' is elastic.  At a contact point of weight w all of F is multiplied with w (of VOLUME, which has the
area of the point, c z' alone).  Friction at the slip velocity v is mu(|v|) F against v:

    COULOMB_ON            mu = STEP(|v|; -v_s, -mu_s; v_s, mu_s) up to v_s, then STEP(|v|; v_s, mu_s; v_d, mu_d)
    COULOMB_DYNAMICONLY   mu = STEP(|v|; -v_d, -mu_d; v_d, mu_d)

(Altair MotionSolve reference, Force_Contact, comments 2 and 7, with the rate of the penetration in place of that of the
gap, which has the opposite sign.)
"""

from __future__ import annotations

import math

from ..core.bodies import Record
from ..core.jit.kernels import kernel

POISSON, IMPACT, VOLUME, USER = 0, 1, 2, 3
NO_FRICTION, COULOMB, DYNAMIC_ONLY, STICTION, USER_FRICTION = 0, 1, 2, 3, 4
MOST_RATE_CORRECTIONS = 50
RATE_TOLERANCE = 1e-13  # of u, from 0 to 1


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
def normal_force(
    interface: Record, elastic: float, penetration: float, free_rate: float, compliance: float, weight: float
) -> float:
    """F, of its elastic part and the rate z' = free_rate - compliance F that it leaves.

    F never falls while z' grows, so that there is exactly one such rate; without compliance z' = free_rate.
    """
    if interface.law == POISSON:
        return poisson_force(interface, elastic, free_rate, compliance)
    damping = weight * interface.damping
    if interface.law == IMPACT:
        damping *= smooth_step(penetration / interface.full_damping_depth)
    return max(0.0, (elastic + damping * free_rate) / (1.0 + compliance * damping))


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
