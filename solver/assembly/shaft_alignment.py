"""Shafts that nothing keeps aligned with their supports: a warning, for their angle means little then."""

from __future__ import annotations

from typing import Any

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic, Where

from ..constraints.joint_setup import COUPLER_NODES, CouplerPlace
from ..constraints.joints import NO_ANGLE
from ..constraints.redundancy import subsystem_of_rows
from ..constraints.sparse_jacobian import sparse_jacobian
from ..core.bodies import Records
from ..integration.system import System
from .assembly import Assembly

FREE = 1e-6  # of the mobility without any rows, from which on the rows leave a shaft free to tilt


def unaligned_shafts(assembly: Assembly) -> list[Diagnostic]:
    """One warning for each shaft of a coupler or /DRIVE/ROT that rows, at t = 0, let tilt against its support."""
    warnings = []
    for place in assembly.places.couplers:
        for side, index in enumerate(place.joints):
            joint = assembly.system.joints[index]
            if joint["angle_kind"] != NO_ANGLE and can_tilt(assembly.system, joint, place.row):
                warnings.append(_side_not_aligned(assembly, place, side))
    for drive_place in assembly.places.drives:
        drive, joint = drive_place.drive, assembly.system.joints[drive_place.joint]
        if drive.kind == "ROT" and can_tilt(assembly.system, joint, drive_place.row):
            warnings.append(_not_aligned(assembly, drive.where, drive.node_j, drive.node_i, "node_j"))
    return warnings


def can_tilt(system: System, joint: Records, row: int) -> bool:
    """Whether body b of a joint can turn against body a about an axis across r; row : any row of the subsystem."""
    from scipy.sparse.linalg import splu

    bodies = system.bodies
    jacobian, weighted = rows_of_subsystem(system, row)
    matrix = splu((jacobian @ weighted.T).tocsc())
    across = bodies["rotation"][joint["carrier"]["body"]] @ joint["triad"][1:].T
    for axis in across.T:
        moment, spin = np.zeros((2, len(bodies), 6))
        for body, sign in ((joint["node"]["body"], 1.0), (joint["carrier"]["body"], -1.0)):
            rotation = bodies["rotation"][body]
            moment[body, 3:] += sign * axis
            spin[body, 3:] += sign * rotation @ bodies["inverse_inertia"][body] @ rotation.T @ axis
        without_rows = float(np.sum(moment * spin))
        rates = jacobian @ spin.ravel()
        if without_rows - rates @ matrix.solve(rates) > FREE * without_rows:
            return True
    return False


def rows_of_subsystem(system: System, row: int) -> tuple[Any, Any]:
    """Sparse Jacobian, and M^-1 times it, (rows solved for, 6 nb), of the subsystem of a row."""
    matrix = system.matrix
    subsystem = system.subsystems[subsystem_of_rows(system.subsystems, row)]
    inside = np.arange(subsystem["first_row"], subsystem["last_row"])
    place = matrix.place_of_row[inside]
    kept = inside[(place >= 0) & (matrix.pivot_inverse[place] != 0.0)]
    return sparse_jacobian(system.rows, system.entries, kept, len(system.bodies))


def _side_not_aligned(assembly: Assembly, place: CouplerPlace, side: int) -> Diagnostic:
    coupler = place.coupler
    node, support = ((coupler.node_a, coupler.support_a), (coupler.node_b, coupler.support_b))[side]
    return _not_aligned(assembly, coupler.where, node, support, COUPLER_NODES[coupler.kind][2 * side])


def _not_aligned(assembly: Assembly, where: Where, node: int, support: int, field: str) -> Diagnostic:
    names = [f"node {assembly.model.nodes.ids[row]}" if row >= 0 else "the ground" for row in (node, support)]
    return where.diagnose(
        "warning",
        f"no joint keeps the axis of {names[0]} aligned with its support, {names[1]}: a shaft that tilts has no "
        "angle of its own",
        field=field,
        hint="hold the shaft on its support with a /JOINT/REVOLUTE or CYLINDRICAL about the same axis",
    )
