"""The compiled time loop of trains of rotors: a whole train moves as its few independent spins.

The scheme is that of `step`: momenta p of half steps are kicked by the forces of t_n, angles drift by u' = D^-1 p.
Ratios and bearings need no multipliers, as all angles follow from u; drives do, and find theirs at once, since all is
linear.  Bodies, joints and rows are brought up to date at samples and at the end of a piece of steps
(`rotor_samples`).
"""

from __future__ import annotations

from ..constraints.gyrostat import along, kick_carrier
from ..constraints.lanes import LANES
from ..constraints.spins import ON_GROUND, commit_spins, growth_of, kick_spins, rate_by, turn_spin
from ..core.bodies import MAX_STEP_ANGLE_SQUARED, Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import dot, plus, scaled, vector_of
from .pieces import note_failure, sample_from
from .rows import has
from .status import AGAIN, COMPLETED, DIVERGED
from .system import DRIVES, JOINT_FORCES, LOADS, ON_SAMPLE, ON_SUBSYSTEM, SPINS, SPRINGS, Samples, System

Clock = tuple[int, float, float]  # a step, its time, and the length of steps from there on


@kernel
def advance_rotors(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) that are trains of rotors."""
    clock = step_0, time_0, dt
    s = first
    while s < last:
        count, taken = side_by_side(system, s, last), 0
        if count > 1:
            taken = take_side_by_side(system, samples, outcome, chunk, (s, count), step, n_steps, clock)
        for i in range(s, s + count):
            if has(system.subsystems[i], SPINS):
                take_steps(system, samples, outcome, chunk, i, step + taken, n_steps - taken, clock)
                call(system.kernels.place_rotors, ON_SUBSYSTEM, system, i)
        s += count
    return COMPLETED


@kernel
def take_steps(
    system: System, samples: Samples, outcome: Record, chunk: int, s: int, step: int, n_steps: int, clock: Clock
) -> bool:
    """Train s alone; False if it fails."""
    step_0, time_0, dt = clock
    next_sample = sample_from(samples, step)
    for k in range(n_steps):
        status = spin_step(system, s, time_0 + (step + k - step_0) * dt, dt)
        if next_sample < len(samples.step) and samples.step[next_sample] == step + k:
            if status == COMPLETED:
                status = call(system.kernels.sample_rotors, ON_SAMPLE, system, samples, next_sample, chunk, s)
            next_sample += 1
        if status != COMPLETED:
            note_failure(outcome, status, step + k, system.steps[s].culprit)
            return False
        commit(system, s, dt)
    return True


# ---- equal work of many trains -------------------------------------------------------------------------------


@kernel(inline=True)
def side_by_side(system: System, s: int, last: int) -> int:
    """How many trains from s on may move side by side, at least one."""
    count = 1
    if has(system.subsystems[s], SPINS) and system.trains.trains[s].in_lanes == 1:
        while count < LANES and s + count < last and system.trains.trains[s + count].in_lanes == 1:
            count += 1
    return count


@kernel
def take_side_by_side(
    system: System, samples: Samples, outcome: Record, chunk: int, span: tuple[int, int], step: int, n_steps: int,
    clock: Clock,
) -> int:  # fmt: skip
    """Steps of the trains span[0] ..., span[1] in number: between samples side by side, those of samples each alone.

    Returns how many were taken: all, if one has failed; less where the trains need more than lanes do.
    """
    s, count = span
    dt, taken, met, lanes = clock[2], 0, True, system.trains.lanes[0]
    while taken < n_steps and met:
        k = sample_from(samples, step + taken)
        free = (min(n_steps, samples.step[k] - step) if k < len(samples.step) else n_steps) - taken
        if system.subsystems[s].previous_dt == dt and free > 0:
            lanes.count, lanes.steps, lanes.dt = count, free, dt
            if call(system.kernels.move_lanes, ON_SUBSYSTEM, system, s) != COMPLETED:
                return taken
            taken += free
        if taken < n_steps:
            for i in range(s, s + count):
                met = take_steps(system, samples, outcome, chunk, i, step + taken, 1, clock) and met
            taken += 1
    return n_steps


# ---- a step --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def spin_step(system: System, s: int, t: float, dt: float) -> int:
    """Train s from t_n to the trial state of t_{n+1}; returns a status."""
    subsystem, step, kernels, spins = system.subsystems[s], system.steps[s], system.kernels, system.trains.spins
    train = system.trains.trains[s]
    step.t, step.dt, step.previous_dt = t, dt, subsystem.previous_dt
    step.kick = 0.5 * (step.previous_dt + dt)
    step.weight = step.previous_dt / (step.previous_dt + dt)
    step.passes, status = 0, COMPLETED
    if has(subsystem, LOADS) and train.on_bodies == 0:
        status = call(kernels.load_spins, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and (has(subsystem, JOINT_FORCES) or train.on_bodies == 1):
        status = call(kernels.force_spins, ON_SUBSYSTEM, system, s)
    kick_spins(spins, subsystem.first_spin, subsystem.last_spin, step.kick)
    if train.carrier != ON_GROUND:
        kick_carrier(train, step.kick)
    if status == COMPLETED and has(subsystem, DRIVES):
        status = call(kernels.prepare_drives, ON_SUBSYSTEM, system, s)
        if status == COMPLETED:
            status = call(kernels.drive_spins, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and subsystem.damping_passes > 0:
        status = AGAIN
        while status == AGAIN:
            status = call(kernels.refine_spins, ON_SUBSYSTEM, system, s)
            if status == AGAIN and has(subsystem, DRIVES):
                done = call(kernels.drive_spins, ON_SUBSYSTEM, system, s)
                status = AGAIN if done == COMPLETED else done
    if status != COMPLETED:
        return status  # a culprit is known
    if train.carrier != ON_GROUND:
        status = call(kernels.drift_carrier, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and not drift_spins(system, s, dt):
        status = DIVERGED
    if status != COMPLETED:
        step.culprit = subsystem.first_body
        return status
    return accumulate_work(system, s)


@kernel(inline=True)
def drift_spins(system: System, s: int, dt: float) -> bool:
    """Trial angles from the trial momenta; False if a rotor turns by too much in one step."""
    subsystem, trains = system.subsystems[s], system.trains
    train, spins, first, numbers = trains.trains[s], trains.spins, subsystem.first_spin, trains.numbers
    n, theta = subsystem.last_spin - first, train.theta
    for j in range(n):
        growth = dt * rate_by(numbers, train.inverse, n, j, spins, first, 1.0)
        if train.carrier != ON_GROUND:
            growth -= along(train, theta, n, j, numbers)
        turn_spin(spins[first + j], growth)
    largest = 0.0
    for i in range(train.first_fastest, train.last_fastest):
        rotor = trains.rotors[trains.fastest[i]]
        growth = growth_of(trains.coefficients, rotor.start, rotor.end, spins, True)
        turn = plus(vector_of(theta), scaled(growth, vector_of(rotor.axis)))
        squared = dot(turn, turn)
        if not squared < MAX_STEP_ANGLE_SQUARED:  # NaN too
            return False
        largest = max(largest, squared)
    subsystem.largest_turn = max(subsystem.largest_turn, largest)
    return True


@kernel(inline=True)
def accumulate_work(system: System, s: int) -> int:
    """Work of all forces over the step that led to t_n, and of drives over the one at hand."""
    subsystem, spins, train = system.subsystems[s], system.trains.spins, system.trains.trains[s]
    external, dissipative = 0.0, 0.0
    if train.carrier != ON_GROUND and has(subsystem, LOADS | SPRINGS):
        for c in range(6):
            growth = subsystem.previous_dt * train.velocity[c] if c < 3 else train.step_rotation[c - 3]
            external += growth * (train.previous_external[c] + train.external[c])
            dissipative += growth * (train.previous_dissipative[c] + train.dissipative[c])
            train.previous_external[c], train.previous_dissipative[c] = train.external[c], train.dissipative[c]
    for j in range(subsystem.first_spin, subsystem.last_spin):
        u = spins[j]
        external += u.growth * (u.previous_external + u.external)
        dissipative += u.growth * (u.previous_dissipative + u.dissipative)
        u.previous_external, u.previous_dissipative = u.external, u.dissipative
    subsystem.external_work += 0.5 * external
    subsystem.damping_work -= 0.5 * dissipative
    if has(subsystem, JOINT_FORCES | DRIVES):
        return call(system.kernels.accumulate_spins, ON_SUBSYSTEM, system, s)  # type: ignore[no-any-return]
    return COMPLETED


@kernel(inline=True)
def commit(system: System, s: int, dt: float) -> None:
    """The trial state of t_{n+1} becomes the state."""
    subsystem = system.subsystems[s]
    if has(subsystem, DRIVES):
        call(system.kernels.commit_spin_drives, ON_SUBSYSTEM, system, s)
    if system.trains.trains[s].carrier != ON_GROUND:
        call(system.kernels.commit_carrier, ON_SUBSYSTEM, system, s)
    commit_spins(system.trains.spins, subsystem.first_spin, subsystem.last_spin)
    subsystem.stretch = dt / subsystem.previous_dt if subsystem.previous_dt > 0.0 else 1.0
    subsystem.previous_dt = dt
