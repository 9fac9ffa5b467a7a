"""How much energy the rows of a subsystem gain or lose in a step, which exact ones would not.

Over the step that led to t_n the multipliers do the work (lambda_{n-1} G_{n-1} + lambda_n G_n)/2 (x_n - x_{n-1}).  Rows
that hold at both ends have G_{n-1} (x_n - x_{n-1}) = -G_n (x_n - x_{n-1}), to the second order both are their curvature
along the step; a row with a target has its growth in addition, whose work is booked as that of its drive.  So

    error = (lambda_n - lambda_{n-1}) (G_n (x_n - x_{n-1}) - growth of the target) / 2,

and it is large only where multipliers change by much in one step: where a machine passes a place in which light parts
have to move very fast, or what is the same, an impact within the rows.  A shorter step resolves that.

Where forces do much work in a step, as those of a suspension at steps of a tenth of its period, the multipliers change
with them, and the error is no larger than that which the step makes in the work of these forces itself.
"""

from __future__ import annotations

from ..constraints.rows import rate_of_row
from ..core.bodies import Record
from ..core.body_points import spin_in_step
from ..core.jit.kernels import kernel
from .system import System

# Energy that the rows of a subsystem may gain or lose in one step, of its largest kinetic energy.
LARGEST_ERROR = 1e-4
# And of the work that forces do on its bodies in the step, where that is more; that of weight is as exact as the step.
PART_OF_WORK = 5e-3
# It counts only above this fraction of the work that the multipliers would do over the sizes of their rows: a machine
# that starts from rest has no kinetic energy to compare with.
LEAST_ERROR = 1e-12
# Trial positions of a step that are off by more than this, of the size of a row, before any correction: below that the
# multipliers hardly change, and the energy is not worth finding.
ROUGH = 1e-8


@kernel
def rows_lose_energy(system: System, s: int) -> bool:
    """Whether the rows of subsystem s gained or lost too much of its energy in the step that led to t_n."""
    subsystem, step = system.subsystems[s], system.steps[s]
    if not is_large_beside_motion(subsystem, step, energy_error(system, s), kinetic_energy(system, subsystem)):
        return False
    return is_large_beside_work(subsystem, step, work_of_forces(system, s), work_of_size(system, subsystem))


@kernel(inline=True)
def is_large_beside_motion(subsystem: Record, step: Record, error: float, kinetic: float) -> bool:
    """Note the error of a step; whether it is too large for the largest kinetic energy, which is quickly known."""
    subsystem.largest_kinetic = max(subsystem.largest_kinetic, kinetic)
    step.energy_error, step.energy_scale = error, subsystem.largest_kinetic
    return is_too_large(subsystem, step)  # type: ignore[no-any-return]


@kernel(inline=True)
def is_large_beside_work(subsystem: Record, step: Record, of_forces: float, of_size: float) -> bool:
    """Whether an error that is large beside motion is so beside the work of forces, too; not in parts of steps.

    of_size : what the multipliers would do over the sizes of their rows
    """
    if subsystem.rough == 0:
        step.energy_scale = max(subsystem.largest_kinetic, PART_OF_WORK / LARGEST_ERROR * of_forces)
    return is_too_large(subsystem, step) and abs(step.energy_error) > LEAST_ERROR * of_size


@kernel(inline=True)
def is_too_large(subsystem: Record, step: Record) -> bool:
    """Whether the error is more than a step may make of the energy that it is compared with."""
    return abs(step.energy_error) > subsystem.energy_tolerance * step.energy_scale  # type: ignore[no-any-return]


@kernel
def work_of_forces(system: System, s: int) -> float:
    """Work of the forces on each body in the step that led to t_n, as they are at its end, weight left out.

    The sum of their sizes.
    """
    subsystem, dt, total = system.subsystems[s], system.steps[s].previous_dt, 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        b, work = system.bodies[i], 0.0
        for c in range(3):
            force = b.elastic[c] + b.dissipative[c] + b.external[c]
            moment = b.elastic[c + 3] + b.dissipative[c + 3] + b.external[c + 3]
            work += dt * force * b.velocity[c] + moment * b.step_rotation[c]
        total += abs(work)
    return total


@kernel
def energy_error(system: System, s: int) -> float:
    """Energy that rows gained in the step that led to t_n, work of drives left out; once the multipliers are found."""
    subsystem, step = system.subsystems[s], system.steps[s]
    rows, entries, bodies = system.rows, system.entries, system.bodies
    total = 0.0
    for i in range(subsystem.first_row, subsystem.last_row):
        row = rows[i]
        moved = step.previous_dt * rate_of_row(row, entries, bodies, False)
        total += (row.multiplier - row.previous_multiplier) * moved
    for i in range(subsystem.first_drive, subsystem.last_drive):
        row = rows[system.drives[i].row]
        total -= (row.multiplier - row.previous_multiplier) * system.drives[i].last_target_step
    for i in range(subsystem.first_condition, subsystem.last_condition):
        condition = system.conditions.records[i]
        row = rows[condition.row]
        total -= (row.multiplier - row.previous_multiplier) * condition.last_target_step
    return 0.5 * total


@kernel
def work_of_size(system: System, subsystem: Record) -> float:
    """Sum of |lambda| times the size of the row."""
    total = 0.0
    for i in range(subsystem.first_row, subsystem.last_row):
        total += abs(system.rows[i].multiplier) * system.rows[i].scale
    return total


@kernel
def kinetic_energy(system: System, subsystem: Record) -> float:
    """Of the bodies of a subsystem at t_{n-1/2}."""
    total = 0.0
    for i in range(subsystem.first_body, subsystem.last_body):
        b = system.bodies[i]
        w = spin_in_step(b, False)
        for c in range(3):
            total += b.mass * b.velocity[c] * b.velocity[c] + b.momentum[c] * w[c]
    return 0.5 * total
