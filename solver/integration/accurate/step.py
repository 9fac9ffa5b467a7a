"""One step of Dormand-Prince 5(4) with its error, and the begin after a jump."""

from __future__ import annotations

import math

from ...constraints.joints import set_rates
from ...core.bodies import Record
from ...core.body_points import place_trial
from ...core.jit.kernels import kernel
from ...core.jit.pointers import call
from ...core.rotation import angular_velocity
from ...core.vectors import row
from ..rows import has
from ..status import AGAIN, COMPLETED, ROWS_NOT_MET
from ..system import DRIVES, JOINT_FORCES, ON_SUBSYSTEM, ROWS, System
from .coefficients import LAST, NODES, SHARES
from .drives import aim, commit_aims, error_of_drives, gain_speed, start_aims, switch_drives
from .motion import (
    begin_motion,
    begin_with_last,
    error_of,
    length,
    note_speeds,
    place_at_stage,
    see_motion,
    speeds_of,
)
from .projection import commit_coordinates, measure, meet_rows, project_velocities
from .rates import find_rates, renew_matrix
from .records import DISSIPATIVE_POWER, DRIVE_POWER, EXTERNAL_POWER, NO_ROW

SHARE = 0.1  # of the tolerance that a step may use up
SAFETY, ORDER, SHRINK, SHRINK_OF_REJECTED, GROW = 0.9, 5.0, 0.15, 0.6, 5.0
# The next step by the errors of the last two (K. Gustafsson, ACM Trans. Math. Softw. 17, 1991), with the exponent and
# the least error before of DOPRI5 (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.2).
DAMPED, LEAST_BEFORE = 0.04, 1e-4
# Velocities of slow bodies are measured at least by this fraction of the largest speed of the machine, and by a speed
# that moves it by the second fraction of its size in the step: a machine that stands still has but rounding to measure.
LEAST_SPEED, LEAST_WAY = 1e-3, 1e-6
FIRST = 0.5  # of the time in which a machine changes, times the fifth root of the tolerance: the first step

# ---- a step --------------------------------------------------------------------------------------------------


@kernel
def try_step(system: System, s: int, h: float, end: float, lands: bool) -> int:
    """A step of length h to the time `end`: COMPLETED, AGAIN where it is not good, or why it cannot be.

    lands : whether it is cut short to end there
    """
    clock, status = system.accurate.clocks[s], COMPLETED
    for stage in range(1, LAST):
        status = take_stage(system, s, stage, h)
        if status != COMPLETED:
            return reject(system, s, h, math.inf) if status == AGAIN else status
    error, ends = math.inf, reach_end(system, s, h, end)
    clock.unmet = system.steps[s].culprit if ends == ROWS_NOT_MET else NO_ROW
    if ends == COMPLETED:
        status = rates_of(system, s, LAST, 1)
        error = error_of_step(system, s, h) / (SHARE * clock.tolerance)
    if status != COMPLETED:
        return status
    if not error <= 1.0:
        return reject(system, s, h, error)
    length_after = h * growth_after(clock, error)
    clock.length = max(length_after, clock.length) if lands else length_after
    clock.was_rejected = 0
    if not lands:  # the error of a step that was cut short says little of the next
        clock.error_before = max(error, LEAST_BEFORE)
    return accept(system, s, h, end, lands)


@kernel(inline=True)
def growth_after(clock: Record, error: float) -> float:
    """Of the step after one that was taken: less where errors grow, so that few steps are rejected."""
    most = 1.0 if clock.was_rejected == 1 else GROW
    if error == 0.0:
        return most
    growth = SAFETY * error ** (0.75 * DAMPED - 1.0 / ORDER) * clock.error_before**DAMPED
    return min(max(growth, SHRINK), most)


