"""Pattern and storage of the matrix of the multipliers: order of elimination, and the nonzeros that it makes.

Once at assembly; the values are `kkt`'s.  Unknowns are the rows and, for each high-valence body (hub), its six
velocities.

The order is SuperLU's minimum degree, by way of scipy.  Its other orders are no better (bench/ordering.py): COLAMD and
reverse Cuthill-McKee give the same fill for trains on separate carriers, 1.7 and 2.4 times as much for a grid of 20 x
20 four-bars, and Cuthill-McKee 263 times as much for 1000 gears on one free housing.  The elimination tree and the
pattern of the factor are found here, as scipy has no symbolic factorisation.  They could be read from a factor that
SuperLU makes of numbers, but it drops entries that underflow (2224 of 5997 for a ring of 3000 rows), and takes ten
times as long or more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.bodies import Ints, Records
from ..core.jit.kernels import kernel
from ..core.jit.pointers import Pointer, function_type
from ..core.jit.references import Reference, reference_type
from .kkt import NO_ROWS, Matrix

HUB_ROWS = 20  # a body with more rows than this stays in the matrix
DENSE_UNKNOWNS = 32  # a subsystem with at most so many unknowns is solved with its explicit inverse


def build_matrix(
    rows: Records, entries: Records, row_start: Ints, body_start: Ints, deferred: Ints = NO_ROWS,
    left_out: Ints = NO_ROWS,
) -> Matrix:  # fmt: skip
    """Pattern, ordering and storage.

    row_start, body_start : (ns + 1,) rows and bodies of each subsystem; deferred : rows to eliminate last; left_out :
    rows that are not solved for
    """
    taken = np.ones(len(rows), dtype=bool)
    taken[left_out] = False
    kept = np.flatnonzero(taken)
    n_rows = len(kept)  # from here on rows are numbered without those left out
    number = np.full(len(rows), -1, dtype=np.int64)
    number[kept] = np.arange(n_rows)
    n_bodies = int(body_start[-1])
    body = entries["body"]
    entry_row = number[np.repeat(np.arange(len(rows)), rows["end"] - rows["start"])]
    rows_of_body = np.bincount(body[entry_row >= 0], minlength=n_bodies)
    hubs = np.flatnonzero(rows_of_body > HUB_ROWS)
    hub_index = np.full(n_bodies, -1)
    hub_index[hubs] = np.arange(len(hubs))

    pairs, singles = entry_products(body, entry_row, hub_index, n_bodies)
    subsystem_of_row = np.searchsorted(row_start, kept, side="right") - 1
    subsystem_of_hub = np.searchsorted(body_start, hubs, side="right") - 1
    n = n_rows + 6 * len(hubs)
    # unknowns before ordering: rows, then hubs
    hub_unknowns = n_rows + 6 * np.arange(len(hubs))[:, None] + np.arange(6)
    i_pair, j_pair = entry_row[pairs[:, 0]], entry_row[pairs[:, 1]]
    i_single, j_single = n_rows + 6 * hub_index[body[singles[:, 0]]] + singles[:, 1], entry_row[singles[:, 0]]
    lower = [(a, b) for a in range(6) for b in range(a + 1)]
    i_hub = hub_unknowns[:, [a for a, _ in lower]].ravel()
    j_hub = hub_unknowns[:, [b for _, b in lower]].ravel()
    subsystem = np.concatenate([subsystem_of_row, np.repeat(subsystem_of_hub, 6)]).astype(np.int64)
    n_subsystems = len(row_start) - 1
    dense = np.bincount(subsystem, minlength=n_subsystems) <= DENSE_UNKNOWNS
    dense[subsystem_of_hub] = False
    couplings = np.concatenate([i_pair, i_single]), np.concatenate([j_pair, j_single])
    order = elimination_order(couplings, subsystem, dense, number[deferred])
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)

    i_all = place[np.concatenate([i_pair, i_single, i_hub, np.arange(n_rows)])]
    j_all = place[np.concatenate([j_pair, j_single, j_hub, np.arange(n_rows)])]
    i_all, j_all = np.maximum(i_all, j_all), np.minimum(i_all, j_all)
    keys, position = np.unique(i_all * n + j_all, return_inverse=True)
    column = keys % n if n else keys
    row_pointer = np.searchsorted(keys, np.arange(n + 1) * n) if n else np.zeros(1, dtype=np.int64)
    position = position.astype(np.int64)
    n_pairs, n_singles = len(pairs), len(singles)

    unknowns = np.searchsorted(subsystem[order], np.arange(n_subsystems + 1)).astype(np.int64)
    factor = pattern_of_factor(row_pointer.astype(np.int64), column.astype(np.int64))
    sizes = np.diff(unknowns)
    pair_subsystem = subsystem_of_row[i_pair]
    single_subsystem = subsystem_of_row[j_single]
    pair_order = np.argsort(pair_subsystem, kind="stable")
    single_order = np.argsort(single_subsystem, kind="stable")
    all_pairs = np.column_stack([pairs, position[:n_pairs]]).astype(np.int64)[pair_order]
    all_singles = np.column_stack([singles, position[n_pairs : n_pairs + n_singles]]).astype(np.int64)[single_order]
    bounds = np.arange(n_subsystems + 1)
    return Matrix(
        unknowns=unknowns,
        place_of_row=np.append(place[:n_rows], -1)[number],
        row_at=np.append(kept, np.full(n - n_rows, -1, dtype=np.int64))[order],
        hub_start=np.searchsorted(subsystem_of_hub, bounds).astype(np.int64),
        hub_body=hubs.astype(np.int64),
        hub_place=place[hub_unknowns],
        row_start=row_pointer.astype(np.int64),
        column=column.astype(np.int64),
        value=np.zeros(len(keys)),
        sign=np.where(order < n_rows, 1, -1).astype(np.int64),
        magnitude=np.zeros(n),
        mass_share=np.ones(n),
        pair_start=np.searchsorted(pair_subsystem[pair_order], bounds).astype(np.int64),
        pair=all_pairs,
        single_start=np.searchsorted(single_subsystem[single_order], bounds).astype(np.int64),
        single=all_singles,
        hub_position=position[n_pairs + n_singles : n_pairs + n_singles + 21 * len(hubs)].reshape(-1, 21),
        parent=factor.parent,
        factor_start=factor.start,
        factor_row=factor.row,
        factor=np.zeros(len(factor.row)),
        pivot_inverse=np.zeros(n),
        inverse_start=np.concatenate([[0], np.cumsum(np.where(dense, sizes**2, 0))]).astype(np.int64),
        inverse=np.zeros(int(np.sum(np.where(dense, sizes**2, 0)))),
        uses=np.zeros(n_subsystems, dtype=np.int64),
        work=np.zeros(n),
        pattern=np.zeros(n, dtype=np.int64),
        flag=np.full(n, -1, dtype=np.int64),
        filled=np.zeros(n, dtype=np.int64),
    )


def entry_products(body: Ints, entry_row: Ints, hub_index: Ints, n_bodies: int) -> tuple[Ints, Ints]:
    """Pairs of entries on the same body (row of the first >= row of the second), and (entry, component) of hubs."""
    taken = entry_row >= 0
    on_hub = taken & (hub_index[body] >= 0) if len(body) else np.zeros(0, dtype=bool)
    entries = np.flatnonzero(taken & ~on_hub)
    entries = entries[np.argsort(body[entries], kind="stable")]
    counts = np.bincount(body[entries], minlength=n_bodies) if len(entries) else np.zeros(n_bodies, dtype=np.int64)
    # For each entry, all entries of its body: its group's start + 0 .. count - 1.
    group_start = np.concatenate([[0], np.cumsum(counts)[:-1]])[body[entries]] if len(entries) else entries
    repeat = counts[body[entries]] if len(entries) else entries
    first = np.repeat(entries, repeat)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    second = entries[np.repeat(group_start, repeat) + offset] if len(first) else first
    keep = entry_row[first] >= entry_row[second]
    hub_entries = np.flatnonzero(on_hub)
    singles = np.column_stack([np.repeat(hub_entries, 6), np.tile(np.arange(6), len(hub_entries))])
    return np.column_stack([first[keep], second[keep]]), singles


def elimination_order(couplings: tuple[Ints, Ints], subsystem: Ints, dense: NDArray[np.bool_], deferred: Ints) -> Ints:
    """Order of elimination: by subsystem; as numbered in small ones, else of minimum degree; deferred rows last."""
    n = len(subsystem)
    rank = np.arange(n)
    if n and not dense[subsystem].all():
        rank[minimum_degree(n, couplings)] = np.arange(n)
        rank[dense[subsystem]] = np.flatnonzero(dense[subsystem])
    last = np.zeros(n, dtype=np.int64)
    last[deferred] = 1
    last[dense[subsystem]] = 0  # their explicit inverse takes the rows as numbered
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
