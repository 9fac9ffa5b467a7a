"""Rigid walls (/RWALL): planes, spheres, cylinders and parallelograms that nodes cannot pass.

A wall moves with the node that carries it and does not turn.  With the gap g of a node in front of it, normal n, and
the displacement d of the node against the wall in a step, a **kinematic** wall wants at the end of the step

    g_{n+1} >= min(g_n, 0)  and a force F with F.n >= 0, one of both being zero:

a node that would pass ends on the wall, one that stands behind it comes no deeper, and nothing is thrown back.  Along
the wall a tied node keeps d = 0, unless that takes a force that pulls: then it is let go, and slides for the rest of
the step if it would pass; with friction it keeps d = 0 where |F_t| <= mu F.n suffices, else |F_t| = mu F.n against d.

F is found with the velocity of the step, by sweeps over all nodes that touch (projected Gauss-Seidel: J. J. Moreau and
M. Jean, the NSCD method; M. Jean, Comput. Methods Appl. Mech. Engrg. 177, 1999, 235-257): with the rate u = d/dt that
the trial motion leaves and the response B of u to a force, F <- F - u/(kick B), cut to what is allowed.  Where rows
(joints, drives ...) act, B contains what they answer, so that a wall stops a whole mechanism.  Passes of the time loop
repeat that with the exact positions until nothing changes.

A **penalty** wall pushes with F.n = k z + c z' at depth z = -g; along the wall it is like a kinematic one.  Tied nodes
of one body that sink or rise by different depths z turn it, and cannot all keep d = 0: the distance along the wall
between two of them changes by what they rise against each other, times the tilt.  Where passes do not settle, such a
node may go as far along the wall as the turn of the step takes what is z high.
"""

from __future__ import annotations

import math

from ..constraints.kkt import Matrix
from ..core.bodies import GROUND, Floats, Record, Records, Vector
from ..core.body_points import (
    DISSIPATIVE,
    add_force,
    angle_of_step,
    arm_of,
    displacement_of_reference,
    forces_on,
    shift_between,
    velocity_at,
    velocity_in_step,
)
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, opposite, plus, scaled, set_vector, times, vector_of
from .compliance import change_at, clear_change, find_response, reply
from .rigid_wall_records import (
    CYLINDER,
    DAMPING_ENERGY,
    ELASTIC_ENERGY,
    FRICTION,
    FRICTION_ENERGY,
    PARALLELOGRAM,
    PLANE,
    SLIDING,
    SPHERE,
    TIED,
    WALL_PASSES,
    WALL_SLACK,
    Walls,
)

TOLERANCE = 1e-12  # of the fastest speed so far, to which a pass must leave the rates alone
ROUND_OFF = 1e-15  # of the places that a rate is the difference of
MOST_SWEEPS = 300
PULL = 1e-9  # of the fastest speed: a tied node that is not pulled harder than that stays
BESIDE = 1e-9  # of its sides, by which nodes may lie outside of a parallelogram

# ---- geometry --------------------------------------------------------------------------------------------------


@kernel
def gap_at(wall: Record, place: Vector) -> tuple[float, Vector]:
    """Distance in front of the wall, and the normal there."""
    axis = vector_of(wall.axis)
    if wall.kind == PLANE or wall.kind == PARALLELOGRAM:
        return dot(axis, place), axis
    out = place
    if wall.kind == CYLINDER:
        out = minus(place, scaled(dot(axis, place), axis))
    distance = math.sqrt(dot(out, out))
    if distance == 0.0:  # on the axis any direction leads out
        out = cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0))
        if wall.kind == SPHERE:
            out = (1.0, 0.0, 0.0)
        return -wall.radius, scaled(1.0 / math.sqrt(dot(out, out)), out)
    return distance - wall.radius, scaled(1.0 / distance, out)


@kernel
def beside(wall: Record, place: Vector) -> bool:
    """Whether a place lies outside of the sides of a parallelogram."""
    if wall.kind != PARALLELOGRAM:
        return False
    first, second = dot(vector_of(wall.across[0]), place), dot(vector_of(wall.across[1]), place)
    return min(first, second) < -BESIDE or max(first, second) > 1.0 + BESIDE


@kernel(inline=True)
def place_of(wall: Record, node: Record, arm: Vector, carried: Vector, bodies: Records, trial: bool) -> Vector:
    """Place of a node from M; arm, carried : of the node, and of the one that carries the wall."""
    turned = minus(arm, vector_of(node.point.arm))
    turned = minus(turned, minus(carried, vector_of(wall.carrier.arm)))
    shift = shift_between(bodies[wall.carrier.body], bodies[node.point.body], trial)
    return plus(vector_of(node.start), plus(shift, turned))


