"""Force curves (/INTER/TYPE6): two bodies pushed apart by a function of their deepest penetration.

The elastic force F of the two bodies follows from the deepest penetration z of all their points, l and u being the
loading and the unloading function with their scales and k the unloading stiffness:

    formulation 0    F = l(z)
    formulation 1    F = min(l(z), F' + k (z - z')) while z grows,  max(u(z), F' + k (z - z')) while it falls
    formulation 2    the same with u = 0

z' and F' are those of the step before, both 0 before the bodies touch (OpenRadioss, engine, i6ass3.F).  So unloading
and loading anew run along a line of slope k between the two functions; what was lost on the way round is not kept in
any memory of the surfaces.  F is shared among the points in proportion to weight times penetration, each share along
the normal of its point: a point that has just been touched carries nothing, a box on four points has F in all.

Damping and friction act at each point with its share s of what they are for the two bodies:

    damping     s (c v + d(v/v_a)) f(F/F_a),  v the approach of the point; it never makes the points pull
    friction    at most s (S + mu g(F/F_a) h(slip/v_a) F), held by a tangential spring as with true stiction

Of formulations 1 and 2 the energy that straight unloading would give back is stored, the rest of the work is lost:
with F - k (z - y) = u(y) that is the integral of u up to y, and (F^2 - u(y)^2)/(2k).
"""

from __future__ import annotations

import math

from ..core.bodies import Record, Records
from ..core.body_points import inverse_mass_of_turning
from ..core.functions import FunctionTables, integral, value, value_and_derivatives
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, vector_of
from .detect import from_pair_on, points_before, points_now
from .friction import change_friction, force_up_to, set_spring
from .normal_laws import NO_FRICTION
from .patches import put_couple, slip_of_patch
from .point_motion import add_pair_of_forces, arm_of, relative_velocity, slip_of_step
from .records import ELASTIC, WITH_UNLOADING

SMALLEST_STIFFNESS = 1e-300  # of the tangential spring, where a function starts flat
MOST_HALVINGS = 60


@kernel
def spread_force(
    interface: Record, contacts: Records, springs: Records, patches: Records, frames: Records, moves: Records,
    bodies: Records, curves: Records, tables: FunctionTables,
) -> None:  # fmt: skip
    """Elastic force of the two bodies at t_n, shared among their points; the tangential springs."""
    curve = curves[interface.curve]
    first, end = points_now(interface)
    deepest = 0.0
    for m in range(first, end):
        deepest = max(deepest, contacts[m].penetration)
    first_time = curve.begun == 0
    if first_time:
        begin(curve, tables, deepest)
        if curve.allowance > 0.0:  # from here on points are counted from it; none is deeper yet
            interface.contacts, end, deepest = 0, first, 0.0
    if interface.contacts == 0:
        curve.depth = curve.force = 0.0
    else:
        total = 0.0
        for m in range(first, end):
            total += contacts[m].weight * contacts[m].penetration
        load(curve, tables, deepest)
        curve.inverse_mass = 0.0
        before = points_before(interface)
        for m in range(first, end):
            contact = contacts[m]
            frame_i, frame_j = frames[contact.i], frames[contact.j]
            contact.weight *= contact.penetration / total  # its share from here on
            contact.elastic = contact.total = contact.weight * curve.force
            inverse_mass = inverse_mass_at(contact, frame_i, frame_j, bodies)
            curve.inverse_mass += contact.weight * inverse_mass
            if interface.friction != NO_FRICTION:
                before = from_pair_on(contacts, before, contact.member_a, contact.member_b)
                stiffness = contact.weight * max(curve.steepest, SMALLEST_STIFFNESS)
                of_normal = stiffness, contact.weight * curve.viscosity, springs[m].ratio
                move_i, move_j = moves[contact.i], moves[contact.j]
                slip = slip_of_step(contact, move_i, move_j)
                if interface.has_patches == 1:
                    turn = minus(vector_of(move_i.turn), vector_of(move_j.turn))
                    slip = slip_of_patch(contact, patches[m], slip, turn)
                set_spring(springs[m], contact, interface, of_normal, inverse_mass, slip, contacts, springs, before)
            force = scaled(interface.share * contact.elastic, vector_of(contact.normal))
            add_pair_of_forces(contact, force, frame_i, frame_j, interface.turns == 1)
        interface.stiffest = max(interface.stiffest, curve.steepest * curve.inverse_mass)
    begins = first_time and interface.window[0] <= 0.0  # an overlap at t = 0 is part of the energy to begin with
    if curve.formulation != ELASTIC:
        interface.recoverable = recoverable_energy(curve, tables)
        if begins:
            interface.elastic_work = -interface.recoverable
    elif begins:
        scale = curve.penetration_scale
        interface.elastic_work = -curve.force_scale * scale * integral(tables, curve.loading, 0.0, curve.depth / scale)


