"""What acts on the spins of a train: loads, forces along joints, drives.  Kernels called by address.

They use the records and the laws of the general path; only the way from a moment to the spins is their own: a moment
along the axis of a rotor, or along that of a hinge, is a generalised force C^T m.
"""

from __future__ import annotations

import math

from ..constraints.drives import accumulate_drives, commit_drives, drive_residuals
from ..constraints.gyrostat import (
    along,
    commit_carrier,
    drift_centre,
    kick_carrier_by_change,
    set_rates,
    stored_momentum,
    turn_carrier,
)
from ..constraints.joints import TWO_PI
from ..constraints.motion_law import DISPLACEMENT, next_target
from ..constraints.spins import ON_GROUND, angle_of, growth_of, push_spins, rate_at, rate_by, share_of
from ..core.bodies import FARTHEST, Floats, Record, Records
from ..core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, add_force, add_moment, clear
from ..core.functions import value
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import to_body, to_global
from ..core.vectors import dot, plus, scaled, vector_of
from ..core.windows import share_of_kick
from ..forces.joint_forces import accumulate_joint_forces, damping_force, elastic_force, step_between
from .rows import has
from .status import AGAIN, COMPLETED, DIVERGED, ROWS_NOT_MET
from .system import DRIVES, JOINT_FORCES, ON_SUBSYSTEM, System, Trains

MOST_PASSES = 16  # of forces that depend on the rate
SETTLED = 1e-16  # of the momentum, what a pass may still change
MOST_CORRECTIONS = 20  # of the efforts of drives on a free carrier
DRIVEN, UNMET = 1e-15, 1e-9  # rate of a driven angle that may lack, by its size; that two drives may differ by
DEPENDENT = 1e-10  # pivot of a drive, by its diagonal, below which others drive its angle already


@kernel
def load_spins(system: System, s: int) -> int:
    """Loads at t_n: moments about axes that are fixed; forces, which have no arm about the axis of their rotor."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    spins, coefficients, train = trains.spins, trains.coefficients, trains.trains[s]
    for j in range(subsystem.first_spin, subsystem.last_spin):
        spins[j].external = 0.0
    clear(train.external)
    for i in range(subsystem.first_load, subsystem.last_load):
        load = system.loads[i]
        share = share_of_kick(load.t_start, load.t_stop, step.t, step.dt, step.previous_dt)
        if share == 0.0:
            continue
        size = share * load.y_scale * value(system.tables, load.function, (step.t - load.t_origin) / load.x_scale)
        rotor, axis = trains.rotors[load.point.body], vector_of(load.axis)
        if load.rotational == 0:
            along_axis = size * dot(axis, vector_of(rotor.axis))
            push_spins(spins, coefficients, rotor.slide_start, rotor.slide_end, along_axis, EXTERNAL)
            place = plus(vector_of(rotor.centre), vector_of(load.point.arm))
            add_force(train.external, to_global(train.rotation, place[0], place[1], place[2]), scaled(size, axis))
            continue
        add_moment(train.external, scaled(size, axis))
        moment = size * dot(to_body(train.rotation, axis[0], axis[1], axis[2]), vector_of(rotor.axis))
        push_spins(spins, coefficients, rotor.start, rotor.end, moment, EXTERNAL)
    return COMPLETED


# ---- a carrier that is free ----------------------------------------------------------------------------------


@kernel
def drift_carrier(system: System, s: int) -> int:
    """Trial position and orientation of a free carrier from its trial momenta."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, first = trains.trains[s], subsystem.first_spin
    stored = stored_momentum(train, trains.spins, first, subsystem.last_spin - first, trains.numbers, 1.0)
    drift_centre(train, step.dt)
    for c in range(3):
        if not abs(train.trial_displacement[c]) < FARTHEST:
            return DIVERGED
    return COMPLETED if turn_carrier(train, stored, step.dt) else DIVERGED


@kernel
def commit_carrier_of(system: System, s: int) -> int:
    """The trial state of a free carrier becomes the state, before that of its spins does."""
    subsystem, trains = system.subsystems[s], system.trains
    commit_carrier(trains.trains[s], trains.spins, subsystem.first_spin, subsystem.last_spin)
    return COMPLETED


# ---- forces along joints -------------------------------------------------------------------------------------


