"""Multipliers and corrections of subsystems that move in a plane: two rows a link, in blocks, in place of all rows.

Bodies keep their motion in space, in which forces see them.  Their places and velocities are handed to the records of
the plane (`constraints.plane_links`), the rows are solved for there, and what comes of it is handed back.
"""

from __future__ import annotations

import math

from ...constraints.plane_links import NO_DRIVE, PIN, ROD, factor_of, measure_links, rate_of_link, set_jacobian
from ...constraints.plane_matrix import correct_links
from ...core.bodies import Record, Records
from ...core.jit.kernels import kernel
from ...core.vectors import dot, row
from ..plane_samples import momentum_of
from ..planes import refresh_blocks
from ..rows import has
from ..system import DRIVES, System
from .motion import place_in_plane, take_from_plane, turn_in_plane

# A pivot below this fraction of the diagonal of its row: the rows nearly depend on each other, as where a machine could
# branch off.  Both Jacobians are of one place, so that a step over such a place need not see it.
WEAK = 1e-8


@kernel
def enter_plane(system: System, s: int) -> None:
    """Places and velocities of the bodies of subsystem s in their plane."""
    subsystem, planes = system.subsystems[s], system.planes
    axes = planes.planes[s].axes
    for i in range(subsystem.first_body, subsystem.last_body):
        place_in_plane(system.bodies[i], planes.bodies[i], axes)


@kernel
def turn_about_normal(system: System, s: int) -> None:
    """Bodies of subsystem s stay in their plane."""
    subsystem, planes = system.subsystems[s], system.planes
    normal = row(planes.planes[s].axes, 2)
    for i in range(subsystem.first_body, subsystem.last_body):
        turn_in_plane(system.bodies[i], planes.bodies[i], normal)


@kernel
def measure_plane(system: System, s: int) -> float:
    """Residuals and Jacobians of the links where bodies are; the largest residual by its tolerance."""
    subsystem, planes = system.subsystems[s], system.planes
    enter_plane(system, s)
    worst = measure_links(planes.links, subsystem.first_link, subsystem.last_link, planes.bodies)
    if has(subsystem, DRIVES):
        for k in range(subsystem.first_link, subsystem.last_link):
            link = planes.links[k]
            if link.drive != NO_DRIVE:
                link.residual[0] = factor_of(link) * system.rows[link.row].residual
                worst = max(worst, abs(link.residual[0]) * link.inverse_tolerance)
    return worst  # type: ignore[no-any-return]


@kernel
def factorise_plane(system: System, s: int) -> None:
    """Jacobians, and the matrix G M^-1 G^T, where bodies are."""
    subsystem, planes = system.subsystems[s], system.planes
    enter_plane(system, s)
    measure_links(planes.links, subsystem.first_link, subsystem.last_link, planes.bodies)
    renew_jacobians(system, s)
    refresh_blocks(system, s, WEAK)
    planes.planes[s].kept = 0


@kernel
def renew_jacobians(system: System, s: int) -> None:
    """Jacobians of the places that were measured last."""
    subsystem, planes = system.subsystems[s], system.planes
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        set_jacobian(link)
        if link.drive != NO_DRIVE:
            link.released = 1 - system.drives[link.drive].active


@kernel
def solve_plane(system: System, s: int, kick: float) -> None:
    """Trial velocities of the bodies, in the plane and then in space, without the residuals of the links."""
    subsystem, planes = system.subsystems[s], system.planes
    correct_links(planes.columns, subsystem.first_link, subsystem.last_link, planes.below, planes.blocks, planes.links,
                  planes.bodies, -1.0, kick)  # fmt: skip


@kernel
def leave_plane(system: System, s: int) -> None:
    """Trial velocities of the plane in space."""
    subsystem, planes = system.subsystems[s], system.planes
    axes = planes.planes[s].axes
    first, second, normal = row(axes, 0), row(axes, 1), row(axes, 2)
    for i in range(subsystem.first_body, subsystem.last_body):
        b = planes.bodies[i]
        momentum = momentum_of(b, b.trial_rate, 0.0, 1.0, first, second, normal)
        take_from_plane(system.bodies[i], b.trial_velocity[0], b.trial_velocity[1], first, second, momentum)


