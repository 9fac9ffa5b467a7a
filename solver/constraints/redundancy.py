"""Rows that depend on others: which to leave out, whose they are, and reactions of least norm.

Whether rows depend on each other is a matter of geometry alone.  They are judged as directions of unit length, with the
masses of all bodies taken as equal and lengths measured by the size of the subsystem: so light parts, heavy parts and
units do not matter, and the sine of the angle between a row and the span of others, its `distance`, compares with the
rounding of a deck.  The rank is found where the pivots have their gap.

Where the rows G_r that are left out depend on those that are kept, G_r = C G_b with C = A_rb A_bb^-1, A = G M^-1 G^T,
the multipliers are not unique: lambda_b - C^T y, y give the same forces G^T lambda for any y.  The reactions reported
are those of least norm, weighted with D = diag A, sum of D lambda^2:

    (D_r + C D_b C^T) y = C D_b lambda_b,

solved with conjugate gradients, preconditioned with D_r.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.bodies import NO_ROTATION, Floats, Ints, Record, Records
from ..core.connected_sets import connected_sets
from ..core.jit.kernels import kernel
from ..core.resumable import State
from .block_elimination import SIDE
from .kkt import Matrix, product, substitute
from .rows import LEFT_OUT, ROW_WORK
from .sparse_jacobian import sparse_jacobian

MOST_DENSE = 2000  # rows of a subsystem that are chosen by complete pivoting
# Pivots, of rows of unit size: rows in their order are well independent above the first; those below the second ask for
# a closer look; those below the third may be taken for dependent, as their distance from the others is within the
# rounding of a deck (ten times 1e-6); the fourth is round-off.
WELL_INDEPENDENT, NEARLY_DEPENDENT, MAY_DEPEND, ROUND_OFF = 1e-4, 1e-6, 1e-10, 1e-15
FARTHEST = math.sqrt(MAY_DEPEND)
AT_ONCE = 64  # rows that are combined at once: many more take SuperLU far longer each
PART_OF = 1e-7  # of the largest coefficient in C, from which on a row takes part in a redundancy
CONVERGED = 1e-13
MOST_ITERATIONS = 200


class Dependence(NamedTuple):
    """How nearly a row follows from others.

    distance : at unit size, from what the others say; more than round-off where a deck is rounded
    closing : by how much the row is off when the others let the machine move, over its largest term
    partners : the rows that it follows from
    """

    row: int
    distance: float
    closing: float
    partners: Ints


class Redundancy(NamedTuple):
    """Dependent rows of a machine.

    left_out : rows that are not solved for
    groups : all rows of each set whose reactions depend on each other
    found : how each row left out follows from others
    weak : rows that are solved for, but nearly follow from others
    """

    left_out: Ints
    groups: list[Ints]
    found: list[Dependence]
    weak: list[Dependence]


def state_of(redundancy: Redundancy) -> State:
    """As a state, from which `redundancy_of_state` makes it anew."""
    found, weak = ([dependence._asdict() for dependence in part] for part in (redundancy.found, redundancy.weak))
    return {"left_out": redundancy.left_out, "groups": redundancy.groups, "found": found, "weak": weak}


def redundancy_of_state(state: State) -> Redundancy:
    """What `state_of` was made from."""
    found, weak = ([Dependence(**dependence) for dependence in state[name]] for name in ("found", "weak"))
    return Redundancy(state["left_out"], state["groups"], found, weak)


NOTHING_REDUNDANT = Redundancy(np.zeros(0, dtype=np.int64), [], [], [])


def subsystem_of_rows(subsystems: Records, rows: Any) -> Any:
    """Subsystem of a row, or of each row of an array."""
    return np.searchsorted(subsystems["last_row"], rows, side="right")


def find_redundancy(
    subsystems: Records, rows: Records, entries: Records, bodies: Records, suspects: Ints
) -> Redundancy:
    """Rows to leave out, and what they share; suspects : rows found nearly dependent in some order of elimination."""
    found = [
        redundancy_of_rows(np.arange(subsystem["first_row"], subsystem["last_row"]), rows, entries, bodies, suspects)
        for subsystem in subsystems[np.unique(subsystem_of_rows(subsystems, suspects))]
    ]
    if not found:
        return NOTHING_REDUNDANT
    return Redundancy(
        left_out=np.concatenate([item.left_out for item in found]),
        groups=[group for item in found for group in item.groups],
        found=[dependence for item in found for dependence in item.found],
        weak=[dependence for item in found for dependence in item.weak],
    )


def redundancy_of_rows(inside: Ints, rows: Records, entries: Records, bodies: Records, suspects: Ints) -> Redundancy:
    """`find_redundancy` for the rows of one subsystem."""
    raw, _ = sparse_jacobian(rows, entries, inside, len(bodies))
    acts = np.abs(raw).max(axis=1).toarray().ravel() > 0.0  # between bodies that are held as well
    jacobian = unit_rows(inside, rows, entries, bodies)
    matrix = (jacobian @ jacobian.T).tocsc()
    if len(inside) <= MOST_DENSE:
        order, pivots = order_by_pivots(matrix.toarray())
        rank = count_independent(pivots)
        dependent, weak = order[rank:], order[:rank][pivots[:rank] < NEARLY_DEPENDENT]
    else:
        dependent, weak = np.intersect1d(suspects, inside) - inside[0], np.zeros(0, dtype=np.int64)
    dependent = dependent[acts[dependent]]
    kept = np.setdiff1d(np.flatnonzero(acts), dependent)
    combination, found = dependences(jacobian, kept, dependent, inside)
    near = np.array([item.distance <= FARTHEST for item in found], dtype=bool)  # suspects may be farther
    strong = np.setdiff1d(kept, weak)
    return Redundancy(
        left_out=inside[dependent[near]],
        groups=shared_groups(combination[:, near], inside[kept], inside[dependent[near]]),
        found=[item for item in found if item.distance <= FARTHEST],
        weak=dependences(jacobian, strong, weak, inside)[1],
    )


def dependences(jacobian: Any, kept: Ints, others: Ints, inside: Ints) -> tuple[Floats, list[Dependence]]:
    """The combination (kept, others) of rows kept that comes nearest to each of the others, and how near it comes.

    jacobian : sparse, of the rows `inside`, of unit size
    """
    combination, left = combination_of_kept(jacobian, kept, others)
    closing = closing_errors(jacobian[others].toarray(), left)
    partners = takes_part(combination)
    found = [
        Dependence(int(inside[row]), float(np.linalg.norm(left[k])), float(closing[k]), inside[kept][partners[:, k]])
        for k, row in enumerate(others)
    ]
    return combination, found


def combination_of_kept(jacobian: Any, kept: Ints, others: Ints) -> tuple[Floats, Floats]:
    """The combination (kept, others) of rows kept that comes nearest to each of the others, and what it leaves.

    jacobian : sparse, rows of unit size
    """
    from scipy.sparse import bmat, identity
    from scipy.sparse.linalg import splu

    basis, wanted = jacobian[kept], jacobian[others].toarray()
    n = jacobian.shape[1]
    # what is left and the combination at once: left + G^T C = wanted, G left = 0; it squares nothing and fills little
    system = bmat([[identity(n), basis.T], [basis, None]], format="csc")
    solve = splu(system, permc_spec="MMD_AT_PLUS_A").solve
    combination = np.zeros((len(kept), len(others)))
    for first in range(0, len(others), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        right_hand_side = np.zeros((n + len(kept), len(others[some])), order="F")
        right_hand_side[:n] = wanted[some].T
        combination[:, some] = solve(right_hand_side)[n:]
    return combination, wanted - (basis.T @ combination).T


def unit_rows(inside: Ints, rows: Records, entries: Records, bodies: Records) -> Any:
    """`scaled_rows`, each of unit size where it acts."""
    from scipy.sparse import diags

    jacobian = scaled_rows(inside, rows, entries, bodies)
    return (diags(1.0 / row_sizes(jacobian)) @ jacobian).tocsr()


def row_sizes(jacobian: Any) -> Floats:
    """Size of each row of a sparse matrix, 1 where it is zero."""
    size = np.sqrt(np.asarray(jacobian.multiply(jacobian).sum(axis=1)).ravel())
    return np.where(size > 0.0, size, 1.0)


def scaled_rows(inside: Ints, rows: Records, entries: Records, bodies: Records) -> Any:
    """Jacobian of rows of one subsystem (sparse, (rows, 6 n)) on its n bodies, rotations as lengths by `length_of`."""
    from scipy.sparse import diags

    jacobian, _ = sparse_jacobian(rows, entries, inside, len(bodies))
    own = bodies_of(inside, rows, entries)
    moves = np.zeros((len(own), 6))
    moves[:, :3] = (bodies["inverse_mass"][own] > 0.0)[:, None]
    moves[:, 3:] = (bodies["turning"][own] != NO_ROTATION)[:, None] / length_of(inside, rows, entries)
    columns = (6 * own[:, None] + np.arange(6)).ravel()
    return (jacobian[:, columns] @ diags(moves.ravel())).tocsr()


def bodies_of(inside: Ints, rows: Records, entries: Records) -> Ints:
    """The bodies that consecutive rows `inside` act on."""
    return np.unique(entries["body"][rows["start"][inside[0]] : rows["end"][inside[-1]]])


def length_of(inside: Ints, rows: Records, entries: Records) -> float:
    """The size of a subsystem, of its rows `inside`."""
    return float(lengths_of(np.zeros(len(inside), dtype=np.int64), inside, rows, entries, 1)[0])


def lengths_of(subsystem: Ints, inside: Ints, rows: Records, entries: Records, count: int) -> Floats:
    """The size of each of `count` subsystems: that of rows of its joints which hold lengths, else of others; or 1.

    inside : consecutive rows; subsystem : of each of them
    """
    if len(inside) == 0:
        return np.ones(count)
    own = np.repeat(np.arange(len(inside)), rows["end"][inside] - rows["start"][inside])
    forces = entries["jacobian"][rows["start"][inside[0]] : rows["end"][inside[-1]], :3]
    own = own[np.any(forces != 0.0, axis=1)]
    scale, is_of_joint = rows["scale"][inside[own]], rows["kind"][inside[own]] >= 0
    lengths, of_joints = np.full((2, count), np.inf)
    np.minimum.at(lengths, subsystem[own], scale)
    np.minimum.at(of_joints, subsystem[own[is_of_joint]], scale[is_of_joint])
    lengths = np.where(of_joints < np.inf, of_joints, lengths)
    return np.where(lengths < np.inf, lengths, 1.0)


def count_independent(pivots: Floats) -> int:
    """How many of the pivots (n,), large ones first, are of independent rows: to the largest gap below MAY_DEPEND."""
    sure = int(np.argmin(np.append(pivots, 0.0) > MAY_DEPEND))
    if sure == len(pivots):
        return sure
    least_sure = pivots[:sure].min(initial=1.0)
    falling = np.concatenate([[least_sure], np.maximum(pivots[sure:], ROUND_OFF), [ROUND_OFF]])
    return sure + int(np.argmax(falling[:-1] / falling[1:]))


def closing_errors(jacobian: Floats, left: Floats) -> Floats:
    """Rate of each row (n, 6 bodies) over its largest term, in the motion that the rows kept allow and that it opposes.

    left : what the combination of rows kept leaves of each row; as a velocity it meets all of them
    """
    terms = (jacobian * left).reshape(len(jacobian), jacobian.shape[1] // 6, 6).sum(axis=2)
    largest = np.abs(terms).max(axis=1, initial=0.0)
    rate = np.sum(left**2, axis=1)  # the sum of the terms, without their cancellation
    return rate / np.where(largest > 0.0, largest, 1.0)


def takes_part(combination: Floats) -> Any:
    """Which rows kept (first axis) take part in the combination of each dependent one."""
    return np.abs(combination) > PART_OF * np.abs(combination).max(axis=0, initial=0.0)


def shared_groups(combination: Floats, kept: Ints, dependent: Ints) -> list[Ints]:
    """Sets of rows that share redundancies; combination : (kept, dependent), C^T."""
    row, column = np.nonzero(takes_part(combination))
    group = connected_sets(len(kept) + len(dependent), row, len(kept) + column)
    rows = np.append(kept, dependent)
    # those of the lowest row first
    _, first = np.unique(group, return_index=True)
    chosen = sorted(set(group[len(kept) :].tolist()), key=lambda k: first[k])
    return [np.sort(rows[group == k]) for k in chosen]


@kernel
def order_by_pivots(matrix: Floats) -> tuple[Ints, Floats]:
    """Rows of a positive semidefinite matrix (n, n), unit diagonal, in an order of elimination; overwrites it.

    Cholesky factorisation with pivoting (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 10.3): rows in
    their order as long as they are well independent, then the largest pivot first.  So a loop is closed by its last
    joint, and what is left out of it are all directions of one kind, which stay dependent as the machine moves.

    Returns the order and the pivots (n,); where they are round-off, what is left of the diagonal.
    """
    n = len(matrix)
    order, pivots, column = np.arange(n), np.zeros(n), np.zeros(n)
    for k in range(n):
        best, well = k, -1
        for i in range(k, n):
            if matrix[i, i] > matrix[best, best]:
                best = i
            if matrix[i, i] > WELL_INDEPENDENT and (well < 0 or order[i] < order[well]):
                well = i
        best = well if well >= 0 else best
        order[k], order[best] = order[best], order[k]
        swap_unknowns(matrix, k, best)
        if not matrix[k, k] > ROUND_OFF:
            for i in range(k, n):
                pivots[i] = matrix[i, i]
            break
        pivots[k] = matrix[k, k]
        root = math.sqrt(matrix[k, k])
        for i in range(k + 1, n):
            column[i] = matrix[i, k] / root
        for i in range(k + 1, n):
            factor = column[i]
            if factor != 0.0:
                for j in range(k + 1, i + 1):
                    matrix[i, j] -= factor * column[j]
    return order, pivots


@kernel
def swap_unknowns(matrix: Floats, k: int, other: int) -> None:
    """Swap unknowns k <= other of a symmetric matrix (n, n), of which the lower triangle from k on is kept."""
    if k == other:
        return
    matrix[k, k], matrix[other, other] = matrix[other, other], matrix[k, k]
    for i in range(k + 1, other):
        matrix[i, k], matrix[other, i] = matrix[other, i], matrix[i, k]
    for i in range(other + 1, len(matrix)):
        matrix[i, k], matrix[i, other] = matrix[i, other], matrix[i, k]


# ---- reactions of least norm ---------------------------------------------------------------------------------

# Columns of the working memory of rows.
SIZE, SOLUTION, RESIDUAL, DIRECTION, IMAGE, KEPT = range(ROW_WORK)


@kernel
def reduce_multipliers(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, bodies: Records, subsystem: Record,
    work: Floats, velocity: Floats, multiplier: Floats,
) -> None:  # fmt: skip
    """Make the multipliers (nr,) of subsystem s, rows [first, last), those of least norm; the matrix is that of now.

    work : (nr, ROW_WORK), velocity : (nb, 6) working memory
    """
    for i in range(first, last):
        size = 0.0
        for k in range(rows[i].start, rows[i].end):
            size += product(entries[k].jacobian, entries[k].weighted)
        work[i, SIZE] = size if size > 0.0 else 1.0  # a row between bodies that are held has no say
        work[i, SOLUTION], work[i, DIRECTION] = 0.0, 0.0
        work[i, KEPT] = size * multiplier[i]
    onto_left_out(matrix, s, rows, first, last, entries, subsystem, work, velocity, RESIDUAL)
    squared, count = 0.0, 0
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            work[i, DIRECTION] = work[i, RESIDUAL] / work[i, SIZE]
            squared += work[i, RESIDUAL] * work[i, DIRECTION]
            count += 1
    target = CONVERGED * CONVERGED * squared
    for _ in range(min(MOST_ITERATIONS, 2 * count)):
        if not squared > target:
            break
        onto_kept(matrix, s, rows, first, last, entries, subsystem, work, velocity, DIRECTION)
        for i in range(first, last):
            work[i, KEPT] *= work[i, SIZE]
        onto_left_out(matrix, s, rows, first, last, entries, subsystem, work, velocity, IMAGE)
        curvature = 0.0
        for i in range(first, last):
            if rows[i].left_out == LEFT_OUT:
                work[i, IMAGE] += work[i, SIZE] * work[i, DIRECTION]
                curvature += work[i, DIRECTION] * work[i, IMAGE]
        step, before = squared / curvature, squared
        squared = 0.0
        for i in range(first, last):
            if rows[i].left_out == LEFT_OUT:
                work[i, SOLUTION] += step * work[i, DIRECTION]
                work[i, RESIDUAL] -= step * work[i, IMAGE]
                squared += work[i, RESIDUAL] * work[i, RESIDUAL] / work[i, SIZE]
        for i in range(first, last):
            if rows[i].left_out == LEFT_OUT:
                work[i, DIRECTION] = work[i, RESIDUAL] / work[i, SIZE] + squared / before * work[i, DIRECTION]
    onto_kept(matrix, s, rows, first, last, entries, subsystem, work, velocity, SOLUTION)
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            multiplier[i] = work[i, SOLUTION]
        else:
            multiplier[i] -= work[i, KEPT]


@kernel
def onto_left_out(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, subsystem: Record, work: Floats,
    velocity: Floats, out: int,
) -> None:  # fmt: skip
    """work[left out, out] <- C work[kept, KEPT]."""
    solve_kept(matrix, s, rows, first, last, work)
    clear_velocity(velocity, subsystem)
    for i in range(first, last):
        if rows[i].left_out == 0:
            add_velocity(rows[i], entries, velocity, work[i, KEPT])
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            work[i, out] = rate(rows[i], entries, velocity)


@kernel
def onto_kept(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, subsystem: Record, work: Floats,
    velocity: Floats, source: int,
) -> None:  # fmt: skip
    """work[kept, KEPT] <- C^T work[left out, source]."""
    clear_velocity(velocity, subsystem)
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            add_velocity(rows[i], entries, velocity, work[i, source])
    for i in range(first, last):
        work[i, KEPT] = rate(rows[i], entries, velocity) if rows[i].left_out == 0 else 0.0
    solve_kept(matrix, s, rows, first, last, work)


@kernel
def solve_kept(matrix: Matrix, s: int, rows: Records, first: int, last: int, work: Floats) -> None:
    """work[kept, KEPT] <- A_bb^-1 work[kept, KEPT]."""
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE):
            row = matrix.row_at[SIDE * k + c]
            matrix.work[k, c] = work[row, KEPT] if row >= 0 else 0.0
    substitute(matrix, s)
    for i in range(first, last):
        work[i, KEPT] = 0.0
    for k in range(matrix.blocks[s], matrix.blocks[s + 1]):
        for c in range(SIDE):
            row = matrix.row_at[SIDE * k + c]
            if row >= 0:
                work[row, KEPT] = matrix.work[k, c]


@kernel
def clear_velocity(velocity: Floats, subsystem: Record) -> None:
    for i in range(subsystem.first_body, subsystem.last_body):
        for c in range(6):
            velocity[i, c] = 0.0


@kernel
def add_velocity(row: Record, entries: Records, velocity: Floats, impulse: float) -> None:
    """velocity += M^-1 G^T impulse, for one row."""
    for k in range(row.start, row.end):
        entry = entries[k]
        for c in range(6):
            velocity[entry.body, c] += impulse * entry.weighted[c]


@kernel
def rate(row: Record, entries: Records, velocity: Floats) -> float:
    """G velocity of one row."""
    total = 0.0
    for k in range(row.start, row.end):
        entry = entries[k]
        for c in range(6):
            total += entry.jacobian[c] * velocity[entry.body, c]
    return total
