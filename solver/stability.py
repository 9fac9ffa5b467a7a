"""The largest stable time step of springs and dampers.

A mode of stiffness K and damping C (unit mass) is advanced by

    w_0 = v_{n-1/2},   w_{k+1} = v_{n-1/2} + h/2 (-K x_n - C w_k),   v_{n+1/2} = v_{n-1/2} + h (-K x_n - C w_p),
    x_{n+1} = x_n + h v_{n+1/2},

p passes that let the damper see v_n. With q = h^2 K, y = h C/2 and S_p = 1 - y + y^2 - ... (p terms) this is

    (x, u) <- (x + alpha u - beta x, alpha u - beta x),   u = h v,   alpha = 1 - 2 y S_{p+1},   beta = q (1 - y S_p),

whose eigenvalues lie in the unit circle if and only if |alpha| < 1 and 0 < beta < 2 (1 + alpha) (Jury's conditions).
For p = 4: q < 4 (1 - y^5/(1 - y S_4)), that is h < 2/sqrt(K) without damping, h < 2/C without stiffness.

The modes are those of M^-1 K and M^-1 C, whose largest eigenvalues are found by power iteration. Every spring counts
with its largest stiffness in all directions at its ends, as bodies and axes turn; constraints lower the eigenvalues.
The geometric stiffness F/L of a stretched spring and the logarithmic rate term are left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .functions import EXPRESSION, SMOOTH, FunctionTables, value_and_derivatives
from .loop import DAMPING_PASSES
from .springs import ASCALE, DMAX, DMIN, F1, F2, F4, HSCALE, NO_FUNCTION, A, B, C, D, E, F, K, Springs
from .state import Floats, Records

_ITERATIONS = 300
_CONVERGED = 1e-9
_LARGEST_SLOPE_OF_SMOOTH = 15 / 8  # of s(u), at u = 1/2
_FAR = 1e29  # dmin and dmax beyond this are no limits


class StableStep(NamedTuple):
    """The largest stable step, and the row in Springs of the spring that weighs most in the mode that limits it."""

    value: float
    spring: int
    damped: bool  # the damper limits, not the stiffness


def stable_step(springs: Springs, bodies: Records, tables: FunctionTables) -> StableStep | None:
    """Stable step of all springs together; None where nothing limits it.

    bodies : BODY records with their inverse masses and inertias at t = 0
    """
    stiffness, damping = linearised(springs, tables)
    largest_k, spring_k = largest_eigenvalue(stiffness, springs, bodies)
    largest_c, spring_c = largest_eigenvalue(damping, springs, bodies)
    if largest_k <= 0.0 and largest_c <= 0.0:
        return None
    damped = largest_c > math.sqrt(largest_k)
    return StableStep(largest_step(largest_k, largest_c), spring_c if damped else spring_k, damped)


def largest_step(stiffness: float, damping: float) -> float:
    """Largest stable h of a mode with K = stiffness, C = damping and unit mass."""
    high = min(
        2.0 / math.sqrt(stiffness) if stiffness > 0.0 else math.inf,
        2.0 / damping if damping > 0.0 else math.inf,
    )
    low = 0.0
    if is_stable(high, stiffness, damping):
        return high
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_stable(middle, stiffness, damping) else (low, middle)
    return low


def is_stable(h: float, stiffness: float, damping: float) -> bool:
    """Jury's conditions above, limits included."""
    y = 0.5 * h * damping
    powers = [(-y) ** k for k in range(DAMPING_PASSES + 1)]
    alpha = 1.0 - 2.0 * y * sum(powers)
    beta = h * h * stiffness * (1.0 - y * sum(powers[:-1]))
    return abs(alpha) <= 1.0 and 0.0 <= beta <= 2.0 * (1.0 + alpha)


