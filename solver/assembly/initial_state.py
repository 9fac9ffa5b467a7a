"""The state a run starts from: rows that depend on others, positions and velocities that meet the joints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.model import ImposedMotion
from gsolve.parser.text.diagnostics import DeckError, Diagnostic

from ..constraints.joints import set_rates
from ..constraints.kkt import NO_ROWS, build_matrix, weigh_entries
from ..constraints.motion_law import FIXED, JUMP
from ..constraints.nodal_constraints import released_rows
from ..constraints.redundancy import MOST_DENSE, Redundancy, find_redundancy, subsystem_of_rows
from ..constraints.rows import LARGEST_SLACK, LEAST_SLACK
from ..core.bodies import NO_ROTATION, Floats, Ints, Records
from ..core.functions import value
from ..forces.joint_forces import set_coordinates
from ..integration.system import System, note_matrix
from . import initial_kernels as start
from .assembly import Assembly
from .drive_messages import refused_drives
from .joint_gaps import gap_errors, unclosed_gap
from .moves import Move, move_lines, moves_of_bodies, position_lines
from .start_messages import angular_velocities, fastest_rate, projection_warnings, rows_off, short_list

LOSS_ROUND_OFF = 1e-13  # of the kinetic energy
MOST_GROUPS = 10  # of redundancies on the screen
MISFIT = 1e-6  # of the size of the machine (or rad): gaps up to this are the deck's rounding, and closed in silence


@dataclass(slots=True)
class InitialState:
    """What was found and done at t = 0.

    impact_loss : kinetic energy lost by making the velocities consistent
    moves : of bodies, by closing gaps, the largest first
    """

    redundancy: Redundancy
    degrees_of_freedom: int
    driven: int  # coordinates that drives and imposed motions hold at t = 0
    impact_loss: float
    moves: list[Move] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def find_initial_state(assembly: Assembly, t_end: float, close_gaps: bool) -> InitialState:
    """Bring the machine into the state it starts from.

    close_gaps : move a machine whose joints do not fit to the nearest positions where they do

    Raises
    ------
    DeckError
        where joints do not fit, or a displacement is imposed that does not start at zero
    """
    refuse_jumps(assembly, t_end, close_gaps)
    bodies = assembly.system.bodies
    before, velocity, momentum = kinetic_energies(bodies), bodies["velocity"].copy(), bodies["momentum"].copy()
    start.begin(assembly.system)
    redundancy = leave_out_dependent_rows(assembly)
    moves: list[Move] = []
    model = assembly.model
    if (model.joints or model.drives) and start.measure_gaps(assembly.system) > 1.0:
        if not close_gaps:
            refuse_gaps(assembly)
        moves = assemble_positions(assembly)
        momentum = rotated_momenta(bodies, momentum)
        bodies["momentum"] = momentum
        rebuild_matrix(assembly)  # rows depend on each other in other ways at the new positions
        assembly.system.drives["active"] = 0  # they take hold of the new coordinates
        start.begin(assembly.system)
        redundancy = leave_out_dependent_rows(assembly)
    off = rows_off(assembly)
    start.project_velocities(assembly.system)
    refuse_contradictions(assembly, redundancy)
    gained = float(np.sum(assembly.system.parts["drive_work"]))  # by motions that start with a jump
    after = kinetic_energies(bodies)
    loss = float(np.sum(before - after)) + gained
    found = InitialState(
        redundancy=redundancy,
        degrees_of_freedom=count_freedom(assembly),
        driven=count_driven(assembly),
        impact_loss=loss if abs(loss) > LOSS_ROUND_OFF * float(np.sum(before + after)) else 0.0,
        moves=moves,
    )
    found.warnings = projection_warnings(assembly, velocity, momentum, off, found.impact_loss)
    found.warnings += friction_warnings(assembly, redundancy)
    set_rates(assembly.system.joints, bodies)
    set_coordinates(assembly.system.joint_forces, assembly.system.joints)
    set_slack(assembly.system)
    return found


def initial_facts(assembly: Assembly, found: InitialState) -> list[tuple[str, str]]:
    """What was found, for screen and listing: (label, text)."""
    facts = []
    if has_moved(found):
        lines = ["gaps between joints closed by moving", *move_lines(assembly, found.moves)]
        facts.append(("assembly", "\n".join(lines)))
    count = len(found.redundancy.left_out)
    if count:
        lines = [f"{count} constraint row{'s' if count > 1 else ''} met by the others; the reactions are not unique, "
                 "those of least norm are given:"]  # fmt: skip
        shared = shared_rows(assembly, found.redundancy)
        lines += [f"{number} among {names}" for names, number in shared[:MOST_GROUPS]]
        if len(shared) > MOST_GROUPS:
            lines.append(f"... and {len(shared) - MOST_GROUPS} more groups")
        facts.append(("redundant", "\n".join(lines)))
    return facts


def new_deck_lines(assembly: Assembly, found: InitialState) -> list[str]:
    """Where nodes and axes went if gaps of more than the rounding of a deck were closed, as lines for the deck."""
    return position_lines(assembly) if has_moved(found) else []


def has_moved(found: InitialState) -> bool:
    return bool(found.moves) and found.moves[0].size > MISFIT


def shared_rows(assembly: Assembly, redundancy: Redundancy) -> list[tuple[str, int]]:
    """Names of the rows of each group of dependent ones, and how many of them are left out; each names once."""
    left_out = set(redundancy.left_out.tolist())
    numbers: dict[str, int] = {}
    for group in redundancy.groups:
        names = short_list(list(dict.fromkeys(assembly.row_names[row] for row in group)))
        numbers[names] = numbers.get(names, 0) + len(left_out.intersection(group.tolist()))
    return list(numbers.items())


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


def refuse(assembly: Assembly, errors: list[Diagnostic]) -> None:
    """Raises DeckError with the errors, and the warnings before them, if there are any."""
    if errors:
        raise DeckError([*assembly.model.warnings, *assembly.diagnostics, *errors])


def jump_error(motion: ImposedMotion, first: float) -> Diagnostic:
    return motion.where.diagnose(
        "error",
        f"the imposed displacement is {first:.6g} at t = 0, where the node is at 0",
        field="fct_ID",
        found=f"f(0) = {first:.6g}",
        allowed="f(0) = 0",
        hint="the displacement counts from the node's place at t = 0: start the function at 0",
    )


# ---- rows ----------------------------------------------------------------------------------------------------


def redundancy_of(system: System, suspects: Ints) -> Redundancy:
    """`find_redundancy` for a system."""
    return find_redundancy(system.parts, system.rows, system.entries, len(system.bodies), suspects)


def leave_out_dependent_rows(assembly: Assembly) -> Redundancy:
    """Find rows that depend on others, and build the matrix without them; the matrices are ready afterwards."""
    suspects = dependent_rows(assembly.system)
    if len(suspects) and len(assembly.system.matrix.hub_body):
        # they may depend on others only while a hub is left out
        rebuild_matrix(assembly, deferred=suspects)
        start.begin(assembly.system)
        suspects = dependent_rows(assembly.system)
    redundancy = Redundancy(NO_ROWS, [])
    if len(suspects):
        redundancy = redundancy_of(assembly.system, suspects)
        rebuild_matrix(assembly, left_out=redundancy.left_out)
        start.begin(assembly.system)
    return redundancy


def may_choose_rows(assembly: Assembly, culprit: int) -> bool:
    """Whether the subsystem of row `culprit` is small enough for `choose_rows`."""
    parts = assembly.system.parts
    part = parts[subsystem_of_rows(parts, culprit)]
    return bool(part["last_row"] - part["first_row"] <= MOST_DENSE)


def choose_rows(assembly: Assembly, culprit: int) -> Redundancy:
    """Choose the rows to leave out in the subsystem of row `culprit` again, from the Jacobian of t_n."""
    system = assembly.system
    s = int(subsystem_of_rows(system.parts, culprit))
    part = system.parts[s]
    start.renew_jacobians(system, s)
    weigh_entries(system.entries, system.bodies)
    everywhere = np.flatnonzero(system.rows["left_out"] != 0)
    inside = np.arange(part["first_row"], part["last_row"])
    redundancy = redundancy_of(system, np.union1d(everywhere, inside))
    rebuild_matrix(assembly, left_out=redundancy.left_out)
    return redundancy


def set_slack(system: System) -> None:
    """What a row that is left out may be off by later on: some times what it is off by at t = 0."""
    start.measure_gaps(system)
    rows = system.rows
    rows["slack"] = np.clip(10 * np.abs(rows["residual"]) / rows["scale"], LEAST_SLACK, LARGEST_SLACK)


def dependent_rows(system: System) -> Ints:
    """Rows with a zero pivot that act."""
    place = system.matrix.place_of_row
    if len(place) == 0:
        return NO_ROWS
    dependent = (place >= 0) & (system.matrix.pivot_inverse[place] == 0.0)
    return np.setdiff1d(np.flatnonzero(dependent), idle_rows(system))


def idle_rows(system: System) -> Ints:
    """Rows of motions and drives that do not act."""
    idle = released_rows(system.conditions)
    idle = [*idle, *system.drives["row"][system.drives["active"] == 0].tolist()]
    return np.array(idle, dtype=np.int64)


def rebuild_matrix(assembly: Assembly, deferred: Ints = NO_ROWS, left_out: Ints = NO_ROWS) -> None:
    """Pattern and order of the multiplier matrix with some rows eliminated last, or left out."""
    system = assembly.system
    parts = system.parts
    row_start = np.append(parts["first_row"], len(system.rows))
    body_start = np.append(parts["first_body"], len(system.bodies))
    matrix = build_matrix(system.rows, system.entries, row_start, body_start, deferred, left_out)
    note_matrix(parts, system.rows, matrix)
    assembly.system = system._replace(matrix=matrix)


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
    rows = system.drives["row"][system.drives["active"] == 1].tolist()
    records = system.conditions.records
    rows += records["row"][(records["kind"] != FIXED) & (records["active"] == 1)].tolist()
    return int(np.count_nonzero(system.rows["left_out"][rows] == 0)) if rows else 0


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


# ---- positions -----------------------------------------------------------------------------------------------


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


def assemble_positions(assembly: Assembly) -> list[Move]:
    """Close all gaps; the bodies that moved by more than rounding, the largest moves first."""
    system = assembly.system
    failed = start.close_gaps(system)
    if failed >= 0:
        refuse(assembly, [unclosed_gap(assembly, failed)])
    return moves_of_bodies(assembly)


def refuse_contradictions(assembly: Assembly, redundancy: Redundancy) -> None:
    """Raises DeckError where a row that depends on others asks for another rate than they do: a blocked drive."""
    rows, names, errors = assembly.system.rows, assembly.row_names, []
    fastest = fastest_rate(assembly.system)
    for row in redundancy.left_out:
        if abs(rows["residual"][row]) > MISFIT * rows["scale"][row] * fastest:
            group = next(group for group in redundancy.groups if row in group)
            others = short_list([name for name in dict.fromkeys(names[other] for other in group) if name != names[row]])
            errors.append(
                assembly.row_wheres[row].diagnose(
                    "error",
                    f"{names[row]} asks for a motion that others do not allow ({others}): at t = 0 its rate is off by "
                    f"{abs(rows['residual'][row]):.6g}",
                    hint="drives and joints contradict each other: check axes, directions and what is held by /BCS",
                )
            )
    refuse(assembly, errors)


def rotated_momenta(bodies: Records, momentum: Floats) -> Floats:
    """Angular momenta (nb, 3) of the same angular velocities after the bodies were turned."""
    rotation = bodies["rotation"]
    spin = np.einsum("bij,bj->bi", bodies["inverse_inertia"], momentum)
    return np.einsum("bij,bjk,blk,bl->bi", rotation, bodies["inertia"], rotation, spin, optimize=True)


def kinetic_energies(bodies: Records) -> Floats:
    """Kinetic energy (nb,) at the positions at hand."""
    spin = angular_velocities(bodies, bodies["momentum"])
    return 0.5 * bodies["mass"] * (bodies["velocity"] ** 2).sum(axis=1) + 0.5 * (bodies["momentum"] * spin).sum(axis=1)
