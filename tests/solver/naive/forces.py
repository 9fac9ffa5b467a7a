"""Twins of forces/: springs, joint forces, loads, and the stability of the scheme."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad

from naive import core as twin
from naive import cross

ON, OFF, BROKEN = "on", "off", "broken"


class Spring:
    """One spring, as the cards and the manual tell it, that keeps what it needs of its past.

    kind : "TYPE4" or "TYPE8"; dofs : its degrees of freedom as the deck has them; functions : id -> function; axes : at
    t = 0, for a TYPE8; moving : (three points, direction) of a skew that moves; window : on from, off from; restarts :
    unstretched where it is switched on
    """

    def __init__(self, kind, dofs, points, nodes, functions, *, axes=None, moving=None, window=(-math.inf, math.inf),
                 restarts=False, per_length=False, common_point=False):  # fmt: skip
        self.axial, self.dofs, self.functions = kind == "TYPE4", dofs, functions
        self.points, self.nodes, self.moving = points, list(nodes), moving
        self.window, self.restarts, self.status = window, restarts, OFF
        self.start_axes = self.axes = np.eye(3) if axes is None else axes
        first, second = (points.origin[node] for node in nodes)
        self.shift = [0.5 * (second - first), 0.5 * (first - second)] if common_point else [np.zeros(3)] * 2
        self.span = self.place_at_start(1) - self.place_at_start(0)
        self.unit = np.linalg.norm(self.span) if per_length else 1.0
        self.twist, self.reference, self.raw = np.zeros(3), np.zeros(len(dofs)), np.zeros(len(dofs))
        self.released = 0.0

    def place_at_start(self, side):
        return self.points.origin[self.nodes[side]] + self.shift[side]

    def end(self, motion, side):
        """Place, arm and velocity of the point of its body that it holds."""
        body = self.points.body[self.nodes[side]]
        start = self.points.arm[self.nodes[side]] + self.shift[side]
        arm = motion.rotation[body] @ start
        place = self.place_at_start(side) - start + motion.displacement[body] + arm
        return place, arm, motion.velocity[body] + cross(motion.angular_velocity[body], arm)

    def turns(self, motion_of_bodies):
        first, second = (motion_of_bodies[self.points.body[node]] for node in self.nodes)
        return second - first

    def measure(self, motion, step_rotation, t):
        d = self.end(motion, 1)[0] - self.end(motion, 0)[0]
        before, raw_before = self.status, self.raw
        if self.axial:
            length = np.linalg.norm(d)
            self.direction = d / length if length else np.zeros(3)
            self.raw = np.array([length - np.linalg.norm(self.span)])
        else:
            old = self.axes
            if self.moving:
                self.axes = twin.moving_axes(self.skew_nodes(motion), self.moving[1])
            self.twist = self.twist + 0.5 * (old + self.axes) @ self.turns(step_rotation)
            self.raw = np.concatenate([self.axes @ d - self.start_axes @ self.span, self.twist])
        on = self.window[0] <= t < self.window[1]
        if on and self.status == OFF and self.restarts:
            self.reference = self.raw.copy()
        # between two times of which it acts at one only, what it stores less the work it took in is lost
        stored, force = (0.0, np.zeros(len(self.dofs))) if before != ON else (self.energy(), self.elastic_forces())
        self.x = self.raw - self.reference
        whole = all(dof.min_elongation <= x <= dof.max_elongation for dof, x in zip(self.dofs, self.x, strict=True))
        if self.status != BROKEN:
            self.status = (ON if whole else BROKEN) if on else OFF
        if self.status != before and ON in (before, self.status):
            stored_now, force_now = (self.energy(), self.elastic_forces()) if self.status == ON else (0.0, 0.0 * force)
            self.released += stored - stored_now + 0.5 * (force + force_now) @ (self.raw - raw_before)

    def skew_nodes(self, motion):
        return np.array([twin.position(motion, self.points, point) for point in self.moving[0]])

    def curve(self, number):
        return self.functions[number] if number else None

    def elastic_forces(self):
        forces = []
        for dof, x in zip(self.dofs, self.x / self.unit, strict=True):
            f1 = self.curve(dof.fct_1)
            forces.append(dof.a * f1(x / dof.abscissa_scale) if f1 else dof.stiffness * x)
        return np.array(forces)

    def energy(self):
        """Work of the elastic forces from no elongation on."""
        total = 0.0
        for dof, x in zip(self.dofs, self.x / self.unit, strict=True):
            f1 = self.curve(dof.fct_1)
            if f1:
                end = x / dof.abscissa_scale
                total += dof.a * dof.abscissa_scale * quad(f1, 0.0, end, epsabs=1e-10, limit=200)[0]
            else:
                total += 0.5 * dof.stiffness * x * x
        return self.unit * total

    def dissipative_forces(self, motion):
        (place_1, _, v_1), (place_2, _, v_2) = self.end(motion, 0), self.end(motion, 1)
        relative = v_2 - v_1
        if self.axial:
            rates = [self.direction @ relative]
        else:
            if self.moving:
                velocities = np.array([twin.velocity(motion, self.points, point) for point in self.moving[0]])
                spin = twin.spin_of_axes(self.skew_nodes(motion), velocities, self.moving[1])
                relative = relative - cross(spin, place_2 - place_1)
            rates = [*(self.axes @ relative), *(self.axes @ self.turns(motion.angular_velocity))]
        forces = []
        for dof, x, rate in zip(self.dofs, self.x / self.unit, np.array(rates) / self.unit, strict=True):
            f1, f2, f4 = (self.curve(number) for number in (dof.fct_1, dof.fct_2, dof.fct_4))
            force = dof.damping * rate + (dof.damping_scale * f4(rate / dof.f) if f4 else 0.0)
            if f1:
                gain = dof.b * math.log(max(1.0, abs(rate / dof.d))) if dof.b else 0.0
                gain += dof.e * f2(rate / dof.f) if f2 else 0.0
                force += f1(x / dof.abscissa_scale) * gain
            forces.append(force)
        return np.array(forces)

    def wrench(self, motion, forces):
        """On all bodies (nb, 6), of the forces of the degrees of freedom: pull on both ends, couple on moving axes."""
        wrench = np.zeros((len(motion.displacement), 6))
        if self.status != ON:
            return wrench
        force = forces[0] * self.direction if self.axial else self.axes.T @ forces[:3]
        moment = np.zeros(3) if self.axial else self.axes.T @ forces[3:]
        places = []
        for side, sign in ((0, 1.0), (1, -1.0)):
            place, arm, _ = self.end(motion, side)
            places.append(place)
            wrench[self.points.body[self.nodes[side]]] += sign * np.array([*force, *(cross(arm, force) + moment)])
        if self.moving:
            couple = cross(places[1] - places[0], force)
            wrench += twin.couple_on_axes(motion, self.points, *self.moving, couple)
        return wrench

    def record(self, motion):
        """Columns of the results: acts, six forces, six elongations, energy, length."""
        acts, forces, lengths = self.status == ON, np.zeros(6), np.zeros(6)
        if acts:
            forces[: len(self.dofs)] = self.elastic_forces() + self.dissipative_forces(motion)
        lengths[: len(self.dofs)] = self.x
        length = np.linalg.norm(self.end(motion, 1)[0] - self.end(motion, 0)[0])
        return np.array([float(acts), *forces, *lengths, self.energy() if acts else 0.0, length])


# ---- what acts along the coordinates of joints ----------------------------------------------------------------


def joint_force(law, q, rate, bearing):
    """Elastic force, damping force, friction and energy at a coordinate, each from its formula in the manual."""
    elastic = law["preload"] - law["stiffness"] * (q - law["free_value"])
    damping = -law["damping"] * rate
    stretch = q - law["free_value"]
    energy = 0.5 * law["stiffness"] * stretch**2
    for depth, inwards in ((law["lower"] - q, 1.0), (q - law["upper"], -1.0)):
        if depth > 0.0:
            push = law["stop_stiffness"] * depth
            elastic += inwards * push
            damping += inwards * (max(0.0, push - law["stop_damping"] * inwards * rate) - push)
            energy += 0.5 * law["stop_stiffness"] * depth**2
    limit = law["friction_force"] + law["friction"] * np.linalg.norm(bearing)
    u = np.clip(rate / law["slip_velocity"], -1.0, 1.0) if law["slip_velocity"] else 0.0
    return elastic, damping, -limit * u * (3.0 - u * u) / 2, limit, energy


# ---- stability -------------------------------------------------------------------------------------------------


def one_step(mass, stiffness, damping, h, passes):
    """Matrix of one step (x, v_{n-1/2}) -> (x, v_{n+1/2}) of the scheme as the manual tells it, columns one by one."""
    n = len(mass)
    columns = []
    for state in np.eye(2 * n):
        x, v = state[:n], state[n:]
        seen = v
        for _ in range(passes):
            seen = v + 0.5 * h * np.linalg.solve(mass, -stiffness @ x - damping @ seen)
        v = v + h * np.linalg.solve(mass, -stiffness @ x - damping @ seen)
        columns.append([*(x + h * v), *v])
    return np.transpose(columns)


def grows(mass, stiffness, damping, h, passes):
    """Whether some motion grows from step to step."""
    eigenvalues = np.linalg.eigvals(one_step(mass, stiffness, damping, h, passes))
    return np.abs(eigenvalues).max() > 1.0 + 1e-7


def largest_step(mass, stiffness, damping, passes):
    """Longest step up to which nothing grows, by trying out, to a part in a million."""
    low, high = 0.0, 1e-6
    while not grows(mass, stiffness, damping, high, passes):
        low, high = high, 1.3 * high
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(mass, stiffness, damping, middle, passes) else (middle, high)
    return low
