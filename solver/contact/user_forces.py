"""Contact forces from routines of users, called through their addresses with the arguments of MotionSolve.

An interface has a record for each routine: the arguments of a call side by side, and what it gives back.  A routine is
called as a C function with pointers to them, whether it was compiled from Python, is a library's, or leads back to
Python.  The normal force at no rate is the elastic part; what the rate adds to it is damping.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gsolve.parser.keywords.user_routines import FRICTION_FORCE, NORMAL_FORCE
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..core.bodies import Record, Records, Vector
from ..core.body_points import in_body_axes
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, set_vector, times, vector_of
from ..geometry.face_overlap import GAUSS_MIDDLE, GAUSS_NODE
from ..geometry.shapes import NOWHERE, SMALLEST_SQUARE
from .detect import points_now
from .evaluate import touch_speed_of
from .friction import change_friction, friction_force, stiffness_of, take_point_before, turned_with_normal
from .normal_laws import NO_FRICTION, USER, USER_FRICTION, normal_force
from .patches import rub
from .point_motion import add_pair_of_forces, relative_velocity, slip_of_step
from .records import ROUTINE, Range, Routines

FIELDS: dict[str, Any] = dict(ROUTINE.fields or {})  # kind and offset by name
PARAMETERS = "par"  # the one argument that is kept elsewhere
PARTS = 8  # of a penetration, over which its energy is summed up
RELATIVE_DEPTH = 1e-6  # by which the penetration is changed to find the stiffness


def caller(arguments: Sequence[str]) -> Any:
    """A function for kernels that calls the routine of a record with pointers to its arguments and result."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, routine: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            record, number, byte = signature.args[0], ir.IntType(64), ir.IntType(8).as_pointer()
            base = builder.bitcast(values[0], byte)

            def pointer_to(name: str) -> Any:
                return builder.gep(base, [ir.Constant(number, record.offset(name))])

            def pointer_in(name: str, kind: Any) -> Any:
                address = builder.load(builder.bitcast(pointer_to(name), number.as_pointer()))
                return builder.inttoptr(address, kind)

            pointers = [pointer_in(a, byte) if a == PARAMETERS else pointer_to(a) for a in (*arguments, "result")]
            function = ir.FunctionType(ir.VoidType(), [byte] * len(pointers))
            builder.call(pointer_in("address", function.as_pointer()), pointers)
            return context.get_dummy_value()

        return types.void(routine), generate

    return call


call_normal_force = caller(NORMAL_FORCE.arguments)
call_friction_force = caller(FRICTION_FORCE.arguments)


@kernel
def evaluate_routines(
    routines: Routines, k: int, interface: Record, m: int, t: float, shapes: Records, members: Records,
    bodies: Records, moves: Records, contacts: Records, springs: Records, before: Range,
) -> float:  # fmt: skip
    """Elastic force of the m-th point, of interface k, and its slip, once a step; returns the slope of the force."""
    contact = contacts[m]
    for routine in (routines.normal[k], routines.friction[k]):
        if routine.failed == 0:  # one that failed keeps the time at which it did
            routine.time = t
    if interface.law == USER:
        give_place(routines.normal[k], contact, shapes, members, bodies)
        stiffness = set_elastic_force(routines.normal[k], contact)
        if interface.opened == 0 and t == 0.0:
            interface.elastic_work -= contact.weight * stored_energy(routines.normal[k], contact.penetration)
    else:
        stiffness = stiffness_of(contact, interface)
    if interface.friction == USER_FRICTION:
        set_slip(springs[m], contact, moves[contact.i], moves[contact.j], contacts, springs, before)
    return stiffness


@kernel
def damp_by_routines(
    routines: Routines, k: int, interface: Record, contacts: Records, springs: Records, patches: Records,
    frames: Records, shapes: Records, members: Records, bodies: Records, refine: bool,
) -> None:  # fmt: skip
    """Normal force and friction of the points of interface k at the velocities at hand, as `refine_contacts`."""
    first, end = points_now(interface)
    for m in range(first, end):
        contact = contacts[m]
        frame_i, frame_j = frames[contact.i], frames[contact.j]
        normal = vector_of(contact.normal)
        velocity = relative_velocity(contact, frame_i, frame_j, interface.turns == 1)
        opening = dot(velocity, normal)
        compliance = contact.compliance if refine else 0.0
        before = contact.total
        free_rate = compliance * before - opening
        if interface.law == USER:
            give_place(routines.normal[k], contact, shapes, members, bodies)
            contact.total = damped_normal_force(routines.normal[k], contact, opening, free_rate, compliance)
        else:
            touch_speed = touch_speed_of(interface, springs, m)
            contact.total = normal_force(interface, contact, free_rate, compliance, touch_speed)
        change = scaled(contact.total - before, normal)
        if interface.friction != NO_FRICTION:
            slip = minus(velocity, scaled(opening, normal))
            if interface.friction == USER_FRICTION:
                give_place(routines.friction[k], contact, shapes, members, bodies)
                tangential = evaluate_friction_force(routines.friction[k], contact, springs[m], slip)
            elif interface.has_patches == 1 and patches[m].acts == 1:
                tangential = rub(contact, patches[m], springs, m, interface, opening, slip, frame_i, frame_j)
            else:
                tangential = friction_force(contact, m, interface, springs, opening, slip)
            change = plus(change, change_friction(contact, tangential))
        add_pair_of_forces(contact, scaled(interface.share, change), frame_i, frame_j, interface.turns == 1)


