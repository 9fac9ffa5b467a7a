"""Joints: kinematic pairs between two bodies, held at position level.  Links of /GJOINT, /JOINT, what drives measure.

A joint sits between body a, which carries node i (the carrier), and body b, which carries node j.  The triad r, s, t is
fixed in body a, the axis b_j in body b.  In the axes of the triad

    c = (r, s, t) . (R_a^T (x_j - x_a) - arm_a)     node j, less its place on body a
    q = q_a^-1 q_b = (w, v)                         orientation of body b relative to body a

and the rows of a joint are some of these (`parser.model.joint_types` says which):

    ALONG, ACROSS_S, ACROSS_T   c_r = constant, c_s = 0, c_t = 0
    TILT_S, TILT_T              (R_b r) . s, (R_b r) . t = 0                      the axis r stays parallel
    TURN_R, TURN_S, TURN_T      2 v_r, 2 v_s, 2 v_t = 0                          no relative rotation
    CROSSED                     r . b_j = constant                               angle between the axes
    LENGTH                      |c| = constant
    GAP                         c . (r x b_j) = constant                         distance of the axes
    FOOT                        c . (r - cosine b_j) = constant                  foot of their common normal along r

Coordinates: the angle theta, unwrapped (whole turns are kept apart, so that its rounding does not grow with them), of
the twist 2 atan2(v_r, w) about r, or for a CROSSED joint of b_j about r; the slide u: c_r, |c|, or for a universal
joint the rotation of body b about b_j.  A joint without rows only measures.

The multipliers are the reactions on body b, in the triad: forces along r, s, t, the bearing moments about t and -s of
the TILT rows, moments about r, s, t of the TURN rows.  Rows are written in the axes of body a, so that G M^-1 G^T
stays constant while balanced rotors turn.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import GROUND, Record, Records, Vector
from ..core.body_points import (
    POINT,
    add_moment,
    arm_of,
    direction_of,
    in_body_axes,
    orientation_between,
    set_force,
    set_moment,
    shift_between,
    spin_in_step,
    velocity_in_step,
)
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, opposite, plus, scaled, times, vector_of
from .rows import widen_tolerance

TWO_PI = 2 * math.pi

# Codes of the rows and coordinates that `parser.model.joint_types` names.  Rows up to ACROSS_T and from LENGTH on are
# lengths, the others angles.
(
    ALONG, ACROSS_S, ACROSS_T, TILT_S, TILT_T, TURN_R, TURN_S, TURN_T, CROSSED, LENGTH, GAP, FOOT,
) = range(12)  # fmt: skip
NO_ANGLE, TWIST, ABOUT_CROSS = 0, 1, 2  # what a joint measures as its angle
NO_SLIDE, TRAVEL, DISTANCE, SECOND_ANGLE = 0, 1, 2, 3  # and as its slide

JOINT = np.dtype(
    [
        ("carrier", POINT),  # body a, and where node j belongs on it
        ("node", POINT),  # body b, and node j
        ("row", "i8"),  # first row
        ("n_rows", "i8"),
        ("entry", "i8"),  # first entry
        ("width", "i8"),  # entries of a row: bodies that move
        ("angle_kind", "i8"),
        ("slide_kind", "i8"),
        ("oriented", "i8"),  # 1: rows or coordinates need the relative orientation
        ("aligned", "i8"),  # 1: rows keep the axis of body b on r
        ("travels", "i8"),  # 1: node j moves in body a, and rounding with it
        ("centre_offset", "f8", 3),  # reference point of body b minus that of body a, t = 0
        ("triad", "f8", (3, 3)),  # rows r, s, t in the axes of body a
        ("axis_j", "f8", 3),  # in the axes of body b
        ("cosine", "f8"),  # of the angle between r and axis_j, as built
        ("turns", "f8"),  # whole turns of theta at t_n
        ("angle", "f8"),  # theta less the whole turns, in (-pi, pi]
        ("slide", "f8"),  # u at t_n
        ("trial_turns", "f8"),  # the same for the trial positions
        ("trial_angle", "f8"),
        ("trial_slide", "f8"),
        ("distance", "f8"),  # |c_r| + |c_s| + |c_t|, trial
        ("angle_rate", "f8"),  # at t_{n-1/2}
        ("slide_rate", "f8"),
    ],
    align=True,
)


@kernel(inline=True)
def between(joint: Record, a: Record, b: Record, trial: bool) -> Vector:
    """From the reference point of body a to that of body b, global."""
    return plus(vector_of(joint.centre_offset), shift_between(a, b, trial))


@kernel(inline=True)
def arms_of(joint: Record, a: Record, b: Record, trial: bool) -> tuple[Vector, Vector]:
    """From the reference points of bodies b and a to node j, global."""
    at_node = arm_of(joint.node, b, trial)
    return at_node, plus(between(joint, a, b, trial), at_node)


@kernel(inline=True)
def axis_of(joint: Record, a: Record) -> Vector:
    """r at t_n, global."""
    return direction_of(joint.triad[0], a, False)


@kernel(inline=True)
def second_axis_of(joint: Record, b: Record) -> Vector:
    """b_j at t_n, global."""
    return direction_of(joint.axis_j, b, False)


@kernel(inline=True)
def offset_in_triad(joint: Record, a: Record, b: Record) -> Vector:
    """c at the trial positions."""
    _, at_carrier = arms_of(joint, a, b, True)
    return times(joint.triad, minus(in_body_axes(at_carrier, a, True), vector_of(joint.carrier.arm)))


@kernel(inline=True)
def orientation_in_triad(joint: Record, a: Record, b: Record) -> tuple[float, float, float, float]:
    """w and v_r, v_s, v_t at the trial positions."""
    w, v = orientation_between(a, b, True)
    vr, vs, vt = times(joint.triad, v)
    return w, vr, vs, vt


@kernel(inline=True)
def second_axis(joint: Record, w: float, v: Vector) -> Vector:
    """b_j in the triad: rotated by (w, v)."""
    b = times(joint.triad, joint.axis_j)
    twice = scaled(2.0, cross(v, b))
    return plus(plus(b, scaled(w, twice)), cross(v, twice))


@kernel(inline=True)
def joint_residuals(joints: Records, first: int, last: int, rows: Records, bodies: Records) -> None:
    """Residuals of the joints' rows at the trial positions, and the trial coordinates."""
    for i in range(first, last):
        joint = joints[i]
        if joint.carrier.body == joint.node.body:
            continue  # both nodes ride on one body: nothing can move
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        c = offset_in_triad(joint, a, b)
        w, vr, vs, vt = 1.0, 0.0, 0.0, 0.0
        if joint.oriented == 1:
            w, vr, vs, vt = orientation_in_triad(joint, a, b)
        sign = 2.0 if w > 0 else -2.0
        for row in range(joint.row, joint.row + joint.n_rows):
            kind = rows[row].kind
            if kind == ALONG:
                rows[row].residual = c[0] - rows[row].constant
            elif kind == ACROSS_S:
                rows[row].residual = c[1]
            elif kind == ACROSS_T:
                rows[row].residual = c[2]
            elif kind == TILT_S:
                rows[row].residual = 2 * (w * vt + vs * vr)
            elif kind == TILT_T:
                rows[row].residual = 2 * (vt * vr - w * vs)
            elif kind == TURN_R:
                rows[row].residual = sign * vr
            elif kind == TURN_S:
                rows[row].residual = sign * vs
            elif kind == TURN_T:
                rows[row].residual = sign * vt
            elif kind == LENGTH:
                rows[row].residual = math.sqrt(dot(c, c)) - rows[row].constant
            else:
                rows[row].residual = axes_value(joint, kind, c, second_axis(joint, w, (vr, vs, vt)))
                rows[row].residual -= rows[row].constant
        if joint.travels == 1:
            joint.distance = abs(c[0]) + abs(c[1]) + abs(c[2])
        measure(joint, c, w, vr, vs, vt)


