"""Twin of what pairs of solids owe: the work of a touch, its debt and the force that returns it, by plain sums."""

from __future__ import annotations

import numpy as np

SOFT, PUSH, LEAST_STORED = 0.3, 1000.0, 0.02


def debt_of(points, exponent, done, before=None, after=None, share=1.0):
    """U of points with (force, correction, penetration, normal, moved), and done + U with the work of the last step.

    share : of their forces that acts.  before, after : the steps beside t_n, where all of a correction is of the step
    in which its point comes or goes
    """
    energy = sum(force * z for force, _, z, _, _ in points) / (exponent + 1)
    work = 0.0
    for force, correction, _, normal, moved in points:
        opened = np.dot(normal, moved)
        impulse = 0.5 * before * (force + correction) if before else 0.0
        if before and opened < 0.0:
            impulse += 0.5 * after * correction
        elif before:
            impulse -= 0.5 * before * correction
        work += impulse * opened / before if before else 0.5 * (force + correction) * opened
    return energy, done + share * work + energy


def returning_force(load, energy, debt, moved, inverse_mass, dt, share=1.0):
    """On body i, which has moved by `moved` against body j in dt; and what is owed after half of its work there.

    g = -(rate debt_after) along v, so that debt_after = debt - |g| |moved|/2 as long as g is within its bounds.
    """
    distance = np.linalg.norm(moved)
    speed, stored = distance / dt, np.clip(energy - debt, LEAST_STORED * energy, energy)
    soft = SOFT * np.sqrt(2 * stored * inverse_mass)
    rate = load / energy * speed**2 / (speed**2 + soft**2)
    half = 0.5 * share * distance
    after = np.linalg.solve([[1.0, half], [-rate, 1.0]], [debt, 0.0])
    size = np.clip(after[1], -PUSH * load, load)
    return -size * moved / distance, debt - size * half


def kept(works):
    """What is left after touches have ended: of (work, whether it began abruptly)."""
    return sum(work for work, abrupt in works if not abrupt)
