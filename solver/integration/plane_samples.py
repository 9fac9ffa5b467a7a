"""Bodies, joints and rows of a planar subsystem brought up to date from the plane, its forces and its samples.

Called by address.  All that results say is made from bodies and rows as on the general path: bodies are put where they
are at t_{n-1}, t_n and t_{n+1}, the joints are measured there, and the multipliers, those of rows that hold the bodies
in the plane among them, follow from how the momenta change (`reactions`).
"""

from __future__ import annotations

import math

from ..constraints.joints import TWIST, TWO_PI, angle_growth, joint_residuals, slide_growth
from ..core.bodies import Floats, Record, Vector
from ..core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, clear, forces_on, take_trial_place
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import rotation_matrix, set_rotation_matrix, set_rows
from ..core.vectors import dot, minus, plus, row, scaled, set_vector, vector_of
from ..forces.joint_forces import accumulate_joint_forces
from .internal_forces import refine_internal_forces, start_internal_forces
from .plane_contacts import accumulate_contacts, refine_contacts, start_contacts
from .reactions import find_multipliers, leave_to_rows, push_by_releases
from .rows import has
from .status import COMPLETED
from .system import INTERFACES, JOINT_FORCES, LOADS, ON_SAMPLE, ON_SUBSYSTEM, SPRINGS, Samples, System

PREVIOUS, NOW, NEXT = range(3)  # t_{n-1}, t_n, t_{n+1}

# ---- where bodies and joints are -----------------------------------------------------------------------------


@kernel
def place_body(body: Record, b: Record, axes: Floats, when: int, dt: float) -> None:
    """Trial position of a body at t_{n-1}, t_n or t_{n+1}; dt : from t_{n-1} to t_n."""
    x, y, low_x, low_y = b.place[0], b.place[1], b.low[0], b.low[1]
    cosine, sine, angle = b.cosine, b.sine, b.angle
    if when == NEXT:
        x, y, low_x, low_y = b.trial_place[0], b.trial_place[1], b.trial_low[0], b.trial_low[1]
        cosine, sine, angle = b.trial_cosine, b.trial_sine, b.angle + b.trial_turn
    elif when == PREVIOUS:
        x, y = x - dt * b.velocity[0], y - dt * b.velocity[1]
        back, turn = math.cos(b.turn), math.sin(b.turn)
        cosine, sine = b.cosine * back + b.sine * turn, b.sine * back - b.cosine * turn
        angle = b.angle - b.turn
    first, second, normal = row(axes, 0), row(axes, 1), row(axes, 2)
    place = plus(plus(scaled(x, first), scaled(y, second)), scaled(b.height, normal))
    set_vector(body.trial_displacement, place)
    set_vector(body.trial_low_displacement, plus(scaled(low_x, first), scaled(low_y, second)))
    # half the angle; a quaternion changes its sign with each turn
    w, v = half_of(cosine, sine)
    about = math.copysign(0.5 * math.pi * (1.0 - cosine), sine)  # less than a right angle off: enough to count turns
    turns = math.floor((angle - about) / TWO_PI + 0.5)
    if turns != 2.0 * math.floor(0.5 * turns):
        w, v = -w, -v
    body.trial_quaternion[0] = w
    for c in range(3):
        body.trial_quaternion[c + 1] = v * normal[c]
    set_rotation_matrix(body.trial_quaternion, body.trial_rotation)


@kernel(inline=True)
def place_touched(body: Record, b: Record, axes: Floats) -> None:
    """Position of a body at t_n and the turn that led there, for forces that ask for no more: the quaternion stays."""
    first, second, normal = row(axes, 0), row(axes, 1), row(axes, 2)
    place = plus(plus(scaled(b.place[0], first), scaled(b.place[1], second)), scaled(b.height, normal))
    set_vector(body.displacement, place)
    set_vector(body.low_displacement, plus(scaled(b.low[0], first), scaled(b.low[1], second)))
    w, v = half_of(b.cosine, b.sine)
    x, y, z = scaled(v, normal)
    set_rows(body.rotation, rotation_matrix(w, x, y, z))
    set_vector(body.step_rotation, scaled(b.turn, normal))


