"""/JOINT and /CYL_JOINT: kinematic pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .axes import are_parallel, is_blank, read_axis
from .gathered import AxisNodes
from .layout import (
    BLANK,
    DAMPING,
    FORCE,
    LENGTH,
    MOMENT,
    NUMBER,
    RATE,
    ROTATIONAL_DAMPING,
    STIFFNESS,
    VELOCITY,
    Card,
    Dimension,
    Field,
    Keyword,
    Stage,
    Values,
    blank_or_real,
    card,
    integer,
    real,
    vector,
)
from .model import Floats, Joint, JointForce, JointKind

if TYPE_CHECKING:
    from .block import Block
    from .context import Context

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
_WITH_SECOND_AXIS = ("UNIVERSAL", "PERPENDICULAR", "REV_CYL")
_WITH_LENGTH = ("DISTANCE", "REV_SPH")
# The coordinates that springs, stops and friction act along: their names, and the end of the names of their fields.
_ROTATION, _TRANSLATION = "rotation", "translation"
COORDINATES: dict[JointKind, dict[str, str]] = {
    "REVOLUTE": {_ROTATION: ""},
    "SCREW": {_ROTATION: ""},
    "TRANSLATIONAL": {_TRANSLATION: ""},
    "STRUT": {_TRANSLATION: ""},
    "CYLINDRICAL": {_ROTATION: "", _TRANSLATION: "_tra"},
}
_FIRST_AXIS = ("ax", "ay", "az")
_SECOND_AXIS = ("bx", "by", "bz")
_SAME_POINT = 1e-12


def build_joint(block: Block, values: Values, context: Context) -> None:
    """/JOINT: nodes, axes, pitch or length, and what acts along the coordinates."""
    kind: JointKind = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    _warn_unused(block, values, context, kind)
    good = check_pair(block, values, context, "node_i", "node_j")
    axes = _read_axes(block, values, context, kind)
    if kind == "SCREW" and values["pitch"] == 0.0:
        allowed = "the advance per turn; negative for a left-handed screw"
        context.report(block.diagnose("error", "the pitch of a SCREW must not be 0", field="pitch", allowed=allowed))
        good = False
    good &= kind not in _WITH_LENGTH or _check_length(block, values, context, kind)
    for coordinate, suffix in COORDINATES.get(kind, {}).items():
        good &= _check_force(block, values, context, suffix, rotational=coordinate == _ROTATION)
    if axes is None or not good:
        return
    forces = {
        coordinate: _joint_force(values, suffix, rotational=coordinate == _ROTATION)
        for coordinate, suffix in COORDINATES.get(kind, {}).items()
    }
    assert block.id is not None
    context.model.joints.append(
        Joint(
            block.id,
            block.title,
            block,
            kind,
            values["node_i"],
            values["node_j"],
            *axes,
            pitch=values["pitch"] if kind == "SCREW" else 0.0,
            length=values["length"] if kind in _WITH_LENGTH and not math.isnan(values["length"]) else None,
            rotation=forces.get(_ROTATION),
            translation=forces.get(_TRANSLATION),
        )
    )


def check_pair(block: Block, values: Values, context: Context, first: str, second: str) -> bool:
    """Whether two fields name different nodes, not both the ground."""
    if values[first] != values[second]:
        return True
    same = "0, the ground" if values[first] < 0 else f"node {context.model.nodes.ids[values[first]]}"
    message = f"{first} and {second} are both {same}: nothing can move between them"
    allowed = "different nodes, one of them 0 for the ground if need be"
    context.report(block.diagnose("error", message, field=second, allowed=allowed))
    return False


def are_one_point(context: Context, first: int, second: int) -> bool:
    """Whether two node rows are at one point at t = 0; the point on the ground is that of the other node."""
    if first < 0 or second < 0:
        return True
    points = context.model.nodes.coordinates[[first, second]]
    return bool(np.abs(points[1] - points[0]).max() <= _SAME_POINT * np.abs(points).max())


def _warn_unused(block: Block, values: Values, context: Context, kind: JointKind) -> None:
    """Fields that have no meaning for the type."""
    unused = [("pitch", "pitch")] if kind != "SCREW" else []
    unused += [("length", "length")] if kind not in _WITH_LENGTH else []
    unused += [(name, "the second axis") for name in _SECOND_AXIS] if kind not in _WITH_SECOND_AXIS else []
    said = set()
    for field, what in unused:
        if values[field] and not math.isnan(values[field]) and what not in said:
            message = f"{what} is not used by a {kind} and is ignored"
            context.report(block.diagnose("warning", message, field=field))
            said.add(what)


def _read_axes(block: Block, values: Values, context: Context, kind: JointKind) -> tuple[Floats, Floats] | None:
    """Axes on node i and on node j; None after an error."""
    skew_id = values["skew_ID"]
    default = f"the z axis of skew {skew_id}" if skew_id else "the global z axis"
    first = read_axis(block, values, context, _FIRST_AXIS, "node_i", skew_id=skew_id, default=default)
    if kind not in _WITH_SECOND_AXIS:
        return None if first is None else (first, first.copy())
    second = read_axis(block, values, context, _SECOND_AXIS, "node_j", skew_id=skew_id)
    if first is None or second is None:
        return None
    if are_parallel(first, second):
        message = f"the axes of node_i and node_j of a {kind} must not be parallel"
        hint = "the axis of node_i is the z axis, because ax, ay, az are blank" if is_blank(values, _FIRST_AXIS) else ""
        allowed = "two perpendicular axes" if kind != "REV_CYL" else "two axes that cross at an angle"
        context.report(block.diagnose("error", message, field="bx", allowed=allowed, hint=hint))
        return None
    return first, second


def _check_length(block: Block, values: Values, context: Context, kind: JointKind) -> bool:
    """Whether a DISTANCE or REV_SPH has a length to keep."""
    length = values["length"]
    allowed = "a positive number, or blank for the distance as built"
    if length <= 0.0:
        message = f"the length of a {kind} must be more than 0"
        context.report(block.diagnose("error", message, field="length", allowed=allowed))
        return False
    if not are_one_point(context, values["node_i"], values["node_j"]):
        return True
    ground = next((field for field in ("node_i", "node_j") if values[field] < 0), "")
    if ground:
        message = f"a {kind} cannot end on the ground: its point there would be the other node itself"
        hint = "use a node held by /BCS at the point on the ground"
        context.report(block.diagnose("error", message, field=ground, hint=hint))
        return False
    if math.isnan(length):
        first, second = (context.model.nodes.ids[values[field]] for field in ("node_i", "node_j"))
        message = f"nodes {first} and {second} stand at the same point: there is no length as built"
        context.report(block.diagnose("error", message, field="length", allowed="a positive number"))
        return False
    return True


def _check_force(block: Block, values: Values, context: Context, suffix: str, *, rotational: bool) -> bool:
    """Whether springs, stops and friction along one coordinate are complete."""
    limits = [name for name in ("lower", "upper") if math.isfinite(values[name + suffix])]
    faults = []
    if values["lower" + suffix] >= values["upper" + suffix]:
        allowed = f"more than lower, {values['lower' + suffix]:g}"
        faults.append(("upper", "upper must be more than lower", allowed))
    if limits and not values["stop_stiffness" + suffix]:
        message = f"{' and '.join(limits)} cannot stop anything without a stop_stiffness"
        faults.append(("stop_stiffness", message, "a positive number"))
    if not values["slip_velocity" + suffix]:
        given = [name for name in ("friction_force", "friction_coeff") if values[name + suffix]]
        if given:
            need = "needs" if len(given) == 1 else "need"
            message = f"{' and '.join(given)} {need} a slip_velocity, at which friction is fully developed"
            faults.append(("slip_velocity", message, "a positive number"))
    if rotational and values["friction_coeff" + suffix] and not values["radius" + suffix]:
        message = "friction_coeff needs the radius at which the bearing force rubs"
        faults.append(("radius", message, "a positive number"))
    for field, message, allowed in faults:
        context.report(block.diagnose("error", message, field=field + suffix, allowed=allowed))
    _warn_idle(block, values, context, suffix, limits, rotational=rotational)
    return not faults


def _warn_idle(
    block: Block, values: Values, context: Context, suffix: str, limits: list[str], *, rotational: bool
) -> None:
    """Values that nothing else on the cards makes use of."""
    rubs = values["friction_force" + suffix] or values["friction_coeff" + suffix]
    for field, used, reason in (
        ("free_value", values["stiffness" + suffix], "without a stiffness"),
        ("stop_stiffness", limits, "without lower or upper"),
        ("stop_damping", limits, "without lower or upper"),
        ("radius", rotational and values["friction_coeff" + suffix], _no_radius(rotational)),
        ("slip_velocity", rubs, "without friction"),
    ):
        if values[field + suffix] and not used:
            context.report(block.diagnose("warning", f"{field} has no effect {reason}", field=field + suffix))


def _no_radius(rotational: bool) -> str:
    return "without a friction_coeff" if rotational else "on a translation"


def _joint_force(values: Values, suffix: str, *, rotational: bool) -> JointForce | None:
    """What acts along one coordinate; None if nothing does."""

    def value(name: str) -> float:
        return values[name + suffix]  # type: ignore[no-any-return]

    acting = ("stiffness", "damping", "preload", "friction_force", "friction_coeff")
    stops = math.isfinite(value("lower")) or math.isfinite(value("upper"))
    if not stops and not any(value(name) for name in acting):
        return None
    return JointForce(
        stiffness=value("stiffness"),
        damping=value("damping"),
        free_value=value("free_value"),
        preload=value("preload"),
        lower=value("lower"),
        upper=value("upper"),
        stop_stiffness=value("stop_stiffness"),
        stop_damping=value("stop_damping"),
        friction_force=value("friction_force"),
        friction_coefficient=value("friction_coeff"),
        radius=value("radius") if rotational else 1.0,
        slip_velocity=value("slip_velocity"),
    )


def build_cylindrical_joint(block: Block, values: Values, context: Context) -> None:
    """/CYL_JOINT: every node of the group turns about and slides along the line N1-N2.

    Each of them makes one CYLINDRICAL joint with N1, whose axis is fixed to N1; so N1 and N2 must move as one body,
    which `parser.checks` looks at when all bodies are known.
    """
    first, second = values["node_ID1"], values["node_ID2"]
    if are_one_point(context, first, second):
        ids = context.model.nodes.ids
        message = f"nodes {ids[first]} and {ids[second]} stand at the same point and give no axis"
        if first == second:
            message = f"node {ids[first]} is both node_ID1 and node_ID2, which gives no axis"
        context.report(block.diagnose("error", message, field="node_ID2", allowed="two nodes on the axis"))
        return
    points = context.model.nodes.coordinates
    axis = points[second] - points[first]
    axis = axis / np.linalg.norm(axis)
    others = [node for node in values["grnd_ID"].tolist() if node not in (first, second)]
    if not others:
        message = "the group holds no node besides node_ID1 and node_ID2, so nothing is joined"
        context.report(block.diagnose("warning", message, field="grnd_ID"))
    assert block.id is not None
    context.gathered.axis_nodes.append(AxisNodes(block, first, second))
    context.model.joints.extend(
        Joint(block.id, block.title, block, "CYLINDRICAL", first, node, axis, axis.copy()) for node in others
    )


def _force_cards(suffix: str, *, rotational: bool) -> tuple[Card, ...]:
    """The three cards of what acts along one coordinate."""
    path, speed = (NUMBER, RATE) if rotational else (LENGTH, VELOCITY)
    force, stiffness, damping = (MOMENT, MOMENT, ROTATIONAL_DAMPING) if rotational else (FORCE, STIFFNESS, DAMPING)
    what = "angle" if rotational else "slide"
    effort = "moment" if rotational else "force"
    radius = "radius at which the bearing force rubs" if rotational else "no effect on a translation"

    def positive(name: str, first: int, meaning: str, dimension: Dimension) -> Field:
        return real(name + suffix, first, meaning, dimension, minimum=0.0)

    return (
        card(
            positive("stiffness", 1, f"stiffness over the {what}", stiffness),
            positive("damping", 21, f"damping over the rate of the {what}", damping),
            real("free_value" + suffix, 41, f"{what} at which the spring is free", path),
            real("preload" + suffix, 61, f"constant {effort} on node_j", force),
            optional=True,
        ),
        card(
            blank_or_real("lower" + suffix, 1, f"least {what}", path, default=-math.inf),
            blank_or_real("upper" + suffix, 21, f"greatest {what}", path, default=math.inf),
            positive("stop_stiffness", 41, "stiffness of the stops", stiffness),
            positive("stop_damping", 61, "damping of the stops", damping),
            optional=True,
        ),
        card(
            positive("friction_force", 1, f"friction {effort} that is always there", force),
            positive("friction_coeff", 21, "friction coefficient of the bearing force", NUMBER),
            positive("radius", 41, radius, LENGTH),
            positive("slip_velocity", 61, f"rate of the {what} at which friction is fully developed", speed),
            optional=True,
        ),
    )


def _joint_keyword(kind: JointKind, meaning: str) -> Keyword:
    coordinates = COORDINATES.get(kind, {})
    unused = "not used"
    second = "axis on node_j" if kind in _WITH_SECOND_AXIS else "second axis (not used)"
    cards = [
        card(
            integer("node_i", 1, "first node; 0 = ground", reference="node"),
            integer("node_j", 11, "second node; 0 = ground", reference="node"),
            integer("skew_ID", 21, "axes in which the axes are given", reference="skew"),
        ),
        card(
            vector(_FIRST_AXIS, 1, "axis on node_i (all blank means z)", default=BLANK, zero_is_blank=False),
            optional=True,
        ),
        card(
            vector(_SECOND_AXIS, 1, second, default=BLANK, zero_is_blank=False),
            real("pitch", 61, "advance per turn" if kind == "SCREW" else unused, LENGTH),
            blank_or_real("length", 81, "distance; blank: as built" if kind in _WITH_LENGTH else unused, LENGTH),
            optional=kind not in _WITH_SECOND_AXIS and kind != "SCREW",
        ),
    ]
    for coordinate, suffix in coordinates.items():
        cards.extend(_force_cards(suffix, rotational=coordinate == _ROTATION))
    return Keyword(
        (f"JOINT/{kind}",),
        meaning,
        build_joint,
        Stage.OBJECTS,
        cards=tuple(cards),
        identity="JOINT",
        notes=_notes(kind, tuple(coordinates)),
        no_more="" if coordinates else _NO_COORDINATE.format(kind),
    )


_NO_COORDINATE = (
    "a {} has no coordinate for springs, stops and friction to act along: "
    "REVOLUTE, SCREW, CYLINDRICAL, TRANSLATIONAL and STRUT have"
)


def _notes(kind: JointKind, coordinates: tuple[str, ...]) -> str:
    notes = []
    if coordinates:
        notes.append("Angle and slide are those of node_j relative to node_i, about and along the axis, 0 at t = 0.")
    if len(coordinates) == 2:
        notes.append("Cards 5 to 7 act about the axis, cards 8 to 10 along it.")
    elif coordinates:
        notes.append(f"Cards 5 to 7 act {'about' if coordinates[0] == _ROTATION else 'along'} the axis.")
    if kind in _WITH_SECOND_AXIS:
        notes.append("The second axis has no default.")
    return " ".join(notes)


KEYWORDS = [
    *(_joint_keyword(kind, meaning) for kind, meaning in KINDS.items()),
    Keyword(
        ("CYL_JOINT",),
        "nodes that turn about and slide along the line through two nodes of a body",
        build_cylindrical_joint,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID1", 1, "first node on the axis", reference="node", required=True),
                integer("node_ID2", 11, "second node on the axis", reference="node", required=True),
                integer("grnd_ID", 21, "group of nodes held by the axis", reference="group", required=True),
            ),
        ),
        identity="JOINT",
        notes=(
            "Every node of the group other than the first two makes one /JOINT/CYLINDRICAL with node_ID1. "
            "The first two must be of one rigid body, or both held by /BCS."
        ),
    ),
]
