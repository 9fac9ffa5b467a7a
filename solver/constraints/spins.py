"""Spins: the independent speeds of a train of rotors, and how all angles follow from them.

Rotors that turn about axes fixed in one carrier, coupled by linear relations between their angles alone, move as few
independent coordinates u say: phi = C u.  C comes from `elimination`; here is what the time loop does with it.

u is kept as whole turns and a remainder, with what its sum loses to rounding, and a coefficient in three parts whose
products with whole turns are exact: the angle c u of a rotor is right to round-off at any number of turns, and so is
every ratio.  The momenta conjugate to u are p = D u', D = C^T J C; they live at half steps, as all momenta do.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Floats, Record, Records
from ..core.body_points import ELASTIC, EXTERNAL
from ..core.jit.kernels import kernel
from ..core.sums import fast_two_sum, two_sum
from .joints import TWO_PI

TWO_PI_LOW = 2.4492935982947064e-16  # 2 pi less its leading bits
ON_GROUND = 0  # the carrier of a train that is held; what carries an axis that is fixed in its carrier

# Angles are those of t_n, momenta those of t_{n-1/2}; `trial_` is the step at hand.
SPIN = np.dtype(
    [
        ("turns", "f8"),  # whole turns
        ("angle", "f8"),  # the rest, in [-pi, pi]
        ("low", "f8"),  # what its sum lost to rounding
        ("trial_turns", "f8"),
        ("trial_angle", "f8"),
        ("trial_low", "f8"),
        ("momentum", "f8"),
        ("trial_momentum", "f8"),
        ("growth", "f8"),  # of u in the step that led to t_n
        ("trial_growth", "f8"),
        ("rate", "f8"),  # u' at the estimate of t_n at hand
        # generalised forces at t_n
        ("weight", "f8"),  # of constant gravity
        ("elastic", "f8"),
        ("external", "f8"),
        ("dissipative", "f8"),
        ("last_dissipative", "f8"),  # of the pass before
        ("previous_external", "f8"),  # at t_{n-1}, for the work they do
        ("previous_dissipative", "f8"),
        ("carried", "f8", (3, 3)),  # integral of R du: how far an axis of the carrier has turned by u
        ("acceleration", "f8"),  # of u at t_n, where a sample asks for it
    ],
    align=True,
)
# c_high has 26 leading bits, c_middle the rest of a double, c_low what is beyond.
COEFFICIENT = np.dtype([("spin", "i8"), ("high", "f8"), ("middle", "f8"), ("low", "f8")], align=True)
# Coefficients [start, end) of the angle of each joint and of its slide, where it has such; the shaft that it holds.
HINGE = np.dtype(
    [("start", "i8"), ("end", "i8"), ("slide_start", "i8"), ("slide_end", "i8"), ("body", "i8")], align=True
)
# Of each body: its angle about an axis that is fixed in the carrier, and its slide along that, where it has such.
# The carrier itself has no coefficients.
ROTOR = np.dtype(
    [
        ("start", "i8"),
        ("end", "i8"),
        ("slide_start", "i8"),
        ("slide_end", "i8"),
        ("axis", "f8", 3),  # in the axes of the carrier
        ("inertia", "f8"),  # about the axis
        ("touched", "i8"),  # 1: forces act on the body
        ("train", "i8"),  # TRAIN record that says where its carrier is
        ("arm_of", "i8"),  # rotor with which the axis goes round, ON_GROUND where it is fixed in the carrier
        ("arm", "f8", 3),  # from the axis of that one, at an angle of zero, in the axes of the carrier
        ("locked", "f8", (3, 3)),  # all of the inertia, in the axes of the carrier
        ("centre", "f8", 3),  # centre of mass from that of the train, likewise
        ("quaternion", "f8", 4),  # at an angle of zero, against the carrier
    ],
    align=True,
)
# Of each subsystem: what its train has beyond spins; what moves is that of a carrier that is free, see `gyrostat`.
# Behind them one of each body that moves among joints of all kinds, with the rotors on it, see `flywheels`.
TRAIN = np.dtype(
    [
        ("carrier", "i8"),  # body, ON_GROUND where it is held
        ("inverse", "i8"),  # where D^-1 begins among the numbers of trains
        ("coupling", "i8"),  # K = J D^-1 (3, n), likewise
        ("work", "i8"),  # working memory, likewise: the matrix of the drives and their efforts
        ("first_fastest", "i8"),  # rotors one of which turns fastest, whatever the spins are
        ("last_fastest", "i8"),
        ("in_lanes", "i8"),  # 1: it may move side by side with others, see `lanes`
        ("on_bodies", "i8"),  # 1: forces act on bodies, which are put in place in each step
        ("first_touched", "i8"),  # those bodies
        ("last_touched", "i8"),
        ("steady", "i8"),  # 1: the matrix of the rows is the same wherever the rotors stand
        ("inverse_mass", "f8"),  # of all
        ("gravity", "f8", 3),
        ("inertia", "f8", (3, 3)),  # I_red
        ("inverse_inertia", "f8", (3, 3)),
        ("displacement", "f8", 3),  # of the common centre of mass
        ("low_displacement", "f8", 3),
        ("trial_displacement", "f8", 3),
        ("trial_low_displacement", "f8", 3),
        ("velocity", "f8", 3),
        ("trial_velocity", "f8", 3),
        ("momentum", "f8", 3),  # angular, of all, about the common centre, global
        ("trial_momentum", "f8", 3),
        ("quaternion", "f8", 4),
        ("trial_quaternion", "f8", 4),
        ("rotation", "f8", (3, 3)),
        ("trial_rotation", "f8", (3, 3)),
        ("theta", "f8", 3),  # rotation vector of the step, in the axes of the carrier
        ("step_rotation", "f8", 3),  # of the last step, global
        ("turned", "f8", 3),  # time integral of the angular velocity
        ("rate", "f8", 3),  # angular velocity at the momenta at hand, in the axes of the carrier
        ("acceleration", "f8", 3),  # and how it changes at t_n, where a sample asks for it
        # on a carrier that is free: force, and moment about the common centre, at t_n
        ("elastic", "f8", 6),
        ("external", "f8", 6),
        ("dissipative", "f8", 6),
        ("last_dissipative", "f8", 6),  # of the pass before
        ("previous_external", "f8", 6),  # at t_{n-1}, for the work they do
        ("previous_dissipative", "f8", 6),
    ],
    align=True,
)


@kernel
def angle_of(coefficients: Records, start: int, end: int, spins: Records, trial: bool) -> tuple[float, float]:
    """Whole turns of an angle, and the rest of it in [-pi, pi]."""
    turns, part, rest = 0.0, 0.0, 0.0
    for k in range(start, end):
        c = coefficients[k]
        u = spins[c.spin]
        whole = u.trial_turns if trial else u.turns
        if trial:
            rest += (c.high + c.middle) * u.trial_angle + (c.low * u.trial_angle + c.high * u.trial_low)
        else:
            rest += (c.high + c.middle) * u.angle + (c.low * u.angle + c.high * u.low)
        if whole != 0.0:
            high, middle = c.high * whole, c.middle * whole
            turns_high, turns_middle = math.floor(high + 0.5), math.floor(middle + 0.5)
            turns += turns_high + turns_middle
            part += (high - turns_high) + ((middle - turns_middle) + c.low * whole)
    angle = TWO_PI * part + rest
    more = math.floor(angle / TWO_PI + 0.5)
    if more != 0.0:
        angle = (angle - more * TWO_PI) - more * TWO_PI_LOW
        turns += more
    return turns, angle


@kernel(inline=True)
def share_of(coefficients: Records, k: int) -> float:
    """A coefficient as one number."""
    return float(coefficients[k].high + coefficients[k].middle)


@kernel(inline=True)
def growth_of(coefficients: Records, start: int, end: int, spins: Records, trial: bool) -> float:
    """By how much an angle grows in the step at hand (trial), or grew in the one that led to t_n."""
    total = 0.0
    for k in range(start, end):
        u = spins[coefficients[k].spin]
        total += share_of(coefficients, k) * (u.trial_growth if trial else u.growth)
    return total


@kernel(inline=True)
def rate_at(coefficients: Records, start: int, end: int, spins: Records) -> float:
    """Rate of an angle at the estimate of t_n at hand."""
    total = 0.0
    for k in range(start, end):
        total += share_of(coefficients, k) * spins[coefficients[k].spin].rate
    return total


@kernel(inline=True)
def force_on_spin(u: Record, kind: int) -> float:
    """Generalised force of a kind on a spin, see `body_points.forces_on`."""
    return u.elastic if kind == ELASTIC else u.external if kind == EXTERNAL else u.dissipative  # type: ignore[no-any-return]


@kernel(inline=True)
def set_force_on_spin(u: Record, kind: int, force: float) -> None:
    if kind == ELASTIC:
        u.elastic = force
    elif kind == EXTERNAL:
        u.external = force
    else:
        u.dissipative = force


@kernel(inline=True)
def push_spins(spins: Records, coefficients: Records, start: int, end: int, force: float, kind: int) -> None:
    """Add a moment along an angle, or a force along a slide, to the generalised forces of its kind."""
    for k in range(start, end):
        u, part = spins[coefficients[k].spin], share_of(coefficients, k) * force
        set_force_on_spin(u, kind, force_on_spin(u, kind) + part)


@kernel(inline=True)
def kick_spins(spins: Records, first: int, last: int, kick: float) -> None:
    """Trial momenta from the forces of t_n."""
    for j in range(first, last):
        u = spins[j]
        u.trial_momentum = u.momentum + kick * (u.weight + u.elastic + u.external + u.dissipative)


@kernel(inline=True)
def rate_by(inverse: Floats, start: int, n: int, j: int, spins: Records, first: int, weight: float) -> float:
    """(D^-1 p)_j at p of the last half step (weight 0), of the step at hand (1), or in between.

    j counts from the first spin of the train.
    """
    total, base = 0.0, start + j * n
    for i in range(n):
        u = spins[first + i]
        total += inverse[base + i] * (u.momentum + weight * (u.trial_momentum - u.momentum))
    return total


@kernel(inline=True)
def turn_spin(u: Record, growth: float) -> None:
    """Trial value of u."""
    u.trial_growth = growth
    total, error = two_sum(u.angle, growth)
    low, turns = u.low + error, u.turns
    if abs(total) > math.pi:
        more = math.floor(total / TWO_PI + 0.5)
        total -= more * TWO_PI
        low -= more * TWO_PI_LOW
        turns += more
    u.trial_angle, u.trial_low = fast_two_sum(total, low)
    u.trial_turns = turns


@kernel(inline=True)
def commit_spins(spins: Records, first: int, last: int) -> None:
    """The trial state of t_{n+1} becomes the state."""
    for j in range(first, last):
        u = spins[j]
        u.turns, u.angle, u.low = u.trial_turns, u.trial_angle, u.trial_low
        u.momentum, u.growth = u.trial_momentum, u.trial_growth
