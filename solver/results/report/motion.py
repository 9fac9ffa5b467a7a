"""The frames of a run, its contact forces and what holds its bodies, as the page needs them."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

from ...core.bodies import Floats
from ..machine_tables import GROUND, Frames, MachineTables
from .packing import Pack

MOST_POSES = 400_000  # of all bodies in all frames
STEPS = 65535  # of the range of a coordinate: 16 bits
UNIT = 32767  # of a quaternion
MOST_ARROWS = 300
TURN_TO_SEE = np.pi / 2  # between two frames; a wheel that turns farther seems to stand or to turn back


def pack_frames(frames: Frames, pack: Pack) -> dict[str, Any]:
    """Poses as whole numbers of 16 bits: places in the range of each body, quaternions in 1/32767."""
    count, bodies = frames.position.shape[:2]
    every = max(1, -(-count * bodies // MOST_POSES))
    kept = np.unique(np.append(np.arange(0, count, every), count - 1)) if count else np.arange(0)
    position, quaternion = frames.position[kept], continuous(frames.quaternion[kept])
    least = position.min(axis=0, initial=np.inf)
    step = (position.max(axis=0, initial=-np.inf) - least) / STEPS
    level = np.where(step > 0.0, (position - least) / np.where(step > 0.0, step, 1.0), 0.0)
    return {
        "time": pack.add(frames.time[kept], "f8"),
        "bodies": bodies,
        "in_file": count,
        "least": pack.add(least, "f8"),
        "step": pack.add(step, "f8"),
        "position": pack.add(np.round(level) - (STEPS + 1) // 2, "i2"),
        "quaternion": pack.add(np.round(quaternion * UNIT), "i2"),
    }


def continuous(quaternion: Floats) -> Floats:
    """(nf, nb, 4) of the same turns, with signs such that none jumps from a frame to the next."""
    flips = np.sum(quaternion[1:] * quaternion[:-1], axis=2) < 0.0
    signs = np.where(np.cumsum(flips, axis=0) % 2, -1.0, 1.0)
    return np.concatenate([quaternion[:1], quaternion[1:] * signs[:, :, None]])


def fastest_turn(file: h5py.File, frame_times: Floats) -> float:
    """The angle between two frames, of what turns fastest in the histories [rad]; 0 where nothing is known."""
    if len(frame_times) < 2:
        return 0.0
    largest = 0.0
    for family in ("gjoint", "joint", "node", "rbody", "coupler", "drive"):
        for dataset in file.get(f"th/{family}", {}).values():
            unit = dataset.attrs.get("units", "")
            if unit.startswith("rad/") and not unit.endswith("2"):
                largest = max(largest, float(np.nanmax(np.abs(dataset[:]), initial=0.0)))
    return largest * float(np.max(np.diff(frame_times)))


def pack_arrows(file: h5py.File, times: Floats, pack: Pack) -> dict[str, Any] | None:
    """Contact forces: on side i of each interface, or of each pair of bodies where these are written."""
    family = next((name for name in ("inter_pairs", "inter") if f"th/{name}/FNX" in file), None)
    if family is None:
        return None
    group = file[f"th/{family}"]
    count = len(times)
    ids = group["id"][:MOST_ARROWS]

    def vectors(names: tuple[str, ...]) -> Floats:
        return np.stack([group[name][:count, :MOST_ARROWS] for name in names], axis=2)

    force = vectors(("FNX", "FNY", "FNZ"))
    if "FTX" in group:
        force = force + vectors(("FTX", "FTY", "FTZ"))
    size = np.nan_to_num(np.linalg.norm(force, axis=2))
    acting = np.nonzero(size.max(axis=0, initial=0.0) > 0.0)[0]
    if not len(acting):
        return None
    point = np.nan_to_num(vectors(("PX", "PY", "PZ"))[:, acting])
    force, size = np.nan_to_num(force[:, acting]), size[:, acting]
    names = group["name"].asstr()[:MOST_ARROWS]
    largest = float(size.max())
    kept = _busy_samples(size, MOST_POSES // (2 * len(acting)))
    return {
        "family": family,
        "ids": [int(ids[k]) for k in acting],
        "names": [str(names[k]) for k in acting],
        "unit": str(group["FNX"].attrs["units"]),
        "largest": largest,
        "usual": float(np.median(size[size > 1e-6 * largest])),
        "left": len(group["id"]) - len(ids),
        "samples": count,
        "time": pack.add(times[kept], "f8"),
        "point": pack.add(point[kept], "f4"),
        "force": pack.add(force[kept], "f4"),
    }


def _busy_samples(size: Floats, most: int) -> Any:
    """Samples to keep: all, or of each bundle the one with the largest force."""
    count = len(size)
    if count <= most:
        return np.arange(count)
    bundles = np.array_split(np.arange(count), max(1, most))
    largest = size.max(axis=1)
    return np.array([bundle[np.argmax(largest[bundle])] for bundle in bundles])


def held_by(machine: MachineTables) -> list[list[list[Any]]]:
    """Of each body the objects whose histories are its own: [family, id], nodes first."""
    body_of = machine.node.body
    objects: list[dict[tuple[str, int], None]] = [{} for _ in range(len(machine.body))]

    def hold(node: int, family: str, id: int) -> None:
        body = int(body_of[node]) if node >= 0 else GROUND
        if body != GROUND:
            objects[body][family, int(id)] = None

    for body, (rbody, id) in enumerate(zip(machine.body.rbody, machine.body.id, strict=True)):
        if rbody:
            objects[body]["rbody", int(rbody)] = None
        objects[body]["node", int(id)] = None
    for node, id in enumerate(machine.node.id):
        hold(node, "node", id)
    ends = {
        "joint": ("node_i", "node_j"),
        "coupler": ("node_a", "support_a", "node_b", "support_b"),
        "drive": ("node_i", "node_j"),
        "spring": ("node_1", "node_2"),
    }
    for joint in machine.gjoint:
        for node in joint["nodes"]:
            hold(int(node), "gjoint", joint["id"])
    for family, columns in ends.items():
        for item in getattr(machine, family):
            for column in columns:
                hold(int(item[column]), family, item["id"])
    for member in machine.member:
        for kind in ("solid", "curve", "mesh"):
            if member[kind] >= 0:
                body = int(getattr(machine, kind).body[member[kind]])
                if body != GROUND:
                    objects[body]["inter", int(machine.inter.id[member["inter"]])] = None
    return [[[family, id] for family, id in own] for own in objects]
