"""Bodies by their solids, curves and meshes; those without by their inertia and sticks to their nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bodies import Floats
from . import surfaces
from .collection import Collection
from .outlines import extruded
from .parts import Link
from .poses import turn_of_axes, turn_to

FINE = ((60, 6, 40), (600, 4, 24), (4000, 3, 16))  # up to so many round solids: divisions of a sphere, points of a ring
COARSE = (2, 12)
CURVE_WIDTH = 0.04  # of the machine, of a curve without a width
STICK = 0.006  # of the machine: radius of sticks
SMALLEST, LARGEST = 0.025, 0.08  # of the machine: edges of the block that stands for an inertia
MOST_STICKS = 60  # of a body
PIN = (0.008, 0.09)  # of the machine: radius and length of the axis of a joint
COIL = (8, 16, 0.12)  # turns, points around, wire
SPRING, ROD = 0.018, 0.006  # of the machine: radii


def add_shapes(collection: Collection) -> None:
    """Solids, but not planes, curves and meshes of contacts."""
    machine = collection.machine
    divisions, around = fineness(len(machine.solid))
    for row in machine.solid:
        if row["kind"] != "PLANE":
            _add_solid(collection, row, divisions, around)
    for k, row in enumerate(machine.curve):
        _add_curve(collection, k, row)
    for k, row in enumerate(machine.mesh):
        key = ("mesh", row["first_vertex"], row["first_triangle"], row["n_triangles"])
        _place(collection, row, "mesh", key, lambda k=k: surfaces.plain(*machine.surface(k)), np.ones(3))


def fineness(count: int) -> tuple[int, int]:
    """Divisions of a sphere and points of a ring, coarser where there are many of them."""
    return next(((divisions, around) for most, divisions, around in FINE if count <= most), COARSE)


def _place(collection: Collection, row: dict[str, Any], kind: str, key: Any, make: Any, scale: Floats) -> None:
    quaternion = row["quaternion"]
    collection.add_to_body(row["name"], kind, int(row["body"]), key, make, row["position"], quaternion, scale)


def _add_solid(collection: Collection, row: dict[str, Any], divisions: int, around: int) -> None:
    a, b, c = row["dimensions"]
    kind = row["kind"]
    if kind in ("SPHERE", "ELLIPSOID"):
        scale = row["dimensions"] if kind == "ELLIPSOID" else np.full(3, a)
        _place(collection, row, "solid", "sphere", lambda: surfaces.sphere(divisions), scale)
    elif kind == "BOX":
        _place(collection, row, "solid", "box", surfaces.box, row["dimensions"])
    elif kind == "CYLINDER":
        _place(collection, row, "solid", "cylinder", lambda: surfaces.cylinder(around), np.array([a, a, b]))
    elif kind == "FRUSTUM":
        large = max(a, b)
        make = lambda: surfaces.frustum(a / large, b / large, around)  # noqa: E731
        _place(collection, row, "solid", ("frustum", a / large, b / large), make, np.array([large, large, c]))


def _add_curve(collection: Collection, k: int, row: dict[str, Any]) -> None:
    width = float(row["width"]) if 0.0 < row["width"] < 0.5 * collection.size else CURVE_WIDTH * collection.size
    closed = bool(row["closed"])
    outline = collection.machine.outline(k)
    key = ("curve", row["first_point"], row["n_points"], width, closed)
    _place(collection, row, "curve", key, lambda: extruded(outline, width, closed=closed), np.ones(3))


# ---- bodies without a shape ------------------------------------------------------------------------------------


def add_sticks(collection: Collection) -> None:
    """Blocks of inertia of bodies that show nothing yet, and sticks to their nodes.

    A body with a shape gets sticks to those nodes on which a joint, drive or spring acts outside of it.
    """
    machine = collection.machine
    shown = _boxes(collection)
    order = np.argsort(machine.node.body, kind="stable")
    starts = np.searchsorted(machine.node.body[order], np.arange(len(machine.body) + 1))
    used = _used_nodes(collection)
    for body in range(len(machine.body)):
        nodes = order[starts[body] : starts[body + 1]]
        ends = machine.node.position[nodes]
        if body in shown:
            low, high = shown[body]
            margin = 0.02 * collection.size
            outside = np.any((ends < low - margin) | (ends > high + margin), axis=1)
            chosen = nodes[outside & used[nodes]].tolist()
        else:
            _add_block(collection, body, alone=bool((np.abs(ends) < 1e-9 * collection.size).all()))
            chosen = sorted(nodes.tolist(), key=lambda node: not used[node])[:MOST_STICKS]
        name, radius = machine.body.name[body], STICK * collection.size
        for node in chosen:
            place = collection.place_of(node)
            collection.add_stick(name, "body", node, machine.body.centre[body], place, radius)


def _boxes(collection: Collection) -> dict[int, tuple[Floats, Floats]]:
    """Corners of the box about what a body shows already, in its axes, by body."""
    boxes: dict[int, tuple[Floats, Floats]] = {}
    for part in collection.parts:
        corners = collection.corners(part)
        low, high = corners.min(axis=0), corners.max(axis=0)
        old = boxes.get(part.body, (low, high))
        boxes[part.body] = (np.minimum(old[0], low), np.maximum(old[1], high))
    return boxes


def _used_nodes(collection: Collection) -> Floats:
    """(n,) whether a joint, drive, coupler or spring is at a node."""
    machine = collection.machine
    used = np.zeros(len(machine.node) + 1, dtype=bool)  # the last one: none
    columns = {
        "joint": ("node_i", "node_j"), "drive": ("node_i", "node_j"), "spring": ("node_1", "node_2"),
        "gjoint": ("nodes",), "coupler": ("node_a", "support_a", "node_b", "support_b"), "rwall": ("node",),
    }  # fmt: skip
    for table, names in columns.items():
        for name in names:
            used[getattr(getattr(machine, table), name)] = True
    return used[:-1]


def _add_block(collection: Collection, body: int, *, alone: bool) -> None:
    """A block with the inertia of the body, in the limits of what can be seen; of a point mass a cube."""
    table, size = collection.machine.body, collection.size
    mass, (xx, yy, zz, xy, yz, xz) = float(table.mass[body]), table.inertia[body]
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    largest = (LARGEST if alone else 0.5 * LARGEST) * size
    edges = np.full(3, SMALLEST * size)
    if mass > 0.0 and moments[2] > 0.0:
        edges = np.sqrt(np.maximum(6.0 / mass * (moments.sum() - 2.0 * moments), 0.0))
        edges *= min(1.0, largest / max(float(edges.max()), 1e-300))
    edges = np.maximum(edges, SMALLEST * size)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    turn = turn_of_axes(axes[:, 2], axes[:, 0])
    collection.add_to_body(table.name[body], "body", body, "box", surfaces.box, np.zeros(3), turn, edges)


# ---- joints and springs ----------------------------------------------------------------------------------------


def add_joints(collection: Collection) -> None:
    """A pin along the axis of each joint that has one, on its node j or, if that is the ground, node i."""
    radius, length = (share * collection.size for share in PIN)
    for row in collection.machine.joint:
        node, axis = (row["node_j"], row["axis_j"]) if row["node_j"] >= 0 else (row["node_i"], row["axis_i"])
        if node >= 0 and np.linalg.norm(axis) > 0.0:
            collection.add(
                row["name"], "joint", int(node), "pin", lambda: surfaces.cylinder(16),
                collection.place_of(int(node)), turn_to(axis), [radius, radius, length],
            )  # fmt: skip


def add_links(collection: Collection) -> None:
    """Springs and drives of a distance, between two nodes."""
    turns, around, wire = COIL
    spring = lambda: surfaces.coil(turns, around, wire=wire)  # noqa: E731
    rod = lambda: surfaces.moved(surfaces.cylinder(12), [0.0, 0.0, 0.5])  # noqa: E731
    for row in collection.machine.spring:
        _add_link(collection, row["name"], "spring", spring, (row["node_1"], row["node_2"]), SPRING)
    for row in collection.machine.drive:
        if row["kind"] == "DIST":
            _add_link(collection, row["name"], "drive", rod, (row["node_i"], row["node_j"]), ROD)


def _add_link(collection: Collection, name: str, kind: str, make: Any, nodes: tuple[int, int], radius: float) -> None:
    if min(nodes) < 0:
        return  # one end is the ground as a whole, at no place
    bodies = np.array([collection.body_of(node) for node in nodes])
    points = np.array([collection.machine.node.position[node] for node in nodes])
    if bodies[0] != bodies[1]:
        collection.links.append(
            Link(name, kind, collection.shape(kind, make), bodies, points, radius * collection.size)
        )
