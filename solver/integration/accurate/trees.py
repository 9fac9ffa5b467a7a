"""Steps controlled by their error of subsystems that move by joint coordinates (`integration.trees`).

The unknowns are the coordinates and the speeds of the freedoms, see `tree_motion`; what the joints of the tree hold
needs no rows, and no corrections.  With N, the motions that the freedoms let happen, and a_0, the accelerations that
bodies have where speeds do not grow, the growth u' of the speeds and the multipliers of the rows that close loops are

    [ N^T M N   -N^T G^T ] [ u'     ]   [ N^T (F - M a_0)      ]
    [ G N           0    ] [ lambda ] = [ -(G a_0 + c) + c*    ]

c the curvatures of these rows and c* the accelerations that drives want: the matrix is that of `tree_matrix` where
nothing moves in the step.  It also takes what places and velocities lack at the end of a step: dq with -g on the right
side, du with v* - G v, and with the impulse that a free tree's momentum lacks.  That is integrated by itself, with the
weights of the step, so that it is kept to round-off.
"""

from __future__ import annotations

import math

from ...constraints.curvatures import joint_curvatures, relation_curvatures
from ...constraints.joints import joint_residuals
from ...constraints.relations import relation_residuals
from ...constraints.rows import rate_of_row
from ...constraints.tree_limbs import (
    FREE,
    NO_DRIVE,
    ROWS_CLOSE,
    add_forces_behind,
    add_growth_behind,
    along_twist,
    describe_limb,
    rolls,
    set_column,
)
from ...constraints.tree_matrix import add_symmetric_closings, add_symmetric_pairs, eliminate, solve
from ...constraints.tree_places import grow_coordinates, hang, orientation_on
from ...core.bodies import FARTHEST, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, minus, plus, scaled, set_vector, vector_of
from ..rows import has
from ..status import AGAIN, COMPLETED
from ..step import add_forces
from ..system import DRIVES, FORCES, JOINT_FORCES, LOOPS, System
from ..tree_loops import set_loop_jacobians
from .coefficients import LAST, SHARES
from .drives import measure_drives
from .motion import MOST_TURN, see_turn, shift, take_trial_quaternion, turn_from_begin, turn_up_to
from .rates import clear_forces, find_powers, release_drives
from .tree_motion import keep_coordinate_rates, set_accelerations, set_velocities

LEAST_COSINE = math.cos(0.5 * MOST_TURN)  # of half the angle that a body may turn in a step


# ---- places and velocities -----------------------------------------------------------------------------------


@kernel
def place_on_tree(system: System, s: int) -> int:
    """Bodies where the rates of the stages before the one at hand put them, and their velocities.

    AGAIN where one is lost, or turns too far.  But at the end of a step with loops the matrix is of this place.
    """
    subsystem, clock = system.subsystems[s], system.accurate.clocks[s]
    grow_freedoms(system, s, clock.stage, clock.tried)
    turns_count = has(subsystem, FORCES) or clock.stage == LAST
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if not place_at_stage(system, i, clock.stage, clock.tried, turns_count):
            return AGAIN
    describe(system, s)
    if clock.stage < LAST or not has(subsystem, LOOPS):
        renew_matrix(system, s)
    set_all_velocities(system, s)
    if has(subsystem, JOINT_FORCES):
        measure(system, s)
        keep_measured(system, s)
    return COMPLETED


@kernel(inline=True)
def grow_freedoms(system: System, s: int, stage: int, h: float) -> None:
    """Steps and speeds of the freedoms at a stage."""
    subsystem = system.subsystems[s]
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        freedom, step, gained = system.accurate.freedoms[k], 0.0, 0.0
        for j in range(stage):
            share = h * SHARES[stage, j]
            step += share * freedom.rates[j]
            gained += share * freedom.growths[j]
        system.trees.freedoms[k].step = step
        freedom.speed = freedom.speed_before + gained


@kernel(inline=True)
def place_at_stage(system: System, i: int, stage: int, h: float, turns_count: bool) -> bool:
    """The body of a limb by the steps of its freedoms, once its parent is in place; False if it is lost.

    turns_count : whether somebody asks by how much it has turned
    """
    limb, freedoms = system.trees.limbs[i], system.trees.freedoms
    body, motion = system.bodies[limb.body], system.accurate.motions[limb.body]
    if rolls(limb.kind):
        k = system.accurate.limbs[i].last_freedom - 3
        set_vector(motion.theta, (freedoms[k].step, freedoms[k + 1].step, freedoms[k + 2].step))
        if not turn_from_begin(motion, body):
            return False
    if turns_count:
        turn_up_to(motion, stage, h)
    return put(system, limb) and turns_within(motion.quaternion, body.quaternion)


