"""What families that only some decks have do at the events of a step: kernels called by address.

All of them take the system by reference and a subsystem, and return a status.  A deck compiles those it needs.
"""

from __future__ import annotations

from ..constraints.drives import (
    JUMPS,
    NOTHING,
    drive_work_of_start,
    prepare_drives,
    subtract_drive_rates,
)
from ..constraints.kkt import assemble_matrix, factorise
from ..constraints.nodal_constraints import (
    condition_jacobians,
    condition_residuals,
    prepare_conditions,
    subtract_target_rates,
    work_of_start,
)
from ..constraints.rows import DEACTIVATED, add_impulse
from ..contact.evaluate import begin_interface, finish_interface, load_interface, refine_interface, step_of
from ..contact.first_touch import step_to_first_touch
from ..contact.parts import forget_points_of_parts
from ..contact.records import DONE
from ..contact.rigid_walls import book_walls, hold_nodes, start_walls
from ..contact.work import accumulate_work
from ..core.bodies import Record
from ..core.body_points import EXTERNAL, clear, forces_on
from ..core.jit.kernels import kernel
from ..forces.joint_forces import add_joint_dampers, add_joint_forces
from ..forces.loads import add_loads
from ..forces.springs import add_spring_dampers, measure_springs
from ..geometry.contact_points import KERNEL_DIED
from .kick_drift import kick_bodies
from .parts import accumulate_in_parts, find_in_parts, is_divided, refine_in_parts
from .rows import has, set_relations
from .status import AGAIN, COMPLETED, DIED, JUMP, NO_CAPACITY, NO_DISTANCE
from .system import GYROSTATS, System

WEAK = 1e-3  # a pivot, relative to its row's diagonal, that says that the row may be about to depend on others


# ---- forces --------------------------------------------------------------------------------------------------


@kernel
def start_springs(system: System, s: int) -> int:
    """Springs at t_n: elongations, elastic forces, and dampers at the estimate of v_n at hand."""
    subsystem, step, springs, bodies = system.subsystems[s], system.steps[s], system.springs, system.bodies
    first, last, skews, tables = subsystem.first_spring, subsystem.last_spring, system.skews, system.tables
    measure_springs(springs, first, last, bodies, tables, skews, step.t, step.dt, step.previous_dt)
    add_spring_dampers(springs, first, last, bodies, tables, skews)
    return COMPLETED


@kernel
def refine_springs(system: System, s: int) -> int:
    """Dampers of springs at a new estimate of v_n."""
    subsystem = system.subsystems[s]
    add_spring_dampers(
        system.springs, subsystem.first_spring, subsystem.last_spring, system.bodies, system.tables, system.skews
    )
    return COMPLETED


@kernel
def start_joint_forces(system: System, s: int) -> int:
    """Forces along joints at t_n, and what depends on their rates."""
    subsystem, joints, bodies = system.subsystems[s], system.joints, system.bodies
    first, last = subsystem.first_joint_force, subsystem.last_joint_force
    add_joint_forces(system.joint_forces, first, last, joints, bodies)
    add_joint_dampers(system.joint_forces, first, last, joints, system.rows, bodies)
    return COMPLETED


@kernel
def refine_joint_forces(system: System, s: int) -> int:
    """Dampers and friction of joints at a new estimate of v_n."""
    subsystem = system.subsystems[s]
    first, last = subsystem.first_joint_force, subsystem.last_joint_force
    add_joint_dampers(system.joint_forces, first, last, system.joints, system.rows, system.bodies)
    return COMPLETED


@kernel
def apply_loads(system: System, s: int) -> int:
    """Loads at t_n, in place of those of the last step."""
    subsystem, step, bodies = system.subsystems[s], system.steps[s], system.bodies
    for i in range(subsystem.first_body, subsystem.last_body):
        clear(forces_on(bodies[i], EXTERNAL))
    add_loads(system.loads, subsystem.first_load, subsystem.last_load, bodies, system.tables, system.skews, system.axes,
              step.t, step.dt, step.previous_dt)  # fmt: skip
    return COMPLETED


# ---- contacts and walls --------------------------------------------------------------------------------------


