"""The channels of sensors (/th/sensor), which depend on time alone."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Model, Units

from ..core.bodies import Floats
from ..core.channels import Channel, Family, family_of
from ..core.unit_names import unit


def sensor_channels(units: Units) -> list[Channel]:
    return [
        Channel("STATUS", "1", "1 while the sensor is on, else 0"),
        Channel("TON", unit(units, time=1), "time at which it switched on; NaN before"),
    ]


def sensor_family(model: Model) -> Family:
    """Channels of all sensors, in deck order."""
    return family_of("th/sensor", sensor_channels(model.units), list(model.sensors.values()))


def sensor_values(model: Model, times: Floats) -> dict[str, Floats]:
    """Values (k, n) of every channel at the times (k,)."""
    on = np.array([sensor.delay for sensor in model.sensors.values()])
    off = np.array([sensor.stop for sensor in model.sensors.values()])
    at = times[:, None]
    return {"STATUS": ((on <= at) & (at <= off)).astype(float), "TON": np.where(on <= at, on, np.nan)}
