"""Bodies, joints and rows of a train of rotors brought up to date from its spins, and its samples.  Called by address.

All that results say is made from bodies and rows as on the general path.  At t_n the spins and the carrier say how all
bodies move and how that changes, and the multipliers follow from that (`reactions`).
"""

from __future__ import annotations

import math

from ..constraints.gyrostat import along, set_rates, stored_momentum
from ..constraints.joints import TWO_PI
from ..constraints.spins import ON_GROUND, angle_of, growth_of, rate_at, rate_by, share_of
from ..core.bodies import Record, Records, Vector
from ..core.body_points import DISSIPATIVE, ELASTIC, clear, forces_on, place_trial
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import set_rotation_matrix, to_body, to_global
from ..core.sums import grown
from ..core.vectors import cross, minus, plus, scaled, set_vector, vector_of
from .reactions import find_multipliers, leave_to_rows, push_bodies, push_by_releases
from .rows import has
from .status import COMPLETED
from .system import (
    LOADS,
    ON_SAMPLE,
    ON_SUBSYSTEM,
    ROTATIONAL_OF_HALF_STEPS,
    TRANSLATIONAL_OF_HALF_STEPS,
    Samples,
    System,
    Trains,
)


@kernel
def place_rotors(system: System, s: int) -> int:
    """Bodies and joints of a train at t_n; trial positions are the same, velocities by the momenta of t_{n-1/2}."""
    subsystem, trains = system.subsystems[s], system.trains
    train, first = trains.trains[s], subsystem.first_spin
    set_rates(train, trains.spins, first, subsystem.last_spin - first, trains.numbers, 0.0)
    for i in range(subsystem.first_body, subsystem.last_body):
        place_with_velocities(system, train, i)
    place_joints(system, subsystem)
    return COMPLETED


@kernel(inline=True)
def place_with_velocities(system: System, train: Record, i: int) -> None:
    """`place_body`, with velocity and momentum by the rates at hand."""
    body = system.bodies[i]
    place_body(system, train, i)
    velocity, momentum = motion_of(system, train, i, vector_of(train.velocity))
    set_vector(body.velocity, velocity)
    set_vector(body.trial_velocity, velocity)
    set_vector(body.momentum, momentum)
    set_vector(body.trial_momentum, momentum)


@kernel
def place_body(system: System, train: Record, i: int) -> None:
    """Orientation and place of body i at t_n."""
    body, rotor, trains = system.bodies[i], system.trains.rotors[i], system.trains
    coefficients, spins, axis = trains.coefficients, trains.spins, vector_of(rotor.axis)
    turns, angle = angle_of(coefficients, rotor.start, rotor.end, spins, False)
    half = math.floor(0.5 * turns)
    sign = 1.0 if turns == 2.0 * half else -1.0  # a quaternion changes its sign with each turn
    v = scaled(sign * math.sin(0.5 * angle), axis)
    w, v = quaternion_product(sign * math.cos(0.5 * angle), v, rotor.quaternion[0],
                              (rotor.quaternion[1], rotor.quaternion[2], rotor.quaternion[3]))  # fmt: skip
    q = train.quaternion
    w, v = quaternion_product(q[0], (q[1], q[2], q[3]), w, v)
    body.quaternion[0], body.quaternion[1], body.quaternion[2], body.quaternion[3] = w, v[0], v[1], v[2]
    set_rotation_matrix(body.quaternion, body.rotation)
    place_centre(trains, train, rotor, body)
    place_trial(body)
    set_vector(body.theta, (0.0, 0.0, 0.0))
    if train.carrier == ON_GROUND:
        set_vector(body.turned, scaled(TWO_PI * turns + angle, axis))
    else:
        set_vector(body.turned, plus(vector_of(train.turned), carried_turn(trains.coefficients, rotor, spins, axis)))
    growth = growth_of(coefficients, rotor.start, rotor.end, spins, False)
    turn = vector_of(train.step_rotation)
    along_axis = to_global(train.rotation, axis[0], axis[1], axis[2])
    along_axis = minus(along_axis, scaled(0.5, cross(turn, along_axis)))  # in the middle of the step
    set_vector(body.step_rotation, plus(turn, scaled(growth, along_axis)))


