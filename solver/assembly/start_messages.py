"""Initial velocities that the rows do not allow: which rows they are, and what to say of it."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..constraints.motion_law import FIXED
from ..constraints.redundancy import Redundancy
from ..core.bodies import Floats, Ints, Records
from ..core.unit_names import energy_unit, unit
from ..integration.system import System
from . import initial_kernels as start
from .assembly import Assembly

PROJECTION_WARNING = 1e-6  # relative change of the initial velocities worth a warning
CLOSES = 1e-13  # distance, at unit size, of a row from others that it follows from but for rounding of numbers
NEARLY_ALIGNED = 1e-4  # distance, at unit size, up to which a row may have been meant to follow from others
MOST_NAMES = 8  # of rows in a message


def rows_off(assembly: Assembly) -> Ints:
    """Rows whose rates at t = 0 are not those they ask for, by more than rounding; the worst first, and always."""
    system = assembly.system
    rows = system.rows
    start.measure_rates(system)
    size = np.abs(rows["residual"]) / rows["scale"]
    order = np.argsort(-size, kind="stable")
    count = np.count_nonzero(size > PROJECTION_WARNING * fastest_rate(system))
    return order[: max(1, int(count))]


def is_motion(system: System) -> NDArray[np.bool_]:
    """Which rows (nr,) belong to drives and imposed motions."""
    motion = np.zeros(len(system.rows), dtype=bool)
    motion[system.drives["row"]] = True
    records = system.conditions.records
    motion[records["row"][records["kind"] != FIXED]] = True
    return motion


def projection_warnings(
    assembly: Assembly, velocity: Floats, momentum: Floats, off: Ints, loss: float
) -> list[Diagnostic]:
    """Say so where the initial velocities of the deck violate its joints by more than rounding.

    velocity, momentum : (nb, 3) as the deck has them
    off : what `rows_off` found
    """
    bodies, units = assembly.system.bodies, assembly.model.units
    change = np.abs(bodies["velocity"] - velocity).max(axis=1)
    size = np.abs(velocity).max(initial=0.0)
    spin_before = angular_velocities(bodies, momentum)
    spin_change = np.abs(angular_velocities(bodies, bodies["momentum"]) - spin_before)
    spin_size = np.abs(spin_before).max(initial=0.0)
    # of a machine that only turns the reference points may have no speed but rounding, and the other way round
    extent = float(np.linalg.norm(np.ptp(assembly.model.nodes.coordinates, axis=0)))
    size, spin_size = max(size, spin_size * extent), max(spin_size, size / extent if extent > 0.0 else 0.0)
    worst = max(relative(change.max(initial=0.0), size), relative(spin_change.max(initial=0.0), spin_size))
    if worst <= PROJECTION_WARNING or not len(off):
        return []
    of_translation = relative(change.max(), size) == worst
    body = int(np.argmax(change if of_translation else spin_change.max(axis=1)))
    node = int(assembly.main_node_ids[body])
    speed = unit(units, length=1, time=-1) if of_translation else unit(units, time=-1, angle=1)
    largest = change.max() if of_translation else spin_change.max()
    energy = energy_unit(units)
    changed = f"most at node {node}, by {largest:.6g} {speed}"
    lost = f", of which {loss:.6g} {energy} were lost to the impact" if loss > 0.0 else ""
    work = float(np.sum(assembly.system.subsystems["drive_work"]))
    if work != 0.0:
        moving = is_motion(assembly.system)[off]
        off = off[moving] if moving.any() else off
    names = list(dict.fromkeys(assembly.row_names[row] for row in off))
    if work != 0.0:
        starts, who = ("starts", "it") if len(names) == 1 else ("start", "they")
        message = (
            f"{short_list(names)} {starts} at a speed that the machine does not have; its velocities at t = 0 were "
            f"changed, {changed}; {who} did {work:.6g} {energy} of work on that{lost}"
        )
        hint = "give the machine the initial velocities that go with the motion, or let the motion start from rest"
    else:
        message = (
            f"the initial velocities violate {short_list(names)} and were changed to the nearest consistent ones, "
            f"{changed}; kinetic energy lost: {loss:.6g} {energy}"
        )
        hint = "give every node of a joint the velocity that goes with the others"
    return [assembly.row_wheres[off[0]].diagnose("warning", message, hint=hint)]


def closing_warnings(assembly: Assembly, redundancy: Redundancy) -> list[Diagnostic]:
    """Ratios of gears and couplers that do not quite close round a loop: by how much, and what becomes of it."""
    system, warnings = assembly.system, []
    ratios = np.setdiff1d(system.relations["row"], system.drives["row"])
    for found in (*redundancy.found, *redundancy.weak):
        if found.row not in ratios or found.distance <= CLOSES:
            continue
        others = [other for other in found.partners if other in ratios]
        names = short_list(list(dict.fromkeys(assembly.row_names[other] for other in others)))
        off = f"{assembly.row_names[found.row]} is off by {found.closing:.3g} of what it turns, as {names} turn it"
        if system.rows["left_out"][found.row]:
            slack = system.rows["slack"][found.row]
            result = (
                "the loop turns as these say, and the run ends where that is off by more than "
                f"{slack:.2g} of the row's size and of what it has turned"
            )
        else:
            result = "the loop locks, as gears of these ratios would"
        warnings.append(
            assembly.row_wheres[found.row].diagnose(
                "warning",
                f"the ratios of a loop do not close: {off}; {result}",
                hint="write ratios with all digits, or as expressions of /PARAMETER, so that the loop closes",
            )
        )
    return warnings


def alignment_warnings(assembly: Assembly, redundancy: Redundancy) -> list[Diagnostic]:
    """Joints that would repeat what others say if the deck had more digits, and so take a degree of freedom."""
    system, warnings = assembly.system, {}
    others_than = np.union1d(system.relations["row"], np.flatnonzero(is_motion(system)))
    for found in redundancy.weak:
        if found.distance > NEARLY_ALIGNED or found.row in others_than:
            continue
        name = assembly.row_names[found.row]
        others = dict.fromkeys(assembly.row_names[row] for row in found.partners if assembly.row_names[row] != name)
        warnings[name] = assembly.row_wheres[found.row].diagnose(
            "warning",
            f"a row of {name} nearly follows from {short_list(list(others))}: it is {found.distance:.2g} of its size "
            "apart from what they say, more than the rounding of a deck; it counts as a condition of its own, and "
            "takes a degree of freedom",
            hint="if axes are meant to be parallel or at right angles, write them with more digits",
        )
    return list(warnings.values())


def relative(change: float, size: float) -> float:
    """change / size, infinite where something comes from nothing."""
    if change == 0.0:
        return 0.0
    return change / size if size > 0.0 else math.inf


def angular_velocities(bodies: Records, momentum: Floats) -> Floats:
    """omega (nb, 3) at the positions at hand of momenta (nb, 3)."""
    rotation: Floats = bodies["rotation"]
    own_axes = np.swapaxes(rotation, 1, 2) @ momentum[:, :, None]
    return np.asarray((rotation @ (bodies["inverse_inertia"] @ own_axes))[:, :, 0])


def fastest_rate(system: System) -> float:
    """Largest rate that anything in the machine has or is asked for at t = 0, in machine sizes (or rad) per time."""
    bodies, rows = system.bodies, system.rows
    size = float(rows["scale"].max(initial=0.0)) or 1.0
    spin = angular_velocities(bodies, bodies["momentum"])
    return max(
        float(np.abs(bodies["velocity"]).max(initial=0.0)) / size,
        float(np.abs(spin).max(initial=0.0)),
        float(np.abs(rows["residual"] / rows["scale"]).max(initial=0.0)),
        np.finfo(float).tiny,
    )


def short_list(names: list[str]) -> str:
    """A few names, and how many more."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
