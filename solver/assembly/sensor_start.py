"""Sensors that are on from the start: a warning, for a limit in the wrong field does that."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.model import ValueSensor
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import Record
from ..core.unit_names import unit
from ..integration.sensor_records import ANGLE, DISTANCE, SLIDE
from .assembly import Assembly


def sensors_on_at_start(assembly: Assembly) -> list[Diagnostic]:
    """One warning for each sensor on a place that is outside its limits at t = 0.

    A rate, a force or an energy is often below a limit before anything has happened, and meant to be.
    """
    model, warnings, length = assembly.model, [], unit(assembly.model.units, length=1)
    sensors = list(model.sensors.values())
    for record in assembly.system.sensors.sensors:
        sensor, value = sensors[record["number"]], place_at_start(assembly, record)
        if not isinstance(sensor, ValueSensor) or sensor.lower <= value <= sensor.upper or math.isnan(value):
            continue
        low, high = ("Dmin", "Dmax") if record["kind"] == DISTANCE else ("Vmin", "Vmax")
        what = "the distance" if record["kind"] == DISTANCE else sensor.variable
        side, field, other = ("below", low, high) if value < sensor.lower else ("above", high, low)
        warnings.append(
            sensor.where.diagnose(
                "warning",
                f"{what} is {value:.6g} {'rad' if record['kind'] == ANGLE else length} at t = 0, {side} {field}: the "
                "sensor is on from the start",
                field=field,
                hint=f"a limit that the value is to pass later, from the other side, is {other}",
            )
        )
    return warnings


def place_at_start(assembly: Assembly, record: Record) -> float:
    """The distance, angle or slide that a sensor looks at, NaN where it looks at something else."""
    joints = assembly.system.joints
    if record["kind"] == DISTANCE:
        one, other = record["points"]["origin"]
        return float(np.linalg.norm(other - one))
    if record["kind"] not in (ANGLE, SLIDE) or record["index"] < 0:
        return math.nan
    return float(record["factor"] * joints["angle" if record["kind"] == ANGLE else "slide"][record["index"]])