@kernel
def take_stage(system: System, s: int, stage: int, h: float) -> int:
    """Rates of a stage within the step; AGAIN where a body is lost."""
    subsystem, step, clock = system.subsystems[s], system.steps[s], system.accurate.clocks[s]
    passed = NODES[stage] * h
    step.t, step.previous_dt, step.dt = clock.time + passed, passed, 0.0
    if not place_all(system, s, stage, h):
        return AGAIN
    if has(subsystem, DRIVES):
        aim(system, s)
        gain_speed(system, s, stage, h)
    if clock.by_coordinates == 0:
        if has(subsystem, JOINT_FORCES):
            measure(system, s)
            commit_coordinates(system, subsystem)
        if has(subsystem, ROWS):
            renew_matrix(system, s)
    return rates_of(system, s, stage, 0)


@kernel
def place_all(system: System, s: int, stage: int, h: float) -> bool:
    """Bodies where the rates of the stages before one put them; False if one is lost."""
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    if clock.by_coordinates == 1:
        clock.stage, clock.tried = stage, h
        return bool(call(system.kernels.place_on_tree, ON_SUBSYSTEM, system, s) == COMPLETED)
    for i in range(subsystem.first_body, subsystem.last_body):
        if not place_at_stage(system.accurate.motions[i], system.bodies[i], stage, h):
            return False
    return True


@kernel
def rates_of(system: System, s: int, stage: int, refinements: int) -> int:
    """Rates of a stage, see `find_rates`."""
    if system.accurate.clocks[s].by_coordinates == 1:
        return call(system.kernels.find_tree_rates, ON_SUBSYSTEM, system, s)  # type: ignore[no-any-return]
    return find_rates(system, s, stage, refinements)  # type: ignore[no-any-return]


@kernel
def reach_end(system: System, s: int, h: float, end: float) -> int:
    """Places and velocities at the end of the step, on the rows."""
    subsystem, step = system.subsystems[s], system.steps[s]
    step.t, step.previous_dt, step.dt = end, h, 0.0
    if not place_all(system, s, LAST, h):
        return AGAIN
    if has(subsystem, DRIVES):
        aim(system, s)
    if system.accurate.clocks[s].by_coordinates == 1:
        return call(system.kernels.meet_tree, ON_SUBSYSTEM, system, s)  # type: ignore[no-any-return]
    return meet_rows(system, s)  # type: ignore[no-any-return]


@kernel
def error_of_step(system: System, s: int, h: float) -> float:
    """The largest of all bodies."""
    subsystem, accurate, clock, largest = system.subsystems[s], system.accurate, system.accurate.clocks[s], 0.0
    fastest = clock.fastest
    for i in range(subsystem.first_body, subsystem.last_body):
        speed, spin = speeds_of(system.bodies[i])
        fastest = max(fastest, speed, clock.size * spin)
    clock.least_speed = max(LEAST_SPEED * fastest, LEAST_WAY * clock.size / h)
    if clock.by_coordinates == 1:
        call(system.kernels.error_of_tree, ON_SUBSYSTEM, system, s)
        largest = clock.error
    else:
        for i in range(subsystem.first_body, subsystem.last_body):
            error = error_of(accurate.motions[i], system.bodies[i], h, clock.size, clock.least_speed)
            largest = max(largest, error)
    return max(largest, error_of_drives(system, s, LEAST_SPEED * fastest)) if has(subsystem, DRIVES) else largest


@kernel
def reject(system: System, s: int, h: float, error: float) -> int:
    """Joints go back to where they were; the next try is shorter."""
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, begin = system.joints[i], system.accurate.coordinates[i]
        joint.turns, joint.angle, joint.slide = begin.turns, begin.angle, begin.slide
    clock.rejected += 1
    clock.was_rejected = 1
    clock.length = h * min(max(SAFETY * error ** (-1.0 / ORDER), SHRINK), SHRINK_OF_REJECTED)
    return AGAIN


