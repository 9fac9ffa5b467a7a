"""The compiled time loop of subsystems whose bodies make a tree: joint coordinates, and rows where loops are closed.

The scheme is that of `step`, without multipliers of the joints of the tree (`constraints.tree_limbs`).  The growth of
the joint coordinates and the multipliers of rows that close loops are extrapolated from the steps before and corrected
by Newton's method, with the matrix of `constraints.tree_matrix` at the predicted positions of this step or an earlier
one.  Forces see the bodies as on the general path; what depends on the rate sees the extrapolated motion first, then
that of each correction, and `constraints.tree_dampers` are in the matrix.  A step that gains or loses energy, or in
which rows are not met, ends as on the general path, and is taken in parts.
"""

from __future__ import annotations

import math

from ..constraints.drives import commit_drives
from ..constraints.joints import commit_joints, joint_residuals
from ..constraints.rows import TIGHT
from ..constraints.tree_limbs import (
    AT_END,
    KNOWN_BEFORE,
    NO_DRIVE,
    add_forces_behind,
    add_growth_behind,
    along_twist,
    commit_freedom,
    commit_limb,
    describe_limb,
    lack_of_momentum,
    move_limb,
    note_before,
    set_column_and_line,
    set_reaction,
    set_trial_twists,
    start_growth,
)
from ..constraints.tree_matrix import add_closings, add_pairs, eliminate, solve
from ..constraints.tree_places import place_limb
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import to_body
from ..core.vectors import set_vector, vector_of
from .accuracy import is_large_beside_motion, is_large_beside_work, work_of_forces
from .internal_forces import refine_internal_forces, start_internal_forces
from .kick_drift import commit_bodies, kick_body, renew_mean_velocity, start_forces
from .pieces import note_failure, sample_from
from .rows import has
from .status import COMPLETED, INACCURATE, ROWS_NOT_MET
from .step import accumulate_work, begin_step, has_converged
from .system import (
    DRIVES,
    FORCES,
    FREEDOMS,
    LOADS,
    LOOPS,
    OF_MOTION,
    ON_SAMPLE,
    ON_SUBSYSTEM,
    Samples,
    System,
)
from .tree_loops import (
    aim_drives,
    measure_loops,
    note_efforts,
    push_loop,
    set_loop_jacobians,
    set_trial_loop_jacobians,
)

# Momenta are met to this of the size that all have together, or to this of what round-off of the places is along them;
# what is left is made good in the next step.
OF_MOMENTA, OF_PLACES = 1e-12, 1 / 64
MOST_PASSES = 12  # Newton's method that has not converged after these never does
SLOW = 0.05  # a correction that leaves more than this of the residual asks for a new matrix, see also `is_far`
MANY_PASSES = 1  # corrections of a step after which the next one has a matrix of its own
AGED = 2  # of a matrix that did well: it is of an earlier step, and serves the next if it may do as well again
LEFT = 0.25  # of the tolerance, what the first correction by such a matrix may be expected to leave
FAR_FROM_ROUND_OFF = 100  # tolerances: below these all corrections are slow


@kernel
def advance_trees(
    system: System, samples: Samples, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
    step_0: int, time_0: float, dt: float,
) -> int:  # fmt: skip
    """`loop.advance` for those of the subsystems [first, last) that move by joint coordinates."""
    for s in range(first, last):
        subsystem = system.subsystems[s]
        if not has(subsystem, FREEDOMS) or system.trees.active[s] == 0:
            continue
        if has(subsystem, OF_MOTION):
            start_forces(system.bodies, None, subsystem.first_body, subsystem.last_body, subsystem.previous_dt)
        next_sample, status = sample_from(samples, step), COMPLETED
        for k in range(n_steps):
            is_sample = next_sample < len(samples.step) and samples.step[next_sample] == step + k
            subsystem.sampled = 1 if is_sample else 0
            status = tree_step(system, s, time_0 + (step + k - step_0) * dt, dt)
            if is_sample:
                if status == COMPLETED:
                    status = call(system.kernels.sample_tree, ON_SAMPLE, system, samples, next_sample, chunk, s)
                next_sample += 1
            if status != COMPLETED:
                note_failure(outcome, status, step + k, system.steps[s].culprit)
                break
            commit(system, s, dt)
        call(system.kernels.place_joints, ON_SUBSYSTEM, system, s)
        if status == ROWS_NOT_MET:  # for the message
            row = system.rows[system.steps[s].culprit]
            row.residual = system.steps[s].worst / row.inverse_tolerance
    return COMPLETED


