"""Pattern and storage of the matrix of the multipliers: blocks, their order of elimination, and those that it makes.

Once at assembly; the values are `kkt`'s.  Unknowns are the rows and, for each high-valence body (hub), its six
velocities.

The order is SuperLU's minimum degree, by way of scipy.  Its other orders are no better (bench/ordering.py): COLAMD and
reverse Cuthill-McKee give the same fill for trains on separate carriers, 1.8 and 2.7 times as much for a grid of 20 x
20 four-bars, and Cuthill-McKee 200 times as much for 1000 gears on one free housing.  The elimination tree and the
pattern of the factor are found here, as scipy has no symbolic factorisation.  They could be read from a factor that
SuperLU makes of numbers, but it drops entries that underflow (2224 of 5997 for a ring of 3000 rows), and takes ten
times as long or more.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.bodies import Ints, Records
from ..core.jit.kernels import kernel
from ..core.jit.pointers import Pointer, function_type
from ..core.jit.references import Reference, reference_type
from ..core.known import Known, bytes_of, digest_of
from .block_elimination import SIDE
from .kkt import HUB_PART, NO_ROWS, PART, Matrix, with_values_of_its_own

HUB_ROWS = 20  # a body with more rows than this stays in the matrix
MOST_BYTES = 2**26  # of matrices whose patterns are kept; larger ones are found anew
SMALL = 32  # a subsystem of at most so many unknowns is eliminated as numbered: little is to be gained there


def build_matrix(
    rows: Records, entries: Records, row_start: Ints, body_start: Ints, deferred: Ints = NO_ROWS,
    left_out: Ints = NO_ROWS,
) -> Matrix:  # fmt: skip
    """Pattern, ordering and storage; the former two are found once in a process for all machines of one kind.

    row_start, body_start : (ns + 1,) rows and bodies of each subsystem; deferred : rows to eliminate last; left_out :
    rows that are not solved for
    """
    limits = np.array([HUB_ROWS, SMALL])
    of = limits, rows["start"], rows["end"], entries["body"], row_start, body_start, deferred, left_out
    find = partial(find_pattern, rows, entries, row_start, body_start, deferred, left_out)
    known = _known.get(digest_of(of), find)
    return with_values_of_its_own(known)._replace(mass_share=known.mass_share.copy())


def find_pattern(
    rows: Records, entries: Records, row_start: Ints, body_start: Ints, deferred: Ints, left_out: Ints
) -> Matrix:
    """As `build_matrix`, anew."""
    blocks = blocks_of_rows(rows, entries, row_start, deferred, left_out)
    n_rows, n_bodies, n_subsystems = len(rows), int(body_start[-1]), len(row_start) - 1
    hubs = np.flatnonzero(np.bincount(blocks.body, blocks.size[blocks.block], minlength=n_bodies) > HUB_ROWS)
    hub_index = np.full(n_bodies, -1)
    hub_index[hubs] = np.arange(len(hubs))
    subsystem_of_hub = np.searchsorted(body_start, hubs, side="right") - 1
    # blocks before ordering: of rows, then of hubs
    n_row_blocks = len(blocks.size)
    n = n_row_blocks + len(hubs)
    size = np.concatenate([blocks.size, np.full(len(hubs), 6)]).astype(np.int64)
    subsystem = np.concatenate([blocks.subsystem, subsystem_of_hub]).astype(np.int64)
    pairs, of_hubs = shared_bodies(blocks, hub_index, n_bodies)
    i_pair, j_pair = blocks.block[pairs[:, 0]], blocks.block[pairs[:, 1]]
    i_hub, j_hub = n_row_blocks + hub_index[blocks.body[of_hubs]], blocks.block[of_hubs]
    couplings = np.concatenate([i_pair, i_hub]), np.concatenate([j_pair, j_hub])
    small = np.bincount(subsystem, size, minlength=n_subsystems) <= SMALL
    small[subsystem_of_hub] = False
    # what hubs alone carry has no diagonal without them
    on_others = np.bincount(blocks.block[hub_index[blocks.body] < 0], minlength=n_row_blocks) > 0
    on_hubs = np.bincount(j_hub, minlength=n_row_blocks) > 0
    deferred_blocks = np.flatnonzero((blocks.deferred == 1) | (on_hubs & ~on_others))
    order = elimination_order(couplings, subsystem, small, deferred_blocks)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)

    place_of_row, row_at = np.full(n_rows, -1, dtype=np.int64), np.full(SIDE * n, -1, dtype=np.int64)
    place_of_row[blocks.row] = SIDE * place[blocks.block_of_row] + blocks.place_of_row
    row_at[place_of_row[blocks.row]] = blocks.row

    i_all, j_all = (np.concatenate([place[some], np.arange(n)]) for some in couplings)
    keys = np.unique(np.maximum(i_all, j_all) * n + np.minimum(i_all, j_all))
    row_pointer = np.searchsorted(keys, np.arange(n + 1) * n) if n else np.zeros(1, dtype=np.int64)
    factor = pattern_of_factor(row_pointer.astype(np.int64), (keys % n if n else keys).astype(np.int64))
    column_keys = np.repeat(np.arange(n), np.diff(factor.start)) * n + factor.row

    def target(i: Ints, j: Ints) -> Ints:
        """Where blocks (places in the order) are stored."""
        off = np.searchsorted(column_keys, np.minimum(i, j) * n + np.maximum(i, j))
        return np.where(i == j, i, off).astype(np.int64)

    bounds = np.arange(n_subsystems + 1)
    first_block = np.searchsorted(subsystem[order], bounds)
    parts = np.zeros(len(pairs), PART)
    later, earlier = pairs[:, 0].copy(), pairs[:, 1].copy()
    swapped = place[i_pair] < place[j_pair]
    later[swapped], earlier[swapped] = earlier[swapped], later[swapped]
    parts["i"], parts["j"] = place[blocks.block[later]], place[blocks.block[earlier]]
    parts["place_i"], parts["place_j"] = blocks.place[later], blocks.place[earlier]
    parts["target"] = target(parts["i"], parts["j"])
    part_order = np.argsort(subsystem[i_pair], kind="stable")
    hub_parts = np.zeros(len(of_hubs), HUB_PART)
    hub_parts["block"], hub_parts["place"] = place[j_hub], blocks.place[of_hubs]
    hub_parts["target"], hub_parts["is_first"] = target(place[i_hub], place[j_hub]), place[i_hub] < place[j_hub]
    hub_part_order = np.argsort(subsystem[i_hub], kind="stable")
    entry_at = np.append(rows["start"], -1)[row_at]
    return Matrix(
        place_of_row=place_of_row,
        row_at=row_at,
        entry_at=entry_at,
        hub_start=np.searchsorted(subsystem_of_hub, bounds).astype(np.int64),
        hub_body=hubs.astype(np.int64),
        hub_block=place[n_row_blocks:],
        blocks=first_block.astype(np.int64),
        size=size[order],
        column_start=factor.start,
        below=factor.row,
        parts=parts[part_order],
        first_part=np.searchsorted(subsystem[i_pair][part_order], bounds).astype(np.int64),
        hub_parts=hub_parts[hub_part_order],
        first_hub_part=np.searchsorted(subsystem[i_hub][hub_part_order], bounds).astype(np.int64),
        sign=np.where(np.repeat(order < n_row_blocks, SIDE), 1, -1).astype(np.int64),
        magnitude=np.zeros(SIDE * n),
        mass_share=np.ones(SIDE * n),
        diagonal=np.zeros((n, SIDE * SIDE)),
        lower=np.zeros((len(factor.row), SIDE * SIDE)),
        upper=np.zeros((len(factor.row), SIDE * SIDE)),
        pivot_inverse=np.zeros(SIDE * n),
        work=np.zeros((n, SIDE)),
    )


_known = Known[Matrix](MOST_BYTES, bytes_of)


class RowBlocks(NamedTuple):
    """Rows in blocks: up to six in a row that act on the same bodies."""

    size: Ints  # (n,) rows of each block
    subsystem: Ints  # (n,)
    deferred: Ints  # (n,) 1: eliminated last
    row: Ints  # (nk,) rows that are solved for
    block_of_row: Ints  # (nk,)
    place_of_row: Ints  # (nk,) in its block
    # bodies of blocks
    block: Ints  # (m,)
    body: Ints  # (m,)
    place: Ints  # (m,) of its entries in those of a row


def blocks_of_rows(rows: Records, entries: Records, row_start: Ints, deferred: Ints, left_out: Ints) -> RowBlocks:
    """Rows of each subsystem that are solved for, in blocks, in the order of their first rows."""
    taken, is_deferred = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=np.int64)
    taken[left_out], is_deferred[deferred] = False, 1
    row = np.flatnonzero(taken)
    subsystem = np.searchsorted(row_start, row, side="right") - 1
    on, starts, ends = entries["body"].tolist(), rows["start"].tolist(), rows["end"].tolist()
    size, first_row, block_of_row, place_of_row = list[int](), list[int](), list[int](), list[int]()
    last: tuple[int, ...] = ()
    for i, s in zip(row.tolist(), subsystem.tolist(), strict=True):
        kind = (s, int(is_deferred[i]), *on[starts[i] : ends[i]])
        if kind != last or size[-1] == SIDE:
            size.append(0)
            first_row.append(i)
        block_of_row.append(len(size) - 1)
        place_of_row.append(size[-1])
        size[-1] += 1
        last = kind
    first = np.array(first_row, dtype=np.int64)
    counts = rows["end"][first] - rows["start"][first]
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return RowBlocks(
        size=np.array(size, dtype=np.int64),
        subsystem=np.searchsorted(row_start, first, side="right") - 1,
        deferred=is_deferred[first],
        row=row,
        block_of_row=np.array(block_of_row, dtype=np.int64),
        place_of_row=np.array(place_of_row, dtype=np.int64),
        block=np.repeat(np.arange(len(first)), counts),
        body=entries["body"][np.repeat(rows["start"][first], counts) + place],
        place=place,
    )


def shared_bodies(blocks: RowBlocks, hub_index: Ints, n_bodies: int) -> tuple[Ints, Ints]:
    """Pairs of entries of blocks on the same body (block of the first >= block of the second), and those on hubs."""
    on_hub = hub_index[blocks.body] >= 0
    entries = np.flatnonzero(~on_hub)
    entries = entries[np.argsort(blocks.body[entries], kind="stable")]
    counts = np.bincount(blocks.body[entries], minlength=n_bodies)
    # For each entry, all entries of its body: its group's start + 0 .. count - 1.
    group_start = (np.cumsum(counts) - counts)[blocks.body[entries]]
    repeat = counts[blocks.body[entries]]
    first = np.repeat(entries, repeat)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    second = entries[np.repeat(group_start, repeat) + offset]
    keep = blocks.block[first] >= blocks.block[second]
    return np.column_stack([first[keep], second[keep]]), np.flatnonzero(on_hub)


def elimination_order(couplings: tuple[Ints, Ints], subsystem: Ints, small: NDArray[np.bool_], deferred: Ints) -> Ints:
    """Order of elimination: by subsystem; as numbered in small ones, else of minimum degree; deferred blocks last."""
    n = len(subsystem)
    rank = np.arange(n)
    if n and not small[subsystem].all():
        rank[minimum_degree(n, couplings)] = np.arange(n)
        rank[small[subsystem]] = np.flatnonzero(small[subsystem])
    last = np.zeros(n, dtype=np.int64)
    last[deferred] = 1
    return np.lexsort((rank, last, subsystem))


def minimum_degree(n: int, couplings: tuple[Ints, Ints]) -> Ints:
    """A minimum-degree order of the symmetric pattern (SuperLU's, by way of scipy)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import splu

    i, j = couplings
    pattern = coo_matrix((np.full(len(i), -1.0), (i, j)), shape=(n, n)).tocsc()
    pattern = pattern + pattern.T
    dominant = np.asarray(abs(pattern).sum(axis=0)).ravel() + 1.0
    pattern.setdiag(dominant)
    factor = splu(pattern, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.argsort(factor.perm_c)


class FactorPattern(NamedTuple):
    """Pattern of the lower triangle of a symmetric matrix (by rows), and of its factor L (by columns)."""

    row_start: Ints  # (n + 1,)
    column: Ints
    parent: Ints  # (n,) elimination tree, -1 of a root
    flag: Ints  # (n,) working memory
    size: Ints  # (n,) nonzeros of each column of L
    start: Ints  # (n + 1,) of each column of L
    row: Ints  # of the nonzeros of L, ascending in a column; none while they are counted


def pattern_of_factor(row_start: Ints, column: Ints) -> FactorPattern:
    """What elimination makes of a pattern."""
    n = len(row_start) - 1
    nothing = FactorPattern(
        row_start, column, np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64), NO_ROWS, NO_ROWS
    )
    counted = eliminated(nothing)
    start = np.concatenate([[0], np.cumsum(counted.size)]).astype(np.int64)
    return eliminated(counted._replace(start=start, row=np.zeros(start[-1], dtype=np.int64)))


def eliminated(pattern: FactorPattern) -> FactorPattern:
    pattern.flag[:], pattern.size[:] = -1, 0
    reference = Reference(pattern)  # must outlive the call
    ELIMINATE.entry()(reference.address)
    return pattern


@kernel
def eliminate(pattern: FactorPattern) -> int:
    """Elimination tree, and the nonzeros of each column of L: how many, and where there is room for them, their rows.

    Each row of L is a subtree of the elimination tree, from the nonzeros of that row of the matrix up.
    """
    parent, flag, size = pattern.parent, pattern.flag, pattern.size
    for k in range(len(parent)):
        flag[k] = k
        for p in range(pattern.row_start[k], pattern.row_start[k + 1]):
            i = pattern.column[p]
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                if len(pattern.row) > 0:
                    pattern.row[pattern.start[i] + size[i]] = k
                size[i] += 1
                flag[i] = k
                i = parent[i]
    return 1


ELIMINATE = Pointer(eliminate, function_type(reference_type(FactorPattern(*[NO_ROWS] * 7))))
