"""What the time loop leaves of one subsystem at a sample: values at t_n, from the half steps around it."""

from __future__ import annotations

from ..constraints.drives import exact_value
from ..constraints.joints import TWO_PI, angle_growth, arms_of, slide_growth
from ..constraints.kkt import REDUNDANT, assemble_matrix, factorise
from ..constraints.redundancy import reduce_multipliers
from ..contact.records import DAMPING_ENERGY, ELASTIC_ENERGY, FRICTION_ENERGY, PARTED_WORK
from ..contact.rigid_wall_records import DAMPING_ENERGY as WALL_DAMPING
from ..contact.rigid_wall_records import ELASTIC_ENERGY as WALL_ELASTIC
from ..contact.rigid_wall_records import FRICTION_ENERGY as WALL_FRICTION
from ..contact.rigid_walls import record_wall
from ..contact.sampling import record_body_pairs, record_interface
from ..core.bodies import GROUND, Floats, Record, Records
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.rotation import angular_velocity, to_global
from ..core.vectors import cross
from ..forces.joint_forces import record_joint_forces
from ..forces.springs import RECORD, record_springs
from . import system as columns
from .sensor_records import ON as SENSOR_ON
from .status import COMPLETED
from .system import ON_SAMPLE, Samples, System

STORED_ENERGY = RECORD.index("IE")


