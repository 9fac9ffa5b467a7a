"""Which nodes a sensor looks at, and which the blocks act on that it switches: all of them are one subsystem."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from gsolve.parser.model import (
    ConcentratedLoad,
    Drive,
    Gravity,
    ImposedMotion,
    Joint,
    Model,
    Sensor,
    ValueSensor,
    sensors_in_order,
)

from .connections import nodes_of_contact, nodes_of_gear_joint, nodes_of_joint


def watching(model: Model) -> list[int]:
    """Ids of the sensors that do not depend on time alone, each after those it asks."""
    return [id for id in sensors_in_order(model.sensors, model.sensors) if not isinstance(model.sensors[id], Sensor)]


def linked_nodes(model: Model, id: int) -> list[int]:
    """Nodes (-1: the ground) that a sensor looks at, by way of others too, and those that it acts on; each once."""
    found: dict[int, None] = {}
    for each in sensors_in_order(model.sensors, [id]):
        found.update(dict.fromkeys(seen_nodes(model, each)))
    found.update(dict.fromkeys(acted_nodes(model, id)))
    return list(found)


def seen_nodes(model: Model, id: int) -> list[int]:
    """Nodes that a sensor itself looks at."""
    sensor = model.sensors[id]
    if not isinstance(sensor, ValueSensor):
        return []
    wanted = sensor.object_id
    if sensor.quantity == "ENERGY":
        return list(range(len(model.nodes)))
    if sensor.quantity == "RWALL":
        return [node for w in model.rigid_walls if w.id == wanted for node in (w.node, *w.nodes.tolist())]
    if sensor.quantity == "INTER":
        return [node for c in model.interfaces if c.id == wanted for node in nodes_of_contact(model, c)]
    if sensor.quantity == "GJOINT":
        return [node for joint in model.gear_joints if joint.id == wanted for node in nodes_of_gear_joint(joint)]
    if sensor.quantity in ("JOINT", "DRIVE"):
        joints: list[Joint | Drive] = [*(model.joints if sensor.quantity == "JOINT" else model.drives)]
        return [node for joint in joints if joint.id == wanted for node in nodes_of_joint(joint)]
    return list(sensor.nodes)


def acted_nodes(model: Model, id: int) -> Iterator[int]:
    """Nodes that the blocks act on that a sensor switches."""
    blocks: list[ConcentratedLoad | Gravity | ImposedMotion]
    blocks = [*model.loads, *model.gravities, *model.imposed_motions]
    for block in blocks:
        if block.sensor_id == id:
            yield from np.asarray(block.nodes).tolist()
    for drive in model.drives:
        if drive.sensor_id == id:
            yield from nodes_of_joint(drive)
    for spring in model.springs:
        if spring.property.sensor_id == id:
            yield from (spring.node_1, spring.node_2)
    for contact in model.contacts:
        if contact.sensor_id == id:
            yield from nodes_of_contact(model, contact)
