"""Conditions on single coordinates of nodes: /BCS, /IMPDISP, /IMPVEL, /IMPACC and /RLINK, one row for each direction.

Translation along the unit vector e (global, or turning with a skew):
    g = e . (displacement of node i - displacement of node j) - target            (node j: /RLINK only)
With a skew that moves the row holds the displacement of the step, e_n . (p_{n+1} - p_n), and the target of the step.

Rotation about e, which is not holonomic, holds the step's rotation vector theta = R_n theta_body:
    g = e . (theta_i - theta_j) - (target of the step),    so that a fixed digit says omega_{n+1/2} . e = 0.

Target of a motion with f(t), value = y_scale f((t - t_0)/x_scale):
    DISP the value itself; VEL the integral of the value since the start, exact over every step (no drift);
    ACC the step's velocity is the last one kicked by value(t_n), summed up.
Outside [t_start, t_stop] the row is released: its multiplier is zero.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from . import functions
from .functions import FunctionTables
from .rotation import to_global
from .rows import set_entry, widen_tolerance
from .skews import Skews, skew_axes
from .state import GROUND, Floats, Motion, Points, Record, Records

FIXED, DISPLACEMENT, VELOCITY, ACCELERATION = 0, 1, 2, 3
JUMP = 1e-9  # of the size of the machine, that an imposed displacement may be off when it takes hold

CONDITION = np.dtype(
    [
        ("row", "i8"),
        ("entry", "i8"),  # first entry: body of node i, then body of node j where it moves
        ("point", "i8"),  # row in Points of node i
        ("other", "i8"),  # row in Points of node j, -1 = none
        ("rotational", "i8"),  # 0 or 1
        ("skew", "i8"),  # moving skew, -1: `axis` is fixed
        ("component", "i8"),  # axis of the skew
        ("kind", "i8"),  # FIXED ...
        ("function", "i8"),  # index in the function tables
        ("active", "i8"),  # 1 where the row acts in this step
        ("axis", "f8", 3),  # unit vector of t_n
        ("x_scale", "f8"),
        ("y_scale", "f8"),
        ("t_start", "f8"),
        ("t_stop", "f8"),
        ("t_origin", "f8"),  # the time that the function's abscissa counts from
        ("target", "f8"),  # at t_n, from where the row took hold
        ("target_step", "f8"),  # its growth over the step
        ("released_work", "f8"),
        ("last_target_step", "f8"),  # and over the step before
        ("held", "f8"),  # coordinate where the row took hold
        ("held_velocity", "f8"),  # velocity of an ACC motion at t_{n-1/2}
    ],
    align=True,
)


@njit(cache=True)
def prepare_conditions(
    conditions: Records, first: int, last: int, rows: Records, tables: FunctionTables, skews: Skews, points: Points,
    motion: Motion, axes: Floats, t: float, dt: float, previous_dt: float,
) -> tuple[bool, int]:  # fmt: skip
    """Axes at t_n and targets of the step t_n -> t_{n+1}.

    Returns whether a row took hold or was released, and a row that would have its node jump (-1: none).
    axes : (3, 3) working memory; previous_dt : -dt before the first step, which kicks nothing
    """
    changed = False
    for i in range(first, last):
        condition = conditions[i]
        if condition.skew >= 0:
            skew_axes(skews, condition.skew, motion, points, axes)
            for k in range(3):
                condition.axis[k] = axes[condition.component, k]
        if condition.rotational == 0:
            travel = motion.displacement[points.body[condition.point]]
            widen_tolerance(rows[condition.row], abs(travel[0]) + abs(travel[1]) + abs(travel[2]))
        if condition.kind == FIXED:
            continue
        took_hold = False
        active = 1 if condition.t_start <= t and t <= condition.t_stop else 0
        if active != condition.active:
            changed = True
            condition.active = active
            # the step that led here: the force has gone by its end, and drive_work will find no multiplier
            condition.released_work += 0.5 * rows[condition.row].multiplier * condition.last_target_step
            condition.last_target_step = 0.0
            rows[condition.row].multiplier = 0.0
            rows[condition.row].previous_multiplier = 0.0
            if active == 1:
                condition.held = coordinate(condition, points, motion)
                condition.held_velocity = coordinate_rate(condition, points, motion)
                condition.target = 0.0
                # what the coordinate did in the step before, on which half of the first force works
                condition.last_target_step = max(previous_dt, 0.0) * condition.held_velocity
                took_hold = condition.kind == DISPLACEMENT
        if active == 1:
            set_target_step(condition, tables, t, dt, 0.5 * (previous_dt + dt))
            if took_hold and jumps(condition, rows[condition.row].scale, points, motion, dt):
                return changed, condition.row
    return changed, -1


@njit(cache=True)
def jumps(condition: Record, scale: float, points: Points, motion: Motion, dt: float) -> bool:
    """Whether a displacement is off its target by more than its node travels in two steps."""
    if condition.rotational == 1 or condition.skew >= 0:
        return False
    gap = abs(coordinate(condition, points, motion) - condition.target)
    travel = dt * abs(coordinate_rate(condition, points, motion)) + abs(condition.target_step)
    return gap > 2 * travel + JUMP * scale


@njit(cache=True)
def set_target_step(condition: Record, tables: FunctionTables, t: float, dt: float, kick: float) -> None:
    """Growth of the target from t to t + dt."""
    x0 = (t - condition.t_origin) / condition.x_scale
    x1 = (t + dt - condition.t_origin) / condition.x_scale
    f = condition.function
    if condition.kind == DISPLACEMENT:
        now = functions.value(tables, f, x0)
        condition.target_step = condition.y_scale * (functions.value(tables, f, x1) - now)
        # Along a fixed axis the function is the displacement from t = 0.
        condition.target = condition.y_scale * now
        if condition.skew < 0 and condition.rotational == 0:
            condition.held = 0.0
    elif condition.kind == VELOCITY:
        condition.target_step = condition.y_scale * condition.x_scale * functions.integral(tables, f, x0, x1)
    else:
        condition.held_velocity += kick * condition.y_scale * functions.value(tables, f, x0)
        condition.target_step = dt * condition.held_velocity


@njit(cache=True)
def target_rate(condition: Record, tables: FunctionTables, t: float) -> float:
    """Rate at which a row wants its coordinate to change, at time t."""
    if condition.kind == FIXED or condition.active == 0:
        return 0.0
    if condition.kind == ACCELERATION:
        return condition.held_velocity
    value, slope, _ = functions.value_and_derivatives(
        tables, condition.function, (t - condition.t_origin) / condition.x_scale
    )
    return condition.y_scale * value if condition.kind == VELOCITY else condition.y_scale * slope / condition.x_scale


@njit(cache=True)
def moved(condition: Record, points: Points, point: int, displacement: Floats, rotation: Floats) -> float:
    """e . displacement of a point from t = 0."""
    body = points.body[point]
    arm, axis = points.arm[point], condition.axis
    x, y, z = to_global(rotation[body], arm[0], arm[1], arm[2])
    return (
        axis[0] * (displacement[body, 0] + (x - arm[0]))
        + axis[1] * (displacement[body, 1] + (y - arm[1]))
        + axis[2] * (displacement[body, 2] + (z - arm[2]))
    )


@njit(cache=True)
def coordinate(condition: Record, points: Points, motion: Motion) -> float:
    """The translation that a row holds, at t_n; 0 for a rotation, which is held step by step."""
    if condition.rotational == 1:
        return 0.0
    value = moved(condition, points, condition.point, motion.displacement, motion.rotation)
    if condition.other >= 0:
        value -= moved(condition, points, condition.other, motion.displacement, motion.rotation)
    return value


@njit(cache=True)
def coordinate_rate(condition: Record, points: Points, motion: Motion) -> float:
    """Rate of the coordinate of a row on one node, at t_n."""
    body, arm = points.body[condition.point], points.arm[condition.point]
    ex, ey, ez = condition.axis[0], condition.axis[1], condition.axis[2]
    wx, wy, wz = motion.angular_velocity[body, 0], motion.angular_velocity[body, 1], motion.angular_velocity[body, 2]
    if condition.rotational == 1:
        return ex * wx + ey * wy + ez * wz
    x, y, z = to_global(motion.rotation[body], arm[0], arm[1], arm[2])
    vx, vy, vz = motion.velocity[body, 0], motion.velocity[body, 1], motion.velocity[body, 2]
    return ex * (vx + wy * z - wz * y) + ey * (vy + wz * x - wx * z) + ez * (vz + wx * y - wy * x)


@njit(cache=True)
def turned(condition: Record, body: Record) -> float:
    """e . R_n theta of a body in the step at hand."""
    x, y, z = to_global(body.rotation, body.theta[0], body.theta[1], body.theta[2])
    return condition.axis[0] * x + condition.axis[1] * y + condition.axis[2] * z


@njit(cache=True)
def condition_residuals(
    conditions: Records, first: int, last: int, rows: Records, points: Points, bodies: Records, trial: Motion,
    motion: Motion,
) -> None:  # fmt: skip
    """Residuals at the trial positions; `trial` and `motion` are the bodies at the trial positions and at t_n."""
    for i in range(first, last):
        condition = conditions[i]
        row = rows[condition.row]
        driven = condition.kind != FIXED
        if driven and condition.active == 0:
            row.residual = 0.0
            continue
        point, other = condition.point, condition.other
        step = condition.target_step if driven else 0.0
        if condition.rotational == 1:
            value = turned(condition, bodies[points.body[point]])
            if other >= 0:
                value -= turned(condition, bodies[points.body[other]])
            row.residual = value - step
            continue
        value = moved(condition, points, point, trial.displacement, trial.rotation)
        if other >= 0:
            value -= moved(condition, points, other, trial.displacement, trial.rotation)
        if condition.skew >= 0:
            value -= moved(condition, points, point, motion.displacement, motion.rotation)
            if other >= 0:
                value += moved(condition, points, other, motion.displacement, motion.rotation)
            row.residual = value - step
        else:
            row.residual = value - (condition.held + condition.target + step if driven else 0.0)


@njit(cache=True)
def condition_jacobians(
    conditions: Records, first: int, last: int, entries: Records, points: Points, bodies: Records
) -> None:
    """Entries at t_n; zero where the row is released."""
    for i in range(first, last):
        condition = conditions[i]
        factor = 0.0 if condition.kind != FIXED and condition.active == 0 else 1.0
        k = condition.entry
        for side in range(2):
            point = condition.point if side == 0 else condition.other
            if point < 0 or points.body[point] == GROUND:
                continue
            sign = factor if side == 0 else -factor
            ex, ey, ez = sign * condition.axis[0], sign * condition.axis[1], sign * condition.axis[2]
            if condition.rotational == 1:
                set_entry(entries[k], 0.0, 0.0, 0.0, ex, ey, ez)
            else:
                arm = points.arm[point]
                x, y, z = to_global(bodies[points.body[point]].rotation, arm[0], arm[1], arm[2])
                set_entry(entries[k], ex, ey, ez, y * ez - z * ey, z * ex - x * ez, x * ey - y * ex)
            k += 1


@njit(cache=True)
def drive_work(conditions: Records, first: int, last: int, rows: Records) -> float:
    """Work of imposed motions over the step that led to t_n: (lambda_{n-1} + lambda_n)/2 times the target's growth."""
    work = 0.0
    for i in range(first, last):
        row = rows[conditions[i].row]
        work += 0.5 * (row.previous_multiplier + row.multiplier) * conditions[i].last_target_step
        work += conditions[i].released_work
        conditions[i].released_work = 0.0
    return work


