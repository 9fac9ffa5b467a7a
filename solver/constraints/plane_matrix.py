"""The matrix of the multipliers of a planar subsystem in blocks of 2 x 2, factorised in each step.

Newton's method on g(x_{n+1}) = 0 has the derivative

    B = G(x_{n+1}) M^-1 G(x_n)^T,

which is not symmetric.  Where a machine passes a place in which it could branch off, its weakest pivot changes sign
within a step, as no symmetric G M^-1 G^T can.  B = L D U has the pattern of G M^-1 G^T, which is known at assembly:
factorisation is a list of products of blocks.

Blocks (2, 2) are four numbers by rows; those of the upper triangle are kept transposed, at the place of their mirror.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Records
from ..core.jit.kernels import kernel
from .plane_links import push_link

# A pivot below this fraction of the diagonal of its rows says that they depend on those before.
DEPENDENT = 1e-11
LET_GO = 1e40  # diagonal of a row whose drive has let go: it takes no part

# Of each link, in the order of elimination: its diagonal block, the blocks below, what these change of the rest.
COLUMN = np.dtype(
    [
        ("diagonal", "i8"),
        ("single", "i8"),  # 1: the second row says nothing
        ("start", "i8"),
        ("end", "i8"),
        ("first_update", "i8"),
        ("last_update", "i8"),
    ],
    align=True,
)
BELOW = np.dtype([("block", "i8"), ("link", "i8")], align=True)  # a block below the diagonal, and the link of its row
# A_ij -= L_ik A_kj: blocks of A and places below the diagonal of i and j in column k
UPDATE = np.dtype([("target", "i8"), ("block_i", "i8"), ("block_j", "i8"), ("i", "i8"), ("j", "i8")], align=True)
# What a body adds to the block of two links, i after j or the same
PAIR = np.dtype(
    [
        ("block", "i8"),
        ("body", "i8"),
        ("link_i", "i8"),
        ("link_j", "i8"),
        ("end_i", "i8"),  # 0: the body is a of that link, 1: b
        ("end_j", "i8"),
        ("sign", "f8"),  # of the product of forces
    ],
    align=True,
)


class Blocks(NamedTuple):
    """Values of the matrix and of its factor; four numbers a block."""

    lower: Floats  # (n, 4) on and below the diagonal
    upper: Floats  # (n, 4) their mirrors, transposed
    left: Floats  # (m, 4) L below its diagonal
    right: Floats  # (m, 4) U, likewise
    inverse: Floats  # (nl, 4) of the pivots
    size: Floats  # (nl, 2) diagonal of B, to judge pivots by


def no_blocks() -> Blocks:
    return new_blocks(0, 0, 0)


def new_blocks(blocks: int, below: int, links: int) -> Blocks:
    """Room for that many blocks, blocks below the diagonal, and links."""
    return Blocks(
        np.zeros((blocks, 4)), np.zeros((blocks, 4)), np.zeros((below, 4)), np.zeros((below, 4)), np.zeros((links, 4)),
        np.zeros((links, 2)),
    )  # fmt: skip


@kernel(inline=True)
def assemble_pins(pairs: Records, first: int, last: int, links: Records, bodies: Records, blocks: Blocks) -> None:
    """Add the blocks of B where all links are pins, whose forces are along the axes; pairs [first, last)."""
    lower, upper = blocks.lower, blocks.upper
    for k in range(first, last):
        pair = pairs[k]
        i, j, body = links[pair.link_i], links[pair.link_j], bodies[pair.body]
        new_i, new_j, old_i, old_j = i.trial_moment, j.trial_moment, i.moment, j.moment
        ei, ej, t, mass, inertia = (
            pair.end_i,
            pair.end_j,
            pair.block,
            pair.sign * body.inverse_mass,
            body.inverse_inertia,
        )
        x, y, u, v = inertia * new_i[ei, 0], inertia * new_i[ei, 1], old_j[ej, 0], old_j[ej, 1]
        lower[t, 0] += mass + x * u
        lower[t, 1] += x * v
        lower[t, 2] += y * u
        lower[t, 3] += mass + y * v
        if pair.link_i != pair.link_j:
            x, y, u, v = inertia * old_i[ei, 0], inertia * old_i[ei, 1], new_j[ej, 0], new_j[ej, 1]
            upper[t, 0] += mass + x * u
            upper[t, 1] += x * v
            upper[t, 2] += y * u
            upper[t, 3] += mass + y * v


@kernel(inline=True)
def assemble_links(pairs: Records, first: int, last: int, links: Records, bodies: Records, blocks: Blocks) -> None:
    """The same for links of all kinds."""
    for k in range(first, last):
        pair = pairs[k]
        i, j, body, end_i, end_j = links[pair.link_i], links[pair.link_j], bodies[pair.body], pair.end_i, pair.end_j
        mass, inertia = pair.sign * body.inverse_mass, body.inverse_inertia
        add_product(blocks.lower[pair.block], mass, inertia, i.trial_force, j.force, i.trial_moment[end_i],
                    j.moment[end_j])  # fmt: skip
        if pair.link_i != pair.link_j:
            add_product(blocks.upper[pair.block], mass, inertia, i.force, j.trial_force, i.moment[end_i],
                        j.trial_moment[end_j])  # fmt: skip


@kernel(inline=True)
def add_product(
    block: Floats, mass: float, inertia: float, force: Floats, other: Floats, moment: Floats, turning: Floats
) -> None:
    """Add what a body makes of two links to a block (4,); forces (2, 2) and moments (2,) by rows, masses inverse."""
    for r in range(2):
        for c in range(2):
            product = force[r, 0] * other[c, 0] + force[r, 1] * other[c, 1]
            block[2 * r + c] += mass * product + inertia * (moment[r] * turning[c])


@kernel(inline=True)
def clear_blocks(columns: Records, first: int, last: int, first_block: int, last_block: int, blocks: Blocks) -> None:
    """No numbers in the matrix of links [first, last), but 1 on the diagonal of rows that say nothing."""
    lower, upper = blocks.lower, blocks.upper
    for t in range(first_block, last_block):
        for c in range(4):
            lower[t, c], upper[t, c] = 0.0, 0.0
    for k in range(first, last):
        if columns[k].single == 1:
            lower[columns[k].diagonal, 3] = 1.0


@kernel(inline=True)
def release_rows(columns: Records, first: int, last: int, links: Records, blocks: Blocks) -> None:
    """Let rows whose drives have let go have no multiplier."""
    for k in range(first, last):
        if links[k].released == 1:
            blocks.lower[columns[k].diagonal, 0] = LET_GO


@kernel(inline=True)
def invert_pivot(pivot: Floats, inverse: Floats, size_0: float, size_1: float, least: float) -> bool:
    """inverse (4,) of a pivot block; of what is left of it where its rows depend on others, and then False.

    least : of its size, of a pivot whose rows do not depend on others
    """
    a, b, c, d = pivot[0], pivot[1], pivot[2], pivot[3]
    determinant = a * d - b * c
    if abs(determinant) > least * size_0 * size_1:
        factor = 1.0 / determinant
        inverse[0], inverse[1], inverse[2], inverse[3] = d * factor, -b * factor, -c * factor, a * factor
        return True
    squared = a * a + b * b + c * c + d * d
    limit = least * max(size_0, size_1)
    factor = 1.0 / squared if squared > limit * limit else 0.0
    inverse[0], inverse[1], inverse[2], inverse[3] = a * factor, c * factor, b * factor, d * factor
    return False


@kernel(inline=True)
def factorise_blocks(
    columns: Records, first: int, last: int, below: Records, updates: Records, blocks: Blocks, least: float
) -> None:
    """B = L D U of links [first, last): L by columns, U by rows (transposed), D^-1; least as of `invert_pivot`."""
    lower, upper, left, right, inverse = blocks.lower, blocks.upper, blocks.left, blocks.right, blocks.inverse
    for k in range(first, last):
        column = columns[k]
        blocks.size[k, 0], blocks.size[k, 1] = abs(lower[column.diagonal, 0]), abs(lower[column.diagonal, 3])
    for k in range(first, last):
        column = columns[k]
        invert_pivot(lower[column.diagonal], inverse[k], blocks.size[k, 0], blocks.size[k, 1], least)
        d0, d1, d2, d3 = inverse[k, 0], inverse[k, 1], inverse[k, 2], inverse[k, 3]
        for t in range(column.start, column.end):
            block = below[t].block
            x0, x1, x2, x3 = lower[block, 0], lower[block, 1], lower[block, 2], lower[block, 3]
            left[t, 0], left[t, 1] = x0 * d0 + x1 * d2, x0 * d1 + x1 * d3
            left[t, 2], left[t, 3] = x2 * d0 + x3 * d2, x2 * d1 + x3 * d3
            x0, x1, x2, x3 = upper[block, 0], upper[block, 1], upper[block, 2], upper[block, 3]
            right[t, 0], right[t, 1] = x0 * d0 + x1 * d1, x0 * d2 + x1 * d3
            right[t, 2], right[t, 3] = x2 * d0 + x3 * d1, x2 * d2 + x3 * d3
        for t in range(column.first_update, column.last_update):
            update = updates[t]
            g, i, j = update.target, update.i, update.j
            subtract_product(lower, g, left, i, upper, update.block_j)
            if i != j:
                subtract_product(upper, g, upper, update.block_i, left, j)


@kernel(inline=True)
def subtract_product(target: Floats, g: int, x: Floats, i: int, y: Floats, j: int) -> None:
    """target[g] -= x[i] y[j]^T."""
    x0, x1, x2, x3 = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
    y0, y1, y2, y3 = y[j, 0], y[j, 1], y[j, 2], y[j, 3]
    target[g, 0] -= x0 * y0 + x1 * y1
    target[g, 1] -= x0 * y2 + x1 * y3
    target[g, 2] -= x2 * y0 + x3 * y1
    target[g, 3] -= x2 * y2 + x3 * y3


@kernel(inline=True)
def correct_links(
    columns: Records, first: int, last: int, below: Records, blocks: Blocks, links: Records, bodies: Records,
    scale: float, kick: float,
) -> None:  # fmt: skip
    """Change the multipliers by B^-1 (scale * residual), and the trial velocities by what that kicks."""
    left, right, inverse = blocks.left, blocks.right, blocks.inverse
    for k in range(first, last):
        links[k].correction[0], links[k].correction[1] = scale * links[k].residual[0], scale * links[k].residual[1]
    for k in range(first, last):
        x, y = links[k].correction[0], links[k].correction[1]
        for t in range(columns[k].start, columns[k].end):
            w = links[below[t].link].correction
            w[0] -= left[t, 0] * x + left[t, 1] * y
            w[1] -= left[t, 2] * x + left[t, 3] * y
    for back in range(last - first):
        k = last - 1 - back
        link = links[k]
        u, v = link.correction[0], link.correction[1]
        x, y = inverse[k, 0] * u + inverse[k, 1] * v, inverse[k, 2] * u + inverse[k, 3] * v
        for t in range(columns[k].start, columns[k].end):
            w = links[below[t].link].correction
            x -= right[t, 0] * w[0] + right[t, 2] * w[1]
            y -= right[t, 1] * w[0] + right[t, 3] * w[1]
        link.correction[0], link.correction[1] = x, y
        link.multiplier[0] += x
        link.multiplier[1] += y
        push_link(link, bodies, kick * x, kick * y)
