"""The types of /JOINT, and which of the fields of the card each of them uses."""

from __future__ import annotations

from ..model import JointKind

KINDS: dict[JointKind, str] = {
    "SPHERICAL": "ball joint: a point in common, free to turn",
    "REVOLUTE": "hinge: a point and an axis in common; turns about the axis",
    "UNIVERSAL": "universal joint: a point in common, the axes of i and j stay perpendicular",
    "CYLINDRICAL": "axis in common: turns about it and slides along it",
    "TRANSLATIONAL": "slider: slides along the axis without turning",
    "SCREW": "screw: turns about the axis and advances along it by the pitch a turn",
    "FIXED": "weld: no relative motion, in the positions as built",
    "PLANAR": "plane joint: j stays in the plane across the axis and turns about the axis only",
    "DISTANCE": "rod: a constant distance between the nodes",
    "STRUT": "point on a line: j slides along the axis of i and is free to turn",
    "REV_SPH": "link with a hinge on i, about the axis, and a ball on j: a constant distance across the axis",
    "REV_CYL": "link with a hinge on i, about its axis, and a cylindrical joint on j, along its axis",
    "PARALLEL": "the axis of j stays parallel to that of i",
    "PERPENDICULAR": "the axes of i and j stay perpendicular",
}
WITH_SECOND_AXIS = ("UNIVERSAL", "PERPENDICULAR", "REV_CYL")
WITH_LENGTH = ("DISTANCE", "REV_SPH")
# The coordinates that springs, stops and friction act along: their names, and the end of the names of their fields.
ROTATION, TRANSLATION = "rotation", "translation"
COORDINATES: dict[JointKind, dict[str, str]] = {
    "REVOLUTE": {ROTATION: ""},
    "SCREW": {ROTATION: ""},
    "TRANSLATIONAL": {TRANSLATION: ""},
    "STRUT": {TRANSLATION: ""},
    "CYLINDRICAL": {ROTATION: "", TRANSLATION: "_tra"},
}
# Names that joints have elsewhere.
ALSO_CALLED: dict[str, JointKind] = {
    **dict.fromkeys(("BALL", "SPHERE", "GLOBE"), "SPHERICAL"),
    **dict.fromkeys(("HINGE", "PIN", "BEARING", "ROTATIONAL", "ROTARY"), "REVOLUTE"),
    **dict.fromkeys(("CARDAN", "HOOKE"), "UNIVERSAL"),
    **dict.fromkeys(("SLIDER", "PRISMATIC", "SLIDE", "GUIDE", "RAIL"), "TRANSLATIONAL"),
    **dict.fromkeys(("HELICAL", "NUT"), "SCREW"),
    **dict.fromkeys(("WELD", "RIGID", "LOCK"), "FIXED"),
    **dict.fromkeys(("ROD", "LINK", "BAR", "ROPE"), "DISTANCE"),
    **dict.fromkeys(("INLINE", "SLOT", "POINT_ON_LINE"), "STRUT"),
}
