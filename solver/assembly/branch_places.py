"""Places in which the motion of a linkage could branch off: where they are, and what they ask of its dimensions.

There more rows depend on each other than elsewhere: C = U^T G V vanishes, with G the Jacobian, U the combinations of
rows that no motion changes, the additional ones among them, and V the motions that change no row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.bodies import Floats
from .linkage import Directions, Linkage, Place

DIFFERENCE = 1e-4  # of places, of the size of the machine or in rad, for derivatives
SEARCH, FOUND, FARTHEST = 8, 1e-10, 0.6  # steps of a search, the last one (rad or sizes), and all of them together
CROSSES = 1e-3  # singular values of derivatives, by the largest, below which they are none
ON_BRANCH = 1e-3  # of velocities, up to which they are off by the rounding of a deck
SAME = 1e-4  # rad, or sizes of the machine, between a place and itself


def branch_near(linkage: Linkage, place: Place, rank: int, small: float) -> Place | None:
    """The place nearby in which rows, elsewhere of that rank, depend on each other in more ways; None without.

    small : singular values below this may vanish nearby, all at once where they can: two loops may be flat together
    """
    linkage.put(place)
    most = int(np.count_nonzero(linkage.directions().values[:rank] < small))
    for ways in range(most, 0, -1):
        found = search(linkage, place, rank - ways)
        if found is not None:
            return found
    return None


def search(linkage: Linkage, place: Place, rank: int) -> Place | None:
    """The place nearby in which rows have no more than this rank; None without."""
    way = 0.0
    for _ in range(SEARCH):
        linkage.put(place)
        directions = linkage.directions()._replace(rank=rank)
        rates, by_motion = rates_and_derivatives(linkage, place, directions, directions.free)
        change = -np.linalg.lstsq(by_motion, rates, rcond=CROSSES)[0]
        size = float(np.linalg.norm(change)) / linkage.length
        way += size
        if not way < FARTHEST:
            return None
        place, _, directions = linkage.settle(linkage.moved(place, directions.free.T @ change), rank)
        if size < FOUND:
            return place if directions.rank <= rank else None
    return None


def rates_and_derivatives(
    linkage: Linkage, place: Place, directions: Directions, motions: Floats
) -> tuple[Floats, Floats]:
    """C (n,) of a place, in one column, and its derivatives (n, m) along motions (m, 6 nb)."""
    unmet, free = directions.unmet, directions.free
    linkage.put(place)
    rates = (unmet.T @ linkage.jacobian() @ free.T).ravel()
    derivatives = np.zeros((len(rates), len(motions)))
    step = DIFFERENCE * linkage.length
    for k, motion in enumerate(motions):
        sides = []
        for sign in (1.0, -1.0):
            linkage.put(linkage.moved(place, sign * step * motion))
            sides.append(unmet.T @ linkage.jacobian() @ free.T)
        derivatives[:, k] = (sides[0] - sides[1]).ravel() / (2 * step)
    return rates, derivatives


def rank_conditions(
    linkage: Linkage, place: Place, directions: Directions, sensitivity: Floats
) -> tuple[Floats, Floats]:
    """What C = 0 asks of the parameters, at this place or nearby: derivatives of parts of C, and these parts.

    sensitivity : of the residuals at the place
    """
    rank = directions.rank
    rates, by_motion = rates_and_derivatives(linkage, place, directions, directions.motions)
    by_parameters = linkage.sensitivity_of_rates(place, directions.unmet, directions.free).reshape(len(rates), -1)
    # the place moves so that the independent rows stay met, and freely besides
    moves = (directions.rows[:, :rank].T @ sensitivity) / directions.values[:rank, None]
    by_parameters -= by_motion[:, :rank] @ moves
    left, values, _ = np.linalg.svd(by_motion[:, rank:])
    kept = left[:, np.count_nonzero(values > CROSSES * values[0]) :]
    return kept.T @ by_parameters, kept.T @ rates


def change_along_branch(linkage: Linkage, place: Place, velocities: Floats) -> Floats:
    """Least change (6 n,) of velocities (6 n,) with which the bodies leave a place along one of the branches there.

    Rows are met to the second order then: U^T dG v = 0 with dG the change of G along v.  None (zeros) where velocities
    are not near to those of a branch.
    """
    linkage.put(place)
    directions = linkage.directions()
    free = directions.free
    _, derivatives = rates_and_derivatives(linkage, place, directions, free)
    curvature = derivatives.reshape(-1, len(free), len(free))
    begin = free @ velocities
    motion = begin.copy()
    for _ in range(SEARCH):
        slope = np.einsum("umk,k->um", curvature, motion) + np.einsum("umk,m->uk", curvature, motion)
        off = np.einsum("umk,m,k->u", curvature, motion, motion)
        motion -= np.linalg.lstsq(slope, off, rcond=CROSSES)[0]
    change: Floats = free.T @ (motion - begin)
    near = np.linalg.norm(motion - begin) <= ON_BRANCH * np.linalg.norm(begin)
    return change if near else np.zeros_like(change)


def different(places: list[Place | None], length: float) -> list[Place]:
    """Those that were found, each once; length : size of the machine."""
    result: list[Place] = []
    for place in places:
        if place is not None and all(distance(place, other, length) > SAME for other in result):
            result.append(place)
    return result


def distance(place: Place, other: Place, length: float) -> float:
    """How far the bodies of one place are from another, whole turns left out: in sizes of the machine, or in rad."""
    shift = float(np.abs(place.displacement - other.displacement).max()) / length
    # half the chord of the quaternions is a quarter of the angle
    chords: Any = [np.linalg.norm(place.quaternion - sign * other.quaternion, axis=1) for sign in (1.0, -1.0)]
    return max(shift, 2 * float(np.minimum(*chords).max()))
