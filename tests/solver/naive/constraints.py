"""Twins of constraints/: rows, the matrix of the multipliers, redundant rows, laws of motion, conditions, relations."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from scipy.linalg import cholesky, null_space

from naive import core as twin
from naive import dense_inverse_mass, dense_jacobian, mean_rotation

ROUND_OFF = np.finfo(float).eps

# ---- rows ------------------------------------------------------------------------------------------------------


def relative_residuals(rows):
    """|g| over the tolerance of each row."""
    return np.abs(rows["residual"]) * rows["inverse_tolerance"]


def unmet_rows(rows, least_slack):
    """Rows that are not solved for and off by more than their slack, or the least one of a row left out for a step."""
    sizes = np.abs(rows["residual"]) * rows["inverse_tolerance"] * 8 * ROUND_OFF
    slack = np.where(rows["left_out"] == 1, rows["slack"], least_slack)
    return np.flatnonzero((rows["left_out"] != 0) & ~(sizes <= slack))


# ---- the matrix of the multipliers ----------------------------------------------------------------------------


def multiplier_matrix(rows, entries, bodies):
    """G M^-1 G^T (nr, nr)."""
    jacobian = dense_jacobian(rows, entries, len(bodies))
    return jacobian @ dense_inverse_mass(bodies) @ jacobian.T


def saddle_point_solution(jacobian, inverse_mass, right_hand_side):
    """lambda of [M  -G^T; G  0] [v; lambda] = [0; r], bodies that cannot move left out of it."""
    moves = np.abs(inverse_mass).max(axis=1) > 0.0
    mass = np.linalg.inv(inverse_mass[np.ix_(moves, moves)])
    g = jacobian[:, moves]
    n, m = len(mass), len(g)
    whole = np.block([[mass, -g.T], [g, np.zeros((m, m))]])
    return np.linalg.solve(whole, np.concatenate([np.zeros(n), right_hand_side]))[n:]


def velocity_change(jacobian, inverse_mass, right_hand_side):
    """The one v = M^-1 G^T lambda with G v = r, dependent rows or not: least squares decides on some lambda."""
    matrix = jacobian @ inverse_mass @ jacobian.T
    size = np.sqrt(np.where(np.diag(matrix) > 0.0, np.diag(matrix), 1.0))
    scaled = np.linalg.lstsq(matrix / np.outer(size, size), right_hand_side / size, rcond=1e-10)[0]
    return inverse_mass @ jacobian.T @ (scaled / size)


def filled_columns(pattern):
    """Pattern (n, n) of the Cholesky factor of any matrix with this pattern: numbers without chance cancellation."""
    random = np.random.default_rng(0)
    values = np.where(pattern | pattern.T, random.uniform(0.1, 1.0, pattern.shape), 0.0)
    values = values + values.T + 2.0 * len(values) * np.eye(len(values))
    return np.abs(np.tril(cholesky(values, lower=True), -1)) > 1e-300


# ---- redundant rows --------------------------------------------------------------------------------------------


def rank(matrix):
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int(np.sum(singular > 1e-9 * max(singular.max(initial=0.0), 1e-300)))


def rows_in_the_span_of_earlier_ones(matrix):
    """Rows that add nothing to the rank of those before them."""
    return [k for k in range(len(matrix)) if rank(matrix[: k + 1]) == rank(matrix[:k])]


def groups_of_dependent_rows(jacobian):
    """Rows that appear together in combinations which are zero: blocks of the projector onto the null space of G^T."""
    size = np.linalg.norm(jacobian, axis=1)
    free = null_space((jacobian / size[:, None]).T, rcond=1e-10)
    together = np.abs(free @ free.T) > 1e-9
    groups = []
    for row in np.flatnonzero(together.any(axis=1)):
        group = {int(row)}
        for _ in jacobian:
            group |= {int(k) for member in group for k in np.flatnonzero(together[member])}
        if sorted(group) not in groups:
            groups.append(sorted(group))
    return groups


def least_norm_multipliers(jacobian, weights, multipliers):
    """Of all lambda with the forces G^T lambda of these multipliers, the one of least sum of weight lambda^2.

    All others differ by y = N z of the null space of G^T; the best z solves a small system with the weights.
    """
    free = null_space(jacobian.T, rcond=1e-10)
    if free.shape[1] == 0:
        return multipliers
    weighted = free.T * weights
    return multipliers - free @ np.linalg.solve(weighted @ free, weighted @ multipliers)


# ---- relations -------------------------------------------------------------------------------------------------


def sum_of_coordinates(terms, coordinates):
    """Residual of terms (joint, rotational, coefficient); coordinates : (2, joints) angles and slides."""
    return sum(factor * coordinates[0 if rotational else 1][joint] for joint, rotational, factor in terms)


# ---- coordinates of bodies -------------------------------------------------------------------------------------


def place_of(bodies, body, point, prefix=""):
    """Where a point of a body is that stood there at t = 0."""
    arm = point - bodies[body]["centre"]
    return bodies[body]["centre"] + bodies[body][prefix + "displacement"] + bodies[body][prefix + "rotation"] @ arm


def angle_about(bodies, a, b, axis, prefix=""):
    """Angle by which body b has turned against body a about an axis of a (its components at t = 0), up to half a turn.

    Of the quaternion (w, v) = (cos(angle/2), sin(angle/2) axis) of the relative rotation R: R - R^T = [4 w v]x, and
    its trace is 4 w^2 - 1.
    """
    relative = bodies[prefix + "rotation"][a].T @ bodies[prefix + "rotation"][b]
    skew = relative - relative.T
    return 2.0 * np.arctan2(np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) @ axis, 1.0 + np.trace(relative))


def slide_along(bodies, a, b, point, axis, prefix=""):
    """How far the place of body b that stood at a point has moved against body a, along an axis of a."""
    apart = place_of(bodies, b, point, prefix) - place_of(bodies, a, point, prefix)
    return (bodies[a][prefix + "rotation"] @ axis) @ apart


# ---- laws of motion --------------------------------------------------------------------------------------------


class Law:
    """An imposed motion that keeps all its past: the coordinate it wants at every time, and its work.

    kind : "DISPLACEMENT", "VELOCITY" or "ACCELERATION"; function : of the scaled time; window : it acts within, the end
    left out; origin : the time that the function counts from
    """

    def __init__(self, kind, function, scales, window, origin, absolute):
        self.kind, self.window, self.absolute = kind, window, absolute
        self.wanted = lambda t: scales[1] * function((t - origin) / scales[0])
        self.acts = False

    def take_hold(self, t, coordinate, rate):
        """Let it act if the time says so; True if that changed."""
        acts = self.window[0] <= t < self.window[1]
        changed, self.acts = acts != self.acts, acts
        if changed and acts:
            self.start, self.rate, self.travel = coordinate, rate, 0.0
        return changed

    def step(self, t, dt, kick):
        """Places wanted at t and at t + dt."""
        if self.kind == "DISPLACEMENT":
            start = 0.0 if self.absolute else self.start
            return start + self.wanted(t), start + self.wanted(t + dt)
        if self.kind == "VELOCITY":
            growth = quad(self.wanted, t, t + dt, epsabs=1e-13, epsrel=1e-12)[0]
        else:
            self.rate += kick * self.wanted(t)
            growth = dt * self.rate
        before = self.start + self.travel
        self.travel += growth
        return before, before + growth

    def last_push(self, dt, previous_dt, forces, stretch):
        """Force that a motion still has where it lets go: half a kick of the line through its last two, if it had any.

        forces : of the last step, and of the one before
        """
        if previous_dt <= 0.0 or self.acts:
            return 0.0
        force = forces[0] + (stretch * (forces[0] - forces[1]) if forces[1] else 0.0)
        return 0.5 * previous_dt * force / (0.5 * (previous_dt + dt))

    def rate_at(self, t):
        """Rate wanted, that of an acceleration being summed up."""
        if not self.acts:
            return 0.0
        if self.kind == "VELOCITY":
            return self.wanted(t)
        return self.rate if self.kind == "ACCELERATION" else twin.derivatives(self.wanted, t)[1]


def rate_at_end(rate_before, rate, kick, previous_dt):
    """Of a coordinate at t_n: the line through its mean rates of the last two steps, whose middles are a kick apart."""
    middle = -0.5 * previous_dt
    return np.polyval(np.polyfit([middle - kick, middle], [rate_before, rate], 1), 0.0)


class Drive(Law):
    """A law that also knows what its function asks for, an acceleration integrated twice from where it took hold."""

    def exact(self, t):
        if not self.acts:
            return np.nan
        if self.kind == "DISPLACEMENT":
            return self.step(t, 0.0, 0.0)[0]
        if self.kind == "VELOCITY":
            return self.start + quad(self.wanted, self.since, t, epsabs=1e-13, epsrel=1e-12)[0]
        kicked = quad(lambda s: (t - s) * self.wanted(s), self.since, t, epsabs=1e-13, epsrel=1e-12)[0]
        return self.start + self.start_rate * (t - self.since) + kicked

    def take_hold(self, t, coordinate, rate):
        changed = super().take_hold(t, coordinate, rate)
        if changed and self.acts:
            self.since, self.start_rate = t, rate
        return changed


# ---- conditions on nodes ---------------------------------------------------------------------------------------


def step_of_term(kind, middle, place, main, turn):
    """Coordinate of a term over a step.

    middle : axis in the middle of the step; place : of the node at t_n and t_{n+1}; main : the same of the node that it
    is fixed to, with the rotations of its body; turn : rotation vector of the step, global
    """
    if kind == "ROTATION":
        return middle @ turn
    if kind == "TRANSLATION":
        return middle @ (place[1] - place[0])
    (from_old, from_new), (old, new) = main
    seen = new.T @ (place[1] - from_new) - old.T @ (place[0] - from_old)
    return middle @ (old + new) @ seen / 2


class Gyrostat:
    """A free carrier with balanced rotors; inertia (3, 3) with the rotors locked, J (3, n) and D (n, n)."""

    def __init__(self, locked, coupling, masses):
        self.whole = np.block([[locked, coupling], [coupling.T, masses]])

    def rates(self, momentum, momenta):
        """omega (3,) and u' (n,) of the momenta, in the axes of the carrier."""
        both = np.linalg.solve(self.whole, np.concatenate([momentum, momenta]))
        return both[:3], both[3:]

    def step(self, momentum, momenta, h):
        """theta and du with (I theta + J du)/h = V(theta) l and (J^T theta + D du)/h = p, by Newton."""
        both = np.zeros(3 + len(momenta))

        def lacking(both):
            right = np.concatenate([mean_rotation(both[:3]) @ momentum, momenta])
            return self.whole @ both - h * right

        for _ in range(30):
            step = 1e-7
            columns = [(lacking(both + step * e) - lacking(both - step * e)) / (2 * step) for e in np.eye(len(both))]
            both = both - np.linalg.solve(np.array(columns).T, lacking(both))
        return both[:3], both[3:]
