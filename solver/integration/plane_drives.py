"""Drives of planar subsystems: their laws are those of the general path.  Called by address.

A link of its own has the row of each drive: what it measures goes to the joint of the drive, the residual and the
tolerance come back, and the multiplier goes to the row, as effort.
"""

from __future__ import annotations

from ..constraints.drives import accumulate_drives, commit_drives, drive_residuals
from ..constraints.joints import TWO_PI, set_angle
from ..constraints.motion_law import DISPLACEMENT, is_released, next_target
from ..constraints.plane_links import NO_DRIVE, factor_of, push_link
from ..constraints.rows import widen_tolerance
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .status import COMPLETED
from .system import ON_SUBSYSTEM, System


@kernel(inline=True)
def measure_joint(joint: Record, link: Record, rotational: int) -> float:
    """Trial coordinate of the joint of a drive."""
    if rotational == 1:
        set_angle(joint, link.coordinate)
        return TWO_PI * joint.trial_turns + joint.trial_angle  # type: ignore[no-any-return]
    joint.trial_slide = link.coordinate
    return link.coordinate  # type: ignore[no-any-return]


@kernel
def start_plane_drives(system: System, s: int) -> int:
    """Targets of the step, after the kick by the forces of t_n."""
    subsystem, step, planes, joints = system.subsystems[s], system.steps[s], system.planes, system.joints
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            drive = system.drives[link.drive]
            joint = joints[drive.joint]
            measure_joint(joint, link, drive.rotational)  # trial coordinates of the last step are those of t_n
            joint.turns, joint.angle, joint.slide = joint.trial_turns, joint.trial_angle, joint.trial_slide
    status = call(system.kernels.prepare_drives, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive == NO_DRIVE:
            continue
        drive, before = system.drives[link.drive], link.before
        row = system.rows[drive.row]
        released = 1 if is_released(drive) else 0
        if released != link.released or (row.multiplier == 0.0 and before[0, 0] != 0.0):  # it has taken hold or let go
            before[0, 0], before[1, 0], before[2, 0] = 0.0, 0.0, 0.0
            planes.planes[s].even = planes.planes[s].kept = 0
        link.released = released
        if drive.rotational == 1 and drive.kind == DISPLACEMENT:
            widen_tolerance(row, abs(next_target(drive)))
        link.inverse_tolerance = row.inverse_tolerance / factor_of(link)
        if drive.release != 0.0:
            push_link(link, planes.bodies, step.kick * drive.release / factor_of(link), 0.0)
    return COMPLETED


@kernel
def measure_plane_drives(system: System, s: int) -> int:
    """Residuals of drives at the trial positions, and the largest one of all rows."""
    subsystem, step, planes, rows = system.subsystems[s], system.steps[s], system.planes, system.rows
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            drive = system.drives[link.drive]
            rows[drive.row].residual = measure_joint(system.joints[drive.joint], link, drive.rotational)
    drive_residuals(system.drives, subsystem.first_drive, subsystem.last_drive, rows, system.joints)
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            link.residual[0] = factor_of(link) * rows[link.row].residual
            size = abs(link.residual[0]) * link.inverse_tolerance
            if not size <= step.worst:
                step.worst = size
    return COMPLETED


@kernel
def accumulate_plane_drives(system: System, s: int) -> int:
    """Efforts of drives, and their work."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            row = system.rows[link.row]
            if link.released == 1:
                link.multiplier[0] = 0.0
            row.previous_multiplier = row.multiplier
            row.multiplier = factor_of(link) * link.multiplier[0]
    accumulate_drives(subsystem, system.drives, system.rows, system.joints, step.dt, step.kick)
    return COMPLETED


@kernel
def commit_plane_drives(system: System, s: int) -> int:
    """Targets of t_{n+1} become those of t_n; efforts are those of the step, whatever a sample found."""
    subsystem, planes = system.subsystems[s], system.planes
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            row = system.rows[link.row]
            row.multiplier = factor_of(link) * link.multiplier[0]
            row.committed_residual = link.residual[0] / factor_of(link)
    commit_drives(system.drives, subsystem.first_drive, subsystem.last_drive)
    return COMPLETED
