"""Drives in steps that are controlled by their error: places, rates and accelerations that coordinates should have.

A drive holds its coordinate at the place, whatever its level: the target of a velocity is its integral, that of an
acceleration the integral of that, both from the begin of each step on.
"""

from __future__ import annotations

from ...constraints.drives import GAUSS_PLACES, GAUSS_WEIGHTS, coordinate_of
from ...constraints.joints import TWO_PI
from ...constraints.motion_law import DISPLACEMENT, JUMP, VELOCITY
from ...constraints.rows import widen_tolerance
from ...core import functions
from ...core.bodies import Record
from ...core.functions import TABLE, FunctionTables
from ...core.jit.kernels import kernel
from ..status import COMPLETED, NO_DISTANCE
from ..status import JUMP as JUMPED
from ..system import System
from .coefficients import LAST, SHARES

ASIDE = 1e-6  # of what is before and after: where the slope of a table is asked for, which may have a kink
LARGEST_GAP = 1e-6  # of the size of a row, that a displacement may be off when it takes hold


@kernel
def aim(system: System, s: int) -> None:
    """What drives want at step.t, on the side that step.dt or step.previous_dt is on."""
    subsystem, step, clock = system.subsystems[s], system.steps[s], system.accurate.clocks[s]
    slope_at = step.t + ASIDE * (step.dt - step.previous_dt)
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive, wants = system.drives[i], system.accurate.aims[i]
        if drive.active == 1:
            set_aim(drive, wants, system.tables, clock.time, step.t, slope_at)
        else:
            wants.rate, wants.acceleration = 0.0, 0.0


@kernel
def set_aim(drive: Record, wants: Record, tables: FunctionTables, begin: float, t: float, slope_at: float) -> None:
    """Target, rate and acceleration at t; begin : of the step."""
    f, y, x_scale, passed = drive.function, drive.y_scale, drive.x_scale, t - begin
    x0, x1 = (begin - drive.t_origin) / x_scale, (t - drive.t_origin) / x_scale
    value, slope, bend = functions.value_and_derivatives(tables, f, x1)
    if f >= 0 and tables.kind[f] == TABLE:
        _, slope, _ = functions.value_and_derivatives(tables, f, (slope_at - drive.t_origin) / x_scale)
    if drive.kind == DISPLACEMENT:
        wants.target = drive.held + y * value
        wants.rate, wants.acceleration = y * slope / x_scale, y * bend / (x_scale * x_scale)
        return
    growth = y * x_scale * functions.integral(tables, f, x0, x1)
    if drive.kind == VELOCITY:
        wants.target, wants.rate, wants.acceleration = wants.place + growth, y * value, y * slope / x_scale
        return
    total = 0.0
    for k in range(len(GAUSS_PLACES)):
        u = GAUSS_PLACES[k]
        total += GAUSS_WEIGHTS[k] * (1.0 - u) * functions.value(tables, f, x0 + u * (x1 - x0))
    wants.target = wants.place + passed * wants.speed + passed * passed * y * total
    wants.rate, wants.acceleration = wants.speed + growth, y * value


@kernel
def measure_drives(system: System, s: int) -> None:
    """Residuals at the trial positions, after `rows.measure_rows`."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive, target = system.drives[i], system.accurate.aims[i].target
        joint, row = system.joints[drive.joint], system.rows[drive.row]
        if drive.active == 0:
            row.residual = 0.0
            continue
        place = TWO_PI * joint.trial_turns + joint.trial_angle if drive.rotational == 1 else joint.trial_slide
        row.residual = place - target
        widen_tolerance(row, abs(target))


@kernel
def commit_aims(system: System, s: int) -> int:
    """Targets at the end of a step are those at the begin of the next; a distance must stay one (NO_DISTANCE)."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive, wants = system.drives[i], system.accurate.aims[i]
        if drive.active == 0:
            continue
        wants.place, wants.speed, wants.bend = wants.target, wants.rate, wants.acceleration
        drive.target, drive.exact = wants.target - drive.held, wants.target
        if drive.distance == 1 and wants.target <= JUMP * system.rows[drive.row].scale:
            system.steps[s].culprit = drive.row
            return NO_DISTANCE
    return COMPLETED


@kernel
def start_aims(system: System, s: int) -> None:
    """Accelerations at the begin of a step, after a jump."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_drive, subsystem.last_drive):
        wants = system.accurate.aims[i]
        if system.drives[i].active == 1:
            wants.speed, wants.bend = wants.rate, wants.acceleration


@kernel
def gain_speed(system: System, s: int, stage: int, h: float) -> None:
    """Speeds that the accelerations of the stages up to one make; for `error_of_drives`."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_drive, subsystem.last_drive):
        wants = system.accurate.aims[i]
        before = wants.gained if stage > 1 else h * SHARES[LAST, 0] * wants.bend
        wants.gained = before + h * SHARES[LAST, stage] * wants.acceleration


@kernel
def error_of_drives(system: System, s: int, least_speed: float) -> float:
    """Speeds that drives want at the end of a step and that their accelerations do not make, by the speeds.

    Small in short steps, but where the rate of a function jumps.
    """
    subsystem, size, largest = system.subsystems[s], system.accurate.clocks[s].size, 0.0
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive, wants = system.drives[i], system.accurate.aims[i]
        if drive.active == 1:
            speed = max(abs(wants.rate), abs(wants.speed), least_speed / size if drive.rotational == 1 else least_speed)
            missing = abs(wants.rate - wants.speed - wants.gained)
            largest = max(largest, missing / speed if missing > 0.0 else 0.0)
    return largest


@kernel
def switch_drives(system: System, s: int) -> tuple[bool, int]:
    """Let drives take hold and let go as their windows say, at step.t; rates of joints are those at hand.

    Returns whether any did, and a status: JUMP where a coordinate is not where its displacement begins.
    """
    subsystem, step, changed = system.subsystems[s], system.steps[s], False
    now = step.t + ASIDE * step.dt
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive, wants = system.drives[i], system.accurate.aims[i]
        active = 1 if drive.t_start <= now and now < drive.t_stop else 0
        if active == drive.active:
            continue
        drive.active, changed = active, True
        if active == 0:
            continue
        joint = system.joints[drive.joint]
        place = coordinate_of(drive, joint)
        drive.held = 0.0 if drive.kind == DISPLACEMENT and drive.absolute == 1 else place
        wants.place, wants.speed = place, joint.angle_rate if drive.rotational == 1 else joint.slide_rate
        set_aim(drive, wants, system.tables, step.t, step.t, now)
        drive.target, drive.exact = wants.target - drive.held, wants.target
        if abs(wants.target - place) > LARGEST_GAP * system.rows[drive.row].scale:
            step.culprit = drive.row
            return changed, JUMPED
    return changed, COMPLETED
