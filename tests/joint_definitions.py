"""What each type of /JOINT is, by definition: slow and obvious, and written apart from the table that gsolve reads.

One entry a type: how its nodes stand at t = 0, its rows, a motion that its freedoms allow, what it measures, and along
what its reaction is zero.  The tests of rows, histories and free flight go through all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

Vector = np.ndarray
# Axes and relative motions of two bodies in free flight
AXIS, SECOND = np.array([0.0, 0.6, 0.8]), np.array([1.0, 0.0, 0.0])
ANY = np.array([2.0, -1.0, 2.5])
PITCH = 0.05


def unit(vector: Vector) -> Vector:
    return vector / np.linalg.norm(vector)


@dataclass(frozen=True)
class Pair:
    """A joint as built, and the poses of its bodies: x -> rotation (x - centre) + centre + displacement.

    node_i, node_j, r, axis_j : at t = 0, global
    s, t : complete r to a triad, at t = 0
    """

    node_i: Vector
    node_j: Vector
    r: Vector
    s: Vector
    t: Vector
    axis_j: Vector
    rotation_i: Vector
    rotation_j: Vector
    x_i: Vector
    x_j: Vector

    @property
    def d(self) -> Vector:
        """From node i to node j, in the axes of body i as they stood at t = 0."""
        return self.rotation_i.T @ (self.x_j - self.x_i)

    @property
    def built(self) -> Vector:
        return self.node_j - self.node_i

    @property
    def turned(self) -> Vector:
        """Rotation of body j relative to body i."""
        return self.rotation_i.T @ self.rotation_j

    @property
    def point(self) -> list[float]:
        return [self.d @ self.r, self.d @ self.s, self.d @ self.t]

    @property
    def along(self) -> list[float]:
        return [self.d @ self.r - self.built @ self.r]

    @property
    def across(self) -> list[float]:
        return [self.d @ self.s, self.d @ self.t]

    @property
    def tilts(self) -> list[float]:
        return [self.turned @ self.r @ self.s, self.turned @ self.r @ self.t]

    @property
    def turns(self) -> list[float]:
        """Twice the vector of the quaternion, whose scalar is positive."""
        half = Rotation.from_matrix(self.turned).as_quat(canonical=True)[:3]
        return [2 * half @ self.r, 2 * half @ self.s, 2 * half @ self.t]

    @property
    def crossing(self) -> list[float]:
        return [self.r @ self.turned @ self.axis_j]

    @property
    def length(self) -> list[float]:
        return [np.linalg.norm(self.d) - np.linalg.norm(self.built)]

    @property
    def link(self) -> list[float]:
        """Angle of the axes, their distance, and the foot of their common normal, less those as built."""

        def values(d: Vector, axis_j: Vector) -> Vector:
            return np.array([self.r @ axis_j, d @ np.cross(self.r, axis_j), d @ (self.r - cosine * axis_j)])

        cosine = self.r @ self.axis_j
        return list(values(self.d, self.turned @ self.axis_j) - values(self.built, self.axis_j))


class Motion:
    """Parts that allowed motions are made of, random; `apart` is from node i to node j as built."""

    def __init__(self, r: Vector, axis_j: Vector, apart: Vector, random: np.random.Generator) -> None:
        self.r, self.axis_j, self.apart = r, axis_j, apart
        self.angle, self.second, self.slide = random.uniform(-1.0, 1.0, 3)
        self.rest = Rotation.identity()
        self.hinge = Rotation.from_rotvec(self.angle * r)
        self.ball = Rotation.from_rotvec(random.normal(size=3))
        self.cardan = self.hinge * Rotation.from_rotvec(self.second * axis_j)
        self.direction = unit(random.normal(size=3))
        self.in_plane = unit(np.cross(r, self.direction))
        self.anywhere = random.normal(size=3)
        self.along = apart @ r
        self.travel = self.along + self.slide
        self.length = float(np.linalg.norm(apart))


@dataclass(frozen=True)
class Stand:
    """How node j may stand to node i at t = 0: off it along the axis, across it; and the words for a gap."""

    along: bool
    across: bool
    gap: str = ""


COINCIDENT = Stand(along=False, across=False, gap="apart")
ON_THE_AXIS = Stand(along=True, across=False, gap="apart across the axis")
IN_THE_PLANE = Stand(along=False, across=True, gap="apart along the normal of the plane")
APART = Stand(along=True, across=True)
# Rotation of body j relative to body i, from node i to node j in the axes of body i, (angle, slide)
Moved = tuple[Rotation, Vector, tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One type.

    stands : how node j stands to node i at t = 0
    freedoms : of one body relative to the other; the pitch of a screw is not counted
    rows : residuals, in the order of the program
    motion : one that is allowed
    measures : coordinates in the history
    no_reaction : components of the reaction on node j that are zero
    spin, slide : of body j relative to body i in free flight; its rotation is about node j
    second : how the axis b stands to a
    only_where_met : the Jacobian is the derivative of the residual only where the axis or the orientation is kept
    """

    stands: Stand
    freedoms: int
    rows: Callable[[Pair], list[float]]
    motion: Callable[[Motion], Moved]
    measures: tuple[str, ...] = ()
    no_reaction: tuple[str, ...] = ()
    spin: ArrayLike = (0.0, 0.0, 0.0)
    slide: ArrayLike = (0.0, 0.0, 0.0)
    second: Literal["none", "perpendicular", "any"] = "none"
    only_where_met: bool = False

    @property
    def is_rod(self) -> bool:
        """Whether the distance of the nodes is what it measures, and keeps."""
        return self.measures == ("U",) and self.stands == APART

    def stand(self, along: Vector, across: Vector) -> Vector:
        """From node i to node j at t = 0, of a vector along the axis and one across it."""
        return self.stands.along * along + self.stands.across * across