@kernel(inline=True)
def place_centre(trains: Trains, train: Record, rotor: Record, body: Record) -> None:
    """Displacement of a body at t_n: by the carrier, and round the axis of its arm."""
    if train.carrier == ON_GROUND and rotor.arm_of == ON_GROUND:
        if rotor.slide_end > rotor.slide_start:
            turns, rest = angle_of(trains.coefficients, rotor.slide_start, rotor.slide_end, trains.spins, False)
            set_vector(body.displacement, scaled(TWO_PI * turns + rest, vector_of(rotor.axis)))
        return
    centre, swing = vector_of(rotor.centre), swing_of_arm(trains, rotor)
    x, y, z = plus(centre, swing)
    moved = plus(swing, minus(to_global(train.rotation, x, y, z), (x, y, z)))
    for c in range(3):
        whole = grown(train.displacement[c], train.low_displacement[c], moved[c])
        body.displacement[c], body.low_displacement[c] = whole


@kernel
def swing_of_arm(trains: Trains, rotor: Record) -> Vector:
    """How far the axis of a rotor has gone round with its arm, in the axes of the carrier."""
    if rotor.arm_of == ON_GROUND:
        return 0.0, 0.0, 0.0
    base, arm = trains.rotors[rotor.arm_of], vector_of(rotor.arm)
    _, angle = angle_of(trains.coefficients, base.start, base.end, trains.spins, False)
    half = math.sin(0.5 * angle)
    return plus(scaled(-2.0 * half * half, arm), scaled(math.sin(angle), cross(vector_of(base.axis), arm)))


@kernel(inline=True)
def arm_at_n(trains: Trains, rotor: Record) -> Vector:
    """Arm of a planet at t_n, in the axes of the carrier."""
    return plus(vector_of(rotor.arm), swing_of_arm(trains, rotor))


@kernel(inline=True)
def quaternion_product(w0: float, v0: Vector, w1: float, v1: Vector) -> tuple[float, Vector]:
    """The product of two quaternions (w, v)."""
    w = w0 * w1 - (v0[0] * v1[0] + v0[1] * v1[1] + v0[2] * v1[2])
    return w, plus(plus(scaled(w0, v1), scaled(w1, v0)), cross(v0, v1))


@kernel(inline=True)
def carried_turn(coefficients: Records, rotor: Record, spins: Records, axis: Vector) -> Vector:
    """Time integral of the spin of a rotor against its carrier, global."""
    total = (0.0, 0.0, 0.0)
    for k in range(rotor.start, rotor.end):
        part = to_global(spins[coefficients[k].spin].carried, axis[0], axis[1], axis[2])
        total = plus(total, scaled(share_of(coefficients, k), part))
    return total


@kernel
def motion_of(system: System, train: Record, i: int, velocity: Vector) -> tuple[Vector, Vector]:
    """Velocity and angular momentum of body i at the rates at hand; velocity : of the common centre."""
    trains, rotor, omega = system.trains, system.trains.rotors[i], vector_of(train.rate)
    spin = rate_at(trains.coefficients, rotor.start, rotor.end, trains.spins)
    momentum = momentum_in_carrier(rotor, omega, spin)
    swing = cross(omega, plus(vector_of(rotor.centre), swing_of_arm(trains, rotor)))
    if rotor.arm_of != ON_GROUND:
        base = trains.rotors[rotor.arm_of]
        round_axis = scaled(rate_at(trains.coefficients, base.start, base.end, trains.spins), vector_of(base.axis))
        swing = plus(swing, cross(round_axis, arm_at_n(trains, rotor)))
    if rotor.slide_end > rotor.slide_start:
        rate = rate_at(trains.coefficients, rotor.slide_start, rotor.slide_end, trains.spins)
        swing = plus(swing, scaled(rate, vector_of(rotor.axis)))
    velocity = plus(velocity, to_global(train.rotation, swing[0], swing[1], swing[2]))
    return velocity, to_global(train.rotation, momentum[0], momentum[1], momentum[2])


@kernel(inline=True)
def momentum_in_carrier(rotor: Record, omega: Vector, spin: float) -> Vector:
    """I omega + J r s of a rotor, or the same of accelerations, in the axes of the carrier."""
    locked = to_global(rotor.locked, omega[0], omega[1], omega[2])
    return plus(locked, scaled(rotor.inertia * spin, vector_of(rotor.axis)))