@kernel(inline=True)
def put(system: System, limb: Record) -> bool:
    """The body of a limb by the coordinates of its joint; False if it is lost.  One that rolls has turned already."""
    body, motion = system.bodies[limb.body], system.accurate.motions[limb.body]
    parent, freedoms = system.bodies[system.trees.limbs[limb.parent].body], system.trees.freedoms
    grow_coordinates(limb, freedoms)
    if not rolls(limb.kind):
        q = body.trial_quaternion
        q[0], q[1], q[2], q[3] = orientation_on(limb, parent)
        take_trial_quaternion(body)
    if limb.kind == FREE:
        k = limb.first_freedom
        for c in range(3):
            body.displacement[c], body.low_displacement[c] = motion.displacement[c], motion.low_displacement[c]
        return shift(body, (freedoms[k].step, freedoms[k + 1].step, freedoms[k + 2].step))  # type: ignore[no-any-return]
    hang(limb, parent, body)
    for c in range(3):
        body.displacement[c] = body.trial_displacement[c]
        body.low_displacement[c] = body.trial_low_displacement[c]
    u = vector_of(body.displacement)
    return bool(max(abs(u[0]), abs(u[1]), abs(u[2])) < FARTHEST)


@kernel(inline=True)
def turns_within(old: Record, new: Record) -> bool:
    """Whether a body turns in a step by no more than it may: whole turns of joints are counted at its end."""
    return bool(abs(old[0] * new[0] + old[1] * new[1] + old[2] * new[2] + old[3] * new[3]) >= LEAST_COSINE)


@kernel(inline=True)
def describe(system: System, s: int) -> None:
    """Limbs where bodies are, places counted from where the first of them was at the begin of the step."""
    subsystem, limbs = system.subsystems[s], system.trees.limbs
    first = limbs[subsystem.first_limb].body
    origin, moved = system.bodies[first], vector_of(system.accurate.motions[first].displacement)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        slide = limbs[i].trial_slide[0] + limbs[i].trial_slide[1]
        describe_limb(limbs, i, system.trees.freedoms, system.bodies, origin, moved, slide)


@kernel(inline=True)
def set_all_velocities(system: System, s: int) -> None:
    """Velocities of the bodies by the speeds of the freedoms, as forces see them as well."""
    subsystem, trees, twists = system.subsystems[s], system.trees, system.trees.freedoms
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body, parent = system.bodies[limb.body], system.bodies[trees.limbs[limb.parent].body]
        set_velocities(limb, twists, system.accurate.freedoms, body, parent)


@kernel
def renew_matrix(system: System, s: int) -> None:
    """The matrix where bodies are, which have been described, and its factors."""
    subsystem, trees = system.subsystems[s], system.trees
    tree, limbs, freedoms = trees.trees[s], trees.limbs, trees.freedoms
    for i in range(tree.first_value, tree.last_value):
        trees.values[i] = 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        start_inertia(limbs[i], system.bodies[limbs[i].body].mass)
    add_growth_behind(limbs, subsystem.first_limb, subsystem.last_limb)
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        set_column(freedoms[k], limbs[freedoms[k].limb])
    add_symmetric_pairs(trees.pairs, tree.first_pair, tree.last_pair, freedoms, trees.values)
    if has(subsystem, LOOPS):
        set_loop_jacobians(system, s)
        first, last = tree.first_closing, tree.last_closing
        add_symmetric_closings(trees.closings, first, last, freedoms, limbs, system.entries, trees.values)
    eliminate(trees.fronts, tree.first_front, tree.last_front, trees.targets, trees.values, trees.magnitudes)


