"""What contacts of meshes need beside points: surfaces, pairs of meshes with their lists, and memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Ints, Records, zeros_in_lines
from ..geometry.mesh.bundles import no_bundles
from ..geometry.mesh.pair_records import (
    FACET,
    LISTED,
    LONG_AGO,
    NODE,
    PAIR,
    REST_ROWS,
    SEED,
    MeshPairs,
    PairScratch,
    new_scratch,
)
from ..geometry.mesh.records import NONE, MeshSurface, no_surface

MOST_ITEMS = 2**24  # of a buffer: some gigabytes
LISTS, SEEDS, CARRIERS, PATCHES = 1, 2, 3, 4  # buffers that may be full

# Two shapes of an interface that may meet as meshes; those of an interface side by side, sorted by their rows.
MESH_PAIR = np.dtype(
    [
        ("low", "i4"),  # rows of the shapes
        ("high", "i4"),
        ("pair", "i4"),  # of MeshPairs
        ("ways", "i4"),  # 2: so is the next one, the other way round, and each has half of the force
        ("slave", "i4"),  # row of the one that is the slave first
        # where they were deepest so far, 0 if they never touched: of the first of two ways
        ("deepest", "f8"),
        ("time", "f8"),
        ("place", "f8", 3),  # from the origin of all contacts
        ("on_slave", "f8", 3),  # the same in the axes of both meshes
        ("on_master", "f8", 3),
    ],
    align=True,
)

# Where the lists of all pairs of an interface stand: pairs that need longer ones take them from its end.
LIST_POOL = np.dtype(
    [
        ("first", "i8"),  # [first, end) of `nodes` and `listed`
        ("end", "i8"),
        ("free", "i8"),  # from here on nobody has any
        ("first_pair", "i8"),  # of MeshPairs
        ("last_pair", "i8"),
        ("full", "i8"),  # which buffer was too short, 0: none
        ("full_pair", "i8"),  # for which of MeshPairs
    ],
    align=True,
)


class MeshContacts(NamedTuple):
    """Meshes of all interfaces, and exact shapes as meshes where they meet some; in axes of the shapes.

    pose : (3, 3, 3) memory for rotations: slave against master, slave, master
    """

    surface: MeshSurface
    pairs: MeshPairs
    scratch: PairScratch
    table: Records  # MESH_PAIR
    pools: Records  # LIST_POOL of each interface that has pairs
    pose: Floats


def no_mesh_pairs() -> MeshPairs:
    """Of a deck in which no meshes touch."""
    none = np.zeros(0, np.int64)
    return MeshPairs(
        pairs=zeros_in_lines(0, PAIR), facets=zeros_in_lines(0, FACET), nodes=zeros_in_lines(0, NODE),
        listed=zeros_in_lines(0, LISTED), rests=np.zeros((REST_ROWS, 0)), seeds=np.zeros(0, SEED),
        slots=none, old_slots=none, marks=none, counts=none, stale=none, awake=none, bundles=no_bundles(),
        chart_pairs=np.zeros((0, 2), np.int64),
    )  # fmt: skip


def no_mesh_contacts() -> MeshContacts:
    """The same."""
    full = new_scratch(0, 0)
    scratch = full._replace(**{name: getattr(full, name)[:0] for name in PairScratch._fields})
    return MeshContacts(
        no_surface(), no_mesh_pairs(), scratch, np.zeros(0, MESH_PAIR), np.zeros(0, LIST_POOL), np.zeros((0, 3, 3))
    )


def with_own_memory(meshes: MeshContacts) -> MeshContacts:
    """The same meshes and lists, with other memory."""
    pairs, scratch = meshes.pairs, meshes.scratch
    if len(pairs.pairs) == 0:
        return meshes

    def unmarked(marks: Ints) -> Ints:
        return np.full(len(marks), NONE)

    return meshes._replace(
        pairs=pairs._replace(
            seeds=np.zeros_like(pairs.seeds),
            slots=unmarked(pairs.slots),
            old_slots=unmarked(pairs.old_slots),
            marks=unmarked(pairs.marks),
            counts=np.zeros_like(pairs.counts),
            stale=np.zeros_like(pairs.stale),
            awake=np.zeros_like(pairs.awake),
        ),
        scratch=new_scratch(len(scratch.carriers), len(scratch.patches))._replace(stack=np.zeros_like(scratch.stack)),
        pose=np.zeros_like(meshes.pose),
    )


def forget_lists(meshes: MeshContacts, pool: int) -> None:
    """Let the lists of an interface be made anew."""
    own = meshes.pairs.pairs[meshes.pools["first_pair"][pool] : meshes.pools["last_pair"][pool]]
    own["nodes"] = own["listed"] = 0
    own["listed_at"] = LONG_AGO


def may_have_longer_buffers(meshes: MeshContacts) -> bool:
    """Whether the buffers may still be doubled."""
    pairs, scratch = meshes.pairs, meshes.scratch
    buffers = pairs.nodes, pairs.seeds, scratch.stack, scratch.carriers, scratch.patches
    return max(len(buffer) for buffer in buffers) < MOST_ITEMS


def shapes_beyond_capacity(meshes: MeshContacts, pool: int) -> tuple[int, int]:
    """Rows of the two shapes for which a buffer was too short."""
    p = meshes.pools["full_pair"][pool]
    entry = meshes.table[np.searchsorted(meshes.table["pair"], p, side="right") - 1]
    return int(entry["low"]), int(entry["high"])


def with_longer_buffer(meshes: MeshContacts, pool: int) -> MeshContacts:
    """Twice the length of the buffer that was too short for an interface."""
    pairs, scratch, pools = meshes.pairs, meshes.scratch, meshes.pools
    full = int(pools["full"][pool])
    pools["full"][pool] = 0
    if full == LISTS:
        return with_longer_pool(meshes, pool)
    if full == SEEDS:
        scratch = scratch._replace(stack=np.zeros(2 * len(scratch.stack), np.int64))
        return meshes._replace(pairs=pairs._replace(seeds=np.zeros(2 * len(pairs.seeds), SEED)), scratch=scratch)
    carriers, patches = len(scratch.carriers), len(scratch.patches)
    larger = new_scratch(2 * carriers, patches) if full == CARRIERS else new_scratch(carriers, 2 * patches)
    return meshes._replace(scratch=larger._replace(stack=scratch.stack))


def with_longer_pool(meshes: MeshContacts, pool: int) -> MeshContacts:
    """Twice the length for the lists of an interface, which are made anew."""
    lengths = meshes.pools["end"] - meshes.pools["first"]
    lengths[pool] *= 2
    forget_lists(meshes, pool)
    return with_pools(meshes, lengths)


def with_pools(meshes: MeshContacts, lengths: Ints) -> MeshContacts:
    """Pools of these lengths; what the lists at hand hold is kept, in as little room as they need."""
    pools, before, pairs = meshes.pools.copy(), meshes.pools, meshes.pairs
    pools["end"] = np.cumsum(lengths)
    pools["first"] = pools["end"] - lengths
    length = int(lengths.sum())
    nodes, listed, rests = zeros_in_lines(length, NODE), zeros_in_lines(length, LISTED), np.zeros((REST_ROWS, length))
    for was, now in zip(before, pools, strict=True):
        own = pairs.pairs[now["first_pair"] : now["last_pair"]]
        held = own["nodes"].any() or own["listed"].any()
        if held:
            used = slice(int(now["first"]), int(now["first"] + was["free"] - was["first"]))
            nodes[used] = pairs.nodes[was["first"] : was["free"]]
            listed[used] = pairs.listed[was["first"] : was["free"]]
            rests[:, used] = pairs.rests[:, was["first"] : was["free"]]
            own["first"] += now["first"] - was["first"]
            now["free"] = used.stop
        else:
            own["first"] = own["capacity"] = own["turn"] = 0
            now["free"] = now["first"]
    stale, awake = np.zeros((2, int(lengths.max(initial=0))), np.int64)
    pairs = pairs._replace(nodes=nodes, listed=listed, rests=rests, stale=stale, awake=awake)
    return meshes._replace(pairs=pairs, pools=pools)
