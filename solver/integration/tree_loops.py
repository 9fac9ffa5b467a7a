"""Rows of trees beside their joint coordinates: joints that close loops, ratios of gears and couplers, drives.

They are rows of the general path, with Jacobians in its entries; `constraints.tree_matrix` asks for them along the
freedoms that move their bodies.
"""

from __future__ import annotations

from ..constraints.drives import drive_residuals, finish_drive_rows
from ..constraints.joints import joint_jacobians, joint_residuals
from ..constraints.relations import relation_jacobians, relation_residuals
from ..constraints.tree_limbs import AT_END, NO_DRIVE, ROWS_CLOSE
from ..core.bodies import Record
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from .rows import exchange_all, has
from .status import COMPLETED
from .system import DRIVES, ON_SUBSYSTEM, System


@kernel(inline=True)
def set_loop_jacobians(system: System, s: int) -> None:
    """Of rows that close loops, where bodies are."""
    subsystem, tree = system.subsystems[s], system.trees.trees[s]
    for k in range(tree.first_watched, tree.last_watched):
        if system.trees.watched[k].purpose == ROWS_CLOSE:
            i = system.trees.watched[k].joint
            joint_jacobians(system.joints, i, i + 1, system.rows, system.entries, system.bodies)
    set_relations(system, subsystem)


@kernel
def set_relations(system: System, subsystem: Record) -> None:
    """Jacobians of relations, where bodies are; nothing of drives that do not act."""
    relation_jacobians(system.relations, system.terms, subsystem.first_relation, subsystem.last_relation, system.joints,
                       system.rows, system.entries, system.bodies)  # fmt: skip
    if has(subsystem, DRIVES):
        finish_drive_rows(system.drives, subsystem.first_drive, subsystem.last_drive, system.rows, system.entries)


@kernel
def aim_drives(system: System, s: int) -> int:
    """Targets of the step; what takes hold or lets go has no efforts of before to go on with."""
    subsystem, trees = system.subsystems[s], system.trees
    status = call(system.kernels.prepare_drives, ON_SUBSYSTEM, system, s)
    if status != COMPLETED:
        return status  # type: ignore[no-any-return]
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = trees.loops[k]
        if loop.drive != NO_DRIVE and system.drives[loop.drive].active != loop.active:
            loop.active = system.drives[loop.drive].active
            forget_efforts(system, loop)
            trees.trees[s].even, subsystem.stale = 0, 1
    set_relations(system, subsystem)  # of what now acts, and of many turns
    return COMPLETED


@kernel
def forget_efforts(system: System, loop: Record) -> None:
    """A drive that has taken hold or let go: no efforts of before, nor work of them, which the drive has counted."""
    row = system.rows[loop.row]
    for e in range(row.start, row.end):
        entry = system.entries[e]
        reaction = system.trees.limbs[system.trees.limb_of[entry.body]].last_reaction
        for c in range(6):
            reaction[c] -= loop.last * entry.jacobian[c]
    loop.last = 0.0
    for c in range(len(loop.before)):
        loop.before[c] = 0.0


@kernel(inline=True)
def push_loop(system: System, loop: Record, impulse: float) -> None:
    """Targets by an impulse along a row that closes a loop."""
    row = system.rows[loop.row]
    for e in range(row.start, row.end):
        entry = system.entries[e]
        target = system.trees.limbs[system.trees.limb_of[entry.body]].target
        for c in range(6):
            target[c] += impulse * entry.jacobian[c]


@kernel(inline=True)
def measure_loops(system: System, s: int) -> None:
    """Residuals of the rows that close loops, at the trial positions."""
    subsystem, tree, joints, rows = system.subsystems[s], system.trees.trees[s], system.joints, system.rows
    for k in range(tree.first_watched, tree.last_watched):
        if system.trees.watched[k].purpose != AT_END:
            i = system.trees.watched[k].joint
            joint_residuals(joints, i, i + 1, rows, system.bodies)
    first, last = subsystem.first_relation, subsystem.last_relation
    relation_residuals(system.relations, system.terms, first, last, joints, rows)
    if has(subsystem, DRIVES):
        drive_residuals(system.drives, subsystem.first_drive, subsystem.last_drive, rows, joints)


@kernel(inline=True)
def set_trial_loop_jacobians(system: System, s: int) -> None:
    """Jacobians of rows that close loops, at the trial positions."""
    subsystem = system.subsystems[s]
    exchange_jacobians(system, subsystem, True)
    exchange_all(system, subsystem)
    set_loop_jacobians(system, s)
    exchange_all(system, subsystem)
    exchange_jacobians(system, subsystem, False)


@kernel(inline=True)
def exchange_jacobians(system: System, subsystem: Record, only_keeps: bool) -> None:
    """Those of t_n for those of the trial positions, of rows that close loops; only_keeps : a copy of those of t_n."""
    for k in range(subsystem.first_loop, subsystem.last_loop):
        row = system.rows[system.trees.loops[k].row]
        for e in range(row.start, row.end):
            entry = system.entries[e]
            for c in range(6):
                kept = entry.trial[c]
                entry.trial[c] = entry.jacobian[c]
                if not only_keeps:
                    entry.jacobian[c] = kept


@kernel(inline=True)
def note_efforts(system: System, subsystem: Record) -> None:
    """Multipliers of loops are those of their rows, from which drives take their efforts."""
    for k in range(subsystem.first_loop, subsystem.last_loop):
        loop = system.trees.loops[k]
        row = system.rows[loop.row]
        row.previous_multiplier, row.multiplier = row.multiplier, loop.multiplier
