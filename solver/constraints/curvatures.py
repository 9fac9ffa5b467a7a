"""Curvatures of rows: what the second derivative of a row has without accelerations.

Where a row has the rate G (v, omega), its second derivative is G (v', omega') + c; c is made here, at the places of t_n
and at the estimates of v_n and omega_n at hand.  Accelerations that keep rows met satisfy G (v', omega') = -c.

With D from body a to node j, d from the place on body a to node j, rho and p the arms of node j and of the place on
their bodies, and u the velocity of node j less that of the place:

    force e fixed in a at node j   e . (omega_b x (omega_b x rho) - omega_a x (omega_a x D) - 2 omega_a x w),
                                   w = velocity of node j less that of body a there
    moment e fixed in a            (omega_b - omega_a) . (omega_a x e)
    the others                     second derivatives of what `joints.set_axes_row` says, with
                                   d'' = omega_b x (omega_b x rho) - omega_a x (omega_a x p),
                                   r'' = omega_a x (omega_a x r), b_j'' likewise
"""

from __future__ import annotations

import math

from ..core.bodies import Floats, Record, Records, Vector
from ..core.body_points import (
    arm_of,
    direction_of,
    in_body_axes,
    orientation_between,
    spin_of,
    velocity_at,
)
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, opposite, plus, scaled, vector_of
from .joints import (
    ABOUT_CROSS,
    ACROSS_S,
    ACROSS_T,
    ALONG,
    CROSSED,
    DISTANCE,
    GAP,
    LENGTH,
    TILT_S,
    TILT_T,
    TURN_R,
    TURN_S,
    TURN_T,
    arms_of,
    axis_of,
    second_axis_of,
    separation_of,
)
from .nodal_constraints import TRANSLATION, Conditions

# ---- rows of joints ------------------------------------------------------------------------------------------


@kernel
def joint_curvatures(joints: Records, first: int, last: int, rows: Records, bodies: Records, out: Floats) -> None:
    """out (nr,) <- curvatures of the rows of the joints [first, last)."""
    for i in range(first, last):
        joint = joints[i]
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        for k in range(joint.row, joint.row + joint.n_rows):
            out[k] = curvature_of_row(joint, rows[k].kind, a, b)


@kernel
def curvature_of_row(joint: Record, kind: int, a: Record, b: Record) -> float:
    """c of a joint's row of a kind."""
    if kind in (ALONG, TURN_R):
        e = axis_of(joint, a)
    elif kind in (ACROSS_S, TURN_S):
        e = direction_of(joint.triad[1], a, False)
    elif kind in (ACROSS_T, TURN_T, TILT_S):
        e = direction_of(joint.triad[2], a, False)
    elif kind == TILT_T:
        e = opposite(direction_of(joint.triad[1], a, False))
    else:
        return curvature_of_axes(joint, kind, a, b)
    return of_force(joint, e, a, b) if kind <= ACROSS_T else of_moment(e, a, b)


@kernel(inline=True)
def centripetal(body: Record, arm: Vector) -> Vector:
    """omega x (omega x arm)."""
    spin = spin_of(body)
    return cross(spin, cross(spin, arm))


@kernel(inline=True)
def of_moment(e: Vector, a: Record, b: Record) -> float:
    """Of a moment about an axis that is fixed in body a."""
    on_a = spin_of(a)
    return dot(minus(spin_of(b), on_a), cross(on_a, e))


@kernel(inline=True)
def of_force(joint: Record, e: Vector, a: Record, b: Record) -> float:
    """Of a force at node j along a direction that is fixed in body a."""
    at_node, at_carrier = arms_of(joint, a, b, False)
    moves = minus(velocity_at(at_node, b), velocity_at(at_carrier, a))
    relative = minus(centripetal(b, at_node), centripetal(a, at_carrier))
    return dot(e, minus(relative, scaled(2.0, cross(spin_of(a), moves))))


@kernel(inline=True)
def motion_of_separation(joint: Record, a: Record, b: Record) -> tuple[Vector, Vector, Vector]:
    """d, its rate, and what its second derivative has without accelerations."""
    at_node, at_carrier = arms_of(joint, a, b, False)
    place = arm_of(joint.carrier, a, False)
    rate = minus(velocity_at(at_node, b), velocity_at(place, a))
    return separation_of(joint, a, at_carrier), rate, minus(centripetal(b, at_node), centripetal(a, place))


@kernel(inline=True)
def of_length(d: Vector, rate: Vector, bent: Vector) -> float:
    """Of |d|."""
    squared = dot(d, d)
    along = dot(d, rate)
    return (dot(rate, rate) - along * along / squared + dot(d, bent)) / math.sqrt(squared)


