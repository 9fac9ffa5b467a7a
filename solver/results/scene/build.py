"""The scene of a result file: its machine, drawn, and the box that it moves in."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints
from ..machine_tables import GROUND, Frames, MachineTables
from .bodies import add_joints, add_links, add_shapes, add_sticks
from .collection import Collection
from .gears import add_gears
from .parts import UPRIGHT, Scene
from .poses import turned
from .walls import add_walls

FRAMES_LOOKED_AT = 50  # for the box of the motion


def scene_of(machine: MachineTables, frames: Frames) -> Scene:
    """All that is drawn of a machine.

    Parameters
    ----------
    machine : tables of a result file
    frames : its poses, which say how far endless walls are drawn
    """
    collection = Collection(machine, _size(machine))
    add_shapes(collection)
    add_gears(collection)
    add_sticks(collection)
    add_joints(collection)
    add_links(collection)
    bounds = _bounds(collection, frames)
    add_walls(collection, bounds)
    return Scene(collection.shapes, collection.parts, collection.links, collection.size, bounds, machine.up)


def _size(machine: MachineTables) -> float:
    """Diagonal of the box of bodies, their nodes and shapes as drawn; of a point that of its inertia, else 1."""
    moving = machine.node.body != GROUND
    points = [machine.body.centre, machine.node.position[moving] + _drawn(machine, machine.node.body[moving])]
    reaches = [
        (machine.solid, np.where(machine.solid.kind == "PLANE", 0.0, np.linalg.norm(machine.solid.dimensions, axis=1))),
        (machine.mesh, np.array([_reach(machine.surface(k)[0]) for k in range(len(machine.mesh))])),
        (machine.curve, np.array([_reach(machine.outline(k)) for k in range(len(machine.curve))])),
    ]
    for table, reach in reaches:
        seen = reach > 0.0
        centres = table.position[seen] + _drawn(machine, table.body[seen])
        points += [centres - reach[seen, None], centres + reach[seen, None]]
    everything = np.concatenate(points)
    size = float(np.linalg.norm(np.ptp(everything, axis=0))) if len(everything) else 0.0
    if size > 0.0:
        return size
    massive = machine.body.mass > 0.0
    gyration = machine.body.inertia[massive, :3].max(axis=1, initial=0.0) / machine.body.mass[massive]
    return 2.0 * float(np.sqrt(gyration.max(initial=0.0))) or 1.0


def _reach(points: Floats) -> float:
    """Distance of the farthest point from the origin."""
    return float(np.linalg.norm(points, axis=1).max(initial=0.0))


def _drawn(machine: MachineTables, bodies: Ints) -> Floats:
    """(n, 3) where bodies are drawn; the ground at the origin."""
    found: Floats = np.concatenate([machine.body.centre, np.zeros((1, 3))])[bodies]
    return found


def _bounds(collection: Collection, frames: Frames) -> Floats:
    """(2, 3) box of all parts and links, at frames of the run."""
    parts, links = collection.parts, collection.links
    if not parts and not links:
        return np.array([-np.ones(3), np.ones(3)]) * 0.5 * collection.size
    bodies = np.concatenate([np.repeat([part.body for part in parts], 8), *(link.bodies for link in links)]).astype(int)
    points = np.concatenate([*map(collection.corners, parts), *(link.points for link in links)])
    lows, highs = [], []
    for k in sorted(set(np.linspace(0, len(frames.time) - 1, FRAMES_LOOKED_AT).astype(int).tolist())):
        positions = np.concatenate([frames.position[k], np.zeros((1, 3))])[bodies]
        quaternions = np.concatenate([frames.quaternion[k], UPRIGHT[None]])[bodies]
        places = positions + turned(quaternions, points)
        lows.append(places.min(axis=0))
        highs.append(places.max(axis=0))
    return np.stack([np.min(lows, axis=0), np.max(highs, axis=0)])
