"""Twins of contact/: laws, friction, points and their forces and works, and what holds nodes at rigid walls."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from naive import core as twin
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


# ---- points and their forces -----------------------------------------------------------------------------------


class Solid(NamedTuple):
    """A shape on a body; centre from the centre of the body, rows of axes in the axes of the body."""

    kind: str
    body: int
    centre: Any
    axes: Any
    size: Any


@dataclass
class Touch:
    """A point of contact."""

    pair: tuple[int, int]
    i: int
    j: int
    point: Any
    normal: Any  # of the force on body i
    depth: float
    weight: float
    area: float
    elastic: float = 0.0
    correction: float = 0.0
    total: float = 0.0
    tangential: Any = field(default_factory=lambda: np.zeros(3))
    spring: Any = field(default_factory=lambda: np.zeros(3))
    stiffness: float = 0.0
    damping: float = 0.0
    slips: bool = False
    touch_speed: float = 0.0
    ended: bool = False  # its last kick has all of the force until it parts


def points_of(one, other, place_of):
    """Points (point, normal on `one`, depth, weight, area) of two solids, spheres, half spaces and boxes on these.

    place_of : solid -> its centre, and its axes as rows, now
    """
    (centre, axes), (other_centre, other_axes) = place_of(one), place_of(other)
    if other.kind == "SPHERE" and one.kind != "SPHERE":
        return [(p, -n, *rest) for p, n, *rest in points_of(other, one, place_of)]
    if one.kind == "PLANE":
        return [(p, -n, *rest) for p, n, *rest in points_of(other, one, place_of)]
    if one.kind == "SPHERE" and other.kind == "SPHERE":
        apart = np.linalg.norm(centre - other_centre)
        depth, normal = one.size[0] + other.size[0] - apart, (centre - other_centre) / apart
        # of the triangle of both radii and the distance: the height is the radius of the common circle (Heron)
        s = 0.5 * (one.size[0] + other.size[0] + apart)
        square = 4 * s * (s - one.size[0]) * (s - other.size[0]) * (s - apart) / apart**2
        found = [(centre - (one.size[0] - depth / 2) * normal, normal, depth, 1.0, np.pi * square)]
    elif one.kind == "SPHERE":
        normal = other_axes[2]
        depth = one.size[0] - normal @ (centre - other_centre)
        found = [(centre - (one.size[0] - depth / 2) * normal, normal, depth, 1.0,
                  np.pi * (one.size[0] ** 2 - (one.size[0] - depth) ** 2))]  # fmt: skip
    else:
        normal, found = other_axes[2], []
        faces = 4 * np.prod(one.size) / np.array(one.size)
        area = 0.25 * np.sum(faces * (axes @ normal) ** 2)  # a quarter of the face that lies flat
        for signs in product((-1, 1), repeat=3):
            corner = centre + (np.array(signs) * one.size) @ axes
            depth = -normal @ (corner - other_centre)
            found.append((corner + 0.5 * depth * normal, normal, depth, 1.0, area))
    return [point for point in found if point[2] > 0.0]


def gap_of(one, other, place_of):
    """Gap of two solids as above, its normal from the other to `one`, and the point of each that it is taken from."""
    (centre, axes), (other_centre, other_axes) = place_of(one), place_of(other)
    if one.kind == "PLANE" or (other.kind == "SPHERE" and one.kind != "SPHERE"):
        gap, normal, on_other, on_one = gap_of(other, one, place_of)
        return gap, -normal, on_one, on_other
    if other.kind == "SPHERE":
        apart = np.linalg.norm(centre - other_centre)
        gap, normal = apart - one.size[0] - other.size[0], (centre - other_centre) / apart
        lowest = centre - one.size[0] * normal
    else:
        normal = other_axes[2]
        corners = [centre + (np.array(signs) * one.size) @ axes for signs in product((-1, 1), repeat=3)]
        lowest = centre - one.size[0] * normal if one.kind == "SPHERE" else min(corners, key=lambda c: normal @ c)
        gap = normal @ (lowest - other_centre)
    return gap, normal, lowest, lowest - gap * normal


class Interface:
    """An interface of the twin of a machine (naive.integration.Machine): all pairs, all points, every step.

    solids : by number; sides : numbers on side i and on side j; curve : a force curve in place of the law
    """

    def __init__(self, solids, sides, law, friction=None, by_touch=False, window=(0.0, np.inf), cuts=False):
        self.solids, self.sides, self.law, self.friction = solids, sides, law, friction
        self.by_touch, self.window, self.cuts = by_touch, window, cuts
        self.touches, self.before = [], []
        self.works = np.zeros(3)  # elastic, of damping, of friction
        self.at_start = 0.0  # of the first, in an overlap to begin with
        self.coming = np.zeros(3)
        self.changes = 0

    def place(self, machine, solid):
        body = machine.bodies[solid.body]
        centre = body["centre"] + body["displacement"] + body["rotation"] @ solid.centre
        return centre, np.array(solid.axes) @ body["rotation"].T

    def begin(self, machine):
        """Points and elastic forces of t_n."""
        self.before, self.touches = self.touches, []
        for pair, one, other in self.pairs(machine.t):
            for point in points_of(one, other, lambda solid: self.place(machine, solid)):
                self.touches.append(Touch(pair, one.body, other.body, *point))
        self.set_elastic_forces(machine)
        self.changes += machine.previous_dt > 0.0 and len(self.touches) != len(self.before)
        return np.zeros((len(machine.bodies), 6))

    def pairs(self, t):
        """Pairs of solids that may touch at t, in order, each with that of side i first."""
        if not self.window[0] <= t < self.window[1]:
            return []
        pairs = sorted({tuple(sorted(pair)) for pair in product(*self.sides)})
        placed = [
            (pair, *(self.solids[k] for k in (pair if pair[0] in self.sides[0] else pair[::-1]))) for pair in pairs
        ]
        return [(pair, one, other) for pair, one, other in placed if one.body != other.body]

    def time_to_touch(self, machine, dt):
        """When the first pair that is apart touches if its gap is a parabola of free fall; dt if that is later."""
        found = [dt]
        bodies = machine.bodies
        fall = np.where(bodies["inverse_mass"] > 0.0, 1.0, 0.0)[:, None] * bodies["gravity"]
        spins = np.array([twin.angular_velocity(body, body["momentum"]) for body in bodies])
        for _, one, other in self.pairs(machine.t):
            gap, normal, *points = gap_of(one, other, lambda solid: self.place(machine, solid))
            if gap <= 0.0:
                continue
            one_velocity, other_velocity = (
                bodies["velocity"][solid.body]
                + np.cross(spins[solid.body], point - bodies["centre"][solid.body] - bodies["displacement"][solid.body])
                for solid, point in zip((one, other), points, strict=True)
            )
            acceleration = normal @ (fall[one.body] - fall[other.body])
            rate = normal @ (one_velocity - other_velocity) + 0.5 * machine.previous_dt * acceleration
            roots = np.roots([0.5 * acceleration, rate, gap])
            found += [root.real for root in roots if abs(root.imag) == 0.0 and root.real > 0.0]
        return min(found)

    def set_elastic_forces(self, machine):
        for touch in self.touches:
            touch.elastic = touch.total = self.law.elastic(touch.depth, touch.weight, touch.area)
            stiffness = self.law.stiffness(touch.depth, touch.weight, touch.area)
            if machine.previous_dt > 0.0:
                closing = -self.moved(machine, touch, machine.step_before) @ touch.normal / machine.previous_dt
                change = 0.25 * (machine.dt - machine.previous_dt) * stiffness * closing
                touch.correction = max(-touch.elastic, change)
            else:
                closing = -self.relative_velocity(machine, touch) @ touch.normal
            same = [old for old in self.before if old.pair == touch.pair]
            nearest = min(same, key=lambda old: np.linalg.norm(old.point - touch.point), default=None)
            if self.cuts and self.law.exponent < 1.5 and machine.previous_dt > 0.0:
                self.correct_edge(machine, touch, nearest, closing)
            touch.touch_speed = max(closing, nearest.touch_speed if nearest else 0.0)
        self.set_springs(machine, lambda touch: self.law.stiffness(touch.depth, touch.weight, touch.area))

    def correct_edge(self, machine, touch, before, closing):
        """All of its force for the first and the last kick of a contact."""
        kick = 0.5 * (machine.previous_dt + machine.dt)
        rate = closing - kick * self.inverse_mass(machine, touch) * touch.elastic  # of the step to come
        touch.ended = closing < 0.0 and touch.depth + rate * machine.dt < 0.0
        if before and before.ended and closing < 0.0:
            touch.ended, touch.correction = True, -touch.elastic
        elif before is None and closing > 0.0:
            touch.correction = edge_impulse(self.law, touch, closing, 0.5 * machine.dt) / kick - touch.elastic
        elif touch.ended:
            touch.correction = edge_impulse(self.law, touch, closing, 0.5 * machine.previous_dt) / kick - touch.elastic

    def set_springs(self, machine, stiffness_of):
        if not isinstance(self.friction, Stiction):
            return
        for pair in {touch.pair for touch in self.touches}:
            now = [touch for touch in self.touches if touch.pair == pair]
            old = [touch for touch in self.before if touch.pair == pair]
            taken = nearest_before([touch.point for touch in now], [touch.point for touch in old])
            for touch, k in zip(now, taken, strict=True):
                inverse_mass = self.inverse_mass(machine, touch)
                touch.stiffness, touch.damping = self.friction.constants(stiffness_of(touch), inverse_mass)
                if k >= 0:
                    moved = self.moved(machine, touch, machine.step_before)
                    slipped = across(moved, touch.normal)
                    touch.spring = carried_on(old[k].spring, old[k].stiffness, touch.stiffness, touch.normal, slipped)

    def moved(self, machine, touch, steps):
        """Of body i against body j at a point, by displacements and turns (nb, 6)."""
        total = np.zeros(3)
        for body, sign in ((touch.i, 1.0), (touch.j, -1.0)):
            total += sign * (steps[body, :3] + np.cross(steps[body, 3:], self.arm(machine, touch, body)))
        return total

    def arm(self, machine, touch, body):
        return touch.point - machine.bodies[body]["centre"] - machine.bodies[body]["displacement"]

    def relative_velocity(self, machine, touch):
        bodies = machine.bodies
        return self.moved(machine, touch, np.hstack([bodies["mean_velocity"], bodies["mean_angular_velocity"]]))

    def inverse_mass(self, machine, touch):
        """Of both bodies at a point along its normal: the acceleration that a unit force gives it."""
        wrench = self.wrench_of(machine, touch, touch.normal)
        accelerations = (dense_inverse_mass(machine.bodies) @ wrench.ravel()).reshape(-1, 6)
        return self.moved(machine, touch, accelerations) @ touch.normal

    def wrench_of(self, machine, touch, force):
        wrench = np.zeros((len(machine.bodies), 6))
        for body, sign in ((touch.i, 1.0), (touch.j, -1.0)):
            wrench[body] += sign * np.concatenate([force, np.cross(self.arm(machine, touch, body), force)])
        return wrench

    def forces(self, machine):
        """Wrenches of all points at the estimates of v_n at hand."""
        wrench = np.zeros((len(machine.bodies), 6))
        for touch in self.touches:
            velocity = self.relative_velocity(machine, touch)
            rate = -velocity @ touch.normal
            touch.total = self.total(touch, rate)
            slip = velocity + rate * touch.normal
            if self.friction:
                touch.tangential, touch.slips = self.rub(touch, slip)
            force = (touch.total + touch.correction) * touch.normal + touch.tangential
            wrench += self.wrench_of(machine, touch, force)
        wrench[0] = 0.0
        return wrench

    def total(self, touch, rate):
        return self.law.force(touch.depth, touch.weight, touch.area, rate, touch.touch_speed if self.by_touch else 0.0)

    def rub(self, touch, slip):
        if isinstance(self.friction, Stiction):
            return self.friction.held(touch.spring, touch.damping, slip, touch.total)
        return self.friction.force(touch.total, slip), False

    def add_work(self, machine):
        """Over the step that led to t_n, half by the forces of its start; the half of those of t_n is kept."""
        next_step = np.zeros((len(machine.bodies), 6))
        next_step[:, :3] = machine.dt * machine.bodies["trial_velocity"]
        next_step[:, 3:] = np.einsum("kij,kj->ki", machine.bodies["rotation"], machine.bodies["theta"])
        self.works += self.coming
        self.coming = np.zeros(3)
        for touch in self.touches:
            parts = np.array([(touch.elastic + touch.correction) * touch.normal,
                              (touch.total - touch.elastic) * touch.normal, touch.tangential])  # fmt: skip
            self.works += 0.5 * parts @ self.moved(machine, touch, machine.step_before)
            self.coming += 0.5 * parts @ self.moved(machine, touch, next_step)
            if touch.slips:
                touch.spring = touch.tangential

    def recoverable(self):
        """What is stored of the work against the elastic forces."""
        return -self.works[0]

    def record(self):
        """Columns of the results."""
        touches = self.touches
        stored = sum(energy_of(touch.spring, touch.stiffness) for touch in touches if touch.stiffness)
        normal = sum((touch.total * touch.normal for touch in touches), np.zeros(3))
        tangential = sum((touch.tangential for touch in touches), np.zeros(3))
        load = sum(touch.total for touch in touches)
        point = sum(touch.total * touch.point for touch in touches) / load if load else np.full(3, np.nan)
        elastic = self.recoverable()
        return np.array([
            *normal, *tangential, *point, max((touch.depth for touch in touches), default=0.0),
            sum(touch.area for touch in touches), len(touches), stored + elastic,
            -self.works.sum() + self.works[2] - elastic, -self.works[2] - stored, self.changes,
        ])  # fmt: skip


class CurveInterface(Interface):
    """An interface of a force curve between two bodies, as docs/contact.md has it.

    given : the numbers of the card by name, functions as Python functions; formulation 0, 1 or 2
    """

    def __init__(self, solids, sides, given):
        rubs = given.friction_force > 0.0 or given.friction > 0.0
        super().__init__(solids, sides, None, Stiction(0, 0, 0, 0) if rubs else None)
        self.given = given
        self.depth = self.elastic = self.steepest = self.allowance = 0.0
        self.begun = False

    def loading(self, z):
        return max(0.0, self.given.loading(z))

    def unloading(self, z):
        return max(0.0, self.given.unloading(z)) if self.given.formulation == 1 else 0.0

    def set_elastic_forces(self, machine):
        given, first = self.given, not self.begun
        deepest = max((touch.depth for touch in self.touches), default=0.0)
        if first:
            self.begun, self.steepest = True, given.stiffness
            self.allowance = deepest if given.reduce_gap else 0.0
            if given.adjust_force and not given.reduce_gap:
                self.depth, self.elastic = deepest, self.unloading(deepest)
        self.touches = [touch for touch in self.touches if touch.depth > self.allowance]
        for touch in self.touches:
            touch.depth -= self.allowance
        if self.touches:
            self.load(deepest - self.allowance)
        else:
            self.depth = self.elastic = 0.0
        total = sum(touch.weight * touch.depth for touch in self.touches)
        for touch in self.touches:
            touch.weight *= touch.depth / total
            touch.elastic = touch.total = touch.weight * self.elastic
        self.set_springs(machine, lambda touch: touch.weight * self.steepest)
        if first and given.formulation:
            self.works[0] = self.at_start = -self.recoverable()

    def load(self, z):
        """Elastic force of both bodies at a depth that follows the last one."""
        force, grown = self.loading(z), z - self.depth
        h = 1e-7
        slope = (self.given.loading(z + h) - self.given.loading(z - h)) / (2 * h)
        self.steepest = max(self.steepest, abs(slope))
        along = self.elastic + self.given.stiffness * grown
        if self.given.formulation:
            force = min(force, along) if grown >= 0.0 else max(self.unloading(z), along)
        self.depth, self.elastic = z, force

    def recoverable(self):
        """What is given back along a line of slope k down to u(z), and on along that."""
        if self.given.formulation == 0:
            return -self.works[0]
        k, depth = self.given.stiffness, self.depth

        def line(z):
            return self.elastic - k * (depth - z)

        lowest = max(0.0, depth - self.elastic / k)
        meeting = lowest
        if line(lowest) < self.unloading(lowest):
            meeting = brentq(lambda z: line(z) - self.unloading(z), lowest, depth, xtol=1e-18)
        kinks = [kink for kink in self.given.kinks if 0.0 < kink < meeting]
        along_line = 0.5 * (depth - meeting) * (self.elastic + line(meeting))
        return along_line + (quad(self.unloading, 0.0, meeting, points=kinks or None, epsabs=1e-14)[0])

    def total(self, touch, rate):
        return max(0.0, touch.elastic + touch.weight * self.given.damping(rate, self.elastic))

    def rub(self, touch, slip):
        force, most = touch.spring - touch.damping * slip, touch.weight * self.given.most(slip, self.elastic)
        size = np.linalg.norm(force)
        return (force, False) if size <= most else (most * force / size, True)


class RoutineInterface(Interface):
    """An interface of routines, as docs/contact_routines.md has it: Python functions with MotionSolve's arguments.

    normal, rubbing : CNFSUB, CFFSUB; parameters : of both
    """

    def __init__(self, solids, sides, number, normal, rubbing, parameters):
        super().__init__(solids, sides, None, friction=rubbing)
        self.number, self.normal, self.parameters = number, normal, parameters

    def set_elastic_forces(self, machine):
        self.machine = machine
        for pair in {touch.pair for touch in self.touches}:
            now = [touch for touch in self.touches if touch.pair == pair]
            old = [touch for touch in self.before if touch.pair == pair]
            taken = nearest_before([touch.point for touch in now], [touch.point for touch in old])
            for touch, k in zip(now, taken, strict=True):
                touch.elastic = touch.total = self.total(touch, 0.0)
                if k >= 0:  # what it has slipped
                    moved = self.moved(machine, touch, machine.step_before)
                    touch.spring = turned_into_plane(old[k].spring, touch.normal)
                    touch.spring = touch.spring + across(moved, touch.normal)

    def on_solids(self, touch):
        """Point and outward normal on both solids, in their axes: loci, ni, locj, nj."""
        found = []
        for body, sign in ((touch.i, -1.0), (touch.j, 1.0)):
            (solid,) = (self.solids[k] for k in touch.pair if self.solids[k].body == body)
            centre, axes = self.place(self.machine, solid)
            found += [axes @ (touch.point - centre), sign * axes @ touch.normal]
        return found

    def total(self, touch, rate):
        arguments = self.number, self.machine.t, self.parameters, len(self.parameters), *self.on_solids(touch)
        return touch.weight * max(0.0, self.normal(*arguments, -touch.depth, -rate, 0.0, False, False)[0])

    def rub(self, touch, slip):
        along = slip if np.linalg.norm(slip) > 1e-100 else touch.spring
        along = along / np.linalg.norm(along)
        aside = np.cross(touch.normal, along)
        loci, _, locj, _ = self.on_solids(touch)
        x, xdot = [touch.spring @ along, touch.spring @ aside, 0.0], [np.linalg.norm(slip), 0.0, 0.0]
        given = self.number, self.machine.t, self.parameters, len(self.parameters)
        first, second, _ = self.friction(*given, loci, locj, x, xdot, touch.total, False, False)
        return first * along + second * aside, False


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
    carried = velocity_of_point(wall["body"], wall["arm"], n_bodies)
    return velocity_of_point(node["body"], node["arm"], n_bodies) - carried


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
