"""Random machines as decks, and what a dense calculation says of their freedom: hubs, planar loops, masses, units.

A machine is a list of bodies and of joints between points; it is written as a deck in any units and to any number of
digits.  Its degrees of freedom are counted from the singular values of the Jacobian, written from the definitions of
the joints, with columns by the bodies' masses and rows of unit size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
GROUND = -1

# Relative motions that a joint holds: along the axis, across it (2), about the axis, about others (2).
HOLDS = {
    "REVOLUTE": (1, 1, 0, 1),
    "SPHERICAL": (1, 1, 0, 0),
    "CYLINDRICAL": (0, 1, 0, 1),
    "TRANSLATIONAL": (0, 1, 1, 1),
    "FIXED": (1, 1, 1, 1),
}


@dataclass(frozen=True)
class Body:
    """A rigid body in kg and m; inertia (3, 3) about its mass centre."""

    centre: Floats
    mass: float
    inertia: Floats
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    spin: Floats = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies (GROUND or an index) at a point, about an axis."""

    kind: str
    first: int
    second: int
    point: Floats
    axis: Floats


def rank_of(jacobian: Floats) -> int:
    """Independent rows, from the singular values."""
    values = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(values > 1e-10 * values[0]))


@dataclass(frozen=True)
class Machine:
    """Bodies and joints, an acceleration of gravity, and torques (body, moment) that act all the time."""

    bodies: Sequence[Body]
    joints: Sequence[Joint]
    gravity: Floats = field(default_factory=lambda: np.zeros(3))
    loads: Sequence[tuple[int, Floats]] = ()

    def without(self, joints: Sequence[int]) -> Machine:
        """The machine without some of its joints."""
        return replace(self, joints=[joint for k, joint in enumerate(self.joints) if k not in joints])

    def with_mass(self, body: int, factor: float) -> Machine:
        """The machine with one body so many times heavier, its inertia and what loads it too."""
        bodies = list(self.bodies)
        bodies[body] = replace(bodies[body], mass=factor * bodies[body].mass, inertia=factor * bodies[body].inertia)
        loads = [(k, moment * factor if k == body else moment) for k, moment in self.loads]
        return replace(self, bodies=bodies, loads=loads)

    def with_joint_kinds(self, kinds: Sequence[str]) -> Machine:
        """The machine with joints of other types."""
        return replace(self, joints=[replace(joint, kind=kind) for joint, kind in zip(self.joints, kinds, strict=True)])

    # ---- the dense twin ------------------------------------------------------------------------------------------

    def jacobian(self) -> Floats:
        """Rows of all joints (n, 6 nb), of unit size, in velocities that are weighted with the root of the masses."""
        rows, principal = [], [np.linalg.eigh(body.inertia) for body in self.bodies]
        for joint in self.joints:
            across = np.linalg.svd(joint.axis[None])[2][1:]
            along, crosswise, about, tilt = HOLDS[joint.kind]
            forces = [joint.axis] * along + list(across) * crosswise
            moments = [joint.axis] * about + list(across) * tilt
            for force in forces:
                rows.append(self._row(joint, principal, force, np.zeros(3)))
            for moment in moments:
                rows.append(self._row(joint, principal, np.zeros(3), moment))
        matrix = np.array(rows).reshape(len(rows), 6 * len(self.bodies))
        return matrix / np.linalg.norm(matrix, axis=1)[:, None]

    def _row(self, joint: Joint, principal: Sequence[tuple[Floats, Floats]], force: Floats, moment: Floats) -> Floats:
        row = np.zeros((len(self.bodies), 6))
        for body, sign in ((joint.first, -1.0), (joint.second, 1.0)):
            if body == GROUND:
                continue
            of = self.bodies[body]
            values, axes = principal[body]
            row[body, :3] = sign * force / np.sqrt(of.mass)
            turning = moment + np.cross(joint.point - of.centre, force)
            row[body, 3:] = sign * (axes.T @ turning) / np.sqrt(values)
        return row.ravel()

    def rank(self) -> int:
        """Independent rows, from the singular values."""
        return rank_of(self.jacobian())

    @property
    def freedom(self) -> int:
        return 6 * len(self.bodies) - self.rank()

    # ---- as a deck -----------------------------------------------------------------------------------------------

    def deck(
        self,
        t_end: float,
        *,
        dt: float | None = None,
        samples: int = 20,
        digits: tuple[int | None, int | None] = (None, None),
        units: tuple[str, str, str] = ("kg", "m", "s"),
    ) -> str:
        """Text of the deck; digits : after the point, of places (in m) and of axes, None for all."""
        mass, length = {"kg": 1.0, "Mg": 1e-3}[units[0]], {"m": 1.0, "mm": 1e3}[units[1]]
        place = _text(digits[0], length)
        axis = _text(digits[1], 1.0)
        lines = ["#RADIOSS STARTER", "/BEGIN", "random machine", "2022, 0", ", ".join(units), ", ".join(units)]
        points: dict[int, list[int]] = {body: [] for body in range(len(self.bodies))}
        number = len(self.bodies)
        ends, nodes = [], [f"{body + 1}, {place(of.centre)}" for body, of in enumerate(self.bodies)]
        for joint in self.joints:
            pair = []
            for body in (joint.first, joint.second):
                number += body != GROUND
                pair.append(number if body != GROUND else 0)
                if body != GROUND:
                    nodes.append(f"{number}, {place(joint.point)}")
                    points[body].append(number)
            ends.append(pair)
        lines += ["/NODE", *nodes]
        for body, of in enumerate(self.bodies):
            lines += [f"/GRNOD/NODE/{body + 1}", "points", *(str(node) for node in points[body] or [body + 1])]
            inertia = of.inertia * mass * length**2
            group = body + 1 if points[body] else 0
            lines += [f"/RBODY/{body + 1}", "body", f"{body + 1}, 0, 0, 3, {of.mass * mass!r}, {group}, 0, 4, 0"]
            lines += [_commas(np.diag(inertia)), _commas((inertia[0, 1], inertia[1, 2], inertia[0, 2]))]
        for k, (joint, pair) in enumerate(zip(self.joints, ends, strict=True)):
            lines += [f"/JOINT/{joint.kind}/{k + 1}", "joint", f"{pair[0]}, {pair[1]}, 0", axis(joint.axis)]
        lines += self._actions(mass, length)
        lines += ["/RUN/machine/1", repr(t_end), "/TFILE", repr(t_end / samples)]
        lines += [] if dt is None else ["/DTIX", f"{dt!r} {dt!r}"]
        return "\n".join([*lines, "/END", ""])

    def _actions(self, mass: float, length: float) -> list[str]:
        """Gravity, torques and initial velocities."""
        lines, number = [], 100_000
        for direction, value in zip("XYZ", self.gravity * length, strict=True):
            if value:
                number += 1
                lines += [
                    f"/GRAV/{number}",
                    "g",
                    f"{0:>10}{direction:>10}{0:>10}{0:>10}{0:>10}{'':10}{1:>20}{value:>20.13g}",
                ]
        for body, moment in self.loads:
            for direction, value in zip(("XX", "YY", "ZZ"), moment * mass * length**2, strict=True):
                number += 1
                lines += [f"/GRNOD/NODE/{number}", "g", str(body + 1), f"/FUNCT/{number}", "f", "0, 1", "1, 1"]
                card = f"{number:>10}{direction:>10}{0:>10}{0:>10}{number:>10}{'':10}{1:>20}{value:>20.13g}"
                lines += [f"/CLOAD/{number}", "load", card]
        for body, of in enumerate(self.bodies):
            for kind, vector in (("TRA", of.velocity * length), ("ROT", of.spin)):
                if vector.any():
                    number += 1
                    lines += [f"/GRNOD/NODE/{number}", "g", str(body + 1)]
                    lines += [f"/INIVEL/{kind}/{number}", "v", f"{_commas(vector)}, {number}, 0"]
        return lines


