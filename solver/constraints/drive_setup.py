"""/DRIVE of the model: its joint without rows, its relation with one term, its law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Drive, Model
from gsolve.parser.model.joint_types import Angle, Slide

from ..core.bodies import Records
from ..core.windows import window_of_motion
from .drives import DRIVE
from .motion_law import ACCELERATION, DISPLACEMENT, VELOCITY, MotionLaw
from .row_builder import RowSet

KIND_OF_LEVEL = (DISPLACEMENT, VELOCITY, ACCELERATION)
Z_AXIS = np.array([0.0, 0.0, 1.0])  # of the triad of a distance drive, which needs none
DRIVEN = {
    "DIST": (Angle.NO_ANGLE, Slide.DISTANCE),
    "TRA": (Angle.NO_ANGLE, Slide.TRAVEL),
    "ROT": (Angle.TWIST, Slide.NO_SLIDE),
}


@dataclass(slots=True)
class DrivePlace:
    """Where a /DRIVE went: its record, the joint that measures its coordinate, and its row."""

    drive: Drive
    index: int
    joint: int
    row: int


class DriveRows:
    """Adds drives to the rows of a machine and makes their records."""

    def __init__(self, model: Model, row_set: RowSet, function_index: dict[int, int]) -> None:
        self._model, self._row_set, self._function_index = model, row_set, function_index
        self._items: list[dict[str, float]] = []

    def __len__(self) -> int:
        return len(self._items)

    def add(self, drive: Drive, scale: float) -> DrivePlace:
        """The row of a drive in a subsystem of size `scale`."""
        row_set, i, j = self._row_set, drive.node_i, drive.node_j
        bodies = row_set.body_of(i), row_set.body_of(j)
        axis = Z_AXIS if drive.kind == "DIST" else drive.axis
        arm, place = row_set.arm_of(j, i), row_set.arm_of(i, j)
        joint = row_set.joints.measure(DRIVEN[drive.kind], bodies, arm, axis, place=place)
        rotational = drive.kind == "ROT"
        row = row_set.relations.add([(joint, rotational, 1.0)], 1.0 if rotational else scale)
        row_set.name_rows(name_of(drive), drive.where)
        law = law_of(drive, self._model, self._function_index[drive.function_id])
        fields = {"row": row, "joint": joint, "rotational": int(rotational), "distance": int(drive.kind == "DIST")}
        self._items.append(fields | law.fields())
        return DrivePlace(drive, len(self._items) - 1, joint, row)

    def build(self) -> Records:
        drives = np.zeros(len(self._items), DRIVE)
        for name in self._items[0] if self._items else ():
            drives[name] = [item[name] for item in self._items]
        return drives


def name_of(drive: Drive) -> str:
    return f"/DRIVE/{drive.kind}/{drive.id}"


def law_of(drive: Drive, model: Model, function: int) -> MotionLaw:
    return MotionLaw(
        kind=KIND_OF_LEVEL[drive.level],
        function=function,
        scales=(drive.x_scale, drive.y_scale),
        window=window_of_motion(drive, model),
        absolute=drive.absolute,
    )
