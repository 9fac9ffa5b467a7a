"""A pair of meshes at a pose: from where its bodies are to the patches where they touch.

    made_ready   what all pairs of some meshes read
    pairs_of     one record PAIR a pair, without buffers
    patches_of   brings the lists up to date and finds the patches; what it returns below zero names the buffer that is
                 too short, which `contact.mesh_records` makes longer

A pose is (rotation, offset): x in axes of the master = rotation x in axes of the slave + offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Ints, Record, Records, Vector, zeros_in_lines
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, vector_of
from .bundles import Bundles, bundles_of
from .carriers import find_carriers, look_below_supports
from .course import follow_course, has_left_course, plan_course
from .cubics import NO_CUBIC
from .facets import facets_of
from .lists import renew_lists
from .motion import follow_motion, set_reach
from .nodes import turned_back
from .pair_records import LISTED, LONG_AGO, NODE, PAIR, REST_ROWS, SEED, MeshPairs, PairScratch
from .patches import convex_chart_pairs, find_patches
from .records import NONE, SMOOTH, MeshSurface
from .sleep import forget_turns
from .sweep import sort_seeds, sweep

LISTS_FULL, SEEDS_FULL, CARRIERS_FULL, PATCHES_FULL = -1, -2, -3, -4
NO_INTEGRALS = -1.0
STIFFENING = 0.25  # B: see `supports`
CELL = 0.15  # of the size of triangles of the master: edge of a cell of expansions
MARGIN = 0.5  # of the size of triangles of the slave: slack of lists where no course is known
FURTHEST = 16.0  # margins: after a longer way lists are not carried on but made anew
SAME_AXIS = 1e-6  # radians between two axes about which parts turn
COARSE = 3.0  # times the edges of the other: a mesh with longer ones is no slave


class ReadyMeshes(NamedTuple):
    """What all pairs of some meshes read and none changes, whatever the run: see `MeshPairs`.

    sizes : of each mesh, the usual size of its triangles
    """

    surface: MeshSurface
    facets: Records
    bundles: Bundles
    chart_pairs: Ints
    sizes: Floats


def has_sharp_edges(surface: MeshSurface) -> bool:
    """Whether charts of a mesh meet in convex edges."""
    return bool((surface.edges["angle"] > 0.0).any())


def slave_of(surfaces: Sequence[MeshSurface], one: int, other: int) -> int:
    """Which of two meshes gives points.

    That with sharp edges where the other one has none: its edges are then as deep as they are below the other.  Or else
    the coarser one, which costs less; of two with as many triangles that with longer edges.  But none that is too
    coarse: a quadratic over each triangle of the slave must be able to follow the other surface.
    """
    pair = (one, other)
    counts = [len(surfaces[mesh].triangles) for mesh in pair]
    edges = [float(surfaces[mesh].meshes[0]["mean_edge"]) for mesh in pair]
    sharp = [has_sharp_edges(surfaces[mesh]) for mesh in pair]
    chosen = 0 if (not sharp[0], counts[0], -edges[0]) <= (not sharp[1], counts[1], -edges[1]) else 1
    if edges[chosen] > COARSE * edges[1 - chosen]:
        chosen = 1 - chosen
    return pair[chosen]


def usual_size(surface: MeshSurface, mesh: int) -> float:
    """Median size of the triangles of a mesh that are bent, or of all."""
    record = surface.meshes[mesh]
    triangles = surface.triangles[record["first_triangle"] : record["last_triangle"]]
    bent = triangles[triangles["kind"] == SMOOTH]
    return float(np.sqrt(np.median((bent if len(bent) else triangles)["area"])))


def made_ready(surface: MeshSurface, samples_nodes: Sequence[int] = ()) -> ReadyMeshes:
    """Meshes of one surface, ready for pairs.

    samples_nodes : meshes that as slaves touch with their vertices alone
    """
    facets = facets_of(surface)
    for mesh in surface.meshes[list(samples_nodes)]:
        # depths between the corners are linear then, and largest at a corner
        facets["tangents"][mesh["first_triangle"] : mesh["last_triangle"]] = 0.0
        facets["ruling"][mesh["first_triangle"] : mesh["last_triangle"]] = NO_CUBIC
    return ReadyMeshes(
        surface=surface,
        facets=facets,
        bundles=bundles_of(facets, surface),
        chart_pairs=convex_chart_pairs(surface),
        sizes=np.array([usual_size(surface, mesh) for mesh in range(len(surface.meshes))]),
    )


def pairs_of(meshes: ReadyMeshes, roles: Sequence[tuple[int, int]]) -> MeshPairs:
    """Records of pairs, whose lists and seeds have no capacity yet.

    roles : slave and master of each, meshes of the surface; both ways round are two pairs, each with half the force
    """
    surface, pairs = meshes.surface, zeros_in_lines(len(roles), PAIR)
    for pair, (slave, master) in zip(pairs, roles, strict=True):
        one, other = surface.meshes[slave], surface.meshes[master]
        pair["slave"], pair["master"] = slave, master
        pair["stiffening"] = STIFFENING / min(one["radius"], other["radius"]) ** 2
        pair["exponent"], pair["regions"] = NO_INTEGRALS, 1
        pair["margin"] = MARGIN * meshes.sizes[slave]
        pair["cell"] = CELL * meshes.sizes[master]
        pair["listed_at"], pair["axis"] = LONG_AGO, (0.0, 0.0, 1.0)
        pair["rotation"] = np.eye(3)
        pair["reach"] = one["radius"]
        pair["centre"] = one["centre"]
    return MeshPairs(
        pairs=pairs,
        facets=meshes.facets,
        nodes=zeros_in_lines(0, NODE),
        listed=zeros_in_lines(0, LISTED),
        rests=np.zeros((REST_ROWS, 0)),
        seeds=np.zeros(0, SEED),
        slots=np.full(len(surface.vertices), NONE),
        old_slots=np.full(len(surface.vertices), NONE),
        marks=np.full(len(surface.triangles), NONE),
        counts=np.zeros(2, np.int64),
        stale=np.zeros(0, np.int64),
        awake=np.zeros(0, np.int64),
        bundles=meshes.bundles,
        chart_pairs=meshes.chart_pairs,
    )


@kernel(inline=True)
def relative_offset(place: Vector, master_place: Vector, master_rotation: Floats) -> Vector:
    """Offset of a pose, of two bodies at global places."""
    return turned_back(master_rotation, minus(place, master_place))


@kernel(inline=True)
def set_relative_rotation(relative: Floats, rotation: Floats, master_rotation: Floats) -> None:
    """Rotation of a pose: master^T slave."""
    for i in range(3):
        for k in range(3):
            relative[i, k] = (
                master_rotation[0, i] * rotation[0, k]
                + master_rotation[1, i] * rotation[1, k]
                + master_rotation[2, i] * rotation[2, k]
            )


@kernel
def renew(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, scratch: PairScratch
) -> int:
    """Bring the lists of a pair up to date; 0, or what is full: they are `LONG_AGO` then, and wait to be made."""
    first = pair.first + pair.turn * pair.capacity
    if pair.listed_at != LONG_AGO and pair.clock - pair.listed_at > FURTHEST * pair.margin:
        pair.nodes = pair.listed = 0  # feet are far from where they were
    if pair.listed_at != LONG_AGO or pair.nodes == 0:
        before, axis = vector_of(pair.centre), vector_of(pair.axis)
        set_reach(pair, surface.meshes[pair.slave], surface.meshes[pair.master], rotation, offset)
        plan_course(pair, rotation, before)
        turned = cross(axis, vector_of(pair.axis))
        if dot(turned, turned) > SAME_AXIS * SAME_AXIS:
            forget_turns(pair, pairs.listed[first : first + pair.listed])
    pair.listed_at = LONG_AGO
    for k in range(first, first + pair.listed):
        pairs.marks[pairs.listed[k].triangle] = pairs.listed[k].chart
    n = sweep(pairs, pair, surface, rotation, offset, scratch.stack, scratch.placed)
    for k in range(first, first + pair.listed):
        pairs.marks[pairs.listed[k].triangle] = NONE
    if n < 0:
        return SEEDS_FULL
    sort_seeds(pairs.seeds, n)
    if not renew_lists(pairs, pair, surface, rotation, offset, n, scratch.seed[0]):
        return LISTS_FULL
    return 0


@kernel
def patches_of(
    pairs: MeshPairs, p: int, surface: MeshSurface, rotation: Floats, offset: Vector, scratch: PairScratch
) -> int:
    """Patches of the p-th pair at a pose, in `scratch.patches`: their number, or what is full."""
    pair = pairs.pairs[p]
    follow_motion(pair, rotation, offset)
    follow_course(pair, rotation, offset)
    if pair.listed_at == LONG_AGO or has_left_course(pair):
        full = renew(pairs, pair, surface, rotation, offset, scratch)
        if full < 0:
            return full
    if pair.listed == 0:
        return 0
    n = find_carriers(pairs, pair, surface, rotation, offset, scratch.carriers)
    if n < 0:
        return CARRIERS_FULL
    while True:
        found = find_patches(pairs, pair, n, surface.edges, rotation, scratch)
        if found < 0:
            return PATCHES_FULL
        n, same = look_below_supports(pairs, pair, surface, rotation, offset, scratch.carriers, n)
        if same:
            return found
