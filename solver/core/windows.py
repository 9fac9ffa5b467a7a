"""Windows of time in which something acts: what a deck says of them, and the part of a kick that lies in one.

Each kind of block has its own rule of what a sensor does to its times; it stands here, for all that ask.
"""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.model import (
    ConcentratedLoad,
    ContactInterface,
    Drive,
    ForceCurveInterface,
    Gravity,
    ImposedMotion,
    Model,
    Sensor,
    SpringProperty,
    ValueSensor,
)

from .jit.kernels import kernel

NEVER = 1e30  # a time that no machine comes to
AT_ONCE = 1e-6  # of a step: what is to change so soon after a step begins, or before it ends, does so there


def times_of(model: Model, sensor_id: int) -> tuple[float, float]:
    """From when to when a sensor is on, as far as that is known before the run.

    One on values begins as off, and what it switches gets its window when it is on (`integration.sensors`).
    """
    sensor = model.sensors[sensor_id]
    if isinstance(sensor, Sensor):
        return sensor.delay, sensor.stop
    return (0.0, math.inf) if is_on_at_start(model, sensor_id) else (math.inf, math.inf)


def is_on_at_start(model: Model, sensor_id: int) -> bool:
    """Whether a sensor is on at t = 0; one on a value that only the first step finds is off."""
    sensor = model.sensors[sensor_id]
    if isinstance(sensor, Sensor):
        return sensor.delay <= 0.0 < sensor.stop
    if isinstance(sensor, ValueSensor):
        value = value_at_start(model, sensor)
        return sensor.hold + sensor.delay == 0.0 and value is not None and not sensor.lower <= value <= sensor.upper
    on = [is_on_at_start(model, id) for id in sensor.inputs]
    if sensor.kind == "SENS":
        return on[0]
    met = {"AND": all(on), "OR": any(on), "NOT": not on[0]}[sensor.kind]
    return met and sensor.delay == 0.0


def value_at_start(model: Model, sensor: ValueSensor) -> float | None:
    """What a sensor sees in the deck: a distance, an angle."""
    if sensor.quantity == "DIST":
        one, other = model.nodes.coordinates[list(sensor.nodes)]
        return float(np.linalg.norm(other - one))
    return 0.0 if sensor.variable.startswith("ANG") else None


def window_of_motion(motion: ImposedMotion | Drive, model: Model) -> tuple[float, float, float]:
    """Start, stop and origin of the function's time of an imposed motion or a drive; a sensor shifts all three."""
    if not motion.sensor_id:
        return motion.t_start, motion.t_stop, 0.0
    on, off = times_of(model, motion.sensor_id)
    return on + motion.t_start, min(on + motion.t_stop, off), on


def window_of_load(load: ConcentratedLoad | Gravity, model: Model) -> tuple[float, float, float]:
    """Start, stop and origin of the function's time of a load or gravity: those of its sensor."""
    if not load.sensor_id:
        return -math.inf, math.inf, 0.0
    on, off = times_of(model, load.sensor_id)
    return on, off, on


def window_of_contact(contact: ContactInterface | ForceCurveInterface, model: Model) -> tuple[float, float]:
    """Start and stop of an interface, whose times do not count from its sensor."""
    if isinstance(contact, ForceCurveInterface) or not contact.sensor_id:
        return contact.t_start, contact.t_stop
    on, off = times_of(model, contact.sensor_id)
    return max(contact.t_start, on), min(contact.t_stop, off)


def window_of_spring(spring_property: SpringProperty, model: Model) -> tuple[float, float]:
    """Start and stop of a spring: its sensor switches it on (Isflag 0), off (1) or both (2)."""
    if not spring_property.sensor_id:
        return -math.inf, math.inf
    on, off = times_of(model, spring_property.sensor_id)
    if spring_property.sensor_flag == 0:
        return on, math.inf
    if spring_property.sensor_flag == 1:
        return -math.inf, on
    return on, off


@kernel(inline=True)
def share_of_kick(start: float, stop: float, t: float, dt: float, previous_dt: float) -> float:
    """How much of the kick at t, from the middle of the last step to that of the step at hand, lies in [start, stop).

    A force that starts at t acts in the second half of the kick only; with all of it, it would have started half a step
    too early, and the scheme would be of first order.  Steps end at starts and stops, so it is 0 or 1 elsewhere.
    """
    begin, end = t - 0.5 * previous_dt, t + 0.5 * dt
    return max(0.0, min(end, stop) - max(begin, start)) / (end - begin)


@kernel(inline=True)
def middle_of_kick(start: float, stop: float, t: float, dt: float, previous_dt: float) -> float:
    """How long after t the middle of that part of the kick at t lies that is in [start, stop)."""
    return 0.5 * (min(0.5 * dt, stop - t) + max(-0.5 * previous_dt, start - t))
