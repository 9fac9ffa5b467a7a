"""Meshes that touch: the patches of two shapes as points of contact.

A patch is one point with a force of its own: that of the deepest place, or of the ends or corners in balance where a
line or a face lies on the other surface (see `geometry.mesh.supports`).  Its elastic force is the gradient of an
energy.  Friction sees a face of the size of the patch, by the mean distance of its points from the middle.

With VOLUME the force of a patch is the integral of K depth^e over its region: the area is that which makes it A K z^e.
"""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records, Vector
from ..core.body_points import rotation_of
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import dot, plus, scaled, set_vector, times, vector_of
from ..geometry.contact_points import BUFFER_FULL, midway, number_of, put_point, status_of
from ..geometry.mesh.pairs import (
    CARRIERS_FULL,
    LISTS_FULL,
    SEEDS_FULL,
    patches_of,
    relative_offset,
    set_relative_rotation,
)
from .mesh_records import CARRIERS, LISTS, PATCHES, SEEDS, MeshContacts
from .normal_laws import VOLUME
from .patches import mean_of_face
from .records import OF_PAIR_OF_MESHES, Contacts

FEWEST_LISTED = 128  # capacity of the first lists of a pair
TO_HALF_SIDE = math.sqrt(3.0)  # half side of a rectangle over the root mean square distance along it
LEAST_ARM = 1e-300


@kernel(inline=True)
def find_mesh_pair(table: Records, first: int, last: int, low: int, high: int) -> int:
    """Place of two shapes in the table, -1 if they never meet."""
    end = last
    while first < last:
        middle = (first + last) // 2
        entry = table[middle]
        if entry.low < low or (entry.low == low and entry.high < high):
            first = middle + 1
        else:
            last = middle
    if first < end and table[first].low == low and table[first].high == high:
        return first
    return -1


@kernel(inline=True)
def set_rotation(rotation: Floats, shape: Record, of_body: Floats) -> None:
    """Rotation from the axes of a shape to global ones."""
    axes = shape.axes
    for i in range(3):
        for k in range(3):
            rotation[i, k] = of_body[i, 0] * axes[k, 0] + of_body[i, 1] * axes[k, 1] + of_body[i, 2] * axes[k, 2]


@kernel(inline=True)
def place_of(contacts: Contacts, shape: Record, bodies: Records) -> Vector:
    """Centre of a shape, from the origin of all contacts."""
    return plus(vector_of(contacts.frames[shape.body].place), times(rotation_of(bodies[shape.body]), shape.centre))


@kernel
def enlarge_lists(meshes: MeshContacts, pair: Record, pool: Record) -> bool:
    """Move the lists of a pair to where they have twice the room; False where its interface has not so much."""
    capacity = max(FEWEST_LISTED, 2 * pair.capacity)
    new, old = pool.free, pair.first + pair.turn * pair.capacity
    if new + 2 * capacity > pool.end:
        return False
    nodes, listed, rests = meshes.pairs.nodes, meshes.pairs.listed, meshes.pairs.rests
    for k in range(pair.nodes):
        nodes[new + k] = nodes[old + k]
    for k in range(pair.listed):
        listed[new + k] = listed[old + k]
        for row in range(len(rests)):
            rests[row, new + k] = rests[row, old + k]
    pair.first, pair.capacity, pair.turn = new, capacity, 0
    pool.free = new + 2 * capacity
    return True


@kernel
def find_mesh_patches(meshes: MeshContacts, p: int, list_pool: int, x: float, y: float, z: float) -> int:
    """`contact_points.status_of` the number of patches of the p-th pair, where `meshes.pose[0]` turns its slave.

    x, y, z : offset of the slave.  BUFFER_FULL where a buffer is, of which the pool takes note
    """
    pool, rotation, offset = meshes.pools[list_pool], meshes.pose[0], (x, y, z)
    pool.full_pair = p
    found = patches_of(meshes.pairs, p, meshes.surface, rotation, offset, meshes.scratch)
    while found == LISTS_FULL:
        if not enlarge_lists(meshes, meshes.pairs.pairs[p], pool):
            pool.full = LISTS
            return BUFFER_FULL
        found = patches_of(meshes.pairs, p, meshes.surface, rotation, offset, meshes.scratch)
    if found < 0:
        pool.full = SEEDS if found == SEEDS_FULL else CARRIERS if found == CARRIERS_FULL else PATCHES
        return BUFFER_FULL
    return status_of(found)


