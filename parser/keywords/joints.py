"""/JOINT and /CYL_JOINT: kinematic pairs."""

from __future__ import annotations

import math

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import BLANK, Card, Field, Keyword, Stage, Values, blank_or_real, card, integer, real, vector
from ..cards.unresolved import AxisNodes
from ..model import Joint, JointForce
from ..model.joint_types import JOINT_TYPES, JointType
from ..text.units import (
    DAMPING,
    FORCE,
    LENGTH,
    MOMENT,
    NUMBER,
    RATE,
    ROTATIONAL_DAMPING,
    STIFFNESS,
    VELOCITY,
    Dimension,
)
from .joint_checks import FIRST_AXIS, SECOND_AXIS, are_one_point, check_unused, joint_checks, read_axes, type_of


def build_joint(block: Block, values: Values, context: Context) -> None:
    """/JOINT: nodes, axes, pitch or length, and what acts along the coordinates."""
    joint_type = type_of(block)
    axes = read_axes(block, values, context)
    assert axes is not None
    assert block.id is not None
    forces = {
        coordinate: _joint_force(values, suffix, rotational=coordinate == "rotation")
        for coordinate, suffix in joint_type.force_fields.items()
    }
    length = values["length"]
    context.model.joints.append(
        Joint(
            block.id,
            block.title,
            block,
            joint_type.kind,
            values["node_i"],
            values["node_j"],
            *axes,
            pitch=values["pitch"] if joint_type.pitch else 0.0,
            length=length if joint_type.length and not math.isnan(length) else None,
            rotation=forces.get("rotation"),
            translation=forces.get("translation"),
        )
    )


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
        context.report(block.diagnose("doubt", message, field="grnd_ID"))
    assert block.id is not None
    context.unresolved.axis_nodes.append(AxisNodes(block, first, second))
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


def _joint_keyword(joint_type: JointType) -> Keyword:
    kind, unused = joint_type.kind, "not used"
    second = "axis on node_j" if joint_type.has_second_axis else "second axis (not used)"
    cards = [
        card(
            integer("node_i", 1, "first node; 0 = ground", reference="node"),
            integer("node_j", 11, "second node; 0 = ground", reference="node"),
            integer("skew_ID", 21, "axes in which the axes are given", reference="skew"),
        ),
        card(
            vector(FIRST_AXIS, 1, "axis on node_i (all blank means z)", default=BLANK, zero_is_blank=False),
            optional=True,
        ),
        card(
            vector(SECOND_AXIS, 1, second, default=BLANK, zero_is_blank=False),
            real("pitch", 61, "advance per turn" if joint_type.pitch else unused, LENGTH),
            blank_or_real("length", 81, "distance; blank: as built" if joint_type.length else unused, LENGTH),
            optional=not (joint_type.has_second_axis or joint_type.pitch),
        ),
    ]
    for coordinate, suffix in joint_type.force_fields.items():
        cards.extend(_force_cards(suffix, rotational=coordinate == "rotation"))
    return Keyword(
        (f"JOINT/{kind}",),
        joint_type.meaning,
        build_joint,
        Stage.OBJECTS,
        cards=tuple(cards),
        identity="JOINT",
        notes=_notes(joint_type),
        no_more="" if joint_type.forces else _no_coordinate(kind),
        shape=check_unused,
        checks=joint_checks(joint_type),
    )


def _no_coordinate(kind: str) -> str:
    *others, last = (joint_type.kind for joint_type in JOINT_TYPES.values() if joint_type.forces)
    return (
        f"a {kind} has no coordinate for springs, stops and friction to act along: {', '.join(others)} and {last} have"
    )


def _notes(joint_type: JointType) -> str:
    notes = []
    if joint_type.forces:
        notes.append(
            "Angle and slide are of node_j relative to node_i, about and along the axis, 0 as the deck has the nodes."
        )
    if len(joint_type.forces) == 2:
        notes.append("Cards 5 to 7 act about the axis, cards 8 to 10 along it.")
    elif joint_type.forces:
        notes.append(f"Cards 5 to 7 act {'about' if joint_type.forces[0] == 'rotation' else 'along'} the axis.")
    if joint_type.has_second_axis:
        notes.append("The second axis has no default.")
    return " ".join(notes)


KEYWORDS = [
    *(_joint_keyword(joint_type) for joint_type in JOINT_TYPES.values()),
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
