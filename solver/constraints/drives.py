"""Drives (/DRIVE): the coordinate of a joint that only measures follows a function of time.

The row is a relation with one term, q; this module takes the target from it (or releases it), books the work, and keeps
what the results say of a drive.  Level 0 (position) holds q itself,

    g = q_{n+1} - (held + target of t_{n+1}),

levels 1 and 2 (velocity, acceleration) hold its growth, g = (q_{n+1} - q_n) - (growth of the target), with what
rounding left of the last step made good.  Time enters the right-hand side only: the Jacobian is that of q.  The
multiplier is the effort, a force along the axis (or the line of the nodes) or a torque about it, on node j; the
opposite acts on node i.  The law (window, sensor, targets) is that of `motion_law`.

A drive that takes hold while the coordinate has another rate does so with an impulse I.  It goes at its own rate, so
its work is I q'_target; the coordinate takes up I (q'_before + q'_target)/2; the difference is lost to the impact.

`exact` is the value that the function asks for: f itself, or its integral, or twice so.  An acceleration drive sums
kicks and departs from it by the order of dt^2; by how much is a result (UERR, ANGERR).
"""

from __future__ import annotations

import numpy as np

from ..core import functions
from ..core.bodies import Record, Records
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from .joints import TWO_PI, angle_growth, slide_growth
from .motion_law import (
    ACCELERATION,
    DISPLACEMENT,
    JUMP,
    LAW,
    TOOK_HOLD,
    UNCHANGED,
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
from .rows import clear_row, widen_tolerance

NOTHING, JUMPS, NO_DISTANCE = 0, 1, 2  # what may be wrong with a drive
SMOOTH, IMPULSE, NEXT, JUMPED = 0, 1, 2, 3  # how it took hold, as far as that is known
SUDDEN = 10.0  # a first effort of so many times the second is an impulse
RESOLUTION = 2 * np.finfo(float).eps  # of a position far from zero
RATE_ROUND_OFF = 1e-6  # relative difference of rates that is none

DRIVE = np.dtype(
    [
        ("row", "i8"),
        ("joint", "i8"),
        ("rotational", "i8"),  # 1: its angle, 0: its slide
        ("distance", "i8"),  # 1: the coordinate is a distance, which stays positive
        *LAW,
        ("exact", "f8"),  # value the function asks for at t_n
        ("exact_rate", "f8"),  # its rate, for an ACCELERATION
        ("exact_step", "f8"),  # growths over the step
        ("exact_rate_step", "f8"),
        ("engagement", "i8"),  # SMOOTH ...
        ("engaged_at", "f8"),  # time
        ("rate_jump", "f8"),  # by how much the rate of the coordinate changed then
        ("first_effort", "f8"),
        ("jump_loss", "f8"),  # energy lost then
    ],
    align=True,
)
GAUSS_PLACES, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(3)
GAUSS_PLACES, GAUSS_WEIGHTS = 0.5 * (1 + GAUSS_PLACES), 0.5 * GAUSS_WEIGHTS  # on [0, 1]


@kernel(inline=True)
def coordinate_of(drive: Record, joint: Record) -> float:
    """q at t_n."""
    return TWO_PI * joint.turns + joint.angle if drive.rotational == 1 else joint.slide


@kernel
def prepare_drives(
    drives: Records, first: int, last: int, rows: Records, joints: Records, tables: FunctionTables, t: float, dt: float,
    previous_dt: float, stretch: float,
) -> tuple[bool, int, int]:  # fmt: skip
    """Targets of the step t_n -> t_{n+1}; previous_dt is 0 or less before the first step.

    Returns whether a row took hold or was released, what is wrong with a drive (NOTHING ...) and its row.
    """
    changed = False
    for i in range(first, last):
        drive = drives[i]
        joint, row = joints[drive.joint], rows[drive.row]
        place = coordinate_of(drive, joint)
        if previous_dt <= 0.0:
            drive.rate = joint.angle_rate if drive.rotational == 1 else joint.slide_rate
        switched = switch(drive, row, t, dt, previous_dt, stretch)
        if switched != UNCHANGED:
            changed = True
        if switched == TOOK_HOLD:
            take_hold(drive, place, previous_dt)
            drive.exact, drive.exact_rate = drive.held, drive.held_velocity
            drive.engagement = IMPULSE if previous_dt > 0.0 else SMOOTH
            drive.engaged_at = t
        if drive.active == 0:
            continue
        if drive.kind == ACCELERATION:
            set_exact_step(drive, tables, t, dt)
        set_target_step(drive, tables, t, dt, kick_of(switched, dt, previous_dt))
        if switched == TOOK_HOLD and jumps(drive, place, row.scale, dt):
            return changed, JUMPS, drive.row
        if drive.distance == 1 and (place <= JUMP * row.scale or next_target(drive) <= 0.0):
            return changed, NO_DISTANCE, drive.row
    return changed, NOTHING, -1


@kernel
def set_exact_step(drive: Record, tables: FunctionTables, t: float, dt: float) -> None:
    """What an acceleration f makes of rate and coordinate over the step: int f and int (dt - s) f(t + s) ds."""
    start = (t - drive.t_origin) / drive.x_scale
    end = (t + dt - drive.t_origin) / drive.x_scale
    drive.exact_rate_step = drive.y_scale * drive.x_scale * functions.integral(tables, drive.function, start, end)
    total = 0.0
    for k in range(len(GAUSS_PLACES)):
        u = GAUSS_PLACES[k]
        total += GAUSS_WEIGHTS[k] * (1.0 - u) * functions.value(tables, drive.function, start + u * (end - start))
    drive.exact_step = dt * drive.exact_rate + dt * dt * drive.y_scale * total


@kernel
def finish_drive_rows(drives: Records, first: int, last: int, rows: Records, entries: Records) -> None:
    """After the Jacobians of the relations: nothing where a drive is released; tolerances of many turns."""
    for i in range(first, last):
        drive = drives[i]
        row = rows[drive.row]
        if is_released(drive):
            clear_row(row, entries)
        elif drive.rotational == 1 and drive.kind == DISPLACEMENT:
            widen_tolerance(row, abs(next_target(drive)))


@kernel
def drive_residuals(drives: Records, first: int, last: int, rows: Records, joints: Records) -> None:
    """After the residuals of the relations, which are the coordinates: take the targets from them."""
    for i in range(first, last):
        drive = drives[i]
        row = rows[drive.row]
        if is_released(drive):
            row.residual = 0.0
        elif drive.kind == DISPLACEMENT:
            target = next_target(drive)
            row.residual -= target
            if abs(row.residual) <= RESOLUTION * abs(target):
                row.residual = 0.0  # a correction would only pass rounding on to the other rows
        else:
            joint = joints[drive.joint]
            growth = angle_growth(joint) if drive.rotational == 1 else slide_growth(joint)
            row.residual = growth - drive.target_step
            row.residual += row.committed_residual  # what the last step left is made good


@kernel
def subtract_drive_rates(drives: Records, first: int, last: int, rows: Records, tables: FunctionTables) -> None:
    """From residuals that are rates of the rows at t = 0."""
    for i in range(first, last):
        rows[drives[i].row].residual -= target_rate(drives[i], tables, 0.0)


@kernel
def subtract_mean_drive_rates(drives: Records, first: int, last: int, rows: Records, dt: float) -> None:
    """From residuals that are rates of the rows in the step at hand."""
    for i in range(first, last):
        if drives[i].active == 1:
            rows[drives[i].row].residual -= drives[i].target_step / dt


@kernel
def drive_work_of_start(drives: Records, first: int, last: int, rows: Records, tables: FunctionTables) -> float:
    """Work of the impulses at t = 0 of drives that start with a jump, at the rate of the drive."""
    total = 0.0
    for i in range(first, last):
        total += rows[drives[i].row].correction * target_rate(drives[i], tables, 0.0)
    return total


@kernel
def accumulate_drives(
    subsystem: Record, drives: Records, rows: Records, joints: Records, dt: float, kick: float
) -> None:
    """Work of the drives over the step that led to t_n, and what impacts of those that just took hold lost of it."""
    done, lost = 0.0, 0.0
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive = drives[i]
        row = rows[drive.row]
        if drive.engagement == IMPULSE:
            # the halves of the first effort work on the steps before and after it: make both the drive's
            change = drive.target_step - drive.last_target_step
            drive.rate_jump, drive.jump_loss = change / dt, 0.5 * row.multiplier * change
            drive.first_effort = row.multiplier
            drive.engagement = NEXT if sudden(drive) else SMOOTH
            done += drive.jump_loss
            lost += drive.jump_loss
        elif drive.engagement == NEXT:
            drive.engagement = JUMPED if abs(drive.first_effort) > SUDDEN * abs(row.multiplier) else SMOOTH
        done += work(drive, row)
        if drive.active == 0:
            joint = joints[drive.joint]
            growth = angle_growth(joint) if drive.rotational == 1 else slide_growth(joint)
            work_to_come(drive, growth)
            observe(drive, growth, dt, kick)
    subsystem.drive_work += done
    subsystem.impact_loss += lost


@kernel
def sudden(drive: Record) -> bool:
    """Whether the step of a drive that took hold differs from the one before by more than rounding."""
    size = max(abs(drive.target_step), abs(drive.last_target_step))
    return abs(drive.target_step - drive.last_target_step) > RATE_ROUND_OFF * size


@kernel
def commit_drives(drives: Records, first: int, last: int) -> None:
    """Targets of t_{n+1} become those of t_n."""
    for i in range(first, last):
        drive = drives[i]
        commit_law(drive)
        if drive.kind == ACCELERATION and drive.active == 1:
            drive.exact += drive.exact_step
            drive.exact_rate += drive.exact_rate_step


@kernel
def exact_value(drive: Record) -> float:
    """Value that the function asks for at t_n; NaN where the drive does not act."""
    if drive.active == 0:
        return np.nan
    return drive.exact if drive.kind == ACCELERATION else drive.held + drive.target
