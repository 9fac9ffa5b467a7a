"""Shafts that nothing keeps aligned with their supports: a warning, for their angle means little then."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic, Where

from ..constraints.joint_setup import COUPLER_NODES, CouplerPlace
from ..constraints.joints import NO_ANGLE
from ..constraints.redundancy import subsystem_of_rows
from ..constraints.sparse_jacobian import sparse_jacobian
from ..core.bodies import Floats, Records
from ..integration.system import System
from .assembly import Assembly
from .rotors import ends_of

FREE = 1e-6  # of the mobility without any rows, from which on the rows leave a shaft free to tilt


def unaligned_shafts(assembly: Assembly) -> list[Diagnostic]:
    """One warning for each shaft of a coupler or /DRIVE/ROT that rows, at t = 0, let tilt against its support."""
    warnings, alignment = [], Alignment(assembly.system)
    for place in assembly.places.couplers:
        for side, index in enumerate(place.joints):
            joint = assembly.system.joints[index]
            if joint["angle_kind"] != NO_ANGLE and alignment.can_tilt(joint, place.row):
                warnings.append(_side_not_aligned(assembly, place, side))
    for drive_place in assembly.places.drives:
        drive, joint = drive_place.drive, assembly.system.joints[drive_place.joint]
        if drive.kind == "ROT" and alignment.can_tilt(joint, drive_place.row):
            warnings.append(_not_aligned(assembly, drive.where, drive.node_j, drive.node_i, "node_j"))
    return warnings


class Alignment:
    """What keeps shafts aligned: bearings between the same two bodies, or all rows of a subsystem together."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._bearings: dict[frozenset[int], list[Floats]] = defaultdict(list)  # axes, by the two bodies
        for joint in system.joints[system.joints["aligned"] == 1]:
            self._bearings[frozenset(ends_of(joint))].append(self._axes(joint)[0])
        self._factors: dict[int, tuple[Any, Any]] = {}  # of each subsystem its Jacobian and G M^-1 G^T, factorised

    def can_tilt(self, joint: Records, row: int) -> bool:
        """Whether body b of a joint can turn against body a about an axis across r; row : any row of the subsystem."""
        along, *across = self._axes(joint)
        if any(np.abs(np.cross(along, axis)).max() <= FREE for axis in self._bearings[frozenset(ends_of(joint))]):
            return False
        bodies = self._system.bodies
        jacobian, matrix = self._factors_of(row)
        for axis in across:
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

    def _axes(self, joint: Records) -> Floats:
        """Rows r, s and t of a joint, global."""
        return joint["triad"] @ self._system.bodies["rotation"][joint["carrier"]["body"]].T  # type: ignore[no-any-return]

    def _factors_of(self, row: int) -> tuple[Any, Any]:
        from scipy.sparse.linalg import splu

        s = int(subsystem_of_rows(self._system.subsystems, row))
        if s not in self._factors:
            jacobian, weighted = rows_of_subsystem(self._system, s)
            self._factors[s] = jacobian, splu((jacobian @ weighted.T).tocsc())
        return self._factors[s]


def rows_of_subsystem(system: System, s: int) -> tuple[Any, Any]:
    """Sparse Jacobian, and M^-1 times it, (rows solved for, 6 nb), of subsystem s."""
    matrix, subsystem = system.matrix, system.subsystems[s]
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
