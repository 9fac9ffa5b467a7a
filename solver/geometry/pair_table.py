"""Which kernels find the contact of two shapes: one line a pair of kinds.

A pair that stands here in one order is always taken in that order; one that stands here in both is taken as the bodies
say (`narrow_phase.is_reversed`).  Kernels of one family are compiled together, those for the gap where a deck asks for
it.  A new pair needs a function that finds its points and, unless both shapes have `reach` and `support`, one for the
gap; and a line below.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.bodies import Records
from ..core.jit.pointers import Pointer
from .ellipsoid import ellipsoid_points
from .half_space import plane_gap, plane_points
from .narrow_phase import AS_GIVEN, BY_SIZE, GAP_KERNEL, PAIR_KERNELS, POINTS_KERNEL, REVERSED
from .shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, NAMES_OF_KINDS, PLANE, SPHERE
from .solid_solid import box_box_points, round_points, solids_gap
from .sphere import sphere_gap, sphere_points, sphere_sphere_points


class Family(NamedTuple):
    """Kernels that serve several pairs of kinds, see `narrow_phase` for their arguments."""

    name: str
    points: Any
    gap: Any


TWO_SPHERES = Family("two spheres", sphere_sphere_points, sphere_gap)
SPHERES = Family("sphere", sphere_points, sphere_gap)
HALF_SPACES = Family("half space", plane_points, plane_gap)
ELLIPSOIDS = Family("ellipsoid", ellipsoid_points, solids_gap)
BOXES = Family("boxes", box_box_points, solids_gap)
ROUNDS = Family("round", round_points, solids_gap)

PAIRS: dict[tuple[int, int], Family] = {
    (SPHERE, SPHERE): TWO_SPHERES,
    (SPHERE, ELLIPSOID): SPHERES,
    (SPHERE, CYLINDER): SPHERES,
    (SPHERE, FRUSTUM): SPHERES,
    (SPHERE, BOX): SPHERES,
    (SPHERE, PLANE): SPHERES,
    (ELLIPSOID, ELLIPSOID): ELLIPSOIDS,
    (ELLIPSOID, CYLINDER): ELLIPSOIDS,
    (ELLIPSOID, FRUSTUM): ELLIPSOIDS,
    (ELLIPSOID, BOX): ELLIPSOIDS,
    (ELLIPSOID, PLANE): HALF_SPACES,
    (CYLINDER, CYLINDER): ROUNDS,
    (CYLINDER, FRUSTUM): ROUNDS,
    (FRUSTUM, CYLINDER): ROUNDS,
    (FRUSTUM, FRUSTUM): ROUNDS,
    (CYLINDER, BOX): ROUNDS,
    (FRUSTUM, BOX): ROUNDS,
    (CYLINDER, PLANE): HALF_SPACES,
    (FRUSTUM, PLANE): HALF_SPACES,
    (BOX, BOX): BOXES,
    (BOX, PLANE): HALF_SPACES,
}


def family_of(one: int, other: int) -> Family | None:
    """The family of two kinds in any order; None for two half spaces, which never touch."""
    return PAIRS.get((one, other)) or PAIRS.get((other, one))


def order_of(one: int, other: int) -> int:
    """In which order the kernels take shapes of these kinds."""
    if (one, other) in PAIRS and (other, one) in PAIRS:
        return BY_SIZE
    return AS_GIVEN if (one, other) in PAIRS else REVERSED


def new_pair_kernels(kinds: Iterable[tuple[int, int]], gaps: bool) -> Records:
    """(kinds, kinds) of PAIR_KERNELS for a deck in which shapes of these kinds may touch; none is compiled yet.

    gaps : the gaps of shapes are of interest, too
    """
    number = len(NAMES_OF_KINDS)
    pairs = np.zeros((number, number), PAIR_KERNELS)
    for one in range(number):
        for other in range(number):
            pairs["order"][one, other] = order_of(one, other)
    for one, other in kinds:
        for pair in ((one, other), (other, one)):
            pairs["needs_points"][pair], pairs["needs_gap"][pair] = 1, gaps
    return pairs


def compile_pairs(pairs: Records) -> None:
    """Compile what is needed, or read it from disk, and note the addresses."""
    for one, other in zip(*np.nonzero(pairs["needs_points"]), strict=True):
        family, pair = family_of(one, other), pairs[one, other]
        if family is not None:
            pair["points"] = pointer(family.points).address
            pair["gap"] = pointer(family.gap, of_gap=True).address if pair["needs_gap"] else 0


@cache
def pointer(kernel: Any, of_gap: bool = False) -> Pointer:
    """Where a kernel of the table is to be found in this process."""
    return Pointer(kernel, GAP_KERNEL if of_gap else POINTS_KERNEL)
