"""Conditions on single directions of nodes: /BCS, imposed motions, /RLINK, partial /RBE2, /MPC; one row each.

A row says that a sum over terms, coefficient * coordinate, is what the condition's law wants (0 where it is fixed):

TRANSLATION  e . (displacement of the node), e a unit vector, fixed or turning with a /SKEW/MOV;
ROTATION     e . (rotation of the node), which is not holonomic: the rotation of each step counts, R_n theta_body;
RIDING       e . (displacement of the node as seen from the body of another, `main`).

Translations along fixed axes are held at the level of positions.  Everything else is held step by step: with e at the
middle of the step,

    TRANSLATION  e_{n+1/2} . (p_{n+1} - p_n)        ROTATION  e_{n+1/2} . R_n theta
    RIDING       e_{n+1/2} . (R_n + R_{n+1})/2 (R_{n+1}^T d_{n+1} - R_n^T d_n),   d and R: from, and of, `main`

while the force acts along e_n.  Both sides of t_n count alike, so that this is of second order and symmetric in time,
like the rest of the scheme: a direction that turns takes no energy.  What rounding leaves of one step is made good in
the next, so nothing accumulates.

The force of a RIDING term acts on node and main at one place, the node's: angular momentum is kept.  The residual does
not see a rigid motion of both, and with three directions it holds the node in the main body's axes for good.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..core.bodies import GROUND, Floats, Record, Records, Vector
from ..core.body_points import (
    NODE_POINT,
    arm_of,
    direction_of,
    displacement_of,
    displacement_of_reference,
    in_body_axes,
    separation,
    set_force,
    set_moment,
    spin_of,
    velocity_at,
)
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.rotation import turn_of_step
from ..core.skews import middle_axis, skew_axes
from ..core.vectors import dot, minus, opposite, plus, scaled, set_vector, vector_of
from .motion_law import (
    FIXED,
    LAW,
    TOOK_HOLD,
    UNCHANGED,
    MotionLaw,
    commit_law,
    is_released,
    jumps,
    kick_of,
    next_target,
    observe,
    set_target_step,
    switch,
    take_hold,
    target_rate,
    work,
    work_to_come,
)
from .rows import widen_tolerance

TRANSLATION, ROTATION, RIDING = 0, 1, 2

CONDITION = np.dtype(
    [
        ("row", "i8"),
        ("first_term", "i8"),
        ("last_term", "i8"),
        ("stepwise", "i8"),  # 1: held step by step
        *LAW,
    ],
    align=True,
)
TERM = np.dtype(
    [
        ("kind", "i8"),  # TRANSLATION ...
        ("entry", "i8"),  # first entry: body of the node, then body of `main`, as far as they move
        ("node", NODE_POINT),
        ("main", NODE_POINT),  # RIDING only
        ("point", "i8"),  # row of the node among all points
        ("skew", "i8"),  # moving skew, -1: `axis` is fixed
        ("component", "i8"),  # axis of the skew
        ("coefficient", "f8"),
        ("axis", "f8", 3),  # unit vector of t_n
    ],
    align=True,
)


class Conditions(NamedTuple):
    """All conditions and their terms."""

    records: Records
    terms: Records


def no_conditions() -> Conditions:
    """Those of a machine without any."""
    return Conditions(np.zeros(0, CONDITION), np.zeros(0, TERM))


@kernel
def prepare_conditions(
    conditions: Conditions, first: int, last: int, rows: Records, tables: FunctionTables, skews: Records,
    bodies: Records, axes: Floats, t: float, dt: float, previous_dt: float, stretch: float,
) -> tuple[bool, int]:  # fmt: skip
    """Axes at t_n and targets of the step t_n -> t_{n+1}.

    Returns whether a row took hold or was released, and a row that would have its node jump (-1: none).
    axes : (3, 3) working memory; previous_dt : 0 or less before the first step
    """
    changed = False
    terms = conditions.terms
    for i in range(first, last):
        condition = conditions.records[i]
        row = rows[condition.row]
        travel = 0.0
        for k in range(condition.first_term, condition.last_term):
            term = terms[k]
            if term.skew >= 0:
                skew_axes(skews, term.skew, bodies, axes)
                set_vector(term.axis, vector_of(axes[term.component]))
            if term.kind != ROTATION:
                moved = displacement_of_reference(bodies[term.node.body], False)
                travel += abs(term.coefficient) * (abs(moved[0]) + abs(moved[1]) + abs(moved[2]))
        widen_tolerance(row, travel)
        if condition.kind == FIXED:
            continue
        if previous_dt <= 0.0:
            condition.rate = rate(condition, terms, bodies)
        switched = switch(condition, row, t, dt, previous_dt, stretch)
        if switched != UNCHANGED:
            changed = True
        place = 0.0
        if switched == TOOK_HOLD:
            place = 0.0 if condition.stepwise == 1 else position(condition, terms, bodies, False)
            take_hold(condition, place, previous_dt)
        if condition.active == 1:
            set_target_step(condition, tables, t, dt, kick_of(switched, dt, previous_dt))
            if switched == TOOK_HOLD and condition.stepwise == 0 and jumps(condition, place, row.scale, dt):
                return changed, condition.row
    return changed, -1


@kernel(inline=True)
def moved(node: Record, bodies: Records, trial: bool) -> Vector:
    """Displacement of a node from t = 0."""
    body = bodies[node.body]
    return displacement_of(node, arm_of(node, body, trial), body, trial)


@kernel(inline=True)
def from_main(term: Record, bodies: Records, trial: bool) -> Vector:
    """From `main` to the node of a RIDING term."""
    return separation(term.main, bodies[term.main.body], term.node, bodies[term.node.body], trial)


@kernel
def position(condition: Record, terms: Records, bodies: Records, trial: bool) -> float:
    """Sum of the coordinates of a row that is held at the level of positions."""
    total = 0.0
    for k in range(condition.first_term, condition.last_term):
        total += terms[k].coefficient * dot(vector_of(terms[k].axis), moved(terms[k].node, bodies, trial))
    return total


@kernel
def rate(condition: Record, terms: Records, bodies: Records) -> float:
    """Rate of the coordinate of an imposed motion, which is that of its only term's node."""
    term = terms[condition.first_term]
    body = bodies[term.node.body]
    if term.kind == ROTATION:
        return dot(vector_of(term.axis), spin_of(body))
    return dot(vector_of(term.axis), velocity_at(arm_of(term.node, body, False), body))


