"""Rows that depend on others at t = 0, or later: found, left out of the matrix, and counted."""

from __future__ import annotations

import numpy as np

from ..constraints.kkt import NO_ROWS, build_matrix, no_matrix, weigh_entries, with_values_of_its_own
from ..constraints.motion_law import FIXED
from ..constraints.nodal_constraints import released_rows
from ..constraints.redundancy import MOST_DENSE, Redundancy, find_redundancy, subsystem_of_rows
from ..constraints.rows import LARGEST_SLACK, LEAST_SLACK
from ..core.bodies import NO_ROTATION, Ints
from ..integration.system import System, note_matrix
from . import initial_kernels as start
from .assembly import Assembly


def leave_out_dependent_rows(assembly: Assembly) -> Redundancy:
    """Find rows that depend on others, and build the matrix without them; the matrices are ready afterwards."""
    suspects = dependent_rows(assembly.system)
    if len(suspects) and len(assembly.system.matrix.hub_body):
        # they may depend on others only while a high-valence body is left out
        rebuild_matrix(assembly, deferred=suspects)
        start.begin(assembly.system)
        suspects = dependent_rows(assembly.system)
    redundancy = Redundancy(NO_ROWS, [])
    if len(suspects):
        redundancy = redundancy_of(assembly.system, suspects)
        rebuild_matrix(assembly, left_out=redundancy.left_out)
        start.begin(assembly.system)
    return redundancy


def redundancy_of(system: System, suspects: Ints) -> Redundancy:
    """`find_redundancy` for a system."""
    return find_redundancy(system.parts, system.rows, system.entries, len(system.bodies), suspects)


def dependent_rows(system: System) -> Ints:
    """Rows with a zero pivot that act."""
    place = system.matrix.place_of_row
    if len(place) == 0:
        return NO_ROWS
    dependent = (place >= 0) & (system.matrix.pivot_inverse[place] == 0.0)
    return np.setdiff1d(np.flatnonzero(dependent), idle_rows(system))


def idle_rows(system: System) -> Ints:
    """Rows of motions and drives that do not act."""
    idle_drives = system.drives["row"][system.drives["active"] == 0].tolist()
    return np.array([*released_rows(system.conditions), *idle_drives], dtype=np.int64)


def rebuild_matrix(assembly: Assembly, deferred: Ints = NO_ROWS, left_out: Ints = NO_ROWS) -> None:
    """Pattern and order of the multiplier matrix with some rows eliminated last, or left out."""
    system = assembly.system
    subsystems = system.parts
    row_start = np.append(subsystems["first_row"], len(system.rows))
    body_start = np.append(subsystems["first_body"], len(system.bodies))
    matrix = build_matrix(system.rows, system.entries, row_start, body_start, deferred, left_out)
    note_matrix(subsystems, system.rows, matrix)
    reaction_matrix = with_values_of_its_own(matrix) if len(left_out) else no_matrix()
    assembly.system = system._replace(matrix=matrix, reaction_matrix=reaction_matrix)


def may_choose_rows(assembly: Assembly, culprit: int) -> bool:
    """Whether the subsystem of row `culprit` is small enough for `choose_rows`."""
    subsystems = assembly.system.parts
    subsystem = subsystems[subsystem_of_rows(subsystems, culprit)]
    return bool(subsystem["last_row"] - subsystem["first_row"] <= MOST_DENSE)


def choose_rows(assembly: Assembly, culprit: int) -> Redundancy:
    """Choose the rows to leave out in the subsystem of row `culprit` again, from the Jacobian of t_n."""
    system = assembly.system
    s = int(subsystem_of_rows(system.parts, culprit))
    subsystem = system.parts[s]
    start.renew_jacobians(system, s)
    weigh_entries(system.entries, system.bodies)
    everywhere = np.flatnonzero(system.rows["left_out"] != 0)
    inside = np.arange(subsystem["first_row"], subsystem["last_row"])
    redundancy = redundancy_of(system, np.union1d(everywhere, inside))
    rebuild_matrix(assembly, left_out=redundancy.left_out)
    return redundancy


def set_slack(system: System) -> None:
    """What a row that is left out may be off by later on: some times what it is off by at t = 0."""
    start.measure_gaps(system)
    rows = system.rows
    rows["slack"] = np.clip(10 * np.abs(rows["residual"]) / rows["scale"], LEAST_SLACK, LARGEST_SLACK)


def count_freedom(assembly: Assembly) -> int:
    """Degrees of freedom left by the rows."""
    system = assembly.system
    bodies, matrix = system.bodies, system.matrix
    free = 3 * np.count_nonzero(bodies["inverse_mass"] > 0) + 3 * np.count_nonzero(bodies["turning"] != NO_ROTATION)
    place = matrix.place_of_row
    return int(free - np.count_nonzero((place >= 0) & (matrix.pivot_inverse[place] != 0.0)))


def count_driven(assembly: Assembly) -> int:
    """Drives and imposed motions that act and hold something that nothing else does."""
    system = assembly.system
    records = system.conditions.records
    rows = system.drives["row"][system.drives["active"] == 1].tolist()
    rows += records["row"][(records["kind"] != FIXED) & (records["active"] == 1)].tolist()
    return int(np.count_nonzero(system.rows["left_out"][rows] == 0)) if rows else 0
