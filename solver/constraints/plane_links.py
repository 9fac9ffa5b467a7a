"""Links of a planar subsystem: what joints hold in the plane in which all of its bodies stay.

Where all axes are parallel to the normal n of a plane, a body has two displacements and one angle, and its
angle grows by h omega in a step: what the variational map of `core.rotation` gives about a fixed axis.  Products of
inertia do not matter; what holds the bodies in the plane has no part in the motion.

A link holds two rows at most, on body b (node j of its joint) and the opposite on body a.  With u the place of node j
less where it belongs on body a, and the axes of body a going round with it:

    PIN     u = 0                               RAIL    u . e = constant,  angle between the bodies constant
    SLOT    u . e = constant                    ROD     |u| = constant
    NO_TURN angle between the bodies constant
    ANGLE   angle of a joint, driven            TRAVEL  u . e, driven

Rows of angles are taken times the size of the machine, so that all rows are lengths.  A row acts on its bodies by a
force f and a moment m: `force` (2, 2) holds f of both rows, on body b, `moment` (2, 2) those on bodies a and b.  A link
of one row has a second one that says nothing, and one whose drive has let go none that does.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import FARTHEST, GROUND, MAX_STEP_ANGLE_SQUARED, Record, Records
from ..core.jit.kernels import kernel
from ..core.rotation import half_angle_factors
from ..core.sums import grown

PIN, RAIL, SLOT, ROD, NO_TURN, ANGLE, TRAVEL = range(7)
ONE_ROW = (SLOT, ROD, NO_TURN, ANGLE, TRAVEL)
NO_DRIVE = -1

# By body, in the axes of the plane; positions at t_n, velocities at t_{n-1/2}; `trial_` is the step at hand.
PLANE_BODY = np.dtype(
    [
        ("inverse_mass", "f8"),
        ("inverse_inertia", "f8"),  # about n
        ("gravity", "f8", 2),
        ("place", "f8", 2),  # displacement from t = 0
        ("low", "f8", 2),  # what its sum lost to rounding
        ("cosine", "f8"),  # of the angle
        ("sine", "f8"),
        ("velocity", "f8", 2),
        ("rate", "f8"),
        ("trial_place", "f8", 2),
        ("trial_low", "f8", 2),
        ("trial_cosine", "f8"),
        ("trial_sine", "f8"),
        ("trial_velocity", "f8", 2),
        ("trial_rate", "f8"),
        ("turn", "f8"),  # of the step that led to t_n
        ("trial_turn", "f8"),
        ("angle", "f8"),  # at t_n, whole turns included: to count these
        ("start_angle", "f8"),  # at t = 0
        # forces in the plane and moment about n at t_n, of bodies on which some act
        ("force", "f8", 3),  # all of them
        ("dissipative", "f8", 3),
        ("external", "f8", 3),
        ("kicked", "f8", 3),  # what the last change of dissipative forces did to the trial velocities and the rate
        ("previous_dissipative", "f8", 3),  # at t_{n-1}, for the work they do
        ("previous_external", "f8", 3),
        ("height", "f8"),  # displacement along n
        ("products", "f8", 2),  # angular momentum across n at unit rate, body axes
        ("inertia", "f8"),
        ("mass", "f8"),
    ],
    align=True,
)
# By subsystem.
PLANE = np.dtype(
    [
        ("pins", "i8"),  # 1: all links are
        ("first_block", "i8"),  # of the matrix
        ("last_block", "i8"),
        ("first_pair", "i8"),
        ("last_pair", "i8"),
        ("on_bodies", "i8"),  # 1: there are other forces than weight
        ("first_touched", "i8"),  # bodies that are put in place in each step, as such forces act on them
        ("last_touched", "i8"),
        ("even", "i8"),  # multipliers that are known at equal steps, up to three
        ("kept", "i8"),  # 1: there is a matrix of an earlier step
        ("axes", "f8", (3, 3)),  # rows: two directions in the plane, and its normal
    ],
    align=True,
)
# Links stand in the order of elimination.
LINK = np.dtype(
    [
        ("kind", "i8"),
        ("first", "i8"),  # body a
        ("second", "i8"),  # body b
        ("row", "i8"),  # the first of its joint, or that of its drive
        ("drive", "i8"),  # NO_DRIVE where it has none
        ("released", "i8"),  # 1: its drive has let go
        ("coordinate", "f8"),  # that is driven, trial
        ("offset", "f8", 2),  # reference point of body b less that of body a at t = 0
        ("arms", "f8", (2, 2)),  # from the reference points of bodies a and b, body axes
        ("axis", "f8", 2),  # e in the axes of body a
        ("constant", "f8"),  # of an ANGLE 1 or -1, as the axis of the joint is along n or against it
        ("size", "f8"),  # of the machine
        ("inverse_tolerance", "f8"),
        ("residual", "f8", 2),
        ("correction", "f8", 2),
        ("multiplier", "f8", 2),  # at t_n
        ("before", "f8", (3, 2)),  # at t_{n-1}, t_{n-2}, t_{n-3}
        ("moment", "f8", (2, 2)),  # by end and row, at t_n
        ("trial_moment", "f8", (2, 2)),
        ("force", "f8", (2, 2)),  # by row, at t_n
        ("trial_force", "f8", (2, 2)),
    ],
    align=True,
)


# ---- bodies --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def drift_in_plane(b: Record, dt: float) -> bool:
    """Trial position of a body from its trial velocity; False if it moves beyond all bounds."""
    for c in range(2):
        b.trial_place[c], b.trial_low[c] = grown(b.place[c], b.low[c], dt * b.trial_velocity[c])
        if not abs(b.trial_place[c]) < FARTHEST:
            return False
    turn = dt * b.trial_rate
    b.trial_turn = turn
    cosine, sine = half_angle_factors(4.0 * turn * turn)
    sine *= 2.0 * turn
    x, y = b.cosine * cosine - b.sine * sine, b.sine * cosine + b.cosine * sine
    unit = 1.5 - 0.5 * (x * x + y * y)
    b.trial_cosine, b.trial_sine = x * unit, y * unit
    return turn * turn < MAX_STEP_ANGLE_SQUARED


@kernel(inline=True)
def kick_in_plane(bodies: Records, first: int, last: int, kick: float, on_bodies: int) -> None:
    """Trial velocities from the forces of t_n, before any multiplier; on_bodies : 1 if there are other than weight."""
    for i in range(first, last):
        b = bodies[i]
        b.trial_velocity[0] = b.velocity[0] + kick * b.gravity[0]
        b.trial_velocity[1] = b.velocity[1] + kick * b.gravity[1]
        b.trial_rate = b.rate
        if on_bodies == 1:
            b.trial_velocity[0] += kick * b.inverse_mass * b.force[0]
            b.trial_velocity[1] += kick * b.inverse_mass * b.force[1]
            b.trial_rate += kick * b.inverse_inertia * b.force[2]


@kernel(inline=True)
def stay_in_plane(b: Record) -> None:
    """The trial position of a body is its position."""
    for c in range(2):
        b.trial_place[c], b.trial_low[c] = b.place[c], b.low[c]
    b.trial_cosine, b.trial_sine, b.trial_turn = b.cosine, b.sine, 0.0


@kernel(inline=True)
def commit_in_plane(b: Record) -> None:
    """The trial state of a body becomes the state."""
    for c in range(2):
        b.place[c], b.low[c], b.velocity[c] = b.trial_place[c], b.trial_low[c], b.trial_velocity[c]
    b.cosine, b.sine, b.rate, b.turn = b.trial_cosine, b.trial_sine, b.trial_rate, b.trial_turn
    b.angle += b.turn


# ---- links ---------------------------------------------------------------------------------------------------


@kernel(inline=True)
def measure_links(links: Records, first: int, last: int, bodies: Records) -> float:
    """Residuals and Jacobians at the trial positions; returns the largest residual over its tolerance, NaN if any is.

    The Jacobian of t_n stands in `force` and `moment`, that of the trial positions in `trial_force`, `trial_moment`.
    """
    worst = 0.0
    for k in range(first, last):
        link = links[k]
        a, b = bodies[link.first], bodies[link.second]
        arms = link.arms
        ax = a.trial_cosine * arms[0, 0] - a.trial_sine * arms[0, 1]
        ay = a.trial_sine * arms[0, 0] + a.trial_cosine * arms[0, 1]
        bx = b.trial_cosine * arms[1, 0] - b.trial_sine * arms[1, 1]
        by = b.trial_sine * arms[1, 0] + b.trial_cosine * arms[1, 1]
        shift_x = (b.trial_place[0] - a.trial_place[0]) + (b.trial_low[0] - a.trial_low[0])
        shift_y = (b.trial_place[1] - a.trial_place[1]) + (b.trial_low[1] - a.trial_low[1])
        ux, uy = (link.offset[0] + shift_x) + (bx - ax), (link.offset[1] + shift_y) + (by - ay)
        moment, reach = link.trial_moment, 0.0
        if link.kind == PIN:
            link.residual[0], link.residual[1] = ux, uy
            moment[0, 0], moment[0, 1], moment[1, 0], moment[1, 1] = ay, -ax, -by, bx
        else:
            measure_other(link, a, b, ux, uy, ax, ay, bx, by)
            reach = abs(ux) + abs(uy)  # rounding grows with the distance travelled
        size = max(abs(link.residual[0]), abs(link.residual[1])) * link.inverse_tolerance
        size *= link.size / (link.size + reach)
        if not size <= worst:
            worst = size
            if not size < 1e300:
                return math.nan
    return worst


@kernel(inline=True)
def measure_other(
    link: Record, a: Record, b: Record, ux: float, uy: float, ax: float, ay: float, bx: float, by: float
) -> None:
    """The same for a link that is no PIN; u : place of node j less where it belongs; a, b : arms on the bodies."""
    force, moment = link.trial_force, link.trial_moment
    link.residual[1] = 0.0
    if link.kind != NO_TURN and link.kind != ANGLE:
        if link.kind == ROD:
            length = math.sqrt(ux * ux + uy * uy)
            ex, ey = ux / length, uy / length
            link.residual[0] = length - link.constant
        else:
            ex = a.trial_cosine * link.axis[0] - a.trial_sine * link.axis[1]
            ey = a.trial_sine * link.axis[0] + a.trial_cosine * link.axis[1]
            link.residual[0] = (ux * ex + uy * ey) - link.constant
            if link.kind == TRAVEL:
                link.coordinate, link.residual[0] = link.residual[0], 0.0
        force[0, 0], force[0, 1] = ex, ey
        moment[0, 0] = -((ax + ux) * ey - (ay + uy) * ex)
        moment[1, 0] = bx * ey - by * ex
    if link.kind == RAIL or link.kind == NO_TURN or link.kind == ANGLE:
        row, size = 1 if link.kind == RAIL else 0, link.size
        sine = b.trial_sine * a.trial_cosine - b.trial_cosine * a.trial_sine
        cosine = b.trial_cosine * a.trial_cosine + b.trial_sine * a.trial_sine
        angle = math.atan2(sine, cosine)
        link.residual[row] = size * angle
        if link.kind == ANGLE:
            size *= link.constant
            link.coordinate, link.residual[0] = link.constant * angle, 0.0
        moment[0, row], moment[1, row] = -size, size


@kernel(inline=True)
def rate_of_link(link: Record, bodies: Records, row: int, trial: bool) -> float:
    """G v of a row of a link, by the Jacobian of t_n, in the middle of the step at hand (trial) or of the last one."""
    a, b, force, moment = bodies[link.first], bodies[link.second], link.force, link.moment
    if trial:
        x, y = b.trial_velocity[0] - a.trial_velocity[0], b.trial_velocity[1] - a.trial_velocity[1]
        turning = moment[1, row] * b.trial_rate + moment[0, row] * a.trial_rate
    else:
        x, y = b.velocity[0] - a.velocity[0], b.velocity[1] - a.velocity[1]
        turning = moment[1, row] * b.rate + moment[0, row] * a.rate
    return force[row, 0] * x + force[row, 1] * y + turning  # type: ignore[no-any-return]


@kernel(inline=True)
def rate_of_kick(link: Record, bodies: Records, row: int) -> float:
    """G v of a row of a link of what its bodies were kicked by last, by the Jacobian of the trial positions."""
    a, b, force, moment = bodies[link.first], bodies[link.second], link.trial_force, link.trial_moment
    x, y = b.kicked[0] - a.kicked[0], b.kicked[1] - a.kicked[1]
    turning = moment[1, row] * b.kicked[2] + moment[0, row] * a.kicked[2]
    return force[row, 0] * x + force[row, 1] * y + turning  # type: ignore[no-any-return]


@kernel(inline=True)
def factor_of(link: Record) -> float:
    """The row of a drive's link over that of the drive."""
    return link.size if link.kind == ANGLE else 1.0