@kernel
def force_spins(system: System, s: int) -> int:
    """Forces along joints and on bodies at t_n; what depends on rates first sees those of t_{n-1/2}."""
    subsystem, trains, status = system.subsystems[s], system.trains, COMPLETED
    train, spins, first = trains.trains[s], trains.spins, subsystem.first_spin
    n = subsystem.last_spin - first
    for j in range(n):
        spins[first + j].elastic, spins[first + j].dissipative = 0.0, 0.0
    set_rates(train, spins, first, n, trains.numbers, 0.0)
    if train.on_bodies == 1:
        status = call(system.kernels.start_on_bodies, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        force = system.joint_forces[i]
        start, end = coordinate_range(trains.hinges[force.joint], force.rotational)
        turns, rest = angle_of(trains.coefficients, start, end, spins, False)
        before = force.coordinate
        force.coordinate = TWO_PI * turns + rest
        force.growth = force.coordinate - before
        force.elastic_force = elastic_force(force)
        push_spins(spins, trains.coefficients, start, end, force.elastic_force, ELASTIC)
    add_dampers(system, subsystem, trains)
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def add_dampers(system: System, subsystem: Record, trains: Trains) -> None:
    """Damping and friction at the rates at hand."""
    coefficients, spins = trains.coefficients, trains.spins
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        force = system.joint_forces[i]
        if force.dissipates == 0:
            continue
        hinge = trains.hinges[force.joint]
        start, end = coordinate_range(hinge, force.rotational)
        rate = rate_at(coefficients, start, end, spins)
        force.damping_force = damping_force(force, rate)
        force.friction_limit = force.friction_force
        if force.friction > 0.0:
            force.friction_limit += force.friction * load_of_bearing(system.bodies[hinge.body])
        force.friction_at_n = -force.friction_limit * step_between(rate, force.slip_velocity)
        push_spins(spins, coefficients, start, end, force.damping_force + force.friction_at_n, DISSIPATIVE)


@kernel(inline=True)
def coordinate_range(hinge: Record, rotational: int) -> tuple[int, int]:
    """Where the coefficients of the angle or of the slide of a joint are."""
    if rotational == 1:
        return hinge.start, hinge.end
    return hinge.slide_start, hinge.slide_end


@kernel(inline=True)
def load_of_bearing(body: Record) -> float:
    """|N| on a shaft whose axis stays where it is, and which has one bearing: that holds all that acts on the shaft."""
    total = 0.0
    for c in range(3):
        force = body.mass * body.gravity[c] + body.elastic[c] + body.external[c] + body.dissipative[c]
        total += force * force
    return math.sqrt(total)


@kernel
def refine_spins(system: System, s: int) -> int:
    """Damping and friction at new rates of t_n, and the kick by what changes; AGAIN until it settles."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, spins, first = trains.trains[s], trains.spins, subsystem.first_spin
    n = subsystem.last_spin - first
    set_rates(train, spins, first, n, trains.numbers, step.weight)
    for j in range(n):
        u = spins[first + j]
        u.last_dissipative, u.dissipative = u.dissipative, 0.0
    change, size = 0.0, 0.0
    if train.on_bodies == 1:
        status = call(system.kernels.refine_on_bodies, ON_SUBSYSTEM, system, s)
        if status != COMPLETED:
            return status  # type: ignore[no-any-return]
        if train.carrier != ON_GROUND:
            change, size = kick_carrier_by_change(train, step.kick)
    add_dampers(system, subsystem, trains)
    for j in range(first, first + n):
        u = spins[j]
        kicked = step.kick * (u.dissipative - u.last_dissipative)
        u.trial_momentum += kicked
        change, size = max(change, abs(kicked)), max(size, abs(u.trial_momentum) + abs(u.momentum))
    step.passes += 1
    return AGAIN if change > SETTLED * size and step.passes < MOST_PASSES else COMPLETED


@kernel
def accumulate_spins(system: System, s: int) -> int:
    """Work of preloads, friction and drives."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if has(subsystem, JOINT_FORCES):
        accumulate_joint_forces(subsystem, system.joint_forces, subsystem.first_joint_force, subsystem.last_joint_force)
    if has(subsystem, DRIVES):
        turn_driven_joints(system, subsystem)
        accumulate_drives(subsystem, system.drives, system.rows, system.joints, step.dt, step.kick)
    return COMPLETED


# ---- drives --------------------------------------------------------------------------------------------------


@kernel
def drive_spins(system: System, s: int) -> int:
    """Efforts that make driven angles grow as they should in the step at hand; anew where trial momenta have changed.

    With E the coefficients of the driven angles

        E (D^-1 + K^T I_red^-1 K) E^T kick dlambda = what lacks of their rates,

    which a train that is held meets at once.  On a free carrier the turn of the step is not quite linear in the
    momenta, and takes some corrections.  A drive whose angle others drive already has no effort.
    """
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, spins, numbers = trains.trains[s], trains.spins, trains.numbers
    n, first = subsystem.last_drive - subsystem.first_drive, subsystem.first_drive
    if step.passes == 0:  # which drives act does not change within a step
        for i in range(first, first + n):
            start_effort(system, system.drives[i], step)
        factorise_drives(system.drives, first, n, numbers, train.work)
    right = train.work + 2 * n * n
    for k in range(MOST_CORRECTIONS):
        if train.carrier != ON_GROUND:
            stored = stored_momentum(train, spins, subsystem.first_spin, subsystem.last_spin - subsystem.first_spin,
                                     numbers, 1.0)  # fmt: skip
            if not turn_carrier(train, stored, step.dt):
                step.culprit = subsystem.first_body
                return DIVERGED
        worst = 0.0
        for i in range(n):
            numbers[right + i] = 0.0
            if system.drives[first + i].active == 1:
                lacking, size = lacking_rate(system, s, first + i)
                numbers[right + i] = lacking
                worst = max(worst, abs(lacking) - DRIVEN * size)
        if worst <= 0.0:
            return COMPLETED
        solve_factorised(numbers, train.work + n * n, right, n)
        for i in range(n):
            add_effort(system, system.drives[first + i], numbers[right + i], step.kick)
        if train.carrier == ON_GROUND and k > 0:
            break
    return unmet_drive(system, s)


@kernel(inline=True)
def add_effort(system: System, drive: Record, impulse: float, kick: float) -> None:
    """An impulse more of a drive."""
    trains, row = system.trains, system.rows[drive.row]
    row.multiplier += impulse / kick
    row.predicted = row.multiplier
    start, end = coordinate_range(trains.hinges[drive.joint], drive.rotational)
    for k in range(start, end):
        trains.spins[trains.coefficients[k].spin].trial_momentum += share_of(trains.coefficients, k) * impulse


@kernel
def unmet_drive(system: System, s: int) -> int:
    """ROWS_NOT_MET if a drive asks for another angle than those drive that have a say; COMPLETED if none does."""
    subsystem, step = system.subsystems[s], system.steps[s]
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive = system.drives[i]
        if drive.active == 1:
            lacking, size = lacking_rate(system, s, i)
            if not abs(lacking) <= UNMET * size:
                system.rows[drive.row].residual = -lacking * step.dt
                step.culprit = drive.row
                return ROWS_NOT_MET
    return COMPLETED


@kernel(inline=True)
def factorise_drives(drives: Records, first: int, n: int, numbers: Floats, start: int) -> None:
    """The matrix (n, n) at `start`, of the drives that act, factorised behind it; a pivot of 0: one without a say."""
    matrix = start + n * n
    for i in range(n):
        for j in range(i + 1):
            both = drives[first + i].active == 1 and drives[first + j].active == 1
            total = numbers[start + n * i + j] if both else 0.0
            for k in range(j):
                total -= numbers[matrix + n * i + k] * numbers[matrix + n * j + k]
            if i == j:
                enough = total > DEPENDENT * numbers[start + n * i + i] and both
                numbers[matrix + n * i + i] = math.sqrt(total) if enough else 0.0
            else:
                pivot = numbers[matrix + n * j + j]
                numbers[matrix + n * i + j] = total / pivot if pivot > 0.0 else 0.0


@kernel(inline=True)
def start_effort(system: System, drive: Record, step: Record) -> None:
    """No effort yet in this step but the half kick that a drive still gives at the time it lets go."""
    row, trains = system.rows[drive.row], system.trains
    row.previous_multiplier = row.multiplier
    row.multiplier, row.predicted = 0.0, 0.0
    if drive.release != 0.0:
        start, end = coordinate_range(trains.hinges[drive.joint], drive.rotational)
        for k in range(start, end):
            impulse = share_of(trains.coefficients, k) * step.kick * drive.release
            trains.spins[trains.coefficients[k].spin].trial_momentum += impulse


@kernel
def lacking_rate(system: System, s: int, i: int) -> tuple[float, float]:
    """By how much the rate of the angle of drive i in the step at hand is less than it should be; the size of both."""
    subsystem, step, trains, drive = system.subsystems[s], system.steps[s], system.trains, system.drives[i]
    first, train, numbers = subsystem.first_spin, trains.trains[s], trains.numbers
    start, end = coordinate_range(trains.hinges[drive.joint], drive.rotational)
    n, drives = subsystem.last_spin - first, subsystem.last_drive - subsystem.first_drive
    place = (drives + 1) * (i - subsystem.first_drive)  # on the diagonal
    rate, size = 0.0, abs(system.rows[drive.row].multiplier * step.kick * numbers[train.work + place])
    for k in range(start, end):
        j, c = trains.coefficients[k].spin - first, share_of(trains.coefficients, k)
        part = c * rate_by(numbers, train.inverse, n, j, trains.spins, first, 1.0)
        rate += part
        size += abs(part)
        if train.carrier != ON_GROUND:
            part = c * along(train, train.theta, n, j, numbers) / step.dt
            rate -= part
            size += abs(part)
    if drive.kind == DISPLACEMENT:
        turns, rest = angle_of(trains.coefficients, start, end, trains.spins, False)
        growth = (next_target(drive) - TWO_PI * turns) - rest
        size += abs(next_target(drive)) / step.dt
    else:
        growth = drive.target_step - system.rows[drive.row].committed_residual
    return growth / step.dt - rate, size + abs(growth) / step.dt


@kernel
def solve_factorised(numbers: Floats, matrix: int, right: int, n: int) -> None:
    """numbers[right:] <- A^-1 numbers[right:] by the factor L (n, n) from `matrix` on; 0 where its pivot is."""
    for i in range(n):
        total = numbers[right + i]
        for k in range(i):
            total -= numbers[matrix + n * i + k] * numbers[right + k]
        pivot = numbers[matrix + n * i + i]
        numbers[right + i] = total / pivot if pivot > 0.0 else 0.0
    for back in range(n):
        i = n - 1 - back
        total = numbers[right + i]
        for k in range(i + 1, n):
            total -= numbers[matrix + n * k + i] * numbers[right + k]
        pivot = numbers[matrix + n * i + i]
        numbers[right + i] = total / pivot if pivot > 0.0 else 0.0


@kernel(inline=True)
def turn_driven_joints(system: System, subsystem: Record) -> None:
    """Angles of driven joints at both ends of the step, and the residuals of their rows."""
    trains, spins = system.trains, system.trains.spins
    first, last = subsystem.first_drive, subsystem.last_drive
    for i in range(first, last):
        drive = system.drives[i]
        joint = system.joints[drive.joint]
        start, end = coordinate_range(trains.hinges[drive.joint], drive.rotational)
        turns, rest = angle_of(trains.coefficients, start, end, spins, False)
        trial_turns, trial_rest = angle_of(trains.coefficients, start, end, spins, True)
        if drive.rotational == 1:
            joint.turns, joint.angle, joint.trial_turns, joint.trial_angle = turns, rest, trial_turns, trial_rest
        else:
            joint.slide, joint.trial_slide = TWO_PI * turns + rest, TWO_PI * trial_turns + trial_rest
        system.rows[drive.row].residual = TWO_PI * trial_turns + trial_rest
    drive_residuals(system.drives, first, last, system.rows, system.joints)


@kernel
def commit_spin_drives(system: System, s: int) -> int:
    """Targets and angles of t_{n+1} become those of t_n, before the spins do."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    turn_driven_joints(system, subsystem)
    for i in range(subsystem.first_drive, subsystem.last_drive):
        drive = system.drives[i]
        joint, row = system.joints[drive.joint], system.rows[drive.row]
        start, end = coordinate_range(trains.hinges[drive.joint], drive.rotational)
        rate = growth_of(trains.coefficients, start, end, trains.spins, True) / step.dt
        if drive.rotational == 1:
            joint.angle_rate, joint.turns, joint.angle = rate, joint.trial_turns, joint.trial_angle
        else:
            joint.slide_rate, joint.slide = rate, joint.trial_slide
        row.committed_residual = row.residual
        row.multiplier = row.predicted  # a sample has found it anew, to rounding
    commit_drives(system.drives, subsystem.first_drive, subsystem.last_drive)
    return COMPLETED