@kernel
def accept(system: System, s: int, h: float, end: float, lands: bool) -> int:
    """The end of the step is the begin of the next."""
    subsystem, clock, accurate = system.subsystems[s], system.accurate.clocks[s], system.accurate
    dissipated, external, driven, powers = 0.0, 0.0, 0.0, clock.powers
    for stage in range(LAST):
        share = h * SHARES[LAST, stage]
        dissipated += share * powers[stage, DISSIPATIVE_POWER]
        external += share * powers[stage, EXTERNAL_POWER]
        driven += share * powers[stage, DRIVE_POWER]
    subsystem.damping_work -= dissipated
    subsystem.external_work += external
    subsystem.drive_work += driven
    for k in range(len(powers[0])):
        powers[0, k] = powers[LAST, k]
    if clock.by_coordinates == 1:
        call(system.kernels.commit_tree, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        begin_with_last(accurate.motions[i], system.bodies[i])
    keep_begin(system, s)
    clock.time, clock.taken, clock.longest = end, clock.taken + 1, max(clock.longest, h)
    if not lands:
        clock.shortest = min(clock.shortest, h)
    return commit_aims(system, s) if has(subsystem, DRIVES) else COMPLETED


@kernel
def keep_begin(system: System, s: int) -> None:
    """Coordinates of joints at the begin of a step, and the largest speeds so far."""
    subsystem, clock, accurate = system.subsystems[s], system.accurate.clocks[s], system.accurate
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, begin = system.joints[i], accurate.coordinates[i]
        begin.turns, begin.angle, begin.slide = joint.turns, joint.angle, joint.slide
    for i in range(subsystem.first_body, subsystem.last_body):
        note_speeds(accurate.motions[i], system.bodies[i])
        speed, spin = speeds_of(system.bodies[i])
        clock.fastest = max(clock.fastest, speed, clock.size * spin)


# ---- the begin -----------------------------------------------------------------------------------------------


@kernel
def start_anew(system: System, s: int) -> int:
    """Rates at the time of the clock, after whatever jumps there: forces begin and end, drives take hold and let go."""
    subsystem, step, clock, accurate = system.subsystems[s], system.steps[s], system.accurate.clocks[s], system.accurate
    step.t, step.previous_dt, step.dt = clock.time, 0.0, accurate.events[clock.next_event] - clock.time
    status, changed = COMPLETED, False
    for i in range(subsystem.first_body, subsystem.last_body):
        see_motion(accurate.motions[i], system.bodies[i])
    if has(subsystem, DRIVES):
        set_rates(system.joints, subsystem.first_joint, subsystem.last_joint, system.bodies)
        changed, status = switch_drives(system, s)
        aim(system, s)
    if clock.by_coordinates == 1 and status == COMPLETED:
        call(system.kernels.start_tree, ON_SUBSYSTEM, system, s)
        status = call(system.kernels.hold_tree, ON_SUBSYSTEM, system, s) if changed else COMPLETED
    elif has(subsystem, ROWS) and status == COMPLETED:
        renew_matrix(system, s)
        if changed:
            status = take_hold(system, s)
    if status != COMPLETED:
        return status
    for i in range(subsystem.first_body, subsystem.last_body):
        begin_motion(accurate.motions[i], system.bodies[i])
    start_aims(system, s)
    status = rates_of(system, s, 0, 1)
    keep_begin(system, s)
    if clock.length == 0.0:
        clock.length = first_length(system, s)
    clock.started = 1
    return status


@kernel
def take_hold(system: System, s: int) -> int:
    """Places and velocities that drives want which just took hold; work and loss of an impact are theirs."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_body, subsystem.last_body):
        place_trial(system.bodies[i])
    done, lost = project_velocities(system, s)
    subsystem.drive_work += done
    subsystem.impact_loss += lost
    return meet_rows(system, s)


@kernel
def first_length(system: System, s: int) -> float:
    """A first step by how fast the machine changes; up to what comes next where nothing moves."""
    subsystem, clock, accurate = system.subsystems[s], system.accurate.clocks[s], system.accurate
    rate = 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        motion, body = accurate.motions[i], system.bodies[i]
        speed, spin = speeds_of(body)
        moment = row(motion.moments, 0)
        turning = length(angular_velocity(body, moment[0], moment[1], moment[2]))
        pull = length(row(motion.accelerations, 0))
        rate = max(rate, spin, speed / clock.size, math.sqrt(pull / clock.size), math.sqrt(turning))
    if rate == 0.0:
        return accurate.events[clock.next_event] - clock.time  # type: ignore[no-any-return]
    return FIRST * (SHARE * clock.tolerance) ** (1.0 / ORDER) / rate  # type: ignore[no-any-return]
