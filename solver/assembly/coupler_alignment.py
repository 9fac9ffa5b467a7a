"""Couplers whose shafts nothing keeps aligned with their supports: a warning, for their angle means little then."""

from __future__ import annotations

from typing import Any

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..constraints.joint_setup import COUPLER_NODES, CouplerPlace
from ..constraints.joints import NO_ANGLE
from ..constraints.kkt import sparse_jacobian
from ..constraints.redundancy import subsystem_of_rows
from ..core.bodies import Records
from ..integration.system import System
from .assembly import Assembly

FREE = 1e-6  # of the mobility without any rows, from which on the rows leave a shaft free to tilt


def unaligned_couplers(assembly: Assembly) -> list[Diagnostic]:
    """One warning for each shaft that the rows of the machine, at t = 0, let tilt against its support."""
    warnings = []
    for place in assembly.places.couplers:
        for side, index in enumerate(place.joints):
            joint = assembly.system.joints[index]
            if joint["angle_kind"] != NO_ANGLE and can_tilt(assembly.system, joint, place.row):
                warnings.append(_not_aligned(assembly, place, side))
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
    subsystem = system.parts[subsystem_of_rows(system.parts, row)]
    inside = np.arange(subsystem["first_row"], subsystem["last_row"])
    place = matrix.place_of_row[inside]
    kept = inside[(place >= 0) & (matrix.pivot_inverse[place] != 0.0)]
    return sparse_jacobian(system.rows, system.entries, kept, len(system.bodies))


def _not_aligned(assembly: Assembly, place: CouplerPlace, side: int) -> Diagnostic:
    coupler, ids = place.coupler, assembly.model.nodes.ids
    node, support = ((coupler.node_a, coupler.support_a), (coupler.node_b, coupler.support_b))[side]
    on = f"node {ids[support]}" if support >= 0 else "the ground"
    return coupler.where.diagnose(
        "warning",
        f"no joint keeps the axis of node {ids[node]} aligned with its support, {on}: a shaft that tilts has no "
        "angle of its own",
        field=COUPLER_NODES[coupler.kind][2 * side],
        hint="hold the shaft on its support with a /JOINT/REVOLUTE or CYLINDRICAL about the same axis",
    )
