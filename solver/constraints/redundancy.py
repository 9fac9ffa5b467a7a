"""Rows that depend on others: which to leave out, whose they are, and reactions of least norm.

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

from ..core.bodies import Floats, Ints, Record, Records
from ..core.jit.kernels import kernel
from .kkt import Matrix, product, sparse_jacobian, substitute
from .rows import LEFT_OUT, ROW_WORK

MOST_DENSE = 2000  # rows of a subsystem that are chosen by complete pivoting
DEPENDENT = 1e-11  # a pivot, relative to the diagonal, that says that the row depends on those before it
WELL_INDEPENDENT = 1e-4
PART_OF = 1e-7  # of the largest coefficient in C, from which on a row takes part in a redundancy
CONVERGED = 1e-13
MOST_ITERATIONS = 200


class Redundancy(NamedTuple):
    """Dependent rows of a machine.

    left_out : rows that are not solved for; groups : all rows of each set whose reactions depend on each other
    """

    left_out: Ints
    groups: list[Ints]


def subsystem_of_rows(parts: Records, rows: Any) -> Any:
    """Subsystem of a row, or of each row of an array."""
    return np.searchsorted(parts["last_row"], rows, side="right")


def find_redundancy(parts: Records, rows: Records, entries: Records, n_bodies: int, suspects: Ints) -> Redundancy:
    """Rows to leave out, and what they share; suspects : rows found dependent in some order of elimination."""
    from scipy.sparse.linalg import splu

    left_out, groups = [], []
    for part in parts[np.unique(subsystem_of_rows(parts, suspects))]:
        inside = np.arange(part["first_row"], part["last_row"])
        jacobian, weighted = sparse_jacobian(rows, entries, inside, n_bodies)
        matrix = (jacobian @ weighted.T).tocsc()
        if len(inside) <= MOST_DENSE:
            size = np.sqrt(matrix.diagonal())
            size[size == 0.0] = 1.0  # released rows
            dependent = dependent_rows(matrix.toarray() / np.outer(size, size))
        else:
            dependent = np.intersect1d(suspects, inside) - inside[0]
        acts = np.abs(jacobian).max(axis=1).toarray().ravel() > 0.0
        dependent = dependent[acts[dependent]]
        kept = np.setdiff1d(np.flatnonzero(acts), dependent)
        left_out.append(inside[dependent])
        combination = splu(matrix[kept][:, kept]).solve(matrix[kept][:, dependent].toarray())
        groups += shared_groups(combination, inside[kept], inside[dependent])
    return Redundancy(np.concatenate(left_out), groups)


def shared_groups(combination: Floats, kept: Ints, dependent: Ints) -> list[Ints]:
    """Sets of rows that share redundancies; combination : (kept, dependent), C^T."""
    from scipy.sparse import bmat, csr_matrix
    from scipy.sparse.csgraph import connected_components

    takes_part = np.abs(combination) > PART_OF * np.abs(combination).max(axis=0, initial=0.0)
    shares = bmat([[None, csr_matrix(takes_part)], [csr_matrix((len(dependent), len(kept))), None]])
    group = connected_components(shares, directed=False)[1]
    rows = np.append(kept, dependent)
    # those of the lowest row first
    _, first = np.unique(group, return_index=True)
    chosen = sorted(set(group[len(kept) :].tolist()), key=lambda k: first[k])
    return [np.sort(rows[group == k]) for k in chosen]


@kernel
def dependent_rows(matrix: Floats) -> Ints:
    """Rows of a positive semidefinite matrix (n, n), unit diagonal, that depend on the others; overwrites it.

    Cholesky factorisation with pivoting (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 10.3): rows in
    their order as long as they are well independent, then the largest pivot first.  So a loop is closed by its last
    joint, and what is left out of it are all directions of one kind, which stay dependent as the machine moves.
    """
    n = len(matrix)
    order = np.arange(n)
    for k in range(n):
        best, well = k, -1
        for i in range(k, n):
            pivot = matrix[order[i], order[i]]
            if pivot > matrix[order[best], order[best]]:
                best = i
            if pivot > WELL_INDEPENDENT and (well < 0 or order[i] < order[well]):
                well = i
        best = well if well >= 0 else best
        order[k], order[best] = order[best], order[k]
        p = order[k]
        if not matrix[p, p] > DEPENDENT:
            return order[k:].copy()
        root = math.sqrt(matrix[p, p])
        for i in range(k + 1, n):
            matrix[order[i], p] /= root
        for i in range(k + 1, n):
            q = order[i]
            factor = matrix[q, p]
            if factor != 0.0:
                for j in range(k + 1, i + 1):
                    matrix[q, order[j]] -= factor * matrix[order[j], p]
                    matrix[order[j], q] = matrix[q, order[j]]
    return order[n:].copy()


# ---- reactions of least norm ---------------------------------------------------------------------------------

# Columns of the working memory of rows.
SIZE, SOLUTION, RESIDUAL, DIRECTION, IMAGE, KEPT = range(ROW_WORK)


@kernel
def reduce_multipliers(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, bodies: Records, part: Record,
    work: Floats, velocity: Floats, multiplier: Floats,
) -> None:  # fmt: skip
    """Make the multipliers (nr,) of subsystem s, rows [first, last), those of least norm; the matrix is that of now.

    work : (nr, ROW_WORK), velocity : (nb, 6) working memory
    """
    for i in range(first, last):
        size = 0.0
        for k in range(rows[i].start, rows[i].end):
            size += product(entries[k], entries[k])
        work[i, SIZE] = size if size > 0.0 else 1.0  # a row between bodies that are held has no say
        work[i, SOLUTION], work[i, DIRECTION] = 0.0, 0.0
        work[i, KEPT] = size * multiplier[i]
    onto_left_out(matrix, s, rows, first, last, entries, part, work, velocity, RESIDUAL)
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
        onto_kept(matrix, s, rows, first, last, entries, part, work, velocity, DIRECTION)
        for i in range(first, last):
            work[i, KEPT] *= work[i, SIZE]
        onto_left_out(matrix, s, rows, first, last, entries, part, work, velocity, IMAGE)
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
    onto_kept(matrix, s, rows, first, last, entries, part, work, velocity, SOLUTION)
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            multiplier[i] = work[i, SOLUTION]
        else:
            multiplier[i] -= work[i, KEPT]


@kernel
def onto_left_out(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, part: Record, work: Floats,
    velocity: Floats, out: int,
) -> None:  # fmt: skip
    """work[left out, out] <- C work[kept, KEPT]."""
    solve_kept(matrix, s, rows, first, last, work)
    clear_velocity(velocity, part)
    for i in range(first, last):
        if rows[i].left_out == 0:
            add_velocity(rows[i], entries, velocity, work[i, KEPT])
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            work[i, out] = rate(rows[i], entries, velocity)


@kernel
def onto_kept(
    matrix: Matrix, s: int, rows: Records, first: int, last: int, entries: Records, part: Record, work: Floats,
    velocity: Floats, source: int,
) -> None:  # fmt: skip
    """work[kept, KEPT] <- C^T work[left out, source]."""
    clear_velocity(velocity, part)
    for i in range(first, last):
        if rows[i].left_out == LEFT_OUT:
            add_velocity(rows[i], entries, velocity, work[i, source])
    for i in range(first, last):
        work[i, KEPT] = rate(rows[i], entries, velocity) if rows[i].left_out == 0 else 0.0
    solve_kept(matrix, s, rows, first, last, work)


@kernel
def solve_kept(matrix: Matrix, s: int, rows: Records, first: int, last: int, work: Floats) -> None:
    """work[kept, KEPT] <- A_bb^-1 work[kept, KEPT]."""
    begin, end = matrix.unknowns[s], matrix.unknowns[s + 1]
    for i in range(begin, end):
        matrix.work[i] = 0.0
    for i in range(first, last):
        place = matrix.place_of_row[i]
        if place >= 0 and matrix.pivot_inverse[place] != 0.0:
            matrix.work[place] = work[i, KEPT]
    substitute(matrix, begin, end)
    for i in range(first, last):
        place = matrix.place_of_row[i]
        work[i, KEPT] = matrix.work[place] if place >= 0 else 0.0


@kernel
def clear_velocity(velocity: Floats, part: Record) -> None:
    for i in range(part.first_body, part.last_body):
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
