"""/DRIVE of the model: its joint without rows, its relation with one term, its law; and what may be wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from gsolve.parser.diagnostics import Diagnostic
from gsolve.parser.model import Drive, Function, Model, Units

from .drives import DRIVE, JUMPED, SMOOTH, coordinate_of
from .functions import FunctionTables, value
from .joints import DISTANCE, NO_ANGLE, NO_SLIDE, TRAVEL, TWIST
from .motion_law import ACCELERATION, DISPLACEMENT, JUMP, VELOCITY, MotionLaw, window_of
from .row_set import RowSet
from .state import Floats, Records
from .units import unit

KIND_OF_LEVEL = (DISPLACEMENT, VELOCITY, ACCELERATION)
Z_AXIS = np.array([0.0, 0.0, 1.0])  # of the triad of a distance drive, which needs none
DRIVEN = {"DIST": (NO_ANGLE, DISTANCE), "TRA": (NO_ANGLE, TRAVEL), "ROT": (TWIST, NO_SLIDE)}
STRAIGHT = 1e-9  # relative difference of slopes that is no kink
LOOKS = 2001  # times at which the function of a distance is looked at
QUANTITY = {"DIST": "distance", "TRA": "displacement", "ROT": "angle"}


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
        joint = row_set.joints.add("NONE", bodies, arm, axis, scale, place=place, coordinates=DRIVEN[drive.kind])
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
        window=window_of(drive.t_start, drive.t_stop, model.sensors.get(drive.sensor_id)),
        absolute=drive.absolute,
    )


def warn_of_kinks(model: Model) -> list[Diagnostic]:
    """A position that follows straight lines has infinite accelerations where they meet."""
    warnings = []
    for drive in model.drives:
        function = model.functions[drive.function_id]
        kink = first_kink(function) if drive.level == 0 else None
        if kink is not None:
            warnings.append(
                drive.where.diagnose(
                    "warning",
                    f"a position that follows the straight lines of /FUNCT/{function.id} changes its speed at once at "
                    f"every point (the first is x = {kink:.6g}): the effort is infinite there, and grows as the time "
                    "step shrinks",
                    field="fct_ID",
                    found=str(function.id),
                    allowed="a function with a continuous slope",
                    hint="write /FUNCT_SMOOTH in place of /FUNCT, give a /FUNCT_EXPR, or drive the velocity (Ilevel 1)",
                )
            )
    return warnings


def first_kink(function: Function) -> float | None:
    """Abscissa at which a piecewise-linear function first changes its slope."""
    if function.kind != "TABLE" or len(function.x) < 3:
        return None
    slopes = np.diff(function.y) / np.diff(function.x)
    kinks = np.flatnonzero(np.abs(np.diff(slopes)) > STRAIGHT * np.abs(slopes).max())
    return float(function.x[kinks[0] + 1]) if len(kinks) else None


def refused_drives(
    model: Model, places: Iterable[DrivePlace], drives: Records, joints: Records, tables: FunctionTables, t_end: float,
    close_gaps: bool,
) -> list[Diagnostic]:  # fmt: skip
    """Errors of position drives that can be seen before the run: a jump at t = 0, a distance that is not positive.

    close_gaps : the machine is moved to where absolute drives start
    """
    errors = []
    for place in places:
        drive, record = place.drive, drives[place.index]
        if drive.level != 0:
            continue
        length = "rad" if drive.kind == "ROT" else unit(model.units, length=1)
        start = float(coordinate_of(record, joints[place.joint]))
        if record["t_start"] <= 0.0 <= record["t_stop"] and not (drive.absolute and close_gaps):
            wanted = target_at(record, tables, 0.0) + (0.0 if drive.absolute else start)
            if abs(wanted - start) > JUMP * max(1.0, abs(start), abs(drive.y_scale)):
                errors.append(jump_at_start(drive, wanted, start, length))
                continue
        if drive.kind == "DIST" and drive.absolute:
            t = first_non_positive(record, tables, t_end)
            if t is not None:
                asked = f"{target_at(record, tables, t):.6g} {length} at t = {t:.6g} {model.units.time}"
                errors.append(
                    drive.where.diagnose(
                        "error",
                        f"the distance must stay positive, and the function asks for {asked}",
                        field="fct_ID",
                        found=asked,
                        allowed="values above 0 from Tstart to Tstop",
                        hint="nodes that meet have no direction to be driven in: use a TRA drive through zero",
                    )
                )
    return errors


def jump_at_start(drive: Drive, wanted: float, start: float, length: str) -> Diagnostic:
    quantity = QUANTITY[drive.kind]
    added = wanted - start
    if drive.absolute:
        problem = f"the drive asks for the {quantity} {wanted:.6g} {length} at t = 0, where it is {start:.6g} {length}"
        found, allowed = f"{wanted:.6g}", f"f(0) = {start:.6g}"
        hint = "start the function at the value as built, or let it be added to that (Iref 0)"
    else:
        problem = f"the drive adds {added:.6g} {length} to the initial {quantity} at once"
        found, allowed = f"{added:.6g}", "f(0) = 0"
        hint = "the function is added to the initial value: start it at 0, or give the value itself (Iref 1)"
    return drive.where.diagnose("error", problem, field="fct_ID", found=found, allowed=allowed, hint=hint)


def target_at(record: Records, tables: FunctionTables, t: float) -> float:
    """What the function of a drive says at time t."""
    x = (t - record["t_origin"]) / record["x_scale"]
    return float(record["y_scale"] * value(tables, int(record["function"]), x))


def first_non_positive(record: Records, tables: FunctionTables, t_end: float) -> float | None:
    """The first time at which an absolute distance is zero or less, as far as looking at LOOKS times shows it."""
    start, stop = max(0.0, float(record["t_start"])), min(t_end, float(record["t_stop"]))
    times: Floats = np.linspace(start, stop, LOOKS) if stop >= start else np.zeros(0)
    return next((float(t) for t in times if not target_at(record, tables, float(t)) > 0.0), None)


def jump_messages(places: Iterable[DrivePlace], drives: Records, units: Units) -> list[str]:
    """What to say of drives that took hold with an impact since the last call."""
    messages = []
    for place in places:
        record = drives[place.index]
        if record["engagement"] != JUMPED:
            continue
        record["engagement"] = SMOOTH
        rotational = place.drive.kind == "ROT"
        rate = unit(units, time=-1, angle=1) if rotational else unit(units, length=1, time=-1)
        messages.append(
            f"warning: {name_of(place.drive)} took hold at t = {record['engaged_at']:.6g} {units.time} at a rate that "
            f"the machine did not have: the rate changed by {record['rate_jump']:.6g} {rate} in one step, and "
            f"{record['jump_loss']:.6g} {unit(units, mass=1, length=2, time=-2)} were lost to the impact (impact_loss)"
        )
    return messages