@kernel(inline=True)
def tree_step(system: System, s: int, t: float, dt: float) -> int:
    """Subsystem s from t_n to the trial state of t_{n+1}; returns a status."""
    subsystem, step = system.subsystems[s], system.steps[s]
    begin_step(subsystem, step, t, dt, subsystem.previous_dt)
    describe(system, s)
    predict(system, s)
    lost = move(system, s)
    if lost >= 0:
        lost = start_at_rest(system, s)
    status = COMPLETED
    if has(subsystem, FORCES):
        if step.damped == 1 and lost < 0 and subsystem.previous_dt > 0.0:
            renew_mean_velocities(system, s)
        status = start_internal_forces(system, s)
        if status == COMPLETED and has(subsystem, LOADS):
            status = call(system.kernels.add_loads, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    status = aim(system, s)
    if status == COMPLETED:
        status = meet_targets(system, s)
    if status == COMPLETED:
        note_efforts(system, subsystem)
        status = accumulate_work(system, s)
    return status  # type: ignore[no-any-return]


@kernel
def describe(system: System, s: int) -> None:
    """Limbs and Jacobians of loops at t_n."""
    subsystem, trees = system.subsystems[s], system.trees
    origin = system.bodies[trees.limbs[subsystem.first_limb].body]
    for i in range(subsystem.first_limb, subsystem.last_limb):
        slide = trees.limbs[i].slide[0] + trees.limbs[i].slide[1]
        moved = vector_of(origin.displacement)
        describe_limb(trees.limbs, i, trees.freedoms, system.bodies, origin, moved, slide)
    if has(subsystem, LOOPS):
        set_loop_jacobians(system, s)


@kernel(inline=True)
def predict(system: System, s: int) -> None:
    """Steps of the freedoms, extrapolated from the steps before."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    even, stretch = trees.trees[s].even, subsystem.stretch
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom = trees.freedoms[k]
        freedom.step = step.dt * extrapolated(freedom.before, even, stretch)


@kernel(inline=True)
def extrapolated(before: Record, even: int, stretch: float) -> float:
    """The next value, by all where steps were equal; stretch : of the last step over the one before."""
    if even >= KNOWN_BEFORE:  # their sixth difference is zero
        outer, inner = 6.0 * (before[0] + before[4]), 15.0 * (before[1] + before[3])
        return outer - inner + 20.0 * before[2] - before[5]  # type: ignore[no-any-return]
    if before[1] != 0.0:
        return before[0] + stretch * (before[0] - before[1])  # type: ignore[no-any-return]
    return before[0]  # type: ignore[no-any-return]


@kernel(inline=True)
def start_at_rest(system: System, s: int) -> int:
    """The step from no motion, where the extrapolated one leads beyond all bounds."""
    subsystem = system.subsystems[s]
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        system.trees.freedoms[k].step = 0.0
    return move(system, s)


@kernel
def move(system: System, s: int) -> int:
    """Limbs by the steps of their freedoms, bodies too where loops ask for it; one that is lost, or -1."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if not move_limb(trees.limbs, i, trees.freedoms, step.dt):
            return trees.limbs[i].body  # type: ignore[no-any-return]
    if has(subsystem, LOOPS):
        place(system, s)
    return -1


@kernel(inline=True)
def place(system: System, s: int) -> None:
    """Trial places of the bodies."""
    subsystem, trees = system.subsystems[s], system.trees
    for i in range(subsystem.first_limb, subsystem.last_limb):
        place_limb(trees.limbs, i, trees.freedoms, system.bodies)


# ---- forces --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def hand_over(body: Record, limb: Record) -> None:
    """Trial velocities of a body."""
    motion = limb.motion
    body.trial_velocity[0], body.trial_velocity[1], body.trial_velocity[2] = motion[0], motion[1], motion[2]
    body.trial_momentum[0], body.trial_momentum[1], body.trial_momentum[2] = motion[3], motion[4], motion[5]


@kernel
def renew_mean_velocities(system: System, s: int) -> None:
    """The estimates of v_n, by the trial motion; dissipative forces are put aside."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body = system.bodies[limb.body]
        hand_over(body, limb)
        renew_mean_velocity(body, None, limb.body, step.weight)


@kernel
def aim(system: System, s: int) -> int:
    """Targets of the momenta, from the forces of t_n and the predicted multipliers of loops."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    for i in range(subsystem.first_limb, subsystem.last_limb):
        kick_body(system.bodies[trees.limbs[i].body], step.kick)
    if has(subsystem, DRIVES):
        status = aim_drives(system, s)
        if status != COMPLETED:
            return status
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body, pushed = system.bodies[limb.body], limb.pushed
        for c in range(3):
            pushed[c], pushed[c + 3] = body.mass * body.trial_velocity[c], body.trial_momentum[c]
        for c in range(6):
            limb.target[c] = pushed[c]
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = trees.loops[k]
        loop.multiplier = extrapolated(loop.before, trees.trees[s].even, subsystem.stretch)
        push_loop(system, loop, step.kick * loop.multiplier)
    return COMPLETED


@kernel
def refine(system: System, s: int) -> int:
    """Forces that depend on the rate at a new estimate of v_n, and the targets by what they change."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    step.damping_passes -= 1
    renew_mean_velocities(system, s)
    status = refine_internal_forces(system, s)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body = system.bodies[limb.body]
        for c in range(6):
            growth = step.kick * (body.dissipative[c] - body.last_dissipative[c])
            limb.pushed[c] += growth
            limb.target[c] += growth
    if step.damping_passes == 0:  # from here on it is others that are solved for
        step.last_worst = math.inf
    step.passes_before = step.passes
    return status  # type: ignore[no-any-return]


# ---- Newton's method -----------------------------------------------------------------------------------------


@kernel(inline=True)
def meet_targets(system: System, s: int) -> int:
    """Steps of the freedoms and multipliers of loops, until momenta and rows are met."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    if subsystem.previous_dt == 0.0:
        refresh(system, s)  # for the stiffnesses
    lost = -1
    while True:
        if lost < 0:
            step.worst = measure(system, s)
            if has_met(step):
                return accept(system, s)
        if lost >= 0 or step.passes >= step.passes_before + MOST_PASSES or not step.worst < math.inf:
            step.weakened = 1  # it is the step that is too long
            step.culprit = trees.trees[s].row
            return ROWS_NOT_MET
        correct(system, s)
        lost = move(system, s)
        if lost < 0 and step.damping_passes > 0:
            status = refine(system, s)
            if status != COMPLETED:
                return status


@kernel(inline=True)
def has_met(step: Record) -> bool:
    """Whether the residuals are at round-off, with the forces of the same motion if that is what they depend on."""
    if step.passes == 0:
        return step.worst == 0.0  # one correction keeps momenta
    return step.worst <= 1.0 or (step.damping_passes == 0 and has_converged(step))


@kernel
def measure(system: System, s: int) -> float:
    """Residuals of momenta and loops; the largest over its tolerance, NaN if any is."""
    subsystem, trees = system.subsystems[s], system.trees
    tree, limbs, worst = trees.trees[s], trees.limbs, 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        lack_of_momentum(limbs[i], system.bodies[limbs[i].body].mass)
    add_forces_behind(limbs, subsystem.first_limb, subsystem.last_limb)
    squares = 0.0
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom = trees.freedoms[k]
        squares += freedom.stiffness * freedom.step * freedom.step
    share = OF_MOMENTA * math.sqrt(squares)
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom = trees.freedoms[k]
        limb = limbs[freedom.limb]
        freedom.residual = along_twist(freedom.twist, vector_of(limb.force), vector_of(limb.moment))
        freedom.residual += freedom.carried
        size = OF_PLACES * TIGHT * (tree.size if freedom.slides == 1 else 1.0)
        worst = larger(worst, abs(freedom.residual) / (size * freedom.stiffness + share * freedom.root))
    if has(subsystem, LOOPS):
        measure_loops(system, s)
        for k in range(subsystem.first_loop, subsystem.last_loop):
            row = system.rows[trees.loops[k].row]
            worst = larger(worst, abs(row.residual) * row.inverse_tolerance)
    return worst


@kernel(inline=True)
def larger(worst: float, size: float) -> float:
    """NaN stays."""
    if size <= worst or math.isnan(worst):
        return worst
    return size if size < 1e300 else math.nan


@kernel
def correct(system: System, s: int) -> None:
    """One correction, with a matrix of the trial positions, or of those of an earlier step if that will do."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    tree = trees.trees[s]
    is_slow = step.last_worst > FAR_FROM_ROUND_OFF and (step.worst > SLOW * step.last_worst or is_far(step))
    has_aged = subsystem.stale == AGED and (tree.floats == 1 or step.worst * tree.rate > LEFT)
    is_other = tree.damped != damps(tree, step) or tree.dt != step.dt or tree.kick != step.kick
    if is_slow or subsystem.stale == 1 or has_aged or is_other:
        refresh(system, s)
    x, freedoms = trees.solution, subsystem.last_freedom - subsystem.first_freedom
    for k in range(freedoms):
        x[tree.first_unknown + k] = -trees.freedoms[subsystem.first_freedom + k].residual
    for k in range(subsystem.last_loop - subsystem.first_loop):
        x[tree.first_unknown + freedoms + k] = -system.rows[trees.loops[subsystem.first_loop + k].row].residual
    solve(trees.fronts, tree.first_front, tree.last_front, trees.unknowns, trees.values, x)
    for k in range(freedoms):
        trees.freedoms[subsystem.first_freedom + k].step += x[tree.first_unknown + k]
    for k in range(subsystem.last_loop - subsystem.first_loop):
        loop, growth = trees.loops[subsystem.first_loop + k], x[tree.first_unknown + freedoms + k]
        loop.multiplier += growth
        push_loop(system, loop, step.kick * growth)
    step.last_worst = step.worst
    step.passes += 1


@kernel(inline=True)
def is_far(step: Record) -> bool:
    """Whether it would take three more corrections that leave as much as the last one did."""
    left = step.worst / step.last_worst
    return step.worst * left * left > 1.0  # type: ignore[no-any-return]


@kernel(inline=True)
def damps(tree: Record, step: Record) -> int:
    """1: the forces of dampers will follow the correction."""
    return 1 if tree.last_damper > tree.first_damper and step.damping_passes > 0 else 0


@kernel
def refresh(system: System, s: int) -> None:
    """Make the matrix of the trial positions, and eliminate."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    tree, limbs, freedoms = trees.trees[s], trees.limbs, trees.freedoms
    for i in range(tree.first_value, tree.last_value):
        trees.values[i] = 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        set_trial_twists(limbs, i, freedoms)
        start_growth(limbs[i], system.bodies[limbs[i].body].mass, step.dt)
    add_growth_behind(limbs, subsystem.first_limb, subsystem.last_limb)
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        set_column_and_line(freedoms[k], limbs[freedoms[k].limb])
    add_pairs(trees.pairs, tree.first_pair, tree.last_pair, freedoms, trees.values)
    if has(subsystem, LOOPS):
        set_trial_loop_jacobians(system, s)
        first, last = tree.first_closing, tree.last_closing
        add_closings(trees.closings, first, last, freedoms, limbs, system.entries, step.kick, trees.values)
    tree.damped = damps(tree, step)
    if tree.damped == 1:
        if tree.first_joint_damper > tree.first_damper:
            call(system.kernels.damp_tree_by_springs, ON_SUBSYSTEM, system, s)
        if tree.last_damper > tree.first_joint_damper:
            call(system.kernels.damp_tree_by_joints, ON_SUBSYSTEM, system, s)
    eliminate(trees.fronts, tree.first_front, tree.last_front, trees.targets, trees.values, trees.magnitudes)
    tree.dt, tree.kick, subsystem.stale = step.dt, step.kick, 0


# ---- the end of a step ---------------------------------------------------------------------------------------


@kernel
def accept(system: System, s: int) -> int:
    """The motion of this step is final: the energy must be kept."""
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        set_reaction(limb, system.bodies[limb.body].mass, step.kick)
    if loses_energy(system, s):
        step.culprit = trees.trees[s].row
        return INACCURATE
    if not has(subsystem, LOOPS):
        place(system, s)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body = system.bodies[limb.body]
        hand_over(body, limb)
        theta = limb.theta
        set_vector(body.theta, to_body(body.rotation, theta[0], theta[1], theta[2]))
    if step.passes > MANY_PASSES:
        subsystem.stale = 1
    elif step.passes > 0:
        subsystem.stale = AGED
        trees.trees[s].rate = step.worst / step.last_worst
    for k in range(trees.trees[s].first_watched, trees.trees[s].last_watched):
        if trees.watched[k].purpose == AT_END:
            i = trees.watched[k].joint
            joint_residuals(system.joints, i, i + 1, system.rows, system.bodies)
    return COMPLETED


@kernel
def loses_energy(system: System, s: int) -> bool:
    """Whether the joints gained or lost too much energy in the step that led to t_n, see `accuracy`.

    Their reactions R do the work (R_{n-1} + R_n)/2 . (x_n - x_{n-1}), none but that of drives where the steps resolve
    the motion.
    """
    subsystem, step, trees = system.subsystems[s], system.steps[s], system.trees
    size, kinetic, error, work = trees.trees[s].size, 0.0, 0.0, 0.0
    per_step = 1.0 / step.previous_dt if step.previous_dt > 0.0 else 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body, now, before = system.bodies[limb.body], limb.reaction, limb.last_reaction
        for c in range(3):
            turning = per_step * body.momentum[c] * body.step_rotation[c]
            kinetic += 0.5 * (body.mass * body.velocity[c] * body.velocity[c] + turning)
            error += 0.5 * step.previous_dt * body.velocity[c] * (before[c] + now[c])
            error += 0.5 * body.step_rotation[c] * (before[c + 3] + now[c + 3])
            work += abs(now[c]) * size + abs(now[c + 3])
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = trees.loops[k]
        if loop.drive != NO_DRIVE:
            error -= 0.5 * (loop.last + loop.multiplier) * system.drives[loop.drive].last_target_step
    if not is_large_beside_motion(subsystem, step, error, kinetic):
        return False
    return is_large_beside_work(subsystem, step, work_of_forces(system, s), work)


@kernel
def commit(system: System, s: int, dt: float) -> None:
    """The trial state becomes the state."""
    subsystem, trees = system.subsystems[s], system.trees
    tree = trees.trees[s]
    commit_bodies(subsystem, system.bodies, None, dt, has(subsystem, OF_MOTION))
    for i in range(subsystem.first_limb, subsystem.last_limb):
        commit_limb(trees.limbs[i])
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        commit_freedom(trees.freedoms[k], dt)
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = trees.loops[k]
        loop.last = loop.multiplier
        note_before(loop.before, loop.multiplier)
        row = system.rows[loop.row]
        row.committed_residual, row.multiplier = row.residual, loop.multiplier
    for k in range(tree.first_watched, tree.last_watched):
        i = trees.watched[k].joint
        commit_joints(system.joints, i, i + 1, dt)
    if has(subsystem, DRIVES):
        commit_drives(system.drives, subsystem.first_drive, subsystem.last_drive)
    # a rate of a step that is not as long as the one before is none of those of equal steps
    tree.even = min(tree.even + 1, KNOWN_BEFORE) if dt == subsystem.previous_dt else 0
    subsystem.stretch = dt / subsystem.previous_dt if subsystem.previous_dt > 0.0 else 1.0
    subsystem.previous_dt = dt
