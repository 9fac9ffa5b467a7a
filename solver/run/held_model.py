"""A model with its clock held at t = 0: loads, motions, contacts and sensors stay what they are at the start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from gsolve.parser.model import (
    ConcentratedLoad,
    ContactInterface,
    Drive,
    ForceCurveInterface,
    Function,
    Gravity,
    ImposedMotion,
    Model,
    Sensor,
)

from ..core.functions import build_function_tables, value
from ..core.windows import NEVER, is_on_at_start, window_of_contact, window_of_load, window_of_motion

Load = TypeVar("Load", ConcentratedLoad, Gravity)
Contact = TypeVar("Contact", ContactInterface, ForceCurveInterface)
AtStart = Callable[[int, float], float]  # value of a function, by id and abscissa


def held_at_start(model: Model) -> Model:
    """The model at rest at t = 0: what acts then acts for ever, and nothing else ever does."""
    tables, row_of = build_function_tables(model)

    def at_start(function_id: int, abscissa: float) -> float:
        return float(value(tables, row_of[function_id], abscissa))

    ones = constant_one(model)
    return replace(
        model,
        functions=model.functions | ones,
        engine=replace(model.engine, stop_sensors=[], stop_energy_error=None),
        sensors={id: held_sensor(model, id) for id in model.sensors},
        initial_velocities=[],
        imposed_motions=[held_motion(motion, model) for motion in model.imposed_motions],
        drives=[held_drive(drive, model, at_start, max(ones, default=0)) for drive in model.drives],
        loads=[held_load(load, model, at_start) for load in model.loads],
        gravities=[held_load(gravity, model, at_start) for gravity in model.gravities],
        contacts=[held_contact(contact, model) for contact in model.contacts],
        force_curve_contacts=[held_contact(contact, model) for contact in model.force_curve_contacts],
    )


def constant_one(model: Model) -> dict[int, Function]:
    """A function of an id of its own, for drives, which need one; none where the model has no functions at all."""
    if not model.functions:
        return {}
    new, some = max(model.functions) + 1, next(iter(model.functions.values()))
    return {new: replace(some, id=new, kind="TABLE", x=np.zeros(1), y=np.ones(1))}


def held_sensor(model: Model, sensor_id: int) -> Sensor:
    """A sensor that is on for ever where it is on at t = 0, and never where it is not."""
    sensor = model.sensors[sensor_id]
    delay = -NEVER if is_on_at_start(model, sensor_id) else NEVER
    return Sensor(sensor.id, sensor.title, sensor.where, delay, NEVER)


def held_load(load: Load, model: Model, at_start: AtStart) -> Load:
    """A load, or gravity, of the size that it has at t = 0."""
    start, stop, origin = window_of_load(load, model)
    size = 0.0
    if start <= 0.0 < stop:
        size = load.y_scale * at_start(load.function_id, -(origin if math.isfinite(origin) else 0.0) / load.x_scale)
    return replace(load, function_id=0, sensor_id=0, x_scale=1.0, y_scale=size)


def held_motion(motion: ImposedMotion, model: Model) -> ImposedMotion:
    """A motion that holds its nodes where it acts at t = 0."""
    start, stop = held_window(window_of_motion(motion, model))
    return replace(motion, sensor_id=0, y_scale=0.0, t_start=start, t_stop=stop)


def held_drive(drive: Drive, model: Model, at_start: AtStart, one: int) -> Drive:
    """A drive that holds its coordinate where it acts at t = 0: at the value that it asks for then, if it is that."""
    window = window_of_motion(drive, model)
    start, stop = held_window(window)
    held = replace(drive, sensor_id=0, y_scale=0.0, t_start=start, t_stop=stop)
    if drive.absolute and start <= 0.0:
        size = drive.y_scale * at_start(drive.function_id, -window[2] / drive.x_scale)
        return replace(held, function_id=one, x_scale=1.0, y_scale=size)
    return held


def held_window(window: tuple[float, float, float]) -> tuple[float, float]:
    """Always, or never."""
    return (0.0, NEVER) if window[0] <= 0.0 < window[1] else (NEVER, NEVER)


def held_contact(contact: Contact, model: Model) -> Contact:
    """An interface that acts always, or never."""
    start, stop = window_of_contact(contact, model)
    held = replace(contact, t_start=0.0 if start <= 0.0 < stop else NEVER, t_stop=NEVER)
    return replace(held, sensor_id=0) if isinstance(held, ContactInterface) else held
