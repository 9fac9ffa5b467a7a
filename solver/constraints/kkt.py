"""The matrix of the multipliers: pattern and ordering found once, sparse L D L^T in compiled code.

The corrections of the multipliers solve (G M^-1 G^T) x = r.  Bodies that carry few rows are eliminated into it; a body
that carries many (a housing with a thousand shafts) would fill it, so its velocity increment y = M^-1 G_h^T x stays
as six unknowns of its own:

    [ A    G_h ] [x]   [r]
    [ G_h^T -M ] [y] = [0],      A = sum over the other bodies of G_b M_b^-1 G_b^T.

A is positive definite where the rows are independent of each other without the heavy-valence bodies, so that the matrix
is quasi-definite and L D L^T exists for any order (R. J. Vanderbei, SIAM J. Optim. 5, 1995, 100-113); rows that
are independent only thanks to such a body come after all others.  A row that depends on those before it gets a zero
pivot and with it a zero multiplier.  Rows that depend on others from the start are left out (`redundancy`).

The factorisation is left-looking by rows, along the elimination tree (T. A. Davis, ACM TOMS 31, 2005, 587-591).

The order is SuperLU's minimum degree, by way of scipy.  Its other orders are no better (bench/ordering.py): COLAMD and
reverse Cuthill-McKee give the same fill for trains on separate carriers, 1.7 and 2.4 times as much for a grid of 20 x
20 four-bars, and Cuthill-McKee 263 times as much for 1000 gears on one free housing.  The elimination tree and the
pattern of the factor are found here, as scipy has no symbolic factorisation.  They could be read from a factor that
SuperLU makes of numbers, but it drops entries that underflow (2224 of 5997 for a ring of 3000 rows), and takes ten
times as long or more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints, Record, Records
from ..core.body_points import apply_inverse_mass, can_move, mass_entry
from ..core.jit.kernels import kernel

HUB_ROWS = 20  # a body with more rows than this stays in the matrix
DENSE_UNKNOWNS = 32  # a subsystem with fewer unknowns than this is solved with its explicit inverse
# A pivot below this fraction of the row's own diagonal means that the row depends on those before it; less where a
# pivot is small because of the masses alone (`mass_share`), but no less than round-off.
REDUNDANT = 1e-11
ROUND_OFF = 1e-15
NO_ROWS = np.zeros(0, dtype=np.int64)


class Matrix(NamedTuple):
    """All subsystems; unknowns (rows, then six for each hub) are stored in the order of elimination."""

    unknowns: Ints  # (ns + 1,) first unknown of each subsystem
    place_of_row: Ints  # (nr,) place of a row in the order, -1 where it is left out
    row_at: Ints  # (n,) row at a place, -1 for the unknowns of hubs
    hub_start: Ints  # (ns + 1,) first hub of each subsystem
    hub_body: Ints  # (nh,)
    hub_place: Ints  # (nh, 6)
    # lower triangle by rows (column <= row): values are summed from products of entries
    row_start: Ints  # (n + 1,)
    column: Ints  # (nnz,)
    value: Floats  # (nnz,)
    sign: Ints  # (n,) of the pivot: 1 rows, -1 hubs
    magnitude: Floats  # (n,) diagonal of G M^-1 G^T over all bodies, to judge the pivot by
    mass_share: Floats  # (n,) part of a pivot's smallness, by its magnitude, that comes from unequal masses; at most 1
    pair_start: Ints  # (ns + 1,)
    pair: Ints  # (npairs, 3) entry, entry, position in value
    single_start: Ints  # (ns + 1,)
    single: Ints  # (nsingles, 3) entry, component, position: entries of hubs
    hub_position: Ints  # (nh, 21) positions of the lower triangle of the hub's own block
    # factor by columns, pattern fixed
    parent: Ints  # (n,) elimination tree
    factor_start: Ints  # (n + 1,)
    factor_row: Ints
    factor: Floats
    pivot_inverse: Floats  # (n,) 0 where the row is redundant
    # explicit inverses of small subsystems
    inverse_start: Ints  # (ns + 1,)
    inverse: Floats
    uses: Ints  # (ns,) solutions since the last factorisation
    # work space
    work: Floats  # (n,)
    pattern: Ints  # (n,)
    flag: Ints  # (n,)
    filled: Ints  # (n,)


def no_matrix() -> Matrix:
    """The matrix of a machine of nothing."""
    return Matrix(
        unknowns=np.zeros(1, dtype=np.int64), place_of_row=NO_ROWS, row_at=NO_ROWS,
        hub_start=np.zeros(1, dtype=np.int64), hub_body=NO_ROWS,
        hub_place=np.zeros((0, 6), dtype=np.int64), row_start=np.zeros(1, dtype=np.int64),
        column=NO_ROWS, value=np.zeros(0), sign=NO_ROWS, magnitude=np.zeros(0), mass_share=np.zeros(0),
        pair_start=np.zeros(1, dtype=np.int64),
        pair=np.zeros((0, 3), dtype=np.int64), single_start=np.zeros(1, dtype=np.int64),
        single=np.zeros((0, 3), dtype=np.int64), hub_position=np.zeros((0, 21), dtype=np.int64), parent=NO_ROWS,
        factor_start=np.zeros(1, dtype=np.int64), factor_row=NO_ROWS, factor=np.zeros(0), pivot_inverse=np.zeros(0),
        inverse_start=np.zeros(1, dtype=np.int64), inverse=np.zeros(0), uses=NO_ROWS, work=np.zeros(0), pattern=NO_ROWS,
        flag=NO_ROWS, filled=NO_ROWS,
    )  # fmt: skip


def with_values_of_its_own(matrix: Matrix) -> Matrix:
    """The same pattern and order with storage of its own, for a factor beside that of the steps."""
    own = ("value", "magnitude", "factor", "pivot_inverse", "inverse", "uses", "work", "pattern", "flag", "filled")
    return matrix._replace(**{name: getattr(matrix, name).copy() for name in own})


@kernel
def assemble_matrix(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, bodies: Records
) -> None:
    """Values of subsystem s, rows [first, last), from the Jacobian at hand."""
    for p in range(matrix.row_start[matrix.unknowns[s]], matrix.row_start[matrix.unknowns[s + 1]]):
        matrix.value[p] = 0.0
    for i in range(first, last):
        total = 0.0
        for k in range(rows[i].start, rows[i].end):
            apply_inverse_mass(bodies[entries[k].body], entries[k].jacobian, entries[k].weighted)
            total += product(entries[k], entries[k])
        if matrix.place_of_row[i] >= 0:
            matrix.magnitude[matrix.place_of_row[i]] = total
    for k in range(matrix.pair_start[s], matrix.pair_start[s + 1]):
        matrix.value[matrix.pair[k, 2]] += product(entries[matrix.pair[k, 0]], entries[matrix.pair[k, 1]])
    for k in range(matrix.single_start[s], matrix.single_start[s + 1]):
        entry, component = entries[matrix.single[k, 0]], matrix.single[k, 1]
        if can_move(bodies[entry.body], component):
            matrix.value[matrix.single[k, 2]] += entry.jacobian[component]
    for h in range(matrix.hub_start[s], matrix.hub_start[s + 1]):
        body = bodies[matrix.hub_body[h]]
        k = 0
        for i in range(6):
            for j in range(i + 1):
                value = mass_entry(body, i, j)
                matrix.value[matrix.hub_position[h, k]] -= value
                if i == j:
                    matrix.magnitude[matrix.hub_place[h, i]] = value
                k += 1


@kernel(inline=True)
def product(entry: Record, other: Record) -> float:
    """Jacobian of one entry times M^-1 times the Jacobian of another on the same body."""
    a, b = entry.jacobian, other.weighted
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def factorise(matrix: Matrix, s: int, least: float) -> None:
    """L D L^T of subsystem s; a row whose pivot is below `least` of its diagonal gets a zero inverse pivot."""
    first, last = matrix.unknowns[s], matrix.unknowns[s + 1]
    work, pattern, flag, filled = matrix.work, matrix.pattern, matrix.flag, matrix.filled
    for k in range(first, last):
        work[k] = 0.0
        flag[k] = -1
        filled[k] = 0
    for k in range(first, last):
        top = last
        flag[k] = k
        diagonal = 0.0
        for p in range(matrix.row_start[k], matrix.row_start[k + 1]):
            i = matrix.column[p]
            if i == k:
                diagonal = matrix.value[p]
                continue
            work[i] += matrix.value[p]
            length = first
            while flag[i] != k:
                pattern[length] = i
                length += 1
                flag[i] = k
                i = matrix.parent[i]
            while length > first:
                length -= 1
                top -= 1
                pattern[top] = pattern[length]
        pivot = diagonal
        for t in range(top, last):
            i = pattern[t]
            y = work[i]
            work[i] = 0.0
            start = matrix.factor_start[i]
            end = start + filled[i]
            for p in range(start, end):
                work[matrix.factor_row[p]] -= matrix.factor[p] * y
            l = y * matrix.pivot_inverse[i]
            pivot -= l * y
            matrix.factor[end] = l
            filled[i] += 1
        limit = max(least * matrix.mass_share[k], ROUND_OFF)
        independent = matrix.sign[k] * pivot > limit * matrix.magnitude[k]
        matrix.pivot_inverse[k] = 1.0 / pivot if independent else 0.0
    matrix.uses[s] = 0


@kernel(inline=True)
def substitute(matrix: Matrix, first: int, last: int) -> None:
    """work[first:last] <- solution for the right-hand side it holds."""
    x = matrix.work
    for j in range(first, last):
        y = x[j]
        if y != 0.0:
            for p in range(matrix.factor_start[j], matrix.factor_start[j + 1]):
                x[matrix.factor_row[p]] -= matrix.factor[p] * y
    for j in range(last - 1, first - 1, -1):
        y = x[j] * matrix.pivot_inverse[j]
        if matrix.pivot_inverse[j] != 0.0:
            for p in range(matrix.factor_start[j], matrix.factor_start[j + 1]):
                y -= matrix.factor[p] * x[matrix.factor_row[p]]
        x[j] = y


@kernel
def invert(matrix: Matrix, s: int) -> None:
    """Explicit inverse of a small subsystem, zero rows and columns for redundant rows."""
    first, last = matrix.unknowns[s], matrix.unknowns[s + 1]
    n = last - first
    start = matrix.inverse_start[s]
    for j in range(n):
        for i in range(first, last):
            matrix.work[i] = 0.0
        if matrix.pivot_inverse[first + j] != 0.0:
            matrix.work[first + j] = 1.0
            substitute(matrix, first, last)
        for i in range(n):
            matrix.inverse[start + i * n + j] = matrix.work[first + i]


@kernel(inline=True)
def multiply_inverse(
    inverse: Floats, start: int, n: int, work: Floats, first: int, rows: Records, row_at: Ints, scale: float
) -> None:
    """row.correction <- inverse (n x n, from `start`) times scale * residual; overwrites work[first : first + n]."""
    for i in range(first, first + n):
        work[i] = 0.0
    for j in range(n):
        # column by column: independent sums, which the compiler can keep in vector registers
        right_hand_side = scale * rows[row_at[first + j]].residual
        base = start + j * n - first
        for i in range(first, first + n):
            work[i] += inverse[base + i] * right_hand_side
    for i in range(n):
        rows[row_at[first + i]].correction = work[first + i]


@kernel
def solve_corrections(matrix: Matrix, s: int, rows: Records, first_row: int, last_row: int, scale: float) -> None:
    """row.correction <- (G M^-1 G^T)^-1 (scale * residual), for subsystem s.

    A small subsystem gets its explicit inverse once it has been solved as often as it has unknowns, which is what the
    inverse costs: a matrix that keeps changing never needs it.
    """
    first, last = matrix.unknowns[s], matrix.unknowns[s + 1]
    start = matrix.inverse_start[s]
    if matrix.inverse_start[s + 1] > start:
        matrix.uses[s] += 1
        if matrix.uses[s] == last - first:
            invert(matrix, s)
        if matrix.uses[s] >= last - first:
            multiply_inverse(matrix.inverse, start, last - first, matrix.work, first, rows, matrix.row_at, scale)
            return
    for i in range(first, last):
        matrix.work[i] = 0.0
    for i in range(first_row, last_row):
        place = matrix.place_of_row[i]
        if place >= 0 and matrix.pivot_inverse[place] != 0.0:
            matrix.work[place] = scale * rows[i].residual
    substitute(matrix, first, last)
    for i in range(first_row, last_row):
        place = matrix.place_of_row[i]
        rows[i].correction = matrix.work[place] if place >= 0 else 0.0


def sparse_jacobian(rows: Records, entries: Records, chosen: Ints, n_bodies: int) -> tuple[Any, Any]:
    """Jacobian G of the chosen rows, and G M^-1, as sparse matrices (rows, 6 nb)."""
    from scipy.sparse import csr_matrix

    counts = rows["end"][chosen] - rows["start"][chosen]
    places = np.repeat(rows["start"][chosen] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    columns = (6 * entries["body"][places][:, None] + np.arange(6)).ravel()
    pointer = 6 * np.concatenate([[0], np.cumsum(counts)])
    shape = len(chosen), 6 * n_bodies
    jacobian, weighted = (
        csr_matrix((entries[name][places].ravel(), columns, pointer), shape) for name in ("jacobian", "weighted")
    )
    return jacobian, weighted


# ---- pattern and ordering, once at assembly -------------------------------------------------------------------


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
    parent, counts = elimination_tree(n, row_pointer.astype(np.int64), column.astype(np.int64))
    factor_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    factor_row = factor_pattern(n, row_pointer.astype(np.int64), column.astype(np.int64), parent, factor_start)
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
        parent=parent,
        factor_start=factor_start,
        factor_row=factor_row,
        factor=np.zeros(int(factor_start[-1])),
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


@kernel
def elimination_tree(n: int, row_start: Ints, column: Ints) -> tuple[Ints, Ints]:
    """Elimination tree and the number of nonzeros of each column of L."""
    parent = np.full(n, -1, dtype=np.int64)
    flag = np.full(n, -1, dtype=np.int64)
    counts = np.zeros(n, dtype=np.int64)
    for k in range(n):
        flag[k] = k
        for p in range(row_start[k], row_start[k + 1]):
            i = column[p]
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                counts[i] += 1
                flag[i] = k
                i = parent[i]
    return parent, counts


@kernel
def factor_pattern(n: int, row_start: Ints, column: Ints, parent: Ints, factor_start: Ints) -> Ints:
    """Row indices of L by columns, ascending."""
    flag = np.full(n, -1, dtype=np.int64)
    filled = np.zeros(n, dtype=np.int64)
    rows = np.zeros(factor_start[n], dtype=np.int64)
    for k in range(n):
        flag[k] = k
        for p in range(row_start[k], row_start[k + 1]):
            i = column[p]
            while flag[i] != k:
                rows[factor_start[i] + filled[i]] = k
                filled[i] += 1
                flag[i] = k
                i = parent[i]
    return rows
