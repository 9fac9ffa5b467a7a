"""The matrix of the multipliers: sparse L U by blocks in compiled code; `kkt_pattern` finds its pattern and order.

The corrections of the multipliers solve (G M^-1 G^T) x = r.  Bodies that carry few rows are eliminated into it; a body
that carries many (a housing with a thousand shafts) would fill it, so its velocity increment y = M^-1 G_h^T x stays
as six unknowns of its own:

    [ A    G_h ] [x]   [r]
    [ G_h^T -M ] [y] = [0],      A = sum over the other bodies of G_b M_b^-1 G_b^T.

A is positive definite where the rows are independent of each other without the high-valence bodies, so that the matrix
is quasi-definite and L D L^T exists for any order (R. J. Vanderbei, SIAM J. Optim. 5, 1995, 100-113); rows that
are independent only thanks to such a body come after all others.  A row that depends on those before it gets a zero
pivot and with it a zero multiplier.  Rows that depend on others from the start are left out (`redundancy`).

Newton's method on g(x_{n+1}) = 0 asks for the derivative B = G(x_{n+1}) V G(x_n)^T instead, V as of
`body_points.set_trial_mobility`.  It has the same pattern and nearly the same values, but is not symmetric.  So both
triangles are kept and eliminated alike, B = L U with a unit diagonal in L.

A block is what up to six rows on the same bodies have in common (those of a joint), or the six unknowns of a body.  It
is stored as (6, 6) numbers by rows, and unknowns six by six, zero where a block is smaller.  Blocks off the diagonal
have the unknowns that are eliminated first as their rows, in both triangles: all that is done runs along rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Ints, Record, Records
from ..core.body_points import apply_mobility, can_move, mass_entry, set_mobility, set_trial_mobility
from ..core.jit.kernels import kernel
from .block_elimination import (
    SIDE,
    eliminate_beside,
    eliminate_diagonal,
    solve_lower,
    solve_upper,
    subtract_columns,
    subtract_product,
    subtract_rows,
)

# A pivot below this fraction of the row's own diagonal means that the row depends on those before it; less where a
# pivot is small because of the masses alone (`mass_share`), but no less than round-off.
REDUNDANT = 1e-11
ROUND_OFF = 1e-15
NO_ROWS = np.zeros(0, dtype=np.int64)

# What a body adds to a block: its entries in the rows of block i, each the one at place_i, and those of block j; i is
# eliminated after j, or the same.
PART = np.dtype(
    [("target", "i8"), ("i", "i8"), ("j", "i8"), ("place_i", "i8"), ("place_j", "i8")], align=True
)  # target: block on the diagonal, or off it
# Entries of a hub in the rows of a block
HUB_PART = np.dtype(
    [("target", "i8"), ("block", "i8"), ("place", "i8"), ("is_first", "i8")], align=True
)  # is_first 1: the hub is eliminated first


class Matrix(NamedTuple):
    """All subsystems; blocks are in the order of elimination, the places of their unknowns six by six."""

    place_of_row: Ints  # (nr,) place of a row, -1 where it is left out
    row_at: Ints  # (6 nb,) row at a place, -1 for the unknowns of hubs and where there is none
    entry_at: Ints  # (6 nb,) first entry of that row
    hub_start: Ints  # (ns + 1,) first hub of each subsystem
    hub_body: Ints  # (nh,)
    hub_block: Ints  # (nh,)
    blocks: Ints  # (ns + 1,) first block of each subsystem
    size: Ints  # (nb,) unknowns of each block
    column_start: Ints  # (nb + 1,) first of the blocks below each block on the diagonal
    below: Ints  # (m,) block whose unknowns are eliminated later, ascending in each column
    parts: Records  # PART of each body in each block that it adds to
    first_part: Ints  # (ns + 1,) of each subsystem
    hub_parts: Records
    first_hub_part: Ints  # (ns + 1,)
    sign: Ints  # (6 nb,) of the pivot: 1 rows, -1 hubs
    magnitude: Floats  # (6 nb,) diagonal of G M^-1 G^T over all bodies, to judge the pivot by
    mass_share: Floats  # (6 nb,) part of a pivot's smallness that comes from unequal masses; at most 1
    # values, which become the factors
    diagonal: Floats  # (nb, 36)
    lower: Floats  # (m, 36) transposed
    upper: Floats  # (m, 36)
    pivot_inverse: Floats  # (6 nb,) 0 where the row is redundant
    work: Floats  # (nb, 6) work space


def no_matrix() -> Matrix:
    """The matrix of a machine of nothing."""
    start, none = np.zeros(1, dtype=np.int64), np.zeros(0)
    blocks = np.zeros((0, SIDE * SIDE))
    return Matrix(
        place_of_row=NO_ROWS, row_at=NO_ROWS, entry_at=NO_ROWS, hub_start=start, hub_body=NO_ROWS, hub_block=NO_ROWS,
        blocks=start, size=NO_ROWS, column_start=start, below=NO_ROWS, parts=np.zeros(0, PART), first_part=start,
        hub_parts=np.zeros(0, HUB_PART), first_hub_part=start, sign=NO_ROWS, magnitude=none, mass_share=none,
        diagonal=blocks, lower=blocks, upper=blocks, pivot_inverse=none, work=np.zeros((0, SIDE)),
    )  # fmt: skip


def with_values_of_its_own(matrix: Matrix) -> Matrix:
    """The same pattern and order with storage of its own, for a factor beside that of the steps."""
    own = ("magnitude", "diagonal", "lower", "upper", "pivot_inverse", "work")
    return matrix._replace(**{name: getattr(matrix, name).copy() for name in own})


# ---- values --------------------------------------------------------------------------------------------------


@kernel
def assemble_matrix(
    matrix: Matrix, s: int, subsystem: Record, rows: Records, entries: Records, bodies: Records
) -> None:
    """G M^-1 G^T of subsystem s from the Jacobian at hand."""
    for i in range(subsystem.first_body, subsystem.last_body):
        set_mobility(bodies[i])
    assemble_blocks(matrix, s, subsystem, rows, entries, bodies, False)


@kernel
def assemble_trial_matrix(
    matrix: Matrix, s: int, subsystem: Record, rows: Records, entries: Records, bodies: Records, h: float
) -> None:
    """B of subsystem s, from the Jacobians of t_n and of the trial positions; h : length of the step."""
    for i in range(subsystem.first_body, subsystem.last_body):
        set_trial_mobility(bodies[i], h)
    assemble_blocks(matrix, s, subsystem, rows, entries, bodies, True)


@kernel(inline=True)
def assemble_blocks(
    matrix: Matrix, s: int, subsystem: Record, rows: Records, entries: Records, bodies: Records, trial: bool
) -> None:
    """Values of subsystem s; trial : with the Jacobian of the trial positions on the left."""
    if subsystem.last_row == subsystem.first_row:
        return
    for k in range(rows[subsystem.first_row].start, rows[subsystem.last_row - 1].end):
        apply_mobility(bodies[entries[k].body], entries[k].jacobian, entries[k].weighted)
    clear_values(matrix, s)
    for k in range(matrix.first_part[s], matrix.first_part[s + 1]):
        if matrix.parts[k].i == matrix.parts[k].j:
            add_to_diagonal(matrix, matrix.parts[k], entries, trial)
        else:
            add_to_triangles(matrix, matrix.parts[k], entries, trial)
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE):
            matrix.magnitude[SIDE * k + c] = matrix.diagonal[k, (SIDE + 1) * c]
    for k in range(matrix.first_hub_part[s], matrix.first_hub_part[s + 1]):
        add_hub_entries(matrix, matrix.hub_parts[k], entries, bodies, trial)
    for h in range(matrix.hub_start[s], matrix.hub_start[s + 1]):
        subtract_hub(matrix, matrix.hub_block[h], bodies[matrix.hub_body[h]])


@kernel(inline=True)
def clear_values(matrix: Matrix, s: int) -> None:
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE * SIDE):
            matrix.diagonal[k, c] = 0.0
    for t in range(matrix.column_start[matrix.blocks[s]], matrix.column_start[matrix.blocks[s + 1]]):
        for c in range(SIDE * SIDE):
            matrix.lower[t, c] = 0.0
            matrix.upper[t, c] = 0.0


@kernel(inline=True)
def measured(entry: Record, trial: bool) -> Floats:
    """The Jacobian by which a change of motion shows in a row."""
    return entry.trial if trial else entry.jacobian  # type: ignore[no-any-return]


@kernel(inline=True)
def product(a: Floats, b: Floats) -> float:
    """Of a Jacobian with a weighted one."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel(inline=True)
