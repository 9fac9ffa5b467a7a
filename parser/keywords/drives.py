"""/DRIVE and /COUPLER: coordinates that follow a function of time, or each other."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import BLANK, Card, Keyword, Stage, Values, blank_or_real, card, integer, real, vector
from ..model import Coupler, Drive
from ..text.units import ACCELERATION, ANGULAR_ACCELERATION, LENGTH, NUMBER, RATE, TIME, VELOCITY, Dimension
from .axes import AxisNames, read_axis
from .common_checks import check_times
from .joint_checks import are_one_point, check_pair

_AXIS: AxisNames = ("ax", "ay", "az")
_OTHER_AXIS: AxisNames = ("bx", "by", "bz")
# Dimension of the coordinate, its rate and its acceleration.
_LINEAR: tuple[Dimension, ...] = (LENGTH, VELOCITY, ACCELERATION)
_ANGULAR: tuple[Dimension, ...] = (NUMBER, RATE, ANGULAR_ACCELERATION)
_PER_LENGTH: Dimension = (0, -1, 0)


def build_drive(block: Block, values: Values, context: Context) -> None:
    """/DRIVE: the nodes, the function and the times between which it holds, the axis."""
    kind: Literal["DIST", "TRA", "ROT"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    axis = np.array([0.0, 0.0, 1.0]) if kind == "DIST" else read_axis(block, values, context, _AXIS, "the drive")
    assert axis is not None
    assert block.id is not None
    context.model.drives.append(
        Drive(
            block.id,
            block.title,
            block,
            kind,
            values["node_i"],
            values["node_j"],
            values["fct_ID"],
            values["sens_ID"],
            values["Ilevel"],
            values["Iref"] == 1,
            values["Ascale_x"],
            values["Fscale_y"] * context.unit_factor(block, (_ANGULAR if kind == "ROT" else _LINEAR)[values["Ilevel"]]),
            values["Tstart"],
            values["Tstop"],
            axis,
        )
    )


def _check_nodes(block: Block, values: Values, context: Context) -> bool:
    return check_pair(block, values, context, "node_i", "node_j")


def _check_reference(block: Block, values: Values, context: Context) -> bool:
    """Whether only a position asks for its initial value."""
    if not (values["Iref"] and values["Ilevel"]):
        return True
    message = f"Iref has no meaning at level {values['Ilevel']}: a velocity or acceleration has no initial value"
    context.report(block.diagnose("error", message, field="Iref", allowed="0, or Ilevel 0"))
    return False


def _check_axis(block: Block, values: Values, context: Context) -> bool:
    return read_axis(block, values, context, _AXIS, "the drive") is not None


def _check_distance(block: Block, values: Values, context: Context) -> bool:
    """Whether a drive of a distance has one to begin with; one that sets in later is looked at when it does."""
    if any(values[name] and not math.isnan(values[name]) for name in _AXIS):
        message = "the axis is not used by a DIST and is ignored"
        context.report(block.diagnose("doubt", message, field="ax"))
    later = values["sens_ID"] or values["Tstart"] > 0.0
    if later or values["node_i"] == values["node_j"] or not are_one_point(context, values["node_i"], values["node_j"]):
        return True
    if values["node_i"] < 0 or values["node_j"] < 0:
        field = "node_i" if values["node_i"] < 0 else "node_j"
        message = "a distance cannot be driven from the ground: its point there would be the other node itself"
        hint = "use a node held by /BCS at the point on the ground"
    else:
        field = "node_j"
        first, second = (context.model.nodes.ids[values[name]] for name in ("node_i", "node_j"))
        message = f"nodes {first} and {second} stand at the same point: their distance has no direction"
        hint = ""
    context.report(block.diagnose("error", message, field=field, hint=hint))
    return False


def build_coupler(block: Block, values: Values, context: Context) -> None:
    """/COUPLER/R2T and R2R: two nodes with their supports and axes, and the ratio."""
    kind: Literal["R2T", "R2R"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    node_a, support_a, node_b, support_b = _coupler_nodes(block)
    axis_a = read_axis(block, values, context, _AXIS, node_a)
    axis_b = read_axis(block, values, context, _OTHER_AXIS, node_b)
    assert axis_a is not None and axis_b is not None
    assert block.id is not None
    context.model.couplers.append(
        Coupler(
            block.id,
            block.title,
            block,
            kind,
            values[node_a],
            values[support_a],
            values[node_b],
            values[support_b],
            values["ratio"],
            axis_a,
            axis_b,
        )
    )


def _coupler_nodes(block: Block) -> list[str]:
    """The fields of node a, its support, node b, its support."""
    return [field.name for field in block.declaration.cards[0].fields]


def _check_first_side(block: Block, values: Values, context: Context) -> bool:
    return check_pair(block, values, context, *_coupler_nodes(block)[:2])


def _check_second_side(block: Block, values: Values, context: Context) -> bool:
    return check_pair(block, values, context, *_coupler_nodes(block)[2:])


def _check_first_axis(block: Block, values: Values, context: Context) -> bool:
    return read_axis(block, values, context, _AXIS, _coupler_nodes(block)[0]) is not None


def _check_second_axis(block: Block, values: Values, context: Context) -> bool:
    return read_axis(block, values, context, _OTHER_AXIS, _coupler_nodes(block)[2]) is not None


def _axis_card(names: AxisNames, meaning: str, *, optional: bool = False) -> Card:
    return card(vector(names, 1, meaning, default=BLANK, zero_is_blank=False), optional=optional)


def _drive_keyword(kind: str, meaning: str, notes: str) -> Keyword:
    distance = kind == "DIST"
    return Keyword(
        (f"DRIVE/{kind}",),
        meaning,
        build_drive,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_i", 1, "first node; 0 = ground", reference="node"),
                integer("node_j", 11, "second node; 0 = ground", reference="node"),
                integer("fct_ID", 21, "function of time", reference="function", required=True),
                integer("sens_ID", 31, "sensor that switches the drive", reference="sensor"),
                integer(
                    "Ilevel", 41, "what the function is: 0 position, 1 velocity, 2 acceleration", choices=(0, 1, 2)
                ),
                integer("Iref", 51, "level 0: 0 = added to the initial value, 1 = the value itself", choices=(0, 1)),
            ),
            card(
                real("Ascale_x", 1, "scale of the abscissa", TIME, default=1.0, minimum=0.0),
                blank_or_real("Fscale_y", 21, "scale of the ordinate, in units of the coordinate", default=1.0),
                real("Tstart", 41, "start time", TIME),
                real("Tstop", 61, "stop time, after which the coordinate is free", TIME, default=math.inf),
                optional=distance,
            ),
            _axis_card(_AXIS, "axis (not used)" if distance else "axis on node_i", optional=distance),
        ),
        identity="DRIVE",
        notes=(
            f"{notes} It follows Fscale_y f(t / Ascale_x) from Tstart to Tstop; with a sensor, t counts from when it "
            f"switches on.{'' if distance else ' The axis is that at t = 0, in global components.'}"
        ),
        checks=(_check_nodes, _check_reference, check_times, _check_distance if distance else _check_axis),
    )


def _coupler_keyword(
    kind: str, meaning: str, names: tuple[str, str, str, str], what: tuple[str, str, str, str], ratio: str
) -> Keyword:
    unit = _PER_LENGTH if kind == "R2T" else NUMBER
    return Keyword(
        (f"COUPLER/{kind}",),
        meaning,
        build_coupler,
        Stage.OBJECTS,
        cards=(
            card(
                *(
                    integer(name, 1 + 10 * k, f"{text}; 0 = ground", reference="node")
                    for k, (name, text) in enumerate(zip(names, what, strict=True))
                )
            ),
            card(real("ratio", 1, ratio, unit, required=True)),
            _axis_card(_AXIS, f"axis of {names[0]}, fixed in its support"),
            _axis_card(_OTHER_AXIS, f"axis of {names[2]}, fixed in its support"),
        ),
        identity="COUPLER",
        notes="Axes are those at t = 0, in global components.",
        checks=(_check_first_side, _check_second_side, _check_first_axis, _check_second_axis),
    )


KEYWORDS = [
    _drive_keyword(
        "DIST",
        "drive of the distance between two nodes",
        "The coordinate is the distance, its rate that of the distance.",
    ),
    _drive_keyword(
        "TRA",
        "drive of the displacement of one node from another along an axis",
        "The coordinate is the distance of node_j from node_i along the axis, which turns with node_i.",
    ),
    _drive_keyword(
        "ROT",
        "drive of the angle between two nodes about an axis",
        "The coordinate is the angle of node_j relative to node_i about the axis, in rad, over any number of turns.",
    ),
    _coupler_keyword(
        "R2T",
        "ideal gear from a rotation to a translation, each relative to its support",
        ("node_spline", "node_support_r", "node_flange", "node_support_t"),
        ("node that turns", "its support", "node that slides", "its support"),
        "angle (rad) of the spline per length of the flange",
    ),
    _coupler_keyword(
        "R2R",
        "ideal gear between two rotations, each relative to its support",
        ("node_a", "node_support_a", "node_b", "node_support_b"),
        ("first node that turns", "its support", "second node that turns", "its support"),
        "angle of node_a per angle of node_b",
    ),
]
