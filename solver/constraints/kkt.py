"""The matrix of the multipliers: sparse L D L^T in compiled code; `kkt_pattern` finds its pattern and its order.

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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Ints, Record, Records
from ..core.body_points import apply_inverse_mass, can_move, mass_entry
from ..core.jit.kernels import kernel

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
