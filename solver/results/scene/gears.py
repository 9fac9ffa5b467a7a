"""Gear joints and couplers as wheels, racks and shafts on their bodies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.bodies import Floats
from . import gear_shapes
from .collection import Collection, unit
from .gear_layout import LARGEST, PARALLEL, Mesh, Shaft, Wheel, merged, mesh_of, planets_of, set_teeth
from .poses import turn_of_axes

WIDTH = 0.3  # of the median radius of wheels
WIDEST = 0.8  # of the own radius
APART = 1.3  # widths from one wheel of a shaft to the next
FACE = 0.3  # of the pitch cone that bevel teeth take
RACK_TEETH = 20  # of a whole turn of a pinion
RACK_TURNS = 1.5
HALF_SHAFT = 0.22  # of the distance of both wheels of a differential: their radius
SIDE_GEAR = 0.08
SIDE_TEETH = 16
SHAFT = 0.12  # radius of a shaft, of that of its wheel


def add_gears(collection: Collection) -> None:
    """Parts of kind gear, of all gear joints and couplers."""
    meshes: list[Mesh] = []
    loose: list[Wheel] = []
    for name, one, two, alpha, carrier in _pairs(collection):
        found = mesh_of(name, one, two, alpha, collection.size)
        if isinstance(found, Mesh):
            meshes.append(found)
        elif found is not None:
            loose += [*found, *planets_of(found, carrier)]
    wheels, meshes = merged([mesh for mesh in meshes if _is_drawn(mesh, collection.size)])
    set_teeth(meshes)
    wheels += [wheel for wheel in loose if 0.0 < wheel.radius <= LARGEST * collection.size]
    if wheels:
        width = WIDTH * float(np.median([wheel.radius for wheel in wheels]))
        for wheel in wheels:
            _add_wheel(collection, wheel, width)
    for row in collection.machine.gjoint:
        if row["kind"] == "RACK":
            _add_rack(collection, row)
        elif row["kind"] == "DIFF":
            _add_differential(collection, row)
    for row in collection.machine.coupler:
        if row["kind"] == "R2T" and row["ratio"] != 0.0:
            drum = collection.shaft(row["node_a"], row["axis_a"])
            _add_spoked(collection, row["name"], drum, min(1.0 / abs(row["ratio"]), LARGEST * collection.size))


def _pairs(collection: Collection) -> Iterator[tuple[str, Shaft, Shaft, float, Shaft]]:
    """Two shafts with alpha w_1 + w_2 = 0 relative to one carrier, and that."""
    machine = collection.machine
    for row in machine.gjoint:
        if row["kind"] == "GEAR" and row["ratio"] != 0.0:
            shafts = [collection.shaft(row["nodes"][k], row["axes"][k - 1]) for k in (1, 2)]
            yield (
                row["name"],
                shafts[0],
                shafts[1],
                float(row["ratio"]),
                collection.shaft(row["nodes"][0], row["axes"][0]),
            )
    for row in machine.coupler:
        if row["kind"] == "R2R" and row["ratio"] != 0.0 and _one_support(collection, row):
            one, two = collection.shaft(row["node_a"], row["axis_a"]), collection.shaft(row["node_b"], row["axis_b"])
            support = collection.shaft(row["support_a"], row["axis_a"])
            yield row["name"], one, two, -1.0 / float(row["ratio"]), support


def _one_support(collection: Collection, row: dict[str, Any]) -> bool:
    """Whether both shafts turn in one body: wheels on a road have no partner to be drawn."""
    return collection.body_of(row["support_a"]) == collection.body_of(row["support_b"])


def _is_drawn(mesh: Mesh, size: float) -> bool:
    return max(mesh.first.radius, mesh.second.radius) <= LARGEST * size


def _add_wheel(collection: Collection, wheel: Wheel, width: float) -> None:
    width = min(width, WIDEST * wheel.radius)
    if wheel.half_angle > 0.0:
        shape = gear_shapes.bevel(wheel.radius, wheel.half_angle, wheel.teeth, FACE)
    elif wheel.ring:
        shape = gear_shapes.ring_gear(wheel.radius, wheel.teeth, width, 0.15 * wheel.radius)
    elif wheel.teeth:
        shape = gear_shapes.spur(wheel.radius, wheel.teeth, width)
    else:
        shape = gear_shapes.spoked(wheel.radius, 4.0 * wheel.radius if wheel.long else width)
    centre = wheel.centre + APART * width * wheel.level * wheel.axis
    key = ("wheel", wheel.half_angle, wheel.ring, wheel.teeth, wheel.radius, wheel.long, width)
    quaternion = turn_of_axes(wheel.axis, wheel.reference)
    collection.add(wheel.name, "gear", wheel.shaft.node, key, lambda: shape, centre, quaternion)


def _add_spoked(collection: Collection, name: str, shaft: Shaft, radius: float) -> None:
    _add_wheel(collection, Wheel(name, shaft, shaft.place, shaft.axis, radius), WIDTH * radius)


def _add_rack(collection: Collection, row: dict[str, Any]) -> None:
    """A pinion whose radius is the ratio, and a bar that moves with node 2."""
    radius, size = abs(float(row["ratio"])), collection.size
    pinion = collection.shaft(row["nodes"][1], row["axes"][0])
    along = unit(row["axes"][1])
    if not 0.0 < radius <= LARGEST * size:
        return
    width = WIDTH * radius
    if abs(along @ pinion.axis) > 1e-3:  # the rack does not lie across the pinion: no teeth could be drawn
        _add_spoked(collection, row["name"], pinion, radius)
        return
    towards = -math.copysign(1.0, row["ratio"]) * np.cross(along, pinion.axis)
    wheel = Wheel(row["name"], pinion, pinion.place, pinion.axis, radius, teeth=RACK_TEETH, reference=towards)
    _add_wheel(collection, wheel, width)
    pitch = 2.0 * np.pi * radius / RACK_TEETH
    count = round(0.5 * RACK_TURNS * RACK_TEETH)
    # y of the rack points to the pinion; half a pitch off, so that a tooth of the pinion stands in a gap
    contact = pinion.place + radius * towards + 0.5 * pitch * along
    z = np.cross(along, -towards)
    collection.add(
        row["name"],
        "gear",
        int(row["nodes"][2]),
        ("rack", pitch, count, width, radius),
        lambda: gear_shapes.rack(pitch, -count, count - 1, width, 0.35 * radius),
        contact,
        turn_of_axes(z, along),
    )


def _add_differential(collection: Collection, row: dict[str, Any]) -> None:
    """Two half shafts with a wheel and a side gear each, and the drive with a wheel."""
    name, size = row["name"], collection.size
    shafts = [collection.shaft(row["nodes"][k], row["axes"][k - 1]) for k in (1, 2, 3)]
    drive, halves = shafts[0], shafts[1:]
    between = halves[1].place - halves[0].place
    distance = float(np.linalg.norm(between))
    apart = distance > 1e-3 * size and np.linalg.norm(np.cross(between, halves[0].axis)) < 1e-3 * distance
    if not apart or np.linalg.norm(np.cross(drive.axis, halves[0].axis)) < PARALLEL:
        for k, shaft in enumerate(shafts):
            _add_spoked(collection, name, shaft, (0.3 - 0.05 * k) * max(size, distance))
        return
    middle = 0.5 * (halves[0].place + halves[1].place)
    for shaft in halves:
        inward = (middle - shaft.place) / np.linalg.norm(middle - shaft.place)
        _add_spoked(collection, name, shaft, HALF_SHAFT * distance)
        side = SIDE_GEAR * distance
        centre = middle - side * inward
        gear = Wheel(name, shaft, centre, inward, side, half_angle=0.25 * np.pi, teeth=SIDE_TEETH)
        _add_wheel(collection, gear, WIDTH * side)
        _add_bar(collection, name, shaft, centre, SHAFT * HALF_SHAFT * distance)
    towards = middle - drive.place
    along = float(towards @ drive.axis)
    if abs(along) > 2.0 * SIDE_GEAR * distance:
        end = drive.place + drive.axis * (along - math.copysign(1.6 * SIDE_GEAR * distance, along))
        pinion = Wheel(
            name, drive, end, math.copysign(1.0, along) * drive.axis, 0.6 * SIDE_GEAR * distance,
            half_angle=0.15 * np.pi, teeth=SIDE_TEETH,
        )  # fmt: skip
        _add_wheel(collection, pinion, WIDTH * SIDE_GEAR * distance)
        _add_bar(collection, name, drive, end, SHAFT * HALF_SHAFT * distance)
    else:
        _add_spoked(collection, name, drive, 0.5 * HALF_SHAFT * distance)


def _add_bar(collection: Collection, name: str, shaft: Shaft, end: Floats, radius: float) -> None:
    """The shaft itself, from its node to a place on its axis."""
    collection.add_stick(name, "gear", shaft.node, shaft.place, end, radius)
