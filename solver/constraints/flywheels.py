"""Bodies that carry rotors, among joints of all kinds: a gyrostat as a body and flywheels beside it.

With u' the spins of the rotors on a carrier, J = sum J_k r_k c_k^T, D = sum J_k c_k c_k^T and K = J D^-1 (see
`gyrostat`), the kinetic energy of a carrier and its rotors is

    1/2 M v^2 + 1/2 omega . I_red omega + 1/2 w . D w,    w = u' + K^T omega = D^-1 p.

In w nothing couples the rotors to their carrier.  With D = V V^T and z = V^T w that is a body of mass M and inertia
I_red, whose momentum l = I_red omega is L less what the rotors store, g = J w, and one flywheel of unit mass and rate z
for each spin.  Rows, forces and the matrix of the multipliers of the general path see these: a moment Q on an angle
c . u is V^-1 c Q on the flywheels, and -K c Q on the carrier, as u' = w - K^T omega.  Only the drift knows more: what
the rotors store turns with the carrier,

    I_red theta = h (V(theta) (l + g) - g),    du = h w - K^T theta,    l <- l + (R_n - R_{n+1}) g,

the discrete Lagrangian map of `gyrostat`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import FARTHEST, GROUND, MAX_STEP_ANGLE_SQUARED, Floats, Ints, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import set_rotation_matrix, solve_incremental_rotation, to_body, to_global, turn_quaternion
from ..core.sums import grown
from ..core.vectors import dot, minus, plus, scaled, set_vector, vector_of
from .spins import growth_of, turn_spin

ULP = 2.3e-16

# A body of the machine that moves, with the rotors on it; the ground too, where it carries some.  Bodies are those of
# the system in which gyrostats move.
GYROSTAT = np.dtype(
    [
        ("body", "i8"),  # GROUND where the carrier is held
        ("train", "i8"),  # the TRAIN record that says at samples where the deck's bodies are
        ("first_spin", "i8"),
        ("last_spin", "i8"),
        ("first_flywheel", "i8"),  # body, of the first spin
        ("moments", "i8"),  # where J (3, n) begins among the numbers of trains
        ("rates", "i8"),  # W = V^-T (n, n) likewise: w = W z
        ("coupling", "i8"),  # K (3, n) likewise
        ("first_fastest", "i8"),  # rotors one of which turns fastest, see TRAIN
        ("last_fastest", "i8"),
        ("trial_stored", "f8", 3),  # g of the step at hand, in the axes of the carrier
        ("trial_whole", "f8", 3),  # L of the step at hand
    ],
    align=True,
)
# Of each subsystem: what it has where it moves as gyrostats, ranges [first, last) in the arrays of `Gyrostats`.
GEARED = np.dtype(
    [
        ("active", "i8"),  # 1: it does; stays as steps are taken back
        ("first_gyrostat", "i8"),
        ("last_gyrostat", "i8"),
        ("first_on_flywheel", "i8"),
        ("last_on_flywheel", "i8"),
        ("first_spin_joint", "i8"),
        ("last_spin_joint", "i8"),
        ("first_touched_joint", "i8"),
        ("last_touched_joint", "i8"),
    ],
    align=True,
)
# What a row has on a flywheel, which never changes; the rest of the row's entries does.
ON_FLYWHEEL = np.dtype([("entry", "i8"), ("share", "f8")], align=True)
# A joint between a carrier and a rotor, whose angle is one of spins: coefficients [start, end).
SPIN_JOINT = np.dtype([("joint", "i8"), ("start", "i8"), ("end", "i8")], align=True)


class Gyrostats(NamedTuple):
    """Subsystems that move as gyrostats; those move in a system of their own, whose first bodies and joints are these.

    Empty without any.
    """

    geared: Records  # (ns,)
    gyrostats: Records
    on_flywheels: Records
    spin_joints: Records
    touched_joints: Ints  # joints along which forces act
    row_of: Ints  # rows of the deck that those of the moving system are
    joint_of: Ints  # (nj,) joints of the moving system that those of the deck are, -1 where it has none


def no_gyrostats() -> Gyrostats:
    """No subsystem moves as gyrostats."""
    none = np.zeros(0, dtype=np.int64)
    return Gyrostats(
        np.zeros(0, GEARED), np.zeros(0, GYROSTAT), np.zeros(0, ON_FLYWHEEL), np.zeros(0, SPIN_JOINT), none, none, none
    )


@kernel(inline=True)
def rate_of_spin(gyrostat: Record, bodies: Records, numbers: Floats, j: int, weight: float) -> float:
    """w_j at z of t_{n-1/2} (weight 0), of the step at hand (1), or in between."""
    n, total = gyrostat.last_spin - gyrostat.first_spin, 0.0
    for k in range(n):
        b = bodies[gyrostat.first_flywheel + k]
        z = b.velocity[0] + weight * (b.trial_velocity[0] - b.velocity[0])
        total += numbers[gyrostat.rates + j * n + k] * z
    return total


@kernel(inline=True)
def along_coupling(gyrostat: Record, numbers: Floats, j: int, vector: Vector) -> float:
    """(K^T vector)_j, the vector in the axes of the carrier."""
    n = gyrostat.last_spin - gyrostat.first_spin
    k = gyrostat.coupling + j
    return float(numbers[k] * vector[0] + numbers[k + n] * vector[1] + numbers[k + 2 * n] * vector[2])


@kernel(inline=True)
def stored_in(gyrostat: Record, bodies: Records, numbers: Floats, weight: float) -> Vector:
    """g = J w in the axes of the carrier; weight as in `rate_of_spin`."""
    n, total = gyrostat.last_spin - gyrostat.first_spin, (0.0, 0.0, 0.0)
    for j in range(n):
        w, k = rate_of_spin(gyrostat, bodies, numbers, j, weight), gyrostat.moments + j
        total = plus(total, scaled(w, (numbers[k], numbers[k + n], numbers[k + 2 * n])))
    return total


# ---- the step ------------------------------------------------------------------------------------------------


@kernel
def drift_gyrostat(gyrostat: Record, bodies: Records, spins: Records, numbers: Floats, dt: float) -> bool:
    """Trial place of a carrier and trial angles of its rotors; False where it moves beyond all bounds."""
    body, theta = bodies[gyrostat.body], (0.0, 0.0, 0.0)
    if gyrostat.body != GROUND:
        for c in range(3):
            moved = grown(body.displacement[c], body.low_displacement[c], dt * body.trial_velocity[c])
            body.trial_displacement[c], body.trial_low_displacement[c] = moved
            if not abs(body.trial_displacement[c]) < FARTHEST:
                return False
        if not turn_carrier(gyrostat, body, stored_in(gyrostat, bodies, numbers, 1.0), dt):
            return False
        theta = vector_of(body.theta)
    for j in range(gyrostat.last_spin - gyrostat.first_spin):
        growth = dt * rate_of_spin(gyrostat, bodies, numbers, j, 1.0) - along_coupling(gyrostat, numbers, j, theta)
        turn_spin(spins[gyrostat.first_spin + j], growth)
    return True


@kernel(inline=True)
def turn_carrier(gyrostat: Record, body: Record, stored: Vector, dt: float) -> bool:
    """Trial orientation of a carrier; False if it turns by too much."""
    momentum, theta, inverse = body.trial_momentum, body.theta, body.inverse_inertia
    set_vector(gyrostat.trial_stored, stored)
    set_vector(
        gyrostat.trial_whole, plus(vector_of(momentum), to_global(body.rotation, stored[0], stored[1], stored[2]))
    )
    l = plus(to_body(body.rotation, momentum[0], momentum[1], momentum[2]), stored)
    size = abs(l[0]) + abs(l[1]) + abs(l[2])
    rounding = ULP * dt * size * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2])
    if not solve_incremental_rotation(body.inertia, l, stored, dt, theta, rounding):
        return False
    if not turn_quaternion(body.quaternion, theta, body.trial_quaternion) < MAX_STEP_ANGLE_SQUARED:
        return False
    set_rotation_matrix(body.trial_quaternion, body.trial_rotation)
    return True


@kernel
def largest_turn_of(
    gyrostat: Record, bodies: Records, spins: Records, rotors: Records, coefficients: Records, fastest: Ints
) -> float:
    """Squared angle that the fastest rotor turns in the step at hand."""
    largest, theta = 0.0, (0.0, 0.0, 0.0)
    if gyrostat.body != GROUND:
        theta = vector_of(bodies[gyrostat.body].theta)
    for i in range(gyrostat.first_fastest, gyrostat.last_fastest):
        rotor = rotors[fastest[i]]
        growth = growth_of(coefficients, rotor.start, rotor.end, spins, True)
        turn = plus(theta, scaled(growth, vector_of(rotor.axis)))
        squared = dot(turn, turn)
        if not squared <= largest:  # NaN too
            largest = squared
    return largest


@kernel(inline=True)
def exchange_momenta(gyrostat: Record, body: Record) -> None:
    """l of the step at hand for L, by which impulses turn a carrier, and the other way round."""
    for c in range(3):
        body.trial_momentum[c], gyrostat.trial_whole[c] = gyrostat.trial_whole[c], body.trial_momentum[c]


@kernel(inline=True)
def turn_momentum(gyrostat: Record, body: Record) -> None:
    """l of t_{n+1/2} at the orientation of t_{n+1}, before the trial state becomes the state: l + g stays."""
    x, y, z = vector_of(gyrostat.trial_stored)
    change = minus(to_global(body.rotation, x, y, z), to_global(body.trial_rotation, x, y, z))
    set_vector(body.trial_momentum, plus(vector_of(body.trial_momentum), change))


@kernel(inline=True)
def carry_axes(gyrostat: Record, body: Record, spins: Records) -> None:
    """How far the axes of the carrier turn by each spin in the step at hand, see SPIN.carried."""
    for j in range(gyrostat.first_spin, gyrostat.last_spin):
        u = spins[j]
        for c in range(3):
            for d in range(3):
                u.carried[c, d] += 0.5 * u.trial_growth * (body.rotation[c, d] + body.trial_rotation[c, d])


# ---- rows ----------------------------------------------------------------------------------------------------


@kernel(inline=True)
def set_entries_on_flywheels(on_flywheels: Records, first: int, last: int, entries: Records) -> None:
    """Jacobians of rows on flywheels, after those of the relations."""
    for k in range(first, last):
        entries[on_flywheels[k].entry].jacobian[0] = on_flywheels[k].share
