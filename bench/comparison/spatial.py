"""Machines in space, described once for all programs: trees of bodies, balls that close loops, springs along lines.

All is given as it stands at t = 0, in global axes: places, axes, centres of mass, inertias.  A body hangs on its parent
(-1: the ground) by one joint at `place`, so that a tree of joint coordinates is there for the programs that want one;
`Ball` closes a loop.  The machines: a robot arm of seven joints, a hexapod on sprung legs, and a vehicle on four double
wishbones.  Their motion is compared with `reference_motion.py`.  All in kg, m, s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from comparison.reference_motion import stored_places

Vector = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEPS = (20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000)  # in 1 s


@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that it hangs on.

    parent : number of a body before this one, -1 for the ground
    joint : "revolute", "prismatic" (about or along axes[0]), "universal" (axes[0] on the parent, axes[1] on this body),
        "spherical" or "free"
    inertia : principal moments about the centre; turned : (3, 3) rotation of the principal axes
    velocity : (3,) of a free body; rates : rad/s or m/s, one each axis; those of a free body about the global axes
    """

    parent: int
    joint: str
    place: Sequence[float]
    centre: Sequence[float]
    mass: float
    inertia: Vector
    axes: tuple[Sequence[float], ...] = ()
    turned: np.ndarray = field(default_factory=lambda: np.eye(3))
    velocity: Vector = (0.0, 0.0, 0.0)
    rates: Sequence[float] = ()


@dataclass(frozen=True)
class Ball:
    """A point of one body stays at a point of another."""

    first: int
    second: int
    place: Sequence[float]


@dataclass(frozen=True)
class LineSpring:
    """A spring and damper along the line between a point of one body (-1: the ground) and a point of another."""

    first: int
    second: int
    ends: tuple[Sequence[float], Sequence[float]]
    stiffness: float
    damping: float
    free_length: float


@dataclass(frozen=True)
class Spatial:
    """A machine in space.

    points : (body, place at t = 0) of the points whose motion is compared
    observed : (n, 3) their places; error : the largest distance from where they must be, in m
    """

    t_end: ClassVar[float] = 1.0
    goes_on: ClassVar[float] = 1.0
    same_step: ClassVar[float] = 1e-3
    steps: ClassVar[tuple[float, ...]] = tuple(1.0 / count for count in STEPS)
    gravity: ClassVar[float] = 9.81
    name: ClassVar[str]
    balls: ClassVar[tuple[Ball, ...]] = ()
    springs: ClassVar[tuple[LineSpring, ...]] = ()

    @property
    def bodies(self) -> tuple[Body, ...]:
        raise NotImplementedError

    @property
    def points(self) -> tuple[tuple[int, Sequence[float]], ...]:
        raise NotImplementedError

    @cached_property
    def exact(self) -> np.ndarray:
        """(n, 3) places of the points at t_end."""
        return stored_places(self)

    def error(self, observed: np.ndarray) -> float:
        return float(np.linalg.norm(observed - self.exact, axis=1).max())


def rod(start: np.ndarray, end: np.ndarray, mass: float, radius: float) -> dict[str, object]:
    """Centre, mass and inertia of a uniform round rod."""
    along = np.asarray(end) - start
    length = float(np.linalg.norm(along))
    across = mass * (length**2 / 12 + radius**2 / 4)
    return {
        "centre": (np.asarray(start) + end) / 2,
        "mass": mass,
        "inertia": (across, across, mass * radius**2 / 2),
        "turned": frame(along),
    }


