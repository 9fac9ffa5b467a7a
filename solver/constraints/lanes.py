"""Trains that fly freely with one spin and nothing that acts on them, moved side by side.

A thousand equal gearboxes do the same arithmetic, each on its own numbers: here a number of LANES trains lies in one
array, so that a loop over the lanes is what a processor does at once.  Each lane does what `gyrostat` and `spins` do,
operation by operation, and comes to the same bits; lanes that have converged wait for the others.  What needs anything
else (a turn so large that the series do not hold, a body lost) leaves the state as it was, and each train goes alone.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import FARTHEST, MAX_STEP_ANGLE_SQUARED, Floats, Ints, Record, Records
from ..core.jit.kernels import kernel
from ..core.rotation import (
    CONVERGED,
    SMALL_SQUARED_ANGLE,
    half_angle_series,
    inverse_of_left_side,
    mean_rotation_series,
    next_theta,
    rotation_matrix,
    turned_quaternion,
)
from ..core.sums import fast_two_sum, grown, two_sum
from .gyrostat import ULP
from .joints import TWO_PI
from .spins import TWO_PI_LOW, share_of

LANES = 16
MOST_PASSES = 12
FASTEST = 4  # rotors one of which turns fastest, at most

_VECTORS = ("momentum", "stored", "coupling", "gravity", "displacement", "low", "velocity", "turned", "step_rotation",
            "theta", "in_carrier", "rest")  # fmt: skip
_SCALARS = ("rounding", "rate", "scale", "tolerance", "turns", "angle", "low_angle", "growth", "largest")
LANE_BLOCK = np.dtype(
    [
        ("count", "i8"),  # lanes in use
        ("steps", "i8"),  # to take
        ("dt", "f8"),
        *((name, "f8", (3, LANES)) for name in _VECTORS),
        *((name, "f8", (LANES,)) for name in _SCALARS),
        ("open", "i8", (LANES,)),  # 1: not converged yet
        ("inertia", "f8", (6, LANES)),  # upper triangle of I_red
        ("quaternion", "f8", (4, LANES)),
        ("rotation", "f8", (9, LANES)),
        ("carried", "f8", (9, LANES)),
        ("cofactors", "f8", (9, LANES)),
        ("fastest", "f8", (FASTEST, LANES)),  # coefficients
        ("axes", "f8", (3 * FASTEST, LANES)),
    ],
    align=True,
)


@kernel
def fill_lane(lanes: Record, i: int, train: Record, u: Record, numbers: Floats) -> None:
    """Lane i <- a train and its spin."""
    inverse = train.inverse_inertia
    for c in range(3):
        lanes.momentum[c, i] = train.momentum[c]
        lanes.coupling[c, i] = numbers[train.coupling + c]
        lanes.stored[c, i] = 0.0 + numbers[train.coupling + c] * u.momentum
        lanes.gravity[c, i] = train.gravity[c]
        lanes.displacement[c, i] = train.displacement[c]
        lanes.low[c, i] = train.low_displacement[c]
        lanes.velocity[c, i] = train.velocity[c]
        lanes.turned[c, i] = train.turned[c]
        lanes.step_rotation[c, i] = train.step_rotation[c]
        lanes.theta[c, i] = train.theta[c]
        for d in range(3):
            lanes.rotation[3 * c + d, i] = train.rotation[c, d]
            lanes.carried[3 * c + d, i] = u.carried[c, d]
    for c in range(4):
        lanes.quaternion[c, i] = train.quaternion[c]
    k = 0
    for c in range(3):
        for d in range(c, 3):
            lanes.inertia[k, i] = train.inertia[c, d]
            k += 1
    lanes.rounding[i] = inverse[0, 0] + inverse[1, 1] + inverse[2, 2]
    lanes.rate[i] = 0.0 + numbers[train.inverse] * u.momentum
    lanes.turns[i], lanes.angle[i], lanes.low_angle[i] = u.turns, u.angle, u.low
    lanes.growth[i], lanes.largest[i] = u.growth, 0.0


@kernel
def fill_fastest(lanes: Record, i: int, train: Record, fastest: Ints, rotors: Records, coefficients: Records) -> None:
    """Coefficients and axes of the rotors of lane i one of which turns fastest."""
    for k in range(FASTEST):
        lanes.fastest[k, i] = 0.0
        for c in range(3):
            lanes.axes[3 * k + c, i] = 0.0
    for k in range(train.last_fastest - train.first_fastest):
        rotor = rotors[fastest[train.first_fastest + k]]
        if rotor.end > rotor.start:
            lanes.fastest[k, i] = share_of(coefficients, rotor.start)
            for c in range(3):
                lanes.axes[3 * k + c, i] = rotor.axis[c]


@kernel
def empty_lane(lanes: Record, i: int, train: Record, u: Record) -> None:
    """A train and its spin <- lane i."""
    for c in range(3):
        train.displacement[c], train.low_displacement[c] = lanes.displacement[c, i], lanes.low[c, i]
        train.velocity[c], train.turned[c] = lanes.velocity[c, i], lanes.turned[c, i]
        train.step_rotation[c], train.theta[c] = lanes.step_rotation[c, i], lanes.theta[c, i]
        for d in range(3):
            train.rotation[c, d] = lanes.rotation[3 * c + d, i]
            u.carried[c, d] = lanes.carried[3 * c + d, i]
    for c in range(4):
        train.quaternion[c] = lanes.quaternion[c, i]
    u.turns, u.angle, u.low, u.growth = lanes.turns[i], lanes.angle[i], lanes.low_angle[i], lanes.growth[i]


@kernel
def step_lanes(lanes: Record) -> bool:
    """Steps of all lanes; False if a lane needs what is not done here."""
    for _ in range(lanes.steps):
        begin_turn(lanes)
        left = LANES
        for _ in range(MOST_PASSES):
            left = improve_turn(lanes)
            if left == 0:
                break
        if left > 0 or end_turn(lanes) > 0 or drift_lanes(lanes) > 0 or grow_lanes(lanes) > 0:
            return False
    return True


@kernel
def begin_turn(lanes: Record) -> None:
    """Momentum in the axes of the carrier, and what the passes to come have in common."""
    h = lanes.dt
    r, momentum, l = lanes.rotation, lanes.momentum, lanes.in_carrier
    for i in range(LANES):
        x, y, z = momentum[0, i], momentum[1, i], momentum[2, i]
        lx = r[0, i] * x + r[3, i] * y + r[6, i] * z
        ly = r[1, i] * x + r[4, i] * y + r[7, i] * z
        lz = r[2, i] * x + r[5, i] * y + r[8, i] * z
        l[0, i], l[1, i], l[2, i] = lx, ly, lz
        lanes.rest[0, i] = lx - lanes.stored[0, i]
        lanes.rest[1, i] = ly - lanes.stored[1, i]
        lanes.rest[2, i] = lz - lanes.stored[2, i]
        size = abs(lx) + abs(ly) + abs(lz)
        lanes.tolerance[i] = ULP * h * size * lanes.rounding[i]
        upper = (lanes.inertia[0, i], lanes.inertia[1, i], lanes.inertia[2, i], lanes.inertia[3, i],
                 lanes.inertia[4, i], lanes.inertia[5, i])  # fmt: skip
        cofactors, lanes.scale[i] = inverse_of_left_side(upper, (lx, ly, lz), h)
        lanes.cofactors[0, i], lanes.cofactors[1, i], lanes.cofactors[2, i] = cofactors[0], cofactors[1], cofactors[2]
        lanes.cofactors[3, i], lanes.cofactors[4, i], lanes.cofactors[5, i] = cofactors[3], cofactors[4], cofactors[5]
        lanes.cofactors[6, i], lanes.cofactors[7, i], lanes.cofactors[8, i] = cofactors[6], cofactors[7], cofactors[8]
        lanes.open[i] = 1


@kernel
def improve_turn(lanes: Record) -> int:
    """A pass for theta of the lanes that are open; returns how many still are."""
    left, theta, l, rest, a = 0, lanes.theta, lanes.in_carrier, lanes.rest, lanes.cofactors
    for i in range(LANES):
        x, y, z = theta[0, i], theta[1, i], theta[2, i]
        factors = mean_rotation_series(x * x + y * y + z * z)
        cofactors = (a[0, i], a[1, i], a[2, i], a[3, i], a[4, i], a[5, i], a[6, i], a[7, i], a[8, i])
        x1, y1, z1 = next_theta((x, y, z), (l[0, i], l[1, i], l[2, i]), (rest[0, i], rest[1, i], rest[2, i]), factors,
                                cofactors, lanes.scale[i])  # fmt: skip
        change = abs(x1 - x) + abs(y1 - y) + abs(z1 - z)
        is_open = lanes.open[i]
        theta[0, i] = x1 if is_open == 1 else x
        theta[1, i] = y1 if is_open == 1 else y
        theta[2, i] = z1 if is_open == 1 else z
        met = change <= CONVERGED * (abs(x1) + abs(y1) + abs(z1)) + lanes.tolerance[i]
        still = 0 if met else is_open
        lanes.open[i] = still
        left += still
    return left


@kernel
def end_turn(lanes: Record) -> int:
    """Orientations of t_{n+1}, and what sums up on the way; returns how many lanes turn by too much for the series."""
    wrong, theta, q, r, h = 0, lanes.theta, lanes.quaternion, lanes.rotation, lanes.dt
    for i in range(LANES):
        x, y, z = theta[0, i], theta[1, i], theta[2, i]
        squared = x * x + y * y + z * z
        wrong += 0 if squared < 0.5 * SMALL_SQUARED_ANGLE else 1  # theta was smaller than the series allow all along
        old = (q[0, i], q[1, i], q[2, i], q[3, i])
        q[0, i], q[1, i], q[2, i], q[3, i] = turned_quaternion(old, (x, y, z), half_angle_series(squared))
        first, second, third = rotation_matrix(q[0, i], q[1, i], q[2, i], q[3, i])
        along = lanes.coupling[0, i] * x + lanes.coupling[1, i] * y + lanes.coupling[2, i] * z
        growth = h * lanes.rate[i] - along
        lanes.growth[i] = growth
        half = 0.5 * growth
        lanes.carried[0, i] += half * (r[0, i] + first[0])
        lanes.carried[1, i] += half * (r[1, i] + first[1])
        lanes.carried[2, i] += half * (r[2, i] + first[2])
        lanes.carried[3, i] += half * (r[3, i] + second[0])
        lanes.carried[4, i] += half * (r[4, i] + second[1])
        lanes.carried[5, i] += half * (r[5, i] + second[2])
        lanes.carried[6, i] += half * (r[6, i] + third[0])
        lanes.carried[7, i] += half * (r[7, i] + third[1])
        lanes.carried[8, i] += half * (r[8, i] + third[2])
        sx = r[0, i] * x + r[1, i] * y + r[2, i] * z
        sy = r[3, i] * x + r[4, i] * y + r[5, i] * z
        sz = r[6, i] * x + r[7, i] * y + r[8, i] * z
        lanes.step_rotation[0, i], lanes.step_rotation[1, i], lanes.step_rotation[2, i] = sx, sy, sz
        lanes.turned[0, i] += sx
        lanes.turned[1, i] += sy
        lanes.turned[2, i] += sz
        r[0, i], r[1, i], r[2, i] = first
        r[3, i], r[4, i], r[5, i] = second
        r[6, i], r[7, i], r[8, i] = third
    return wrong


@kernel
def drift_lanes(lanes: Record) -> int:
    """Velocities and displacements of the common centres; returns how many numbers are beyond all bounds."""
    lost, h = 0, lanes.dt
    for c in range(3):
        for i in range(LANES):
            lanes.velocity[c, i] += h * (0.0 + lanes.gravity[c, i])
            moved, low = grown(lanes.displacement[c, i], lanes.low[c, i], h * lanes.velocity[c, i])
            lanes.displacement[c, i], lanes.low[c, i] = moved, low
            lost += 0 if abs(moved) < FARTHEST else 1
    return lost


@kernel
def grow_lanes(lanes: Record) -> int:
    """Angles of the spins, and the largest turn of a rotor; returns how many turn by too much."""
    wrong = 0
    for i in range(LANES):
        total, error = two_sum(lanes.angle[i], lanes.growth[i])
        low = lanes.low_angle[i] + error
        more = math.floor(total / TWO_PI + 0.5) if abs(total) > math.pi else 0.0
        total = total - more * TWO_PI
        low = low - more * TWO_PI_LOW
        lanes.turns[i] += more
        lanes.angle[i], lanes.low_angle[i] = fast_two_sum(total, low)
    for k in range(FASTEST):
        for i in range(LANES):
            growth = 0.0 + lanes.fastest[k, i] * lanes.growth[i]
            x = lanes.theta[0, i] + growth * lanes.axes[3 * k, i]
            y = lanes.theta[1, i] + growth * lanes.axes[3 * k + 1, i]
            z = lanes.theta[2, i] + growth * lanes.axes[3 * k + 2, i]
            squared = x * x + y * y + z * z
            largest = lanes.largest[i]
            lanes.largest[i] = squared if squared > largest else largest
            wrong += 0 if squared < MAX_STEP_ANGLE_SQUARED else 1
    return wrong
