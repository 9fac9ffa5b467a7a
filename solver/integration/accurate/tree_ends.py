"""Trees with steps that are controlled by their error: where steps begin and end, and what their errors are."""

from __future__ import annotations

import math

from ...constraints.rows import TIGHT, rate_of_row
from ...constraints.tree_limbs import FREE, NO_DRIVE, along_twist, commit_coordinates, rolls
from ...constraints.tree_matrix import solve
from ...constraints.tree_places import grow_coordinates
from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.rotation import to_body, to_global, turn_quaternion
from ...core.vectors import cross, minus, plus, scaled, set_vector, vector_of
from ..rows import has
from ..status import COMPLETED, ROWS_NOT_MET
from ..step import ACCEPTED
from ..system import LOOPS, System
from .coefficients import ERROR_SHARES, LAST, SHARES
from .motion import begin_motion, relative_error, take_trial_quaternion
from .projection import LARGEST_RESIDUAL, MOST_PASSES
from .rates import release_drives
from .tree_motion import spread
from .trees import describe, keep_measured, measure, put, renew_matrix, set_all_velocities

# ---- the end of a step ---------------------------------------------------------------------------------------


@kernel
def meet_tree(system: System, s: int) -> int:
    """`projection.meet_rows`: loops closed, and free trees with the momenta that the step gives them."""
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    clock.passes, clock.residual = 0, 0.0
    if has(subsystem, LOOPS):
        if not close_loops(system, s):
            return ROWS_NOT_MET
        keep_measured(system, s)
        describe(system, s)
        renew_matrix(system, s)
        set_all_velocities(system, s)
    elif clock.flies == 0:
        return COMPLETED
    correct_speeds(system, s, clock.tried)
    return COMPLETED


@kernel(inline=True)
def close_loops(system: System, s: int) -> bool:
    """Corrections of places, until the rows that close loops are met; whether they are."""
    subsystem, trees, clock = system.subsystems[s], system.trees, system.accurate.clocks[s]
    rows, last, worst, culprit = system.rows, math.inf, 0.0, 0
    for passes in range(MOST_PASSES):
        measure(system, s)
        worst = -1.0
        for k in range(subsystem.first_loop, subsystem.last_loop):
            i = trees.loops[k].row
            size = abs(rows[i].residual) * rows[i].inverse_tolerance
            if not size <= worst:
                worst, culprit = size, i
        stands = passes >= 2 and worst <= ACCEPTED and worst > 0.5 * last
        if worst <= 1.0 or stands or passes + 1 == MOST_PASSES or not worst < math.inf:
            break
        if not correct_places(system, s):
            return False
        clock.passes, last = passes + 1, worst
    for k in range(subsystem.first_loop, subsystem.last_loop):
        rows[trees.loops[k].row].committed_residual = rows[trees.loops[k].row].residual
    clock.residual, system.steps[s].culprit = worst * TIGHT, culprit
    return bool(clock.residual <= LARGEST_RESIDUAL)