@kernel(inline=True)
def axes_value(joint: Record, kind: int, c: Vector, axis_j: Vector) -> float:
    """Value of a CROSSED, GAP or FOOT row, before its constant; all in the triad."""
    if kind == CROSSED:
        return axis_j[0]
    if kind == GAP:
        return c[2] * axis_j[1] - c[1] * axis_j[2]
    return c[0] - joint.cosine * dot(c, axis_j)


@kernel(inline=True)
def measure(joint: Record, c: Vector, w: float, vr: float, vs: float, vt: float) -> None:
    """Trial coordinates."""
    if joint.angle_kind == TWIST:
        set_angle(joint, 2 * math.atan2(vr, w))
    elif joint.angle_kind == ABOUT_CROSS:
        axis_j = second_axis(joint, w, (vr, vs, vt))
        set_angle(joint, math.atan2(axis_j[2], axis_j[1]))
    if joint.slide_kind == TRAVEL:
        joint.trial_slide = c[0]
    elif joint.slide_kind == DISTANCE:
        joint.trial_slide = math.sqrt(dot(c, c))
    elif joint.slide_kind == SECOND_ANGLE:
        # r seen from body b, where it started as (1, 0, 0): turned by minus the angle about b_j, which started as s
        x, _, z = first_axis_seen(w, (-vr, -vs, -vt))
        angle = math.atan2(z, x)
        joint.trial_slide = angle + TWO_PI * math.floor((joint.slide - angle) / TWO_PI + 0.5)