@kernel(inline=True)
def patches_at(contacts: Contacts, p: int, interface: Record, offset: Vector) -> int:
    """Number of patches that `find_mesh_patches` finds; negative where it finds a full buffer, or dies."""
    return number_of(
        call(contacts.kernels.find_mesh_patches, OF_PAIR_OF_MESHES, contacts.meshes, p, interface.list_pool,
             offset[0], offset[1], offset[2])
    )  # fmt: skip


@kernel(inline=True)
def arm_of_region(patch: Record) -> float:
    """Mean distance of the points of a region from its middle, as of the rectangle of the same second moments.

    Of a disc that is 0.6 % less than it should be.
    """
    one, two = vector_of(patch.spread[0]), vector_of(patch.spread[1])
    a, b = TO_HALF_SIDE * math.sqrt(dot(one, one)), TO_HALF_SIDE * math.sqrt(dot(two, two))
    return max(mean_of_face(a, b, 4.0 * a * b), LEAST_ARM)


@kernel
def put_patch_point(
    points: Records,
    n: int,
    patch: Record,
    interface: Record,
    part: float,
    sign: float,
    rotation: Floats,
    centre: Vector,
) -> int:
    """Write a patch of a slave in its place behind the n points there are; their new number or OUT_OF_CAPACITY.

    part : of the force.  sign : 1 where the slave is shape i
    """
    depth, weight, area = patch.depth, part * patch.weight, patch.area
    growth = (interface.exponent + 1.0) * (patch.weight / patch.share - 1.0)
    normal, at = vector_of(patch.normal), vector_of(patch.point)
    if interface.law == VOLUME:
        if not patch.pressure > 0.0:
            return n
        depth, weight = patch.deepest, 1.0
        area = part * patch.share * patch.pressure / depth**interface.exponent
        growth = (interface.exponent + 1.0) * (patch.pressure * depth / patch.stored - 1.0)
        normal, at = vector_of(patch.pressure_normal), vector_of(patch.pressure_point)
    normal, at = times(rotation, normal), plus(times(rotation, at), centre)
    found = put_point(points, n, midway(at, normal, depth), scaled(sign, normal), depth, weight, area, growth)
    if found > n:
        points[n].arm = arm_of_region(patch)
    return found


@kernel
def note_deepest(
    entry: Record, patch: Record, t: float, rotation: Floats, offset: Vector, of_slave: Floats, centre: Vector
) -> None:
    """Keep when and where two meshes were deepest."""
    at = vector_of(patch.point)
    entry.deepest, entry.time = patch.deepest, t
    set_vector(entry.place, plus(times(of_slave, at), centre))
    set_vector(entry.on_slave, at)
    set_vector(entry.on_master, plus(times(rotation, at), offset))


@kernel
def touch_meshes(contacts: Contacts, interface: Record, row_i: int, row_j: int, bodies: Records) -> int:
    """Put the patches of two shapes into `contacts.points`: `contact_points.status_of` their number.

    row_i, row_j : of the shapes of members i and j
    """
    meshes, points = contacts.meshes, contacts.points
    place = find_mesh_pair(
        meshes.table, interface.first_mesh_pair, interface.last_mesh_pair, min(row_i, row_j), max(row_i, row_j)
    )
    contacts.scratch.plain = 0
    if place < 0:
        return status_of(0)
    entry = meshes.table[place]
    rotation, of_slave, of_master = meshes.pose[0], meshes.pose[1], meshes.pose[2]
    n = 0
    for p in range(entry.pair, entry.pair + entry.ways):
        is_i = (entry.slave == row_i) == (p == entry.pair)
        slave, master = contacts.shapes[row_i if is_i else row_j], contacts.shapes[row_j if is_i else row_i]
        set_rotation(of_slave, slave, rotation_of(bodies[slave.body]))
        set_rotation(of_master, master, rotation_of(bodies[master.body]))
        centre = place_of(contacts, slave, bodies)
        set_relative_rotation(rotation, of_slave, of_master)
        meshes.pairs.pairs[p].regions = interface.areas
        offset = relative_offset(centre, place_of(contacts, master, bodies), of_master)
        found = patches_at(contacts, p, interface, offset)
        if found < 0:
            return found
        for k in range(found):
            patch = meshes.scratch.patches[k]
            if p == entry.pair and patch.deepest > entry.deepest:
                note_deepest(entry, patch, interface.time, rotation, offset, of_slave, centre)
            n = put_patch_point(points, n, patch, interface, 1.0 / entry.ways, 1.0 if is_i else -1.0, of_slave, centre)
        if n < 0:
            return n
    return status_of(n)