@kernel
def step_of(term: Record, skews: Records, bodies: Records) -> float:
    """Coordinate of a term in the step at hand, from t_n to the trial positions."""
    axis = vector_of(term.axis)
    if term.skew >= 0:
        axis = middle_axis(skews[term.skew], term.component, bodies)
    if term.kind == ROTATION:
        return dot(axis, turn_of_step(bodies[term.node.body]))
    if term.kind == TRANSLATION:
        return dot(axis, minus(moved(term.node, bodies, True), moved(term.node, bodies, False)))
    main = bodies[term.main.body]
    before = in_body_axes(from_main(term, bodies, False), main, False)
    step = minus(in_body_axes(from_main(term, bodies, True), main, True), before)
    return 0.5 * dot(axis, plus(direction_of(step, main, False), direction_of(step, main, True)))


@kernel
def condition_residuals(
    conditions: Conditions, first: int, last: int, rows: Records, skews: Records, bodies: Records
) -> None:
    """Residuals at the trial positions."""
    terms = conditions.terms
    for i in range(first, last):
        condition = conditions.records[i]
        row = rows[condition.row]
        if is_released(condition):
            row.residual = 0.0
        elif condition.stepwise == 0:
            row.residual = position(condition, terms, bodies, True) - next_target(condition)
        else:
            total = -condition.target_step
            for k in range(condition.first_term, condition.last_term):
                total += terms[k].coefficient * step_of(terms[k], skews, bodies)
            row.residual = total + row.committed_residual  # what the last step left is made good


@kernel
def condition_jacobians(conditions: Conditions, first: int, last: int, entries: Records, bodies: Records) -> None:
    """Entries at t_n; zero where the row is released."""
    for i in range(first, last):
        condition = conditions.records[i]
        for k in range(condition.first_term, condition.last_term):
            term = conditions.terms[k]
            factor = 0.0 if is_released(condition) else term.coefficient
            along = scaled(factor, vector_of(term.axis))
            entry, node = term.entry, term.node
            if node.body != GROUND:
                if term.kind == ROTATION:
                    set_moment(entries[entry].jacobian, along)
                else:
                    set_force(entries[entry].jacobian, arm_of(node, bodies[node.body], False), along)
                entry += 1
            if term.kind == RIDING and term.main.body != GROUND:
                arm = plus(arm_of(term.main, bodies[term.main.body], False), from_main(term, bodies, False))
                set_force(entries[entry].jacobian, arm, opposite(along))


