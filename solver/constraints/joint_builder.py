"""Joints of the solver, made from the types of /JOINT: their rows, their coordinates, and where they stand at t = 0.

Apart from the kernels of `joints`, so that a change in the table of types compiles nothing anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from gsolve.parser.model.joint_types import POINT, Angle, JointType, Row, SecondAxis, Slide

from ..core.bodies import GROUND, Floats, Records
from ..core.vectors import cross_products
from . import joints as kernels
from .joints import JOINT
from .rows import RowBuilder

# The kernels have a code of the same name for each kind of row and coordinate.
CODE: dict[Row | Angle | Slide, int] = {
    member: getattr(kernels, member.name) for members in (Row, Angle, Slide) for member in members
}
CODES_OF_LENGTHS = frozenset(CODE[row] for row in Row if row.is_length)
OF_POSITIONS = {*POINT, Row.LENGTH}  # rows that do not see the orientation of body b


class Pose(NamedTuple):
    """How a joint stands at t = 0, global components.

    offset : of the reference point of body b from that of body a
    arm, place : of node j from the reference point of body b; its place on body a from that one's
    triad : (3, 3) rows r, s, t
    axis_j : of body b, zero where there is none
    separation : of node j from its place, in the triad
    """

    offset: Floats
    arm: Floats
    place: Floats
    triad: Floats
    axis_j: Floats
    separation: Floats


class JointBuilder:
    """Adds joints one by one and makes their array."""

    def __init__(self, builder: RowBuilder, centres: Floats) -> None:
        """centres : (nb, 3) reference points of all bodies at t = 0."""
        self._rows = builder
        self._centres = centres
        self._items: list[dict[str, object]] = []

    def __len__(self) -> int:
        return len(self._items)

    def bodies_of(self, index: int) -> tuple[int, int]:
        """Bodies b and a of a joint."""
        return self._items[index]["node"][0], self._items[index]["carrier"][0]  # type: ignore[index]

    def add(
        self,
        joint_type: JointType,
        bodies: tuple[int, int],
        arm: Floats,
        axis: Floats,
        scale: float,
        *,
        place: Floats | None = None,
        axis_j: Floats | None = None,
        length: float | None = None,
    ) -> int:
        """A joint with the rows of its type, none within one body; returns its index.

        bodies : a and b; arm : of node j from the reference point of body b; axis : unit vector r; scale : size of the
        subsystem, for the tolerance of the rows; place : of node j on body a, from its reference point (default: where
        node j stands at t = 0); axis_j : for types that have a second axis; length : of a LENGTH row (default: as
        built).  Vectors at t = 0, global components.
        """
        pose = self._pose(bodies, arm, axis, place, axis_j if joint_type.has_second_axis else None)
        rows = () if bodies[0] == bodies[1] else joint_type.rows
        cosine = float(axis @ pose.axis_j) if joint_type.second_axis is SecondAxis.AS_BUILT else 0.0
        constants = row_constants(joint_type, pose, cosine, length)
        first_entry = 0
        for k, row in enumerate(rows):
            _, entry = self._rows.add(
                [bodies[1], bodies[0]],
                scale if row.is_length else 1.0,
                kind=CODE[row],
                constant=constants.get(row, 0.0),
            )
            first_entry = entry if k == 0 else first_entry
        return self._append(bodies, pose, (joint_type.angle, joint_type.slide), rows, first_entry, cosine)

    def measure(
        self,
        coordinates: tuple[Angle, Slide],
        bodies: tuple[int, int],
        arm: Floats,
        axis: Floats,
        *,
        place: Floats | None = None,
    ) -> int:
        """A joint without rows, which only measures its coordinates; arguments and result as in `add`."""
        return self._append(bodies, self._pose(bodies, arm, axis, place, None), coordinates, (), 0, 0.0)

    def _pose(
        self, bodies: tuple[int, int], arm: Floats, axis: Floats, place: Floats | None, axis_j: Floats | None
    ) -> Pose:
        offset = self._centres[bodies[1]] - self._centres[bodies[0]]
        triad = triad_about(axis, axis_j)
        place = offset + arm if place is None else place
        second = np.zeros(3) if axis_j is None else axis_j
        return Pose(offset, arm, place, triad, second, triad @ (offset + arm - place))

    def _append(
        self,
        bodies: tuple[int, int],
        pose: Pose,
        coordinates: tuple[Angle, Slide],
        rows: tuple[Row, ...],
        first_entry: int,
        cosine: float,
    ) -> int:
        """The record of a joint whose rows are the last ones added."""
        a, b = bodies
        angle, slide = coordinates
        self._items.append(
            {
                "carrier": (a, pose.place),
                "node": (b, pose.arm),
                "row": len(self._rows) - len(rows),
                "n_rows": len(rows),
                "entry": first_entry,
                "width": (a != GROUND) + (b != GROUND),
                "angle_kind": CODE[angle],
                "slide_kind": CODE[slide],
                "oriented": angle is not Angle.NO_ANGLE or not OF_POSITIONS.issuperset(rows),
                "aligned": Row.TILT_S in rows,
                "travels": not set(POINT) <= set(rows),
                "centre_offset": pose.offset,
                "triad": pose.triad,
                "axis_j": pose.axis_j,
                "cosine": cosine,
                "angle": 0.0,
                "slide": initial_slide(slide, pose.separation),
            }
        )
        return len(self._items) - 1

    def build(self) -> Records:
        joints = np.zeros(len(self._items), JOINT)
        for name in self._items[0] if self._items else ():
            joints[name] = [item[name] for item in self._items]
        joints["trial_slide"] = joints["slide"]
        return joints


def row_constants(joint_type: JointType, pose: Pose, cosine: float, length: float | None) -> dict[Row, float]:
    """What the rows keep, where it is not zero."""
    separation, axis_j = pose.separation, pose.triad @ pose.axis_j
    return {
        Row.ALONG: separation[0] if joint_type.start.keeps_offset else 0.0,
        Row.LENGTH: float(np.linalg.norm(separation)) if length is None else length,
        Row.CROSSED: cosine,
        Row.GAP: separation[2] * axis_j[1] - separation[1] * axis_j[2],
        Row.FOOT: separation[0] - cosine * (separation @ axis_j),
    }


def triad_about(axis: Floats, second: Floats | None = None) -> Floats:
    """Orthonormal right-handed triad (3, 3), rows r, s, t: r along `axis` (unit), s towards `second` if given."""
    helper = np.zeros(3)
    helper[np.argmin(np.abs(axis))] = 1.0
    s = cross_products(axis, helper) if second is None else second - (second @ axis) * axis
    s /= np.linalg.norm(s)
    return np.array([axis, s, cross_products(axis, s)])


def initial_slide(slide: Slide, separation: Floats) -> float:
    """The slide at t = 0 of a joint whose node j is `separation` (triad) off its place."""
    if slide is Slide.TRAVEL:
        return float(separation[0])
    return float(np.linalg.norm(separation)) if slide is Slide.DISTANCE else 0.0
