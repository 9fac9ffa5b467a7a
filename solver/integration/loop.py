"""The compiled time loop: subsystem by subsystem through a block of steps.

A subsystem is a set of bodies that nothing couples to the others; each runs through a whole block of steps on its
own, which keeps its arrays in the processor's cache, and needs nothing from any other thread.
"""

from __future__ import annotations

from ..constraints.drives import commit_drives
from ..constraints.joints import commit_joints
from ..constraints.nodal_constraints import commit_conditions
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .kick_drift import commit_bodies, start_forces
from .parts import bodies_in_parts, is_divided
from .pieces import note_failure, sample_from
from .rows import has
from .status import COMPLETED
from .step import one_step
from .system import (
    CONDITIONS,
    DRIVES,
    FREEDOMS,
    INTERFACES,
    LINKS,
    OF_MOTION,
    ON_SAMPLE,
    ON_SUBSYSTEM,
    SENSORS,
    SPINS,
    Samples,
    System,
)


@kernel
def advance(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """Run the subsystems [first, last) through n_steps from `step` at time t, leaving samples at samples.step.

    outcome : filled with the status, the step and the body, row or interface of the earliest failure
    """
    for s in range(first, last):
        subsystem = system.subsystems[s]
        if has(subsystem, SPINS):
            continue  # `rotors.advance_rotors`
        if has(subsystem, LINKS) and system.planes.active[s] == 1:
            continue  # `planes.advance_planes`
        if has(subsystem, FREEDOMS) and system.trees.active[s] == 1:
            continue  # `trees.advance_trees`
        if is_accurate(system, s):
            continue  # `accurate.loop.advance_accurate`
        if is_geared(system, s):
            continue  # `gyrostats.advance_gyrostats`
        start_forces_of(system, subsystem)
        next_sample = sample_from(samples, step)
        for k in range(n_steps):
            is_sample = next_sample < len(samples.step) and samples.step[next_sample] == step + k
            status = whole_step(system, samples, next_sample if is_sample else -1, chunk, s,
                                time_0 + (step + k - step_0) * dt, dt)  # fmt: skip
            if status != COMPLETED:
                note_failure(outcome, status, step + k, system.steps[s].culprit)
                break
            if is_sample:
                next_sample += 1
    return COMPLETED


@kernel(inline=True)
def is_accurate(system: System, s: int) -> bool:
    """Whether the steps of subsystem s are controlled by their error."""
    return len(system.accurate.clocks) > 0 and system.accurate.clocks[s].active == 1


@kernel(inline=True)
def is_geared(system: System, s: int) -> bool:
    """Whether subsystem s moves as gyrostats, in a system of their own."""
    return len(system.gyrostats.geared) > 0 and system.gyrostats.geared[s].active == 1


@kernel(inline=True)
def whole_step(system: System, samples: Samples, sample: int, chunk: int, s: int, t: float, dt: float) -> int:
    """Subsystem s through one step of the grid, in parts where shapes touch within it.

    sample : where its state at t goes, -1 nowhere
    """
    subsystem, left = system.subsystems[s], dt
    while left > 0.0:
        length, before = left, subsystem.previous_dt
        subsystem.sampled = 1 if sample >= 0 else 0
        if subsystem.cut_at_touch == 1:
            step = system.steps[s]
            step.t, step.first_touch = t, left
            status = call(system.kernels.find_first_touch, ON_SUBSYSTEM, system, s)
            if status != COMPLETED:
                return status
            length = step.first_touch
        status = one_step(system, s, t, length, before)
        if status == COMPLETED and has(subsystem, SENSORS):
            status = call(system.kernels.watch_sensors, ON_SUBSYSTEM, system, s)
        if status == COMPLETED and sample >= 0:
            status = call(system.kernels.take_sample, ON_SAMPLE, system, samples, sample, chunk, s)
            sample = -1
        if status != COMPLETED:
            return status
        status = commit(system, s, length)
        if status != COMPLETED:
            return status
        subsystem.stretch = length / before if before > 0.0 else 1.0
        subsystem.previous_dt = length
        t, left = t + length, left - length
    return COMPLETED


@kernel
def start_forces_of(system: System, subsystem: Record) -> None:
    """Bodies are ready for the forces of the first step of a block."""
    if has(subsystem, INTERFACES):
        start_forces(system.bodies, system.contacts, subsystem.first_body, subsystem.last_body, subsystem.previous_dt)
    elif has(subsystem, OF_MOTION):
        start_forces(system.bodies, None, subsystem.first_body, subsystem.last_body, subsystem.previous_dt)


@kernel(inline=True)
def commit(system: System, s: int, dt: float) -> int:
    """The trial state of t_{n+1} becomes the state, ready for new forces where there may be some."""
    subsystem, rows, status = system.subsystems[s], system.rows, COMPLETED
    if is_divided(subsystem):
        status = bodies_in_parts(system, s, system.kernels.commit_part)
        for p in range(subsystem.first_part, subsystem.last_part):
            subsystem.largest_turn = max(subsystem.largest_turn, system.parts[p].largest_turn)
    elif has(subsystem, INTERFACES):
        commit_bodies(subsystem, system.bodies, system.contacts, dt, True)
    else:
        commit_bodies(subsystem, system.bodies, None, dt, has(subsystem, OF_MOTION))
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].committed_residual = rows[i].residual
    if subsystem.last_joint > subsystem.first_joint:
        commit_joints(system.joints, subsystem.first_joint, subsystem.last_joint, dt)
    if has(subsystem, DRIVES):
        commit_drives(system.drives, subsystem.first_drive, subsystem.last_drive)
    if has(subsystem, CONDITIONS):
        commit_conditions(system.conditions, subsystem.first_condition, subsystem.last_condition)
    return status