@kernel
def give_place(
    routine: Record, contact: Record, shapes: Records, members: Records, bodies: Records
) -> None:  # fmt: skip
    """Where the point lies on its solids, and their outward normals there, in the axes of each solid."""
    i, j = contact.member_a, contact.member_b
    if shapes[members[i].shape].body != contact.i:
        i, j = j, i
    point, normal = vector_of(contact.point), vector_of(contact.normal)
    give_side(routine.loci, routine.ni, point, scaled(-1.0, normal), members[i], shapes, bodies)
    give_side(routine.locj, routine.nj, point, normal, members[j], shapes, bodies)


@kernel(inline=True)
def give_side(
    place: Any, outward: Any, point: Vector, normal: Vector, member: Record, shapes: Records, bodies: Records
) -> None:  # fmt: skip
    """Fill in the point and the normal of one side."""
    shape = shapes[member.shape]
    body, from_centre = bodies[shape.body], minus(point, vector_of(member.centre))
    set_vector(place, times(shape.axes, in_body_axes(from_centre, body, False)))
    set_vector(outward, times(shape.axes, in_body_axes(normal, body, False)))


@kernel
def evaluate_normal_force(routine: Record, penetration: float, opening: float) -> float:
    """The normal force that the routine gives at a penetration and the rate of the gap, never negative."""
    if routine.failed == 1:
        return 0.0
    routine.gap, routine.gapdot = -penetration, opening
    set_vector(routine.result, NOWHERE)
    call_normal_force(routine)
    force = routine.result[0]
    if not math.isfinite(force) or routine.result[1] != 0.0 or routine.result[2] != 0.0:
        routine.failed = 1
        return 0.0
    if force < routine.pull:
        routine.pull, routine.pull_time = force, routine.time
    return max(0.0, force)


@kernel
def set_elastic_force(routine: Record, contact: Record) -> float:
    """Elastic force of a point whose place the routine knows; returns its slope."""
    depth, more = contact.penetration, RELATIVE_DEPTH * contact.penetration
    force = evaluate_normal_force(routine, depth, 0.0)
    slope = (evaluate_normal_force(routine, depth + more, 0.0) - force) / more
    contact.elastic = contact.total = contact.weight * force
    return float(contact.weight * max(0.0, slope))


@kernel
def stored_energy(routine: Record, penetration: float) -> float:
    """Work of the elastic force up to a penetration, by Gauss's rule of three points in each of some parts."""
    energy, part = 0.0, penetration / PARTS
    for k in range(PARTS):
        for node in range(-1, 2):
            at = (k + 0.5 * (1.0 + node * GAUSS_NODE)) * part
            weight = GAUSS_MIDDLE if node == 0 else 0.5 * (1.0 - GAUSS_MIDDLE)
            energy += weight * part * evaluate_normal_force(routine, at, 0.0)
    return energy


@kernel
def damped_normal_force(
    routine: Record, contact: Record, opening: float, free_rate: float, compliance: float
) -> float:  # fmt: skip
    """The normal force at the rate free_rate - compliance F that it leaves, F by the line through two rates.

    They are none and that at hand, of the gap `opening`.  Without compliance F is that at hand.
    """
    force = contact.weight * evaluate_normal_force(routine, contact.penetration, opening)
    damping = (contact.elastic - force) / opening if opening != 0.0 else 0.0
    if not damping > 0.0:
        return force
    return max(0.0, (contact.elastic + damping * free_rate) / (1.0 + compliance * damping))


@kernel
def set_slip(
    spring: Record, contact: Record, move_i: Record, move_j: Record, contacts: Records, springs: Records,
    before: Range,
) -> None:  # fmt: skip
    """How far a point has slipped since it touched, kept in place of the force of a spring."""
    spring.taken = 0
    nearest, slip = take_point_before(contact, contacts, springs, before), NOWHERE
    if nearest >= 0:
        slip = turned_with_normal(vector_of(springs[nearest].force), contact)
        slip = plus(slip, slip_of_step(contact, move_i, move_j))
    set_vector(spring.force, slip)


@kernel
def evaluate_friction_force(routine: Record, contact: Record, spring: Record, slip: Vector) -> Vector:
    """Friction on body i by the routine, in the plane of contact."""
    if routine.failed == 1:
        return NOWHERE
    normal, gone = vector_of(contact.normal), vector_of(spring.force)
    along = direction_of_slip(slip, gone, normal)
    across = cross(normal, along)
    set_vector(routine.x, (dot(gone, along), dot(gone, across), 0.0))
    set_vector(routine.xdot, (math.sqrt(dot(slip, slip)), 0.0, 0.0))
    set_vector(routine.result, NOWHERE)
    routine.nforce = contact.total
    call_friction_force(routine)
    force = vector_of(routine.result)
    if not (math.isfinite(force[0]) and math.isfinite(force[1])) or force[2] != 0.0:
        routine.failed = 1
        return NOWHERE
    return plus(scaled(force[0], along), scaled(force[1], across))


@kernel
def direction_of_slip(slip: Vector, gone: Vector, normal: Vector) -> Vector:
    """Unit vector along the slip velocity; at rest along the slip so far, and without any across the normal."""
    direction = slip if dot(slip, slip) > SMALLEST_SQUARE else gone
    if not dot(direction, direction) > SMALLEST_SQUARE:
        direction = cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.5 else (0.0, 1.0, 0.0))
    return scaled(1.0 / math.sqrt(dot(direction, direction)), direction)
