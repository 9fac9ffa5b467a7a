"""Sensors of the model: their records, and those of what they switch, sorted by subsystem."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.model import LogicSensor, Model, Sensor, ValueSensor

from ..core.bodies import Record
from ..core.windows import is_on_at_start
from ..integration import sensor_records as kinds
from ..integration.sensor_records import NO_SENSOR, OF_TIME, SENSOR, SWITCH, Sensors, new_sensors
from .force_families import ForceFamilies
from .foundation import Foundation
from .row_families import RowFamilies
from .sensor_links import linked_nodes, watching

LOGIC = {"AND": kinds.AND, "OR": kinds.OR, "NOT": kinds.NOT, "SENS": kinds.AFTER}
COMPONENTS = {"X": kinds.X, "Y": kinds.Y, "Z": kinds.Z, "FN": kinds.NORMAL, "FT": kinds.TANGENTIAL, "": kinds.TOUCH}
ENERGIES = {"KE": kinds.KINETIC, "IE": kinds.STORED}
# What a variable of a joint or a drive is of its coordinates.
COORDINATES = {
    "ANG": kinds.ANGLE, "VEL": kinds.ANGLE_RATE, "RATE": kinds.ANGLE_RATE, "U": kinds.SLIDE, "V": kinds.SLIDE_RATE,
    "ANG2": kinds.SLIDE, "RATE2": kinds.SLIDE_RATE, "T": kinds.EFFORT, "F": kinds.EFFORT,
}  # fmt: skip
Switch = tuple[int, int, int, float, float]  # fields of SWITCH


def build_sensors(foundation: Foundation, rows: RowFamilies, forces: ForceFamilies) -> tuple[Sensors, list[int]]:
    """Sensors that do not depend on time alone, and the first of each subsystem and their number, (ns + 1,)."""
    model, subsystems = foundation.model, foundation.subsystems
    ids = watching(model)
    places = [max(0, subsystems.of_nodes(linked_nodes(model, id))) for id in ids]
    order, first = subsystems.sort(places)
    index = {ids[number]: k for k, number in enumerate(order.tolist())}
    records, switches = np.zeros(len(ids), SENSOR), list[Switch]()
    number_of = {id: number for number, id in enumerate(model.sensors)}
    switched = switches_of(foundation, rows, forces)
    for id, k in index.items():
        record, sensor = records[k], model.sensors[id]
        record["number"], record["factor"], record["inputs"] = number_of[id], 1.0, NO_SENSOR
        record["since"], record["calm"], record["on"], record["index"] = math.inf, math.inf, math.nan, -1
        if isinstance(sensor, ValueSensor):
            set_value(record, sensor, foundation, rows, forces)
        elif isinstance(sensor, LogicSensor):
            set_logic(record, sensor, model, index)
        if is_on_at_start(model, id):
            record["status"], record["on"], record["since"] = kinds.ON, 0.0, 0.0
        record["first_switch"] = len(switches)
        switches += [switch for of, switch in switched if of == id]
        record["last_switch"] = len(switches)
    return new_sensors(records, np.array(switches, SWITCH)), first


def set_value(
    record: Record, sensor: ValueSensor, foundation: Foundation, rows: RowFamilies, forces: ForceFamilies
) -> None:
    """What a sensor on a value looks at, and its limits."""
    record["lower"], record["upper"] = sensor.lower, sensor.upper
    record["hold"], record["delay"] = sensor.hold, sensor.delay
    record["switches_off"], record["off_delay"] = int(sensor.switches_off), sensor.hold + sensor.delay
    model, wanted = foundation.model, sensor.object_id
    if sensor.quantity in ("DIST", "VEL"):
        record["kind"] = kinds.DISTANCE if sensor.quantity == "DIST" else kinds.SPEED
        for k, node in enumerate(sensor.nodes):
            record["points"][k] = foundation.points[node]
    elif sensor.quantity == "ENERGY":
        record["kind"] = ENERGIES[sensor.variable]
    elif sensor.quantity in ("RWALL", "INTER"):
        is_wall = sensor.quantity == "RWALL"
        items = model.rigid_walls if is_wall else model.interfaces
        number = next(k for k, item in enumerate(items) if item.id == wanted)
        arrays = forces.walls.walls if is_wall else forces.contacts.interfaces
        record["kind"] = kinds.WALL if is_wall else kinds.INTERFACE
        record["index"] = next(iter(np.flatnonzero(arrays["number"] == number)), -1)
        record["component"] = COMPONENTS[sensor.variable]
    else:
        record["kind"], record["index"], record["factor"] = of_joint(sensor, rows)


def of_joint(sensor: ValueSensor, rows: RowFamilies) -> tuple[int, int, float]:
    """Kind, joint or row (-1: nothing of it moves) and factor of a variable of a joint or a drive."""
    places, name = rows.places, sensor.variable
    if sensor.quantity == "GJOINT":
        kind, k = COORDINATES[name[:-1]], int(name[-1]) - 1
        for place in places.gear_joints:
            if place.gear_joint.id == sensor.object_id:
                if kind == kinds.EFFORT:
                    return kind, place.row, place.coefficients[k]
                return kind, place.joints[k], place.signs[k]
    elif sensor.quantity == "JOINT":
        for joint in places.joints:
            if joint.joint.id == sensor.object_id:
                return COORDINATES[name], joint.index, 1.0
    else:
        for drive in places.drives:
            if drive.drive.id == sensor.object_id:
                kind = COORDINATES[name]
                return kind, drive.row if kind == kinds.EFFORT else drive.joint, 1.0
    return COORDINATES[name if sensor.quantity != "GJOINT" else name[:-1]], -1, 1.0


def set_logic(record: Record, sensor: LogicSensor, model: Model, index: dict[int, int]) -> None:
    """What a sensor asks of others."""
    record["kind"], record["delay"], record["switches_off"] = LOGIC[sensor.kind], sensor.delay, 1
    for k, id in enumerate(sensor.inputs):
        other = model.sensors[id]
        if isinstance(other, Sensor):
            record["inputs"][k], record["windows"][k] = OF_TIME, (other.delay, other.stop)
        else:
            record["inputs"][k] = index[id]


def switches_of(foundation: Foundation, rows: RowFamilies, forces: ForceFamilies) -> list[tuple[int, Switch]]:
    """What sensors switch: the id of the sensor, and the fields of a record."""
    found = list[tuple[int, Switch]]()
    model = foundation.model
    found += [(int(load["sensor_id"]), (kinds.LOAD, k, 0, 0.0, 0.0)) for k, load in enumerate(forces.loads)]
    for place in rows.places.drives:
        drive = place.drive
        found.append((drive.sensor_id, (kinds.DRIVE, place.index, 0, drive.t_start, drive.t_stop)))
    for k, motion in enumerate(rows.motions):
        if motion is not None:
            found.append((motion.sensor_id, (kinds.CONDITION, k, 0, motion.t_start, motion.t_stop)))
    for k, spring in enumerate(forces.springs):
        prop = model.springs[spring["number"]].property
        found.append((prop.sensor_id, (kinds.SPRING, k, prop.sensor_flag, -math.inf, math.inf)))
    for k, interface in enumerate(forces.contacts.interfaces):
        if interface["number"] < len(model.contacts):
            contact = model.contacts[interface["number"]]
            found.append((contact.sensor_id, (kinds.CONTACT, k, 0, contact.t_start, contact.t_stop)))
    return found