def frame(axis: Sequence[float] | np.ndarray) -> np.ndarray:
    """(3, 3) rotation whose third column is along the axis."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    y = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


@dataclass(frozen=True)
class Arm(Spatial):
    """A robot arm of seven hinges, roll and pitch in turn, its motors off: it falls from a bent attitude, in motion."""

    name: ClassVar[str] = "robot arm, 7 joints"
    lengths: ClassVar[tuple[float, ...]] = (0.34, 0.2, 0.2, 0.2, 0.2, 0.126, 0.1)
    masses: ClassVar[tuple[float, ...]] = (5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 1.5)
    rates: ClassVar[tuple[float, ...]] = (0.5, -0.4, 0.6, 0.3, -0.8, 0.5, 1.0)
    bends: ClassVar[tuple[float, ...]] = (0.0, 0.5, 0.0, 0.6, 0.0, 0.4, 0.0)  # rad, each link against the one before

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        found, place, angle = [], np.zeros(3), 0.0
        for k, (length, mass, rate, bend) in enumerate(
            zip(self.lengths, self.masses, self.rates, self.bends, strict=True)
        ):
            angle += bend
            along = np.array([np.sin(angle), 0.0, np.cos(angle)])
            end = place + length * along
            shape = rod(place, end, mass, 0.06)
            shape["centre"] = shape["centre"] + np.array([0.0, 0.02 * (-1) ** k, 0.0])  # links stand beside each other
            found.append(Body(k - 1, "revolute", place, axes=(Y if bend else along,), rates=(rate,), **shape))  # type: ignore[arg-type]
            place = end
        return tuple(found)

    @cached_property
    def points(self) -> tuple[tuple[int, Sequence[float]], ...]:
        last = self.bodies[-1]
        return ((6, 2 * (np.asarray(last.centre) - last.place) + last.place),)


@dataclass(frozen=True)
class Hexapod(Spatial):
    """A Stewart platform: six legs, each a cylinder on a universal joint and a rod in it with a ball on the platform.

    A spring and damper of its own stiffness in each leg holds the platform, which is let go at rest.
    """

    name: ClassVar[str] = "hexapod, 6 legs"
    stiffnesses: ClassVar[tuple[float, ...]] = (6e3, 9e3, 12e3, 7e3, 10e3, 14e3)
    damping: ClassVar[float] = 60.0
    height: ClassVar[float] = 1.0

    @cached_property
    def _ends(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Foot and head of each leg."""
        feet, heads = np.radians([15, 105, 135, 225, 255, 345]), np.radians([45, 75, 165, 195, 285, 315])
        return [
            (
                np.array([np.cos(foot), np.sin(foot), 0.0]),
                np.array([0.6 * np.cos(head), 0.6 * np.sin(head), self.height]),
            )
            for foot, head in zip(feet, heads, strict=True)
        ]

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Cylinder and rod of leg k are 2k and 2k + 1; the platform, 12, hangs on the first rod."""
        found = []
        for k, (foot, head) in enumerate(self._ends):
            middle, along = (foot + head) / 2, head - foot
            first = np.cross(along, Z)
            second = np.cross(along, first)
            cylinder = rod(foot, middle, 4.0, 0.04)
            found.append(Body(-1, "universal", foot, axes=(_unit(first), _unit(second)), rates=(0.0, 0.0), **cylinder))  # type: ignore[arg-type]
            found.append(
                Body(2 * k, "prismatic", middle, axes=(_unit(along),), rates=(0.0,), **rod(middle, head, 2.0, 0.02))
            )  # type: ignore[arg-type]
        centre = (0.03, -0.02, self.height + 0.05)  # the load does not stand in the middle
        found.append(Body(1, "spherical", self._ends[0][1], centre, 100.0, (8.0, 9.0, 15.0), rates=(0.0, 0.0, 0.0)))
        return tuple(found)

    @cached_property
    def balls(self) -> tuple[Ball, ...]:  # type: ignore[override]
        return tuple(Ball(12, 2 * k + 1, head) for k, (_, head) in enumerate(self._ends) if k > 0)

    @cached_property
    def springs(self) -> tuple[LineSpring, ...]:  # type: ignore[override]
        return tuple(
            LineSpring(-1, 12, (foot, head), stiffness, self.damping, float(np.linalg.norm(head - foot)) + 0.01)
            for (foot, head), stiffness in zip(self._ends, self.stiffnesses, strict=True)
        )

    @cached_property
    def points(self) -> tuple[tuple[int, Sequence[float]], ...]:
        return tuple((12, self._ends[k][1]) for k in (0, 2, 4))


@dataclass(frozen=True)
class Vehicle(Spatial):
    """A car body on four double wishbones, wheels that do not roll, tyres as three springs each; it drops onto them.

    Of each corner: lower and upper wishbone with a hinge on the body, an upright with the wheel between their balls,
    and a tie rod from the body to the upright that keeps it from steering.  x is forward, y to the left, z up.
    """

    name: ClassVar[str] = "vehicle, 4 double wishbones"
    corners: ClassVar[tuple[tuple[float, float], ...]] = ((1.3, 1.0), (1.3, -1.0), (-1.4, 1.0), (-1.4, -1.0))  # x, side
    ride: ClassVar[tuple[float, float]] = (3.0e4, 2.5e3)  # stiffness and damping of a suspension spring
    tyre: ClassVar[tuple[float, float]] = (2.0e5, 5.0e2)  # and of a tyre in each direction

    @staticmethod
    def corner(x: float, side: float) -> dict[str, np.ndarray]:
        """Places of one corner; the hinges of the wishbones are inclined, so that the wheel moves in space."""
        return {
            "lower": np.array([x, 0.35 * side, 0.22]),
            "lower ball": np.array([x + 0.01, 0.72 * side, 0.20]),
            "upper": np.array([x - 0.02, 0.42 * side, 0.48]),
            "upper ball": np.array([x - 0.02, 0.68 * side, 0.46]),
            "rod": np.array([x - 0.14, 0.38 * side, 0.27]),
            "rod ball": np.array([x - 0.13, 0.72 * side, 0.26]),
            "wheel": np.array([x, 0.76 * side, 0.31]),
            "strut": np.array([x + 0.02, 0.55 * side, 0.212]),
            "tower": np.array([x, 0.46 * side, 0.68]),
        }

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The car body is 0; of corner k lower wishbone, upright, upper wishbone, tie rod are 4k + 1 to 4k + 4."""
        middle = (0.0, 0.0, 0.55)
        spin = (0.5, 0.3, 0.1)
        found = [
            Body(-1, "free", middle, middle, 1200.0, (400.0, 1500.0, 1700.0), (), np.eye(3), (0.0, 0.0, -0.8), spin)
        ]
        for k, (x, side) in enumerate(self.corners):
            at = self.corner(x, side)
            along = at["rod ball"] - at["rod"]
            first = np.cross(along, X)
            lower = rod(at["lower"], at["lower ball"], 5.0, 0.1)
            upper = rod(at["upper"], at["upper ball"], 3.0, 0.08)
            found += [
                Body(0, "revolute", at["lower"], axes=(_unit((1.0, 0.0, 0.04)),), rates=(0.0,), **lower),  # type: ignore[arg-type]
                Body(4 * k + 1, "spherical", at["lower ball"], at["wheel"], 35.0, (0.9, 1.5, 0.9), rates=(0.0,) * 3),
                Body(0, "revolute", at["upper"], axes=(_unit((1.0, 0.0, -0.06)),), rates=(0.0,), **upper),  # type: ignore[arg-type]
                Body(0, "universal", at["rod"], axes=(_unit(first), _unit(np.cross(along, first))), rates=(0.0, 0.0),
                     **rod(at["rod"], at["rod ball"], 1.0, 0.03)),  # type: ignore[arg-type]
            ]  # fmt: skip
        return tuple(found)

    @cached_property
    def balls(self) -> tuple[Ball, ...]:  # type: ignore[override]
        found = []
        for k, corner in enumerate(self.corners):
            at = self.corner(*corner)
            found += [Ball(4 * k + 3, 4 * k + 2, at["upper ball"]), Ball(4 * k + 4, 4 * k + 2, at["rod ball"])]
        return tuple(found)

    @cached_property
    def springs(self) -> tuple[LineSpring, ...]:  # type: ignore[override]
        found = []
        for k, corner in enumerate(self.corners):
            at = self.corner(*corner)
            ends = at["tower"], at["strut"]
            length = float(np.linalg.norm(ends[1] - ends[0]))
            found.append(LineSpring(0, 4 * k + 1, ends, *self.ride, length + 0.14))
            for axis, preload in ((X, 0.0), (Y, 0.0), (Z, 0.015)):
                anchor = at["wheel"] - np.array(axis)  # far away, so that the direction of the force hardly turns
                found.append(LineSpring(-1, 4 * k + 2, (anchor, at["wheel"]), *self.tyre, 1.0 + preload))
        return tuple(found)

    @cached_property
    def points(self) -> tuple[tuple[int, Sequence[float]], ...]:
        wheels = [(4 * k + 2, self.corner(*corner)["wheel"]) for k, corner in enumerate(self.corners)]
        return ((0, (1.3, 0.0, 0.55)), (0, (-1.4, 0.4, 0.55)), *wheels)


def _unit(vector: Sequence[float] | np.ndarray) -> np.ndarray:
    return np.asarray(vector, float) / np.linalg.norm(vector)