@kernel
def subtract_target_rates(
    conditions: Conditions, first: int, last: int, rows: Records, tables: FunctionTables, t: float
) -> None:
    """From residuals that are rates of the rows at time t."""
    for i in range(first, last):
        condition = conditions.records[i]
        rows[condition.row].residual -= target_rate(condition, tables, t)


@kernel
def subtract_mean_rates(conditions: Conditions, first: int, last: int, rows: Records, dt: float) -> None:
    """From residuals that are rates of the rows in the step at hand."""
    for i in range(first, last):
        condition = conditions.records[i]
        if condition.kind != FIXED and condition.active == 1:
            rows[condition.row].residual -= condition.target_step / dt


@kernel
def work_of_start(conditions: Conditions, first: int, last: int, rows: Records, tables: FunctionTables) -> float:
    """Work of the impulses at t = 0 of motions that start with a jump: on the mean of the rates before and after it."""
    total = 0.0
    for i in range(first, last):
        condition = conditions.records[i]
        if condition.kind != FIXED:
            row = rows[condition.row]
            total += row.correction * (target_rate(condition, tables, 0.0) + 0.5 * row.residual)
    return total


@kernel
def drive_work(
    conditions: Conditions, first: int, last: int, rows: Records, skews: Records, bodies: Records, dt: float,
    kick: float,
) -> float:  # fmt: skip
    """Work of imposed motions over the step that led to t_n."""
    total = 0.0
    for i in range(first, last):
        condition = conditions.records[i]
        if condition.kind != FIXED:
            total += work(condition, rows[condition.row])
            if condition.active == 0:
                term = conditions.terms[condition.first_term]  # the only one of an imposed motion
                growth = term.coefficient * step_of(term, skews, bodies)
                work_to_come(condition, growth)
                observe(condition, growth, dt, kick)
    return total


@kernel
def commit_conditions(conditions: Conditions, first: int, last: int) -> None:
    """Targets of t_{n+1} become those of t_n."""
    for i in range(first, last):
        commit_law(conditions.records[i])


def released_rows(conditions: Conditions) -> list[int]:
    """Rows of the motions that do not act now."""
    records = conditions.records
    return [int(row) for row in records["row"][(records["kind"] != FIXED) & (records["active"] == 0)]]


@dataclass(frozen=True, slots=True)
class Term:
    """A term before it has a record; axis: that of t = 0, skew: a moving one or -1, point and main: rows of nodes."""

    point: int
    axis: Floats
    kind: int = TRANSLATION
    coefficient: float = 1.0
    main: int = -1
    skew: int = -1
    component: int = 0

    @property
    def stepwise(self) -> bool:
        return self.kind != TRANSLATION or self.skew >= 0

    def bodies(self, points: Records) -> list[int]:
        """Bodies that move, one for each entry; points : NODE_POINT of each node."""
        bodies = [int(points["body"][point]) for point in (self.point, self.main) if point >= 0]
        return [body for body in bodies if body != GROUND]


@dataclass(slots=True)
class ConditionBuilder:
    """Collects conditions; rows and entries come from the RowBuilder."""

    _points: Records
    _records: list[dict[str, float]] = field(default_factory=list)
    _terms: list[dict[str, object]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._records)

    def add(self, row: int, first_entry: int, terms: list[Term], law: MotionLaw) -> None:
        """One row, whose entries are the bodies of its terms in their order."""
        first_term, entry = len(self._terms), first_entry
        for term in terms:
            values: dict[str, object] = {"entry": entry, "node": self._points[term.point]}
            values["main"] = self._points[term.main] if term.main >= 0 else np.zeros((), NODE_POINT)
            fields = ("kind", "skew", "component", "coefficient", "axis", "point")
            self._terms.append(values | {name: getattr(term, name) for name in fields})
            entry += len(term.bodies(self._points))
        record = {"row": row, "first_term": first_term, "last_term": len(self._terms)}
        self._records.append(record | {"stepwise": int(any(term.stepwise for term in terms))} | law.fields())

    def build(self) -> Conditions:
        records, terms = np.zeros(len(self._records), CONDITION), np.zeros(len(self._terms), TERM)
        for array, items in ((records, self._records), (terms, self._terms)):
            for name in items[0] if items else ():  # type: ignore[attr-defined]
                array[name] = [item[name] for item in items]  # type: ignore[index]
        return Conditions(records, terms)
