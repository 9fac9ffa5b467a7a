"""The channels of sensors (/th/sensor)."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Model, Sensor, Units

from ..assembly.assembly import Assembly
from ..core.bodies import Floats
from ..core.channels import Channel, Family, family_of
from ..core.unit_names import unit
from ..integration.sensor_records import RECORD


def sensor_channels(units: Units) -> list[Channel]:
    return [
        Channel("STATUS", "1", "1 while the sensor is on, else 0"),
        Channel("TON", unit(units, time=1), "time at which it last switched on; NaN before"),
        Channel("VALUE", "1", "value that it looks at, in working units; of one made of others 1 or 0, of time NaN"),
    ]


def sensor_family(model: Model) -> Family:
    """Channels of all sensors, in deck order."""
    return family_of("th/sensor", sensor_channels(model.units), list(model.sensors.values()))


def sensor_values(assembly: Assembly, times: Floats, samples: Floats) -> dict[str, Floats]:
    """Values (k, n) of every channel at the times (k,).

    samples : (k, ns, 3) of the sensors that do not depend on time alone, see sensor_records.RECORD
    """
    sensors = list(assembly.model.sensors.values())
    values = {name: np.full((len(times), len(sensors)), np.nan) for name in RECORD}
    for column, sensor in enumerate(sensors):
        if isinstance(sensor, Sensor):
            values["STATUS"][:, column] = (sensor.delay <= times) & (times <= sensor.stop)
            values["TON"][:, column] = np.where(sensor.delay <= times, sensor.delay, np.nan)
    numbers = assembly.system.sensors.sensors["number"]
    for c, name in enumerate(RECORD):
        values[name][:, numbers] = samples[:, :, c]
    return values