@kernel(inline=True)
def push_link(link: Record, bodies: Records, first: float, second: float) -> None:
    """Change trial velocities by impulses along both rows, by the Jacobian of t_n."""
    force, moment = link.force, link.moment
    fx, fy = force[0, 0] * first + force[1, 0] * second, force[0, 1] * first + force[1, 1] * second
    if link.second != GROUND:
        b = bodies[link.second]
        b.trial_velocity[0] += b.inverse_mass * fx
        b.trial_velocity[1] += b.inverse_mass * fy
        b.trial_rate += b.inverse_inertia * (moment[1, 0] * first + moment[1, 1] * second)
    if link.first != GROUND:
        a = bodies[link.first]
        a.trial_velocity[0] -= a.inverse_mass * fx
        a.trial_velocity[1] -= a.inverse_mass * fy
        a.trial_rate += a.inverse_inertia * (moment[0, 0] * first + moment[0, 1] * second)


@kernel(inline=True)
def predict_links(
    links: Records, first: int, last: int, bodies: Records, kick: float, stretch: float, even: int
) -> None:
    """Multipliers of t_n extrapolated from those before, and the kick they give.

    stretch : length of the last step over that of the one before; even : multipliers known at equal steps, up to three
    """
    for k in range(first, last):
        link = links[k]
        before = link.before
        for c in range(2):
            if even >= 3:
                value = 3.0 * (before[0, c] - before[1, c]) + before[2, c]
            elif before[1, c] != 0.0:
                value = before[0, c] + stretch * (before[0, c] - before[1, c])
            else:
                value = before[0, c]
            link.multiplier[c] = value
        push_link(link, bodies, kick * link.multiplier[0], kick * link.multiplier[1])


@kernel(inline=True)
def commit_links(links: Records, first: int, last: int) -> None:
    """The Jacobian of the trial positions is that of t_n from now on, multipliers are those of before."""
    for k in range(first, last):
        before = links[k].before
        for c in range(2):
            before[2, c], before[1, c], before[0, c] = before[1, c], before[0, c], links[k].multiplier[c]
        set_jacobian(links[k])


@kernel(inline=True)
def set_jacobian(link: Record) -> None:
    """The Jacobian of the trial positions is that of t_n."""
    for c in range(2):
        for d in range(2):
            link.moment[c, d] = link.trial_moment[c, d]
    if link.kind != PIN:
        for c in range(2):
            for d in range(2):
                link.force[c, d] = link.trial_force[c, d]
