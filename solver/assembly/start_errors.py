"""Why a machine cannot start: gaps, drives that jump, motions that contradict each other."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import ImposedMotion
from gsolve.parser.text.diagnostics import DeckError, Diagnostic

from ..constraints.motion_law import JUMP
from ..constraints.redundancy import Redundancy
from ..core.functions import value
from .assembly import Assembly
from .drive_messages import refused_drives
from .joint_gaps import gap_errors
from .start_messages import fastest_rate, short_list

MISFIT = 1e-6  # of the size of the machine (or rad): gaps up to this are the deck's rounding, and closed in silence


def refuse(assembly: Assembly, errors: list[Diagnostic]) -> None:
    """Raises DeckError with the errors, and the warnings before them, if there are any."""
    if errors:
        raise DeckError([*assembly.model.warnings, *assembly.diagnostics, *errors])


def refuse_jumps(assembly: Assembly, t_end: float, close_gaps: bool) -> None:
    """Raises DeckError where an imposed displacement or a drive does not start where the machine is: it cannot jump."""
    model, system, errors = assembly.model, assembly.system, []
    for motion in model.imposed_motions:
        if motion.kind != "DISP" or motion.sensor_id or not motion.t_start <= 0.0 <= motion.t_stop:
            continue
        index = list(model.functions).index(motion.function_id)
        first = motion.y_scale * value(system.tables, index, 0.0)
        if abs(first) > JUMP * max(1.0, abs(motion.y_scale)):
            errors.append(jump_error(motion, first))
    errors += refused_drives(
        model, assembly.places.drives, system.drives, system.joints, system.tables, t_end, close_gaps
    )
    refuse(assembly, errors)


def jump_error(motion: ImposedMotion, first: float) -> Diagnostic:
    return motion.where.diagnose(
        "error",
        f"the imposed displacement is {first:.6g} at t = 0, where the node is at 0",
        field="fct_ID",
        found=f"f(0) = {first:.6g}",
        allowed="f(0) = 0",
        hint="the displacement counts from the node's place at t = 0: start the function at 0",
    )


def refuse_gaps(assembly: Assembly) -> None:
    """Raises DeckError where joints do not fit as built, by more than the rounding of a deck."""
    rows = assembly.system.rows
    misfits = np.flatnonzero(np.abs(rows["residual"]) > MISFIT * rows["scale"])
    if len(misfits):
        errors = gap_errors(assembly, misfits) or [
            assembly.row_wheres[row].diagnose(
                "error", f"{assembly.row_names[row]} is off by {abs(rows['residual'][row]):.3g} at t = 0"
            )
            for row in misfits
        ]
        refuse(assembly, errors)


def refuse_contradictions(assembly: Assembly, redundancy: Redundancy, fastest: float) -> None:
    """Raises DeckError where a row that depends on others asks for another rate than they do: a blocked drive.

    fastest : rate in the machine, in sizes of it (or rad) per time, against which a rate counts
    """
    rows, names, errors = assembly.system.rows, assembly.row_names, []
    fastest = max(fastest, fastest_rate(assembly.system))
    for found in redundancy.found:
        row, misfit = found.row, max(MISFIT, 10 * found.distance)
        if abs(rows["residual"][row]) > misfit * rows["scale"][row] * fastest:
            others = dict.fromkeys(names[other] for other in found.partners if names[other] != names[row])
            errors.append(
                assembly.row_wheres[row].diagnose(
                    "error",
                    f"{names[row]} asks for a motion that others do not allow ({short_list(list(others))}): at t = 0 "
                    f"its rate is off by {abs(rows['residual'][row]):.6g}",
                    hint="drives and joints contradict each other: check axes, directions and what is held by /BCS",
                )
            )
    refuse(assembly, errors)
