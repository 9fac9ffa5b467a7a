"""A free carrier with rotors that are balanced about axes fixed in it: a gyrostat, by a variational map.

With theta the rotation vector of a step in the axes of the carrier, x_c the common centre of mass, I_l the inertia of
all with the rotors locked, J = sum J_k r_k c_k^T and D = sum J_k c_k c_k^T, the discrete Lagrangian

    L_d = (1/h) (1/2 M |dx_c|^2 + 1/2 theta . I_l theta + theta . J du + 1/2 du . D du)

gives momenta L (global, about the centre) and p that only forces change, and with l = R^T L, K = J D^-1, g = K p,
I_red = I_l - J D^-1 J^T

    (I_red - h/2 [l]x) theta = h (l - g - (b - 1/2) theta x l + c theta x (theta x l)),    du = h D^-1 p - K^T theta.

b and c are those of `core.rotation`; without rotors this is the rotation of a rigid body there.  At one time

    omega = I_red^-1 (R^T L - K p),   u' = D^-1 p - K^T omega.
"""

from __future__ import annotations

from ..core.bodies import Floats, Record, Records, Vector
from ..core.body_points import take_trial_place
from ..core.jit.kernels import kernel
from ..core.rotation import set_rotation_matrix, solve_incremental_rotation, to_body, to_global, turn_quaternion
from ..core.sums import grown
from ..core.vectors import set_vector
from .spins import ON_GROUND, rate_by

ULP = 2.3e-16


@kernel
def set_rates(train: Record, spins: Records, first: int, n: int, numbers: Floats, weight: float) -> None:
    """u.rate and train.rate at momenta of the last half step (weight 0), of the step at hand (1), or in between."""
    for j in range(n):
        spins[first + j].rate = rate_by(numbers, train.inverse, n, j, spins, first, weight)
    if train.carrier == ON_GROUND:
        return
    old, new = train.momentum, train.trial_momentum
    lx = old[0] + weight * (new[0] - old[0])
    ly = old[1] + weight * (new[1] - old[1])
    lz = old[2] + weight * (new[2] - old[2])
    gx, gy, gz = stored_momentum(train, spins, first, n, numbers, weight)
    x, y, z = to_body(train.rotation, lx, ly, lz)
    set_vector(train.rate, to_global(train.inverse_inertia, x - gx, y - gy, z - gz))
    for j in range(n):
        spins[first + j].rate -= along(train, train.rate, n, j, numbers)


@kernel(inline=True)
def stored_momentum(train: Record, spins: Records, first: int, n: int, numbers: Floats, weight: float) -> Vector:
    """g = K p, in the axes of the carrier; weight as in `set_rates`."""
    x, y, z, k = 0.0, 0.0, 0.0, train.coupling
    for j in range(n):
        u = spins[first + j]
        p = u.momentum + weight * (u.trial_momentum - u.momentum)
        x += numbers[k + j] * p
        y += numbers[k + n + j] * p
        z += numbers[k + 2 * n + j] * p
    return x, y, z


@kernel(inline=True)
def along(train: Record, vector: Floats, n: int, j: int, numbers: Floats) -> float:
    """(K^T vector)_j, the vector in the axes of the carrier."""
    k = train.coupling + j
    return float(numbers[k] * vector[0] + numbers[k + n] * vector[1] + numbers[k + 2 * n] * vector[2])


@kernel(inline=True)
def kick_carrier(train: Record, kick: float) -> None:
    """Trial velocity and momentum of all from the forces of t_n."""
    for c in range(3):
        force = train.elastic[c] + train.external[c] + train.dissipative[c]
        train.trial_velocity[c] = train.velocity[c] + kick * (train.inverse_mass * force + train.gravity[c])
        moment = train.elastic[c + 3] + train.external[c + 3] + train.dissipative[c + 3]
        train.trial_momentum[c] = train.momentum[c] + kick * moment


@kernel(inline=True)
def kick_carrier_by_change(train: Record, kick: float) -> tuple[float, float]:
    """The same by what the dissipative forces have changed; by how much, and of how much."""
    change, size = 0.0, 0.0
    for c in range(3):
        force = kick * (train.dissipative[c] - train.last_dissipative[c])
        moment = kick * (train.dissipative[c + 3] - train.last_dissipative[c + 3])
        train.trial_velocity[c] += train.inverse_mass * force
        train.trial_momentum[c] += moment
        change = max(change, abs(moment))
        size = max(size, abs(train.trial_momentum[c]) + abs(train.momentum[c]))
    return change, size


@kernel(inline=True)
def turn_carrier(train: Record, stored: Vector, h: float) -> bool:
    """train.theta and the trial orientation by the trial momentum; stored : g.

    Returns False if it turns by too much for one step.
    """
    momentum, theta, inverse = train.trial_momentum, train.theta, train.inverse_inertia
    l = to_body(train.rotation, momentum[0], momentum[1], momentum[2])
    size = abs(l[0]) + abs(l[1]) + abs(l[2])
    rounding = ULP * h * size * (inverse[0, 0] + inverse[1, 1] + inverse[2, 2])
    if not solve_incremental_rotation(train.inertia, l, stored, h, theta, rounding):
        return False
    turn_quaternion(train.quaternion, theta, train.trial_quaternion)
    set_rotation_matrix(train.trial_quaternion, train.trial_rotation)
    return True


@kernel(inline=True)
def drift_centre(train: Record, h: float) -> None:
    """Trial displacement of the common centre."""
    old, low = train.displacement, train.low_displacement
    for c in range(3):
        moved = grown(old[c], low[c], h * train.trial_velocity[c])
        train.trial_displacement[c], train.trial_low_displacement[c] = moved


@kernel(inline=True)
def commit_carrier(train: Record, spins: Records, first: int, last: int) -> None:
    """The trial state of t_{n+1} becomes the state; before that of the spins does."""
    for j in range(first, last):
        u = spins[j]
        for c in range(3):
            for d in range(3):
                u.carried[c, d] += 0.5 * u.trial_growth * (train.rotation[c, d] + train.trial_rotation[c, d])
    set_vector(train.step_rotation, to_global(train.rotation, train.theta[0], train.theta[1], train.theta[2]))
    for c in range(3):
        train.turned[c] += train.step_rotation[c]
        train.velocity[c] = train.trial_velocity[c]
        train.momentum[c] = train.trial_momentum[c]
    take_trial_place(train)
