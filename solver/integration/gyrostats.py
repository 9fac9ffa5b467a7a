"""Subsystems in which bodies that carry rotors move among joints of all kinds: the loop, drift and forces.

Their bodies and the rows between these move in a system of their own (`assembly.gyrostat_records`), by the step of the
general path: a body with its rotors is one, and has a flywheel for each independent spin (`constraints.flywheels`).
Bearings and the ratios within one carrier need no rows.  The first bodies and joints of that system are those of the
deck: forces act on them where they are put in each step, and are collected on gyrostats and flywheels.
"""

from __future__ import annotations

import math

from ..constraints.flywheels import (
    along_coupling,
    carry_axes,
    drift_gyrostat,
    largest_turn_of,
    rate_of_spin,
    turn_momentum,
)
from ..constraints.joints import TWO_PI, commit_joints
from ..constraints.spins import angle_of, commit_spins, force_on_spin, growth_of, set_force_on_spin
from ..core.bodies import GROUND, MAX_STEP_ANGLE_SQUARED, Record
from ..core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, clear, forces_on
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import angular_velocity, to_body, to_global
from ..core.vectors import set_vector, vector_of
from .internal_forces import refine_internal_forces, start_internal_forces
from .kick_drift import drift_body
from .loop import commit, start_forces_of
from .pieces import note_failure, sample_from
from .rotor_bodies import collect
from .rotor_samples import place_body, set_mean_motion, velocity_of_centre
from .rows import has
from .status import COMPLETED, DIVERGED, INACCURATE, ROWS_NOT_MET
from .step import one_step
from .system import LOADS, ON_SUBSYSTEM, ON_TWIN, ON_TWIN_SAMPLE, Samples, System


