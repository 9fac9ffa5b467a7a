"""Boxes and triangles in bundles of sixteen, side by side, so that all of a bundle are looked at at once.

The triangles of a leaf of a tree of boxes make a bundle; so do up to sixteen boxes that another one holds, which stand
in the tree at whatever depth, and of these bundles again, up to the root.  Each quantity stands in one row: what a
processor does with several numbers in one instruction it does with these, and of what a search finds in a bundle there
is one number of bits, in place of a decision for each.  Rows of shorter bundles end in copies, which only `facing`
finds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, times, vector_of
from .box_tree import LEAF
from .course import expected_shift
from .motion import width_of
from .nodes import into_master
from .records import NONE, MeshSurface

# Rows: least and largest coordinates; of triangles those of the smooth surface, three coordinates of three corners, the
# normal of the facet, and how far the surface may stand off that.
LOW, HIGH, CORNERS, NORMAL, OFF = 0, 3, 6, 15, 18
ROWS = 19
# Of triangles on their course as well: their way, and by what normals change.
WAY, CHANGE = 19, 22
PLACED_ROWS = 25


class Bundles(NamedTuple):
    """All bundles of some meshes, those of triangles first.

    rows : (n, ROWS*LEAF), see above
    members : (n, LEAF), triangles, or boxes
    counts : (n,), how many
    charts : (n,), of triangles the only chart, NONE if there are several
    of_box : of each box the bundle of what it holds, NONE where a box above it has that in its own
    """

    rows: Floats
    members: Ints
    counts: Ints
    charts: Ints
    of_box: Ints


def no_bundles() -> Bundles:
    """Of no meshes."""
    none = np.zeros(0, np.int64)
    return Bundles(np.zeros((0, ROWS * LEAF)), np.zeros((0, LEAF), np.int64), none, none, none)


def bundles_of(facets: Records, surface: MeshSurface) -> Bundles:
    """The bundles of all meshes of a surface.  facets : records FACET of all triangles"""
    boxes, (members, counts, of_box) = surface.boxes, _members_of(surface)
    leaves = int((boxes["child"] == NONE).sum())
    own, held = facets[members[:leaves]], boxes[members[leaves:]]
    rows, charts = np.zeros((len(members), ROWS, LEAF)), np.full(len(members), NONE, np.int64)

    def put(part: slice, row: int, values: Floats) -> None:
        """values : (bundles, LEAF, ...)"""
        columns = math.prod(values.shape[2:])
        rows[part, row : row + columns] = values.reshape(-1, LEAF, columns).transpose(0, 2, 1)

    of_triangles, of_boxes = slice(leaves), slice(leaves, None)
    put(of_boxes, LOW, held["centre"] - held["half"])
    put(of_boxes, HIGH, held["centre"] + held["half"])
    put(of_triangles, LOW, own["corners"].min(axis=2) - own["sag"][..., None])
    put(of_triangles, HIGH, own["corners"].max(axis=2) + own["sag"][..., None])
    for row, name in ((CORNERS, "corners"), (NORMAL, "normal"), (OFF, "sag")):
        put(of_triangles, row, own[name])
    is_one = (own["chart"] == own["chart"][:, :1]).all(axis=1)
    charts[of_triangles] = np.where(is_one, own["chart"][:, 0], NONE)
    return Bundles(rows.reshape(len(members), ROWS * LEAF), members, counts, charts, of_box)


def _members_of(surface: MeshSurface) -> tuple[Ints, Ints, Ints]:
    """`members`, `counts` and `of_box` of bundles."""
    boxes, of_box = surface.boxes, np.full(len(surface.boxes), NONE, np.int64)
    units = np.flatnonzero(boxes["child"] == NONE)
    first, last = boxes["first"][units].astype(np.int64), boxes["last"][units].astype(np.int64)
    members, counts, done = [surface.box_triangles[_places(first, last - first)]], [last - first], len(units)
    of_box[units] = np.arange(done)
    while (boxes["parent"][units] != NONE).any():
        holders = _holders(boxes, units)
        units = units[np.argsort(holders, kind="stable")]
        holders, number = np.unique(holders, return_counts=True)
        several = number > 1
        members.append(units[_places(np.cumsum(number) - number, number)[several]])
        counts.append(number[several])
        of_box[holders[several]] = done + np.arange(several.sum())
        done += int(several.sum())
        units = holders
    return np.concatenate(members), np.concatenate(counts), of_box


def _places(first: Ints, count: Ints) -> Ints:
    """(n, LEAF), places from the first on; where there are no more, the last one again."""
    return first[:, None] + np.minimum(np.arange(LEAF), count[:, None] - 1)


def _holders(boxes: Records, units: Ints) -> Ints:
    """Of some boxes that hold all, the largest box about each that holds no more of them than a bundle does."""
    parent, number = boxes["parent"], np.zeros(len(boxes), np.int64)
    about = units
    while len(about):
        np.add.at(number, about, 1)
        about = parent[about]
        about = about[about != NONE]
    holders = units.copy()
    while True:
        above = parent[holders]
        rises = (above != NONE) & (number[above] <= LEAF)
        if not rises.any():
            return holders
        holders[rises] = above[rises]


@kernel(inline=True)
def three_of(rows: Floats, row: int, i: int) -> Vector:
    """What stands at place i of three rows."""
    return rows[row * LEAF + i], rows[(row + 1) * LEAF + i], rows[(row + 2) * LEAF + i]


@kernel(inline=True)
def corners_of(rows: Floats, i: int) -> tuple[Vector, Vector, Vector]:
    return three_of(rows, CORNERS, i), three_of(rows, CORNERS + 3, i), three_of(rows, CORNERS + 6, i)


@kernel(inline=True)
def put_three(rows: Floats, row: int, i: int, value: Vector) -> None:
    rows[row * LEAF + i], rows[(row + 1) * LEAF + i], rows[(row + 2) * LEAF + i] = value


@kernel(inline=True)
def least_of(a: Vector, b: Vector) -> Vector:
    return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])


@kernel(inline=True)
def largest_of(a: Vector, b: Vector) -> Vector:
    return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])


@kernel(inline=True)
def put_bounds(rows: Floats, i: int, low: Vector, high: Vector, way: Vector, off: float) -> None:
    """Bounds of what keeps within `off` of its way from within a box."""
    nothing, margin = (0.0, 0.0, 0.0), (off, off, off)
    put_three(rows, LOW, i, minus(plus(low, least_of(way, nothing)), margin))
    put_three(rows, HIGH, i, plus(plus(high, largest_of(way, nothing)), margin))


# ---- the slave on its course, axes of the master ------------------------------------------------------------------


@kernel
def place_boxes(pair: Record, rows: Floats, rotation: Floats, offset: Vector, placed: Floats) -> None:
    """What is near the boxes of a bundle.  placed : (PLACED_ROWS*LEAF,), of which are set LOW and HIGH"""
    a, b, c = abs(pair.axis[0]), abs(pair.axis[1]), abs(pair.axis[2])
    for i in range(LEAF):
        low, high = three_of(rows, LOW, i), three_of(rows, HIGH, i)
        middle, half = scaled(0.5, plus(low, high)), scaled(0.5, minus(high, low))
        off = b * half[2] + c * half[1], c * half[0] + a * half[2], a * half[1] + b * half[0]
        shift = expected_shift(pair, middle, math.sqrt(dot(off, off)), rotation)
        at = into_master(rotation, offset, middle)
        reach = (
            abs(rotation[0, 0]) * half[0] + abs(rotation[0, 1]) * half[1] + abs(rotation[0, 2]) * half[2],
            abs(rotation[1, 0]) * half[0] + abs(rotation[1, 1]) * half[1] + abs(rotation[1, 2]) * half[2],
            abs(rotation[2, 0]) * half[0] + abs(rotation[2, 1]) * half[1] + abs(rotation[2, 2]) * half[2],
        )
        put_bounds(placed, i, minus(at, reach), plus(at, reach), shift.way, shift.slack)


@kernel
def place_triangles(pair: Record, rows: Floats, rotation: Floats, offset: Vector, placed: Floats) -> None:
    """The triangles of a bundle, with slack in OFF.  placed : (PLACED_ROWS*LEAF,)"""
    axis, turn = vector_of(pair.axis), pair.course_turn
    for i in range(LEAF):
        corners, normal, sag = corners_of(rows, i), three_of(rows, NORMAL, i), rows[OFF * LEAF + i]
        middle = scaled(1.0 / 3.0, plus(corners[0], plus(corners[1], corners[2])))
        shift = expected_shift(pair, middle, width_of(corners, middle, axis) + sag, rotation)
        a = into_master(rotation, offset, corners[0])
        b = into_master(rotation, offset, corners[1])
        c = into_master(rotation, offset, corners[2])
        put_three(placed, CORNERS, i, a)
        put_three(placed, CORNERS + 3, i, b)
        put_three(placed, CORNERS + 6, i, c)
        put_three(placed, NORMAL, i, times(rotation, normal))
        put_three(placed, CHANGE, i, scaled(turn, times(rotation, cross(axis, normal))))
        put_three(placed, WAY, i, shift.way)
        placed[OFF * LEAF + i] = shift.slack + sag
        low, high = least_of(least_of(a, b), c), largest_of(largest_of(a, b), c)
        put_bounds(placed, i, low, high, shift.way, shift.slack + sag)


@kernel(inline=True)
def bounds_of_all(rows: Floats, count: int) -> tuple[Vector, Vector]:
    """Least and largest coordinates of the first so many of a bundle."""
    low, high = three_of(rows, LOW, 0), three_of(rows, HIGH, 0)
    for i in range(1, count):
        low, high = least_of(low, three_of(rows, LOW, i)), largest_of(high, three_of(rows, HIGH, i))
    return low, high


# ---- bits of those of a bundle that ... -----------------------------------------------------------------------------


@kernel(inline=True)
def are_apart(low: Vector, high: Vector, other_low: Vector, other_high: Vector) -> bool:
    """Whether there is a gap between two boxes; one decision for all directions, as any of them may be the one."""
    below = max(low[0] - other_high[0], low[1] - other_high[1], low[2] - other_high[2])
    return max(below, other_low[0] - high[0], other_low[1] - high[1], other_low[2] - high[2]) > 0.0


@kernel
def near(rows: Floats, count: int, low: Vector, high: Vector) -> int:
    """... are among the first so many and near a box."""
    bits = 0
    for i in range(LEAF):
        bits |= (1 - int(are_apart(low, high, three_of(rows, LOW, i), three_of(rows, HIGH, i)))) << i
    return bits & (1 << count) - 1


@kernel(inline=True)
def straddles(corners: tuple[Vector, Vector, Vector], base: Vector, up: Vector, off: float, way: Vector) -> bool:
    """Whether a triangle comes within `off` of a plane on a way against it."""
    a, b, c = dot(minus(corners[0], base), up), dot(minus(corners[1], base), up), dot(minus(corners[2], base), up)
    rise = dot(way, up)
    return (min(a, b, c) + min(rise, 0.0) <= off) & (max(a, b, c) + max(rise, 0.0) >= -off)


@kernel
def facing(rows: Floats, placed: Floats, i: int, opposed: float) -> int:
    """... one triangle of the slave faces, the planes of which it comes near; among them copies at the end.

    placed, i : see `place_triangles`.  opposed : cosine between normals above which they do not come to face each other
    """
    corners, normal, change = corners_of(placed, i), three_of(placed, NORMAL, i), three_of(placed, CHANGE, i)
    way, off, bits = three_of(placed, WAY, i), placed[OFF * LEAF + i], 0
    for j in range(LEAF):
        up = three_of(rows, NORMAL, j)
        faces = dot(normal, up) + min(0.0, dot(change, up)) <= opposed
        meets = straddles(corners, three_of(rows, CORNERS, j), up, off + rows[OFF * LEAF + j], way)
        bits |= int(faces & meets) << j
    return bits