def add_to_diagonal(matrix: Matrix, part: Record, entries: Records, trial: bool) -> None:
    """What a body adds to a block on the diagonal; it may be in a row twice."""
    first, n, values = SIDE * part.i, matrix.size[part.i], matrix.diagonal[part.target]
    symmetric = not trial and part.place_i == part.place_j
    for a in range(n):
        left = measured(entries[matrix.entry_at[first + a] + part.place_i], trial)
        for b in range(a + 1 if symmetric else n):
            value = product(left, entries[matrix.entry_at[first + b] + part.place_j].weighted)
            values[SIDE * a + b] += value
            if symmetric and a != b:
                values[SIDE * b + a] += value


@kernel(inline=True)
def add_to_triangles(matrix: Matrix, part: Record, entries: Records, trial: bool) -> None:
    """What a body adds to a block off the diagonal, and to its mirror."""
    first_i, first_j = SIDE * part.i, SIDE * part.j
    lower, upper = matrix.lower[part.target], matrix.upper[part.target]
    for b in range(matrix.size[part.j]):
        of_j = entries[matrix.entry_at[first_j + b] + part.place_j]
        for a in range(matrix.size[part.i]):
            of_i = entries[matrix.entry_at[first_i + a] + part.place_i]
            value = product(measured(of_i, trial), of_j.weighted)
            lower[SIDE * b + a] += value
            upper[SIDE * b + a] += product(measured(of_j, trial), of_i.weighted) if trial else value


