"""When shapes that are apart will touch first, for interfaces that cut the step there.

From the gap g of a pair at t_n, its rate g' with the velocities of t_{n-1/2} and its acceleration g'' by constant
gravity, the time of touch solves g + g' tau + g'' tau^2/2 = 0.  In free flight that is exact but for the rotation of a
step; where other forces act it is off by O(dt^2), which leaves the scheme of second order.  Meshes have no gap:
`mesh_first_touch`.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Record, Records, Vector
from ..core.body_points import free_fall, rotation_of, velocity_in_step
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import dot, minus, plus, scaled, vector_of
from ..geometry.contact_points import BUFFER_FULL, GAP_FOUND, KERNEL_DIED
from ..geometry.narrow_phase import gap_of
from ..geometry.shapes import CURVE, MESH, NOWHERE, PLANE, SPHERE
from ..geometry.sphere import sphere_witnesses, two_spheres_gap
from .detect import renew_candidates, sphere_over_plane
from .records import GAP_OF_SHAPES, TIME_OF_SHAPES, Contacts

SHORTEST_CUT = 1e-3  # of the step; a touch sooner than that is left to the step as it is
BEYOND = 1e-9  # of the time to the touch, by which the cut lies behind it


@kernel
def step_to_first_touch(
    contacts: Contacts, subsystem: Record, bodies: Records, t: float, dt: float
) -> tuple[float, int]:
    """dt, or less where a pair of an interface that cuts the step touches before.

    And an interface with a buffer that is too short to tell, -1 without any; KERNEL_DIED where a kernel did.
    """
    found = dt
    for k in range(subsystem.first_interface, subsystem.last_interface):
        interface = contacts.interfaces[k]
        acts = interface.window[0] <= t < interface.window[1]
        if interface.zero_crossing == 0 or not acts or not renew_candidates(contacts, interface, bodies, dt):
            continue  # where the capacity is short, `find_contacts` says so
        for m in range(interface.first_pair, interface.first_pair + interface.pairs):
            a, b = contacts.pair[m, 0], contacts.pair[m, 1]
            time = time_to_touch(contacts, interface, a, b, bodies, subsystem.previous_dt, dt)
            if math.isnan(time):
                return dt, KERNEL_DIED
            if time == BUFFER_FULL:
                return dt, k
            found = min(found, time)
    if found < SHORTEST_CUT * dt or found > (1.0 - SHORTEST_CUT) * dt:
        return dt, -1
    return found * (1.0 + BEYOND), -1


@kernel
def time_to_touch(
    contacts: Contacts, interface: Record, a: int, b: int, bodies: Records, previous_dt: float, dt: float
) -> float:
    """Time until members a and b touch; dt if that is later, or if they touch already.

    NaN where a kernel died, BUFFER_FULL where it found a buffer too short.
    """
    shapes, members, frames = contacts.shapes, contacts.members, contacts.frames
    if members[a].kind == MESH or members[b].kind == MESH:
        rows = np.int64(members[a].shape), np.int64(members[b].shape)
        status = call(contacts.kernels.find_mesh_touch, TIME_OF_SHAPES, contacts, interface, rows[0], rows[1], bodies,
                      previous_dt, dt)  # fmt: skip
        if status == GAP_FOUND:
            return contacts.scratch.gap
        return float(BUFFER_FULL) if status == BUFFER_FULL else math.nan
    one, other = shapes[members[a].shape], shapes[members[b].shape]
    body_a, body_b = bodies[one.body], bodies[other.body]
    gap, normal, on_a, on_b = gap_between(contacts, a, b, one, other, bodies)
    if math.isnan(gap):
        return gap
    if gap <= 0.0:
        return dt
    arm_a, arm_b = minus(on_a, vector_of(frames[one.body].place)), minus(on_b, vector_of(frames[other.body].place))
    velocity_a = velocity_in_step(arm_a, body_a, False)
    velocity_b = velocity_in_step(arm_b, body_b, False)
    acceleration = dot(minus(free_fall(body_a), free_fall(body_b)), normal)
    rate = dot(minus(velocity_a, velocity_b), normal) + 0.5 * previous_dt * acceleration
    return first_root(gap, rate, acceleration, dt)


@kernel(inline=True)
def first_root(gap: float, rate: float, acceleration: float, most: float) -> float:
    """Smallest tau > 0 with gap + rate tau + acceleration tau^2/2 = 0, gap > 0; `most` if that is later or never."""
    square = rate * rate - 2.0 * acceleration * gap
    if square < 0.0:
        return most
    divisor = -rate + math.sqrt(square)  # the root that loses no digits: 2 gap over it
    return min(most, 2.0 * gap / divisor) if divisor > 0.0 else most


@kernel
def gap_between(
    contacts: Contacts, a: int, b: int, one: Record, other: Record, bodies: Records
) -> tuple[float, Vector, Vector, Vector]:
    """Gap of members a and b, normal from b to a, and the nearest points of both, from the origin of all contacts."""
    centre_a, centre_b = vector_of(contacts.members[a].centre), vector_of(contacts.members[b].centre)
    body_a, body_b = bodies[one.body], bodies[other.body]
    if one.kind == PLANE and other.kind == SPHERE:
        gap, outward = sphere_over_plane(centre_b, other.bounding_radius, centre_a, one, body_a)
        on_b, on_a = sphere_witnesses(centre_b, other.bounding_radius, gap, outward)
        return gap, scaled(-1.0, outward), on_a, on_b
    if one.kind == SPHERE and (other.kind == SPHERE or other.kind == PLANE):
        if other.kind == SPHERE:
            gap, normal = two_spheres_gap(centre_a, one.bounding_radius, centre_b, other.bounding_radius)
        else:
            gap, normal = sphere_over_plane(centre_a, one.bounding_radius, centre_b, other, body_b)
        on_a, on_b = sphere_witnesses(centre_a, one.bounding_radius, gap, normal)
        return gap, normal, on_a, on_b
    if one.kind == CURVE or other.kind == CURVE:
        return gap_of_curve(contacts, a, b, bodies)
    origin = vector_of(contacts.frames[other.body].place)
    offset = minus(vector_of(contacts.frames[one.body].place), origin)
    gap, normal, on_a, on_b = gap_of(one, offset, rotation_of(body_a), other, NOWHERE, rotation_of(body_b),
                                     contacts.pair_kernels, contacts.scratch)  # fmt: skip
    return gap, normal, plus(on_a, origin), plus(on_b, origin)


@kernel(inline=True)
def gap_of_curve(contacts: Contacts, a: int, b: int, bodies: Records) -> tuple[float, Vector, Vector, Vector]:
    """The same of a plane curve and another shape; -1 where they cross."""
    scratch = contacts.scratch
    one, other = np.int64(contacts.members[a].shape), np.int64(contacts.members[b].shape)
    if call(contacts.kernels.find_curve_gap, GAP_OF_SHAPES, contacts, one, other, bodies) != GAP_FOUND:
        return math.nan, NOWHERE, NOWHERE, NOWHERE
    return scratch.gap, vector_of(scratch.normal), vector_of(scratch.on_i), vector_of(scratch.on_j)