@kernel
def find_contacts(system: System, s: int) -> int:
    """Points where shapes touch at t_n, and their forces."""
    subsystem, step, contacts, bodies = system.subsystems[s], system.steps[s], system.contacts, system.bodies
    for k in range(subsystem.first_interface, subsystem.last_interface):
        interface = contacts.interfaces[k]
        if not begin_interface(interface, step.t, step.previous_dt, step.dt, subsystem.sampled):
            forget_points_of_parts(contacts, interface)
            continue
        kick, status = step_of(interface, step.t, step.previous_dt, step.dt), COMPLETED
        if is_divided(interface):
            status = find_in_parts(system, s, k)
        elif not load_interface(contacts, k, bodies, kick, step.damped == 1):
            status = NO_CAPACITY
        if status != COMPLETED:
            step.culprit = k
            return status
        if finish_interface(contacts, k, bodies, kick, step.damped == 1) != DONE:
            return DIED
    return COMPLETED


@kernel(inline=True)
def status_of_buffers(full: int) -> int:
    """The status where contacts were looked for; full : an interface with a short buffer, KERNEL_DIED, or -1."""
    if full == KERNEL_DIED:
        return DIED
    return COMPLETED if full < 0 else NO_CAPACITY


@kernel
def refine_contacts(system: System, s: int) -> int:
    """Forces of contacts at a new estimate of v_n."""
    subsystem, contacts, status = system.subsystems[s], system.contacts, COMPLETED
    for k in range(subsystem.first_interface, subsystem.last_interface):
        if is_divided(contacts.interfaces[k]):
            status = refine_in_parts(system, s, k)
        elif refine_interface(contacts, k, system.bodies) != DONE:
            status = DIED
        if status != COMPLETED:
            return status
    return COMPLETED


@kernel
def accumulate_contacts(system: System, s: int) -> int:
    """Work of contacts over the step that led to t_n."""
    subsystem, step, contacts = system.subsystems[s], system.steps[s], system.contacts
    step.contact_work = 0.0
    for k in range(subsystem.first_interface, subsystem.last_interface):
        interface = contacts.interfaces[k]
        if not is_divided(interface):
            step.contact_work += accumulate_work(contacts, interface)
            continue
        status = accumulate_in_parts(system, s, k)
        if status != COMPLETED:
            return status
    return COMPLETED


@kernel
def find_first_touch(system: System, s: int) -> int:
    """What is left of a step, or less where shapes touch before."""
    step = system.steps[s]
    step.first_touch, full = step_to_first_touch(
        system.contacts, system.subsystems[s], system.bodies, step.t, step.first_touch
    )
    step.culprit = full
    return status_of_buffers(full)


@kernel
def begin_walls(system: System, s: int) -> int:
    """Walls at t_n: places, and the forces of the last step as a first guess."""
    start_walls(system.walls, system.subsystems[s], system.bodies)
    return COMPLETED


@kernel
def hold_walls(system: System, s: int) -> int:
    """Forces of walls for the trial motion at hand."""
    step = system.steps[s]
    step.change = hold_nodes(system.walls, system.subsystems[s], s, system.bodies, system.rows, system.entries,
                             system.matrix, step.kick, step.dt, step.wall_passes)  # fmt: skip
    return COMPLETED


@kernel
def accumulate_walls(system: System, s: int) -> int:
    """Work of the forces of walls."""
    step = system.steps[s]
    book_walls(system.walls, system.subsystems[s], system.bodies, step.previous_dt, step.dt)
    return COMPLETED


# ---- rows ----------------------------------------------------------------------------------------------------


@kernel
def aim_drives(system: System, s: int) -> int:
    """Targets of drives for the step."""
    subsystem, step = system.subsystems[s], system.steps[s]
    changed, wrong, row = prepare_drives(
        system.drives, subsystem.first_drive, subsystem.last_drive, system.rows, system.joints, system.tables, step.t,
        step.dt, step.previous_dt, subsystem.stretch,
    )  # fmt: skip
    if wrong != NOTHING:
        step.culprit = row
        return JUMP if wrong == JUMPS else NO_DISTANCE
    if changed:
        subsystem.stale = 1
        if has(subsystem, GYROSTATS):
            set_relations(system, s)
        for i in range(subsystem.first_drive, subsystem.last_drive):
            let_go(system, system.drives[i], step)
    return COMPLETED


