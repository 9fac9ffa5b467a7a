"""The motion of a machine in space by joint coordinates, to about 1e-10: it shares nothing with the programs compared.

Every joint is a chain of hinges and slides, q one number each (a ball: three hinges about x, y, z; a free body: three
slides and three hinges).  With J the Jacobians of the centres and of the rotations,

    (sum m Jv' Jv + Jw' I Jw) a = forces - inertia forces of a = 0 + G' mult,    G a = -(dG/dt) q'

and G of the balls that close loops, integrated by DOP853 to 1e-11.  Loops are held in accelerations only: what they
drift by is checked, and is far below what is compared.  It takes up to a minute: `reference_places.json` keeps what was
found, and a machine that is not the one that it was found for is integrated anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparison.spatial import Spatial

TOLERANCE = 1e-11
DRIFT = 1e-8  # m that loops may be off by at the end
STORED = Path(__file__).with_name("reference_places.json")


class Link(NamedTuple):
    """One hinge or slide; the axis and the place as at t = 0."""

    parent: int
    hinge: bool
    axis: np.ndarray
    place: np.ndarray
    rate: float


def links_of(machine: Spatial) -> tuple[list[Link], list[int]]:
    """All coordinates, parents before children, and of each body its last one."""
    links: list[Link] = []
    last: list[int] = []
    for body in machine.bodies:
        place = np.asarray(body.place, float)
        hinge, axes, rates = body.joint != "prismatic", [np.asarray(axis) for axis in body.axes], list(body.rates)
        chain = [(hinge, axis, rate) for axis, rate in zip(axes, rates, strict=False)]
        if body.joint == "free":
            chain = [(False, axis, speed) for axis, speed in zip(np.eye(3), body.velocity, strict=True)]
        if body.joint in ("free", "spherical"):
            chain += [(True, axis, rate) for axis, rate in zip(np.eye(3), rates, strict=True)]
        parent = -1 if body.parent == -1 else last[body.parent]
        for is_hinge, axis, rate in chain:
            links.append(Link(parent, is_hinge, axis, place, rate))
            parent = len(links) - 1
        last.append(parent)
    return links, last


class Motion(NamedTuple):
    """Of all links: rotation since t = 0, place now, spin, velocity there, and both accelerations if q'' = 0."""

    rotation: np.ndarray
    place: np.ndarray
    spin: np.ndarray
    velocity: np.ndarray
    spin_rate: np.ndarray
    acceleration: np.ndarray


class Dynamics:
    """The equations of motion of a machine."""

    def __init__(self, machine: Spatial) -> None:
        self.machine = machine
        self.links, self.last = links_of(machine)
        count = len(self.links)
        self.moved = np.zeros((count, count), bool)  # (link, coordinate): which coordinates move a link
        for k, link in enumerate(self.links):
            if link.parent >= 0:
                self.moved[k] = self.moved[link.parent]
            self.moved[k, k] = True
        self.hinges = np.array([link.hinge for link in self.links])
        self.masses = np.array([body.mass for body in machine.bodies])
        self.inertias = np.array([body.turned @ np.diag(body.inertia) @ body.turned.T for body in machine.bodies])
        self.centres = np.array([body.centre for body in machine.bodies], float)

    def motion(self, q: np.ndarray, rate: np.ndarray) -> Motion:
        """Down the trees."""
        count = len(self.links)
        found = Motion(np.zeros((count, 3, 3)), *(np.zeros((count, 3)) for _ in range(5)))
        for k, link in enumerate(self.links):
            turn, place, axis = np.eye(3), link.place, link.axis
            spin = velocity = spin_rate = acceleration = np.zeros(3)
            if (p := link.parent) >= 0:
                turn = found.rotation[p]
                arm = turn @ (link.place - self.links[p].place)
                place, axis = found.place[p] + arm, turn @ axis
                spin, spin_rate = found.spin[p], found.spin_rate[p]
                velocity = found.velocity[p] + cross(spin, arm)
                acceleration = found.acceleration[p] + cross(spin_rate, arm) + cross(spin, cross(spin, arm))
            if link.hinge:
                found.rotation[k] = turned(axis, q[k]) @ turn
                found.place[k], found.velocity[k], found.acceleration[k] = place, velocity, acceleration
                found.spin_rate[k] = spin_rate + cross(spin, rate[k] * axis)
                found.spin[k] = spin + rate[k] * axis
            else:
                slide = q[k] * axis
                found.rotation[k], found.spin[k], found.spin_rate[k] = turn, spin, spin_rate
                found.place[k] = place + slide
                found.velocity[k] = velocity + cross(spin, slide) + rate[k] * axis
                found.acceleration[k] = (
                    acceleration
                    + cross(spin_rate, slide)
                    + cross(spin, cross(spin, slide))
                    + 2 * cross(spin, rate[k] * axis)
                )
        return found

    def point(self, motion: Motion, number: int, place: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where a point of a body is, its velocity, and its acceleration with q'' = 0."""
        if number == -1:
            return np.asarray(place, float), np.zeros(3), np.zeros(3)
        k = self.last[number]
        arm = motion.rotation[k] @ (np.asarray(place) - self.links[k].place)
        spin = motion.spin[k]
        return (
            motion.place[k] + arm,
            motion.velocity[k] + cross(spin, arm),
            motion.acceleration[k] + cross(motion.spin_rate[k], arm) + cross(spin, cross(spin, arm)),
        )

    def jacobian(self, motion: Motion, axes: np.ndarray, number: int, where: np.ndarray) -> np.ndarray:
        """(3, n) of the velocity of a point of a body."""
        if number == -1:
            return np.zeros((3, len(self.links)))
        columns = np.where(self.hinges[:, None], np.cross(axes, where - motion.place), axes)
        return (columns * self.moved[self.last[number]][:, None]).T

    def acceleration(self, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """q''"""
        machine, motion = self.machine, self.motion(q, rate)
        axes = np.array([
            (motion.rotation[link.parent] if link.parent >= 0 else np.eye(3)) @ link.axis for link in self.links
        ])  # fmt: skip
        count = len(self.links)
        mass, force = np.zeros((count, count)), np.zeros(count)
        for number, body in enumerate(machine.bodies):
            k = self.last[number]
            where, _, given = self.point(motion, number, body.centre)
            slides = self.jacobian(motion, axes, number, where)
            turns = (axes * (self.hinges & self.moved[k])[:, None]).T
            inertia = motion.rotation[k] @ self.inertias[number] @ motion.rotation[k].T
            spin = motion.spin[k]
            mass += body.mass * slides.T @ slides + turns.T @ inertia @ turns
            force += slides.T @ (body.mass * (np.array([0.0, 0.0, -machine.gravity]) - given))
            force -= turns.T @ (inertia @ motion.spin_rate[k] + cross(spin, inertia @ spin))
        for spring in machine.springs:
            (a, u, _), (b, v, _) = (
                self.point(motion, body, place)
                for body, place in zip((spring.first, spring.second), spring.ends, strict=True)
            )
            length = float(np.linalg.norm(b - a))
            along = (b - a) / length
            pull = spring.stiffness * (length - spring.free_length) + spring.damping * float(along @ (v - u))
            force += pull * along @ self.jacobian(motion, axes, spring.first, a)
            force -= pull * along @ self.jacobian(motion, axes, spring.second, b)
        if not machine.balls:
            return np.linalg.solve(mass, force)
        rows, given_rows = [], []
        for ball in machine.balls:
            (a, _, first), (b, _, second) = (self.point(motion, body, ball.place) for body in (ball.first, ball.second))
            rows.append(self.jacobian(motion, axes, ball.second, b) - self.jacobian(motion, axes, ball.first, a))
            given_rows.append(second - first)
        g = np.concatenate(rows)
        free = np.linalg.solve(mass, np.column_stack([force, g.T]))
        multipliers = np.linalg.solve(g @ free[:, 1:], -np.concatenate(given_rows) - g @ free[:, 0])
        return free[:, 0] + free[:, 1:] @ multipliers


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two vectors: ten times faster than NumPy's."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """(3, 3) rotation about a unit vector."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def velocities_at_start(machine: Spatial) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each body the velocity of its centre and its spin."""
    dynamics = Dynamics(machine)
    motion = dynamics.motion(np.zeros(len(dynamics.links)), np.array([link.rate for link in dynamics.links]))
    return [
        (dynamics.point(motion, number, body.centre)[1], motion.spin[dynamics.last[number]])
        for number, body in enumerate(machine.bodies)
    ]


def places_at(machine: Spatial, time: float) -> np.ndarray:
    """(n, 3) places of the machine's points."""
    dynamics = Dynamics(machine)
    count = len(dynamics.links)
    start = np.concatenate([np.zeros(count), [link.rate for link in dynamics.links]])

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[count:], dynamics.acceleration(state[:count], state[count:])])

    run = solve_ivp(rate, (0.0, time), start, "DOP853", rtol=TOLERANCE, atol=TOLERANCE)
    motion = dynamics.motion(run.y[:count, -1], run.y[count:, -1])
    for ball in machine.balls:
        first, second = (dynamics.point(motion, body, ball.place)[0] for body in (ball.first, ball.second))
        if (gap := float(np.linalg.norm(second - first))) > DRIFT:
            raise ArithmeticError(f"a loop of {machine.name} has drifted apart by {gap:.1e} m")
    return np.array([dynamics.point(motion, body, place)[0] for body, place in machine.points])


