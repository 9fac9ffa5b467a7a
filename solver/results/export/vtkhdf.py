"""VTKHDF: surfaces in motion as ParaView and VTK read them, version 2.0 of the format, PolyData with steps.

Triangles stand in the file once; points are those of each frame, as doubles, in the units of the deck.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats, Ints
from ..machine_tables import MachineTables
from ..scene.forces import ContactForces
from ..scene.motion import SceneMotion
from ..scene.parts import KINDS, LINK_KINDS
from .outputs import new_file

CELLS = ("Vertices", "Lines", "Polygons", "Strips")
NO_CELLS: Ints = np.zeros((0, 1), dtype=np.int64)


def write_scene(motion: SceneMotion, machine: MachineTables, path: Path) -> None:
    """Write bodies as triangles with the id of their body (0 of the ground), the kind and number of their part."""
    with new_file(path) as part, h5py.File(part, "w") as file:
        root = _new_root(file, motion.frames.time, {"Polygons": motion.triangles}, motion.count)
        cells = _cell_facts(motion, machine)
        for name, values in cells.items():
            root.create_dataset(f"CellData/{name}", data=values)
            _no_offsets(root, f"CellDataOffsets/{name}")
        _add_names(root, motion)
        points = _growing(root, "Points", len(motion.frames.time) * motion.count)
        for k in range(len(motion.frames.time)):
            points[k * motion.count : (k + 1) * motion.count] = motion.points(k)


def write_forces(forces: ContactForces, times: Floats, path: Path) -> None:
    """Write contact forces as vectors at points."""
    count = len(forces.names)
    with new_file(path) as part, h5py.File(part, "w") as file:
        root = _new_root(file, times, {"Vertices": np.arange(count)[:, None]}, count)
        root.create_dataset("Points", data=forces.point.reshape(-1, 3))
        vectors = {
            "force": forces.normal + forces.friction,
            "normal_force": forces.normal,
            "friction_force": forces.friction,
        }
        for name, values in vectors.items():
            root.create_dataset(f"PointData/{name}", data=values.reshape(-1, 3))
            root.create_dataset(f"Steps/PointDataOffsets/{name}", data=count * np.arange(len(times)))
        root.create_dataset("PointData/interface", data=forces.interfaces)
        _no_offsets(root, "PointDataOffsets/interface")


def _new_root(file: h5py.File, times: Floats, cells: dict[str, Ints], count: int) -> h5py.Group:
    """The group of the format with all but the points: cells that every step has, and where each finds its own."""
    root = file.create_group("VTKHDF", track_order=True)
    root.attrs["Version"] = np.array([2, 0], dtype=np.int64)
    root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", len("PolyData")))
    root.create_dataset("NumberOfPoints", data=np.array([count], dtype=np.int64))
    for kind in CELLS:
        corners = cells.get(kind, NO_CELLS)
        group = root.create_group(kind)
        group.create_dataset("NumberOfConnectivityIds", data=np.array([corners.size], dtype=np.int64))
        group.create_dataset("NumberOfCells", data=np.array([len(corners)], dtype=np.int64))
        group.create_dataset("Offsets", data=corners.shape[1] * np.arange(len(corners) + 1, dtype=np.int64))
        group.create_dataset("Connectivity", data=corners.ravel().astype(np.int64))
    steps = root.create_group("Steps")
    number = len(times)
    steps.attrs["NSteps"] = number
    steps.create_dataset("Values", data=times)
    steps.create_dataset("PartOffsets", data=np.zeros(number, dtype=np.int64))
    steps.create_dataset("NumberOfParts", data=np.ones(number, dtype=np.int64))
    steps.create_dataset("PointOffsets", data=count * np.arange(number, dtype=np.int64))
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps.create_dataset(name, data=np.zeros((number, len(CELLS)), dtype=np.int64))
    return root


def _no_offsets(root: h5py.Group, name: str) -> None:
    """Each step has the same values."""
    number = int(root["Steps"].attrs["NSteps"])
    root.create_dataset(f"Steps/{name}", data=np.zeros(number, dtype=np.int64))


def _growing(root: h5py.Group, name: str, count: int) -> h5py.Dataset:
    return root.create_dataset(name, shape=(count, 3), dtype=np.float64)


def _cell_facts(motion: SceneMotion, machine: MachineTables) -> dict[str, NDArray[Any]]:
    """Facts of each triangle: id of the body, kind by its number in `part_kinds`, part by its number."""
    scene = motion.scene
    ids = np.append(machine.body.id, 0)
    kinds = [*KINDS, *LINK_KINDS]
    bodies = [ids[part.body] for part in scene.parts] + [ids[link.bodies[0]] for link in scene.links]
    numbers = [kinds.index(item.kind) for item in scene.items]
    return {
        "body": np.array(bodies, dtype=np.int64)[motion.item],
        "kind": np.array(numbers, dtype=np.int64)[motion.item],
        "part": motion.item.astype(np.int64),
        "mark": motion.tone.astype(np.int64),
    }


def _add_names(root: h5py.Group, motion: SceneMotion) -> None:
    """Texts for readers of the file: VTK leaves these attributes alone."""
    texts = h5py.string_dtype("utf-8")
    root.attrs.create("part_kinds", [*KINDS, *LINK_KINDS], dtype=texts)
