"""Contacts of a planar subsystem: the bodies that may touch tell how they move, and take what contacts do to them.

The kernels of contacts are those of the general path; what a force does across the plane is left to the rows.
"""

from __future__ import annotations

from ..contact.frames import give_motion, give_velocity, take_wrench
from ..core.jit.kernels import kernel
from ..core.jit.pointers import call
from ..core.vectors import plus, row, scaled, set_vector, vector_of
from .status import COMPLETED
from .system import ON_SUBSYSTEM, System


@kernel(inline=True)
def start_contacts(system: System, s: int) -> int:
    """Forces of contacts at t_n on bodies that are put there; what depends on the rate sees their mean velocities."""
    subsystem, plane, contacts, bodies = system.subsystems[s], system.planes.planes[s], system.contacts, system.bodies
    for k in range(plane.first_touched, plane.last_touched):
        i = system.planes.touched[k]
        set_vector(bodies[i].velocity, vector_of(bodies[i].mean_velocity))  # that of the step that led to t_n
        give_motion(contacts, i, bodies[i], subsystem.previous_dt)
    status = call(system.kernels.find_contacts, ON_SUBSYSTEM, system, s)
    take_forces(system, s)
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def refine_contacts(system: System, s: int) -> int:
    """The same forces at a new estimate of v_n."""
    plane, contacts, bodies = system.planes.planes[s], system.contacts, system.bodies
    for k in range(plane.first_touched, plane.last_touched):
        i = system.planes.touched[k]
        give_velocity(contacts, i, bodies[i])
    status = call(system.kernels.refine_contacts, ON_SUBSYSTEM, system, s)
    take_forces(system, s)
    return status  # type: ignore[no-any-return]


@kernel(inline=True)
def take_forces(system: System, s: int) -> None:
    """Add the forces of all contacts to the dissipative ones, which are found anew with every estimate of v_n."""
    plane = system.planes.planes[s]
    for k in range(plane.first_touched, plane.last_touched):
        i = system.planes.touched[k]
        take_wrench(system.contacts, i, system.bodies[i])


@kernel(inline=True)
def accumulate_contacts(system: System, s: int) -> int:
    """Work of contacts over the step that led to t_n; it is taken out again of what dampers did."""
    subsystem, step, planes = system.subsystems[s], system.steps[s], system.planes
    plane = planes.planes[s]
    first, second, normal = row(plane.axes, 0), row(plane.axes, 1), row(plane.axes, 2)
    for k in range(plane.first_touched, plane.last_touched):
        i = planes.touched[k]
        move, b = system.contacts.moves[i], planes.bodies[i]
        x, y = step.dt * b.trial_velocity[0], step.dt * b.trial_velocity[1]
        set_vector(move.next_step, plus(scaled(x, first), scaled(y, second)))
        set_vector(move.next_turn, scaled(b.trial_turn, normal))
    status = call(system.kernels.accumulate_contacts, ON_SUBSYSTEM, system, s)
    if status == COMPLETED:
        subsystem.damping_work += step.contact_work
    return status  # type: ignore[no-any-return]
