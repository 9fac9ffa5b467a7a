"""How far the slave has moved against the master: what tells when lists and sleep end.

The motion clock adds, from one pose looked at to the next, the largest displacement of points of the slave in a sphere
that holds all where it can be near the master.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, plus, scaled, set_vector, vector_of
from .nodes import into_master, turned_back


@kernel
def follow_motion(pair: Record, rotation: Floats, offset: Vector) -> None:
    """Let the motion clock go on to a pose, and the angle turned since lists were made."""
    centre = vector_of(pair.centre)
    moved = minus(into_master(rotation, offset, centre), into_master(pair.rotation, vector_of(pair.offset), centre))
    turned = 0.0
    for i in range(3):
        for k in range(3):
            turned += (rotation[i, k] - pair.rotation[i, k]) ** 2
            pair.rotation[i, k] = rotation[i, k]
    # the square is 8 sin^2(angle/2), and a point at distance r moves by 2 r sin(angle/2)
    turned = math.sqrt(0.5 * turned)
    pair.clock += math.sqrt(dot(moved, moved)) + pair.reach * turned
    pair.turned += turned
    set_vector(pair.offset, offset)


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