@kernel(inline=True)
def first_axis_seen(w: float, v: Vector) -> Vector:
    """r rotated by (w, v), in the triad."""
    twice = (0.0, 2 * v[2], -2 * v[1])
    turned = cross(v, twice)
    return 1.0 + turned[0], w * twice[1] + turned[1], w * twice[2] + turned[2]


@kernel(inline=True)
def set_angle(joint: Record, angle: float) -> None:
    """Trial angle and whole turns of a joint, continuing those of t_n."""
    if angle > math.pi:
        angle -= TWO_PI
    elif angle <= -math.pi:
        angle += TWO_PI
    step = angle - joint.angle
    joint.trial_angle = angle
    joint.trial_turns = joint.turns - 1 if step > math.pi else (joint.turns + 1 if step < -math.pi else joint.turns)


@kernel(inline=True)
def set_pair(entries: Records, k: int, joint: Record, force: Vector, at_node: Vector, at_carrier: Vector) -> None:
    """Entries of a row, from the k-th on: a force at node j on body b, and the opposite on body a."""
    if joint.node.body != GROUND:
        set_force(entries[k].jacobian, at_node, force)
        k += 1
    if joint.carrier.body != GROUND:
        set_force(entries[k].jacobian, at_carrier, opposite(force))


@kernel(inline=True)
def set_moment_pair(entries: Records, k: int, joint: Record, moment: Vector) -> None:
    """Entries of a row, from the k-th on: a moment on body b, and the opposite on body a."""
    if joint.node.body != GROUND:
        set_moment(entries[k].jacobian, moment)
        k += 1
    if joint.carrier.body != GROUND:
        set_moment(entries[k].jacobian, opposite(moment))


@kernel(inline=True)
def joint_jacobians(joints: Records, first: int, last: int, rows: Records, entries: Records, bodies: Records) -> None:
    """Entries of the joints' rows at t_n: d/dt of each residual, with R_b r = R_a r where rows keep it so."""
    for i in range(first, last):
        joint = joints[i]
        if joint.n_rows == 0:
            continue
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        at_node, at_carrier = arms_of(joint, a, b, False)
        r, s, t = axis_of(joint, a), direction_of(joint.triad[1], a, False), direction_of(joint.triad[2], a, False)
        entry = joint.entry
        for row in range(joint.row, joint.row + joint.n_rows):
            kind = rows[row].kind
            if kind == ALONG:
                set_pair(entries, entry, joint, r, at_node, at_carrier)
            elif kind == ACROSS_S:
                set_pair(entries, entry, joint, s, at_node, at_carrier)
            elif kind == ACROSS_T:
                set_pair(entries, entry, joint, t, at_node, at_carrier)
            elif kind in (TILT_S, TURN_T):
                set_moment_pair(entries, entry, joint, t)
            elif kind == TILT_T:
                set_moment_pair(entries, entry, joint, opposite(s))
            elif kind == TURN_S:
                set_moment_pair(entries, entry, joint, s)
            elif kind == TURN_R:
                set_moment_pair(entries, entry, joint, r)
            else:
                set_axes_row(joint, kind, entries, entry, a, b, at_node, at_carrier)
            if joint.travels == 1 and (kind <= ACROSS_T or kind >= LENGTH):
                widen_tolerance(rows[row], joint.distance)
            entry += joint.width


@kernel(inline=True)
def separation_of(joint: Record, a: Record, at_carrier: Vector) -> Vector:
    """R_a (triad^T c), from the place on body a to node j, global, at t_n."""
    return minus(at_carrier, arm_of(joint.carrier, a, False))


