"""Friction that turns: where it acts on flat faces and lines, spinning about a point, and rolling.

The normal force of a face acts at its corners or at four points of its rim, which is right for tilting.  Friction of
the same force, spread evenly over the face, has less of a moment.  So it acts at points drawn in towards their middle,
by the mean distance from it of the face over that of the points:

    disc        2/3 R in place of R
    rectangle   1/3 (d + a^2/(2b) ln((d + b)/a) + b^2/(2a) ln((d + a)/b)) in place of d, for half sides a, b and d^2 =
                a^2 + b^2
    line        half as far

What face it is follows from the points alone: a and b from their second moments (each with the load weight times
penetration, so that what comes and goes does so gradually), and how round it is from the area over 4ab.

A point alone cannot resist spinning.  With a patch of radius r it does as a disc of that radius: by arm 2/3 r, sliding
and spinning sharing the friction as their speeds v and arm omega do, v^2 + (arm omega)^2 in place of v^2.  What the
points of a contact have of a radius themselves is taken off r.  Rolling is resisted by a moment up to `rolling_arm`
times the normal force.
"""

from __future__ import annotations

import math
from typing import Any

from ..core.bodies import Ints, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, set_vector, vector_of
from ..geometry.broad_phase import SIDE_I, SIDE_J
from ..geometry.shapes import BOX, CYLINDER, FRUSTUM, MESH, NOWHERE, PLANE
from .friction import (
    excess_damping_of,
    friction_force,
    limit_of,
    pressing_force,
    share_within,
    slipping_coefficient,
    turned_with_normal,
)
from .normal_laws import DYNAMIC_ONLY, NO_FRICTION, STICTION, USER_FRICTION, friction_over_speed

MEAN_OF_DISC = 2 / 3  # distance from the middle, of its radius
# mean distance of a disc over that of the square through four points of its rim, less 1, by area over 4ab, less 1
ROUNDNESS = (MEAN_OF_DISC * 3 * math.sqrt(2) / (math.sqrt(2) + math.log(1 + math.sqrt(2))) - 1) / (0.5 * math.pi - 1)
STILL = 1e-9  # of v_s, that spinning adds to the slip at the smallest half extent and that is not to be felt
FLAT_KINDS = (BOX, CYLINDER, FRUSTUM)  # of shapes that touch others of these kinds or half spaces at several points


def has_patches(interface: Record, kinds: Ints, side: Ints) -> bool:
    """Whether friction of an interface has moments that its points alone would not have.

    kinds, side : (n,) of the shapes of its members, and the sides they are on
    """
    if not interface["turns"] or interface["friction"] in (NO_FRICTION, USER_FRICTION):
        return False
    if interface["patch_radius"] > 0.0 or interface["rolling_arm"] > 0.0:
        return True
    on_i, on_j = (set(kinds[(side & on_side) != 0].tolist()) for on_side in (SIDE_I, SIDE_J))
    if MESH in on_i | on_j:
        return True
    flat, with_planes = set(FLAT_KINDS), {*FLAT_KINDS, PLANE}
    return bool((on_i & flat and on_j & with_planes) or (on_j & flat and on_i & with_planes))


# ---- where friction acts ---------------------------------------------------------------------------------------


@kernel
def set_patches(points: Records, n: int, patches: Records, place: int, interface: Record, spin: Vector) -> None:
    """Where friction of the n points of one pair acts, and the arms of spinning.

    place : of the first of the patches.  spin : angular velocity of one body against the other
    """
    acts = matters(points[0], n, interface, spin)
    if not acts:
        for m in range(place, place + n):
            patches[m].acts = 0
            set_vector(patches[m].offset, NOWHERE)
            set_vector(patches[m].couple, NOWHERE)
        return
    if points[0].arm > 0.0:
        for m in range(n):
            patch = patches[place + m]
            set_vector(patch.offset, NOWHERE)
            set_vector(patch.couple, NOWHERE)
            patch.acts, patch.arm = 1, max(points[m].arm, MEAN_OF_DISC * interface.patch_radius)
        return
    load, squares, middle = 0.0, 0.0, NOWHERE
    for m in range(n):
        share = points[m].weight * points[m].penetration
        load, squares = load + share, squares + share * share
        middle = plus(middle, scaled(share, vector_of(points[m].point)))
    middle = scaled(1.0 / load, middle)
    drawn_in, mean = 1.0, 0.0
    if n == 2:
        one, other = points[0], points[1]
        between = minus(vector_of(one.point), vector_of(other.point))
        root = math.sqrt(one.weight * one.penetration * other.weight * other.penetration)
        mean = 0.5 * root * math.sqrt(dot(between, between)) / load
        drawn_in = min(1.0, 0.25 * load / root)
    elif n > 2:
        mean, of_points = mean_distances(points, n, middle, load, squares)
        drawn_in = min(1.0, mean / of_points) if of_points > 0.0 else 1.0
    for m in range(n):
        patch, away = patches[place + m], minus(vector_of(points[m].point), middle)
        set_vector(patch.offset, scaled(drawn_in - 1.0, away))
        set_vector(patch.couple, NOWHERE)
        patch.acts = 1
        patch.arm = max(0.0, MEAN_OF_DISC * interface.patch_radius - mean)


