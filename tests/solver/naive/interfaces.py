"""Twins of interfaces of contact/: all points of all pairs of solids, their forces at every step, their works."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from naive import core as twin
from naive import cross, dense_inverse_mass
from naive.contact import (
    Spring,
    Stiction,
    across,
    nearest_before,
    number_of,
    points_of_friction,
    turned_into_plane,
)
from naive.touches import debt_of, returning_force

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
    spring: Any = field(default_factory=Spring)
    slipped: Any = field(default_factory=lambda: np.zeros(3))  # since it touched, for routines
    rubs_at: Any = None  # where friction acts
    touch_speed: float = 0.0


@dataclass
class Owed:
    """Of a pair whose force is no gradient: the work of its elastic forces, and what gives its debt back, and where."""

    work: float
    at: Any = None
    force: Any = field(default_factory=lambda: np.zeros(3))


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


def by_pair(touches):
    """Pairs of solids, and the points of each."""
    return [(pair, [touch for touch in touches if touch.pair == pair]) for pair in {touch.pair for touch in touches}]


def taken_over(touches, before):
    """Points, and that of a step ago which each of them takes over, or None."""
    found = []
    for pair, now in by_pair(touches):
        old = [touch for touch in before if touch.pair == pair]
        taken = nearest_before([touch.point for touch in now], [touch.point for touch in old])
        found += [(touch, old[k] if k >= 0 else None) for touch, k in zip(now, taken, strict=True)]
    return found


class Interface:
    """An interface of the twin of a machine (naive.integration.Machine): all pairs, all points, every step.

    solids : by number; sides : numbers on side i and on side j; curve : a force curve in place of the law
    cuts : steps end at first touch; lossless : the law does not depend on the rate
    """

    def __init__(
        self, solids, sides, law, friction=None, by_touch=False, window=(0.0, np.inf), cuts=False, lossless=False
    ):  # fmt: skip
        self.solids, self.sides, self.law, self.friction = solids, sides, law, friction
        self.by_touch, self.window = by_touch, window
        self.exact_ends = bool(law) and law.exponent < 1.5 and (cuts or lossless)
        self.touches, self.before = [], []
        self.owed = {}  # of pairs whose force is no gradient, see `Owed`
        self.works = np.zeros(3)  # elastic, of damping, of friction
        self.at_start = 0.0  # of the first, in an overlap to begin with
        self.coming = np.zeros(3)
        self.changes = 0
        self.share, self.has_begun, self.has_ended = 0.0, False, False

    def place(self, machine, solid):
        body = machine.bodies[solid.body]
        centre = body["centre"] + body["displacement"] + body["rotation"] @ solid.centre
        return centre, np.array(solid.axes) @ body["rotation"].T

    def begin(self, machine):
        """Points and elastic forces of t_n."""
        self.before, self.touches = self.touches, []
        kick = machine.t, machine.dt, machine.previous_dt
        self.share = twin.share_of_kick(*self.window, *kick)
        self.has_ended = self.share == 0.0 and machine.t >= self.window[1]
        if self.share == 0.0:
            return np.zeros((len(machine.bodies), 6))
        self.middle = (
            0.0 if machine.dt == machine.previous_dt and self.share == 1.0 else twin.middle_of_kick(*self.window, *kick)
        )
        for pair, one, other in self.pairs():
            for point in points_of(one, other, lambda solid: self.place(machine, solid)):
                self.touches.append(Touch(pair, one.body, other.body, *point))
        for _, touches in by_pair(self.touches):
            self.share_friction(touches)
        self.set_elastic_forces(machine)
        self.return_debts(machine)
        self.changes += machine.previous_dt > 0.0 and len(self.touches) != len(self.before)
        self.has_begun = True
        return np.zeros((len(machine.bodies), 6))

    def share_friction(self, touches):
        """Where friction of the points of one pair acts, and how much of a lone point each is."""
        loads = [touch.weight * touch.depth for touch in touches]
        places = points_of_friction([touch.point for touch in touches], loads, [touch.area for touch in touches])
        for touch, place in zip(touches, places, strict=True):
            touch.rubs_at = place
            touch.spring.alone = 2.0 - min(2.0, number_of(loads))

    def pairs(self):
        """Pairs of solids that may touch, in order, each with that of side i first."""
        pairs = sorted({tuple(sorted(pair)) for pair in product(*self.sides)})
        placed = [
            (pair, *(self.solids[k] for k in (pair if pair[0] in self.sides[0] else pair[::-1]))) for pair in pairs
        ]
        return [(pair, one, other) for pair, one, other in placed if one.body != other.body]

    def time_to_touch(self, machine, dt):
        """When the first pair that is apart touches if its gap is a parabola of free fall; dt if that is later."""
        found = [dt]
        bodies = machine.bodies
        if not self.window[0] <= machine.t < self.window[1]:
            return dt
        fall = np.where(bodies["inverse_mass"] > 0.0, 1.0, 0.0)[:, None] * bodies["gravity"]
        spins = np.array([twin.angular_velocity(body, body["momentum"]) for body in bodies])
        for _, one, other in self.pairs():
            gap, normal, *points = gap_of(one, other, lambda solid: self.place(machine, solid))
            if gap <= 0.0:
                continue
            one_velocity, other_velocity = (
                bodies["velocity"][solid.body]
                + cross(spins[solid.body], point - bodies["centre"][solid.body] - bodies["displacement"][solid.body])
                for solid, point in zip((one, other), points, strict=True)
            )
            acceleration = normal @ (fall[one.body] - fall[other.body])
            rate = normal @ (one_velocity - other_velocity) + 0.5 * machine.previous_dt * acceleration
            roots = np.roots([0.5 * acceleration, rate, gap])
            found += [root.real for root in roots if abs(root.imag) == 0.0 and root.real > 0.0]
        return min(found)

    def set_elastic_forces(self, machine):
        for _, touches in by_pair(self.touches):
            if self.law.once_a_pair:
                forces = [self.law.elastic(touch.depth, touch.weight, touch.area) for touch in touches]
                for touch, force in zip(touches, forces, strict=True):
                    touch.weight = force / sum(forces)
        for touch in self.touches:
            touch.elastic = touch.total = self.law.elastic(touch.depth, touch.weight, touch.area)
            stiffness = self.law.stiffness(touch.depth, touch.weight, touch.area)
            if machine.previous_dt > 0.0:
                closing = -self.moved(machine, touch, machine.step_before) @ touch.normal / machine.previous_dt
                touch.correction = max(-touch.elastic, self.middle * stiffness * closing)
            else:
                closing = -self.relative_velocity(machine, touch) @ touch.normal
            same = [old for old in self.before if old.pair == touch.pair]
            nearest = min(same, key=lambda old: np.linalg.norm(old.point - touch.point), default=None)
            if self.exact_ends and self.share > 1.0 - 1e-12 and machine.previous_dt > 0.0 and self.has_begun:
                touch.correction = self.end_correction(machine, touch)
            touch.touch_speed = max(closing, nearest.touch_speed if nearest else 0.0)
        if machine.t == 0.0:
            self.at_start = -sum(self.work_of_parting(machine, *solids) for _, *solids in self.pairs())
            self.works[0] += self.at_start
        self.set_springs(machine, self.slopes_of)

    def return_debts(self, machine):
        """Of VOLUME, whose areas follow the pose of a box: what gives back the work and the energy of a touch."""
        before, self.owed = self.owed, {}
        for pair, touches in by_pair(self.touches) if self.law and self.law.once_a_pair else []:
            if any(self.solids[k].kind == "SPHERE" for k in pair):
                continue
            points = [
                (touch.elastic, touch.correction, touch.depth, touch.normal,
                 self.moved(machine, touch, machine.step_before)) for touch in touches
            ]  # fmt: skip
            owed = self.owed[pair] = Owed(before[pair].work if pair in before else 0.0)
            energy, debt = debt_of(points, self.law.exponent, owed.work, share=self.share)
            if not self.has_begun:
                owed.work = -energy
                continue
            load = sum(touch.elastic for touch in touches)
            place = sum(touch.elastic * touch.point for touch in touches) / load
            owed.at = replace(touches[0], point=place)
            way = self.moved(machine, owed.at, machine.step_before)
            owed.at.normal = way / np.linalg.norm(way)
            inverse_mass = self.inverse_mass(machine, owed.at)
            owed.force, _ = returning_force(load, energy, debt, way, inverse_mass, machine.previous_dt, self.share)

    def work_of_parting(self, machine, one, other):
        """What the elastic force of two solids would do while they part along it."""

        def force(way):
            def place_of(solid):
                centre, axes = self.place(machine, solid)
                return centre + way * (solid is one), axes

            points = points_of(one, other, place_of)
            return sum((self.law.elastic(*point) * normal for _, normal, *point in points), np.zeros(3))

        deepest = max(
            (point[2] for point in points_of(one, other, lambda solid: self.place(machine, solid))), default=0
        )
        if not deepest > 0.0:
            return 0.0
        away = force(0.0) / np.linalg.norm(force(0.0))
        return quad(lambda way: force(way * away) @ away, 0.0, deepest, epsabs=0, epsrel=1e-13, limit=200)[0]

    def slopes_of(self, touch):
        """dF/dz, and dF/dz' at rest."""
        of_point = touch.depth, touch.weight, touch.area
        return self.law.stiffness(*of_point), self.law.damping(*of_point, self.speed_of_touch(touch))

    def end_correction(self, machine, touch):
        """The first and the last kick of a contact do the work of all that it stores, at the mean of both speeds."""
        before, after = machine.previous_dt, machine.dt
        all_weights = sum(other.weight for other in self.touches if other.pair == touch.pair)
        response = self.inverse_mass(machine, touch) * all_weights / touch.weight
        closing = -self.relative_velocity(machine, touch) @ touch.normal
        stored = quad(lambda z: self.law.elastic(z, touch.weight, touch.area), 0.0, touch.depth, epsabs=0)[0]
        speed, force, kick = abs(closing), touch.elastic, 0.5 * (before + after)
        if closing > 0.0 and touch.depth <= closing * before:
            left = speed - response * (stored / speed + 0.5 * force * after)
            impulse = (stored + 0.5 * force * left * after) / (0.5 * (speed + left)) if left > 0.0 else force * kick
        elif (closing <= 0.0 and touch.depth + (closing - response * kick * force) * after < 0.0
              and touch.depth <= 2.0 * speed * after):  # fmt: skip
            gained = speed + response * (stored / speed + 0.5 * force * before)
            impulse = (stored + 0.5 * force * speed * before) / (0.5 * (speed + gained))
        else:
            return 0.0
        return impulse / kick - force

    def set_springs(self, machine, slopes_of):
        if not isinstance(self.friction, Stiction):
            return
        for touch, old in taken_over(self.touches, self.before):
            inverse_mass = self.inverse_mass(machine, touch)
            touch.spring = self.friction.spring(*slopes_of(touch), inverse_mass, touch.spring.alone)
            if old:
                moved = across(self.moved(machine, touch, machine.step_before, touch.rubs_at), touch.normal)
                touch.spring.carry_on(old.spring, touch.normal, moved, machine.previous_dt)

    def moved(self, machine, touch, steps, place=None):
        """Of body i against body j at a place, that of a touch or another, by displacements and turns (nb, 6)."""
        place = touch.point if place is None else place
        total = np.zeros(3)
        for body, sign in ((touch.i, 1.0), (touch.j, -1.0)):
            total += sign * (steps[body, :3] + cross(steps[body, 3:], self.arm(machine, place, body)))
        return total

    def arm(self, machine, place, body):
        return place - machine.bodies["centre"][body] - machine.bodies["displacement"][body]

    def relative_velocity(self, machine, touch, place=None):
        bodies = machine.bodies
        velocities = np.hstack([bodies["mean_velocity"], bodies["mean_angular_velocity"]])
        return self.moved(machine, touch, velocities, place)

    def inverse_mass(self, machine, touch):
        """Of both bodies at a point along its normal: the acceleration that a unit force gives it."""
        wrench = self.wrench_of(machine, touch, touch.normal, touch.point)
        accelerations = (dense_inverse_mass(machine.bodies) @ wrench.ravel()).reshape(-1, 6)
        return self.moved(machine, touch, accelerations) @ touch.normal

    def wrench_of(self, machine, touch, force, place):
        wrench = np.zeros((len(machine.bodies), 6))
        for body, sign in ((touch.i, 1.0), (touch.j, -1.0)):
            wrench[body] += sign * np.concatenate([force, cross(self.arm(machine, place, body), force)])
        return wrench

    def forces(self, machine):
        """Wrenches of all points at the estimates of v_n at hand."""
        wrench = np.zeros((len(machine.bodies), 6))
        for touch in self.touches:
            rate = -self.relative_velocity(machine, touch) @ touch.normal
            touch.total = self.total(touch, rate)
            wrench += self.wrench_of(machine, touch, (touch.total + touch.correction) * touch.normal, touch.point)
            if self.friction:
                slip = across(self.relative_velocity(machine, touch, touch.rubs_at), touch.normal)
                touch.tangential, touch.spring.slips = self.rub(touch, slip, rate)
                wrench += self.wrench_of(machine, touch, touch.tangential, touch.rubs_at)
        for owed in self.owed.values():
            if owed.at:
                wrench += self.wrench_of(machine, owed.at, owed.force, owed.at.point)
        wrench[0] = 0.0
        return self.share * wrench

    def total(self, touch, rate):
        return self.law.force(touch.depth, touch.weight, touch.area, rate, self.speed_of_touch(touch))

    def speed_of_touch(self, touch):
        return touch.touch_speed if self.by_touch else 0.0

    def rub(self, touch, slip, rate):
        if isinstance(self.friction, Stiction):
            return self.friction.held(touch.spring, slip, touch.total + touch.correction, -rate)
        return self.friction.force(touch.total + touch.correction, slip), False

    def add_work(self, machine):
        """Over the step that led to t_n, half by the forces of its start; the half of those of t_n is kept."""
        next_step = np.zeros((len(machine.bodies), 6))
        next_step[:, :3] = machine.dt * machine.bodies["trial_velocity"]
        next_step[:, 3:] = np.einsum("kij,kj->ki", machine.bodies["rotation"], machine.bodies["theta"])
        self.works += self.coming
        self.coming = np.zeros(3)
        for touch in self.touches:
            elastic, damping = touch.elastic + touch.correction, touch.total - touch.elastic
            for works, steps in ((self.works, machine.step_before), (self.coming, next_step)):
                closed = touch.normal @ self.moved(machine, touch, steps)
                rubbed = touch.tangential @ self.moved(machine, touch, steps, touch.rubs_at)
                works += 0.5 * self.share * np.array([elastic * closed, damping * closed, rubbed])
                if touch.pair in self.owed:
                    self.owed[touch.pair].work += 0.5 * self.share * elastic * closed
        for owed in self.owed.values():
            for works, steps in ((self.works, machine.step_before), (self.coming, next_step)):
                done = 0.5 * self.share * owed.force @ self.moved(machine, owed.at, steps) if owed.at else 0.0
                works[0] += done
                owed.work += done
        for _, touches in by_pair(self.touches):
            for touch in touches:
                touch.spring.settle(touch.tangential)
                touch.spring.all_slip = all(other.spring.slips for other in touches)

    def recoverable(self):
        """What is stored of the work against the elastic forces."""
        return 0.0 if self.has_ended else -self.works[0]

    def record(self):
        """Columns of the results."""
        touches = self.touches
        stored = sum(touch.spring.energy for touch in touches)
        normal = sum((touch.total * touch.normal for touch in touches), np.zeros(3))
        normal = sum((owed.force for owed in self.owed.values()), normal)
        tangential = sum((touch.tangential for touch in touches), np.zeros(3))
        load = sum(touch.total for touch in touches)
        point = sum(touch.total * touch.point for touch in touches) / load if load else np.full(3, np.nan)
        elastic = self.recoverable()
        moment, about_normal = np.zeros(3), 0.0
        if load:
            moment = sum(cross(touch.point - point, touch.total * touch.normal)
                         + cross(touch.rubs_at - point, touch.tangential) for touch in touches)  # fmt: skip
            moment = sum((cross(owed.at.point - point, owed.force) for owed in self.owed.values() if owed.at), moment)
            about_normal = moment @ normal / np.linalg.norm(normal)
        normal, tangential, moment, about_normal = (
            self.share * vector for vector in (normal, tangential, moment, about_normal)
        )
        return np.array([
            *normal, *tangential, *point, *moment, about_normal, max((touch.depth for touch in touches), default=0.0),
            sum(touch.area for touch in touches), len(touches), stored + elastic,
            -self.works.sum() + self.works[2] - elastic, -self.works[2] - stored, self.changes,
        ])  # fmt: skip