@kernel(inline=True)
def set_axes_row(
    joint: Record, kind: int, entries: Records, k: int, a: Record, b: Record, at_node: Vector, at_carrier: Vector
) -> None:
    """Entries of a LENGTH, CROSSED, GAP or FOOT row; with d from the place on body a to node j and b_j:

    LENGTH  n = d/|d|: the force n on node j
    CROSSED d/dt (r . b_j)        = (omega_b - omega_a) . (b_j x r)
    GAP     d/dt (d . (r x b_j))  = d' . n + omega_b . (b_j x (d x r)) + omega_a . (r x (b_j x d)),   n = r x b_j
    FOOT    d/dt (d . (r - k b_j)) = d' . e - k omega_b . (b_j x d) + omega_a . (r x d),              e = r - k b_j
    where d' is the velocity of node j less that of the place.
    """
    d = separation_of(joint, a, at_carrier)
    if kind == LENGTH:
        set_pair(entries, k, joint, scaled(1.0 / math.sqrt(dot(d, d)), d), at_node, at_carrier)
        return
    r, axis_j = axis_of(joint, a), second_axis_of(joint, b)
    if kind == CROSSED:
        set_moment_pair(entries, k, joint, cross(axis_j, r))
        return
    if kind == GAP:
        f = cross(r, axis_j)
        on_b, on_a = cross(axis_j, cross(d, r)), cross(r, cross(axis_j, d))
    else:
        f = minus(r, scaled(joint.cosine, axis_j))
        on_b, on_a = scaled(-joint.cosine, cross(axis_j, d)), cross(r, d)
    if joint.node.body != GROUND:
        jacobian = entries[k].jacobian
        set_force(jacobian, at_node, f)
        add_moment(jacobian, on_b)
        k += 1
    if joint.carrier.body != GROUND:
        jacobian = entries[k].jacobian
        set_force(jacobian, arm_of(joint.carrier, a, False), opposite(f))
        add_moment(jacobian, on_a)


@kernel(inline=True)
def angle_direction(joint: Record, a: Record, b: Record) -> Vector:
    """m with d(theta)/dt = m . (omega_b - omega_a), global, at t_n."""
    r = axis_of(joint, a)
    if joint.aligned == 1:
        return r
    if joint.angle_kind == ABOUT_CROSS:
        # b_j x n, with n its quarter turn about r and less its part along r
        axis_j = second_axis_of(joint, b)
        quarter = cross(r, axis_j)
        return scaled(1.0 / dot(quarter, quarter), cross(axis_j, quarter))
    # (w^2 r + w v x r + v_r v)/(w^2 + v_r^2) of the twist
    w, in_a = orientation_between(a, b, False)
    v = direction_of(in_a, a, False)
    along = dot(v, r)
    total = plus(scaled(w * w, r), plus(scaled(w, cross(v, r)), scaled(along, v)))
    return scaled(1.0 / (w * w + along * along), total)


@kernel(inline=True)
def slide_direction(joint: Record, a: Record, at_carrier: Vector) -> Vector:
    """f with du/dt = f . (velocity of node j less that of body a there), global, at t_n."""
    if joint.slide_kind == DISTANCE:
        d = separation_of(joint, a, at_carrier)
        return scaled(1.0 / math.sqrt(dot(d, d)), d)
    return axis_of(joint, a)


@kernel(inline=True)
def angle_growth(joint: Record) -> float:
    """By how much the angle grows over the step at hand."""
    return TWO_PI * (joint.trial_turns - joint.turns) + (joint.trial_angle - joint.angle)


@kernel(inline=True)
def slide_growth(joint: Record) -> float:
    """By how much the slide grows over the step at hand."""
    return joint.trial_slide - joint.slide


@kernel(inline=True)
def commit_joints(joints: Records, first: int, last: int, dt: float) -> None:
    """Coordinates of t_{n+1} become those of t_n; the rates of the step are kept."""
    for i in range(first, last):
        joint = joints[i]
        joint.angle_rate, joint.slide_rate = angle_growth(joint) / dt, slide_growth(joint) / dt
        joint.turns = joint.trial_turns
        joint.angle = joint.trial_angle
        joint.slide = joint.trial_slide


@kernel
def set_rates(joints: Records, first: int, last: int, bodies: Records) -> None:
    """Rates of the coordinates of the joints [first, last) where bodies have the velocities of t_n, as at t = 0."""
    for i in range(first, last):
        joint = joints[i]
        a, b = bodies[joint.carrier.body], bodies[joint.node.body]
        joint.angle_rate, joint.slide_rate = 0.0, 0.0
        if joint.carrier.body == joint.node.body:
            continue
        relative_spin = minus(spin_in_step(b, False), spin_in_step(a, False))
        if joint.angle_kind != NO_ANGLE:
            joint.angle_rate = dot(angle_direction(joint, a, b), relative_spin)
        at_node, at_carrier = arms_of(joint, a, b, False)
        moves = minus(velocity_in_step(at_node, b, False), velocity_in_step(at_carrier, a, False))
        if joint.slide_kind == TRAVEL or joint.slide_kind == DISTANCE:
            joint.slide_rate = dot(slide_direction(joint, a, at_carrier), moves)
        elif joint.slide_kind == SECOND_ANGLE:
            joint.slide_rate = dot(second_axis_of(joint, b), relative_spin)