@kernel
def aim_conditions(system: System, s: int) -> int:
    """Axes and targets of constraints of nodes for the step."""
    subsystem, step = system.subsystems[s], system.steps[s]
    changed, jump = prepare_conditions(
        system.conditions, subsystem.first_condition, subsystem.last_condition, system.rows, system.tables,
        system.skews, system.bodies, system.axes, step.t, step.dt, step.previous_dt, subsystem.stretch,
    )  # fmt: skip
    if jump >= 0:
        step.culprit = jump
        return JUMP
    if changed:
        subsystem.stale = 1
        for i in range(subsystem.first_condition, subsystem.last_condition):
            let_go(system, system.conditions.records[i], step)
    return COMPLETED


@kernel
def let_go(system: System, law: Record, step: Record) -> None:
    """The half kick that a drive or an imposed motion still gives at the time it lets go."""
    if law.release != 0.0:
        add_impulse(system.rows[law.row], system.entries, system.bodies, step.kick * law.release)


@kernel
def set_condition_jacobians(system: System, s: int) -> int:
    """Jacobians of constraints of nodes at t_n."""
    subsystem = system.subsystems[s]
    condition_jacobians(
        system.conditions, subsystem.first_condition, subsystem.last_condition, system.entries, system.bodies
    )
    return COMPLETED


@kernel
def measure_conditions(system: System, s: int) -> int:
    """Residuals of constraints of nodes at the trial positions."""
    subsystem = system.subsystems[s]
    first, last = subsystem.first_condition, subsystem.last_condition
    condition_residuals(system.conditions, first, last, system.rows, system.skews, system.bodies)
    return COMPLETED


@kernel
def subtract_start_rates(system: System, s: int) -> int:
    """row.residual less the rates that drives and prescribed motions want at t = 0."""
    subsystem, rows, tables = system.subsystems[s], system.rows, system.tables
    subtract_drive_rates(system.drives, subsystem.first_drive, subsystem.last_drive, rows, tables)
    subtract_target_rates(system.conditions, subsystem.first_condition, subsystem.last_condition, rows, tables, 0.0)
    return COMPLETED


@kernel
def add_start_work(system: System, s: int) -> int:
    """Work of drives and prescribed motions that start with a jump of the velocities."""
    subsystem, rows, tables = system.subsystems[s], system.rows, system.tables
    subsystem.drive_work += drive_work_of_start(
        system.drives, subsystem.first_drive, subsystem.last_drive, rows, tables
    )
    subsystem.drive_work += work_of_start(
        system.conditions, subsystem.first_condition, subsystem.last_condition, rows, tables
    )
    return COMPLETED


@kernel
def deactivate_weak_rows(system: System, s: int) -> int:
    """Take the multipliers of rows that nearly depend on others as zero for this step, and predict it anew.

    COMPLETED where there are no such rows, else AGAIN.

    Where a machine passes a position in which it could branch off, the weak combination of rows changes its sign within
    a step, and no correction with the Jacobian of t_n finds its way across: the motion at hand carries it over.
    """
    subsystem, step, matrix = system.subsystems[s], system.steps[s], system.matrix
    rows, entries, bodies = system.rows, system.entries, system.bodies
    assemble_matrix(matrix, s, subsystem, rows, entries, bodies)
    factorise(matrix, s, WEAK)
    found = False
    for i in range(subsystem.first_row, subsystem.last_row):
        place = matrix.place_of_row[i]
        if place >= 0 and matrix.pivot_inverse[place] == 0.0 and matrix.magnitude[place] > 0.0:
            rows[i].left_out = DEACTIVATED
            rows[i].predicted = 0.0
            rows[i].previous_multiplier = 0.0
            found = True
    if not found:
        return COMPLETED
    # trial velocities from the forces of t_n and the predicted multipliers
    kick_bodies(bodies, None, subsystem.first_body, subsystem.last_body, step.kick, 0.0, False)
    for i in range(subsystem.first_row, subsystem.last_row):
        rows[i].multiplier = rows[i].predicted
        add_impulse(rows[i], entries, bodies, step.kick * rows[i].multiplier)
    return AGAIN