@kernel(inline=True)
def start_inertia(limb: Record, mass: float) -> None:
    """Mass, first moment and inertia of a limb about the origin, to which those behind it are added."""
    place, out = vector_of(limb.place), limb.turning
    limb.mass = mass
    set_vector(limb.first_moment, scaled(mass, place))
    set_vector(limb.trial_first_moment, scaled(mass, place))
    xx, xy, xz, yy, yz, zz = limb.inertia
    x, y, z = place
    out[0, 0], out[1, 1], out[2, 2] = (
        xx + mass * (y * y + z * z), yy + mass * (x * x + z * z), zz + mass * (x * x + y * y)
    )  # fmt: skip
    out[0, 1], out[0, 2], out[1, 2] = xy - mass * x * y, xz - mass * x * z, yz - mass * y * z
    out[1, 0], out[2, 0], out[2, 1] = out[0, 1], out[0, 2], out[1, 2]


@kernel(inline=True)
def measure(system: System, s: int) -> None:
    """Coordinates of the joints that are asked for, and residuals of the rows that close loops, where bodies are."""
    subsystem, tree, joints, rows = system.subsystems[s], system.trees.trees[s], system.joints, system.rows
    for k in range(tree.first_watched, tree.last_watched):
        i = system.trees.watched[k].joint
        joint_residuals(joints, i, i + 1, rows, system.bodies)
    first, last = subsystem.first_relation, subsystem.last_relation
    relation_residuals(system.relations, system.terms, first, last, joints, rows)
    if has(subsystem, DRIVES):
        measure_drives(system, s)


@kernel(inline=True)
def keep_measured(system: System, s: int) -> None:
    """Trial coordinates of these joints become their coordinates."""
    tree = system.trees.trees[s]
    for k in range(tree.first_watched, tree.last_watched):
        joint = system.joints[system.trees.watched[k].joint]
        joint.turns, joint.angle, joint.slide = joint.trial_turns, joint.trial_angle, joint.trial_slide


# ---- rates ---------------------------------------------------------------------------------------------------


@kernel
def find_tree_rates(system: System, s: int) -> int:
    """`rates.find_rates` of the stage at hand, with the matrix of its place."""
    subsystem, accurate, stage = system.subsystems[s], system.accurate, system.accurate.clocks[s].stage
    for i in range(subsystem.first_body, subsystem.last_body):
        see_turn(accurate.motions[i], system.bodies[i])
    clear_forces(system, subsystem)
    status = add_forces(system, s)
    if status != COMPLETED:
        return status
    accelerate(system, s, stage)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = system.trees.limbs[i]
        body, motion = system.bodies[limb.body], accurate.motions[limb.body]
        keep_coordinate_rates(limb, accurate.freedoms, accurate.limbs[i].last_freedom, motion, body, stage)
        spin = vector_of(body.mean_angular_velocity)
        set_vector(motion.spins[stage], spin)
        set_vector(motion.accelerations[stage], vector_of(body.trial_velocity))
        set_vector(motion.moments[stage], plus(vector_of(body.trial_momentum), cross(spin, vector_of(body.momentum))))
    find_powers(system, s, stage)
    return COMPLETED