@njit(cache=True)
def commit_conditions(conditions: Records, first: int, last: int) -> None:
    """Targets of t_{n+1} become those of t_n."""
    for i in range(first, last):
        condition = conditions[i]
        condition.last_target_step = condition.target_step if condition.active == 1 else 0.0
        if (condition.kind == VELOCITY or condition.kind == ACCELERATION) and condition.active == 1:
            condition.target += condition.target_step


class ConditionBuilder:
    """Collects conditions; `row` and `first entry` come from the RowBuilder."""

    def __init__(self) -> None:
        self._items: list[dict[str, object]] = []

    def __len__(self) -> int:
        return len(self._items)

    def add(
        self,
        row: int,
        entry: int,
        point: int,
        *,
        axis: Floats,
        rotational: bool,
        other: int = -1,
        skew: int = -1,
        component: int = 0,
        kind: int = FIXED,
        function: int = -1,
        scales: tuple[float, float] = (1.0, 1.0),
        window: tuple[float, float, float] = (-np.inf, np.inf, 0.0),
    ) -> None:
        """One row; `window` is start, stop and the time that the function's abscissa counts from."""
        self._items.append(
            {
                "row": row,
                "entry": entry,
                "point": point,
                "other": other,
                "rotational": int(rotational),
                "skew": skew,
                "component": component,
                "axis": axis,
                "kind": kind,
                "function": function,
                "x_scale": scales[0],
                "y_scale": scales[1],
                "t_start": window[0],
                "t_stop": window[1],
                "t_origin": window[2],
            }
        )

    def build(self) -> Records:
        conditions = np.zeros(len(self._items), CONDITION)
        for name in self._items[0] if self._items else ():
            conditions[name] = [item[name] for item in self._items]
        return conditions
