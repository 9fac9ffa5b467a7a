"""The state a run starts from: rows that depend on others, positions and velocities that meet the joints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..constraints.redundancy import Redundancy
from ..constraints.rows import LEAST_SLACK
from ..core.bodies import Floats, Records
from ..core.jit.references import kept_references
from ..forces.joint_forces import set_coordinates
from . import initial_kernels as start
from .assembly import Assembly
from .dependent_rows import count_driven, count_freedom, leave_out_dependent_rows, rebuild_matrix, set_slack
from .joint_gaps import unclosed_gap
from .meant_geometry import follow_branches, take_as_meant
from .moves import Move, moves_of_bodies
from .settled import Settled, put, velocity_warnings
from .start_errors import refuse, refuse_contradictions, refuse_gaps, refuse_jumps
from .start_messages import (
    alignment_warnings,
    angular_velocities,
    closing_warnings,
    fastest_rate,
    projection_warnings,
    rows_off,
)

LOSS_ROUND_OFF = 1e-13  # of the kinetic energy


@dataclass(slots=True)
class InitialState:
    """What was found and done at t = 0.

    impact_loss : kinetic energy lost by making the velocities consistent
    moves : of bodies, by closing gaps, the largest first
    settled : where it was settled before, None where that is not asked for
    rounding : the longest way of a point or axis of a joint to where it was meant to be, by the size of the machine
    """

    redundancy: Redundancy
    degrees_of_freedom: int
    driven: int  # coordinates that drives and imposed motions hold at t = 0
    impact_loss: float
    rounding: float = 0.0
    moves: list[Move] = field(default_factory=list)
    settled: Settled | None = None
    warnings: list[Diagnostic] = field(default_factory=list)


def find_initial_state(
    assembly: Assembly, t_end: float, close_gaps: bool, settled: Settled | None = None
) -> InitialState:
    """Bring the machine into the state it starts from.

    close_gaps : move a machine whose joints do not fit to the nearest positions where they do
    settled : start at rest, from there

    Raises
    ------
    DeckError
        where joints do not fit, or a displacement is imposed that does not start at zero
    """
    refuse_jumps(assembly, t_end, close_gaps)
    with kept_references():
        return _found(assembly, t_end, close_gaps, settled)


def _found(assembly: Assembly, t_end: float, close_gaps: bool, settled: Settled | None) -> InitialState:
    """`find_initial_state`, once imposed displacements are known to start at zero."""
    bodies = assembly.system.bodies
    before, velocity, momentum = kinetic_energies(bodies), bodies["velocity"].copy(), bodies["momentum"].copy()
    start.begin(assembly.system)
    redundancy = leave_out_dependent_rows(assembly)
    moves: list[Move] = []
    if has_gaps(assembly):
        if not close_gaps:
            refuse_gaps(assembly)
        moves, redundancy = assemble_positions(assembly)
    meant = take_as_meant(assembly.system, redundancy)
    assembly.agreeing = meant.agreeing
    if meant.has_changed:
        redundancy = begin_anew(assembly)
        if has_gaps(assembly) and not meant.at_branch:
            moves, redundancy = assemble_positions(assembly)
    if np.any(bodies["rotation"] != np.eye(3)):
        bodies["momentum"] = momentum = rotated_momenta(bodies, momentum)
    if settled is not None:
        put(assembly.system, settled)
        redundancy = begin_anew(assembly)
        before, velocity, momentum = np.zeros_like(before), np.zeros_like(velocity), np.zeros_like(momentum)
    off, fastest = rows_off(assembly), fastest_rate(assembly.system)
    start.project_velocities(assembly.system)
    follow_branches(assembly.system, meant)
    refuse_contradictions(assembly, redundancy, max(fastest, LEAST_SLACK / t_end if t_end > 0.0 else 0.0))
    found = InitialState(
        redundancy=redundancy,
        degrees_of_freedom=count_freedom(assembly),
        driven=count_driven(assembly),
        impact_loss=energy_lost(assembly, before),
        rounding=meant.rounding,
        moves=moves,
        settled=settled,
    )
    found.warnings = velocity_warnings(assembly) if settled is not None else []
    found.warnings += projection_warnings(assembly, velocity, momentum, off, found.impact_loss)
    found.warnings += friction_warnings(assembly, redundancy)
    start.set_joint_rates(assembly.system)
    set_coordinates(assembly.system.joint_forces, assembly.system.joints)
    set_slack(assembly, redundancy)
    found.warnings += closing_warnings(assembly, redundancy) + alignment_warnings(assembly, redundancy)
    return found


def has_gaps(assembly: Assembly) -> bool:
    """Whether joints or drives are off by more than a run closes by itself."""
    model = assembly.model
    return bool(model.joints or model.drives) and start.measure_gaps(assembly.system) > 1.0


def assemble_positions(assembly: Assembly) -> tuple[list[Move], Redundancy]:
    """Close all gaps; the bodies that moved by more than rounding, the largest moves first, and dependent rows."""
    system = assembly.system
    failed = start.close_gaps(system)
    if failed >= 0:
        refuse(assembly, [unclosed_gap(assembly, failed)])
    return moves_of_bodies(assembly), begin_anew(assembly)


def begin_anew(assembly: Assembly) -> Redundancy:
    """Rows of the new positions, where they depend on each other in other ways."""
    rebuild_matrix(assembly)
    assembly.system.drives["active"] = 0  # they take hold of the new coordinates
    start.begin(assembly.system)
    return leave_out_dependent_rows(assembly)


def energy_lost(assembly: Assembly, before: Floats) -> float:
    """Kinetic energy that the velocities lost by being made consistent, 0 where it is round-off.

    before : (nb,) kinetic energies with the velocities of the deck
    """
    after = kinetic_energies(assembly.system.bodies)
    gained = float(np.sum(assembly.system.subsystems["drive_work"]))  # by motions that start with a jump
    loss = float(np.sum(before - after)) + gained
    return loss if abs(loss) > LOSS_ROUND_OFF * float(np.sum(before + after)) else 0.0


def friction_warnings(assembly: Assembly, redundancy: Redundancy) -> list[Diagnostic]:
    """Friction that follows a bearing force which is not unique."""
    shared = {int(row) for group in redundancy.groups for row in group}
    warnings = []
    for place in assembly.places.joints:
        joint, record = place.joint, assembly.system.joints[place.index]
        forces = [force for force in (joint.rotation, joint.translation) if force is not None]
        rows = range(record["row"], record["row"] + record["n_rows"])
        if any(force.friction_coefficient for force in forces) and shared.intersection(rows):
            warnings.append(
                joint.where.diagnose(
                    "warning",
                    "friction of this joint follows its bearing force, which is not unique: some of its rows are met "
                    "by those of other joints, and the force is that of the rows that are solved for",
                    hint="use joints with fewer rows, so that none is redundant, or give friction_force alone",
                )
            )
    return warnings


def rotated_momenta(bodies: Records, momentum: Floats) -> Floats:
    """Angular momenta (nb, 3) of the same angular velocities after the bodies were turned."""
    rotation = bodies["rotation"]
    spin = np.einsum("bij,bj->bi", bodies["inverse_inertia"], momentum)
    return np.einsum("bij,bjk,blk,bl->bi", rotation, bodies["inertia"], rotation, spin, optimize=True)


def kinetic_energies(bodies: Records) -> Floats:
    """Kinetic energy (nb,) at the positions at hand."""
    spin = angular_velocities(bodies, bodies["momentum"])
    return 0.5 * bodies["mass"] * (bodies["velocity"] ** 2).sum(axis=1) + 0.5 * (bodies["momentum"] * spin).sum(axis=1)
