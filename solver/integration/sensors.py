"""Sensors: what they see of the state at t_n, whether they are on, and the windows of what they switch.

A sensor looks once the step from t_n is found, so that it sees what a sample at t_n holds, velocities of t_n and forces
among it.  What it switches acts from t_{n+1} on: the windows of its records begin or end there, as those do that the
deck names.
"""

from __future__ import annotations

import math

from ..constraints.joints import TWO_PI, angle_growth, slide_growth
from ..contact.records import ELASTIC_ENERGY
from ..contact.rigid_wall_records import ELASTIC_ENERGY as WALL_ELASTIC
from ..contact.rigid_walls import record_wall
from ..contact.sampling import record_interface
from ..core.bodies import Floats, Record, Records
from ..core.body_points import arm_of, separation, velocity_in_step
from ..core.jit.kernels import kernel
from ..core.vectors import dot, plus, scaled
from ..core.windows import AT_ONCE
from ..forces.joint_forces import stored_energy
from ..forces.springs import ON as SPRING_ON
from ..forces.springs import spring_energy
from . import sensor_records as kinds
from .samples import kinetic_energy_at
from .sensor_records import OF_TIME, OFF, ON, SPENT
from .status import COMPLETED
from .system import System

FORCES_OF_INTERFACE = 6  # columns of a record of a wall or an interface: normal force and friction, three each


@kernel
def watch_sensors(system: System, s: int) -> int:
    """All sensors of a subsystem at t_n, before the trial state is committed."""
    subsystem, step, sensors = system.subsystems[s], system.steps[s], system.sensors.sensors
    now, next_time = step.t + AT_ONCE * step.dt, step.t + step.dt
    for k in range(subsystem.first_sensor, subsystem.last_sensor):
        sensor = sensors[k]
        before = sensor.status
        if sensor.kind == kinds.AFTER:
            follow_two(sensor, sensors, step.t, now)
        elif sensor.kind >= kinds.AND:
            met = joined(sensor, sensors, now)
            sensor.value = 1.0 if met else 0.0
            update(sensor, met, step.t, now)
        else:
            sensor.value = sensor.factor * measured(system, s, k)
            update(sensor, sensor.value < sensor.lower or sensor.value > sensor.upper, step.t, now)
        if (sensor.status == ON) != (before == ON):
            for i in range(sensor.first_switch, sensor.last_switch):
                throw(system, system.sensors.switches[i], sensor.status == ON, next_time)
    return COMPLETED


# ---- whether it is on ----------------------------------------------------------------------------------------


@kernel
def update(sensor: Record, met: bool, t: float, now: float) -> None:
    """On `delay` after its condition was met for `hold`; off again, if it ever is, once it was not for `off_delay`.

    met : at t.  now : t, and what counts as t
    """
    if met:
        sensor.calm = math.inf
        if sensor.since == math.inf:
            sensor.since = t
    elif sensor.since + sensor.hold > now:
        sensor.since = math.inf
    if sensor.status == OFF and sensor.since + sensor.hold + sensor.delay <= now:
        sensor.status, sensor.on = ON, t
    if sensor.status == ON and sensor.switches_off == 1 and not met:
        if sensor.calm == math.inf:
            sensor.calm = t
        if sensor.calm + sensor.off_delay <= now:
            sensor.status, sensor.since, sensor.calm = OFF, math.inf, math.inf


@kernel(inline=True)
def is_on(sensor: Record, k: int, sensors: Records, now: float) -> bool:
    """Whether input k of a sensor is on."""
    if sensor.inputs[k] == OF_TIME:
        return bool(sensor.windows[k, 0] <= now < sensor.windows[k, 1])
    return bool(sensor.inputs[k] >= 0 and sensors[sensor.inputs[k]].status == ON)


@kernel
def joined(sensor: Record, sensors: Records, now: float) -> bool:
    """Whether what a sensor makes of its inputs is met."""
    first = is_on(sensor, 0, sensors, now)
    if sensor.kind == kinds.NOT:
        return not first
    second = is_on(sensor, 1, sensors, now)
    return first and second if sensor.kind == kinds.AND else first or second


@kernel
def follow_two(sensor: Record, sensors: Records, t: float, now: float) -> None:
    """On from when the first input is, for `delay` at least, and until the second is if there is one; once."""
    if sensor.status == OFF and is_on(sensor, 0, sensors, now):
        sensor.status, sensor.on = ON, t
    is_due = sensor.on + sensor.delay <= now and (sensor.delay > 0.0 or sensor.on < t)
    ends = sensor.inputs[1] == kinds.NO_SENSOR or is_on(sensor, 1, sensors, now)
    if sensor.status == ON and is_due and ends:
        sensor.status = SPENT
    sensor.value = 1.0 if sensor.status == ON else 0.0


# ---- what it sees --------------------------------------------------------------------------------------------