@kernel
def find_plane_multipliers(system: System, s: int, refinements: int) -> None:
    """`rates.find_multipliers` in the plane; trial velocities are the accelerations by the forces."""
    subsystem, planes = system.subsystems[s], system.planes
    axes = planes.planes[s].axes
    for i in range(subsystem.first_body, subsystem.last_body):
        body, b = system.bodies[i], planes.bodies[i]
        for c in range(2):
            b.trial_velocity[c] = dot(body.trial_velocity, row(axes, c))
        b.trial_rate = b.inverse_inertia * dot(body.trial_momentum, row(axes, 2))
    for k in range(subsystem.first_link, subsystem.last_link):
        planes.links[k].multiplier[0], planes.links[k].multiplier[1] = 0.0, 0.0
    for _ in range(1 + refinements):
        for k in range(subsystem.first_link, subsystem.last_link):
            link = planes.links[k]
            set_curvature(link, planes.bodies)
            for c in range(2):
                link.residual[c] += rate_of_link(link, planes.bodies, c, True)
            if link.drive != NO_DRIVE:
                wanted = factor_of(link) * system.accurate.aims[link.drive].acceleration
                link.residual[0] = 0.0 if link.released == 1 else link.residual[0] - wanted
        solve_plane(system, s, 1.0)
    for k in range(subsystem.first_link, subsystem.last_link):
        link = planes.links[k]
        if link.drive != NO_DRIVE:
            system.rows[link.row].multiplier = 0.0 if link.released == 1 else factor_of(link) * link.multiplier[0]
    leave_plane(system, s)


@kernel(inline=True)
def set_curvature(link: Record, bodies: Records) -> None:
    """link.residual <- what the second derivative of the rows has without accelerations, see `curvatures`."""
    a, b, arms, residual = bodies[link.first], bodies[link.second], link.arms, link.residual
    ax, ay = a.cosine * arms[0, 0] - a.sine * arms[0, 1], a.sine * arms[0, 0] + a.cosine * arms[0, 1]
    bx, by = b.cosine * arms[1, 0] - b.sine * arms[1, 1], b.sine * arms[1, 0] + b.cosine * arms[1, 1]
    on_a, on_b = a.rate * a.rate, b.rate * b.rate
    residual[0], residual[1] = 0.0, 0.0
    if link.kind == PIN:
        residual[0], residual[1] = on_a * ax - on_b * bx, on_a * ay - on_b * by
        return
    ex, ey = link.force[0, 0], link.force[0, 1]
    if ex == 0.0 and ey == 0.0:  # an angle
        return
    ux = (link.offset[0] + (b.place[0] - a.place[0])) + (bx - ax)
    uy = (link.offset[1] + (b.place[1] - a.place[1])) + (by - ay)
    moves_x = (b.velocity[0] - b.rate * by) - (a.velocity[0] - a.rate * ay)
    moves_y = (b.velocity[1] + b.rate * bx) - (a.velocity[1] + a.rate * ax)
    if link.kind == ROD:
        along = moves_x * ex + moves_y * ey
        bent = (on_a * ax - on_b * bx) * ex + (on_a * ay - on_b * by) * ey
        residual[0] = bent + (moves_x * moves_x + moves_y * moves_y - along * along) / math.sqrt(ux * ux + uy * uy)
        return
    # as `curvatures.of_force`: moves is the velocity against the place on body a, from which that of node j differs
    moves_x, moves_y = moves_x + a.rate * uy, moves_y - a.rate * ux
    bent_x = on_a * (ax + ux) - on_b * bx + 2.0 * a.rate * moves_y
    bent_y = on_a * (ay + uy) - on_b * by - 2.0 * a.rate * moves_x
    residual[0] = bent_x * ex + bent_y * ey


@kernel
def change_velocities(system: System, s: int) -> tuple[float, float]:
    """Trial velocities in the plane, and in space, that the rows admit, from the velocities at hand.

    Returns the work of drives, and what an impact of theirs loses of it.
    """
    subsystem, planes, done, lost = system.subsystems[s], system.planes, 0.0, 0.0
    enter_plane(system, s)
    for i in range(subsystem.first_body, subsystem.last_body):
        b = planes.bodies[i]
        b.trial_velocity[0], b.trial_velocity[1], b.trial_rate = b.velocity[0], b.velocity[1], b.rate
    for _ in range(2):
        for k in range(subsystem.first_link, subsystem.last_link):
            link = planes.links[k]
            for c in range(2):
                link.residual[c] = rate_of_link(link, planes.bodies, c, True)
            if link.drive != NO_DRIVE:
                wanted = factor_of(link) * system.accurate.aims[link.drive].rate
                link.residual[0] = 0.0 if link.released == 1 else link.residual[0] - wanted
        solve_plane(system, s, 1.0)
        for k in range(subsystem.first_link, subsystem.last_link):
            link = planes.links[k]
            if link.drive != NO_DRIVE:
                done += factor_of(link) * link.correction[0] * system.accurate.aims[link.drive].rate
                lost -= 0.5 * link.correction[0] * link.residual[0]
    leave_plane(system, s)
    return done, lost


@kernel
def change_places(system: System, s: int) -> None:
    """Trial velocities in space that take the residuals of the links away in a time of 1."""
    subsystem, planes = system.subsystems[s], system.planes
    for i in range(subsystem.first_body, subsystem.last_body):
        b = planes.bodies[i]
        b.trial_velocity[0], b.trial_velocity[1], b.trial_rate = 0.0, 0.0, 0.0
    solve_plane(system, s, 1.0)
    leave_plane(system, s)