@kernel
def take_sample(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Fill sample k of subsystem s, before the trial state is committed; returns a status."""
    subsystem, step, bodies = system.subsystems[s], system.steps[s], system.bodies
    sums = samples.sums[chunk, k]
    for i in range(subsystem.first_body, subsystem.last_body):
        sample_body(bodies[i], samples.body[k, i], sums, step.dt, step.previous_dt)
    sample_rows(subsystem, system.rows, samples, k, chunk)
    status = COMPLETED
    if subsystem.left_out > 0:
        status = call(system.kernels.reduce_reactions, ON_SAMPLE, system, samples, k, chunk, s)
    sample_joints(subsystem, system.joints, system.entries, bodies, samples, k, step)
    for i in range(subsystem.first_drive, subsystem.last_drive):
        samples.drive[k, i] = exact_value(system.drives[i])
    for i in range(subsystem.first_sensor, subsystem.last_sensor):
        sample_sensor(system.sensors.sensors[i], samples.sensor[k, i])
    samples.passes[chunk, k] = max(samples.passes[chunk, k], step.passes)
    kernels = system.kernels
    if status == COMPLETED and subsystem.last_spring > subsystem.first_spring:
        status = call(kernels.record_springs, ON_SAMPLE, system, samples, k, chunk, s)
    if status == COMPLETED and subsystem.last_joint_force > subsystem.first_joint_force:
        status = call(kernels.record_joint_forces, ON_SAMPLE, system, samples, k, chunk, s)
    if status == COMPLETED and subsystem.last_interface > subsystem.first_interface:
        status = call(kernels.record_contacts, ON_SAMPLE, system, samples, k, chunk, s)
    if status == COMPLETED and subsystem.last_wall > subsystem.first_wall:
        status = call(kernels.record_walls, ON_SAMPLE, system, samples, k, chunk, s)
    sums[columns.DAMPING] += subsystem.damping_work
    sums[columns.FRICTION] += subsystem.friction_work
    sums[columns.EXTERNAL_WORK] += subsystem.external_work
    sums[columns.DRIVE_WORK] += subsystem.drive_work
    sums[columns.IMPACT_LOSS] += subsystem.impact_loss
    return status


@kernel
def sample_rows(subsystem: Record, rows: Records, samples: Samples, k: int, chunk: int) -> None:
    """Multipliers, residuals, and the largest residual over the size of its row."""
    worst = 0.0
    for i in range(subsystem.first_row, subsystem.last_row):
        samples.multiplier[k, i] = rows[i].multiplier
        samples.residual[k, i] = rows[i].committed_residual
        worst = max(worst, abs(rows[i].committed_residual) / rows[i].scale)
    samples.worst[chunk, k] = max(samples.worst[chunk, k], worst)


@kernel
def sample_joints(
    subsystem: Record, joints: Records, entries: Records, bodies: Records, samples: Samples, k: int, step: Record
) -> None:
    """Coordinates of joints, their rates at t_n, and reactions."""
    for i in range(subsystem.first_joint, subsystem.last_joint):
        joint, out = joints[i], samples.joint[k, i]
        out[0] = TWO_PI * joint.turns + joint.angle
        out[1] = joint.angle_rate + step.weight * (angle_growth(joint) / step.dt - joint.angle_rate)
        out[2] = joint.slide
        out[3] = joint.slide_rate + step.weight * (slide_growth(joint) / step.dt - joint.slide_rate)
        add_reaction(joint, entries, bodies, samples.multiplier[k], out)


@kernel
def sample_sensor(sensor: Record, out: Floats) -> None:
    """Whether it is on, when it was last switched on, and what it sees."""
    out[0], out[1], out[2] = 1.0 if sensor.status == SENSOR_ON else 0.0, sensor.on, sensor.value


# ---- what only some machines have: called by address ---------------------------------------------------------


@kernel
def reduce_reactions(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Multipliers of least norm, where some rows are met by the others.

    With a matrix apart where steps have one of all rows: were that renewed, the corrections to come would depend on
    when samples are taken.
    """
    subsystem, rows, entries, bodies = system.subsystems[s], system.rows, system.entries, system.bodies
    matrix = system.matrix
    if system.steps[s].of_sample == 0:
        matrix = system.reaction_matrix
        assemble_matrix(matrix, s, subsystem, rows, entries, bodies)
        factorise(matrix, s, REDUNDANT)
    reduce_multipliers(matrix, s, rows, subsystem.first_row, subsystem.last_row, entries, bodies, subsystem,
                       system.row_work, system.body_work, samples.multiplier[k])  # fmt: skip
    return COMPLETED


@kernel
def record_springs_of(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Springs, and the energy that they store, or lost by breaking or being switched off."""
    subsystem, springs, sums = system.subsystems[s], system.springs, samples.sums[chunk, k]
    record_springs(springs, subsystem.first_spring, subsystem.last_spring, system.tables, samples.spring[k])
    for i in range(subsystem.first_spring, subsystem.last_spring):
        sums[columns.SPRING] += samples.spring[k, i, STORED_ENERGY]
        sums[columns.DAMPING] += springs[i].released
    return COMPLETED


@kernel
def record_joint_forces_of(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Forces along joints, and the energy that they store."""
    subsystem = system.subsystems[s]
    stored = record_joint_forces(
        system.joint_forces, subsystem.first_joint_force, subsystem.last_joint_force, samples.joint_force[k]
    )
    samples.sums[chunk, k, columns.SPRING] += stored
    return COMPLETED


@kernel
def record_contacts_of(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Interfaces and pairs of bodies, and their energies."""
    subsystem, contacts, sums = system.subsystems[s], system.contacts, samples.sums[chunk, k]
    for i in range(subsystem.first_interface, subsystem.last_interface):
        out = samples.interface[k, i]
        record_interface(contacts, i, out)
        record_body_pairs(contacts, i, samples.body_pair[k])
        sums[columns.CONTACT_ELASTIC] += out[ELASTIC_ENERGY]
        sums[columns.CONTACT_DISSIPATED] += out[DAMPING_ENERGY]
        sums[columns.FRICTION] += out[FRICTION_ENERGY]
        sums[columns.CONTACT_ERROR] += out[PARTED_WORK]
    return COMPLETED


@kernel
def record_walls_of(system: System, samples: Samples, k: int, chunk: int, s: int) -> int:
    """Rigid walls, and their energies."""
    subsystem, sums = system.subsystems[s], samples.sums[chunk, k]
    for i in range(subsystem.first_wall, subsystem.last_wall):
        out = samples.wall[k, i]
        record_wall(system.walls, i, out)
        sums[columns.CONTACT_ELASTIC] += out[WALL_ELASTIC]
        sums[columns.CONTACT_DISSIPATED] += out[WALL_DAMPING]
        sums[columns.FRICTION] += out[WALL_FRICTION]
    return COMPLETED


@kernel
def add_reaction(joint: Record, entries: Records, bodies: Records, multiplier: Floats, out: Floats) -> None:
    """Force of the joint's rows on node j, and their moment about it, global, at t_n: out[4:7] and out[7:10]."""
    if joint.n_rows == 0:
        return
    on_b = joint.node.body != GROUND
    at_node, at_carrier = arms_of(joint, bodies[joint.carrier.body], bodies[joint.node.body], False)
    arm = at_node if on_b else at_carrier
    sign = 1.0 if on_b else -1.0  # on body a the opposite acts
    for i in range(joint.n_rows):
        force = sign * multiplier[joint.row + i]
        jacobian = entries[joint.entry + i * joint.width].jacobian
        for c in range(6):
            out[4 + c] += force * jacobian[c]
    mx, my, mz = cross(arm, (out[4], out[5], out[6]))
    out[7] -= mx
    out[8] -= my
    out[9] -= mz


@kernel
def kinetic_energy_at(b: Record, weight: float) -> float:
    """Kinetic energy of a body by v_n and L_n; weight : of v_{n+1/2} in v_n."""
    square, l = 0.0, b.momentum
    for c in range(3):
        v = b.velocity[c] + weight * (b.trial_velocity[c] - b.velocity[c])
        square += v * v
    lx = l[0] + weight * (b.trial_momentum[0] - l[0])
    ly = l[1] + weight * (b.trial_momentum[1] - l[1])
    lz = l[2] + weight * (b.trial_momentum[2] - l[2])
    wx, wy, wz = angular_velocity(b, lx, ly, lz)
    return 0.5 * (b.mass * square + lx * wx + ly * wy + lz * wz)  # type: ignore[no-any-return]


@kernel
def sample_body(b: Record, out: Floats, sums: Floats, dt: float, previous_dt: float) -> None:
    """Values, energies and momenta of one body.

    The kinetic energy is that of v_n and L_n.  That of half steps, 1/2 m v_{n-1/2} . v_{n+1/2} (and 1/2 L_{n-1/2} .
    omega_{n+1/2}), closes exactly with the work (F_n + F_{n+1})/2 . (x_{n+1} - x_n); where steps differ v_{n-1/2} is
    the one that the kick of t_n extends backwards.  It is negative where a body turns back.
    """
    kick = 0.5 * (previous_dt + dt)
    weight = previous_dt / (previous_dt + dt)
    translational, of_half_steps = 0.0, 0.0
    for c in range(3):
        new, old = b.trial_velocity[c], b.velocity[c]
        acceleration = (new - old) / kick
        out[c] = b.displacement[c]
        out[7 + c] = old + weight * (new - old)
        out[13 + c] = acceleration
        out[19 + c] = b.turned[c]
        translational += out[7 + c] * out[7 + c]
        of_half_steps += (new - dt * acceleration) * new
    for c in range(4):
        out[3 + c] = b.quaternion[c]
    new, old = b.trial_momentum, b.momentum
    mx, my, mz = (new[0] - old[0]) / kick, (new[1] - old[1]) / kick, (new[2] - old[2]) / kick
    lx = old[0] + weight * (new[0] - old[0])
    ly = old[1] + weight * (new[1] - old[1])
    lz = old[2] + weight * (new[2] - old[2])
    wx, wy, wz = angular_velocity(b, lx, ly, lz)
    ux, uy, uz = angular_velocity(b, new[0], new[1], new[2])
    turning_of_half_steps = (new[0] - dt * mx) * ux + (new[1] - dt * my) * uy + (new[2] - dt * mz) * uz
    out[10], out[11], out[12] = wx, wy, wz
    # dL/dt = M, so I alpha = M - omega x L
    out[16], out[17], out[18] = angular_velocity(
        b, mx - (wy * lz - wz * ly), my - (wz * lx - wx * lz), mz - (wx * ly - wy * lx)
    )
    sums[columns.KINETIC_TRANSLATIONAL] += 0.5 * b.mass * translational
    sums[columns.KINETIC_ROTATIONAL] += 0.5 * (lx * wx + ly * wy + lz * wz)
    sums[columns.TRANSLATIONAL_OF_HALF_STEPS] += 0.5 * b.mass * of_half_steps
    sums[columns.ROTATIONAL_OF_HALF_STEPS] += 0.5 * turning_of_half_steps
    # the mass centre: displacement from t = 0, velocity, place
    arm, gravity = b.mass_arm, b.gravity
    ax, ay, az = to_global(b.rotation, arm[0], arm[1], arm[2])
    dx, dy, dz = out[0] + (ax - arm[0]), out[1] + (ay - arm[1]), out[2] + (az - arm[2])
    sums[columns.GRAVITY] -= b.mass * (gravity[0] * dx + gravity[1] * dy + gravity[2] * dz)
    px = b.mass * (out[7] + wy * az - wz * ay)
    py = b.mass * (out[8] + wz * ax - wx * az)
    pz = b.mass * (out[9] + wx * ay - wy * ax)
    x, y, z = b.centre[0] + out[0], b.centre[1] + out[1], b.centre[2] + out[2]
    sums[columns.MOMENTUM] += px
    sums[columns.MOMENTUM + 1] += py
    sums[columns.MOMENTUM + 2] += pz
    sums[columns.ANGULAR_MOMENTUM] += y * pz - z * py + lx
    sums[columns.ANGULAR_MOMENTUM + 1] += z * px - x * pz + ly
    sums[columns.ANGULAR_MOMENTUM + 2] += x * py - y * px + lz