@kernel(inline=True)
def slide_of(trains: Trains, hinge: Record, trial: bool) -> float:
    """Slide of a joint."""
    turns, rest = angle_of(trains.coefficients, hinge.slide_start, hinge.slide_end, trains.spins, trial)
    return TWO_PI * turns + rest


@kernel
def place_joints(system: System, subsystem: Record) -> None:
    """Angles of joints at t_n, and their rates in the step that led there."""
    trains, spins = system.trains, system.trains.spins
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, hinge = system.joints[i], trains.hinges[i]
        turns, angle = angle_of(trains.coefficients, hinge.start, hinge.end, spins, False)
        joint.turns, joint.angle, joint.trial_turns, joint.trial_angle = turns, angle, turns, angle
        if hinge.slide_end > hinge.slide_start:
            joint.slide = slide_of(trains, hinge, False)
            joint.trial_slide = joint.slide
        if subsystem.previous_dt > 0.0:
            growth = growth_of(trains.coefficients, hinge.start, hinge.end, spins, False)
            joint.angle_rate = growth / subsystem.previous_dt
            growth = growth_of(trains.coefficients, hinge.slide_start, hinge.slide_end, spins, False)
            joint.slide_rate = growth / subsystem.previous_dt


# ---- samples -------------------------------------------------------------------------------------------------