@kernel
def trial_place(wall: Record, node: Record, bodies: Records) -> Vector:
    """The same at the trial positions."""
    arm = arm_of(node.point, bodies[node.point.body], True)
    return place_of(wall, node, arm, arm_of(wall.carrier, bodies[wall.carrier.body], True), bodies, True)


@kernel
def start_walls(walls: Walls, subsystem: Record, bodies: Records) -> None:
    """Places at t_n, and as a first guess the forces of the last step."""
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        wall.fresh = 0
        carried = arm_of(wall.carrier, bodies[wall.carrier.body], False)
        set_vector(wall.arm, carried)
        for k in range(wall.first_node, wall.last_node):
            node = walls.nodes[k]
            arm = arm_of(node.point, bodies[node.point.body], False)
            set_vector(node.arm, arm)
            set_vector(node.place, place_of(wall, node, arm, carried, bodies, False))
            gap, normal = gap_at(wall, vector_of(node.place))
            node.gap, node.known, node.was_tied, node.let_go = gap, 0, node.tied, 0
            set_vector(node.normal, normal)
            out = beside(wall, vector_of(node.place))
            if gap >= 0.0 or out:
                node.in_front = 1 if gap >= 0.0 else 0
            node.elastic = 0.0
            if wall.penalty == 1 and gap < 0.0 and node.in_front == 1:
                node.elastic = -node.stiffness * gap
            if has_force(node):
                push(wall, node, bodies, 1.0)


@kernel(inline=True)
def has_force(node: Record) -> bool:
    return bool(node.force[0] != 0.0 or node.force[1] != 0.0 or node.force[2] != 0.0)


@kernel
def push(wall: Record, node: Record, bodies: Records, sign: float) -> None:
    """The force on the node, and the opposite on the node that carries the wall; with sign -1 taken away again."""
    force = scaled(sign, vector_of(node.force))
    add_force(forces_on(bodies[node.point.body], DISSIPATIVE), node.arm, force)
    if wall.carrier.body != GROUND:
        add_force(forces_on(bodies[wall.carrier.body], DISSIPATIVE), wall.arm, opposite(force))


# ---- the forces ------------------------------------------------------------------------------------------------


@kernel
def hold_nodes(
    walls: Walls, subsystem: Record, s: int, bodies: Records, rows: Records, entries: Records, matrix: Matrix,
    kick: float, dt: float, passes: int,
) -> float:  # fmt: skip
    """Forces for the trial motion at hand, added to those of the bodies; returns how much they still change.

    That is the largest change of a speed, over what counts: up to 1 they have settled.
    passes : of this step before
    """
    measure_rates(walls, subsystem, s, bodies, rows, entries, matrix, dt, passes >= WALL_PASSES)
    clear_change(walls, subsystem)
    largest = 0.0
    for sweep in range(MOST_SWEEPS):
        worst = 0.0  # change of a speed, over what counts
        for w in range(subsystem.first_wall, subsystem.last_wall):
            wall = walls.walls[w]
            for k in range(wall.first_node, wall.last_node):
                node = walls.nodes[k]
                if node.touches == 0:
                    continue
                rate = plus(vector_of(node.rate), change_at(walls, wall, node))
                before = vector_of(node.force)
                force = new_force(wall, node, bodies, rate, kick)
                step = minus(force, before)
                if step == (0.0, 0.0, 0.0):
                    continue
                set_vector(node.force, force)
                reply(walls, subsystem, wall, node, bodies, scaled(kick, step))
                speed = kick * max(node.normal_response, node.tangential_response) * math.sqrt(dot(step, step))
                worst = max(worst, speed / noise(wall, node, bodies, walls.fastest[s], dt))
        if sweep == 0:
            largest = worst
        if worst <= 0.1:
            break
    if let_go_of_pulled(walls, subsystem, kick, s):
        largest = math.inf
    if passes == WALL_PASSES - 1 and largest > WALL_SLACK and forget_forces(walls, subsystem):
        largest = math.inf
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        for k in range(wall.first_node, wall.last_node):
            if has_force(walls.nodes[k]):
                push(wall, walls.nodes[k], bodies, 1.0)
    return largest


@kernel
def noise(wall: Record, node: Record, bodies: Records, fastest: float, dt: float) -> float:
    """Speed that does not count."""
    moved = displacement_of_reference(bodies[node.point.body], True)
    carried = displacement_of_reference(bodies[wall.carrier.body], True)
    place, start = vector_of(node.place), vector_of(node.start)
    size = math.sqrt(dot(moved, moved) + dot(carried, carried) + dot(place, place) + dot(start, start))
    return TOLERANCE * fastest + ROUND_OFF * size / dt


