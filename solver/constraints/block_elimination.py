"""Elimination within blocks of up to six unknowns, stored as (6, 6) numbers by rows, zeros where a block is smaller.

Whole rows of six are taken, without loops over their numbers: shorter ones would not be faster.
"""

from __future__ import annotations

from ..core.bodies import Floats
from ..core.jit.kernels import kernel

SIDE = 6
Row = tuple[float, float, float, float, float, float]


@kernel(inline=True)
def row_of(block: Floats, c: int) -> Row:
    """Row c of a block (36,)."""
    k = SIDE * c
    return block[k], block[k + 1], block[k + 2], block[k + 3], block[k + 4], block[k + 5]


@kernel(inline=True)
def set_row(block: Floats, c: int, row: Row) -> None:
    """Write row c of a block."""
    k = SIDE * c
    block[k], block[k + 1], block[k + 2], block[k + 3], block[k + 4], block[k + 5] = row


@kernel(inline=True)
def less(x: Row, factor: float, y: Row) -> Row:
    """x - factor y."""
    return (
        x[0] - factor * y[0], x[1] - factor * y[1], x[2] - factor * y[2], x[3] - factor * y[3], x[4] - factor * y[4],
        x[5] - factor * y[5],
    )  # fmt: skip


@kernel(inline=True)
def eliminate_diagonal(block: Floats, c: int, n: int, limit: float, sign: int) -> float:
    """Eliminate unknown c of the n of a block on the diagonal: U stays in its row, L in its column.

    limit : of a pivot whose row does not depend on those before; sign : that a pivot has, 0 for either

    Returns the inverse of the pivot, 0 for a row that depends on those before.
    """
    pivot = block[(SIDE + 1) * c]
    inverse = 1.0 / pivot if (abs(pivot) if sign == 0 else sign * pivot) > limit else 0.0
    for r in range(c + 1, n):
        factor = block[SIDE * r + c] * inverse
        block[SIDE * r + c] = factor
        for e in range(c + 1, n):
            block[SIDE * r + e] -= factor * block[SIDE * c + e]
    return inverse


@kernel(inline=True)
def eliminate_beside(block: Floats, lower: Floats, upper: Floats, pivot_inverse: Floats, first: int, n: int) -> None:
    """L and U in a block off the diagonal and its mirror; block : on the diagonal, of n unknowns from `first` on."""
    for c in range(n):
        x, y = row_of(upper, c), row_of(lower, c)
        for r in range(c):
            x = less(x, block[SIDE * c + r], row_of(upper, r))
            y = less(y, block[SIDE * r + c], row_of(lower, r))
        inverse = pivot_inverse[first + c]
        set_row(upper, c, x)
        set_row(lower, c, (inverse * y[0], inverse * y[1], inverse * y[2], inverse * y[3], inverse * y[4],
                           inverse * y[5]))  # fmt: skip


@kernel(inline=True)
def subtract_product(target: Floats, left: Floats, right: Floats, size: int, n: int) -> None:
    """Target row a less the sum of left[c, a] times row c of `right`, for a < size and c < n."""
    for a in range(size):
        x = row_of(target, a)
        for c in range(n):
            x = less(x, left[SIDE * c + a], row_of(right, c))
        set_row(target, a, x)


# ---- unknowns (6,) of blocks ---------------------------------------------------------------------------------


@kernel(inline=True)
def solve_lower(block: Floats, x: Floats, n: int) -> None:
    """x <- L^-1 x of a block on the diagonal."""
    for c in range(n):
        y = x[c]
        for r in range(c + 1, n):
            x[r] -= block[SIDE * r + c] * y


@kernel(inline=True)
def solve_upper(block: Floats, x: Floats, pivot_inverse: Floats, first: int, n: int) -> None:
    """x <- U^-1 x of a block on the diagonal, zero for rows that depend on others."""
    for up in range(n):
        c = n - 1 - up
        y = x[c]
        for r in range(c + 1, n):
            y -= block[SIDE * c + r] * x[r]
        x[c] = y * pivot_inverse[first + c]


@kernel(inline=True)
def subtract_rows(x: Floats, y: Floats, block: Floats, n: int) -> None:
    """x less the sum of y[c] times row c of a block, c < n."""
    left = row_of(x, 0)
    for c in range(n):
        left = less(left, y[c], row_of(block, c))
    set_row(x, 0, left)


@kernel(inline=True)
def subtract_columns(x: Floats, y: Floats, block: Floats, n: int) -> None:
    """x[c] less row c of a block times y, c < n."""
    y0, y1, y2, y3, y4, y5 = row_of(y, 0)
    for c in range(n):
        r = row_of(block, c)
        x[c] -= (r[0] * y0 + r[1] * y1 + r[2] * y2) + (r[3] * y3 + r[4] * y4 + r[5] * y5)
