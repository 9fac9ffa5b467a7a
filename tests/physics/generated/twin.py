"""A machine calculated densely, from the definitions of its joints: freedom, first velocities, first accelerations.

Rows are differentiated by differences: their Jacobian from small displacements of the bodies, what velocities add to
the accelerations from the second derivative along the motion that has constant velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from deck_text import Vector
from joint_definitions import DEFINITIONS, Pair, unit
from numpy.typing import NDArray
from random_machines import GROUND, Body
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
# Weights of values at -2h ... 2h: first and second derivative to the fourth order
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12
STEPS = np.arange(-2, 3)
DISPLACEMENT, TIME = 1e-3, 2e-3
SIZE = 0.3  # m: of a body, which makes translations and rotations comparable
RANK = 1e-7  # of the largest singular value of rows of unit size; what is exact is below 1e-11


class Poses:
    """Where bodies are: x -> rotation (x - centre at t = 0) + centre + shift."""

    def __init__(self, bodies: Sequence[Body], shifts: Floats, rotations: Sequence[Floats]) -> None:
        self._bodies, self._shifts, self._rotations = bodies, shifts, rotations

    def point(self, body: int, place: Floats) -> Floats:
        if body == GROUND:
            return np.asarray(place)
        centre = self._bodies[body].centre
        return self._rotations[body] @ (place - centre) + centre + self._shifts[body]

    def rotation(self, body: int) -> Floats:
        return np.eye(3) if body == GROUND else self._rotations[body]


def across(axis: Floats) -> tuple[Floats, Floats]:
    """Two directions that complete a unit vector to a right-handed triad."""
    first = unit(np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))]))
    return first, np.cross(axis, first)


@dataclass(frozen=True)
class Joined:
    """A /JOINT; places are those of its nodes at t = 0."""

    kind: str
    first: int
    second: int
    place: Floats
    end: Floats
    axis: Vector
    axis_second: Vector | None = None
    pitch: float | None = None

    @property
    def bodies(self) -> tuple[int, ...]:
        return (self.first, self.second)

    def pair(self, poses: Poses) -> Pair:
        r = unit(np.asarray(self.axis, dtype=float))
        other = r if self.axis_second is None else unit(np.asarray(self.axis_second, dtype=float))
        turned = poses.rotation(self.first), poses.rotation(self.second)
        places = poses.point(self.first, self.place), poses.point(self.second, self.end)
        return Pair(self.place, self.end, r, *across(r), other, *turned, *places)

    def measure(self, name: str, poses: Poses) -> float:
        """Angle, slide or distance of the joint, near t = 0."""
        pair = self.pair(poses)
        if name == "ANG":
            return pair.turns[0]
        return float(np.linalg.norm(pair.d) if self.kind == "DISTANCE" else pair.d @ pair.r)

    def values(self, poses: Poses) -> list[float]:
        rows = list(DEFINITIONS[self.kind].rows(self.pair(poses)))
        if self.pitch is not None:
            rows.append(self.measure("U", poses) - self.pitch / (2 * np.pi) * self.measure("ANG", poses))
        return rows

    def targets(self) -> None:
        return None


@dataclass(frozen=True)
class Gears:
    """A /GJOINT: bearings and a relation; shafts are (body, place, axis)."""

    kind: str
    carrier: int
    shafts: Sequence[tuple[int, Floats, Vector]]
    alpha: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return (self.carrier, *(shaft[0] for shaft in self.shafts))

    def bearings(self) -> list[Joined]:
        kinds = ["REVOLUTE", "TRANSLATIONAL" if self.kind == "RACK" else "REVOLUTE", "REVOLUTE"]
        return [
            Joined(kind, self.carrier, body, place, place, axis)
            for kind, (body, place, axis) in zip(kinds, self.shafts, strict=False)
        ]

    def values(self, poses: Poses) -> list[float]:
        """Of the relation alone."""
        factors = (self.alpha, 1.0, 1.0)
        names = ["ANG", "U" if self.kind == "RACK" else "ANG", "ANG"]
        bearings = self.bearings()
        return [sum(f * b.measure(n, poses) for f, n, b in zip(factors, names, bearings, strict=False))]


@dataclass(frozen=True)
class Coupled:
    """A /COUPLER; sides are (body, its support, place, axis)."""

    kind: str
    side: tuple[int, int, Floats, Vector]
    other: tuple[int, int, Floats, Vector]
    ratio: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return (*self.side[:2], *self.other[:2])

    def values(self, poses: Poses) -> list[float]:
        motions = []
        for (body, support, place, axis), name in (
            (self.side, "ANG"),
            (self.other, "U" if self.kind == "R2T" else "ANG"),
        ):
            motions.append(Joined("TRANSLATIONAL", support, body, place, place, axis).measure(name, poses))
        return [motions[0] - self.ratio * motions[1]]


@dataclass(frozen=True)
class Driven:
    """A /DRIVE by formulas of t for its position, rate and acceleration."""

    joined: Joined
    name: str
    formulas: Sequence[str]
    level: int

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.joined.bodies

    def values(self, poses: Poses) -> list[float]:
        return [self.joined.measure(self.name, poses)]

    def asked(self, level: int, t: float = 0.0) -> float:
        """What the formula of a level gives."""
        names = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "t": t}
        return float(eval(self.formulas[level], {"__builtins__": {}}, names))


@dataclass(frozen=True)
class Pulled:
    """A force along a coordinate of a joint or between two nodes, or a load on a body."""

    joined: Joined | None
    name: str
    given: Mapping[str, float]
    force: Floats | None = None
    moment: Floats | None = None


class Twin:
    """bodies, rows and forces of a machine, at t = 0."""

    def __init__(self, bodies: Sequence[Body], rows: Sequence, pulls: Sequence[Pulled], gravity: Floats) -> None:  # type: ignore[type-arg]
        self._bodies, self._pulls, self._gravity = bodies, pulls, gravity
        self._rows = list(rows)
        bearings: dict[tuple[int, int, bytes], Joined] = {}
        for row in rows:
            for bearing in row.bearings() if isinstance(row, Gears) else ():
                bearings.setdefault((bearing.first, bearing.second, np.asarray(bearing.place).tobytes()), bearing)
        self._rows += bearings.values()
        self.jacobian = self._jacobian([row.values for row in self._rows], [row.bodies for row in self._rows])

    # ---- geometry ------------------------------------------------------------------------------------------------

    def _at_rest(self) -> tuple[Floats, list[Floats]]:
        return np.zeros((len(self._bodies), 3)), [np.eye(3)] * len(self._bodies)

    def _displaced(self, body: int, direction: int, step: float) -> Poses:
        shifts, rotations = self._at_rest()
        if direction < 3:
            shifts[body, direction] = step
        else:
            rotations[body] = Rotation.from_rotvec(step * np.eye(3)[direction - 3]).as_matrix()
        return Poses(self._bodies, shifts, rotations)

    def _jacobian(self, functions: Sequence[Callable[[Poses], list[float]]], of: Sequence[tuple[int, ...]]) -> Floats:
        """(n, 6 nb) of functions that depend on so many bodies each."""
        blocks = []
        for function, bodies in zip(functions, of, strict=True):
            count = len(function(Poses(self._bodies, *self._at_rest())))
            block = np.zeros((count, len(self._bodies), 6))
            for body in {body for body in bodies if body != GROUND}:
                for direction in range(6):
                    values = [
                        np.array(function(self._displaced(body, direction, k * DISPLACEMENT))) if k else np.zeros(count)
                        for k in STEPS
                    ]
                    block[:, body, direction] = FIRST @ np.array(values) / DISPLACEMENT
            blocks.append(block.reshape(count, -1))
        return np.concatenate(blocks) if blocks else np.zeros((0, 6 * len(self._bodies)))

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return self.rank_of(self.jacobian)

    def rank_of(self, jacobian: Floats) -> int:
        """Independent rows: of unit size, all bodies alike."""
        if not len(jacobian):
            return 0
        scaled = jacobian * np.tile([SIZE] * 3 + [1.0] * 3, len(self._bodies))
        values = np.linalg.svd(scaled / np.linalg.norm(scaled, axis=1)[:, None], compute_uv=False)
        return int(np.sum(values > RANK * values[0]))

    @property
    def freedom(self) -> int:
        return 6 * len(self._bodies) - self.rank

    # ---- motion at t = 0 -----------------------------------------------------------------------------------------

    def _weights(self) -> Floats:
        """(6 nb, 6 nb): the root of the inverse of the masses."""
        weights = np.zeros((6 * len(self._bodies),) * 2)
        for k, body in enumerate(self._bodies):
            values, axes = np.linalg.eigh(body.inertia)
            weights[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / np.sqrt(body.mass)
            weights[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = axes @ np.diag(values**-0.5) @ axes.T
        return weights

    def _nearest(self, jacobian: Floats, free: Floats, asked: Floats) -> Floats:
        """The velocities or accelerations with jacobian x = asked that are nearest to free ones, by the masses."""
        rank = self.rank_of(jacobian)
        if not rank:
            return free
        weights = self._weights()
        sizes = np.linalg.norm(jacobian @ weights, axis=1)
        left, values, right = np.linalg.svd(jacobian @ weights / sizes[:, None])
        gap = (asked - jacobian @ free) / sizes
        return free + weights @ (right[:rank].T @ ((left[:, :rank].T @ gap) / values[:rank]))

    def velocities(self) -> Floats:
        """(nb, 6) after what the rows do not allow is taken off."""
        free = np.array([[*body.velocity, *body.spin] for body in self._bodies]).ravel()
        held = np.repeat(
            [not (isinstance(row, Driven) and row.level == 2) for row in self._rows], [len(c) for c in self._still()]
        ).astype(bool)
        return self._nearest(self.jacobian[held], free, self._asked(1)[held]).reshape(-1, 6)

    def _still(self) -> list[list[float]]:
        poses = Poses(self._bodies, *self._at_rest())
        return [row.values(poses) for row in self._rows]

    def _asked(self, level: int) -> Floats:
        values = []
        for row, still in zip(self._rows, self._still(), strict=True):
            values += [row.asked(level)] if isinstance(row, Driven) else [0.0] * len(still)
        return np.array(values)

    def accelerations(self) -> Floats:
        """(nb, 6) with the forces that it knows."""
        velocities = self.velocities()
        free = self._free_accelerations(velocities)
        bent = []
        for row in self._rows:
            values = np.array([row.values(self._moved(velocities, k * TIME)) for k in STEPS])
            bent += (SECOND @ values / TIME**2).tolist()
        return self._nearest(self.jacobian, free, self._asked(2) - np.array(bent)).reshape(-1, 6)

    def _moved(self, velocities: Floats, t: float) -> Poses:
        turned = [Rotation.from_rotvec(t * spin).as_matrix() for spin in velocities[:, 3:]]
        return Poses(self._bodies, t * velocities[:, :3], turned)

    def _free_accelerations(self, velocities: Floats) -> Floats:
        forces = np.zeros((len(self._bodies), 6))
        for k, body in enumerate(self._bodies):
            spin = velocities[k, 3:]
            forces[k, :3] = body.mass * self._gravity
            forces[k, 3:] = -np.cross(spin, body.inertia @ spin)
        for pull in self._pulls:
            if pull.joined is None:
                forces[int(pull.given["body"])] += np.concatenate([pull.force, pull.moment])
                continue
            joined = pull.joined
            direction = self._jacobian([lambda poses, p=pull: [p.joined.measure(p.name, poses)]], [joined.bodies])[0]
            stretched = -pull.given.get("free_value", 0.0)
            size = pull.given.get("preload", 0.0) - pull.given.get("stiffness", 0.0) * stretched
            size -= pull.given.get("damping", 0.0) * float(direction @ velocities.ravel())
            forces += size * direction.reshape(-1, 6)
        return self._weights() @ self._weights() @ forces.ravel()