@kernel(inline=True)
def correct_places(system: System, s: int) -> bool:
    """Bodies moved by what takes the residuals of loops away; False if one is lost."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    x, first = trees.solution, trees.trees[s].first_unknown
    count = subsystem.last_freedom - subsystem.first_freedom
    for k in range(count):
        x[first + k] = 0.0
    for k in range(subsystem.last_loop - subsystem.first_loop):
        x[first + count + k] = -system.rows[trees.loops[subsystem.first_loop + k].row].residual
    solve(trees.fronts, trees.trees[s].first_front, trees.trees[s].last_front, trees.unknowns, trees.values, x)
    for k in range(count):
        trees.freedoms[subsystem.first_freedom + k].step += x[first + k]
        accurate.freedoms[subsystem.first_freedom + k].small = x[first + k]
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb, own = trees.limbs[i], accurate.limbs[i]
        spread(limb, own, accurate.limbs[limb.parent], trees.freedoms, accurate.freedoms)
        if rolls(limb.kind):
            turn_by(system.bodies[limb.body], vector_of(own.turn))
        if not put(system, limb):
            return False
    return True


@kernel(inline=True)
def turn_by(body: Record, turn: Vector) -> None:
    """Turn a body from where it is; turn : a rotation vector, global."""
    set_vector(body.theta, to_body(body.rotation, turn[0], turn[1], turn[2]))
    turn_quaternion(body.quaternion, body.theta, body.trial_quaternion)
    take_trial_quaternion(body)


@kernel(inline=True)
def correct_speeds(system: System, s: int, h: float) -> tuple[float, float]:
    """Speeds that the rows of loops admit, with the momenta that free trees have after a step of length h.

    Returns the work of drives, and what an impact of theirs loses of it.
    """
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    x, first = trees.solution, trees.trees[s].first_unknown
    count = subsystem.last_freedom - subsystem.first_freedom
    for k in range(count):
        x[first + k] = 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if trees.limbs[i].kind == FREE:
            impulse, moment = missing_momentum(system, s, i, h)
            for k in range(trees.limbs[i].first_freedom, accurate.limbs[i].last_freedom):
                x[first + k - subsystem.first_freedom] = along_twist(trees.freedoms[k].twist, impulse, moment)
    for k in range(subsystem.last_loop - subsystem.first_loop):
        loop = trees.loops[subsystem.first_loop + k]
        i = loop.row
        wanted = accurate.aims[loop.drive].rate if loop.drive != NO_DRIVE else 0.0
        system.rows[i].residual = rate_of_row(system.rows[i], system.entries, system.bodies, False) - wanted
    release_drives(system, subsystem)
    for k in range(subsystem.last_loop - subsystem.first_loop):
        x[first + count + k] = -system.rows[trees.loops[subsystem.first_loop + k].row].residual
    solve(trees.fronts, trees.trees[s].first_front, trees.trees[s].last_front, trees.unknowns, trees.values, x)
    for k in range(count):
        accurate.freedoms[subsystem.first_freedom + k].speed += x[first + k]
    done, lost = 0.0, 0.0
    for k in range(subsystem.last_loop - subsystem.first_loop):
        loop = trees.loops[subsystem.first_loop + k]
        if loop.drive != NO_DRIVE:
            done += x[first + count + k] * accurate.aims[loop.drive].rate
            lost -= 0.5 * x[first + count + k] * system.rows[loop.row].residual
    set_all_velocities(system, s)
    return done, lost


@kernel(inline=True)
def missing_momentum(system: System, s: int, root: int, h: float) -> tuple[Vector, Vector]:
    """What the momentum and the angular momentum of a free tree lack after a step; about the origin."""
    of_root = system.accurate.limbs[root]
    momentum, moment = momentum_of(system, s, root)
    carried = of_root.carried
    missing = minus((carried[0], carried[1], carried[2]), momentum)
    turning = minus((carried[3], carried[4], carried[5]), moment)
    if h > 0.0:
        for j in range(LAST):
            push, share = of_root.pushes[j], h * SHARES[LAST, j]
            missing = plus(missing, scaled(share, (push[0], push[1], push[2])))
            turning = plus(turning, scaled(share, (push[3], push[4], push[5])))
    return missing, turning


@kernel(inline=True)
def momentum_of(system: System, s: int, root: int) -> tuple[Vector, Vector]:
    """Momentum, and angular momentum about the origin, of all limbs behind a root."""
    subsystem, total, turning = system.subsystems[s], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if system.accurate.limbs[i].root == root:
            limb = system.trees.limbs[i]
            body = system.bodies[limb.body]
            momentum = scaled(body.mass, vector_of(body.velocity))
            total = plus(total, momentum)
            turning = plus(turning, plus(vector_of(body.momentum), cross(vector_of(limb.place), momentum)))
    return total, turning


# ---- errors --------------------------------------------------------------------------------------------------


@kernel
def error_of_tree(system: System, s: int) -> int:
    """clock.error <- the largest error of all bodies in a step, by those of the freedoms, as `motion.error_of`."""
    subsystem, trees, accurate, clock = system.subsystems[s], system.trees, system.accurate, system.accurate.clocks[s]
    largest = 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb, own, above = trees.limbs[i], accurate.limbs[i], accurate.limbs[trees.limbs[i].parent]
        for k in range(limb.first_freedom, own.last_freedom):
            accurate.freedoms[k].small = missed(accurate.freedoms[k].rates, clock.tried)
        if rolls(limb.kind):
            turn_against_parent(
                accurate.freedoms, own.last_freedom - 3, system.bodies[limb.body], vector_of(above.turn)
            )
        spread(limb, own, above, trees.freedoms, accurate.freedoms)
        set_vector(own.turn_error, vector_of(own.turn))
        set_vector(own.place_error, moved_by(own, limb))
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb, own = trees.limbs[i], accurate.limbs[i]
        for k in range(limb.first_freedom, own.last_freedom):
            accurate.freedoms[k].small = missed(accurate.freedoms[k].growths, clock.tried)
        spread(limb, own, accurate.limbs[limb.parent], trees.freedoms, accurate.freedoms)
        error = relative_error(
            vector_of(own.place_error), vector_of(own.turn_error), moved_by(own, limb), vector_of(own.turn),
            accurate.motions[limb.body], system.bodies[limb.body], clock.size, clock.least_speed,
        )  # fmt: skip
        largest = max(largest, error)
    clock.error = largest
    return COMPLETED


@kernel(inline=True)
def missed(rates: Floats, h: float) -> float:
    """What the result of lower order says otherwise; rates : of the stages."""
    total = 0.0
    for j in range(LAST + 1):
        total += ERROR_SHARES[j] * rates[j]
    return h * total


@kernel(inline=True)
def turn_against_parent(freedoms: Records, k: int, body: Record, turn_before: Vector) -> None:
    """Small turns of three freedoms, in the axes of the body, as turns against its parent in global axes."""
    turn = to_global(body.rotation, freedoms[k].small, freedoms[k + 1].small, freedoms[k + 2].small)
    freedoms[k].small, freedoms[k + 1].small, freedoms[k + 2].small = minus(turn, turn_before)


@kernel(inline=True)
def moved_by(own: Record, limb: Record) -> Vector:
    """How a limb moves at its place, by what `spread` found."""
    return plus(vector_of(own.shift), cross(vector_of(own.turn), vector_of(limb.place)))


# ---- the begin -----------------------------------------------------------------------------------------------


@kernel
def start_tree(system: System, s: int) -> int:
    """Limbs and matrix where bodies are, at the begin of a step, and velocities by the speeds of the freedoms."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    accurate.clocks[s].stage, accurate.clocks[s].tried = 0, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        begin_motion(accurate.motions[i], system.bodies[i])
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        trees.freedoms[k].step, accurate.freedoms[k].speed = 0.0, accurate.freedoms[k].speed_before
    for i in range(subsystem.first_limb, subsystem.last_limb):
        grow_coordinates(trees.limbs[i], trees.freedoms)
    describe(system, s)
    renew_matrix(system, s)
    set_all_velocities(system, s)
    note_momenta(system, s)
    return COMPLETED