@kernel(inline=True)
def matters(point: Record, n: int, interface: Record, spin: Vector) -> bool:
    """Whether it matters where friction of n points acts: not of a point, nor of a line that rolls or slides along."""
    if n > 2 or interface.has_couples == 1 or (n == 2 and interface.friction == STICTION):
        return True
    slow = STILL * interface.static_velocity / interface.rolling_length
    return bool(n == 2 and abs(dot(spin, vector_of(point.normal))) > slow)


@kernel
def mean_distances(points: Records, n: int, middle: Vector, load: float, squares: float) -> tuple[float, float]:
    """Mean distance from the middle, of the face that n points bound and of the points themselves.

    load, squares : sums of weight times penetration and of its squares
    """
    xx = yy = zz = xy = yz = zx = of_points = area = 0.0
    for m in range(n):
        share = points[m].weight * points[m].penetration
        x, y, z = minus(vector_of(points[m].point), middle)
        xx, yy, zz = xx + share * x * x, yy + share * y * y, zz + share * z * z
        xy, yz, zx = xy + share * x * y, yz + share * y * z, zx + share * z * x
        of_points += share * math.sqrt(x * x + y * y + z * z)
        area += share * points[m].area
    # principal values of the second moments: a^2, b^2, and next to nothing along the normal
    half = 0.5 * (xx + yy + zz) / load
    product = (xx * yy + yy * zz + zz * xx - xy * xy - yz * yz - zx * zx) / (load * load)
    root = math.sqrt(max(0.0, half * half - product))
    a, b = math.sqrt(half + root), math.sqrt(max(0.0, half - root))
    # each point has the part of the area that it has of the weight: sum of area = load/squares (sum of share area)
    return mean_of_face(a, b, load * area / squares), of_points / load


@kernel
def mean_of_face(a: float, b: float, area: float) -> float:
    """Mean distance from its middle of a face with second moments a^2 and b^2 of its corners, a >= b."""
    if not b > 1e-9 * a:
        return 0.5 * a
    diagonal = math.sqrt(a * a + b * b)
    logarithms = a * a / (2 * b) * math.log((diagonal + b) / a) + b * b / (2 * a) * math.log((diagonal + a) / b)
    roundness = min(area / (4 * a * b), 0.5 * math.pi) - 1.0
    return (diagonal + logarithms) / 3 * (1.0 + ROUNDNESS * roundness * b / a)


@kernel
def carry_patch(
    patch: Record, last: Record, spring: Record, last_spring: Record, contact: Record, turn: Vector, length: float
) -> None:
    """The springs of spinning and rolling of a point, carried on from those of a step ago.

    turn : of body i against body j in the step that led to t_n.  length : `rolling_length`
    """
    normal, left = vector_of(contact.normal), min(1.0, spring.stiffness / last_spring.stiffness)
    spun = dot(turn, normal)
    patch.twist = left * last.twist - spring.stiffness * patch.arm * spun
    rolled = minus(turn, scaled(spun, normal))
    held = scaled(left, turned_with_normal(vector_of(last.roll), contact))
    set_vector(patch.roll, minus(held, scaled(spring.stiffness * length, rolled)))


@kernel(inline=True)
def clear_patch_springs(patch: Record) -> None:
    """No force yet."""
    patch.twist = 0.0
    set_vector(patch.roll, NOWHERE)


# ---- friction ----------------------------------------------------------------------------------------------------


@kernel
def rub(
    contact: Record, patch: Record, springs: Records, m: int, interface: Record, opening: float, slip: Vector,
    frame_i: Record, frame_j: Record,
) -> Vector:  # fmt: skip
    """Friction of the m-th point on body i at the velocities at hand; its couple takes the place of the one before.

    opening : rate at which the solids part there.  slip : of the point
    """
    turning = minus(vector_of(frame_i.spin), vector_of(frame_j.spin))
    slip = slip_of_patch(contact, patch, slip, turning)
    couple = NOWHERE
    if interface.has_couples == 0:
        tangential = friction_force(contact, m, interface, springs, opening, slip)
    else:
        tangential, couple = rub_and_turn(contact, patch, springs, m, interface, opening, slip, turning)
    couple = plus(couple, cross(vector_of(patch.offset), tangential))
    put_couple(patch, couple, frame_i, frame_j, interface.share)
    return tangential


