"""What forces between nodes and walls do to velocities: what rigid walls need of the rest of a machine."""

from __future__ import annotations

import math

from ..constraints.kkt import REDUNDANT, Matrix, assemble_matrix, factorise, solve_corrections
from ..core.bodies import GROUND, Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import angular_velocity
from ..core.vectors import cross, dot, minus, plus, point_velocity, scaled, times, vector_of
from .rigid_wall_records import Walls

BLOCKED = 1e-9  # of its response without rows, below which rows hold a node in a direction


@kernel
def find_response(
    walls: Walls, subsystem: Record, s: int, wall: Record, node: Record, bodies: Records, rows: Records,
    entries: Records, matrix: Matrix,
) -> None:  # fmt: skip
    """Velocity of the node against the wall for unit forces on both, rows answering."""
    node.known = 1
    first_wall = walls.walls[subsystem.first_wall]
    if subsystem.last_row > subsystem.first_row and first_wall.fresh == 0:
        # with an older matrix directions that rows block would seem free
        first_wall.fresh = 1
        assemble_matrix(matrix, s, rows, subsystem.first_row, subsystem.last_row, entries, bodies)
        factorise(matrix, s, REDUNDANT)
    body, carrier = bodies[node.body], bodies[wall.body]
    free = 0.0  # the least response in the normal direction that counts
    normal = vector_of(node.normal)
    for c in range(3):
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        column = plus(own_response(body, node.arm, unit), own_response(carrier, wall.arm, unit))
        free += dot(column, normal) * normal[c]
        if subsystem.last_row > subsystem.first_row:
            find_reply(walls, subsystem, s, wall, node, bodies, rows, entries, matrix, c, unit)
            column = reply_at(walls, subsystem, wall, node, c)
        for d in range(3):
            node.response[d, c] = column[d]
    first = cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.6 else (0.0, 1.0, 0.0))
    first = scaled(1.0 / math.sqrt(dot(first, first)), first)
    second = cross(normal, first)
    in_normal = dot(normal, times(node.response, normal))
    one, both = times(node.response, first), times(node.response, second)
    a, b, mixed = dot(first, one), dot(second, both), dot(second, one)
    largest = 0.5 * (a + b + math.sqrt((a - b) * (a - b) + 4.0 * mixed * mixed))
    node.normal_response = in_normal if in_normal > BLOCKED * free else 0.0
    node.tangential_response = largest if largest > BLOCKED * free else 0.0


@kernel
def own_response(body: Record, arm: Floats, force: Vector) -> Vector:
    """Velocity of a point of a body for a force there, no rows answering."""
    moment = cross(vector_of(arm), force)
    spin = angular_velocity(body, moment[0], moment[1], moment[2])
    return plus(scaled(body.inverse_mass, force), cross(spin, vector_of(arm)))


@kernel
def find_reply(
    walls: Walls, subsystem: Record, s: int, wall: Record, node: Record, bodies: Records, rows: Records,
    entries: Records, matrix: Matrix, c: int, unit: Vector,
) -> None:  # fmt: skip
    """Velocities of all bodies for a unit force on the node and its opposite on the wall, rows answering."""
    first, n = subsystem.first_body, subsystem.last_body - subsystem.first_body
    start = node.first_reply + c * n
    velocities = walls.reply[start : start + n]
    velocities[:] = 0.0
    add_wrench(velocities[node.body - first], bodies[node.body], unit, cross(vector_of(node.arm), unit), 1.0)
    if wall.body != GROUND:
        moment = cross(vector_of(wall.arm), unit)
        add_wrench(velocities[wall.body - first], bodies[wall.body], unit, moment, -1.0)
    for i in range(subsystem.first_row, subsystem.last_row):
        rate = 0.0
        for k in range(rows[i].start, rows[i].end):
            if entries[k].body != GROUND:
                velocity, jacobian = velocities[entries[k].body - first], entries[k].jacobian
                for d in range(6):
                    rate += jacobian[d] * velocity[d]
        rows[i].residual = rate
    solve_corrections(matrix, s, rows, subsystem.first_row, subsystem.last_row, -1.0)
    for i in range(subsystem.first_row, subsystem.last_row):
        if rows[i].correction == 0.0:
            continue
        for k in range(rows[i].start, rows[i].end):
            if entries[k].body != GROUND:
                jacobian = entries[k].jacobian
                force, moment = (jacobian[0], jacobian[1], jacobian[2]), (jacobian[3], jacobian[4], jacobian[5])
                body = bodies[entries[k].body]
                add_wrench(velocities[entries[k].body - first], body, force, moment, rows[i].correction)


@kernel
def add_wrench(velocity: Floats, body: Record, force: Vector, moment: Vector, factor: float) -> None:
    """velocity (6,) += factor M^-1 (force, moment)."""
    spin = angular_velocity(body, moment[0], moment[1], moment[2])
    for c in range(3):
        velocity[c] += factor * body.inverse_mass * force[c]
        velocity[c + 3] += factor * spin[c]


@kernel(inline=True)
def velocity_at(velocity: Floats, arm: Floats) -> Vector:
    """Of a point of a body that has these six."""
    return point_velocity(velocity, velocity[3:], vector_of(arm))


@kernel
def reply_at(walls: Walls, subsystem: Record, wall: Record, node: Record, c: int) -> Vector:
    """Velocity of the node against the wall in a reply."""
    start = node.first_reply + c * (subsystem.last_body - subsystem.first_body) - subsystem.first_body
    velocity = velocity_at(walls.reply[start + node.body], node.arm)
    if wall.body == GROUND:
        return velocity
    return minus(velocity, velocity_at(walls.reply[start + wall.body], wall.arm))


@kernel
def change_at(walls: Walls, wall: Record, node: Record) -> Vector:
    """What the sweeps so far have changed of the velocity of a node against the wall."""
    change = velocity_at(walls.change[node.body], node.arm)
    return minus(change, velocity_at(walls.change[wall.body], wall.arm))


@kernel
def clear_change(walls: Walls, subsystem: Record) -> None:
    for i in range(subsystem.first_body, subsystem.last_body):
        for c in range(6):
            walls.change[i, c] = 0.0


@kernel
def reply(walls: Walls, subsystem: Record, wall: Record, node: Record, bodies: Records, impulse: Vector) -> None:
    """Change the velocities by an impulse on the node and its opposite on the wall."""
    if subsystem.last_row == subsystem.first_row:
        moment = cross(vector_of(node.arm), impulse)
        add_wrench(walls.change[node.body], bodies[node.body], impulse, moment, 1.0)
        if wall.body != GROUND:
            moment = cross(vector_of(wall.arm), impulse)
            add_wrench(walls.change[wall.body], bodies[wall.body], impulse, moment, -1.0)
        return
    n = subsystem.last_body - subsystem.first_body
    for c in range(3):
        start = node.first_reply + c * n
        for b in range(n):
            for d in range(6):
                walls.change[subsystem.first_body + b, d] += impulse[c] * walls.reply[start + b, d]
