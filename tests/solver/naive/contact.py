"""Twins of contact/: laws, friction, and what holds nodes at rigid walls; `interfaces` has whole interfaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from naive import cross, dense_inverse_mass

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

    exponent : of the elastic part; once_a_pair : the points of two solids share the damping as they do that force
    """

    exponent: float
    elastic: Any
    force: Any
    once_a_pair: bool = False

    def stiffness(self, z, weight, area):
        """dF/dz of the elastic part by differences, of VOLUME without the growth of the area."""
        h = 1e-4 * z
        return (8 * (self.elastic(z + h, weight, area) - self.elastic(z - h, weight, area))
                - self.elastic(z + 2 * h, weight, area) + self.elastic(z - 2 * h, weight, area)) / (12 * h)  # fmt: skip

    def damping(self, z, weight, area, touch_speed):
        """dF/dz' at rest, likewise."""

        def force(rate):
            return self.force(z, weight, area, rate, touch_speed)

        h = 1e-3
        return (8 * (force(h) - force(-h)) - force(2 * h) + force(-2 * h)) / (12 * h)


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

    return Law(exponent, elastic, force, once_a_pair=True)


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


def sliding_and_spinning(law, normal_force, slip, normal, turning, arm):
    """Force and moment about the normal, of one speed made of both: that of slip and arm times the rate of spinning."""
    both = np.array([*slip, arm * (turning @ normal)])
    friction = law.force(normal_force, both) if both.any() else both
    return friction[:3], arm * friction[3] * normal


def rolling(normal_force, normal, turning, arm, length, full_speed):
    """Moment against rolling: arm times the normal force, from a speed of rolling on."""
    rate = across(turning, normal)
    speed = length * np.linalg.norm(rate)
    return -arm * normal_force * step(speed, -full_speed, -1, full_speed, 1) * rate / np.linalg.norm(rate)


class Stiction(NamedTuple):
    """A tangential spring and damper that hold up to mu_s times the normal force; None: as the normal direction."""

    mu_s: float
    mu_d: float
    v_s: float
    v_d: float
    stiffness: float | None = None
    damping: float | None = None

    def spring(self, normal_stiffness, normal_damping, inverse_mass, alone):
        """k_t = k_n, of a point alone Mindlin's for nu = 0.3, 2 (1 - nu)/(2 - nu) of it; c_t/k_t = c_n/k_n."""
        ratio = alone * 2 * 0.7 / 1.7 + (1 - alone)
        k = ratio * normal_stiffness if self.stiffness is None else self.stiffness
        if self.damping is not None:
            return Spring(alone, k, self.damping)
        return Spring(alone, k, normal_damping * k / normal_stiffness, 2 * np.sqrt(k / inverse_mass))

    def held(self, spring, slip, normal_force, opening):
        """Friction, and whether the point slips; opening : rate at which the solids part."""
        most, way = self.mu_s * normal_force, 4 * self.mu_s * normal_force / spring.stiffness
        by_speed = self.mu_s + step(np.linalg.norm(slip), self.v_s, 0, self.v_d, self.mu_d - self.mu_s)
        by_way = np.interp(spring.slipped, [0, way], [self.mu_s, self.mu_d])
        return spring.held(slip, most, min(by_speed, by_way) * normal_force, self.mu_s * abs(opening))


