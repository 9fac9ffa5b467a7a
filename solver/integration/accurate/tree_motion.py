"""Limbs of trees at the stages of a step: places, velocities and accelerations by the freedoms of their joints.

Coordinates are those of `constraints.tree_limbs`, but for limbs that turn in all directions: these have a rotation
vector from the begin of the step as in `motion`, whatever their parents do.  The speeds of freedoms are the rates of
slides and angles; of rotations in all directions, the angular velocity against that of the parent, in global axes.  So

    omega = omega_parent + sum of speed axis,
    v = v_parent + omega_parent x r + speed axis of the slide - omega x d,

r from the place of the parent to the joint, d from that of the limb, and their derivatives without accelerations of
freedoms follow from those of the axes, which are fixed in the parent, in the limb or in space.
"""

from __future__ import annotations

from ...constraints.tree_limbs import CROSS, FREE, inertia_of, omega_of, rolls, slides, times_upper, turns, velocity_of
from ...core.bodies import Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.rotation import to_body
from ...core.vectors import cross, plus, scaled, set_vector, vector_of
from .motion import rate_of_turn


@kernel(inline=True)
def three_of(freedoms: Records, k: int) -> Vector:
    """Speeds of three freedoms."""
    return freedoms[k].speed, freedoms[k + 1].speed, freedoms[k + 2].speed


@kernel(inline=True)
def set_velocities(limb: Record, twists: Records, freedoms: Records, body: Record, parent: Record) -> None:
    """Velocities of a limb by the speeds of its freedoms, once its parent has its own and it is described."""
    kind, k = limb.kind, limb.first_freedom
    spin = vector_of(parent.mean_angular_velocity)
    velocity = plus(vector_of(parent.velocity), cross(spin, vector_of(limb.to_parent_joint)))
    if slides(kind):
        velocity = plus(velocity, scaled(freedoms[k].speed, velocity_of(twists[k].twist)))
        k += 1
    if turns(kind):
        spin = plus(spin, scaled(freedoms[k].speed, omega_of(twists[k].twist)))
    if kind == CROSS:
        spin = plus(spin, scaled(freedoms[k + 1].speed, omega_of(twists[k + 1].twist)))
    if kind == FREE:
        velocity = three_of(freedoms, k)
        k += 3
    if rolls(kind):
        spin = plus(spin, three_of(freedoms, k))
    if kind != FREE:
        velocity = plus(velocity, cross(vector_of(limb.to_joint), spin))
    set_vector(body.velocity, velocity)
    set_vector(body.mean_velocity, velocity)
    set_vector(body.mean_angular_velocity, spin)
    set_vector(body.momentum, times_upper(inertia_of(limb), spin))


@kernel(inline=True)
def set_accelerations(
    limb: Record, own: Record, twists: Records, freedoms: Records, body: Record, parent: Record, of_parent: Record
) -> None:
    """trial_velocity, trial_momentum <- v', and I omega', by the growth of the speeds of its freedoms.

    own, of_parent : records of the limb and of its parent, which has its own accelerations
    """
    kind, k = limb.kind, limb.first_freedom
    spin, turning = vector_of(parent.mean_angular_velocity), vector_of(of_parent.turning)
    own_spin, arm = vector_of(body.mean_angular_velocity), vector_of(limb.to_parent_joint)
    pulling = plus(vector_of(parent.trial_velocity), plus(cross(turning, arm), cross(spin, cross(spin, arm))))
    if slides(kind):
        axis = velocity_of(twists[k].twist)
        pulling = plus(pulling, scaled(freedoms[k].growth, axis))
        pulling = plus(pulling, scaled(2.0 * freedoms[k].speed, cross(spin, axis)))
        k += 1
    if turns(kind):
        turning = plus(turning, turning_about(freedoms[k], omega_of(twists[k].twist), spin))
    if kind == CROSS:
        turning = plus(turning, turning_about(freedoms[k + 1], omega_of(twists[k + 1].twist), own_spin))
    if kind == FREE:
        pulling = freedoms[k].growth, freedoms[k + 1].growth, freedoms[k + 2].growth
        k += 3
    if rolls(kind):
        turning = plus(turning, (freedoms[k].growth, freedoms[k + 1].growth, freedoms[k + 2].growth))
    if kind != FREE:
        arm = vector_of(limb.to_joint)
        pulling = plus(pulling, plus(cross(arm, turning), cross(cross(own_spin, arm), own_spin)))
    set_vector(own.turning, turning)
    set_vector(body.trial_velocity, pulling)
    set_vector(body.trial_momentum, times_upper(inertia_of(limb), turning))


@kernel(inline=True)
def turning_about(freedom: Record, axis: Vector, spin: Vector) -> Vector:
    """Angular acceleration by an angle about an axis that turns with `spin`."""
    return plus(scaled(freedom.growth, axis), scaled(freedom.speed, cross(spin, axis)))


@kernel(inline=True)
def keep_coordinate_rates(limb: Record, freedoms: Records, last: int, motion: Record, body: Record, stage: int) -> None:
    """Rates of the coordinates of a limb, whose freedoms end at `last`, at a stage."""
    first = limb.first_freedom
    if rolls(limb.kind):
        spin = vector_of(body.mean_angular_velocity)
        turn = rate_of_turn(vector_of(motion.theta), to_body(body.rotation, *spin))
        last -= 3
        freedoms[last].rates[stage], freedoms[last + 1].rates[stage], freedoms[last + 2].rates[stage] = turn
    for k in range(first, last):
        freedoms[k].rates[stage] = freedoms[k].speed


@kernel(inline=True)
def spread(limb: Record, own: Record, of_parent: Record, twists: Records, freedoms: Records) -> None:
    """own.turn, own.shift <- how small steps of the freedoms turn a limb, and move its point that is at the origin."""
    turn, moved = vector_of(of_parent.turn), vector_of(of_parent.shift)
    for k in range(limb.first_freedom, own.last_freedom):
        turn = plus(turn, scaled(freedoms[k].small, omega_of(twists[k].twist)))
        moved = plus(moved, scaled(freedoms[k].small, velocity_of(twists[k].twist)))
    set_vector(own.turn, turn)
    set_vector(own.shift, moved)
