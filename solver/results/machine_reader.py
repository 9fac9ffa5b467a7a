"""Reader of the machine of a run: /model and the frames of a result file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import h5py
import numpy as np

from ..core.bodies import Floats
from ..core.channels import Family
from .files import OutputError
from .machine_tables import TABLES, Frames, MachineTables, table_of

GROUP, FRAMES = "model", "th/body"
POSITION, QUATERNION = ("X", "Y", "Z"), ("Q0", "Q1", "Q2", "Q3")


class FrameSource(Protocol):
    """Where frames come from: `HistoryReader` or `MemoryHistory`."""

    @property
    def path(self) -> Path | None: ...

    frames: Family | None

    def frame_times(self) -> Floats: ...

    def values(self, group: str, variable: str) -> Floats: ...


def machine_of(file: h5py.File, path: Path) -> MachineTables:
    """The machine of a result file that is open.

    Raises
    ------
    OutputError
        the file has none, as those of an older gsolve
    """
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


def frames_of(source: FrameSource) -> Frames:
    """Poses of all bodies.

    Raises
    ------
    OutputError
        there are none: it is the file of an older gsolve, or the run was asked for none
    """
    if source.frames is None:
        raise OutputError(
            f"{source.path or 'this run'} has no frames (/th/body): it was run with --frames off, or an older gsolve "
            "made it; run it again"
        )

    def together(names: tuple[str, ...]) -> Floats:
        return np.stack([source.values(FRAMES, name) for name in names], axis=2)

    return Frames(source.frame_times(), together(POSITION), together(QUATERNION))
