"""Reader of the machine of a run: /model and the frames of a result file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..core.bodies import Floats
from .files import OutputError
from .hdf5 import opened
from .machine_tables import TABLES, Frames, MachineTables, table_of

GROUP, FRAMES = "model", "th/body"
POSITION, QUATERNION = ("X", "Y", "Z"), ("Q0", "Q1", "Q2", "Q3")


def read_machine(path: Path) -> MachineTables:
    """The machine of a result file.

    Raises
    ------
    OutputError
        the file has none, as those of an older gsolve
    """
    with opened(path) as file:
        return machine_of(file, path)


def read_frames(path: Path) -> Frames:
    """Poses of the bodies of a result file.

    Raises
    ------
    OutputError
        the file has none: it is one of an older gsolve, or its run was asked for none
    """
    with opened(path) as file:
        return frames_of(file, path)


def machine_of(file: h5py.File, path: Path) -> MachineTables:
    """As `read_machine`, of a file that is open."""
    if GROUP not in file:
        raise OutputError(f"{path} does not know its machine (/model), as it was made by an older gsolve: run it again")
    return MachineTables(**{name: table_of(name, _columns(file[GROUP], name)) for name in TABLES})


def _columns(group: h5py.Group, name: str) -> dict[str, Any]:
    if name not in group:
        return {}
    records = group[name][()]
    return {
        column.name: [text.decode() for text in records[column.name]] if column.kind == "O" else records[column.name]
        for column in TABLES[name]
        if column.name in records.dtype.names
    }


def frames_of(file: h5py.File, path: Path) -> Frames:
    """As `read_frames`, of a file that is open: of a run that goes on, the frames up to now."""
    if FRAMES not in file:
        why = "its run was asked for none (--frames off)" if GROUP in file else "it was made by an older gsolve"
        raise OutputError(f"{path} has no frames (/th/body): {why}; run it again")
    group = file[FRAMES]
    time = group["time"][:]

    def together(names: tuple[str, ...]) -> Floats:
        return np.stack([group[name][: len(time)] for name in names], axis=2)

    return Frames(time, together(POSITION), together(QUATERNION))
