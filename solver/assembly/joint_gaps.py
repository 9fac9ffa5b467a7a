"""Joints that do not fit as built: errors that name the joint, the row and the gap."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model.joint_types import JOINT_TYPES, POINT
from gsolve.parser.text.diagnostics import Diagnostic

from ..constraints.joint_builder import CODE, CODES_OF_LENGTHS
from ..constraints.joint_setup import JointPlace
from ..constraints.joints import CROSSED, LENGTH
from ..core.bodies import Floats, Ints
from ..core.unit_names import unit
from .assembly import Assembly

CODES_OF_POINT = [CODE[row] for row in POINT]
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
    """All that does not fit in a joint: places and axes."""
    records, joint = assembly.system.rows[rows], place.joint
    length = unit(assembly.model.units, length=1)
    kinds, residuals = records["kind"], records["residual"]
    wanted_kinds = set(kinds.tolist())
    nodes = [node for node in (joint.node_i, joint.node_j) if node >= 0]
    ids = [int(assembly.model.nodes.ids[node]) if node >= 0 else 0 for node in (joint.node_i, joint.node_j)]
    named = f"nodes {ids[0]} and {ids[1]}"
    problems, allowed = [], []
    if not wanted_kinds.isdisjoint(CODES_OF_POINT):
        apart = float(np.linalg.norm(residuals[np.isin(kinds, CODES_OF_POINT)]))
        problems.append(f"{named} are {apart:.6g} {length} apart{JOINT_TYPES[joint.kind].start.gap}")
        allowed.append("no gap")
    if LENGTH in wanted_kinds:
        wanted = float(records["constant"][kinds == LENGTH][0])
        actual = wanted + float(residuals[kinds == LENGTH][0])
        problems.append(f"{named} are {actual:.6g} {length} apart, and the length is {wanted:.6g} {length}")
        allowed.append(f"{wanted:.6g} {length}")
    if CROSSED in wanted_kinds:
        angle = float(np.degrees(np.arccos(residuals[kinds == CROSSED][0])))
        problems.append(f"the axes are at {angle:.6g} degrees")
        allowed.append("90 degrees")
    places, typed = assembly.plan.coordinates, assembly.model.nodes.coordinates
    hint = HINT
    for node in nodes:
        if np.abs(places[node] - typed[node]).max() > 0.0:
            node_id = assembly.model.nodes.ids[node]
            hint = (
                f"node {node_id} is a main node, which ICoG moved from {point_text(typed[node])} to "
                "the mass centre of its body: put a secondary node at the joint, or choose ICoG 3 or 4"
            )
    found = ", ".join(f"node {assembly.model.nodes.ids[node]} at {point_text(places[node])}" for node in nodes)
    return joint.where.diagnose(
        "error",
        f"the joint does not fit at t = 0: {' and '.join(problems)}",
        field="node_j",
        found=found,
        allowed=" and ".join(allowed),
        hint=hint,
    )


def point_text(point: Floats) -> str:
    """A place or a direction: (0.1, 0, -2)."""
    return "(" + ", ".join(f"{x:.9g}" for x in point + 0.0) + ")"


def unclosed_gap(assembly: Assembly, subsystem: int) -> Diagnostic:
    """No positions were found where all joints of a subsystem fit: what was reached, from the residuals at hand."""
    record, rows = assembly.system.subsystems[subsystem], assembly.system.rows
    inside = np.arange(record["first_row"], record["last_row"])
    worst = int(inside[np.argmax(np.abs(rows["residual"][inside]) / rows["scale"][inside])])
    of = unit(assembly.model.units, length=1) if rows["kind"][worst] in CODES_OF_LENGTHS else "rad"
    problem = (
        "no positions were found where all joints fit; of the last ones tried "
        f"{assembly.row_names[worst]} is off by {abs(rows['residual'][worst]):.3g} {of}"
    )
    hint = "positions, lengths or initial values of this joint or of others in its loop contradict each other"
    return assembly.row_wheres[worst].diagnose("error", problem, hint=hint)
