"""Sensors on values of the motion, and sensors made of others. /SENSOR/TIME is in `common`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Literal

from .common import Entity, Sensor

Quantity = Literal["DIST", "VEL", "ENERGY", "RWALL", "INTER", "GJOINT", "JOINT", "DRIVE"]


@dataclass(slots=True)
class ValueSensor(Entity):
    """On from when a value has been outside its limits for some time.

    quantity : what the value is of
    object_id : of the wall, the interface, the joint or the drive; 0 for the others
    nodes : rows of the two nodes of a distance, of the node of a speed
    variable : which value of the object: T1, RATE, X, FN ..., KE or IE; "" for distances, speeds, and any touch
    lower, upper : limits, -inf and inf where there are none
    hold : how long the value must be outside without a break (Tmin)
    delay : how much later the sensor is on (Tdelay)
    switches_off : whether it is off again once the value was inside for as long
    """

    quantity: Quantity
    object_id: int
    nodes: tuple[int, ...]
    variable: str
    lower: float
    upper: float
    hold: float
    delay: float
    switches_off: bool


@dataclass(slots=True)
class LogicSensor(Entity):
    """On as other sensors are.

    kind : AND, OR, NOT; SENS is on from when the first is on until the second is, or for a while (delay)
    inputs : ids of one or two sensors
    delay : how much later it is on; of SENS how long it is on at least
    """

    kind: Literal["AND", "OR", "NOT", "SENS"]
    inputs: tuple[int, ...]
    delay: float


AnySensor = Sensor | ValueSensor | LogicSensor


def sensors_in_order(sensors: Mapping[int, AnySensor], wanted: Iterable[int]) -> list[int]:
    """Ids of some sensors and of all that they depend on, each after what it depends on.

    Raises graphlib.CycleError where one waits for itself.
    """
    graph: dict[int, tuple[int, ...]] = {}
    waiting = list(wanted)
    while waiting:
        id = waiting.pop()
        sensor = sensors.get(id)
        if id not in graph and sensor is not None:
            graph[id] = sensor.inputs if isinstance(sensor, LogicSensor) else ()
            waiting += graph[id]
    return [id for id in TopologicalSorter(graph).static_order() if id in graph]
