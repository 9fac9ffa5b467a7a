"""Rows that depend on others at t = 0, or later: found, left out of the matrix, and counted."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..constraints.kkt import NO_ROWS, no_matrix, with_values_of_its_own
from ..constraints.kkt_pattern import build_matrix
from ..constraints.motion_law import FIXED
from ..constraints.nodal_constraints import released_rows
from ..constraints.redundancy import MOST_DENSE, Redundancy, find_redundancy, lengths_of, subsystem_of_rows
from ..constraints.rows import LARGEST_SLACK, LEAST_SLACK, LEFT_OUT, STARTING_SLACK
from ..core.bodies import NO_ROTATION, Floats, Ints, Records
from ..core.known import Known, digest_of
from ..integration.system import System, note_matrix
from . import initial_kernels as start
from .assembly import Assembly

ORDINARY = 100.0  # by how much pivots differ from those of equal bodies in machines of no unusual masses

EXACT = 1e-14  # distance of a row, of unit size, from others that it follows from but for round-off

MOST_KNOWN = 64  # geometries of which it is known what is redundant
_known = Known[Redundancy](MOST_KNOWN)


class HasSystem(Protocol):
    """An assembly, as far as its rows are asked for."""

    system: System


def leave_out_dependent_rows(assembly: HasSystem) -> Redundancy:
    """Find rows that depend on others, and build the matrix without them; the matrices are ready afterwards."""
    equal = equal_bodies(assembly.system)
    redundancy = redundancy_of(assembly.system, defer_weak_rows(assembly, NO_ROWS, equal))
    if len(redundancy.left_out):
        rebuild_matrix(assembly, left_out=redundancy.left_out)
        defer_weak_rows(assembly, redundancy.left_out, equal)
    note_mass_shares(assembly.system, equal)
    start.begin(assembly.system)
    return redundancy


def redundancy_of(system: System, suspects: Ints) -> Redundancy:
    """`find_redundancy` for a system; in a process once for each geometry."""
    key = digest_of_geometry(system, suspects)
    return _known.get(
        key, lambda: find_redundancy(system.subsystems, system.rows, system.entries, system.bodies, suspects)
    )


def digest_of_geometry(system: System, suspects: Ints) -> bytes:
    """A digest of all that `find_redundancy` sees."""
    subsystems, rows, entries, bodies = system.subsystems, system.rows, system.entries, system.bodies
    return digest_of((
        suspects, subsystems["first_row"], subsystems["last_row"],
        *(rows[name] for name in ("start", "end", "kind", "scale")), entries["body"], entries["jacobian"],
        bodies["inverse_mass"] > 0.0, bodies["turning"],
    ))  # fmt: skip


def defer_weak_rows(assembly: HasSystem, left_out: Ints, equal: Records) -> Ints:
    """Eliminate rows last that are independent only thanks to a high-valence body, whose unknowns come before them.

    left_out : rows that the matrix at hand is without
    equal : its `equal_bodies`
    Returns rows that depend on others, or nearly so, all the same.
    """
    weak = weak_rows(assembly.system, equal)
    system = assembly.system
    has_hubs = np.diff(system.matrix.hub_start) > 0
    behind = weak[has_hubs[subsystem_of_rows(system.subsystems, weak)]]
    if len(behind) == 0:
        return weak
    rebuild_matrix(assembly, behind, left_out)
    return weak_rows(assembly.system, equal)


def weak_rows(system: System, equal: Records) -> Ints:
    """Rows that act and depend on those eliminated before them, or nearly so, all masses being equal."""
    place = system.matrix.place_of_row
    if len(place) == 0:
        return NO_ROWS
    matrix = system.matrix._replace(mass_share=np.ones(len(system.matrix.sign)))
    start.factorise_loosely(system._replace(bodies=equal, matrix=matrix))
    dependent = (place >= 0) & (system.matrix.pivot_inverse[place] == 0.0)
    return np.setdiff1d(np.flatnonzero(dependent), idle_rows(system))


def equal_bodies(system: System) -> Records:
    """The bodies with unit mass, and inertias by the size of their subsystem."""
    bodies, subsystems = system.bodies.copy(), system.subsystems
    inside = np.arange(len(system.rows))
    of_row = subsystem_of_rows(subsystems, inside)
    lengths = lengths_of(of_row, inside, system.rows, system.entries, len(subsystems))
    inertia = np.ones(len(bodies))
    of_body = np.repeat(np.arange(len(subsystems)), subsystems["last_body"] - subsystems["first_body"])
    first = int(subsystems["first_body"].min(initial=len(bodies)))  # bodies that are held stand behind all subsystems
    inertia[first : first + len(of_body)] = lengths[of_body] ** 2
    bodies["mass"], bodies["inverse_mass"] = 1.0, bodies["inverse_mass"] > 0.0
    bodies["inertia"] = inertia[:, None, None] * np.eye(3)
    bodies["inverse_inertia"] = ((bodies["turning"] != NO_ROTATION) / inertia)[:, None, None] * np.eye(3)
    return bodies


def note_mass_shares(system: System, equal: Records) -> None:
    """Let the matrix know which pivots are small because masses are unequal: they say nothing of dependence.

    equal : its `equal_bodies`
    """
    matrix = system.matrix
    matrix.mass_share[:] = 0.0  # all pivots above round-off
    start.factorise_loosely(system._replace(bodies=equal))
    of_equal = matrix.pivot_inverse * matrix.magnitude
    start.factorise_loosely(system)
    own = matrix.pivot_inverse * matrix.magnitude
    matrix.mass_share[:] = 1.0
    known = (of_equal > 0.0) & (own > 0.0) & (matrix.sign > 0)
    matrix.mass_share[known] = np.minimum(1.0, ORDINARY * of_equal[known] / own[known])


def idle_rows(system: System) -> Ints:
    """Rows of motions and drives that do not act."""
    idle_drives = system.drives["row"][system.drives["active"] == 0].tolist()
    return np.array([*released_rows(system.conditions), *idle_drives], dtype=np.int64)


def rebuild_matrix(assembly: HasSystem, deferred: Ints = NO_ROWS, left_out: Ints = NO_ROWS) -> None:
    """Pattern and order of the multiplier matrix with some rows eliminated last, or left out."""
    system = assembly.system
    subsystems = system.subsystems
    row_start = np.append(subsystems["first_row"], len(system.rows))
    body_start = np.append(subsystems["first_body"], len(system.bodies))
    matrix = build_matrix(system.rows, system.entries, row_start, body_start, deferred, left_out)
    note_matrix(subsystems, system.rows, matrix)
    reaction_matrix = with_values_of_its_own(matrix) if len(left_out) else no_matrix()
    assembly.system = system._replace(matrix=matrix, reaction_matrix=reaction_matrix)


def may_choose_rows(assembly: Assembly, culprit: int) -> bool:
    """Whether `choose_rows` may help in the subsystem of row `culprit`, which is small enough for it.

    It may where the row is left out, or where rows have become weak in the order of elimination at hand: independent
    only thanks to a high-valence body that comes after them.
    """
    system = assembly.system
    s = int(subsystem_of_rows(system.subsystems, culprit))
    subsystem, first_hubs = system.subsystems[s], system.matrix.hub_start
    if subsystem["last_row"] - subsystem["first_row"] > MOST_DENSE:
        return False
    if system.rows["left_out"][culprit] == LEFT_OUT:
        return True
    if first_hubs[s] == first_hubs[s + 1]:
        return False
    start.renew_jacobians(system, s)
    weak = weak_rows(system, equal_bodies(system))
    system.subsystems["stale"] = 1
    return bool(np.any((weak >= subsystem["first_row"]) & (weak < subsystem["last_row"])))


def choose_rows(assembly: Assembly, culprit: int) -> Redundancy:
    """Choose the rows to leave out in the subsystem of row `culprit` again, from the Jacobian of t_n."""
    system = assembly.system
    s = int(subsystem_of_rows(system.subsystems, culprit))
    subsystem = system.subsystems[s]
    start.renew_jacobians(system, s)
    everywhere = np.flatnonzero(system.rows["left_out"] == LEFT_OUT)
    inside = np.arange(subsystem["first_row"], subsystem["last_row"])
    redundancy = redundancy_of(system, np.union1d(everywhere, inside))
    rebuild_matrix(assembly, left_out=redundancy.left_out)
    equal = equal_bodies(assembly.system)
    defer_weak_rows(assembly, redundancy.left_out, equal)
    note_mass_shares(assembly.system, equal)
    assembly.system.subsystems["stale"] = 1
    return redundancy


def set_slack(assembly: Assembly, redundancy: Redundancy) -> None:
    """What rows that are left out may be off by later on.

    Ten times what they are off by at t = 0, or what they depart from the others in a motion of the machine's size
    """
    system = assembly.system
    start.measure_gaps(system)
    system.rows["slack"] = LEAST_SLACK
    widen_slack(assembly, redundancy, np.abs(system.rows["residual"]))


def widen_slack(assembly: Assembly, redundancy: Redundancy, residual: Floats) -> None:
    """Slack of rows left out and of those that they follow from, no less than it is; residual : (nr,), at t_n.

    Rows that agree wherever the machine moves depart from each other only as it is off a place with branches.
    """
    rows = assembly.system.rows
    for found in redundancy.found:
        agrees = int(subsystem_of_rows(assembly.system.subsystems, found.row)) in assembly.agreeing
        apart = 0.0 if agrees else found.distance
        off = max(float(residual[found.row] / rows["scale"][found.row]), apart)
        rows["slack"][found.row] = np.clip(10 * off, rows["slack"][found.row], LARGEST_SLACK)
        if apart > EXACT:
            # near a position in which the machine could branch off, those that it follows from are not solved for
            rows["slack"][found.partners] = np.maximum(rows["slack"][found.partners], STARTING_SLACK)


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