@kernel(inline=True)
def begin(curve: Record, tables: FunctionTables, deepest: float) -> None:
    """What the deck wants of bodies that overlap when the interface first acts."""
    curve.begun = 1
    if curve.reduce_gap == 1:
        curve.allowance = deepest
    elif curve.adjust_force == 1:
        curve.depth, curve.force = deepest, unloading_force(curve, tables, deepest)


@kernel
def load(curve: Record, tables: FunctionTables, depth: float) -> None:
    """The force at a depth, which comes after the depth of the last step."""
    f, slope, _ = value_and_derivatives(tables, curve.loading, depth / curve.penetration_scale)
    force = max(0.0, curve.force_scale * f)
    grown = depth - curve.depth
    if curve.formulation != ELASTIC:
        along_line = curve.force + curve.unloading_stiffness * grown
        least = unloading_force(curve, tables, depth)
        force = min(force, along_line) if grown >= 0.0 else max(least, along_line)
    curve.steepest = max(curve.steepest, abs(curve.force_scale / curve.penetration_scale * slope))
    curve.depth, curve.force = depth, force


@kernel(inline=True)
def unloading_force(curve: Record, tables: FunctionTables, depth: float) -> float:
    """The least force at a depth."""
    if curve.formulation != WITH_UNLOADING:
        return 0.0
    return max(0.0, curve.unloading_scale * value(tables, curve.unloading, depth / curve.penetration_scale))


@kernel
def recoverable_energy(curve: Record, tables: FunctionTables) -> float:
    """What straight unloading from the depth and force at hand would give back."""
    stiffness, force, depth = curve.unloading_stiffness, curve.force, curve.depth
    low, high = max(0.0, depth - force / stiffness), depth  # where the line meets the unloading function
    if force - stiffness * (depth - low) < unloading_force(curve, tables, low):
        for _ in range(MOST_HALVINGS):
            middle = 0.5 * (low + high)
            if force - stiffness * (depth - middle) < unloading_force(curve, tables, middle):
                low = middle
            else:
                high = middle
    else:
        high = low
    at_meeting = force - stiffness * (depth - high)
    energy = 0.5 * (depth - high) * (force + at_meeting)
    if curve.formulation == WITH_UNLOADING:
        scale = curve.penetration_scale
        energy += curve.unloading_scale * scale * integral(tables, curve.unloading, 0.0, high / scale)
    return energy


@kernel(inline=True)
def inverse_mass_at(contact: Record, frame_i: Record, frame_j: Record, bodies: Records) -> float:
    """Of both bodies at a point, along its normal."""
    normal = vector_of(contact.normal)
    turning_i = inverse_mass_of_turning(arm_of(contact, frame_i), bodies[contact.i], normal)
    turning_j = inverse_mass_of_turning(arm_of(contact, frame_j), bodies[contact.j], normal)
    return frame_i.inverse_mass + frame_j.inverse_mass + turning_i + turning_j


@kernel
def damp_curve(
    interface: Record, contacts: Records, springs: Records, patches: Records, frames: Records, curves: Records,
    tables: FunctionTables,
) -> None:  # fmt: skip
    """Damping and friction anew, at the mean velocities at hand."""
    curve = curves[interface.curve]
    first, end = points_now(interface)
    by_force = value(tables, curve.damping_by_force, curve.force / curve.force_abscissa)
    coefficient = curve.friction * value(tables, curve.friction_by_force, curve.force / curve.force_abscissa)
    for m in range(first, end):
        contact = contacts[m]
        frame_i, frame_j, normal = frames[contact.i], frames[contact.j], vector_of(contact.normal)
        velocity = relative_velocity(contact, frame_i, frame_j, interface.turns == 1)
        opening = dot(velocity, normal)
        f, slope, _ = value_and_derivatives(tables, curve.damping_by_velocity, -opening / curve.velocity_abscissa)
        damping = by_force * (curve.damping_scale * f - curve.viscosity * opening)
        before, contact.total = contact.total, max(0.0, contact.elastic + contact.weight * damping)
        slope = by_force * (curve.viscosity + curve.damping_scale / curve.velocity_abscissa * abs(slope))
        interface.most_damped = max(interface.most_damped, slope * curve.inverse_mass)
        change = scaled(contact.total - before, normal)
        if interface.friction != NO_FRICTION:
            slip = minus(velocity, scaled(opening, normal))
            if interface.has_patches == 1:
                turning = minus(vector_of(frame_i.spin), vector_of(frame_j.spin))
                slip = slip_of_patch(contact, patches[m], slip, turning)
            by_speed = value(tables, curve.friction_by_velocity, math.sqrt(dot(slip, slip)) / curve.velocity_abscissa)
            most = contact.weight * (curve.friction_force + coefficient * by_speed * curve.force)
            free_speed = coefficient * by_speed * abs(opening)
            tangential = force_up_to(springs[m], slip, free_speed, most, most)
            if interface.has_patches == 1:
                couple = cross(vector_of(patches[m].offset), tangential)
                put_couple(patches[m], couple, frame_i, frame_j, interface.share)
            change = plus(change, change_friction(contact, tangential))
        add_pair_of_forces(contact, scaled(interface.share, change), frame_i, frame_j, interface.turns == 1)