@kernel(inline=True)
def half_of(cosine: float, sine: float) -> tuple[float, float]:
    """Cosine and sine of half of an angle in [-pi, pi]."""
    if cosine > 0.0:
        w = math.sqrt(0.5 * (1.0 + cosine))
        return w, 0.5 * sine / w
    v = math.sqrt(0.5 * (1.0 - cosine))
    if sine < 0.0:
        v = -v
    return 0.5 * sine / v, v


@kernel
def commit_place(body: Record, b: Record, normal: Vector) -> None:
    """Trial positions, which are those of t_n, are the positions."""
    take_trial_place(body)
    set_vector(body.step_rotation, scaled(b.turn, normal))
    set_vector(body.turned, scaled(b.angle - b.start_angle, normal))


@kernel
def set_motion(body: Record, b: Record, axes: Floats) -> None:
    """Velocities and angular momenta half a step before and after t_n.

    The momentum across n is that of the variational map: I theta = h V(theta) l in the axes of the body, where for a
    turn a about n V^-1 is (a/2) / tan(a/2) and a/2 times a quarter turn, and I theta / h of the step before is seen
    from where that began.
    """
    first, second, normal = row(axes, 0), row(axes, 1), row(axes, 2)
    set_vector(body.velocity, plus(scaled(b.velocity[0], first), scaled(b.velocity[1], second)))
    set_vector(body.trial_velocity, plus(scaled(b.trial_velocity[0], first), scaled(b.trial_velocity[1], second)))
    set_vector(body.momentum, momentum_of(b, b.rate, 0.5 * b.turn, -1.0, first, second, normal))
    set_vector(body.trial_momentum, momentum_of(b, b.trial_rate, 0.5 * b.trial_turn, 1.0, first, second, normal))


@kernel
def momentum_of(
    b: Record, rate: float, half: float, side: float, first: Vector, second: Vector, normal: Vector
) -> Vector:
    """Angular momentum of a body in the middle of a step in which it turns by twice `half` at a rate.

    side : 1 where t_n is its begin, -1 where it is its end
    """
    along = half / math.tan(half) if half != 0.0 else 1.0
    across = side * half
    # products are of body axes, which have turned since t = 0
    px = rate * (along * b.products[0] - across * b.products[1])
    py = rate * (along * b.products[1] + across * b.products[0])
    x, y = b.cosine * px - b.sine * py, b.sine * px + b.cosine * py
    return plus(plus(scaled(x, first), scaled(y, second)), scaled(b.inertia * rate, normal))


@kernel
def place_all(system: System, s: int, when: int) -> None:
    """Trial positions of all bodies, and the coordinates of the joints there."""
    subsystem, planes = system.subsystems[s], system.planes
    axes = planes.planes[s].axes
    for i in range(subsystem.first_body, subsystem.last_body):
        place_body(system.bodies[i], planes.bodies[i], axes, when, subsystem.previous_dt)
    joint_residuals(system.joints, subsystem.first_joint, subsystem.last_joint, system.rows, system.bodies)


@kernel(inline=True)
def commit_joint(joint: Record, dt: float) -> None:
    """Trial coordinates become the coordinates; their rates, where the step between them has a length."""
    if dt > 0.0:
        joint.angle_rate, joint.slide_rate = angle_growth(joint) / dt, slide_growth(joint) / dt
    joint.turns, joint.angle, joint.slide = joint.trial_turns, joint.trial_angle, joint.trial_slide


@kernel
def count_turns(system: System, s: int) -> None:
    """Whole turns of joints at t_{n-1} from the angles of their bodies, which are known without a break."""
    subsystem, bodies = system.subsystems[s], system.planes.bodies
    normal = row(system.planes.planes[s].axes, 2)
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint = system.joints[i]
        if joint.angle_kind == TWIST:
            a, b = bodies[joint.carrier.body], bodies[joint.node.body]
            total = (b.angle - b.turn) - (a.angle - a.turn)
            if dot(vector_of(joint.triad[0]), normal) < 0.0:
                total = -total
            joint.turns = math.floor(total / TWO_PI + 0.5)
            joint.angle = total - TWO_PI * joint.turns


