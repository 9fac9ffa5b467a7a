"""When two meshes that are apart will touch: poses ahead are looked at, as bodies get there in free flight.

There is no gap between smooth surfaces to ask for, but there is the depth of patches.  Where two meshes lie below each
other at the end of the step, the time of the touch is found from there by Newton's method, with the rate at which the
depth grows.
"""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records, Vector
from ..core.body_points import free_fall, rotation_of, spin_in_step, velocity_in_step
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, times, vector_of
from ..geometry.contact_points import BUFFER_FULL, GAP_FOUND
from ..geometry.mesh.pairs import relative_offset, set_relative_rotation
from ..geometry.shapes import NOWHERE
from .first_touch import first_root
from .mesh_contacts import find_mesh_pair, patches_at, set_rotation
from .records import Contacts

MOST_POSES = 12  # that are looked at in a step
ACCURATE = 1e-7  # of the step: how far the time may be off
BACK = 0.1  # of the way from a time without a touch to one with it, where Newton's method begins anew


@kernel
def find_mesh_touch(
    contacts: Contacts, interface: Record, row_i: int, row_j: int, bodies: Records, previous_dt: float, dt: float
) -> int:
    """Write the time until two shapes touch to `scratch.gap`; dt if that is later, or if they touch already.

    row_i, row_j : of the shapes.  Returns GAP_FOUND, or BUFFER_FULL where the pool of the interface says which.
    """
    table, found = contacts.meshes.table, dt
    place = find_mesh_pair(
        table, interface.first_mesh_pair, interface.last_mesh_pair, min(row_i, row_j), max(row_i, row_j)
    )
    if place >= 0:
        entry = table[place]
        for p in range(entry.pair, entry.pair + entry.ways):
            is_i = (entry.slave == row_i) == (p == entry.pair)
            rows = (row_i, row_j) if is_i else (row_j, row_i)
            time = time_of_touch(contacts, interface, p, rows, bodies, previous_dt, dt)
            if math.isnan(time):
                return BUFFER_FULL
            found = min(found, time)
    contacts.scratch.gap = found
    return GAP_FOUND


@kernel
def time_of_touch(
    contacts: Contacts, interface: Record, p: int, rows: tuple[int, int], bodies: Records, previous_dt: float, dt: float
) -> float:
    """The same of the p-th pair of meshes, NaN where a buffer is full; rows : of the shapes of slave and master."""
    now = touching_since(contacts, interface, p, rows, bodies, previous_dt, 0.0, 0.0)
    if not now < 0.0:
        return math.nan if math.isnan(now) else dt
    apart, touching, at = 0.0, dt, dt
    for _ in range(MOST_POSES):
        since = touching_since(contacts, interface, p, rows, bodies, previous_dt, at, at - apart)
        if math.isnan(since):
            return math.nan
        if since >= 0.0:
            touching, at = at, at - since
            if min(since, at - apart) < ACCURATE * dt:
                return at + ACCURATE * dt
        elif at == dt:
            return dt
        else:
            apart, at = at, at + BACK * (touching - at)
    return touching


@kernel
def touching_since(
    contacts: Contacts, interface: Record, p: int, rows: tuple[int, int], bodies: Records, previous_dt: float,
    at: float, most: float,
) -> float:  # fmt: skip
    """How long a pair of meshes has touched at a time `at` from now, by its depths and their rates; `most` at most.

    Negative if it does not; NaN where a buffer is full.
    """
    meshes = contacts.meshes
    slave, master = contacts.shapes[rows[0]], contacts.shapes[rows[1]]
    rotation, of_slave, of_master = meshes.pose[0], meshes.pose[1], meshes.pose[2]
    centre = place_ahead(contacts, slave, bodies, previous_dt, at, of_slave)
    master_centre = place_ahead(contacts, master, bodies, previous_dt, at, of_master)
    set_relative_rotation(rotation, of_slave, of_master)
    n = patches_at(contacts, p, interface, relative_offset(centre, master_centre, of_master))
    if n < 0:
        return math.nan
    one, other = bodies[slave.body], bodies[master.body]
    acceleration, longest = minus(free_fall(one), free_fall(other)), -1.0
    for k in range(n):
        patch = meshes.scratch.patches[k]
        normal, point = times(of_slave, patch.normal), plus(times(of_slave, patch.point), centre)
        arm = minus(point, reference_ahead(contacts, slave, one, previous_dt, at))
        other_arm = minus(point, reference_ahead(contacts, master, other, previous_dt, at))
        velocity = minus(velocity_in_step(arm, one, False), velocity_in_step(other_arm, other, False))
        pull = dot(acceleration, normal)
        opening = dot(velocity, normal) + (0.5 * previous_dt + at) * pull
        if patch.deepest > 0.0:
            # back in time the depth falls at the rate at which it opens ahead
            longest = max(longest, first_root(patch.deepest, opening, -pull, most))
    return longest


@kernel(inline=True)
def reference_ahead(contacts: Contacts, shape: Record, body: Record, previous_dt: float, at: float) -> Vector:
    """Where the reference point of the body of a shape will be, from the origin of all contacts."""
    way = plus(
        scaled(at, velocity_in_step(NOWHERE, body, False)), scaled(0.5 * at * (previous_dt + at), free_fall(body))
    )
    return plus(vector_of(contacts.frames[shape.body].place), way)


@kernel
def place_ahead(
    contacts: Contacts, shape: Record, bodies: Records, previous_dt: float, at: float, rotation: Floats
) -> Vector:
    """Where the centre of a shape will be; `rotation` (3, 3) becomes that from its axes then to global ones."""
    body = bodies[shape.body]
    turn = scaled(at, spin_in_step(body, False))
    set_rotation(rotation, shape, rotation_of(body))
    for k in range(3):
        axis = turned((rotation[0, k], rotation[1, k], rotation[2, k]), turn)
        for i in range(3):
            rotation[i, k] = axis[i]
    arm = turned(times(rotation_of(body), shape.centre), turn)
    return plus(reference_ahead(contacts, shape, body, previous_dt, at), arm)


@kernel(inline=True)
def turned(vector: Vector, turn: Vector) -> Vector:
    """A vector turned by a rotation vector (rad), by Rodrigues' formula."""
    square = dot(turn, turn)
    half = 0.5 * math.sqrt(square)
    sinc = math.sin(half) / half if half > 0.0 else 1.0
    once = cross(turn, vector)
    # sin a/a and (1 - cos a)/a^2 by half the angle
    return plus(vector, plus(scaled(sinc * math.cos(half), once), scaled(0.5 * sinc * sinc, cross(turn, once))))
