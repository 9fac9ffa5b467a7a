"""How far the slave has moved against the master: what tells when lists and sleep end.

From one pose looked at to the next the slave turns about an axis, and a point of it, the `centre`, moves.  Of the turns
since lists were made those about their common `axis` are counted apart from the rest, so that a point at a distance r
from the axis through the centre has moved by no more than

    way + about r,   way : of the centre, and what turns about other axes move points at the distance `reach` by.

The centre is that of a sphere of the radius `reach` that holds all of the slave where it can be near the master.  As
meshes mostly roll on each other about some point there, what is near it moves little.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, set_vector, vector_of
from .nodes import into_master, turned_back

MOST_TURN = 0.045  # radians after which lists are made anew


@kernel(inline=True)
def turn_between(before: Floats, after: Floats) -> tuple[Vector, float]:
    """The turn from one rotation to another about its axis, axes of the slave, and its size: 2 sin(angle/2).

    A point at distance r from the axis moves by r times that.  Zero for the turn beyond 120 degrees.
    """
    square, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        a, b, c = after[i, 0] - before[i, 0], after[i, 1] - before[i, 1], after[i, 2] - before[i, 2]
        square += a * a + b * b + c * c
        x += before[i, 2] * b - before[i, 1] * c
        y += before[i, 0] * c - before[i, 2] * a
        z += before[i, 1] * a - before[i, 0] * b
    size, twice = math.sqrt(0.5 * square), math.sqrt(x * x + y * y + z * z)  # this is 2 sin(angle)
    if not twice > size:
        return (0.0, 0.0, 0.0), size
    return (x * size / twice, y * size / twice, z * size / twice), size


@kernel
def follow_motion(pair: Record, rotation: Floats, offset: Vector) -> None:
    """Let what is counted go on to a pose."""
    centre, axis = vector_of(pair.centre), vector_of(pair.axis)
    moved = minus(into_master(rotation, offset, centre), into_master(pair.rotation, vector_of(pair.offset), centre))
    way = math.sqrt(dot(moved, moved))
    turn, size = turn_between(pair.rotation, rotation)
    for i in range(3):
        for k in range(3):
            pair.rotation[i, k] = rotation[i, k]
    set_vector(pair.offset, offset)
    about = dot(turn, axis)
    rest = minus(turn, scaled(about, axis))
    other = math.sqrt(dot(rest, rest)) if dot(turn, turn) > 0.0 else size
    pair.clock += way + pair.reach * size
    pair.angle += size
    pair.all_about += abs(about)
    pair.all_across += other
    pair.way += way + pair.reach * other
    pair.about += abs(about)
    pair.ahead += about
    pair.across += other
    set_vector(pair.turns, plus(vector_of(pair.turns), turn))


@kernel(inline=True)
def distance_from_axis(pair: Record, point: Floats) -> float:
    off = cross(minus(vector_of(point), vector_of(pair.centre)), vector_of(pair.axis))
    return math.sqrt(dot(off, off))


@kernel(inline=True)
def width_of(corners: tuple[Vector, Vector, Vector], middle: Vector, axis: Vector) -> float:
    """How much further from an axis than its middle a facet may reach."""
    a, b = cross(minus(corners[0], middle), axis), cross(minus(corners[1], middle), axis)
    c = cross(minus(corners[2], middle), axis)
    return math.sqrt(max(dot(a, a), dot(b, b), dot(c, c)))


@kernel(inline=True)
def width_about_axis(pair: Record, facet: Record) -> float:
    """The same of the smooth surface of a triangle."""
    corners = vector_of(facet.corners[0]), vector_of(facet.corners[1]), vector_of(facet.corners[2])
    return width_of(corners, vector_of(facet.middle), vector_of(pair.axis)) + facet.sag


@kernel(inline=True)
def motion_of(pair: Record, distance: float) -> float:
    """How far a point at a distance from the axis has moved at most since lists were made."""
    return pair.way + pair.about * distance


@kernel
def set_reach(pair: Record, slave: Record, master: Record, rotation: Floats, offset: Vector) -> None:
    """A sphere that holds what two spheres have in common, those of the meshes, the master's larger by the margin.

    slave, master : records MESH
    """
    of_slave = vector_of(slave.centre)
    of_master = turned_back(rotation, minus(vector_of(master.centre), offset))
    apart = minus(of_master, of_slave)
    distance = math.sqrt(dot(apart, apart))
    a, b = slave.radius, master.radius + 3.0 * pair.margin
    if distance <= abs(a - b):
        centre, reach = (of_slave, a) if a <= b else (of_master, b)
    elif distance >= a + b:
        centre, reach = plus(of_slave, scaled(a / distance, apart)), distance - a - b + pair.margin
    else:
        along = 0.5 * (distance + (a * a - b * b) / distance)
        if along <= 0.0:
            centre, reach = of_slave, a
        elif along >= distance:
            centre, reach = of_master, b
        else:
            centre = plus(of_slave, scaled(along / distance, apart))
            reach = math.sqrt(max(0.0, a * a - along * along))
    set_vector(pair.centre, centre)
    pair.reach = reach