def digest(machine: Spatial) -> str:
    """Of all numbers of a machine, to ten digits."""
    numbers: list[object] = [machine.t_end, machine.gravity, machine.points]
    for body in machine.bodies:
        numbers += [body.parent, body.place, body.centre, body.mass, body.inertia, body.turned, body.axes]
        numbers += [body.velocity, tuple(body.rates), body.joint]
    for ball in machine.balls:
        numbers += [ball.first, ball.second, ball.place]
    for spring in machine.springs:
        numbers += [spring.first, spring.second, spring.ends, spring.stiffness, spring.damping, spring.free_length]
    return hashlib.sha256(" ".join(_words(numbers)).encode()).hexdigest()[:16]


def _words(value: object) -> list[str]:
    """Numbers and words of nested sequences; those that are nothing but round-off are 0."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple | np.ndarray):
        return [word for part in value for word in _words(part)]
    return [f"{round(float(value), 10) + 0.0:.10g}"]  # type: ignore[arg-type]


def stored_places(machine: Spatial) -> np.ndarray:
    """(n, 3) places of the machine's points at its end, found before or now."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    entry, now = stored.get(machine.name), digest(machine)
    if entry is None or entry["machine"] != now:
        print(f"{machine.name}: integrating its reference motion", flush=True)
        stored[machine.name] = {"machine": now, "places": places_at(machine, machine.t_end).tolist()}
        STORED.write_text(json.dumps(stored, indent=1) + "\n")
    return np.array(stored[machine.name]["places"])