@kernel
def sample_rotors(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of train s, before the trial state is committed; returns a status."""
    subsystem, kernels = system.subsystems[s], system.kernels
    call(kernels.place_rotors, ON_SUBSYSTEM, system, s)
    status = measure_rows_at_once(system, s)
    if status == COMPLETED:
        status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and (subsystem.stale == 1 or system.trains.trains[s].steady == 0):
        status = call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
        subsystem.stale = 0
    if status != COMPLETED:
        return status
    find_accelerations(system, s)
    status = apply_forces(system, s)
    if status != COMPLETED:
        return status
    find_reactions(system, s)
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, hinge = system.joints[i], system.trains.hinges[i]
        joint.trial_turns, joint.trial_angle = angle_of(
            system.trains.coefficients, hinge.start, hinge.end, system.trains.spins, True
        )
        if hinge.slide_end > hinge.slide_start:
            joint.trial_slide = slide_of(system.trains, hinge, True)
        else:
            joint.slide = joint.trial_slide
    return take_sample_with_energy(system, samples, k, chunk, s, energy_of_half_steps(system, s))


@kernel
def find_reactions(system: System, s: int) -> None:
    """Multipliers of all rows at t_n, and the motion of the bodies half a step before and after."""
    subsystem = system.subsystems[s]
    leave_all_to_rows(system, s)
    find_multipliers(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        spread_motion(system, s, i)


@kernel
def take_sample_with_energy(
    system: System, samples: Samples, k: int, chunk: int, s: int, energy: tuple[float, float]
) -> int:
    """`samples.take_sample` of bodies whose half steps are spread from t_n.

    energy : of the half steps as they were, translational and rotational, in place of that of the bodies
    """
    sums = samples.sums[chunk, k]
    moves, turns = energy
    moves, turns = sums[TRANSLATIONAL_OF_HALF_STEPS] + moves, sums[ROTATIONAL_OF_HALF_STEPS] + turns
    status = call(system.kernels.take_sample, ON_SAMPLE, system, samples, k, chunk, s)
    sums[TRANSLATIONAL_OF_HALF_STEPS], sums[ROTATIONAL_OF_HALF_STEPS] = moves, turns
    return status  # type: ignore[no-any-return]


@kernel
def measure_rows_at_once(system: System, s: int) -> int:
    """row.committed_residual <- g at t_n; those of drives, whose targets are of t_{n+1}, are there already."""
    subsystem, rows, drives = system.subsystems[s], system.rows, system.drives
    for i in range(subsystem.first_drive, subsystem.last_drive):
        rows[drives[i].row].correction = rows[drives[i].row].committed_residual
    status = call(system.kernels.measure_rows, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].committed_residual = rows[i].residual
    for i in range(subsystem.first_drive, subsystem.last_drive):
        rows[drives[i].row].committed_residual = rows[drives[i].row].correction
    return status  # type: ignore[no-any-return]


@kernel
def find_accelerations(system: System, s: int) -> None:
    """Rates of t_n, and how they change: with Q = p', M = L'

    I_red omega' = R^T M - omega x R^T L - K Q,    u'' = D^-1 Q - K^T omega'.
    """
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, spins, first, numbers = trains.trains[s], trains.spins, subsystem.first_spin, trains.numbers
    n = subsystem.last_spin - first
    set_rates(train, spins, first, n, numbers, step.weight)
    if train.carrier != ON_GROUND:
        old, new = vector_of(train.momentum), vector_of(train.trial_momentum)
        moment, angular = scaled(1.0 / step.kick, minus(new, old)), plus(old, scaled(step.weight, minus(new, old)))
        moment = to_body(train.rotation, moment[0], moment[1], moment[2])
        angular = to_body(train.rotation, angular[0], angular[1], angular[2])
        before = stored_momentum(train, spins, first, n, numbers, 0.0)
        after = stored_momentum(train, spins, first, n, numbers, 1.0)
        right = minus(
            minus(moment, cross(vector_of(train.rate), angular)), scaled(1.0 / step.kick, minus(after, before))
        )
        set_vector(train.acceleration, to_global(train.inverse_inertia, right[0], right[1], right[2]))
    for j in range(n):
        change = rate_by(numbers, train.inverse, n, j, spins, first, 1.0)
        change -= rate_by(numbers, train.inverse, n, j, spins, first, 0.0)
        spins[first + j].acceleration = change / step.kick
        if train.carrier != ON_GROUND:
            spins[first + j].acceleration -= along(train, train.acceleration, n, j, numbers)


@kernel(inline=True)
def velocity_of_centre(train: Record, step: Record) -> Vector:
    """Velocity of the common centre at t_n."""
    old, new = vector_of(train.velocity), vector_of(train.trial_velocity)
    return plus(old, scaled(step.weight, minus(new, old)))


@kernel(inline=True)
def growth_of_rate(trains: Trains, start: int, end: int) -> float:
    """Second derivative of an angle or a slide at t_n."""
    total = 0.0
    for k in range(start, end):
        total += share_of(trains.coefficients, k) * trains.spins[trains.coefficients[k].spin].acceleration
    return total


@kernel
def change_of_motion(system: System, s: int, i: int) -> tuple[Vector, Vector]:
    """Acceleration of the centre of body i at t_n, and how its angular momentum changes; global."""
    trains, step, rotor = system.trains, system.steps[s], system.trains.rotors[i]
    train = trains.trains[rotor.train]
    omega, alpha = vector_of(train.rate), vector_of(train.acceleration)
    spin = rate_at(trains.coefficients, rotor.start, rotor.end, trains.spins)
    growing = growth_of_rate(trains, rotor.start, rotor.end)
    centre = plus(vector_of(rotor.centre), swing_of_arm(trains, rotor))
    swing = plus(cross(alpha, centre), cross(omega, cross(omega, centre)))
    if rotor.arm_of != ON_GROUND:
        base, arm = trains.rotors[rotor.arm_of], arm_at_n(trains, rotor)
        rate = rate_at(trains.coefficients, base.start, base.end, trains.spins)
        sideways = cross(vector_of(base.axis), arm)
        swing = plus(swing, scaled(growth_of_rate(trains, base.start, base.end), sideways))
        swing = plus(swing, scaled(-rate * rate, arm))
        swing = plus(swing, scaled(2.0 * rate, cross(omega, sideways)))
    if rotor.slide_end > rotor.slide_start:
        growing_slide = growth_of_rate(trains, rotor.slide_start, rotor.slide_end)
        swing = plus(swing, scaled(growing_slide, vector_of(rotor.axis)))
    turning = plus(momentum_in_carrier(rotor, alpha, growing), cross(omega, momentum_in_carrier(rotor, omega, spin)))
    swing = to_global(train.rotation, swing[0], swing[1], swing[2])
    of_centre = scaled(1.0 / step.kick, minus(vector_of(train.trial_velocity), vector_of(train.velocity)))
    return plus(of_centre, swing), to_global(train.rotation, turning[0], turning[1], turning[2])


@kernel
def spread_motion(system: System, s: int, i: int) -> None:
    """Velocities and momenta half a step before and after t_n whose mean and difference are what they are at t_n."""
    step, body = system.steps[s], system.bodies[i]
    train = system.trains.trains[system.trains.rotors[i].train]
    velocity, momentum = motion_of(system, train, i, velocity_of_centre(train, step))
    acceleration, turning = change_of_motion(system, s, i)
    before, after = -step.weight * step.kick, (1.0 - step.weight) * step.kick
    set_vector(body.velocity, plus(velocity, scaled(before, acceleration)))
    set_vector(body.trial_velocity, plus(velocity, scaled(after, acceleration)))
    set_vector(body.momentum, plus(momentum, scaled(before, turning)))
    set_vector(body.trial_momentum, plus(momentum, scaled(after, turning)))


@kernel
def set_mean_motion(system: System, train: Record, i: int, velocity: Vector) -> None:
    """Velocities of body i at the rates at hand, for forces that see them; velocity : of the common centre."""
    trains, rotor, body = system.trains, system.trains.rotors[i], system.bodies[i]
    spin = scaled(rate_at(trains.coefficients, rotor.start, rotor.end, trains.spins), vector_of(rotor.axis))
    spin = plus(vector_of(train.rate), spin)
    moves, _ = motion_of(system, train, i, velocity)
    set_vector(body.mean_velocity, moves)
    set_vector(body.mean_angular_velocity, to_global(train.rotation, spin[0], spin[1], spin[2]))


@kernel
def apply_forces(system: System, s: int) -> int:
    """Forces of t_n on the bodies, at the velocities of t_n."""
    subsystem, bodies, status, trains = system.subsystems[s], system.bodies, COMPLETED, system.trains
    train, velocity = trains.trains[s], velocity_of_centre(trains.trains[s], system.steps[s])
    for i in range(subsystem.first_body, subsystem.last_body):
        set_mean_motion(system, train, i, velocity)
        if trains.rotors[i].touched == 0:  # others have their forces since the beginning of the step
            clear(forces_on(bodies[i], ELASTIC))
            clear(forces_on(bodies[i], DISSIPATIVE))
    if has(subsystem, LOADS):
        status = call(system.kernels.add_loads, ON_SUBSYSTEM, system, s)
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        force = system.joint_forces[i]
        dissipative = force.damping_force + force.friction_at_n if force.dissipates == 1 else 0.0
        total = force.elastic_force + dissipative
        push_bodies(system.joints[force.joint], bodies, total, force.rotational == 1)
    push_by_releases(system, subsystem, 1.0)
    return status  # type: ignore[no-any-return]


@kernel
def leave_all_to_rows(system: System, s: int) -> None:
    """What of the change of all motion at t_n the forces of t_n do not do."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_body, subsystem.last_body):
        acceleration, turning = change_of_motion(system, s, i)
        leave_to_rows(system.bodies[i], acceleration, turning)


@kernel
def energy_of_half_steps(system: System, s: int) -> tuple[float, float]:
    """Kinetic energy 1/2 P_{n-1/2} . M^-1 P_{n+1/2} for which the balance is closed, see `samples.sample_body`."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    train, spins, first = trains.trains[s], trains.spins, subsystem.first_spin
    n, share = subsystem.last_spin - first, step.dt / step.kick
    set_rates(train, spins, first, n, trains.numbers, 1.0)
    moves, turns = 0.0, 0.0
    for j in range(first, first + n):
        u = spins[j]
        turns += (u.trial_momentum - share * (u.trial_momentum - u.momentum)) * u.rate
    if train.carrier != ON_GROUND:
        omega = to_global(train.rotation, train.rate[0], train.rate[1], train.rate[2])
        for c in range(3):
            old, new = train.velocity[c], train.trial_velocity[c]
            moves += (new - share * (new - old)) * new / train.inverse_mass
            old, new = train.momentum[c], train.trial_momentum[c]
            turns += (new - share * (new - old)) * omega[c]
    return 0.5 * moves, 0.5 * turns