@kernel(inline=True)
def slip_of_patch(contact: Record, patch: Record, slip: Vector, turning: Vector) -> Vector:
    """Slip where friction acts: that of the point and what turning adds."""
    normal, more = vector_of(contact.normal), cross(turning, vector_of(patch.offset))
    return plus(slip, minus(more, scaled(dot(more, normal), normal)))


@kernel(inline=True)
def put_couple(patch: Record, couple: Vector, frame_i: Record, frame_j: Record, share: float) -> None:
    """Let a share of a couple act on both bodies, in place of the one before."""
    for c in range(3):
        change = share * (couple[c] - patch.couple[c])
        patch.couple[c] = couple[c]
        frame_i.wrench[c + 3] += change
        frame_j.wrench[c + 3] -= change


@kernel
def rub_and_turn(
    contact: Record, patch: Record, springs: Records, m: int, interface: Record, opening: float, slip: Vector,
    turning: Vector,
) -> tuple[Vector, Vector]:  # fmt: skip
    """Friction of the m-th point on body i, and the moment of spinning and rolling."""
    normal, length = vector_of(contact.normal), interface.rolling_length
    spun = dot(turning, normal)
    spin, rolling = patch.arm * spun, scaled(length, minus(turning, scaled(spun, normal)))
    square, pressing = dot(slip, slip) + spin * spin, pressing_force(contact)
    if interface.friction == STICTION:
        spring, free = springs[m], interface.mu_static * abs(opening)
        sliding = slipping_coefficient(spring, interface, pressing, math.sqrt(square)) * pressing
        tangential, twist = held_patch(spring, patch, slip, spin, free, interface.mu_static * pressing, sliding)
        roll = held_roll(spring, patch, interface, pressing, rolling)
    else:
        by_speed = pressing * friction_over_speed(interface, square)
        tangential, twist = scaled(-by_speed, slip), -by_speed * spin
        roll = scaled(-pressing * rolling_over_speed(interface, dot(rolling, rolling)), rolling)
    set_vector(patch.turning, plus(scaled(patch.arm * twist, normal), scaled(length, roll)))
    return tangential, vector_of(patch.turning)


@kernel(inline=True)
def held_patch(
    spring: Record, patch: Record, slip: Vector, spin: float, free_speed: float, most: float, sliding: float
) -> tuple[Vector, float]:
    """Forces of the springs of sliding and spinning and their dampers, together as far as friction holds them."""
    force, twist = minus(vector_of(spring.force), scaled(spring.damping, slip)), patch.twist - spring.damping * spin
    limit = limit_of(spring, math.sqrt(dot(force, force) + twist * twist), most, sliding)
    excess = excess_damping_of(spring, math.sqrt(dot(slip, slip) + spin * spin), free_speed)
    force, twist = minus(force, scaled(excess, slip)), twist - excess * spin
    share = share_within(spring, math.sqrt(dot(force, force) + twist * twist), limit)
    return scaled(share, force), share * twist


@kernel(inline=True)
def held_roll(spring: Record, patch: Record, interface: Record, normal_force: float, rolling: Vector) -> Vector:
    """Force of the spring of rolling and its damper, as far as rolling friction holds it."""
    force = minus(vector_of(patch.roll), scaled(spring.damping + spring.excess_damping, rolling))
    size, most = math.sqrt(dot(force, force)), interface.rolling_arm / interface.rolling_length * normal_force
    patch.rolls = 0 if size <= most else 1
    return force if patch.rolls == 0 else scaled(most / size, force)


@kernel(inline=True)
def rolling_over_speed(interface: Record, square: float) -> float:
    """Rolling friction at a unit of normal force over the speed of rolling, of the square of that; finite at rest."""
    most = interface.rolling_arm / interface.rolling_length
    at = interface.dynamic_velocity if interface.friction == DYNAMIC_ONLY else interface.static_velocity
    if square <= at * at:
        return 0.5 * most / at * (3.0 - square / (at * at))
    return most / math.sqrt(square)


# ---- work --------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def keep_what_holds_of_patch(contact: Record, patch: Record, spring: Record, interface: Record) -> None:
    """Reduce the springs of spinning and rolling to what friction holds."""
    normal, couple = vector_of(contact.normal), vector_of(patch.turning)
    spun = dot(couple, normal)
    if spring.slips == 1 and patch.arm > 0.0:
        patch.twist = spun / patch.arm
    if patch.rolls == 1:
        set_vector(patch.roll, scaled(1.0 / interface.rolling_length, minus(couple, scaled(spun, normal))))


@kernel(inline=True)
def patch_energy(patch: Record, spring: Record) -> float:
    """Stored in the springs of spinning and rolling."""
    if not spring.stiffness > 0.0:
        return 0.0
    roll: Any = vector_of(patch.roll)
    return 0.5 * (patch.twist * patch.twist + dot(roll, roll)) / spring.stiffness