@kernel(inline=True)
def add_hub_entries(matrix: Matrix, part: Record, entries: Records, bodies: Records, trial: bool) -> None:
    """Entries of a high-valence body in the rows of a block."""
    first = SIDE * part.block
    lower, upper = matrix.lower[part.target], matrix.upper[part.target]
    for a in range(matrix.size[part.block]):
        entry = entries[matrix.entry_at[first + a] + part.place]
        shows = measured(entry, trial)
        matrix.magnitude[first + a] += product(shows, entry.weighted)
        for c in range(SIDE):
            if not can_move(bodies[entry.body], c):
                continue
            if part.is_first == 1:
                lower[SIDE * c + a] += shows[c]
                upper[SIDE * c + a] += entry.jacobian[c]
            else:
                lower[SIDE * a + c] += entry.jacobian[c]
                upper[SIDE * a + c] += shows[c]


@kernel(inline=True)
def subtract_hub(matrix: Matrix, block: int, body: Record) -> None:
    """The inertia of a high-valence body: that of t_n, as such bodies turn slowly."""
    for i in range(SIDE):
        for j in range(SIDE):
            matrix.diagonal[block, SIDE * i + j] = -mass_entry(body, i, j)
        matrix.magnitude[SIDE * block + i] = mass_entry(body, i, i)


# ---- factors and solutions -----------------------------------------------------------------------------------


@kernel
def factorise(matrix: Matrix, s: int, least: float) -> None:
    """L U of G M^-1 G^T of subsystem s; a pivot below `least` of its diagonal gets a zero inverse."""
    eliminate(matrix, s, least, False)


@kernel
def factorise_trial(matrix: Matrix, s: int, least: float) -> None:
    """The same of B, whose weakest pivot changes its sign where a machine could branch off."""
    eliminate(matrix, s, least, True)


@kernel(inline=True)
def eliminate(matrix: Matrix, s: int, least: float, trial: bool) -> None:
    """L U of subsystem s, as of `factorise`; trial : pivots may have either sign."""
    column_start, below, size = matrix.column_start, matrix.below, matrix.size
    diagonal, lower, upper, inverse = matrix.diagonal, matrix.lower, matrix.upper, matrix.pivot_inverse
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        n = size[k]
        for c in range(n):
            place = SIDE * k + c
            limit = max(least * matrix.mass_share[place], ROUND_OFF) * abs(matrix.magnitude[place])
            inverse[place] = eliminate_diagonal(diagonal[k], c, n, limit, 0 if trial else matrix.sign[place])
        for t in range(column_start[k], column_start[k + 1]):
            eliminate_beside(diagonal[k], lower[t], upper[t], inverse, SIDE * k, n)
        for t in range(column_start[k], column_start[k + 1]):
            i = below[t]
            subtract_product(diagonal[i], lower[t], upper[t], size[i], n)
            target = column_start[i]
            for u in range(t + 1, column_start[k + 1]):
                while below[target] != below[u]:
                    target += 1
                subtract_product(upper[target], lower[t], upper[u], size[i], n)
                subtract_product(lower[target], upper[t], lower[u], size[i], n)


@kernel
def substitute(matrix: Matrix, s: int) -> None:
    """work <- solution for the right-hand side it holds, of subsystem s."""
    work, column_start, below, size = matrix.work, matrix.column_start, matrix.below, matrix.size
    first, last = matrix.blocks[s], matrix.blocks[s + 1]
    for k in range(first, last):
        solve_lower(matrix.diagonal[k], work[k], size[k])
        for t in range(column_start[k], column_start[k + 1]):
            subtract_rows(work[below[t]], work[k], matrix.lower[t], size[k])
    for back in range(last - first):
        k = last - 1 - back
        for t in range(column_start[k], column_start[k + 1]):
            subtract_columns(work[k], work[below[t]], matrix.upper[t], size[k])
        solve_upper(matrix.diagonal[k], work[k], matrix.pivot_inverse, SIDE * k, size[k])


@kernel
def solve_corrections(matrix: Matrix, s: int, rows: Records, first_row: int, last_row: int, scale: float) -> None:
    """row.correction <- the inverse matrix times (scale * residual), for subsystem s, rows [first_row, last_row)."""
    work = matrix.work
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE):
            row = matrix.row_at[SIDE * k + c]
            work[k, c] = scale * rows[row].residual if row >= 0 else 0.0
    substitute(matrix, s)
    for i in range(first_row, last_row):
        rows[i].correction = 0.0
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE):
            row = matrix.row_at[SIDE * k + c]
            if row >= 0:
                rows[row].correction = work[k, c]
