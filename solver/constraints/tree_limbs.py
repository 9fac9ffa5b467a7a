"""Limbs of trees: bodies that hang on each other by joints, and move by the coordinates of these.

Where joints make a tree of the bodies of a subsystem, places follow from joint coordinates, and what the joints hold
needs no rows.  The bodies of a tree are its limbs, each on its parent (a limb before it, or the ground) by a joint
whose coordinates are its freedoms; a limb without a parent is free.

The step is that of `integration.step`.  Its rows hold at t_n and at t_{n+1}, so that N, the motions that the freedoms
of the joints let happen at t_n, is all that G lets happen (G N = 0), and

    N^T ( P_{n+1/2} - P_{n-1/2} - kick F ) = 0,    x_{n+1} = x(q_{n+1}),

is the same step without multipliers.  Of a step all increments are known to their own rounding, whatever the size of
the machine: D, the rotation of a limb in the step, is composed of those of the joints before it,

    D = D_parent exp(dq r),    dx = dx_parent + (D_parent - 1) d_parent + D_parent dq r_slide - (D - 1) d,

with r the axes and d the arms to the joint at t_n, all in global axes; its rotation vector theta gives the momentum,

    h L = V(theta)^-1 I theta = I theta + theta x I theta / 2 + c theta x (theta x I theta)      (`core.rotation`).

A freedom moves all limbs behind it by a twist (omega, v), v of the point of each that is at the origin: (r, p x r)
for an axis r through p, (0, r) for a slide.  Forces and moments about that origin add up from the leaves to the root.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import FARTHEST, MAX_STEP_ANGLE_SQUARED, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import (
    Quaternion,
    Upper,
    half_angle_factors,
    tangent_factor,
    to_body,
    to_global,
)
from ..core.vectors import cross, dot, minus, plus, row, scaled, set_vector, vector_of

# Kinds of joints, by their freedoms: none; a slide; a slide and an angle; an angle; two; three rotations; all six.
WELD, SLIDER, CYLINDER, HINGE, CROSS, BALL, FREE = range(7)
NO_LIMB = 0  # the ground, which all trees stand on, is limb 0
KNOWN_BEFORE = 6  # values of the steps before from which those of a step are extrapolated

LIMB = np.dtype(
    [
        ("kind", "i8"),
        ("body", "i8"),
        ("parent", "i8"),  # limb
        ("first_freedom", "i8"),
        ("joint", "i8"),  # NO_JOINT where it has none, or one that is measured in each step
        ("sign", "f8"),  # of the coordinates of the joint over the freedoms: -1 where body a hangs on body b
        # how it hangs on its parent
        ("parent_arm", "f8", 3),  # from the reference point of the parent to the joint, less the slide; its axes
        ("arm", "f8", 3),  # from its own to the joint, body axes
        ("offset", "f8", 3),  # reference point less that of the parent at t = 0
        ("axis", "f8", 3),  # of the slide and the first angle, in the axes of the parent
        ("second_axis", "f8", 3),  # of the second angle, in body axes
        ("start", "f8", 2),  # angle and slide of its joint at t = 0
        ("as_built", "f8", 4),  # orientation relative to the parent where both angles are 0, w first
        # at t_n; trial: at t_{n+1}
        ("half_angles", "f8", (2, 2)),  # cosine and sine of the halves of both angles
        ("slide", "f8", 2),  # and what its sum lost to rounding
        ("trial_half_angles", "f8", (2, 2)),
        ("trial_slide", "f8", 2),
        # at t_n, global
        ("place", "f8", 3),  # reference point, from the origin
        ("to_parent_joint", "f8", 3),  # from the reference point of the parent to the joint
        ("to_joint", "f8", 3),  # from its own
        ("inertia", "f8", 6),  # I_xx, I_xy, I_xz, I_yy, I_yz, I_zz
        # of the step
        ("rotation", "f8", 4),  # D, a quaternion
        ("theta", "f8", 3),  # its rotation vector
        ("shift", "f8", 3),  # dx
        ("motion", "f8", 6),  # velocity, and angular momentum
        ("last_motion", "f8", 6),  # the same of the step before; working memory
        ("pushed", "f8", 6),  # what the momenta would be by the forces alone: P_{n-1/2} + kick F
        ("target", "f8", 6),  # the same with the reactions of rows that close loops
        ("reaction", "f8", 6),  # force and moment of all joints, of t_n
        ("last_reaction", "f8", 6),  # of t_{n-1}
        # of this limb and all behind it
        ("force", "f8", 3),  # what the momenta lack
        ("moment", "f8", 3),
        ("mass", "f8"),
        ("first_moment", "f8", 3),  # sum of m d, d the places at t_n
        ("trial_first_moment", "f8", 3),
        ("turning", "f8", (3, 3)),  # moment about the origin by a rotation about it, of t_{n+1}
    ],
    align=True,
)
FREEDOM = np.dtype(
    [
        ("limb", "i8"),
        ("slides", "i8"),  # 1: along its axis
        ("twist", "f8", 6),  # omega and v, at t_n
        ("trial_twist", "f8", 6),
        ("step", "f8"),  # growth of the coordinate
        ("before", "f8", KNOWN_BEFORE),  # rates in the steps before, the last one first
        ("value", "f8"),  # growth since t = 0
        ("residual", "f8"),  # of the momentum along it
        ("carried", "f8"),  # what rounding left of that in the last step
        ("stiffness", "f8"),  # how it grows with the step, see `tree_matrix`
        ("root", "f8"),  # of the stiffness
        ("column", "f8", 6),  # force and moment by a step of this freedom, of all limbs behind it
        ("line", "f8", 6),  # the same read from the left
    ],
    align=True,
)
# By subsystem.
TREE = np.dtype(
    [
        ("even", "i8"),  # values that are known at equal steps, up to KNOWN_BEFORE
        ("row", "i8"),  # that stands for the subsystem in messages
        ("size", "f8"),  # of the machine
        ("floats", "i8"),  # 1: nothing holds it to the ground, so that it has momenta to keep
        ("rate", "f8"),  # of what there was to correct, what the last correction left
        ("dt", "f8"),  # of the step that the matrix was made for
        ("kick", "f8"),
        ("first_watched", "i8"),
        ("last_watched", "i8"),
        ("first_unknown", "i8"),  # freedoms, then loops
        ("first_pair", "i8"),  # of the matrix, see `tree_matrix`
        ("last_pair", "i8"),
        ("first_closing", "i8"),
        ("last_closing", "i8"),
        ("first_damper", "i8"),  # in the matrix: those of springs, then those of joints, see `tree_dampers`
        ("first_joint_damper", "i8"),
        ("last_damper", "i8"),
        ("damped", "i8"),  # 1: the matrix has them
        ("first_front", "i8"),
        ("last_front", "i8"),
        ("first_value", "i8"),
        ("last_value", "i8"),
    ],
    align=True,
)
# A row that closes a loop.
LOOP = np.dtype(
    [
        ("row", "i8"),
        ("drive", "i8"),  # NO_DRIVE where it is of none
        ("active", "i8"),  # 1: that drive acts
        ("multiplier", "f8"),  # at t_n
        ("last", "f8"),  # at t_{n-1}
        ("before", "f8", KNOWN_BEFORE),  # at t_{n-1} and before, as far as extrapolation may go
    ],
    align=True,
)
NO_DRIVE, NO_JOINT = -1, -1
# A joint whose coordinates are asked for in each step: its rows close loops, it is in rows that do, or forces act.
ROWS_CLOSE, IN_ROWS, AT_END = range(3)
WATCHED = np.dtype([("joint", "i8"), ("purpose", "i8")], align=True)
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel(inline=True)
def slides(kind: int) -> bool:
    """Whether the first freedom of a joint is a slide along its axis."""
    return SLIDER <= kind <= CYLINDER


@kernel(inline=True)
def turns(kind: int) -> bool:
    """Whether the next one is an angle about its axis."""
    return CYLINDER <= kind <= CROSS


@kernel(inline=True)
def rolls(kind: int) -> bool:
    """Whether the last three are rotations about global axes."""
    return kind >= BALL


# ---- t_n -----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def describe_limb(
    limbs: Records, i: int, freedoms: Records, bodies: Records, origin: Record, moved: Vector, slide: float
) -> None:
    """Places, arms, inertias and twists of a limb where bodies are; slide : of its joint there.

    origin : the body whose place they are counted from, where that has the displacement `moved`
    """
    limb = limbs[i]
    body = bodies[limb.body]
    parent = bodies[limbs[limb.parent].body]
    built = minus(vector_of(body.centre), vector_of(origin.centre))
    place = plus(built, minus(vector_of(body.displacement), moved))
    to_joint = to_global(body.rotation, limb.arm[0], limb.arm[1], limb.arm[2])
    set_vector(limb.place, place)
    set_vector(limb.to_joint, to_joint)
    set_inertia(limb, body)
    axis = to_global(parent.rotation, limb.axis[0], limb.axis[1], limb.axis[2])
    arm = to_global(parent.rotation, limb.parent_arm[0], limb.parent_arm[1], limb.parent_arm[2])
    set_vector(limb.to_parent_joint, plus(arm, scaled(slide, axis)))
    pivot, k, kind = plus(place, to_joint), limb.first_freedom, limb.kind
    if slides(kind):
        set_twist(freedoms[k].twist, (0.0, 0.0, 0.0), axis)
        k += 1
    if turns(kind):
        set_twist(freedoms[k].twist, axis, cross(pivot, axis))
    if kind == CROSS:
        second = to_global(body.rotation, limb.second_axis[0], limb.second_axis[1], limb.second_axis[2])
        set_twist(freedoms[k + 1].twist, second, cross(pivot, second))
    if kind == FREE:
        for c in range(3):
            set_twist(freedoms[k + c].twist, (0.0, 0.0, 0.0), UNIT[c])
        k += 3
    if rolls(kind):
        for c in range(3):
            set_twist(freedoms[k + c].twist, UNIT[c], cross(pivot, UNIT[c]))


@kernel(inline=True)
def set_twist(twist: Record, omega: Vector, velocity: Vector) -> None:
    twist[0], twist[1], twist[2] = omega
    twist[3], twist[4], twist[5] = velocity


@kernel(inline=True)
def set_inertia(limb: Record, body: Record) -> None:
    """I = R I_body R^T."""
    r, inertia = body.rotation, body.inertia
    x, y, z = row(r, 0), row(r, 1), row(r, 2)
    ix, iy, iz = (
        to_global(inertia, x[0], x[1], x[2]),
        to_global(inertia, y[0], y[1], y[2]),
        to_global(inertia, z[0], z[1], z[2]),
    )
    out = limb.inertia
    out[0], out[1], out[2] = dot(x, ix), dot(x, iy), dot(x, iz)
    out[3], out[4], out[5] = dot(y, iy), dot(y, iz), dot(z, iz)


@kernel(inline=True)
def inertia_of(limb: Record) -> Upper:
    i = limb.inertia
    return i[0], i[1], i[2], i[3], i[4], i[5]


@kernel(inline=True)
def times_upper(upper: Upper, v: Vector) -> Vector:
    """A symmetric matrix times a vector."""
    xx, xy, xz, yy, yz, zz = upper
    x, y, z = v
    return xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z


# ---- the step ------------------------------------------------------------------------------------------------


@kernel(inline=True)
def followed_by(d: Quaternion, axis: Vector, angle: float) -> Quaternion:
    """D exp(angle axis)."""
    cosine, sine = half_angle_factors(angle * angle)
    return composed(d, (cosine, *scaled(sine * angle, axis)))


@kernel(inline=True)
def composed(d: Quaternion, e: Quaternion) -> Quaternion:
    """D E."""
    w, v, other, u = d[0], (d[1], d[2], d[3]), e[0], (e[1], e[2], e[3])
    x, y, z = plus(plus(scaled(w, u), scaled(other, v)), cross(v, u))
    return w * other - dot(v, u), x, y, z


@kernel(inline=True)
def moved_by(d: Quaternion, vector: Vector) -> Vector:
    """(D - 1) vector, to its own rounding."""
    v = (d[1], d[2], d[3])
    once = cross(v, vector)
    return scaled(2.0, plus(scaled(d[0], once), cross(v, once)))


@kernel(inline=True)
def rotation_vector(d: Quaternion) -> Vector:
    """theta of D = exp(theta)."""
    v = (d[1], d[2], d[3])
    x = dot(v, v)
    if x < 0.0025 and d[0] > 0.0:
        factor = 2.0 + x * (1 / 3 + x * (3 / 20 + x * (5 / 56 + x * (35 / 576 + x * (63 / 1408)))))
    else:
        size = math.sqrt(x)
        factor = 2.0 * math.atan2(size, d[0]) / size
    return scaled(factor, v)


@kernel(inline=True)
def move_limb(limbs: Records, i: int, freedoms: Records, dt: float) -> bool:
    """Rotation, shift and momenta of a limb by the steps of the freedoms; False if it moves beyond all bounds."""
    limb = limbs[i]
    parent = limbs[limb.parent]
    before = parent.rotation
    d = (before[0], before[1], before[2], before[3])
    kind, k = limb.kind, limb.first_freedom
    shift = plus(vector_of(parent.shift), moved_by(d, vector_of(limb.to_parent_joint)))
    if slides(kind):
        along = scaled(freedoms[k].step, velocity_of(freedoms[k].twist))
        shift = plus(shift, plus(along, moved_by(d, along)))
        k += 1
    if turns(kind):
        d = followed_by(d, omega_of(freedoms[k].twist), freedoms[k].step)
    if kind == CROSS:
        d = followed_by(d, omega_of(freedoms[k + 1].twist), freedoms[k + 1].step)
    if kind == FREE:
        shift = (freedoms[k].step, freedoms[k + 1].step, freedoms[k + 2].step)
        k += 3
    if rolls(kind):
        turn = (freedoms[k].step, freedoms[k + 1].step, freedoms[k + 2].step)
        cosine, sine = half_angle_factors(dot(turn, turn))
        d = composed(d, (cosine, *scaled(sine, turn)))
    if kind != FREE:
        shift = minus(shift, moved_by(d, vector_of(limb.to_joint)))
    limb.rotation[0], limb.rotation[1], limb.rotation[2], limb.rotation[3] = d
    set_vector(limb.shift, shift)
    theta = rotation_vector(d)
    set_vector(limb.theta, theta)
    set_motion(limb, shift, theta, dt)
    return dot(theta, theta) < MAX_STEP_ANGLE_SQUARED and dot(shift, shift) < FARTHEST


@kernel(inline=True)
def omega_of(twist: Record) -> Vector:
    return twist[0], twist[1], twist[2]


@kernel(inline=True)
def velocity_of(twist: Record) -> Vector:
    return twist[3], twist[4], twist[5]


@kernel(inline=True)
def set_motion(limb: Record, shift: Vector, theta: Vector, dt: float) -> None:
    """Velocity, and the angular momentum V(theta)^-1 I theta / h."""
    turned = times_upper(inertia_of(limb), theta)
    across = cross(theta, turned)
    momentum = plus(turned, plus(scaled(0.5, across), scaled(tangent_factor(dot(theta, theta)), cross(theta, across))))
    v, l = scaled(1.0 / dt, shift), scaled(1.0 / dt, momentum)
    motion = limb.motion
    motion[0], motion[1], motion[2] = v
    motion[3], motion[4], motion[5] = l


@kernel(inline=True)
def lack_of_momentum(limb: Record, mass: float) -> None:
    """What the momenta of a limb are beyond their target, as force and moment about the origin."""
    motion, target = limb.motion, limb.target
    force = (mass * motion[0] - target[0], mass * motion[1] - target[1], mass * motion[2] - target[2])
    moment = (motion[3] - target[3], motion[4] - target[4], motion[5] - target[5])
    set_vector(limb.force, force)
    set_vector(limb.moment, plus(moment, cross(vector_of(limb.place), force)))


@kernel(inline=True)
def add_forces_behind(limbs: Records, first: int, last: int) -> None:
    """Forces and moments about the origin, of each limb of a tree and all behind it, where they were of each alone."""
    for back in range(last - first):
        limb = limbs[last - 1 - back]
        if limb.parent != NO_LIMB:
            parent = limbs[limb.parent]
            set_vector(parent.force, plus(vector_of(parent.force), vector_of(limb.force)))
            set_vector(parent.moment, plus(vector_of(parent.moment), vector_of(limb.moment)))


@kernel(inline=True)
def set_reaction(limb: Record, mass: float, kick: float) -> None:
    """What all joints do to the body of a limb at t_n, once its motion is found."""
    motion, pushed, reaction, per_kick = limb.motion, limb.pushed, limb.reaction, 1.0 / kick
    for c in range(3):
        reaction[c] = (mass * motion[c] - pushed[c]) * per_kick
        reaction[c + 3] = (motion[c + 3] - pushed[c + 3]) * per_kick


@kernel(inline=True)
def along_twist(twist: Record, force: Vector, moment: Vector) -> float:
    """omega . moment + v . force."""
    return dot(omega_of(twist), moment) + dot(velocity_of(twist), force)


# ---- how momenta grow with the steps -------------------------------------------------------------------------


@kernel(inline=True)
def set_trial_twists(limbs: Records, i: int, freedoms: Records) -> None:
    """What the freedoms of a limb move at t_{n+1}: the axes have turned, and the pivots moved."""
    limb = limbs[i]
    before = limbs[limb.parent].rotation
    d = (before[0], before[1], before[2], before[3])
    kind, k = limb.kind, limb.first_freedom
    own = limb.rotation
    e = (own[0], own[1], own[2], own[3])
    to_joint = vector_of(limb.to_joint)
    place = plus(vector_of(limb.place), vector_of(limb.shift))
    pivot = plus(place, plus(to_joint, moved_by(e, to_joint)))
    if slides(kind):
        axis = velocity_of(freedoms[k].twist)
        set_twist(freedoms[k].trial_twist, (0.0, 0.0, 0.0), plus(axis, moved_by(d, axis)))
        k += 1
    if turns(kind):
        axis = omega_of(freedoms[k].twist)
        axis = plus(axis, moved_by(d, axis))
        set_twist(freedoms[k].trial_twist, axis, cross(pivot, axis))
    if kind == CROSS:
        second = omega_of(freedoms[k + 1].twist)
        second = plus(second, moved_by(e, second))  # it is fixed in the limb
        set_twist(freedoms[k + 1].trial_twist, second, cross(pivot, second))
    if kind == FREE:
        for c in range(3):
            set_twist(freedoms[k + c].trial_twist, (0.0, 0.0, 0.0), UNIT[c])
        k += 3
    if rolls(kind):
        turn = (freedoms[k].step, freedoms[k + 1].step, freedoms[k + 2].step)
        for c in range(3):
            once = cross(turn, UNIT[c])
            axis = plus(UNIT[c], plus(scaled(0.5, once), scaled(1 / 6, cross(turn, once))))
            axis = plus(axis, moved_by(d, axis))
            set_twist(freedoms[k + c].trial_twist, axis, cross(pivot, axis))


@kernel(inline=True)
def start_growth(limb: Record, mass: float, dt: float) -> None:
    """How the momenta of a limb grow with its place and rotation at t_{n+1}, as those of it and all behind it.

    dtheta is (1 - [theta]/2 + [theta]^2/12) times the rotation, so that to theta^2, with y = I theta and t = tr I / 2,

        h dL/dtheta = (1 + [theta]/2 + [theta]^2/12) I - [y]/2 - ([theta x y] + [theta][y])/12,
        turning = I + [theta](I - t) + theta (2 y/3 - t theta/2)^T + y theta^T/6
                + (t theta.theta - 5 theta.y/6)/2 - 5 theta.theta I/12.
    """
    share, rate = mass / dt, 1.0 / dt
    place = vector_of(limb.place)
    trial = plus(place, vector_of(limb.shift))
    limb.mass = share
    set_vector(limb.first_moment, scaled(share, place))
    set_vector(limb.trial_first_moment, scaled(share, trial))
    theta, (xx, xy, xz, yy, yz, zz) = vector_of(limb.theta), inertia_of(limb)
    y = times_upper((xx, xy, xz, yy, yz, zz), theta)
    square, twice, half = dot(theta, theta), dot(theta, y), 0.5 * (xx + yy + zz)
    whole, even = rate * (1.0 - 5 / 12 * square), 0.5 * rate * (half * square - 5 / 6 * twice)
    along = scaled(rate, minus(scaled(2 / 3, y), scaled(0.5 * half, theta)))
    before, sixth = scaled(rate, theta), scaled(rate / 6, theta)
    # the moment of the force about the origin
    even += share * dot(place, trial)
    x0, x1, x2 = (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    j0, j1, j2 = (xx - half, xy, xz), (xy, yy - half, yz), (xz, yz, zz - half)
    turned = minus(scaled(before[1], j2), scaled(before[2], j1))
    set_turning(limb.turning, 0, plus(scaled(whole, x0), turned), theta[0], along, y[0], sixth, share * trial[0], place)
    turned = minus(scaled(before[2], j0), scaled(before[0], j2))
    set_turning(limb.turning, 1, plus(scaled(whole, x1), turned), theta[1], along, y[1], sixth, share * trial[1], place)
    turned = minus(scaled(before[0], j1), scaled(before[1], j0))
    set_turning(limb.turning, 2, plus(scaled(whole, x2), turned), theta[2], along, y[2], sixth, share * trial[2], place)
    for c in range(3):
        limb.turning[c, c] += even


@kernel(inline=True)
def set_turning(
    out: Record, r: int, line: Vector, theta: float, along: Vector, y: float, sixth: Vector, moment: float,
    place: Vector,
) -> None:  # fmt: skip
    """A row: line + theta along + y sixth - moment place."""
    total = plus(plus(line, scaled(theta, along)), minus(scaled(y, sixth), scaled(moment, place)))
    out[r, 0], out[r, 1], out[r, 2] = total


@kernel(inline=True)
def add_growth(limb: Record, other: Record) -> None:
    """What grows behind another limb grows behind this one."""
    limb.mass += other.mass
    for c in range(3):
        limb.first_moment[c] += other.first_moment[c]
        limb.trial_first_moment[c] += other.trial_first_moment[c]
        for d in range(3):
            limb.turning[c, d] += other.turning[c, d]


@kernel(inline=True)
def add_growth_behind(limbs: Records, first: int, last: int) -> None:
    """The same of a tree from its leaves to its root."""
    for back in range(last - first):
        limb = limbs[last - 1 - back]
        if limb.parent != NO_LIMB:
            add_growth(limbs[limb.parent], limb)


@kernel(inline=True)
def set_column_and_line(freedom: Record, limb: Record) -> None:
    """Force and moment by a step of a freedom, on all behind it; and what a step of any other does along it."""
    mass, turning = limb.mass, limb.turning
    first, trial = vector_of(limb.first_moment), vector_of(limb.trial_first_moment)
    omega, velocity = omega_of(freedom.trial_twist), velocity_of(freedom.trial_twist)
    force = plus(scaled(mass, velocity), cross(omega, trial))
    moment = plus(to_global(turning, omega[0], omega[1], omega[2]), cross(first, velocity))
    freedom.column[0], freedom.column[1], freedom.column[2] = moment
    freedom.column[3], freedom.column[4], freedom.column[5] = force
    omega, velocity = omega_of(freedom.twist), velocity_of(freedom.twist)
    force = plus(scaled(mass, velocity), cross(omega, first))
    moment = plus(to_body(turning, omega[0], omega[1], omega[2]), cross(trial, velocity))
    freedom.line[0], freedom.line[1], freedom.line[2] = moment
    freedom.line[3], freedom.line[4], freedom.line[5] = force


@kernel(inline=True)
def set_column(freedom: Record, limb: Record) -> None:
    """The column where nothing moves in the step, which is the line as well."""
    first, omega, velocity = vector_of(limb.first_moment), omega_of(freedom.twist), velocity_of(freedom.twist)
    moment = plus(to_global(limb.turning, omega[0], omega[1], omega[2]), cross(first, velocity))
    force = plus(scaled(limb.mass, velocity), cross(omega, first))
    freedom.column[0], freedom.column[1], freedom.column[2] = moment
    freedom.column[3], freedom.column[4], freedom.column[5] = force


@kernel(inline=True)
def product(left: Record, right: Record) -> float:
    """Of two sixes."""
    return (left[0] * right[0] + left[1] * right[1] + left[2] * right[2]) + (
        left[3] * right[3] + left[4] * right[4] + left[5] * right[5]
    )  # fmt: skip


# ---- t_{n+1} -------------------------------------------------------------------------------------------------


@kernel(inline=True)
def commit_limb(limb: Record) -> None:
    """Joint coordinates of t_{n+1} become those of t_n, and the reactions those of before."""
    for c in range(6):
        limb.last_reaction[c] = limb.reaction[c]
    commit_coordinates(limb)


@kernel(inline=True)
def commit_coordinates(limb: Record) -> None:
    """Slide and angles of t_{n+1} become those of t_n."""
    for c in range(2):
        limb.slide[c] = limb.trial_slide[c]
        for d in range(2):
            limb.half_angles[c, d] = limb.trial_half_angles[c, d]


@kernel(inline=True)
def commit_freedom(freedom: Record, dt: float) -> None:
    note_before(freedom.before, freedom.step / dt)
    freedom.value += freedom.step
    freedom.carried = freedom.residual


@kernel(inline=True)
def note_before(before: Record, value: float) -> None:
    """The newest of the values of the steps before."""
    for back in range(KNOWN_BEFORE - 1):
        k = KNOWN_BEFORE - 1 - back
        before[k] = before[k - 1]
    before[0] = value