@kernel(inline=True)
def accelerate(system: System, s: int, stage: int) -> None:
    """Growth of the speeds, multipliers of loops, and accelerations of the bodies, by the forces at hand."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    for k in range(subsystem.first_freedom, subsystem.last_freedom):
        accurate.freedoms[k].growth = 0.0
    set_all_accelerations(system, s)
    sum_forces(system, s, stage)
    x, first = trees.solution, trees.trees[s].first_unknown
    count = subsystem.last_freedom - subsystem.first_freedom
    for k in range(count):
        freedom = trees.freedoms[subsystem.first_freedom + k]
        limb = trees.limbs[freedom.limb]
        x[first + k] = along_twist(freedom.twist, vector_of(limb.force), vector_of(limb.moment))
    if has(subsystem, LOOPS):
        set_curvatures(system, s)
        for k in range(subsystem.last_loop - subsystem.first_loop):
            x[first + count + k] = -system.rows[trees.loops[subsystem.first_loop + k].row].residual
    solve(trees.fronts, trees.trees[s].first_front, trees.trees[s].last_front, trees.unknowns, trees.values, x)
    for k in range(count):
        freedom = accurate.freedoms[subsystem.first_freedom + k]
        freedom.growth = x[first + k]
        freedom.growths[stage] = x[first + k]
    for k in range(subsystem.last_loop - subsystem.first_loop):
        loop = trees.loops[subsystem.first_loop + k]
        loop.multiplier = x[first + count + k]
        system.rows[loop.row].multiplier = loop.multiplier
        push_roots(system, loop, stage)
    set_all_accelerations(system, s)


@kernel(inline=True)
def set_all_accelerations(system: System, s: int) -> None:
    """Those of the bodies, as trial velocities, by the growth of the speeds at hand."""
    subsystem, trees, accurate = system.subsystems[s], system.trees, system.accurate
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb, twists = trees.limbs[i], trees.freedoms
        body, parent = system.bodies[limb.body], system.bodies[trees.limbs[limb.parent].body]
        set_accelerations(limb, accurate.limbs[i], twists, accurate.freedoms, body, parent, accurate.limbs[limb.parent])


@kernel(inline=True)
def sum_forces(system: System, s: int, stage: int) -> None:
    """limb.force, limb.moment <- F - M a_0 of each limb and all behind it; pushes of free trees are those of F."""
    subsystem, limbs, accurate = system.subsystems[s], system.trees.limbs, system.accurate
    for i in range(subsystem.first_limb, subsystem.last_limb):
        if limbs[i].kind == FREE:
            for c in range(6):
                accurate.limbs[i].pushes[stage, c] = 0.0
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = limbs[i]
        body, place = system.bodies[limb.body], vector_of(limb.place)
        force = plus(total_force(body, 0), scaled(body.mass, vector_of(body.gravity)))
        moment = total_force(body, 3)
        push_root(accurate.limbs[accurate.limbs[i].root], stage, force, plus(moment, cross(place, force)))
        whirl = cross(vector_of(body.mean_angular_velocity), vector_of(body.momentum))
        force = minus(force, scaled(body.mass, vector_of(body.trial_velocity)))
        moment = minus(moment, plus(whirl, vector_of(body.trial_momentum)))
        set_vector(limb.force, force)
        set_vector(limb.moment, plus(moment, cross(place, force)))
    add_forces_behind(limbs, subsystem.first_limb, subsystem.last_limb)


@kernel(inline=True)
def total_force(body: Record, first: int) -> Vector:
    """Of all kinds; first : 0 the force, 3 the moment."""
    e, x, d = body.elastic, body.external, body.dissipative
    return (
        e[first] + x[first] + d[first],
        e[first + 1] + x[first + 1] + d[first + 1],
        e[first + 2] + x[first + 2] + d[first + 2],
    )


@kernel(inline=True)
def push_root(root: Record, stage: int, force: Vector, moment: Vector) -> None:
    """Momenta of all limbs behind a root grow by this; moment : about the origin."""
    push = root.pushes[stage]
    push[0] += force[0]
    push[1] += force[1]
    push[2] += force[2]
    push[3] += moment[0]
    push[4] += moment[1]
    push[5] += moment[2]


@kernel(inline=True)
def push_roots(system: System, loop: Record, stage: int) -> None:
    """What a row that closes a loop does to the momenta of free trees."""
    accurate, trees = system.accurate, system.trees
    held = system.rows[loop.row]
    for e in range(held.start, held.end):
        entry = system.entries[e]
        i = trees.limb_of[entry.body]
        q, root = entry.jacobian, accurate.limbs[accurate.limbs[i].root]
        force = scaled(loop.multiplier, (q[0], q[1], q[2]))
        moment = scaled(loop.multiplier, (q[3], q[4], q[5]))
        push_root(root, stage, force, plus(moment, cross(vector_of(trees.limbs[i].place), force)))


@kernel(inline=True)
def set_curvatures(system: System, s: int) -> None:
    """row.residual <- G a_0 + c - c* of the rows that close loops; bodies have the accelerations a_0."""
    subsystem, trees, curvatures = system.subsystems[s], system.trees, system.accurate.curvatures
    joints, rows, bodies = system.joints, system.rows, system.bodies
    for k in range(trees.trees[s].first_watched, trees.trees[s].last_watched):
        if trees.watched[k].purpose == ROWS_CLOSE:
            i = trees.watched[k].joint
            joint_curvatures(joints, i, i + 1, rows, bodies, curvatures)
    relation_curvatures(system.relations, system.terms, subsystem.first_relation, subsystem.last_relation, joints,
                        bodies, curvatures)  # fmt: skip
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = trees.loops[k]
        i = loop.row
        wanted = system.accurate.aims[loop.drive].acceleration if loop.drive != NO_DRIVE else 0.0
        rows[i].residual = rate_of_row(rows[i], system.entries, bodies, True) + curvatures[i] - wanted
    release_drives(system, subsystem)