@kernel
def curvature_of_axes(joint: Record, kind: int, a: Record, b: Record) -> float:
    """c of a LENGTH, CROSSED, GAP or FOOT row."""
    d, d_rate, d_bent = motion_of_separation(joint, a, b)
    if kind == LENGTH:
        return of_length(d, d_rate, d_bent)
    r, axis_j = axis_of(joint, a), second_axis_of(joint, b)
    r_rate, j_rate = cross(spin_of(a), r), cross(spin_of(b), axis_j)
    r_bent, j_bent = cross(spin_of(a), r_rate), cross(spin_of(b), j_rate)
    if kind == CROSSED:
        return dot(r_bent, axis_j) + 2.0 * dot(r_rate, j_rate) + dot(r, j_bent)
    if kind == GAP:
        n = cross(r, axis_j)
        n_rate = plus(cross(r_rate, axis_j), cross(r, j_rate))
        n_bent = plus(plus(cross(r_bent, axis_j), cross(r, j_bent)), scaled(2.0, cross(r_rate, j_rate)))
        return dot(d_bent, n) + 2.0 * dot(d_rate, n_rate) + dot(d, n_bent)
    k = joint.cosine
    e = minus(r, scaled(k, axis_j))
    e_rate, e_bent = minus(r_rate, scaled(k, j_rate)), minus(r_bent, scaled(k, j_bent))
    return dot(d_bent, e) + 2.0 * dot(d_rate, e_rate) + dot(d, e_bent)


# ---- coordinates and relations between them ------------------------------------------------------------------


@kernel
def relation_curvatures(
    relations: Records, terms: Records, first: int, last: int, joints: Records, bodies: Records, out: Floats
) -> None:
    """The same of the relations [first, last)."""
    for i in range(first, last):
        relation, total = relations[i], 0.0
        for k in range(relation.start, relation.end):
            joint = joints[terms[k].joint]
            if joint.carrier.body == joint.node.body:
                continue
            a, b = bodies[joint.carrier.body], bodies[joint.node.body]
            if terms[k].rotational == 1:
                total += terms[k].coefficient * curvature_of_angle(joint, a, b)
            else:
                total += terms[k].coefficient * curvature_of_slide(joint, a, b)
        out[relation.row] = total


@kernel(inline=True)
def curvature_of_slide(joint: Record, a: Record, b: Record) -> float:
    """Of u: TRAVEL or DISTANCE."""
    if joint.slide_kind == DISTANCE:
        d, rate, bent = motion_of_separation(joint, a, b)
        return of_length(d, rate, bent)
    return of_force(joint, axis_of(joint, a), a, b)


@kernel
def curvature_of_angle(joint: Record, a: Record, b: Record) -> float:
    """Of theta: (omega_b - omega_a) . m', m that of `joints.angle_direction`."""
    r, on_a = axis_of(joint, a), spin_of(a)
    relative = minus(spin_of(b), on_a)
    if joint.aligned == 1:
        return dot(relative, cross(on_a, r))
    if joint.angle_kind == ABOUT_CROSS:
        axis_j = second_axis_of(joint, b)
        quarter = cross(r, axis_j)
        j_rate = cross(spin_of(b), axis_j)
        q_rate = plus(cross(cross(on_a, r), axis_j), cross(r, j_rate))
        squared = dot(quarter, quarter)
        changes = plus(cross(j_rate, quarter), cross(axis_j, q_rate))
        shrinks = 2.0 * dot(quarter, q_rate) / squared
        return (dot(relative, changes) - shrinks * dot(relative, cross(axis_j, quarter))) / squared
    # in the axes of body a: (w, v) turns by w' = -W . v / 2, v' = (w W + W x v) / 2, W the relative spin
    w, v = orientation_between(a, b, False)
    spin, axis = in_body_axes(relative, a, False), vector_of(joint.triad[0])
    w_rate = -0.5 * dot(spin, v)
    v_rate = scaled(0.5, plus(scaled(w, spin), cross(spin, v)))
    along, along_rate = dot(v, axis), dot(v_rate, axis)
    size, grows = w * w + along * along, 2.0 * (w * w_rate + along * along_rate)
    total = plus(scaled(w * w, axis), plus(scaled(w, cross(v, axis)), scaled(along, v)))
    changes = scaled(2.0 * w * w_rate, axis)
    changes = plus(changes, plus(scaled(w_rate, cross(v, axis)), scaled(w, cross(v_rate, axis))))
    changes = plus(changes, plus(scaled(along_rate, v), scaled(along, v_rate)))
    # m is fixed in body a but for that, so that omega_a x m is to be added
    in_a = dot(spin, minus(changes, scaled(grows / size, total))) / size
    return in_a + dot(relative, cross(on_a, direction_of(scaled(1.0 / size, total), a, False)))


# ---- nodes ---------------------------------------------------------------------------------------------------


@kernel
def condition_curvatures(conditions: Conditions, first: int, last: int, bodies: Records, out: Floats) -> None:
    """The same of the conditions [first, last), which hold translations of nodes along fixed axes."""
    for i in range(first, last):
        condition, total = conditions.records[i], 0.0
        for k in range(condition.first_term, condition.last_term):
            term = conditions.terms[k]
            if term.kind == TRANSLATION:
                body = bodies[term.node.body]
                bent = centripetal(body, arm_of(term.node, body, False))
                total += term.coefficient * dot(vector_of(term.axis), bent)
        out[condition.row] = total
