"""What is kept of pairs of meshes: lists of nodes and triangles near contact, pooled for all pairs of a deck.

The **slave** of a pair gives points, the **master** the surface that they go below.  A node is a vertex of the slave as
seen from one chart of the master; a listed triangle has three nodes of one chart.

Nothing here decides what a force is: lists say where to look, and expansions stand about points that depend on the
place of the slave alone.  So a step that is done again, from whatever lists, gives the same to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Ints, Records, in_lines, zeros_in_lines
from .box_tree import LEAF
from .bundles import PLACED_ROWS, Bundles
from .records import MOST_SIDES

LONG_AGO = -1e300  # motion clock of what has not been looked at
CARRIER_CAPACITY = 256
MOST_SUPPORTS = 4  # points of space in general position that one sphere goes through
PATCH_CAPACITY = 16
FIRST_STACK = 16384
SUMS = 13  # see `regions`
UNTIL, DISTANCE, WIDTH, EXTENT = range(4)  # rows of `rests`
REST_ROWS = 4

NODE = in_lines(
    np.dtype(
        [
            ("depth", "f8"),  # > 0 below the surface of the chart
            ("beyond", "f8"),  # > 0 where another chart of the master is in charge
            ("normal", "f8", 3),  # gradient of the height, axes of the slave
            ("apart", "f8"),  # 0, or how far it is from where the expansion stands: too far, and off contact
            ("clock", "f8"),  # motion clock of these
            ("vertex", "i4"),  # of the slave
            ("foot", "i4"),  # triangle of the master
            ("chart", "i4"),
            ("edge", "i4"),  # cut edge of the master from which `beyond` is measured, NONE without
            ("position", "f8", 3),  # of the vertex, axes of the slave
            # expansion about a point, in axes of the master
            ("cell", "f8"),  # edge of the cube round the point within which it serves; 0: none yet
            ("at", "f8", 3),
            ("height", "f8"),
            ("slope", "f8", 3),
            ("hessian", "f8", 6),
            ("curvature", "f8"),  # of the master about here, the largest
            ("beyond_at", "f8"),
            ("beyond_slope", "f8", 3),
            ("aside", "f8"),  # how much further the point is from the middle of its foot than that is long
        ],
        align=True,
    )
)

LISTED = in_lines(
    np.dtype(
        [
            # see `sleep`; axes of the master: what is read of each that may wake, in the first two lines
            ("at", "f8", 3),  # where its middle was when it was looked at last
            ("up", "f8", 3),
            ("gap", "f8"),
            ("spread", "f8"),
            ("middle", "f8", 3),  # of its facet, axes of the slave
            ("curvature", "f8"),  # 1/length
            ("lever", "f8"),
            ("about", "f8"),  # turns of the pair by then, see PAIR
            ("across", "f8"),
            ("deep", "i4"),  # 1: it may reach the master, but nothing pushes against it while it sleeps
            # and what is not
            ("triangle", "i4"),  # of the slave
            ("chart", "i4"),  # of the master
            ("nodes", "i4", 3),
            ("left", "f8"),  # for how far it sleeps while lists are made
        ],
        align=True,
    )
)

# A listed triangle that reaches below the master, and its depth as a quadratic of coordinates v, w.
CARRIER = in_lines(
    np.dtype(
        [
            ("listed", "i4"),
            ("triangle", "i4"),
            ("chart", "i4"),
            ("foot", "i4"),
            ("next", "i4"),  # carrier of the same triangle and another chart
            ("across", "i4", 3),  # carriers of the same chart beyond each edge, NONE without
            ("parent", "i4"),  # in the tree of carriers that hang together
            ("count", "i4"),  # of a root: carriers of its tree
            ("start", "i4"),  # of a root: where they stand among `members`
            ("mixed", "i4"),  # of a root: 1 if they are of several charts
            ("basin", "i4"),  # another carrier of the same summit; itself
            ("above", "i4"),  # of a basin: another that it is connected with; later its number
            ("height", "f8"),  # of the highest summit of connected basins
            ("quadratic", "f8", 6),  # 1, v, w, vv, vw, ww
            ("depth", "f8"),  # the largest, where another chart is not in charge
            ("most", "f8"),  # a bound of what it may rise to, see `supports.most_wanted`; -inf once looked at
            ("looks", "i4"),  # how often the master may yet be evaluated below the deepest place
            ("shares", "i4"),  # 1 if it shares the load of a patch
            ("place", "f8", 2),  # v, w of the deepest
            ("cuts", "i4"),  # planes beyond which another chart of the master is in charge, of those that cut it
            ("beyond", "f8", (MOST_SIDES, 3)),  # how far its corners are beyond each
            ("bends", "f8", (MOST_SIDES, 3)),  # by how much the bent triangle is more beyond, see `cuts`
            ("bent", "i4"),  # how many of these are curves in the bent triangle
            ("bent_at", "f8", 2),  # v, w where straight lines touch these curves
            ("edges", "i4", (MOST_SIDES, 3)),  # cut edges of the master that these are measured from
        ],
        align=True,
    )
)

# A point that shares the load of a patch.
SUPPORT = np.dtype(
    [
        ("carrier", "i4"),
        ("place", "f8", 2),
        ("point", "f8", 3),  # of the facet of the slave, its axes
        ("push", "f8", 3),  # what the depth decreases by as the slave moves, axes of the slave
        ("couple", "f8", 3),  # likewise as it turns about its origin
        ("depth", "f8"),
        ("share", "f8"),  # of the load
    ],
    align=True,
)

# A region where the slave is below the master.  Axes of the slave.
PATCH = np.dtype(
    [
        ("depth", "f8"),  # what the law is to see
        ("weight", "f8"),  # by which its force is multiplied
        ("share", "f8"),  # by which its energy is: 1, less where patches merge
        ("normal", "f8", 3),  # unit, on the slave
        ("point", "f8", 3),  # where the force acts
        ("deepest", "f8"),  # plain depth of the deepest point
        # see `regions`: where they are asked for, what begins with pressure with an exponent; zero elsewhere
        ("area", "f8"),  # of the region, along the normal
        ("spread", "f8", (2, 3)),  # root mean squares of the region about its centroid, along its principal axes
        ("pressure", "f8"),  # size of the integral of depth^exponent times normal over the area
        ("stored", "f8"),  # integral of depth^(exponent + 1) over the area
        ("pressure_normal", "f8", 3),
        ("pressure_point", "f8", 3),
    ],
    align=True,
)

PAIR = in_lines(
    np.dtype(
        [
            ("slave", "i8"),  # meshes
            ("master", "i8"),
            ("stiffening", "f8"),  # B/rho^2, see `supports`, 1/length^2
            ("margin", "f8"),  # that courses and their slack are measured by, length
            ("cell", "f8"),  # of expansions: see `nodes`
            ("exponent", "f8"),  # of the depth, for integrals over the regions of patches; negative: only its area is
            ("regions", "i8"),  # 1: those of patches are asked for
            ("clock", "f8"),  # motion clock: how far any point of the slave has moved against the master
            ("angle", "f8"),  # how far it has turned, whatever way, radians
            ("all_about", "f8"),  # the same about the axis, which may have changed
            ("all_across", "f8"),  # and about others
            ("listed_at", "f8"),  # motion clock of the lists
            ("listed_angle", "f8"),
            # since then, see `motion`
            ("way", "f8"),
            ("about", "f8"),  # radians about the axis, whatever way
            ("ahead", "f8"),  # the same with its sign
            ("across", "f8"),  # radians about others
            ("turns", "f8", 3),  # their sum, axes of the slave
            ("axis", "f8", 3),  # unit, axes of the slave
            # see `course`
            ("start", "f8", 3),  # where the centre was when lists were made, axes of the master
            ("gone", "f8", 3),  # where it is from there
            ("course", "f8", 3),  # axes of the master
            ("course_turn", "f8"),  # radians
            ("halfway", "f8", 3),  # where the centre was about halfway, from the start
            ("halfway_done", "f8"),  # the part of the course that was done then; 0 before
            ("slack", "f8"),
            ("trust", "f8"),
            ("deepest", "f8"),  # of all carriers since lists were made, length
            ("offset", "f8", 3),  # the pose of the motion clock
            ("rotation", "f8", (3, 3)),
            ("centre", "f8", 3),  # of a sphere that holds the listed triangles, axes of the slave
            ("reach", "f8"),  # its radius
            ("nodes", "i8"),
            ("listed", "i8"),
            ("first", "i8"),  # of lists: [first, first + capacity), and the same again for those being built
            ("capacity", "i8"),
            ("turn", "i8"),  # which half is in use
            # counts, for those who measure
            ("expansions", "i8"),
            ("renewals", "i8"),  # of lists
            # what was not found and may be missed
            ("lost", "i8"),  # searches for the triangle of the master below a place that ran out of steps
            ("astray", "i8"),  # deepest places left out, as the triangle taken to be below them was far away
            ("exhausted", "i8"),  # deepest places left out, as more and more cut edges were found to be in charge there
        ],
        align=True,
    )
)

SEED = np.dtype([("chart", "i4"), ("triangle", "i4"), ("foot", "i4")], align=True)


# What is used of a triangle at every step, and when lists are made.
FACET = in_lines(
    np.dtype(
        [
            ("tangents", "f8", (6, 3)),  # of edges at corners: 0 to 1, 0 to 2, 1 to 2, 1 to 0, 2 to 0, 2 to 1
            ("normal", "f8", 3),  # of the facet
            ("sag", "f8"),  # how far the smooth surface may stand off it
            ("radius", "f8"),  # about the middle
            ("ruling", "i4"),  # its straight edge, or NO_RULING, NO_CUBIC of `cubics`
            ("chart", "i4"),
            # and of few triangles
            ("middle", "f8", 3),
            ("across", "i4", 3),  # triangle beyond each edge
            ("vertices", "i4", 3),
            ("corners", "f8", (3, 3)),
        ],
        align=True,
    )
)


class MeshPairs(NamedTuple):
    """All pairs; `nodes` and `listed` hold two halves for each.

    facets : of all triangles of all meshes, axes of their bodies
    rests : (REST_ROWS, n), of each listed triangle: UNTIL, how far it may move since lists were made before it is
        looked at, -inf of those that stay awake; by `motion_of` at a DISTANCE from the axis, its EXTENT or the `reach`
        of the pair; WIDTH, its `width_about_axis`; EXTENT, how far from the axis it reaches
    slots, old_slots : of each vertex of all meshes, its node while lists are built; NONE outside
    marks : of each triangle of all meshes, NONE but for a while: its chart while boxes are searched, its place in the
        list while lists are built, its first carrier while patches are found
    counts : (2,), memory: nodes and listed triangles of the list that is being built
    stale, awake : memory: nodes to expand anew, listed triangles that do not sleep
    bundles : of the trees of boxes of all meshes
    chart_pairs : (c, 2), sorted, charts of masters that meet in a convex edge
    """

    pairs: Records
    facets: Records
    nodes: Records
    listed: Records
    rests: Floats
    seeds: Records
    slots: Ints
    old_slots: Ints
    marks: Ints
    counts: Ints
    stale: Ints
    awake: Ints
    bundles: Bundles
    chart_pairs: Ints


# An edge between two carriers, with the largest depth on it.
LINK = np.dtype([("one", "i4"), ("other", "i4"), ("depth", "f8")], align=True)

# A saddle between two basins, named by carriers, and how far it makes one patch of them: see `merging`.
MERGING = np.dtype([("one", "i4"), ("other", "i4"), ("share", "f8")], align=True)

# Basins that make a patch together.
PART = np.dtype([("bits", "i8"), ("weight", "f8")], align=True)


class PairScratch(NamedTuple):
    """Memory of one evaluation, one a thread."""

    carriers: Records
    members: Ints
    chosen: Ints
    supports: Records
    patches: Records
    links: Records
    mergings: Records
    parts: Records
    part_members: Ints
    stack: Ints
    placed: Floats
    seed: Records
    sums: Floats


def new_scratch(carriers: int = CARRIER_CAPACITY, patches: int = PATCH_CAPACITY) -> PairScratch:
    return PairScratch(
        carriers=zeros_in_lines(carriers, CARRIER),
        members=np.zeros(carriers, np.int64),
        chosen=np.zeros(MOST_SUPPORTS + 1, np.int64),
        supports=np.zeros(MOST_SUPPORTS + 2, SUPPORT),
        patches=np.zeros(patches, PATCH),
        links=np.zeros(16 * (carriers + patches), LINK),  # too few of them count as too few patches
        mergings=np.zeros(carriers, MERGING),
        parts=np.zeros(8 * patches, PART),
        part_members=np.zeros(carriers, np.int64),
        stack=np.zeros(FIRST_STACK, np.int64),
        placed=np.zeros(PLACED_ROWS * LEAF),
        seed=np.zeros(1, SEED),
        sums=np.zeros(SUMS),
    )