@kernel
def measured(system: System, s: int, k: int) -> float:
    """The value that sensor k looks at, at t_n."""
    sensor, step, bodies = system.sensors.sensors[k], system.steps[s], system.bodies
    kind = sensor.kind
    if kind == kinds.DISTANCE:
        one, other = sensor.points[0], sensor.points[1]
        d = separation(one, bodies[one.body], other, bodies[other.body], False)
        return math.sqrt(dot(d, d))
    if kind == kinds.SPEED:
        point = sensor.points[0]
        body = bodies[point.body]
        arm = arm_of(point, body, False)
        before, after = velocity_in_step(arm, body, False), velocity_in_step(arm, body, True)
        v = plus(scaled(1.0 - step.weight, before), scaled(step.weight, after))
        return math.sqrt(dot(v, v))
    if kind == kinds.KINETIC:
        return kinetic_of(system, s)
    if kind == kinds.STORED:
        return stored_in(system, s, system.sensors.work[k])
    if sensor.index < 0:
        return 0.0
    if kind == kinds.EFFORT:
        return system.rows[sensor.index].multiplier  # type: ignore[no-any-return]
    if kind == kinds.WALL:
        record_wall(system.walls, sensor.index, system.sensors.work[k])
        return force_of(system.sensors.work[k], sensor.component)
    if kind == kinds.INTERFACE:
        record_interface(system.contacts, sensor.index, system.sensors.work[k])
        return force_of(system.sensors.work[k], sensor.component)
    return coordinate_of(system.joints[sensor.index], kind, step)


@kernel
def coordinate_of(joint: Record, kind: int, step: Record) -> float:
    """Angle or slide of a joint, or the rate of one, at t_n."""
    if kind == kinds.ANGLE:
        return TWO_PI * joint.turns + joint.angle  # type: ignore[no-any-return]
    if kind == kinds.ANGLE_RATE:
        return joint.angle_rate + step.weight * (angle_growth(joint) / step.dt - joint.angle_rate)  # type: ignore[no-any-return]
    if kind == kinds.SLIDE:
        return joint.slide  # type: ignore[no-any-return]
    return joint.slide_rate + step.weight * (slide_growth(joint) / step.dt - joint.slide_rate)  # type: ignore[no-any-return]


@kernel
def force_of(record: Floats, component: int) -> float:
    """A component of the normal force and the friction together, the size of one of them, or of all forces."""
    if component <= kinds.Z:
        return record[component] + record[3 + component]  # type: ignore[no-any-return]
    first = 3 if component == kinds.TANGENTIAL else 0
    last = 3 if component == kinds.NORMAL else FORCES_OF_INTERFACE
    square = 0.0
    for c in range(first, last):
        square += record[c] * record[c]
    return math.sqrt(square)


@kernel
def kinetic_of(system: System, s: int) -> float:
    """Kinetic energy of the bodies of a subsystem at t_n."""
    subsystem, weight, total = system.subsystems[s], system.steps[s].weight, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        total += kinetic_energy_at(system.bodies[i], weight)
    return total


@kernel
def stored_in(system: System, s: int, work: Floats) -> float:
    """Energy stored by springs, forces in joints, contacts and walls of a subsystem."""
    subsystem, total = system.subsystems[s], 0.0
    for i in range(subsystem.first_spring, subsystem.last_spring):
        if system.springs[i].status == SPRING_ON:
            total += spring_energy(system.springs[i], system.tables)
    for i in range(subsystem.first_joint_force, subsystem.last_joint_force):
        total += stored_energy(system.joint_forces[i])
    for i in range(subsystem.first_interface, subsystem.last_interface):
        record_interface(system.contacts, i, work)
        total += work[ELASTIC_ENERGY]
    for i in range(subsystem.first_wall, subsystem.last_wall):
        record_wall(system.walls, i, work)
        total += work[WALL_ELASTIC]
    return total


# ---- what it switches ----------------------------------------------------------------------------------------


@kernel
def throw(system: System, switch: Record, on: bool, t: float) -> None:
    """The window of what is switched begins or ends at t."""
    if switch.family == kinds.LOAD:
        load = system.loads[switch.index]
        if on:
            load.t_start, load.t_stop, load.t_origin = t, math.inf, t
        else:
            load.t_stop = min(load.t_stop, t)
    elif switch.family == kinds.DRIVE:
        throw_motion(system.drives[switch.index], switch, on, t)
    elif switch.family == kinds.CONDITION:
        throw_motion(system.conditions.records[switch.index], switch, on, t)
    elif switch.family == kinds.SPRING:
        throw_spring(system.springs[switch.index].window, switch.mode, on, t)
    else:
        window = system.contacts.interfaces[switch.index].window
        if on:
            window[0], window[1] = max(switch.start, t), switch.stop
        else:
            window[1] = min(window[1], t)


@kernel
def throw_motion(law: Record, switch: Record, on: bool, t: float) -> None:
    """Of an imposed motion or a drive: its times count from when the sensor is on."""
    if on:
        law.t_start, law.t_stop, law.t_origin = t + switch.start, t + switch.stop, t
    else:
        law.t_stop = min(law.t_stop, t)


@kernel
def throw_spring(window: Floats, mode: int, on: bool, t: float) -> None:
    """Of a spring that its sensor switches on for good, off for good, or both."""
    if on and mode == kinds.SWITCHES_OFF:
        window[1] = min(window[1], t)
    elif on and (mode == kinds.FOLLOWS or window[0] == math.inf):
        window[0], window[1] = t, math.inf
    elif not on and mode == kinds.FOLLOWS:
        window[1] = min(window[1], t)