@kernel
def advance_gyrostats(
    system: System, moving: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int,
    n_steps: int, step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) that move as gyrostats, in the system `moving`."""
    for s in range(first, last):
        if system.gyrostats.geared[s].active == 0:
            continue
        subsystem, next_sample = moving.subsystems[s], sample_from(samples, step)
        start_forces_of(moving, subsystem)
        for k in range(n_steps):
            status = one_step(moving, s, time_0 + (step + k - step_0) * dt, dt, subsystem.previous_dt)
            if next_sample < len(samples.step) and samples.step[next_sample] == step + k:
                if status == COMPLETED:
                    status = call(
                        system.kernels.sample_gyrostats, ON_TWIN_SAMPLE, system, moving, samples, next_sample, chunk, s
                    )
                next_sample += 1
            if status != COMPLETED:
                note_failure(outcome, status, step + k, culprit_of(system, moving, s, status))
                break
            call(moving.kernels.commit_gyrostats, ON_SUBSYSTEM, moving, s)
            commit(moving, s, dt)
            subsystem.stretch = dt / subsystem.previous_dt if subsystem.previous_dt > 0.0 else 1.0
            subsystem.previous_dt = dt
        call(system.kernels.place_gyrostats, ON_TWIN, system, moving, s)
    return COMPLETED


@kernel
def culprit_of(system: System, moving: System, s: int, status: int) -> int:
    """The row or body of the deck that a failure comes from."""
    culprit = moving.steps[s].culprit
    if status == DIVERGED:
        return system.subsystems[s].first_body  # type: ignore[no-any-return]
    row = moving.gyrostats.row_of[culprit]
    if status in (ROWS_NOT_MET, INACCURATE):
        system.rows[row].residual = moving.rows[culprit].residual  # for the message
    return row  # type: ignore[no-any-return]


# ---- the step ------------------------------------------------------------------------------------------------


@kernel
def drift_gyrostats(system: System, s: int) -> int:
    """Trial places of bodies, trial angles of spins and of joints that turn with them."""
    geared, step, trains, bodies = system.gyrostats.geared[s], system.steps[s], system.trains, system.bodies
    subsystem, spins = system.subsystems[s], trains.spins
    step.culprit = subsystem.first_body
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        if gyrostat.last_spin == gyrostat.first_spin:
            if not drift_body(bodies[gyrostat.body], step.dt):
                return DIVERGED
            continue
        if not drift_gyrostat(gyrostat, bodies, spins, trains.numbers, step.dt):
            return DIVERGED
        largest = largest_turn_of(gyrostat, bodies, spins, trains.rotors, trains.coefficients, trains.fastest)
        if not largest < MAX_STEP_ANGLE_SQUARED:
            return DIVERGED
        subsystem.largest_turn = max(subsystem.largest_turn, largest)
    for k in range(geared.first_spin_joint, geared.last_spin_joint):
        turned = system.gyrostats.spin_joints[k]
        joint = system.joints[turned.joint]
        joint.trial_turns, joint.trial_angle = angle_of(trains.coefficients, turned.start, turned.end, spins, True)
    return COMPLETED


@kernel
def commit_gyrostats(system: System, s: int) -> int:
    """Spins of t_{n+1} become those of t_n, before bodies and joints do."""
    geared, trains = system.gyrostats.geared[s], system.trains
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        if gyrostat.body != GROUND and gyrostat.last_spin > gyrostat.first_spin:
            turn_momentum(gyrostat, system.bodies[gyrostat.body])
            carry_axes(gyrostat, system.bodies[gyrostat.body], trains.spins)
        commit_spins(trains.spins, gyrostat.first_spin, gyrostat.last_spin)
    for k in range(geared.first_spin_joint, geared.last_spin_joint):
        joint = system.gyrostats.spin_joints[k].joint
        commit_joints(system.joints, joint, joint + 1, system.steps[s].dt)
    return COMPLETED


# ---- where the bodies of the deck are ------------------------------------------------------------------------


@kernel
def describe(system: System, gyrostat: Record, weight: float) -> None:
    """The TRAIN record of a gyrostat: where it is at t_n, and rates of t_{n-1/2} (weight 0) or in between."""
    trains, bodies = system.trains, system.bodies
    train, body, numbers = trains.trains[gyrostat.train], bodies[gyrostat.body], trains.numbers
    for c in range(3):
        train.displacement[c], train.low_displacement[c] = body.displacement[c], body.low_displacement[c]
        train.velocity[c], train.trial_velocity[c] = body.velocity[c], body.trial_velocity[c]
        train.step_rotation[c], train.turned[c] = body.step_rotation[c], body.turned[c]
        for d in range(3):
            train.rotation[c, d] = body.rotation[c, d]
    for c in range(4):
        train.quaternion[c] = body.quaternion[c]
    old, new = body.momentum, body.trial_momentum
    lx, ly, lz = (
        old[0] + weight * (new[0] - old[0]), old[1] + weight * (new[1] - old[1]), old[2] + weight * (new[2] - old[2])
    )  # fmt: skip
    x, y, z = angular_velocity(body, lx, ly, lz)
    omega = to_body(body.rotation, x, y, z)
    set_vector(train.rate, omega)
    for j in range(gyrostat.last_spin - gyrostat.first_spin):
        w = rate_of_spin(gyrostat, bodies, numbers, j, weight)
        trains.spins[gyrostat.first_spin + j].rate = w - along_coupling(gyrostat, numbers, j, omega)


@kernel
def place_touched_joints(system: System, s: int) -> None:
    """Angles and slides at t_n of joints of the deck along which forces act."""
    geared = system.gyrostats.geared[s]
    for k in range(geared.first_touched_joint, geared.last_touched_joint):
        place_joint(system, system, s, system.gyrostats.touched_joints[k])


@kernel
def place_joint(system: System, moving: System, s: int, i: int) -> None:
    """Angle and slide of joint i of the deck at t_n, and their rates in the step that led there."""
    joint, hinge, subsystem, trains = system.joints[i], moving.trains.hinges[i], moving.subsystems[s], moving.trains
    joint.turns, joint.angle = angle_of_joint(moving, i, False)
    other = moving.gyrostats.joint_of[i]
    if other >= 0:
        joint.slide = moving.joints[other].slide
    if subsystem.previous_dt > 0.0:  # before the first step they are those of the start
        growth = growth_of(trains.coefficients, hinge.start, hinge.end, trains.spins, False)
        joint.angle_rate = growth / subsystem.previous_dt
        if other >= 0:
            joint.angle_rate += moving.joints[other].angle_rate
            joint.slide_rate = moving.joints[other].slide_rate


@kernel
def angle_of_joint(moving: System, i: int, trial: bool) -> tuple[float, float]:
    """Whole turns of joint i of the deck, and the rest of its angle: of bodies that move by themselves and of spins."""
    trains, hinge, other = moving.trains, moving.trains.hinges[i], moving.gyrostats.joint_of[i]
    turns, angle = angle_of(trains.coefficients, hinge.start, hinge.end, trains.spins, trial)
    if other >= 0:
        moved = moving.joints[other]
        turns += moved.trial_turns if trial else moved.turns
        angle += moved.trial_angle if trial else moved.angle
        if abs(angle) > math.pi:
            whole = math.floor(angle / TWO_PI + 0.5)
            turns, angle = turns + whole, angle - whole * TWO_PI
    return turns, angle


# ---- forces --------------------------------------------------------------------------------------------------


@kernel
def start_on_gyrostats(system: System, s: int) -> int:
    """Forces of t_n on the bodies of the deck, and on gyrostats and flywheels by them."""
    geared, trains = system.gyrostats.geared[s], system.trains
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        train = trains.trains[gyrostat.train]
        if train.last_touched == train.first_touched:
            continue
        describe(system, gyrostat, 0.0)
        for k in range(train.first_touched, train.last_touched):
            i = trains.touched[k]
            place_body(system, train, i)
            set_mean_motion(system, train, i, vector_of(train.velocity))
            for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
                clear(forces_on(system.bodies[i], kind))
    place_touched_joints(system, s)
    status = start_internal_forces(system, s)
    if status == COMPLETED and has(system.subsystems[s], LOADS):
        status = call(system.kernels.add_loads, ON_SUBSYSTEM, system, s)
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
            give_forces(system, gyrostat, kind)
    return status  # type: ignore[no-any-return]


@kernel
def refine_on_gyrostats(system: System, s: int) -> int:
    """Forces that depend on the rate, at a new estimate of it."""
    geared, trains, step = system.gyrostats.geared[s], system.trains, system.steps[s]
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        gyrostat = system.gyrostats.gyrostats[g]
        train = trains.trains[gyrostat.train]
        if train.last_touched == train.first_touched:
            continue
        describe(system, gyrostat, step.weight)
        velocity = velocity_of_centre(train, step)
        for k in range(train.first_touched, train.last_touched):
            i = trains.touched[k]
            set_mean_motion(system, train, i, velocity)
            clear(forces_on(system.bodies[i], DISSIPATIVE))
    status = refine_internal_forces(system, s)
    for g in range(geared.first_gyrostat, geared.last_gyrostat):
        give_forces(system, system.gyrostats.gyrostats[g], DISSIPATIVE)
    return status  # type: ignore[no-any-return]


@kernel
def give_forces(system: System, gyrostat: Record, kind: int) -> None:
    """Forces of a kind on the bodies of the deck that are a gyrostat, as forces on that and on its flywheels."""
    trains, bodies = system.trains, system.bodies
    train, numbers = trains.trains[gyrostat.train], trains.numbers
    if train.last_touched == train.first_touched:
        return
    first, n = gyrostat.first_spin, gyrostat.last_spin - gyrostat.first_spin
    total = forces_on(train, kind)
    clear(total)
    for j in range(first, first + n):
        set_force_on_spin(trains.spins[j], kind, 0.0)
    collect(system, train, kind)
    for j in range(n):
        force = force_on_spin(trains.spins[first + j], kind)
        k = gyrostat.coupling + j
        x, y, z = to_global(train.rotation, numbers[k], numbers[k + n], numbers[k + 2 * n])
        total[3] -= force * x
        total[4] -= force * y
        total[5] -= force * z
    if gyrostat.body != GROUND:
        on_body = forces_on(bodies[gyrostat.body], kind)
        for c in range(6):
            on_body[c] = total[c]
    for k in range(n):
        on_flywheel = forces_on(bodies[gyrostat.first_flywheel + k], kind)
        on_flywheel[0] = 0.0
        for j in range(n):
            force = force_on_spin(trains.spins[first + j], kind)
            on_flywheel[0] += numbers[gyrostat.rates + j * n + k] * force
