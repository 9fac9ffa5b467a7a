"""Decks that are rounded, taken as they are meant: points and axes of joints with which redundant rows agree.

A machine that its joints hold more than they need to (a plane loop of hinges, a bar on three cranks, Bricard's linkage)
moves thanks to relations between its dimensions, which rounding spoils.  Rows that are left out then do not quite
follow from the others.  Near a place in which the machine could branch off, what they are off by at small angles b
from it, e, comes to e/b in the bodies, and takes the machine along another branch.

So the points and axes of joints are moved by as little as lets all rows agree, not at t = 0 alone but in the motion of
the machine.  With q_k places along the motion, those of least squares, g the residuals of all rows there, p the points
and axes, and C as `branch_places` has it,

    N_k^T (g(q_k, p) + dg/dp dp) = 0,   N_k^T dg/dq = 0,   |dp| least,   and C(q_k, p) = 0 where it could branch off,

as Newton does.  A machine whose rows agree as they are is left as it is, and so is one that they hold fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints.redundancy import Redundancy, subsystem_of_rows
from ..constraints.rows import LARGEST_SLACK
from ..core.bodies import Floats
from ..integration.system import System
from .branch_places import branch_near, change_along_branch, different, distance, rank_conditions
from .known_linkages import machine_digest, mended_once
from .linkage import Directions, Linkage, Place
from .start_messages import angular_velocities

MOST_ROWS = 64  # of a subsystem that is looked at
# A walk along the motion: the way of the fastest body from place to place, in rad or sizes of the machine, and how many
# one way; so many walks where no velocities say which way, or where there is more than one.
STRIDE, STRIDES, WALKS = 0.25, 12, 3
WAY_DIGITS = 9  # that the direction of the first walk has
ASTRAY = 1e-4  # residual, of the size of the machine, that no rounding leaves
WELL = 0.3  # of the largest least singular value of all places: above this, a place is far from those with branches
CONDITION = 1e-5  # relations between dimensions that are weaker than this are not asked for
NEWTON_STEPS, SLOW = 8, 0.5  # at most, and what each has to leave less of
AGREES, MENDED = 2e-14, 1e-10  # residuals, of the size of the machine: round-off, and what may be left
COINCIDE = 1e-12  # singular value of rows that depend on each other where the motion could branch off
NEAR_BRANCH = 5e-5  # rad, or sizes of the machine: one that starts so near a place with branches is meant to be there

Settled = tuple[Place, Floats, Directions]  # what `Linkage.settle` finds


class Meant(NamedTuple):
    """What was found about the geometry of a deck.

    agreeing : subsystems whose redundant rows agree wherever they move
    rounding : longest way of a point of a joint (or of an axis, at the size of the machine), by that size; 0 for none
    has_changed : whether joints or bodies were moved
    at_branch : linkages moved to a place where the motion could branch off, and where all joints fit; the places
    """

    agreeing: frozenset[int]
    rounding: float
    has_changed: bool
    at_branch: list[tuple[Linkage, Place]]


def take_as_meant(system: System, redundancy: Redundancy) -> Meant:
    """Move points and axes of joints of subsystems whose redundant rows do not quite agree."""
    of_joints = redundancy.left_out[system.rows["kind"][redundancy.left_out] >= 0]
    agreeing, rounding, has_changed = set[int](), 0.0, False
    at_branch = list[tuple[Linkage, Place]]()
    machine = machine_digest(system) if len(of_joints) else b""
    for s in np.unique(subsystem_of_rows(system.subsystems, of_joints)).tolist():
        subsystem = system.subsystems[s]
        if subsystem["last_row"] - subsystem["first_row"] > MOST_ROWS:
            continue
        linkage = Linkage(system, s)
        home = linkage.here()
        branches = mended_once(linkage, machine, way_of(linkage, system), mend)
        if branches is None:
            continue
        agreeing.add(s)
        moved = float(np.abs(linkage.parameters).max(initial=0.0)) / linkage.length
        near = [place for place in branches if AGREES < distance(home, place, linkage.length) < NEAR_BRANCH]
        linkage.put(near[0] if near else home)
        if moved > 0.0 or near:
            linkage.hand_over(system)
            rounding, has_changed = max(rounding, moved), True
            at_branch += [(linkage, place) for place in near[:1]]
    return Meant(frozenset(agreeing), rounding, has_changed, at_branch)


def follow_branches(system: System, meant: Meant) -> None:
    """Let machines that start where the motion could branch off have the velocities of one of the branches."""
    bodies = system.bodies
    for linkage, place in meant.at_branch:
        change = change_along_branch(linkage, place, velocities_of(linkage, system)).reshape(-1, 6)
        rotation, moving = bodies["rotation"][linkage.moving], linkage.moving
        inertia = rotation @ bodies["inertia"][moving] @ rotation.swapaxes(1, 2)
        bodies["velocity"][moving] += change[:, :3]
        bodies["momentum"][moving] += np.einsum("bij,bj->bi", inertia, change[:, 3:]) / linkage.length


def velocities_of(linkage: Linkage, system: System) -> Floats:
    """Of the bodies of a linkage at t = 0 (6 n,), rotations times its size."""
    bodies = system.bodies
    spin = angular_velocities(bodies, bodies["momentum"])
    return np.hstack([bodies["velocity"], linkage.length * spin])[linkage.moving].ravel()


def way_of(linkage: Linkage, system: System) -> Floats:
    """Where the bodies of a linkage move at t = 0, to so many digits that masses, speed and units do not matter."""
    velocities = velocities_of(linkage, system)
    fastest = float(np.abs(velocities).max(initial=0.0))
    return np.round(velocities / fastest, WAY_DIGITS) + 0.0 if fastest > 0.0 else velocities  # + 0: no negative zeros


def mend(linkage: Linkage, way: Floats) -> list[Place] | None:
    """Find points and axes with which all rows agree, where those of the deck do not.

    way : (6 n,) velocities, of any size
    Returns the places in which the motion could branch off; None where there are no such points and axes.
    """
    # settled once more than on the way there: near flat positions the first time stops short
    regular, doubtful, small = divide([linkage.settle(place) for place in places_along_motion(linkage, way)])
    rank, length = regular[0][2].rank, linkage.length
    last, worst = np.inf, np.inf
    places = [place for place, _, _ in regular]
    branches = different([branch_near(linkage, place, rank, small) for place in doubtful], length)
    for _ in range(NEWTON_STEPS):
        settled = [linkage.settle(place) for place in places]
        places = [place for place, _, _ in settled]
        settled += [item for item in map(linkage.settle, branches) if off_of(item) <= LARGEST_SLACK * length]
        if last == np.inf and all(agrees(item, rank, length) for item in settled):
            worst = 0.0
            break
        matrix, off = relations(linkage, settled, rank)
        last, worst = worst, float(np.abs(off).max())
        if worst > SLOW * last:
            break
        change = np.linalg.lstsq(matrix, -off, rcond=CONDITION)[0]
        linkage.set_parameters(linkage.parameters + change.reshape(linkage.parameters.shape))
        branches = different([branch_near(linkage, place, rank, small) for place in branches], length)
    moved = float(np.abs(linkage.parameters).max(initial=0.0))
    return branches if moved <= LARGEST_SLACK * length and worst <= MENDED * length else None


def divide(settled: list[Settled]) -> tuple[list[Settled], list[Place], float]:
    """Those in which no more rows depend on each other than elsewhere, or nearly so; the places of the others.

    Last, what singular values are less than in those.
    """
    rank = max(directions.rank for _, _, directions in settled)
    least = np.array([directions.least if directions.rank == rank else 0.0 for _, _, directions in settled])
    small = WELL * float(least.max())
    is_well = least > small
    return (
        [item for item, well in zip(settled, is_well, strict=True) if well],
        [item[0] for item, well in zip(settled, is_well, strict=True) if not well],
        small,
    )


def off_of(item: Settled) -> float:
    """The largest residual of combinations of rows that no motion changes: at a place that is no branch it is large."""
    _, residual, directions = item
    return float(np.abs(directions.unmet.T @ residual).max(initial=0.0))


def agrees(item: Settled, rank: int, length: float) -> bool:
    """Whether rows agree at a place, and depend on each other exactly where the motion could branch off there."""
    directions = item[2]
    coincide = directions.rank == rank or float(directions.values[directions.rank]) <= COINCIDE
    return coincide and off_of(item) <= AGREES * length


def relations(linkage: Linkage, settled: list[Settled], rank: int) -> tuple[Floats, Floats]:
    """What is to vanish, in lengths (n,): its derivatives with respect to all parameters, and what it is.

    rank : of the rows, but where the motion could branch off
    """
    matrix, off = [], []
    for place, residual, directions in settled:
        sensitivity = linkage.sensitivity(place)
        matrix.append(directions.unmet.T @ sensitivity)
        off.append(directions.unmet.T @ residual)
        if directions.rank < rank:
            by_parameters, rates = rank_conditions(linkage, place, directions, sensitivity)
            matrix.append(linkage.length * by_parameters)
            off.append(linkage.length * rates)
    return np.vstack(matrix), np.concatenate(off)


def places_along_motion(linkage: Linkage, way: Floats) -> list[Place]:
    """Places that the machine can come to from where it is, which is the first; on walks both ways."""
    home = linkage.here()
    linkage.put(home)
    free = linkage.directions().free
    random = np.random.default_rng(0)
    directions = [way] if np.any(free @ way) else []
    if not directions or len(free) > 1:
        directions += list(random.normal(size=(WALKS, len(way))))
    places = [home]
    for direction in directions:
        for sign in (1.0, -1.0):
            places += walk(linkage, home, sign * direction)
    return places


def walk(linkage: Linkage, place: Place, direction: Floats) -> list[Place]:
    """Places along the motion in a direction (6 n,), which goes on through places where it could branch off."""
    places: list[Place] = []
    linkage.put(place)
    directions = linkage.directions()
    for _ in range(STRIDES):
        free = directions.free
        direction = free.T @ (free @ direction)
        fastest = float(np.abs(direction).max(initial=0.0))
        if not fastest > 0.0:
            break
        direction /= fastest
        place, residual, directions = linkage.settle(linkage.moved(place, STRIDE * linkage.length * direction))
        if float(np.abs(residual).max()) > ASTRAY * linkage.length:
            break
        places.append(place)
    return places
