"""Places of the limbs of trees, from joint coordinates: orientations on their parents, and where they hang on these."""

from __future__ import annotations

from ..core.bodies import Record, Records
from ..core.jit.kernels import kernel
from ..core.rotation import Quaternion, half_angle_factors, set_rotation_matrix, to_body, to_global, turned_quaternion
from ..core.sums import grown
from ..core.vectors import dot, minus, plus, scaled, vector_of
from .tree_limbs import CROSS, FREE, composed, rolls, slides, turns


@kernel(inline=True)
def place_limb(limbs: Records, i: int, freedoms: Records, bodies: Records) -> None:
    """Trial place and orientation of the body of a limb, from the joint coordinates at t_{n+1}."""
    limb = limbs[i]
    body = bodies[limb.body]
    parent = bodies[limbs[limb.parent].body]
    grow_coordinates(limb, freedoms)
    q = body.trial_quaternion
    if rolls(limb.kind):
        old = body.quaternion
        theta = vector_of(limb.theta)
        factors = half_angle_factors(dot(theta, theta))
        turn = to_body(body.rotation, theta[0], theta[1], theta[2])
        q[0], q[1], q[2], q[3] = turned_quaternion((old[0], old[1], old[2], old[3]), turn, factors)
    else:
        q[0], q[1], q[2], q[3] = orientation_on(limb, parent)
    set_rotation_matrix(q, body.trial_rotation)
    if limb.kind != FREE:
        hang(limb, parent, body)
        return
    for c in range(3):
        body.trial_displacement[c], body.trial_low_displacement[c] = grown(
            body.displacement[c], body.low_displacement[c], limb.shift[c]
        )


@kernel(inline=True)
def grow_coordinates(limb: Record, freedoms: Records) -> None:
    """Slide and angles of a joint at t_{n+1}, by the steps of its freedoms."""
    k = limb.first_freedom
    if slides(limb.kind):
        limb.trial_slide[0], limb.trial_slide[1] = grown(limb.slide[0], limb.slide[1], freedoms[k].step)
        k += 1
    for c in range(angles_of(limb.kind)):
        turn_half_angle(limb.half_angles[c], freedoms[k + c].step, limb.trial_half_angles[c])


@kernel(inline=True)
def angles_of(kind: int) -> int:
    """How many angles about axes a joint has."""
    return 2 if kind == CROSS else (1 if turns(kind) else 0)


@kernel(inline=True)
def orientation_on(limb: Record, parent: Record) -> Quaternion:
    """Trial orientation of a limb on its parent, where that has its own."""
    p = parent.trial_quaternion
    return of_unit_length(composed((p[0], p[1], p[2], p[3]), relative_orientation(limb, angles_of(limb.kind))))


@kernel(inline=True)
def hang(limb: Record, parent: Record, body: Record) -> None:
    """Trial place of a limb on its parent, where both have their trial orientations."""
    slide = limb.trial_slide[0] + limb.trial_slide[1]
    at = plus(vector_of(limb.parent_arm), scaled(slide, vector_of(limb.axis)))
    to_parent_joint = to_global(parent.trial_rotation, at[0], at[1], at[2])
    to_joint = to_global(body.trial_rotation, limb.arm[0], limb.arm[1], limb.arm[2])
    between = minus(minus(to_parent_joint, to_joint), vector_of(limb.offset))
    for c in range(3):
        body.trial_displacement[c], body.trial_low_displacement[c] = grown(
            parent.trial_displacement[c], parent.trial_low_displacement[c], between[c]
        )


@kernel(inline=True)
def turn_half_angle(old: Record, angle: float, new: Record) -> None:
    """Cosine and sine of half an angle that has grown."""
    cosine, sine = half_angle_factors(angle * angle)
    sine *= angle
    x, y = old[0] * cosine - old[1] * sine, old[1] * cosine + old[0] * sine
    unit = 1.5 - 0.5 * (x * x + y * y)
    new[0], new[1] = x * unit, y * unit


@kernel(inline=True)
def relative_orientation(limb: Record, angles: int) -> Quaternion:
    """Of a limb relative to its parent, at t_{n+1}."""
    built = limb.as_built
    q = (built[0], built[1], built[2], built[3])
    half = limb.trial_half_angles
    if angles > 0:
        q = composed((half[0, 0], *scaled(half[0, 1], vector_of(limb.axis))), q)
    if angles > 1:
        q = composed(q, (half[1, 0], *scaled(half[1, 1], vector_of(limb.second_axis))))
    return q


@kernel(inline=True)
def of_unit_length(q: Quaternion) -> Quaternion:
    """A quaternion whose length is off by rounding, without that."""
    unit = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * unit, q[1] * unit, q[2] * unit, q[3] * unit