class CurveInterface(Interface):
    """An interface of a force curve between two bodies, as docs/contact.md has it.

    given : the numbers of the card by name, functions as Python functions; formulation 0, 1 or 2
    """

    def __init__(self, solids, sides, given, window=(0.0, np.inf)):
        rubs = given.friction_force > 0.0 or given.friction > 0.0
        super().__init__(solids, sides, None, Stiction(0, 0, 0, 0) if rubs else None, window=window)
        self.given = given
        self.depth = self.elastic = self.steepest = self.allowance = 0.0
        self.begun = False

    def loading(self, z):
        return max(0.0, self.given.loading(z))

    def unloading(self, z):
        return max(0.0, self.given.unloading(z)) if self.given.formulation == 1 else 0.0

    def share_friction(self, touches):
        """Only of what counts: points that are deeper than the allowance, by what they are deeper."""
        for touch in touches:
            touch.depth -= self.allowance
        self.touches = [touch for touch in self.touches if touch.pair != touches[0].pair or touch.depth > 0.0]
        if counted := [touch for touch in touches if touch.depth > 0.0]:
            super().share_friction(counted)

    def set_elastic_forces(self, machine):
        given, first = self.given, not self.begun
        deepest = self.allowance + max((touch.depth for touch in self.touches), default=0.0)
        if first:
            self.begun, self.steepest = True, given.stiffness
            self.allowance = deepest if given.reduce_gap else 0.0
            if given.adjust_force and not given.reduce_gap:
                self.depth, self.elastic = deepest, self.unloading(deepest)
            if given.reduce_gap:
                self.touches = []  # none is deeper than itself
        if self.touches:
            self.load(deepest - self.allowance)
        else:
            self.depth = self.elastic = 0.0
        total = sum(touch.weight * touch.depth for touch in self.touches)
        for touch in self.touches:
            touch.weight *= touch.depth / total
            touch.elastic = touch.total = touch.weight * self.elastic
        self.set_springs(machine, lambda touch: (touch.weight * self.steepest, touch.weight * given.viscosity))
        if first and self.window[0] <= 0.0:
            stored = self.recoverable() if given.formulation else quad(self.loading, 0.0, self.depth, epsabs=1e-14)[0]
            self.works[0] = self.at_start = -stored

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
        if self.given.formulation == 0 or self.has_ended:
            return super().recoverable()
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

    def rub(self, touch, slip, rate):
        most = touch.weight * self.given.most(slip, self.elastic)
        return touch.spring.held(slip, most, most, self.given.coefficient(slip, self.elastic) * abs(rate))


