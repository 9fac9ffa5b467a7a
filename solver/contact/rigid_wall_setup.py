"""Rigid walls of the model as the arrays of `solver/contact/rigid_walls.py`."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.keywords.walls import distance_to
from gsolve.parser.model import Model, RigidWall
from numpy.typing import NDArray

from ..core.bodies import Ints, Record, Records
from .rigid_wall_records import (
    CYLINDER,
    FRICTION,
    PARALLELOGRAM,
    PLANE,
    SLIDING,
    SPHERE,
    TIED,
    WALL,
    WALL_NODE,
    Walls,
    no_walls,
)
from .step_limits import STEPS_PER_BOUNCE

KINDS = {"PLANE": PLANE, "SPHER": SPHERE, "CYL": CYLINDER, "PARAL": PARALLELOGRAM}
MODES = {"SLIDING": SLIDING, "TIED": TIED, "FRICTION": FRICTION}
ON_WALL = 1e-9  # of the sides of a parallelogram, or of a unit of length: as good as on the wall
DAMPING = 0.05  # of a penalty wall, over the critical value (OpenRadioss, engine, rgwall_pen.F90)


def build_walls(
    model: Model, points: Records, bodies: Records, subsystem: Ints, first: dict[str, list[int]]
) -> tuple[Walls, list[int]]:
    """Walls with nodes that move, sorted by subsystem, and the first of each subsystem, (ns + 1,).

    subsystem : (nb,) of each body; first : the first row and body of each subsystem, (ns + 1,)
    """
    n = len(first["body"]) - 1
    items = [
        (s, number, rows)
        for number, wall in enumerate(model.rigid_walls)
        for s, rows in nodes_by_subsystem(wall.nodes, subsystem[points["body"][wall.nodes]])
    ]
    items.sort(key=lambda item: item[:2])
    starts = np.searchsorted([item[0] for item in items], np.arange(n + 1)).tolist()
    if not items:
        return no_walls(), starts
    walls = np.zeros(len(items), WALL)
    nodes = np.zeros(sum(len(rows) for *_, rows in items), WALL_NODE)
    fronts = [in_front(wall, model) for wall in model.rigid_walls]
    place = replies = 0
    for record, (s, number, rows) in zip(walls, items, strict=True):
        wall, front = model.rigid_walls[number], fronts[number]
        record["number"], record["first_node"], record["last_node"] = number, place, place + len(rows)
        fill_wall(record, wall, points)
        n_bodies = first["body"][s + 1] - first["body"][s] if first["row"][s + 1] > first["row"][s] else 0
        for node, row in zip(nodes[place : place + len(rows)], rows.tolist(), strict=True):
            fill_node(node, row, wall, points)
            node["in_front"] = front[row]
            node["first_reply"] = replies
            replies += 3 * n_bodies
        place += len(rows)
    return Walls(walls, nodes, np.zeros((replies, 6)), np.zeros((len(bodies), 6)), np.zeros(n)), starts


def nodes_by_subsystem(nodes: Ints, subsystem: Ints) -> list[tuple[int, Ints]]:
    """Each subsystem with its nodes, (n,) of which subsystem (n,) tells; without those that do not move."""
    nodes, subsystem = nodes[subsystem >= 0], subsystem[subsystem >= 0]
    order = np.argsort(subsystem, kind="stable")
    groups, starts = np.unique(subsystem[order], return_index=True)
    ends = [*starts[1:].tolist(), len(nodes)]
    return [(int(s), nodes[order[a:b]]) for s, a, b in zip(groups, starts, ends, strict=False)]


def fill_wall(record: Record, wall: RigidWall, points: Records) -> None:
    """Geometry and behaviour."""
    record["kind"], record["mode"], record["penalty"] = KINDS[wall.kind], MODES[wall.mode], wall.penalty
    record["axis"], record["radius"], record["friction"] = wall.normal, wall.radius, wall.friction
    if wall.kind == "PARAL":
        record["across"] = np.linalg.pinv(wall.sides).T
    if wall.node >= 0:
        record["carrier"] = points[["body", "arm"]][wall.node]
        record["arm"] = record["carrier"]["arm"]


def fill_node(node: Record, row: int, wall: RigidWall, points: Records) -> None:
    """The body of a node, and where it stands."""
    node["node"], node["point"] = row, points[["body", "arm"]][row]
    node["arm"] = node["point"]["arm"]
    node["start"] = points["origin"][row] - wall.point


def in_front(wall: RigidWall, model: Model) -> NDArray[np.bool_]:
    """(n,) whether nodes stand in front of a wall at t = 0, or as good as on it; False beside a parallelogram."""
    return distance_to(wall, model) >= -ON_WALL * max(1.0, float(np.linalg.norm(wall.sides)))


def set_penalty_stiffness(walls: Walls, bodies: Records, dt: float) -> None:
    """Let penalty walls be as stiff as a step resolves: all their nodes together bounce in 20 steps or more."""
    frequency = math.pi / (STEPS_PER_BOUNCE * dt)
    for wall in walls.walls:
        if not wall["penalty"]:
            continue
        wall["damping_time"] = 2.0 * DAMPING / frequency
        nodes = walls.nodes[wall["first_node"] : wall["last_node"]]
        carried = most_response(bodies, wall["carrier"]) * len(nodes)
        own = np.array([most_response(bodies, point) for point in nodes["point"]])
        for k, body in enumerate(nodes["point"]["body"]):
            total = own[nodes["point"]["body"] == body].sum() + carried
            nodes["stiffness"][k] = frequency**2 / total if total > 0.0 else 0.0


def most_response(bodies: Records, point: Record) -> float:
    """No less than the velocity of a point of a body for a unit force there."""
    body, arm = bodies[point["body"]], point["arm"]
    return float(body["inverse_mass"] + np.linalg.norm(body["inverse_inertia"], 2) * (arm @ arm))
