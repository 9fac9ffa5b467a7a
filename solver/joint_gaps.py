"""Joints that do not fit as built: errors that name the joint, the row and the gap."""

from __future__ import annotations

import numpy as np
from gsolve.parser.diagnostics import Diagnostic

from .assemble import Assembly
from .joint_setup import JointPlace
from .joints import CROSSED, LENGTH, OF_LENGTH, POINT
from .state import Ints
from .units import unit

HINT = "correct the positions in the deck, or let --assemble move the machine to the nearest positions that fit"


def gap_errors(assembly: Assembly, misfits: Ints) -> list[Diagnostic]:
    """One error for each joint that has rows among `misfits`, from the residuals at hand."""
    errors = []
    wanted = set(misfits.tolist())
    for place in assembly.places.joints:
        joint = assembly.system.joints[place.index]
        rows = [row for row in range(joint["row"], joint["row"] + joint["n_rows"]) if row in wanted]
        if rows:
            errors.append(joint_error(assembly, place, rows))
    return errors


def joint_error(assembly: Assembly, place: JointPlace, rows: list[int]) -> Diagnostic:
    """What does not fit in a joint."""
    records, joint = assembly.system.rows[rows], place.joint
    length = unit(assembly.model.units, length=1)
    kinds, residuals = records["kind"], records["residual"]
    ids = [int(assembly.model.nodes.ids[node]) if node >= 0 else 0 for node in (joint.node_i, joint.node_j)]
    nodes = f"nodes {ids[0]} and {ids[1]}"
    apart = float(np.linalg.norm(residuals[np.isin(kinds, POINT)]))
    if apart > 0.0:
        what = "apart" if joint.kind in ("SPHERICAL", "REVOLUTE", "UNIVERSAL") else "apart across the axis"
        problem, found, allowed = f"{nodes} are {apart:.6g} {length} {what}", f"{apart:.6g} {length}", "no gap"
    elif LENGTH in kinds:
        wanted = float(records["constant"][kinds == LENGTH][0])
        actual = wanted + float(residuals[kinds == LENGTH][0])
        problem = f"{nodes} are {actual:.6g} {length} apart, and the length is {wanted:.6g} {length}"
        found, allowed = f"{actual:.6g} {length}", f"{wanted:.6g} {length}"
    else:
        angle = float(np.degrees(np.arccos(residuals[kinds == CROSSED][0])))
        problem, found, allowed = f"the axes are at {angle:.6g} degrees", f"{angle:.6g} degrees", "90 degrees"
    return joint.where.diagnose(
        "error", f"the joint does not fit at t = 0: {problem}", field="node_j", found=found, allowed=allowed, hint=HINT
    )


def unclosed_gap(assembly: Assembly, subsystem: int) -> Diagnostic:
    """No positions were found where all joints of a subsystem fit: what was reached, from the residuals at hand."""
    part, rows = assembly.system.parts[subsystem], assembly.system.rows
    inside = np.arange(part["first_row"], part["last_row"])
    worst = int(inside[np.argmax(np.abs(rows["residual"][inside]) / rows["scale"][inside])])
    of = unit(assembly.model.units, length=1) if rows["kind"][worst] in OF_LENGTH else "rad"
    problem = (
        "no positions were found where all joints fit; of the last ones tried "
        f"{assembly.row_names[worst]} is off by {abs(rows['residual'][worst]):.3g} {of}"
    )
    hint = "positions, lengths or initial values of this joint or of others in its loop contradict each other"
    return assembly.row_wheres[worst].diagnose("error", problem, hint=hint)