DEEPER = 1e-6  # relative


class RoutineInterface(Interface):
    """An interface of routines, as docs/contact_routines.md has it: Python functions with MotionSolve's arguments.

    normal, rubbing : CNFSUB, CFFSUB; parameters : of both
    """

    def __init__(self, solids, sides, number, normal, rubbing, parameters, window=(0.0, np.inf)):
        super().__init__(solids, sides, None, friction=rubbing, window=window)
        self.number, self.normal, self.parameters = number, normal, parameters

    def set_elastic_forces(self, machine):
        self.machine = machine
        for touch, old in taken_over(self.touches, self.before):
            touch.elastic = touch.total = self.total(touch, 0.0)
            if machine.previous_dt > 0.0:
                closing = -self.moved(machine, touch, machine.step_before) @ touch.normal / machine.previous_dt
                more = replace(touch, depth=(1.0 + DEEPER) * touch.depth)
                slope = max(0.0, self.total(more, 0.0) - touch.elastic) / (DEEPER * touch.depth)
                touch.correction = max(-touch.elastic, self.middle * slope * closing)
            if old:
                moved = self.moved(machine, touch, machine.step_before)
                touch.slipped = turned_into_plane(old.slipped, touch.normal) + across(moved, touch.normal)
        if machine.t == 0.0:
            self.works[0] = self.at_start = -sum(map(self.stored, self.touches))

    def share_friction(self, touches):
        for touch in touches:
            touch.rubs_at = touch.point

    def stored(self, touch):
        """In a point that overlaps at the start."""
        return quad(lambda depth: self.total(replace(touch, depth=depth), 0.0), 0.0, touch.depth)[0]

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

    def rub(self, touch, slip, rate):
        along = slip if np.linalg.norm(slip) > 1e-100 else touch.slipped
        along = along / np.linalg.norm(along)
        aside = cross(touch.normal, along)
        loci, _, locj, _ = self.on_solids(touch)
        x, xdot = [touch.slipped @ along, touch.slipped @ aside, 0.0], [np.linalg.norm(slip), 0.0, 0.0]
        given = self.number, self.machine.t, self.parameters, len(self.parameters)
        first, second, _ = self.friction(*given, loci, locj, x, xdot, touch.total, False, False)
        return first * along + second * aside, False