def _commas(values: Sequence[float] | Floats) -> str:
    return ", ".join(repr(float(value)) for value in values)


def _text(digits: int | None, scale: float):  # type: ignore[no-untyped-def]
    def text(vector: Floats) -> str:
        return _commas(scale * (vector if digits is None else np.round(vector, digits)))

    return text


# ---- random machines ---------------------------------------------------------------------------------------------


def random_inertia(random: np.random.Generator, size: float, mass: float) -> Floats:
    """Inertia of a box of about that size in any attitude."""
    sides = size * random.uniform(0.3, 1.0, 3)
    principal = mass / 12 * (np.sum(sides**2) - sides**2)
    axes = Rotation.random(rng=random).as_matrix()
    return np.asarray(axes @ np.diag(principal) @ axes.T)


def planar_loop(random: np.random.Generator, slider: bool) -> Machine:
    """A slider-crank or a four-bar of hinges in a plane of any attitude: three rows too many, one degree of freedom."""
    plane = Rotation.random(rng=random).as_matrix().T
    crank, rod, ground = random.uniform(0.2, 0.7), random.uniform(1.2, 1.8), random.uniform(1.0, 1.6)
    angle = random.uniform(0.5, 2.5)
    pin = crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    if slider:
        end = np.array([pin[0] + np.sqrt(rod**2 - pin[1] ** 2), 0.0, 0.0])
        places = [np.zeros(3), pin, end]
    else:
        rocker = random.uniform(1.2, 1.6)
        far = np.array([ground, 0.0, 0.0])
        apart = np.linalg.norm(far - pin)
        along = (rod**2 - rocker**2 + apart**2) / (2 * apart)
        x = (far - pin) / apart
        end = pin + along * x + np.sqrt(rod**2 - along**2) * np.array([-x[1], x[0], 0.0])
        places = [np.zeros(3), pin, end, far]
    places = [plane.T @ place for place in places]
    normal = plane[2]
    ends = [(places[k], places[k + 1]) for k in range(len(places) - 1)]
    bodies = [_bar(random, *pair) for pair in ends]
    pins = [Joint("REVOLUTE", k - 1 if k else GROUND, k, places[k], normal) for k in range(len(bodies))]
    if slider:
        bodies.append(Body(places[2], 1.0, random_inertia(random, 0.3, 1.0)))
        pins.append(Joint("REVOLUTE", 1, 2, places[2], normal))
        pins.append(Joint("TRANSLATIONAL", GROUND, 2, places[2], plane[0]))
    else:
        pins.append(Joint("REVOLUTE", 2, GROUND, places[3], normal))
    return Machine(bodies, pins, gravity=random.uniform(-5.0, 5.0, 3))