@kernel
def place_at_n(system: System, s: int) -> None:
    """Bodies and joints at t_n; trial positions are the same."""
    subsystem, planes, joints = system.subsystems[s], system.planes, system.joints
    normal = row(planes.planes[s].axes, 2)
    count_turns(system, s)
    if subsystem.previous_dt > 0.0:
        place_all(system, s, PREVIOUS)
        for i in range(subsystem.first_joint, subsystem.last_joint):
            commit_joint(joints[i], 0.0)
    place_all(system, s, NOW)
    for i in range(subsystem.first_joint, subsystem.last_joint):
        commit_joint(joints[i], subsystem.previous_dt)
    for i in range(subsystem.first_body, subsystem.last_body):
        commit_place(system.bodies[i], planes.bodies[i], normal)


@kernel
def place_plane(system: System, s: int) -> int:
    """Bodies and joints at t_n; velocities by those of t_{n-1/2}."""
    subsystem, planes = system.subsystems[s], system.planes
    place_at_n(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        body = system.bodies[i]
        set_motion(body, planes.bodies[i], planes.planes[s].axes)
        set_vector(body.trial_velocity, vector_of(body.velocity))
        set_vector(body.trial_momentum, vector_of(body.momentum))
    return COMPLETED


# ---- samples -------------------------------------------------------------------------------------------------


@kernel
def sample_plane(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Sample k of subsystem s, before the trial state is committed; returns a status."""
    subsystem, kernels, planes = system.subsystems[s], system.kernels, system.planes
    place_at_n(system, s)
    keep_residuals(system, subsystem)
    status = call(kernels.set_jacobians, ON_SUBSYSTEM, system, s)
    if status == COMPLETED:
        status = call(kernels.refresh_matrix, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    for i in range(subsystem.first_body, subsystem.last_body):
        set_motion(system.bodies[i], planes.bodies[i], planes.planes[s].axes)
    leave_all_to_rows(system, s)
    find_multipliers(system, s)
    place_all(system, s, NEXT)
    for i in range(subsystem.first_body, subsystem.last_body):
        set_motion(system.bodies[i], planes.bodies[i], planes.planes[s].axes)
    return call(kernels.take_sample, ON_SAMPLE, system, samples, k, chunk, s)  # type: ignore[no-any-return]


@kernel
def keep_residuals(system: System, subsystem: Record) -> None:
    """Residuals of t_n; those of drives, whose targets are of t_{n+1}, are there already."""
    rows, drives = system.rows, system.drives
    for i in range(subsystem.first_drive, subsystem.last_drive):
        rows[drives[i].row].residual = rows[drives[i].row].committed_residual
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].committed_residual = rows[i].residual


@kernel
def leave_all_to_rows(system: System, s: int) -> None:
    """What of the change between the half steps around t_n the forces of t_n do not do."""
    subsystem, share = system.subsystems[s], 1.0 / system.steps[s].kick
    push_by_releases(system, subsystem, 1.0)
    for i in range(subsystem.first_body, subsystem.last_body):
        body = system.bodies[i]
        acceleration = scaled(share, minus(vector_of(body.trial_velocity), vector_of(body.velocity)))
        turning = scaled(share, minus(vector_of(body.trial_momentum), vector_of(body.momentum)))
        leave_to_rows(body, acceleration, turning)
    push_by_releases(system, subsystem, -1.0)


# ---- forces on bodies ----------------------------------------------------------------------------------------


@kernel
def start_on_plane(system: System, s: int) -> int:
    """Forces on bodies at t_n by the kernels of the general path; dampers see the velocities at hand."""
    subsystem, kernels, planes, joints = system.subsystems[s], system.kernels, system.planes, system.joints
    plane = planes.planes[s]
    normal = row(plane.axes, 2)
    for k in range(plane.first_touched, plane.last_touched):
        i = planes.touched[k]
        body = system.bodies[i]
        if has(subsystem, SPRINGS | JOINT_FORCES):
            place_body(body, planes.bodies[i], plane.axes, NOW, 0.0)
            commit_place(body, planes.bodies[i], normal)
        else:
            place_touched(body, planes.bodies[i], plane.axes)
        set_mean_motion(body, planes.bodies[i], plane.axes, 0.0)
        for kind in (ELASTIC, EXTERNAL, DISSIPATIVE):
            clear(forces_on(body, kind))
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        joint = system.joint_forces[i].joint
        joint_residuals(joints, joint, joint + 1, system.rows, system.bodies)
        commit_joint(joints[joint], 0.0)
    status = start_internal_forces(system, s)
    if status == COMPLETED and has(subsystem, LOADS):
        status = call(kernels.add_loads, ON_SUBSYSTEM, system, s)
    if status == COMPLETED and has(subsystem, INTERFACES):
        status = start_contacts(system, s)
    for k in range(plane.first_touched, plane.last_touched):
        i = planes.touched[k]
        body, b = system.bodies[i], planes.bodies[i]
        collect(body.external, b.external, plane.axes)
        collect(body.dissipative, b.dissipative, plane.axes)
        collect(body.elastic, b.force, plane.axes)
        for c in range(3):
            b.force[c] += b.external[c] + b.dissipative[c]
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def collect(q: Floats, out: Floats, axes: Floats) -> None:
    """Force in the plane and moment about n of a Q (6,)."""
    force = (q[0], q[1], q[2])
    out[0], out[1] = dot(force, row(axes, 0)), dot(force, row(axes, 1))
    out[2] = dot((q[3], q[4], q[5]), row(axes, 2))


@kernel(inline=True)
def set_mean_motion(body: Record, b: Record, axes: Floats, weight: float) -> None:
    """Velocities for forces that see them; weight : of the trial velocities."""
    x = b.velocity[0] + weight * (b.trial_velocity[0] - b.velocity[0])
    y = b.velocity[1] + weight * (b.trial_velocity[1] - b.velocity[1])
    set_vector(body.mean_velocity, plus(scaled(x, row(axes, 0)), scaled(y, row(axes, 1))))
    set_vector(body.mean_angular_velocity, scaled(b.rate + weight * (b.trial_rate - b.rate), row(axes, 2)))


@kernel
def refine_on_plane(system: System, s: int) -> int:
    """Forces that depend on the rate at a new estimate of v_n, and the kick by what they change."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    plane = planes.planes[s]
    step.damping_passes -= 1
    step.corrected = 0
    for k in range(plane.first_touched, plane.last_touched):
        i = planes.touched[k]
        set_mean_motion(system.bodies[i], planes.bodies[i], plane.axes, step.weight)
        clear(forces_on(system.bodies[i], DISSIPATIVE))
    status = refine_internal_forces(system, s)
    if status == COMPLETED and has(subsystem, INTERFACES):
        status = refine_contacts(system, s)
    for k in range(plane.first_touched, plane.last_touched):
        b = planes.bodies[planes.touched[k]]
        x, y, turning = b.dissipative[0], b.dissipative[1], b.dissipative[2]
        collect(system.bodies[planes.touched[k]].dissipative, b.dissipative, plane.axes)
        b.kicked[0] = step.kick * b.inverse_mass * (b.dissipative[0] - x)
        b.kicked[1] = step.kick * b.inverse_mass * (b.dissipative[1] - y)
        b.kicked[2] = step.kick * b.inverse_inertia * (b.dissipative[2] - turning)
        b.trial_velocity[0] += b.kicked[0]
        b.trial_velocity[1] += b.kicked[1]
        b.trial_rate += b.kicked[2]
    step.last_worst, step.passes_before = math.inf, step.passes
    return status  # type: ignore[no-any-return]


@kernel
def accumulate_on_plane(system: System, s: int) -> int:
    """Work of dampers and loads over the step that led to t_n, see `step.accumulate_forces`."""
    subsystem, planes, status = system.subsystems[s], system.planes, COMPLETED
    plane, dissipative, external = planes.planes[s], 0.0, 0.0
    for k in range(plane.first_touched, plane.last_touched):
        b = planes.bodies[planes.touched[k]]
        for c in range(3):
            moved = subsystem.previous_dt * b.velocity[c] if c < 2 else b.turn
            dissipative += moved * (b.previous_dissipative[c] + b.dissipative[c])
            external += moved * (b.previous_external[c] + b.external[c])
            b.previous_dissipative[c], b.previous_external[c] = b.dissipative[c], b.external[c]
    subsystem.damping_work -= 0.5 * dissipative
    subsystem.external_work += 0.5 * external
    if has(subsystem, JOINT_FORCES):
        accumulate_joint_forces(subsystem, system.joint_forces, subsystem.first_joint_force, subsystem.last_joint_force)
    if has(subsystem, INTERFACES):
        status = accumulate_contacts(system, s)
    return status