def linearised(springs: Springs, tables: FunctionTables) -> tuple[Floats, Floats]:
    """Steepest stiffness and damping (ns, 6) of each degree of freedom, per length (not per strain)."""
    law = springs.law
    stiffness, damping = np.abs(law[:, :, K]), np.abs(law[:, :, C])
    for s, i in np.argwhere((springs.curves != NO_FUNCTION).any(axis=2)).tolist():
        f1, f2, f4 = (springs.curves[s, i, column] for column in (F1, F2, F4))
        numbers = law[s, i]
        if f1 != NO_FUNCTION:
            limits = numbers[DMIN] / numbers[ASCALE], numbers[DMAX] / numbers[ASCALE]
            slope, size = steepest(tables, f1, limits)
            gain = abs(numbers[A])
            damping[s, i] += size * abs(numbers[B]) / numbers[D]
            if f2 != NO_FUNCTION:
                rate_slope, rate_size = steepest(tables, f2)
                gain += abs(numbers[E]) * rate_size
                damping[s, i] += size * abs(numbers[E]) * rate_slope / numbers[F]
            stiffness[s, i] = max(stiffness[s, i], gain * slope / numbers[ASCALE])
        if f4 != NO_FUNCTION:
            damping[s, i] += abs(numbers[HSCALE]) * steepest(tables, f4)[0] / numbers[F]
    return stiffness / springs.unit[:, None], damping / springs.unit[:, None]


def steepest(
    tables: FunctionTables, index: int, limits: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """Largest |f'| and |f| of a function: over its points, or for an expression between the limits of its argument.

    An expression without limits is judged at 0 alone; the K or C of the card can say more.
    """
    if index < 0:
        return 0.0, 1.0
    if tables.kind[index] == EXPRESSION:
        bounded = limits[0] > -_FAR and limits[1] < _FAR
        places = np.linspace(*limits, 201) if bounded else np.zeros(1)
        values = np.array([value_and_derivatives(tables, index, x)[:2] for x in places])
        return float(np.abs(values[:, 1]).max()), float(np.abs(values[:, 0]).max())
    points = slice(tables.first_point[index], tables.first_point[index + 1])
    slopes = np.diff(tables.y[points]) / np.diff(tables.x[points])
    factor = _LARGEST_SLOPE_OF_SMOOTH if tables.kind[index] == SMOOTH else 1.0
    return factor * float(np.abs(slopes).max(initial=0.0)), float(np.abs(tables.y[points]).max())


def largest_eigenvalue(strength: Floats, springs: Springs, bodies: Records) -> tuple[float, int]:
    """Largest eigenvalue of M^-1 K, K made of the strengths (ns, 6), and the spring that moves most in its mode.

    K = G G^T with one column of G a spring and direction, so the iteration runs on G^T M^-1 G, in numbers that do not
    depend on the global axes.
    """
    # A node without mass is led, whatever pulls at it.
    inverse_mass = np.where(bodies["mass"] > 0.0, bodies["inverse_mass"], 0.0)
    push = np.sqrt(strength[:, :3].max(axis=1, initial=0.0))[:, None]
    twist = np.sqrt(strength[:, 3:].max(axis=1, initial=0.0))[:, None]
    if not (push.any() or twist.any()):
        return 0.0, -1
    ends = [(springs.ends.body[side::2], springs.ends.arm[side::2], sign) for side, sign in ((0, 1.0), (1, -1.0))]
    count = len(strength)
    # Random numbers of a fixed seed: a regular start may be orthogonal to the mode sought.
    mode = np.random.default_rng(1).normal(size=(count, 6))
    largest = 0.0
    for _ in range(_ITERATIONS):
        mode /= np.linalg.norm(mode)
        velocity, spin = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
        force, moment = push * mode[:, :3], twist * mode[:, 3:]
        for body, arm, sign in ends:
            np.add.at(velocity, body, sign * force)
            np.add.at(spin, body, sign * (moment + np.cross(arm, force)))
        velocity *= inverse_mass[:, None]
        spin = np.einsum("bij,bj->bi", bodies["inverse_inertia"], spin)
        image = np.zeros((count, 6))
        for body, arm, sign in ends:
            image[:, :3] += sign * push * (velocity[body] + np.cross(spin[body], arm))
            image[:, 3:] += sign * twist * spin[body]
        before, largest = largest, float(np.sum(mode * image))
        mode = image
        if largest <= 0.0 or abs(largest - before) <= _CONVERGED * largest:
            break
    return largest, int(np.argmax(np.sum(mode**2, axis=1)))