@kernel
def measure_rates(
    walls: Walls, subsystem: Record, s: int, bodies: Records, rows: Records, entries: Records, matrix: Matrix,
    dt: float, gives_way: bool,
) -> None:  # fmt: skip
    """Which nodes touch, and the rates at which they would pass or slide in the trial motion.

    gives_way : whether nodes in a tied wall that pushes by their depth go along it as the body turns
    """
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        for k in range(wall.first_node, wall.last_node):
            node = walls.nodes[k]
            place = trial_place(wall, node, bodies)
            gap, _ = gap_at(wall, place)
            stays = node.in_front == 1 and not beside(wall, place)
            node.touches = 0
            if wall.penalty == 1:
                stays = stays and node.elastic > 0.0
            elif stays and gap < min(node.gap, 0.0):
                node.touches = 1
            if not stays:
                node.tied = 0
                set_vector(node.force, (0.0, 0.0, 0.0))
            elif has_force(node) or node.elastic > 0.0 or node.tied == 1:
                node.touches = 1
            if node.touches == 0:
                continue
            normal, moved = vector_of(node.normal), minus(place, vector_of(node.place))
            walls.fastest[s] = max(walls.fastest[s], math.sqrt(dot(moved, moved)) / dt)
            along = minus(moved, scaled(dot(moved, normal), normal))
            if node.gap > 0.0:
                along = without(along, 2.0 * node.gap * angle_of_step(bodies[node.point.body]))
            elif gives_way and yields(wall):
                depth = max(-node.gap, -gap)
                along = without(along, 2.0 * depth * angle_of_step(bodies[node.point.body]))
            # what is as good as on the wall stays where it is
            on_wall = node.was_tied == 1 or node.gap <= 4.0 * dt * noise(wall, node, bodies, walls.fastest[s], dt)
            across = (gap - node.gap if on_wall else gap) / dt
            set_vector(node.rate, plus(scaled(1.0 / dt, along), scaled(across, normal)))
            if node.known == 0:
                find_response(walls, subsystem, s, wall, node, bodies, rows, entries, matrix)
            if node.normal_response == 0.0:  # it is held already
                node.touches = 0
                set_vector(node.force, (0.0, 0.0, 0.0))


@kernel(inline=True)
def yields(wall: Record) -> bool:
    """Whether nodes sink in a wall that holds them along it, whatever force that takes."""
    return bool(wall.penalty == 1 and wall.mode == TIED)


@kernel
def forget_forces(walls: Walls, subsystem: Record) -> bool:
    """Begin anew where nodes were asked for what they could not do together: their forces have grown against that.

    Returns whether there were any.
    """
    found = False
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        if yields(wall):
            for k in range(wall.first_node, wall.last_node):
                found = found or has_force(walls.nodes[k])
                set_vector(walls.nodes[k].force, (0.0, 0.0, 0.0))
    return found


@kernel(inline=True)
def without(v: Vector, length: float) -> Vector:
    """A vector shortened by a length, at most to nothing.

    A node that lands while its body turns about others that stick moves along the wall by its gap times that turn; to
    want none of it would set one node against the others.
    """
    size = math.sqrt(dot(v, v))
    return scaled(1.0 - length / size, v) if size > length else (0.0, 0.0, 0.0)


@kernel
def let_go_of_pulled(walls: Walls, subsystem: Record, kick: float, s: int) -> bool:
    """Let go of tied nodes that are pulled; whether there were any.

    What was let go may come back in the same step, or could not have been stopped but by a force that pulls: for the
    rest of the step it slides.
    """
    found = False
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        if wall.mode != TIED or wall.penalty == 1:
            continue
        for k in range(wall.first_node, wall.last_node):
            node = walls.nodes[k]
            pull = -dot(vector_of(node.force), vector_of(node.normal)) * kick * node.normal_response
            if node.touches == 1 and node.let_go == 0 and pull > PULL * walls.fastest[s]:
                node.let_go, node.tied, found = 1, 0, True
                set_vector(node.force, (0.0, 0.0, 0.0))
    return found


