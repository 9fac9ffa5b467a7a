"""Joints and rows of trees brought up to date, and their samples.  Called by address.

Bodies are where they are at all times; joints of the tree, which no step asks for, are measured here, and the
multipliers of all rows follow from how the momenta change (`reactions`).
"""

from __future__ import annotations

import math

from ..constraints.joints import NO_ANGLE, SECOND_ANGLE, TRAVEL, TWO_PI, joint_residuals
from ..constraints.tree_limbs import CROSS, NO_JOINT, slides
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import minus, scaled, set_vector, vector_of
from .reactions import find_multipliers, leave_to_rows, push_by_releases
from .rows import exchange_all
from .status import COMPLETED
from .system import ON_SAMPLE, ON_SUBSYSTEM, Samples, System


@kernel
def place_joints(system: System, s: int) -> int:
    """Coordinates of all joints at t_n, their rates by those of t_{n-1/2}, and the residuals of all rows there."""
    subsystem = system.subsystems[s]
    exchange_all(system, subsystem)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = system.trees.limbs[i]
        if limb.joint != NO_JOINT:
            count_turns(system, limb, system.joints[limb.joint])
    joint_residuals(system.joints, subsystem.first_joint, subsystem.last_joint, system.rows, system.bodies)
    for k in range(subsystem.first_loop, subsystem.last_loop):  # targets of drives are those of t_{n+1}
        row = system.rows[system.trees.loops[k].row]
        row.residual = row.committed_residual
    exchange_all(system, subsystem)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = system.trees.limbs[i]
        if limb.joint != NO_JOINT:
            joint = system.joints[limb.joint]
            joint.turns, joint.angle, joint.slide = joint.trial_turns, joint.trial_angle, joint.trial_slide
    for i in range(subsystem.first_row, subsystem.last_row):
        system.rows[i].committed_residual = system.rows[i].residual
    return COMPLETED


@kernel
def count_turns(system: System, limb: Record, joint: Record) -> None:
    """Coordinates as far as freedoms tell them, whole turns among them, and rates."""
    freedoms, k = system.trees.freedoms, limb.first_freedom
    if slides(limb.kind) and joint.slide_kind == TRAVEL:
        joint.slide_rate = limb.sign * freedoms[k].before[0]
    if slides(limb.kind):
        k += 1
    if joint.angle_kind != NO_ANGLE:
        along = k + 1 if limb.kind == CROSS and limb.sign < 0.0 else k
        total = limb.start[0] + limb.sign * freedoms[along].value
        joint.turns = math.floor(total / TWO_PI + 0.5)
        joint.angle = total - TWO_PI * joint.turns
        joint.angle_rate = limb.sign * freedoms[along].before[0]
    if joint.slide_kind == SECOND_ANGLE:
        about = k if limb.sign < 0.0 else k + 1
        joint.slide = limb.start[1] + limb.sign * freedoms[about].value
        joint.slide_rate = limb.sign * freedoms[about].before[0]


@kernel
def sample_tree(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of subsystem s, before the trial state is committed; returns a status."""
    subsystem, kernels, trees = system.subsystems[s], system.kernels, system.trees
    place_joints(system, s)
    status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if status == COMPLETED:
        status = call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    share = 1.0 / system.steps[s].kick
    push_by_releases(system, subsystem, 1.0)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body = system.bodies[limb.body]
        for c in range(3):
            limb.last_motion[c], limb.last_motion[c + 3] = body.velocity[c], body.momentum[c]
        acceleration = scaled(share, minus(vector_of(body.trial_velocity), vector_of(body.velocity)))
        turning = scaled(share, minus(vector_of(body.trial_momentum), vector_of(body.momentum)))
        leave_to_rows(body, acceleration, turning)
    push_by_releases(system, subsystem, -1.0)
    find_multipliers(system, s)
    for i in range(subsystem.first_limb, subsystem.last_limb):
        limb = trees.limbs[i]
        body = system.bodies[limb.body]
        old, new = limb.last_motion, limb.motion
        set_vector(body.velocity, (old[0], old[1], old[2]))
        set_vector(body.momentum, (old[3], old[4], old[5]))
        set_vector(body.trial_velocity, (new[0], new[1], new[2]))
        set_vector(body.trial_momentum, (new[3], new[4], new[5]))
    status = call(kernels.measure_rows, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    return call(kernels.take_sample, ON_SAMPLE, system, samples, k, chunk, s)  # type: ignore[no-any-return]