MOMENT, FORCE = ("MR", "MS", "MT"), ("FR", "FS", "FT")
DEFINITIONS = {
    "SPHERICAL": Definition(
        stands=COINCIDENT,
        freedoms=3,
        rows=lambda pair: pair.point,
        motion=lambda m: (m.ball, m.apart, (0.0, 0.0)),
        no_reaction=MOMENT,
        spin=ANY,
    ),
    "REVOLUTE": Definition(
        stands=COINCIDENT,
        freedoms=1,
        rows=lambda pair: pair.point + pair.tilts,
        motion=lambda m: (m.hinge, m.apart, (m.angle, 0.0)),
        measures=("ANG",),
        no_reaction=("MR",),
        spin=5 * AXIS,
        only_where_met=True,
    ),
    "UNIVERSAL": Definition(
        stands=COINCIDENT,
        freedoms=2,
        rows=lambda pair: pair.point + pair.crossing,
        motion=lambda m: (m.cardan, m.apart, (m.angle, m.second)),
        measures=("ANG", "ANG2"),
        no_reaction=("MR",),
        spin=5 * AXIS + 2 * SECOND,
        second="perpendicular",
    ),
    "CYLINDRICAL": Definition(
        stands=ON_THE_AXIS,
        freedoms=2,
        rows=lambda pair: pair.across + pair.tilts,
        motion=lambda m: (m.hinge, m.travel * m.r, (m.angle, m.travel)),
        measures=("ANG", "U"),
        no_reaction=("FR", "MR"),
        spin=5 * AXIS,
        slide=0.3 * AXIS,
        only_where_met=True,
    ),
    "TRANSLATIONAL": Definition(
        stands=ON_THE_AXIS,
        freedoms=1,
        rows=lambda pair: pair.across + pair.turns,
        motion=lambda m: (m.rest, m.travel * m.r, (0.0, m.travel)),
        measures=("U",),
        no_reaction=("FR",),
        slide=0.3 * AXIS,
        only_where_met=True,
    ),
    "SCREW": Definition(
        stands=ON_THE_AXIS,
        freedoms=2,
        rows=lambda pair: pair.across + pair.tilts,
        motion=lambda m: (m.hinge, m.travel * m.r, (m.angle, m.travel)),
        measures=("ANG", "U"),
        spin=5 * AXIS,
        slide=5 * PITCH / (2 * np.pi) * AXIS,
        only_where_met=True,
    ),
    "FIXED": Definition(
        stands=APART,
        freedoms=0,
        rows=lambda pair: [*(np.array([pair.r, pair.s, pair.t]) @ (pair.d - pair.built)), *pair.turns],
        motion=lambda m: (m.rest, m.apart, (0.0, 0.0)),
        only_where_met=True,
    ),
    "PLANAR": Definition(
        stands=APART,
        freedoms=3,
        rows=lambda pair: pair.along + pair.tilts,
        motion=lambda m: (m.hinge, m.along * m.r + m.slide * m.in_plane, (m.angle, 0.0)),
        measures=("ANG",),
        no_reaction=("FS", "FT", "MR"),
        spin=5 * AXIS,
        slide=0.3 * SECOND,
        only_where_met=True,
    ),
    "DISTANCE": Definition(
        stands=APART,
        freedoms=5,
        rows=lambda pair: pair.length,
        motion=lambda m: (m.ball, m.length * m.direction, (0.0, m.length)),
        measures=("U",),
        no_reaction=MOMENT,
        spin=ANY,
    ),
    "STRUT": Definition(
        stands=ON_THE_AXIS,
        freedoms=4,
        rows=lambda pair: pair.across,
        motion=lambda m: (m.ball, m.travel * m.r, (0.0, m.travel)),
        measures=("U",),
        no_reaction=("FR", *MOMENT),
        spin=ANY,
        slide=0.3 * AXIS,
    ),
    "REV_SPH": Definition(
        stands=APART,
        freedoms=4,
        rows=lambda pair: pair.along + pair.length,
        motion=lambda m: (
            m.ball,
            m.along * m.r + np.linalg.norm(m.apart - m.along * m.r) * m.in_plane,
            (0.0, m.length),
        ),
        measures=("U",),
        no_reaction=MOMENT,
        spin=ANY,
    ),
    "REV_CYL": Definition(
        stands=APART,
        freedoms=3,
        rows=lambda pair: pair.link,
        motion=lambda m: (m.cardan, m.hinge.apply(m.apart + m.slide * m.axis_j), (m.angle, 0.0)),
        measures=("ANG",),
        spin=4 * SECOND,
        slide=0.3 * SECOND,
        second="any",
    ),
    "PARALLEL": Definition(
        stands=APART,
        freedoms=4,
        rows=lambda pair: pair.tilts,
        motion=lambda m: (m.hinge, m.anywhere, (m.angle, 0.0)),
        measures=("ANG",),
        no_reaction=("MR", *FORCE),
        spin=5 * AXIS,
        slide=np.array([0.3, 0.1, -0.2]),
        only_where_met=True,
    ),
    "PERPENDICULAR": Definition(
        stands=APART,
        freedoms=5,
        rows=lambda pair: pair.crossing,
        motion=lambda m: (m.cardan, m.anywhere, (0.0, 0.0)),
        no_reaction=("MR", *FORCE),
        spin=5 * AXIS + 2 * SECOND,
        slide=np.array([0.3, 0.1, -0.2]),
        second="perpendicular",
    ),
    "POINT_PLANE": Definition(
        stands=IN_THE_PLANE,
        freedoms=5,
        rows=lambda pair: [pair.d @ pair.r],
        motion=lambda m: (m.ball, m.slide * m.in_plane, (0.0, 0.0)),
        no_reaction=("FS", "FT", *MOMENT),
        spin=ANY,
        slide=0.3 * SECOND,
    ),
}
