"""Samples of subsystems that move as gyrostats: bodies, joints and rows of the deck at t_n.  Called by address.

As of trains (`rotor_samples`): bodies are put where gyrostats and spins are, with their velocities and accelerations,
and the multipliers of all rows follow from those.
"""

from __future__ import annotations

from ..constraints.flywheels import along_coupling, rate_of_spin, stored_in
from ..core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, clear, forces_on
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import angular_velocity, to_body, to_global
from ..core.vectors import cross, minus, plus, scaled, set_vector, vector_of
from .gyrostats import angle_of_joint, describe, place_joint
from .reactions import push_by_releases
from .rotor_samples import (
    find_reactions,
    measure_rows_at_once,
    place_body,
    place_with_velocities,
    set_mean_motion,
    take_sample_with_energy,
    velocity_of_centre,
)
from .status import COMPLETED
from .system import ON_SUBSYSTEM, Samples, System


@kernel
def place_gyrostats(system: System, moving: System, s: int) -> int:
    """Bodies and joints of the deck at t_n, velocities of t_{n-1/2}, for what reads them between pieces of steps."""
    subsystem, trains = system.subsystems[s], system.trains
    take_over(system, moving, s)
    describe_all(moving, s, 0.0)
    for i in range(subsystem.first_body, subsystem.last_body):
        train, body = trains.trains[trains.rotors[i].train], system.bodies[i]
        place_with_velocities(system, train, i)
        for c in range(6):  # of the step that led here, for the work they do
            body.previous_external[c], body.previous_dissipative[c] = body.external[c], body.dissipative[c]
    place_all_joints(system, moving, s)
    return COMPLETED


