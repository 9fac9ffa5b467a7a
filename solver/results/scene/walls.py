"""Planes of contacts and rigid walls: endless ones as patches below and beside what moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bodies import Floats
from ..machine_tables import GROUND
from . import surfaces
from .collection import Collection, unit
from .poses import turn_of_axes, turn_to, turned

CELLS = 10  # along a side of a patch
MARGIN = 0.1  # of the diagonal of what moves, that a patch is longer than it, along either side
AROUND = 40


def add_walls(collection: Collection, bounds: Floats) -> None:
    """Planes among the solids, and walls; bounds : (2, 3) of what moves, global."""
    for row in collection.machine.solid:
        if row["kind"] == "PLANE":
            _add_plane(collection, row, bounds)
    for row in collection.machine.rwall:
        _ADD[row["kind"]](collection, row, bounds)


def _sides(bounds: Floats, quaternion: Floats) -> Floats:
    """(3,) how long a patch is along its axes: as the shadow that what moves throws on it, and a margin."""
    edges = bounds[1] - bounds[0]
    axes = turned(quaternion, np.eye(3))
    sides: Floats = np.abs(axes) @ edges + MARGIN * np.linalg.norm(edges)
    return sides


def _patch() -> surfaces.Shape:
    return surfaces.patch(CELLS)


def _add_plane(collection: Collection, row: dict[str, Any], bounds: Floats) -> None:
    """Its z' is the outward normal; a fixed one lies where what moves is, one that moves about its own place."""
    body, position, quaternion = int(row["body"]), row["position"], row["quaternion"]
    scale = np.full(3, (1.0 + MARGIN) * np.linalg.norm(bounds[1] - bounds[0]))
    if body == GROUND:
        normal = turned(quaternion, np.array([0.0, 0.0, 1.0]))
        position, scale = _below(bounds, position, normal), _sides(bounds, quaternion)
    collection.add_to_body(row["name"], "plane", body, "patch", _patch, position, quaternion, scale)


def _below(bounds: Floats, point: Floats, normal: Floats) -> Floats:
    """Foot of the middle of a box on a plane."""
    middle = 0.5 * (bounds[0] + bounds[1])
    return middle - normal * ((middle - point) @ normal)


def _add_endless(collection: Collection, row: dict[str, Any], bounds: Floats) -> None:
    normal = unit(row["normal"])
    point = _below(bounds, row["point"], normal)
    turn = turn_of_axes(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    _add(collection, row, "patch", _patch, point, turn, _sides(bounds, turn))


def _add_parallelogram(collection: Collection, row: dict[str, Any], bounds: Floats) -> None:
    del bounds
    one, two = row["sides"]
    square = surfaces.patch(CELLS)
    points = (square.points[:, :1] + 0.5) * one + (square.points[:, 1:2] + 0.5) * two
    shape = surfaces.Shape(points, square.triangles, square.tone, True)
    key = ("parallelogram", *one, *two)
    _add(collection, row, key, lambda: shape, row["point"], np.array([1.0, 0.0, 0.0, 0.0]), np.ones(3))


def _add_sphere(collection: Collection, row: dict[str, Any], bounds: Floats) -> None:
    del bounds
    scale = np.full(3, row["radius"])
    _add(collection, row, "ball", lambda: surfaces.sphere(10), row["point"], np.array([1.0, 0.0, 0.0, 0.0]), scale)


def _add_cylinder(collection: Collection, row: dict[str, Any], bounds: Floats) -> None:
    axis = unit(row["normal"])
    middle = 0.5 * (bounds[0] + bounds[1])
    point = row["point"] + axis * ((middle - row["point"]) @ axis)
    turn = turn_to(axis)
    scale = np.array([row["radius"], row["radius"], _sides(bounds, turn)[2]])
    _add(collection, row, "roller", lambda: surfaces.cylinder(AROUND), point, turn, scale)


def _add(
    collection: Collection, row: dict[str, Any], key: Any, make: Any, point: Floats, turn: Floats, scale: Floats
) -> None:
    """A wall at a place of the drawing; one that a node carries moves with the node and does not turn."""
    node = int(row["node"])
    if node < 0:
        collection.add_to_body(row["name"], "wall", GROUND, key, make, point, turn, scale)
        return
    # its place is the node; what leads from there to the wall keeps its directions, and so belongs to the shape
    shape = make()
    offset = turned(turn * [1.0, -1.0, -1.0, -1.0], point - collection.place_of(node)) / scale
    collection.add_to_body(
        row["name"], "wall", collection.body_of(node), (key, *offset), lambda: surfaces.moved(shape, offset),
        collection.machine.node.position[node], turn, scale, turns=False,
    )  # fmt: skip


_ADD = {"PLANE": _add_endless, "PARAL": _add_parallelogram, "SPHER": _add_sphere, "CYL": _add_cylinder}
