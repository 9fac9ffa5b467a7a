"""The matrix of Newton's method for trees: how momenta and closing rows change with joint coordinates and multipliers.

    [ A   -kick N^T G^T ] [ d step       ]     [ momenta lacking ]
    [ G'N'       0      ] [ d multiplier ] = - [ residuals       ]

A is what momenta grow by along each freedom when another one moves, nothing where neither is behind the other; G are
the rows that close loops, at t_n, G' and N' those of the trial positions.  Unknowns that are eliminated one after the
other and touch the same others make a front: a full matrix of its own, whose rest is added to that of a front after it
(I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9, 1983).
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Floats, Ints, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, plus
from .tree_limbs import product

# Two freedoms one of which moves the other's limb, and where the two values go.
PAIR = np.dtype([("first", "i8"), ("second", "i8"), ("at", "i8"), ("at_transposed", "i8")], align=True)
# A freedom that moves a body of a row that closes a loop.
CLOSING = np.dtype(
    [
        ("entry", "i8"),  # of the row
        ("limb", "i8"),
        ("freedom", "i8"),
        ("at", "i8"),
        ("at_transposed", "i8"),
    ],
    align=True,
)
FRONT = np.dtype(
    [
        ("first_unknown", "i8"),  # in the list of unknowns: those eliminated here, then those it touches
        ("own", "i8"),  # how many are eliminated here
        ("size", "i8"),  # of the matrix
        ("first_value", "i8"),
        ("first_target", "i8"),  # where its rest is added, row by row
    ],
    align=True,
)
DEPENDENT = 1e-12  # a pivot below this fraction of what it was made of: the row says nothing new


@kernel(inline=True)
def add_pairs(pairs: Records, first: int, last: int, freedoms: Records, values: Floats) -> None:
    """A; `set_column_and_line` has been called."""
    for k in range(first, last):
        pair = pairs[k]
        one, other = freedoms[pair.first], freedoms[pair.second]
        values[pair.at] += product(one.twist, other.column)
        if pair.at != pair.at_transposed:
            values[pair.at_transposed] += product(other.line, one.trial_twist)
        else:
            other.stiffness, other.root = values[pair.at], math.sqrt(values[pair.at])


@kernel(inline=True)
def add_symmetric_pairs(pairs: Records, first: int, last: int, freedoms: Records, values: Floats) -> None:
    """A where nothing moves in the step; `set_column` has been called."""
    for k in range(first, last):
        pair = pairs[k]
        value = product(freedoms[pair.first].twist, freedoms[pair.second].column)
        values[pair.at] += value
        if pair.at != pair.at_transposed:
            values[pair.at_transposed] += value


@kernel(inline=True)
def add_closings(
    closings: Records, first: int, last: int, freedoms: Records, limbs: Records, entries: Records, kick: float,
    values: Floats,
) -> None:  # fmt: skip
    """The rows that close loops; their Jacobians at t_n and at the trial positions are in the entries."""
    for k in range(first, last):
        closing = closings[k]
        freedom, limb, entry = freedoms[closing.freedom], limbs[closing.limb], entries[closing.entry]
        place = limb.place
        now = (place[0], place[1], place[2])
        shift = limb.shift
        then = plus(now, (shift[0], shift[1], shift[2]))
        values[closing.at] += power_of(entry.trial, then, freedom.trial_twist)
        values[closing.at_transposed] -= kick * power_of(entry.jacobian, now, freedom.twist)


@kernel(inline=True)
def add_symmetric_closings(
    closings: Records, first: int, last: int, freedoms: Records, limbs: Records, entries: Records, values: Floats
) -> None:
    """The same where nothing moves in the step, and multipliers are forces."""
    for k in range(first, last):
        closing = closings[k]
        place = limbs[closing.limb].place
        jacobian, twist = entries[closing.entry].jacobian, freedoms[closing.freedom].twist
        value = power_of(jacobian, (place[0], place[1], place[2]), twist)
        values[closing.at] += value
        values[closing.at_transposed] -= value


@kernel(inline=True)
def power_of(q: Floats, place: Vector, twist: Floats) -> float:
    """Of a force and a moment about the reference point of a body by a twist about the origin."""
    force = (q[0], q[1], q[2])
    mx, my, mz = plus((q[3], q[4], q[5]), cross(place, force))
    return (twist[0] * mx + twist[1] * my + twist[2] * mz) + (
        twist[3] * force[0] + twist[4] * force[1] + twist[5] * force[2]
    )  # fmt: skip


@kernel
def eliminate(fronts: Records, first: int, last: int, targets: Ints, values: Floats, magnitudes: Floats) -> None:
    """L U of all fronts, in place; the diagonal holds the reciprocals of the pivots, 0 where there is none."""
    for f in range(first, last):
        front = fronts[f]
        size, start = front.size, front.first_value
        for i in range(front.size):
            magnitudes[i] = abs(values[start + i * size + i])
        for k in range(front.own):
            at = start + k * size
            pivot = values[at + k]
            inverse = 1.0 / pivot if abs(pivot) > DEPENDENT * magnitudes[k] else 0.0
            values[at + k] = inverse
            for i in range(k + 1, size):
                below = start + i * size
                if values[below + k] == 0.0:
                    continue
                share = values[below + k] * inverse
                values[below + k] = share
                magnitudes[i] += abs(share * values[at + i])
                for j in range(k + 1, size):
                    values[below + j] -= share * values[at + j]
        add_rest(front, targets, values)


@kernel(inline=True)
def add_rest(front: Record, targets: Ints, values: Floats) -> None:
    """What a front leaves of the unknowns that it touches."""
    size, own, target = front.size, front.own, front.first_target
    for i in range(own, size):
        at = front.first_value + i * size
        for j in range(own, size):
            values[targets[target]] += values[at + j]
            target += 1


@kernel
def solve(fronts: Records, first: int, last: int, unknowns: Ints, values: Floats, x: Floats) -> None:
    """x <- the solution, of the right side that it holds."""
    for f in range(first, last):
        front = fronts[f]
        size, start, which = front.size, front.first_value, front.first_unknown
        for k in range(front.own):
            y = x[unknowns[which + k]]
            for i in range(k + 1, size):
                x[unknowns[which + i]] -= values[start + i * size + k] * y
    for back in range(last - first):
        front = fronts[last - 1 - back]
        size, start, which = front.size, front.first_value, front.first_unknown
        for step in range(front.own):
            k = front.own - 1 - step
            at = start + k * size
            y = x[unknowns[which + k]]
            for j in range(k + 1, size):
                y -= values[at + j] * x[unknowns[which + j]]
            x[unknowns[which + k]] = y * values[at + k]