def _bar(random: np.random.Generator, one: Floats, other: Floats) -> Body:
    mass = random.uniform(0.5, 3.0)
    return Body(0.5 * (one + other), mass, random_inertia(random, float(np.linalg.norm(other - one)), mass))


MOUNTS = ("free", "hinge", "slide", "sleeve", "two hinges")


def housing(random: np.random.Generator, shafts: int, mount: str, tied: bool = True) -> tuple[Machine, list[int]]:
    """A housing with shafts in bearings, and which of its joints repeat what others say.

    Shafts have a bearing each, some a second one on the same axis or the same bearing again; `tied` ones have one
    bearing on the ground as well, on the axis of the housing's own hinge where it has one, and nowhere else.
    """
    frame = Rotation.random(rng=random).as_matrix().T
    axis, mass = frame[2], 20.0 + 2.0 * shafts
    length = 0.15 * shafts
    bodies = [Body(0.5 * length * frame[0], mass, random_inertia(random, max(1.0, length), mass))]
    joints, repeated = [], []
    kinds = {
        "hinge": ["REVOLUTE"],
        "two hinges": ["REVOLUTE"] * 2,
        "slide": ["TRANSLATIONAL"],
        "sleeve": ["CYLINDRICAL"],
    }
    hinge = 0.4 * frame[1]
    for k, kind in enumerate(kinds.get(mount, [])):
        repeated += [len(joints)] if k else []
        joints.append(Joint(kind, GROUND, 0, hinge + 0.5 * k * axis, axis))
    loads = [(0, random.normal(size=3) * mass)]
    for k in range(shafts):
        place = (0.1 + 0.15 * k) * frame[0]
        own = Rotation.random(rng=random).as_matrix()[0] if random.random() < 0.3 else frame[int(random.integers(3))]
        own_mass = random.uniform(0.3, 3.0)
        bodies.append(Body(place, own_mass, random_inertia(random, 0.2, own_mass)))
        joints.append(Joint("REVOLUTE", 0, k + 1, place, own))
        again = random.random()
        if again < 0.3:
            repeated.append(len(joints))
            apart = 0.0 if again < 0.15 else random.uniform(0.03, 0.3)
            joints.append(Joint("REVOLUTE", 0, k + 1, place + apart * own, own))
        if random.random() < 0.3:
            loads.append((k + 1, 0.02 * random.normal() * own))
    if tied and mount in ("hinge", "two hinges"):
        for k in range(int(random.integers(3))):
            own_mass = random.uniform(0.3, 3.0)
            place = hinge + (0.2 + 0.1 * k) * axis
            bodies.append(Body(place, own_mass, random_inertia(random, 0.2, own_mass)))
            joints.append(Joint("REVOLUTE", 0, len(bodies) - 1, place, axis))
            repeated.append(len(joints))
            joints.append(Joint("REVOLUTE", GROUND, len(bodies) - 1, place, axis))
    return Machine(bodies, joints, gravity=random.normal(size=3), loads=loads), repeated