@dataclass
class Spring:
    """A tangential spring.

    alone : 1 of the only point of two solids, 0 of one of several; critical : damping of what slips too fast
    """

    alone: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    critical: float = 0.0
    force: Any = field(default_factory=lambda: np.zeros(3))
    energy: float = 0.0
    slips: bool = False
    all_slip: bool = False  # all points of the two solids
    slid_before: bool = False
    slipped: float = 0.0  # faster and faster
    speed: float = 0.0  # mean of the last step

    def carry_on(self, old, normal, moved, dt):
        """From that of a step ago: turned with the normal, moved; it gives back no more than was put in.

        moved : along the plane of contact, in a step of length dt.  Of a point alone the force goes with the stiffness
        """
        weaker = np.interp(self.alone, [0, 1], [1, min(1, self.stiffness / old.stiffness)])
        before = weaker * turned_into_plane(old.force, normal)
        self.force = before - self.stiffness * moved
        put_in = -0.5 * (before + self.force) @ moved
        self.energy = max(0.0, old.energy + put_in)
        if energy_of(self.force, self.stiffness) > self.energy:
            self.force = self.force * np.sqrt(self.energy / energy_of(self.force, self.stiffness))
        self.energy = np.interp(self.alone, [0, 1], [self.energy, energy_of(self.force, self.stiffness)])
        self.speed, self.slid_before = np.linalg.norm(moved) / dt, old.all_slip
        if old.all_slip:
            self.slipped = old.slipped + (np.linalg.norm(moved) if self.speed > old.speed else 0.0)

    def held(self, slip, most, sliding, free_speed):
        """Force, and whether the point slips: beyond `most`, or going on beyond `sliding`, with force `sliding`."""
        speed, force = np.linalg.norm(slip), self.force - self.damping * slip
        slips = np.linalg.norm(force) > (sliding if self.slid_before else most)
        if speed > free_speed:
            force = force - self.critical * (speed - free_speed) * slip / speed
        size = np.linalg.norm(force)
        if slips:
            return sliding * force / size, True
        return force * min(1.0, most / size) if size > 0.0 else force, False

    def settle(self, friction):
        """What slips keeps what friction holds, and the energy goes with it."""
        if self.slips:
            before, self.force = self.force, friction
            if before @ before > 0.0:
                self.energy *= min(1.0, friction @ friction / (before @ before))


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


def nearest_before(points, before):
    """For each of some points (n, 3) that of another set (m, 3) it takes over, -1 without any: each is taken once."""
    left, found = list(range(len(before))), []
    for point in points:
        nearest = min(left, key=lambda k: np.linalg.norm(before[k] - point), default=-1)
        found.append(nearest)
        left = [k for k in left if k != nearest]
    return found


def number_of(loads):
    """How many points carry a load: that many, where they share it evenly."""
    return sum(loads) ** 2 / sum(np.square(loads))


def points_of_friction(points, loads, areas):
    """Where friction of a face or a line acts: its points drawn in by the mean distance of evenly spread pressure.

    points : (n, 3)
    """
    points, loads = np.array(points), np.array(loads) / np.sum(loads)
    middle = loads @ points
    away = points - middle
    b, a = np.sqrt(np.linalg.eigvalsh((loads[:, None] * away).T @ away).clip(0.0))[1:]
    of_points = loads @ np.linalg.norm(away, axis=1)
    if not of_points > 0.0:
        return points
    of_face = mean_distance(a, b, number_of(loads) * (loads @ areas))
    return middle + min(1.0, of_face / of_points) * away


def mean_distance(a, b, area):
    """Of a rectangle or a disc from its middle, a^2 and b^2 the second moments of its corners or of points of its rim.

    Between the two, which have 1 and pi/2 times the area 4ab, by the area; the slimmer a face is the less of that.
    """
    if b <= 1e-9 * a:
        return a / 2
    round_by = (min(area / (4 * a * b), np.pi / 2) - 1) / (np.pi / 2 - 1)
    disc = 2 / 3 * np.sqrt(2) / mean_distance_of_rectangle(1, 1)  # over that of the square with these points
    return mean_distance_of_rectangle(a, b) * (1 + round_by * (disc - 1) * b / a)


def mean_distance_of_rectangle(a, b):
    """Of half sides a, b: of a triangle with a corner in the middle 2/3 of the mean distance of its far side."""

    def of_far_side(height, half):
        return (
            quad(lambda x: np.hypot(height, x), 0.0, half, points=[min(height, half)], epsabs=0, epsrel=1e-13)[0] / half
        )

    return 2 / 3 * 0.5 * (of_far_side(a, b) + of_far_side(b, a))  # the triangles have equal areas


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
        matrix[:, 6 * body + c] = unit[:3] + cross(unit[3:], arm)
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
