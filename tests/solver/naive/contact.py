"""Twins of contact/: laws, friction, and what holds nodes at rigid walls; `interfaces` has whole interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from naive import dense_inverse_mass

# ---- laws ------------------------------------------------------------------------------------------------------


def step(x, x0, h0, x1, h1):
    """STEP: the cubic between two levels."""
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    d = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * d * d * (3 - 2 * d)


@dataclass
class Law:
    """A normal force: an elastic part (penetration, weight, area), and what the rate makes of it (..., rate, speed).

    exponent : of the elastic part
    """

    exponent: float
    elastic: Any
    force: Any

    def stiffness(self, z, weight, area):
        """dF/dz of the elastic part by differences, of VOLUME without the growth of the area."""
        h = 1e-4 * z
        return (8 * (self.elastic(z + h, weight, area) - self.elastic(z - h, weight, area))
                - self.elastic(z + 2 * h, weight, area) + self.elastic(z - 2 * h, weight, area)) / (12 * h)  # fmt: skip


def poisson(stiffness, restitution, transition):
    kappa = (1 - restitution**2) / (1 + restitution**2)

    def elastic(z, weight, area):
        return weight * stiffness * z**1.5

    def force(z, weight, area, rate, touch_speed=0.0):
        return elastic(z, weight, area) * (1 + kappa * step(rate, -transition, -1, transition, 1))

    return Law(1.5, elastic, force)


def impact(stiffness, exponent, damping, depth):
    def elastic(z, weight, area):
        return weight * stiffness * z**exponent

    def force(z, weight, area, rate, touch_speed=0.0):
        return max(0.0, elastic(z, weight, area) + weight * step(z, 0, 0, depth, damping) * rate)

    return Law(exponent, elastic, force)


def volume(stiffness, exponent, damping):
    def elastic(z, weight, area):
        return area * stiffness * z**exponent

    def force(z, weight, area, rate, touch_speed=0.0):
        return max(0.0, elastic(z, weight, area) + weight * damping * rate)

    return Law(exponent, elastic, force)


def hunt_crossley(stiffness, exponent, a=None, loss=None):
    """With a, or with a = loss over the speed of first touch."""

    def elastic(z, weight, area):
        return weight * stiffness * z**exponent

    def force(z, weight, area, rate, touch_speed=0.0):
        damping = a if loss is None else loss / touch_speed if touch_speed > 0.0 else 0.0
        return max(0.0, elastic(z, weight, area) * (1 + damping * rate))

    return Law(exponent, elastic, force)


def compliant(force, free_rate, compliance):
    """F = force(z' = free_rate - compliance F): where a falling line meets a rising curve."""
    most = force(free_rate)
    if compliance == 0.0 or most == 0.0:
        return most
    return brentq(lambda f: f - force(free_rate - compliance * f), 0.0, most, xtol=1e-300, rtol=1e-15)


class Coulomb(NamedTuple):
    """Regularised friction, static and dynamic (ON) or dynamic alone."""

    mu_s: float
    mu_d: float
    v_s: float
    v_d: float
    dynamic_only: bool = False

    def coefficient(self, speed):
        if self.dynamic_only:
            return step(speed, -self.v_d, -self.mu_d, self.v_d, self.mu_d)
        if speed <= self.v_s:
            return step(speed, -self.v_s, -self.mu_s, self.v_s, self.mu_s)
        return step(speed, self.v_s, self.mu_s, self.v_d, self.mu_d)

    def force(self, normal_force, slip):
        speed = np.linalg.norm(slip)
        return -self.coefficient(speed) * normal_force * slip / speed if speed > 0.0 else np.zeros(3)


class Stiction(NamedTuple):
    """A tangential spring and damper that hold up to mu_s times the normal force; None: from the normal stiffness."""

    mu_s: float
    mu_d: float
    v_s: float
    v_d: float
    stiffness: float | None = None
    damping: float | None = None

    def constants(self, normal_stiffness, inverse_mass):
        """k_t of Mindlin for nu = 0.3, 2 (1 - nu)/(2 - nu) of k_n, and 0.3 of the critical damping."""
        k = 2 * 0.7 / 1.7 * normal_stiffness if self.stiffness is None else self.stiffness
        critical = 2 * np.sqrt(k / inverse_mass) if inverse_mass else 0.0
        return k, 0.3 * critical if self.damping is None else self.damping

    def held(self, spring, damping, slip, normal_force):
        """Force of the spring `spring` with its damper, and whether the point slips."""
        force, speed = spring - damping * slip, np.linalg.norm(slip)
        size = np.linalg.norm(force)
        if size <= self.mu_s * normal_force:
            return force, False
        sliding = self.mu_s if speed <= self.v_s else step(speed, self.v_s, self.mu_s, self.v_d, self.mu_d)
        return sliding * normal_force * force / size, True


def across(vector, normal):
    """What of a vector lies in the plane across a unit normal."""
    return vector - (vector @ normal) * normal


def energy_of(force, stiffness):
    """Stored in a spring."""
    return force @ force / (2 * stiffness)


def turned_into_plane(vector, normal):
    """The vector of the same length in the plane across a normal that is nearest to this one."""
    plane = np.linalg.svd(np.outer(normal, normal))[0][:, 1:]  # two unit vectors
    components = plane.T @ vector
    angle = np.arctan2(components[1], components[0])
    return np.linalg.norm(vector) * plane @ [np.cos(angle), np.sin(angle)]


def carried_on(force, stiffness_before, stiffness, normal, slipped):
    """The tangential spring of a point a step later: turned with the normal, weaker if the normal force is, moved."""
    weaker = min(1.0, stiffness / stiffness_before)
    return weaker * turned_into_plane(force, normal) - stiffness * slipped


def nearest_before(points, before):
    """For each of some points (n, 3) that of another set (m, 3) it takes over, -1 without any: each is taken once."""
    left, found = list(range(len(before))), []
    for point in points:
        nearest = min(left, key=lambda k: np.linalg.norm(before[k] - point), default=-1)
        found.append(nearest)
        left = [k for k in left if k != nearest]
    return found


def edge_impulse(law, touch, closing, half_step):
    """Impulse of F(z + z' s) over all of a half step and the time since it was zero, or until it is zero again."""
    speed = abs(closing)
    return quad(lambda s: law.elastic(touch.depth + speed * s, touch.weight, touch.area),
                -touch.depth / speed, half_step, epsabs=0)[0]  # fmt: skip


# ---- rigid walls -----------------------------------------------------------------------------------------------


def gap_and_normal(kind, axis, radius, place):
    """Distance in front of a wall through, or about, the origin."""
    if kind in ("PLANE", "PARALLELOGRAM"):
        return axis @ place, axis
    out = place - (axis @ place) * axis if kind == "CYLINDER" else place
    return np.linalg.norm(out) - radius, out / np.linalg.norm(out)


def shares(sides, place):
    """Coordinates of a place on the sides (2, 3) of a parallelogram: least squares."""
    return np.linalg.lstsq(sides.T, place, rcond=None)[0]


def velocity_of_point(body, arm, n_bodies):
    """Matrix (3, 6 nb) from velocities and spins of all bodies to the velocity of a point at an arm (global)."""
    matrix = np.zeros((3, 6 * n_bodies))
    for c in range(6):
        unit = np.eye(6)[c]
        matrix[:, 6 * body + c] = unit[:3] + np.cross(unit[3:], arm)
    return matrix


def relative_velocity(wall, node, n_bodies):
    """The same of a node against the node that carries its wall."""
    carried = velocity_of_point(wall["carrier"]["body"], wall["arm"], n_bodies)
    return velocity_of_point(node["point"]["body"], node["arm"], n_bodies) - carried


def answering_inverse_mass(bodies, jacobian):
    """Velocities (6 nb, 6 nb) to unit wrenches, the rows answering so that their rates stay zero."""
    inverse_mass = dense_inverse_mass(bodies)
    inverse_mass[:6, :6] = 0.0  # the ground stays
    if len(jacobian) == 0:
        return inverse_mass
    answer = np.linalg.pinv(jacobian @ inverse_mass @ jacobian.T, rcond=1e-10, hermitian=True)
    return inverse_mass - inverse_mass @ jacobian.T @ answer @ jacobian @ inverse_mass


def least_pressing_forces(matrix, rates):
    """F >= 0 with matrix F + rates >= 0, one of both zero in every place: all choices of pressing places are tried."""
    best, found = np.inf, np.zeros(len(rates))
    for choice in product([False, True], repeat=len(rates)):
        pressing = np.flatnonzero(choice)
        forces = np.zeros(len(rates))
        if len(pressing):
            forces[pressing] = np.linalg.lstsq(matrix[np.ix_(pressing, pressing)], -rates[pressing], rcond=None)[0]
        violation = -min(forces.min(initial=0.0), (matrix @ forces + rates).min(initial=0.0))
        if violation < best:
            best, found = violation, forces
    return found
