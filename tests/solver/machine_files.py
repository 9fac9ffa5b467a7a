"""Result files with a machine and frames that a test chooses, written as docs/results.md says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from gsolve.solver.results.machine_tables import TABLES

NO_TURN = (1.0, 0.0, 0.0, 0.0)


def add_machine(
    path: Path,
    tables: Mapping[str, list[dict[str, Any]]],
    times: np.ndarray,
    position: np.ndarray,
    quaternion: np.ndarray,
) -> None:
    """Write /model and /th/body into a result file.

    tables : rows by table; columns that are left out are zeros or "", a quaternion is no turn
    times (nf,), position (nf, nb, 3), quaternion (nf, nb, 4)
    """
    with h5py.File(path, "a") as file:
        model = file.create_group("model")
        for name, rows in tables.items():
            columns = TABLES[name]
            kinds = [(c.name, h5py.string_dtype() if c.kind == "O" else c.kind, c.shape) for c in columns]
            records = np.zeros(len(rows), dtype=kinds)
            for k, row in enumerate(rows):
                for column in columns:
                    default = NO_TURN if column.name == "quaternion" else "" if column.kind == "O" else 0
                    records[column.name][k] = row.get(column.name, default)
            model[name] = records
        group = file.create_group("th/body")
        group["time"] = times
        group["id"] = [row["id"] for row in tables["body"]]
        group["name"] = [row["name"] for row in tables["body"]]
        for axis, name in enumerate(("X", "Y", "Z")):
            group[name] = position[:, :, axis]
        for k in range(4):
            group[f"Q{k}"] = quaternion[:, :, k]
        for name, dataset in group.items():
            dataset.attrs["long_name"] = name
            if name not in ("id", "name"):
                dataset.attrs["units"] = "s" if name == "time" else "1" if name.startswith("Q") else "m"


def turning(angles: np.ndarray) -> np.ndarray:
    """(n, 4) quaternions of turns about z."""
    return np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], axis=1)


def wheel_and_ball(path: Path, *, frames: int = 21, turns: float = 0.5) -> None:
    """Into a result file: a wheel that turns about z at the origin, and a ball that goes along x at y = 1.

    The wheel (body 0, /RBODY 1, node 1) is a cylinder of radius 0.5; the ball (body 1, node 2) has radius 0.2 and goes
    from x = 0 to x = 1. Joint 5 is the axis of the wheel, spring 6 holds the ball to it.
    """
    times = np.linspace(0.0, 1.0, frames)
    position = np.zeros((frames, 2, 3))
    position[:, 1] = np.stack([times, np.ones(frames), np.zeros(frames)], axis=1)
    still = np.tile(NO_TURN, (frames, 1))
    quaternion = np.stack([turning(2 * np.pi * turns * times), still], axis=1)
    tables = {
        "body": [
            {"id": 1, "name": "wheel", "rbody": 1, "mass": 2.0, "inertia": (1, 1, 2, 0, 0, 0)},
            {"id": 2, "name": "ball <b>", "mass": 1.0, "centre": (0, 1, 0)},
        ],
        "node": [{"id": 1, "body": 0}, {"id": 2, "body": 1}, {"id": 3, "body": -1}],
        "solid": [
            {"id": 1, "name": "rim", "kind": "CYLINDER", "node": 0, "body": 0, "dimensions": (0.5, 0.2, 0)},
            {"id": 2, "name": "ball", "kind": "SPHERE", "node": 1, "body": 1, "dimensions": (0.2, 0, 0)},
        ],
        "joint": [
            {"id": 5, "name": "axle", "kind": "REVOLUTE", "node_i": 2, "node_j": 0, "axis_i": (0, 0, 1),
             "axis_j": (0, 0, 1), "length": np.nan},
        ],
        "spring": [{"id": 6, "name": "spring", "kind": "TYPE4", "node_1": 0, "node_2": 1}],
        "inter": [{"id": 7, "name": "touch", "law": "IMPACT"}],
        "member": [
            {"inter": 0, "side": 1, "solid": 0, "curve": -1, "mesh": -1},
            {"inter": 0, "side": 2, "solid": 1, "curve": -1, "mesh": -1},
        ],
    }  # fmt: skip
    add_machine(path, tables, times, position, quaternion)
