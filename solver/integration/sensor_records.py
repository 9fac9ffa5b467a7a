"""The arrays of sensors that look at values, and of what they switch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..contact.records import INTERFACE_WIDTH
from ..contact.rigid_wall_records import WALL_WIDTH
from ..core.bodies import Floats, Records
from ..core.body_points import NODE_POINT

# What a sensor looks at, and what makes it of others.
(
    DISTANCE, SPEED, ANGLE, ANGLE_RATE, SLIDE, SLIDE_RATE, EFFORT, WALL, INTERFACE, KINETIC, STORED,
    AND, OR, NOT, AFTER,
) = range(15)  # fmt: skip
X, Y, Z, NORMAL, TANGENTIAL, TOUCH = range(6)  # of the force of a wall or an interface
OFF, ON, SPENT = 0, 1, 2  # spent: off for good
OF_TIME = -2  # in place of a sensor that others ask: one that depends on time alone
NO_SENSOR = -1

SENSOR = np.dtype(
    [
        ("number", "i8"),  # place in Model.sensors
        ("kind", "i8"),
        ("points", NODE_POINT, 2),
        ("index", "i8"),  # of the joint, the row, the wall or the interface; -1: of none that moves
        ("component", "i8"),  # X ... of a force
        ("factor", "f8"),  # of the value
        ("lower", "f8"),
        ("upper", "f8"),
        ("hold", "f8"),  # how long the value must be outside
        ("delay", "f8"),  # how much later it is on
        ("switches_off", "i8"),
        ("off_delay", "f8"),  # how long the value must be inside
        ("inputs", "i8", 2),  # sensors of the same subsystem, OF_TIME or NO_SENSOR
        ("windows", "f8", (2, 2)),  # of an input that depends on time: on for start <= t < stop
        ("first_switch", "i8"),
        ("last_switch", "i8"),
        ("status", "i8"),  # OFF, ON, SPENT
        ("since", "f8"),  # since when the value is outside its limits, inf: it is not
        ("calm", "f8"),  # since when it is inside again, likewise
        ("on", "f8"),  # when it was last switched on, NaN: never
        ("value", "f8"),
    ],
    align=True,
)

LOAD, DRIVE, CONDITION, SPRING, CONTACT = range(5)  # what is switched
SWITCHES_ON, SWITCHES_OFF, FOLLOWS = range(3)  # Isflag of a spring
SWITCH = np.dtype(
    [
        ("family", "i8"),
        ("index", "i8"),
        ("mode", "i8"),  # of a spring
        ("start", "f8"),  # window that the deck gives it: of a motion from when the sensor is on, of a contact as it is
        ("stop", "f8"),
    ],
    align=True,
)

RECORD = ("STATUS", "TON", "VALUE")


class Sensors(NamedTuple):
    """Sensors on values and those made of others, sorted by subsystem, each after those it asks."""

    sensors: Records
    switches: Records
    work: Floats  # (n, largest width of a sample of a wall or an interface) working memory


def no_sensors() -> Sensors:
    """A machine without any."""
    return new_sensors(np.zeros(0, SENSOR), np.zeros(0, SWITCH))


def new_sensors(sensors: Records, switches: Records) -> Sensors:
    """With working memory of their own."""
    return Sensors(sensors, switches, np.zeros((len(sensors), max(INTERFACE_WIDTH, WALL_WIDTH))))
