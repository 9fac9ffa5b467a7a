"""The types of /JOINT in one table, which the parser, the solver and the manual read.

A type is its entry in JOINT_TYPES: the rows it consists of, the coordinates it measures, what of its card it uses, how
its nodes must stand at t = 0, and the words of the manual.  Here is no arithmetic: what a row says in numbers is in
`solver.constraints.joints`, which has a code of the same name for each member of Row, Angle and Slide.

Node i carries the axis a, and the directions s and t that complete it to a triad; node j may carry an axis b.  d is
the way from node i to node j; all of it is seen from the body of node i.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Coordinate = Literal["rotation", "translation"]


class Row(Enum):
    """A kind of constraint row, and what it keeps."""

    ALONG = "d·a"
    ACROSS_S = "d·s"
    ACROSS_T = "d·t"
    TILT_S = "the axis a of body j, along s"
    TILT_T = "the axis a of body j, along t"
    TURN_R = "relative rotation about a"
    TURN_S = "relative rotation about s"
    TURN_T = "relative rotation about t"
    CROSSED = "a·b"
    LENGTH = "length of d"
    GAP = "d·(a×b)"
    FOOT = "foot of the common normal of the axes along a"

    @property
    def is_length(self) -> bool:
        """Whether the row is of lengths; the others are of angles."""
        return self in LENGTHS


POINT = (Row.ALONG, Row.ACROSS_S, Row.ACROSS_T)
TILT = (Row.TILT_S, Row.TILT_T)
TURN = (Row.TURN_R, Row.TURN_S, Row.TURN_T)
LENGTHS = (*POINT, Row.LENGTH, Row.GAP, Row.FOOT)


class Angle(Enum):
    """What a joint measures as its angle."""

    NO_ANGLE = "none"
    TWIST = "rotation of j about a"
    ABOUT_CROSS = "rotation of the axis b about a"


class Slide(Enum):
    """What a joint measures as its slide."""

    NO_SLIDE = "none"
    TRAVEL = "displacement of node j along a"
    DISTANCE = "distance of the nodes"
    SECOND_ANGLE = "rotation of j about b"


class SecondAxis(Enum):
    """Whether node j has an axis b, and how it must stand to a; the words are for messages."""

    NONE = ""
    PERPENDICULAR = "two perpendicular axes"
    AS_BUILT = "two axes that cross at an angle"


class Start(Enum):
    """How the nodes must stand at t = 0.

    manual : in the words of the manual
    gap : what a message adds to "nodes 1 and 2 are 0.1 m apart" where they do not stand so
    origin : d is counted from node i, from the foot of node j on the axis, or from node j as built
    """

    COINCIDENT = "nodes coincide", "", "node i"
    ON_AXIS = "j on the axis", " across the axis", "foot on the axis"
    IN_PLANE = "j in the plane", " along the normal of the plane", "node i"
    APART = "apart", "", "node i"
    ANYWHERE = "anywhere", "", "node i"
    AS_BUILT = "anywhere", "", "node j"

    def __init__(self, manual: str, gap: str, origin: Literal["node i", "foot on the axis", "node j"]) -> None:
        self.manual = manual
        self.gap = gap
        self.origin = origin

    @property
    def keeps_offset(self) -> bool:
        """Whether d·a stays what it is as built, not 0."""
        return self in (Start.APART, Start.ANYWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointType:
    """One type of joint.

    kind : its name in the keyword
    meaning : one line for the deck reference
    rows : what is held, besides the relation between the coordinates of a screw
    holds, free : what is held and what is left, in the words of the manual
    start : how the nodes must stand at t = 0
    angle, slide : the coordinates that are measured
    uses_axis, second_axis, pitch, length : what of the card is used
    forces : coordinates that springs, stops and friction can act along
    also_called : names that it has elsewhere
    """

    kind: str
    meaning: str
    rows: tuple[Row, ...]
    holds: str
    free: str
    start: Start
    angle: Angle = Angle.NO_ANGLE
    slide: Slide = Slide.NO_SLIDE
    uses_axis: bool = True
    second_axis: SecondAxis = SecondAxis.NONE
    pitch: bool = False
    length: bool = False
    forces: tuple[Coordinate, ...] = ()
    also_called: tuple[str, ...] = ()

    @property
    def has_second_axis(self) -> bool:
        return self.second_axis is not SecondAxis.NONE

    @property
    def row_count(self) -> int:
        """Rows, that of a pitch included."""
        return len(self.rows) + self.pitch

    @property
    def force_fields(self) -> dict[Coordinate, str]:
        """Coordinates that forces can act along, and the end of the names of their fields."""
        return {coordinate: "" if k == 0 else f"_{coordinate[:3]}" for k, coordinate in enumerate(self.forces)}

    @property
    def at_start(self) -> str:
        """What must fit at t = 0, in the words of the manual."""
        if self.second_axis is not SecondAxis.PERPENDICULAR:
            return self.start.manual
        return "a·b = 0" if self.start is Start.ANYWHERE else f"{self.start.manual}, a·b = 0"


_ALL = (
    JointType(
        kind="SPHERICAL",
        meaning="ball joint: a point in common, free to turn",
        rows=POINT,
        holds="d = 0",
        free="three rotations",
        start=Start.COINCIDENT,
        uses_axis=False,
        also_called=("BALL", "SPHERE", "GLOBE"),
    ),
    JointType(
        kind="REVOLUTE",
        meaning="hinge: a point and an axis in common; turns about the axis",
        rows=(*POINT, *TILT),
        holds="d = 0; the axis a of both bodies stays parallel",
        free="angle about a",
        start=Start.COINCIDENT,
        angle=Angle.TWIST,
        forces=("rotation",),
        also_called=("HINGE", "PIN", "BEARING", "ROTATIONAL", "ROTARY"),
    ),
    JointType(
        kind="UNIVERSAL",
        meaning="universal joint: a point in common, the axes of i and j stay perpendicular",
        rows=(*POINT, Row.CROSSED),
        holds="d = 0; a·b = 0",
        free="angle about a, angle about b",
        start=Start.COINCIDENT,
        angle=Angle.ABOUT_CROSS,
        slide=Slide.SECOND_ANGLE,
        second_axis=SecondAxis.PERPENDICULAR,
        also_called=("CARDAN", "HOOKE"),
    ),
    JointType(
        kind="CYLINDRICAL",
        meaning="axis in common: turns about it and slides along it",
        rows=(Row.ACROSS_S, Row.ACROSS_T, *TILT),
        holds="d·s = d·t = 0; axes parallel",
        free="angle, slide",
        start=Start.ON_AXIS,
        angle=Angle.TWIST,
        slide=Slide.TRAVEL,
        forces=("rotation", "translation"),
    ),
    JointType(
        kind="TRANSLATIONAL",
        meaning="slider: slides along the axis without turning",
        rows=(Row.ACROSS_S, Row.ACROSS_T, *TURN),
        holds="d·s = d·t = 0; no relative rotation",
        free="slide along a",
        start=Start.ON_AXIS,
        slide=Slide.TRAVEL,
        forces=("translation",),
        also_called=("SLIDER", "PRISMATIC", "SLIDE", "GUIDE", "RAIL"),
    ),
    JointType(
        kind="SCREW",
        meaning="screw: turns about the axis and advances along it by the pitch a turn",
        rows=(Row.ACROSS_S, Row.ACROSS_T, *TILT),
        holds="as CYLINDRICAL, and slide = pitch/2π · angle",
        free="one of the two",
        start=Start.ON_AXIS,
        angle=Angle.TWIST,
        slide=Slide.TRAVEL,
        pitch=True,
        forces=("rotation",),
        also_called=("HELICAL", "NUT"),
    ),
    JointType(
        kind="FIXED",
        meaning="weld: no relative motion, in the positions as built",
        rows=(*POINT, *TURN),
        holds="no relative motion",
        free="none",
        start=Start.AS_BUILT,
        uses_axis=False,
        also_called=("WELD", "RIGID", "LOCK"),
    ),
    JointType(
        kind="PLANAR",
        meaning="plane joint: j stays in the plane across the axis and turns about the axis only",
        rows=(Row.ALONG, *TILT),
        holds="d·a constant: j stays in its plane; axes parallel",
        free="two slides, angle about a",
        start=Start.ANYWHERE,
        angle=Angle.TWIST,
    ),
    JointType(
        kind="DISTANCE",
        meaning="rod: a constant distance between the nodes",
        rows=(Row.LENGTH,),
        holds="length of d constant",
        free="all but one",
        start=Start.APART,
        slide=Slide.DISTANCE,
        uses_axis=False,
        length=True,
        also_called=("ROD", "LINK", "BAR", "ROPE"),
    ),
    JointType(
        kind="STRUT",
        meaning="point on a line: j slides along the axis of i and is free to turn",
        rows=(Row.ACROSS_S, Row.ACROSS_T),
        holds="d·s = d·t = 0: j on the line through i along a",
        free="slide, three rotations",
        start=Start.ON_AXIS,
        slide=Slide.TRAVEL,
        forces=("translation",),
        also_called=("INLINE", "SLOT", "POINT_ON_LINE"),
    ),
    JointType(
        kind="REV_SPH",
        meaning="link with a hinge on i, about the axis, and a ball on j: a constant distance across the axis",
        rows=(Row.ALONG, Row.LENGTH),
        holds="d·a and length of d constant: a link with a hinge on i and a ball on j",
        free="turn about a, three rotations",
        start=Start.APART,
        slide=Slide.DISTANCE,
        length=True,
    ),
    JointType(
        kind="REV_CYL",
        meaning="link with a hinge on i, about its axis, and a cylindrical joint on j, along its axis",
        rows=(Row.CROSSED, Row.GAP, Row.FOOT),
        holds="a·b, d·(a×b) and the foot of the common normal of the axes along a, as built: a link with a hinge on i "
        "and a cylindrical joint on j",
        free="turn about a; spin about b and slide along b",
        start=Start.ANYWHERE,
        angle=Angle.ABOUT_CROSS,
        second_axis=SecondAxis.AS_BUILT,
    ),
    JointType(
        kind="PARALLEL",
        meaning="the axis of j stays parallel to that of i",
        rows=TILT,
        holds="axis a of both bodies stays parallel",
        free="three slides, angle about a",
        start=Start.ANYWHERE,
        angle=Angle.TWIST,
    ),
    JointType(
        kind="PERPENDICULAR",
        meaning="the axes of i and j stay perpendicular",
        rows=(Row.CROSSED,),
        holds="a·b = 0",
        free="all but one",
        start=Start.ANYWHERE,
        second_axis=SecondAxis.PERPENDICULAR,
    ),
    JointType(
        kind="POINT_PLANE",
        meaning="point on a plane: j stays in the plane through i across the axis of i and is free to turn",
        rows=(Row.ALONG,),
        holds="d·a = 0: j in the plane through i with normal a",
        free="two slides, three rotations",
        start=Start.IN_PLANE,
        also_called=("INPLANE", "POINT_ON_PLANE"),
    ),
)
JOINT_TYPES = {joint_type.kind: joint_type for joint_type in _ALL}
ALSO_CALLED = {name: joint_type.kind for joint_type in _ALL for name in joint_type.also_called}