@kernel
def hold_tree(system: System, s: int) -> int:
    """Places and velocities that drives want which just took hold; work and loss of an impact are theirs."""
    subsystem = system.subsystems[s]
    done, lost = correct_speeds(system, s, 0.0)
    subsystem.drive_work += done
    subsystem.impact_loss += lost
    note_momenta(system, s)
    status = meet_tree(system, s)
    if status == COMPLETED:
        keep_freedoms(system, s)
        note_momenta(system, s)
    return status


@kernel
def commit_tree(system: System, s: int) -> int:
    """The end of a step is the begin of the next, whose first rates are the last of this one."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    keep_freedoms(system, s)
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom = accurate.freedoms[k]
        freedom.rates[0], freedom.growths[0] = freedom.rates[LAST], freedom.growths[LAST]
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        if rolls(limb.kind):
            body, k = system.bodies[limb.body], accurate.limbs[i].last_freedom - 3
            spin = to_body(body.rotation, *vector_of(body.mean_angular_velocity))
            accurate.freedoms[k].rates[0], accurate.freedoms[k + 1].rates[0], accurate.freedoms[k + 2].rates[0] = spin
    if accurate.clocks[s].flies == 1:
        note_momenta(system, s)
        move_origin(system, s)
    return COMPLETED


@kernel(inline=True)
def keep_freedoms(system: System, s: int) -> None:
    """Coordinates and speeds of the freedoms are those at the begin of a step."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom, own = trees.freedoms[k], accurate.freedoms[k]
        freedom.value += freedom.step
        freedom.step = 0.0
        freedom.before[0] = own.speed
        own.speed_before = own.speed
    for i in range(subsystem.first_limb, subsystem.last_limb):
        commit_coordinates(trees.limbs[i])


@kernel(inline=True)
def note_momenta(system: System, s: int) -> None:
    """Momenta that free trees have."""
    subsystem = system.subsystems[s]
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if system.trees.limbs[i].kind == FREE:
            momentum, moment = momentum_of(system, s, i)
            carried = system.accurate.limbs[i].carried
            carried[0], carried[1], carried[2] = momentum
            carried[3], carried[4], carried[5] = moment


@kernel(inline=True)
def move_origin(system: System, s: int) -> None:
    """Moments of free trees about where the first limb is now: places are counted from there in the next step."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    first = trees.limbs[subsystem.first_limb].body
    moved = minus(vector_of(system.bodies[first].displacement), vector_of(accurate.motions[first].displacement))
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if trees.limbs[i].kind == FREE:
            own = accurate.limbs[i]
            about_new_origin(own.carried, moved, own.carried)
            about_new_origin(own.pushes[LAST], moved, own.pushes[0])


@kernel(inline=True)
def about_new_origin(q: Floats, moved: Vector, out: Floats) -> None:
    """out <- a force, or momentum, and its moment about an origin that has moved."""
    force = (q[0], q[1], q[2])
    moment = minus((q[3], q[4], q[5]), cross(moved, force))
    out[0], out[1], out[2] = force
    out[3], out[4], out[5] = moment
