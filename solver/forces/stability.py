"""The largest stable time step of forces that grow with displacements and velocities.

A mode of stiffness K and damping C (unit mass) is advanced by

    w_0 = v_{n-1/2},   w_{k+1} = v_{n-1/2} + h/2 (-K x_n - C w_k),   v_{n+1/2} = v_{n-1/2} + h (-K x_n - C w_p),
    x_{n+1} = x_n + h v_{n+1/2},

p passes that let the damper see v_n. With q = h^2 K, y = h C/2 and S_p = 1 - y + y^2 - ... (p terms) this is

    (x, u) <- (x + alpha u - beta x, alpha u - beta x),   u = h v,   alpha = 1 - 2 y S_{p+1},   beta = q (1 - y S_p),

whose eigenvalues lie in the unit circle if and only if |alpha| < 1 and 0 < beta < 2 (1 + alpha) (Jury's conditions).
For p = 4: q < 4 (1 - y^5/(1 - y S_4)), that is h < 2/sqrt(K) without damping, h < 2/C without stiffness.

The modes are those of M^-1 K and M^-1 C, whose largest eigenvalues are found by power iteration. Every spring counts
with its largest stiffness in all directions at its ends, as bodies and axes turn. What acts along the axis of a joint
counts along that axis, which its rows keep in place in both bodies. Constraints lower the eigenvalues.
The geometric stiffness F/L of a stretched spring and the logarithmic rate term are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Ints, Records
from ..core.functions import EXPRESSION, SMOOTH, FunctionTables, value_and_derivatives
from .springs import ASCALE, DMAX, DMIN, F1, F2, F4, HSCALE, NO_FUNCTION, A, B, C, D, E, F, K

DAMPING_PASSES = 4  # refinements of the velocity that damped forces see: p
_ITERATIONS = 300
_CONVERGED = 1e-9
_LARGEST_SLOPE_OF_SMOOTH = 15 / 8  # of s(u), at u = 1/2
_FAR = 1e29  # dmin and dmax beyond this are no limits


class Directions(NamedTuple):
    """Unit forces and moments on two bodies, opposite on the second, and what stiffness and damping act along them."""

    body: Ints  # (n, 2)
    wrench: Floats  # (n, 2, 6) force and moment on each, about its reference point
    stiffness: Floats  # (n,)
    damping: Floats  # (n,)
    owner: Ints  # (n,) what they belong to


class StableStep(NamedTuple):
    """The largest stable step, and the owner of the directions that weigh most in the mode that limits it."""

    value: float
    owner: int
    damped: bool  # the damping limits, not the stiffness


def stable_step(directions: Directions, bodies: Records) -> StableStep | None:
    """Stable step of everything together; None where nothing limits it.

    bodies : BODY records with their inverse masses and inertias at t = 0
    """
    largest_k, owner_k = largest_eigenvalue(directions.stiffness, directions, bodies)
    largest_c, owner_c = largest_eigenvalue(directions.damping, directions, bodies)
    if largest_k <= 0.0 and largest_c <= 0.0:
        return None
    damped = largest_c > math.sqrt(largest_k)
    return StableStep(largest_step(largest_k, largest_c), owner_c if damped else owner_k, damped)


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


def linearised(springs: Records, tables: FunctionTables) -> tuple[Floats, Floats]:
    """Steepest stiffness and damping (ns, 6) of each degree of freedom, per length (not per strain)."""
    law, curves, unit = springs["law"], springs["curves"], springs["unit"][:, None]
    stiffness, damping = np.abs(law[:, :, K]), np.abs(law[:, :, C])
    for s, i in np.argwhere((curves != NO_FUNCTION).any(axis=2)).tolist():
        f1, f2, f4 = (curves[s, i, column] for column in (F1, F2, F4))
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
    return stiffness / unit, damping / unit


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


def spring_directions(springs: Records, tables: FunctionTables) -> Directions:
    """All directions at the ends of each spring, with its largest stiffness and damping; owners are their rows."""
    parts = []
    strengths = linearised(springs, tables)
    ends = springs["end_1"], springs["end_2"]
    bodies, arms = (np.stack([end[field] for end in ends], axis=1) for field in ("body", "arm"))
    count = len(bodies)
    for axis in np.eye(3):
        push, twist = np.zeros((count, 2, 6)), np.zeros((count, 2, 6))
        push[:, :, :3], push[:, :, 3:], twist[:, :, 3:] = axis, np.cross(arms, axis), axis
        for wrench, dofs in ((push, slice(0, 3)), (twist, slice(3, 6))):
            stiffness, damping = (strength[:, dofs].max(axis=1, initial=0.0) for strength in strengths)
            wrench[:, 1] *= -1.0
            parts.append(Directions(bodies, wrench, stiffness, damping, np.arange(count)))
    return joined(parts)


def joined(parts: Sequence[Directions]) -> Directions:
    """All directions as one; owners are left as they are."""
    return Directions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def largest_eigenvalue(strength: Floats, directions: Directions, bodies: Records) -> tuple[float, int]:
    """Largest eigenvalue of M^-1 K, K made of the strengths (n,), and the owner that moves most in its mode.

    K = G G^T with one column of G a direction, so the iteration runs on G^T M^-1 G, in numbers that do not depend on
    the global axes.
    """
    from scipy.sparse import coo_matrix

    acting = np.flatnonzero(strength > 0.0)
    if len(acting) == 0:
        return 0.0, -1
    body, owner = directions.body[acting], directions.owner[acting]
    wrench = np.sqrt(strength[acting])[:, None, None] * directions.wrench[acting]
    # A node without mass is led, whatever pulls at it.
    inverse_mass = np.where(bodies["mass"] > 0.0, bodies["inverse_mass"], 0.0)
    velocity = inverse_mass[body][:, :, None] * wrench[:, :, :3]
    spin = np.einsum("ndij,ndj->ndi", bodies["inverse_inertia"][body], wrench[:, :, 3:])
    places = (6 * body[:, :, None] + np.arange(6)).ravel(), np.repeat(np.arange(len(acting)), 12)
    shape = 6 * len(bodies), len(acting)
    forces = coo_matrix((wrench.ravel(), places), shape).T.tocsr()
    motions = coo_matrix((np.concatenate((velocity, spin), axis=2).ravel(), places), shape).tocsr()
    # Random numbers of a fixed seed: a regular start may be orthogonal to the mode sought.
    mode = np.random.default_rng(1).normal(size=len(acting))
    largest = 0.0
    for _ in range(_ITERATIONS):
        mode /= np.linalg.norm(mode)
        image = forces @ (motions @ mode)
        before, largest = largest, float(mode @ image)
        mode = image
        if largest <= 0.0 or abs(largest - before) <= _CONVERGED * largest:
            break
    return largest, int(np.argmax(np.bincount(owner, mode**2)))
