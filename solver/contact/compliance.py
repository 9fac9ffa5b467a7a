"""What forces between nodes and walls do to velocities: what rigid walls need of the rest of a machine."""

from __future__ import annotations

import math

from ..constraints.kkt import REDUNDANT, Matrix, assemble_matrix, factorise, solve_corrections
from ..core.bodies import GROUND, Floats, Record, Records, Vector
from ..core.body_points import response_at, velocities_by
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, opposite, plus, point_velocity, scaled, times, vector_of
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
        assemble_matrix(matrix, s, subsystem, rows, entries, bodies)
        factorise(matrix, s, REDUNDANT)
    body, carrier = bodies[node.point.body], bodies[wall.carrier.body]
    free = 0.0  # the least response in the normal direction that counts
    normal = vector_of(node.normal)
    for c in range(3):
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        column = plus(response_at(node.arm, body, unit), response_at(wall.arm, carrier, unit))
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
def find_reply(
    walls: Walls, subsystem: Record, s: int, wall: Record, node: Record, bodies: Records, rows: Records,
    entries: Records, matrix: Matrix, c: int, unit: Vector,
) -> None:  # fmt: skip
    """Velocities of all bodies for a unit force on the node and its opposite on the wall, rows answering."""
    first, n = subsystem.first_body, subsystem.last_body - subsystem.first_body
    start = node.first_reply + c * n
    velocities = walls.reply[start : start + n]
    velocities[:] = 0.0
    add_response(velocities[node.point.body - first], bodies[node.point.body], node.arm, unit)
    if wall.carrier.body != GROUND:
        add_response(velocities[wall.carrier.body - first], bodies[wall.carrier.body], wall.arm, opposite(unit))
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
                velocity, weighted = velocities[entries[k].body - first], entries[k].weighted
                for d in range(6):
                    velocity[d] += rows[i].correction * weighted[d]


@kernel
def add_response(velocity: Floats, body: Record, arm: Floats, force: Vector) -> None:
    """velocity (6,) += M^-1 Q of a force at an arm."""
    linear, spin = velocities_by(body, force, cross(vector_of(arm), force))
    for c in range(3):
        velocity[c] += linear[c]
        velocity[c + 3] += spin[c]


@kernel(inline=True)
def velocity_of_point(velocity: Floats, arm: Floats) -> Vector:
    """Of a point of a body that has these six."""
    return point_velocity(velocity, velocity[3:], vector_of(arm))


@kernel
def reply_at(walls: Walls, subsystem: Record, wall: Record, node: Record, c: int) -> Vector:
    """Velocity of the node against the wall in a reply."""
    start = node.first_reply + c * (subsystem.last_body - subsystem.first_body) - subsystem.first_body
    velocity = velocity_of_point(walls.reply[start + node.point.body], node.arm)
    if wall.carrier.body == GROUND:
        return velocity
    return minus(velocity, velocity_of_point(walls.reply[start + wall.carrier.body], wall.arm))


@kernel
def change_at(walls: Walls, wall: Record, node: Record) -> Vector:
    """What the sweeps so far have changed of the velocity of a node against the wall."""
    change = velocity_of_point(walls.change[node.point.body], node.arm)
    return minus(change, velocity_of_point(walls.change[wall.carrier.body], wall.arm))


@kernel
def clear_change(walls: Walls, subsystem: Record) -> None:
    for i in range(subsystem.first_body, subsystem.last_body):
        for c in range(6):
            walls.change[i, c] = 0.0


@kernel
def reply(walls: Walls, subsystem: Record, wall: Record, node: Record, bodies: Records, impulse: Vector) -> None:
    """Change the velocities by an impulse on the node and its opposite on the wall."""
    if subsystem.last_row == subsystem.first_row:
        add_response(walls.change[node.point.body], bodies[node.point.body], node.arm, impulse)
        if wall.carrier.body != GROUND:
            add_response(walls.change[wall.carrier.body], bodies[wall.carrier.body], wall.arm, opposite(impulse))
        return
    n = subsystem.last_body - subsystem.first_body
    for c in range(3):
        start = node.first_reply + c * n
        for b in range(n):
            for d in range(6):
                walls.change[subsystem.first_body + b, d] += impulse[c] * walls.reply[start + b, d]
