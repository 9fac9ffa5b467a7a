"""What may be wrong with a /DRIVE, before the run and during it, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from gsolve.parser.model import Drive, Function, Model, Units
from gsolve.parser.text import expressions
from gsolve.parser.text.diagnostics import Diagnostic
from gsolve.parser.text.expressions import ExpressionProgram

from ..constraints.drive_setup import DrivePlace, name_of
from ..constraints.drives import JUMPED, SMOOTH, coordinate_of
from ..constraints.motion_law import JUMP
from ..core.bodies import Floats, Records
from ..core.functions import FunctionTables, build_function_tables, value, value_and_derivatives
from ..core.unit_names import energy_unit, unit
from ..core.windows import window_of_motion

if TYPE_CHECKING:
    from .assembly import Assembly

STRAIGHT = 1e-9  # relative difference of slopes that is no kink
LOOKS = 2001  # times at which a function is looked at
HALVINGS = 40  # of the time between two looks, to find a kink
QUANTITY = {"DIST": "distance", "TRA": "displacement", "ROT": "angle"}
SWITCHING = (expressions.ABS, expressions.MIN, expressions.MAX)


# ---- kinks ---------------------------------------------------------------------------------------------------


def warn_of_kinks(model: Model, t_end: float) -> list[Diagnostic]:
    """A position that follows a function whose slope jumps has infinite accelerations there."""
    warnings = []
    for drive in model.drives:
        function = model.functions[drive.function_id]
        if drive.level != 0:
            continue
        if function.kind == "TABLE" and (kink := first_kink(function)) is not None:
            law = f"the straight lines of /FUNCT/{function.id} changes its speed at once at every point"
            law += f" (the first is x = {kink:.6g})"
            hint = "write /FUNCT_SMOOTH in place of /FUNCT, give a /FUNCT_EXPR, or drive the velocity (Ilevel 1)"
        elif (time := first_switch(model, drive, t_end)) is not None:
            law = f"/FUNCT_EXPR/{function.id} changes its speed at once where abs, min or max takes its other branch"
            law += f" (the first time at t = {time:.6g} {model.units.time})"
            hint = "join the branches by step(t, t0, y0, t1, y1), which is smooth, or drive the velocity (Ilevel 1)"
        else:
            continue
        warnings.append(
            drive.where.diagnose(
                "warning",
                f"a position that follows {law}: the effort is infinite there, and grows as the time step shrinks",
                field="fct_ID",
                found=str(function.id),
                allowed="a function with a continuous slope",
                hint=hint,
            )
        )
    return warnings


def first_kink(function: Function) -> float | None:
    """Abscissa at which a piecewise-linear function first changes its slope."""
    if len(function.x) < 3:
        return None
    slopes = np.diff(function.y) / np.diff(function.x)
    kinks = np.flatnonzero(np.abs(np.diff(slopes)) > STRAIGHT * np.abs(slopes).max())
    return float(function.x[kinks[0] + 1]) if len(kinks) else None


def first_switch(model: Model, drive: Drive, t_end: float) -> float | None:
    """Time at which the slope of an expression with abs, min or max first jumps while the drive acts."""
    program = model.functions[drive.function_id].program
    if not isinstance(program, ExpressionProgram) or not np.isin(SWITCHING, program.opcodes).any():
        return None
    tables, index_of = build_function_tables(model)
    index = index_of[drive.function_id]
    start, stop, origin = window_of_motion(drive, model)
    start, stop = max(0.0, start), min(t_end, stop)
    if not stop > start:
        return None

    def slope(t: float) -> float:
        return float(value_and_derivatives(tables, index, (t - origin) / drive.x_scale)[1])

    margin = STRAIGHT * (stop - start)  # a kink where the drive begins or ends is none
    times = np.linspace(start + margin, stop - margin, LOOKS)
    slopes = np.array([slope(float(t)) for t in times])
    size = float(np.abs(slopes[np.isfinite(slopes)]).max(initial=0.0))
    # where a slope changes smoothly, its change shrinks with the time between two looks
    for k in np.flatnonzero(np.abs(np.diff(slopes)) > STRAIGHT * size):
        low, high, slope_low, slope_high = float(times[k]), float(times[k + 1]), slopes[k], slopes[k + 1]
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            slope_middle = slope(middle)
            if not abs(slope_high - slope_low) > STRAIGHT * size:
                break
            if abs(slope_middle - slope_low) > abs(slope_high - slope_middle):
                high, slope_high = middle, slope_middle
            else:
                low, slope_low = middle, slope_middle
        if abs(slope_high - slope_low) > STRAIGHT * size:
            return high
    return None


def warn_of_doubles(model: Model) -> list[Diagnostic]:
    """Two drives that hold the same coordinate at the same time ask for the same, or for the impossible."""
    warnings = []
    earlier: dict[tuple[str, frozenset[int]], list[Drive]] = {}
    for drive in model.drives:
        alike = earlier.setdefault((drive.kind, frozenset((drive.node_i, drive.node_j))), [])
        for other in alike:
            along = drive.kind == "DIST" or abs(abs(float(drive.axis @ other.axis)) - 1.0) < STRAIGHT
            if along and act_together(model, drive, other):
                warnings.append(
                    drive.where.diagnose(
                        "warning",
                        f"{name_of(other)} drives the same coordinate at the same time: where they ask for different "
                        "values the run ends",
                        field="node_j",
                        hint="keep one of them, or give them windows (Tstart, Tstop) that do not overlap",
                    )
                )
        alike.append(drive)
    return warnings


def act_together(model: Model, drive: Drive, other: Drive) -> bool:
    """Whether the windows of two drives overlap by more than a moment."""
    (start, stop, _), (start_other, stop_other, _) = window_of_motion(drive, model), window_of_motion(other, model)
    return max(start, start_other) < min(stop, stop_other)


# ---- before the run ------------------------------------------------------------------------------------------


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


# ---- during the run ------------------------------------------------------------------------------------------


def refused_in_run(assembly: Assembly, jumps: bool, row: int, where: str) -> str:
    """Why a drive or an imposed displacement cannot go on from where it is; no shorter step would help.

    jumps : it took hold at a value that its coordinate does not have; else its distance is zero, or is to be
    where : step and time
    """
    system, units, name = assembly.system, assembly.model.units, assembly.row_names[row]
    place = next((place for place in assembly.places.drives if place.row == row), None)
    if place is None:
        block = assembly.row_wheres[row]
        return (
            f"{name} ({block.file}:{block.line}) takes hold {where} at a displacement from the place at t = 0 that "
            "the node does not have: a position cannot jump; hold the node until then, or impose the velocity (/IMPVEL)"
        )
    drive, record = place.drive, system.drives[place.index]
    quantity = coordinate_text(assembly, drive)
    of = "rad" if drive.kind == "ROT" else unit(units, length=1)
    is_now = float(coordinate_of(record, system.joints[place.joint]))
    source = f"{name} ({drive.where.file}:{drive.where.line})"
    if not jumps and not is_now > JUMP * system.rows["scale"][row]:
        return f"{source} cannot act {where}: {quantity} is {is_now:.6g} {of}, which has no direction"
    asked = float(record["held"] + record["target"])
    if not jumps:
        asked += float(record["target_step"])
        return f"{source} asks for the distance {asked:.6g} {of} {where}: distances stay positive"
    by = f", switched on by sensor {drive.sensor_id}," if drive.sensor_id else ""
    hint = (
        "let the function be added to the value at that time (Iref 0)"
        if drive.absolute
        else "start the function at 0, as it is added to the value at that time (Iref 0)"
    )
    return (
        f"{source}{by} takes hold {where}, where {quantity} is {is_now:.6g} {of} and the function asks for {asked:.6g} "
        f"{of}: a position cannot jump; {hint}, or drive the velocity (Ilevel 1)"
    )


def coordinate_text(assembly: Assembly, drive: Drive) -> str:
    """What a drive drives, with its nodes."""
    ids = assembly.model.nodes.ids
    first, second = (f"node {ids[node]}" if node >= 0 else "the ground" for node in (drive.node_i, drive.node_j))
    return f"the {QUANTITY[drive.kind]} of {second} {'from' if drive.kind != 'ROT' else 'relative to'} {first}"


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
            f"{record['jump_loss']:.6g} {energy_unit(units)} were lost to the impact (impact_loss)"
        )
    return messages
