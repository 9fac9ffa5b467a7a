"""Constraint rows: their sparse Jacobian, residuals and multipliers, whatever family they come from.

A row g(x, R, t) = 0 acts on a few moving bodies; for each it has one entry of six numbers, the derivative of g with
respect to the velocity of the reference point and the angular velocity (global components).  The constraint force
is +G^T lambda.  The ground has no entries.
"""

from __future__ import annotations

import numpy as np

from ..core.bodies import GROUND, Record, Records
from ..core.body_points import add_power, add_power_of_kick, apply_impulse, clear
from ..core.jit.kernels import kernel

# A row is met when |g| <= TIGHT * scale; where round-off stops the iteration earlier, LOOSE * scale is accepted.
TIGHT = 8 * np.finfo(float).eps
LOOSE = 1e-13
LITTLE = 30.0  # tolerances that a matrix of an earlier step corrects as well as one of its own
LEFT_OUT, DEACTIVATED = 1, 2
# Rows that are not solved for are met by the others, as far as a deck is rounded: to its own `slack` each row, these
# being the least and the largest, and what may be left at t = 0.
LEAST_SLACK, LARGEST_SLACK, STARTING_SLACK = 1e-10, 1e-5, 1e-6
ROW_WORK = 6  # numbers of working memory a row

ROW = np.dtype(
    [
        ("kind", "i8"),  # of a joint's row, see `joints`
        ("start", "i8"),  # first entry
        ("end", "i8"),
        ("scale", "f8"),  # size of the terms of the row
        ("inverse_tolerance", "f8"),  # 1 / (TIGHT scale), less where a node has travelled far
        ("slack", "f8"),  # residual, by size, up to which it counts as met while it is left out
        ("left_out", "i8"),  # 0: solved for, LEFT_OUT: met because the others are, DEACTIVATED: for this step
        ("constant", "f8"),  # that a joint's row has as built
        ("residual", "f8"),  # of the trial positions
        ("multiplier", "f8"),  # at t_n: force, moment
        ("previous_multiplier", "f8"),  # at t_{n-1}
        ("predicted", "f8"),  # multiplier at t_n before any correction
        ("correction", "f8"),  # of the multiplier, of the pass at hand
        ("committed_residual", "f8"),  # of x_n
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("body", "i8"),
        ("jacobian", "f8", 6),  # at t_n
        ("weighted", "f8", 6),  # M^-1 jacobian, or what stands for it in the matrix at hand
        ("trial", "f8", 6),  # the Jacobian of trial positions
    ],
    align=True,
)


class RowBuilder:
    """Collects rows while the families are built; rows are numbered in the order they are added."""

    def __init__(self) -> None:
        self._bodies: list[int] = []
        self._starts: list[int] = [0]
        self._scales: list[float] = []
        self._kinds: list[int] = []
        self._constants: list[float] = []

    def __len__(self) -> int:
        return len(self._scales)

    def add(self, bodies: list[int], scale: float, *, kind: int = -1, constant: float = 0.0) -> tuple[int, int]:
        """A row on the moving ones of `bodies` (each once); returns its number and its first entry."""
        row, first_entry = len(self._scales), len(self._bodies)
        self._bodies.extend(body for body in bodies if body != GROUND)
        self._starts.append(len(self._bodies))
        self._scales.append(scale)
        self._kinds.append(kind)
        self._constants.append(constant)
        return row, first_entry

    def build(self) -> tuple[Records, Records]:
        """The rows and their entries, all values zero."""
        rows, entries = np.zeros(len(self._scales), ROW), np.zeros(len(self._bodies), ENTRY)
        rows["start"], rows["end"], rows["scale"] = self._starts[:-1], self._starts[1:], self._scales
        rows["kind"], rows["constant"] = self._kinds, self._constants
        rows["inverse_tolerance"], rows["slack"] = 1 / (TIGHT * rows["scale"]), STARTING_SLACK
        entries["body"] = self._bodies
        return rows, entries


@kernel(inline=True)
def clear_row(row: Record, entries: Records) -> None:
    """Zero the Jacobian of a row."""
    for k in range(row.start, row.end):
        clear(entries[k].jacobian)


@kernel(inline=True)
def widen_tolerance(row: Record, travel: float) -> None:
    """Rounding grows with the distance travelled: a row that adds it up is met to TIGHT (scale + travel)."""
    row.inverse_tolerance = 1.0 / (TIGHT * (row.scale + travel))


@kernel(inline=True)
def add_impulse(row: Record, entries: Records, bodies: Records, impulse: float) -> None:
    """v += M^-1 G^T impulse and L += G^T impulse, for one row."""
    for k in range(row.start, row.end):
        entry = entries[k]
        apply_impulse(bodies[entry.body], entry.jacobian, impulse)


@kernel(inline=True)
def rate_of_row(row: Record, entries: Records, bodies: Records, trial: bool) -> float:
    """G v of one row in the middle of the step at hand (trial), or of the one that led to t_n."""
    total = 0.0
    for k in range(row.start, row.end):
        total = add_power(total, entries[k].jacobian, bodies[entries[k].body], trial)
    return total


@kernel(inline=True)
def rate_of_kick(row: Record, entries: Records, bodies: Records) -> float:
    """What the last change of the forces adds to G v of one row."""
    total = 0.0
    for k in range(row.start, row.end):
        total = add_power_of_kick(total, entries[k].jacobian, bodies[entries[k].body])
    return total


@kernel(inline=True)
def worst_residual(rows: Records, first: int, last: int) -> float:
    """Largest |g| / tolerance of the rows [first, last) that are solved for; NaN if any is."""
    worst = 0.0
    for i in range(first, last):
        if rows[i].left_out != 0:
            continue
        size = abs(rows[i].residual) * rows[i].inverse_tolerance
        if not size <= worst:
            worst = size
            if not size < 1e300:
                return np.nan
    return worst


@kernel
def unmet_row(rows: Records, first: int, last: int) -> int:
    """A row of [first, last) that is not solved for and is not met either, -1 if there is none."""
    for i in range(first, last):
        row = rows[i]
        if row.left_out == 0:
            continue
        if not abs(row.residual) * row.inverse_tolerance * TIGHT <= row.slack:
            return i
    return -1


@kernel
def worst_row(rows: Records, first: int, last: int) -> int:
    """The row of [first, last) with the largest |g| / tolerance."""
    worst, culprit = -1.0, first
    for i in range(first, last):
        size = abs(rows[i].residual) * rows[i].inverse_tolerance
        if size > worst:
            worst, culprit = size, i
    return culprit