@kernel(inline=True)
def new_force(wall: Record, node: Record, bodies: Records, rate: Vector, kick: float) -> Vector:
    """The force that brings a rate to zero, as far as it is allowed."""
    normal, force = vector_of(node.normal), vector_of(node.force)
    in_normal, response = dot(force, normal), kick * node.normal_response
    if wall.penalty == 1:
        pressing = penalty_force(wall, node, bodies)
    else:
        pressing = in_normal - dot(rate, normal) / response
        node.tied = 1 if wall.mode == TIED and (pressing > 0.0 or node.let_go == 0) else 0
        if pressing <= 0.0 and node.tied == 0:
            return 0.0, 0.0, 0.0
    if wall.mode == SLIDING or node.let_go == 1 or node.tangential_response == 0.0:
        return scaled(pressing, normal)
    along = minus(force, scaled(in_normal, normal))
    left = plus(rate, scaled(kick * (pressing - in_normal), times(node.response, normal)))
    slip = minus(left, scaled(dot(left, normal), normal))
    along = minus(along, scaled(1.0 / (kick * node.tangential_response), slip))
    size = math.sqrt(dot(along, along))
    if wall.mode == FRICTION and size > wall.friction * pressing:
        along = scaled(wall.friction / size, along)
        if wall.penalty == 1:
            return plus(scaled(pressing, normal), scaled(pressing, along))
        # the normal force that the friction it causes leaves enough of
        direction = plus(normal, along)
        reply_to_both = dot(normal, times(node.response, direction))
        if reply_to_both > 0.0:
            wanted = dot(normal, times(node.response, force)) - dot(rate, normal) / kick
            pressing = max(0.0, wanted / reply_to_both)
        return scaled(pressing, direction)
    return plus(scaled(pressing, normal), along)


@kernel
def penalty_force(wall: Record, node: Record, bodies: Records) -> float:
    """k z + c z' at the mean velocities, never pulling."""
    carried = velocity_at(wall.arm, bodies[wall.carrier.body])
    opening = dot(minus(velocity_at(node.arm, bodies[node.point.body]), carried), vector_of(node.normal))
    return max(0.0, node.elastic - wall.damping_time * node.stiffness * opening)


# ---- work and results ------------------------------------------------------------------------------------------


@kernel
def book_walls(walls: Walls, subsystem: Record, bodies: Records, previous_dt: float, dt: float) -> None:
    """Work of the forces, half with those of either end of a step; they are taken out of those of the bodies.

    What is lost in one step must not depend on how far that turned: either half goes with the angular velocity that
    the momentum of the step has with the rotation of its own end.  So the energies of bodies of any inertia close.
    """
    for w in range(subsystem.first_wall, subsystem.last_wall):
        wall = walls.walls[w]
        work = vector_of(wall.coming_work)
        coming = (0.0, 0.0, 0.0)
        for k in range(wall.first_node, wall.last_node):
            node = walls.nodes[k]
            if node.elastic == 0.0 and not has_force(node):
                continue
            body, carrier = bodies[node.point.body], bodies[wall.carrier.body]
            past = minus(velocity_in_step(node.arm, body, False), velocity_in_step(wall.arm, carrier, False))
            work = plus(work, scaled(0.5 * previous_dt, powers(node, past)))
            next_ = minus(velocity_in_step(node.arm, body, True), velocity_in_step(wall.arm, carrier, True))
            coming = plus(coming, scaled(0.5 * dt, powers(node, next_)))
            push(wall, node, bodies, -1.0)
        wall.elastic_work += work[0]
        wall.damping_work += work[1]
        wall.friction_work += work[2]
        set_vector(wall.coming_work, coming)


@kernel(inline=True)
def powers(node: Record, velocity: Vector) -> Vector:
    """Power of the elastic part of the normal force, of the rest of it, and of what acts along the wall."""
    normal, force = vector_of(node.normal), vector_of(node.force)
    opening, in_normal = dot(velocity, normal), dot(force, normal)
    return opening * node.elastic, opening * (in_normal - node.elastic), dot(velocity, force) - opening * in_normal


@kernel
def record_wall(walls: Walls, w: int, out: Floats) -> None:
    """Fill out (WALL_WIDTH,): forces on the wall, nodes that touch it, energies so far."""
    wall = walls.walls[w]
    out[:] = 0.0
    for k in range(wall.first_node, wall.last_node):
        node = walls.nodes[k]
        in_normal = dot(vector_of(node.force), vector_of(node.normal))
        for c in range(3):
            out[c] -= in_normal * node.normal[c]
            out[3 + c] -= node.force[c] - in_normal * node.normal[c]
        out[6] += 1.0 if has_force(node) else 0.0
    out[ELASTIC_ENERGY], out[DAMPING_ENERGY] = -wall.elastic_work, -wall.damping_work
    out[FRICTION_ENERGY] = -wall.friction_work