@kernel
def sample_gyrostats(system: System, moving: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of subsystem s, before the trial state is committed; returns a status."""
    subsystem, step, kernels, trains = system.subsystems[s], moving.steps[s], system.kernels, system.trains
    take_over(system, moving, s)
    describe_all(moving, s, step.weight)
    find_accelerations(moving, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        place_body(system, trains.trains[trains.rotors[i].train], i)
    place_all_joints(system, moving, s)
    status = measure_rows_at_once(system, s)
    if status == COMPLETED:
        status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status
    call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    move_bodies(system, s)
    push_by_releases(system, subsystem, 1.0)
    find_reactions(system, s)
    turn_joints(system, moving, s)
    own = moving.subsystems[s]
    for i in range(own.first_row, own.last_row):
        system.rows[moving.gyrostats.row_of[i]].committed_residual = moving.rows[i].committed_residual
    return take_sample_with_energy(system, samples, k, chunk, s, energy_of_half_steps(moving, s))


@kernel
def take_over(system: System, moving: System, s: int) -> None:
    """The step at hand, energies, drives and imposed motions of the moving system."""
    subsystem, own, step, other = system.subsystems[s], moving.subsystems[s], system.steps[s], moving.steps[s]
    step.t, step.dt, step.previous_dt, step.kick = other.t, other.dt, other.previous_dt, other.kick
    step.weight, step.passes = other.weight, other.passes
    subsystem.damping_work, subsystem.friction_work = own.damping_work, own.friction_work
    subsystem.external_work, subsystem.drive_work = own.external_work, own.drive_work
    subsystem.impact_loss, subsystem.previous_dt, subsystem.stretch = own.impact_loss, own.previous_dt, own.stretch
    subsystem.largest_turn = max(subsystem.largest_turn, own.largest_turn)
    own.largest_turn = 0.0
    for i in range(subsystem.first_drive, subsystem.last_drive):
        row, joint = system.drives[i].row, system.drives[i].joint
        system.drives[i] = moving.drives[i]
        system.drives[i].row, system.drives[i].joint = row, joint
    for i in range(subsystem.first_condition, subsystem.last_condition):
        row = system.conditions.records[i].row
        system.conditions.records[i] = moving.conditions.records[i]
        system.conditions.records[i].row = row


@kernel
def describe_all(moving: System, s: int, weight: float) -> None:
    """`describe` for all gyrostats of a subsystem."""
    geared = moving.gyrostats.geared[s]
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        describe(moving, moving.gyrostats.gyrostats[g], weight)


@kernel
def find_accelerations(moving: System, s: int) -> None:
    """How the rates of t_n change: with M and z' of the kick

    I_red omega' = R^T M - omega x (R^T l + g),    u'' = W z' - K^T omega'.
    """
    geared, step, trains, bodies = moving.gyrostats.geared[s], moving.steps[s], moving.trains, moving.bodies
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = moving.gyrostats.gyrostats[g]
        train, body, numbers = trains.trains[gyrostat.train], bodies[gyrostat.body], trains.numbers
        old, new = vector_of(body.momentum), vector_of(body.trial_momentum)
        moment, l = scaled(1.0 / step.kick, minus(new, old)), plus(old, scaled(step.weight, minus(new, old)))
        stored = stored_in(gyrostat, bodies, numbers, step.weight)
        stored = to_global(body.rotation, stored[0], stored[1], stored[2])
        rate = vector_of(train.rate)
        omega = to_global(body.rotation, rate[0], rate[1], rate[2])
        turning = minus(moment, cross(omega, plus(l, stored)))
        x, y, z = angular_velocity(body, turning[0], turning[1], turning[2])
        alpha = to_body(body.rotation, x, y, z)
        set_vector(train.acceleration, alpha)
        for j in range(gyrostat.last_spin - gyrostat.first_spin):
            change = rate_of_spin(gyrostat, bodies, numbers, j, 1.0) - rate_of_spin(gyrostat, bodies, numbers, j, 0.0)
            growing = change / step.kick - along_coupling(gyrostat, numbers, j, alpha)
            trains.spins[gyrostat.first_spin + j].acceleration = growing


@kernel
def move_bodies(system: System, s: int) -> None:
    """Velocities of t_n, and no forces on bodies on which none act; others have theirs since the step began."""
    subsystem, step, trains = system.subsystems[s], system.steps[s], system.trains
    for i in range(subsystem.first_body, subsystem.last_body):
        train = trains.trains[trains.rotors[i].train]
        set_mean_motion(system, train, i, velocity_of_centre(train, step))
        if trains.rotors[i].touched == 0:
            for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
                clear(forces_on(system.bodies[i], kind))


@kernel
def place_all_joints(system: System, moving: System, s: int) -> None:
    """Joints of the deck at t_n."""
    for i in range(system.subsystems[s].first_joint, system.subsystems[s].last_joint):
        place_joint(system, moving, s, i)
        joint = system.joints[i]
        joint.trial_turns, joint.trial_angle, joint.trial_slide = joint.turns, joint.angle, joint.slide


@kernel
def turn_joints(system: System, moving: System, s: int) -> None:
    """Angles and slides of t_{n+1}."""
    for i in range(system.subsystems[s].first_joint, system.subsystems[s].last_joint):
        joint, other = system.joints[i], moving.gyrostats.joint_of[i]
        joint.trial_turns, joint.trial_angle = angle_of_joint(moving, i, True)
        joint.trial_slide = moving.joints[other].trial_slide if other >= 0 else joint.slide


@kernel
def energy_of_half_steps(moving: System, s: int) -> tuple[float, float]:
    """Kinetic energy 1/2 P_{n-1/2} . M^-1 P_{n+1/2} for which the balance is closed, see `samples.sample_body`."""
    subsystem, step, moves, turns = moving.subsystems[s], moving.steps[s], 0.0, 0.0
    share = step.dt / step.kick
    for i in range(subsystem.first_body, subsystem.last_body):
        b = moving.bodies[i]
        x, y, z = angular_velocity(b, b.trial_momentum[0], b.trial_momentum[1], b.trial_momentum[2])
        omega = (x, y, z)
        for c in range(3):
            old, new = b.velocity[c], b.trial_velocity[c]
            moves += b.mass * (new - share * (new - old)) * new
            old, new = b.momentum[c], b.trial_momentum[c]
            turns += (new - share * (new - old)) * omega[c]
    return 0.5 * moves, 0.5 * turns
